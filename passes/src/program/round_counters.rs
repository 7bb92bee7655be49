//! What counts the rounds of a repeated loop is read from a table of constants: no kernel counts, none waits for one.
//!
//! A model:
//! ```mlir
//! func.func @main(%arg0: tensor<3x4xf32>, %arg1: tensor<1x4xf32>) -> tensor<1x4xf32> {
//!   %0 = stablehlo.constant dense<0> : tensor<i32>
//!   %1 = stablehlo.constant dense<3> : tensor<i32>
//!   %2:2 = stablehlo.while(%i = %0, %x = %arg1) : tensor<i32>, tensor<1x4xf32>
//!   cond {
//!     %3 = stablehlo.compare LT, %i, %1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
//!     stablehlo.return %3 : tensor<i1>
//!   } do {
//!     %3 = stablehlo.dynamic_slice %arg0, %i, %0, sizes = [1, 4] :
//!       (tensor<3x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
//!     %4 = stablehlo.add %x, %3 : tensor<1x4xf32>
//!     %5 = stablehlo.constant dense<1> : tensor<i32>
//!     %6 = stablehlo.add %i, %5 : tensor<i32>
//!     stablehlo.return %6, %4 : tensor<i32>, tensor<1x4xf32>
//!   }
//!   return %2#1 : tensor<1x4xf32>
//! }
//! ```
//! Before:
//! ```text
//! kernel loop_2_dynamic_slice_add
//! kernel loop_3_add
//! @main: 2 inputs, 1 outputs, arena 256 bytes (4 without sharing)
//!   fill arena +0 4B with 0x0 (4B)
//!   copy input 1 +0 16B -> output 0 +0 16B
//!   repeat 3 times {
//!     dispatch loop_2_dynamic_slice_add grid 1 [input 0 +0 48B, arena +0 4B, output 0 +0 16B, -> output 0 +0 16B]
//!     dispatch loop_3_add grid 1 [arena +0 4B, -> arena +0 4B]
//!   }
//! ```
//! After:
//! ```text
//! kernel loop_2_dynamic_slice_add
//! @main: 2 inputs, 1 outputs, arena 256 bytes (4 without sharing)
//!   copy input 1 +0 16B -> output 0 +0 16B
//!   dispatch loop_2_dynamic_slice_add grid 1 [input 0 +0 48B, constant +0 4B, output 0 +0 16B, -> output 0 +0 16B]
//!   dispatch loop_2_dynamic_slice_add grid 1 [input 0 +0 48B, constant +16 4B, output 0 +0 16B, -> output 0 +0 16B]
//!   dispatch loop_2_dynamic_slice_add grid 1 [input 0 +0 48B, constant +32 4B, output 0 +0 16B, -> output 0 +0 16B]
//! ```
//!
//! Input: the steps of a function, loops of small kernels already one kernel each, slices and rows that lie at the
//! counter already where they lie. A launch of a round that reads the counter (or another integer that goes on by a
//! constant from a constant) before the round counts on reads it from the table instead. Output: the same steps, and
//! no launch that only counts, unless the number is wanted behind the loop or by a loop or branch in the round.
//!
//! Worked example: a GRU's step reads its row of the inputs at the counter, next to its product. The counter's kernel
//! stood between two steps, each waiting for the one before: two launches a step. 64 steps both ways, 8 rows of 256
//! units in f32, one H200, a queue of calls: 0.318 ms -> 0.251.
//!
//! The table has a number every 16 bytes, as far as kernels rely on addresses: 4096 rounds take 64 KiB, and longer
//! loops are not written out (`rounds`).

use fornax_plan::Access;

use super::commands::Builder;
use super::launch::{Counter, Step};
use super::rounds::{BASE_BYTES, Loop, accesses, drop_unread, each_loop, roots, writes};
use super::sizes::Bytes;
use super::storage::{Place, Source};
use crate::errors::PassError;
use crate::facts::ops::tensor;

/// Lets kernels read counters from tables, and drops what nothing needs any more.
pub fn form(b: &mut Builder<'_, '_>, steps: Vec<Step>) -> Result<Vec<Step>, PassError> {
    if !b.planner.has("round_counters") {
        return Ok(steps);
    }
    let mut found = false;
    let mut steps = each_loop(b, steps, &mut |b, round| {
        for &counter in &round.rounds.steady {
            found |= from_table(b, round, counter)?;
        }
        Ok(Vec::new())
    })?;
    if found {
        drop_unread(b, &mut steps);
    }
    Ok(steps)
}

/// Puts a table in the place of a counter, in the launches that read it; whether there are any.
fn from_table(b: &mut Builder<'_, '_>, round: &mut Loop<'_>, counter: Counter) -> Result<bool, PassError> {
    let graph = b.planner.graph;
    let element = tensor(graph, counter.argument)?.element;
    let bytes = element.storage_bytes() as u64;
    let source = Source::Value(b.storage.resolve(counter.argument));
    let Some(place) = b.storage.place(source).filter(|_| element.bits() >= 8 && bytes <= BASE_BYTES) else {
        return Ok(false);
    };
    let readers = readers(b, round.body, source, place);
    if readers.is_empty() {
        return Ok(false);
    }
    let table = b.planner.pool.add(table(counter, round.count, bytes as usize));
    let number = b.storage.temporary(Bytes::Fixed(bytes));
    let last = round.count.saturating_sub(1);
    let places = (0..round.count).chain([last]).map(|n| (Place::Made(table), n * BASE_BYTES)).collect();
    round.place_one_by_round(b, number, places);
    for at in readers {
        if let Step::Launch(launch) = &mut round.body[at] {
            let values = launch.values.iter_mut().filter(|value| **value == (source, Access::Read));
            values.for_each(|value| value.0 = number);
        }
    }
    Ok(true)
}

/// The launches that read a counter and do not write it, before any step does.
fn readers(b: &Builder<'_, '_>, body: &[Step], source: Source, place: Place) -> Vec<usize> {
    let whole = roots(b, place);
    let mut found = Vec::new();
    for (at, step) in body.iter().enumerate() {
        let mut written = false;
        accesses(step, &mut |other, access| {
            let named = b.storage.place(other).map(|named| roots(b, named)).unwrap_or_default();
            written |= writes(access) && named.iter().any(|named| whole.contains(named));
        });
        if written {
            break;
        }
        if let Step::Launch(launch) = step
            && launch.copies.is_none()
            && launch.values.contains(&(source, Access::Read))
        {
            found.push(at);
        }
    }
    found
}

/// The numbers of all rounds, each at a multiple of [`BASE_BYTES`].
fn table(counter: Counter, count: u64, bytes: usize) -> Vec<u8> {
    let mut table = vec![0; count as usize * BASE_BYTES as usize];
    for (round, entry) in table.chunks_mut(BASE_BYTES as usize).enumerate() {
        // In range: `trips` has seen to it.
        let number = counter.start + counter.step * round as i128;
        entry[..bytes].copy_from_slice(&number.to_le_bytes()[..bytes]);
    }
    table
}

#[cfg(test)]
mod tests {
    use fornax_module::program::{Command, SizeExpr, Space};
    use fornax_targets::Backend;

    use crate::program::loop_text::{Carried, loop_of};
    use crate::program::{ConstantBytes, Options, Planned};

    /// A round adds its number to what is carried.
    const COUNTING: &str = "%5 = stablehlo.broadcast_in_dim %i, dims = [] : (tensor<i32>) -> tensor<5xi32>
         %6 = stablehlo.convert %5 : (tensor<5xi32>) -> tensor<5xf32>
         %r = stablehlo.add %6, %y : tensor<5xf32>";

    fn planned(text: &str, backend: Backend, arch: &str) -> Planned {
        let graph = fornax_import::import_text(text, "t.mlir", &Default::default()).unwrap();
        let target = fornax_targets::resolve(backend, arch).unwrap().target;
        let mut options = Options::default();
        options.schedule.plain_loops = true;
        crate::plan(&crate::fuse::fuse(&graph).unwrap(), &target, &options).unwrap()
    }

    /// The table's numbers that launches read, in their order.
    fn numbers(planned: &Planned) -> Vec<i32> {
        let [table] = planned.constants.as_slice() else { panic!("one table: {:?}", planned.constants) };
        let ConstantBytes::Made(bytes) = &table.constant else { panic!("a table is made") };
        let mut found = Vec::new();
        for command in planned.program.blocks.iter().flat_map(|block| &block.commands) {
            let Command::Dispatch { bindings, .. } = command else { continue };
            for span in bindings.iter().map(|binding| binding.span).filter(|span| span.space == Space::Constant) {
                let SizeExpr::Const(at) = planned.program.exprs[span.offset as usize] else { panic!("a known place") };
                let at = (at - table.offset) as usize;
                found.push(i32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()));
            }
        }
        found
    }

    fn launches(planned: &Planned) -> usize {
        let commands = planned.program.blocks.iter().flat_map(|block| &block.commands);
        commands.filter(|command| matches!(command, Command::Dispatch { .. })).count()
    }

    #[test]
    fn no_kernel_counts_where_a_table_can() {
        let text = loop_of(&[Carried("%y", "tensor<5xf32>", "%r")], COUNTING, &[1]);
        for (backend, arch) in [(Backend::Cuda, "sm_90a"), (Backend::Rocm, "gfx90a"), (Backend::Cpu, "x86-64-v3")] {
            let planned = planned(&text, backend, arch);
            assert_eq!((launches(&planned), numbers(&planned)), (7, (0..7).collect()), "{backend:?}");
        }
    }

    #[test]
    fn a_number_that_is_wanted_behind_the_loop_is_counted() {
        let text = loop_of(&[Carried("%y", "tensor<5xf32>", "%r")], COUNTING, &[1, 0]);
        let planned = planned(&text, Backend::Cpu, "x86-64-v3");
        assert_eq!((launches(&planned), numbers(&planned)), (14, (0..7).collect()));
    }

    #[test]
    fn another_number_that_goes_on_by_a_constant_has_a_table_too() {
        let body = "%five = stablehlo.constant dense<-5> : tensor<i32>
             %l = stablehlo.add %k, %five : tensor<i32>
             %5 = stablehlo.broadcast_in_dim %k, dims = [] : (tensor<i32>) -> tensor<5xi32>
             %6 = stablehlo.convert %5 : (tensor<5xi32>) -> tensor<5xf32>
             %r = stablehlo.add %6, %y : tensor<5xf32>";
        let carried = [Carried("%y", "tensor<5xf32>", "%r"), Carried("%k", "tensor<i32>", "%l")];
        // It starts at an argument: not known. At a constant: known.
        let text = loop_of(&carried, body, &[1]);
        assert_eq!(launches(&planned(&text, Backend::Cuda, "sm_80")), 14);
        let text = text.replace("%k = %x2", "%k = %zero");
        let planned = planned(&text, Backend::Cuda, "sm_80");
        assert_eq!((launches(&planned), numbers(&planned)), (7, (0..7).map(|n| -5 * n).collect()));
    }
}

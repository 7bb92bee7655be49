//! A kernel that reads nothing but parameters and constants runs once, when the module is loaded.
//!
//! A model:
//! ```mlir
//! func.func @main(%arg0: tensor<2x2xf32>) -> tensor<2x2xf32> {
//!   %0 = stablehlo.constant dense<[[1.0, 2.0], [4.0, 8.0]]> : tensor<2x2xf32>
//!   %1 = stablehlo.dot %0, %0 : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
//!   %2 = stablehlo.dot %arg0, %1 : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
//!   return %2 : tensor<2x2xf32>
//! }
//! ```
//! Before:
//! ```text
//! kernel contraction_0_dot
//! kernel contraction_1_dot
//! @main: 1 inputs, 1 outputs, arena 256 bytes (16 without sharing)
//!   dispatch contraction_0_dot grid 1 [constant +0 16B, -> arena +0 16B]
//!   dispatch contraction_1_dot grid 1 [input 0 +0 16B, arena +0 16B, -> output 0 +0 16B]
//! ```
//! After:
//! ```text
//! kernel contraction_0_dot
//! kernel contraction_1_dot
//! @main: 1 inputs, 1 outputs, arena 0 bytes (0 without sharing)
//!   dispatch contraction_1_dot grid 1 [input 0 +0 16B, persistent +0 16B, -> output 0 +0 16B]
//! load: 16 bytes persistent
//!   dispatch contraction_0_dot grid 1 [constant +0 16B, -> persistent +0 16B]
//! ```
//!
//! Its results lie in `Space::Persistent`: folded batch norms, transposed weights, masks made of positions.
//! Limits: known sizes. What widens integers or floats of a byte, as of quantised weights, for products with many rows
//! is done in every call: a trip through memory for each of them, and only one at a time has the bytes of floats.

use fornax_module::program::{ExprId, Span};
use fornax_graph::{Graph, OpId, OpKind};
use fornax_kernels::sizing::SHORT_MAX;
use fornax_plan::{Access, Buffer, KernelPlan};

use super::ARENA_ALIGNMENT;
use super::commands::Builder;
use super::sizes::Bytes;
use super::launch::Launch;
use super::storage::{Place, Source};
use crate::errors::PassError;
use crate::facts::products::{is_product, rows_and_long_operand};

/// What a launch of the load block makes its results of: launches with the same give the same.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct MadeOf {
    kernel: u32,
    grid: [ExprId; 3],
    reads: Vec<Span>,
    sizes: Vec<ExprId>,
}

/// Bytes of results from which they are worth making again, to save them.
const WIDENED_MIN: i64 = 1024 * 1024;
/// Bytes of results over those read: less is nearly as large, more is made of few numbers.
const WIDENED: std::ops::RangeInclusive<i64> = 2..=16;

/// Whether a kernel makes floats of integers, or of floats of a byte, that take fewer bytes, for products with more
/// rows than a GEMV has.
pub(super) fn widens_for_products(graph: &Graph, plan: &KernelPlan, fusion: OpId) -> bool {
    widens(plan) && is_read_by_products(graph, fusion)
}

/// Whether products with many rows, and nothing else, read the results of a fusion.
fn is_read_by_products(graph: &Graph, fusion: OpId) -> bool {
    let data = graph.op(fusion);
    let (mut results, mut wide) = (data.results.clone(), false);
    for &reader in &graph.block(data.block).ops {
        let data = graph.op(reader);
        if !data.operands.iter().any(|v| results.contains(v)) {
            continue;
        }
        if matches!(data.kind, OpKind::Reshape | OpKind::BitcastConvert) {
            results.extend(&data.results);
            continue;
        }
        let inner = data.regions.iter().flat_map(|&region| &graph.region(region).blocks);
        let mut products = inner.flat_map(|&block| &graph.block(block).ops).filter(|op| is_product(graph, **op));
        let rows = |op: &OpId| rows_and_long_operand(graph, *op).map_or(0, |(rows, _)| rows);
        if !products.any(|op| rows(op) > SHORT_MAX) {
            return false;
        }
        wide = true;
    }
    wide
}

fn widens(plan: &KernelPlan) -> bool {
    let bytes = |buffer: &Buffer| buffer.elements.saturating_mul(buffer.element.storage_bytes() as i64);
    let (written, read): (Vec<&Buffer>, Vec<&Buffer>) = plan.buffers.iter().partition(|b| b.access == Access::Write);
    let total = |buffers: &[&Buffer]| buffers.iter().map(|b| bytes(b)).fold(0, i64::saturating_add);
    let (results, operands) = (total(&written), total(&read));
    let largest = read.iter().max_by_key(|b| bytes(b));
    let is_narrow = |buffer: &&Buffer| buffer.element.is_integer() || buffer.element.storage_bytes() == 1;
    results >= WIDENED_MIN
        && WIDENED.contains(&(results / operands.max(1)))
        && largest.is_some_and(is_narrow)
        && written.iter().all(|buffer| buffer.element.is_float())
}

impl Builder<'_, '_> {
    /// Whether a kernel with these buffers gives the same in every call, and may keep it.
    pub(super) fn is_same_in_every_call(&self, values: &[(Source, Access)]) -> bool {
        let same = |&(source, access): &(Source, Access)| match access {
            Access::Write => self.storage.place(source).is_none() && !self.overwritten.contains(&source),
            Access::Read | Access::Overwritten => self.storage.is_same_in_every_call(source),
            Access::Update | Access::Announced | Access::Guard => false,
        };
        self.planner.has("run_at_load") && values.iter().all(same)
    }

    /// Appends a launch to the load block. What a launch there makes of the same already is not made again: functions
    /// of one model (a prompt's and a step's) share the weights that they prepare.
    pub(super) fn launch_at_load(&mut self, launch: Launch) -> Result<(), PassError> {
        let written = || launch.values.iter().filter(|v| v.1 == Access::Write).map(|v| v.0);
        let key = self.made_of(&launch)?;
        if let Some(offsets) = self.planner.made_at_load.get(&key) {
            let places = written().zip(offsets).map(|(source, &offset)| (source, Place::Persistent(offset)));
            self.storage.places.extend(places);
            return Ok(());
        }
        let mut offsets = Vec::new();
        for source in written() {
            let Bytes::Fixed(bytes) = self.storage.bytes(self.planner, source)? else {
                return Err(PassError::broken("a buffer that is filled once has no static size"));
            };
            let end = &mut self.planner.planned.program.persistent_bytes;
            let offset = end.next_multiple_of(ARENA_ALIGNMENT);
            *end = offset + bytes;
            self.storage.places.insert(source, Place::Persistent(offset));
            offsets.push(offset);
        }
        self.planner.origins.at_load.push(launch.origin.iter().cloned().collect());
        let command = self.dispatch(&launch, &[])?;
        self.planner.load.push(command);
        self.planner.made_at_load.insert(key, offsets);
        Ok(())
    }

    fn made_of(&mut self, launch: &Launch) -> Result<MadeOf, PassError> {
        let mut reads = Vec::new();
        for &(source, _) in launch.values.iter().filter(|v| v.1 != Access::Write) {
            reads.push(self.storage.span(self.planner, source, &[])?);
        }
        Ok(MadeOf { kernel: launch.kernel, grid: launch.grid, reads, sizes: launch.sizes.clone() })
    }
}

#[cfg(test)]
mod tests {
    use crate::example::import;
    use crate::program::Options;
    use fornax_targets::Target;

    /// A function that multiplies by the sines or cosines (`of`) of numbers.
    fn function(name: &str, rows: u32, of: &str, numbers: &str) -> String {
        format!(
            "func.func @{name}(%x: tensor<{rows}x2xf32>) -> tensor<{rows}x2xf32> {{
               %w = stablehlo.constant dense<{numbers}> : tensor<2x2xf32>
               %0 = stablehlo.{of} %w : tensor<2x2xf32>
               %1 = stablehlo.dot_general %x, %0, contracting_dims = [1] x [0]
                 : (tensor<{rows}x2xf32>, tensor<2x2xf32>) -> tensor<{rows}x2xf32>
               return %1 : tensor<{rows}x2xf32>
             }}\n"
        )
    }

    /// Bytes that are kept, and launches that fill them.
    fn kept(functions: &[String], parameters: &[(usize, &str)]) -> (u64, usize) {
        let graph = crate::fuse(&import(&format!("module {{\n{}}}\n", functions.concat()))).unwrap();
        let target = Target::from_spec("cuda:sm_80").unwrap();
        let named = parameters.iter().map(|&(at, name)| (at, name.to_string())).collect();
        let parameters = [("f".to_string(), named)].into_iter().filter(|_| !parameters.is_empty()).collect();
        let program = crate::plan(&graph, &target, &Options { parameters, ..Options::default() }).unwrap().program;
        let load = program.load.map_or(0, |at| program.blocks[at as usize].commands.len());
        (program.persistent_bytes, load)
    }

    #[test]
    fn functions_share_what_they_prepare() {
        let (some, others) = ("[[1.0, 2.0], [3.0, 4.0]]", "[[5.0, 6.0], [7.0, 8.0]]");
        let one = kept(&[function("a", 3, "sine", some)], &[]);
        assert_eq!(one.1, 1);
        assert_eq!(kept(&[function("a", 3, "sine", some), function("b", 1, "sine", some)], &[]), one);
        for (of, numbers) in [("cosine", some), ("sine", others)] {
            let two = kept(&[function("a", 3, "sine", some), function("b", 1, of, numbers)], &[]);
            assert!(two.0 > one.0 && two.1 == 2, "{of} of {numbers}: {two:?}");
        }
    }

    /// Weights of a byte with a scale, for a product with many rows: made in every call, as wide ones are not.
    #[test]
    fn weights_of_a_byte_are_widened_in_every_call() {
        let product = |element: &str| {
            format!(
                "func.func @f(%x: tensor<32x512xf32>, %w: tensor<1024x512x{element}>,
                   %s: tensor<1024xf32>) -> tensor<32x1024xf32> {{
                   %0 = stablehlo.convert %w : (tensor<1024x512x{element}>) -> tensor<1024x512xf32>
                   %1 = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<1024xf32>) -> tensor<1024x512xf32>
                   %2 = stablehlo.multiply %0, %1 : tensor<1024x512xf32>
                   %3 = stablehlo.dot_general %x, %2, contracting_dims = [1] x [1]
                     : (tensor<32x512xf32>, tensor<1024x512xf32>) -> tensor<32x1024xf32>
                   return %3 : tensor<32x1024xf32>
                 }}\n"
            )
        };
        for (element, is_kept) in [("f8E4M3FN", false), ("i8", false), ("f16", true)] {
            let (bytes, launches) = kept(&[product(element)], &[(1, "w"), (2, "s")]);
            assert_eq!((bytes > 0, launches > 0), (is_kept, is_kept), "{element}: {bytes}");
        }
    }
}

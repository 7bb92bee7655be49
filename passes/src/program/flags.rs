//! Loops of unknown length that the host runs ahead of: every kernel of a round looks at a byte first.
//!
//! A model:
//! ```mlir
//! func.func @main(%arg0: tensor<f32>) -> tensor<f32> {
//!   %0 = stablehlo.constant dense<9.0> : tensor<f32>
//!   %1 = stablehlo.while(%x = %arg0) : tensor<f32>
//!   cond {
//!     %2 = stablehlo.compare LT, %x, %0 : (tensor<f32>, tensor<f32>) -> tensor<i1>
//!     stablehlo.return %2 : tensor<i1>
//!   } do {
//!     %2 = stablehlo.add %x, %x : tensor<f32>
//!     stablehlo.return %2 : tensor<f32>
//!   }
//!   return %1 : tensor<f32>
//! }
//! ```
//! Before:
//! ```text
//! kernel loop_0_compare
//! kernel loop_2_add
//! @main: 1 inputs, 1 outputs, arena 256 bytes (1 without sharing)
//!   copy input 0 +0 4B -> output 0 +0 4B
//!   while arena +0 1B {
//!     dispatch loop_0_compare grid 1 [output 0 +0 4B, -> arena +0 1B]
//!   } do {
//!     dispatch loop_2_add grid 1 [output 0 +0 4B, -> output 0 +0 4B]
//!   }
//! ```
//! After:
//! ```text
//! kernel loop_0_compare
//! kernel loop_1_flag
//! kernel loop_4_add
//! @main: 1 inputs, 1 outputs, arena 512 bytes (2 without sharing)
//!   copy input 0 +0 4B -> output 0 +0 4B
//!   fill arena +0 1B with 0x1 (1B)
//!   while arena +0 1B ahead {
//!     dispatch loop_0_compare grid 1 [output 0 +0 4B, -> arena +256 1B, arena +0 1B]
//!     dispatch loop_1_flag grid 1 [arena +0 1B, arena +256 1B, -> arena +0 1B]
//!   } do {
//!     dispatch loop_4_add grid 1 [output 0 +0 4B, -> output 0 +0 4B, arena +0 1B]
//!   }
//! ```
//!
//! Input: a `while` whose body has neither branches nor further loops of unknown length, on a backend whose command
//! lists do not decide loops (`Backend::decides_loops`). Output: the same loop with a flag, one byte of the arena: 1
//! before the loop, and the predicate behind each condition, as long as it was not 0. All kernels of condition and body
//! are guarded by it (`Access::Guard`), copies are kernels; so rounds behind the last one change nothing, and the host
//! queues many before it looks (`runtime/src/hal/control.rs`).
//!
//! Worked example: `while x < 9 { x = f(x) }`: flag := 1; condition [p := x < 9 if flag; flag := flag and p], body [y
//! := f(x) if flag; x := y if flag].
//!
//! Limits: loops in a body that is guarded have a known length; sizes known only at run time have no flags.

use fornax_graph::{BlockId, Dim, ElementType, Graph, OpId, OpKind};
use fornax_plan::Unscheduled;
use fornax_plan::{Access, Binary, Body, Buffer, Exprs, KernelPlan, Node, Store};
use fornax_targets::Target;

use super::commands::Builder;
use super::sizes::Bytes;
use super::launch::{Copies, Step};
use super::storage::Source;
use super::trips;
use crate::errors::PassError;
use crate::facts::ops::splat_bits;
use fornax_kernels::elementwise::candidates as elementwise;

/// Widths in which bytes are copied, the widest first.
const WIDTHS: &[(u64, ElementType)] =
    &[(8, ElementType::Ui64), (4, ElementType::Ui32), (2, ElementType::Ui16), (1, ElementType::Ui8)];

impl Builder<'_, '_> {
    /// Whether a loop of unknown length gets a flag.
    pub(super) fn takes_flags(&self, op: OpId) -> bool {
        ["flags", "trips"].iter().all(|pass| self.planner.has(pass))
            && !self.planner.target.backend.decides_loops() && is_straight(self.planner.graph, op)
    }

    /// A new flag, set.
    pub(super) fn flag(&mut self, steps: &mut Vec<Step>) -> Result<Source, PassError> {
        let flag = self.storage.temporary(Bytes::Fixed(1));
        self.storage.touch(self.planner, flag)?;
        self.storage.clock += 1;
        steps.push(Step::Set { to: flag, byte: 1 });
        Ok(flag)
    }

    /// `flag` stays set where the predicate says so.
    pub(super) fn lower_flag(
        &mut self,
        flag: Source,
        predicate: Source,
        steps: &mut Vec<Step>,
    ) -> Result<(), PassError> {
        let plan = and(self.planner.target);
        let guard = self.guard.take();
        let done = self.run(plan, &[flag, predicate, flag], None, steps);
        self.guard = guard;
        done
    }

    /// A copy as a kernel.
    pub(super) fn copy_by_kernel(&mut self, copies: Copies, steps: &mut Vec<Step>) -> Result<(), PassError> {
        let Copies { from, to, .. } = copies;
        let Bytes::Fixed(bytes) = self.storage.bytes_or(self.planner, from, to)? else {
            return Err(PassError::broken("a guarded copy of a size known only at run time"));
        };
        let graph = self.planner.graph;
        let pattern = match from {
            Source::Value(value) => splat_bits(graph, value).zip(graph.ty(value).as_tensor()),
            _ => None,
        };
        let pattern = pattern.map(|(bits, ty)| (bits, ty.element.storage_bytes() as u64));
        let plan = copy(bytes, pattern, self.planner.target);
        let plan = plan.ok_or_else(|| PassError::broken(format!("a guarded copy of {bytes} bytes")))?;
        let sources: &[Source] = if pattern.is_some() { &[to] } else { &[from, to] };
        self.run(plan, sources, None, steps)?;
        if let Some(Step::Launch(launch)) = steps.last_mut() {
            launch.copies = Some(copies);
        }
        Ok(())
    }
}

/// Whether condition and body are kernels, copies and loops of known length only, of known sizes.
fn is_straight(graph: &Graph, op: OpId) -> bool {
    let blocks = |op: OpId| graph.op(op).regions.iter().flat_map(|&r| graph.region(r).blocks.clone());
    let mut left: Vec<BlockId> = blocks(op).collect();
    while let Some(block) = left.pop() {
        for &inner in &graph.block(block).ops {
            let data = graph.op(inner);
            let sized = data.results.iter().filter_map(|&v| graph.ty(v).as_tensor());
            let sized = sized.flat_map(|ty| &ty.shape).any(|dim| !matches!(dim, Dim::Static(_)));
            let unknown = data.kind == OpKind::While && trips::count(graph, inner).is_none();
            // A collective behind the last round would wait for devices that are done, the host be called once more.
            if sized || unknown || matches!(data.kind, OpKind::If | OpKind::Collective | OpKind::HostCall) {
                return false;
            }
            if data.kind == OpKind::While {
                left.extend(blocks(inner));
            }
        }
    }
    true
}

/// Buffer 2, in the place of buffer 0, := buffer 0 and buffer 1.
fn and(target: &Target) -> KernelPlan {
    let mut exprs = Exprs::default();
    let offset = exprs.indices.constant(0);
    let mut load = |buffer| exprs.add(Node::Load { buffer, element: ElementType::I1, offset, mask: None });
    let (flag, predicate) = (load(0), load(1));
    let value = exprs.binary(Binary::And, flag, predicate);
    let buffer = |access| Buffer { element: ElementType::I1, elements: 1, access };
    let buffers = vec![buffer(Access::Overwritten), buffer(Access::Read), buffer(Access::Write)];
    elementwise(exprs, buffers, Vec::new(), Store { buffer: 2, offset, value }, target, "flag")
}

/// Buffer 1 := buffer 0, or buffer 0 := a pattern of so many bytes.
fn copy(bytes: u64, pattern: Option<(u64, u64)>, target: &Target) -> Option<KernelPlan> {
    let fits = |width: u64| bytes.is_multiple_of(width) && pattern.is_none_or(|p| p.1 == width);
    let &(width, element) = WIDTHS.iter().find(|row| fits(row.0))?;
    let elements = i64::try_from(bytes / width).ok()?;
    let mut exprs = Exprs::default();
    let var = exprs.indices.add_var(elements);
    let offset = exprs.indices.var(var);
    let buffer = |access| Buffer { element, elements, access };
    let (value, buffers) = match pattern {
        Some((bits, _)) => (exprs.add(Node::Constant { element, bits }), vec![buffer(Access::Write)]),
        None => {
            let value = exprs.add(Node::Load { buffer: 0, element, offset, mask: None });
            (value, vec![buffer(Access::Read), buffer(Access::Write)])
        }
    };
    let store = Store { buffer: buffers.len() as u32 - 1, offset, value };
    Some(elementwise(exprs, buffers, vec![var], store, target, "copy"))
}

fn elementwise(
    exprs: Exprs,
    buffers: Vec<Buffer>,
    domain: Vec<fornax_plan::VarId>,
    store: Store,
    target: &Target,
    summary: &str,
) -> KernelPlan {
    let schedule = Unscheduled;
    let body = Body::Loop { stores: vec![store] };
    let mut plan = KernelPlan::new(exprs, buffers, domain, body, schedule, summary.to_string());
    plan.set_schedule(elementwise::choose(&plan, target));
    plan
}

#[cfg(test)]
mod tests {
    use fornax_module::program::Command;
    use fornax_plan::Access;
    use fornax_targets::Backend;

    use crate::plan;
    use crate::program::{Options, Planned};

    fn planned(body: &str, (backend, arch): (Backend, &str)) -> Planned {
        let text = format!(
            "func.func @main(%x: tensor<5xf32>, %p: tensor<i1>) -> tensor<5xf32> {{
               %most = stablehlo.constant dense<9.0> : tensor<f32>
               %0 = stablehlo.while(%y = %x) : tensor<5xf32>
               cond {{
                 %zero = stablehlo.constant dense<0.0> : tensor<f32>
                 %1 = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0] \
                     : (tensor<5xf32>, tensor<f32>) -> tensor<f32>
                 %2 = stablehlo.compare LT, %1, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
                 stablehlo.return %2 : tensor<i1>
               }} do {{
                 {body}
                 stablehlo.return %r : tensor<5xf32>
               }}
               return %0 : tensor<5xf32>
             }}"
        );
        let graph = fornax_import::import_text(&text, "t.mlir", &Default::default()).unwrap();
        let target = fornax_targets::resolve(backend, arch).unwrap().target;
        plan(&crate::fuse::fuse(&graph).unwrap(), &target, &Options::default()).unwrap()
    }

    /// Whether the loop is guarded, and the blocks of condition and body.
    fn the_loop(planned: &Planned) -> (bool, Vec<&Command>) {
        let program = &planned.program;
        let found = program.blocks.iter().flat_map(|b| &b.commands).find_map(|command| match command {
            &Command::While { condition, body, guarded, .. } => Some((guarded, [condition, body])),
            _ => None,
        });
        let (guarded, blocks) = found.unwrap();
        (guarded, blocks.iter().flat_map(|&b| &program.blocks[b as usize].commands).collect())
    }

    #[test]
    fn every_kernel_of_a_loop_looks_at_its_flag_where_no_list_decides() {
        let double = "%r = stablehlo.add %y, %y : tensor<5xf32>";
        let (guarded, commands) = {
            let planned = planned(double, (Backend::Rocm, "gfx90a"));
            let (guarded, commands) = the_loop(&planned);
            let unguarded = commands.iter().filter(|command| match command {
                Command::Dispatch { kernel, .. } => planned.kernels[*kernel as usize].guard().is_none(),
                _ => true,
            });
            // Only the kernel that lowers the flag, which may overwrite it.
            let unguarded: Vec<_> = unguarded.cloned().cloned().collect();
            let [Command::Dispatch { kernel, .. }] = unguarded.as_slice() else { panic!("{unguarded:?}") };
            assert_eq!(planned.kernels[*kernel as usize].buffers[0].access, Access::Overwritten);
            (guarded, commands.len())
        };
        // Sum and comparison, flag; addition in place.
        assert_eq!((guarded, commands), (true, 3));
        for target in [(Backend::Cuda, "sm_80"), (Backend::Cpu, "x86-64-v3")] {
            assert!(!the_loop(&planned(double, target)).0, "{target:?}");
        }
    }

    #[test]
    fn loops_with_branches_are_looked_at_every_round() {
        let branch = "%r = \"stablehlo.if\"(%p) ({
            %3 = stablehlo.sine %y : tensor<5xf32>
            stablehlo.return %3 : tensor<5xf32>
          }, {
            %4 = \"stablehlo.sort\"(%y) <{dimension = 0 : i64}> ({
              ^bb0(%a: tensor<f32>, %b: tensor<f32>):
                %5 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
                stablehlo.return %5 : tensor<i1>
            }) : (tensor<5xf32>) -> tensor<5xf32>
            stablehlo.return %4 : tensor<5xf32>
          }) : (tensor<i1>) -> tensor<5xf32>";
        assert!(!the_loop(&planned(branch, (Backend::Rocm, "gfx90a"))).0);
    }
}

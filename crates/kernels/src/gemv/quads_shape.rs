//! Which operands quads multiply: whole numbers of few bits, with scales and offsets, times 16-bit floats (`quads`).

use fornax_emit::EmitError;
use fornax_emit::emitter::Emitter;
use fornax_graph::ElementType;
use fornax_plan::{Exprs, KernelPlan, NodeId, form};
use fornax_targets::{Backend, Feature, Target};

use super::affine::{Affine, Worth};
use super::fixed_shape;
use super::products::{Space, Stages};
use super::schedule::{GemvSchedule, QUAD_THREADS, QUADS, points};
use super::shape::Shape;

/// Rows of a thread that an instruction multiplies.
const POINTS: u32 = 2;

/// The 16-bit floats that all short operands are.
fn half(exprs: &Exprs, stages: &Stages) -> Option<ElementType> {
    let mut shorts = stages.spaces().flat_map(|space| &space.short);
    let element = |node| exprs.element(form::exact_source(exprs, node));
    let first = element(*shorts.next()?);
    let fits = matches!(first, ElementType::Bf16 | ElementType::F16) && shorts.all(|&short| element(short) == first);
    fits.then_some(first)
}

/// Whether a target multiplies the operands of a shape so.
pub(super) fn multiplies(plan: &KernelPlan, target: &Target, shape: &Shape, stages: &Stages) -> bool {
    let feature = match half(&plan.exprs, stages) {
        Some(ElementType::Bf16) => Feature::MmaBf16,
        Some(_) => Feature::MmaF16,
        None => return false,
    };
    let narrow = |space: &Space, long: NodeId| {
        Affine::of(&plan.exprs, long, space.inner, Worth::on_gpu(true)).mantissa.is_some()
    };
    let unpacked = shape.computed.is_some_and(|computed| computed.is_unpacked);
    let fits = shape.inside && unpacked && target.backend == Backend::Cuda && target.has(feature);
    fits && stages.spaces().all(|space| space.long.iter().all(|&long| narrow(space, long)))
}

/// The type of the short operands of a schedule, whose long operands are known.
///
/// # Errors
/// `FX0404` where the schedule does not fit.
pub(super) fn operands(e: &Emitter<'_>, s: &GemvSchedule, stages: &Stages) -> Result<ElementType, EmitError> {
    let whole = |space: &Space| {
        let steps = points(e.plan, &space.reduction);
        (steps / u64::from(s.lanes)).is_multiple_of(QUAD_THREADS.into())
    };
    let narrow = |space: &Space| space.affine.iter().all(|affine| affine.mantissa.is_some());
    let shape = s.across == QUADS && s.down.is_multiple_of(QUAD_THREADS) && s.cluster == 1;
    let all = |space: &Space| points(e.plan, &space.reduction) == u64::from(s.lanes * s.depth * s.down);
    let is_fixed = |space: &Space| fixed_shape::fits(space.short.len() as u64, s.lanes.into());
    let single = points(e.plan, &s.short) == 1 && e.target.has(Feature::MmaI8);
    let kept = if s.turns == 0 {
        s.staged && (s.fixed || s.tile.is_multiple_of(POINTS))
    } else {
        !s.staged && s.fixed && stages.spaces().count() == 1 && stages.spaces().all(all)
    };
    let kept = kept && (!s.fixed || single && stages.spaces().all(is_fixed));
    let fits = shape && kept && stages.spaces().all(|space| whole(space) && narrow(space));
    let found = half(e.exprs, stages).filter(|_| fits);
    found.ok_or_else(|| e.unfit("quads for operands that are not a few bits times 16-bit floats"))
}

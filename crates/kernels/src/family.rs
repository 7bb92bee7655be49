//! What a family is to the rest of the compiler: a row of [`crate::FAMILIES`].
//!
//! Worked example: `row`. Its tries take reductions and rows of known size, its candidates are what `fornax tune`
//! measures, and it writes the kernels that have a `RowSchedule`.

use std::sync::Arc;

use fornax_emit::EmitError;
use fornax_emit::emitter::Emitter;
use fornax_plan::{Body, KernelPlan, Schedule};
use fornax_targets::Target;

use crate::refusal::Refusal;

/// A way to run one kind of body on all targets that can.
pub struct Family {
    /// How the names of its schedules begin.
    pub name: &'static str,
    /// Whether `--schedule=NAME` may demand it: products, windows and attention have a choice.
    pub demanded: bool,
    /// Its schedules, in the order in which they are tried.
    pub tries: &'static [Try],
    /// Schedules that a tuner may try, each a plan of its own, the most promising first.
    pub candidates: Option<fn(&KernelPlan, &Target) -> Vec<KernelPlan>>,
    /// The schedule of a name, where a family has far more than it offers.
    pub named: Option<Named>,
    /// Predicted cycles of kernels with its schedules in one launch, of families whose model knows what they do to each
    /// other.
    pub together: Option<Together>,
    /// Schedules of its kernels in one launch, chosen for all of them at once.
    pub side_by_side: Option<SideBySide>,
    /// Writes a kernel that has one of its schedules; `None` for others.
    pub emit: fn(&mut Emitter<'_>) -> Option<Result<(), EmitError>>,
}

/// The kernels of one launch with other schedules, in their order; `None` where they keep theirs.
pub type SideBySide = fn(&[&KernelPlan], &Target) -> Option<Vec<KernelPlan>>;

/// Cycles of kernels in one launch.
pub type Together = fn(&[&KernelPlan], &Target) -> Option<f64>;

/// A family's schedule whose name is meant.
pub type Named = fn(&KernelPlan, &Target, &dyn Fn(&str) -> bool) -> Option<KernelPlan>;

/// One kind of schedule that is tried for a kernel.
pub struct Try {
    pub name: &'static str,
    /// Whether kernels of this kind are tried at all.
    pub applies: fn(&KernelPlan) -> bool,
    /// The best schedule of the kind; the plan may be put in another order for it.
    pub choose: Choose,
    /// Names of schedules of the kind with their predicted cycles, the best first.
    pub costs: fn(&KernelPlan, &Target) -> Vec<(String, u64)>,
}

/// Gives a schedule or says why there is none.
pub type Choose = fn(&mut KernelPlan, &Asked<'_>) -> Result<Offer, Refusal>;

/// A schedule, and what the family's model says that it takes.
pub struct Offer {
    pub schedule: Arc<dyn Schedule>,
    /// Cycles of the device; `None` for kinds without a model.
    pub cycles: Option<f64>,
    /// How many times as many the kind was seen to take where its model leaves something out; 1 for most.
    pub at_worst: f64,
}

impl Offer {
    pub fn new(schedule: impl Schedule + 'static, cycles: impl Into<Option<f64>>) -> Offer {
        Offer { schedule: Arc::new(schedule), cycles: cycles.into(), at_worst: 1.0 }
    }

    /// The same of a kind that was seen to take `times` as many cycles as its model says.
    pub fn at_worst(self, times: f64) -> Offer {
        Offer { at_worst: times, ..self }
    }
}

/// What a schedule is asked for.
pub struct Asked<'a> {
    pub target: &'a Target,
    /// Reductions are folded by one thread, in order.
    pub ordered: bool,
    /// What warpgroups must beat.
    pub rival: Rival<'a>,
}

/// Cycles of the best schedule by warps' matrix instructions, where there is one.
pub type Rival<'a> = &'a dyn Fn(&KernelPlan, &Target) -> Option<f64>;

/// For kinds without a cost model.
pub fn no_costs(_: &KernelPlan, _: &Target) -> Vec<(String, u64)> {
    Vec::new()
}

/// Whether all extents are known, and the body is not one that has a way of its own.
pub fn is_static(plan: &KernelPlan) -> bool {
    plan.has_static_loops() && !has_own(plan)
}

/// Whether only one family takes the body.
pub fn has_own(plan: &KernelPlan) -> bool {
    matches!(plan.body, Body::Attention(_) | Body::FusedLoop(_) | Body::Bundle(_) | Body::Led(_))
}

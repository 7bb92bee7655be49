//! Whether a target has a kernel for a group of attention.

use fornax_graph::{Graph, OpId};
use fornax_kernels::attention::candidates as attention;
use fornax_plan::{KernelPlan, Unscheduled};
use fornax_targets::Target;

use crate::schedule::{Options, heroes};

/// Does the target have a kernel for this group?
pub fn fits(graph: &Graph, fusion: OpId, target: &Target, options: &Options) -> bool {
    let Ok(Some(lowered)) = heroes::lower(graph, fusion, false, options) else { return false };
    let none = Unscheduled;
    let plan = KernelPlan::new(lowered.exprs, lowered.buffers, lowered.domain, lowered.body, none, String::new());
    attention::fits(&plan, target)
}

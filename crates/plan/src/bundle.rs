//! Several kernels that do not depend on one another as one launch: the first workgroups do the first kernel, the next
//! ones the second, and so on (horizontal fusion).
//!
//! Input: kernels with schedules of as many threads a workgroup, over buffers of their own. Output: one plan whose
//! buffers and tensor maps are those of all kernels. Launches of the same kernel on other buffers share its code, but
//! for one with tensor maps.
//!
//! Worked example: a GEMV of 32 workgroups, launched for K and for V, and one of 128 for Q: workgroups 0..32 do K,
//! 32..64 V, 64..192 Q; the first part has two launches of three buffers each, of which x is the same one.
//!
//! One number may pass from the first part to the others, which wait for it ([`crate::Access::Announced`]).
//!
//! Limits: no sizes of run time, no fused.

use crate::kernel::{Body, KernelPlan};

/// The parts of a bundle, in the order of their workgroups.
#[derive(Clone, Debug)]
pub struct Bundle {
    pub parts: Vec<BundlePart>,
}

/// A kernel, and what it is launched on.
#[derive(Clone, Debug)]
pub struct BundlePart {
    /// With its schedule, over buffers of its own.
    pub plan: KernelPlan,
    /// Of each launch, which buffers of the bundle are the kernel's, in order. One launch where it has tensor maps.
    pub launches: Vec<Vec<u32>>,
    /// Which tensor map of the bundle is the kernel's first; its others follow.
    pub first_map: u32,
}

impl BundlePart {
    /// Workgroups of one launch.
    pub fn workgroups(&self) -> u64 {
        self.plan.launch().0.iter().fold(1, |all, &axis| all.saturating_mul(axis))
    }

    /// Workgroups of all launches.
    pub fn all_workgroups(&self) -> u64 {
        self.workgroups().saturating_mul(self.launches.len() as u64)
    }

    /// Of its own buffers, which are `given` to all launches among those of the bundle.
    pub fn given(&self, given: &[bool]) -> Vec<bool> {
        let is_given =
            |launch: &Vec<u32>, at: usize| launch.get(at).and_then(|&buffer| given.get(buffer as usize)) == Some(&true);
        (0..self.plan.buffers.len()).map(|at| self.launches.iter().all(|launch| is_given(launch, at))).collect()
    }
}

impl PartialEq for Bundle {
    fn eq(&self, other: &Bundle) -> bool {
        let text =
            |bundle: &Bundle| bundle.parts.iter().map(|p| (p.plan.canonical(), p.launches.clone())).collect::<Vec<_>>();
        text(self) == text(other)
    }
}

impl Eq for Bundle {}

impl Bundle {
    /// Workgroups of the whole launch.
    pub fn workgroups(&self) -> u64 {
        self.parts.iter().map(BundlePart::all_workgroups).fold(0, u64::saturating_add)
    }

    /// Kernels that it launches.
    pub fn launches(&self) -> usize {
        self.parts.iter().map(|part| part.launches.len()).sum()
    }

    /// Adds up `of` over all launches.
    pub fn total(&self, of: &dyn Fn(&KernelPlan) -> u64) -> u64 {
        let each = |part: &BundlePart| of(&part.plan).saturating_mul(part.launches.len() as u64);
        self.parts.iter().map(each).fold(0, u64::saturating_add)
    }
}

impl Body {
    /// The bundle, where the body is one.
    pub fn bundle(&self) -> Option<&Bundle> {
        if let Body::Bundle(bundle) = self { Some(bundle) } else { None }
    }
}

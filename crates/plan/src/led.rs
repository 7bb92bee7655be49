//! A kernel led by a small one: every workgroup first does all of the small one for itself, and hands on what it makes
//! in shared memory (a prologue of several passes, such as a norm before a GEMV).
//!
//! Input: two kernels with schedules, of which the second reads what the first makes; the first, the *lead*, has one
//! workgroup, of as many threads. Output: one plan. What the lead makes for others too is stored by the first
//! workgroup alone.
//!
//! Worked example: `y = norm(x + z)·W` of one token, `[1, 2048]·[2048, 8192]` bf16: 128 workgroups read x and z, 8 KiB,
//! each finds the norm and lays its 2048 elements down in 4 KiB of shared memory; the first stores x + z, which the
//! next residual reads. A launch and a trip through memory less.
//!
//! Limits: known sizes; the lead overwrites nothing that it reads.

use crate::kernel::{Body, Buffer, KernelPlan};

/// The two kernels.
#[derive(Clone, Debug)]
pub struct Led {
    /// Of one workgroup.
    pub lead: LedPart,
    pub then: LedPart,
    /// Buffers in shared memory, which the lead writes and the other reads.
    pub handed: Vec<Buffer>,
}

/// A kernel and what its buffers are.
#[derive(Clone, Debug)]
pub struct LedPart {
    /// With its schedule, over buffers of its own.
    pub plan: KernelPlan,
    /// Of each of its buffers.
    pub places: Vec<LedPlace>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LedPlace {
    /// A buffer of the whole.
    Whole(u32),
    /// One in shared memory, by number.
    Handed(u32),
}

impl LedPart {
    /// Of its own buffers, which are `given` among those of the whole.
    pub fn given(&self, given: &[bool]) -> Vec<bool> {
        let is_given = |place: &LedPlace| match place {
            LedPlace::Whole(at) => given.get(*at as usize) == Some(&true),
            LedPlace::Handed(_) => false,
        };
        self.places.iter().map(is_given).collect()
    }

    /// Renumbers the buffers of the whole: `b` becomes `to[b]`.
    pub(crate) fn renumber(&mut self, to: &[u32]) {
        for place in &mut self.places {
            if let LedPlace::Whole(at) = place {
                *at = to.get(*at as usize).copied().unwrap_or(*at);
            }
        }
    }
}

impl Led {
    /// Both, in their order.
    pub fn parts(&self) -> [&LedPart; 2] {
        [&self.lead, &self.then]
    }

    /// Bytes that the launch must read and write.
    pub(crate) fn bytes_moved(&self) -> u64 {
        let bytes = |b: &Buffer| (b.elements.max(0) as u64).saturating_mul(b.element.storage_bytes() as u64);
        let handed = self.handed.iter().map(bytes).fold(0, u64::saturating_add);
        let all = self.parts().iter().map(|part| part.plan.bytes_moved()).fold(0, u64::saturating_add);
        all.saturating_sub(handed.saturating_mul(2))
    }
}

impl PartialEq for Led {
    fn eq(&self, other: &Led) -> bool {
        let text = |led: &Led| led.parts().map(|part| (part.plan.canonical(), part.places.clone()));
        self.handed == other.handed && text(self) == text(other)
    }
}

impl Eq for Led {}

impl Body {
    /// The two kernels, where the body is of a led one.
    pub fn led(&self) -> Option<&Led> {
        if let Body::Led(led) = self { Some(led) } else { None }
    }
}

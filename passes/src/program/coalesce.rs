//! What the body of a loop gives back for a value that it carries, made where that is: no copy at the end of a round.
//!
//! A model:
//! ```mlir
//! func.func @main(%arg0: tensor<5xf32>) -> tensor<5xf32> {
//!   %0 = stablehlo.constant dense<0> : tensor<i32>
//!   %1 = stablehlo.constant dense<7> : tensor<i32>
//!   %2:2 = stablehlo.while(%i = %0, %x = %arg0) : tensor<i32>, tensor<5xf32>
//!   cond {
//!     %3 = stablehlo.compare LT, %i, %1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
//!     stablehlo.return %3 : tensor<i1>
//!   } do {
//!     %3 = stablehlo.constant dense<1> : tensor<i32>
//!     %4 = stablehlo.add %i, %3 : tensor<i32>
//!     %5 = stablehlo.sine %x : tensor<5xf32>
//!     stablehlo.return %4, %5 : tensor<i32>, tensor<5xf32>
//!   }
//!   return %2#1 : tensor<5xf32>
//! }
//! ```
//! Before:
//! ```text
//! kernel loop_0_sine
//! @main: 1 inputs, 1 outputs, arena 512 bytes (24 without sharing)
//!   copy input 0 +0 20B -> output 0 +0 20B
//!   repeat 7 times {
//!     dispatch loop_0_sine grid 1 [output 0 +0 20B, -> arena +0 20B]
//!     copy arena +0 20B -> output 0 +0 20B
//!   }
//! ```
//! After:
//! ```text
//! kernel loop_1_sine
//! @main: 1 inputs, 1 outputs, arena 256 bytes (4 without sharing)
//!   copy input 0 +0 20B -> output 0 +0 20B
//!   repeat 7 times {
//!     dispatch loop_1_sine grid 1 [output 0 +0 20B, -> output 0 +0 20B]
//!   }
//! ```
//!
//! Input: the steps of a body, the copies into the carried buffers last. Output: the same steps without those copies
//! whose source one kernel of the body writes, and whose target nothing names behind that kernel: it writes the target.
//! If it reads the target itself, it must make each element from the same element of it (`Access::Overwritten`), as
//! `donate` asks of inputs that are given away.
//!
//! Worked example: `t := f(x); x := t` with f elementwise is `x := f(x)`. With `u := g(x)` between the two it is not.

use fornax_plan::{Access, KernelPlan, Node};

use super::commands::Builder;
use super::rounds::accesses;
use super::sizes::Bytes;
use super::launch::{Copies, Launch, Step};
use super::storage::{Place, Source};
use super::stores::stores_by_element;
use crate::errors::PassError;

impl Builder<'_, '_> {
    /// Takes out the copies at the end of `body` that need not be.
    pub(super) fn coalesce(&mut self, body: &mut Vec<Step>) -> Result<(), PassError> {
        let mut at = if self.planner.has("coalesce") { body.len() } else { 0 };
        while at > 0 {
            at -= 1;
            let Some(Copies { from, to, .. }) = body[at].copied() else { break };
            if self.elide(body, at, (from, to))? {
                body.remove(at);
            }
        }
        Ok(())
    }

    /// Lets the kernel that writes `from` write `to`; `at` is the copy.
    fn elide(&mut self, body: &mut [Step], at: usize, (from, to): (Source, Source)) -> Result<bool, PassError> {
        let (Some(Place::Arena(number)), Some(target)) = (self.storage.place(from), self.storage.place(to)) else {
            return Ok(false);
        };
        let source = Place::Arena(number);
        let bytes = self.storage.bytes(self.planner, from)?;
        let in_a_row = self.storage.rows.iter().flatten().any(|&other| other == number);
        // A carried value's buffer, or one that another value has become, stays.
        let names_of_it = self.storage.places.values().filter(|place| **place == source).count();
        if names_of_it != 1
            || in_a_row
            || source == target
            || matches!(to, Source::Output(_))
            || bytes != self.storage.bytes(self.planner, to)?
        {
            return Ok(false);
        }
        let names = |step: &Step, place: Place| {
            let mut found = false;
            accesses(step, &mut |source, _| found |= self.storage.place(source) == Some(place));
            found
        };
        let Some(writer) = body.iter().position(|step| names(step, source)) else { return Ok(false) };
        let later = (writer + 1..body.len()).filter(|&step| step != at);
        if writer >= at || later.into_iter().any(|step| names(&body[step], target)) {
            return Ok(false);
        }
        let Step::Launch(launch) = &body[writer] else { return Ok(false) };
        let Some(plan) = self.planner.planned.kernels.get(launch.kernel as usize) else { return Ok(false) };
        let buffers = |place: Place| -> Vec<u32> {
            let held = (0..).zip(&launch.values).filter(|(_, (source, _))| self.storage.place(*source) == Some(place));
            held.map(|(number, _)| number).collect()
        };
        let (written, read) = (buffers(source), buffers(target));
        let &[written] = written.as_slice() else { return Ok(false) };
        let access = |buffer: u32| plan.buffers.get(buffer as usize).map(|b| b.access);
        // Where several kernels write a value each only begins it.
        let others = (writer + 1..at).any(|step| match &body[step] {
            Step::Launch(launch) => launch.values.iter().any(|&(s, access)| {
                self.storage.place(s) == Some(source) && !matches!(access, Access::Read | Access::Guard)
            }),
            _ => false,
        });
        if access(written) != Some(Access::Write) || others || !overwrites(plan, written, &read) {
            return Ok(false);
        }
        if !read.is_empty() {
            let mut plan = plan.clone();
            read.iter().for_each(|&buffer| plan.buffers[buffer as usize].access = Access::Overwritten);
            let kernel = self.planner.kernel_instead(plan, &[launch.kernel])?;
            if let Step::Launch(Launch { kernel: own, values, .. }) = &mut body[writer] {
                *own = kernel;
                read.iter().for_each(|&buffer| values[buffer as usize].1 = Access::Overwritten);
            }
        }
        self.storage.places.insert(from, target);
        self.storage.intervals[number].bytes = Bytes::Fixed(0);
        Ok(true)
    }
}

/// Whether a kernel may write buffer `written` into the place of those of `read`.
fn overwrites(plan: &KernelPlan, written: u32, read: &[u32]) -> bool {
    if read.is_empty() {
        return true;
    }
    let Some(stores) = stores_by_element(plan) else { return false };
    let Some(store) = stores.iter().find(|s| s.buffer == written) else { return false };
    let alike = |&buffer: &u32| {
        let (a, b) = (&plan.buffers[buffer as usize], &plan.buffers[written as usize]);
        (a.element, a.elements, a.access) == (b.element, b.elements, Access::Read)
    };
    let same = |node: &fornax_plan::NodeId| match plan.exprs.node(*node) {
        Node::Load { buffer, offset, .. } if read.contains(buffer) => *offset == store.offset,
        _ => true,
    };
    stores.iter().all(|other| other.offset == store.offset)
        && read.iter().all(alike)
        && plan.reached().nodes.iter().all(same)
}

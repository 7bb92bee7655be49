//! A small kernel written inside another: what each workgroup does first (`fornax_plan::led`).
//!
//! Input: the lead's plan and its buffers, at the place where what it reads is there: behind the wait for the kernels
//! before, if the kernel waits by itself. Output: its code, then a barrier; what was bound and known of the kernel
//! around it is there again.
//!
//! To the lead every workgroup is the only one; the first alone stores into buffers of the launch. Its arrays of shared
//! memory are those that are declared next: the kernel around it may declare them again, since it writes there behind
//! the barrier.

use std::collections::BTreeSet;

use fornax_plan::index::SizeId;
use fornax_plan::{KernelPlan, NodeId};

use crate::abi::Part;
use crate::emitter::{Emitter, Known};
use crate::errors::EmitError;
use crate::text::{Scalar, Value};

/// How a workgroup is the only one: numbers are remainders by 1.
const ALONE: Part = Part { first: 0, workgroups: 1, launches: 2 };

/// A lead that is to be written where its kernel waits for those before it.
#[derive(Clone)]
pub struct Lead<'a> {
    pub plan: &'a KernelPlan,
    /// Of each buffer: what the launch gave, or an array of shared memory.
    pub buffers: Vec<Value>,
    /// Writes the body of the plan that an emitter has.
    pub emit: fn(&mut Emitter<'a>) -> Result<(), EmitError>,
}

/// What an emitter has of a kernel while it writes another one inside it.
struct Suspended<'a> {
    plan: &'a KernelPlan,
    known: Known,
    buffers: Vec<Value>,
    given: Vec<Value>,
    index: Scalar,
    lanes: u32,
    assumed: Option<(SizeId, i64)>,
    loose: BTreeSet<NodeId>,
    differences: BTreeSet<NodeId>,
}

impl<'a> Emitter<'a> {
    /// Writes the lead, if the kernel has one. Its buffers are `seen` so.
    ///
    /// # Errors
    /// Those of its emission.
    pub fn write_lead(&mut self, seen: fn(&mut Self, Value) -> Value) -> Result<(), EmitError> {
        let Some(Lead { plan, buffers, emit }) = self.lead.clone() else { return Ok(()) };
        let group = self.abi.workgroup_of_all(&mut self.code);
        let first = self.code.cmp_ik("eq", group, 0);
        let buffers = buffers.into_iter().map(|buffer| seen(self, buffer)).collect();
        let outer = self.suspend();
        self.begin_part(plan, buffers);
        let machine = self.abi.begin_lead(ALONE);
        self.storing = Some(first);
        let written = emit(self);
        self.storing = None;
        self.abi.end_lead(machine);
        self.resume(outer);
        written?;
        self.abi.barrier(&mut self.code);
        Ok(())
    }

    fn suspend(&mut self) -> Suspended<'a> {
        Suspended {
            plan: self.plan,
            known: std::mem::take(&mut self.known),
            buffers: self.buffers.clone(),
            given: self.given.clone(),
            index: self.index,
            lanes: self.lanes,
            assumed: self.assumed,
            loose: std::mem::take(&mut self.loose),
            differences: std::mem::take(&mut self.differences),
        }
    }

    fn resume(&mut self, outer: Suspended<'a>) {
        self.turn_to(outer.plan);
        (self.known, self.buffers, self.given) = (outer.known, outer.buffers, outer.given);
        (self.index, self.lanes, self.assumed) = (outer.index, outer.lanes, outer.assumed);
        (self.loose, self.differences) = (outer.loose, outer.differences);
    }

    /// What follows is done only where stores by this pointer are done, if that is not everywhere: the caller ends it
    /// then.
    pub(crate) fn begin_if_storing(&mut self, pointer: Value) -> bool {
        let Some(storing) = self.storing.filter(|_| !pointer.ty.is_shared()) else { return false };
        self.code.begin_if(storing, &[]);
        true
    }
}

//! What a function does before its buffers have offsets: launches, copies, loops and branches. The passes over whole
//! functions rewrite these.

use fornax_graph::{ElementType, OpId, ValueId};
use fornax_kernels::scheduled::{Bound, Prepare, Scheduled};
use fornax_module::collective::Collective;
use fornax_module::program::{Command, ExprId};
use fornax_plan::{Access as PlanAccess, KernelPlan};

use super::commands::Builder;
use super::sizes::Bytes;
use super::storage::Source;
use super::trace::Origin;
use super::{in_place, share_copies};
use crate::errors::PassError;
use crate::remarks::{Reason, UPDATED_KEPT};
use crate::schedule::schedule;

/// A launch before its buffers have offsets.
pub(super) struct Launch {
    pub(super) kernel: u32,
    pub(super) grid: [ExprId; 3],
    pub(super) values: Vec<(Source, PlanAccess)>,
    /// Values of the kernel's size parameters.
    pub(super) sizes: Vec<ExprId>,
    /// The kernel without a guard, in loops of known length.
    pub(super) plan: Option<Box<KernelPlan>>,
    /// What it copies, if it only does that.
    pub(super) copies: Option<Copies>,
    /// `None`: it computes no group of the graph.
    pub(super) origin: Option<Origin>,
    /// Of the launches that became one in this.
    pub(super) bundled: Vec<Origin>,
    /// The step (by the clock) that it was, or the first of those that became one in it, and the last of them.
    pub(super) clock: usize,
    pub(super) until: usize,
}

/// A copy of one buffer to another, and the reason that there is one.
#[derive(Clone, Copy)]
pub(super) struct Copies {
    pub(super) from: Source,
    pub(super) to: Source,
    pub(super) why: &'static Reason,
}

/// A command before its buffers have offsets.
pub(super) enum Step {
    Launch(Launch),
    /// Sets the one byte of a buffer.
    Set {
        to: Source,
        byte: u8,
    },
    Copy(Copies),
    /// Devices work on each other's buffers. Several sources lie one behind the other ([`Storage::rows`]).
    ///
    /// [`Storage::rows`]: super::storage::Storage::rows
    Collective {
        collective: Box<Collective>,
        from: Vec<Source>,
        to: Source,
    },
    /// Calls a function of the host by its number.
    HostCall {
        number: u64,
        from: Vec<Source>,
        to: Vec<Source>,
    },
    /// Writes which replica or partition the device is.
    DeviceId {
        to: Source,
        divisor: u32,
        modulus: u32,
    },
    /// A command without buffers.
    Plain(Command),
    /// Reads an integer of `element` into a slot.
    Read {
        slot: u32,
        source: Source,
        element: ElementType,
        range: (i64, i64),
    },
    If {
        predicate: Source,
        then_steps: Vec<Step>,
        else_steps: Vec<Step>,
    },
    While {
        condition: Vec<Step>,
        predicate: Source,
        body: Vec<Step>,
        guarded: bool,
    },
    Repeat {
        count: u64,
        body: Vec<Step>,
        rounds: Rounds,
        /// The loop's number where its body is written out, a round after another.
        written_out: Option<usize>,
    },
}

/// What is known of a loop of known length.
pub(super) struct Rounds {
    /// Numbers of problems that its carried values may hold next to each other, the likely ones first.
    pub(super) problems: Vec<i64>,
    /// The number that counts them.
    pub(super) counter: Option<Counter>,
    /// All numbers that go on by the same step in every round, the counter among them.
    pub(super) steady: Vec<Counter>,
    /// Steps (by the clock) from the copies before the loop to its end.
    pub(super) from: usize,
    pub(super) to: usize,
}

impl Step {
    /// The step with each block in it as `change` makes it.
    pub(super) fn with_blocks(
        self,
        change: &mut dyn FnMut(Vec<Step>) -> Result<Vec<Step>, PassError>,
    ) -> Result<Step, PassError> {
        Ok(match self {
            Step::Repeat { count, body, rounds, written_out } => {
                Step::Repeat { count, body: change(body)?, rounds, written_out }
            }
            Step::If { predicate, then_steps, else_steps } => {
                Step::If { predicate, then_steps: change(then_steps)?, else_steps: change(else_steps)? }
            }
            Step::While { condition, predicate, body, guarded } => {
                Step::While { condition: change(condition)?, predicate, body: change(body)?, guarded }
            }
            other => other,
        })
    }

    /// What it copies, if it does only that.
    pub(super) fn copied(&self) -> Option<Copies> {
        match self {
            Step::Copy(copies) => Some(*copies),
            Step::Launch(launch) => launch.copies,
            _ => None,
        }
    }
}

/// What counts the rounds of a loop: an argument of its body, what that is in the first round, and by how much it goes
/// on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counter {
    pub argument: ValueId,
    pub start: i128,
    pub step: i128,
}

impl Builder<'_, '_> {
    /// The kernels of a fusion op: those that run before the main one, others, the main one.
    pub(super) fn launch(&mut self, op: OpId, steps: &mut Vec<Step>) -> Result<(), PassError> {
        let graph = self.planner.graph;
        let data = graph.op(op);
        let constant = |n: usize| {
            let value = data.operands.get(n).map(|&v| Source::Value(self.storage.resolve(v)));
            value.is_some_and(|v| self.storage.is_same_in_every_call(v))
        };
        let (target, options) = (self.planner.target, &self.planner.options);
        let scheduled = schedule(graph, op, target, options, &constant)?;
        self.planner.note_whole_writes(op)?;
        let Some(Scheduled { plan, others, bound, prepare, ignored }) = scheduled else { return Ok(()) };
        if let Some(way) = ignored {
            let note = format!("the tuning asks for `{way}`, which this compiler does not make for {}", target.name);
            self.planner.planned.notes.push(note);
        }
        let only_read = share_copies::only_read(&prepare, others.iter().chain([&plan]), &bound);
        let prepared = self.prepare(op, prepare, &only_read, steps)?;
        let sources = self.sources(op, &bound, &prepared)?;
        for plan in others.into_iter().chain([plan]) {
            self.run(plan, &sources, Some(Origin { op, bound: bound.clone(), around: Vec::new() }), steps)?;
        }
        Ok(())
    }

    /// The kernels before the main one of `op`; where what they prepare is.
    fn prepare(
        &mut self,
        op: OpId,
        prepare: Vec<Prepare>,
        only_read: &[bool],
        steps: &mut Vec<Step>,
    ) -> Result<Vec<Source>, PassError> {
        let temporary = |p: &Prepare| self.storage.temporary(Bytes::Fixed(p.bytes()));
        let mut prepared: Vec<Source> = prepare.iter().map(temporary).collect();
        for (at, (before, &only_read)) in prepare.into_iter().zip(only_read).enumerate() {
            if let Some(copy) = self.copy_of(op, &before, &prepared).filter(|_| only_read) {
                if let Some(&made) = self.copies.get(&copy) {
                    prepared[at] = made;
                    continue;
                }
                self.copies.insert(copy, prepared[at]);
            }
            let sources = self.sources(op, &before.bound, &prepared)?;
            // What is updated is copied before, unless both are one buffer.
            if let ([from, to], true) = (sources.as_slice(), in_place::is_copy(&before)) {
                self.copy(*from, *to, steps, UPDATED_KEPT)?;
                continue;
            }
            // Results that a kernel before only begins are none yet.
            let begun = |b| if matches!(b, Bound::Result(_)) { Bound::Prepared(prepared.len()) } else { b };
            let seen = before.bound.into_iter().map(begun).collect();
            self.run(before.plan, &sources, Some(Origin { op, bound: seen, around: Vec::new() }), steps)?;
        }
        Ok(prepared)
    }

    /// What the buffers of a kernel of fusion op `op` are.
    fn sources(&self, op: OpId, bound: &[Bound], prepared: &[Source]) -> Result<Vec<Source>, PassError> {
        let data = self.planner.graph.op(op);
        let source = |bound: &Bound| match *bound {
            Bound::Operand(n) => data.operands.get(n).map(|&v| Source::Value(self.storage.resolve(v))),
            Bound::Result(n) => data.results.get(n).map(|&v| Source::Value(self.storage.resolve(v))),
            Bound::Prepared(n) => prepared.get(n).copied(),
        };
        let broken = || PassError::internal(self.planner.graph, op, "a buffer of no operand");
        bound.iter().map(|b| source(b).ok_or_else(broken)).collect()
    }
}

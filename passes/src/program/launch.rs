//! What a function does before its buffers have offsets: launches, copies, loops and branches. The passes over whole
//! functions rewrite these.

use fornax_graph::{ElementType, ValueId};
use fornax_module::collective::Collective;
use fornax_module::program::{Command, ExprId};
use fornax_plan::{Access as PlanAccess, KernelPlan};

use super::storage::Source;
use super::trace::Origin;
use crate::errors::PassError;
use crate::remarks::Reason;

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
    /// Devices work on each other's buffers.
    Collective {
        collective: Box<Collective>,
        from: Source,
        to: Source,
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

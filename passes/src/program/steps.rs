//! Commands before their buffers have offsets, and the commands that they become.
//!
//! Input: the steps of a function, with values and temporaries for buffers; where intermediates lie in the arena.
//! Output: commands.

use fornax_graph::ElementType;
use fornax_module::program::{Binding, Command, ExprId};
use fornax_plan::{Access as PlanAccess, KernelPlan};

use super::commands::{Builder, push_block};
use super::storage::Source;
use super::trace::{Around, Origin};
use super::trips::Counter;
use crate::errors::PassError;
use crate::facts::ops::splat_bits;
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
    /// What it copies, if it does only that.
    pub(super) fn copied(&self) -> Option<Copies> {
        match self {
            Step::Copy(copies) => Some(*copies),
            Step::Launch(launch) => launch.copies,
            _ => None,
        }
    }
}

/// Numbers of the loops in these steps that are written out.
fn written_out_in(steps: &[Step]) -> Vec<usize> {
    let mut found = Vec::new();
    for step in steps {
        let blocks: [&[Step]; 2] = match step {
            Step::If { then_steps, else_steps, .. } => [then_steps, else_steps],
            Step::While { condition, body, .. } => [condition, body],
            Step::Repeat { body, written_out, .. } => {
                found.extend(*written_out);
                [body, &[]]
            }
            _ => continue,
        };
        found.extend(blocks.into_iter().flat_map(written_out_in));
    }
    found
}

impl Builder<'_, '_> {
    /// Steps as commands, once intermediates have offsets.
    pub(super) fn commands(&mut self, steps: &[Step], offsets: &[ExprId]) -> Result<Vec<Command>, PassError> {
        let mut commands = Vec::with_capacity(steps.len());
        for step in steps {
            if let Step::Repeat { count, body, written_out: Some(number), .. } = step {
                let outer = self.storage.again;
                for round in 0..*count as usize {
                    self.storage.again = outer || round > 0;
                    written_out_in(body).into_iter().for_each(|inner| self.storage.rounds[inner] = 0);
                    self.storage.rounds[*number] = round;
                    self.around.push(Around::Round { round: round as u64, count: *count });
                    commands.extend(self.commands(body, offsets)?);
                    self.around.pop();
                }
                self.storage.again = outer;
                self.storage.rounds[*number] = *count as usize;
                continue;
            }
            let copies = step.copied();
            commands.push(match step {
                Step::Launch(launch) => {
                    let around = self.around.clone();
                    let origin = launch.origin.clone().map(|origin| Origin { around, ..origin });
                    self.planner.origins.in_calls.push(origin);
                    self.dispatch(launch, offsets)?
                }
                Step::Copy(Copies { from, to, .. }) => self.copy_command(*from, *to, offsets)?,
                Step::Set { to, byte } => {
                    let target = self.storage.span(self.planner, *to, offsets)?;
                    Command::Fill { target, pattern: (*byte).into(), pattern_bytes: 1 }
                }
                Step::Plain(command) => command.clone(),
                &Step::Read { slot, source, element, range: (min, max) } => {
                    let source = self.storage.span(self.planner, source, offsets)?;
                    let (bytes, signed) = (element.storage_bytes() as u8, !element.is_unsigned());
                    Command::HostShape { slot, source, bytes, signed, min, max }
                }
                Step::If { predicate, then_steps, else_steps } => {
                    let predicate = self.storage.span(self.planner, *predicate, offsets)?;
                    self.around.push(Around::Unknown);
                    let then_commands = self.commands(then_steps, offsets)?;
                    let then_block = push_block(self.planner, then_commands);
                    let else_commands = self.commands(else_steps, offsets)?;
                    self.around.pop();
                    let else_block = push_block(self.planner, else_commands);
                    Command::If { predicate, then_block, else_block }
                }
                Step::Repeat { count, body, .. } => {
                    self.around.push(Around::Rounds(*count));
                    let body = self.commands(body, offsets)?;
                    self.around.pop();
                    Command::Repeat { count: *count, body: push_block(self.planner, body) }
                }
                Step::While { condition, predicate, body, guarded } => {
                    let predicate = self.storage.span(self.planner, *predicate, offsets)?;
                    self.around.push(Around::Unknown);
                    let condition = self.commands(condition, offsets)?;
                    let condition = push_block(self.planner, condition);
                    let body = self.commands(body, offsets)?;
                    self.around.pop();
                    let body = push_block(self.planner, body);
                    Command::While { condition, predicate, body, guarded: *guarded }
                }
            });
            // Once for all rounds that are written out.
            if let (Some(copies), Some(command), false) = (copies, commands.last(), self.storage.again) {
                self.planner.note_copy(&copies, command);
            }
        }
        Ok(commands)
    }

    pub(super) fn dispatch(&mut self, launch: &Launch, offsets: &[ExprId]) -> Result<Command, PassError> {
        let mut bindings = Vec::with_capacity(launch.values.len());
        for &(value, access) in &launch.values {
            let access = super::binding_access(access);
            bindings.push(Binding { span: self.storage.span(self.planner, value, offsets)?, access });
        }
        Ok(Command::Dispatch { kernel: launch.kernel, grid: launch.grid, bindings, constants: launch.sizes.clone() })
    }

    fn copy_command(&mut self, from: Source, to: Source, offsets: &[ExprId]) -> Result<Command, PassError> {
        let graph = self.planner.graph;
        let source = match from {
            Source::Value(value) => splat_bits(graph, value).zip(graph.ty(value).as_tensor()),
            _ => None,
        };
        let bytes = self.storage.bytes_or(self.planner, from, to)?;
        let target = self.storage.span_of(self.planner, to, bytes, offsets)?;
        Ok(match source {
            Some((pattern, ty)) => Command::Fill { target, pattern, pattern_bytes: ty.element.storage_bytes() as u8 },
            None => Command::Copy { source: self.storage.span(self.planner, from, offsets)?, target },
        })
    }
}

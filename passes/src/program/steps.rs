//! The steps of a function, and the commands that they become.
//!
//! Input: the steps of a function, with values and temporaries for buffers; where intermediates lie in the arena.
//! Output: commands.

use std::collections::HashSet;

use fornax_graph::ValueId;
use fornax_module::program::{Binding, Command, ExprId, Span};

use super::commands::{Builder, push_block};
use super::launch::{Copies, Launch, Step};
use super::storage::{Key, Source};
use super::trace::{Around, Origin};
use super::{announce, bundle, fuse_loop, lead, round_counters, round_rows, round_slices, round_turns};
use crate::errors::PassError;
use crate::facts::ops::splat_bits;

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
    /// Steps as the passes over whole functions leave them. `given` are the arguments that callers give away.
    pub(super) fn rearranged(&mut self, steps: Vec<Step>, given: &HashSet<ValueId>) -> Result<Vec<Step>, PassError> {
        let steps = self.clocked("fuse_loop", |b| fuse_loop::form(b, steps, given))?;
        let steps = self.clocked("round_slices", |b| round_slices::form(b, steps))?;
        let steps = self.clocked("round_rows", |b| round_rows::form(b, steps))?;
        let steps = self.clocked("round_counters", |b| round_counters::form(b, steps))?;
        let steps = self.clocked("round_turns", |b| round_turns::form(b, steps))?;
        let given: HashSet<Key> = given.iter().map(|&value| self.storage.key(Source::Value(value))).collect();
        let steps = self.clocked("bundle", |b| {
            bundle::form(&mut bundle::Forming { planner: b.planner, storage: &mut b.storage, given: &given }, steps)
        })?;
        let steps = self.clocked("lead", |b| {
            lead::form(&mut bundle::Forming { planner: b.planner, storage: &mut b.storage, given: &given }, steps)
        })?;
        self.clocked("announce", |b| {
            announce::form(&mut bundle::Forming { planner: b.planner, storage: &mut b.storage, given: &given }, steps)
        })
    }

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
                    let origins = launch.origin.iter().chain(&launch.bundled);
                    let origins = origins.map(|origin| Origin { around: around.clone(), ..origin.clone() }).collect();
                    self.planner.origins.in_calls.push(origins);
                    self.dispatch(launch, offsets)?
                }
                Step::Copy(Copies { from, to, .. }) => self.copy_command(*from, *to, offsets)?,
                Step::Set { to, byte } => {
                    let target = self.storage.span(self.planner, *to, offsets)?;
                    Command::Fill { target, pattern: (*byte).into(), pattern_bytes: 1 }
                }
                Step::Plain(command) => command.clone(),
                Step::Collective { collective, from, to } => Command::Collective {
                    collective: (**collective).clone(),
                    source: self.storage.row_span(self.planner, from, offsets)?,
                    target: self.storage.span(self.planner, *to, offsets)?,
                },
                Step::HostCall { number, from, to } => {
                    let mut spans = |sources: &[Source]| -> Result<Vec<Span>, PassError> {
                        sources.iter().map(|&source| self.storage.span(self.planner, source, offsets)).collect()
                    };
                    Command::HostCall { number: *number, operands: spans(from)?, results: spans(to)? }
                }
                &Step::DeviceId { to, divisor, modulus } => {
                    let target = self.storage.span(self.planner, to, offsets)?;
                    Command::DeviceId { target, divisor, modulus }
                }
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

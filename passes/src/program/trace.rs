//! Which fusion op each launch of a program computes: what `fornax verify` compares it by.
//!
//! Input: as [`crate::plan()`]. Output: [`Traced`]: the program, the graph that it was made of (groups of attention
//! that the target has no kernel for expanded) and, for every dispatch by block and place in it, the fusion op and what
//! the kernel's buffers are of it.
//!
//! How: commands are made in one walk over the function, so launches noted in the order in which they become commands
//! are those of the same walk over the finished blocks; launches of the load block are a list of their own.

use fornax_graph::{Graph, OpId};
use fornax_module::program::{BlockId, Command, Program};
use fornax_targets::Target;

use super::observe::Clock;
use super::{Options, Planned, Whole, planned};
use crate::errors::PassError;
pub use fornax_kernels::scheduled::Bound;

/// What a launch is of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The fusion op.
    pub op: OpId,
    /// What the kernel's buffers are of it, in order.
    pub bound: Vec<Bound>,
    /// What is around the launch, the outermost first.
    pub around: Vec<Around>,
}

/// A loop or a branch around a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Around {
    /// One round of a loop that is written out, and how many it has.
    Round { round: u64, count: u64 },
    /// A loop of so many rounds.
    Rounds(u64),
    /// A loop or a branch that may be left or not.
    Unknown,
}

impl Origin {
    /// Whether it can be told which times are this launch's: within a round that is written out, nothing may be left.
    pub fn is_told(&self) -> bool {
        let first = self.around.iter().position(|around| matches!(around, Around::Round { .. }));
        !self.around[first.unwrap_or(self.around.len())..].contains(&Around::Unknown)
    }

    /// Whether the n-th time that the op is computed is one of this launch; `None` where that cannot be told.
    pub fn is_of(&self, mut n: u64) -> Option<bool> {
        let mut outer = self.around.as_slice();
        while let Some((inner, rest)) = outer.split_last() {
            match *inner {
                Around::Round { round, count } if n % count.max(1) != round => return Some(false),
                Around::Round { count, .. } | Around::Rounds(count) => n /= count.max(1),
                Around::Unknown if rest.iter().any(|around| matches!(around, Around::Round { .. })) => return None,
                Around::Unknown => return Some(true),
            }
            outer = rest;
        }
        Some(true)
    }
}

/// Launches in the order in which they became commands: what each computes, a group, none, or those of a bundle.
#[derive(Clone, Debug, Default)]
pub(super) struct Origins {
    pub at_load: Vec<Vec<Origin>>,
    pub in_calls: Vec<Vec<Origin>>,
}

/// A dispatch and its place in the program; a bundle is one for each of its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    pub block: BlockId,
    pub command: u32,
    pub kernel: u32,
    pub origin: Origin,
}

/// A planned program with its origins.
pub struct Traced {
    pub planned: Planned,
    pub graph: Graph,
    pub launches: Vec<Launch>,
}

/// Plans a graph as [`super::plan_groups`] and tells what every launch is of.
///
/// # Errors
/// As [`crate::plan()`].
pub(crate) fn plan_groups_traced(graph: Graph, target: &Target, options: &Options) -> Result<Traced, PassError> {
    // Values are compared as callers know them.
    let mut options = options.clone();
    options.without.push("row_pitch".to_string());
    let Whole { planned, origins, .. } = planned(&graph, target, &options, None, Clock::default())?;
    let mut launches = Vec::new();
    let mut in_calls = origins.in_calls.into_iter();
    for function in &planned.program.functions {
        walk(&planned.program, function.body, &mut in_calls, &mut launches);
    }
    if let Some(block) = planned.program.load {
        walk(&planned.program, block, &mut origins.at_load.into_iter(), &mut launches);
    }
    Ok(Traced { planned, graph, launches })
}

fn walk(program: &Program, block: BlockId, origins: &mut dyn Iterator<Item = Vec<Origin>>, launches: &mut Vec<Launch>) {
    let commands = program.blocks.get(block as usize).map(|b| b.commands.as_slice()).unwrap_or_default();
    for (at, command) in (0..).zip(commands) {
        match command {
            Command::Dispatch { kernel, .. } => {
                let all = origins.next().unwrap_or_default().into_iter();
                launches.extend(all.map(|origin| Launch { block, command: at, kernel: *kernel, origin }));
            }
            Command::If { then_block, else_block, .. } => {
                walk(program, *then_block, origins, launches);
                walk(program, *else_block, origins, launches);
            }
            Command::While { condition, body, .. } => {
                walk(program, *condition, origins, launches);
                walk(program, *body, origins, launches);
            }
            Command::Repeat { body, .. } => walk(program, *body, origins, launches),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fornax_graph::OpId;

    #[test]
    fn rounds_that_are_written_out_are_told_apart() {
        let of = |around: &[Around]| Origin { op: OpId(0), bound: Vec::new(), around: around.to_vec() };
        let round = |round, count| Around::Round { round, count };
        let all = |around: &[Around], n: u64| (0..n).map(|n| of(around).is_of(n)).collect::<Vec<_>>();
        let yes = |places: &[u64], n: u64| (0..n).map(|n| Some(places.contains(&n))).collect::<Vec<_>>();
        assert_eq!(all(&[], 2), yes(&[0, 1], 2));
        assert_eq!(all(&[round(1, 3)], 3), yes(&[1], 3));
        // Two rounds outside, three inside; the other way round; in a loop of unknown length.
        assert_eq!(all(&[Around::Rounds(2), round(1, 3)], 6), yes(&[1, 4], 6));
        assert_eq!(all(&[round(1, 2), Around::Rounds(3)], 6), yes(&[3, 4, 5], 6));
        assert_eq!(all(&[Around::Unknown, round(0, 2)], 4), yes(&[0, 2], 4));
        assert_eq!(of(&[round(0, 2), Around::Unknown]).is_of(1), None);
        assert!(!of(&[round(0, 2), Around::Unknown, round(1, 3)]).is_told());
        assert!(of(&[Around::Unknown, round(1, 3)]).is_told());
    }
}

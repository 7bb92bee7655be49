//! Which parameters of a module a program reads in calls, and which at load alone: these are given back when the load
//! is over.
//!
//! Worked example: the load block transposes parameter 0 and packs parameter 1, and the functions read the results and
//! parameter 2. Then 2 is there before the load and stays. 0 comes before the first command and goes behind it, 1
//! comes before the second one: both are never there together.

use std::collections::{BTreeMap, BTreeSet};

use crate::program::{Command, Program, Space, Span};

/// The numbers of load commands that read a parameter first and last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Reads {
    first: usize,
    last: usize,
}

/// When parameters are read, by their number in the manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParameterReads {
    in_calls: Vec<bool>,
    /// Of those that the load alone reads, by its commands: which it reads first there, and last.
    first: BTreeMap<usize, Vec<usize>>,
    last: BTreeMap<usize, Vec<usize>>,
}

impl Program {
    /// When each of `count` parameters is read.
    pub fn parameter_reads(&self, count: usize) -> ParameterReads {
        let (mut in_calls, mut at_load) = (vec![false; count], BTreeMap::<usize, Reads>::new());
        for (number, block) in (0u32..).zip(&self.blocks) {
            for (at, command) in block.commands.iter().enumerate() {
                for parameter in command.parameters().into_iter().map(|parameter| parameter as usize) {
                    if self.load == Some(number) {
                        at_load.entry(parameter).or_insert(Reads { first: at, last: at }).last = at;
                    } else if let Some(read) = in_calls.get_mut(parameter) {
                        *read = true;
                    }
                }
            }
        }
        let mut reads = ParameterReads { in_calls, first: BTreeMap::new(), last: BTreeMap::new() };
        for (parameter, Reads { first, last }) in at_load {
            if !reads.in_calls(parameter) {
                reads.first.entry(first).or_default().push(parameter);
                reads.last.entry(last).or_default().push(parameter);
            }
        }
        reads
    }
}

impl ParameterReads {
    /// Whether calls read a parameter: it stays. So does one that is not among those asked for.
    pub fn in_calls(&self, parameter: usize) -> bool {
        self.in_calls.get(parameter).copied().unwrap_or(true)
    }

    /// Parameters that the load alone reads, and first with its command `at`.
    pub fn first_at(&self, at: usize) -> &[usize] {
        self.first.get(&at).map_or(&[], Vec::as_slice)
    }

    /// Those that it reads last with its command `at`.
    pub fn last_at(&self, at: usize) -> &[usize] {
        self.last.get(&at).map_or(&[], Vec::as_slice)
    }

    /// Bytes that those take which the load alone reads, where each block of memory is used again for others of its
    /// size, and kept until the load is over. `bytes` are those of a parameter's block.
    pub fn bytes_at_load(&self, bytes: &dyn Fn(usize) -> u64) -> u64 {
        let mut held: BTreeMap<u64, Held> = BTreeMap::new();
        for at in self.first.keys().chain(self.last.keys()).copied().collect::<BTreeSet<usize>>() {
            for &parameter in self.first_at(at) {
                let held = held.entry(bytes(parameter)).or_default();
                held.now += 1;
                held.most = held.most.max(held.now);
            }
            for &parameter in self.last_at(at) {
                let held = held.entry(bytes(parameter)).or_default();
                held.now = held.now.saturating_sub(1);
            }
        }
        held.iter().fold(0, |sum, (bytes, held)| sum.saturating_add(bytes.saturating_mul(held.most)))
    }
}

/// Blocks of one size.
#[derive(Default)]
struct Held {
    now: u64,
    most: u64,
}

impl Command {
    /// What a command itself reads and writes; what its blocks do is theirs.
    pub fn spans(&self) -> Vec<&Span> {
        match self {
            Command::Dispatch { bindings, .. } => bindings.iter().map(|binding| &binding.span).collect(),
            Command::Copy { source, target } | Command::Collective { source, target, .. } => vec![source, target],
            Command::Fill { target, .. } | Command::DeviceId { target, .. } => vec![target],
            Command::Call { arguments, .. } => arguments.iter().collect(),
            Command::If { predicate, .. } | Command::While { predicate, .. } => vec![predicate],
            Command::HostShape { source, .. } => vec![source],
            Command::HostCall { operands, results, .. } => operands.iter().chain(results).collect(),
            Command::Repeat { .. } | Command::Require { .. } => Vec::new(),
        }
    }

    /// The parameters among them.
    fn parameters(&self) -> Vec<u32> {
        let parameter = |span: &Span| match span.space {
            Space::Parameter(number) => Some(number),
            _ => None,
        };
        self.spans().into_iter().filter_map(parameter).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::Block;

    fn copy(parameters: &[u32]) -> Command {
        let span = |number: &u32| Span { space: Space::Parameter(*number), offset: 0, length: 0 };
        Command::HostCall { number: 0, operands: parameters.iter().map(span).collect(), results: Vec::new() }
    }

    fn program(load: &[&[u32]], call: &[u32]) -> Program {
        let block = |all: &[&[u32]]| Block { commands: all.iter().map(|parameters| copy(parameters)).collect() };
        Program { blocks: vec![block(&[call]), block(load)], load: Some(1), ..Program::default() }
    }

    #[test]
    fn what_the_load_alone_reads_comes_and_goes() {
        let reads = program(&[&[0], &[1, 3], &[0, 3], &[4]], &[2, 3]).parameter_reads(6);
        let in_calls: Vec<usize> = (0..7).filter(|&parameter| reads.in_calls(parameter)).collect();
        assert_eq!(in_calls, [2, 3, 6], "a number that nobody gave is taken for read");
        assert_eq!([0, 1, 2, 3].map(|at| reads.first_at(at)), [&[0][..], &[1], &[], &[4]]);
        assert_eq!([0, 1, 2, 3].map(|at| reads.last_at(at)), [&[][..], &[1], &[0], &[4]]);
    }

    #[test]
    fn blocks_are_used_again_for_others_of_their_size() {
        let bytes = |parameter: usize| [100, 100, 100, 7][parameter];
        let one_by_one = program(&[&[0], &[1], &[2], &[3]], &[]).parameter_reads(4);
        assert_eq!(one_by_one.bytes_at_load(&bytes), 107);
        let together = program(&[&[0, 1], &[2, 1], &[3]], &[]).parameter_reads(4);
        assert_eq!(together.bytes_at_load(&bytes), 207);
        let in_calls = program(&[&[0], &[1]], &[0, 1, 2, 3]).parameter_reads(4);
        assert_eq!(in_calls.bytes_at_load(&bytes), 0);
    }
}

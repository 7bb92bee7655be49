//! Branches and loops of a command list, decided by the host: for devices that are the host, and for those that cannot
//! decide themselves.
//!
//! Input: a driver's way to queue one plain command and to look at one byte behind everything queued. The list is
//! walked; at every branch, and before every round of a loop of unknown length, the host looks. Nothing is recorded
//! again.
//!
//! A guarded loop changes nothing once its predicate is 0 (its kernels look first). So rounds are queued ahead, twice
//! as many each time: the host looks log2 of the rounds often, and waits for the device no oftener.
//!
//! Worked example: a `While` whose predicate is 1, 1, 0: condition, look, body, condition, look, body, condition, look.
//! Guarded, of five rounds: condition, round, look, two rounds, look, four rounds (of which two do nothing), look.

use super::{HalResult, RawCommand, RawDispatch, RawExchange};

/// A command without other commands in it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step<'a> {
    Dispatch(&'a RawDispatch),
    Copy { source: u64, target: u64, bytes: u64 },
    Fill { target: u64, bytes: u64, pattern: u64, pattern_bytes: u8 },
    Collective(&'a RawExchange),
}

/// What a driver gives for it.
pub(crate) trait Queue {
    fn queue(&self, step: Step<'_>) -> HalResult<()>;

    /// Whether the byte at `address` is not 0 once everything queued has run.
    fn read_flag(&self, address: u64) -> HalResult<bool>;
}

/// Commands of a guarded loop that are queued between two looks, at most, where that is more than one round.
const AHEAD: u64 = 2048;

/// Runs commands in order; deep nesting was refused when the module was read.
pub(crate) fn run(queue: &dyn Queue, commands: &[RawCommand]) -> HalResult<()> {
    for command in commands {
        match command {
            RawCommand::While { condition, predicate, body, guarded: true } => {
                run(queue, condition)?;
                let most = (AHEAD / length(body).saturating_add(length(condition)).max(1)).max(1);
                let mut rounds = 1;
                loop {
                    for _ in 0..rounds {
                        run(queue, body)?;
                        run(queue, condition)?;
                    }
                    if !queue.read_flag(*predicate)? {
                        break;
                    }
                    rounds = (rounds * 2).min(most);
                }
            }
            RawCommand::While { condition, predicate, body, guarded: false } => {
                run(queue, condition)?;
                while queue.read_flag(*predicate)? {
                    run(queue, body)?;
                    run(queue, condition)?;
                }
            }
            RawCommand::If { predicate, then, otherwise } => {
                run(queue, if queue.read_flag(*predicate)? { then } else { otherwise })?;
            }
            RawCommand::Repeat { count, body } => {
                for _ in 0..*count {
                    run(queue, body)?;
                }
            }
            RawCommand::Dispatch(dispatch) => queue.queue(Step::Dispatch(dispatch))?,
            RawCommand::Collective(exchange) => queue.queue(Step::Collective(exchange))?,
            &RawCommand::Copy { source, target, bytes } => queue.queue(Step::Copy { source, target, bytes })?,
            &RawCommand::Fill { target, bytes, pattern, pattern_bytes } => {
                queue.queue(Step::Fill { target, bytes, pattern, pattern_bytes })?;
            }
        }
    }
    Ok(())
}

/// Plain commands, those of a loop of known length as often as it runs.
pub(crate) fn length(commands: &[RawCommand]) -> u64 {
    commands.iter().fold(0, |sum: u64, command| {
        sum.saturating_add(match command {
            RawCommand::While { condition, body, .. } => length(condition).saturating_add(length(body)),
            RawCommand::If { then, otherwise, .. } => length(then).saturating_add(length(otherwise)),
            RawCommand::Repeat { count, body } => length(body).saturating_mul(*count),
            _ => 1,
        })
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::drivers::null::{Log, NullDevice};
    use crate::hal::{Buffer, Command, Device, HalErrorKind, Place};

    fn set(buffer: &Buffer, at: u64, value: u64) -> Command {
        Command::Fill { target: buffer.slice(at, 1), pattern: value, pattern_bytes: 1 }
    }

    fn copy(buffer: &Buffer, from: u64, to: u64, bytes: u64) -> Command {
        Command::Copy { source: buffer.slice(from, bytes), target: buffer.slice(to, bytes) }
    }

    /// A tape in bytes 16..: each round of a loop copies the next predicate from its front and moves it up.
    fn turn(buffer: &Buffer) -> Vec<Command> {
        vec![copy(buffer, 16, 0, 1), copy(buffer, 17, 40, 7), copy(buffer, 40, 16, 7)]
    }

    fn run(commands: &[Command], bytes: &[u8], device: &Device, buffer: &Buffer) -> Vec<u8> {
        device.upload(&buffer.slice(0, bytes.len() as u64), bytes).unwrap();
        let list = device.record(commands).unwrap();
        device.submit(&list).unwrap();
        let mut out = vec![0; bytes.len()];
        device.download(&buffer.slice(0, bytes.len() as u64), &mut out).unwrap();
        out
    }

    #[test]
    fn loops_run_as_often_as_their_predicate_says_and_look_once_a_round() {
        let log = Log::default();
        let device = Device::new(Arc::new(NullDevice::new(log.clone())));
        let buffer = device.allocate(64, Place::Device).unwrap();
        let looks = || log.lines().iter().filter(|line| *line == "look").count();
        for rounds in [0usize, 1, 3] {
            let mut bytes = vec![0; 64];
            bytes[16..16 + rounds].fill(1);
            // Each round moves a mark up a byte.
            bytes[48] = 9;
            let body = vec![copy(&buffer, 48, 56, 7), copy(&buffer, 56, 49, 7), set(&buffer, 48, 0)];
            let (condition, predicate) = (turn(&buffer), buffer.slice(0, 1));
            let round = Command::While { condition, predicate, body, guarded: false };
            let before = looks();
            let out = run(&[round], &bytes, &device, &buffer);
            assert_eq!(out[48 + rounds], 9, "{rounds}");
            assert_eq!(looks() - before, rounds + 1);
        }
    }

    #[test]
    fn guarded_loops_look_after_twice_as_many_rounds_each_time() {
        let log = Log::default();
        let device = Device::new(Arc::new(NullDevice::new(log.clone())));
        let buffer = device.allocate(64, Place::Device).unwrap();
        // The tape has a predicate a round; behind its end it stays 0, and nothing that a round writes is looked at.
        for (rounds, looks) in [(0usize, 1), (1, 1), (2, 2), (3, 2), (6, 3), (7, 3)] {
            let mut bytes = vec![0; 64];
            bytes[16..16 + rounds].fill(1);
            let tape =
                |last: u64| vec![copy(&buffer, 16, 0, 1), copy(&buffer, 17, 40, last), copy(&buffer, 40, 16, last)];
            let (condition, predicate) = (tape(8), buffer.slice(0, 1));
            let round = Command::While { condition, predicate, body: vec![set(&buffer, 60, 1)], guarded: true };
            let before = log.lines().iter().filter(|line| *line == "look").count();
            assert_eq!(run(&[round], &bytes, &device, &buffer)[0], 0);
            assert_eq!(log.lines().iter().filter(|line| *line == "look").count() - before, looks, "{rounds}");
        }
    }

    #[test]
    fn branches_loops_of_known_length_and_nesting() {
        let device = Device::new(Arc::new(NullDevice::new(Log::default())));
        let buffer = device.allocate(64, Place::Device).unwrap();
        for flag in [0u8, 1, 2] {
            // The branch overwrites its own predicate; both arms are not run.
            let yes = vec![set(&buffer, 0, 0), set(&buffer, 1, 7)];
            let branch = Command::If { predicate: buffer.slice(0, 1), then: yes, otherwise: vec![set(&buffer, 2, 8)] };
            let shift = vec![copy(&buffer, 1, 32, 2), copy(&buffer, 32, 3, 2)];
            let out = run(&[Command::Repeat { count: 3, body: vec![branch] }], &[flag, 0, 0], &device, &buffer);
            assert_eq!(out, if flag == 0 { [0, 0, 8] } else { [0, 7, 8] });
            let again = Command::Repeat { count: 2, body: shift };
            assert_eq!(run(&[again], &[0, 5, 6, 0, 0], &device, &buffer), [0, 5, 6, 5, 6]);
        }
        let empty = Command::If { predicate: buffer.slice(0, 1), then: vec![], otherwise: vec![] };
        device.submit(&device.record(&[empty]).unwrap()).unwrap();
        let wide = Command::If { predicate: buffer.slice(0, 2), then: turn(&buffer), otherwise: vec![] };
        assert_eq!(device.record(&[wide]).err().unwrap().kind(), HalErrorKind::InvalidArgument);
    }
}

//! Where the devices of a run meet on the host, for drivers whose collectives are done elsewhere (`nccl`).
//!
//! Input: what a device is about to do, and a word of it. Output: the words of all; an error that names who is at
//! something else, failed or did not come. [`Alerts`] keeps what a driver has to look at after every wait: a collective
//! ends for all, with an error, when one of them cannot go on.

use std::sync::{Mutex, PoisonError, Weak};
use std::time::Duration;

use crate::hal::{HalResult, RawCollective, RawCommand, RawExchange};

/// Devices as threads (`host_team`) or processes (`host_processes`).
pub(super) trait Rendezvous: RawCollective {
    /// Gives a word to all others, who are at the same thing, and gets theirs, by device.
    fn meet_all(&self, what: &str, word: [u8; 32], timeout: Duration) -> HalResult<Vec<[u8; 32]>>;

    /// What is known of a device that cannot go on. Does not wait.
    fn lost(&self) -> Option<String>;
}

/// Something that may have given up.
pub(super) trait Watched: Send + Sync {
    /// An error if it has.
    fn check(&self) -> HalResult<()>;
}

/// What may have given up on a device.
#[derive(Default)]
pub(super) struct Alerts(Mutex<Vec<Weak<dyn Watched>>>);

impl Alerts {
    pub(super) fn add(&self, watched: Weak<dyn Watched>) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|watched| watched.strong_count() > 0);
        all.push(watched);
    }

    /// The first error of one that gave up.
    pub(super) fn check(&self) -> HalResult<()> {
        let all: Vec<_> =
            self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().filter_map(Weak::upgrade).collect();
        all.iter().try_for_each(|watched| watched.check())
    }
}

/// Collectives of a list in the order in which they stand.
pub(super) fn exchanges(commands: &[RawCommand]) -> Vec<&RawExchange> {
    let mut found = Vec::new();
    collect(commands, &mut found);
    found
}

fn collect<'a>(commands: &'a [RawCommand], found: &mut Vec<&'a RawExchange>) {
    for command in commands {
        match command {
            RawCommand::Collective(exchange) => found.push(exchange),
            RawCommand::While { condition, body, .. } => [condition, body].into_iter().for_each(|c| collect(c, found)),
            RawCommand::If { then, otherwise, .. } => [then, otherwise].into_iter().for_each(|c| collect(c, found)),
            RawCommand::Repeat { body, .. } => collect(body, found),
            RawCommand::Dispatch(_) | RawCommand::Copy { .. } | RawCommand::Fill { .. } => {}
        }
    }
}

/// What all devices of a list are about to do, in words. Groups and senders are each device's own; a device in none of
/// them is there, too.
pub(super) fn summary(exchanges: &[&RawExchange]) -> String {
    let words = |exchange: &&RawExchange| {
        let reducer = exchange.reducer.map_or("", |reducer| reducer.name());
        let (kind, element) = (exchange.kind.name(), exchange.element.spelling());
        format!("{kind} of {} bytes {reducer} {element}", exchange.source_bytes)
    };
    let all: Vec<String> = exchanges.iter().map(words).collect();
    match all.as_slice() {
        [only] => only.clone(),
        all => {
            let hash = blake3::hash(all.join("\n").as_bytes()).to_hex();
            let first = all.first().map_or("", String::as_str);
            format!("{first} and {} more ({})", all.len().saturating_sub(1), &hash[..16])
        }
    }
}

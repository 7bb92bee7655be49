//! Recorded calls of a function, by the addresses and sizes that they were made for.
//!
//! A steady caller comes back with the same few tuples of addresses, as the pool gives it the same blocks. Who calls
//! with others all the time (a training loop with new batches, whoever keeps all results) gets room here by a recording
//! that moves to the new addresses.

use super::Session;
use crate::errors::Result;
use crate::hal::CommandList;

/// Lists kept of each function.
const CACHED_CALLS: usize = 4;

/// A recorded call.
pub(super) struct CachedCall {
    key: Vec<u64>,
    list: CommandList,
}

impl Session {
    /// Submits the call of a key, if it is recorded.
    pub(super) fn submit_cached(&mut self, function: u32, key: &[u64]) -> Result<bool> {
        let cached = self.cache.entry(function).or_default();
        let Some(at) = cached.iter().position(|call| call.key == key) else { return Ok(false) };
        // Most recently used last.
        let call = cached.remove(at);
        self.device.submit(&call.list)?;
        cached.push(call);
        Ok(true)
    }

    /// Submits a new call. Of its key the first `sizes` are no addresses.
    pub(super) fn submit_new(
        &mut self,
        function: u32,
        (key, sizes): (&[u64], usize),
        list: &CommandList,
    ) -> Result<()> {
        let cached = self.cache.entry(function).or_default();
        if cached.len() >= CACHED_CALLS {
            let from = cached.iter().position(|call| call.list.is_reused() && meets_alike(&call.key, key, sizes));
            let gone = cached.remove(from.unwrap_or(0));
            self.device.rebind(list, from.map(|_| &gone.list))?;
        }
        Ok(self.device.submit(list)?)
    }

    /// Keeps a call that was submitted.
    pub(super) fn keep_call(&mut self, function: u32, key: Vec<u64>, list: CommandList) {
        self.cache.entry(function).or_default().push(CachedCall { key, list });
    }
}

/// Whether two keys have equal sizes, and equal addresses in the same places: the commands of their calls then share
/// memory in the same way, since different buffers do not overlap.
fn meets_alike(one: &[u64], other: &[u64], sizes: usize) -> bool {
    let (Some((own, one)), Some((theirs, other))) = (one.split_at_checked(sizes), other.split_at_checked(sizes)) else {
        return false;
    };
    let mut pairs: Vec<(u64, u64)> = one.iter().copied().zip(other.iter().copied()).collect();
    pairs.sort_unstable();
    pairs.dedup();
    let firsts = pairs.windows(2).all(|pair| pair[0].0 != pair[1].0);
    pairs.sort_unstable_by_key(|pair| pair.1);
    let seconds = pairs.windows(2).all(|pair| pair[0].1 != pair[1].1);
    own == theirs && one.len() == other.len() && firsts && seconds
}

#[cfg(test)]
mod tests {
    use super::meets_alike;

    #[test]
    fn keys_meet_alike_where_equal_addresses_have_the_same_places() {
        assert!(meets_alike(&[1, 2, 1, 3], &[7, 8, 7, 9], 0));
        assert!(meets_alike(&[1, 2], &[2, 1], 0));
        assert!(!meets_alike(&[1, 2, 1], &[7, 8, 9], 0));
        assert!(!meets_alike(&[1, 2, 3], &[7, 8, 7], 0));
        assert!(!meets_alike(&[1, 2], &[1], 0));
        // Sizes must be equal, whatever addresses there are.
        assert!(meets_alike(&[5, 1, 2], &[5, 5, 7], 1));
        assert!(!meets_alike(&[5, 1, 2], &[6, 1, 2], 1));
        assert!(!meets_alike(&[5], &[5], 2));
    }
}

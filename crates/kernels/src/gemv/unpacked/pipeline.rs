//! Blocks that are multiplied while the next ones are on their way (double buffering in registers).
//!
//! A thread has a few rounds of blocks. Where each is asked for, waited for and multiplied, a round takes a trip to
//! memory; here the loads of a round are asked for before the one before it is multiplied, and a thread holds both.
//!
//! ```text
//! fetch 0; for each round i but the last: fetch i + 1, multiply i; multiply the last
//! ```
//!
//! Worked example: [1, 14336]·[4096, 14336]ᵀ of Q4_0 by 2 rows and 512 threads: 7 rounds of 2 loads of 16 bytes and 2
//! scales, 10 registers more.

use fornax_emit::emitter::Emitter;
use fornax_emit::errors::EmitError;
use fornax_emit::text::Value;

use super::ByUnpacking;
use crate::gemv::early::Begun;
use crate::gemv::quads_cost::overlaps;
use crate::gemv::steps::{Loaded, Steps};

impl<'a> ByUnpacking<'a, '_> {
    /// Adds the products of all blocks of thread `down` to sums, as `Gemv::fold`; the first are `begun`.
    ///
    /// # Errors
    /// Those of the loads and products.
    pub(super) fn fold_ahead(
        &self,
        e: &mut Emitter<'_>,
        (down, mut sums): (Value, Vec<Value>),
        begun: Option<Begun<Self>>,
    ) -> Result<Vec<Value>, EmitError> {
        let gemv = self.gemv;
        let (blocks, threads) = (gemv.blocks(e, self.space) as u64, gemv.all_down() as u64);
        if !overlaps(u64::from(gemv.schedule.depth), blocks, threads) {
            return gemv.fold(e, (down, sums), self, begun);
        }
        let rounds = gemv.full_rounds(e, self.space).0;
        let own = gemv.own_down(e, down);
        let index = e.index_ty();
        let (low, high, one) = (e.code.int(index, 0), e.code.int(index, rounds - 1), e.code.int(index, 1));
        let first = match begun {
            Some(begun) => begun.long,
            None => self.ask(e, (low, own))?,
        };
        let count = sums.len();
        let carried = [&sums[..], &flat(&first)[..]].concat();
        let open = e.code.begin_for(low, high, one, &carried);
        let (held, inside) = (open.carried[count..].to_vec(), open.carried[..count].to_vec());
        let after = e.code.add_ik(open.iv, 1);
        let next = self.ask(e, (after, own))?;
        let starts = gemv.starts(e, self.space, (open.iv, own), 1);
        let inside = self.multiply(e, (&starts, of(&first, &held)), inside, true)?;
        let results = e.code.end_for(open, &[&inside[..], &flat(&next)[..]].concat());
        sums = results[..count].to_vec();
        let starts = gemv.starts(e, self.space, (high, own), 1);
        self.multiply(e, (&starts, of(&first, &results[count..])), sums, true)
    }

    /// Asks for the blocks of a round.
    fn ask(&self, e: &mut Emitter<'_>, (round, down): (Value, Value)) -> Result<Loaded<Self>, EmitError> {
        let starts = self.gemv.starts(e, self.space, (round, down), 1);
        self.fetch(e, &starts, 0..self.gemv.schedule.loads())
    }
}

/// The values of some loads, in order.
pub(in crate::gemv) fn flat(loaded: &Loaded<ByUnpacking<'_, '_>>) -> Vec<Value> {
    loaded.iter().flatten().flatten().flatten().map(|&(_, value)| value).collect()
}

/// The same loads with other values.
pub(in crate::gemv) fn of<'a, 'p>(like: &Loaded<ByUnpacking<'a, 'p>>, values: &[Value]) -> Loaded<ByUnpacking<'a, 'p>> {
    let (mut loaded, mut values) = (like.clone(), values.iter());
    for (_, value) in loaded.iter_mut().flatten().flatten().flatten() {
        *value = values.next().copied().unwrap_or(*value);
    }
    loaded
}

//! Partial results of the threads that share a tile become one: by lane exchange or through a tree in shared memory.
//!
//! Worked example: a row of 1000 folded by 128 threads in lanes of 4, subgroups of 32: 3 additions of lanes (as 2 + 2,
//! 1 + 1), 5 exchanges across 1, 2, 4, 8 and 16 threads, then 4 partial results, one a subgroup, in 2 rounds through
//! shared memory.

use super::lanes::exchange;
use super::shared::{memory, read_shared, write_shared};
use super::tile::{Share, Tile};
use crate::emitter::Emitter;
use crate::errors::EmitError;
use crate::text::{Ty, Value};

impl Tile<'_> {
    /// Combines the accumulators of the threads that share a tile; those of rank 0 have the result.
    pub fn combine_threads(
        &self,
        e: &mut Emitter<'_>,
        folded: Vec<Value>,
        share: Share,
    ) -> Result<Vec<Value>, EmitError> {
        let (threads, subgroup) = (self.schedule.reduce_threads, e.abi.subgroup);
        let whole_subgroups = e.abi.threads < subgroup || e.abi.threads.is_multiple_of(subgroup);
        if !share.rank_fastest || !e.abi.shuffles || !whole_subgroups {
            return self.combine_in_tree(e, folded, share, threads, share.rank);
        }
        let mut values = folded;
        let mut mask = 1;
        while mask < threads.min(subgroup) {
            let moved = exchange(e, &values, mask);
            values = self.merge_all(e, &values, &moved)?;
            mask *= 2;
        }
        if threads <= subgroup {
            return Ok(values);
        }
        // One partial result a subgroup is left; every lane of a subgroup has it.
        let rank = e.code.int_k("arith.divui", share.rank, i64::from(subgroup));
        self.combine_in_tree(e, values, share, threads / subgroup, rank)
    }

    /// Halves the number of partial results of a tile through shared memory until one is left.
    fn combine_in_tree(
        &self,
        e: &mut Emitter<'_>,
        folded: Vec<Value>,
        share: Share,
        parts: u32,
        part: Value,
    ) -> Result<Vec<Value>, EmitError> {
        let n = self.fold.operands();
        let tiles = self.schedule.tile_threads;
        let slots = u64::from(parts) * u64::from(tiles);
        let mut arrays: Vec<Value> = Vec::new();
        for value in &folded[..n] {
            let memory = memory(value.ty.scalar);
            arrays.push(e.abi.shared_array(&mut e.code, memory, slots * u64::from(value.ty.lanes)));
        }
        // Slot of (part, tile): tiles of one part lie together.
        let row = e.code.int_k("arith.muli", part, i64::from(tiles));
        let own = e.code.add_i(row, share.local_tile);
        let mut results = Vec::new();
        for point in folded.chunks(n) {
            let types: Vec<Ty> = point.iter().map(|v| v.ty).collect();
            let mut mine = point.to_vec();
            write_shared(e, &arrays, own, &mine);
            e.abi.barrier(&mut e.code);
            let mut half = parts / 2;
            while half > 0 {
                // What a part has folded stays in its registers: lanes that share a part never read what they write.
                let active = e.code.cmp_ik("ult", part, i64::from(half));
                let next = e.code.begin_if(active, &types);
                let other = e.code.add_ik(own, i64::from(half * tiles));
                let theirs = read_shared(e, &arrays, other, &mine);
                let merged = self.fold.merge(e, &mine, &theirs)?;
                write_shared(e, &arrays, own, &merged);
                e.code.begin_else(&merged);
                e.code.end_if(&mine);
                e.abi.barrier(&mut e.code);
                mine = next;
                half /= 2;
            }
            results.extend(mine);
        }
        Ok(results)
    }
}

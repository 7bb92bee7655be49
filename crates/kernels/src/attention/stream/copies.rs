//! How keys and values of a tile come to a warp's shared memory, and where they lie there.
//!
//! Two ways. By lanes: each copies 16 bytes at a time (`cp.async`), keys in whole rows, values as it will read them
//! itself. By rows: lanes 0‥15 each start one bulk copy of a key, lanes 16‥31 of a value, and a barrier a tile counts
//! the bytes; rows lie apart so that what is read at once lies in different banks.
//!
//! Worked example, by rows, 128 features: 16 keys 320 bytes apart, 16 values 272 bytes apart; 8,192 bytes on the
//! barrier.

use fornax_plan::{Node, NodeId, VarId};

use super::{CHUNK, DEPTH, FEATURES, LANES, Stream, VALUE_COLUMNS, meet_warp};
use crate::attention::I32;
use fornax_emit::blocks::hopper::barrier;
use fornax_emit::emitter::Emitter;
use fornax_emit::errors::EmitError;
use fornax_emit::text::{Scalar, Ty, Value};

/// Columns of a tile.
pub(super) const COLUMNS: i64 = 16;

impl Stream<'_> {
    /// Barriers, where rows are counted.
    pub(super) fn start_copies(&self, e: &mut Emitter<'_>) {
        if !self.s.bulk {
            return;
        }
        let first = e.code.cmp_ik("eq", self.k.lane, 0);
        e.code.begin_if(first, &[]);
        for slot in 0..i64::from(self.s.stages) {
            let slot = e.code.int(I32, slot);
            let barrier = self.barrier(e, slot);
            barrier::initialise(&mut e.code, barrier, 1);
        }
        barrier::fence_initialised(&mut e.code);
        e.code.end_if(&[]);
        meet_warp(e);
    }

    fn barrier(&self, e: &mut Emitter<'_>, slot: Value) -> Value {
        let first = e.code.int_k("arith.muli", self.warp, i64::from(self.s.stages));
        let number = e.code.add_i(first, slot);
        let at = e.code.shl_k(number, 3);
        let at = e.code.add_ik(at, i64::from(self.k.s.stream_barriers()));
        e.code.byte_offset(self.shared, at)
    }

    /// Waits for the tile of a slot; all copies that were started later may still run.
    pub(super) fn wait(&self, e: &mut Emitter<'_>, (slot, turn): (Value, Value)) {
        if self.s.bulk {
            let barrier = self.barrier(e, slot);
            barrier::wait(&mut e.code, barrier, turn);
        } else {
            e.code.line(&format!("nvvm.cp.async.wait.group {}", i64::from(self.s.stages) - 1));
        }
    }

    /// Starts the copies of a tile, if it is before `end`.
    pub(super) fn copy(&self, e: &mut Emitter<'_>, (tile, end): (Value, Value), slot: Value) -> Result<(), EmitError> {
        let inside = e.code.cmp_i("slt", tile, end);
        e.code.begin_if(inside, &[]);
        let first = self.k.first_column(e, tile);
        if self.s.bulk {
            self.copy_rows(e, first, slot)?;
            e.code.end_if(&[]);
            return Ok(());
        }
        let a = self.k.a;
        for block in 0..2 {
            for at in 0..self.k.depth / DEPTH {
                // Whole rows, next to each other.
                let item = e.code.add_ik(self.k.lane, LANES * at);
                let chunks = self.k.depth / CHUNK;
                let (row, chunk) = e.code.div_rem(item, chunks);
                let wide = e.code.resize_u(row, e.index);
                let column = e.code.add_i(first, wide);
                self.bind_column(e, column, 8 * block);
                let base = e.code.int_k("arith.muli", chunk, CHUNK);
                let base = e.code.resize_u(base, e.index);
                let place = self.key_place(e, slot, (block, row, chunk));
                self.copy_chunk(e, a.key, (a.depth(), base, 0), place)?;
            }
        }
        let column = e.code.add_i(first, self.k.run_start);
        for offset in VALUE_COLUMNS {
            self.bind_column(e, column, offset);
            for at in 0..self.k.features / FEATURES {
                let place = self.value_place(e, slot, (offset, at));
                self.copy_chunk(e, a.value, (a.feature, self.group_chunk, FEATURES * at), place)?;
            }
        }
        e.code.end_if(&[]);
        e.code.line("nvvm.cp.async.commit.group");
        Ok(())
    }

    /// One row of keys or values a lane.
    fn copy_rows(&self, e: &mut Emitter<'_>, first: Value, slot: Value) -> Result<(), EmitError> {
        let a = self.k.a;
        let (key_bytes, value_bytes) = (2 * self.k.depth, 2 * self.k.features);
        let barrier = self.barrier(e, slot);
        let leads = e.code.cmp_ik("eq", self.k.lane, 0);
        e.code.begin_if(leads, &[]);
        barrier::arrive_expecting(&mut e.code, barrier, COLUMNS * (key_bytes + value_bytes));
        e.code.end_if(&[]);
        meet_warp(e);
        let row = e.code.and_k(self.k.lane, COLUMNS - 1);
        let wide = e.code.resize_u(row, e.index);
        let column = e.code.add_i(first, wide);
        self.bind_column(e, column, 0);
        let start = self.slot_start(e, slot);
        let [key_pitch, value_pitch] = self.s.pitches().map(i64::from);
        let keys = e.code.cmp_ik("slt", self.k.lane, COLUMNS);
        e.code.begin_if(keys, &[]);
        let at = e.code.int_k("arith.muli", row, key_pitch);
        let at = e.code.add_i(start, at);
        self.copy_row(e, (a.key, a.depth()), at, (barrier, key_bytes))?;
        e.code.begin_else(&[]);
        let at = e.code.int_k("arith.muli", row, value_pitch);
        let at = e.code.add_i(start, at);
        let at = e.code.add_ik(at, COLUMNS * key_pitch);
        self.copy_row(e, (a.value, a.feature), at, (barrier, value_bytes))?;
        e.code.end_if(&[]);
        Ok(())
    }

    fn copy_row(
        &self,
        e: &mut Emitter<'_>,
        (node, inner): (NodeId, VarId),
        at: Value,
        (barrier, bytes): (Value, i64),
    ) -> Result<(), EmitError> {
        let there = e.code.byte_offset(self.shared, at);
        let there = e
            .code
            .pure(Ty::scalar(Scalar::Ptr(7)), format!("llvm.addrspacecast {there} : !llvm.ptr<3> to !llvm.ptr<7>"));
        e.bind(inner, None, 0, 0);
        let source = self.source(e, node)?;
        let bytes = e.code.int(I32, bytes);
        let hint = self.policy.map_or(String::new(), |policy| format!(" l2_cache_hint = {policy}"));
        e.code.line(&format!(
            "nvvm.cp.async.bulk.shared.cluster.global {there}, {source}, {barrier}, {bytes}{hint} : {}, {}",
            there.ty, source.ty
        ));
        Ok(())
    }

    pub(super) fn source(&self, e: &mut Emitter<'_>, node: NodeId) -> Result<Value, EmitError> {
        let Node::Load { buffer, offset: place, mask: None, .. } = *e.exprs.node(node) else {
            return Err(e.malformed("operands of attention that are no plain loads"));
        };
        let index = e.index(place)?;
        let at = e.index_scalar(index);
        Ok(e.pointer(buffer, Scalar::I16, at))
    }

    fn copy_chunk(
        &self,
        e: &mut Emitter<'_>,
        node: NodeId,
        (inner, base, offset): (VarId, Value, i64),
        there: Value,
    ) -> Result<(), EmitError> {
        e.bind(inner, Some(base), CHUNK, offset);
        let source = self.source(e, node)?;
        let types = format!("{}, {}", there.ty, source.ty);
        e.code.line(&format!("nvvm.cp.async.shared.global {there}, {source}, 16, cache = cg : {types}"));
        Ok(())
    }

    /// Where a chunk of a key of a block of 8 is. Of rows of whole 128 bytes that are adjacent every other one has
    /// its halves exchanged, so that two rows that are read at once lie in different banks.
    pub(super) fn key_place(
        &self,
        e: &mut Emitter<'_>,
        slot: Value,
        (block, row, chunk): (i64, Value, Value),
    ) -> Value {
        let (pitch, mut chunk) = (i64::from(self.s.pitches()[0]), chunk);
        if pitch % 128 == 0 {
            let odd = e.code.and_k(row, 1);
            let odd = e.code.shl_k(odd, 2);
            chunk = e.code.xor(chunk, odd);
        }
        let at = e.code.int_k("arith.muli", row, pitch);
        let chunk = e.code.shl_k(chunk, 4);
        let at = e.code.add_i(at, chunk);
        let start = self.slot_start(e, slot);
        let at = e.code.add_i(start, at);
        let at = e.code.add_ik(at, 8 * pitch * block);
        e.code.byte_offset(self.shared, at)
    }

    /// Byte of a slot of the warp.
    fn slot_start(&self, e: &mut Emitter<'_>, slot: Value) -> Value {
        let bytes = i64::from(self.s.tile_bytes(self.k.s.columns));
        let first = e.code.int_k("arith.muli", self.warp, i64::from(self.s.stages));
        let slot = e.code.add_i(first, slot);
        e.code.int_k("arith.muli", slot, bytes)
    }

    /// Where this lane's chunk `at` of the value of its column `offset` is: as it lies in the row, or where this lane
    /// put it.
    pub(super) fn value_place(&self, e: &mut Emitter<'_>, slot: Value, (offset, at): (i64, i64)) -> Value {
        let start = self.slot_start(e, slot);
        let [key_pitch, value_pitch] = self.s.pitches().map(i64::from);
        let start = e.code.add_ik(start, COLUMNS * key_pitch);
        if self.s.bulk {
            let row = e.code.shl_k(self.quad, 1);
            let row = e.code.int_k("arith.muli", row, value_pitch);
            let chunk = e.code.shl_k(self.group, 4);
            let place = e.code.add_i(row, chunk);
            let place = e.code.add_i(start, place);
            let place = e.code.add_ik(place, offset * value_pitch + 2 * FEATURES * at);
            return e.code.byte_offset(self.shared, place);
        }
        let column = VALUE_COLUMNS.iter().position(|&c| c == offset).unwrap_or(0) as i64;
        let lane = e.code.shl_k(self.k.lane, 4);
        let place = e.code.add_i(start, lane);
        let place = e.code.add_ik(place, LANES * 16 * (column * (self.k.features / FEATURES) + at));
        e.code.byte_offset(self.shared, place)
    }
}

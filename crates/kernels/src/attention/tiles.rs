//! Tiles in shared memory: copied 16 bytes at a time where the operand is a plain load of whole chunks, else evaluated.
//!
//! A row of a tile is a query, key or value vector, padded to whole fragments of 32 bytes with zeros, and 16 bytes
//! more, so that the eight rows that `ldmatrix` reads at once lie in different banks. Rows past the last one are copies
//! of it: what they add is masked.
//!
//! Worked example: 64 keys of 80 bf16: 10 chunks each, 176 bytes from row to row; 640 copies by 128 threads, five each.

use fornax_plan::{Node, NodeId, VarId};

use super::Kernel;
use super::sizes::Extent;
use fornax_emit::emitter::Emitter;
use fornax_emit::errors::EmitError;
use fornax_emit::index::IndexValue;
use fornax_emit::text::{Scalar, Ty, Value, list};

/// Bytes of a chunk, and of a fragment of a row.
const CHUNK_BYTES: i64 = 16;
const FRAGMENT_BYTES: i64 = 32;

/// What the rows of a tile run along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outer {
    /// Row numbers.
    Row,
    /// Key positions.
    Column,
}

/// A tile and where it lies.
#[derive(Clone, Copy, Debug)]
pub struct Tile {
    /// The operand.
    pub node: NodeId,
    /// What its rows run along.
    pub outer: Outer,
    /// Rows of the tile.
    pub rows: i64,
    /// Rows of the whole operand.
    pub limit: i64,
    /// What its columns run along.
    pub inner: VarId,
    /// Columns.
    pub extent: i64,
    /// Bytes of an element: 2 or 4.
    pub bytes: i64,
    /// Bytes from the start of shared memory.
    pub offset: i64,
}

/// Waits for this thread's copies; then for everyone's.
pub fn arrived(e: &mut Emitter<'_>) {
    e.code.line("nvvm.cp.async.wait.group 0");
    e.abi.barrier(&mut e.code);
}

impl Tile {
    /// Elements of a fragment, and of a chunk.
    pub fn step(&self) -> i64 {
        FRAGMENT_BYTES / self.bytes
    }

    fn chunk(&self) -> i64 {
        CHUNK_BYTES / self.bytes
    }

    /// Elements of a row with padding to whole fragments.
    pub fn padded(&self) -> i64 {
        (self.extent + self.step() - 1) / self.step() * self.step()
    }

    /// Bytes from row to row.
    pub fn pitch(&self) -> i64 {
        self.bytes * self.padded() + CHUNK_BYTES
    }

    pub fn bytes(&self) -> i64 {
        self.rows * self.pitch()
    }

    fn chunks(&self) -> i64 {
        (self.extent + self.chunk() - 1) / self.chunk()
    }

    /// Zeros in the chunks that no copy writes.
    pub fn clear_padding(&self, e: &mut Emitter<'_>, k: &Kernel<'_>) {
        let empty = self.padded() / self.chunk() - self.chunks();
        if empty == 0 {
            return;
        }
        let zero = e.code.bits(Ty::vector(Scalar::I32, 4), 0);
        self.each(e, k, empty, &mut |e, row, chunk| {
            let chunk = e.code.add_ik(chunk, self.chunks());
            let place = self.place(e, k, row, chunk);
            store_chunk(e, place, zero);
            Ok(())
        })
        .unwrap_or(());
    }

    /// Starts the copy of the rows from `first` on.
    pub fn copy(&self, e: &mut Emitter<'_>, k: &Kernel<'_>, first: Value) -> Result<(), EmitError> {
        self.each(e, k, self.chunks(), &mut |e, row, chunk| {
            let place = self.place(e, k, row, chunk);
            let row = e.code.resize_u(row, e.index);
            let mut row = e.code.add_i(first, row);
            let end = if matches!(self.outer, Outer::Row) { k.row_end() } else { k.column_end() };
            if matches!(end, Extent::OfCall(_)) || self.limit % self.rows != 0 {
                row = end.clamped(e, "arith.minui", row);
            }
            match self.outer {
                Outer::Row => k.bind_row(e, row)?,
                Outer::Column => e.bind(k.a.column(), Some(row), 1, 0),
            }
            let chunk = e.code.resize_u(chunk, e.index);
            let start = e.code.int_k("arith.muli", chunk, self.chunk());
            e.bind(self.inner, Some(start), self.chunk(), 0);
            match self.source(e)? {
                Some(source) => {
                    let text = format!(
                        "nvvm.cp.async.shared.global {place}, {source}, 16, cache = cg : {}, {}",
                        place.ty, source.ty
                    );
                    e.code.line(&text);
                }
                None => {
                    let chunk = self.evaluated(e, start)?;
                    store_chunk(e, place, chunk);
                }
            }
            Ok(())
        })?;
        e.code.line("nvvm.cp.async.commit.group");
        Ok(())
    }

    /// Runs `body` with the row and chunk (i32) of every item of this thread.
    fn each(
        &self,
        e: &mut Emitter<'_>,
        k: &Kernel<'_>,
        chunks: i64,
        body: &mut dyn FnMut(&mut Emitter<'_>, Value, Value) -> Result<(), EmitError>,
    ) -> Result<(), EmitError> {
        let (items, threads) = (self.rows * chunks, 32 * i64::from(k.s.warps));
        for at in 0..(items + threads - 1) / threads {
            let item = e.code.add_ik(k.thread, at * threads);
            let partial = (at + 1) * threads > items;
            if partial {
                let inside = e.code.cmp_ik("ult", item, items);
                e.code.begin_if(inside, &[]);
            }
            let (row, chunk) = e.code.div_rem(item, chunks);
            body(e, row, chunk)?;
            if partial {
                e.code.end_if(&[]);
            }
        }
        Ok(())
    }

    fn place(&self, e: &mut Emitter<'_>, k: &Kernel<'_>, row: Value, chunk: Value) -> Value {
        let row = e.code.int_k("arith.muli", row, self.pitch());
        let chunk = e.code.shl_k(chunk, 4);
        let at = e.code.add_i(row, chunk);
        let at = e.code.add_ik(at, self.offset);
        at_byte(e, k.shared, at)
    }

    /// Where the present chunk lies in memory, if it lies there whole and aligned.
    fn source(&self, e: &mut Emitter<'_>) -> Result<Option<Value>, EmitError> {
        let Node::Load { buffer, offset, mask: None, .. } = *e.exprs.node(self.node) else { return Ok(None) };
        let (modulus, residue) = e.congruence(offset);
        let chunk = self.chunk();
        let whole = self.extent % chunk == 0 && modulus % chunk == 0 && residue % chunk == 0;
        if !whole || e.exprs.indices.stride(offset, self.inner) != Some(1) {
            return Ok(None);
        }
        let index = e.index(offset)?;
        if !matches!(index, IndexValue::Affine { stride: 0, .. }) {
            return Ok(None);
        }
        let at = e.index_scalar(index);
        Ok(Some(e.pointer(buffer, Scalar::integer(8 * self.bytes as u32), at)))
    }

    /// The elements of the present chunk, one by one; zeros past the last.
    fn evaluated(&self, e: &mut Emitter<'_>, start: Value) -> Result<Value, EmitError> {
        let element = e.exprs.element(self.node);
        let mut halves = Vec::with_capacity(8);
        for at in 0..self.chunk() {
            let mut place = e.code.add_ik(start, at);
            let mut inside = None;
            if self.extent % self.chunk() != 0 {
                inside = Some(e.code.cmp_ik("slt", place, self.extent));
                place = e.code.int_k("arith.minsi", place, self.extent - 1);
            }
            e.bind(self.inner, Some(place), 1, 0);
            let value = e.eval(self.node)?;
            let raw = e.encode(element, value)?;
            let bits = e.code.to_bits(raw);
            let bits = e.code.resize_u(bits, Scalar::I32);
            let zero = e.code.int(bits.ty, 0);
            halves.push(inside.map_or(bits, |inside| e.code.select(inside, bits, zero)));
        }
        if self.bytes == 4 {
            return Ok(e.code.assemble(&halves));
        }
        let mut words = Vec::new();
        for pair in halves.chunks(2) {
            let high = e.code.shl_k(pair[1], 16);
            words.push(e.code.or(pair[0], high));
        }
        Ok(e.code.assemble(&words))
    }

    /// Four 8 × 8 pieces at a byte of shared memory; `transposed` exchanges rows and columns of each.
    pub fn load_matrices(e: &mut Emitter<'_>, at: Value, transposed: bool) -> Vec<Value> {
        let layout = if transposed { "col" } else { "row" };
        let i32 = Ty::scalar(Scalar::I32);
        let all = e.code.effect(
            i32,
            &format!(
                "nvvm.ldmatrix {at} {{num = 4 : i32, layout = #nvvm.mma_layout<{layout}>, shape = \
                 #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>}} : ({}) -> \
                 !llvm.struct<(i32, i32, i32, i32)>",
                at.ty
            ),
        );
        let part = |n| format!("llvm.extractvalue {all}[{n}] : !llvm.struct<(i32, i32, i32, i32)>");
        (0..4).map(|n| e.code.pure(i32, part(n))).collect()
    }
}

/// A pointer to a byte of shared memory.
pub fn at_byte(e: &mut Emitter<'_>, base: Value, at: Value) -> Value {
    let operands = [at];
    e.code.pure(
        base.ty,
        format!(
            "llvm.getelementptr inbounds {base}[{}] : ({}, {}) -> {}, i8",
            list(&operands),
            base.ty,
            at.ty,
            base.ty
        ),
    )
}

fn store_chunk(e: &mut Emitter<'_>, place: Value, chunk: Value) {
    let text = format!("llvm.store {chunk}, {place} {{alignment = 16 : i64}} : {}, {}", chunk.ty, place.ty);
    e.code.line(&text);
}

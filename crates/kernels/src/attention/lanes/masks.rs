//! Biases and masks of every row and column, transposed as queries are: they lie column by column, lanes want rows.
//!
//! Before the scores of a block, each such load is read in squares along the columns, transposed in registers and kept
//! in scratch, a vector of rows a column; there the scores find it. Loaded lane by lane it would take 16 loads and 15
//! insertions a vector.
//!
//! Worked example: a bias of 64 rows × 96 columns of a block, 16 lanes: 4 × 6 squares of 16 loads, 64 shuffles and 16
//! stores.

use super::{Block, Emitted, F32_BYTES, Lanes, Tile};
use fornax_emit::blocks::transpose_square::transpose_square;
use fornax_emit::emitter::Emitter;
use fornax_emit::text::{Scalar, Value};

impl Lanes<'_> {
    /// Turns the loads of a block.
    pub(super) fn turn_masks(&self, e: &mut Emitter<'_>, tile: &Tile, block: Block) -> Emitted {
        for (number, &node) in self.transposed.iter().enumerate() {
            let (low, by) = (e.code.int(block.count.ty, 0), e.code.int(block.count.ty, self.lanes()));
            let open = e.code.begin_for(low, block.count, by, &[]);
            let column = e.code.add_i(block.first, open.iv);
            let column = self.within(e, column, self.columns);
            e.bind_lanes(self.a.column(), Some(column), 1, 0);
            let row = e.code.sub_i(column, block.first);
            for vector in 0..self.vectors {
                let mut square = Vec::new();
                for lane in 0..self.lanes() {
                    self.bind_row(e, tile, vector, lane);
                    let value = e.eval(node)?;
                    let value = e.code.spread(value, self.s.lanes);
                    let truth = value.ty.scalar == Scalar::I1;
                    square.push(if truth { e.code.resize_u(value, Scalar::I32) } else { value });
                }
                for (at, value) in transpose_square(e, square).into_iter().enumerate() {
                    let row = e.code.add_ik(row, at as i64);
                    let start = self.mask_start(number);
                    self.store_vector(e, start, row, vector, value);
                }
            }
            e.code.end_for(open, &[]);
        }
        Ok(())
    }

    /// Says what the transposed loads are at a column of the block (by its number there) and a vector of rows, both
    /// bound.
    pub(super) fn provide_masks(&self, e: &mut Emitter<'_>, row: Value, vector: usize) {
        for (number, &node) in self.transposed.iter().enumerate() {
            let loaded = self.load_vector(e, self.mask_start(number), row, vector);
            let value = if e.exprs.element(node) == fornax_graph::ElementType::I1 {
                let bits = e.code.to_bits(loaded);
                e.code.cmp_ik("ne", bits, 0)
            } else {
                loaded
            };
            e.provide(node, value);
        }
    }

    /// Byte of the first column of a block. The last square of a block may reach over its end, the last one of all
    /// begin before it.
    fn mask_start(&self, number: usize) -> i64 {
        let before = self.lanes() * self.scratch.width * F32_BYTES;
        self.scratch.masks + number as i64 * self.scratch.mask_bytes + before
    }
}

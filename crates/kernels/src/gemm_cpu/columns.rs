//! Columns of a tile that are computed, as weights in blocks are: laid in scratch as a panel, before rows go by.
//!
//! The operand lies along the steps: of as many columns as a vector has lanes, vectors along the innermost variable are
//! computed, the square of registers is transposed, and each of its vectors is a step's columns. Bytes are transposed
//! first, and what is made of them is computed by columns (`squares`).
//!
//! Worked example: AVX2, 24 columns, Q4_0: of eight columns each, four squares a block; a weight is computed once for
//! 128 rows, and memory is read 18 bytes for 32 of them.

use fornax_emit::blocks::transpose_bytes::{transpose_bytes, transposes_bytes};
use fornax_emit::blocks::transpose_square::transpose_square;
use fornax_emit::emitter::{Binding, Emitter};
use fornax_emit::text::{Ty, Value};
use fornax_plan::{NodeId, VarId};

use super::emit::{Emitted, Panel, Piece};
use super::squares::byte_nodes;

/// Squares along the innermost variable that are written out: where in a block they are is known then.
const SQUARES_MAX: i64 = 8;

/// Where a step is: the place of the innermost loop in the piece, and what comes before it there.
#[derive(Clone, Copy)]
struct Along {
    start: Option<Value>,
    before: Option<Value>,
}

/// The steps of a square: the innermost variable, and where along it the first one is.
#[derive(Clone, Copy)]
struct Step {
    inner: VarId,
    place: Option<Value>,
    offset: i64,
}

impl Panel<'_> {
    /// Lays down a piece of the columns of a tile, whose vectors are bound so.
    pub(super) fn lay_columns(&self, e: &mut Emitter<'_>, vectors: &[Binding], piece: Piece) -> Emitted {
        self.lay(e, (self.first_inner, None), vectors, piece)?;
        e.lanes = self.schedule.lanes;
        Ok(())
    }

    fn lay(
        &self,
        e: &mut Emitter<'_>,
        (level, before): (usize, Option<Value>),
        vectors: &[Binding],
        piece: Piece,
    ) -> Emitted {
        let Some(&var) = self.reduction.get(level) else { return Ok(()) };
        let (ty, extent, lanes) = (e.index_ty(), e.exprs.indices.extent(var), i64::from(self.schedule.lanes));
        let cut = level == self.first_inner;
        let (start, count) = (piece.start.filter(|_| cut), piece.count.filter(|_| cut));
        // What is before in the piece, in steps of this level.
        let scaled = before.map(|before| e.code.int_k("arith.muli", before, extent));
        if level + 1 == self.reduction.len() {
            let along = Along { start, before: scaled };
            if start.is_none() && extent <= SQUARES_MAX * lanes {
                return (0..extent / lanes).try_for_each(|at| self.square(e, vectors, along, (None, at * lanes)));
            }
            let bounds = (e.code.int(ty, 0), count.unwrap_or_else(|| e.code.int(ty, extent)));
            return e.each(bounds, lanes, &mut |e, step| self.square(e, vectors, along, (Some(step), 0)));
        }
        let bounds = (e.code.int(ty, 0), count.unwrap_or_else(|| e.code.int(ty, extent)));
        e.each(bounds, 1, &mut |e, step| {
            self.bind_step(e, var, start, step);
            let before = match scaled {
                Some(scaled) => e.code.add_i(scaled, step),
                None => step,
            };
            self.lay(e, (level + 1, Some(before)), vectors, piece)
        })
    }

    /// Lays down as many steps as a vector has lanes, from `step` plus a number on, for all columns.
    fn square(
        &self,
        e: &mut Emitter<'_>,
        vectors: &[Binding],
        along: Along,
        (step, offset): (Option<Value>, i64),
    ) -> Emitted {
        let Some(&inner) = self.reduction.last() else { return Ok(()) };
        let lanes = self.schedule.lanes;
        let sum = |e: &mut Emitter<'_>, a: Option<Value>, b: Option<Value>| match (a, b) {
            (Some(a), Some(b)) => Some(e.code.add_i(a, b)),
            (a, b) => a.or(b),
        };
        let place = sum(e, along.start, step);
        let position = sum(e, along.before, step);
        e.lanes = lanes;
        let step = Step { inner, place, offset };
        for (number, &vector) in vectors.iter().enumerate() {
            for (at, steps) in self.steps_of(e, vector, step)?.into_iter().enumerate() {
                let pointer = self.laid(e, (position, offset + at as i64), (vectors.len(), number));
                let alignment = self.alignment();
                let ty = steps.ty;
                e.code.line(&format!(
                    "llvm.store {steps}, {pointer} {{alignment = {alignment} : i64}} : {ty}, !llvm.ptr"
                ));
            }
        }
        Ok(())
    }

    /// The columns of a vector at as many steps as there are lanes, a step each.
    fn steps_of(&self, e: &mut Emitter<'_>, vector: Binding, step: Step) -> Emitted<Vec<Value>> {
        let lanes = self.schedule.lanes;
        let bytes =
            if transposes_bytes(lanes) { byte_nodes(e.exprs, self.column_operand, step.inner) } else { Vec::new() };
        // All places are multiples of the lanes, which divide the extent.
        e.bind_lanes(step.inner, step.place, i64::from(lanes), step.offset);
        if bytes.is_empty() {
            let square = self.square_of(e, self.column_operand, vector)?;
            return Ok(transpose_square(e, square));
        }
        let mut squares = Vec::with_capacity(bytes.len());
        for &node in &bytes {
            let square = self.square_of(e, node, vector)?;
            squares.push(transpose_bytes(e, &square));
        }
        e.rebind(self.schedule.column, vector);
        let mut steps = Vec::with_capacity(lanes as usize);
        for at in 0..lanes as usize {
            e.bind(step.inner, step.place, i64::from(lanes), step.offset + at as i64);
            for (&node, square) in bytes.iter().zip(&squares) {
                e.provide(node, square[at]);
            }
            let value = e.eval(self.column_operand)?;
            steps.push(e.code.spread(value, lanes));
        }
        Ok(steps)
    }

    /// A node at each column of a vector, along the bound steps.
    fn square_of(&self, e: &mut Emitter<'_>, node: NodeId, vector: Binding) -> Emitted<Vec<Value>> {
        let lanes = self.schedule.lanes;
        let mut square = Vec::with_capacity(lanes as usize);
        for at in 0..i64::from(lanes) {
            e.bind(self.schedule.column, vector.base, vector.multiple, vector.offset + at);
            let value = e.eval(node)?;
            square.push(e.code.spread(value, lanes));
        }
        Ok(square)
    }

    /// A vector of columns of a step.
    pub(super) fn laid_value(
        &self,
        e: &mut Emitter<'_>,
        (position, vectors): (Option<Value>, usize),
        number: usize,
    ) -> Value {
        let pointer = self.laid(e, (position, 0), (vectors, number));
        let (ty, alignment) = (Ty::vector(self.scalar, self.schedule.lanes), self.alignment());
        e.code.effect(ty, &format!("llvm.load {pointer} {{alignment = {alignment} : i64}} : !llvm.ptr -> {ty}"))
    }

    /// Where vector `number` of a step's `vectors` lies.
    fn laid(
        &self,
        e: &mut Emitter<'_>,
        (position, steps): (Option<Value>, i64),
        (vectors, number): (usize, usize),
    ) -> Value {
        let each = i64::from(self.schedule.lanes) * self.bytes();
        let fixed = self.scratch.columns_at + (steps * vectors as i64 + number as i64) * each;
        let ty = e.index_ty();
        let bytes = match position {
            Some(position) => {
                let before = e.code.int_k("arith.muli", position, vectors as i64 * each);
                e.code.add_ik(before, fixed)
            }
            None => e.code.int(ty, fixed),
        };
        self.scratch_pointer(e, bytes)
    }
}

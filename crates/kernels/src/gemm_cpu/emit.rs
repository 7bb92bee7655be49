//! `Body::Contraction` on CPUs as blocks of register tiles whose contraction is cut into pieces. See `schedule`.
//!
//! A workgroup walks pieces, in them column tiles, in them row tiles. A tile's sums are in registers during a piece and
//! in scratch between pieces; after the last piece every tile goes through the stores. With one piece the stores follow
//! at once. Sums are added in the order of the contraction whatever the cut is: it changes no bit of a result.
//!
//! Worked example: 14 rows × 2 vectors of 16, piece of 256 steps, AVX-512: 28 vectors of sums are loaded; a step loads
//! 2 vectors of the column operand, broadcasts 14 scalars of the row operand and does 28 fused multiply-adds in 14
//! cycles; the sums go back after 256 steps.

use crate::gemm_cpu::schedule::PanelSchedule;
use crate::gemm_cpu::schedule::PanelScratch;
use fornax_graph::ElementType;
use fornax_plan::{Body, NodeId, VarId};

use super::ahead::Ahead;
use super::epilogue::Epilogue;
use super::panel_ahead::NextPanel;
use fornax_emit::blocks::count::Count;
use fornax_emit::blocks::product::multiply_add;
use fornax_emit::blocks::tile_start::start_of;
use fornax_emit::emitter::{Binding, Emitter, Slot};
use fornax_emit::errors::EmitError;
use fornax_emit::text::{Scalar, Ty, Value};

pub(super) const POINTER: Ty = Ty::scalar(Scalar::Ptr(0));

/// What a tile's rows are divided by for what is left behind the last full tile of rows of unknown number.
const REST_PARTS: i64 = 4;

/// One kernel.
pub(super) struct Panel<'a> {
    pub(super) schedule: &'a PanelSchedule,
    pub(super) row_operand: NodeId,
    pub(super) column_operand: NodeId,
    element: ElementType,
    pub(super) scalar: Scalar,
    pub(super) reduction: Vec<VarId>,
    /// Position in `reduction` of the first variable of a piece: the one that is cut, where one is.
    pub(super) first_inner: usize,
    pub(super) scratch: PanelScratch,
    /// Register tiles in all: rows, columns.
    tiles: (Count, i64),
    ahead: Option<Ahead>,
    next: Option<NextPanel>,
}

/// A register tile's outputs: bindings of the row variable, and of the column variable with the place in a packed
/// panel.
pub(super) struct Points {
    pub(super) rows: Vec<Option<Binding>>,
    pub(super) columns: Vec<(Binding, Option<Binding>)>,
}

/// What a piece is: where the cut variable starts, and how many steps of it there are (`None`: known before).
#[derive(Clone, Copy)]
pub(super) struct Piece {
    pub(super) start: Option<Value>,
    pub(super) count: Option<Value>,
}

/// A tile in its block: numbers of its row tile and column tile, and how many rows of the row tile are before it.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) row: Value,
    pub(super) passed: Option<Value>,
    pub(super) column: Value,
}

/// Where the rows of a tile are that were copied, and what it asks for of the next panel.
#[derive(Clone, Copy)]
struct Near {
    copied: Option<Value>,
    next: Option<Value>,
}

/// Numbers of the workgroup's first tiles and the ends.
#[derive(Clone, Copy)]
pub(super) struct Block {
    pub(super) rows: (Value, Value),
    columns: (Value, Value),
}

/// Where a row tile starts along its variable, what divides that, and its rows.
#[derive(Clone, Copy)]
pub(super) struct Start {
    pub(super) base: Option<Value>,
    multiple: i64,
    pub(super) rows: i64,
}

impl Start {
    pub(super) fn first(self, e: &mut Emitter<'_>) -> Value {
        self.base.unwrap_or_else(|| e.code.int(e.index_ty(), 0))
    }
}

pub(super) type Emitted<T = ()> = Result<T, EmitError>;
/// Writes what is done with a tile, given its place in the block.
type Visit<'a> = dyn FnMut(&mut Emitter<'_>, Place, &Points) -> Emitted + 'a;
/// Writes one step: from its position in the piece and the sums before to the sums after.
type Step<'a> = dyn FnMut(&mut Emitter<'_>, Option<Value>, &[Value]) -> Emitted<Vec<Value>> + 'a;

/// What is walked: a block's tiles, for a piece whose columns are laid down before, or for what waits in scratch.
#[derive(Clone, Copy)]
struct Walk {
    block: Block,
    piece: Option<Piece>,
}

/// Emits the body.
pub fn emit(e: &mut Emitter<'_>, schedule: &PanelSchedule) -> Emitted {
    let panel = Panel::new(e, schedule)?;
    let ty = e.index_ty();
    let mut rest = e.abi.workgroup_id(&mut e.code, ty.scalar);
    let (_, column_blocks) = schedule.blocks(e.plan);
    let row_blocks = panel.tiles.0.parts_of(e, i64::from(schedule.row_tiles));
    let (row_block, rest_blocks) = row_blocks.split(e, rest);
    let (column_block, batch) = Count::Known(column_blocks).split(e, rest_blocks);
    rest = batch;
    for &var in schedule.batch.iter().rev() {
        let extent = Count::of(e, var)?;
        let (value, outer) = extent.split(e, rest);
        e.bind(var, Some(value), 1, 0);
        rest = outer;
    }
    let block = Block {
        rows: match panel.tiles.0 {
            Count::Known(total) => e.share_of_workgroup(row_block, i64::from(schedule.row_tiles), total),
            Count::Run(total) => e.share_of_total(row_block, i64::from(schedule.row_tiles), total),
        },
        columns: e.share_of_workgroup(column_block, i64::from(schedule.column_tiles), panel.tiles.1),
    };
    e.lanes = schedule.lanes;
    match schedule.depth {
        None => panel.whole(e, block),
        Some((var, steps)) => panel.pieces(e, block, (var, i64::from(steps))),
    }
}

impl<'a> Panel<'a> {
    fn new(e: &mut Emitter<'_>, schedule: &'a PanelSchedule) -> Emitted<Panel<'a>> {
        let Body::Contraction { reduction, lhs, rhs, accumulator, .. } = &e.plan.body else {
            return Err(e.malformed("not a contraction"));
        };
        let (row_operand, column_operand) = if schedule.rows_are_lhs { (*lhs, *rhs) } else { (*rhs, *lhs) };
        let sizes = [schedule.lanes, schedule.vectors, schedule.row_tiles, schedule.column_tiles];
        let extent = e.exprs.indices.extent(schedule.column);
        let cut = schedule.depth.map(|d| reduction.iter().position(|&v| v == d.0).filter(|_| d.1 > 0));
        let (false, true, Some(first_inner)) = (e.abi.is_gpu(), sizes.iter().all(|&n| n > 0), cut.unwrap_or(Some(0)))
        else {
            return Err(e.unfit("a panel schedule that no pass makes"));
        };
        if i64::from(schedule.lanes) > extent || schedule.row.is_some_and(|r| r.1 == 0) {
            return Err(e.unfit("a tile of more lanes than there are columns"));
        }
        let scratch = schedule.scratch(e.plan);
        if scratch.bytes > i64::from(e.target.shared_bytes_max) {
            return Err(e.unfit(format!("{} bytes of scratch", scratch.bytes)));
        }
        let (element, reduction) = (*accumulator, reduction.clone());
        let scalar = e.register_scalar(element)?;
        if scalar.bits() as usize != 8 * element.storage_bytes() {
            return Err(e.undefined("contraction in panels", element));
        }
        let sized = |&v: &VarId| e.exprs.indices.run_extent(v).is_some();
        if sized(&schedule.column) || reduction.iter().any(sized) {
            return Err(e.unfit("columns or steps that are known only at run time in panels"));
        }
        let mut rows = match schedule.row {
            Some((var, height)) => Count::of(e, var)?.parts_of(e, i64::from(height)),
            None => Count::Known(1),
        };
        for &var in &schedule.outer_rows {
            let own = Count::of(e, var)?;
            rows = own.times(e, rows);
        }
        let tiles = (rows, schedule.tiles(e.plan).1);
        let ahead = Ahead::of(e, schedule, column_operand, &reduction).filter(|_| !schedule.lays_columns);
        let next = NextPanel::of(e, schedule, column_operand, &reduction, tiles.0);
        Ok(Panel {
            schedule,
            row_operand,
            column_operand,
            element,
            scalar,
            reduction,
            first_inner,
            scratch,
            tiles,
            ahead,
            next,
        })
    }

    /// One piece: rows are copied, then every tile is finished at once.
    fn whole(&self, e: &mut Emitter<'_>, block: Block) -> Emitted {
        let piece = Piece { start: None, count: None };
        if self.schedule.copy_rows {
            self.copy_rows(e, block, piece)?;
        }
        let epilogue = Epilogue::of(e, self.schedule);
        self.each_tile(e, Walk { block, piece: Some(piece) }, &mut |e, place, points| {
            self.each_vector(e, points, &mut |e| epilogue.ask(e))?;
            let zero = e.code.bits(Ty::vector(self.scalar, self.schedule.lanes), 0);
            let sums = vec![zero; points.rows.len() * points.columns.len()];
            let near = self.near(e, block, place);
            let sums = self.steps(e, points, piece, near, sums)?;
            self.store(e, points, &sums)
        })
    }

    /// Several pieces: sums in scratch, the stores in a walk of their own.
    fn pieces(&self, e: &mut Emitter<'_>, block: Block, (var, steps): (VarId, i64)) -> Emitted {
        self.clear(e);
        self.outer(e, 0, &mut |e| {
            let extent = e.exprs.indices.extent(var);
            let ty = e.index_ty();
            let bounds = (e.code.int(ty, 0), e.code.int(ty, extent));
            e.each(bounds, steps, &mut |e, start| {
                let count = if extent % steps == 0 {
                    e.code.int(ty, steps)
                } else {
                    let end = e.code.int(ty, extent);
                    let left = e.code.sub_i(end, start);
                    let most = e.code.int(ty, steps);
                    e.code.binary("arith.minsi", left, most)
                };
                let piece = Piece { start: Some(start), count: Some(count) };
                if self.schedule.copy_rows {
                    self.copy_rows(e, block, piece)?;
                }
                self.each_tile(e, Walk { block, piece: Some(piece) }, &mut |e, place, points| {
                    let slot = self.slot(e, place);
                    let sums = self.load_sums(e, slot, points);
                    let near = self.near(e, block, place);
                    let sums = self.steps(e, points, piece, near, sums)?;
                    for (at, sum) in sums.into_iter().enumerate() {
                        let pointer = self.sum_pointer(e, slot, at);
                        e.code.line(&format!(
                            "llvm.store {sum}, {pointer} {{alignment = {} : i64}} : {}, {}",
                            self.alignment(),
                            sum.ty,
                            pointer.ty
                        ));
                    }
                    Ok(())
                })
            })
        })?;
        self.each_tile(e, Walk { block, piece: None }, &mut |e, place, points| {
            let slot = self.slot(e, place);
            let sums = self.load_sums(e, slot, points);
            self.store(e, points, &sums)
        })
    }

    /// Loops over the reduction variables outside of the pieces.
    fn outer(&self, e: &mut Emitter<'_>, at: usize, body: &mut dyn FnMut(&mut Emitter<'_>) -> Emitted) -> Emitted {
        if at == self.first_inner {
            return body(e);
        }
        let (var, ty) = (self.reduction[at], e.index_ty());
        let bounds = (e.code.int(ty, 0), e.code.int(ty, e.exprs.indices.extent(var)));
        e.each(bounds, 1, &mut |e, iv| {
            e.bind(var, Some(iv), 1, 0);
            self.outer(e, at + 1, body)
        })
    }

    /// Walks the block's tiles; `visit` gets the tile's place in the block and its points. Of rows of unknown number,
    /// what is left behind the last full tile goes in smaller ones, in which rows behind the last are the last again.
    fn each_tile(&self, e: &mut Emitter<'_>, Walk { block, piece }: Walk, visit: &mut Visit<'_>) -> Emitted {
        let height = self.schedule.height();
        e.each(block.columns, 1, &mut |e, column| {
            let columns = self.bind_columns(e, column);
            if let Some(piece) = piece.filter(|_| self.schedule.lays_columns) {
                let vectors: Vec<Binding> = columns.iter().map(|column| column.0).collect();
                self.lay_columns(e, &vectors, piece)?;
            }
            e.each(block.rows, 1, &mut |e, row| {
                let start = self.bind_start(e, row)?;
                let of = |rows| Points { rows, columns: columns.clone() };
                let place = |e: &mut Emitter<'_>, passed| Place {
                    row: e.code.sub_i(row, block.rows.0),
                    passed,
                    column: e.code.sub_i(column, block.columns.0),
                };
                let Some((var, extent)) = self.open_row(e)?.filter(|_| height > 1) else {
                    let points = of(self.bind_rows(e, start)?);
                    let place = place(e, None);
                    return visit(e, place, &points);
                };
                let first = start.first(e);
                let end = e.code.add_ik(first, height);
                let is_full = e.code.cmp_i("sle", end, extent);
                e.code.begin_if(is_full, &[]);
                let points = of(self.bind_rows(e, start)?);
                let whole = place(e, None);
                visit(e, whole, &points)?;
                e.code.begin_else(&[]);
                let rest = self.rest();
                e.each((first, extent), rest, &mut |e, at| {
                    let bind = |offset| self.bind_row(e, var, at, offset).map(|()| e.binding(var));
                    let points = of((0..rest).map(bind).collect::<Emitted<Vec<_>>>()?);
                    let passed = e.code.sub_i(at, first);
                    let part = place(e, Some(passed));
                    visit(e, part, &points)
                })?;
                e.code.end_if(&[]);
                Ok(())
            })
        })
    }

    /// Rows of a tile behind the last full one.
    pub(super) fn rest(&self) -> i64 {
        self.schedule.height() / REST_PARTS + 1
    }

    /// The variable along the rows of a tile and its extent, where that is known only at run time.
    pub(super) fn open_row(&self, e: &mut Emitter<'_>) -> Emitted<Option<(VarId, Value)>> {
        let Some((var, _)) = self.schedule.row else { return Ok(None) };
        Ok(match Count::of(e, var)? {
            Count::Known(_) => None,
            Count::Run(extent) => Some((var, extent)),
        })
    }

    /// Bindings of the vectors of a column tile.
    fn bind_columns(&self, e: &mut Emitter<'_>, tile: Value) -> Vec<(Binding, Option<Binding>)> {
        let s = self.schedule;
        let extent = e.exprs.indices.extent(s.column);
        let (start, multiple, covered) = start_of(e, tile, s.width(), extent, i64::from(s.lanes));
        if let Some((panel, _)) = s.panel {
            e.bind(panel, Some(tile), 1, 0);
        }
        let last = covered - i64::from(s.lanes);
        let mut offsets: Vec<i64> = (0..covered).step_by(s.lanes as usize).map(|o| o.min(last)).collect();
        offsets.dedup();
        offsets
            .into_iter()
            .filter_map(|offset| {
                e.bind_lanes(s.column, start, multiple, offset);
                let inside = s.panel.and_then(|(_, inside)| {
                    e.bind_lanes(inside, None, 0, offset);
                    e.binding(inside)
                });
                Some((e.binding(s.column)?, inside))
            })
            .collect()
    }

    /// Binds the rows outside of a row tile; where it starts along its own variable.
    pub(super) fn bind_start(&self, e: &mut Emitter<'_>, tile: Value) -> Emitted<Start> {
        let s = self.schedule;
        let Some((var, height)) = s.row else {
            self.bind_outer_rows(e, tile)?;
            return Ok(Start { base: None, multiple: 0, rows: 1 });
        };
        let height = i64::from(height);
        let extent = Count::of(e, var)?;
        let tiles = extent.parts_of(e, height);
        let (number, outer) = tiles.split(e, tile);
        self.bind_outer_rows(e, outer)?;
        let (base, multiple, rows) = match extent {
            Count::Known(extent) => start_of(e, number, height, extent, 1),
            Count::Run(_) => (Some(e.code.int_k("arith.muli", number, height)), height, height),
        };
        Ok(Start { base, multiple, rows })
    }

    /// The bindings of the rows of a tile, all of which exist.
    fn bind_rows(&self, e: &mut Emitter<'_>, start: Start) -> Emitted<Vec<Option<Binding>>> {
        let Some((var, _)) = self.schedule.row else { return Ok(vec![None]) };
        let bind = |offset| {
            e.bind(var, start.base, start.multiple, offset);
            Ok(e.binding(var))
        };
        (0..start.rows).map(bind).collect()
    }

    /// Rows behind the last one are the last once more.
    pub(super) fn bind_row(&self, e: &mut Emitter<'_>, var: VarId, start: Value, offset: i64) -> Emitted {
        let row = e.code.add_ik(start, offset);
        let row = match Count::of(e, var)? {
            Count::Known(_) => row,
            Count::Run(extent) => {
                let last = e.code.add_ik(extent, -1);
                e.code.binary("arith.minsi", row, last)
            }
        };
        e.bind(var, Some(row), 1, 0);
        Ok(())
    }

    fn bind_outer_rows(&self, e: &mut Emitter<'_>, number: Value) -> Emitted {
        let mut rest = number;
        for &var in self.schedule.outer_rows.iter().rev() {
            let extent = Count::of(e, var)?;
            let (value, outer) = extent.split(e, rest);
            e.bind(var, Some(value), 1, 0);
            rest = outer;
        }
        Ok(())
    }

    /// Adds the products of a piece to the sums of a tile.
    fn steps(
        &self,
        e: &mut Emitter<'_>,
        points: &Points,
        piece: Piece,
        near: Near,
        sums: Vec<Value>,
    ) -> Emitted<Vec<Value>> {
        self.nest(e, self.first_inner, piece, None, sums, &mut |e, position, sums| {
            let next = self.step(e, points, (near.copied, position), sums)?;
            if let (Some(panel), Some(start), Some(position)) = (&self.next, near.next, position) {
                self.rebind_column(e, points.columns[0]);
                panel.ask(e, start, piece.start, position)?;
            }
            Ok(next)
        })
    }

    /// What a tile reads besides its columns.
    fn near(&self, e: &mut Emitter<'_>, block: Block, place: Place) -> Near {
        let copied = self.copied(e, place);
        let next = self.next.as_ref().map(|panel| {
            let number = e.code.add_i(block.rows.0, place.row);
            panel.start(e, number)
        });
        Near { copied, next }
    }

    /// Loops over the variables of a piece; `position` is that of the step in it.
    fn nest(
        &self,
        e: &mut Emitter<'_>,
        at: usize,
        piece: Piece,
        position: Option<Value>,
        sums: Vec<Value>,
        body: &mut Step<'_>,
    ) -> Emitted<Vec<Value>> {
        let Some(&var) = self.reduction.get(at) else { return body(e, position, &sums) };
        let (ty, extent) = (e.index_ty(), e.exprs.indices.extent(var));
        let cut = at == self.first_inner;
        let high = piece.count.filter(|_| cut).unwrap_or_else(|| e.code.int(ty, extent));
        let (low, one) = (e.code.int(ty, 0), e.code.int(ty, 1));
        let open = e.code.begin_for(low, high, one, &sums);
        self.bind_step(e, var, piece.start.filter(|_| cut), open.iv);
        let position = match position {
            None => open.iv,
            Some(outer) => {
                let scaled = e.code.int_k("arith.muli", outer, extent);
                e.code.add_i(scaled, open.iv)
            }
        };
        let next = self.nest(e, at + 1, piece, Some(position), open.carried.clone(), body)?;
        Ok(e.code.end_for(open, &next))
    }

    pub(super) fn bind_step(&self, e: &mut Emitter<'_>, var: VarId, start: Option<Value>, step: Value) {
        let value = match start {
            None => step,
            Some(start) => e.code.add_i(start, step),
        };
        e.bind(var, Some(value), 1, 0);
    }

    fn step(
        &self,
        e: &mut Emitter<'_>,
        points: &Points,
        (copied, position): (Option<Value>, Option<Value>),
        sums: &[Value],
    ) -> Emitted<Vec<Value>> {
        let lanes = self.schedule.lanes;
        let mut columns = Vec::with_capacity(points.columns.len());
        for (at, &column) in points.columns.iter().enumerate() {
            if self.schedule.lays_columns {
                columns.push(self.laid_value(e, (position, points.columns.len()), at));
                continue;
            }
            self.rebind_column(e, column);
            let value = e.eval(self.column_operand)?;
            columns.push(e.code.spread(value, lanes));
            Ahead::ask(self.ahead.as_ref(), e, at + 1 == points.columns.len())?;
        }
        let mut next = Vec::with_capacity(sums.len());
        for (at, &row) in points.rows.iter().enumerate() {
            let a = match copied {
                Some(rows) => self.copied_value(e, rows, at as i64, position),
                None => {
                    self.rebind_row(e, row);
                    e.eval(self.row_operand)?
                }
            };
            for &b in &columns {
                next.push(multiply_add(e, self.element, a, b, sums[next.len()])?);
            }
        }
        Ok(next)
    }

    fn rebind_row(&self, e: &mut Emitter<'_>, row: Option<Binding>) {
        if let (Some((var, _)), Some(binding)) = (self.schedule.row, row) {
            e.rebind(var, binding);
        }
    }

    fn rebind_column(&self, e: &mut Emitter<'_>, (column, inside): (Binding, Option<Binding>)) {
        e.rebind(self.schedule.column, column);
        if let (Some((_, var)), Some(binding)) = (self.schedule.panel, inside) {
            e.rebind(var, binding);
        }
    }

    fn store(&self, e: &mut Emitter<'_>, points: &Points, sums: &[Value]) -> Emitted {
        let mut sums = sums.iter();
        self.each_vector(e, points, &mut |e| {
            let sum = sums.next().copied().ok_or_else(|| e.malformed("a tile has fewer sums than points"))?;
            e.set_slot(Slot::Reduced(0), sum);
            let plan = e.plan;
            let values = plan.body.stores().iter().map(|s| e.eval(s.value)).collect::<Result<Vec<_>, _>>()?;
            for (store, value) in plan.body.stores().iter().zip(values) {
                e.store(store.buffer, store.offset, value)?;
            }
            Ok(())
        })
    }

    /// Binds the vectors of a tile, one after the other.
    fn each_vector(
        &self,
        e: &mut Emitter<'_>,
        points: &Points,
        visit: &mut dyn FnMut(&mut Emitter<'_>) -> Emitted,
    ) -> Emitted {
        for &row in &points.rows {
            self.rebind_row(e, row);
            for &column in &points.columns {
                self.rebind_column(e, column);
                visit(e)?;
            }
        }
        Ok(())
    }
}

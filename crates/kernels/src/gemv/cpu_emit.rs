//! Writes a GEMV for processors (`cpu`): loops over tiles and blocks, a block's products written out.

use std::collections::HashMap;

use fornax_emit::blocks::product::multiply_add;
use fornax_emit::emitter::{Binding, Emitter, Slot};
use fornax_emit::errors::EmitError;
use fornax_emit::text::{Scalar, Ty, Value};
use fornax_graph::ElementType;
use fornax_plan::walk::Reached;
use fornax_plan::{Binary, IndexId, Node, NodeId, VarId};

use super::affine::Affine;
use super::cpu::CpuGemvSchedule;
use super::cpu_ahead::{Ahead, Number, Place};
use super::emit::{Bound, bind_joint, bindings, rebind};
use super::products::{Space, Stage, Stages};
use super::schedule::points;
use super::unpacked::Scaled;

/// Bytes of an operand from which it comes from memory: with all others of its model it is more than the caches hold.
const FAR_BYTES: i64 = 64 * 1024;
/// Bytes of what is asked for early, at most.
const AHEAD_BYTES_MAX: i64 = 256 * 1024;

/// Emits the kernel.
pub(super) fn emit(e: &mut Emitter<'_>, schedule: &CpuGemvSchedule) -> Result<(), EmitError> {
    let plan = e.plan;
    let (columns, per_group) = (i64::from(schedule.columns), i64::from(schedule.tiles_per_workgroup));
    if schedule.lanes == 0 || columns == 0 || per_group == 0 || points(plan, &schedule.long) as i64 % columns != 0 {
        return Err(e.unfit("the columns of a GEMV schedule do not divide its extents"));
    }
    let stages = schedule.stages(plan);
    let fits = |space: &Space| e.exprs.indices.extent(space.inner) % i64::from(schedule.lanes) == 0;
    if stages.stages.is_empty() || !stages.spaces().all(fits) {
        return Err(e.unfit("the lanes of a GEMV schedule do not divide its steps"));
    }
    let rows = points(plan, &schedule.short) as i64;
    let ahead = Ahead::of(plan, schedule.columns, &stages);
    let gemv = CpuGemv { schedule, stages, ahead, rows };
    let ty = e.index_ty();
    let group = e.abi.workgroup_id(&mut e.code, ty.scalar);
    let bounds = e.share_of_workgroup(group, per_group, schedule.tiles(plan) as i64);
    e.each(bounds, 1, &mut |e, tile| gemv.tile(e, tile))
}

struct CpuGemv<'a> {
    schedule: &'a CpuGemvSchedule,
    stages: Stages,
    /// What blocks have in common and is in scratch when they are multiplied.
    ahead: Ahead,
    rows: i64,
}

/// Products of a sum that have a scale and an offset in common: their numbers among a space's terms.
struct Shared {
    sum: usize,
    terms: Vec<usize>,
}

/// Vectors of a block's short operands: by number, row and vector; and the sum of the vectors of each.
struct Short {
    vectors: Vec<Vec<Vec<Value>>>,
    totals: Vec<Vec<Value>>,
}

impl CpuGemv<'_> {
    /// One tile, from its number to its stores.
    fn tile(&self, e: &mut Emitter<'_>, tile: Value) -> Result<(), EmitError> {
        let s = self.schedule;
        let count = i64::from(s.columns);
        let mut batch = tile;
        let column = e.next_digit(&mut batch, points(e.plan, &s.long) as i64 / count);
        bind_joint(e, &s.batch, batch);
        let first = e.code.int_k("arith.muli", column, count);
        let mut columns: Vec<Bound> = Vec::new();
        for at in 0..count {
            if let [var] = s.long[..] {
                e.bind(var, Some(first), count, at);
            } else {
                let number = e.code.add_ik(first, at);
                bind_joint(e, &s.long, number);
            }
            columns.push(bindings(e, &s.long));
        }
        for (space, numbers) in self.stages.spaces().zip(&self.ahead.of_space) {
            if !numbers.is_empty() {
                let outer = &space.reduction[..space.reduction.len() - 1];
                Place::of(e, space, numbers).compute(e, (space, outer), &columns, s.lanes)?;
            }
        }
        let mut sums: Vec<Vec<Value>> = Vec::new();
        let mut ahead = self.ahead.of_space.iter();
        for stage in &self.stages.stages {
            let found = self.stage(e, stage, &columns, &mut ahead)?;
            sums.extend(found.chunks(self.rows as usize * columns.len()).map(<[Value]>::to_vec));
        }
        e.lanes = 1;
        for row in 0..self.rows as usize {
            self.bind_row(e, row);
            for (at, column) in columns.iter().enumerate() {
                rebind(e, column);
                for (index, &place) in self.stages.places.iter().enumerate() {
                    e.set_slot(Slot::Reduced(index as u32), sums[place][row * columns.len() + at]);
                }
                let stores = e.plan.body.stores();
                let values = stores.iter().map(|s| e.eval(s.value)).collect::<Result<Vec<_>, _>>()?;
                for (store, value) in stores.iter().zip(values) {
                    e.store(store.buffer, store.offset, value)?;
                }
            }
        }
        Ok(())
    }

    /// The sums of a stage: by number, then row, then column.
    fn stage<'a>(
        &self,
        e: &mut Emitter<'_>,
        stage: &Stage,
        columns: &[Bound],
        ahead: &mut impl Iterator<Item = &'a Vec<Number>>,
    ) -> Result<Vec<Value>, EmitError> {
        let ty = Ty::vector(Scalar::F32, self.schedule.lanes);
        let zero = e.code.bits(ty, 0);
        let mut sums = vec![zero; stage.sums.len() * self.rows as usize * columns.len()];
        for space in &stage.spaces {
            let outer = &space.reduction[..space.reduction.len() - 1];
            let numbers = ahead.next().map_or(&[][..], Vec::as_slice);
            let place = Place::of(e, space, numbers);
            sums = self.nest(e, (space, outer), columns, (place, sums))?;
        }
        Ok(sums.into_iter().map(|sum| total_of_lanes(e, sum)).collect())
    }

    /// The loops over a space's blocks.
    fn nest(
        &self,
        e: &mut Emitter<'_>,
        (space, outer): (&Space, &[VarId]),
        columns: &[Bound],
        (place, sums): (Place<'_>, Vec<Value>),
    ) -> Result<Vec<Value>, EmitError> {
        let Some((&var, inner)) = outer.split_first() else { return self.block(e, space, columns, (place, sums)) };
        let (ty, extent) = (e.index_ty(), e.exprs.indices.extent(var));
        if extent == 1 {
            e.bind(var, None, 1, 0);
            return self.nest(e, (space, inner), columns, (place, sums));
        }
        let [low, high, one] = [0, extent, 1].map(|k| e.code.int(ty, k));
        let open = e.code.begin_for(low, high, one, &sums);
        e.bind(var, Some(open.iv), 1, 0);
        let place = place.within(e, open.iv, extent);
        let next = self.nest(e, (space, inner), columns, (place, open.carried.clone()))?;
        Ok(e.code.end_for(open, &next))
    }

    /// Adds the products of a block to sums.
    fn block(
        &self,
        e: &mut Emitter<'_>,
        space: &Space,
        columns: &[Bound],
        (place, mut sums): (Place<'_>, Vec<Value>),
    ) -> Result<Vec<Value>, EmitError> {
        let lanes = self.schedule.lanes;
        e.lanes = lanes;
        let vectors: Vec<Binding> = (0..e.exprs.indices.extent(space.inner) / i64::from(lanes))
            .filter_map(|at| {
                e.bind_lanes(space.inner, None, 1, at * i64::from(lanes));
                e.binding(space.inner)
            })
            .collect();
        let short = self.short(e, space, &vectors)?;
        let shared = shared(space);
        for (at, column) in columns.iter().enumerate() {
            rebind(e, column);
            self.ask_for_next(e, (space, &vectors))?;
            let mut bytes = HashMap::new();
            let mut long = Vec::new();
            for affine in &space.affine {
                let mut own = Vec::new();
                for (number, &vector) in vectors.iter().enumerate() {
                    e.rebind(space.inner, vector);
                    own.push(unpacked(e, (affine, number), &mut bytes)?);
                }
                long.push(own);
            }
            for group in &shared {
                let affine = &space.affine[space.terms[group.terms[0]].long];
                let mut common = Vec::new();
                for step in &affine.steps {
                    let value = match place.find(e, step.common, at) {
                        Some(value) => value,
                        None => e.eval(step.common)?,
                    };
                    common.push(e.code.spread(value, lanes));
                }
                for row in 0..self.rows as usize {
                    let scaled = self.products(e, (space, group), (&short, &long), row)?;
                    let sum = &mut sums[(group.sum * self.rows as usize + row) * columns.len() + at];
                    *sum = affine.add_scaled(e, scaled, &common, *sum);
                }
            }
        }
        Ok(sums)
    }

    /// What a block has of the short operands.
    fn short(&self, e: &mut Emitter<'_>, space: &Space, vectors: &[Binding]) -> Result<Short, EmitError> {
        let mut all = Short { vectors: Vec::new(), totals: Vec::new() };
        for &node in &space.short {
            let (mut of_node, mut totals) = (Vec::new(), Vec::new());
            for row in 0..self.rows as usize {
                self.bind_row(e, row);
                let mut own = Vec::new();
                for &vector in vectors {
                    e.rebind(space.inner, vector);
                    let value = e.eval(node)?;
                    own.push(e.code.spread(value, self.schedule.lanes));
                }
                let total = own.iter().copied().reduce(|a, b| e.code.add_f(a, b));
                totals.push(total.ok_or_else(|| e.malformed("a GEMV without steps"))?);
                of_node.push(own);
            }
            all.vectors.push(of_node);
            all.totals.push(totals);
        }
        Ok(all)
    }

    /// The products of a row and a column of some terms, as they are before their scale.
    fn products(
        &self,
        e: &mut Emitter<'_>,
        (space, group): (&Space, &Shared),
        (short, long): (&Short, &[Vec<Value>]),
        row: usize,
    ) -> Result<Scaled, EmitError> {
        let terms = || group.terms.iter().map(|&term| space.terms[term]);
        let minus = space.affine[space.terms[group.terms[0]].long].minus();
        let total = terms().map(|term| short.totals[term.short][row]).reduce(|a, b| e.code.add_f(a, b));
        let total = total.ok_or_else(|| e.malformed("a GEMV without products"))?;
        let mut sum = if minus == 0.0 { None } else { Some(e.code.mul_k(total, -minus)) };
        for term in terms() {
            for (&x, &w) in short.vectors[term.short][row].iter().zip(&long[term.long]) {
                sum = Some(match sum {
                    Some(sum) => multiply_add(e, ElementType::F32, x, w, sum)?,
                    None => e.code.mul_f(x, w),
                });
            }
        }
        let products = sum.ok_or_else(|| e.malformed("a GEMV without products"))?;
        Ok(Scaled { products, total, unit: 1.0 })
    }

    /// Asks for the bytes of the next tile at the place of this one's.
    fn ask_for_next(&self, e: &mut Emitter<'_>, (space, vectors): (&Space, &[Binding])) -> Result<(), EmitError> {
        let [var] = self.schedule.long[..] else { return Ok(()) };
        let Some(&first) = vectors.first() else { return Ok(()) };
        let mut known: Vec<(u32, IndexId)> = Vec::new();
        let sources: Vec<NodeId> = space.affine.iter().map(|affine| affine.source).collect();
        for node in Reached::from(e.exprs, sources, &[]).nodes {
            let Node::Load { buffer, offset, mask: None, .. } = *e.exprs.node(node) else { continue };
            let Some(memory) = e.plan.buffers.get(buffer as usize) else { continue };
            let element = memory.element.storage_bytes() as i64;
            let all = memory.elements.saturating_mul(element);
            let rows = e.exprs.indices.stride(offset, var).unwrap_or(0).saturating_mul(element);
            let bytes = rows.saturating_mul(i64::from(self.schedule.columns));
            if all >= FAR_BYTES && (1..=AHEAD_BYTES_MAX).contains(&bytes) && !known.contains(&(buffer, offset)) {
                known.push((buffer, offset));
                e.rebind(space.inner, first);
                e.ask_for(buffer, offset, [bytes])?;
            }
        }
        Ok(())
    }

    /// Binds the short variables to a short output.
    fn bind_row(&self, e: &mut Emitter<'_>, row: usize) {
        let mut rest = row as i64;
        for &var in self.schedule.short.iter().rev() {
            let extent = e.exprs.indices.extent(var).max(1);
            e.bind(var, None, 1, rest % extent);
            rest /= extent;
        }
    }
}

/// A space's terms by what they have in common.
fn shared(space: &Space) -> Vec<Shared> {
    let mut all: Vec<Shared> = Vec::new();
    for (number, term) in space.terms.iter().enumerate() {
        let own = &space.affine[term.long];
        let alike = |group: &&mut Shared| {
            let first = &space.affine[space.terms[group.terms[0]].long];
            group.sum == term.sum && first.steps == own.steps && first.minus() == own.minus()
        };
        match all.iter_mut().find(alike) {
            Some(group) => group.terms.push(number),
            None => all.push(Shared { sum: term.sum, terms: vec![number] }),
        }
    }
    all
}

/// A vector of a long operand before its scale; what is taken from whole numbers is not. Halves of a byte are parted
/// when they have 32 bits: processors shift no bytes, and one widening serves both.
fn unpacked(
    e: &mut Emitter<'_>,
    (affine, number): (&Affine, usize),
    bytes: &mut HashMap<(NodeId, usize), Value>,
) -> Result<Value, EmitError> {
    let lanes = e.lanes;
    if affine.mantissa.is_none() {
        let value = e.eval(affine.source)?;
        return Ok(e.code.spread(value, lanes));
    }
    let constant = |node: NodeId| match *e.exprs.node(node) {
        Node::Constant { bits, .. } => i64::try_from(bits).ok(),
        _ => None,
    };
    let (source, by) = match *e.exprs.node(affine.source) {
        Node::Binary { op: op @ (Binary::And | Binary::ShiftRightLogical), a, b } => match constant(b) {
            Some(by) => (a, Some((op, by))),
            None => (affine.source, None),
        },
        _ => (affine.source, None),
    };
    let wide = match bytes.get(&(source, number)) {
        Some(&wide) => wide,
        None => {
            let value = e.eval(source)?;
            let value = e.code.spread(value, lanes);
            e.code.resize_u(value, Scalar::I32)
        }
    };
    bytes.insert((source, number), wide);
    let own = match by {
        Some((Binary::And, mask)) => e.code.and_k(wide, mask),
        Some((_, by)) => e.code.shr_uk(wide, by),
        None => wide,
    };
    Ok(e.code.cast("arith.sitofp", own, Scalar::F32))
}

/// The sum of a vector's lanes, in halves.
fn total_of_lanes(e: &mut Emitter<'_>, mut value: Value) -> Value {
    while value.ty.lanes > 1 && value.ty.lanes.is_multiple_of(2) {
        let half = value.ty.lanes / 2;
        let (low, high) = (e.code.slice(value, 0, half), e.code.slice(value, half, half));
        value = e.code.add_f(low, high);
    }
    value
}

//! Long operands that are unpacked in registers: a block's loads are all under way before any of it is unpacked.
//!
//! A thread asks for the bytes of all rows of its block, for what their lanes have in common, and for the short
//! operand. Then the warp meets, which no load moves across, and the rows are unpacked and multiplied one by one: short
//! elements are read once for all of them. Before the kernels that this one depends on are over, the first block's
//! bytes are on their way.
//!
//! Worked example: Q4_0, 8 rows, 16 bytes a row: 8 loads of 16 bytes, 8 scales and 32 elements of x are under way at
//! the meeting; then a row takes 8 operations to extract 32 elements, and two operations each.

pub(super) mod pipeline;

use std::collections::HashMap;
use std::ops::Range;

use fornax_emit::blocks::product::multiply_add;
use fornax_emit::emitter::Emitter;
use fornax_emit::errors::EmitError;
use fornax_emit::text::Value;
use fornax_plan::walk::Reached;
use fornax_plan::{Binary, Node, NodeId};
use fornax_targets::Backend;

use super::affine::{Affine, Mantissa};
use super::emit::{Bound, Gemv, Start, rebind};
use super::finish::Kept;
use super::interleave::Beside;
use super::prefetch::meet;
use super::products::Space;
use super::staged::Staged;
use super::steps::{Loaded, Steps};

/// Products by each thread for itself, of operands that are unpacked.
pub(super) struct ByUnpacking<'a, 'p> {
    pub gemv: &'p Gemv<'a>,
    pub space: &'p Space,
    pub points: &'p [Bound],
    /// That of the first row, where all are neighbours.
    pub rows: Option<&'p Bound>,
    /// The short operands in shared memory, and the space's number there.
    pub staged: Option<(&'p Staged, usize)>,
}

/// A row of a block, and what its elements have in common, by step.
struct Row {
    elements: Value,
    common: Vec<Value>,
}

/// What a row's loads gave, before anything is computed of it.
pub(super) type Raw = Vec<(NodeId, Value)>;

/// Where a thread works: its number in the workgroup, the workgroup's number along the long side, and what of the
/// number goes down the contraction and across the long side.
pub(super) struct Place {
    pub thread: Value,
    pub column_group: Value,
    pub down: Value,
    pub across: Value,
}

/// Emits what follows where a thread's place is known.
pub(super) fn emit(e: &mut Emitter<'_>, gemv: &Gemv<'_>, place: &Place, points: &[Bound]) -> Result<(), EmitError> {
    let &Place { thread, column_group, down, across } = place;
    let s = gemv.schedule;
    if s.turns > 0 {
        return gemv.in_turn(e, place);
    }
    let rows = gemv.neighbours(e, points);
    let unstaged = |space| ByUnpacking { gemv, space, points, rows, staged: None };
    let mut begun = None;
    let is_early = gemv.is_early(e)?;
    let is_settled = is_early && s.staged && gemv.is_settled(e);
    if is_early {
        if let Some(first) = gemv.stages.spaces().next() {
            begun = gemv.begin_first(e, down, &unstaged(first))?;
        }
        if !is_settled {
            gemv.await_earlier(e)?;
        }
    }
    let staged = if s.staged { Some(Staged::of(e, gemv, thread)?) } else { None };
    if is_settled {
        gemv.await_earlier(e)?;
    }
    let ahead = gemv.ahead(e, (thread, column_group), None)?;
    let mut kept = Kept { parts: 0, stride: gemv.rows * s.width() as i64, array: None, ahead };
    let mut number = 0;
    for stage in &gemv.stages.stages {
        let mut sums = gemv.cleared(e, stage)?;
        for space in &stage.spaces {
            let steps = ByUnpacking { staged: staged.as_ref().map(|staged| (staged, number)), ..unstaged(space) };
            number += 1;
            sums = if s.quads {
                steps.fold_ahead(e, (down, sums), begun.take())?
            } else {
                gemv.fold(e, (down, sums), &steps, begun.take())?
            };
        }
        let shares = gemv.exchange(e, sums, down)?;
        let entries = gemv.entries(e, &shares, (across, stage.sums.start));
        kept.parts = shares.parts;
        gemv.keep(e, &mut kept, (&entries, shares.writes))?;
    }
    gemv.finish(e, &kept, (thread, column_group))
}

impl ByUnpacking<'_, '_> {
    /// Binds what a row of a block is read at.
    pub(super) fn bind(&self, e: &mut Emitter<'_>, Start { outer, base, .. }: &Start, point: &Bound) {
        let s = self.gemv.schedule;
        rebind(e, outer);
        e.lanes = s.lanes;
        e.bind_lanes(self.space.inner, Some(*base), s.block() as i64, 0);
        rebind(e, point);
    }
}

impl Steps for ByUnpacking<'_, '_> {
    type Load = Raw;

    fn space(&self) -> &Space {
        self.space
    }

    fn begins_all(&self) -> bool {
        true
    }

    fn fetch(&self, e: &mut Emitter<'_>, starts: &[Start], loads: Range<usize>) -> Result<Loaded<Self>, EmitError> {
        let mut fetched = Vec::new();
        for start in starts {
            let mut of_block = vec![Vec::new(); self.space.long.len()];
            let beside = if loads.is_empty() { HashMap::new() } else { self.fetch_beside(e, start)? };
            for (row, point) in self.points.iter().enumerate().take(loads.end).skip(loads.start) {
                self.bind(e, start, point);
                for (long, own) in self.space.long.iter().zip(&mut of_block) {
                    let mut raw = Raw::new();
                    for node in own_loads(e, *long) {
                        let value = match beside.get(&node) {
                            Some(&(vector, first)) => e.code.extract(vector, first + row as u32),
                            None => e.eval(node)?,
                        };
                        raw.push((node, value));
                    }
                    own.push(raw);
                }
            }
            fetched.push(of_block);
        }
        Ok(fetched)
    }

    fn multiply(
        &self,
        e: &mut Emitter<'_>,
        (starts, long): (&[Start], Loaded<Self>),
        mut sums: Vec<Value>,
        whole: bool,
    ) -> Result<Vec<Value>, EmitError> {
        let &ByUnpacking { gemv, space, staged, .. } = self;
        let mut fetched = Vec::new();
        for start in starts.iter().filter(|_| staged.is_none()) {
            let short = space.short.iter().map(|&short| gemv.fetch_short(e, (space.inner, short), start));
            fetched.push(short.collect::<Result<Vec<_>, _>>()?);
        }
        if whole && e.target.backend == Backend::Cuda {
            meet(e);
        }
        let mut fetched = fetched.into_iter();
        for (start, long) in starts.iter().zip(&long) {
            let Some((staged, number)) = staged else {
                let short = fetched.next().unwrap_or_default();
                self.add(e, (start, long), &short, &mut sums)?;
                continue;
            };
            if gemv.schedule.fixed {
                self.add_by_bytes(e, (start, long), (staged, number), &mut sums)?;
                continue;
            }
            if gemv.half.is_some() {
                self.add_by_quads(e, (start, long), (staged, number), &mut sums)?;
                continue;
            }
            let vector = |e: &mut Emitter<'_>, short| -> Vec<Value> {
                (0..gemv.rows as u64).map(|row| staged.read(e, (number, short, row), start.number)).collect()
            };
            let short: Vec<Vec<Value>> = (0..space.short.len()).map(|short| vector(e, short)).collect();
            self.add(e, (start, long), &short, &mut sums)?;
        }
        Ok(sums)
    }
}

/// The loads that a node needs.
fn own_loads(e: &Emitter<'_>, node: NodeId) -> Vec<NodeId> {
    let nodes = Reached::from(e.exprs, [node], &[]).nodes.into_iter();
    nodes.filter(|&node| matches!(e.exprs.node(node), Node::Load { .. })).collect()
}

impl ByUnpacking<'_, '_> {
    /// Fetches what rows have side by side (`interleave`): by load, a vector and the lane of the first row.
    fn fetch_beside(
        &self,
        e: &mut Emitter<'_>,
        Start { outer, base, .. }: &Start,
    ) -> Result<HashMap<NodeId, (Value, u32)>, EmitError> {
        let (s, inner) = (self.gemv.schedule, self.space.inner);
        let mut fetched = HashMap::new();
        let (Some(rows), Some(&row)) = (self.rows, s.long.last()) else { return Ok(fetched) };
        let mut loaded: HashMap<u32, Value> = HashMap::new();
        for node in self.space.long.iter().flat_map(|&long| own_loads(e, long)).collect::<Vec<_>>() {
            let Some(beside) = Beside::of(e.plan, node, (row, s.tile.into()), &self.space.reduction) else { continue };
            if e.exprs.index_varies(beside.offset, inner) {
                continue;
            }
            let vector = match loaded.get(&beside.buffer) {
                Some(&vector) => vector,
                None => {
                    rebind(e, outer);
                    rebind(e, rows);
                    e.bind(inner, Some(*base), s.block() as i64, 0);
                    e.load_group(beside.buffer, beside.offset, (beside.count, beside.first))?
                }
            };
            loaded.insert(beside.buffer, vector);
            fetched.insert(node, (vector, beside.first));
        }
        e.lanes = s.lanes;
        Ok(fetched)
    }

    /// Gives what a row's loads gave to what is computed of it.
    pub(super) fn provide(&self, e: &mut Emitter<'_>, raw: &Raw) {
        for &(node, value) in raw {
            e.provide(node, value);
        }
    }

    /// Adds the products of a block to sums.
    fn add(
        &self,
        e: &mut Emitter<'_>,
        (start, long): (&Start, &[Vec<Raw>]),
        short: &[Vec<Value>],
        sums: &mut [Value],
    ) -> Result<(), EmitError> {
        let &ByUnpacking { gemv, space, points, .. } = self;
        let totals: Vec<Vec<Value>> =
            short.iter().map(|rows| rows.iter().map(|&row| total(e, row)).collect()).collect();
        for (at, point) in points.iter().enumerate() {
            for (number, affine) in space.affine.iter().enumerate() {
                self.bind(e, start, point);
                self.provide(e, &long[number][at]);
                let row = gemv.unpack(e, affine)?;
                for term in space.terms.iter().filter(|term| term.long == number) {
                    for (row_at, (&x, &total)) in short[term.short].iter().zip(&totals[term.short]).enumerate() {
                        let own = gemv.rows as usize * points.len();
                        let sum = &mut sums[term.sum * own + row_at * points.len() + at];
                        *sum = gemv.add_unpacked(e, (affine, &row), (x, total), *sum)?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// The sum of a vector's lanes, in pairs.
fn total(e: &mut Emitter<'_>, row: Value) -> Value {
    let mut parts: Vec<Value> = (0..row.ty.lanes).map(|lane| e.code.extract(row, lane)).collect();
    while parts.len() > 1 {
        parts = parts.chunks(2).map(|two| if let [a, b] = *two { e.code.add_f(a, b) } else { two[0] }).collect();
    }
    parts[0]
}

impl Gemv<'_> {
    /// Adds the product of an unpacked row and a short one, whose sum is `total`, to a sum.
    fn add_unpacked(
        &self,
        e: &mut Emitter<'_>,
        (affine, row): (&Affine, &Row),
        (x, total): (Value, Value),
        sum: Value,
    ) -> Result<Value, EmitError> {
        let mut so_far = affine.start(e, total);
        if so_far.is_none() && affine.steps.is_empty() {
            so_far = Some(sum);
        }
        for lane in 0..self.schedule.lanes {
            let (a, b) = (e.code.extract(row.elements, lane), e.code.extract(x, lane));
            so_far = Some(match so_far {
                Some(so_far) => multiply_add(e, self.element, a, b, so_far)?,
                None => e.code.mul_f(a, b),
            });
        }
        let so_far = so_far.unwrap_or(sum);
        if affine.is_plain() {
            return Ok(so_far);
        }
        let unit = affine.mantissa.map_or(1.0, |mantissa| unit_of(mantissa.bits));
        Ok(affine.add_scaled(e, Scaled { products: so_far, total, unit }, &row.common, sum))
    }

    /// The elements of a row, and what they have in common, by step.
    fn unpack(&self, e: &mut Emitter<'_>, affine: &Affine) -> Result<Row, EmitError> {
        let value = e.eval(affine.source)?;
        let value = e.code.spread(value, self.schedule.lanes);
        let elements = match affine.mantissa {
            Some(Mantissa { bits, .. }) => e.bytes_from_two(value, bits).ok_or_else(|| e.unfit("bytes of a GEMV"))?,
            None => value,
        };
        Ok(Row { elements, common: self.common(e, affine)? })
    }

    /// What the elements of a row have in common, by step.
    pub(super) fn common(&self, e: &mut Emitter<'_>, affine: &Affine) -> Result<Vec<Value>, EmitError> {
        let mut common = Vec::new();
        for step in &affine.steps {
            let value = e.eval(step.common)?;
            common.push(if value.ty.is_vector() { e.code.extract(value, 0) } else { value });
        }
        Ok(common)
    }
}

/// The sum of a row's products before its scale, in some unit, and Σ x.
pub(super) struct Scaled {
    pub products: Value,
    pub total: Value,
    pub unit: f64,
}

impl Affine {
    /// What is taken from each number.
    pub(super) fn minus(&self) -> f64 {
        self.mantissa.map_or(0.0, |mantissa| mantissa.minus)
    }

    /// What the sum of a row's products begins with, in units of 2ᵏ⁻¹ where there is a mantissa: what is not v of it.
    fn start(&self, e: &mut Emitter<'_>, total: Value) -> Option<Value> {
        let Mantissa { bits, minus } = self.mantissa?;
        let below = e.code.float(total.ty, -2.0 - minus / unit_of(bits));
        Some(e.code.mul_f(total, below))
    }

    /// Adds the steps of a row's products to a sum.
    pub(super) fn add_scaled(
        &self,
        e: &mut Emitter<'_>,
        Scaled { products, total, mut unit }: Scaled,
        common: &[Value],
        sum: Value,
    ) -> Value {
        let offsets = self.steps.iter().rev().take_while(|step| step.op != Binary::Multiply && !step.common_first);
        let scales = self.steps.len() - offsets.count();
        let (mut so_far, mut sum) = (products, sum);
        for (at, (step, &common)) in self.steps.iter().zip(common).enumerate() {
            if step.op == Binary::Multiply {
                let scale = if unit == 1.0 { common } else { scaled(e, common, unit) };
                unit = 1.0;
                if at + 1 == scales {
                    sum = e.code.fma(so_far, scale, sum);
                } else {
                    so_far = e.code.mul_f(so_far, scale);
                }
                continue;
            }
            let (onto, own) = match (at < scales, unit == 1.0) {
                (false, _) => (sum, total),
                (true, true) => (so_far, total),
                (true, false) => (so_far, scaled(e, total, unit.recip())),
            };
            let next = match (step.op, step.common_first) {
                (Binary::Subtract, true) => {
                    let negated = e.code.neg_f(onto);
                    e.code.fma(common, own, negated)
                }
                (Binary::Subtract, false) => {
                    let negated = e.code.neg_f(common);
                    e.code.fma(negated, own, onto)
                }
                _ => e.code.fma(common, own, onto),
            };
            if at < scales { so_far = next } else { sum = next }
        }
        let is_added = scales.checked_sub(1).is_some_and(|last| self.steps[last].op == Binary::Multiply);
        if is_added { sum } else { e.code.fma_k(so_far, unit, sum) }
    }
}

/// What 1 more of such floats is more of whole numbers.
fn unit_of(bits: u32) -> f64 {
    f64::from(1u32 << bits) / 2.0
}

fn scaled(e: &mut Emitter<'_>, value: Value, by: f64) -> Value {
    let by = e.code.float(value.ty, by);
    e.code.mul_f(value, by)
}

//! What passes over the rounds of repeated loops share: which buffers steps name, what an index is in a round, loops
//! that are written out.
//!
//! A repeated loop is written out where a value is at another place each round ([`Place::ByRound`]): commands bind
//! bytes, and those are others in each round. Kernels are not compiled anew. Limits: [`COMMANDS_MAX`] commands.

use std::collections::{HashMap, HashSet};

use fornax_graph::{Graph, OpId, OpKind, TensorType, ValueId};
use fornax_plan::Access;

use super::commands::Builder;
use super::fuse_loop::key;
use super::launch::{Copies, Counter, Rounds, Step};
use super::sizes::Bytes;
use super::storage::{ByRound, Key, Place, Source};
use super::trips::integer;
use crate::errors::PassError;
use crate::facts::ops::tensor;
use crate::facts::scalar::body;

/// Commands of a loop that is written out, at most. Each is some hundred bytes of the module.
const COMMANDS_MAX: u64 = 4096;
/// What kernels rely on of a buffer's address, bytes ([`fornax_plan::Buffer`]).
pub(super) const BASE_BYTES: u64 = 16;
/// Ops between a counter and an index, at most.
const DEPTH_MAX: usize = 16;

/// How often steps name a buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Named {
    pub(super) all: usize,
    /// To read it.
    pub(super) reads: usize,
}

/// The same of each buffer.
pub(super) type Uses = HashMap<Key, Named>;

/// A repeated loop that may be written out.
pub(super) struct Loop<'l> {
    pub(super) count: u64,
    pub(super) rounds: &'l Rounds,
    pub(super) body: &'l mut Vec<Step>,
    written_out: &'l mut Option<usize>,
}

/// Changes a loop's round; gives the steps that follow the loop.
type OfLoop<'p> = &'p mut dyn FnMut(&mut Builder<'_, '_>, &mut Loop<'_>) -> Result<Vec<Step>, PassError>;

/// Offers every repeated loop of a function that may be written out, inner ones first.
pub(super) fn each_loop(b: &mut Builder<'_, '_>, steps: Vec<Step>, pass: OfLoop<'_>) -> Result<Vec<Step>, PassError> {
    let mut out = Vec::with_capacity(steps.len());
    for step in steps {
        let mut behind = Vec::new();
        out.push(match step {
            Step::If { predicate, then_steps, else_steps } => {
                let then_steps = each_loop(b, then_steps, pass)?;
                Step::If { predicate, then_steps, else_steps: each_loop(b, else_steps, pass)? }
            }
            Step::While { condition, predicate, body, guarded } => {
                let condition = each_loop(b, condition, pass)?;
                Step::While { condition, predicate, body: each_loop(b, body, pass)?, guarded }
            }
            Step::Repeat { count, body, rounds, mut written_out } => {
                let mut body = each_loop(b, body, pass)?;
                if commands(&body).saturating_mul(count) <= COMMANDS_MAX {
                    let (body, written_out) = (&mut body, &mut written_out);
                    behind = pass(b, &mut Loop { count, rounds: &rounds, body, written_out })?;
                }
                Step::Repeat { count, body, rounds, written_out }
            }
            other => other,
        });
        out.append(&mut behind);
    }
    Ok(out)
}

/// A place, and where its values are instead, by round.
pub(super) struct Moved {
    pub(super) from: Place,
    pub(super) places: Vec<(Place, u64)>,
}

impl Loop<'_> {
    /// Moves every value at one place to another place each round; `places` has one more for what follows the loop.
    pub(super) fn place_by_round(&mut self, b: &mut Builder<'_, '_>, from: Place, places: Vec<(Place, u64)>) {
        let rounds_of = self.write_out(b);
        b.storage.move_all(from, ByRound { rounds_of, places });
    }

    /// The number of the loop, which is written out from now on.
    fn write_out(&mut self, b: &mut Builder<'_, '_>) -> usize {
        *self.written_out.get_or_insert_with(|| {
            b.storage.rounds.push(0);
            b.storage.rounds.len() - 1
        })
    }

    /// Whether the loop is written out, under this number.
    pub(super) fn is_number(&self, number: usize) -> bool {
        *self.written_out == Some(number)
    }

    /// The same of one value alone.
    pub(super) fn place_one_by_round(&mut self, b: &mut Builder<'_, '_>, value: Source, places: Vec<(Place, u64)>) {
        let rounds_of = self.write_out(b);
        b.storage.places.insert(value, Place::ByRound(b.storage.by_round.len()));
        b.storage.by_round.push(ByRound { rounds_of, places });
    }

    /// An intermediate whose place is needed no more.
    pub(super) fn give_back(b: &mut Builder<'_, '_>, place: Place) {
        if let Place::Arena(number) = place {
            b.storage.intervals[number].bytes = Bytes::Fixed(0);
        }
    }
}

/// Commands that steps become.
fn commands(steps: &[Step]) -> u64 {
    let each = |step: &Step| match step {
        Step::If { then_steps, else_steps, .. } => commands(then_steps) + commands(else_steps) + 1,
        Step::While { condition, body, .. } => commands(condition) + commands(body) + 1,
        Step::Repeat { count, body, written_out: Some(_), .. } => commands(body).saturating_mul(*count),
        Step::Repeat { body, .. } => commands(body) + 1,
        _ => 1,
    };
    steps.iter().map(each).fold(0, u64::saturating_add)
}

pub(super) fn in_steps(b: &Builder<'_, '_>, steps: &[Step]) -> Uses {
    let mut found = Uses::new();
    for step in steps {
        accesses(step, &mut |source, access| {
            let named = found.entry(key(b, source)).or_default();
            named.all += 1;
            named.reads += usize::from(access != Access::Write);
        });
    }
    found
}

/// Whether a kernel writes a buffer with this access.
pub(super) fn writes(access: Access) -> bool {
    !matches!(access, Access::Read | Access::Guard | Access::Overwritten)
}

/// Whether one kernel writes all of a buffer before any other step names it, and nothing else writes it.
pub(super) fn is_made_first(b: &Builder<'_, '_>, steps: &[Step], named: Key) -> bool {
    let (mut first, mut written) = (None, 0);
    for step in steps {
        let mut whole = false;
        let mut seen = false;
        accesses(step, &mut |source, access| {
            if key(b, source) == named {
                seen = true;
                written += usize::from(writes(access));
                whole |= access == Access::Write;
            }
        });
        if seen && first.is_none() {
            first = Some(whole && matches!(step, Step::Launch(_)));
        }
    }
    first == Some(true) && written == 1
}

/// The buffers that a place is part of in some round.
pub(super) fn roots(b: &Builder<'_, '_>, place: Place) -> Vec<Place> {
    let Place::ByRound(n) = place else { return vec![place] };
    let places = b.storage.by_round.get(n).map(|known| known.places.as_slice()).unwrap_or_default();
    let mut found: Vec<Place> = places.iter().flat_map(|&(place, _)| roots(b, place)).collect();
    found.dedup();
    found
}

/// Whether what lies at each of these places is apart from what lies at the one before: a round may read the one while
/// it writes the other.
pub(super) fn are_apart(b: &Builder<'_, '_>, places: &[(Place, u64)], bytes: Bytes) -> bool {
    let Bytes::Fixed(bytes) = bytes else { return false };
    let apart = |pair: &[(Place, u64)]| match (pair[0], pair[1]) {
        ((one, first), (other, second)) if one == other => first.abs_diff(second) >= bytes,
        ((one, _), (other, _)) => {
            let other = roots(b, other);
            !roots(b, one).iter().any(|root| other.contains(root))
        }
    };
    places.windows(2).all(apart)
}

/// Whether steps write a buffer, or one that it is part of.
pub(super) fn is_written(b: &Builder<'_, '_>, steps: &[Step], place: Place) -> bool {
    let whole = roots(b, place);
    let mut found = false;
    for step in steps {
        accesses(step, &mut |source, access| {
            let named = b.storage.place(source).map(|named| roots(b, named)).unwrap_or_default();
            found |= writes(access) && named.iter().any(|named| whole.contains(named));
        });
    }
    found
}

/// A part of a value that a group reads or writes.
pub(super) struct Part<'p> {
    /// The group.
    pub(super) fusion: OpId,
    pub(super) whole: &'p TensorType,
    pub(super) part: &'p TensorType,
    /// The first index of the part, along the first dimension.
    pub(super) index: ValueId,
    /// An index out of range becomes the nearest that is not; else nothing is written there.
    pub(super) clamps: bool,
}

/// Where a part begins in each round, in bytes. `None` where it is not all of every dimension but the first, where the
/// rounds do not determine it, where it begins at an odd address or, unless clamped, lies out of range.
pub(super) fn offsets(
    graph: &Graph,
    &Part { fusion, whole, part, index, clamps }: &Part<'_>,
    count: u64,
    counter: Counter,
) -> Result<Option<Vec<u64>>, PassError> {
    let (Some(shape), Some(part_shape)) = (whole.static_shape(), part.static_shape()) else { return Ok(None) };
    let ([extent, inner @ ..], [size, part_inner @ ..]) = (shape.as_slice(), part_shape.as_slice()) else {
        return Ok(None);
    };
    if inner != part_inner {
        return Ok(None);
    }
    let row = inner.iter().map(|&n| n as u64).fold(whole.element.storage_bytes() as u64, u64::saturating_mul);
    let arguments = graph.block(body(graph, fusion)?).arguments.iter().copied();
    let outer: HashMap<ValueId, ValueId> = arguments.zip(graph.op(fusion).operands.iter().copied()).collect();
    let at = |round: u64| -> Option<u64> {
        let now = counter.start + counter.step * i128::from(round);
        let known = Known { graph, outer: &outer, counter: (counter.argument, now) };
        let (found, most) = (known.number(index, 0)?, i128::from(extent - size));
        let index = Some(found.clamp(0, most)).filter(|index| clamps || *index == found)?;
        u64::try_from(index).ok()?.checked_mul(row)
    };
    let all: Option<Vec<u64>> = (0..count).map(at).collect();
    Ok(all.filter(|all| all.iter().all(|first| first.is_multiple_of(BASE_BYTES))))
}

/// Ops that compute an index from others.
pub(super) fn is_index(kind: OpKind) -> bool {
    matches!(
        kind,
        OpKind::Constant
            | OpKind::Add
            | OpKind::Subtract
            | OpKind::Multiply
            | OpKind::Maximum
            | OpKind::Minimum
            | OpKind::Compare
            | OpKind::Select
            | OpKind::Convert
            | OpKind::Clamp
    )
}

/// What is known in a round.
pub(super) struct Known<'k> {
    graph: &'k Graph,
    /// Arguments of the group, and the values that they stand for.
    outer: &'k HashMap<ValueId, ValueId>,
    /// The counter and its number.
    counter: (ValueId, i128),
}

impl Known<'_> {
    /// The number that a scalar is; `None` where that depends on something else, or wraps around.
    pub(super) fn number(&self, value: ValueId, depth: usize) -> Option<i128> {
        if value == self.counter.0 {
            return Some(self.counter.1);
        }
        if let Some(number) = integer(self.graph, value) {
            return Some(number);
        }
        if depth > DEPTH_MAX {
            return None;
        }
        if let Some(&outer) = self.outer.get(&value) {
            return self.number(outer, depth + 1);
        }
        let id = self.graph.producer(value)?;
        let op = self.graph.op(id);
        let of = |at: usize| self.number(*op.operands.get(at)?, depth + 1);
        let found = match op.kind {
            OpKind::Reshape | OpKind::Convert => of(0)?,
            OpKind::Add => of(0)?.checked_add(of(1)?)?,
            OpKind::Subtract => of(0)?.checked_sub(of(1)?)?,
            OpKind::Multiply => of(0)?.checked_mul(of(1)?)?,
            OpKind::Maximum => of(0)?.max(of(1)?),
            OpKind::Minimum => of(0)?.min(of(1)?),
            OpKind::Clamp => of(1)?.max(of(0)?).min(of(2)?),
            OpKind::Select => of(if of(0)? != 0 { 1 } else { 2 })?,
            OpKind::Compare => {
                let (a, b) = (of(0)?, of(1)?);
                i128::from(match op.attrs.keyword("comparison_direction")? {
                    "LT" => a < b,
                    "LE" => a <= b,
                    "GT" => a > b,
                    "GE" => a >= b,
                    "EQ" => a == b,
                    "NE" => a != b,
                    _ => return None,
                })
            }
            OpKind::Fusion => {
                let block = body(self.graph, id).ok()?;
                let mut outer = self.outer.clone();
                let pairs = self.graph.block(block).arguments.iter().zip(&op.operands);
                pairs.for_each(|(&inner, &value)| {
                    outer.insert(inner, value);
                });
                let at = op.results.iter().position(|&result| result == value)?;
                let end = self.graph.op(*self.graph.block(block).ops.last()?);
                let inner = Known { outer: &outer, ..*self };
                inner.number(*end.operands.get(at)?, depth + 1)?
            }
            _ => return None,
        };
        let ty = tensor(self.graph, value).ok()?;
        let (bits, unsigned) = (ty.element.bits(), ty.element.is_unsigned() || op.kind == OpKind::Compare);
        let (low, high) = match unsigned {
            true => (0, (1i128 << bits) - 1),
            false => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
        };
        (ty.element.is_integer() || op.kind == OpKind::Compare).then_some(found).filter(|n| (low..=high).contains(n))
    }
}

/// Calls `visit` for every buffer that a step names, with how it is used; those of nested steps included.
pub(super) fn accesses(step: &Step, visit: &mut dyn FnMut(Source, Access)) {
    let all = |steps: &[Step], visit: &mut dyn FnMut(Source, Access)| {
        steps.iter().for_each(|step| accesses(step, visit));
    };
    match step {
        Step::Launch(launch) => launch.values.iter().for_each(|&(source, access)| visit(source, access)),
        Step::Set { to, .. } => visit(*to, Access::Write),
        Step::Copy(Copies { from, to, .. }) => {
            visit(*from, Access::Read);
            visit(*to, Access::Write);
        }
        Step::Plain(_) => {}
        Step::Collective { from, to, .. } => {
            from.iter().for_each(|&source| visit(source, Access::Read));
            visit(*to, Access::Write);
        }
        Step::HostCall { from, to, .. } => {
            from.iter().for_each(|&source| visit(source, Access::Read));
            to.iter().for_each(|&source| visit(source, Access::Write));
        }
        Step::DeviceId { to, .. } => visit(*to, Access::Write),
        Step::Read { source, .. } => visit(*source, Access::Read),
        Step::If { predicate, then_steps, else_steps } => {
            visit(*predicate, Access::Read);
            all(then_steps, visit);
            all(else_steps, visit);
        }
        Step::While { condition, predicate, body, .. } => {
            visit(*predicate, Access::Read);
            all(condition, visit);
            all(body, visit);
        }
        Step::Repeat { body, .. } => all(body, visit),
    }
}

/// Drops launches and copies into intermediates that nothing needed reads: the counters of slices that went.
pub(super) fn drop_unread(b: &Builder<'_, '_>, steps: &mut Vec<Step>) {
    let mut read: HashSet<Key> = HashSet::new();
    loop {
        let before = read.len();
        needed(b, steps, &mut read);
        if read.len() == before {
            break;
        }
    }
    retain(b, steps, &read);
}

/// Whether a step does nothing but write intermediates that nothing reads.
fn is_unread(b: &Builder<'_, '_>, step: &Step, read: &HashSet<Key>) -> bool {
    if !matches!(step, Step::Launch(_) | Step::Copy(_) | Step::Set { .. }) {
        return false;
    }
    let mut unread = true;
    accesses(step, &mut |source, access| {
        let named = key(b, source);
        unread &= !writes(access) || matches!(named, Key::Arena(_)) && !read.contains(&named);
    });
    unread
}

/// Adds what needed steps read.
fn needed(b: &Builder<'_, '_>, steps: &[Step], read: &mut HashSet<Key>) {
    for step in steps {
        match step {
            Step::Repeat { body, .. } => needed(b, body, read),
            Step::If { predicate, then_steps, else_steps } => {
                read.insert(key(b, *predicate));
                needed(b, then_steps, read);
                needed(b, else_steps, read);
            }
            Step::While { condition, predicate, body, .. } => {
                read.insert(key(b, *predicate));
                needed(b, condition, read);
                needed(b, body, read);
            }
            step if is_unread(b, step, read) => {}
            step => accesses(step, &mut |source, access| {
                if access != Access::Write {
                    read.insert(key(b, source));
                    let places = b.storage.place(source).map(|place| roots(b, place)).unwrap_or_default();
                    read.extend(places.into_iter().filter_map(arena));
                }
            }),
        }
    }
}

fn retain(b: &Builder<'_, '_>, steps: &mut Vec<Step>, read: &HashSet<Key>) {
    steps.retain(|step| !is_unread(b, step, read));
    for step in steps {
        match step {
            Step::Repeat { body, .. } => retain(b, body, read),
            Step::If { then_steps, else_steps, .. } => {
                retain(b, then_steps, read);
                retain(b, else_steps, read);
            }
            Step::While { condition, body, .. } => {
                retain(b, condition, read);
                retain(b, body, read);
            }
            _ => {}
        }
    }
}

fn arena(place: Place) -> Option<Key> {
    if let Place::Arena(number) = place { Some(Key::Arena(number)) } else { None }
}

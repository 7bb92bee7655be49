//! Sums of structured ops: `yield acc ∘ e` with an `e` that no accumulator is in.
//!
//! Every output is a contraction, a window or a plain reduction; or two outputs are a maximum (minimum) and the place
//! where it stands. Of equal maxima the first wins if the body compares strictly, else the last; a NaN wins over every
//! number.

use std::collections::HashSet;

use fornax_graph::{Op, OpKind, RegionId, Type, ValueId};

use super::body::{Lane, Scope, union};
use super::build::{Builder, Number, dims, element_bytes, tensor_of};
use super::converter::{Converter, Result};
use super::scalars;
use super::structured::Structured;

/// What an op of accumulation does to its neutral element.
#[derive(Clone, Copy, PartialEq)]
enum Neutral {
    Zero,
    One,
    /// Combining twice changes nothing: any initial value may stand for the neutral element.
    Idempotent,
}

const COMBINERS: &[(&str, Neutral)] = &[
    ("arith.addf", Neutral::Zero),
    ("arith.addi", Neutral::Zero),
    ("arith.mulf", Neutral::One),
    ("arith.muli", Neutral::One),
    ("arith.xori", Neutral::Zero),
    ("arith.maximumf", Neutral::Idempotent),
    ("arith.minimumf", Neutral::Idempotent),
    ("arith.maxnumf", Neutral::Idempotent),
    ("arith.minnumf", Neutral::Idempotent),
    ("arith.maxsi", Neutral::Idempotent),
    ("arith.minsi", Neutral::Idempotent),
    ("arith.maxui", Neutral::Idempotent),
    ("arith.minui", Neutral::Idempotent),
    ("arith.andi", Neutral::Idempotent),
    ("arith.ori", Neutral::Idempotent),
    ("complex.add", Neutral::Zero),
    ("complex.mul", Neutral::One),
];

/// `acc ∘ e`: the op, and `e`.
pub struct Accumulation<'o> {
    pub combine: &'o Op,
    pub term: ValueId,
    neutral: Neutral,
}

impl Accumulation<'_> {
    pub fn is_sum(&self) -> bool {
        matches!(self.combine.name.as_str(), "arith.addf" | "arith.addi" | "complex.add")
    }
}

impl<'r> Converter<'r> {
    /// Every output of an op with summed loops; `None` when some output is of no known form.
    pub fn reductions(&mut self, parts: &Structured) -> Result<Option<Vec<ValueId>>> {
        let found: Option<Vec<Accumulation>> = (0..parts.yields.len()).map(|k| self.accumulation(parts, k)).collect();
        let Some(found) = found else { return self.extreme_and_place(parts) };
        let mut results = Vec::new();
        for (k, accumulation) in found.iter().enumerate() {
            results.push(self.accumulate(parts, k, accumulation)?);
        }
        Ok(Some(results))
    }

    fn accumulation(&self, parts: &Structured, k: usize) -> Option<Accumulation<'r>> {
        let raw = self.raw;
        let combine = raw.op(raw.producer(parts.yields[k])?);
        let &(_, neutral) = COMBINERS.iter().find(|(name, _)| *name == combine.name)?;
        let accumulator = *parts.accumulators().get(k)?;
        let &[x, y] = combine.operands.as_slice() else { return None };
        let term = match (x == accumulator, y == accumulator) {
            (true, false) => y,
            (false, true) => x,
            _ => return None,
        };
        let needed = self.needed(parts.block, &[term]);
        let free = !parts.accumulators().iter().any(|a| needed.contains(a));
        free.then_some(Accumulation { combine, term, neutral })
    }

    fn accumulate(&mut self, parts: &Structured, k: usize, how: &Accumulation) -> Result<ValueId> {
        let scope = Scope::new(parts.sizes.clone());
        let element = self.scalar_element(parts.yields[k]);
        let sum = if how.is_sum() { self.contraction(parts, k, how.term)? } else { None };
        let (lane, init_is_in) = match sum {
            Some(lane) => (lane, false),
            None => {
                let first = self.first_value(parts, k, how, element);
                let lane = match self.window(parts, k, how, first.0)? {
                    Some(lane) => lane,
                    None => self.plain_reduction(parts, how, first.0)?,
                };
                (lane, first.1)
            }
        };
        let result = self.output(parts, k, &lane, &scope);
        let init = parts.operands[parts.inputs + k];
        let zero = how.neutral == Neutral::Zero && self.b.is_zero(init);
        let one =
            how.neutral == Neutral::One && self.b.splat_bytes(init) == Some(element_bytes(element, Number::Int(1)));
        if init_is_in || zero || one {
            return Ok(result);
        }
        match scalars::emit(&mut self.b, how.combine, &[init, result], element) {
            Some(value) => Ok(value),
            None => Err(self.unsupported(parts.op, "this accumulation".into())),
        }
    }

    /// What a reduction starts from (rank 0), and whether that is the op's own initial value.
    fn first_value(
        &mut self,
        parts: &Structured,
        k: usize,
        how: &Accumulation,
        element: fornax_graph::ElementType,
    ) -> (ValueId, bool) {
        let init = parts.operands[parts.inputs + k];
        match how.neutral {
            Neutral::Zero => (self.b.splat(&[], element, Number::Int(0)), false),
            Neutral::One => (self.b.splat(&[], element, Number::Int(1)), false),
            Neutral::Idempotent => match self.b.splat_bytes(init) {
                Some(bytes) => (self.b.splat_of(&[], element, bytes), true),
                None => (self.b.splat(&[], element, least(&how.combine.name, element)), false),
            },
        }
    }

    /// The region of a reduction: the op itself on scalars.
    pub fn combining_region(&mut self, combine: &Op, element: fornax_graph::ElementType) -> RegionId {
        let scalar = Type::tensor(&[], element);
        self.b.region(&[scalar.clone(), scalar], |b, arguments| {
            let value = scalars::emit(b, combine, arguments, element);
            vec![value.unwrap_or(arguments[0])]
        })
    }

    /// The term over all loops that it or the sum has, reduced.
    fn plain_reduction(&mut self, parts: &Structured, how: &Accumulation, first: ValueId) -> Result<Lane> {
        let mut scope = Scope::new(parts.sizes.clone());
        self.read_needed(parts, &[how.term], &mut scope)?;
        self.evaluate(parts.block, &[how.term], &mut scope)?;
        let lane = self.lane(parts.op, how.term, &scope)?;
        let mut all = union([&lane, &Lane { value: first, dims: parts.summed.clone() }]);
        all.dedup();
        let value = self.spread(&lane, &all, &scope);
        let over: Vec<usize> = (0..all.len()).filter(|&k| parts.summed.contains(&all[k])).collect();
        let element = self.b.element(value);
        let region = self.combining_region(how.combine, element);
        let value = self.b.reduce_with(value, first, &over, region);
        all.retain(|d| !parts.summed.contains(d));
        Ok(Lane { value, dims: all })
    }

    /// `(max(e, acc), select(e > acc, place, acc_place))`, the place an integer.
    fn extreme_and_place(&mut self, parts: &Structured) -> Result<Option<Vec<ValueId>>> {
        let &[best, best_at] = parts.accumulators() else { return Ok(None) };
        let Some(found) = self.extreme(parts, best, best_at) else { return Ok(None) };
        let mut scope = Scope::new(parts.sizes.clone());
        let roots = [found.term, found.place];
        self.read_needed(parts, &roots, &mut scope)?;
        self.evaluate(parts.block, &roots, &mut scope)?;
        let all: Vec<usize> = (0..parts.sizes.len()).collect();
        let mut values = Vec::new();
        for root in roots {
            let lane = self.lane(parts.op, root, &scope)?;
            values.push(self.spread(&lane, &all, &scope));
        }
        let (value_element, place_element) = (self.b.element(values[0]), self.b.element(values[1]));
        if !place_element.is_integer() {
            return Ok(None);
        }
        let inits = [parts.operands[parts.inputs], parts.operands[parts.inputs + 1]];
        // The initial place is an element's like another: the initial value must lose against every element.
        let lowest = self.b.splat_bytes(inits[0]).map(|bytes| is_least(&bytes, value_element, found.largest));
        if lowest != Some(true) || !self.b.is_zero(inits[1]) {
            return Ok(None);
        }
        let scalars = [Type::tensor(&[], value_element), Type::tensor(&[], place_element)];
        let arguments = [scalars.clone(), scalars].concat();
        let region = self.b.region(&arguments, |b, a| found.combine(b, [a[0], a[1]], [a[2], a[3]]));
        let worst = least(if found.largest { "arith.maxsi" } else { "arith.minsi" }, value_element);
        let first = self.b.splat(&[], value_element, worst);
        // The place of nothing loses against every other.
        let never = if found.first_wins { i128::MAX } else { -1 };
        let never = never.min((1i128 << (place_element.bits() - 1)) - 1);
        let first_at = self.b.splat(&[], place_element, Number::Int(never));
        let kept: Vec<usize> = all.iter().copied().filter(|d| !parts.summed.contains(d)).collect();
        let shape = scope.shape(&kept);
        let types = vec![tensor_of(&shape, value_element), tensor_of(&shape, place_element)];
        let operands = vec![values[0], values[1], first, first_at];
        let mut reduce = fornax_graph::NewOp::new(OpKind::Reduce, operands, types, self.b.location);
        reduce.attrs.set("dimensions", dims(&parts.summed));
        reduce.regions.push(region);
        let made = self.b.push(reduce);
        let lanes = made.into_iter().map(|value| Lane { value, dims: kept.clone() });
        Ok(Some(lanes.enumerate().map(|(k, lane)| self.output(parts, k, &lane, &scope)).collect()))
    }

    fn extreme(&self, parts: &Structured, best: ValueId, best_at: ValueId) -> Option<Extreme> {
        let raw = self.raw;
        let defining = |v: ValueId| raw.producer(v).map(|id| raw.op(id));
        let (value, place) = (defining(parts.yields[0])?, defining(*parts.yields.get(1)?)?);
        if place.name != "arith.select" {
            return None;
        }
        let &[condition, new_place, old_place] = place.operands.as_slice() else { return None };
        let compare = defining(condition)?;
        let &[x, y] = compare.operands.as_slice() else { return None };
        let term = if y == best { x } else { y };
        if old_place != best_at || (x == best) == (y == best) {
            return None;
        }
        let predicate = compare.attrs.int("predicate")?;
        // (largest, strict) of `term ? acc`
        let (mut largest, strict) = match (compare.name.as_str(), predicate) {
            ("arith.cmpf", 2 | 10) | ("arith.cmpi", 4) => (true, true),
            ("arith.cmpf", 3 | 11) | ("arith.cmpi", 5) => (true, false),
            ("arith.cmpf", 4 | 12) | ("arith.cmpi", 2) => (false, true),
            ("arith.cmpf", 5 | 13) | ("arith.cmpi", 3) => (false, false),
            _ => return None,
        };
        if compare.name == "arith.cmpf" && !(2..=5).contains(&predicate) {
            return None;
        }
        if x == best {
            largest = !largest;
        }
        let kept = match value.name.as_str() {
            "arith.maximumf" | "arith.maxnumf" | "arith.maxsi" => largest && same_pair(&value.operands, term, best),
            "arith.minimumf" | "arith.minnumf" | "arith.minsi" => !largest && same_pair(&value.operands, term, best),
            "arith.select" => value.operands == [condition, term, best],
            _ => false,
        };
        let free: HashSet<ValueId> = self.needed(parts.block, &[term, new_place]);
        let apart = !parts.accumulators().iter().any(|a| free.contains(a));
        (kept && apart).then_some(Extreme { term, place: new_place, largest, first_wins: strict })
    }
}

fn same_pair(operands: &[ValueId], a: ValueId, b: ValueId) -> bool {
    operands == [a, b] || operands == [b, a]
}

/// The greatest (least) element and where it stands.
struct Extreme {
    term: ValueId,
    place: ValueId,
    largest: bool,
    first_wins: bool,
}

impl Extreme {
    /// The better of two (value, place) pairs, in any order.
    fn combine(&self, b: &mut Builder, x: [ValueId; 2], y: [ValueId; 2]) -> Vec<ValueId> {
        let (better, earlier) = (if self.largest { "GT" } else { "LT" }, if self.first_wins { "LT" } else { "GT" });
        let mut wins = b.compare(better, x[0], y[0]);
        let mut ties = b.compare("EQ", x[0], y[0]);
        if b.element(x[0]).is_float() {
            let (x_nan, y_nan) = (b.compare("NE", x[0], x[0]), b.compare("NE", y[0], y[0]));
            let y_number = b.unary(OpKind::Not, y_nan);
            let only_x = b.binary(OpKind::And, x_nan, y_number);
            wins = b.binary(OpKind::Or, wins, only_x);
            let both = b.binary(OpKind::And, x_nan, y_nan);
            ties = b.binary(OpKind::Or, ties, both);
        }
        let before = b.compare(earlier, x[1], y[1]);
        let tie_won = b.binary(OpKind::And, ties, before);
        let x_wins = b.binary(OpKind::Or, wins, tie_won);
        vec![b.select(x_wins, x[0], y[0]), b.select(x_wins, x[1], y[1])]
    }
}

/// What an op of accumulation starts from; `None` for other ops.
pub fn neutral(name: &str, element: fornax_graph::ElementType) -> Option<Number> {
    let (_, kind) = COMBINERS.iter().find(|(n, _)| *n == name)?;
    Some(match kind {
        Neutral::Zero => Number::Int(0),
        Neutral::One => Number::Int(1),
        Neutral::Idempotent => least(name, element),
    })
}

/// The value that every other wins against, by the name of the op.
pub fn least(combine: &str, element: fornax_graph::ElementType) -> Number {
    let largest = combine.contains(".max") || combine.ends_with(".ori");
    if element.is_float() {
        return Number::Float(if largest { f64::NEG_INFINITY } else { f64::INFINITY });
    }
    let bits = element.bits().min(64);
    let unsigned = combine.ends_with("ui") || element == fornax_graph::ElementType::I1 || element.is_unsigned();
    Number::Int(match (combine.rsplit('.').next().unwrap_or(""), unsigned, largest) {
        ("ori", ..) => 0,
        ("andi", ..) => -1,
        (_, true, true) => 0,
        (_, true, false) => (1i128 << bits) - 1,
        (_, false, true) => -(1i128 << (bits - 1)),
        (_, false, false) => (1i128 << (bits - 1)) - 1,
    })
}

/// Whether an initial value loses against every number: an infinity, or the end of the type's range.
fn is_least(bytes: &[u8], element: fornax_graph::ElementType, largest: bool) -> bool {
    let name = if largest { "arith.maxsi" } else { "arith.minsi" };
    let mut ends = vec![element_bytes(element, least(name, element))];
    if element.is_float() {
        let top = match element {
            fornax_graph::ElementType::F64 => f64::MAX,
            fornax_graph::ElementType::F32 => f64::from(f32::MAX),
            fornax_graph::ElementType::F16 => 65504.0,
            fornax_graph::ElementType::Bf16 => f64::from(f32::from_bits(0x7f7f_0000)),
            _ => f64::INFINITY,
        };
        ends.push(element_bytes(element, Number::Float(if largest { -top } else { top })));
    }
    ends.iter().any(|end| end == bytes)
}

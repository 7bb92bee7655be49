//! Attention as plain ops spell it: a product whose one operand is a softmax of a product, in every form that
//! frameworks print.
//!
//! Input: a `dot_general`, the index of its result, index tables. Output: where the softmax is taken, of what, which
//! columns count, and what a row gives where none does; or why it is no softmax that one kernel computes.
//!
//! | layer, from the weights inwards | forms |
//! | --- | --- |
//! | weights w, masked | w, select(visible, w, 0), w·convert(visible) |
//! | weights w of a row | w, select(any visible, w, 0), select(all x = −∞, 0, w), select(s ≠ 0, w, 0) |
//! | division | e / s, e·(1 / s), exp(x − m − log s), exp(x − (m + log abs s)) |
//! | numerator | e, select(visible, e, 0) |
//! | sum s | Σe, Σ select(visible, e, 0), select(s = 0, c, s), max(s, c) with c ≤ 1 |
//! | maximum m | max x, max select(visible, x, low), max(−∞, m), select(is_finite(m), m, c) |
//! | scores | x, select(visible, x, low), where e = exp(x − m) |
//!
//! Where weights are masked by the conditions that also hide scores, a hidden column weighs nothing: the kernel gets
//! select(visible, x, −∞). A row whose columns are all hidden gives 0 or NaN, as the ops do.
//!
//! Limits: `low` is −∞ or at most `LOW_MAX`.
//!
//! Worked example: `jax.nn.softmax(x, where=v)`: x' = select(v, x, −∞), e = exp(x' − max x'), w = select(v, e / Σ
//! select(v, e, 0), 0). Numerator and maximum peel to x by the condition v; the sum's condition is v as well. Rows
//! without a visible column are 0, since the last select says so.

use fornax_graph::{Attr, ElementType, Graph, OpKind, ValueId};
use fornax_plan::index::Indices;
use fornax_plan::{Binary, IndexId, VarId};

use super::ops::{splat_bits, tensor};
use super::pattern::{Place, folded, least, operand_indices, operands_of, source, splat_source};
use super::scalar::float_of;
use crate::errors::PassError;
use crate::remarks::{Because, MASKS_DIFFER, MAXIMUM_DIFFERS, SUM_DIFFERS};

/// Scores that masks give hidden columns, at most, where weights are masked again: so far below what a product of
/// query and key is that e^(low − max) is 0 in f32.
const LOW_MAX: f64 = -1e4;

/// A condition that a column needs in order to count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Literal {
    pub place: Place,
    /// The value that it must have.
    pub positive: bool,
}

/// A product of softmax weights with values.
#[derive(Clone, Debug)]
pub struct Softmax {
    /// Which operand holds the weights: 0 or 1.
    pub weights: usize,
    /// The contracted variable.
    pub column: VarId,
    /// Index of the value operand.
    pub value_index: Vec<IndexId>,
    /// What the softmax is taken of, and at which index.
    pub scores: ValueId,
    pub scores_index: Vec<IndexId>,
    /// What holds for the columns that count; the others weigh nothing.
    pub visible: Vec<Literal>,
    /// Rows where no column counts, or all scores are −∞, have the weight 0, not NaN.
    pub empty_is_zero: bool,
    /// Conditions on rows that are thereby known, and not computed.
    pub row_conditions: Vec<ValueId>,
    /// What the reductions to a row's maximum and to its sum give, and at which index.
    pub folds: [Place; 2],
}

/// The softmax behind one operand of the product `op`, whose result is read at `index`; why there is none, where there
/// nearly is one.
pub fn softmax_product(
    graph: &Graph,
    op: fornax_graph::OpId,
    index: &[IndexId],
    indices: &mut Indices,
) -> Result<Option<Result<Softmax, Because>>, PassError> {
    if graph.op(op).kind != OpKind::DotGeneral {
        return Ok(None);
    }
    let mut reduction = Vec::new();
    let (left, right) = operand_indices(graph, op, index, indices, &mut reduction)?;
    let [column] = reduction[..] else { return Ok(None) };
    let operands = graph.op(op).operands.clone();
    let mut why = None;
    for (weights, place, value_index) in [(0, &left, &right), (1, &right, &left)] {
        let mut matcher = Matcher { graph, column, indices, why: None };
        let found = matcher.softmax((operands[weights], place.clone()))?;
        why = why.or(matcher.why);
        if let Some(Weights { scores, visible, empty_is_zero, row_conditions, folds }) = found {
            return Ok(Some(Ok(Softmax {
                weights,
                column,
                value_index: value_index.clone(),
                scores: scores.0,
                scores_index: scores.1,
                visible,
                empty_is_zero,
                row_conditions,
                folds,
            })));
        }
    }
    Ok(why.map(Err))
}

/// What is found of weights.
struct Weights {
    scores: Place,
    visible: Vec<Literal>,
    empty_is_zero: bool,
    row_conditions: Vec<ValueId>,
    folds: [Place; 2],
}

/// What is done to weights after the division.
#[derive(Default)]
struct After {
    /// Conditions of select(…, w, 0).
    selected: Vec<Literal>,
    /// Conditions that weights are multiplied by.
    multiplied: Vec<Literal>,
    /// A row needs a column where all of these hold.
    rows: Vec<Literal>,
    /// Scores that must not all be −∞.
    low: Option<Place>,
    /// A sum that must not be 0.
    sum: Option<Place>,
    row_conditions: Vec<ValueId>,
}

/// Weights before that.
struct Division {
    exponential: Place,
    sum: Place,
    /// Conditions of the numerator and of what is summed.
    kept: Vec<Literal>,
    summed: Vec<Literal>,
    /// The sum is no 0 when it divides.
    guarded: bool,
    /// Scores and maximum as a division of logarithms has them.
    again: Option<(Place, Place)>,
}

/// What selects around scores say.
#[derive(Default)]
struct Hidden {
    by: Vec<Literal>,
    some_finite: bool,
    some_infinite: bool,
}

/// What something is in a row where no column counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Empty {
    Zero,
    /// Neither 0 nor NaN nor infinite.
    Finite,
    Nan,
    /// Depends on the column, or infinite.
    Mixed,
}

impl Hidden {
    /// exp(x − m) where all x are low; `finite` says that m is finite even if they are −∞.
    fn exponentials(&self, finite: bool) -> Empty {
        match (self.some_finite, self.some_infinite) {
            (true, false) => Empty::Finite,
            (true, true) => Empty::Mixed,
            (false, _) if finite => Empty::Zero,
            (false, _) => Empty::Nan,
        }
    }
}

impl Empty {
    /// `guarded`: a divisor of 0 becomes another number.
    fn divided_by(self, sum: Empty, guarded: bool) -> Empty {
        let sum = if sum == Empty::Zero && guarded { Empty::Finite } else { sum };
        match (self, sum) {
            (Empty::Nan, _) | (_, Empty::Nan) | (Empty::Zero, Empty::Zero) => Empty::Nan,
            (Empty::Mixed, _) | (_, Empty::Mixed) | (_, Empty::Zero) => Empty::Mixed,
            (own, Empty::Finite) => own,
        }
    }
}

impl After {
    /// What it makes of weights.
    fn row(&self, weights: Empty, visible: &[Literal]) -> Empty {
        if covers(&self.selected, visible) || covers(&self.rows, visible) {
            Empty::Zero
        } else if !self.selected.is_empty() || !self.rows.is_empty() {
            Empty::Mixed
        } else if covers(&self.multiplied, visible) && weights == Empty::Finite {
            Empty::Zero
        } else {
            weights
        }
    }
}

struct Matcher<'a> {
    graph: &'a Graph,
    column: VarId,
    indices: &'a mut Indices,
    /// Why what looks like a softmax is none.
    why: Option<Because>,
}

type Found<T> = Result<Option<T>, PassError>;

impl Matcher<'_> {
    fn softmax(&mut self, weights: Place) -> Found<Weights> {
        let mut after = After::default();
        let weights = self.after(weights, &mut after)?;
        let Some(division) = self.division(weights)? else { return Ok(None) };
        let Division { exponential, sum: divisor, kept, summed, guarded, again } = division;
        let Some([argument]) = operands_of(self.graph, exponential.0, OpKind::Exponential) else { return Ok(None) };
        let (difference, at) = self.source((argument, exponential.1))?;
        let Some([scores, maximum]) = operands_of(self.graph, difference, OpKind::Subtract) else { return Ok(None) };
        let scores = self.source((scores, at.clone()))?;
        let (maximum, finite) = self.guarded_maximum((maximum, at))?;
        let folds = [maximum.clone(), divisor.clone()];
        let folded = folded(self.graph, maximum.clone(), Binary::Maximum, self.column, self.indices)?;
        let (Some(largest), true) = (folded, again.is_none_or(|other| other == (scores.clone(), maximum))) else {
            return self.refused(MAXIMUM_DIFFERS.of([]));
        };
        let visible = union(&[&after.selected, &after.multiplied, &after.rows, &kept, &summed]);
        let (mut hidden, mut below) = (Hidden::default(), Hidden::default());
        let all = scores.clone();
        let scores = self.peeled(scores, &visible, &mut hidden)?;
        if scores != self.peeled(largest, &visible, &mut below)? {
            return self.refused(MAXIMUM_DIFFERS.of([]));
        }
        let in_numerator = union(&[&after.selected, &after.multiplied, &kept, &hidden.by]);
        let in_sum = union(&[&summed, &hidden.by]);
        let hides = [in_numerator, in_sum, below.by].iter().all(|by| holds_all(by, &visible));
        let row = if after.low.is_some() && (visible.is_empty() || !hidden.some_finite) {
            Empty::Zero
        } else {
            let each = hidden.exponentials(finite);
            let numerator = if covers(&kept, &visible) { Empty::Zero } else { each };
            let sum = if covers(&summed, &visible) { Empty::Zero } else { each };
            let of_sum = after.sum.is_some() && sum == Empty::Zero;
            if of_sum { Empty::Zero } else { after.row(numerator.divided_by(sum, guarded), &visible) }
        };
        let looked_at =
            after.low.as_ref().is_none_or(|low| *low == all) && after.sum.as_ref().is_none_or(|sum| *sum == divisor);
        if !hides || !looked_at || !matches!(row, Empty::Zero | Empty::Nan) {
            return self.refused(MASKS_DIFFER.of([LOW_MAX as i64]));
        }
        let empty_is_zero = row == Empty::Zero;
        Ok(Some(Weights { scores, visible, empty_is_zero, row_conditions: after.row_conditions, folds }))
    }

    fn refused<T>(&mut self, why: Because) -> Found<T> {
        self.why = Some(why);
        Ok(None)
    }

    fn source(&mut self, place: Place) -> Result<Place, PassError> {
        source(self.graph, place, self.indices)
    }

    /// What is left of weights without what is done to them after the division.
    fn after(&mut self, place: Place, after: &mut After) -> Result<Place, PassError> {
        let mut place = self.source(place)?;
        loop {
            let (value, at) = &place;
            if let Some((condition, kept, rest)) = self.selected(*value, &is_zero)? {
                let (condition, rest) = (self.condition(condition, at)?, (rest, at.clone()));
                if let Some(low) = self.all_low(condition.clone(), !kept)? {
                    after.low = Some(low);
                } else if let Some(sum) = self.is_no_zero(condition.clone(), kept)? {
                    after.sum = Some(sum);
                } else if let Some(each) = self.some(condition.clone(), kept)? {
                    self.conjuncts(each, kept, &mut after.rows)?;
                    after.row_conditions.push(condition.0);
                } else {
                    self.conjuncts(condition, kept, &mut after.selected)?;
                }
                place = self.source(rest)?;
            } else if let Some((condition, rest)) = self.multiplied(*value, at)? {
                self.conjuncts(condition, true, &mut after.multiplied)?;
                place = self.source((rest, at.clone()))?;
            } else {
                return Ok(place);
            }
        }
    }

    /// Of select(c, x, end) or select(c, end, x): c, the value of it that gives x, and x.
    fn selected(&self, value: ValueId, end: &dyn Fn(f64) -> bool) -> Found<(ValueId, bool, ValueId)> {
        let Some([condition, a, b]) = operands_of(self.graph, value, OpKind::Select) else { return Ok(None) };
        let ends = [a, b].map(|v| self.constant(v).is_some_and(end));
        Ok(match ends {
            [false, true] => Some((condition, true, a)),
            [true, false] => Some((condition, false, b)),
            _ => None,
        })
    }

    /// Of x·convert(condition): the condition and x.
    fn multiplied(&mut self, value: ValueId, at: &[IndexId]) -> Found<(Place, ValueId)> {
        let Some([a, b]) = operands_of(self.graph, value, OpKind::Multiply) else { return Ok(None) };
        for (rest, factor) in [(a, b), (b, a)] {
            let (factor, at) = self.source((factor, at.to_vec()))?;
            let Some([truth]) = operands_of(self.graph, factor, OpKind::Convert) else { continue };
            if tensor(self.graph, truth)?.element == ElementType::I1 {
                return Ok(Some(((truth, at), rest)));
            }
        }
        Ok(None)
    }

    /// A condition where a select reads it: scalars are for all elements.
    fn condition(&mut self, value: ValueId, at: &[IndexId]) -> Result<Place, PassError> {
        let at = if tensor(self.graph, value)?.shape.is_empty() { Vec::new() } else { at.to_vec() };
        self.source((value, at))
    }

    /// Takes a condition apart that must be `positive`.
    fn conjuncts(&mut self, place: Place, positive: bool, into: &mut Vec<Literal>) -> Result<(), PassError> {
        let (value, at) = self.source(place)?;
        let both = if positive { OpKind::And } else { OpKind::Or };
        if let Some([inner]) = operands_of(self.graph, value, OpKind::Not) {
            return self.conjuncts((inner, at), !positive, into);
        }
        if let Some(parts) = operands_of::<2>(self.graph, value, both) {
            return parts.into_iter().try_for_each(|part| self.conjuncts((part, at.clone()), positive, into));
        }
        let literal = Literal { place: (value, at), positive };
        if !into.contains(&literal) {
            into.push(literal);
        }
        Ok(())
    }

    /// The scores that are all −∞ in a row where a condition is `wanted`, as torch guards masked rows.
    fn all_low(&mut self, condition: Place, wanted: bool) -> Found<Place> {
        let (mut all, mut wanted) = (condition, wanted);
        while let Some([inner]) = operands_of(self.graph, all.0, OpKind::Not) {
            (all, wanted) = (self.source((inner, all.1))?, !wanted);
        }
        let combiner = if wanted { Binary::And } else { Binary::Or };
        let Some(mut each) = folded(self.graph, all, combiner, self.column, self.indices)? else { return Ok(None) };
        while let Some([inner]) = operands_of(self.graph, each.0, OpKind::Not) {
            (each, wanted) = (self.source((inner, each.1))?, !wanted);
        }
        let Some([scores, low]) = operands_of(self.graph, each.0, OpKind::Compare) else { return Ok(None) };
        let direction = if wanted { "EQ" } else { "NE" };
        if self.compares(each.0, direction) && least(self.graph, low)? {
            return self.source((scores, each.1)).map(Some);
        }
        Ok(None)
    }

    /// What a condition that is `wanted` says is not 0: a sum over the columns.
    fn is_no_zero(&mut self, (value, at): Place, wanted: bool) -> Found<Place> {
        let Some([sum, zero]) = operands_of(self.graph, value, OpKind::Compare) else { return Ok(None) };
        let directions: &[&str] = if wanted { &["NE", "GT"] } else { &["EQ"] };
        if self.constant(zero) != Some(0.0) || !directions.iter().any(|d| self.compares(value, d)) {
            return Ok(None);
        }
        let sum = self.source((sum, at))?;
        let folds = folded(self.graph, sum.clone(), Binary::Add, self.column, self.indices)?;
        Ok(folds.map(|_| sum))
    }

    fn compares(&self, value: ValueId, direction: &str) -> bool {
        let attr = self.graph.producer(value).and_then(|op| self.graph.op(op).attrs.get("comparison_direction"));
        matches!(attr, Some(Attr::Enum(_, d)) if d == direction)
    }

    /// What a condition that is `wanted` says of some column: of any(c) it is c.
    fn some(&mut self, (value, at): Place, wanted: bool) -> Found<Place> {
        let combiner = if wanted { Binary::Or } else { Binary::And };
        folded(self.graph, (value, at), combiner, self.column, self.indices)
    }

    fn division(&mut self, (value, at): Place) -> Found<Division> {
        let (numerator, sum) = match operands_of(self.graph, value, OpKind::Divide) {
            Some([numerator, sum]) => (numerator, (sum, at.clone())),
            None => match self.by_reciprocal(value, &at)? {
                Some(found) => found,
                None => return self.by_logarithm((value, at)),
            },
        };
        let mut kept = Vec::new();
        let exponential = self.unmasked((numerator, at), &mut kept)?;
        if operands_of::<1>(self.graph, exponential.0, OpKind::Exponential).is_none() {
            return Ok(None);
        }
        let (sum, guarded) = self.guarded_sum(sum)?;
        match self.summed(sum.clone())? {
            Some((of, summed)) if of == exponential => {
                Ok(Some(Division { exponential, sum, kept, summed, guarded, again: None }))
            }
            _ => self.refused(SUM_DIFFERS.of([])),
        }
    }

    /// e·(1 / s).
    fn by_reciprocal(&mut self, value: ValueId, at: &[IndexId]) -> Found<(ValueId, Place)> {
        let Some([a, b]) = operands_of(self.graph, value, OpKind::Multiply) else { return Ok(None) };
        for (numerator, factor) in [(a, b), (b, a)] {
            let (factor, at) = self.source((factor, at.to_vec()))?;
            let Some([one, sum]) = operands_of(self.graph, factor, OpKind::Divide) else { continue };
            if self.constant(one) == Some(1.0) {
                return Ok(Some((numerator, (sum, at))));
            }
        }
        Ok(None)
    }

    /// exp(x − m − log s) or exp(x − (m + log s)).
    fn by_logarithm(&mut self, (value, at): Place) -> Found<Division> {
        let Some([argument]) = operands_of(self.graph, value, OpKind::Exponential) else { return Ok(None) };
        let (difference, at) = self.source((argument, at))?;
        let Some([x, y]) = operands_of(self.graph, difference, OpKind::Subtract) else { return Ok(None) };
        let (x, y) = (self.source((x, at.clone()))?, self.source((y, at))?);
        let (scores, maximum, log) = if operands_of::<1>(self.graph, y.0, OpKind::Log).is_some() {
            let Some([scores, maximum]) = operands_of(self.graph, x.0, OpKind::Subtract) else { return Ok(None) };
            ((scores, x.1.clone()), (maximum, x.1), y)
        } else {
            let Some(parts) = operands_of::<2>(self.graph, y.0, OpKind::Add) else { return Ok(None) };
            let [a, b] = parts;
            let [a, b] = [self.source((a, y.1.clone()))?, self.source((b, y.1))?];
            let a_is_log = operands_of::<1>(self.graph, a.0, OpKind::Log).is_some();
            let (log, maximum) = if a_is_log { (a, b) } else { (b, a) };
            (x, maximum, log)
        };
        let Some([sum]) = operands_of(self.graph, log.0, OpKind::Log) else { return Ok(None) };
        let (scores, (maximum, _)) = (self.source(scores)?, self.guarded_maximum(maximum)?);
        // A sum of exponentials is its own magnitude.
        let sum = self.source((sum, log.1))?;
        let inner = operands_of::<1>(self.graph, sum.0, OpKind::Abs);
        let sum = inner.map_or(sum.clone(), |[inner]| (inner, sum.1));
        match self.summed(sum.clone())? {
            Some((exponential, summed)) if summed.is_empty() => {
                let again = Some((scores, maximum));
                Ok(Some(Division { exponential, sum, kept: Vec::new(), summed, guarded: false, again }))
            }
            _ => self.refused(SUM_DIFFERS.of([])),
        }
    }

    /// What is summed over the columns, and under which conditions.
    fn summed(&mut self, sum: Place) -> Found<(Place, Vec<Literal>)> {
        let sum = self.source(sum)?;
        let Some(each) = folded(self.graph, sum, Binary::Add, self.column, self.indices)? else { return Ok(None) };
        let mut summed = Vec::new();
        let each = self.unmasked(each, &mut summed)?;
        Ok(Some((each, summed)))
    }

    /// x of select(visible, x, 0).
    fn unmasked(&mut self, place: Place, by: &mut Vec<Literal>) -> Result<Place, PassError> {
        let mut place = self.source(place)?;
        while let Some((condition, kept, rest)) = self.selected(place.0, &is_zero)? {
            let condition = self.condition(condition, &place.1)?;
            self.conjuncts(condition, kept, by)?;
            place = self.source((rest, place.1))?;
        }
        Ok(place)
    }

    /// Scores without the selects that give hidden columns a low score, as far as their conditions are of `visible`.
    fn peeled(&mut self, place: Place, visible: &[Literal], hidden: &mut Hidden) -> Result<Place, PassError> {
        let mut place = self.source(place)?;
        while let Some((condition, kept, rest)) = self.selected(place.0, &|end| end <= LOW_MAX)? {
            let mut by = Vec::new();
            let condition = self.condition(condition, &place.1)?;
            self.conjuncts(condition, kept, &mut by)?;
            if !holds_all(visible, &by) {
                break;
            }
            let infinite = self.selected(place.0, &|end| end == f64::NEG_INFINITY)?.is_some();
            hidden.some_infinite |= infinite;
            hidden.some_finite |= !infinite;
            hidden.by = union(&[&hidden.by, &by]);
            place = self.source((rest, place.1))?;
        }
        Ok(place)
    }

    /// Past guards of the maximum: `maximum(−∞, m)`, `select(is_finite(m), m, c)`; and whether it is finite after them.
    /// Which number is subtracted changes nothing but for overflow, and neither guard changes it where a weight is not
    /// NaN anyway.
    fn guarded_maximum(&mut self, place: Place) -> Result<(Place, bool), PassError> {
        let (mut place, mut finite) = (self.source(place)?, false);
        loop {
            let (value, graph) = (place.0, self.graph);
            let inner = if let Some([a, b]) = operands_of(graph, value, OpKind::Maximum) {
                match (least(graph, a)?, least(graph, b)?) {
                    (true, _) => Some(b),
                    (_, true) => Some(a),
                    _ => None,
                }
            } else if let Some([c, a, b]) = operands_of(graph, value, OpKind::Select) {
                let guards = operands_of::<1>(graph, c, OpKind::IsFinite) == Some([a]);
                let constant = self.constant(b).filter(|_| guards);
                finite |= constant.is_some_and(f64::is_finite);
                constant.map(|_| a)
            } else {
                None
            };
            let Some(inner) = inner else { return Ok((place, finite)) };
            place = self.source((inner, place.1))?;
        }
    }

    /// Past guards of the sum: `select(s = 0, c, s)`, `maximum(s, c)`. Where a column counts the sum is 1 at least:
    /// that of the largest score.
    fn guarded_sum(&mut self, place: Place) -> Result<(Place, bool), PassError> {
        let place = self.source(place)?;
        let usable = |c: f64| c > 0.0 && c <= 1.0;
        let inner = if let Some([a, b]) = operands_of(self.graph, place.0, OpKind::Maximum) {
            match [a, b].map(|v| self.constant(v).is_some_and(usable)) {
                [true, false] => Some(b),
                [false, true] => Some(a),
                _ => None,
            }
        } else if let Some((condition, kept, sum)) = self.selected(place.0, &|c| c != 0.0 && c.is_finite())? {
            let compared = operands_of::<2>(self.graph, condition, OpKind::Compare);
            let zero = compared.is_some_and(|[a, b]| a == sum && self.constant(b) == Some(0.0));
            let directions: &[&str] = if kept { &["NE", "GT"] } else { &["EQ"] };
            (zero && directions.iter().any(|d| self.compares(condition, d))).then_some(sum)
        } else {
            None
        };
        match inner {
            Some(inner) => Ok((self.source((inner, place.1))?, true)),
            None => Ok((place, false)),
        }
    }

    /// The number that a value repeats.
    fn constant(&self, value: ValueId) -> Option<f64> {
        let constant = splat_source(self.graph, value)?;
        let element = self.graph.ty(constant).as_tensor()?.element;
        float_of(element, splat_bits(self.graph, constant)?)
    }
}

fn is_zero(end: f64) -> bool {
    end == 0.0
}

fn union(lists: &[&Vec<Literal>]) -> Vec<Literal> {
    let mut all: Vec<Literal> = Vec::new();
    for literal in lists.iter().copied().flatten() {
        if !all.contains(literal) {
            all.push(literal.clone());
        }
    }
    all
}

/// Does a list of conditions, if there are any, hide every column of a row where none counts?
fn covers(list: &[Literal], visible: &[Literal]) -> bool {
    !list.is_empty() && holds_all(list, visible)
}

fn holds_all(list: &[Literal], wanted: &[Literal]) -> bool {
    wanted.iter().all(|literal| list.contains(literal))
}

//! Softmax of rows that come tile by tile: the maximum and the sum so far, and the result so far brought down to the
//! new maximum.
//!
//! Exponentials are of base 2: exp(scale·(x − m)) = 2^(c·x − c·m) with c = scale·log2 e, one multiply-add each; where a
//! loaded bias may make c·m overflow, 2^(c·(x − m)). A row of which all scores are −inf so far is held against 0
//! instead, so that nothing is −inf − (−inf); if it stays so, its sum is 0 and 0 / 0 makes the NaN that the plain ops
//! make.
//!
//! Worked example: maximum 3, then a tile with maximum 5: weights of the tile are against 5, sum and result so far are
//! multiplied by e^(3 − 5).

use fornax_graph::ElementType;
use fornax_plan::{Node, NodeId};
use fornax_targets::Backend;

use super::{F32, Kernel, State};
use fornax_emit::emitter::Emitter;
use fornax_emit::text::{Scalar, Value};

/// How far, as a power of 2, a maximum may lie above the one that a row is held against before the row is brought down,
/// where that is done lazily: weights then are up to 2^8, which every type has room for.
const LAZY: f64 = 8.0;
/// Constants up to which exponents are exact enough as a product less a rounded product: 2^3 where all of a row is as
/// low, which all its columns share. Masks are raised to −1e8 (`passes/src/schedule/attention/bands.rs`).
const LARGE: f64 = 1.01e8;
/// The same where sums of weights are stored: they have no power of their own. 2^0.001 at most.
const LARGE_OF_SUMS: f64 = 1e4;
/// Power of 2 that weights of f16 are multiplied by on AMD, where instructions may take subnormal numbers as zeros:
/// weights down to 2^−26 of the largest count. Sums of weights are multiplied alike.
const LIFT: f64 = 12.0;
/// 1.5·2^23: adding it rounds to an integer, which is then in the low bits.
const ROUNDING: f64 = 12_582_912.0;
/// 2^f for −½ ≤ f ≤ ½, constant first.
const CUBIC: [f64; 4] = [0.99992807, 0.69326099, 0.24261113, 0.05517167];

impl Kernel<'_> {
    /// log2(e) times the scale.
    pub(super) fn exponent(&self) -> f64 {
        f64::from(self.a.scale()) * std::f64::consts::LOG2_E
    }

    /// May a score be anything, because a bias is loaded, or made of large constants?
    fn is_biased(&self, e: &mut Emitter<'_>) -> bool {
        let exponent = self.exponent();
        // Parts share the power: their sums are weighed against each other.
        let large = if self.stores_rows && self.a.part.is_none() { LARGE_OF_SUMS } else { LARGE };
        let nodes = e.reachable(&[self.a.score]);
        nodes.iter().any(|&n| match *e.exprs.node(n) {
            Node::Load { element, .. } => element.is_float(),
            Node::Constant { element: ElementType::F32, bits } => {
                let value = f64::from(f32::from_bits(bits as u32));
                value.is_finite() && (value * exponent).abs() > large
            }
            // Wide constants of 16 bits are few; a loaded integer as a number may be any.
            Node::Constant { element, .. } => element.is_float(),
            Node::Convert { element, a } => {
                let from = e.exprs.element(a);
                let loads = |n: &NodeId| matches!(e.exprs.node(*n), Node::Load { .. });
                element.is_float() && !from.is_float() && from != ElementType::I1 && e.reachable(&[a]).iter().any(loads)
            }
            _ => false,
        })
    }

    /// Weights of a tile's scores, by what each row's result so far must be multiplied, and the state with new maxima
    /// and sums.
    pub(super) fn softmax(
        &self,
        e: &mut Emitter<'_>,
        scores: Vec<Vec<Value>>,
        state: &State,
    ) -> (Vec<Vec<Value>>, Vec<Value>, State) {
        let mut state = state.clone();
        // f32 scores may be of any size too, and c·m is to cost them no accuracy.
        let biased = self.a.weight == ElementType::F32 || self.is_biased(e);
        let mut weights = scores;
        let mut factors = Vec::new();
        for (fragment, scores) in weights.iter_mut().enumerate() {
            for half in 0..self.halves {
                let slot = self.halves * fragment + half;
                let places = self.share.places(scores.len(), half);
                let row: Vec<Value> = places.iter().map(|&at| scores[at]).collect();
                let old = state.maxima[slot];
                let largest = self.maximum(e, &row, old);
                let new = if self.is_lazy() { self.kept_unless_far(e, old, largest) } else { largest };
                let shift = Shift::new(e, new, self.exponent(), (biased, self.lift()));
                let kept = shift.kept(e, old);
                let row = self.weights(e, &shift, &row);
                let sum = sum(e, &row);
                let before = e.code.mul_f(state.sums[slot], kept);
                state.sums[slot] = e.code.add_f(before, sum);
                state.maxima[slot] = new;
                for (&at, weight) in places.iter().zip(row) {
                    scores[at] = weight;
                }
                factors.push(kept);
            }
        }
        (weights, factors, state)
    }

    /// Weights of a row's scores.
    fn weights(&self, e: &mut Emitter<'_>, shift: &Shift, row: &[Value]) -> Vec<Value> {
        if self.s.chunks.is_some() {
            // Arithmetic on pairs takes one instruction where the chip has packed f32.
            return row.chunks(2).flat_map(|pair| shift.weights(e, pair)).collect();
        }
        let weight = |(at, &x): (usize, &Value)| match self.computed_every() {
            Some(n) if at % n == n - 1 => shift.computed_weight(e, x),
            _ => shift.weight(e, x),
        };
        row.iter().enumerate().map(weight).collect()
    }

    /// By which power of 2 weights are multiplied.
    pub(super) fn lift(&self) -> f64 {
        if self.s.chunks.is_some() && self.a.weight == ElementType::F16 { LIFT } else { 0.0 }
    }

    /// One in how many exponentials is computed by multiply-adds.
    fn computed_every(&self) -> Option<usize> {
        self.s.bulk.as_deref().map(|b| b.computed as usize).filter(|&n| n > 0)
    }

    fn is_lazy(&self) -> bool {
        // What is stored a row is against its largest score.
        self.s.stream.is_some() && !self.stores_rows || self.s.bulk.as_deref().is_some_and(|b| b.lazy)
    }

    /// The old maximum, or the new one where that is far above. (Of −inf and −inf the difference is NaN, which is not
    /// far.)
    fn kept_unless_far(&self, e: &mut Emitter<'_>, old: Value, new: Value) -> Value {
        let above = e.code.sub_f(new, old);
        let above = e.code.mul_k(above, self.exponent());
        let far = e.code.cmp_fk("ogt", above, LAZY);
        e.code.select(far, new, old)
    }

    /// The largest of a row's scores in this thread and the others that hold it, and of what was before.
    fn maximum(&self, e: &mut Emitter<'_>, row: &[Value], old: Value) -> Value {
        let mut largest = fold(row, &mut |a, b| e.code.binary("arith.maxnumf", a, b)).unwrap_or(old);
        for &mask in self.share.masks {
            let other = e.abi.shuffle_xor(&mut e.code, largest, mask);
            largest = e.code.binary("arith.maxnumf", largest, other);
        }
        e.code.binary("arith.maxnumf", largest, old)
    }
}

/// The exponential against a row's maximum; weights are lifted by a power of 2.
enum Shift {
    /// c, m, and −c·m with the power.
    Scaled { factor: Value, maximum: Value, shift: Value },
    /// c, m, and the power.
    Apart { factor: Value, maximum: Value, lift: f64 },
}

impl Shift {
    fn new(e: &mut Emitter<'_>, maximum: Value, exponent: f64, (biased, lift): (bool, f64)) -> Shift {
        let factor = e.code.float(F32, exponent);
        let empty = e.code.cmp_fk("oeq", maximum, f64::NEG_INFINITY);
        let against = e.code.select_k(empty, 0.0, maximum);
        if biased {
            return Shift::Apart { factor, maximum: against, lift };
        }
        let product = e.code.mul_f(against, factor);
        let mut shift = e.code.neg_f(product);
        if lift != 0.0 {
            shift = e.code.add_k(shift, lift);
        }
        Shift::Scaled { factor, maximum: against, shift }
    }

    fn weight(&self, e: &mut Emitter<'_>, score: Value) -> Value {
        match *self {
            Shift::Scaled { factor, shift, .. } => {
                let argument = e.code.fma(score, factor, shift);
                exponential(e, argument)
            }
            Shift::Apart { .. } => self.kept(e, score),
        }
    }

    /// The weights of neighbours.
    fn weights(&self, e: &mut Emitter<'_>, scores: &[Value]) -> Vec<Value> {
        let all = e.code.assemble(scores);
        let lanes = all.ty.lanes;
        let arguments = match *self {
            Shift::Scaled { factor, shift, .. } => e.code.fma(all, factor, shift),
            Shift::Apart { factor, maximum, lift } => {
                let maximum = e.code.spread(maximum, lanes);
                let difference = e.code.sub_f(all, maximum);
                let lift = e.code.float(F32, lift);
                e.code.fma(difference, factor, lift)
            }
        };
        (0..lanes)
            .map(|lane| {
                let argument = e.code.extract(arguments, lane);
                exponential(e, argument)
            })
            .collect()
    }

    /// The same within 1e-4, without the unit for exponentials: 2^x = 2^n · 2^f with n the nearest integer, a cubic for
    /// 2^f. NaN stays NaN.
    fn computed_weight(&self, e: &mut Emitter<'_>, score: Value) -> Value {
        let Shift::Scaled { factor, shift, .. } = *self else { return self.kept(e, score) };
        let argument = e.code.fma(score, factor, shift);
        // The exponent field of 2^−127 is 0: so is what it scales.
        let least = e.code.float(F32, -127.0);
        let argument = e.code.binary("arith.maximumf", argument, least);
        let shifted = e.code.add_k(argument, ROUNDING);
        let whole = e.code.add_k(shifted, -ROUNDING);
        let rest = e.code.sub_f(argument, whole);
        let mut power = e.code.float(F32, CUBIC[3]);
        for coefficient in CUBIC[..3].iter().rev() {
            let coefficient = e.code.float(F32, *coefficient);
            power = e.code.fma(power, rest, coefficient);
        }
        let bits = e.code.to_bits(shifted);
        let bits = e.code.shl_k(bits, 23);
        let bits = e.code.add_ik(bits, 127 << 23);
        let scale = e.code.bitcast(bits, Scalar::F32);
        e.code.mul_f(power, scale)
    }

    /// The same without the error that a rounded product has: for maxima, which may be far apart.
    fn kept(&self, e: &mut Emitter<'_>, score: Value) -> Value {
        let (Shift::Scaled { factor, maximum, .. } | Shift::Apart { factor, maximum, .. }) = *self;
        let difference = e.code.sub_f(score, maximum);
        let argument = e.code.mul_f(difference, factor);
        exponential(e, argument)
    }
}

/// exp(scale·(x − maximum)) with `exponent` log2(e) times the scale; 0 for −inf, also next to −inf.
pub fn weight_against(e: &mut Emitter<'_>, x: Value, maximum: Value, exponent: f64) -> Value {
    let below = e.code.sub_f(x, maximum);
    let argument = e.code.mul_k(below, exponent);
    let weight = exponential(e, argument);
    let empty = e.code.cmp_fk("oeq", x, f64::NEG_INFINITY);
    e.code.select_k(empty, 0.0, weight)
}

/// 2^x.
fn exponential(e: &mut Emitter<'_>, argument: Value) -> Value {
    if e.target.backend == Backend::Rocm {
        return e.code.intrinsic("llvm.amdgcn.exp2.f32", &[argument], F32);
    }
    let text =
        format!("llvm.inline_asm asm_dialect = att \"ex2.approx.ftz.f32 $0, $1;\", \"=f,f\" {argument} : (f32) -> f32");
    e.code.pure(F32, text)
}

/// Four running values next to each other, then one: short chains.
fn fold(values: &[Value], combine: &mut dyn FnMut(Value, Value) -> Value) -> Option<Value> {
    let mut running: Vec<Value> = values.iter().take(4).copied().collect();
    for (at, &value) in values.iter().enumerate().skip(4) {
        running[at % 4] = combine(running[at % 4], value);
    }
    running.into_iter().reduce(combine)
}

fn sum(e: &mut Emitter<'_>, values: &[Value]) -> Value {
    let zero = e.code.float(F32, 0.0);
    fold(values, &mut |a, b| e.code.add_f(a, b)).unwrap_or(zero)
}

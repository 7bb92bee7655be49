//! Results of split products that a split gets wrong, computed again by f32 multiply-add.
//!
//! Splitting makes NaN of an infinity (Inf − Inf) and infinities of values that round to them, never a wrong finite
//! value: a sum that is not finite is folded again, step by step, as IEEE arithmetic does. And it drops what is below
//! 2⁻¹³⁵ of an operand, so that a sum of K products is off by K·2⁻¹³⁵·(largest row value + largest column value) at
//! most: a sum so small that this is more than its rounding (2⁻²⁴) is folded again too. Ordinary data never comes here;
//! exact zeros do only where one operand is tiny throughout.
//!
//! Worked examples: row (1, Inf), column (2, 3): the split gives NaN; again: fma(1, 2, 0) = 2, fma(Inf, 3, 2) = Inf.
//! Row (1e-40), column (1): hi is 8·2⁻¹³⁶, the rest is dropped, 7 % too small; 1e-40 is below 2⁻¹¹¹: again, 1e-40.

use fornax_plan::NodeId;

use super::axes::Axes;
use super::layout::behind;
use fornax_emit::emitter::Emitter;
use fornax_emit::errors::EmitError;
use fornax_emit::text::{Scalar, Ty, Value};

const I32: Ty = Ty::scalar(Scalar::I32);
/// What of a sum of products is dropped, relative to the largest values, at the precision of f32: 2⁻¹³⁵⁺²⁴. (The
/// instruction reads multiples of 2⁻¹³⁶ of either part.)
const DROPPED: f64 = 1.0 / (1u128 << 111) as f64;

/// What is multiplied, over which steps.
pub struct Again {
    /// The operands in f32.
    pub nodes: [NodeId; 2],
    pub steps: Axes,
}

/// Below what magnitude a tile's sums are doubtful, and whether zeros are.
#[derive(Clone, Copy)]
pub struct Doubt {
    below: Value,
    zeros: Value,
}

impl Again {
    /// From the largest magnitudes that each thread has seen of rows and columns; all threads meet, shared memory is
    /// free.
    pub fn doubt(
        &self,
        e: &mut Emitter<'_>,
        largest: &[Value],
        shared: Value,
        thread: Value,
        warps: i64,
    ) -> Result<Doubt, EmitError> {
        let lane = e.code.and_k(thread, 31);
        let warp = e.code.shr_uk(thread, 5);
        let first = e.code.cmp_ik("eq", lane, 0);
        let mut places = Vec::new();
        for (side, &mine) in largest.iter().enumerate() {
            let mut most = mine;
            for mask in [16, 8, 4, 2, 1] {
                let other = e.abi.shuffle_xor(&mut e.code, most, mask);
                most = e.code.binary("arith.maxnumf", most, other);
            }
            let place = e.code.shl_k(warp, 2);
            let place = e.code.add_ik(place, side as i64 * warps * 4);
            places.push((most, behind(&mut e.code, shared, place)));
        }
        e.code.begin_if(first, &[]);
        for (most, pointer) in places {
            e.code.line(&format!("llvm.store {most}, {pointer} {{alignment = 4 : i64}} : f32, {}", pointer.ty));
        }
        e.code.end_if(&[]);
        e.abi.barrier(&mut e.code);
        let f32 = Ty::scalar(Scalar::F32);
        let mut sides = Vec::new();
        for side in 0..2 {
            let mut most = e.code.float(f32, 0.0);
            for warp in 0..warps {
                let place = e.code.int(I32, (side * warps + warp) * 4);
                let pointer = behind(&mut e.code, shared, place);
                let value =
                    e.code.effect(f32, &format!("llvm.load {pointer} {{alignment = 4 : i64}} : {} -> f32", pointer.ty));
                most = e.code.binary("arith.maxnumf", most, value);
            }
            sides.push(most);
        }
        e.abi.barrier(&mut e.code);
        let [a, b] = if self.steps.is_sized() {
            let steps = self.steps.points(e)?;
            let steps = e.code.pure(f32, format!("arith.sitofp {steps} : {} to f32", steps.ty));
            let scale = e.code.mul_k(steps, DROPPED);
            [e.code.mul_f(sides[0], scale), e.code.mul_f(sides[1], scale)]
        } else {
            let scale = self.steps.total as f64 * DROPPED;
            [e.code.mul_k(sides[0], scale), e.code.mul_k(sides[1], scale)]
        };
        let below = e.code.add_f(a, b);
        let least = e.code.binary("arith.minnumf", sides[0], sides[1]);
        let tiny = e.code.cmp_fk("olt", least, DROPPED);
        let some = e.code.cmp_fk("ogt", least, 0.0);
        Ok(Doubt { below, zeros: e.code.and(tiny, some) })
    }

    /// The sums, or where one is doubtful all of them computed again (keeping those that are not would take as many
    /// registers more). Rows and columns are bound.
    pub fn mended(&self, e: &mut Emitter<'_>, sum: Value, doubt: Doubt) -> Result<Value, EmitError> {
        let magnitude = e.code.abs_f(sum);
        let finite = e.code.cmp_fk("olt", magnitude, f64::INFINITY);
        let special = e.code.not(finite);
        let small = e.code.cmp_f("olt", magnitude, doubt.below);
        let some = e.code.cmp_fk("une", sum, 0.0);
        let zeros = e.code.spread(doubt.zeros, sum.ty.lanes);
        let counts = e.code.or(some, zeros);
        let small = e.code.and(small, counts);
        let special = e.code.or(special, small);
        let any = e.code.any(special);
        let results = e.code.begin_if(any, &[sum.ty]);
        let folded = self.fold(e, sum.ty)?;
        e.code.begin_else(&[folded]);
        e.code.end_if(&[sum]);
        Ok(results.first().copied().unwrap_or(sum))
    }

    fn fold(&self, e: &mut Emitter<'_>, ty: Ty) -> Result<Value, EmitError> {
        let index = e.index_ty();
        let (low, one) = (e.code.int(index, 0), e.code.int(index, 1));
        let high = self.steps.points(e)?;
        let zero = e.code.bits(ty.with(Scalar::F32), 0);
        let open = e.code.begin_for(low, high, one, &[zero]);
        self.steps.bind(e, open.iv, 1, false);
        let [a, b] = [e.eval(self.nodes[0])?, e.eval(self.nodes[1])?];
        let running = open.carried[0];
        let next = e.code.fma(a, b, running);
        let next = e.code.spread(next, ty.lanes);
        let results = e.code.end_for(open, &[next]);
        Ok(results[0])
    }
}

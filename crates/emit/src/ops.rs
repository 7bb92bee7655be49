//! Typed operations of [`Code`]: arithmetic, comparisons, conversions and lane moves on scalars and vectors.
//!
//! Operands of one operation have one scalar type; where their lanes differ, the scalar one is broadcast. No operation
//! here carries fast-math flags: a product and a sum fuse only where [`Code::fma`] is asked for by name.

use crate::text::{Code, Scalar, Ty, Value, list};

/// Scalars that are made a vector at once. LLVM's SLP vectorizer looks at all parts of such a chain: a fold of rows by
/// 64 strided loads takes it 1.5 s, by four times 16 of them 0.1 s, for the same code (LLVM 22, x86-64-v4).
const ASSEMBLED_LANES: usize = 16;

impl Code {
    /// The value in `lanes` lanes.
    pub fn spread(&mut self, value: Value, lanes: u32) -> Value {
        if value.ty.lanes == lanes || value.ty.is_vector() {
            return value;
        }
        let ty = Ty::vector(value.ty.scalar, lanes);
        match self.constant_bits(value) {
            Some(bits) => self.bits(ty, bits),
            None => self.pure(ty, format!("vector.broadcast {value} : {} to {ty}", value.ty)),
        }
    }

    fn unify(&mut self, a: Value, b: Value) -> (Value, Value) {
        let lanes = a.ty.lanes.max(b.ty.lanes);
        (self.spread(a, lanes), self.spread(b, lanes))
    }

    /// A binary operation whose result has its operands' type.
    pub fn binary(&mut self, name: &str, a: Value, b: Value) -> Value {
        let (a, b) = self.unify(a, b);
        self.pure(a.ty, format!("{name} {a}, {b} : {}", a.ty))
    }

    /// A unary operation whose result has its operand's type.
    pub fn unary(&mut self, name: &str, a: Value) -> Value {
        self.pure(a.ty, format!("{name} {a} : {}", a.ty))
    }

    pub fn add_f(&mut self, a: Value, b: Value) -> Value {
        self.binary("arith.addf", a, b)
    }

    pub fn sub_f(&mut self, a: Value, b: Value) -> Value {
        self.binary("arith.subf", a, b)
    }

    pub fn mul_f(&mut self, a: Value, b: Value) -> Value {
        self.binary("arith.mulf", a, b)
    }

    pub fn div_f(&mut self, a: Value, b: Value) -> Value {
        self.binary("arith.divf", a, b)
    }

    /// `a·b + c`, in one rounding where the target has it, else in two.
    pub fn fma(&mut self, a: Value, b: Value, c: Value) -> Value {
        if !self.has_fma {
            let product = self.mul_f(a, b);
            return self.add_f(product, c);
        }
        let lanes = a.ty.lanes.max(b.ty.lanes).max(c.ty.lanes);
        let (a, b, c) = (self.spread(a, lanes), self.spread(b, lanes), self.spread(c, lanes));
        self.pure(a.ty, format!("math.fma {a}, {b}, {c} : {}", a.ty))
    }

    /// `a + k`.
    pub fn add_k(&mut self, a: Value, k: f64) -> Value {
        let k = self.float(a.ty, k);
        self.add_f(a, k)
    }

    /// `a · k`.
    pub fn mul_k(&mut self, a: Value, k: f64) -> Value {
        let k = self.float(a.ty, k);
        self.mul_f(a, k)
    }

    /// `a·k + c`.
    pub fn fma_k(&mut self, a: Value, k: f64, c: Value) -> Value {
        let k = self.float(a.ty, k);
        self.fma(a, k, c)
    }

    pub fn neg_f(&mut self, a: Value) -> Value {
        self.unary("arith.negf", a)
    }

    pub fn abs_f(&mut self, a: Value) -> Value {
        self.unary("math.absf", a)
    }

    pub fn sqrt_f(&mut self, a: Value) -> Value {
        self.unary("math.sqrt", a)
    }

    /// Magnitude of `a`, sign of `b`.
    pub fn copy_sign(&mut self, a: Value, b: Value) -> Value {
        self.binary("math.copysign", a, b)
    }

    pub fn add_i(&mut self, a: Value, b: Value) -> Value {
        self.binary("arith.addi", a, b)
    }

    pub fn sub_i(&mut self, a: Value, b: Value) -> Value {
        self.binary("arith.subi", a, b)
    }

    pub fn mul_i(&mut self, a: Value, b: Value) -> Value {
        self.binary("arith.muli", a, b)
    }

    pub fn and(&mut self, a: Value, b: Value) -> Value {
        self.binary("arith.andi", a, b)
    }

    pub fn or(&mut self, a: Value, b: Value) -> Value {
        self.binary("arith.ori", a, b)
    }

    pub fn xor(&mut self, a: Value, b: Value) -> Value {
        self.binary("arith.xori", a, b)
    }

    /// Shift left; the amount must be below the width.
    pub fn shl(&mut self, a: Value, b: Value) -> Value {
        self.binary("arith.shli", a, b)
    }

    pub fn shr_u(&mut self, a: Value, b: Value) -> Value {
        self.binary("arith.shrui", a, b)
    }

    pub fn shr_s(&mut self, a: Value, b: Value) -> Value {
        self.binary("arith.shrsi", a, b)
    }

    /// An integer operation with a constant.
    pub fn int_k(&mut self, name: &str, a: Value, k: i64) -> Value {
        let k = self.int(a.ty, k);
        self.binary(name, a, k)
    }

    /// Unsigned quotient and remainder by a constant.
    pub fn div_rem(&mut self, a: Value, k: i64) -> (Value, Value) {
        (self.int_k("arith.divui", a, k), self.int_k("arith.remui", a, k))
    }

    pub fn add_ik(&mut self, a: Value, k: i64) -> Value {
        if k == 0 { a } else { self.int_k("arith.addi", a, k) }
    }

    pub fn and_k(&mut self, a: Value, k: i64) -> Value {
        self.int_k("arith.andi", a, k)
    }

    pub fn or_k(&mut self, a: Value, k: i64) -> Value {
        self.int_k("arith.ori", a, k)
    }

    /// The lower 16 bits of two i32 next to each other, and the upper 16 bits.
    pub fn paired_halves(&mut self, low: Value, high: Value) -> [Value; 2] {
        let own = self.and_k(low, 0xFFFF);
        let moved = self.shl_k(high, 16);
        let lower = self.or(own, moved);
        let moved = self.shr_uk(low, 16);
        let own = self.and_k(high, -0x1_0000);
        [lower, self.or(moved, own)]
    }

    pub fn shl_k(&mut self, a: Value, k: i64) -> Value {
        self.int_k("arith.shli", a, k)
    }

    pub fn shr_uk(&mut self, a: Value, k: i64) -> Value {
        self.int_k("arith.shrui", a, k)
    }

    pub fn shr_sk(&mut self, a: Value, k: i64) -> Value {
        self.int_k("arith.shrsi", a, k)
    }

    /// All bits inverted.
    pub fn not(&mut self, a: Value) -> Value {
        self.int_k("arith.xori", a, -1)
    }

    /// Float comparison by MLIR predicate: `olt`, `une`, `uno`, …
    pub fn cmp_f(&mut self, predicate: &str, a: Value, b: Value) -> Value {
        let (a, b) = self.unify(a, b);
        self.pure(a.ty.with(Scalar::I1), format!("arith.cmpf {predicate}, {a}, {b} : {}", a.ty))
    }

    pub fn cmp_fk(&mut self, predicate: &str, a: Value, k: f64) -> Value {
        let k = self.float(a.ty, k);
        self.cmp_f(predicate, a, k)
    }

    /// Integer comparison by MLIR predicate: `slt`, `ult`, `eq`, …
    pub fn cmp_i(&mut self, predicate: &str, a: Value, b: Value) -> Value {
        let (a, b) = self.unify(a, b);
        self.pure(a.ty.with(Scalar::I1), format!("arith.cmpi {predicate}, {a}, {b} : {}", a.ty))
    }

    pub fn cmp_ik(&mut self, predicate: &str, a: Value, k: i64) -> Value {
        let k = self.int(a.ty, k);
        self.cmp_i(predicate, a, k)
    }

    /// `condition ? a : b` lane by lane, or as a whole where the condition is a scalar.
    pub fn select(&mut self, condition: Value, a: Value, b: Value) -> Value {
        if a == b {
            return a;
        }
        match self.constant_bits(condition) {
            Some(0) => return b,
            Some(_) => return a,
            None => {}
        }
        let (a, b) = self.unify(a, b);
        if !condition.ty.is_vector() {
            return self.pure(a.ty, format!("arith.select {condition}, {a}, {b} : {}", a.ty));
        }
        let (a, b) = (self.spread(a, condition.ty.lanes), self.spread(b, condition.ty.lanes));
        self.pure(a.ty, format!("arith.select {condition}, {a}, {b} : {}, {}", condition.ty, a.ty))
    }

    /// `condition ? k : b`.
    pub fn select_k(&mut self, condition: Value, k: f64, b: Value) -> Value {
        let k = self.float(b.ty, k);
        self.select(condition, k, b)
    }

    /// A conversion operation to another scalar type.
    pub fn cast(&mut self, name: &str, a: Value, to: Scalar) -> Value {
        let ty = a.ty.with(to);
        if ty == a.ty { a } else { self.pure(ty, format!("{name} {a} : {} to {ty}", a.ty)) }
    }

    pub fn bitcast(&mut self, a: Value, to: Scalar) -> Value {
        self.cast("arith.bitcast", a, to)
    }

    /// To the integer of the same width.
    pub fn to_bits(&mut self, a: Value) -> Value {
        self.bitcast(a, a.ty.scalar.as_integer())
    }

    /// Zero-extends, truncates or keeps.
    pub fn resize_u(&mut self, a: Value, to: Scalar) -> Value {
        self.cast(if to.bits() > a.ty.scalar.bits() { "arith.extui" } else { "arith.trunci" }, a, to)
    }

    /// Sign-extends, truncates or keeps.
    pub fn resize_s(&mut self, a: Value, to: Scalar) -> Value {
        self.cast(if to.bits() > a.ty.scalar.bits() { "arith.extsi" } else { "arith.trunci" }, a, to)
    }

    /// One lane of a vector; a scalar is all of its lanes.
    pub fn extract(&mut self, a: Value, lane: u32) -> Value {
        if !a.ty.is_vector() {
            return a;
        }
        let ty = Ty::scalar(a.ty.scalar);
        match self.constant_bits(a) {
            Some(bits) => self.bits(ty, bits),
            None => self.pure(ty, format!("vector.extract {a}[{lane}] : {ty} from {}", a.ty)),
        }
    }

    /// A vector of these scalars; one scalar is itself. Long ones are put together of halves.
    pub fn assemble(&mut self, lanes: &[Value]) -> Value {
        if lanes.len() == 1 {
            return lanes[0];
        }
        if lanes.len() > ASSEMBLED_LANES && lanes.len().is_power_of_two() {
            let (low, high) = lanes.split_at(lanes.len() / 2);
            let (low, high) = (self.assemble(low), self.assemble(high));
            let order: Vec<u32> = (0..lanes.len() as u32).collect();
            return self.shuffle(low, high, &order);
        }
        let ty = Ty::vector(lanes[0].ty.scalar, lanes.len() as u32);
        self.pure(ty, format!("vector.from_elements {} : {ty}", list(lanes)))
    }

    /// `count` lanes from `first` on.
    pub fn slice(&mut self, a: Value, first: u32, count: u32) -> Value {
        if count == 1 || !a.ty.is_vector() {
            return self.extract(a, first);
        }
        let order: Vec<u32> = (first..first + count).collect();
        self.shuffle(a, a, &order)
    }

    /// Lanes of two vectors; those of `b` are counted behind those of `a`.
    pub fn shuffle(&mut self, a: Value, b: Value, order: &[u32]) -> Value {
        let ty = Ty::vector(a.ty.scalar, order.len() as u32);
        let order: Vec<String> = order.iter().map(u32::to_string).collect();
        self.pure(ty, format!("vector.shuffle {a}, {b} [{}] : {}, {}", order.join(", "), a.ty, b.ty))
    }

    /// i1 as a byte for memory; everything else as it is.
    pub fn resize_shared(&mut self, a: Value, memory: Scalar) -> Value {
        if a.ty.scalar == Scalar::I1 { self.resize_u(a, memory) } else { a }
    }

    /// The lanes in reverse order.
    pub fn reverse(&mut self, a: Value) -> Value {
        if !a.ty.is_vector() {
            return a;
        }
        let order: Vec<u32> = (0..a.ty.lanes).rev().collect();
        self.shuffle(a, a, &order)
    }

    /// True where any lane is.
    pub fn any(&mut self, a: Value) -> Value {
        self.joined("or", "arith.ori", a)
    }

    /// True where all lanes are.
    pub fn all(&mut self, a: Value) -> Value {
        self.joined("and", "arith.andi", a)
    }

    fn joined(&mut self, kind: &str, name: &str, a: Value) -> Value {
        if !a.ty.is_vector() {
            return a;
        }
        if !self.spelled_out {
            return self.pure(Ty::scalar(Scalar::I1), format!("vector.reduction <{kind}>, {a} : {} into i1", a.ty));
        }
        let first = self.extract(a, 0);
        (1..a.ty.lanes).fold(first, |joined, lane| {
            let next = self.extract(a, lane);
            self.binary(name, joined, next)
        })
    }

    /// A call of an LLVM intrinsic.
    pub fn intrinsic(&mut self, name: &str, operands: &[Value], result: Ty) -> Value {
        let types = crate::text::types(operands);
        self.pure(result, format!("llvm.call_intrinsic \"{name}\"({}) : ({types}) -> {result}", list(operands)))
    }

    /// `a·2ⁿ` for a float n that is whole, rounded once, where the machine has an instruction for it (AVX-512); 0 in
    /// lanes that are not `kept`. Results that are subnormal, or become 0 by rounding, go through microcode there.
    pub fn scale_by_power(&mut self, a: Value, n: Value, kept: Option<Value>) -> Option<Value> {
        let (name, lanes) = match a.ty.scalar {
            Scalar::F32 => ("llvm.x86.avx512.mask.scalef.ps.512", 16),
            Scalar::F64 => ("llvm.x86.avx512.mask.scalef.pd.512", 8),
            _ => return None,
        };
        if !self.scales_by_power(a.ty) || n.ty != a.ty {
            return None;
        }
        let bits = Scalar::integer(lanes);
        let zero = self.float(Ty::vector(a.ty.scalar, lanes), 0.0);
        // Rounded as everything else is.
        let rounding = self.int(Ty::scalar(Scalar::I32), 4);
        let parts: Vec<Value> = (0..a.ty.lanes / lanes)
            .map(|at| {
                let (a, n) = (self.slice(a, at * lanes, lanes), self.slice(n, at * lanes, lanes));
                let mask = match kept {
                    Some(kept) => {
                        let kept = self.slice(kept, at * lanes, lanes);
                        self.pure(Ty::scalar(bits), format!("llvm.bitcast {kept} : {} to {bits}", kept.ty))
                    }
                    None => self.int(Ty::scalar(bits), -1),
                };
                self.intrinsic(name, &[a, n, zero, mask, rounding], a.ty)
            })
            .collect();
        Some(self.join(&parts))
    }

    /// Whether [`Code::scale_by_power`] has an instruction for vectors of this type.
    pub fn scales_by_power(&self, ty: Ty) -> bool {
        let lanes = match ty.scalar {
            Scalar::F32 => 16,
            Scalar::F64 => 8,
            _ => return false,
        };
        self.has_scale && ty.lanes.is_multiple_of(lanes)
    }

    /// Vectors of one type, one after another: a power of two of them.
    pub fn join(&mut self, parts: &[Value]) -> Value {
        if let [one] = parts {
            return *one;
        }
        let (low, high) = parts.split_at(parts.len() / 2);
        let (low, high) = (self.join(low), self.join(high));
        let order: Vec<u32> = (0..low.ty.lanes + high.ty.lanes).collect();
        self.shuffle(low, high, &order)
    }

    /// NaN-propagating maximum with +0 above −0.
    pub fn maximum(&mut self, a: Value, b: Value) -> Value {
        if self.spelled_out {
            return self.compared_extremum("ogt", "arith.andi", a, b);
        }
        self.extremum("arith.maximumf", "arith.maxnumf", a, b)
    }

    /// NaN-propagating minimum with −0 below +0.
    pub fn minimum(&mut self, a: Value, b: Value) -> Value {
        if self.spelled_out {
            return self.compared_extremum("olt", "arith.ori", a, b);
        }
        self.extremum("arith.minimumf", "arith.minnumf", a, b)
    }

    /// The operand that is `better`; equal ones are the same bits but for zeros, of which `join` keeps the right one.
    fn compared_extremum(&mut self, better: &str, join: &str, a: Value, b: Value) -> Value {
        let scalar = a.ty.scalar;
        let first = self.cmp_f(better, a, b);
        let chosen = self.select(first, a, b);
        let equal = self.cmp_f("oeq", a, b);
        let (a_bits, b_bits) = (self.to_bits(a), self.to_bits(b));
        let joined = self.binary(join, a_bits, b_bits);
        let joined = self.bitcast(joined, scalar);
        let ordered = self.select(equal, joined, chosen);
        let unordered = self.cmp_f("uno", a, b);
        self.select_k(unordered, f64::NAN, ordered)
    }

    fn extremum(&mut self, propagating: &str, number: &str, a: Value, b: Value) -> Value {
        if !self.max_by_select || self.nan_extrema && a.ty.scalar == Scalar::F32 {
            return self.binary(propagating, a, b);
        }
        // GPU hardware orders zeros by sign in its max and min.
        let number = self.binary(number, a, b);
        let unordered = self.cmp_f("uno", a, b);
        self.select_k(unordered, f64::NAN, number)
    }

    /// Largest integer not above, as a float.
    pub fn floor(&mut self, a: Value) -> Value {
        if self.has_rounding {
            return self.unary("math.floor", a);
        }
        let rounded = self.round_even(a);
        let above = self.cmp_f("ogt", rounded, a);
        let less = self.add_k(rounded, -1.0);
        let result = self.select(above, less, rounded);
        self.copy_sign_of_zero(result, a)
    }

    /// Smallest integer not below, as a float.
    pub fn ceil(&mut self, a: Value) -> Value {
        if self.has_rounding {
            return self.unary("math.ceil", a);
        }
        let rounded = self.round_even(a);
        let below = self.cmp_f("olt", rounded, a);
        let more = self.add_k(rounded, 1.0);
        let result = self.select(below, more, rounded);
        self.copy_sign_of_zero(result, a)
    }

    /// Rounds towards zero.
    pub fn trunc(&mut self, a: Value) -> Value {
        if self.has_rounding {
            return self.unary("math.trunc", a);
        }
        let magnitude = self.abs_f(a);
        let whole = self.floor(magnitude);
        self.copy_sign(whole, a)
    }

    /// Rounds to the nearest integer, ties to even.
    pub fn round_even(&mut self, a: Value) -> Value {
        if self.has_rounding {
            return self.unary("math.roundeven", a);
        }
        // Adding 2^23 (2^52) rounds to an integer; larger magnitudes and NaN already are what they are.
        let shift = if a.ty.scalar == Scalar::F64 { 4503599627370496.0 } else { 8388608.0 };
        let magnitude = self.abs_f(a);
        let small = self.cmp_fk("olt", magnitude, shift);
        let sum = self.add_k(magnitude, shift);
        let rounded = self.add_k(sum, -shift);
        let rounded = self.copy_sign(rounded, a);
        self.select(small, rounded, a)
    }

    /// `floor(−0.5) + 1` must be −0: rounding never changes the sign of its operand.
    fn copy_sign_of_zero(&mut self, result: Value, a: Value) -> Value {
        let zero = self.cmp_fk("oeq", result, 0.0);
        let signed = self.copy_sign(result, a);
        self.select(zero, signed, result)
    }

    pub fn is_nan(&mut self, a: Value) -> Value {
        self.cmp_f("uno", a, a)
    }
}

#[cfg(test)]
mod tests {
    use crate::text::{Code, Scalar, Ty};

    /// 64 scalars are four vectors of 16, joined by halves; what is no power of two is made at once.
    #[test]
    fn long_vectors_are_put_together_of_halves() {
        for (count, made, joined) in [(16, 1, 0), (32, 2, 1), (64, 4, 3), (48, 1, 0)] {
            let mut code = Code::new(true, true, false);
            let lanes: Vec<_> = (0..count).map(|lane| code.int(Ty::scalar(Scalar::I32), lane)).collect();
            let vector = code.assemble(&lanes);
            assert_eq!(vector.ty, Ty::vector(Scalar::I32, count as u32));
            let text = code.finish();
            assert_eq!(text.matches("vector.from_elements").count(), made, "{text}");
            assert_eq!(text.matches("vector.shuffle").count(), joined, "{text}");
        }
    }
}

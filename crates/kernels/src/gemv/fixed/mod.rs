//! x in fixed point: whole numbers of 16 bits with one scale for a lane's block, for matrix instructions of bytes.
//!
//! Quads that multiply 16-bit floats make two of them of a byte by a permutation each, and every element is multiplied
//! by one of two short outputs, of which a single row has but one. Here x is the two: X = 256·h + l, bytes with a sign,
//! with X = x / scale rounded, scale the least power of two by which all |X| of a block are at most 32640. Column 2·t
//! of an instruction's second multiplicand is h of block t, column 2·t + 1 is l. So weights are multiplied as the bytes
//! that they are, 32 steps an instruction, and Σ v·X = 256·Σ v·h + Σ v·l is exact.
//!
//! What it costs: |x - scale·X| is at most half a scale, 2⁻¹⁵ of the largest |x| of its block. A bf16 x is met exactly
//! where it is more than 2⁻⁷ of that one, an f16 x from 2⁻⁴ on; the others are off by less than the rounding to 16 bits
//! that gave the largest. An infinity or a NaN makes all outputs NaN.
//!
//! Worked example: Q4_0, 32 elements of two rows: 24 operations extract bytes and 4 instructions multiply, where it
//! were 32 with 32 permutations, and 8 instructions.

mod staged;
mod turns;

use fornax_emit::emitter::Emitter;
use fornax_emit::errors::EmitError;
use fornax_emit::text::{Scalar, Ty, Value, list};
use fornax_plan::form;

use super::affine::Affine;
use super::emit::{Gemv, Start, rebind};
use super::fixed_shape::{BLOCK_BYTES, Lane, WORD_BYTES};
use super::products::Space;
use super::quads::{groups, instructions};
use super::schedule::{QUAD_THREADS, QUADS};
use super::staged::Staged;
use super::unpacked::{ByUnpacking, Raw, Scaled};

const F32: Ty = Ty::scalar(Scalar::F32);
const I32: Ty = Ty::scalar(Scalar::I32);
/// 1.5·2²³: a sum with it is a whole number in its lower bits, as two's complement.
const WHOLE: f64 = 12_582_912.0;
const WHOLE_BITS: i64 = 0x4b40_0000;
/// What is added to the bits of the largest |x|, so that its exponent is the next one where X would be above 32640: one
/// of the last place of bf16.
const ROUND_UP: i64 = 0x1_0000;
/// Exponents, biased, of 1/scale and of the largest |x| have this sum: 2·127 and 14 bits of X above the first.
const EXPONENTS: i64 = 268;
/// The exponent of the scale is so much less than that of the largest |x|.
const SCALE_BELOW: i64 = 14;
/// The exponent of the largest |x|, biased, at least: scales are normal numbers.
const EXPONENT_MIN: i64 = 15;
/// Bits of the mantissa of f32, and of infinity.
const MANTISSA_BITS: i64 = 23;
const INFINITY: i64 = 0x7f80_0000;
const MAGNITUDE: i64 = 0x7fff_ffff;
const NAN: i64 = 0x7fc0_0000;
/// h is a byte of X + 128.
const HALF_BYTE: i64 = 128;
/// Selections of `prmt`: bytes 0 of two registers, bytes 1, and pairs of two such.
const BYTES_0: i64 = 0x0040;
const BYTES_1: i64 = 0x0051;
const PAIRS: i64 = 0x5410;

/// x of a lane's block.
struct Fixed {
    /// Registers by short operand: h or l, or zeros.
    words: Vec<Vec<Value>>,
    /// Σ X by short operand, f32.
    sums: Vec<Value>,
    scale: Value,
}

/// What a thread makes of four elements of a block that it shares with seven others.
struct Made {
    /// h and l.
    words: [Value; 2],
    /// Σ X of the short operand that the elements are of, i32.
    sum: Value,
    scale: Value,
}

impl Fixed {
    /// x of the block that starts at `start`, of the only short output. All threads of a subgroup take part: quad g
    /// makes registers of the block of each of its threads.
    fn of(
        e: &mut Emitter<'_>,
        gemv: &Gemv<'_>,
        (space, thread): (&Space, Value),
        Start { outer, base, .. }: &Start,
    ) -> Result<Fixed, EmitError> {
        let each = gemv.schedule.lanes / WORD_BYTES;
        let lane = lane(e, thread);
        rebind(e, outer);
        let x = read(e, gemv, space, (*base, lane.quad))?;
        let made = made(e, &x, (each, QUAD_THREADS));
        let zero = e.code.int(I32, 0);
        let (mut words, mut sums) = (Vec::new(), Vec::new());
        for short in 0..space.short.len() as u32 {
            let mut of_short = Vec::new();
            for word in 0..each {
                let from = e.code.add_ik(lane.own, i64::from((short * each + word) * QUAD_THREADS));
                let [high, low] = made.words.map(|word| e.abi.shuffle_from(&mut e.code, word, from));
                let word = e.code.select(lane.is_high, high, low);
                of_short.push(e.code.select(lane.is_active, word, zero));
            }
            words.push(of_short);
            let from = e.code.add_ik(lane.own, i64::from(short * each * QUAD_THREADS));
            let sum = e.abi.shuffle_from(&mut e.code, made.sum, from);
            sums.push(e.code.cast("arith.sitofp", sum, Scalar::F32));
        }
        Ok(Fixed { words, sums, scale: made.scale })
    }
}

fn lane(e: &mut Emitter<'_>, thread: Value) -> Lane {
    let (quad, own) = e.code.div_rem(thread, i64::from(QUAD_THREADS));
    let quad = e.code.int_k("arith.remui", quad, i64::from(QUADS));
    let (half, row) = e.code.div_rem(quad, 2);
    let is_high = e.code.cmp_ik("eq", row, 0);
    let is_active = e.code.cmp_i("eq", half, own);
    Lane { quad, own, is_active, is_high }
}

/// Elements that a thread makes fixed: those of register `word` of the block at `base`, of the short operands one after
/// another.
fn read(
    e: &mut Emitter<'_>,
    gemv: &Gemv<'_>,
    space: &Space,
    (base, word): (Value, Value),
) -> Result<Vec<Value>, EmitError> {
    let each = gemv.schedule.lanes / WORD_BYTES;
    let (number, place) = e.code.div_rem(word, i64::from(each));
    let place = e.code.resize_u(place, e.index);
    let place = e.code.int_k("arith.muli", place, i64::from(WORD_BYTES));
    let first = e.code.add_i(base, place);
    e.lanes = WORD_BYTES;
    e.bind_lanes(space.inner, Some(first), i64::from(WORD_BYTES), 0);
    gemv.bind_short(e, 0);
    let mut x: Vec<Value> = Vec::new();
    for (at, &node) in (0i64..).zip(&space.short) {
        let value = e.eval(form::exact_source(e.exprs, node))?;
        let value = e.code.spread(value, WORD_BYTES);
        let lanes: Vec<Value> = (0..WORD_BYTES).map(|lane| e.code.extract(value, lane)).collect();
        if x.is_empty() {
            x = lanes;
            continue;
        }
        let is_own = e.code.cmp_ik("eq", number, at);
        x = x.into_iter().zip(lanes).map(|(known, own)| e.code.select(is_own, own, known)).collect();
    }
    Ok(x)
}

/// X of a block of eight threads, `distance` lanes apart, of which each has four elements, and `each` those of a short
/// operand.
fn made(e: &mut Emitter<'_>, x: &[Value], (each, distance): (u32, u32)) -> Made {
    let masks = |threads: u32| (0..threads.ilog2()).map(move |bit| distance << bit);
    let mut largest = e.code.int(I32, 0);
    for &x in x {
        let bits = e.code.to_bits(x);
        let bits = e.code.and_k(bits, MAGNITUDE);
        largest = e.code.binary("arith.maxui", largest, bits);
    }
    // NaN is above infinity.
    for mask in masks(BLOCK_BYTES as u32 / WORD_BYTES) {
        let other = e.abi.shuffle_xor(&mut e.code, largest, mask);
        largest = e.code.binary("arith.maxui", largest, other);
    }
    let exponent = e.code.add_ik(largest, ROUND_UP);
    let exponent = e.code.shr_uk(exponent, MANTISSA_BITS);
    let least = e.code.int(I32, EXPONENT_MIN);
    let exponent = e.code.binary("arith.maxui", exponent, least);
    let all = e.code.int(I32, EXPONENTS);
    let inverse = e.code.binary("arith.subi", all, exponent);
    let inverse = e.code.shl_k(inverse, MANTISSA_BITS);
    let inverse = e.code.bitcast(inverse, Scalar::F32);
    let scale = e.code.add_ik(exponent, -SCALE_BELOW);
    let scale = e.code.shl_k(scale, MANTISSA_BITS);
    let is_finite = e.code.cmp_ik("ult", largest, INFINITY);
    let nan = e.code.int(I32, NAN);
    let scale = e.code.select(is_finite, scale, nan);
    let scale = e.code.bitcast(scale, Scalar::F32);
    let whole = e.code.float(F32, WHOLE);
    let mut bits = Vec::new();
    let mut sum = e.code.int(I32, -WHOLE_BITS * i64::from(WORD_BYTES));
    for &x in x {
        let moved = e.code.fma(x, inverse, whole);
        let own = e.code.to_bits(moved);
        sum = e.code.add_i(sum, own);
        bits.push(own);
    }
    for mask in masks(each) {
        let other = e.abi.shuffle_xor(&mut e.code, sum, mask);
        sum = e.code.add_i(sum, other);
    }
    let low = bytes(e, &bits, BYTES_0);
    let above: Vec<Value> = bits.iter().map(|&bits| e.code.add_ik(bits, HALF_BYTE)).collect();
    Made { words: [bytes(e, &above, BYTES_1), low], sum, scale }
}

/// A byte of each of four registers.
fn bytes(e: &mut Emitter<'_>, words: &[Value], select: i64) -> Value {
    let mut permuted = |a, b, select| {
        let select = e.code.int(I32, select);
        e.code.intrinsic("llvm.nvvm.prmt", &[a, b, select], I32)
    };
    let (first, second) = (permuted(words[0], words[1], select), permuted(words[2], words[3], select));
    permuted(first, second, PAIRS)
}

impl ByUnpacking<'_, '_> {
    /// Adds the products of a block to the sums of the only short output; `staged` has x of a space by its number
    /// there.
    pub(super) fn add_by_bytes(
        &self,
        e: &mut Emitter<'_>,
        (start, long): (&Start, &[Vec<Raw>]),
        (staged, number): (&Staged, usize),
        sums: &mut [Value],
    ) -> Result<(), EmitError> {
        let x = staged.read_fixed(e, (number, self.space), start.number);
        let x = x.ok_or_else(|| e.malformed("x that is not in fixed point"))?;
        self.add_fixed(e, (start, long), &x, sums)
    }

    /// The same of x in registers.
    fn add_fixed(
        &self,
        e: &mut Emitter<'_>,
        (start, long): (&Start, &[Vec<Raw>]),
        x: &Fixed,
        sums: &mut [Value],
    ) -> Result<(), EmitError> {
        let &ByUnpacking { gemv, space, points, .. } = self;
        let groups = groups(space);
        for slots in instructions(&groups, points.len()) {
            let mut rows = Vec::new();
            for &(group, point) in &slots {
                let mut words = Vec::new();
                for &(at, _) in &groups[group].terms {
                    self.bind(e, start, &points[point]);
                    self.provide(e, &long[at][point]);
                    words.extend(gemv.words_of(e, &space.affine[at])?);
                }
                rows.push(words);
            }
            let shorts: Vec<usize> = groups[slots[0].0].terms.iter().map(|term| term.1).collect();
            let words: Vec<Value> = shorts.iter().flat_map(|&short| x.words[short].iter().copied()).collect();
            let made = products(e, &rows, &words);
            let mut total: Option<Value> = None;
            for &short in &shorts {
                total = Some(total.map_or(x.sums[short], |total| e.code.add_f(total, x.sums[short])));
            }
            let Some(total) = total else { return Err(e.malformed("quads without a term")) };
            let scaled_total = e.code.mul_f(total, x.scale);
            for (&(group, point), product) in slots.iter().zip(made) {
                let group = &groups[group];
                let affine = &space.affine[group.terms[0].0];
                self.bind(e, start, &points[point]);
                for &(long_at, _) in &group.terms {
                    self.provide(e, &long[long_at][point]);
                }
                let common = gemv.common(e, affine)?;
                let mut product = product;
                if affine.minus() != 0.0 {
                    let below = e.code.float(F32, -affine.minus());
                    product = e.code.fma(total, below, product);
                }
                let product = e.code.mul_f(product, x.scale);
                let sum = &mut sums[group.sum * points.len() + point];
                let scaled = Scaled { products: product, total: scaled_total, unit: 1.0 };
                *sum = affine.add_scaled(e, scaled, &common, *sum);
            }
        }
        Ok(())
    }
}

impl Gemv<'_> {
    /// The elements of a row of a block as registers of bytes.
    fn words_of(&self, e: &mut Emitter<'_>, affine: &Affine) -> Result<Vec<Value>, EmitError> {
        let value = e.eval(affine.source)?;
        let value = e.code.spread(value, self.schedule.lanes);
        e.bytes_as_words(value).ok_or_else(|| e.unfit("bytes of a GEMV"))
    }
}

/// Σ v·X of one or two rows, f32.
fn products(e: &mut Emitter<'_>, rows: &[Vec<Value>], x: &[Value]) -> Vec<Value> {
    let zero = e.code.int(I32, 0);
    let mut sums = [zero; 4];
    // Where there is one row it stands for both.
    let (first, second) = (&rows[0], &rows[rows.len() - 1]);
    for (at, b) in (0..x.len()).step_by(2).zip(x.chunks(2)) {
        multiply(e, &[first[at], second[at], first[at + 1], second[at + 1]], b, &mut sums);
    }
    let made = sums.chunks(2).take(rows.len());
    made.map(|of_row| {
        let high = e.code.shl_k(of_row[0], 8);
        let all = e.code.add_i(high, of_row[1]);
        e.code.cast("arith.sitofp", all, Scalar::F32)
    })
    .collect()
}

/// `sums += a·b` of bytes by one instruction: 16 long × 8 short outputs × 32 steps.
fn multiply(e: &mut Emitter<'_>, a: &[Value], b: &[Value], sums: &mut [Value]) {
    let result = "!llvm.struct<(i32, i32, i32, i32)>";
    let all = e.code.effect(
        I32,
        &format!(
            "nvvm.mma.sync A[{}] B[{}] C[{}] {{layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, \
             multiplicandAPtxType = #nvvm.mma_type<s8>, multiplicandBPtxType = #nvvm.mma_type<s8>, \
             intOverflowBehavior = #nvvm.mma_int_overflow<wrapped>, shape = #nvvm.shape<m = 16, n = 8, k = 32>}} : \
             (i32, i32, i32) -> {result}",
            list(a),
            list(b),
            list(sums)
        ),
    );
    for (at, sum) in sums.iter_mut().enumerate() {
        *sum = e.code.pure(I32, format!("llvm.extractvalue {all}[{at}] : {result}"));
    }
}

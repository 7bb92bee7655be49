//! erf, erfc, erf_inv.
//!
//! erf: near 0, x + x·p(x²); further out 1 − e^−(x + x·P(x)), with P fitted to the logarithm of erfc. erfc: e^−x² · p(q) / (1 + 2x)
//! with q = (x − K)/(x + K), which maps 0 … ∞ to −1 … 1. erf_inv: x·p(w) with w = −log(1 − x²), or p(√w) in the tails.
//!
//! Worked example: erf 0.5 = 0.5 + 0.5·0.0409998 = 0.5204999; erfc 3 = e^−9 · 1.25321 / 7 = 2.2090e−5.

use super::exponential::exp_with_tail;
use super::logarithm::log;
use super::{is_double, polynomial, two_product};
use crate::emit::text::{Code, Value};

const NEAR_F32: [f64; 6] = [-0.00059537281, 0.00498594297, -0.0267617274, 0.112816833, -0.376124799, 0.128379151];
const NEAR_F64: [f64; 12] = [
    -7.779459561976116e-10,
    1.3710986737332008e-08,
    -1.6206318259529673e-07,
    1.6447132629197848e-06,
    -1.4924712433191552e-05,
    0.00012055293586565122,
    -0.0008548325929751949,
    0.005223977606130489,
    -0.02686617064311336,
    0.112837916709442,
    -0.3761263890318352,
    0.12837916709551256,
];
const FAR_F32: [f64; 7] =
    [1.47383089e-05, -0.000355377328, 0.00376544264, -0.024003813, 0.106498033, 0.635004163, 0.1286823];
const FAR_F64: [f64; 21] = [
    7.735463827528165e-16,
    -5.465662750070001e-14,
    1.8193662411703684e-12,
    -3.794497070736424e-11,
    5.561968743506391e-10,
    -6.090443974097179e-09,
    5.166726880748317e-08,
    -3.4717922397957905e-07,
    1.8698497628219764e-06,
    -8.08575345963622e-06,
    2.7719987033636197e-05,
    -7.218746299946526e-05,
    0.00012391643891351858,
    -4.102443632700719e-05,
    -0.000529893784415002,
    0.0016534723815320727,
    -0.00018587564743356016,
    -0.01913786360666204,
    0.10277524409529479,
    0.6366193153090446,
    0.12837920364534536,
];
const COMPLEMENT_F32: [f64; 10] = [
    -0.000396114396,
    -0.00122235459,
    0.00131257251,
    0.00862536952,
    -0.00806088559,
    -0.0542026237,
    0.16405566,
    -0.166031569,
    -0.0927639976,
    1.27697837,
];
const COMPLEMENT_F64: [f64; 23] = [
    -1.7176546318793148e-09,
    -1.33863537670607e-08,
    -7.778882465703014e-09,
    1.1456157717171637e-07,
    6.238922196573491e-08,
    -8.342407341322573e-07,
    3.019562018931825e-07,
    5.717295469759396e-06,
    -1.122528289446582e-05,
    -2.4402941595448416e-05,
    0.00015062247150989563,
    -0.00019925556124300627,
    -0.0007577734048448807,
    0.005031969763566615,
    -0.01619773404842748,
    0.037167515561852646,
    -0.06633036581256355,
    0.09373283499682383,
    -0.10103906603630118,
    0.0680970542547366,
    0.015379652102619764,
    -0.1396211168405629,
    1.2329951186255526,
];

pub fn erf(code: &mut Code, x: Value) -> Value {
    let double = is_double(x);
    let (border, end) = if double { (1.0, 6.0) } else { (0.93, 4.0) };
    let a = code.abs_f(x);
    let square = code.mul_f(a, a);
    let p = if double { polynomial(code, square, &NEAR_F64) } else { polynomial(code, square, &NEAR_F32) };
    let near = code.fma(a, p, a);
    let beyond = code.cmp_fk("ogt", a, end);
    let limited = code.select_k(beyond, end, a);
    let p = if double { polynomial(code, limited, &FAR_F64) } else { polynomial(code, limited, &FAR_F32) };
    let exponent = code.fma(limited, p, limited);
    let exponent = code.neg_f(exponent);
    let rest = exp_with_tail(code, exponent, None);
    let one = code.float(x.ty, 1.0);
    let far = code.sub_f(one, rest);
    let outer = code.cmp_fk("oge", a, border);
    let value = code.select(outer, far, near);
    let value = code.copy_sign(value, x);
    let nan = code.is_nan(x);
    code.select(nan, x, value)
}

pub fn erfc(code: &mut Code, x: Value) -> Value {
    let (center, end) = if is_double(x) { (4.0, 28.0) } else { (2.0, 10.5) };
    let a = code.abs_f(x);
    let beyond = code.cmp_fk("ogt", a, end);
    let a = code.select_k(beyond, end, a);
    let numerator = code.add_k(a, -center);
    let denominator = code.add_k(a, center);
    let q = code.div_f(numerator, denominator);
    let p = if is_double(x) { polynomial(code, q, &COMPLEMENT_F64) } else { polynomial(code, q, &COMPLEMENT_F32) };
    let doubled = code.add_f(a, a);
    let divisor = code.add_k(doubled, 1.0);
    let factor = code.div_f(p, divisor);
    let (square, square_low) = two_product(code, a, a);
    let (exponent, tail) = (code.neg_f(square), code.neg_f(square_low));
    let e = exp_with_tail(code, exponent, Some(tail));
    let value = code.mul_f(factor, e);
    let two = code.float(x.ty, 2.0);
    let reflected = code.sub_f(two, value);
    let negative = code.cmp_fk("olt", x, 0.0);
    code.select(negative, reflected, value)
}

/// One range of erf_inv: argument w or √w less a center, and the polynomial.
struct Range {
    below: f64,
    root: bool,
    center: f64,
    coefficients: &'static [f64],
}

const INVERSE_NEAR_F32: [f64; 9] = [
    2.85281452e-08,
    3.43721638e-07,
    -3.52878669e-06,
    -4.39673749e-06,
    0.000218601985,
    -0.00125370757,
    -0.00417770771,
    0.246640727,
    1.50140941,
];
const INVERSE_FAR_F32: [f64; 9] = [
    -0.000150344655,
    7.59323011e-05,
    0.00127898005,
    -0.00364978728,
    0.00577180134,
    -0.00762807485,
    0.00943404436,
    1.00167429,
    2.83297706,
];
const INVERSE_NEAR_F64: [f64; 23] = [
    -4.3261415438394734e-21,
    -1.692661496066986e-19,
    1.3223965495848427e-18,
    1.1197258918464806e-17,
    -1.3416256748802053e-16,
    2.0098343390593257e-17,
    6.648677505262609e-15,
    -4.0534794098556634e-14,
    -8.16087408057214e-14,
    2.6334264696700827e-12,
    -1.2974668901069813e-11,
    -5.415372168747208e-11,
    1.0512107273174664e-09,
    -4.112635184329652e-09,
    -2.907036675668879e-08,
    4.2347878046474204e-07,
    -1.3654692039386462e-06,
    -1.388252336496786e-05,
    0.0001867342080364291,
    -0.0007407025341652678,
    -0.0060336708714307154,
    0.24015818242558948,
    1.653654562683103,
];
const INVERSE_MIDDLE_F64: [f64; 19] = [
    2.0107933956865535e-09,
    9.026734955891431e-08,
    -2.7488293120309534e-07,
    1.933132862264185e-08,
    1.5026735281529612e-06,
    -4.01486339013752e-06,
    2.9233432401217476e-06,
    1.2475782320297051e-05,
    -4.731814798647579e-05,
    6.828472226557946e-05,
    2.403108520577717e-05,
    -0.0003550375008097377,
    0.0009532893835394126,
    -0.0016882755575664654,
    0.0024914420958413214,
    -0.0037512085075157545,
    0.005370914553596921,
    1.0052589676941588,
    3.0838856104922203,
];
const INVERSE_FAR_F64: [f64; 17] = [
    -3.1391596622993965e-11,
    -2.5035305968186546e-10,
    1.5260753444314575e-09,
    -3.80772952298908e-09,
    7.583572569568463e-09,
    -1.4934620766003902e-08,
    2.917708721127329e-08,
    -6.772982540820253e-08,
    2.289902115858749e-07,
    -9.929761080656768e-07,
    4.526066569472804e-06,
    -1.968177934925616e-05,
    7.599527650066907e-05,
    -0.00021503011919943432,
    -0.00013871931830942478,
    1.0103004648645322,
    4.8499064014085835,
];

const INVERSE_F32: &[Range] = &[
    Range { below: 5.0, root: false, center: 2.5, coefficients: &INVERSE_NEAR_F32 },
    Range { below: f64::INFINITY, root: true, center: 3.0, coefficients: &INVERSE_FAR_F32 },
];
const INVERSE_F64: &[Range] = &[
    Range { below: 6.25, root: false, center: 3.125, coefficients: &INVERSE_NEAR_F64 },
    Range { below: 16.0, root: true, center: 3.25, coefficients: &INVERSE_MIDDLE_F64 },
    Range { below: f64::INFINITY, root: true, center: 5.0, coefficients: &INVERSE_FAR_F64 },
];

pub fn erf_inv(code: &mut Code, x: Value) -> Value {
    let ranges: &[Range] = if is_double(x) { INVERSE_F64 } else { INVERSE_F32 };
    let one = code.float(x.ty, 1.0);
    let below = code.sub_f(one, x);
    let above = code.add_f(one, x);
    let product = code.mul_f(below, above);
    let logarithm = log(code, product);
    let w = code.neg_f(logarithm);
    let root = code.sqrt_f(w);
    let mut p: Option<Value> = None;
    for range in ranges.iter().rev() {
        let argument = code.add_k(if range.root { root } else { w }, -range.center);
        let value = polynomial(code, argument, range.coefficients);
        p = Some(match p {
            None => value,
            Some(further) => {
                let here = code.cmp_fk("olt", w, range.below);
                code.select(here, value, further)
            }
        });
    }
    let value = code.mul_f(x, p.unwrap_or(x));
    let a = code.abs_f(x);
    let end = code.cmp_fk("oeq", a, 1.0);
    let infinite = code.float(x.ty, f64::INFINITY);
    let infinite = code.copy_sign(infinite, x);
    let value = code.select(end, infinite, value);
    let outside = code.cmp_fk("ugt", a, 1.0);
    code.select_k(outside, f64::NAN, value)
}

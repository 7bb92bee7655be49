//! sqrt, rsqrt, cbrt.
//!
//! The square root is the machine's, correctly rounded. The cube root starts from a third of the exponent and refines
//! a^(−1/3), which needs no division: with h = 1 − a·r³, r·(1 + h/3 + 2h²/9 + …) has an error of the order of the next
//! power of h.
//!
//! Worked example: ∛10: the guess 0.46… gives after two steps 10^(−1/3) = 0.46415888, its square times 10 is 2.1544347.

use super::{choose, is_double, two_product};
use crate::text::{Code, Scalar, Value};

pub fn sqrt(code: &mut Code, x: Value) -> Value {
    code.sqrt_f(x)
}

pub fn rsqrt(code: &mut Code, x: Value) -> Value {
    let root = code.sqrt_f(x);
    let one = code.float(x.ty, 1.0);
    code.div_f(one, root)
}

/// a^(−1/3) within 4 %: the exponent times −1/3, in the arithmetic of the bits.
fn guess(code: &mut Code, a: Value) -> Value {
    let bits = code.to_bits(a);
    let high = if is_double(a) {
        let high = code.shr_uk(bits, 32);
        code.resize_u(high, Scalar::I32)
    } else {
        bits
    };
    let number = code.cast("arith.sitofp", high, Scalar::F32);
    // −1/3 of the bits, plus 4/3 of those of 1, less a correction that balances the error.
    let start = code.float(number.ty, choose(a, 1_419_967_116.0, 1_430_194_688.0));
    let number = code.fma_k(number, -1.0 / 3.0, start);
    let high = code.cast("arith.fptosi", number, Scalar::I32);
    let bits = if is_double(a) {
        let wide = code.resize_u(high, Scalar::I64);
        code.shl_k(wide, 32)
    } else {
        high
    };
    code.bitcast(bits, a.ty.scalar)
}

pub fn cbrt(code: &mut Code, x: Value) -> Value {
    let magnitude = code.abs_f(x);
    // Away from both ends of the range, by a cube, so that the products below neither overflow nor lose bits.
    let (up, down) = choose(x, (2f64.powi(72), 2f64.powi(-24)), (2f64.powi(120), 2f64.powi(-120)));
    let small = code.cmp_fk("olt", magnitude, 1.0);
    let raised = code.mul_k(magnitude, up);
    let lowered = code.mul_k(magnitude, down);
    let a = code.select(small, raised, lowered);
    let mut r = guess(code, a);
    let one = code.float(x.ty, 1.0);
    let third = code.float(x.ty, 1.0 / 3.0);
    for _ in 0..choose(x, 2, 3) {
        let square = code.mul_f(r, r);
        let scaled = code.mul_f(a, r);
        let cube = code.mul_f(square, scaled);
        let h = code.sub_f(one, cube);
        let factor = code.fma_k(h, 2.0 / 9.0, third);
        let step = code.mul_f(factor, h);
        r = code.fma(step, r, r);
    }
    // y = a·r², and one step of Newton with the exact y³: y − (y³ − a)·r²/3.
    let square = code.mul_f(r, r);
    let y = code.mul_f(a, square);
    let (yy, yy_error) = two_product(code, y, y);
    let (cube, cube_error) = two_product(code, yy, y);
    let rest = code.sub_f(cube, a);
    let rest = code.add_f(rest, cube_error);
    let rest = code.fma(yy_error, y, rest);
    let step = code.mul_f(rest, square);
    let y = code.fma_k(step, -1.0 / 3.0, y);
    let (back_down, back_up) = choose(x, (2f64.powi(-24), 256.0), (2f64.powi(-40), 2f64.powi(40)));
    let (back_down, back_up) = (code.float(x.ty, back_down), code.float(x.ty, back_up));
    let back = code.select(small, back_down, back_up);
    let y = code.mul_f(y, back);
    let y = code.copy_sign(y, x);
    // Zeros, infinities and NaN are their own roots.
    let zero = code.cmp_fk("oeq", x, 0.0);
    let beyond = code.cmp_fk("uge", magnitude, f64::INFINITY);
    let own = code.or(zero, beyond);
    code.select(own, x, y)
}

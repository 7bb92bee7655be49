//! A square of registers transposed: lane j of vector i becomes lane i of vector j.

use crate::emitter::Emitter;
use crate::text::{Ty, Value};

/// As many vectors as they have lanes (a power of two): lane j of vector i becomes lane i of vector j.
pub fn transpose_square(e: &mut Emitter<'_>, mut vectors: Vec<Value>) -> Vec<Value> {
    let side = vectors.len();
    let mut step = side / 2;
    while step > 0 {
        for at in (0..side).filter(|at| at & step == 0) {
            let (a, b) = (vectors[at], vectors[at + step]);
            let pick = |e: &mut Emitter<'_>, from: &dyn Fn(usize) -> usize| {
                let order: Vec<String> = (0..side).map(|lane| from(lane).to_string()).collect();
                let ty = Ty::vector(a.ty.scalar, side as u32);
                e.code.pure(ty, format!("vector.shuffle {a}, {b} [{}] : {}, {}", order.join(", "), a.ty, b.ty))
            };
            let first = pick(e, &|lane| if lane & step == 0 { lane } else { side + lane - step });
            let second = pick(e, &|lane| if lane & step == 0 { lane + step } else { side + lane });
            (vectors[at], vectors[at + step]) = (first, second);
        }
        step /= 2;
    }
    vectors
}

//! Scales by search: a few are tried, and that of the least weighted squares is taken.
//!
//! These are `make_qx_quants` and `make_qkx2_quants` of `ggml-quants.c`, step by step: sums in f32 and in this order,
//! so that ties fall the same way.

/// Runs whose largest magnitude is less are zeros.
const SMALLEST: f32 = 1e-15;
/// Scales that are tried besides the first one, to both sides.
const TRIES: i32 = 9;
/// The step between them, in elements.
const STEP: f32 = 0.1;

/// The nearest whole number, half to even, from `low` to `high`.
pub fn nearest(x: f32, low: i32, high: i32) -> i32 {
    (x.round_ties_even() as i32).clamp(low, high)
}

/// A scale for elements from `-most` to `most - 1`; squares are weighted by the squares of elements.
pub fn symmetric(run: &[f32], most: i32) -> f32 {
    let largest = run.iter().fold(0.0, |so_far: f32, &x| if x.abs() > so_far.abs() { x } else { so_far });
    if largest.abs() < SMALLEST {
        return 0.0;
    }
    let sums = |by: f32| {
        run.iter().fold((0.0f32, 0.0f32), |(of_products, of_squares), &x| {
            let element = nearest(by * x, -most, most - 1) as f32;
            let weight = x * x;
            (of_products + weight * x * element, of_squares + weight * element * element)
        })
    };
    let (products, squares) = sums(-(most as f32) / largest);
    let mut scale = if squares == 0.0 { 0.0 } else { products / squares };
    let mut best = scale * products;
    for step in (-TRIES..=TRIES).filter(|&step| step != 0) {
        let (products, squares) = sums(-(most as f32 + STEP * step as f32) / largest);
        if squares > 0.0 && products * products > best * squares {
            scale = products / squares;
            best = scale * products;
        }
    }
    scale
}

/// What is tried for a scale and an offset.
#[derive(Clone, Copy)]
pub struct Steps {
    /// Elements go from 0 to this.
    pub most: i32,
    /// What the first try's range differs by, in elements.
    pub first: f32,
    pub tries: i32,
}

/// `elements * scale - below`: elements from 0 to `most`.
#[derive(Clone, Copy, Default)]
pub struct Affine {
    pub scale: f32,
    pub below: f32,
}

/// A scale and an offset for a run; squares are weighted by magnitudes and their root mean square.
pub fn affine(run: &[f32], steps: Steps) -> Affine {
    let squares: f32 = run.iter().fold(0.0, |sum, x| sum + x * x);
    let mean = (squares / run.len() as f32).sqrt();
    let weight = |x: f32| mean + x.abs();
    let mut low = run.iter().copied().fold(f32::MAX, f32::min).min(0.0);
    let high = run.iter().copied().fold(f32::MIN, f32::max);
    let (of_weights, of_values) =
        run.iter().fold((0.0f32, 0.0f32), |(w, x), &value| (w + weight(value), x + weight(value) * value));
    if high == low {
        return Affine { scale: 0.0, below: -low };
    }
    let most = steps.most as f32;
    // Elements are rounded above `from`; the numbers are `scale` times them, above `low`.
    let error = |scale: f32, low: f32, by: f32, from: f32| {
        run.iter().fold(0.0f32, |sum, &x| {
            let off = scale * nearest(by * (x - from), 0, steps.most) as f32 + low - x;
            sum + weight(x) * off * off
        })
    };
    let by = most / (high - low);
    let mut scale = 1.0 / by;
    let mut best = error(scale, low, by, low);
    for step in 0..=steps.tries {
        let by = (steps.first + STEP * step as f32 + most) / (high - low);
        let (mut l, mut l2, mut xl) = (0.0f32, 0.0f32, 0.0f32);
        for &x in run {
            let (element, weight) = (nearest(by * (x - low), 0, steps.most) as f32, weight(x));
            l += weight * element;
            l2 += weight * element * element;
            xl += weight * element * x;
        }
        let determinant = of_weights * l2 - l * l;
        if determinant > 0.0 {
            let mut own = (of_weights * xl - of_values * l) / determinant;
            let mut own_low = (l2 * of_values - l * xl) / determinant;
            if own_low > 0.0 {
                (own, own_low) = (xl / l2, 0.0);
            }
            let found = error(own, own_low, by, low);
            if found < best {
                (best, scale, low) = (found, own, own_low);
            }
        }
    }
    Affine { scale, below: -low }
}

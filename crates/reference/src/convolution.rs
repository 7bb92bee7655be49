//! `convolution` and `dynamic_conv`: any number of spatial dimensions, dilations, reversal, feature and batch groups.

use fornax_graph::views::{ConvDims, conv_dims};

use crate::complex::Complex;
use crate::dot::{Accumulator, Number, from_numbers, permuted};
use crate::errors::EvalError;
use crate::interpreter::Call;
use crate::tensor::{Indices, Tensor};

type Results = Result<Vec<Tensor>, EvalError>;

pub(crate) fn convolution(call: &mut Call) -> Results {
    let dims = conv_dims(call.op);
    convolve(call, dims)
}

/// `convolution` with the padding `[n, 2]` as operand 2.
pub(crate) fn dynamic_conv(call: &mut Call) -> Results {
    let mut dims = conv_dims(call.op);
    let padding = call.operand(2)?.ints();
    call.check(padding.len() == 2 * dims.input_spatial.len(), "padding of another rank")?;
    dims.padding = padding.chunks_exact(2).map(|p| (p[0], p[1])).collect();
    convolve(call, dims)
}

/// Operands in canonical order: input [N, spatial…, Ci], kernel [spatial…, Ci/groups, Co], output [N, spatial…, Co].
struct Canonical {
    dims: ConvDims,
    input: Tensor,
    kernel: Tensor,
    input_spatial: Vec<usize>,
    kernel_spatial: Vec<usize>,
    output_spatial: Vec<usize>,
    /// Batches of the output; the input has `batch_groups` times as many.
    batches: usize,
    input_features: usize,
    /// Input features that one output feature reads.
    kernel_features: usize,
    output_features: usize,
}

fn convolve(call: &mut Call, dims: ConvDims) -> Results {
    let conv = canonical(call, dims)?;
    let shape = [&[conv.batches][..], &conv.output_spatial, &[conv.output_features]].concat();
    call.check_size(&shape)?;
    let factors = [&shape[..], &conv.kernel_spatial, &[conv.kernel_features]].concat();
    call.charge_work(factors.iter().fold(1u64, |w, &n| w.saturating_mul(n as u64)))?;
    let element = call.result_element(0)?;
    let out = match Accumulator::of(conv.input.element(), conv.kernel.element()) {
        Accumulator::Float => from_numbers(&shape, element, &accumulate::<f64>(&conv)),
        Accumulator::Integer => from_numbers(&shape, element, &accumulate::<i64>(&conv)),
        Accumulator::Complex => from_numbers(&shape, element, &accumulate::<Complex>(&conv)),
    };
    // Dimension `order[d]` of the canonical output goes to position `d`.
    let mut order = vec![0; shape.len()];
    let places = [&[conv.dims.output_batch][..], &conv.dims.output_spatial, &[conv.dims.output_feature]].concat();
    call.check_dims(&places, shape.len())?;
    call.check(places.len() == shape.len(), "output dimension numbers of another rank")?;
    places.iter().enumerate().for_each(|(from, &to)| order[to] = from);
    Ok(vec![permuted(call, &out, &order)?])
}

fn canonical(call: &Call, dims: ConvDims) -> Result<Canonical, EvalError> {
    let input_order = [&[dims.input_batch][..], &dims.input_spatial, &[dims.input_feature]].concat();
    let kernel_order = [&dims.kernel_spatial[..], &[dims.kernel_input_feature, dims.kernel_output_feature]].concat();
    let input = permuted(call, &*call.operand(0)?, &input_order)?;
    let kernel = permuted(call, &*call.operand(1)?, &kernel_order)?;
    let n = dims.input_spatial.len();
    let (input_shape, kernel_shape) = (input.shape(), kernel.shape());
    call.check(kernel_shape.len() == n + 2 && dims.output_spatial.len() == n, "spatial dimensions differ in number")?;
    let positive = [&dims.strides, &dims.lhs_dilation, &dims.rhs_dilation];
    call.check(positive.iter().all(|v| v.iter().all(|&x| x > 0)), "window numbers must be positive")?;
    call.check(dims.feature_groups > 0 && dims.batch_groups > 0, "group counts must be positive")?;
    let (features, batches) = (dims.feature_groups as usize, dims.batch_groups as usize);
    let (ci, kernel_ci, co) = (input_shape[n + 1], kernel_shape[n], kernel_shape[n + 1]);
    let divides =
        ci == kernel_ci * features && co % features == 0 && input_shape[0] % batches == 0 && co % batches == 0;
    call.check(divides && (features == 1 || batches == 1), "group counts do not divide the features or batches")?;
    let output_spatial: Vec<i64> = (0..n)
        .map(|d| {
            let span =
                |size: usize, dilation: i64| if size == 0 { 0 } else { (size as i128 - 1) * i128::from(dilation) + 1 };
            let padding = i128::from(dims.padding[d].0) + i128::from(dims.padding[d].1);
            let padded = span(input_shape[1 + d], dims.lhs_dilation[d]) + padding;
            let window = span(kernel_shape[d], dims.rhs_dilation[d]);
            if padded < window {
                0
            } else {
                ((padded - window) / i128::from(dims.strides[d]) + 1).min(i64::MAX.into()) as i64
            }
        })
        .collect();
    Ok(Canonical {
        input_spatial: input_shape[1..1 + n].to_vec(),
        kernel_spatial: kernel_shape[..n].to_vec(),
        output_spatial: call.sizes(&output_spatial)?,
        batches: input_shape[0] / batches,
        input_features: ci,
        kernel_features: kernel_ci,
        output_features: co,
        dims,
        input,
        kernel,
    })
}

impl Canonical {
    /// Row-major input pixel that a kernel element meets at an output pixel; `None` in padding and dilation holes.
    fn input_pixel(&self, output: &[usize], kernel: &[usize]) -> Option<usize> {
        let mut pixel = 0;
        for d in 0..output.len() {
            let w = &self.dims;
            let tap = if w.reversal[d] { self.kernel_spatial[d] - 1 - kernel[d] } else { kernel[d] };
            let start = (output[d] as i64).wrapping_mul(w.strides[d]);
            let step = (tap as i64).wrapping_mul(w.rhs_dilation[d]);
            let place = start.wrapping_add(step).wrapping_sub(w.padding[d].0);
            let (index, hole) = (place.div_euclid(w.lhs_dilation[d]), place.rem_euclid(w.lhs_dilation[d]));
            if hole != 0 || index < 0 || index >= self.input_spatial[d] as i64 {
                return None;
            }
            pixel = pixel * self.input_spatial[d] + index as usize;
        }
        Some(pixel)
    }
}

/// The canonical output.
fn accumulate<T: Number>(conv: &Canonical) -> Vec<T> {
    let (input, kernel) = (T::elements(&conv.input), T::elements(&conv.kernel));
    let pixels: usize = conv.input_spatial.iter().product();
    let groups = (conv.dims.feature_groups * conv.dims.batch_groups) as usize;
    let feature_groups = conv.dims.feature_groups as usize;
    let (ci, kernel_ci, co) = (conv.input_features, conv.kernel_features, conv.output_features);
    let group_co = co / groups;
    let out_pixels: usize = conv.output_spatial.iter().product();
    let mut out = vec![T::ZERO; conv.batches * out_pixels * co];
    let mut outputs = Indices::new(&conv.output_spatial);
    let mut out_pixel = 0;
    while let Some(output) = outputs.advance() {
        let mut taps = Indices::new(&conv.kernel_spatial);
        let mut tap = 0;
        while let Some(at) = taps.advance() {
            let weights = &kernel[tap * kernel_ci * co..(tap + 1) * kernel_ci * co];
            tap += 1;
            // In padding and dilation holes the input is zero, which a weight that is not finite makes NaN.
            let pixel = conv.input_pixel(output, at);
            let holes = vec![T::ZERO; if pixel.is_none() { kernel_ci } else { 0 }];
            for batch in 0..conv.batches {
                let row = (batch * out_pixels + out_pixel) * co;
                for group in 0..groups {
                    // One of the two kinds of groups has count 1.
                    let (batch, first) =
                        if feature_groups > 1 { (batch, group * kernel_ci) } else { (batch + group * conv.batches, 0) };
                    let values = match pixel {
                        Some(pixel) => &input[(batch * pixels + pixel) * ci + first..][..kernel_ci],
                        None => holes.as_slice(),
                    };
                    let sums = &mut out[row + group * group_co..row + (group + 1) * group_co];
                    for (c, &x) in values.iter().enumerate() {
                        let weights = &weights[c * co + group * group_co..][..group_co];
                        for (sum, &w) in sums.iter_mut().zip(weights) {
                            *sum = sum.add_product(x, w);
                        }
                    }
                }
            }
        }
        out_pixel += 1;
    }
    out
}

#[cfg(test)]
mod tests {
    use crate::testing::*;
    use fornax_graph::{Attr, OpKind};

    /// Dimension numbers of [N, W, C]·[W, Ci, Co] → [N, W, C].
    fn numbers() -> Attr {
        fields(&[
            ("input_batch_dimension", int(0)),
            ("input_feature_dimension", int(2)),
            ("input_spatial_dimensions", dims(&[1])),
            ("kernel_input_feature_dimension", int(1)),
            ("kernel_output_feature_dimension", int(2)),
            ("kernel_spatial_dimensions", dims(&[0])),
            ("output_batch_dimension", int(0)),
            ("output_feature_dimension", int(2)),
            ("output_spatial_dimensions", dims(&[1])),
        ])
    }

    fn line(extra: &[(&str, Attr)], out: usize) -> Vec<f64> {
        let input = f32s(&[1, 4, 1], &[1.0, 2.0, 3.0, 4.0]);
        let kernel = f32s(&[2, 1, 1], &[1.0, 10.0]);
        let mut attrs = vec![("dimension_numbers", numbers())];
        attrs.extend_from_slice(extra);
        values(&op(OpKind::Convolution, &attrs, &[input, kernel], &[ty(&[1, out, 1], F32)])[0])
    }

    /// The specification pads with zeros, which take part in the sums; holes of a dilated input too.
    #[test]
    fn padding_meets_weights_that_are_not_finite() {
        let input = f32s(&[1, 2, 1], &[1.0, 2.0]);
        let kernel = f32s(&[2, 1, 1], &[f64::INFINITY, 1.0]);
        let run = |extra: &[(&str, Attr)], out: usize| {
            let mut attrs = vec![("dimension_numbers", numbers())];
            attrs.extend_from_slice(extra);
            values(&op(OpKind::Convolution, &attrs, &[input.clone(), kernel.clone()], &[ty(&[1, out, 1], F32)])[0])
        };
        let padded = run(&[("padding", dims(&[1, 1]))], 3);
        assert!(padded[0].is_nan() && padded[1] == f64::INFINITY && padded[2] == f64::INFINITY, "{padded:?}");
        let dilated = run(&[("lhs_dilation", dims(&[2]))], 2);
        assert!(dilated[0] == f64::INFINITY && dilated[1].is_nan(), "{dilated:?}");
    }

    #[test]
    fn window_attributes() {
        assert_eq!(line(&[], 3), [21.0, 32.0, 43.0]);
        assert_eq!(line(&[("window_strides", dims(&[2]))], 2), [21.0, 43.0]);
        assert_eq!(line(&[("padding", dims(&[1, -1]))], 3), [10.0, 21.0, 32.0]);
        assert_eq!(line(&[("rhs_dilation", dims(&[2]))], 2), [31.0, 42.0]);
        assert_eq!(line(&[("lhs_dilation", dims(&[2]))], 6), [1.0, 20.0, 2.0, 30.0, 3.0, 40.0]);
        assert_eq!(line(&[("window_reversal", dims(&[1]))], 3), [12.0, 23.0, 34.0]);
    }

    #[test]
    fn feature_and_batch_groups() {
        let input = f32s(&[1, 1, 2], &[3.0, 5.0]);
        let kernel = f32s(&[1, 1, 2], &[10.0, 100.0]);
        let attrs = [("dimension_numbers", numbers()), ("feature_group_count", int(2))];
        let out = op(OpKind::Convolution, &attrs, &[input, kernel.clone()], &[ty(&[1, 1, 2], F32)]);
        assert_eq!(values(&out[0]), [30.0, 500.0]);
        let input = f32s(&[2, 1, 1], &[3.0, 5.0]);
        let attrs = [("dimension_numbers", numbers()), ("batch_group_count", int(2))];
        let out = op(OpKind::Convolution, &attrs, &[input, kernel], &[ty(&[1, 1, 2], F32)]);
        assert_eq!(values(&out[0]), [30.0, 500.0]);
    }
}

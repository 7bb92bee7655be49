//! A convolution over an image with holes between its elements, as the gradient of one with strides is, becomes one
//! for each phase of the holes, over the elements alone. Its results lie between each other.
//!
//! Before:
//! ```mlir
//! func.func @main(%arg0: tensor<64x512x512xf32>, %arg1: tensor<3x512x256xf32>) -> tensor<64x1024x256xf32> {
//!   %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],
//!     window = {pad = [[2, 1]], lhs_dilate = [2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} :
//!     (tensor<64x512x512xf32>, tensor<3x512x256xf32>) -> tensor<64x1024x256xf32>
//!   return %0 : tensor<64x1024x256xf32>
//! }
//! ```
//! After:
//! ```mlir
//! func.func @main(%arg0: tensor<64x512x512xf32>, %arg1: tensor<3x512x256xf32>) -> tensor<64x1024x256xf32> {
//!   %0 = stablehlo.slice %arg1 [0:3:2, 0:512, 0:256] : (tensor<3x512x256xf32>) -> tensor<2x512x256xf32>
//!   %1 = stablehlo.convolution(%arg0, %0) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],
//!     window = {pad = [[1, 0]], lhs_dilate = [1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} :
//!     (tensor<64x512x512xf32>, tensor<2x512x256xf32>) -> tensor<64x512x256xf32>
//!   %2 = stablehlo.slice %arg1 [1:2:2, 0:512, 0:256] : (tensor<3x512x256xf32>) -> tensor<1x512x256xf32>
//!   %3 = stablehlo.convolution(%arg0, %2) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],
//!     window = {pad = [[0, 0]], lhs_dilate = [1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} :
//!     (tensor<64x512x512xf32>, tensor<1x512x256xf32>) -> tensor<64x512x256xf32>
//!   %4 = stablehlo.reshape %1 : (tensor<64x512x256xf32>) -> tensor<64x512x1x256xf32>
//!   %5 = stablehlo.reshape %3 : (tensor<64x512x256xf32>) -> tensor<64x512x1x256xf32>
//!   %6 = stablehlo.concatenate %4, %5, dim = 2 : (tensor<64x512x1x256xf32>, tensor<64x512x1x256xf32>) ->
//!     tensor<64x512x2x256xf32>
//!   %7 = stablehlo.reshape %6 : (tensor<64x512x2x256xf32>) -> tensor<64x1024x256xf32>
//!   return %7 : tensor<64x1024x256xf32>
//! }
//! ```
//!
//! Output y = s·h + p of a dilation by s meets tap k only where y + k − padding is a multiple of s: k = r, r + s, …
//! with r = (padding − p) mod s. The products are the same ones; the holes' zeros are not multiplied, so that an
//! infinite weight makes no NaN of them. A phase without taps is zero.
//!
//! It pays where the products take longer than the launches: gradients of ResNet50's 3 × 3 convolutions of stride 2 at
//! batch 32, 15·10⁹ products with the holes, took 122 to 139 µs each on one H200.

use fornax_graph::views::conv_dims;
use fornax_graph::{BlockId, Graph, NewOp, OpId, OpKind, Type, ValueId};

use super::Site;
use super::insert::{copy_of, replace_op};
use crate::errors::PassError;
use crate::facts::ops::{shape, tensor};
use crate::rewrite::Rewriter;
use crate::rewrite::build::{int, ints};

/// Products, those with holes too, from which several convolutions pay.
const PRODUCTS_MIN: i64 = 1 << 30;
/// Phases of a convolution, at most.
const PHASES_MAX: usize = 8;

/// A dimension of the image.
struct Spatial {
    dilation: i64,
    image: i64,
    taps: i64,
    low: i64,
    result: i64,
}

/// The convolution of one phase of a dimension.
#[derive(Clone, Copy)]
struct Phase {
    first_tap: i64,
    taps: i64,
    padding: (i64, i64),
}

impl Spatial {
    /// Results of each phase: those of the longest one.
    fn results(&self) -> i64 {
        (self.result + self.dilation - 1) / self.dilation
    }

    /// `None` where a phase has no taps.
    fn phase(&self, phase: i64) -> Option<Phase> {
        let first_tap = (self.low - phase).rem_euclid(self.dilation);
        let taps = (self.taps - first_tap + self.dilation - 1).div_euclid(self.dilation);
        let low = -(phase + first_tap - self.low).div_euclid(self.dilation);
        let high = self.results() - 1 + taps - self.image - low;
        (taps > 0).then_some(Phase { first_tap, taps, padding: (low, high) })
    }
}

/// Splits `op`, a `convolution`, where that pays.
pub(super) fn run(graph: &mut Graph, op: OpId, site: &Site) -> Result<(), PassError> {
    match spatial(graph, op, PRODUCTS_MIN)? {
        Some(spatial) if !site.is_claimed(op) => split(graph, site.entry, op, &spatial),
        _ => Ok(()),
    }
}

/// The convolutions, and their results between each other.
fn split(graph: &mut Graph, entry: BlockId, op: OpId, spatial: &[Spatial]) -> Result<(), PassError> {
    let result = graph.op(op).results[0];
    let (element, sizes) = (tensor(graph, result)?.element, shape(graph, result)?);
    let numbers = conv_dims(graph.op(op));
    let count: i64 = spatial.iter().map(|s| s.dilation).product();
    let mut phases = Vec::new();
    for at in 0..count {
        phases.push(phase(graph, op, spatial, digits(spatial, at))?);
    }
    // [b, h, 1, w, 1, c]: phases are joined from the innermost dimension on.
    let mut parts = sizes;
    for (s, &d) in spatial.iter().zip(&numbers.output_spatial) {
        parts[d] = s.results();
    }
    let mut spread = Vec::new();
    let mut places = vec![0; spatial.len()];
    for (d, &size) in parts.iter().enumerate() {
        spread.push(size);
        if let Some(at) = numbers.output_spatial.iter().position(|&o| o == d) {
            places[at] = spread.len();
            spread.push(1);
        }
    }
    let mut at = Rewriter::before(graph, op);
    let mut values: Vec<ValueId> = Vec::new();
    for value in phases {
        values.push(at.op(OpKind::Reshape, &[value], (&spread, element)));
    }
    for (s, &place) in spatial.iter().zip(&places).rev() {
        spread[place] = s.dilation;
        let joined = values.chunks(s.dilation as usize).map(|chunk| match chunk {
            [one] => *one,
            all => at.put(
                NewOp::new(OpKind::Concatenate, all.to_vec(), vec![Type::tensor(&spread, element)], at.location())
                    .attr("dimension", int(place as i64)),
            ),
        });
        values = joined.collect();
    }
    let mut whole = parts;
    for (s, &d) in spatial.iter().zip(&numbers.output_spatial) {
        whole[d] *= s.dilation;
    }
    let mut value = at.op(OpKind::Reshape, &values[..1], (&whole, element));
    for (s, &d) in spatial.iter().zip(&numbers.output_spatial) {
        if whole[d] != s.result {
            value = at.part(value, (d, 0, s.result), &whole);
            whole[d] = s.result;
        }
    }
    replace_op(graph, entry, op, &[value]);
    Ok(())
}

/// The dimensions of a convolution that is split; `None` for others.
fn spatial(graph: &Graph, op: OpId, least: i64) -> Result<Option<Vec<Spatial>>, PassError> {
    let data = graph.op(op);
    let numbers = conv_dims(data);
    let (image, kernel, result) =
        (shape(graph, data.operands[0])?, shape(graph, data.operands[1])?, shape(graph, data.results[0])?);
    let plain = numbers.strides.iter().chain(&numbers.rhs_dilation).all(|&n| n == 1)
        && !numbers.reversal.contains(&true)
        && numbers.feature_groups == 1
        && numbers.batch_groups == 1;
    let count = numbers.lhs_dilation.iter().fold(1i64, |n, &d| n.saturating_mul(d.max(1)));
    let products = result.iter().chain(&kernel).fold(1i64, |n, &d| n.saturating_mul(d));
    let products = products / kernel.get(numbers.kernel_output_feature).map_or(1, |&n| n.max(1));
    if !plain || !(2..=PHASES_MAX as i64).contains(&count) || products < least {
        return Ok(None);
    }
    let spatial = (0..numbers.input_spatial.len()).map(|d| Spatial {
        dilation: numbers.lhs_dilation[d],
        image: image[numbers.input_spatial[d]],
        taps: kernel[numbers.kernel_spatial[d]],
        low: numbers.padding[d].0,
        result: result[numbers.output_spatial[d]],
    });
    Ok(Some(spatial.collect()))
}

/// The phase of each dimension of the `at`-th convolution.
fn digits(spatial: &[Spatial], mut at: i64) -> Vec<i64> {
    let mut digits = vec![0; spatial.len()];
    for (digit, s) in digits.iter_mut().zip(spatial).rev() {
        *digit = at % s.dilation;
        at /= s.dilation;
    }
    digits
}

/// The results of one phase.
fn phase(graph: &mut Graph, op: OpId, spatial: &[Spatial], digits: Vec<i64>) -> Result<ValueId, PassError> {
    let numbers = conv_dims(graph.op(op));
    let (kernel, result) = (graph.op(op).operands[1], graph.op(op).results[0]);
    let (mut limit, mut sizes) = (shape(graph, kernel)?, shape(graph, result)?);
    let element = tensor(graph, result)?.element;
    for (s, &d) in spatial.iter().zip(&numbers.output_spatial) {
        sizes[d] = s.results();
    }
    let phases: Option<Vec<Phase>> = spatial.iter().zip(digits).map(|(s, digit)| s.phase(digit)).collect();
    let mut new = copy_of(graph, op);
    let mut at = Rewriter::before(graph, op);
    let Some(phases) = phases else { return Ok(at.bits(0, (&sizes, element))) };
    let (mut start, mut strides) = (vec![0; limit.len()], vec![1; limit.len()]);
    for ((phase, s), &d) in phases.iter().zip(spatial).zip(&numbers.kernel_spatial) {
        start[d] = phase.first_tap;
        limit[d] = phase.first_tap + (phase.taps - 1) * s.dilation + 1;
        strides[d] = s.dilation;
    }
    new.operands[1] = at.slice(kernel, &start, &limit, &strides);
    let padding: Vec<i64> = phases.iter().flat_map(|p| [p.padding.0, p.padding.1]).collect();
    new.attrs.set("padding", ints(padding));
    new.attrs.set("lhs_dilation", ints(vec![1; spatial.len()]));
    new.result_types = vec![Type::tensor(&sizes, element)];
    Ok(at.put(new))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::{import, print};
    use fornax_reference::{Scalar, Tensor, evaluate};

    /// Dilations of the images of all convolutions.
    fn numbers_of(graph: &Graph, entry: BlockId) -> Vec<i64> {
        let ops = graph.block(entry).ops.iter().map(|&op| graph.op(op));
        let convolutions = ops.filter(|op| op.kind == OpKind::Convolution);
        convolutions.flat_map(|op| conv_dims(op).lhs_dilation).collect()
    }

    /// Small whole numbers: sums are exact in any order.
    #[test]
    fn phases_make_the_same_convolution() {
        let table = [
            ("[[2, 1], [1, 2]]", "[2, 2]", [3, 3], [2, 4, 5, 3], 4),
            ("[[1, 1], [0, 0]]", "[2, 3]", [4, 1], [1, 3, 4, 2], 2),
            ("[[0, 1], [-1, 3]]", "[1, 3]", [2, 5], [1, 3, 4, 2], 3),
            ("[[4, 3], [-2, -1]]", "[3, 2]", [5, 4], [1, 4, 5, 2], 6),
        ];
        for (padding, dilation, [kh, kw], [b, h, w, c], convolutions) in table {
            let numbers = |text: &str| -> Vec<i64> {
                let split = text.split(|c: char| !c.is_ascii_digit() && c != '-');
                split.filter_map(|n| n.parse().ok()).collect()
            };
            let (pads, dilations) = (numbers(padding), numbers(dilation));
            let long = |n: i64, d: usize, k: i64| {
                (n - 1) * dilations[d] + 1 + pads[2 * d] + pads[2 * d + 1] - k + 1
            };
            let (image, kernel) = (format!("tensor<{b}x{h}x{w}x{c}xf32>"), format!("tensor<{kh}x{kw}x{c}x2xf32>"));
            let result = format!("tensor<{b}x{}x{}x2xf32>", long(h, 0, kh), long(w, 1, kw));
            let mut graph = import(&format!(
                "func.func @main(%x: {image}, %k: {kernel}) -> {result} {{
                   %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
                     window = {{pad = {padding}, lhs_dilate = {dilation}}}
                     {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}} : ({image}, {kernel}) -> {result}
                   return %0 : {result}
                 }}"
            ));
            let filled = |sizes: &[i64]| {
                let values = (0..sizes.iter().product::<i64>()).map(|i| Scalar::Float((i * 7 % 11) as f64 - 5.0));
                let sizes: Vec<usize> = sizes.iter().map(|&n| n as usize).collect();
                Tensor::from_scalars(&sizes, fornax_graph::ElementType::F32, values)
            };
            let inputs = [filled(&[b, h, w, c]), filled(&[kh, kw, c, 2])];
            let run = |graph: &Graph| evaluate(graph, "main", &inputs, &Default::default()).expect("it evaluates");
            let wanted = run(&graph);
            let entry = graph.function("main").and_then(|f| graph.entry(f)).expect("a body");
            let op = graph.block(entry).ops[0];
            let spatial = spatial(&graph, op, 0).expect("sizes").expect("an image with holes");
            split(&mut graph, entry, op, &spatial).expect("phases");
            assert_eq!(fornax_graph::verify(&graph), [], "{}", print(&graph));
            assert_eq!(run(&graph), wanted, "{padding}: {}", print(&graph));
            let text = print(&graph);
            assert_eq!(text.matches("stablehlo.convolution").count(), convolutions, "{text}");
            let holes = numbers_of(&graph, entry);
            assert!(holes.iter().all(|&dilation| dilation == 1), "{text}");
        }
    }
}

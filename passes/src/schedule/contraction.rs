//! `dot`, `dot_general` and `convolution` as a [`Body::Contraction`].
//!
//! Worked example: convolution of [1, 8, 8, 3] by [3, 3, 3, 16], stride 2, padding 1, result (b, y, x, o): reduction
//! variables ky, kx, f; lhs = load at (b, 2·y + ky − 1, 2·x + kx − 1, f), 0 where that is outside; rhs = load at (ky,
//! kx, f, o). Narrow floats accumulate in f32, integers in the result's type, those of less than a byte in i32; i1 is a
//! reduction of `and` by `or`.

use fornax_graph::views::{ConvDims, conv_dims};
use fornax_graph::{ElementType, Graph, OpId, OpKind};
use fornax_plan::form::exact_source;
use fornax_plan::{Binary, Body, Combiner, Exprs, IndexId, Node, NodeId, Precision, VarId};

use super::lower::{HeroBody, Lowering};
use super::precision;
use crate::errors::PassError;
use crate::facts::ops::tensor;
use crate::facts::pattern::operand_indices;
use crate::facts::sizes::{constants, low_padding};

/// The result dimension that a grouped convolution splits in two variables, and the number of groups.
pub(super) fn split(graph: &Graph, op: OpId) -> Result<Option<(usize, i64)>, PassError> {
    if graph.op(op).kind != OpKind::Convolution {
        return Ok(None);
    }
    let c = conv_dims(graph.op(op));
    let groups = c.feature_groups.max(c.batch_groups);
    Ok((groups > 1).then_some((c.output_feature, groups)))
}

/// Builds the body; `index` is the index of the result.
pub(super) fn build(l: &mut Lowering<'_>, op: OpId, index: &[IndexId]) -> Result<HeroBody, PassError> {
    let mut reduction = Vec::new();
    let (lhs, rhs) = match l.graph.op(op).kind {
        OpKind::Convolution => convolution(l, op, index, &mut reduction)?,
        _ => dot(l, op, index, &mut reduction)?,
    };
    let result = tensor(l.graph, l.graph.op(op).results[0])?.element;
    let element = |node| l.exprs.element(node);
    let accumulator = match (element(lhs), element(rhs), result) {
        (ElementType::F64, _, _) | (_, ElementType::F64, _) | (_, _, ElementType::F64) => ElementType::F64,
        (_, _, r) if r.is_float() => ElementType::F32,
        (_, _, r) if r.is_integer() && r.bits() < 8 => ElementType::I32,
        (_, _, r) => r,
    };
    if reduction.iter().any(|&v| l.exprs.indices.is_empty(v)) {
        let zero = l.exprs.add(Node::Constant { element: accumulator, bits: 0 });
        let zero = l.exprs.convert(result, zero);
        return Ok(HeroBody::computed(vec![zero]));
    }
    let narrow = [lhs, rhs];
    let (lhs, rhs) = (l.exprs.convert(accumulator, lhs), l.exprs.convert(accumulator, rhs));
    if reduction.is_empty() {
        let product = if accumulator == ElementType::I1 { Binary::And } else { Binary::Multiply };
        let node = l.exprs.binary(product, lhs, rhs);
        let node = l.exprs.convert(result, node);
        return Ok(HeroBody::computed(vec![node]));
    }
    let node = l.exprs.add(Node::Reduced { index: 0, element: accumulator });
    let node = l.exprs.convert(result, node);
    let body = if accumulator == ElementType::I1 {
        let input = l.exprs.binary(Binary::And, lhs, rhs);
        let init = l.exprs.boolean(false);
        let combiner = Combiner::Simple(Binary::Or);
        Body::Reduce { reduction, inputs: vec![input], inits: vec![init], combiner, stores: Vec::new() }
    } else {
        let asked = precision::of(l.graph.op(op), l.options.f32_matmul);
        let precision = match sums_may_be_short(&l.exprs, narrow) {
            true if precision::takes_imprecise_sums(l.graph.op(op)) => Precision::ShortSums,
            true => Precision::Tf32,
            false => asked,
        };
        Body::Contraction { reduction, lhs, rhs, accumulator, precision, stores: Vec::new() }
    };
    Ok(HeroBody::of(body, vec![node]))
}

/// A product of 8-bit floats, given as such or as 16-bit floats: its sums need not have all digits of f32, as they must
/// where somebody converts to f32 first.
fn sums_may_be_short(exprs: &Exprs, operands: [NodeId; 2]) -> bool {
    operands.iter().all(|&node| {
        let source = exprs.element(exact_source(exprs, node));
        exprs.element(node).storage_bytes() <= 2 && source.is_float() && source.storage_bytes() == 1
    })
}

fn dot(
    l: &mut Lowering<'_>,
    op: OpId,
    index: &[IndexId],
    reduction: &mut Vec<VarId>,
) -> Result<(NodeId, NodeId), PassError> {
    let (lhs, rhs) = operand_indices(l.graph, op, index, &mut l.exprs.indices, reduction)?;
    let data = l.graph.op(op);
    Ok((l.value_at(data.operands[0], &lhs, None)?, l.value_at(data.operands[1], &rhs, None)?))
}

fn convolution(
    l: &mut Lowering<'_>,
    op: OpId,
    index: &[IndexId],
    reduction: &mut Vec<VarId>,
) -> Result<(NodeId, NodeId), PassError> {
    let data = l.graph.op(op);
    let c = conv_dims(data);
    let (input, kernel) = (data.operands[0], data.operands[1]);
    let (input_shape, kernel_shape) = (l.sizes(input)?, l.sizes(kernel)?);
    let output_shape = l.sizes(data.results[0])?;
    if !consistent(&c, input_shape.len(), kernel_shape.len(), index.len()) {
        return Err(PassError::internal(l.graph, op, "dimension numbers do not fit the shapes"));
    }
    let zero = l.exprs.indices.constant(0);
    let low = low_padding(l.graph, op, "padding", c.input_spatial.len(), &mut l.exprs.indices);
    let mut padding = vec![(0i64, 0i64); input_shape.len()];
    let (mut at_input, mut at_kernel) = (vec![zero; input_shape.len()], vec![zero; kernel_shape.len()]);
    let mut condition = None;
    for d in 0..c.input_spatial.len() {
        let (size, n) = (input_shape[c.input_spatial[d]], kernel_shape[c.kernel_spatial[d]]);
        let k = l.variable(n, reduction);
        let indices = &mut l.exprs.indices;
        at_kernel[c.kernel_spatial[d]] = if c.reversal[d] {
            let negated = indices.scale(k, -1);
            let last = indices.offset(n, -1);
            indices.add(negated, last)
        } else {
            k
        };
        let start = indices.scale(index[c.output_spatial[d]], c.strides[d]);
        let inside = indices.scale(k, c.rhs_dilation[d]);
        let place = indices.add(start, inside);
        let dilation = l.constant(c.lhs_dilation[d]);
        let (place, so_far) = l.strided(place, low[d], dilation, size, condition);
        condition = so_far;
        at_input[c.input_spatial[d]] = place;
        if let Some(size) = l.exprs.indices.as_constant(size) {
            let (low, high) = l.exprs.indices.range(place);
            padding[c.input_spatial[d]] = (low.saturating_neg().max(0), high.saturating_sub(size - 1).max(0));
        }
    }
    // Channels last: masks depend on the window only.
    let features = kernel_shape[c.kernel_input_feature];
    let feature = l.variable(features, reduction);
    let output = index[c.output_feature];
    let outputs = output_shape[c.output_feature];
    let group = |l: &mut Lowering<'_>, groups: i64| {
        let each = l.exprs.indices.floor_div(outputs, groups.max(1));
        l.exprs.indices.floor_div_by(output, each)
    };
    let grouped = if c.feature_groups > 1 { group(l, c.feature_groups) } else { zero };
    let first = l.exprs.indices.multiply(grouped, features);
    at_input[c.input_feature] = l.exprs.indices.add(first, feature);
    let batch = if c.batch_groups > 1 { group(l, c.batch_groups) } else { zero };
    let each = l.exprs.indices.floor_div(input_shape[c.input_batch], c.batch_groups.max(1));
    let first = l.exprs.indices.multiply(batch, each);
    at_input[c.input_batch] = l.exprs.indices.add(first, index[c.output_batch]);
    at_kernel[c.kernel_input_feature] = feature;
    at_kernel[c.kernel_output_feature] = output;
    let element = tensor(l.graph, input)?.element;
    let whole = |sizes: &[IndexId]| constants(sizes, &l.exprs.indices);
    let pays = l.copy_padded
        && whole(&output_shape).is_some()
        && whole(&input_shape)
            .zip(whole(&kernel_shape))
            .is_some_and(|(input, kernel)| copy_pays(&c, &input, &kernel, &padding));
    let lhs = match condition {
        None => l.value_at(input, &at_input, None)?,
        Some(condition) if element == ElementType::F8E8M0FNU => {
            // A bare exponent has no zero: f32 has.
            let one = l.exprs.add(Node::Constant { element, bits: 127 });
            let inside = l.guarded(condition, (input, &at_input), None, one)?;
            let inside = l.exprs.convert(ElementType::F32, inside);
            let zero = l.exprs.add(Node::Constant { element: ElementType::F32, bits: 0 });
            l.exprs.select(condition, inside, zero)
        }
        Some(_) if pays => {
            let (buffer, padded) = l.padded_copy(input, &padding, 0)?;
            for (at, &(low, _)) in at_input.iter_mut().zip(&padding) {
                *at = l.exprs.indices.offset(*at, low);
            }
            let offset = l.exprs.indices.linearize(&at_input, &padded);
            l.exprs.add(Node::Load { buffer, element, offset, mask: None })
        }
        Some(condition) => {
            let zero = l.exprs.add(Node::Constant { element, bits: 0 });
            l.guarded(condition, (input, &at_input), None, zero)?
        }
    };
    Ok((lhs, l.value_at(kernel, &at_kernel, None)?))
}

/// Is a padded copy of the input cheaper than masks in the innermost loop? Its elements must be used by enough output
/// channels, and it may not be much larger than the input.
fn copy_pays(c: &ConvDims, input: &[i64], kernel: &[i64], padding: &[(i64, i64)]) -> bool {
    let outputs = kernel[c.kernel_output_feature] / c.feature_groups.max(c.batch_groups).max(1);
    let size = input.iter().try_fold(1i64, |n, &d| n.checked_mul(d));
    let mut grown = input.iter().zip(padding);
    let padded = grown.try_fold(1i64, |n, (d, p)| n.checked_mul(d.checked_add(p.0)?.checked_add(p.1)?));
    let dilated = c.lhs_dilation.iter().any(|&d| d != 1);
    matches!((size, padded), (Some(size), Some(padded)) if !dilated && outputs >= 8 && padded <= size.saturating_mul(4))
}

fn consistent(c: &ConvDims, input_rank: usize, kernel_rank: usize, output_rank: usize) -> bool {
    let n = c.input_spatial.len();
    let below = |dims: &[usize], rank: usize| dims.len() == n && dims.iter().all(|&d| d < rank);
    below(&c.input_spatial, input_rank)
        && below(&c.kernel_spatial, kernel_rank)
        && below(&c.output_spatial, output_rank)
        && [c.input_batch, c.input_feature].iter().all(|&d| d < input_rank)
        && [c.kernel_input_feature, c.kernel_output_feature].iter().all(|&d| d < kernel_rank)
        && [c.output_batch, c.output_feature].iter().all(|&d| d < output_rank)
}

//! `reduce`, `reduce_window`, `select_and_scatter`, `map`: regions over many elements.

use fornax_graph::ElementType;
use fornax_graph::views::{WindowDims, dim_list, window_dims};

use crate::errors::EvalError;
use crate::interpreter::Call;
use crate::region::ScalarRegion;
use crate::scalar::Scalar;
use crate::tensor::{Indices, Tensor, offset, strides};

type Results = Result<Vec<Tensor>, EvalError>;

/// The operands of a reduction: N inputs of one shape, then N initial values.
struct Reduction {
    n: usize,
    shape: Vec<usize>,
    body: ScalarRegion,
    initial: Vec<Scalar>,
    /// The body is a float sum: it is accumulated in f64 and rounded once, the best of all allowed orders.
    is_float_sum: bool,
}

impl Reduction {
    fn new(call: &mut Call) -> Result<Reduction, EvalError> {
        let n = call.op.results.len();
        call.check(n > 0 && call.operands.len() == 2 * n, "as many initial values as inputs")?;
        let shape = call.operand(0)?.shape();
        call.check(call.operands[..n].iter().all(|t| t.shape() == shape), "inputs of unlike shapes")?;
        let region = call.region(0)?;
        let body = ScalarRegion::new(call.interp, region)?;
        call.check(body.arguments.len() == 2 * n && body.results.len() == n, "a region of 2N arguments and N results")?;
        let initial = (0..n).map(|k| call.operands[n + k].get(0).convert(body.arguments[k])).collect();
        let is_float_sum = body.as_float_add();
        Ok(Reduction { n, shape, body, initial, is_float_sum })
    }

    /// Folds the input elements at the given positions; `None` stands for a padding element, the initial value.
    fn fold(
        &mut self,
        call: &mut Call,
        positions: impl Iterator<Item = Option<usize>>,
        out: &mut Vec<Scalar>,
    ) -> Result<(), EvalError> {
        out.clear();
        out.extend(&self.initial);
        if self.is_float_sum {
            let (input, start) = (&call.operands[0], self.initial[0].as_f64());
            let sum = positions.map(|p| p.map_or(start, |p| input.get(p).as_f64())).fold(start, |a, b| a + b);
            out[0] = Scalar::Float(sum).round_to(self.body.results[0]);
            return Ok(());
        }
        let n = self.n;
        let mut args = vec![Scalar::Bool(false); 2 * n];
        for position in positions {
            for k in 0..n {
                args[k] = out[k].convert(self.body.arguments[k]);
                args[n + k] = match position {
                    Some(p) => call.operands[k].get(p).convert(self.body.arguments[n + k]),
                    None => self.initial[k].convert(self.body.arguments[n + k]),
                };
            }
            self.body.call(call.interp, &args, out)?;
        }
        Ok(())
    }
}

fn result_tensors(call: &Call, shape: &[usize]) -> Results {
    (0..call.op.results.len()).map(|k| call.alloc(shape, call.result_element(k)?)).collect()
}

fn store(outputs: &mut [Tensor], at: usize, values: &[Scalar]) {
    for (output, value) in outputs.iter_mut().zip(values) {
        output.set(at, value.convert(output.element()));
    }
}

/// Folds `dimensions` away, in row-major order, starting from the initial values.
pub(crate) fn reduce(call: &mut Call) -> Results {
    let mut reduction = Reduction::new(call)?;
    let dims = dim_list(call.op, "dimensions");
    let rank = reduction.shape.len();
    call.check_dims(&dims, rank)?;
    let from = reduction.shape.clone();
    let natural = strides(&from);
    let kept: Vec<usize> = (0..rank).filter(|d| !dims.contains(d)).collect();
    let folded: Vec<usize> = (0..rank).filter(|d| dims.contains(d)).collect();
    let pick = |dims: &[usize]| -> (Vec<usize>, Vec<isize>) {
        (dims.iter().map(|&d| from[d]).collect(), dims.iter().map(|&d| natural[d]).collect())
    };
    let ((kept_shape, kept_strides), (fold_shape, fold_strides)) = (pick(&kept), pick(&folded));
    call.charge_work(from.iter().product::<usize>() as u64)?;
    let mut inner = Vec::new();
    let mut walk = Indices::new(&fold_shape);
    while let Some(index) = walk.advance() {
        inner.push(offset(index, &fold_strides));
    }
    let mut outputs = result_tensors(call, &kept_shape)?;
    let mut walk = Indices::new(&kept_shape);
    let (mut at, mut values) = (0, Vec::new());
    while let Some(index) = walk.advance() {
        let base = offset(index, &kept_strides);
        let positions = inner.iter().map(|&o| Some((base + o) as usize));
        reduction.fold(call, positions, &mut values)?;
        store(&mut outputs, at, &values);
        at += 1;
    }
    Ok(outputs)
}

/// Sizes and positions of sliding windows.
struct Windows {
    dims: WindowDims,
    from: Vec<usize>,
    natural: Vec<isize>,
}

impl Windows {
    fn new(call: &Call, dims: WindowDims, from: &[usize]) -> Result<Windows, EvalError> {
        let positive = [&dims.size, &dims.strides, &dims.base_dilation, &dims.window_dilation];
        call.check(positive.iter().all(|v| v.iter().all(|&n| n > 0)), "window numbers must be positive")?;
        Ok(Windows { dims, from: from.to_vec(), natural: strides(from) })
    }

    /// Number of window positions a dimension.
    fn counts(&self, call: &Call) -> Result<Vec<usize>, EvalError> {
        let count = |d: usize| -> i128 {
            let w = &self.dims;
            let n = self.from[d] as i128;
            let dilated = if n == 0 { 0 } else { (n - 1) * i128::from(w.base_dilation[d]) + 1 };
            let padded = dilated + i128::from(w.padding[d].0) + i128::from(w.padding[d].1);
            let window = i128::from(w.size[d] - 1) * i128::from(w.window_dilation[d]) + 1;
            if padded < window { 0 } else { (padded - window) / i128::from(w.strides[d]) + 1 }
        };
        let counts: Vec<i64> = (0..self.from.len()).map(|d| count(d).min(i64::MAX.into()) as i64).collect();
        call.sizes(&counts)
    }

    /// Position in the input of element `inside` of window `window`; `None` in padding and dilation holes.
    fn position(&self, window: &[usize], inside: &[usize]) -> Option<usize> {
        let mut at = 0;
        for d in 0..self.from.len() {
            let w = &self.dims;
            let start = (window[d] as i64).wrapping_mul(w.strides[d]);
            let step = (inside[d] as i64).wrapping_mul(w.window_dilation[d]);
            let place = start.wrapping_add(step).wrapping_sub(w.padding[d].0);
            let (index, hole) = (place.div_euclid(w.base_dilation[d]), place.rem_euclid(w.base_dilation[d]));
            if hole != 0 || index < 0 || index >= self.from[d] as i64 {
                return None;
            }
            at += index as isize * self.natural[d];
        }
        Some(at as usize)
    }

    /// Positions of all elements of a window, row-major, into `out`.
    fn positions(&self, window: &[usize], sizes: &[usize], out: &mut Vec<Option<usize>>) {
        out.clear();
        let mut walk = Indices::new(sizes);
        while let Some(inside) = walk.advance() {
            out.push(self.position(window, inside));
        }
    }
}

/// Folds each window of the dilated and padded inputs; padding holds the initial values.
pub(crate) fn reduce_window(call: &mut Call) -> Results {
    let mut reduction = Reduction::new(call)?;
    let windows = Windows::new(call, window_dims(call.op, reduction.shape.len()), &reduction.shape)?;
    let shape = windows.counts(call)?;
    let sizes = call.sizes(&windows.dims.size)?;
    call.check_size(&sizes)?;
    let mut outputs = result_tensors(call, &shape)?;
    let window_elements = sizes.iter().product::<usize>() as u64;
    call.charge_work((outputs[0].len() as u64).saturating_mul(window_elements))?;
    let mut walk = Indices::new(&shape);
    let (mut at, mut positions, mut values) = (0, Vec::new(), Vec::new());
    while let Some(window) = walk.advance() {
        windows.positions(window, &sizes, &mut positions);
        reduction.fold(call, positions.iter().copied(), &mut values)?;
        store(&mut outputs, at, &values);
        at += 1;
    }
    Ok(outputs)
}

/// Selects one element of each window of operand 0 (region 0), then combines the source element into the result there
/// (region 1). Padding is never selected.
pub(crate) fn select_and_scatter(call: &mut Call) -> Results {
    let (operand, source, initial) = (call.operand(0)?, call.operand(1)?, call.operand(2)?);
    let from = operand.shape();
    let windows = Windows::new(call, window_dims(call.op, from.len()), &from)?;
    let shape = windows.counts(call)?;
    call.check(shape == source.shape(), "a source of another shape than the windows")?;
    let sizes = call.sizes(&windows.dims.size)?;
    call.check_size(&sizes)?;
    call.charge_work((source.len() as u64).saturating_mul(sizes.iter().product::<usize>() as u64))?;
    let (select, combine) = (call.region(0)?, call.region(1)?);
    let mut select = ScalarRegion::new(call.interp, select)?;
    let mut combine = ScalarRegion::new(call.interp, combine)?;
    call.check(select.arguments.len() == 2 && combine.arguments.len() == 2, "regions of two arguments")?;
    let element = call.result_element(0)?;
    let mut out = call.filled(&from, element, initial.get(0).convert(element))?;
    let mut walk = Indices::new(&shape);
    let (mut at, mut positions, mut results) = (0, Vec::new(), Vec::new());
    while let Some(window) = walk.advance() {
        windows.positions(window, &sizes, &mut positions);
        let mut selected: Option<usize> = None;
        for &candidate in positions.iter().flatten() {
            let Some(best) = selected else {
                selected = Some(candidate);
                continue;
            };
            let args = [operand.get(best), operand.get(candidate)];
            select.call(call.interp, &args, &mut results)?;
            if !results[0].as_bool() {
                selected = Some(candidate);
            }
        }
        if let Some(place) = selected {
            let args = [out.get(place).convert(combine.arguments[0]), source.get(at).convert(combine.arguments[1])];
            combine.call(call.interp, &args, &mut results)?;
            out.set(place, results[0].convert(element));
        }
        at += 1;
    }
    Ok(vec![out])
}

/// The region on every element of equally shaped operands.
pub(crate) fn map(call: &mut Call) -> Results {
    let shape = call.operand(0)?.shape();
    call.check(call.operands.iter().all(|t| t.shape() == shape), "operands of unlike shapes")?;
    let region = call.region(0)?;
    let mut body = ScalarRegion::new(call.interp, region)?;
    call.check(body.arguments.len() == call.operands.len(), "one region argument an operand")?;
    let element: ElementType = call.result_element(0)?;
    let mut out = call.alloc(&shape, element)?;
    let mut results = Vec::new();
    for at in 0..out.len() {
        let args: Vec<Scalar> = call.operands.iter().map(|t| t.get(at)).collect();
        body.call(call.interp, &args, &mut results)?;
        out.set(at, results[0].convert(element));
    }
    Ok(vec![out])
}

#[cfg(test)]
mod tests {
    use crate::testing::*;
    use fornax_graph::{NewOp, OpKind};

    #[test]
    fn sums_and_maxima() {
        let m = f32s(&[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let zero = f32s(&[], &[0.0]);
        let attrs = [("dimensions", dims(&[1]))];
        let add = [Body::binary(OpKind::Add, F32)];
        let out = try_op(OpKind::Reduce, &attrs, &[m.clone(), zero.clone()], &[ty(&[2], F32)], &add).unwrap();
        assert_eq!(values(&out[0]), [6.0, 15.0]);
        let attrs = [("dimensions", dims(&[0]))];
        let max = [Body::binary(OpKind::Maximum, F32)];
        let out = try_op(OpKind::Reduce, &attrs, &[m, zero], &[ty(&[3], F32)], &max).unwrap();
        assert_eq!(values(&out[0]), [4.0, 5.0, 6.0]);
    }

    #[test]
    fn variadic_argmax() {
        let build = |net: &mut Net, block, a: &[_]| {
            let compare = NewOp::new(OpKind::Compare, vec![a[0], a[2]], vec![ty(&[], I1)], Default::default());
            let compare = net.graph.push_op(block, compare.attr("comparison_direction", keyword("GT")));
            let on = net.graph.op(compare).results[0];
            let value = net.op(block, OpKind::Select, &[on, a[0], a[2]], ty(&[], F32));
            let index = net.op(block, OpKind::Select, &[on, a[1], a[3]], ty(&[], I32));
            vec![value, index]
        };
        let body = Body { arguments: vec![F32, I32, F32, I32], build: Box::new(build) };
        let operands = [
            f32s(&[4], &[3.0, 9.0, 1.0, 8.0]),
            ints(&[4], I32, &[0, 1, 2, 3]),
            f32s(&[], &[f64::NEG_INFINITY]),
            ints(&[], I32, &[-1]),
        ];
        let attrs = [("dimensions", dims(&[0]))];
        let out = try_op(OpKind::Reduce, &attrs, &operands, &[ty(&[], F32), ty(&[], I32)], &[body]).unwrap();
        assert_eq!((values(&out[0]), out[1].ints()), (vec![9.0], vec![1]));
    }

    #[test]
    fn a_region_that_is_not_scalar_steps_gives_the_same() {
        let build = |net: &mut Net, block, a: &[_]| {
            let vector = net.op(block, OpKind::Reshape, &[a[0]], ty(&[1], I32));
            let back = net.op(block, OpKind::Reshape, &[vector], ty(&[], I32));
            vec![net.op(block, OpKind::Add, &[back, a[1]], ty(&[], I32))]
        };
        let body = Body { arguments: vec![I32, I32], build: Box::new(build) };
        let operands = [ints(&[3], I32, &[1, 2, 3]), ints(&[], I32, &[10])];
        let attrs = [("dimensions", dims(&[0]))];
        let out = try_op(OpKind::Reduce, &attrs, &operands, &[ty(&[], I32)], &[body]).unwrap();
        assert_eq!(out[0].ints(), [16]);
    }

    #[test]
    fn windows() {
        let attrs = [("window_dimensions", dims(&[2])), ("window_strides", dims(&[2])), ("padding", dims(&[1, 0]))];
        let operands = [ints(&[5], I32, &[1, 2, 3, 4, 5]), ints(&[], I32, &[0])];
        let add = [Body::binary(OpKind::Add, I32)];
        let out = try_op(OpKind::ReduceWindow, &attrs, &operands, &[ty(&[3], I32)], &add).unwrap();
        assert_eq!(out[0].ints(), [1, 5, 9]);
        let attrs =
            [("window_dimensions", dims(&[2])), ("base_dilations", dims(&[2])), ("window_dilations", dims(&[2]))];
        let out = try_op(OpKind::ReduceWindow, &attrs, &operands, &[ty(&[7], I32)], &add).unwrap();
        assert_eq!(out[0].ints(), [3, 0, 5, 0, 7, 0, 9]);
    }

    #[test]
    fn select_and_scatter_of_max_pooling() {
        let operands = [f32s(&[4], &[1.0, 5.0, 2.0, 7.0]), f32s(&[2], &[10.0, 20.0]), f32s(&[], &[0.0])];
        let attrs = [("window_dimensions", dims(&[2])), ("window_strides", dims(&[2]))];
        let regions = [Body::compare("GE", &[F32, F32]), Body::binary(OpKind::Add, F32)];
        let out = try_op(OpKind::SelectAndScatter, &attrs, &operands, &[ty(&[4], F32)], &regions).unwrap();
        assert_eq!(values(&out[0]), [0.0, 10.0, 0.0, 20.0]);
    }

    #[test]
    fn map_applies_the_region() {
        let operands = [ints(&[2], I32, &[3, 4]), ints(&[2], I32, &[5, 6])];
        let out = try_op(
            OpKind::Map,
            &[("dimensions", dims(&[0]))],
            &operands,
            &[ty(&[2], I32)],
            &[Body::binary(OpKind::Multiply, I32)],
        );
        assert_eq!(out.unwrap()[0].ints(), [15, 24]);
    }
}

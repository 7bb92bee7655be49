//! Sizes after padding, windows, slices and products: the arithmetic of the specification on symbols.
//!
//! A window of 3 with stride 2 over b padded by (1, 1): `max((b - 1) / 2 + 1, 0)`, which for b of 1 at least is
//! `(b + 1) / 2`.

use fornax_graph::views::{self, ConvDims};
use fornax_graph::{Dim, DimCheck, DimRelation, OpId, OpKind};

use super::Resolver;
use crate::errors::PassError;

/// One dimension of a window: input, padding (low, high), window, and the steps of each.
pub struct Axis {
    pub input: Dim,
    pub padding: (Dim, Dim),
    pub window: Dim,
    pub base_dilation: i64,
    pub window_dilation: i64,
    pub stride: i64,
}

type Shapes = Result<Vec<Vec<Dim>>, PassError>;

impl Resolver<'_> {
    /// `(n - 1) * step + 1`, 0 for 0.
    fn dilated(&mut self, size: Dim, step: i64) -> Dim {
        if step == 1 {
            return size;
        }
        let gaps = self.graph.dim_sub(size, Dim::Static(1));
        let gaps = self.graph.dim_mul(gaps, Dim::Static(step));
        let sum = self.graph.dim_add(gaps, Dim::Static(1));
        self.graph.dim_max(sum, Dim::Static(0))
    }

    pub fn positions(&mut self, axis: &Axis) -> Dim {
        let input = self.dilated(axis.input, axis.base_dilation);
        let padded = self.graph.dim_add(input, axis.padding.0);
        let padded = self.graph.dim_add(padded, axis.padding.1);
        let span = self.dilated(axis.window, axis.window_dilation);
        let room = self.graph.dim_sub(padded, span);
        let steps = self.graph.dim_floor_div(room, Dim::Static(axis.stride));
        let count = self.graph.dim_add(steps, Dim::Static(1));
        self.graph.dim_max(count, Dim::Static(0))
    }

    /// `reduce_window`, whose inputs agree; `select_and_scatter`, whose source has the windows' shape.
    pub fn window(&mut self, id: OpId) -> Shapes {
        let mut shape = self.operand_shape(id, 0)?;
        let results = self.graph.op(id).results.len();
        if self.graph.op(id).kind == OpKind::SelectAndScatter {
            let (windows, source) = (self.windowed(id, &shape), self.operand_shape(id, 1)?);
            self.unify_shapes(id, &windows, &source)?;
            return Ok(vec![shape]);
        }
        for at in 1..results {
            let other = self.operand_shape(id, at)?;
            shape = self.unify_shapes(id, &shape, &other)?;
        }
        Ok(vec![self.windowed(id, &shape); results])
    }

    fn windowed(&mut self, id: OpId, shape: &[Dim]) -> Vec<Dim> {
        let window = views::window_dims(self.graph.op(id), shape.len());
        let windows = views::window_sizes(self.graph.op(id), shape.len());
        let padding = views::padding_dims(self.graph.op(id), "padding", shape.len());
        let mut sizes = Vec::with_capacity(shape.len());
        for (d, &input) in shape.iter().enumerate() {
            sizes.push(self.positions(&Axis {
                input,
                padding: padding[d],
                window: windows[d],
                base_dilation: window.base_dilation[d],
                window_dilation: window.window_dilation[d],
                stride: window.strides[d],
            }));
        }
        sizes
    }

    pub fn convolution(&mut self, id: OpId) -> Shapes {
        let dims = views::conv_dims(self.graph.op(id));
        let padding = self.convolution_padding(id, &dims)?;
        let (input, kernel) = (self.operand_shape(id, 0)?, self.operand_shape(id, 1)?);
        let fault = |r: &Self| PassError::malformed(r.graph, id, "its dimension numbers do not fit its operands");
        let at = |shape: &[Dim], d: usize| shape.get(d).copied();
        let mut result = vec![Dim::Static(0); input.len()];
        let batch = at(&input, dims.input_batch).ok_or_else(|| fault(self))?;
        let batch = self.graph.dim_floor_div(batch, Dim::Static(dims.batch_groups));
        let features = at(&kernel, dims.kernel_output_feature).ok_or_else(|| fault(self))?;
        for (d, size) in [(dims.output_batch, batch), (dims.output_feature, features)] {
            *result.get_mut(d).ok_or_else(|| fault(self))? = size;
        }
        for (i, &d) in dims.output_spatial.iter().enumerate() {
            let ends = (dims.input_spatial.get(i), dims.kernel_spatial.get(i), padding.get(i));
            let (Some(&from), Some(&over), Some(&padding)) = ends else { return Err(fault(self)) };
            let (Some(input), Some(window)) = (at(&input, from), at(&kernel, over)) else { return Err(fault(self)) };
            let size = self.positions(&Axis {
                input,
                padding,
                window,
                base_dilation: dims.lhs_dilation[i],
                window_dilation: dims.rhs_dilation[i],
                stride: dims.strides[i],
            });
            *result.get_mut(d).ok_or_else(|| fault(self))? = size;
        }
        Ok(vec![result])
    }

    fn convolution_padding(&mut self, id: OpId, dims: &ConvDims) -> Result<Vec<(Dim, Dim)>, PassError> {
        if self.graph.op(id).kind == OpKind::DynamicConv {
            let numbers = self.numbers_in(id, 2)?;
            return Ok(numbers.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect());
        }
        Ok(views::padding_dims(self.graph.op(id), "padding", dims.input_spatial.len()))
    }

    /// `n + (n - 1) * interior + low + high`
    pub fn pad(&mut self, id: OpId) -> Shapes {
        let shape = self.operand_shape(id, 0)?;
        let mut lists = Vec::new();
        for (at, name) in [(2, "edge_padding_low"), (3, "edge_padding_high"), (4, "interior_padding")] {
            lists.push(match self.graph.op(id).kind {
                OpKind::DynamicPad => self.numbers_in(id, at)?,
                _ => self.graph.op(id).attrs.dims(name).unwrap_or_default(),
            });
        }
        if lists.iter().any(|list| list.len() != shape.len()) {
            return Err(PassError::malformed(self.graph, id, "its padding does not fit its operand"));
        }
        let mut sizes = Vec::with_capacity(shape.len());
        for (d, &size) in shape.iter().enumerate() {
            let gaps = self.graph.dim_sub(size, Dim::Static(1));
            let gaps = self.graph.dim_max(gaps, Dim::Static(0));
            let inner = self.graph.dim_mul(gaps, lists[2][d]);
            let mut total = self.graph.dim_add(size, inner);
            for list in &lists[..2] {
                total = self.graph.dim_add(total, list[d]);
            }
            self.limit(id, total, None);
            sizes.push(total);
        }
        Ok(vec![sizes])
    }

    /// `ceil((limit - start) / stride)`
    pub fn slice(&mut self, id: OpId) -> Shapes {
        if self.graph.op(id).kind == OpKind::RealDynamicSlice && self.has_known_results(id) {
            let result = self.graph.op(id).results.first().and_then(|&v| self.graph.ty(v).as_tensor());
            return Ok(vec![result.map(|t| t.shape.clone()).unwrap_or_default()]);
        }
        if let Some(window) = self.moving_window(id) {
            return Ok(vec![window]);
        }
        let mut lists = Vec::new();
        for (at, name) in [(1, "start_indices"), (2, "limit_indices"), (3, "strides")] {
            lists.push(match self.graph.op(id).kind {
                OpKind::RealDynamicSlice => self.numbers_in(id, at)?,
                _ => self.graph.op(id).attrs.dims(name).unwrap_or_default(),
            });
        }
        let shape = self.operand_shape(id, 0)?;
        let rank = shape.len();
        if lists.iter().any(|list| list.len() != rank) {
            return Err(PassError::malformed(self.graph, id, "its bounds do not fit its operand"));
        }
        let mut sizes = Vec::with_capacity(rank);
        for d in 0..rank {
            if self.graph.dim_bounds(lists[2][d]).0 < 1 {
                return Err(self.unknown(id, &format!("the sign of the stride of dimension {d}")));
            }
            let (start, limit) = (lists[0][d], lists[1][d]);
            self.in_order(id, Dim::Static(0), start, d);
            self.in_order(id, start, limit, d);
            self.in_order(id, limit, shape[d], d);
            let length = self.graph.dim_sub(limit, start);
            sizes.push(self.graph.dim_ceil_div(length, lists[2][d]));
        }
        Ok(vec![sizes])
    }

    /// Sizes of `real_dynamic_slice` from `start` to `start + sizes` where the start is no function of sizes.
    pub fn moving_window(&mut self, id: OpId) -> Option<Vec<Dim>> {
        let op = self.graph.op(id);
        let &[_, start, limit, strides] = &op.operands[..] else { return None };
        let sum = self.graph.op(self.graph.producer(limit)?);
        let &[a, b] = &sum.operands[..] else { return None };
        let length = match (op.kind, sum.kind) {
            (OpKind::RealDynamicSlice, OpKind::Add) if a == start => b,
            (OpKind::RealDynamicSlice, OpKind::Add) if b == start => a,
            _ => return None,
        };
        if self.known_contents(start).is_some() || self.known_contents(strides)?.iter().any(|&s| s != Dim::Static(1)) {
            return None;
        }
        self.contents(length)
    }

    /// `low <= high` for the bounds of a slice in dimension `d`.
    pub fn in_order(&mut self, id: OpId, low: Dim, high: Dim, d: usize) {
        let (location, kind) = (self.graph.op(id).location, self.graph.op(id).kind.name());
        let message = format!(
            "`{kind}` must stay inside its operand: {} is at most {} in dimension {d}",
            self.graph.dim_text(low),
            self.graph.dim_text(high)
        );
        self.graph.add_dim_check(DimCheck { condition: DimRelation::LessEqual, a: low, b: high, message, location });
        self.narrow(low, high);
    }

    /// Whether the types say all sizes of the results.
    pub fn has_known_results(&self, id: OpId) -> bool {
        let results = &self.graph.op(id).results;
        results.iter().all(|&v| self.graph.ty(v).as_tensor().is_some_and(|t| t.static_shape().is_some()))
    }

    pub fn dot_general(&mut self, id: OpId) -> Shapes {
        let dims = views::dot_dims(self.graph.op(id));
        let (left, right) = (self.operand_shape(id, 0)?, self.operand_shape(id, 1)?);
        let mut result = Vec::new();
        for (a, b, kept) in [(&dims.lhs_batch, &dims.rhs_batch, true), (&dims.lhs_contract, &dims.rhs_contract, false)]
        {
            for (&x, &y) in a.iter().zip(b) {
                let size = self.unify(id, left[x], right[y])?;
                if kept {
                    result.push(size);
                }
            }
        }
        let free = |shape: &[Dim], taken: [&Vec<usize>; 2]| {
            let kept: Vec<Dim> =
                (0..shape.len()).filter(|d| !taken.iter().any(|t| t.contains(d))).map(|d| shape[d]).collect();
            kept
        };
        result.extend(free(&left, [&dims.lhs_batch, &dims.lhs_contract]));
        result.extend(free(&right, [&dims.rhs_batch, &dims.rhs_contract]));
        Ok(vec![result])
    }
}

//! `yield acc + a * b` → `dot_general`, or `convolution` where one map has windows.
//!
//! Worked example: `conv_2d_ngchw_gfchw` has loops `(n, g, f, y, x, c, ky, kx)`, input map `(n, g, c, y * 2 + ky, x *
//! 2 + kx)`, kernel map `(g, f, c, ky, kx)`. The input becomes `[n, g·c, y, x]`, the kernel `[g·f, c, ky, kx]`, the
//! convolution has `g` groups and strides 2, and its result `[n, g·f, y, x]` is split again.
//!
//! A factor may be any expression of one operand (a zero point taken off, a widening): it is computed on that operand.

use fornax_graph::views::DotDims;
use fornax_graph::{Dim, ElementType, ValueId};

use super::affine::{Affine, Linear};
use super::body::{Lane, Scope};
use super::build::{ones, times};
use super::converter::{Converter, Result};
use super::convolution::Convolution;
use super::structured::Structured;

/// An expression of a body as a tensor and its map.
pub struct Side {
    pub value: ValueId,
    pub forms: Vec<Linear>,
}

impl Side {
    /// The loops, when every dimension is one of its own.
    pub fn loops(&self) -> Option<Vec<usize>> {
        let loops: Vec<usize> = self.forms.iter().map(Linear::plain).collect::<Option<_>>()?;
        loops.iter().all(|d| loops.iter().filter(|e| *e == d).count() == 1).then_some(loops)
    }
}

impl Converter<'_> {
    /// An expression without accumulators: in the shape of its operand when it has only one, else over its loops.
    pub fn side(&mut self, parts: &Structured, term: ValueId) -> Result<Side> {
        let needed = self.needed(parts.block, &[term]);
        let used: Vec<usize> = (0..parts.inputs).filter(|&i| needed.contains(&parts.arguments[i])).collect();
        let ranked: Vec<usize> = used.iter().copied().filter(|&i| !parts.maps[i].is_empty()).collect();
        let counts = self.raw.block(parts.block).ops.iter().map(|&id| self.raw.op(id)).any(|op| {
            matches!(op.name.as_str(), "linalg.index" | "tensor.extract")
                && op.results.iter().any(|r| needed.contains(r))
        });
        if let (&[i], false) = (ranked.as_slice(), counts) {
            let forms: Option<Vec<Linear>> = parts.maps[i].iter().map(Affine::linear).collect();
            if let Some(forms) = forms {
                let mut scope = Scope::new(self.b.shape(parts.operands[i]));
                let all: Vec<usize> = (0..scope.sizes.len()).collect();
                for &u in &used {
                    let dims = if u == i { all.clone() } else { Vec::new() };
                    scope.env.insert(parts.arguments[u], Lane { value: parts.operands[u], dims });
                }
                self.evaluate(parts.block, &[term], &mut scope)?;
                let lane = self.lane(parts.op, term, &scope)?;
                let value = self.spread(&lane, &all, &scope);
                let (value, forms) = self.straighten(value, &forms, &parts.sizes);
                return Ok(Side { value, forms });
            }
        }
        let mut scope = Scope::new(parts.sizes.clone());
        self.read_needed(parts, &[term], &mut scope)?;
        self.evaluate(parts.block, &[term], &mut scope)?;
        let lane = self.lane(parts.op, term, &scope)?;
        let forms = lane.dims.iter().map(|&d| Linear { terms: vec![(d, 1)], constant: 0 }).collect();
        Ok(Side { value: lane.value, forms })
    }

    /// The sum of products of an output, without its initial value; `None` when `term` is no product or fits no op.
    pub fn contraction(&mut self, parts: &Structured, k: usize, term: ValueId) -> Result<Option<Lane>> {
        let raw = self.raw;
        let element = self.scalar_element(parts.yields[k]);
        let Some(product) = raw.producer(term).map(|id| raw.op(id)) else { return Ok(None) };
        if !matches!(product.name.as_str(), "arith.mulf" | "arith.muli" | "complex.mul") || element == ElementType::I1 {
            return Ok(None);
        }
        let &[mut x, mut y] = product.operands.as_slice() else { return Ok(None) };
        if x == y {
            return Ok(None);
        }
        if let (Some(narrow_x), Some(narrow_y)) = (self.widened(x), self.widened(y))
            && self.raw.ty(narrow_x) == self.raw.ty(narrow_y)
        {
            (x, y) = (narrow_x, narrow_y);
        }
        let (a, b) = (self.side(parts, x)?, self.side(parts, y)?);
        match (a.loops(), b.loops()) {
            (Some(left), Some(right)) => Ok(self.dot(parts, (a.value, &left), (b.value, &right), element)),
            (None, Some(kernel)) => Ok(self.convolution(parts, &a, (b.value, &kernel), element)),
            (Some(kernel), None) => Ok(self.convolution(parts, &b, (a.value, &kernel), element)),
            (None, None) => Ok(None),
        }
    }

    /// What a factor is before it is made wider; products of the narrow numbers are exact in the wide type.
    fn widened(&self, factor: ValueId) -> Option<ValueId> {
        let op = self.raw.op(self.raw.producer(factor)?);
        let &[narrow] = op.operands.as_slice() else { return None };
        let (from, to) = (self.scalar_element(narrow), self.scalar_element(factor));
        let exact = match op.name.as_str() {
            "arith.extf" => matches!((from, to), (ElementType::F16 | ElementType::Bf16, ElementType::F32)),
            "arith.extsi" => matches!((from, to), (ElementType::I8, ElementType::I32)),
            _ => false,
        };
        exact.then_some(narrow)
    }

    fn dot(
        &mut self,
        parts: &Structured,
        (a, left): (ValueId, &[usize]),
        (b, right): (ValueId, &[usize]),
        element: ElementType,
    ) -> Option<Lane> {
        if !parts.summed.iter().all(|d| left.contains(d) && right.contains(d)) {
            return None;
        }
        let mut numbers = DotDims::default();
        let mut result = Vec::new();
        for (i, d) in left.iter().enumerate() {
            let Some(j) = right.iter().position(|e| e == d) else { continue };
            if parts.summed.contains(d) {
                numbers.lhs_contract.push(i);
                numbers.rhs_contract.push(j);
            } else {
                numbers.lhs_batch.push(i);
                numbers.rhs_batch.push(j);
                result.push(*d);
            }
        }
        result.extend(left.iter().filter(|d| !right.contains(d)));
        result.extend(right.iter().filter(|d| !left.contains(d)));
        let value = self.b.dot(a, b, &numbers, element);
        Some(self.ascending(value, &result))
    }

    fn convolution(
        &mut self,
        parts: &Structured,
        input: &Side,
        (kernel, kernel_loops): (ValueId, &[usize]),
        element: ElementType,
    ) -> Option<Lane> {
        let roles = Roles::of(parts, input, kernel_loops)?;
        let sliced = self.windowed(input, &roles.windows, &parts.sizes)?;
        let outputs: Vec<(usize, usize)> = roles.outputs.iter().map(|&d| (d, 0)).collect();
        let [batch, groups, features, outputs] =
            [&roles.batch, &roles.groups, &roles.features, &outputs].map(|loops| {
                let sizes: Vec<Dim> = loops.iter().map(|&(d, _)| parts.sizes[d]).collect();
                self.b.graph.dim_product(&sizes)
            });
        let groups = groups.as_static().filter(|&n| n != 0)?;
        let [channels, outputs] = [features, outputs].map(|n| self.b.scaled(n, groups, 0));

        let mut order: Vec<usize> =
            roles.batch.iter().chain(&roles.groups).chain(&roles.features).map(|r| r.1).collect();
        order.extend(roles.windows.iter().map(|w| w.position));
        let input = self.b.transpose(sliced, &order);
        let tail = self.b.shape(input)[order.len() - roles.windows.len()..].to_vec();
        let input = self.b.reshape(input, &[vec![batch, channels], tail].concat());

        let place = |d: usize| kernel_loops.iter().position(|&e| e == d);
        let mut wanted: Vec<usize> = roles.groups.iter().map(|r| r.0).collect();
        wanted.extend(&roles.outputs);
        wanted.extend(roles.features.iter().map(|r| r.0));
        wanted.extend(roles.windows.iter().map(|w| w.within));
        let order: Vec<usize> = wanted.into_iter().map(place).collect::<Option<_>>()?;
        let kernel = self.b.transpose(kernel, &order);
        let tail: Vec<Dim> = roles.windows.iter().map(|w| parts.sizes[w.within]).collect();
        let kernel = self.b.reshape(kernel, &[vec![outputs, features], tail].concat());

        let out: Vec<Dim> = roles.windows.iter().map(|w| parts.sizes[w.along]).collect();
        let shape = [vec![batch, outputs], out].concat();
        let strides = roles.windows.iter().map(|w| w.stride).collect();
        let dilations = roles.windows.iter().map(|w| w.dilation).collect();
        let conv = Convolution { strides, dilations, groups, ..Convolution::plain(roles.windows.len()) };
        let value = self.b.convolve(input, kernel, &conv, (&shape, element));

        let mut loops: Vec<usize> = roles.batch.iter().chain(&roles.groups).map(|r| r.0).collect();
        loops.extend(&roles.outputs);
        loops.extend(roles.windows.iter().map(|w| w.along));
        let split: Vec<Dim> = loops.iter().map(|&d| parts.sizes[d]).collect();
        let value = self.b.reshape(value, &split);
        Some(self.ascending(value, &loops))
    }

    /// An operand with windows, its windowed dimensions cut to what the windows reach.
    pub fn windowed(&mut self, side: &Side, windows: &[WindowLoops], sizes: &[Dim]) -> Option<ValueId> {
        let shape = self.b.shape(side.value);
        let (mut start, mut limit, mut counts) = (times(shape.len(), 0), shape.clone(), shape.clone());
        for w in windows {
            let (along, within) = (sizes[w.along], sizes[w.within]);
            let nothing = |n: Dim| n.as_static().is_some_and(|n| n < 1);
            if w.offset < 0 || nothing(along) || nothing(within) {
                return None;
            }
            // Windows that reach over the whole dimension need no slice.
            let reach = self.b.reach(within, w.dilation);
            let room = self.b.minus(shape[w.position], reach);
            let steps = self.b.graph.dim_floor_div(room, Dim::Static(w.stride));
            if w.offset == 0 && self.b.plus(steps, Dim::Static(1)) == along {
                continue;
            }
            let far = self.b.reach(along, w.stride);
            let (far, reach) = (self.b.minus(far, Dim::Static(1)), self.b.plus(far, reach));
            let count = self.b.minus(reach, Dim::Static(1));
            let last = self.b.plus(count, Dim::Static(w.offset));
            if far.as_static().is_some_and(|n| n < 0) || !self.b.at_most(last, shape[w.position], "a window") {
                return None;
            }
            (start[w.position], limit[w.position], counts[w.position]) = (Dim::Static(w.offset), last, count);
        }
        Some(self.b.slice_of(side.value, &start, &limit, &ones(shape.len()), &counts))
    }
}

/// `along * stride + within * dilation + offset` in dimension `position` of an operand.
#[derive(Clone, Copy, Debug)]
pub struct WindowLoops {
    pub position: usize,
    pub along: usize,
    pub within: usize,
    pub stride: i64,
    pub dilation: i64,
    pub offset: i64,
}

impl WindowLoops {
    /// A form of one parallel and one summed loop.
    pub fn of(position: usize, form: &Linear, summed: &[usize]) -> Option<WindowLoops> {
        let &[(d, p), (e, q)] = form.terms.as_slice() else { return None };
        let ((along, stride), (within, dilation)) = match (summed.contains(&d), summed.contains(&e)) {
            (false, true) => ((d, p), (e, q)),
            (true, false) => ((e, q), (d, p)),
            _ => return None,
        };
        (stride > 0 && dilation > 0).then_some(WindowLoops {
            position,
            along,
            within,
            stride,
            dilation,
            offset: form.constant,
        })
    }
}

/// What the loops of a convolution are; pairs are (loop, dimension of the input).
struct Roles {
    batch: Vec<(usize, usize)>,
    groups: Vec<(usize, usize)>,
    features: Vec<(usize, usize)>,
    outputs: Vec<usize>,
    windows: Vec<WindowLoops>,
}

impl Roles {
    fn of(parts: &Structured, input: &Side, kernel: &[usize]) -> Option<Roles> {
        let (mut batch, mut groups, mut features, mut windows) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut seen: Vec<usize> = Vec::new();
        for (position, form) in input.forms.iter().enumerate() {
            match form.plain() {
                Some(d) => {
                    seen.push(d);
                    match (parts.summed.contains(&d), kernel.contains(&d)) {
                        (false, false) => batch.push((d, position)),
                        (false, true) => groups.push((d, position)),
                        (true, true) => features.push((d, position)),
                        (true, false) => return None,
                    }
                }
                None => {
                    let w = WindowLoops::of(position, form, &parts.summed)?;
                    if kernel.contains(&w.along) || !kernel.contains(&w.within) {
                        return None;
                    }
                    seen.extend([w.along, w.within]);
                    windows.push(w);
                }
            }
        }
        let once = seen.iter().all(|d| seen.iter().filter(|e| *e == d).count() == 1);
        let outputs: Vec<usize> = kernel.iter().copied().filter(|d| !seen.contains(d)).collect();
        let fit = !outputs.iter().any(|d| parts.summed.contains(d)) && parts.summed.iter().all(|d| seen.contains(d));
        (once && fit && !windows.is_empty()).then_some(Roles { batch, groups, features, outputs, windows })
    }
}

//! Which dimensions of an op's operands and results are one factor: the table of the walk.
//!
//! Worked example: `dot_general` of `[i, k]` and `[k, j]` has the factors i, j and k; k is in no result, and the parts
//! of its sum are added up. Factors that are in `whole` are never cut: what the op does along them needs all of it.

use fornax_graph::views::{conv_dims, dim_list, dot_dims, gather_dims, ints_or, window_dims};
use fornax_graph::{Graph, NewOp, Op, OpId, OpKind, RegionId, TensorType, Type, ValueId};

use super::choice::Choice;
use super::layout::Layout;
use super::{Part, Pass, Sum, windows};
use crate::errors::PassError;
use crate::facts::control::inputs;
use crate::facts::ops::{Class, row, splat_bits};
use crate::rewrite::Rewriter;
use crate::rewrite::build::{int, ints};
use crate::rewrite::copy::copy_region;

/// The dimensions of an op as factors, by number.
#[derive(Default)]
pub(super) struct Factors {
    pub operands: Vec<Vec<usize>>,
    pub results: Vec<Vec<usize>>,
    /// Factors that no device may have a part of.
    pub whole: Vec<usize>,
    /// Factors of equal parts alone; the devices' parts are in the opposite order behind the op.
    pub reversed: Vec<usize>,
    /// What completes a factor that no result has.
    combine: Option<OpKind>,
    pub count: usize,
}

impl Factors {
    pub fn fresh(&mut self) -> usize {
        self.count += 1;
        self.count - 1
    }

    pub fn fresh_whole(&mut self) -> usize {
        let factor = self.fresh();
        self.whole.push(factor);
        factor
    }

    /// Whether no result has a factor: it is summed up.
    pub fn vanishes(&self, factor: usize) -> bool {
        !self.results.iter().any(|dims| dims.contains(&factor))
    }
}

/// Collectives of a program that says itself what each device does.
pub(super) const COLLECTIVES: &[OpKind] = &[
    OpKind::AllReduce,
    OpKind::CollectivePermute,
    OpKind::CollectiveBroadcast,
    OpKind::AllGather,
    OpKind::ReduceScatter,
    OpKind::AllToAll,
];

fn shape(graph: &Graph, value: ValueId) -> Option<Vec<i64>> {
    graph.ty(value).as_tensor()?.static_shape()
}

/// The factors of an op on whole types; `None` where there is no rule.
pub(super) fn factors(graph: &Graph, op: &Op, types: &[TensorType]) -> Option<Factors> {
    let result = op.results.first().and_then(|&v| shape(graph, v))?;
    let mut f = Factors::default();
    let sizes = types.iter().map(|ty| ty.static_shape()).collect::<Option<Vec<_>>>()?;
    match op.kind {
        OpKind::Transpose => {
            let own: Vec<usize> = result.iter().map(|_| f.fresh()).collect();
            let mut operand = vec![0; own.len()];
            for (to, from) in dim_list(op, "permutation").into_iter().enumerate() {
                *operand.get_mut(from)? = own[to];
            }
            f.operands.push(operand);
            f.results.push(own);
        }
        OpKind::BroadcastInDim => {
            let own: Vec<usize> = result.iter().map(|_| f.fresh()).collect();
            let mut operand = Vec::new();
            for (from, to) in dim_list(op, "broadcast_dimensions").into_iter().enumerate() {
                let same = sizes[0].get(from)? == result.get(to)?;
                operand.push(if same { own[to] } else { f.fresh_whole() });
            }
            f.operands.push(operand);
            f.results.push(own);
        }
        OpKind::Reshape => reshaped(&mut f, &sizes[0], &result),
        OpKind::DotGeneral => {
            let dims = dot_dims(op);
            let mut lhs: Vec<usize> = sizes[0].iter().map(|_| f.fresh()).collect();
            let mut rhs: Vec<usize> = sizes[1].iter().map(|_| f.fresh()).collect();
            let pairs = dims.lhs_batch.iter().zip(&dims.rhs_batch);
            pairs.chain(dims.lhs_contract.iter().zip(&dims.rhs_contract)).for_each(|(&l, &r)| rhs[r] = lhs[l]);
            let free = |own: &[usize], batch: &[usize], contract: &[usize]| -> Vec<usize> {
                let kept = (0..own.len()).filter(|d| !batch.contains(d) && !contract.contains(d));
                kept.map(|d| own[d]).collect()
            };
            let mut out: Vec<usize> = dims.lhs_batch.iter().map(|&d| lhs[d]).collect();
            out.extend(free(&lhs, &dims.lhs_batch, &dims.lhs_contract));
            out.extend(free(&rhs, &dims.rhs_batch, &dims.rhs_contract));
            f.combine = Some(OpKind::Add);
            f.operands = vec![std::mem::take(&mut lhs), std::mem::take(&mut rhs)];
            f.results.push(out);
        }
        OpKind::Reduce => {
            let dims = dim_list(op, "dimensions");
            let n = op.results.len();
            let own: Vec<usize> = sizes[0].iter().map(|_| f.fresh()).collect();
            f.combine = (n == 1).then(|| completing(graph, op)).flatten();
            if f.combine.is_none() {
                f.whole.extend(dims.iter().filter_map(|&d| own.get(d)));
            }
            let kept: Vec<usize> = (0..own.len()).filter(|d| !dims.contains(d)).map(|d| own[d]).collect();
            f.operands = (0..2 * n).map(|at| if at < n { own.clone() } else { Vec::new() }).collect();
            f.results = vec![kept; n];
        }
        OpKind::Sort => {
            let along = op.attrs.int("dimension").unwrap_or(-1);
            let rank = result.len() as i64;
            let along = if along < 0 { along + rank } else { along };
            let own: Vec<usize> = (0..rank).map(|d| if d == along { f.fresh_whole() } else { f.fresh() }).collect();
            f.operands = vec![own.clone(); op.operands.len()];
            f.results = vec![own; op.results.len()];
        }
        OpKind::Concatenate => {
            let along = op.attrs.int("dimension").unwrap_or(0);
            let own: Vec<usize> =
                (0..result.len() as i64).map(|d| if d == along { f.fresh_whole() } else { f.fresh() }).collect();
            f.operands = vec![own.clone(); op.operands.len()];
            f.results.push(own);
        }
        OpKind::BitcastConvert => {
            // An element of the wider type is a further dimension of the other one.
            let both = sizes[0].len().min(result.len());
            let own: Vec<usize> = (0..both).map(|_| f.fresh()).collect();
            let mut of = |rank: usize| {
                let inner: Vec<usize> = (both..rank).map(|_| f.fresh_whole()).collect();
                own.iter().copied().chain(inner).collect::<Vec<usize>>()
            };
            let (operand, to) = (of(sizes[0].len()), of(result.len()));
            f.operands.push(operand);
            f.results.push(to);
        }
        kind if COLLECTIVES.contains(&kind) && sizes.len() == 1 => {
            let names = ["all_gather_dim", "scatter_dimension", "split_dimension", "concat_dimension"];
            let moves: Vec<i64> = names.iter().filter_map(|name| op.attrs.int(name)).collect();
            let own: Vec<usize> = (0..result.len() as i64)
                .map(|d| if moves.contains(&d) { f.fresh_whole() } else { f.fresh() })
                .collect();
            f.operands.push(own.clone());
            f.results.push(own);
        }
        OpKind::Convolution => convolved(&mut f, op, &sizes, &result)?,
        OpKind::ReduceWindow => {
            let window = window_dims(op, result.len());
            let alone = |d: usize| {
                let one = [window.size[d], window.strides[d], window.base_dilation[d], window.window_dilation[d]];
                one == [1; 4] && window.padding[d] == (0, 0)
            };
            let own: Vec<usize> =
                (0..result.len()).map(|d| if alone(d) { f.fresh() } else { f.fresh_whole() }).collect();
            let n = op.results.len();
            f.operands = (0..2 * n).map(|at| if at < n { own.clone() } else { Vec::new() }).collect();
            f.results = vec![own; n];
        }
        OpKind::Gather => windows::gathered(&mut f, op, &sizes, &result)?,
        OpKind::Scatter => windows::scattered(&mut f, op, &sizes)?,
        OpKind::Slice | OpKind::Pad | OpKind::Reverse | OpKind::DynamicSlice | OpKind::DynamicUpdateSlice => {
            moved(&mut f, op, &sizes, &result);
        }
        kind if kind == OpKind::Map || row(kind).is_some_and(|row| row.class == Class::Elementwise) => {
            let own: Vec<usize> = result.iter().map(|_| f.fresh()).collect();
            for size in &sizes {
                // A scalar stands for all elements.
                let fits = size.is_empty() || *size == result;
                f.operands.push(if size.is_empty() { Vec::new() } else { own.clone() });
                if !fits {
                    return None;
                }
            }
            f.results = vec![own; op.results.len()];
        }
        _ => return None,
    }
    Some(f)
}

/// Batches, output features, and sums over input features; of a depthwise convolution the groups. The gradient of such
/// a kernel (`batch_group_count`) sums over batches. Images stay whole.
fn convolved(f: &mut Factors, op: &Op, sizes: &[Vec<i64>], result: &[i64]) -> Option<()> {
    let dims = conv_dims(op);
    let [lhs, rhs] = sizes else { return None };
    let mut of = [lhs.len(), rhs.len(), result.len()].map(|rank| vec![usize::MAX; rank]);
    let [input, kernel, output] = &mut of;
    let (sums, plain) = (dims.feature_groups == 1, dims.feature_groups == 1 && dims.batch_groups == 1);
    let depthwise = dims.batch_groups == 1 && rhs.get(dims.kernel_input_feature) == Some(&1);
    if dims.batch_groups == 1 {
        let batch = f.fresh();
        (*input.get_mut(dims.input_batch)?, *output.get_mut(dims.output_batch)?) = (batch, batch);
    }
    if sums {
        let sum = f.fresh();
        (*input.get_mut(dims.input_feature)?, *kernel.get_mut(dims.kernel_input_feature)?) = (sum, sum);
        f.combine = Some(OpKind::Add);
    }
    if plain {
        let feature = f.fresh();
        (*kernel.get_mut(dims.kernel_output_feature)?, *output.get_mut(dims.output_feature)?) = (feature, feature);
    } else if depthwise {
        let group = f.fresh();
        *input.get_mut(dims.input_feature)? = group;
        (*kernel.get_mut(dims.kernel_output_feature)?, *output.get_mut(dims.output_feature)?) = (group, group);
    }
    for dim in of.iter_mut().flatten().filter(|dim| **dim == usize::MAX) {
        *dim = f.fresh_whole();
    }
    let [input, kernel, output] = of;
    f.operands = vec![input, kernel];
    f.results.push(output);
    Some(())
}

/// Dimensions that these ops leave as they are can be cut, and those that they reverse.
fn moved(f: &mut Factors, op: &Op, sizes: &[Vec<i64>], result: &[i64]) {
    let rank = result.len();
    let edges = |name: &str| ints_or(op, name, rank, 0);
    let (low, high, inner) = (edges("edge_padding_low"), edges("edge_padding_high"), edges("interior_padding"));
    let reversed = dim_list(op, "dimensions");
    let update = sizes.get(1);
    let own: Vec<usize> = (0..rank)
        .map(|d| {
            let same = match op.kind {
                OpKind::Pad => [low[d], high[d], inner[d]] == [0; 3],
                OpKind::Reverse => true,
                OpKind::DynamicUpdateSlice => update.is_some_and(|update| update[d] == result[d]),
                _ => sizes[0][d] == result[d],
            };
            let factor = if same { f.fresh() } else { f.fresh_whole() };
            f.reversed.extend((op.kind == OpKind::Reverse && reversed.contains(&d)).then_some(factor));
            factor
        })
        .collect();
    let operand = |at: usize| match (op.kind, at) {
        (_, 0) | (OpKind::DynamicUpdateSlice, 1) => own.clone(),
        _ => Vec::new(),
    };
    f.operands = (0..sizes.len()).map(operand).collect();
    f.results.push(own);
}

/// Runs of dimensions of equal product are one another; the coarsest of each run can be cut.
fn reshaped(f: &mut Factors, from: &[i64], to: &[i64]) {
    let (mut a, mut b) = (vec![usize::MAX; from.len()], vec![usize::MAX; to.len()]);
    let (mut i, mut j) = (0, 0);
    while i < from.len() && j < to.len() {
        // Extents of 1 stand alone.
        if from[i] == 1 && to[j] != 1 {
            i += 1;
            continue;
        }
        if to[j] == 1 && from[i] != 1 {
            j += 1;
            continue;
        }
        let factor = f.fresh();
        (a[i], b[j]) = (factor, factor);
        let (mut left, mut right) = (from[i], to[j]);
        (i, j) = (i + 1, j + 1);
        while left != right && (i < from.len() || j < to.len()) {
            if left < right && i < from.len() {
                left *= from[i];
                i += 1;
            } else if j < to.len() {
                right *= to[j];
                j += 1;
            } else {
                break;
            }
        }
    }
    for dim in a.iter_mut().chain(&mut b).filter(|dim| **dim == usize::MAX) {
        *dim = f.fresh_whole();
    }
    f.operands.push(a);
    f.results.push(b);
}

/// What completes partial reductions: the reducer, if its start changes nothing however often it counts.
fn completing(graph: &Graph, op: &Op) -> Option<OpKind> {
    let [block] = graph.region(*op.regions.first()?).blocks[..] else { return None };
    let block = graph.block(block);
    let ([a, b], [inner, _]) = (block.arguments.as_slice(), block.ops.as_slice()) else { return None };
    let inner = graph.op(*inner);
    if inner.operands != [*a, *b] && inner.operands != [*b, *a] {
        return None;
    }
    match inner.kind {
        OpKind::Maximum | OpKind::Minimum | OpKind::And | OpKind::Or => Some(inner.kind),
        // Bits of 0, and of -0.
        OpKind::Add => {
            let bits = splat_bits(graph, *op.operands.get(1)?)?;
            let element = graph.ty(op.operands[1]).as_tensor()?.element;
            let sign = if element.is_float() { 1u64 << (element.bits() - 1) } else { 0 };
            (bits == 0 || bits == sign && element.is_float()).then_some(OpKind::Add)
        }
        _ => None,
    }
}

impl Pass {
    /// The results of an op by its rule; `None` where it has none.
    pub(super) fn by_rule(&mut self, rw: &mut Rewriter, id: OpId) -> Result<Option<Vec<ValueId>>, PassError> {
        let op = rw.graph.op(id).clone();
        let is_cut = |v: &ValueId| self.values.get(v).is_some_and(|part| !part.layout.is_whole());
        if inputs(rw.graph, id).iter().any(|v| !op.operands.contains(v) && is_cut(v)) {
            return Ok(None);
        }
        // What a program says itself goes along its manual axes; elsewhere its groups might cross the parts.
        if self.manual.is_empty() && COLLECTIVES.contains(&op.kind) {
            return Ok(None);
        }
        let parts: Option<Vec<Part>> = op.operands.iter().map(|&v| self.part(rw, v)).collect();
        // What is the same all along a dimension is made as small as each reader wants it (`made_small`).
        let is_wanted = op.kind != OpKind::BroadcastInDim && op.results.iter().any(|v| self.wanted.contains_key(v));
        let Some(parts) = parts.filter(|parts| is_wanted || parts.iter().any(|part| !part.layout.is_whole())) else {
            return Ok(None);
        };
        if let Some(found) = self.looked_up(rw, &op, &parts) {
            return Ok(Some(vec![found]));
        }
        let types: Vec<TensorType> = parts.iter().map(|part| part.whole.clone()).collect();
        let Some(factors) = factors(rw.graph, &op, &types) else { return Ok(None) };
        let choice = Choice { machine: &self.machine, graph: rw.graph, op: &op, factors: &factors, parts: &parts };
        let wanted = op.results.iter().map(|v| self.wanted.get(v).map(|wish| &wish.layout));
        let chosen = choice.axes(&wanted.collect::<Vec<_>>());
        if chosen.iter().all(Vec::is_empty) {
            return Ok(None);
        }
        let layout = |dims: &[usize]| Layout(dims.iter().map(|&d| chosen[d].clone()).collect());
        let mut operands = Vec::with_capacity(op.operands.len());
        for ((&operand, dims), part) in op.operands.iter().zip(&factors.operands).zip(&parts) {
            let to = layout(dims);
            let mut local = self.reshard(rw, operand, &to);
            // What fills up uneven parts must not reach the sum.
            for (dim, _) in dims.iter().enumerate().filter(|(_, factor)| factors.vanishes(**factor)) {
                let fill = op.operands.get(1).copied().filter(|_| op.kind == OpKind::Reduce);
                local = self.neutral(rw, local, (dim, &to.0[dim], &part.whole), fill);
            }
            operands.push(local);
        }
        let wholes: Vec<TensorType> =
            op.results.iter().filter_map(|&v| rw.graph.ty(v).as_tensor().cloned()).collect();
        let locals = wholes.iter().zip(&factors.results).map(|(ty, dims)| self.machine.local(ty, &layout(dims)));
        let locals: Vec<TensorType> = locals.collect();
        let mut new = NewOp::new(op.kind, operands, locals.iter().cloned().map(Type::Tensor).collect(), op.location);
        new.attrs = op.attrs.clone();
        if let (Some(whole), Some(local)) = (wholes.first(), locals.first()) {
            self.adapt((&mut new, &op), &parts, (whole, local));
        }
        let copies = op.regions.iter().map(|&region| copy_region(rw.graph, region, &mut Default::default()));
        new.regions = copies.collect::<Vec<RegionId>>();
        let mut results = rw.insert(new);
        // Axes that cut a factor which no result has.
        let mut axes: Vec<usize> =
            (0..factors.count).filter(|&f| factors.vanishes(f)).flat_map(|f| chosen[f].clone()).collect();
        axes.sort_unstable();
        if let (Some(combine), false) = (factors.combine, axes.is_empty()) {
            let parts = std::mem::take(&mut results);
            results = parts.iter().map(|&value| self.all_reduce(rw, value, &axes, combine)).collect();
            if combine == OpKind::Add {
                for ((parts, &sum), old) in parts.into_iter().zip(&results).zip(&op.results) {
                    let is_sole = self.reads.get(old).is_some_and(|&reads| reads == 1);
                    self.sums.insert(sum, Sum { parts, axes: axes.clone(), is_sole });
                }
            }
        }
        for &factor in &factors.reversed {
            results.iter_mut().for_each(|value| *value = self.mirrored(rw, *value, &chosen[factor]));
        }
        for ((&value, whole), dims) in results.iter().zip(wholes).zip(&factors.results) {
            let layout = layout(dims);
            if !layout.is_whole() {
                self.values.insert(value, Part { layout, whole });
            }
        }
        Ok(Some(results))
    }

    /// Attributes that name extents of dimensions that are cut now.
    fn adapt(&self, (op, from): (&mut NewOp, &Op), parts: &[Part], (whole, local): (&TensorType, &TensorType)) {
        let (Some(whole), Some(local)) = (whole.static_shape(), local.static_shape()) else { return };
        match op.kind {
            OpKind::Slice => {
                let Some(limits) = op.attrs.ints("limit_indices") else { return };
                let all = parts.first().and_then(|part| part.whole.static_shape()).unwrap_or_default();
                // What is taken whole ends where the part ends.
                let cut = |(d, limit): (usize, i64)| if all.get(d) == whole.get(d) { local[d] } else { limit };
                op.attrs.set("limit_indices", ints(limits.into_iter().enumerate().map(cut).collect::<Vec<_>>()));
            }
            OpKind::DynamicSlice => op.attrs.set("slice_sizes", ints(&local)),
            // Of a depthwise convolution each part has its own groups.
            OpKind::Convolution if conv_dims(from).feature_groups > 1 => {
                let dims = conv_dims(from);
                let (Some(all), Some(own)) = (whole.get(dims.output_feature), local.get(dims.output_feature)) else {
                    return;
                };
                op.attrs.set("feature_group_count", int(dims.feature_groups * own / (*all).max(1)));
            }
            OpKind::Gather => windows::adapt(op, &gather_dims(from), &local),
            _ => {}
        }
    }
}

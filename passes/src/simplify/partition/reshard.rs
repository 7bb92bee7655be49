//! From one layout to another: axes move between dimensions, pieces are gathered, then cut where each device is.
//!
//! Worked example: 8x8 on x = 2, y = 2 from `[{x}, {y}]` to `[{y}, {}]`: y moves from the second dimension's end to the
//! first one's (all-to-all), x is gathered … in the order that keeps the tensors small: moves, gathers, cuts.

use fornax_graph::views::dim_list;
use fornax_graph::{Attr, AttrMap, Constant, ElementType, NewOp, OpKind, Storage, TensorType, Type, ValueId};
use fornax_reference::Scalar;

use super::layout::Layout;
use super::{Part, Pass};
use crate::rewrite::Rewriter;
use crate::rewrite::build::{int, ints};

/// A collective along some axes of the mesh.
struct Meeting<'a> {
    kind: OpKind,
    axes: &'a [usize],
    result: TensorType,
    attrs: &'a [(&'a str, Attr)],
    combine: Option<OpKind>,
}

impl Pass {
    /// A value in another layout.
    pub(super) fn reshard(&mut self, rw: &mut Rewriter, value: ValueId, to: &Layout) -> ValueId {
        let Some(Part { mut layout, whole }) = self.part(rw, value) else { return value };
        let parts = self.unreduced.get(&value).cloned();
        let moves = layout.0.iter().zip(&to.0).any(|(own, to)| common(own, to) < own.len());
        if moves {
            self.moved.insert(value);
        }
        let mut value = value;
        for dim in 0..layout.0.len() {
            value = self.moved_axes(rw, value, (&mut layout, &whole), (dim, to));
        }
        for dim in 0..layout.0.len() {
            let keep = common(&layout.0[dim], &to.0[dim]);
            let gone = layout.0[dim].split_off(keep);
            if !gone.is_empty() {
                value = self.gather(rw, value, dim, &gone);
            }
        }
        for dim in 0..layout.0.len() {
            let more = to.0[dim][layout.0[dim].len()..].to_vec();
            if !more.is_empty() {
                layout.0[dim].extend(&more);
                value = self.cut(rw, value, dim, &more);
            }
        }
        if let Some(parts) = parts {
            self.is_parts(value, parts);
        }
        if !layout.is_whole() {
            self.values.insert(value, Part { layout, whole });
        }
        value
    }

    /// The last axis of a dimension goes to the end of another one that wants it next.
    fn moved_axes(
        &mut self,
        rw: &mut Rewriter,
        mut value: ValueId,
        (layout, whole): (&mut Layout, &TensorType),
        (from, to): (usize, &Layout),
    ) -> ValueId {
        while let Some(&axis) = layout.0[from].last() {
            let wanted = |dim: usize| {
                let (own, target) = (&layout.0[dim], &to.0[dim]);
                dim != from && target.starts_with(own) && target.get(own.len()) == Some(&axis)
            };
            let Some(dim) = (0..layout.0.len()).find(|&dim| wanted(dim)) else { break };
            layout.0[from].pop();
            layout.0[dim].push(axis);
            let local = self.machine.local(whole, layout);
            let attrs = [
                ("split_dimension", int(dim as i64)),
                ("concat_dimension", int(from as i64)),
                ("split_count", int(self.machine.size(axis))),
            ];
            let axes = &[axis];
            let meeting = Meeting { kind: OpKind::AllToAll, axes, result: local, attrs: &attrs, combine: None };
            value = self.meet(rw, value, meeting);
        }
        value
    }

    fn gather(&mut self, rw: &mut Rewriter, value: ValueId, dim: usize, axes: &[usize]) -> ValueId {
        let Some(mut ty) = rw.tensor(value).cloned() else { return value };
        let pieces = self.machine.pieces(axes);
        ty.shape[dim] = ty.shape[dim].as_static().map_or(ty.shape[dim], |n| (n * pieces).into());
        let attrs = [("all_gather_dim", int(dim as i64))];
        self.meet(rw, value, Meeting { kind: OpKind::AllGather, axes, result: ty, attrs: &attrs, combine: None })
    }

    /// The sum of what the devices along some axes have.
    pub(super) fn all_reduce(
        &mut self,
        rw: &mut Rewriter,
        value: ValueId,
        axes: &[usize],
        combine: OpKind,
    ) -> ValueId {
        let Some(ty) = rw.tensor(value).cloned() else { return value };
        let combine = Some(combine);
        self.meet(rw, value, Meeting { kind: OpKind::AllReduce, axes, result: ty, attrs: &[], combine })
    }

    /// A collective of StableHLO on one value.
    fn meet(&self, rw: &mut Rewriter, value: ValueId, meeting: Meeting) -> ValueId {
        let Meeting { kind, axes, result, attrs, combine } = meeting;
        let groups = self.machine.groups(axes);
        let shape = [groups.len() as i64, groups.first().map_or(0, |g| g.len() as i64)];
        let bytes = groups.concat().iter().flat_map(|id| id.to_le_bytes()).collect();
        let table = rw.graph.add_constant(Constant::dense(TensorType::new(&shape, ElementType::I64), bytes));
        let mut channel = AttrMap::default();
        channel.set("handle", int(1));
        channel.set("type", int(1));
        let element = result.element;
        let mut op = NewOp::new(kind, vec![value], vec![Type::Tensor(result)], rw.location());
        op.attrs.set("replica_groups", Attr::Dense(table));
        op.attrs.set("channel_handle", Attr::Struct("stablehlo.channel_handle".into(), channel));
        if kind != OpKind::AllToAll {
            op.attrs.set("use_global_device_ids", Attr::Unit);
        }
        attrs.iter().for_each(|(name, attr)| op.attrs.set(name, attr.clone()));
        if let Some(combine) = combine {
            op.regions = vec![rw.reducer(combine, element)];
        }
        rw.insert(op)[0]
    }

    /// A piece of what is the same all along a dimension is made as large as it is: constants, and what is broadcast.
    fn made_small(
        &mut self,
        rw: &mut Rewriter,
        value: ValueId,
        (dim, axes): (usize, &[usize]),
        local: &TensorType,
    ) -> Option<ValueId> {
        let op = rw.graph.op(rw.graph.producer(value)?).clone();
        let mut operands = op.operands.clone();
        let mut attrs = op.attrs.clone();
        match op.kind {
            OpKind::Constant => {
                let Some(Attr::Dense(id)) = attrs.get("value") else { return None };
                let Storage::Splat(element) = &rw.graph.constant(*id).storage else { return None };
                let small = Constant::splat(local.clone(), element.to_vec());
                return Some(rw.constant(small));
            }
            OpKind::BroadcastInDim => {
                let source = operands.first().copied()?;
                let from = dim_list(&op, "broadcast_dimensions").iter().position(|&to| to == dim);
                let sizes = rw.shape(source)?;
                if let Some(from) = from.filter(|&from| sizes.get(from) != Some(&1)) {
                    operands = vec![self.cut(rw, source, from, axes)];
                }
            }
            OpKind::Iota if attrs.int("iota_dimension") != Some(dim as i64) => {}
            _ => return None,
        }
        let mut new = NewOp::new(op.kind, operands, vec![Type::Tensor(local.clone())], op.location);
        std::mem::swap(&mut new.attrs, &mut attrs);
        rw.insert(new).first().copied()
    }

    /// Where this device's piece of `size` elements begins, a scalar of ui32.
    pub(super) fn start(&self, rw: &mut Rewriter, axes: &[usize], size: i64) -> ValueId {
        let scalar = TensorType::new(&[], ElementType::Ui32);
        let device = rw.emit(OpKind::PartitionId, &[], Type::Tensor(scalar.clone()), &[]);
        let number = |rw: &mut Rewriter, n: i64| rw.splat(&scalar, Scalar::Int(n.into()));
        let mut start = number(rw, 0);
        let mut left = self.machine.pieces(axes);
        for &axis in axes {
            left /= self.machine.size(axis);
            let (stride, count) = (number(rw, self.machine.stride(axis)), number(rw, self.machine.size(axis)));
            let along = rw.binary(OpKind::Divide, device, stride);
            let along = rw.binary(OpKind::Remainder, along, count);
            let step = number(rw, left * size);
            let offset = rw.binary(OpKind::Multiply, along, step);
            start = rw.binary(OpKind::Add, start, offset);
        }
        start
    }

    /// This device's piece along a dimension.
    pub(super) fn cut(&mut self, rw: &mut Rewriter, value: ValueId, dim: usize, axes: &[usize]) -> ValueId {
        let Some(ty) = rw.tensor(value).cloned() else { return value };
        let pieces = self.machine.pieces(axes);
        let Some(shape) = ty.static_shape() else { return value };
        let mut sizes = shape.clone();
        sizes[dim] /= pieces.max(1);
        let local = TensorType::new(&sizes, ty.element);
        if let Some(made) = self.made_small(rw, value, (dim, axes), &local) {
            return made;
        }
        let start = self.start(rw, axes, sizes[dim]);
        let zero = rw.splat(&TensorType::new(&[], ElementType::Ui32), Scalar::Int(0));
        let starts = (0..shape.len()).map(|d| if d == dim { start } else { zero });
        let operands: Vec<ValueId> = std::iter::once(value).chain(starts).collect();
        rw.emit(OpKind::DynamicSlice, &operands, Type::Tensor(local), &[("slice_sizes", ints(&sizes))])
    }
}

/// How many axes two lists begin with together.
fn common(a: &[usize], b: &[usize]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

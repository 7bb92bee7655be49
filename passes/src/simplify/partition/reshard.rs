//! From one layout to another: axes move between dimensions, pieces are gathered, then cut where each device is.
//!
//! Worked example: 8x8 on x = 2, y = 2 from `[{x}, {y}]` to `[{y}, {}]`: y moves from the second dimension's end to the
//! first one's (all-to-all), x is gathered … in the order that keeps the tensors small: moves, gathers, cuts.

use fornax_graph::views::dim_list;
use fornax_graph::{Attr, AttrMap, Constant, ElementType, NewOp, OpKind, Storage, TensorType, Type, ValueId};
use fornax_reference::Scalar;

use super::layout::Layout;
use super::{Part, Pass, Sum};
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
        let keeps = |pass: &Pass, layout: &Layout, dim: usize| {
            let (own, to, size) = (&layout.0[dim], &to.0[dim], whole.shape[dim]);
            // Uneven parts begin elsewhere where an axis more or less cuts them.
            let is_even = pass.machine.divides(size, own) && pass.machine.divides(size, to);
            if is_even || own == to { common(own, to) } else { 0 }
        };
        if (0..layout.0.len()).any(|dim| keeps(self, &layout, dim) < layout.0[dim].len()) {
            self.moved.insert(value);
        }
        let mut value = value;
        for dim in 0..layout.0.len() {
            value = self.moved_axes(rw, value, (&mut layout, &whole), (dim, to));
        }
        for dim in 0..layout.0.len() {
            let is_even = self.machine.divides(whole.shape[dim], &layout.0[dim]);
            let keep = keeps(self, &layout, dim);
            let gone = layout.0[dim].split_off(keep);
            if !gone.is_empty() {
                value = self.gather(rw, value, dim, &gone);
            }
            if let (false, false, Some(size)) = (gone.is_empty(), is_even, whole.shape[dim].as_static()) {
                value = self.unfilled(rw, value, dim, size);
            }
        }
        for dim in 0..layout.0.len() {
            let mut more = to.0[dim][layout.0[dim].len()..].to_vec();
            layout.0[dim].clone_from(&to.0[dim]);
            if self.machine.divides(whole.shape[dim], &to.0[dim]) {
                value = self.scattered(rw, value, dim, &mut more);
            }
            if !more.is_empty() {
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

    /// The sum of parts, if that is what a value is and its axes are those that cut the dimension next: each device
    /// adds up its own piece. What is left to cut stays in `more`, and what is left to add up is added.
    fn scattered(&mut self, rw: &mut Rewriter, value: ValueId, dim: usize, more: &mut Vec<usize>) -> ValueId {
        let Some(Sum { parts, mut axes, is_sole: true }) = self.sums.get(&value).cloned() else { return value };
        let cut: Vec<usize> = more.iter().copied().take_while(|axis| axes.contains(axis)).collect();
        let Some(mut ty) = rw.tensor(parts).cloned().filter(|_| !cut.is_empty()) else { return value };
        more.drain(..cut.len());
        axes.retain(|axis| !cut.contains(axis));
        ty.shape[dim] = ty.shape[dim].as_static().map_or(ty.shape[dim], |n| (n / self.machine.pieces(&cut)).into());
        let (attrs, combine) = ([("scatter_dimension", int(dim as i64))], Some(OpKind::Add));
        let meeting = Meeting { kind: OpKind::ReduceScatter, axes: &cut, result: ty, attrs: &attrs, combine };
        let piece = self.meet(rw, parts, meeting);
        if axes.is_empty() {
            return piece;
        }
        let sum = self.all_reduce(rw, piece, &axes, OpKind::Add);
        self.sums.insert(sum, Sum { parts: piece, axes, is_sole: true });
        sum
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
                let next = dim != from && target.starts_with(own) && target.get(own.len()) == Some(&axis);
                let divides = |dim: usize, axes: &[usize]| self.machine.divides(whole.shape[dim], axes);
                next && divides(from, &layout.0[from]) && divides(dim, &target[..=own.len()]) && divides(dim, target)
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

    /// The device of the first piece gets the last one's, and so on.
    pub(super) fn mirrored(&self, rw: &mut Rewriter, value: ValueId, axes: &[usize]) -> ValueId {
        let Some(ty) = rw.tensor(value).cloned().filter(|_| !axes.is_empty()) else { return value };
        let groups = self.machine.groups(axes);
        let pairs = groups.iter().flat_map(|group| group.iter().zip(group.iter().rev()));
        let pairs: Vec<i64> = pairs.flat_map(|(from, to)| [*from, *to]).collect();
        let attrs = [("source_target_pairs", ints(pairs)), ("channel_handle", channel())];
        rw.emit(OpKind::CollectivePermute, &[value], Type::Tensor(ty), &attrs)
    }

    /// A collective of StableHLO on one value.
    fn meet(&self, rw: &mut Rewriter, value: ValueId, meeting: Meeting) -> ValueId {
        let Meeting { kind, axes, result, attrs, combine } = meeting;
        let groups = self.machine.groups(axes);
        let shape = [groups.len() as i64, groups.first().map_or(0, |g| g.len() as i64)];
        let bytes = groups.concat().iter().flat_map(|id| id.to_le_bytes()).collect();
        let table = rw.graph.add_constant(Constant::dense(TensorType::new(&shape, ElementType::I64), bytes));
        let element = result.element;
        let mut op = NewOp::new(kind, vec![value], vec![Type::Tensor(result)], rw.location());
        op.attrs.set("replica_groups", Attr::Dense(table));
        op.attrs.set("channel_handle", channel());
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

    /// Where a device stands among all, by its number.
    fn place(&self, rw: &mut Rewriter, device: ValueId) -> ValueId {
        let Some(places) = self.machine.places() else { return device };
        let table = TensorType::new(&[places.len() as i64], ElementType::Ui32);
        let bytes = places.iter().flat_map(|&place| (place as u32).to_le_bytes()).collect();
        let table = rw.constant(Constant::dense(table, bytes));
        let one = Type::Tensor(TensorType::new(&[1], ElementType::Ui32));
        let own = rw.emit(OpKind::DynamicSlice, &[table, device], one, &[("slice_sizes", ints([1]))]);
        rw.reshape::<i64>(own, &[])
    }

    /// Where this device's piece of `size` elements begins, a scalar of ui32.
    pub(super) fn start(&self, rw: &mut Rewriter, axes: &[usize], size: i64) -> ValueId {
        let scalar = TensorType::new(&[], ElementType::Ui32);
        let device = rw.emit(OpKind::PartitionId, &[], Type::Tensor(scalar.clone()), &[]);
        let device = self.place(rw, device);
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
        sizes[dim] = self.machine.share(shape[dim], axes);
        let local = TensorType::new(&sizes, ty.element);
        if let Some(made) = self.made_small(rw, value, (dim, axes), &local) {
            return made;
        }
        let value = self.filled(rw, value, dim, sizes[dim] * pieces);
        let start = self.start(rw, axes, sizes[dim]);
        let zero = rw.splat(&TensorType::new(&[], ElementType::Ui32), Scalar::Int(0));
        let starts = (0..shape.len()).map(|d| if d == dim { start } else { zero });
        let operands: Vec<ValueId> = std::iter::once(value).chain(starts).collect();
        rw.emit(OpKind::DynamicSlice, &operands, Type::Tensor(local), &[("slice_sizes", ints(&sizes))])
    }
}

/// What says that the ids of a collective are those of partitions.
fn channel() -> Attr {
    let mut fields = AttrMap::default();
    fields.set("handle", int(1));
    fields.set("type", int(1));
    Attr::Struct("stablehlo.channel_handle".into(), fields)
}

/// How many axes two lists begin with together.
fn common(a: &[usize], b: &[usize]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

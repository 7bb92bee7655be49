//! Values that are parts of a sum: each device along some axes has one, and what the program means is all of them added
//! up (`unreduced` of a sharding).
//!
//! Worked example: on x = 2 an `a @ b` whose sum is cut by x is made in two parts and an all-reduce. If the program
//! wants it as `unreduced={"x"}`, the parts are what it wants. A value that is whole becomes such parts where the first
//! device keeps it and the others have zeros. An op that reads parts gets their sum.

use fornax_graph::sharding::{Sharding, parse_sharding};
use fornax_graph::{ElementType, OpId, OpKind, TensorType, ValueId};
use fornax_reference::Scalar;

use super::layout::Layout;
use super::uneven::nothing;
use super::{Pass, Sum, rename};
use crate::facts::control::inputs;
use crate::rewrite::Rewriter;

impl Pass {
    /// The axes along which a sharding says that parts add up.
    pub(super) fn unreduced_axes(&self, sharding: &Sharding) -> Result<Vec<usize>, String> {
        let mut axes = Vec::new();
        for axis in &sharding.unreduced {
            axes.extend(self.machine.axes_of(&sharding.mesh, axis)?);
        }
        axes.sort_unstable();
        Ok(axes)
    }

    /// The same of a sharding's text; none of one that is not read.
    pub(super) fn unreduced_of(&self, text: &str) -> Vec<usize> {
        parse_sharding(text).and_then(|sharding| self.unreduced_axes(&sharding)).unwrap_or_default()
    }

    /// The axes along which a value is parts of a sum.
    fn parts_along(&self, value: ValueId) -> Vec<usize> {
        self.unreduced.get(&value).cloned().unwrap_or_default()
    }

    /// Says that a value is parts of a sum along axes.
    pub(super) fn is_parts(&mut self, value: ValueId, axes: Vec<usize>) {
        match axes.is_empty() {
            true => self.unreduced.remove(&value),
            false => self.unreduced.insert(value, axes),
        };
    }

    /// A value in another layout, as parts of a sum along these axes.
    pub(super) fn brought(&mut self, rw: &mut Rewriter, value: ValueId, layout: &Layout, parts: &[usize]) -> ValueId {
        let both: Vec<usize> = self.parts_along(value).into_iter().filter(|axis| parts.contains(axis)).collect();
        let value = self.added_up(rw, value, &both);
        let value = self.reshard(rw, value, layout);
        self.added_up(rw, value, parts)
    }

    /// A value added up along all axes but these, along which it becomes parts.
    pub(super) fn added_up(&mut self, rw: &mut Rewriter, value: ValueId, wanted: &[usize]) -> ValueId {
        let now = self.parts_along(value);
        let only = |a: &[usize], b: &[usize]| a.iter().copied().filter(|axis| !b.contains(axis)).collect::<Vec<_>>();
        let (gone, new) = (only(&now, wanted), only(wanted, &now));
        let Some(part) = self.part(rw, value) else { return value };
        let mut made = value;
        if !gone.is_empty() {
            made = self.all_reduce(rw, made, &gone, OpKind::Add);
            self.sums.insert(made, Sum { parts: value, axes: gone, is_sole: true });
        }
        if !new.is_empty() {
            // Where it was added up just now, the parts are still there.
            made = match self.sums.get(&made) {
                Some(sum) if now.is_empty() && sum.axes == new => sum.parts,
                _ => self.first_only(rw, made, &new),
            };
        }
        if made != value {
            self.values.insert(made, part);
            self.is_parts(made, wanted.to_vec());
        }
        made
    }

    /// The value on the first device along axes, zeros on the others.
    fn first_only(&mut self, rw: &mut Rewriter, value: ValueId, axes: &[usize]) -> ValueId {
        let Some(ty) = rw.tensor(value).cloned() else { return value };
        let place = self.start(rw, axes, 1);
        let zero = rw.splat(&TensorType::new(&[], ElementType::Ui32), Scalar::Int(0));
        let is_first = rw.compare("EQ", place, zero);
        let is_first = rw.broadcast(is_first, &[], &ty.shape);
        let zero = nothing(rw, ty.element);
        let zeros = rw.broadcast(zero, &[], &ty.shape);
        rw.select(is_first, value, zeros)
    }

    /// What an op reads, added up.
    pub(super) fn settle(&mut self, rw: &mut Rewriter, id: OpId) {
        for value in inputs(rw.graph, id) {
            let sum = self.added_up(rw, value, &[]);
            if sum != value {
                rename(rw.graph, id, value, sum);
            }
        }
    }
}

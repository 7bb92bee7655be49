//! Ops that move elements, as seen from one element of their result: masks, selects and loaded start indices.
//!
//! Worked example: `pad x, 0.0, low = [1], high = [1], interior = [0]` of `[4]` → `[6]`, element i:
//! select(1 ≤ i < 5, load x[i − 1] if 1 ≤ i < 5, 0.0).

use fornax_graph::views::gather_dims;
use fornax_graph::{ElementType, OpId, OpKind, ValueId};
use fornax_plan::{Binary, IndexId, Node, NodeId};

use super::lower::{Lowering, renamed};
use crate::errors::PassError;
use crate::facts::index_maps::operand_index;
use crate::facts::ops::tensor;
use crate::facts::scalar::bits_of;
use crate::facts::sizes::{list, sizes};

impl Lowering<'_> {
    /// The element of an index op's result.
    pub(super) fn moved(&mut self, op: OpId, index: &[IndexId], mask: Option<NodeId>) -> Result<NodeId, PassError> {
        let data = self.graph.op(op);
        if let Some(link) = self.links.get(&op).filter(|link| link.result == index) {
            let operand = link.operand.clone();
            return self.value_at(data.operands[0], &operand, mask);
        }
        if let Some(mapped) = operand_index(self.graph, op, index, &mut self.exprs.indices)? {
            return self.value_at(data.operands[0], &mapped, mask);
        }
        match data.kind {
            OpKind::Iota => {
                let dimension = data.attrs.int("iota_dimension").and_then(|d| usize::try_from(d).ok()).unwrap_or(0);
                let element = tensor(self.graph, data.results[0])?.element;
                let index = index.get(dimension).copied();
                let index = index.ok_or_else(|| PassError::internal(self.graph, op, "iota over no dimension"))?;
                Ok(self.exprs.add(Node::FromIndex { element, index }))
            }
            OpKind::GetDimensionSize => {
                let axis = data.attrs.int("dimension").and_then(|d| usize::try_from(d).ok()).unwrap_or(0);
                let element = tensor(self.graph, data.results[0])?.element;
                let index = self.sizes(data.operands[0])?.get(axis).copied();
                let index = index.ok_or_else(|| PassError::internal(self.graph, op, "the size of no dimension"))?;
                Ok(self.exprs.add(Node::FromIndex { element, index }))
            }
            OpKind::Pad => self.pad(op, index, mask),
            OpKind::Concatenate => self.concatenate(op, index, mask),
            OpKind::DynamicSlice => self.dynamic_slice(op, index, mask),
            OpKind::DynamicUpdateSlice => self.dynamic_update_slice(op, index, mask),
            OpKind::Gather => self.gather(op, index, mask),
            OpKind::BitcastConvert => self.bitcast(op, index, mask),
            _ => Err(PassError::internal(self.graph, op, "has no index map")),
        }
    }

    /// `low ≤ index < high` and what was there before.
    pub(super) fn within(
        &mut self,
        mask: Option<NodeId>,
        index: IndexId,
        low: IndexId,
        high: IndexId,
    ) -> Option<NodeId> {
        let inside = self.in_range(index, low, high);
        Some(self.both(mask, inside))
    }

    /// `low ≤ index < high` for bounds that may be sizes.
    pub(super) fn in_range(&mut self, index: IndexId, low: IndexId, high: IndexId) -> NodeId {
        let indices = &mut self.exprs.indices;
        if let (Some(low), Some(high)) = (indices.as_constant(low), indices.as_constant(high)) {
            return self.exprs.add(Node::InRange { index, low, high });
        }
        let (above, below) = (indices.sub(index, low), indices.sub(index, high));
        let above = self.exprs.add(Node::InRange { index: above, low: 0, high: i64::MAX });
        let below = self.exprs.add(Node::InRange { index: below, low: i64::MIN, high: 0 });
        self.exprs.binary(Binary::And, above, below)
    }

    pub(super) fn constant(&mut self, value: i64) -> IndexId {
        self.exprs.indices.constant(value)
    }

    /// The shape of a value.
    pub(super) fn sizes(&mut self, value: ValueId) -> Result<Vec<IndexId>, PassError> {
        sizes(self.graph, value, &mut self.exprs.indices)
    }

    pub(super) fn both(&mut self, mask: Option<NodeId>, condition: NodeId) -> NodeId {
        match mask {
            Some(mask) => self.exprs.binary(Binary::And, mask, condition),
            None => condition,
        }
    }

    /// Is the i1 node the constant `value`?
    fn is_constant(&self, node: NodeId, value: bool) -> bool {
        matches!(self.exprs.node(node), Node::Constant { element: ElementType::I1, bits } if (*bits != 0) == value)
    }

    /// `condition ? a at index : otherwise`, where `a` is read only under the condition (and `mask`).
    pub(super) fn guarded(
        &mut self,
        condition: NodeId,
        (value, index): (ValueId, &[IndexId]),
        mask: Option<NodeId>,
        otherwise: NodeId,
    ) -> Result<NodeId, PassError> {
        if self.is_constant(condition, false) {
            return Ok(otherwise);
        }
        let inner = self.both(mask, condition);
        let inner = if self.is_constant(inner, true) { None } else { Some(inner) };
        let a = self.value_at(value, index, inner)?;
        Ok(self.exprs.select(condition, a, otherwise))
    }

    fn pad(&mut self, op: OpId, index: &[IndexId], mask: Option<NodeId>) -> Result<NodeId, PassError> {
        let data = self.graph.op(op);
        let source = self.sizes(data.operands[0])?;
        let low = list(self.graph, op, "edge_padding_low", (source.len(), 0), &mut self.exprs.indices);
        let interior = list(self.graph, op, "interior_padding", (source.len(), 0), &mut self.exprs.indices);
        let mut condition = None;
        let mut mapped = Vec::with_capacity(source.len());
        for d in 0..source.len() {
            let step = self.exprs.indices.offset(interior[d], 1);
            let (place, inside) = self.strided(index[d], low[d], step, source[d], condition);
            condition = inside;
            mapped.push(place);
        }
        let padding = self.value_at(data.operands[1], &[], mask)?;
        let condition = match condition {
            Some(condition) => condition,
            None => self.exprs.boolean(true),
        };
        self.guarded(condition, (data.operands[0], &mapped), mask, padding)
    }

    /// Position `(index − low) / step` in a dimension of `size`, and the condition (and `so_far`) that it is a whole
    /// number in range.
    pub(super) fn strided(
        &mut self,
        index: IndexId,
        low: IndexId,
        step: IndexId,
        size: IndexId,
        so_far: Option<NodeId>,
    ) -> (IndexId, Option<NodeId>) {
        let indices = &mut self.exprs.indices;
        let shifted = indices.sub(index, low);
        let place = indices.floor_div_by(shifted, step);
        let rest = indices.modulo_by(shifted, step);
        let (zero, one) = (indices.constant(0), indices.constant(1));
        let unit = indices.as_constant(step).is_some_and(|step| step <= 1);
        let mut condition = self.within(so_far, place, zero, size);
        if !unit {
            condition = self.within(condition, rest, zero, one);
        }
        (place, condition.filter(|&c| !self.is_constant(c, true)))
    }

    fn concatenate(&mut self, op: OpId, index: &[IndexId], mask: Option<NodeId>) -> Result<NodeId, PassError> {
        let data = self.graph.op(op);
        let d = data.attrs.int("dimension").and_then(|d| usize::try_from(d).ok()).unwrap_or(0);
        let Some(&along) = index.get(d) else {
            return Err(PassError::internal(self.graph, op, "concatenates along no dimension"));
        };
        let mut parts = Vec::with_capacity(data.operands.len());
        let mut start = self.constant(0);
        for &operand in &data.operands {
            let size = self.sizes(operand)?.get(d).copied();
            let size = size.ok_or_else(|| PassError::internal(self.graph, op, "concatenates along no dimension"))?;
            let end = self.exprs.indices.add(start, size);
            if self.exprs.indices.as_constant(size) != Some(0) {
                parts.push((operand, start, end));
            }
            start = end;
        }
        // From the last to the first: the last needs no condition of its own.
        let mut result: Option<NodeId> = None;
        for &(operand, low, high) in parts.iter().rev() {
            let condition = self.in_range(along, low, high);
            if self.is_constant(condition, false) {
                continue;
            }
            let mut mapped = index.to_vec();
            mapped[d] = self.exprs.indices.sub(along, low);
            let inner = self.both(mask, condition);
            let inner = if self.is_constant(inner, true) { None } else { Some(inner) };
            let value = self.value_at(operand, &mapped, inner)?;
            result = Some(match result {
                None => value,
                Some(otherwise) => self.exprs.select(condition, value, otherwise),
            });
        }
        result.ok_or_else(|| PassError::internal(self.graph, op, "concatenates nothing"))
    }

    /// A loaded start index clamped to `0..=limit`.
    fn start(
        &mut self,
        value: ValueId,
        index: &[IndexId],
        limit: IndexId,
        mask: Option<NodeId>,
    ) -> Result<IndexId, PassError> {
        let Some(limit) = self.exprs.indices.as_constant(limit) else {
            return self.start_within(value, index, limit, mask);
        };
        if limit <= 0 {
            return Ok(self.exprs.indices.constant(0));
        }
        let loaded = self.value_at(value, index, mask)?;
        let element = self.exprs.element(loaded);
        let constant = |bits| Node::Constant { element, bits };
        let mut clamped = loaded;
        if !element.is_unsigned() {
            let zero = self.exprs.add(constant(0));
            clamped = self.exprs.binary(Binary::Maximum, clamped, zero);
        }
        let most = if element.is_unsigned() {
            crate::facts::scalar::mask(element)
        } else {
            crate::facts::scalar::mask(element) >> 1
        };
        if (limit as u64) < most {
            let top = self.exprs.add(constant(bits_of(element, limit)));
            clamped = self.exprs.binary(Binary::Minimum, clamped, top);
        }
        let wide = if limit <= i64::from(i32::MAX) { ElementType::I32 } else { ElementType::I64 };
        let clamped = self.exprs.convert(wide, clamped);
        let bound = limit.min(most.min(i64::MAX as u64) as i64);
        Ok(self.exprs.indices.value(clamped, 0, bound))
    }

    /// A loaded start index clamped to `0..=limit`, a size expression.
    fn start_within(
        &mut self,
        value: ValueId,
        index: &[IndexId],
        limit: IndexId,
        mask: Option<NodeId>,
    ) -> Result<IndexId, PassError> {
        let loaded = self.value_at(value, index, mask)?;
        let wide = if self.exprs.element(loaded) == ElementType::Ui64 { ElementType::Ui64 } else { ElementType::I64 };
        let zero = self.exprs.add(Node::Constant { element: wide, bits: 0 });
        let limit_most = self.exprs.indices.range(limit).1.max(0);
        let top = self.exprs.add(Node::FromIndex { element: wide, index: limit });
        let mut clamped = self.exprs.convert(wide, loaded);
        clamped = self.exprs.binary(Binary::Minimum, clamped, top);
        clamped = self.exprs.binary(Binary::Maximum, clamped, zero);
        Ok(self.exprs.indices.value(clamped, 0, limit_most))
    }

    fn dynamic_slice(&mut self, op: OpId, index: &[IndexId], mask: Option<NodeId>) -> Result<NodeId, PassError> {
        let data = self.graph.op(op);
        let (source, sizes) = (self.sizes(data.operands[0])?, self.sizes(data.results[0])?);
        let mut mapped = Vec::with_capacity(source.len());
        for d in 0..source.len() {
            let limit = self.exprs.indices.sub(source[d], sizes[d]);
            let start = self.start(data.operands[1 + d], &[], limit, mask)?;
            mapped.push(self.exprs.indices.add(index[d], start));
        }
        self.value_at(data.operands[0], &mapped, mask)
    }

    fn dynamic_update_slice(&mut self, op: OpId, index: &[IndexId], mask: Option<NodeId>) -> Result<NodeId, PassError> {
        let data = self.graph.op(op);
        let (source, update) = (self.sizes(data.operands[0])?, self.sizes(data.operands[1])?);
        let mut condition = self.exprs.boolean(true);
        let mut mapped = Vec::with_capacity(source.len());
        let zero = self.constant(0);
        for d in 0..source.len() {
            let limit = self.exprs.indices.sub(source[d], update[d]);
            let start = self.start(data.operands[2 + d], &[], limit, mask)?;
            let place = self.exprs.indices.sub(index[d], start);
            let inside = self.in_range(place, zero, update[d]);
            condition = self.exprs.binary(Binary::And, condition, inside);
            mapped.push(place);
        }
        if self.is_constant(condition, true) {
            return self.value_at(data.operands[1], &mapped, mask);
        }
        let old = self.value_at(data.operands[0], index, mask)?;
        self.guarded(condition, (data.operands[1], &mapped), mask, old)
    }

    fn gather(&mut self, op: OpId, index: &[IndexId], mask: Option<NodeId>) -> Result<NodeId, PassError> {
        let data = self.graph.op(op);
        let dims = gather_dims(data);
        let (operand, starts) = (data.operands[0], data.operands[1]);
        let (source, start_rank) = (self.sizes(operand)?, tensor(self.graph, starts)?.rank());
        let slices = list(self.graph, op, "slice_sizes", (source.len(), 1), &mut self.exprs.indices);
        let broken = || PassError::internal(self.graph, op, "dimension numbers do not fit the shapes");
        // Batch dimensions of the result are the dimensions of the start indices, the index vector left out.
        let batch: Vec<IndexId> =
            index.iter().enumerate().filter(|(d, _)| !dims.offset_dims.contains(d)).map(|p| *p.1).collect();
        let offsets: Vec<IndexId> = dims.offset_dims.iter().filter_map(|&d| index.get(d).copied()).collect();
        let mut mapped = Vec::with_capacity(source.len());
        let mut next_offset = offsets.into_iter();
        for d in 0..source.len() {
            let collapsed = dims.collapsed_slice_dims.contains(&d) || dims.operand_batching_dims.contains(&d);
            mapped.push(if collapsed {
                self.exprs.indices.constant(0)
            } else {
                next_offset.next().ok_or_else(broken)?
            });
        }
        for (k, &d) in dims.start_index_map.iter().enumerate() {
            let mut place = batch.clone();
            if dims.index_vector_dim < start_rank {
                let k = self.exprs.indices.constant(k as i64);
                place.insert(dims.index_vector_dim.min(place.len()), k);
            }
            let (size, slice) = (source.get(d).ok_or_else(broken)?, slices.get(d).ok_or_else(broken)?);
            let limit = self.exprs.indices.sub(*size, *slice);
            let start = self.start(starts, &place, limit, mask)?;
            mapped[d] = self.exprs.indices.add(mapped[d], start);
        }
        for (&d, &from) in dims.operand_batching_dims.iter().zip(&dims.start_indices_batching_dims) {
            // A dimension of the start indices after the index vector is one place to the left in the batch.
            let at = if from > dims.index_vector_dim { from - 1 } else { from };
            *mapped.get_mut(d).ok_or_else(broken)? = *batch.get(at).ok_or_else(broken)?;
        }
        self.value_at(operand, &mapped, mask)
    }

    /// Same width: the same element. Else the operand has, or gains, a last dimension of parts, least significant
    /// first.
    fn bitcast(&mut self, op: OpId, index: &[IndexId], mask: Option<NodeId>) -> Result<NodeId, PassError> {
        let data = self.graph.op(op);
        let (operand, result) = (data.operands[0], data.results[0]);
        let (from, to) = (tensor(self.graph, operand)?.element, tensor(self.graph, result)?.element);
        if from.bits() == to.bits() {
            let (source, target) = (self.sizes(operand)?, self.sizes(result)?);
            let index = renamed(self, index, &target, &source);
            let a = self.value_at(operand, &index, mask)?;
            return Ok(self.exprs.add(Node::Bitcast { element: to, a }));
        }
        // i1 counts as one bit, its own unsigned type.
        let unsigned = |bits| match bits {
            1 => Some(ElementType::I1),
            2 => Some(ElementType::Ui2),
            4 => Some(ElementType::Ui4),
            8 => Some(ElementType::Ui8),
            16 => Some(ElementType::Ui16),
            32 => Some(ElementType::Ui32),
            64 => Some(ElementType::Ui64),
            _ => None,
        };
        let (Some(wide), Some(narrow)) = (unsigned(from.bits().max(to.bits())), unsigned(from.bits().min(to.bits())))
        else {
            return Err(PassError::no_kernel(
                self.graph,
                op,
                "FX0315",
                "changes between widths that are no powers of two",
            ));
        };
        let step = i64::from(narrow.bits());
        if from.bits() > to.bits() {
            let (Some((&part, whole)), bits) = (index.split_last(), step) else {
                return Err(PassError::internal(self.graph, op, "has no dimension of parts"));
            };
            let a = self.value_at(operand, whole, mask)?;
            let a = self.exprs.add(Node::Bitcast { element: wide, a });
            let by = self.exprs.indices.scale(part, bits);
            let by = self.exprs.add(Node::FromIndex { element: wide, index: by });
            let mut a = self.exprs.binary(Binary::ShiftRightLogical, a, by);
            if narrow == ElementType::I1 {
                // A conversion to i1 asks whether anything is set.
                let one = self.exprs.add(Node::Constant { element: wide, bits: 1 });
                a = self.exprs.binary(Binary::And, a, one);
            }
            let a = self.exprs.convert(narrow, a);
            return Ok(self.exprs.add(Node::Bitcast { element: to, a }));
        }
        let mut sum = None;
        for part in 0..i64::from(wide.bits()) / step {
            let mut at = index.to_vec();
            at.push(self.exprs.indices.constant(part));
            let a = self.value_at(operand, &at, mask)?;
            let a = self.exprs.add(Node::Bitcast { element: narrow, a });
            let a = self.exprs.convert(wide, a);
            let by = self.exprs.add(Node::Constant { element: wide, bits: (part * step) as u64 });
            let a = self.exprs.binary(Binary::ShiftLeft, a, by);
            sum = Some(match sum {
                None => a,
                Some(sum) => self.exprs.binary(Binary::Or, sum, a),
            });
        }
        let a = sum.ok_or_else(|| PassError::internal(self.graph, op, "has no parts"))?;
        Ok(self.exprs.add(Node::Bitcast { element: to, a }))
    }
}

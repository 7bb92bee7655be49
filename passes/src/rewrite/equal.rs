//! Equal ops: the same kind on the same operands with the same attributes, and equal regions.
//!
//! Input: a graph. Output: a graph in which the first of equal ops serves. Random numbers, and ops that act on the
//! outside, are equal to none.
//!
//! Worked example: two sums over one tensor, each with a region `add`, have equal bytes as [`Key`]s: the second goes.

use std::collections::HashMap;

use fornax_graph::ops::{self, Trait};
use fornax_graph::{Attr, AttrMap, ConstId, Dim, ElementType, Graph, OpId, OpKind, Storage, Type, ValueId};

use super::{Rewrite, sweep};
use crate::errors::PassError;

/// Lets the first of equal ops serve the users of all; whether there were any. An op serves only where its value is
/// visible.
///
/// # Errors
/// None of its own.
pub fn merge_equal(graph: &mut Graph) -> Result<bool, PassError> {
    let mut seen: HashMap<Vec<u8>, OpId> = HashMap::new();
    sweep(graph, &mut |rw, id| {
        if !mergeable(rw.graph, id) {
            return Ok(Rewrite::Keep);
        }
        let mut key = Key { graph: rw.graph, bytes: Vec::with_capacity(64), local: HashMap::new() };
        key.op(id);
        let key = key.bytes;
        if let Some(&first) = seen.get(&key)
            && rw.in_scope(rw.graph.op(first).block)
        {
            return Ok(Rewrite::Replace(rw.graph.op(first).results.clone()));
        }
        seen.insert(key, id);
        Ok(Rewrite::Keep)
    })
}

fn mergeable(graph: &Graph, id: OpId) -> bool {
    let op = graph.op(id);
    let unique = matches!(op.kind, OpKind::Rng | OpKind::CustomCall | OpKind::CreateToken | OpKind::Fusion);
    let inner = op.regions.iter().flat_map(|&region| &graph.region(region).blocks);
    !unique
        && !ops::row(op.kind).has(Trait::Terminator)
        && !has_side_effect(graph, id)
        && inner.flat_map(|&block| &graph.block(block).ops).all(|&op| pure_inside(graph, op))
}

fn pure_inside(graph: &Graph, id: OpId) -> bool {
    ops::row(graph.op(id).kind).has(Trait::Terminator) || mergeable(graph, id)
}

/// Everything that makes an op what it is, as bytes: equal bytes, equal op.
struct Key<'g> {
    graph: &'g Graph,
    bytes: Vec<u8>,
    /// Values defined inside the op, numbered in order.
    local: HashMap<ValueId, u32>,
}

impl Key<'_> {
    fn number(&mut self, n: u64) {
        self.bytes.extend(n.to_le_bytes());
    }

    fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.bytes.extend(text.as_bytes());
    }

    fn op(&mut self, id: OpId) {
        let graph = self.graph;
        let op = graph.op(id);
        self.bytes.extend((op.kind as u16).to_le_bytes());
        self.number(op.operands.len() as u64);
        for operand in &op.operands {
            match self.local.get(operand) {
                Some(&n) => self.number(u64::from(n) | 1 << 32),
                None => self.number(operand.0.into()),
            }
        }
        for &result in &op.results {
            self.ty(graph.ty(result));
        }
        self.attrs(&op.attrs);
        for &region in &op.regions {
            for &block in &graph.region(region).blocks {
                self.bytes.push(b'{');
                for &argument in &graph.block(block).arguments {
                    self.define(argument);
                    self.ty(graph.ty(argument));
                }
                for &inner in &graph.block(block).ops {
                    self.op(inner);
                    graph.op(inner).results.iter().for_each(|&result| self.define(result));
                }
            }
        }
    }

    fn define(&mut self, value: ValueId) {
        let n = self.local.len() as u32;
        self.local.insert(value, n);
    }

    fn ty(&mut self, ty: &Type) {
        let Type::Tensor(tensor) = ty else { return self.debug(ty) };
        self.bytes.push(b't');
        self.element(tensor.element);
        self.number(tensor.shape.len() as u64);
        for dim in &tensor.shape {
            match *dim {
                Dim::Static(n) => self.number(n as u64),
                Dim::Symbolic(n) => self.number(u64::from(n) | 1 << 63),
            }
        }
        self.text(tensor.encoding.as_deref().unwrap_or(""));
    }

    fn element(&mut self, element: ElementType) {
        self.text(element.spelling());
        if let ElementType::Quantized(n) = element {
            self.number(n.into());
        }
    }

    /// What is rare has no shorter exact form than what it prints.
    fn debug(&mut self, value: &dyn std::fmt::Debug) {
        self.text(&format!("{value:?}"));
    }

    fn attrs(&mut self, attrs: &AttrMap) {
        let mut sorted: Vec<&(String, Attr)> = attrs.0.iter().collect();
        sorted.sort_by(|a, b| a.0.cmp(&b.0));
        self.number(sorted.len() as u64);
        for (name, attr) in sorted {
            self.text(name);
            self.attr(attr);
        }
    }

    fn attr(&mut self, attr: &Attr) {
        match attr {
            Attr::Dense(id) => self.constant(*id),
            Attr::DenseArray(element, values) => {
                self.bytes.push(b'a');
                self.element(*element);
                self.number(values.len() as u64);
                values.iter().for_each(|&v| self.number(v as u64));
            }
            Attr::Float(value, ty) => {
                self.bytes.push(b'f');
                self.number(value.to_bits());
                self.ty(ty);
            }
            Attr::Array(items) => {
                self.bytes.push(b'[');
                self.number(items.len() as u64);
                items.iter().for_each(|item| self.attr(item));
            }
            Attr::Struct(name, fields) => {
                self.bytes.push(b'<');
                self.text(name);
                self.attrs(fields);
            }
            Attr::Dict(fields) => {
                self.bytes.push(b'{');
                self.attrs(fields);
            }
            other => self.debug(other),
        }
    }

    /// Small constants by their bytes, large ones by the place in memory that they share.
    fn constant(&mut self, id: ConstId) {
        const SMALL_BYTES: usize = 1024;
        let constant = self.graph.constant(id);
        let bytes = match &constant.storage {
            Storage::Splat(element) => element,
            Storage::Dense(data) if data.bytes().len() <= SMALL_BYTES => data.bytes(),
            Storage::Dense(data) => {
                self.bytes.push(b'@');
                self.number(data.bytes().as_ptr() as u64);
                return self.number(data.bytes().len() as u64);
            }
        };
        self.bytes.push(if constant.splat_bytes().is_some() { b's' } else { b'd' });
        self.number(bytes.len() as u64);
        self.bytes.extend(bytes);
    }
}

/// Whether an op must stay even when its results are unused.
pub fn has_side_effect(graph: &Graph, id: OpId) -> bool {
    let op = graph.op(id);
    match op.kind {
        OpKind::CustomCall => op.attrs.bool("has_side_effect").unwrap_or(false),
        OpKind::FuncCall | OpKind::Unregistered => true,
        kind => fornax_graph::ops::row(kind).has(Trait::SideEffect),
    }
}

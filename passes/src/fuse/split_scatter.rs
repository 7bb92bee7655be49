//! Scatters of many updates into many elements: the updates are sorted by where they go, stably, and every element folds its own.
//!
//! Otherwise every element would look at every update (`schedule::scatter`), which is faster only while there are few. No float
//! atomics: updates of one element are folded in their order.
//!
//! Row numbers are small: the sort looks at as many of their bits as there are (a histogram of 100 bins is sorted in one pass of eight).
//!
//! Worked example: 4096 rows of 768 added into `[50257, 768]`: row numbers `[4096]` i32, 50257 for those outside;
//! sorted together with 0, 1, …, 4095; then each of 38.6 million elements finds its row's updates by a binary search.

use fornax_graph::views::scatter_dims;
use fornax_graph::{Attr, BlockId, Class, Dim, ElementType, Graph, NewOp, OpId, OpKind, Type, ValueId};

use super::prepare::replace;
use super::single_updates::Windows;
use super::split_reduce::Insert;
use super::split_sort;
use super::{Machines, in_place};
use crate::errors::PassError;
use crate::facts::marks::KEY_BITS;
use crate::facts::marks::SORTED;
use crate::facts::ops::{shape, tensor};
use crate::facts::scalar::mask;

/// Elements times updates from which sorting pays.
pub(super) const VISITS_MIN: i64 = 1 << 22;
/// Rows below which every element looks at all updates: segments would be long, and few.
pub(super) const ROWS_MIN: i64 = 16;

/// Windows of several elements below which every element looks at all of them.
const WINDOWS_MIN: i64 = 64;

/// Splits `op`, a `scatter` in the function body `entry`, where that pays.
pub fn split(graph: &mut Graph, op: OpId, entry: BlockId, machines: Machines) -> Result<(), PassError> {
    if in_place::mark(graph, op)? {
        return Ok(());
    }
    let Some(windows) = Windows::of(graph, op)? else { return Ok(()) };
    let of = |dims: &[Dim]| dims.iter().map(|d| d.as_static().unwrap_or(0)).fold(1, i64::saturating_mul);
    let (count, rows) = (of(&windows.batch()), of(&windows.rows()));
    let elements = of(&tensor(graph, graph.op(op).operands[0])?.shape);
    let updates = of(&tensor(graph, graph.op(op).operands[graph.op(op).results.len() + 1])?.shape);
    let most = i64::from(i32::MAX);
    let few = elements.saturating_mul(count) < VISITS_MIN || rows < ROWS_MIN;
    // Windows cost a sort of all their elements.
    let scarce = !windows.are_rows() && count < WINDOWS_MIN;
    if few || scarce || rows >= most || count >= most || !windows.are_rows() && updates >= most {
        return Ok(());
    }
    let op = if windows.are_rows() { op } else { windows.split(graph, op, entry)? };
    let data = graph.op(op).clone();
    let n = data.results.len();
    let dims = scatter_dims(&data);
    let indices = data.operands[n];
    let (sizes, index_shape) = (shape(graph, data.operands[0])?, shape(graph, indices)?);
    let extents: Vec<i64> = dims.scatter_dims_to_operand_dims.iter().filter_map(|&d| sizes.get(d).copied()).collect();
    let rows: i64 = extents.iter().product();
    let batch: Vec<i64> =
        (0..index_shape.len()).filter(|&d| d != dims.index_vector_dim).map(|d| index_shape[d]).collect();
    let count: i64 = batch.iter().product();
    let mut at = Keys { at: Insert { graph, before: op }, count, shape: index_shape, vector: dims.index_vector_dim };
    let keys = at.rows(indices, &extents, rows)?;
    let numbers = at.at.counter(0, (&[count], ElementType::I32));
    let [keys, numbers] = at.at.sort((keys, numbers), "LT", (&[count], ElementType::I32));
    if let Some(sort) = graph.producer(keys) {
        let bits = i128::from(64 - rows.leading_zeros());
        graph.op_mut(sort).attrs.set(KEY_BITS, Attr::Int(bits, Type::Scalar(ElementType::I64)));
        let sorted = graph.op(sort).results[0];
        sort_updates(graph, (op, entry), [sorted, numbers]);
        split_sort::split(graph, sort, entry, machines)?;
    }
    Ok(())
}

/// Puts a scatter of sorted updates, whose row numbers are `keys` and whose places among the updates are `numbers`, in the place of `op`.
pub(super) fn sort_updates(graph: &mut Graph, (op, entry): (OpId, BlockId), [keys, numbers]: [ValueId; 2]) {
    let data = graph.op(op).clone();
    let mut kept = data.operands;
    kept[data.results.len()] = keys;
    kept.push(numbers);
    let types = data.results.iter().map(|&r| graph.ty(r).clone()).collect();
    let mut new = NewOp::new(OpKind::Scatter, kept, types, data.location);
    new.attrs = data.attrs;
    new = new.attr(SORTED, Attr::Bool(true));
    new.regions = data.regions.iter().map(|&r| split_sort::copy_region(graph, r)).collect();
    let place = graph.block(data.block).ops.iter().position(|&o| o == op).unwrap_or(0);
    let new = graph.insert_op(data.block, place, new);
    let pairs: Vec<_> = data.results.iter().copied().zip(graph.op(new).results.clone()).collect();
    replace(graph, entry, &pairs);
    graph.erase_op(op);
}

/// Makes the row number of every update.
struct Keys<'a> {
    at: Insert<'a>,
    count: i64,
    /// Shape of the indices, and the dimension of their components.
    shape: Vec<i64>,
    vector: usize,
}

impl Keys<'_> {
    /// Row numbers `[N]` i32, `rows` for updates that go nowhere.
    fn rows(&mut self, indices: ValueId, extents: &[i64], rows: i64) -> Result<ValueId, PassError> {
        let element = tensor(self.at.graph, indices)?.element;
        let line = [self.count];
        let mut inside = None;
        let mut number = None;
        for (k, &extent) in extents.iter().enumerate() {
            let component = self.component(indices, element, k);
            for condition in self.conditions(component, element, extent) {
                inside = Some(match inside {
                    None => condition,
                    Some(before) => self.at.op(OpKind::And, &[before, condition], (&line, ElementType::I1)),
                });
            }
            let component = self.at.convert(component, &line, element, ElementType::I32);
            number = Some(match number {
                None => component,
                Some(outer) => {
                    let extent = self.at.number(extent, (&line, ElementType::I32));
                    let scaled = self.at.op(OpKind::Multiply, &[outer, extent], (&line, ElementType::I32));
                    self.at.op(OpKind::Add, &[scaled, component], (&line, ElementType::I32))
                }
            });
        }
        let number = match number {
            Some(number) => number,
            None => self.at.number(0, (&line, ElementType::I32)),
        };
        Ok(match inside {
            None => number,
            Some(inside) => {
                let none = self.at.number(rows, (&line, ElementType::I32));
                self.at.op(OpKind::Select, &[inside, number, none], (&line, ElementType::I32))
            }
        })
    }

    /// Component `k` of every index, `[N]`.
    fn component(&mut self, indices: ValueId, element: ElementType, k: usize) -> ValueId {
        let mut value = indices;
        if self.vector < self.shape.len() {
            value = self.at.part(indices, (self.vector, k as i64, k as i64 + 1), (&self.shape, element));
        }
        self.at.op(OpKind::Reshape, &[value], (&[self.count], element))
    }

    /// What must hold for a component to lie in `0..extent`, besides what its type says.
    fn conditions(&mut self, component: ValueId, element: ElementType, extent: i64) -> Vec<ValueId> {
        let signed = element.class() == Class::SignedInteger;
        let most = if signed { mask(element) >> 1 } else { mask(element) };
        let mut conditions = Vec::new();
        if signed {
            let zero = self.at.number(0, (&[self.count], element));
            conditions.push(self.compare("GE", component, zero, signed));
        }
        if extent as u64 <= most {
            let end = self.at.number(extent, (&[self.count], element));
            conditions.push(self.compare("LT", component, end, signed));
        }
        conditions
    }

    fn compare(&mut self, direction: &str, a: ValueId, b: ValueId, signed: bool) -> ValueId {
        let location = self.at.graph.op(self.at.before).location;
        let kind = if signed { "SIGNED" } else { "UNSIGNED" };
        let new = NewOp::new(OpKind::Compare, vec![a, b], vec![Type::tensor(&[self.count], ElementType::I1)], location)
            .attr("comparison_direction", Attr::Enum("comparison_direction".into(), direction.into()))
            .attr("compare_type", Attr::Enum("comparison_type".into(), kind.into()));
        self.at.insert(new)
    }
}

//! Branches and loops, and lists whose length is known.

use std::collections::HashMap;

use fornax_graph::{Dim, ElementType, NewOp, OpKind, RegionId, Type, ValueId};
use fornax_types::Scalar;

use super::{Row, many};
use crate::dialects::build::tensor_of;
use crate::onnx::converter::{Converter, Result};
use crate::onnx::node::{Item, Node};
use crate::onnx::proto::GraphProto;

pub const ROWS: &[Row] = &[many("If", if_), many("Loop", loop_), many("Scan", scan)];

/// Rounds of a loop that are written out one after the other where they must be: a list grows, or a size changes.
const WRITTEN_OUT_MAX: i64 = 1 << 10;
/// Rounds that are written out in any case.
const FEW_ROUNDS: i64 = 4;

/// The nodes of an inner graph on given inputs.
pub fn inner(c: &mut Converter, graph: &GraphProto, inputs: &[Item]) -> Result<Vec<Item>> {
    let names: HashMap<String, Item> =
        graph.input.iter().zip(inputs).map(|(info, item)| (info.name.clone(), item.clone())).collect();
    c.scoped(names, |c| c.graph(graph))
}

/// The number of an input that has one.
fn only(node: &Node, sizes: &[Dim]) -> Result<Dim> {
    sizes.first().copied().ok_or_else(|| node.broken("an input without elements"))
}

fn tensors(node: &Node, items: &[Item]) -> Result<Vec<ValueId>> {
    items
        .iter()
        .map(|item| match item {
            Item::Tensor(value) => Ok(*value),
            _ => Err(node.unsupported("a sequence or an optional value that a branch or a loop gives at run time")),
        })
        .collect()
}

/// A condition of one element as a scalar.
fn condition(c: &mut Converter, node: &Node, value: ValueId) -> Result<ValueId> {
    match c.b.element(value) == ElementType::I1 {
        true => Ok(c.b.reshape(value, &[])),
        false => Err(node.broken("a condition is no truth value")),
    }
}

fn if_(c: &mut Converter, node: &Node) -> Result<Vec<Item>> {
    let which = node.input(0)?;
    if let Some(&[known]) = c.known_ints(which).as_deref() {
        return inner(c, node.graph(if known != 0 { "then_branch" } else { "else_branch" })?, &[]);
    }
    let which = condition(c, node, which)?;
    let mut given: Vec<Vec<ValueId>> = Vec::new();
    let mut regions: Vec<RegionId> = Vec::new();
    for name in ["then_branch", "else_branch"] {
        let graph = node.graph(name)?;
        let region = c.region(&[], |c, _| {
            let items = inner(c, graph, &[])?;
            let values = tensors(node, &items)?;
            given.push(values.clone());
            Ok(values)
        })?;
        regions.push(region);
    }
    let mut types = Vec::new();
    for (&x, &y) in given[0].iter().zip(&given[1]) {
        let (left, right) = (c.b.shape(x), c.b.shape(y));
        if left.len() != right.len() || c.b.element(x) != c.b.element(y) {
            return Err(node.error(
                "FX1025",
                "its branches give another type or number of dimensions each, so its condition must be known",
            ));
        }
        let mut shape = Vec::new();
        for (&a, &b) in left.iter().zip(&right) {
            shape.push(c.same(node, a, b)?);
        }
        types.push(tensor_of(&shape, c.b.element(x)));
    }
    let mut op = NewOp::new(OpKind::If, vec![which], types, c.b.location);
    op.regions = regions;
    Ok(c.b.push(op).into_iter().map(Item::from).collect())
}

impl Converter<'_> {
    /// A loop of `count` rounds: `body` gets the round's number (i64) and the state, and gives the next state.
    pub fn counted(
        &mut self,
        node: &Node,
        count: Dim,
        state: &[ValueId],
        mut body: impl FnMut(&mut Self, ValueId, &[ValueId]) -> Result<Vec<ValueId>>,
    ) -> Result<Vec<ValueId>> {
        if let Dim::Static(rounds @ 0..=1) = count {
            let mut state = state.to_vec();
            for round in 0..rounds {
                let number = self.b.splat(&[], ElementType::I64, Scalar::Int(round.into()));
                state = body(self, number, &state)?;
            }
            return Ok(state);
        }
        let limit = self.b.index_of(count);
        self.counted_to(node, limit, state, body)
    }

    /// As [`Converter::counted`], of as many rounds as an i64 says that is known when the loop begins.
    pub fn counted_to(
        &mut self,
        node: &Node,
        limit: ValueId,
        state: &[ValueId],
        mut body: impl FnMut(&mut Self, ValueId, &[ValueId]) -> Result<Vec<ValueId>>,
    ) -> Result<Vec<ValueId>> {
        let first = self.b.splat(&[], ElementType::I64, Scalar::Int(0));
        let mut all = vec![first];
        all.extend_from_slice(state);
        let types: Vec<Type> = all.iter().map(|&v| self.b.graph.ty(v).clone()).collect();
        let test = self.region(&types, |c, state| Ok(vec![c.b.compare("LT", state[0], limit)]))?;
        let mut handed = Vec::new();
        let round = self.region(&types, |c, state| {
            let mut next = body(c, state[0], &state[1..])?;
            next.insert(0, c.with_number(OpKind::Add, state[0], 1.0));
            handed.clone_from(&next);
            Ok(next)
        })?;
        self.keeps_types(node, &all, &handed)?;
        Ok(self.b.while_loop(&all, test, round).into_iter().skip(1).collect())
    }

    /// What a round hands on has the types that it got.
    fn keeps_types(&mut self, node: &Node, before: &[ValueId], after: &[ValueId]) -> Result<()> {
        if before.len() != after.len() {
            return Err(node.broken("a round hands on another number of values than it got"));
        }
        for (&x, &y) in before.iter().zip(after) {
            let (left, right) = (self.b.tensor(x), self.b.tensor(y));
            if left.element != right.element || left.rank() != right.rank() {
                return Err(node.unsupported("a value whose type or number of dimensions a round changes"));
            }
            for (&a, &b) in left.shape.iter().zip(&right.shape) {
                if a != b && self.b.graph.dim_atoms(b).iter().any(|atom| self.b.graph.dim_atoms(a).contains(atom)) {
                    return Err(node.unsupported("a value whose size a round changes"));
                }
                self.b
                    .unify(a, b, &node.title)
                    .ok_or_else(|| node.unsupported("a value whose size a round changes"))?;
            }
        }
        Ok(())
    }

    /// A part of a value at a place along an axis, without that axis.
    pub fn at(&mut self, a: ValueId, axis: usize, place: ValueId) -> ValueId {
        let mut sizes = self.b.shape(a);
        sizes[axis] = Dim::Static(1);
        let zero = self.b.splat(&[], ElementType::I64, Scalar::Int(0));
        let starts: Vec<ValueId> = (0..sizes.len()).map(|d| if d == axis { place } else { zero }).collect();
        let part = self.b.dynamic_slice(a, &starts, &sizes);
        sizes.remove(axis);
        self.b.reshape(part, &sizes)
    }

    /// A value with a part of it replaced at a place along an axis.
    pub fn put(&mut self, a: ValueId, axis: usize, place: ValueId, part: ValueId) -> ValueId {
        let mut sizes = self.b.shape(part);
        sizes.insert(axis, Dim::Static(1));
        let part = self.b.reshape(part, &sizes);
        let zero = self.b.splat(&[], ElementType::I64, Scalar::Int(0));
        let starts: Vec<ValueId> = (0..sizes.len()).map(|d| if d == axis { place } else { zero }).collect();
        self.b.dynamic_update_slice(a, part, &starts)
    }

    /// Zeros with a further size in front.
    fn rows_like(&mut self, row: ValueId, rows: Dim, axis: usize) -> ValueId {
        let (mut shape, element) = (self.b.shape(row), self.b.element(row));
        shape.insert(axis, rows);
        self.b.splat(&shape, element, Scalar::Int(0))
    }

    /// Values one behind another along a new axis.
    pub fn stacked(&mut self, node: &Node, rows: &[ValueId], axis: usize) -> Result<ValueId> {
        let mut parts = Vec::new();
        for &row in rows {
            let mut shape = self.b.shape(row);
            shape.insert(axis, Dim::Static(1));
            parts.push(self.b.reshape(row, &shape));
        }
        super::shape::joined(self, node, &parts, axis)
    }
}

fn loop_(c: &mut Converter, node: &Node) -> Result<Vec<Item>> {
    let graph = node.graph("body")?;
    let carried: Vec<Item> = (2..node.inputs.len()).map(|at| node.item(at).clone()).collect();
    if graph.input.len() != carried.len() + 2 || graph.output.len() < carried.len() + 1 {
        return Err(node.broken("the body has another number of inputs or outputs"));
    }
    let most = match node.optional(0) {
        Some(value) => c.known_sizes(value).and_then(|list| list.first().copied()),
        None => Some(Dim::Static(i64::MAX)),
    };
    let starts = match node.optional(1) {
        Some(value) => c.known_ints(value).and_then(|list| list.first().copied()),
        None => Some(1),
    };
    let has_lists = carried.iter().any(|item| !matches!(item, Item::Tensor(_)));
    if let (Some(Dim::Static(most)), Some(starts)) = (most, starts)
        && let Some(results) = written_out(c, node, graph, &carried, (if starts == 0 { 0 } else { most }, has_lists))?
    {
        return Ok(results);
    }
    if has_lists {
        return Err(node.unsupported("a sequence in a loop whose number of rounds is not known"));
    }
    let before = c.b.graph.block(c.b.block).ops.len();
    match (as_while(c, node, graph, &carried, most), most, starts) {
        // A size that changes from round to round: in rounds that are written out it is a number in each.
        (Err(_), Some(Dim::Static(most)), Some(1..)) if most <= WRITTEN_OUT_MAX => {
            c.b.graph.blocks[c.b.block.index()].ops.truncate(before);
            let written = written_out(c, node, graph, &carried, (most, true))?;
            written.ok_or_else(|| node.unsupported("a loop without rounds that gives rows"))
        }
        (results, ..) => results,
    }
}

/// The rounds one after the other; `None` where the number of rounds is data, or there are too many without need.
fn written_out(
    c: &mut Converter,
    node: &Node,
    graph: &GraphProto,
    carried: &[Item],
    (most, is_needed): (i64, bool),
) -> Result<Option<Vec<Item>>> {
    let n = carried.len();
    let scanned = graph.output.len() - 1 - n;
    if graph.output.len() < 1 + n {
        return Err(node.broken("the body has another number of outputs"));
    }
    let block = c.b.block;
    let before = c.b.graph.block(block).ops.len();
    let mut state = carried.to_vec();
    let mut rows: Vec<Vec<ValueId>> = vec![Vec::new(); scanned];
    let go_back = |c: &mut Converter| c.b.graph.blocks[block.index()].ops.truncate(before);
    let mut changes = false;
    for round in 0..most {
        // The first round shows whether the rounds differ in types.
        if round >= FEW_ROUNDS && !is_needed && !changes && most > FEW_ROUNDS {
            go_back(c);
            return Ok(None);
        }
        if round >= WRITTEN_OUT_MAX {
            return Err(node.unsupported(format!("more than {WRITTEN_OUT_MAX} rounds that differ in sizes")));
        }
        let number = c.b.splat(&[], ElementType::I64, Scalar::Int(round.into()));
        let on = c.b.splat(&[], ElementType::I1, Scalar::Int(1));
        let mut inputs = vec![Item::Tensor(number), Item::Tensor(on)];
        inputs.extend(state.iter().cloned());
        let mut results = inner(c, graph, &inputs)?.into_iter();
        let Some(Item::Tensor(goes_on)) = results.next() else { return Err(node.broken("the body has no condition")) };
        let next: Vec<Item> = results.by_ref().take(n).collect();
        for (old, new) in state.iter().zip(&next) {
            changes |= match (old, new) {
                (Item::Tensor(old), Item::Tensor(new)) => c.b.graph.ty(*old) != c.b.graph.ty(*new),
                _ => true,
            };
        }
        state = next;
        for (list, row) in rows.iter_mut().zip(tensors(node, &results.collect::<Vec<_>>())?) {
            changes |= list.first().is_some_and(|&first| c.b.graph.ty(first) != c.b.graph.ty(row));
            list.push(row);
        }
        match c.known_ints(goes_on).as_deref() {
            Some([0]) => break,
            Some(_) => {}
            None if round + 1 == most => {}
            None if is_needed => {
                return Err(node.unsupported("a sequence in a loop whose number of rounds is not known"));
            }
            None => {
                go_back(c);
                return Ok(None);
            }
        }
    }
    for list in rows {
        if list.is_empty() {
            go_back(c);
            return Ok(None);
        }
        state.push(c.stacked(node, &list, 0)?.into());
    }
    Ok(Some(state))
}

/// State: the round's number, whether it goes on, what is carried, rows of what is collected.
fn as_while(
    c: &mut Converter,
    node: &Node,
    graph: &GraphProto,
    carried: &[Item],
    most: Option<Dim>,
) -> Result<Vec<Item>> {
    let carried = tensors(node, carried)?;
    let n = carried.len();
    let scanned = graph.output.len() - 1 - n;
    let limit = match node.optional(0) {
        Some(value) => {
            let value = c.b.convert(value, ElementType::I64);
            c.b.reshape(value, &[])
        }
        None => c.b.splat(&[], ElementType::I64, Scalar::Int(i64::MAX.into())),
    };
    let on = match node.optional(1) {
        Some(value) => condition(c, node, value)?,
        None => c.b.splat(&[], ElementType::I1, Scalar::Int(1)),
    };
    let first = c.b.splat(&[], ElementType::I64, Scalar::Int(0));
    let mut state = vec![first, on];
    state.extend(carried);
    if scanned > 0 {
        let rows = match most {
            Some(Dim::Static(i64::MAX)) => None,
            other => other,
        };
        let rows = match rows {
            Some(rows) => rows,
            None => match node.optional(0) {
                Some(_) => only(node, &c.amounts(node, 0)?)?,
                None => return Err(node.unsupported("outputs that grow with the rounds, whose number nothing limits")),
            },
        };
        let shapes = row_types(c, node, graph, &state, n)?;
        for row in shapes {
            let row = c.b.splat(&row.0, row.1, Scalar::Int(0));
            state.push(c.rows_like(row, rows, 0));
        }
    }
    let types: Vec<Type> = state.iter().map(|&v| c.b.graph.ty(v).clone()).collect();
    let test = c.region(&types, |c, at| {
        let more = c.b.compare("LT", at[0], limit);
        Ok(vec![c.b.binary(OpKind::And, more, at[1])])
    })?;
    let mut handed = Vec::new();
    let round = c.region(&types, |c, at| {
        let inputs: Vec<Item> = at[..2 + n].iter().map(|&v| v.into()).collect();
        let results = inner(c, graph, &inputs)?;
        let results = tensors(node, &results)?;
        let mut next = vec![c.with_number(OpKind::Add, at[0], 1.0), condition(c, node, results[0])?];
        next.extend_from_slice(&results[1..1 + n]);
        for (&all, &row) in at[2 + n..].iter().zip(&results[1 + n..]) {
            next.push(c.put(all, 0, at[0], row));
        }
        handed.clone_from(&next);
        Ok(next)
    })?;
    c.keeps_types(node, &state, &handed)?;
    let results = c.b.while_loop(&state, test, round);
    let mut items: Vec<Item> = results[2..2 + n].iter().map(|&v| v.into()).collect();
    for &all in &results[2 + n..] {
        items.push(first_rows(c, node, all, results[0])?.into());
    }
    Ok(items)
}

/// As many rows as there were rounds.
fn first_rows(c: &mut Converter, node: &Node, all: ValueId, rounds: ValueId) -> Result<ValueId> {
    if c.b.block != c.b.entry.unwrap_or(c.b.block) {
        return Err(node.error("FX1025", "the number of rounds of a loop within a loop must be known"));
    }
    let shape = c.b.shape(all);
    let most = shape[0].as_static().unwrap_or(i64::MAX);
    let count = c.b.graph.value_dim(rounds, &format!("n{}", rounds.0), (0, most));
    let (mut limit, mut sizes) = (shape.clone(), shape.clone());
    (limit[0], sizes[0]) = (count, count);
    let zeros = vec![Dim::Static(0); shape.len()];
    Ok(c.b.slice_of(all, &zeros, &limit, &vec![1; shape.len()], &sizes))
}

/// Types of what each round gives besides the state, from a round that is thrown away.
fn row_types(
    c: &mut Converter,
    node: &Node,
    graph: &GraphProto,
    state: &[ValueId],
    n: usize,
) -> Result<Vec<(Vec<Dim>, ElementType)>> {
    let mut types = Vec::new();
    let arguments: Vec<Type> = state.iter().map(|&v| c.b.graph.ty(v).clone()).collect();
    c.region(&arguments, |c, at| {
        let inputs: Vec<Item> = at.iter().map(|&v| v.into()).collect();
        let results = inner(c, graph, &inputs)?;
        for row in tensors(node, &results[1 + n..])? {
            types.push((c.b.shape(row), c.b.element(row)));
        }
        Ok(Vec::new())
    })?;
    Ok(types)
}

/// A loop over slices of inputs; what each round gives is stacked.
fn scan(c: &mut Converter, node: &Node) -> Result<Vec<Item>> {
    let graph = node.graph("body")?;
    let is_old = node.version < 9;
    let count = usize::try_from(node.int_or("num_scan_inputs", 0)).unwrap_or(0);
    let all = node.tensors_from(usize::from(is_old))?;
    if count == 0 || count > all.len() || graph.input.len() != all.len() {
        return Err(node.broken("the body has another number of inputs, or there is nothing to scan"));
    }
    let (state, inputs) = all.split_at(all.len() - count);
    if graph.output.len() < state.len() {
        return Err(node.broken("the body has fewer outputs than states"));
    }
    if !is_old {
        return scanned(c, node, graph, (state, inputs));
    }
    if node.optional(0).is_some() {
        return Err(node.unsupported("lengths of sequences"));
    }
    // Before version 9 there is a batch in front of everything: one scan each.
    let Some(batch) = inputs.first().and_then(|&v| c.b.shape(v).first()?.as_static()).filter(|&n| n <= 64) else {
        return Err(node.error("FX1025", "the batch must be known when the model is compiled, and at most 64"));
    };
    let mut columns: Vec<Vec<ValueId>> = Vec::new();
    for k in 0..batch {
        let one = |c: &mut Converter, list: &[ValueId]| -> Vec<ValueId> {
            let place = c.b.splat(&[], ElementType::I64, Scalar::Int(k.into()));
            list.iter().map(|&v| c.at(v, 0, place)).collect()
        };
        let (state, inputs) = (one(c, state), one(c, inputs));
        let results = scanned(c, node, graph, (&state, &inputs))?;
        let results = tensors(node, &results)?;
        columns.resize(results.len(), Vec::new());
        columns.iter_mut().zip(results).for_each(|(column, value)| column.push(value));
    }
    columns.iter().map(|column| c.stacked(node, column, 0).map(Item::from)).collect()
}

fn scanned(
    c: &mut Converter,
    node: &Node,
    graph: &GraphProto,
    (state, inputs): (&[ValueId], &[ValueId]),
) -> Result<Vec<Item>> {
    let n = state.len();
    let outputs = graph.output.len() - n;
    let list = |name: &str, count: usize| node.ints_of(name, count, 0);
    let (axes, out_axes) = (list("scan_input_axes", inputs.len())?, list("scan_output_axes", outputs)?);
    let (back, out_back) = match node.version < 9 {
        true => (list("directions", inputs.len())?, vec![0; outputs]),
        false => (list("scan_input_directions", inputs.len())?, list("scan_output_directions", outputs)?),
    };
    let mut places = Vec::new();
    let mut count: Option<Dim> = None;
    for (&input, &axis) in inputs.iter().zip(&axes) {
        let shape = c.b.shape(input);
        let axis = node.axis_of(axis, shape.len())?;
        places.push(axis);
        count = Some(match count {
            Some(count) => c.same(node, count, shape[axis])?,
            None => shape[axis],
        });
    }
    let Some(count) = count else { return Err(node.broken("there is nothing to scan")) };
    let last = c.b.minus(count, Dim::Static(1));
    // Rows of outputs, of types that a round that is thrown away shows.
    let mut types: Vec<Type> = state.iter().map(|&v| c.b.graph.ty(v).clone()).collect();
    for (&input, &axis) in inputs.iter().zip(&places) {
        let mut shape = c.b.shape(input);
        shape.remove(axis);
        types.push(tensor_of(&shape, c.b.element(input)));
    }
    let mut rows = Vec::new();
    c.region(&types, |c, at| {
        let items: Vec<Item> = at.iter().map(|&v| v.into()).collect();
        let results = inner(c, graph, &items)?;
        for row in tensors(node, &results[n..])? {
            rows.push((c.b.shape(row), c.b.element(row)));
        }
        Ok(Vec::new())
    })?;
    let mut all = state.to_vec();
    let mut out_places = Vec::new();
    for ((shape, element), &axis) in rows.iter().zip(&out_axes) {
        let axis = node.axis_of(axis, shape.len() + 1)?;
        out_places.push(axis);
        let mut shape = shape.clone();
        shape.insert(axis, count);
        all.push(c.b.splat(&shape, *element, Scalar::Int(0)));
    }
    let last = c.b.index_of(last);
    let results = c.counted(node, count, &all, |c, round, at| {
        let other = c.subtract(last, round);
        let mut items: Vec<Item> = at[..n].iter().map(|&v| v.into()).collect();
        for ((&input, &axis), &back) in inputs.iter().zip(&places).zip(&back) {
            items.push(c.at(input, axis, if back != 0 { other } else { round }).into());
        }
        let results = inner(c, graph, &items)?;
        let results = tensors(node, &results)?;
        let mut next = results[..n].to_vec();
        for (k, &row) in results[n..].iter().enumerate() {
            let place = if out_back[k] != 0 { other } else { round };
            next.push(c.put(at[n + k], out_places[k], place, row));
        }
        Ok(next)
    })?;
    Ok(results.into_iter().map(Item::from).collect())
}

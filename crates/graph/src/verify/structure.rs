//! What every op must obey: arity, element types, attributes by schema, blocks and terminators, dominance, calls.

use std::collections::HashMap;

use fornax_types::Class;

use super::VerifyError;
use super::check::{Check, Fault, ensure, fault};
use crate::attr::Attr;
use crate::graph::{BlockId, Function, Graph, Op, OpId, RegionId, ValueId};
use crate::location::LocId;
use crate::op::OpKind;
use crate::ops::{AttrKind, OpRow, Trait, TypeSet, row};
use crate::types::Type;

pub(super) struct Verifier<'g> {
    graph: &'g Graph,
    limit: usize,
    errors: Vec<VerifyError>,
    visible: Vec<bool>,
}

impl<'g> Verifier<'g> {
    pub(super) fn new(graph: &'g Graph, limit: usize) -> Verifier<'g> {
        Verifier { graph, limit, errors: Vec::new(), visible: vec![false; graph.values.len()] }
    }

    pub(super) fn run(mut self) -> Vec<VerifyError> {
        for function in &self.graph.functions {
            self.function(function);
        }
        self.recursion();
        self.errors
    }

    fn report(&mut self, op: Option<OpId>, location: LocId, fault: Fault) {
        if self.errors.len() < self.limit {
            let message = match op {
                Some(id) => format!("`{}`: {}", op_name(self.graph.op(id)), fault.message),
                None => fault.message,
            };
            let location = self.graph.locations.get(location).clone();
            self.errors.push(VerifyError { op, code: fault.code, message, location });
        }
    }

    fn function(&mut self, function: &Function) {
        let Some(body) = function.body else { return };
        let blocks = &self.graph.region(body).blocks;
        if blocks.len() != 1 {
            let message = format!("function `@{}` has {} blocks, one is needed", function.name, blocks.len());
            let fault = Fault { code: "FX0207", message };
            return self.report(None, function.location, fault);
        }
        self.block(blocks[0], &[OpKind::FuncReturn, OpKind::Return]);
        let last = self.graph.block(blocks[0]).ops.last().map(|&id| (id, self.graph.op(id)));
        if let Some((id, op)) = last.filter(|(_, op)| matches!(op.kind, OpKind::FuncReturn | OpKind::Return)) {
            let check = Check { graph: self.graph, op };
            let returned = check.types(&op.operands);
            let same = returned.len() == function.result_types.len()
                && returned.iter().zip(&function.result_types).all(|(a, b)| check.compatible_types(a, b));
            if !same {
                let list = |types: Vec<&Type>| types.iter().map(|t| check.text(t)).collect::<Vec<_>>().join(", ");
                let declared = list(function.result_types.iter().collect());
                let message = format!("returns ({}), but `@{}` declares ({declared})", list(returned), function.name);
                self.report(Some(id), op.location, Fault { code: "FX0212", message });
            }
        }
    }

    /// Checks a block; its values are visible in it and in regions within it.
    fn block(&mut self, block: BlockId, terminators: &[OpKind]) {
        let graph = self.graph;
        let content = graph.block(block);
        let mut defined: Vec<ValueId> = content.arguments.clone();
        for &argument in &content.arguments {
            self.show(argument, true);
        }
        for (i, &id) in content.ops.iter().enumerate() {
            if self.errors.len() >= self.limit {
                break;
            }
            let op = graph.op(id);
            self.op(id, op);
            let terminates = row(op.kind).has(Trait::Terminator);
            let last = i + 1 == content.ops.len();
            if terminates != last || (last && !terminators.contains(&op.kind)) {
                let wanted = terminators.first().map_or("return", |t| t.name());
                let message = match (terminates, last) {
                    (true, false) => "a terminator must be the last op of its block".to_string(),
                    _ => format!("the block must end with `{wanted}`"),
                };
                self.report(Some(id), op.location, Fault { code: "FX0210", message });
            }
            for &result in &op.results {
                self.show(result, true);
                defined.push(result);
            }
        }
        if content.ops.is_empty() {
            let wanted = terminators.first().map_or("return", |t| t.name());
            let message = format!("a block is empty: it must end with `{wanted}`");
            self.report(None, LocId(0), Fault { code: "FX0210", message });
        }
        for value in defined {
            self.show(value, false);
        }
    }

    fn show(&mut self, value: ValueId, visible: bool) {
        if let Some(slot) = self.visible.get_mut(value.index()) {
            *slot = visible;
        }
    }

    fn op(&mut self, id: OpId, op: &'g Op) {
        let row = row(op.kind);
        let check = Check { graph: self.graph, op };
        for (i, &operand) in op.operands.iter().enumerate() {
            if !self.visible.get(operand.index()).copied().unwrap_or(false) {
                let message = format!("operand {i} is used where it is not defined");
                self.report(Some(id), op.location, Fault { code: "FX0208", message });
                return;
            }
        }
        if op.kind == OpKind::Unregistered {
            let message =
                "this op is not in the op table: models are StableHLO and CHLO, linalg on tensors, or TOSA".to_string();
            return self.report(Some(id), op.location, Fault { code: "FX0209", message });
        }
        for &region in &op.regions {
            self.region(id, op, region);
        }
        let verdict = arity(row, op)
            .and_then(|()| quantized_results(&check))
            .and_then(|()| elements(row, &check))
            .and_then(|()| attributes(row, &check))
            .and_then(|()| (row.rule)(&check));
        if let Err(fault) = verdict {
            self.report(Some(id), op.location, fault);
        }
    }

    fn region(&mut self, id: OpId, op: &Op, region: RegionId) {
        let terminator = if op.kind == OpKind::Fusion { OpKind::FusionYield } else { OpKind::Return };
        match self.graph.region(region).blocks.as_slice() {
            [block] => self.block(*block, &[terminator]),
            blocks => {
                let message = format!("a region has {} blocks, one is needed", blocks.len());
                self.report(Some(id), op.location, Fault { code: "FX0207", message });
            }
        }
    }

    /// Calls must not form a cycle.
    fn recursion(&mut self) {
        let graph = self.graph;
        let index: HashMap<&str, usize> =
            graph.functions.iter().enumerate().map(|(i, f)| (f.name.as_str(), i)).collect();
        let mut callees: Vec<Vec<(usize, OpId)>> = vec![Vec::new(); graph.functions.len()];
        for (i, function) in graph.functions.iter().enumerate() {
            for &block in function.body.iter().flat_map(|&b| &graph.region(b).blocks) {
                graph.walk(block, &mut |id| {
                    let op = graph.op(id);
                    let name = match op.kind {
                        OpKind::FuncCall => op.attrs.get("callee"),
                        OpKind::Composite => op.attrs.get("decomposition"),
                        _ => None,
                    };
                    if let Some(Attr::Symbol(path)) = name
                        && let Some(&target) = path.last().and_then(|n| index.get(n.as_str()))
                    {
                        callees[i].push((target, id));
                    }
                });
            }
        }
        // 0 unseen, 1 on the path, 2 done
        let mut state = vec![0u8; callees.len()];
        for start in 0..callees.len() {
            let mut path = vec![(start, 0usize)];
            if state[start] == 2 {
                continue;
            }
            state[start] = 1;
            while let Some((function, next)) = path.pop() {
                let Some(&(target, call)) = callees[function].get(next) else {
                    state[function] = 2;
                    continue;
                };
                path.push((function, next + 1));
                match state[target] {
                    0 => {
                        state[target] = 1;
                        path.push((target, 0));
                    }
                    1 => {
                        let message = format!("`@{}` calls itself", graph.functions[target].name);
                        self.report(Some(call), graph.op(call).location, Fault { code: "FX0213", message });
                    }
                    _ => {}
                }
            }
        }
    }
}

fn op_name(op: &Op) -> &str {
    if op.kind == OpKind::Unregistered { &op.name } else { op.kind.name() }
}

fn arity(row: &OpRow, op: &Op) -> Result<(), Fault> {
    for (what, arity, n) in [
        ("operands", row.operands, op.operands.len()),
        ("results", row.results, op.results.len()),
        ("regions", row.regions, op.regions.len()),
    ] {
        ensure(arity.allows(n), "FX0201", || format!("has {n} {what}, {arity} are needed"))?;
    }
    Ok(())
}

/// Quantised results: zero points within the storage type, one parameter a slice of the axis.
fn quantized_results(check: &Check) -> Result<(), Fault> {
    for (i, ty) in check.types(&check.op.results).into_iter().enumerate() {
        let Some(tensor) = ty.as_tensor() else { continue };
        let Some(quantized) = check.quantized(tensor.element) else { continue };
        let (low, high) = (quantized.storage_min, quantized.storage_max);
        ensure(quantized.parameters.iter().all(|(_, zero)| (low..=high).contains(zero)), "FX0202", || {
            format!("result {i}: a zero point of {} is not in {low}..{high}", check.text(ty))
        })?;
        if let Some(blocks) = &quantized.blocks {
            let fits = tensor.static_shape().is_none_or(|shape| blocks.block_sizes(&shape).is_some());
            ensure(fits, "FX0202", || format!("result {i}: the blocks of {} do not fit its shape", check.text(ty)))?;
        }
        if let Some(axis) = quantized.axis {
            let size = usize::try_from(axis).ok().and_then(|a| tensor.shape.get(a));
            let slices = i64::try_from(quantized.parameters.len()).ok();
            ensure(size.is_some_and(|s| s.as_static().is_none_or(|n| Some(n) == slices)), "FX0202", || {
                format!("result {i}: the quantisation axis of {} does not fit its shape", check.text(ty))
            })?;
        }
    }
    Ok(())
}

fn elements(row: &OpRow, check: &Check) -> Result<(), Fault> {
    for (i, ty) in check.types(&check.op.operands).into_iter().enumerate() {
        let set = match ty {
            Type::Tensor(t) => class_set(t.element.class()),
            Type::Unranked(e) => class_set(e.class()),
            _ => TypeSet::OTHER,
        };
        ensure(row.elements.contains(set), "FX0202", || {
            format!("operand {i} has type {}, but the op takes {}", check.text(ty), row.elements)
        })?;
    }
    Ok(())
}

fn class_set(class: Class) -> TypeSet {
    match class {
        Class::Boolean => TypeSet::BOOLEAN,
        Class::SignedInteger => TypeSet::SIGNED,
        Class::UnsignedInteger => TypeSet::UNSIGNED,
        Class::Float => TypeSet::FLOAT,
        Class::Complex => TypeSet::COMPLEX,
        Class::Quantized => TypeSet::QUANTIZED,
    }
}

fn attributes(row: &OpRow, check: &Check) -> Result<(), Fault> {
    for spec in row.attrs {
        let Some(attr) = check.op.attrs.get(spec.name) else {
            if spec.required {
                return fault("FX0204", format!("attribute `{}` is missing", spec.name));
            }
            continue;
        };
        let keyword = |mnemonic: &str, values: &[&str], a: &Attr| match a {
            Attr::Enum(m, v) => {
                m.trim_start_matches("chlo.") == mnemonic.trim_start_matches("chlo.") && values.contains(&v.as_str())
            }
            _ => false,
        };
        let (ok, wanted) = match spec.kind {
            AttrKind::I64 | AttrKind::I32 => (matches!(attr, Attr::Int(..)), "an integer".to_string()),
            AttrKind::F32 => (matches!(attr, Attr::Float(..)), "a float".into()),
            AttrKind::Bool => (matches!(attr, Attr::Bool(_)), "`true` or `false`".into()),
            AttrKind::Unit => (matches!(attr, Attr::Unit | Attr::Bool(_)), "a unit attribute".into()),
            AttrKind::Str => (matches!(attr, Attr::String(_)), "a string".into()),
            AttrKind::Ints => (matches!(attr, Attr::DenseArray(..) | Attr::Dims(_)), "an array of integers".into()),
            AttrKind::Bools => (matches!(attr, Attr::DenseArray(..)), "an array of booleans".into()),
            AttrKind::Pairs => {
                let length = match attr {
                    Attr::DenseArray(_, v) => Some(v.len()),
                    Attr::Dims(v) => Some(v.len()),
                    _ => None,
                };
                (length.is_some_and(|n| n % 2 == 0), "an n×2 table of integers".into())
            }
            AttrKind::Enum(mnemonic, values) => {
                (keyword(mnemonic, values, attr), format!("one of {}", values.join(", ")))
            }
            AttrKind::EnumList(mnemonic, values) => (
                matches!(attr, Attr::Array(items) if items.iter().all(|i| keyword(mnemonic, values, i))),
                format!("a list of {}", values.join(", ")),
            ),
            AttrKind::Struct(name) => (matches!(attr, Attr::Struct(n, _) if n == name), format!("`#{name}<…>`")),
            AttrKind::Symbol => (matches!(attr, Attr::Symbol(_)), "a symbol".into()),
            AttrKind::Dict => (matches!(attr, Attr::Dict(_)), "a dictionary".into()),
            AttrKind::Elements => (matches!(attr, Attr::Dense(_)), "a dense constant".into()),
            AttrKind::Any => (true, String::new()),
        };
        ensure(ok, "FX0204", || format!("attribute `{}` must be {wanted}", spec.name))?;
    }
    Ok(())
}

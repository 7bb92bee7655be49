//! Regions that are called once an element (`reduce`, `sort`, `scatter`, …).
//!
//! A region whose ops are all element-wise on rank-0 tensors becomes a list of scalar steps; any other region is
//! interpreted. Both give the same values.

use std::collections::HashMap;

use fornax_graph::{Attr, BlockId, ElementType, OpKind, RegionId, ValueId};

use crate::elementwise::{self, ScalarOp};
use crate::errors::EvalError;
use crate::interpreter::{Interp, Value};
use crate::scalar::Scalar;
use crate::tensor::Tensor;

/// A region ready to be called with scalars.
pub(crate) struct ScalarRegion {
    /// Element types of the arguments: callers convert their elements to these.
    pub arguments: Vec<ElementType>,
    /// Element types of what the region returns.
    pub results: Vec<ElementType>,
    body: Body,
}

enum Body {
    Steps { slots: Vec<Scalar>, steps: Vec<Step>, returns: Vec<usize> },
    Interpreted(RegionId),
}

struct Step {
    op: ScalarOp,
    kind: OpKind,
    operands: Vec<usize>,
    result: usize,
}

impl ScalarRegion {
    /// Reads a region with rank-0 arguments.
    pub fn new(interp: &mut Interp, region: RegionId) -> Result<ScalarRegion, EvalError> {
        let block = interp.single_block(region)?;
        let arguments = interp.graph.block(block).arguments.iter();
        let arguments = arguments.map(|&v| interp.element_of(v)).collect::<Result<Vec<_>, _>>()?;
        let terminator = interp.graph.block(block).ops.last().copied();
        let returned = terminator.map(|t| interp.graph.op(t).operands.clone()).unwrap_or_default();
        let results = returned.iter().map(|&v| interp.element_of(v)).collect::<Result<Vec<_>, _>>()?;
        if results.is_empty() {
            return Err(interp.malformed("its region returns nothing"));
        }
        let body = compile(interp, block).unwrap_or(Body::Interpreted(region));
        Ok(ScalarRegion { arguments, results, body })
    }

    /// Calls the region; `out` is replaced by what it returns.
    pub fn call(&mut self, interp: &mut Interp, args: &[Scalar], out: &mut Vec<Scalar>) -> Result<(), EvalError> {
        match &mut self.body {
            Body::Steps { slots, steps, returns } => {
                slots[..args.len()].copy_from_slice(args);
                let mut operands = [Scalar::Bool(false); 3];
                for step in steps {
                    for (to, &from) in operands.iter_mut().zip(&step.operands) {
                        *to = slots[from];
                    }
                    let Some(value) = step.op.apply(&operands[..step.operands.len()]) else {
                        return Err(interp.unsupported_kind(step.kind, "not defined on this element type"));
                    };
                    slots[step.result] = value;
                }
                out.clear();
                out.extend(returns.iter().map(|&r| slots[r]));
            }
            Body::Interpreted(region) => {
                let wrap = |(&s, &e): (&Scalar, &ElementType)| Value::tensor(Tensor::scalar(e, s));
                let args = args.iter().zip(&self.arguments).map(wrap).collect();
                let results = interp.run_region(*region, args)?;
                out.clear();
                for result in &results {
                    out.push(interp.expect_tensor(result)?.get(0));
                }
            }
        }
        if out.len() != self.results.len() {
            return Err(interp.malformed_kind(OpKind::Return, "wrong number of results"));
        }
        Ok(())
    }

    /// Whether the region is exactly the float sum of its two arguments.
    pub fn as_float_add(&self) -> bool {
        match &self.body {
            Body::Steps { steps, returns, .. } => match &steps[..] {
                [step] => {
                    let operands = matches!(step.operands[..], [0, 1] | [1, 0]);
                    step.kind == OpKind::Add && operands && returns[..] == [step.result] && step.op.is_float_binary()
                }
                _ => false,
            },
            Body::Interpreted(_) => false,
        }
    }
}

/// The block as scalar steps, or `None` when an op is not element-wise on rank 0.
fn compile(interp: &Interp, block: BlockId) -> Option<Body> {
    let graph = interp.graph;
    // Results of quantised types need rounding to steps, which scalar steps do not do.
    let plain = |v: ValueId| graph.ty(v).as_tensor().filter(|t| t.rank() == 0 && !t.element.is_quantized());
    let rank0 = |v: ValueId| plain(v).map(|t| t.element);
    let block = graph.block(block);
    let mut slot_of: HashMap<ValueId, usize> = HashMap::new();
    let mut slots = Vec::new();
    for &argument in &block.arguments {
        rank0(argument)?;
        slot_of.insert(argument, slots.len());
        slots.push(Scalar::Bool(false));
    }
    let (&terminator, ops) = block.ops.split_last()?;
    let mut steps = Vec::new();
    for &id in ops {
        let op = graph.op(id);
        let [result] = op.results[..] else { return None };
        let element = rank0(result)?;
        if op.kind == OpKind::Constant {
            let Some(Attr::Dense(constant)) = op.attrs.get("value") else { return None };
            slots.push(Scalar::read(element, graph.constant(*constant).splat_bytes()?));
        } else {
            if !elementwise::is_elementwise(op.kind) || op.operands.len() > 3 {
                return None;
            }
            let elements = op.operands.iter().map(|&v| rank0(v)).collect::<Option<Vec<_>>>()?;
            let operands = op.operands.iter().map(|v| lookup(interp, &mut slot_of, &mut slots, *v));
            let operands = operands.collect::<Option<Vec<_>>>()?;
            let bound = ScalarOp::bind(op.kind, &op.attrs, &elements, element)?;
            steps.push(Step { op: bound, kind: op.kind, operands, result: slots.len() });
            slots.push(Scalar::Bool(false));
        }
        slot_of.insert(result, slots.len() - 1);
    }
    let returned = &graph.op(terminator).operands;
    let returns = returned.iter().map(|v| rank0(*v).and(lookup(interp, &mut slot_of, &mut slots, *v)));
    let returns = returns.collect::<Option<Vec<_>>>()?;
    Some(Body::Steps { slots, steps, returns })
}

/// Slot of a value; a value of the surroundings becomes a slot with its present value.
fn lookup(
    interp: &Interp,
    slot_of: &mut HashMap<ValueId, usize>,
    slots: &mut Vec<Scalar>,
    value: ValueId,
) -> Option<usize> {
    if let Some(&slot) = slot_of.get(&value) {
        return Some(slot);
    }
    let Some(Value::Tensor(tensor)) = interp.peek(value) else { return None };
    slot_of.insert(value, slots.len());
    slots.push(tensor.get(0));
    Some(slots.len() - 1)
}

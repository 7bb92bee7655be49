//! Runs functions, blocks and ops: values by SSA id, limits on sizes and steps, and the [`Call`] that kernels see.

use std::collections::HashMap;
use std::rc::Rc;

use fornax_graph::{BlockId, ElementType, Function, Graph, Op, OpId, OpKind, RegionId, TensorType, Type, ValueId};

use crate::board::Seat;
use crate::control;
use crate::errors::{EvalError, place};
use crate::kernels;
use crate::quantized;
use crate::scalar::Scalar;
use crate::sizes::Sizes;
use crate::tensor::Tensor;
use crate::transfer;

/// Bounds of an evaluation; exceeding one is `FX0383`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Elements of any one tensor.
    pub max_elements: u64,
    /// Ops executed, loop iterations and region calls included; large contractions and windows count one step a
    /// thousand element operations.
    pub max_steps: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { max_elements: 1 << 29, max_steps: 1 << 30 }
    }
}

/// Nested calls and regions; deeper is refused, so that recursion cannot exhaust the stack.
const MAX_DEPTH: u32 = 100;

/// Value of an SSA id.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    Tensor(Rc<Tensor>),
    Token,
    Tuple(Vec<Value>),
}

impl Value {
    pub fn tensor(tensor: Tensor) -> Value {
        Value::Tensor(Rc::new(tensor))
    }
}

/// How a block is run.
struct Plan {
    ops: Vec<OpId>,
    /// Values that die after each op.
    dead: Vec<Vec<ValueId>>,
}

/// Sees each fusion group that is evaluated: the op, its operands, its results.
pub type Observer<'g> = &'g mut dyn FnMut(OpId, &[Rc<Tensor>], &[Rc<Tensor>]);

pub(crate) struct Interp<'g> {
    pub graph: &'g Graph,
    pub observer: Option<Observer<'g>>,
    /// Where there are several devices.
    pub seat: Option<Seat>,
    limits: Limits,
    steps: u64,
    depth: u32,
    frames: Vec<HashMap<ValueId, Value>>,
    plans: HashMap<BlockId, Rc<Plan>>,
    /// The op being executed, for messages.
    current: Option<OpId>,
    pub sizes: Sizes,
}

impl<'g> Interp<'g> {
    pub fn new(graph: &'g Graph, limits: &Limits) -> Interp<'g> {
        Interp {
            graph,
            observer: None,
            seat: None,
            limits: *limits,
            steps: 0,
            depth: 0,
            frames: vec![HashMap::new()],
            plans: HashMap::new(),
            current: None,
            sizes: Sizes::new(graph),
        }
    }

    /// Calls a function with a frame of its own.
    pub fn call_function(&mut self, function: &'g Function, args: Vec<Value>) -> Result<Vec<Value>, EvalError> {
        let Some(body) = function.body else {
            return Err(EvalError::UnknownFunction { name: function.name.clone() });
        };
        self.frames.push(HashMap::new());
        let results = self.run_region(body, args);
        self.frames.pop();
        results
    }

    /// Runs a region of one block and gives what its terminator returns.
    pub fn run_region(&mut self, region: RegionId, args: Vec<Value>) -> Result<Vec<Value>, EvalError> {
        let id = self.single_block(region)?;
        let block = self.graph.block(id);
        if block.arguments.len() != args.len() {
            return Err(self.malformed_kind(OpKind::Return, "wrong number of region arguments"));
        }
        if self.depth >= MAX_DEPTH {
            return Err(self.limit("nested calls and regions", u64::from(MAX_DEPTH)));
        }
        if self.depth > 0 {
            self.sizes.forget(self.graph, id);
        }
        for (&argument, value) in block.arguments.iter().zip(args) {
            self.bind(argument, value)?;
        }
        let plan = self.plan(id);
        self.depth += 1;
        for (at, &op_id) in plan.ops.iter().enumerate() {
            let op = self.graph.op(op_id);
            if matches!(op.kind, OpKind::Return | OpKind::FuncReturn | OpKind::FusionYield) {
                self.depth -= 1;
                return op.operands.iter().map(|&v| self.value(v)).collect();
            }
            let operands = op.operands.iter().map(|&v| self.value(v)).collect::<Result<Vec<_>, _>>()?;
            let results = self.run_op(op_id, operands)?;
            for (&id, value) in op.results.iter().zip(results) {
                self.bind(id, value)?;
            }
            if let (Some(frame), Some(dead)) = (self.frames.last_mut(), plan.dead.get(at)) {
                dead.iter().for_each(|v| {
                    frame.remove(v);
                });
            }
        }
        Err(self.malformed_kind(OpKind::Return, "a block without a terminator"))
    }

    /// Executes one op on given operands. Its regions see the values of the current frame.
    pub fn run_op(&mut self, id: OpId, operands: Vec<Value>) -> Result<Vec<Value>, EvalError> {
        let op = self.graph.op(id);
        let outer = self.current.replace(id);
        self.charge(1)?;
        let seen = match op.kind {
            OpKind::Fusion if self.observer.is_some() => tensors(&operands),
            _ => Vec::new(),
        };
        let results = match control::rule(op.kind) {
            Some(rule) => rule(self, op, operands)?,
            None => self.run_kernel(op, operands)?,
        };
        if results.len() != op.results.len() {
            return Err(self.malformed("wrong number of results"));
        }
        for (result, &id) in results.iter().zip(&op.results) {
            self.check_result(result, self.graph.ty(id))?;
        }
        if let (OpKind::Fusion, Some(observer)) = (op.kind, &mut self.observer) {
            observer(id, &seen, &tensors(&results));
        }
        self.current = outer;
        Ok(results)
    }

    fn run_kernel(&mut self, op: &'g Op, operands: Vec<Value>) -> Result<Vec<Value>, EvalError> {
        let Some(kernel) = kernels::kernel(op.kind) else {
            return Err(self.unsupported("the reference evaluator does not define it"));
        };
        let mut operands = operands.iter().map(|v| self.expect_tensor(v)).collect::<Result<Vec<_>, _>>()?;
        for (operand, &id) in operands.iter_mut().zip(&op.operands) {
            if op.kind == OpKind::BitcastConvert
                && let Some(ty) = quantized::quantized(self.graph, self.graph.ty(id))
            {
                let storage = quantized::to_storage(operand, ty);
                *operand = Rc::new(storage.ok_or_else(|| self.quantized_error())?);
            }
        }
        let resolved = self.sizes.resolved(self.graph, op);
        let op = resolved.as_ref().unwrap_or(op);
        let mut call = Call { op, operands, interp: self };
        let mut results = kernel(&mut call)?;
        for (result, &id) in results.iter_mut().zip(&op.results) {
            if let Some(ty) = quantized::quantized(self.graph, self.graph.ty(id)) {
                *result = quantized::result(result, ty).ok_or_else(|| self.quantized_error())?;
            }
        }
        Ok(results.into_iter().map(Value::tensor).collect())
    }

    fn quantized_error(&self) -> EvalError {
        EvalError::Quantized { op: self.op_name(), at: self.place() }
    }

    /// A result must have the declared element type and the sizes that are declared.
    fn check_result(&self, value: &Value, ty: &Type) -> Result<(), EvalError> {
        match (value, ty) {
            (Value::Tensor(tensor), Type::Tensor(declared)) => {
                let declared = match quantized::quantized(self.graph, ty) {
                    Some(quantized) => &declared.with_element(quantized.expressed),
                    None => declared,
                };
                let fits = fits(&tensor.ty, declared) && tensor.ty.bytes() == Some(tensor.bytes.len() as u64);
                if !fits {
                    return Err(self.malformed(&format!(
                        "a result of shape {:?} {} where the op declares another type",
                        tensor.shape(),
                        tensor.element().spelling()
                    )));
                }
            }
            (Value::Tuple(_), Type::Tuple(_)) | (Value::Token, Type::Token) | (_, Type::Unranked(_)) => {}
            _ => return Err(self.malformed("a result of another kind than declared")),
        }
        Ok(())
    }

    /// The block of a region that has one.
    pub fn single_block(&self, region: RegionId) -> Result<BlockId, EvalError> {
        match self.graph.region(region).blocks[..] {
            [block] => Ok(block),
            _ => Err(self.unsupported("its region has several blocks")),
        }
    }

    /// Declared element type of a tensor value; the expressed type where that is quantised.
    pub fn element_of(&self, value: ValueId) -> Result<ElementType, EvalError> {
        if let Some(ty) = quantized::quantized(self.graph, self.graph.ty(value)) {
            return Ok(ty.expressed);
        }
        let tensor = self.graph.ty(value).as_tensor();
        tensor.map(|t| t.element).ok_or_else(|| self.malformed("a tensor was expected"))
    }

    pub fn bind(&mut self, id: ValueId, value: Value) -> Result<(), EvalError> {
        if let Value::Tensor(tensor) = &value
            && self.sizes.bind(id, tensor)
        {
            self.sizes.check(self.graph)?;
        }
        if let Some(frame) = self.frames.last_mut() {
            frame.insert(id, value);
        }
        Ok(())
    }

    pub fn peek(&self, id: ValueId) -> Option<&Value> {
        self.frames.last()?.get(&id)
    }

    fn value(&self, id: ValueId) -> Result<Value, EvalError> {
        let found = self.peek(id).cloned();
        found.ok_or_else(|| EvalError::Unavailable { op: self.op_name(), at: self.place() })
    }

    pub fn expect_tensor(&self, value: &Value) -> Result<Rc<Tensor>, EvalError> {
        match value {
            Value::Tensor(tensor) => Ok(tensor.clone()),
            _ => Err(self.malformed("a tensor was expected")),
        }
    }

    /// Counts steps against the limit.
    pub fn charge(&mut self, steps: u64) -> Result<(), EvalError> {
        self.steps = self.steps.saturating_add(steps);
        if self.steps > self.limits.max_steps { Err(self.limit("steps", self.limits.max_steps)) } else { Ok(()) }
    }

    /// Refuses a shape of more elements than allowed.
    pub fn check_size(&self, shape: &[usize]) -> Result<(), EvalError> {
        let limit = self.limits.max_elements;
        // Zeros do not excuse an overflow of the other sizes: strides are products of them.
        let n = shape.iter().try_fold(1u64, |n, &d| n.checked_mul(d.max(1) as u64));
        match n {
            Some(n) if n <= limit => Ok(()),
            _ => Err(self.limit("elements in one tensor", limit)),
        }
    }

    /// The order of a block's ops, and the values that it defines by the op after which nothing reads them.
    fn plan(&mut self, block: BlockId) -> Rc<Plan> {
        if let Some(plan) = self.plans.get(&block) {
            return plan.clone();
        }
        let graph = self.graph;
        let ops = transfer::order(graph, block);
        let mut last: HashMap<ValueId, usize> = HashMap::new();
        for (at, &op) in ops.iter().enumerate() {
            last.extend(graph.op(op).results.iter().map(|&v| (v, at)));
            let mut touch = |op: OpId| {
                for v in &graph.op(op).operands {
                    if let Some(slot) = last.get_mut(v) {
                        *slot = at;
                    }
                }
            };
            touch(op);
            for &region in &graph.op(op).regions {
                for &inner in &graph.region(region).blocks {
                    graph.walk(inner, &mut touch);
                }
            }
        }
        let mut dead = vec![Vec::new(); ops.len()];
        for (value, at) in last {
            dead[at].push(value);
        }
        let plan = Rc::new(Plan { ops, dead });
        self.plans.insert(block, plan.clone());
        plan
    }

    /// The op being executed.
    pub fn current_op(&self) -> Option<OpId> {
        self.current
    }

    fn op_name(&self) -> String {
        match self.current.map(|id| self.graph.op(id)) {
            Some(op) if op.kind == OpKind::Unregistered => op.name.clone(),
            Some(op) => op.kind.name().to_string(),
            None => "func.func".to_string(),
        }
    }

    fn place(&self) -> String {
        self.current.map(|id| place(self.graph, self.graph.op(id).location)).unwrap_or_default()
    }

    pub fn limit(&self, what: &'static str, limit: u64) -> EvalError {
        EvalError::Limit { op: self.op_name(), at: self.place(), what, limit }
    }

    pub fn unsupported(&self, why: &str) -> EvalError {
        EvalError::Unsupported { op: self.op_name(), at: self.place(), why: why.to_string() }
    }

    pub fn malformed(&self, why: &str) -> EvalError {
        EvalError::Malformed { op: self.op_name(), at: self.place(), why: why.to_string() }
    }

    pub fn unsupported_kind(&self, kind: OpKind, why: &str) -> EvalError {
        EvalError::Unsupported { op: kind.name().to_string(), at: self.place(), why: why.to_string() }
    }

    pub fn malformed_kind(&self, kind: OpKind, why: &str) -> EvalError {
        EvalError::Malformed { op: kind.name().to_string(), at: self.place(), why: why.to_string() }
    }
}

/// The tensors among some values.
fn tensors(values: &[Value]) -> Vec<Rc<Tensor>> {
    let tensor = |value: &Value| match value {
        Value::Tensor(tensor) => Some(tensor.clone()),
        _ => None,
    };
    values.iter().filter_map(tensor).collect()
}

/// Whether a static type has the element type and the known sizes of a declared one.
pub(crate) fn fits(actual: &TensorType, declared: &TensorType) -> bool {
    actual.element == declared.element
        && actual.rank() == declared.rank()
        && actual.shape.iter().zip(&declared.shape).all(|(a, d)| d.as_static().is_none() || a == d)
}

/// One execution of a tensor op: what a kernel reads.
pub(crate) struct Call<'c, 'g> {
    pub op: &'c Op,
    pub operands: Vec<Rc<Tensor>>,
    pub interp: &'c mut Interp<'g>,
}

impl Call<'_, '_> {
    /// Operand `i`.
    pub fn operand(&self, i: usize) -> Result<Rc<Tensor>, EvalError> {
        self.operands.get(i).cloned().ok_or_else(|| self.malformed("too few operands"))
    }

    pub fn result_element(&self, i: usize) -> Result<ElementType, EvalError> {
        let id = self.op.results.get(i).ok_or_else(|| self.malformed("too few results"))?;
        self.interp.element_of(*id)
    }

    /// Declared shape of result `i`; `FX0385` unless its sizes are known.
    pub fn result_shape(&self, i: usize) -> Result<Vec<usize>, EvalError> {
        let id = self.op.results.get(i).ok_or_else(|| self.malformed("too few results"))?;
        let (graph, sizes) = (self.interp.graph, &self.interp.sizes);
        let shape = graph.ty(*id).as_tensor().map(|t| &t.shape);
        let shape: Option<Vec<i64>> = shape.and_then(|s| s.iter().map(|&dim| sizes.number(graph, dim)).collect());
        let unknown = || EvalError::UnknownSize { op: self.interp.op_name(), at: self.interp.place() };
        self.sizes(&shape.ok_or_else(unknown)?)
    }

    /// Integers as sizes.
    pub fn sizes(&self, ints: &[i64]) -> Result<Vec<usize>, EvalError> {
        let sizes = ints.iter().map(|&n| usize::try_from(n).ok()).collect::<Option<Vec<_>>>();
        sizes.ok_or_else(|| self.malformed("a negative size"))
    }

    /// A zeroed tensor within the limits.
    pub fn alloc(&self, shape: &[usize], element: ElementType) -> Result<Tensor, EvalError> {
        self.check_size(shape)?;
        Ok(Tensor::zeros(shape, element))
    }

    /// Refuses a shape of more elements than allowed.
    pub fn check_size(&self, shape: &[usize]) -> Result<(), EvalError> {
        self.interp.check_size(shape)
    }

    /// A tensor whose elements are all `value`.
    pub fn filled(&self, shape: &[usize], element: ElementType, value: Scalar) -> Result<Tensor, EvalError> {
        let mut out = self.alloc(shape, element)?;
        let mut one = vec![0; element.storage_bytes()];
        value.write(element, &mut one);
        out.bytes.chunks_exact_mut(one.len()).for_each(|c| c.copy_from_slice(&one));
        Ok(out)
    }

    /// Refuses a graph that the verifier should have refused.
    pub fn check(&self, holds: bool, why: &str) -> Result<(), EvalError> {
        if holds { Ok(()) } else { Err(self.malformed(why)) }
    }

    /// All of `dims` are distinct dimensions of a tensor of rank `rank`.
    pub fn check_dims(&self, dims: &[usize], rank: usize) -> Result<(), EvalError> {
        let distinct = dims.iter().enumerate().all(|(i, d)| !dims[..i].contains(d));
        self.check(distinct && dims.iter().all(|&d| d < rank), "dimension numbers out of range or repeated")
    }

    /// Charges the steps of `work` element operations.
    pub fn charge_work(&mut self, work: u64) -> Result<(), EvalError> {
        self.interp.charge(work / 1000)
    }

    /// Region `i` of the op.
    pub fn region(&self, i: usize) -> Result<RegionId, EvalError> {
        self.op.regions.get(i).copied().ok_or_else(|| self.malformed("a region is missing"))
    }

    pub fn unsupported(&self, why: &str) -> EvalError {
        self.interp.unsupported(why)
    }

    pub fn malformed(&self, why: &str) -> EvalError {
        self.interp.malformed(why)
    }
}

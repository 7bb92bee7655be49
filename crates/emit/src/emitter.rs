//! The state of one emission: the code, the bindings of loop variables, and the memo of what is already written.
//!
//! A node's value depends on the bindings of the variables it mentions. Every binding has a serial number; the memo's
//! key is the node and the numbers of those bindings, so that a register tile of 4 pixels × 2 vectors evaluates an
//! operand that only depends on the pixel 4 times, and one that depends on neither once.

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use fornax_graph::ElementType;
use fornax_plan::index::SizeId;
use fornax_plan::{Atom, Body, Exprs, IndexId, KernelPlan, Node, NodeId, VarId};
use fornax_targets::{Backend, Feature, Target};

use crate::abi::Abi;
use crate::errors::EmitError;
use crate::index::IndexValue;
use crate::lead::Lead;
use crate::resource::View;
use crate::text::{Code, Scalar, Ty, Value};

/// The value of a loop variable: `base + offset (+ lane)`, with base a multiple of `multiple`.
#[derive(Clone, Copy, Debug)]
pub struct Binding {
    pub serial: u32,
    pub base: Option<Value>,
    pub multiple: i64,
    pub offset: i64,
    pub lane: bool,
}

/// What a node can depend on besides loop variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Slot {
    Reduced(u32),
    Running(u32),
    Incoming(u32),
}

impl Slot {
    fn key(self) -> u32 {
        match self {
            Slot::Reduced(i) => 0x8000_0000 + i,
            Slot::Running(i) => 0xA000_0000 + i,
            Slot::Incoming(i) => 0xC000_0000 + i,
        }
    }
}

type Deps = Rc<[u32]>;
type Memo<K, V> = HashMap<(K, Box<[u32]>), (V, u32)>;

/// What is bound and written of the expressions of a plan.
#[derive(Default)]
pub(crate) struct Known {
    bindings: HashMap<u32, Binding>,
    slots: HashMap<u32, (Value, u32)>,
    node_memo: Memo<NodeId, Value>,
    index_memo: Memo<IndexId, IndexValue>,
    node_deps: HashMap<NodeId, Deps>,
    index_deps: HashMap<IndexId, Deps>,
    orders: HashMap<(NodeId, bool), Rc<[NodeId]>>,
    /// The bits of announced numbers as they were seen first, by buffer.
    pub(crate) seen: HashMap<u32, Value>,
}

/// One kernel being emitted.
pub struct Emitter<'a> {
    pub plan: &'a KernelPlan,
    pub exprs: &'a Exprs,
    pub name: &'a str,
    pub target: &'a Target,
    pub code: Code,
    pub abi: Abi,
    pub buffers: Vec<Value>,
    /// The function's arguments: the buffers, as the launch gave them.
    arguments: Vec<Value>,
    /// Those that the plan has: all, or a part's.
    pub(crate) given: Vec<Value>,
    /// Kernels that depend on this one start before it is over.
    pub(crate) lets_start: bool,
    /// Buffers that are read by resource, by number.
    pub views: HashMap<u32, View>,
    /// Tensor maps of the plan, in order.
    pub maps: Vec<Value>,
    /// Size parameters of the plan, i64.
    pub sizes: Vec<Value>,
    /// Type of index arithmetic: i32 where every offset fits, else i64 (always on CPU, whose addresses are 64-bit).
    pub index: Scalar,
    /// Lanes of the variable bound with `lane`; 1 while none is.
    pub lanes: u32,
    /// What is loaded is read once, by one thread: loads of whole vectors say so.
    pub once: bool,
    /// Loads stay between the meetings of the warp where they are written. Those of what nobody writes
    /// (`ld.global.nc`) ptxas moves down to where they are used, if registers are short.
    pub in_place: bool,
    /// The kernels that this one depends on may not be over yet: loads keep their place before the wait.
    pub(crate) is_waiting: bool,
    /// The first problem of the workgroup of a fused loop, and how many problems there are.
    pub problem: Option<(Value, i64)>,
    /// A size that is a multiple of a number wherever the code that is being written runs.
    pub assumed: Option<(SizeId, i64)>,
    /// Exponentials of differences from a maximum that are soon rounded to 16 bits.
    pub loose: BTreeSet<NodeId>,
    /// Exponentials whose argument is never above 0.
    pub differences: BTreeSet<NodeId>,
    /// What each workgroup does first, written where the kernel waits for those before it.
    pub lead: Option<Lead<'a>>,
    /// Where stores into buffers of the launch are done; everywhere if `None`.
    pub(crate) storing: Option<Value>,
    pub(crate) known: Known,
    next_serial: u32,
    /// What lay in memory of the narrow floats that values (by number) were made of.
    pub patterns: HashMap<u32, (ElementType, Value)>,
    /// Floats (by number) that were made by taking a number away from larger ones (`bytes`).
    pub(crate) lowered: HashMap<u32, (Value, f64)>,
}

impl<'a> Emitter<'a> {
    pub fn new(plan: &'a KernelPlan, name: &'a str, target: &'a Target) -> Emitter<'a> {
        let (grid, threads) = plan.launch();
        let gpu = target.is_gpu();
        let rounding = gpu || target.has(Feature::Avx2) || target.has(Feature::Neon);
        let opencl = target.backend == Backend::OpenCl;
        let mut code = Code::new(target.has(Feature::Fma), rounding, gpu && !opencl);
        code.spelled_out = opencl;
        code.has_double = target.has_f64();
        code.has_scale = target.has(Feature::Avx512);
        code.nan_extrema = target.has(Feature::NanExtrema);
        code.device_library = target.device_library.is_some();
        code.exp2_approx = target.has(Feature::Exp2Approx);
        code.tanh_approx = target.has(Feature::TanhApprox);
        let mut abi = Abi::new(target, name, grid, threads);
        let buffers = abi.bind(&mut code, &plan.buffers);
        let maps = abi.bind_tensor_maps(&mut code, plan.tensor_maps.len());
        let sizes = abi.bind_sizes(&mut code, plan.buffers.len(), plan.exprs.indices.sizes.len());
        let mut emitter = Emitter {
            plan,
            exprs: &plan.exprs,
            name,
            target,
            code,
            abi,
            arguments: buffers.clone(),
            given: buffers.clone(),
            lets_start: crate::early::lets_start(plan, target),
            buffers,
            views: HashMap::new(),
            maps,
            sizes,
            index: Scalar::I64,
            lanes: 1,
            once: false,
            in_place: false,
            is_waiting: false,
            problem: None,
            assumed: None,
            loose: BTreeSet::new(),
            differences: BTreeSet::new(),
            lead: None,
            storing: None,
            known: Known::default(),
            next_serial: 0,
            patterns: HashMap::new(),
            lowered: HashMap::new(),
        };
        if target.backend != Backend::Cpu && emitter.all_offsets_fit_31_bits() {
            emitter.index = Scalar::I32;
        }
        emitter
    }

    /// Goes on with the expressions of a part of the plan, or of the plan again: nothing is bound, nothing known. The
    /// part has the plan's buffers.
    pub fn turn_to(&mut self, part: &'a KernelPlan) {
        (self.plan, self.exprs, self.lanes) = (part, &part.exprs, 1);
        self.known = Known::default();
    }

    /// Goes on with a part of a bundle, a kernel that has these buffers: nothing is left of the parts before.
    pub fn begin_part(&mut self, part: &'a KernelPlan, buffers: Vec<Value>) {
        self.turn_to(part);
        self.given.clone_from(&buffers);
        self.buffers = buffers;
        self.views.clear();
        (self.problem, self.assumed) = (None, None);
        (self.loose, self.differences) = Default::default();
        self.index = if self.all_offsets_fit_31_bits() { Scalar::I32 } else { Scalar::I64 };
    }

    /// Goes back to the plan whose parts were written, and its buffers.
    pub fn end_parts(&mut self, whole: &'a KernelPlan, buffers: Vec<Value>) {
        self.turn_to(whole);
        self.given.clone_from(&buffers);
        self.buffers = buffers;
    }

    /// The finished module.
    pub fn finish(self) -> String {
        let body = self.code.finish();
        self.abi.module(&self.arguments, &self.plan.buffers, &body)
    }

    pub fn index_ty(&self) -> Ty {
        Ty::scalar(self.index)
    }

    pub fn malformed(&self, why: impl Into<String>) -> EmitError {
        EmitError::MalformedPlan { kernel: self.name.to_string(), summary: self.plan.summary.clone(), why: why.into() }
    }

    pub fn unfit(&self, why: impl Into<String>) -> EmitError {
        EmitError::UnfitSchedule {
            kernel: self.name.to_string(),
            summary: self.plan.summary.clone(),
            target: self.target.name.clone(),
            why: why.into(),
        }
    }

    pub fn unsupported(&self, element: ElementType) -> EmitError {
        EmitError::UnsupportedElement { kernel: self.name.to_string(), summary: self.plan.summary.clone(), element }
    }

    pub fn undefined(&self, op: &'static str, element: ElementType) -> EmitError {
        EmitError::UndefinedOp { kernel: self.name.to_string(), summary: self.plan.summary.clone(), op, element }
    }

    fn serial(&mut self) -> u32 {
        self.next_serial += 1;
        self.next_serial
    }

    /// Binds a variable to `base + offset`, a scalar; `multiple` divides base.
    pub fn bind(&mut self, var: VarId, base: Option<Value>, multiple: i64, offset: i64) {
        let serial = self.serial();
        self.known.bindings.insert(var.0, Binding { serial, base, multiple, offset, lane: false });
    }

    /// Binds a variable to `base + offset + lane` over the current lanes.
    pub fn bind_lanes(&mut self, var: VarId, base: Option<Value>, multiple: i64, offset: i64) {
        let serial = self.serial();
        self.known.bindings.insert(var.0, Binding { serial, base, multiple, offset, lane: self.lanes > 1 });
    }

    /// A variable's present binding, to be put back with [`Emitter::rebind`].
    pub fn binding(&self, var: VarId) -> Option<Binding> {
        self.known.bindings.get(&var.0).copied()
    }

    /// Binds a variable as it was when `binding` was read: what was written for it then is found again.
    pub fn rebind(&mut self, var: VarId, binding: Binding) {
        self.known.bindings.insert(var.0, binding);
    }

    /// Binds a variable to what it is bound to already: what was written for it is not found again.
    pub fn bind_anew(&mut self, var: VarId, binding: Binding) {
        let serial = self.serial();
        self.known.bindings.insert(var.0, Binding { serial, ..binding });
    }

    /// Gives the value that `Node::Reduced`, `Running` or `Incoming` stands for.
    pub fn set_slot(&mut self, slot: Slot, value: Value) {
        let serial = self.serial();
        self.known.slots.insert(slot.key(), (value, serial));
    }

    pub fn slot(&self, slot: Slot) -> Option<Value> {
        self.known.slots.get(&slot.key()).map(|s| s.0)
    }

    /// Numbers of the bindings that these dependences have now.
    fn serials(&self, deps: &[u32]) -> Box<[u32]> {
        deps.iter()
            .map(|d| match self.known.bindings.get(d) {
                Some(binding) => binding.serial,
                None => self.known.slots.get(d).map_or(0, |s| s.1),
            })
            .collect()
    }

    /// Takes the lowest digit of a number in a mixed radix.
    pub fn next_digit(&mut self, number: &mut Value, radix: i64) -> Value {
        if radix == 1 {
            return self.code.int(number.ty, 0);
        }
        let digit = self.code.int_k("arith.remui", *number, radix);
        *number = self.code.int_k("arith.divui", *number, radix);
        digit
    }

    /// [`Emitter::next_digit`] by a number that is known only at run time, and at least 1 where there are digits.
    pub fn next_digit_of(&mut self, number: &mut Value, radix: Value) -> Value {
        let one = self.code.int(radix.ty, 1);
        let radix = self.code.binary("arith.maxsi", radix, one);
        let digit = self.code.binary("arith.remui", *number, radix);
        *number = self.code.binary("arith.divui", *number, radix);
        digit
    }

    /// [`Emitter::share_of_workgroup`] of a total that is known only at run time.
    pub fn share_of_total(&mut self, group: Value, per_group: i64, total: Value) -> (Value, Value) {
        let low = self.code.int_k("arith.muli", group, per_group);
        let end = self.code.add_ik(low, per_group);
        (low, self.code.binary("arith.minsi", end, total))
    }

    /// First item of workgroup `group`, and the end of its items, when each takes `per_group` of `total`.
    pub fn share_of_workgroup(&mut self, group: Value, per_group: i64, total: i64) -> (Value, Value) {
        let low = self.code.int_k("arith.muli", group, per_group);
        let end = self.code.add_ik(low, per_group);
        if total % per_group == 0 {
            return (low, end);
        }
        let limit = self.code.int(group.ty, total);
        (low, self.code.binary("arith.minsi", end, limit))
    }

    /// A loop over `low..high` that carries nothing.
    pub fn each(
        &mut self,
        (low, high): (Value, Value),
        step: i64,
        body: &mut dyn FnMut(&mut Self, Value) -> Result<(), EmitError>,
    ) -> Result<(), EmitError> {
        let step = self.code.int(low.ty, step);
        let open = self.code.begin_for(low, high, step, &[]);
        body(self, open.iv)?;
        self.code.end_for(open, &[]);
        Ok(())
    }

    /// The value of a node under the present bindings. Evaluates operands first, without deep recursion.
    pub fn eval(&mut self, node: NodeId) -> Result<Value, EmitError> {
        if let Some(value) = self.memoised(node) {
            return Ok(value);
        }
        for &at in self.evaluated(node).iter() {
            if self.memoised(at).is_none() {
                let value = self.eval_node(at)?;
                let key = (at, self.serials(&self.deps(at)));
                self.known.node_memo.insert(key, (value, self.code.region()));
            }
        }
        self.memoised(node).ok_or_else(|| self.malformed("a node does not evaluate"))
    }

    /// Says what a node's value is under the present bindings: it is not written again while this place is visible.
    pub fn provide(&mut self, node: NodeId, value: Value) {
        let deps = self.deps_of(node);
        let key = (node, self.serials(&deps));
        self.known.node_memo.insert(key, (value, self.code.region()));
    }

    fn memoised(&mut self, node: NodeId) -> Option<Value> {
        let deps = self.deps_of(node);
        let (value, region) = *self.known.node_memo.get(&(node, self.serials(&deps)))?;
        self.code.is_open(region).then_some(value)
    }

    fn deps(&self, node: NodeId) -> Deps {
        self.known.node_deps.get(&node).cloned().unwrap_or_else(|| Rc::from([]))
    }

    /// An index under the present bindings, memoised like nodes.
    pub fn index(&mut self, id: IndexId) -> Result<IndexValue, EmitError> {
        let deps = self.index_deps_of(id);
        let key = (id, self.serials(&deps));
        if let Some(&(value, region)) = self.known.index_memo.get(&key)
            && self.code.is_open(region)
        {
            return Ok(value);
        }
        let value = self.eval_index(id)?;
        self.known.index_memo.insert(key, (value, self.code.region()));
        Ok(value)
    }

    /// Nodes a node needs, itself last, operands before users.
    fn order(&mut self, root: NodeId) -> Rc<[NodeId]> {
        self.ordered(root, false)
    }

    /// The same without those whose users have a form that does not need them.
    fn evaluated(&mut self, root: NodeId) -> Rc<[NodeId]> {
        self.ordered(root, true)
    }

    fn ordered(&mut self, root: NodeId, evaluated: bool) -> Rc<[NodeId]> {
        if let Some(order) = self.known.orders.get(&(root, evaluated)) {
            return order.clone();
        }
        let mut seen = BTreeSet::new();
        let mut open = vec![root];
        while let Some(node) = open.pop() {
            if seen.insert(node) {
                match self.narrow_division(node).filter(|_| evaluated) {
                    Some((dividend, divisor)) => open.extend([dividend, divisor]),
                    None => open.extend(self.exprs.operands(node)),
                }
                if let Some(index) = self.exprs.index_of(node) {
                    self.index_nodes(index, &mut open);
                }
            }
        }
        let order: Rc<[NodeId]> = seen.into_iter().collect();
        self.known.orders.insert((root, evaluated), order.clone());
        order
    }

    /// Nodes behind the atoms of an index.
    fn index_nodes(&self, id: IndexId, into: &mut Vec<NodeId>) {
        for &(atom, _) in &self.exprs.indices.linear(id).terms {
            for factor in self.exprs.indices.factors(atom) {
                match self.exprs.indices.atom(factor) {
                    Atom::Var(_) | Atom::Size(_) | Atom::Product(..) => {}
                    Atom::FloorDiv(x, _) => self.index_nodes(x, into),
                    Atom::Value { node, .. } => into.push(node),
                    Atom::Quotient(x, d) => {
                        self.index_nodes(x, into);
                        self.index_nodes(d, into);
                    }
                }
            }
        }
    }

    /// Loop variables and slots that a node depends on, sorted.
    pub fn deps_of(&mut self, root: NodeId) -> Deps {
        if let Some(deps) = self.known.node_deps.get(&root) {
            return deps.clone();
        }
        for &node in self.order(root).iter() {
            if self.known.node_deps.contains_key(&node) {
                continue;
            }
            let mut all: Vec<u32> = Vec::new();
            for operand in self.exprs.operands(node) {
                all.extend(self.deps(operand).iter());
            }
            if let Some(index) = self.exprs.index_of(node) {
                all.extend(self.index_deps_of(index).iter());
            }
            match *self.exprs.node(node) {
                Node::Reduced { index, .. } => all.push(Slot::Reduced(index).key()),
                Node::Running { index, .. } => all.push(Slot::Running(index).key()),
                Node::Incoming { index, .. } => all.push(Slot::Incoming(index).key()),
                _ => {}
            }
            all.sort_unstable();
            all.dedup();
            self.known.node_deps.insert(node, all.into());
        }
        self.deps(root)
    }

    fn index_deps_of(&mut self, id: IndexId) -> Deps {
        if let Some(deps) = self.known.index_deps.get(&id) {
            return deps.clone();
        }
        let mut all: Vec<u32> = Vec::new();
        for (atom, _) in self.exprs.indices.linear(id).terms.clone() {
            for factor in self.exprs.indices.factors(atom) {
                match self.exprs.indices.atom(factor) {
                    Atom::Var(v) => all.push(v.0),
                    Atom::FloorDiv(x, _) => all.extend(self.index_deps_of(x).iter()),
                    Atom::Value { node, .. } => all.extend(self.deps_of(node).iter()),
                    Atom::Size(_) | Atom::Product(..) => {}
                    Atom::Quotient(x, d) => {
                        all.extend(self.index_deps_of(x).iter());
                        all.extend(self.index_deps_of(d).iter());
                    }
                }
            }
        }
        all.sort_unstable();
        all.dedup();
        let deps: Deps = all.into();
        self.known.index_deps.insert(id, deps.clone());
        deps
    }

    /// Whether a node depends on a loop variable.
    pub fn depends_on(&mut self, node: NodeId, var: VarId) -> bool {
        self.deps_of(node).binary_search(&var.0).is_ok()
    }

    /// Whether a node depends on the operands of a combiner.
    pub fn depends_on_operands(&mut self, node: NodeId) -> bool {
        self.deps_of(node).iter().any(|&d| d >= Slot::Running(0).key())
    }

    /// Whether a node depends on what a reduction gives.
    pub fn depends_on_results(&mut self, node: NodeId) -> bool {
        self.deps_of(node).iter().any(|&d| d >= Slot::Reduced(0).key())
    }

    /// Every node that the stores and the body reach.
    pub fn reachable(&mut self, roots: &[NodeId]) -> Vec<NodeId> {
        let mut all: Vec<NodeId> = Vec::new();
        for &root in roots {
            all.extend(self.order(root).iter());
        }
        all.sort_unstable();
        all.dedup();
        all
    }

    /// [`Emitter::offsets_fit_31_bits`] of all parts.
    fn all_offsets_fit_31_bits(&mut self) -> bool {
        let whole = self.plan;
        let Body::FusedLoop(fused) = &whole.body else { return self.offsets_fit_31_bits() };
        let fit = fused.parts.iter().all(|part| {
            self.turn_to(&part.plan);
            self.offsets_fit_31_bits()
        });
        self.turn_to(whole);
        fit
    }

    fn offsets_fit_31_bits(&mut self) -> bool {
        let roots = self.plan.roots();
        let (grid, threads) = self.plan.launch();
        let launched = grid.iter().fold(u64::from(threads), |n, &g| n.saturating_mul(g));
        let per_thread = self.plan.points_per_thread();
        let mut largest = launched.saturating_mul(per_thread).min(i64::MAX as u64) as i64;
        let mut indices: Vec<IndexId> = self.plan.body.stores().iter().map(|s| s.offset).collect();
        for node in self.reachable(&roots) {
            indices.extend(self.exprs.index_of(node));
        }
        indices.extend(self.exprs.indices.sized_extents());
        for index in indices {
            largest = largest.max(self.magnitude(index));
        }
        largest < i64::from(i32::MAX) - 65536
    }
}

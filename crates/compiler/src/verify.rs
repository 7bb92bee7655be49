//! What a device must compute: a module with the reference evaluator's operands and results of every dispatch.
//!
//! ```text
//! import → simplify → fuse → plan, with the fusion op of each launch → emit → codegen → link → pack
//!    |                         |
//!    reference: outputs of     reference: operands and results of every fusion op, in the order of a call
//!    the model itself
//! ```
//! Input: a model, options with one target, inputs. Output: a [`ModuleBuilder`] whose debug sections hold a
//! [`Record`]. What the passes did is checked on the way: the outputs of the model before and after
//! them must agree, else the record says how they differ.

use std::collections::HashMap;
use std::rc::Rc;

use fornax_graph::{BlockId, Dim, Graph, OpId, OpKind, TensorType};
use fornax_module::ModuleBuilder;
use fornax_module::manifest::FunctionSignature;
use fornax_module::verify::{Argument, Bound, Dispatch, Execution, Passes, RECORD, Record, VALUES, Value};
use fornax_passes::fuse::{Given, Machines, model_of};
use fornax_passes::program;
use fornax_passes::program::Planned;
use fornax_passes::program::trace::{self, Launch, Origin, Traced};
use fornax_plan::Access;
use fornax_reference::{EvalError, Limits, Tensor, evaluate, evaluate_observed};

use crate::dump::Dump;
use crate::errors::CompileError;
use crate::one_target::{OneTarget, Stage};
use crate::options::{CompileOptions, Event, Listener};
use crate::pack;
use crate::phase::Phase;
use crate::session::{Front, TargetPlan, front, import};
use crate::watch::Watch;

/// Bytes of a constant that is written into the text of a dispatch; larger ones are its arguments.
const INLINE_BYTES: u64 = 4096;
/// Ops whose sums are long: products, windows, reductions.
const ACCUMULATING: &[OpKind] = &[
    OpKind::DotGeneral,
    OpKind::Convolution,
    OpKind::Reduce,
    OpKind::ReduceWindow,
    OpKind::Scatter,
    OpKind::SortedScatter,
    OpKind::UpdateInPlace,
    OpKind::SelectAndScatter,
];

/// Shape and bytes of an input, row-major as at the host's edge.
pub type Input = (Vec<u64>, Vec<u8>);

/// Do the outputs of the model (first) and of its compiled form agree? What differs, else.
pub type Agreement<'a> = &'a dyn Fn(&[Tensor], &[Tensor]) -> Option<String>;

/// What is compared, and with what.
pub struct Checks<'a> {
    /// Of the function's signature.
    pub inputs: &'a dyn Fn(&FunctionSignature) -> Result<Vec<Input>, CompileError>,
    /// The only function, or `main`, where there is no name.
    pub function: Option<&'a str>,
    /// Bytes of values that are kept at most.
    pub room: u64,
    pub agree: Agreement<'a>,
}

/// Compiles a model for the first target, with everything that a run is compared with.
///
/// # Errors
/// As [`crate::compile`]; FX0910 where the function is not there or the reference evaluator cannot run the model.
pub fn compile_checked(
    source: &[u8],
    file_name: &str,
    options: &CompileOptions,
    listener: Listener,
    checks: &Checks,
) -> Result<ModuleBuilder<'static>, CompileError> {
    let options = &CompileOptions { compile_to: Phase::Pack, ..options.clone() };
    let dump = Dump::new(options.dump_to.clone());
    // The reference knows no passes of radix sorts: with this choice they are left to the longest lines.
    let mut watch = Watch::new(options, listener, &dump);
    let Front::Fused(fused) = front(source, file_name, (options, Machines::Any), &mut watch)? else {
        return Err(CompileError::user("FX0910", "the model was not compiled up to its kernels"));
    };
    watch.finish()?;
    let fused = fused.graph;
    let resolved = options.targets.first().ok_or_else(|| CompileError::user("FX0910", "no target to compile for"))?;
    listener(Event::Phase(Phase::Schedule));
    let plan_options = program::Options {
        // A loop that is one kernel has no counterpart in the graph.
        schedule: fornax_passes::schedule::Options { plain_loops: true, ..options.schedule.clone() },
        functions: pack::exported(&fused),
        ..Default::default()
    };
    let traced = fornax_passes::plan_traced(&fused, &resolved.target, &plan_options).map_err(CompileError::pass)?;
    let Traced { planned, graph, mut launches } = traced;
    leave_out_parts(&planned, &mut launches);
    let one = OneTarget::new(resolved, options, listener, &dump);
    let Stage::Linked(both) = one.build(planned)? else {
        return Err(CompileError::user("FX0910", "the model was not compiled up to its images"));
    };
    let (planned, linked) = *both;
    let product = resolved.product.map(|p| p.name.to_string());
    let plan = TargetPlan { target: resolved.target.clone(), product, planned, linked };
    let parameters = pack::parameters(&fused, options)?;
    listener(Event::Phase(Phase::Pack));
    let mut builder = pack::pack(source, &fused, &parameters, vec![plan])?;
    let signature = chosen(&builder.manifest.functions, checks.function)?;
    let given = (checks.inputs)(&signature)?;
    let model = import(source, file_name, options)?;
    let recorder = Recorder::new(&graph, &launches, checks.room);
    let (record, values) = recorder.record(&model, &signature.name, &given, checks)?;
    builder.add_debug(RECORD, record.text());
    if !values.is_empty() {
        builder.add_debug(VALUES, values);
    }
    Ok(builder)
}

/// A result that a later kernel of the same op updates is not there before: what the kernels before leave is theirs
/// alone.
fn leave_out_parts(planned: &Planned, launches: &mut [Launch]) {
    for at in 1..launches.len() {
        let (before, later) = launches.split_at_mut(at);
        let Some(plan) = later.first().and_then(|launch| planned.kernels.get(launch.kernel as usize)) else { continue };
        let bound = later[0].origin.bound.iter().zip(&plan.buffers);
        let updated = bound.filter(|(_, buffer)| buffer.access == Access::Update).map(|(bound, _)| bound);
        for updated in updated.filter(|bound| matches!(bound, trace::Bound::Result(_))) {
            let same = before.iter_mut().filter(|launch| launch.origin.op == later[0].origin.op);
            for part in same.flat_map(|launch| &mut launch.origin.bound).filter(|bound| *bound == updated) {
                *part = trace::Bound::Prepared(0);
            }
        }
    }
}

fn chosen(functions: &[FunctionSignature], name: Option<&str>) -> Result<FunctionSignature, CompileError> {
    let found = match (name, functions) {
        (Some(name), all) => all.iter().find(|f| f.name == name),
        (None, [only]) => Some(only),
        (None, all) => all.iter().find(|f| f.name == "main"),
    };
    found.cloned().ok_or_else(|| {
        let names: Vec<&str> = functions.iter().map(|f| f.name.as_str()).collect();
        CompileError::user("FX0910", format!("name one of the model's functions: {}", names.join(", ")))
    })
}

/// Inputs in the types that a graph gives its arguments: complex ones may be real there, with a last dimension of two.
fn arguments(graph: &Graph, function: &str, given: &[Input]) -> Result<Vec<Tensor>, CompileError> {
    let entry = graph.function(function).and_then(|f| graph.entry(f));
    let entry = entry.ok_or_else(|| CompileError::user("FX0910", format!("no function @{function}")))?;
    let types = graph.block(entry).arguments.iter().map(|&v| graph.ty(v).as_tensor());
    let tensor = |(at, (ty, (shape, bytes))): (usize, (Option<&TensorType>, &Input))| {
        let wrong =
            || CompileError::user("FX0910", format!("input {at} of @{function} is no tensor of the model's type"));
        let ty = ty.ok_or_else(wrong)?;
        let mut shape: Vec<Dim> = shape.iter().map(|&n| Dim::Static(n as i64)).collect();
        if ty.rank() == shape.len() + 1 {
            shape.push(Dim::Static(2));
        }
        let own = TensorType { shape, element: ty.element, encoding: None };
        Tensor::new(own, bytes.clone()).map_err(|_| wrong())
    };
    types.zip(given).enumerate().map(tensor).collect()
}

fn refused(error: &EvalError) -> CompileError {
    CompileError::user("FX0910", format!("the reference evaluator cannot run the model: {error}"))
}

/// Collects what the reference says of each fusion op.
struct Recorder<'a> {
    graph: &'a Graph,
    record: Record,
    values: Vec<u8>,
    known: HashMap<blake3::Hash, u32>,
    room: u64,
    /// Dispatches of a fusion op.
    of: HashMap<OpId, Vec<usize>>,
    /// Of each dispatch, the launch.
    origins: Vec<Origin>,
    /// How often each op was computed so far.
    seen: HashMap<OpId, u64>,
    /// By dispatch: the symbols whose sizes its model takes.
    sizes: Vec<Vec<u32>>,
}

impl<'a> Recorder<'a> {
    fn new(graph: &'a Graph, launches: &[Launch], room: u64) -> Recorder<'a> {
        let mut recorder = Recorder {
            graph,
            record: Record::default(),
            values: Vec::new(),
            known: HashMap::new(),
            room,
            of: HashMap::new(),
            origins: Vec::new(),
            seen: HashMap::new(),
            sizes: Vec::new(),
        };
        let whole = |l: &&Launch| l.origin.bound.iter().any(|b| matches!(b, trace::Bound::Result(_)));
        // Of others it cannot be told which value is theirs.
        for launch in launches.iter().filter(whole).filter(|l| l.origin.is_told()) {
            recorder.dispatch(launch);
        }
        recorder
    }

    fn dispatch(&mut self, launch: &Launch) {
        let op = launch.origin.op;
        let (mut arguments, mut sizes) = (Vec::new(), Vec::new());
        let mut model = String::new();
        if let Ok((alone, given)) = model_of(self.graph, op, INLINE_BYTES) {
            model = fornax_graph::print(&alone);
            for given in given {
                arguments.push(match given {
                    Given::Operand(at) => Argument::Operand(at as u32),
                    Given::Size(symbol) => {
                        sizes.push(symbol);
                        Argument::Size(sizes.len() as u32 - 1)
                    }
                });
            }
        }
        let bound = |bound: &trace::Bound| match *bound {
            trace::Bound::Operand(n) => Bound::Operand(n as u32),
            trace::Bound::Result(n) => Bound::Result(n as u32),
            trace::Bound::Prepared(_) => Bound::Prepared,
        };
        let (ops, accumulates) = self.ops(op);
        self.of.entry(op).or_default().push(self.record.dispatches.len());
        self.origins.push(launch.origin.clone());
        self.sizes.push(sizes);
        self.record.dispatches.push(Dispatch {
            block: launch.block,
            command: launch.command,
            ops,
            model,
            arguments,
            bindings: launch.origin.bound.iter().map(bound).collect(),
            accumulates,
            executions: Vec::new(),
        });
    }

    /// The ops of a group with their places, and whether some of them sum up.
    fn ops(&self, fusion: OpId) -> (Vec<String>, bool) {
        let (mut ops, mut accumulates) = (Vec::new(), false);
        let blocks = self.graph.op(fusion).regions.iter().flat_map(|&r| self.graph.region(r).blocks.clone());
        for block in blocks.collect::<Vec<BlockId>>() {
            for &op in &self.graph.block(block).ops {
                let data = self.graph.op(op);
                if matches!(data.kind, OpKind::FusionYield | OpKind::Constant) {
                    continue;
                }
                accumulates |= ACCUMULATING.contains(&data.kind);
                let at = self.graph.locations.get(data.location);
                let place = match at.line {
                    0 => String::new(),
                    line => format!(" at {}:{line}:{}", self.graph.locations.file, at.column),
                };
                let text = format!("{}{place}", data.kind.name());
                if !ops.contains(&text) {
                    ops.push(text);
                }
            }
        }
        (ops, accumulates)
    }

    fn record(
        mut self,
        model: &Graph,
        function: &str,
        given: &[Input],
        checks: &Checks,
    ) -> Result<(Record, Vec<u8>), CompileError> {
        let limits = Limits::default();
        let inputs = arguments(self.graph, function, given)?;
        let graph = self.graph;
        let mut see = |op: OpId, operands: &[Rc<Tensor>], results: &[Rc<Tensor>]| self.see(op, operands, results);
        let outputs = evaluate_observed(graph, function, &inputs, &limits, &mut see).map_err(|e| refused(&e))?;
        let of_model = arguments(model, function, given);
        let of_model = of_model.and_then(|inputs| evaluate(model, function, &inputs, &limits).map_err(|e| refused(&e)));
        self.record.passes = match &of_model {
            Ok(expected) => (checks.agree)(expected, &outputs).map_or(Passes::Agree, Passes::Differ),
            Err(error) => Passes::NotCompared(error.message.trim_start_matches("error[FX0910]: ").to_string()),
        };
        self.record.function = function.to_string();
        self.room = u64::MAX;
        self.record.inputs = inputs.iter().filter_map(|t| self.keep(t)).collect();
        self.record.outputs = outputs.iter().filter_map(|t| self.keep(t)).collect();
        Ok((self.record, self.values))
    }

    fn see(&mut self, op: OpId, operands: &[Rc<Tensor>], results: &[Rc<Tensor>]) {
        let Some(dispatches) = self.of.get(&op).cloned() else { return };
        let seen = self.seen.entry(op).or_default();
        let turn = *seen;
        *seen += 1;
        for at in dispatches {
            if self.origins.get(at).and_then(|origin| origin.is_of(turn)) != Some(true) {
                continue;
            }
            if self.record.left_out > 0 {
                self.record.left_out += 1;
                continue;
            }
            let operands_kept: Vec<u32> = operands.iter().filter_map(|t| self.keep(t)).collect();
            let results_kept: Vec<u32> = results.iter().filter_map(|t| self.keep(t)).collect();
            if operands_kept.len() < operands.len() || results_kept.len() < results.len() {
                self.record.left_out += 1;
                continue;
            }
            let sizes = self.sizes_of(op, at, operands, results);
            let execution = Execution { operands: operands_kept, results: results_kept, sizes };
            if let Some(dispatch) = self.record.dispatches.get_mut(at) {
                dispatch.executions.push(execution);
            }
        }
    }

    /// Numbers of the symbols that a dispatch's model takes as sizes, from the shapes of this execution; 0 where none
    /// shows one.
    fn sizes_of(&self, op: OpId, dispatch: usize, operands: &[Rc<Tensor>], results: &[Rc<Tensor>]) -> Vec<u64> {
        let data = self.graph.op(op);
        let typed = data.operands.iter().chain(&data.results).zip(operands.iter().chain(results));
        let shown: Vec<(Dim, i64)> = typed
            .flat_map(|(&value, tensor)| {
                let declared = self.graph.ty(value).as_tensor().map(|t| t.shape.clone()).unwrap_or_default();
                declared.into_iter().zip(tensor.ty.static_shape().unwrap_or_default())
            })
            .collect();
        let symbols = self.sizes.get(dispatch).map(Vec::as_slice).unwrap_or_default();
        let number = |&symbol: &u32| {
            let direct = shown.iter().find(|(dim, _)| *dim == Dim::Symbolic(symbol)).map(|s| s.1);
            direct.or_else(|| self.solved(symbol, &shown)).map_or(0, |n| n.max(0) as u64)
        };
        symbols.iter().map(number).collect()
    }

    /// A symbol's number from sizes that are expressions of it: the smallest one that gives every size that has no
    /// other symbol.
    fn solved(&self, symbol: u32, shown: &[(Dim, i64)]) -> Option<i64> {
        let of = |number: i64| move |at: u32| (at == symbol).then_some(number);
        let about: Vec<&(Dim, i64)> = shown
            .iter()
            .filter(|(dim, _)| dim.as_static().is_none() && self.graph.dim_value(*dim, &of(1)).is_some())
            .collect();
        let most = shown.iter().map(|s| s.1).max()?.saturating_mul(2).min(1 << 20);
        let fits = |number: &i64| about.iter().all(|(dim, n)| self.graph.dim_value(*dim, &of(*number)) == Some(*n));
        (!about.is_empty()).then(|| (0..=most).find(fits)).flatten()
    }

    /// The number of a value; equal ones are kept once. `None` where there is no room left.
    fn keep(&mut self, tensor: &Tensor) -> Option<u32> {
        let shape: Vec<u64> = tensor.shape().into_iter().map(|n| n as u64).collect();
        let mut hasher = blake3::Hasher::new();
        hasher.update(format!("{} {shape:?} ", tensor.element().spelling()).as_bytes());
        hasher.update(&tensor.bytes);
        let hash = hasher.finalize();
        if let Some(&known) = self.known.get(&hash) {
            return Some(known);
        }
        let offset = self.values.len() as u64;
        if offset.saturating_add(tensor.bytes.len() as u64) > self.room {
            return None;
        }
        self.values.extend_from_slice(&tensor.bytes);
        let (element_type, bytes) = (tensor.element().spelling().to_string(), tensor.bytes.len() as u64);
        self.record.values.push(Value { element_type, shape, offset, bytes });
        let at = self.record.values.len() as u32 - 1;
        self.known.insert(hash, at);
        Some(at)
    }
}

//! pack: programs, images and constants of all targets into one module.

use std::collections::{BTreeMap, HashMap, HashSet};

use fornax_backend::Linked;
use fornax_graph::devices::SHARDING;
use fornax_graph::{Attr, AttrMap, Dim, DimDef, Function, Graph, Storage, TensorType, Type, ValueId};
use fornax_module::ModuleBuilder;
use fornax_module::limits::LIMITS;
use fornax_module::manifest::{
    Alias, DimSig, FunctionSignature, ImageEntry, MemoryPlan, Parameter, ParameterArgument, ShardAxis, TargetEntry,
    TensorSignature,
};
use fornax_module::program::{Command, FunctionShapes, Program, SizeExpr, Space, Span};
use fornax_module::spirv::Spirv;
use fornax_module::tuning::{CANDIDATES, Candidate, candidates_text};
use fornax_module::write::ptx_image;
use fornax_passes::program::candidates::CandidateFunction;
use fornax_passes::simplify::DECLARED_TYPE;
use fornax_passes::{ConstantBytes, ConstantPlacement};
use fornax_targets::ImageKind;

use crate::arguments::is_donated;
use crate::errors::CompileError;
use crate::names;
use crate::options::CompileOptions;
use crate::session::{TargetPlan, blank_manifest};
use crate::weights::{Argument, FunctionArguments};

/// The arguments that are named parameters, by exported function.
pub struct Parameters {
    pub by_function: BTreeMap<String, Vec<(usize, String)>>,
}

/// Names of the functions a module exports: public, with a body.
pub fn exported(graph: &Graph) -> Vec<String> {
    graph.functions.iter().filter(|f| is_exported(f)).map(|f| f.name.clone()).collect()
}

fn is_exported(function: &Function) -> bool {
    function.body.is_some() && !function.private
}

/// Applies the selections to every exported function; arguments that the model itself marks as parameters are so too.
/// Where several choose an argument, the name is that of [`CompileOptions::parameters`], else the model's.
pub fn parameters(graph: &Graph, options: &CompileOptions) -> Result<Parameters, CompileError> {
    let functions: Vec<&Function> = graph.functions.iter().filter(|f| is_exported(f)).collect();
    if functions.is_empty() {
        return Err(CompileError::user(
            "FX0906",
            "the module has no public function with a body: nothing to compile; make one `func.func public`",
        ));
    }
    let arguments: Vec<FunctionArguments<'_>> = functions.iter().map(|function| arguments(graph, function)).collect();
    let weights = options.weights.as_ref().map(|weights| weights.select(&arguments)).transpose()?.unwrap_or_default();
    let mut weights = weights.into_iter();
    let mut by_function = BTreeMap::new();
    for (FunctionArguments { function, arguments }, own) in arguments.iter().zip(&functions) {
        let types: Vec<Type> = arguments.iter().map(|argument| argument.ty.clone()).collect();
        let mut chosen = options.parameters.select(function, &types)?;
        let named: HashSet<usize> = chosen.iter().map(|(at, _)| *at).collect();
        chosen.extend(marked(own).filter(|(at, _)| !named.contains(at)));
        let named: HashSet<usize> = chosen.iter().map(|(at, _)| *at).collect();
        chosen.extend(weights.next().unwrap_or_default().into_iter().filter(|(at, _)| !named.contains(at)));
        chosen.sort_unstable();
        by_function.insert(function.to_string(), chosen);
    }
    Ok(Parameters { by_function })
}

/// Arguments that the model marks as parameters, each with its name.
fn marked(function: &Function) -> impl Iterator<Item = (usize, String)> + '_ {
    let attrs = function.argument_attrs.iter().enumerate();
    attrs.filter_map(|(at, attrs)| match attrs.get(fornax_import::PARAMETER) {
        Some(Attr::String(name)) => Some((at, name.to_string())),
        _ => None,
    })
}

fn arguments<'a>(graph: &'a Graph, function: &'a Function) -> FunctionArguments<'a> {
    let values = graph.entry(function).map_or(&[][..], |block| graph.block(block).arguments.as_slice());
    let argument = |(at, value): (usize, &ValueId)| {
        let attrs = function.argument_attrs.get(at);
        Argument { name: names::of(attrs), ty: declared(attrs, graph.ty(*value)), donated: is_donated(attrs) }
    };
    FunctionArguments { function: &function.name, arguments: values.iter().enumerate().map(argument).collect() }
}

/// Makes the module. Constants keep one place for all targets.
pub fn pack(
    source: &[u8],
    graph: &Graph,
    parameters: &Parameters,
    plans: Vec<TargetPlan>,
) -> Result<ModuleBuilder<'static>, CompileError> {
    let mut manifest = blank_manifest(graph, source);
    manifest.functions = signatures(graph, parameters)?;
    for function in &mut manifest.functions {
        function.aliases = aliases(&function.name, &plans);
    }
    let first = plans.first().map(|p| p.planned.parameters.as_slice()).unwrap_or_default();
    manifest.parameters = first.iter().map(|p| parameter(p, graph, parameters)).collect::<Result<_, _>>()?;
    for function in &mut manifest.functions {
        let chosen = parameters.by_function.get(&function.name).map(Vec::as_slice).unwrap_or_default();
        function.parameters = places(chosen, first);
    }
    let mut builder = ModuleBuilder::new(manifest);
    let mut placed = HashMap::new();
    for plan in plans {
        add_target(&mut builder, graph, plan, &mut placed)?;
    }
    Ok(builder)
}

/// Makes the module of candidates: its functions are what `tune measure` runs.
pub fn pack_candidates(
    source: &[u8],
    graph: &Graph,
    functions: &[CandidateFunction],
    plan: TargetPlan,
) -> Result<ModuleBuilder<'static>, CompileError> {
    let mut manifest = blank_manifest(graph, source);
    let tensors = |types: &[TensorType]| -> Result<Vec<TensorSignature>, CompileError> {
        types.iter().map(|ty| tensor(graph, &Type::Tensor(ty.clone()), None, &mut Vec::new())).collect()
    };
    for function in functions {
        manifest.functions.push(FunctionSignature {
            name: function.candidate.function.clone(),
            inputs: tensors(&function.inputs)?,
            outputs: tensors(&function.outputs)?,
            ..FunctionSignature::default()
        });
    }
    let candidates: Vec<Candidate> = functions.iter().map(|function| function.candidate.clone()).collect();
    manifest.provenance.insert(CANDIDATES.into(), candidates_text(&candidates));
    let mut builder = ModuleBuilder::new(manifest);
    add_target(&mut builder, graph, plan, &mut HashMap::new())?;
    Ok(builder)
}

fn add_target(
    builder: &mut ModuleBuilder<'static>,
    graph: &Graph,
    plan: TargetPlan,
    placed: &mut HashMap<ConstantBytes, u64>,
) -> Result<(), CompileError> {
    let TargetPlan { target, product, mut planned, linked } = plan;
    let mut moved = Vec::new();
    for placement in &planned.constants {
        let known = placed.entry(placement.constant.clone());
        let offset = *known.or_insert_with(|| add_constant(builder, graph, placement));
        moved.push((placement.clone(), offset));
    }
    relocate(&mut planned.program, &moved);
    let signatures: HashMap<&str, &FunctionSignature> =
        builder.manifest.functions.iter().map(|f| (f.name.as_str(), f)).collect();
    for function in &mut planned.program.functions {
        if let Some(signature) = signatures.get(function.name.as_str()) {
            as_declared(&mut function.shapes, signature);
        }
    }
    let memory = planned.memory.iter().map(|m| MemoryPlan {
        function: m.function.clone(),
        arena_bytes: m.arena_bytes,
        arena_formula: (!m.arena_formula.is_empty()).then(|| m.arena_formula.clone()),
        peak_bytes: m.unshared_bytes.min(m.arena_bytes),
        ..MemoryPlan::default()
    });
    let memory = memory.collect();
    let program = builder.add_program(planned.program);
    let mut images = Vec::new();
    let mut features = Vec::new();
    for image in linked.images {
        if image.kind == ImageKind::SpirV
            && let Ok(module) = Spirv::parse(&image.bytes)
        {
            features = module.demands().into_iter().map(str::to_string).collect();
        }
        let bytes = if image.kind == ImageKind::Ptx { ptx_image(image.bytes) } else { image.bytes };
        images.push(ImageEntry { kind: image.kind, arch: image.target, section: builder.add_image(bytes) });
    }
    let backend = target.backend.name().to_string();
    let arch = target.name.clone();
    builder.manifest.targets.push(TargetEntry { backend, arch, product, program, images, features, memory });
    Ok(())
}

fn add_constant(builder: &mut ModuleBuilder<'static>, graph: &Graph, placement: &ConstantPlacement) -> u64 {
    let bytes = placement.bytes;
    let storage = match &placement.constant {
        ConstantBytes::OfGraph(constant) => graph.constant(*constant).storage.clone(),
        ConstantBytes::Made(made) => {
            let made = made.clone();
            return builder.add_constant_from(bytes, move |out| out.write_all(&made));
        }
    };
    builder.add_constant_from(bytes, move |out| match &storage {
        Storage::Dense(data) => out.write_all(data.bytes()),
        Storage::Splat(element) => {
            let count = bytes / (element.len() as u64).max(1);
            (0..count).try_for_each(|_| out.write_all(element))
        }
    })
}

/// Complex values are computed on as real ones with a last dimension of two, which the model does not declare.
fn as_declared(shapes: &mut FunctionShapes, signature: &FunctionSignature) {
    let inputs = shapes.inputs.iter_mut().zip(&signature.inputs);
    for (dims, tensor) in inputs.chain(shapes.outputs.iter_mut().zip(&signature.outputs)) {
        dims.truncate(tensor.shape.len());
    }
}

/// Moves spans of the constants section from where the plan put each constant to where the module has it.
fn relocate(program: &mut Program, moved: &[(ConstantPlacement, u64)]) {
    let mut known: HashMap<u64, u32> = HashMap::new();
    let Program { exprs, blocks, .. } = program;
    let mut fix = |span: &mut Span| {
        let SizeExpr::Const(old) = exprs[span.offset as usize] else { return };
        let holder = moved.iter().find(|(p, _)| old >= p.offset && (old < p.offset + p.bytes || old == p.offset));
        let Some((placement, offset)) = holder.filter(|_| span.space == Space::Constant) else { return };
        let new = offset + (old - placement.offset);
        span.offset = *known.entry(new).or_insert_with(|| {
            exprs.push(SizeExpr::Const(new));
            exprs.len() as u32 - 1
        });
    };
    for command in blocks.iter_mut().flat_map(|b| &mut b.commands) {
        match command {
            Command::Dispatch { bindings, .. } => bindings.iter_mut().for_each(|b| fix(&mut b.span)),
            Command::Copy { source, target } => {
                fix(source);
                fix(target);
            }
            Command::Collective { source, target, .. } => {
                fix(source);
                fix(target);
            }
            Command::HostCall { operands, results, .. } => operands.iter_mut().chain(results).for_each(&mut fix),
            Command::Call { arguments, .. } => arguments.iter_mut().for_each(&mut fix),
            Command::Repeat { .. } => {}
            Command::Fill { target: span, .. }
            | Command::DeviceId { target: span, .. }
            | Command::If { predicate: span, .. }
            | Command::While { predicate: span, .. }
            | Command::HostShape { source: span, .. } => fix(span),
            Command::Require { .. } => {}
        }
    }
}

fn signatures(graph: &Graph, parameters: &Parameters) -> Result<Vec<FunctionSignature>, CompileError> {
    let mut signatures = Vec::new();
    for function in graph.functions.iter().filter(|f| parameters.by_function.contains_key(&f.name)) {
        let chosen = &parameters.by_function[&function.name];
        let arguments = graph.entry(function).map(|b| graph.block(b).arguments.clone()).unwrap_or_default();
        let inputs = arguments.iter().enumerate().filter(|(at, _)| !chosen.iter().any(|c| c.0 == *at));
        let mut symbols = Vec::new();
        let inputs = inputs
            .map(|(at, &value)| {
                let own = graph.ty(value);
                let attrs = function.argument_attrs.get(at);
                let signature = tensor(graph, declared(attrs, own), Some((own, true)), &mut symbols)?;
                Ok(TensorSignature { name: names::of(attrs), sharding: sharding(attrs), ..signature })
            })
            .collect::<Result<_, CompileError>>()?;
        let results = returned(graph, function);
        let outputs = function.result_types.iter().enumerate();
        let outputs = outputs
            .map(|(at, ty)| {
                let own = results.get(at).map_or(ty, |&value| graph.ty(value));
                let attrs = function.result_attrs.get(at);
                let signature = tensor(graph, declared(attrs, ty), Some((own, false)), &mut symbols)?;
                Ok(TensorSignature { name: names::of(attrs), sharding: sharding(attrs), ..signature })
            })
            .collect::<Result<_, CompileError>>()?;
        let name = function.name.clone();
        signatures.push(FunctionSignature { name, inputs, outputs, ..FunctionSignature::default() });
    }
    Ok(signatures)
}

/// How an argument or result lies on the module's devices.
fn sharding(attrs: Option<&AttrMap>) -> Vec<Vec<ShardAxis>> {
    let Some(Attr::Array(dims)) = attrs.and_then(|attrs| attrs.get(SHARDING)) else { return Vec::new() };
    let axis = |attr: &Attr| match attr.as_ints().unwrap_or_default()[..] {
        [stride, size] => ShardAxis { stride: stride as u32, size: size as u32 },
        _ => ShardAxis { stride: 1, size: 1 },
    };
    let axes = |attr: &Attr| match attr {
        Attr::Array(axes) => axes.iter().map(axis).collect(),
        _ => Vec::new(),
    };
    dims.iter().map(axes).collect()
}

/// Which arguments of a function are which parameters of the module.
fn places(chosen: &[(usize, String)], parameters: &[fornax_passes::Parameter]) -> Vec<ParameterArgument> {
    let numbers: HashMap<&str, u32> = parameters.iter().zip(0..).map(|(p, at)| (p.name.as_str(), at)).collect();
    let place = |(argument, name): &(usize, String)| {
        Some(ParameterArgument { argument: u32::try_from(*argument).ok()?, parameter: *numbers.get(name.as_str())? })
    };
    let mut places: Vec<ParameterArgument> = chosen.iter().filter_map(place).collect();
    places.sort_unstable_by_key(|place| place.argument);
    places
}

/// The pairs of input and output that share a buffer on every target.
fn aliases(function: &str, plans: &[TargetPlan]) -> Vec<Alias> {
    let of = |plan: &TargetPlan| plan.planned.aliases.get(function).cloned().unwrap_or_default();
    let mut pairs = plans.first().map(of).unwrap_or_default();
    pairs.retain(|pair| plans.iter().all(|plan| of(plan).contains(pair)));
    pairs.into_iter().map(|(input, output)| Alias { input, output }).collect()
}

/// The type that the model gave an argument or result: a complex one is computed on as real numbers, in the same bytes.
fn declared<'a>(attrs: Option<&'a AttrMap>, ty: &'a Type) -> &'a Type {
    match attrs.and_then(|attrs| attrs.get(DECLARED_TYPE)) {
        Some(Attr::Type(declared)) => declared,
        _ => ty,
    }
}

/// What a function returns.
fn returned(graph: &Graph, function: &Function) -> Vec<ValueId> {
    let last = graph.entry(function).and_then(|block| graph.block(block).ops.last().copied());
    last.map_or(Vec::new(), |op| graph.op(op).operands.clone())
}

/// The signature of a tensor. `own` is the type that the graph has for it, with its sizes, and whether it is an input;
/// symbols that inputs name are collected.
fn tensor(
    graph: &Graph,
    ty: &Type,
    own: Option<(&Type, bool)>,
    symbols: &mut Vec<u32>,
) -> Result<TensorSignature, CompileError> {
    let unsupported = || CompileError::user("FX0301", "a function's arguments and results must be ranked tensors");
    let t = ty.as_tensor().ok_or_else(unsupported)?;
    let element_type = t.element.spelling().to_string();
    if let (Some(bytes), Some(shape)) = (t.bytes(), static_shape(t)) {
        let shape = shape.into_iter().map(DimSig::Static).collect();
        return Ok(TensorSignature { element_type, shape, bytes, ..TensorSignature::default() });
    }
    let sized = own.and_then(|(own, _)| own.as_tensor()).filter(|own| own.rank() >= t.rank()).unwrap_or(t);
    let is_input = own.is_some_and(|(_, input)| input);
    let shape: Vec<DimSig> =
        sized.shape.iter().take(t.rank()).map(|&d| dimension(graph, d, is_input, symbols)).collect::<Result<_, _>>()?;
    let most = shape.iter().map(|dim| match dim {
        DimSig::Static(n) => *n,
        DimSig::Symbolic { max, .. } | DimSig::Computed { max, .. } => *max,
    });
    let bytes = if most.clone().any(|n| n == 0) {
        0
    } else {
        most.fold(t.element.storage_bytes() as u64, u64::saturating_mul).min(LIMITS.bytes)
    };
    Ok(TensorSignature { element_type, shape, bytes, ..TensorSignature::default() })
}

/// A dimension: a symbol where inputs name it, else the formula that the table of sizes calls it by.
fn dimension(graph: &Graph, dim: Dim, is_input: bool, symbols: &mut Vec<u32>) -> Result<DimSig, CompileError> {
    let unknown = || CompileError::user("FX0301", "a function has an argument or result whose size nothing tells");
    let at = match dim {
        Dim::Static(n) => return u64::try_from(n).map(DimSig::Static).map_err(|_| unknown()),
        Dim::Symbolic(at) => at,
    };
    let entry = graph.dims.get(at as usize).filter(|d| d.def != DimDef::Unknown).ok_or_else(unknown)?;
    let size = |n: i64| (n.max(0) as u64).min(LIMITS.dimension);
    let (name, min, max) = (entry.name.clone(), size(entry.min), size(entry.max));
    if is_input && !matches!(entry.def, DimDef::Expr(_)) && !symbols.contains(&at) {
        symbols.push(at);
    }
    Ok(if symbols.contains(&at) {
        DimSig::Symbolic { name, min, max }
    } else {
        DimSig::Computed { formula: name, min, max }
    })
}

fn static_shape(t: &TensorType) -> Option<Vec<u64>> {
    let size = |d: &Dim| d.as_static().and_then(|n| u64::try_from(n).ok());
    t.shape.iter().map(size).collect()
}

fn parameter(p: &fornax_passes::Parameter, graph: &Graph, parameters: &Parameters) -> Result<Parameter, CompileError> {
    let attrs = parameters.by_function.iter().find_map(|(function, chosen)| {
        let (argument, _) = chosen.iter().find(|(_, name)| *name == p.name)?;
        graph.function(function)?.argument_attrs.get(*argument)
    });
    let own = Type::Tensor(p.ty.clone());
    let ty = declared(attrs, &own);
    let t = tensor(graph, ty, None, &mut Vec::new())?;
    let shape = ty.as_tensor().and_then(static_shape).unwrap_or_default();
    let (scope, name) = p.name.split_once("::").unwrap_or(("", &p.name));
    let sharding = sharding(attrs);
    let (scope, name) = (scope.into(), name.into());
    Ok(Parameter { scope, name, element_type: t.element_type, shape, bytes: t.bytes, sharding })
}

/// Copies what the assemblers said of each kernel into its record.
pub fn record_resources(program: &mut Program, linked: &Linked) {
    let known = linked.images.iter().flat_map(|image| &image.resources);
    for (name, r) in known {
        let Some(kernel) = program.kernels.iter_mut().find(|k| k.name == *name) else { continue };
        kernel.registers = r.registers.unwrap_or(kernel.registers);
        kernel.spill_bytes = r.spill_bytes.unwrap_or(kernel.spill_bytes);
        kernel.static_shared_bytes = r.static_shared_bytes.unwrap_or(kernel.static_shared_bytes);
    }
}

//! Validation of a [`Program`] against the manifest it serves: every index in range, every statically known span
//! inside its space, every launch inside what any device of the backend takes, no recursion.
//!
//! Input: a decoded program. Output: nothing, or the first thing wrong and where. What is known only at run time
//! (sizes that depend on slots) is checked by the runtime when a command runs. Overlap of arena buffers in time
//! is the scheduler's business; here only one command's own bindings are compared.

use std::collections::{HashMap, HashSet};

use crate::check_commands::Scope;
use crate::errors::ModuleError;
use crate::limits::{LIMITS, within};
use crate::manifest::{DimSig, FunctionSignature, Manifest};
use crate::program::{BlockId, Command, ExprId, Function, Kernel, Program, SizeExpr};
use crate::sizes::SizeValue;
use crate::tensor_map::MAPS;

/// Largest workgroup of a GPU, all dimensions and the third one.
const GPU_THREADS: u64 = 1024;
const GPU_THREADS_Z: u32 = 64;
/// Most workgroups of a cluster on every GPU that has them.
const CLUSTER: u32 = 8;
/// More dynamic shared memory than any device has; the runtime compares with the device's own limit.
const SHARED_BYTES: u64 = 1 << 20;

/// Limits of a grid `[x, y, z]` on GPUs and on CPUs.
pub(crate) const GPU_GRID: [u64; 3] = [(1 << 31) - 1, 65_535, 65_535];
pub(crate) const CPU_GRID: [u64; 3] = [(1 << 31) - 1; 3];

/// A program with what the checks look up again and again.
pub(crate) struct Checker<'a> {
    pub program: &'a Program,
    pub manifest: &'a Manifest,
    pub grid_limits: [u64; 3],
    /// Exported functions by name.
    pub signatures: HashMap<&'a str, &'a FunctionSignature>,
    /// Values of the expressions that need no slot.
    values: Vec<SizeValue>,
    /// For each expression one more than the highest slot it needs.
    slots: Vec<u32>,
}

/// Checks a program of a target of `backend`.
pub fn check_program(program: &Program, manifest: &Manifest, backend: &str) -> Result<(), ModuleError> {
    let gpu = backend != "cpu";
    let values = program.evaluate_known(&[]);
    let slots = check_expressions(program, &values)?;
    let grid_limits = if gpu { GPU_GRID } else { CPU_GRID };
    let signatures = manifest.functions.iter().map(|f| (f.name.as_str(), f)).collect();
    let checker = Checker { program, manifest, grid_limits, signatures, values, slots };
    within("bytes of persistent buffers", program.persistent_bytes, LIMITS.bytes)?;
    check_kernels(&program.kernels, backend)?;
    checker.check_functions()?;
    checker.check_blocks()
}

fn check_expressions(program: &Program, values: &[SizeValue]) -> Result<Vec<u32>, ModuleError> {
    let mut slots: Vec<u32> = Vec::with_capacity(program.exprs.len());
    for (at, expr) in program.exprs.iter().enumerate() {
        let wrong = |what: &str| ModuleError::program(format!("size expression {at}"), what);
        let needs =
            |e: ExprId| slots.get(e as usize).copied().ok_or_else(|| wrong("its operand is not an earlier one"));
        let need = match *expr {
            SizeExpr::Const(_) => 0,
            SizeExpr::Slot(slot) if u64::from(slot) >= LIMITS.size_slots => return Err(wrong("slot number too large")),
            SizeExpr::Slot(slot) => slot + 1,
            SizeExpr::Add(a, b)
            | SizeExpr::Sub(a, b)
            | SizeExpr::Mul(a, b)
            | SizeExpr::FloorDiv(a, b)
            | SizeExpr::CeilDiv(a, b)
            | SizeExpr::Mod(a, b)
            | SizeExpr::Min(a, b)
            | SizeExpr::Max(a, b) => needs(a)?.max(needs(b)?),
        };
        if matches!(values.get(at), Some(SizeValue::Failed(_))) {
            return Err(wrong("it overflows or divides by zero"));
        }
        slots.push(need);
    }
    Ok(slots)
}

/// Whether `name` can be a kernel's symbol: `[A-Za-z_][A-Za-z0-9_]*`, at most 200 bytes.
pub(crate) fn is_symbol(name: &str) -> bool {
    let head = name.bytes().next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_');
    let fits = name.len() as u64 <= LIMITS.symbol_bytes;
    head && fits && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

fn check_kernels(kernels: &[Kernel], backend: &str) -> Result<(), ModuleError> {
    let gpu = backend != "cpu";
    let mut names = HashSet::new();
    for (at, kernel) in kernels.iter().enumerate() {
        let wrong = |what: String| Err(ModuleError::program(format!("kernel {at} ({:?})", kernel.name), what));
        if !is_symbol(&kernel.name) {
            return wrong("its name is not a symbol of at most 200 letters, digits and underscores".into());
        }
        if !names.insert(kernel.name.as_str()) {
            return wrong("another kernel has the same name".into());
        }
        let [x, y, z] = kernel.block;
        let threads = u64::from(x).checked_mul(y.into()).and_then(|n| n.checked_mul(z.into()));
        let limit = if gpu { GPU_THREADS } else { 1 };
        if threads.is_none_or(|n| n == 0 || n > limit) || z > GPU_THREADS_Z {
            return wrong(format!("a workgroup of {x}x{y}x{z} threads, where 1 to {limit} fit"));
        }
        let shared = u64::from(kernel.dynamic_shared_bytes) + u64::from(kernel.static_shared_bytes);
        within(&format!("shared bytes of kernel {}", kernel.name), shared, SHARED_BYTES)?;
        within(&format!("bindings of kernel {}", kernel.name), kernel.bindings.into(), LIMITS.operands)?;
        let cluster = kernel.cluster.iter().try_fold(1u32, |product, n| product.checked_mul(*n));
        if cluster.is_none_or(|n| n == 0 || n > CLUSTER) {
            return wrong(format!("clusters of {:?} workgroups, where 1 to {CLUSTER} fit", kernel.cluster));
        }
        if backend != "cuda" && (cluster != Some(1) || kernel.awaits || !kernel.tensor_maps.is_empty()) {
            return wrong(format!("clusters, tensor maps or kernels that wait on {backend}"));
        }
        within(&format!("tensor maps of kernel {}", kernel.name), kernel.tensor_maps.len() as u64, MAPS)?;
        for (number, map) in kernel.tensor_maps.iter().enumerate() {
            if let Err(why) = map.check(kernel.bindings) {
                return wrong(format!("tensor map {number}: {why}"));
            }
        }
    }
    Ok(())
}

impl<'a> Checker<'a> {
    /// The value of an expression where it is static; error if it does not exist or needs a slot that is not there.
    pub(crate) fn value(&self, expr: ExprId, size_slots: u32) -> Result<Option<u64>, String> {
        match self.slots.get(expr as usize) {
            None => Err(format!("there is no size expression {expr}")),
            Some(need) if *need > size_slots => Err(format!("size expression {expr} needs size slot {}", need - 1)),
            Some(_) => match self.values.get(expr as usize) {
                Some(SizeValue::Known(value)) if *value < 0 => Err(format!("size expression {expr} is {value}")),
                value => Ok(value.and_then(|v| v.known())),
            },
        }
    }

    /// Error if an expression, which may be negative, does not exist or needs a slot that is not there.
    pub(crate) fn known_slots(&self, expr: ExprId, size_slots: u32) -> Result<(), String> {
        match self.slots.get(expr as usize) {
            None => Err(format!("there is no size expression {expr}")),
            Some(need) if *need > size_slots => Err(format!("size expression {expr} needs size slot {}", need - 1)),
            Some(_) => Ok(()),
        }
    }

    /// The shapes of a function with size slots: as many as inputs and outputs, of expressions that exist.
    fn check_shapes(&self, function: &Function) -> Result<(), String> {
        let shapes = &function.shapes;
        if shapes.is_empty() {
            return Ok(());
        }
        if (shapes.inputs.len(), shapes.outputs.len()) != (function.input_bytes.len(), function.output_bytes.len()) {
            return Err("its shapes are not as many as its inputs and outputs".into());
        }
        if shapes.slot_names.len() > function.size_slots as usize {
            return Err(format!("{} names for {} size slots", shapes.slot_names.len(), function.size_slots));
        }
        for expr in shapes.inputs.iter().chain(&shapes.outputs).flatten().chain(&shapes.arena_stages) {
            self.value(*expr, function.size_slots)?;
        }
        Ok(())
    }

    /// A signature's dimensions against the program's expressions for them.
    fn check_dimensions(&self, function: &Function, signature: &FunctionSignature) -> Result<(), String> {
        let names = symbols(signature);
        let pairs = signature
            .inputs
            .iter()
            .zip(&function.shapes.inputs)
            .chain(signature.outputs.iter().zip(&function.shapes.outputs));
        for (tensor, dims) in pairs {
            if tensor.shape.len() != dims.len() {
                return Err("a shape has another rank than in the manifest".into());
            }
            for (dim, &expr) in tensor.shape.iter().zip(dims) {
                let known = self.value(expr, function.size_slots)?;
                let fits = match dim {
                    DimSig::Static(size) => known == Some(*size),
                    DimSig::Symbolic { name, .. } => match names.iter().position(|n| n == name) {
                        Some(slot) => self.program.exprs.get(expr as usize) == Some(&SizeExpr::Slot(slot as u32)),
                        None => true,
                    },
                    DimSig::Computed { min, max, .. } => known.is_none_or(|n| (*min..=*max).contains(&n)),
                };
                if !fits {
                    return Err(format!("size expression {expr} is not the dimension that the manifest names"));
                }
            }
        }
        Ok(())
    }

    fn check_functions(&self) -> Result<(), ModuleError> {
        let mut by_name = HashMap::new();
        for function in &self.program.functions {
            let wrong = |what: String| ModuleError::program(format!("@{}", function.name), what);
            if by_name.insert(function.name.as_str(), function).is_some() {
                return Err(wrong("two functions have this name".into()));
            }
            within("number of size slots", function.size_slots.into(), LIMITS.size_slots)?;
            let sizes = function.input_bytes.iter().chain(&function.output_bytes);
            for expr in sizes.chain(std::iter::once(&function.arena_bytes)) {
                let bytes = self.value(*expr, function.size_slots).map_err(wrong)?;
                within(&format!("a buffer of @{} in bytes", function.name), bytes.unwrap_or(0), LIMITS.bytes)?;
            }
            self.check_shapes(function).map_err(wrong)?;
        }
        for signature in &self.manifest.functions {
            let wrong = |what: String| ModuleError::program(format!("@{}", signature.name), what);
            let function =
                by_name.get(signature.name.as_str()).ok_or_else(|| wrong("the program has no such function".into()))?;
            for (kind, tensors, sizes) in [
                ("inputs", &signature.inputs, &function.input_bytes),
                ("outputs", &signature.outputs, &function.output_bytes),
            ] {
                if tensors.len() != sizes.len() {
                    return Err(wrong(format!("{} {kind}, the manifest has {}", sizes.len(), tensors.len())));
                }
                for (i, (tensor, expr)) in tensors.iter().zip(sizes).enumerate() {
                    let bytes = self.value(*expr, function.size_slots).map_err(wrong)?.unwrap_or(tensor.bytes);
                    if bytes != tensor.bytes {
                        let what =
                            format!("number {i} of the {kind} has {bytes} bytes, the manifest says {}", tensor.bytes);
                        return Err(wrong(what));
                    }
                }
            }
            if symbols(signature).len() > function.size_slots as usize {
                return Err(wrong("fewer size slots than symbolic dimensions".into()));
            }
            self.check_dimensions(function, signature).map_err(wrong)?;
        }
        Ok(())
    }

    /// Walks the blocks of `load` and of each function; every block must be used, and at one place only.
    fn check_blocks(&self) -> Result<(), ModuleError> {
        let mut used = vec![false; self.program.blocks.len()];
        if let Some(load) = self.program.load {
            self.walk(load, &Scope::load(self), 1, &mut used, &mut Vec::new())?;
        }
        let mut calls = Vec::with_capacity(self.program.functions.len());
        for function in &self.program.functions {
            let mut callees = Vec::new();
            self.walk(function.body, &Scope::of(self, function), 1, &mut used, &mut callees)?;
            callees.sort_unstable();
            callees.dedup();
            calls.push(callees);
        }
        if let Some(unused) = used.iter().position(|u| !u) {
            return Err(ModuleError::program(format!("block {unused}"), "nothing uses it"));
        }
        let mut heights = vec![Height::New; calls.len()];
        (0..calls.len()).try_for_each(|f| call_height(f as u32, &calls, &mut heights, 1).map(drop))
    }

    fn walk(
        &self,
        id: BlockId,
        scope: &Scope,
        depth: u64,
        used: &mut [bool],
        callees: &mut Vec<u32>,
    ) -> Result<(), ModuleError> {
        let place = |at: usize| format!("{} block {id} command {at}", scope.name());
        let wrong = |what: &str| ModuleError::program(format!("{} block {id}", scope.name()), what);
        within("nesting of blocks", depth, LIMITS.nesting)?;
        let block = self.program.blocks.get(id as usize).ok_or_else(|| wrong("there is no such block"))?;
        let mark = used.get_mut(id as usize).ok_or_else(|| wrong("there is no such block"))?;
        if std::mem::replace(mark, true) {
            return Err(wrong("it is used at two places, or inside itself"));
        }
        for (at, command) in block.commands.iter().enumerate() {
            scope.check(command).map_err(|what| ModuleError::program(place(at), what))?;
            let nested = match *command {
                Command::If { then_block, else_block, .. } => vec![then_block, else_block],
                Command::While { condition, body, .. } => vec![condition, body],
                Command::Repeat { body, .. } => vec![body],
                Command::Call { function, .. } => {
                    callees.push(function);
                    continue;
                }
                _ => continue,
            };
            for block in nested {
                self.walk(block, scope, depth + 1, used, callees)?;
            }
        }
        Ok(())
    }
}

/// Different symbols in the shapes of a function's inputs, in the order of their slots.
fn symbols(signature: &FunctionSignature) -> Vec<&str> {
    let (mut seen, mut names) = (HashSet::new(), Vec::new());
    for dim in signature.inputs.iter().flat_map(|tensor| &tensor.shape) {
        if let DimSig::Symbolic { name, .. } = dim
            && seen.insert(name.as_str())
        {
            names.push(name.as_str());
        }
    }
    names
}

/// State of a function in the walk over calls.
#[derive(Clone, Copy)]
enum Height {
    New,
    Open,
    /// Longest chain of calls from here.
    Done(u64),
}

fn call_height(function: u32, calls: &[Vec<u32>], heights: &mut [Height], depth: u64) -> Result<u64, ModuleError> {
    let wrong = |what: &str| Err(ModuleError::program(format!("function {function}"), what));
    within("nesting of calls", depth, LIMITS.nesting)?;
    match heights.get(function as usize) {
        None => return wrong("there is no such function"),
        Some(Height::Open) => return wrong("it calls itself"),
        Some(Height::Done(height)) => return Ok(*height),
        Some(Height::New) => {}
    }
    if let Some(state) = heights.get_mut(function as usize) {
        *state = Height::Open;
    }
    let mut height = 1;
    for callee in calls.get(function as usize).into_iter().flatten() {
        height = height.max(1 + call_height(*callee, calls, heights, depth + 1)?);
    }
    within("nesting of calls", height, LIMITS.nesting)?;
    if let Some(state) = heights.get_mut(function as usize) {
        *state = Height::Done(height);
    }
    Ok(height)
}

//! The manifest: what a module holds, readable with `jq`. Signature, parameters, targets, memory plan, provenance.
//!
//! The JSON is deterministic: fields in the order of the structs below, maps sorted. It names no path of the
//! machine that compiled it. Unknown fields are ignored (later minor versions may add some).

use std::collections::{BTreeMap, HashSet};

pub use fornax_targets::ImageKind;
use fornax_types::ElementType;
use serde::{Deserialize, Serialize};

use crate::collective::DEVICES_MAX;
use crate::errors::ModuleError;
use crate::limits::{LIMITS, check_name, within};
use crate::strict_json;

pub use crate::sharding::{DeviceGrid, ShardAxis};

/// Value of [`Manifest::format`].
pub const FORMAT: &str = "fornax-module";

/// The whole manifest.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Always [`FORMAT`].
    pub format: String,
    pub producer: Producer,
    /// Name of the MLIR module, `module` where it has none.
    pub module_name: String,
    /// BLAKE3 of the source, hexadecimal; tells modules of different sources apart. Empty = not recorded.
    pub source_hash: String,
    /// Exported functions. Each target's program has a function of the same name.
    pub functions: Vec<FunctionSignature>,
    /// Named parameters bound from files at load time; `Space::Parameter(n)` is the `n`th.
    pub parameters: Vec<Parameter>,
    /// What the module can run on.
    pub targets: Vec<TargetEntry>,
    /// Bytes of the constants section (0 = none). Set by the writer.
    pub constants_bytes: u64,
    /// `integrity::contents_hash` of programs, images and constants: they and the manifest were written together. Set
    /// by the writer.
    pub contents_hash: String,
    /// Names that the section table refers to. Set by the writer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub section_names: Vec<String>,
    /// The devices that run the module together, each its own part; `None` for a module of one device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grid: Option<DeviceGrid>,
    /// Options that shaped the module, versions of the parts that made it: for people and `inspect`.
    pub provenance: BTreeMap<String, String>,
}

/// What wrote the module.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Producer {
    pub name: String,
    pub version: String,
}

/// One exported function. Inputs and outputs are row-major, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionSignature {
    pub name: String,
    pub inputs: Vec<TensorSignature>,
    pub outputs: Vec<TensorSignature>,
    /// Outputs that may or must use an input's buffer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<Alias>,
    /// Arguments of the model's function that are parameters of the module, ascending by argument. The other arguments
    /// are the inputs, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parameters: Vec<ParameterArgument>,
}

/// Argument `argument` of the model's function is parameter `parameter` of the module: bound at load, not at each call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParameterArgument {
    /// Counted among all arguments that the model's function has.
    pub argument: u32,
    /// Counted among [`Manifest::parameters`].
    pub parameter: u32,
}

/// Output `output` uses the buffer of input `input`, whose contents the call consumes (donation).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alias {
    pub input: u32,
    pub output: u32,
}

/// Type of one input or output.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TensorSignature {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Spelled as in MLIR: `f32`, `i1`, `ui8`, `bf16`, `f8E4M3FN`, `complex<f32>` …
    pub element_type: String,
    pub shape: Vec<DimSig>,
    /// Bytes of the buffer; where a dimension is not static, of the largest shape, 2^48 at most.
    pub bytes: u64,
    /// Of a part of a tensor that several devices hold: how the whole is cut, by dimension; one more entry has the axes
    /// along which parts are added up. None: every device has the same.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sharding: Vec<Vec<ShardAxis>>,
}

/// One dimension: a JSON number, or an object for a size known only at run time: its name, or the formula of others'
/// names.
///
/// Symbols have size slots in the order of their first appearance in the function's inputs: the first new
/// name is slot 0, and so on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum DimSig {
    Static(u64),
    Symbolic {
        name: String,
        min: u64,
        max: u64,
    },
    /// Computed from others; the program has the expression, this is its text.
    Computed {
        formula: String,
        min: u64,
        max: u64,
    },
}

/// A named parameter, given to the runtime as `[scope::]name`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parameter {
    /// Empty = no scope.
    pub scope: String,
    pub name: String,
    pub element_type: String,
    pub shape: Vec<u64>,
    pub bytes: u64,
    /// Of a part of a tensor that several devices hold: how the whole, which files have, is cut.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sharding: Vec<Vec<ShardAxis>>,
}

/// One target: a program and the images that its kernels are in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TargetEntry {
    /// `cuda`, `rocm`, `opencl`, `cpu`.
    pub backend: String,
    /// Architecture the schedules were made for: `sm_90`, `gfx942`, `x86-64-v3`.
    pub arch: String,
    /// Product the user named, if any: `h200`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub product: Option<String>,
    /// Which program section, counted among the program sections.
    pub program: u32,
    pub images: Vec<ImageEntry>,
    /// CPU features the machine must have beyond those of the images' architecture, as Rust's feature detection
    /// names them: `avx512bf16`; on OpenCL what the kernels demand of the device: `fp64`. Empty on CUDA and ROCm.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub features: Vec<String>,
    /// One plan a function.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub memory: Vec<MemoryPlan>,
}

/// One executable image of a target; all images of a target hold the same kernels.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImageEntry {
    /// PTX, cubin, hsaco, SPIR-V or CPU ELF; in JSON its name, e.g. `cpu-elf`.
    #[serde(with = "image_kind")]
    pub kind: ImageKind,
    /// What the image was made for, as `fornax_targets::Target::arch_spec` spells it: `sm_90a`, `gfx90a,+xnack`,
    /// `x86-64-v4,+avx512bf16`. May be lower than or a variant of the target's.
    pub arch: String,
    /// Which image section, counted among the image sections.
    pub section: u32,
}

/// Where the arena of one function goes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryPlan {
    pub function: String,
    /// Bytes of the arena; without what depends on sizes known only at run time.
    pub arena_bytes: u64,
    /// The formula of its bytes in terms of the names of the signature, where these depend on sizes known only at run
    /// time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arena_formula: Option<String>,
    /// Largest sum of live buffers at any time: what no plan can go below.
    pub peak_bytes: u64,
    /// The largest buffers, at most 1024.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub buffers: Vec<BufferPlan>,
    /// Buffers not listed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub omitted: u64,
}

/// One buffer of the arena.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BufferPlan {
    pub name: String,
    pub offset: u64,
    pub bytes: u64,
    /// First and last command (inclusive, in the order of the function's body) that needs it.
    pub live: (u32, u32),
}

/// Image kinds by name.
mod image_kind {
    use fornax_targets::ImageKind;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub fn serialize<S: Serializer>(kind: &ImageKind, out: S) -> Result<S::Ok, S::Error> {
        out.serialize_str(kind.name())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(reader: D) -> Result<ImageKind, D::Error> {
        let name = String::deserialize(reader)?;
        ImageKind::from_name(&name).ok_or_else(|| D::Error::custom(format!("unknown image kind {name:?}")))
    }
}

fn is_zero(value: &u64) -> bool {
    *value == 0
}

/// Bytes of one element at the host's edge; `None` for packed and unknown types, whose buffer sizes are not checked.
fn element_bytes(element_type: &str) -> Option<u64> {
    let element = ElementType::from_spelling(element_type).filter(|e| !e.is_sub_byte())?;
    Some(element.storage_bytes() as u64)
}

impl Manifest {
    /// The JSON text, the same for the same manifest.
    pub(crate) fn to_json(&self) -> Result<Vec<u8>, ModuleError> {
        let mut text = serde_json::to_vec_pretty(self).map_err(|e| ModuleError::manifest(e.to_string()))?;
        text.push(b'\n');
        within("size of the manifest in bytes", text.len() as u64, LIMITS.manifest_bytes)?;
        Ok(text)
    }

    /// Reads JSON and checks all that can be checked without the sections.
    pub(crate) fn from_json(text: &[u8]) -> Result<Self, ModuleError> {
        within("size of the manifest in bytes", text.len() as u64, LIMITS.manifest_bytes)?;
        strict_json::check(text).map_err(|e| ModuleError::manifest(e.to_string()))?;
        let manifest: Self = serde_json::from_slice(text).map_err(|e| ModuleError::manifest(e.to_string()))?;
        manifest.check()?;
        Ok(manifest)
    }

    /// The signature of an exported function.
    pub fn function(&self, name: &str) -> Option<&FunctionSignature> {
        self.functions.iter().find(|f| f.name == name)
    }

    /// The signature that the model gave a function: inputs and parameters, as its arguments stood. `parameters` says
    /// which of its inputs are parameters.
    pub fn model_signature(&self, function: &FunctionSignature) -> FunctionSignature {
        let mut parameters = function.parameters.iter().peekable();
        let (mut arguments, mut places) = (Vec::with_capacity(function.arguments()), Vec::new());
        for argument in 0..function.arguments() {
            match parameters.next_if(|place| place.argument as usize == argument) {
                Some(place) => {
                    arguments.extend(self.parameters.get(place.parameter as usize).map(Parameter::signature))
                }
                None => {
                    arguments.extend(function.inputs.get(places.len()).cloned());
                    places.push(argument as u32);
                }
            }
        }
        let place = |input: u32| places.get(input as usize).copied().unwrap_or(input);
        let aliases = function.aliases.iter().map(|alias| Alias { input: place(alias.input), ..*alias });
        FunctionSignature { inputs: arguments, aliases: aliases.collect(), ..function.clone() }
    }

    /// Devices that run the module together.
    pub fn devices(&self) -> u32 {
        self.grid.map_or(1, |grid| grid.replicas.saturating_mul(grid.partitions))
    }

    /// Checks names, shapes, byte counts, aliases and limits.
    pub fn check(&self) -> Result<(), ModuleError> {
        if self.format != FORMAT {
            return Err(ModuleError::manifest(format!("format is {:?}, not {FORMAT:?}", self.format)));
        }
        check_name("module name", &self.module_name)?;
        within("number of functions", self.functions.len() as u64, LIMITS.functions)?;
        within("number of targets", self.targets.len() as u64, LIMITS.targets)?;
        within("size of the constants in bytes", self.constants_bytes, LIMITS.bytes)?;
        within("number of devices", self.devices().into(), DEVICES_MAX.into())?;
        if self.devices() == 0 {
            return Err(ModuleError::manifest("a module for no device"));
        }
        for name in &self.section_names {
            check_name("section name", name)?;
        }
        let mut names = HashSet::new();
        for function in &self.functions {
            check_name("function name", &function.name)?;
            if !names.insert(function.name.as_str()) {
                return Err(ModuleError::manifest(format!("two functions are named {:?}", function.name)));
            }
            function.check(self.parameters.len())?;
        }
        let mut names = HashSet::new();
        for parameter in &self.parameters {
            parameter.check()?;
            if !names.insert((parameter.scope.as_str(), parameter.name.as_str())) {
                return Err(ModuleError::manifest(format!("two parameters are named {}", parameter.full_name())));
            }
        }
        self.targets.iter().try_for_each(TargetEntry::check)
    }
}

impl FunctionSignature {
    /// Arguments that the model's function has: inputs and parameters.
    pub fn arguments(&self) -> usize {
        self.inputs.len().saturating_add(self.parameters.len())
    }

    /// `parameters` is how many the module has.
    fn check(&self, parameters: usize) -> Result<(), ModuleError> {
        let count = self.arguments().max(self.outputs.len()) as u64;
        within(&format!("number of inputs or outputs of @{}", self.name), count, LIMITS.operands)?;
        for (kind, tensors) in [("input", &self.inputs), ("output", &self.outputs)] {
            for (i, tensor) in tensors.iter().enumerate() {
                tensor.check(&format!("{kind} {i} of @{}", self.name))?;
            }
        }
        let (mut inputs, mut outputs) = (HashSet::new(), HashSet::new());
        for alias in &self.aliases {
            let pair = self.inputs.get(alias.input as usize).zip(self.outputs.get(alias.output as usize));
            let fits = pair.is_some_and(|(input, output)| input.bytes == output.bytes);
            if !fits || !inputs.insert(alias.input) || !outputs.insert(alias.output) {
                let what = format!("@{}: output {} cannot alias input {}", self.name, alias.output, alias.input);
                return Err(ModuleError::manifest(what));
            }
        }
        let (mut next, mut named) = (0, HashSet::new());
        for &ParameterArgument { argument, parameter } in &self.parameters {
            let fits = argument >= next && (argument as usize) < self.arguments();
            if !fits || parameter as usize >= parameters || !named.insert(parameter) {
                let what = format!("@{}: argument {argument} cannot be parameter {parameter}", self.name);
                return Err(ModuleError::manifest(what));
            }
            next = argument.saturating_add(1);
        }
        Ok(())
    }
}

impl TensorSignature {
    fn check(&self, place: &str) -> Result<(), ModuleError> {
        self.check_sharding(place)?;
        if let Some(name) = &self.name {
            check_name(&format!("name of {place}"), name)?;
        }
        let largest = self.shape.iter().map(|dim| match dim {
            DimSig::Static(size) => Ok(*size),
            DimSig::Symbolic { name, min, max } | DimSig::Computed { formula: name, min, max } => {
                check_name(&format!("symbol of {place}"), name)?;
                if min > max {
                    return Err(ModuleError::manifest(format!(
                        "{place}: symbol {name} has minimum {min} > maximum {max}"
                    )));
                }
                Ok(*max)
            }
        });
        let largest = largest.collect::<Result<Vec<u64>, _>>()?;
        let is_static = self.shape.iter().all(|dim| matches!(dim, DimSig::Static(_)));
        if let Some(element) = element_bytes(&self.element_type).filter(|_| !is_static) {
            let most = largest.iter().fold(element, |n, dim| n.saturating_mul(*dim)).min(LIMITS.bytes);
            if self.bytes != if largest.contains(&0) { 0 } else { most } {
                return Err(ModuleError::manifest(format!(
                    "{place} has {} bytes, its largest shape {most}",
                    self.bytes
                )));
            }
            return largest
                .iter()
                .try_for_each(|dim| within(&format!("a dimension of {place}"), *dim, LIMITS.dimension));
        }
        check_tensor(place, &self.element_type, &largest, self.bytes)
    }
}

impl Parameter {
    /// `scope::name`, or `name` without a scope.
    pub fn full_name(&self) -> String {
        if self.scope.is_empty() { self.name.clone() } else { format!("{}::{}", self.scope, self.name) }
    }

    /// The parameter as an argument of a function.
    pub fn signature(&self) -> TensorSignature {
        let shape = self.shape.iter().map(|size| DimSig::Static(*size)).collect();
        let (name, element_type) = (Some(self.full_name()), self.element_type.clone());
        TensorSignature { name, element_type, shape, bytes: self.bytes, sharding: self.sharding.clone() }
    }

    fn check(&self) -> Result<(), ModuleError> {
        check_name("parameter name", &self.name)?;
        if !self.scope.is_empty() {
            check_name("parameter scope", &self.scope)?;
        }
        self.signature().check_sharding(&format!("parameter {}", self.full_name()))?;
        check_tensor(&format!("parameter {}", self.full_name()), &self.element_type, &self.shape, self.bytes)
    }
}

fn check_tensor(place: &str, element_type: &str, shape: &[u64], bytes: u64) -> Result<(), ModuleError> {
    check_name(&format!("element type of {place}"), element_type)?;
    within(&format!("rank of {place}"), shape.len() as u64, LIMITS.rank)?;
    within(&format!("size of {place} in bytes"), bytes, LIMITS.bytes)?;
    for dim in shape {
        within(&format!("a dimension of {place}"), *dim, LIMITS.dimension)?;
    }
    let Some(element) = element_bytes(element_type) else { return Ok(()) };
    let expected =
        if shape.contains(&0) { Some(0) } else { shape.iter().try_fold(element, |n, dim| n.checked_mul(*dim)) };
    if expected != Some(bytes) {
        return Err(ModuleError::manifest(format!("{place}: {shape:?} of {element_type} is not {bytes} bytes")));
    }
    Ok(())
}

impl TargetEntry {
    /// `cuda sm_90`, with the product where one was named.
    pub fn title(&self) -> String {
        match &self.product {
            Some(product) => format!("{} {} ({product})", self.backend, self.arch),
            None => format!("{} {}", self.backend, self.arch),
        }
    }

    fn check(&self) -> Result<(), ModuleError> {
        check_name("backend", &self.backend)?;
        check_name("architecture", &self.arch)?;
        within(&format!("number of images of {}", self.title()), self.images.len() as u64, LIMITS.target_images)?;
        for feature in &self.features {
            check_name("feature", feature)?;
        }
        for image in &self.images {
            check_name("image architecture", &image.arch)?;
        }
        self.memory.iter().try_for_each(|plan| plan.check(&self.title()))
    }
}

impl MemoryPlan {
    fn check(&self, target: &str) -> Result<(), ModuleError> {
        within(&format!("arena of @{} in bytes", self.function), self.arena_bytes, LIMITS.bytes)?;
        within("number of buffers in a memory plan", self.buffers.len() as u64, LIMITS.plan_buffers)?;
        if self.peak_bytes > self.arena_bytes {
            let what = format!("{target}: peak of @{} is larger than its arena", self.function);
            return Err(ModuleError::manifest(what));
        }
        for buffer in &self.buffers {
            check_name("buffer name", &buffer.name)?;
            let inside = buffer.offset.checked_add(buffer.bytes).is_some_and(|end| end <= self.arena_bytes);
            if !inside || buffer.live.0 > buffer.live.1 {
                let what = format!("{target}: buffer {:?} of @{} lies outside the arena", buffer.name, self.function);
                return Err(ModuleError::manifest(what));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tensor(element_type: &str, shape: &[u64], bytes: u64) -> TensorSignature {
        let shape = shape.iter().map(|d| DimSig::Static(*d)).collect();
        TensorSignature { element_type: element_type.into(), shape, bytes, ..TensorSignature::default() }
    }

    fn manifest() -> Manifest {
        let function = FunctionSignature {
            name: "main".into(),
            inputs: vec![tensor("f32", &[2, 3], 24)],
            outputs: vec![tensor("f32", &[6], 24)],
            aliases: vec![Alias { input: 0, output: 0 }],
            parameters: vec![],
        };
        Manifest { format: FORMAT.into(), module_name: "m".into(), functions: vec![function], ..Manifest::default() }
    }

    #[test]
    fn json_is_deterministic_and_readable() {
        let m = manifest();
        let text = m.to_json().unwrap();
        assert_eq!(text, m.to_json().unwrap());
        assert_eq!(Manifest::from_json(&text).unwrap(), m);
        assert!(String::from_utf8(text).unwrap().starts_with("{\n  \"format\": \"fornax-module\","));
    }

    #[test]
    fn symbolic_dimensions_and_unknown_fields() {
        let dims: Vec<DimSig> =
            serde_json::from_str(r#"[4, {"name": "batch", "min": 1, "max": 64, "later": 1}]"#).unwrap();
        assert_eq!(dims[1], DimSig::Symbolic { name: "batch".into(), min: 1, max: 64 });
        let mut m = manifest();
        m.functions[0].inputs[0] = TensorSignature { shape: dims, bytes: 1024, ..tensor("f32", &[], 0) };
        m.functions[0].aliases.clear();
        m.check().unwrap();
    }

    /// Two parameters of four elements, which stood before and behind the input.
    fn with_parameters() -> Manifest {
        let parameter = |name: &str| Parameter {
            name: name.into(),
            element_type: "f32".into(),
            shape: vec![4],
            bytes: 16,
            ..Parameter::default()
        };
        let at = |argument, parameter| ParameterArgument { argument, parameter };
        let mut m = manifest();
        m.parameters = vec![parameter("a"), parameter("b")];
        m.functions[0].parameters = vec![at(0, 1), at(2, 0)];
        m
    }

    #[test]
    fn arguments_stand_as_in_the_model() {
        let m = with_parameters();
        m.check().unwrap();
        let whole = m.model_signature(&m.functions[0]);
        let names: Vec<Option<&str>> = whole.inputs.iter().map(|input| input.name.as_deref()).collect();
        assert_eq!(names, [Some("b"), None, Some("a")]);
        assert_eq!(whole.aliases, [Alias { input: 1, output: 0 }]);
    }

    #[test]
    fn places_of_parameters_that_cannot_be_are_refused() {
        let cases: &[Change] = &[
            |m| m.functions[0].parameters[1].argument = 3,
            |m| m.functions[0].parameters[1].argument = u32::MAX,
            |m| m.functions[0].parameters[1].argument = 0,
            |m| m.functions[0].parameters[1].parameter = 1,
            |m| m.functions[0].parameters[1].parameter = 2,
            |m| m.parameters.clear(),
        ];
        for change in cases {
            let mut m = with_parameters();
            change(&mut m);
            let error = m.check().unwrap_err();
            assert!(error.to_string().contains("cannot be parameter"), "{error}");
        }
    }

    type Change = fn(&mut Manifest);

    #[test]
    fn wrong_manifests_are_refused() {
        let cases: &[(&str, Change)] = &[
            ("format", |m| m.format = "zip".into()),
            ("is not 25 bytes", |m| m.functions[0].inputs[0].bytes = 25),
            ("two functions", |m| m.functions.push(m.functions[0].clone())),
            ("cannot alias", |m| m.functions[0].aliases[0].input = 1),
            ("control character", |m| m.functions[0].name = "a\0b".into()),
            ("limit", |m| m.functions[0].inputs[0].shape = vec![DimSig::Static(1); 33]),
            ("limit", |m| m.functions[0].inputs[0].shape = vec![DimSig::Static(u64::MAX)]),
        ];
        for (message, change) in cases {
            let mut m = manifest();
            change(&mut m);
            let error = m.check().unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
        let twice = br#"{"format": "fornax-module", "format": "fornax-module"}"#;
        assert!(Manifest::from_json(twice).unwrap_err().to_string().contains("duplicate"));
    }
}

//! A crate with a method for each of the module's functions: Cargo.toml, src/lib.rs and module.fnx.
//!
//! Worked example, `-o digits` for `@predict(1x8x8x1xf32) -> (1x10xf32)`:
//!
//! ```text
//! impl Digits {
//!     pub fn predict(&mut self, image: &[f32]) -> Result<Vec<f32>>
//! ```
//!
//! Inputs whose sizes are known only at a call come with their shape, such outputs as tensors. So do tensors of element
//! types that Rust has no numbers for.

use std::fmt::Write;
use std::path::Path;

use anyhow::{Context, Result};
use fornax_module::ModuleBuilder;
use fornax_module::manifest::{FunctionSignature, TensorSignature};

use super::names::{Scope, type_name};
use super::types::of;
use super::{bytes_of, signature_text, static_shape, stem, write_file};

/// What the methods of the struct are called beside the module's own.
const METHODS: [&str; 3] = ["load", "load_with", "session"];

pub fn write(path: &Path, module: &ModuleBuilder<'_>) -> Result<()> {
    let name = stem(path)?;
    std::fs::create_dir_all(path.join("src"))
        .with_context(|| format!("error[FX0802]: cannot make the folder {}", path.display()))?;
    write_file(&path.join("module.fnx"), &bytes_of(module)?)?;
    write_file(&path.join("Cargo.toml"), manifest(&name).as_bytes())?;
    write_file(&path.join("src/lib.rs"), source(&name, &module.manifest.functions)?.as_bytes())
}

fn manifest(name: &str) -> String {
    let (name, version) = (name.to_ascii_lowercase(), env!("CARGO_PKG_VERSION"));
    format!(
        "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\n\
         fornax-runtime = \"{version}\"\n"
    )
}

fn source(name: &str, functions: &[FunctionSignature]) -> Result<String> {
    let ty = type_name(name);
    let mut text = format!(
        "//! `{name}`: a module of Fornax. Written by `fornax compile --emit=rust`.\n\
         #![allow(unused_imports, clippy::all)]\n\n\
         use fornax_runtime::backends::choose_device;\n\
         use fornax_runtime::hal::Device;\n\
         use fornax_runtime::registry::open_device;\n\
         use fornax_runtime::{{Module, Result, Session, SessionOptions, Tensor, half}};\n\n\
         /// The module file.\n\
         pub static MODULE: &[u8] = include_bytes!(\"../module.fnx\");\n\n\
         /// The module on a device.\n\
         pub struct {ty}(Session);\n\n\
         impl {ty} {{\n\
         \x20   /// Loads the module on the first device that it has an image for.\n\
         \x20   pub fn load() -> Result<{ty}> {{\n\
         \x20       let module = Module::from_bytes(MODULE.to_vec())?;\n\
         \x20       let device = choose_device(&module, open_device)?.device;\n\
         \x20       Ok({ty}(Session::load(&module, &device, &SessionOptions::default())?))\n\
         \x20   }}\n\n\
         \x20   /// Loads the module on a device; the options name files of parameters and a limit of memory.\n\
         \x20   pub fn load_with(device: &Device, options: &SessionOptions) -> Result<{ty}> {{\n\
         \x20       let module = Module::from_bytes(MODULE.to_vec())?;\n\
         \x20       Ok({ty}(Session::load(&module, device, options)?))\n\
         \x20   }}\n\n\
         \x20   /// The session, for what the methods below do not do: tensors that stay on the device, times.\n\
         \x20   pub fn session(&mut self) -> &mut Session {{\n\
         \x20       &mut self.0\n\
         \x20   }}\n"
    );
    let mut scope = Scope::new(&METHODS);
    for function in functions {
        let method = scope.name(&function.name);
        call(&mut text, &method, function)?;
    }
    text.push_str("}\n");
    Ok(text)
}

/// The Rust type that a tensor's elements are shown as, where its sizes are known or given.
fn number(tensor: &TensorSignature) -> Option<&'static str> {
    of(tensor).and_then(|row| row.rust)
}

/// The method.
fn call(text: &mut String, method: &str, function: &FunctionSignature) -> Result<()> {
    let mut scope = Scope::new(&["self", "Tensor", "outputs"]);
    let (mut taken, mut made) = (String::new(), String::new());
    for (at, input) in function.inputs.iter().enumerate() {
        let name = scope.name(&input.name.clone().unwrap_or_else(|| format!("input_{at}")));
        match (number(input), static_shape(input)) {
            (None, _) => {
                write!(taken, ", {name}: &Tensor")?;
                write!(made, "{name}.clone(), ")?;
            }
            (Some(ty), Some(shape)) => {
                write!(taken, ", {name}: &[{ty}]")?;
                write!(made, "Tensor::from_slice({name}, {shape:?})?, ")?;
            }
            (Some(ty), None) => {
                let shape = scope.name(&format!("{name}_shape"));
                write!(taken, ", {name}: &[{ty}], {shape}: [u64; {}]", input.shape.len())?;
                write!(made, "Tensor::from_slice({name}, {shape})?, ")?;
            }
        }
    }
    let given = |output: &TensorSignature| static_shape(output).and_then(|_| number(output));
    let types: Vec<String> =
        function.outputs.iter().map(|o| given(o).map_or("Tensor".into(), |ty| format!("Vec<{ty}>"))).collect();
    let values: Vec<String> = function
        .outputs
        .iter()
        .enumerate()
        .map(|(at, o)| match given(o) {
            Some(ty) => format!("outputs[{at}].values::<{ty}>()?.into_owned()"),
            None => format!("outputs[{at}].clone()"),
        })
        .collect();
    // One output is no tuple.
    let tuple = |parts: &[String]| if let [one] = parts { one.clone() } else { format!("({})", parts.join(", ")) };
    let kept = if types.is_empty() { "_outputs" } else { "outputs" };
    Ok(write!(
        text,
        "\n    /// `{}`\n    pub fn {method}(&mut self{taken}) -> Result<{}> {{\n        let {kept} = \
         self.0.invoke({:?}, &[{}])?;\n        Ok({})\n    }}\n",
        signature_text(function),
        tuple(&types),
        function.name,
        made.trim_end_matches(", "),
        tuple(&values)
    )?)
}

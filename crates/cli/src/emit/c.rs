//! NAME.h and NAME.o: a function in C for each of the module's, and the module's bytes to link.
//!
//! Worked example, `-o digits` for `@predict(1x8x8x1xf32) -> (1x10xf32)`:
//!
//! ```c
//! static inline fornax_error *digits_predict(fornax_session *session, const float *image, float *output_0);
//! ```
//!
//! Inputs whose sizes are known only at a call come with an array of their sizes, such outputs as tensors, for the
//! caller does not know how large they are.

use std::fmt::Write;
use std::path::Path;

use anyhow::Result;
use fornax_module::ModuleBuilder;
use fornax_module::manifest::{FunctionSignature, TensorSignature};
use object::write::{Object, StandardSection, Symbol, SymbolSection};
use object::{Architecture, BinaryFormat, Endianness, SymbolFlags, SymbolKind, SymbolScope};

use super::names::Scope;
use super::types::{Row, of};
use super::{bytes_of, signature_text, static_shape, stem, write_file};
use crate::failure::{Failure, exit};

/// Alignment of the module's bytes in the object: a cache line.
const MODULE_ALIGNMENT: u64 = 64;

pub fn write(path: &Path, module: &ModuleBuilder<'_>) -> Result<()> {
    let name = stem(path)?;
    write_file(&path.with_extension("o"), &object_of(&name, &bytes_of(module)?)?)?;
    write_file(&path.with_extension("h"), header(&name, &module.manifest.functions)?.as_bytes())
}

/// An object for the linker of this machine, with the module's bytes and their number.
fn object_of(name: &str, bytes: &[u8]) -> Result<Vec<u8>> {
    let architecture = match std::env::consts::ARCH {
        "aarch64" => Architecture::Aarch64,
        _ => Architecture::X86_64,
    };
    let mut object = Object::new(BinaryFormat::Elf, architecture, Endianness::Little);
    let section = object.section_id(StandardSection::ReadOnlyData);
    let size = (bytes.len() as u64).to_le_bytes();
    for (suffix, data, alignment) in [("bytes", bytes, MODULE_ALIGNMENT), ("size", &size, 8)] {
        let symbol = object.add_symbol(Symbol {
            name: format!("{name}_module_{suffix}").into_bytes(),
            value: 0,
            size: 0,
            kind: SymbolKind::Data,
            scope: SymbolScope::Linkage,
            weak: false,
            section: SymbolSection::Undefined,
            flags: SymbolFlags::None,
        });
        object.add_symbol_data(symbol, section, data, alignment);
    }
    // Without this section the linker would make the program's stack executable.
    object.add_section(Vec::new(), b".note.GNU-stack".to_vec(), object::SectionKind::Other);
    let wrong = |error: object::write::Error| {
        Failure::new(exit::USAGE, "FX0802", format!("no object can be made: {error}"), "write the module itself")
    };
    Ok(object.write().map_err(wrong)?)
}

/// What a function's tensors are called, and what they are.
struct Parameter<'a> {
    name: String,
    tensor: &'a TensorSignature,
    row: &'static Row,
    shape: Option<Vec<u64>>,
}

impl Parameter<'_> {
    /// Bytes of all elements, where the sizes are known.
    fn bytes(&self) -> Option<u64> {
        let elements: u64 = self.shape.as_ref()?.iter().product();
        Some(elements * self.row.element.storage_bytes() as u64)
    }
}

fn parameters<'a>(scope: &mut Scope, tensors: &'a [TensorSignature], kind: &str) -> Result<Vec<Parameter<'a>>> {
    let each = |(at, tensor): (usize, &'a TensorSignature)| {
        let name = scope.name(&tensor.name.clone().unwrap_or_else(|| format!("{kind}_{at}")));
        let Some(row) = of(tensor) else {
            let text = format!("{kind} {at} has elements of type {}, which C has no type for", tensor.element_type);
            return Err(Failure::new(exit::USAGE, "FX0801", text, "write the module itself").into());
        };
        Ok(Parameter { name, tensor, row, shape: static_shape(tensor) })
    };
    tensors.iter().enumerate().map(each).collect()
}

fn header(name: &str, functions: &[FunctionSignature]) -> Result<String> {
    let upper = name.to_ascii_uppercase();
    let mut text = format!(
        "/* {name}: a module of Fornax. Link {name}.o, and libfornax (pkg-config fornax).\n\
         \x20*\n\
         \x20* Written by `fornax compile --emit=c`. */\n\
         #ifndef {upper}_H\n#define {upper}_H\n\n#include <fornax.h>\n\n\
         #ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n\
         /* The module file, in {name}.o. */\n\
         extern const unsigned char {name}_module_bytes[];\nextern const uint64_t {name}_module_size;\n\n\
         /* Loads the module on a device (\"cuda\", \"cuda:1\", \"cpu\"; NULL: the first that it has an image for).\n\
         \x20* Options may be NULL. End the session by fornax_session_free. */\n\
         static inline fornax_error *{name}_load(const char *device, const fornax_session_options *options,\n\
         \x20                                       fornax_session **session) {{\n\
         \x20   fornax_module *module = NULL;\n\
         \x20   fornax_device *opened = NULL;\n\
         \x20   fornax_error *error = fornax_module_from_bytes({name}_module_bytes, {name}_module_size, &module);\n\
         \x20   if (!error && device) error = fornax_device_open(device, &opened);\n\
         \x20   if (!error && !device) error = fornax_device_open_for(module, &opened);\n\
         \x20   if (!error) error = fornax_session_load(module, opened, options, session);\n\
         \x20   fornax_device_free(opened);\n\
         \x20   fornax_module_free(module);\n\
         \x20   return error;\n}}\n"
    );
    let mut scope = Scope::new(
        &["load", "module_bytes", "module_size"]
            .map(|suffix| format!("{name}_{suffix}"))
            .each_ref()
            .map(String::as_str),
    );
    for function in functions {
        let called = scope.name(&format!("{name}_{}", function.name));
        call(&mut text, &called, function)?;
    }
    text.push_str("\n#ifdef __cplusplus\n}\n#endif\n#endif\n");
    Ok(text)
}

/// The function in C.
fn call(text: &mut String, called: &str, function: &FunctionSignature) -> Result<()> {
    let mut scope = Scope::new(&["session", "error", "inputs", "outputs", "at", "elements", "NULL"]);
    let inputs = parameters(&mut scope, &function.inputs, "input")?;
    let outputs = parameters(&mut scope, &function.outputs, "output")?;
    let mut taken = vec!["fornax_session *session".to_string()];
    for Parameter { name, row, tensor, shape } in &inputs {
        taken.push(format!("const {} *{name}", row.c));
        if shape.is_none() {
            taken.push(format!("const uint64_t {name}_shape[{}]", tensor.shape.len()));
        }
    }
    for Parameter { name, row, shape, .. } in &outputs {
        taken.push(if shape.is_some() { format!("{} *{name}", row.c) } else { format!("fornax_tensor **{name}") });
    }
    let has_tensors = outputs.iter().any(|output| output.shape.is_none());
    let ends = if has_tensors { "\n * End the outputs that are tensors by fornax_tensor_free." } else { "" };
    let (signature, taken) = (signature_text(function), taken.join(",\n        "));
    writeln!(text, "\n/* {signature}{ends} */\nstatic inline fornax_error *{called}({taken}) {{")?;
    let room = |count: usize| count.max(1);
    writeln!(text, "    fornax_tensor *inputs[{}] = {{NULL}};", room(inputs.len()))?;
    writeln!(text, "    fornax_tensor *outputs[{}] = {{NULL}};", room(outputs.len()))?;
    text.push_str("    fornax_error *error = NULL;\n    size_t at;\n");
    for (at, input) in inputs.iter().enumerate() {
        give_input(text, at, input)?;
    }
    writeln!(
        text,
        "    if (!error) {{\n        error = fornax_session_invoke(session, \"{}\", \
         (const fornax_tensor *const *)inputs, {}, outputs, {});\n    }}",
        literal(&function.name),
        inputs.len(),
        outputs.len()
    )?;
    for (at, output) in outputs.iter().enumerate() {
        match output.bytes() {
            Some(bytes) => {
                writeln!(text, "    if (!error) error = fornax_tensor_read(outputs[{at}], {}, {bytes}u);", output.name)?
            }
            None => writeln!(
                text,
                "    if (!error) {{\n        *{} = outputs[{at}];\n        outputs[{at}] = NULL;\n    }}",
                output.name
            )?,
        }
    }
    writeln!(text, "    for (at = 0; at < {}; at++) fornax_tensor_free(inputs[at]);", room(inputs.len()))?;
    writeln!(text, "    for (at = 0; at < {}; at++) fornax_tensor_free(outputs[at]);", room(outputs.len()))?;
    text.push_str("    return error;\n}\n");
    Ok(())
}

/// A text between the quotes of C.
fn literal(text: &str) -> String {
    let byte = |byte: u8| match byte {
        b'"' | b'\\' | b'?' | 0..=31 | 127.. => format!("\\{byte:03o}"),
        _ => char::from(byte).to_string(),
    };
    text.bytes().map(byte).collect()
}

/// Makes the tensor of an input.
fn give_input(text: &mut String, at: usize, input: &Parameter<'_>) -> Result<()> {
    let (name, rank) = (&input.name, input.tensor.shape.len());
    let code = input.row.code;
    if let (Some(shape), Some(bytes)) = (&input.shape, input.bytes()) {
        // C has no arrays without elements.
        let sizes =
            if rank == 0 { "0".into() } else { shape.iter().map(u64::to_string).collect::<Vec<_>>().join(", ") };
        return Ok(writeln!(
            text,
            "    if (!error) {{\n        static const uint64_t shape[] = {{{sizes}}};\n        error = \
             fornax_tensor_from_host({code}, shape, {rank}, {name}, {bytes}u, &inputs[{at}]);\n    }}"
        )?);
    }
    Ok(writeln!(
        text,
        "    if (!error) {{\n        size_t elements = 1;\n        for (at = 0; at < {rank}; at++) elements *= \
         {name}_shape[at];\n        error = fornax_tensor_from_host({code}, {name}_shape, {rank}, {name}, elements * \
         {}u, &inputs[{at}]);\n    }}",
        input.row.element.storage_bytes()
    )?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_literals_of_c() {
        assert_eq!(literal("predict"), "predict");
        assert_eq!(literal("a\"b\\?é\n"), "a\\042b\\134\\077\\303\\251\\012");
    }
}

//! Evaluates models by the reference, for quick checks of the importer without a compiler:
//!
//! ```text
//! evaluate < LIST      a line each: MODEL [NAME=VALUES…] [#NAME=LENGTH…] [INPUT.bin@2x3…]
//! ```
//! Inputs are raw elements in order, as the model's types say; results are written next to the model, `MODEL.N.out`,
//! and a line `MODEL ok TYPE…` or `MODEL FX… message` is printed.

use std::io::{BufRead, Write};

use fornax_import::onnx::{FixedInput, OnnxOptions, SequenceLength};
use fornax_import::{ImportOptions, import_bytes};
use fornax_reference::{Limits, Tensor, evaluate};

fn one(model: &str, inputs: &[&str]) -> Result<String, String> {
    let bytes = std::fs::read(model).map_err(|e| e.to_string())?;
    let mut onnx = OnnxOptions::default();
    let lengths = inputs.iter().filter_map(|word| word.strip_prefix('#'));
    onnx.sequence_lengths.extend(lengths.filter_map(SequenceLength::parse));
    let values = inputs.iter().filter(|word| !word.contains('@') && !word.starts_with('#'));
    onnx.fixed_inputs.extend(values.filter_map(|word| FixedInput::parse(word)));
    let options = ImportOptions { onnx, ..ImportOptions::default() };
    let inputs: Vec<&str> = inputs.iter().copied().filter(|word| word.contains('@')).collect();
    let graph = import_bytes(&bytes, model, &options)
        .map_err(|list| list.iter().map(|d| format!("{} {}", d.code, d.message)).collect::<Vec<_>>().join("; "))?;
    let function = graph.functions.first().ok_or("no function")?;
    let block = graph.entry(function).ok_or("no body")?;
    let mut tensors = Vec::new();
    for (&argument, input) in graph.block(block).arguments.iter().zip(inputs) {
        let (path, sizes) = input.split_once('@').unwrap_or((input, ""));
        let ty = graph.ty(argument).as_tensor().ok_or("no tensor")?;
        let sizes: Vec<i64> = sizes.split('x').filter_map(|n| n.parse().ok()).collect();
        let ty = fornax_graph::TensorType::new(&sizes, ty.element);
        tensors.push(Tensor::new(ty, std::fs::read(path).map_err(|e| e.to_string())?).map_err(|e| e.to_string())?);
    }
    let results = evaluate(&graph, &function.name, &tensors, &Limits::default()).map_err(|e| e.to_string())?;
    let mut types = Vec::new();
    for (at, result) in results.iter().enumerate() {
        std::fs::write(format!("{model}.{at}.out"), &result.bytes).map_err(|e| e.to_string())?;
        let sizes: Vec<String> = result.shape().iter().map(usize::to_string).collect();
        types.push(format!("{}@{}", result.element().spelling(), sizes.join("x")));
    }
    Ok(types.join(" "))
}

fn main() {
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let Some((&model, inputs)) = words.split_first() else { continue };
        let said = match one(model, inputs) {
            Ok(types) => format!("{model} ok {types}"),
            Err(why) => format!("{model} error {}", why.replace('\n', " ")),
        };
        println!("{said}");
        let _ = std::io::stdout().flush();
    }
}

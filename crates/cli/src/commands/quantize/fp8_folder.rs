//! A folder of Hugging Face's whose matrices of layers are floats of 8 bits with a scale for each output, as
//! compressed-tensors has them (`float-quantized`, strategy `channel`). All else is copied.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use fornax_checkpoint::convert::{Change, Source, fp8};
use fornax_checkpoint::safetensors::{self, Entry};
use fornax_types::ElementType;
use serde_json::{Map, Value, json};

use super::report::{Report, Row};
use super::{of_conversion, of_file};
use crate::atomic_file::write_atomically;
use crate::failure::{Failure, exit};

const CONFIG: &str = "config.json";
const TENSORS: &str = "model.safetensors";
/// Ends of files that are not copied: tensors, and lists of them.
const NOT_COPIED: &[&str] = &["safetensors", "bin", "pth", "pt", "gguf", "h5", "msgpack", "onnx"];
const INDEX: &str = ".index.json";
/// Parts of names of matrices that lie in layers.
const IN_LAYERS: &[&str] = &[".layers.", "layers."];
/// Ends of names of what chooses between experts.
const ROUTERS: &[&str] = &[".gate.weight", ".router.weight"];
/// The last matrix, where it is none of the embedding.
const LAST: &str = "lm_head.weight";
/// Types of models whose matrices are `[in, out]`.
const INPUTS_FIRST: &[&str] = &["gpt2"];

/// What is asked for besides matrices of layers.
#[derive(Clone, Copy)]
pub struct Asked {
    /// The settings ask for activations of 8 bits too.
    pub activations: bool,
    pub last_matrix: bool,
}

/// What becomes of a tensor.
struct Planned {
    entry: Entry,
    path: PathBuf,
    quantized: bool,
}

/// Writes the folder from one of floats.
///
/// # Errors
/// FX1003, FX1004, FX1011, FX0802.
pub fn write((input, output): (&Path, &Path), asked: Asked) -> Result<Report> {
    let config = config(input)?;
    let refuse = |what: String, help: &str| Err(Failure::new(exit::USAGE, "FX0802", what, help).into());
    match std::fs::read_dir(output).map(|mut files| files.next().is_some()) {
        Ok(true) => return refuse(format!("{} is not empty", output.display()), "give a new folder"),
        Ok(false) => {}
        Err(_) => std::fs::create_dir(output)
            .with_context(|| format!("error[FX0802]: cannot make the folder {}", output.display()))?,
    }
    let planned = planned(input, asked)?;
    if asked.last_matrix && !planned.iter().any(|tensor| tensor.quantized && is_last(&tensor.entry)) {
        let what = format!("{} holds no last matrix of its own, in f32, f16 or bf16", input.display());
        let help = "leave --last-matrix out: the embedding is the last matrix, and stays as it is";
        return Err(Failure::new(exit::USAGE, "FX1004", what, help).into());
    }
    if !planned.iter().any(|tensor| tensor.quantized) {
        let what = format!("{} holds no matrix of a layer, in f32, f16 or bf16", input.display());
        return Err(Failure::new(exit::USAGE, "FX1004", what, "").into());
    }
    let mut report = Report::default();
    write_atomically(&output.join(TENSORS), &mut |out| put_tensors(&planned, out, &mut report))?;
    copy_others(input, output)?;
    write_atomically(&output.join(CONFIG), &mut |out| {
        let text = serde_json::to_string_pretty(&with_quantization(&config, &planned, asked.activations))?;
        Ok(writeln!(out, "{text}")?)
    })?;
    Ok(report)
}

fn config(input: &Path) -> Result<Map<String, Value>> {
    let path = input.join(CONFIG);
    let refuse = |what: String| Failure::new(exit::USAGE, "FX1011", what, "give a folder as Hugging Face has it");
    let text = std::fs::read(&path).map_err(|error| refuse(format!("{}: {error}", path.display())))?;
    let config: Value =
        serde_json::from_slice(&text).map_err(|error| refuse(format!("{}: {error}", path.display())))?;
    let Value::Object(config) = config else { return Err(refuse(format!("{} is no object", path.display())).into()) };
    let model = config.get("model_type").and_then(Value::as_str).unwrap_or_default();
    if INPUTS_FIRST.contains(&model) {
        let what = format!("matrices of {model} lie by inputs, which fp8 folders do not know");
        return Err(Failure::new(exit::USAGE, "FX1004", what, "use another --type").into());
    }
    match config.get("quantization_config") {
        None | Some(Value::Null) => Ok(config),
        Some(_) => {
            let what = format!("{} is quantised already", input.display());
            Err(Failure::new(exit::USAGE, "FX1004", what, "give the checkpoint of floats that it was made of").into())
        }
    }
}

/// Every tensor, in the order of the files.
fn planned(input: &Path, asked: Asked) -> Result<Vec<Planned>> {
    let unreadable = |path: &Path| format!("error[FX0803]: cannot read {}", path.display());
    let files = std::fs::read_dir(input).with_context(|| unreadable(input))?;
    let files = files.map(|file| Ok(file?.path())).collect::<std::io::Result<Vec<PathBuf>>>();
    let mut files = files.with_context(|| unreadable(input))?;
    files.retain(|path| path.extension().is_some_and(|end| end == "safetensors"));
    files.sort();
    let mut planned: Vec<Planned> = Vec::new();
    for path in files {
        let file = File::open(&path).with_context(|| unreadable(&path))?;
        let bytes = file.metadata().with_context(|| unreadable(&path))?.len();
        let broken = |error: fornax_checkpoint::FileError| of_file(&error.context(path.display()));
        for entry in safetensors::read(&mut BufReader::new(file), bytes).map_err(broken)? {
            if planned.iter().any(|other| other.entry.name == entry.name) {
                let what = format!("tensor `{}` is in two files", entry.name);
                return Err(Failure::new(exit::USAGE, "FX1003", what, "copy the folder again").into());
            }
            let quantized = is_quantized(&entry, asked.last_matrix);
            planned.push(Planned { entry, path: path.clone(), quantized });
        }
    }
    Ok(planned)
}

fn is_last(entry: &Entry) -> bool {
    entry.name == LAST || entry.name.strip_suffix(LAST).is_some_and(|before| before.ends_with('.'))
}

/// Matrices of floats in layers, and the last one where it is asked for.
fn is_quantized(entry: &Entry, last: bool) -> bool {
    let name = entry.name.as_str();
    let is_float = matches!(entry.element, Some(ElementType::F32 | ElementType::F16 | ElementType::Bf16));
    is_float
        && entry.shape.len() == 2
        && name.ends_with(".weight")
        && (IN_LAYERS.iter().any(|part| name.contains(part)) || last && is_last(entry))
        && !ROUTERS.iter().any(|end| name.ends_with(end))
}

fn put_tensors(planned: &[Planned], out: &mut dyn Write, report: &mut Report) -> Result<()> {
    let mut header = Map::new();
    let mut at = 0u64;
    let mut place = |name: String, dtype: &str, shape: &[u64], bytes: u64| {
        header.insert(name, json!({"dtype": dtype, "shape": shape, "data_offsets": [at, at + bytes]}));
        at += bytes;
    };
    for Planned { entry, quantized, .. } in planned {
        if !quantized {
            place(entry.name.clone(), &entry.dtype, &entry.shape, entry.range.end - entry.range.start);
            continue;
        }
        let rows = entry.shape.first().copied().unwrap_or(1);
        place(entry.name.clone(), "F8_E4M3", &entry.shape, entry.shape.iter().product());
        place(format!("{}_scale", entry.name), "F32", &[rows, 1], 4 * rows);
    }
    let mut text = Value::Object(header).to_string().into_bytes();
    // The data begins at a multiple of eight bytes.
    text.resize(text.len().next_multiple_of(8), b' ');
    let cannot = "error[FX0802]: cannot write";
    out.write_all(&(text.len() as u64).to_le_bytes()).context(cannot)?;
    out.write_all(&text).context(cannot)?;
    for Planned { entry, path, quantized } in planned {
        let bytes = entry.range.end - entry.range.start;
        let mut row = Row {
            name: entry.name.clone(),
            shape: entry.shape.clone(),
            from: entry.dtype.clone(),
            to: entry.dtype.clone(),
            bytes: [bytes; 2],
            loss: None,
        };
        match entry.element.filter(|_| *quantized) {
            None => {
                let unreadable = || format!("error[FX0803]: cannot read {}", path.display());
                let mut file = File::open(path).with_context(unreadable)?;
                file.seek(SeekFrom::Start(entry.range.start)).with_context(unreadable)?;
                std::io::copy(&mut file.take(bytes), out).context(cannot)?;
            }
            Some(element) => {
                let source = Source {
                    name: entry.name.clone(),
                    pieces: vec![(path.clone(), entry.range.clone())],
                    element,
                    shape: entry.shape.clone(),
                    change: Change::None,
                };
                let (scales, loss) = fp8::write(&source, out).map_err(of_conversion)?;
                let scales: Vec<u8> = scales.iter().flat_map(|scale| scale.to_le_bytes()).collect();
                out.write_all(&scales).context(cannot)?;
                row.to = "F8_E4M3".to_string();
                row.bytes[1] = entry.shape.iter().product::<u64>() + scales.len() as u64;
                row.loss = Some(loss);
            }
        }
        report.rows.push(row);
    }
    Ok(())
}

/// Words, templates, settings.
fn copy_others(input: &Path, output: &Path) -> Result<()> {
    for file in std::fs::read_dir(input).with_context(|| format!("error[FX0803]: cannot read {}", input.display()))? {
        let path = file?.path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
        let is_tensors = path.extension().and_then(|end| end.to_str()).is_some_and(|end| NOT_COPIED.contains(&end));
        if path.is_file() && !is_tensors && name != CONFIG && !name.ends_with(INDEX) {
            std::fs::copy(&path, output.join(name))
                .with_context(|| format!("error[FX0802]: cannot copy {}", path.display()))?;
        }
    }
    Ok(())
}

/// The settings with what says how the matrices lie.
fn with_quantization(config: &Map<String, Value>, planned: &[Planned], narrow: bool) -> Value {
    let kept = |tensor: &&Planned| !tensor.quantized && tensor.entry.shape.len() == 2;
    let ignored: Vec<&str> =
        planned.iter().filter(kept).filter_map(|tensor| tensor.entry.name.strip_suffix(".weight")).collect();
    let mut config = config.clone();
    let weights = json!({
        "num_bits": 8, "type": "float", "strategy": "channel", "symmetric": true, "dynamic": false,
        "observer": "minmax", "group_size": null, "block_structure": null,
    });
    let activations = json!({"num_bits": 8, "type": "float", "strategy": "token", "symmetric": true, "dynamic": true});
    let activations = if narrow { activations } else { Value::Null };
    let group = json!({
        "targets": ["Linear"], "weights": weights, "input_activations": activations, "output_activations": null,
    });
    config.insert(
        "quantization_config".into(),
        json!({
            "quant_method": "compressed-tensors", "format": "float-quantized", "quantization_status": "compressed",
            "config_groups": {"group_0": group}, "ignore": ignored, "kv_cache_scheme": null,
        }),
    );
    Value::Object(config)
}

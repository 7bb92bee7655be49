//! A GGUF file of another file, or of a folder.

use std::path::Path;

use anyhow::{Context, Result};
use fornax_checkpoint::blocks::Kind;
use fornax_checkpoint::convert::{self, Aim, Change, Conversion, Source};
use fornax_checkpoint::gguf::{Gguf, Value};
use fornax_checkpoint::gguf_writer::{NewTensor, header};
use fornax_types::ElementType;

use super::report::{Report, Row};
use super::{of_conversion, of_file, put_zeros};
use crate::atomic_file::write_atomically;
use crate::failure::{Failure, exit};

const OUTPUT: &str = "output.weight";
/// What says how a file was quantised, and its value (`GGML_QNT_VERSION`).
const VERSION: (&str, u64) = ("general.quantization_version", 2);
const FILE_TYPE: &str = "general.file_type";

/// Writes the file.
///
/// # Errors
/// FX1001 to FX1004, those of importing a folder, FX0802.
pub fn write(input: &Path, aim: Aim, output: &Path) -> Result<Report> {
    let Conversion { mut values, tensors, made } = if input.is_dir() { of_folder(input)? } else { of_gguf(input)? };
    values.insert(VERSION.0.into(), Value::Unsigned(VERSION.1));
    values.insert(FILE_TYPE.into(), Value::Unsigned(aim.file_type()));
    let tied = !tensors.iter().any(|source| source.name == OUTPUT);
    let mut planned = Vec::new();
    for source in &tensors {
        source.check().map_err(|error| of_file(&error))?;
        let shape = source.written();
        let aim = aim.of_tensor(&source.name, &shape, tied);
        if let Some(kind) = aim.kind() {
            planned.push((source, aim, NewTensor { name: source.name.clone(), kind, shape }));
        }
    }
    let mut new: Vec<NewTensor> = planned.iter().map(|(_, _, tensor)| tensor.clone()).collect();
    for (name, numbers) in &made {
        let kind = Kind::of_element(ElementType::F32);
        new.extend(kind.map(|kind| NewTensor { name: name.clone(), kind, shape: vec![numbers.len() as u64] }));
    }
    let header = header(&values, &new);
    let mut report = Report::default();
    write_atomically(output, &mut |out| {
        out.write_all(&header.bytes).context("error[FX0802]: cannot write")?;
        let mut at = header.bytes.len() as u64;
        for ((source, aim, tensor), place) in planned.iter().zip(&header.places) {
            put_zeros(out, place.start - at)?;
            at = place.end;
            let loss = convert::write(source, *aim, out).map_err(of_conversion)?;
            report.rows.push(Row {
                name: tensor.name.clone(),
                shape: tensor.shape.clone(),
                from: source.element.spelling().to_uppercase(),
                to: tensor.kind.name.to_string(),
                bytes: [source.bytes(), tensor.bytes()],
                loss: Some(loss),
            });
        }
        for ((_, numbers), place) in made.iter().zip(header.places.iter().skip(planned.len())) {
            put_zeros(out, place.start - at)?;
            at = place.end;
            let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
            out.write_all(&bytes).context("error[FX0802]: cannot write")?;
        }
        Ok(())
    })?;
    Ok(report)
}

fn of_gguf(path: &Path) -> Result<Conversion> {
    let file = Gguf::open(path).map_err(|error| of_file(&error))?;
    let source = |entry: &fornax_checkpoint::gguf::Entry| {
        let Some(element) = entry.kind.element else {
            let what = format!("{}: tensor {} has blocks {} already", path.display(), entry.name, entry.kind.name);
            return Err(Failure::new(exit::USAGE, "FX1004", what, "give the checkpoint of floats that it was made of"));
        };
        Ok(Source {
            name: entry.name.clone(),
            pieces: vec![(path.to_path_buf(), entry.range.clone())],
            element,
            shape: entry.shape.clone(),
            change: Change::None,
        })
    };
    let tensors = file.entries.iter().map(source).collect::<Result<Vec<Source>, Failure>>()?;
    Ok(Conversion { values: file.values, tensors, made: Vec::new() })
}

/// As GGUF has it: names, keys, words.
#[cfg(feature = "text")]
fn of_folder(path: &Path) -> Result<Conversion> {
    let failed = |error: Box<fornax_import::Diagnostic>| {
        let what = format!("{}: {}", error.file, error.message);
        Failure::new(exit::USAGE, error.code, what, error.hint.as_deref().unwrap_or_default())
    };
    let mut conversion = fornax_import::checkpoint::conversion(path).map_err(failed)?;
    conversion.values.extend(fornax_text::gguf_keys(path).map_err(Failure::from)?);
    Ok(conversion)
}

#[cfg(not(feature = "text"))]
fn of_folder(path: &Path) -> Result<Conversion> {
    let what = format!("{} is a folder, whose words this build of Fornax cannot read", path.display());
    Err(Failure::new(exit::USAGE, "FX0805", what, "give a GGUF file, or use a build with the feature `text`").into())
}

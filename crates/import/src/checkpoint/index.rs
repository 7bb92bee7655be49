//! Files of a folder, and `model.safetensors.index.json`: which of them holds which tensor.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use fornax_checkpoint::safetensors;

use super::failed;
use crate::Diagnostic;

/// What an index lists must be there: a shard that was not copied shows here.
pub fn check_index(folder: &Path, holds: impl Fn(&str) -> bool) -> Result<(), Box<Diagnostic>> {
    #[derive(serde::Deserialize)]
    struct Index {
        weight_map: BTreeMap<String, String>,
    }
    let path = folder.join("model.safetensors.index.json");
    let name = path.display().to_string();
    let Ok(file) = File::open(&path) else { return Ok(()) };
    let index: Index = serde_json::from_reader(BufReader::new(file).take(safetensors::MAX_HEADER_BYTES))
        .map_err(|e| failed("FX1011", &name, e.to_string()))?;
    match index.weight_map.iter().find(|(tensor, _)| !holds(tensor.as_str())) {
        Some((tensor, file)) => Err(failed(
            "FX1013",
            &name,
            format!("tensor `{tensor}` should be in {file}, which the folder does not hold"),
        )),
        None => Ok(()),
    }
}

/// The safetensors files of a folder, by name.
pub fn shards(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let files = std::fs::read_dir(folder)?.map(|file| Ok(file?.path())).collect::<std::io::Result<Vec<_>>>()?;
    let mut files: Vec<PathBuf> =
        files.into_iter().filter(|path| path.extension().is_some_and(|end| end == "safetensors")).collect();
    files.sort();
    Ok(files)
}

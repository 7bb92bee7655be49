//! Folders as Hugging Face has them, with tensors of zeros.

use std::fmt::Write;
use std::path::Path;

/// Writes config.json, and model.safetensors with tensors of bf16 of these names and shapes.
pub fn write(folder: &Path, config: &str, tensors: &[(String, Vec<u64>)]) {
    std::fs::write(folder.join("config.json"), config).unwrap();
    let (mut header, mut end) = ("{".to_string(), 0);
    for (name, shape) in tensors {
        let start = end;
        end += 2 * shape.iter().product::<u64>();
        let comma = if header.len() > 1 { "," } else { "" };
        write!(header, r#"{comma}"{name}":{{"dtype":"BF16","shape":{shape:?},"data_offsets":[{start},{end}]}}"#)
            .unwrap();
    }
    header.push('}');
    let mut file = (header.len() as u64).to_le_bytes().to_vec();
    file.extend(header.as_bytes());
    file.resize(file.len() + end as usize, 0);
    std::fs::write(folder.join("model.safetensors"), file).unwrap();
}

//! What sentence-transformers writes next to a checkpoint: modules.json lists the steps from tokens to a vector.
//!
//! ```json
//! [{"path": "", "type": "sentence_transformers.models.Transformer"},
//!  {"path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
//!  {"path": "2_Normalize", "type": "sentence_transformers.models.Normalize"}]
//! ```

use std::fs::File;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use serde_json::Value;

use super::super::names::Naming;
use super::super::source::Checkpoint;
use super::pooling::{self, Pooling};
use crate::Diagnostic;

const MODULES: &str = "modules.json";
const SETTINGS: &str = "sentence_bert_config.json";
/// Longest file that is read, bytes.
const BYTES_MAX: u64 = 1 << 20;

/// From vectors of tokens to that of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sentence {
    pub pooling: Pooling,
    /// Brought to length 1.
    pub is_normalized: bool,
    /// Tokens of a text that the model was made for.
    pub longest: Option<u64>,
}

/// Ways of pooling by their settings.
const MODES: &[(&str, &str, Pooling)] = &[
    ("mean", "pooling_mode_mean_tokens", Pooling::Mean),
    ("cls", "pooling_mode_cls_token", Pooling::First),
    ("lasttoken", "pooling_mode_lasttoken", Pooling::Last),
];

/// What a checkpoint says; a folder without modules.json has the mean, as sentence-transformers takes it.
///
/// # Errors
/// FX1011 for files that cannot be read, FX1015 for steps that are not known.
pub fn read(checkpoint: &Checkpoint, path: &Path) -> Result<Sentence, Box<Diagnostic>> {
    if checkpoint.naming() == Naming::Gguf {
        let pooling = pooling::of_gguf(checkpoint)?;
        return Ok(Sentence { pooling, is_normalized: false, longest: None });
    }
    let longest = json(checkpoint, &path.join(SETTINGS))?;
    let longest = longest.and_then(|settings| settings.get("max_seq_length")?.as_u64()).filter(|&most| most > 0);
    let Some(modules) = json(checkpoint, &path.join(MODULES))? else {
        return Ok(Sentence { pooling: Pooling::Mean, is_normalized: false, longest });
    };
    let unknown = |what: &str| checkpoint.failed("FX1015", format!("{MODULES}: {what}"));
    let modules = modules.as_array().ok_or_else(|| unknown("no list"))?;
    let text = |module: &Value, key: &str| module.get(key).and_then(Value::as_str).unwrap_or_default().to_string();
    let modules: Vec<(String, String)> =
        modules.iter().map(|module| (text(module, "type"), text(module, "path"))).collect();
    let kinds: Vec<&str> = modules.iter().map(|(ty, _)| ty.rsplit('.').next().unwrap_or_default()).collect();
    let is_normalized = match kinds.as_slice() {
        ["Transformer", "Pooling"] => false,
        ["Transformer", "Pooling", "Normalize"] => true,
        other => {
            let what =
                format!("the steps are {}; known: Transformer, Pooling, and then maybe Normalize", other.join(", "));
            return Err(unknown(&what));
        }
    };
    let folder = |at: usize| modules.get(at).map_or(PathBuf::new(), |(_, path)| PathBuf::from(path));
    if folder(0) != Path::new("") {
        return Err(unknown("the Transformer is not in the folder itself: give its folder"));
    }
    let pooling = folder(1);
    if !pooling.components().all(|part| matches!(part, Component::Normal(_))) {
        return Err(unknown("the Pooling is not below the folder"));
    }
    let file = path.join(pooling).join("config.json");
    let name = file.display();
    let settings =
        json(checkpoint, &file)?.ok_or_else(|| checkpoint.failed("FX1011", format!("there is no {name}")))?;
    let pooling = mode(&settings).map_err(|what| checkpoint.failed("FX1015", format!("{name}: {what}")))?;
    Ok(Sentence { pooling, is_normalized, longest })
}

/// The one way of pooling that settings ask for.
fn mode(settings: &Value) -> Result<Pooling, String> {
    let known = || MODES.iter().map(|row| row.1).collect::<Vec<_>>().join(", ");
    if let Some(name) = settings.get("pooling_mode").and_then(Value::as_str) {
        let row = MODES.iter().find(|row| row.0 == name);
        return row.map(|row| row.2).ok_or_else(|| format!("`pooling_mode` is {name}; known: mean, cls, lasttoken"));
    }
    let set = settings.as_object().into_iter().flatten();
    let set = set.filter(|(name, value)| name.starts_with("pooling_mode") && **value == Value::Bool(true));
    let set: Vec<&str> = set.map(|(name, _)| name.as_str()).collect();
    match set.as_slice() {
        [name] => MODES.iter().find(|row| row.1 == *name).map(|row| row.2),
        _ => None,
    }
    .ok_or_else(|| {
        format!(
            "pooling by {}; known: one of {}",
            if set.is_empty() { "nothing".into() } else { set.join(" and ") },
            known()
        )
    })
}

fn json(checkpoint: &Checkpoint, path: &Path) -> Result<Option<Value>, Box<Diagnostic>> {
    if !path.exists() {
        return Ok(None);
    }
    let wrong = |what: String| checkpoint.failed("FX1011", format!("{}: {what}", path.display()));
    let mut text = String::new();
    let read = File::open(path).and_then(|file| file.take(BYTES_MAX).read_to_string(&mut text));
    read.map_err(|error| wrong(error.to_string()))?;
    serde_json::from_str(&text).map(Some).map_err(|error| wrong(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_way_of_pooling_is_taken() {
        let of = |text: &str| mode(&serde_json::from_str(text).unwrap());
        assert_eq!(of(r#"{"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false}"#), Ok(Pooling::First));
        assert_eq!(of(r#"{"pooling_mode": "lasttoken"}"#), Ok(Pooling::Last));
        for (text, wanted) in [
            (r#"{"pooling_mode": "max"}"#, "`pooling_mode` is max"),
            (r#"{"pooling_mode_max_tokens": true}"#, "pooling by pooling_mode_max_tokens"),
            (r#"{"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": true}"#, "pooling by pooling_mode_cls"),
            ("[]", "pooling by nothing"),
        ] {
            let error = of(text).unwrap_err();
            assert!(error.starts_with(wanted), "{error}");
        }
    }
}

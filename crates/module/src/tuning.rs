//! Tuning: which schedule a kernel takes, decided by measuring. What the three steps hand to each other.
//!
//! | step | where | reads | writes |
//! | --- | --- | --- | --- |
//! | `tune prepare` | compiler | a model | a module: one function a candidate, [`Candidate`]s in the manifest |
//! | `tune measure` | device | that module | times |
//! | `tune apply` | anywhere | times | a [`Lock`] |
//! | `compile --tuning` | compiler | the lock | a model's module |
//!
//! A *key* says what is computed (`sm_90a bf16 bf16 f32 …`), a *way* how (`wgmma 128x256x64 …`); both are one line
//! of text that the compiler makes and finds again. A lock is text with an entry a line, sorted, to be read and
//! committed:
//!
//! ```text
//! # fornax tuning 1
//! sm_90a bf16 bf16 f32 ieee rows 4096/4096 … => warpgroup 128x256x64 stages 4
//! ```

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::manifest::Manifest;

/// Entry of the manifest's provenance that holds the candidates as JSON.
pub const CANDIDATES: &str = "tuning candidates";
/// The way that the compiler takes where no lock says otherwise.
pub const BY_MODEL: &str = "model";
/// First line of a lock.
const HEADER: &str = "# fornax tuning 1";
const ARROW: &str = " => ";

/// One function of a module of candidates.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Candidate {
    pub function: String,
    pub key: String,
    pub way: String,
}

/// Chosen ways by key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lock {
    pub ways: BTreeMap<String, String>,
}

/// Text of candidates for the manifest.
pub fn candidates_text(candidates: &[Candidate]) -> String {
    serde_json::to_string(candidates).unwrap_or_default()
}

/// The candidates of a module; `None` where it holds none.
pub fn candidates(manifest: &Manifest) -> Option<Vec<Candidate>> {
    serde_json::from_str(manifest.provenance.get(CANDIDATES)?).ok()
}

impl Lock {
    /// Reads a lock.
    ///
    /// # Errors
    /// The line that is none of a lock, and why.
    pub fn parse(text: &str) -> Result<Lock, String> {
        let mut lines = text.lines().enumerate();
        if lines.next().map(|(_, line)| line.trim_end()) != Some(HEADER) {
            return Err(format!("the first line is not `{HEADER}`"));
        }
        let mut lock = Lock::default();
        for (at, line) in lines {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let entry = line.split_once(ARROW).filter(|(key, way)| !key.is_empty() && !way.is_empty());
            let (key, way) = entry.ok_or_else(|| format!("line {}: no `KEY => WAY`", at + 1))?;
            if lock.ways.insert(key.trim().to_string(), way.trim().to_string()).is_some() {
                return Err(format!("line {}: the key is there twice", at + 1));
            }
        }
        Ok(lock)
    }

    /// The lock as text, `about` (one line each) as remarks.
    pub fn text(&self, about: &[String]) -> String {
        let mut text = format!("{HEADER}\n");
        for line in about {
            text.push_str(&format!("# {line}\n"));
        }
        for (key, way) in &self.ways {
            text.push_str(&format!("{key}{ARROW}{way}\n"));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locks_are_read_back() {
        let ways = [("b 1", "wgmma 2"), ("a", "model")].map(|(k, w)| (k.to_string(), w.to_string()));
        let lock = Lock { ways: ways.into() };
        let text = lock.text(&["made on a device".into()]);
        assert_eq!(text, "# fornax tuning 1\n# made on a device\na => model\nb 1 => wgmma 2\n");
        assert_eq!(Lock::parse(&text), Ok(lock));
        for (broken, why) in [
            ("", "first line"),
            ("# fornax tuning 2\n", "first line"),
            ("# fornax tuning 1\n\na = b\n", "line 3"),
            ("# fornax tuning 1\na => b\na => c\n", "line 3"),
        ] {
            assert!(Lock::parse(broken).unwrap_err().contains(why), "{broken:?}");
        }
    }

    #[test]
    fn candidates_travel_in_the_manifest() {
        let one = Candidate { function: "t0_0".into(), key: "k".into(), way: BY_MODEL.into() };
        let mut manifest = Manifest::default();
        assert_eq!(candidates(&manifest), None);
        manifest.provenance.insert(CANDIDATES.into(), candidates_text(std::slice::from_ref(&one)));
        assert_eq!(candidates(&manifest), Some(vec![one]));
    }
}

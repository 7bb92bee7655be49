//! Which function arguments are named parameters: bound from files when the module is loaded, not given at each call.
//!
//! `--parameter-args=1..` names them `arg1`, `arg2`, …; `--parameters-from=args.json` takes the names of a manifest
//! `{"args": [{"name": "image", "kind": "input"}, {"name": "conv1/kernel", "kind": "weight"}, …]}` in argument order,
//! where kind `weight` makes a parameter.

use std::collections::HashSet;

use serde::Deserialize;

use crate::errors::CompileError;

const CODE: &str = "FX0905";

/// How the parameters of a function are chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ParameterSelection {
    #[default]
    None,
    /// Argument numbers, half-open; `None` is "to the end".
    Ranges(Vec<(usize, Option<usize>)>),
    /// (argument, name) from a manifest, and the number of arguments it lists.
    Named { arguments: usize, names: Vec<(usize, String)> },
}

#[derive(Deserialize)]
struct Manifest {
    args: Vec<ManifestArgument>,
}

#[derive(Deserialize)]
struct ManifestArgument {
    name: String,
    #[serde(default)]
    kind: String,
}

impl ParameterSelection {
    /// Reads `1..`, `1..5`, `3`, `1..3,7..`.
    pub fn parse_ranges(text: &str) -> Result<ParameterSelection, CompileError> {
        let number = |part: &str| {
            part.trim().parse::<usize>().map_err(|_| {
                CompileError::user(
                    CODE,
                    format!("`{part}` in --parameter-args={text} is no argument number (like 1.. or 1..5,7)"),
                )
            })
        };
        let mut ranges = Vec::new();
        for part in text.split(',').filter(|p| !p.trim().is_empty()) {
            ranges.push(match part.split_once("..") {
                Some((from, "")) => (number(from)?, None),
                Some((from, to)) => (number(from)?, Some(number(to)?)),
                None => (number(part)?, Some(number(part)? + 1)),
            });
        }
        Ok(ParameterSelection::Ranges(ranges))
    }

    /// Reads an argument manifest.
    pub fn parse_manifest(json: &[u8], file: &str) -> Result<ParameterSelection, CompileError> {
        let manifest: Manifest = serde_json::from_slice(json)
            .map_err(|e| CompileError::user(CODE, format!("{file} is no argument manifest: {e}")))?;
        let mut seen = HashSet::new();
        for argument in &manifest.args {
            if !seen.insert(&argument.name) {
                return Err(CompileError::user(CODE, format!("{file} names the argument `{}` twice", argument.name)));
            }
        }
        let names = manifest.args.iter().enumerate().filter(|(_, a)| a.kind == "weight");
        let names = names.map(|(at, a)| (at, a.name.clone())).collect();
        Ok(ParameterSelection::Named { arguments: manifest.args.len(), names })
    }

    /// The (argument, name) pairs for a function of `arguments` arguments.
    pub fn select(&self, function: &str, arguments: usize) -> Result<Vec<(usize, String)>, CompileError> {
        match self {
            ParameterSelection::None => Ok(Vec::new()),
            ParameterSelection::Ranges(ranges) => {
                let mut chosen = Vec::new();
                for &(from, to) in ranges {
                    let end = to.unwrap_or(arguments);
                    if from > end || end > arguments {
                        let text =
                            format!("--parameter-args names {from}..{end}, @{function} has {arguments} arguments");
                        return Err(CompileError::user(CODE, text));
                    }
                    chosen.extend((from..end).map(|at| (at, format!("arg{at}"))));
                }
                chosen.sort();
                chosen.dedup();
                Ok(chosen)
            }
            ParameterSelection::Named { arguments: listed, names } if *listed == arguments => Ok(names.clone()),
            ParameterSelection::Named { arguments: listed, .. } => Err(CompileError::user(
                CODE,
                format!("the argument manifest lists {listed} arguments, @{function} has {arguments}"),
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges() {
        let chosen = ParameterSelection::parse_ranges("1..3,5..").unwrap().select("f", 7).unwrap();
        assert_eq!(chosen.iter().map(|c| c.0).collect::<Vec<_>>(), [1, 2, 5, 6]);
        assert_eq!(chosen[0].1, "arg1");
        assert!(ParameterSelection::parse_ranges("1..9").unwrap().select("f", 7).is_err());
        assert!(ParameterSelection::parse_ranges("x").is_err());
    }

    #[test]
    fn manifest() {
        let json = br#"{"args":[{"name":"image","kind":"input"},{"name":"k","kind":"weight"}]}"#;
        let selection = ParameterSelection::parse_manifest(json, "args.json").unwrap();
        assert_eq!(selection.select("f", 2).unwrap(), [(1, "k".to_string())]);
        assert!(selection.select("f", 3).unwrap_err().message.contains("lists 2 arguments"));
    }
}

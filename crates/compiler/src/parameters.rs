//! Which function arguments are named parameters: bound from files when the module is loaded, not given at each call.
//!
//! `--parameter-args=1..` names them `arg1`, `arg2`, …; `--parameters-from=args.json` takes the names of a manifest
//! `{"args": [{"name": "image", "kind": "input"}, {"name": "conv1/kernel", "kind": "weight"}, …]}` in argument order,
//! where kind `weight` makes a parameter. Shape and dtype of an entry, where it has them, must be those of the
//! argument.

use std::collections::HashSet;

use fornax_graph::{ElementType, Type};
use serde::Deserialize;

use crate::arguments::ArgumentRanges;
use crate::errors::CompileError;

const CODE: &str = "FX0905";

/// How the parameters of a function are chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ParameterSelection {
    #[default]
    None,
    Ranges(ArgumentRanges),
    /// (argument, name) from a manifest, and the number of arguments it lists.
    Named {
        arguments: usize,
        names: Vec<(usize, String)>,
        types: Vec<ListedType>,
    },
}

/// What a manifest says of an argument's type.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListedType {
    name: String,
    /// `None` for a size that is open.
    shape: Option<Vec<Option<i64>>>,
    /// As in MLIR (`f32`) or as NumPy has it (`float32`).
    dtype: Option<String>,
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
    /// Sizes; `null`, a name or -1 is any size.
    #[serde(default)]
    shape: Option<Vec<serde_json::Value>>,
    #[serde(default)]
    dtype: Option<String>,
}

impl ListedType {
    fn of(argument: &ManifestArgument, file: &str) -> Result<ListedType, CompileError> {
        let size = |value: &serde_json::Value| match value.as_i64() {
            Some(-1) => Ok(None),
            Some(size) if size >= 0 => Ok(Some(size)),
            None if value.is_null() || value.is_string() => Ok(None),
            _ => Err(CompileError::user(
                CODE,
                format!("{file}: `{}` has a size {value}: give a number, or null", argument.name),
            )),
        };
        let shape = argument.shape.as_ref().map(|sizes| sizes.iter().map(size).collect()).transpose()?;
        Ok(ListedType { name: argument.name.clone(), shape, dtype: argument.dtype.clone() })
    }

    /// # Errors
    /// FX0905 where the argument has another shape or type than the manifest says.
    fn check(&self, function: &str, at: usize, ty: &Type) -> Result<(), CompileError> {
        let Type::Tensor(tensor) = ty else { return Ok(()) };
        let spelled = tensor.element.spelling();
        // Types may be named as NumPy and its kin do, or as MLIR does.
        let of_numpy = |name: &str| ElementType::with(|row| row.numpy == Some(name)).map(ElementType::spelling);
        let dtype = self.dtype.as_deref().map(|name| of_numpy(name).unwrap_or(name));
        let sizes: Vec<Option<i64>> = tensor.shape.iter().map(|dim| dim.as_static()).collect();
        let fits = |listed: &Vec<Option<i64>>| {
            listed.len() == sizes.len()
                && listed.iter().zip(&sizes).all(|pair| !matches!(pair, (Some(a), Some(b)) if a != b))
        };
        let shown = |sizes: &[Option<i64>], element: &str| {
            let sizes = sizes.iter().map(|size| size.map_or("?x".to_string(), |size| format!("{size}x")));
            format!("{}{element}", sizes.collect::<String>())
        };
        if self.shape.as_ref().is_none_or(fits) && dtype.is_none_or(|name| name == spelled) {
            return Ok(());
        }
        let listed = shown(self.shape.as_ref().unwrap_or(&sizes), dtype.unwrap_or(spelled));
        let (name, own) = (&self.name, shown(&sizes, spelled));
        let text =
            format!("the argument manifest says that `{name}` is {listed}; argument {at} of @{function} is {own}");
        Err(CompileError::user(CODE, text))
    }
}

impl ParameterSelection {
    /// Reads `1..`, `1..5`, `3`, `1..3,7..`.
    pub fn parse_ranges(text: &str) -> Result<ParameterSelection, CompileError> {
        ArgumentRanges::parse("--parameter-args", text).map(ParameterSelection::Ranges)
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
        let types = manifest.args.iter().map(|argument| ListedType::of(argument, file)).collect::<Result<_, _>>()?;
        Ok(ParameterSelection::Named { arguments: manifest.args.len(), names, types })
    }

    /// The (argument, name) pairs for a function with arguments of these types.
    ///
    /// # Errors
    /// FX0905 where the selection is of another function.
    pub fn select(&self, function: &str, types: &[Type]) -> Result<Vec<(usize, String)>, CompileError> {
        let arguments = types.len();
        match self {
            ParameterSelection::None => Ok(Vec::new()),
            ParameterSelection::Ranges(ranges) => {
                let numbers = ranges.select(function, arguments)?;
                Ok(numbers.into_iter().map(|at| (at, format!("arg{at}"))).collect())
            }
            ParameterSelection::Named { arguments: listed, names, types: said } if *listed == arguments => {
                for (at, (said, ty)) in said.iter().zip(types).enumerate() {
                    said.check(function, at, ty)?;
                }
                Ok(names.clone())
            }
            ParameterSelection::Named { arguments: listed, .. } => Err(CompileError::user(
                CODE,
                format!("the argument manifest lists {listed} arguments, @{function} has {arguments}"),
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use fornax_graph::{ElementType, TensorType};

    use super::*;

    fn floats(count: usize) -> Vec<Type> {
        vec![Type::Tensor(TensorType::new(&[2, 3], ElementType::F32)); count]
    }

    #[test]
    fn shapes_and_types_of_a_manifest_are_checked() {
        let select = |entry: &str| {
            let json = format!("{{\"args\":[{{\"name\":\"w\",\"kind\":\"weight\",{entry}}}]}}");
            ParameterSelection::parse_manifest(json.as_bytes(), "args.json")
                .and_then(|chosen| chosen.select("f", &floats(1)))
        };
        for good in [r#""shape":[2,3]"#, r#""shape":[null,3],"dtype":"f32""#, r#""shape":["n",-1],"dtype":"float32""#] {
            assert_eq!(select(good).unwrap(), [(0, "w".to_string())], "{good}");
        }
        for (bad, why) in [
            (r#""shape":[3,2]"#, "says that `w` is 3x2xf32; argument 0 of @f is 2x3xf32"),
            (r#""shape":[2]"#, "2xf32"),
            (r#""dtype":"float16""#, "2x3xf16"),
            (r#""shape":[2.5,3]"#, "a size 2.5"),
        ] {
            let error = select(bad).unwrap_err();
            assert!(error.message.contains(why), "{bad}: {}", error.message);
        }
    }

    #[test]
    fn ranges() {
        let chosen = ParameterSelection::parse_ranges("1..3,5..").unwrap().select("f", &floats(7)).unwrap();
        assert_eq!(chosen.iter().map(|c| c.0).collect::<Vec<_>>(), [1, 2, 5, 6]);
        assert_eq!(chosen[0].1, "arg1");
        assert!(ParameterSelection::parse_ranges("1..9").unwrap().select("f", &floats(7)).is_err());
        assert!(ParameterSelection::parse_ranges("x").is_err());
    }

    #[test]
    fn manifest() {
        let json = br#"{"args":[{"name":"image","kind":"input"},{"name":"k","kind":"weight"}]}"#;
        let selection = ParameterSelection::parse_manifest(json, "args.json").unwrap();
        assert_eq!(selection.select("f", &floats(2)).unwrap(), [(1, "k".to_string())]);
        assert!(selection.select("f", &floats(3)).unwrap_err().message.contains("lists 2 arguments"));
    }
}

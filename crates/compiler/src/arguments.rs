//! Arguments chosen by number (`1..`, `1..5,7`), and those that the caller gives away (`--donate`).

use fornax_graph::{Attr, AttrMap, Graph};

use crate::errors::CompileError;

const CODE: &str = "FX0905";
/// The mark of an argument whose buffer any output of its type may have.
const DONOR: &str = "jax.buffer_donor";
/// The mark of an argument whose buffer a certain output may have.
const ALIASING: &str = "tf.aliasing_output";

/// Argument numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArgumentRanges {
    /// The flag that gave them, for errors.
    flag: &'static str,
    /// Half-open; `None` is "to the end".
    ranges: Vec<(usize, Option<usize>)>,
}

impl ArgumentRanges {
    /// Reads `1..`, `1..5`, `3`, `1..3,7..`.
    ///
    /// # Errors
    /// FX0905 for what is no number.
    pub fn parse(flag: &'static str, text: &str) -> Result<ArgumentRanges, CompileError> {
        let number = |part: &str| {
            part.trim().parse::<usize>().map_err(|_| {
                let what = format!("`{part}` in {flag}={text} is no argument number (like 1.. or 1..5,7)");
                CompileError::user(CODE, what)
            })
        };
        let mut ranges = Vec::new();
        for part in text.split(',').filter(|p| !p.trim().is_empty()) {
            ranges.push(match part.split_once("..") {
                Some((from, "")) => (number(from)?, None),
                Some((from, to)) => (number(from)?, Some(number(to)?)),
                None => (number(part)?, Some(number(part)?.saturating_add(1))),
            });
        }
        Ok(ArgumentRanges { flag, ranges })
    }

    /// The numbers for a function of so many arguments, each once, ascending.
    ///
    /// # Errors
    /// FX0905 for numbers that the function does not have.
    pub fn select(&self, function: &str, arguments: usize) -> Result<Vec<usize>, CompileError> {
        let mut chosen = Vec::new();
        for &(from, to) in &self.ranges {
            let end = to.unwrap_or(arguments);
            if from > end || end > arguments {
                let text = format!("{} names {from}..{end}, @{function} has {arguments} arguments", self.flag);
                return Err(CompileError::user(CODE, text));
            }
            chosen.extend(from..end);
        }
        chosen.sort_unstable();
        chosen.dedup();
        Ok(chosen)
    }
}

/// Whether an argument with these attributes is given away.
pub(crate) fn is_donated(attrs: Option<&AttrMap>) -> bool {
    attrs.is_some_and(|attrs| attrs.get(ALIASING).is_some() || attrs.bool(DONOR) == Some(true))
}

/// Marks the chosen arguments of every public function as given away, where the model does not say so itself.
///
/// # Errors
/// FX0905 for numbers that a function does not have.
pub(crate) fn donate(graph: &mut Graph, chosen: &ArgumentRanges) -> Result<(), CompileError> {
    for at in 0..graph.functions.len() {
        let function = &graph.functions[at];
        let Some(entry) = graph.entry(function).filter(|_| !function.private) else { continue };
        let arguments = graph.block(entry).arguments.len();
        let numbers = chosen.select(&function.name, arguments)?;
        let attrs = &mut graph.functions[at].argument_attrs;
        attrs.resize_with(arguments.max(attrs.len()), Default::default);
        for number in numbers.into_iter().filter(|&n| attrs[n].get(ALIASING).is_none()).collect::<Vec<_>>() {
            attrs[number].set(DONOR, Attr::Bool(true));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODEL: &str = "
        func.func public @main(%a: tensor<4xf32>, %b: tensor<4xf32> {tf.aliasing_output = 0 : i32}) -> tensor<4xf32> {
          %0 = stablehlo.add %a, %b : tensor<4xf32> return %0 : tensor<4xf32>
        }
        func.func private @own(%a: tensor<4xf32>) -> tensor<4xf32> { return %a : tensor<4xf32> }";

    #[test]
    fn marks_of_the_model_stay() {
        let mut graph = fornax_import::import_text(MODEL, "t.mlir", &Default::default()).unwrap();
        donate(&mut graph, &ArgumentRanges::parse("--donate", "0..").unwrap()).unwrap();
        let marks = |function: usize| -> Vec<(bool, bool)> {
            let attrs = graph.functions[function].argument_attrs.iter();
            attrs.map(|a| (a.get(DONOR).is_some(), a.get(ALIASING).is_some())).collect()
        };
        assert_eq!(marks(0), [(true, false), (false, true)]);
        assert!(marks(1).iter().all(|&mark| mark == (false, false)));
    }

    #[test]
    fn numbers_that_are_not_there_are_refused() {
        let mut graph = fornax_import::import_text(MODEL, "t.mlir", &Default::default()).unwrap();
        let error = donate(&mut graph, &ArgumentRanges::parse("--donate", "1,2").unwrap()).unwrap_err();
        assert!(error.message.contains("--donate names 2..3, @main has 2 arguments"), "{}", error.message);
        assert!(ArgumentRanges::parse("--donate", "x").is_err());
        assert!(ArgumentRanges::parse("--donate", "18446744073709551615").is_ok());
    }
}

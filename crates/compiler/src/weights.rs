//! Arguments that are weights (`--weights`): known before a call, so that what depends on them alone is prepared once,
//! when the module is loaded.
//!
//! A list of parts, by commas:
//!
//! | part | the arguments |
//! | --- | --- |
//! | `3`, `1..5`, `1..` | of these numbers; every public function must have them |
//! | `params.dense` | that the exporter called so, and those below: `params.dense.kernel`, `params.dense[0]` |
//! | `auto` | whose name begins with a word of [`AUTO`] |
//!
//! A weight is called as the exporter called it. Where that gave no name, or one twice, argument 1 is `arg1`, and
//! `f.arg1` where the model has more public functions than `@f`.

use std::collections::HashSet;

use fornax_graph::Type;

use crate::arguments::ArgumentRanges;
use crate::errors::CompileError;

const CODE: &str = "FX0905";
const FLAG: &str = "--weights";
/// The part that finds weights by their names.
const BY_CONVENTION: &str = "auto";
/// First words of the names that weights have: those of Flax, Haiku and Optax, then those of Keras.
const AUTO: &[&str] =
    &["params", "parameters", "weights", "variables", "batch_stats", "trainable_variables", "non_trainable_variables"];

/// What `--weights` chooses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WeightSelection(Vec<Part>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Numbers(ArgumentRanges),
    Name(String),
    Auto,
}

/// A public function's arguments.
pub struct FunctionArguments<'a> {
    pub function: &'a str,
    pub arguments: Vec<Argument<'a>>,
}

/// One of them.
pub struct Argument<'a> {
    /// As the exporter has it.
    pub name: Option<String>,
    pub ty: &'a Type,
    /// The caller gives its buffer away.
    pub donated: bool,
}

/// Arguments of a function by number, each with its name.
pub type Named = Vec<(usize, String)>;

impl WeightSelection {
    /// Reads `1..`, `0,2..5`, `params`, `auto`.
    ///
    /// # Errors
    /// FX0905 for a list without a part, and for what begins as a number does and is none.
    pub fn parse(text: &str) -> Result<WeightSelection, CompileError> {
        let part = |part: &str| match part {
            BY_CONVENTION => Ok(Part::Auto),
            _ if part.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-')) => {
                ArgumentRanges::parse(FLAG, part).map(Part::Numbers)
            }
            _ => Ok(Part::Name(part.to_string())),
        };
        let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty()).map(part);
        let parts = parts.collect::<Result<Vec<Part>, _>>()?;
        if parts.is_empty() {
            let what =
                format!("{FLAG}={text} names no argument: give numbers (1.., 0,2..5), names, or {BY_CONVENTION}");
            return Err(CompileError::user(CODE, what));
        }
        Ok(WeightSelection(parts))
    }

    /// The weights of each function.
    ///
    /// # Errors
    /// FX0905 for numbers that a function does not have, names that none has, and arguments that cannot be weights.
    pub fn select(&self, functions: &[FunctionArguments<'_>]) -> Result<Vec<Named>, CompileError> {
        let mut chosen = vec![HashSet::new(); functions.len()];
        for part in &self.0 {
            let mut found = false;
            for (function, chosen) in functions.iter().zip(&mut chosen) {
                let numbers = part.numbers(function)?;
                found |= !numbers.is_empty();
                chosen.extend(numbers);
            }
            if !found && !matches!(part, Part::Numbers(_)) {
                return Err(part.not_found(functions));
            }
        }
        let several = functions.len() > 1;
        functions.iter().zip(chosen).map(|(function, chosen)| function.named(chosen, several)).collect()
    }
}

impl Part {
    /// The arguments of one function.
    fn numbers(&self, function: &FunctionArguments<'_>) -> Result<Vec<usize>, CompileError> {
        let by_name = |fits: &dyn Fn(&str) -> bool| {
            let all = function.arguments.iter().enumerate();
            all.filter(|(_, argument)| argument.name.as_deref().is_some_and(fits)).map(|(at, _)| at).collect()
        };
        Ok(match self {
            Part::Numbers(ranges) => ranges.select(function.function, function.arguments.len())?,
            Part::Name(name) => by_name(&|own| is_below(own, name)),
            Part::Auto => by_name(&|own| AUTO.iter().any(|word| is_below(own, word))),
        })
    }

    fn not_found(&self, functions: &[FunctionArguments<'_>]) -> CompileError {
        /// Names shown at most.
        const SHOWN: usize = 8;
        let all = functions.iter().flat_map(|function| &function.arguments);
        let names: Vec<&str> = all.filter_map(|argument| argument.name.as_deref()).collect();
        let more = if names.len() > SHOWN { ", …" } else { "" };
        let known = match names.get(..SHOWN).unwrap_or(&names) {
            [] => "the model names no argument, give numbers: 1..".to_string(),
            names => format!("their names: {}{more}", names.join(", ")),
        };
        let what = match self {
            Part::Name(name) => format!("no argument is called `{name}`"),
            _ => format!("no argument has a name that begins with {}", AUTO.join(", ")),
        };
        CompileError::user(CODE, format!("{FLAG}: {what}; {known}"))
    }
}

/// Whether a path is another one, or leads on from it.
fn is_below(path: &str, start: &str) -> bool {
    path.strip_prefix(start).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

impl FunctionArguments<'_> {
    /// The chosen arguments with their names, ascending.
    fn named(&self, chosen: HashSet<usize>, several: bool) -> Result<Named, CompileError> {
        let mut chosen: Vec<usize> = chosen.into_iter().collect();
        chosen.sort_unstable();
        let all: Vec<&str> = chosen.iter().filter_map(|at| self.arguments.get(*at)?.name.as_deref()).collect();
        let mut named = Vec::new();
        for at in chosen {
            let Some(argument) = self.arguments.get(at) else { continue };
            let refuse = |why: &str| {
                let what = format!("{FLAG}: argument {at} of @{} cannot be a weight: {why}", self.function);
                CompileError::user(CODE, what)
            };
            if argument.donated {
                return Err(refuse("its buffer is given away (--donate, or a mark of the model), and weights stay"));
            }
            if argument.ty.as_tensor().is_none_or(|ty| ty.static_shape().is_none()) {
                return Err(refuse("only a run knows its size"));
            }
            let own = argument.name.as_deref().filter(|own| all.iter().filter(|name| *name == own).count() == 1);
            named.push((at, own.map_or_else(|| self.numbered(at, several), str::to_string)));
        }
        Ok(named)
    }

    fn numbered(&self, at: usize, several: bool) -> String {
        if several { format!("{}.arg{at}", self.function) } else { format!("arg{at}") }
    }
}

#[cfg(test)]
mod tests {
    use fornax_graph::{ElementType, TensorType};

    use super::*;

    fn floats(size: i64) -> Type {
        Type::Tensor(TensorType::new(&[size], ElementType::F32))
    }

    fn function<'a>(function: &'a str, ty: &'a Type, names: &[&str]) -> FunctionArguments<'a> {
        let argument = |name: &&str| Argument {
            name: (!name.is_empty()).then(|| name.to_string()),
            ty,
            donated: *name == "cache",
        };
        FunctionArguments { function, arguments: names.iter().map(argument).collect() }
    }

    fn select(text: &str, functions: &[FunctionArguments<'_>]) -> Result<Vec<Vec<String>>, String> {
        let selected = WeightSelection::parse(text).and_then(|chosen| chosen.select(functions));
        let shown = |named: Named| named.into_iter().map(|(at, name)| format!("{at} {name}")).collect();
        selected.map(|all| all.into_iter().map(shown).collect()).map_err(|error| error.message)
    }

    #[test]
    fn weights_are_chosen_by_number_and_by_name() {
        let ty = floats(4);
        let names = ["x", "params.a.kernel", "params.a.bias", "paramsets", "", "batch_stats[0]"];
        let one = [function("f", &ty, &names)];
        for (text, wanted) in [
            ("4..", &["4 arg4", "5 batch_stats[0]"][..]),
            ("2,1..3", &["1 params.a.kernel", "2 params.a.bias"]),
            ("params", &["1 params.a.kernel", "2 params.a.bias"]),
            ("params.a.bias, 0", &["0 x", "2 params.a.bias"]),
            ("auto", &["1 params.a.kernel", "2 params.a.bias", "5 batch_stats[0]"]),
        ] {
            assert_eq!(select(text, &one).unwrap(), [wanted], "{text}");
        }
        let twice = [function("f", &ty, &["w", "w", "v"])];
        assert_eq!(select("0..", &twice).unwrap(), [["0 arg0", "1 arg1", "2 v"]]);
    }

    #[test]
    fn functions_share_names_and_no_numbers() {
        let ty = floats(4);
        let two = [function("f", &ty, &["x", "", "w"]), function("g", &ty, &["x", "", "v"])];
        assert_eq!(select("1", &two).unwrap(), [["1 f.arg1"], ["1 g.arg1"]]);
        assert_eq!(select("w", &two).unwrap(), [vec!["2 w"], vec![]]);
    }

    #[test]
    fn what_cannot_be_a_weight_is_refused() {
        let ty = floats(4);
        let one = [function("f", &ty, &["x", "cache"])];
        for (text, why) in [
            ("", "names no argument"),
            (" , ", "names no argument"),
            ("1..x", "`x` in --weights=1..x is no argument number"),
            ("-1", "is no argument number"),
            ("2", "--weights names 2..3, @f has 2 arguments"),
            ("1..7", "--weights names 1..7, @f has 2 arguments"),
            ("1..0", "@f has 2 arguments"),
            ("w", "no argument is called `w`; their names: x, cache"),
            ("auto", "no argument has a name that begins with params"),
            ("1", "argument 1 of @f cannot be a weight: its buffer is given away"),
        ] {
            let error = select(text, &one).unwrap_err();
            assert!(error.contains(why), "{text}: {error}");
        }
        let nameless = [function("f", &ty, &["", ""])];
        assert!(select("auto", &nameless).unwrap_err().contains("names no argument, give numbers"));
        let token = Type::Token;
        assert!(select("0", &[function("f", &token, &["x"])]).unwrap_err().contains("only a run knows its size"));
    }
}

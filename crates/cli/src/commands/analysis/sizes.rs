//! Sizes of a function's call: numbers where they are known, else formulas in the names of the signature.
//!
//! Worked example: `@main(batchx8xf32)` has the arena `batch*32 + 256`. Without sizes [`Sizes::of`] gives `None` and
//! [`Sizes::text`] the formula; with `batch=4` they give 384 and `384`.

use fornax_module::Program;
use fornax_module::manifest::{FunctionSignature, Manifest};
use fornax_module::program::{ExprId, Function, SizeExpr};
use fornax_module::sizes::SizeValue;
use fornax_runtime::session::open_sizes;

use crate::failure::{Failure, exit};

/// Longest formula that is written out, characters.
const FORMULA_CHARS: usize = 160;

/// The expressions of a program for a call of one function.
pub struct Sizes {
    /// Names of the size slots, in their order.
    pub names: Vec<String>,
    /// Value of each slot, where it is given.
    pub slots: Vec<Option<i64>>,
    values: Vec<SizeValue>,
    texts: Vec<Formula>,
}

/// Text of an expression and how tightly it binds: 0 sum, 1 product, 2 a name, number or call.
#[derive(Clone)]
struct Formula {
    text: String,
    binding: u8,
}

impl Sizes {
    /// The sizes of a function of a program, with the given ones.
    pub fn new(program: &Program, function: &Function, given: &[(String, u64)]) -> Sizes {
        let slots = function.size_slots as usize;
        let mut names = function.shapes.slot_names.clone();
        (names.len()..slots).for_each(|at| names.push(format!("size{at}")));
        let value =
            |name: &String| given.iter().find(|size| size.0 == *name).and_then(|size| i64::try_from(size.1).ok());
        let slots: Vec<Option<i64>> = names.iter().map(value).collect();
        let values = program.evaluate_known(&slots);
        let texts = texts(program, &values, &names);
        Sizes { names, slots, values, texts }
    }

    /// The value of an expression, if it is known.
    pub fn of(&self, expr: ExprId) -> Option<u64> {
        self.values.get(expr as usize).and_then(|value| value.known())
    }

    /// The value of an expression, else its formula.
    pub fn text(&self, expr: ExprId) -> String {
        self.texts.get(expr as usize).map_or("?".into(), |formula| formula.text.clone())
    }
}

fn texts(program: &Program, values: &[SizeValue], names: &[String]) -> Vec<Formula> {
    let mut made: Vec<Formula> = Vec::with_capacity(program.exprs.len());
    for (at, expr) in program.exprs.iter().enumerate() {
        let atom = |text: String| Formula { text, binding: 2 };
        if let Some(SizeValue::Known(value)) = values.get(at) {
            made.push(atom(value.to_string()));
            continue;
        }
        let part = |id: &ExprId| made.get(*id as usize).cloned().unwrap_or_else(|| atom("?".into()));
        let within = |id: &ExprId, least: u8| {
            let part = part(id);
            if part.binding < least { format!("({})", part.text) } else { part.text }
        };
        let call = |name: &str, a: &ExprId, b: &ExprId| atom(format!("{name}({}, {})", part(a).text, part(b).text));
        let formula = match expr {
            SizeExpr::Const(value) => atom((*value as i64).to_string()),
            SizeExpr::Slot(slot) => atom(names.get(*slot as usize).cloned().unwrap_or_else(|| format!("size{slot}"))),
            SizeExpr::Add(a, b) => Formula { text: format!("{} + {}", within(a, 0), within(b, 0)), binding: 0 },
            SizeExpr::Sub(a, b) => Formula { text: format!("{} - {}", within(a, 0), within(b, 1)), binding: 0 },
            SizeExpr::Mul(a, b) => Formula { text: format!("{}*{}", within(a, 1), within(b, 1)), binding: 1 },
            SizeExpr::FloorDiv(a, b) => call("floordiv", a, b),
            SizeExpr::CeilDiv(a, b) => call("ceildiv", a, b),
            SizeExpr::Mod(a, b) => call("mod", a, b),
            SizeExpr::Min(a, b) => call("min", a, b),
            SizeExpr::Max(a, b) => call("max", a, b),
        };
        // Shared parts would make long formulas exponentially longer.
        let short = formula.text.chars().count() <= FORMULA_CHARS;
        made.push(if short { formula } else { atom("…".into()) });
    }
    made
}

/// Given sizes must be names that the module's functions leave open.
///
/// # Errors
/// FX0801 with the names that there are.
pub fn check_names(functions: &[&FunctionSignature], given: &[(String, u64)]) -> Result<(), Failure> {
    let mut known: Vec<&str> = functions.iter().flat_map(|function| open_sizes(function)).collect();
    known.sort_unstable();
    known.dedup();
    let Some((name, _)) = given.iter().find(|size| !known.contains(&size.0.as_str())) else { return Ok(()) };
    let help = match known.as_slice() {
        [] => "its inputs have fixed sizes".to_string(),
        names => format!("it leaves open: {}", names.join(", ")),
    };
    Err(Failure::new(exit::USAGE, "FX0801", format!("the module has no size {name}"), &help))
}

/// The functions that a view is of: the one named, else all.
///
/// # Errors
/// FX0710 with the names of all exports.
pub fn functions<'a>(manifest: &'a Manifest, only: Option<&str>) -> Result<Vec<&'a FunctionSignature>, Failure> {
    let chosen = manifest.functions.iter().filter(|f| only.is_none_or(|name| f.name == name));
    let chosen: Vec<&FunctionSignature> = chosen.collect();
    match (only, chosen.is_empty()) {
        (Some(name), true) => {
            let names: Vec<&str> = manifest.functions.iter().map(|f| f.name.as_str()).collect();
            let help = format!("it exports: {}", names.join(", "));
            Err(Failure::new(exit::USAGE, "FX0710", format!("the module has no function `{name}`"), &help))
        }
        _ => Ok(chosen),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_and_their_values() {
        let mut program = Program::default();
        let (four, n, m) = (program.constant(4), program.expr(SizeExpr::Slot(0)), program.expr(SizeExpr::Slot(1)));
        let sum = program.expr(SizeExpr::Add(n, m));
        let product = program.expr(SizeExpr::Mul(sum, four));
        let blocks = program.expr(SizeExpr::CeilDiv(product, four));
        let less = program.expr(SizeExpr::Sub(product, sum));
        let mut function = Function { size_slots: 2, ..Function::default() };
        function.shapes.slot_names = vec!["n".into()];
        let open = Sizes::new(&program, &function, &[]);
        assert_eq!(open.names, ["n", "size1"]);
        assert_eq!((open.of(product), open.text(product)), (None, "(n + size1)*4".to_string()));
        assert_eq!(open.text(blocks), "ceildiv((n + size1)*4, 4)");
        assert_eq!(open.text(less), "(n + size1)*4 - (n + size1)");
        assert_eq!((open.of(four), open.text(99)), (Some(4), "?".to_string()));
        let half = Sizes::new(&program, &function, &[("n".into(), 3)]);
        assert_eq!(half.text(sum), "3 + size1");
        let all = Sizes::new(&program, &function, &[("n".into(), 3), ("size1".into(), 2)]);
        assert_eq!((all.of(less), all.text(less)), (Some(15), "15".to_string()));
    }

    #[test]
    fn shared_parts_do_not_make_endless_formulas() {
        let mut program = Program::default();
        let mut last = program.expr(SizeExpr::Slot(0));
        for _ in 0..200 {
            last = program.expr(SizeExpr::Mul(last, last));
        }
        let function = Function { size_slots: 1, ..Function::default() };
        assert!(Sizes::new(&program, &function, &[]).text(last).len() < 2 * FORMULA_CHARS);
    }
}

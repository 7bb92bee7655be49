//! Calls of AMD's device library instead of our own functions, where a compilation asks for it (`--rocm-link-bc`).
//!
//! Input: an op and its operands, f32 or f64, scalars or vectors. Output: a call a lane. The backend links the
//! functions. What the library has no function for, or ours must be exact (square root, remainder), stays ours.
//!
//! Example: `exponential` of `vector<2xf32>` is two calls of `@__ocml_exp_f32`.

use std::collections::HashSet;

use fornax_plan::{Binary, Unary};

use crate::text::{Code, Scalar, Ty, Value};

/// What the symbols of the library's functions start with.
const PREFIX: &str = "@__ocml_";

/// Functions of one argument and their names in the library.
const UNARY: &[(Unary, &str)] = &[
    (Unary::Rsqrt, "rsqrt"),
    (Unary::Cbrt, "cbrt"),
    (Unary::Exponential, "exp"),
    (Unary::ExponentialMinusOne, "expm1"),
    (Unary::Log, "log"),
    (Unary::LogPlusOne, "log1p"),
    (Unary::Sine, "sin"),
    (Unary::Cosine, "cos"),
    (Unary::Tan, "tan"),
    (Unary::Tanh, "tanh"),
    (Unary::Erf, "erf"),
    (Unary::Erfc, "erfc"),
    (Unary::ErfInv, "erfinv"),
    (Unary::Asin, "asin"),
    (Unary::Acos, "acos"),
    (Unary::Atan, "atan"),
    (Unary::Sinh, "sinh"),
    (Unary::Cosh, "cosh"),
    (Unary::Asinh, "asinh"),
    (Unary::Acosh, "acosh"),
    (Unary::Atanh, "atanh"),
];
/// Functions of two arguments.
const BINARY: &[(Binary, &str)] = &[(Binary::Power, "pow"), (Binary::Atan2, "atan2")];

/// The call of an op of one argument; `None` where the library is not asked for, or has no such function.
pub fn unary(code: &mut Code, op: Unary, a: Value) -> Option<Value> {
    let row = UNARY.iter().find(|row| row.0 == op).filter(|_| code.device_library)?;
    Some(call(code, row.1, &[a]))
}

/// As [`unary`], of two arguments of one type.
pub fn binary(code: &mut Code, op: Binary, a: Value, b: Value) -> Option<Value> {
    let row = BINARY.iter().find(|row| row.0 == op).filter(|_| code.device_library)?;
    Some(call(code, row.1, &[a, b]))
}

/// Declarations of the functions that a body calls.
pub fn declarations(body: &str) -> String {
    // Every kernel comes here and few call the library: its prefix is looked for once, not each of its names.
    let called: HashSet<&str> = body.split(PREFIX).skip(1).filter_map(|rest| rest.split('(').next()).collect();
    let names = UNARY.iter().map(|row| (row.1, 1)).chain(BINARY.iter().map(|row| (row.1, 2)));
    let mut text = String::new();
    for (name, arguments) in names.filter(|_| !called.is_empty()) {
        for ty in ["f32", "f64"] {
            let function = format!("{name}_{ty}");
            if called.contains(function.as_str()) {
                let symbol = format!("{PREFIX}{function}(");
                let types = vec![ty; arguments].join(", ");
                text += &format!("  llvm.func {symbol}{types}) -> {ty} attributes {{no_unwind, will_return}}\n");
            }
        }
    }
    text
}

fn call(code: &mut Code, name: &str, arguments: &[Value]) -> Value {
    let Some(ty) = arguments.first().map(|value| value.ty) else { return code.float(Ty::scalar(Scalar::F32), 0.0) };
    let element = Ty::scalar(ty.scalar);
    let types = vec![element.to_string(); arguments.len()].join(", ");
    let lanes: Vec<Value> = (0..ty.lanes)
        .map(|lane| {
            let values: Vec<String> = arguments.iter().map(|a| code.extract(*a, lane).to_string()).collect();
            let values = values.join(", ");
            code.pure(element, format!("llvm.call {PREFIX}{name}_{element}({values}) : ({types}) -> {element}"))
        })
        .collect();
    code.assemble(&lanes)
}

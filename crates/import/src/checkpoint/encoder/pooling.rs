//! Pooling: one vector of those of all tokens.

use fornax_types::ElementType;

use super::super::function::Function;
use super::super::source::{Checkpoint, Key};
use super::super::text::{Pairing, Text, Value};
use crate::Diagnostic;

/// What the vector of a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pooling {
    /// The mean of all tokens' vectors.
    Mean,
    /// That of the first token.
    First,
    /// That of the last token.
    Last,
}

/// As vectors of length 0 cannot be brought to length 1, they are divided by this; PyTorch's number.
const LENGTH_MIN: f64 = 1e-12;

/// What a GGUF file says.
///
/// # Errors
/// FX1015 for what is no vector of a text.
pub fn of_gguf(checkpoint: &Checkpoint) -> Result<Pooling, Box<Diagnostic>> {
    const POOLING: Key = Key("pooling_type", "");
    match checkpoint.number(POOLING) {
        None => Ok(Pooling::Mean),
        Some(1.0) => Ok(Pooling::Mean),
        Some(2.0) => Ok(Pooling::First),
        Some(3.0) => Ok(Pooling::Last),
        Some(other) => checkpoint.unsupported(POOLING, &other.to_string(), "1 (mean), 2 (first token), 3 (last token)"),
    }
}

/// Tokens `[tokens, width]`, of which `count` count, as one vector `[width]`.
pub fn pooled(f: &mut Function, pooling: Pooling, hidden: &Value, count: &Value) -> Value {
    let (tokens, width) = (hidden.shape.first().copied().unwrap_or(1), hidden.last());
    let t = &mut f.text;
    let row = match pooling {
        Pooling::Mean => {
            let seen = seen(t, count, tokens);
            let part = t.convert(&seen, ElementType::F32);
            let part = t.reshape(&part, &[1, tokens]);
            let sum = t.product(&part, hidden, &Pairing { batching: &[], left: 1, right: 0 });
            let count = t.convert(count, ElementType::F32);
            let count = t.spread(&count, &sum.shape);
            t.binary("divide", &sum, &count)
        }
        Pooling::First => {
            let zero = t.index(0);
            t.block(hidden, &[&zero, &zero], &[1, width])
        }
        Pooling::Last => {
            let (one, zero) = (t.index(1), t.index(0));
            let last = t.binary("subtract", count, &one);
            t.block(hidden, &[&last, &zero], &[1, width])
        }
    };
    t.reshape(&row, &[width])
}

/// Which tokens count, `[tokens]` of i1.
pub fn seen(t: &mut Text, count: &Value, tokens: u64) -> Value {
    let number = t.iota(&[tokens], 0);
    let count = t.spread(count, &[tokens]);
    t.compare("LT", &number, &count)
}

/// A vector brought to length 1.
pub fn normalized(t: &mut Text, vector: &Value) -> Value {
    let squares = t.binary("multiply", vector, vector);
    let sum = t.reduce_last("add", &squares);
    let length = t.unary("sqrt", &sum);
    let least = t.float(LENGTH_MIN, &[]);
    let length = t.binary("maximum", &length, &least);
    let length = t.spread(&length, &vector.shape);
    t.binary("divide", vector, &length)
}

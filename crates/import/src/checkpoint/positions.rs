//! What all layers of a function share: who sees whom, and how much heads turn.

use fornax_types::ElementType;

use super::decoder::{Decoder, Factors, Pairs, Positions, Rotation};
use super::function::Function;
use super::graph::Call;
use super::names::Role;
use super::text::{Text, Value};
use crate::Diagnostic;

/// What all layers share.
pub struct Shared {
    /// Where this call's rows begin in the caches, i32.
    pub position: Value,
    /// Positions of this call's tokens, `[tokens]` of i32.
    rows: Value,
    turns: Vec<Turn>,
    /// By window: `[tokens, context]` of i1.
    seen: Vec<(Option<u64>, Value)>,
}

/// How much heads turn by one rotation, `[tokens, pairs]` of f32.
struct Turn {
    cosine: Value,
    sine: Value,
}

impl Shared {
    /// # Errors
    /// FX1013, FX1014.
    pub fn new(f: &mut Function, decoder: &Decoder, call: Call, position: Value) -> Result<Shared, Box<Diagnostic>> {
        let start = f.text.spread(&position, &[call.tokens]);
        let number = f.text.iota(&[call.tokens], 0);
        let rows = f.text.binary("add", &number, &start);
        let mut shared = Shared { position, rows, turns: Vec::new(), seen: Vec::new() };
        if let Positions::Rotary(rotations) = &decoder.positions {
            for rotation in rotations {
                let turn = turn(f, rotation, call.asked, &shared.rows)?;
                shared.turns.push(turn);
            }
        }
        let mut windows: Vec<Option<u64>> = decoder.layers.iter().map(|layer| layer.window).collect();
        windows.sort_unstable();
        windows.dedup();
        for window in windows {
            let seen = seen(&mut f.text, &shared.rows, call.context, window);
            shared.seen.push((window, seen));
        }
        Ok(shared)
    }

    /// Who sees whom in a layer, `[tokens, context]` of i1.
    pub fn seen(&self, window: Option<u64>) -> Option<&Value> {
        self.seen.iter().find(|(known, _)| *known == window).map(|(_, seen)| seen)
    }
}

fn turn(f: &mut Function, rotation: &Rotation, asked: u64, rows: &Value) -> Result<Turn, Box<Diagnostic>> {
    let pairs = rotation.width / 2;
    let factors = match rotation.factors(asked) {
        Some(Factors::Tensor(role)) => Some(f.vector(*role, 0, pairs)?),
        Some(Factors::Numbers(numbers)) => Some(f.text.floats(numbers)),
        None => None,
    };
    let t = &mut f.text;
    let sizes = [rows.last(), pairs];
    let place = t.convert(rows, ElementType::F32);
    let place = t.spread(&place, &sizes);
    let mut frequencies = t.floats(&rotation.frequencies());
    if let Some(factors) = factors {
        frequencies = t.binary("divide", &frequencies, &factors);
    }
    let frequencies = t.broadcast(&frequencies, &sizes, &[1]);
    let angle = t.binary("multiply", &place, &frequencies);
    let (mut cosine, mut sine) = (t.unary("cosine", &angle), t.unary("sine", &angle));
    if rotation.magnitude != 1.0 {
        let magnitude = t.float(rotation.magnitude, &sizes);
        cosine = t.binary("multiply", &cosine, &magnitude);
        sine = t.binary("multiply", &sine, &magnitude);
    }
    Ok(Turn { cosine, sine })
}

fn seen(t: &mut Text, rows: &Value, context: u64, window: Option<u64>) -> Value {
    let square = [rows.last(), context];
    let rows = t.spread(rows, &square);
    let columns = t.iota(&square, 1);
    let seen = t.compare("LE", &columns, &rows);
    let Some(window) = window.filter(|&window| window < context) else { return seen };
    let distance = t.binary("subtract", &rows, &columns);
    let window = t.splat(&window.to_string(), ElementType::I32, &square);
    let near = t.compare("LT", &distance, &window);
    t.binary("and", &seen, &near)
}

/// Tokens `[tokens, width]` with the vectors of their places added, where the decoder learned those.
///
/// # Errors
/// FX1013, FX1014.
pub fn placed(f: &mut Function, decoder: &Decoder, shared: &Shared, x: Value) -> Result<Value, Box<Diagnostic>> {
    if decoder.positions != Positions::Learned {
        return Ok(x);
    }
    let places = f.rows(Role::Positions, (decoder.context, decoder.width), &shared.rows)?;
    Ok(f.text.binary("add", &x, &places))
}

/// Heads `[tokens, heads, head width]` turned by their positions, in a layer with this rotation.
pub fn rotated(t: &mut Text, decoder: &Decoder, (shared, rotation): (&Shared, usize), x: &Value) -> Value {
    let Positions::Rotary(rotations) = &decoder.positions else { return x.clone() };
    let (Some(rotation), Some(turn)) = (rotations.get(rotation), shared.turns.get(rotation)) else {
        return x.clone();
    };
    turned(t, rotation, turn, x)
}

fn turned(t: &mut Text, rotation: &Rotation, by: &Turn, x: &Value) -> Value {
    let width = rotation.width;
    let (tokens, heads) = (x.shape.first().copied().unwrap_or(1), x.shape.get(1).copied().unwrap_or(1));
    let turning = t.slice_last(x, 0, width);
    let half = [tokens, heads, width / 2];
    let (first, second) = match rotation.pairs {
        Pairs::Halves => (t.slice_last(&turning, 0, width / 2), t.slice_last(&turning, width / 2, width)),
        Pairs::Neighbours => {
            let pairs = t.reshape(&turning, &[tokens, heads, width / 2, 2]);
            let (first, second) = (t.slice_last(&pairs, 0, 1), t.slice_last(&pairs, 1, 2));
            (t.reshape(&first, &half), t.reshape(&second, &half))
        }
    };
    let cosine = t.broadcast(&by.cosine, &half, &[0, 2]);
    let sine = t.broadcast(&by.sine, &half, &[0, 2]);
    let mut half_turned = |(left, a): (&Value, &Value), op: &str, (right, b): (&Value, &Value)| {
        let left = t.binary("multiply", left, a);
        let right = t.binary("multiply", right, b);
        t.binary(op, &left, &right)
    };
    let new_first = half_turned((&first, &cosine), "subtract", (&second, &sine));
    let new_second = half_turned((&second, &cosine), "add", (&first, &sine));
    let joined = match rotation.pairs {
        Pairs::Halves => t.concatenate_last(&[&new_first, &new_second]),
        Pairs::Neighbours => {
            let of_one = [tokens, heads, width / 2, 1];
            let (first, second) = (t.reshape(&new_first, &of_one), t.reshape(&new_second, &of_one));
            let pairs = t.concatenate_last(&[&first, &second]);
            t.reshape(&pairs, &turning.shape)
        }
    };
    if width == x.last() {
        return joined;
    }
    let still = t.slice_last(x, width, x.last());
    t.concatenate_last(&[&joined, &still])
}

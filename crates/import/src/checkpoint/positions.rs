//! Positions of a call's tokens: what each layer's attention is masked by, and its rotary embedding.

use fornax_types::ElementType;

use super::caches::Whose;
use super::decoder::{Decoder, Factors, Pairs, Rotation};
use super::function::Function;
use super::graph::Call;
use super::names::Role;
use super::text::{Text, Value};
use crate::Diagnostic;

/// Positions of a call's tokens.
pub struct Positions {
    /// `[tokens]` of i32.
    rows: Value,
    /// By layer.
    pub layers: Vec<View>,
}

/// What a layer has of them.
#[derive(Clone)]
pub struct View {
    /// Where this call's rows are in the caches.
    pub whose: Whose,
    /// Who sees whom, `[tokens, context]` of i1.
    pub seen: Value,
    rotary: Option<Rotary>,
}

/// A rotary embedding; angles are `[tokens, pairs]` of f32.
#[derive(Clone)]
struct Rotary {
    rotation: Rotation,
    cosine: Value,
    sine: Value,
}

impl Positions {
    /// What several layers have in common is written once.
    ///
    /// # Errors
    /// FX1013, FX1014.
    pub fn new(f: &mut Function, decoder: &Decoder, call: Call, whose: Whose) -> Result<Positions, Box<Diagnostic>> {
        let rows = match &whose {
            // A token of no text computes for position 0, so that its numbers are numbers.
            Whose::Each { positions, .. } | Whose::EachInPages { positions, .. } => {
                f.text.binary_with("maximum", positions, "0")
            }
            Whose::Only { position } | Whose::Slot { position, .. } | Whose::OneInPages { position, .. } => {
                let start = f.text.spread(position, &[call.tokens]);
                let number = f.text.iota(&[call.tokens], 0);
                f.text.binary("add", &number, &start)
            }
        };
        let (mut embeddings, mut masks, mut layers) = (Vec::<Rotary>::new(), Vec::new(), Vec::new());
        for layer in &decoder.layers {
            let rotary = match &layer.rotation {
                None => None,
                Some(wanted) => match embeddings.iter().find(|known| known.rotation == *wanted) {
                    Some(known) => Some(known.clone()),
                    None => {
                        let made = rotary(f, wanted, call.asked, &rows)?;
                        embeddings.push(made.clone());
                        Some(made)
                    }
                },
            };
            let seen = match masks.iter().find(|(window, _)| *window == layer.window) {
                Some((_, known)) => Value::clone(known),
                None => {
                    let made = seen(&mut f.text, &rows, call.context, layer.window);
                    masks.push((layer.window, made.clone()));
                    made
                }
            };
            layers.push(View { whose: whose.clone(), seen, rotary });
        }
        Ok(Positions { rows, layers })
    }
}

fn rotary(f: &mut Function, rotation: &Rotation, asked: u64, rows: &Value) -> Result<Rotary, Box<Diagnostic>> {
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
    Ok(Rotary { rotation: rotation.clone(), cosine, sine })
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

/// Tokens `[tokens, width]` with the vectors of their positions added, where the decoder has those.
///
/// # Errors
/// FX1013, FX1014.
pub fn with_learned(
    f: &mut Function,
    decoder: &Decoder,
    positions: &Positions,
    x: Value,
) -> Result<Value, Box<Diagnostic>> {
    if !decoder.learned_positions {
        return Ok(x);
    }
    let vectors = f.rows(Role::Positions, (decoder.context, decoder.width), &positions.rows)?;
    Ok(f.text.binary("add", &x, &vectors))
}

/// Heads `[tokens, heads, head width]` with the layer's rotary embedding, if it has one.
pub fn rotated(t: &mut Text, view: &View, x: &Value) -> Value {
    let Some(Rotary { rotation, cosine, sine }) = &view.rotary else { return x.clone() };
    let width = rotation.width;
    let (tokens, heads) = (x.shape.first().copied().unwrap_or(1), x.shape.get(1).copied().unwrap_or(1));
    let rotating = t.slice_last(x, 0, width);
    let half = [tokens, heads, width / 2];
    let (first, second) = match rotation.pairs {
        Pairs::Halves => (t.slice_last(&rotating, 0, width / 2), t.slice_last(&rotating, width / 2, width)),
        Pairs::Neighbours => {
            let pairs = t.reshape(&rotating, &[tokens, heads, width / 2, 2]);
            let (first, second) = (t.slice_last(&pairs, 0, 1), t.slice_last(&pairs, 1, 2));
            (t.reshape(&first, &half), t.reshape(&second, &half))
        }
    };
    let cosine = t.broadcast(cosine, &half, &[0, 2]);
    let sine = t.broadcast(sine, &half, &[0, 2]);
    let mut mixed = |(left, a): (&Value, &Value), op: &str, (right, b): (&Value, &Value)| {
        let left = t.binary("multiply", left, a);
        let right = t.binary("multiply", right, b);
        t.binary(op, &left, &right)
    };
    let new_first = mixed((&first, &cosine), "subtract", (&second, &sine));
    let new_second = mixed((&second, &cosine), "add", (&first, &sine));
    let joined = match rotation.pairs {
        Pairs::Halves => t.concatenate_last(&[&new_first, &new_second]),
        Pairs::Neighbours => {
            let of_one = [tokens, heads, width / 2, 1];
            let (first, second) = (t.reshape(&new_first, &of_one), t.reshape(&new_second, &of_one));
            let pairs = t.concatenate_last(&[&first, &second]);
            t.reshape(&pairs, &rotating.shape)
        }
    };
    if width == x.last() {
        return joined;
    }
    let still = t.slice_last(x, width, x.last());
    t.concatenate_last(&[&joined, &still])
}

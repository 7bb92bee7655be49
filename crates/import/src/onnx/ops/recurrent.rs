//! Recurrent layers: a loop over time, the products with the input all at once before it.

use fornax_graph::{Dim, ElementType, OpKind, ValueId};
use fornax_types::Scalar;

use super::activations::{activation, defaults};
use super::contrib::DOMAIN;
use super::contrib_quantised::{Second, product};
use super::matmul::dot;
use super::quantise::dynamic;
use super::{Row, Rule, many};
use crate::onnx::converter::{Converter, Result};
use crate::onnx::node::{Item, Node};

pub const ROWS: &[Row] = &[
    many("LSTM", |c, n| recurrent(c, n, Kind::Lstm, None)),
    many("GRU", |c, n| recurrent(c, n, Kind::Gru, None)),
    many("RNN", |c, n| recurrent(c, n, Kind::Plain, None)),
    // Weights lie transposed; the input, and each state, are quantised by their smallest and largest element.
    Row { domain: DOMAIN, name: "DynamicQuantizeLSTM", rule: Rule::Many(|c, n| recurrent(c, n, Kind::Lstm, Some(8))) },
];

/// Scale and zero point of weights that are bytes.
type Bytes = (ValueId, Option<ValueId>);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Lstm,
    Gru,
    Plain,
}

impl Kind {
    fn gates(self) -> i64 {
        match self {
            Kind::Lstm => 4,
            Kind::Gru => 3,
            Kind::Plain => 1,
        }
    }

    fn activations(self) -> &'static [&'static str] {
        match self {
            Kind::Lstm => &["Sigmoid", "Tanh", "Tanh"],
            Kind::Gru => &["Sigmoid", "Tanh"],
            Kind::Plain => &["Tanh"],
        }
    }
}

/// An activation with its constants.
type Function = (String, f64, f64);

/// One direction of a layer.
struct Direction<'n> {
    node: &'n Node<'n>,
    kind: Kind,
    is_back: bool,
    functions: Vec<Function>,
    hidden: Dim,
    /// `[gates · H, H]`; bytes `[H, gates · H]`.
    again: ValueId,
    again_bytes: Option<Bytes>,
    /// Biases of the products with the state, `[gates · H]`.
    again_bias: Option<ValueId>,
    /// Peepholes, `[3 · H]`.
    peepholes: Option<ValueId>,
}

fn functions(node: &Node, kind: Kind, directions: usize) -> Result<Vec<Function>> {
    let each = kind.activations();
    let names: Vec<String> = match node.texts("activations") {
        Some(list) if !list.is_empty() => list.iter().map(|s| (*s).to_string()).collect(),
        _ => each.iter().cycle().take(each.len() * directions).map(|s| (*s).to_string()).collect(),
    };
    if names.len() != each.len() * directions {
        return Err(node.broken(format!("{} activations, and {} are expected", names.len(), each.len() * directions)));
    }
    let (mut alphas, mut betas) =
        (node.floats("activation_alpha").unwrap_or_default(), node.floats("activation_beta").unwrap_or_default());
    alphas.reverse();
    betas.reverse();
    let mut out = Vec::new();
    for name in names {
        let known = [
            "Relu",
            "Tanh",
            "Sigmoid",
            "Affine",
            "LeakyRelu",
            "ThresholdedRelu",
            "ScaledTanh",
            "HardSigmoid",
            "Elu",
            "Softsign",
            "Softplus",
        ];
        let Some(name) = known.iter().find(|one| one.eq_ignore_ascii_case(&name)) else {
            return Err(node.unsupported(format!("activation `{name}`; known: {}", known.join(", "))));
        };
        let (alpha, beta) = defaults(name);
        let takes_alpha = ["Affine", "LeakyRelu", "ThresholdedRelu", "ScaledTanh", "HardSigmoid", "Elu"].contains(name);
        let takes_beta = ["Affine", "ScaledTanh", "HardSigmoid"].contains(name);
        let alpha = if takes_alpha { alphas.pop().unwrap_or(alpha) } else { alpha };
        let beta = if takes_beta { betas.pop().unwrap_or(beta) } else { beta };
        out.push(((*name).to_string(), alpha, beta));
    }
    Ok(out)
}

/// `bytes`: the input from which on scales and zero points of the two weights stand, where those are bytes.
fn recurrent(c: &mut Converter, node: &Node, kind: Kind, bytes: Option<usize>) -> Result<Vec<Item>> {
    let (mut x, weights, again) = (node.input(0)?, node.input(1)?, node.input(2)?);
    let by_batch = node.is_set("layout");
    if by_batch {
        x = c.b.transpose(x, &[1, 0, 2]);
    }
    let (&[time, batch, _], &[Dim::Static(directions), rows, columns]) =
        (c.b.shape(x).as_slice(), c.b.shape(again).as_slice())
    else {
        return Err(node.broken("three dimensions are expected, and a known number of directions"));
    };
    let hidden = if bytes.is_some() { rows } else { columns };
    let backs: &[bool] = match (node.text_or("direction", "forward"), directions) {
        ("forward", 1) => &[false],
        ("reverse", 1) => &[true],
        ("bidirectional", 2) => &[false, true],
        (other, n) => return Err(node.broken(format!("direction `{other}` with weights for {n}"))),
    };
    let functions = functions(node, kind, backs.len())?;
    c.of_rank(node, weights, 3)?;
    for (at, rank) in [(3, 2), (4, 1), (5, 3), (6, 3), (7, 2)] {
        if let Some(value) = node.optional(at) {
            c.of_rank(node, value, rank)?;
        }
    }
    let lengths = node.optional(4).map(|lengths| c.b.convert(lengths, ElementType::I64));
    let element = c.b.element(x);
    let mut all = Vec::new();
    let mut lasts: Vec<Vec<ValueId>> = vec![Vec::new(); 2];
    for (k, &is_back) in backs.iter().enumerate() {
        let one = |c: &mut Converter, value: ValueId| {
            let part = c.b.slice_dim(value, 0, Dim::Static(k as i64), Dim::Static(k as i64 + 1));
            let mut shape = c.b.shape(part);
            shape.remove(0);
            c.b.reshape(part, &shape)
        };
        let each = kind.activations().len();
        let width = c.b.scaled(hidden, kind.gates(), 0);
        let (input_bias, again_bias) = match node.optional(3) {
            Some(bias) => {
                let bias = one(c, bias);
                let end = c.of_rank(node, bias, 1)?[0];
                (Some(c.b.slice_dim(bias, 0, Dim::Static(0), width)), Some(c.b.slice_dim(bias, 0, width, end)))
            }
            None => (None, None),
        };
        let of = |c: &mut Converter, at: usize| -> Result<Bytes> {
            let scale = node.input(at)?;
            Ok((one(c, scale), node.optional(at + 1).map(|zero| one(c, zero))))
        };
        let (input_bytes, again_bytes) = match bytes {
            Some(at) => (Some(of(c, at)?), Some(of(c, at + 2)?)),
            None => (None, None),
        };
        let weights = one(c, weights);
        let mut products = match input_bytes {
            Some(bytes) => of_bytes(c, node, x, (weights, bytes))?,
            None => c.b.dot(x, weights, &dot(vec![], vec![], vec![2], vec![1]), element),
        };
        if let Some(bias) = input_bias {
            let shape = c.b.shape(products);
            let bias = c.stretch(bias, &shape);
            products = c.add(products, bias);
        }
        let peepholes = match kind {
            Kind::Lstm => node.optional(7).map(|p| one(c, p)),
            _ => None,
        };
        let direction = Direction {
            node,
            kind,
            is_back,
            functions: functions[k * each..(k + 1) * each].to_vec(),
            hidden,
            again: one(c, again),
            again_bytes,
            again_bias,
            peepholes,
        };
        let mut state = Vec::new();
        for at in if kind == Kind::Lstm { 5..7 } else { 5..6 } {
            state.push(match node.optional(at) {
                Some(start) => {
                    let start = if by_batch { c.b.transpose(start, &[1, 0, 2]) } else { start };
                    one(c, start)
                }
                None => c.b.splat(&[batch, hidden], element, Scalar::Int(0)),
            });
        }
        let rows = c.b.splat(&[time, batch, hidden], element, Scalar::Int(0));
        state.push(rows);
        let last = c.b.minus(time, Dim::Static(1));
        let last = c.b.index_of(last);
        let state = c.counted(node, time, &state, |c, round, state| {
            direction.round(c, (round, last), (products, lengths), state)
        })?;
        let Some((&rows, finals)) = state.split_last() else { return Err(node.broken("it has no state")) };
        all.push(rows);
        finals.iter().zip(&mut lasts).for_each(|(&value, list)| list.push(value));
    }
    // Y: [time, directions, batch, hidden].
    let mut results = vec![c.stacked(node, &all, 1)?];
    for list in lasts.iter().filter(|list| !list.is_empty()) {
        results.push(c.stacked(node, list, 0)?);
    }
    if by_batch {
        results[0] = c.b.transpose(results[0], &[2, 0, 1, 3]);
        for result in &mut results[1..] {
            *result = c.b.transpose(*result, &[1, 0, 2]);
        }
    }
    Ok(results.into_iter().map(Item::from).collect())
}

/// Floats `[…, K]` times bytes `[K, N]`.
fn of_bytes(c: &mut Converter, node: &Node, a: ValueId, (numbers, (scale, zero)): (ValueId, Bytes)) -> Result<ValueId> {
    let (a, a_scale, a_zero) = dynamic(c, a);
    product(c, node, (a, a_scale, Some(a_zero)), Second { numbers, scale, zero, bias: None })
}

impl Direction<'_> {
    /// A step of time: the next state, with the row that it gives in its place.
    fn round(
        &self,
        c: &mut Converter,
        (round, last): (ValueId, ValueId),
        (products, lengths): (ValueId, Option<ValueId>),
        state: &[ValueId],
    ) -> Result<Vec<ValueId>> {
        let time = if self.is_back { c.subtract(last, round) } else { round };
        let input = c.at(products, 0, time);
        let Some((&rows, old)) = state.split_last() else { return Err(self.node.broken("it has no state")) };
        let mut next = match self.kind {
            Kind::Lstm => self.lstm(c, input, old[0], old[1])?,
            Kind::Gru => vec![self.gru(c, input, old[0])?],
            Kind::Plain => {
                let sum = self.with_state(c, input, old[0])?;
                vec![self.function(c, 0, sum)?]
            }
        };
        let mut row = next[0];
        // Behind the end of a sequence its state stays, and rows are zero.
        if let Some(lengths) = lengths {
            let shape = c.b.shape(row);
            let lengths = c.b.broadcast(lengths, &[0], &shape);
            let time = c.stretch(time, &shape);
            let inside = c.b.compare("LT", time, lengths);
            for (new, &old) in next.iter_mut().zip(old) {
                *new = c.b.select(inside, *new, old);
            }
            let zero = c.number(row, 0.0);
            row = c.b.select(inside, row, zero);
        }
        next.push(c.put(rows, 0, time, row));
        Ok(next)
    }

    fn function(&self, c: &mut Converter, at: usize, a: ValueId) -> Result<ValueId> {
        let (name, alpha, beta) = &self.functions[at];
        activation(c, name, a, *alpha, *beta).ok_or_else(|| self.node.unsupported(format!("activation `{name}`")))
    }

    fn clipped(&self, c: &mut Converter, a: ValueId) -> ValueId {
        let Some(limit) = self.node.float("clip").filter(|&limit| limit > 0.0) else { return a };
        let above = c.with_number(OpKind::Maximum, a, -limit);
        c.with_number(OpKind::Minimum, above, limit)
    }

    /// `input + state · Rᵀ + bias` for rows of weights from `first` on.
    fn with_state(&self, c: &mut Converter, input: ValueId, state: ValueId) -> Result<ValueId> {
        let product = self.of_state(c, state, self.again, self.again_bias)?;
        let sum = c.add(input, product);
        Ok(self.clipped(c, sum))
    }

    fn of_state(&self, c: &mut Converter, state: ValueId, weights: ValueId, bias: Option<ValueId>) -> Result<ValueId> {
        let element = c.b.element(state);
        let product = match self.again_bytes {
            Some(bytes) => of_bytes(c, self.node, state, (weights, bytes))?,
            None => c.b.dot(state, weights, &dot(vec![], vec![], vec![1], vec![1]), element),
        };
        let Some(bias) = bias else { return Ok(product) };
        let shape = c.b.shape(product);
        let bias = c.stretch(bias, &shape);
        Ok(c.add(product, bias))
    }

    /// Columns of a gate.
    fn gate(&self, c: &mut Converter, a: ValueId, number: i64) -> ValueId {
        let (from, to) = (c.b.scaled(self.hidden, number, 0), c.b.scaled(self.hidden, number + 1, 0));
        let axis = c.b.rank(a).saturating_sub(1);
        c.b.slice_dim(a, axis, from, to)
    }

    /// Gates in the order input, output, forget, cell.
    fn lstm(&self, c: &mut Converter, input: ValueId, state: ValueId, cell: ValueId) -> Result<Vec<ValueId>> {
        let product = self.of_state(c, state, self.again, self.again_bias)?;
        let sum = c.add(input, product);
        let mut gates: Vec<ValueId> = (0..4).map(|k| self.gate(c, sum, k)).collect();
        // Peepholes are in the order input, output, forget.
        let peep = |c: &mut Converter, number: i64, gate: ValueId, cell: ValueId| {
            let Some(all) = self.peepholes else { return gate };
            let shape = c.b.shape(cell);
            let part = self.gate(c, all, number);
            let part = c.stretch(part, &shape);
            let part = c.multiply(part, cell);
            c.add(gate, part)
        };
        gates[0] = peep(c, 0, gates[0], cell);
        gates[2] = peep(c, 2, gates[2], cell);
        for at in [0, 2, 3] {
            gates[at] = self.clipped(c, gates[at]);
        }
        let enter = self.function(c, 0, gates[0])?;
        let forget = match self.node.is_set("input_forget") {
            true => {
                let one = c.number(enter, 1.0);
                c.subtract(one, enter)
            }
            false => self.function(c, 0, gates[2])?,
        };
        let new = self.function(c, 1, gates[3])?;
        let (kept, added) = (c.multiply(forget, cell), c.multiply(enter, new));
        let next = c.add(kept, added);
        let leave = peep(c, 1, gates[1], next);
        let leave = self.clipped(c, leave);
        let leave = self.function(c, 0, leave)?;
        let shown = self.function(c, 2, next)?;
        Ok(vec![c.multiply(leave, shown), next])
    }

    /// Gates in the order update, reset, hidden.
    fn gru(&self, c: &mut Converter, input: ValueId, state: ValueId) -> Result<ValueId> {
        let two = c.b.scaled(self.hidden, 2, 0);
        let three = c.b.scaled(self.hidden, 3, 0);
        let (gates, rest) =
            (c.b.slice_dim(self.again, 0, Dim::Static(0), two), c.b.slice_dim(self.again, 0, two, three));
        let (gate_bias, rest_bias) = match self.again_bias {
            Some(bias) => (Some(c.b.slice_dim(bias, 0, Dim::Static(0), two)), Some(c.b.slice_dim(bias, 0, two, three))),
            None => (None, None),
        };
        let product = self.of_state(c, state, gates, gate_bias)?;
        let part = c.b.slice_dim(input, 1, Dim::Static(0), two);
        let sum = c.add(part, product);
        let sum = self.clipped(c, sum);
        let (update, reset) = (self.gate(c, sum, 0), self.gate(c, sum, 1));
        let (update, reset) = (self.function(c, 0, update)?, self.function(c, 0, reset)?);
        let again = match self.node.is_set("linear_before_reset") {
            true => {
                let product = self.of_state(c, state, rest, rest_bias)?;
                c.multiply(reset, product)
            }
            false => {
                let state = c.multiply(reset, state);
                self.of_state(c, state, rest, rest_bias)?
            }
        };
        let last = self.gate(c, input, 2);
        let sum = c.add(last, again);
        let sum = self.clipped(c, sum);
        let new = self.function(c, 1, sum)?;
        let one = c.number(update, 1.0);
        let other = c.subtract(one, update);
        let (new, old) = (c.multiply(other, new), c.multiply(update, state));
        Ok(c.add(new, old))
    }
}

//! `linalg.generic` (named ops are written so before) and `linalg.softmax`: which StableHLO ops an op of loops is.
//!
//! ```text
//! all loops parallel             → elementwise ops on broadcast operands, gathers where a map is no projection
//! yield acc + a * b              → dot_general, or convolution where a map has windows      (contraction)
//! yield acc ∘ e, maps of windows → reduce_window                                            (window)
//! yield acc ∘ e                  → reduce; a maximum with the place where it is: one reduce of two (reduction)
//! anything else                  → a loop over the summed elements                          (sequential)
//! ```
//! The initial value is combined with the result afterwards, unless it is known to change nothing.

use fornax_graph::{BlockId, Dim, Op, OpKind, ValueId};

use super::affine::{Affine, Linear, parse_map};
use super::body::{Lane, Scope};
use super::build::{Number, ones, times};
use super::converter::{Converter, Result, Rule};
use super::gather::Place;
use fornax_graph::Attr;

pub const RULES: &[(&str, Rule)] = &[("linalg.generic", generic), ("linalg.softmax", softmax)];

/// A structured op taken apart.
pub struct Structured<'o> {
    pub op: &'o Op,
    pub sizes: Vec<Dim>,
    /// Loops that are summed over, ascending.
    pub summed: Vec<usize>,
    /// Inputs, then initial values.
    pub operands: Vec<ValueId>,
    pub maps: Vec<Vec<Affine>>,
    pub inputs: usize,
    pub block: BlockId,
    /// The block's arguments, one an operand.
    pub arguments: Vec<ValueId>,
    /// What the block yields, one an output.
    pub yields: Vec<ValueId>,
}

impl Structured<'_> {
    pub fn accumulators(&self) -> &[ValueId] {
        self.arguments.get(self.inputs..).unwrap_or(&[])
    }

    /// Loops of an output, in the order of its dimensions, when each dimension is a loop of its own or has one element.
    pub fn output_loops(&self, k: usize) -> Option<Vec<usize>> {
        let mut loops = Vec::new();
        for expr in self.maps.get(self.inputs + k)? {
            let form = expr.linear()?;
            match form.plain() {
                Some(d) => loops.push(d),
                None if form.terms.is_empty() && form.constant == 0 => {}
                None => return None,
            }
        }
        let distinct = loops.iter().all(|d| loops.iter().filter(|e| *e == d).count() == 1);
        let complete = (0..self.sizes.len()).all(|d| loops.contains(&d) || self.summed.contains(&d));
        (distinct && complete && !loops.iter().any(|d| self.summed.contains(d))).then_some(loops)
    }
}

fn generic(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let parts = take_apart(c, op)?;
    if op.results.len() != parts.yields.len() {
        return Err(c.unsupported(op, "outputs that are not tensors".into()));
    }
    if (0..parts.yields.len()).any(|k| parts.output_loops(k).is_none()) {
        return Err(c.unsupported(op, "an output whose map is not a permutation of the parallel loops".into()));
    }
    if parts.summed.is_empty() {
        return c.elementwise(&parts);
    }
    if let Some(results) = c.reductions(&parts)? {
        return Ok(results);
    }
    c.sequential(&parts)
}

fn take_apart<'o>(c: &mut Converter, op: &'o Op) -> Result<Structured<'o>> {
    let segments = c.segments(op, 2)?;
    let operands = c.operands(op)?;
    let maps: Option<Vec<(usize, Vec<Affine>)>> = match op.attrs.get("indexing_maps") {
        Some(Attr::Array(items)) => items
            .iter()
            .map(|item| match item {
                Attr::Opaque(text) => parse_map(text),
                _ => None,
            })
            .collect(),
        _ => None,
    };
    let Some(maps) = maps.filter(|m| m.len() == operands.len()) else {
        return Err(c.unsupported(op, "its `indexing_maps`".into()));
    };
    let kinds: Vec<bool> = match op.attrs.get("iterator_types") {
        Some(Attr::Array(items)) => {
            items.iter().map(|i| matches!(i, Attr::Opaque(text) if text.contains("parallel"))).collect()
        }
        _ => Vec::new(),
    };
    if maps.iter().any(|(rank, _)| *rank != kinds.len()) {
        return Err(c.malformed(op, "maps and iterators differ in number of loops".into()));
    }
    let mut sizes = vec![None; kinds.len()];
    for (&operand, (_, map)) in operands.iter().zip(&maps) {
        let shape = c.b.shape(operand);
        if shape.len() != map.len() {
            return Err(c.malformed(op, "a map does not have a result for each dimension".into()));
        }
        for (expr, n) in map.iter().zip(shape) {
            let Affine::Dim(d) = expr else { continue };
            let one = match sizes[*d] {
                Some(before) => c.b.unify(before, n, &format!("loop {d} of `{}`", op.name)),
                None => Some(n),
            };
            if one.is_none() {
                return Err(c.malformed(op, format!("loop {d} has more than one size")));
            }
            sizes[*d] = one;
        }
    }
    let settled = |size: Option<Dim>| size.map(|size| c.b.equal.canonical(&mut c.b.graph, size));
    let Some(sizes) = sizes.into_iter().map(settled).collect::<Option<Vec<Dim>>>() else {
        return Err(c.unsupported(op, "a loop whose size no operand gives".into()));
    };
    let block = c.region_block(op, 0)?;
    let arguments = c.raw.block(block).arguments.clone();
    let last = c.raw.block(block).ops.last().map(|&id| c.raw.op(id)).filter(|op| op.name == "linalg.yield");
    let yields = last.map(|op| op.operands.clone()).unwrap_or_default();
    if arguments.len() != operands.len() || yields.len() != segments[1].len() {
        return Err(c.malformed(op, "the block does not fit the operands".into()));
    }
    let summed = (0..kinds.len()).filter(|&d| !kinds[d]).collect();
    let maps = maps.into_iter().map(|(_, map)| map).collect();
    let inputs = segments[0].len();
    Ok(Structured { op, sizes, summed, operands, maps, inputs, block, arguments, yields })
}

impl Converter<'_> {
    fn elementwise(&mut self, parts: &Structured) -> Result<Vec<ValueId>> {
        let mut scope = Scope::new(parts.sizes.clone());
        self.read_needed(parts, &parts.yields, &mut scope)?;
        self.evaluate(parts.block, &parts.yields, &mut scope)?;
        let mut results = Vec::new();
        for (k, &root) in parts.yields.iter().enumerate() {
            let lane = self.lane(parts.op, root, &scope)?;
            results.push(self.output(parts, k, &lane, &scope));
        }
        Ok(results)
    }

    /// A lane in the shape of an output.
    pub fn output(&mut self, parts: &Structured, k: usize, lane: &Lane, scope: &Scope) -> ValueId {
        let loops = parts.output_loops(k).unwrap_or_default();
        let mut all = loops.clone();
        all.sort_unstable();
        let spread = self.spread(lane, &all, scope);
        let order: Vec<usize> = loops.iter().filter_map(|d| all.iter().position(|e| e == d)).collect();
        let value = self.b.transpose(spread, &order);
        let shape = self.b.shape(parts.operands[parts.inputs + k]);
        self.b.reshape(value, &shape)
    }

    /// Lanes of the block's arguments that `roots` need.
    pub fn read_needed(&mut self, parts: &Structured, roots: &[ValueId], scope: &mut Scope) -> Result<()> {
        let needed = self.needed(parts.block, roots);
        for (i, argument) in parts.arguments.iter().enumerate() {
            if needed.contains(argument) && !scope.env.contains_key(argument) {
                let lane = self.read_operand(parts, i, scope)?;
                scope.env.insert(*argument, lane);
            }
        }
        Ok(())
    }

    /// An operand's element of every iteration.
    pub fn read_operand(&mut self, parts: &Structured, i: usize, scope: &Scope) -> Result<Lane> {
        let forms: Option<Vec<Linear>> = parts.maps[i].iter().map(Affine::linear).collect();
        if let Some(forms) = forms {
            let (value, forms) = self.straighten(parts.operands[i], &forms, &parts.sizes);
            let plain: Option<Vec<usize>> = forms.iter().map(Linear::plain).collect();
            if let Some(loops) = plain
                && loops.iter().all(|d| loops.iter().filter(|e| *e == d).count() == 1)
            {
                return Ok(self.ascending(value, &loops));
            }
        }
        let mut places = Vec::new();
        for expr in &parts.maps[i] {
            places.push(match expr {
                Affine::Dim(d) => Place::Loop(*d),
                Affine::Const(n) => Place::Number(*n),
                other => Place::Lane(self.affine_lane(other, scope)),
            });
        }
        self.read_at(parts.op, parts.operands[i], &places, scope)
    }

    /// Takes dimensions with a number as index out, and slices those of one loop with a stride or an offset so that
    /// they are the loop's own; forms of several loops stay.
    pub fn straighten(&mut self, value: ValueId, forms: &[Linear], sizes: &[Dim]) -> (ValueId, Vec<Linear>) {
        let shape = self.b.shape(value);
        let (mut start, mut limit, mut strides) = (times(shape.len(), 0), shape.clone(), ones(shape.len()));
        let (mut counts, mut kept) = (shape.clone(), Vec::new());
        for (k, form) in forms.iter().enumerate() {
            match form.terms.as_slice() {
                [] if form.constant >= 0 && self.b.at_most(Dim::Static(form.constant + 1), shape[k], "a map") => {
                    (start[k], limit[k]) = (Dim::Static(form.constant), Dim::Static(form.constant + 1));
                    counts[k] = Dim::Static(1);
                    continue;
                }
                &[(d, step)] if step > 0 && form.constant >= 0 => {
                    let reach = self.b.reach(sizes[d], step);
                    let last = self.b.scaled(reach, 1, form.constant);
                    let nothing = sizes[d] == Dim::Static(0);
                    if nothing || self.b.at_most(last, shape[k], "a map") {
                        start[k] = if nothing { Dim::Static(0) } else { Dim::Static(form.constant) };
                        (limit[k], strides[k], counts[k]) = (if nothing { start[k] } else { last }, step, sizes[d]);
                        kept.push((k, Linear { terms: vec![(d, 1)], constant: 0 }));
                        continue;
                    }
                }
                _ => {}
            }
            kept.push((k, form.clone()));
        }
        let sliced = self.b.slice_of(value, &start, &limit, &strides, &counts);
        let all = self.b.shape(sliced);
        let shape: Vec<Dim> = kept.iter().map(|(k, _)| all[*k]).collect();
        (self.b.reshape(sliced, &shape), kept.into_iter().map(|(_, form)| form).collect())
    }
}

/// `linalg.softmax dimension(1)`.
fn softmax(c: &mut Converter, op: &Op) -> Result<Vec<ValueId>> {
    let input = c.operand(op, 0)?;
    let shape = c.b.shape(input);
    let dimension = c.dimension(op, "dimension", shape.len())?;
    let others: Vec<usize> = (0..shape.len()).filter(|&d| d != dimension).collect();
    let max = c.b.reduce(input, Number::Float(f64::NEG_INFINITY), &[dimension], OpKind::Maximum);
    let max = c.b.broadcast(max, &others, &shape);
    let shifted = c.b.binary(OpKind::Subtract, input, max);
    let powers = c.b.unary(OpKind::Exponential, shifted);
    let sum = c.b.reduce(powers, Number::Float(0.0), &[dimension], OpKind::Add);
    let sum = c.b.broadcast(sum, &others, &shape);
    Ok(vec![c.b.binary(OpKind::Divide, powers, sum)])
}

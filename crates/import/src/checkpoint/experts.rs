//! A mixture of experts: each token goes through the experts that its router scores highest.
//!
//! `Σ w[e] · down[e](act(gate[e](x)) · up[e](x))` over the `used` largest `w = softmax(router(x))`, which are divided
//! by their sum where the model says so. The router is f32. Of equal scores the first expert's is the larger.
//!
//! With few tokens their experts' matrices are picked, so that no other is read (`Part::picked`). Where a token goes
//! through a small part of the experts, rows are sorted by expert, in tiles of one expert each, whose matrices are
//! picked (`Part::sorted`). Else all are multiplied, with weights of 0 (`Part::all`). How rows are multiplied by
//! matrices is [`Stack`]'s.

use fornax_types::ElementType;

use super::decoder::{Decoder, Experts};
use super::expert_matrices::Stack;
use super::feed_forward::gated;
use super::function::Function;
use super::names::Role;
use super::quantized::{self, Rows};
use super::text::{Text, Value};
use crate::Diagnostic;

/// Weights of each token's experts, and which they are: `[tokens, used]` of f32 and i32.
struct Routes {
    weights: Value,
    experts: Value,
}

/// Of normed tokens `[tokens, width]`, in f32.
///
/// # Errors
/// FX1013, FX1014.
pub fn mixture(
    f: &mut Function,
    (decoder, layer): (&Decoder, u64),
    experts: &Experts,
    x: &Value,
) -> Result<Value, Box<Diagnostic>> {
    let tokens = x.shape.first().copied().unwrap_or(1);
    let scores = f.exact(x, (Role::Router, layer), experts.count)?;
    let scores = f.text.softmax_last(&scores);
    let (mut weights, numbers) = f.text.top_k(&scores, experts.used);
    if experts.normed {
        weights = f.text.divided_by_sum(&weights);
    }
    let routes = Routes { weights, experts: numbers };
    let part = Part { decoder, layer, experts };
    let rows = quantized::rows_of_experts(f, (layer, experts.count), x)?;
    let tiles = Tiles::of(tokens, experts);
    let out = match tiles {
        _ if tokens * experts.used < experts.count => part.picked(f, &routes, &rows)?,
        Some(tiles) => part.sorted(f, &routes, &rows, tiles)?,
        None => part.all(f, &routes, &rows)?,
    };
    match experts.shared {
        None => Ok(out),
        Some(width) => {
            let shared = part.shared(f, x, width)?;
            Ok(f.text.binary("add", &out, &shared))
        }
    }
}

/// Rows of one expert each, with room behind those of an expert.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Tiles {
    count: u64,
    rows: u64,
}

/// Rows of a tile: what matrix instructions take, and what a workgroup does.
const TILE_ROWS: std::ops::RangeInclusive<u64> = 16..=128;
/// Rows of all experts over those of tiles, from which tiles pay: a product by matrices of one place for all is twice
/// as fast. Derived from `passes/src/facts/picked.rs`, not measured.
const TILES_GAIN_MIN: u64 = 3;

impl Tiles {
    /// The tiles with the fewest rows, if they pay.
    fn of(tokens: u64, experts: &Experts) -> Option<Tiles> {
        let slots = tokens * experts.used;
        let filled = experts.count.min(slots);
        let of_rows = |rows: u64| Tiles { count: (slots + filled * (rows - 1)) / rows, rows };
        let sizes = (0..u64::BITS).map(|bit| 1u64 << bit).filter(|rows| TILE_ROWS.contains(rows));
        // Of equal ones, the larger: their matrices are read less often.
        let rows = |tiles: &Tiles| tiles.count * tiles.rows;
        let usual = (slots / experts.count.max(1)).max(1).next_power_of_two() / 2;
        let tiles = sizes.map(of_rows).rfind(|tiles| tiles.rows <= usual.max(*TILE_ROWS.start()))?;
        (rows(&tiles) * TILES_GAIN_MIN <= tokens * experts.count).then_some(tiles)
    }
}

/// A layer's feed-forward part.
struct Part<'a> {
    decoder: &'a Decoder,
    layer: u64,
    experts: &'a Experts,
}

impl Part<'_> {
    /// Each token by its experts alone.
    fn picked(&self, f: &mut Function, routes: &Routes, rows: &Rows) -> Result<Value, Box<Diagnostic>> {
        let (tokens, used) = (rows.x.shape.first().copied().unwrap_or(1), self.experts.used);
        let (slots, width) = (tokens * used, self.decoder.width);
        let t = &mut f.text;
        let numbers = t.reshape(&routes.experts, &[slots]);
        let each = rows.placed(t, |t, x| {
            let each = t.broadcast(x, &[tokens, used, x.last()], &[0, 2]);
            t.reshape(&each, &[slots, x.last()])
        });
        let one = (Some(&numbers), 1);
        let inner = self.inner(f, one, |t, matrices| matrices.by_place(t, &each))?;
        let down = self.down(f, one)?;
        let t = &mut f.text;
        let out = down.by_place(t, &Rows::of(inner));
        let out = t.reshape(&out, &[tokens, used, width]);
        let weights = t.spread(&routes.weights, &[tokens, used, width]);
        let out = t.binary("multiply", &out, &weights);
        Ok(t.reduce("add", &out, 1))
    }

    /// Rows of tokens sorted by expert: each expert has whole tiles, what is behind its rows is computed and not read.
    fn sorted(&self, f: &mut Function, routes: &Routes, x: &Rows, tiles: Tiles) -> Result<Value, Box<Diagnostic>> {
        let (tokens, used) = (x.x.shape.first().copied().unwrap_or(1), self.experts.used);
        let (slots, width) = (tokens * used, self.decoder.width);
        let t = &mut f.text;
        let Places { rows, experts } = places(t, routes, self.experts, tiles);
        let slot = t.iota(&[slots], 0);
        let token = t.binary_with("divide", &slot, &used.to_string());
        let nobody = t.splat("0", ElementType::I32, &[tiles.count * tiles.rows]);
        let tokens_of_rows = t.replace(&nobody, &rows, &token);
        let each = x.placed(t, |t, x| {
            let each = t.rows(x, &tokens_of_rows);
            t.reshape(&each, &[tiles.count, tiles.rows, x.last()])
        });
        let which = (Some(&experts), tiles.rows);
        let inner = self.inner(f, which, |t, matrices| matrices.by_place(t, &each))?;
        let down = self.down(f, which)?;
        let t = &mut f.text;
        let out = down.by_place(t, &Rows::of(inner));
        let out = t.reshape(&out, &[tiles.count * tiles.rows, width]);
        let out = t.rows(&out, &rows);
        let out = t.reshape(&out, &[tokens, used, width]);
        let weights = t.spread(&routes.weights, &[tokens, used, width]);
        let out = t.binary("multiply", &out, &weights);
        Ok(t.reduce("add", &out, 1))
    }

    /// Every token by every expert; the weights of those that it does not go through are 0.
    fn all(&self, f: &mut Function, routes: &Routes, rows: &Rows) -> Result<Value, Box<Diagnostic>> {
        let tokens = rows.x.shape.first().copied().unwrap_or(1);
        let inner = self.inner(f, (None, tokens), |t, matrices| matrices.by_all(t, rows))?;
        let weights = spread_weights(&mut f.text, routes, self.experts);
        let down = self.down(f, (None, tokens))?;
        Ok(down.summed(&mut f.text, &inner, &weights))
    }

    /// What the experts' second products are given; `product` multiplies tokens by matrices.
    fn inner(
        &self,
        f: &mut Function,
        which: (Option<&Value>, u64),
        product: impl Fn(&mut Text, &Stack) -> Value,
    ) -> Result<Value, Box<Diagnostic>> {
        let (count, size, width) = (self.experts.count, self.experts.width, self.decoder.width);
        let (gate, up) = if f.holds(Role::ExpertGateUpStack, self.layer) {
            let both = self.stack(f, Role::ExpertGateUpStack, [count, 2 * size, width], which)?;
            let both = product(&mut f.text, &both);
            (f.text.slice_last(&both, 0, size), f.text.slice_last(&both, size, 2 * size))
        } else {
            let gate = self.stack(f, Role::ExpertGates, [count, size, width], which)?;
            let gate = product(&mut f.text, &gate);
            let up = self.stack(f, Role::ExpertUps, [count, size, width], which)?;
            (gate, product(&mut f.text, &up))
        };
        let inner = gated(&mut f.text, self.decoder.activation, &gate, &up);
        quantized::of_experts(f, (Role::ExpertDowns, self.layer, count), &inner)
    }

    fn down(&self, f: &mut Function, which: (Option<&Value>, u64)) -> Result<Stack, Box<Diagnostic>> {
        let is_stack = f.holds(Role::ExpertDownStack, self.layer);
        let role = if is_stack { Role::ExpertDownStack } else { Role::ExpertDowns };
        self.stack(f, role, [self.experts.count, self.decoder.width, self.experts.width], which)
    }

    /// The matrices of `shape`, or those `picked`, that are multiplied by so many rows each.
    fn stack(
        &self,
        f: &mut Function,
        role: Role,
        shape: [u64; 3],
        (picked, rows): (Option<&Value>, u64),
    ) -> Result<Stack, Box<Diagnostic>> {
        if let Some(narrow) = quantized::narrow_experts(f, (role, self.layer), (shape, picked))? {
            return Ok(Stack::narrow(narrow));
        }
        let weights = f.matrices((role, self.layer), shape, (picked, rows))?;
        let order = quantized::order_of_experts(f, (role, self.layer), shape)?;
        let order = order.map(|all| picked.map_or_else(|| all.clone(), |numbers| f.text.rows(&all, numbers)));
        Ok(Stack::of_floats(weights, order))
    }

    /// `logistic(scale · x) · expert(x)`.
    fn shared(&self, f: &mut Function, x: &Value, size: u64) -> Result<Value, Box<Diagnostic>> {
        let gate = f.multiplied(x, (Role::SharedGate, self.layer), size, false)?;
        let up = f.multiplied(x, (Role::SharedUp, self.layer), size, false)?;
        let inner = gated(&mut f.text, self.decoder.activation, &gate, &up);
        let out = f.multiplied(&inner, (Role::SharedDown, self.layer), self.decoder.width, false)?;
        let scale = f.one_row(Role::SharedScale, self.layer, self.decoder.width)?;
        let t = &mut f.text;
        let scale = t.broadcast(&scale, &x.shape, &[1]);
        let scaled = t.binary("multiply", x, &scale);
        let scale = t.reduce_last("add", &scaled);
        let scale = t.unary("logistic", &scale);
        let scale = t.spread(&scale, &out.shape);
        Ok(t.binary("multiply", &out, &scale))
    }
}

/// Where rows sorted by expert lie.
struct Places {
    /// Of each token's each expert, `[tokens · used]` of i32.
    rows: Value,
    /// Of each tile, `[tiles]` of i32; those behind the last have a number that is too large.
    experts: Value,
}

/// Tile `t` of expert `e` is tile `Σ tiles(e' < e) + t` of all; a row's place in its expert's tiles is the number of
/// rows before it that go there too.
fn places(t: &mut Text, routes: &Routes, experts: &Experts, tiles: Tiles) -> Places {
    let slots = routes.experts.shape.iter().product::<u64>();
    let own = t.reshape(&routes.experts, &[slots]);
    // How many of the last dimension: comparisons as numbers, added up.
    let count = |t: &mut Text, which: &Value| {
        let numbers = t.convert(which, ElementType::I32);
        t.reduce_last("add", &numbers)
    };
    let square = [slots, slots];
    let (mine, others) = (t.spread(&own, &square), t.broadcast(&own, &square, &[1]));
    let same = t.compare("EQ", &mine, &others);
    let (row, column) = (t.iota(&square, 0), t.iota(&square, 1));
    let before = t.compare("LT", &column, &row);
    let before = t.binary("and", &same, &before);
    let rank = count(t, &before);

    let table = [experts.count, slots];
    let (number, all) = (t.iota(&table, 0), t.broadcast(&own, &table, &[1]));
    let of_expert = t.compare("EQ", &number, &all);
    let rows = count(t, &of_expert);
    let most = t.binary_with("add", &rows, &(tiles.rows - 1).to_string());
    let filled = t.binary_with("divide", &most, &tiles.rows.to_string());
    let square = [experts.count, experts.count];
    let (row, column) = (t.iota(&square, 0), t.iota(&square, 1));
    let before = t.compare("LT", &column, &row);
    let tiles_before = t.broadcast(&filled, &square, &[1]);
    let zero = t.splat("0", ElementType::I32, &square);
    let tiles_before = t.select(&before, &tiles_before, &zero);
    let first = t.reduce_last("add", &tiles_before);
    let end = t.binary("add", &first, &filled);

    let table = [tiles.count, experts.count];
    let (number, ends) = (t.iota(&table, 0), t.broadcast(&end, &table, &[1]));
    let behind = t.compare("GE", &number, &ends);
    let of_tiles = count(t, &behind);
    let first = t.rows(&first, &own);
    let first = t.binary_with("multiply", &first, &tiles.rows.to_string());
    Places { rows: t.binary("add", &first, &rank), experts: of_tiles }
}

/// Weights by expert, `[tokens, count]` of f32: 0 for those that a token does not go through.
fn spread_weights(t: &mut Text, routes: &Routes, experts: &Experts) -> Value {
    let tokens = routes.weights.shape.first().copied().unwrap_or(1);
    let cube = [tokens, experts.count, experts.used];
    let chosen = t.broadcast(&routes.experts, &cube, &[0, 2]);
    let number = t.iota(&cube, 1);
    let same = t.compare("EQ", &chosen, &number);
    let weights = t.broadcast(&routes.weights, &cube, &[0, 2]);
    let zero = t.splat("0.0", ElementType::F32, &cube);
    let weights = t.select(&same, &weights, &zero);
    t.reduce_last("add", &weights)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_are_as_long_as_experts_have_rows() {
        let of = |tokens, count, used| {
            Tiles::of(tokens, &Experts { count, used, width: 1, normed: true, shared: None }).map(|t| (t.count, t.rows))
        };
        // 4096 rows for 128 experts; as many for 8; few rows, of which every expert may have one.
        assert_eq!(of(512, 128, 8), Some((376, 16)));
        assert_eq!(of(2048, 8, 2), Some((39, 128)));
        assert_eq!(of(32, 128, 8), None);
        assert_eq!(of(512, 8, 8), None);
    }
}

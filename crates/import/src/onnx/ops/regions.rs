//! Averages or maxima of samples within the cells of regions (RoiAlign).
//!
//! A cell has as many samples down and across as the model says, or, where it says 0, as it is elements high and wide,
//! rounded up: a region 14 high in 7 rows has cells of 2, with samples at 0.5 and 1.5. Those are taken in a loop, one
//! of each cell a round, with as many rounds as the region that needs most. Samples beyond the image are 0, and all but
//! those next to it are not taken: a loop over a region of any size ends.

use fornax_graph::{Dim, ElementType, OpKind, ValueId};
use fornax_types::Scalar;

use super::grid::{Outside, Sampler, channels_last, channels_second, interpolated, picked, pixels, size_like, weight};
use super::reduce::reduced;
use super::{Row, one};
use crate::onnx::converter::{Converter, Result};
use crate::onnx::node::Node;

pub const ROWS: &[Row] = &[one("RoiAlign", roi_align)];

/// Regions along one axis of the image; floats `[regions]`.
struct Axis {
    low: ValueId,
    /// How far a cell reaches.
    cell: ValueId,
    /// Elements of the image.
    size: Dim,
    /// Which dimension of `[regions, rows, columns]` counts the cells.
    number: usize,
}

/// The cells of all regions.
struct Cells {
    /// Rows, columns.
    axes: [Axis; 2],
    /// `[regions, rows, columns]`
    shape: [Dim; 3],
}

/// What is sampled, and how.
struct Source {
    /// `[images, H, W, C]`
    images: ValueId,
    sampler: Sampler,
    is_max: bool,
}

/// `[N, C, H, W]`, `[regions, 4]` and `[regions]` to `[regions, C, rows, columns]`.
fn roi_align(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let (a, regions, numbers) = (node.input(0)?, node.input(1)?, node.input(2)?);
    let (shape, element) = (c.b.shape(a), c.b.element(a));
    let count = c.of_rank(node, regions, 2)?[0];
    let (rows, columns) = (node.int_or("output_height", 1), node.int_or("output_width", 1));
    let samples = node.int_or("sampling_ratio", 0);
    if shape.len() != 4 || rows < 1 || columns < 1 || !(0..=64).contains(&samples) {
        return Err(node.broken("four dimensions, a size of the result and 0 to 64 samples are expected"));
    }
    let out = [count, rows.into(), columns.into()];
    let cells = Cells { axes: axes_of(c, node, &out, &shape)?, shape: out };
    let images = channels_last(c, a);
    let numbers = c.b.convert(numbers, ElementType::I64);
    let sampler = Sampler { outside: Outside::Border, aligned: true, images: Some(numbers) };
    let source = Source { images: c.wide(images), sampler, is_max: node.text_or("mode", "avg") == "max" };
    let result = match samples {
        0 => by_extent(c, node, &source, &cells)?,
        _ => as_many(c, &source, &cells, samples),
    };
    let result = channels_second(c, result);
    Ok(c.b.convert(result, element))
}

/// Both axes, the rows' first.
fn axes_of(c: &mut Converter, node: &Node, out: &[Dim; 3], shape: &[Dim]) -> Result<[Axis; 2]> {
    let default = if node.version >= 16 { "half_pixel" } else { "output_half_pixel" };
    let is_half = node.text_or("coordinate_transformation_mode", default) == "half_pixel";
    let scale = node.float_or("spatial_scale", 1.0);
    let regions = c.wide(node.input(1)?);
    let edges: Vec<ValueId> = (0..4)
        .map(|k| {
            let edge = picked(c, regions, k);
            let edge = c.with_number(OpKind::Multiply, edge, scale);
            if is_half { c.with_number(OpKind::Subtract, edge, 0.5) } else { edge }
        })
        .collect();
    Ok([(1, 3, 1), (0, 2, 2)].map(|(low, high, number)| {
        let extent = c.subtract(edges[high], edges[low]);
        let extent = if is_half { extent } else { c.with_number(OpKind::Maximum, extent, 1.0) };
        let cells = size_like(c, out[number], extent);
        Axis { low: edges[low], cell: c.divide(extent, cells), size: shape[number + 1], number }
    }))
}

/// Where samples lie that are `at` cells from their region's start, and whether the image reaches there.
fn place(c: &mut Converter, axis: &Axis, at: ValueId) -> (ValueId, ValueId) {
    let out = c.b.shape(at);
    let (low, cell) = (c.b.broadcast(axis.low, &[0], &out), c.b.broadcast(axis.cell, &[0], &out));
    let far = c.multiply(at, cell);
    let x = c.add(low, far);
    let size = size_like(c, axis.size, x);
    let lowest = c.number(x, -1.0);
    let (after, before) = (c.b.compare("GE", x, lowest), c.b.compare("LE", x, size));
    let inside = c.b.binary(OpKind::And, after, before);
    let x = c.with_number(OpKind::Maximum, x, 0.0);
    let last = c.with_number(OpKind::Subtract, size, 1.0);
    (c.b.binary(OpKind::Minimum, x, last), inside)
}

/// Samples at places, with the channels behind; 0 where the image does not reach.
fn sampled(c: &mut Converter, source: &Source, places: &[(ValueId, ValueId); 2]) -> ValueId {
    let [(y, in_rows), (x, in_columns)] = *places;
    let found = match source.is_max {
        true => largest_neighbour(c, source.images, &[y, x], &source.sampler),
        false => interpolated(c, source.images, &[y, x], false, &source.sampler),
    };
    let inside = c.b.binary(OpKind::And, in_rows, in_columns);
    let zero = c.number(found, 0.0);
    let inside = over_channels(c, inside, found);
    c.b.select(inside, found, zero)
}

/// Stretched over the last dimension of `like`.
fn over_channels(c: &mut Converter, a: ValueId, like: ValueId) -> ValueId {
    let wide = c.b.shape(like);
    c.b.broadcast(a, &(0..c.b.rank(a)).collect::<Vec<_>>(), &wide)
}

/// `samples` samples of each cell down and across, all at once: `[regions, rows, columns, C]`.
fn as_many(c: &mut Converter, source: &Source, cells: &Cells, samples: i64) -> ValueId {
    let [regions, rows, columns] = cells.shape;
    let all = [regions, rows, columns, samples.into(), samples.into()];
    let places = cells.axes.each_ref().map(|axis| {
        let with = c.b.element(axis.low);
        let (cell, sample) = (c.b.iota(&all, with, axis.number), c.b.iota(&all, with, axis.number + 2));
        let middle = c.with_number(OpKind::Add, sample, 0.5);
        let part = c.with_number(OpKind::Divide, middle, samples as f64);
        let at = c.add(cell, part);
        place(c, axis, at)
    });
    let found = sampled(c, source, &places);
    reduced(c, found, &[3, 4], if source.is_max { "Max" } else { "Mean" }, false)
}

/// How the samples of a cell lie along an axis.
struct Run {
    /// Samples of a cell, `[regions]`.
    samples: ValueId,
    /// Those that are taken, `[regions]` of i64.
    taken: ValueId,
    /// The first of those, `[regions, rows, columns]`.
    first: ValueId,
}

/// As many samples as a cell is elements long. Of those beyond the image one or two are taken at each end.
fn run(c: &mut Converter, axis: &Axis, out: &[Dim; 3]) -> Run {
    let samples = c.b.unary(OpKind::Ceil, axis.cell);
    let samples = c.with_number(OpKind::Maximum, samples, 0.0);
    let some = c.with_number(OpKind::Maximum, samples, 1.0);
    let apart = c.divide(axis.cell, some);
    let reach = size_like(c, axis.size, apart);
    let reach = c.with_number(OpKind::Add, reach, 1.0);
    let most = c.divide(reach, apart);
    let most = c.b.unary(OpKind::Floor, most);
    let most = c.with_number(OpKind::Add, most, 4.0);
    let taken = c.b.binary(OpKind::Minimum, samples, most);
    let taken = c.b.convert(taken, ElementType::I64);
    // Sample k of cell n lies at low + n · cell + (k + 1/2) · apart; the image begins at -1.
    let [low, cell, apart, last] = [axis.low, axis.cell, apart, samples].map(|a| c.b.broadcast(a, &[0], out));
    let numbers = c.b.iota(out, c.b.element(low), axis.number);
    let far = c.multiply(numbers, cell);
    let start = c.add(low, far);
    let edge = c.number(start, -1.0);
    let before = c.subtract(edge, start);
    let before = c.divide(before, apart);
    let before = c.with_number(OpKind::Subtract, before, 0.5);
    let before = c.b.unary(OpKind::Floor, before);
    let before = c.with_number(OpKind::Subtract, before, 1.0);
    let first = c.b.binary(OpKind::Minimum, before, last);
    Run { samples, taken, first: c.with_number(OpKind::Maximum, first, 0.0) }
}

/// Samples as the cells are large: `[regions, rows, columns, C]`.
fn by_extent(c: &mut Converter, node: &Node, source: &Source, cells: &Cells) -> Result<ValueId> {
    let Cells { axes, shape: out } = cells;
    let runs = axes.each_ref().map(|axis| run(c, axis, out));
    let across = c.with_number(OpKind::Maximum, runs[1].taken, 1.0);
    let rounds = c.multiply(runs[0].taken, runs[1].taken);
    let most = c.b.reduce(rounds, Scalar::Int(0), &[0], OpKind::Maximum);
    let element = c.b.element(source.images);
    let mut shape = out.to_vec();
    shape.push(c.b.shape(source.images)[3]);
    let zero = c.b.splat(&shape, element, Scalar::Int(0));
    let start = if source.is_max { c.number(zero, f64::NEG_INFINITY) } else { zero };
    let sum = c.counted_to(node, most, &[start], |c, round, state| {
        let round = c.b.broadcast(round, &[], &out[..1]);
        let down = c.divide(round, across);
        let whole = c.multiply(down, across);
        let numbers = [down, c.subtract(round, whole)];
        let mut taken = c.b.compare("LT", round, rounds);
        taken = c.b.broadcast(taken, &[0], out);
        let mut places = Vec::new();
        for ((axis, run), number) in axes.iter().zip(&runs).zip(numbers) {
            let with = c.b.element(axis.low);
            let number = c.b.convert(number, with);
            let number = c.b.broadcast(number, &[0], out);
            let number = c.add(number, run.first);
            let samples = c.b.broadcast(run.samples, &[0], out);
            let within = c.b.compare("LT", number, samples);
            taken = c.b.binary(OpKind::And, taken, within);
            let some = c.with_number(OpKind::Maximum, samples, 1.0);
            let middle = c.with_number(OpKind::Add, number, 0.5);
            let part = c.divide(middle, some);
            let cell = c.b.iota(out, with, axis.number);
            let at = c.add(cell, part);
            places.push(place(c, axis, at));
        }
        let found = sampled(c, source, &[places[0], places[1]]);
        let kind = if source.is_max { OpKind::Maximum } else { OpKind::Add };
        let next = c.b.binary(kind, state[0], found);
        let taken = over_channels(c, taken, next);
        Ok(vec![c.b.select(taken, next, state[0])])
    })?[0];
    let count = c.multiply(runs[0].samples, runs[1].samples);
    let count = over_channels(c, count, sum);
    let count = c.b.convert(count, element);
    if source.is_max {
        let none = c.b.compare("LE", count, zero);
        return Ok(c.b.select(none, zero, sum));
    }
    let count = c.with_number(OpKind::Maximum, count, 1.0);
    Ok(c.divide(sum, count))
}

/// The largest of the four neighbours, each by its weight.
fn largest_neighbour(c: &mut Converter, a: ValueId, places: &[ValueId], sampler: &Sampler) -> ValueId {
    let bases: Vec<ValueId> = places.iter().map(|&p| c.b.unary(OpKind::Floor, p)).collect();
    let ratios: Vec<ValueId> = places.iter().zip(&bases).map(|(&p, &b)| c.subtract(p, b)).collect();
    let mut best: Option<ValueId> = None;
    for (dy, dx) in [(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0)] {
        let at = [c.with_number(OpKind::Add, bases[0], dy), c.with_number(OpKind::Add, bases[1], dx)];
        let (wy, wx) = (weight(c, ratios[0], dy, false), weight(c, ratios[1], dx, false));
        let factor = c.multiply(wy, wx);
        let found = pixels(c, a, &at, sampler);
        let shape = c.b.shape(found);
        let factor = c.b.broadcast(factor, &(0..shape.len() - 1).collect::<Vec<_>>(), &shape);
        let part = c.multiply(found, factor);
        best = Some(best.map_or(part, |best| c.b.binary(OpKind::Maximum, best, part)));
    }
    best.unwrap_or(a)
}

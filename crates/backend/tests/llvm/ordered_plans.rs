//! Plans of GEMVs, sorts, prefix folds and segment folds, for tests of emission and of emitted kernels.

use fornax_graph::ElementType::{self, F32, I1, I32};
use fornax_kernels::gemv::schedule::GemvSchedule;
use fornax_kernels::scan::schedule::ScanSchedule;
use fornax_kernels::scatter::schedule::SegmentSchedule;
use fornax_kernels::sort::schedule::{RadixSchedule, SortSchedule};
use fornax_plan::{Binary, Body, Combiner, Compare, KernelPlan, Node, Precision, Store};

use fornax_plan::radix::{DIGITS, Digits};

use super::emit_plans::{Maker, Random};

/// How a GEMV is cut.
#[derive(Clone, Copy)]
pub struct GemvWay {
    /// Whether the long operand is [n, k], its steps contiguous, instead of [k, n].
    pub inside: bool,
    /// Whether matrix instructions multiply.
    pub matrix: bool,
    /// Lanes of a load, tile, depth, threads across and down, as in the schedule.
    pub numbers: [u32; 5],
}

/// [m, k]·[k, n], or [m, k]·[n, k]ᵀ where `inside`, in loads of `lanes` and blocks of `tile`, by `across` × `down`
/// threads.
pub fn gemv((element, wide): (ElementType, ElementType), (m, n, k): (i64, i64, i64), way: GemvWay) -> KernelPlan {
    let GemvWay { inside, matrix, numbers: [lanes, tile, depth, across, down] } = way;
    let mut maker = Maker::default();
    let (i, j, p) = (maker.var(m), maker.var(n), maker.var(k));
    let (a, b) = (maker.input(element, m * k), maker.input(element, n * k));
    let output = maker.output(wide, m * n);
    let left = maker.load_at(a, &[(i, k), (p, 1)]);
    let right = if inside { maker.load_at(b, &[(j, k), (p, 1)]) } else { maker.load_at(b, &[(p, n), (j, 1)]) };
    let (lhs, rhs) = (maker.exprs.convert(wide, left), maker.exprs.convert(wide, right));
    let value = maker.reduced(0, wide);
    let offset = maker.at(&[(i, n), (j, 1)]);
    let stores = vec![Store { buffer: output, offset, value }];
    let precision = Precision::Ieee;
    let body = Body::Contraction { reduction: vec![p], lhs, rhs, accumulator: wide, precision, stores };
    let (short, long) = (vec![i], vec![j]);
    let (batch, long_is_lhs) = (Vec::new(), false);
    let cluster = 1;
    maker.plan(
        vec![i, j],
        body,
        GemvSchedule {
            batch,
            short,
            long,
            long_is_lhs,
            lanes,
            inside,
            tile,
            depth,
            across,
            down,
            cluster,
            matrix,
            ahead: false,
            ring: 0,
            staged: false,
            quads: false,
            fixed: false,
            turns: 0,
        },
    )
}

/// How a sort is cut.
#[derive(Clone, Copy)]
pub struct Runs {
    pub from: i64,
    pub to: i64,
    pub keep: i64,
}

/// Lines of `n` keys with their i32 partners, descending.
pub fn sort(key: ElementType, (lines, n): (i64, i64), runs: Runs, schedule: SortSchedule) -> KernelPlan {
    let mut m = Maker::default();
    let kept = n / runs.to * runs.keep + runs.keep.min(n % runs.to);
    let (line, along, source) = (m.var(lines), m.var(kept), m.var(n));
    let (keys, partners) = (m.input(key, lines * n), m.input(I32, lines * n));
    let outputs = [m.output(key, lines * kept), m.output(I32, lines * kept)];
    let operands = vec![m.load_at(keys, &[(line, n), (source, 1)]), m.load_at(partners, &[(line, n), (source, 1)])];
    let first = m.exprs.add(Node::Running { index: 0, element: key });
    let second = m.exprs.add(Node::Incoming { index: 0, element: key });
    let before = m.exprs.compare(Compare::TotalGt, first, second);
    let offset = m.at(&[(line, kept), (along, 1)]);
    let store = |m: &mut Maker, (at, buffer): (usize, u32)| {
        let value = m.reduced(at as u32, if at == 0 { key } else { I32 });
        Store { buffer, offset, value }
    };
    let stores = outputs.into_iter().enumerate().map(|o| store(&mut m, o)).collect();
    let Runs { from, to, keep } = runs;
    let body = Body::Sort { along, source, operands, before, from, to, keep, stores };
    m.plan(vec![line, along], body, schedule)
}

/// Few different keys, so that stability shows; runs of `run` are sorted.
pub fn keys(random: &mut Random, (lines, n): (i64, i64), run: i64) -> Vec<u8> {
    let mut bytes = Vec::new();
    for _ in 0..lines {
        let mut line: Vec<f32> = (0..n).map(|_| (random.next() % 11) as f32 - 5.0).collect();
        for run in line.chunks_mut(run as usize) {
            run.sort_by(|a, b| b.total_cmp(a));
        }
        bytes.extend(line.iter().flat_map(|x| x.to_le_bytes()));
    }
    bytes
}

pub fn positions((lines, n): (i64, i64)) -> Vec<u8> {
    (0..lines * n).flat_map(|i| (i as i32).to_le_bytes()).collect()
}

/// Where a prefix fold goes.
#[derive(Clone, Copy)]
pub struct Direction {
    /// Along the second variable, inside of a row, instead of the first.
    pub along_rows: bool,
    /// From the end to the start.
    pub reverse: bool,
}

/// out[i, j] = 2 · fold of x[i, j'] along the first or second variable.
pub fn scan(
    (element, combiner): (ElementType, Binary),
    (rows, columns): (i64, i64),
    direction: Direction,
    schedule: ScanSchedule,
) -> KernelPlan {
    let Direction { along_rows, reverse } = direction;
    let mut m = Maker::default();
    let (i, j) = (m.var(rows), m.var(columns));
    let (input, output) = (m.input(element, rows * columns), m.output(element, rows * columns));
    let input = m.load_at(input, &[(i, columns), (j, 1)]);
    let folded = m.reduced(0, element);
    let value = if element == I1 { folded } else { m.exprs.binary(Binary::Add, folded, folded) };
    let offset = m.at(&[(i, columns), (j, 1)]);
    let along = if along_rows { j } else { i };
    let body = Body::Scan { along, reverse, input, combiner, stores: vec![Store { buffer: output, offset, value }] };
    m.plan(vec![i, j], body, schedule)
}

/// out[r, w] = x[r, w] + sum of the updates [n, width] whose key is r; or, `general`, the last of them.
pub fn segment((rows, width, n): (i64, i64, i64), general: bool, schedule: SegmentSchedule) -> KernelPlan {
    let mut m = Maker::default();
    let (row, column, along) = (m.var(rows), m.var(width), m.var(n));
    let (keys, updates, old) = (m.input(I32, n), m.input(F32, n * width), m.input(F32, rows * width));
    let output = m.output(F32, rows * width);
    let key = m.load_at(keys, &[(along, 1)]);
    let input = m.load_at(updates, &[(along, width), (column, 1)]);
    let old = m.load_at(old, &[(row, width), (column, 1)]);
    let index = m.at(&[(row, 1)]);
    let row_node = m.exprs.add(Node::FromIndex { element: I32, index });
    let folded = m.reduced(0, F32);
    let (init, combiner, value) = if general {
        let last = m.exprs.add(Node::Incoming { index: 0, element: F32 });
        (old, Combiner::General(vec![last]), folded)
    } else {
        let zero = m.constant(F32, 0);
        (zero, Combiner::Simple(Binary::Add), m.exprs.binary(Binary::Add, old, folded))
    };
    let offset = m.at(&[(row, width), (column, 1)]);
    let stores = vec![Store { buffer: output, offset, value }];
    let body = Body::Segment { along, key, row: row_node, inputs: vec![input], inits: vec![init], combiner, stores };
    m.plan(vec![row, column], body, schedule)
}

/// Ascending keys in `0..=rows`: those of `rows` belong to no row.
pub fn rows_of(random: &mut Random, n: i64, rows: i64) -> Vec<u8> {
    let mut keys: Vec<i32> = (0..n).map(|_| (random.next() % (rows as u64 + 1)) as i32).collect();
    keys.sort_unstable();
    keys.iter().flat_map(|k| k.to_le_bytes()).collect()
}

/// Elements of lines of `n` i32 keys in 0 … 255, the digits: a count where not `moved`; else to where `starts` says,
/// with their partners.
pub fn radix((lines, n, tile): (i64, i64, i64), moved: bool, threads: u32) -> KernelPlan {
    let mut m = Maker::default();
    let tiles = (n + tile - 1) / tile;
    let (line, source) = (m.var(lines), m.var(n));
    let (digit_var, tile_var) = (m.var(DIGITS), m.var(tiles));
    let keys = m.input(I32, lines * n);
    let digit = m.load_at(keys, &[(line, n), (source, 1)]);
    let digits = Digits { source, tile, digit, digit_var, tile_var };
    let of_digit = [(line, DIGITS * tiles), (digit_var, tiles), (tile_var, 1)];
    let schedule = RadixSchedule { threads };
    let value = m.reduced(0, I32);
    if !moved {
        let buffer = m.output(I32, lines * DIGITS * tiles);
        let stores = vec![Store { buffer, offset: m.at(&of_digit), value }];
        return m.plan(vec![line, digit_var, tile_var], Body::Count { digits, stores }, schedule);
    }
    let along = m.var(n);
    let (starts, partners) = (m.input(I32, lines * DIGITS * tiles), m.input(F32, lines * n));
    let start = m.load_at(starts, &of_digit);
    let operands = vec![digit, m.load_at(partners, &[(line, n), (source, 1)])];
    let offset = m.at(&[(line, n), (along, 1)]);
    let partner = m.reduced(1, F32);
    let outputs = [m.output(I32, lines * n), m.output(F32, lines * n)];
    let stores = outputs.into_iter().zip([value, partner]).map(|(buffer, value)| Store { buffer, offset, value });
    let stores = stores.collect();
    m.plan(vec![line, along], Body::Distribute { digits, along, operands, start, stores }, schedule)
}

/// Digits of lines, most of them few, and where those of each digit and tile start.
pub fn digits_of(random: &mut Random, (lines, n, tile): (i64, i64, i64)) -> (Vec<u8>, Vec<u8>) {
    let (mut keys, mut starts) = (Vec::new(), Vec::new());
    for _ in 0..lines {
        let line: Vec<i32> = (0..n)
            .map(|_| {
                if random.next().is_multiple_of(3) { (random.next() % 256) as i32 } else { (random.next() % 4) as i32 }
            })
            .collect();
        let mut before = 0;
        for digit in 0..DIGITS as i32 {
            for tile in line.chunks(tile as usize) {
                starts.extend(i32::to_le_bytes(before));
                before += tile.iter().filter(|&&k| k == digit).count() as i32;
            }
        }
        keys.extend(line.iter().flat_map(|k| k.to_le_bytes()));
    }
    (keys, starts)
}

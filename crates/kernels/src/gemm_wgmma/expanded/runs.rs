//! What of memory a row of an operand is computed of, part by part, and how its threads find it there.
//!
//! Whatever the layout of a format, what some neighbouring blocks of a row need of a buffer are neighbouring bytes: a
//! *run*. Elements that share a byte, or a scale, are found in it at places that repeat with the *span* of eight
//! blocks. So a load's places are looked up for every 16 steps of a span, lane by lane: 16 lanes read 16 neighbouring
//! bytes, or all of them the same element. Loads of a buffer that begin at the same place are one run.
//!
//! A thread has a *grain*: so many neighbouring steps of an output. The fewer these are, the more threads read an
//! output's row side by side. Whether a load is needed must be known where code is written: which half of a byte a step
//! is in, say. A place is the sum of one number by the block of the part, one by the thread of those that share a
//! block, and one by the steps within the grain.
//!
//! Worked example, Q4_K of a file, eight blocks, 512 steps of a row: 256 bytes at 32·block + step modulo 32, 16 scales
//! and 16 least values of 8 bits at 2·block + step / 32, two f16 of either kind at block / 4. A thread has 64 steps: of
//! 32 it needs the lower halves of 32 bytes, of the others the upper ones.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use fornax_graph::ElementType;
use fornax_plan::substitute::Substitution;
use fornax_plan::{Binary, Buffer, Exprs, IndexId, KernelPlan, Node, NodeId, Unary, VarId};

use super::{LANES, loads};
use crate::access::{Step, step};
use crate::gemm_wgmma::schedule::BOX_ROW_BYTES;

/// Blocks of a part.
pub const TOGETHER: [u32; 4] = [1, 2, 4, 8];
/// Steps of a block of 16-bit floats, and of a span.
const BLOCK: u32 = BOX_ROW_BYTES / 2;
const SPAN: u32 = BLOCK * TOGETHER[TOGETHER.len() - 1];
/// Steps of a thread, the first that suits is taken. A block has as many as the last.
const GRAINS: [u32; 3] = [LANES, 2 * LANES, 4 * LANES];
/// Bytes of a copy, the first that suits is taken.
const COPIES: [u32; 3] = [16, 8, 4];
/// Bytes of the word that a shorter run lies in.
pub const WORD_BYTES: u32 = 4;
/// Runs of an operand at most.
pub const RUNS_MAX: usize = 6;
/// Bytes of all banks of shared memory.
const BANKS_BYTES: u32 = 128;

/// What the producers compute an operand of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Computed {
    pub node: NodeId,
    /// Steps of a block that a thread computes of an output.
    pub grain: u32,
    /// What is asked for of a row.
    pub runs: [Option<Length>; RUNS_MAX],
}

/// How long a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Length {
    /// Bytes, for each number of blocks of [`TOGETHER`].
    pub bytes: [u32; TOGETHER.len()],
    /// Bytes that the threads of an output read at once.
    pub at_once: u32,
}

impl Length {
    /// Bytes of so many blocks.
    pub fn of(&self, together: u32) -> u32 {
        TOGETHER.iter().zip(self.bytes).find(|(n, _)| **n == together).map_or(0, |(_, bytes)| bytes)
    }

    /// Bytes from one row to the next. Rows of bytes that eight lanes read together lie in banks of their own.
    pub fn pitch(&self, together: u32) -> u32 {
        let bytes = self.of(together);
        match self.at_once {
            0..LANES => bytes.next_multiple_of(WORD_BYTES),
            at_once => {
                let apart = at_once % BANKS_BYTES;
                bytes.saturating_sub(apart).next_multiple_of(BANKS_BYTES) + apart
            }
        }
    }
}

impl Computed {
    /// The way for an operand of 16-bit floats along a step.
    pub fn of(plan: &KernelPlan, node: NodeId, step: VarId) -> Computed {
        let walks = Walks::of((&plan.exprs, &plan.buffers), (node, step));
        let all = GRAINS.into_iter().map(|grain| (grain, TOGETHER.map(|together| walks.runs(together, grain))));
        let best = all.min_by_key(|(grain, runs)| (runs.iter().map(|r| r.others).max(), *grain));
        let (grain, runs) = best.unwrap_or_default();
        let mut lengths = [None; RUNS_MAX];
        for (at, length) in lengths.iter_mut().enumerate().take(runs[0].runs.len()) {
            let bytes = runs.each_ref().map(|of| of.runs.get(at).map_or(0, |run| run.bytes));
            *length = Some(Length { bytes, at_once: runs[0].runs[at].at_once });
        }
        Computed { node, grain, runs: lengths }
    }

    /// Threads that share an output of a block.
    pub fn sharers(&self) -> u32 {
        BLOCK / self.grain.max(1)
    }

    /// Outputs that so many threads compute at a time.
    pub fn outputs(&self, threads: u32) -> u32 {
        threads / self.sharers().max(1)
    }
}

/// What lanes read: as many bytes as they are, or one element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    Bytes,
    Element,
}

/// What a part needs of a row: bytes that are neighbours in a buffer, or elements that lie evenly apart.
#[derive(Clone, Debug)]
pub struct Run {
    pub buffer: u32,
    /// A load of it, and how many elements behind its place at the part's first step the run begins.
    pub load: NodeId,
    pub behind: i64,
    /// Bytes in shared memory, and of an element there: 0 where all of them lie in one word.
    pub bytes: u32,
    pub slot: u32,
    /// Bytes of a copy, and elements from one to the next.
    pub copy: u32,
    pub apart: i64,
    /// A copy is of the word that its elements lie in.
    pub in_words: bool,
    /// As of a [`Length`].
    pub at_once: u32,
}

impl Run {
    /// Copies of a row.
    pub fn copies(&self) -> u32 {
        (self.bytes / self.copy).max(1)
    }
}

/// by · (⌊n / 2^over⌋ modulo 2^bits).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Digit {
    pub by: i64,
    pub over: u32,
    pub bits: u32,
}

impl Digit {
    /// That of the values at 0, 1, 2, …; `None` where they are no digit.
    ///
    /// Worked example: 0, 0, 64, 64, 128, 128, 192, 192 are 64 · ⌊n / 2⌋.
    fn of(values: &[i64]) -> Option<Digit> {
        let width = values.len().next_power_of_two().trailing_zeros();
        let digits = (0..=width).flat_map(|over| (0..=width - over).map(move |bits| (over, bits)));
        let at = |over: u32, bits: u32, n: usize| (n >> over & ((1 << bits) - 1)) as i64;
        digits.into_iter().find_map(|(over, bits)| {
            let by = if bits == 0 { 0 } else { *values.get(1 << over)? };
            let fits = values.iter().enumerate().all(|(n, &value)| value == by * at(over, bits, n));
            fits.then_some(Digit { by, over, bits })
        })
    }
}

/// Where a load finds what it reads, in elements from the begin of its run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub run: usize,
    pub kind: Kind,
    /// By the block of the part, and by the thread of those that share a block.
    pub block: Digit,
    pub share: Digit,
    /// By each 16 steps of the grain.
    pub lanes: Vec<i64>,
}

/// What an operand is computed of, in parts of so many blocks.
#[derive(Default)]
pub struct Runs {
    pub runs: Vec<Run>,
    places: HashMap<NodeId, Place>,
    /// Loads that are read where they are used.
    others: usize,
}

impl Runs {
    /// Of an operand along a step.
    pub fn of(plan: &KernelPlan, (computed, along): (Computed, VarId), together: u32) -> Runs {
        Walks::of((&plan.exprs, &plan.buffers), (computed.node, along)).runs(together, computed.grain)
    }

    /// Where a load finds what it reads.
    pub fn place(&self, load: NodeId) -> Option<&Place> {
        self.places.get(&load)
    }
}

/// Places of the loads of an operand.
struct Walks {
    known: Vec<Walk>,
    /// Loads whose places do not repeat.
    others: usize,
}

/// Places of a load, for each 16 steps of a span.
struct Walk {
    load: NodeId,
    kind: Kind,
    buffer: u32,
    element: u32,
    /// The buffer is whole words: none begins inside of it and ends outside.
    is_whole: bool,
    /// The place at the first step of a span, but for what is constant, and bytes that divide it.
    base: IndexId,
    aligned: i64,
    /// Elements behind that.
    places: Vec<i64>,
    /// Whether what is there is needed; `None` where that depends on the span.
    needed: Vec<Option<bool>>,
}

/// The step that a span lies along, the span's first one, and a lane.
#[derive(Clone, Copy)]
struct Span {
    along: VarId,
    first: IndexId,
    lane: VarId,
}

/// Where 16 lanes of a load begin, and whether it is needed there.
#[derive(Clone, Copy)]
struct Moved {
    offset: IndexId,
    needed: Option<bool>,
}

impl Walks {
    fn of((exprs, buffers): (&Exprs, &[Buffer]), (node, along): (NodeId, VarId)) -> Walks {
        let given = loads(exprs, node);
        let mut exprs = exprs.clone();
        let span = exprs.indices.add_var((exprs.indices.extent(along) + i64::from(SPAN) - 1) / i64::from(SPAN));
        let lane = exprs.indices.add_var(LANES.into());
        let [first, own] = [span, lane].map(|var| exprs.indices.var(var));
        let first = exprs.indices.scale(first, SPAN.into());
        let moving: Vec<NodeId> = given.into_iter().filter(|&load| moves(&exprs, load, along)).collect();
        let mut moved: Vec<Vec<Moved>> = vec![Vec::new(); moving.len()];
        for at in (0..SPAN).step_by(LANES as usize) {
            let place = exprs.indices.add(first, own);
            let place = exprs.indices.offset(place, at.into());
            let map = HashMap::from([(along, place)]);
            for (&load, all) in moving.iter().zip(&mut moved) {
                let Node::Load { offset, mask, .. } = *exprs.node(load) else { continue };
                let mut here = Substitution::new(&mut exprs, &map);
                let (offset, mask) = (here.index(offset), mask.map(|mask| here.node(mask)));
                all.push(Moved { offset, needed: mask.map_or(Some(true), |mask| holds(&exprs, mask)) });
            }
        }
        let count = moving.len();
        let walk = |(load, moved): (NodeId, &Vec<Moved>)| {
            Walk::of((&mut exprs, buffers), load, Span { along, first, lane }, moved)
        };
        let known: Vec<Walk> = moving.into_iter().zip(&moved).filter_map(walk).collect();
        Walks { others: count - known.len(), known }
    }

    /// The runs of parts of so many blocks, for threads of so many steps.
    fn runs(&self, together: u32, grain: u32) -> Runs {
        let mut runs = Runs { others: self.others, ..Runs::default() };
        let mut groups: Vec<Vec<&Walk>> = Vec::new();
        for walk in &self.known {
            let own = (walk.kind, walk.buffer, walk.base);
            let same = |group: &&mut Vec<&Walk>| group.iter().all(|w| (w.kind, w.buffer, w.base) == own);
            match groups.iter_mut().find(same) {
                Some(group) => group.push(walk),
                None => groups.push(vec![walk]),
            }
        }
        for group in groups {
            // The same loads are asked for, however many blocks are a part.
            let all = TOGETHER.map(|together| part(&group, together, grain));
            let here = TOGETHER.iter().position(|&n| n == together);
            match (all.iter().all(Option::is_some), here.and_then(|at| all.into_iter().nth(at)).flatten()) {
                (true, Some((run, places))) if runs.runs.len() < RUNS_MAX => {
                    let number = runs.runs.len();
                    runs.places.extend(places.into_iter().map(|(load, place)| (load, Place { run: number, ..place })));
                    runs.runs.push(run);
                }
                _ => runs.others += group.len(),
            }
        }
        runs
    }
}

/// A load that other steps read elsewhere.
fn moves(exprs: &Exprs, load: NodeId, along: VarId) -> bool {
    matches!(*exprs.node(load), Node::Load { offset, .. } if exprs.index_varies(offset, along))
}

impl Walk {
    fn of(
        (exprs, buffers): (&mut Exprs, &[Buffer]),
        load: NodeId,
        Span { along, first, lane }: Span,
        moved: &[Moved],
    ) -> Option<Walk> {
        let Node::Load { buffer, element, offset, .. } = *exprs.node(load) else { return None };
        let bytes = element.storage_bytes() as u32;
        let is_whole = buffers.get(buffer as usize)?.elements.saturating_mul(bytes.into()) % i64::from(WORD_BYTES) == 0;
        let map = HashMap::from([(along, first)]);
        let base = Substitution::new(exprs, &map).index(offset);
        // Halves of bytes begin some elements apart.
        let constant = exprs.indices.linear(base).constant;
        let base = exprs.indices.offset(base, -constant);
        let own = exprs.indices.var(lane);
        let (mut kind, mut places, mut needed) = (None, Vec::new(), Vec::new());
        for &Moved { offset, needed: is_needed } in moved {
            let (reads, begins) = match step(exprs, offset, lane) {
                Step::By(1) if bytes == 1 => (Kind::Bytes, exprs.indices.sub(offset, own)),
                Step::Same if bytes <= WORD_BYTES => (Kind::Element, offset),
                _ => return None,
            };
            let behind = exprs.indices.sub(begins, base);
            let behind = exprs.indices.linear(behind);
            if !behind.terms.is_empty() || *kind.get_or_insert(reads) != reads {
                return None;
            }
            places.push(behind.constant);
            needed.push(is_needed);
        }
        let most = i64::from(COPIES[0]);
        let aligned = exprs.indices.alignment(base, most) * i64::from(bytes);
        Some(Walk { load, kind: kind?, buffer, element: bytes, is_whole, base, aligned, places, needed })
    }

    /// Whether it is known what is needed by threads of so many steps.
    fn is_known(&self, grain: u32) -> bool {
        let lanes = (grain / LANES) as usize;
        let known = |(at, needed): (usize, &Option<bool>)| needed.is_some() && *needed == self.needed[at % lanes];
        self.needed.iter().enumerate().all(known)
    }
}

/// A run, and where in it each load finds what it reads.
type Part = (Run, Vec<(NodeId, Place)>);

/// The run of some loads in parts of so many blocks; `None` where it is not the same for all parts of a span.
fn part(group: &[&Walk], together: u32, grain: u32) -> Option<Part> {
    let length = (BLOCK * together / LANES) as usize;
    if !group.iter().all(|walk| walk.is_known(grain)) {
        return None;
    }
    let mut all = (0..(SPAN / LANES) as usize).step_by(length).map(|at| part_at(group, at..at + length, grain));
    let (mut run, places) = all.next()??;
    for part in all {
        let (other, others) = part?;
        let same =
            (other.bytes, other.slot, other.behind, other.in_words) == (run.bytes, run.slot, run.behind, run.in_words);
        let steps = |run: &Run| run.apart * i64::from(COPIES[0] / run.copy);
        if !same || others != places || run.copies() > 1 && steps(&other) != steps(&run) {
            return None;
        }
        // The copies of all parts are as short as those of that which begins least evenly.
        if other.copy < run.copy {
            run = other;
        }
    }
    Some((run, places))
}

/// The same of one part, some 16 steps of a span.
fn part_at(group: &[&Walk], here: Range<usize>, grain: u32) -> Option<Part> {
    let head = *group.first()?;
    let needed = |walk: &&Walk| -> Vec<i64> {
        here.clone().filter(|&at| walk.needed[at] == Some(true)).map(|at| walk.places[at]).collect()
    };
    let all: BTreeSet<i64> = group.iter().flat_map(needed).collect();
    let (&least, count) = (all.first()?, all.len() as u32);
    let (element, lanes) = (head.element, if head.kind == Kind::Bytes { i64::from(LANES) } else { 1 });
    let apart = all.iter().nth(1).map_or(lanes, |second| second - least);
    if all.iter().zip(0..).any(|(place, n)| *place != least + n * apart) {
        return None;
    }
    let is_dense = apart == lanes;
    let bytes = count.checked_mul(lanes as u32 * element)?;
    let divides = |copy: &u32| {
        let copy = i64::from(*copy);
        head.aligned % copy == 0 && least * i64::from(element) % copy == 0 && i64::from(bytes) % copy == 0
    };
    let run = Run {
        buffer: head.buffer,
        load: head.load,
        behind: least - head.places[here.start],
        bytes,
        slot: element,
        copy: WORD_BYTES,
        apart,
        in_words: false,
        at_once: 0,
    };
    let run = if is_dense && let Some(copy) = COPIES.into_iter().find(divides) {
        Run { copy, apart: i64::from(copy / element), ..run }
    } else if is_dense && bytes < WORD_BYTES && bytes.is_power_of_two() && divides(&bytes) {
        Run { slot: 0, in_words: true, ..run }
    } else if head.kind == Kind::Element && !is_dense {
        Run { bytes: count * WORD_BYTES, slot: WORD_BYTES, in_words: element < WORD_BYTES, ..run }
    } else {
        return None;
    };
    if head.kind == Kind::Bytes && run.copy != COPIES[0] || run.in_words && !head.is_whole {
        return None;
    }
    let unit = if is_dense { 1 } else { apart };
    let found = |walk: &&Walk| {
        let behind = |at: usize| (walk.places[at] - least) / unit;
        Some((walk.load, place(walk.kind, &here.clone().map(behind).collect::<Vec<i64>>(), grain)?))
    };
    let places = group.iter().map(found).collect::<Option<Vec<_>>>()?;
    let sharers = i64::from(BLOCK / grain);
    let at_once = |(_, place): &(NodeId, Place)| (0..sharers).map(|n| place.share.at(n)).max().unwrap_or(0) + lanes;
    let at_once = places.iter().map(at_once).max()? as u32;
    Some((Run { at_once: if head.kind == Kind::Bytes { at_once.next_multiple_of(LANES) } else { 0 }, ..run }, places))
}

impl Digit {
    fn at(&self, n: i64) -> i64 {
        self.by * (n >> self.over & ((1 << self.bits) - 1))
    }
}

/// Places of a part, one each 16 steps, as a sum of three numbers.
fn place(kind: Kind, places: &[i64], grain: u32) -> Option<Place> {
    let (lanes, block) = ((grain / LANES) as usize, (BLOCK / LANES) as usize);
    let lane: Vec<i64> = places[..lanes].to_vec();
    let digits =
        |step: usize, count: usize| Digit::of(&(0..count).map(|n| places[n * step] - places[0]).collect::<Vec<i64>>());
    let (block_digit, share) = (digits(block, places.len() / block)?, digits(lanes, block / lanes)?);
    let sum = |at: usize| {
        let (number, within) = (at / block, at % block);
        block_digit.at(number as i64) + share.at((within / lanes) as i64) + lane[within % lanes]
    };
    let fits = places.iter().enumerate().all(|(at, &place)| place == sum(at));
    fits.then_some(Place { run: 0, kind, block: block_digit, share, lanes: lane })
}

/// Whether a condition holds wherever it is asked for; `None` where that is not known.
fn holds(exprs: &Exprs, node: NodeId) -> Option<bool> {
    match *exprs.node(node) {
        Node::Constant { element: ElementType::I1, bits } => Some(bits != 0),
        Node::InRange { index, low, high } => {
            let (least, most) = exprs.indices.range(index);
            let (all, none) = (low <= least && most < high, most < low || high <= least);
            (all || none).then_some(all)
        }
        Node::Unary { op: Unary::Not, a } => Some(!holds(exprs, a)?),
        Node::Binary { op: Binary::And, a, b } => match (holds(exprs, a), holds(exprs, b)) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (a, b) => Some(a? && b?),
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fornax_plan::Access;

    #[test]
    fn digits_are_found_in_values() {
        let found = |values: &[i64]| Digit::of(values).map(|d| (d.by, d.over, d.bits));
        assert_eq!(found(&[0, 32, 64, 96, 128, 160, 192, 224]), Some((32, 0, 3)));
        assert_eq!(found(&[0, 0, 64, 64, 128, 128, 192, 192]), Some((64, 1, 2)));
        assert_eq!(found(&[0, 16, 0, 16]), Some((16, 0, 1)));
        assert_eq!(found(&[0, 0, 0, 0]), Some((0, 0, 0)));
        assert_eq!(found(&[0]), Some((0, 0, 0)));
        assert_eq!((found(&[0, 1, 3, 4]), found(&[1, 1])), (None, None));
    }

    /// Weights of 64 rows by 4096 steps: two in a byte, halves of runs of 32; scales of so many steps.
    fn halves(scales: &[(ElementType, i64)]) -> (Exprs, Vec<Buffer>, NodeId, VarId) {
        let mut x = Exprs::default();
        let (i, k) = (x.indices.add_var(64), x.indices.add_var(4096));
        let (row, step) = (x.indices.var(i), x.indices.var(k));
        let number = x.indices.floor_div(step, 32);
        let pair = x.indices.floor_div(step, 64);
        let pair = x.indices.scale(pair, -2);
        let which = x.indices.add(number, pair);
        let behind = x.indices.scale(pair, 16);
        let place = x.indices.add(step, behind);
        let row_bytes = x.indices.scale(row, 2048);
        let place = x.indices.add(place, row_bytes);
        let mut buffers = vec![Buffer { element: ElementType::Ui8, elements: 64 * 2048, access: Access::Read }];
        let mut node = x.add(Node::Constant { element: ElementType::F32, bits: 0 });
        for half in 0..2 {
            let mask = x.add(Node::InRange { index: which, low: half, high: half + 1 });
            let offset = x.indices.offset(place, -32 * half);
            let load = x.add(Node::Load { buffer: 0, element: ElementType::Ui8, offset, mask: Some(mask) });
            let value = x.convert(ElementType::F32, load);
            node = x.select(mask, value, node);
        }
        for &(element, every) in scales {
            let place = x.indices.floor_div(step, every);
            let row = x.indices.scale(row, 4096 / every);
            let offset = x.indices.add(place, row);
            let load = x.add(Node::Load { buffer: buffers.len() as u32, element, offset, mask: None });
            buffers.push(Buffer { element, elements: 64 * (4096 / every), access: Access::Read });
            let scale = x.convert(ElementType::F32, load);
            node = x.binary(Binary::Multiply, node, scale);
        }
        (x, buffers, node, k)
    }

    /// Bytes in shared memory and bytes of a copy, run by run, and loads that are read where they are used.
    fn runs(walks: &Walks, together: u32, grain: u32) -> (Vec<(u32, u32)>, usize) {
        let found = walks.runs(together, grain);
        (found.runs.iter().map(|run| (run.bytes, run.copy)).collect(), found.others)
    }

    #[test]
    fn what_blocks_share_is_asked_for_once_a_part() {
        let (exprs, buffers, node, step) = halves(&[(ElementType::Ui8, 32), (ElementType::F16, 256)]);
        let walks = Walks::of((&exprs, &buffers), (node, step));
        assert_eq!(runs(&walks, 8, 64), (vec![(256, 16), (16, 16), (4, 4)], 0));
        // An f16 of 256 steps, and two scales of 64, in the words that they lie in.
        assert_eq!(runs(&walks, 4, 64), (vec![(128, 16), (8, 8), (2, 4)], 0));
        assert_eq!(runs(&walks, 1, 64), (vec![(32, 16), (2, 4), (2, 4)], 0));
        // Which half a step is in is not known of 16 or 32 steps.
        assert_eq!(runs(&walks, 8, 32), (vec![(16, 16), (4, 4)], 2));
        let found = walks.runs(8, 64);
        let places: Vec<&Place> = walks.known.iter().filter_map(|walk| found.place(walk.load)).collect();
        let by = |place: &Place| (place.block.by, place.block.over, place.share.by);
        assert_eq!(places.iter().map(|p| by(p)).collect::<Vec<_>>(), [(32, 0, 0), (32, 0, 0), (2, 0, 0), (1, 2, 0)]);
        // 16 lanes of the lower halves, then of the upper ones.
        assert_eq!((&places[0].lanes[..2], &places[1].lanes[2..]), (&[0, 16][..], &[0, 16][..]));
        assert_eq!(places[2].lanes, [0, 0, 1, 1]);
    }

    #[test]
    fn scales_of_groups_come_as_the_words_that_they_lie_in() {
        let (mut exprs, mut buffers, node, step) = halves(&[]);
        // [32, 64]: of each 128 steps a row of scales, one an output.
        let group = {
            let step = exprs.indices.var(step);
            let group = exprs.indices.floor_div(step, 128);
            exprs.indices.scale(group, 64)
        };
        let element = ElementType::F16;
        let load = exprs.add(Node::Load { buffer: 1, element, offset: group, mask: None });
        buffers.push(Buffer { element, elements: 32 * 64, access: Access::Read });
        let scale = exprs.convert(ElementType::F32, load);
        let node = exprs.binary(Binary::Multiply, node, scale);
        let walks = Walks::of((&exprs, &buffers), (node, step));
        assert_eq!(runs(&walks, 8, 64), (vec![(256, 16), (16, 4)], 0));
        assert_eq!(runs(&walks, 1, 64), (vec![(32, 16), (2, 4)], 0));
        let found = walks.runs(8, 64);
        let run = &found.runs[1];
        assert_eq!((run.apart, run.slot, run.in_words), (64, 4, true));
        assert_eq!(found.place(load).map(|place| place.block), Some(Digit { by: 1, over: 1, bits: 2 }));
    }

    #[test]
    fn what_does_not_repeat_is_read_where_it_is_used() {
        for every in [8, 1024] {
            let (exprs, buffers, node, step) = halves(&[(ElementType::F16, every)]);
            let walks = Walks::of((&exprs, &buffers), (node, step));
            assert_eq!(runs(&walks, 8, 64), (vec![(256, 16)], 1), "{every}");
        }
    }
}

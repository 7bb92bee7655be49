//! How the threads of a producer share a block of an operand that they compute, and what of it they ask for.
//!
//! A thread has a *grain*: so many neighbouring steps of an output. The fewer these are, the more threads read an
//! output's row side by side. What a grain is made of must be known where code is written: which half of a byte a step
//! is in, say, so that nothing is read for the half that it is not in. Its bytes come as pieces of 16, what all of its
//! 16 lanes have in common as words; what is neither is read where it is used.
//!
//! Worked examples. E4M3: 16 steps are a piece. Q4_0, 32 steps: one piece, read for both halves of its bytes, and one
//! word, in which the scale of the block lies. Q4_K with scales as f32, where runs of 32 share bytes: 64 steps, two
//! pieces. Q4_K of files, two of whose scales are of 256 steps: neither, so 16 steps, all read where it is used.

use std::collections::HashMap;

use fornax_plan::substitute::Substitution;
use fornax_plan::{Binary, Buffer, Exprs, IndexId, KernelPlan, Node, NodeId, Unary, VarId};

use super::{LANES, loads};
use crate::access::{Step, step};
use crate::gemm_wgmma::schedule::BOX_ROW_BYTES;

/// Bytes of a piece and of a word.
pub const PIECE_BYTES: u32 = 16;
pub const WORD_BYTES: u32 = 4;
/// Steps of a thread, the first that suits is taken. A block has as many as the last.
const GRAINS: [u32; 3] = [LANES, 2 * LANES, 4 * LANES];

/// What the producers compute an operand of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Computed {
    pub node: NodeId,
    /// Steps of a block that a thread computes of an output.
    pub grain: u32,
    /// Pieces and words that it asks for, for these.
    pub pieces: u32,
    pub words: u32,
}

impl Computed {
    /// The way for an operand of 16-bit floats along a step.
    pub fn of(plan: &KernelPlan, node: NodeId, step: VarId) -> Computed {
        let all =
            GRAINS.into_iter().map(|grain| (grain, Numbers::of((&plan.exprs, &plan.buffers), (node, step), grain)));
        let best = all.min_by_key(|(grain, numbers)| (numbers.others, *grain));
        let (grain, numbers) = best.unwrap_or_default();
        let [pieces, words] = [Kind::Piece, Kind::Word].map(|kind| numbers.count(kind));
        Computed { node, grain, pieces, words }
    }

    /// Threads that share an output of a block.
    pub fn sharers(&self) -> u32 {
        BOX_ROW_BYTES / 2 / self.grain.max(1)
    }

    /// Outputs that so many threads compute at a time.
    pub fn outputs(&self, threads: u32) -> u32 {
        threads / self.sharers().max(1)
    }

    /// Bytes that a thread asks for, for an output.
    pub fn bytes(&self) -> u32 {
        self.pieces * PIECE_BYTES + self.words * WORD_BYTES
    }
}

/// What is copied: as many bytes as lanes, or the word of what they have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    Piece,
    Word,
}

/// What a grain is made of, each once.
#[derive(Default)]
pub struct Numbers {
    /// Of places in buffers, whatever load reads them.
    places: HashMap<(Kind, u32, IndexId), u32>,
    /// Of loads, with the step of the grain that the first lane has.
    loads: HashMap<(i64, NodeId), (Kind, u32)>,
    /// Loads that are neither, or of which it is not known whether they are needed.
    others: usize,
}

impl Numbers {
    /// Of a grain of an operand along a step.
    pub fn of((exprs, buffers): (&Exprs, &[Buffer]), (node, along): (NodeId, VarId), grain: u32) -> Numbers {
        let mut numbers = Numbers::default();
        let given = loads(exprs, node);
        let mut exprs = exprs.clone();
        let grains = exprs.indices.add_var(exprs.indices.extent(along) / i64::from(grain));
        let lane = exprs.indices.add_var(LANES.into());
        for at in (0..i64::from(grain)).step_by(LANES as usize) {
            let [first, own] = [grains, lane].map(|var| exprs.indices.var(var));
            let first = exprs.indices.scale(first, grain.into());
            let place = exprs.indices.add(first, own);
            let place = exprs.indices.offset(place, at);
            let map = HashMap::from([(along, place)]);
            let mut moved = Substitution::new(&mut exprs, &map);
            let here: Vec<(NodeId, NodeId)> = given.iter().map(|&load| (load, moved.node(load))).collect();
            for (load, moved) in here {
                numbers.add((&mut exprs, buffers), (at, load, moved), [grains, lane]);
            }
        }
        numbers
    }

    /// What a load reads where the first lane has a step of the grain.
    pub fn find(&self, at: i64, load: NodeId) -> Option<(Kind, u32)> {
        self.loads.get(&(at, load)).copied()
    }

    fn count(&self, kind: Kind) -> u32 {
        self.places.keys().filter(|place| place.0 == kind).count() as u32
    }

    fn add(
        &mut self,
        (exprs, buffers): (&mut Exprs, &[Buffer]),
        (at, load, moved): (i64, NodeId, NodeId),
        [grains, lane]: [VarId; 2],
    ) {
        let Node::Load { buffer, element, offset, mask } = *exprs.node(moved) else { return };
        let is_needed = mask.map_or(Some(true), |mask| holds(exprs, mask));
        let same = [grains, lane].iter().all(|&var| !exprs.index_varies(offset, var));
        if same || is_needed == Some(false) {
            return;
        }
        let bytes = element.storage_bytes() as i64;
        let elements = buffers.get(buffer as usize).map_or(0, |row| row.elements);
        let own = exprs.indices.var(lane);
        let first = exprs.indices.sub(offset, own);
        let begins = exprs.indices.alignment(first, PIECE_BYTES.into()) == i64::from(PIECE_BYTES);
        let is_word = bytes <= i64::from(WORD_BYTES) && elements.saturating_mul(bytes) % i64::from(WORD_BYTES) == 0;
        let kind = match step(exprs, offset, lane) {
            _ if is_needed.is_none() => None,
            Step::By(1) if bytes == 1 && begins => Some(Kind::Piece),
            Step::Same if is_word => Some(Kind::Word),
            _ => None,
        };
        let Some(kind) = kind else {
            self.others += 1;
            return;
        };
        let next = self.count(kind);
        let number = *self.places.entry((kind, buffer, offset)).or_insert(next);
        self.loads.insert((at, load), (kind, number));
    }
}

/// Whether a condition holds wherever it is asked for; `None` where that is not known.
fn holds(exprs: &Exprs, node: NodeId) -> Option<bool> {
    match *exprs.node(node) {
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

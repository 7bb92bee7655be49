//! Graph → Graph, before fusion: ops that one kernel could not do, or not well, become several.
//!
//! Long sorts, scans, reductions and scatters are split, wide concatenations become trees, carried values are updated
//! where they are. Every rewrite is a file of this folder that opens with an example, before and after, which is its
//! test. Each runs once over a function, in the order of [`REWRITES`], and again on the ops that it made itself.

pub(crate) mod insert;
mod readers;
mod sort_parts;
mod updates;

#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::collections::HashSet;

use fornax_graph::{Attr, BlockId, Graph, OpId, OpKind, ValueId};
use fornax_plan::radix::DIGIT_BITS;

use self::readers::Readers;
use crate::errors::{PassError, verify_after};
use crate::facts::attention::{self, Found};
use crate::facts::dequantized::Rows;
use crate::facts::{control, donated};
use crate::observe::{Observer, Run, Turn, observed};

/// The phase of these passes.
pub const PHASE: &str = "decompose";

/// What a graph will run on, where that decides how work is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Machines {
    /// GPUs, maybe CPUs too.
    Any,
    /// GPUs only.
    Gpus,
    /// CPUs only.
    Hosts,
}

impl Machines {
    /// Rows of products whose kernels compute their long operand.
    pub(crate) fn computed_rows(self) -> Rows {
        if self == Machines::Hosts { Rows::Any } else { Rows::Halves }
    }

    /// Those of which the blocks of the operand are contracted apart from their elements.
    fn blocked_rows(self) -> Rows {
        if self == Machines::Hosts { Rows::Any } else { Rows::Few }
    }

    /// Elements of a line from which a radix sort by keys of so many bits is faster than merging.
    ///
    /// A GPU (one H200, a recorded call): 65,536 keys of 8 bits 43.8 µs by merging, 16.7 by digits, of 16 bits 40.0
    /// and 21.3, of 32 bits 34.6 and 30.3; 16,384 keys of 16 bits 28.2 and 16.4, of 32 bits 23.4 and 24.0. A CPU
    /// mispredicts the branches of a merge, whatever the length: 262,144 f32 with positions took 44 ms of processor
    /// time by merging, 2^20 f32 by digits 14.
    fn radix_line_min(self, bits: u32) -> i64 {
        match self {
            Machines::Any | Machines::Gpus if bits <= 2 * DIGIT_BITS => 16 * 1024,
            Machines::Any | Machines::Gpus => 64 * 1024,
            Machines::Hosts => 1024,
        }
    }
}

/// A row of the table of rewrites.
pub struct Rewrite {
    pub name: &'static str,
    /// One line for `--print-passes`.
    pub doc: &'static str,
    /// The kind of op that it rewrites.
    kind: OpKind,
    sizes: Sizes,
    run: fn(&mut Graph, OpId, &Site) -> Result<(), PassError>,
}

/// Which ops of its kind a rewrite is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sizes {
    /// Those whose sizes are all known.
    Known,
    /// Those with a size known only at run time.
    Unknown,
    Both,
}

/// What a rewrite may ask about the function that it works on.
struct Site {
    entry: BlockId,
    machines: Machines,
    attention: Vec<Found>,
    /// Bodies of loops.
    bodies: HashSet<BlockId>,
    /// Arguments that the caller gives away.
    given: HashSet<ValueId>,
    /// Who reads what, where the rewrite that runs asks and says what it changes. Each rewrite has its own.
    readers: RefCell<Option<Readers>>,
}

impl Site {
    /// Whether attention takes the op: it stays whole.
    fn is_claimed(&self, op: OpId) -> bool {
        self.attention.iter().any(|found| found.claimed.contains(&op))
    }
}

macro_rules! rewrites {
    ($($name:ident: $doc:literal, $kind:ident, $sizes:ident;)*) => {
        $(mod $name;)*

        /// Every rewrite, in the order of their runs.
        pub const REWRITES: &[Rewrite] = &[$(Rewrite {
            name: stringify!($name),
            doc: $doc,
            kind: OpKind::$kind,
            sizes: Sizes::$sizes,
            run: $name::run,
        }),*];

        /// Each rewrite's file, for the examples in it.
        #[cfg(test)]
        const SOURCES: &[&str] = &[$(include_str!(concat!(stringify!($name), ".rs"))),*];
    };
}

rewrites! {
    divide_weights: "weights of attention are divided by their sum before the values, not after", DotGeneral, Both;
    scale_after_qk: "a constant scale of Q or K goes behind their product", DotGeneral, Both;
    scale_after_product: "the factor of a row's norm goes behind the products that read the row", DotGeneral, Known;
    block_products: "a GEMV with weights in blocks contracts blocks and elements, not their places in one row",
        DotGeneral, Known;
    packed_products: "a GEMV with weights that lie several in a byte becomes a sum of products, one a part",
        DotGeneral, Known;
    round_products: "products of a loop's rounds with the same weights are one before the loop", DotGeneral, Known;
    phase_convolutions: "a convolution over an image with holes becomes one for each of their phases", Convolution,
        Known;
    drop_barriers: "the readers of an optimization_barrier read its operands", OptimizationBarrier, Both;
    cut_collectives: "a long sum of a product over devices is several, each overlapped with the product of the next",
        Collective, Known;
    late_collectives: "what devices exchange is waited for where it is read, not where it could begin", Collective,
        Known;
    iota_constants: "a constant a, a + 1, a + 2, … is made from positions", Constant, Both;
    split_concatenate: "more than 32 operands: a tree (a kernel has a bounded number of inputs)", Concatenate, Both;
    two_stage_reduce: "a long reduction to few elements: partial results, then theirs", Reduce, Known;
    select_scatter: "one update a row into a constant: a select by the column's number", Scatter, Known;
    update_in_place: "updates that commute, or never meet, go to their places one by one", Scatter, Known;
    single_updates: "many windows, or batches, of a scatter become rows, which can be sorted", Scatter, Both;
    sorted_scatter: "many updates: sorted by row, then a segmented reduction", Scatter, Known;
    sorted_scatter_of_sizes: "the same for sizes known only at run time", Scatter, Unknown;
    share_sorts: "sorts of the same keys are one", Sort, Both;
    update_slices: "a slice is written into a value that nothing reads later, in place", DynamicUpdateSlice, Known;
    select_updates: "a row that a select takes by its number is written where the value is", Select, Known;
    top_k_groups: "few elements of a long sorted line: only groups with the best maxima are looked at", Sort, Known;
    top_k_blocks: "few elements of a sorted line: those of each block, again until one block is left", Sort, Known;
    radix_sort: "a long sort by a total order of keys goes digit by digit", Sort, Known;
    block_sort: "other long sorts: sorted blocks, then merges of two runs each", Sort, Known;
    block_sort_of_sizes: "a sort of unknown length: sorted blocks, then merges of four runs each", Sort, Unknown;
    three_pass_scan: "a long scan: results of blocks, their scan, its combination with each block", ReduceWindow, Known;
}

/// Which rewrites run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which<'a> {
    All,
    /// No attention is formed: its reductions are split as others are.
    WithoutAttention,
    /// One, by its name.
    Only(&'a str),
}

impl Which<'_> {
    fn has(self, name: &str) -> bool {
        if let Which::Only(one) = self { one == name } else { true }
    }
}

/// The graph with rewrites done in its entry points. Where attention is formed, its reductions stay whole.
///
/// # Errors
/// FX0315 for regions that cannot be scalar code, FX0901 for ops that were not checked.
pub fn decompose(
    graph: &Graph,
    which: Which,
    machines: Machines,
    observer: &mut dyn Observer,
) -> Result<Graph, PassError> {
    let mut graph = graph.clone();
    for (round, function) in control::entry_points(&graph).into_iter().enumerate() {
        let Some(entry) = graph.entry(&graph.functions[function]) else { continue };
        let blocks = control::all_blocks(&graph, entry);
        let mut site = Site {
            entry,
            machines,
            attention: if which == Which::WithoutAttention { Vec::new() } else { attentions(&graph, &blocks)? },
            bodies: control::bodies(&graph, &blocks),
            given: donated::given_away(&graph, &graph.functions[function], entry),
            readers: RefCell::default(),
        };
        for rewrite in REWRITES.iter().filter(|row| which.has(row.name)) {
            let mut next = rewrite.ops(&graph, &blocks, &HashSet::new());
            if next.is_empty() {
                continue;
            }
            site.readers.take();
            let run = Run { phase: PHASE, name: rewrite.name, turn: Turn::Round(round) };
            observed(observer, &run, &mut graph, |graph| {
                let mut seen = HashSet::new();
                while !next.is_empty() {
                    for op in std::mem::take(&mut next) {
                        seen.insert(op);
                        if rewrite.sizes.hold(graph, op) {
                            (rewrite.run)(graph, op, &site)?;
                        }
                    }
                    next = rewrite.ops(graph, &blocks, &seen);
                }
                Ok(())
            })?;
            if rewrite.kind == OpKind::DotGeneral && which != Which::WithoutAttention {
                site.attention = attentions(&graph, &blocks)?;
            }
        }
    }
    if cfg!(debug_assertions) {
        verify_after(&graph, PHASE)?;
    }
    Ok(graph)
}

impl Rewrite {
    /// The ops of its kind, without those that it has seen.
    fn ops(&self, graph: &Graph, blocks: &[BlockId], seen: &HashSet<OpId>) -> Vec<OpId> {
        let ops = blocks.iter().flat_map(|&block| &graph.block(block).ops).copied();
        ops.filter(|op| graph.op(*op).kind == self.kind && !seen.contains(op)).collect()
    }
}

impl Sizes {
    fn hold(self, graph: &Graph, op: OpId) -> bool {
        match self {
            Sizes::Known => is_static(graph, op),
            Sizes::Unknown => !is_static(graph, op),
            Sizes::Both => true,
        }
    }
}

fn attentions(graph: &Graph, blocks: &[BlockId]) -> Result<Vec<Found>, PassError> {
    let mut found = Vec::new();
    for &block in blocks {
        found.extend(attention::find(graph, block)?.found);
    }
    Ok(found)
}

/// Sizes are checked later: nothing is rewritten that will be refused.
fn is_static(graph: &Graph, op: OpId) -> bool {
    let data = graph.op(op);
    let fits = |v: &ValueId| graph.ty(*v).as_tensor().is_some_and(|t| t.bytes().is_some());
    let sized = data.attrs.0.iter().any(|(_, attr)| matches!(attr, Attr::Dims(_)));
    !sized && data.operands.iter().chain(&data.results).all(fits)
}

#[cfg(test)]
mod examples {
    use super::*;

    #[test]
    fn every_rewrite_does_what_its_file_says() {
        for (row, source) in REWRITES.iter().zip(SOURCES) {
            crate::example::check(row.name, source, &|graph| {
                let names = [row.name.to_string()];
                let machines = if row.name == "round_products" { Machines::Hosts } else { Machines::Gpus };
                *graph = crate::pipeline::run(graph, &names, machines, &mut crate::observe::Nobody).unwrap();
            });
        }
    }
}

//! Graph → Graph: only canonical ops remain, constants are folded, no op is there twice or for nothing.
//!
//! Every pass is a file of this folder that opens with an example, before and after, which is its test. Passes run in
//! the order of [`PASSES`], again and again until none changes the graph or `Options::max_rounds` is reached.
//! Rewrites keep every bit of the result (IEEE signs of zero, NaN and rounding) unless the pass's file says otherwise;
//! expansions of CHLO functions have the accuracy of the formulas of StableHLO's own legalisation.
//! What is left alone: control flow, sizes that are not known; later phases refuse what they lack.

mod constants;
mod ops;

use std::time::Instant;

use fornax_graph::{Attr, Graph, OpId, OpKind};

use crate::errors::{PassError, verify_after};
use crate::observe::{Nobody, Observer, Run, Turn, observed};
use crate::rewrite::equal::has_side_effect;

pub use expand_complex::DECLARED_TYPE;

/// What a user can choose about `simplify`.
#[derive(Clone, Debug)]
pub struct Options {
    /// Constants are not folded into a new one of more elements than this, unless they shrink.
    pub max_folded_elements: i64,
    /// Arithmetic of one fold, in scalar operations.
    pub max_fold_work: u64,
    /// Inlining stops with an error when the model has more ops than this.
    pub max_ops: usize,
    /// Rounds over all passes.
    pub max_rounds: usize,
    /// Verify the graph after every pass that changed it.
    pub verify_each: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            max_folded_elements: 64 * 1024,
            max_fold_work: 1 << 26,
            max_ops: 1_000_000,
            max_rounds: 12,
            verify_each: cfg!(debug_assertions),
        }
    }
}

/// A row of the pass table.
pub struct SimplifyPass {
    pub name: &'static str,
    /// One line for `--help` and the generated table.
    pub doc: &'static str,
    /// The pass runs when one of these ops is in the graph; empty means always.
    pub ops: &'static [OpKind],
    /// Returns whether it changed the graph.
    pub run: fn(&mut Graph, &Options) -> Result<bool, PassError>,
}

/// What [`simplify`] did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    pub rounds: usize,
    /// False when `max_rounds` ended the work.
    pub fixed_point: bool,
    pub ops_before: usize,
    pub ops_after: usize,
    /// (pass, number of runs that changed the graph), in table order.
    pub changes: Vec<(&'static str, usize)>,
}

macro_rules! passes {
    ($($name:ident: $doc:literal, [$($kind:ident),*];)*) => {
        $(mod $name;)*

        /// Every pass, in the order of a round.
        pub const PASSES: &[SimplifyPass] = &[$(SimplifyPass {
            name: stringify!($name),
            doc: $doc,
            ops: &[$(OpKind::$kind),*],
            run: $name::run,
        }),*];

        /// Each pass's file, for the examples in it.
        #[cfg(test)]
        const SOURCES: &[&str] = &[$(include_str!(concat!(stringify!($name), ".rs"))),*];
    };
}

passes! {
    read_hlo_shardings: "shardings of HLO become Shardy's, in a module for several partitions", [];
    expand_custom_calls: "custom calls with a StableHLO meaning become that; annotations go", [CustomCall];
    expand_composites: "composites become calls of their decompositions", [Composite];
    inline_calls: "calls become the bodies of the functions called; functions left without a caller go", [FuncCall];
    inline_async: "what async_start begins stands in its place, and async_done goes", [AsyncStart];
    expand_transfers: "a send and its recv become permutes, one a level where what is sent depends on what is received",
        [Send, Recv];
    erase_tokens: "tokens become truth values, which order what takes and gives them", [];
    resolve_sizes: "sizes known only at run time become symbols, dynamic ops their static kinds", [];
    flatten_tuples: "tuples at function edges become their elements, depth first", [FuncReturn];
    erase_annotations: "barriers, tuples, tokens and numbers of the one device go",
        [OptimizationBarrier, ShardingConstraint, GetTupleElement, AfterAll, ReplicaId, PartitionId];
    expand_quantized: "quantised tensors become storage integers, ops on them float arithmetic between conversions", [];
    expand_legacy: "dot, broadcast, einsum, torch_index_select, clamp and map become the ops that replaced them",
        [Dot, Broadcast, Einsum, UnaryEinsum, TorchIndexSelect, Clamp, Map];
    expand_batch_norm: "batch normalisation becomes arithmetic and reductions",
        [BatchNormInference, BatchNormTraining, BatchNormGrad];
    expand_chlo: "CHLO ops become StableHLO, all but the elementary functions that emitters know", [];
    expand_special_functions: "lgamma, digamma, zeta, polygamma and bessel_i1e become arithmetic",
        [ChloLgamma, ChloDigamma, ChloZeta, ChloPolygamma, ChloBesselI1e];
    expand_dynamic_batches: "ops with expansions for static shapes run once an element of a batch of unknown size",
        [Cholesky, TriangularSolve, SelectAndScatter, CustomCall];
    expand_case: "a choice among branches becomes a tree of two-way ones", [Case];
    expand_scan: "scans become counted loops, ragged products those with each group's matrix",
        [ChloScan, ChloRaggedDot];
    expand_linalg: "Cholesky factors and triangular systems become products and counted loops",
        [Cholesky, TriangularSolve];
    expand_rng: "random bits become integer arithmetic", [RngBitGenerator, Rng];
    expand_select_and_scatter: "a selection in windows and its scatter become a window reduction and selects",
        [SelectAndScatter];
    make_static: "dynamic ops whose sizes are constants become their static forms",
        [GetDimensionSize, SetDimensionSize, DynamicReshape, ChloDynamicReshape, DynamicBroadcastInDim, DynamicIota,
         DynamicPad, DynamicGather, DynamicConv, RealDynamicSlice, DynamicSlice];
    expand_fft: "Fourier transforms become products with matrices, long ones by factors", [Fft];
    partition: "a program with shardings for several devices becomes that of one device, with collectives", [];
    expand_collectives: "collectives become fornax.collective on one buffer; those of one device go",
        [AllReduce, AllGather, AllToAll, CollectiveBroadcast, CollectivePermute, CollectiveReduce, ReduceScatter,
         CrossReplicaSum];
    expand_complex: "complex tensors become pairs of real ones; at function edges real and imaginary parts interleave",
        [];
    window_scatter: "scatters of whole windows say so, of one window become updates of a slice", [Scatter];
    fold_constants: "ops on constants become constants", [];
    fold_arithmetic: "x + 0, x * 1, max(x, -inf) and their kin become x", [];
    expand_powers: "powers by small whole constants become products", [Power];
    factor_sums: "what is the same in all terms of a sum is multiplied behind it", [Reduce];
    recognise_erf: "erf written as a ratio of polynomials becomes erf", [Divide, ChloErf];
    fold_selections: "selects, comparisons, minima and branches whose outcome is known become that outcome",
        [Select, Compare, If, Case];
    release_carried: "what a loop carries unchanged is read from outside", [While];
    flatten_branches: "small branches of a choice become both of them and a select", [If];
    fold_converts: "conversions that change nothing, or that another undoes, go",
        [Convert, BitcastConvert, ReducePrecision, Real, Imag, Complex];
    fold_shapes: "reshapes, transposes and broadcasts of one another merge",
        [Reshape, Transpose, BroadcastInDim, Reduce];
    fold_slices: "slices, pads, concatenations and reversals that change nothing, or of one another, merge",
        [Slice, Pad, Concatenate, Reverse, DynamicUpdateSlice];
    channels_last: "convolutions, and what is computed from them, have their channels last",
        [Convolution];
    absorb_transposes: "transposes before a product or convolution move into its dimension numbers",
        [DotGeneral, Convolution];
    transpose_products: "a product that is transposed behind a collective is made transposed", [Collective];
    merge_duplicates: "of two equal ops the first serves both", [];
    erase_unused: "ops whose results nobody uses go", [];
}

/// Runs [`PASSES`] to a fixed point, in place. After an error the graph must be dropped.
///
/// # Errors
/// FX0301 an op has no expansion, FX0302 a function calls itself, FX0303 inlining exceeds `max_ops`,
/// FX0304 a called function has no body, FX0981 the graph had not been verified.
pub fn simplify(graph: &mut Graph, options: &Options) -> Result<Report, PassError> {
    simplify_observed(graph, options, &mut Nobody)
}

/// The same before an observer, who hears of every run of a pass.
///
/// # Errors
/// As [`simplify`].
pub fn simplify_observed(
    graph: &mut Graph,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Report, PassError> {
    let mut report = Report { ops_before: count_ops(graph), ..Report::default() };
    report.changes = PASSES.iter().map(|pass| (pass.name, 0)).collect();
    let mut present = Present::of(graph);
    while !report.fixed_point && report.rounds < options.max_rounds {
        report.rounds += 1;
        report.fixed_point = true;
        for (at, pass) in PASSES.iter().enumerate() {
            if !present.any(pass.ops) {
                continue;
            }
            let began = Instant::now();
            let run = Run { phase: "simplify", name: pass.name, turn: Turn::Round(report.rounds - 1) };
            let changed = observed(observer, &run, graph, |graph| (pass.run)(graph, options))?;
            let ms = began.elapsed().as_secs_f64() * 1e3;
            if !changed {
                tracing::trace!("simplify, round {}: {}: {ms:.2} ms, nothing changed", report.rounds, pass.name);
                continue;
            }
            tracing::debug!("simplify, round {}: {}: {ms:.2} ms", report.rounds, pass.name);
            report.fixed_point = false;
            report.changes[at].1 += 1;
            present = Present::of(graph);
            if options.verify_each {
                verify_after(graph, pass.name)?;
            }
        }
    }
    report.ops_after = count_ops(graph);
    expand_custom_calls::refuse(graph)?;
    refuse_leftovers(graph)?;
    Ok(report)
}

/// Which kinds of op are in a graph.
struct Present(Vec<bool>);

impl Present {
    fn of(graph: &Graph) -> Present {
        let mut seen = vec![false; fornax_graph::ALL_OPS.len() + 1];
        each_op(graph, &mut |id| seen[graph.op(id).kind as usize] = true);
        Present(seen)
    }

    fn any(&self, kinds: &[OpKind]) -> bool {
        kinds.is_empty() || kinds.iter().any(|&kind| self.0[kind as usize])
    }
}

/// Every op of every function, nested ones too.
fn each_op(graph: &Graph, visit: &mut dyn FnMut(OpId)) {
    let bodies = graph.functions.iter().filter_map(|f| f.body);
    for block in bodies.flat_map(|region| graph.region(region).blocks.iter()) {
        graph.walk(*block, visit);
    }
}

fn count_ops(graph: &Graph) -> usize {
    let mut count = 0;
    each_op(graph, &mut |_| count += 1);
    count
}

/// CHLO ops that the scalar library knows for real floats.
const ELEMENTARY: &[OpKind] = &[
    OpKind::ChloErf,
    OpKind::ChloErfc,
    OpKind::ChloErfInv,
    OpKind::ChloAsin,
    OpKind::ChloAcos,
    OpKind::ChloAtan,
    OpKind::ChloSinh,
    OpKind::ChloCosh,
    OpKind::ChloAsinh,
    OpKind::ChloAcosh,
    OpKind::ChloAtanh,
];

/// Ops that need more than one device, or the host while the model runs: why there is no kernel, and what to do.
const APART: &[(&[OpKind], &str)] = &[
    (
        &[OpKind::ManualComputation],
        "it is inside of a region that is computed whole, or its module names no mesh; call it from a function, a \
         loop or a branch",
    ),
    (&[OpKind::Infeed], "it takes data from the host while the model runs; make the data arguments of the function"),
    (&[OpKind::Outfeed], "it gives data to the host while the model runs; make the data results of the function"),
    (
        &[OpKind::Recv, OpKind::Send],
        "its sizes, or those of what lies between a `recv` and its `send`, are known only at run time, or its elements \
         are quantised; export with static shapes, dequantise before the `send`",
    ),
    (
        &[OpKind::AsyncDone, OpKind::AsyncStart],
        "its future is no result that `async_done` takes directly, or the types differ; take it in the block that \
         starts it",
    ),
];

/// Errors for ops that should have been expanded.
fn refuse_leftovers(graph: &Graph) -> Result<(), PassError> {
    let mut left = None;
    each_op(graph, &mut |id| {
        let kind = graph.op(id).kind;
        let why = if expand_complex::is_complex_op(graph, id) {
            "its complex numbers have sizes that are known only at run time, or lie in a tuple"
        } else if kind.name().starts_with("chlo.") && !ELEMENTARY.contains(&kind) {
            "there is no expansion for it with these types"
        } else if let Some((_, why)) = APART.iter().find(|row| row.0.contains(&kind)) {
            why
        } else {
            return;
        };
        left = left.or(Some((id, why)));
    });
    match left {
        Some((id, why)) => Err(PassError::unsupported(graph, id, why)),
        None => Ok(()),
    }
}

/// The callee of a call, the decomposition of a composite.
fn symbol<'g>(graph: &'g Graph, id: OpId, name: &str) -> Option<&'g str> {
    match graph.op(id).attrs.get(name)? {
        Attr::Symbol(path) => path.last().map(String::as_str),
        Attr::String(text) => Some(text),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_documented() {
        for (at, pass) in PASSES.iter().enumerate() {
            assert!(!pass.doc.is_empty());
            assert!(PASSES[..at].iter().all(|other| other.name != pass.name), "{}", pass.name);
        }
    }

    #[test]
    fn every_pass_does_what_its_file_says() {
        for (pass, source) in PASSES.iter().zip(SOURCES) {
            crate::example::check(pass.name, source, &|graph| {
                let options = Options::default();
                let mut rounds = 0;
                while pass.name != "expand_special_functions" && rounds < 4 || rounds == 0 {
                    rounds += 1;
                    if !(pass.run)(graph, &options).unwrap_or_else(|error| panic!("{}: {error}", pass.name)) {
                        break;
                    }
                    erase_unused::run(graph, &options).expect("nothing to refuse");
                }
            });
        }
    }
}

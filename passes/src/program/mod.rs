//! program: fused functions and their kernel plans become one host [`Program`] for one target.
//!
//! Input: a fused graph, the functions wanted, a target row. Output: [`Planned`]: commands with buffers placed (arena,
//! constants, inputs, outputs, parameters) and the kernels to compile, each once however often it is launched.
//!
//! Placement: results are written where the caller wants them (`Space::Output`); reshapes are other names of a buffer
//! and cost nothing; intermediates share one arena per function, 256-byte aligned; constants that kernels read lie in
//! the constants section, 64-byte aligned, equal contents once; what depends on parameters and constants alone is
//! computed once, when the module is loaded. A result that is an argument, a constant, or a second name of another
//! result is a copy at the end. Sizes known only at run time are expressions over size slots (`sizes`).

mod bundle_cost;
pub mod candidates;
mod collectives;
mod commands;
mod constants;
mod describe;
#[cfg(test)]
mod example_tests;
mod formula;
mod fuse_loop_cost;
mod fuse_loop_split;
#[cfg(test)]
mod fuse_loop_tests;
mod host_calls;
mod launch;
#[cfg(test)]
mod loop_text;
mod observe;
mod record;
mod remarks;
mod rounds;
mod settled;
mod sizes;
mod steps;
mod storage;
mod stores;
pub mod trace;
#[cfg(test)]
mod update_tests;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use fornax_graph::{ConstId, Graph, TensorType};
use fornax_module::program::{Access, Block, Command, ExprId, Program, SizeExpr};
use fornax_module::remarks::Remarks;
use fornax_plan::KernelPlan;
use fornax_targets::Target;

use crate::errors::PassError;
use crate::observe::Observer;
use crate::remarks::{Expanded, Pair};
use crate::schedule;
use observe::Clock;
use remarks::Noted;

/// The phase of these passes.
pub const PHASE: &str = "program";

/// A row of the table of passes: what makes a program other than its functions say at first sight. A program is right
/// without any of them.
pub struct ProgramPass {
    pub name: &'static str,
    /// One line for `--print-passes`.
    pub doc: &'static str,
}

macro_rules! passes {
    ($($name:ident: $doc:literal;)*) => {
        $(mod $name;)*

        /// Every pass, in the order in which a function meets them.
        pub const PASSES: &[ProgramPass] = &[$(ProgramPass { name: stringify!($name), doc: $doc }),*];

        /// Each pass's file, for the example in it.
        #[cfg(test)]
        const SOURCES: &[&str] = &[$(include_str!(concat!(stringify!($name), ".rs"))),*];
    };
}

passes! {
    row_pitch: "rows of intermediates that products read or write begin where tensor copies want them";
    place_directly: "results are written where the caller wants them, by the kernels that make them";
    run_at_load: "kernels of parameters and constants alone run once, when the module is loaded";
    share_copies: "a copy that several kernels need of one value is made once";
    trips: "a loop whose number of rounds is known is repeated, its condition not computed";
    needed: "of a repeated loop, values that nothing reads go, and what computes them";
    flags: "the host runs ahead of a loop: kernels behind its last round do nothing";
    in_place: "values that a loop carries are updated where they are, without a copy";
    coalesce: "a round writes its results where the next one reads them";
    fuse_loop: "a loop of small kernels becomes one kernel";
    round_slices: "slices at the counter of a repeated loop are read where they lie";
    round_rows: "rows at the counter of a repeated loop are written by the kernels that make them";
    round_counters: "the counter of a repeated loop is read from a table, and no kernel counts";
    round_turns: "what a round makes for the next one is read where it is: two buffers take turns";
    bundle: "small kernels that do not depend on one another become one launch";
    lead: "a small kernel before a product of few rows is done by each of its workgroups";
    announce: "a number that a product reads behind its first steps is found by one more workgroup of it";
    arena: "intermediates that do not live at the same time share bytes";
    apart: "what may run at the same time on a GPU shares no small intermediates";
    donate: "a result lies in the buffer of an argument that the caller gives away";
    unused: "kernels that nothing launches any more are not compiled";
    early: "weights are read before the kernels before are over, where a kernel can";
}

/// What a user can choose about `plan`.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Functions to plan; all of them when empty.
    pub functions: Vec<String>,
    /// By function: arguments that are named parameters, bound from files instead of given at each call. The other
    /// arguments keep their order and are renumbered: `Space::Input(n)` is the n-th that is no parameter.
    pub parameters: BTreeMap<String, Vec<(usize, String)>>,
    /// What is chosen about kernels.
    pub schedule: schedule::Options,
    /// Passes of [`PASSES`] that are left out, by name: to find the one that is at fault.
    pub without: Vec<String>,
    /// Remarks of fusion, where the program's are wanted too.
    pub remarks: Option<Arc<Vec<Pair>>>,
}

/// What a constant's bytes are.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ConstantBytes {
    /// Those of a constant of the graph.
    OfGraph(ConstId),
    /// Made by a pass of this phase.
    Made(Arc<[u8]>),
}

impl ConstantBytes {
    /// All of them, in memory.
    pub fn to_bytes(&self, graph: &Graph) -> Vec<u8> {
        match self {
            ConstantBytes::OfGraph(constant) => graph.constant(*constant).to_bytes(),
            ConstantBytes::Made(bytes) => bytes.to_vec(),
        }
    }
}

/// Where a constant lies in the constants section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConstantPlacement {
    pub offset: u64,
    pub bytes: u64,
    pub constant: ConstantBytes,
}

/// A named parameter: `Space::Parameter(n)` is the n-th.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    pub name: String,
    pub ty: TensorType,
}

/// How one function uses memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FunctionMemory {
    pub function: String,
    /// Of the largest sizes.
    pub arena_bytes: u64,
    /// The formula of the arena's bytes; empty where they are the same in every call.
    pub arena_formula: String,
    /// What the intermediates would take without sharing.
    pub unshared_bytes: u64,
    pub intermediates: usize,
}

/// Everything a target needs but the compiled images.
#[derive(Clone, Debug)]
pub struct Planned {
    pub program: Program,
    /// Kernels to compile: one a `program.kernels` entry, same order.
    pub kernels: Vec<KernelPlan>,
    /// Of each kernel, the hash of its plan's canonical text, hex: equal plans, equal fingerprints.
    pub fingerprints: Vec<String>,
    /// By offset.
    pub constants: Vec<ConstantPlacement>,
    pub constants_bytes: u64,
    pub parameters: Vec<Parameter>,
    pub memory: Vec<FunctionMemory>,
    /// What the user should know.
    pub notes: Vec<String>,
    /// By function: (input, output) pairs whose output lies in the buffer of an input that the caller gives away.
    pub aliases: BTreeMap<String, Vec<(u32, u32)>>,
    /// Why the kernels are as they are, where [`Options::remarks`] asks for it.
    pub remarks: Option<Box<Remarks>>,
}

/// Alignment of constants in their section, bytes.
pub const CONSTANT_ALIGNMENT: u64 = 64;
/// Alignment of intermediates in the arena, bytes.
pub const ARENA_ALIGNMENT: u64 = 256;

/// State shared by the functions of one program.
pub(crate) struct Planner<'a> {
    graph: &'a Graph,
    target: &'a Target,
    options: schedule::Options,
    planned: Planned,
    sizes: HashMap<u64, ExprId>,
    expressions: HashMap<SizeExpr, ExprId>,
    /// Sizes of the function that is planned.
    sizes_of: sizes::FunctionSizes,
    /// Fingerprint → kernel.
    known: HashMap<String, u32>,
    pool: constants::Pool,
    /// Commands that run once, after loading.
    load: Vec<Command>,
    /// Where the results of its launches begin in `Space::Persistent`, bytes.
    made_at_load: HashMap<run_at_load::MadeOf, Vec<u64>>,
    /// What the launches are of.
    origins: trace::Origins,
    noted: Option<Noted>,
    /// Names of passes that are left out.
    without: Vec<String>,
    clock: Clock,
}

/// A planned program, and what was noted on the way.
struct Whole {
    planned: Planned,
    /// What each launch is of, in the order of [`trace`].
    origins: trace::Origins,
    clock: Clock,
}

/// Plans a fused graph whose groups of attention the target has kernels for; `expanded` tells of those that it had not.
///
/// # Errors FX0316 for a function that is not there, FX0317 for a parameter that is no argument, FX0314 and FX0315 from
/// scheduling.
pub(crate) fn plan_groups(
    graph: &Graph,
    target: &Target,
    options: &Options,
    expanded: Option<Expanded>,
    observer: &mut dyn Observer,
) -> Result<Planned, PassError> {
    let Whole { planned, clock, .. } = planned(graph, target, options, expanded, Clock::new(observer.listens()))?;
    if observer.listens() {
        observe::tell(graph, target, options, &clock, observer)?;
    }
    Ok(planned)
}

/// Plans a graph whose attention groups are decided.
fn planned(
    graph: &Graph,
    target: &Target,
    options: &Options,
    expanded: Option<Expanded>,
    clock: Clock,
) -> Result<Whole, PassError> {
    let functions: HashSet<&str> = options.functions.iter().map(String::as_str).collect();
    let names: HashSet<&str> = graph.functions.iter().filter(|f| f.body.is_some()).map(|f| f.name.as_str()).collect();
    if let Some(missing) = options.functions.iter().find(|f| !names.contains(f.as_str())) {
        let bodies = graph.functions.iter().filter(|f| f.body.is_some());
        let all: Vec<&str> = bodies.map(|f| f.name.as_str()).collect();
        let what = format!("the model has no function `{missing}`; it has {}", all.join(", "));
        return Err(PassError::request("FX0316", what));
    }
    let mut planner = Planner::new(graph, target, options.schedule.clone());
    planner.without.clone_from(&options.without);
    planner.clock = clock;
    if let Some(pairs) = &options.remarks {
        planner.noted = Some(Noted::new(pairs, expanded.unwrap_or_default()));
    }
    if planner.has("row_pitch") {
        planner.clocked("row_pitch", |p| row_pitch::set(p, options));
    }
    for function in graph.functions.iter().filter(|f| functions.is_empty() || functions.contains(f.name.as_str())) {
        if let Some(entry) = graph.entry(function) {
            commands::function(&mut planner, function, entry, options)?;
        }
    }
    let keep_all = !planner.has("unused");
    let Planner { mut planned, pool, load, origins, noted, without, mut clock, .. } = planner;
    if !load.is_empty() {
        planned.program.blocks.push(Block { commands: load });
        planned.program.load = Some((planned.program.blocks.len() - 1) as u32);
    }
    let began = clock.now();
    let number = unused::drop(&mut planned, keep_all);
    clock.add("unused", began);
    if without.iter().all(|name| name != "early") {
        let began = clock.now();
        early::note(&mut planned, target);
        clock.add("early", began);
    }
    planned.remarks = noted.map(|noted| Box::new(noted.told(target, &planned, &number)));
    (planned.constants, planned.constants_bytes) = pool.finish();
    Ok(Whole { planned, origins, clock })
}

impl<'a> Planner<'a> {
    fn new(graph: &'a Graph, target: &'a Target, options: schedule::Options) -> Planner<'a> {
        let planned = Planned {
            program: Program::default(),
            kernels: Vec::new(),
            fingerprints: Vec::new(),
            constants: Vec::new(),
            constants_bytes: 0,
            parameters: Vec::new(),
            memory: Vec::new(),
            notes: Vec::new(),
            aliases: BTreeMap::new(),
            remarks: None,
        };
        Planner {
            graph,
            target,
            options,
            planned,
            sizes: HashMap::new(),
            expressions: HashMap::new(),
            sizes_of: sizes::FunctionSizes::default(),
            known: HashMap::new(),
            pool: constants::Pool::default(),
            load: Vec::new(),
            made_at_load: HashMap::new(),
            origins: trace::Origins::default(),
            noted: None,
            without: Vec::new(),
            clock: Clock::default(),
        }
    }

    /// Whether a pass of [`PASSES`] runs.
    fn has(&self, pass: &str) -> bool {
        !self.without.iter().any(|name| name == pass)
    }

    /// Does a pass's own work; how long it took is kept where somebody listens.
    fn clocked<T>(&mut self, pass: &'static str, work: impl FnOnce(&mut Self) -> T) -> T {
        let began = self.clock.now();
        let result = work(self);
        self.clock.add(pass, began);
        result
    }

    /// Interns a size.
    fn size(&mut self, value: u64) -> ExprId {
        if let Some(&id) = self.sizes.get(&value) {
            return id;
        }
        self.planned.program.exprs.push(SizeExpr::Const(value));
        let id = (self.planned.program.exprs.len() - 1) as ExprId;
        self.sizes.insert(value, id);
        id
    }

    /// The kernel of a plan: an equal one, or a new one.
    fn kernel(&mut self, plan: KernelPlan) -> Result<u32, PassError> {
        let fingerprint = fingerprint(&plan);
        if let Some(&known) = self.known.get(&fingerprint) {
            return Ok(known);
        }
        let index = self.planned.kernels.len() as u32;
        let kernel = record::record(&plan, index, early::starts(&plan, self.target))?;
        tracing::debug!("kernel {}: {}; {}", kernel.name, kernel.summary, kernel.note);
        self.planned.program.kernels.push(kernel);
        self.known.insert(fingerprint.clone(), index);
        self.planned.kernels.push(plan);
        self.planned.fingerprints.push(fingerprint);
        Ok(index)
    }
}

/// The hash of a plan's canonical text.
fn fingerprint(plan: &KernelPlan) -> String {
    blake3::hash(plan.canonical().as_bytes()).to_hex().to_string()
}

impl Planned {
    /// All kernels and commands as text, for dumps.
    pub fn describe(&self) -> String {
        describe::text(self)
    }
}
/// How a kernel's buffer is bound.
fn binding_access(access: fornax_plan::Access) -> Access {
    match access {
        fornax_plan::Access::Read | fornax_plan::Access::Overwritten | fornax_plan::Access::Guard => Access::Read,
        fornax_plan::Access::Write => Access::Write,
        fornax_plan::Access::Update | fornax_plan::Access::Announced => Access::ReadWrite,
    }
}

//! Command lists as CUDA graphs. Branches and loops are conditional nodes: the device decides them, no host waits.
//!
//! Input: a checked list. Output: an instantiated graph. A node waits for those before it that touch the same memory
//! ([`super::order`]); one that decides waits for all, and all after it for it. A predicate is a byte that kernels
//! write; a conditional node looks at a handle, which only `cudaGraphSetConditional` sets, in a kernel. So before every
//! node, and at the end of every round of a loop, one thread carries the byte over (`decide.ptx`; the driver's linker
//! resolves the call, cubins of ptxas hold it as an open symbol). Handles are set before they are looked at: none
//! depends on its default.
//!
//! Limits: conditional nodes are in drivers of CUDA 12.4 and later; without them the host looks at each predicate
//! (`hal::control`). A loop of known length is laid out while the graph stays short, else it counts in device memory,
//! several rounds at a time.
//!
//! Worked example: `while (c) body` becomes: condition's nodes, `decide_loop(c, h)`, a WHILE node of h whose graph is
//! the body's nodes, the condition's nodes, `decide_loop(c, h)`.

use std::ffi::{CStr, c_int, c_void};
use std::ptr::{null, null_mut};
use std::sync::Arc;

use cudarc::driver::sys::{
    CUDA_KERNEL_NODE_PARAMS_v2, CUDA_MEMSET_NODE_PARAMS_v1, CUfunction, CUgraph, CUgraphExec, CUgraphNode,
    CUgraphNodeType, CUmodule,
};

use super::api::{ConditionalNode, EdgeData};
use super::collectives;
use super::context::Context;
use super::launch::parameters;
use super::module::load_module;
use super::order::{Order, Touched};
use super::{nodes, rebind};
use crate::hal::control::length;
use crate::hal::{
    DeviceInfo, HalError, HalErrorKind, HalResult, ImageKind, MemorySpan, RawCommand, RawDispatch, RawExchange,
};

/// Nodes of a graph in which loops of known length are laid out, at most.
pub(super) const LONGEST_CAPTURE: u64 = 16384;
/// The loops that such a graph lays out, commands at most, where it has conditional nodes anyway.
const LAID_OUT: u64 = 64;
/// Commands of the rounds that a loop which counts does at a time, at most, where that is more than one round: counting
/// is a kernel and a decision.
const ROUNDS_AT_A_TIME: u64 = 512;

/// `CU_STREAM_CAPTURE_MODE_THREAD_LOCAL`.
const CAPTURE_THREAD_LOCAL: c_int = 1;
/// Workgroups for each multiprocessor from which on a kernel fills the device.
const FULL: u64 = 4;

/// `CU_GRAPH_COND_TYPE_IF` and `_WHILE`.
#[derive(Clone, Copy)]
enum Kind {
    If = 0,
    While = 1,
}

/// Whether the commands hold a branch or a loop of unknown length.
pub(super) fn decides(commands: &[RawCommand]) -> bool {
    commands.iter().any(|command| match command {
        RawCommand::While { .. } | RawCommand::If { .. } => true,
        RawCommand::Repeat { body, .. } => decides(body),
        _ => false,
    })
}

/// Whether each node of the commands' graph is a launch, a copy or a fill of the list.
pub(super) fn is_flat(commands: &[RawCommand]) -> bool {
    commands.iter().all(|command| match command {
        RawCommand::Dispatch(_) | RawCommand::Copy { .. } | RawCommand::Fill { .. } => true,
        RawCommand::Repeat { body, .. } => is_flat(body),
        RawCommand::While { .. } | RawCommand::If { .. } | RawCommand::Collective(_) => false,
    })
}

/// A recorded list, or the knowledge that it cannot be recorded.
pub(super) struct Graph {
    context: Arc<Context>,
    exec: Option<CUgraphExec>,
    /// Counters of its loops, device memory.
    counters: Vec<u64>,
    /// What it was made of, where it can be moved to other memory.
    template: Option<Template>,
}

/// A graph and its nodes, in the order of the list.
struct Template {
    graph: CUgraph,
    nodes: Vec<CUgraphNode>,
}

// SAFETY: as for `Context`.
unsafe impl Send for Graph {}

impl Graph {
    pub(super) fn none(context: &Arc<Context>) -> Graph {
        Graph { context: context.clone(), exec: None, counters: Vec::new(), template: None }
    }

    pub(super) fn exec(&self) -> Option<CUgraphExec> {
        self.exec
    }

    /// Makes a graph ready to run; takes it over. `is_flat` says that its nodes are those of the list, one by one.
    fn instantiate(context: &Arc<Context>, chain: Chain, counters: Vec<u64>, is_flat: bool) -> HalResult<Graph> {
        let nodes = if is_flat { chain.nodes.iter().map(|node| node.node).collect() } else { Vec::new() };
        let template = Some(Template { graph: chain.graph, nodes });
        let mut ready = Graph { context: context.clone(), exec: None, counters, template };
        let mut exec = null_mut();
        // SAFETY: the chain's is a complete graph of this context; writes one handle.
        let code = unsafe { context.api.cuGraphInstantiateWithFlags(&mut exec, chain.graph, 0) };
        context.check("cuGraphInstantiateWithFlags", code, "recording a graph")?;
        ready.exec = Some(exec);
        if !is_flat {
            ready.forget_template();
        }
        context.health.check().map(|()| ready)
    }

    /// Moves the graph, which was made of `from`, to the memory of `to`. False where it cannot be; then, and after an
    /// error, it must not run any more.
    pub(super) fn rebind(&mut self, from: &[RawCommand], to: &[RawCommand]) -> HalResult<bool> {
        let (Some(exec), Some(template)) = (self.exec, &self.template) else { return Ok(false) };
        rebind::rebind(&self.context, exec, &mut template.nodes.iter(), (from, to))
    }

    fn forget_template(&mut self) {
        if let Some(template) = self.template.take() {
            destroy(&self.context, template.graph);
        }
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        let is_empty = self.exec.is_none() && self.counters.is_empty() && self.template.is_none();
        if is_empty || !self.context.enter_for_release() {
            return;
        }
        self.forget_template();
        if let Some(exec) = self.exec.filter(|_| !self.context.health.is_lost()) {
            // SAFETY: made for this object alone; the driver defers destruction until running launches are done.
            let code = unsafe { self.context.api.cuGraphExecDestroy(exec) };
            self.context.released("cuGraphExecDestroy", code);
        }
        for counter in self.counters.iter().take_while(|_| !self.context.health.is_lost()) {
            // SAFETY: as above; freeing memory waits for the work that uses it.
            let code = unsafe { self.context.api.cuMemFree_v2(*counter) };
            self.context.released("cuMemFree_v2", code);
        }
    }
}

/// Gives back a graph that was not, or is no longer, needed.
pub(super) fn destroy(context: &Context, graph: CUgraph) {
    if !graph.is_null() && !context.health.is_lost() {
        // SAFETY: the graph is the caller's own; nodes and the bodies of conditional ones go with it.
        let code = unsafe { context.api.cuGraphDestroy(graph) };
        context.released("cuGraphDestroy", code);
    }
}

/// What `work` queues on this thread, as a graph of the caller's. It is captured from a stream of its own: other
/// threads may queue to the device's stream, and wait for it, meanwhile.
fn captured(context: &Context, work: impl FnOnce() -> HalResult<()>) -> HalResult<CUgraph> {
    let stream = context.new_stream()?;
    let mut graph = null_mut();
    // SAFETY: the stream was just made, nobody else knows it.
    let code = unsafe { context.api.cuStreamBeginCapture_v2(stream, CAPTURE_THREAD_LOCAL) };
    let queued = context.check("cuStreamBeginCapture_v2", code, "recording a collective").and_then(|()| {
        let queued = context.queued_to(stream, work);
        // SAFETY: ends the capture that was begun above; writes one handle.
        let code = unsafe { context.api.cuStreamEndCapture(stream, &mut graph) };
        let ended = context.check("cuStreamEndCapture", code, "recording a collective");
        queued.and(ended)
    });
    // SAFETY: made above; a graph does not need the stream that it was captured from.
    let code = unsafe { context.api.cuStreamDestroy_v2(stream) };
    context.released("cuStreamDestroy_v2", code);
    if queued.is_err() {
        destroy(context, graph);
    }
    queued.map(|()| graph)
}

/// The kernels of `decide.ptx`, loaded as long as this lives.
pub(super) struct Deciders {
    context: Arc<Context>,
    module: CUmodule,
    branch: CUfunction,
    again: CUfunction,
    count: CUfunction,
}

// SAFETY: as for `Context`.
unsafe impl Send for Deciders {}
// SAFETY: as for `Context`.
unsafe impl Sync for Deciders {}

impl Deciders {
    pub(super) fn load(context: &Arc<Context>, info: &DeviceInfo) -> HalResult<Deciders> {
        let image = concat!(include_str!("decide.ptx"), "\0");
        let module = load_module(context, info, ImageKind::Ptx, image.as_bytes())?;
        let none = null_mut();
        let mut deciders = Deciders { context: context.clone(), module, branch: none, again: none, count: none };
        deciders.branch = deciders.function(c"decide")?;
        deciders.again = deciders.function(c"decide_loop")?;
        deciders.count = deciders.function(c"count_down")?;
        Ok(deciders)
    }

    fn function(&self, name: &CStr) -> HalResult<CUfunction> {
        let mut function = null_mut();
        // SAFETY: the module is loaded, the name NUL-terminated; writes one handle.
        let code = unsafe { self.context.api.cuModuleGetFunction(&mut function, self.module, name.as_ptr()) };
        self.context.check("cuModuleGetFunction", code, "looking for a kernel that decides")?;
        Ok(function)
    }
}

impl Drop for Deciders {
    fn drop(&mut self) {
        if !self.context.enter_for_release() {
            return;
        }
        if !self.context.is_drained() {
            return;
        }
        // SAFETY: loaded by `load`; the stream is drained, and lists that launch it are gone with the device.
        let code = unsafe { self.context.api.cuModuleUnload(self.module) };
        self.context.released("cuModuleUnload", code);
    }
}

/// Records a list node by node. Without `deciders` it holds loops of known length only, which are laid out.
///
/// Kernels that wait by themselves start before those that they depend on are over (programmatic dependent launch);
/// where a driver does not take that (before CUDA 12.3), they start behind them.
pub(super) fn build(
    context: &Arc<Context>,
    deciders: Option<&Deciders>,
    units: u32,
    commands: &[RawCommand],
) -> HalResult<Graph> {
    match record((context, deciders, units), commands, true) {
        Err(error) if error.kind() != HalErrorKind::DeviceLost => {
            tracing::debug!("kernels start behind those that they depend on: {error}");
            record((context, deciders, units), commands, false)
        }
        built => built,
    }
}

fn record(
    (context, deciders, units): (&Arc<Context>, Option<&Deciders>, u32),
    commands: &[RawCommand],
    starts_early: bool,
) -> HalResult<Graph> {
    let mut graph = null_mut();
    // SAFETY: the context is current; writes one handle.
    let code = unsafe { context.api.cuGraphCreate(&mut graph, 0) };
    context.check("cuGraphCreate", code, "recording a graph")?;
    let mut builder = Builder { context, deciders, units, starts_early, counters: Vec::new() };
    let mut chain = Chain::new(graph);
    let built = builder.commands(&mut chain, commands);
    let counters = std::mem::take(&mut builder.counters);
    match built {
        Ok(()) => {
            let is_flat = counters.is_empty() && is_flat(commands);
            Graph::instantiate(context, chain, counters, is_flat)
        }
        Err(error) => {
            destroy(context, graph);
            drop(Graph { context: context.clone(), exec: None, counters, template: None });
            Err(error)
        }
    }
}

/// A graph and its nodes, in the order of the list.
struct Chain {
    graph: CUgraph,
    nodes: Vec<Node>,
    order: Order,
}

/// A node, and whether it is a kernel.
#[derive(Clone, Copy)]
struct Node {
    node: CUgraphNode,
    is_kernel: bool,
}

impl Chain {
    fn new(graph: CUgraph) -> Chain {
        Chain { graph, nodes: Vec::new(), order: Order::default() }
    }
}

struct Builder<'a> {
    context: &'a Arc<Context>,
    deciders: Option<&'a Deciders>,
    /// Multiprocessors of the device.
    units: u32,
    /// Kernels that wait by themselves start before those that they depend on are over.
    starts_early: bool,
    counters: Vec<u64>,
}

impl Builder<'_> {
    fn commands(&mut self, chain: &mut Chain, commands: &[RawCommand]) -> HalResult<()> {
        for command in commands {
            match command {
                RawCommand::Dispatch(dispatch) => self.dispatch(chain, dispatch)?,
                &RawCommand::Copy { source, target, bytes } => self.copy(chain, source, target, bytes)?,
                &RawCommand::Fill { target, bytes, pattern, pattern_bytes } => {
                    self.fill(chain, target, bytes, (pattern, pattern_bytes))?;
                }
                RawCommand::Collective(exchange) => self.collective(chain, exchange)?,
                RawCommand::While { condition, predicate, body, .. } => {
                    let (again, decider) = (self.handle(chain)?, self.deciders()?.again);
                    self.commands(chain, condition)?;
                    self.decide(chain, decider, &[*predicate, again])?;
                    let mut inner = self.conditional(chain, Kind::While, again)?;
                    self.commands(&mut inner, body)?;
                    self.commands(&mut inner, condition)?;
                    self.decide(&mut inner, decider, &[*predicate, again])?;
                }
                RawCommand::If { predicate, then, otherwise } => self.branch(chain, *predicate, then, otherwise)?,
                RawCommand::Repeat { count, body } => self.repeat(chain, *count, body)?,
            }
        }
        Ok(())
    }

    fn branch(
        &mut self,
        chain: &mut Chain,
        predicate: u64,
        then: &[RawCommand],
        otherwise: &[RawCommand],
    ) -> HalResult<()> {
        let (yes, no) = (self.handle(chain)?, self.handle(chain)?);
        // Both are set before either runs: a branch may overwrite its predicate.
        self.decide(chain, self.deciders()?.branch, &[predicate, yes, no])?;
        for (handle, commands) in [(yes, then), (no, otherwise)] {
            let mut inner = self.conditional(chain, Kind::If, handle)?;
            self.commands(&mut inner, commands)?;
        }
        Ok(())
    }

    fn repeat(&mut self, chain: &mut Chain, count: u64, body: &[RawCommand]) -> HalResult<()> {
        let longest = if self.deciders.is_some() { LAID_OUT } else { LONGEST_CAPTURE };
        if length(body).saturating_mul(count) <= longest {
            return (0..count).try_for_each(|_| self.commands(chain, body));
        }
        // Conditional nodes are not laid out again and again.
        let most = if decides(body) { 1 } else { ROUNDS_AT_A_TIME / length(body).max(1) };
        let at_a_time = most.clamp(1, count);
        let limited = u32::try_from(count / at_a_time);
        let limited =
            limited.map_err(|_| HalError::new(HalErrorKind::Unsupported, "a loop of more than 2^32 rounds"))?;
        (0..count % at_a_time).try_for_each(|_| self.commands(chain, body))?;
        let left = self.counter()?;
        let again = self.handle(chain)?;
        self.fill(chain, left, 4, (limited.into(), 4))?;
        let decider = self.deciders()?.count;
        self.decide(chain, decider, &[left, 0, again])?;
        let mut inner = self.conditional(chain, Kind::While, again)?;
        (0..at_a_time).try_for_each(|_| self.commands(&mut inner, body))?;
        self.decide(&mut inner, decider, &[left, 1, again])
    }

    fn deciders(&self) -> HalResult<&Deciders> {
        self.deciders.ok_or_else(|| HalError::invalid("a branch in a list without deciders"))
    }

    fn counter(&mut self) -> HalResult<u64> {
        let mut address = 0;
        // SAFETY: writes one address; `Graph` frees it.
        let code = unsafe { self.context.api.cuMemAlloc_v2(&mut address, 4) };
        self.context.check("cuMemAlloc_v2", code, "allocating a loop's counter")?;
        self.counters.push(address);
        Ok(address)
    }

    /// A condition that nodes of the chain's graph may look at.
    fn handle(&self, chain: &Chain) -> HalResult<u64> {
        let mut handle = 0;
        // SAFETY: the graph is being built in this context; writes one handle.
        let code = unsafe {
            self.context.api.cuGraphConditionalHandleCreate(&mut handle, chain.graph, self.context.context, 0, 0)
        };
        self.context.check("cuGraphConditionalHandleCreate", code, "making a condition of a graph")?;
        Ok(handle)
    }

    /// Appends a conditional node; its body is empty.
    fn conditional(&self, chain: &mut Chain, kind: Kind, handle: u64) -> HalResult<Chain> {
        let mut parameters = ConditionalNode {
            node_type: CUgraphNodeType::CU_GRAPH_NODE_TYPE_CONDITIONAL as c_int,
            reserved: [0; 3],
            handle,
            kind: kind as c_int,
            count: 1,
            bodies: null_mut(),
            context: self.context.context,
            rest: [0; 26],
        };
        self.append(chain, Touched::Anything, "cuGraphAddNode_v2", |node, graph, after, count| {
            // SAFETY: the parameters are laid out as the driver's union is, 256 bytes long.
            unsafe { self.context.api.cuGraphAddNode_v2(node, graph, after, null(), count, &mut parameters) }
        })?;
        if parameters.bodies.is_null() {
            return Err(HalError::new(HalErrorKind::Internal, "a conditional node without a body"));
        }
        // SAFETY: the driver wrote an array of `count` graphs, which lives as long as the node.
        Ok(Chain::new(unsafe { *parameters.bodies }))
    }

    /// Appends a node after those that it has to wait for.
    fn append(
        &self,
        chain: &mut Chain,
        touched: Touched,
        api: &'static str,
        add: impl FnOnce(*mut CUgraphNode, CUgraph, *const CUgraphNode, usize) -> c_int,
    ) -> HalResult<()> {
        let after: Vec<CUgraphNode> = chain.order.add(touched).into_iter().map(|at| chain.nodes[at].node).collect();
        let mut node = null_mut();
        let code = add(&mut node, chain.graph, after.as_ptr(), after.len());
        self.context.check(api, code, "recording a graph")?;
        chain.nodes.push(Node { node, is_kernel: false });
        Ok(())
    }

    fn decide(&self, chain: &mut Chain, kernel: CUfunction, words: &[u64]) -> HalResult<()> {
        let dispatch = RawDispatch {
            kernel: kernel as u64,
            grid: [1; 3],
            block: [1; 3],
            dynamic_shared_bytes: 0,
            scratch_bytes: 0,
            awaits: false,
            words: words.into(),
            bindings: words.len(),
            maps: Box::default(),
            spans: Box::default(),
        };
        self.kernel(chain, &dispatch, Touched::Anything)
    }

    fn dispatch(&self, chain: &mut Chain, dispatch: &RawDispatch) -> HalResult<()> {
        let groups: u64 = dispatch.grid.iter().map(|&n| u64::from(n)).product();
        let touched = Touched::Spans { spans: dispatch.spans.to_vec(), fills: groups >= FULL * u64::from(self.units) };
        self.kernel(chain, dispatch, touched)
    }

    fn kernel(&self, chain: &mut Chain, dispatch: &RawDispatch, touched: Touched) -> HalResult<()> {
        let mut words: Vec<*mut c_void> = parameters(dispatch);
        let parameters = nodes::kernel(dispatch, &mut words, self.context.context);
        if dispatch.awaits && self.starts_early {
            return self.early(chain, touched, &parameters);
        }
        self.append(chain, touched, "cuGraphAddKernelNode_v2", |node, graph, after, count| {
            // SAFETY: as for a launch: the list keeps the function's module; the driver copies the parameters.
            unsafe { self.context.api.cuGraphAddKernelNode_v2(node, graph, after, count, &parameters) }
        })?;
        chain.nodes.iter_mut().next_back().into_iter().for_each(|node| node.is_kernel = true);
        Ok(())
    }

    /// Appends a kernel that waits by itself: it starts once every workgroup of the kernels before it has let it.
    fn early(&self, chain: &mut Chain, touched: Touched, parameters: &CUDA_KERNEL_NODE_PARAMS_v2) -> HalResult<()> {
        let after: Vec<Node> = chain.order.add(touched).into_iter().map(|at| chain.nodes[at]).collect();
        let mut node = null_mut();
        // SAFETY: as for a launch: the list keeps the function's module; the driver copies the parameters.
        let code = unsafe { self.context.api.cuGraphAddKernelNode_v2(&mut node, chain.graph, null(), 0, parameters) };
        self.context.check("cuGraphAddKernelNode_v2", code, "recording a graph")?;
        chain.nodes.push(Node { node, is_kernel: true });
        if after.is_empty() {
            return Ok(());
        }
        let from: Vec<CUgraphNode> = after.iter().map(|before| before.node).collect();
        let to = vec![node; from.len()];
        let edges: Vec<EdgeData> = after.iter().map(|before| EdgeData::behind(before.is_kernel)).collect();
        // SAFETY: three arrays of as many elements, read before the call returns.
        let code = unsafe {
            let (from, to, edges) = (from.as_ptr(), to.as_ptr(), edges.as_ptr());
            self.context.api.cuGraphAddDependencies_v2(chain.graph, from, to, edges, after.len())
        };
        self.context.check("cuGraphAddDependencies_v2", code, "recording a graph")
    }

    /// Appends what a library queues for a collective (`collectives::nccl`): captured, as a graph of its own. One at a
    /// time: each writes a word that is named after the device's place.
    fn collective(&self, chain: &mut Chain, exchange: &RawExchange) -> HalResult<()> {
        let child = captured(self.context, || collectives::capture(exchange))?;
        let span = |address, bytes, writes| MemorySpan { address, bytes, writes };
        let spans = vec![
            span(exchange.source, exchange.source_bytes, false),
            span(exchange.target, exchange.target_bytes, true),
            span(std::ptr::from_ref(&*exchange.with).cast::<u8>() as u64, 1, true),
        ];
        let touched = Touched::Spans { spans, fills: false };
        let added = self.append(chain, touched, "cuGraphAddChildGraphNode", |node, graph, after, count| {
            // SAFETY: the child is a complete graph, which the driver copies.
            unsafe { self.context.api.cuGraphAddChildGraphNode(node, graph, after, count, child) }
        });
        destroy(self.context, child);
        added
    }

    fn copy(&self, chain: &mut Chain, source: u64, target: u64, bytes: u64) -> HalResult<()> {
        let parameters = nodes::copy(source, target, bytes);
        let spans = vec![
            MemorySpan { address: source, bytes, writes: false },
            MemorySpan { address: target, bytes, writes: true },
        ];
        self.append(
            chain,
            Touched::Spans { spans, fills: false },
            "cuGraphAddMemcpyNode",
            |node, graph, after, count| {
                // SAFETY: both ranges lie inside of live allocations, which the list keeps.
                unsafe {
                    let context = self.context.context;
                    self.context.api.cuGraphAddMemcpyNode(node, graph, after, count, &parameters, context)
                }
            },
        )
    }

    fn fill(&self, chain: &mut Chain, target: u64, bytes: u64, (pattern, pattern_bytes): (u64, u8)) -> HalResult<()> {
        let sets = nodes::fill(target, bytes, pattern, pattern_bytes);
        sets.iter().try_for_each(|set| self.set(chain, set))
    }

    fn set(&self, chain: &mut Chain, parameters: &CUDA_MEMSET_NODE_PARAMS_v1) -> HalResult<()> {
        let touched = Touched::Spans { spans: vec![nodes::filled(parameters)], fills: false };
        self.append(chain, touched, "cuGraphAddMemsetNode", |node, graph, after, count| {
            // SAFETY: the range lies inside of a live allocation and is aligned to the pattern, as the device layer
            // checked.
            unsafe {
                let context = self.context.context;
                self.context.api.cuGraphAddMemsetNode(node, graph, after, count, parameters, context)
            }
        })
    }
}

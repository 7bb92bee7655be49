//! The kernel plan: buffers, loop domain, body, schedule. One plan becomes one kernel on one target.

use std::collections::HashMap;
use std::sync::Arc;

use fornax_graph::ElementType;

use crate::attention::Attention;
use crate::bundle::Bundle;
use crate::expr::{Binary, Exprs, NodeId};
use crate::fused_loop::FusedLoop;
use crate::index::{IndexId, VarId};
use crate::led::Led;
use crate::precision::Precision;
use crate::products::Products;
use crate::radix::Digits;
use crate::row::RowFold;
use crate::schedule::Schedule;
use crate::sized::Serves;
use crate::substitute::Substitution;
use crate::tensor_map::TensorMap;

/// How a kernel uses a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    Read,
    /// Read, and the caller gave it away: the kernel's result lies in the same bytes. Each element is read, and
    /// computed, exactly once, before the same element is written.
    Overwritten,
    Write,
    /// Written by several kernels of a call, one after another: read by the later ones, in part written.
    Update,
    /// One number of 32 bits that a part of a bundle writes and the others of the launch wait for. It is
    /// [`UNANNOUNCED`] when the launch starts.
    Announced,
    /// One byte: where it is 0 the kernel does nothing. The last buffer, if there is one.
    Guard,
}

/// The bits of a number that is not announced yet: a NaN, which an announced one is told apart from by its other bits.
pub const UNANNOUNCED: u32 = u32::MAX;

/// One binding, in argument order. Storage is the host-edge form (i1 one byte); base aligned to 16 bytes at least.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buffer {
    pub element: ElementType,
    pub elements: i64,
    pub access: Access,
}

/// `buffer[offset] = value`, once for every point of the domain; offsets are in range and hit each element once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Store {
    pub buffer: u32,
    pub offset: IndexId,
    pub value: NodeId,
}

/// How a reduction combines the running value with an incoming one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Combiner {
    /// One operand and an associative, commutative op: Add, Multiply, Maximum, Minimum, And, Or, Xor.
    Simple(Binary),
    /// Several operands at once (argmax): new running values over `Node::Running(i)` and `Node::Incoming(i)`.
    /// Associative by StableHLO's contract; the initial value is an identity.
    General(Vec<NodeId>),
}

/// What to compute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    /// For every point of the domain: the stores.
    Loop { stores: Vec<Store> },
    /// For every point of the domain: fold `inputs` over the reduction variables, starting from `inits` (nodes without
    /// reduction variables), then the stores, which may read `Node::Reduced(i)`. Accumulators have the element types
    /// of `inits` (f16 and bf16 sums are given as f32 by the maker).
    Reduce { reduction: Vec<VarId>, inputs: Vec<NodeId>, inits: Vec<NodeId>, combiner: Combiner, stores: Vec<Store> },
    /// For every point of the domain: Σ lhs·rhs over the reduction variables in the element type `accumulator`
    /// (both nodes are converted to it), then the stores over `Node::Reduced(0)`. Dot products and convolutions.
    /// `precision` says how accurate products of f32 operands must be.
    Contraction {
        reduction: Vec<VarId>,
        lhs: NodeId,
        rhs: NodeId,
        accumulator: ElementType,
        precision: Precision,
        stores: Vec<Store>,
    },
    /// For every point of the domain: several sums of products, then the stores over `Node::Reduced(i)`; see
    /// `products`.
    Products(Box<Products>),
    /// For every point of the domain: the folds over the row variables, one after another, then the stores; see `row`.
    Row { row: Vec<VarId>, folds: Vec<RowFold>, stores: Vec<Store> },
    /// Every line of `operands` along `source` (a variable of their own) is cut into runs of `to` elements; each is
    /// sorted, stably, and the first `keep` of each follow one another along `along` (of the domain, if it has more
    /// than one element), where the stores read `Node::Reduced(i)`. Runs of `from` are sorted before (1: nothing is).
    /// `before` says of the elements `Node::Running(i)` whether they come before the elements `Node::Incoming(i)`.
    Sort {
        along: VarId,
        source: VarId,
        operands: Vec<NodeId>,
        before: NodeId,
        from: i64,
        to: i64,
        keep: i64,
        stores: Vec<Store>,
    },
    /// For every point: `input` folded over the places along `along` up to the point's own (from its own on where
    /// `reverse`), then the stores, which read `Node::Reduced(0)`.
    Scan { along: VarId, reverse: bool, input: NodeId, combiner: Binary, stores: Vec<Store> },
    /// How many elements of each tile (a variable of the domain) have each digit (another): `Node::Reduced(0)`.
    Count { digits: Digits, stores: Vec<Store> },
    /// Every element of a line goes to place `start` of its digit and tile, plus the number of elements of both before
    /// it; there the stores read it as `Node::Reduced(i)`.
    Distribute { digits: Digits, along: VarId, operands: Vec<NodeId>, start: NodeId, stores: Vec<Store> },
    /// For every point: the fold of `inputs`, from `inits`, over those values of `along` (a variable of its own) at
    /// which `key`, which ascends along it, equals `row`, in order; then the stores, which read `Node::Reduced(i)`.
    /// Scatters.
    Segment {
        along: VarId,
        key: NodeId,
        row: NodeId,
        inputs: Vec<NodeId>,
        inits: Vec<NodeId>,
        combiner: Combiner,
        stores: Vec<Store>,
    },
    /// For every point where `condition` holds: the stores, into buffers that hold values already. With `combine` the
    /// one stored value is combined with what is there, in any order; else the stores of different points go to
    /// different places. Scatters.
    Update { condition: NodeId, combine: Option<Binary>, stores: Vec<Store> },
    /// softmax(query·key)·value, the scores never stored.
    Attention(Box<Attention>),
    /// Several kernels, again and again, one workgroup a problem; see `fused_loop`.
    FusedLoop(Box<FusedLoop>),
    /// Several kernels in one launch, next to each other; see `bundle`.
    Bundle(Box<Bundle>),
    /// A kernel behind a small one that each of its workgroups does for itself; see `led`.
    Led(Box<Led>),
}

/// One kernel before emission.
#[derive(Clone, Debug)]
pub struct KernelPlan {
    pub exprs: Exprs,
    pub buffers: Vec<Buffer>,
    /// Parallel loop variables, outermost first.
    pub domain: Vec<VarId>,
    pub body: Body,
    pub schedule: Arc<dyn Schedule>,
    /// Descriptors the kernel is given after its buffers, in order (tensor copies of Hopper and later).
    pub tensor_maps: Vec<TensorMap>,
    /// Ops in it, for people: `"convolution add maximum"`.
    pub summary: String,
    /// Why it is scheduled as it is, for people: `"no tensor core: rows of 6 bytes"`. Empty where nothing is worth
    /// saying.
    pub note: String,
    /// Its folds depend on the order of the elements: one thread does each.
    pub ordered: bool,
    /// Buffers that it does start to read so early: no kernel of a call writes them. Where there are some, the kernel
    /// waits by itself for those that it depends on.
    pub early: Vec<u32>,
    /// Which calls it serves, where other kernels serve the others.
    pub serves: Option<Serves>,
}

impl Body {
    /// Name of the hero, as in the CLI.
    pub fn hero(&self) -> &'static str {
        match self {
            Body::Loop { .. } => "loop",
            Body::Reduce { .. } => "reduction",
            Body::Contraction { .. } => "contraction",
            Body::Products(_) => "products",
            Body::Row { .. } => "row",
            Body::Sort { .. } => "sort",
            Body::Scan { .. } => "scan",
            Body::Segment { .. } | Body::Update { .. } => "scatter",
            Body::Attention(_) => "attention",
            Body::Count { .. } => "count",
            Body::Distribute { .. } => "distribute",
            Body::FusedLoop(_) => "fused",
            Body::Bundle(_) => "bundle",
            Body::Led(_) => "led",
        }
    }

    pub fn stores(&self) -> &[Store] {
        match self {
            Body::Loop { stores }
            | Body::Reduce { stores, .. }
            | Body::Contraction { stores, .. }
            | Body::Row { stores, .. }
            | Body::Sort { stores, .. }
            | Body::Scan { stores, .. }
            | Body::Segment { stores, .. }
            | Body::Update { stores, .. }
            | Body::Count { stores, .. }
            | Body::Distribute { stores, .. } => stores,
            Body::Attention(a) => &a.stores,
            Body::Products(p) => &p.stores,
            Body::FusedLoop(_) | Body::Bundle(_) | Body::Led(_) => &[],
        }
    }

    /// `None` for kernels of several, whose parts have their own.
    pub fn stores_mut(&mut self) -> Option<&mut Vec<Store>> {
        Some(match self {
            Body::Loop { stores }
            | Body::Reduce { stores, .. }
            | Body::Contraction { stores, .. }
            | Body::Row { stores, .. }
            | Body::Sort { stores, .. }
            | Body::Scan { stores, .. }
            | Body::Segment { stores, .. }
            | Body::Update { stores, .. }
            | Body::Count { stores, .. }
            | Body::Distribute { stores, .. } => stores,
            Body::Attention(a) => &mut a.stores,
            Body::Products(p) => &mut p.stores,
            Body::FusedLoop(_) | Body::Bundle(_) | Body::Led(_) => return None,
        })
    }

    /// The variable along which elements depend on each other, of a sort or scan.
    pub fn along(&self) -> Option<VarId> {
        match self {
            Body::Sort { along, .. } | Body::Scan { along, .. } | Body::Distribute { along, .. } => Some(*along),
            _ => None,
        }
    }

    pub fn reduction(&self) -> &[VarId] {
        match self {
            Body::Attention(a) => &a.reduction,
            Body::Products(p) => &p.reduction,
            Body::Reduce { reduction, .. } | Body::Contraction { reduction, .. } => reduction,
            Body::Row { row, .. } => row,
            _ => &[],
        }
    }
}

impl KernelPlan {
    /// A plan without tensor maps and notes.
    pub fn new(
        exprs: Exprs,
        buffers: Vec<Buffer>,
        domain: Vec<VarId>,
        body: Body,
        schedule: impl Schedule,
        summary: String,
    ) -> KernelPlan {
        let schedule = Arc::new(schedule);
        let (tensor_maps, note) = (Vec::new(), String::new());
        KernelPlan {
            exprs,
            buffers,
            domain,
            body,
            schedule,
            tensor_maps,
            summary,
            note,
            ordered: false,
            early: Vec::new(),
            serves: None,
        }
    }

    /// Whether a buffer of it is announced by one part to the others.
    pub fn announces(&self) -> bool {
        self.buffers.iter().any(|b| b.access == Access::Announced)
    }

    /// A result lies in the bytes of an operand: no element may be computed twice.
    pub fn is_in_place(&self) -> bool {
        self.buffers.iter().any(|b| b.access == Access::Overwritten)
    }

    /// Makes the last buffer the byte that lets the kernel run.
    pub fn add_guard(&mut self) {
        self.buffers.push(Buffer { element: ElementType::I1, elements: 1, access: Access::Guard });
    }

    /// The buffer whose byte lets the kernel run.
    pub fn guard(&self) -> Option<usize> {
        self.buffers.iter().position(|b| b.access == Access::Guard)
    }

    /// Every node that the body evaluates directly: stored values, reduction inputs and initial values, combiners.
    pub fn roots(&self) -> Vec<NodeId> {
        let mut roots: Vec<NodeId> = self.body.stores().iter().map(|s| s.value).collect();
        match &self.body {
            Body::Loop { .. } => {}
            Body::Reduce { inputs, inits, combiner, .. } => {
                roots.extend(inputs.iter().chain(inits));
                if let Combiner::General(nodes) = combiner {
                    roots.extend(nodes);
                }
            }
            Body::Contraction { lhs, rhs, .. } => roots.extend([*lhs, *rhs]),
            Body::Products(p) => roots.extend(p.operands()),
            Body::Row { folds, .. } => roots.extend(folds.iter().flat_map(RowFold::roots)),
            Body::Sort { operands, before, .. } => roots.extend(operands.iter().chain([before])),
            Body::Scan { input, .. } => roots.push(*input),
            Body::Update { condition, .. } => roots.push(*condition),
            Body::Segment { .. } | Body::Count { .. } | Body::Distribute { .. } => {
                roots.extend(self.body.segment_nodes().into_iter().chain(self.body.radix_nodes()));
            }
            Body::Attention(a) => roots.extend(a.nodes()),
            Body::FusedLoop(_) | Body::Bundle(_) | Body::Led(_) => {}
        }
        roots
    }

    /// Work items of a loop body at a vector width.
    pub fn loop_items(&self, vector: u32) -> u64 {
        let mut items = 1u64;
        for (at, &var) in self.domain.iter().enumerate() {
            let extent = self.exprs.indices.extent(var).max(0) as u64;
            let last = at + 1 == self.domain.len();
            items *= if last { extent.div_ceil(u64::from(vector)) } else { extent };
        }
        items
    }

    /// Renumbers buffers in loads and stores: buffer `b` becomes `to[b]`. The caller rearranges
    /// [`KernelPlan::buffers`].
    pub fn renumber_buffers(&mut self, to: &[u32]) {
        self.substitute(&HashMap::new(), to, &[]);
    }

    /// Puts index expressions in the place of variables, renumbers buffers as [`KernelPlan::renumber_buffers`] does,
    /// and moves accesses of (new) buffer `b` by `moved[b]`. The caller sees to the domain.
    pub fn substitute(&mut self, map: &HashMap<VarId, IndexId>, to: &[u32], moved: &[Option<IndexId>]) {
        if let Body::FusedLoop(fused) = &mut self.body {
            fused.parts.iter_mut().for_each(|part| part.plan.substitute(map, to, moved));
            return;
        }
        if let Body::Bundle(bundle) = &mut self.body {
            let buffers = bundle.parts.iter_mut().flat_map(|part| &mut part.launches).flatten();
            let maps = self.tensor_maps.iter_mut().map(|map| &mut map.buffer);
            buffers.chain(maps).for_each(|buffer| *buffer = to.get(*buffer as usize).copied().unwrap_or(*buffer));
            return;
        }
        if let Body::Led(led) = &mut self.body {
            [&mut led.lead, &mut led.then].into_iter().for_each(|part| part.renumber(to));
            return;
        }
        let KernelPlan { exprs, body, tensor_maps, .. } = self;
        for map in tensor_maps {
            map.buffer = to.get(map.buffer as usize).copied().unwrap_or(map.buffer);
        }
        let mut s = Substitution::renumbering(exprs, map, to);
        s.moved = moved;
        match body {
            Body::Loop { .. } => {}
            Body::Reduce { inputs, inits, combiner, .. } => {
                for node in inputs.iter_mut().chain(inits) {
                    *node = s.node(*node);
                }
                if let Combiner::General(nodes) = combiner {
                    for node in nodes {
                        *node = s.node(*node);
                    }
                }
            }
            Body::Contraction { lhs, rhs, .. } => (*lhs, *rhs) = (s.node(*lhs), s.node(*rhs)),
            Body::Products(p) => p.operands_mut().for_each(|node| *node = s.node(*node)),
            Body::Row { folds, .. } => {
                for node in folds.iter_mut().flat_map(RowFold::roots_mut) {
                    *node = s.node(*node);
                }
            }
            Body::Sort { operands, before, .. } => {
                operands.iter_mut().chain([before]).for_each(|node| *node = s.node(*node));
            }
            Body::Scan { input, .. } => *input = s.node(*input),
            Body::Update { condition, .. } => *condition = s.node(*condition),
            Body::Segment { .. } => body.segment_nodes_mut().into_iter().for_each(|node| *node = s.node(*node)),
            Body::Attention(a) => a.rewrite(&mut s),
            Body::FusedLoop(_) | Body::Bundle(_) | Body::Led(_) => {}
            Body::Count { .. } | Body::Distribute { .. } => {
                body.radix_nodes_mut().into_iter().for_each(|node| *node = s.node(*node));
            }
        }
        for store in body.stores_mut().into_iter().flatten() {
            store.buffer = to.get(store.buffer as usize).copied().unwrap_or(store.buffer);
            store.offset = s.place(store.buffer, store.offset);
            store.value = s.node(store.value);
        }
    }
}

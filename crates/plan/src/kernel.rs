//! The kernel plan: buffers, loop domain, body, schedule. One plan becomes one kernel on one target.

use std::collections::HashMap;

use fornax_graph::ElementType;

use crate::attention::{Attention, AttentionSchedule};
use crate::attention_lanes::AttentionLanes;
use crate::exchange::ExchangeSchedule;
use crate::expr::{Binary, Exprs, NodeId};
use crate::index::{IndexId, VarId};
use crate::matrix::MatrixSchedule;
use crate::ordered::{ScanSchedule, SortSchedule};
use crate::panel::PanelSchedule;
use crate::precision::Precision;
use crate::radix::{Digits, RadixSchedule};
use crate::row::{RowFold, RowSchedule};
use crate::segment::SegmentSchedule;
use crate::sized::{Serves, SizedSchedule};
use crate::skinny::SkinnySchedule;
use crate::substitute::Substitution;
use crate::team::{Team, TeamSchedule};
use crate::tensor_map::TensorMap;
use crate::warpgroup::WarpgroupSchedule;
use crate::window::WindowSchedule;

/// How a kernel uses a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    Read,
    /// Read, and the caller gave it away: the kernel's result lies in the same bytes. Each element is read, and computed, exactly once,
    /// before the same element is written.
    Overwritten,
    Write,
    /// Written by several kernels of a call, one after another: read by the later ones, in part written.
    Update,
    /// One byte: where it is 0 the kernel does nothing. The last buffer, if there is one.
    Guard,
}

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
    /// For every point of the domain: the folds over the row variables, one after another, then the stores; see `row`.
    Row { row: Vec<VarId>, folds: Vec<RowFold>, stores: Vec<Store> },
    /// Every line of `operands` along `source` (a variable of their own) is cut into runs of `to` elements; each is sorted, stably,
    /// and the first `keep` of each follow one another along `along` (of the domain, if it has more than one element), where
    /// the stores read `Node::Reduced(i)`. Runs of `from` are sorted before (1: nothing is). `before` says of the elements
    /// `Node::Running(i)` whether they come before the elements `Node::Incoming(i)`.
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
    /// Every element of a line goes to place `start` of its digit and tile, plus the number of elements of both before it; there the
    /// stores read it as `Node::Reduced(i)`.
    Distribute { digits: Digits, along: VarId, operands: Vec<NodeId>, start: NodeId, stores: Vec<Store> },
    /// For every point: the fold of `inputs`, from `inits`, over those values of `along` (a variable of its own) at which `key`,
    /// which ascends along it, equals `row`, in order; then the stores, which read `Node::Reduced(i)`. Scatters.
    Segment {
        along: VarId,
        key: NodeId,
        row: NodeId,
        inputs: Vec<NodeId>,
        inits: Vec<NodeId>,
        combiner: Combiner,
        stores: Vec<Store>,
    },
    /// For every point where `condition` holds: the stores, into buffers that hold values already. With `combine` the one stored value is
    /// combined with what is there, in any order; else the stores of different points go to different places. Scatters.
    Update { condition: NodeId, combine: Option<Binary>, stores: Vec<Store> },
    /// softmax(query·key)·value, the scores never stored.
    Attention(Box<Attention>),
    /// Several kernels, again and again, one workgroup a problem; see `team`.
    Team(Box<Team>),
}

/// How loops map to the machine. Workgroups have `threads` threads (1 on CPU).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Schedule {
    Loop(LoopSchedule),
    Tile(TileSchedule),
    Warpgroup(WarpgroupSchedule),
    Skinny(SkinnySchedule),
    Row(RowSchedule),
    /// CPU.
    Panel(PanelSchedule),
    Sort(SortSchedule),
    Scan(ScanSchedule),
    Matrix(MatrixSchedule),
    Segment(SegmentSchedule),
    Exchange(ExchangeSchedule),
    Attention(AttentionSchedule),
    /// CPU.
    AttentionLanes(AttentionLanes),
    Radix(RadixSchedule),
    Window(WindowSchedule),
    Sized(SizedSchedule),
    Team(TeamSchedule),
}

/// For `Body::Loop`: work items are (all domain variables but the last) × ⌈last / vector⌉, numbered row-major; each
/// thread does `items_per_thread` items at distance `threads` (GPU) or in a row (CPU).
///
/// Worked example: 4001×3999 f32 collapsed to one variable of 15,999,999 on CUDA, vector 4, threads 256,
/// items_per_thread 2: 4,000,000 items, 7813 workgroups, the last item stores 3 elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoopSchedule {
    /// Lanes along the last domain variable.
    pub vector: u32,
    pub threads: u32,
    pub items_per_thread: u32,
}

/// For `Body::Reduce` and `Body::Contraction`: each thread holds a register tile of outputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TileSchedule {
    /// Variable whose lanes form vectors: a domain variable, or a reduction variable (lanes are combined at the end),
    /// with its lane count. `None`: scalars.
    pub vector: Option<(VarId, u32)>,
    /// Domain variables unrolled in registers: (variable, count). The vector variable may be listed too: then its
    /// tile is `count` vectors.
    pub unroll: Vec<(VarId, u32)>,
    /// Threads that share one output tile, splitting the reduction, combined through shuffles and shared memory
    /// (power of two; 1 on CPU).
    pub reduce_threads: u32,
    /// Output tiles a workgroup computes (`threads = reduce_threads · tile_threads`).
    pub tile_threads: u32,
    /// Tiles a CPU workgroup computes one after another (1 on GPU).
    pub tiles_per_workgroup: u32,
}

/// One kernel before emission.
#[derive(Clone, Debug)]
pub struct KernelPlan {
    pub exprs: Exprs,
    pub buffers: Vec<Buffer>,
    /// Parallel loop variables, outermost first.
    pub domain: Vec<VarId>,
    pub body: Body,
    pub schedule: Schedule,
    /// Descriptors the kernel is given after its buffers, in order (tensor copies of Hopper and later).
    pub tensor_maps: Vec<TensorMap>,
    /// Ops in it, for people: `"convolution add maximum"`.
    pub summary: String,
    /// Why it is scheduled as it is, for people: `"no tensor core: rows of 6 bytes"`. Empty where nothing is worth saying.
    pub note: String,
    /// Its folds depend on the order of the elements: one thread does each.
    pub ordered: bool,
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
            Body::Row { .. } => "row",
            Body::Sort { .. } => "sort",
            Body::Scan { .. } => "scan",
            Body::Segment { .. } | Body::Update { .. } => "scatter",
            Body::Attention(_) => "attention",
            Body::Count { .. } => "count",
            Body::Distribute { .. } => "distribute",
            Body::Team(_) => "team",
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
            Body::Team(_) => &[],
        }
    }

    /// `None` for a team, whose parts have their own.
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
            Body::Team(_) => return None,
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
        schedule: Schedule,
        summary: String,
    ) -> KernelPlan {
        let (tensor_maps, note) = (Vec::new(), String::new());
        KernelPlan { exprs, buffers, domain, body, schedule, tensor_maps, summary, note, ordered: false, serves: None }
    }

    /// Shared memory given at launch, beside what the kernel declares itself (bytes).
    pub fn dynamic_shared_bytes(&self) -> u32 {
        match &self.schedule {
            Schedule::Warpgroup(s) => s.layout().total.min(u64::from(u32::MAX)) as u32,
            Schedule::Matrix(s) => match &self.body {
                Body::Contraction { accumulator, .. } => s.shared_bytes(*accumulator),
                _ => 0,
            },
            Schedule::Attention(s) => s.shared_bytes(),
            _ => 0,
        }
    }

    /// Scratch that a CPU thread gives the kernel, bytes.
    pub fn scratch_bytes(&self) -> u32 {
        match &self.schedule {
            Schedule::AttentionLanes(s) => u32::try_from(s.scratch(self).bytes).unwrap_or(u32::MAX),
            Schedule::Panel(s) => u32::try_from(s.scratch(self).bytes).unwrap_or(u32::MAX),
            Schedule::Row(s) => u32::try_from(self.row_kept_bytes(s)).unwrap_or(u32::MAX),
            _ => 0,
        }
    }

    /// A result lies in the bytes of an operand: no element may be computed twice.
    pub fn is_in_place(&self) -> bool {
        self.buffers.iter().any(|b| b.access == Access::Overwritten)
    }

    /// The buffer whose byte lets the kernel run.
    pub fn guard(&self) -> Option<usize> {
        self.buffers.iter().position(|b| b.access == Access::Guard)
    }

    /// Launch grid `[x, y, z]` and threads of a workgroup: the one place where both sides take them from. With sizes known only at
    /// run time the grid of the largest; [`KernelPlan::launch_formula`] is that of a call.
    pub fn launch(&self) -> ([u64; 3], u32) {
        match &self.schedule {
            Schedule::Loop(s) => {
                let items = self.loop_items(s.vector);
                let per_group = u64::from(s.threads) * u64::from(s.items_per_thread);
                ([items.div_ceil(per_group).max(1), 1, 1], s.threads)
            }
            Schedule::Tile(s) => {
                let per_group = u64::from(s.tile_threads) * u64::from(s.tiles_per_workgroup);
                ([self.tiles(s).div_ceil(per_group).max(1), 1, 1], s.reduce_threads * s.tile_threads)
            }
            Schedule::Window(s) => {
                let groups = self.tiles(&s.tile()).div_ceil(u64::from(s.threads.max(1)));
                ([groups.max(1), 1, 1], s.threads)
            }
            Schedule::Warpgroup(s) => ([s.workgroups(), 1, 1], s.threads()),
            Schedule::Sized(s) => {
                let per_group = u64::from(s.threads) * u64::from(s.items);
                ([self.sized_items(s).div_ceil(per_group.max(1)).max(1), 1, 1], s.threads)
            }
            Schedule::Team(s) => ([self.body.team().map_or(1, |t| t.workgroups(*s)).max(1), 1, 1], s.threads),
            Schedule::Sort(s) => ([self.sort_groups(s).max(1), 1, 1], s.threads),
            Schedule::Scan(s) => ([self.scan_groups(s).max(1), 1, 1], s.threads),
            Schedule::Radix(s) => ([self.radix_groups().max(1), 1, 1], s.threads),
            Schedule::Segment(s) => ([self.segment_groups(s).max(1), 1, 1], s.threads),
            Schedule::Skinny(s) => ([s.workgroups(self).max(1), 1, 1], s.threads()),
            Schedule::Exchange(s) => ([self.rectangles(s).max(1), 1, 1], s.threads),
            Schedule::Row(s) => {
                let groups = self.row_count(s).div_ceil(u64::from(s.rows.max(1))).max(1);
                let groups = if s.ahead > 0 { groups.min(u64::from(s.ahead)) } else { groups };
                ([groups.saturating_mul(u64::from(s.cluster.max(1))), 1, 1], s.workgroup_threads())
            }
            Schedule::AttentionLanes(s) => ([s.groups(self).max(1), 1, 1], 1),
            Schedule::Panel(s) => ([s.groups(self).max(1), 1, 1], 1),
            Schedule::Matrix(s) => ([s.workgroups(self), 1, 1], s.threads()),
            Schedule::Attention(s) => {
                let groups = match &self.body {
                    Body::Attention(a) => s.workgroups(a, &self.exprs, &self.domain),
                    _ => 1,
                };
                ([groups.max(1), 1, 1], s.threads())
            }
        }
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
            Body::Row { folds, .. } => roots.extend(folds.iter().flat_map(RowFold::roots)),
            Body::Sort { operands, before, .. } => roots.extend(operands.iter().chain([before])),
            Body::Scan { input, .. } => roots.push(*input),
            Body::Update { condition, .. } => roots.push(*condition),
            Body::Segment { .. } | Body::Count { .. } | Body::Distribute { .. } => {
                roots.extend(self.body.segment_nodes().into_iter().chain(self.body.radix_nodes()));
            }
            Body::Attention(a) => roots.extend(a.nodes()),
            Body::Team(_) => {}
        }
        roots
    }

    /// Items or tiles that one thread works on, one after another.
    pub fn points_per_thread(&self) -> u64 {
        match &self.schedule {
            Schedule::Loop(s) => u64::from(s.items_per_thread),
            Schedule::Tile(s) => u64::from(s.tiles_per_workgroup),
            Schedule::Exchange(_) | Schedule::Window(_) => 1,
            Schedule::Row(s) => u64::from(if s.side_by_side { 1 } else { s.rows }),
            Schedule::AttentionLanes(s) => u64::from(s.tiles),
            Schedule::Panel(s) => u64::from(s.row_tiles) * u64::from(s.column_tiles),
            Schedule::Sort(s) => u64::from(s.items),
            Schedule::Sized(s) => u64::from(s.items),
            Schedule::Scan(s) => u64::from(s.items) * u64::from(s.lanes),
            Schedule::Segment(s) => u64::from(s.items),
            Schedule::Radix(s) => self.radix_items(s),
            Schedule::Matrix(s) => u64::from(s.rows) * u64::from(s.columns) / u64::from(s.threads().max(1)),
            Schedule::Warpgroup(_) | Schedule::Skinny(_) | Schedule::Attention(_) | Schedule::Team(_) => 1,
        }
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

    /// Elements of a domain variable that one register tile covers.
    pub fn tile_extent(&self, s: &TileSchedule, var: VarId) -> u64 {
        let lanes = s.vector.map_or(1, |(v, n)| if v == var { u64::from(n) } else { 1 });
        let count = s.unroll.iter().find(|u| u.0 == var).map_or(1, |u| u64::from(u.1));
        lanes * count
    }

    /// Number of register tiles: the product over domain variables of ⌈extent / tile extent⌉.
    pub fn tiles(&self, s: &TileSchedule) -> u64 {
        self.domain
            .iter()
            .map(|&v| (self.exprs.indices.extent(v).max(0) as u64).div_ceil(self.tile_extent(s, v)))
            .fold(1, u64::saturating_mul)
    }

    /// Renumbers buffers in loads and stores: buffer `b` becomes `to[b]`. The caller rearranges [`KernelPlan::buffers`].
    pub fn renumber_buffers(&mut self, to: &[u32]) {
        self.substitute(&HashMap::new(), to, &[]);
    }

    /// Puts index expressions in the place of variables, renumbers buffers as [`KernelPlan::renumber_buffers`] does, and moves accesses of
    /// (new) buffer `b` by `moved[b]`. The caller sees to the domain.
    pub fn substitute(&mut self, map: &HashMap<VarId, IndexId>, to: &[u32], moved: &[Option<IndexId>]) {
        if let Body::Team(team) = &mut self.body {
            team.parts.iter_mut().for_each(|part| part.plan.substitute(map, to, moved));
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
            Body::Team(_) => {}
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

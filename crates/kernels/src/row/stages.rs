//! Long rows that are too few for the units of a GPU: cut along the row, in two stages for each fold.
//!
//! Input: a plan that folds, with the schedule that it would have, and the values that its buffers stand for. Output:
//! kernels that run before it, and the plan that is left. Folds that need no other's result share a *level*. For each
//! level one kernel folds every part of a row, and a second one folds the parts. Where elements of the rows are stored
//! as well, a loop does that last. Nothing is atomic: the same input gives the same bits.
//!
//! - Parts are runs of neighbouring elements, in order: combiners that do not commute stay right.
//! - A combiner starts from its identity in every part, and again over the parts.
//! - Parts lie in a buffer `[result][part][row]` of accumulators. Results of several types are kept as the bits of the
//!   widest.
//! - Where no even cut is near, the last part is shorter: its loads are masked, and the identity takes their place.
//!
//! Columns that fill the units only by workgroups of a few columns each, which read less than a cache line of a row,
//! count as too few: the sums over [25088, 512] bf16 by 128 workgroups of 4 columns read 1.1 TB/s, in 49 parts 3.3.
//!
//! Worked example on 132 units: the mean of [7, 300000] f32 (8.4 MB) would have 7 workgroups. It becomes sums to
//! [40, 7] of 7500 elements each, on 280 workgroups, and 7 sums of 40. A softmax of the same rows is a maximum in two
//! stages, a sum in two stages and a loop.

use std::collections::HashMap;

use fornax_graph::ElementType;
use fornax_plan::substitute::Substitution;
use fornax_plan::walk::Reached;
use fornax_plan::{
    Access, Binary, Body, Buffer, Combiner, Exprs, IndexId, KernelPlan, Node, NodeId, RowFold, Store, Unscheduled,
    VarId,
};
use fornax_targets::Target;
use fornax_targets::fitted::row::{LAUNCH_BYTES, LINE_BYTES, NARROW_BYTES};
use fornax_types::element::Class;

use crate::access::{Load, loads};
use crate::collapse::collapse;
use crate::scheduled::{Bound, Prepare, drop_unused};

/// Bytes above which rows are cut wherever their workgroups would leave half of the units idle.
pub(super) const ROWS_BYTES_MAX: u64 = 1 << 20;
/// A product whose operands would be read more often than that, were each output a row of its own, stays a product.
const READS_MAX: u64 = 4;
/// Workgroups of a unit that parts shall make.
const GROUPS_PER_UNIT: u64 = 2;
/// Elements of a part, at least.
const PART_ELEMENTS_MIN: u64 = 16;
/// Cuts that are tried, each with twice the parts of the one before.
const CUTS_TRIED: usize = 6;
/// Even cuts have at most so many times the parts that are asked for.
const EVEN_CUT_MAX: i64 = 4;
/// Parts are a multiple of so many elements where they can be, so that loads are vectors.
const PART_ALIGNMENT: i64 = 8;

/// Gives a plan its schedule on a target: the chooser, which stands above the families.
pub type Choose = fn(&mut KernelPlan, &Target, bool);

/// Cuts the rows of a plan that has its schedule, where they are too few. The plan and its buffers become the last
/// kernel, which has a schedule too; the others write what it reads as `Bound::Prepared(number)` and after.
pub fn split(
    plan: &mut KernelPlan,
    bound: &mut Vec<Bound>,
    target: &Target,
    number: usize,
    choose: Choose,
) -> Vec<Prepare> {
    let Some(parts) = wanted_parts(plan, target) else { return Vec::new() };
    let mut best: Option<(u64, Staged)> = None;
    for shift in 0..CUTS_TRIED {
        let Some(staged) = staged(plan, bound, parts << shift, number) else { break };
        let staged = staged.scheduled(target, choose);
        let groups = staged.groups();
        if best.as_ref().is_none_or(|(most, _)| groups > *most) {
            best = Some((groups, staged));
        }
        if groups >= u64::from(target.compute_units) {
            break;
        }
    }
    let Some((_, staged)) = best.filter(|(most, _)| *most > whole_groups(plan)) else { return Vec::new() };
    (*plan, *bound) = (staged.plan, staged.bound);
    staged.prepare
}

fn groups(plan: &KernelPlan) -> u64 {
    plan.launch().0.iter().copied().fold(1, u64::saturating_mul)
}

/// Workgroups, each of whole cache lines: as many as there are where rows, or columns in whole lines, are read.
fn whole_groups(plan: &KernelPlan) -> u64 {
    let all = groups(plan);
    if !matches!(plan.body, Body::Reduce { .. } | Body::Row { .. }) || buffer_bytes(plan) < NARROW_BYTES {
        return all;
    }
    let (row, exprs) = (plan.body.reduction(), &plan.exprs);
    let read = loads(exprs, &plan.body.roots());
    let of_elements = read.iter().filter(|l| row.iter().any(|&v| exprs.index_varies(l.offset, v)));
    let Some(bytes) = of_elements.clone().map(|l| l.element.storage_bytes() as u64).min() else { return all };
    let is_column = |l: &Load| plan.domain.iter().any(|&v| exprs.indices.stride(l.offset, v) == Some(1));
    let lines = points(exprs, &plan.domain).saturating_mul(bytes) / LINE_BYTES;
    if of_elements.clone().all(is_column) { all.min(lines.max(1)) } else { all }
}

/// Parts of a row to begin with; `None` where the rows stay whole.
fn wanted_parts(plan: &KernelPlan, target: &Target) -> Option<i64> {
    let units = u64::from(target.compute_units);
    if !target.is_gpu() || plan.ordered || !plan.has_static_loops() || plan.guard().is_some() {
        return None;
    }
    if !matches!(plan.body, Body::Reduce { .. } | Body::Row { .. } | Body::Contraction { .. }) {
        return None;
    }
    let groups = whole_groups(plan);
    if groups.saturating_mul(2) >= units {
        return None;
    }
    let (reads, bytes) = (read_bytes(plan), buffer_bytes(plan));
    if matches!(plan.body, Body::Contraction { .. }) && reads > bytes.saturating_mul(READS_MAX) {
        return None;
    }
    let bytes = bytes.min(reads);
    let few = bytes > ROWS_BYTES_MAX || bytes > groups.saturating_mul(LAUNCH_BYTES * kernels(plan));
    few.then(|| (GROUPS_PER_UNIT * units).div_ceil(groups.max(1)).max(2) as i64)
}

/// The variables of a row and its folds; the sum of a product's steps is one.
fn folds_of<'p>(plan: &'p KernelPlan, exprs: &mut Exprs) -> Option<(&'p [VarId], Vec<RowFold>)> {
    match &plan.body {
        Body::Reduce { reduction, inputs, inits, combiner, .. } => {
            let (inputs, inits, combiner) = (inputs.clone(), inits.clone(), combiner.clone());
            Some((reduction, vec![RowFold { inputs, inits, combiner }]))
        }
        Body::Row { row, folds, .. } => Some((row, folds.clone())),
        Body::Contraction { reduction, lhs, rhs, accumulator, .. } => {
            let [a, b] = [lhs, rhs].map(|&node| exprs.convert(*accumulator, node));
            let product = exprs.binary(Binary::Multiply, a, b);
            let zero = exprs.add(Node::Constant { element: *accumulator, bits: 0 });
            let combiner = Combiner::Simple(Binary::Add);
            Some((reduction, vec![RowFold { inputs: vec![product], inits: vec![zero], combiner }]))
        }
        _ => None,
    }
}

/// Kernels that the plan would become, at most.
fn kernels(plan: &KernelPlan) -> u64 {
    let folds = if let Body::Row { folds, .. } = &plan.body { folds.len() as u64 } else { 1 };
    2 * folds + u64::from(plan.body.stores().iter().any(|store| is_of_elements(plan, store)))
}

/// Whether a store is done for every element of a row.
fn is_of_elements(plan: &KernelPlan, store: &Store) -> bool {
    plan.body.reduction().iter().any(|&v| plan.exprs.index_varies(store.offset, v))
}

/// Bytes that are read for the elements of all rows.
fn read_bytes(plan: &KernelPlan) -> u64 {
    let row = plan.body.reduction();
    let loads = loads(&plan.exprs, &plan.body.roots());
    let varies = |offset| row.iter().any(|&v| plan.exprs.index_varies(offset, v));
    let bytes: u64 = loads.iter().filter(|l| varies(l.offset)).map(|l| l.element.storage_bytes() as u64).sum();
    points(&plan.exprs, row).saturating_mul(points(&plan.exprs, &plan.domain)).saturating_mul(bytes)
}

/// Bytes of what is read.
fn buffer_bytes(plan: &KernelPlan) -> u64 {
    let read = plan.buffers.iter().filter(|b| b.access == Access::Read);
    let bytes = read.map(|b| (b.elements.max(0) as u64).saturating_mul(b.element.storage_bytes() as u64));
    bytes.fold(0, u64::saturating_add)
}

fn points(exprs: &Exprs, vars: &[VarId]) -> u64 {
    vars.iter().map(|&v| exprs.indices.extent(v).max(0) as u64).fold(1, u64::saturating_mul)
}

/// The kernels of a cut.
pub(super) struct Staged {
    pub prepare: Vec<Prepare>,
    pub plan: KernelPlan,
    pub bound: Vec<Bound>,
}

impl Staged {
    fn scheduled(mut self, target: &Target, choose: Choose) -> Staged {
        for plan in self.prepare.iter_mut().map(|before| &mut before.plan).chain([&mut self.plan]) {
            collapse(plan);
            choose(plan, target, false);
        }
        self
    }

    /// Workgroups of the kernel of parts that has fewest.
    fn groups(&self) -> u64 {
        self.prepare.iter().step_by(2).map(|before| groups(&before.plan)).min().unwrap_or(0)
    }
}

/// How the variables of a row are cut.
struct Cut {
    /// Variables that number the parts, outermost first.
    parts: Vec<VarId>,
    /// Variables inside of a part.
    inside: Vec<VarId>,
    /// What the cut variable is.
    map: HashMap<VarId, IndexId>,
    /// Whether an element of the cut variable exists, where parts are uneven.
    exists: Option<(VarId, NodeId)>,
}

/// Cuts the outermost variables of a row into about so many parts.
fn cut(exprs: &mut Exprs, row: &[VarId], wanted: i64) -> Option<Cut> {
    let mut cut = Cut { parts: Vec::new(), inside: Vec::new(), map: HashMap::new(), exists: None };
    let mut wanted = wanted.min((points(exprs, row) / PART_ELEMENTS_MIN) as i64);
    for &var in row {
        let extent = exprs.indices.extent(var);
        if wanted <= 1 || extent == 1 {
            cut.inside.push(var);
            continue;
        }
        if extent <= wanted {
            cut.parts.push(var);
            wanted /= extent;
            continue;
        }
        let inside = part_elements(extent, wanted);
        let count = (extent + inside - 1) / inside;
        let (part, step) = (exprs.indices.add_var(count), exprs.indices.add_var(inside));
        let (part_index, step_index) = (exprs.indices.var(part), exprs.indices.var(step));
        let begin = exprs.indices.scale(part_index, inside);
        let whole = exprs.indices.add(begin, step_index);
        cut.map.insert(var, whole);
        if extent % inside != 0 {
            cut.exists = Some((var, exprs.add(Node::InRange { index: whole, low: 0, high: extent })));
        }
        cut.parts.push(part);
        cut.inside.push(step);
        wanted = 1;
    }
    (!cut.parts.is_empty() && !cut.inside.is_empty()).then_some(cut)
}

/// Elements of a part where so many elements shall be about so many parts: an even cut if one is near.
fn part_elements(extent: i64, wanted: i64) -> i64 {
    let even = || (wanted..=wanted.saturating_mul(EVEN_CUT_MAX).min(extent / 2)).filter(|parts| extent % parts == 0);
    let aligned = even().find(|parts| (extent / parts) % PART_ALIGNMENT == 0);
    match aligned.or_else(|| even().next()) {
        Some(parts) => extent / parts,
        None => (extent as u64).div_ceil(wanted as u64).next_multiple_of(PART_ALIGNMENT as u64) as i64,
    }
}

/// The level of each fold: one more than the highest of those whose results it reads.
fn levels(exprs: &Exprs, folds: &[RowFold]) -> Vec<usize> {
    let (mut levels, mut of_result) = (Vec::new(), Vec::new());
    for fold in folds {
        let reached = Reached::from(exprs, fold.roots(), &[]);
        let below = reached.nodes.iter().filter_map(|&node| match exprs.node(node) {
            Node::Reduced { index, .. } => of_result.get(*index as usize).map(|level: &usize| level + 1),
            _ => None,
        });
        let level = below.max().unwrap_or(0);
        levels.push(level);
        of_result.extend(vec![level; fold.inits.len()]);
    }
    levels
}

/// What grows while a plan is taken apart.
struct Stages<'a> {
    plan: &'a KernelPlan,
    exprs: Exprs,
    buffers: Vec<Buffer>,
    bound: Vec<Bound>,
    number: usize,
    prepare: Vec<Prepare>,
    /// Loads of results that are in memory, by their number.
    loaded: HashMap<u32, NodeId>,
}

/// The kernels of a plan whose rows are cut into about so many parts, without schedules.
pub(super) fn staged(plan: &KernelPlan, bound: &[Bound], parts: i64, number: usize) -> Option<Staged> {
    let mut exprs = plan.exprs.clone();
    let (row, folds) = folds_of(plan, &mut exprs)?;
    let mut s = Stages {
        plan,
        exprs,
        buffers: plan.buffers.clone(),
        bound: bound.to_vec(),
        number,
        prepare: Vec::new(),
        loaded: HashMap::new(),
    };
    let cut = cut(&mut s.exprs, row, parts)?;
    let (elements, rows): (Vec<&Store>, Vec<&Store>) =
        plan.body.stores().iter().partition(|store| is_of_elements(plan, store));
    let levels = levels(&s.exprs, &folds);
    let last = levels.iter().copied().max()?;
    let mut firsts = Vec::new();
    let mut results = 0;
    for fold in &folds {
        firsts.push(results);
        results += fold.inits.len() as u32;
    }
    for level in 0..=last {
        let own: Vec<Level> = (0..folds.len())
            .filter(|&at| levels[at] == level)
            .map(|at| Level { fold: &folds[at], first: firsts[at] })
            .collect();
        let temporary = s.partial(&own, &cut)?;
        let stores: &[&Store] = if level == last { &rows } else { &[] };
        let is_last = level == last && elements.is_empty();
        if let Some((plan, bound)) = s.whole(&own, &cut, (temporary, stores), is_last)? {
            return Some(Staged { prepare: s.prepare, plan, bound });
        }
    }
    let map = HashMap::new();
    let stores = s.stores(&elements, &map, &HashMap::new());
    let domain: Vec<VarId> = plan.domain.iter().chain(row).copied().collect();
    let (plan, bound) = s.kernel(domain, Body::Loop { stores }, plan.summary.clone(), None);
    Some(Staged { prepare: s.prepare, plan, bound })
}

/// A fold of a level, and the number of its first result.
struct Level<'a> {
    fold: &'a RowFold,
    first: u32,
}

/// A buffer of results: its number, its elements, and what each result is.
struct Kept {
    buffer: u32,
    element: ElementType,
    results: Vec<ElementType>,
}

impl Stages<'_> {
    /// Folds every part: a kernel, and where its results are.
    fn partial(&mut self, level: &[Level], cut: &Cut) -> Option<Kept> {
        let mut domain = cut.parts.clone();
        domain.extend(&self.plan.domain);
        let mut folds = Vec::new();
        for Level { fold, .. } in level {
            let exprs = &mut self.exprs;
            let none = HashMap::new();
            let mut starts = Substitution::new(exprs, &none);
            starts.reduced.clone_from(&self.loaded);
            let inits: Vec<NodeId> = fold.inits.iter().map(|&node| starts.node(node)).collect();
            let mut s = Substitution::new(exprs, &cut.map);
            s.reduced.clone_from(&self.loaded);
            s.guard = cut.exists;
            let mut inputs: Vec<NodeId> = fold.inputs.iter().map(|&node| s.node(node)).collect();
            if let Some((_, exists)) = cut.exists {
                for (input, &init) in inputs.iter_mut().zip(&inits) {
                    *input = exprs.select(exists, *input, init);
                }
            }
            folds.push(RowFold { inputs, inits, combiner: fold.combiner.clone() });
        }
        let results = self.results(level);
        let values = self.reduced(&results);
        let kept = self.keep(&results, &domain)?;
        let stores = self.keep_stores(&kept, &values, &domain);
        // One fold too is a row: its threads share it wherever its elements lie.
        let body = Body::Row { row: cut.inside.clone(), folds, stores };
        let note = format!("the rows in {} parts, for want of workgroups", points(&self.exprs, &cut.parts));
        let (mut plan, bound) = self.kernel(domain, body, self.plan.summary.clone(), Some(&kept));
        plan.note = note;
        self.prepare.push(Prepare { plan, bound });
        Some(kept)
    }

    /// Folds the parts: the last kernel, or one that keeps the results of its rows.
    fn whole(
        &mut self,
        level: &[Level],
        cut: &Cut,
        (parts, rows): (Kept, &[&Store]),
        is_last: bool,
    ) -> Option<Option<(KernelPlan, Vec<Bound>)>> {
        let mut from = cut.parts.clone();
        from.extend(&self.plan.domain);
        let mut inputs = self.kept_loads(&parts, &from).into_iter();
        let none = HashMap::new();
        let mut folds = Vec::new();
        for Level { fold, .. } in level {
            let mut s = Substitution::new(&mut self.exprs, &none);
            s.reduced.clone_from(&self.loaded);
            let inits: Vec<NodeId> = fold.inits.iter().map(|&node| s.node(node)).collect();
            let inputs = inputs.by_ref().take(inits.len()).collect();
            folds.push(RowFold { inputs, inits, combiner: fold.combiner.clone() });
        }
        let results = self.results(level);
        let values = self.reduced(&results);
        let numbers = level.iter().flat_map(|l| (l.first..).take(l.fold.inits.len()));
        let numbers: Vec<u32> = numbers.collect();
        let own: HashMap<u32, NodeId> = numbers.iter().copied().zip(values.iter().copied()).collect();
        let mut stores = self.stores(rows, &none, &own);
        let domain = self.plan.domain.clone();
        let summary = format!("{} parts", self.plan.summary);
        if is_last {
            return Some(Some(self.kernel(domain, body(cut.parts.clone(), folds, stores), summary, None)));
        }
        let kept = self.keep(&results, &domain)?;
        stores.extend(self.keep_stores(&kept, &values, &domain));
        let (plan, bound) = self.kernel(domain.clone(), body(cut.parts.clone(), folds, stores), summary, Some(&kept));
        self.prepare.push(Prepare { plan, bound });
        let loads = self.kept_loads(&kept, &domain);
        self.loaded.extend(numbers.into_iter().zip(loads));
        Some(None)
    }

    /// Types of a level's results.
    fn results(&self, level: &[Level]) -> Vec<ElementType> {
        level.iter().flat_map(|l| &l.fold.inits).map(|&init| self.exprs.element(init)).collect()
    }

    /// A level's results, where its own fold makes them.
    fn reduced(&mut self, results: &[ElementType]) -> Vec<NodeId> {
        (0..).zip(results).map(|(index, &element)| self.exprs.add(Node::Reduced { index, element })).collect()
    }

    /// Stores of the plan, with loads of the results in memory and the results of `own` in place of its own.
    fn stores(&mut self, stores: &[&Store], none: &HashMap<VarId, IndexId>, own: &HashMap<u32, NodeId>) -> Vec<Store> {
        let mut s = Substitution::new(&mut self.exprs, none);
        s.reduced.clone_from(&self.loaded);
        s.reduced.extend(own);
        stores.iter().map(|store| Store { value: s.node(store.value), ..**store }).collect()
    }

    /// A new buffer with a place for each result at every point of a domain.
    fn keep(&mut self, results: &[ElementType], domain: &[VarId]) -> Option<Kept> {
        let &first = results.first()?;
        let element = if results.iter().all(|&e| e == first) { first } else { bits_of(results)? };
        let places = i64::try_from(points(&self.exprs, domain)).ok()?;
        let elements = places.checked_mul(results.len() as i64)?;
        self.buffers.push(Buffer { element, elements, access: Access::Read });
        self.bound.push(Bound::Prepared(self.number + self.prepare.len()));
        let buffer = self.buffers.len() as u32 - 1;
        Some(Kept { buffer, element, results: results.to_vec() })
    }

    /// The place of a result at a point of a domain.
    fn place(&mut self, result: usize, domain: &[VarId]) -> IndexId {
        let shape: Vec<i64> = domain.iter().map(|&v| self.exprs.indices.extent(v)).collect();
        let index: Vec<IndexId> = domain.iter().map(|&v| self.exprs.indices.var(v)).collect();
        let place = self.exprs.indices.linearize(&index, &shape);
        self.exprs.indices.offset(place, result as i64 * shape.iter().product::<i64>())
    }

    fn keep_stores(&mut self, kept: &Kept, values: &[NodeId], domain: &[VarId]) -> Vec<Store> {
        let mut stores = Vec::new();
        for (at, &value) in values.iter().enumerate() {
            let offset = self.place(at, domain);
            let value =
                if self.exprs.element(value) == kept.element { value } else { self.packed(value, kept.element) };
            stores.push(Store { buffer: kept.buffer, offset, value });
        }
        stores
    }

    fn kept_loads(&mut self, kept: &Kept, domain: &[VarId]) -> Vec<NodeId> {
        let mut loads = Vec::new();
        for (at, &result) in kept.results.iter().enumerate() {
            let offset = self.place(at, domain);
            let (buffer, element) = (kept.buffer, kept.element);
            let load = self.exprs.add(Node::Load { buffer, element, offset, mask: None });
            loads.push(if result == element { load } else { self.unpacked(load, result) });
        }
        loads
    }

    /// A value's bits in a wider unsigned integer.
    fn packed(&mut self, value: NodeId, wide: ElementType) -> NodeId {
        let own = self.exprs.element(value);
        let bits = match unsigned(own.bits()) {
            Some(element) if own != ElementType::I1 => self.exprs.add(Node::Bitcast { element, a: value }),
            _ => value,
        };
        self.exprs.convert(wide, bits)
    }

    /// The value whose bits these are.
    fn unpacked(&mut self, bits: NodeId, element: ElementType) -> NodeId {
        match unsigned(element.bits()) {
            Some(narrow) if element != ElementType::I1 => {
                let bits = self.exprs.convert(narrow, bits);
                self.exprs.add(Node::Bitcast { element, a: bits })
            }
            _ => self.exprs.convert(element, bits),
        }
    }

    /// A kernel of what was made so far, which writes results and, where it is given, one buffer of its own.
    fn kernel(
        &self,
        domain: Vec<VarId>,
        body: Body,
        summary: String,
        written: Option<&Kept>,
    ) -> (KernelPlan, Vec<Bound>) {
        let mut buffers = self.buffers.clone();
        if let Some(kept) = written {
            buffers[kept.buffer as usize].access = Access::Write;
        }
        let mut plan = KernelPlan::new(self.exprs.clone(), buffers, domain, body, Unscheduled, summary);
        let bound = drop_unused(&mut plan, self.bound.clone());
        (plan, bound)
    }
}

/// One fold is a reduction, several are a row.
pub(super) fn body(row: Vec<VarId>, mut folds: Vec<RowFold>, stores: Vec<Store>) -> Body {
    match folds.pop() {
        Some(RowFold { inputs, inits, combiner }) if folds.is_empty() => {
            Body::Reduce { reduction: row, inputs, inits, combiner, stores }
        }
        last => Body::Row { row, folds: folds.into_iter().chain(last).collect(), stores },
    }
}

/// The unsigned integers of so many bits.
fn unsigned(bits: u32) -> Option<ElementType> {
    ElementType::with(|row| row.class == Class::UnsignedInteger && row.bits == bits)
}

/// The unsigned integers that hold the bits of each of some types.
fn bits_of(results: &[ElementType]) -> Option<ElementType> {
    let whole = |e: &ElementType| *e == ElementType::I1 || unsigned(e.bits()).is_some() && e.bits() >= 8;
    let widest = results.iter().map(|e| e.bits().max(8)).max()?;
    unsigned(widest).filter(|_| results.iter().all(|e| whole(e) && !e.is_complex()))
}

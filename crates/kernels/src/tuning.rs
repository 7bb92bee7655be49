//! Which ways there are to schedule a kernel, what each is called, and the one that a lock chose.
//!
//! Input: a lowered kernel and a target. Output: a *key* (what is computed: types, extents, how operands lie) and
//! *ways*: that of the cost models first, then what the families offer besides. A way's name is made of its schedule,
//! so the compiler finds it again by making the ways anew: a lock holds names, not schedules.
//!
//! Worked examples on sm_90a. [4096, 4096]·[4096, 4096] bf16: `sm_90a bf16*bf16->f32 ieee batch - rows 4096 columns
//! 4096 steps 4096 | row - 4096 1 | column - 1 4096 | bf16` => `wgmma 128x256x64 …`. Softmax of [4096, 1000] f32:
//! `sm_90a row 4096 over 1000 | f32 -> f32 | 1f0c29d3a5b7` => `row vector 4 threads 64 …`. The last word is a hash of
//! the plan: what is computed of each element has no short name.

use fornax_module::tuning::{BY_MODEL, Lock};
use fornax_plan::{Access, Attention, Body, ContractionForm, IndexId, KernelPlan, Node, Operand, VarId};
use fornax_targets::Target;

use crate::FAMILIES;
use crate::chooser::{by_model, streams};
use crate::family::Named;
use crate::former_names::current;
use crate::scheduled::{Ready, Scheduled, of_plan};

const SHIPPED: &str = include_str!("tuned.lock");
/// Hexadecimal digits of a plan's hash in a key: 48 bits tell the kernels of all models apart.
const KEY_HASH_DIGITS: usize = 12;
/// Ways of one family that are offered, where nobody asks for more.
const WAYS_MAX: usize = 24;

/// The lock that ships with the compiler: what `fornax tune` found on the devices that were at hand.
pub fn shipped() -> Lock {
    Lock::parse(SHIPPED).unwrap_or_default()
}

/// The ways of one kernel.
#[derive(Debug)]
pub struct Ways {
    pub key: String,
    /// Name and schedule; that of the models first.
    pub ways: Vec<(String, Scheduled)>,
}

/// The ways of a lowered group, so many of one family at most and those whose names begin with `only`; `None` for
/// groups that have one way only.
pub fn ways(ready: &Ready, target: &Target, most: Option<usize>, only: &str) -> Option<Ways> {
    let key = key(ready, target)?;
    let only = &*current(only);
    let mut found = vec![(BY_MODEL.to_string(), by_model(ready.clone(), target, &|_| false))];
    let offered = offered(ready, target, most.unwrap_or(WAYS_MAX), only);
    for (name, scheduled) in offered {
        let same = |(_, model): &(String, Scheduled)| {
            model.prepare.len() == scheduled.prepare.len() && model.plan.is_scheduled_as(&scheduled.plan)
        };
        if !found.first().is_some_and(same) {
            found.push((name, scheduled));
        }
    }
    Some(Ways { key, ways: found })
}

/// What a lock says of a kernel.
pub enum Chosen {
    /// Nothing, or to leave it to the models.
    Model(Box<Ready>),
    Way(Box<Scheduled>),
    /// A way that does not exist (any more).
    Unknown(Box<Ready>, String),
}

/// Looks a kernel up in a lock.
pub fn chosen(lock: &Lock, ready: Ready, target: &Target) -> Chosen {
    // Most locks hold products only: other plans need not be hashed.
    let head = head(&ready.plan, target);
    if !lock.ways.range(head.clone()..).next().is_some_and(|(key, _)| key.starts_with(&head)) {
        return Chosen::Model(Box::new(ready));
    }
    let way = key(&ready, target).and_then(|key| lock.ways.get(&key)).filter(|way| *way != BY_MODEL);
    let Some(way) = way.map(|way| current(way)) else { return Chosen::Model(Box::new(ready)) };
    let scheduled = match named(&way) {
        Some(named) => named(&ready.plan, target, &|name| name == way).map(|plan| of_plan(&ready, plan)),
        None => offered(&ready, target, usize::MAX, "").into_iter().find(|(name, _)| *name == *way).map(|(_, s)| s),
    };
    match scheduled {
        Some(scheduled) => Chosen::Way(Box::new(scheduled)),
        None => Chosen::Unknown(Box::new(ready), way.into_owned()),
    }
}

/// The family whose ways are found by name, if the way is one of its.
pub fn named(way: &str) -> Option<Named> {
    let family = FAMILIES.iter().find(|family| way.split(' ').next() == Some(family.name))?;
    family.named
}

/// The ways of all families whose names begin with `only`, at most so many of each.
pub fn offered(ready: &Ready, target: &Target, most: usize, only: &str) -> Vec<(String, Scheduled)> {
    let mut found: Vec<(String, Scheduled)> = Vec::new();
    for candidates in FAMILIES.iter().filter_map(|family| family.candidates) {
        for plan in candidates(&ready.plan, target).into_iter().take(most) {
            let name = plan.way();
            if !name.starts_with(only) || found.iter().any(|(known, _)| *known == name) {
                continue;
            }
            found.push((name, of_plan(ready, plan)));
        }
    }
    found.extend(streams(ready, target).into_iter().filter(|(name, _)| name.starts_with(only)));
    found
}

/// How all keys of the plan's kind on the target begin.
fn head(plan: &KernelPlan, target: &Target) -> String {
    let kind = match plan.body {
        Body::Contraction { .. } => "",
        _ => plan.body.hero(),
    };
    format!("{} {kind}", target.arch_spec())
}

/// What a kernel computes, in one line; `None` for bodies with one schedule.
fn key(ready: &Ready, target: &Target) -> Option<String> {
    let plan = &ready.plan;
    match &plan.body {
        Body::Attention(a) => Some(attention_key(plan, a, target)),
        Body::Contraction { .. } => contraction_key(plan, target),
        Body::Products(_) => Some(plain_key(plan, target)),
        Body::Loop { .. } | Body::Row { .. } | Body::Reduce { .. } if !ready.ordered && plan.has_static_loops() => {
            Some(plain_key(plan, target))
        }
        _ => None,
    }
}

/// What a loop, a reduction, a row or several products compute: extents, types, and a hash of the plan.
fn plain_key(plan: &KernelPlan, target: &Target) -> String {
    let extents = |vars: &[VarId]| list(vars.iter().map(|&v| plan.exprs.indices.extent(v).to_string()));
    let types = |written: bool| {
        let of = |access: Access| matches!(access, Access::Write | Access::Overwritten | Access::Update);
        let buffers = plan.buffers.iter().filter(move |b| of(b.access) == written);
        list(buffers.map(|b| b.element.spelling().to_string()))
    };
    let over = match plan.body.reduction() {
        [] => String::new(),
        vars => format!(" over {}", extents(vars)),
    };
    let hash = blake3::hash(plan.canonical().as_bytes()).to_hex();
    let hash = hash.get(..KEY_HASH_DIGITS).unwrap_or_default();
    format!("{} {}{over} | {} -> {} | {hash}", head(plan, target), extents(&plan.domain), types(false), types(true))
}

/// What a product or convolution computes.
fn contraction_key(plan: &KernelPlan, target: &Target) -> Option<String> {
    let form = ContractionForm::of(plan)?;
    let extents = |vars: &[VarId]| list(vars.iter().map(|&v| plan.exprs.indices.extent(v).to_string()));
    let lies = |operand: &Operand, outputs: &[VarId]| match operand.load {
        Some(load) => {
            let along = |vars: &[VarId]| strides(plan, load.offset, vars);
            let masked = if load.mask.is_some() { " masked" } else { "" };
            format!("{} {} {}{masked}", along(&form.batch), along(outputs), along(&form.steps))
        }
        None => "computed".to_string(),
    };
    let stored = list(plan.body.stores().iter().map(|s| {
        let buffer = plan.buffers.get(s.buffer as usize);
        buffer.map_or("?", |b| b.element.spelling()).to_string()
    }));
    Some(format!(
        "{} {}*{}->{} {} batch {} rows {} columns {} steps {} | row {} | column {} | {stored}",
        target.arch_spec(),
        form.row_operand.element.spelling(),
        form.column_operand.element.spelling(),
        form.accumulator.spelling(),
        form.precision.name(),
        extents(&form.batch),
        extents(&form.rows),
        extents(&form.columns),
        extents(&form.steps),
        lies(&form.row_operand, &form.rows),
        lies(&form.column_operand, &form.columns),
    ))
}

/// What an attention computes: how many points, rows, columns, how long the vectors are, what is between the products.
fn attention_key(plan: &KernelPlan, a: &Attention, target: &Target) -> String {
    let extents = |vars: &[VarId]| list(vars.iter().map(|&v| plan.exprs.indices.extent(v).to_string()));
    let score = if matches!(plan.exprs.node(a.inside), Node::Reduced { .. }) { "plain" } else { "computed" };
    format!(
        "{} attention {} batch {} rows {} columns {} depth {} features {} | {score} bounds {}",
        target.arch_spec(),
        a.weight.spelling(),
        extents(&a.batch(&plan.domain)),
        extents(&a.rows),
        extents(&[a.column()]),
        extents(&[a.depth()]),
        extents(&[a.feature]),
        a.bands.len()
    )
}

/// Strides of an offset along some variables; `?` where it is not linear in one.
fn strides(plan: &KernelPlan, offset: IndexId, vars: &[VarId]) -> String {
    let stride = |&var: &VarId| plan.exprs.indices.stride(offset, var).map_or("?".to_string(), |n| n.to_string());
    list(vars.iter().map(stride))
}

fn list(items: impl Iterator<Item = String>) -> String {
    let items: Vec<String> = items.collect();
    if items.is_empty() { "-".into() } else { items.join(",") }
}

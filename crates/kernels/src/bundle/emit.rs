//! `Body::Bundle`: every workgroup branches to the part whose number it has, and does what it would do there in a
//! launch of its own.
//!
//! The branches are a tree: a workgroup of 40 parts makes six. All threads of a workgroup take the same ones, so
//! barriers inside are safe; the number is the same in all lanes, so that they are scalar branches on AMD. A part that
//! is launched on several lists of buffers takes its pointers by the number of the launch. Parts share their arrays of
//! shared memory: a kernel has as much as the part that needs most. A part has tensor maps of its own. Where a part
//! reads something before the kernels that the bundle depends on are over (`KernelPlan::early`), each part waits for
//! itself.
//!
//! Worked example: parts of 64 (two launches of 32), 128 and 8 workgroups: `number < 192 { number < 64 { part 0:
//! launch number / 32, workgroup number % 32 } else { part 1: workgroup number - 64 } } else { part 2: … - 192 }`.

use fornax_emit::abi::Part;
use fornax_emit::emitter::Emitter;
use fornax_emit::errors::EmitError;
use fornax_emit::text::{Scalar, Value};
use fornax_plan::{Bundle, BundlePart};

use crate::emit_body;

/// A part and its place in the bundle.
struct Placed<'a> {
    part: &'a BundlePart,
    number: u32,
    /// Workgroups before it.
    first: u64,
}

/// Emits the body.
pub fn emit<'a>(e: &mut Emitter<'a>, bundle: &'a Bundle) -> Result<(), EmitError> {
    let (whole, buffers, maps) = (e.plan, e.buffers.clone(), e.maps.clone());
    let group = e.abi.workgroup_id(&mut e.code, Scalar::I32);
    let mut placed = Vec::with_capacity(bundle.parts.len());
    let mut first = 0;
    for (number, part) in (0..).zip(&bundle.parts) {
        placed.push(Placed { part, number, first });
        first += part.all_workgroups();
    }
    let (_, threads) = whole.launch();
    let same = |part: &BundlePart| (part.plan.launch().1, part.plan.cluster()) == (threads, whole.cluster());
    if first > i32::MAX as u64 || !bundle.parts.iter().all(same) {
        return Err(e.unfit("parts of a bundle with other threads or clusters than the whole"));
    }
    let launched = Launched { group, buffers: &buffers, maps: &maps, waits: !whole.early.is_empty() };
    branch(e, &placed, launched)?;
    e.end_parts(whole, buffers);
    e.maps = maps;
    Ok(())
}

/// What all parts have.
#[derive(Clone, Copy)]
struct Launched<'b> {
    /// The workgroup's number.
    group: Value,
    buffers: &'b [Value],
    maps: &'b [Value],
    /// Parts wait by themselves for the kernels that the bundle depends on.
    waits: bool,
}

/// The parts that a workgroup may have, by halves.
fn branch<'a>(e: &mut Emitter<'a>, parts: &[Placed<'a>], launched: Launched<'_>) -> Result<(), EmitError> {
    let (low, high) = match parts {
        [] => return Ok(()),
        [one] => return part(e, one, launched),
        more => more.split_at(more.len() / 2),
    };
    let middle = high.first().map_or(0, |part| part.first);
    let is_low = e.code.cmp_ik("ult", launched.group, middle as i64);
    e.code.begin_if(is_low, &[]);
    branch(e, low, launched)?;
    e.code.begin_else(&[]);
    branch(e, high, launched)?;
    e.code.end_if(&[]);
    Ok(())
}

fn part<'a>(e: &mut Emitter<'a>, placed: &Placed<'a>, launched: Launched<'_>) -> Result<(), EmitError> {
    let Launched { group, buffers, maps, waits } = launched;
    let BundlePart { plan, launches, first_map } = placed.part;
    if !plan.tensor_maps.is_empty() && launches.len() > 1 {
        return Err(e.malformed("tensor maps of several launches"));
    }
    let own_maps = maps.iter().skip(*first_map as usize).take(plan.tensor_maps.len()).copied().collect();
    let workgroups = placed.part.workgroups();
    let launch = (launches.len() > 1).then(|| {
        let own = e.code.add_ik(group, -(placed.first as i64));
        e.code.int_k("arith.divui", own, workgroups.max(1) as i64)
    });
    let mut own = Vec::with_capacity(plan.buffers.len());
    for at in 0..plan.buffers.len() {
        let each = launches.iter().map(|launch| launch.get(at).and_then(|&buffer| buffers.get(buffer as usize)));
        let each: Option<Vec<Value>> = each.map(|value| value.copied()).collect();
        let each = each.ok_or_else(|| e.malformed(format!("no buffer {at} of a part")))?;
        own.push(chosen(e, &each, launch));
    }
    e.abi.begin_part(Part { first: placed.first, workgroups, launches: launches.len() as u64 }, placed.number);
    e.begin_part(plan, own);
    e.maps = own_maps;
    if waits && plan.early.is_empty() {
        e.await_earlier()?;
    } else if waits {
        e.begin_early();
    }
    emit_body(e)
}

/// The value of the launch's number.
fn chosen(e: &mut Emitter<'_>, values: &[Value], launch: Option<Value>) -> Value {
    let (first, others) = (values[0], &values[1..]);
    let Some(launch) = launch.filter(|_| others.iter().any(|value| *value != first)) else { return first };
    others.iter().zip(1..).fold(first, |before, (&value, number)| {
        let is_it = e.code.cmp_ik("eq", launch, number);
        e.code.select(is_it, value, before)
    })
}

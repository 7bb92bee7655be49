//! A number that a product of few rows reads behind its first steps is found by one more workgroup of it: the launch of
//! what finds it goes, and with that the wait for it.
//!
//! A model:
//! ```mlir
//! func.func @main(%arg0: tensor<1x256xf32>, %arg1: tensor<256x256xf32>, %arg2: tensor<256x256xf32>)
//!     -> tensor<1x256xf32> {
//!   %0 = stablehlo.constant dense<0.0> : tensor<f32>
//!   %1 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [1] :
//!     (tensor<1x256xf32>, tensor<256x256xf32>) -> tensor<1x256xf32>
//!   %2 = stablehlo.multiply %1, %1 : tensor<1x256xf32>
//!   %3 = stablehlo.reduce(%2 init: %0) applies stablehlo.add across dimensions = [1] :
//!     (tensor<1x256xf32>, tensor<f32>) -> tensor<1xf32>
//!   %4 = stablehlo.rsqrt %3 : tensor<1xf32>
//!   %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<1xf32>) -> tensor<1x256xf32>
//!   %6 = stablehlo.multiply %1, %5 : tensor<1x256xf32>
//!   %7 = stablehlo.dot_general %6, %arg2, contracting_dims = [1] x [1] :
//!     (tensor<1x256xf32>, tensor<256x256xf32>) -> tensor<1x256xf32>
//!   %8 = stablehlo.multiply %7, %7 : tensor<1x256xf32>
//!   %9 = stablehlo.reduce(%8 init: %0) applies stablehlo.add across dimensions = [1] :
//!     (tensor<1x256xf32>, tensor<f32>) -> tensor<1xf32>
//!   %10 = stablehlo.rsqrt %9 : tensor<1xf32>
//!   %11 = stablehlo.broadcast_in_dim %10, dims = [0] : (tensor<1xf32>) -> tensor<1x256xf32>
//!   %12 = stablehlo.multiply %7, %11 : tensor<1x256xf32>
//!   %13 = stablehlo.dot_general %12, %arg1, contracting_dims = [1] x [1] :
//!     (tensor<1x256xf32>, tensor<256x256xf32>) -> tensor<1x256xf32>
//!   return %13 : tensor<1x256xf32>
//! }
//! ```
//! Before:
//! ```text
//! kernel contraction_0_dot_general
//! kernel reduction_1_multiply_reduce_rsqrt
//! kernel contraction_2_dot_general_multiply
//! kernel contraction_3_dot_general_multiply
//! @main: 3 inputs, 1 outputs, arena 2304 bytes (2056 without sharing)
//!   dispatch contraction_0_dot_general grid 128 [early input 0 +0 1024B, early input 1 +0 262144B, -> arena +0
//!           1024B]
//!   dispatch reduction_1_multiply_reduce_rsqrt grid 1 [arena +0 1024B, -> arena +2048 4B]
//!   dispatch contraction_2_dot_general_multiply grid 128 [early input 2 +0 262144B, early arena +0 1024B, arena
//!           +2048 4B, -> arena +1024 1024B]
//!   dispatch reduction_1_multiply_reduce_rsqrt grid 1 [arena +1024 1024B, -> arena +0 4B]
//!   dispatch contraction_3_dot_general_multiply grid 128 [early input 1 +0 262144B, arena +0 4B, early arena +1024
//!           1024B, -> output 0 +0 1024B]
//! ```
//! After:
//! ```text
//! kernel contraction_0_dot_general
//! kernel contraction_2_dot_general_multiply
//! kernel reduction_4_multiply_reduce_rsqrt
//! kernel bundle_5_dot_general_multiply_with_rsqrt
//! @main: 3 inputs, 1 outputs, arena 2560 bytes (2056 without sharing)
//!   dispatch contraction_0_dot_general grid 128 [early input 0 +0 1024B, early input 1 +0 262144B, -> arena +0
//!           1024B]
//!   dispatch reduction_4_multiply_reduce_rsqrt grid 1 [arena +0 1024B, -> arena +2048 4B, -> arena +2304 4B]
//!   dispatch contraction_2_dot_general_multiply grid 128 [early input 2 +0 262144B, early arena +0 1024B, arena
//!           +2048 4B, -> arena +1024 1024B]
//!   dispatch bundle_5_dot_general_multiply_with_rsqrt grid 129 [arena +1024 1024B, -> arena +2304 4B, early
//!           input 1 +0 262144B, -> output 0 +0 1024B]
//! ```
//!
//! Input: the steps of a function, before intermediates have offsets; launches that make one number for one product
//! (`LEAD07`), as a norm's factor. Output: the same steps, where such a launch and the product behind it are one: a
//! bundle whose first workgroup announces the number ([`Access::Announced`]), and the others look for it where they
//! store.
//!
//! An announced number is its own flag, so its four bytes hold [`UNANNOUNCED`] when the launch starts. The launch
//! before of this kind says so: it is over then. So the first of them stays a launch of its own.
//!
//! Worked example: a layer of Llama 3.2 1B, one token. The output of attention stores `v = u + x·W` and `y = v ∘ g`.
//! Gate and up multiply y, and their first workgroup finds `1 / rms(v)` meanwhile: the launches of a layer are
//! attention and four products.
//!
//! Limits: CUDA with `griddepcontrol`; one number of 32 bits; not in bodies of loops and branches, not products by
//! floats of 8 bits.

use fornax_graph::ElementType;
use fornax_kernels::bundle::schedule::BundleSchedule;
use fornax_plan::{
    Access, Body, Buffer, Bundle, BundlePart, Exprs, KernelPlan, Node, Store, TensorMap, UNANNOUNCED,
};
use fornax_targets::{Backend, Feature};

use super::bundle::{Collected, Forming, Uses, placed, uses};
use super::launch::{Launch, Step};
use super::lead::{Follower, follower};
use super::storage::Source;
use crate::errors::PassError;
use crate::remarks::LEAD_BESIDE;

/// A launch that makes a number, the product that reads it, and the number.
struct Pair {
    at: usize,
    follower: Follower,
    number: Source,
}

/// Puts bundles in the place of pairs of launches.
pub fn form(b: &mut Forming<'_, '_>, steps: Vec<Step>) -> Result<Vec<Step>, PassError> {
    let target = b.planner.target;
    if target.backend != Backend::Cuda {
        return Ok(steps);
    }
    let mut left: Vec<Option<Step>> = steps.into_iter().map(Some).collect();
    let pairs = pairs(b, &left);
    let may = target.has(Feature::DependentLaunch) && b.planner.has("announce") && pairs.len() > 1;
    for pair in &pairs[..if may { 1 } else { pairs.len() }] {
        note_apart(b, &left, (pair.at, pair.follower.then));
    }
    if may {
        join(b, &mut left, pairs)
    } else {
        Ok(left.into_iter().flatten().collect())
    }
}

/// All pairs of a block, in order: none is within another.
fn pairs(b: &mut Forming<'_, '_>, steps: &[Option<Step>]) -> Vec<Pair> {
    let used: Vec<Option<Uses>> = steps.iter().flatten().map(|step| uses(b, step)).collect();
    let (mut pairs, mut from) = (Vec::new(), 0);
    for at in 0..steps.len() {
        let Some(follower) = follower(b, steps, &used, at).filter(|found| found.begins_without && at >= from) else {
            continue;
        };
        match announced(b, (&steps[at], &steps[follower.then]), &follower) {
            Some(number) => {
                from = follower.then + 1;
                pairs.push(Pair { at, follower, number });
            }
            None => note_apart(b, steps, (at, follower.then)),
        }
    }
    pairs
}

/// Whether a buffer holds floats of 8 bits: products by such are slower with announced numbers. Source: one H200, a
/// step of Llama 3.1 8B in E4M3 2.300 ms, with announced factors 2.320; in Q8_0 2.425 and 2.394, of 3.2 1B in bf16
/// 0.714 and 0.691. Why is not known: ptxas gives gate and up in E4M3 54 registers for 44, but fewer by order made them
/// slower.
fn is_narrow(buffer: &Buffer) -> bool {
    buffer.element.is_float() && buffer.element.bits() == 8
}

/// The number that the first of two steps makes for the other, if both may be one launch.
fn announced(b: &Forming<'_, '_>, steps: (&Option<Step>, &Option<Step>), found: &Follower) -> Option<Source> {
    let (Some(Step::Launch(lead)), Some(Step::Launch(then))) = steps else { return None };
    let (plan, &[key]) = (&found.plan, found.handed.as_slice()) else { return None };
    let product = b.planner.planned.kernels.get(then.kernel as usize)?;
    let is_one = |buffer: &Buffer, access| {
        buffer.element == ElementType::F32 && buffer.elements == 1 && buffer.access == access
    };
    let of_key = |launch: &Launch, plan: &KernelPlan| -> Vec<(Source, Buffer)> {
        let all = launch.values.iter().zip(&plan.buffers).map(|(&(source, _), buffer)| (source, buffer.clone()));
        all.filter(|(source, _)| b.storage.key(*source) == key).collect()
    };
    let (written, read) = (of_key(lead, plan), of_key(then, product));
    let [(number, buffer)] = written.as_slice() else { return None };
    let points: i64 = plan.domain.iter().map(|&var| plan.exprs.indices.extent(var)).product();
    let fits = is_one(buffer, Access::Write)
        && read.iter().all(|(_, buffer)| is_one(buffer, Access::Read))
        && points == 1
        && plan.body.stores().len() == 1
        && product.cluster() == 1
        && then.sizes.is_empty()
        && !product.buffers.iter().any(is_narrow);
    fits.then_some(*number)
}

/// Keeps that the launches of two steps stay two.
fn note_apart(b: &mut Forming<'_, '_>, steps: &[Option<Step>], (at, then): (usize, usize)) {
    if let (Some(Step::Launch(lead)), Some(Step::Launch(then))) = (&steps[at], &steps[then]) {
        b.planner.note_apart(lead.kernel, then.kernel, LEAD_BESIDE.of([]));
    }
}

/// The steps, where the first of the pairs is two launches, and each other one.
fn join(b: &mut Forming<'_, '_>, left: &mut [Option<Step>], pairs: Vec<Pair>) -> Result<Vec<Step>, PassError> {
    let numbers: Vec<Source> = pairs.iter().map(|pair| pair.number).collect();
    let mut out = Vec::with_capacity(left.len());
    let mut pairs = pairs.into_iter().enumerate().peekable();
    for at in 0..left.len() {
        let is_here = pairs.peek().is_some_and(|(_, pair)| pair.at == at);
        let Some((number, pair)) = pairs.next_if(|_| is_here) else {
            out.extend(left[at].take());
            continue;
        };
        let next = numbers.get(number + 1).copied();
        let Some(Step::Launch(lead)) = left[at].take() else { return Err(PassError::broken("a step that is none")) };
        if let Some(next) = next {
            b.live_from(next, lead.clock);
        }
        if number == 0 {
            out.push(Step::Launch(with_reset(b, lead, next)?));
            continue;
        }
        let Follower { then, plan, copies, .. } = pair.follower;
        out.extend(copies.into_iter().filter_map(|copy| left[copy].take()));
        let Some(Step::Launch(then)) = left[then].take() else { return Err(PassError::broken("a step that is none")) };
        out.push(Step::Launch(one(b, (lead, plan), then, (pair.number, next))?));
    }
    Ok(out)
}

/// A buffer of one number, which the plan says is not announced yet.
fn reset(plan: &mut KernelPlan) -> Buffer {
    let buffer = Buffer { element: ElementType::F32, elements: 1, access: Access::Write };
    let value = plan.exprs.add(Node::Constant { element: ElementType::F32, bits: UNANNOUNCED.into() });
    let store = Store { buffer: plan.buffers.len() as u32, offset: plan.exprs.indices.constant(0), value };
    plan.buffers.push(buffer.clone());
    plan.body.stores_mut().into_iter().for_each(|stores| stores.push(store));
    buffer
}

/// A launch that also says of a number that it is not announced yet.
fn with_reset(b: &mut Forming<'_, '_>, launch: Launch, number: Option<Source>) -> Result<Launch, PassError> {
    let Some(number) = number else { return Ok(launch) };
    let plan = b.planner.planned.kernels.get(launch.kernel as usize).cloned();
    let mut plan = plan.ok_or_else(|| PassError::broken("a launch of no kernel"))?;
    reset(&mut plan);
    let (mut values, kernel) = (launch.values.clone(), b.planner.kernel_instead(plan, &[launch.kernel])?);
    values.push((number, Access::Write));
    let buffers = values.len();
    let origin = launch.origin.map(|origin| {
        let own: Vec<Option<u32>> = (0..buffers as u32 - 1).map(Some).collect();
        placed(origin, &own, buffers)
    });
    Ok(Launch { kernel, values, origin, ..launch })
}

/// The launch of both, at the place of the first, whose plan has one workgroup; the next number is reset by it.
fn one(
    b: &mut Forming<'_, '_>,
    (lead, mut plan): (Launch, KernelPlan),
    then: Launch,
    (number, next): (Source, Option<Source>),
) -> Result<Launch, PassError> {
    let broken = || PassError::broken("a launch of no kernel");
    let product = b.planner.planned.kernels.get(then.kernel as usize).cloned().ok_or_else(broken)?;
    let number = b.storage.key(number);
    let mut whole = Collected::default();
    let mut own = Vec::with_capacity(lead.values.len() + 1);
    let mut at_number = None;
    for (&(source, _), buffer) in lead.values.iter().zip(&mut plan.buffers) {
        let key = b.storage.key(source);
        if key == number {
            buffer.access = Access::Announced;
        }
        let at = whole.buffer(key, source, buffer);
        own.push(at);
        if key == number {
            at_number = Some(at);
        }
    }
    if let Some(next) = next {
        let buffer = reset(&mut plan);
        own.push(whole.buffer(b.storage.key(next), next, &buffer));
    }
    let at_number = at_number.ok_or_else(broken)?;
    let mut to = Vec::with_capacity(then.values.len());
    for (&(source, _), buffer) in then.values.iter().zip(&product.buffers) {
        let key = b.storage.key(source);
        b.live_from(source, lead.clock);
        to.push(if key == number { at_number } else { whole.buffer(key, source, buffer) });
    }
    let first = BundlePart { plan: plan.clone(), launches: vec![own.clone()], first_map: 0 };
    let parts = std::iter::once(first).chain(parts_of(&product, (&to, at_number))?).collect();
    let buffers = whole.buffers.len();
    let origins = |launch: &Launch, own: &[u32]| {
        let own: Vec<Option<u32>> = own.iter().copied().map(Some).collect();
        let all = launch.origin.iter().chain(&launch.bundled).cloned();
        all.map(|origin| placed(origin, &own, buffers)).collect::<Vec<_>>()
    };
    let mut bundled = origins(&lead, &own);
    bundled.extend(origins(&then, &to));
    // The op that makes the number, the last: `rsqrt`.
    let made = plan.summary.split(' ').next_back().unwrap_or_default();
    let summary = format!("{} with {made}", product.summary);
    let body = Body::Bundle(Box::new(Bundle { parts }));
    let schedule = BundleSchedule { threads: product.launch().1, cluster: 1 };
    let mut plan = KernelPlan::new(Exprs::default(), whole.buffers, Vec::new(), body, schedule, summary);
    let map = |map: &TensorMap| TensorMap { buffer: to[map.buffer as usize], ..map.clone() };
    plan.tensor_maps = product.tensor_maps.iter().map(map).collect();
    let ([x, y, z], _) = plan.launch();
    let grid = [b.planner.size(x), b.planner.size(y), b.planner.size(z)];
    let kernel = b.planner.kernel_instead(plan, &[lead.kernel, then.kernel])?;
    let until = lead.until.max(then.until);
    Ok(Launch { kernel, grid, values: whole.values, bundled, origin: None, plan: None, until, ..lead })
}

/// The parts of a product, or of a bundle that has one, over other buffers; the number at `announced` is looked for.
fn parts_of(product: &KernelPlan, (to, announced): (&[u32], u32)) -> Result<Vec<BundlePart>, PassError> {
    let alone = || BundlePart {
        plan: product.clone(),
        launches: vec![(0..product.buffers.len() as u32).collect()],
        first_map: 0,
    };
    let mut parts = product.body.bundle().map_or_else(|| vec![alone()], |bundle| bundle.parts.clone());
    for part in &mut parts {
        for at in part.launches.iter_mut().flatten() {
            *at = to.get(*at as usize).copied().ok_or_else(|| PassError::broken("a buffer of no launch"))?;
        }
        for (at, buffer) in part.plan.buffers.iter_mut().enumerate() {
            let looked_for = part.launches.iter().filter(|launch| launch.get(at) == Some(&announced)).count();
            if looked_for > 0 && looked_for < part.launches.len() {
                return Err(PassError::broken("a part that looks for a number in some of its launches"));
            }
            if looked_for > 0 {
                buffer.access = Access::Announced;
            }
        }
    }
    Ok(parts)
}

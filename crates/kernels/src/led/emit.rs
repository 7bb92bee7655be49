//! `Body::Led`: the kernel that is led, with the lead where it waits for the kernels before it, or first.
//!
//! Worked example: a GEMV that starts early fills its ring with weights, waits, does the norm of x into shared memory,
//! meets at a barrier, and reads x from there.

use fornax_emit::emitter::Emitter;
use fornax_emit::errors::EmitError;
use fornax_emit::lead::Lead;
use fornax_emit::text::Value;
use fornax_plan::{Led, LedPart, LedPlace};

use crate::emit_body;

/// Emits the body.
pub fn emit<'a>(e: &mut Emitter<'a>, led: &'a Led) -> Result<(), EmitError> {
    let (whole, buffers) = (e.plan, e.buffers.clone());
    let mut handed = Vec::with_capacity(led.handed.len());
    for (number, buffer) in led.handed.iter().enumerate() {
        let scalar = e.memory_scalar(buffer.element)?;
        handed.push(e.abi.handed_array(&mut e.code, number, (scalar, buffer.elements.max(1) as u64)));
    }
    let own = |e: &Emitter<'_>, part: &LedPart| -> Result<Vec<Value>, EmitError> {
        let of = |place: &LedPlace| match *place {
            LedPlace::Whole(at) => buffers.get(at as usize),
            LedPlace::Handed(at) => handed.get(at as usize),
        };
        let own: Option<Vec<Value>> = part.places.iter().map(|place| of(place).copied()).collect();
        own.ok_or_else(|| e.malformed("a part of a led kernel with a buffer that there is not"))
    };
    let then = own(e, &led.then)?;
    let lead = Lead { plan: &led.lead.plan, buffers: own(e, &led.lead)?, emit: emit_body };
    if led.lead.plan.launch() != ([1, 1, 1], whole.launch().1) {
        return Err(e.unfit("a lead of other threads, or of several workgroups"));
    }
    e.lead = Some(lead);
    if whole.early.is_empty() {
        // What the launch gave is there.
        e.write_lead(|_, buffer| buffer)?;
        e.lead = None;
    }
    e.begin_part(&led.then.plan, then);
    emit_body(e)?;
    e.lead = None;
    e.end_parts(whole, buffers);
    Ok(())
}

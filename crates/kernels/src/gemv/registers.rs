//! How many registers the assembler may give a thread of quads: as many as the schedule was chosen for.
//!
//! Worked example: gate and up of Q4_0 as a tile a workgroup have seven workgroups of 128 threads a multiprocessor.
//! With 80 registers a thread six would fit, and 896 workgroups would be two waves.

use fornax_emit::emitter::Emitter;

use super::schedule::GemvSchedule;
use super::shape::Shape;
use super::{quads_cost, turns};

/// Has the assembler leave as many registers as the schedule was chosen for.
pub(super) fn limit_registers(e: &mut Emitter<'_>, s: &GemvSchedule) {
    let Ok(shape) = Shape::of(e.plan, e.target) else { return };
    let resident = if s.turns > 0 {
        turns::way(s, &shape, e.target).map_or(0, |way| turns::resident(&shape, e.target, &way))
    } else {
        let way = quads_cost::ways(&shape, e.target).into_iter().find(|way| shape.schedule(way, e.target) == *s);
        way.map_or(0, |way| quads_cost::resident(&shape, e.target, &way))
    };
    if resident > 0 {
        e.abi.attribute(&format!("nvvm.minctasm = {resident} : i32"));
    }
}

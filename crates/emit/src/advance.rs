//! Loads that move by a fixed number of elements with a variable: their buffers are taken to begin where the variable
//! does, so that the rest of an address, a lane's part, is the same for all values and is worked out once. AMD adds the
//! beginning in the load (`resource`).
//!
//! Worked example: `x[row, step]` of 4096 steps in blocks of 32: in block k the buffer begins at 32·k; a lane's offset
//! is `row · 4096 + step in the block`.

use fornax_plan::walk::Reached;
use fornax_plan::{Node, NodeId, VarId};

use crate::emitter::Emitter;
use crate::errors::EmitError;
use crate::resource::View;
use crate::text::Value;

/// By how many elements a step of a variable moves the loads of each buffer.
#[derive(Clone, Debug)]
pub struct Moves(Vec<(u32, i64)>);

/// Buffers as they were.
pub struct Moved(Vec<(u32, Value, Option<View>)>);

impl Moves {
    /// `None` where the distance is not fixed or something else depends on the variable.
    pub fn of(e: &Emitter<'_>, node: NodeId, var: VarId) -> Option<Moves> {
        let mut moves: Vec<(u32, i64)> = Vec::new();
        for &node in &Reached::from(e.exprs, [node], &[]).nodes {
            match *e.exprs.node(node) {
                Node::Load { buffer, offset, mask: None, .. } => {
                    let stride = e.exprs.indices.stride(offset, var)?;
                    match moves.iter().find(|m| m.0 == buffer) {
                        Some(&(_, other)) if other != stride => return None,
                        Some(_) => {}
                        None => moves.push((buffer, stride)),
                    }
                }
                Node::Load { .. } | Node::FromIndex { .. } | Node::InRange { .. } => return None,
                _ => {}
            }
        }
        Some(Moves(moves))
    }

    /// Lets the buffers begin where the variable is `start`; bind the variable to what it is above that.
    pub fn begin(&self, e: &mut Emitter<'_>, start: Value) -> Result<Moved, EmitError> {
        let mut moved = Vec::new();
        for &(buffer, elements) in &self.0 {
            let Some(row) = e.plan.buffers.get(buffer as usize) else {
                return Err(e.malformed(format!("there is no buffer {buffer}")));
            };
            let memory = e.memory_scalar(row.element)?;
            let distance = e.code.int_k("arith.muli", start, elements);
            let view = if elements < 0 { None } else { e.view(buffer, memory, distance) };
            moved.push((buffer, e.buffers[buffer as usize], e.views.remove(&buffer)));
            e.buffers[buffer as usize] = e.pointer(buffer, memory, distance);
            e.views.extend(view.map(|view| (buffer, view)));
        }
        Ok(Moved(moved))
    }
}

impl Moved {
    pub fn end(self, e: &mut Emitter<'_>) {
        for (buffer, base, view) in self.0 {
            e.buffers[buffer as usize] = base;
            e.views.remove(&buffer);
            e.views.extend(view.map(|view| (buffer, view)));
        }
    }
}

//! Rows as they lie in memory, in 32-bit words: what is read ahead, and what a packed row holds.
//!
//! A row of 16-bit elements that a thread holds as f32, or as exponentials, takes twice the registers of its bytes, so
//! that a long row has a multiprocessor for itself and memory rests while it computes. Packed, the words stay; each
//! pass converts them again and computes again what it needs of them, which costs instructions that wait for memory
//! anyway. A statement of nothing between the passes keeps LLVM from finding the earlier pass's values again.
//!
//! Worked example, softmax of [4096, 16384] bf16: 256 threads hold 32 words each, 64 registers a thread, four rows a
//! multiprocessor; the exponentials are computed for their sum and once more for the results.

use fornax_plan::{Node, NodeId};
use fornax_targets::Backend;

use super::emit::Row;
use super::walk::{Chunk, bind};
use fornax_emit::emitter::Emitter;
use fornax_emit::errors::EmitError;
use fornax_emit::text::{Ty, Value};

/// Refuses packed schedules of rows that cannot be.
pub fn check(e: &Emitter<'_>, row: &Row<'_>) -> Result<(), EmitError> {
    let s = &row.schedule;
    if !s.packed || s.held && s.adjacent && row.across && !row.is_sized(e) {
        return Ok(());
    }
    Err(e.unfit("rows that cannot be packed"))
}

/// Sees to it that as many workgroups are resident as the registers that hold their rows leave room for.
pub fn limit_registers(row: &Row<'_>, e: &mut Emitter<'_>) -> Result<(), EmitError> {
    let roots = row.element_roots();
    let mut bits = 0;
    for node in row.streams(e, &roots) {
        let memory = e.memory_scalar(e.exprs.element(node))?;
        bits += row.lanes * if row.schedule.packed { memory.bits() } else { memory.bits().max(32) };
    }
    let held = row.schedule.chunks * bits.div_ceil(32) * if row.schedule.ahead > 0 { 2 } else { 1 };
    let groups = row.schedule.resident(held, e.target.registers_per_unit, e.target.max_threads_per_unit);
    if e.target.backend == Backend::Cuda && groups > 1 {
        e.abi.attribute(&format!("nvvm.minctasm = {groups} : i32"));
    }
    Ok(())
}

/// The elements of a thread, chunk by chunk and load by load.
pub fn read(row: &Row<'_>, e: &mut Emitter<'_>, chunks: &[Chunk], loads: &[NodeId]) -> Result<Vec<Value>, EmitError> {
    e.lanes = row.lanes;
    let mut words = Vec::new();
    for chunk in chunks {
        bind(e, chunk)?;
        for &node in loads {
            let Node::Load { buffer, offset, mask: None, .. } = *e.exprs.node(node) else {
                return Err(e.malformed("a row that is read as words under a condition"));
            };
            words.extend(e.load_words(buffer, offset)?);
        }
    }
    Ok(words)
}

/// Makes words what the chunks' loads have read: values now, or with every pass.
pub fn hold(
    row: &Row<'_>,
    e: &mut Emitter<'_>,
    chunks: &mut [Chunk],
    loads: &[NodeId],
    words: Vec<Value>,
) -> Result<(), EmitError> {
    let mut given = words.into_iter();
    for chunk in chunks {
        bind(e, chunk)?;
        e.lanes = row.lanes;
        for &node in loads {
            let memory = e.memory_scalar(e.exprs.element(node))?;
            let count = (row.lanes * memory.bits() / 32) as usize;
            let own: Vec<Value> = given.by_ref().take(count).collect();
            if own.len() != count || count == 0 {
                return Err(e.malformed("a row has fewer words than elements"));
            }
            if row.schedule.packed {
                chunk.words.push((node, own));
            } else {
                let value = value_of(e, node, &own)?;
                e.provide(node, value);
            }
        }
    }
    Ok(())
}

/// The values of a packed chunk that was bound for a pass.
pub fn provide(e: &mut Emitter<'_>, chunk: &Chunk) -> Result<(), EmitError> {
    for (node, words) in &chunk.words {
        let own: Vec<Value> = words.iter().map(|&word| anew(e, word)).collect();
        let value = value_of(e, *node, &own)?;
        e.provide(*node, value);
    }
    Ok(())
}

/// The same word, of which nothing is known.
fn anew(e: &mut Emitter<'_>, word: Value) -> Value {
    let ty = word.ty;
    let text = "llvm.inline_asm has_side_effects asm_dialect = att \"\", \"=r,0\"";
    e.code.effect(ty, &format!("{text} {word} : ({ty}) -> {ty}"))
}

/// A load's value from its words.
fn value_of(e: &mut Emitter<'_>, node: NodeId, words: &[Value]) -> Result<Value, EmitError> {
    let element = e.exprs.element(node);
    let memory = e.memory_scalar(element)?;
    let whole = e.code.assemble(words);
    let ty = Ty::vector(memory, whole.ty.lanes * 32 / memory.bits());
    let raw =
        if whole.ty == ty { whole } else { e.code.pure(ty, format!("llvm.bitcast {whole} : {} to {ty}", whole.ty)) };
    e.decode(element, raw)
}

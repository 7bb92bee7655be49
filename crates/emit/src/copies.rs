//! Elements of all lanes on their way to shared memory (`cp.async`): the thread that asks for them reads them there.
//!
//! Loads into registers are as many as ptxas leaves under way; copies stay where they are written. A thread that reads
//! only what it copied itself needs no barrier, but waits for the groups of its copies.
//!
//! Worked example, 8 lanes of bf16: `cp.async.cg.shared.global [there], [source], 16`.

use fornax_graph::ElementType;
use fornax_plan::IndexId;

use crate::emitter::Emitter;
use crate::errors::EmitError;
use crate::index::IndexValue;
use crate::text::{Scalar, Ty, Value};

/// Bytes of a copy: what all lanes take.
const BYTES: i64 = 16;

impl Emitter<'_> {
    /// Starts to copy the elements of all lanes to shared memory.
    ///
    /// # Errors
    /// `FX0404` for elements that are no neighbours, do not take 16 bytes, or do not begin at a multiple of them.
    pub fn copy_lanes(&mut self, (buffer, offset): (u32, IndexId), there: Value) -> Result<(), EmitError> {
        let memory = self.copied(buffer)?;
        let index = self.index(offset)?;
        let begins = self.alignment(memory, self.congruence(offset)) >= BYTES;
        if !matches!(index, IndexValue::Affine { stride: 1, .. }) || !begins {
            return Err(self.unfit("copies of elements that are no neighbours, or begin anywhere"));
        }
        let at = self.index_scalar(index);
        let source = self.pointer(buffer, memory, at);
        let types = format!("{}, {}", there.ty, source.ty);
        self.code.line(&format!("nvvm.cp.async.shared.global {there}, {source}, {BYTES}, cache = cg : {types}"));
        Ok(())
    }

    /// The elements of all lanes that were copied, as a load would give them.
    pub fn copied_lanes(&mut self, (buffer, element): (u32, ElementType), there: Value) -> Result<Value, EmitError> {
        let ty = Ty::vector(self.copied(buffer)?, self.lanes);
        let text = format!("llvm.load {there} {{alignment = {BYTES} : i64}} : {} -> {ty}", there.ty);
        let raw = self.code.effect(ty, &text);
        self.decode(element, raw)
    }

    /// The scalar of a buffer in memory, of which all lanes take a copy.
    fn copied(&self, buffer: u32) -> Result<Scalar, EmitError> {
        let Some(row) = self.plan.buffers.get(buffer as usize) else {
            return Err(self.malformed(format!("there is no buffer {buffer}")));
        };
        let memory = self.memory_scalar(row.element)?;
        let bytes = i64::from(self.lanes * memory.bits() / 8);
        if bytes == BYTES { Ok(memory) } else { Err(self.unfit(format!("copies of {bytes} bytes"))) }
    }

    /// Closes the copies that were started so far into a group.
    pub fn close_copies(&mut self) {
        self.code.line("nvvm.cp.async.commit.group");
    }

    /// Waits until at most `open` groups of this thread's copies are under way.
    pub fn await_copies(&mut self, open: i64) {
        self.code.line(&format!("nvvm.cp.async.wait.group {open}"));
    }
}

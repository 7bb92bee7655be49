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

/// Bytes of the copies that pass by the first-level cache.
const WHOLE: i64 = 16;

impl Emitter<'_> {
    /// Starts to copy the elements of all lanes, which are neighbours, to shared memory.
    ///
    /// # Errors
    /// `FX0404` for elements that are no neighbours, and for other sizes than 4, 8 and 16 bytes.
    pub fn copy_lanes(&mut self, (buffer, offset): (u32, IndexId), there: Value) -> Result<(), EmitError> {
        let (memory, bytes) = self.copied(buffer)?;
        let index = self.index(offset)?;
        if !matches!(index, IndexValue::Affine { stride: 1, .. }) {
            return Err(self.unfit("copies of elements that are no neighbours"));
        }
        let at = self.index_scalar(index);
        let source = self.pointer(buffer, memory, at);
        let cache = if bytes == WHOLE { "cg" } else { "ca" };
        self.code.line(&format!(
            "nvvm.cp.async.shared.global {there}, {source}, {bytes}, cache = {cache} : {}, {}",
            there.ty, source.ty
        ));
        Ok(())
    }

    /// The elements of all lanes that were copied, as a load would give them.
    pub fn copied_lanes(&mut self, (buffer, element): (u32, ElementType), there: Value) -> Result<Value, EmitError> {
        let (memory, bytes) = self.copied(buffer)?;
        let ty = Ty::vector(memory, self.lanes);
        let raw = self.read_copied(there, ty, bytes);
        self.decode(element, raw)
    }

    /// The same as 32-bit words.
    pub fn copied_words(&mut self, buffer: u32, there: Value) -> Result<Vec<Value>, EmitError> {
        let bytes = self.copied(buffer)?.1;
        let words = (bytes / 4) as u32;
        let raw = self.read_copied(there, Ty::vector(Scalar::I32, words), bytes);
        Ok((0..words).map(|word| self.code.extract(raw, word)).collect())
    }

    fn read_copied(&mut self, there: Value, ty: Ty, bytes: i64) -> Value {
        self.code.effect(ty, &format!("llvm.load {there} {{alignment = {bytes} : i64}} : {} -> {ty}", there.ty))
    }

    /// The scalar of a buffer in memory, and the bytes of all lanes.
    fn copied(&self, buffer: u32) -> Result<(Scalar, i64), EmitError> {
        let Some(row) = self.plan.buffers.get(buffer as usize) else {
            return Err(self.malformed(format!("there is no buffer {buffer}")));
        };
        let memory = self.memory_scalar(row.element)?;
        let bytes = i64::from(self.lanes * memory.bits() / 8);
        if ![4, 8, WHOLE].contains(&bytes) {
            return Err(self.unfit(format!("copies of {bytes} bytes")));
        }
        Ok((memory, bytes))
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

//! Elements of all lanes on their way to shared memory (`cp.async`): the thread that asks for them reads them there.
//!
//! Loads into registers are as many as ptxas leaves under way; copies stay where they are written. A thread that reads
//! only what it copied itself needs no barrier, but waits for the groups of its copies.
//!
//! Neighbouring elements that several threads read come as copies of 4, 8 or 16 bytes, fewer bytes as the word that
//! they lie in.
//!
//! Worked example, 8 lanes of bf16: `cp.async.cg.shared.global [there], [source], 16`. The word of the f16 at place 7
//! of a buffer: `cp.async.ca.shared.global [there], [source + 12], 4`, read from `there + 2`.

use fornax_graph::ElementType;
use fornax_plan::IndexId;

use crate::emitter::Emitter;
use crate::errors::EmitError;
use crate::index::IndexValue;
use crate::text::{Scalar, Ty, Value};

/// Bytes of a copy: what all lanes take.
const BYTES: i64 = 16;
/// Bytes of a word.
const WORD: i64 = 4;

impl Emitter<'_> {
    /// Whether [`Emitter::copy_lanes`] can copy what a load of all lanes reads.
    ///
    /// # Errors
    /// Those of the offset.
    pub fn copies_lanes(&mut self, (buffer, offset): (u32, IndexId)) -> Result<bool, EmitError> {
        let Ok(memory) = self.copied(buffer) else { return Ok(false) };
        let index = self.index(offset)?;
        let begins = self.alignment(memory, self.congruence(offset)) >= BYTES;
        Ok(matches!(index, IndexValue::Affine { stride: 1, .. }) && begins)
    }

    /// Starts to copy the elements of all lanes to shared memory.
    ///
    /// # Errors
    /// `FX0404` for elements that are no neighbours, do not take 16 bytes, or do not begin at a multiple of them.
    pub fn copy_lanes(&mut self, (buffer, offset): (u32, IndexId), there: Value) -> Result<(), EmitError> {
        let memory = self.copied(buffer)?;
        if !self.copies_lanes((buffer, offset))? {
            return Err(self.unfit("copies of elements that are no neighbours, or begin anywhere"));
        }
        let index = self.index(offset)?;
        let at = self.index_scalar(index);
        let source = self.pointer(buffer, memory, at);
        self.copy(source, BYTES, there);
        Ok(())
    }

    /// The elements of all lanes that were copied, as a load would give them.
    pub fn copied_lanes(&mut self, (buffer, element): (u32, ElementType), there: Value) -> Result<Value, EmitError> {
        let ty = Ty::vector(self.copied(buffer)?, self.lanes);
        let text = format!("llvm.load {there} {{alignment = {BYTES} : i64}} : {} -> {ty}", there.ty);
        let raw = self.code.effect(ty, &text);
        self.decode(element, raw)
    }

    /// Starts to copy so many bytes, 4, 8 or 16, from an element on, whose address they divide.
    ///
    /// # Errors
    /// `FX0404` for a buffer that is not there.
    pub fn copy_bytes(&mut self, (buffer, first): (u32, Value), bytes: i64, there: Value) -> Result<(), EmitError> {
        let memory = self.memory_of(buffer)?;
        let source = self.pointer(buffer, memory, first);
        self.copy(source, bytes, there);
        Ok(())
    }

    /// Starts to copy the word that an element lies in. The buffer is whole words.
    ///
    /// # Errors
    /// `FX0404` for a buffer that is not there.
    pub fn copy_word(&mut self, (buffer, at): (u32, Value), there: Value) -> Result<(), EmitError> {
        let each = self.of_word(buffer)?;
        let word = self.code.shr_uk(at, i64::from(each.trailing_zeros()));
        let source = self.pointer(buffer, Scalar::I32, word);
        self.copy(source, WORD, there);
        Ok(())
    }

    fn copy(&mut self, source: Value, bytes: i64, there: Value) {
        // Only whole lines' parts of 16 bytes pass the first-level cache by.
        let cache = if bytes == BYTES { "cg" } else { "ca" };
        let types = format!("{}, {}", there.ty, source.ty);
        self.code.line(&format!("nvvm.cp.async.shared.global {there}, {source}, {bytes}, cache = {cache} : {types}"));
    }

    /// An element that was copied, as a load would give it.
    ///
    /// # Errors
    /// Those of the element.
    pub fn copied_element(&mut self, element: ElementType, there: Value) -> Result<Value, EmitError> {
        let ty = Ty::scalar(self.memory_scalar(element)?);
        let alignment = ty.scalar.bits() / 8;
        let text = format!("llvm.load {there} {{alignment = {alignment} : i64}} : {} -> {ty}", there.ty);
        let raw = self.code.effect(ty, &text);
        self.decode(element, raw)
    }

    /// An element whose word was copied, as a load would give it.
    ///
    /// # Errors
    /// `FX0404` for a buffer that is not there; those of the element.
    pub fn copied_in_word(
        &mut self,
        (buffer, element): (u32, ElementType),
        at: Value,
        there: Value,
    ) -> Result<Value, EmitError> {
        let each = self.of_word(buffer)?;
        let within = self.code.and_k(at, each - 1);
        let within = self.code.int_k("arith.muli", within, WORD / each);
        let there = self.code.byte_offset(there, within);
        self.copied_element(element, there)
    }

    /// Elements of a word.
    fn of_word(&self, buffer: u32) -> Result<i64, EmitError> {
        Ok(WORD / i64::from(self.memory_of(buffer)?.bits() / 8).clamp(1, WORD))
    }

    /// The scalar of a buffer in memory.
    fn memory_of(&self, buffer: u32) -> Result<Scalar, EmitError> {
        match self.plan.buffers.get(buffer as usize) {
            Some(row) => self.memory_scalar(row.element),
            None => Err(self.malformed(format!("there is no buffer {buffer}"))),
        }
    }

    /// The scalar of a buffer in memory, of which all lanes take a copy.
    fn copied(&self, buffer: u32) -> Result<Scalar, EmitError> {
        let memory = self.memory_of(buffer)?;
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

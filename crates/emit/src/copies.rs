//! Elements of all lanes on their way to shared memory (`cp.async`): the thread that asks for them reads them there.
//!
//! Loads into registers are as many as ptxas leaves under way; copies stay where they are written. A thread that reads
//! only what it copied itself needs no barrier, but waits for the groups of its copies.
//!
//! An element that all lanes have in common comes as the word that it lies in.
//!
//! Worked example, 8 lanes of bf16: `cp.async.cg.shared.global [there], [source], 16`. The f16 at place 7 of a buffer:
//! `cp.async.ca.shared.global [there], [source + 12], 4`, read from `there + 2`.

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

    /// Whether [`Emitter::copy_word`] can copy what a load reads: all lanes the same element, of a word at most. The
    /// buffer is whole words: none is read that begins inside of it and ends outside.
    ///
    /// # Errors
    /// Those of the offset.
    pub fn copies_word(&mut self, (buffer, offset): (u32, IndexId)) -> Result<bool, EmitError> {
        let Some(row) = self.plan.buffers.get(buffer as usize) else { return Ok(false) };
        let (elements, bytes) = (row.elements, i64::from(self.memory_scalar(row.element)?.bits() / 8));
        let is_whole = (1..=WORD).contains(&bytes) && elements.checked_mul(bytes).is_some_and(|all| all % WORD == 0);
        Ok(is_whole && matches!(self.index(offset)?, IndexValue::Affine { stride: 0, .. }))
    }

    /// Starts to copy the word of an element that all lanes have in common.
    ///
    /// # Errors
    /// `FX0404` for elements that [`Emitter::copies_word`] says no to.
    pub fn copy_word(&mut self, (buffer, offset): (u32, IndexId), there: Value) -> Result<(), EmitError> {
        if !self.copies_word((buffer, offset))? {
            return Err(self.unfit("copies of words that are none"));
        }
        let (at, each) = self.in_words(buffer, offset)?;
        let word = self.code.shr_uk(at, i64::from(each.trailing_zeros()));
        let source = self.pointer(buffer, Scalar::I32, word);
        let types = format!("{}, {}", there.ty, source.ty);
        self.code.line(&format!("nvvm.cp.async.shared.global {there}, {source}, {WORD}, cache = ca : {types}"));
        Ok(())
    }

    /// The element whose word was copied, as a load would give it.
    ///
    /// # Errors
    /// Those of the offset and of the element.
    pub fn copied_word(
        &mut self,
        (buffer, offset): (u32, IndexId),
        element: ElementType,
        there: Value,
    ) -> Result<Value, EmitError> {
        let memory = self.memory_scalar(element)?;
        let (at, each) = self.in_words(buffer, offset)?;
        let within = self.code.and_k(at, each - 1);
        let within = self.code.int_k("arith.muli", within, WORD / each);
        let there = self.code.byte_offset(there, within);
        let ty = Ty::scalar(memory);
        let alignment = WORD / each;
        let raw = self
            .code
            .effect(ty, &format!("llvm.load {there} {{alignment = {alignment} : i64}} : {} -> {ty}", there.ty));
        self.decode(element, raw)
    }

    /// The place of an element that all lanes have in common, and the elements of a word.
    fn in_words(&mut self, buffer: u32, offset: IndexId) -> Result<(Value, i64), EmitError> {
        let element = self.plan.buffers.get(buffer as usize).map(|row| row.element);
        let element = element.ok_or_else(|| self.malformed(format!("there is no buffer {buffer}")))?;
        let each = WORD / i64::from(self.memory_scalar(element)?.bits() / 8).clamp(1, WORD);
        let index = self.index(offset)?;
        Ok((self.index_scalar(index), each))
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

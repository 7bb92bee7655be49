//! Asking for lines of memory before they are read.

use fornax_plan::IndexId;

use crate::emitter::Emitter;
use crate::errors::EmitError;
use crate::text::{Scalar, Ty, Value};

/// The nearest cache, and the second-level one, as LLVM counts them.
const NEAREST: u32 = 3;
const SECOND: u32 = 2;

impl Emitter<'_> {
    /// Asks for the cache lines so many bytes behind an element; they need not exist.
    pub fn ask_for(
        &mut self,
        buffer: u32,
        offset: IndexId,
        places: impl IntoIterator<Item = i64>,
    ) -> Result<(), EmitError> {
        let Some(pointer) = self.place_of(buffer, offset)? else { return Ok(()) };
        for bytes in places {
            let bytes = self.code.int(Ty::scalar(Scalar::I64), bytes);
            self.prefetch(pointer, bytes, NEAREST);
        }
        Ok(())
    }

    /// Asks for the cache lines so many bytes behind what is `ahead` bytes (i64) behind an element, for the
    /// second-level cache; they need not exist.
    pub fn ask_for_behind(
        &mut self,
        (buffer, offset): (u32, IndexId),
        ahead: Value,
        places: impl IntoIterator<Item = i64>,
    ) -> Result<(), EmitError> {
        let Some(pointer) = self.place_of(buffer, offset)? else { return Ok(()) };
        for bytes in places {
            let bytes = self.code.add_ik(ahead, bytes);
            self.prefetch(pointer, bytes, SECOND);
        }
        Ok(())
    }

    /// NVIDIA: asks for the line that is `bytes` behind an address, for the second-level cache. It stays where it is
    /// written, before the wait for other kernels too.
    pub fn ask_for_line(&mut self, address: Value, bytes: Value) {
        let (ty, of) = (address.ty, bytes.ty);
        let line = self.code.pure(ty, format!("llvm.getelementptr {address}[{bytes}] : ({ty}, {of}) -> {ty}, i8"));
        let text = "\"prefetch.global.L2 [$0];\", \"l\"";
        self.code.line(&format!("llvm.inline_asm has_side_effects asm_dialect = att {text} {line} : ({ty}) -> ()"));
    }

    /// A pointer to an element.
    fn place_of(&mut self, buffer: u32, offset: IndexId) -> Result<Option<Value>, EmitError> {
        let Some(row) = self.plan.buffers.get(buffer as usize) else { return Ok(None) };
        let memory = self.memory_scalar(row.element)?;
        let index = self.index(offset)?;
        let at = self.index_scalar(index);
        Ok(Some(self.pointer(buffer, memory, at)))
    }

    fn prefetch(&mut self, pointer: Value, bytes: Value, cache: u32) {
        let ty = pointer.ty;
        let place = self.code.pure(ty, format!("llvm.getelementptr {pointer}[{bytes}] : ({ty}, i64) -> {ty}, i8"));
        let how = format!("<{{rw = 0 : i32, hint = {cache} : i32, cache = 1 : i32}}>");
        self.code.line(&format!("\"llvm.intr.prefetch\"({place}) {how} : ({ty}) -> ()"));
    }
}

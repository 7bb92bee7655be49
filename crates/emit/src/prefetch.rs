//! Asking for lines of memory before they are read.

use fornax_plan::IndexId;

use crate::emitter::Emitter;
use crate::errors::EmitError;
use crate::text::{Scalar, Ty};

impl Emitter<'_> {
    /// Asks for the cache lines so many bytes behind an element; they need not exist.
    pub fn ask_for(
        &mut self,
        buffer: u32,
        offset: IndexId,
        places: impl IntoIterator<Item = i64>,
    ) -> Result<(), EmitError> {
        let Some(row) = self.plan.buffers.get(buffer as usize) else { return Ok(()) };
        let memory = self.memory_scalar(row.element)?;
        let index = self.index(offset)?;
        let at = self.index_scalar(index);
        let pointer = self.pointer(buffer, memory, at);
        for bytes in places {
            let bytes = self.code.int(Ty::scalar(Scalar::I64), bytes);
            let ty = pointer.ty;
            let place = self.code.pure(ty, format!("llvm.getelementptr {pointer}[{bytes}] : ({ty}, i64) -> {ty}, i8"));
            let how = "<{rw = 0 : i32, hint = 3 : i32, cache = 1 : i32}>";
            self.code.line(&format!("\"llvm.intr.prefetch\"({place}) {how} : ({ty}) -> ()"));
        }
        Ok(())
    }
}

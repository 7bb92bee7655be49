//! Loads by buffer resource on AMD: a base in scalar registers, a lane's bytes (32 bits) and a distance in one scalar
//! register, added by the instruction. A loop over blocks of memory then adds nothing to lanes' addresses, which take
//! one register instead of two.
//!
//! Input: a buffer that is taken to begin further on (`advance`). Limits: buffers of a size known when compiling, below
//! 4 GiB, loads of up to 16 bytes, aligned to words or to themselves. The resource has no bound of its own. Sources:
//! AMD's instruction set architectures of Vega to RDNA4, "Buffer resource descriptor", and LLVM's `AMDGPUUsage`,
//! `llvm.amdgcn.raw.ptr.buffer.load`.
//!
//! Worked example, block k of 32 steps of `x[row, step]`, f16, 4096 steps: resource of x, a lane's `(row · 4096 + step
//! in the block) · 2`, worked out once, and 64·k.

use fornax_plan::Access;
use fornax_targets::Backend;

use crate::emitter::Emitter;
use crate::text::{Scalar, Ty, Value};

/// A buffer resource.
const RESOURCE: Ty = Ty::scalar(Scalar::Ptr(8));
/// Number format and data format: float, 32 bits (raw loads ignore both; they must not be 0).
const FORMAT: i64 = 7 << 12 | 4 << 15;
/// gfx10 and later: a bit that is 1, and no check of bounds.
const RDNA: i64 = 1 << 24 | 2 << 28;
const BITS_MAX: u32 = 128;
/// Bits of a word, to which wider loads are aligned.
const WORD: u32 = 32;

/// A buffer from some byte on.
#[derive(Clone, Copy, Debug)]
pub struct View {
    resource: Value,
    /// Bytes, i32, the same in all lanes.
    start: Value,
}

impl Emitter<'_> {
    /// A view of a buffer from an element on, the same one in all lanes of a wave; `None` where loads need whole
    /// addresses.
    pub fn view(&mut self, buffer: u32, memory: Scalar, start: Value) -> Option<View> {
        let row = self.plan.buffers.get(buffer as usize)?;
        let bytes = row.elements.checked_mul(i64::from(memory.bits() / 8))?;
        if self.target.backend != Backend::Rocm || self.plan.is_sized() || bytes > i64::from(u32::MAX) {
            return None;
        }
        let base = self.buffers[buffer as usize];
        let flags = if self.target.llvm_cpu.starts_with("gfx1") { FORMAT | RDNA } else { FORMAT };
        let stride = self.code.int(Ty::scalar(Scalar::I16), 0);
        let records = self.code.int(Ty::scalar(Scalar::I64), i64::from(u32::MAX));
        let flags = self.code.int(Ty::scalar(Scalar::I32), flags);
        let text = format!("rocdl.make.buffer.rsrc {base}, {stride}, {records}, {flags} : {} to {RESOURCE}", base.ty);
        let resource = self.code.pure(RESOURCE, text);
        let start = self.bytes_of(start, memory);
        Some(View { resource, start })
    }

    /// A scalar or vector at an element of a buffer that has a view, if it may be loaded so.
    pub fn load_of_view(&mut self, buffer: u32, ty: Ty, at: Value, alignment: i64) -> Option<Value> {
        let &View { resource, start } = self.views.get(&buffer)?;
        let bits = ty.scalar.bits() * ty.lanes;
        if !bits.is_power_of_two() || !(8..=BITS_MAX).contains(&bits) || alignment * 8 < i64::from(bits.min(WORD)) {
            return None;
        }
        let loaded =
            if bits <= WORD { Ty::scalar(Scalar::integer(bits)) } else { Ty::vector(Scalar::I32, bits / WORD) };
        let own = self.bytes_of(at, ty.scalar);
        let cached = self.code.int(Ty::scalar(Scalar::I32), 0);
        let text = format!("rocdl.raw.ptr.buffer.load {resource}, {own}, {start}, {cached} : {loaded}");
        let read_only = self.plan.buffers[buffer as usize].access == Access::Read;
        let value = if read_only { self.code.pure(loaded, text) } else { self.code.effect(loaded, &text) };
        Some(if loaded == ty { value } else { self.code.pure(ty, format!("llvm.bitcast {value} : {loaded} to {ty}")) })
    }

    /// The byte of an element, below 4 GiB.
    fn bytes_of(&mut self, element: Value, memory: Scalar) -> Value {
        let element = self.code.resize_u(element, Scalar::I32);
        self.code.int_k("arith.muli", element, i64::from(memory.bits() / 8))
    }
}

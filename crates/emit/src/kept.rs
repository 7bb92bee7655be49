//! Loads that say how long the caches of an NVIDIA GPU keep their lines.
//!
//! Rows that begin anywhere end inside of cache lines, and the rest of such a line is what another workgroup reads,
//! much later. By itself the cache may have given the line away for results that nobody reads again; then memory is
//! read twice. Loads can say that their lines go last (`evict_last`), and that a miss fetches the whole line.
//!
//! What streams by once drives out of the first-level cache what others there read again. Such loads can say that it
//! does not keep them (`no_allocate`).
//!
//! Worked example, 4 words: `ld.global.nc.L2::cache_hint.L2::128B.v4.b32 {$0, $1, $2, $3}, [$4], $5;`.

use fornax_targets::Feature;

use crate::emitter::Emitter;
use crate::text::{Code, Scalar, Ty, Value};

/// 32-bit words of a load, and its bits.
const WORDS: u32 = 4;
pub(crate) const LOAD_BITS: u32 = 32 * WORDS;

/// A policy of the second-level cache (PTX `createpolicy`): `evict_last`, `evict_first`.
pub fn policy(code: &mut Code, priority: &str) -> Value {
    let text = format!("createpolicy.fractional.L2::{priority}.b64 $0, 1.0;");
    code.pure(Ty::scalar(Scalar::I64), format!("llvm.inline_asm asm_dialect = att \"{text}\", \"=l\" : () -> i64"))
}

impl Emitter<'_> {
    /// What such loads are given; nothing where the target has no policies.
    pub fn keeping(&mut self) -> Option<Value> {
        self.target.has(Feature::CachePolicy).then(|| policy(&mut self.code, "evict_last"))
    }

    /// The 16 bytes behind a pointer to global memory that the kernel only reads, by a policy of [`Emitter::keeping`].
    pub fn load_kept(&mut self, pointer: Value, policy: Value, ty: Ty) -> Value {
        let text = "ld.global.nc.L2::cache_hint.L2::128B.v4.b32 {$0, $1, $2, $3}, [$4], $5;";
        self.load_by((text, "l,l"), &[pointer, policy], ty)
    }

    /// The same that nobody reads again: the first-level cache does not keep it.
    pub(crate) fn load_once(&mut self, pointer: Value, ty: Ty) -> Value {
        let moves = if self.is_waiting { "" } else { ".nc" };
        let text = format!("ld.global{moves}.L1::no_allocate.v4.b32 {{$0, $1, $2, $3}}, [$4];");
        self.load_by((&text, "l"), &[pointer], ty)
    }

    /// What an instruction loads from its operands, which have these constraints.
    fn load_by(&mut self, (text, constraints): (&str, &str), operands: &[Value], ty: Ty) -> Value {
        let words = Ty::scalar(Scalar::I32s(WORDS as u16));
        let names = operands.iter().map(Value::to_string).collect::<Vec<_>>().join(", ");
        let types = operands.iter().map(|value| value.ty.to_string()).collect::<Vec<_>>().join(", ");
        let placed = if self.is_waiting { "has_side_effects " } else { "" };
        let asm = format!(
            "llvm.inline_asm {placed}asm_dialect = att \"{text}\", \"=r,=r,=r,=r,{constraints}\" {names} : \
             ({types}) -> {words}"
        );
        let loaded = self.code.pure(words, asm);
        let parts: Vec<Value> = (0..WORDS).map(|w| self.code.member(loaded, w)).collect();
        let raw = self.code.assemble(&parts);
        if raw.ty == ty { raw } else { self.code.pure(ty, format!("llvm.bitcast {raw} : {} to {ty}", raw.ty)) }
    }
}

//! Loads under a condition, with a constant where it is false: what padding is made of.
//!
//! The plain form of `select(c, load x[i] if c, constant)` reads element 0 where c is false and selects afterwards,
//! lane by lane: three or more instructions besides the load. PTX has it in one: registers hold the constant, and a
//! predicated load overwrites them. The address needs no select then, so that neighbouring loads keep one base register
//! and differ by a constant.
//!
//! Worked example, four f16 lanes with filler 0, 192 elements on: `mov.b32 $0, 0; mov.b32 $1, 0; @p ld.global.nc.v2.b32
//! {$0, $1}, [$2+384];`

use fornax_graph::ElementType;
use fornax_plan::{Access, Node, NodeId};
use fornax_targets::Backend;

use crate::emitter::Emitter;
use crate::errors::EmitError;
use crate::index::IndexValue;
use crate::text::{Scalar, Ty, Value};

/// What a guarded load reads.
struct GuardedLoad {
    buffer: u32,
    element: ElementType,
    index: IndexValue,
    /// Modulus and residue of the index.
    congruence: (i64, i64),
}

impl Emitter<'_> {
    /// Writes the guarded loads behind a node as predicated ones where they have that form; what has another form is
    /// left alone.
    pub fn provide_guarded(&mut self, node: NodeId) -> Result<(), EmitError> {
        for at in self.reachable(&[node]) {
            let Node::Select { condition, a, b } = *self.exprs.node(at) else { continue };
            let Node::Load { buffer, element, offset, mask: Some(mask) } = *self.exprs.node(a) else { continue };
            let Node::Constant { bits, .. } = *self.exprs.node(b) else { continue };
            if mask != condition || self.target.backend != Backend::Cuda {
                continue;
            }
            let inside = self.eval(condition)?;
            if inside.ty.is_vector() {
                continue;
            }
            let index = self.index(offset)?;
            let load = GuardedLoad { buffer, element, index, congruence: self.congruence(offset) };
            if let Some(value) = self.load_or(load, inside, bits)? {
                self.provide(at, value);
            }
        }
        Ok(())
    }

    /// Element (or neighbouring elements) of a buffer where `inside`, else the constant with these bits.
    fn load_or(&mut self, load: GuardedLoad, inside: Value, bits: u64) -> Result<Option<Value>, EmitError> {
        let GuardedLoad { buffer, element, index, congruence: (modulus, residue) } = load;
        let memory = self.memory_scalar(element)?;
        let IndexValue::Affine { base: Some(base), constant, stride } = index else { return Ok(None) };
        let (bytes, lanes) = (i64::from(memory.bits() / 8), i64::from(self.lanes));
        let wide = stride == 1 || lanes == 1;
        let aligned = modulus % lanes == 0 && residue % lanes == 0;
        let read_only = self.plan.buffers.get(buffer as usize).is_some_and(|b| b.access == Access::Read);
        let Some(offset) = constant.checked_mul(bytes).and_then(|o| i32::try_from(o).ok()) else { return Ok(None) };
        if !wide || !aligned || !read_only || !matches!(bytes * lanes, 4 | 8 | 16) || bytes < 2 {
            return Ok(None);
        }
        // Without the constant the address may lie outside of the buffer: no promise that it does not.
        let start = self.buffers[buffer as usize];
        let pointer = self.code.pure(
            start.ty,
            format!("llvm.getelementptr {start}[{base}] : ({}, {}) -> {}, {memory}", start.ty, base.ty, start.ty),
        );
        let loaded = self.predicated_words((pointer, offset), (bytes * lanes / 4) as u32, filler(memory, bits), inside);
        let ty = Ty::vector(memory, self.lanes);
        let raw = match loaded.ty == ty {
            true => loaded,
            false => self.code.pure(ty, format!("llvm.bitcast {loaded} : {} to {ty}", loaded.ty)),
        };
        self.decode(element, raw).map(Some)
    }

    /// So many 32-bit words behind a pointer, or the two words of the filler in turn.
    fn predicated_words(
        &mut self,
        (pointer, offset): (Value, i32),
        words: u32,
        filler: [u32; 2],
        inside: Value,
    ) -> Value {
        let i32_ty = Ty::scalar(Scalar::I32);
        let inside = self.code.resize_u(inside, Scalar::I32);
        let names: Vec<String> = (0..words).map(|w| format!("${w}")).collect();
        let moves: String = (0..words as usize)
            .map(|w| format!("mov.b32 ${w}, {};", filler[w % 2] as i32))
            .collect::<Vec<_>>()
            .join(" ");
        let (suffix, list) = match words {
            1 => (String::new(), names.join("")),
            _ => (format!(".v{words}"), format!("{{{}}}", names.join(", "))),
        };
        let (at, test) = (words, words + 1);
        let text = format!(
            "{{ .reg .pred p; setp.ne.b32 p, ${test}, 0; {moves} \
             @p ld.global.nc{suffix}.b32 {list}, [${at}+{offset}]; }}"
        );
        let outputs = vec!["=&r"; words as usize].join(",");
        let ty = if words == 1 { i32_ty } else { Ty::scalar(Scalar::I32s(words as u16)) };
        let loaded = self.code.pure(
            ty,
            format!(
                "llvm.inline_asm asm_dialect = att \"{text}\", \"{outputs},l,r\" {pointer}, {inside} \
                 : ({}, i32) -> {ty}",
                pointer.ty
            ),
        );
        let parts: Vec<Value> = match words {
            1 => vec![loaded],
            _ => (0..words).map(|w| self.code.member(loaded, w)).collect(),
        };
        self.code.assemble(&parts)
    }
}

/// Two 32-bit words that repeat a constant of a type.
fn filler(memory: Scalar, bits: u64) -> [u32; 2] {
    match memory.bits() {
        16 => [(bits as u32 & 0xFFFF) * 0x0001_0001; 2],
        64 => [bits as u32, (bits >> 32) as u32],
        _ => [bits as u32; 2],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fillers_repeat_the_constant() {
        assert_eq!(filler(Scalar::F16, 0xFC00), [0xFC00_FC00; 2]);
        assert_eq!(filler(Scalar::I16, 0xFF80), [0xFF80_FF80; 2]);
        assert_eq!(filler(Scalar::F32, 0xFF80_0000), [0xFF80_0000; 2]);
        assert_eq!(filler(Scalar::F64, 0xFFF0_0000_0000_0000), [0, 0xFFF0_0000]);
    }
}

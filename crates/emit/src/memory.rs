//! Loads and stores of buffer elements: vectors where lanes are neighbours, alignment that is proved, masks.
//!
//! A load is one scalar load where its offset is uniform, one vector load where the offset's lane stride is 1 (or −1,
//! then reversed), else one scalar load a lane. A masked-off lane reads element 0 instead, which always exists, and its
//! value is not specified: the select that made the mask discards it. Where a buffer's size is known only at run time
//! element 0 may be the only one: processors branch around a vector load then.
//!
//! Worked example: offset `4·t + lane` of an f32 buffer: base is a multiple of 4 elements, 16 bytes, so
//! `llvm.load %p invariant {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>`.

use fornax_graph::ElementType;
use fornax_plan::{Access, IndexId};
use fornax_targets::{Backend, Feature};

use crate::emitter::Emitter;
use crate::errors::EmitError;
use crate::index::IndexValue;
use crate::kept::LOAD_BITS;
use crate::text::{Scalar, Ty, Value};

/// Bindings are aligned to this many bytes.
const BASE_ALIGNMENT: i64 = 16;

impl Emitter<'_> {
    /// The value of `buffer[offset]` in register form.
    pub fn load(
        &mut self,
        buffer: u32,
        element: ElementType,
        offset: IndexId,
        mask: Option<Value>,
    ) -> Result<Value, EmitError> {
        let memory = self.memory_scalar(element)?;
        let Some(row) = self.plan.buffers.get(buffer as usize) else {
            return Err(self.malformed(format!("there is no buffer {buffer}")));
        };
        if row.access == Access::Announced {
            let raw = self.load_announced(buffer, offset)?;
            return self.decode(element, raw);
        }
        // Where the mask is false the first elements are read: with sizes known at run time there may be only one.
        let elements = if self.plan.is_sized() && mask.is_some() { 1 } else { row.elements };
        let index = self.index(offset)?;
        let lanes = i64::from(self.lanes);
        let (modulus, residue) = self.congruence(offset);
        let branches = elements < lanes && self.target.backend == Backend::Cpu;
        let raw = match (index, mask) {
            (IndexValue::Affine { stride: 1, .. }, Some(mask)) if branches && mask.ty.is_vector() => {
                self.load_masked(buffer, memory, index, mask, (modulus, residue))
            }
            (IndexValue::Affine { stride: 1, .. }, Some(mask)) if branches => {
                self.load_if(buffer, memory, index, mask, (modulus, residue))
            }
            (IndexValue::Affine { stride: 0, .. }, mask) => {
                let mask = mask.map(|m| self.code.any(m));
                let at = self.index_scalar(index);
                let at = self.guarded(buffer, at, mask);
                self.load_raw(buffer, memory, at, 1, (modulus, residue))
            }
            (IndexValue::Affine { stride: 1, .. }, mask) if elements >= lanes => {
                let at = self.index_scalar(index);
                match mask {
                    Some(m) if m.ty.is_vector() => self.load_masked(buffer, memory, index, m, (modulus, residue)),
                    mask => {
                        let at = self.guarded(buffer, at, mask);
                        self.load_raw(buffer, memory, at, self.lanes, (modulus, residue))
                    }
                }
            }
            (IndexValue::Affine { stride: -1, base, constant }, mask)
                if elements >= lanes && mask.is_none_or(|m| !m.ty.is_vector()) =>
            {
                let constant = constant - (lanes - 1);
                let at = self.index_scalar(IndexValue::Affine { base, constant, stride: 0 });
                let at = self.guarded(buffer, at, mask);
                let loaded = self.load_raw(buffer, memory, at, self.lanes, (modulus, residue - (lanes - 1)));
                self.code.reverse(loaded)
            }
            _ => self.load_lanes(buffer, memory, index, mask),
        };
        self.decode(element, raw)
    }

    /// The offset, or where the mask is false that of an element which always exists and no other workgroup writes
    /// meanwhile: 0, in a fused loop the first of the workgroup's problem.
    fn guarded(&mut self, buffer: u32, at: Value, mask: Option<Value>) -> Value {
        let Some(mask) = mask else { return at };
        let spare = match self.problem {
            Some((first, problems)) if self.lanes == 1 && first.ty == at.ty => {
                let elements = self.plan.buffers.get(buffer as usize).map_or(0, |b| b.elements);
                self.code.int_k("arith.muli", first, elements / problems.max(1))
            }
            _ => self.code.int(at.ty, 0),
        };
        self.code.select(mask, at, spare)
    }

    fn load_lanes(&mut self, buffer: u32, memory: Scalar, index: IndexValue, mask: Option<Value>) -> Value {
        let lanes: Vec<Value> = (0..self.lanes)
            .map(|lane| {
                let at = self.index_lane(index, lane);
                let mask = mask.map(|m| self.code.extract(m, lane));
                let at = self.guarded(buffer, at, mask);
                self.load_raw(buffer, memory, at, 1, (1, 0))
            })
            .collect();
        self.code.assemble(&lanes)
    }

    /// Neighbouring lanes that may be read where `mask` holds, else zeros.
    fn load_if(
        &mut self,
        buffer: u32,
        memory: Scalar,
        index: IndexValue,
        mask: Value,
        congruence: (i64, i64),
    ) -> Value {
        let ty = Ty::vector(memory, self.lanes);
        let result = self.code.begin_if(mask, &[ty]);
        let at = self.index_scalar(index);
        let whole = self.load_raw(buffer, memory, at, self.lanes, congruence);
        self.code.begin_else(&[whole]);
        let zeros = self.code.bits(ty, 0);
        self.code.end_if(&[zeros]);
        result[0]
    }

    /// Neighbouring lanes of which only some may be read.
    fn load_masked(
        &mut self,
        buffer: u32,
        memory: Scalar,
        index: IndexValue,
        mask: Value,
        congruence: (i64, i64),
    ) -> Value {
        let ty = Ty::vector(memory, self.lanes);
        let wide = memory.bits() >= 32 && self.target.has(Feature::Avx2) || self.target.has(Feature::Avx512);
        if self.target.backend == Backend::Cpu && wide {
            let at = self.index_scalar(index);
            let pointer = self.pointer(buffer, memory, at);
            let zero = self.code.bits(ty, 0);
            let bytes = memory.bits() / 8;
            return self.code.pure(
                ty,
                format!(
                    "llvm.intr.masked.load {pointer}, {mask}, {zero} {{alignment = {bytes} : i32}} : \
                     ({}, {}, {ty}) -> {ty}",
                    pointer.ty, mask.ty
                ),
            );
        }
        let all = self.code.all(mask);
        let result = self.code.begin_if(all, &[ty]);
        let at = self.index_scalar(index);
        let whole = self.load_raw(buffer, memory, at, self.lanes, congruence);
        self.code.begin_else(&[whole]);
        let parts = self.load_lanes(buffer, memory, index, Some(mask));
        self.code.end_if(&[parts]);
        result[0]
    }

    /// Address of element `at` of a buffer.
    pub fn pointer(&mut self, buffer: u32, memory: Scalar, at: Value) -> Value {
        let base = self.buffers[buffer as usize];
        self.code.pure(
            base.ty,
            format!("llvm.getelementptr inbounds {base}[{at}] : ({}, {}) -> {}, {memory}", base.ty, at.ty, base.ty),
        )
    }

    /// Bytes that divide the address of an offset of this congruence, from 1 element up.
    pub(crate) fn alignment(&self, memory: Scalar, (modulus, residue): (i64, i64)) -> i64 {
        let bytes = i64::from(memory.bits() / 8);
        let mut alignment = bytes;
        while alignment < BASE_ALIGNMENT {
            let elements = alignment * 2 / bytes;
            if modulus % elements != 0 || residue % elements != 0 {
                break;
            }
            alignment *= 2;
        }
        alignment
    }

    fn load_raw(&mut self, buffer: u32, memory: Scalar, at: Value, lanes: u32, congruence: (i64, i64)) -> Value {
        let ty = Ty::vector(memory, lanes);
        let alignment = self.alignment(memory, congruence);
        if let Some(value) = self.load_of_view(buffer, ty, at, alignment) {
            return value;
        }
        let pointer = self.pointer(buffer, memory, at);
        self.load_at(buffer, pointer, ty, alignment)
    }

    fn load_at(&mut self, buffer: u32, pointer: Value, ty: Ty, alignment: i64) -> Value {
        // What a lead hands on is written before.
        let read_only = self.plan.buffers[buffer as usize].access == Access::Read && !pointer.ty.is_shared();
        if self.once && read_only && alignment == BASE_ALIGNMENT && ty.lanes * ty.scalar.bits() == LOAD_BITS {
            return self.load_once(pointer, ty);
        }
        let invariant = if read_only && !self.is_waiting && !self.in_place { " invariant" } else { "" };
        let text = format!("llvm.load {pointer}{invariant} {{alignment = {alignment} : i64}} : {} -> {ty}", pointer.ty);
        if read_only { self.code.pure(ty, text) } else { self.code.effect(ty, &text) }
    }

    /// What follows is done only where the byte `buffer` is not 0; the caller ends it.
    pub fn begin_if_allowed(&mut self, buffer: usize) {
        let text =
            format!("llvm.load {} {{alignment = 1 : i64}} : {} -> i8", self.buffers[buffer], self.buffers[buffer].ty);
        let byte = self.code.effect(Ty::scalar(Scalar::I8), &text);
        let allowed = self.code.cmp_ik("ne", byte, 0);
        self.code.begin_if(allowed, &[]);
    }

    /// The elements of all lanes as 32-bit words, as they lie in memory; neighbouring lanes must be neighbouring
    /// elements.
    pub fn load_words(&mut self, buffer: u32, offset: IndexId) -> Result<Vec<Value>, EmitError> {
        let Some(row) = self.plan.buffers.get(buffer as usize) else {
            return Err(self.malformed(format!("there is no buffer {buffer}")));
        };
        let memory = self.memory_scalar(row.element)?;
        let index = self.index(offset)?;
        let words = self.lanes * memory.bits() / 32;
        if !matches!(index, IndexValue::Affine { stride: 1, .. }) || words == 0 {
            return Err(self.malformed("words of elements that are no neighbours"));
        }
        let at = self.index_scalar(index);
        let pointer = self.pointer(buffer, memory, at);
        let alignment = self.alignment(memory, self.congruence(offset));
        let ty = Ty::vector(Scalar::I32, words);
        let loaded = self.load_at(buffer, pointer, ty, alignment);
        Ok((0..words).map(|word| self.code.extract(loaded, word)).collect())
    }

    /// `count` neighbouring elements in register form, of which that of the (uniform) offset is number `at`. They begin
    /// at a multiple of `count`, a power of two.
    ///
    /// # Errors
    /// `FX0401` and `FX0403` for elements and buffers that there are not.
    pub fn load_group(&mut self, buffer: u32, offset: IndexId, (count, at): (u32, u32)) -> Result<Value, EmitError> {
        let Some(row) = self.plan.buffers.get(buffer as usize) else {
            return Err(self.malformed(format!("there is no buffer {buffer}")));
        };
        let element = row.element;
        let memory = self.memory_scalar(element)?;
        let lanes = std::mem::replace(&mut self.lanes, 1);
        let index = self.index(offset)?;
        let own = self.index_scalar(index);
        self.lanes = count;
        let first = self.code.add_ik(own, -i64::from(at));
        let raw = self.load_raw(buffer, memory, first, count, (i64::from(count), 0));
        let value = self.decode(element, raw);
        self.lanes = lanes;
        value
    }

    /// `buffer[offset] = value`.
    pub fn store(&mut self, buffer: u32, offset: IndexId, value: Value) -> Result<(), EmitError> {
        let Some(row) = self.plan.buffers.get(buffer as usize) else {
            return Err(self.malformed(format!("there is no buffer {buffer}")));
        };
        let (element, access) = (row.element, row.access);
        let memory = self.memory_scalar(element)?;
        let raw = self.encode(element, value)?;
        if access == Access::Announced {
            return self.store_announced(buffer, offset, raw);
        }
        let index = self.index(offset)?;
        let congruence = self.congruence(offset);
        match index {
            IndexValue::Affine { stride: 1, .. } if self.lanes > 1 => {
                let at = self.index_scalar(index);
                let raw = self.code.spread(raw, self.lanes);
                self.store_raw(buffer, memory, at, raw, congruence);
            }
            IndexValue::Affine { stride: 0, .. } if !raw.ty.is_vector() => {
                let at = self.index_scalar(index);
                self.store_raw(buffer, memory, at, raw, congruence);
            }
            _ => {
                for lane in 0..self.lanes {
                    let at = self.index_lane(index, lane);
                    let part = self.code.extract(raw, lane);
                    self.store_raw(buffer, memory, at, part, (1, 0));
                }
            }
        }
        Ok(())
    }

    fn store_raw(&mut self, buffer: u32, memory: Scalar, at: Value, raw: Value, congruence: (i64, i64)) {
        let pointer = self.pointer(buffer, memory, at);
        let alignment = self.alignment(memory, congruence);
        let text =
            format!("llvm.store {raw}, {pointer} {{alignment = {alignment} : i64}} : {}, {}", raw.ty, pointer.ty);
        let somewhere = self.begin_if_storing(pointer);
        self.code.line(&text);
        if somewhere {
            self.code.end_if(&[]);
        }
    }
}

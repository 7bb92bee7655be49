//! Addresses, loads, stores, atomics.

use super::Builder;
use crate::errors::Result;
use crate::inst::{Access, Atomic, AtomicOp, Op, Slot, Space};
use crate::lower::arith::look;
use crate::text::{Line, inside, split_list};
use crate::types::{Scalar, Type, arrow, parse};

const ATOMICS: &[(&str, AtomicOp)] = &[
    ("add", AtomicOp::Add),
    ("fadd", AtomicOp::AddF),
    ("_and", AtomicOp::And),
    ("and", AtomicOp::And),
    ("_or", AtomicOp::Or),
    ("or", AtomicOp::Or),
    ("_xor", AtomicOp::Xor),
    ("xor", AtomicOp::Xor),
    ("min", AtomicOp::MinS),
    ("max", AtomicOp::MaxS),
    ("umin", AtomicOp::MinU),
    ("umax", AtomicOp::MaxU),
    ("xchg", AtomicOp::Exchange),
];

/// The memory that a pointer of an address space points to.
pub fn space(line: &Line, ty: &Type) -> Result<Space> {
    match ty.element() {
        Some(Scalar::Ptr(0)) => Ok(Space::Generic),
        Some(Scalar::Ptr(1)) => Ok(Space::Global),
        Some(Scalar::Ptr(3)) => Ok(Space::Shared),
        Some(Scalar::Ptr(7)) => Ok(Space::Cluster),
        _ => Err(line.error("a pointer into a memory that is not modelled")),
    }
}

impl Builder {
    /// Lowers an operation on memory; false if it is none.
    pub(super) fn memory(&mut self, line: &Line) -> Result<bool> {
        match line.name.as_str() {
            "llvm.mlir.addressof" => {
                let text = line.attribute("global_name").unwrap_or(&line.body);
                let name = text.trim().trim_start_matches('@');
                let &(offset, _) = self.globals.get(name).ok_or_else(|| line.error("no such global"))?;
                let ty = self.result_type(line)?;
                let to = self.result(line, ty)?;
                self.push_simple(Op::SharedAddress { to, offset }, &[], &[to]);
            }
            "llvm.getelementptr" => self.element_pointer(line)?,
            "llvm.load" => {
                let [address] = self.operands_n(line)?;
                let ty = self.result_type(line)?;
                let to = self.result(line, ty.clone())?;
                let space = space(line, &address.ty)?;
                let access = self.access(line, space, &ty, to, address.slot)?;
                self.push(Op::Load(access), &[(address.slot, 1)], &[(to, access.n)]);
            }
            "llvm.store" => {
                let [value, address] = self.operands_n(line)?;
                let space = space(line, &address.ty)?;
                let access = self.access(line, space, &value.ty, value.slot, address.slot)?;
                self.push(Op::Store(access), &[(value.slot, access.n), (address.slot, 1)], &[]);
            }
            "llvm.addrspacecast" => {
                let [a] = self.operands_n(line)?;
                let into = parse(line.signature.split_once(" to ").ok_or_else(|| line.error("no type"))?.1)?;
                let (Some(Scalar::Ptr(from)), Some(Scalar::Ptr(to_space))) = (a.ty.element(), into.element()) else {
                    return Err(line.error("pointers expected"));
                };
                let to = self.result(line, into)?;
                self.push_simple(Op::SpaceCast { to, a: a.slot, from, into: to_space }, &[a.slot], &[to]);
            }
            "llvm.ptrtoint" | "llvm.inttoptr" => {
                let [a] = self.operands_n(line)?;
                let into = parse(line.signature.split_once(" to ").ok_or_else(|| line.error("no type"))?.1)?;
                let (from, to_scalar) = (a.scalar(line)?, into.element().ok_or_else(|| line.error("a struct"))?);
                let to = self.result(line, into)?;
                self.push_unary(crate::inst::Unary::Truncate, (from, to_scalar), to, a.slot, 1);
            }
            "llvm.atomicrmw" => self.atomic(line)?,
            "llvm.cmpxchg" => self.compare_exchange(line)?,
            "llvm.fence" | "nvvm.memory.barrier" | "nvvm.membar.gl" | "nvvm.fence.sc.cluster" => {
                self.push(Op::Fence, &[], &[]);
            }
            "llvm.inline_asm" => self.inline_asm(line)?,
            "llvm.intr.assume" | "llvm.intr.lifetime.start" | "llvm.intr.lifetime.end" => {
                self.push(Op::Nothing, &[], &[]);
            }
            "llvm.intr.trap" => self.push(Op::Trap, &[], &[]),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The access of a value at an address; notes how small accesses to shared memory get.
    pub(super) fn access(
        &mut self,
        line: &Line,
        space: Space,
        ty: &Type,
        value: Slot,
        address: Slot,
    ) -> Result<Access> {
        let scalar = ty.element().ok_or_else(|| line.error("a load or store of a struct"))?;
        let n = ty.slots();
        let bytes = scalar.bytes() * n;
        if bytes > 64 {
            return Err(line.error("an access of more than 64 bytes"));
        }
        let alignment = line.number_of("alignment").map_or(scalar.bytes(), |a| a.max(1) as u32);
        if space != Space::Global {
            self.note_shared(bytes.min(alignment));
        }
        let ordered = ["volatile", "acquire", "release", "seq_cst"].iter().any(|word| line.has_word(word));
        Ok(Access { space, scalar, value, n, address, alignment, ordered })
    }

    /// Shared memory is looked at in units of the smallest access.
    pub(super) fn note_shared(&mut self, bytes: u32) {
        let unit = 1 << bytes.max(1).ilog2();
        self.granule = self.granule.min(unit);
    }

    fn element_pointer(&mut self, line: &Line) -> Result<()> {
        let names = line.operands();
        let base = self.value(line, names.first().ok_or_else(|| line.error("no base"))?)?;
        let (element, indices) = self.gep_parts(line, &names)?;
        let mut terms = Vec::new();
        let mut offset = 0i64;
        let mut current = element;
        for (level, index) in indices.iter().enumerate() {
            let step = if level == 0 {
                current.bytes() as i64
            } else {
                current = match (&current, index) {
                    (Type::Array(_, of), _) => (**of).clone(),
                    (Type::Vector(_, of), _) => Type::Scalar(*of),
                    (Type::Struct(members), Err(at)) => {
                        offset += members.iter().take(*at as usize).map(|m| m.bytes() as i64).sum::<i64>();
                        members.get(*at as usize).cloned().ok_or_else(|| line.error("no such member"))?;
                        current = members[*at as usize].clone();
                        continue;
                    }
                    _ => return Err(line.error("an index into something without elements")),
                };
                current.bytes() as i64
            };
            match index {
                Err(at) => offset += at * step,
                Ok(name) => {
                    let value = self.value(line, name)?;
                    terms.push((value.slot, value.scalar(line)?.bits() as u8, step));
                }
            }
        }
        let to = self.result(line, base.ty.clone())?;
        let reads: Vec<Slot> = std::iter::once(base.slot).chain(terms.iter().map(|t| t.0)).collect();
        self.push_simple(Op::Address { to, base: base.slot, offset, terms: terms.into() }, &reads, &[to]);
        Ok(())
    }

    /// Element type and indices: a name, or a number.
    #[allow(clippy::type_complexity)]
    fn gep_parts<'l>(
        &self,
        line: &'l Line,
        names: &[&'l str],
    ) -> Result<(Type, Vec<std::result::Result<&'l str, i64>>)> {
        if let Some(element) = line.attribute("elem_type") {
            let raw = line.attribute("rawConstantIndices").unwrap_or("");
            let constants = crate::text::numbers(raw.split_once(':').map_or(raw, |(_, v)| v));
            let mut dynamic = names.iter().skip(1);
            let mut indices = Vec::new();
            for constant in constants {
                match constant {
                    -2147483648 => {
                        indices.push(Ok(*dynamic.next().ok_or_else(|| line.error("an index is missing"))?))
                    }
                    fixed => indices.push(Err(fixed)),
                }
            }
            return Ok((parse(element)?, indices));
        }
        let list = inside(&line.body, '[').ok_or_else(|| line.error("no indices"))?;
        let mut indices = Vec::new();
        for part in split_list(list) {
            match part.parse::<i64>() {
                Ok(fixed) => indices.push(Err(fixed)),
                Err(_) => {
                    let name = names.iter().skip(1).find(|n| **n == part);
                    indices.push(Ok(*name.ok_or_else(|| line.error("an index that is not understood"))?));
                }
            }
        }
        let after = arrow(&line.signature).1.ok_or_else(|| line.error("no result type"))?;
        let element = split_list(after).last().copied().unwrap_or("");
        Ok((parse(element)?, indices))
    }

    fn atomic(&mut self, line: &Line) -> Result<()> {
        let [address, value] = self.operands_n(line)?;
        let word = line.first_word();
        let generic = line.attribute("bin_op");
        let op = look(ATOMICS, generic.unwrap_or(word))
            .ok_or_else(|| line.error("an atomic operation that is not modelled"))?;
        let space = space(line, &address.ty)?;
        let scalar = value.scalar(line)?;
        if space != Space::Global {
            self.note_shared(scalar.bytes());
        }
        let to = self.result(line, value.ty.clone())?;
        let atomic = Atomic {
            op,
            scalar,
            space,
            address: address.slot,
            value: value.slot,
            compare: None,
            to: Some(to),
            success: None,
        };
        self.push_simple(Op::Atomic(Box::new(atomic)), &[address.slot, value.slot], &[to]);
        Ok(())
    }

    fn compare_exchange(&mut self, line: &Line) -> Result<()> {
        let [address, compare, value] = self.operands_n(line)?;
        let space = space(line, &address.ty)?;
        let scalar = value.scalar(line)?;
        if space != Space::Global {
            self.note_shared(scalar.bytes());
        }
        let ty = Type::Struct(vec![value.ty.clone(), Type::Scalar(Scalar::Int(1))]);
        let to = self.result(line, ty)?;
        let atomic = Atomic {
            op: AtomicOp::CompareExchange,
            scalar,
            space,
            address: address.slot,
            value: value.slot,
            compare: Some(compare.slot),
            to: Some(to),
            success: Some(to + 1),
        };
        let reads = [address.slot, value.slot, compare.slot];
        self.push_simple(Op::Atomic(Box::new(atomic)), &reads, &[to, to + 1]);
        Ok(())
    }
}

//! Inline PTX: matrix multiplies, barriers in shared memory, asynchronous copies, fences, atomics.

use super::Builder;
use super::arith::look;
use super::nvvm::{ELEMENTS, registers_of};
use super::ptx::{Asm, Statement, scalar};
use crate::errors::Result;
use crate::inst::{Atomic, AtomicOp, Count, Element, Mma, Op, Slot, Space, Wgmma, WgmmaA};
use crate::types::Scalar;

/// `(m, n, k)` of `m64n8k16`.
fn shape(opcode: &str) -> Option<(u32, u32, u32)> {
    let part = opcode.split('.').find(|p| p.starts_with('m') && p[1..].starts_with(|c: char| c.is_ascii_digit()))?;
    let (m, rest) = part[1..].split_once('n')?;
    let (n, k) = rest.split_once('k')?;
    Some((m.parse().ok()?, n.parse().ok()?, k.parse().ok()?))
}

/// The element types behind the shape, in order.
fn elements(opcode: &str) -> Vec<Element> {
    opcode.split('.').filter_map(|p| look(ELEMENTS, p)).collect()
}

impl Builder {
    /// Lowers a matrix statement; false if it is none.
    pub(super) fn asm_matrix(&mut self, asm: &Asm, s: &Statement) -> Result<bool> {
        let line = asm.line;
        let first = s.opcode.split('.').next().unwrap_or("");
        match first {
            "mma" => self.asm_mma(asm, s)?,
            "wgmma" if s.has("mma_async") => self.asm_wgmma(asm, s)?,
            "wgmma" if s.has("fence") => self.push(Op::WgmmaFence, &[], &[]),
            "wgmma" if s.has("commit_group") => self.push(Op::WgmmaCommit, &[], &[]),
            "wgmma" if s.has("wait_group") => {
                let pending = s.operands.first().and_then(|n| n.parse().ok());
                let pending = pending.ok_or_else(|| line.error("no group count"))?;
                self.push(Op::WgmmaWait { pending }, &[], &[]);
            }
            "ldmatrix" => {
                let [registers, address] = s.operands.as_slice() else {
                    return Err(line.error("two operands expected"));
                };
                let slots = asm.list(registers)?;
                let count = slots.len() as u32;
                let address = self.asm_address(asm, address)?;
                if !s.has("b16") || !s.has("m8n8") {
                    return Err(line.error("only 8×8 matrices of 16 bits are modelled"));
                }
                let to = self.scratch(count);
                let op = Op::LoadMatrix { to, address, count, transposed: s.has("trans") };
                self.push(op, &[(address, 1)], &[(to, count)]);
                let pairs: Vec<_> = slots.iter().enumerate().map(|(at, &slot)| (slot, to + at as u32, 1)).collect();
                self.push_moves(&pairs);
                self.release(to, count);
            }
            "stmatrix" => {
                let [address, registers] = s.operands.as_slice() else {
                    return Err(line.error("two operands expected"));
                };
                let values = asm.list(registers)?;
                let address = self.asm_address(asm, address)?;
                let op = Op::StoreMatrix { address, values: values.into(), transposed: s.has("trans") };
                self.push_simple(op, &[address], &[]);
            }
            "movmatrix" => {
                let [to, a] = s.operands.as_slice() else { return Err(line.error("two operands expected")) };
                let (to, a) = (asm.slot(to)?, asm.slot(a)?);
                self.push_simple(Op::MoveMatrix { to, a }, &[a], &[to]);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn asm_mma(&mut self, asm: &Asm, s: &Statement) -> Result<()> {
        let line = asm.line;
        let shape = shape(&s.opcode).ok_or_else(|| line.error("no shape"))?;
        let types = elements(&s.opcode);
        let ([d_type, a_type, b_type, _], [d, a, b, c]) = (types.as_slice(), s.operands.as_slice()) else {
            return Err(line.error("four types and four operands expected"));
        };
        let layouts: Vec<&str> = s.opcode.split('.').filter(|p| *p == "row" || *p == "col").collect();
        let results = asm.list(d)?;
        let count = results.len() as u32;
        let to = self.scratch(count);
        let mma = Mma {
            shape,
            a_type: *a_type,
            b_type: *b_type,
            d_type: *d_type,
            a_row: layouts.first() != Some(&"col"),
            b_col: layouts.get(1) != Some(&"row"),
            saturate: s.has("satfinite"),
            a: asm.list(a)?,
            b: asm.list(b)?,
            c: self.zeros_or_list(asm, c, results.len())?,
            to,
            a_split: false,
            c_split: false,
        };
        self.push_mma(line, mma, count)?;
        let pairs: Vec<_> = results.iter().enumerate().map(|(at, &slot)| (slot, to + at as u32, 1)).collect();
        self.push_moves(&pairs);
        self.release(to, count);
        Ok(())
    }

    /// Registers of C; constants among them become slots.
    fn zeros_or_list(&mut self, asm: &Asm, text: &str, n: usize) -> Result<Vec<Slot>> {
        let inner = text.trim().trim_start_matches('{').trim_end_matches('}');
        let parts = crate::text::split_list(inner);
        if parts.len() != n {
            return Err(asm.line.error("C has another number of registers than D"));
        }
        parts.into_iter().map(|part| self.asm_operand(asm, part, Scalar::F32)).collect()
    }

    fn asm_wgmma(&mut self, asm: &Asm, s: &Statement) -> Result<()> {
        let line = asm.line;
        let Some((64, n, k)) = shape(&s.opcode) else { return Err(line.error("the shape is not m64")) };
        let types = elements(&s.opcode);
        let [d_type, a_type, b_type] = types.as_slice() else { return Err(line.error("three types expected")) };
        let [d, a, b, rest @ ..] = s.operands.as_slice() else { return Err(line.error("operands are missing")) };
        let registers = a.starts_with('{');
        let slots = asm.list(d)?;
        let sum = slots.first().copied().unwrap_or(0);
        if slots.iter().enumerate().any(|(at, &slot)| slot != sum + at as u32) {
            return Err(line.error("accumulators that are not the outputs in order"));
        }
        let scale_d = match rest.first().map(String::as_str) {
            Some("0" | "false") => Ok(false),
            Some("1" | "true") | None => Ok(true),
            Some(predicate) => Err(asm.slot(predicate)?),
        };
        let number = |at: usize| rest.get(at).map_or(0, |t| t.parse::<i32>().unwrap_or(9));
        // Behind scale-d: scale-a, scale-b, then transpositions: of both, or of B alone where A is in registers.
        let transposed = |at: usize| number(at) == 1;
        if (1..rest.len()).any(|at| !(-1..=1).contains(&number(at))) {
            return Err(line.error("scales that are not understood"));
        }
        let (trans_a, trans_b) = if registers { (false, transposed(3)) } else { (transposed(3), transposed(4)) };
        let multiply = Wgmma {
            n,
            k,
            a_type: *a_type,
            b_type: *b_type,
            d_type: *d_type,
            a: if registers { WgmmaA::Registers(asm.list(a)?) } else { WgmmaA::Descriptor(asm.slot(a)?) },
            b: asm.slot(b)?,
            a_k_major: !trans_a,
            b_k_major: !trans_b,
            negate_a: number(1) == -1,
            negate_b: number(2) == -1,
            scale_d,
            saturate: s.has("satfinite"),
            sum,
        };
        if slots.len() as u32 != registers_of(&multiply) {
            return Err(line.error("the accumulator has another number of registers than the shape"));
        }
        if let WgmmaA::Registers(a) = &multiply.a
            && a.len() != 4
        {
            return Err(line.error("four registers of A expected"));
        }
        self.push_wgmma(line, multiply)
    }

    /// Lowers a statement about barriers, copies or order; false if it is none.
    pub(super) fn asm_barrier(&mut self, asm: &Asm, s: &Statement, spins: bool) -> Result<bool> {
        let line = asm.line;
        let first = s.opcode.split('.').next().unwrap_or("");
        let space = if s.opcode.contains("shared::cluster") { Space::Cluster } else { Space::Shared };
        let last = s.operands.last().cloned().unwrap_or_default();
        match first {
            "mbarrier" if s.has("try_wait") || s.has("test_wait") => {
                if !s.has("parity") {
                    return Err(line.error("only waits by parity are modelled"));
                }
                let [to, at, parity, ..] = s.operands.as_slice() else {
                    return Err(line.error("operands are missing"));
                };
                let to = asm.slot(to)?;
                let at = self.asm_address(asm, at)?;
                let parity = self.asm_operand(asm, parity, Scalar::Int(32))?;
                self.push_simple(Op::BarrierWait { at, parity, to: (!spins).then_some(to) }, &[at, parity], &[to]);
            }
            "mbarrier" if s.has("init") => {
                let at = self.asm_address(asm, &s.operands[0])?;
                let count = self.asm_operand(asm, &last, Scalar::Int(32))?;
                self.push_simple(Op::BarrierInit { at, count }, &[at, count], &[]);
            }
            "mbarrier" if s.has("inval") => {
                let at = self.asm_address(asm, &last)?;
                self.push_simple(Op::BarrierInvalidate { at }, &[at], &[]);
            }
            "mbarrier" if s.has("arrive") => {
                let address =
                    s.operands.iter().position(|o| o.starts_with('[')).ok_or_else(|| line.error("no address"))?;
                let at = self.asm_address(asm, &s.operands[address])?;
                let extra = match s.operands.get(address + 1) {
                    Some(text) => Some(self.asm_operand(asm, text, Scalar::Int(32))?),
                    None => None,
                };
                let (count, expect) = if s.has("expect_tx") { (None, extra) } else { (extra, None) };
                self.push_simple(Op::BarrierArrive { at, space, count, expect, drop: false }, &[at], &[]);
            }
            "mbarrier" if s.has("expect_tx") => {
                let at = self.asm_address(asm, &s.operands[0])?;
                let bytes = self.asm_operand(asm, &last, Scalar::Int(32))?;
                self.push_simple(Op::BarrierExpect { at, space, bytes }, &[at, bytes], &[]);
            }
            "fence" if s.has("proxy") && s.has("async") => self.push(Op::FenceProxyAsync, &[], &[]),
            "fence" if s.has("mbarrier_init") => self.push(Op::FenceInit, &[], &[]),
            "fence" => self.push(Op::Fence, &[], &[]),
            "bar" | "barrier" if s.has("warp") => self.push(Op::WarpSync { members: None }, &[], &[]),
            "barrier" if s.has("cluster") && s.has("arrive") => self.push(Op::ClusterArrive, &[], &[]),
            "barrier" if s.has("cluster") => self.push(Op::ClusterWait, &[], &[]),
            "bar" | "barrier" => {
                let mut slots = Vec::new();
                for text in &s.operands {
                    slots.push(self.asm_operand(asm, text, Scalar::Int(32))?);
                }
                let id = slots.first().map_or(Count::Fixed(0), |&slot| Count::In(slot));
                let threads = slots.get(1).map(|&slot| Count::In(slot));
                self.push(Op::Barrier { id, threads, wait: !s.has("arrive") }, &[], &[]);
            }
            "setmaxnreg" => {
                last.parse::<u32>().map_err(|_| line.error("no register count"))?;
                self.push(Op::SetRegisters, &[], &[]);
            }
            "cp" => return self.asm_copy(asm, s),
            "atom" | "red" => self.asm_atomic(asm, s, first == "atom")?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn asm_copy(&mut self, asm: &Asm, s: &Statement) -> Result<bool> {
        let line = asm.line;
        let number = || s.operands.first().and_then(|n| n.parse().ok()).ok_or_else(|| line.error("no group count"));
        match () {
            _ if s.has("bulk") && s.has("commit_group") => self.push(Op::BulkCommit, &[], &[]),
            _ if s.has("bulk") && s.has("wait_group") => {
                self.push(Op::BulkWait { pending: number()?, read: s.has("read") }, &[], &[]);
            }
            _ if s.has("bulk") => return Ok(false),
            _ if s.has("commit_group") => self.push(Op::CopyAsyncCommit, &[], &[]),
            _ if s.has("wait_all") => self.push(Op::CopyAsyncWait { pending: 0 }, &[], &[]),
            _ if s.has("wait_group") => self.push(Op::CopyAsyncWait { pending: number()? }, &[], &[]),
            _ if s.has("mbarrier") => {
                let at = self.asm_address(asm, &s.operands[0])?;
                self.push_simple(Op::CopyAsyncArrive { at, noinc: s.has("noinc") }, &[at], &[]);
            }
            _ => {
                let [to, from, size, rest @ ..] = s.operands.as_slice() else {
                    return Err(line.error("operands are missing"));
                };
                let (shared, global) = (self.asm_address(asm, to)?, self.asm_address(asm, from)?);
                let size = size.parse().map_err(|_| line.error("no size"))?;
                // A cache policy may follow; a source size comes before it.
                let policy = usize::from(s.has("L2::cache_hint"));
                let bytes = match rest.len() > policy {
                    true => Some(self.asm_operand(asm, &rest[0], Scalar::Int(32))?),
                    false => None,
                };
                self.note_shared(size);
                self.push_simple(Op::CopyAsync { shared, global, size, bytes }, &[shared, global], &[]);
            }
        }
        Ok(true)
    }

    fn asm_atomic(&mut self, asm: &Asm, s: &Statement, result: bool) -> Result<()> {
        let line = asm.line;
        let ty = s.opcode.rsplit('.').find_map(scalar).ok_or_else(|| line.error("no type"))?;
        let signed = s.opcode.ends_with("s32") || s.opcode.ends_with("s64");
        let op = match () {
            _ if s.has("add") && ty.is_float() => AtomicOp::AddF,
            _ if s.has("add") => AtomicOp::Add,
            _ if s.has("and") => AtomicOp::And,
            _ if s.has("or") => AtomicOp::Or,
            _ if s.has("xor") => AtomicOp::Xor,
            _ if s.has("exch") => AtomicOp::Exchange,
            _ if s.has("cas") => AtomicOp::CompareExchange,
            _ if s.has("min") => {
                if signed {
                    AtomicOp::MinS
                } else {
                    AtomicOp::MinU
                }
            }
            _ if s.has("max") => {
                if signed {
                    AtomicOp::MaxS
                } else {
                    AtomicOp::MaxU
                }
            }
            _ => return Err(line.error("an atomic operation that is not modelled")),
        };
        let mut rest = s.operands.as_slice();
        let mut to = None;
        if result {
            let [first, after @ ..] = rest else { return Err(line.error("operands are missing")) };
            to = Some(asm.slot(first)?);
            rest = after;
        }
        let [address, value, more @ ..] = rest else { return Err(line.error("operands are missing")) };
        let address = self.asm_address(asm, address)?;
        let mut value = self.asm_operand(asm, value, ty)?;
        let mut compare = None;
        if op == AtomicOp::CompareExchange {
            let new = more.first().ok_or_else(|| line.error("operands are missing"))?;
            compare = Some(value);
            value = self.asm_operand(asm, new, ty)?;
        }
        let space = if s.has("global") {
            Space::Global
        } else if s.opcode.contains("shared") {
            Space::Shared
        } else {
            Space::Generic
        };
        if space != Space::Global {
            self.note_shared(ty.bytes());
        }
        let atomic = Atomic { op, scalar: ty, space, address, value, compare, to, success: None };
        self.push_simple(Op::Atomic(Box::new(atomic)), &[address, value], to.as_slice());
        Ok(())
    }
}

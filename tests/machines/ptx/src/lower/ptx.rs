//! Inline PTX: its statements become the same operations.
//!
//! Input: the template, the constraints, the operands. A template is statements between `;`, with `{ }`, `.reg`
//! declarations, labels and predicates. The loop that spins on `mbarrier.try_wait` becomes one blocking wait; no other
//! branches are known. Operands are `$n` (outputs first), registers declared inside, numbers, `[address]`, `{lists}`.
//!
//! Worked example: `"ex2.approx.ftz.f32 $0, $1;", "=f,f" %x` becomes one operation on the slot of %x.

use std::collections::HashMap;

use super::Builder;
use super::arith::literal;
use crate::errors::Result;
use crate::inst::{Access, Binary, Op, Slot, Space, Unary};
use crate::lower::liveness::result_names;
use crate::text::{Line, balanced};
use crate::types::{Scalar, Type, arrow, parse};

/// Registers and operands of a template.
pub struct Asm<'l> {
    pub line: &'l Line,
    /// Slots of `$0`, `$1`, ….
    pub operands: Vec<(Slot, Scalar)>,
    registers: HashMap<String, (Slot, Scalar)>,
}

/// One statement: its predicate, opcode parts, operands.
pub struct Statement {
    pub guard: Option<(bool, String)>,
    pub opcode: String,
    pub operands: Vec<String>,
}

impl Statement {
    pub fn has(&self, part: &str) -> bool {
        self.opcode.split(['.', ':']).any(|p| p == part)
    }

    /// The last part that is a type.
    pub fn ty(&self) -> Option<Scalar> {
        self.opcode.rsplit('.').find_map(scalar)
    }
}

/// The register type of a PTX type.
pub fn scalar(name: &str) -> Option<Scalar> {
    Some(match name {
        "pred" => Scalar::Int(1),
        "b8" | "u8" | "s8" => Scalar::Int(8),
        "b16" | "u16" | "s16" => Scalar::Int(16),
        "b32" | "u32" | "s32" | "f16x2" | "bf16x2" => Scalar::Int(32),
        "b64" | "u64" | "s64" => Scalar::Int(64),
        "f16" => Scalar::F16,
        "bf16" => Scalar::Bf16,
        "f32" => Scalar::F32,
        "f64" => Scalar::F64,
        _ => return None,
    })
}

fn unescape(template: &str) -> String {
    template
        .replace("${:uid}", "uid")
        .replace("\\0A", "\n")
        .replace("\\09", "\t")
        .replace("\\n", "\n")
        .replace("\\t", "\t")
        .replace("$$", "$")
}

/// Statements of a template, blocks flattened, labels dropped.
fn statements(template: &str) -> Vec<Statement> {
    let mut found = Vec::new();
    let text = unescape(template);
    for piece in text.split(';') {
        let mut piece = piece.trim();
        loop {
            let before = piece;
            // A brace that opens or closes a block stands at the start of a statement.
            piece = piece.trim_start_matches(['{', '}']).trim_start();
            if let Some((label, rest)) = piece.split_once(':')
                && !label.is_empty()
                && label.chars().all(|c| c.is_alphanumeric() || "_$%{}=".contains(c))
                && !rest.starts_with(':')
            {
                piece = rest.trim_start();
            }
            if piece == before {
                break;
            }
        }
        if piece.is_empty() {
            continue;
        }
        let (guard, rest) = match piece.strip_prefix('@') {
            Some(guarded) => {
                let (name, rest) = guarded.split_once(char::is_whitespace).unwrap_or((guarded, ""));
                (Some((!name.starts_with('!'), name.trim_start_matches('!').to_string())), rest.trim())
            }
            None => (None, piece),
        };
        let (opcode, operands) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let operands = crate::text::split_list(operands).iter().map(|o| o.to_string()).collect();
        found.push(Statement { guard, opcode: opcode.to_string(), operands });
    }
    found
}

impl Asm<'_> {
    /// Slot and type of an operand that is a register.
    pub fn register(&self, name: &str) -> Option<(Slot, Scalar)> {
        let name = name.trim();
        if let Some(number) = name.strip_prefix('$') {
            return self.operands.get(number.trim_matches(['{', '}']).parse::<usize>().ok()?).copied();
        }
        self.registers.get(name).copied()
    }

    pub fn slot(&self, name: &str) -> Result<Slot> {
        self.register(name).map(|r| r.0).ok_or_else(|| self.line.error(format!("no register {name}")))
    }

    /// Slots of `{a, b, …}` or of a single register.
    pub fn list(&self, text: &str) -> Result<Vec<Slot>> {
        let inner = text.trim().trim_start_matches('{');
        let inner = &inner[..balanced(inner, &[])];
        crate::text::split_list(inner.trim_end_matches('}')).into_iter().map(|r| self.slot(r)).collect()
    }

    /// Register and constant offset of `[a]`, `[a+4]`.
    pub fn address(&self, text: &str) -> Result<(Slot, i64)> {
        let inner = text.trim().trim_start_matches('[').trim_end_matches(']');
        let (name, offset) = match inner.split_once('+') {
            Some((name, offset)) => (name, offset.trim().parse::<i64>()),
            None => (inner, Ok(0)),
        };
        let offset = offset.map_err(|_| self.line.error("an offset that is not a number"))?;
        Ok((self.slot(name)?, offset))
    }
}

impl Builder {
    pub(super) fn inline_asm(&mut self, line: &Line) -> Result<()> {
        let strings: Vec<String> = line.strings().iter().map(|s| s.to_string()).collect();
        let [template, constraints, ..] = strings.as_slice() else { return Err(line.error("no template")) };
        let inputs = self.operands(line)?;
        let (_, after) = arrow(&line.signature);
        let result = match after {
            Some("()") | None => None,
            Some("!llvm.void") => None,
            Some(ty) => Some(parse(ty)?),
        };
        let outputs: Vec<Scalar> = result.as_ref().map(Type::scalars).unwrap_or_default();
        let to = match (&result, result_names(line).is_empty()) {
            (Some(ty), false) => self.result(line, ty.clone())?,
            (Some(ty), true) => self.scratch(ty.slots()),
            _ => 0,
        };
        let mut asm = Asm { line, operands: Vec::new(), registers: HashMap::new() };
        asm.operands.extend(outputs.iter().enumerate().map(|(at, &ty)| (to + at as u32, ty)));
        let letters: Vec<&str> = constraints.split(',').map(str::trim).filter(|c| !c.starts_with('~')).collect();
        let given = letters.get(outputs.len()..).ok_or_else(|| line.error("fewer constraints than outputs"))?;
        if given.len() != inputs.len() || letters[..outputs.len()].iter().any(|c| !c.starts_with('=')) {
            return Err(line.error("constraints that do not fit the operands"));
        }
        let mut ties = Vec::new();
        for (letter, value) in given.iter().zip(&inputs) {
            if let Ok(tied) = letter.parse::<u32>() {
                ties.push((to + tied, value.slot, 1));
            }
            asm.operands.push((value.slot, value.scalar(line)?));
        }
        self.push_moves(&ties);
        let spins = template.contains("bra");
        let mut scratch = Vec::new();
        for statement in statements(template) {
            if statement.opcode.starts_with(".reg") {
                // `.reg .pred P, Q;`: the type may have ended up in front of the first name.
                let words = statement.operands.first().map_or("", String::as_str);
                let ty = words.split_whitespace().find_map(|w| scalar(w.trim_start_matches('.'))).or(statement.ty());
                let ty = ty.ok_or_else(|| line.error("a register type that is not modelled"))?;
                for name in &statement.operands {
                    let name = name.split_whitespace().last().unwrap_or(name);
                    let names = match name.split_once('<') {
                        Some((stem, count)) => {
                            let count: u32 = count.trim_end_matches('>').parse().unwrap_or(0);
                            (0..count).map(|at| format!("{stem}{at}")).collect()
                        }
                        None => vec![name.to_string()],
                    };
                    for name in names {
                        let slot = self.scratch(1);
                        scratch.push(slot);
                        asm.registers.insert(name, (slot, ty));
                    }
                }
                continue;
            }
            self.guarded(&mut asm, &statement, spins)?;
        }
        scratch.into_iter().for_each(|slot| self.release(slot, 1));
        Ok(())
    }

    fn guarded(&mut self, asm: &mut Asm, statement: &Statement, spins: bool) -> Result<()> {
        if statement.opcode == "bra" || statement.opcode.starts_with("bra.") {
            // Only the loop around a wait has them; the wait blocks.
            return if spins { Ok(()) } else { Err(asm.line.error("a branch")) };
        }
        let Some((positive, name)) = &statement.guard else { return self.statement(asm, statement, spins) };
        let mut condition = asm.slot(name)?;
        if !positive {
            let one = self.constant_slot(1);
            let flipped = self.scratch(1);
            self.push_binary(Binary::Xor, Scalar::Int(1), flipped, condition, one, 1);
            condition = flipped;
        }
        let start = self.here();
        self.push(Op::Nothing, &[(condition, 1)], &[]);
        self.statement(asm, statement, spins)?;
        let end = self.here();
        self.push(Op::EndIf, &[], &[]);
        self.insts[start as usize].op = Op::If { condition, otherwise: end, end };
        Ok(())
    }

    /// An operand's slot; numbers become constants.
    pub(super) fn asm_operand(&mut self, asm: &Asm, text: &str, ty: Scalar) -> Result<Slot> {
        if let Some((slot, _)) = asm.register(text) {
            return Ok(slot);
        }
        let number = match text.strip_prefix("0f").or_else(|| text.strip_prefix("0d")) {
            Some(hex) => u64::from_str_radix(hex, 16).ok(),
            None => literal(text, ty),
        };
        let bits = number.ok_or_else(|| asm.line.error(format!("an operand that is not understood: {text}")))?;
        Ok(self.constant_slot(bits))
    }

    /// An address with its offset added.
    pub(super) fn asm_address(&mut self, asm: &Asm, text: &str) -> Result<Slot> {
        let (base, offset) = asm.address(text)?;
        if offset == 0 {
            return Ok(base);
        }
        let to = self.scratch(1);
        self.push_simple(Op::Address { to, base, offset, terms: Box::default() }, &[base], &[to]);
        Ok(to)
    }

    fn statement(&mut self, asm: &mut Asm, s: &Statement, spins: bool) -> Result<()> {
        let line = asm.line;
        if self.asm_matrix(asm, s)? || self.asm_barrier(asm, s, spins)? || self.asm_numbers(asm, s)? {
            return Ok(());
        }
        let first = s.opcode.split('.').next().unwrap_or("");
        match first {
            "cvt" => self.asm_convert(asm, s)?,
            "ld" | "st" | "ldu" => self.asm_access(asm, s, first == "st")?,
            "nanosleep" | "prefetch" | "griddepcontrol" | "discard" | "applypriority" => {}
            "createpolicy" => {
                let to = asm.slot(s.operands.first().map_or("", String::as_str))?;
                self.push_simple(Op::Const { to, bits: 0 }, &[], &[to]);
            }
            "membar" => self.push(Op::Fence, &[], &[]),
            "trap" => self.push(Op::Trap, &[], &[]),
            _ => return Err(line.error(format!("the statement {} is not modelled", s.opcode))),
        }
        Ok(())
    }

    fn asm_convert(&mut self, asm: &Asm, s: &Statement) -> Result<()> {
        let line = asm.line;
        let types: Vec<&str> = s.opcode.split('.').skip(1).filter(|p| scalar(p).is_some() || *p == "tf32").collect();
        let slots: Vec<Slot> = s.operands.iter().map(|o| asm.slot(o)).collect::<Result<_>>()?;
        match (types.as_slice(), slots.as_slice()) {
            (["tf32", "f32"], &[to, a]) if s.has("rna") => {
                self.push_unary(Unary::ToTf32, (Scalar::F32, Scalar::F32), to, a, 1);
            }
            ([pair @ ("bf16x2" | "f16x2"), "f32"], &[to, high, low]) if s.has("rn") => {
                let half = if *pair == "bf16x2" { Scalar::Bf16 } else { Scalar::F16 };
                let both = self.scratch(2);
                self.push_unary(Unary::FloatToFloat, (Scalar::F32, half), both, low, 1);
                self.push_unary(Unary::FloatToFloat, (Scalar::F32, half), both + 1, high, 1);
                let op = Op::Recast { to, to_bits: 32, to_n: 1, a: both, from_bits: 16, from_n: 2 };
                self.push(op, &[(both, 2)], &[(to, 1)]);
                self.release(both, 2);
            }
            ([into, from], &[to, a]) => {
                let (Some(into), Some(from_ty)) = (scalar(into), scalar(from)) else {
                    return Err(line.error("a conversion that is not modelled"));
                };
                let signed = from.starts_with('s');
                let op = match (from_ty.is_float(), into.is_float()) {
                    (true, true) => Unary::FloatToFloat,
                    (false, false) if into.bits() < from_ty.bits() => Unary::Truncate,
                    (false, false) => {
                        if signed {
                            Unary::ExtendSigned
                        } else {
                            Unary::Extend
                        }
                    }
                    (false, true) => {
                        if signed {
                            Unary::SignedToFloat
                        } else {
                            Unary::UnsignedToFloat
                        }
                    }
                    (true, false) => return Err(line.error("a conversion that is not modelled")),
                };
                self.push_unary(op, (from_ty, into), to, a, 1);
            }
            _ => return Err(line.error("a conversion that is not modelled")),
        }
        Ok(())
    }

    fn asm_access(&mut self, asm: &Asm, s: &Statement, store: bool) -> Result<()> {
        let line = asm.line;
        let ty = s.ty().ok_or_else(|| line.error("no type"))?;
        let space = match () {
            _ if s.has("global") => Space::Global,
            _ if s.opcode.contains("shared::cluster") => Space::Cluster,
            _ if s.opcode.contains("shared") => Space::Shared,
            _ => Space::Generic,
        };
        let lanes = if s.has("v8") {
            8
        } else if s.has("v4") {
            4
        } else if s.has("v2") {
            2
        } else {
            1
        };
        let (value, address) = if store { (1, 0) } else { (0, 1) };
        let (Some(value), Some(address)) = (s.operands.get(value), s.operands.get(address)) else {
            return Err(line.error("operands are missing"));
        };
        let slots = asm.list(value)?;
        if slots.len() != lanes {
            return Err(line.error("as many registers as lanes expected"));
        }
        let address = self.asm_address(asm, address)?;
        let bytes = ty.bytes() * lanes as u32;
        if space != Space::Global {
            self.note_shared(bytes);
        }
        let n = lanes as u32;
        let buffer = self.scratch(n);
        let ordered = ["acquire", "release", "volatile", "relaxed"].iter().any(|w| s.has(w));
        let access = Access { space, scalar: ty, value: buffer, n, address, alignment: bytes, ordered };
        if store {
            let pairs: Vec<_> = slots.iter().enumerate().map(|(at, &slot)| (buffer + at as u32, slot, 1)).collect();
            self.push_moves(&pairs);
            if s.has("async") {
                let barrier = s.operands.get(2).ok_or_else(|| line.error("no mbarrier"))?;
                let barrier = self.asm_address(asm, barrier)?;
                self.push(Op::StoreAsync { access, barrier }, &[(buffer, n), (address, 1), (barrier, 1)], &[]);
            } else {
                self.push(Op::Store(access), &[(buffer, n), (address, 1)], &[]);
            }
        } else {
            self.push(Op::Load(access), &[(address, 1)], &[(buffer, n)]);
            let pairs: Vec<_> = slots.iter().enumerate().map(|(at, &slot)| (slot, buffer + at as u32, 1)).collect();
            self.push_moves(&pairs);
        }
        self.release(buffer, n);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_fall_into_statements() {
        let wait = "{\\0A.reg .pred P1;\\0ALAB_WAIT:\\0A\
                    mbarrier.try_wait.parity.shared::cta.b64 P1, [$0], $1;\\0A\
                    @P1 bra DONE;\\0Abra LAB_WAIT;\\0ADONE:\\0A}";
        let found = statements(wait);
        let opcodes: Vec<&str> = found.iter().map(|s| s.opcode.as_str()).collect();
        assert_eq!(opcodes, [".reg", "mbarrier.try_wait.parity.shared::cta.b64", "bra", "bra"]);
        assert_eq!(found[1].operands, ["P1", "[$0]", "$1"]);
        let mma = statements("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {$0, $1}, {$2,$3}, $4, 1, 1, 1, 1;");
        assert_eq!(mma[0].operands.len(), 7);
        assert!(mma[0].has("bf16") && !mma[0].has("f16"));
    }
}

//! Lowering: the tree of lines becomes operations on slots.
//!
//! Input: a module's text. Output: a [`Program`]. Slots are given to values in order of definition and taken back after
//! the last use, so that a kernel with thousands of values needs a few hundred slots. Values that only name a part of
//! another share its slots.
//!
//! Limits: an operation that no table knows is an error with its line, never skipped.

mod arith;
pub mod liveness;
mod memory;
mod nvvm;
mod nvvm_copies;
mod ptx;
mod ptx_arith;
mod ptx_matrix;
mod scf;

use std::collections::HashMap;

use crate::errors::{EmulateError, Result};
use crate::inst::{Inst, Move, Op, Slot};
use crate::text::{Function, Line, Region, numbers, read_module};
use crate::types::{Scalar, Type, arrow, parse};
pub use nvvm::registers_of;

use liveness::{Liveness, result_names, shares};

/// What a parameter takes from a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    Buffer { written: bool },
    Map,
    Scalar(Scalar),
}

/// A kernel ready to run.
#[derive(Debug)]
pub struct Program {
    pub name: String,
    pub insts: Vec<Inst>,
    pub slots: u32,
    pub parameters: Vec<(Slot, Parameter)>,
    /// Names of operations, for counts.
    pub kinds: Vec<String>,
    /// Threads of a workgroup, where the text says so.
    pub threads: Option<u32>,
    pub cluster: Option<u32>,
    /// Bytes of shared memory of known size; the dynamic part follows.
    pub static_shared: u32,
    /// Where the dynamic part begins.
    pub dynamic_start: u32,
    /// Smallest ordinary access to shared memory, bytes.
    pub granule: u32,
    pub has_wgmma: bool,
    pub lines: Vec<String>,
}

#[derive(Clone, Debug)]
struct Value {
    slot: Slot,
    ty: Type,
    owned: bool,
}

impl Value {
    /// The element of a scalar or vector.
    fn scalar(&self, line: &Line) -> Result<Scalar> {
        self.ty.element().ok_or_else(|| line.error("an operand of struct type where numbers are needed"))
    }

    fn n(&self) -> u32 {
        self.ty.slots()
    }
}

#[derive(Debug)]
struct Builder {
    insts: Vec<Inst>,
    kinds: Vec<String>,
    kind_ids: HashMap<String, u32>,
    values: HashMap<String, Value>,
    liveness: Liveness,
    free: HashMap<u32, Vec<Slot>>,
    next: Slot,
    serial: u32,
    globals: HashMap<String, (u32, u64)>,
    granule: u32,
    has_wgmma: bool,
    line: u32,
    kind: u32,
}

/// Reads a module and lowers its function.
pub fn program(text: &str) -> Result<Program> {
    let (globals, function) = read_module(text)?;
    let mut builder = Builder {
        insts: Vec::new(),
        kinds: Vec::new(),
        kind_ids: HashMap::new(),
        values: HashMap::new(),
        liveness: Liveness::of(&function.body),
        free: HashMap::new(),
        next: 0,
        serial: 0,
        globals: HashMap::new(),
        granule: 16,
        has_wgmma: text.contains("wgmma"),
        line: 0,
        kind: 0,
    };
    let (static_shared, dynamic_start) = builder.place_globals(&globals)?;
    let parameters = builder.parameters(&function)?;
    builder.region(&function.body)?;
    builder.push(Op::Return, &[], &[]);
    let attribute = |name: &str| {
        let value = crate::text::attribute(&function.attributes, name)?;
        numbers(value.split_once(':').map_or(value, |(_, v)| v)).first().map(|&n| n as u32)
    };
    Ok(Program {
        name: function.name.clone(),
        insts: builder.insts,
        slots: builder.next,
        parameters,
        kinds: builder.kinds,
        threads: attribute("nvvm.reqntid"),
        cluster: attribute("nvvm.cluster_dim"),
        static_shared,
        dynamic_start,
        granule: builder.granule,
        has_wgmma: builder.has_wgmma,
        lines: text.lines().map(|l| l.trim().to_string()).collect(),
    })
}

impl Builder {
    /// Offsets of shared arrays; the bytes of those of known size, and where the one of unknown size starts.
    fn place_globals(&mut self, globals: &[Line]) -> Result<(u32, u32)> {
        let mut end = 0u64;
        let mut dynamic = None;
        for line in globals {
            let name = line.body.split('@').nth(1).and_then(|s| s.split('(').next());
            let name = name.ok_or_else(|| line.error("a global without a name"))?;
            if line.number_of("addr_space") != Some(3) {
                return Err(line.error("a global outside of shared memory"));
            }
            let alignment = line.number_of("alignment").unwrap_or(16).max(1) as u64;
            let bytes = parse(&line.signature)?.bytes();
            if bytes == 0 {
                dynamic = Some((name.to_string(), alignment));
                continue;
            }
            end = end.next_multiple_of(alignment);
            self.globals.insert(name.to_string(), (end as u32, bytes));
            end += bytes;
        }
        let mut start = end.next_multiple_of(16);
        if let Some((name, alignment)) = dynamic {
            start = end.next_multiple_of(alignment.max(16));
            self.globals.insert(name, (start as u32, 0));
        }
        Ok((end as u32, start as u32))
    }

    fn parameters(&mut self, function: &Function) -> Result<Vec<(Slot, Parameter)>> {
        let mut parameters = Vec::new();
        for text in &function.parameters {
            let bad =
                || EmulateError::Text { line: 0, text: text.clone(), why: "a parameter that is not modelled".into() };
            let (name, rest) = text.split_once(':').ok_or_else(bad)?;
            let rest = rest.trim();
            let end = rest.find(" {").unwrap_or(rest.len());
            let ty = parse(&rest[..end])?;
            let kind = match ty.element().ok_or_else(bad)? {
                Scalar::Ptr(0) if rest.contains("llvm.byval") => Parameter::Map,
                Scalar::Ptr(1) => Parameter::Buffer { written: !rest.contains("llvm.readonly") },
                Scalar::Ptr(_) => return Err(bad()),
                scalar => Parameter::Scalar(scalar),
            };
            let slot = self.allocate(1);
            self.values.insert(name.trim().to_string(), Value { slot, ty, owned: false });
            parameters.push((slot, kind));
        }
        Ok(parameters)
    }

    /// Slots for a value of that many registers.
    fn allocate(&mut self, n: u32) -> Slot {
        if let Some(slot) = self.free.get_mut(&n).and_then(Vec::pop) {
            return slot;
        }
        self.next += n;
        self.next - n
    }

    fn release(&mut self, slot: Slot, n: u32) {
        self.free.entry(n).or_default().push(slot);
    }

    /// Appends an operation that reads and writes these slots.
    fn push(&mut self, op: Op, reads: &[(Slot, u32)], writes: &[(Slot, u32)]) {
        let known = self.has_wgmma;
        let list = |slots: &[(Slot, u32)]| if known { slots.into() } else { Box::default() };
        self.insts.push(Inst { op, line: self.line, kind: self.kind, reads: list(reads), writes: list(writes) });
    }

    /// Appends an operation on single slots.
    fn push_simple(&mut self, op: Op, reads: &[Slot], writes: &[Slot]) {
        let one = |slots: &[Slot]| slots.iter().map(|&s| (s, 1)).collect::<Vec<_>>();
        self.push(op, &one(reads), &one(writes));
    }

    fn here(&self) -> u32 {
        self.insts.len() as u32
    }

    /// The value of a name.
    fn value(&self, line: &Line, name: &str) -> Result<Value> {
        let found = self.values.get(name).or_else(|| match name.strip_suffix("#0") {
            Some(stem) => self.values.get(stem),
            None => self.values.get(&format!("{name}#0")),
        });
        found.cloned().ok_or_else(|| line.error(format!("{name} is not defined")))
    }

    /// All operands.
    fn operands(&self, line: &Line) -> Result<Vec<Value>> {
        line.operands().into_iter().map(|name| self.value(line, name)).collect()
    }

    /// Exactly so many operands.
    fn operands_n<const N: usize>(&self, line: &Line) -> Result<[Value; N]> {
        let all = self.operands(line)?;
        let count = all.len();
        all.try_into().map_err(|_| line.error(format!("{count} operands where {N} are known")))
    }

    /// Slots of the line's only result.
    fn result(&mut self, line: &Line, ty: Type) -> Result<Slot> {
        let names = result_names(line);
        let [name] = names.as_slice() else { return Err(line.error("one result expected")) };
        let slot = self.allocate(ty.slots());
        self.values.insert(name.clone(), Value { slot, ty, owned: true });
        Ok(slot)
    }

    /// A scratch slot that nothing else gets until the line ends.
    fn scratch(&mut self, n: u32) -> Slot {
        self.allocate(n)
    }

    /// The result type after the arrow, or the only type there is.
    fn result_type(&self, line: &Line) -> Result<Type> {
        let (before, after) = arrow(&line.signature);
        parse(after.unwrap_or(before)).map_err(|_| line.error("a result type that is not modelled"))
    }

    /// A fresh slot with a constant.
    fn constant_slot(&mut self, bits: u64) -> Slot {
        let to = self.scratch(1);
        self.push_simple(Op::Const { to, bits }, &[], &[to]);
        to
    }

    /// Lowers a region; what its terminator yields, as values.
    fn region(&mut self, region: &Region) -> Result<Vec<Value>> {
        let mut yields = Vec::new();
        for line in &region.lines {
            self.serial += 1;
            let serial = self.serial;
            self.line = line.number;
            self.kind = self.kind_of(&line.name);
            match line.name.as_str() {
                "scf.yield" | "scf.condition" => yields = self.operands(line)?,
                "llvm.return" | "llvm.func" => {}
                _ => self.operation(line)?,
            }
            self.expire(serial);
        }
        Ok(yields)
    }

    fn kind_of(&mut self, name: &str) -> u32 {
        if let Some(&id) = self.kind_ids.get(name) {
            return id;
        }
        let id = self.kinds.len() as u32;
        self.kinds.push(name.to_string());
        self.kind_ids.insert(name.to_string(), id);
        id
    }

    /// Frees what the operation used last.
    fn expire(&mut self, serial: u32) {
        for name in self.liveness.ending(serial) {
            if let Some(value) = self.values.get_mut(&name)
                && value.owned
            {
                value.owned = false;
                let (slot, n) = (value.slot, value.ty.slots());
                self.release(slot, n);
            }
        }
    }

    fn operation(&mut self, line: &Line) -> Result<()> {
        if let Some(operand) = shares(line) {
            return self.share(line, operand);
        }
        if let Some(rest) = line.name.strip_prefix("scf.") {
            return self.scf(line, rest);
        }
        let known = self.arith(line)? || self.memory(line)? || self.nvvm(line)? || self.nvvm_copies(line)?;
        if known { Ok(()) } else { Err(line.error("an operation that is not modelled")) }
    }

    /// A result that names a part of its operand.
    fn share(&mut self, line: &Line, operand: &str) -> Result<()> {
        let base = self.value(line, operand)?;
        let ty = match line.signature.split_once(" to ") {
            Some((_, to)) => parse(to)?,
            None if line.name == "vector.extract" => {
                parse(line.signature.split(" from ").next().unwrap_or_default()).map_err(|_| line.error("type"))?
            }
            None => {
                let at = self.path(line)?.first().copied().unwrap_or(0) as usize;
                match &base.ty {
                    Type::Struct(members) => members.get(at).cloned(),
                    Type::Array(_, of) => Some((**of).clone()),
                    _ => None,
                }
                .ok_or_else(|| line.error("no such member"))?
            }
        };
        let mut slot = base.slot;
        if line.name != "arith.bitcast" && line.name != "llvm.bitcast" {
            let path = self.path(line)?;
            let at = *path.first().ok_or_else(|| line.error("no position"))? as usize;
            slot += match &base.ty {
                Type::Struct(members) => members.iter().take(at).map(Type::slots).sum(),
                Type::Vector(n, _) if at < *n as usize => at as u32,
                Type::Array(_, of) => at as u32 * of.slots(),
                _ => return Err(line.error("no such member")),
            };
        }
        let names = result_names(line);
        let name = names.first().ok_or_else(|| line.error("no result"))?;
        self.values.insert(name.clone(), Value { slot, ty, owned: false });
        Ok(())
    }

    /// Positions in brackets behind the operand, or the `position` attribute.
    fn path(&self, line: &Line) -> Result<Vec<i64>> {
        if let Some(text) = line.attribute("position").or_else(|| line.attribute("static_position")) {
            return Ok(numbers(text.split_once(':').map_or(text, |(_, v)| v)));
        }
        let text = crate::text::inside(&line.body, '[').ok_or_else(|| line.error("no position"))?;
        Ok(numbers(text))
    }

    /// Copies, for active lanes; overlap where a source is another's destination.
    fn moves(pairs: &[(Slot, Slot, u32)]) -> (Box<[Move]>, bool) {
        let moves: Vec<Move> = pairs
            .iter()
            .filter(|(to, from, n)| to != from && *n > 0)
            .map(|&(to, from, n)| Move { to, from, n })
            .collect();
        let touches = |a: Slot, an: u32, b: Slot, bn: u32| a < b + bn && b < a + an;
        let overlap = moves.iter().enumerate().any(|(i, x)| {
            moves.iter().enumerate().any(|(j, y)| i != j && touches(x.to, x.n, y.from, y.n))
                || touches(x.to, x.n, x.from, x.n)
        });
        (moves.into_boxed_slice(), overlap)
    }

    fn push_moves(&mut self, pairs: &[(Slot, Slot, u32)]) {
        let (moves, overlap) = Self::moves(pairs);
        if !moves.is_empty() {
            self.push(Op::Move { moves, overlap }, &[], &[]);
        }
    }
}

//! Structured control flow, flattened.

use super::{Builder, Value};
use crate::errors::Result;
use crate::inst::{Op, Slot};
use crate::lower::liveness::{inner_names, result_names};
use crate::text::{Line, inside};
use crate::types::{Scalar, Type, parse, parse_list};

impl Builder {
    pub(super) fn scf(&mut self, line: &Line, name: &str) -> Result<()> {
        match name {
            "if" => self.scf_if(line),
            "for" => self.scf_for(line),
            "while" => self.scf_while(line),
            _ => Err(line.error("control flow that is not modelled")),
        }
    }

    /// Slots for the results, of these types.
    fn results(&mut self, line: &Line, types: &[Type]) -> Result<Vec<Value>> {
        let names = result_names(line);
        if names.len() != types.len() {
            return Err(line.error(format!("{} results of {} types", names.len(), types.len())));
        }
        let mut made = Vec::new();
        for (name, ty) in names.into_iter().zip(types) {
            let value = Value { slot: self.allocate(ty.slots()), ty: ty.clone(), owned: true };
            self.values.insert(name, value.clone());
            made.push(value);
        }
        Ok(made)
    }

    fn pairs(&self, line: &Line, to: &[Value], from: &[Value]) -> Result<Vec<(Slot, Slot, u32)>> {
        if to.len() != from.len() || to.iter().zip(from).any(|(t, f)| t.n() != f.n()) {
            return Err(line.error("a region yields other values than its operation has results"));
        }
        Ok(to.iter().zip(from).map(|(t, f)| (t.slot, f.slot, t.n())).collect())
    }

    fn scf_if(&mut self, line: &Line) -> Result<()> {
        let operands = self.operands(line)?;
        let condition = operands.first().ok_or_else(|| line.error("no condition"))?.slot;
        let types = match line.body.split_once("->") {
            Some((_, list)) => parse_list(list)?,
            None => Vec::new(),
        };
        let results = self.results(line, &types)?;
        let (number, kind) = (self.line, self.kind);
        let start = self.here();
        self.push(Op::If { condition, otherwise: 0, end: 0 }, &[(condition, 1)], &[]);
        let mut otherwise = None;
        let mut elses = None;
        for (at, region) in line.regions.iter().enumerate() {
            if at == 1 {
                elses = Some(self.here());
                self.push(Op::Else { end: 0 }, &[], &[]);
                otherwise = Some(self.here());
            }
            let yields = self.region(region)?;
            (self.line, self.kind) = (number, kind);
            let pairs = self.pairs(line, &results, &yields)?;
            self.push_moves(&pairs);
        }
        let end = self.here();
        self.push(Op::EndIf, &[], &[]);
        self.insts[start as usize].op = Op::If { condition, otherwise: otherwise.unwrap_or(end), end };
        if let Some(at) = elses {
            self.insts[at as usize].op = Op::Else { end };
        }
        Ok(())
    }

    fn scf_for(&mut self, line: &Line) -> Result<()> {
        let names = line.operands();
        if names.len() < 4 || !names.len().is_multiple_of(2) || line.regions.len() != 1 {
            return Err(line.error("a loop that is not understood"));
        }
        let bounds: Vec<Value> = names[1..4].iter().map(|n| self.value(line, n)).collect::<Result<_>>()?;
        let inits: Vec<Value> =
            names[4..].iter().skip(1).step_by(2).map(|n| self.value(line, n)).collect::<Result<_>>()?;
        let ty = if line.signature.is_empty() { Type::Scalar(Scalar::Int(64)) } else { parse(&line.signature)? };
        let bits = ty.element().map_or(64, Scalar::bits) as u8;
        let types: Vec<Type> = inits.iter().map(|v| v.ty.clone()).collect();
        let results = self.results(line, &types)?;
        let iv = Value { slot: self.allocate(1), ty, owned: false };
        self.values.insert(names[0].to_string(), iv.clone());
        for (name, value) in inner_names(line).into_iter().skip(1).zip(&results) {
            self.values.insert(name.to_string(), Value { owned: false, ..value.clone() });
        }
        let (number, kind) = (self.line, self.kind);
        let (low, high, step) = (bounds[0].slot, bounds[1].slot, bounds[2].slot);
        let (moves, _) = Self::moves(&self.pairs(line, &results, &inits)?);
        let start = self.here();
        self.push(Op::Nothing, &[(low, 1), (high, 1)], &[(iv.slot, 1)]);
        let yields = self.region(&line.regions[0])?;
        (self.line, self.kind) = (number, kind);
        let (next, overlap) = Self::moves(&self.pairs(line, &results, &yields)?);
        let body = start + 1;
        self.push(
            Op::ForNext { iv: iv.slot, step, high, bits, body, moves: next, overlap },
            &[(step, 1), (high, 1)],
            &[(iv.slot, 1)],
        );
        let end = self.here();
        self.insts[start as usize].op = Op::For { iv: iv.slot, low, high, bits, end, moves };
        self.release(iv.slot, 1);
        Ok(())
    }

    fn scf_while(&mut self, line: &Line) -> Result<()> {
        let [before, after] = line.regions.as_slice() else { return Err(line.error("a loop of two regions expected")) };
        let names = line.operands();
        let inits: Vec<Value> = names.iter().skip(1).step_by(2).map(|n| self.value(line, n)).collect::<Result<_>>()?;
        let result_types = parse_list(crate::types::arrow(&line.signature).1.unwrap_or("()"))?;
        let results = self.results(line, &result_types)?;
        let mut carried = Vec::new();
        for (name, init) in inner_names(line).into_iter().zip(&inits) {
            let value = Value { slot: self.allocate(init.n()), ty: init.ty.clone(), owned: false };
            self.values.insert(name.to_string(), value.clone());
            carried.push(value);
        }
        let mut arguments = Vec::new();
        for (name, ty) in after.arguments.iter().zip(&result_types) {
            let value = Value { slot: self.allocate(ty.slots()), ty: ty.clone(), owned: false };
            self.values.insert(name.clone(), value.clone());
            arguments.push(value);
        }
        let (number, kind) = (self.line, self.kind);
        let (moves, _) = Self::moves(&self.pairs(line, &carried, &inits)?);
        self.push(Op::While { moves }, &[], &[]);
        let head = self.here();
        let mut passed = self.region(before)?;
        (self.line, self.kind) = (number, kind);
        let last = before.lines.last().filter(|l| l.name == "scf.condition" && inside(&l.body, '(').is_some());
        if last.is_none() || passed.is_empty() {
            return Err(line.error("a loop without scf.condition"));
        }
        let condition = passed.remove(0).slot;
        let (leave, _) = Self::moves(&self.pairs(line, &results, &passed)?);
        let stay = if arguments.is_empty() { Vec::new() } else { self.pairs(line, &arguments, &passed)? };
        let (stay, _) = Self::moves(&stay);
        let test = self.here();
        self.push(Op::Nothing, &[(condition, 1)], &[]);
        let yields = self.region(after)?;
        (self.line, self.kind) = (number, kind);
        let (moves, overlap) = Self::moves(&self.pairs(line, &carried, &yields)?);
        self.push(Op::WhileNext { head, moves, overlap }, &[], &[]);
        let end = self.here();
        self.insts[test as usize].op = Op::Condition { condition, leave, stay, end };
        for value in carried.iter().chain(&arguments) {
            self.release(value.slot, value.n());
        }
        Ok(())
    }
}

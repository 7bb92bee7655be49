//! `shape_assertion` custom calls: conditions on sizes, which the host checks before a run, and names of sizes.
//!
//! `shape_assertion(arg0_0 >= 1, arg0_0)` with the message "… Obtained dimension variables: 'b' = {0} from
//! specification …" is the check `1 <= arg0_0`; from then on arg0_0 is at least 1 and called `b`.
//!
//! A condition on data is a number that the host reads, 1 where it does not hold, with the check that it is 0. So is
//! every condition in a branch or a loop, which says nothing of the sizes outside: one in a branch is computed before
//! it, 0 where the branch is not taken; one in a loop is read every round. Limits: in a branch within a loop, or around
//! one, only what does not depend on the loop.

use fornax_graph::{Dim, DimCheck, DimDef, DimRelation, ElementType, NewOp, OpId, OpKind, Type, ValueId};

use super::Resolver;
use crate::errors::PassError;

impl Resolver<'_> {
    pub fn assertion(&mut self, id: OpId) -> Result<(), PassError> {
        let op = self.graph.op(id).clone();
        let Some(&condition) = op.operands.first() else {
            return Err(PassError::malformed(self.graph, id, "it asserts nothing"));
        };
        let in_entry = op.block == self.entry;
        let mut parts = Vec::new();
        for &operand in &op.operands[1..] {
            parts.push(if in_entry { self.scalar(operand) } else { self.known_scalar(operand) });
        }
        let text = op.attrs.str("error_message").unwrap_or("the sizes do not fit").to_owned();
        if !in_entry {
            let message = self.filled(&text, &parts);
            return self.watch(id, condition, message);
        }
        self.name_sizes(&text, &parts);
        let message = self.filled(&text, &parts);
        self.assume(id, condition, message)
    }

    /// The only element of a tensor, without making a symbol of it.
    fn known_scalar(&mut self, value: ValueId) -> Option<Dim> {
        match self.known_contents(value)?.as_slice() {
            [one] => Some(*one),
            _ => None,
        }
    }

    /// The host reads whether the condition fails, and checks that it does not.
    fn watch(&mut self, id: OpId, condition: ValueId, message: String) -> Result<(), PassError> {
        if self.known_scalar(condition) == Some(Dim::Static(1)) {
            return Ok(());
        }
        let failed = match self.failures.get(&id) {
            Some(&known) => known,
            None => self.failure(id, condition)?,
        };
        self.failures.insert(id, failed);
        let place = if self.loop_around(failed).is_some() { Some(failed) } else { self.hoisted(failed) };
        let Some(read) = place else { return Err(self.unknown(id, "the asserted condition")) };
        let symbol = self.graph.value_dim(read, &format!("failed{}", read.0), (0, 1));
        let (a, b, location) = (symbol, Dim::Static(0), self.graph.op(id).location);
        let message = format!("{message}: what the model asserts is false");
        self.graph.add_dim_check(DimCheck { condition: DimRelation::Equal, a, b, message, location });
        Ok(())
    }

    /// 1 where a condition does not hold, else 0; in front of the assertion.
    fn failure(&mut self, id: OpId, condition: ValueId) -> Result<ValueId, PassError> {
        let (block, location) = (self.graph.op(id).block, self.graph.op(id).location);
        if self.graph.ty(condition).as_tensor().is_none_or(|ty| ty.element != ElementType::I1 || ty.rank() != 0) {
            return Err(PassError::malformed(self.graph, id, "its condition is no single truth value"));
        }
        let at = self.graph.block(block).ops.iter().position(|&op| op == id).unwrap_or(0);
        let truth = |element| vec![Type::tensor(&[], element)];
        let not = NewOp::new(OpKind::Not, vec![condition], truth(ElementType::I1), location);
        let not = self.graph.insert_op(block, at, not);
        let operands = self.graph.op(not).results.clone();
        let number = NewOp::new(OpKind::Convert, operands, truth(ElementType::I32), location);
        let number = self.graph.insert_op(block, at + 1, number);
        Ok(self.graph.op(number).results[0])
    }

    /// The condition as a check and as facts.
    fn assume(&mut self, id: OpId, condition: ValueId, message: String) -> Result<(), PassError> {
        let location = self.graph.op(id).location;
        let comparison = self.graph.producer(condition).filter(|&op| self.graph.op(op).kind == OpKind::Compare);
        let sides = comparison.and_then(|op| {
            let direction = self.graph.op(op).attrs.keyword("comparison_direction")?.to_owned();
            let &[a, b] = &self.graph.op(op).operands[..] else { return None };
            Some((direction, self.scalar(a)?, self.scalar(b)?))
        });
        let Some((direction, a, b)) = sides else {
            return match self.scalar(condition) {
                Some(Dim::Static(1)) => Ok(()),
                Some(truth) => self.equate(id, truth, Dim::Static(1), message).map(drop),
                None => self.watch(id, condition, message),
            };
        };
        let (low, high) = match direction.as_str() {
            "EQ" if a == b => return Ok(()),
            "EQ" => return self.equate(id, a, b, message).map(drop),
            "NE" => {
                self.graph.add_dim_check(DimCheck { condition: DimRelation::NotEqual, a, b, message, location });
                return Ok(());
            }
            "GE" => (b, a),
            "LE" => (a, b),
            "GT" => (self.graph.dim_add(b, Dim::Static(1)), a),
            _ => (self.graph.dim_add(a, Dim::Static(1)), b),
        };
        self.graph.add_dim_check(DimCheck { condition: DimRelation::LessEqual, a: low, b: high, message, location });
        self.narrow(low, high);
        Ok(())
    }

    /// `low <= high` as a bound of the symbol, where there is only one.
    pub fn narrow(&mut self, low: Dim, high: Dim) {
        let room = self.graph.dim_sub(high, low);
        // factor * symbol + offset >= 0
        let Some((symbol, factor, offset)) = self.graph.dim_linear(room) else { return };
        let Some(bound) = offset.checked_neg() else { return };
        if factor > 0 {
            self.graph.narrow_dim(
                symbol,
                bound.div_euclid(factor) + i64::from(bound.rem_euclid(factor) != 0),
                i64::MAX,
            );
        } else if let (Some(factor), true) = (factor.checked_neg(), factor < 0) {
            self.graph.narrow_dim(symbol, i64::MIN, offset.div_euclid(factor));
        }
    }

    /// The message with its sizes' texts for `{0}`, `{1}`, ….
    fn filled(&self, message: &str, parts: &[Option<Dim>]) -> String {
        let mut text = message.to_owned();
        for (at, part) in parts.iter().enumerate() {
            if let Some(dim) = part {
                text = text.replace(&format!("{{{at}}}"), &self.graph.dim_text(*dim));
            }
        }
        text
    }

    /// Symbols take the names that the exporter says: `'b' = {0} from specification`.
    fn name_sizes(&mut self, message: &str, parts: &[Option<Dim>]) {
        let mut pieces: Vec<&str> = message.split(" from specification").collect();
        pieces.pop();
        for piece in pieces {
            let Some((head, number)) = piece.rsplit_once(" = {") else { continue };
            let part = number.strip_suffix('}').and_then(|n| n.parse::<usize>().ok());
            let name = head.strip_suffix('\'').and_then(|h| h.rsplit_once('\'')).map(|(_, name)| name);
            let (Some(name), Some(Some(Some(dim)))) = (name, part.map(|at| parts.get(at).copied())) else { continue };
            let plain = !name.is_empty() && name.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_');
            let Dim::Symbolic(at) = dim else { continue };
            let symbol = matches!(self.graph.dims[at as usize].def, DimDef::Argument { .. } | DimDef::Value { .. });
            if plain && symbol && !name.starts_with(|c: char| c.is_ascii_digit()) {
                self.graph.rename_dim(dim, name);
            }
        }
    }
}

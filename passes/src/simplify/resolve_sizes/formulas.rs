//! Integer ops on sizes as arithmetic of the size table (`fornax_graph::dims`), and the quotients rounded down that
//! exporters write as a division rounded to zero and a selection.

use fornax_graph::{Dim, OpId, OpKind, ValueId};

use super::Resolver;

impl Resolver<'_> {
    /// Element `at` of an op's result from the elements of its operands; an operand of one element serves all.
    pub fn arithmetic(&mut self, id: OpId, held: &[Vec<Dim>], at: usize) -> Option<Dim> {
        let element = |i: usize| {
            let dims: &Vec<Dim> = held.get(i)?;
            if dims.len() == 1 { dims.first().copied() } else { dims.get(at).copied() }
        };
        let kind = self.graph.op(id).kind;
        let x = element(0)?;
        match kind {
            OpKind::Negate => Some(self.graph.dim_sub(Dim::Static(0), x)),
            OpKind::Abs => {
                let less = self.graph.dim_sub(Dim::Static(0), x);
                Some(self.graph.dim_max(x, less))
            }
            OpKind::Sign => {
                let low = self.graph.dim_min(x, Dim::Static(1));
                Some(self.graph.dim_max(low, Dim::Static(-1)))
            }
            OpKind::Not if self.is_truth(id) => Some(self.graph.dim_sub(Dim::Static(1), x)),
            OpKind::And | OpKind::Or | OpKind::Xor if !self.is_truth(id) => None,
            OpKind::Compare => self.compared(id, x, element(1)?),
            OpKind::Clamp => {
                let raised = self.graph.dim_max(element(1)?, x);
                Some(self.graph.dim_min(raised, element(2)?))
            }
            OpKind::Select => self.selected(id, x, element(1)?, element(2)?),
            _ => self.graph.dim_binary(kind, x, element(1)?),
        }
    }

    /// Whether an op works on truth values.
    fn is_truth(&self, id: OpId) -> bool {
        let result = self.graph.op(id).results.first();
        let tensor = result.and_then(|&r| self.graph.ty(r).as_tensor());
        tensor.is_some_and(|t| t.element == fornax_graph::ElementType::I1)
    }

    fn compared(&mut self, id: OpId, x: Dim, y: Dim) -> Option<Dim> {
        let direction = self.graph.op(id).attrs.keyword("comparison_direction")?.to_owned();
        self.graph.dim_compare(&direction, x, y)
    }

    fn selected(&mut self, id: OpId, p: Dim, a: Dim, b: Dim) -> Option<Dim> {
        if matches!(p, Dim::Symbolic(_))
            && a != b
            && let Some(floored) = self.floored(id)
        {
            return Some(floored);
        }
        Some(self.graph.dim_select(p, a, b))
    }

    /// `select(rounded to zero and of other signs, q - 1, q)` of q = x / y is the quotient rounded down;
    /// `select(r is not 0 and not of y's sign, r + y, r)` of r = x rem y is x mod y. Both for y > 0.
    fn floored(&mut self, id: OpId) -> Option<Dim> {
        let &[condition, corrected, plain] = &self.graph.op(id).operands[..] else { return None };
        let division = self.graph.producer(plain)?;
        let kind = self.graph.op(division).kind;
        let &[x, y] = &self.graph.op(division).operands[..] else { return None };
        let correction = self.graph.producer(corrected)?;
        let &[from, by] = &self.graph.op(correction).operands[..] else { return None };
        let remainder = |v: ValueId| match kind {
            OpKind::Remainder => v == plain,
            _ => self.is_made(v, OpKind::Remainder, &[x, y]),
        };
        let known = match (kind, self.graph.op(correction).kind) {
            (OpKind::Divide, OpKind::Subtract) => from == plain && self.splat(by) == Some(1),
            (OpKind::Remainder, OpKind::Add) => from == plain && by == y,
            _ => false,
        };
        let both = self.graph.producer(condition).filter(|&op| self.graph.op(op).kind == OpKind::And)?;
        let mut parts = self.graph.op(both).operands.iter().filter_map(|&v| self.compared_operands(v, "NE"));
        let (first, second) = (parts.next()?, parts.next()?);
        let is_rest = |(a, b): (ValueId, ValueId)| remainder(a) && self.splat(b) == Some(0);
        let signs = |(a, b): (ValueId, ValueId)| match kind {
            OpKind::Divide => self.is_made(a, OpKind::Sign, &[x]) && self.is_made(b, OpKind::Sign, &[y]),
            _ => self.is_negative(a, plain) && self.is_negative(b, y),
        };
        if !known || !(is_rest(first) && signs(second) || is_rest(second) && signs(first)) {
            return None;
        }
        let (x, y) = (self.scalar(x)?, self.scalar(y)?);
        if self.graph.dim_bounds(y).0 <= 0 {
            return None;
        }
        Some(if kind == OpKind::Divide { self.graph.dim_floor_div(x, y) } else { self.graph.dim_mod(x, y) })
    }

    fn is_made(&self, value: ValueId, kind: OpKind, operands: &[ValueId]) -> bool {
        self.graph
            .producer(value)
            .is_some_and(|op| self.graph.op(op).kind == kind && self.graph.op(op).operands == operands)
    }

    /// The operands of a comparison in the given direction.
    fn compared_operands(&self, value: ValueId, direction: &str) -> Option<(ValueId, ValueId)> {
        let op = self.graph.op(self.graph.producer(value)?);
        match (op.kind, op.attrs.keyword("comparison_direction"), &op.operands[..]) {
            (OpKind::Compare, Some(found), &[a, b]) if found == direction => Some((a, b)),
            _ => None,
        }
    }

    /// `value` is `of < 0`.
    fn is_negative(&self, value: ValueId, of: ValueId) -> bool {
        self.compared_operands(value, "LT").is_some_and(|(a, b)| a == of && self.splat(b) == Some(0))
    }

    fn splat(&self, value: ValueId) -> Option<i128> {
        super::super::constants::splat_of(self.graph, value).map(|s| s.as_int())
    }
}

//! Integer ops on sizes as arithmetic of the size table.
//!
//! Comparisons are 0 or 1: `a < b` is `min(max(b - a, 0), 1)`; `select(p, a, b)` is `b + p * (a - b)`. Division rounds to
//! zero: for a dividend of any sign and a positive divisor `max(floor(x/y), 0) + min(ceil(x/y), 0)`; the bounds usually
//! leave one part. Division by what may be 0 or negative has no formula.

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
            _ => self.binary(kind, x, element(1)?),
        }
    }

    /// Whether an op works on truth values.
    fn is_truth(&self, id: OpId) -> bool {
        let result = self.graph.op(id).results.first();
        let tensor = result.and_then(|&r| self.graph.ty(r).as_tensor());
        tensor.is_some_and(|t| t.element == fornax_graph::ElementType::I1)
    }

    pub fn binary(&mut self, kind: OpKind, x: Dim, y: Dim) -> Option<Dim> {
        Some(match kind {
            OpKind::Add => self.graph.dim_add(x, y),
            OpKind::Subtract => self.graph.dim_sub(x, y),
            OpKind::Multiply => self.graph.dim_mul(x, y),
            OpKind::Minimum | OpKind::And => self.graph.dim_min(x, y),
            OpKind::Maximum | OpKind::Or => self.graph.dim_max(x, y),
            OpKind::Xor => self.differ(x, y),
            OpKind::Divide => self.divided(x, y)?,
            OpKind::Remainder => {
                if self.graph.dim_bounds(x).0 >= 0 && self.graph.dim_bounds(y).0 > 0 {
                    return Some(self.graph.dim_mod(x, y));
                }
                let quotient = self.divided(x, y)?;
                let whole = self.graph.dim_mul(quotient, y);
                self.graph.dim_sub(x, whole)
            }
            _ => return None,
        })
    }

    /// Division that rounds to zero.
    pub fn divided(&mut self, x: Dim, y: Dim) -> Option<Dim> {
        if let Dim::Static(by) = y
            && by < 0
        {
            let less = self.graph.dim_sub(Dim::Static(0), x);
            return self.divided(less, Dim::Static(by.checked_neg()?));
        }
        if self.graph.dim_bounds(y).0 <= 0 {
            return None;
        }
        let (min, max) = self.graph.dim_bounds(x);
        if min >= 0 {
            return Some(self.graph.dim_floor_div(x, y));
        }
        if max <= 0 {
            return Some(self.graph.dim_ceil_div(x, y));
        }
        let (down, up) = (self.graph.dim_floor_div(x, y), self.graph.dim_ceil_div(x, y));
        let (down, up) = (self.graph.dim_max(down, Dim::Static(0)), self.graph.dim_min(up, Dim::Static(0)));
        Some(self.graph.dim_add(down, up))
    }

    /// 1 where the sizes differ.
    fn differ(&mut self, x: Dim, y: Dim) -> Dim {
        let (more, less) = (self.graph.dim_sub(x, y), self.graph.dim_sub(y, x));
        let distance = self.graph.dim_max(more, less);
        self.graph.dim_min(distance, Dim::Static(1))
    }

    /// 1 where the size is positive.
    fn positive(&mut self, x: Dim) -> Dim {
        let raised = self.graph.dim_max(x, Dim::Static(0));
        self.graph.dim_min(raised, Dim::Static(1))
    }

    fn compared(&mut self, id: OpId, x: Dim, y: Dim) -> Option<Dim> {
        let direction = self.graph.op(id).attrs.keyword("comparison_direction")?.to_owned();
        Some(match direction.as_str() {
            "NE" => self.differ(x, y),
            "EQ" => {
                let differ = self.differ(x, y);
                self.graph.dim_sub(Dim::Static(1), differ)
            }
            "LT" | "GT" => {
                let room = if direction == "LT" { self.graph.dim_sub(y, x) } else { self.graph.dim_sub(x, y) };
                self.positive(room)
            }
            "LE" | "GE" => {
                let room = if direction == "LE" { self.graph.dim_sub(y, x) } else { self.graph.dim_sub(x, y) };
                let room = self.graph.dim_add(room, Dim::Static(1));
                self.positive(room)
            }
            _ => return None,
        })
    }

    fn selected(&mut self, id: OpId, p: Dim, a: Dim, b: Dim) -> Option<Dim> {
        match p {
            Dim::Static(0) => return Some(b),
            Dim::Static(_) => return Some(a),
            Dim::Symbolic(_) if a == b => return Some(a),
            Dim::Symbolic(_) => {}
        }
        if let Some(floored) = self.floored(id) {
            return Some(floored);
        }
        let more = self.graph.dim_sub(a, b);
        let part = self.graph.dim_mul(p, more);
        Some(self.graph.dim_add(b, part))
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
        self.graph.producer(value).is_some_and(|op| self.graph.op(op).kind == kind && self.graph.op(op).operands == operands)
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

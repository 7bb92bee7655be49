//! Integer ops on sizes as arithmetic of the size table.
//!
//! Comparisons are 0 or 1: `a < b` is `min(max(b - a, 0), 1)`; `select(p, a, b)` is `b + p * (a - b)`. Division rounds
//! to zero: for a dividend of any sign and a positive divisor `max(floor(x/y), 0) + min(ceil(x/y), 0)`; the bounds
//! usually leave one part. Division by what may be 0 or negative has no formula.

use crate::graph::Graph;
use crate::op::OpKind;
use crate::types::Dim;

impl Graph {
    /// An op of two integers (of truth values, 0 and 1); `None` where there is no formula.
    pub fn dim_binary(&mut self, kind: OpKind, x: Dim, y: Dim) -> Option<Dim> {
        Some(match kind {
            OpKind::Add => self.dim_add(x, y),
            OpKind::Subtract => self.dim_sub(x, y),
            OpKind::Multiply => self.dim_mul(x, y),
            OpKind::Minimum | OpKind::And => self.dim_min(x, y),
            OpKind::Maximum | OpKind::Or => self.dim_max(x, y),
            OpKind::Xor => self.dim_differ(x, y),
            OpKind::Divide => self.dim_divide(x, y)?,
            OpKind::Remainder => {
                if self.dim_bounds(x).0 >= 0 && self.dim_bounds(y).0 > 0 {
                    return Some(self.dim_mod(x, y));
                }
                let quotient = self.dim_divide(x, y)?;
                let whole = self.dim_mul(quotient, y);
                self.dim_sub(x, whole)
            }
            _ => return None,
        })
    }

    /// Division that rounds to zero; `None` by what may be 0 or negative.
    pub fn dim_divide(&mut self, x: Dim, y: Dim) -> Option<Dim> {
        if let Dim::Static(by) = y
            && by < 0
        {
            let less = self.dim_sub(Dim::Static(0), x);
            return self.dim_divide(less, Dim::Static(by.checked_neg()?));
        }
        if self.dim_bounds(y).0 <= 0 {
            return None;
        }
        let (min, max) = self.dim_bounds(x);
        if min >= 0 {
            return Some(self.dim_floor_div(x, y));
        }
        if max <= 0 {
            return Some(self.dim_ceil_div(x, y));
        }
        let (down, up) = (self.dim_floor_div(x, y), self.dim_ceil_div(x, y));
        let (down, up) = (self.dim_max(down, Dim::Static(0)), self.dim_min(up, Dim::Static(0)));
        Some(self.dim_add(down, up))
    }

    /// 1 where the sizes differ.
    fn dim_differ(&mut self, x: Dim, y: Dim) -> Dim {
        let (more, less) = (self.dim_sub(x, y), self.dim_sub(y, x));
        let distance = self.dim_max(more, less);
        self.dim_min(distance, Dim::Static(1))
    }

    /// 1 where the size is positive.
    fn dim_positive(&mut self, x: Dim) -> Dim {
        let raised = self.dim_max(x, Dim::Static(0));
        self.dim_min(raised, Dim::Static(1))
    }

    /// 1 where the comparison (`EQ`, `NE`, `LT`, `LE`, `GT`, `GE`) holds; `None` for another direction.
    pub fn dim_compare(&mut self, direction: &str, x: Dim, y: Dim) -> Option<Dim> {
        Some(match direction {
            "NE" => self.dim_differ(x, y),
            "EQ" => {
                let differ = self.dim_differ(x, y);
                self.dim_sub(Dim::Static(1), differ)
            }
            "LT" | "GT" => {
                let room = if direction == "LT" { self.dim_sub(y, x) } else { self.dim_sub(x, y) };
                self.dim_positive(room)
            }
            "LE" | "GE" => {
                let room = if direction == "LE" { self.dim_sub(y, x) } else { self.dim_sub(x, y) };
                let room = self.dim_add(room, Dim::Static(1));
                self.dim_positive(room)
            }
            _ => return None,
        })
    }

    /// `a` where `p` is 1, `b` where it is 0.
    pub fn dim_select(&mut self, p: Dim, a: Dim, b: Dim) -> Dim {
        match p {
            Dim::Static(0) => return b,
            Dim::Static(_) => return a,
            Dim::Symbolic(_) if a == b => return a,
            Dim::Symbolic(_) => {}
        }
        let more = self.dim_sub(a, b);
        let part = self.dim_mul(p, more);
        self.dim_add(b, part)
    }
}

//! Evaluation of size expressions: checked i64, operands earlier than their user, so no recursion.
//!
//! Sizes are not negative, but what they are made of may be: `max(n − 3, 0)` with n = 2 is max(−1, 0) = 0.

use crate::errors::ModuleError;
use crate::program::{ExprId, Program, SizeExpr};

/// Value of one size expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SizeValue {
    Known(i64),
    /// Needs this size slot, which has no value yet.
    Unset(u32),
    /// This expression (perhaps an operand's operand) overflows, divides by zero or refers to no earlier one.
    Failed(ExprId),
}

impl SizeValue {
    /// The value, if known and not negative.
    pub fn known(self) -> Option<u64> {
        if let Self::Known(value) = self { u64::try_from(value).ok() } else { None }
    }
}

impl Program {
    /// Evaluates every expression with all size slots of a call known.
    ///
    /// # Errors
    /// FX0613 if any expression cannot be evaluated; where several functions share the table, use
    /// [`Program::evaluate_known`] and ask only for what is used.
    pub fn evaluate(&self, slots: &[i64]) -> Result<Vec<u64>, ModuleError> {
        let slots: Vec<_> = slots.iter().map(|s| Some(*s)).collect();
        let values = self.evaluate_known(&slots);
        (0..values.len()).map(|i| size(&values, i as ExprId)).collect()
    }

    /// Evaluates every expression as far as the slots are known. Slots after the end are unknown.
    pub fn evaluate_known(&self, slots: &[Option<i64>]) -> Vec<SizeValue> {
        let mut values: Vec<SizeValue> = Vec::with_capacity(self.exprs.len());
        for (at, expr) in self.exprs.iter().enumerate() {
            let failed = SizeValue::Failed(at as ExprId);
            let apply = |a: ExprId, b: ExprId, op: fn(i64, i64) -> Option<i64>| {
                use SizeValue::{Failed, Known, Unset};
                match (
                    values.get(a as usize).copied().unwrap_or(failed),
                    values.get(b as usize).copied().unwrap_or(failed),
                ) {
                    (Known(a), Known(b)) => op(a, b).map_or(failed, Known),
                    (Failed(e), _) | (_, Failed(e)) => Failed(e),
                    (Unset(s), _) | (_, Unset(s)) => Unset(s),
                }
            };
            let value = match *expr {
                SizeExpr::Const(value) => SizeValue::Known(value as i64),
                SizeExpr::Slot(slot) => {
                    slots.get(slot as usize).copied().flatten().map_or(SizeValue::Unset(slot), SizeValue::Known)
                }
                SizeExpr::Add(a, b) => apply(a, b, i64::checked_add),
                SizeExpr::Sub(a, b) => apply(a, b, i64::checked_sub),
                SizeExpr::Mul(a, b) => apply(a, b, i64::checked_mul),
                SizeExpr::FloorDiv(a, b) => apply(a, b, floor_div),
                SizeExpr::CeilDiv(a, b) => apply(a, b, |a, b| floor_div(a, b.checked_neg()?)?.checked_neg()),
                SizeExpr::Mod(a, b) => apply(a, b, |a, b| a.checked_sub(b.checked_mul(floor_div(a, b)?)?)),
                SizeExpr::Min(a, b) => apply(a, b, |a, b| Some(a.min(b))),
                SizeExpr::Max(a, b) => apply(a, b, |a, b| Some(a.max(b))),
            };
            values.push(value);
        }
        values
    }
}

/// Rounds down; `None` for a division by zero and for an overflow.
fn floor_div(a: i64, b: i64) -> Option<i64> {
    let quotient = a.checked_div(b)?;
    Some(if a % b != 0 && (a < 0) != (b < 0) { quotient - 1 } else { quotient })
}

/// The value of one expression that is a size, or FX0613 with the reason.
pub fn size(values: &[SizeValue], expr: ExprId) -> Result<u64, ModuleError> {
    let value = number(values, expr)?;
    u64::try_from(value).map_err(|_| ModuleError::Size { expr, what: format!("a size is {value}") })
}

/// The value of one expression, which may be negative, or FX0613 with the reason.
pub fn number(values: &[SizeValue], expr: ExprId) -> Result<i64, ModuleError> {
    match values.get(expr as usize) {
        Some(SizeValue::Known(value)) => Ok(*value),
        Some(SizeValue::Unset(slot)) => Err(ModuleError::Size { expr, what: format!("size slot {slot} has no value") }),
        Some(SizeValue::Failed(at)) => {
            Err(ModuleError::Size { expr, what: format!("expression {at} overflows or divides by zero") })
        }
        None => Err(ModuleError::Size { expr, what: "there is no such expression".into() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evaluation_is_checked() {
        let mut p = Program::default();
        let seven = p.constant(7);
        let zero = p.constant(0);
        let n = p.expr(SizeExpr::Slot(0));
        let blocks = p.expr(SizeExpr::CeilDiv(n, seven));
        let bad = p.expr(SizeExpr::Mod(n, zero));
        let after = p.expr(SizeExpr::Add(bad, n));
        let values = p.evaluate_known(&[Some(15)]);
        assert_eq!(size(&values, blocks), Ok(3));
        assert_eq!(values[after as usize], SizeValue::Failed(bad));
        assert_eq!(p.evaluate_known(&[])[blocks as usize], SizeValue::Unset(0));
        assert!(p.evaluate(&[15]).is_err());
    }

    #[test]
    fn forward_references_fail() {
        let p = Program { exprs: vec![SizeExpr::Add(0, 1), SizeExpr::Const(1)], ..Program::default() };
        assert_eq!(p.evaluate_known(&[])[0], SizeValue::Failed(0));
    }
}

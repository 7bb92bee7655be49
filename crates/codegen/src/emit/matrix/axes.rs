//! Loop variables run through as one number, row-major: the outputs of an operand, the batch, the contraction steps.
//!
//! Worked example: the pixels (n < 32, y < 14, x < 14) of a convolution are 6272 rows; row 200 is (1, 0, 4).

use fornax_plan::{Exprs, VarId};

use crate::emit::emitter::{Binding, Emitter};
use crate::emit::text::Value;

/// Variables, outermost first, those of one element left out.
#[derive(Clone, Debug)]
pub struct Axes {
    pub vars: Vec<(VarId, i64)>,
    /// Points.
    pub total: i64,
}

/// Variables with what they are bound to.
pub type Bindings = Vec<(VarId, Binding)>;

impl Axes {
    /// The variables with `inner` as the last one.
    pub fn new(exprs: &Exprs, vars: &[VarId], inner: Option<VarId>) -> Axes {
        let mut vars: Vec<(VarId, i64)> =
            vars.iter().map(|&v| (v, exprs.indices.extent(v))).filter(|v| v.1 != 1).collect();
        if let Some(at) = vars.iter().position(|v| Some(v.0) == inner) {
            let last = vars.remove(at);
            vars.push(last);
        }
        let total = vars.iter().map(|v| v.1).product();
        Axes { vars, total }
    }

    /// Elements of the last variable.
    pub fn inner_extent(&self) -> i64 {
        self.vars.last().map_or(1, |v| v.1)
    }

    /// Binds the variables at point `at`, a multiple of `multiple` as far as the last variable goes; with `lanes` that one
    /// runs through the present lanes.
    pub fn bind(&self, e: &mut Emitter<'_>, at: Value, multiple: i64, lanes: bool) {
        let mut rest = at;
        for (position, &(var, extent)) in self.vars.iter().enumerate().rev() {
            let value = if position == 0 { rest } else { e.next_digit(&mut rest, extent) };
            let last = position + 1 == self.vars.len();
            if last && lanes {
                e.bind_lanes(var, Some(value), multiple, 0);
            } else {
                e.bind(var, Some(value), if last { multiple } else { 1 }, 0);
            }
        }
    }

    /// What the variables are bound to now.
    pub fn bindings(&self, e: &Emitter<'_>) -> Bindings {
        self.vars.iter().filter_map(|&(var, _)| Some((var, e.binding(var)?))).collect()
    }
}

/// Binds variables as they were.
pub fn rebind(e: &mut Emitter<'_>, bindings: &Bindings) {
    for &(var, binding) in bindings {
        e.rebind(var, binding);
    }
}

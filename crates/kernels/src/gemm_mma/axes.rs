//! Loop variables run through as one number, row-major: the outputs of an operand, the batch, the contraction steps.
//!
//! Worked example: the pixels (n < 32, y < 14, x < 14) of a convolution are 6272 rows; row 200 is (1, 0, 4).

use fornax_plan::{Exprs, IndexId, VarId};

use fornax_emit::emitter::{Binding, Emitter};
use fornax_emit::errors::EmitError;
use fornax_emit::text::Value;

/// Elements that divide an extent known only at run time are looked for up to here.
const ALIGNMENT_MAX: i64 = 64;

/// Variables, outermost first, those of one element left out.
#[derive(Clone, Debug)]
pub struct Axes {
    pub vars: Vec<(VarId, i64)>,
    /// Points; where the outermost extent is known only at run time, those of the others.
    pub total: i64,
    /// The outermost extent, where it is a size expression, and a number that divides it.
    sized: Option<(IndexId, i64)>,
}

/// Variables with what they are bound to.
pub type Bindings = Vec<(VarId, Binding)>;

impl Axes {
    /// The variables with `inner` as the last one.
    pub fn new(exprs: &Exprs, vars: &[VarId], inner: Option<VarId>) -> Axes {
        let sized = |v: &VarId| exprs.indices.run_extent(*v);
        let outermost = vars.first().and_then(sized);
        let mut vars: Vec<(VarId, i64)> =
            vars.iter().map(|&v| (v, exprs.indices.extent(v))).filter(|v| v.1 != 1).collect();
        if let Some(extent) = outermost {
            // Only the outermost is never divided by.
            let total = vars.iter().skip(1).map(|v| v.1).product();
            return Axes { vars, total, sized: Some((extent, exprs.indices.alignment(extent, ALIGNMENT_MAX))) };
        }
        if let Some(at) = vars.iter().position(|v| Some(v.0) == inner) {
            let last = vars.remove(at);
            vars.push(last);
        }
        Axes::of(vars)
    }

    /// These variables in this order.
    pub fn of(vars: Vec<(VarId, i64)>) -> Axes {
        let total = vars.iter().map(|v| v.1).product();
        Axes { vars, total, sized: None }
    }

    /// Elements of the last variable; where that is known only at run time, a number that divides them.
    pub fn inner_extent(&self) -> i64 {
        match self.sized {
            Some((_, divisor)) if self.vars.len() == 1 => divisor,
            _ => self.vars.last().map_or(1, |v| v.1),
        }
    }

    /// Whether tiles of `size` points leave nothing over.
    pub fn divides(&self, size: i64) -> bool {
        match self.sized {
            Some((_, divisor)) => (divisor * self.total) % size == 0,
            None => self.total % size == 0,
        }
    }

    /// The number of points.
    pub fn points(&self, e: &mut Emitter<'_>) -> Result<Value, EmitError> {
        let Some((extent, _)) = self.sized else { return Ok(e.code.int(e.index_ty(), self.total)) };
        let extent = e.index(extent)?;
        let extent = e.index_scalar(extent);
        Ok(if self.total == 1 { extent } else { e.code.int_k("arith.muli", extent, self.total) })
    }

    /// Tiles of `size` points.
    pub fn tiles(&self, e: &mut Emitter<'_>, size: i64) -> Result<Value, EmitError> {
        if self.sized.is_none() {
            return Ok(e.code.int(e.index_ty(), (self.total + size - 1) / size));
        }
        let points = self.points(e)?;
        let rounded = e.code.add_ik(points, size - 1);
        Ok(e.code.int_k("arith.divui", rounded, size))
    }

    pub fn is_sized(&self) -> bool {
        self.sized.is_some()
    }

    /// Binds the variables at point `at`, a multiple of `multiple` as far as the last variable goes; with `lanes` that
    /// one runs through the present lanes.
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

//! The largest or smallest element of a row of f32 on a CPU: by the quick fold (`quick_extremum`), and by the exact one
//! where that leaves a doubt.

use fornax_plan::NodeId;

use super::emit::Row;
use super::walk::Walk;
use fornax_emit::blocks::fold::Fold;
use fornax_emit::blocks::quick_extremum::Quick;
use fornax_emit::blocks::reduction_folds::ExtremumFold;
use fornax_emit::emitter::Emitter;
use fornax_emit::errors::EmitError;
use fornax_emit::text::{Ty, Value};

impl Row<'_> {
    /// The accumulators of the exact fold, by the quick one where that leaves no doubt.
    pub(super) fn quick_extremum(
        &self,
        e: &mut Emitter<'_>,
        walk: &Walk,
        (pass, roots): (usize, &[NodeId]),
        (quick, exact): (&Quick, &dyn Fold),
    ) -> Result<Vec<Value>, EmitError> {
        let folded = self.fold_by(e, walk, (pass, roots), quick)?;
        let unordered = e.code.is_nan(folded[1]);
        let zero = e.code.cmp_fk("oeq", folded[0], 0.0);
        let doubt = e.code.or(unordered, zero);
        let sure = ExtremumFold::accumulators(e, folded[0]);
        let types: Vec<Ty> = sure.iter().map(|v| v.ty).collect();
        let results = e.code.begin_if(doubt, &types);
        let again = self.fold_by(e, walk, (pass, roots), exact)?;
        e.code.begin_else(&again);
        e.code.end_if(&sure);
        Ok(results)
    }
}

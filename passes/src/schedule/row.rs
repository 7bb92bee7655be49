//! Several reductions over the same rows, and what stands between and behind them, as a [`Body::Row`].
//!
//! Input: a fusion op that `fuse` marked as a row: all of its heroes are `reduce` ops whose operands have one shape and
//! whose reduced dimensions are the same. Output: loop variables (those that are kept and those of the row), the folds
//! in program order.
//!
//! Worked example, softmax of `[4, 1000]`: kept i0 < 4, row i1 < 1000. The maximum is `Reduced(0)` at index `[i0]`; the
//! exponential at [i0, i1] reads it there, because a broadcast along dimension 0 drops i1; the sum of the exponentials
//! is `Reduced(1)`.

use fornax_graph::views::dim_list;
use fornax_graph::{Graph, OpId};
use fornax_plan::{Body, RowFold};

use super::lower::{Domain, Lowering, Places};
use super::reduction;
use crate::errors::PassError;

/// What `fuse` writes as the hero of such a group.
pub const HERO: &str = "row";

pub(super) fn is_row(graph: &Graph, fusion: OpId) -> bool {
    graph.op(fusion).attrs.str("hero") == Some(HERO)
}

/// Builds the body, with the index of every reduced value and of every value that is reduced.
pub(super) fn build(l: &mut Lowering<'_>, fusion: OpId, heroes: &[OpId]) -> Result<Domain, PassError> {
    let graph = l.graph;
    let broken = |why: &str| PassError::internal(graph, fusion, why);
    let first = heroes.first().map(|&op| graph.op(op)).ok_or_else(|| broken("a row without a reduction"))?;
    let operand = *first.operands.first().ok_or_else(|| broken("a reduction without operands"))?;
    let (sizes, reduced) = (l.sizes(operand)?, dim_list(first, "dimensions"));
    let (mut domain, mut row) = (Vec::new(), Vec::new());
    let (mut kept, mut full) = (Vec::new(), Vec::new());
    for (d, &n) in sizes.iter().enumerate() {
        let inside = reduced.contains(&d);
        let at = l.variable(n, if inside { &mut row } else { &mut domain });
        full.push(at);
        if !inside {
            kept.push(at);
        }
    }
    if domain.is_empty() {
        domain.push(l.exprs.indices.add_var(1));
    }
    let mut places = Places::new();
    let mut folds: Vec<RowFold> = Vec::new();
    let mut made = 0;
    for &op in heroes {
        let data = graph.op(op);
        let n = data.results.len();
        let inits = reduction::initial_values(l, op)?;
        let mut inputs = Vec::new();
        for &value in &data.operands[..n] {
            if l.sizes(value)? != sizes || dim_list(data, "dimensions") != reduced {
                return Err(broken("reductions over different rows in one group"));
            }
            inputs.push(l.value_at(value, &full, None)?);
            places.insert(value, full.clone());
        }
        let built = reduction::fold(l, op, row.clone(), (inputs, inits), made)?;
        let Body::Reduce { inputs, inits, combiner, .. } = built.body else {
            return Err(broken("a reduction over nothing"));
        };
        made += inits.len() as u32;
        folds.push(RowFold { inputs, inits, combiner });
        l.made(op, &kept, built.results);
        places.extend(data.results.iter().map(|&r| (r, kept.clone())));
    }
    Ok((domain, places, Body::Row { row, folds, stores: Vec::new() }))
}

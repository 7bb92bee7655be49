//! Why a value is stored: the reasons for which the kernels that read it do not compute it again.
//!
//! Worked example: `e = exp(x)` of 1000 elements, broadcast to 1000 × 1000 and read there: 10⁶ evaluations of 20
//! additions' work for 1000 elements. Storing `e` costs a trip through memory, which is less: FUSE13.

use std::collections::BTreeSet;

use fornax_graph::OpId;

use super::affine;
use super::cost::{LOAD_COST, RECOMPUTE_FREE, STORE_COST};
use super::decide::Decide;
use super::extents::elements;
use super::groups::{Group, GroupId};
use super::maps::{Context, MapId};
use crate::errors::PassError;
use crate::facts::dequantized;
use crate::facts::ops::splat_bits;
use crate::facts::parts;
use crate::facts::picked;
use crate::facts::products::is_product;
use crate::remarks::{
    BEFORE_PRODUCT, Because, CARRIED, CUT_OUT, EVALUATIONS_FULL, FOLLOWS_HERO, IMAGE_TRANSPOSED, INDEX_MAPS,
    INPUTS_FULL, NARROWED_FOR_ROWS, OPS_FULL, PRODUCT_DIVIDES, PRODUCT_NARROWED, RECOMPUTE, RESHAPES, SUM_OF_PARTS,
};

/// Inputs of a kernel, at most (a concatenation alone may have as many).
const INPUTS_MAX: usize = 40;
/// Ops of a group, at most: lowering recurses over them.
const OPS_MAX: usize = 192;
/// Evaluations of ops through different maps in a group, at most.
const INSTANCES_MAX: usize = 512;
/// Different maps through which one group evaluates a value, at most.
const MAPS_MAX: usize = 8;
/// Reshapes between a group's domain and a value, at most.
const RESHAPES_MAX: u32 = 4;
/// Elements of an image up to which a convolution may read it through a transpose: its reads cost less than a kernel.
const IMAGE_FREE: f64 = 16384.0;

impl Decide<'_> {
    /// Why the value must be stored although nobody names it: nothing, where its readers may compute it.
    pub(super) fn why_stored(
        &mut self,
        op: OpId,
        uses: &BTreeSet<(GroupId, MapId)>,
    ) -> Result<Option<Because>, PassError> {
        match self.must_store(op, uses)? {
            None => Ok(self.kept_apart(op, uses)?.then(|| CARRIED.of([]))),
            because => Ok(because),
        }
    }

    fn must_store(&mut self, op: OpId, uses: &BTreeSet<(GroupId, MapId)>) -> Result<Option<Because>, PassError> {
        let data = self.graph.op(op);
        if data.operands.iter().all(|&v| splat_bits(self.graph, v).is_some()) {
            return Ok(None);
        }
        let reshapes = uses.iter().map(|u| self.groups.maps.get(u.1).reshapes).find(|&n| n > RESHAPES_MAX);
        if let Some(reshapes) = reshapes {
            return Ok(Some(RESHAPES.of([reshapes.into(), RESHAPES_MAX.into()])));
        }
        for &(group, _) in uses {
            let maps = uses.iter().filter(|u| u.0 == group).count();
            if maps > MAPS_MAX {
                return Ok(Some(INDEX_MAPS.of([maps as i64, MAPS_MAX as i64])));
            }
            if let Some(because) = self.full(op, &self.groups.groups[group as usize]) {
                return Ok(Some(because));
            }
        }
        // What is only widened is stored narrow, which its readers widen again: half the bytes, and products of 16-bit
        // operands.
        if affine::widens(self.graph, op) {
            return Ok(None);
        }
        if self.narrows_product(op, uses)? {
            return Ok(Some(NARROWED_FOR_ROWS.of([])));
        }
        if let Some(because) = self.streams(op, uses)? {
            return Ok(Some(because));
        }
        let result = data.results[0];
        if dequantized::adds_parts(self.graph, op) && self.only_reader(uses, elements(self.graph, result)?)?.is_none() {
            return Ok(Some(SUM_OF_PARTS.of([])));
        }
        let single = match uses.iter().collect::<Vec<_>>().as_slice() {
            [(group, map)] => self.groups.maps.get(*map).bijective || self.in_rows(op, *group, *map)?,
            _ => false,
        };
        if let Some(&hero) = self.facts.hero.get(&result).filter(|_| !single)
            && !self.shares_kernel(hero, uses)?
        {
            return Ok(Some(FOLLOWS_HERO.of([])));
        }
        let mut evaluations = 0.0;
        let n = elements(self.graph, result)?.max(1) as f64;
        for &(group, map) in uses {
            if self.in_rows(op, group, map)? {
                evaluations += n;
                continue;
            }
            let map = self.groups.maps.get(map);
            match map.context {
                Context::Plain => evaluations += map.evaluations,
                Context::Contraction => {
                    if let Some(because) = self.product_refuses(op, (group, map.immediate))? {
                        return Ok(Some(because));
                    }
                }
            }
        }
        let expense = self.facts.expense[result.index()];
        let again = (evaluations - n).max(0.0);
        let dear = again * expense > RECOMPUTE_FREE && again / n * (expense - LOAD_COST) > STORE_COST;
        if dear {
            return Ok(Some(RECOMPUTE.of([evaluations as i64, n as i64, expense as i64])));
        }
        self.loaded_again(op, uses)
    }

    /// Why no product of a group evaluates the op before an operand.
    fn product_refuses(&self, op: OpId, (group, immediate): (GroupId, bool)) -> Result<Option<Because>, PassError> {
        let group = &self.groups.groups[group as usize];
        let mut products = group.ops.iter().copied().filter(|&op| is_product(self.graph, op));
        if products.clone().any(|product| dequantized::is_cut_out(self.graph, op, product, self.forms.computed)) {
            return Ok(Some(CUT_OUT.of([])));
        }
        let sums = dequantized::sums(self.graph, &group.ops);
        let reads_through = |product| {
            let others = dequantized::added_to(&sums, product);
            dequantized::is_evaluated(self.graph, op, (product, &others), self.forms.computed)
                || picked::matrices(self.graph, product) == Some(op)
        };
        if products.any(reads_through) {
            return Ok(None);
        }
        let refused = self.contraction_refuses(op, immediate)?;
        let elements = elements(self.graph, self.graph.op(op).results[0])?;
        let turns = group.hero.is_some_and(|hero| affine::turns_image(self.graph, op, hero));
        let turned =
            || (turns && elements as f64 > IMAGE_FREE).then(|| IMAGE_TRANSPOSED.of([elements, IMAGE_FREE as i64]));
        Ok(refused.or_else(turned))
    }

    /// A contraction reads its operands many times: only what costs nothing in its inner loop may stand before it.
    fn contraction_refuses(&self, op: OpId, immediate: bool) -> Result<Option<Because>, PassError> {
        let data = self.graph.op(op);
        if !affine::absorbed(data.kind) {
            return Ok(Some(BEFORE_PRODUCT.of([])));
        }
        let (is_affine, base) = affine::chain(self.graph, data.results[0])?;
        if immediate && !is_affine {
            return Ok(Some(PRODUCT_DIVIDES.of([])));
        }
        let narrows = affine::narrows(self.graph, op) && !affine::is_leaf(self.graph, base);
        Ok(narrows.then(|| PRODUCT_NARROWED.of([])))
    }

    /// Whether a group that may write a carried value where it is reads the op's result, which would be read of it
    /// elsewhere.
    fn kept_apart(&self, op: OpId, uses: &BTreeSet<(GroupId, MapId)>) -> Result<bool, PassError> {
        for &(group, map) in uses {
            let state = &self.groups.groups[group as usize];
            let scatter = state.hero.is_some_and(|hero| parts::is_update(self.graph, hero));
            let own = !scatter && self.groups.maps.get(map).bijective;
            if state.control.is_none() && !own && self.updates.keep_apart(self.graph, op, &state.roots, scatter)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// What of a group is full, so that it cannot evaluate one more op.
    pub(super) fn full(&self, op: OpId, group: &Group) -> Option<Because> {
        let operands = self.graph.op(op).operands.iter();
        let new = operands.filter(|v| !group.inputs.contains(v) && splat_bits(self.graph, **v).is_none()).count();
        if group.ops.len() >= OPS_MAX {
            return Some(OPS_FULL.of([group.ops.len() as i64, OPS_MAX as i64]));
        }
        if group.instances >= INSTANCES_MAX {
            return Some(EVALUATIONS_FULL.of([group.instances as i64, INSTANCES_MAX as i64]));
        }
        let inputs = group.inputs.len() + new;
        (new > 1 && inputs > INPUTS_MAX).then(|| INPUTS_FULL.of([inputs as i64, INPUTS_MAX as i64]))
    }
}

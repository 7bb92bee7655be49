//! Which axes cut the factors of an op: what its operands have decides, then what is wanted of its results.

use fornax_graph::{Dim, Graph, Op, OpKind, TensorType};

use super::Part;
use super::layout::{Layout, Machine};
use super::rules::Factors;

/// An op that is to be cut, on whole types.
pub(super) struct Choice<'a> {
    pub machine: &'a Machine,
    pub graph: &'a Graph,
    pub op: &'a Op,
    pub factors: &'a Factors,
    pub parts: &'a [Part],
}

impl Choice<'_> {
    /// The axes of each factor: those of the largest operand that has some, which need not move then. Factors of a
    /// result that no operand cuts are cut as is wanted: whole operands are cut where they are.
    pub fn axes(&self, wanted: &[Option<&Layout>]) -> Vec<Vec<usize>> {
        let (factors, parts) = (self.factors, self.parts);
        let mut chosen: Vec<Vec<usize>> = vec![Vec::new(); factors.count];
        let bytes = |ty: &TensorType| ty.bytes().unwrap_or(0);
        let mut order: Vec<usize> = (0..parts.len()).collect();
        order.sort_by_key(|&at| std::cmp::Reverse(bytes(&parts[at].whole)));
        let result = self.results().next().flatten().map_or(0, bytes);
        for at in order {
            let dims = factors.operands.get(at).map(Vec::as_slice).unwrap_or_default();
            for (dim, &factor) in dims.iter().enumerate() {
                let axes = &parts[at].layout.0[dim];
                if !self.may_have(&chosen, factor, axes) {
                    continue;
                }
                // A sum that is completed moves its result twice; gathering moves the operand.
                let vanishes = factors.vanishes(factor);
                let shared = (0..parts.len()).filter(|&other| other != at).any(|other| {
                    let dims = &factors.operands[other];
                    dims.iter().zip(&parts[other].layout.0).any(|(&f, own)| f == factor && own == axes)
                });
                let gathers_less = 2 * result > bytes(&parts[at].whole);
                let costly = vanishes && self.op.kind == OpKind::DotGeneral && !shared && gathers_less;
                if !costly {
                    chosen[factor].clone_from(axes);
                }
            }
        }
        for (layout, dims) in wanted.iter().zip(&factors.results) {
            for (axes, &factor) in layout.iter().flat_map(|layout| &layout.0).zip(dims) {
                if self.may_have(&chosen, factor, axes) {
                    chosen[factor].clone_from(axes);
                }
            }
        }
        chosen
    }

    /// Whether a factor that nothing cuts yet can be cut by axes that cut nothing yet.
    fn may_have(&self, chosen: &[Vec<usize>], factor: usize, axes: &[usize]) -> bool {
        let is_free = axes.iter().all(|axis| !chosen.iter().flatten().any(|a| a == axis));
        let is_open = !axes.is_empty() && chosen[factor].is_empty() && !self.factors.whole.contains(&factor);
        is_free && is_open && self.divides(factor, axes)
    }

    /// Whether every dimension of a factor splits into so many pieces; into uneven ones if all are as long.
    fn divides(&self, factor: usize, axes: &[usize]) -> bool {
        let operands = self.parts.iter().map(|part| &part.whole).zip(&self.factors.operands);
        let results = self.results().zip(&self.factors.results).filter_map(|(ty, dims)| Some((ty?, dims)));
        let sizes: Vec<(Dim, &TensorType)> = operands
            .chain(results)
            .flat_map(|(ty, dims)| dims.iter().zip(&ty.shape).map(move |(own, dim)| (*own, *dim, ty)))
            .filter_map(|(own, dim, ty)| (own == factor).then_some((dim, ty)))
            .collect();
        let even = sizes.iter().all(|&(size, _)| self.machine.divides(size, axes));
        even || !self.factors.reversed.contains(&factor)
            && sizes.iter().all(|&(size, ty)| size == sizes[0].0 && self.machine.can_fill(size, axes, ty))
    }

    fn results(&self) -> impl Iterator<Item = Option<&TensorType>> {
        self.op.results.iter().map(|&v| self.graph.ty(v).as_tensor())
    }
}

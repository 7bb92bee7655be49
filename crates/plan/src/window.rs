//! Windows that slide: convolutions without a sum over channels (depthwise) and reductions of windows (pooling).
//!
//! Input: a `Body::Contraction` or `Body::Reduce` some of whose operands read element `stride·output + dilation·tap`
//! along one or more dimensions. Output: which variables go together ([`KernelPlan::window_pairs`]) and the schedule.
//! Why a schedule of its own: a thread that computes neighbouring outputs needs most elements several times; here it
//! reads each once and keeps it in a register.
//!
//! An operand *slides* over a pair of variables if it depends on them through `stride·output + dilation·tap` alone,
//! masks and divisions included. Every other operand (the filter) depends on the taps only, or on none of them.
//!
//! Worked example, depthwise 3×3 of [1, 28, 28, 192] with one element of padding, 2 × 4 outputs a thread and 4 lanes
//! along the channels: pairs (i1, i4) and (i2, i5), both with stride 1 and dilation 1. A thread reads 4 × 6 vectors of
//! the image instead of 8 · 9.

use crate::expr::{Exprs, NodeId};
use crate::index::{Atom, VarId, gcd};
use crate::kernel::{Body, KernelPlan};
use crate::walk::Reached;

/// A domain variable and the reduction variable that moves the same elements: position = stride · output + dilation ·
/// tap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WindowPair {
    pub output: VarId,
    pub tap: VarId,
    pub stride: i64,
    /// At least 1.
    pub dilation: i64,
}

/// What slides in a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sliding {
    /// Outermost tap first.
    pub pairs: Vec<WindowPair>,
    /// Operands that slide over all of the pairs.
    pub operands: Vec<NodeId>,
}

impl KernelPlan {
    /// The pairs of variables that windows of this plan slide over, and the operands that do; `None` where any operand
    /// depends on outputs and taps in another way.
    pub fn window_pairs(&self) -> Option<Sliding> {
        let operands: Vec<NodeId> = match &self.body {
            Body::Contraction { lhs, rhs, .. } => vec![*lhs, *rhs],
            Body::Reduce { inputs, .. } => inputs.clone(),
            _ => return None,
        };
        let taps = self.body.reduction().iter().copied().filter(|&v| self.exprs.indices.extent(v) > 1);
        let mut pairs: Vec<WindowPair> = Vec::new();
        for tap in taps {
            let free = |output: &&VarId| pairs.iter().all(|p| p.output != **output);
            let mut found = self.domain.iter().filter(free).filter_map(|&output| {
                let slides = |&node: &NodeId| slides(&self.exprs, node, output, tap);
                let (stride, dilation) = operands.iter().find_map(slides)?;
                Some(WindowPair { output, tap, stride, dilation })
            });
            pairs.extend(found.next());
        }
        let all = |node: NodeId| {
            pairs.iter().all(|p| slides(&self.exprs, node, p.output, p.tap) == Some((p.stride, p.dilation)))
        };
        let (sliding, others): (Vec<NodeId>, Vec<NodeId>) = operands.into_iter().partition(|&node| all(node));
        let fixed = |node: NodeId| pairs.iter().all(|p| !self.exprs.node_varies(node, p.output));
        let usable = !pairs.is_empty() && !sliding.is_empty() && others.into_iter().all(fixed);
        usable.then_some(Sliding { pairs, operands: sliding })
    }
}

/// `(stride, dilation)`, without a common divisor and the second above 0, if a node depends on the two variables, and
/// through `stride·output + dilation·tap` alone.
fn slides(exprs: &Exprs, node: NodeId, output: VarId, tap: VarId) -> Option<(i64, i64)> {
    let mut ratio: Option<(i64, i64)> = None;
    for index in Reached::from(exprs, [node], &[]).indices {
        let (mut stride, mut dilation) = (0, 0);
        for &(atom, c) in &exprs.indices.linear(index).terms {
            match exprs.indices.atom(atom) {
                Atom::Var(v) if v == output => stride = c,
                Atom::Var(v) if v == tap => dilation = c,
                _ => {}
            }
        }
        if (stride, dilation) == (0, 0) {
            continue;
        }
        if stride == 0 || dilation == 0 || ratio.is_some_and(|(s, d)| s * dilation != d * stride) {
            return None;
        }
        let divisor = gcd(stride, dilation) * dilation.signum();
        ratio = ratio.or(Some((stride / divisor, dilation / divisor)));
    }
    ratio
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::{Binary, Node};
    use crate::kernel::{Access, Buffer, Combiner, Store};
    use crate::schedule::Unscheduled;
    use fornax_graph::ElementType::F32;

    /// Maxima over windows of 3 of [20], stride and dilation given, with one element of padding.
    fn pooling(stride: i64, dilation: i64, also_output: bool) -> KernelPlan {
        let mut x = Exprs::default();
        let (o, t) = (x.indices.add_var(8), x.indices.add_var(3));
        let (vo, vt) = (x.indices.var(o), x.indices.var(t));
        let (a, b) = (x.indices.scale(vo, stride), x.indices.scale(vt, dilation));
        let place = x.indices.add(a, b);
        let place = x.indices.offset(place, -1);
        let inside = x.add(Node::InRange { index: place, low: 0, high: 20 });
        let load = x.add(Node::Load { buffer: 0, element: F32, offset: place, mask: Some(inside) });
        let zero = x.add(Node::Constant { element: F32, bits: 0 });
        let mut input = x.select(inside, load, zero);
        if also_output {
            let number = x.add(Node::FromIndex { element: F32, index: vo });
            input = x.binary(Binary::Add, input, number);
        }
        let value = x.add(Node::Reduced { index: 0, element: F32 });
        let stores = vec![Store { buffer: 1, offset: vo, value }];
        let combiner = Combiner::Simple(Binary::Maximum);
        let body = Body::Reduce { reduction: vec![t], inputs: vec![input], inits: vec![zero], combiner, stores };
        let buffers = vec![
            Buffer { element: F32, elements: 20, access: Access::Read },
            Buffer { element: F32, elements: 8, access: Access::Write },
        ];
        KernelPlan::new(x, buffers, vec![o], body, Unscheduled, "pooling".into())
    }

    #[test]
    fn outputs_and_taps_that_move_the_same_elements_are_pairs() {
        for (stride, dilation) in [(1, 1), (2, 1), (2, 3)] {
            let plan = pooling(stride, dilation, false);
            let (output, tap) = (plan.domain[0], plan.body.reduction()[0]);
            let sliding = plan.window_pairs().expect("a window");
            assert_eq!(sliding.pairs, [WindowPair { output, tap, stride, dilation }]);
        }
        let even = pooling(2, 2, false).window_pairs().expect("a window");
        assert_eq!((even.pairs[0].stride, even.pairs[0].dilation), (1, 1));
    }

    #[test]
    fn operands_that_know_their_output_do_not_slide() {
        assert_eq!(pooling(1, 1, true).window_pairs(), None);
    }
}

//! The products of a kernel: which are computed together.
//!
//! Input: a contraction, or several products with one domain. Output: *spaces*, products over the same steps that
//! have an operand or a sum in common, with every operand once: what several of them read is fetched for all. Spaces
//! that add to the same sums are a *stage*: its sums are held in registers until its last space is done, then leave
//! them, before the next stage begins.
//!
//! Worked example: an LSTM's four gates of x·W and h·U, [8, 128] and [8, 256]. In f32 the two products of a gate are
//! one sum: one stage of two spaces, of 128 and of 256 steps, each with four long operands (the columns of four
//! gates) and one short one. In bf16 each product is rounded before they are added: eight sums, two stages of four.

use std::ops::Range;

use fornax_plan::{Body, KernelPlan, NodeId, VarId};

use super::affine::Affine;

/// Spaces whose sums are held at the same time.
#[derive(Clone, Debug)]
pub struct Stage {
    pub spaces: Vec<Space>,
    /// Places of its sums among those of all stages.
    pub sums: Range<usize>,
}

/// Products over the same steps.
#[derive(Clone, Debug)]
pub struct Space {
    /// Outermost first, at least one.
    pub reduction: Vec<VarId>,
    pub inner: VarId,
    /// Long and short operands, each once.
    pub long: Vec<NodeId>,
    pub short: Vec<NodeId>,
    pub terms: Vec<Term>,
    /// How each long operand is computed.
    pub affine: Vec<Affine>,
}

/// One product: numbers of its operands and of the sum that it is added to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term {
    pub long: usize,
    pub short: usize,
    /// Among those of its stage.
    pub sum: usize,
}

/// How a kernel computes its sums.
#[derive(Clone, Debug)]
pub struct Stages {
    pub stages: Vec<Stage>,
    /// The place of each sum of the body among those of all stages.
    pub places: Vec<usize>,
}

/// A product before it has a space: its operands, its sum.
struct Single<'p> {
    reduction: &'p [VarId],
    long: NodeId,
    short: NodeId,
    sum: usize,
}

impl Stages {
    /// The stages of a plan, in the order of its sums; none for other bodies. `long_is_lhs` says which operands are
    /// long.
    pub fn of(plan: &KernelPlan, long_is_lhs: bool) -> Stages {
        let mut all: Vec<Single<'_>> = Vec::new();
        let mut add = |reduction, (lhs, rhs), sum| {
            let (long, short) = if long_is_lhs { (lhs, rhs) } else { (rhs, lhs) };
            all.push(Single { reduction, long, short, sum });
        };
        match &plan.body {
            Body::Contraction { reduction, lhs, rhs, .. } => add(reduction.as_slice(), (*lhs, *rhs), 0),
            Body::Products(p) => {
                for (sum, products) in p.sums.iter().enumerate() {
                    products.iter().for_each(|p| add(p.reduction.as_slice(), (p.lhs, p.rhs), sum));
                }
            }
            _ => {}
        }
        let spaces = gathered(all.into_iter().filter(|p| !p.reduction.is_empty()), |a, b| {
            let common = a.long == b.long || a.short == b.short || a.sum == b.sum;
            a.reduction == b.reduction && common
        });
        let adds = |space: &[Single<'_>], sum| space.iter().any(|p| p.sum == sum);
        let groups = gathered(spaces, |a, b| a.iter().any(|p| adds(b, p.sum)));
        let (mut stages, mut order): (Vec<Stage>, Vec<usize>) = Default::default();
        for group in groups {
            let first = order.len();
            for single in group.iter().flatten() {
                if !order.contains(&single.sum) {
                    order.push(single.sum);
                }
            }
            let spaces = group.iter().map(|space| Space::of(space, &order[first..])).collect();
            stages.push(Stage { spaces, sums: first..order.len() });
        }
        let place = |sum: usize| order.iter().position(|&at| at == sum).unwrap_or(0);
        Stages { places: (0..order.len()).map(place).collect(), stages }
    }

    /// Spaces of all stages.
    pub fn spaces(&self) -> impl Iterator<Item = &Space> {
        self.stages.iter().flat_map(|stage| &stage.spaces)
    }
}

impl Space {
    /// The space of some products, whose sums are numbered by their places in `order`.
    fn of(singles: &[Single<'_>], order: &[usize]) -> Space {
        let reduction = singles.first().map_or(&[][..], |p| p.reduction).to_vec();
        let inner = reduction.last().copied().unwrap_or(VarId(0));
        let mut space =
            Space { reduction, inner, long: Vec::new(), short: Vec::new(), terms: Vec::new(), affine: Vec::new() };
        for p in singles {
            let sum = order.iter().position(|&at| at == p.sum).unwrap_or(0);
            let (long, short) = (number(&mut space.long, p.long), number(&mut space.short, p.short));
            space.terms.push(Term { long, short, sum });
        }
        space.affine = space.long.iter().map(|&long| Affine::plain(long)).collect();
        space
    }
}

/// Things in groups, in order: what belongs with something of a group is in it.
fn gathered<T>(things: impl IntoIterator<Item = T>, together: impl Fn(&T, &T) -> bool) -> Vec<Vec<T>> {
    let mut groups: Vec<Vec<T>> = Vec::new();
    for thing in things {
        let (mut with, apart): (Vec<_>, Vec<_>) =
            groups.into_iter().partition(|group| group.iter().any(|known| together(known, &thing)));
        groups = apart;
        let mut group: Vec<T> = with.drain(..).flatten().collect();
        group.push(thing);
        groups.push(group);
    }
    groups
}

/// The place of a node in a list, where it is put if it is new.
fn number(list: &mut Vec<NodeId>, node: NodeId) -> usize {
    list.iter().position(|&known| known == node).unwrap_or_else(|| {
        list.push(node);
        list.len() - 1
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use fornax_graph::ElementType::F32;
    use fornax_plan::{Exprs, Node, Precision, Product, Products, Unscheduled};

    /// Two sums of x·W and h·U, [8, 4] by [4, 256] and [8, 6] by [6, 256]; joined, or four sums of one product each.
    fn gates(joined: bool) -> KernelPlan {
        let mut x = Exprs::default();
        let [i, j, k, l] = [8, 256, 4, 6].map(|extent| x.indices.add_var(extent));
        let mut products = Vec::new();
        for gate in 0..2 {
            for (buffer, step, steps) in [(0, k, 4), (2, l, 6)] {
                let [row, column, at] = [i, j, step].map(|v| x.indices.var(v));
                let column = x.indices.offset(column, 256 * gate);
                let left = x.indices.linearize(&[row, at], &[8, steps]);
                let right = x.indices.linearize(&[at, column], &[steps, 512]);
                let mut load = |buffer, offset| x.add(Node::Load { buffer, element: F32, offset, mask: None });
                let (lhs, rhs) = (load(buffer, left), load(buffer + 1, right));
                products.push(Product { reduction: vec![step], lhs, rhs });
            }
        }
        let sums = products.chunks(if joined { 2 } else { 1 }).map(<[Product]>::to_vec).collect();
        let (precision, stores) = (Precision::Ieee, Vec::new());
        let body = Products { reduction: vec![k, l], sums, accumulator: F32, precision, streamed: false, stores };
        KernelPlan::new(x, Vec::new(), vec![i, j], Body::Products(Box::new(body)), Unscheduled, "gates".into())
    }

    #[test]
    fn sums_of_two_products_are_one_stage() {
        let stages = Stages::of(&gates(true), false);
        assert_eq!(stages.places, [0, 1]);
        let [stage] = stages.stages.as_slice() else { panic!("{stages:?}") };
        let shape = |space: &Space| (space.long.len(), space.short.len(), space.terms.len());
        assert_eq!(stage.spaces.iter().map(shape).collect::<Vec<_>>(), [(2, 1, 2), (2, 1, 2)]);
    }

    #[test]
    fn sums_of_their_own_leave_registers_one_stage_after_another() {
        let stages = Stages::of(&gates(false), false);
        // Sums 0 and 2 are of x·W.
        assert_eq!(stages.places, [0, 2, 1, 3]);
        assert_eq!(stages.stages.iter().map(|stage| stage.sums.clone()).collect::<Vec<_>>(), [0..2, 2..4]);
        assert!(stages.spaces().all(|space| space.terms.iter().map(|term| term.sum).eq([0, 1])));
    }
}

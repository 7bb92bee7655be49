//! Exponentials of packed rows that are only added up and rounded to 16 bits, as in a softmax: three instructions
//! instead of eight.
//!
//! A packed row computes its exponentials twice. Where each is eˣ with x a difference from the row's largest, hence not
//! above 0, is a term of a plain sum, and reaches memory only as a part of such a sum, rounded to 16 bits, an error of
//! 2⁻¹⁸ is a hundredth of what the rounding leaves. Elsewhere the exponential of the library stays.
//!
//! On CPUs such a difference only saves the exponential the bound above which it is infinite.
//!
//! Worked example, softmax of bf16 in f32: m = max x, s = Σ e^(x − m), y = bf16(e^(x − m)/s): both uses of the
//! exponential are of this kind. Were s stored too, or its logarithm, neither would be.

use std::collections::{BTreeMap, BTreeSet};

use fornax_graph::ElementType;
use fornax_plan::{Binary, Body, Combiner, Exprs, Node, NodeId, RowFold, Unary};

use fornax_emit::emitter::Emitter;

/// Who uses a node.
#[derive(Default)]
struct Uses {
    nodes: Vec<NodeId>,
    /// Folds that add it up.
    sums: Vec<u32>,
    /// Anything else: stores, other folds.
    others: bool,
}

/// The fold of each result of a row.
fn results(folds: &[RowFold]) -> Vec<&RowFold> {
    folds.iter().flat_map(|fold| fold.inputs.iter().map(move |_| fold)).collect()
}

/// Notes the exponentials whose argument is never above 0.
pub fn note_differences(e: &mut Emitter<'_>) {
    let plan = e.plan;
    let Body::Row { folds, stores, .. } = &plan.body else { return };
    let results = results(folds);
    let roots: Vec<NodeId> = folds.iter().flat_map(RowFold::roots).chain(stores.iter().map(|s| s.value)).collect();
    let nodes = e.reachable(&roots);
    e.differences = nodes.into_iter().filter(|&n| is_below_largest(&plan.exprs, &results, n)).collect();
}

/// Notes the exponentials of a packed row that need no more.
pub fn note(e: &mut Emitter<'_>) {
    let plan = e.plan;
    let Body::Row { folds, stores, .. } = &plan.body else { return };
    if !e.code.exp2_approx {
        return;
    }
    let mut uses: BTreeMap<NodeId, Uses> = BTreeMap::new();
    let results = results(folds);
    let mut made = 0;
    for fold in folds {
        let first = made;
        made += fold.inputs.len() as u32;
        let summed = fold.combiner == Combiner::Simple(Binary::Add);
        for root in fold.roots() {
            let own = uses.entry(root).or_default();
            match fold.inputs.iter().position(|&input| input == root) {
                Some(at) if summed && !fold.inits.contains(&root) => own.sums.push(first + at as u32),
                _ => own.others = true,
            }
        }
    }
    for store in stores {
        uses.entry(store.value).or_default().others = true;
    }
    let roots: Vec<NodeId> = folds.iter().flat_map(RowFold::roots).chain(stores.iter().map(|s| s.value)).collect();
    let nodes = e.reachable(&roots);
    for &node in &nodes {
        for operand in plan.exprs.operands(node) {
            uses.entry(operand).or_default().nodes.push(node);
        }
    }
    let sums: BTreeMap<u32, NodeId> = nodes
        .iter()
        .filter_map(|&n| match plan.exprs.node(n) {
            Node::Reduced { index, .. } => Some((*index, n)),
            _ => None,
        })
        .collect();
    let row = Rows { exprs: &plan.exprs, uses: &uses, sums: &sums };
    let is_loose = |&n: &NodeId| is_below_largest(&plan.exprs, &results, n) && row.is_rounded(n);
    e.loose = nodes.into_iter().filter(is_loose).collect();
}

struct Rows<'a> {
    exprs: &'a Exprs,
    uses: &'a BTreeMap<NodeId, Uses>,
    /// The nodes that are results.
    sums: &'a BTreeMap<u32, NodeId>,
}

/// The exponential of something less the row's maximum of it, in f32; `results` has the fold of each result.
fn is_below_largest(exprs: &Exprs, results: &[&RowFold], node: NodeId) -> bool {
    let Node::Unary { op: Unary::Exponential, a } = *exprs.node(node) else { return false };
    let Node::Binary { op: Binary::Subtract, a: x, b: largest } = *exprs.node(a) else { return false };
    let Node::Reduced { index, .. } = *exprs.node(largest) else { return false };
    let of = |fold: &&RowFold| fold.combiner == Combiner::Simple(Binary::Maximum) && fold.inputs == [x];
    exprs.element(node) == ElementType::F32 && results.get(index as usize).is_some_and(of)
}

impl Rows<'_> {
    /// Whether a value is only added up or rounded to 16 bits, factors and divisors aside.
    fn is_rounded(&self, node: NodeId) -> bool {
        let mut open = vec![node];
        let mut seen = BTreeSet::new();
        while let Some(node) = open.pop() {
            if !seen.insert(node) {
                continue;
            }
            let Some(uses) = self.uses.get(&node).filter(|u| !u.others) else { return false };
            for &user in &uses.nodes {
                match *self.exprs.node(user) {
                    Node::Convert { element: ElementType::Bf16 | ElementType::F16, .. } => {}
                    Node::Binary { op: Binary::Multiply | Binary::Divide, .. } => open.push(user),
                    _ => return false,
                }
            }
            open.extend(uses.sums.iter().filter_map(|index| self.sums.get(index)));
        }
        true
    }
}

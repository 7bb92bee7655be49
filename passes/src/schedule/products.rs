//! A group with the hero `products` as a [`Body::Products`]: several products, or one at several places, whose results
//! meet in the elementwise ops behind them.
//!
//! Input: a fusion op whose region holds `dot` and `dot_general` ops, slices of their results, and what combines these.
//! Output: the body. A product is made for every index at which the result of such an op is read, so a slice of a
//! result is a product with a slice of an operand: an index map, not a copy. Products over equally many steps share
//! their loops. Two sums that are only added to each other are one sum of both products. [`fits`] says beforehand
//! whether the target has a kernel for it; else the group is cut in plain groups again (`fuse::expand_products`).
//!
//! Worked example: `p = x·W` of [8, 1024], `q = h·U` of [8, 1024], `s = p + q`, of which four slices of [8, 256] are
//! gates of an LSTM: four sums of two products each. Gate g at (i, j) is Σ x[i, k]·W[k, 256·g + j] + Σ h[i, k]·U[k,
//! 256·g + j].
//!
//! Limits: products of one accumulator type and precision; no result is read under a mask.

use std::collections::{BTreeMap, HashMap};

use fornax_graph::{ElementType, Graph, OpId};
use fornax_kernels::gemm_wgmma::{candidates as wgmma, pair};
use fornax_kernels::gemv::candidates as gemv;
use fornax_kernels::gemv::cpu;
use fornax_plan::substitute::Substitution;
use fornax_plan::walk::Reached;
use fornax_plan::{Binary, Body, Exprs, IndexId, Node, NodeId, Precision, Product, Products, Store, VarId};
use fornax_targets::Target;

use super::lower::Lowering;
use super::{Options, contraction, ready};
use crate::errors::PassError;

/// The products that were asked for so far.
#[derive(Default)]
pub(super) struct Found {
    /// The product that is `Node::Reduced` of its number.
    products: Vec<Product>,
    of: Option<(ElementType, Precision)>,
    /// As of [`Products`].
    streamed: bool,
}

impl Found {
    /// For products that no loop runs again.
    pub(super) fn streamed() -> Found {
        Found { streamed: true, ..Found::default() }
    }

    pub(super) fn count(&self) -> usize {
        self.products.len()
    }
}

/// Does the target have a kernel for this group?
pub fn fits(graph: &Graph, fusion: OpId, target: &Target, options: &Options) -> bool {
    // A demand is for a program that the parts may have.
    if options.demand.is_some() {
        return false;
    }
    let Ok(Some(ready)) = ready(graph, fusion, target, options) else { return false };
    if !target.is_gpu() {
        return cpu::choose(&ready.plan, target).is_ok();
    }
    gemv::choose(&ready.plan, target).is_ok() || pair::pays(&ready.plan, target)
}

/// Does the target have a kernel for this group of one product, which computes an operand?
pub fn computes(graph: &Graph, fusion: OpId, target: &Target, options: &Options) -> bool {
    if options.demand.is_some() {
        return false;
    }
    let Ok(Some(mut ready)) = ready(graph, fusion, target, options) else { return false };
    wgmma::choose(&mut ready.plan, target, &|_, _| None).is_ok()
}

/// An element of a product's result.
pub(super) fn at(l: &mut Lowering<'_>, op: OpId, index: &[IndexId]) -> Result<NodeId, PassError> {
    let built = contraction::build(l, op, index)?;
    let apart = || PassError::internal(l.graph, op, "is no product that shares a kernel");
    let &node = built.results.first().ok_or_else(apart)?;
    let (reduction, lhs, rhs, of) = match built.body {
        Body::Loop { .. } => return Ok(node),
        Body::Contraction { reduction, lhs, rhs, accumulator, precision, .. } => {
            (reduction, lhs, rhs, (accumulator, precision))
        }
        _ => return Err(apart()),
    };
    let Some(found) = &mut l.products else { return Err(apart()) };
    if *found.of.get_or_insert(of) != of {
        return Err(apart());
    }
    let product = shared(&mut l.exprs, &found.products, Product { reduction, lhs, rhs });
    let number = found.products.len() as u32;
    found.products.push(product);
    // The builder calls its only sum the first.
    let own = l.exprs.add(Node::Reduced { index: number, element: of.0 });
    let none = HashMap::new();
    let mut s = Substitution::new(&mut l.exprs, &none);
    s.reduced.insert(0, own);
    Ok(s.node(node))
}

/// The product with the variables of an earlier one that has as many steps.
fn shared(exprs: &mut Exprs, known: &[Product], product: Product) -> Product {
    let extents = |vars: &[VarId]| vars.iter().map(|&v| exprs.indices.extent(v)).collect::<Vec<_>>();
    let own = extents(&product.reduction);
    let Some(same) = known.iter().find(|p| extents(&p.reduction) == own) else { return product };
    let pairs = product.reduction.iter().zip(&same.reduction);
    let map = pairs.map(|(&from, &to)| (from, exprs.indices.var(to))).collect();
    let mut s = Substitution::new(exprs, &map);
    Product { reduction: same.reduction.clone(), lhs: s.node(product.lhs), rhs: s.node(product.rhs) }
}

/// The body: the sums that the stores read, numbered in the order in which they were asked for.
pub(super) fn body(exprs: &mut Exprs, found: Found, mut stores: Vec<Store>) -> Body {
    let Found { products, of, streamed } = found;
    let Some((accumulator, precision)) = of else { return Body::Loop { stores } };
    let mut sums: BTreeMap<u32, Vec<Product>> = (0..).zip(products.into_iter().map(|p| vec![p])).collect();
    let joined = join(exprs, &stores, &mut sums);
    let numbers: HashMap<u32, u32> = sums.keys().copied().zip(0..).collect();
    let renamed: HashMap<u32, NodeId> =
        numbers.iter().map(|(&old, &index)| (old, exprs.add(Node::Reduced { index, element: accumulator }))).collect();
    let none = HashMap::new();
    let mut s = Substitution::new(exprs, &none);
    for (add, sum) in joined {
        if let Some(&to) = renamed.get(&sum) {
            s.replace(add, to);
        }
    }
    s.reduced = renamed;
    stores.iter_mut().for_each(|store| store.value = s.node(store.value));
    let mut sums: Vec<Vec<Product>> = sums.into_values().collect();
    if let [sum] = sums.as_mut_slice()
        && sum.len() == 1
        && let Some(Product { reduction, lhs, rhs }) = sum.pop()
    {
        return Body::Contraction { reduction, lhs, rhs, accumulator, precision, stores };
    }
    let mut reduction: Vec<VarId> = Vec::new();
    for var in sums.iter().flatten().flat_map(|product| &product.reduction) {
        if !reduction.contains(var) {
            reduction.push(*var);
        }
    }
    Body::Products(Box::new(Products { reduction, sums, accumulator, precision, streamed, stores }))
}

/// Puts sums that are only added to each other together; gives the additions and the sums that they are.
fn join(exprs: &Exprs, stores: &[Store], sums: &mut BTreeMap<u32, Vec<Product>>) -> Vec<(NodeId, u32)> {
    let offsets: Vec<IndexId> = stores.iter().map(|s| s.offset).collect();
    let reached = Reached::from(exprs, stores.iter().map(|s| s.value), &offsets);
    let mut readers: HashMap<NodeId, u32> = HashMap::new();
    let operands = reached.nodes.iter().flat_map(|&node| exprs.operands(node));
    operands.chain(stores.iter().map(|s| s.value)).for_each(|node| *readers.entry(node).or_default() += 1);
    let mut known: HashMap<NodeId, u32> = HashMap::new();
    let mut joined = Vec::new();
    for &node in &reached.nodes {
        match *exprs.node(node) {
            Node::Reduced { index, .. } => _ = known.insert(node, index),
            Node::Binary { op: Binary::Add, a, b } if a != b && readers[&a] == 1 && readers[&b] == 1 => {
                let (Some(&into), Some(&from)) = (known.get(&a), known.get(&b)) else { continue };
                let more = sums.remove(&from).unwrap_or_default();
                sums.entry(into).or_default().extend(more);
                known.insert(node, into);
                joined.push((node, into));
            }
            _ => {}
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use crate::example::import;
    use crate::program::Options;
    use fornax_targets::Target;

    /// Kernels of `logistic(x·W) * (x·V)`, [rows, 4096] by [4096, 14336] in bf16. Apart, the model of warps'
    /// instructions says less than weights take to arrive; it is not asked where warpgroups take the products.
    fn kernels(rows: u32) -> usize {
        let (x, w, y) =
            (format!("tensor<{rows}x4096xbf16>"), "tensor<14336x4096xbf16>", format!("tensor<{rows}x14336xf32>"));
        let product = |name: &str, weight: &str| {
            format!("%{name} = stablehlo.dot_general %x, %{weight}, contracting_dims = [1] x [1] : ({x}, {w}) -> {y}\n")
        };
        let model = format!(
            "func.func @main(%x: {x}, %w: {w}, %v: {w}) -> {y} {{\n{}{}%g = stablehlo.logistic %a : {y}\n\
             %r = stablehlo.multiply %g, %b : {y}\nreturn %r : {y}\n}}\n",
            product("a", "w"),
            product("b", "v"),
        );
        let graph = crate::fuse(&import(&model)).unwrap();
        let target = Target::from_spec("cuda:sm_90a").unwrap();
        crate::plan(&graph, &target, &Options::default()).unwrap().kernels.len()
    }

    #[test]
    fn gates_and_ups_of_any_rows_are_one_kernel() {
        assert_eq!([1, 16, 32, 64, 128, 512].map(kernels), [1; 6]);
    }
}

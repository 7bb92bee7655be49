//! im2col: convolutions of few channels, whose images the copy engine cannot fetch, on warpgroups.
//!
//! Input: the plan of a contraction that warps' instructions took, one operand of which lies as the copy engine needs
//! it. Output: a kernel that writes the other one as a matrix, and the plan that reads this. The variables around the
//! operand's contiguous one, its steps or its outputs, become one variable: a row of the matrix. The gradient of the
//! weights reads the same matrix as the convolution, by its columns.
//!
//! Worked example: ResNet's stem, 32 images of 224² × 3 under 7 × 7 windows of stride 2 to 64 outputs. Pixels of 6
//! bytes are no boxes. The matrix has 401,408 rows of 7 · 7 · 3 = 147, 160 with their pitch: 128 MB. Written and read
//! for the gradient of the weights they take 193 µs; `mma.sync`, which reads the image element by element, took 444.

use std::collections::HashMap;

use fornax_plan::form::{Operand, joint_stride};
use fornax_plan::substitute::Substitution;
use fornax_plan::walk::Reached;
use fornax_plan::{
    Access, Body, Buffer, ContractionForm, Exprs, IndexId, KernelPlan, Node, NodeId, Store, Unscheduled, VarId,
};
use fornax_targets::Target;
use fornax_targets::fitted::gemm_mma::FED_FACTOR;

use super::candidates::{is_known, known, side, weighed};
use super::shapes;
use super::sources::{self, Source, row_pitch};
use super::stream;
use crate::access::{Load, loads};
use crate::collapse::collapse;
use crate::family::Rival;
use crate::scheduled::{Bound, Prepare, drop_unused};

/// Where it pays: the kernel that writes the matrix, which the plan then reads as `Bound::Prepared(number)`. Neither
/// has a schedule yet.
pub fn split(
    plan: &mut KernelPlan,
    bound: &mut Vec<Bound>,
    target: &Target,
    number: usize,
    rival: Rival<'_>,
) -> Option<Prepare> {
    if !is_known(target) || !plan.has_static_loops() {
        return None;
    }
    let Matrix { mut copy, mut product } = matrix(plan)?;
    collapse(&mut copy);
    collapse(&mut product);
    let form = ContractionForm::of(&product)?;
    let written = copy.buffers.last().map_or(0, |b| b.elements as u64 * b.element.storage_bytes() as u64);
    // Elements are read from the cache about as fast as they are written.
    let weighed = weighed(&product, &form, stream::cycles(&product, target)?, 2 * written)?;
    let fed = rival(plan, target)? * FED_FACTOR;
    if !shapes::copies_pay(&weighed, Some(fed), target) {
        return None;
    }
    let mut all = std::mem::take(bound);
    all.push(Bound::Prepared(number));
    let mut before = Prepare { plan: copy, bound: all.clone() };
    before.bound = drop_unused(&mut before.plan, before.bound);
    *plan = product;
    *bound = drop_unused(plan, all);
    Some(before)
}

/// A kernel that writes an operand as a matrix, its last buffer; the product that reads that.
struct Matrix {
    copy: KernelPlan,
    product: KernelPlan,
}

fn matrix(plan: &KernelPlan) -> Option<Matrix> {
    let form = ContractionForm::of(plan)?;
    known(&form)?;
    if !form.batch.is_empty() {
        return None;
    }
    let sides = [(form.row_operand, &form.rows), (form.column_operand, &form.columns)];
    let is_fetched = |(operand, outputs): &(Operand, &Vec<VarId>)| {
        let source = sources::direct(plan, operand).filter(Source::is_aligned);
        let inner = source.as_ref().and_then(Source::inner);
        let step = inner.filter(|v| form.steps.contains(v)).or_else(|| form.steps.first().copied());
        source.zip(step).is_some_and(|(source, step)| side(source, outputs, step).is_some())
    };
    let (operand, outputs) = match sides.each_ref().map(is_fetched) {
        [false, true] => sides[0],
        [true, false] => sides[1],
        _ => return None,
    };
    let rows = Rows::of(plan, &operand, (outputs, &form.steps))?;
    rows.fuse(plan, &operand)
}

/// The variables of an operand's matrix.
struct Rows {
    /// Along a row, outermost first.
    along: Vec<VarId>,
    /// Those that number rows, as the operand's buffer has them.
    across: Vec<VarId>,
}

impl Rows {
    fn of(plan: &KernelPlan, operand: &Operand, (outputs, steps): (&[VarId], &[VarId])) -> Option<Rows> {
        let exprs = &plan.exprs;
        let [load] = <[Load; 1]>::try_from(loads(exprs, &[operand.narrow])).ok()?;
        let long = |v: &VarId| exprs.indices.extent(*v) > 1;
        let is_inner = |v: &VarId| long(v) && exprs.indices.stride(load.offset, *v) == Some(1);
        let (own, other) = match (steps.iter().any(is_inner), outputs.iter().any(is_inner)) {
            (true, false) => (steps, outputs),
            (false, true) => (outputs, steps),
            _ => return None,
        };
        let along: Vec<VarId> = own.iter().copied().filter(long).collect();
        let mut across: Vec<VarId> = other.iter().copied().filter(long).collect();
        across.sort_by_key(|&v| std::cmp::Reverse(exprs.indices.stride(load.offset, v)));
        let rest = Rows::reached_elsewhere(plan, operand);
        // Elsewhere the variables are one already.
        let is_one = |index: IndexId| {
            along.iter().all(|&v| !exprs.index_varies(index, v)) || joint_stride(exprs, index, &along).is_some()
        };
        let fits = rest.nodes.iter().all(|&node| match *exprs.node(node) {
            Node::Load { offset, .. } => is_one(offset),
            Node::InRange { index, .. } | Node::FromIndex { index, .. } => is_one(index),
            _ => true,
        });
        let stores = plan.body.stores().iter().all(|store| is_one(store.offset));
        (along.len() > 1 && !across.is_empty() && fits && stores).then_some(Rows { along, across })
    }

    /// What the plan evaluates besides the operand.
    fn reached_elsewhere(plan: &KernelPlan, operand: &Operand) -> Reached {
        let roots = plan.body.roots().into_iter().filter(|&node| node != operand.node);
        Reached::from(&plan.exprs, roots, &[])
    }

    fn fuse(&self, plan: &KernelPlan, operand: &Operand) -> Option<Matrix> {
        let Body::Contraction { reduction, lhs, rhs, accumulator, precision, stores } = &plan.body else { return None };
        let mut exprs = plan.exprs.clone();
        let element = operand.element;
        let extents: Vec<i64> = self.along.iter().map(|&v| exprs.indices.extent(v)).collect();
        let length = extents.iter().try_fold(1i64, |n, &d| n.checked_mul(d))?;
        let width = element.storage_bytes().max(1) as i64;
        let pitch = row_pitch(length.checked_mul(width)?) / width;
        let mut shape: Vec<i64> = self.across.iter().map(|&v| exprs.indices.extent(v)).collect();
        shape.push(pitch);
        let elements = shape.iter().try_fold(1i64, |n, &d| n.checked_mul(d))?;
        let number = plan.buffers.len() as u32;
        let with = |access| {
            let mut buffers = plan.buffers.clone();
            buffers.push(Buffer { element, elements, access });
            buffers
        };
        let copy = {
            let mut exprs = exprs.clone();
            let inner = exprs.indices.add_var(pitch);
            let at = exprs.indices.var(inner);
            // Rows are filled up with what they begin with: nobody reads that, but all is written.
            let at_element = exprs.indices.modulo(at, length);
            let places = exprs.indices.delinearize(at_element, &extents);
            let map: HashMap<VarId, IndexId> = self.along.iter().copied().zip(places).collect();
            let value = Substitution::new(&mut exprs, &map).node(operand.narrow);
            let domain: Vec<VarId> = self.across.iter().copied().chain([inner]).collect();
            let offset = self.place(&mut exprs, inner, &shape);
            let body = Body::Loop { stores: vec![Store { buffer: number, offset, value }] };
            KernelPlan::new(exprs, with(Access::Write), domain, body, Unscheduled, "im2col".into())
        };
        let fused = exprs.indices.add_var(length);
        let offset = self.place(&mut exprs, fused, &shape);
        let load = exprs.add(Node::Load { buffer: number, element, offset, mask: None });
        let wide = exprs.element(operand.node);
        let load = exprs.convert(wide, load);
        let (last, others) = self.along.split_last()?;
        let mut map: HashMap<VarId, IndexId> = HashMap::from([(*last, exprs.indices.var(fused))]);
        for &other in others {
            map.insert(other, exprs.indices.constant(0));
        }
        let one = |vars: &[VarId]| -> Vec<VarId> {
            let kept = vars.iter().filter(|v| !others.contains(v));
            kept.map(|&v| if v == *last { fused } else { v }).collect()
        };
        let (domain, reduction) = (one(&plan.domain), one(reduction));
        let mut s = Substitution::new(&mut exprs, &map);
        s.replace(operand.node, load);
        let [lhs, rhs]: [NodeId; 2] = [s.node(*lhs), s.node(*rhs)];
        let store = |store: &Store| Store { offset: s.index(store.offset), value: s.node(store.value), ..*store };
        let stores = stores.iter().map(store).collect();
        let (accumulator, precision) = (*accumulator, *precision);
        let body = Body::Contraction { reduction, lhs, rhs, accumulator, precision, stores };
        let product = KernelPlan::new(exprs, with(Access::Read), domain, body, Unscheduled, plan.summary.clone());
        Some(Matrix { copy, product })
    }

    /// Where an element of the matrix lies.
    fn place(&self, exprs: &mut Exprs, inner: VarId, shape: &[i64]) -> IndexId {
        let vars = self.across.iter().copied().chain([inner]);
        let index: Vec<IndexId> = vars.map(|v| exprs.indices.var(v)).collect();
        exprs.indices.linearize(&index, shape)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fornax_graph::ElementType::{Bf16, F32};
    use fornax_plan::{Binary, Precision};

    /// A convolution of [b, 9, 7, 3] f32, as bf16, with 3 × 3 windows of stride 2, padding 1, to [b, 5, 4, 8]; or the
    /// gradient of its weights, from the image and a gradient like the result.
    fn convolution(batch: i64, gradient: bool) -> KernelPlan {
        let mut x = Exprs::default();
        let extents = [batch, 5, 4, 3, 3, 3, 8];
        let vars = extents.map(|n| x.indices.add_var(n));
        let at = |x: &mut Exprs, strides: [i64; 7], constant: i64| {
            let mut sum = x.indices.constant(constant);
            for (&var, stride) in vars.iter().zip(strides) {
                let var = x.indices.var(var);
                let term = x.indices.scale(var, stride);
                sum = x.indices.add(sum, term);
            }
            sum
        };
        let place = at(&mut x, [189, 42, 6, 21, 3, 1, 0], -24);
        let inside = [([0, 2, 0, 1, 0, 0, 0], 9), ([0, 0, 2, 0, 1, 0, 0], 7)].map(|(strides, high)| {
            let index = at(&mut x, strides, -1);
            x.add(Node::InRange { index, low: 0, high })
        });
        let mask = x.binary(Binary::And, inside[0], inside[1]);
        let image = x.add(Node::Load { buffer: 0, element: F32, offset: place, mask: Some(mask) });
        let (image, zero) = (x.convert(Bf16, image), x.add(Node::Constant { element: Bf16, bits: 0 }));
        let image = x.select(mask, image, zero);
        let other = if gradient { [160, 32, 8, 0, 0, 0, 1] } else { [0, 0, 0, 72, 24, 8, 1] };
        let result = if gradient { [0, 0, 0, 72, 24, 8, 1] } else { [160, 32, 8, 0, 0, 0, 1] };
        let (offset, place) = (at(&mut x, other, 0), at(&mut x, result, 0));
        let other = x.add(Node::Load { buffer: 1, element: Bf16, offset, mask: None });
        let (lhs, rhs) = (x.convert(F32, image), x.convert(F32, other));
        let value = x.add(Node::Reduced { index: 0, element: F32 });
        let stores = vec![Store { buffer: 2, offset: place, value }];
        let [b, y, w, ky, kx, c, o] = vars;
        let (domain, reduction) =
            if gradient { (vec![ky, kx, c, o], vec![y, w, b]) } else { (vec![b, y, w, o], vec![ky, kx, c]) };
        let body = Body::Contraction { reduction, lhs, rhs, accumulator: F32, precision: Precision::Ieee, stores };
        let buffer = |element, elements, access| Buffer { element, elements, access };
        let (weights, results) = (216, batch * 160);
        let (read, written) = if gradient { (results, weights) } else { (weights, results) };
        let buffers = vec![
            buffer(F32, batch * 189, Access::Read),
            buffer(Bf16, read, Access::Read),
            buffer(F32, written, Access::Write),
        ];
        KernelPlan::new(x, buffers, domain, body, Unscheduled, "convolution".into())
    }

    /// Small whole numbers: sums are exact in any order.
    #[test]
    fn the_matrix_has_what_the_image_has() {
        for gradient in [false, true] {
            let plan = convolution(2, gradient);
            let Matrix { mut copy, mut product } = matrix(&plan).expect("a matrix");
            collapse(&mut copy);
            collapse(&mut product);
            let small = |i: usize| (i * 7 % 11) as f32 - 5.0;
            let wide = |n: i64| (0..n as usize).flat_map(|i| small(i).to_le_bytes()).collect::<Vec<u8>>();
            let narrow = |n: i64| {
                (0..n as usize).flat_map(|i| small(i).to_bits().to_le_bytes()[2..].to_vec()).collect::<Vec<u8>>()
            };
            let zeros = |n: i64, bytes: i64| vec![0; (n * bytes) as usize];
            let elements = |at: usize| copy.buffers[at].elements;
            assert_eq!(elements(3), 2 * 20 * 32, "rows of 27 elements are 64 bytes");
            let own = vec![wide(elements(0)), narrow(elements(1)), zeros(elements(2), 4)];
            let mut wanted = own.clone();
            fornax_plan::interpret::run(&plan, &mut wanted).expect("the plan");
            let mut all = own;
            all.push(zeros(elements(3), 2));
            fornax_plan::interpret::run(&copy, &mut all).expect("the matrix");
            fornax_plan::interpret::run(&product, &mut all).expect("the product");
            assert_eq!(all[2], wanted[2], "gradient: {gradient}");
            let form = ContractionForm::of(&product).expect("a product");
            let sides = [&form.row_operand, &form.column_operand];
            let plain = sides.iter().all(|o| sources::direct(&product, o).is_some_and(|s| s.is_aligned()));
            assert!(plain && form.steps.len() == 1, "the copy engine fetches both");
        }
    }

    /// Images for which a matrix does not pay, and those that are boxes already, stay.
    #[test]
    fn it_is_weighed() {
        let target = Target::from_spec("cuda:sm_90a").expect("a target");
        let rival = |plan: &KernelPlan, target: &Target| {
            crate::gemm_mma::candidates::choose(plan, target).ok().map(|choice| choice.cost)
        };
        let split_at = |batch| {
            let mut plan = convolution(batch, false);
            crate::chooser::choose(&mut plan, &target, false);
            let mut bound = vec![Bound::Operand(0), Bound::Operand(1), Bound::Result(0)];
            split(&mut plan, &mut bound, &target, 0, &rival).is_some()
        };
        assert!(!split_at(1));
    }
}

//! Rows cut along themselves give what whole rows give, in the interpreter.

use std::collections::HashMap;

use fornax_graph::ElementType;
use fornax_plan::{
    Access, Binary, Body, Buffer, Combiner, Compare, Exprs, IndexId, KernelPlan, Node, NodeId, RowFold, Store,
    Unscheduled, VarId, interpret,
};

use super::stages::{body, staged};
use crate::scheduled::{Bound, Prepare};

const F32: ElementType = ElementType::F32;

/// [rows, length] f32, folded: the plan but for its body, the rows, the row, an element, and where it lies.
fn rows(count: i64, length: i64) -> (Exprs, VarId, VarId, NodeId, IndexId) {
    let mut x = Exprs::default();
    let [i, j] = [count, length].map(|extent| x.indices.add_var(extent));
    let index = [i, j].map(|v| x.indices.var(v));
    let offset = x.indices.linearize(&index, &[count, length]);
    let load = x.add(Node::Load { buffer: 0, element: F32, offset, mask: None });
    (x, i, j, load, offset)
}

fn number(x: &mut Exprs, value: f32) -> NodeId {
    x.add(Node::Constant { element: F32, bits: u64::from(value.to_bits()) })
}

fn simple(op: Binary, input: NodeId, init: NodeId) -> RowFold {
    RowFold { inputs: vec![input], inits: vec![init], combiner: Combiner::Simple(op) }
}

/// Small whole numbers: sums are exact in any order, and many are equal.
fn numbers(n: i64) -> Vec<u8> {
    (0..n).flat_map(|i| ((i * 7 % 11) as f32 - 5.0).to_le_bytes()).collect()
}

/// The results of a plan, and of its stages with so many parts.
fn both(plan: &KernelPlan, parts: i64) -> (Vec<Vec<u8>>, Vec<Vec<u8>>) {
    let empty = |b: &Buffer| vec![0u8; b.elements as usize * b.element.storage_bytes()];
    let mut whole: Vec<Vec<u8>> = plan.buffers.iter().map(empty).collect();
    whole[0] = numbers(plan.buffers[0].elements);
    let mut values: HashMap<usize, Vec<u8>> = whole.iter().cloned().enumerate().collect();
    interpret::run(plan, &mut whole).expect("the plan");
    let bound: Vec<Bound> = (0..plan.buffers.len()).map(Bound::Operand).collect();
    let staged = staged(plan, &bound, parts, 0).expect("a cut");
    let last = Prepare { plan: staged.plan, bound: staged.bound };
    for Prepare { plan, bound } in staged.prepare.iter().chain([&last]) {
        let key = |b: &Bound| match *b {
            Bound::Operand(n) | Bound::Result(n) => n,
            Bound::Prepared(n) => 100 + n,
        };
        let known = |(b, buffer): (&Bound, &Buffer)| values.get(&key(b)).cloned().unwrap_or_else(|| empty(buffer));
        let mut buffers: Vec<Vec<u8>> = bound.iter().zip(&plan.buffers).map(known).collect();
        interpret::run(plan, &mut buffers).unwrap_or_else(|e| panic!("{e}\n{}", plan.print()));
        values.extend(bound.iter().map(key).zip(buffers));
    }
    let got = (0..plan.buffers.len()).map(|n| values[&n].clone()).collect();
    (whole, got)
}

fn plan_of(x: Exprs, domain: VarId, body: Body, results: &[(ElementType, i64)], read: i64) -> KernelPlan {
    let mut buffers = vec![Buffer { element: F32, elements: read, access: Access::Read }];
    let written = |&(element, elements): &(ElementType, i64)| Buffer { element, elements, access: Access::Write };
    buffers.extend(results.iter().map(written));
    KernelPlan::new(x, buffers, vec![domain], body, Unscheduled, "rows".into())
}

#[test]
fn parts_of_a_sum_add_up_where_the_cut_is_even_and_where_it_is_not() {
    // 1009 is a prime.
    for (length, parts) in [(1024, 8), (1009, 5), (640, 7)] {
        let (mut x, i, j, load, _) = rows(3, length);
        let zero = number(&mut x, 0.0);
        let value = x.add(Node::Reduced { index: 0, element: F32 });
        let offset = x.indices.var(i);
        let fold = simple(Binary::Add, load, zero);
        let body = body(vec![j], vec![fold], vec![Store { buffer: 1, offset, value }]);
        let plan = plan_of(x, i, body, &[(F32, 3)], 3 * length);
        let (want, got) = both(&plan, parts);
        assert_eq!(want, got, "{length} in {parts} parts");
    }
}

#[test]
fn a_softmax_becomes_two_levels_and_a_loop() {
    let (mut x, i, j, load, offset) = rows(2, 700);
    let (low, zero) = (number(&mut x, f32::NEG_INFINITY), number(&mut x, 0.0));
    let top = x.add(Node::Reduced { index: 0, element: F32 });
    let total = x.add(Node::Reduced { index: 1, element: F32 });
    let off = x.binary(Binary::Subtract, load, top);
    let value = x.binary(Binary::Divide, off, total);
    let row = x.indices.var(i);
    let folds = vec![simple(Binary::Maximum, load, low), simple(Binary::Add, off, zero)];
    let stores = vec![Store { buffer: 1, offset, value }, Store { buffer: 2, offset: row, value: top }];
    let plan = plan_of(x, i, body(vec![j], folds, stores), &[(F32, 1400), (F32, 2)], 1400);
    let bound = vec![Bound::Operand(0), Bound::Result(0), Bound::Result(1)];
    let staged = staged(&plan, &bound, 4, 0).expect("a cut");
    assert_eq!(staged.prepare.len(), 4);
    assert!(matches!(staged.plan.body, Body::Loop { .. }));
    let (want, got) = both(&plan, 4);
    assert_eq!(want, got);
}

#[test]
fn sums_that_need_no_other_share_a_level() {
    let (mut x, i, j, load, _) = rows(2, 512);
    let zero = number(&mut x, 0.0);
    let square = x.binary(Binary::Multiply, load, load);
    let [a, b] = [0, 1].map(|index| x.add(Node::Reduced { index, element: F32 }));
    let value = x.binary(Binary::Subtract, a, b);
    let offset = x.indices.var(i);
    let folds = vec![simple(Binary::Add, load, zero), simple(Binary::Add, square, zero)];
    let plan = plan_of(x, i, body(vec![j], folds, vec![Store { buffer: 1, offset, value }]), &[(F32, 2)], 1024);
    let staged = staged(&plan, &[Bound::Operand(0), Bound::Result(0)], 4, 0).expect("a cut");
    assert_eq!(staged.prepare.len(), 1);
    let (want, got) = both(&plan, 4);
    assert_eq!(want, got);
}

/// The first of equal elements: the combiner does not commute, and its results are of two types.
#[test]
fn the_first_of_the_largest_is_found_in_parts() {
    let (mut x, i, j, load, _) = rows(3, 301);
    let low = number(&mut x, f32::NEG_INFINITY);
    let element = ElementType::I64;
    let place = x.indices.var(j);
    let place = x.add(Node::FromIndex { element, index: place });
    let none = x.add(Node::Constant { element, bits: 0 });
    let [a, m] = [F32, element].into_iter().zip(0..).collect::<Vec<_>>()[..] else { unreachable!() };
    let running = [a, m].map(|(element, index)| x.add(Node::Running { index, element }));
    let incoming = [a, m].map(|(element, index)| x.add(Node::Incoming { index, element }));
    let keeps = x.compare(Compare::Ge, running[0], incoming[0]);
    let next = [0, 1].map(|at| x.select(keeps, running[at], incoming[at]));
    let reduced = [a, m].map(|(element, index)| x.add(Node::Reduced { index, element }));
    let offset = x.indices.var(i);
    let combiner = Combiner::General(next.to_vec());
    let folds = vec![RowFold { inputs: vec![load, place], inits: vec![low, none], combiner }];
    let stores = (1..).zip(reduced).map(|(buffer, value)| Store { buffer, offset, value }).collect();
    let plan = plan_of(x, i, body(vec![j], folds, stores), &[(F32, 3), (element, 3)], 903);
    let (want, got) = both(&plan, 4);
    assert_eq!(want, got);
}

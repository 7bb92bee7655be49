//! A long operand that is computed where it is read: weights of fewer bits, times the scales of their blocks.
//!
//! Worked example: `(convert(q) - 8) * convert(d)`, `q` of 8 bits, one `d` for 16 of them: `q` is streamed, `d` is what
//! the lanes of a load have in common. An element takes a conversion, a subtraction and two products. Where what lanes
//! have in common meets their sum (`affine`), it takes a conversion and a product.

use std::collections::BTreeSet;

use fornax_plan::walk::Reached;
use fornax_plan::{Exprs, Node, NodeId, Operand, VarId};
use fornax_targets::fitted::gemv::computed::{OPERATIONS, REGISTERS_USED};

use super::affine::{Affine, Worth};
use super::products::Space;
use crate::access::{Load, Step, loads, step};

/// What it takes to compute an element of the long operand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Computed {
    /// Operations of an element, its product among them.
    work: f64,
    /// Loads of what the lanes of a load have in common.
    pub(super) common: u64,
    /// Bytes of a short element over those of the one that is loaded for a long one.
    pub(super) short: f64,
    /// What lanes have in common meets their sum.
    pub(super) is_unpacked: bool,
}

impl Computed {
    /// Of a long and a short operand; the lanes of a load of `bytes` an element lie along a variable, one that is
    /// summed over where `inside`.
    pub(super) fn of(
        exprs: &Exprs,
        (long, short): (&Operand, &Operand),
        (lanes, inside): (VarId, bool),
        bytes: i64,
    ) -> Computed {
        let affine =
            if inside { Affine::of(exprs, long.node, lanes, Worth::on_gpu(true)) } else { Affine::plain(long.node) };
        let work = operations(exprs, affine.source, lanes) + if affine.mantissa.is_some() { 1.0 } else { 0.0 };
        let stays = |load: &&Load| step(exprs, load.offset, lanes) == Step::Same;
        let common = loads(exprs, &[long.node]).iter().filter(stays).count() as u64;
        let short = short.element.storage_bytes() as f64 / bytes as f64;
        Computed { work, common, short, is_unpacked: !affine.is_plain() }
    }

    /// Registers that the assembler ends up with, of those that loads, sums and elements would take at once.
    pub(super) fn registers_used(registers: u64) -> u64 {
        registers * REGISTERS_USED / 100
    }

    /// Cycles of a unit for an element.
    pub(super) fn cycles(self) -> f64 {
        self.work / OPERATIONS
    }
}

/// The load that an operand is, or of which a computed one has an element for each of its own. There may be several of
/// one element type, such as four and two bits of each. Others give what many elements have in common: the scale of a
/// block does not move along the lanes, that of an output not along the steps.
pub(super) fn streamed(exprs: &Exprs, operand: &Operand, (inner, along): (VarId, Option<VarId>)) -> Option<Load> {
    if let Some(load) = operand.load {
        let load = Load { element: operand.element, offset: load.offset, masked: load.mask.is_some() };
        return Some(load).filter(|load| !load.masked);
    }
    let all = loads(exprs, &[operand.node]);
    let moves = |load: &Load, var: VarId| step(exprs, load.offset, var);
    let lies = |load: &&Load, var: VarId| moves(load, var).is_one();
    let lanes = [Some(inner), along].into_iter().flatten();
    let (load, var) = lanes.filter_map(|var| Some((*all.iter().find(|load| lies(load, var))?, var))).next()?;
    let of_output = |other: &Load| var != inner && moves(other, var).is_one() && moves(other, inner) == Step::Same;
    let streams_too = |other: &Load| other.element == load.element && lies(&other, var) && var == inner;
    let is_common = |other: &Load| {
        other.offset == load.offset || streams_too(other) || moves(other, var) == Step::Same || of_output(other)
    };
    (all.iter().all(|other| !other.masked && is_common(other))).then_some(load)
}

/// Loads that stream the long operands of a space: those at one place of one buffer are one.
pub(super) fn streams(exprs: &Exprs, space: &Space, along: Option<VarId>) -> u64 {
    let (mut all, mut unknown) = (BTreeSet::new(), 0);
    for &node in &space.long {
        let Some(first) = streamed(exprs, &Operand::of(exprs, node), (space.inner, along)) else {
            unknown += 1;
            continue;
        };
        for node in Reached::from(exprs, [node], &[]).nodes {
            let Node::Load { buffer, offset, element, .. } = *exprs.node(node) else { continue };
            let streams_too = element == first.element && step(exprs, offset, space.inner).is_one();
            if offset == first.offset || streams_too {
                all.insert((buffer, offset));
            }
        }
    }
    all.len() as u64 + unknown
}

/// Operations of an element of a node that differ from one place along a variable to the next, and its product.
fn operations(exprs: &Exprs, node: NodeId, along: VarId) -> f64 {
    let nodes = Reached::from(exprs, [node], &[]).nodes;
    let own = nodes.into_iter().filter(|&node| !matches!(exprs.node(node), Node::Load { .. } | Node::Constant { .. }));
    own.filter(|&node| exprs.node_varies(node, along)).count() as f64 + 1.0
}

//! What of a score is a condition on the column alone between bounds, and what is a constant factor.
//!
//! Input: the score's node. Output: [`Shape`]: the factor that may be taken out, the bounds of the visible columns, the
//! score inside of them.
//!
//! A mask that is added, 0 where a column is visible and −∞ elsewhere, is such a condition: what it hides is hidden
//! whatever its score is.
//!
//! Worked examples: `select(row ≥ column, 0.125·s, −2.4e38)`: scale 0.125, band `column < row + 1`, masked −5.5e8,
//! inside `s`. `0.5·(0.5·s) + select(column − row ≤ 0, 0, −∞)`: scale 0.25, the same band, masked −∞, inside `s`. A
//! chunk of a prompt: `select(column ≤ row + position, s, −∞)`, the position an argument: band `column < row + position
//! + 1`.

use fornax_graph::ElementType;
use fornax_plan::attention::{Band, Side};
use fornax_plan::{Binary, Compare, Exprs, IndexId, Node, NodeId, Unary, VarId};

use crate::facts::scalar::float_of;

/// A score taken apart.
pub struct Shape {
    pub score: NodeId,
    pub inside: NodeId,
    pub bands: Vec<Band>,
    pub masked: f32,
    pub scale: f32,
}

/// Least constant in place of masked scores, times scale and log2(e). The exponential's argument is a product less a
/// rounded product; where all of a row is masked its error must stay small, since 2^error is what every column weighs.
/// Scores this low are none.
const MASKED_MIN: f64 = -1e8;

/// The largest score of a row, which the kernel's is where scores of masked columns are raised to [`MASKED_MIN`]: of a
/// row that sees nothing their own constant. `None` where the score (f32) has several such constants.
pub fn unraised(exprs: &mut Exprs, score: NodeId, largest: NodeId) -> Option<NodeId> {
    let score = chosen(exprs, score);
    let least = MASKED_MIN / std::f64::consts::LOG2_E;
    let mut constants = Vec::new();
    masked_constants(exprs, (score, 1.0), &mut constants);
    constants.retain(|value| value.is_finite() && *value < least);
    let Some(&first) = constants.first() else { return Some(largest) };
    if constants.iter().any(|&other| other != first) {
        return None;
    }
    let mut number =
        |value: f64| exprs.add(Node::Constant { element: ElementType::F32, bits: u64::from((value as f32).to_bits()) });
    // Scores this low are none.
    let (low, own) = (number(least / 2.0), number(first));
    let is_masked = exprs.compare(Compare::Lt, largest, low);
    Some(exprs.select(is_masked, own, largest))
}

/// The constants that selects give a score, times the factor behind them.
fn masked_constants(exprs: &Exprs, (node, factor): (NodeId, f64), into: &mut Vec<f64>) {
    match *exprs.node(node) {
        Node::Constant { .. } => into.extend(constant(exprs, node).map(|value| value * factor)),
        Node::Select { a, b, .. } => [a, b].into_iter().for_each(|n| masked_constants(exprs, (n, factor), into)),
        Node::Binary { op: op @ (Binary::Multiply | Binary::Divide), a, b } => {
            let scaled = match (op, constant(exprs, a), constant(exprs, b)) {
                (Binary::Multiply, Some(by), None) => Some((b, by)),
                (Binary::Multiply, None, Some(by)) => Some((a, by)),
                (Binary::Divide, None, Some(by)) => Some((a, 1.0 / by)),
                _ => None,
            };
            if let Some((node, by)) = scaled {
                masked_constants(exprs, (node, factor * by), into);
            }
        }
        _ => {}
    }
}

/// Takes a score (f32) apart; `rows` are the row variables, `domain` all that bounds may depend on.
pub fn take_apart(exprs: &mut Exprs, score: NodeId, column: VarId, rows: &[VarId]) -> Shape {
    let score = chosen(exprs, score);
    let scale = Some(common_scale(exprs, score)).filter(|scale| scale.is_normal()).unwrap_or(1.0);
    let score = if scale == 1.0 { score } else { unscaled(exprs, score, f64::from(scale)) };
    let score = raised(exprs, score, MASKED_MIN / (f64::from(scale) * std::f64::consts::LOG2_E));
    let plain = Shape { score, inside: score, bands: Vec::new(), masked: f32::NEG_INFINITY, scale };
    let Some((condition, visible, masked, positive)) = outer_select(exprs, score) else { return plain };
    let mut bands = Vec::new();
    let rest = Literals { column, rows, bands: &mut bands }.split(exprs, condition, positive);
    if bands.is_empty() {
        return plain;
    }
    let inside = match rest {
        None => visible,
        Some(rest) => {
            let masked = exprs.add(Node::Constant { element: ElementType::F32, bits: u64::from(masked.to_bits()) });
            exprs.select(rest, visible, masked)
        }
    };
    Shape { score, inside, bands, masked, scale }
}

fn constant(exprs: &Exprs, node: NodeId) -> Option<f64> {
    match *exprs.node(node) {
        Node::Constant { element, bits } => float_of(element, bits),
        _ => None,
    }
}

/// The condition, the visible score, the masked score, and whether a true condition means visible.
fn outer_select(exprs: &Exprs, node: NodeId) -> Option<(NodeId, NodeId, f32, bool)> {
    let Node::Select { condition, a, b } = *exprs.node(node) else { return None };
    let low = |n: NodeId| constant(exprs, n).filter(|v| *v <= -1.0).map(|v| v as f32);
    match (low(a), low(b)) {
        (None, Some(masked)) => Some((condition, a, masked, true)),
        (Some(masked), None) => Some((condition, b, masked, false)),
        _ => None,
    }
}

/// The score with added masks as selections.
fn chosen(exprs: &mut Exprs, node: NodeId) -> NodeId {
    let Node::Binary { op: Binary::Add, a, b } = *exprs.node(node) else { return node };
    if exprs.element(node) != ElementType::F32 {
        return node;
    }
    for (score, mask) in [(a, b), (b, a)] {
        let mut source = mask;
        while let Node::Convert { a, .. } = *exprs.node(source) {
            source = a;
        }
        let Node::Select { condition, a, b } = *exprs.node(source) else { continue };
        let ends = (constant(exprs, a), constant(exprs, b));
        if !matches!(ends, (Some(0.0), Some(f64::NEG_INFINITY)) | (Some(f64::NEG_INFINITY), Some(0.0))) {
            continue;
        }
        let score = chosen(exprs, score);
        let bits = u64::from(f32::NEG_INFINITY.to_bits());
        let hidden = exprs.add(Node::Constant { element: ElementType::F32, bits });
        let (a, b) = if ends.0 == Some(0.0) { (score, hidden) } else { (hidden, score) };
        return exprs.select(condition, a, b);
    }
    node
}

/// The positive factor of the score, but for branches of selects that are constants.
fn common_scale(exprs: &Exprs, node: NodeId) -> f32 {
    if exprs.element(node) != ElementType::F32 {
        return 1.0;
    }
    let usable = |v: f64| v > 1e-30 && v < 1e30;
    match *exprs.node(node) {
        Node::Binary { op: Binary::Multiply, a, b } => match (constant(exprs, a), constant(exprs, b)) {
            (None, Some(c)) if usable(c) => c as f32 * common_scale(exprs, a),
            (Some(c), None) if usable(c) => c as f32 * common_scale(exprs, b),
            _ => 1.0,
        },
        Node::Binary { op: Binary::Divide, a, b } => match (constant(exprs, a), constant(exprs, b)) {
            (None, Some(c)) if usable(c) => (1.0 / c) as f32 * common_scale(exprs, a),
            _ => 1.0,
        },
        Node::Select { a, b, .. } => match (constant(exprs, a), constant(exprs, b)) {
            (None, Some(_)) => common_scale(exprs, a),
            (Some(_), None) => common_scale(exprs, b),
            _ => 1.0,
        },
        _ => 1.0,
    }
}

/// The score divided by its factor.
fn unscaled(exprs: &mut Exprs, node: NodeId, scale: f64) -> NodeId {
    match *exprs.node(node) {
        Node::Binary { op, a, b } => {
            let scaled = if op == Binary::Multiply && constant(exprs, a).is_some() { b } else { a };
            match common_scale(exprs, scaled) {
                1.0 => scaled,
                factor => unscaled(exprs, scaled, f64::from(factor)),
            }
        }
        Node::Constant { element, bits } => {
            let value = float_of(element, bits).unwrap_or(0.0);
            let value = if value.is_finite() { (value / scale).max(f64::from(f32::MIN)) } else { value };
            exprs.add(Node::Constant { element: ElementType::F32, bits: u64::from((value as f32).to_bits()) })
        }
        Node::Select { condition, a, b } => {
            let (a, b) = (unscaled(exprs, a, scale), unscaled(exprs, b, scale));
            exprs.select(condition, a, b)
        }
        _ => node,
    }
}

/// The score with the finite constants that selects give masked columns brought up to `least`.
fn raised(exprs: &mut Exprs, node: NodeId, least: f64) -> NodeId {
    match *exprs.node(node) {
        Node::Constant { element: element @ ElementType::F32, bits } => match float_of(element, bits) {
            Some(value) if value.is_finite() && value < least => {
                exprs.add(Node::Constant { element, bits: u64::from((least as f32).to_bits()) })
            }
            _ => node,
        },
        Node::Select { condition, a, b } if exprs.element(node) == ElementType::F32 => {
            let (a, b) = (raised(exprs, a, least), raised(exprs, b, least));
            exprs.select(condition, a, b)
        }
        _ => node,
    }
}

/// Splits a condition in bounds of the column and the rest.
struct Literals<'a> {
    column: VarId,
    rows: &'a [VarId],
    bands: &'a mut Vec<Band>,
}

impl Literals<'_> {
    /// The part of a condition (or of its negation) that is no bound; `None` for true.
    fn split(&mut self, exprs: &mut Exprs, node: NodeId, positive: bool) -> Option<NodeId> {
        match *exprs.node(node) {
            Node::Constant { bits, .. } if (bits != 0) == positive => return None,
            Node::Unary { op: Unary::Not, a } => return self.split(exprs, a, !positive),
            Node::Binary { op: Binary::And, a, b } if positive => return self.both(exprs, (a, b), true),
            Node::Binary { op: Binary::Or, a, b } if !positive => return self.both(exprs, (a, b), false),
            // select(a, b, false) is a and b.
            Node::Select { condition, a, b } if positive && is_false(exprs, b) => {
                return self.both(exprs, (condition, a), true);
            }
            Node::Compare { op, a, b } => {
                let op = if positive { Some(op) } else { opposite(op) };
                if let Some(band) = op.and_then(|op| self.band(exprs, op, a, b)) {
                    if !self.bands.contains(&band) {
                        self.bands.push(band);
                    }
                    return None;
                }
            }
            _ => {}
        }
        Some(if positive { node } else { exprs.unary(Unary::Not, node) })
    }

    fn both(&mut self, exprs: &mut Exprs, (a, b): (NodeId, NodeId), positive: bool) -> Option<NodeId> {
        match (self.split(exprs, a, positive), self.split(exprs, b, positive)) {
            (Some(a), Some(b)) => Some(exprs.binary(Binary::And, a, b)),
            (one, None) | (None, one) => one,
        }
    }

    /// `a op b` as a bound of the column.
    fn band(&self, exprs: &mut Exprs, op: Compare, a: NodeId, b: NodeId) -> Option<Band> {
        let element = exprs.element(a);
        if !matches!(element, ElementType::I32 | ElementType::I64) {
            return None;
        }
        let (left, right) = (affine(exprs, a), affine(exprs, b));
        if let (Some(left), Some(right)) = (left, right) {
            // ±column + rest op 0
            let difference = exprs.indices.sub(left, right);
            let whole = exprs.indices.var(self.column);
            return match exprs.indices.stride(difference, self.column)? {
                1 => {
                    let rest = exprs.indices.sub(difference, whole);
                    let bound = exprs.indices.scale(rest, -1);
                    self.affine_band(exprs, op, bound)
                }
                -1 => {
                    let bound = exprs.indices.add(difference, whole);
                    self.affine_band(exprs, mirrored(op)?, bound)
                }
                _ => None,
            };
        }
        match (left, right) {
            (Some(left), None) => self.loaded_band(exprs, op, left, b),
            (None, Some(right)) => self.loaded_band(exprs, mirrored(op)?, right, a),
            _ => None,
        }
    }

    /// `column op bound`.
    fn affine_band(&self, exprs: &mut Exprs, op: Compare, bound: IndexId) -> Option<Band> {
        let (side, by) = side(op)?;
        if exprs.index_varies(bound, self.column) || !self.rises(exprs, bound) {
            return None;
        }
        let index = exprs.indices.offset(bound, by);
        let bound = exprs.add(Node::FromIndex { element: ElementType::I64, index });
        Some(Band { side, bound })
    }

    /// `column + c op node`, the node being the same for all rows and columns, or a row's number more than that.
    ///
    /// The sum may overflow, so the bound is the sum as the model computes it. Rows are far fewer than 2^31: where some
    /// overflow, those see nothing and the others everything.
    fn loaded_band(&self, exprs: &mut Exprs, op: Compare, index: IndexId, node: NodeId) -> Option<Band> {
        let (side, by) = side(op)?;
        let whole = exprs.indices.var(self.column);
        let rest = exprs.indices.sub(index, whole);
        let constant = exprs.indices.as_constant(rest)?;
        if self.varies(exprs, node) && !self.is_shifted(exprs, node) {
            return None;
        }
        let wide = exprs.convert(ElementType::I64, node);
        let by = exprs.add(Node::Constant { element: ElementType::I64, bits: (by - constant) as u64 });
        let bound = exprs.binary(Binary::Add, wide, by);
        Some(Band { side, bound })
    }

    fn varies(&self, exprs: &Exprs, node: NodeId) -> bool {
        exprs.node_varies(node, self.column) || self.rows.iter().any(|&row| exprs.node_varies(node, row))
    }

    /// Whether a node is an index that rises with the rows, added to what is the same for all.
    fn is_shifted(&self, exprs: &mut Exprs, node: NodeId) -> bool {
        let Node::Binary { op: Binary::Add, a, b } = *exprs.node(node) else { return false };
        [(a, b), (b, a)].into_iter().any(|(index, common)| {
            let index = affine(exprs, index).filter(|&index| !exprs.index_varies(index, self.column));
            index.is_some_and(|index| self.rises(exprs, index)) && !self.varies(exprs, common)
        })
    }

    /// Of the row variables only the first counts, evenly, and it never lowers the bound.
    fn rises(&self, exprs: &Exprs, bound: IndexId) -> bool {
        self.rows.iter().enumerate().all(|(at, &row)| match (at, exprs.indices.stride(bound, row)) {
            (0, Some(step)) => step >= 0 && only_direct(exprs, bound, row, step),
            _ => !exprs.index_varies(bound, row),
        })
    }
}

/// With a stride of 0 the variable must not hide anywhere.
fn only_direct(exprs: &Exprs, bound: IndexId, row: VarId, step: i64) -> bool {
    step > 0 || !exprs.index_varies(bound, row)
}

fn is_false(exprs: &Exprs, node: NodeId) -> bool {
    matches!(exprs.node(node), Node::Constant { bits: 0, .. })
}

/// An integer node as an index: constants, indices, their sums and differences.
fn affine(exprs: &mut Exprs, node: NodeId) -> Option<IndexId> {
    const LARGEST: i64 = 1 << 30;
    match *exprs.node(node) {
        Node::FromIndex { index, .. } => {
            let (low, high) = exprs.indices.range(index);
            (low >= -LARGEST && high <= LARGEST).then_some(index)
        }
        Node::Constant { element, bits } => {
            let value = if element == ElementType::I32 { i64::from(bits as u32 as i32) } else { bits as i64 };
            (value.abs() <= LARGEST).then(|| exprs.indices.constant(value))
        }
        Node::Binary { op: op @ (Binary::Add | Binary::Subtract), a, b } => {
            let (a, b) = (affine(exprs, a)?, affine(exprs, b)?);
            let index = if op == Binary::Add { exprs.indices.add(a, b) } else { exprs.indices.sub(a, b) };
            let (low, high) = exprs.indices.range(index);
            (low >= -LARGEST && high <= LARGEST).then_some(index)
        }
        _ => None,
    }
}

/// Which side `column op bound` bounds, and what is added to the bound.
fn side(op: Compare) -> Option<(Side, i64)> {
    match op {
        Compare::Lt => Some((Side::High, 0)),
        Compare::Le => Some((Side::High, 1)),
        Compare::Gt => Some((Side::Low, 1)),
        Compare::Ge => Some((Side::Low, 0)),
        _ => None,
    }
}

/// `a op b` as `b op' a`.
fn mirrored(op: Compare) -> Option<Compare> {
    match op {
        Compare::Lt => Some(Compare::Gt),
        Compare::Le => Some(Compare::Ge),
        Compare::Gt => Some(Compare::Lt),
        Compare::Ge => Some(Compare::Le),
        _ => None,
    }
}

/// The comparison that holds where `op` does not (integers).
fn opposite(op: Compare) -> Option<Compare> {
    match op {
        Compare::Lt => Some(Compare::Ge),
        Compare::Le => Some(Compare::Gt),
        Compare::Gt => Some(Compare::Le),
        Compare::Ge => Some(Compare::Lt),
        _ => None,
    }
}

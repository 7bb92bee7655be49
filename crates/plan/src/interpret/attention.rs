//! `Body::Attention` at one point of the domain: all scores (once for all features), their maximum, the weights, the
//! weighted mean. In f64.

use fornax_graph::ElementType;

use super::scalar::convert;
use super::{Machine, Result};
use crate::attention::Attention;
use crate::expr::NodeId;

impl Machine<'_> {
    /// Leaves the result, of a part its sum, in `Reduced(1)`, largest score and sum of weights behind it.
    pub(super) fn attention(&mut self, a: &Attention) -> Result<()> {
        let mut row = self.vars.clone();
        for var in [a.feature, a.column(), a.depth()] {
            row[var.0 as usize] = 0;
        }
        if !self.scores.contains_key(&row) {
            let scores = self.scores(a)?;
            self.scores.insert(row.clone(), scores);
        }
        let scores = self.scores.get(&row).cloned().unwrap_or_default();
        let maximum = scores.iter().fold(f64::NEG_INFINITY, |m, s| if s.1.is_nan() { s.1 } else { m.max(s.1) });
        let (mut sum, mut total) = (0f64, 0f64);
        for (column, score) in scores {
            self.memo.clear();
            self.vars[a.column().0 as usize] = column;
            let value = self.real(a.value)?;
            // A part of which nothing is visible weighs nothing.
            let nothing = a.part.is_some() && maximum == f64::NEG_INFINITY;
            let weight = if nothing { 0.0 } else { (score - maximum).exp() };
            let rounded = convert(ElementType::F64, a.weight, weight.to_bits());
            sum += f64::from_bits(convert(a.weight, ElementType::F64, rounded)) * value;
            total += weight;
        }
        if a.empty_is_zero && a.part.is_none() && maximum == f64::NEG_INFINITY {
            (sum, total) = (0.0, 1.0);
        }
        let bits = |value: f64| u64::from((value as f32).to_bits());
        let mean = if a.part.is_some() { sum } else { sum / total };
        self.reduced = vec![0, bits(mean), bits(maximum), bits(total)];
        Ok(())
    }

    /// Columns that the present point sees, and their scaled scores.
    fn scores(&mut self, a: &Attention) -> Result<Vec<(i64, f64)>> {
        let start = a.part.map(|p| self.index(p.start)).transpose()?;
        let seen = move |at: i64| match (a.part, start) {
            (Some(part), Some(start)) => (start..start + part.columns).contains(&at),
            _ => true,
        };
        let mut scores = Vec::new();
        self.point(&a.reduction[..1], &mut |m| {
            let column = m.vars[a.column().0 as usize];
            if !seen(column) {
                return Ok(());
            }
            let mut sum = 0f64;
            m.point(&a.reduction[1..], &mut |m| {
                sum += m.real(a.query)? * m.real(a.key)?;
                Ok(())
            })?;
            m.memo.clear();
            m.reduced = vec![u64::from((sum as f32).to_bits())];
            scores.push((column, m.real(a.score)? * f64::from(a.scale())));
            Ok(())
        })?;
        Ok(scores)
    }

    fn real(&mut self, node: NodeId) -> Result<f64> {
        let element = self.plan.exprs.element(node);
        Ok(f64::from_bits(convert(element, ElementType::F64, self.node(node)?)))
    }
}

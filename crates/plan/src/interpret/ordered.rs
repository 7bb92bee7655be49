//! Sorts and scans, line by line, and segments, point by point.

use super::{Machine, Result};
use crate::expr::{Binary, NodeId};
use crate::index::VarId;
use crate::interpret::scalar::binary;
use crate::kernel::{Body, Combiner};
use crate::radix::Digits;

impl Machine<'_> {
    /// The results at the present point of a line along `along`.
    pub(super) fn place_of_line(&mut self, along: VarId) -> Result<Vec<u64>> {
        let vars = self.vars.clone();
        let place = vars[along.0 as usize];
        let plan = self.plan;
        let others: Vec<i64> = plan.line_vars().iter().map(|v| vars[v.0 as usize]).collect();
        if self.last_line.as_ref().is_none_or(|l| l.0 != others) {
            let line = match &plan.body {
                Body::Sort { source, operands, before, to, keep, .. } => {
                    self.sorted(*source, operands, *before, (*to, *keep))?
                }
                Body::Scan { along, reverse, input, combiner, .. } => {
                    self.scanned(*along, *reverse, *input, *combiner)?
                }
                Body::Distribute { digits, operands, start, .. } => self.distributed(digits, operands, *start)?,
                _ => Vec::new(),
            };
            self.last_line = Some((others, line));
        }
        self.vars = vars;
        self.memo.clear();
        let line = self.last_line.as_ref().map(|l| l.1.as_slice()).unwrap_or_default();
        Ok(line.get(place as usize).cloned().unwrap_or_default())
    }

    fn sorted(
        &mut self,
        source: VarId,
        operands: &[NodeId],
        before: NodeId,
        (to, keep): (i64, i64),
    ) -> Result<Vec<Vec<u64>>> {
        let mut line = Vec::new();
        for place in 0..self.extent(source)? {
            self.vars[source.0 as usize] = place;
            self.memo.clear();
            line.push(operands.iter().map(|&n| self.node(n)).collect::<Result<Vec<u64>>>()?);
        }
        let mut kept = Vec::new();
        for run in line.chunks(to.max(1) as usize) {
            let sorted = self.merge_sort(run.to_vec(), before)?;
            kept.extend(sorted.into_iter().take(keep.max(1) as usize));
        }
        Ok(kept)
    }

    fn merge_sort(&mut self, run: Vec<Vec<u64>>, before: NodeId) -> Result<Vec<Vec<u64>>> {
        if run.len() < 2 {
            return Ok(run);
        }
        let right = self.merge_sort(run[run.len() / 2..].to_vec(), before)?;
        let left = self.merge_sort(run[..run.len() / 2].to_vec(), before)?;
        let (mut left, mut right) = (left.into_iter().peekable(), right.into_iter().peekable());
        let mut merged = Vec::new();
        loop {
            let take_right = match (left.peek(), right.peek()) {
                (Some(l), Some(r)) => {
                    (self.running, self.incoming) = (r.clone(), l.clone());
                    self.memo.clear();
                    self.node(before)? != 0
                }
                (None, None) => return Ok(merged),
                (left, _) => left.is_none(),
            };
            merged.extend(if take_right { right.next() } else { left.next() });
        }
    }

    fn scanned(&mut self, along: VarId, reverse: bool, input: NodeId, combiner: Binary) -> Result<Vec<Vec<u64>>> {
        let n = self.extent(along)?;
        let element = self.plan.exprs.element(input);
        let mut results = vec![Vec::new(); n.max(0) as usize];
        let mut sum: Option<u64> = None;
        for step in 0..n {
            let place = if reverse { n - 1 - step } else { step };
            self.vars[along.0 as usize] = place;
            self.memo.clear();
            let value = self.node(input)?;
            let folded = sum.map_or(value, |sum| binary(combiner, element, sum, value));
            results[place as usize] = vec![folded];
            sum = Some(folded);
        }
        Ok(results)
    }

    /// Folds the segment of the present point into `reduced`.
    pub(super) fn segment(
        &mut self,
        (along, key, row): (VarId, NodeId, NodeId),
        inputs: &[NodeId],
        inits: &[NodeId],
        combiner: &Combiner,
    ) -> Result<()> {
        let plan = self.plan;
        self.memo.clear();
        let mut folded = inits.iter().map(|&n| self.node(n)).collect::<Result<Vec<u64>>>()?;
        for place in 0..self.extent(along)? {
            self.vars[along.0 as usize] = place;
            self.memo.clear();
            if self.node(key)? != self.node(row)? {
                continue;
            }
            self.incoming = inputs.iter().map(|&n| self.node(n)).collect::<Result<Vec<u64>>>()?;
            self.running = folded;
            folded = match combiner {
                Combiner::Simple(op) => {
                    vec![binary(*op, plan.exprs.element(inits[0]), self.running[0], self.incoming[0])]
                }
                Combiner::General(nodes) => nodes.iter().map(|&n| self.node(n)).collect::<Result<_>>()?,
            };
        }
        self.memo.clear();
        self.reduced = folded;
        Ok(())
    }

    /// Elements of the present tile with the present digit.
    pub(super) fn counted(&mut self, digits: &Digits) -> Result<u64> {
        let (digit, tile) = (self.vars[digits.digit_var.0 as usize], self.vars[digits.tile_var.0 as usize]);
        let line = self.extent(digits.source)?;
        let mut count = 0;
        for place in tile * digits.tile..((tile + 1) * digits.tile).min(line) {
            self.vars[digits.source.0 as usize] = place;
            self.memo.clear();
            count += u64::from(self.node(digits.digit)? == digit as u64);
        }
        self.memo.clear();
        Ok(count)
    }

    fn distributed(&mut self, digits: &Digits, operands: &[NodeId], start: NodeId) -> Result<Vec<Vec<u64>>> {
        let line = self.extent(digits.source)?;
        let mut placed = vec![Vec::new(); line.max(0) as usize];
        let mut counts: std::collections::HashMap<(i64, u64), u64> = std::collections::HashMap::new();
        for place in 0..line {
            self.vars[digits.source.0 as usize] = place;
            self.memo.clear();
            let digit = self.node(digits.digit)?;
            let values = operands.iter().map(|&n| self.node(n)).collect::<Result<Vec<u64>>>()?;
            let tile = place / digits.tile;
            self.vars[digits.digit_var.0 as usize] = digit as i64;
            self.vars[digits.tile_var.0 as usize] = tile;
            self.memo.clear();
            let before = counts.entry((tile, digit)).or_default();
            let own = *before;
            *before += 1;
            let target = self.node(start)? + own;
            if let Some(slot) = placed.get_mut(target as usize) {
                *slot = values;
            }
        }
        Ok(placed)
    }
}

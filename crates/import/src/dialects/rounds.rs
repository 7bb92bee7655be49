//! Sizes in counted loops: what an integer is in every round.
//!
//! Input: the loops around an op whose bounds and step are numbers, and an integer computed from their counters.
//! Output: the number that it is in every round, found by computing all of them. Where a size differs from round to
//! round, the loop is written out, every round with its own sizes (`control`). Limits: [`MOST_ROUNDS`] rounds in
//! [`MOST_STEPS`] steps are computed, [`MOST_WRITTEN_OUT`] of a loop written out and [`MOST_WRITTEN_OUT_IN_ALL`] of a
//! program, [`MOST_KEPT_ASIDE`] ops kept to go back to: loops within loops multiply.
//!
//! Worked example: frames of 16 samples, 4 apart, of 64: in rounds i = 0 … 12 a frame has `min(4·i + 16, 64) − 4·i`
//! samples, which is 16 each time.

use std::collections::HashMap;

use fornax_graph::{BlockId, ElementType, Graph, OpKind, ValueId};

use super::build::Builder;
use super::converter::Converter;

/// Rounds of all loops around together whose numbers are computed.
const MOST_ROUNDS: i64 = 1 << 16;

/// Ops of all rounds together that are computed for a size.
const MOST_STEPS: i64 = 1 << 22;

/// Rounds of a loop that may be written out; those of all loops of a program, rounds that are given up again included.
pub const MOST_WRITTEN_OUT: i64 = 256;
pub const MOST_WRITTEN_OUT_IN_ALL: i64 = 4096;

/// Ops of all graphs together that are kept to go back to.
pub const MOST_KEPT_ASIDE: usize = 1 << 22;

/// Ops that a size is computed by, at most.
const MOST_OPS: usize = 256;

/// A counter that is `first`, `first + step`, … for `rounds` rounds.
#[derive(Clone, Copy, Debug)]
pub struct Counter {
    pub value: ValueId,
    pub first: i64,
    pub step: i64,
    pub rounds: i64,
}

impl Counter {
    /// The rounds from `first` up to below `limit`.
    pub fn rounds_of(first: i64, limit: i64, step: i64) -> Option<i64> {
        let span = limit.checked_sub(first)?.max(0);
        (step > 0).then(|| span / step + i64::from(span % step != 0))
    }
}

/// What was made so far, to go back to.
pub struct Checkpoint {
    b: Builder,
    lists: HashMap<ValueId, Vec<ValueId>>,
    globals: HashMap<String, ValueId>,
    depth: usize,
    counters: usize,
}

impl Converter<'_> {
    pub fn checkpoint(&self) -> Checkpoint {
        Checkpoint {
            b: self.b.clone(),
            lists: self.lists.clone(),
            globals: self.globals.clone(),
            depth: self.depth,
            counters: self.counters.len(),
        }
    }

    pub fn go_back(&mut self, to: Checkpoint) {
        (self.b, self.lists, self.globals, self.depth) = (to.b, to.lists, to.globals, to.depth);
        self.counters.truncate(to.counters);
        self.size_differs = false;
    }

    /// Whether an op of a block leaves a size of its result open.
    pub fn leaves_sizes_open(&self, block: BlockId) -> bool {
        self.raw.block(block).ops.iter().map(|&id| self.raw.op(id)).any(|op| {
            let open =
                op.results.iter().any(|&r| self.raw.ty(r).as_tensor().is_some_and(|t| t.static_shape().is_none()));
            let inner = op.regions.iter().flat_map(|&region| &self.raw.region(region).blocks);
            open || inner.into_iter().any(|&block| self.leaves_sizes_open(block))
        })
    }

    /// The number that an integer of rank 0 is in every round of the loops around, if it is one.
    pub fn in_every_round(&self, value: ValueId) -> Option<i64> {
        let graph = &self.b.graph;
        let order = steps_to(&self.b, value, &self.counters)?;
        let counters: Vec<&Counter> = self.counters.iter().filter(|c| order.contains(&c.value)).collect();
        let rounds = counters.iter().try_fold(1i64, |n, c| n.checked_mul(c.rounds))?;
        if !(1..=MOST_ROUNDS).contains(&rounds) || rounds.saturating_mul(order.len() as i64) > MOST_STEPS {
            return None;
        }
        let mut same = None;
        for round in 0..rounds {
            let (mut known, mut rest) = (HashMap::new(), round);
            for counter in &counters {
                let at = counter.step.checked_mul(rest % counter.rounds)?;
                known.insert(counter.value, counter.first.checked_add(at)?);
                rest /= counter.rounds;
            }
            for &step in &order {
                if !known.contains_key(&step) {
                    let number = self.b.known_index(step).or_else(|| computed(graph, step, &known))?;
                    known.insert(step, number);
                }
            }
            let number = *known.get(&value)?;
            if *same.get_or_insert(number) != number {
                return None;
            }
        }
        same
    }
}

/// What a value is computed from, operands first, down to numbers and counters.
fn steps_to(b: &Builder, value: ValueId, counters: &[Counter]) -> Option<Vec<ValueId>> {
    let (mut order, mut open) = (Vec::new(), vec![(value, false)]);
    while let Some((value, operands_done)) = open.pop() {
        if order.contains(&value) {
            continue;
        }
        let is_leaf = b.known_index(value).is_some() || counters.iter().any(|c| c.value == value);
        if operands_done || is_leaf {
            order.push(value);
            continue;
        }
        if order.len() + open.len() > MOST_OPS {
            return None;
        }
        let op = b.graph.op(b.graph.producer(value)?);
        open.push((value, true));
        open.extend(op.operands.iter().map(|&operand| (operand, false)));
    }
    Some(order)
}

/// The number of an integer op whose operands are known; `None` for other ops, and where it would wrap.
fn computed(graph: &Graph, value: ValueId, known: &HashMap<ValueId, i64>) -> Option<i64> {
    let op = graph.op(graph.producer(value)?);
    let operand = |at: usize| known.get(op.operands.get(at)?).copied();
    let (a, b) = (operand(0)?, operand(1));
    let number = match op.kind {
        OpKind::Convert => a,
        OpKind::Add => a.checked_add(b?)?,
        OpKind::Subtract => a.checked_sub(b?)?,
        OpKind::Multiply => a.checked_mul(b?)?,
        OpKind::Divide => a.checked_div(b?)?,
        OpKind::Remainder => a.checked_rem(b?)?,
        OpKind::Minimum => a.min(b?),
        OpKind::Maximum => a.max(b?),
        OpKind::Select if a != 0 => b?,
        OpKind::Select => operand(2)?,
        OpKind::And => a & b?,
        OpKind::Or => a | b?,
        OpKind::Compare => {
            let b = b?;
            i64::from(match op.attrs.keyword("comparison_direction")? {
                "EQ" => a == b,
                "NE" => a != b,
                "LT" => a < b,
                "LE" => a <= b,
                "GT" => a > b,
                "GE" => a >= b,
                _ => return None,
            })
        }
        _ => return None,
    };
    let element = graph.ty(value).as_tensor().filter(|ty| ty.rank() == 0)?.element;
    let fits = match element {
        ElementType::I1 => (0..=1).contains(&number),
        ElementType::I64 => true,
        ElementType::I32 => i32::try_from(number).is_ok(),
        _ => false,
    };
    fits.then_some(number)
}

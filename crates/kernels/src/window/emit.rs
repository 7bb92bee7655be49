//! Windows that slide: depthwise convolutions and pooling, each element read once by a thread and kept in a register.
//!
//! A thread has a block of outputs; the taps of the window are written out, without loops (variables of the reduction
//! that are no taps stay loops around it). Element `stride·p + dilation·t` of a pair serves every output p and tap t
//! that give the same number: it is evaluated at the first of them, and found again under the bindings of the others.
//! Positions are gone through in ascending order, a row of them (all but the last pair fixed) at a time: the elements
//! of the next row are read before the present one is folded. Each output folds its taps in ascending order. See `tile`
//! for blocks, threads and stores, `guarded` for the padding.
//!
//! Worked example, depthwise 3×3, stride 1, 2 × 4 outputs of 4 lanes: rows 0…3 of the image with 6 vectors each. Row 1
//! serves output row 0 by filter row 1 and output row 1 by filter row 0: its vector 2 makes 6 multiply-adds of 4 lanes.
//! In all 24 loads and 72 multiply-adds, where every output for itself would take 72 loads.

use std::collections::{BTreeMap, HashMap};

use crate::window::schedule::WindowSchedule;
use fornax_plan::{Body, NodeId, VarId, WindowPair};

use fornax_emit::blocks::product::product;
use fornax_emit::blocks::reduction_folds::fold;
use fornax_emit::blocks::tile;
use fornax_emit::blocks::tile::{Point, Taps, Tile, bind_point};
use fornax_emit::emitter::{Binding, Emitter};
use fornax_emit::errors::EmitError;
use fornax_emit::text::Value;

/// Steps that are written out, at most.
const STEPS_MAX: u64 = 1024;

/// What a tile needs to know of the windows.
pub(super) struct Window<'a> {
    pairs: Vec<WindowPair>,
    /// Operands that slide over all pairs.
    sliding: &'a [NodeId],
}

impl Taps for Window<'_> {
    fn has(&self, var: VarId) -> bool {
        self.pairs.iter().any(|p| p.tap == var)
    }

    fn fold(
        &self,
        e: &mut Emitter<'_>,
        tile: &Tile<'_>,
        points: &[Point],
        running: Vec<Value>,
    ) -> Result<Vec<Value>, EmitError> {
        self.slide(e, tile, points, running)
    }
}

/// Emits the body.
pub fn emit(e: &mut Emitter<'_>, schedule: &WindowSchedule) -> Result<(), EmitError> {
    let Some(sliding) = e.plan.window_pairs() else { return Err(e.malformed("nothing slides in this window")) };
    let pairs: Vec<WindowPair> = schedule.pairs.iter().map(|p| p.0).collect();
    if pairs != sliding.pairs {
        return Err(e.unfit("the schedule is of another window"));
    }
    let extent = |v: VarId| e.exprs.indices.extent(v).max(0) as u64;
    let taps: u64 = pairs.iter().map(|p| extent(p.tap)).product();
    let outputs: u64 = schedule.pairs.iter().map(|&(p, count)| extent(p.output).min(u64::from(count))).product();
    if outputs.saturating_mul(taps) > STEPS_MAX {
        return Err(e.unfit(format!("{outputs} outputs of {taps} taps are too many to write out")));
    }
    if schedule.vector.is_some_and(|(v, lanes)| lanes == 0 || !extent(v).is_multiple_of(u64::from(lanes)))
        || schedule.vector.is_some_and(|(v, _)| pairs.iter().any(|p| p.output == v))
    {
        return Err(e.unfit("the lanes of a window lie along no whole vectors outside of it"));
    }
    let window = Window { pairs, sliding: &sliding.operands };
    let plan = e.plan;
    match &plan.body {
        Body::Reduce { inputs, inits, combiner, .. } => {
            let fold = fold(e, inputs, inits, combiner)?;
            tile::emit_with_taps(e, fold.as_ref(), &schedule.tile(), Some(&window))
        }
        _ => {
            let fold = product(e)?;
            tile::emit_with_taps(e, &fold, &schedule.tile(), Some(&window))
        }
    }
}

/// One use of the element at a position: number of the point, tap along each pair.
type Use = (usize, Vec<i64>);

impl Window<'_> {
    /// Folds all taps of all points.
    fn slide(
        &self,
        e: &mut Emitter<'_>,
        tile: &Tile<'_>,
        points: &[Point],
        mut running: Vec<Value>,
    ) -> Result<Vec<Value>, EmitError> {
        let taps = bind_taps(e, self);
        let rows: Vec<(Vec<i64>, Vec<Use>)> = self.uses(e, tile, points.len()).into_iter().collect();
        let n = tile.fold.operands();
        let mut read: HashMap<(usize, NodeId), Value> = HashMap::new();
        let (mut at, mut ahead) = (0, 0);
        while at < rows.len() {
            let end = end_of_row(&rows, at);
            let until = if end < rows.len() { end_of_row(&rows, end) } else { end };
            for (position, (_, uses)) in rows.iter().enumerate().take(until).skip(ahead) {
                let Some((point, tap)) = uses.first() else { continue };
                bind_use(e, self, &taps, (&points[*point], tap));
                for &node in self.sliding {
                    e.provide_guarded(node)?;
                    let value = e.eval(node)?;
                    read.insert((position, node), value);
                }
            }
            ahead = until;
            for (position, (_, uses)) in rows.iter().enumerate().take(end).skip(at) {
                for (point, tap) in uses {
                    bind_use(e, self, &taps, (&points[*point], tap));
                    for &node in self.sliding {
                        if let Some(&value) = read.get(&(position, node)) {
                            e.provide(node, value);
                        }
                    }
                    let lanes = e.lanes;
                    let next = tile.fold.step(e, &running[point * n..(point + 1) * n])?;
                    for (slot, value) in running[point * n..].iter_mut().zip(next) {
                        *slot = e.code.spread(value, lanes);
                    }
                }
            }
            at = end;
        }
        Ok(running)
    }

    /// Every position of the window's elements with its uses, in ascending order.
    fn uses(&self, e: &Emitter<'_>, tile: &Tile<'_>, points: usize) -> BTreeMap<Vec<i64>, Vec<Use>> {
        let counts: Vec<usize> = tile.axes.iter().map(|a| a.offsets().len()).collect();
        let mut uses: BTreeMap<Vec<i64>, Vec<Use>> = BTreeMap::new();
        for point in 0..points {
            // Points are numbered row-major over the axes.
            let mut rest = point;
            let mut offsets = vec![0i64; tile.axes.len()];
            for at in (0..tile.axes.len()).rev() {
                let own = tile.axes[at].offsets();
                offsets[at] = own.get(rest % counts[at].max(1)).copied().unwrap_or(0);
                rest /= counts[at].max(1);
            }
            let mut found: Vec<(Vec<i64>, Vec<i64>)> = vec![(Vec::new(), Vec::new())];
            for pair in &self.pairs {
                let offset = tile.axes.iter().position(|a| a.var == pair.output).map_or(0, |at| offsets[at]);
                let extent = e.exprs.indices.extent(pair.tap);
                found = found
                    .into_iter()
                    .flat_map(|(position, tap)| {
                        (0..extent).map(move |t| {
                            let (mut position, mut tap) = (position.clone(), tap.clone());
                            position.push(pair.stride * offset + pair.dilation * t);
                            tap.push(t);
                            (position, tap)
                        })
                    })
                    .collect();
            }
            for (position, tap) in found {
                uses.entry(position).or_default().push((point, tap));
            }
        }
        uses
    }
}

/// The end of the positions that agree with position `at` in all pairs but the last.
fn end_of_row(rows: &[(Vec<i64>, Vec<Use>)], at: usize) -> usize {
    let row = |position: &[i64]| position.split_last().map(|(_, outer)| outer.to_vec());
    let first = row(&rows[at].0);
    (at..rows.len()).find(|&other| row(&rows[other].0) != first).unwrap_or(rows.len())
}

/// One binding for every tap of every pair.
fn bind_taps(e: &mut Emitter<'_>, window: &Window<'_>) -> Vec<Vec<Binding>> {
    let mut all = Vec::with_capacity(window.pairs.len());
    for pair in &window.pairs {
        let extent = e.exprs.indices.extent(pair.tap);
        let mut bindings = Vec::new();
        for tap in 0..extent {
            e.bind(pair.tap, None, 0, tap);
            bindings.extend(e.binding(pair.tap));
        }
        all.push(bindings);
    }
    all
}

fn bind_use(e: &mut Emitter<'_>, window: &Window<'_>, taps: &[Vec<Binding>], (point, tap): (&Point, &[i64])) {
    bind_point(e, point);
    for ((pair, bindings), &t) in window.pairs.iter().zip(taps).zip(tap) {
        if let Some(&binding) = bindings.get(t as usize) {
            e.rebind(pair.tap, binding);
        }
    }
}

//! Keys and values, asked for before the kernels before are over.
//!
//! Which columns are visible is often said by an argument, such as the position of a token, and where they lie by
//! arguments too: no kernel of a call writes those. So each warp finds its first tiles, asks for their rows to come to
//! the second-level cache, and then waits for the kernels before (queries, and the key and value that they write). A
//! request is no read: what is written meanwhile is found.
//!
//! Worked example: 8 heads of keys over 1024 columns of 128 features, 64 workgroups of 8 warps: a tile each, of which a
//! lane asks for a key's or a value's 256 bytes.

use fornax_emit::emitter::Emitter;
use fornax_emit::errors::EmitError;
use fornax_emit::text::Value;
use fornax_plan::walk::Reached;
use fornax_plan::{Attention, KernelPlan, Node, NodeId, VarId};
use fornax_targets::fitted::row::LINE_BYTES;

use super::Stream;
use super::copies::COLUMNS;
use crate::attention::I32;
use crate::attention::ranges::Ranges;

/// Bytes of an element.
const ELEMENT_BYTES: i64 = 2;

/// Buffers that say which columns are visible and where they lie, if there are any and all are `given`.
pub(in crate::attention) fn buffers(plan: &KernelPlan, a: &Attention, given: &[bool]) -> Vec<u32> {
    let offset = |node: NodeId| match *plan.exprs.node(node) {
        Node::Load { offset, .. } => Some(offset),
        _ => None,
    };
    let part = a.part.map(|part| part.start);
    let places: Vec<_> = [a.key, a.value].into_iter().filter_map(offset).chain(part).collect();
    let bounds = a.bands.iter().map(|band| band.bound);
    let mut found: Vec<u32> = Vec::new();
    for node in Reached::from(&plan.exprs, bounds, &places).nodes {
        if let Node::Load { buffer, .. } = *plan.exprs.node(node) {
            found.push(buffer);
        }
    }
    found.sort_unstable();
    found.dedup();
    let known = !plan.is_sized() && found.iter().all(|&at| given.get(at as usize) == Some(&true));
    if known { found } else { Vec::new() }
}

impl Stream<'_> {
    /// Asks for the first tiles of this warp, and waits.
    ///
    /// # Errors
    /// As [`Emitter::await_earlier`].
    pub(super) fn begin(&self, e: &mut Emitter<'_>, ranges: &Ranges) -> Result<(), EmitError> {
        let (from, to) = self.own_tiles(e, ranges);
        for at in 0..self.ahead() {
            let tile = e.code.add_ik(from, at * self.step());
            let inside = e.code.cmp_i("slt", tile, to);
            e.code.begin_if(inside, &[]);
            self.ask(e, tile)?;
            e.code.end_if(&[]);
        }
        e.await_earlier()
    }

    /// Asks for the rows of a tile: a key or a value a lane.
    fn ask(&self, e: &mut Emitter<'_>, tile: Value) -> Result<(), EmitError> {
        let a = self.k.a;
        let row = e.code.and_k(self.k.lane, COLUMNS - 1);
        let wide = e.code.resize_u(row, e.index);
        let first = self.k.first_column(e, tile);
        let column = e.code.add_i(first, wide);
        self.bind_column(e, column, 0);
        let keys = e.code.cmp_ik("slt", self.k.lane, COLUMNS);
        e.code.begin_if(keys, &[]);
        self.ask_row(e, (a.key, a.depth()), self.k.depth)?;
        e.code.begin_else(&[]);
        self.ask_row(e, (a.value, a.feature), self.k.features)?;
        e.code.end_if(&[]);
        Ok(())
    }

    fn ask_row(&self, e: &mut Emitter<'_>, (node, inner): (NodeId, VarId), count: i64) -> Result<(), EmitError> {
        e.bind(inner, None, 0, 0);
        let row = self.source(e, node)?;
        for line in (0..ELEMENT_BYTES * count).step_by(LINE_BYTES as usize) {
            let at = e.code.int(I32, line);
            e.ask_for_line(row, at);
        }
        Ok(())
    }
}

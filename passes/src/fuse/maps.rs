//! Where a value is read from inside a group: the chain of index changes between a group's domain and the value.
//!
//! A map is named by the hops that made it, not by its index expressions: two chains that happen to give the same
//! expression count twice, which only makes decisions a little more careful.

use std::collections::{HashMap, HashSet};

use fornax_graph::{Dim, Graph, OpId, OpKind};

use super::extents::{elements, long_shape, product, shape};
use super::rows::{self, Kept, Space, renames_rows};
use crate::errors::PassError;
use crate::facts::index_maps::is_bijective;
use crate::facts::ops::{Class, row, tensor};
use crate::facts::parts::whole;
use crate::facts::prefix;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MapId(pub u32);

/// What reads through the map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Context {
    /// Once an element of the domain, or once an element of a reduction.
    Plain,
    /// An operand of a dot product or convolution: read once a multiplication.
    Contraction,
}

#[derive(Clone, Debug)]
pub struct Map {
    /// One to one with the domain of the group.
    pub bijective: bool,
    /// How often the value is evaluated through this map in one run of the group.
    pub evaluations: f64,
    pub context: Context,
    /// The hop out of a contraction itself: the value is the operand.
    pub immediate: bool,
    /// Reshapes on the way: after a transpose each brings divisions, and divisions of divisions.
    pub reshapes: u32,
    /// The map keeps some dimensions of what another map reads and drops the others: a broadcast came last, but for
    /// other names.
    pub rows: Option<(MapId, Kept)>,
}

#[derive(Default)]
pub struct Maps {
    maps: Vec<Map>,
    hops: HashMap<(MapId, OpId, usize), MapId>,
    rows: HashMap<(MapId, Kept), MapId>,
    /// Maps of rows; a row under another shape is read through the same one.
    row_maps: HashSet<MapId>,
}

impl Maps {
    pub fn get(&self, id: MapId) -> &Map {
        &self.maps[id.0 as usize]
    }

    /// The identity over a domain of `elements`.
    pub fn root(&mut self, elements: i64) -> MapId {
        self.add(Map {
            bijective: true,
            evaluations: elements as f64,
            context: Context::Plain,
            immediate: false,
            reshapes: 0,
            rows: None,
        })
    }

    /// The map of a reader that is no group: it reads the buffer as a whole, once.
    pub fn opaque(&mut self) -> MapId {
        self.add(Map {
            bijective: false,
            evaluations: 0.0,
            context: Context::Plain,
            immediate: false,
            reshapes: 0,
            rows: None,
        })
    }

    fn add(&mut self, map: Map) -> MapId {
        self.maps.push(map);
        MapId(self.maps.len() as u32 - 1)
    }

    /// The map of operand `at` of an op that is itself evaluated through `from`.
    pub fn hop(&mut self, graph: &Graph, op: OpId, at: usize, from: MapId) -> Result<MapId, PassError> {
        if let Some(&known) = self.hops.get(&(from, op, at)) {
            return Ok(known);
        }
        if keeps_index(graph, op, at)? {
            return Ok(from);
        }
        let parent = self.get(from).clone();
        if self.row_maps.contains(&from) && at == 0 && renames_rows(graph, op)? {
            return Ok(from);
        }
        let rows = rows::of_broadcast(graph, op)?.map(|kept| (from, kept));
        if let Some(&known) = rows.as_ref().and_then(|r| self.rows.get(r)) {
            self.hops.insert((from, op, at), known);
            return Ok(known);
        }
        let map = Map {
            bijective: parent.bijective && at == 0 && is_bijective(graph, op)?,
            evaluations: parent.evaluations * reads(graph, op, at)?,
            context: match row(graph.op(op).kind).map(|r| r.class) {
                Some(Class::Contraction) => Context::Contraction,
                _ => parent.context,
            },
            immediate: row(graph.op(op).kind).is_some_and(|r| r.class == Class::Contraction),
            reshapes: parent.reshapes + u32::from(mixes_dimensions(graph, op)?),
            rows: rows.clone(),
        };
        let id = self.add(map);
        self.hops.insert((from, op, at), id);
        if let Some(rows) = rows {
            self.rows.insert(rows, id);
            self.row_maps.insert(id);
        }
        Ok(id)
    }

    /// Says that a reduction whose result is read through `space.row` reads the elements of the space.
    pub fn set_row(&mut self, graph: &Graph, op: OpId, space: &Space) {
        for at in 0..graph.op(op).results.len() {
            self.hops.insert((space.row, op, at), space.element);
        }
        self.rows.insert((space.element, space.kept.clone()), space.row);
        self.row_maps.insert(space.row);
    }
}

/// Is the op a reshape that does more than add or drop dimensions of size 1?
fn mixes_dimensions(graph: &Graph, op: OpId) -> Result<bool, PassError> {
    let data = graph.op(op);
    if data.kind != OpKind::Reshape {
        return Ok(false);
    }
    Ok(long_shape(graph, data.operands[0])? != long_shape(graph, data.results[0])?)
}

/// Does operand `at` have the index of the result?
fn keeps_index(graph: &Graph, op: OpId, at: usize) -> Result<bool, PassError> {
    let data = graph.op(op);
    let elementwise = row(data.kind).is_some_and(|r| r.class == Class::Elementwise);
    match (data.results.first(), data.operands.get(at)) {
        (Some(&r), Some(&o)) if elementwise || data.kind == OpKind::BitcastConvert => {
            Ok(shape(graph, r)? == shape(graph, o)?)
        }
        _ => Ok(false),
    }
}

/// Reads of operand `at` for one evaluation of the op.
fn reads(graph: &Graph, op: OpId, at: usize) -> Result<f64, PassError> {
    let data = graph.op(op);
    let (Some(&operand), Some(&result)) = (data.operands.get(at), data.results.first()) else { return Ok(1.0) };
    let results = elements(graph, result)?.max(1) as f64;
    Ok(match data.kind {
        // Operand elements a result element; initial values are read once.
        OpKind::Reduce if at < data.results.len() => elements(graph, operand)? as f64 / results,
        OpKind::Reduce | OpKind::ReduceWindow if at >= data.results.len() => 1.0 / results,
        OpKind::ReduceWindow if prefix::of(graph, op)?.is_some() => 1.0,
        OpKind::ReduceWindow => {
            let rank = tensor(graph, operand)?.rank();
            match data.attrs.dims("window_dimensions") {
                Some(window) if window.len() == rank => product(graph, window) as f64,
                _ => 1.0,
            }
        }
        // Every update is read once.
        OpKind::UpdateInPlace if at >= data.results.len() => elements(graph, operand)? as f64 / results,
        // Every result element searches the sorted rows for its own updates, or looks at every scatter index.
        OpKind::SortedScatter if at >= data.results.len() => (elements(graph, operand)? as f64 / results).max(1.0),
        OpKind::Scatter if at >= data.results.len() => match data.operands.get(data.results.len()) {
            Some(&indices) => elements(graph, indices)? as f64,
            None => 1.0,
        },
        kind if whole(kind) == OpKind::Sort => elements(graph, operand)? as f64 / results,
        OpKind::Dot | OpKind::DotGeneral | OpKind::Convolution => products(graph, op)?,
        _ => 1.0,
    })
}

/// Products a result element of a contraction.
fn products(graph: &Graph, op: OpId) -> Result<f64, PassError> {
    let data = graph.op(op);
    let (lhs, rhs) = (shape(graph, data.operands[0])?, shape(graph, data.operands[1])?);
    let size = |shape: &[Dim], d: usize| shape.get(d).map_or(1, |&dim| graph.dim_estimate(dim)) as f64;
    Ok(match data.kind {
        OpKind::Dot => size(&lhs, lhs.len().saturating_sub(1)),
        OpKind::DotGeneral => fornax_graph::views::dot_dims(data).lhs_contract.iter().map(|&d| size(&lhs, d)).product(),
        _ => {
            let c = fornax_graph::views::conv_dims(data);
            let window: f64 = c.kernel_spatial.iter().map(|&d| size(&rhs, d)).product();
            window * size(&rhs, c.kernel_input_feature)
        }
    })
}

//! What moves more bytes than it saves: epilogues that read much, sums that several kernels would add up again, rows
//! that store what a product could.
//!
//! **Epilogues.** What a product's result goes into is a kernel of its own where it moves many bytes beside it. A
//! tile's epilogue has few loads under way: a workgroup a multiprocessor, a few hundred threads, each its own elements.
//! Where it moves as much as a loop over memory, the loop is faster, and the result's trip through memory costs less
//! than that.
//!
//! Worked example: the gradient of a weight `[768, 3072]` and Adam, which reads the weight and two moments and writes
//! them, 24 bytes an element in f32. One H200, a product of 1024 steps: 65.7 µs with Adam as its epilogue, at
//! 0.86 TB/s; 57 MB are 13 µs in a loop, the product alone 10.
//!
//! **Loads again.** A value that several kernels compute costs each of them the loads of all that it is made of. Where
//! one of them has its elements at hand, and that many bytes are more than a store and the loads of the value itself,
//! it stores them.
//!
//! Worked example: x₁ = x₀ + r₁, x₂ = x₁ + r₂, x₃ = x₂ + r₃ of a residual stream in f32 whose r come from other
//! devices, each read by a norm and by the next sum. The norms would load 2, 3 and 4 vectors. x₁ is 8 bytes an element
//! twice, or 8, a store of 4 and a load of 4, which is as much. x₂ is 12 bytes twice, or 12 and 8: it is stored, and x₃
//! is made of 8 bytes.
//!
//! **Products that add.** What follows from a product, is read by rows and by others, and is large, is stored by the
//! product's kernel. That reads what else the value is made of, and stores it in the place of its own result; the rows
//! read one vector and store none.
//!
//! Worked example: x₁ = x₀ + a·W of [1024, 4096] f32, of which a norm makes 8-bit floats. By the rows: the product
//! stores 4 bytes an element, the rows read 8 and store 5. By the product: it reads and stores 4, the rows read 4 and
//! store 1. Of 64 such norms of a chunk of 1024 tokens each took 17 µs.
//!
//! Limits of both: sizes that are known.

use std::collections::{BTreeSet, HashMap};

use fornax_graph::{BlockId, Graph, OpId, OpKind, ValueId};

use super::cost::{Facts, row_class};
use super::decide::Decide;
use super::extents::elements;
use super::groups::GroupId;
use super::maps::MapId;
use crate::errors::PassError;
use crate::facts::index_maps::is_bijective;
use crate::facts::ops::{Class, splat_bits, tensor};
use crate::remarks::{Because, Decision, EPILOGUE_STREAMS, LOADED_AGAIN};

/// Bytes an element that an epilogue may move beside the result: two residuals in f32 and two stores (derived: up to
/// there the result's own trip of 4 to 8 bytes costs as much as is won).
const BYTES_MAX: i64 = 16;
/// Elements below which a launch costs more than the epilogue's loads: 2^18 of 24 bytes take 1.5 µs at 4.3 TB/s.
const ELEMENTS_MIN: i64 = 1 << 18;

/// Elements from which on it is looked at what a value is made of. Chosen, not measured: fewer are a few lines.
const LOADED_MIN: i64 = 1024;
/// Elements from which on a product's kernel stores what follows from it, though rows have it at hand: 17 MB in f32.
/// Rows of fewer do not wait for bytes. Chosen, not measured.
const LARGE_MIN: i64 = 1 << 22;
/// Values that are followed, of those that one is made of. Chosen to bound the search: more count as so many.
const SOURCES_MAX: usize = 16;

/// What values are made of: those that are loaded, element by element, where one is computed.
#[derive(Default)]
pub(super) struct Sources {
    of: HashMap<ValueId, Vec<ValueId>>,
}

impl Sources {
    /// Of the values of a block. What has several readers and is made of enough is taken for stored.
    pub(super) fn of(graph: &Graph, block: BlockId, facts: &Facts) -> Result<Sources, PassError> {
        let mut readers: HashMap<ValueId, usize> = HashMap::new();
        let ops = &graph.block(block).ops;
        for &op in ops {
            let own: BTreeSet<ValueId> = graph.op(op).operands.iter().copied().collect();
            own.into_iter().for_each(|value| *readers.entry(value).or_default() += 1);
        }
        let mut sources = Sources::default();
        for &op in ops {
            let data = graph.op(op);
            let &[result] = data.results.as_slice() else { continue };
            let made_of = match row_class(graph, op) {
                _ if facts.hero.contains_key(&result) => continue,
                Some(Class::Elementwise) => {
                    let all: BTreeSet<ValueId> = data.operands.iter().flat_map(|&v| sources.get(graph, v)).collect();
                    all.into_iter().take(SOURCES_MAX).collect()
                }
                Some(Class::Index) if data.operands.is_empty() => Vec::new(),
                Some(Class::Index) if is_bijective(graph, op)? => sources.get(graph, data.operands[0]),
                Some(Class::Index) if data.kind == OpKind::BroadcastInDim => Vec::new(),
                _ => continue,
            };
            let (own, loaded) = (storage_bytes(graph, result)?, bytes(graph, result, &made_of)?);
            if readers.get(&result).is_none_or(|&count| count < 2) || loaded <= 2 * own {
                sources.of.insert(result, made_of);
            }
        }
        Ok(sources)
    }

    fn get(&self, graph: &Graph, value: ValueId) -> Vec<ValueId> {
        match self.of.get(&value) {
            Some(made_of) => made_of.clone(),
            None if splat_bits(graph, value).is_some() => Vec::new(),
            None => vec![value],
        }
    }
}

fn storage_bytes(graph: &Graph, value: ValueId) -> Result<i64, PassError> {
    Ok(tensor(graph, value)?.element.storage_bytes() as i64)
}

/// Bytes that are loaded for an element of a value made of others, of those that have as many elements.
fn bytes(graph: &Graph, value: ValueId, made_of: &[ValueId]) -> Result<i64, PassError> {
    let count = elements(graph, value)?;
    let mut all = 0;
    for &source in made_of {
        if elements(graph, source)? == count {
            all += storage_bytes(graph, source)?;
        }
    }
    Ok(all)
}

impl Decide<'_> {
    /// Why an elementwise op is stored by a kernel that has its result at hand, though several could compute it.
    pub(super) fn loaded_again(
        &self,
        op: OpId,
        uses: &BTreeSet<(GroupId, MapId)>,
    ) -> Result<Option<Because>, PassError> {
        let data = self.graph.op(op);
        let kernels: BTreeSet<GroupId> = uses.iter().map(|used| used.0).collect();
        let (&[result], Some(Class::Elementwise)) = (data.results.as_slice(), row_class(self.graph, op)) else {
            return Ok(None);
        };
        let known = tensor(self.graph, result)?.static_shape().is_some();
        if kernels.len() < 2 || !known || elements(self.graph, result)? < LOADED_MIN {
            return Ok(None);
        }
        let own: BTreeSet<ValueId> = data.operands.iter().flat_map(|&v| self.sources.get(self.graph, v)).collect();
        let loaded = bytes(self.graph, result, &own.into_iter().collect::<Vec<_>>())?;
        let (count, own) = (kernels.len() as i64, storage_bytes(self.graph, result)?);
        let by_product = self.is_stored_by_product(op)?;
        let pays = if by_product { loaded > own } else { (count - 1) * loaded > count * own };
        if !pays {
            return Ok(None);
        }
        for &(group, map) in uses {
            let state = &self.groups.groups[group as usize];
            let element = state.space.as_ref().is_some_and(|space| space.element == map);
            if !element && !self.groups.maps.get(map).bijective {
                return Ok(None);
            }
        }
        if by_product {
            return Ok(Some(LOADED_AGAIN.of([count, loaded, own])));
        }
        for &used in uses {
            if matches!(self.takes(op, false, used, uses)?, Decision::Yes) {
                return Ok(Some(LOADED_AGAIN.of([count, loaded, own])));
            }
        }
        Ok(None)
    }

    /// Whether an elementwise op is stored by the kernel of the product from which it follows, not by rows.
    pub(super) fn is_stored_by_product(&self, op: OpId) -> Result<bool, PassError> {
        let &[result] = self.graph.op(op).results.as_slice() else { return Ok(false) };
        let known = tensor(self.graph, result)?.static_shape().is_some();
        Ok(known && self.follows_product(op) && elements(self.graph, result)? >= LARGE_MIN)
    }

    /// Why `op`, a product or what follows from one, is stored before its only reader, a group of elementwise ops.
    pub(super) fn streams(&self, op: OpId, uses: &BTreeSet<(GroupId, MapId)>) -> Result<Option<Because>, PassError> {
        let [(group, _)] = uses.iter().collect::<Vec<_>>()[..] else { return Ok(None) };
        let (data, state) = (self.graph.op(op), &self.groups.groups[*group as usize]);
        let &[result] = data.results.as_slice() else { return Ok(None) };
        let product = |op: OpId| row_class(self.graph, op) == Some(Class::Contraction);
        let hero = if product(op) { Some(op) } else { self.facts.hero.get(&result).copied() };
        let plain = state.hero.is_none() && state.control.is_none() && !state.attention && state.space.is_none();
        let count = elements(self.graph, result)?;
        if count < ELEMENTS_MIN || !plain || !hero.is_some_and(product) {
            return Ok(None);
        }
        let mut bytes = 0;
        let beside = state.inputs.iter().filter(|&&v| v != result && splat_bits(self.graph, v).is_none());
        for &value in beside.chain(&state.roots) {
            if elements(self.graph, value)? == count {
                bytes += tensor(self.graph, value)?.element.storage_bytes() as i64;
            }
        }
        Ok((bytes > BYTES_MAX).then(|| EPILOGUE_STREAMS.of([bytes, BYTES_MAX])))
    }
}

#[cfg(test)]
mod tests {
    use fornax_graph::OpKind;

    use crate::example::import;

    /// Layers x = x + f((x / Σx)·w) of so many rows and columns; `f` gives the text behind a layer's product, by its
    /// number and type, and what the result is called. Of each kernel the additions, the products and the results.
    fn kernels(
        layers: usize,
        (rows, columns): (i64, i64),
        f: &dyn Fn(usize, &str) -> (String, String),
    ) -> Vec<[usize; 3]> {
        let [ty, row] = [format!("tensor<{rows}x{columns}xf32>"), format!("tensor<{rows}xf32>")];
        let weight = format!("tensor<{columns}x{columns}xf32>");
        let layer = |at: usize| {
            let (next, (text, added)) = (at + 1, f(at, &ty));
            format!(
                "%s{at} = stablehlo.reduce(%x{at} init: %zero) applies stablehlo.add across dimensions = [1]
                   : ({ty}, tensor<f32>) -> {row}
                 %b{at} = stablehlo.broadcast_in_dim %s{at}, dims = [0] : ({row}) -> {ty}
                 %n{at} = stablehlo.divide %x{at}, %b{at} : {ty}
                 %p{at} = stablehlo.dot_general %n{at}, %w, contracting_dims = [1] x [0] : ({ty}, {weight}) -> {ty}
                 {text}
                 %x{next} = stablehlo.add %x{at}, {added} : {ty}\n"
            )
        };
        let graph = import(&format!(
            "module attributes {{mhlo.num_partitions = 2 : i32}} {{
             func.func @main(%x0: {ty}, %w: {weight}) -> {ty} {{
               %zero = stablehlo.constant dense<0.0> : tensor<f32>
               {}
               return %x{layers} : {ty}
             }} }}",
            (0..layers).map(layer).collect::<String>()
        ));
        let graph = crate::fuse(&graph).unwrap();
        let entry = graph.entry(&graph.functions[0]).unwrap();
        let fusions = graph.block(entry).ops.iter().map(|&op| graph.op(op)).filter(|op| op.kind == OpKind::Fusion);
        let of = |op: &fornax_graph::Op| {
            let ops = &graph.block(graph.region(op.regions[0]).blocks[0]).ops;
            let count = |kind: OpKind| ops.iter().filter(|&&op| graph.op(op).kind == kind).count();
            [count(OpKind::Add), count(OpKind::DotGeneral), op.results.len()]
        };
        fusions.map(of).collect()
    }

    /// Additions in each kernel, and results of each, of layers x = x + all_reduce((x / Σx)·w).
    fn residuals(layers: usize) -> Vec<(usize, usize)> {
        let sum = |at: usize, ty: &str| {
            let text = format!(
                "%r{at} = \"fornax.collective\"(%p{at}) {{groups = [array<i64: 0, 1>], kind = \"all_reduce\",
                   reducer = \"add\"}} : ({ty}) -> {ty}"
            );
            (text, format!("%r{at}"))
        };
        kernels(layers, (4, 2048), &sum).into_iter().map(|[adds, _, results]| (adds, results)).collect()
    }

    /// Additions in each kernel of layers x = x + (x / Σx)·w of so many rows, and whether it has a product.
    fn with_products(rows: i64) -> Vec<(usize, bool)> {
        let plain = |at: usize, _: &str| (String::new(), format!("%p{at}"));
        kernels(4, (rows, 4096), &plain).into_iter().map(|[adds, products, _]| (adds, products > 0)).collect()
    }

    /// Large vectors are added up by the products' kernels, and rows read one.
    #[test]
    fn products_store_large_residual_streams() {
        let kernels = with_products(1024);
        assert!(kernels.iter().all(|&(adds, is_product)| adds == usize::from(is_product)), "{kernels:?}");
        let few = with_products(64);
        assert!(few.iter().any(|&(adds, is_product)| adds > 0 && !is_product), "{few:?}");
    }

    /// A kernel adds up two vectors or three, not all that came before it.
    #[test]
    fn a_residual_stream_is_stored_by_its_norms() {
        let kernels = residuals(8);
        assert!(kernels.iter().all(|kernel| kernel.0 <= 2), "{kernels:?}");
        assert_eq!(kernels.iter().filter(|kernel| kernel.1 == 2).count(), 3, "{kernels:?}");
    }
}

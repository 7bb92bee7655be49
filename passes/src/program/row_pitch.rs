//! Rows of intermediates that products read or write begin where tensor copies want them: their row pitch is longer
//! than a row.
//!
//! A model:
//! ```mlir
//! func.func @main(%arg0: tensor<256x64xbf16>, %arg1: tensor<257x64xbf16>) -> tensor<256xbf16> {
//!   %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [1] :
//!     (tensor<256x64xbf16>, tensor<257x64xbf16>) -> tensor<256x257xbf16>
//!   %1 = stablehlo.constant dense<0xFF80> : tensor<bf16>
//!   %2 = stablehlo.reduce(%0 init: %1) applies stablehlo.maximum across dimensions = [1] :
//!     (tensor<256x257xbf16>, tensor<bf16>) -> tensor<256xbf16>
//!   return %2 : tensor<256xbf16>
//! }
//! ```
//! Before:
//! ```text
//! kernel contraction_0_dot_general
//! kernel reduction_1_reduce
//! @main: 2 inputs, 1 outputs, arena 131584 bytes (131584 without sharing)
//!   dispatch contraction_0_dot_general grid 68 [early input 0 +0 32768B, early input 1 +0 32896B, -> arena +0 131584B]
//!   dispatch reduction_1_reduce grid 256 [arena +0 131584B, -> output 0 +0 512B]
//! ```
//! After:
//! ```text
//! kernel contraction_0_dot_general
//! kernel reduction_1_reduce
//! @main: 2 inputs, 1 outputs, arena 139264 bytes (139264 without sharing)
//!   dispatch contraction_0_dot_general grid 68 [early input 0 +0 32768B, early input 1 +0 32896B, -> arena +0 139264B]
//!   dispatch reduction_1_reduce grid 256 [arena +0 139264B, -> output 0 +0 512B]
//! ```
//!
//! Tensor copies fetch and store boxes of rows that begin at multiples of 16 bytes, at full speed of 32. A row of 50257
//! bf16 has 100514 bytes: a product that reads such rows copies all of them first, one that writes them stores elements
//! singly. What is between the rows is never read as a value: every reader keeps to its own extents, and tensor copies
//! give zeros behind them.
//!
//! GPT-2's training step, 4 × 512 tokens in bf16 on an H200: the product that writes the logits takes 221 us, 596
//! before; the two that read their gradients 412 without copies of it, 615 and 226 for the copies before.
//!
//! Which values: results of groups, read by groups alone (the caller knows nothing of a pitch, nor do loops and
//! branches), of known sizes, of `VALUE_BYTES` at least; groups of products, rows, reductions and elementwise ops, all
//! of whose accesses go by the lowering's offsets, and which run in every call. Reshapes that keep the rows are other
//! names of the same buffer. Kernels update such a value (`Access::Update`), since they do not write all of its bytes.
//! `tune` measures kernels without a pitch, and `verify` compares values of programs without.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use fornax_graph::{Graph, OpId, OpKind, TensorType, ValueId};
use fornax_kernels::gemm_wgmma::candidates::is_known;
use fornax_kernels::gemm_wgmma::sources::{COPY_ALIGNMENT, row_pitch as pitch_of};

use super::{Options, Planner};
use crate::facts::ops::{Class, row};
use crate::facts::scalar;
use crate::remarks::ROWS_KNOWN;
use crate::schedule::Pitches;

/// Elements of a row, at least: a box of a product has as many.
const ROW_ELEMENTS: i64 = 64;
/// Bytes of a value, at least: smaller products are not done by warpgroups.
const VALUE_BYTES: u64 = 1 << 16;

/// Users of every value of a graph.
type Users = HashMap<ValueId, Vec<OpId>>;

/// A value whose rows could be farther apart: all names of it.
struct Rows {
    names: Vec<ValueId>,
    pitch: i64,
    /// They may be.
    is_free: bool,
    /// A product reads it.
    is_fetched: bool,
}

/// The row pitches of a graph's values, in elements; notes those that have none and are copied therefore.
pub(super) fn set(planner: &mut Planner<'_>, options: &Options) {
    let mut pitches = Pitches::new();
    if !is_known(planner.target) {
        return;
    }
    let changing = changing(planner.graph, options);
    for Rows { names, pitch, is_free, is_fetched } in rows(planner.graph) {
        // What is made when the module is loaded is copied then, too.
        if !changing.contains(&names[0]) {
            continue;
        }
        if is_free {
            pitches.extend(names.into_iter().map(|name| (name, pitch)));
        } else if let (Some(ty), true) = (planner.graph.ty(names[0]).as_tensor(), is_fetched) {
            let element = ty.element.storage_bytes() as i64;
            let row = ty.shape.last().and_then(|dim| dim.as_static()).unwrap_or(0) * element;
            if row % COPY_ALIGNMENT != 0 {
                planner.note_rows(names[0], ROWS_KNOWN.of([row, pitch * element]));
            }
        }
    }
    planner.options.pitches = Arc::new(pitches);
}

/// Results of groups that products touch, whose rows are not where tensor copies want them.
fn rows(graph: &Graph) -> Vec<Rows> {
    let (mut users, mut groups) = (Users::new(), Vec::new());
    for entry in graph.functions.iter().filter_map(|function| graph.entry(function)) {
        graph.walk(entry, &mut |op| {
            let data = graph.op(op);
            data.operands.iter().for_each(|&value| users.entry(value).or_default().push(op));
            if data.kind == OpKind::Fusion {
                groups.push(op);
            }
        });
    }
    let mut found = Vec::new();
    for &group in &groups {
        for &value in &graph.op(group).results {
            let Some(pitch) = graph.ty(value).as_tensor().and_then(pitch) else { continue };
            let (names, is_free) = names(graph, value, &users);
            let mut readers = names.iter().flat_map(|name| users.get(name)).flatten();
            let is_fetched = readers.any(|&op| multiplies(graph, op));
            if is_fetched || multiplies(graph, group) {
                found.push(Rows { names, pitch, is_free: is_free && is_by_offsets(graph, group), is_fetched });
            }
        }
    }
    found
}

/// Values that may differ from call to call: all but those that parameters and constants alone decide.
fn changing(graph: &Graph, options: &Options) -> HashSet<ValueId> {
    let mut changing = HashSet::new();
    for function in &graph.functions {
        let Some(entry) = graph.entry(function) else { continue };
        let named = options.parameters.get(&function.name).map(Vec::as_slice).unwrap_or_default();
        let inputs = graph.block(entry).arguments.iter().enumerate();
        changing.extend(inputs.filter(|(at, _)| named.iter().all(|(n, _)| n != at)).map(|(_, &value)| value));
        graph.walk(entry, &mut |op| {
            let data = graph.op(op);
            let inner = data.regions.iter().flat_map(|&region| &graph.region(region).blocks);
            let is_control = row(data.kind).is_some_and(|row| row.class == Class::Control);
            if is_control {
                changing.extend(inner.flat_map(|&block| &graph.block(block).arguments));
            }
            if is_control || data.operands.iter().any(|value| changing.contains(value)) {
                changing.extend(&data.results);
            }
        });
    }
    changing
}

/// The row pitch that values of a type should have, in elements; `None` where rows suit tensor copies, or are too few.
fn pitch(ty: &TensorType) -> Option<i64> {
    let shape = ty.static_shape()?;
    let &row = shape.last().filter(|&&row| row >= ROW_ELEMENTS)?;
    let element = ty.element.storage_bytes() as i64;
    let whole = element > 0 && ty.element.bits() as i64 == 8 * element;
    let rows = shape.iter().rev().skip(1).any(|&n| n > 1);
    let bytes = row.checked_mul(element)?;
    let pitch = pitch_of(bytes);
    (rows && whole && pitch > bytes && pitch % element == 0 && ty.bytes()? >= VALUE_BYTES).then(|| pitch / element)
}

/// A value and all other names of its buffer, and whether nothing but groups that go by offsets reads them.
fn names(graph: &Graph, value: ValueId, users: &Users) -> (Vec<ValueId>, bool) {
    let row = |value| graph.ty(value).as_tensor().and_then(|ty| ty.shape.last().copied());
    let (mut names, mut is_free) = (vec![value], true);
    let mut at = 0;
    while let Some(&name) = names.get(at) {
        at += 1;
        for &user in users.get(&name).into_iter().flatten() {
            let data = graph.op(user);
            match data.kind {
                OpKind::Fusion => is_free &= is_by_offsets(graph, user),
                OpKind::Reshape if row(data.results[0]) == row(value) => names.push(data.results[0]),
                _ => is_free = false,
            }
        }
    }
    (names, is_free)
}

/// Whether a group finds every element by an offset that its lowering gives: products, reductions over rows and
/// elementwise ops do; sorts, scatters, updates and attention go their own ways.
fn is_by_offsets(graph: &Graph, group: OpId) -> bool {
    let plain = |&op: &OpId| {
        let kind = graph.op(op).kind;
        let class = row(kind).map(|row| row.class);
        match class {
            Some(Class::Reduction) => kind == OpKind::Reduce,
            Some(Class::Control) => false,
            _ => kind != OpKind::DynamicUpdateSlice,
        }
    };
    let is_attention = graph.op(group).attrs.str("hero") == Some("attention");
    !is_attention && scalar::body(graph, group).is_ok_and(|body| graph.block(body).ops.iter().all(plain))
}

/// Whether a group is one of products.
fn multiplies(graph: &Graph, group: OpId) -> bool {
    let is_product = |&op: &OpId| row(graph.op(op).kind).is_some_and(|row| row.class == Class::Contraction);
    scalar::body(graph, group).is_ok_and(|body| graph.block(body).ops.iter().any(is_product))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::example::import;
    use crate::program::{Options, Planned};
    use fornax_targets::Target;

    const MODEL: &str = "func.func @f(%x: tensor<136x64xbf16>, %w: tensor<257x64xbf16>, %v: tensor<257x72xbf16>)
           -> tensor<136x72xbf16> {
           %h = stablehlo.dot_general %x, %w, contracting_dims = [1] x [1]
             : (tensor<136x64xbf16>, tensor<257x64xbf16>) -> tensor<136x257xbf16>
           %y = stablehlo.dot_general %h, %v, contracting_dims = [1] x [0]
             : (tensor<136x257xbf16>, tensor<257x72xbf16>) -> tensor<136x72xbf16>
           return %y : tensor<136x72xbf16>
         }";

    fn planned(model: &str, options: &Options) -> Planned {
        let graph = crate::fuse(&import(&format!("module {{\n{model}\n}}\n"))).unwrap();
        crate::plan(&graph, &Target::from_spec("cuda:sm_90a").unwrap(), options).unwrap()
    }

    fn has_buffer(planned: &Planned, elements: i64) -> bool {
        planned.kernels.iter().flat_map(|kernel| &kernel.buffers).any(|buffer| buffer.elements == elements)
    }

    #[test]
    fn what_is_made_when_the_module_is_loaded_has_no_pitch() {
        assert!(has_buffer(&planned(MODEL, &Options::default()), 136 * 272));
        let parameters = vec![(0, "x".to_string()), (1, "w".to_string())];
        let options = Options { parameters: [("f".to_string(), parameters)].into(), ..Options::default() };
        let found = planned(MODEL, &options);
        assert!(has_buffer(&found, 136 * 257) && found.program.persistent_bytes > 0, "{}", found.describe());
    }

    #[test]
    fn it_is_said_where_the_caller_knows_the_rows() {
        let returned = MODEL
            .replace("-> tensor<136x72xbf16> {", "-> (tensor<136x72xbf16>, tensor<136x257xbf16>) {")
            .replace("return %y : tensor<136x72xbf16>", "return %y, %h : tensor<136x72xbf16>, tensor<136x257xbf16>");
        let options = Options { remarks: Some(Arc::default()), ..Options::default() };
        let codes = |model: &str| {
            let copies = planned(model, &options).remarks.unwrap().copies;
            copies.into_iter().map(|copied| copied.why.code).collect::<Vec<_>>()
        };
        assert_eq!(codes(&returned), ["COPY07"]);
        assert!(codes(MODEL).is_empty());
    }
}

//! Typed views of structured attributes: what passes, evaluator and emitters read instead of raw attributes.
//!
//! The importer stores every form (pretty, generic, old dense) under the same names, so a view has one source:
//! `Attr::Struct` for `#stablehlo.dot<…>` and its kin, `Attr::DenseArray` (i64, flattened) for lists and for the
//! `[n, 2]` padding tables. Views return defaults for absent optional attributes; the verifier has checked ranks.

use crate::attr::{Attr, AttrMap};
use crate::graph::Op;
use crate::types::Dim;
use fornax_types::ElementType;

/// `#stablehlo.dot`: [batch…, M…, K…]·[batch…, K…, N…] → [batch…, M…, N…], any order of dimensions in the operands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DotDims {
    pub lhs_batch: Vec<usize>,
    pub rhs_batch: Vec<usize>,
    pub lhs_contract: Vec<usize>,
    pub rhs_contract: Vec<usize>,
}

impl DotDims {
    /// `#stablehlo.dot<…>`, what `dot_dimension_numbers` holds.
    pub fn attr(&self) -> Attr {
        let lists = [
            ("lhs_batching_dimensions", &self.lhs_batch),
            ("rhs_batching_dimensions", &self.rhs_batch),
            ("lhs_contracting_dimensions", &self.lhs_contract),
            ("rhs_contracting_dimensions", &self.rhs_contract),
        ];
        let mut fields = AttrMap::default();
        for (name, list) in lists {
            let list = list.iter().map(|&dim| dim as i64).collect();
            fields.set(name, Attr::DenseArray(ElementType::I64, list));
        }
        Attr::Struct("stablehlo.dot".into(), fields)
    }

    /// The result's shape: batch, what is left of the left operand, what is left of the right one.
    pub fn result(&self, left: &[Dim], right: &[Dim]) -> Vec<Dim> {
        let mut shape: Vec<Dim> = self.lhs_batch.iter().filter_map(|&dim| left.get(dim).copied()).collect();
        for (operand, taken) in
            [(left, [&self.lhs_batch, &self.lhs_contract]), (right, [&self.rhs_batch, &self.rhs_contract])]
        {
            let is_free = |dim: &usize| !taken.iter().any(|list| list.contains(dim));
            shape.extend((0..operand.len()).filter(is_free).map(|dim| operand[dim]));
        }
        shape
    }
}

/// Dimension numbers and window of `stablehlo.convolution` (all lists have one entry a spatial dimension).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConvDims {
    pub input_batch: usize,
    pub input_feature: usize,
    pub input_spatial: Vec<usize>,
    pub kernel_input_feature: usize,
    pub kernel_output_feature: usize,
    pub kernel_spatial: Vec<usize>,
    pub output_batch: usize,
    pub output_feature: usize,
    pub output_spatial: Vec<usize>,
    pub strides: Vec<i64>,
    /// (low, high) a spatial dimension; may be negative.
    pub padding: Vec<(i64, i64)>,
    pub lhs_dilation: Vec<i64>,
    pub rhs_dilation: Vec<i64>,
    pub reversal: Vec<bool>,
    pub feature_groups: i64,
    pub batch_groups: i64,
}

/// Window of `reduce_window` (one entry a dimension of the operand).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WindowDims {
    pub size: Vec<i64>,
    pub strides: Vec<i64>,
    pub base_dilation: Vec<i64>,
    pub window_dilation: Vec<i64>,
    pub padding: Vec<(i64, i64)>,
}

/// `#stablehlo.gather` with the op's slice sizes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GatherDims {
    pub offset_dims: Vec<usize>,
    pub collapsed_slice_dims: Vec<usize>,
    pub operand_batching_dims: Vec<usize>,
    pub start_indices_batching_dims: Vec<usize>,
    pub start_index_map: Vec<usize>,
    pub index_vector_dim: usize,
    pub slice_sizes: Vec<i64>,
}

/// `#stablehlo.scatter`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScatterDims {
    pub update_window_dims: Vec<usize>,
    pub inserted_window_dims: Vec<usize>,
    pub input_batching_dims: Vec<usize>,
    pub scatter_indices_batching_dims: Vec<usize>,
    pub scatter_dims_to_operand_dims: Vec<usize>,
    pub index_vector_dim: usize,
}

fn fields<'a>(op: &'a Op, name: &str) -> Option<&'a AttrMap> {
    match op.attrs.get(name) {
        Some(Attr::Struct(_, fields)) => Some(fields),
        _ => None,
    }
}

fn dims(fields: Option<&AttrMap>, name: &str) -> Vec<usize> {
    let ints = fields.and_then(|f| f.ints(name)).unwrap_or_default();
    ints.into_iter().filter_map(|d| usize::try_from(d).ok()).collect()
}

fn dim(fields: Option<&AttrMap>, name: &str) -> usize {
    fields.and_then(|f| f.int(name)).and_then(|d| usize::try_from(d).ok()).unwrap_or(0)
}

/// A list attribute of the op, or `default` repeated `n` times.
pub fn ints_or(op: &Op, name: &str, n: usize, default: i64) -> Vec<i64> {
    match op.attrs.ints(name) {
        Some(v) if v.len() == n => v,
        _ => vec![default; n],
    }
}

/// A flattened `[n, 2]` padding table, or zeros.
pub fn padding_or_zero(op: &Op, name: &str, n: usize) -> Vec<(i64, i64)> {
    match op.attrs.ints(name) {
        Some(v) if v.len() == 2 * n => v.chunks_exact(2).map(|p| (p[0], p[1])).collect(),
        _ => vec![(0, 0); n],
    }
}

/// [`padding_or_zero`] with amounts that may be known only at run time.
pub fn padding_dims(op: &Op, name: &str, n: usize) -> Vec<(Dim, Dim)> {
    match op.attrs.dims(name) {
        Some(v) if v.len() == 2 * n => v.chunks_exact(2).map(|p| (p[0], p[1])).collect(),
        _ => vec![(Dim::Static(0), Dim::Static(0)); n],
    }
}

/// `dot_general`: attribute `dot_dimension_numbers`. `dot` has none: its last and first dimensions contract.
pub fn dot_dims(op: &Op) -> DotDims {
    let f = fields(op, "dot_dimension_numbers");
    DotDims {
        lhs_batch: dims(f, "lhs_batching_dimensions"),
        rhs_batch: dims(f, "rhs_batching_dimensions"),
        lhs_contract: dims(f, "lhs_contracting_dimensions"),
        rhs_contract: dims(f, "rhs_contracting_dimensions"),
    }
}

/// `convolution` (and `dynamic_conv`): attribute `dimension_numbers`, window attributes, group counts.
pub fn conv_dims(op: &Op) -> ConvDims {
    let f = fields(op, "dimension_numbers");
    let input_spatial = dims(f, "input_spatial_dimensions");
    let n = input_spatial.len();
    ConvDims {
        input_batch: dim(f, "input_batch_dimension"),
        input_feature: dim(f, "input_feature_dimension"),
        input_spatial,
        kernel_input_feature: dim(f, "kernel_input_feature_dimension"),
        kernel_output_feature: dim(f, "kernel_output_feature_dimension"),
        kernel_spatial: dims(f, "kernel_spatial_dimensions"),
        output_batch: dim(f, "output_batch_dimension"),
        output_feature: dim(f, "output_feature_dimension"),
        output_spatial: dims(f, "output_spatial_dimensions"),
        strides: ints_or(op, "window_strides", n, 1),
        padding: padding_or_zero(op, "padding", n),
        lhs_dilation: ints_or(op, "lhs_dilation", n, 1),
        rhs_dilation: ints_or(op, "rhs_dilation", n, 1),
        reversal: ints_or(op, "window_reversal", n, 0).into_iter().map(|v| v != 0).collect(),
        feature_groups: op.attrs.int("feature_group_count").unwrap_or(1),
        batch_groups: op.attrs.int("batch_group_count").unwrap_or(1),
    }
}

/// The window of `reduce_window`, which may be as long as sizes known only at run time.
pub fn window_sizes(op: &Op, rank: usize) -> Vec<Dim> {
    op.attrs.dims("window_dimensions").filter(|list| list.len() == rank).unwrap_or_else(|| vec![Dim::Static(1); rank])
}

/// `reduce_window` over operands of rank `rank`. Window and padding are right where they are numbers: [`window_sizes`]
/// and [`padding_dims`] always are.
pub fn window_dims(op: &Op, rank: usize) -> WindowDims {
    WindowDims {
        size: ints_or(op, "window_dimensions", rank, 1),
        strides: ints_or(op, "window_strides", rank, 1),
        base_dilation: ints_or(op, "base_dilations", rank, 1),
        window_dilation: ints_or(op, "window_dilations", rank, 1),
        padding: padding_or_zero(op, "padding", rank),
    }
}

/// `gather`: attributes `dimension_numbers` and `slice_sizes`.
pub fn gather_dims(op: &Op) -> GatherDims {
    let f = fields(op, "dimension_numbers");
    GatherDims {
        offset_dims: dims(f, "offset_dims"),
        collapsed_slice_dims: dims(f, "collapsed_slice_dims"),
        operand_batching_dims: dims(f, "operand_batching_dims"),
        start_indices_batching_dims: dims(f, "start_indices_batching_dims"),
        start_index_map: dims(f, "start_index_map"),
        index_vector_dim: dim(f, "index_vector_dim"),
        slice_sizes: op.attrs.ints("slice_sizes").unwrap_or_default(),
    }
}

/// `scatter`: attribute `scatter_dimension_numbers`.
pub fn scatter_dims(op: &Op) -> ScatterDims {
    let f = fields(op, "scatter_dimension_numbers");
    ScatterDims {
        update_window_dims: dims(f, "update_window_dims"),
        inserted_window_dims: dims(f, "inserted_window_dims"),
        input_batching_dims: dims(f, "input_batching_dims"),
        scatter_indices_batching_dims: dims(f, "scatter_indices_batching_dims"),
        scatter_dims_to_operand_dims: dims(f, "scatter_dims_to_operand_dims"),
        index_vector_dim: dim(f, "index_vector_dim"),
    }
}

/// A list attribute of the op as dimension numbers (`dimensions`, `permutation`, `broadcast_dimensions`).
pub fn dim_list(op: &Op, name: &str) -> Vec<usize> {
    op.attrs.ints(name).unwrap_or_default().into_iter().filter_map(|d| usize::try_from(d).ok()).collect()
}

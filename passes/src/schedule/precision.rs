//! How accurate the products of one op must be: `--f32-matmul` as `precision_config` and `algorithm` raise or set it.
//!
//! `precision_config`: DEFAULT is the flag's, HIGH at least 3xtf32, HIGHEST as IEEE; the stricter operand decides. An
//! `algorithm` names its own accuracy, and the next more accurate way that there is serves it.

use fornax_graph::{Attr, ElementType, Op, Type};
use fornax_plan::Precision;

/// Operand type of an `algorithm`, products it is made of, at most, and what serves it.
const ALGORITHMS: &[(&str, i64, Precision)] = &[
    ("bf16", 1, Precision::Tf32),
    ("bf16", 6, Precision::Tf32x3),
    ("bf16", 9, Precision::Bf16x9),
    ("tf32", 1, Precision::Tf32),
    ("tf32", 3, Precision::Tf32x3),
];

/// The precision of a `dot`, `dot_general` or `convolution`.
pub fn of(op: &Op, flag: Precision) -> Precision {
    if let Some(Attr::Struct(_, fields)) = op.attrs.get("algorithm") {
        let kind = fields.get("lhs_precision_type").map(type_name).unwrap_or_default();
        let products = fields.int("num_primitive_operations").unwrap_or(1);
        let row = ALGORITHMS.iter().find(|(name, most, _)| *name == kind && products <= *most);
        return row.map_or(Precision::Ieee, |r| r.2);
    }
    let Some(Attr::Array(items)) = op.attrs.get("precision_config") else { return flag };
    let named = items.iter().filter_map(|item| match item {
        Attr::Enum(_, value) if value == "HIGHEST" => Some(Precision::Ieee),
        Attr::Enum(_, value) if value == "HIGH" => Some(Precision::Tf32x3),
        _ => None,
    });
    named.fold(flag, Precision::max)
}

/// Whether the op's `algorithm` leaves the accuracy of its sums to the device.
pub fn takes_imprecise_sums(op: &Op) -> bool {
    let Some(Attr::Struct(_, fields)) = op.attrs.get("algorithm") else { return false };
    fields.get("allow_imprecise_accumulation") == Some(&Attr::Bool(true))
}

fn type_name(attr: &Attr) -> &str {
    match attr {
        Attr::Type(Type::Scalar(ElementType::Bf16)) => "bf16",
        Attr::Type(Type::Opaque(name)) => name,
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_text(attributes: &str, flag: Precision) -> Precision {
        let text = format!(
            "func.func @main(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) -> tensor<2x4xf32> {{\n\
             %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]{attributes} : \
             (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>\n return %0 : tensor<2x4xf32>\n}}"
        );
        let graph = fornax_import::import_bytes(text.as_bytes(), "t.mlir", &Default::default()).expect("it imports");
        let op = graph.ops.iter().find(|op| op.attrs.get("dot_dimension_numbers").is_some()).expect("the product");
        of(op, flag)
    }

    #[test]
    fn attributes_raise_the_flag() {
        assert_eq!(of_text("", Precision::Tf32), Precision::Tf32);
        assert_eq!(of_text(", precision = [DEFAULT, DEFAULT]", Precision::Tf32), Precision::Tf32);
        assert_eq!(of_text(", precision = [DEFAULT, HIGHEST]", Precision::Tf32), Precision::Ieee);
        assert_eq!(of_text(", precision = [HIGH, DEFAULT]", Precision::Tf32), Precision::Tf32x3);
        assert_eq!(of_text(", precision = [HIGH, DEFAULT]", Precision::Ieee), Precision::Ieee);
    }

    #[test]
    fn algorithms_say_what_they_need() {
        let algorithm = |kind: &str, products: i64| {
            let text = format!(
                ", algorithm = <lhs_precision_type = {kind}, rhs_precision_type = {kind}, accumulation_type = f32, \
                 lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = {products}, \
                 allow_imprecise_accumulation = false>"
            );
            of_text(&text, Precision::Ieee)
        };
        assert_eq!(algorithm("tf32", 1), Precision::Tf32);
        assert_eq!(algorithm("tf32", 3), Precision::Tf32x3);
        assert_eq!(algorithm("bf16", 9), Precision::Bf16x9);
        assert_eq!(algorithm("f32", 1), Precision::Ieee);
    }

    #[test]
    fn sums_are_imprecise_where_the_algorithm_says_so() {
        let product = |imprecise: bool| {
            let text = format!(
                "func.func @main(%a: tensor<2x3xf8E4M3FN>, %b: tensor<3x4xf8E4M3FN>) -> tensor<2x4xf32> {{\n\
                 %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0], \
                     algorithm = <lhs_precision_type = f8E4M3FN, rhs_precision_type = f8E4M3FN, \
                     accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, \
                     num_primitive_operations = 1, allow_imprecise_accumulation = {imprecise}> \
                     : (tensor<2x3xf8E4M3FN>, tensor<3x4xf8E4M3FN>) -> tensor<2x4xf32>\n \
                 return %0 : tensor<2x4xf32>\n\
                 }}"
            );
            let graph =
                fornax_import::import_bytes(text.as_bytes(), "t.mlir", &Default::default()).expect("it imports");
            let op = graph.ops.iter().find(|op| op.attrs.get("algorithm").is_some()).expect("the product");
            takes_imprecise_sums(op)
        };
        assert_eq!([true, false].map(product), [true, false]);
    }
}

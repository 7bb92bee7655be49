//! The kernel record of a plan: what the runtime needs to launch it, and what reports show of it.

use fornax_graph::ElementType;
use fornax_module::program::Kernel;
use fornax_module::{MapElement, MapPart, MapSize, Swizzle, TensorMap};
use fornax_plan::KernelPlan;

use crate::errors::PassError;

/// Longest note kept, characters.
const NOTE_CHARS: usize = 250;

/// Elements that bulk copies know by kind; others are moved by width.
const ELEMENTS: &[(ElementType, MapElement)] = &[
    (ElementType::F16, MapElement::F16),
    (ElementType::Bf16, MapElement::Bf16),
    (ElementType::F32, MapElement::F32),
    (ElementType::F64, MapElement::F64),
    (ElementType::I32, MapElement::S32),
    (ElementType::I64, MapElement::S64),
];

const WIDTHS: &[(usize, MapElement)] =
    &[(1, MapElement::U8), (2, MapElement::U16), (4, MapElement::U32), (8, MapElement::U64)];

/// The record of the kernel with number `index`, on a target whose kernels wait by themselves or not.
///
/// # Errors
/// FX0901 for a tensor map that cannot be written down.
pub fn record(plan: &KernelPlan, index: u32, awaits: bool) -> Result<Kernel, PassError> {
    let (_, threads) = plan.launch();
    let note = if plan.note.is_empty() { plan.way() } else { format!("{}; {}", plan.way(), plan.note) };
    Ok(Kernel {
        name: kernel_name(plan.body.hero(), index, &plan.summary),
        block: [threads, 1, 1],
        dynamic_shared_bytes: plan.dynamic_shared_bytes(),
        scratch_bytes: plan.scratch_bytes(),
        cluster: [plan.cluster(), 1, 1],
        awaits,
        bindings: plan.buffers.len() as u32,
        tensor_maps: tensor_maps(plan)?,
        hero: plan.body.hero().to_string(),
        summary: plan.summary.clone(),
        flops: plan.flops(),
        arithmetic: plan.arithmetic().to_string(),
        bytes: plan.bytes_moved(),
        note: note.chars().take(NOTE_CHARS).collect(),
        ..Kernel::default()
    })
}

/// `{hero}_{index}_{ops}`, a C identifier of at most 80 bytes.
pub(super) fn kernel_name(hero: &str, index: u32, summary: &str) -> String {
    let mut name = format!("{hero}_{index}_{summary}");
    name = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    name.truncate(80);
    name.trim_end_matches('_').to_string()
}

/// The maps; the numbers that a call gives are constants after the kernel's own, in order.
fn tensor_maps(plan: &KernelPlan) -> Result<Vec<TensorMap>, PassError> {
    let mut constants = plan.exprs.indices.sizes.len() as u32..;
    let mut maps = plan.tensor_maps.iter().map(tensor_map).collect::<Result<Vec<_>, _>>()?;
    for (map, from) in maps.iter_mut().zip(&plan.tensor_maps) {
        let part = |size: &fornax_plan::MapSize| match size.part {
            fornax_plan::MapPart::Extent(at) => MapPart::Extent(at as u32),
            fornax_plan::MapPart::Stride(at) => MapPart::Stride(at as u32),
        };
        map.sizes = from
            .sizes
            .iter()
            .map(part)
            .zip(&mut constants)
            .map(|(part, constant)| MapSize { part, constant })
            .collect();
    }
    Ok(maps)
}

fn tensor_map(map: &fornax_plan::TensorMap) -> Result<TensorMap, PassError> {
    let broken = || PassError::broken(format!("the tensor map {map:?} has no form in a module"));
    let bytes = map.element.storage_bytes();
    let by_kind = ELEMENTS.iter().find(|row| row.0 == map.element).map(|row| row.1);
    let by_width = || WIDTHS.iter().find(|row| row.0 == bytes).map(|row| row.1);
    let sizes = |values: &[i64]| values.iter().map(|n| u64::try_from(*n).ok()).collect::<Option<Vec<u64>>>();
    Ok(TensorMap {
        binding: map.buffer,
        element: if map.tf32 { Some(MapElement::Tf32) } else { by_kind.or_else(by_width) }.ok_or_else(broken)?,
        swizzle: match map.swizzle {
            fornax_plan::Swizzle::None => Swizzle::None,
            fornax_plan::Swizzle::B32 => Swizzle::B32,
            fornax_plan::Swizzle::B64 => Swizzle::B64,
            fornax_plan::Swizzle::B128 => Swizzle::B128,
        },
        offset_bytes: u64::try_from(map.offset_bytes).map_err(|_| broken())?,
        dims: sizes(&map.dims).ok_or_else(broken)?,
        strides: sizes(&map.strides).ok_or_else(broken)?,
        box_dims: map.box_dims.clone(),
        element_strides: map.element_strides.clone(),
        sizes: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_move_by_kind_or_by_width() {
        let map = |element, offset_bytes| fornax_plan::TensorMap {
            buffer: 1,
            element,
            tf32: false,
            offset_bytes,
            dims: vec![64, 8],
            strides: vec![512],
            box_dims: vec![16, 8],
            element_strides: vec![1, 1],
            swizzle: fornax_plan::Swizzle::B128,
            sizes: Vec::new(),
        };
        let element = |e| tensor_map(&map(e, 16)).map(|m| m.element);
        assert_eq!(element(ElementType::Bf16), Ok(MapElement::Bf16));
        assert_eq!(element(ElementType::F8E4M3FN), Ok(MapElement::U8));
        assert_eq!(element(ElementType::ComplexF32), Ok(MapElement::U64));
        assert!(element(ElementType::ComplexF64).is_err());
        let rounding = fornax_plan::TensorMap { tf32: true, ..map(ElementType::F32, 16) };
        assert_eq!(tensor_map(&rounding).map(|m| m.element), Ok(MapElement::Tf32));
        assert_eq!(tensor_map(&map(ElementType::F32, -16)).unwrap_err().code(), "FX0901");
        tensor_map(&map(ElementType::F32, 16)).unwrap().check(2).unwrap();
    }

    #[test]
    fn names_are_symbols() {
        assert_eq!(kernel_name("loop", 3, "add (2x) "), "loop_3_add__2x");
    }
}

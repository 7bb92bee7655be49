//! Brings the attributes of every form to the kinds of the op table: old dense lists become arrays, keywords become
//! enums.

use fornax_graph::ops::AttrKind;
use fornax_graph::{Attr, ConstId, ElementType, OpKind};

use super::operation::OpState;
use super::parser::{Parser, Result};

impl<'a> Parser<'a> {
    pub fn normalize(&mut self, state: &mut OpState) -> Result<()> {
        for spec in state.row.attrs {
            let Some(value) = state.attrs.get(spec.name) else { continue };
            let replacement = match (spec.kind, value) {
                (AttrKind::Pairs, Attr::Dense(id)) if !self.is_pair_table(*id) => None,
                (AttrKind::Ints | AttrKind::Pairs, Attr::Dense(id)) => self.dense_list(*id, ElementType::I64),
                (AttrKind::Bools, Attr::Dense(id)) => self.dense_list(*id, ElementType::I1),
                (AttrKind::Ints | AttrKind::Pairs, Attr::Array(items)) => flat_ints(items, ElementType::I64),
                (AttrKind::Bools, Attr::Array(items)) => flat_ints(items, ElementType::I1),
                (AttrKind::Ints, Attr::DenseArray(e, v)) if *e != ElementType::I64 => {
                    Some(Attr::DenseArray(ElementType::I64, v.clone()))
                }
                (AttrKind::Enum(mnemonic, _), Attr::String(s)) => Some(Attr::Enum(mnemonic.into(), s.clone())),
                (AttrKind::EnumList(mnemonic, _), Attr::Array(items)) => Some(Attr::Array(
                    items
                        .iter()
                        .map(|item| match item {
                            Attr::String(s) => Attr::Enum(mnemonic.into(), s.clone()),
                            other => other.clone(),
                        })
                        .collect(),
                )),
                _ => None,
            };
            if let Some(replacement) = replacement {
                if let Some(Attr::Dense(id)) = state.attrs.get(spec.name)
                    && id.index() + 1 == self.graph.constants.len()
                {
                    self.graph.constants.pop();
                }
                state.attrs.set(spec.name, replacement);
            }
        }
        if state.row.kind == OpKind::DynamicConv {
            trim_windows(state);
        }
        Ok(())
    }

    /// `tensor<nx2xi64>`
    fn is_pair_table(&self, id: ConstId) -> bool {
        matches!(self.graph.constant(id).ty.static_shape().as_deref(), Some([_, 2]))
    }

    /// A constant of integers or booleans as an array.
    fn dense_list(&self, id: ConstId, element: ElementType) -> Option<Attr> {
        const MAX_ELEMENTS: i64 = 1 << 16;
        let constant = self.graph.constant(id);
        let ty = &constant.ty;
        if ty.elements().is_none_or(|n| n > MAX_ELEMENTS) || !(ty.element.is_integer() || ty.element == ElementType::I1)
        {
            return None;
        }
        let bytes = constant.to_bytes();
        let size = ty.element.storage_bytes();
        let values = bytes.chunks_exact(size).map(|chunk| {
            let mut wide = [0u8; 8];
            wide[..size].copy_from_slice(chunk);
            let shift = 64 - 8 * size as u32;
            let value = u64::from_le_bytes(wide);
            if ty.element.is_unsigned() || ty.element == ElementType::I1 {
                value as i64
            } else {
                ((value << shift) as i64) >> shift
            }
        });
        Some(Attr::DenseArray(element, values.collect()))
    }
}

/// JAX writes a stride too many for some `dynamic_conv` ops; StableHLO's tools ignore entries past the spatial
/// dimensions.
fn trim_windows(state: &mut OpState) {
    let Some(Attr::Struct(_, fields)) = state.attrs.get("dimension_numbers") else { return };
    let spatial = fields.ints("input_spatial_dimensions").unwrap_or_default().len();
    for (name, value) in &mut state.attrs.0 {
        if let Attr::DenseArray(_, values) = value
            && matches!(name.as_str(), "window_strides" | "lhs_dilation" | "rhs_dilation" | "window_reversal")
        {
            values.truncate(spatial);
        }
    }
}

fn flat_ints(items: &[Attr], element: ElementType) -> Option<Attr> {
    let mut values = Vec::new();
    for item in items {
        match item {
            Attr::Bool(b) => values.push(i64::from(*b)),
            Attr::Array(inner) => match flat_ints(inner, element)? {
                Attr::DenseArray(_, v) => values.extend(v),
                _ => return None,
            },
            other => values.push(other.as_int()?),
        }
    }
    Some(Attr::DenseArray(element, values))
}

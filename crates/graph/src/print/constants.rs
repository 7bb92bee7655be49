//! Constants as `dense<…> : tensor<…>`: splat, nested list, or a hex string when they are big.

use fornax_types::decode_float;
use fornax_types::scalar::little_endian;
use fornax_types::{Class, ElementType};

use super::Printer;
use super::attributes::float_text;
use crate::constant::{Constant, Storage};
use crate::graph::ConstId;
use crate::types::Type;

impl Printer<'_> {
    pub(super) fn constant(&mut self, id: ConstId) {
        let constant = self.graph.constant(id);
        let elements = usize::try_from(constant.ty.elements().unwrap_or(0)).unwrap_or(usize::MAX);
        let splat = matches!(constant.storage, Storage::Splat(_));
        if !splat && self.options.elide_above.is_some_and(|limit| elements > limit) {
            self.push("dense_resource<__elided__>");
        } else {
            self.push("dense<");
            self.constant_data(constant, elements);
            self.push(">");
        }
        self.push(" : ");
        self.ty(&Type::Tensor(constant.ty.clone()));
    }

    fn constant_data(&mut self, constant: &Constant, elements: usize) {
        let element = constant.ty.element;
        let bytes = match &constant.storage {
            Storage::Splat(one) => return self.element(element, one),
            Storage::Dense(bytes) => bytes.bytes(),
        };
        if elements > self.options.hex_above {
            self.out.reserve(2 * bytes.len() + 4);
            self.push("\"0x");
            for b in bytes {
                self.out.push(HEX[usize::from(b >> 4)] as char);
                self.out.push(HEX[usize::from(b & 15)] as char);
            }
            return self.push("\"");
        }
        if elements == 0 {
            return;
        }
        let shape = constant.ty.static_shape().unwrap_or_default();
        let size = element.storage_bytes();
        for (i, one) in bytes.chunks_exact(size).enumerate() {
            if i > 0 {
                self.push(", ");
            }
            let opened = levels_at(i, &shape);
            self.push(&"[".repeat(opened));
            self.element(element, one);
            self.push(&"]".repeat(levels_at(i + 1, &shape)));
        }
    }

    /// One element from its bytes.
    fn element(&mut self, element: ElementType, bytes: &[u8]) {
        match element.class() {
            Class::Boolean => self.push(if bytes.first().is_some_and(|b| *b != 0) { "true" } else { "false" }),
            Class::Complex => {
                let part = element.complex_part();
                let (re, im) = bytes.split_at(bytes.len() / 2);
                self.push("(");
                self.element(part, re);
                self.push(", ");
                self.element(part, im);
                self.push(")");
            }
            Class::Float => {
                let bits = little_endian(bytes);
                let value = decode_float(element, bits);
                if value.is_nan() {
                    self.push(&format!("0x{bits:0width$X}", width = 2 * bytes.len()));
                } else {
                    self.push(&float_text(element, value));
                }
            }
            Class::UnsignedInteger => self.push(&little_endian(bytes).to_string()),
            Class::SignedInteger | Class::Quantized => {
                let shift = 64 - 8 * bytes.len().min(8) as u32;
                let value = ((little_endian(bytes) << shift) as i64) >> shift;
                self.push(&value.to_string());
            }
        }
    }
}

const HEX: &[u8; 16] = b"0123456789ABCDEF";

/// How many list levels begin (or end) before element `i` of a row-major tensor.
fn levels_at(i: usize, shape: &[i64]) -> usize {
    let mut span = 1usize;
    let mut levels = 0;
    for &size in shape.iter().rev() {
        span *= usize::try_from(size).unwrap_or(0).max(1);
        if i.is_multiple_of(span) {
            levels += 1;
        }
    }
    levels
}

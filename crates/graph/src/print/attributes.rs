//! Attributes as MLIR text.

use fornax_types::ElementType;
use fornax_types::encode_float;

use super::Printer;
use crate::attr::{Attr, AttrMap};
use crate::graph::Op;
use crate::ops::{AttrKind, row};
use crate::types::Type;

impl Printer<'_> {
    pub(super) fn attr_dict(&mut self, attrs: &AttrMap) {
        self.push("{");
        for (i, (name, value)) in attrs.0.iter().enumerate() {
            self.comma(i);
            self.named_attr(name, value);
        }
        self.push("}");
    }

    /// Attributes of an op, in the kinds of its schema.
    pub(super) fn op_attrs(&mut self, op: &Op, attrs: &[&(String, Attr)]) {
        for (i, (name, value)) in attrs.iter().map(|a| (&a.0, &a.1)).enumerate() {
            self.comma(i);
            let pairs = row(op.kind).attr(name).is_some_and(|spec| spec.kind == AttrKind::Pairs);
            match value {
                Attr::DenseArray(_, values) if pairs => {
                    self.attr_name(name);
                    self.push(" = dense<");
                    if !values.is_empty() {
                        self.pair_list(values);
                    }
                    self.push(&format!("> : tensor<{}x2xi64>", values.len() / 2));
                }
                _ => self.named_attr(name, value),
            }
        }
    }

    fn named_attr(&mut self, name: &str, value: &Attr) {
        self.attr_name(name);
        if *value != Attr::Unit {
            self.push(" = ");
            self.attr(value);
        }
    }

    fn attr_name(&mut self, name: &str) {
        if is_identifier(name) { self.push(name) } else { self.string(name) }
    }

    pub(super) fn attr(&mut self, attr: &Attr) {
        match attr {
            Attr::Unit => self.push("unit"),
            Attr::Bool(b) => self.push(if *b { "true" } else { "false" }),
            Attr::Int(value, ty) => {
                self.push(&format!("{value} : "));
                self.ty(ty);
            }
            Attr::Float(value, ty) => {
                let element = if let Type::Scalar(e) = ty { *e } else { ElementType::F64 };
                let text = float_text(element, *value);
                self.push(&text);
                self.push(" : ");
                self.ty(ty);
            }
            Attr::String(text) => self.string(text),
            Attr::Symbol(path) => {
                for (i, name) in path.iter().enumerate() {
                    if i > 0 {
                        self.push("::");
                    }
                    self.symbol(name);
                }
            }
            Attr::Type(ty) => self.ty(ty),
            Attr::Array(items) => {
                self.push("[");
                for (i, item) in items.iter().enumerate() {
                    self.comma(i);
                    self.attr(item);
                }
                self.push("]");
            }
            Attr::Dict(map) => self.attr_dict(map),
            Attr::DenseArray(element, values) => self.dense_array(*element, values),
            Attr::Dims(dims) => {
                let texts: Vec<String> = dims.iter().map(|&d| self.graph.dim_text(d)).collect();
                self.push(&format!("#fornax.dims<{}>", texts.join(", ")));
            }
            Attr::Dense(id) => self.constant(*id),
            Attr::Enum(mnemonic, value) => match mnemonic.strip_prefix("chlo.") {
                Some(mnemonic) => self.push(&format!("#chlo<{mnemonic} {value}>")),
                None => self.push(&format!("#stablehlo<{mnemonic} {value}>")),
            },
            Attr::Struct(name, fields) => self.structure(name, fields),
            Attr::Opaque(text) => self.push(text),
        }
    }

    fn dense_array(&mut self, element: ElementType, values: &[i64]) {
        self.push("array<");
        self.push(element.spelling());
        for (i, value) in values.iter().enumerate() {
            self.push(if i == 0 { ": " } else { ", " });
            match element {
                ElementType::I1 => self.push(if *value != 0 { "true" } else { "false" }),
                _ => self.push(&value.to_string()),
            }
        }
        self.push(">");
    }

    /// `#name<field = value, …>`; fields that hold their default (an empty list, 0) are left out, which the parser
    /// adds.
    fn structure(&mut self, name: &str, fields: &AttrMap) {
        self.push("#");
        self.push(name);
        self.push("<");
        if name == "stablehlo.conv" {
            if self.conv_dimensions(fields).is_none() {
                self.push("raw ");
                self.struct_fields(fields, false);
            }
        } else {
            let defaults = matches!(name, "stablehlo.dot" | "stablehlo.gather" | "stablehlo.scatter");
            self.struct_fields(fields, defaults);
        }
        self.push(">");
    }

    pub(super) fn struct_fields(&mut self, fields: &AttrMap, skip_defaults: bool) {
        let mut first = true;
        for (name, value) in &fields.0 {
            let default = match value {
                Attr::DenseArray(_, v) => v.is_empty(),
                Attr::Int(v, _) => *v == 0,
                _ => false,
            };
            if skip_defaults && default {
                continue;
            }
            self.push(if first { "" } else { ", " });
            first = false;
            self.push(name);
            self.push(" = ");
            match value {
                Attr::DenseArray(_, values) => self.int_list(values),
                Attr::Int(value, _) => self.push(&value.to_string()),
                Attr::Float(value, _) => self.push(&float_text(ElementType::F64, *value)),
                other => self.attr(other),
            }
        }
    }

    /// `[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]`, or nothing if the numbers are not a permutation.
    pub(super) fn conv_dimensions(&mut self, fields: &AttrMap) -> Option<()> {
        let part = |prefix: &str, letters: [(&str, &str); 2]| -> Option<String> {
            let spatial = fields.ints(&format!("{prefix}_spatial_dimensions"))?;
            let mut labels = vec![String::new(); spatial.len() + 2];
            let mut place = |at: i64, label: String| -> Option<()> {
                let slot = labels.get_mut(usize::try_from(at).ok()?)?;
                if !slot.is_empty() {
                    return None;
                }
                *slot = label;
                Some(())
            };
            for (name, letter) in letters {
                place(fields.int(&format!("{prefix}_{name}_dimension"))?, letter.to_string())?;
            }
            for (i, at) in spatial.iter().enumerate() {
                place(*at, i.to_string())?;
            }
            Some(format!("[{}]", labels.join(", ")))
        };
        let data = [("batch", "b"), ("feature", "f")];
        let input = part("input", data)?;
        let kernel = part("kernel", [("input_feature", "i"), ("output_feature", "o")])?;
        let output = part("output", data)?;
        self.push(&format!("{input}x{kernel}->{output}"));
        Some(())
    }

    pub(super) fn int_list(&mut self, values: &[i64]) {
        let items: Vec<String> = values.iter().map(i64::to_string).collect();
        self.push(&format!("[{}]", items.join(", ")));
    }

    /// `[[0, 1], [2, 3]]`
    pub(super) fn pair_list(&mut self, values: &[i64]) {
        let items: Vec<String> = values
            .chunks(2)
            .map(|p| format!("[{}]", p.iter().map(i64::to_string).collect::<Vec<_>>().join(", ")))
            .collect();
        self.push(&format!("[{}]", items.join(", ")));
    }

    pub(super) fn symbol(&mut self, name: &str) {
        self.push("@");
        if is_identifier(name) { self.push(name) } else { self.string(name) }
    }

    pub(super) fn string(&mut self, text: &str) {
        self.out.push('"');
        for b in text.bytes() {
            match b {
                b'\\' => self.out.push_str("\\\\"),
                b'"' | 0..0x20 | 0x7f.. => self.out.push_str(&format!("\\{b:02X}")),
                _ => self.out.push(b as char),
            }
        }
        self.out.push('"');
    }
}

fn is_identifier(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
        && bytes.all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'.'))
}

/// A float so that its text gives the same bits back; infinities and NaN as bits.
pub fn float_text(element: ElementType, value: f64) -> String {
    let bits = encode_float(element, value);
    if !value.is_finite() {
        return format!("0x{bits:0width$X}", width = 2 * element.storage_bytes());
    }
    let short = format!("{value:.6e}");
    let same = short.parse::<f64>().is_ok_and(|v| encode_float(element, v) == bits);
    let text = match same {
        true => short,
        false if element == ElementType::F32 => format!("{:e}", value as f32),
        false => format!("{value:e}"),
    };
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let point = if mantissa.contains('.') { "" } else { ".0" };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}{point}e{sign}{:02}", exponent.abs())
}

//! Tensors to text, in IREE's form: `4xf32=0.9 1 2 3`, `2x2xi32=[1 2][3 4]`, `f32=1`.
//!
//! Rows beyond the element limit print `...`. Floats print with six significant digits as C's `%G` does, or, with
//! [`Digits::Exact`], with as many as give the same number back when parsed.

use std::fmt::Write;

use fornax_types::Scalar;

use super::{ElementType, Tensor};

/// How floats print.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Digits {
    /// `%G`: six significant digits, `INF`, `NAN`.
    Six,
    /// The shortest text that parses to the same value.
    Exact,
}

/// Options of [`print()`].
#[derive(Clone, Copy, Debug)]
pub struct PrintOptions {
    /// Most elements printed.
    pub max_elements: usize,
    pub digits: Digits,
}

impl Default for PrintOptions {
    fn default() -> Self {
        PrintOptions { max_elements: 1024, digits: Digits::Six }
    }
}

/// Type, `=` and elements.
pub fn print(tensor: &Tensor, options: &PrintOptions) -> String {
    let mut out = format!("{}=", tensor.ty());
    let mut rows = Rows { tensor, digits: options.digits, left: options.max_elements };
    rows.dimension(&mut out, 0, 0, tensor.elements());
    out
}

struct Rows<'a> {
    tensor: &'a Tensor,
    digits: Digits,
    left: usize,
}

impl Rows<'_> {
    /// Prints `count` elements from `first`, which are those of dimension `depth`.
    fn dimension(&mut self, out: &mut String, depth: usize, first: usize, count: usize) {
        let shape = self.tensor.shape();
        if depth + 1 >= shape.len() {
            return self.row(out, first, count);
        }
        let rows = shape.get(depth).copied().unwrap_or(1) as usize;
        // Rows that would all print `[...]` are one `...`.
        for row in 0..rows {
            if self.left == 0 && count > 0 && row > 0 {
                out.push_str("...");
                return;
            }
            out.push('[');
            let each = count.checked_div(rows).unwrap_or(0);
            self.dimension(out, depth + 1, first + row * each, each);
            out.push(']');
        }
    }

    fn row(&mut self, out: &mut String, first: usize, count: usize) {
        let shown = count.min(self.left);
        self.left -= shown;
        let ty = self.tensor.element_type();
        let width = ty.storage_bytes();
        let bytes = self.tensor.bytes().get(first * width..(first + shown) * width).unwrap_or_default();
        for (at, element) in bytes.chunks_exact(width).enumerate() {
            if at > 0 {
                out.push(' ');
            }
            print_element(out, ty, ty.decode(element), self.digits);
        }
        if shown < count {
            out.push_str("...");
        }
    }
}

/// One element.
pub fn print_element(out: &mut String, ty: ElementType, value: Scalar, digits: Digits) {
    // Writing to a String cannot fail.
    let _ = match value {
        Scalar::Int(value) => write!(out, "{value}"),
        Scalar::Float(value) => {
            print_float(out, value, ty.bits(), digits);
            Ok(())
        }
        Scalar::Complex(re, im) => {
            let part_bits = ty.bits() / 2;
            if ty.is_complex() && digits == Digits::Exact {
                out.push('(');
                print_float(out, re, part_bits, digits);
                out.push(',');
                print_float(out, im, part_bits, digits);
                out.push(')');
            } else {
                print_float(out, re, part_bits, digits);
                if im.is_sign_positive() || im.is_nan() {
                    out.push('+');
                }
                print_float(out, im, part_bits, digits);
                out.push('i');
            }
            Ok(())
        }
    };
}

fn print_float(out: &mut String, value: f64, bits: u32, digits: Digits) {
    if digits == Digits::Six {
        return out.push_str(&general(value, 6));
    }
    let exponent_form = value != 0.0 && value.is_finite() && !(1e-5..1e16).contains(&value.abs());
    let single = value as f32;
    // Writing to a String cannot fail.
    let _ = match (value.is_nan(), bits <= 32, exponent_form) {
        (true, ..) => write!(out, "nan"),
        (_, true, false) => write!(out, "{single}"),
        (_, true, true) => write!(out, "{single:e}"),
        (_, false, false) => write!(out, "{value}"),
        (_, false, true) => write!(out, "{value:e}"),
    };
}

/// C's `%.{precision}G`.
fn general(value: f64, precision: usize) -> String {
    if value.is_nan() {
        return "NAN".to_string();
    }
    if value.is_infinite() {
        return if value > 0.0 { "INF" } else { "-INF" }.to_string();
    }
    let scientific = format!("{value:.*e}", precision - 1);
    let Some((mantissa, exponent)) = scientific.split_once('e') else { return scientific };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if exponent < -4 || exponent >= precision as i32 {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{}E{sign}{:02}", trim_zeros(mantissa), exponent.abs());
    }
    let decimals = (precision as i32 - 1 - exponent).max(0) as usize;
    trim_zeros(&format!("{value:.decimals$}")).to_string()
}

fn trim_zeros(number: &str) -> &str {
    if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { number }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensor::parse::{Parsed, parse_input};

    fn printed(text: &str, max_elements: usize) -> String {
        let Ok(Parsed::Tensors(tensors)) = parse_input(text, None) else { panic!("{text}") };
        print(&tensors[0], &PrintOptions { max_elements, digits: Digits::Six })
    }

    #[test]
    fn the_forms_iree_prints() {
        for text in ["4xf32=0.9 1 2.5 -3", "2x2xi32=[1 2][3 4]", "f32=1", "2x2x1xi8=[[1][2]][[3][4]]", "2x0xf32=[][]"] {
            assert_eq!(printed(text, 1024), text);
        }
        assert_eq!(printed("3xf32=inf nan 1e-7", 1024), "3xf32=INF NAN 1E-07");
        assert_eq!(printed("2xf64=1234567 123456", 1024), "2xf64=1.23457E+06 123456");
        assert_eq!(printed("2xcomplex<f32>=(1,2) (3,-4.5)", 1024), "2xcomplex<f32>=1+2i 3-4.5i");
        assert_eq!(printed("2xi1=true false", 9), "2xi1=1 0");
    }

    #[test]
    fn long_tensors_are_cut() {
        assert_eq!(printed("4xi32=1 2 3 4", 2), "4xi32=1 2...");
        assert_eq!(printed("3x2xi32=1 2 3 4 5 6", 3), "3x2xi32=[1 2][3...]...");
        assert_eq!(printed("2x2xi32=1 2 3 4", 0), "2x2xi32=[...]...");
    }
}

//! `--input` text to tensors.
//!
//! ```text
//! input   = type [ "=" data ] | number | "@" files | "-" | "(ignored)"
//! type    = { dimension "x" } element-type                1x224x224x3xf32   f32   complex<f32>   2x3xf8E4M3FN
//! data    = values | "iota" | "random:" seed [ ":" low ":" high ] | "@" file of raw little-endian elements
//!         | nothing: zeros
//! files   = x.npy (one or more arrays) | x.npz:key | x.safetensors:name
//! values  = one value for all elements, or all of them row-major; separated by blanks or commas, grouped by [ ]
//! value   = 12  -3  0xff  1.5e-3  nan  inf  -inf  true  false  (1,2)  1+2i        0x… is a float's bit pattern
//! ```
//!
//! `-` reads npy arrays from standard input; `(ignored)` takes part in the numbering of expected outputs only.

use std::fs;
use std::path::Path;

use fornax_types::{Class, Scalar};

use super::generate::{Random, iota, random};
use super::{ElementType, MAX_RANK, Tensor, TensorType, npy, npz, reserved, safetensors};
use crate::errors::{Result, RuntimeError};
use crate::mapping::{Mapping, read_stream, read_up_to};

/// Text of the grammar for `--help`.
pub const GRAMMAR: &str = "\
  1x224x224x3xf32=0              one value for all elements
  2x2xi32=1 2 3 4                all elements, row-major (blanks or commas)
  2x2xi32=[[1 2][3 4]]           the same with brackets
  f32=1, 3.14                    a scalar (0-d tensor)
  4xf32=iota                     0 1 2 3
  4xf32=random:SEED              uniform in [0,1), the same values everywhere; random:SEED:LOW:HIGH
  2x2xi32=@file.bin              raw little-endian elements
  @file.npy                      one or more arrays written by numpy.save
  @file.npz:key                  an array written by numpy.savez
  @file.safetensors:name         a tensor of a safetensors file
  -                              npy arrays from standard input
  (ignored)                      for --expected-output: do not compare this result
Element types are spelled as in MLIR: i1 i8 i32 ui8 f16 bf16 f32 f64 complex<f32> f8E4M3FN ...
Values: 12 -3 0xff 1.5e-3 nan inf true (1,2) 1+2i";

/// Parses all `texts`; `None` stands for `(ignored)`. `expected` are the types wanted, where known: they give bare
/// numbers their type, and let files that hold only bits (bf16 as ui16) become what is wanted. One text may give
/// several tensors (`@x.npy` with several arrays).
pub fn parse_inputs(texts: &[String], expected: &[TensorType]) -> Result<Vec<Option<Tensor>>> {
    let mut out = Vec::new();
    for text in texts {
        let wanted = expected.get(out.len());
        match parse_input(text, wanted)? {
            Parsed::Ignored => out.push(None),
            Parsed::Tensors(tensors) => {
                for tensor in tensors {
                    let wanted = expected.get(out.len()).map(|ty| ty.element_type);
                    out.push(Some(adopt(tensor, wanted)));
                }
            }
        }
    }
    Ok(out)
}

/// What one text gives.
pub enum Parsed {
    Tensors(Vec<Tensor>),
    Ignored,
}

/// Gives bits from a file the wanted type, where they can stand for it.
fn adopt(tensor: Tensor, wanted: Option<ElementType>) -> Tensor {
    match wanted {
        Some(ty) => tensor.reinterpret(ty).unwrap_or_else(|unchanged| unchanged),
        None => tensor,
    }
}

/// Parses one `--input` text.
pub fn parse_input(text: &str, expected: Option<&TensorType>) -> Result<Parsed> {
    let body = text.trim().trim_matches('"').trim();
    let start = text.find(body).unwrap_or(0);
    if body.is_empty() {
        return Err(RuntimeError::input("FX0821", "empty input").at(text, 0));
    }
    if body == "(ignored)" {
        return Ok(Parsed::Ignored);
    }
    if body == "-" {
        let bytes = read_stream(std::io::stdin().lock(), Path::new("standard input"), npy::MAGIC)?;
        return Ok(Parsed::Tensors(npy::read_all(&bytes)?));
    }
    if let Some(file) = body.strip_prefix('@') {
        return read_file(file).map(Parsed::Tensors).map_err(|e| e.context(format_args!("input @{file}")));
    }
    let (type_text, data) = match body.split_once('=') {
        Some((ty, data)) => (ty, Some(data)),
        None => (body, None),
    };
    let ty = match parse_type_at(text, type_text.trim_end(), start) {
        Ok(ty) => ty,
        Err(error) if data.is_some() => return Err(error),
        // No `=`: a bare number, or a type alone.
        Err(error) => return bare_number(text, body, start, expected).unwrap_or(Err(error)),
    };
    let tensor = match data {
        None => Tensor::zeros(ty)?,
        Some(data) => parse_data(text, data, start + type_text.len() + 1, ty)?,
    };
    Ok(Parsed::Tensors(vec![tensor]))
}

/// `1x2xf32` to a type.
pub fn parse_type(text: &str) -> Result<TensorType> {
    parse_type_at(text, text, 0)
}

/// `part` is the type, `start` its offset in `text`.
fn parse_type_at(text: &str, part: &str, start: usize) -> Result<TensorType> {
    let mut shape = Vec::new();
    let mut rest = part;
    loop {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let offset = start + part.len() - rest.len();
        let (number, after) = rest.split_at(digits);
        if rest.starts_with('?') {
            let error = RuntimeError::input("FX0823", "an input needs a number in place of `?`");
            return Err(error.at(text, offset));
        }
        let Some(after) = after.strip_prefix('x').filter(|_| digits > 0) else { break };
        let too_large = || RuntimeError::input("FX0823", format!("dimension {number} is too large")).at(text, offset);
        shape.push(number.parse::<u64>().ok().filter(|dim| *dim <= 1 << 40).ok_or_else(too_large)?);
        if shape.len() > MAX_RANK {
            let message = format!("more than {MAX_RANK} dimensions");
            return Err(RuntimeError::input("FX0823", message).at(text, offset));
        }
        rest = after;
    }
    let offset = start + part.len() - rest.len();
    match ElementType::parse(rest) {
        Some(element_type) => Ok(TensorType { element_type, shape }),
        None => {
            let message = format!("`{}` is not an element type", shorten(rest));
            let error = RuntimeError::input("FX0822", message).at(text, offset);
            Err(match FILES.iter().any(|end| rest.ends_with(end)) {
                true => error.with_help(format!("a file stands behind @: --input=@{}", shorten(text))),
                false => error,
            })
        }
    }
}

/// How the names of files end that are given as inputs.
const FILES: [&str; 4] = [".npy", ".npz", ".safetensors", ".bin"];

fn shorten(text: &str) -> String {
    let mut short: String = text.chars().take(40).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

/// A number without a type: of the wanted type if that is a scalar, else i32 or f32.
fn bare_number(text: &str, body: &str, start: usize, expected: Option<&TensorType>) -> Option<Result<Parsed>> {
    let numeric = body.starts_with(|c: char| c.is_ascii_digit() || "+-.(".contains(c))
        || ["nan", "inf", "true", "false"].contains(&body);
    if !numeric || body.contains(['[', ' ', ',']) && !body.starts_with('(') {
        return None;
    }
    let wanted = expected.filter(|ty| ty.shape.is_empty()).map(|ty| ty.element_type);
    let guess = match body {
        "true" | "false" => ElementType::I1,
        _ if body.starts_with('(') || body.ends_with(['i', 'j']) => ElementType::ComplexF32,
        _ if body.parse::<i64>().is_ok() || body.starts_with("0x") => ElementType::I32,
        _ => ElementType::F32,
    };
    let ty = TensorType::new(wanted.unwrap_or(guess), []);
    Some(parse_data(text, body, start, ty).map(|tensor| Parsed::Tensors(vec![tensor])))
}

/// `data` lies at `start` in `text`.
fn parse_data(text: &str, data: &str, start: usize, ty: TensorType) -> Result<Tensor> {
    let trimmed = data.trim();
    if let Some(file) = trimmed.strip_prefix('@') {
        return read_raw(file, ty).map_err(|e| e.context(format_args!("input {}", shorten(text))));
    }
    if trimmed == "iota" {
        return iota(ty);
    }
    if let Some(rule) = trimmed.strip_prefix("random:") {
        let parsed = parse_random(rule);
        let bad = || RuntimeError::input("FX0821", "expected random:SEED or random:SEED:LOW:HIGH").at(text, start);
        return random(ty, &parsed.ok_or_else(bad)?);
    }
    parse_values(text, data, start, ty)
}

fn parse_random(rule: &str) -> Option<Random> {
    let mut parts = rule.split(':');
    let seed = parts.next()?.parse().ok()?;
    let range = match (parts.next(), parts.next(), parts.next()) {
        (None, None, None) => None,
        (Some(lo), Some(hi), None) => {
            let (lo, hi) = (lo.parse::<f64>().ok()?, hi.parse::<f64>().ok()?);
            (lo.is_finite() && hi.is_finite() && lo < hi).then_some(Some((lo, hi)))?
        }
        _ => return None,
    };
    Some(Random { seed, range })
}

fn parse_values(text: &str, data: &str, start: usize, ty: TensorType) -> Result<Tensor> {
    let wanted = ty.elements()?;
    let width = ty.element_type.storage_bytes();
    // Never more memory than the text can fill; a splat grows at the end.
    let mut bytes = reserved(ty.bytes()?.min(data.len().saturating_mul(width)))?;
    let mut count = 0usize;
    // One entry for each open bracket: whether it holds brackets, and the count at its opening.
    let mut open: Vec<(bool, usize)> = Vec::new();
    for (offset, token) in (Tokens { data, at: 0 }) {
        let place = start + offset;
        match token {
            "[" => {
                if let Some(outer) = open.last_mut() {
                    outer.0 = true;
                }
                if open.len() > MAX_RANK {
                    return Err(RuntimeError::input("FX0821", "too many brackets").at(text, place));
                }
                open.push((false, count));
            }
            "]" => {
                let Some((nested, before)) = open.pop() else {
                    return Err(RuntimeError::input("FX0821", "`]` without `[`").at(text, place));
                };
                check_group(nested, count - before, wanted, &ty).map_err(|error| error.at(text, place))?;
            }
            value => {
                let scalar = parse_value(value, ty.element_type).map_err(|error| error.at(text, place))?;
                count += 1;
                if count > wanted {
                    let message = format!("more than the {wanted} elements of {ty}");
                    return Err(RuntimeError::input("FX0825", message).at(text, place));
                }
                ty.element_type.encode(scalar, &mut bytes);
            }
        }
    }
    if !open.is_empty() {
        return Err(RuntimeError::input("FX0821", "`[` is not closed").at(text, text.len()));
    }
    if count == 1 && wanted > 1 {
        let total = ty.bytes()?;
        let missing = total - bytes.len();
        let no_room = bytes.try_reserve_exact(missing).is_err();
        if no_room {
            reserved(usize::MAX / 2)?;
        }
        splat(&mut bytes, total);
    } else if count < wanted {
        let message = format!("{count} elements given, {ty} has {wanted}");
        return Err(RuntimeError::input("FX0825", message).at(text, text.len()));
    }
    Tensor::new(ty, bytes)
}

/// Repeats what is there until `total` bytes, by doubling.
fn splat(bytes: &mut Vec<u8>, total: usize) {
    if bytes.iter().all(|byte| *byte == 0) {
        bytes.resize(total, 0);
        return;
    }
    while bytes.len() < total {
        let more = bytes.len().min(total - bytes.len());
        bytes.extend_from_within(..more);
    }
}

/// An innermost bracket holds one row.
fn check_group(nested: bool, held: usize, elements: usize, ty: &TensorType) -> Result<()> {
    let row = ty.shape.last().copied().unwrap_or(1);
    if nested || held as u64 == row || (held == 1 && elements > 1) || (held == 0 && elements == 0) {
        return Ok(());
    }
    Err(RuntimeError::input("FX0825", format!("this bracket holds {held} elements, a row of {ty} has {row}")))
}

/// Splits into `[`, `]` and values.
struct Tokens<'a> {
    data: &'a str,
    at: usize,
}

impl<'a> Iterator for Tokens<'a> {
    /// Byte offset and token.
    type Item = (usize, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.data.get(self.at..)?;
        let skipped = rest.len() - rest.trim_start_matches(|c: char| c.is_whitespace() || c == ',').len();
        let start = self.at + skipped;
        let rest = self.data.get(start..)?;
        let first = rest.chars().next()?;
        let len = match first {
            '[' | ']' => 1,
            '(' => rest.find(')').map_or(rest.len(), |close| close + 1),
            _ => rest.find(|c: char| c.is_whitespace() || ",[]".contains(c)).unwrap_or(rest.len()),
        };
        self.at = start + len;
        Some((start, rest.get(..len)?))
    }
}

/// One value of an element type.
fn parse_value(token: &str, ty: ElementType) -> Result<Scalar> {
    let bad = |why: &str| RuntimeError::input("FX0824", format!("`{}` is not a value of {ty}{why}", shorten(token)));
    if token == "random" {
        return Err(bad(": random numbers are `random:SEED`"));
    }
    match (ty.class(), ty.format()) {
        (Class::Boolean, _) if token.eq_ignore_ascii_case("true") => Ok(Scalar::Int(1)),
        (Class::Boolean, _) if token.eq_ignore_ascii_case("false") => Ok(Scalar::Int(0)),
        (_, None) => {
            let value = parse_integer(token).ok_or_else(|| bad(""))?;
            let (lo, hi) = ty.integer_range().unwrap_or((0, 0));
            if value < lo || value > hi {
                return Err(bad(&format!(": it must lie in {lo}..={hi}")));
            }
            Ok(Scalar::Int(value))
        }
        (Class::Float, Some(format)) => match token.strip_prefix("0x").or_else(|| token.strip_prefix("0X")) {
            Some(hex) => {
                let bits = u64::from_str_radix(hex, 16).ok().filter(|bits| ty.bits() == 64 || bits >> ty.bits() == 0);
                Ok(Scalar::Float(format.decode(bits.ok_or_else(|| bad(""))?)))
            }
            None => parse_float(token, ty.bits()).map(Scalar::Float).ok_or_else(|| bad("")),
        },
        (_, Some(_)) => {
            let (re, im) = parse_complex(token, ty.bits() / 2).ok_or_else(|| bad(""))?;
            Ok(Scalar::Complex(re, im))
        }
    }
}

fn parse_integer(token: &str) -> Option<i128> {
    let (negative, digits) = match token.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, token.strip_prefix('+').unwrap_or(token)),
    };
    if !digits.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let magnitude = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(hex) if !hex.starts_with(['+', '-']) => i128::from_str_radix(hex, 16).ok()?,
        Some(_) => return None,
        None => digits.parse().ok()?,
    };
    Some(if negative { -magnitude } else { magnitude })
}

/// Decimal, nan or inf. A type of 32 bits is rounded once, from the decimal.
fn parse_float(token: &str, bits: u32) -> Option<f64> {
    if bits == 32 {
        return token.parse::<f32>().ok().map(f64::from);
    }
    token.parse::<f64>().ok()
}

/// `(re,im)`, `re+imi`, `imi` (or `j`), or a real number.
fn parse_complex(token: &str, part_bits: u32) -> Option<(f64, f64)> {
    if let Some(inner) = token.strip_prefix('(').and_then(|t| t.strip_suffix(')')) {
        let (re, im) = inner.split_once(',')?;
        return Some((parse_float(re.trim(), part_bits)?, parse_float(im.trim(), part_bits)?));
    }
    let Some(body) = token.strip_suffix(['i', 'j', 'I', 'J']) else {
        return Some((parse_float(token, part_bits)?, 0.0));
    };
    // The sign of the imaginary part: the last one that does not belong to an exponent.
    let sign = body.char_indices().rev().find(|(at, c)| {
        let before = body.get(..*at).and_then(|head| head.chars().last());
        "+-".contains(*c) && *at > 0 && !matches!(before, Some('e' | 'E'))
    });
    match sign {
        Some((at, _)) => {
            let (re, im) = body.split_at(at);
            Some((parse_float(re, part_bits)?, parse_float(im, part_bits)?))
        }
        None => Some((0.0, parse_float(body, part_bits)?)),
    }
}

/// `@x.npy`, `@x.npz:key`, `@x.safetensors:name`.
fn read_file(spec: &str) -> Result<Vec<Tensor>> {
    if let Some((path, name)) = split_name(spec, ".npz:") {
        return Ok(vec![npz::Npz::open(Path::new(path))?.read(name)?]);
    }
    if let Some((path, name)) = split_name(spec, ".safetensors:") {
        return Ok(vec![safetensors::SafeTensors::open(Path::new(path))?.read(name)?]);
    }
    if spec.ends_with(".npz") {
        return npz::Npz::open(Path::new(spec))?.read_all();
    }
    if spec.ends_with(".safetensors") {
        let error = RuntimeError::input("FX0821", "say which tensor of the file: @file.safetensors:NAME");
        return Err(error);
    }
    if spec.ends_with(".npy") {
        return npy::read_all(Mapping::copy(Path::new(spec), npy::MAGIC)?.bytes());
    }
    let error = RuntimeError::input("FX0821", "a raw file needs a type before it: 2x2xf32=@file.bin");
    Err(error.with_help("files that know their type end in .npy, .npz or .safetensors"))
}

fn split_name<'a>(spec: &'a str, mark: &str) -> Option<(&'a str, &'a str)> {
    let at = spec.rfind(mark)? + mark.len() - 1;
    Some((spec.get(..at)?, spec.get(at + 1..)?))
}

fn read_raw(file: &str, ty: TensorType) -> Result<Tensor> {
    let wanted = ty.bytes()?;
    let unreadable = |e: std::io::Error| RuntimeError::input("FX0826", format!("{file}: {e}"));
    let data = fs::metadata(file).map_err(unreadable)?;
    // A pipe has no length; a regular file is refused before it is read.
    if data.is_file() && data.len() != wanted as u64 {
        let message = format!("{file} holds {} bytes, {ty} takes {wanted}", data.len());
        return Err(RuntimeError::input("FX0825", message));
    }
    let bytes = read_up_to(Path::new(file), wanted as u64)?;
    if bytes.len() > wanted {
        return Err(RuntimeError::input(
            "FX0825",
            format!("{file} gives more than the {wanted} bytes that {ty} takes"),
        ));
    }
    Tensor::new(ty, bytes).map_err(|e| e.context(file))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> Tensor {
        match parse_input(text, None).unwrap() {
            Parsed::Tensors(mut tensors) => tensors.remove(0),
            Parsed::Ignored => panic!("ignored"),
        }
    }

    fn error(text: &str) -> RuntimeError {
        match parse_input(text, None) {
            Ok(_) => panic!("{text} was accepted"),
            Err(error) => error,
        }
    }

    fn floats(tensor: &Tensor) -> Vec<f64> {
        tensor.iter().map(|v| if let Scalar::Float(v) = v { v } else { f64::NAN }).collect()
    }

    fn ints(tensor: &Tensor) -> Vec<i128> {
        tensor.iter().map(|v| if let Scalar::Int(v) = v { v } else { i128::MIN }).collect()
    }

    #[test]
    fn the_forms_of_the_grammar() {
        let splat = one("1x224x224x3xf32=0");
        assert_eq!((splat.shape(), splat.elements()), (&[1, 224, 224, 3][..], 150528));
        assert_eq!(ints(&one("2x2xi32=1 2 3 4")), [1, 2, 3, 4]);
        assert_eq!(ints(&one("2x2xi32=[[1 2][3 4]]")), [1, 2, 3, 4]);
        assert_eq!(ints(&one("2x2xi32=[1, 2],[3, 4]")), [1, 2, 3, 4]);
        assert_eq!(ints(&one("\"3xui8=0xff,7,0\"")), [255, 7, 0]);
        assert_eq!(ints(&one("2xi8=255 -128")), [-1, -128]);
        assert_eq!(floats(&one("3xf32=1.5")), [1.5; 3]);
        assert_eq!(floats(&one("f32=1")), [1.0]);
        assert_eq!((one("3.14").element_type(), one("3").element_type()), (ElementType::F32, ElementType::I32));
        assert_eq!(floats(&one("3xf32=inf -inf 0x3f800000")), [f64::INFINITY, f64::NEG_INFINITY, 1.0]);
        assert!(floats(&one("f64=nan"))[0].is_nan());
        assert_eq!(ints(&one("3xi1=true 0 false")), [1, 0, 0]);
        assert_eq!(one("4xf32=iota").bytes()[4..8], 1f32.to_le_bytes());
        assert_eq!(floats(&one("2xf32")), [0.0, 0.0]);
        assert_eq!(one("0x4xf32=").shape(), [0, 4]);
        assert_eq!(one("2x0xf32=[][]").elements(), 0);
        assert!(matches!(parse_input("(ignored)", None), Ok(Parsed::Ignored)));
    }

    #[test]
    fn complex_values() {
        let tensor = one("5xcomplex<f32>=(1,2) 1+2i -1e+1-2e-1j 3 4i");
        let values: Vec<Scalar> = tensor.iter().collect();
        let pairs = [(1.0, 2.0), (1.0, 2.0), (-10.0, f64::from(-0.2f32)), (3.0, 0.0), (0.0, 4.0)];
        assert_eq!(values, pairs.map(|(re, im)| Scalar::Complex(re, im)));
    }

    #[test]
    fn a_bare_number_takes_the_wanted_type() {
        let wanted = TensorType::new(ElementType::Bf16, []);
        let Ok(Parsed::Tensors(tensors)) = parse_input("2", Some(&wanted)) else { panic!() };
        assert_eq!(tensors[0].element_type(), ElementType::Bf16);
    }

    #[test]
    fn errors_have_codes_and_places() {
        for (text, code) in [
            ("", "FX0821"),
            ("2x2xg32=1", "FX0822"),
            ("hello", "FX0822"),
            ("?x2xf32=1", "FX0823"),
            ("99999999999999999999xf32=1", "FX0823"),
            ("1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32=1", "FX0823"),
            ("2x2xi32=1 2 3", "FX0825"),
            ("2xi32=1 2 3", "FX0825"),
            ("2x2xi32=[1 2 3][4]", "FX0825"),
            ("2xi32=1 z", "FX0824"),
            ("2xi8=1 300", "FX0824"),
            ("f16=0x12345", "FX0824"),
            ("2xi32=[1 2", "FX0821"),
            ("2xi32=1 2]", "FX0821"),
            ("4xf32=random:x", "FX0821"),
            ("1000000x1000000x1000000xf32=0", "FX0831"),
            ("@nothing.here.npy", "FX0826"),
            ("@file.bin", "FX0821"),
            ("2xf32=@nothing.here.bin", "FX0826"),
            ("complex<f32>=(1;2)", "FX0824"),
        ] {
            assert_eq!(error(text).code(), code, "{text}");
        }
        assert!(error("4xf32=random").to_string().contains("`random:SEED`"));
        assert!(error("2xi32=1 z").to_string().ends_with("\n          ^"), "{}", error("2xi32=1 z"));
    }

    #[test]
    fn raw_files_must_have_the_right_length() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.bin");
        fs::write(&path, [1, 0, 2, 0]).unwrap();
        let text = format!("2xi16=@{}", path.display());
        assert_eq!(ints(&one(&text)), [1, 2]);
        assert_eq!(error(&text.replace("i16", "i32")).code(), "FX0825");
    }
}

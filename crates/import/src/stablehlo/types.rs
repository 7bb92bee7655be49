//! Types: tensors (with `?`, encodings, quantised elements), tokens, tuples, functions, scalars, aliases.

use fornax_graph::print::float_text;
use fornax_graph::{Dim, ElementType, QuantizedBlocks, QuantizedType, TensorType, Type};

use super::parser::{Parser, Result};
use super::sizes::split_list;

/// Nested braces of a table of parameters, at most.
const TABLE_DEPTH: usize = 32;

impl<'a> Parser<'a> {
    /// Any type.
    pub fn parse_type(&mut self) -> Result<Type> {
        self.enter()?;
        let ty = self.parse_type_inner();
        self.leave();
        ty
    }

    fn parse_type_inner(&mut self) -> Result<Type> {
        match self.lex.peek() {
            b'!' => self.parse_dialect_type(),
            b'(' => self.parse_function_type(),
            _ => {
                let start = self.lex.pos;
                let Some(name) = self.lex.ident() else { return Err(self.expected("a type")) };
                match name {
                    "tensor" => self.parse_tensor(),
                    "tuple" => self.parse_tuple(),
                    "none" => Ok(Type::None),
                    "complex" => Ok(Type::Scalar(self.parse_complex(start)?)),
                    "memref" | "vector" => self.parse_opaque_type(start),
                    _ => match ElementType::from_spelling(name) {
                        Some(element) => Ok(Type::Scalar(element)),
                        None if is_number_type(name) => Ok(Type::Opaque(name.to_string())),
                        None => Err(self.error_at("FX0106", start, format!("unknown type `{name}`"))),
                    },
                }
            }
        }
    }

    /// The text of a type that is only kept, its name just taken.
    fn parse_opaque_type(&mut self, start: usize) -> Result<Type> {
        if self.lex.byte(0) == b'<' {
            self.lex.pos += 1;
            self.balanced()?;
            self.expect(">")?;
        }
        Ok(Type::Opaque(self.lex.slice(start, self.lex.pos).to_string()))
    }

    fn parse_dialect_type(&mut self) -> Result<Type> {
        let start = self.lex.pos;
        self.lex.pos += 1;
        let name = self.lex.suffix();
        match name {
            "stablehlo.token" | "mhlo.token" => return Ok(Type::Token),
            "quant.uniform" => return Ok(Type::Scalar(self.parse_quantized(start)?)),
            _ => {}
        }
        if let Some(ty) = self.type_aliases.get(name) {
            return Ok(ty.clone());
        }
        if !name.contains('.') {
            return Err(self.error_at("FX0111", start, format!("type alias `!{name}` is not defined")));
        }
        if name.starts_with("stablehlo.") && name != "stablehlo.future" {
            return Err(self.error_at("FX0106", start, format!("unknown type `!{name}`")));
        }
        self.parse_opaque_type(start)
    }

    /// `(a, b) -> c` or `(a, b) -> (c, d)`
    pub fn parse_function_type(&mut self) -> Result<Type> {
        let inputs = self.parse_type_list_in_parens()?;
        self.expect("->")?;
        let results = self.parse_result_types()?;
        Ok(Type::Function { inputs, results })
    }

    /// `c` or `(c, d)` after an arrow.
    pub fn parse_result_types(&mut self) -> Result<Vec<Type>> {
        if self.lex.peek() == b'(' { self.parse_type_list_in_parens() } else { Ok(vec![self.parse_type()?]) }
    }

    fn parse_type_list_in_parens(&mut self) -> Result<Vec<Type>> {
        self.expect("(")?;
        let mut types = Vec::new();
        if self.lex.eat(")") {
            return Ok(types);
        }
        loop {
            types.push(self.parse_type()?);
            if !self.lex.eat(",") {
                self.expect(")")?;
                return Ok(types);
            }
        }
    }

    /// `a, b, c`, at least one.
    pub fn parse_type_list(&mut self) -> Result<Vec<Type>> {
        let mut types = vec![self.parse_type()?];
        while self.lex.eat(",") {
            types.push(self.parse_type()?);
        }
        Ok(types)
    }

    fn parse_tuple(&mut self) -> Result<Type> {
        self.expect("<")?;
        if self.lex.eat(">") {
            return Ok(Type::Tuple(Vec::new()));
        }
        let types = self.parse_type_list()?;
        self.expect(">")?;
        Ok(Type::Tuple(types))
    }

    fn parse_tensor(&mut self) -> Result<Type> {
        self.expect("<")?;
        if self.lex.eat("*") {
            self.expect("x")?;
            let element = self.parse_element()?;
            self.expect(">")?;
            return Ok(Type::Unranked(element));
        }
        let mut shape = Vec::new();
        loop {
            match self.lex.peek() {
                b'?' => {
                    self.lex.pos += 1;
                    shape.push(Dim::Symbolic(0));
                }
                b'0'..=b'9' => {
                    let start = self.lex.pos;
                    let digits = self.lex.digits();
                    let size = digits.parse::<i64>();
                    let too_big =
                        |_| self.error_at("FX0107", start, format!("size `{digits}` does not fit in 64 bits"));
                    shape.push(Dim::Static(size.map_err(too_big)?));
                }
                _ => break,
            }
            self.expect("x")?;
        }
        let element = self.parse_element()?;
        let at = self.lex.pos;
        let mut encoding = if self.lex.eat(",") { Some(self.parse_encoding()?) } else { None };
        self.expect(">")?;
        let names = encoding.as_ref().and_then(|e| e.strip_prefix("#fornax.dims<")?.strip_suffix('>'));
        if let Some(names) = names {
            let names: Vec<String> = split_list(names);
            let mut sizes = self.parse_sizes(at, &names)?.into_iter();
            let open: Vec<&mut Dim> = shape.iter_mut().filter(|dim| **dim == Dim::Symbolic(0)).collect();
            if open.len() != sizes.len() {
                let message = format!("{} sizes are named, the shape has {} `?`", sizes.len(), open.len());
                return Err(self.error_at("FX0115", at, message));
            }
            open.into_iter().for_each(|dim| *dim = sizes.next().unwrap_or(*dim));
            encoding = None;
        }
        Ok(Type::Tensor(TensorType { shape, element, encoding }))
    }

    fn parse_encoding(&mut self) -> Result<String> {
        self.lex.skip_trivia();
        let text = self.balanced()?.trim();
        let text = match text.strip_prefix('#').and_then(|name| self.attr_alias_text.get(name)) {
            Some(resolved) => resolved,
            None => text,
        };
        let bounds = text.strip_prefix("#stablehlo.type_extensions<bounds = [").and_then(|t| t.strip_suffix("]>"));
        Ok(bounds.map_or_else(|| text.to_string(), |b| format!("#stablehlo.bounds<{b}>")))
    }

    /// Element type of a tensor.
    fn parse_element(&mut self) -> Result<ElementType> {
        let start = self.lex.pos;
        match self.lex.peek() {
            b'!' => match self.parse_type()? {
                Type::Scalar(element) => Ok(element),
                _ => Err(self.error_at("FX0106", start, "this type cannot be the element of a tensor")),
            },
            _ => {
                let Some(name) = self.lex.ident() else { return Err(self.expected("an element type")) };
                if name == "complex" {
                    return self.parse_complex(start);
                }
                ElementType::from_spelling(name).ok_or_else(|| {
                    let near = fornax_graph::ops::nearest(name, ElementType::all().map(ElementType::spelling));
                    let error = self.error_at("FX0106", start, format!("unknown element type `{name}`"));
                    self.with_hint(error, near.map(|n| format!("did you mean `{n}`?")))
                })
            }
        }
    }

    fn parse_complex(&mut self, start: usize) -> Result<ElementType> {
        self.expect("<")?;
        let part = self.lex.ident();
        self.expect(">")?;
        match part {
            Some("f32") => Ok(ElementType::ComplexF32),
            Some("f64") => Ok(ElementType::ComplexF64),
            _ => Err(self.error_at("FX0106", start, "complex numbers are of f32 or f64")),
        }
    }

    /// `<storage[<min:max>]:expressed[:axis | :{axis:block, …}], scale[:zero_point] | {scale[:zero_point], …}>`
    fn parse_quantized(&mut self, start: usize) -> Result<ElementType> {
        self.expect("<")?;
        let (storage, mut min, mut max) = self.parse_quantized_storage()?;
        if self.lex.eat("<") {
            min = self.parse_i64()?;
            self.expect(":")?;
            max = self.parse_i64()?;
            self.expect(">")?;
        }
        self.expect(":")?;
        let expressed = self.parse_element()?;
        let mut axis = None;
        let mut axes = None;
        if self.lex.eat(":") {
            if self.lex.eat("{") {
                axes = Some(self.parse_block_axes()?);
            } else {
                axis = Some(self.parse_i64()?);
            }
        }
        let mut parameters = Vec::new();
        self.expect(",")?;
        let mut blocks = None;
        if let Some(axes) = axes {
            let mut shape = Vec::new();
            self.parse_block_parameters(0, &mut shape, &mut parameters)?;
            let count = shape.iter().try_fold(1usize, |n, &d| n.checked_mul(usize::try_from(d).ok()?));
            if count != Some(parameters.len()) {
                return Err(self.error_at("FX0106", start, "the table of parameters of blocks is not a rectangle"));
            }
            blocks = Some(QuantizedBlocks { axes, shape });
        } else {
            let braces = self.lex.eat("{");
            loop {
                let scale = self.parse_f64()?;
                let zero_point = if self.lex.eat(":") { self.parse_i64()? } else { 0 };
                parameters.push((scale, zero_point));
                if !braces || !self.lex.eat(",") {
                    break;
                }
            }
            if braces {
                self.expect("}")?;
            }
        }
        self.expect(">")?;
        let text = if blocks.is_some() {
            self.lex.slice(start, self.lex.pos).split_whitespace().collect::<Vec<_>>().join(" ")
        } else {
            quantized_text(storage, (min, max), expressed, axis, &parameters)
        };
        if let Some(index) = self.graph.quantized.iter().position(|q| q.text == text) {
            return Ok(ElementType::Quantized(index as u32));
        }
        let storage_min = min;
        let storage_max = max;
        self.graph.quantized.push(QuantizedType {
            storage,
            storage_min,
            storage_max,
            expressed,
            axis,
            blocks,
            parameters,
            text,
        });
        Ok(ElementType::Quantized(self.graph.quantized.len() as u32 - 1))
    }

    /// `axis:size, …}`
    fn parse_block_axes(&mut self) -> Result<Vec<(i64, i64)>> {
        let mut axes = Vec::new();
        while !self.lex.eat("}") {
            if !axes.is_empty() {
                self.expect(",")?;
            }
            let axis = self.parse_i64()?;
            self.expect(":")?;
            axes.push((axis, self.parse_i64()?));
        }
        Ok(axes)
    }

    /// A table of `scale[:zero_point]` in nested braces, all lists of a depth as long.
    fn parse_block_parameters(
        &mut self,
        depth: usize,
        shape: &mut Vec<i64>,
        parameters: &mut Vec<(f64, i64)>,
    ) -> Result<()> {
        self.lex.skip_trivia();
        let start = self.lex.pos;
        if !self.lex.eat("{") || depth >= TABLE_DEPTH {
            return Err(self.error_at("FX0106", start, "expected the parameters of blocks, a table in braces"));
        }
        let mut count = 0;
        loop {
            self.lex.skip_trivia();
            if self.lex.peek() == b'{' {
                self.parse_block_parameters(depth + 1, shape, parameters)?;
            } else {
                let scale = self.parse_f64()?;
                let zero_point = if self.lex.eat(":") { self.parse_i64()? } else { 0 };
                parameters.push((scale, zero_point));
            }
            count += 1;
            if !self.lex.eat(",") {
                break;
            }
        }
        self.expect("}")?;
        if shape.len() <= depth {
            shape.resize(depth + 1, -1);
        }
        if shape[depth] != -1 && shape[depth] != count {
            return Err(self.error_at("FX0106", start, "the lists of a table of parameters have different lengths"));
        }
        shape[depth] = count;
        Ok(())
    }

    /// `i8` or `u8` with the range of the type.
    fn parse_quantized_storage(&mut self) -> Result<(ElementType, i64, i64)> {
        self.lex.skip_trivia();
        let start = self.lex.pos;
        let name = self.lex.ident().unwrap_or("");
        let spelling =
            if name.starts_with('u') && !name.starts_with("ui") { name.replacen('u', "ui", 1) } else { name.into() };
        match ElementType::from_spelling(&spelling) {
            Some(e) if e.is_integer() && e.bits() < 64 => {
                let (min, max) = storage_range(e);
                Ok((e, min, max))
            }
            _ => Err(self.error_at("FX0106", start, format!("`{name}` is not a storage type of a quantised type"))),
        }
    }
}

/// Smallest and largest value of a storage type below 64 bits.
fn storage_range(e: ElementType) -> (i64, i64) {
    if e.is_unsigned() { (0, (1 << e.bits()) - 1) } else { (-(1 << (e.bits() - 1)), (1 << (e.bits() - 1)) - 1) }
}

/// One text for each quantised type, however it was written.
fn quantized_text(
    storage: ElementType,
    range: (i64, i64),
    expressed: ElementType,
    axis: Option<i64>,
    parameters: &[(f64, i64)],
) -> String {
    let name = storage.spelling().replacen("ui", "u", 1);
    let bounds = if range == storage_range(storage) { String::new() } else { format!("<{}:{}>", range.0, range.1) };
    let slices: Vec<String> = parameters
        .iter()
        .map(|&(scale, zero)| {
            let scale = float_text(ElementType::F64, scale);
            if zero == 0 { scale } else { format!("{scale}:{zero}") }
        })
        .collect();
    let (axis, slices) = match axis {
        Some(axis) => (format!(":{axis}"), format!("{{{}}}", slices.join(","))),
        None => (String::new(), slices.join(",")),
    };
    format!("!quant.uniform<{name}{bounds}:{}{axis}, {slices}>", expressed.spelling())
}

/// `tf32`, `i128` and other number types outside the specification, which appear in attributes only.
fn is_number_type(name: &str) -> bool {
    let digits = name.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    name == "tf32" || (matches!(name.as_bytes().first(), Some(b'i' | b'u' | b's')) && digits.parse::<u32>().is_ok())
}

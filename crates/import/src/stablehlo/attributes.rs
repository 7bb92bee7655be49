//! Attributes: literals, arrays, dictionaries, dialect attributes (`#stablehlo.dot<…>`), aliases.

use fornax_graph::{Attr, AttrMap, ElementType, Type};
use fornax_types::{decode_float, encode_float};

use super::parser::{Parser, Result, integer};

/// A structured attribute whose absent fields have defaults: (name, fields that are lists or, with `false`, integers).
const STRUCTS: &[(&str, &[(&str, bool)])] = &[
    (
        "stablehlo.dot",
        &[
            ("lhs_batching_dimensions", true),
            ("rhs_batching_dimensions", true),
            ("lhs_contracting_dimensions", true),
            ("rhs_contracting_dimensions", true),
        ],
    ),
    (
        "stablehlo.gather",
        &[
            ("offset_dims", true),
            ("collapsed_slice_dims", true),
            ("operand_batching_dims", true),
            ("start_indices_batching_dims", true),
            ("start_index_map", true),
            ("index_vector_dim", false),
        ],
    ),
    (
        "stablehlo.scatter",
        &[
            ("update_window_dims", true),
            ("inserted_window_dims", true),
            ("input_batching_dims", true),
            ("scatter_indices_batching_dims", true),
            ("scatter_dims_to_operand_dims", true),
            ("index_vector_dim", false),
        ],
    ),
    (
        "stablehlo.conv",
        &[
            ("input_batch_dimension", false),
            ("input_feature_dimension", false),
            ("input_spatial_dimensions", true),
            ("kernel_input_feature_dimension", false),
            ("kernel_output_feature_dimension", false),
            ("kernel_spatial_dimensions", true),
            ("output_batch_dimension", false),
            ("output_feature_dimension", false),
            ("output_spatial_dimensions", true),
        ],
    ),
];

fn i64_type() -> Type {
    Type::Scalar(ElementType::I64)
}

pub fn int(value: i64) -> Attr {
    Attr::Int(i128::from(value), i64_type())
}

pub fn ints(values: Vec<i64>) -> Attr {
    Attr::DenseArray(ElementType::I64, values)
}

impl<'a> Parser<'a> {
    /// Any attribute.
    pub fn parse_attribute(&mut self) -> Result<Attr> {
        self.enter()?;
        let attr = self.parse_attribute_inner();
        self.leave();
        attr
    }

    fn parse_attribute_inner(&mut self) -> Result<Attr> {
        match self.lex.peek() {
            b'"' => {
                let text = self.string()?;
                if self.lex.eat(":") {
                    self.parse_type()?;
                }
                Ok(Attr::String(text))
            }
            b'@' => self.parse_symbol_ref(),
            b'[' => self.parse_array(),
            b'{' => Ok(Attr::Dict(self.parse_attr_dict()?)),
            b'#' => self.parse_dialect_attribute(),
            b'!' | b'(' => Ok(Attr::Type(self.parse_type()?)),
            b'-' | b'0'..=b'9' => self.parse_number_attribute(),
            _ => self.parse_keyword_attribute(),
        }
    }

    fn parse_keyword_attribute(&mut self) -> Result<Attr> {
        let start = self.lex.pos;
        let mut probe = self.lex;
        let Some(name) = probe.ident() else { return Err(self.expected("an attribute")) };
        match name {
            "true" | "false" => {
                self.lex = probe;
                Ok(Attr::Bool(name == "true"))
            }
            "unit" => {
                self.lex = probe;
                Ok(Attr::Unit)
            }
            "dense" => {
                self.lex = probe;
                Ok(Attr::Dense(self.parse_dense()?))
            }
            "dense_resource" => {
                self.lex = probe;
                Ok(Attr::Dense(self.parse_dense_resource()?))
            }
            "array" => {
                self.lex = probe;
                self.parse_dense_array(start)
            }
            "loc" => {
                self.lex = probe;
                self.expect("(")?;
                self.balanced()?;
                self.expect(")")?;
                Ok(Attr::Opaque(self.lex.slice(start, self.lex.pos).to_string()))
            }
            "affine_map" | "affine_set" | "sparse" | "distinct" | "strided" => {
                self.lex = probe;
                self.skip_opaque_attribute(start)
            }
            _ => Ok(Attr::Type(self.parse_type()?)),
        }
    }

    /// `<…>` or `[n]<…>` after a name, and `: type`, kept as text.
    fn skip_opaque_attribute(&mut self, start: usize) -> Result<Attr> {
        for (open, close) in [("[", "]"), ("<", ">")] {
            if self.lex.eat(open) {
                self.balanced()?;
                self.expect(close)?;
            }
        }
        if self.lex.eat(":") {
            self.parse_type()?;
        }
        Ok(Attr::Opaque(self.lex.slice(start, self.lex.pos).to_string()))
    }

    /// `@a` or `@a::@b`
    pub fn parse_symbol_ref(&mut self) -> Result<Attr> {
        let mut path = vec![self.symbol()?];
        while self.lex.eat("::") {
            path.push(self.symbol()?);
        }
        Ok(Attr::Symbol(path))
    }

    fn parse_array(&mut self) -> Result<Attr> {
        self.expect("[")?;
        let mut items = Vec::new();
        if self.lex.eat("]") {
            return Ok(Attr::Array(items));
        }
        loop {
            items.push(self.parse_attribute()?);
            if !self.lex.eat(",") {
                self.expect("]")?;
                return Ok(Attr::Array(items));
            }
        }
    }

    /// `{name = value, unit_name, "quoted" = value}`
    pub fn parse_attr_dict(&mut self) -> Result<AttrMap> {
        self.expect("{")?;
        let mut map = AttrMap::default();
        if self.lex.eat("}") {
            return Ok(map);
        }
        loop {
            let at = self.lex.peek();
            let pos = self.lex.pos;
            let name = match at {
                b'"' => self.string()?,
                _ => self.lex.ident().ok_or_else(|| self.expected("an attribute name"))?.to_string(),
            };
            let value = if self.lex.eat("=") { self.parse_attribute()? } else { Attr::Unit };
            if map.get(&name).is_some() {
                return Err(self.error_at("FX0110", pos, format!("attribute `{name}` is given twice")));
            }
            map.0.push((name, value));
            if !self.lex.eat(",") {
                self.expect("}")?;
                return Ok(map);
            }
        }
    }

    pub fn parse_optional_attr_dict(&mut self, into: &mut AttrMap) -> Result<()> {
        if self.lex.peek() != b'{' {
            return Ok(());
        }
        let pos = self.lex.pos;
        for (name, value) in self.parse_attr_dict()?.0 {
            if into.get(&name).is_some() {
                return Err(self.error_at("FX0110", pos, format!("attribute `{name}` is given twice")));
            }
            into.0.push((name, value));
        }
        Ok(())
    }

    fn parse_number_attribute(&mut self) -> Result<Attr> {
        let pos = self.lex.pos;
        let Some((text, float)) = self.lex.number() else { return Err(self.expected("a number")) };
        let ty = if self.lex.eat(":") { Some(self.parse_type()?) } else { None };
        let bad = |parser: &Self| parser.error_at("FX0107", pos, format!("`{text}` is not a number"));
        if float {
            let value: f64 = text.parse().map_err(|_| bad(self))?;
            let ty = ty.unwrap_or(Type::Scalar(ElementType::F64));
            // An f32 attribute of 0.01 is the f32 nearest to it, as bytecode has it.
            let value = match ty {
                Type::Scalar(e) if e.is_float() => decode_float(e, encode_float(e, value)),
                _ => value,
            };
            return Ok(Attr::Float(value, ty));
        }
        let value = integer(text).ok_or_else(|| bad(self))?;
        match ty {
            Some(Type::Scalar(e)) if e.is_float() => {
                let bits = u64::try_from(value).map_err(|_| bad(self))?;
                Ok(Attr::Float(decode_float(e, bits), Type::Scalar(e)))
            }
            ty => Ok(Attr::Int(value, ty.unwrap_or_else(i64_type))),
        }
    }

    /// `array<i64: 1, 2>`; lists of floats are kept as text.
    fn parse_dense_array(&mut self, start: usize) -> Result<Attr> {
        self.expect("<")?;
        let Type::Scalar(element) = self.parse_type()? else {
            return Err(self.error_at("FX0106", start, "an array holds numbers"));
        };
        let mut values = Vec::new();
        if self.lex.eat(":") && self.lex.peek() != b'>' {
            if element.is_float() {
                self.balanced()?;
                self.expect(">")?;
                return Ok(Attr::Opaque(self.lex.slice(start, self.lex.pos).to_string()));
            }
            loop {
                values.push(match (self.lex.eat_keyword("true"), self.lex.eat_keyword("false")) {
                    (true, _) => 1,
                    (_, true) => 0,
                    _ => self.parse_i64()?,
                });
                if !self.lex.eat(",") {
                    break;
                }
            }
        }
        self.expect(">")?;
        Ok(Attr::DenseArray(element, values))
    }

    /// `#alias`, `#stablehlo<kind VALUE>`, `#stablehlo.dot<…>`, `#other.thing<…>`
    fn parse_dialect_attribute(&mut self) -> Result<Attr> {
        let start = self.lex.pos;
        self.lex.pos += 1;
        let name = self.lex.suffix();
        if !name.contains('.') && self.lex.byte(0) != b'<' {
            if let Some(attr) = self.attr_aliases.get(name) {
                return Ok(attr.clone());
            }
            if self.loc_aliases.contains_key(name) {
                return Ok(Attr::Opaque(format!("#{name}")));
            }
            return Err(self.error_at("FX0111", start, format!("attribute alias `#{name}` is not defined")));
        }
        if name == "fornax.dims" && self.lex.byte(0) == b'<' {
            return self.parse_dim_list();
        }
        let (dialect, mnemonic) = name.split_once('.').unwrap_or((name, ""));
        if !matches!(dialect, "stablehlo" | "chlo") || mnemonic == "bounds" || self.lex.byte(0) != b'<' {
            return self.skip_opaque_attribute(start);
        }
        self.lex.pos += 1;
        let prefix = if dialect == "chlo" { "chlo." } else { "" };
        if mnemonic.is_empty() {
            let kind = self.lex.ident();
            let value = self.lex.ident();
            let (Some(kind), Some(value)) = (kind, value) else { return Err(self.expected("`kind VALUE`")) };
            self.expect(">")?;
            return Ok(Attr::Enum(format!("{prefix}{kind}"), value.to_string()));
        }
        if mnemonic == "conv" {
            return self.parse_conv_attribute();
        }
        let mut probe = self.lex;
        if let Some(value) = probe.ident()
            && probe.eat(">")
        {
            self.lex = probe;
            return Ok(Attr::Enum(format!("{prefix}{mnemonic}"), value.to_string()));
        }
        let mut probe = self.lex;
        if probe.peek() == b'>' || (probe.ident().is_some() && probe.eat("=")) {
            return self.parse_struct_fields(name);
        }
        self.lex.pos = start;
        self.lex.eat("#");
        self.lex.suffix();
        self.skip_opaque_attribute(start)
    }

    fn parse_conv_attribute(&mut self) -> Result<Attr> {
        if self.lex.eat_keyword("raw") {
            return self.parse_struct_fields("stablehlo.conv");
        }
        let attr = self.parse_conv_dimensions()?;
        self.expect(">")?;
        Ok(attr)
    }

    /// `field = value, …>`: the opening bracket is taken. Known structs get their absent fields and the order of the
    /// table.
    pub fn parse_struct_fields(&mut self, name: &str) -> Result<Attr> {
        let mut fields = AttrMap::default();
        while !self.lex.eat(">") {
            self.lex.skip_trivia();
            let pos = self.lex.pos;
            let Some(field) = self.lex.ident() else { return Err(self.expected("a field name")) };
            self.expect("=")?;
            let value = self.parse_field_value()?;
            if fields.get(field).is_some() {
                return Err(self.error_at("FX0110", pos, format!("field `{field}` is given twice")));
            }
            self.check_field(name, field, &value, pos)?;
            fields.set(field, value);
            if !self.lex.eat(",") {
                self.expect(">")?;
                break;
            }
        }
        let Some((_, schema)) = STRUCTS.iter().find(|(n, _)| *n == name) else {
            return Ok(Attr::Struct(name.to_string(), fields));
        };
        let default = |list: bool| if list { ints(Vec::new()) } else { int(0) };
        let ordered =
            schema.iter().map(|&(f, list)| (f.to_string(), fields.remove(f).unwrap_or_else(|| default(list))));
        Ok(Attr::Struct(name.to_string(), AttrMap(ordered.collect())))
    }

    fn check_field(&self, name: &str, field: &str, value: &Attr, pos: usize) -> Result<()> {
        let Some((_, schema)) = STRUCTS.iter().find(|(n, _)| *n == name) else { return Ok(()) };
        let Some((_, list)) = schema.iter().find(|(f, _)| *f == field) else {
            let near = fornax_graph::ops::nearest(field, schema.iter().map(|(f, _)| *f));
            let error = self.error_at("FX0115", pos, format!("`#{name}` has no field `{field}`"));
            return Err(self.with_hint(error, near.map(|n| format!("did you mean `{n}`?"))));
        };
        match (list, value) {
            (true, Attr::DenseArray(..)) | (false, Attr::Int(..)) => Ok(()),
            (true, _) => Err(self.error_at("FX0115", pos, format!("field `{field}` is a list of integers"))),
            (false, _) => Err(self.error_at("FX0115", pos, format!("field `{field}` is an integer"))),
        }
    }

    /// Value of a struct's field: a list of integers, a type, a keyword or any attribute.
    fn parse_field_value(&mut self) -> Result<Attr> {
        match self.lex.peek() {
            b'[' => match self.parse_array()? {
                Attr::Array(items) => match items.iter().map(Attr::as_int).collect::<Option<Vec<i64>>>() {
                    Some(values) => Ok(ints(values)),
                    None => Ok(Attr::Array(items)),
                },
                other => Ok(other),
            },
            b if b.is_ascii_alphabetic() => {
                let mut probe = self.lex;
                let word = probe.ident().unwrap_or("");
                let known = matches!(word, "true" | "false" | "dense" | "array" | "tf32");
                if !known && word.bytes().all(|b| b.is_ascii_uppercase() || b == b'_') {
                    self.lex = probe;
                    return Ok(Attr::Opaque(word.to_string()));
                }
                self.parse_attribute()
            }
            _ => self.parse_attribute(),
        }
    }

    /// `[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]`
    pub fn parse_conv_dimensions(&mut self) -> Result<Attr> {
        let input = self.parse_dimension_labels("bf")?;
        self.expect("x")?;
        let kernel = self.parse_dimension_labels("io")?;
        self.expect("->")?;
        let output = self.parse_dimension_labels("bf")?;
        let names = ["batch", "feature", "input_feature", "output_feature"];
        let mut fields = AttrMap::default();
        for (prefix, (labels, spatial), [first, second]) in [
            ("input", input, [names[0], names[1]]),
            ("kernel", kernel, [names[2], names[3]]),
            ("output", output, [names[0], names[1]]),
        ] {
            fields.set(&format!("{prefix}_{first}_dimension"), int(labels[0]));
            fields.set(&format!("{prefix}_{second}_dimension"), int(labels[1]));
            fields.set(&format!("{prefix}_spatial_dimensions"), ints(spatial));
        }
        Ok(Attr::Struct("stablehlo.conv".into(), fields))
    }

    /// `[b, 0, 1, f]`: positions of the two letters and of the spatial dimensions 0, 1, ….
    fn parse_dimension_labels(&mut self, letters: &str) -> Result<([i64; 2], Vec<i64>)> {
        self.expect("[")?;
        let start = self.lex.pos;
        let mut labels = [-1i64; 2];
        let mut spatial: Vec<(i64, i64)> = Vec::new();
        for position in 0.. {
            self.lex.skip_trivia();
            let pos = self.lex.pos;
            if let Some(word) = self.lex.ident() {
                let slot = if word.len() == 1 { letters.find(word) } else { None };
                match slot {
                    Some(slot) if labels[slot] < 0 => labels[slot] = position,
                    Some(_) => return Err(self.error_at("FX0115", pos, format!("dimension `{word}` is given twice"))),
                    None if word == "x" || word.len() > 1 || !"bfio".contains(word) => {
                        return Err(self.error_at("FX0115", pos, format!("unknown dimension `{word}`")));
                    }
                    None => {
                        return Err(self.error_at("FX0115", pos, format!("dimension `{word}` does not belong here")));
                    }
                }
            } else if self.lex.byte(0) == b'?' {
                self.lex.pos += 1;
            } else {
                let dimension = self.parse_i64()?;
                if dimension < 0 || spatial.iter().any(|(d, _)| *d == dimension) {
                    return Err(self.error_at("FX0115", pos, format!("bad spatial dimension {dimension}")));
                }
                spatial.push((dimension, position));
            }
            if !self.lex.eat(",") {
                break;
            }
        }
        self.expect("]")?;
        spatial.sort_unstable();
        let dense = spatial.iter().enumerate().all(|(i, (d, _))| i as i64 == *d);
        if labels.contains(&-1) || !dense {
            let message = format!("dimensions must be {letters:?} and 0, 1, … once each");
            return Err(self.error_at("FX0115", start, message));
        }
        Ok((labels, spatial.into_iter().map(|(_, position)| position).collect()))
    }
}

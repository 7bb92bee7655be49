//! Constant data: `dense<…>` (splat, nested lists, hex strings), `dense_resource<…>` and its section.
//!
//! The type stands after the data, so the text is passed over first and decoded once, straight into bytes.

use std::collections::HashMap;

use fornax_graph::{Class, ConstId, Constant, ElementType, TensorType, Type};
use fornax_types::encode_float;

use super::lexer::Lexer;
use super::parser::{Parser, Result, integer};

/// Bigger constants are refused before any memory is asked for.
const MAX_BYTES: u64 = 1 << 40;

impl<'a> Parser<'a> {
    /// `<…> : tensor<…>` after the keyword `dense`.
    pub fn parse_dense(&mut self) -> Result<ConstId> {
        self.expect("<")?;
        let start = self.lex.pos;
        let content = self.balanced()?;
        self.expect(">")?;
        let ty = self.parse_constant_type()?;
        let constant = self.decode(content, start, &ty)?;
        Ok(self.graph.add_constant(constant))
    }

    /// `<name> : tensor<…>` after the keyword `dense_resource`.
    pub fn parse_dense_resource(&mut self) -> Result<ConstId> {
        self.expect("<")?;
        self.lex.skip_trivia();
        let pos = self.lex.pos;
        let name = match self.lex.byte(0) {
            b'"' => self.lex.raw_string().unwrap_or(""),
            _ => self.lex.suffix(),
        };
        self.expect(">")?;
        let ty = self.parse_constant_type()?;
        let id = self.graph.add_constant(Constant::dense(ty, Vec::new()));
        self.pending_resources.push((id, name, pos));
        Ok(id)
    }

    fn parse_constant_type(&mut self) -> Result<TensorType> {
        self.expect(":")?;
        self.lex.skip_trivia();
        let pos = self.lex.pos;
        match self.parse_type()? {
            Type::Tensor(t) if t.bytes().is_some_and(|b| b <= MAX_BYTES) => Ok(t),
            Type::Tensor(t) if t.static_shape().is_some() => {
                let error = self.error_at("FX0108", pos, "a constant of more than 2^40 bytes");
                let hint = "where all its elements are equal, write a constant of rank 0 and a `broadcast_in_dim`; \
                            else make it an argument";
                Err(self.with_hint(error, Some(hint.into())))
            }
            // `vector<…>` constants have the same text form; they do not occur in StableHLO.
            _ => Err(self.error_at("FX0108", pos, "a constant needs a tensor type with static sizes")),
        }
    }

    fn decode(&self, content: &'a str, start: usize, ty: &TensorType) -> Result<Constant> {
        let trimmed = content.trim();
        let offset = start + (content.len() - content.trim_start().len());
        let wanted = ty.elements().unwrap_or(0);
        if trimmed.is_empty() {
            if wanted != 0 {
                return Err(self.error_at("FX0108", start, format!("no data for {wanted} elements")));
            }
            return Ok(Constant::dense(ty.clone(), Vec::new()));
        }
        if let Some(hex) = trimmed.strip_prefix("\"0x") {
            return self.decode_hex(hex.trim_end_matches('"'), offset + 3, ty);
        }
        if trimmed.starts_with('[') {
            return self.decode_list(trimmed, offset, ty);
        }
        let mut lexer = Lexer { text: self.lex.text, pos: offset };
        let mut element = Vec::with_capacity(ty.element.storage_bytes());
        self.decode_element(&mut lexer, ty.element, &mut element)?;
        lexer.skip_trivia();
        if lexer.pos < offset + trimmed.len() {
            return Err(self.error_at("FX0101", lexer.pos, "expected `>` after the value"));
        }
        Ok(Constant::splat(ty.clone(), element))
    }

    fn decode_hex(&self, hex: &str, start: usize, ty: &TensorType) -> Result<Constant> {
        let bytes = match hex_bytes(hex.as_bytes()) {
            Ok(bytes) => bytes,
            Err(at) => return Err(self.error_at("FX0107", start + at, "not a hexadecimal byte")),
        };
        raw_constant(ty, bytes).map_err(|message| self.error_at("FX0108", start, message))
    }

    /// Nested lists, row-major; the nesting must have the shape of the type.
    fn decode_list(&self, content: &'a str, start: usize, ty: &TensorType) -> Result<Constant> {
        let shape = ty.static_shape().unwrap_or_default();
        let size = ty.element.storage_bytes();
        let expected = usize::try_from(ty.elements().unwrap_or(0)).unwrap_or(0);
        // The type may claim more than the text holds: never reserve more than the text could fill.
        let mut bytes = Vec::with_capacity(expected.min(content.len()) * size);
        let mut lexer = Lexer { text: self.lex.text, pos: start };
        let end = start + content.len();
        let mut counts: Vec<i64> = Vec::new();
        loop {
            match lexer.peek() {
                _ if lexer.pos >= end => return Err(self.error_at("FX0101", end, "expected `]`")),
                b'[' => {
                    if counts.len() >= shape.len() {
                        let message = format!("the type has rank {}, but the list is deeper", shape.len());
                        return Err(self.error_at("FX0108", lexer.pos, message));
                    }
                    lexer.pos += 1;
                    counts.push(0);
                    if lexer.peek() != b']' {
                        continue;
                    }
                }
                b']' => {}
                _ => {
                    if counts.len() != shape.len() {
                        let message =
                            format!("the type has rank {}, but this value is at level {}", shape.len(), counts.len());
                        return Err(self.error_at("FX0108", lexer.pos, message));
                    }
                    self.decode_element(&mut lexer, ty.element, &mut bytes)?;
                    if let Some(count) = counts.last_mut() {
                        *count += 1;
                    }
                }
            }
            // After an element or an empty list: close levels, then a comma or the end.
            while lexer.peek() == b']' {
                let level = counts.len();
                let count = counts.pop().unwrap_or(0);
                if level == 0 || count != shape[level - 1] {
                    let wanted = if level == 0 { 0 } else { shape[level - 1] };
                    let message = format!("{count} entries where the type has size {wanted}");
                    return Err(self.error_at("FX0108", lexer.pos, message));
                }
                lexer.pos += 1;
                match counts.last_mut() {
                    Some(outer) => *outer += 1,
                    None => {
                        lexer.skip_trivia();
                        if lexer.pos < end {
                            return Err(self.error_at("FX0101", lexer.pos, "expected `>` after the list"));
                        }
                        return Ok(Constant::dense(ty.clone(), bytes));
                    }
                }
            }
            if !lexer.eat(",") {
                return Err(self.error_at("FX0101", lexer.pos, "expected `,` or `]`"));
            }
        }
    }

    /// One element: a number, a boolean, `(re, im)`.
    fn decode_element(&self, lexer: &mut Lexer<'a>, element: ElementType, out: &mut Vec<u8>) -> Result<()> {
        let pos = lexer.pos;
        match element.class() {
            Class::Complex => {
                let part = element.complex_part();
                if !lexer.eat("(") {
                    return Err(self.error_at("FX0107", pos, "a complex number is written `(re, im)`"));
                }
                self.decode_element(lexer, part, out)?;
                if !lexer.eat(",") {
                    return Err(self.error_at("FX0101", lexer.pos, "expected `,`"));
                }
                self.decode_element(lexer, part, out)?;
                if !lexer.eat(")") {
                    return Err(self.error_at("FX0101", lexer.pos, "expected `)`"));
                }
                Ok(())
            }
            Class::Boolean => {
                let value = match (lexer.eat_keyword("true"), lexer.eat_keyword("false"), lexer.number()) {
                    (true, _, None) => 1,
                    (_, true, None) => 0,
                    (false, false, Some((text, false))) => match integer(text) {
                        Some(0) => 0,
                        Some(1 | -1) => 1,
                        _ => return Err(self.error_at("FX0107", pos, "expected `true` or `false`")),
                    },
                    _ => return Err(self.error_at("FX0107", pos, "expected `true` or `false`")),
                };
                out.push(value);
                Ok(())
            }
            Class::Float => self.decode_float(lexer, element, out),
            _ => self.decode_integer(lexer, element, out),
        }
    }

    fn decode_float(&self, lexer: &mut Lexer<'a>, element: ElementType, out: &mut Vec<u8>) -> Result<()> {
        lexer.skip_trivia();
        let pos = lexer.pos;
        let Some((text, _)) = lexer.number() else {
            return Err(self.error_at("FX0107", pos, format!("expected a number of type {}", element.spelling())));
        };
        let bad = || self.error_at("FX0107", pos, format!("`{text}` is not a number of type {}", element.spelling()));
        let bits = if text.contains("0x") {
            u64::try_from(integer(text).ok_or_else(bad)?).map_err(|_| bad())?
        } else if element == ElementType::F32 {
            u64::from(text.parse::<f32>().map_err(|_| bad())?.to_bits())
        } else {
            encode_float(element, text.parse::<f64>().map_err(|_| bad())?)
        };
        let size = element.storage_bytes();
        if size < 8 && bits >> (8 * size) != 0 {
            return Err(bad());
        }
        out.extend_from_slice(&bits.to_le_bytes()[..size]);
        Ok(())
    }

    fn decode_integer(&self, lexer: &mut Lexer<'a>, element: ElementType, out: &mut Vec<u8>) -> Result<()> {
        lexer.skip_trivia();
        let pos = lexer.pos;
        let value = match lexer.number() {
            Some((text, false)) => integer(text),
            _ => None,
        };
        let bad = |what: &str| self.error_at("FX0107", pos, format!("{what} of type {}", element.spelling()));
        let Some(value) = value else { return Err(bad("expected an integer")) };
        let (bits, size) = (element.bits(), element.storage_bytes());
        let signed_low = -(1i128 << (bits - 1));
        let low = if element.is_unsigned() { 0 } else { signed_low };
        // Hexadecimal text may give the bits of a negative number.
        if value < low || value >= 1i128 << bits {
            return Err(bad(&format!("{value} does not fit a number")));
        }
        let wrapped =
            if !element.is_unsigned() && value >= 1i128 << (bits - 1) { value - (1i128 << bits) } else { value };
        out.extend_from_slice(&wrapped.to_le_bytes()[..size]);
        Ok(())
    }

    /// `{-# dialect_resources: { builtin: { name: "0x…" } } #-}`: the opening `{-#` is taken.
    pub fn parse_resources(&mut self) -> Result<()> {
        let mut blobs: HashMap<&'a str, (&'a str, usize)> = HashMap::new();
        loop {
            match self.lex.peek() {
                0 if self.lex.at_end() => {
                    return Err(self.error_at("FX0116", self.lex.pos, "the resource section is not closed by `#-}`"));
                }
                b'#' if self.lex.eat("#-}") => break,
                b'"' | b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'0'..=b'9' => {
                    let key = match self.lex.byte(0) {
                        b'"' => self.lex.raw_string(),
                        _ => Some(self.lex.suffix()).filter(|s| !s.is_empty()),
                    };
                    let Some(key) = key else { return Err(self.expected("the name of a resource")) };
                    if self.lex.eat(":") && self.lex.peek() == b'"' {
                        let pos = self.lex.pos;
                        let blob = self.lex.raw_string();
                        let blob = blob.ok_or_else(|| self.error_at("FX0116", pos, "this resource is not closed"))?;
                        blobs.insert(key, (blob, pos + 1));
                    }
                }
                _ => self.lex.pos += 1,
            }
            if !self.lex.text.is_char_boundary(self.lex.pos) {
                return Err(self.error_at("FX0101", self.lex.pos, "unexpected character in the resource section"));
            }
        }
        self.fill_resources(&blobs)
    }

    fn fill_resources(&mut self, blobs: &HashMap<&'a str, (&'a str, usize)>) -> Result<()> {
        let mut missing = Vec::new();
        for (id, name, pos) in std::mem::take(&mut self.pending_resources) {
            let Some(&(blob, at)) = blobs.get(name) else {
                missing.push((id, name, pos));
                continue;
            };
            let hex = blob.strip_prefix("0x").unwrap_or(blob);
            let bytes = hex_bytes(hex.as_bytes());
            let bytes = bytes.map_err(|i| self.error_at("FX0107", at + 2 + i, "not a hexadecimal byte"))?;
            // The first four bytes are the alignment.
            let Some(data) = bytes.get(4..) else {
                return Err(self.error_at("FX0112", at, "a resource begins with four bytes of alignment"));
            };
            let ty = self.graph.constant(id).ty.clone();
            let constant = raw_constant(&ty, data.to_vec()).map_err(|m| self.error_at("FX0108", at, m))?;
            self.graph.constants[id.index()] = constant;
        }
        self.pending_resources = missing;
        Ok(())
    }

    /// Fails if a constant is still without data.
    pub fn check_resources(&self) -> Result<()> {
        match self.pending_resources.first() {
            None => Ok(()),
            Some(&(_, name, pos)) => {
                let message = format!("resource `{name}` is not in the `dialect_resources` section of the file");
                Err(self.error_at("FX0112", pos, message))
            }
        }
    }
}

/// A constant from raw bytes: all elements, or one for a splat. `i1` comes packed eight to a byte or one to a byte.
fn raw_constant(ty: &TensorType, mut bytes: Vec<u8>) -> std::result::Result<Constant, String> {
    let elements = usize::try_from(ty.elements().unwrap_or(0)).unwrap_or(usize::MAX);
    let size = ty.element.storage_bytes();
    if ty.element == ElementType::I1 {
        let packed = elements.div_ceil(8);
        return match bytes.as_slice() {
            [one] if elements != 1 && (packed != 1 || matches!(one, 0 | 0xff)) => {
                Ok(Constant::splat(ty.clone(), vec![u8::from(*one != 0)]))
            }
            all if all.len() == elements => {
                Ok(Constant::dense(ty.clone(), all.iter().map(|b| u8::from(*b != 0)).collect()))
            }
            all if all.len() == packed => {
                let bits = (0..elements).map(|i| all[i / 8] >> (i % 8) & 1);
                Ok(Constant::dense(ty.clone(), bits.collect()))
            }
            _ => Err(format!("{} bytes for {elements} elements of type i1", bytes.len())),
        };
    }
    match ty.element {
        ElementType::I2 | ElementType::I4 => {
            let shift = 8 - ty.element.bits();
            bytes.iter_mut().for_each(|b| *b = ((*b << shift) as i8 >> shift) as u8);
        }
        ElementType::Ui2 | ElementType::Ui4 => {
            let mask = (1u8 << ty.element.bits()) - 1;
            bytes.iter_mut().for_each(|b| *b &= mask);
        }
        _ => {}
    }
    if Some(bytes.len()) == elements.checked_mul(size) {
        return Ok(Constant::dense(ty.clone(), bytes));
    }
    if bytes.len() == size {
        return Ok(Constant::splat(ty.clone(), bytes));
    }
    Err(format!("{} bytes of data for {elements} elements of {size} bytes", bytes.len()))
}

/// Decodes pairs of hex digits; the error is the place of the first bad pair.
fn hex_bytes(hex: &[u8]) -> std::result::Result<Vec<u8>, usize> {
    const BAD: u8 = 0xff;
    const DIGIT: [u8; 256] = {
        let mut table = [BAD; 256];
        let mut i = 0;
        while i < 10 {
            table[b'0' as usize + i] = i as u8;
            i += 1;
        }
        let mut i = 0;
        while i < 6 {
            table[b'a' as usize + i] = 10 + i as u8;
            table[b'A' as usize + i] = 10 + i as u8;
            i += 1;
        }
        table
    };
    if !hex.len().is_multiple_of(2) {
        return Err(hex.len() - 1);
    }
    let mut bad = 0u8;
    let decode = |pair: &[u8]| {
        let (high, low) = (DIGIT[pair[0] as usize], DIGIT[pair[1] as usize]);
        bad |= (high | low) & 0xf0;
        (high << 4) | (low & 0x0f)
    };
    let bytes: Vec<u8> = hex.chunks_exact(2).map(decode).collect();
    if bad != 0 {
        let at = hex.iter().position(|&b| DIGIT[b as usize] == BAD).unwrap_or(0);
        return Err(at);
    }
    Ok(bytes)
}

//! Kernel text, line by line: results, operation, operands, attributes, types.
//!
//! Input: the text of one module, one operation a line, regions closed by `}` on a line of its own. Output: a tree of
//! [`Line`]s. Both the pretty and the generic form of an operation fall into the same parts; what they mean is decided
//! where an operation is lowered. Limits: no comments, no aliases, no operation over several lines.
//!
//! Worked example:
//!
//! ```text
//! %7 = llvm.load %p {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
//! results [(%7, 1)]  name llvm.load  body "%p {alignment = 16 : i64}"  signature "!llvm.ptr<3> -> vector<4xf32>"
//! ```

use crate::errors::{EmulateError, Result};

/// One operation, with its regions.
#[derive(Clone, Debug)]
pub struct Line {
    /// 1 for the first line of the text.
    pub number: u32,
    pub text: String,
    /// Names with how many values each stands for (`%a:2`).
    pub results: Vec<(String, usize)>,
    pub name: String,
    /// Between the name and the signature.
    pub body: String,
    /// After the outermost ` : `.
    pub signature: String,
    pub regions: Vec<Region>,
}

/// Lines of a region and its block's arguments.
#[derive(Clone, Debug, Default)]
pub struct Region {
    pub arguments: Vec<String>,
    pub lines: Vec<Line>,
}

impl Line {
    pub fn error(&self, why: impl Into<String>) -> EmulateError {
        EmulateError::Text { line: self.number, text: self.text.clone(), why: why.into() }
    }

    /// Names of all operands, in order.
    pub fn operands(&self) -> Vec<&str> {
        values(&self.body)
    }

    /// The attribute's value as text.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        attribute(&self.body, name)
    }

    /// The first number of an attribute's value.
    pub fn number_of(&self, name: &str) -> Option<i64> {
        numbers(self.attribute(name)?).first().copied()
    }

    /// Texts in quotes, in order.
    pub fn strings(&self) -> Vec<&str> {
        self.body.split('"').skip(1).step_by(2).collect()
    }

    /// Whether a word stands in the body, outside of quotes and values.
    pub fn has_word(&self, word: &str) -> bool {
        let outside: String = self.body.split('"').step_by(2).collect::<Vec<_>>().join(" ");
        outside.split(|c: char| !(c.is_alphanumeric() || "_%#.".contains(c))).any(|w| w == word)
    }

    /// The first word of the body: predicate of a comparison, mode of a shuffle.
    pub fn first_word(&self) -> &str {
        let end = self.body.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(self.body.len());
        &self.body[..end]
    }
}

/// `%names` outside of quotes, with `#n` where they have one.
pub fn values(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut quoted = false;
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] == b'"' {
            quoted = !quoted;
        } else if bytes[at] == b'%' && !quoted {
            let start = at;
            at += 1;
            while at < bytes.len() && (bytes[at].is_ascii_alphanumeric() || b"_#$.-".contains(&bytes[at])) {
                at += 1;
            }
            found.push(&text[start..at]);
            continue;
        }
        at += 1;
    }
    found
}

/// The value of `name = …` up to the comma or bracket that ends it.
pub fn attribute<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let mut from = 0;
    while let Some(found) = text[from..].find(name) {
        let start = from + found;
        from = start + name.len();
        let before = text[..start].chars().next_back();
        let rest = text[from..].trim_start();
        if before.is_some_and(|c| c.is_alphanumeric() || "_.".contains(c)) || !rest.starts_with('=') {
            continue;
        }
        let rest = rest[1..].trim_start();
        return Some(rest[..balanced(rest, &[','])].trim());
    }
    None
}

/// Length of the text before one of the separators, or before a closing bracket, outside of nested brackets and quotes.
pub fn balanced(text: &str, separators: &[char]) -> usize {
    let mut depth = 0i32;
    let mut quoted = false;
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            _ if quoted => {}
            '(' | '[' | '{' | '<' => depth += 1,
            '>' if before == '-' => {}
            ')' | ']' | '}' | '>' => {
                depth -= 1;
                if depth < 0 {
                    return at;
                }
            }
            _ if depth == 0 && separators.contains(&c) => return at,
            _ => {}
        }
        before = c;
    }
    text.len()
}

/// Parts of a list, outside of nested brackets.
pub fn split_list(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let end = balanced(rest, &[',']);
        parts.push(rest[..end].trim());
        rest = rest.get(end + 1..).unwrap_or("").trim_start();
    }
    parts
}

/// Decimal numbers that stand alone (not parts of words).
pub fn numbers(text: &str) -> Vec<i64> {
    text.split(|c: char| !(c.is_alphanumeric() || "_-.%#$".contains(c))).filter_map(|word| word.parse().ok()).collect()
}

/// The text inside of the first such bracket pair.
pub fn inside(text: &str, open: char) -> Option<&str> {
    let start = text.find(open)? + open.len_utf8();
    let rest = &text[start..];
    Some(&rest[..balanced(rest, &[])])
}

/// Where the signature begins: the first ` : ` (or `: ` after a bracket) outside of brackets and quotes.
fn signature_start(text: &str) -> Option<usize> {
    let mut from = 0;
    while from < text.len() {
        let at = from + balanced(&text[from..], &[':']);
        match text[at..].chars().next() {
            Some(':') if text[at + 1..].starts_with(' ') => return Some(at),
            Some(_) => from = at + 1,
            None => return None,
        }
    }
    None
}

/// A line's parts.
fn split_line(number: u32, text: &str) -> Line {
    let (results, rest) = match text.split_once(" = ") {
        Some((head, rest)) if text.starts_with('%') => {
            let results = head.split(',').map(|name| match name.trim().split_once(':') {
                Some((name, count)) => (name.to_string(), count.parse().unwrap_or(1)),
                None => (name.trim().to_string(), 1),
            });
            (results.collect(), rest)
        }
        _ => (Vec::new(), text),
    };
    let rest = rest.strip_suffix('{').map_or(rest, str::trim_end);
    let end = rest.find([' ', '(', '<']).unwrap_or(rest.len());
    let (name, body) = match rest.strip_prefix('"').and_then(|quoted| quoted.split_once('"')) {
        Some((name, body)) => (name, body),
        None => rest.split_at(end),
    };
    let (body, signature) = match signature_start(body) {
        Some(at) => (&body[..at], &body[at + 1..]),
        None => (body, ""),
    };
    Line {
        number,
        text: text.to_string(),
        results,
        name: name.to_string(),
        body: body.trim().to_string(),
        signature: signature.trim().to_string(),
        regions: Vec::new(),
    }
}

/// A function: its name, its parameters with their attributes, its attributes, its body.
#[derive(Clone, Debug)]
pub struct Function {
    pub name: String,
    pub parameters: Vec<String>,
    pub attributes: String,
    pub body: Region,
}

/// Globals and the function of a module.
pub fn read_module(text: &str) -> Result<(Vec<Line>, Function)> {
    let mut lines = text.lines().enumerate().map(|(at, line)| (at as u32 + 1, line.trim())).peekable();
    let mut globals = Vec::new();
    while let Some((number, line)) = lines.next() {
        if line.starts_with("llvm.mlir.global") {
            globals.push(split_line(number, line));
        } else if line.starts_with("llvm.func") && line.ends_with('{') {
            let whole = split_line(number, line);
            let bad = || whole.error("not a function's head");
            let name = line.split('@').nth(1).and_then(|s| s.split('(').next()).ok_or_else(bad)?;
            let start = line.find('(').ok_or_else(bad)? + 1;
            let end = start + balanced(&line[start..], &[]);
            let attributes = line[end..].split_once("attributes").map_or("", |(_, a)| a);
            let (body, _) = read_region(&mut lines, number)?;
            let parameters = split_list(&line[start..end]).iter().map(|p| p.to_string()).collect();
            return Ok((
                globals,
                Function { name: name.to_string(), parameters, attributes: attributes.to_string(), body },
            ));
        }
    }
    Err(EmulateError::Text { line: 0, text: String::new(), why: "there is no llvm.func with a body".into() })
}

/// Lines up to the one that closes the region; what closed it.
fn read_region<'t>(
    lines: &mut std::iter::Peekable<impl Iterator<Item = (u32, &'t str)>>,
    opened: u32,
) -> Result<(Region, &'t str)> {
    let mut region = Region::default();
    while let Some((number, line)) = lines.next() {
        if line.is_empty() || line.starts_with("//") {
            continue;
        }
        if line.starts_with('}') {
            return Ok((region, line));
        }
        if let Some(block) = line.strip_prefix("^") {
            let arguments = inside(block, '(').unwrap_or("");
            region.arguments = values(arguments).iter().map(|v| v.to_string()).collect();
            continue;
        }
        let mut op = split_line(number, line);
        if line.ends_with('{') {
            loop {
                let (inner, closed) = read_region(lines, number)?;
                op.regions.push(inner);
                if !closed.ends_with('{') {
                    break;
                }
            }
        }
        region.lines.push(op);
    }
    Err(EmulateError::Text {
        line: opened,
        text: String::new(),
        why: "the region that opens here is not closed".into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pretty_and_generic_forms_have_the_same_parts() {
        let line = split_line(1, "%7 = llvm.load %p {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>");
        assert_eq!((line.name.as_str(), line.signature.as_str()), ("llvm.load", "!llvm.ptr<3> -> vector<4xf32>"));
        assert_eq!(line.operands(), ["%p"]);
        assert_eq!(line.number_of("alignment"), Some(16));
        let line = split_line(
            2,
            "%1:2 = \"nvvm.x\"(%a, %b#1) <{num = 4 : i32, shape = #nvvm.shape<m = 8, n = 8>}> : (i32, i32) -> i64",
        );
        assert_eq!(line.results, [("%1".to_string(), 2)]);
        assert_eq!(line.operands(), ["%a", "%b#1"]);
        assert_eq!(line.attribute("shape").map(numbers), Some(vec![8, 8]));
        assert_eq!(line.signature, "(i32, i32) -> i64");
    }

    #[test]
    fn regions_nest_and_chain() {
        let text = "module {\n\
                    llvm.func @k(%a: i32) attributes {nvvm.kernel} {\n\
                    scf.if %c {\n\
                    x.y\n\
                    } else {\n\
                    x.z\n\
                    }\n\
                    llvm.return\n\
                    }\n\
                    }\n";
        let (_, function) = read_module(text).unwrap();
        assert_eq!(function.body.lines.len(), 2);
        assert_eq!(function.body.lines[0].regions.len(), 2);
        assert_eq!(function.parameters, ["%a: i32"]);
        assert!(read_module("llvm.func @k() {\n").is_err());
    }
}

//! `tm_tensor` ops as torch-mlir prints them → generic form, since MLIR itself does not have that dialect.
//!
//! Worked example: `tm_tensor.scan dimension(1) inclusive(true) ins(%a : t) outs(%b, %c : t, u) {…} -> t, u` becomes
//! `"tm_tensor.scan"(%a, %b, %c) ({…}) {dimension = 1 : i64, inclusive = true, operandSegmentSizes = array<i32: 1, 2>}
//! : (t, t, u) -> (t, u)`. Lines stay where they are. What is not of this form is left for MLIR to refuse.

use std::borrow::Cow;

const DIALECT: &str = "tm_tensor.";

/// The text with every such op in generic form.
pub fn without_pretty_forms(text: &str) -> Cow<'_, str> {
    if !text.contains(DIALECT) {
        return Cow::Borrowed(text);
    }
    let (mut out, mut rest) = (String::with_capacity(text.len() + 1024), text);
    while let Some(at) = rest.find(DIALECT) {
        out.push_str(&rest[..at]);
        let line = out.rsplit('\n').next().unwrap_or("");
        let taken = if line.ends_with('"') || line.contains("//") { None } else { op(&rest[at + DIALECT.len()..]) };
        let (text, length) = taken.unwrap_or((DIALECT.to_string(), 0));
        out.push_str(&text);
        rest = &rest[at + DIALECT.len() + length..];
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// The generic form of the op whose name begins the text, and the length of what it replaces.
fn op(text: &str) -> Option<(String, usize)> {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')?;
    let (name, mut at) = (&text[..end], end);
    if name == "yield" {
        let line = text.get(at..)?.split('\n').next()?;
        let (operands, types) = line.split_once(':').unwrap_or((line, ""));
        return Some((format!("\"{DIALECT}yield\"({}) : ({}) -> ()", operands.trim(), types.trim()), at + line.len()));
    }
    let (mut attributes, mut operands, mut types, mut counts) = (Vec::new(), Vec::new(), Vec::new(), [0, 0]);
    let region = loop {
        at += text.get(at..)?.find(|c: char| !c.is_whitespace())?;
        let from = text.get(at..)?;
        if from.starts_with('{') {
            let inner = balanced(from)?;
            at += inner.len() + 2;
            if inner.trim_start().starts_with('^') {
                break inner;
            }
            attributes.push(inner.trim().to_string());
            continue;
        }
        let open = from.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|&open| open > 0)?;
        let (clause, inner) = (&from[..open], balanced(&from[open..])?);
        at += open + inner.len() + 2;
        match clause {
            "ins" | "outs" => {
                let (names, kinds) = inner.split_once(':')?;
                counts[usize::from(clause == "outs")] = names.matches('%').count();
                operands.push(names.trim().to_string());
                types.push(kinds.trim().to_string());
            }
            "dimension" => attributes.push(format!("dimension = {} : i64", inner.trim())),
            _ => attributes.push(format!("{clause} = {}", inner.trim())),
        }
    };
    let mut results = "";
    let behind = text.get(at..)?;
    if let Some(list) = behind.trim_start_matches(' ').strip_prefix("->") {
        results = list.split('\n').next()?;
        at += behind.len() - list.len() + results.len();
    }
    let results = results.trim().trim_start_matches('(').trim_end_matches(')');
    attributes.push(format!("operandSegmentSizes = array<i32: {}, {}>", counts[0], counts[1]));
    attributes.retain(|a| !a.is_empty());
    let generic = format!(
        "\"{DIALECT}{name}\"({}) ({{{}}}) {{{}}} : ({}) -> ({results})",
        operands.join(", "),
        without_pretty_forms(region),
        attributes.join(", "),
        types.join(", "),
    );
    Some((generic, at))
}

/// What the bracket at the start encloses.
pub(super) fn balanced(text: &str) -> Option<&str> {
    let (mut open, mut quoted, mut before) = (Vec::new(), false, ' ');
    for (at, c) in text.char_indices() {
        match c {
            '"' if before != '\\' => quoted = !quoted,
            _ if quoted => {}
            '(' | '{' | '[' | '<' => open.push(c),
            '>' if before == '-' => {}
            ')' | '}' | ']' | '>' => {
                let fits = matches!((open.pop()?, c), ('(', ')') | ('{', '}') | ('[', ']') | ('<', '>'));
                if !fits {
                    return None;
                }
                if open.is_empty() {
                    return text.get(1..at);
                }
            }
            _ if open.is_empty() => return None,
            _ => {}
        }
        before = c;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ops_in_place() {
        let text = "  %1:2 = tm_tensor.scan dimension(1) inclusive(true) ins(%a : tensor<5x8xf32>) outs(%b, \
                        %c : tensor<5x8xf32>, tensor<5xf32>) {\n  \
                    ^bb0(%x: f32, %y: f32):\n    \
                    tm_tensor.yield %x : f32\n  \
                    } -> tensor<5x8xf32>, tensor<5xf32>\n  \
                    return\n";
        let wanted = "  %1:2 = \"tm_tensor.scan\"(%a, %b, %c) ({\n  \
                      ^bb0(%x: f32, %y: f32):\n    \
                      \"tm_tensor.yield\"(%x) : (f32) -> ()\n  \
                      }) {dimension = 1 : i64, inclusive = true, operandSegmentSizes = array<i32: 1, 2>} \
                      : (tensor<5x8xf32>, tensor<5x8xf32>, tensor<5xf32>) -> (tensor<5x8xf32>, tensor<5xf32>)\n  \
                      return\n";
        assert_eq!(without_pretty_forms(text), wanted);
        assert_eq!(without_pretty_forms(wanted), wanted);
    }

    #[test]
    fn other_text_stays() {
        for text in [
            "",
            "tm_tensor.",
            "tm_tensor.scan",
            "tm_tensor.scan ins(%a",
            "tm_tensor.x {a",
            "tm_tensor.x )",
            "// tm_tensor.yield %a\n",
            "é tm_tensor.é",
        ] {
            assert_eq!(without_pretty_forms(text), text);
        }
    }
}

//! `tosa.const` in its pretty forms → generic form, for versions of MLIR that print one and read only the other.
//!
//! ```text
//! %0 = tosa.const dense<2.0> : tensor<4xf32>
//!     becomes  %0 = "tosa.const"() <{values = dense<2.0> : tensor<4xf32>}> : () -> tensor<4xf32>
//! %0 = tosa.const values(dense<2.0> : tensor<4xf32>) : () -> tensor<4xf32>
//!     likewise
//! %0 = tosa.const {values = dense<2.0> : tensor<4xf32>} : () -> tensor<4xf32>
//!     gets the name in quotes, and ()
//! ```
//!
//! Lines stay where they are. What is not of these forms is left for MLIR to refuse.

use std::borrow::Cow;

const OP: &str = "tosa.const";
/// Values as attributes begin.
const VALUES: [&str; 3] = ["dense<", "dense_resource<", "sparse<"];

/// The text with every such op in generic form.
pub fn without_pretty_constants(text: &str) -> Cow<'_, str> {
    if !text.lines().any(|line| rewritten(line).is_some()) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 1024);
    for line in text.split_inclusive('\n') {
        let (code, end) = line.strip_suffix('\n').map_or((line, ""), |code| (code, "\n"));
        out.push_str(&rewritten(code).map_or(Cow::Borrowed(code), Cow::Owned));
        out.push_str(end);
    }
    Cow::Owned(out)
}

fn rewritten(line: &str) -> Option<String> {
    let at = line.find(OP)?;
    let (before, behind) = (&line[..at], &line[at + OP.len()..]);
    if before.contains("//") || !before.trim_end().ends_with('=') {
        return None;
    }
    let rest = behind.trim_start();
    if rest.starts_with('{') || rest.starts_with("<{") || rest.starts_with("()") {
        let operands = if rest.starts_with("()") { "" } else { "() " };
        return Some(format!("{before}\"{OP}\"{operands}{rest}"));
    }
    if let Some(inner) = rest.strip_prefix("values(") {
        let (value, types) = inner.rsplit_once(") : () -> ")?;
        return Some(format!("{before}\"{OP}\"() <{{values = {value}}}> : () -> {types}"));
    }
    if !VALUES.iter().any(|start| rest.starts_with(start)) || behind.len() == rest.len() {
        return None;
    }
    let (value, location) = match rest.rfind(" loc(") {
        Some(at) => rest.split_at(at),
        None => (rest, ""),
    };
    let ty = value.rsplit_once(" : ")?.1.trim();
    Some(format!("{before}\"{OP}\"() <{{values = {}}}> : () -> {ty}{location}", value.trim_end()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form() {
        for (pretty, generic) in [
            (
                "  %0 = tosa.const dense<[1.0, 2.0]> : tensor<2xf32> loc(#loc1)",
                "  %0 = \"tosa.const\"() <{values = dense<[1.0, 2.0]> : tensor<2xf32>}> \
                 : () -> tensor<2xf32> loc(#loc1)",
            ),
            (
                "%0 = tosa.const  values(dense<[1, 2]> : tensor<2xi8>) : () -> tensor<2xi8> loc(#a)",
                "%0 = \"tosa.const\"() <{values = dense<[1, 2]> : tensor<2xi8>}> : () -> tensor<2xi8> loc(#a)",
            ),
            (
                "%0 = tosa.const {values = dense<1> : tensor<2xi8>} : () -> tensor<2xi8>",
                "%0 = \"tosa.const\"() {values = dense<1> : tensor<2xi8>} : () -> tensor<2xi8>",
            ),
            (
                "%0 = tosa.const <{values = dense<1> : tensor<i8>}> : () -> tensor<i8>",
                "%0 = \"tosa.const\"() <{values = dense<1> : tensor<i8>}> : () -> tensor<i8>",
            ),
        ] {
            assert_eq!(without_pretty_constants(&format!("a\n{pretty}\nb")), format!("a\n{generic}\nb"));
        }
    }

    #[test]
    fn other_lines_stay() {
        for line in [
            "%0 = \"tosa.const\"() <{values = dense<1> : tensor<i8>}> : () -> tensor<i8>",
            "%0 = tosa.const_shape {values = dense<[1, 2]> : tensor<2xindex>} : () -> !tosa.shape<2>",
            "// %0 = tosa.const dense<1> : tensor<i8>",
            "%0 = tosa.constant dense<1> : tensor<i8>",
        ] {
            assert!(matches!(without_pretty_constants(line), Cow::Borrowed(_)), "{line}");
        }
    }
}

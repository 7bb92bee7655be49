//! Ops of `arith`, `tensor`, `shape` and `cf` among StableHLO's, in the form in which MLIR prints them → generic form,
//! which the reader of StableHLO takes for any op.
//!
//! Worked example: `%d = tensor.dim %x, %c0 : tensor<?x4xf32>` becomes `%d = "tensor.dim"(%x, %c0) : (tensor<?x4xf32>,
//! index) -> index`. Lines stay where they are. What is not of a known form is left as it is, for the reader to refuse.

use std::borrow::Cow;

/// Whether a text may hold such ops: StableHLO with some of them.
fn is_candidate(text: &str) -> bool {
    let names = ["shape.", "tensor.", "arith.", "cf.assert"];
    text.contains("stablehlo.") && names.iter().any(|name| text.contains(name))
}

/// The text with every such op in generic form.
pub(crate) fn generic_among_stablehlo(text: &str) -> Cow<'_, str> {
    if !is_candidate(text) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 4096);
    // The indentation of every open `shape.assuming`, and its results' types.
    let mut open: Vec<(usize, String)> = Vec::new();
    let mut changed = false;
    for line in text.split_inclusive('\n') {
        let (code, end) = match line.strip_suffix('\n') {
            Some(code) => (code, "\n"),
            None => (line, ""),
        };
        let indent = code.len() - code.trim_start().len();
        if let Some((at, types)) = open.last()
            && *at == indent
            && code.trim() == "}"
        {
            out += &format!("{}}}) : (!shape.witness) -> ({types}){end}", &code[..indent]);
            open.pop();
            continue;
        }
        let (op, location) = split_location(code);
        match rewritten(op) {
            Some(Form::Line(new)) => {
                out += &code[..indent];
                out += &new;
                out += location;
                out += end;
                changed = true;
            }
            Some(Form::Region(head, types)) => {
                out += &format!("{}{head}{end}", &code[..indent]);
                open.push((indent, types));
                changed = true;
            }
            None => out += line,
        }
    }
    if changed { Cow::Owned(out) } else { Cow::Borrowed(text) }
}

/// A line and the ` loc(…)` at its end.
pub(super) fn split_location(code: &str) -> (&str, &str) {
    match code.rfind(" loc(") {
        Some(at) if code.trim_end().ends_with(')') => code.split_at(at),
        _ => (code, ""),
    }
}

enum Form {
    Line(String),
    /// The line that begins a region, and the op's result types.
    Region(String, String),
}

/// Casts: `%a : A to B`; with a scale `%a, %s : A, S to B`.
const CASTS: [&str; 14] = [
    "arith.index_cast",
    "arith.index_castui",
    "arith.extsi",
    "arith.extui",
    "arith.trunci",
    "arith.sitofp",
    "arith.uitofp",
    "arith.fptosi",
    "arith.fptoui",
    "arith.extf",
    "arith.truncf",
    "arith.scaling_extf",
    "arith.scaling_truncf",
    "tensor.cast",
];

/// Ops of equal types: `%a, %b : T`.
const BINARY: [&str; 20] = [
    "arith.addi",
    "arith.subi",
    "arith.muli",
    "arith.divsi",
    "arith.divui",
    "arith.remsi",
    "arith.remui",
    "arith.floordivsi",
    "arith.ceildivsi",
    "arith.ceildivui",
    "arith.maxsi",
    "arith.minsi",
    "arith.maxui",
    "arith.minui",
    "arith.andi",
    "arith.ori",
    "arith.xori",
    "arith.addf",
    "arith.mulf",
    "arith.divf",
];

const PREDICATES: [&str; 10] = ["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"];

/// `f32` of `tensor<?x4xf32>`.
fn element_of(ty: &str) -> Option<&str> {
    let mut rest = ty.strip_prefix("tensor<")?.strip_suffix('>')?;
    let is_size = |text: &str| text == "?" || !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit());
    while let Some((_, behind)) = rest.split_once('x').filter(|(size, _)| is_size(size)) {
        rest = behind;
    }
    Some(rest)
}

fn rewritten(code: &str) -> Option<Form> {
    let line = code.trim();
    let (results, op) = match line.split_once(" = ") {
        Some((names, op)) if names.starts_with('%') => (format!("{names} = "), op),
        _ => (String::new(), line),
    };
    let end = op.find([' ', '(']).unwrap_or(op.len());
    let (name, rest) = op.split_at(end);
    let rest = rest.trim();
    let generic = |operands: &str, attrs: &str, types: &str, to: &str| {
        let attrs = if attrs.is_empty() { String::new() } else { format!(" <{{{attrs}}}>") };
        Some(Form::Line(format!("{results}\"{name}\"({operands}){attrs} : ({types}) -> {to}")))
    };
    let typed = || rest.rsplit_once(" : ").map(|(operands, ty)| (operands.trim(), ty.trim()));
    match name {
        "arith.constant" if !rest.starts_with("dense") => match rest {
            "true" | "false" => generic("", &format!("value = {rest}"), "", "i1"),
            _ => {
                let (number, ty) = typed()?;
                generic("", &format!("value = {number} : {ty}"), "", ty)
            }
        },
        "tensor.empty" => {
            let (sizes, ty) = typed()?;
            let sizes = sizes.strip_prefix('(')?.strip_suffix(')')?.trim();
            let count = if sizes.is_empty() { 0 } else { sizes.split(',').count() };
            generic(sizes, "", &vec!["index"; count].join(", "), ty)
        }
        "tensor.dim" => {
            let (operands, ty) = typed()?;
            generic(operands, "", &format!("{ty}, index"), "index")
        }
        "tensor.from_elements" => {
            let (operands, ty) = typed()?;
            let element = element_of(ty)?;
            generic(operands, "", &vec![element; operands.split(',').count()].join(", "), ty)
        }
        "tensor.extract" => {
            let (operands, ty) = typed()?;
            let (tensor, places) = operands.strip_suffix(']')?.split_once('[')?;
            let element = element_of(ty)?;
            let places = places.trim();
            let count = if places.is_empty() { 0 } else { places.split(',').count() };
            let all = if count == 0 { tensor.to_string() } else { format!("{tensor}, {places}") };
            generic(&all, "", &format!("{ty}{}", ", index".repeat(count)), element)
        }
        "arith.cmpi" => {
            let (operands, ty) = typed()?;
            let (predicate, operands) = operands.split_once(',')?;
            let number = PREDICATES.iter().position(|p| *p == predicate.trim())?;
            generic(operands.trim(), &format!("predicate = {number} : i64"), &format!("{ty}, {ty}"), "i1")
        }
        "arith.select" => {
            let (operands, ty) = typed()?;
            generic(operands, "", &format!("i1, {ty}, {ty}"), ty)
        }
        "shape.shape_of" => {
            let (from, to) = typed()?.1.split_once(" -> ")?;
            generic(typed()?.0, "", from, to)
        }
        "shape.broadcast" => {
            let (from, to) = typed()?.1.split_once(" -> ")?;
            generic(typed()?.0, "", from, to)
        }
        "shape.const_shape" => {
            let (list, ty) = typed()?;
            let list = if list == "[]" { "" } else { list };
            generic("", &format!("shape = dense<{list}> : {ty}"), "", ty)
        }
        "shape.cstr_broadcastable" | "shape.cstr_eq" => {
            let (operands, types) = typed()?;
            generic(operands, "", types, "!shape.witness")
        }
        "shape.assuming" => {
            let (witness, types) = rest.strip_suffix('{')?.split_once("->")?;
            let types = types.trim().trim_start_matches('(').trim_end_matches(')').to_string();
            Some(Form::Region(format!("{results}\"shape.assuming\"({}) ({{", witness.trim()), types))
        }
        "shape.assuming_yield" => {
            let (operands, types) = typed()?;
            generic(operands, "", types, "()")
        }
        "cf.assert" => {
            let (operand, message) = rest.split_once(',')?;
            generic(operand, &format!("msg = {}", message.trim()), "i1", "()")
        }
        _ if CASTS.contains(&name) => {
            let (operand, types) = typed()?;
            let (from, to) = types.split_once(" to ")?;
            generic(operand, "", from, to)
        }
        _ if BINARY.contains(&name) => {
            let (operands, ty) = typed()?;
            generic(operands, "", &format!("{ty}, {ty}"), ty)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_become_generic() {
        let text = "%c = arith.constant 0 : index\n  \
                    %d = tensor.dim %x, %c : tensor<?x4xf32>\n  \
                    %w = shape.cstr_broadcastable %a, %b : tensor<2xindex>, tensor<2xindex>\n  \
                    %r = shape.assuming %w -> (tensor<?x4xf32>) {\n    \
                    %s = shape.const_shape [4, 1] : tensor<2xindex>\n    \
                    shape.assuming_yield %y : tensor<?x4xf32>\n  \
                    }\n  \
                    %z = stablehlo.add %r, %r : tensor<?x4xf32>\n";
        let wanted = "%c = \"arith.constant\"() <{value = 0 : index}> : () -> index\n  \
                      %d = \"tensor.dim\"(%x, %c) : (tensor<?x4xf32>, index) -> index\n  \
                      %w = \"shape.cstr_broadcastable\"(%a, %b) \
                          : (tensor<2xindex>, tensor<2xindex>) -> !shape.witness\n  \
                      %r = \"shape.assuming\"(%w) ({\n    \
                      %s = \"shape.const_shape\"() <{shape = dense<[4, 1]> : tensor<2xindex>}> \
                          : () -> tensor<2xindex>\n    \
                      \"shape.assuming_yield\"(%y) : (tensor<?x4xf32>) -> ()\n  \
                      }) : (!shape.witness) -> (tensor<?x4xf32>)\n  \
                      %z = stablehlo.add %r, %r : tensor<?x4xf32>\n";
        assert_eq!(generic_among_stablehlo(text), wanted);
        assert_eq!(generic_among_stablehlo(wanted), wanted);
        let list = "%c = stablehlo.constant\n%l = tensor.from_elements %a, %b : tensor<2xindex>\n";
        assert!(generic_among_stablehlo(list).contains("(%a, %b) : (index, index) -> tensor<2xindex>"));
        let empty = "stablehlo.\n%e = tensor.empty() : tensor<2xf32>\n%f = tensor.empty(%a, %b) : tensor<?x?xf32>\n";
        let wanted = "stablehlo.\n\
                      %e = \"tensor.empty\"() : () -> tensor<2xf32>\n\
                      %f = \"tensor.empty\"(%a, %b) : (index, index) -> tensor<?x?xf32>\n";
        assert_eq!(generic_among_stablehlo(empty), wanted);
        let located = "stablehlo.\n%c = arith.constant 0 : index loc(#loc1)\n";
        let wanted = "stablehlo.\n%c = \"arith.constant\"() <{value = 0 : index}> : () -> index loc(#loc1)\n";
        assert_eq!(generic_among_stablehlo(located), wanted);
    }

    #[test]
    fn other_text_stays() {
        for text in [
            "stablehlo. arith.addi",
            "stablehlo.\n%a = tensor.dim",
            "stablehlo.\nshape.assuming {",
            "stablehlo.\n %é = arith.cmpi é, %a : i64",
            "stablehlo.\n}",
        ] {
            assert_eq!(generic_among_stablehlo(text), text);
        }
    }
}

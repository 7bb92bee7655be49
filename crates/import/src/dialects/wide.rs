//! TOSA's 48-bit integers are read as 64-bit ones: they are sums of products of 16 bits, of which the specification
//! promises nothing once they pass 48 bits.
//!
//! Input: generic text. Output: the text with `i64` for each `i48` that is a type, and the bytes of hexadecimal
//! constants of such types extended by their sign.
//!
//! Worked example: `dense<"0xFEFFFFFFFFFF…"> : tensor<200xi48>` begins with `0xFEFFFFFFFFFFFFFF` as `tensor<200xi64>`.

use std::borrow::Cow;

const NARROW: &str = "i48";
/// Hexadecimal digits of an element before and after.
const DIGITS: (usize, usize) = (12, 16);

/// The text without 48-bit integers.
pub fn without_narrow(text: &str) -> Cow<'_, str> {
    if next_type(text, 0).is_none() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 64);
    let mut from = 0;
    while let Some(at) = next_type(text, from) {
        let before = &text[from..at];
        match constant(before) {
            Some((start, end)) => {
                out.push_str(&before[..start]);
                extend(&before[start..end], &mut out);
                out.push_str(&before[end..]);
            }
            None => out.push_str(before),
        }
        out.push_str("i64");
        from = at + NARROW.len();
    }
    out.push_str(&text[from..]);
    Cow::Owned(out)
}

/// The place of the next `i48` that is a type: `: i48`, `<i48>`, `<4xi48>`.
fn next_type(text: &str, from: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let inside = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'$' | b'%' | b'@' | b'#' | b'"');
    text[from..].match_indices(NARROW).map(|(at, _)| from + at).find(|&at| {
        let after = bytes.get(at + NARROW.len()).copied().unwrap_or(b' ');
        let before = &bytes[..at];
        // `x` joins the element type to the sizes, which end in a digit or `?`.
        let joined = matches!(before, [.., b'0'..=b'9' | b'?', b'x']);
        !inside(after) && (joined || !before.last().copied().is_some_and(inside))
    })
}

/// The digits of the hexadecimal constant whose type begins at the end of `text`.
fn constant(text: &str) -> Option<(usize, usize)> {
    let shape = text.rfind("tensor<")?;
    let own = text[shape + "tensor<".len()..].bytes().all(|b| b.is_ascii_digit() || b == b'x');
    let value = text[..shape].strip_suffix("\"> : ").filter(|_| own)?;
    let start = value.rfind("dense<\"0x")? + "dense<\"0x".len();
    let digits = value[start..].bytes().all(|b| b.is_ascii_hexdigit());
    (digits && (value.len() - start).is_multiple_of(DIGITS.0)).then_some((start, value.len()))
}

/// Elements of six bytes, little-endian, as eight.
fn extend(digits: &str, out: &mut String) {
    for element in digits.as_bytes().chunks_exact(DIGITS.0) {
        out.extend(element.iter().map(|&b| char::from(b)));
        // The high digit of the last byte holds the sign.
        let negative = !matches!(element[DIGITS.0 - 2], b'0'..=b'7');
        out.extend(std::iter::repeat_n(if negative { 'F' } else { '0' }, DIGITS.1 - DIGITS.0));
    }
}

#[cfg(test)]
mod tests {
    use super::without_narrow;

    #[test]
    fn types_change_and_names_do_not() {
        let text = concat!(
            r#"%i48 = "tosa.const"() {values = dense<7> : tensor<3xi48>} : () -> tensor<3xi48> "a_i48" @i48 "#,
            ": (i48, tensor<?xi48>)",
        );
        let wide = concat!(
            r#"%i48 = "tosa.const"() {values = dense<7> : tensor<3xi64>} : () -> tensor<3xi64> "a_i48" @i48 "#,
            ": (i64, tensor<?xi64>)",
        );
        assert_eq!(without_narrow(text), wide);
        assert!(matches!(without_narrow("tensor<3xi8>"), std::borrow::Cow::Borrowed(_)));
    }

    #[test]
    fn hexadecimal_constants_keep_their_signs() {
        let text = r#"dense<"0xFEFFFFFFFFFF030000000000"> : tensor<2xi48>, dense<"0x0102"> : tensor<2xi8>, i48"#;
        let wide =
            r#"dense<"0xFEFFFFFFFFFFFFFF0300000000000000"> : tensor<2xi64>, dense<"0x0102"> : tensor<2xi8>, i64"#;
        assert_eq!(without_narrow(text), wide);
    }
}

//! How large `!type` and `#attribute` aliases get when they are written out, found before anything expands them.
//!
//! Forty lines of `!b = tuple<!a, !a>` are a type of 2⁴⁰ parts. Here every definition gets a weight: one, and the
//! weights of the aliases that it names, added with saturation. A weight above [`MAX_PARTS`] is an error at its line;
//! so are uses that together have more parts than the text could have written without aliases ([`PARTS_PER_BYTE`]).
//!
//! Worked example: `!a = tuple<i1, i1>` weighs 1, `!b = tuple<!a, !a>` 3, `!c = tuple<!b, !b>` 7.
//!
//! Locations (`#loc1 = loc(…)`) are not counted: they are never written out in full.

use std::collections::HashMap;

use crate::diagnostic::Diagnostic;
use crate::stablehlo::lexer::Lexer;

/// Parts of one alias, at most: exporters write a few hundred.
const MAX_PARTS: u64 = 1 << 16;
/// Parts that all uses of a file may have together, whatever its length.
const ALWAYS: u64 = 1 << 22;
/// More of them for every byte of the file: an alias is a few bytes, a type that models repeat a few parts.
const PARTS_PER_BYTE: u64 = 8;

/// Checks the aliases of a text.
///
/// # Errors
/// FX0117 with the line of the definition or of the use at which they get too large.
pub fn check(text: &str, file: &str) -> Result<(), Box<Diagnostic>> {
    let limit = (text.len() as u64).saturating_mul(PARTS_PER_BYTE).saturating_add(ALWAYS);
    let mut weights: HashMap<&str, u64> = HashMap::new();
    let mut used: u64 = 0;
    let mut lex = Lexer::new(text);
    while next_alias(&mut lex, text.len()) {
        let start = lex.pos;
        let name = alias(&mut lex);
        if !begins_definition(&mut lex) {
            used = used.saturating_add(weights.get(name).copied().unwrap_or(0));
            if used > limit {
                let message = format!("the aliases used up to here have more than {limit} parts when written out");
                return Err(too_large(file, text, start, message));
            }
            continue;
        }
        let from = lex.pos;
        skip_definition(&mut lex);
        if location(lex.slice(from, lex.pos)) {
            continue;
        }
        let weight = weigh(text, from, lex.pos, &weights);
        if weight > MAX_PARTS {
            let message = format!("alias `{name}` has more than {MAX_PARTS} parts when written out");
            return Err(too_large(file, text, start, message));
        }
        weights.insert(name, weight);
    }
    Ok(())
}

fn too_large(file: &str, text: &str, at: usize, message: String) -> Box<Diagnostic> {
    let hint = "aliases that name each other double with every line: write the type with fewer parts";
    Box::new(Diagnostic::at("FX0117", file, text, at, message).hint(hint))
}

/// One, and what the aliases between two places weigh.
fn weigh(text: &str, from: usize, to: usize, weights: &HashMap<&str, u64>) -> u64 {
    let mut lex = Lexer { text, pos: from };
    let mut weight = 1u64;
    while next_alias(&mut lex, to) {
        weight = weight.saturating_add(weights.get(alias(&mut lex)).copied().unwrap_or(0));
    }
    weight
}

/// Moves to the next `#` or `!` outside of strings and comments, before `end`.
fn next_alias(lex: &mut Lexer<'_>, end: usize) -> bool {
    let bytes = lex.text.as_bytes();
    while lex.pos < end {
        let Some(skip) = bytes[lex.pos..end].iter().position(|b| matches!(b, b'#' | b'!' | b'"' | b'/')) else {
            break;
        };
        lex.pos += skip;
        match bytes[lex.pos] {
            // A string that is not closed ends the text for the parser, too.
            b'"' if lex.raw_string().is_none() => break,
            b'"' => {}
            b'/' if lex.byte(1) == b'/' => lex.skip_trivia(),
            b'/' => lex.pos += 1,
            _ => return true,
        }
    }
    lex.pos = end;
    false
}

/// `!name` or `#name` at the cursor, the mark included; never empty.
fn alias<'a>(lex: &mut Lexer<'a>) -> &'a str {
    let start = lex.pos;
    lex.pos += 1;
    lex.suffix();
    lex.slice(start, lex.pos)
}

/// Takes `=` (not `==`) if it is next.
fn begins_definition(lex: &mut Lexer<'_>) -> bool {
    let mut probe = *lex;
    let found = probe.peek() == b'=' && probe.byte(1) != b'=';
    if found {
        lex.pos = probe.pos + 1;
    }
    found
}

fn location(definition: &str) -> bool {
    Lexer::new(definition).eat_keyword("loc")
}

/// Passes over one attribute or type: a name or literal, its brackets, and what `->` or `:` add.
fn skip_definition(lex: &mut Lexer<'_>) {
    let mut word = true;
    loop {
        let next = lex.peek();
        let next_but_one = lex.byte(1);
        match next {
            0 if lex.at_end() => return,
            b'{' if next_but_one == b'-' => return,
            b'<' | b'(' | b'[' | b'{' => {
                lex.pos += 1;
                if lex.skip_balanced().is_none() {
                    // The parser refuses what does not close; until then everything counts.
                    lex.pos = lex.text.len();
                    return;
                }
                lex.pos += 1;
                word = false;
            }
            b'-' if next_but_one == b'>' => {
                lex.pos += 2;
                word = true;
            }
            b':' => {
                lex.pos += 1;
                word = true;
            }
            _ if !word => return,
            b'"' => {
                if lex.raw_string().is_none() {
                    lex.pos = lex.text.len();
                }
                word = false;
            }
            _ => {
                // `-1.5`, `@name`, `!dialect.type`, `#dialect.attribute`, `tensor`.
                lex.pos += 1;
                while !lex.text.is_char_boundary(lex.pos) {
                    lex.pos += 1;
                }
                lex.suffix();
                word = false;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nested(mark: char, levels: usize, open: &str, close: &str, between: &str) -> String {
        let mut text = format!("{mark}a0 = {open}1, 1{close}{between}");
        for n in 1..levels {
            text += &format!("{mark}a{n} = {open}{mark}a{}, {mark}a{}{close}{between}", n - 1, n - 1);
        }
        text
    }

    #[test]
    fn doubling_is_found_at_its_line() {
        for text in [nested('!', 40, "tuple<", ">", "\n"), nested('#', 40, "[", "]", "\n")] {
            let error = check(&text, "m.mlir").unwrap_err();
            assert_eq!((error.code, error.line), ("FX0117", 17), "{error}");
        }
        // However the lines are broken, and whatever stands between.
        for (open, close, between) in
            [("tuple\n<", ">", " "), ("\n(", ") -> ()", "\n"), ("tuple // x\n <", ">", "//!\n")]
        {
            assert!(check(&nested('!', 40, open, close, between), "m.mlir").is_err(), "{open}");
        }
    }

    #[test]
    fn ordinary_aliases_pass() {
        let text = format!(
            "{}#map = affine_map<(d0) -> (d0)>\n#s = \"#a\"\n#n = -1.5 : f32\n!t = tensor<4xf32>\nmodule {{\n{}}}\n",
            nested('!', 14, "tuple<", ">", "\n"),
            "%1 = stablehlo.add %a, %b : !t\n".repeat(1000)
        );
        check(&text, "m.mlir").unwrap();
        // Locations are not written out.
        let mut locations = "#loc0 = loc(\"a\")\n".to_string();
        for n in 1..60 {
            locations += &format!("#loc{n} = loc(callsite(#loc{} at #loc{}))\n", n - 1, n - 1);
        }
        check(&locations, "m.mlir").unwrap();
    }

    #[test]
    fn many_uses_of_a_large_alias_are_found() {
        let text =
            format!("{}module {{\n{}}}\n", nested('!', 16, "tuple<", ">", "\n"), "%1 = \"x\"() : !a15\n".repeat(200));
        let error = check(&text, "m.mlir").unwrap_err();
        assert_eq!(error.code, "FX0117");
        assert!(error.message.contains("used"), "{error}");
    }

    #[test]
    fn any_text_ends() {
        for text in ["!", "#", "!a =", "#a = é", "#a = [", "\"", "!a = \"", "/", "//", "# = {-#", "!a == b", "#a = -"]
        {
            check(text, "m.mlir").unwrap();
        }
    }
}

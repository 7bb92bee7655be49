//! Cursor over the source: whitespace, comments, punctuation, identifiers, numbers and strings, as slices of the
//! source.
//!
//! There is no token list: the parser asks for what may come next, and big literals are passed over, not copied.

/// A place in the source from which the parser reads.
#[derive(Clone, Copy)]
pub struct Lexer<'a> {
    pub text: &'a str,
    pub pos: usize,
}

fn is_ident_start(b: u8) -> bool {
    b.is_ascii_alphabetic() || b == b'_'
}

fn is_ident(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'.')
}

/// Names after `%`, `@`, `#`, `!` and `^` may also hold dashes.
fn is_suffix(b: u8) -> bool {
    is_ident(b) || b == b'-'
}

impl<'a> Lexer<'a> {
    pub fn new(text: &'a str) -> Lexer<'a> {
        Lexer { text, pos: 0 }
    }

    fn bytes(&self) -> &'a [u8] {
        self.text.as_bytes()
    }

    /// The byte at a distance from the cursor, 0 at the end of the text.
    pub fn byte(&self, ahead: usize) -> u8 {
        self.bytes().get(self.pos + ahead).copied().unwrap_or(0)
    }

    pub fn at_end(&self) -> bool {
        self.pos >= self.text.len()
    }

    /// Text between two offsets; empty when they are not character boundaries.
    pub fn slice(&self, from: usize, to: usize) -> &'a str {
        self.text.get(from..to).unwrap_or("")
    }

    pub fn skip_trivia(&mut self) {
        loop {
            match self.byte(0) {
                b' ' | b'\t' | b'\n' | b'\r' => self.pos += 1,
                b'/' if self.byte(1) == b'/' => {
                    let rest = &self.bytes()[self.pos..];
                    self.pos += rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
                }
                _ => return,
            }
        }
    }

    /// The next byte after whitespace and comments, 0 at the end.
    pub fn peek(&mut self) -> u8 {
        self.skip_trivia();
        self.byte(0)
    }

    /// Takes punctuation if it is next.
    pub fn eat(&mut self, punctuation: &str) -> bool {
        self.skip_trivia();
        let found = self.bytes()[self.pos..].starts_with(punctuation.as_bytes());
        if found {
            self.pos += punctuation.len();
        }
        found
    }

    /// Takes a keyword if it is the whole next identifier.
    pub fn eat_keyword(&mut self, keyword: &str) -> bool {
        let mut probe = *self;
        let found = probe.ident() == Some(keyword);
        if found {
            *self = probe;
        }
        found
    }

    /// `[A-Za-z_][A-Za-z0-9_$.]*`
    pub fn ident(&mut self) -> Option<&'a str> {
        self.skip_trivia();
        if !is_ident_start(self.byte(0)) {
            return None;
        }
        Some(self.run(is_ident))
    }

    /// The run of name characters at the cursor, also when it is empty or starts with a digit.
    pub fn suffix(&mut self) -> &'a str {
        self.run(is_suffix)
    }

    fn run(&mut self, member: fn(u8) -> bool) -> &'a str {
        let start = self.pos;
        let rest = &self.bytes()[start..];
        self.pos += rest.iter().position(|&b| !member(b)).unwrap_or(rest.len());
        self.slice(start, self.pos)
    }

    /// Digits at the cursor.
    pub fn digits(&mut self) -> &'a str {
        self.run(|b| b.is_ascii_digit())
    }

    /// `-12`, `0x1F`, `1.5e-3`: the text of a number, and whether it is a decimal with point or exponent.
    pub fn number(&mut self) -> Option<(&'a str, bool)> {
        self.skip_trivia();
        let start = self.pos;
        let mut probe = *self;
        if probe.byte(0) == b'-' {
            probe.pos += 1;
        }
        if !probe.byte(0).is_ascii_digit() {
            return None;
        }
        if probe.byte(0) == b'0' && probe.byte(1) == b'x' && probe.byte(2).is_ascii_hexdigit() {
            probe.pos += 2;
            probe.run(|b| b.is_ascii_hexdigit());
            self.pos = probe.pos;
            return Some((self.slice(start, self.pos), false));
        }
        probe.digits();
        let mut float = false;
        if probe.byte(0) == b'.' {
            float = true;
            probe.pos += 1;
            probe.digits();
            let sign = usize::from(matches!(probe.byte(1), b'+' | b'-'));
            if matches!(probe.byte(0), b'e' | b'E') && probe.byte(1 + sign).is_ascii_digit() {
                probe.pos += 1 + sign;
                probe.digits();
            }
        }
        self.pos = probe.pos;
        Some((self.slice(start, self.pos), float))
    }

    /// The raw text between the quotes of a string at the cursor (escapes kept), or nothing if it is not closed.
    pub fn raw_string(&mut self) -> Option<&'a str> {
        self.skip_trivia();
        if self.byte(0) != b'"' {
            return None;
        }
        let start = self.pos + 1;
        let mut at = start;
        loop {
            let rest = self.bytes().get(at..)?;
            at += rest.iter().position(|&b| b == b'"' || b == b'\\')?;
            if self.bytes()[at] == b'"' {
                self.pos = at + 1;
                return self.text.get(start..at);
            }
            at += 2;
        }
    }

    /// Passes over text up to the bracket that closes the level the cursor is in, which is not taken. Strings, comments
    /// and `->` are understood. `None` if the text ends first or a bracket does not match.
    pub fn skip_balanced(&mut self) -> Option<&'a str> {
        let start = self.pos;
        let mut open: Vec<u8> = Vec::new();
        loop {
            match self.peek() {
                0 if self.at_end() => return None,
                b'"' => {
                    self.raw_string()?;
                    continue;
                }
                b'-' if self.byte(1) == b'>' => self.pos += 1,
                b'<' => open.push(b'>'),
                b'(' => open.push(b')'),
                b'[' => open.push(b']'),
                b'{' => open.push(b'}'),
                close @ (b'>' | b')' | b']' | b'}') => match open.pop() {
                    None => return Some(self.slice(start, self.pos)),
                    Some(expected) if expected == close => {}
                    Some(_) => return None,
                },
                _ => {}
            }
            self.pos += 1;
        }
    }
}

/// Replaces the escapes of an MLIR string: `\n`, `\t`, `\"`, `\\` and two hex digits. Bytes that are not UTF-8 are
/// replaced.
pub fn unescape(raw: &str) -> String {
    if !raw.contains('\\') {
        return raw.to_string();
    }
    let bytes = raw.as_bytes();
    let mut out: Vec<u8> = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&b) = bytes.get(at) {
        if b != b'\\' {
            out.push(b);
            at += 1;
            continue;
        }
        let hex = raw.get(at + 1..at + 3).and_then(|h| u8::from_str_radix(h, 16).ok());
        match (bytes.get(at + 1), hex) {
            (_, Some(value)) => {
                out.push(value);
                at += 3;
                continue;
            }
            (Some(b'n'), _) => out.push(b'\n'),
            (Some(b't'), _) => out.push(b'\t'),
            (Some(&other), _) => out.push(other),
            (None, _) => {}
        }
        at += 2;
    }
    String::from_utf8(out).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        for (text, expected) in [
            ("12", Some(("12", false))),
            ("-3x", Some(("-3", false))),
            ("0x1Fz", Some(("0x1F", false))),
            ("1.5e-3,", Some(("1.5e-3", true))),
            ("1.e5", Some(("1.e5", true))),
            ("4x5", Some(("4", false))),
            ("x", None),
        ] {
            assert_eq!(Lexer::new(text).number(), expected, "{text}");
        }
    }

    #[test]
    fn balanced_text_stops_at_the_closing_bracket() {
        let mut lexer = Lexer::new(r#"@m, [{"a>"}, {}] -> (x)> rest"#);
        assert_eq!(lexer.skip_balanced(), Some(r#"@m, [{"a>"}, {}] -> (x)"#));
        assert_eq!(lexer.byte(0), b'>');
        assert_eq!(Lexer::new("(]").skip_balanced(), None);
        assert_eq!(Lexer::new("abc").skip_balanced(), None);
    }

    #[test]
    fn strings() {
        assert_eq!(Lexer::new(r#""a\"b" c"#).raw_string(), Some(r#"a\"b"#));
        assert_eq!(Lexer::new(r#""open"#).raw_string(), None);
        assert_eq!(unescape(r#"a\22\nb\\"#), "a\"\nb\\");
    }

    #[test]
    fn comments_are_trivia() {
        let mut lexer = Lexer::new("  // x\n  foo.bar");
        assert_eq!(lexer.ident(), Some("foo.bar"));
        assert!(lexer.at_end());
    }
}

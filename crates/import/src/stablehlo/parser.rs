//! Parser state and what every part of it shares: errors, scopes of SSA names, locations, nesting depth.

use std::collections::{HashMap, HashSet};

use fornax_graph::{Attr, ConstId, Graph, LocId, Location, Type, ValueId};

use super::lexer::{Lexer, unescape};
use crate::diagnostic::Diagnostic;

/// The first error ends the parse; it is boxed because results travel through every level.
pub type Result<T> = std::result::Result<T, Box<Diagnostic>>;

/// Levels of regions, types and attributes within each other.
const MAX_DEPTH: u32 = 256;

/// Aliases that are replaced in one location.
const MAX_LOCATION_ALIASES: u32 = 1000;

/// `%name` or `%name:n`: consecutive values.
#[derive(Clone, Copy)]
pub struct Named {
    pub first: ValueId,
    pub count: u32,
}

/// A use of a value, for errors about its type.
#[derive(Clone, Copy)]
pub struct Use {
    pub value: ValueId,
    pub pos: usize,
}

pub struct Parser<'a> {
    pub lex: Lexer<'a>,
    pub file: &'a str,
    pub graph: Graph,
    pub attr_aliases: HashMap<&'a str, Attr>,
    pub attr_alias_text: HashMap<&'a str, &'a str>,
    pub type_aliases: HashMap<&'a str, Type>,
    pub loc_aliases: HashMap<&'a str, &'a str>,
    pub pending_locations: Vec<(LocId, &'a str)>,
    /// Constants whose bytes are in the resource section at the end of the file.
    pub pending_resources: Vec<(ConstId, &'a str, usize)>,
    names: HashMap<&'a str, Named>,
    /// Names defined since the function began, with what they hid.
    undo: Vec<(&'a str, Option<Named>)>,
    depth: u32,
    /// Names of the functions so far.
    pub functions: HashSet<String>,
    /// Whether the module of the file has begun.
    pub in_module: bool,
    /// (offset, line, start of that line) of the last place that was located.
    mark: (usize, u32, usize),
}

impl<'a> Parser<'a> {
    pub fn new(text: &'a str, file: &'a str) -> Parser<'a> {
        let mut graph = Graph::default();
        graph.locations.file = file.to_string();
        Parser {
            lex: Lexer::new(text),
            file,
            graph,
            attr_aliases: HashMap::new(),
            attr_alias_text: HashMap::new(),
            type_aliases: HashMap::new(),
            loc_aliases: HashMap::new(),
            pending_locations: Vec::new(),
            pending_resources: Vec::new(),
            names: HashMap::new(),
            undo: Vec::new(),
            depth: 0,
            functions: HashSet::new(),
            in_module: false,
            mark: (0, 1, 0),
        }
    }

    // Errors.

    pub fn error_at(&self, code: &'static str, pos: usize, message: impl Into<String>) -> Box<Diagnostic> {
        Box::new(Diagnostic::at(code, self.file, self.lex.text, pos, message))
    }

    pub fn with_hint(&self, error: Box<Diagnostic>, hint: Option<String>) -> Box<Diagnostic> {
        match hint {
            Some(hint) => Box::new(error.hint(hint)),
            None => error,
        }
    }

    /// "expected X, found Y" at the cursor.
    pub fn expected(&mut self, what: &str) -> Box<Diagnostic> {
        self.lex.skip_trivia();
        let pos = self.lex.pos;
        if self.lex.at_end() {
            return self.error_at("FX0116", pos, format!("the file ends where {what} is expected"));
        }
        let mut probe = self.lex;
        let found = match probe.byte(0) {
            b'"' => "a string".to_string(),
            b if b.is_ascii_alphanumeric() || matches!(b, b'_' | b'%' | b'@' | b'#' | b'!' | b'^') => {
                probe.pos += 1;
                let rest = probe.suffix();
                format!("`{}{}`", b as char, rest.chars().take(40).collect::<String>())
            }
            _ => {
                let c = self.lex.text.get(pos..).and_then(|t| t.chars().next()).unwrap_or(' ');
                if c.is_control() { format!("byte 0x{:02x}", c as u32) } else { format!("`{c}`") }
            }
        };
        self.error_at("FX0101", pos, format!("expected {what}, found {found}"))
    }

    pub fn expect(&mut self, punctuation: &str) -> Result<()> {
        if self.lex.eat(punctuation) { Ok(()) } else { Err(self.expected(&format!("`{punctuation}`"))) }
    }

    pub fn expect_keyword(&mut self, keyword: &str) -> Result<()> {
        if self.lex.eat_keyword(keyword) { Ok(()) } else { Err(self.expected(&format!("`{keyword}`"))) }
    }

    /// Takes the words and the punctuation of a literal of the op table, whatever the spaces.
    pub fn expect_literal(&mut self, literal: &str) -> Result<()> {
        let mut rest = literal;
        while let Some(c) = rest.chars().next() {
            let word = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
            if word > 0 {
                self.expect_keyword(&rest[..word])?;
                rest = &rest[word..];
                continue;
            }
            if c != ' ' {
                self.expect(&rest[..c.len_utf8()])?;
            }
            rest = &rest[c.len_utf8()..];
        }
        Ok(())
    }

    /// Text up to the bracket that closes the level the cursor is in.
    pub fn balanced(&mut self) -> Result<&'a str> {
        let start = self.lex.pos;
        match self.lex.skip_balanced() {
            Some(text) => Ok(text),
            None if self.lex.at_end() => {
                Err(self.error_at("FX0116", start, "the file ends before this bracket is closed"))
            }
            None => Err(self.error_at("FX0101", self.lex.pos, "brackets do not match")),
        }
    }

    pub fn string(&mut self) -> Result<String> {
        if self.lex.peek() != b'"' {
            return Err(self.expected("a string"));
        }
        let pos = self.lex.pos;
        match self.lex.raw_string() {
            Some(raw) => Ok(unescape(raw)),
            None => Err(self.error_at("FX0116", pos, "this string is not closed")),
        }
    }

    /// `@name` or `@"name"`, the `@` included.
    pub fn symbol(&mut self) -> Result<String> {
        if self.lex.peek() != b'@' {
            return Err(self.expected("a symbol such as `@main`"));
        }
        self.lex.pos += 1;
        if self.lex.byte(0) == b'"' {
            return self.string();
        }
        match self.lex.suffix() {
            "" => Err(self.expected("a name after `@`")),
            name => Ok(name.to_string()),
        }
    }

    pub fn parse_i64(&mut self) -> Result<i64> {
        let value = self.parse_i128()?;
        let pos = self.lex.pos;
        i64::try_from(value).map_err(|_| self.error_at("FX0107", pos, format!("{value} does not fit in 64 bits")))
    }

    pub fn parse_i128(&mut self) -> Result<i128> {
        self.lex.skip_trivia();
        let pos = self.lex.pos;
        match self.lex.number() {
            Some((text, false)) => {
                integer(text).ok_or_else(|| self.error_at("FX0107", pos, format!("`{text}` is not an integer")))
            }
            _ => {
                self.lex.pos = pos;
                Err(self.expected("an integer"))
            }
        }
    }

    pub fn parse_f64(&mut self) -> Result<f64> {
        self.lex.skip_trivia();
        let pos = self.lex.pos;
        match self.lex.number() {
            Some((text, _)) => {
                text.parse().map_err(|_| self.error_at("FX0107", pos, format!("`{text}` is not a number")))
            }
            None => Err(self.expected("a number")),
        }
    }

    // Nesting.

    pub fn enter(&mut self) -> Result<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let message = format!("more than {MAX_DEPTH} levels of regions, types or attributes");
            return Err(self.error_at("FX0105", self.lex.pos, message));
        }
        Ok(())
    }

    pub fn leave(&mut self) {
        self.depth -= 1;
    }

    // Values.

    /// Begins a region; give the result to `close_scope`.
    pub fn open_scope(&self) -> usize {
        self.undo.len()
    }

    pub fn close_scope(&mut self, mark: usize) {
        while self.undo.len() > mark {
            let Some((name, hidden)) = self.undo.pop() else { return };
            match hidden {
                Some(old) => self.names.insert(name, old),
                None => self.names.remove(name),
            };
        }
    }

    /// Hides every name: the body of a function sees nothing from outside.
    pub fn isolate(&mut self) -> HashMap<&'a str, Named> {
        std::mem::take(&mut self.names)
    }

    pub fn end_isolation(&mut self, names: HashMap<&'a str, Named>) {
        self.names = names;
    }

    pub fn define(&mut self, name: &'a str, pos: usize, first: ValueId, count: u32) -> Result<()> {
        if self.names.contains_key(name) {
            return Err(self.error_at("FX0110", pos, format!("value `%{name}` is already defined")));
        }
        let hidden = self.names.insert(name, Named { first, count });
        self.undo.push((name, hidden));
        Ok(())
    }

    /// `%name` at the cursor: the name alone and its place.
    pub fn value_name(&mut self) -> Result<(&'a str, usize)> {
        if self.lex.peek() != b'%' {
            return Err(self.expected("a value such as `%0`"));
        }
        let pos = self.lex.pos;
        self.lex.pos += 1;
        match self.lex.suffix() {
            "" => Err(self.expected("a name after `%`")),
            name => Ok((name, pos)),
        }
    }

    /// `%name` or `%name#1`
    pub fn operand(&mut self) -> Result<Use> {
        let (name, pos) = self.value_name()?;
        let mut index = 0u32;
        if self.lex.byte(0) == b'#' {
            self.lex.pos += 1;
            let digits = self.lex.digits();
            index = digits.parse().map_err(|_| self.error_at("FX0101", pos, "expected a number after `#`"))?;
        }
        let Some(&named) = self.names.get(name) else { return Err(self.undefined(name, pos)) };
        if index >= named.count {
            let message = format!("`%{name}` has {} results; there is no `%{name}#{index}`", named.count);
            return Err(self.error_at("FX0104", pos, message));
        }
        Ok(Use { value: ValueId(named.first.0 + index), pos })
    }

    fn undefined(&self, name: &str, pos: usize) -> Box<Diagnostic> {
        let error = self.error_at("FX0104", pos, format!("value `%{name}` is not defined here"));
        let near = fornax_graph::ops::nearest(name, self.names.keys().copied());
        self.with_hint(error, near.map(|n| format!("did you mean `%{n}`?")))
    }

    /// `%a, %b`, possibly empty.
    pub fn operands(&mut self) -> Result<Vec<Use>> {
        let mut uses = Vec::new();
        if self.lex.peek() != b'%' {
            return Ok(uses);
        }
        loop {
            uses.push(self.operand()?);
            if !self.lex.eat(",") {
                return Ok(uses);
            }
        }
    }

    /// Checks the types written at a use against the types of the definitions.
    pub fn check_types(&self, uses: &[Use], types: &[Type], pos: usize) -> Result<()> {
        if uses.len() != types.len() {
            let message = format!("{} operands but {} operand types", uses.len(), types.len());
            return Err(self.error_at("FX0114", pos, message));
        }
        for (u, ty) in uses.iter().zip(types) {
            let defined = self.graph.ty(u.value);
            if defined != ty {
                let message = format!(
                    "this value has type {}, but the op says {}",
                    self.graph.type_text(defined),
                    self.graph.type_text(ty)
                );
                return Err(self.error_at("FX0109", u.pos, message));
            }
        }
        Ok(())
    }

    // Locations.

    /// Interns the place of an op.
    pub fn locate(&mut self, pos: usize) -> LocId {
        let (mut at, mut line, mut start) = self.mark;
        if pos < at {
            (at, line, start) = (0, 1, 0);
        }
        let passed = &self.lex.text.as_bytes()[at..pos];
        line += passed.iter().filter(|&&b| b == b'\n').count() as u32;
        if let Some(newline) = passed.iter().rposition(|&b| b == b'\n') {
            start = at + newline + 1;
        }
        self.mark = (pos, line, start);
        let column = self.lex.slice(start, pos).chars().count() as u32 + 1;
        self.graph.locations.add(Location { line, column, name: None })
    }

    /// `loc(…)` if it is next; its text is resolved at the end of the file.
    pub fn trailing_location(&mut self, location: Option<LocId>) -> Result<()> {
        if self.lex.peek() != b'l' || !self.lex.eat_keyword("loc") {
            return Ok(());
        }
        self.expect("(")?;
        let text = self.balanced()?;
        self.expect(")")?;
        if let Some(location) = location
            && text.trim() != "unknown"
        {
            self.pending_locations.push((location, text));
        }
        Ok(())
    }

    /// Writes the names of locations into the graph, aliases replaced.
    pub fn resolve_locations(&mut self) {
        let mut cache: HashMap<&'a str, String> = HashMap::new();
        for (location, text) in std::mem::take(&mut self.pending_locations) {
            if !cache.contains_key(text) {
                let resolved = self.expand_location(text, 0, &mut { MAX_LOCATION_ALIASES });
                cache.insert(text, resolved);
            }
            if let Some(name) = cache.get(text).filter(|n| !n.is_empty() && *n != "unknown") {
                self.graph.locations.set_name(location, name.clone());
            }
        }
    }

    /// Replaces `#loc3` by its definition, to a bounded depth and length.
    fn expand_location(&self, text: &'a str, depth: u32, left: &mut u32) -> String {
        const MAX_LENGTH: usize = 2000;
        let mut out = String::new();
        let mut rest = text.trim();
        while let Some(at) = rest.find(['#', '"']) {
            out.push_str(&rest[..at]);
            rest = &rest[at..];
            if rest.starts_with('"') {
                let mut lexer = Lexer::new(rest);
                lexer.raw_string();
                let end = lexer.pos.max(1);
                out.push_str(rest.get(..end).unwrap_or(""));
                rest = rest.get(end..).unwrap_or("");
                continue;
            }
            let mut lexer = Lexer { text: rest, pos: 1 };
            let alias = lexer.suffix();
            match self.loc_aliases.get(alias) {
                Some(definition) if depth < 16 && out.len() < MAX_LENGTH && *left > 0 => {
                    *left -= 1;
                    out.push_str(&self.expand_location(definition, depth + 1, left));
                }
                _ => out.push_str("unknown"),
            }
            rest = rest.get(lexer.pos..).unwrap_or("");
        }
        out.push_str(rest);
        out
    }
}

/// Value of an integer literal, decimal or hexadecimal.
pub fn integer(text: &str) -> Option<i128> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let value = match digits.strip_prefix("0x") {
        Some(hex) => i128::from_str_radix(hex, 16).ok()?,
        None => digits.parse::<i128>().ok()?,
    };
    Some(if negative { -value } else { value })
}

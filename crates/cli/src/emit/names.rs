//! Names of a module's functions and tensors as identifiers.

use std::collections::HashSet;

/// Words that C, C++ or Rust keep to themselves, of those that a model may name a tensor by.
const KEYWORDS: &[&str] = &[
    "abstract",
    "alignas",
    "alignof",
    "and",
    "as",
    "asm",
    "async",
    "auto",
    "await",
    "become",
    "bool",
    "box",
    "break",
    "case",
    "catch",
    "char",
    "class",
    "compl",
    "const",
    "constexpr",
    "continue",
    "crate",
    "decltype",
    "default",
    "delete",
    "do",
    "double",
    "dyn",
    "else",
    "enum",
    "explicit",
    "export",
    "extern",
    "false",
    "final",
    "float",
    "fn",
    "for",
    "friend",
    "gen",
    "goto",
    "if",
    "impl",
    "in",
    "inline",
    "int",
    "let",
    "long",
    "loop",
    "macro",
    "match",
    "mod",
    "move",
    "mut",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "nullptr",
    "operator",
    "or",
    "override",
    "priv",
    "private",
    "protected",
    "pub",
    "public",
    "ref",
    "register",
    "requires",
    "restrict",
    "return",
    "self",
    "short",
    "signed",
    "sizeof",
    "static",
    "struct",
    "super",
    "switch",
    "template",
    "this",
    "throw",
    "trait",
    "true",
    "try",
    "type",
    "typedef",
    "typeid",
    "typename",
    "typeof",
    "union",
    "unsafe",
    "unsigned",
    "unsized",
    "use",
    "using",
    "virtual",
    "void",
    "volatile",
    "where",
    "while",
    "xor",
    "yield",
];

/// Letters, digits and `_`, not beginning with a digit; all else becomes `_`.
pub fn identifier(text: &str) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let name: String = text.chars().map(safe).collect();
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) { format!("m_{name}") } else { name }
}

/// `model_2b` → `Model2b`.
pub fn type_name(text: &str) -> String {
    let words = text.split('_').filter(|word| !word.is_empty());
    let name: String = words.map(|word| word[..1].to_ascii_uppercase() + &word[1..]).collect();
    // `__` has no words.
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) { format!("M{name}") } else { name }
}

/// Names of one scope, each given once.
pub struct Scope(HashSet<String>);

impl Scope {
    /// A scope in which these are taken.
    pub fn new(taken: &[&str]) -> Scope {
        Scope(taken.iter().map(|name| name.to_string()).collect())
    }

    /// The wanted name as an identifier, with `_` behind it as long as it is taken.
    pub fn name(&mut self, wanted: &str) -> String {
        let mut name = identifier(wanted);
        while KEYWORDS.contains(&name.as_str()) || !self.0.insert(name.clone()) {
            name.push('_');
        }
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_identifiers_and_differ() {
        assert_eq!(identifier("resnet-50.v2"), "resnet_50_v2");
        assert_eq!(identifier("2b"), "m_2b");
        assert_eq!(identifier(""), "m_");
        assert_eq!(type_name("model_2b"), "Model2b");
        assert_eq!(type_name("__"), "M");
        let mut scope = Scope::new(&["session"]);
        let names = ["x", "x", "session", "for", "a.b", "a b", "é"].map(|name| scope.name(name));
        assert_eq!(names, ["x", "x_", "session_", "for_", "a_b", "a_b_", "_"]);
    }

    #[test]
    fn keywords_are_in_order() {
        assert!(KEYWORDS.is_sorted());
    }
}

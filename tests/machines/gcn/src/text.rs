//! Reads one line of the disassembler: mnemonic, operands, modifiers.
//!
//! Input: `v_add_f32_e64 v0, -|v1|, 1.0 clamp mul:2`. Output: the name without its encoding (`v_add_f32`), the encoding
//! (`_e64`), operands with what stands around them, modifiers as key and value. Two instructions in one (`::`) are read
//! apart.
//!
//! Worked example: `-|v1|` is register v1 with `neg` and `abs`; `v[2:3]` is two registers from v2; `0x3f800000` is a
//! literal; `-16`, `0.5` are inline constants, whose bits depend on the type that the instruction reads.

/// Register numbers of the scalar file that have names.
pub const VCC: u16 = 106;
pub const M0: u16 = 124;
pub const EXEC: u16 = 126;
pub const FLAT_SCRATCH: u16 = 128;
pub const XNACK: u16 = 130;
/// Size of the scalar file.
pub const SCALARS: usize = 132;
/// The first accumulator among vector registers.
pub const ACC: u16 = 256;

/// What an operand names.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Place {
    /// Vector registers from a number; accumulators from [`ACC`].
    Vector(u16, u8),
    Scalar(u16, u8),
    /// An inline integer.
    Int(i64),
    /// A literal.
    Hex(u64),
    Float(f64),
    /// 1/(2π), the one inline constant that no short text gives exactly.
    InvTwoPi,
    /// `off`, `null`: nothing is read, what is written is dropped.
    Nothing,
    Scc,
    Vccz,
    Execz,
    SharedBase,
    SharedLimit,
    PrivateBase,
    PrivateLimit,
}

/// One operand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Operand {
    pub place: Place,
    pub neg: bool,
    pub abs: bool,
    pub sext: bool,
    /// `.l` or `.h`.
    pub half: Option<bool>,
}

/// One instruction as text.
#[derive(Clone, Debug, Default)]
pub struct Text<'a> {
    pub name: &'a str,
    /// `e32`, `e64`, `dpp`, `sdwa`, `e64_dpp` or nothing.
    pub encoding: &'a str,
    pub operands: Vec<&'a str>,
    pub modifiers: Vec<(&'a str, &'a str)>,
    /// Everything behind the mnemonic.
    pub rest: &'a str,
}

const ENCODINGS: &[&str] = &["_e64_dpp", "_e32_dpp", "_e32", "_e64", "_dpp", "_sdwa"];

/// Splits at `mark` outside of brackets and quotes.
fn split(text: &str, mark: char) -> impl Iterator<Item = &str> {
    let mut depth = 0;
    text.split(move |c| {
        match c {
            '[' | '(' => depth += 1,
            ']' | ')' => depth -= 1,
            _ => {}
        }
        depth == 0 && c == mark
    })
    .map(str::trim)
    .filter(|part| !part.is_empty())
}

impl<'a> Text<'a> {
    pub fn read(line: &'a str) -> Text<'a> {
        let (mnemonic, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let suffix = ENCODINGS.iter().find(|suffix| mnemonic.ends_with(**suffix));
        let name = suffix.map_or(mnemonic, |suffix| &mnemonic[..mnemonic.len() - suffix.len()]);
        let encoding = suffix.map_or("", |suffix| &suffix[1..]);
        let mut text = Text { name, encoding, rest: rest.trim(), ..Text::default() };
        for piece in split(rest, ',') {
            for (at, word) in split(piece, ' ').enumerate() {
                let is_modifier =
                    word.split_once(':').is_some_and(|(key, _)| !key.contains(['[', '('])) || is_flag(word);
                if at == 0 && !is_modifier {
                    text.operands.push(word);
                } else {
                    text.modifiers.push(word.split_once(':').unwrap_or((word, "")));
                }
            }
        }
        text
    }

    /// The value of a modifier; the empty text of a flag.
    pub fn modifier(&self, key: &str) -> Option<&'a str> {
        self.modifiers.iter().find(|(name, _)| *name == key).map(|(_, value)| *value)
    }

    pub fn has(&self, flag: &str) -> bool {
        self.modifier(flag).is_some()
    }

    /// A modifier's number, decimal or hexadecimal.
    pub fn number(&self, key: &str) -> Option<i64> {
        number(self.modifier(key)?)
    }

    /// A modifier's list of bits, `op_sel:[0,1]`, least significant first.
    pub fn bits(&self, key: &str) -> Option<u32> {
        let list = self.modifier(key)?.trim_matches(['[', ']']);
        Some(list.split(',').enumerate().map(|(at, bit)| u32::from(bit.trim() == "1") << at).sum())
    }
}

/// Words without a colon that stand behind operands.
fn is_flag(word: &str) -> bool {
    const FLAGS: &[&str] = &[
        "clamp",
        "glc",
        "slc",
        "dlc",
        "sc0",
        "sc1",
        "nt",
        "lds",
        "gds",
        "offen",
        "idxen",
        "tfe",
        "lwe",
        "row_mirror",
        "row_half_mirror",
    ];
    FLAGS.contains(&word)
}

/// A number, decimal or hexadecimal, with or without a sign.
pub fn number(text: &str) -> Option<i64> {
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let value = match digits.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok()? as i64,
        None => digits.parse::<i64>().ok()?,
    };
    Some(if negative { value.wrapping_neg() } else { value })
}

/// Reads an operand; None for text that is none.
pub fn operand(text: &str) -> Option<Operand> {
    let mut found = Operand { place: Place::Nothing, neg: false, abs: false, sext: false, half: None };
    let mut rest = text;
    if let Some(place) = constant(rest) {
        found.place = place;
        return Some(found);
    }
    if let Some(inner) = rest.strip_prefix("neg(").and_then(|r| r.strip_suffix(')')) {
        (found.neg, rest) = (true, inner);
    }
    if let Some(inner) = rest.strip_prefix('-') {
        (found.neg, rest) = (true, inner);
    }
    if let Some(inner) = rest.strip_prefix('|').and_then(|r| r.strip_suffix('|')) {
        (found.abs, rest) = (true, inner);
    }
    if let Some(inner) = rest.strip_prefix("sext(").and_then(|r| r.strip_suffix(')')) {
        (found.sext, rest) = (true, inner);
    }
    if let Some(inner) = rest.strip_suffix(".l").filter(|r| r.starts_with('v')) {
        (found.half, rest) = (Some(false), inner);
    }
    if let Some(inner) = rest.strip_suffix(".h").filter(|r| r.starts_with('v')) {
        (found.half, rest) = (Some(true), inner);
    }
    found.place = constant(rest).or_else(|| register(rest))?;
    Some(found)
}

fn constant(text: &str) -> Option<Place> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    if !digits.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    if let Some(hex) = digits.strip_prefix("0x") {
        return (digits.len() == text.len()).then(|| u64::from_str_radix(hex, 16).ok().map(Place::Hex))?;
    }
    if text.contains('.') {
        return Some(if text.starts_with("0.1591549") { Place::InvTwoPi } else { Place::Float(text.parse().ok()?) });
    }
    text.parse().ok().map(Place::Int)
}

/// `v7`, `v[0:3]`, `a[0:15]`, `s[4:5]`, `vcc`, `ttmp9`, …
fn register(text: &str) -> Option<Place> {
    const NAMED: &[(&str, u16, u8)] = &[
        ("vcc", VCC, 2),
        ("vcc_lo", VCC, 1),
        ("vcc_hi", VCC + 1, 1),
        ("exec", EXEC, 2),
        ("exec_lo", EXEC, 1),
        ("exec_hi", EXEC + 1, 1),
        ("m0", M0, 1),
        ("flat_scratch", FLAT_SCRATCH, 2),
        ("flat_scratch_lo", FLAT_SCRATCH, 1),
        ("flat_scratch_hi", FLAT_SCRATCH + 1, 1),
        ("xnack_mask", XNACK, 2),
        ("xnack_mask_lo", XNACK, 1),
        ("xnack_mask_hi", XNACK + 1, 1),
    ];
    const OTHER: &[(&str, Place)] = &[
        ("off", Place::Nothing),
        ("null", Place::Nothing),
        ("scc", Place::Scc),
        ("src_scc", Place::Scc),
        ("src_vccz", Place::Vccz),
        ("src_execz", Place::Execz),
        ("src_shared_base", Place::SharedBase),
        ("src_shared_limit", Place::SharedLimit),
        ("src_private_base", Place::PrivateBase),
        ("src_private_limit", Place::PrivateLimit),
    ];
    if let Some(&(_, first, count)) = NAMED.iter().find(|row| row.0 == text) {
        return Some(Place::Scalar(first, count));
    }
    if let Some(&(_, place)) = OTHER.iter().find(|row| row.0 == text) {
        return Some(place);
    }
    let digits = text.find(|c: char| c == '[' || c.is_ascii_digit())?;
    let (file, index) = text.split_at(digits);
    let (first, count) = match index.strip_prefix('[').and_then(|r| r.strip_suffix(']')) {
        Some(range) => {
            let (first, last) = range.split_once(':').unwrap_or((range, range));
            let (first, last) = (first.parse::<u16>().ok()?, last.parse::<u16>().ok()?);
            (first, last.checked_sub(first)? + 1)
        }
        None => (index.parse::<u16>().ok()?, 1),
    };
    let last = first.checked_add(count)?;
    let count = u8::try_from(count).ok()?;
    match file {
        "v" if last <= 256 => Some(Place::Vector(first, count)),
        "a" if last <= 256 => Some(Place::Vector(ACC + first, count)),
        "s" if last <= VCC => Some(Place::Scalar(first, count)),
        "ttmp" if last <= 16 => Some(Place::Scalar(108 + first, count)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_comes_apart() {
        let text = Text::read("v_add_f32_e64 v0, -|v1|, 1.0 clamp mul:2");
        assert_eq!((text.name, text.encoding), ("v_add_f32", "e64"));
        assert_eq!(text.operands, ["v0", "-|v1|", "1.0"]);
        assert!(text.has("clamp") && text.number("mul") == Some(2));
        let text = Text::read("v_mov_b32_dpp v0, v1 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf");
        assert_eq!(text.operands, ["v0", "v1"]);
        assert_eq!(text.modifier("quad_perm"), Some("[1,0,3,2]"));
        assert_eq!(Text::read("v_pk_add_f16 v0, v1, v2 op_sel_hi:[0,1]").bits("op_sel_hi"), Some(2));
        let text = Text::read("buffer_load_dword v0, v1, s[0:3], 0 offen offset:4");
        assert_eq!(text.operands.len(), 4);
        let text = Text::read("ds_swizzle_b32 v8, v6 offset:swizzle(BITMASK_PERM,\"00p11\")");
        assert_eq!(text.modifier("offset"), Some("swizzle(BITMASK_PERM,\"00p11\")"));
    }

    #[test]
    fn operands_are_understood() {
        let place = |text: &str| operand(text).map(|o| o.place);
        assert_eq!(place("v[2:3]"), Some(Place::Vector(2, 2)));
        assert_eq!(place("a[0:15]"), Some(Place::Vector(ACC, 16)));
        assert_eq!(place("vcc_lo"), Some(Place::Scalar(VCC, 1)));
        assert_eq!(place("-16"), Some(Place::Int(-16)));
        assert_eq!(place("-0.5"), Some(Place::Float(-0.5)));
        assert_eq!(place("0x3f800000"), Some(Place::Hex(0x3f80_0000)));
        assert_eq!(place("0.15915494"), Some(Place::InvTwoPi));
        assert_eq!(place("v256"), None);
        assert_eq!(place("hwreg(1)"), None);
        let turned = operand("-|v1|").unwrap();
        assert!(turned.neg && turned.abs);
        assert_eq!(operand("v3.h").unwrap().half, Some(true));
    }
}

//! `affine_map<(d0, d1) -> (d0 * 2 + d1, 0)>`: text → one expression a result.
//!
//! Worked example: a pooling's `d2 * 2 + d3` has the linear form `[(2, 2), (3, 1)] + 0`; `d0 floordiv 4` has none and
//! is computed as an index. Structured ops have no symbols; maps that are applied to sizes do.

/// An expression over loop dimensions.
#[derive(Clone, Debug, PartialEq)]
pub enum Affine {
    Dim(usize),
    Const(i64),
    Binary(AffineOp, Box<Affine>, Box<Affine>),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AffineOp {
    Add,
    Mul,
    FloorDiv,
    CeilDiv,
    Mod,
}

/// Sum of (dimension, coefficient) in ascending order, and a constant.
#[derive(Clone, Debug, PartialEq)]
pub struct Linear {
    pub terms: Vec<(usize, i64)>,
    pub constant: i64,
}

impl Linear {
    /// The dimension when the form is just that.
    pub fn plain(&self) -> Option<usize> {
        match self.terms.as_slice() {
            [(d, 1)] if self.constant == 0 => Some(*d),
            _ => None,
        }
    }
}

impl Affine {
    pub fn linear(&self) -> Option<Linear> {
        match self {
            Affine::Dim(d) => Some(Linear { terms: vec![(*d, 1)], constant: 0 }),
            Affine::Const(c) => Some(Linear { terms: Vec::new(), constant: *c }),
            Affine::Binary(AffineOp::Add, a, b) => {
                let (mut a, b) = (a.linear()?, b.linear()?);
                for (d, c) in b.terms {
                    match a.terms.iter_mut().find(|(e, _)| *e == d) {
                        Some(term) => term.1 = term.1.checked_add(c)?,
                        None => a.terms.push((d, c)),
                    }
                }
                a.terms.retain(|(_, c)| *c != 0);
                a.terms.sort_unstable();
                a.constant = a.constant.checked_add(b.constant)?;
                Some(a)
            }
            Affine::Binary(AffineOp::Mul, a, b) => {
                let (a, b) = (a.linear()?, b.linear()?);
                let (mut form, factor) = match (a.terms.is_empty(), b.terms.is_empty()) {
                    (_, true) => (a, b.constant),
                    (true, _) => (b, a.constant),
                    _ => return None,
                };
                for (_, c) in &mut form.terms {
                    *c = c.checked_mul(factor)?;
                }
                form.terms.retain(|(_, c)| *c != 0);
                form.constant = form.constant.checked_mul(factor)?;
                Some(form)
            }
            Affine::Binary(..) => None,
        }
    }

    /// The greatest dimension named.
    pub fn rank(&self) -> usize {
        match self {
            Affine::Dim(d) => d + 1,
            Affine::Const(_) => 0,
            Affine::Binary(_, a, b) => a.rank().max(b.rank()),
        }
    }
}

/// Number of dimensions and the results of a map; `None` when the text is something else.
pub fn parse_map(text: &str) -> Option<(usize, Vec<Affine>)> {
    let text = text.trim().strip_prefix("affine_map<")?.strip_suffix('>')?;
    let (dims, results) = text.split_once("->")?;
    let dims = dims.trim();
    if dims.contains('[') {
        return None;
    }
    let names: Vec<&str> = list(dims)?;
    if !names.iter().enumerate().all(|(i, n)| n.strip_prefix('d').and_then(|n| n.parse().ok()) == Some(i)) {
        return None;
    }
    let results = results.trim().strip_prefix('(')?.strip_suffix(')')?;
    let mut reader = Reader { text: results.as_bytes(), at: 0, depth: 0 };
    let mut exprs = Vec::new();
    if reader.peek() != 0 {
        loop {
            exprs.push(reader.sum()?);
            match reader.peek() {
                b',' => reader.at += 1,
                0 => break,
                _ => return None,
            }
        }
    }
    if exprs.iter().any(|e| e.rank() > names.len()) {
        return None;
    }
    Some((names.len(), exprs))
}

/// A map with symbols: the number of operands that an op which applies it has, and its results, in which symbols come
/// behind the dimensions.
pub fn parse_applied(text: &str) -> Option<(usize, Vec<Affine>)> {
    let inner = text.trim().strip_prefix("affine_map<")?;
    let Some((dims, rest)) = inner.split_once('[') else { return parse_map(text) };
    let (symbols, rest) = rest.split_once(']')?;
    let (dims, count) = (list(dims.trim())?, symbols.split(',').filter(|s| !s.trim().is_empty()).count());
    let names: Vec<String> = (0..dims.len() + count).map(|d| format!("d{d}")).collect();
    let mut out = String::new();
    let mut letters = rest.char_indices().peekable();
    while let Some((_, c)) = letters.next() {
        let digits: String =
            rest[letters.peek().map_or(rest.len(), |(at, _)| *at)..].chars().take_while(char::is_ascii_digit).collect();
        match digits.parse::<usize>() {
            Ok(n) if c == 's' => {
                out += &format!("d{}", dims.len().checked_add(n)?);
                for _ in digits.chars() {
                    letters.next();
                }
            }
            _ => out.push(c),
        }
    }
    parse_map(&format!("affine_map<({}){out}", names.join(", ")))
}

fn list(text: &str) -> Option<Vec<&str>> {
    let inner = text.strip_prefix('(')?.strip_suffix(')')?.trim();
    Some(if inner.is_empty() { Vec::new() } else { inner.split(',').map(str::trim).collect() })
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
    depth: u32,
}

impl Reader<'_> {
    /// The next byte that is not a space; 0 at the end.
    fn peek(&mut self) -> u8 {
        while self.text.get(self.at) == Some(&b' ') {
            self.at += 1;
        }
        self.text.get(self.at).copied().unwrap_or(0)
    }

    fn word(&mut self, word: &str) -> bool {
        self.peek();
        let found = self.text[self.at..].starts_with(word.as_bytes());
        if found {
            self.at += word.len();
        }
        found
    }

    fn sum(&mut self) -> Option<Affine> {
        self.depth += 1;
        if self.depth > 64 {
            return None;
        }
        let mut left = self.product()?;
        loop {
            let negative = match self.peek() {
                b'+' => false,
                b'-' => true,
                _ => break,
            };
            self.at += 1;
            let right = self.product()?;
            let right = if negative {
                Affine::Binary(AffineOp::Mul, Box::new(right), Box::new(Affine::Const(-1)))
            } else {
                right
            };
            left = Affine::Binary(AffineOp::Add, Box::new(left), Box::new(right));
        }
        self.depth -= 1;
        Some(left)
    }

    fn product(&mut self) -> Option<Affine> {
        const OPS: [(&str, AffineOp); 4] = [
            ("*", AffineOp::Mul),
            ("floordiv", AffineOp::FloorDiv),
            ("ceildiv", AffineOp::CeilDiv),
            ("mod", AffineOp::Mod),
        ];
        let mut left = self.atom()?;
        while let Some(&(_, op)) = OPS.iter().find(|(word, _)| self.word(word)) {
            left = Affine::Binary(op, Box::new(left), Box::new(self.atom()?));
        }
        Some(left)
    }

    fn atom(&mut self) -> Option<Affine> {
        match self.peek() {
            b'(' => {
                self.at += 1;
                let inner = self.sum()?;
                if self.peek() != b')' {
                    return None;
                }
                self.at += 1;
                Some(inner)
            }
            b'-' => {
                self.at += 1;
                self.depth += 1;
                let inner = if self.depth > 64 { None } else { self.atom() };
                self.depth -= 1;
                Some(Affine::Binary(AffineOp::Mul, Box::new(inner?), Box::new(Affine::Const(-1))))
            }
            b'd' => {
                self.at += 1;
                let n = self.digits()?;
                usize::try_from(n).ok().filter(|&d| d < 1 << 16).map(Affine::Dim)
            }
            _ => self.digits().map(Affine::Const),
        }
    }

    fn digits(&mut self) -> Option<i64> {
        let start = self.at;
        while self.text.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
        std::str::from_utf8(&self.text[start..self.at]).ok()?.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_and_linear_forms() {
        let (rank, results) =
            parse_map("affine_map<(d0, d1, d2, d3) -> (d0, d2 * 2 + d3 - 1, 0, d1 floordiv 3)>").unwrap();
        assert_eq!((rank, results.len()), (4, 4));
        assert_eq!(results[0].linear().unwrap().plain(), Some(0));
        assert_eq!(results[1].linear().unwrap(), Linear { terms: vec![(2, 2), (3, 1)], constant: -1 });
        assert_eq!(results[2].linear().unwrap(), Linear { terms: vec![], constant: 0 });
        assert!(results[3].linear().is_none());
        assert_eq!(parse_map("affine_map<() -> ()>").unwrap().1.len(), 0);
        let applied = parse_applied("affine_map<(d0)[s0, s1] -> (s0 * 2 + s1 - d0)>").unwrap();
        assert_eq!((applied.0, applied.1[0].linear().unwrap().terms), (3, vec![(0, -1), (1, 2), (2, 1)]));
        assert_eq!(parse_applied("affine_map<()[s0] -> (s0 floordiv 2)>").unwrap().0, 1);
        assert!(
            parse_applied("affine_map<()[s0 -> (s0)>").is_none()
                && parse_applied("affine_map<()[s0] -> (s1)>").is_none()
        );
        for bad in [
            "",
            "affine_map<(d0) -> (d1)>",
            "affine_map<(d0)[s0] -> (s0)>",
            "affine_map<(d0) -> (d0 +)>",
            "affine_map<(d1) -> (d1)>",
        ] {
            assert!(parse_map(bad).is_none(), "{bad}");
        }
        let deep = format!("affine_map<(d0) -> ({}d0{})>", "(".repeat(5000), ")".repeat(5000));
        assert!(parse_map(&deep).is_none());
        assert!(parse_map(&format!("affine_map<(d0) -> ({}1)>", "-".repeat(5000))).is_none());
    }
}

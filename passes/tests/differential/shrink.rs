//! A failing program made smaller, as long as it fails in the same way: fewer results, values given as arguments
//! instead of computed (what gave them goes), operands replaced by others of their type, and sizes halved wherever they
//! stand.

use super::program::{Program, Text};
use super::run::{Outcome, check};

/// Whether a smaller program still fails as the first did.
struct Search<'a> {
    seed: u64,
    target: &'a str,
    wanted: Outcome,
    left: usize,
}

impl Search<'_> {
    fn fails(&mut self, text: &Text) -> bool {
        if self.left == 0 {
            return false;
        }
        self.left -= 1;
        let outcome = check(text, self.seed, self.target);
        std::mem::discriminant(&outcome) == std::mem::discriminant(&self.wanted)
    }

    fn take(&mut self, program: &mut Program, smaller: Program) -> bool {
        let fails = self.fails(&smaller.text());
        if fails {
            *program = smaller;
        }
        fails
    }
}

/// Programs one cut smaller than this one.
fn smaller(program: &Program) -> Vec<Program> {
    let mut all = Vec::new();
    if program.results.len() > 1 {
        all.extend(program.results.iter().map(|&only| Program { results: vec![only], ..program.clone() }));
    }
    let (steps, _) = program.needed();
    for &step in steps.iter().rev() {
        // What the op reads is the result instead of what it gives.
        if program.steps[step].results.iter().any(|r| program.results == [*r]) {
            all.extend(program.steps[step].uses.iter().map(|&u| Program { results: vec![u], ..program.clone() }));
        }
        let mut cut = program.clone();
        cut.cut.extend(&program.steps[step].results);
        if !program.results.iter().any(|r| cut.cut.contains(r)) {
            all.push(cut);
        }
    }
    all
}

/// Both texts with a number replaced wherever it stands as a size.
fn resized(text: &Text, from: i64, to: i64) -> Text {
    let replace = |text: &str| {
        let mut out = String::new();
        let mut rest = text.chars().peekable();
        let mut before = ' ';
        while let Some(c) = rest.next() {
            let mut token = c.to_string();
            if c.is_ascii_digit() {
                while let Some(d) = rest.next_if(char::is_ascii_digit) {
                    token.push(d);
                }
                if !before.is_alphanumeric() && before != '%' && token == from.to_string()
                    || before == 'x' && token == from.to_string()
                {
                    token = to.to_string();
                }
            }
            before = c;
            out += &token;
        }
        out
    };
    Text { own: replace(&text.own), all: replace(&text.all), errors: text.errors.clone() }
}

/// The smallest program found, as text.
pub fn shrink(program: &Program, seed: u64, target: &str, outcome: &Outcome) -> Text {
    let mut search = Search { seed, target, wanted: outcome.clone(), left: 400 };
    let mut program = program.clone();
    while smaller(&program).into_iter().any(|s| search.take(&mut program, s)) {}
    let mut text = program.text();
    for from in (2..=300).rev() {
        for to in [1, from / 2, from - 1] {
            let less = resized(&text, from, to);
            if less.own != text.own && search.fails(&less) {
                text = less;
                break;
            }
        }
    }
    text
}

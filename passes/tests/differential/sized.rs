//! Random programs with a size known only at run time, and the same programs at several numbers.
//!
//! A program is made as the others are, with 97 as a size now and then. In its symbolic text 97 is the size `b` of an
//! argument and a multiple is an expression of it (`tensor<?x4xf32, #fornax.dims<2*b>>`, 97² is `b*b`); at b = 5 every
//! such size is replaced by its number. Ops that spell sizes in their attributes, or make sizes that are no multiples,
//! give arguments instead: they are cut.

use super::generate::{Generator, made};
use super::machine;
use super::program::{Program, Text};
use super::random::Random;
use super::run::{Case, Outcome, caught};

/// What stands for `b`: a prime that no other size is or gives.
const PLACE: i64 = 97;
/// Elements of a tensor, at most, with `PLACE` as a size.
const MOST_ELEMENTS: i64 = 2000;
/// What `b` is in turn.
pub const SIZES: &[i64] = &[1, 2, 5, 13, 30];
/// Ops with sizes in attributes, or sizes that are sums.
const CUT: &[&str] = &[
    "stablehlo.slice",
    "stablehlo.pad",
    "stablehlo.concatenate",
    "\"stablehlo.gather",
    "\"stablehlo.scatter",
    "\"stablehlo.select_and_scatter",
    "\"stablehlo.reduce_window",
    "stablehlo.convolution",
    "stablehlo.dynamic_slice",
    "stablehlo.dynamic_update_slice",
    "stablehlo.constant",
];

pub struct SizedProgram {
    pub symbolic: String,
    text: Text,
}

/// The program of a seed; none where no argument shows the size.
pub fn program(seed: u64) -> Option<SizedProgram> {
    let random = Random::new(seed ^ 0x5153);
    let mut program = made(Generator { random, program: Program::default(), most: MOST_ELEMENTS, place: Some(PLACE) });
    let shown = |values: &[usize]| values.iter().any(|&v| program.values[v].shape.iter().any(|&n| is_place(n)));
    let cut = program.steps.iter().filter(|step| {
        let named = CUT.iter().any(|name| step.text.starts_with(name));
        named && (shown(&step.uses) || shown(&step.results))
    });
    let cut: Vec<usize> = cut.flat_map(|step| step.results.clone()).collect();
    program.cut.extend(cut);
    let text = program.text();
    let symbolic = symbolic(&text.own)?;
    Some(SizedProgram { symbolic, text })
}

fn is_place(n: i64) -> bool {
    n != 0 && n % PLACE == 0
}

/// `n` as a factor times a power of the place.
fn powers(n: i64) -> (i64, u32) {
    let (mut factor, mut power) = (n, 0);
    while is_place(factor) {
        factor /= PLACE;
        power += 1;
    }
    (factor, power)
}

impl SizedProgram {
    /// The program at one size.
    pub fn at(&self, b: i64) -> Text {
        let own = with_types(&self.text.own, &|dims, element| static_type(dims, element, b));
        let all = with_types(&self.text.all, &|dims, element| static_type(dims, element, b));
        Text { own, all, errors: self.text.errors.clone() }
    }

    /// One plan, run at every size.
    pub fn check(&self, seed: u64, target: &str) -> Outcome {
        let planned = match caught(|| machine::compare::planned(&machine::compare::import(&self.symbolic), target)) {
            Ok(planned) => planned,
            Err(why) => return Outcome::Refused(why),
        };
        for &b in SIZES {
            let case = match Case::new(&self.at(b), seed) {
                Ok(case) => case,
                Err(why) => return Outcome::Invalid(format!("b = {b}: {why}")),
            };
            match case.compare_at(&planned.0, &planned.1, &[b]) {
                Outcome::Same => {}
                Outcome::Differs(why) => return Outcome::Differs(format!("b = {b}: {why}")),
                other => return other,
            }
        }
        Outcome::Same
    }
}

fn static_type(dims: &[i64], element: &str, b: i64) -> String {
    let size = |&n: &i64| {
        let (factor, power) = powers(n);
        factor * b.pow(power)
    };
    let dims: String = dims.iter().map(|n| format!("{}x", size(n))).collect();
    format!("tensor<{dims}{element}>")
}

fn symbolic_type(dims: &[i64], element: &str) -> String {
    let names: Vec<String> = dims
        .iter()
        .filter(|&&n| is_place(n))
        .map(|&n| {
            let (factor, power) = powers(n);
            let mut parts = vec!["b"; power as usize].join("*");
            if factor != 1 {
                parts = format!("{factor}*{parts}");
            }
            parts
        })
        .collect();
    let shape: String = dims.iter().map(|&n| if is_place(n) { "?x".to_string() } else { format!("{n}x") }).collect();
    let encoding = if names.is_empty() { String::new() } else { format!(", #fornax.dims<{}>", names.join(", ")) };
    format!("tensor<{shape}{element}{encoding}>")
}

/// The text with the table of sizes, `b` being a dimension of an argument.
fn symbolic(text: &str) -> Option<String> {
    let header = text.split(" -> ").next()?;
    let mut place = None;
    let arguments = header.split("tensor<").skip(1).enumerate();
    for (argument, rest) in arguments {
        let (dims, _) = shape(rest);
        let axis = dims.iter().position(|&n| n == PLACE);
        place = place.or(axis.map(|axis| (argument, axis)));
    }
    let (argument, axis) = place?;
    let body = with_types(text, &symbolic_type);
    Some(format!("module attributes {{fornax.dims = [\"b: argument {argument} axis {axis}, 1..\"]}} {{\n{body}}}\n"))
}

/// Sizes at the start of what follows `tensor<`, and how long they are.
fn shape(text: &str) -> (Vec<i64>, usize) {
    let (mut dims, mut end) = (Vec::new(), 0);
    while let Some(stop) = text[end..].find('x') {
        let Ok(n) = text[end..end + stop].parse() else { break };
        dims.push(n);
        end += stop + 1;
    }
    (dims, end)
}

/// The text with every tensor type written anew.
fn with_types(text: &str, written: &dyn Fn(&[i64], &str) -> String) -> String {
    let mut pieces = text.split("tensor<");
    let mut out = pieces.next().unwrap_or("").to_string();
    for piece in pieces {
        let (dims, end) = shape(piece);
        let mut depth = 1;
        let close = piece[end..].find(|c| {
            depth += i32::from(c == '<') - i32::from(c == '>');
            depth == 0
        });
        let close = end + close.expect("a type ends");
        out += &written(&dims, &piece[end..close]);
        out += &piece[close + 1..];
    }
    out
}

#[test]
fn types_are_written_anew() {
    let text =
        "func.func @main(%a: tensor<i1>, %b: tensor<97x2xcomplex<f32>>) -> (tensor<194xf32>, tensor<28227xi1>) {";
    let symbolic = symbolic(text).unwrap();
    assert!(symbolic.starts_with("module attributes {fornax.dims = [\"b: argument 1 axis 0, 1..\"]}"), "{symbolic}");
    assert!(symbolic.contains("tensor<?x2xcomplex<f32>, #fornax.dims<b>>"), "{symbolic}");
    assert!(symbolic.contains("tensor<?xf32, #fornax.dims<2*b>>"), "{symbolic}");
    assert!(symbolic.contains("tensor<?xi1, #fornax.dims<3*b*b>>"), "{symbolic}");
    let at = with_types(text, &|dims, element| static_type(dims, element, 5));
    assert!(
        at.contains("tensor<5x2xcomplex<f32>>") && at.contains("tensor<10xf32>") && at.contains("tensor<75xi1>"),
        "{at}"
    );
}

//! Random well-typed programs: a seed gives the arguments, the ops (see [`super::compute`] and [`super::movement`]) and
//! the results. Values that are only near the right ones (sums of floats, sines) go nowhere where a small difference
//! becomes a large one: no comparison, rounding or division reads them.

use fornax_graph::ElementType::{self, *};

use super::program::{Program, Step, Value, spelled};
use super::random::Random;
use super::{compute, control, movement};

pub struct Generator {
    pub random: Random,
    pub program: Program,
    /// Elements of a tensor, at most.
    pub most: i64,
    /// A size that some dimensions have, where the program shall have one known only at run time.
    pub place: Option<i64>,
}

/// Element types and how often each is drawn.
const TYPES: &[(ElementType, i64)] = &[
    (F32, 12),
    (I32, 8),
    (I1, 3),
    (F64, 3),
    (F16, 3),
    (Bf16, 3),
    (I8, 2),
    (Ui8, 2),
    (I16, 2),
    (Ui16, 1),
    (Ui32, 2),
    (I64, 3),
    (Ui64, 1),
    (I4, 1),
    (Ui4, 1),
    (I2, 1),
    (Ui2, 1),
    (F8E4M3FN, 1),
    (F8E5M2, 1),
    (F8E4M3, 1),
    (F8E3M4, 1),
    (F8E4M3FNUZ, 1),
    (F8E5M2FNUZ, 1),
    (F8E4M3B11FNUZ, 1),
    (ComplexF32, 2),
    (ComplexF64, 1),
];

/// Elements of a tensor, at most: every one is interpreted. One program in eight has larger tensors.
const MOST_ELEMENTS: i64 = 300;
const MOST_ELEMENTS_LARGE: i64 = 6000;

/// How far apart two right evaluations of one op may be, as a share of the largest value; 0 where nobody may differ.
pub fn tolerance(element: ElementType) -> f64 {
    match element {
        F64 | ComplexF64 => 1e-12,
        F32 | ComplexF32 => 2e-5,
        F16 => 4e-3,
        Bf16 => 3e-2,
        _ => 0.0,
    }
}

/// Floats wide enough for sums and functions.
pub fn wide(element: ElementType) -> bool {
    matches!(element, F64 | F32 | F16 | Bf16)
}

impl Generator {
    pub fn element(&mut self) -> ElementType {
        let mut at = self.random.below(TYPES.iter().map(|t| t.1).sum());
        for &(element, weight) in TYPES {
            if at < weight {
                return element;
            }
            at -= weight;
        }
        F32
    }

    pub fn dim(&mut self) -> i64 {
        if let Some(place) = self.place {
            return if self.random.below(3) == 0 { place } else { *self.random.pick(&[1, 2, 3, 4, 5, 7, 8]) };
        }
        match self.random.below(40) {
            0 => 0,
            1..6 => 1,
            _ if self.most > MOST_ELEMENTS => *self.random.pick(&[2, 3, 8, 17, 32, 37, 64, 101, 128, 257]),
            _ => *self.random.pick(&[2, 3, 4, 5, 7, 8, 11, 13]),
        }
    }

    pub fn shape(&mut self, least: usize) -> Vec<i64> {
        let rank = *self.random.pick(&[0, 1, 1, 2, 2, 2, 3, 3, 4]);
        let mut shape: Vec<i64> = (0..rank.max(least)).map(|_| self.dim()).collect();
        while shape.iter().product::<i64>() > self.most {
            let largest = (0..shape.len()).max_by_key(|&d| shape[d]).unwrap_or(0);
            shape[largest] = shape[largest] / 2 + 1;
        }
        shape
    }

    pub fn value(&self, at: usize) -> &Value {
        &self.program.values[at]
    }

    pub fn new_value(&mut self, shape: &[i64], element: ElementType, error: f64, plain: bool) -> usize {
        self.program.values.push(Value { shape: shape.to_vec(), element, error, plain });
        self.program.values.len() - 1
    }

    pub fn argument(&mut self, shape: &[i64], element: ElementType) -> usize {
        self.new_value(shape, element, 0.0, true)
    }

    /// An op of one result.
    pub fn step(&mut self, text: String, uses: &[usize], shape: &[i64], element: ElementType, error: f64) -> usize {
        let result = self.new_value(shape, element, error, false);
        self.program.steps.push(Step { text, uses: uses.to_vec(), results: vec![result] });
        result
    }

    /// An op of several results.
    pub fn steps(&mut self, text: String, uses: &[usize], results: &[(Vec<i64>, ElementType)]) {
        let results = results.iter().map(|(s, e)| self.new_value(s, *e, 0.0, false)).collect();
        self.program.steps.push(Step { text, uses: uses.to_vec(), results });
    }

    /// A value moved elsewhere: as exact and as plain as it was.
    pub fn moved(&mut self, text: String, uses: &[usize], shape: &[i64]) -> usize {
        let element = self.value(uses[0]).element;
        let error = uses.iter().map(|&u| self.value(u).error).fold(0.0, f64::max);
        let plain = uses.iter().all(|&u| self.value(u).plain);
        let result = self.step(text, uses, shape, element, error);
        self.program.values[result].plain = plain;
        result
    }

    pub fn constant(&mut self, literal: &str, shape: &[i64], element: ElementType) -> usize {
        let literal = if element.is_complex() { format!("({literal}, {literal})") } else { literal.to_string() };
        let text = format!("stablehlo.constant dense<{literal}> : {}", spelled(shape, element));
        self.step(text, &[], shape, element, 0.0)
    }

    /// Zero or one of a type.
    pub fn number(&mut self, one: bool, element: ElementType) -> usize {
        let literal = match (element, one) {
            (I1, false) => "false",
            (I1, true) => "true",
            (e, one) if e.is_float() || e.is_complex() => ["0.0", "1.0"][usize::from(one)],
            (_, one) => ["0", "1"][usize::from(one)],
        };
        self.constant(literal, &[], element)
    }

    /// Some value that fits, late ones more often than early ones.
    pub fn find(&mut self, fits: impl Fn(&Value) -> bool) -> Option<usize> {
        let found: Vec<usize> = (0..self.program.values.len()).filter(|&v| fits(self.value(v))).collect();
        if found.is_empty() {
            return None;
        }
        let n = found.len() as i64;
        let at = self.random.below(n).max(self.random.below(n));
        Some(found[at as usize])
    }

    /// A value of a type, an argument if there is none.
    pub fn like(&mut self, shape: &[i64], element: ElementType, exact: bool) -> usize {
        let fresh = self.random.below(5) == 0;
        let fits = |v: &Value| v.shape == shape && v.element == element && !(exact && v.error > 0.0);
        match self.find(fits) {
            Some(found) if !fresh => found,
            _ => self.argument(shape, element),
        }
    }

    /// An integer scalar of one type for indices.
    pub fn index(&mut self) -> ElementType {
        *self.random.pick(&[I32, I32, I64, Ui8, Ui32, I16])
    }
}

/// A way to extend a program; it does nothing where nothing fits.
pub type Rule = (i64, fn(&mut Generator) -> Option<()>);

/// The program of a seed.
pub fn program(seed: u64) -> Program {
    let most = if seed.is_multiple_of(8) { MOST_ELEMENTS_LARGE } else { MOST_ELEMENTS };
    made(Generator { random: Random::new(seed), program: Program::default(), most, place: None })
}

/// The program that a generator makes from its state.
pub fn made(mut g: Generator) -> Program {
    for _ in 0..g.random.range(1, 3) {
        let (shape, element) = (g.shape(0), g.element());
        g.argument(&shape, element);
    }
    let rules: Vec<Rule> = [compute::RULES, movement::RULES, control::RULES].concat();
    let total = rules.iter().map(|r| r.0).sum();
    let steps = g.random.range(3, 12);
    for _ in 0..steps {
        let mut at = g.random.below(total);
        for (weight, rule) in &rules {
            if at < *weight {
                rule(&mut g);
                break;
            }
            at -= weight;
        }
    }
    finish(&mut g);
    g.program
}

/// The last value and up to two others are results.
fn finish(g: &mut Generator) {
    let last = g.program.values.len() - 1;
    g.program.results = vec![last];
    for _ in 0..g.random.below(3) {
        let other = g.random.below(last as i64 + 1) as usize;
        if !g.program.results.contains(&other) {
            g.program.results.push(other);
        }
    }
}

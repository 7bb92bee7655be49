//! A random program as steps over numbered values, and its text; what is not needed for the results is left out.

use std::collections::BTreeSet;

use fornax_graph::ElementType;

/// A value: its type, and how far two right evaluations may lie apart (a share of the largest value it comes from).
#[derive(Clone, Debug)]
pub struct Value {
    pub shape: Vec<i64>,
    pub element: ElementType,
    pub error: f64,
    /// An argument moved about at most, so that the bits of a NaN are known.
    pub plain: bool,
}

impl Value {
    pub fn spelled(&self) -> String {
        spelled(&self.shape, self.element)
    }
}

pub fn spelled(shape: &[i64], element: ElementType) -> String {
    let dims: String = shape.iter().map(|n| format!("{n}x")).collect();
    format!("tensor<{dims}{}>", element.spelling())
}

/// One op (with its constants): `text` after the `=`, in which `$7$` is value 7.
#[derive(Clone, Debug)]
pub struct Step {
    pub text: String,
    pub uses: Vec<usize>,
    pub results: Vec<usize>,
}

#[derive(Clone, Debug, Default)]
pub struct Program {
    pub values: Vec<Value>,
    pub steps: Vec<Step>,
    pub results: Vec<usize>,
    /// Values that became arguments, though a step gives them: how a program is cut shorter.
    pub cut: BTreeSet<usize>,
}

/// A program as text: as it is, and with every value it computes as a further result (for the reference evaluator
/// alone).
#[derive(Clone, Debug)]
pub struct Text {
    pub own: String,
    pub all: String,
    /// Of each result the share that it may be off.
    pub errors: Vec<f64>,
}

impl Program {
    pub fn step_of(&self, value: usize) -> Option<usize> {
        if self.cut.contains(&value) {
            return None;
        }
        self.steps.iter().position(|s| s.results.contains(&value))
    }

    /// Steps and arguments that the results need.
    pub fn needed(&self) -> (BTreeSet<usize>, BTreeSet<usize>) {
        let (mut steps, mut arguments) = (BTreeSet::new(), BTreeSet::new());
        let mut left = self.results.clone();
        while let Some(value) = left.pop() {
            match self.step_of(value) {
                Some(step) if steps.insert(step) => left.extend(&self.steps[step].uses),
                Some(_) => {}
                None => {
                    arguments.insert(value);
                }
            }
        }
        (steps, arguments)
    }

    pub fn text(&self) -> Text {
        let (steps, arguments) = self.needed();
        let mut everything = self.results.clone();
        everything.extend(steps.iter().flat_map(|&s| &self.steps[s].results));
        let errors = self.results.iter().map(|&r| self.values[r].error).collect();
        let write = |results: &[usize]| self.write(&steps, &arguments, results);
        Text { own: write(&self.results), all: write(&everything), errors }
    }

    fn name(&self, value: usize) -> String {
        match self.step_of(value) {
            Some(step) if self.steps[step].results.len() > 1 => {
                let at = self.steps[step].results.iter().position(|&r| r == value).unwrap_or(0);
                format!("%s{step}#{at}")
            }
            Some(step) => format!("%s{step}"),
            None => format!("%a{value}"),
        }
    }

    fn write(&self, steps: &BTreeSet<usize>, arguments: &BTreeSet<usize>, results: &[usize]) -> String {
        let given: Vec<String> = arguments.iter().map(|&a| format!("%a{a}: {}", self.values[a].spelled())).collect();
        let types: Vec<String> = results.iter().map(|&r| self.values[r].spelled()).collect();
        let types = types.join(", ");
        let mut out = format!("func.func @main({}) -> ({types}) {{\n", given.join(", "));
        for &at in steps {
            let step = &self.steps[at];
            let mut pieces = step.text.split('$');
            let mut line = pieces.next().unwrap_or("").to_string();
            // Names and what stands between them take turns.
            while let (Some(value), Some(rest)) = (pieces.next(), pieces.next()) {
                line += &self.name(value.parse().expect("a value's number"));
                line += rest;
            }
            let many = if step.results.len() > 1 { format!(":{}", step.results.len()) } else { String::new() };
            out += &format!("  %s{at}{many} = {line}\n");
        }
        let names: Vec<String> = results.iter().map(|&r| self.name(r)).collect();
        out + &format!("  return {} : {types}\n}}\n", names.join(", "))
    }
}

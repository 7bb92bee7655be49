//! One program on one target: imported, simplified, fused, planned and interpreted, against the reference evaluator.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use fornax_graph::{ElementType, Graph};
use fornax_passes::Planned;
use fornax_reference::{Limits, Scalar, Tensor, evaluate};

use super::machine;
use super::program::Text;
use super::random::Random;

/// What became of a program.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    Same,
    /// The generator or the reference evaluator is at fault: the text is no program that can be run.
    Invalid(String),
    /// A pass refused it, or gave up.
    Refused(String),
    Differs(String),
}

/// Values of an argument: small numbers most of the time, edges of the type now and then.
fn argument(shape: &[usize], element: ElementType, random: &mut Random, edges: bool) -> Tensor {
    let count: usize = shape.iter().product();
    let float = |random: &mut Random| match random.below(if edges { 12 } else { 8 }) {
        0 => (random.below(9) as f64) - 4.0,
        8 => 0.0,
        9 => -0.0,
        10 => *random.pick(&[f64::INFINITY, f64::NEG_INFINITY, f64::NAN]),
        11 => 2f64.powi(-(random.below(160) as i32)),
        _ => random.unit() * 4.0 - 2.0,
    };
    let values: Vec<Scalar> = (0..count)
        .map(|_| match element {
            ElementType::I1 => Scalar::Bool(random.below(2) == 1),
            e if e.is_float() => Scalar::Float(float(random)),
            e if e.is_complex() => Scalar::Complex(fornax_reference::Complex { re: float(random), im: float(random) }),
            e => {
                let (bits, unsigned) = (e.bits(), e.is_unsigned());
                let (low, high) = match unsigned {
                    true => (0, (1i128 << bits) - 1),
                    false => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
                };
                let value = match random.below(if edges { 12 } else { 8 }) {
                    8 | 9 => low,
                    10 => high,
                    _ => random.below(12) as i128 - if unsigned { 0 } else { 4 },
                };
                Scalar::Int(value.clamp(low, high))
            }
        })
        .collect();
    Tensor::from_scalars(shape, element, values)
}

pub fn arguments(graph: &Graph, seed: u64, edges: bool) -> Vec<Tensor> {
    let entry = graph.function("main").and_then(|main| graph.entry(main)).expect("main has a body");
    let mut random = Random::new(seed);
    let arguments = &graph.block(entry).arguments;
    let types = arguments.iter().filter_map(|&a| graph.ty(a).as_tensor());
    types
        .map(|ty| {
            let shape: Vec<usize> = ty.static_shape().unwrap_or_default().iter().map(|&n| n as usize).collect();
            argument(&shape, ty.element, &mut random, edges)
        })
        .collect()
}

fn parts(value: Scalar) -> [f64; 2] {
    match value {
        Scalar::Bool(b) => [f64::from(u8::from(b)), 0.0],
        Scalar::Int(v) => [v as f64, 0.0],
        Scalar::Float(v) => [v, 0.0],
        Scalar::Complex(c) => [c.re, c.im],
    }
}

fn same(got: Scalar, want: Scalar, limit: f64) -> bool {
    if let (Scalar::Int(a), Scalar::Int(b)) = (got, want) {
        return a == b;
    }
    let pairs = parts(got).into_iter().zip(parts(want));
    pairs.into_iter().all(|(g, w)| g == w || g.is_nan() && w.is_nan() || (g - w).abs() <= limit)
}

/// The first element that is too far off.
fn difference(got: &[Tensor], want: &[Tensor], errors: &[f64], scale: f64) -> Option<String> {
    for (n, ((got, want), error)) in got.iter().zip(want).zip(errors).enumerate() {
        let limit = error * scale;
        let mut pairs = got.scalars().into_iter().zip(want.scalars()).enumerate();
        if let Some((at, (g, w))) = pairs.find(|&(_, (g, w))| !same(g, w, limit)) {
            return Some(format!("result {n}, element {at}: {g:?}, the reference says {w:?} (limit {limit:e})"));
        }
    }
    None
}

/// A program with what is expected of it.
pub struct Case {
    pub graph: Graph,
    pub inputs: Vec<Tensor>,
    pub want: Vec<Tensor>,
    pub errors: Vec<f64>,
    pub scale: f64,
}

fn said(panic: Box<dyn std::any::Any + Send>) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("a panic").to_string()
}

thread_local! {
    /// Whether panics of this thread are read here rather than printed.
    static READ_HERE: Cell<bool> = const { Cell::new(false) };
}

/// A closure's value, or what its panic says: everything on the way reports what is wrong by a panic.
pub fn caught<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let print = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if !READ_HERE.get() {
                print(panic);
            }
        }));
    });
    READ_HERE.set(true);
    let result = catch_unwind(AssertUnwindSafe(run)).map_err(said);
    READ_HERE.set(false);
    result
}

impl Case {
    pub fn new(text: &Text, seed: u64) -> Result<Case, String> {
        let exact = text.errors.iter().all(|&e| e == 0.0);
        caught(|| {
            let graph = machine::compare::import(&text.own);
            // The bits of a NaN that is computed are nobody's promise.
            let tame = text.own.contains("bitcast_convert");
            let inputs = arguments(&graph, seed, seed.is_multiple_of(2) && !tame);
            let all = machine::compare::import(&text.all);
            let mut want = evaluate(&all, "main", &inputs, &Limits::default()).unwrap_or_else(|e| panic!("{e}"));
            let values = || want.iter().chain(&inputs).flat_map(|t| if exact { Vec::new() } else { t.scalars() });
            let finite = values().flat_map(parts).filter(|x| x.is_finite());
            let scale = finite.fold(1e-3, |a: f64, x| a.max(x.abs()));
            want.truncate(text.errors.len());
            Case { graph, inputs, want, errors: text.errors.clone(), scale }
        })
    }

    pub fn plan(&self, target: &str) -> Result<(Graph, Planned), String> {
        caught(|| machine::compare::planned(&self.graph, target))
    }

    /// What a planned program says, against what is wanted.
    pub fn compare(&self, fused: &Graph, planned: &Planned) -> Outcome {
        self.compare_at(fused, planned, &[])
    }

    /// The same with numbers for the sizes known only at run time.
    pub fn compare_at(&self, fused: &Graph, planned: &Planned, sizes: &[i64]) -> Outcome {
        let run = caught(|| {
            let given = machine::Given { inputs: &self.inputs, parameters: &[], sizes };
            let bytes = machine::run_sized(fused, planned, None, "main", given);
            let typed = bytes.into_iter().zip(&self.want);
            typed.map(|(b, w)| Tensor::new(w.ty.clone(), b).unwrap_or_else(|e| panic!("{e}"))).collect::<Vec<_>>()
        });
        match run {
            Err(why) => Outcome::Differs(why),
            Ok(got) => match difference(&got, &self.want, &self.errors, self.scale) {
                Some(why) => Outcome::Differs(why),
                None => Outcome::Same,
            },
        }
    }
}

pub fn check(text: &Text, seed: u64, target: &str) -> Outcome {
    let case = match Case::new(text, seed) {
        Ok(case) => case,
        Err(why) => return Outcome::Invalid(why),
    };
    match case.plan(target) {
        Ok((fused, planned)) => case.compare(&fused, &planned),
        Err(why) => Outcome::Refused(why),
    }
}

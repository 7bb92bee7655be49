//! Models with sizes known only at run time: after `simplify` every size is a number or a symbol, the text can be read
//! back, and the evaluator and one plan a target, run by the interpreter, give the results of the model at many sizes.
//!
//! The texts in `data/dynamic` are written by `export_dynamic.py`. `FORNAX_SHARED` names the directory that has
//! `conformance/cases.tar.xz`; with it the conformance suite's dynamic modules are checked too.

mod machine;

use std::path::{Path, PathBuf};
use std::process::Command;

use fornax_graph::{Dim, DimDef, ElementType, Graph, OpKind, Type, ValueId, print, same_graph};
use fornax_passes::simplify::{Options, simplify};
use fornax_passes::{Options as PlanOptions, Planned, fuse, plan};
use fornax_reference::{EvalError, Limits, Scalar, Tensor, evaluate};
use fornax_targets::Target;

const TARGETS: &[&str] = &["cpu:x86-64-v3", "cuda:sm_80", "cuda:sm_90a", "rocm:gfx942"];

const DYNAMIC: &[OpKind] = &[
    OpKind::DynamicBroadcastInDim,
    OpKind::DynamicReshape,
    OpKind::DynamicIota,
    OpKind::DynamicPad,
    OpKind::DynamicGather,
    OpKind::DynamicConv,
    OpKind::RealDynamicSlice,
    OpKind::SetDimensionSize,
    OpKind::ChloDynamicReshape,
];

/// Numbers for the symbols, which take them in turn.
const SIZES: &[[i64; 3]] =
    &[[1, 1, 1], [2, 3, 4], [3, 2, 5], [8, 5, 3], [6, 6, 6], [17, 4, 1], [2, 2, 12], [5, 3, 20], [4, 2, 24]];

fn import(text: &str) -> Result<Graph, String> {
    fornax_import::import_text(text, "model.mlir", &Default::default()).map_err(|errors| errors[0].to_string())
}

/// No unknown size and no dynamic op in `@main`, and text that reads back as the same graph.
fn check_resolved(graph: &Graph) -> Result<(), String> {
    let main = graph.function("main").ok_or("no main")?;
    let entry = graph.entry(main).ok_or("no body")?;
    let unknown = |v: &ValueId| matches!(graph.ty(*v), Type::Tensor(t) if t.shape.contains(&Dim::Symbolic(0)));
    let mut wrong = graph.block(entry).arguments.iter().any(unknown).then(|| "an argument".to_string());
    graph.walk(entry, &mut |id| {
        let op = graph.op(id);
        if DYNAMIC.contains(&op.kind) || op.results.iter().any(unknown) {
            wrong = Some(op.kind.name().to_string());
        }
    });
    if let Some(what) = wrong {
        return Err(format!("unresolved: {what}\n{}", print(graph)));
    }
    let text = print(graph);
    let again = import(&text).map_err(|e| format!("printed text: {e}\n{text}"))?;
    same_graph(graph, &again).map_err(|e| format!("{e}\n{text}\n{}", print(&again)))
}

/// A fused graph and its plan for each target.
struct Plans {
    fused: Graph,
    planned: Vec<Planned>,
}

/// `fuse` and the plans of some targets take the graph.
fn plans(graph: &Graph) -> Result<Plans, String> {
    let fused = fuse(graph).map_err(|e| format!("fuse: {e}\n{}", print(graph)))?;
    let mut planned = Vec::new();
    for target in TARGETS {
        let target = Target::from_spec(target).expect("a target");
        let plan = plan(&fused, &target, &PlanOptions::default());
        planned.push(plan.map_err(|e| format!("{}: {e}\n{}", target.name, print(&fused)))?);
    }
    Ok(Plans { fused, planned })
}

impl Plans {
    /// The results of every target's plan on inputs, against what they should be.
    fn check(&self, inputs: &[Tensor], number: &dyn Fn(u32) -> i64, wanted: &[Tensor]) -> Result<(), String> {
        let main = self.fused.function("main").and_then(|f| self.fused.entry(f)).expect("a main");
        let mut symbols = Vec::new();
        for &argument in &self.fused.block(main).arguments {
            for dim in &self.fused.ty(argument).as_tensor().expect("a tensor").shape {
                if let Dim::Symbolic(at) = dim
                    && !matches!(self.fused.dims[*at as usize].def, DimDef::Expr(_))
                    && !symbols.contains(at)
                {
                    symbols.push(*at);
                }
            }
        }
        let sizes: Vec<i64> = symbols.into_iter().map(number).collect();
        for (planned, target) in self.planned.iter().zip(TARGETS) {
            let given = machine::Given { inputs, parameters: &[], sizes: &sizes };
            let got = machine::run_sized(&self.fused, planned, None, "main", given);
            for (at, (bytes, want)) in got.into_iter().zip(wanted).enumerate() {
                let same = Tensor::new(want.ty.clone(), bytes).is_ok_and(|found| close(&found, want));
                if !same {
                    return Err(format!("{target}: result {at} differs"));
                }
            }
        }
        Ok(())
    }
}

fn simplified(text: &str) -> Result<(Graph, Graph), String> {
    let before = import(text)?;
    let mut after = before.clone();
    simplify(&mut after, &Options::default()).map_err(|e| e.to_string())?;
    check_resolved(&after)?;
    Ok((before, after))
}

/// Inputs for the sizes that a number a symbol gives; scalars that are read as sizes get the number themselves.
fn inputs(graph: &Graph, number: &dyn Fn(u32) -> i64, seed: u64) -> Option<Vec<Tensor>> {
    let mut state = seed;
    let mut next = move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as f64 / (1u64 << 31) as f64
    };
    let main = graph.entry(graph.function("main")?)?;
    let arguments = &graph.block(main).arguments;
    let mut tensors = Vec::new();
    for &argument in arguments {
        let ty = graph.ty(argument).as_tensor()?;
        let size = |&dim: &Dim| usize::try_from(graph.dim_value(dim, &|at| Some(number(at)))?).ok();
        let shape: Vec<usize> = ty.shape.iter().map(size).collect::<Option<_>>()?;
        let read = (0u32..).zip(graph.dims.iter()).find(|(_, d)| d.def == DimDef::Value { value: argument });
        let value = |u: f64| match &read {
            Some((at, _)) => Scalar::Int(number(*at).into()),
            None if ty.rank() == 0 && ty.element == ElementType::I64 => Scalar::Int(number(1).into()),
            None if ty.element.is_integer() => Scalar::Int((u * 3.0) as i128),
            None => Scalar::Float(u * 4.0 - 2.0),
        };
        let count: usize = shape.iter().product();
        let values: Vec<Scalar> = (0..count).map(|_| value(next()).convert(ty.element)).collect();
        tensors.push(Tensor::from_scalars(&shape, ty.element, values));
    }
    Some(tensors)
}

/// Both graphs on the same inputs at many sizes; how many sizes passed the checks.
fn compare(name: &str, (before, after): (Graph, Graph)) -> Result<usize, String> {
    let (before, after) = (&before, &after);
    let plans = plans(after)?;
    let mut ran = 0;
    for (round, sizes) in SIZES.iter().enumerate() {
        let number = |at: u32| sizes[at as usize % 3];
        // Scalars that the function takes as sizes are those of the arguments: the first symbol's number.
        let scalar = |at: u32| match after.dims[at as usize].def {
            DimDef::Value { .. } => sizes[1],
            _ => number(at),
        };
        let Some(inputs) = inputs(after, &scalar, 11 + round as u64) else { continue };
        let wanted = match evaluate(before, "main", &declared(before, &inputs), &Limits::default()) {
            // What the checks of the model let through but the model does not define, or the evaluator does not know.
            Err(EvalError::Malformed { .. }) => continue,
            Err(EvalError::Unsupported { .. }) => return Ok(1),
            other => other.map_err(|e| format!("{name} before, {sizes:?}: {e}"))?,
        };
        let found = match evaluate(after, "main", &inputs, &Limits::default()) {
            Err(EvalError::Sizes { .. } | EvalError::Input { .. }) => continue,
            other => other.map_err(|e| format!("{name} after, {sizes:?}: {e}\n{}", print(after)))?,
        };
        for (at, (f, w)) in found.iter().zip(&wanted).enumerate() {
            let w = &in_parts(w);
            if f.shape() != w.shape() || !close(f, w) {
                return Err(format!(
                    "{name}: result {at} differs at {sizes:?}: {:?} {:?}\n{}",
                    f.shape(),
                    w.shape(),
                    print(after)
                ));
            }
        }
        let parts: Vec<Tensor> = wanted.iter().map(in_parts).collect();
        plans
            .check(&inputs, &scalar, &parts)
            .map_err(|e| format!("{name} at {sizes:?}: {e}\n{}", print(&plans.fused)))?;
        ran += 1;
    }
    Ok(ran)
}

/// Inputs of a simplified graph as those of the graph before: complex numbers are pairs after.
fn declared(before: &Graph, inputs: &[Tensor]) -> Vec<Tensor> {
    let main = before.function("main").and_then(|f| before.entry(f)).expect("a main");
    let arguments = &before.block(main).arguments;
    let whole = |(&argument, input): (&ValueId, &Tensor)| {
        let element = before.ty(argument).as_tensor().expect("a tensor").element;
        if !element.is_complex() {
            return input.clone();
        }
        let mut ty = input.ty.with_element(element);
        ty.shape.pop();
        Tensor::new(ty, input.bytes.clone()).expect("as many bytes")
    };
    arguments.iter().zip(inputs).map(whole).collect()
}

/// Complex numbers as pairs.
fn in_parts(tensor: &Tensor) -> Tensor {
    if !tensor.element().is_complex() {
        return tensor.clone();
    }
    let mut ty = tensor.ty.with_element(tensor.element().complex_part());
    ty.shape.push(Dim::Static(2));
    Tensor::new(ty, tensor.bytes.clone()).expect("as many bytes")
}

fn close(a: &Tensor, b: &Tensor) -> bool {
    (0..a.len()).all(|at| {
        let (x, y) = (a.get(at), b.get(at));
        let (p, q) = (x.as_f64(), y.as_f64());
        x == y || p.is_nan() && q.is_nan() || (p - q).abs() <= 1e-5 * p.abs().max(q.abs()).max(8.0)
    })
}

fn texts(directory: &Path, prefix: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = entries.map(|e| e.path()).collect();
    found.retain(|p| p.file_name().is_some_and(|n| n.to_string_lossy().starts_with(prefix)));
    found.sort();
    found
}

#[test]
fn exported_models_keep_their_results_at_every_size() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/dynamic");
    let paths = texts(&directory, "");
    assert!(paths.len() >= 8, "{} models", paths.len());
    let mut failures = Vec::new();
    for path in &paths {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(path).expect("a model");
        println!("{name}");
        match simplified(&text).and_then(|graphs| compare(&name, graphs)) {
            Ok(0) => failures.push(format!("{name}: no sizes passed the checks")),
            Ok(_) => {}
            Err(error) => failures.push(format!("{name}: {error}")),
        }
    }
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n\n"));
}

#[test]
fn conformance_modules_resolve() {
    let Some(shared) = std::env::var_os("FORNAX_SHARED") else {
        eprintln!("skipped: FORNAX_SHARED is not set");
        return;
    };
    let archive = Path::new(&shared).join("conformance/cases.tar.xz");
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let status = Command::new("tar").arg("-xJf").arg(&archive).arg("-C").arg(scratch.path()).status();
    assert!(status.is_ok_and(|s| s.success()), "cannot unpack {}", archive.display());
    let mut root = scratch.path().to_path_buf();
    while let [only] = &texts(&root, "")[..] {
        root = only.clone();
    }
    let paths = texts(&root, "dynamic.");
    let (mut failures, mut ran) = (Vec::new(), 0);
    for path in &paths {
        let text = std::fs::read_to_string(path.join("module.mlir")).expect("a module");
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        println!("{name}");
        match simplified(&text).and_then(|graphs| compare(&name, graphs)) {
            Ok(n) => ran += usize::from(n > 0),
            Err(error) => failures.push(format!("{name}: {error}")),
        }
    }
    println!("{} of {} dynamic modules resolve, {ran} evaluated", paths.len() - failures.len(), paths.len());
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n\n"));
    assert_eq!(paths.len(), 195);
}

/// The values that the host reads sizes from.
fn read_sizes(graph: &Graph) -> Vec<ValueId> {
    let used = graph.dims.iter().zip(graph.used_dims());
    let read = used.filter_map(|(dim, used)| match dim.def {
        DimDef::Value { value } if used => Some(value),
        _ => None,
    });
    read.collect()
}

/// A size that turns out to be a constant only when all else is simplified is read from that constant, whichever others
/// there are.
#[test]
fn a_computed_size_is_read_from_its_own_constant() {
    let text = "func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %parts = stablehlo.constant dense<[3.0, 5.0]> : tensor<2xf32>
      %table = stablehlo.constant dense<[1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0]> : tensor<8xf32>
      %other = stablehlo.constant dense<[3.0, 5.0, 7.0, 9.0, 11.0, 13.0, 15.0, 17.0]> : tensor<8xf32>
      %0 = stablehlo.reduce(%parts init: %zero) applies stablehlo.add across dimensions = [0] \
          : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
      %3 = stablehlo.convert %0 : (tensor<f32>) -> tensor<i64>
      %4 = stablehlo.reshape %3 : (tensor<i64>) -> tensor<1xi64>
      %5 = stablehlo.dynamic_iota %4, dim = 0 : (tensor<1xi64>) -> tensor<8xf32>
      %6 = stablehlo.multiply %5, %table : tensor<8xf32>
      %7 = stablehlo.add %6, %other : tensor<8xf32>
      %8 = stablehlo.add %7, %arg0 : tensor<8xf32>
      return %8 : tensor<8xf32>
    }";
    let (_, after) = simplified(text).unwrap_or_else(|error| panic!("{error}"));
    let fused = plans(&after).unwrap_or_else(|error| panic!("{error}")).fused;
    let read = read_sizes(&fused);
    assert_eq!(read.len(), 1, "{}", print(&fused));
    for value in read {
        let producer = fused.producer(value).expect("it is made by an op");
        assert_eq!(fused.op(producer).kind, OpKind::Constant, "{}", print(&fused));
        assert!(matches!(fused.ty(value), Type::Tensor(t) if t.shape.is_empty() && t.element == ElementType::I64));
    }
}

/// Two ops that each give a size become one: both sizes are read there.
#[test]
fn sizes_of_one_value_are_read_once() {
    let text = "module attributes {fornax.dims = [\"n: value, 0..\", \"m: value, 0..\"]} {
      func.func @main(%x: tensor<i64>, %y: tensor<i64>) \
          -> (tensor<?xf32, #fornax.dims<n>>, tensor<?xf32, #fornax.dims<2*m>>) {
        %a = stablehlo.add %x, %y {fornax.dim = \"n\"} : tensor<i64>
        %b = stablehlo.add %x, %y {fornax.dim = \"m\"} : tensor<i64>
        %0 = stablehlo.iota dim = 0 : tensor<?xf32, #fornax.dims<n>>
        %1 = stablehlo.iota dim = 0 : tensor<?xf32, #fornax.dims<2*m>>
        return %0, %1 : tensor<?xf32, #fornax.dims<n>>, tensor<?xf32, #fornax.dims<2*m>>
      }
    }";
    let mut graph = import(text).unwrap_or_else(|error| panic!("{error}"));
    simplify(&mut graph, &Options::default()).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(graph.dims.iter().filter(|dim| matches!(dim.def, DimDef::Value { .. })).count(), 2);
    let whole = |number: i64| Tensor::from_scalars(&[], ElementType::I64, [Scalar::Int(number.into())]);
    let steps =
        |count: usize| Tensor::from_scalars(&[count], ElementType::F32, (0..count).map(|at| Scalar::Float(at as f64)));
    let (inputs, wanted) = ([whole(2), whole(3)], [steps(5), steps(10)]);
    for graph in [reread(&graph), graph] {
        let evaluated = evaluate(&graph, "main", &inputs, &Limits::default()).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(evaluated, wanted);
        let plans = plans(&graph).unwrap_or_else(|error| panic!("{error}"));
        plans.check(&inputs, &|_| 0, &wanted).unwrap_or_else(|error| panic!("{error}"));
    }
}

/// The graph that the text of a graph is; both print the same.
fn reread(graph: &Graph) -> Graph {
    let text = print(graph);
    let again = import(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(print(&again), text);
    again
}

/// Sizes that are results of an op with several, among them two from one.
#[test]
fn sizes_from_several_results_are_read_back() {
    let text = "module attributes {fornax.dims = [\"n: value, 0..\", \"m: value, 0..\", \"k: value, 0..\"]} {
      func.func @main(%p: tensor<i1>, %x: tensor<i64>, %y: tensor<i64>) -> (tensor<?xf32, #fornax.dims<n>>, \
          tensor<?xf32, #fornax.dims<2*m>>, tensor<?xf32, #fornax.dims<k+1>>) {
        %a:2 = \"stablehlo.if\"(%p) ({
          stablehlo.return %x, %y : tensor<i64>, tensor<i64>
        }, {
          %s = stablehlo.add %x, %y : tensor<i64>
          stablehlo.return %y, %s : tensor<i64>, tensor<i64>
        }) {fornax.sizes = [\"result 0: n\", \"result 1: m\", \"result 1: k\"]} \
            : (tensor<i1>) -> (tensor<i64>, tensor<i64>)
        %0 = stablehlo.iota dim = 0 : tensor<?xf32, #fornax.dims<n>>
        %1 = stablehlo.iota dim = 0 : tensor<?xf32, #fornax.dims<2*m>>
        %2 = stablehlo.iota dim = 0 : tensor<?xf32, #fornax.dims<k+1>>
        return %0, %1, %2 : tensor<?xf32, #fornax.dims<n>>, tensor<?xf32, #fornax.dims<2*m>>, \
            tensor<?xf32, #fornax.dims<k+1>>
      }
    }";
    let graph = reread(&import(text).unwrap_or_else(|error| panic!("{error}")));
    assert_eq!(read_sizes(&graph).len(), 3);
    let whole = |number: i64| Tensor::from_scalars(&[], ElementType::I64, [Scalar::Int(number.into())]);
    let flag = Tensor::from_scalars(&[], ElementType::I1, [Scalar::Int(0)]);
    let found = evaluate(&graph, "main", &[flag, whole(2), whole(3)], &Limits::default());
    let found = found.unwrap_or_else(|error| panic!("{error}"));
    let sizes: Vec<Vec<i64>> = found.iter().map(|tensor| tensor.ty.static_shape().unwrap_or_default()).collect();
    assert_eq!(sizes, [[3], [10], [6]]);
}

/// As torch-mlir writes them: sizes from constants, and halves of sizes, by way of f64.
#[test]
fn sizes_by_way_of_floats_are_not_read() {
    let text = "func.func @main(%arg0: tensor<?x8xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
      %one = stablehlo.constant dense<1> : tensor<i64>
      %eight = stablehlo.constant dense<8> : tensor<i64>
      %half = stablehlo.constant dense<5.000000e-01> : tensor<f64>
      %0 = stablehlo.convert %one : (tensor<i64>) -> tensor<f64>
      %1 = stablehlo.convert %eight : (tensor<i64>) -> tensor<f64>
      %2 = stablehlo.divide %1, %0 : tensor<f64>
      %3 = stablehlo.sqrt %2 : tensor<f64>
      %4 = stablehlo.ceil %3 : tensor<f64>
      %5 = stablehlo.convert %4 : (tensor<f64>) -> tensor<i64>
      %6 = stablehlo.reshape %5 : (tensor<i64>) -> tensor<1xi64>
      %7 = stablehlo.dynamic_iota %6, dim = 0 : (tensor<1xi64>) -> tensor<?xf32>
      %8 = stablehlo.get_dimension_size %arg0, dim = 0 : (tensor<?x8xf32>) -> tensor<i32>
      %9 = stablehlo.convert %8 : (tensor<i32>) -> tensor<f64>
      %10 = stablehlo.multiply %9, %half : tensor<f64>
      %11 = stablehlo.floor %10 : tensor<f64>
      %12 = stablehlo.convert %11 : (tensor<f64>) -> tensor<i64>
      %13 = stablehlo.reshape %12 : (tensor<i64>) -> tensor<1xi64>
      %14 = stablehlo.dynamic_iota %13, dim = 0 : (tensor<1xi64>) -> tensor<?xf32>
      return %7, %14 : tensor<?xf32>, tensor<?xf32>
    }";
    let (_, after) = simplified(text).unwrap_or_else(|error| panic!("{error}"));
    assert!(read_sizes(&after).is_empty(), "{}", print(&after));
    let results = &after.function("main").expect("it is there").result_types;
    assert_eq!(results[0], Type::tensor(&[3], ElementType::F32));
    let rows = |n: usize| Tensor::from_scalars(&[n, 8], ElementType::F32, (0..8 * n).map(|_| Scalar::Float(0.0)));
    for n in [0, 1, 7, 10] {
        let found = evaluate(&after, "main", &[rows(n)], &Limits::default()).unwrap_or_else(|e| panic!("{n}: {e}"));
        assert_eq!((found[0].len(), found[1].len()), (3, n / 2));
    }
}

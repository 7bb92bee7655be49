//! `compile --weights`: arguments that are prepared once, at load, and given among the inputs as the model has them.

use std::path::Path;

use fornax_tests::fornax;

/// A convolution with batch norm. On processors its kernel is packed, on all devices the root of the variance is taken.
const MODEL: &str = r#"
func.func public @predict(%x: tensor<2x16x16x64xf32>,
    %kernel: tensor<3x3x64x128xf32> {jax.arg_info = "params['kernel']"},
    %scale: tensor<128xf32> {jax.arg_info = "params['scale']"}, %shift: tensor<128xf32>, %mean: tensor<128xf32>,
    %variance: tensor<128xf32>) -> tensor<2x16x16x128xf32> {
  %0 = stablehlo.convolution(%x, %kernel) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} :
    (tensor<2x16x16x64xf32>, tensor<3x3x64x128xf32>) -> tensor<2x16x16x128xf32>
  %1 = "stablehlo.batch_norm_inference"(%0, %scale, %shift, %mean, %variance) {epsilon = 1.0e-3 : f32,
    feature_index = 3 : i64} : (tensor<2x16x16x128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>,
    tensor<128xf32>) -> tensor<2x16x16x128xf32>
  return %1 : tensor<2x16x16x128xf32>
}"#;

const INPUTS: [&str; 6] = [
    "--input=2x16x16x64xf32=random:1:-1:1",
    "--input=3x3x64x128xf32=random:2:-1:1",
    "--input=128xf32=random:3",
    "--input=128xf32=random:4",
    "--input=128xf32=random:5",
    "--input=128xf32=random:6",
];

fn compile(folder: &Path, flags: &[&str], output: &str) {
    std::fs::write(folder.join("m.mlir"), MODEL).unwrap();
    fornax(folder, &[&["compile", "-q", "--target=cpu:x86-64-v3", "m.mlir", "-o", output], flags].concat()).ok();
}

fn run(folder: &Path, module: &str, flags: &[&str]) -> fornax_tests::Run {
    fornax(folder, &[&["run-module", &format!("--module={module}"), "--output-max-element-count=8"], flags].concat())
}

/// Dispatches of a call, and of loading.
fn dispatches(folder: &Path, flags: &[&str]) -> (usize, usize) {
    let all = [&["compile", "-q", "--target=cpu:x86-64-v3", "m.mlir", "--compile-to=schedule"], flags].concat();
    let text = fornax(folder, &all).ok().stdout;
    let program = text.split_once("\n@predict").unwrap().1;
    let (call, load) = program.split_once("\nload:").unwrap_or((program, ""));
    let count = |text: &str| text.lines().filter(|line| line.trim_start().starts_with("dispatch")).count();
    (count(call), count(load))
}

#[test]
fn weights_are_prepared_once_and_given_among_the_inputs() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path();
    compile(folder, &[], "plain.fnx");
    compile(folder, &["--weights=1.."], "weights.fnx");
    let (plain, weights) = (dispatches(folder, &[]), dispatches(folder, &["--weights=1.."]));
    assert_eq!((plain.0, plain.1), (weights.0 + weights.1, 0));
    assert!(weights.1 >= 2, "the packed kernel and the root: {weights:?}");
    let results = run(folder, "plain.fnx", &[&INPUTS[..], &["--output=@y.npy"]].concat());
    results.ok();
    run(folder, "weights.fnx", &[&INPUTS[..], &["--expected-output=@y.npy"]].concat()).ok();
    let inspected = fornax(folder, &["inspect", "weights.fnx"]).ok().stdout;
    assert!(inspected.contains("arguments of the model: 2x16x16x64xf32, "), "{inspected}");
    // The same by names, and for some of them.
    for list in ["params,3..", "5,params.kernel", "auto"] {
        compile(folder, &[&format!("--weights={list}")], "some.fnx");
        run(folder, "some.fnx", &[&INPUTS[..], &["--expected-output=@y.npy"]].concat()).ok();
    }
    // A manifest's names stay; both choose arguments.
    let args = r#"{"args": [{"name": "x"}, {"name": "k", "kind": "weight"}, {"name": "s"}, {"name": "b"}, {"name": "m"},
        {"name": "v"}]}"#;
    std::fs::write(folder.join("args.json"), args).unwrap();
    compile(folder, &["--parameters-from=args.json", "--weights=1,5"], "both.fnx");
    run(folder, "both.fnx", &[&INPUTS[..], &["--expected-output=@y.npy"]].concat()).ok();
    let missing = run(folder, "both.fnx", &INPUTS[..4]);
    missing.fails(1, "2 missing: k (3x3x64x128xf32), arg5 (128xf32)");
    // Nobody gives anything.
    let bench =
        fornax(folder, &["bench", "--module=weights.fnx", "--seconds=0", "--min-calls=1", "--format=json"]).ok();
    assert!(bench.stderr.contains("--input=128xf32=random:5"), "{}", bench.stderr);
    assert!(bench.stdout.contains("\"made_inputs\":[\"2x16x16x64xf32=random:0\",\"3x3x64x128xf32=random:1\""));
    let report = ["inspect", "weights.fnx", "--report=r.html", "--measure"];
    fornax(folder, &report).ok();
}

#[test]
fn errors_have_the_numbers_of_the_model() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path();
    compile(folder, &["--weights=0,2.."], "m.fnx");
    let with = |at: usize, text: &'static str| {
        let mut inputs = INPUTS;
        inputs[at] = text;
        run(folder, "m.fnx", &inputs)
    };
    with(4, "--input=127xf32=1").fails(1, "input 4 of @predict is 128xf32, given was 127xf32");
    with(1, "--input=3x3x64x128xf16=1").fails(1, "input 1 of @predict is 3x3x64x128xf32, given was 3x3x64x128xf16");
    run(folder, "m.fnx", &INPUTS[..5]).fails(1, "@predict takes 6 inputs, 5 were given");
    run(folder, "m.fnx", &INPUTS[..1]).fails(1, "5 missing: arg0 (2x16x16x64xf32)");
}

#[test]
fn lists_that_cannot_be_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("m.mlir"), MODEL).unwrap();
    for (flags, why) in [
        (&["--weights=7"][..], "--weights names 7..8, @predict has 6 arguments"),
        (&["--weights=1..9"], "--weights names 1..9, @predict has 6 arguments"),
        (&["--weights=1..x"], "is no argument number"),
        (&["--weights="], "names no argument"),
        (&["--weights=state"], "no argument is called `state`; their names: params.kernel, params.scale"),
        (&["--weights=1..", "--donate=3"], "argument 3 of @predict cannot be a weight: its buffer is given away"),
    ] {
        let all = [&["compile", "--target=cpu", "m.mlir", "-o", "x.fnx"], flags].concat();
        let refused = fornax(dir.path(), &all);
        assert!(refused.stderr.contains("error[FX0905]"), "{flags:?}: {}", refused.stderr);
        refused.fails(1, why);
    }
}

/// Functions with weights of their own: what is not called may be missing.
#[test]
fn one_function_of_several_is_called() {
    let dir = tempfile::tempdir().unwrap();
    let function = |name: &str, n: usize| {
        format!(
            "func.func public @{name}(%x: tensor<{n}xf32>, %w: tensor<{n}xf32>) -> tensor<{n}xf32> {{
               %0 = stablehlo.exponential %w : tensor<{n}xf32>
               %1 = stablehlo.multiply %x, %0 : tensor<{n}xf32>
               return %1 : tensor<{n}xf32>
             }}\n"
        )
    };
    std::fs::write(dir.path().join("m.mlir"), function("f", 2) + &function("g", 3)).unwrap();
    fornax(dir.path(), &["compile", "-q", "--target=cpu", "--weights=1", "m.mlir", "-o", "m.fnx"]).ok();
    let inputs = ["--function=g", "--input=3xf32=1 2 3", "--input=3xf32=0"];
    let called = run(dir.path(), "m.fnx", &inputs).ok();
    assert!(called.stdout.contains("3xf32=1 2 3"), "{}", called.stdout);
    run(dir.path(), "m.fnx", &inputs[..2]).fails(1, "f.arg1 (2xf32), g.arg1 (3xf32)");
}

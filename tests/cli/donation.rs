//! Inputs that a caller gives away: results that are computed in their buffers are those that are computed in buffers
//! of their own.

use std::path::Path;

use fornax_tests::fornax;

/// A step like Adam's: three results of four operands, element by element; the gradient is read transposed if it is
/// `transposed`.
fn model(ty: &str, transposed: Option<&str>, mark: &str) -> String {
    let (gradient, turn) = match transposed {
        Some(other) => (other, format!("%g = stablehlo.transpose %g0, dims = [1, 0] : ({other}) -> {ty}")),
        None => (ty, format!("%g = stablehlo.negate %g0 : {ty}")),
    };
    format!(
        "func.func @main(%p: {ty}{mark}, %m: {ty}{mark}, %v: {ty}{mark}, %g0: {gradient}) -> ({ty}, {ty}, {ty}) {{
           {turn}
           %m1 = stablehlo.add %m, %g : {ty}
           %g2 = stablehlo.multiply %g, %g : {ty}
           %v1 = stablehlo.add %v, %g2 : {ty}
           %r = stablehlo.rsqrt %v1 : {ty}
           %u = stablehlo.multiply %m1, %r : {ty}
           %p1 = stablehlo.subtract %p, %u : {ty}
           return %p1, %m1, %v1 : {ty}, {ty}, {ty}
         }}"
    )
}

/// Compiles, runs and gives the printed results and what `inspect` says.
fn results(dir: &Path, text: &str, flags: &[&str], shapes: [&str; 2]) -> (String, String) {
    std::fs::write(dir.join("m.mlir"), text).unwrap();
    let compile = ["compile", "--quiet", "--jobs=1", "--target=cpu", "m.mlir", "-o", "m.fnx"];
    fornax(dir, &[&compile, flags].concat()).ok();
    let [own, gradient] = shapes;
    let inputs: Vec<String> = [own, own, own, gradient]
        .iter()
        .enumerate()
        .map(|(at, shape)| format!("--input={shape}xf32=random:{at}:0.5:2"))
        .collect();
    let mut arguments = vec!["run-module", "--module=m.fnx", "--output-max-element-count=10000"];
    arguments.extend(inputs.iter().map(String::as_str));
    let run = fornax(dir, &arguments).ok();
    (run.stdout, fornax(dir, &["inspect", "m.fnx"]).ok().stdout)
}

#[test]
fn results_in_place_are_the_results() {
    let dir = tempfile::tempdir().unwrap();
    let cases = [
        ("tensor<70xf32>", None, ["70", "70"]),
        ("tensor<5xf32>", None, ["5", "5"]),
        ("tensor<7x13xf32>", None, ["7x13", "7x13"]),
        ("tensor<45x37xf32>", Some("tensor<37x45xf32>"), ["45x37", "37x45"]),
        ("tensor<?x3xf32>", None, ["33x3", "33x3"]),
    ];
    for (ty, transposed, shapes) in cases {
        let separate = results(dir.path(), &model(ty, transposed, ""), &[], shapes);
        let within = results(dir.path(), &model(ty, transposed, " {jax.buffer_donor = true}"), &[], shapes);
        let flagged = results(dir.path(), &model(ty, transposed, ""), &["--donate=0..2,2"], shapes);
        assert_eq!(within, flagged, "{ty}");
        assert_eq!(separate.0, within.0, "{ty}");
        let shared = "output 0 lies in input 0, output 1 lies in input 1, output 2 lies in input 2";
        assert!(within.1.contains(shared) && !separate.1.contains("lies in"), "{ty}: {}", within.1);
    }
}

/// A cache that is not marked: with `--donate` its buffer is the result's, and numbers that are not there are refused.
#[test]
fn a_cache_is_given_away_by_a_flag() {
    let dir = tempfile::tempdir().unwrap();
    let text = "func.func @main(%c: tensor<512x8xf32>, %r: tensor<1x8xf32>, %p: tensor<i32>) -> tensor<512x8xf32> {
        %z = stablehlo.constant dense<0> : tensor<i32>
        %0 = stablehlo.dynamic_update_slice %c, %r, %p, %z :
          (tensor<512x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<512x8xf32>
        return %0 : tensor<512x8xf32>
      }";
    std::fs::write(dir.path().join("m.mlir"), text).unwrap();
    let run = |flags: &[&str]| {
        fornax(dir.path(), &[&["compile", "-q", "--target=cpu", "m.mlir", "-o", "m.fnx"], flags].concat()).ok();
        let inputs = ["--input=512x8xf32=random:1", "--input=1x8xf32=random:2", "--input=i32=7"];
        let all = [&["run-module", "--module=m.fnx", "--output-max-element-count=5000"], &inputs[..]].concat();
        (fornax(dir.path(), &all).ok().stdout, fornax(dir.path(), &["inspect", "m.fnx"]).ok().stdout)
    };
    let (kept, given) = (run(&[]), run(&["--donate=0"]));
    assert_eq!(kept.0, given.0);
    assert!(given.1.contains("output 0 lies in input 0") && !kept.1.contains("lies in"), "{}", given.1);
    let refused = fornax(dir.path(), &["compile", "--target=cpu", "m.mlir", "-o", "x.fnx", "--donate=1..5"]);
    refused.fails(1, "FX0905");
}

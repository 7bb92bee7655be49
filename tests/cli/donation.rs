//! Inputs that a caller gives away: results that are computed in their buffers are those that are computed beside them.

use std::path::Path;

use fornax_tests::fornax;

/// A step like Adam's: three results of four operands, element by element; the gradient is read transposed if it is
/// `turned`.
fn model(ty: &str, turned: Option<&str>, mark: &str) -> String {
    let (gradient, turn) = match turned {
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
fn results(dir: &Path, text: &str, shapes: [&str; 2]) -> (String, String) {
    std::fs::write(dir.join("m.mlir"), text).unwrap();
    fornax(dir, &["compile", "--quiet", "--jobs=1", "--target=cpu", "m.mlir", "-o", "m.fnx"]).ok();
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
    for (ty, turned, shapes) in cases {
        let beside = results(dir.path(), &model(ty, turned, ""), shapes);
        let within = results(dir.path(), &model(ty, turned, " {jax.buffer_donor = true}"), shapes);
        assert_eq!(beside.0, within.0, "{ty}");
        let shared = "output 0 lies in input 0, output 1 lies in input 1, output 2 lies in input 2";
        assert!(within.1.contains(shared) && !beside.1.contains("lies in"), "{ty}: {}", within.1);
    }
}

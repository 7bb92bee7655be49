//! One module, many sizes: models that JAX exported with symbolic shapes, compiled once and run at every size of
//! tests/sizes; sizes of 0, sizes that do not fit, and memory that is not there.

use std::path::{Path, PathBuf};

use fornax_tests::{ONE_CPU, fornax, root};

fn sorted(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut folders: Vec<PathBuf> = entries.map(|e| e.unwrap().path()).filter(|p| p.is_dir()).collect();
    folders.sort();
    folders
}

#[test]
fn one_module_for_all_sizes() {
    let models: Vec<PathBuf> = sorted(&root().join("tests/sizes"));
    assert!(models.len() >= 5, "found only {} models", models.len());
    let mut failed = Vec::new();
    for model in models {
        let folder = tempfile::tempdir().unwrap();
        let text = model.join("model.mlir").display().to_string();
        let compiled = fornax(folder.path(), &["compile", "--quiet", "--jobs=1", ONE_CPU, &text, "-o", "m.fnx"]);
        if compiled.code != 0 {
            failed.push(format!("{}: {}", model.display(), compiled.stderr));
            continue;
        }
        for case in sorted(&model) {
            let files = |stem: &str| {
                let numbered = (0..).map(|n| case.join(format!("{stem}_{n}.npy")));
                numbered.take_while(|p| p.exists()).map(|p| p.display().to_string()).collect::<Vec<_>>()
            };
            let mut arguments = vec!["run-module".to_string(), "--module=m.fnx".into()];
            arguments.extend(files("in").iter().map(|p| format!("--input=@{p}")));
            arguments.extend(files("out").iter().map(|p| format!("--expected-output=@{p}")));
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            let run = fornax(folder.path(), &arguments);
            if run.code != 0 {
                failed.push(format!("{}: {}{}", case.display(), run.stdout, run.stderr));
            }
        }
    }
    assert!(failed.is_empty(), "{} failed\n{}", failed.len(), failed.join("\n"));
}

const PRODUCT: &str = "func.func @main(%x: tensor<?x4xf32>, %w: tensor<4x3xf32>, %y: tensor<?x3xf32>) \
                           -> tensor<?x3xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] \
      : (tensor<?x4xf32>, tensor<4x3xf32>) -> tensor<?x3xf32>
  %1 = stablehlo.add %0, %y : tensor<?x3xf32>
  return %1 : tensor<?x3xf32>
}
";

#[test]
fn sizes_are_checked_and_memory_is_limited() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("m.mlir"), PRODUCT).unwrap();
    let compiled = fornax(folder.path(), &["compile", "--quiet", "--target=cpu", "m.mlir", "-o", "m.fnx"]);
    assert_eq!(compiled.code, 0, "{}", compiled.stderr);
    let run = |rows: [u64; 2], more: &[&str]| {
        let value = |rows: u64, text: &str| if rows == 0 { String::new() } else { format!("={text}") };
        let inputs = [
            format!("--input={}x4xf32{}", rows[0], value(rows[0], "1")),
            format!("--input={}x3xf32{}", rows[1], value(rows[1], "10")),
        ];
        let mut arguments = vec!["run-module", "--module=m.fnx", &inputs[0], "--input=4x3xf32=2", &inputs[1]];
        arguments.extend(more);
        fornax(folder.path(), &arguments)
    };
    let two = run([2, 2], &["--expected-output=2x3xf32=18"]);
    assert_eq!(two.code, 0, "{}{}", two.stdout, two.stderr);
    let none = run([0, 0], &[]);
    assert_eq!(none.code, 0, "{}", none.stderr);
    assert!(none.stdout.contains("0x3xf32"), "{}", none.stdout);
    let uneven = run([2, 3], &[]);
    assert_ne!(uneven.code, 0);
    assert!(uneven.stderr.contains("FX071"), "{}", uneven.stderr);
    let large = run([1000, 1000], &["--max-memory=20000"]);
    assert_eq!(large.code, 4, "{}", large.stderr);
    for part in ["FX0706", "40048 bytes", "limit is 20000", "outputs 12000"] {
        assert!(large.stderr.contains(part), "{part} not in {}", large.stderr);
    }
    let inspected = fornax(folder.path(), &["inspect", "m.fnx"]);
    assert!(inspected.stdout.contains("arena"), "{}", inspected.stdout);
}

/// numpy has no bf16: a file holds its bits as ui16, which the argument's type makes bf16 whatever its sizes.
#[test]
fn bits_of_an_argument_with_open_sizes() {
    let folder = tempfile::tempdir().unwrap();
    let model = "func.func @main(%x: tensor<?xbf16>) -> tensor<?xbf16> {\n  \
                 %0 = stablehlo.add %x, %x : tensor<?xbf16>\n  \
                 return %0 : tensor<?xbf16>\n\
                 }\n";
    std::fs::write(folder.path().join("m.mlir"), model).unwrap();
    fornax(folder.path(), &["compile", "--quiet", "m.mlir", "-o", "m.fnx"]).ok();
    let run = ["run-module", "--module=m.fnx"];
    fornax(folder.path(), &[&run[..], &["--input=3xbf16=1 -2.5 4", "--output=@x.npy"]].concat()).ok();
    fornax(folder.path(), &[&run[..], &["--input=@x.npy", "--expected-output=3xbf16=4 -10 16"]].concat()).ok();
}

/// The element before which others stand is reached by a division whose range nobody knows: two open sizes.
#[test]
fn an_index_of_two_open_sizes_is_divided() {
    let folder = tempfile::tempdir().unwrap();
    let model = r#"module attributes {fornax.dims = ["a: argument 0 axis 0, 0..", "b: argument 0 axis 1, 0.."]} {
  func.func public @main(%x: tensor<?x?xf32, #fornax.dims<a, b>>) -> tensor<?xf32, #fornax.dims<2*a*b>> {
    %0 = stablehlo.reshape %x : (tensor<?x?xf32, #fornax.dims<a, b>>) -> tensor<?xf32, #fornax.dims<a*b>>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0]
        : (tensor<?xf32, #fornax.dims<a*b>>) -> tensor<?x2xf32, #fornax.dims<a*b>>
    %2 = stablehlo.reshape %1 : (tensor<?x2xf32, #fornax.dims<a*b>>) -> tensor<?xf32, #fornax.dims<2*a*b>>
    %3 = stablehlo.reverse %2, dims = [0] : tensor<?xf32, #fornax.dims<2*a*b>>
    %4 = stablehlo.add %3, %3 : tensor<?xf32, #fornax.dims<2*a*b>>
    return %4 : tensor<?xf32, #fornax.dims<2*a*b>>
  }
}"#;
    std::fs::write(folder.path().join("m.mlir"), model).unwrap();
    fornax(folder.path(), &["compile", "--quiet", "--target=cpu", "m.mlir", "-o", "m.fnx"]).ok();
    let expected = "--expected-output=12xf32=12 12 10 10 8 8 6 6 4 4 2 2";
    fornax(folder.path(), &["run-module", "--module=m.fnx", "--input=2x3xf32=1 2 3 4 5 6", expected]).ok();
}

/// Filters as PyTorch and ONNX keep them, [C, 1, H, W], are copied so that the channels are lanes, though nobody knows
/// how large the images are.
#[test]
fn a_depthwise_convolution_of_open_images_has_lanes() {
    let folder = tempfile::tempdir().unwrap();
    let filters: Vec<String> = (0..16).map(|c| format!("[[[{c}.0, -1.0], [0.5, {}.25]]]", 16 - c)).collect();
    let image = "tensor<?x?x?x16xf32, #fornax.dims<n, h, w>>";
    let model = format!(
        r#"module attributes {{fornax.dims = ["n: argument 0 axis 0, 0..", "h: argument 0 axis 1, 0..",
    "w: argument 0 axis 2, 0.."]}} {{
  func.func public @main(%x: {image}) -> {image} {{
    %k = stablehlo.constant dense<[{}]> : tensor<16x1x2x2xf32>
    %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[o, i, 0, 1]->[b, 0, 1, f],
        window = {{pad = [[1, 0], [0, 1]]}} {{feature_group_count = 16 : i64, batch_group_count = 1 : i64}}
        : ({image}, tensor<16x1x2x2xf32>) -> {image}
    return %0 : {image}
  }}
}}"#,
        filters.join(", ")
    );
    std::fs::write(folder.path().join("m.mlir"), model).unwrap();
    let plan = fornax(folder.path(), &["compile", "--target=cpu:x86-64-v3", "--compile-to=schedule", "m.mlir"]).ok();
    assert!(plan.stdout.contains("schedule tile vector i3 x 8"), "{}", plan.stdout);
    for size in ["1x1x1", "2x3x5", "1x8x29"] {
        fornax(folder.path(), &["verify", "m.mlir", &format!("--input={size}x16xf32=random:1")]).ok();
    }
}

/// Padded windows over images of every width: full tiles, what is left behind them, and images narrower than either.
#[test]
fn convolutions_of_open_images_end_anywhere() {
    let folder = tempfile::tempdir().unwrap();
    let image = |channels: u32| format!("tensor<?x?x?x{channels}xf32, #fornax.dims<n, h, w>>");
    let (few, many) = (image(20), image(200));
    let window = "dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]}";
    let model = format!(
        r#"module attributes {{fornax.dims = ["n: argument 0 axis 0, 0..", "h: argument 0 axis 1, 0..",
    "w: argument 0 axis 2, 0.."]}} {{
  func.func public @main(%x: {few}, %k: tensor<3x3x20x200xf32>, %d: tensor<3x3x1x200xf32>) -> {many} {{
    %0 = stablehlo.convolution(%x, %k) {window} {{feature_group_count = 1 : i64, batch_group_count = 1 : i64}}
        : ({few}, tensor<3x3x20x200xf32>) -> {many}
    %1 = stablehlo.convolution(%0, %d) {window} {{feature_group_count = 200 : i64, batch_group_count = 1 : i64}}
        : ({many}, tensor<3x3x1x200xf32>) -> {many}
    %2 = stablehlo.add %0, %1 : {many}
    return %2 : {many}
  }}
}}"#
    );
    std::fs::write(folder.path().join("m.mlir"), model).unwrap();
    for [n, h, w] in [[1, 1, 1], [2, 2, 16], [1, 3, 31]] {
        let sizes = [format!("--size=n={n}"), format!("--size=h={h}"), format!("--size=w={w}")];
        fornax(folder.path(), &["verify", "m.mlir", &sizes[0], &sizes[1], &sizes[2]]).ok();
    }
}

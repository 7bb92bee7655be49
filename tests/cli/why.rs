//! `inspect --why`: why neighbouring ops are computed by one kernel or by two, from a model, a module, a dump and the
//! page.

use fornax_tests::{ONE_CPU, fornax};

/// A product whose operand is computed, and what follows from it.
const MODEL: &str = "func.func @main(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = stablehlo.exponential %x : tensor<64x64xf32>
  %1 = stablehlo.dot_general %0, %w, contracting_dims = [1] x [0] \
      : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = stablehlo.tanh %1 : tensor<64x64xf32>
  return %2 : tensor<64x64xf32>
}";

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("m.mlir"), MODEL).unwrap();
    folder
}

#[test]
fn a_model_says_why_its_ops_are_apart() {
    let folder = folder();
    let told = fornax(folder.path(), &["inspect", "m.mlir", "--why"]).ok().stdout;
    assert!(told.starts_with("why on cpu:"), "{told}");
    let lines: Vec<&str> = told.lines().collect();
    let product = lines.iter().position(|line| line.starts_with("  contraction_1_dot_general_tanh")).unwrap();
    let tried: Vec<&str> = lines[product + 1..].iter().take_while(|line| line.starts_with("    ")).copied().collect();
    assert!(tried.iter().any(|line| line.contains("chosen     panel")), "{tried:?}");
    assert!(tried.iter().any(|line| line.contains("refused    gemv: SCHED01: only GPUs")), "{tried:?}");
    let fused = lines.iter().position(|line| line.starts_with("fused: 1 of 2 pairs")).unwrap();
    assert!(lines[fused + 1].contains("dot_general") && lines[fused + 1].contains("-> stablehlo.tanh"), "{told}");
    let apart = lines.iter().position(|line| line.starts_with("not fused: 1 of 2 pairs")).unwrap();
    assert!(lines[apart + 1].contains("stablehlo.exponential tensor<64x64xf32> at m.mlir:2:"), "{told}");
    assert!(lines[apart + 2].trim().starts_with("FUSE09: a product reads") && told.contains("FUSE20: "), "{told}");
}

/// Halves of a product's result, exchanged, are its epilogue on a GPU: nothing is said to be apart.
#[test]
fn what_is_joined_is_fused() {
    let folder = tempfile::tempdir().unwrap();
    let model = "func.func @main(%x: tensor<1x256xf32>, %w: tensor<256x128xf32>) -> tensor<1x128xf32> {
      %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] \
          : (tensor<1x256xf32>, tensor<256x128xf32>) -> tensor<1x128xf32>
      %1 = stablehlo.slice %0 [0:1, 0:64] : (tensor<1x128xf32>) -> tensor<1x64xf32>
      %2 = stablehlo.slice %0 [0:1, 64:128] : (tensor<1x128xf32>) -> tensor<1x64xf32>
      %3 = stablehlo.negate %2 : tensor<1x64xf32>
      %4 = stablehlo.concatenate %3, %1, dim = 1 : (tensor<1x64xf32>, tensor<1x64xf32>) -> tensor<1x128xf32>
      return %4 : tensor<1x128xf32>
    }";
    std::fs::write(folder.path().join("m.mlir"), model).unwrap();
    let why = |target: &str| fornax(folder.path(), &["inspect", "m.mlir", "--why", target]).ok().stdout;
    let told = why("--target=cuda:sm_80");
    assert!(told.contains("kernels: 1") && told.contains("\nfused: 5 of 5 pairs"), "{told}");
    let told = why(ONE_CPU);
    assert!(told.contains("kernels: 2") && told.contains("\nfused: 3 of 5 pairs"), "{told}");
}

#[test]
fn one_kernel_is_asked_for_and_an_unknown_one_is_refused() {
    let folder = folder();
    let why = |kernel: &str| fornax(folder.path(), &["inspect", "m.mlir", &format!("--why={kernel}")]);
    let told = why("exponential").ok().stdout;
    assert!(told.contains("not fused: 1 of 1 pairs"), "{told}");
    why("no_such").fails(1, "no kernel has `no_such` in its name; the kernels: ");
}

/// Products are chosen for the accuracy that the compilation asks for.
#[test]
fn flags_of_the_compilation_count() {
    let folder = folder();
    let chosen = |flags: &[&str]| {
        let words = [&["inspect", "m.mlir", "--why=dot", "--target=cuda:sm_80"], flags].concat();
        let told = fornax(folder.path(), &words).ok().stdout;
        told.lines().find(|line| line.contains("could be   mma")).map(str::to_string).unwrap_or_default()
    };
    let (ieee, short) = (chosen(&[]), chosen(&["--", "--f32-matmul=tf32"]));
    assert!(ieee.contains("tf32 x3") && short.contains("tf32 ") && !short.contains(" x3"), "{ieee} {short}");
    let wrong = fornax(folder.path(), &["inspect", "m.mlir", "--why", "--", "--no-such"]);
    wrong.fails(1, "unexpected argument '--no-such' found");
}

#[test]
fn a_module_keeps_remarks_where_it_is_asked_to() {
    let folder = folder();
    let run = |words: &[&str]| fornax(folder.path(), words);
    run(&["compile", "m.mlir", "-o", "plain.fnx"]).ok();
    run(&["compile", "m.mlir", ONE_CPU, "-o", "m.fnx", "--remarks", "--dump-ir-to=dump"]).ok();
    run(&["inspect", "plain.fnx", "--why"]).fails(1, "compile it with --remarks");
    let of_module = run(&["inspect", "m.fnx", "--why"]).ok().stdout;
    assert_eq!(of_module, run(&["inspect", "m.mlir", "--why", ONE_CPU]).ok().stdout);
    run(&["inspect", "m.fnx", "--why", "--", "--f32-matmul=tf32"]).fails(1, "a module is compiled already");
    let dumped = std::fs::read_to_string(folder.path().join("dump/cpu_x86-64-v3/3_why.txt")).unwrap();
    assert_eq!(dumped.trim_end(), of_module.trim_end());
    let json = run(&["inspect", "m.fnx", "--why", "--format=json"]).ok().stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json[0]["pairs"].as_array().map(Vec::len), Some(2), "{json}");
    run(&["inspect", "m.fnx", "--report=m.html"]).ok();
    let page = std::fs::read_to_string(folder.path().join("m.html")).unwrap();
    assert!(page.contains("Not fused: stablehlo.exponential"));
}

/// Copies of whole values are named with their bytes and the reason; an update in place is none.
#[test]
fn copies_that_stay_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let update = |of: &str, at: &str| {
        let index = "tensor<i32>, tensor<i32>";
        format!(
            "stablehlo.dynamic_update_slice {of}, %r, {at}, %z \
             : (tensor<512x8xf32>, tensor<1x8xf32>, {index}) -> tensor<512x8xf32>"
        )
    };
    let model = |back: &str| {
        let results = vec!["tensor<512x8xf32>"; back.split(',').count()].join(", ");
        format!(
            "func.func @main(%c: tensor<512x8xf32>, %r: tensor<1x8xf32>, %p: tensor<i32>) -> ({results}) {{
               %z = stablehlo.constant dense<0> : tensor<i32>
               %0 = {}
               %1 = {}
               return {back} : {results}
             }}",
            update("%c", "%p"),
            update("%0", "%z")
        )
    };
    let why = |back: &str, flags: &[&str]| {
        std::fs::write(folder.path().join("m.mlir"), model(back)).unwrap();
        fornax(
            folder.path(),
            &[&["compile", "-q", "--target=cpu:x86-64-v3", "--remarks", "m.mlir", "-o", "m.fnx"], flags].concat(),
        )
        .ok();
        fornax(folder.path(), &["inspect", "m.fnx", "--why"]).ok().stdout
    };
    let copies = |told: &str| {
        told.lines().skip_while(|line| !line.starts_with("copies: ")).map(str::to_string).collect::<Vec<_>>()
    };
    assert!(copies(&why("%1", &["--donate=0"])).is_empty());
    // The caller keeps the cache.
    let kept = copies(&why("%1", &[]));
    // One kernel does both updates, and writes the cache once.
    assert_eq!(kept.iter().filter(|line| line.contains("16384 bytes")).count(), 1, "{kept:?}");
    assert!(kept.iter().any(|line| line.contains("COPY0") && line.contains("--donate")), "{kept:?}");
    // The argument is a result too, in a buffer of its own.
    let both = copies(&why("%1, %c", &[]));
    assert!(both.iter().any(|line| line.contains("input 0: 16384 bytes")), "{both:?}");
    assert!(both.iter().any(|line| line.contains("COPY01")), "{both:?}");
}

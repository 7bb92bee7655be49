//! `fornax tune`: the three steps and the compilation that uses what they found. The times here are those of the device
//! that executes nothing.

use fornax_tests::fornax;

const MODEL: &str = "module @m {
  func.func public @main(%x: tensor<128x256xbf16>, %w: tensor<256x384xbf16>) -> tensor<128x384xbf16> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] \
        : (tensor<128x256xbf16>, tensor<256x384xbf16>) -> tensor<128x384xbf16>
    return %0 : tensor<128x384xbf16>
  }
}
";

#[test]
fn prepare_measure_apply_compile() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("m.mlir"), MODEL).unwrap();
    let run = |arguments: &[&str]| fornax(folder.path(), arguments);
    let target = "--target=cuda:h200";
    run(&["tune", "prepare", "m.mlir", target, "--cuda-use-ptxas=false", "-o", "c.fnx"]).ok();
    let shown = run(&["inspect", "c.fnx"]).ok().stdout;
    assert!(
        shown.contains("function @t0_1(128x256xbf16, 256x384xbf16)") && shown.contains("cuda sm_90a (h200)"),
        "{shown}"
    );
    let shown = run(&["tune", "measure", "c.fnx", "--device=null", "-o", "times.json"]).ok().stdout;
    assert!(shown.contains("1 of 1: sm_90a bf16*bf16->f32 ieee batch - rows 128 columns 384 steps 256"), "{shown}");
    run(&["tune", "apply", "times.json", "-o", "found.lock"]).ok();

    let times: serde_json::Value =
        serde_json::from_slice(&std::fs::read(folder.path().join("times.json")).unwrap()).unwrap();
    let ways = times["ways"].as_array().unwrap();
    assert_eq!(ways[0]["way"], "model");
    let (key, way) = (ways[1]["key"].as_str().unwrap(), ways[1]["way"].as_str().unwrap());
    let compile = |lock: &str| {
        std::fs::write(folder.path().join("t.lock"), lock).unwrap();
        run(&["compile", "m.mlir", "--target=cuda:sm_90a", "--tuning=t.lock", "--compile-to=schedule"])
    };
    let model = compile("# fornax tuning 1\n").ok().stdout;
    let tuned = compile(&format!("# fornax tuning 1\n{key} => {way}\nsomething else => nothing\n")).ok();
    assert_ne!(tuned.stdout, model);
    assert!(!tuned.stderr.contains("the tuning asks"), "{}", tuned.stderr);
    let unknown = compile(&format!("# fornax tuning 1\n{key} => warpgroup 1x1x1\n")).ok();
    assert_eq!(unknown.stdout, model);
    assert!(unknown.stderr.contains("the tuning asks for `wgmma 1x1x1`"), "{}", unknown.stderr);
    compile("tuning").fails(1, "FX0801");

    run(&["tune", "measure", "c.fnx", "--device=nowhere"]).fails(1, "FX07");
    run(&["compile", "m.mlir", target, "--cuda-use-ptxas=false", "-o", "m.fnx"]).ok();
    run(&["tune", "measure", "m.fnx", "--device=null"]).fails(1, "FX0801");
    run(&["tune", "prepare", "m.mlir", "--target=cuda:sm_60", "-o", "c.fnx"]).fails(1, "FX0908");
}

/// Rows, reductions, transposes and loops are tuned as products are, here on the processor.
#[test]
fn other_kernels_are_tuned_too() {
    let folder = tempfile::tempdir().unwrap();
    let model = "func.func public @main(%x: tensor<64x96xf32>, %y: tensor<96x64xf32>) \
                     -> (tensor<64x96xf32>, tensor<64xf32>) {
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %0 = stablehlo.transpose %y, dims = [1, 0] : (tensor<96x64xf32>) -> tensor<64x96xf32>
      %1 = stablehlo.multiply %0, %x : tensor<64x96xf32>
      %2 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] \
          : (tensor<64x96xf32>, tensor<f32>) -> tensor<64xf32>
      return %1, %2 : tensor<64x96xf32>, tensor<64xf32>
    }";
    std::fs::write(folder.path().join("m.mlir"), model).unwrap();
    let run = |arguments: &[&str]| fornax(folder.path(), arguments);
    run(&["tune", "prepare", "m.mlir", "--target=cpu", "-o", "c.fnx"]).ok();
    run(&["tune", "measure", "c.fnx", "--device=cpu", "-o", "times.json"]).ok();
    let times: serde_json::Value =
        serde_json::from_slice(&std::fs::read(folder.path().join("times.json")).unwrap()).unwrap();
    let ways = times["ways"].as_array().unwrap();
    let mut kinds: Vec<&str> = ways.iter().map(|w| w["key"].as_str().unwrap().split(' ').nth(1).unwrap()).collect();
    kinds.dedup();
    assert_eq!(kinds, ["loop", "reduction"], "{ways:?}");
    // Whatever the times were: a lock that names the last way of each kernel is followed.
    let mut lock = String::from("# fornax tuning 1\n");
    for kind in kinds {
        let last = ways.iter().rfind(|w| w["key"].as_str().unwrap().contains(kind)).unwrap();
        assert_eq!(last["agrees"], true, "{last}");
        lock += &format!("{} => {}\n", last["key"].as_str().unwrap(), last["way"].as_str().unwrap());
    }
    std::fs::write(folder.path().join("t.lock"), &lock).unwrap();
    let compile = |arguments: &[&str]| {
        let all = ["compile", "m.mlir", "--target=cpu", "--compile-to=schedule"];
        run(&[&all, arguments].concat()).ok()
    };
    let (model, tuned) = (compile(&[]), compile(&["--tuning=t.lock"]));
    assert_ne!(model.stdout, tuned.stdout);
    assert!(!tuned.stderr.contains("the tuning asks"), "{}", tuned.stderr);
}

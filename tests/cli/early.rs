//! Kernels that start before those that they depend on are over: nothing of global memory is touched before the wait
//! but what the plan says is read early.
//!
//! The order of a kernel's text is LLVM's: a load that promises not to be aliased might move up. So what was compiled
//! is looked at, for a model of each kind of kernel.

use std::path::Path;

use fornax_tests::fornax;

/// Goldens, one of each kind of kernel.
const MODELS: &[&str] = &[
    "attend_",
    "bundle_",
    "conv_",
    "dot_",
    "gates_",
    "gather_",
    "max_pool",
    "narrow_",
    "panel_",
    "reduce_",
    "rng_",
    "rounds_",
    "row_",
    "scan_",
    "scatter_",
    "softmax_",
    "sort_",
    "transpose_",
    "update_",
];

/// A product whose weights are read early, behind another kernel.
const WEIGHTS_EARLY: &str = "\
     func.func @main(%x: tensor<128x256xbf16>, %w: tensor<256x1024xbf16>) -> tensor<128x1024xbf16> {\n\
     %0 = stablehlo.sine %x : tensor<128x256xbf16>\n\
     %1 = stablehlo.dot_general %0, %w, contracting_dims = [1] x [0] \
         : (tensor<128x256xbf16>, tensor<256x1024xbf16>) -> tensor<128x1024xbf16>\n\
     return %1 : tensor<128x1024xbf16>\n}\n";

const WAIT: &str = "griddepcontrol.wait";
/// A read of global memory by a thread.
const READ: &str = "ld.global";
/// The same where no kernel writes: ptxas moves it across a wait.
const ANYWHERE: &str = "ld.global.nc";
/// What touches global memory by threads.
const TOUCHES: &[&str] = &[READ, "st.global", "atom.global", "red.global", "ld.volatile", "cp.async.c", "ld.relaxed"];
/// What the copy engine does.
const BULK: &str = "cp.async.bulk.tensor";

/// A product of one row, whose weights threads read early.
const ROW: &str = "\
     func.func @main(%x: tensor<1x256xbf16>, %w: tensor<256x2048xbf16>) -> tensor<1x2048xbf16> {\n\
     %0 = stablehlo.sine %x : tensor<1x256xbf16>\n\
     %1 = stablehlo.dot_general %0, %w, contracting_dims = [1] x [0] \
         : (tensor<1x256xbf16>, tensor<256x2048xbf16>) -> tensor<1x2048xbf16>\n\
     return %1 : tensor<1x2048xbf16>\n}\n";

/// A kernel of a model.
struct Kernel {
    name: String,
    text: String,
    /// Its plan reads something early.
    is_early: bool,
}

/// The kernels of a model for sm_90a.
fn kernels(model: &Path, dir: &Path) -> Vec<Kernel> {
    let dump = dir.join("dump");
    let model = model.display().to_string();
    let dump_to = format!("--dump-ir-to={}", dump.display());
    let arguments = ["compile", "--target=cuda:sm_90a", "--cuda-use-ptxas=false", &dump_to, &model, "-o", "m.fnx"];
    fornax(dir, &arguments).ok();
    let dump = dump.join("cuda_sm_90a");
    let plans = std::fs::read_to_string(dump.join("3_schedule.txt")).expect("the plans are there");
    let read_early = |name: &str| {
        let plan = plans.split_once(&format!("{name}: grid")).map_or("", |found| found.1);
        plan.lines().skip(1).take_while(|line| !line.contains(": grid ")).any(|line| line.ends_with(" read early"))
    };
    let files = std::fs::read_dir(&dump).expect("the dump is there");
    let paths =
        files.map(|file| file.expect("an entry").path()).filter(|path| path.extension().is_some_and(|e| e == "s"));
    let kernel = |path: std::path::PathBuf| {
        let text = std::fs::read_to_string(&path).expect("a text");
        let entry = text.split_once(".entry ").and_then(|found| found.1.split_once('(')).expect("an entry point").0;
        Kernel { name: path.display().to_string(), is_early: read_early(entry), text }
    };
    paths.map(kernel).collect()
}

/// What stands before the first wait.
fn before(name: &str, text: &str) -> String {
    text.split_once(WAIT).unwrap_or_else(|| panic!("{name} does not wait")).0.to_string()
}

#[test]
fn nothing_is_read_or_written_before_the_wait() {
    let numeric = Path::new(env!("CARGO_MANIFEST_DIR")).join("numeric");
    let mut names: Vec<_> =
        std::fs::read_dir(&numeric).expect("goldens").map(|e| e.expect("an entry").file_name()).collect();
    names.sort();
    let mut seen = 0;
    for kind in MODELS {
        let found = names.iter().find(|name| name.to_string_lossy().starts_with(kind));
        let found = found.unwrap_or_else(|| panic!("no golden {kind}…"));
        let dir = tempfile::tempdir().expect("a folder");
        for Kernel { name, text, is_early } in kernels(&numeric.join(found).join("model.mlir"), dir.path()) {
            let before = before(&name, &text);
            for touch in TOUCHES.iter().chain([&BULK]).filter(|touch| !(is_early && **touch == READ)) {
                assert!(!before.contains(touch), "{name}: {touch} before the wait");
            }
            assert!(text.contains("griddepcontrol.launch_dependents"), "{name} lets nobody start");
            seen += 1;
        }
    }
    assert!(seen >= MODELS.len(), "{seen} kernels");
}

/// A loop of 1024 workgroups, eight a multiprocessor.
const LONG: &str = "\
     func.func @main(%x: tensor<1048576xf32>) -> tensor<1048576xf32> {\n\
     %0 = stablehlo.sine %x : tensor<1048576xf32>\n\
     return %0 : tensor<1048576xf32>\n}\n";

#[test]
fn long_loops_let_nobody_start() {
    let dir = tempfile::tempdir().expect("a folder");
    let model = dir.path().join("model.mlir");
    let short = LONG.replace("1048576", "65536");
    for (text, lets) in [(LONG, false), (&*short, true)] {
        std::fs::write(&model, text).expect("a file");
        let _ = std::fs::remove_dir_all(dir.path().join("dump"));
        let [Kernel { name, text, .. }] = &*kernels(&model, dir.path()) else { panic!("one loop") };
        assert!(text.contains(WAIT), "{name} does not wait");
        assert_eq!(text.contains("griddepcontrol.launch_dependents"), lets, "{name}");
    }
}

#[test]
fn a_feature_behind_a_comma_turns_it_off() {
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::write(dir.path().join("model.mlir"), LONG).expect("a file");
    for (target, waits) in [
        ("cuda:sm_90a", true),
        ("cuda:sm_90a+ptx84", true),
        ("cuda:sm_90a,-early-start", false),
        ("cuda:sm_90a+ptx84,-early-start", false),
        ("cuda:sm_90", true),
        ("cuda:sm_80", false),
    ] {
        let target = format!("--target={target}");
        fornax(dir.path(), &["compile", &target, "--cuda-use-ptxas=false", "model.mlir", "-o", "m.fnx"]).ok();
        let module = std::fs::read(dir.path().join("m.fnx")).expect("a module");
        let found = module.windows(WAIT.len()).any(|bytes| bytes == WAIT.as_bytes());
        assert_eq!(found, waits, "{target}");
    }
}

#[test]
fn weights_are_copied_before_the_wait_and_activations_behind_it() {
    let dir = tempfile::tempdir().expect("a folder");
    let model = dir.path().join("model.mlir");
    std::fs::write(&model, WEIGHTS_EARLY).expect("a file");
    let kernels = kernels(&model, dir.path());
    let product = kernels.iter().find(|kernel| kernel.text.contains(BULK)).expect("a product by bulk copies");
    let Kernel { name, text, .. } = product;
    // The producer's way is the one whose copies come first.
    let producer = &text[text.find(BULK).expect("a copy")..];
    let (early, late) = producer.split_once(WAIT).unwrap_or_else(|| panic!("{name}: no wait behind the first copies"));
    assert!(early.contains(BULK) && late.contains(BULK), "{name}: {early}");
    assert!(TOUCHES.iter().all(|touch| !early.contains(touch)), "{name}");
}

/// Two gates of x·W + h·U, of [8, 96] and [8, 128]: W is an argument, U is what the kernel before makes.
const HALF_WEIGHTS: &str = "\
     func.func @main(%x: tensor<8x96xf32>, %h: tensor<8x128xf32>, %w: tensor<96x512xf32>, %v: tensor<128x512xf32>) \
         -> tensor<8x256xf32> {\n\
     %u = \"stablehlo.sort\"(%v) <{dimension = 0 : i64}> ({\n\
     ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n\
     %c = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>\n\
     stablehlo.return %c : tensor<i1>\n\
     }) : (tensor<128x512xf32>) -> tensor<128x512xf32>\n\
     %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] \
         : (tensor<8x96xf32>, tensor<96x512xf32>) -> tensor<8x512xf32>\n\
     %1 = stablehlo.dot_general %h, %u, contracting_dims = [1] x [0] \
         : (tensor<8x128xf32>, tensor<128x512xf32>) -> tensor<8x512xf32>\n\
     %2 = stablehlo.add %0, %1 : tensor<8x512xf32>\n\
     %3 = stablehlo.slice %2 [0:8, 0:256] : (tensor<8x512xf32>) -> tensor<8x256xf32>\n\
     %4 = stablehlo.slice %2 [0:8, 256:512] : (tensor<8x512xf32>) -> tensor<8x256xf32>\n\
     %5 = stablehlo.tanh %3 : tensor<8x256xf32>\n\
     %6 = stablehlo.multiply %4, %5 : tensor<8x256xf32>\n\
     return %6 : tensor<8x256xf32>\n\
     }\n";

#[test]
fn products_wait_first_where_one_of_them_has_no_weights() {
    let dir = tempfile::tempdir().expect("a folder");
    let model = dir.path().join("model.mlir");
    std::fs::write(&model, HALF_WEIGHTS).expect("a file");
    let kernels = kernels(&model, dir.path());
    let products: Vec<_> = kernels.iter().filter(|kernel| kernel.name.contains("products_")).collect();
    let [Kernel { name, text, is_early }] = products.as_slice() else { panic!("one kernel of two products") };
    assert!(!is_early && !before(name, text).contains(READ), "{name}: something is read before the wait");
}

#[test]
fn a_row_meets_weights_that_were_asked_for_before_the_wait() {
    let dir = tempfile::tempdir().expect("a folder");
    let model = dir.path().join("model.mlir");
    std::fs::write(&model, ROW).expect("a file");
    let kernels = kernels(&model, dir.path());
    let early: Vec<_> = kernels.iter().filter(|kernel| kernel.is_early).collect();
    let [Kernel { name, text, .. }] = early.as_slice() else { panic!("one kernel has weights") };
    let (early, late) = text.split_once(WAIT).unwrap_or_else(|| panic!("{name} does not wait"));
    assert!(early.contains(READ), "{name}: no weights before the wait");
    assert!(!early.contains(ANYWHERE), "{name}: ptxas moves the wait before the weights");
    assert!(late.contains(READ) && !early.contains("st.global"), "{name}");
}

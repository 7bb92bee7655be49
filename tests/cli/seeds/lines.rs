//! Lines of the documents that no other test runs as they stand there.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use fornax_tests::{Run, binary, fornax, fornax_with, link_double, root};

const LIMIT: Duration = Duration::from_secs(300);

/// A network for pictures of 224x224, small enough for a processor that pretends to be a GPU.
const NETWORK: &str = "func.func public @predict(%x: tensor<1x224x224x3xf32>) -> tensor<1x10xf32> {
  %k = stablehlo.constant dense<0.01> : tensor<32x32x3x4xf32>
  %w = stablehlo.constant dense<0.5> : tensor<196x10xf32>
  %b = stablehlo.constant dense<[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]> : tensor<10xf32>
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [32, 32]}
      {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
      : (tensor<1x224x224x3xf32>, tensor<32x32x3x4xf32>) -> tensor<1x7x7x4xf32>
  %1 = stablehlo.reshape %0 : (tensor<1x7x7x4xf32>) -> tensor<1x196xf32>
  %2 = stablehlo.dot_general %1, %w, contracting_dims = [1] x [0] \
      : (tensor<1x196xf32>, tensor<196x10xf32>) -> tensor<1x10xf32>
  %3 = stablehlo.reshape %b : (tensor<10xf32>) -> tensor<1x10xf32>
  %4 = stablehlo.add %2, %3 : tensor<1x10xf32>
  return %4 : tensor<1x10xf32>
}";
/// What it gives for a picture of zeros, in the layout of iree-run-module.
const ANSWER: &str = "EXEC @predict\nresult[0]: hal.buffer_view\n1x10xf32=[0 1 2 3 4 5 6 7 8 9]\n";

/// The operations that models of language are made of, of which each gives a result.
const SIX: &str = "func.func public @predict(%x: tensor<6x16xf32>, %w: tensor<16x16xf32>, %c: tensor<6x8xf32>, \
                       %s: tensor<6x8xf32>)
    -> (tensor<6x16xf32>, tensor<6x16xf32>, tensor<6x16xf32>, tensor<6x16xf32>, tensor<6x16xf32>, tensor<6x16xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %matmul = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] \
      : (tensor<6x16xf32>, tensor<16x16xf32>) -> tensor<6x16xf32>
  %sq = stablehlo.multiply %x, %x : tensor<6x16xf32>
  %sum = stablehlo.reduce(%sq init: %zero) applies stablehlo.add across dimensions = [1] \
      : (tensor<6x16xf32>, tensor<f32>) -> tensor<6xf32>
  %n = stablehlo.constant dense<0.0625> : tensor<6xf32>
  %eps = stablehlo.constant dense<1.0e-5> : tensor<6xf32>
  %mean = stablehlo.multiply %sum, %n : tensor<6xf32>
  %safe = stablehlo.add %mean, %eps : tensor<6xf32>
  %inv = stablehlo.rsqrt %safe : tensor<6xf32>
  %invb = stablehlo.broadcast_in_dim %inv, dims = [0] : (tensor<6xf32>) -> tensor<6x16xf32>
  %rmsnorm = stablehlo.multiply %x, %invb : tensor<6x16xf32>
  %max = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] \
      : (tensor<6x16xf32>, tensor<f32>) -> tensor<6xf32>
  %maxb = stablehlo.broadcast_in_dim %max, dims = [0] : (tensor<6xf32>) -> tensor<6x16xf32>
  %less = stablehlo.subtract %x, %maxb : tensor<6x16xf32>
  %exp = stablehlo.exponential %less : tensor<6x16xf32>
  %total = stablehlo.reduce(%exp init: %zero) applies stablehlo.add across dimensions = [1] \
      : (tensor<6x16xf32>, tensor<f32>) -> tensor<6xf32>
  %totalb = stablehlo.broadcast_in_dim %total, dims = [0] : (tensor<6xf32>) -> tensor<6x16xf32>
  %softmax = stablehlo.divide %exp, %totalb : tensor<6x16xf32>
  %gate = stablehlo.logistic %x : tensor<6x16xf32>
  %silu = stablehlo.multiply %x, %gate : tensor<6x16xf32>
  %a = stablehlo.slice %x [0:6, 0:8] : (tensor<6x16xf32>) -> tensor<6x8xf32>
  %b = stablehlo.slice %x [0:6, 8:16] : (tensor<6x16xf32>) -> tensor<6x8xf32>
  %ac = stablehlo.multiply %a, %c : tensor<6x8xf32>
  %bs = stablehlo.multiply %b, %s : tensor<6x8xf32>
  %as = stablehlo.multiply %a, %s : tensor<6x8xf32>
  %bc = stablehlo.multiply %b, %c : tensor<6x8xf32>
  %left = stablehlo.subtract %ac, %bs : tensor<6x8xf32>
  %right = stablehlo.add %as, %bc : tensor<6x8xf32>
  %rope = stablehlo.concatenate %left, %right, dim = 1 : (tensor<6x8xf32>, tensor<6x8xf32>) -> tensor<6x16xf32>
  %scores = stablehlo.dot_general %rope, %matmul, contracting_dims = [1] x [1] \
      : (tensor<6x16xf32>, tensor<6x16xf32>) -> tensor<6x6xf32>
  %smax = stablehlo.reduce(%scores init: %low) applies stablehlo.maximum across dimensions = [1] \
      : (tensor<6x6xf32>, tensor<f32>) -> tensor<6xf32>
  %smaxb = stablehlo.broadcast_in_dim %smax, dims = [0] : (tensor<6xf32>) -> tensor<6x6xf32>
  %sless = stablehlo.subtract %scores, %smaxb : tensor<6x6xf32>
  %sexp = stablehlo.exponential %sless : tensor<6x6xf32>
  %stotal = stablehlo.reduce(%sexp init: %zero) applies stablehlo.add across dimensions = [1] \
      : (tensor<6x6xf32>, tensor<f32>) -> tensor<6xf32>
  %stotalb = stablehlo.broadcast_in_dim %stotal, dims = [0] : (tensor<6xf32>) -> tensor<6x6xf32>
  %weights = stablehlo.divide %sexp, %stotalb : tensor<6x6xf32>
  %attention = stablehlo.dot_general %weights, %x, contracting_dims = [1] x [0] \
      : (tensor<6x6xf32>, tensor<6x16xf32>) -> tensor<6x16xf32>
  return %matmul, %rmsnorm, %softmax, %silu, %rope, %attention
      : tensor<6x16xf32>, tensor<6x16xf32>, tensor<6x16xf32>, tensor<6x16xf32>, tensor<6x16xf32>, tensor<6x16xf32>
}";

/// A folder with the doubles of the drivers and the links `iree-compile` and `iree-run-module`.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    link_double(path, "libfornax_fake_cuda.so", "libcuda.so.1");
    link_double(path, "libfornax_fake_hip.so", "libamdhip64.so.7");
    link_double(path, "libfornax_fake_opencl.so", "libOpenCL.so.1");
    std::fs::create_dir(path.join("bin")).unwrap();
    fornax(path, &["install-links", "bin"]).ok();
    std::fs::write(path.join("mobilenet_iree_input.mlir"), NETWORK).unwrap();
    std::fs::write(path.join("six.mlir"), SIX).unwrap();
    folder
}

/// A line of a shell, with the doubles as the machine's drivers.
#[track_caller]
fn shell(folder: &Path, cuda: &str, rocm: &str, line: &str) -> Run {
    let path = std::env::var("PATH").unwrap_or_default();
    let output = Command::new("bash")
        .args(["-c", line])
        .current_dir(folder)
        .env("PATH", format!("{}:{path}", folder.join("bin").display()))
        .env("LD_LIBRARY_PATH", folder)
        .env("FORNAX_FAKE_CUDA_ARCH", cuda)
        .env("FORNAX_FAKE_HIP_ARCH", rocm)
        .env("FORNAX_FAKE_CUDA_UUID", "00000000-1111-2222-3333-444444444444")
        .output()
        .unwrap();
    Run {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

fn page(name: &str) -> String {
    std::fs::read_to_string(root().join(name)).unwrap()
}

#[test]
fn the_support_matrix_is_a_page() {
    let (conformance, ops) = (page("docs/measured/conformance.md"), page("docs/use/ops.md"));
    assert!(conformance.contains("| suite | cases | passed |") && ops.contains("| `stablehlo.abs` |"));
    assert!(conformance.contains("Tables of columns (data frames) are no input"), "the limit is not said");
}

#[test]
fn a_device_to_compile_for_and_a_quantised_model() {
    let folder = folder();
    let target = fornax(folder.path(), &["compile", "--device=cuda", "six.mlir", "--print-target"]).ok().stdout;
    assert!(target.starts_with("cuda:sm_60\n"), "{target}");
    let model = "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = stablehlo.uniform_quantize %x : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.5:1>>
      %1 = stablehlo.add %0, %0 : tensor<4x!quant.uniform<i8:f32, 0.5:1>>
      %2 = stablehlo.uniform_dequantize %1 : (tensor<4x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<4xf32>
      return %2 : tensor<4xf32>
    }";
    std::fs::write(folder.path().join("q.mlir"), model).unwrap();
    fornax(folder.path(), &["compile", "--quiet", "q.mlir"]).ok();
    let run = fornax(folder.path(), &["run-module", "--module=q.fnx", "--input=4xf32=1 1.2 -3 100"]).ok().stdout;
    assert_eq!(run, "result[0]: 4xf32=2 2 -6 63\n");
}

#[test]
fn a_driver_is_enough() {
    let folder = folder();
    let there = shell(folder.path(), "sm_80", "", "iree-run-module --list_devices; \"$0\"").stdout;
    assert!(there.contains("cuda://"), "{there}");
    let line = format!("{} doctor", binary().display());
    let doctor = shell(folder.path(), "sm_80", "", &line).ok().stdout;
    assert!(doctor.contains("version: CUDA 13.0") && doctor.contains("Invented sm_80"), "{doctor}");
    std::fs::remove_file(folder.path().join("libcuda.so.1")).unwrap();
    std::fs::write(folder.path().join("libcuda.so.1"), "no library").unwrap();
    let doctor = shell(folder.path(), "", "", &line).ok().stdout;
    assert!(doctor.contains("NVIDIA's driver is enough (libcuda.so.1); no toolkit is needed"), "{doctor}");
}

#[test]
fn devices_one_uri_a_line() {
    let folder = folder();
    let run = shell(folder.path(), "sm_80", "", "iree-run-module --list_devices").ok();
    let lines: Vec<&str> = run.stdout.lines().filter(|line| !line.starts_with("opencl://")).collect();
    assert_eq!(lines, ["cuda://GPU-00000000-1111-2222-3333-444444444444", "local-sync://", "local-task://"]);
}

#[test]
fn the_line_of_the_cuda_page() {
    let folder = folder();
    let compile = "iree-compile --iree-hal-target-backends=cuda --iree-cuda-target=sm_80 mobilenet_iree_input.mlir \
                   -o mobilenet_cuda.vmfb";
    let run =
        "iree-run-module --device=cuda --module=mobilenet_cuda.vmfb --function=predict --input=\"1x224x224x3xf32=0\"";
    shell(folder.path(), "sm_80", "", compile).ok();
    // This double runs no kernels; it checks their addresses.
    let said = shell(folder.path(), "sm_80", "", run).ok().stdout;
    assert!(said.starts_with("EXEC @predict\nresult[0]: hal.buffer_view\n1x10xf32=["), "{said}");
    let processor = compile.replace("backends=cuda", "backends=llvm-cpu").replace("--iree-cuda-target=sm_80 ", "");
    shell(folder.path(), "", "", &processor).ok();
    assert_eq!(shell(folder.path(), "", "", &run.replace("=cuda", "=local-task")).ok().stdout, ANSWER);
}

#[test]
fn the_line_of_the_rocm_page() {
    let folder = folder();
    std::fs::create_dir(folder.path().join("empty")).unwrap();
    let compile = |more: &str| {
        let line = format!(
            "iree-compile --iree-hal-target-backends=rocm --iree-rocm-target-chip=gfx908 {more} \
             mobilenet_iree_input.mlir -o mobilenet_rocm.vmfb"
        );
        shell(folder.path(), "", "gfx908", &line)
    };
    let missing = compile("--iree-rocm-link-bc=true --iree-rocm-bc-dir=empty").fails(1, "FX0804").stderr;
    assert!(missing.contains("ocml.bc") && missing.contains("empty"), "{missing}");
    compile("--iree-rocm-link-bc=false --iree-rocm-bc-dir=/opt/rocm/amdgcn/bitcode").ok();
    let run =
        "iree-run-module --device=rocm --module=mobilenet_rocm.vmfb --function=predict --input=\"1x224x224x3xf32=0\"";
    assert_eq!(shell(folder.path(), "", "gfx908", run).ok().stdout, ANSWER);
}

#[test]
fn products_become_canonical() {
    let folder = folder();
    let inspected = |target: &str| {
        let target = format!("--target=cuda:{target}");
        fornax(folder.path(), &["compile", "-q", "six.mlir", "--cuda-use-ptxas=false", "-o", "six.fnx", &target]).ok();
        let json = fornax(folder.path(), &["inspect", "six.fnx", "--format=json"]).ok().stdout;
        serde_json::from_str::<serde_json::Value>(&json).unwrap()["targets"].clone()
    };
    let (product, canonical) = (inspected("a100"), inspected("sm_80"));
    assert_eq!(product[0]["arch"], "sm_80", "{product}");
    assert_eq!((&product[0]["arch"], &product[0]["product"]), (&canonical[0]["arch"], &"a100".into()));
    assert!(canonical[0].get("product").is_none_or(serde_json::Value::is_null), "{canonical}");
}

#[test]
fn outputs_are_written_compared_and_cut() {
    let folder = folder();
    std::fs::write(
        folder.path().join("m.mlir"),
        "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> { %0 = stablehlo.add %x, %x : tensor<4xf32>\n \
         return %0 : tensor<4xf32> }",
    )
    .unwrap();
    fornax(folder.path(), &["compile", "-q", "m.mlir"]).ok();
    let run = |more: &[&str]| {
        fornax(folder.path(), &[&["run-module", "--module=m.fnx", "--input=4xf32=1 2 3 4"], more].concat())
    };
    run(&["--output=@y.npy"]).ok();
    run(&["--expected_output=@y.npy"]).ok();
    run(&["--output=+y.npy"]).ok();
    run(&["--expected_output=4xf32=2 4 6.0003 8"]).ok();
    let wrong = run(&["--expected_output=4xf32=2 4 6.01 8"]).fails(6, "").stdout;
    assert!(wrong.contains('2'), "{wrong}");
    assert_eq!(run(&["--output=-"]).ok().stdout, "result[0]: 4xf32=2 4 6 8\n");
    assert_eq!(run(&["--output_max_element_count=2"]).ok().stdout, "result[0]: 4xf32=2 4...\n");
}

/// The features as the documents write them, resolved for the whole workspace.
#[test]
fn backends_are_features() {
    for features in ["cuda,simd,parallel", "rocm,simd,parallel", "opencl,simd,parallel", "metal-gpu,simd,parallel"] {
        let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
        let tree = Command::new(cargo)
            .args(["tree", "--offline", "--locked", "--depth=0", "--features", features])
            .current_dir(root())
            .output()
            .unwrap();
        assert!(tree.status.success(), "{features}: {}", String::from_utf8_lossy(&tree.stderr));
    }
    let listed = fornax(&root(), &["compile", "--iree-hal-list-target-backends"]).ok().stdout;
    assert_eq!(listed.lines().collect::<Vec<_>>(), ["cuda", "rocm", "opencl", "cpu"]);
}

#[test]
fn speed_has_a_device_and_a_date() {
    let text = page("docs/measured/benchmarks.md");
    for heading in text.lines().filter(|line| line.starts_with("## The bars")) {
        assert!(heading.contains("H200") && heading.contains("202"), "{heading}");
    }
    assert!(text.contains("## The bars on one NVIDIA H200, 202"));
}

#[test]
fn six_kernels_on_every_backend() {
    let folder = folder();
    let inputs =
        "--input=6x16xf32=random:1 --input=16x16xf32=random:2 --input=6x8xf32=random:3 --input=6x8xf32=random:4";
    let program = binary().display().to_string();
    let compile = format!("{program} compile -q six.mlir --target=cuda:sm_80,rocm:gfx906,opencl,cpu -o six.fnx");
    shell(folder.path(), "", "", &compile).ok();
    let files = |flag: &str| (0..6).map(|at| format!("{flag}=@{at}.npy ")).collect::<String>();
    let run = |device: &str, more: &str| {
        let line = format!("{program} run-module --module=six.fnx --device={device} {inputs} {more}");
        shell(folder.path(), "sm_80", "gfx906", &line).ok()
    };
    run("cpu", &files("--output"));
    let said = run("rocm", &files("--expected_output")).stdout;
    assert!(said.contains("[SUCCESS]"), "{said}");
    // These doubles run no kernels; they check their addresses. Other tests run the kernels.
    run("cuda", &files("--output"));
    run("opencl", &files("--output"));
}

/// What the program is linked with, and what it opens.
#[test]
fn no_library_of_a_vendor_is_needed() {
    let vendors = ["cuda", "cublas", "cudnn", "nvrtc", "hip", "rocblas", "hsa", "OpenCL", "mkl"];
    let maps = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let linked = Command::new("ldd").arg(binary()).output().unwrap();
    let linked = maps(&linked.stdout);
    assert!(linked.contains("libc.so"), "{linked}");
    for vendor in vendors {
        assert!(!linked.contains(&format!("lib{vendor}")), "{vendor}: {linked}");
    }
    let folder = folder();
    let run = fornax_with(
        folder.path(),
        &["compile", "-q", "six.mlir", "--target=cuda,rocm,cpu"],
        &[("LD_DEBUG", "files")],
        LIMIT,
    );
    assert!(run.code == 0 && run.stderr.contains("calling init"), "{}", run.stderr);
    for vendor in vendors {
        assert!(!run.stderr.contains(&format!("/lib{vendor}")), "{vendor} was opened");
    }
}

#[test]
fn old_cards_are_compiled_for_and_refused() {
    let folder = folder();
    let compiled = fornax(folder.path(), &["compile", "six.mlir", "--target=cuda:k80", "-o", "six.fnx"]).ok().stderr;
    assert!(compiled.contains("no current driver runs sm_35"), "{compiled}");
    let line = format!("{} run-module --module=six.fnx --device=cuda", binary().display());
    let refused = shell(folder.path(), "sm_35", "", &line).fails(3, "FX07").stderr;
    assert!(refused.contains("3.5") && refused.contains("5.0"), "{refused}");
}

#[test]
fn the_sine_of_any_shape() {
    let folder = folder();
    let program = binary().display().to_string();
    for shape in ["4000x4000", "4001x3999", "1x1", "0x7"] {
        let model = format!(
            "func.func @main(%x: tensor<{shape}xf32>) -> tensor<{shape}xf32> {{
               %two = stablehlo.constant dense<2.0> : tensor<{shape}xf32>
               %one = stablehlo.constant dense<1.0> : tensor<{shape}xf32>
               %0 = stablehlo.multiply %x, %two : tensor<{shape}xf32>
               %1 = stablehlo.add %0, %one : tensor<{shape}xf32>
               %2 = stablehlo.sine %1 : tensor<{shape}xf32>
               return %2 : tensor<{shape}xf32>
             }}"
        );
        std::fs::write(folder.path().join("s.mlir"), model).unwrap();
        fornax(folder.path(), &["compile", "-q", "s.mlir", "--target=rocm:gfx906,cpu"]).ok();
        // Large ones take the double minutes: there it only checks addresses.
        let is_run = !shape.contains("000") && !shape.contains("3999");
        let cpu = format!("{program} run-module --module=s.fnx --input={shape}xf32=random:7 --output=@y.npy");
        shell(folder.path(), "", "gfx906", &cpu).ok();
        let compared = if is_run { "--expected_output=@y.npy" } else { "--output=@z.npy" };
        let gpu = format!(
            "FORNAX_FAKE_EXECUTE={} {program} run-module --module=s.fnx --device=rocm --input={shape}xf32=random:7 \
             {compared}",
            u8::from(is_run)
        );
        shell(folder.path(), "", "gfx906", &gpu).ok();
    }
}

#[test]
fn flags_of_streams_are_taken() {
    let folder = folder();
    fornax(folder.path(), &["compile", "-q", "six.mlir"]).ok();
    let line = "iree-run-module --cuda_use_streams --cuda_allow_inline_execution --module=six.fnx --input=6x16xf32=1 \
                --input=16x16xf32=1 --input=6x8xf32=1 --input=6x8xf32=1";
    let said = shell(folder.path(), "", "", line).ok().stderr;
    assert_eq!(said.matches("has no effect: commands are always queued on a stream").count(), 2, "{said}");
}

/// One layer of a decoder, for so many tokens: projections, attention to 64 positions, gated feed-forward.
fn decoder(name: &str, tokens: usize) -> String {
    format!(
        "func.func public @{name}(%x: tensor<{tokens}x32xf32>, %k: tensor<64x32xf32>, %v: tensor<64x32xf32>, \
             %w: tensor<32x32xf32>,
             %up: tensor<32x64xf32>, %down: tensor<64x32xf32>) -> tensor<{tokens}x32xf32> {{
           %zero = stablehlo.constant dense<0.0> : tensor<f32>
           %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
           %q = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] \
               : (tensor<{tokens}x32xf32>, tensor<32x32xf32>) -> tensor<{tokens}x32xf32>
           %s = stablehlo.dot_general %q, %k, contracting_dims = [1] x [1] \
               : (tensor<{tokens}x32xf32>, tensor<64x32xf32>) -> tensor<{tokens}x64xf32>
           %m = stablehlo.reduce(%s init: %low) applies stablehlo.maximum across dimensions = [1] \
               : (tensor<{tokens}x64xf32>, tensor<f32>) -> tensor<{tokens}xf32>
           %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<{tokens}xf32>) -> tensor<{tokens}x64xf32>
           %d = stablehlo.subtract %s, %mb : tensor<{tokens}x64xf32>
           %e = stablehlo.exponential %d : tensor<{tokens}x64xf32>
           %t = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] \
               : (tensor<{tokens}x64xf32>, tensor<f32>) -> tensor<{tokens}xf32>
           %tb = stablehlo.broadcast_in_dim %t, dims = [0] : (tensor<{tokens}xf32>) -> tensor<{tokens}x64xf32>
           %p = stablehlo.divide %e, %tb : tensor<{tokens}x64xf32>
           %a = stablehlo.dot_general %p, %v, contracting_dims = [1] x [0] \
               : (tensor<{tokens}x64xf32>, tensor<64x32xf32>) -> tensor<{tokens}x32xf32>
           %h = stablehlo.add %a, %x : tensor<{tokens}x32xf32>
           %u = stablehlo.dot_general %h, %up, contracting_dims = [1] x [0] \
               : (tensor<{tokens}x32xf32>, tensor<32x64xf32>) -> tensor<{tokens}x64xf32>
           %g = stablehlo.logistic %u : tensor<{tokens}x64xf32>
           %f = stablehlo.multiply %u, %g : tensor<{tokens}x64xf32>
           %o = stablehlo.dot_general %f, %down, contracting_dims = [1] x [0] \
               : (tensor<{tokens}x64xf32>, tensor<64x32xf32>) -> tensor<{tokens}x32xf32>
           return %o : tensor<{tokens}x32xf32>
         }}\n"
    )
}

#[test]
fn tokens_a_second_of_prompt_and_of_generation() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("d.mlir"), decoder("prompt", 16) + &decoder("generate", 1)).unwrap();
    fornax(folder.path(), &["compile", "-q", "d.mlir"]).ok();
    for (function, tokens) in [("prompt", 16.0), ("generate", 1.0)] {
        let (name, items) = (format!("--function={function}"), format!("--items={tokens}"));
        let flags = ["bench", "--module=d.fnx", "--seconds=0.05", "--unit=tok", &name, &items];
        let text = fornax(folder.path(), &flags).ok().stdout;
        assert!(text.contains(&format!(" tok/s ({tokens} a call)")), "{text}");
        let json = fornax(folder.path(), &[&flags[..], &["--format=json"]].concat()).ok().stdout;
        let report: serde_json::Value = serde_json::from_str(&json).unwrap();
        let rate = |name: &str| report[name].as_f64().unwrap();
        assert!((rate("items_per_s") / rate("calls_per_s") - tokens).abs() < 1e-6, "{json}");
        assert_eq!(report["unit"], "tok");
    }
}

//! Modules for several devices, on devices that share the processor: programs of JAX against its own results, and how
//! runs end that cannot go on.

use std::path::Path;
use std::time::Duration;

use fornax_runtime::hal::OpenOptions;
use fornax_runtime::team::{self, Team};
use fornax_runtime::{Module, Tensor, TensorType, Verify};
use fornax_tests::goldens::{all_right, cases, golden};
use fornax_tests::{ONE_CPU, fornax, fornax_with, root};

const EIGHT: &str = "cpu:0-7";

/// shard_map programs with their own collectives, and jit programs with shardings alone.
#[test]
fn programs_of_jax_give_its_results() {
    let cases = cases(&["tests/sharded"]);
    all_right(&cases, 40, |case| {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        golden(case, folder.path(), &[ONE_CPU], &[EIGHT.to_string()], |flags| fornax(folder.path(), flags))
    });
}

/// A `shard_map` in a loop, with a constraint behind it: shardings are read from bytecode as they are from text.
#[test]
fn shardings_in_bytecode_are_those_of_the_text() {
    let folder = tempfile::tempdir().unwrap();
    let from = root().join("crates/import/tests/bytecode/sharded_devices");
    let results = ["mlir", "mlirbc"].map(|kind| {
        let (file, module) = (from.with_extension(kind).display().to_string(), format!("{kind}.fnx"));
        fornax(folder.path(), &["compile", "--quiet", "--jobs=1", ONE_CPU, &file, "-o", &module]).ok();
        let inputs = ["--input=8x8xf32=random:1", "--input=8x8xf32=random:2", "--devices=cpu:0-3"];
        let module = format!("--module={module}");
        fornax(folder.path(), &[&["run-module", &module], &inputs[..]].concat()).ok().stdout
    });
    assert!(results[0].contains("8x8xf32=[") && results[0] == results[1], "{results:?}");
}

/// Every device adds its number to the sum of all; `devices` of them.
pub fn sums(devices: usize) -> String {
    summed(
        devices,
        "%1 = stablehlo.partition_id : tensor<ui32>
         %2 = stablehlo.convert %1 : (tensor<ui32>) -> tensor<f32>
         %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<4xf32>
         %4 = stablehlo.add %0, %3 : tensor<4xf32>
         return %4 : tensor<4xf32>",
    )
}

/// `%0` is the sum over `devices`, `behind` what follows.
pub fn summed(devices: usize, behind: &str) -> String {
    let all: Vec<String> = (0..devices).map(|device| device.to_string()).collect();
    format!(
        "module attributes {{mhlo.num_partitions = {devices} : i32}} {{
           func.func public @main(%a: tensor<4xf32>) -> tensor<4xf32> {{
             %0 = \"stablehlo.all_reduce\"(%a) <{{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
                 replica_groups = dense<[[{}]]> : tensor<1x{devices}xi64>, use_global_device_ids}}> ({{
               ^bb0(%x: tensor<f32>, %y: tensor<f32>):
                 %s = stablehlo.add %x, %y : tensor<f32>
                 stablehlo.return %s : tensor<f32>
               }}) : (tensor<4xf32>) -> tensor<4xf32>
             {behind}
           }}
         }}",
        all.join(", ")
    )
}

fn compile(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join("m.mlir"), text).unwrap();
    fornax(folder, &["compile", "--quiet", "--jobs=1", ONE_CPU, "m.mlir", "-o", name]).ok();
}

#[test]
fn each_device_has_its_own_inputs_and_outputs() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    for devices in [2, 4, 8] {
        compile(dir, "m.fnx", &sums(devices));
        let range = format!("--devices=cpu:0-{}", devices - 1);
        let run = ["run-module", "--module=m.fnx", &range];
        let same = fornax(dir, &[&run[..], &["--input=4xf32=1 2 3 4", "--output=@o{device}.npy"]].concat()).ok();
        assert_eq!(same.stdout, "");
        for device in 0..devices {
            let want: Vec<String> = (1..5).map(|n| (n * devices + device).to_string()).collect();
            let want = format!("--expected-output=4xf32={}", want.join(" "));
            assert!(dir.join(format!("o{device}.npy")).exists());
            if device == 0 {
                let one = ["--input=4xf32=1 2 3 4", "--expected-output=@o{device}.npy", &want];
                fornax(dir, &[&run[..], &one[..2]].concat()).ok();
                // One expected output for all is right for the first device alone.
                fornax(dir, &[&run[..], &[one[0], one[2]]].concat()).fails(6, "FX0810");
            }
        }
        // Outputs of one run are inputs of the next, each on its device.
        let next = fornax(dir, &[&run[..], &["--input=@o{device}.npy"]].concat()).ok();
        assert!(next.stdout.contains(&format!("device {}\n", devices - 1)), "{}", next.stdout);
    }
}

/// Pieces of a sum lie one behind the other: kernels make the first two there, an input and a value that is read twice
/// are copied, to where no buffer begins otherwise.
#[test]
fn a_sum_of_pieces_is_that_of_each() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    let text = "module attributes {mhlo.num_partitions = 3 : i32} {
      func.func public @main(%a: tensor<3x5xf32>, %b: tensor<64x5xf32>) -> (tensor<134x5xf32>, tensor<3x5xf32>) {
        %0 = stablehlo.negate %b : tensor<64x5xf32>
        %1 = stablehlo.add %b, %b : tensor<64x5xf32>
        %2 = stablehlo.multiply %a, %a : tensor<3x5xf32>
        %3 = \"fornax.collective\"(%0, %1, %a, %2) {
            groups = [array<i64: 2, 0, 1>], kind = \"all_reduce\", reducer = \"add\"}
          : (tensor<64x5xf32>, tensor<64x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<134x5xf32>
        return %3, %2 : tensor<134x5xf32>, tensor<3x5xf32>
      }
    }";
    compile(dir, "m.fnx", text);
    let row = |value: i32, rows: usize| vec![value.to_string(); 5 * rows];
    let sums = [row(-6, 64), row(12, 64), row(9, 3), row(27, 3)].concat().join(" ");
    let expected = [format!("--expected-output=134x5xf32={sums}"), "--expected-output=3x5xf32=9".into()];
    let run = ["run-module", "--module=m.fnx", "--devices=cpu:0-2", "--input=3x5xf32=3", "--input=64x5xf32=2"];
    fornax(dir, &[&run[..], &[&expected[0], &expected[1]]].concat()).ok();
    let shown = fornax(dir, &["compile", "--quiet", ONE_CPU, "--compile-to=schedule", "m.mlir"]).ok().stdout;
    assert!(shown.contains("all_reduce add f32 [[2, 0, 1]] arena +0 2680B"), "{shown}");
    assert_eq!(shown.matches("copy ").count(), 2, "{shown}");
}

#[test]
fn runs_that_cannot_go_on_end_with_a_code() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    compile(dir, "m.fnx", &sums(4));
    let run = |flags: &[&str]| {
        let all = [&["run-module", "--module=m.fnx", "--input=4xf32=1"], flags].concat();
        fornax_with(dir, &all, &[], Duration::from_secs(60))
    };
    run(&["--devices=cpu:0-2"]).fails(2, "FX0729");
    run(&[]).fails(2, "FX0729");
    run(&["--devices=cpu:0-3", "--collective-timeout=0"]).fails(1, "FX0801");
    run(&["--devices=cpu:3-0"]).fails(1, "FX0717");
    run(&["--devices=cpu:0-3,null"]).fails(2, "FX0729");
    run(&["--devices=cpu:0-2,null"]).fails(3, "FX0704");
    run(&["--devices=cpu:0-3", "--device=cpu"]).fails(1, "cannot be used with");
    // A device without its input ends the run before anyone waits.
    std::fs::write(dir.join("x0.bin"), [0u8; 16]).unwrap();
    let flags = ["run-module", "--module=m.fnx", "--devices=cpu:0-3", "--input=4xf32=@x{device}.bin"];
    fornax(dir, &flags).fails(1, "FX0826");
}

/// A loop whose number of rounds depends on the device: some wait for others that are done.
#[test]
fn devices_that_wait_in_vain_are_told_who_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let text = "module attributes {mhlo.num_partitions = 2 : i32} {
      func.func public @main(%a: tensor<1xf32>) -> tensor<1xf32> {
        %id = stablehlo.partition_id : tensor<ui32>
        %zero = stablehlo.constant dense<0> : tensor<ui32>
        %first = stablehlo.compare EQ, %id, %zero : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
        %0 = \"stablehlo.if\"(%first) ({
          %1 = \"stablehlo.all_gather\"(%a) <{all_gather_dim = 0 : i64,
              channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
              replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}>
              : (tensor<1xf32>) -> tensor<2xf32>
          %2 = stablehlo.slice %1 [1:2] : (tensor<2xf32>) -> tensor<1xf32>
          stablehlo.return %2 : tensor<1xf32>
        }, {
          stablehlo.return %a : tensor<1xf32>
        }) : (tensor<i1>) -> tensor<1xf32>
        return %0 : tensor<1xf32>
      }
    }";
    compile(folder.path(), "m.fnx", text);
    let flags = ["run-module", "--module=m.fnx", "--input=1xf32=1", "--devices=cpu:0-1", "--collective-timeout=2"];
    let run = fornax_with(folder.path(), &flags, &[], Duration::from_secs(60));
    run.fails(3, "FX0727").stderr.contains("device 1").then_some(()).expect("the device is named");
}

/// Two devices with a module each, many times.
#[test]
fn modules_that_differ_are_found_and_runs_repeat() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    compile(dir, "a.fnx", &sums(2));
    compile(dir, "b.fnx", &sums(2).replace("stablehlo.add %0, %3", "stablehlo.subtract %0, %3"));
    let [a, b] = ["a.fnx", "b.fnx"].map(|name| Module::open_with(&dir.join(name), Verify::Full).unwrap());
    let devices = team::open("cpu:0-1", OpenOptions::default()).unwrap();
    let team = Team::new(devices, Duration::from_secs(60));
    let ty = TensorType::parse("4xf32").unwrap();
    let inputs = vec![Tensor::new(ty, [0.1f32; 4].iter().flat_map(|x| x.to_le_bytes()).collect()).unwrap()];
    let error = team.invoke_each(&[(&a, &inputs), (&b, &inputs)], "main").unwrap_err();
    assert!(error.code() == "FX0728" && error.message().contains("another module"), "{error}");
    let all = [inputs.clone(), inputs];
    let first = team.invoke(&a, "main", &all).unwrap();
    for _ in 0..200 {
        assert!(team.invoke(&a, "main", &all).unwrap() == first);
    }
}

/// What `inspect` says of a case of tests/sharded.
fn inspected(case: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let file = root().join("tests/sharded").join(case).join("model.mlir").display().to_string();
    fornax(folder.path(), &["compile", "--quiet", "--jobs=1", ONE_CPU, &file, "-o", "m.fnx"]).ok();
    fornax(folder.path(), &["inspect", "m.fnx"]).ok().stdout
}

/// A constraint in the middle cuts the weights before it and behind it; `inspect` tells who decided.
#[test]
fn shardings_reach_arguments_that_say_nothing() {
    let text = inspected("results_mlp");
    assert!(text.contains("(8x16xf32, 16x8xf32 (1x4 parts), 8x8xf32 (4x1 parts))"), "{text}");
    assert!(text.contains("sharding of input 1 of @main: a sharding constraint"), "{text}");
    let text = inspected("results_matmul");
    assert!(text.contains("(2x16xf32 (4x1 parts), 16x4xf32 (1x2 parts))"), "{text}");
    assert!(text.contains("sharding of input 0 of @main: result 0") && !text.contains("collective"), "{text}");
}

/// Gradients of cut weights are added up where they are needed; equal collectives are one line.
#[test]
fn sums_of_which_each_device_needs_a_piece_are_scattered() {
    let text = inspected("auto_train_fsdp");
    assert!(text.contains("reduce_scatter add f32, 1 group(s) of 8: 1024 bytes a device -> 128"), "{text}");
    assert_eq!(text.matches("collective all_reduce").count(), 1, "{text}");
    let text = inspected("uneven_scan");
    assert!(text.contains("bytes a device -> 4, 4 times"), "{text}");
}

#[test]
fn a_module_in_which_nothing_is_cut_runs_on_any_devices() {
    let folder = tempfile::tempdir().unwrap();
    let text = "module attributes {mhlo.num_partitions = 4 : i32} {
      func.func public @main(%a: tensor<2xf32>) -> tensor<2xf32> {
        %0 = stablehlo.add %a, %a : tensor<2xf32>
        return %0 : tensor<2xf32>
      }
    }";
    compile(folder.path(), "m.fnx", text);
    let run = ["run-module", "--module=m.fnx", "--input=2xf32=1 2", "--expected-output=2xf32=2 4"];
    fornax(folder.path(), &run).ok();
    for devices in ["--devices=cpu:0-3", "--devices=cpu:0-1"] {
        fornax(folder.path(), &[&run[..], &[devices]].concat()).ok();
        fornax(folder.path(), &["bench", "--module=m.fnx", "--seconds=0", devices]).ok();
    }
}

/// Shardings of HLO that cannot be read, or do not fit, end with a code that names them.
#[test]
fn broken_shardings_of_hlo_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let module = |argument: &str, inner: &str| {
        format!(
            "module attributes {{mhlo.num_partitions = 4 : i32}} {{
              func.func public @main(%a: tensor<8x4xf32> {{mhlo.sharding = \"{argument}\"}}) -> tensor<8x4xf32> {{
                %0 = stablehlo.custom_call @Sharding(%a) {{mhlo.sharding = \"{inner}\"}}
                    : (tensor<8x4xf32>) -> tensor<8x4xf32>
                %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {{mhlo.sharding = \"{{manual}}\"}}
                    : (tensor<8x4xf32>) -> tensor<2x4xf32>
                %2 = stablehlo.custom_call @Sharding(%1) {{mhlo.sharding = \"{{manual}}\"}}
                    : (tensor<2x4xf32>) -> tensor<2x4xf32>
                %3 = stablehlo.custom_call @SPMDShardToFullShape(%2) {{mhlo.sharding = \"{inner}\"}}
                    : (tensor<2x4xf32>) -> tensor<8x4xf32>
                return %3 : tensor<8x4xf32>
              }}
            }}"
        )
    };
    let good = "{devices=[4,1]<=[4]}";
    compile(folder.path(), "m.fnx", &module(good, good));
    let refused = |text: &str| {
        std::fs::write(folder.path().join("m.mlir"), text).unwrap();
        fornax(folder.path(), &["compile", "--quiet", "--jobs=1", ONE_CPU, "m.mlir", "-o", "m.fnx"])
    };
    for broken in ["devices", "{devices=[4,1]<=[4]", "{devices=[4]<=[4]}", "{devices=[0,1]<=[4]}", "{devices=[2,2]0,1}"]
    {
        refused(&module(broken, good)).fails(1, "FX0305");
        refused(&module(good, broken)).fails(1, "FX0307");
    }
    // Tiles of other devices; a device twice; parts of another shape.
    refused(&module("{devices=[2,1]<=[2]}", good)).fails(1, "FX0305");
    refused(&module("{devices=[4,1]0,1,2,2}", good)).fails(1, "FX0305");
    refused(&module(good, "{devices=[2,1,2]<=[4] last_tile_dim_replicate}")).fails(1, "FX0301");
    let lost =
        module(good, good).replace("%2 = stablehlo.custom_call @Sharding(%1)", "%2 = stablehlo.custom_call @Other(%1)");
    refused(&lost).fails(1, "FX0307");
}

//! Collectives by NCCL and RCCL, on doubles of the drivers and of the libraries: which calls are made, what devices
//! get, and how runs end that cannot go on. No GPU: what the real library does with a stream is not tested here.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use fornax_tests::{ONE_CPU, Run, binary, fornax, fornax_with, link_double};

use crate::several_devices::{summed, sums};

const LIMIT: Duration = Duration::from_secs(60);
const CUDA: &[&str] = &["--target=cuda:sm_90", "--cuda-use-ptxas=false"];

/// A folder with the doubles under the names of the libraries.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (double, library) in [
        ("libfornax_fake_cuda.so", "libcuda.so.1"),
        ("libfornax_fake_nccl.so", "libnccl.so.2"),
        ("libfornax_fake_hip.so", "libamdhip64.so.7"),
        ("libfornax_fake_nccl.so", "librccl.so.1"),
    ] {
        link_double(folder.path(), double, library);
    }
    folder
}

fn compile(folder: &Path, text: &str, flags: &[&str]) {
    std::fs::write(folder.join("m.mlir"), text).unwrap();
    fornax(folder, &[&["compile", "--quiet", "--jobs=1", "m.mlir", "-o", "m.fnx"], flags].concat()).ok();
}

fn variables<'a>(folder: &'a str, more: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    let of_all = [
        ("LD_LIBRARY_PATH", folder),
        ("FORNAX_FAKE_CUDA_ARCH", "sm_90,sm_90,sm_90,sm_90"),
        ("FORNAX_FAKE_HIP_ARCH", "gfx942,gfx942"),
        ("FORNAX_FAKE_NCCL_FOLDER", folder),
    ];
    [&of_all[..], more].concat()
}

fn run(folder: &Path, flags: &[&str], more: &[(&str, &str)]) -> Run {
    let path = folder.display().to_string();
    let flags = [&["run-module", "--module=m.fnx", "--input=4xf32={device} 2 3 7"], flags].concat();
    fornax_with(folder, &flags, &variables(&path, more), LIMIT)
}

/// One function with a collective of each kind, that starts no kernel. Every device has its number in its input.
fn all_kinds() -> String {
    let channel = "channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>";
    let groups = |groups: &str| format!("{channel}, replica_groups = dense<{groups}> : tensor<2x2xi64>");
    let sum = |kind: &str, groups: String, more: &str, out: &str| {
        format!(
            "\"stablehlo.{kind}\"(%a) <{{{groups}, use_global_device_ids{more}}}> ({{
               ^bb0(%x: tensor<f32>, %y: tensor<f32>):
                 %s = stablehlo.add %x, %y : tensor<f32>
                 stablehlo.return %s : tensor<f32>
               }}) : (tensor<4xf32>) -> tensor<{out}>"
        )
    };
    format!(
        "module attributes {{mhlo.num_partitions = 4 : i32}} {{
           func.func public @main(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<2xf32>, tensor<8xf32>, tensor<4xf32>,
               tensor<4xf32>, tensor<4xf32>) {{
             %0 = {}
             %1 = {}
             %2 = \"stablehlo.all_gather\"(%a) <{{all_gather_dim = 0 : i64, {}, use_global_device_ids}}>
                 : (tensor<4xf32>) -> tensor<8xf32>
             %3 = \"stablehlo.all_to_all\"(%a) <{{split_dimension = 0 : i64, concat_dimension = 0 : i64,
                 split_count = 2 : i64, {}}}> : (tensor<4xf32>) -> tensor<4xf32>
             %4 = \"stablehlo.collective_permute\"(%a) <{{{channel},
                 source_target_pairs = dense<[[0, 1], [1, 2], [3, 0]]> : tensor<3x2xi64>}}>
                 : (tensor<4xf32>) -> tensor<4xf32>
             %5 = \"stablehlo.collective_broadcast\"(%a) <{{{channel},
                 replica_groups = dense<[[2, 1]]> : tensor<1x2xi64>}}> : (tensor<4xf32>) -> tensor<4xf32>
             return %0, %1, %2, %3, %4, %5 : tensor<4xf32>, tensor<2xf32>, tensor<8xf32>, tensor<4xf32>,
                 tensor<4xf32>, tensor<4xf32>
           }}
         }}",
        sum("all_reduce", format!("{channel}, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>"), "", "4xf32"),
        sum("reduce_scatter", groups("[[0, 2], [3, 1]]"), ", scatter_dimension = 0 : i64", "2xf32"),
        groups("[[2, 0], [1, 3]]"),
        groups("[[0, 3], [1, 2]]"),
    )
}

#[test]
fn every_kind_by_the_library_gives_what_the_processor_gives() {
    let folder = folder();
    let dir = folder.path();
    compile(dir, &all_kinds(), &[CUDA, &[ONE_CPU]].concat());
    let wanted = run(dir, &["--devices=cpu:0-3"], &[]).ok().stdout;
    assert!(wanted.contains("result[0]: 4xf32=6 8 12 28"), "{wanted}");
    assert_eq!(run(dir, &["--devices=cuda:0-3"], &[]).ok().stdout, wanted);
    let calls = std::fs::read_to_string(dir.join("calls.2")).unwrap();
    // Device 2 is the second of its group at first, the first one of the others. The gather stands last, where its
    // result is wanted.
    let expected = "init 4\nsplit 0 1\nsplit 1 0\nsplit 0 0\nncclAllReduce 16\nncclReduceScatter 8\nncclSend 8\n";
    assert!(calls.starts_with(expected), "{calls}");
    for call in ["ncclRecv 8", "ncclRecv 16", "ncclBroadcast 16", "ncclAllGather 16"] {
        assert!(calls.contains(call), "{call}: {calls}");
    }
    // Device 2 sends nothing in the permute; every communicator is given back.
    assert!(!calls.contains("ncclSend 16"), "{calls}");
    assert_eq!((calls.matches("destroy").count(), calls.matches("abort").count()), (4, 0), "{calls}");
}

#[test]
fn amd_gpus_meet_by_rccl() {
    let folder = folder();
    compile(folder.path(), &sums(2), &["--target=rocm:gfx942"]);
    let printed = run(folder.path(), &["--devices=rocm:0-1"], &[]).ok().stdout;
    assert!(printed.contains("device 0\nresult[0]: 4xf32=1 4 6 14\ndevice 1\nresult[0]: 4xf32=2 5 7 15"), "{printed}");
    run(folder.path(), &["--devices=rocm:0-1", "--collectives=own"], &[]).fails(3, "FX0704");
}

#[test]
fn a_library_that_is_missing_or_old_is_named() {
    let folder = folder();
    let dir = folder.path();
    compile(dir, &summed(2, "return %0 : tensor<4xf32>"), CUDA);
    let devices = "--devices=cuda:0-1";
    let old = run(dir, &[devices], &[("FORNAX_FAKE_NCCL_VERSION", "21705")]).fails(3, "FX0742");
    assert!(old.stderr.contains("NCCL 2.17") && old.stderr.contains("2.18"), "{}", old.stderr);
    std::fs::remove_file(dir.join("libnccl.so.2")).unwrap();
    for flags in [&[devices][..], &[devices, "--collectives=nccl"]] {
        let missing = run(dir, flags, &[]).fails(3, "FX0742");
        assert!(missing.stderr.contains("libnccl.so.2"), "{}", missing.stderr);
    }
    // The doubles' devices do not reach each other's memory.
    run(dir, &[devices, "--collectives=own"], &[]).fails(3, "FX0704");
}

#[test]
fn a_device_that_fails_in_a_collective_ends_the_others() {
    let folder = folder();
    let dir = folder.path();
    compile(dir, &summed(2, "return %0 : tensor<4xf32>"), CUDA);
    let cases = [
        ("1:1:6", "FX0727", "device 1"),
        ("0:1:3", "FX0709", "device 0"),
        ("1:1:hang", "FX0727", "did not end within 1 s"),
    ];
    for (fault, code, words) in cases {
        let flags = ["--devices=cuda:0-1", "--collective-timeout=1"];
        let ended = run(dir, &flags, &[("FORNAX_FAKE_NCCL_FAULT", fault)]).fails(3, code);
        assert!(ended.stderr.contains(words), "{fault}: {}", ended.stderr);
        let calls = std::fs::read_to_string(dir.join("calls.0")).unwrap();
        assert!(calls.trim_end().ends_with("abort"), "{fault}: {calls}");
    }
}

/// Processes: sums, and a process that ends in a collective without a word.
#[test]
fn processes_meet_by_the_library() {
    let folder = folder();
    let dir = folder.path();
    compile(dir, &summed(2, "return %0 : tensor<4xf32>"), CUDA);
    let path = dir.display().to_string();
    let both = |fault: &str| -> Vec<(bool, String)> {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port().to_string();
        drop(listener);
        let start = |rank: usize| {
            let flags = ["run-module", "--module=m.fnx", "--launcher=env", "--input=4xf32={device} 2 3 7"];
            Command::new(binary())
                .args(flags)
                .args([format!("--device=cuda:{rank}"), "--collective-timeout=10".into()])
                .envs(variables(&path, &[("FORNAX_FAKE_NCCL_FAULT", fault), ("MASTER_PORT", &port)]))
                .envs([("RANK", rank.to_string()), ("WORLD_SIZE", "2".to_string())])
                .current_dir(dir)
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap()
        };
        let children: Vec<_> = (0..2).map(start).collect();
        let ended = children.into_iter().map(|child| {
            let output = child.wait_with_output().unwrap();
            let text = [output.stdout, output.stderr].concat();
            (output.status.success(), String::from_utf8_lossy(&text).into_owned())
        });
        ended.collect()
    };
    for (rank, (is_ok, text)) in both("9:1:exit").into_iter().enumerate() {
        assert!(is_ok && text.contains(&format!("device {rank}\nresult[0]: 4xf32=1 4 6 14")), "{text}");
    }
    for gone in 0..2 {
        let began = Instant::now();
        let ended = both(&format!("{gone}:1:exit"));
        let (is_ok, text) = &ended[1 - gone];
        assert!(!is_ok && text.contains("FX0727") && text.contains(&format!("device {gone} ended")), "{text}");
        assert!(began.elapsed() < Duration::from_secs(8), "{:?}", began.elapsed());
    }
}

#[test]
fn bench_measures_calls_of_all_devices_and_their_collectives() {
    let folder = folder();
    let dir = folder.path();
    compile(dir, &summed(2, "return %0 : tensor<4xf32>"), &[CUDA, &[ONE_CPU]].concat());
    let path = dir.display().to_string();
    // The double of the library knows nothing of captures: the driver refuses them.
    let refused: Vec<String> = (1..9).map(|call| format!("cuStreamBeginCapture_v2#{call}=801")).collect();
    let more = [("FORNAX_FAKE_CUDA_FAIL", refused.join(","))];
    let more: Vec<(&str, &str)> = more.iter().map(|(name, value)| (*name, value.as_str())).collect();
    for devices in ["--devices=cpu:0-1", "--devices=cuda:0-1"] {
        let flags = ["bench", "--module=m.fnx", devices, "--seconds=0.01", "--format=json"];
        let found = fornax_with(dir, &flags, &variables(&path, &more), LIMIT).ok();
        let found: serde_json::Value = serde_json::from_str(&found.stdout).unwrap();
        let calls = found["slowest"]["calls"].as_u64().unwrap();
        assert!(calls >= 10 && found["devices"][1]["call"]["calls"] == calls, "{found}");
        // The slowest of each call is not below any device's.
        let median = |of: &serde_json::Value| of["median_ms"].as_f64().unwrap();
        let each = (0..2).map(|at| median(&found["devices"][at]["call"]));
        assert!(each.into_iter().all(|one| one <= median(&found["slowest"]) * 1.001), "{found}");
        let sum = &found["collectives"][0];
        assert_eq!((&sum["bytes"], &sum["times"]), (&16.into(), &1.into()), "{found}");
        assert!(sum["us"].as_f64().unwrap() > 0.0 && sum["collective"].as_str().unwrap().starts_with("all_reduce add"));
    }
    let flags = ["bench", "--module=m.fnx", "--devices=cpu:0-2", "--seconds=0"];
    fornax(dir, &flags).fails(2, "FX0729");
}

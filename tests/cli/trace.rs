//! `--trace=FILE`: the file is what trace viewers read, its spans nest on host lanes and stay apart on device lanes,
//! and its kernels are the module's; on the processor and on the doubles of CUDA, HIP and OpenCL.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use fornax_tests::{fornax, fornax_with, link_double, root};
use serde_json::Value;

const LIMIT: Duration = Duration::from_secs(120);
/// Microseconds that the rounding of two JSON numbers can differ by.
const ROUNDING_US: f64 = 1e-3;

struct Double {
    device: &'static str,
    target: &'static str,
    arch: &'static str,
    files: (&'static str, &'static str),
    times: &'static str,
}

const DOUBLES: &[Double] = &[
    Double {
        device: "cuda",
        target: "--target=cuda:a100",
        arch: "sm_80",
        files: ("libfornax_fake_cuda.so", "libcuda.so.1"),
        times: "CUDA events",
    },
    Double {
        device: "rocm",
        target: "--target=rocm:gfx942",
        arch: "gfx942",
        files: ("libfornax_fake_hip.so", "libamdhip64.so.7"),
        times: "HIP events",
    },
    Double {
        device: "opencl",
        target: "--target-backends=opencl",
        arch: "gpu",
        files: ("libfornax_fake_opencl.so", "libOpenCL.so.1"),
        times: "OpenCL event profiling",
    },
];

/// A span: process, lane, name, category, begin, end, arguments.
struct Span {
    lane: (u64, u64),
    name: String,
    kind: String,
    begin: f64,
    end: f64,
    args: Value,
}

struct Trace {
    json: Value,
    spans: Vec<Span>,
}

impl Trace {
    fn read(path: &Path) -> Trace {
        let json: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        let events = json["traceEvents"].as_array().unwrap();
        let text = |value: &Value| value.as_str().unwrap().to_string();
        let span = |event: &Value| {
            let begin = event["ts"].as_f64().unwrap();
            Span {
                lane: (event["pid"].as_u64().unwrap(), event["tid"].as_u64().unwrap()),
                name: text(&event["name"]),
                kind: text(&event["cat"]),
                begin,
                end: begin + event["dur"].as_f64().unwrap(),
                args: event["args"].clone(),
            }
        };
        let spans = events.iter().filter(|event| event["ph"] == "X").map(span).collect();
        let trace = Trace { json, spans };
        trace.check_lanes();
        trace
    }

    /// Spans of a lane nest (host) or stay apart (devices), and every lane has a name.
    fn check_lanes(&self) {
        let mut lanes: BTreeMap<(u64, u64), Vec<&Span>> = BTreeMap::new();
        self.spans.iter().for_each(|span| lanes.entry(span.lane).or_default().push(span));
        assert!(lanes.keys().any(|lane| lane.0 == 1) && lanes.keys().any(|lane| lane.0 > 1), "{}", self.json);
        for (lane, spans) in &mut lanes {
            let events = self.json["traceEvents"].as_array().unwrap();
            let names =
                |event: &&Value| event["name"] == "thread_name" && event["pid"] == lane.0 && event["tid"] == lane.1;
            assert_eq!(events.iter().filter(names).count(), 1, "{lane:?}");
            // Of two that begin together the longer one is outside.
            spans.sort_by(|a, b| a.begin.total_cmp(&b.begin).then(b.end.total_cmp(&a.end)));
            let mut open: Vec<&Span> = Vec::new();
            for span in spans.iter() {
                assert!(span.begin >= 0.0 && span.begin <= span.end, "{}", span.name);
                open.retain(|outer| outer.end > span.begin + ROUNDING_US);
                match open.last() {
                    None => {}
                    Some(outer) if lane.0 == 1 => assert!(
                        span.end <= outer.end + ROUNDING_US,
                        "{} ends after {}, in which it began",
                        span.name,
                        outer.name
                    ),
                    Some(other) => panic!("{} and {} overlap on {lane:?}", span.name, other.name),
                }
                open.push(span);
            }
        }
    }

    fn of_kind<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a Span> {
        self.spans.iter().filter(move |span| span.kind == kind)
    }

    /// Kernels on the queues of devices.
    fn kernels(&self) -> Vec<&Span> {
        self.of_kind("kernel").filter(|span| span.lane.1 == 0).collect()
    }

    fn host(&self, name: &str) -> usize {
        self.of_kind("host").filter(|span| span.name == name).count()
    }
}

/// Names of the module's kernels.
fn kernels_of(folder: &Path) -> BTreeSet<String> {
    let json = fornax(folder, &["inspect", "m.fnx", "--format=json"]).ok().stdout;
    let json: Value = serde_json::from_str(&json).unwrap();
    let programs = json["programs"].as_array().unwrap().iter();
    let kernels = programs.flat_map(|program| program["kernels"].as_array().unwrap().iter());
    kernels.map(|kernel| kernel["name"].as_str().unwrap().to_string()).collect()
}

fn compile(folder: &Path, model: &str, target: &str) {
    let model = root().join(model).display().to_string();
    let flags = ["compile", "--quiet", "--jobs=1", "--cuda-use-ptxas=false", target, &model, "-o", "m.fnx"];
    fornax(folder, &flags).ok();
}

#[test]
fn a_run_on_the_processor() {
    let folder = tempfile::tempdir().unwrap();
    compile(folder.path(), "tests/numeric/attention_f32/model.mlir", "--target=cpu");
    let mut flags = vec!["run-module".to_string(), "--module=m.fnx".into(), "--trace=t.json".into()];
    let inputs = (0..).map(|n| root().join(format!("tests/numeric/attention_f32/in_{n}.npy")));
    flags.extend(inputs.take_while(|path| path.exists()).map(|path| format!("--input=@{}", path.display())));
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    let plain = fornax(folder.path(), &flags.iter().copied().filter(|f| !f.starts_with("--trace")).collect::<Vec<_>>());
    let traced = fornax(folder.path(), &flags).ok();
    assert_eq!(traced.stdout, plain.ok().stdout, "a trace changes no result");
    assert!(traced.stderr.contains("t.json"), "{}", traced.stderr);
    let trace = Trace::read(&folder.path().join("t.json"));
    for phase in ["open module", "read inputs", "open device", "load module", "write outputs", "wait"] {
        assert_eq!(trace.host(phase), 1, "{phase}");
    }
    assert!(trace.host("upload") >= 1 && trace.host("download") >= 1);
    let kernels = trace.kernels();
    let names: BTreeSet<String> = kernels.iter().map(|kernel| kernel.name.clone()).collect();
    assert_eq!(names, kernels_of(folder.path()));
    for (at, kernel) in kernels.iter().enumerate() {
        assert_eq!(kernel.args["dispatch"], at, "in the order of launches");
        assert!(kernel.args["bytes"].as_u64().unwrap() > 0);
        assert!(kernel.args["grid"][0].as_u64().unwrap() > 0 && kernel.args["block"][2] == 1);
        // What threads did lies inside of the kernel, and is all of it.
        let on_threads = trace.of_kind("kernel").filter(|span| span.lane.1 > 0 && span.args["dispatch"] == at);
        let mut workgroups = 0;
        for thread in on_threads {
            assert!(kernel.begin <= thread.begin + ROUNDING_US && thread.end <= kernel.end + ROUNDING_US);
            workgroups += thread.args["workgroups"].as_u64().unwrap();
        }
        let grid = kernel.args["grid"].as_array().unwrap().iter();
        assert_eq!(workgroups, grid.map(|extent| extent.as_u64().unwrap()).product::<u64>());
    }
    let times = trace.json["otherData"]["devices"]["cpu://"]["device_times"].as_str().unwrap();
    assert!(times.contains("host clock"), "{times}");
}

#[test]
fn runs_on_the_doubles() {
    for double in DOUBLES {
        let folder = tempfile::tempdir().unwrap();
        link_double(folder.path(), double.files.0, double.files.1);
        compile(folder.path(), "tests/model/softmax.mlir", double.target);
        let path = folder.path().display().to_string();
        let variables = [("LD_LIBRARY_PATH", path.as_str()), ("FORNAX_FAKE_ARCH", double.arch)];
        let device = format!("--device={}", double.device);
        let flags = ["run-module", &device, "--module=m.fnx", "--input=4x1000xf32=iota", "--trace=t.json"];
        fornax_with(folder.path(), &flags, &variables, LIMIT).ok();
        let trace = Trace::read(&folder.path().join("t.json"));
        let names: BTreeSet<String> = trace.kernels().iter().map(|kernel| kernel.name.clone()).collect();
        assert_eq!(names, kernels_of(folder.path()), "{}", double.device);
        for kind in ["upload", "download"] {
            let copies: Vec<&Span> = trace.of_kind(kind).collect();
            assert!(copies.len() == 1 && copies[0].args["bytes"] == 16_000 && copies[0].lane.1 == 0, "{kind}");
        }
        // In the order of the queue.
        let order: Vec<&str> =
            trace.spans.iter().filter(|span| span.lane.0 == 2).map(|span| span.kind.as_str()).collect();
        assert!(order.first() == Some(&"upload") && order.last() == Some(&"download"), "{order:?}");
        let devices = trace.json["otherData"]["devices"].as_object().unwrap();
        assert_eq!(devices.len(), 1);
        assert!(devices.values().all(|device| device["device_times"] == double.times), "{devices:?}");
    }
}

#[test]
fn loops_are_seen_round_by_round_and_bench_traces_beside_what_it_measures() {
    let folder = tempfile::tempdir().unwrap();
    compile(folder.path(), "tests/numeric/data_loop/model.mlir", "--target=cpu");
    let bench = ["bench", "--module=m.fnx", "--seconds=0.02", "--format=json"];
    let flags = [&bench[..], &["--device=cpu,local-sync", "--trace=t.json"]].concat();
    let report = fornax(folder.path(), &flags).ok();
    assert!(serde_json::from_str::<Value>(&report.stdout).is_ok(), "{}", report.stdout);
    let trace = Trace::read(&folder.path().join("t.json"));
    // On each device one call from host tensors and three on the device.
    let calls = trace.of_kind("host").filter(|span| span.name.starts_with("call @")).count();
    assert_eq!(calls, 8, "{}", trace.json);
    assert_eq!(trace.host("load module"), 2);
    let names: BTreeSet<String> = trace.kernels().iter().map(|kernel| kernel.name.clone()).collect();
    assert!(!names.is_empty() && names.is_subset(&kernels_of(folder.path())), "{names:?}");
}

#[test]
fn a_trace_that_cannot_be_written_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    compile(folder.path(), "tests/model/softmax.mlir", "--target=cpu");
    let run = |trace: &str| fornax(folder.path(), &["run-module", "--module=m.fnx", "--input=4x1000xf32=1", trace]);
    run("--trace=no-such-folder/t.json").fails(1, "FX0802");
    let before = std::fs::read(folder.path().join("m.fnx")).unwrap();
    run("--trace=m.fnx").fails(1, "FX0801");
    assert_eq!(std::fs::read(folder.path().join("m.fnx")).unwrap(), before);
    if Path::new("/dev/full").exists() {
        run("--trace=/dev/full").fails(1, "FX0832");
    }
    // What failed is told in the trace too.
    let wrong = ["run-module", "--module=m.fnx", "--input=5x1000xf32=1", "--trace=t.json"];
    fornax(folder.path(), &wrong).fails(1, "FX0713");
    let json: Value = serde_json::from_slice(&std::fs::read(folder.path().join("t.json")).unwrap()).unwrap();
    assert!(json["traceEvents"].to_string().contains("open module"));
}

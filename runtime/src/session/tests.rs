//! Sessions over modules built here: programs by hand, kernels from C where a compiler is found.

use std::sync::Mutex;

use fornax_module::ModuleBuilder;
use fornax_module::manifest::{
    DimSig, FORMAT, FunctionSignature, ImageEntry, ImageKind, Manifest, Parameter, ParameterArgument, TargetEntry,
    TensorSignature,
};
use fornax_module::program::{
    Access, Binding, Block, Command, ExprId, Function, Kernel, Program, SizeExpr, Space, Span,
};

use super::*;
use crate::drivers::null::{Log, NullDevice};
use crate::registry::open_device;
use crate::tensor::parse::parse_inputs;
use crate::tensor::print::{PrintOptions, print};

const KERNELS: &str = "
    typedef long long i64;
    void add(void **w, int x, int y, int z, void *s) {
        float *a = w[0], *b = w[1], *out = w[2];
        i64 n = (i64)w[3];
        for (i64 i = 0; i < n; ++i) out[i] = a[i] + b[i];
    }
    void less(void **w, int x, int y, int z, void *s) {
        float *a = w[0], *b = w[1];
        *(char *)w[2] = a[0] < b[0];
    }
    void count(void **w, int x, int y, int z, void *s) {
        float *a = w[0];
        int *out = w[1];
        i64 n = (i64)w[2];
        int c = 0;
        for (i64 i = 0; i < n; ++i) c += a[i] > 0.0f;
        *out = c;
    }";

/// A CPU image from C, or `None` without a C compiler.
fn image() -> Option<Vec<u8>> {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("k.c"), KERNELS).unwrap();
    let mut command = std::process::Command::new("cc");
    command.args(["-shared", "-fPIC", "-O1", "-nostdlib", "-ffreestanding", "-fno-stack-protector"]);
    command.args(["-fno-tree-loop-distribute-patterns", "-o", "k.so", "k.c"]).current_dir(dir.path());
    match command.output() {
        Ok(output) if output.status.success() => Some(std::fs::read(dir.path().join("k.so")).unwrap()),
        other => {
            println!("skipped: no working C compiler: {other:?}");
            None
        }
    }
}

fn tensor(element_type: &str, shape: Vec<DimSig>, bytes: u64) -> TensorSignature {
    TensorSignature { element_type: element_type.into(), shape, bytes, ..TensorSignature::default() }
}

fn f32s(count: u64) -> TensorSignature {
    tensor("f32", vec![DimSig::Static(count)], 4 * count)
}

/// Builds programs: a span needs its numbers in the expression table.
#[derive(Default)]
struct Plan {
    program: Program,
}

impl Plan {
    fn new() -> Plan {
        let kernel =
            |name: &str, bindings| Kernel { name: name.into(), block: [1, 1, 1], bindings, ..Kernel::default() };
        let mut plan = Plan::default();
        plan.program.kernels = vec![kernel("add", 3), kernel("less", 3), kernel("count", 2)];
        plan
    }

    fn span(&mut self, space: Space, offset: u64, length: u64) -> Span {
        Span { space, offset: self.program.constant(offset), length: self.program.constant(length) }
    }

    fn dispatch(&mut self, kernel: u32, spans: &[Span], constants: Vec<ExprId>) -> Command {
        let one = self.program.constant(1);
        let last = spans.len() - 1;
        let access = |at| if at == last { Access::Write } else { Access::Read };
        let bindings = spans.iter().enumerate().map(|(at, span)| Binding { span: *span, access: access(at) }).collect();
        Command::Dispatch { kernel, grid: [one; 3], bindings, constants }
    }

    fn add(&mut self, spans: [Span; 3]) -> Command {
        let four = self.program.constant(4);
        self.dispatch(0, &spans, vec![four])
    }

    fn block(&mut self, commands: Vec<Command>) -> u32 {
        self.program.blocks.push(Block { commands });
        self.program.blocks.len() as u32 - 1
    }

    fn function(&mut self, name: &str, body: u32, arena: u64, inputs: &[u64], outputs: &[u64]) -> u32 {
        let arena_bytes = self.program.constant(arena);
        let input_bytes = inputs.iter().map(|bytes| self.program.constant(*bytes)).collect();
        let output_bytes = outputs.iter().map(|bytes| self.program.constant(*bytes)).collect();
        let function = Function {
            name: name.into(),
            body,
            arena_bytes,
            size_slots: 0,
            input_bytes,
            output_bytes,
            ..Function::default()
        };
        self.program.functions.push(function);
        self.program.functions.len() as u32 - 1
    }
}

fn signature(name: &str, inputs: Vec<TensorSignature>, outputs: Vec<TensorSignature>) -> FunctionSignature {
    FunctionSignature { name: name.into(), inputs, outputs, ..FunctionSignature::default() }
}

fn arch() -> &'static str {
    if cfg!(target_arch = "aarch64") { "aarch64" } else { "x86-64" }
}

fn build(
    program: Program,
    functions: Vec<FunctionSignature>,
    parameters: Vec<Parameter>,
    constant: &[u8],
) -> Option<Module> {
    let image = image()?;
    let manifest = Manifest {
        format: FORMAT.into(),
        module_name: "test".into(),
        functions,
        parameters,
        targets: vec![TargetEntry {
            backend: "cpu".into(),
            arch: arch().into(),
            images: vec![ImageEntry { kind: ImageKind::CpuElf, arch: arch().into(), section: 0 }],
            ..TargetEntry::default()
        }],
        ..Manifest::default()
    };
    let mut builder = ModuleBuilder::new(manifest);
    builder.add_program(program);
    builder.add_image(image);
    if !constant.is_empty() {
        builder.add_constant(constant.to_vec());
    }
    Some(Module::from_bytes(builder.to_bytes().unwrap()).unwrap())
}

fn session(module: &Module) -> Session {
    Session::load(module, &open_device("cpu").unwrap(), &SessionOptions::default()).unwrap()
}

fn inputs(texts: &[&str]) -> Vec<Tensor> {
    let texts: Vec<String> = texts.iter().map(|text| text.to_string()).collect();
    parse_inputs(&texts, &[]).unwrap().into_iter().flatten().collect()
}

fn shown(tensors: &[Tensor]) -> Vec<String> {
    tensors.iter().map(|tensor| print(tensor, &PrintOptions::default())).collect()
}

/// out = (a + b) + constant, through the arena.
fn sum_module() -> Option<Module> {
    let mut plan = Plan::new();
    let (a, b) = (plan.span(Space::Input(0), 0, 16), plan.span(Space::Input(1), 0, 16));
    let (middle, out) = (plan.span(Space::Arena, 64, 16), plan.span(Space::Output(0), 0, 16));
    let constant = plan.span(Space::Constant, 0, 16);
    let body = vec![plan.add([a, b, middle]), plan.add([middle, constant, out])];
    let body = plan.block(body);
    plan.function("main", body, 128, &[16, 16], &[16]);
    let constant: Vec<u8> = [10f32, 20.0, 30.0, 40.0].iter().flat_map(|v| v.to_le_bytes()).collect();
    build(plan.program, vec![signature("main", vec![f32s(4), f32s(4)], vec![f32s(4)])], vec![], &constant)
}

#[test]
fn calls_run_and_run_again() {
    let Some(module) = sum_module() else { return };
    let mut session = session(&module);
    assert!(session.description().contains(arch()), "{}", session.description());
    for round in 0..10 {
        let given = inputs(&[&format!("4xf32={round}"), "4xf32=1 2 3 4"]);
        let expected = format!("4xf32={} {} {} {}", 11 + round, 22 + round, 33 + round, 44 + round);
        assert_eq!(shown(&session.invoke("main", &given).unwrap()), [expected]);
    }
    let resident = session.upload_inputs("main", &inputs(&["4xf32=0", "4xf32=0"])).unwrap();
    let held: Vec<DeviceTensor> = (0..6).flat_map(|_| session.invoke_on_device("main", &resident).unwrap()).collect();
    for output in &held {
        assert_eq!(shown(&[session.download(output).unwrap()]), ["4xf32=10 20 30 40"]);
    }
    let options = BenchOptions { time: std::time::Duration::from_millis(5), ..BenchOptions::default() };
    let result = bench(&mut session, "main", &inputs(&["4xf32=0", "4xf32=0"]), &options).unwrap();
    assert_eq!(shown(&result.outputs), ["4xf32=10 20 30 40"]);
    assert!(result.one.min_ms <= result.one.p50_ms && result.one.p50_ms <= result.one.max_ms && result.one.calls >= 5);
}

#[test]
fn wrong_calls_are_coded_errors() {
    let Some(module) = sum_module() else { return };
    let mut session = session(&module);
    let mut code = |function: &str, texts: &[&str]| {
        let error = session.invoke(function, &inputs(texts)).unwrap_err();
        assert_eq!(error.exit_code(), 1);
        (error.code(), error.help().unwrap_or_default().to_string(), error.to_string())
    };
    let missing = code("predict", &[]);
    assert_eq!(missing.0, "FX0710");
    assert!(missing.1.contains("main"), "{missing:?}");
    assert_eq!(code("main", &["4xf32=0"]).0, "FX0711");
    let wrong_type = code("main", &["4xf32=0", "4xf64=0"]);
    assert_eq!((wrong_type.0, wrong_type.2.contains("4xf64")), ("FX0712", true));
    assert_eq!(code("main", &["4xf32=0", "5xf32=0"]).0, "FX0713");
    assert_eq!(code("main", &["4xf32=0", "2x2xf32=0"]).0, "FX0713");
    let options = SessionOptions { max_device_memory: Some(16), ..SessionOptions::default() };
    let error = Session::load(&module, &open_device("cpu").unwrap(), &options).err().unwrap();
    assert_eq!((error.code(), error.exit_code()), ("FX0706", 4));
}

#[test]
fn the_null_device_takes_any_module() {
    let Some(module) = sum_module() else { return };
    let log = crate::drivers::null::Log::default();
    let device = Device::new(std::sync::Arc::new(crate::drivers::null::NullDevice::new(log.clone())));
    let mut session = Session::load(&module, &device, &SessionOptions::default()).unwrap();
    let given = inputs(&["4xf32=0", "4xf32=0"]);
    assert_eq!(shown(&session.invoke("main", &given).unwrap()), ["4xf32=0 0 0 0"]);
    let uploads = log.lines().iter().filter(|line| line.starts_with("upload")).count();
    session.invoke("main", &given).unwrap();
    let lines = log.lines();
    assert_eq!(lines.iter().filter(|line| line.starts_with("dispatch add 1 1 1 with 4 words")).count(), 4);
    // Constants travel once.
    assert_eq!((uploads, lines.iter().filter(|line| line.starts_with("upload")).count()), (3, 5));
    drop((session, device));
    let count = |what: &str| log.lines().iter().filter(|line| line.starts_with(what)).count();
    assert_eq!((count("allocate"), count("unload")), (count("free"), 1));
}

#[test]
fn kernels_are_timed_by_launch() {
    let Some(module) = sum_module() else { return };
    let mut session = Session::load(&module, &open_device("cpu").unwrap(), &SessionOptions::default()).unwrap();
    let given = inputs(&["4xf32=0", "4xf32=0"]);
    let measured = bench_kernels(&mut session, "main", &given).unwrap();
    let kernels: Vec<_> = measured.kernels.iter().map(|k| (k.kernel, k.launches, k.bytes, k.bound())).collect();
    assert_eq!(kernels, [(0, 2, 48, "bytes")]);
    let first = &measured.kernels[0];
    assert!(first.launch_us > 0.0 && first.copy_us > 0.0 && first.possible_us() == first.copy_us);
    assert!(measured.copy_bytes_per_s > 1e8, "{}", measured.copy_bytes_per_s);
    // The session still works as before.
    session.invoke("main", &given).unwrap();
}

#[test]
fn recorded_calls_take_turns_over_their_inputs() {
    let Some(module) = sum_module() else { return };
    let mut session = Session::load(&module, &open_device("cpu").unwrap(), &SessionOptions::default()).unwrap();
    let set = |session: &Session, value: &str| session.upload_inputs("main", &inputs(&[value, "4xf32=1"])).unwrap();
    let sets = [set(&session, "4xf32=1"), set(&session, "4xf32=5")];
    let expected = session.invoke("main", &inputs(&["4xf32=1", "4xf32=1"])).unwrap();
    let call = RecordedCall::new(&mut session, "main", &sets).unwrap();
    assert!(call.round_us().unwrap() > 0.0);
    let outputs: Vec<Tensor> = call.outputs.iter().map(|output| session.download(output).unwrap()).collect();
    assert_eq!(shown(&outputs), shown(&expected));
}

/// while (x < limit) x = x + step; if (x < other) out = x + x else out = x; the sums through a called function.
#[test]
fn loops_branches_and_calls() {
    let mut plan = Plan::new();
    let (left, right) = (plan.span(Space::Frame(0), 0, 16), plan.span(Space::Frame(1), 0, 16));
    let sum = plan.span(Space::Frame(2), 0, 16);
    let inner = vec![plan.add([left, right, sum])];
    let inner = plan.block(inner);
    let spans = |plan: &mut Plan, n| plan.span(Space::Input(n), 0, 16);
    let (start, step, limit) = (spans(&mut plan, 0), spans(&mut plan, 1), spans(&mut plan, 2));
    let (x, next) = (plan.span(Space::Arena, 0, 16), plan.span(Space::Arena, 16, 16));
    let (flag, flag_binding) = (plan.span(Space::Arena, 32, 1), plan.span(Space::Arena, 32, 16));
    let out = plan.span(Space::Output(0), 0, 16);
    let condition = vec![plan.dispatch(1, &[x, limit, flag_binding], vec![])];
    let condition = plan.block(condition);
    let body = plan.block(vec![
        Command::Call { function: 1, arguments: vec![x, step, next] },
        Command::Copy { source: next, target: x },
    ]);
    let doubled = plan.block(vec![Command::Call { function: 1, arguments: vec![x, x, out] }]);
    let same = plan.block(vec![Command::Copy { source: x, target: out }]);
    let compare = plan.dispatch(1, &[x, start, flag_binding], vec![]);
    let main = plan.block(vec![
        Command::Copy { source: start, target: x },
        Command::While { condition, predicate: flag, body, guarded: false },
        compare,
        Command::If { predicate: flag, then_block: doubled, else_block: same },
    ]);
    plan.function("main", main, 64, &[16, 16, 16], &[16]);
    plan.function("sum", inner, 0, &[16, 16], &[16]);
    let main = signature("main", vec![f32s(4), f32s(4), f32s(4)], vec![f32s(4)]);
    let sum = signature("sum", vec![f32s(4), f32s(4)], vec![f32s(4)]);
    let Some(module) = build(plan.program, vec![main, sum], vec![], &[]) else { return };
    let mut session = session(&module);
    let result = session.invoke("main", &inputs(&["4xf32=1", "4xf32=3", "4xf32=12"])).unwrap();
    assert_eq!(shown(&result), ["4xf32=13 13 13 13"]);
    let result = session.invoke("main", &inputs(&["4xf32=5", "4xf32=-1", "4xf32=5"])).unwrap();
    assert_eq!(shown(&result), ["4xf32=5 5 5 5"]);
    assert_eq!(shown(&session.invoke("sum", &inputs(&["4xf32=1", "4xf32=2"])).unwrap()), ["4xf32=3 3 3 3"]);
    assert_eq!(session.function(None).unwrap().name, "main");
}

/// The number of positive elements becomes the length of the output.
#[test]
fn sizes_from_shapes_and_from_data() {
    let mut plan = Plan::new();
    let n = plan.program.expr(SizeExpr::Slot(0));
    let k = plan.program.expr(SizeExpr::Slot(1));
    let four = plan.program.constant(4);
    let zero = plan.program.constant(0);
    let (bytes, kept) = (plan.program.expr(SizeExpr::Mul(n, four)), plan.program.expr(SizeExpr::Mul(k, four)));
    let input = Span { space: Space::Input(0), offset: zero, length: bytes };
    let (number, binding) = (plan.span(Space::Arena, 0, 4), plan.span(Space::Arena, 0, 16));
    let part = Span { space: Space::Input(0), offset: zero, length: kept };
    let out = Span { space: Space::Output(0), offset: zero, length: kept };
    let count = plan.dispatch(2, &[input, binding], vec![n]);
    let main = plan.block(vec![
        count,
        Command::HostShape { slot: 1, source: number, bytes: 4, signed: true, min: 1, max: 8 },
        Command::Copy { source: part, target: out },
    ]);
    plan.function("main", main, 16, &[], &[]);
    let function = plan.program.functions.last_mut().unwrap();
    (function.size_slots, function.input_bytes, function.output_bytes) = (2, vec![bytes], vec![kept]);
    let symbol = |name: &str| DimSig::Symbolic { name: name.into(), min: 1, max: 8 };
    let main =
        signature("main", vec![tensor("f32", vec![symbol("n")], 32)], vec![tensor("f32", vec![symbol("k")], 32)]);
    let Some(module) = build(plan.program, vec![main], vec![], &[]) else { return };
    let mut session = session(&module);
    let mut run = |text: &str| session.invoke("main", &inputs(&[text])).map(|outputs| shown(&outputs));
    assert_eq!(run("5xf32=1 -2 3 0 4").unwrap(), ["3xf32=1 -2 3"]);
    assert_eq!(run("2xf32=1 2").unwrap(), ["2xf32=1 2"]);
    assert_eq!(run("2xf32=-1").unwrap_err().code(), "FX0716");
    assert_eq!(run("9xf32=1").unwrap_err().code(), "FX0713");
}

#[test]
fn parameters_come_from_files() {
    let mut plan = Plan::new();
    let (a, w) = (plan.span(Space::Input(0), 0, 16), plan.span(Space::Parameter(0), 0, 16));
    let (middle, v) = (plan.span(Space::Arena, 0, 16), plan.span(Space::Parameter(1), 0, 16));
    let out = plan.span(Space::Output(0), 0, 16);
    let body = vec![plan.add([a, w, middle]), plan.add([middle, v, out])];
    let body = plan.block(body);
    plan.function("main", body, 16, &[16], &[16]);
    let parameter = |scope: &str, name: &str| Parameter {
        scope: scope.into(),
        name: name.into(),
        element_type: "f32".into(),
        shape: vec![4],
        bytes: 16,
        ..Parameter::default()
    };
    let main = signature("main", vec![f32s(4)], vec![f32s(4)]);
    let parameters = vec![parameter("", "w"), parameter("model", "v")];
    let Some(module) = build(plan.program, vec![main], parameters, &[]) else { return };
    let device = open_device("cpu").unwrap();
    let dir = tempfile::tempdir().unwrap();
    let write = |file: &str, tensors: &[(&str, &str, u64, f32)]| {
        let (mut header, mut data) = (Vec::new(), Vec::new());
        for (name, dtype, count, value) in tensors {
            let start = data.len();
            data.extend((0..*count).flat_map(|_| value.to_le_bytes()));
            header.push(format!(
                r#""{name}":{{"dtype":"{dtype}","shape":[{count}],"data_offsets":[{start},{}]}}"#,
                data.len()
            ));
        }
        let header = format!("{{{}}}", header.join(","));
        let path = dir.path().join(file);
        std::fs::write(&path, [&(header.len() as u64).to_le_bytes(), header.as_bytes(), &data].concat()).unwrap();
        path.display().to_string()
    };
    let load = |files: &[String]| {
        let parameters = files.iter().map(|file| ParameterFile::parse(file)).collect();
        Session::load(&module, &device, &SessionOptions { parameters, ..SessionOptions::default() })
    };
    let plain = write("a.safetensors", &[("w", "F32", 4, 10.0), ("unused", "F32", 2, 0.0)]);
    let scoped = format!("model={}", write("b.safetensors", &[("v", "F32", 4, 100.0)]));
    let mut session = load(&[plain.clone(), scoped]).unwrap();
    assert_eq!(shown(&session.invoke("main", &inputs(&["4xf32=1"])).unwrap()), ["4xf32=111 111 111 111"]);
    // A file without a scope serves scopes that have no file.
    let both = write("c.safetensors", &[("w", "F32", 4, 1.0), ("v", "F32", 4, 2.0)]);
    load(&[both]).unwrap();
    let wrong = write("d.safetensors", &[("w", "I32", 4, 1.0), ("vv", "F32", 4, 2.0)]);
    let error = load(&[wrong]).err().unwrap();
    assert_eq!(error.code(), "FX0714");
    for part in ["1 missing: model::v (4xf32)", "w: the module wants 4xf32, the file has 4xi32", "1 not used: vv"] {
        assert!(error.to_string().contains(part), "{error}");
    }
    assert!(load(&[]).err().unwrap().to_string().contains("2 missing"));
    assert_eq!(load(&["x.bin".to_string()]).err().unwrap().code(), "FX0714");
}

/// The model's function is (w, a, v) -> a + w + v: w and v are parameters, a call takes a.
#[test]
fn parameters_come_from_the_arguments_of_the_model() {
    let mut plan = Plan::new();
    let (a, w) = (plan.span(Space::Input(0), 0, 16), plan.span(Space::Parameter(0), 0, 16));
    let (middle, v) = (plan.span(Space::Arena, 0, 16), plan.span(Space::Parameter(1), 0, 16));
    let out = plan.span(Space::Output(0), 0, 16);
    let body = vec![plan.add([a, w, middle]), plan.add([middle, v, out])];
    let body = plan.block(body);
    plan.function("main", body, 16, &[16], &[16]);
    let parameter = |scope: &str, name: &str| Parameter {
        scope: scope.into(),
        name: name.into(),
        element_type: "f32".into(),
        shape: vec![4],
        bytes: 16,
        ..Parameter::default()
    };
    let at = |argument, parameter| ParameterArgument { argument, parameter };
    let main =
        FunctionSignature { parameters: vec![at(0, 0), at(2, 1)], ..signature("main", vec![f32s(4)], vec![f32s(4)]) };
    let parameters = vec![parameter("", "w"), parameter("model", "v")];
    let Some(module) = build(plan.program, vec![main], parameters, &[]) else { return };
    let (given, tensors) = module.split_arguments("main", inputs(&["4xf32=1", "4xf32=20", "4xf32=300"])).unwrap();
    let names: Vec<&str> = tensors.iter().map(|tensor| tensor.name.as_str()).collect();
    assert_eq!(names, ["w", "model::v"]);
    let load = |tensors: &[ParameterTensor]| {
        let options = SessionOptions { tensors: tensors.to_vec(), ..SessionOptions::default() };
        Session::load(&module, &open_device("cpu").unwrap(), &options)
    };
    assert_eq!(shown(&load(&tensors).unwrap().invoke("main", &given).unwrap()), ["4xf32=321 321 321 321"]);
    let why = |tensors: &[ParameterTensor]| load(tensors).err().unwrap().to_string();
    assert!(why(&tensors[..1]).contains("1 missing: model::v (4xf32)"));
    assert!(why(&[&tensors[..], &tensors[..1]].concat()).contains("w: given twice"));
    let wrong = ParameterTensor { name: "w".into(), tensor: Arc::new(inputs(&["5xf32=0"]).remove(0)) };
    assert!(why(&[wrong, tensors[1].clone()]).contains("w: the module wants 4xf32, given was 5xf32"));
    // Errors number arguments as the model does.
    let refused = |texts: &[&str]| module.split_arguments("main", inputs(texts)).unwrap_err();
    let error = refused(&["4xf32=1"]);
    assert_eq!((error.code(), error.message().contains("takes 3 inputs, 1 were given")), ("FX0711", true), "{error}");
    let error = refused(&["4xf32=1", "4xf32=1", "3xf32=1"]);
    assert_eq!((error.code(), error.message().starts_with("input 2 of @main")), ("FX0713", true), "{error}");
    assert_eq!(refused(&["4xi32=1", "4xf32=1", "4xf32=1"]).code(), "FX0712");
}

/// Load computes p = u + v and q = v + w, a call gives a + p + q + k: u, v and w come and go one after the other.
#[test]
fn parameters_that_load_alone_reads_are_given_back() {
    let mut plan = Plan::new();
    let [u, v, w, k] = [0, 1, 2, 3].map(|number| plan.span(Space::Parameter(number), 0, 16));
    let (p, q) = (plan.span(Space::Persistent, 0, 16), plan.span(Space::Persistent, 256, 16));
    let (a, out) = (plan.span(Space::Input(0), 0, 16), plan.span(Space::Output(0), 0, 16));
    let (one, two) = (plan.span(Space::Arena, 0, 16), plan.span(Space::Arena, 256, 16));
    let body = vec![plan.add([a, p, one]), plan.add([one, q, two]), plan.add([two, k, out])];
    let body = plan.block(body);
    plan.function("main", body, 512, &[16], &[16]);
    let load = vec![plan.add([u, v, p]), plan.add([v, w, q])];
    plan.program.load = Some(plan.block(load));
    plan.program.persistent_bytes = 512;
    let parameter = |name: &&str| Parameter {
        name: name.to_string(),
        element_type: "f32".into(),
        shape: vec![4],
        bytes: 16,
        ..Parameter::default()
    };
    let names = ["u", "v", "w", "k"];
    let main = signature("main", vec![f32s(4)], vec![f32s(4)]);
    let Some(module) = build(plan.program, vec![main], names.iter().map(parameter).collect(), &[]) else { return };
    let values = inputs(&["4xf32=1", "4xf32=20", "4xf32=300", "4xf32=4000"]).into_iter().map(Arc::new);
    let given = names.iter().zip(values).map(|(name, tensor)| ParameterTensor { name: name.to_string(), tensor });
    let options = SessionOptions { tensors: given.collect(), ..SessionOptions::default() };
    let device = open_device("cpu").unwrap();

    let plan = Session::plan(&module, &device, &options).unwrap();
    assert_eq!((plan.weights, plan.at_load, plan.prepared), (256, 512, 512), "two of three at a time");
    assert_eq!((plan.prepared_for("main"), plan.prepared_for("other")), (32, 0));
    let mut session = Session::load(&module, &device, &options).unwrap();
    let kept: Vec<bool> = session.parameters.iter().map(Option::is_some).collect();
    assert_eq!(kept, [false, false, false, true]);
    let wanted = ["4xf32=4342 4342 4342 4342"];
    assert_eq!(shown(&session.invoke("main", &inputs(&["4xf32=1"])).unwrap()), wanted);

    struct Count(usize);
    impl Observer for Count {
        fn see(&mut self, _: DispatchAt, moment: Moment<'_>) -> Result<()> {
            self.0 += usize::from(matches!(moment, Moment::After(_)));
            Ok(())
        }
    }
    let seen = Arc::new(Mutex::new(Count(0)));
    assert!(session.observe_load(seen.clone()).is_err(), "what it reads is no longer there");
    let keeps = SessionOptions { keeps_parameters: true, ..options };
    let mut session = Session::load(&module, &device, &keeps).unwrap();
    session.observe_load(seen.clone()).unwrap();
    assert_eq!(seen.lock().unwrap().0, 2);
    assert_eq!(shown(&session.invoke("main", &inputs(&["4xf32=1"])).unwrap()), wanted);
}

#[test]
fn modules_that_are_none_are_refused() {
    assert_eq!(Module::from_bytes(vec![]).err().unwrap().exit_code(), 2);
    assert_eq!(Module::from_bytes(b"hello world, this is no module".repeat(10)).err().unwrap().exit_code(), 2);
    let error = Module::open(std::path::Path::new("no-such-module.fnx")).err().unwrap();
    assert_eq!((error.code(), error.exit_code()), ("FX0718", 1));
    let Some(module) = sum_module() else { return };
    let bytes = module.parsed().source().0.bytes().to_vec();
    for len in (0..bytes.len()).step_by(61) {
        assert!(Module::from_bytes(bytes[..len].to_vec()).is_err());
    }
}

#[test]
fn clocks_of_bench_stop_after_the_wait() {
    let Some(module) = sum_module() else { return };
    let log = Log::default();
    let device = Device::new(Arc::new(NullDevice::new(log.clone())));
    let mut session = Session::load(&module, &device, &SessionOptions::default()).unwrap();
    let before = log.lines().len();
    let options = BenchOptions {
        warmup_calls: Some(2),
        time: std::time::Duration::ZERO,
        min_calls: 3,
        queue_calls: 4,
        stop: None,
    };
    let result = bench(&mut session, "main", &inputs(&["4xf32=0", "4xf32=0"]), &options).unwrap();
    assert_eq!((result.one.calls, result.warmup_calls, result.stopped), (3, 2, false));
    let lines = log.lines().split_off(before);
    // A call is two launches; what is told is when the host launches (L) and waits (w).
    let told = |line: &String| match line.as_str() {
        line if line.starts_with("dispatch") => Some('L'),
        "synchronize" => Some('w'),
        _ => None,
    };
    let order: String = lines.iter().filter_map(told).collect();
    // Inputs are there; five calls and a wait each; a queue of four and a wait; one call
    // to compare with the first; three calls from host tensors.
    assert_eq!(order, format!("w{}{}w{}", "LLw".repeat(5), "LL".repeat(4), "LLw".repeat(1 + 3)));
    assert_eq!(result.same_bits, Some(true));
}

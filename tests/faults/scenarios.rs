//! What the runtime does while calls fail: from opening a device to unloading modules.

use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

use fornax_runtime::hal::{Command, CommandList, Device, ImageKind, KernelSpec, OpenOptions, Place};
use fornax_runtime::registry::{open_device, open_device_with};
use fornax_runtime::session::{BenchOptions, Module, Session, SessionOptions, bench};
use fornax_runtime::tensor::parse::parse_inputs;
use fornax_runtime::{Result, RuntimeError, Tensor};

/// The bytes of all results of a scenario.
pub type Outcome = Vec<Vec<u8>>;

pub struct Scenario {
    pub name: &'static str,
    /// Settings of the double; the scenario runs with each. Those that the double does not know are left out.
    pub settings: &'static [&'static str],
    pub traits: &'static [Trait],
    pub run: fn(&Fixture) -> Result<Outcome, RuntimeError>,
}

/// What a scenario's cases have to be judged by.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Trait {
    /// Results come from kernels, which the doubles do not execute here.
    Kernels,
    /// Several threads: which call is the K-th differs from run to run.
    Threads,
    /// A device is opened again after it was closed: it may have been lost in between.
    Reopens,
    /// CUDA may load kernels of its own, which decide loops.
    Decides,
    /// Only OpenCL keeps what its compiler made.
    Keeps,
    /// Only CUDA moves a recorded list to other memory.
    Moves,
    /// Only CUDA compiles parts of an image at the same time.
    Parts,
}

use Trait::{Decides, Keeps, Kernels, Moves, Parts, Reopens, Threads};

const PLAIN: &[&str] = &[""];
const BOTH_ALLOCATORS: &[&str] = &["", "pools=0"];

#[rustfmt::skip]
pub const SCENARIOS: &[Scenario] = &[
    Scenario { name: "open_and_close",
               settings: &["", "pools=0", "properties=old pools=0"], traits: &[Reopens], run: open_and_close },
    Scenario { name: "load_a_module", settings: &["", "properties=old"], traits: &[], run: load_a_module },
    Scenario { name: "run_once", settings: BOTH_ALLOCATORS, traits: &[Kernels], run: run_once },
    Scenario { name: "run_many_times", settings: PLAIN, traits: &[Kernels], run: run_many_times },
    Scenario { name: "same_session_again", settings: PLAIN, traits: &[Kernels], run: same_session_again },
    Scenario { name: "several_devices", settings: PLAIN, traits: &[Kernels], run: several_devices },
    Scenario { name: "sizes_that_grow", settings: BOTH_ALLOCATORS, traits: &[Kernels], run: sizes_that_grow },
    Scenario { name: "little_memory",
               settings: &["memory=1048576", "memory=1048576 pools=0"], traits: &[], run: little_memory },
    Scenario { name: "donated_inputs", settings: PLAIN, traits: &[Kernels], run: donated_inputs },
    Scenario { name: "counted_loops", settings: PLAIN, traits: &[Kernels], run: counted_loops },
    Scenario { name: "loops_on_data", settings: PLAIN, traits: &[Kernels, Decides], run: loops_on_data },
    Scenario { name: "branches", settings: PLAIN, traits: &[Kernels, Decides], run: branches },
    Scenario { name: "copies_and_fills", settings: PLAIN, traits: &[], run: copies_and_fills },
    Scenario { name: "calls_elsewhere", settings: PLAIN, traits: &[Kernels, Moves], run: calls_elsewhere },
    Scenario { name: "moved_copies_and_fills", settings: PLAIN, traits: &[Moves], run: moved_copies_and_fills },
    Scenario { name: "contexts_of_two_threads",
               settings: PLAIN, traits: &[Kernels, Threads], run: contexts_of_two_threads },
    Scenario { name: "unload_while_queued", settings: BOTH_ALLOCATORS, traits: &[Kernels], run: unload_while_queued },
    Scenario { name: "kept_kernels", settings: PLAIN, traits: &[Kernels, Keeps], run: kept_kernels },
    Scenario { name: "ptx_in_parts", settings: PLAIN, traits: &[Threads, Parts], run: ptx_in_parts },
    Scenario { name: "measure", settings: PLAIN, traits: &[Kernels], run: measure },
];

/// The modules of the folder, and inputs for them.
pub struct Fixture {
    driver: &'static str,
    modules: HashMap<String, Module>,
}

impl Fixture {
    pub fn open(driver: &'static str, folder: &Path) -> Fixture {
        let open = |(name, _): &(&str, &str)| {
            let path = folder.join(format!("{name}.fnx"));
            (name.to_string(), Module::open(&path).unwrap())
        };
        Fixture { driver, modules: crate::MODELS.iter().map(open).collect() }
    }

    fn device(&self, ordinal: usize) -> Result<Device> {
        open_device(&format!("{}://{ordinal}", self.driver))
    }

    fn module(&self, name: &str) -> &Module {
        self.modules.get(name).unwrap()
    }

    fn session(&self, device: &Device, name: &str) -> Result<Session> {
        Session::load(self.module(name), device, &SessionOptions::default())
    }

    /// Inputs of a static function: small numbers that differ from one element to the next.
    fn inputs(&self, name: &str) -> Vec<Tensor> {
        let signature = self.module(name).function(None).unwrap();
        let input = |tensor: &fornax_module::manifest::TensorSignature| {
            let size = |dim: &fornax_module::manifest::DimSig| match dim {
                fornax_module::manifest::DimSig::Static(n) => n.to_string(),
                _ => "3".to_string(),
            };
            let shape: Vec<String> = tensor.shape.iter().map(size).collect();
            let elements: usize = shape.iter().map(|n| n.parse::<usize>().unwrap()).product();
            let values: Vec<String> = (0..elements).map(|at| (at % 7).to_string()).collect();
            let ty = [shape, vec![tensor.element_type.clone()]].concat().join("x");
            format!("{ty}={}", values.join(" "))
        };
        tensors(&signature.inputs.iter().map(input).collect::<Vec<_>>())
    }

    /// Loads a module on the first device and calls its function.
    fn call(&self, name: &str, times: usize) -> Result<Outcome> {
        let device = self.device(0)?;
        let mut session = self.session(&device, name)?;
        let (function, inputs) = (session.function(None)?.name.clone(), self.inputs(name));
        let mut results = Vec::new();
        for _ in 0..times {
            results.extend(bytes(session.invoke(&function, &inputs)?));
        }
        Ok(results)
    }
}

fn tensors(texts: &[String]) -> Vec<Tensor> {
    parse_inputs(texts, &[]).unwrap().into_iter().flatten().collect()
}

fn bytes(tensors: Vec<Tensor>) -> Outcome {
    tensors.into_iter().map(Tensor::into_bytes).collect()
}

fn open_and_close(fixture: &Fixture) -> Result<Outcome> {
    for _ in 0..2 {
        let device = fixture.device(1)?;
        device.synchronize()?;
    }
    Ok(Vec::new())
}

fn load_a_module(fixture: &Fixture) -> Result<Outcome> {
    let device = fixture.device(0)?;
    fixture.session(&device, "constants")?;
    Ok(Vec::new())
}

fn run_once(fixture: &Fixture) -> Result<Outcome> {
    fixture.call("layers", 1)
}

/// From the second time on CUDA runs a graph.
fn run_many_times(fixture: &Fixture) -> Result<Outcome> {
    let device = fixture.device(0)?;
    let mut session = fixture.session(&device, "layers")?;
    let function = session.function(None)?.name.clone();
    let inputs = session.upload_inputs(&function, &fixture.inputs("layers"))?;
    let mut outputs = session.invoke_on_device(&function, &inputs)?;
    for _ in 0..4 {
        drop(std::mem::take(&mut outputs));
        outputs = session.invoke_on_device(&function, &inputs)?;
    }
    let results = outputs.iter().map(|output| session.download(output)).collect::<Result<Vec<_>>>()?;
    Ok(bytes(results))
}

/// A call that fails does not spoil the session: the next one on it goes well, unless the device is lost.
fn same_session_again(fixture: &Fixture) -> Result<Outcome> {
    let device = fixture.device(0)?;
    let mut session = fixture.session(&device, "row")?;
    let (function, inputs) = (session.function(None)?.name.clone(), fixture.inputs("row"));
    let first = session.invoke(&function, &inputs);
    if device.health().is_err() {
        return first.map(bytes);
    }
    let second = session.invoke(&function, &inputs);
    match first {
        Ok(_) => second.map(bytes),
        Err(first) => {
            second.unwrap_or_else(|error| panic!("the second call: {error}"));
            Err(first)
        }
    }
}

fn several_devices(fixture: &Fixture) -> Result<Outcome> {
    let devices = [fixture.device(0)?, fixture.device(1)?];
    let mut sessions = devices.iter().map(|device| fixture.session(device, "row")).collect::<Result<Vec<_>>>()?;
    let (function, inputs) = (sessions[0].function(None)?.name.clone(), fixture.inputs("row"));
    let mut results = Vec::new();
    for session in &mut sessions {
        results.extend(bytes(session.invoke(&function, &inputs)?));
    }
    Ok(results)
}

/// The arena and the recorded calls of a session are made anew when sizes grow.
fn sizes_that_grow(fixture: &Fixture) -> Result<Outcome> {
    let device = fixture.device(0)?;
    let mut session = fixture.session(&device, "sizes")?;
    let signature = session.function(None)?.clone();
    let mut results = Vec::new();
    for rows in [2, 7, 3, 40] {
        let text = |tensor: &fornax_module::manifest::TensorSignature| {
            let size = |dim: &fornax_module::manifest::DimSig| match dim {
                fornax_module::manifest::DimSig::Static(n) => n.to_string(),
                _ => rows.to_string(),
            };
            let shape: Vec<String> = tensor.shape.iter().map(size).collect();
            format!("{}x{}=0.5", shape.join("x"), tensor.element_type)
        };
        let inputs = tensors(&signature.inputs.iter().map(text).collect::<Vec<_>>());
        results.extend(bytes(session.invoke(&signature.name, &inputs)?));
    }
    Ok(results)
}

/// A block of more than half of the memory after another one: the pool gives the first back. Then a block that nothing
/// can make room for.
fn little_memory(fixture: &Fixture) -> Result<Outcome> {
    let device = fixture.device(0)?;
    for kib in [600, 700] {
        let buffer = device.allocate(kib << 10, Place::Device)?;
        device.upload(&buffer.slice(0, 4), &[1, 2, 3, 4])?;
    }
    let refused = device.allocate(2 << 20, Place::Device).err();
    match refused.map(RuntimeError::from) {
        Some(error) if error.code() == "FX0706" && error.message().contains("2097152 bytes requested") => {}
        Some(error) => return Err(error),
        None => panic!("two MiB of one"),
    }
    let buffer = device.allocate(1000 << 10, Place::Device)?;
    device.upload(&buffer.slice(0, 4), &[5, 6, 7, 8])?;
    let mut read = vec![0; 4];
    device.download(&buffer.slice(0, 4), &mut read)?;
    Ok(vec![read])
}

fn donated_inputs(fixture: &Fixture) -> Result<Outcome> {
    let device = fixture.device(0)?;
    let mut session = fixture.session(&device, "donated")?;
    let function = session.function(None)?.name.clone();
    let mut inputs = session.upload_inputs(&function, &fixture.inputs("donated"))?;
    let mut sums = Vec::new();
    for _ in 0..3 {
        let outputs = session.invoke_on_device(&function, &inputs)?;
        sums.push(outputs[1].clone());
        inputs[0] = outputs[0].clone();
    }
    sums.push(inputs[0].clone());
    let results = sums.iter().map(|output| session.download(output)).collect::<Result<Vec<_>>>()?;
    Ok(bytes(results))
}

fn counted_loops(fixture: &Fixture) -> Result<Outcome> {
    fixture.call("counted", 2)
}

fn loops_on_data(fixture: &Fixture) -> Result<Outcome> {
    fixture.call("loop", 2)
}

fn branches(fixture: &Fixture) -> Result<Outcome> {
    fixture.call("branches", 1)
}

/// More bytes than a staging buffer holds, every width of fill, copies on the device, without a kernel.
fn copies_and_fills(fixture: &Fixture) -> Result<Outcome> {
    let device = fixture.device(0)?;
    // In turns that fit no power of two; repeated, not computed, for each of some hundred calls to fail.
    let mut bytes = (0..251u8).collect::<Vec<_>>().repeat((9 << 19) / 251 + 1);
    bytes.truncate(9 << 19);
    let (from, to) = (device.upload_new(&bytes)?, device.allocate(bytes.len() as u64, Place::Device)?);
    let mut commands = vec![Command::Copy { source: from.all(), target: to.all() }];
    for (at, width) in [1u8, 2, 4, 8].into_iter().enumerate() {
        let target = to.slice(4096 * at as u64, 1024);
        commands.push(Command::Fill { target, pattern: 0x1122_3344_5566_7788, pattern_bytes: width });
    }
    let list = device.record(&commands)?;
    drop(from);
    for _ in 0..2 {
        device.submit(&list)?;
    }
    let mut read = vec![0; bytes.len()];
    device.download(&to.all(), &mut read)?;
    Ok(vec![read])
}

/// A caller whose arrays lie elsewhere every time: the fifth call is recorded, the later ones are that one moved.
fn calls_elsewhere(fixture: &Fixture) -> Result<Outcome> {
    let device = fixture.device(0)?;
    let mut session = fixture.session(&device, "layers")?;
    let function = session.function(None)?.name.clone();
    let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
    for _ in 0..7 {
        inputs.push(session.upload_inputs(&function, &fixture.inputs("layers"))?);
        outputs.extend(session.invoke_on_device(&function, inputs.last().unwrap())?);
    }
    drop(inputs);
    let results = outputs.iter().map(|output| session.download(output)).collect::<Result<Vec<_>>>()?;
    Ok(bytes(results))
}

/// The same commands on other memory.
fn moved_copies_and_fills(fixture: &Fixture) -> Result<Outcome> {
    let device = fixture.device(0)?;
    let mut results = Vec::new();
    let mut before: Option<CommandList> = None;
    let mut kept = Vec::new();
    for round in 0..3u8 {
        let (from, to) = (device.upload_new(&[round; 8192])?, device.allocate(8192, Place::Device)?);
        let copies = [Command::Copy { source: from.all(), target: to.all() }];
        let fills = [1u8, 2, 4, 8].into_iter().enumerate().map(|(at, width)| {
            let target = to.slice(2048 * at as u64, 1024);
            Command::Fill { target, pattern: 0x1122_3344_5566_7788, pattern_bytes: width }
        });
        let list = device.record(&copies.into_iter().chain(fills).collect::<Vec<_>>())?;
        device.rebind(&list, before.as_ref())?;
        for _ in 0..2 {
            device.submit(&list)?;
        }
        let mut read = vec![0; 8192];
        device.download(&to.all(), &mut read)?;
        assert_eq!(read[2047], round, "the copy of this round");
        results.push(read);
        before = Some(list);
        kept.push((from, to));
    }
    Ok(results)
}

fn contexts_of_two_threads(fixture: &Fixture) -> Result<Outcome> {
    let (first, second) = std::thread::scope(|scope| {
        let one = || scope.spawn(|| fixture.call("row", 2));
        let (first, second) = (one(), one());
        (first.join().unwrap(), second.join().unwrap())
    });
    Ok([first?, second?].concat())
}

/// Sessions go while their last calls are still queued, and in another order than they came.
fn unload_while_queued(fixture: &Fixture) -> Result<Outcome> {
    let device = fixture.device(0)?;
    let mut sessions = Vec::new();
    let mut outputs = Vec::new();
    for name in ["row", "layers", "constants"] {
        let mut session = fixture.session(&device, name)?;
        let function = session.function(None)?.name.clone();
        let inputs = session.upload_inputs(&function, &fixture.inputs(name))?;
        outputs.extend(session.invoke_on_device(&function, &inputs)?);
        sessions.push(session);
    }
    let last = sessions.remove(1);
    drop(sessions);
    let results = outputs.iter().map(|output| last.download(output)).collect::<Result<Vec<_>>>()?;
    Ok(bytes(results))
}

/// The first session keeps what the device's compiler made; the second takes that, or compiles again.
fn kept_kernels(fixture: &Fixture) -> Result<Outcome> {
    let folder = tempfile::tempdir().unwrap();
    let options = OpenOptions { compiled: Some(folder.path().to_path_buf()), ..OpenOptions::default() };
    let device = open_device_with(&format!("{}://0", fixture.driver), options)?.0;
    let inputs = fixture.inputs("row");
    let mut results = Vec::new();
    for _ in 0..2 {
        let mut session = fixture.session(&device, "row")?;
        let function = session.function(None)?.name.clone();
        results.extend(bytes(session.invoke(&function, &inputs)?));
    }
    Ok(results)
}

/// An image so large that threads share its kernels out.
fn ptx_in_parts(fixture: &Fixture) -> Result<Outcome> {
    let device = fixture.device(0)?;
    let names: Vec<String> = (0..6).map(|at| format!("kernel_{at}")).collect();
    let body = "\tadd.s32 %r1, %r1, 1;\n".repeat(2000);
    let entry = |name: &String| format!(".visible .entry {name}()\n{{\n{body}}}\n");
    let header = ".version 7.0\n.target sm_80\n.address_size 64\n".to_string();
    let text = header + &names.iter().map(entry).collect::<String>() + "\0";
    let specs: Vec<KernelSpec> =
        names.into_iter().map(|name| KernelSpec { name, block: [32, 1, 1], ..KernelSpec::default() }).collect();
    for _ in 0..2 {
        device.load(ImageKind::Ptx, text.as_bytes(), &specs)?;
    }
    Ok(Outcome::new())
}

fn measure(fixture: &Fixture) -> Result<Outcome> {
    let device = fixture.device(0)?;
    let mut session = fixture.session(&device, "row")?;
    let (function, inputs) = (session.function(None)?.name.clone(), fixture.inputs("row"));
    let options =
        BenchOptions { warmup_calls: Some(1), time: Duration::ZERO, min_calls: 1, queue_calls: 2, stop: None };
    bench(&mut session, &function, &inputs, &options)?;
    Ok(bytes(session.invoke_timed(&function, &inputs)?.0))
}

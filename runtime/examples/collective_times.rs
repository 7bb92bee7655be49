//! How long collectives take on some devices: each size in one command list, a CUDA graph on NVIDIA GPUs.
//!
//! ```console
//! $ cargo run -p fornax-runtime --example collective_times -- cpu:0-1 all_reduce:bf16:512,8192 all_gather:f32:4096
//! all_reduce bf16 512 bytes: … us, … GB/s
//! all_reduce bf16 8192 bytes: … us, … GB/s
//! all_gather f32 4096 bytes: … us, … GB/s
//! ```
//!
//! `nccl` behind the devices takes NCCL for it.
//! Bytes are those of a device's source. A line says the microseconds of one collective, and bytes of the source a
//! second. Before the times, sums are compared with sums of the host, and later results with the first ones.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use fornax_module::collective::{Collective as Operation, CollectiveKind, Reducer};
use fornax_runtime::hal::{Collective, Command, Device, OpenOptions, Place, Transport};
use fornax_runtime::team;
use fornax_types::ElementType;

const TIMEOUT: Duration = Duration::from_secs(20);
/// Collectives of a list, and bytes that all of them move at most.
const IN_A_LIST: u64 = 64;
const BYTES_OF_A_LIST: u64 = 4 << 30;
/// Submissions of a list that are timed.
const TIMED: u32 = 20;

type Failure = Box<dyn Error + Send + Sync>;

fn main() -> Result<(), Failure> {
    let mut words = std::env::args().skip(1);
    let names = words.next().ok_or("devices are missing: cuda:0-1")?;
    let mut words = words.peekable();
    let transport = match words.next_if(|word| !word.contains(':')).as_deref() {
        None | Some("auto") => Transport::Auto,
        Some("own") => Transport::Own,
        Some("nccl") => Transport::Nccl,
        Some(other) => return Err(format!("{other}: own or nccl").into()),
    };
    let devices = team::open(&names, OpenOptions { transport, ..OpenOptions::default() })?;
    let places = Collective::join(&devices, TIMEOUT)?;
    let members: Vec<(Device, Collective)> = devices.into_iter().zip(places).collect();
    for word in words {
        let parts: Vec<&str> = word.split(':').collect();
        let [kind, element, sizes] = parts[..] else { return Err(format!("{word}: kind:element:bytes,…").into()) };
        let kind = CollectiveKind::of_name(kind).ok_or("no such kind")?;
        let element = ElementType::from_spelling(element).ok_or("no such element type")?;
        for size in sizes.split(',') {
            run(&members, kind, element, size.parse()?)?;
        }
    }
    Ok(())
}

fn run(
    members: &[(Device, Collective)],
    kind: CollectiveKind,
    element: ElementType,
    bytes: u64,
) -> Result<(), Failure> {
    let all = (0..members.len() as u32).collect();
    let groups = match kind {
        CollectiveKind::Permute => (0..members.len() as u32).map(|d| vec![d, (d + 1) % members.len() as u32]).collect(),
        _ => vec![all],
    };
    let reducer = kind.reduces().then_some(Reducer::Add);
    let operation = Operation { kind, reducer, element, groups };
    let results: Vec<Result<Measured, Failure>> = std::thread::scope(|scope| {
        let threads: Vec<_> = members
            .iter()
            .map(|member| (member, operation.clone()))
            .map(|(member, operation)| {
                scope.spawn(move || {
                    let result = one(member, operation, bytes);
                    if let Err(error) = &result {
                        member.1.fail(&error.to_string());
                    }
                    result
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| Err("a thread ended".into()))).collect()
    });
    let results: Vec<Measured> = results.into_iter().collect::<Result<_, _>>()?;
    if kind == CollectiveKind::AllReduce {
        if results.iter().any(|one| one.first != results[0].first) {
            return Err("devices have different sums".into());
        }
        let wrong = results[0].first.iter().zip(expected(element, bytes, members.len())).position(|(a, b)| *a != b);
        if let Some(at) = wrong {
            return Err(format!("byte {at} of the sum is wrong").into());
        }
    }
    let us = results.iter().map(|one| one.us).fold(0.0, f64::max);
    let name = kind.name();
    println!("{name} {} {bytes} bytes: {us:.2} us, {:.1} GB/s", element.spelling(), bytes as f64 / us / 1e3);
    Ok(())
}

struct Measured {
    us: f64,
    first: Vec<u8>,
}

/// Numbers whose sums are exact: small integers, or bytes of other types.
fn start(element: ElementType, bytes: u64, device: usize) -> Vec<u8> {
    let value = |at: usize| ((at * 7 + device * 3) % 31) as f32;
    let count = bytes as usize / element.storage_bytes();
    match element {
        ElementType::F32 => (0..count).flat_map(|at| value(at).to_le_bytes()).collect(),
        ElementType::Bf16 => (0..count).flat_map(|at| ((value(at).to_bits() >> 16) as u16).to_le_bytes()).collect(),
        _ => (0..bytes as usize).map(|at| value(at) as u8).collect(),
    }
}

fn expected(element: ElementType, bytes: u64, devices: usize) -> Vec<u8> {
    let value = |at: usize| (0..devices).map(|device| (at * 7 + device * 3) % 31).sum::<usize>() as f32;
    let count = bytes as usize / element.storage_bytes();
    match element {
        ElementType::F32 => (0..count).flat_map(|at| value(at).to_le_bytes()).collect(),
        ElementType::Bf16 => (0..count).flat_map(|at| ((value(at).to_bits() >> 16) as u16).to_le_bytes()).collect(),
        _ => Vec::new(),
    }
}

fn one((device, with): &(Device, Collective), operation: Operation, bytes: u64) -> Result<Measured, Failure> {
    let source = device.upload_new(&start(operation.element, bytes, with.device() as usize))?.all();
    let target_bytes = operation.target_bytes(bytes).ok_or("bytes do not divide")?;
    let target = device.allocate(target_bytes, Place::Device)?.all();
    let times = (BYTES_OF_A_LIST / bytes.max(1)).clamp(1, IN_A_LIST);
    let operation = Arc::new(operation);
    let command = || Command::Collective {
        with: with.clone(),
        operation: operation.clone(),
        source: source.clone(),
        target: target.clone(),
    };
    let commands: Vec<Command> = (0..times.max(4)).map(|_| command()).collect();
    let list = device.record(&commands)?;
    let download = || -> Result<Vec<u8>, Failure> {
        let mut bytes = vec![0; target_bytes as usize];
        device.download(&target, &mut bytes)?;
        Ok(bytes)
    };
    device.submit(&list)?;
    let first = download()?;
    // Recorded, then warm.
    for _ in 0..3 {
        device.submit(&list)?;
    }
    device.synchronize()?;
    let begin = device.event()?;
    for _ in 0..TIMED {
        device.submit(&list)?;
    }
    let end = device.event()?;
    let us = 1e3 * device.elapsed_ms(&begin, &end)? / f64::from(TIMED) / commands.len() as f64;
    device.synchronize()?;
    if download()? != first {
        return Err("a repeat gave other bits".into());
    }
    Ok(Measured { us, first })
}

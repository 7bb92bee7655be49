//! The text of every kernel, through NVIDIA's assembler where one is in PATH; how a kernel ends that waits in vain,
//! where there is a GPU. What collectives compute is tested in `hal/conformance/collectives.rs`.

use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use fornax_module::collective::{CollectiveKind, Reducer, combines};
use fornax_types::ElementType;

use super::Meeting;
use super::ptx::{Kernel, Way, Work, pad_bytes};
use crate::drivers::cuda::CudaDriver;
use crate::drivers::host_team::Post;
use crate::hal::ahead::PIECES_MAX;
use crate::hal::{Driver, HalErrorKind, OpenOptions, Place, RawCommand, RawExchange, RawList, Transport};

fn kernels(ranks: u32) -> Vec<Kernel> {
    let mut works: Vec<Work> = [1, 2, 4, 8, 16].map(Work::Gather).to_vec();
    for element in ElementType::all().filter(|element| combines(*element) && element.is_kernel_type()) {
        // Floats have no bits to combine.
        let bits = [Reducer::And, Reducer::Or];
        let reducers = Reducer::ALL.iter().filter(|by| !element.is_float() || !bits.contains(by));
        works.extend(reducers.map(|by| Work::Combine(element, *by)));
    }
    let ways =
        [Way::Push { parts: false }, Way::Push { parts: true }, Way::Pull { sources: ranks as usize, pieces: 1 }];
    let others = ranks as usize - 1;
    let more = [Way::Pull { sources: 1, pieces: 1 }, Way::Pull { sources: 0, pieces: 1 }, Way::Spread { others }];
    let ways = ways.into_iter().chain(more);
    let all = ways.flat_map(|way| works.iter().map(move |work| (way, *work)));
    let group: Box<[u32]> = (0..ranks).rev().collect();
    let kernel = |(way, work)| Kernel { work, group: group.clone(), rank: ranks as usize / 2, way, early: false };
    let combines = |way| match way {
        Way::Push { .. } => true,
        Way::Pull { sources, .. } => sources > 1,
        Way::Spread { .. } => false,
    };
    all.filter(|(way, work)| combines(*way) || !matches!(work, Work::Combine(..))).map(kernel).collect()
}

#[test]
fn every_kernel_has_a_text() {
    for ranks in [2, 3, 8, 16] {
        for kernel in kernels(ranks) {
            let text = kernel.text().unwrap_or_else(|| panic!("{kernel:?}"));
            assert!(text.ends_with("}\n\0") && text.is_ascii(), "{kernel:?}");
            assert_eq!(text.matches('{').count(), text.matches('}').count(), "{kernel:?}");
        }
    }
    // A kernel that starts early waits before it touches anything that another one may write.
    let early = Kernel { early: true, ..kernels(2).remove(0) }.text().unwrap();
    let wait = early.find("griddepcontrol.wait; griddepcontrol.launch_dependents;").unwrap();
    let touches = ["ld.volatile", "ld.global", "ld.relaxed", "ld.acquire", "st."];
    assert!(touches.iter().all(|touch| !early[..wait].contains(touch)), "{early}");
    let small = Work::Combine(ElementType::F8E4M3FN, Reducer::Add);
    let kernel =
        Kernel { work: small, group: Box::new([0, 1]), rank: 0, way: Way::Push { parts: false }, early: false };
    assert_eq!(kernel.text(), None);
    assert_eq!(pad_bytes(2), 16384 + 2 * 2 * 2048 * 1024);
}

#[test]
fn the_assembler_takes_them() {
    if Command::new("ptxas").arg("--version").output().is_err() {
        println!("skipped: no ptxas in PATH");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    // One file: the assembler starts slowly. Every element type with two reducers, and the widest kernel of many.
    let taken = |kernel: &Kernel| match kernel.work {
        Work::Combine(_, by) => {
            [Reducer::Add, Reducer::Maximum].contains(&by) && kernel.way != Way::Push { parts: true }
        }
        Work::Gather(_) => true,
    };
    let mut kernels: Vec<Kernel> = kernels(2).into_iter().filter(taken).collect();
    let sum = Work::Combine(ElementType::Bf16, Reducer::Add);
    let way = Way::Pull { sources: 8, pieces: 1 };
    kernels.push(Kernel { work: sum, group: (0..8).collect(), rank: 7, way, early: false });
    for pieces in [2, PIECES_MAX] {
        let way = Way::Pull { sources: 2 * pieces, pieces };
        kernels.push(Kernel { work: sum, group: (0..2).collect(), rank: 1, way, early: false });
    }
    // Those that start early ask for a newer version of the text.
    kernels.iter_mut().step_by(2).for_each(|kernel| kernel.early = true);
    let head = kernels[0].text().unwrap().split(".visible").next().unwrap().to_string();
    let bodies = kernels.iter().enumerate().map(|(at, kernel)| {
        let text = kernel.text().unwrap();
        let body = text.split_once(".visible").unwrap().1.trim_end_matches('\0');
        format!(".visible{}", body.replacen("exchange(", &format!("exchange{at}("), 1))
    });
    let text = std::iter::once(head).chain(bodies).collect::<Vec<_>>().join("\n");
    let file = folder.path().join("all.ptx");
    std::fs::write(&file, text).unwrap();
    let flags = ["-arch=sm_90", "-v", "-o", "/dev/null"];
    let run = Command::new("ptxas").args(flags).arg(&file).output().unwrap();
    let said = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{said}");
    assert!(said.contains("Used "), "{said}");
    let spills = said.lines().filter(|line| line.contains("spill stores") && !line.contains(" 0 bytes spill stores"));
    assert_eq!(spills.count(), 0, "{said}");
}

/// A kernel waits for a device that has met it but never queues its own: it gives up in time, and at once where the
/// other one says that it failed. Needs a GPU.
#[test]
fn a_kernel_that_waits_in_vain_gives_up() {
    let driver = CudaDriver::probe();
    let count = driver.devices().iter().filter(|info| info.unusable.is_none()).count();
    if count == 0 {
        println!("skipped: {}", driver.why_empty().unwrap_or_default());
        return;
    }
    for (kind, fails) in [CollectiveKind::AllReduce, CollectiveKind::Broadcast].into_iter().zip([false, true]) {
        let timeout = Duration::from_secs(if fails { 30 } else { 1 });
        let open = |ordinal: usize| driver.open(ordinal % count, &OpenOptions::default()).unwrap();
        let devices = [open(0), open(1)];
        let places = super::join(&devices, (Transport::Own, timeout)).unwrap();
        let buffers = devices.each_ref().map(|device| device.allocate(512, Place::Device).unwrap());
        let exchange = RawExchange {
            with: places[0].clone(),
            kind,
            reducer: kind.reduces().then_some(Reducer::Add),
            element: ElementType::F32,
            group: Box::new([0, 1]),
            groups: Arc::new([vec![0, 1]]),
            sender: None,
            source: buffers[0],
            source_bytes: 256,
            target: buffers[0] + 256,
            target_bytes: 256,
        };
        let list = [RawCommand::Collective(Box::new(exchange))];
        let mut meeting = Meeting::of(&list).unwrap();
        meeting.posts = buffers.map(|at| Post { addresses: vec![at, at + 256, 1], ..Post::default() }).to_vec();
        let commands = meeting.planned(&list, &mut 0).unwrap();
        let began = Instant::now();
        let alone = RawList { commands, recording: Mutex::default() };
        devices[0].submit(&alone, 0).unwrap();
        if fails {
            std::thread::sleep(Duration::from_millis(100));
            places[1].fail("out of ideas");
        }
        let error = devices[0].synchronize().unwrap_err();
        let words = if fails { "device 1 failed" } else { "no sign of device(s) [1]" };
        assert!(error.kind() == HalErrorKind::Peer && error.to_string().contains(words), "{error}");
        assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
        assert_eq!(devices[0].submit(&alone, 1).unwrap_err().kind(), HalErrorKind::Peer);
        assert!(devices[0].health().check().is_ok());
    }
}

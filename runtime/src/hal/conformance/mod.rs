//! One suite for every driver: each test runs on each device that opens here; drivers without a device are skipped
//! with a word.

mod collectives;
#[cfg(feature = "cpu")]
mod cpu_kernels;
#[cfg(feature = "cuda")]
mod cuda_kernels;
#[cfg(any(feature = "cuda", feature = "opencl"))]
mod loops;
#[cfg(feature = "opencl")]
mod opencl_kernels;

#[cfg(any(feature = "cuda", feature = "opencl"))]
use self::loops::branches_and_loops;
use super::*;
use crate::mapping::DeviceBytes;
use crate::registry::DRIVERS;

/// Opens every device that there is.
fn each_device(test: impl Fn(&Device)) {
    for row in DRIVERS {
        let driver = row.driver();
        match driver.why_empty() {
            Some(why) => println!("{}: skipped: {why}", row.name),
            None => {
                for info in driver.devices() {
                    if let Some(why) = &info.unusable {
                        println!("{}: skipped: {why}", info.uri());
                        continue;
                    }
                    // OpenCL's devices also as those without shared memory.
                    for plain_buffers in [false, true].into_iter().take(if row.name == "opencl" { 2 } else { 1 }) {
                        let options = OpenOptions { plain_buffers, ..OpenOptions::default() };
                        let raw = driver.open(info.ordinal, &options).unwrap();
                        println!("{}{}", info.uri(), if plain_buffers { " with buffers" } else { "" });
                        test(&Device::new(raw));
                    }
                }
            }
        }
    }
}

const BOXES_ROWS: u64 = 1000;
const BOXES_COLUMNS: u64 = 100;

/// The kernel of `copy_boxes.ptx` over two matrices of 1000 rows of 100 f32.
fn boxes_kernel() -> KernelSpec {
    let map = |binding| TensorMap {
        binding,
        element: MapElement::F32,
        swizzle: Swizzle::B128,
        offset_bytes: 0,
        dims: vec![BOXES_COLUMNS, BOXES_ROWS],
        strides: vec![4 * BOXES_COLUMNS],
        box_dims: vec![32, 256],
        element_strides: vec![1, 1],
        sizes: Vec::new(),
    };
    KernelSpec {
        name: "copy_boxes".into(),
        block: [32, 1, 1],
        dynamic_shared_bytes: 65_536 + 16,
        bindings: 2,
        tensor_maps: vec![map(0), map(1)],
        cluster: [2, 1, 1],
        ..KernelSpec::default()
    }
}

#[test]
fn tensor_maps_are_checked_when_a_dispatch_is_recorded() {
    let log = crate::drivers::null::Log::default();
    let device = Device::new(Arc::new(crate::drivers::null::NullDevice::new(log.clone())));
    let bytes = 4 * BOXES_ROWS * BOXES_COLUMNS;
    let buffer = device.allocate(bytes, Place::Device).unwrap();
    let record = |kernel: KernelSpec, grid: [u64; 3], bytes: u64| {
        let executable = device.load(ImageKind::Ptx, b".version\0", &[kernel]).unwrap();
        let bindings = [false, true].map(|writes| Binding { slice: buffer.slice(0, bytes), writes }).to_vec();
        device.record(&[Command::Dispatch { executable, kernel: 0, grid, bindings, constants: vec![7] }])
    };
    device.submit(&record(boxes_kernel(), [2, 4, 1], bytes).unwrap()).unwrap();
    assert!(log.lines().contains(&"dispatch copy_boxes 2 4 1 with 3 words and 2 tensor maps".to_string()));
    let mut refused = KernelSpec { cluster: [1; 3], ..boxes_kernel() };
    refused.tensor_maps[1].strides[0] = 404;
    for (result, words) in [
        (record(boxes_kernel(), [3, 4, 1], bytes), "no clusters of [2, 1, 1]"),
        (record(boxes_kernel(), [2, 4, 1], bytes - 4), "reaches beyond its binding"),
        (record(refused, [1, 1, 1], bytes), "a stride of 404 bytes"),
    ] {
        let error = result.err().unwrap();
        assert!(error.kind() == HalErrorKind::InvalidArgument && error.to_string().contains(words), "{error}");
    }
}

fn pattern(len: usize) -> Vec<u8> {
    (0..len).map(|at| (at * 31 + at / 251) as u8).collect()
}

fn read(device: &Device, slice: &BufferSlice) -> Vec<u8> {
    let mut bytes = vec![0xaa; slice.bytes as usize];
    device.download(slice, &mut bytes).unwrap();
    bytes
}

fn run(device: &Device, commands: &[Command]) -> HalResult<()> {
    device.submit(&device.record(commands)?)?;
    device.synchronize()
}

/// Memory goes from one queue to another and back, each time behind what was queued before.
#[test]
fn other_queues_are_ordered() {
    each_device(|device| {
        let Some(own) = device.stream() else {
            assert!(device.order_before(1).is_err() && device.order_after(1).is_err());
            return;
        };
        let other = crate::registry::open_device(&device.info().uri()).unwrap();
        let stream = other.stream().unwrap();
        assert_ne!(own, stream);
        let bytes = 64 << 20;
        let (here, there) =
            (device.allocate(bytes, Place::Device).unwrap(), other.allocate(bytes, Place::Device).unwrap());
        for round in 1..=20u64 {
            let fill = Command::Fill { target: here.all(), pattern: round, pattern_bytes: 8 };
            device.submit(&device.record(&[fill]).unwrap()).unwrap();
            device.order_before(stream).unwrap();
            let lent = other.lend(DeviceBytes::of_buffer(&here)).unwrap();
            let copy = Command::Copy { source: lent.all(), target: there.all() };
            other.submit(&other.record(&[copy]).unwrap()).unwrap();
            // The next round's fill waits for the copy.
            device.order_after(stream).unwrap();
            if round % 5 == 0 {
                let expected: Vec<u8> = (0..bytes / 8).flat_map(|_| round.to_le_bytes()).collect();
                assert!(read(&other, &there.all()) == expected, "round {round}");
            }
            assert!(lent.is_read_only() && other.lend(DeviceBytes::of_buffer(&here)).is_some());
        }
    });
}

#[test]
fn uploads_come_back_whole_and_in_part() {
    each_device(|device| {
        for len in [1, 7, 256, 4097, (4 << 20) + 3, (17 << 20) + 1] {
            let bytes = pattern(len);
            let buffer = device.upload_new(&bytes).unwrap();
            assert_eq!(buffer.bytes(), len as u64);
            assert_eq!(read(device, &buffer.all()), bytes);
        }
        let bytes = pattern(1000);
        let buffer = device.upload_new(&bytes).unwrap();
        device.upload(&buffer.slice(13, 5), b"hello").unwrap();
        assert_eq!(read(device, &buffer.slice(12, 7)), [&bytes[12..13], b"hello", &bytes[18..19]].concat());
    });
}

/// So many bytes that several threads copy them.
#[test]
fn long_uploads_come_back_whole() {
    each_device(|device| {
        let bytes = pattern((48 << 20) + 5);
        let buffers: Vec<Buffer> = (0..6).map(|_| device.upload_new(&bytes).unwrap()).collect();
        let mut back = vec![0; bytes.len()];
        for buffer in &buffers {
            device.download(&buffer.all(), &mut back).unwrap();
            assert!(back == bytes);
            back.fill(0xaa);
        }
    });
}

#[test]
fn copies_and_fills_touch_their_range_only() {
    each_device(|device| {
        let bytes = pattern(64);
        let source = device.upload_new(&bytes).unwrap();
        let target = device.upload_new(&[0xee; 64]).unwrap();
        let copy = Command::Copy { source: source.slice(3, 21), target: target.slice(17, 21) };
        run(device, &[copy]).unwrap();
        let mut expected = vec![0xee; 64];
        expected[17..38].copy_from_slice(&bytes[3..24]);
        assert_eq!(read(device, &target.all()), expected);
        for (width, offset, len) in [(1u8, 5u64, 11u64), (2, 6, 20), (4, 12, 8), (8, 16, 32)] {
            let target = device.upload_new(&[0xee; 64]).unwrap();
            let value = 0x1122_3344_5566_7788u64;
            let fill = Command::Fill { target: target.slice(offset, len), pattern: value, pattern_bytes: width };
            run(device, &[fill]).unwrap();
            let mut expected = vec![0xee; 64];
            for at in 0..len as usize {
                expected[offset as usize + at] = value.to_le_bytes()[at % usize::from(width)];
            }
            assert_eq!(read(device, &target.all()), expected, "width {width}");
        }
    });
}

#[test]
fn lists_run_in_order_and_again() {
    each_device(|device| {
        let (a, b) = (device.upload_new(&[1; 32]).unwrap(), device.upload_new(&[2; 32]).unwrap());
        let list = device
            .record(&[
                Command::Fill { target: a.all(), pattern: 7, pattern_bytes: 1 },
                Command::Copy { source: a.all(), target: b.all() },
                Command::Fill { target: a.all(), pattern: 9, pattern_bytes: 1 },
                Command::Copy { source: a.slice(0, 4), target: b.slice(4, 4) },
            ])
            .unwrap();
        for _ in 0..4 {
            device.upload(&b.all(), &[0; 32]).unwrap();
            device.submit(&list).unwrap();
            assert_eq!(read(device, &b.slice(0, 9)), [7, 7, 7, 7, 9, 9, 9, 9, 7]);
        }
    });
}

#[test]
fn nothing_is_a_size_too() {
    each_device(|device| {
        let empty = device.allocate(0, Place::Device).unwrap();
        assert_eq!(empty.bytes(), 0);
        device.upload(&empty.all(), &[]).unwrap();
        assert!(read(device, &empty.all()).is_empty());
        let fill = Command::Fill { target: empty.all(), pattern: 0, pattern_bytes: 8 };
        let copy = Command::Copy { source: empty.all(), target: empty.all() };
        run(device, &[fill, copy]).unwrap();
        run(device, &[]).unwrap();
    });
}

#[test]
fn wrong_arguments_are_errors_and_do_nothing() {
    each_device(|device| {
        let buffer = device.upload_new(&[5; 16]).unwrap();
        let other = device.upload_new(&[6; 16]).unwrap();
        let refused = |result: HalResult<()>| assert_eq!(result.unwrap_err().kind(), HalErrorKind::InvalidArgument);
        refused(device.upload(&buffer.slice(9, 8), &[0; 8]));
        refused(device.upload(&buffer.slice(0, 8), &[0; 7]));
        refused(device.download(&buffer.slice(u64::MAX, 2), &mut [0; 2]));
        refused(device.download(&buffer.slice(0, 17), &mut [0; 17]));
        refused(run(device, &[Command::Copy { source: buffer.slice(0, 8), target: other.slice(0, 9) }]));
        refused(run(device, &[Command::Copy { source: buffer.slice(0, 8), target: buffer.slice(4, 8) }]));
        refused(run(device, &[Command::Fill { target: buffer.slice(0, 6), pattern: 0, pattern_bytes: 4 }]));
        refused(run(device, &[Command::Fill { target: buffer.slice(0, 6), pattern: 0, pattern_bytes: 3 }]));
        refused(run(device, &[Command::Fill { target: buffer.slice(2, 8), pattern: 0, pattern_bytes: 4 }]));
        let stranger = Device::new(std::sync::Arc::new(crate::drivers::null::NullDevice::new(Default::default())));
        let foreign = stranger.allocate(16, Place::Device).unwrap();
        refused(run(device, &[Command::Copy { source: foreign.all(), target: buffer.all() }]));
        refused(stranger.submit(&device.record(&[]).unwrap()));
        assert_eq!(read(device, &buffer.all()), [5; 16]);
    });
}

#[test]
fn too_much_memory_is_out_of_memory_and_the_device_lives_on() {
    each_device(|device| {
        for bytes in [1 << 60, u64::MAX] {
            let error = device.allocate(bytes, Place::Device).err().unwrap();
            let HalErrorKind::OutOfMemory { requested, .. } = error.kind() else { panic!("{error}") };
            assert!(requested >= bytes);
        }
        assert!(device.memory().unwrap().total > 0);
        assert_eq!(read(device, &device.upload_new(&[3; 3]).unwrap().all()), [3; 3]);
    });
}

#[test]
fn images_that_are_none_are_refused() {
    each_device(|device| {
        let kernel = KernelSpec { name: "k".into(), block: [1, 1, 1], ..KernelSpec::default() };
        let all = [ImageKind::Ptx, ImageKind::Cubin, ImageKind::Hsaco, ImageKind::SpirV, ImageKind::CpuElf];
        for kind in all {
            assert!(device.load(kind, &[], std::slice::from_ref(&kernel)).is_err());
            if device.info().driver == "null" {
                continue;
            }
            let error = device.load(kind, b"not an image at all\0", std::slice::from_ref(&kernel)).err().unwrap();
            let expected =
                if device.image_kinds().contains(&kind) { HalErrorKind::BadImage } else { HalErrorKind::Unsupported };
            assert_eq!(error.kind(), expected, "{error}");
        }
        let kind = device.image_kinds()[0];
        for name in ["", "a\0b", "a b", &"x".repeat(201)] {
            let kernel = KernelSpec { name: name.to_string(), block: [1, 1, 1], ..KernelSpec::default() };
            assert_eq!(device.load(kind, b"x", &[kernel]).err().unwrap().kind(), HalErrorKind::InvalidArgument);
        }
        let wide = KernelSpec { name: "k".into(), block: [1 << 20, 1, 1], ..KernelSpec::default() };
        assert_eq!(device.load(kind, b"x", &[wide]).err().unwrap().kind(), HalErrorKind::Unsupported);
    });
}

#[test]
fn memory_is_reused_and_freed_once() {
    use crate::drivers::null::{Log, NullDevice};
    let log = Log::default();
    let device = Device::new(std::sync::Arc::new(NullDevice::new(log.clone())));
    let count = |what: &str| log.lines().iter().filter(|line| line.starts_with(what)).count();
    for _ in 0..10 {
        let buffer = device.allocate(1000, Place::Device).unwrap();
        let clone = buffer.clone();
        drop(buffer);
        drop(clone);
    }
    assert_eq!((count("allocate"), count("free")), (1, 0));
    // A page-locked buffer is not given out again before the queue is drained.
    drop(device.allocate(1000, Place::HostPinned).unwrap());
    drop(device.allocate(1000, Place::HostPinned).unwrap());
    assert_eq!(count("allocate"), 3);
    device.synchronize().unwrap();
    drop(device.allocate(1000, Place::HostPinned).unwrap());
    assert_eq!(count("allocate"), 3);
    // A list keeps its memory.
    let buffer = device.allocate(5000, Place::Device).unwrap();
    let list = device.record(&[Command::Fill { target: buffer.all(), pattern: 1, pattern_bytes: 1 }]).unwrap();
    drop(buffer);
    device.trim();
    device.submit(&list).unwrap();
    drop(list);
    assert_eq!((count("allocate"), count("free")), (4, 3));
    drop(device);
    assert_eq!(count("allocate"), count("free"));
}

#[test]
fn copies_can_be_waited_for_later() {
    each_device(|device| {
        // More than can be under way; some are large, some are given up, and buffers end before.
        let mut started = Vec::new();
        for at in 0..40u8 {
            let bytes = if at % 7 == 6 { 1 << 16 } else { 4 + usize::from(at) };
            let buffer = device.upload_new(&vec![at; bytes]).unwrap();
            run(device, &[Command::Fill { target: buffer.slice(0, 4), pattern: 9, pattern_bytes: 1 }]).unwrap();
            let fetch = device.fetch(&buffer.all()).unwrap();
            if at % 5 != 4 {
                started.push((at, bytes, fetch));
            }
        }
        for (at, bytes, fetch) in started {
            let found = fetch.wait().unwrap();
            if device.info().driver != "null" {
                assert_eq!(found, [&[9; 4][..], &vec![at; bytes - 4]].concat());
            }
        }
        assert!(device.fetch(&device.upload_new(&[]).unwrap().all()).unwrap().wait().unwrap().is_empty());
    });
}

#[test]
fn events_are_ordered() {
    each_device(|device| {
        let from = device.event().unwrap();
        let buffer = device.upload_new(&pattern(1 << 20)).unwrap();
        run(device, &[Command::Fill { target: buffer.all(), pattern: 1, pattern_bytes: 1 }]).unwrap();
        let to = device.event().unwrap();
        assert!(device.elapsed_ms(&from, &to).unwrap() >= 0.0);
    });
}

#[test]
fn devices_outlive_their_handles() {
    each_device(|device| {
        let buffer = device.clone().upload_new(&[1, 2, 3]).unwrap();
        let clone = device.clone();
        std::thread::spawn(move || assert_eq!(read(&clone, &buffer.all()), [1, 2, 3])).join().unwrap();
    });
}

//! One suite for every driver: each test runs on each device that opens here; drivers without a device are skipped
//! with a word.

use super::*;
use crate::registry::DRIVERS;

/// Opens every device that there is.
fn each_device(test: impl Fn(&Device)) {
    for row in DRIVERS {
        let driver = row.driver();
        match driver.why_empty() {
            Some(why) => println!("{}: skipped: {why}", row.name),
            None => {
                for info in driver.devices() {
                    let raw = driver.open(info.ordinal, &OpenOptions::default()).unwrap();
                    println!("{}", info.uri());
                    test(&Device::new(raw));
                }
            }
        }
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
        let all = [ImageKind::Ptx, ImageKind::Cubin, ImageKind::Hsaco, ImageKind::CpuElf];
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

#[cfg(feature = "cpu")]
mod cpu_kernels {
    use super::*;

    const SOURCE: &str = "
        typedef long long i64;
        void add_one(void **w, int x, int y, int z, float *s) {
            float *in = w[0], *out = w[1];
            i64 n = (i64)w[2];
            for (i64 i = (i64)x * 64; i < (i64)(x + 1) * 64 && i < n; ++i) out[i] = in[i] + 1.0f;
        }
        void where(void **w, int x, int y, int z, char *s) {
            int *out = w[0];
            out[(z * 3 + y) * 5 + x] += 100 * z + 10 * y + x + ((((unsigned long)s) & 63) ? 1000 : 0);
            for (int i = 0; i < 4096; ++i) s[i] = (char)i;
        }";

    /// A shared object from C, or `None` without a C compiler.
    fn compile(flags: &[&str], source: &str) -> Option<Vec<u8>> {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("k.c"), source).unwrap();
        let mut command = std::process::Command::new("cc");
        command.args([
            "-shared",
            "-fPIC",
            "-O2",
            "-ffreestanding",
            "-fno-stack-protector",
            "-Wno-incompatible-pointer-types",
        ]);
        command.args(flags).args(["-o", "k.so", "k.c"]).current_dir(dir.path());
        match command.output() {
            Ok(output) if output.status.success() => Some(std::fs::read(dir.path().join("k.so")).unwrap()),
            other => {
                println!("skipped: no working C compiler: {other:?}");
                None
            }
        }
    }

    fn open(threads: usize) -> Device {
        let options = OpenOptions { cpu_threads: Some(threads) };
        Device::new(crate::drivers::cpu::CpuDriver.open(0, &options).unwrap())
    }

    fn spec(name: &str, bindings: u32, scratch_bytes: u32) -> KernelSpec {
        KernelSpec { name: name.into(), block: [1, 1, 1], bindings, scratch_bytes, ..KernelSpec::default() }
    }

    #[test]
    fn kernels_run_over_their_grid() {
        let Some(image) = compile(&["-nostdlib"], SOURCE) else { return };
        for threads in [1, 2, 5] {
            let device = open(threads);
            let executable =
                device.load(ImageKind::CpuElf, &image, &[spec("add_one", 2, 0), spec("where", 1, 4096)]).unwrap();
            let values: Vec<f32> = (0..1000).map(|v| v as f32).collect();
            let input = device.upload_new(&values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<_>>()).unwrap();
            let output = device.allocate(4000, Place::Device).unwrap();
            let binding = |buffer: &Buffer, writes| Binding { slice: buffer.all(), writes };
            let add = Command::Dispatch {
                executable: executable.clone(),
                kernel: 0,
                grid: [16, 1, 1],
                bindings: vec![binding(&input, false), binding(&output, true)],
                constants: vec![1000],
            };
            run(&device, &[add]).unwrap();
            let expected: Vec<u8> = values.iter().flat_map(|v| (v + 1.0).to_le_bytes()).collect();
            assert_eq!(read(&device, &output.all()), expected);
            let counts = device.upload_new(&[0; 4 * 5 * 3 * 7]).unwrap();
            let whereabouts = Command::Dispatch {
                executable,
                kernel: 1,
                grid: [5, 3, 7],
                bindings: vec![binding(&counts, true)],
                constants: vec![],
            };
            let list = device.record(&[whereabouts]).unwrap();
            for _ in 0..200 {
                device.submit(&list).unwrap();
            }
            let numbers: Vec<i32> = read(&device, &counts.all())
                .chunks_exact(4)
                .map(|bytes| i32::from_le_bytes(bytes.try_into().unwrap()))
                .collect();
            let expected: Vec<i32> = (0..105).map(|i| 200 * (100 * (i / 15) + 10 * (i / 5 % 3) + i % 5)).collect();
            assert_eq!(numbers, expected);
        }
    }

    #[test]
    fn launches_are_checked() {
        let Some(image) = compile(&["-nostdlib"], SOURCE) else { return };
        let device = open(2);
        let executable = device.load(ImageKind::CpuElf, &image, &[spec("add_one", 2, 0)]).unwrap();
        let buffer = device.allocate(64, Place::Device).unwrap();
        let dispatch = |kernel: usize, grid: [u64; 3], offsets: &[u64], writes: bool| {
            let bindings = offsets.iter().map(|at| Binding { slice: buffer.slice(*at, 16), writes }).collect();
            run(
                &device,
                &[Command::Dispatch { executable: executable.clone(), kernel, grid, bindings, constants: vec![0] }],
            )
        };
        let kind = |result: HalResult<()>| result.unwrap_err().kind();
        assert_eq!(kind(dispatch(1, [1, 1, 1], &[0, 16], true)), HalErrorKind::InvalidArgument);
        assert_eq!(kind(dispatch(0, [1, 1, 1], &[0], true)), HalErrorKind::InvalidArgument);
        assert_eq!(kind(dispatch(0, [1, 1, 1], &[0, 8], true)), HalErrorKind::InvalidArgument);
        assert_eq!(kind(dispatch(0, [1, 1, 1], &[0, 64], true)), HalErrorKind::InvalidArgument);
        assert_eq!(kind(dispatch(0, [1 << 40, 1, 1], &[0, 16], true)), HalErrorKind::InvalidArgument);
        dispatch(0, [0, 1, 1], &[0, 16], true).unwrap();
        dispatch(0, [1, 1, 1], &[0, 16], true).unwrap();
        let missing = device.load(ImageKind::CpuElf, &image, &[spec("nothing", 0, 0)]).err().unwrap();
        assert_eq!(missing.kind(), HalErrorKind::BadImage);
    }

    #[test]
    fn host_bytes_are_used_in_place_and_not_written() {
        let Some(image) = compile(&["-nostdlib"], SOURCE) else { return };
        let device = open(2);
        let executable = device.load(ImageKind::CpuElf, &image, &[spec("add_one", 2, 0)]).unwrap();
        let mapping = std::sync::Arc::new(crate::mapping::Mapping::from_bytes(vec![0; 64 + 16]));
        let start = mapping.bytes().as_ptr().align_offset(16);
        let bytes = HostBytes::new(mapping.clone(), start..start + 64).unwrap();
        let weights = device.import(&bytes).unwrap();
        assert_eq!(weights.address(), bytes.bytes().as_ptr() as u64);
        assert!(device.import(&HostBytes::new(mapping, start + 1..start + 9).unwrap()).is_none());
        let output = device.allocate(64, Place::Device).unwrap();
        let launch = |input: &Buffer, output: &Buffer| {
            let bindings =
                vec![Binding { slice: input.all(), writes: false }, Binding { slice: output.all(), writes: true }];
            run(
                &device,
                &[Command::Dispatch {
                    executable: executable.clone(),
                    kernel: 0,
                    grid: [1, 1, 1],
                    bindings,
                    constants: vec![16],
                }],
            )
        };
        launch(&weights, &output).unwrap();
        assert_eq!(read(&device, &output.slice(0, 4)), 1f32.to_le_bytes());
        assert_eq!(launch(&output, &weights).unwrap_err().kind(), HalErrorKind::InvalidArgument);
    }

    #[test]
    fn images_loaded_after_one_another_are_their_own() {
        let device = open(1);
        for value in 0..4u8 {
            let source = format!("void k(char **w, int x, int y, int z, void *s) {{ w[0][0] = {value}; }}");
            let Some(image) = compile(&["-nostdlib"], &source) else { return };
            let executable = device.load(ImageKind::CpuElf, &image, &[spec("k", 1, 0)]).unwrap();
            let out = device.allocate(16, Place::Device).unwrap();
            let bindings = vec![Binding { slice: out.all(), writes: true }];
            run(&device, &[Command::Dispatch { executable, kernel: 0, grid: [1, 1, 1], bindings, constants: vec![] }])
                .unwrap();
            assert_eq!(read(&device, &out.slice(0, 1)), [value]);
        }
    }

    #[test]
    fn images_that_would_run_code_at_load_are_refused() {
        let device = open(1);
        let constructor = "void k(void) {} __attribute__((constructor)) void start(void) { __builtin_trap(); }";
        for (flags, source) in [(&["-nostdlib"][..], constructor), (&["-Wl,--no-as-needed"][..], "void k(void) {}")] {
            let Some(image) = compile(flags, source) else { return };
            let error = device.load(ImageKind::CpuElf, &image, &[spec("k", 0, 0)]).err().unwrap();
            assert_eq!(error.kind(), HalErrorKind::BadImage, "{error}");
        }
        let Some(image) = compile(&["-nostdlib"], "void k(void) {}") else { return };
        for len in 0..image.len().min(400) {
            assert!(device.load(ImageKind::CpuElf, &image[..len], &[spec("k", 0, 0)]).is_err());
        }
    }
}

//! Kernels of SPIR-V (`opencl_kernels.ll`) on OpenCL devices, where there are some.

use super::*;

const IMAGE: &[u8] = include_bytes!("opencl_kernels.spv");

fn each_opencl(test: impl Fn(&Device)) {
    each_device(|device| {
        if device.info().driver == "opencl" {
            test(device);
        }
    });
}

fn spec(name: &str, threads: u32) -> KernelSpec {
    KernelSpec { name: name.into(), block: [threads, 1, 1], bindings: 2, ..KernelSpec::default() }
}

fn load(device: &Device, kernels: &[KernelSpec]) -> HalResult<Executable> {
    device.load(ImageKind::SpirV, IMAGE, kernels)
}

fn dispatch(executable: &Executable, grid: [u64; 3], [from, to]: [&Buffer; 2], constants: &[i64]) -> Command {
    Command::Dispatch {
        executable: executable.clone(),
        kernel: 0,
        grid,
        bindings: vec![Binding { slice: from.all(), writes: false }, Binding { slice: to.all(), writes: true }],
        constants: constants.to_vec(),
    }
}

fn floats(values: impl Iterator<Item = f32>) -> Vec<u8> {
    values.flat_map(f32::to_le_bytes).collect()
}

#[test]
fn kernels_run_in_order_and_again() {
    each_opencl(|device| {
        let executable = load(device, &[spec("add_one", 64)]).unwrap();
        println!("{}: {:?}", executable.describe(), executable.resources(0).unwrap().unwrap());
        let values = |by: f32| floats((0..10_001).map(|value| value as f32 + by));
        let (a, b) = (device.upload_new(&values(0.0)).unwrap(), device.allocate(40_004, Place::Device).unwrap());
        let step = |from: &Buffer, to: &Buffer| dispatch(&executable, [157, 1, 1], [from, to], &[10_001]);
        let back = Command::Copy { source: b.all(), target: a.all() };
        let list = device.record(&[step(&a, &b), step(&b, &a), step(&a, &b), back]).unwrap();
        for round in 1..=4 {
            device.submit(&list).unwrap();
            assert!(read(device, &a.all()) == values(3.0 * round as f32), "round {round}");
        }
    });
}

#[test]
fn workgroups_share_local_memory_in_three_dimensions() {
    each_opencl(|device| {
        let executable = load(device, &[spec("turn", 64)]).unwrap();
        assert_eq!(executable.resources(0).unwrap().unwrap().shared_bytes, 256);
        let groups = 5 * 3 * 7;
        let from = device.upload_new(&floats((0..groups * 64).map(|value| value as f32))).unwrap();
        let to = device.allocate(from.bytes(), Place::Device).unwrap();
        run(device, &[dispatch(&executable, [5, 3, 7], [&from, &to], &[5, 3])]).unwrap();
        let turned = (0..groups).flat_map(|group| (0..64).rev().map(move |lane| (group * 64 + lane) as f32));
        assert!(read(device, &to.all()) == floats(turned));
    });
}

#[test]
fn branches_and_loops_are_decided_by_the_host() {
    each_opencl(|device| {
        branches_and_loops(device, &load(device, &[spec("add_one", 64), spec("below", 1)]).unwrap());
    });
}

/// Arguments belong to the kernel object: two threads that launch one kernel must not see each other's.
#[test]
fn one_kernel_is_launched_by_several_threads() {
    each_opencl(|device| {
        let executable = load(device, &[spec("add_one", 64)]).unwrap();
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let executable = &executable;
                scope.spawn(move || {
                    let start = device.upload_new(&floats((0..64).map(|_| thread as f32 * 1000.0))).unwrap();
                    let list = device.record(&[dispatch(executable, [1, 1, 1], [&start, &start], &[64])]).unwrap();
                    for _ in 0..200 {
                        device.submit(&list).unwrap();
                    }
                    let wanted = floats((0..64).map(|_| thread as f32 * 1000.0 + 200.0));
                    assert!(read(device, &start.all()) == wanted, "thread {thread}");
                });
            }
        });
    });
}

#[test]
fn images_and_kernels_that_do_not_fit_are_refused() {
    each_opencl(|device| {
        let refused = |spec: KernelSpec, kind, words: &str| {
            let error = load(device, &[spec]).err().unwrap();
            assert!(error.kind() == kind && error.to_string().contains(words), "{error}");
        };
        refused(spec("nothing", 64), HalErrorKind::BadImage, "nothing");
        refused(spec("add_one", 32), HalErrorKind::BadImage, "wants workgroups of [64, 1, 1]");
        let dynamic = KernelSpec { dynamic_shared_bytes: 64, ..spec("add_one", 64) };
        refused(dynamic, HalErrorKind::Unsupported, "dynamic local memory");
        let mut future = IMAGE.to_vec();
        future[5] = 6;
        let error = device.load(ImageKind::SpirV, &future, &[spec("add_one", 64)]).err().unwrap();
        assert!(error.kind() == HalErrorKind::Unsupported && error.to_string().contains("SPIR-V 1.6"), "{error}");
        // A capability that no device of OpenCL has, in the first instruction.
        let mut graphics = IMAGE.to_vec();
        graphics[24..28].copy_from_slice(&4413u32.to_le_bytes());
        let error = device.load(ImageKind::SpirV, &graphics, &[spec("add_one", 64)]).err().unwrap();
        println!("{error}");
        assert_eq!(error.kind(), HalErrorKind::BadImage, "{error}");
        let executable = load(device, &[spec("add_one", 64)]).unwrap();
        let buffer = device.upload_new(&[0; 256]).unwrap();
        let error = run(device, &[dispatch(&executable, [1, 1, 1], [&buffer, &buffer], &[1, 2])]).unwrap_err();
        assert!(error.kind() == HalErrorKind::InvalidArgument && error.to_string().contains("takes 3 arguments"));
    });
}

/// The queue keeps what it runs: memory, kernels and the program may go before it has run.
#[test]
fn what_is_queued_may_be_dropped() {
    each_opencl(|device| {
        let values = device.upload_new(&floats((0..64).map(|_| 0.0))).unwrap();
        for _ in 0..20 {
            let executable = load(device, &[spec("add_one", 64)]).unwrap();
            let between = device.allocate(256, Place::Device).unwrap();
            let steps = [
                dispatch(&executable, [1, 1, 1], [&values, &between], &[64]),
                Command::Copy { source: between.all(), target: values.all() },
            ];
            device.submit(&device.record(&steps).unwrap()).unwrap();
            drop(between);
            device.trim();
        }
        assert!(read(device, &values.all()) == floats((0..64).map(|_| 20.0)));
    });
}

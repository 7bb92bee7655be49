//! Kernels of shared objects made by a C compiler, where one is found.

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
    let options = OpenOptions { cpu_threads: Some(threads), ..OpenOptions::default() };
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

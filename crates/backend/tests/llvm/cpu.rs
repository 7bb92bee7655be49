//! CPU images: linked without undefined symbols for every target, and run on the machine at hand.

use std::ffi::c_void;

use fornax_backend::{CodegenOptions, KernelBinary, LinkOptions, link};
use fornax_targets::cpu::CPU_ARCHES;
use fornax_targets::{Backend, ImageKind, Target, fits_cpu_features};

use super::kernels::{cpu_kernel, cpu_sine};
use super::{compile, compile_as, target, tools};

/// A loaded image; the file stays while it is loaded.
pub struct Loaded {
    library: libloading::Library,
    _directory: tempfile::TempDir,
}

/// Links kernels for a target and loads the image.
pub fn load(target: &Target, kernels: &[KernelBinary]) -> Loaded {
    let tools = tools();
    let linked = link(target, kernels, &tools, &LinkOptions::default()).unwrap_or_else(|error| panic!("{error}"));
    let image = &linked.images[0];
    let exports =
        fornax_module::image::check_image(ImageKind::CpuElf, &image.bytes).unwrap_or_else(|error| panic!("{error}"));
    for kernel in kernels {
        assert!(exports.contains(kernel.name.as_str()), "{} is not exported", kernel.name);
    }
    let directory = tempfile::tempdir().expect("temporary directory");
    let file = directory.path().join("kernels.so");
    std::fs::write(&file, &image.bytes).expect("written");
    // SAFETY: the image was just made from our kernels; it has no constructors (checked above).
    let library = unsafe { libloading::Library::new(file) }.unwrap_or_else(|error| panic!("{error}"));
    Loaded { library, _directory: directory }
}

impl Loaded {
    /// Runs workgroup `x` of a kernel on these bindings.
    pub fn run(&self, kernel: &str, x: i32, bindings: &[*mut c_void]) {
        // Kernels must not count on what is in scratch.
        let mut scratch = vec![0xffu8; fornax_targets::cpu::CPU_SCRATCH_BYTES_MAX as usize + 64];
        let start = scratch.as_ptr().align_offset(64);
        type Kernel = unsafe extern "C" fn(*const *mut c_void, i32, i32, i32, *mut c_void);
        // SAFETY: the symbol is a kernel with this signature; each caller passes as many bindings as its kernel reads,
        // of the length it reads; scratch is as large as any kernel may ask for.
        unsafe {
            let function = self.library.get::<Kernel>(kernel.as_bytes()).unwrap_or_else(|error| panic!("{error}"));
            function(bindings.as_ptr(), x, 0, 0, scratch.as_mut_ptr().wrapping_add(start).cast());
        }
    }
}

/// Features of this machine that the tables ask for.
#[cfg(target_arch = "x86_64")]
fn detected() -> Vec<&'static str> {
    macro_rules! found {
        ($($name:tt),*) => {{
            let rows = [$(($name, std::arch::is_x86_feature_detected!($name))),*];
            rows.into_iter().filter(|row| row.1).map(|row| row.0).collect()
        }};
    }
    found!(
        "sse3",
        "ssse3",
        "sse4.1",
        "sse4.2",
        "popcnt",
        "cmpxchg16b",
        "avx",
        "avx2",
        "bmi1",
        "bmi2",
        "f16c",
        "fma",
        "lzcnt",
        "movbe",
        "avx512f",
        "avx512bw",
        "avx512cd",
        "avx512dq",
        "avx512vl"
    )
}

#[cfg(target_arch = "x86_64")]
#[test]
fn the_sine_kernel_runs_at_every_level_this_machine_has() {
    let input: Vec<f32> = (0..2048).map(|i| (i as f32 - 1000.0) * 0.37).collect();
    for name in ["x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"] {
        let target = target(Backend::Cpu, name);
        if fits_cpu_features("x86_64", &detected(), &target.arch_spec()).is_err() {
            eprintln!("skipped: this machine is not {name}");
            continue;
        }
        let width = target.vector_bytes as usize / 4;
        for quick in [false, true] {
            let options = CodegenOptions { quick, ..CodegenOptions::default() };
            let loaded = load(&target, &[compile_as(&target, "sine", cpu_sine("sine", width), options)]);
            let mut output = vec![0f32; input.len()];
            for x in 0..input.len() / (64 * width) {
                loaded.run("sine", x as i32, &[input.as_ptr().cast_mut().cast(), output.as_mut_ptr().cast()]);
            }
            for (x, y) in input.iter().zip(&output) {
                let wanted = f64::from(2.0 * x + 1.0).sin();
                assert!((f64::from(*y) - wanted).abs() < 1e-6, "{name}: sin(2*{x}+1) = {wanted}, got {y}");
            }
        }
    }
}

/// Two kernels that read tables of constants and call functions that LLVM leaves to a library.
pub(crate) fn relocated_kernels(target: &Target) -> Vec<KernelBinary> {
    let width = target.vector_bytes as usize / 4;
    ["a", "b"].map(|name| compile(target, name, cpu_sine(name, width))).to_vec()
}

#[test]
fn every_cpu_target_links_with_its_vectors() {
    let tools = tools();
    for row in CPU_ARCHES {
        let target = target(Backend::Cpu, row.name);
        let kernels = relocated_kernels(&target);
        let linked = link(&target, &kernels, &tools, &LinkOptions::default())
            .unwrap_or_else(|error| panic!("{}: {error}", row.name));
        assert_eq!(
            linked,
            link(&target, &kernels, &tools, &LinkOptions::default()).expect("links"),
            "same input, same bytes"
        );
        let exports = fornax_module::image::check_image(ImageKind::CpuElf, &linked.images[0].bytes)
            .unwrap_or_else(|error| panic!("{}: {error}", row.name));
        assert_eq!(exports.len(), 2, "{}: {exports:?}", row.name);
        assert!(linked.images[0].bytes.len() < 16384, "{}: {} bytes", row.name, linked.images[0].bytes.len());
    }
}

/// One line of MLIR on `%x` (and `%z` of the same type), giving `%y` of the second type.
#[rustfmt::skip]
const FLOAT_OPS: &[&str] = &[
    "arith.addf %x, %z : T", "arith.subf %x, %z : T", "arith.mulf %x, %z : T", "arith.divf %x, %z : T",
    "arith.remf %x, %z : T", "arith.maximumf %x, %z : T", "arith.minimumf %x, %z : T", "arith.maxnumf %x, %z : T",
    "arith.minnumf %x, %z : T", "arith.negf %x : T", "math.absf %x : T", "math.ceil %x : T", "math.floor %x : T",
    "math.trunc %x : T", "math.round %x : T", "math.roundeven %x : T", "math.rsqrt %x : T", "math.sqrt %x : T",
    "math.fma %x, %z, %x : T", "math.copysign %x, %z : T",
];
#[rustfmt::skip]
const INTEGER_OPS: &[&str] = &[
    "arith.addi %x, %z : T", "arith.subi %x, %z : T", "arith.muli %x, %z : T", "arith.divsi %x, %z : T",
    "arith.divui %x, %z : T", "arith.remsi %x, %z : T", "arith.remui %x, %z : T", "arith.ceildivsi %x, %z : T",
    "arith.floordivsi %x, %z : T", "arith.shli %x, %z : T", "arith.shrsi %x, %z : T", "arith.shrui %x, %z : T",
    "arith.maxsi %x, %z : T", "arith.minui %x, %z : T", "math.ctlz %x : T", "math.cttz %x : T", "math.ctpop %x : T",
    "math.absi %x : T",
];
const FLOATS: &[(&str, u32)] = &[("f16", 16), ("bf16", 16), ("f32", 32), ("f64", 64)];
const INTEGERS: &[(&str, u32)] = &[("i8", 8), ("i16", 16), ("i32", 32), ("i64", 64)];

/// (name, text) of kernels for every operation on every element type, scalar and vector, and every conversion.
fn all_operations() -> Vec<(String, String)> {
    let mut kernels = Vec::new();
    let mut add = |from: &str, to: &str, operation: &str| {
        for (width, shape) in [(1usize, "T"), (8, "vector<8xT>")] {
            let name = format!("k{}", kernels.len());
            let (from_type, to_type) = (shape.replace('T', from), shape.replace('T', to));
            let body = format!(
                "%x = llvm.load %a {{alignment = 1 : i64}} : !llvm.ptr -> {from_type}\n\
                 %z = llvm.load %b {{alignment = 1 : i64}} : !llvm.ptr -> {from_type}\n\
                 %y = {}\nllvm.store %y, %c {{alignment = 1 : i64}} : {to_type}, !llvm.ptr",
                operation.replace('T', &from_type).replace('U', &to_type)
            );
            let text = cpu_kernel(&name, 16, width, &body, &[("a", from), ("b", from), ("c", to)]);
            kernels.push((name, text));
        }
    };
    for (from, from_bits) in FLOATS {
        FLOAT_OPS.iter().for_each(|operation| add(from, from, operation));
        for (to, to_bits) in FLOATS {
            if to_bits > from_bits {
                add(from, to, "arith.extf %x : T to U");
            } else if to_bits < from_bits {
                add(from, to, "arith.truncf %x : T to U");
            }
        }
        for (integer, _) in INTEGERS {
            add(from, integer, "arith.fptosi %x : T to U");
            add(from, integer, "arith.fptoui %x : T to U");
            add(integer, from, "arith.sitofp %x : T to U");
            add(integer, from, "arith.uitofp %x : T to U");
        }
    }
    for (integer, _) in INTEGERS {
        INTEGER_OPS.iter().for_each(|operation| add(integer, integer, operation));
    }
    kernels
}

#[test]
fn every_operation_on_every_type_links_at_the_lowest_cpu() {
    let tools = tools();
    for (name, quick) in [("x86-64", false), ("x86-64-v3", true), ("aarch64", false)] {
        let (target, options) = (target(Backend::Cpu, name), CodegenOptions { quick, ..CodegenOptions::default() });
        let compiled = |(kernel, text): (String, String)| compile_as(&target, &kernel, text, options);
        let kernels: Vec<KernelBinary> = all_operations().into_iter().map(compiled).collect();
        let linked =
            link(&target, &kernels, &tools, &LinkOptions::default()).unwrap_or_else(|error| panic!("{name}: {error}"));
        fornax_module::image::check_image(ImageKind::CpuElf, &linked.images[0].bytes)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

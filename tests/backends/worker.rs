//! What a worker asks the library and prints.

use fornax_runtime::backends::BackendStatus;
use fornax_runtime::hal::Place;
use fornax_runtime::registry::open_device;
use fornax_runtime::{
    Backend, BackendPreference, ElementType, Result, Tensor, TensorType, check_gpu_available, check_gpu_enabled,
    discover_backends, init_backend, init_backend_with_memory_check, print_backend_summary,
};

/// Bytes of a unit of the tasks.
const MIB: u64 = 1 << 20;
/// Tensors of each element type and rank.
const TENSORS: u64 = 2;

pub fn run(task: &str) {
    match task {
        "preferences" => preferences(),
        "summary" => print_backend_summary(),
        "memory" => memory(),
        "tensors" => tensors(),
        other => panic!("no task {other}"),
    }
}

fn preferences() {
    use BackendPreference::{Auto, Cpu, Cuda, Metal, OpenCL, Rocm};
    for preference in [Auto, Cuda, Rocm, Metal, OpenCL, Cpu] {
        match init_backend(preference) {
            Ok(backend) => println!("{preference}={}", backend.name()),
            Err(error) => println!("{preference}={} exit {}: {error}", error.code(), error.exit_code()),
        }
    }
    let chosen = init_backend(Auto).unwrap();
    println!("device={}\npassed over={}", chosen.info().name, chosen.passed_over().join("; "));
    let found = discover_backends();
    println!("recommended={}", found.iter().find(|status| status.is_available()).map_or("none", BackendStatus::name));
    println!("gpu={} {}", check_gpu_enabled(), check_gpu_available());
}

fn memory() {
    let shown = |name: &str, found: Result<Backend>| match found {
        Ok(backend) => println!("{name}={} {}", backend.name(), backend.info().ordinal),
        Err(error) => println!("{name}={}: {error}", error.code()),
    };
    let first = open_device("cuda:0").unwrap();
    let _taken = first.allocate(160 * MIB, Place::Device).unwrap();
    let need = |preference, mib: u64| init_backend_with_memory_check(preference, mib * MIB);
    for mib in [64, 192, 1 << 30] {
        shown(&mib.to_string(), need(BackendPreference::Auto, mib));
    }
    for mib in [192, 288] {
        shown(&format!("explicit {mib}"), need(BackendPreference::Cuda, mib));
    }
    for mib in [192, 240] {
        shown(&format!("opencl {mib}"), need(BackendPreference::OpenCL, mib));
    }
    shown("rocm 1", need(BackendPreference::Rocm, 1));
}

/// Numbers that look random (splitmix64), the same in every run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

fn tensors() {
    let mut numbers = Numbers(7);
    for driver in ["null", "cpu", "cuda", "rocm", "opencl"] {
        let device = open_device(driver).unwrap();
        let mut count = 0;
        for element in ElementType::all() {
            for rank in 0..=8 {
                for at in 0..TENSORS {
                    // The first of a rank above 0 may have sizes of 0.
                    let least = u64::from(at > 0);
                    let shape: Vec<u64> = (0..rank).map(|_| least + numbers.next() % 3).collect();
                    let ty = TensorType::new(element, shape);
                    let bytes = (0..ty.bytes().unwrap()).map(|_| numbers.next() as u8).collect();
                    let tensor = Tensor::new(ty, bytes).unwrap();
                    let there = tensor.to_device(&device).unwrap();
                    assert_eq!((there.ty(), there.device().info().uri()), (tensor.ty(), device.info().uri()));
                    assert_eq!(there.to_host().unwrap(), tensor, "{driver}");
                    count += 1;
                }
            }
        }
        println!("{driver}={count}");
    }
}

//! Runs kernel plans on this machine's CPU, every workgroup of the launch, and compiles them for the GPUs.

use std::cell::RefCell;
use std::ffi::c_void;

use fornax_backend::{KernelSource, LinkOptions, link};
use fornax_graph::ElementType;
use fornax_kernels::emit;
use fornax_plan::interpret::Last;
use fornax_plan::{Access, KernelPlan};
use fornax_targets::{Backend, Target};

use super::cpu::load;
use super::{compile, target, tools};

/// Bytes aligned like a binding.
#[derive(Clone)]
pub struct Bytes {
    words: Vec<u128>,
    len: usize,
}

impl Bytes {
    pub fn filled(len: usize, byte: u8) -> Bytes {
        Bytes { words: vec![u128::from_ne_bytes([byte; 16]); len.div_ceil(16) + 4], len }
    }

    pub fn of(bytes: &[u8]) -> Bytes {
        let mut made = Bytes::filled(bytes.len(), 0);
        for (at, &byte) in bytes.iter().enumerate() {
            made.words[at / 16] |= u128::from(byte) << (8 * (at % 16));
        }
        made
    }

    pub fn to_vec(&self) -> Vec<u8> {
        self.words.iter().flat_map(|w| w.to_le_bytes()).take(self.len).collect()
    }

    fn pointer(&mut self) -> *mut c_void {
        self.words.as_mut_ptr().cast()
    }
}

pub fn emitted(plan: &KernelPlan, name: &str, target: &Target) -> KernelSource {
    emit(plan, name, target).unwrap_or_else(|error| panic!("{error}"))
}

/// The written buffers after a launch; `inputs` are the read ones, in binding order.
pub fn run(plan: &KernelPlan, cpu: &str, inputs: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let target = target(Backend::Cpu, cpu);
    let source = emitted(plan, "kernel", &target);
    let loaded = load(&target, &[compile(&target, "kernel", source.mlir)]);
    let mut given = inputs.iter();
    let mut buffers: Vec<Bytes> = plan
        .buffers
        .iter()
        .map(|buffer| match buffer.access {
            Access::Read | Access::Guard | Access::Overwritten | Access::Update | Access::Announced => {
                Bytes::of(given.next().expect("an input for every read buffer"))
            }
            Access::Write => Bytes::filled(buffer.elements as usize * buffer.element.storage_bytes(), 0xAB),
        })
        .collect();
    let pointers: Vec<*mut c_void> = buffers.iter_mut().map(Bytes::pointer).collect();
    let (grid, _) = plan.launch();
    for x in 0..grid[0] {
        loaded.run("kernel", x as i32, &pointers);
    }
    let written = plan.buffers.iter().zip(&buffers).filter(|(b, _)| b.access != Access::Read);
    written.map(|(_, bytes)| bytes.to_vec()).collect()
}

/// Compiles a plan for NVIDIA and AMD devices; PTX goes through ptxas where it is at hand. The PTX of sm_80.
pub fn compile_for_gpus(plan: &KernelPlan) -> String {
    for name in ["sm_60", "sm_90"] {
        compile_for(plan, Backend::Cuda, name);
    }
    for name in ["gfx908", "gfx1100"] {
        compile_for(plan, Backend::Rocm, name);
    }
    String::from_utf8_lossy(&compile_for(plan, Backend::Cuda, "sm_80")).into_owned()
}

/// Compiles a plan for one device, and assembles or links it; PTX text or the object.
pub fn compile_for(plan: &KernelPlan, backend: Backend, name: &str) -> Vec<u8> {
    let target = target(backend, name);
    let binary = compile(&target, "kernel", emitted(plan, "kernel", &target).mlir);
    let bytes = binary.bytes.clone();
    let cubin = fornax_backend::CubinPolicy::IfPossible;
    link(&target, &[binary], &tools(), &LinkOptions { cubin }).unwrap_or_else(|error| panic!("{name}: {error}"));
    bytes
}

/// Distance of two values of an element type in units of the last place; 0 for equal bits or two NaN.
pub fn distance(element: ElementType, got: &[u8], want: &[u8]) -> f64 {
    let order = |bits: i64, sign: i64| if bits & sign != 0 { -(bits & !sign) } else { bits };
    let ulps = |a: i64, b: i64, sign: i64| order(a, sign).abs_diff(order(b, sign)) as f64;
    let word = |bytes: &[u8]| {
        let mut word = [0u8; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        i64::from_le_bytes(word)
    };
    let (a, b) = (word(got), word(want));
    let (nan, sign) = match element {
        ElementType::F64 => (f64::from_bits(a as u64).is_nan() && f64::from_bits(b as u64).is_nan(), i64::MIN),
        ElementType::F32 => (f32::from_bits(a as u32).is_nan() && f32::from_bits(b as u32).is_nan(), 1 << 31),
        ElementType::Bf16 => {
            (half::bf16::from_bits(a as u16).is_nan() && half::bf16::from_bits(b as u16).is_nan(), 1 << 15)
        }
        ElementType::F16 => {
            (half::f16::from_bits(a as u16).is_nan() && half::f16::from_bits(b as u16).is_nan(), 1 << 15)
        }
        _ => return if a == b { 0.0 } else { f64::INFINITY },
    };
    if nan { 0.0 } else { ulps(a, b, sign) }
}

thread_local! {
    /// A test goes through the schedules of a plan, and processors.
    static LAST: RefCell<Last> = RefCell::default();
}

/// Runs a plan and compares every output with the plan interpreter's: floats within so many units of the last place, or
/// of the last place of 1 where results are small.
pub fn check(plan: &KernelPlan, cpu: &str, inputs: &[Vec<u8>], ulps: f64) {
    let outputs = run(plan, cpu, inputs);
    let mut given = inputs.iter();
    let before: Vec<Vec<u8>> = plan
        .buffers
        .iter()
        .map(|b| match b.access {
            Access::Read | Access::Guard | Access::Overwritten | Access::Update | Access::Announced => {
                given.next().cloned().expect("an input for every read buffer")
            }
            Access::Write => vec![0; b.elements as usize * b.element.storage_bytes()],
        })
        .collect();
    let buffers = LAST.with_borrow_mut(|last| last.run(plan, &before)).unwrap_or_else(|error| panic!("{error}"));
    let written = plan.buffers.iter().enumerate().filter(|(_, b)| b.access != Access::Read);
    for ((at, buffer), got) in written.zip(&outputs) {
        let size = buffer.element.storage_bytes();
        for (index, (g, w)) in got.chunks(size).zip(buffers[at].chunks(size)).enumerate() {
            let off = distance(buffer.element, g, w);
            let (x, y) = (value(buffer.element, g), value(buffer.element, w));
            let near = (x - y).abs() <= ulps * unit(buffer.element) * y.abs().max(1.0);
            assert!(
                off <= ulps || near,
                "{cpu}: {} buffer {at}[{index}] of {:?}: got {x}, interpreted {y}, {off} units apart: {:?} of {:?}",
                buffer.element.spelling(),
                inputs.first().map(|i| &i
                    [(index * i.len() / (got.len() / size).max(1)).min(i.len().saturating_sub(8))..][..8.min(i.len())]),
                plan.body.stores().iter().find(|s| s.buffer as usize == at).map(|s| plan.exprs.node(s.value)),
                plan.buffers.first()
            );
        }
    }
}

/// The unit of the last place of 1; 0 for integers.
fn unit(element: ElementType) -> f64 {
    match element {
        ElementType::F64 => f64::EPSILON,
        ElementType::F32 => f64::from(f32::EPSILON),
        ElementType::Bf16 => 2f64.powi(-7),
        ElementType::F16 => 2f64.powi(-10),
        _ => 0.0,
    }
}

/// The value for messages and tolerances.
fn value(element: ElementType, bytes: &[u8]) -> f64 {
    let mut word = [0u8; 8];
    word[..bytes.len()].copy_from_slice(bytes);
    let bits = u64::from_le_bytes(word);
    match element {
        ElementType::F64 => f64::from_bits(bits),
        ElementType::F32 => f64::from(f32::from_bits(bits as u32)),
        ElementType::Bf16 => f64::from(half::bf16::from_bits(bits as u16)),
        ElementType::F16 => f64::from(half::f16::from_bits(bits as u16)),
        _ => bits as f64,
    }
}

//! Emits a plan for a device, runs it, compares every output with the interpreter's.

use std::cell::RefCell;

use fornax_emulate::{Buffer, EmulateError, Kernel, Launch, Report};
use fornax_graph::ElementType;
use fornax_kernels::emit;
use fornax_plan::interpret::Last;
use fornax_plan::{Access, KernelPlan};
use fornax_targets::{Backend, resolve};

/// The kernel's text for a device.
pub fn text(plan: &KernelPlan, device: &str) -> String {
    let target = resolve(Backend::Cuda, device).unwrap_or_else(|error| panic!("{error}")).target;
    emit(plan, "kernel", &target).unwrap_or_else(|error| panic!("{error}")).mlir
}

/// Buffers for a launch: inputs given, outputs poisoned.
pub fn buffers(plan: &KernelPlan, inputs: &[Vec<u8>]) -> Vec<Buffer> {
    let mut given = inputs.iter();
    plan.buffers
        .iter()
        .map(|b| match b.access {
            Access::Read | Access::Guard | Access::Overwritten => {
                Buffer::input(given.next().cloned().expect("an input for every read buffer"))
            }
            Access::Update | Access::Announced => {
                Buffer::in_out(given.next().cloned().expect("what every updated buffer holds"))
            }
            Access::Write => Buffer::output(b.elements as usize * b.element.storage_bytes()),
        })
        .collect()
}

/// Runs a kernel's text with the launch of its plan.
pub fn run_text(
    plan: &KernelPlan,
    mlir: &str,
    inputs: &[Vec<u8>],
    seed: u64,
) -> Result<(Vec<Buffer>, Report), EmulateError> {
    let kernel = Kernel::parse(mlir)?;
    let (grid, threads) = plan.launch();
    let dynamic_shared_bytes = plan.dynamic_shared_bytes();
    let mut buffers = buffers(plan, inputs);
    let report =
        kernel.run(&Launch { grid, threads, seed, dynamic_shared_bytes, ..Launch::default() }, &mut buffers)?;
    Ok((buffers, report))
}

/// Emits for a device, runs under a seed, compares: floats within so many units of the last place of the value or of 1.
pub fn check(plan: &KernelPlan, device: &str, inputs: &[Vec<u8>], ulps: f64, seed: u64) -> Report {
    let mlir = text(plan, device);
    let (got, report) = run_text(plan, &mlir, inputs, seed).unwrap_or_else(|error| panic!("{device}: {error}"));
    compare(plan, inputs, &got, ulps, device);
    report
}

thread_local! {
    /// A test goes through the schedules of a plan.
    static LAST: RefCell<Last> = RefCell::default();
}

/// Compares outputs with the interpreter's.
pub fn compare(plan: &KernelPlan, inputs: &[Vec<u8>], got: &[Buffer], ulps: f64, what: &str) {
    let before: Vec<Vec<u8>> = buffers(plan, inputs).into_iter().map(|b| b.bytes).collect();
    let wanted = LAST.with_borrow_mut(|last| last.run(plan, &before)).unwrap_or_else(|error| panic!("{error}"));
    for (at, buffer) in plan.buffers.iter().enumerate().filter(|(_, b)| b.access != Access::Read) {
        let size = buffer.element.storage_bytes();
        for (index, (g, w)) in got[at].bytes.chunks(size).zip(wanted[at].chunks(size)).enumerate() {
            if g == w {
                continue;
            }
            let (x, y) = (value(buffer.element, g), value(buffer.element, w));
            let near = (x - y).abs() <= ulps * unit(buffer.element) * y.abs().max(1.0) || x.is_nan() && y.is_nan();
            assert!(near, "{what}: {} buffer {at}[{index}]: got {x}, interpreted {y}", buffer.element.spelling());
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

//! One kernel's text in the emulator. `FORNAX_KERNEL_OUT` names a file that gets the text of a kernel that fails.

use fornax_emulate::{Buffer, EmulateError, Kernel, Launch, Report, Swizzle, TensorMap};
use fornax_plan::{Access, KernelPlan, MapPart};
use fornax_targets::Target;

/// A plan's tensor map as the emulator takes it, with what a call gives of it.
fn tensor_map(map: &fornax_plan::TensorMap, given: &mut impl Iterator<Item = i64>) -> TensorMap {
    let (mut dims, mut strides) = (map.dims.clone(), map.strides.clone());
    for (size, value) in map.sizes.iter().zip(given) {
        match size.part {
            MapPart::Extent(at) => dims[at] = value.max(1),
            MapPart::Stride(at) => strides[at] = value.max(16),
        }
    }
    let swizzle = match map.swizzle {
        fornax_plan::Swizzle::None => Swizzle::None,
        fornax_plan::Swizzle::B32 => Swizzle::B32,
        fornax_plan::Swizzle::B64 => Swizzle::B64,
        fornax_plan::Swizzle::B128 => Swizzle::B128,
    };
    TensorMap {
        buffer: map.buffer as usize,
        offset_bytes: map.offset_bytes as u64,
        element_bytes: map.element.storage_bytes() as u32,
        tf32: map.tf32,
        dims: dims.iter().map(|&d| d as u64).collect(),
        strides: strides.iter().map(|&s| s as u64).collect(),
        box_dims: map.box_dims.clone(),
        element_strides: map.element_strides.clone(),
        swizzle,
        add_as: None,
        im2col: None,
    }
}

/// The kernel's text for a device.
pub fn text(plan: &KernelPlan, target: &Target) -> String {
    fornax_kernels::emit(plan, "kernel", target).unwrap_or_else(|e| panic!("{e}\n{}", plan.print())).mlir
}

/// Runs a text with the launch of a plan; the outputs are poisoned before.
pub fn run_text(plan: &KernelPlan, mlir: &str, bytes: &mut [Vec<u8>]) -> Result<Report, EmulateError> {
    run_text_sized(plan, mlir, bytes, (plan.launch().0, &[]))
}

/// The same with the grid of a call and the values of the size parameters and of what its tensor maps do not know.
fn run_text_sized(
    plan: &KernelPlan,
    mlir: &str,
    bytes: &mut [Vec<u8>],
    (grid, sizes): ([u64; 3], &[i64]),
) -> Result<Report, EmulateError> {
    let (_, threads) = plan.launch();
    let (sizes, of_maps) = sizes.split_at(plan.exprs.indices.sizes.len().min(sizes.len()));
    let mut of_maps = of_maps.iter().copied();
    let lengths: Vec<usize> = bytes.iter().map(Vec::len).collect();
    let mut buffers: Vec<Buffer> = plan
        .buffers
        .iter()
        .zip(bytes.iter_mut())
        .map(|(b, bytes)| match b.access {
            // Nothing is read of an empty one, but a tensor map of it has a row.
            Access::Read if bytes.is_empty() => Buffer::input(vec![0xfb; 4096]),
            Access::Read | Access::Guard | Access::Overwritten => Buffer::input(std::mem::take(bytes)),
            Access::Update => Buffer::in_out(std::mem::take(bytes)),
            // As it is when a launch starts.
            Access::Announced => Buffer::in_out(vec![0xff; bytes.len()]),
            Access::Write => Buffer::output(bytes.len()),
        })
        .collect();
    let launch = Launch {
        grid,
        threads,
        dynamic_shared_bytes: plan.dynamic_shared_bytes(),
        tensor_maps: plan.tensor_maps.iter().map(|map| tensor_map(map, &mut of_maps)).collect(),
        scalars: sizes.iter().map(|&size| size as u64).collect(),
        seed: plan.summary.len() as u64 + grid[0],
        ..Launch::default()
    };
    let outcome = Kernel::parse(mlir).and_then(|kernel| kernel.run(&launch, &mut buffers));
    let read = |b: &fornax_plan::Buffer| b.access == Access::Read;
    for ((to, from), (length, buffer)) in bytes.iter_mut().zip(buffers).zip(lengths.into_iter().zip(&plan.buffers)) {
        *to = from.bytes;
        to.truncate(if read(buffer) { length } else { to.len() });
    }
    outcome
}

/// Runs the kernel that is emitted for a plan, with the grid of a call and the values of its size parameters.
pub fn run_sized(plan: &KernelPlan, target: &Target, bytes: &mut [Vec<u8>], call: ([u64; 3], &[i64])) {
    let mlir = text(plan, target);
    if let Err(error) = run_text_sized(plan, &mlir, bytes, call) {
        if let Some(path) = std::env::var_os("FORNAX_KERNEL_OUT") {
            let _ = std::fs::write(path, &mlir);
        }
        panic!("{error}\n{}", plan.print());
    }
}

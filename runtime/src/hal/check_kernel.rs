//! What a device must be able to launch, before an image is loaded.

use super::{DeviceInfo, HalError, HalErrorKind, HalResult, KernelSpec};

/// Most scratch of a CPU thread, bytes.
const MAX_SCRATCH_BYTES: u32 = 256 << 20;

/// Refuses a kernel whose name, workgroup or memory the device does not take.
pub(super) fn check_kernel(kernel: &KernelSpec, info: &DeviceInfo) -> HalResult<()> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_$.".contains(c);
    if kernel.name.is_empty() || kernel.name.len() > 200 || !kernel.name.chars().all(plain) {
        return Err(HalError::invalid("a kernel's name is empty, too long or not a symbol"));
    }
    let limits = &info.limits;
    let threads = kernel.block.iter().try_fold(1u32, |sum, extent| sum.checked_mul(*extent));
    let fits = kernel.block.iter().zip(limits.max_block).all(|(extent, limit)| *extent <= limit);
    if !fits || threads.is_none_or(|threads| threads == 0 || threads > limits.max_block_threads) {
        let what = format!(
            "kernel {}: workgroups of {:?} threads; {} takes {:?}, at most {} in all",
            kernel.name, kernel.block, info.name, limits.max_block, limits.max_block_threads
        );
        return Err(HalError::new(HalErrorKind::Unsupported, what));
    }
    if kernel.scratch_bytes > MAX_SCRATCH_BYTES {
        let what = format!("kernel {} needs {} bytes of scratch a thread", kernel.name, kernel.scratch_bytes);
        return Err(HalError::new(HalErrorKind::Unsupported, what));
    }
    if kernel.dynamic_shared_bytes > limits.max_shared_bytes {
        let what = format!(
            "kernel {} needs {} bytes of shared memory a workgroup; {} has {}",
            kernel.name, kernel.dynamic_shared_bytes, info.name, limits.max_shared_bytes
        );
        return Err(HalError::new(HalErrorKind::Unsupported, what));
    }
    Ok(())
}

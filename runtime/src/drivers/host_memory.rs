//! Aligned host memory for the drivers whose device is the host.

use std::alloc::{Layout, alloc, dealloc};

use crate::hal::{HalError, HalErrorKind, HalResult, MemoryInfo};

/// Alignment of blocks, bytes: a cache line and the widest vector; whole pages from a page on, large pages from one of
/// those on.
const ALIGNMENT: usize = 256;
const PAGE: usize = 4096;
pub(super) const LARGE_PAGE: usize = 2 << 20;
/// Bytes of a pattern's repetitions that are copied at a time, at most: they stay in the first-level cache.
const FILL_PIECE: usize = 4096;

fn layout(bytes: u64) -> Option<Layout> {
    let bytes = usize::try_from(bytes).ok()?;
    let alignment = match bytes {
        LARGE_PAGE.. => LARGE_PAGE,
        PAGE.. => PAGE,
        _ => ALIGNMENT,
    };
    Layout::from_size_align(bytes, alignment).ok()
}

/// Asks the system for large pages: a kernel that goes down the rows of a large matrix touches a page a row, and small
/// ones are more than the processor knows the addresses of.
#[cfg(target_os = "linux")]
fn advise(address: *mut u8, bytes: usize) {
    unsafe extern "C" {
        fn madvise(address: *mut std::ffi::c_void, bytes: usize, advice: std::ffi::c_int) -> std::ffi::c_int;
    }
    const HUGE_PAGES: std::ffi::c_int = 14;
    if bytes >= LARGE_PAGE {
        // SAFETY: the block begins on a page and was just allocated; the advice changes nothing that it holds, and
        // where the system does not take it, nothing at all.
        unsafe { madvise(address.cast(), bytes / PAGE * PAGE, HUGE_PAGES) };
    }
}

#[cfg(not(target_os = "linux"))]
fn advise(_: *mut u8, _: usize) {}

/// Takes `bytes` > 0 of memory.
pub(super) fn allocate(bytes: u64) -> HalResult<u64> {
    let memory = memory();
    let refused = || {
        let kind = HalErrorKind::OutOfMemory { requested: bytes, free: Some(memory.free) };
        HalError::new(kind, "allocating host memory")
    };
    // The system would promise more than it has and end the process when it is touched.
    if bytes > memory.total {
        return Err(refused());
    }
    let layout = layout(bytes).ok_or_else(refused)?;
    // SAFETY: the pool asks for at least its granule, so the size is not zero.
    let pointer = unsafe { alloc(layout) };
    if pointer.is_null() {
        return Err(refused());
    }
    advise(pointer, layout.size());
    Ok(pointer as u64)
}

/// Gives back what `allocate` returned for the same number of bytes.
pub(super) fn free(address: u64, bytes: u64) {
    if let Some(layout) = layout(bytes) {
        // SAFETY: `address` came from `allocate(bytes)`, which made the same layout, and the pool's block owner calls
        // this once, when the last user is gone.
        unsafe { dealloc(address as *mut u8, layout) }
    }
}

/// Copies host bytes to an address inside of a block.
pub(super) fn write(target: u64, bytes: &[u8]) {
    // SAFETY: the device layer checked that the range lies inside of a live block; `bytes` is borrowed from elsewhere.
    unsafe { std::ptr::copy(bytes.as_ptr(), target as *mut u8, bytes.len()) }
}

/// Copies from an address inside of a block.
pub(super) fn read(source: u64, bytes: &mut [u8]) {
    // SAFETY: as for `write`.
    unsafe { std::ptr::copy(source as *const u8, bytes.as_mut_ptr(), bytes.len()) }
}

/// Whether the byte at an address inside of a block is not 0.
pub(super) fn flag(address: u64) -> bool {
    let mut byte = [0];
    read(address, &mut byte);
    byte != [0]
}

/// Bytes inside of a block, as long as nothing writes to them.
pub(super) fn bytes<'a>(address: u64, bytes: u64) -> &'a [u8] {
    // SAFETY: as for `write`; the caller's command runs alone on its device, and only reads here.
    unsafe { std::slice::from_raw_parts(address as *const u8, bytes as usize) }
}

/// Copies between blocks.
pub(super) fn copy(source: u64, target: u64, bytes: u64) {
    // SAFETY: the device layer checked that both ranges lie inside of live blocks and do not overlap.
    unsafe { std::ptr::copy(source as *const u8, target as *mut u8, bytes as usize) }
}

/// Repeats the low bytes of a pattern.
pub(super) fn fill(target: u64, bytes: u64, pattern: u64, pattern_bytes: u8) {
    let pattern = pattern.to_le_bytes();
    let Some(pattern) = pattern.get(..usize::from(pattern_bytes)) else { return };
    // SAFETY: the device layer checked that the range lies inside of a live block; no other reference to it exists
    // while the device runs its commands one after the other.
    let target = unsafe { std::slice::from_raw_parts_mut(target as *mut u8, bytes as usize) };
    repeat(target, pattern);
}

/// Writes a pattern over and over; a part of it at the end is left out.
///
/// Worked example, four bytes over 20: the first four, then 4, 8 and 4 bytes as copies of what is there.
fn repeat(target: &mut [u8], pattern: &[u8]) {
    let Some(whole) = target.len().checked_rem(pattern.len()).map(|part| target.len() - part) else { return };
    let target = &mut target[..whole];
    let first = pattern[0];
    if pattern.iter().all(|&byte| byte == first) {
        return target.fill(first);
    }
    if whole == 0 {
        return;
    }
    target[..pattern.len()].copy_from_slice(pattern);
    let (mut done, most) = (pattern.len(), FILL_PIECE / pattern.len() * pattern.len());
    while done < whole {
        let more = done.min(most).min(whole - done);
        target.copy_within(..more, done);
        done += more;
    }
}

/// All memory and free memory as the C library counts pages, bytes: for machines without the kernel's table.
#[cfg(target_os = "linux")]
fn counted() -> Option<(u64, u64)> {
    use std::ffi::{c_int, c_long};

    // SAFETY: the prototype is the one of sysconf(3), which the C library that std links exports.
    unsafe extern "C" {
        fn sysconf(name: c_int) -> c_long;
    }
    /// `_SC_PAGESIZE`, `_SC_PHYS_PAGES`, `_SC_AVPHYS_PAGES`.
    const NAMES: [c_int; 3] = [30, 85, 86];
    // SAFETY: any name may be asked for; an unknown one gives -1.
    let [page, all, free] = NAMES.map(|name| u64::try_from(unsafe { sysconf(name) }).ok());
    Some((all?.checked_mul(page?)?, free?.checked_mul(page?)?))
}

#[cfg(not(target_os = "linux"))]
fn counted() -> Option<(u64, u64)> {
    None
}

/// The machine's memory, from the kernel's table, else by the C library's count; very large where neither is there.
pub(super) fn memory() -> MemoryInfo {
    let table = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let field = |name: &str| {
        let line = table.lines().find_map(|line| line.strip_prefix(name))?;
        let kib: u64 = line.trim_start_matches(':').trim().strip_suffix("kB")?.trim().parse().ok()?;
        Some(kib * 1024)
    };
    let (all, available) = match field("MemTotal") {
        Some(total) => (total, total),
        None => counted().unwrap_or((1 << 47, 1 << 47)),
    };
    MemoryInfo { free: field("MemAvailable").unwrap_or(available), total: all }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn the_c_library_counts_about_what_the_kernel_says() {
        let (all, free) = counted().unwrap();
        let said = memory();
        assert!(all.abs_diff(said.total) < said.total / 10, "{all} {said:?}");
        assert!(free <= all && said.free <= said.total);
    }

    #[test]
    fn patterns_are_repeated_and_a_part_is_left_out() {
        for pattern in [&[7u8][..], &[0, 0, 0, 0], &[1, 2], &[1, 2, 3], &[1, 2, 3, 4], &[1, 2, 3, 4, 5, 6, 7, 8]] {
            for bytes in [0, 1, 8, 20, 24, FILL_PIECE - 8, FILL_PIECE, 3 * FILL_PIECE + 24] {
                let mut target = vec![0xee; bytes + 1];
                repeat(&mut target[..bytes], pattern);
                let whole = bytes / pattern.len() * pattern.len();
                let due = (0..whole).map(|at| pattern[at % pattern.len()]);
                let due: Vec<u8> = due.chain(std::iter::repeat_n(0xee, bytes + 1 - whole)).collect();
                assert_eq!(target, due, "{pattern:?} over {bytes}");
            }
        }
    }

    #[test]
    fn large_blocks_begin_on_large_pages() {
        for (bytes, alignment) in [(300, 256), (5000, 4096), (LARGE_PAGE as u64 + 5, LARGE_PAGE as u64)] {
            let address = allocate(bytes).unwrap();
            assert_eq!(address % alignment, 0, "{bytes} bytes");
            fill(address, bytes, 7, 1);
            let mut last = [0];
            read(address + bytes - 1, &mut last);
            assert_eq!(last, [7]);
            free(address, bytes);
        }
    }
}

//! NVIDIA architectures: limits, and the PTX version to ask LLVM for.
//!
//! Input to `resolve`, `fits` and the generated page. LLVM takes an unknown CPU name on NVPTX with a mere warning and
//! writes nonsense, so a name must be in [`NVIDIA_LLVM_CPUS`] before LLVM sees it; and it must always be told the PTX
//! version, because its default for an architecture is often too old for the instructions (`shfl.sync` on sm_60).
//!
//! The PTX version of a row is the lowest with which every instruction of the row's features can be written: the lowest
//! version needs the oldest driver. 6.3 is taken up to sm_62 (`shfl.sync` came with 6.0), also for sm_35 and sm_5x, so
//! that every architecture has lane shuffles; it needs driver R410. Limits are from vendor documents; the 48 KiB of
//! static shared memory were measured with ptxas 12.9 and 13.5, which refuse one byte more on every architecture.

use crate::product::Source;

/// Shared memory that a kernel may declare statically, on every architecture; more is `extern` and set at launch.
pub(crate) const STATIC_SHARED_BYTES_MAX: u32 = 48 * 1024;

/// PTX versions (ten times them) that LLVM 22 writes.
#[rustfmt::skip]
pub(crate) const LLVM_PTX_VERSIONS: &[u32] = &[
    32, 40, 41, 42, 43, 50, 60, 61, 62, 63, 64, 65, 70, 71, 72, 73, 74, 75, 76, 77, 78, 80, 81, 82, 83, 84, 85, 86, 87, 88, 90,
];

/// One architecture, without its `a` and `f` variants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NvidiaArch {
    /// `sm_80`.
    pub name: &'static str,
    /// 80: ten times the compute capability.
    pub number: u32,
    /// The vendor's name of the generation.
    pub code_name: &'static str,
    /// Lowest PTX version (ten times it) that LLVM accepts for it.
    pub ptx_min: u32,
    /// PTX version to ask for.
    pub ptx: u32,
    /// Shared memory of one block with opt-in, in KiB.
    pub shared_block_kib: u32,
    /// Shared memory of one multiprocessor, in KiB.
    pub shared_sm_kib: u32,
    /// Resident threads of one multiprocessor.
    pub threads_per_sm: u32,
    /// Resident blocks of one multiprocessor.
    pub blocks_per_sm: u32,
    /// Multiprocessors of the generation's usual data centre part: a tuning hint.
    pub compute_units: u32,
    /// Second-level cache of that part, in KiB: a tuning hint.
    pub l2_kib: u32,
    /// ptxas versions that accept it, of 12.9, 13.0 and 13.5.
    pub ptxas: &'static str,
    /// An embedded (Jetson) part: cubins are not exchanged with it.
    pub embedded: bool,
    /// Remark for generated pages and for `--print-target`.
    pub note: &'static str,
}

/// Where the limits come from; PTX minimum and ptxas columns are measured (LLVM 22.1.8, ptxas 12.9, 13.0, 13.5).
pub(crate) const NVIDIA_SOURCE: Source = Source::VendorDocuments;

/// All rows, by number.
#[rustfmt::skip]
pub(crate) const NVIDIA_ARCHES: &[NvidiaArch] = &[
    NvidiaArch { name: "sm_35", number: 35, code_name: "kepler", ptx_min: 32, ptx: 63, shared_block_kib: 48, shared_sm_kib: 48, threads_per_sm: 2048, blocks_per_sm: 16, compute_units: 13, l2_kib: 1536, ptxas: "none", embedded: false, note: "no current driver runs sm_35: it needs R470 or older" },
    NvidiaArch { name: "sm_50", number: 50, code_name: "maxwell", ptx_min: 40, ptx: 63, shared_block_kib: 48, shared_sm_kib: 64, threads_per_sm: 2048, blocks_per_sm: 32, compute_units: 5, l2_kib: 2048, ptxas: "12.9", embedded: false, note: "last supported by CUDA 12" },
    NvidiaArch { name: "sm_52", number: 52, code_name: "maxwell", ptx_min: 41, ptx: 63, shared_block_kib: 48, shared_sm_kib: 96, threads_per_sm: 2048, blocks_per_sm: 32, compute_units: 24, l2_kib: 3072, ptxas: "12.9", embedded: false, note: "last supported by CUDA 12" },
    NvidiaArch { name: "sm_60", number: 60, code_name: "pascal", ptx_min: 50, ptx: 63, shared_block_kib: 48, shared_sm_kib: 64, threads_per_sm: 2048, blocks_per_sm: 32, compute_units: 56, l2_kib: 4096, ptxas: "12.9", embedded: false, note: "last supported by CUDA 12" },
    NvidiaArch { name: "sm_61", number: 61, code_name: "pascal", ptx_min: 50, ptx: 63, shared_block_kib: 48, shared_sm_kib: 96, threads_per_sm: 2048, blocks_per_sm: 32, compute_units: 30, l2_kib: 3072, ptxas: "12.9", embedded: false, note: "last supported by CUDA 12" },
    NvidiaArch { name: "sm_62", number: 62, code_name: "pascal", ptx_min: 50, ptx: 63, shared_block_kib: 48, shared_sm_kib: 64, threads_per_sm: 2048, blocks_per_sm: 32, compute_units: 2, l2_kib: 512, ptxas: "12.9", embedded: true, note: "last supported by CUDA 12" },
    NvidiaArch { name: "sm_70", number: 70, code_name: "volta", ptx_min: 60, ptx: 64, shared_block_kib: 96, shared_sm_kib: 96, threads_per_sm: 2048, blocks_per_sm: 32, compute_units: 80, l2_kib: 6144, ptxas: "12.9", embedded: false, note: "last supported by CUDA 12" },
    NvidiaArch { name: "sm_72", number: 72, code_name: "volta", ptx_min: 61, ptx: 64, shared_block_kib: 96, shared_sm_kib: 96, threads_per_sm: 2048, blocks_per_sm: 32, compute_units: 8, l2_kib: 512, ptxas: "12.9", embedded: true, note: "last supported by CUDA 12" },
    NvidiaArch { name: "sm_75", number: 75, code_name: "turing", ptx_min: 63, ptx: 65, shared_block_kib: 64, shared_sm_kib: 64, threads_per_sm: 1024, blocks_per_sm: 16, compute_units: 40, l2_kib: 4096, ptxas: "12.9, 13.0, 13.5", embedded: false, note: "" },
    NvidiaArch { name: "sm_80", number: 80, code_name: "ampere", ptx_min: 70, ptx: 70, shared_block_kib: 163, shared_sm_kib: 164, threads_per_sm: 2048, blocks_per_sm: 32, compute_units: 108, l2_kib: 40960, ptxas: "12.9, 13.0, 13.5", embedded: false, note: "" },
    NvidiaArch { name: "sm_86", number: 86, code_name: "ampere", ptx_min: 71, ptx: 71, shared_block_kib: 99, shared_sm_kib: 100, threads_per_sm: 1536, blocks_per_sm: 16, compute_units: 82, l2_kib: 6144, ptxas: "12.9, 13.0, 13.5", embedded: false, note: "" },
    NvidiaArch { name: "sm_87", number: 87, code_name: "ampere", ptx_min: 74, ptx: 74, shared_block_kib: 163, shared_sm_kib: 164, threads_per_sm: 1536, blocks_per_sm: 16, compute_units: 16, l2_kib: 4096, ptxas: "12.9, 13.0, 13.5", embedded: true, note: "" },
    NvidiaArch { name: "sm_89", number: 89, code_name: "ada", ptx_min: 78, ptx: 84, shared_block_kib: 99, shared_sm_kib: 100, threads_per_sm: 1536, blocks_per_sm: 24, compute_units: 128, l2_kib: 73728, ptxas: "12.9, 13.0, 13.5", embedded: false, note: "" },
    NvidiaArch { name: "sm_90", number: 90, code_name: "hopper", ptx_min: 78, ptx: 81, shared_block_kib: 227, shared_sm_kib: 228, threads_per_sm: 2048, blocks_per_sm: 32, compute_units: 132, l2_kib: 51200, ptxas: "12.9, 13.0, 13.5", embedded: false, note: "sm_90a for wgmma" },
    NvidiaArch { name: "sm_100", number: 100, code_name: "blackwell", ptx_min: 86, ptx: 86, shared_block_kib: 227, shared_sm_kib: 228, threads_per_sm: 2048, blocks_per_sm: 32, compute_units: 148, l2_kib: 129024, ptxas: "12.9, 13.0, 13.5", embedded: false, note: "sm_100a for tcgen05" },
    NvidiaArch { name: "sm_103", number: 103, code_name: "blackwell", ptx_min: 88, ptx: 88, shared_block_kib: 227, shared_sm_kib: 228, threads_per_sm: 2048, blocks_per_sm: 32, compute_units: 148, l2_kib: 129024, ptxas: "12.9, 13.0, 13.5", embedded: false, note: "sm_103a for tcgen05" },
    NvidiaArch { name: "sm_110", number: 110, code_name: "blackwell", ptx_min: 90, ptx: 90, shared_block_kib: 227, shared_sm_kib: 228, threads_per_sm: 1536, blocks_per_sm: 24, compute_units: 20, l2_kib: 32768, ptxas: "13.0, 13.5", embedded: true, note: "called sm_101 before CUDA 13" },
    NvidiaArch { name: "sm_120", number: 120, code_name: "blackwell", ptx_min: 87, ptx: 87, shared_block_kib: 99, shared_sm_kib: 100, threads_per_sm: 1536, blocks_per_sm: 24, compute_units: 170, l2_kib: 98304, ptxas: "12.9, 13.0, 13.5", embedded: false, note: "sm_120a for block-scaled mma" },
    NvidiaArch { name: "sm_121", number: 121, code_name: "blackwell", ptx_min: 88, ptx: 88, shared_block_kib: 99, shared_sm_kib: 100, threads_per_sm: 1536, blocks_per_sm: 24, compute_units: 48, l2_kib: 24576, ptxas: "12.9, 13.0, 13.5", embedded: false, note: "" },
];

/// Every CPU name that LLVM 22 knows for NVPTX, with the PTX version (ten times it) to ask for where no row says so:
/// the `a` and `f` variants, and architectures that take their limits from the nearest row below.
#[rustfmt::skip]
pub const NVIDIA_LLVM_CPUS: &[(&str, u32)] = &[
    ("sm_20", 32), ("sm_21", 32), ("sm_30", 63), ("sm_32", 63), ("sm_35", 63), ("sm_37", 63), ("sm_50", 63), ("sm_52", 63), ("sm_53", 63),
    ("sm_60", 63), ("sm_61", 63), ("sm_62", 63), ("sm_70", 64), ("sm_72", 64), ("sm_75", 65), ("sm_80", 70), ("sm_86", 71), ("sm_87", 74),
    ("sm_88", 90), ("sm_89", 84), ("sm_90", 81), ("sm_90a", 81), ("sm_100", 86), ("sm_100a", 86), ("sm_100f", 88), ("sm_101", 86),
    ("sm_101a", 86), ("sm_101f", 88), ("sm_103", 88), ("sm_103a", 88), ("sm_103f", 88), ("sm_110", 90), ("sm_110a", 90), ("sm_110f", 90),
    ("sm_120", 87), ("sm_120a", 87), ("sm_120f", 88), ("sm_121", 88), ("sm_121a", 88), ("sm_121f", 88),
];

/// Lowest PTX version LLVM accepts where neither a row nor [`NVIDIA_LLVM_CPUS`] already states a version at the
/// minimum.
#[rustfmt::skip]
pub(crate) const NVIDIA_PTX_MIN: &[(&str, u32)] = &[("sm_20", 32), ("sm_21", 32), ("sm_30", 32), ("sm_32", 40), ("sm_37", 41), ("sm_53", 42), ("sm_90a", 80)];

/// Code names → the lowest architecture of the generation, which the others of the generation also run.
#[rustfmt::skip]
pub(crate) const NVIDIA_CODE_NAMES: &[(&str, &str)] = &[
    ("kepler", "sm_35"), ("maxwell", "sm_50"), ("pascal", "sm_60"), ("volta", "sm_70"), ("turing", "sm_75"), ("ampere", "sm_80"),
    ("ada", "sm_89"), ("ada-lovelace", "sm_89"), ("lovelace", "sm_89"), ("hopper", "sm_90"), ("grace-hopper", "sm_90"), ("blackwell", "sm_100"),
];

/// `(name, compiled as, and as a fallback for other devices)`: an `a` variant has every instruction of its chip and
/// runs on no other, so the name that people use means both.
pub(crate) const NVIDIA_COMPILED_AS: &[(&str, &str, &str)] = &[("sm_90", "sm_90a", "sm_80")];

/// Product series: the start of a name (spaces and dashes removed) → architecture, for products without a row.
#[rustfmt::skip]
pub(crate) const NVIDIA_SERIES: &[(&str, &str)] = &[
    ("gtx9", "sm_52"), ("gtx10", "sm_61"), ("gtx16", "sm_75"), ("rtx20", "sm_75"), ("rtx30", "sm_86"), ("rtx40", "sm_89"), ("rtx50", "sm_120"),
];

/// Number and variant letter of an `sm_` name: `sm_90a` → (90, Some('a')). None for any other text.
pub fn parse_sm(name: &str) -> Option<(u32, Option<char>)> {
    let digits = name.strip_prefix("sm_")?;
    let (digits, variant) = match digits.strip_suffix(['a', 'f']) {
        Some(rest) => (rest, digits.chars().last()),
        None => (digits, None),
    };
    if digits.len() < 2
        || digits.len() > 4
        || !digits.bytes().all(|byte| byte.is_ascii_digit())
        || digits.starts_with('0')
    {
        return None;
    }
    Some((digits.parse().ok()?, variant))
}

/// The row of this number, else the nearest lower one, else the first; and whether it is the exact one.
pub(crate) fn nvidia_row(number: u32) -> (&'static NvidiaArch, bool) {
    let mut nearest = &NVIDIA_ARCHES[0];
    for row in NVIDIA_ARCHES {
        if row.number <= number {
            nearest = row;
        }
    }
    (nearest, nearest.number == number)
}

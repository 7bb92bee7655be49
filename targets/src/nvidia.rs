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
    32, 40, 41, 42, 43, 50, 60, 61, 62, 63, 64, 65, 70, 71, 72, 73, 74, 75, 76, 77, 78, 80, 81, 82, 83, 84, 85, 86, 87,
    88, 90,
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

/// Versions of ptxas.
const NONE: &str = "none";
const P12: &str = "12.9";
const P12_13: &str = "12.9, 13.0, 13.5";
const P13: &str = "13.0, 13.5";
/// Notes too long for a row, or of several rows.
const NO_DRIVER: &str = "no current driver runs sm_35: it needs R470 or older";
const LAST_IN_12: &str = "last supported by CUDA 12";
const RENAMED: &str = "called sm_101 before CUDA 13";
const BLOCK_SCALED: &str = "sm_120a for block-scaled mma";

/// Rows of [`NVIDIA_ARCHES`]: the fields of [`NvidiaArch`] in its order, shared memory in KiB. The name is
/// `sm_` and the number.
macro_rules! nvidia_arches {
    ($(
        $number:literal $code_name:literal $ptx_min:literal $ptx:literal $shared_block_kib:literal
        $shared_sm_kib:literal $threads_per_sm:literal $blocks_per_sm:literal $compute_units:literal $l2_kib:literal
        $ptxas:ident $embedded:literal $note:expr;
    )*) => {
        &[$(NvidiaArch {
            name: concat!("sm_", $number),
            number: $number,
            code_name: $code_name,
            ptx_min: $ptx_min,
            ptx: $ptx,
            shared_block_kib: $shared_block_kib,
            shared_sm_kib: $shared_sm_kib,
            threads_per_sm: $threads_per_sm,
            blocks_per_sm: $blocks_per_sm,
            compute_units: $compute_units,
            l2_kib: $l2_kib,
            ptxas: $ptxas,
            embedded: $embedded,
            note: $note,
        }),*]
    };
}

/// All rows, by number.
pub(crate) const NVIDIA_ARCHES: &[NvidiaArch] = nvidia_arches! {
    // sm  code name    PTX  asked  shared  of SM  threads  blocks  SMs  L2 KiB  ptxas   Jetson  note
    35     "kepler"      32     63      48     48     2048      16   13    1536  NONE    false   NO_DRIVER;
    50     "maxwell"     40     63      48     64     2048      32    5    2048  P12     false   LAST_IN_12;
    52     "maxwell"     41     63      48     96     2048      32   24    3072  P12     false   LAST_IN_12;
    60     "pascal"      50     63      48     64     2048      32   56    4096  P12     false   LAST_IN_12;
    61     "pascal"      50     63      48     96     2048      32   30    3072  P12     false   LAST_IN_12;
    62     "pascal"      50     63      48     64     2048      32    2     512  P12     true    LAST_IN_12;
    70     "volta"       60     64      96     96     2048      32   80    6144  P12     false   LAST_IN_12;
    72     "volta"       61     64      96     96     2048      32    8     512  P12     true    LAST_IN_12;
    75     "turing"      63     65      64     64     1024      16   40    4096  P12_13  false   "";
    80     "ampere"      70     70     163    164     2048      32  108   40960  P12_13  false   "";
    86     "ampere"      71     71      99    100     1536      16   82    6144  P12_13  false   "";
    87     "ampere"      74     74     163    164     1536      16   16    4096  P12_13  true    "";
    89     "ada"         78     84      99    100     1536      24  128   73728  P12_13  false   "";
    90     "hopper"      78     81     227    228     2048      32  132   51200  P12_13  false   "sm_90a for wgmma";
    100    "blackwell"   86     86     227    228     2048      32  148  129024  P12_13  false   "sm_100a for tcgen05";
    103    "blackwell"   88     88     227    228     2048      32  148  129024  P12_13  false   "sm_103a for tcgen05";
    110    "blackwell"   90     90     227    228     1536      24   20   32768  P13     true    RENAMED;
    120    "blackwell"   87     87      99    100     1536      24  170   98304  P12_13  false   BLOCK_SCALED;
    121    "blackwell"   88     88      99    100     1536      24   48   24576  P12_13  false   "";
};

/// Every CPU name that LLVM 22 knows for NVPTX, with the PTX version (ten times it) to ask for where no row says so:
/// the `a` and `f` variants, and architectures that take their limits from the nearest row below.
#[rustfmt::skip]
pub const NVIDIA_LLVM_CPUS: &[(&str, u32)] = &[
    ("sm_20", 32), ("sm_21", 32), ("sm_30", 63), ("sm_32", 63), ("sm_35", 63), ("sm_37", 63), ("sm_50", 63),
    ("sm_52", 63), ("sm_53", 63), ("sm_60", 63), ("sm_61", 63), ("sm_62", 63), ("sm_70", 64), ("sm_72", 64),
    ("sm_75", 65), ("sm_80", 70), ("sm_86", 71), ("sm_87", 74), ("sm_88", 90), ("sm_89", 84), ("sm_90", 81),
    ("sm_90a", 81), ("sm_100", 86), ("sm_100a", 86), ("sm_100f", 88), ("sm_101", 86), ("sm_101a", 86), ("sm_101f", 88),
    ("sm_103", 88), ("sm_103a", 88), ("sm_103f", 88), ("sm_110", 90), ("sm_110a", 90), ("sm_110f", 90), ("sm_120", 87),
    ("sm_120a", 87), ("sm_120f", 88), ("sm_121", 88), ("sm_121a", 88), ("sm_121f", 88),
];

/// Lowest PTX version LLVM accepts where neither a row nor [`NVIDIA_LLVM_CPUS`] already states a version at the
/// minimum.
#[rustfmt::skip]
pub(crate) const NVIDIA_PTX_MIN: &[(&str, u32)] = &[
    ("sm_20", 32), ("sm_21", 32), ("sm_30", 32), ("sm_32", 40), ("sm_37", 41), ("sm_53", 42), ("sm_90a", 80),
];

/// Code names → the lowest architecture of the generation, which the others of the generation also run.
#[rustfmt::skip]
pub(crate) const NVIDIA_CODE_NAMES: &[(&str, &str)] = &[
    ("kepler", "sm_35"), ("maxwell", "sm_50"), ("pascal", "sm_60"), ("volta", "sm_70"), ("turing", "sm_75"),
    ("ampere", "sm_80"), ("ada", "sm_89"), ("ada-lovelace", "sm_89"), ("lovelace", "sm_89"), ("hopper", "sm_90"),
    ("grace-hopper", "sm_90"), ("blackwell", "sm_100"),
];

/// `(name, compiled as, and as a fallback for other devices)`: an `a` variant has every instruction of its chip and
/// runs on no other, so the name that people use means both.
pub(crate) const NVIDIA_COMPILED_AS: &[(&str, &str, &str)] = &[("sm_90", "sm_90a", "sm_80")];

/// Product series: the start of a name (spaces and dashes removed) → architecture, for products without a row.
#[rustfmt::skip]
pub(crate) const NVIDIA_SERIES: &[(&str, &str)] = &[
    ("gtx9", "sm_52"), ("gtx10", "sm_61"), ("gtx16", "sm_75"), ("rtx20", "sm_75"), ("rtx30", "sm_86"),
    ("rtx40", "sm_89"), ("rtx50", "sm_120"),
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

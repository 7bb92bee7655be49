//! GEMV and skinny GEMM.
//!
//! Source: fitted to 550 measurements on one H200 (sm_90a). Other chips use the same figures.

/// Bytes that a multiprocessor streams in a cycle when all do.
pub const STREAM_BYTES: f64 = 21.0;
/// Cycles of a round trip to memory under load.
pub const TRIP: f64 = 810.0;
/// Cycles of what follows the last round trip: exchange, shared memory, store.
pub const FINISH: f64 = 1700.0;
/// The same for each round of workgroups behind the first, where those are replaced one by one, as a share.
/// Source: see [`UNEVEN`].
pub const LATER_FINISH: f64 = 0.1;
/// How much longer memory takes where the workgroups of a kernel that starts early lie unevenly, as a share. Source:
/// graphs of 16 products one behind the other, [1, K]·[N, K]ᵀ in bf16, eight of Llama's shapes by eight ways in CUDA
/// C++ on one H200: N 4096, K 14336 takes 36 us with 0.48 of the threads that the device holds, whatever the loads of
/// each, 29.9 with 0.97, 28.2 with 1.94. The fit's error is 6 %.
pub const UNEVEN: f64 = 0.25;
/// The share of these threads from which they lie evenly, and how far below it they do not at all. Source: as above.
pub const FILL: f64 = 0.7;
pub const FILL_RANGE: f64 = 0.2;
/// Cycles for one partial sum read back.
pub const PART: f64 = 15.0;
/// Cycles for a kernel of its own that adds up parts.
pub const SECOND_KERNEL: f64 = 5500.0;
/// Sizes of clusters, cycles for their meetings, and the workgroups of a hundred that run where clusters of a size are
/// placed.
pub const CLUSTERS: &[(u64, f64, f64)] = &[(1, 0.0, 100.0), (2, 1400.0, 100.0), (4, 1300.0, 91.0), (8, 1300.0, 91.0)];
/// Products a cycle of a multiprocessor, with the conversions before them.
pub const PRODUCTS: f64 = 36.0;
/// The same by matrix instructions.
pub const MATRIX_PRODUCTS: f64 = 127.0;

/// Bytes of the short operand that a multiprocessor lays in shared memory in a cycle. Not measured: half of what the
/// second-level cache gives it.
pub const STAGED_BYTES: f64 = 32.0;

/// Cycles that a ring may take more by the model, for each long operand: the model knows nothing of what comes early.
/// Source: 2048 × 8192 gained with 2223 more, two of 8192 × 2048 in a kernel too; 14336 × 4096, with 7152 more, lost
/// (two layers of a 7B model 353 us -> 390).
pub const RING_MARGIN: f64 = 3000.0;

/// Long operands that are computed from narrower ones.
pub mod computed {
    /// Operations of a multiprocessor in a cycle: 128 lanes, of which some wait. Source: blocks of Q8_0, one H200.
    pub const OPERATIONS: f64 = 100.0;
    /// Percent of the registers of all loads and elements that are in use at once. Source: 64 to 96 of 96 to 144, ptxas
    /// for sm_90.
    pub const REGISTERS_USED: u64 = 60;
    /// Loads of a thread that are under way at the same time where the warp meets behind them, at most, and threads of
    /// a multiprocessor that it takes to keep it busy then. Source: 4096 × 14336 of Q4_0, one H200: 256 threads 19.5
    /// us, 512 threads 14.5.
    pub const UNPACKED_UNDER_WAY: f64 = 16.0;
    pub const UNPACKING_THREADS: f64 = 512.0;
    /// Bytes of x that a workgroup lays in shared memory, at most: two workgroups fit a multiprocessor.
    pub const STAGED_MAX: u64 = 100 << 10;
}

/// Weights in blocks by matrix instructions. Fitted by hand to 20 measurements of Q4_0 on one H200 (1.98 GHz), by CUDA
/// C++: [1, 4096] and [1, 14336] by 4096 to 28672 outputs, 128 to 512 threads, 2 and 4 rows a thread; most are met to
/// 10 %.
pub mod quads {
    /// Bytes that a multiprocessor streams in a cycle when all do.
    pub const STREAM_BYTES: f64 = 16.5;
    /// Cycles of a round: its loads, and the products behind them.
    pub const TRIP: f64 = 2200.0;
    /// Cycles of a workgroup besides: x laid down before, sums added up behind.
    pub const WORKGROUP: f64 = 3400.0;
    /// Share of the shorter of both that does not overlap.
    pub const OVERLAP: f64 = 0.19;
    /// Registers of a thread besides what it fetches of the long operand. Source: 60 to 72 in all with 16 to 28
    /// fetched, ptxas for sm_90.
    pub const OTHER_REGISTERS: u64 = 44;
}

/// The same where a workgroup does tiles of outputs in turn. Fitted to products of [1, 4096] by 4096, 6144 and 2 ×
/// 14336 outputs in Q4_0, CUDA C++, one H200 (1.98 GHz), 128 workgroups of 512 threads: 4.0, 5.3 and 17.6 us.
pub mod turns {
    /// Bytes that a multiprocessor streams in a cycle when all do.
    pub const STREAM_BYTES: f64 = 14.9;
    /// Cycles of a workgroup besides.
    pub const WORKGROUP: f64 = 3900.0;
    /// Turns whose loads are under way before one is multiplied. Source: 8 layers of Llama 3.1 8B in Q4_0, one H200:
    /// with two a step takes 0.362 ms, as registers are short, with one 0.354.
    pub const AHEAD: u64 = 1;
    /// Blocks of a thread, at most.
    pub const BLOCKS_MAX: u64 = 2;
    /// Turns of a workgroup, at most.
    pub const TURNS_MAX: u64 = 64;
    /// Registers of a thread besides x and what it fetches. Source: 93 to 121 in all with 62 of these, ptxas for sm_90.
    pub const OTHER_REGISTERS: u64 = 40;
}

/// Products whose long operands stay in the second-level cache, as those of a loop do. Fitted to 223 measurements on
/// one H100 (sm_90a): steps of LSTMs and GRUs of 256 and 1024 units, 1 and 8 rows, f32 and f16, in a recorded graph.
/// The fit's error is 9 %; what it chooses takes 1.05 times as long as the best measured, 1.13 at most.
pub mod cached {
    /// Cycles of a kernel in a recorded graph before it begins: 1.0 us.
    pub const LAUNCH: f64 = 1755.0;
    /// Cycles of what all such kernels do: the first address, barriers, the epilogue.
    pub const FIXED: f64 = 1660.0;
    /// Bytes a cycle that one multiprocessor gets from the second-level cache, and each when all ask for some.
    pub const BYTES: f64 = 80.0;
    pub const BYTES_OF_ALL: f64 = 30.0;
    /// Least bytes of neighbours that it gives.
    pub const SECTOR: u64 = 32;
    /// Cycles of a multiprocessor for a load of a subgroup, and for a sum given to a neighbour.
    pub const LOAD: f64 = 2.2;
    pub const SHUFFLE: f64 = 0.76;
    /// Cycles of a round of loads, next to what follows.
    pub const TRIP: f64 = 90.0;
    /// Cycles that a thread takes for a load, for a product, and for a matrix instruction.
    pub const OWN_LOAD: f64 = 3.9;
    pub const OWN_PRODUCT: f64 = 1.2;
    pub const OWN_INSTRUCTION: f64 = 62.0;
}

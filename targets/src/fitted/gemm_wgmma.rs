//! GEMM by warpgroups (`wgmma`) with bulk tensor copies, and stream-K.
//!
//! Source: fitted to measurements of products and convolutions on one H200 (sm_90a), the only chip with these
//! instructions. What small products depend on (blocks, stores, exchanges, memory) was fitted again on 2026-11-27: 46
//! shapes in bf16 and tf32, 32 to 6272 rows, every schedule of each (`fornax tune`), operands from memory. What the
//! model then chose took 1.037 times as long as the fastest schedule (geometric mean), 1.097 before. Fits to two thirds
//! of the shapes gave 1.045 on the third that they did not see. Three constants came after, and were fitted to others:
//! [`ABSENT_PER_CYCLE`].

/// Multiplied 16-bit pairs a cycle and unit.
pub const PAIRS_PER_CYCLE: u64 = 2048;
/// Hundredths of the cycles at that rate that blocks take: under such load a device lowers its clock.
pub const MULTIPLY_HUNDREDTHS: u64 = 108;
/// Bytes a cycle that one unit fetches.
pub const FETCHED_PER_CYCLE: u64 = 88;
/// Bytes a cycle that all units fetch through the second-level cache.
pub const CACHED_PER_CYCLE: u64 = 9_000;
/// Elements a cycle and unit that warpgroups compute, of weights in blocks, by [`EXPANDING_WARPS`] and more.
///
/// With the three below set by eye to every schedule of 48 products and pairs in E4M3, Q8_0, Q4_0 and Q4_K, 16 to 128
/// rows, one H200, 2026-11-30: what the model chooses takes 1.006 times as long as the fastest of those measured. Of
/// blocks of 8192 elements beside 16 rows E4M3 has 17 a cycle, Q4_0 14, Q8_0 12, Q4_K 10.
pub const EXPANDED_PER_CYCLE: u64 = 15;
/// Warps from which on more of them compute no faster.
pub const EXPANDING_WARPS: u64 = 10;
/// Cycles of a block that is computed besides.
pub const EXPANDED_BLOCK_CYCLES: u64 = 70;
/// Bytes a cycle that come meanwhile.
pub const EXPANDING_FETCHED_PER_CYCLE: u64 = 160;
/// Bytes of a row that are asked for at a time, where its blocks allow it. 132 units that each copy 64 rows side by
/// side read 1.0, 1.9, 2.9 and 4.05 TB/s in runs of 32, 64, 128 and 256 bytes (16 bytes a copy, one H200, 2026-11-30).
pub const ASKED_RUN_BYTES: u32 = 256;
/// Bytes that a unit asks for ahead, about, and the parts that they are. Memory takes some 1000 cycles to answer, in
/// which a unit's share of it is 19 KB.
pub const ASKED_BYTES: u64 = 64 << 10;
pub const ASKED_PARTS: [u64; 2] = [2, 8];
/// Bytes of the fewest parts, at most: two operands of Q6_K in runs of 256 bytes are 132 KB, and no ring fits beside.
pub const ASKED_BYTES_MAX: u64 = 96 << 10;
/// Bytes a cycle that come from memory.
pub const MEMORY_PER_CYCLE: u64 = 2500;
/// Of the bytes that several tiles read, what comes again: one in so many. The second-level cache holds the rest.
pub const AGAIN_PART: u64 = 4;
/// Bytes a cycle of boxes that do not exist, which the copy engine fills with zeros; nothing hides that.
///
/// With [`IDLE_HUNDREDTHS`] and [`UNSTAGED_CYCLES`] fitted to every schedule of 56 products and of 48 pairs of products
/// in bf16, 16 to 6304 rows, one H200, 2026-11-30: what the model chooses takes 1.029 and 1.023 times as long as the
/// fastest (geometric means), 1.044 and 1.036 before. 32 rows, 6144 columns, 4096 steps took 22.9 us in tiles of 64.
pub const ABSENT_PER_CYCLE: u64 = 18;
/// Hundredths of the time of memory that a device takes longer by which no unit has a workgroup.
pub const IDLE_HUNDREDTHS: u64 = 30;
/// Cycles of a block besides: barriers, addresses.
pub const BLOCK_CYCLES: u64 = 8;
/// Cycles of a block at least, by one warpgroup and by several: a barrier's turn, four multiplies' latency.
pub const BLOCK_CYCLES_MIN: [u64; 2] = [215, 240];
/// Cycles of a product besides its tiles: filling the ring, the last stores.
pub const TILE_CYCLES: u64 = 2500;
/// Cycles of a tile besides its blocks and stores.
pub const ROUND_CYCLES: u64 = 300;
/// Cycles to add up the sums of a cluster.
pub const EXCHANGE_CYCLES: u64 = 950;
/// Cycles for every 1024 sums that a workgroup reads from the others of its cluster.
pub const ADDED_CYCLES: u64 = 450;
/// Bytes a cycle that the whole device copies.
pub const COPIED_PER_CYCLE: u64 = 2200;
/// Cycles of a launch.
pub const LAUNCH_CYCLES: u64 = 4000;
/// f32 pairs a cycle and unit without copies.
pub const THREAD_PAIRS_PER_CYCLE: u64 = 150;
/// Bytes of results a cycle that the whole device stores, where they are what a product mostly moves: tiles do nothing
/// else meanwhile.
pub const STORED_PER_CYCLE: u64 = 1500;
/// Cycles of a product below which two more launches cannot pay.
pub const CYCLES_MIN: u64 = 48_000;
/// The same where one more cannot.
pub const SPLIT_CYCLES_MIN: u64 = 20_000;
/// Cycles of the sum of parts, however small.
pub const SUM_CYCLES: u64 = 5000;
/// Bytes a cycle of the sum of parts: they were just written and come from the cache.
pub const SUM_BYTES_PER_CYCLE: u64 = 2400;
/// Of a hundred units, those that clusters of a size can occupy at the same time: units come in groups that a cluster
/// does not straddle.
pub const CLUSTERED: &[(u32, u64)] = &[(1, 100), (2, 100), (4, 91), (8, 91)];
/// Cycles to store 1024 outputs along the columns, and across them.
pub const STORE_CYCLES: [u64; 2] = [95, 130];
/// The same of wide tiles whose columns threads store. Of one product they take more: tiles of 224 columns of 22
/// products 445 to 530, one H200, 2026-11-30.
pub const UNSTAGED_CYCLES: u64 = 300;

//! Building blocks: what several kernel families share.
//!
//! | file | what | used by |
//! | --- | --- | --- |
//! | `fold`, `reduction_folds` | reductions | tile, row, window, points, fused_loop, GEMM |
//! | `quick_extremum`, `product` | extrema, sums of products | as `fold` |
//! | `lanes` | lanes of a vector and values of threads become one | tile, row, fused_loop |
//! | `tile`, `tile_schedule`, `tile_axis` | register tile: reduction loops | tile, window, gemm_cpu, attention |
//! | `tile_threads`, `tile_start` | register tile: threads that share one | as `tile` |
//! | `tile_finish` | register tile: from accumulators to stores | `tile` |
//! | `points`, `sized_sort` | all that one point needs, by one thread | points, fused_loop, scatter |
//! | `segment_fold`, `change` | the same | as `points` |
//! | `shared` | arrays in shared memory | tile, sort, scan |
//! | `transpose_bytes` | a square of bytes transposed | GEMM on CPUs |
//! | `transpose_square` | a square of registers transposed | elementwise, attention |
//! | `count` | numbers that are known, or of the call | gemm_cpu |
//! | `dot` | dot products of words (AMD) | gemv, gemm_mma |
//! | `mma` | matrix instructions of NVIDIA and AMD | gemm_mma, attention |
//! | `hopper` | barriers, tensor copies, warpgroup multiply | gemm_wgmma, attention, row |

pub mod change;
pub mod count;
pub mod dot;
pub mod fold;
pub mod hopper;
pub mod lanes;
pub mod mma;
pub mod points;
pub mod product;
pub mod quick_extremum;
pub mod reduction_folds;
pub mod segment_fold;
pub mod shared;
mod sized_sort;
pub mod tile;
pub mod tile_axis;
mod tile_finish;
pub mod tile_schedule;
pub mod tile_start;
mod tile_threads;
pub mod transpose_bytes;
pub mod transpose_square;

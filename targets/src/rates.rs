//! How fast a compute unit of an architecture works, per cycle: what schedules are weighed by.
//!
//! Rates are those of the warp-level matrix instructions (`mma.sync`) with f32 accumulation, from vendor documents; on
//! sm_90 and later, where these do not reach the documented peak, as measured. They rank tiles against each other; none
//! is a promise.

use crate::amd::amd_row;
use crate::backend::Backend;
use crate::nvidia::{NVIDIA_ARCHES, parse_sm};
use crate::target::Target;

/// Work and bytes of one compute unit in one cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnitRates {
    /// Floating-point operations (a multiply-add is two) on f16 and bf16, tf32, f32, f64 and 8-bit multiplicands; 0 for
    /// none.
    pub matrix_half: u32,
    pub matrix_tf32: u32,
    pub matrix_f32: u32,
    pub matrix_f64: u32,
    pub matrix_byte: u32,
    /// f32 multiply-adds on the ordinary units, as operations.
    pub scalar_f32: u32,
    /// Bytes from device memory and from the second-level cache, all units busy.
    pub memory_bytes: u32,
    pub cache_bytes: u32,
}

/// A row of NVIDIA: operations of f16, tf32, f64 and 8-bit multiplicands, f32 arithmetic, bytes of memory and cache.
const fn rates(matrix: [u32; 4], scalar_f32: u32, memory_bytes: u32, cache_bytes: u32) -> UnitRates {
    let [matrix_half, matrix_tf32, matrix_f64, matrix_byte] = matrix;
    let matrix_f32 = 0;
    UnitRates { matrix_half, matrix_tf32, matrix_f32, matrix_f64, matrix_byte, scalar_f32, memory_bytes, cache_bytes }
}

/// By compute capability times ten; an architecture between two rows takes the lower one.
#[rustfmt::skip]
pub(crate) const NVIDIA_RATES: &[(u32, UnitRates)] = &[
    (35, rates([0; 4], 384, 24, 48)),
    (50, rates([0; 4], 256, 8, 24)),
    (60, rates([0; 4], 128, 9, 24)),
    (61, rates([0; 4], 256, 9, 24)),
    (70, rates([1024, 0, 0, 0], 128, 8, 32)),
    (75, rates([1024, 0, 0, 2048], 128, 5, 32)),
    (80, rates([2048, 1024, 128, 4096], 128, 13, 48)),
    (86, rates([1024, 512, 4, 2048], 256, 6, 32)),
    (89, rates([1024, 512, 4, 2048], 256, 3, 32)),
    (90, rates([2048, 1024, 256, 4096], 256, 20, 48)),
    (100, rates([2048, 1024, 128, 4096], 256, 28, 48)),
    (103, rates([2048, 1024, 4, 4096], 256, 28, 48)),
    (120, rates([1024, 512, 4, 2048], 256, 4, 32)),
];

/// A row of an AMD family; the caches give 64 bytes a cycle.
const fn amd(matrix: [u32; 5], scalar_f32: u32, memory_bytes: u32) -> UnitRates {
    let [matrix_half, matrix_tf32, matrix_f32, matrix_f64, matrix_byte] = matrix;
    UnitRates {
        matrix_half,
        matrix_tf32,
        matrix_f32,
        matrix_f64,
        matrix_byte,
        scalar_f32,
        memory_bytes,
        cache_bytes: 64,
    }
}

/// By family ([`crate::amd::AmdArch::family`]), those with matrix instructions or dot products: f16, xf32, f32, f64 and
/// 8-bit multiplicands, f32 arithmetic, bytes of memory. From AMD's papers on Vega 20, CDNA 1 to 4 and RDNA 1 to 4:
/// peak rates over compute units and clock.
pub(crate) const AMD_RATES: &[(&str, UnitRates)] = &[
    ("gcn5", amd([0; 5], 128, 9)),
    ("cdna1", amd([1024, 0, 256, 0, 1024], 128, 7)),
    ("cdna2", amd([1024, 0, 256, 256, 1024], 128, 9)),
    ("cdna3", amd([2048, 1024, 256, 256, 4096], 256, 8)),
    ("cdna4", amd([4096, 0, 256, 128, 8192], 256, 13)),
    ("rdna1", amd([0; 5], 128, 7)),
    ("rdna2", amd([0; 5], 128, 3)),
    ("rdna3", amd([512, 0, 0, 0, 512], 256, 4)),
    ("rdna3.5", amd([512, 0, 0, 0, 512], 256, 4)),
    ("rdna4", amd([1024, 0, 0, 0, 2048], 256, 4)),
];

/// The rates of a GPU target with matrix instructions or dot products, or of any CUDA target.
pub fn unit_rates(target: &Target) -> Option<UnitRates> {
    if target.backend == Backend::Rocm {
        let (row, _) = amd_row(&target.name)?;
        return AMD_RATES.iter().find(|(family, _)| *family == row.family).map(|(_, rates)| *rates);
    }
    if target.backend != Backend::Cuda {
        return None;
    }
    let (number, _) = parse_sm(&target.name)?;
    NVIDIA_RATES.iter().rev().find(|(first, _)| *first <= number).map(|(_, rates)| *rates)
}

/// Compute units of the devices that a target's code may run on, its own first: that of a plain architecture runs on
/// every later one too. Embedded devices are left out.
pub fn unit_counts(target: &Target) -> Vec<u32> {
    let mut counts = vec![target.compute_units.max(1)];
    if let (Backend::Cuda, Some((number, None))) = (target.backend, parse_sm(&target.name)) {
        let later = NVIDIA_ARCHES.iter().filter(|row| row.number > number && !row.embedded);
        counts.extend(later.map(|row| row.compute_units));
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_in_order_and_found() {
        assert!(NVIDIA_RATES.windows(2).all(|w| w[0].0 < w[1].0));
        let of = |spec: &str| unit_rates(&Target::from_spec(spec).expect("a target"));
        assert_eq!(of("cuda:sm_87"), of("cuda:sm_86"));
        assert_eq!(of("cuda:sm_90a"), of("cuda:sm_90"));
        assert_eq!(of("rocm:gfx801"), None);
        assert!(of("rocm:gfx906").is_some_and(|rates| rates.matrix_half == 0));
        assert!(of("rocm:gfx90a").is_some_and(|rates| rates.matrix_f64 == rates.matrix_f32));
    }

    #[test]
    fn plain_code_runs_on_later_devices() {
        let counts = |spec: &str| unit_counts(&Target::from_spec(spec).expect("a target"));
        assert_eq!(counts("cuda:sm_90a"), [132]);
        assert_eq!(counts("cuda:sm_80")[..2], [108, 82]);
        assert!(counts("cuda:sm_80").contains(&132) && counts("cuda:sm_120").len() == 2);
        assert_eq!(counts("rocm:gfx90a").len(), 1);
    }
}

//! Which NVIDIA driver takes which PTX: versions of the PTX language by the CUDA release whose drivers know them.
//!
//! A driver reports the CUDA release it belongs to (`cuDriverGetVersion`), and compiles PTX of that release's version
//! and of all before. Machine code for an architecture needs a driver of the first release that knows the architecture.

use crate::nvidia::{nvidia_row, parse_sm};

/// `(PTX version times ten, CUDA release)`, ascending. From the PTX manual's table of release notes.
#[rustfmt::skip]
pub(crate) const PTX_RELEASES: &[(u32, (u32, u32))] = &[
    (32, (5, 5)), (40, (6, 0)), (41, (6, 5)), (42, (7, 0)), (43, (7, 5)), (50, (8, 0)), (60, (9, 0)), (61, (9, 1)),
    (62, (9, 2)), (63, (10, 0)), (64, (10, 1)), (65, (10, 2)), (70, (11, 0)), (71, (11, 1)), (72, (11, 2)),
    (73, (11, 3)), (74, (11, 4)), (75, (11, 5)), (76, (11, 6)), (77, (11, 7)), (78, (11, 8)), (80, (12, 0)),
    (81, (12, 1)), (82, (12, 2)), (83, (12, 3)), (84, (12, 4)), (85, (12, 5)), (86, (12, 7)), (87, (12, 8)),
    (88, (12, 9)), (90, (13, 0)),
];

/// The first CUDA release whose drivers compile PTX of this version (ten times it); `None` behind the table.
pub fn cuda_of_ptx(version: u32) -> Option<(u32, u32)> {
    PTX_RELEASES.iter().find(|row| row.0 >= version).map(|row| row.1)
}

/// The first CUDA release whose drivers load machine code for this architecture (`sm_90a`); `None` for one without a
/// row.
pub fn cuda_of_arch(arch: &str) -> Option<(u32, u32)> {
    let (number, _) = parse_sm(arch)?;
    let (row, exact) = nvidia_row(number);
    exact.then(|| cuda_of_ptx(row.ptx_min)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nvidia::LLVM_PTX_VERSIONS;

    #[test]
    fn every_version_that_is_written_has_a_release() {
        assert!(PTX_RELEASES.windows(2).all(|w| w[0].0 < w[1].0 && w[0].1 < w[1].1));
        for version in LLVM_PTX_VERSIONS {
            assert!(PTX_RELEASES.iter().any(|row| row.0 == *version), "PTX {version}");
        }
        assert_eq!(cuda_of_ptx(78), Some((11, 8)));
        assert_eq!(cuda_of_ptx(999), None);
    }

    #[test]
    fn machine_code_needs_a_driver_that_knows_the_chip() {
        assert_eq!(cuda_of_arch("sm_90a"), Some((11, 8)));
        assert_eq!(cuda_of_arch("sm_120"), Some((12, 8)));
        assert_eq!(cuda_of_arch("gfx90a"), None);
    }
}

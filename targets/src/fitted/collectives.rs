//! What collectives take on GPUs of one host that reach each other's memory.
//!
//! Measured on two NVIDIA H200 (NVLink), own kernels in a CUDA graph: docs/measured/collectives.md. Between two rows
//! the time is interpolated, below the first it is the first's, above the last it grows as the bytes do. For more
//! devices it is calculated: as long as the bytes that a device then reads take between two.

/// A byte between devices costs as many bytes of a device's own memory: NVLink of an H200 (measured, 0.34 TB/s) against
/// its HBM (4.8 TB/s by its data sheet; programs reach less).
pub const LINK_COST: u64 = 12;
/// Operations that cost as much as a byte of memory: bf16 products of an H200 against its HBM, by its data sheet, less
/// what programs do not reach.
pub const OPS_A_BYTE: u64 = 150;

/// By which kernels devices exchange so many bytes.
#[derive(Clone, Copy, Debug)]
pub struct Ways {
    /// This many devices, and fewer than in the next row.
    devices: usize,
    /// Bytes from which on a device reads those of the others; fewer are sent.
    pub pull: u64,
    /// Bytes from which on an all-reduce is a share of the sum, then the shares of the others.
    pub two_steps: u64,
}

/// Measured on two, and on three and four of four H200 (docs/measured/collectives.md). Two devices: 1 MiB takes 7.9 us
/// pushed and 9.8 pulled; each has to read all of the other one's bytes in either way. Three: what is pushed grows by
/// 11 us a MiB from 2.1 on, what is pulled by 9.4 from 5.3 on, two steps by 5.9 from 15 on; four: by 17 from 2.2 on, 15
/// from 5 on, 3 from 13 on. More devices are the same bytes on the links, not measured. NCCL has no row: it took longer
/// at every size but for broadcasts of 64 MiB, and a choice by size would need both at once.
const WAYS: &[Ways] = &[
    Ways { devices: 2, pull: (1 << 20) + 1, two_steps: u64::MAX },
    Ways { devices: 3, pull: (1 << 20) + 1, two_steps: 3 << 20 },
    Ways { devices: 4, pull: (640 << 10) + 1, two_steps: 800 << 10 },
    Ways { devices: 5, pull: (64 << 10) + 1, two_steps: 256 << 10 },
];

/// The ways of a group of so many devices.
pub fn ways(devices: usize) -> Ways {
    WAYS[WAYS.iter().rposition(|row| row.devices <= devices).unwrap_or(0)]
}

/// Devices of an all-reduce of which pieces go ahead. Two send each other all bytes in any way; a sum of more in two
/// steps moves fewer bytes than pieces of all to all.
pub const SENT_AHEAD: usize = 2;
/// Devices of a reduce-scatter whose parts go ahead, at most: a thread reads the parts of all at the same time. Tried
/// with two.
pub const PARTS_AHEAD: usize = 4;
/// Bytes that go ahead to each of the others, at least: below it a collective takes about as long as meeting does. Not
/// measured.
pub const AHEAD_BYTES: u64 = 1 << 20;
/// Bytes of a piece that goes ahead of a sum, at least. By the copy engine they take 11 us (0.39 TB/s); not measured
/// below 8 MiB.
pub const PIECE_BYTES: u64 = 4 << 20;
/// Outputs of a GEMM's block tile, rows and columns (`kernels/gemm_wgmma`).
pub const CUT_TILE: (i64, i64) = (128, 256);
/// Block tiles that H100 and H200 make at a time: one a multiprocessor.
pub const CUT_UNITS: i64 = 132;
/// The product of a piece takes at least this part of the time of its bytes over the link, else the launches that a cut
/// adds cost more than it hides. Not measured.
pub const HIDDEN_PART: u64 = 2;

/// Bytes of a device's source, and microseconds, among two devices.
type Rows = &'static [(f64, f64)];

const ALL_REDUCE: Rows = &[
    (512.0, 1.78),
    (8192.0, 2.15),
    (32768.0, 2.38),
    (262_144.0, 3.59),
    (1_048_576.0, 8.01),
    (4_194_304.0, 19.5),
    (16_777_216.0, 57.5),
    (67_108_864.0, 208.0),
    (268_435_456.0, 813.0),
];
const ALL_GATHER: Rows = &[(4096.0, 2.17), (262_144.0, 3.49), (16_777_216.0, 56.4), (67_108_864.0, 208.0)];
const REDUCE_SCATTER: Rows = &[(4096.0, 2.02), (1_048_576.0, 5.02), (67_108_864.0, 108.0)];
const ALL_TO_ALL: Rows = &[(4096.0, 1.99), (67_108_864.0, 108.0)];
const PERMUTE: Rows = &[(4096.0, 5.0), (67_108_864.0, 206.0)];
const BROADCAST: Rows = &[
    (4096.0, 4.46),
    (262_144.0, 5.88),
    (1_048_576.0, 7.94),
    (4_194_304.0, 16.4),
    (16_777_216.0, 50.5),
    (67_108_864.0, 251.0),
];

/// Microseconds of a collective of `bytes` a device among `devices`, by its name in a module; `None` of one that was
/// not measured.
pub fn microseconds(name: &str, bytes: u64, devices: u32) -> Option<f64> {
    let n = f64::from(devices.max(2));
    // What a device reads of its source's size, over the same between two.
    let (rows, more) = match name {
        "all_reduce" => (ALL_REDUCE, 2.0 * (n - 1.0) / n),
        "all_gather" => (ALL_GATHER, n - 1.0),
        "reduce_scatter" => (REDUCE_SCATTER, 2.0 * (n - 1.0) / n),
        "all_to_all" => (ALL_TO_ALL, 2.0 * (n - 1.0) / n),
        "permute" => (PERMUTE, 1.0),
        "broadcast" => (BROADCAST, 1.0),
        _ => return None,
    };
    let bytes = bytes as f64 * more;
    let (&first, &last) = (rows.first()?, rows.last()?);
    if bytes <= first.0 {
        return Some(first.1);
    }
    let between = rows.windows(2).find_map(|pair| {
        let &[(a, low), (b, high)] = pair else { return None };
        (bytes <= b).then(|| low + (high - low) * (bytes - a) / (b - a))
    });
    Some(between.unwrap_or(last.1 * bytes / last.0))
}

#[cfg(test)]
mod tests {
    use super::{microseconds, ways};

    #[test]
    fn a_group_has_the_ways_of_the_last_row_that_it_fills() {
        let pull = |devices| ways(devices).pull >> 10;
        assert_eq!([1, 2, 3, 4, 5, 16].map(pull), [1024, 1024, 1024, 640, 64, 64]);
        assert!((3..=16).all(|devices| ways(devices).pull < ways(devices).two_steps));
    }

    #[test]
    fn rows_are_what_was_measured_and_more_takes_longer() {
        assert_eq!(microseconds("all_reduce", 8192, 2), Some(2.15));
        assert_eq!(microseconds("all_reduce", 16, 2), Some(1.78));
        assert!((microseconds("all_gather", 1 << 30, 2).unwrap() - 16.0 * 208.0).abs() < 1e-6);
        for name in ["all_reduce", "all_gather", "reduce_scatter", "all_to_all", "permute", "broadcast"] {
            let times: Vec<f64> = (9..32).map(|n| microseconds(name, 1 << n, 2).unwrap()).collect();
            assert!(times.windows(2).all(|pair| pair[0] <= pair[1]), "{name}: {times:?}");
            assert!(microseconds(name, 1 << 20, 8) >= microseconds(name, 1 << 20, 2), "{name}");
        }
        assert_eq!(microseconds("send", 16, 2), None);
    }
}

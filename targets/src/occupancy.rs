//! How many waves of a kernel an AMD compute unit holds at a time: by registers, by LDS, by the size of a workgroup.
//!
//! Input: an architecture and what a kernel takes (the metadata of its code object). Output: workgroups a compute unit,
//! waves a SIMD, and what keeps it from more. A compute unit here is what the waves of a workgroup share: on RDNA the
//! two units of a WGP. The figures are those that LLVM 22.1.8 compiles by (`; Occupancy:` in its assembly, which tests
//! compare), from AMD's instruction set documents.
//!
//! Worked example, gfx90a: 124 vector registers become 128, of 512: 4 waves a SIMD. Four waves and 36 KiB of LDS a
//! workgroup: one workgroup, one wave a SIMD; LDS is the limit.

use crate::amd::amd_row;

/// One kind of compute unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnitRow {
    /// [`crate::amd::AmdArch::family`].
    pub family: &'static str,
    /// Vector registers of a lane that a SIMD has for all its waves, for waves of 64 (or where there are no others, of
    /// 32); waves of half as many lanes have twice as many.
    pub registers: u32,
    /// Registers are given out in so many at a time, to waves of 64; to waves of 32 twice as many.
    pub granule: u32,
    /// Lanes of the waves that these two are for.
    pub lanes: u32,
    /// Accumulation registers: none, a file of their own as large, or part of the same.
    pub accumulators: Accumulators,
    /// Scalar registers of a SIMD and how many at a time; 0 = as many as a wave can name.
    pub scalars: [u32; 2],
    /// Waves of a SIMD at most.
    pub waves: u32,
    /// SIMDs that share the LDS, LDS in KiB, and its granule in bytes.
    pub simds: u32,
    pub lds_kib: u32,
    pub lds_granule: u32,
    /// Workgroups of more than one wave at most: each needs a barrier.
    pub barriers: u32,
}

/// Where sums of matrix instructions can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accumulators {
    None,
    Apart,
    Shared,
}

use Accumulators::{Apart, None as NoAccumulators, Shared};

const GCN: UnitRow = UnitRow {
    family: "gcn5",
    registers: 256,
    granule: 4,
    lanes: 64,
    accumulators: NoAccumulators,
    scalars: [800, 16],
    waves: 10,
    simds: 4,
    lds_kib: 64,
    lds_granule: 512,
    barriers: 16,
};
const CDNA: UnitRow = UnitRow { registers: 512, granule: 8, accumulators: Shared, waves: 8, family: "cdna2", ..GCN };
const RDNA: UnitRow = UnitRow {
    family: "rdna2",
    registers: 512,
    granule: 8,
    scalars: [0, 1],
    waves: 16,
    lds_kib: 128,
    barriers: 32,
    ..GCN
};

/// By family.
#[rustfmt::skip]
pub const UNITS: &[UnitRow] = &[
    UnitRow { family: "gcn1", scalars: [512, 8], lds_kib: 32, lds_granule: 256, ..GCN },
    UnitRow { family: "gcn2", scalars: [512, 8], ..GCN },
    UnitRow { family: "gcn3", ..GCN },
    UnitRow { family: "gcn5", ..GCN },
    UnitRow { family: "cdna1", accumulators: Apart, ..GCN },
    UnitRow { family: "cdna2", ..CDNA },
    UnitRow { family: "cdna3", ..CDNA },
    UnitRow { family: "cdna4", lds_kib: 160, lds_granule: 2048, ..CDNA },
    UnitRow { family: "rdna1", granule: 4, waves: 20, ..RDNA },
    UnitRow { family: "rdna2", ..RDNA },
    UnitRow { family: "rdna3", ..RDNA },
    UnitRow { family: "rdna3.5", ..RDNA },
    UnitRow { family: "rdna4", registers: 768, granule: 12, ..RDNA },
    UnitRow { family: "gfx1250", registers: 1024, granule: 16, lanes: 32, lds_kib: 320, lds_granule: 2048, ..RDNA },
];

/// Chips of a family whose SIMDs have half as many registers again.
pub(crate) const LARGER_FILES: &[&str] = &["gfx1100", "gfx1101", "gfx1151"];

/// What a kernel takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Demand {
    /// Lanes of a wave.
    pub wave: u32,
    /// Vector registers of a lane; where accumulation registers share the file, with them.
    pub vector_registers: u32,
    pub accumulation_registers: u32,
    pub scalar_registers: u32,
    /// LDS and threads of a workgroup.
    pub shared_bytes: u32,
    pub threads: u32,
}

/// What keeps a compute unit from holding more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Nothing: as many waves as there can be.
    Waves,
    VectorRegisters,
    ScalarRegisters,
    Lds,
    Barriers,
}

impl Limit {
    /// For people and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Limit::Waves => "waves",
            Limit::VectorRegisters => "vector registers",
            Limit::ScalarRegisters => "scalar registers",
            Limit::Lds => "LDS",
            Limit::Barriers => "barriers",
        }
    }
}

/// How many fit at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occupancy {
    /// Workgroups of a compute unit (RDNA: of a WGP).
    pub workgroups: u32,
    /// Waves of a SIMD, the fullest one, and at most.
    pub waves: u32,
    pub waves_max: u32,
    pub limit: Limit,
}

/// The row of an architecture, larger register files included.
pub fn unit_row(arch: &str) -> Option<UnitRow> {
    let (row, _) = amd_row(arch)?;
    let unit = *UNITS.iter().find(|unit| unit.family == row.family)?;
    let larger = LARGER_FILES.contains(&row.name);
    let half_more = |n: u32| if larger { n + n / 2 } else { n };
    Some(UnitRow { registers: half_more(unit.registers), granule: half_more(unit.granule), ..unit })
}

impl UnitRow {
    /// Waves of a SIMD that registers allow.
    fn waves_by(&self, count: u32, total: u32, granule: u32) -> u32 {
        let taken = count.max(1).next_multiple_of(granule.max(1));
        if total == 0 { self.waves } else { (total / taken).clamp(1, self.waves) }
    }

    /// How many workgroups of a kernel a compute unit holds.
    pub fn occupancy(&self, demand: &Demand) -> Occupancy {
        let factor = (self.lanes / demand.wave.max(1)).max(1);
        let vectors = match self.accumulators {
            Apart => demand.vector_registers.max(demand.accumulation_registers),
            Shared | NoAccumulators => demand.vector_registers,
        };
        let group_waves = demand.threads.div_ceil(demand.wave.max(1)).max(1);
        // Waves of a workgroup are spread over the SIMDs.
        let groups_of = |waves: u32| waves * self.simds / group_waves;
        let lds = demand.shared_bytes.next_multiple_of(self.lds_granule);
        let limits = [
            (Limit::Waves, groups_of(self.waves)),
            (Limit::Barriers, if group_waves > 1 { self.barriers } else { u32::MAX }),
            (Limit::VectorRegisters, groups_of(self.waves_by(vectors, self.registers * factor, self.granule * factor))),
            (
                Limit::ScalarRegisters,
                groups_of(self.waves_by(demand.scalar_registers, self.scalars[0], self.scalars[1])),
            ),
            (Limit::Lds, (self.lds_kib * 1024).checked_div(lds).unwrap_or(u32::MAX)),
        ];
        // Of equal ones the first.
        let (limit, workgroups) = limits
            .into_iter()
            .reduce(|least, next| if next.1 < least.1 { next } else { least })
            .unwrap_or((Limit::Waves, 0));
        // A compiled kernel's workgroup fits once.
        let workgroups = workgroups.max(1);
        let waves = (workgroups * group_waves).div_ceil(self.simds).min(self.waves);
        Occupancy { workgroups, waves, waves_max: self.waves, limit }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::amd::AMD_ARCHES;

    fn waves(arch: &str, registers: u32, lds_kib: u32, threads: u32) -> u32 {
        let wave = if arch.len() == 7 && arch != "gfx9-generic" { 32 } else { 64 };
        let demand =
            Demand { wave, vector_registers: registers, shared_bytes: lds_kib * 1024, threads, ..Demand::default() };
        unit_row(arch).expect("a row").occupancy(&demand).waves
    }

    #[test]
    fn every_architecture_has_a_row() {
        for row in AMD_ARCHES {
            let unit = unit_row(row.name).unwrap_or_else(|| panic!("{}", row.name));
            assert!(unit.lds_kib >= row.lds_kib && unit.registers >= 256, "{}", row.name);
        }
    }

    /// Printed by LLVM 22.1.8 for kernels that name the last register (workgroups of 256 threads).
    #[test]
    fn registers_give_the_waves_that_llvm_counts() {
        let counts = [24, 32, 40, 48, 64, 72, 96, 120, 128, 168, 256];
        let rows: &[(&str, [u32; 11])] = &[
            ("gfx906", [10, 8, 6, 5, 4, 3, 2, 2, 2, 1, 1]),
            ("gfx908", [10, 8, 6, 5, 4, 3, 2, 2, 2, 1, 1]),
            ("gfx942", [8, 8, 8, 8, 8, 7, 5, 4, 4, 3, 2]),
            ("gfx1010", [20, 20, 20, 20, 16, 14, 10, 8, 8, 6, 4]),
            ("gfx1030", [16, 16, 16, 16, 16, 12, 10, 8, 8, 5, 4]),
            ("gfx1100", [16, 16, 16, 16, 16, 16, 16, 12, 10, 9, 5]),
            ("gfx1102", [16, 16, 16, 16, 16, 12, 10, 8, 8, 5, 4]),
            ("gfx1200", [16, 16, 16, 16, 16, 16, 16, 12, 10, 9, 5]),
            ("gfx1250", [16, 16, 16, 16, 16, 12, 10, 8, 8, 5, 4]),
        ];
        for (arch, expected) in rows {
            // 128 threads: two workgroups fill as much of the SIMDs as one wave does, so that waves need not be a
            // multiple of anything.
            let found: Vec<u32> =
                counts.iter().map(|&n| waves(arch, n, 0, if arch.len() == 7 { 128 } else { 256 })).collect();
            assert_eq!(found, expected, "{arch}");
        }
    }

    #[test]
    fn lds_gives_the_waves_that_llvm_counts() {
        let demands = [(8, 64), (16, 128), (16, 256), (32, 256), (64, 256), (33, 256), (1, 1024)];
        let rows: &[(&str, [u32; 7])] = &[
            ("gfx908", [2, 2, 4, 2, 1, 1, 8]),
            ("gfx950", [5, 5, 8, 5, 2, 4, 8]),
            ("gfx600", [1, 1, 2, 1, 1, 1, 8]),
            ("gfx1010", [8, 8, 16, 8, 4, 6, 16]),
            ("gfx1100", [8, 8, 16, 8, 4, 6, 16]),
        ];
        for (arch, expected) in rows {
            let found: Vec<u32> = demands.iter().map(|&(lds, threads)| waves(arch, 8, lds, threads)).collect();
            assert_eq!(found, expected, "{arch}");
        }
    }

    #[test]
    fn the_limit_is_named() {
        let unit = unit_row("gfx90a").expect("a row");
        let demand =
            Demand { wave: 64, vector_registers: 124, shared_bytes: 36 << 10, threads: 256, ..Demand::default() };
        let found = unit.occupancy(&demand);
        assert_eq!((found.workgroups, found.waves, found.limit), (1, 1, Limit::Lds));
        let found = unit.occupancy(&Demand { shared_bytes: 0, ..demand });
        assert_eq!((found.workgroups, found.waves, found.limit), (4, 4, Limit::VectorRegisters));
        // Two waves a SIMD make one workgroup; a third is left over.
        let wide = Demand { vector_registers: 168, threads: 512, ..demand };
        assert_eq!(unit.occupancy(&Demand { shared_bytes: 0, ..wide }).waves, 2);
        // gfx908 counts accumulation registers apart.
        let apart = Demand { vector_registers: 60, accumulation_registers: 128, shared_bytes: 0, ..demand };
        assert_eq!(unit_row("gfx908").expect("a row").occupancy(&apart).waves, 2);
        let scalar = Demand { vector_registers: 8, scalar_registers: 102, shared_bytes: 0, ..demand };
        let found = unit_row("gfx906").expect("a row").occupancy(&scalar);
        assert_eq!((found.waves, found.limit), (7, Limit::ScalarRegisters));
        let small = Demand { wave: 64, vector_registers: 8, threads: 64, ..Demand::default() };
        let found = unit.occupancy(&small);
        assert_eq!((found.workgroups, found.waves, found.limit.name()), (32, 8, "waves"));
        assert_eq!(unit.occupancy(&Demand::default()).waves, 8);
    }
}

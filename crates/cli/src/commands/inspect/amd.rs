//! What kernels take of an AMD chip: registers by kind, LDS, spills, scratch, how many waves a SIMD holds; where asked
//! for, the main loop.
//!
//! Input: the hsaco images of a program. Output: a row for each kernel and image, from the metadata in the image and
//! the rows of `fornax_targets::occupancy`. Nothing needs a tool but the main loop.

use std::collections::HashMap;

use fornax_module::hsaco::{self, HsacoKernel};
use fornax_module::manifest::{ImageKind, TargetEntry};
use fornax_module::program::Program;
use fornax_module::read::ParsedModule;
use fornax_targets::occupancy::{Accumulators, Demand, unit_row};
use serde::Serialize;

use super::loops::{Loops, MainLoop};

/// One kernel on one chip.
#[derive(Serialize)]
pub struct AmdReport {
    pub arch: String,
    pub wave: u32,
    /// Vector registers of a lane without accumulation registers, those, and scalar registers of a wave.
    pub vgprs: u32,
    pub agprs: u32,
    pub sgprs: u32,
    pub vgpr_spills: u32,
    pub sgpr_spills: u32,
    pub lds_bytes: u32,
    pub scratch_bytes: u32,
    /// Absent for a chip without figures.
    #[serde(flatten)]
    pub occupancy: Option<OccupancyReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub main_loop: Option<MainLoop>,
}

#[derive(Serialize)]
pub struct OccupancyReport {
    pub workgroups_per_unit: u32,
    pub waves_per_simd: u32,
    pub waves_per_simd_max: u32,
    pub occupancy_limit: &'static str,
}

/// Reports by kernel, in the order of the images.
pub type Reports = HashMap<String, Vec<AmdReport>>;

/// The reports of a program that these targets run; what could not be found out is added to `notes`.
pub fn reports<'a>(
    module: &ParsedModule<&[u8]>,
    program: &Program,
    targets: impl Iterator<Item = &'a TargetEntry>,
    loops: Option<&Loops>,
    notes: &mut Vec<String>,
) -> Reports {
    let mut found = Reports::new();
    let images = targets.flat_map(|target| &target.images).filter(|image| image.kind == ImageKind::Hsaco);
    for image in images {
        let Ok(bytes) = module.image(image.section) else { continue };
        let arch = image.arch.split(',').next().unwrap_or_default();
        // LDS that a launch adds to what the image declares.
        let launched =
            |name: &str| program.kernels.iter().find(|k| k.name == name).map_or(0, |k| k.dynamic_shared_bytes);
        for (name, row) in of_image((bytes, arch), &launched, loops, notes) {
            found.entry(name).or_default().push(row);
        }
    }
    found
}

/// The kernels of one image and the chip it is for.
fn of_image(
    (bytes, arch): (&[u8], &str),
    launched: &dyn Fn(&str) -> u32,
    loops: Option<&Loops>,
    notes: &mut Vec<String>,
) -> Vec<(String, AmdReport)> {
    let kernels = hsaco::kernels(bytes);
    let wave = kernels.first().map_or(0, |kernel| kernel.wave);
    let mut by_name = loops.map_or_else(HashMap::new, |loops| {
        loops.of_image(bytes, (arch, wave), notes).unwrap_or_else(|why| {
            notes.push(why);
            HashMap::new()
        })
    });
    let row = |mut kernel: HsacoKernel| {
        kernel.shared_bytes = kernel.shared_bytes.saturating_add(launched(&kernel.name));
        let row = report(arch, &kernel, by_name.remove(&kernel.name));
        (kernel.name, row)
    };
    kernels.into_iter().map(row).collect()
}

/// What `inspect` says of a bare code object, made by whichever compiler.
#[derive(Serialize)]
pub struct CodeObjectReport {
    pub kernels: Vec<NamedReport>,
    pub notes: Vec<String>,
}

#[derive(Serialize)]
pub struct NamedReport {
    pub name: String,
    #[serde(flatten)]
    pub report: AmdReport,
}

/// The report of a file that is a code object for AMD; None of any other.
pub fn code_object(bytes: &[u8], loops: Option<&Loops>) -> Option<CodeObjectReport> {
    let arch = hsaco::processor(bytes)?;
    let mut notes: Vec<String> = loops.and_then(Loops::missing).map(String::from).into_iter().collect();
    let kernels = of_image((bytes, &arch), &|_| 0, loops, &mut notes);
    Some(CodeObjectReport {
        kernels: kernels.into_iter().map(|(name, report)| NamedReport { name, report }).collect(),
        notes,
    })
}

fn report(arch: &str, kernel: &HsacoKernel, main_loop: Option<MainLoop>) -> AmdReport {
    let unit = unit_row(arch);
    let shared = unit.is_some_and(|unit| unit.accumulators == Accumulators::Shared);
    let demand = Demand {
        wave: kernel.wave,
        vector_registers: kernel.vector_registers,
        accumulation_registers: kernel.accumulation_registers,
        scalar_registers: kernel.scalar_registers,
        shared_bytes: kernel.shared_bytes,
        threads: kernel.threads,
    };
    let occupancy = unit.map(|unit| unit.occupancy(&demand)).map(|found| OccupancyReport {
        workgroups_per_unit: found.workgroups,
        waves_per_simd: found.waves,
        waves_per_simd_max: found.waves_max,
        occupancy_limit: found.limit.name(),
    });
    AmdReport {
        arch: arch.to_string(),
        wave: kernel.wave,
        vgprs: kernel.vector_registers.saturating_sub(if shared { kernel.accumulation_registers } else { 0 }),
        agprs: kernel.accumulation_registers,
        sgprs: kernel.scalar_registers,
        vgpr_spills: kernel.vector_spills,
        sgpr_spills: kernel.scalar_spills,
        lds_bytes: kernel.shared_bytes,
        scratch_bytes: kernel.scratch_bytes,
        occupancy,
        main_loop,
    }
}

impl AmdReport {
    /// The lines of the text form.
    pub fn lines(&self) -> Vec<String> {
        let mut first = format!(
            "{}: {} VGPRs, {} AGPRs, {} SGPRs, {} bytes LDS, {} bytes scratch",
            self.arch, self.vgprs, self.agprs, self.sgprs, self.lds_bytes, self.scratch_bytes
        );
        if self.vgpr_spills + self.sgpr_spills > 0 {
            first += &format!(", spilled: {} VGPRs, {} SGPRs", self.vgpr_spills, self.sgpr_spills);
        }
        if let Some(o) = &self.occupancy {
            let (waves, max, groups) = (o.waves_per_simd, o.waves_per_simd_max, o.workgroups_per_unit);
            first +=
                &format!("; {waves} of {max} waves a SIMD, {groups} workgroups a unit (limit: {})", o.occupancy_limit);
        }
        let mut lines = vec![first];
        lines.extend(self.main_loop.as_ref().map(MainLoop::line));
        lines
    }
}

//! `fornax bench --kernels`: each kernel's time against what the device could do, as a table or JSON.
//!
//! ```text
//! kernels of a call: 175.2 of 176.1 us in 2 launches, 0.45 us between; copy 4.31 TB/s, peaks of h200 from its data …
//!   kernel             launches   us each  share   TB/s  TFLOP/s  possible  bound by    regs  local  shared  occupancy
//!   contraction_0_do…         1     172.1  97.7%  0.585    798.6     80.7%  operations   168      0  229456        19%
//!     wgmma 128x256x64, 4 stages
//! ```
//! `share` is of the call in a queue; where launches of a graph overlap, shares come to more than all. `possible` is
//! possible time / measured time. Bytes are those a launch must move, each once. How it is measured:
//! `fornax_runtime::session::bench_kernels`.

use anyhow::Result;
use fornax_module::program::Kernel;
use fornax_runtime::Tensor;
use fornax_runtime::session::{KernelTime, Session, bench_kernels};
use fornax_targets::Target;
use fornax_targets::occupancy::{Demand, unit_row};
use serde::Serialize;

use crate::failure::Failure;
use crate::output::say;

/// Longest name printed in the table.
const NAME_CHARS: usize = 40;

#[derive(Serialize)]
pub struct KernelsReport {
    /// Launches of a call, the time of all of them alone, and of the call in a queue.
    launches: usize,
    launched_us: f64,
    call_us: f64,
    /// Time between two launches: what is left of the call, by launches. Below 0 where launches overlap.
    gap_us: f64,
    copy_tb_s: f64,
    product: Option<&'static str>,
    kernels: Vec<KernelReport>,
}

#[derive(Serialize)]
struct KernelReport {
    name: String,
    hero: String,
    summary: String,
    launches: usize,
    launch_us: f64,
    /// Part of the call's time in a queue.
    share: f64,
    bytes: u64,
    tb_s: f64,
    flops: u64,
    arithmetic: String,
    tflop_s: f64,
    /// Time of a copy of as many bytes, and of the operations at the product's peak.
    copy_us: f64,
    peak_us: Option<f64>,
    /// Possible time / measured time.
    possible: f64,
    bound: &'static str,
    /// Of a thread; nobody tells of processors and OpenCL devices.
    registers: Option<u32>,
    spill_bytes: u32,
    local_bytes: Option<u32>,
    shared_bytes: u32,
    resident_groups: Option<u32>,
    occupancy: Option<f64>,
    note: String,
}

/// The kernels of a call that takes `call_us` in a queue.
pub fn measure(session: &mut Session, function: &str, inputs: &[Tensor], call_us: f64) -> Result<KernelsReport> {
    let measured = bench_kernels(session, function, inputs).map_err(Failure::from)?;
    let launched_us: f64 = measured.kernels.iter().map(|k| k.launch_us * k.launches as f64).sum();
    let records = session.program_kernels();
    let info = session.device().info();
    let rows = measured.kernels.iter().filter_map(|time| {
        let record = records.get(time.kernel)?;
        let mut row = row(time, record, call_us);
        if let Some((groups, part)) = amd_occupancy(info.driver, &info.arch, record).filter(|_| row.occupancy.is_none())
        {
            (row.resident_groups, row.occupancy) = (Some(groups), Some(part));
        }
        Some(row)
    });
    Ok(KernelsReport {
        launches: measured.launches,
        launched_us,
        call_us,
        gap_us: (call_us - launched_us) / measured.launches.max(1) as f64,
        copy_tb_s: measured.copy_bytes_per_s * 1e-12,
        product: measured.product,
        kernels: rows.collect(),
    })
}

/// Workgroups that a compute unit holds, and the part of its waves that are: HIP does not tell, the chip's row does.
fn amd_occupancy(driver: &str, arch: &str, record: &Kernel) -> Option<(u32, f64)> {
    let chip = arch.split(':').next().filter(|_| driver == "rocm" && record.registers > 0)?;
    let demand = Demand {
        wave: Target::from_spec(&format!("rocm:{chip}")).ok()?.subgroup_size,
        vector_registers: record.registers,
        shared_bytes: record.static_shared_bytes.saturating_add(record.dynamic_shared_bytes),
        threads: record.block.iter().product(),
        ..Demand::default()
    };
    let found = unit_row(chip)?.occupancy(&demand);
    Some((found.workgroups, f64::from(found.waves) / f64::from(found.waves_max.max(1))))
}

fn row(time: &KernelTime, record: &Kernel, call_us: f64) -> KernelReport {
    let us = time.launch_us.max(1e-6);
    let resources = time.resources;
    let threads: u32 = record.block.iter().product();
    let resident = |r: fornax_runtime::hal::KernelResources| f64::from(r.resident_groups) * f64::from(threads);
    KernelReport {
        name: record.name.clone(),
        hero: record.hero.clone(),
        summary: record.summary.clone(),
        launches: time.launches,
        launch_us: time.launch_us,
        share: time.launch_us * time.launches as f64 / call_us.max(1e-6),
        bytes: time.bytes,
        tb_s: time.bytes as f64 / us * 1e-6,
        flops: record.flops,
        arithmetic: record.arithmetic.clone(),
        tflop_s: record.flops as f64 / us * 1e-6,
        copy_us: time.copy_us,
        peak_us: time.peak_us,
        possible: time.possible_us() / us,
        bound: time.bound(),
        // No kernel does without.
        registers: Some(resources.map_or(record.registers, |r| r.registers)).filter(|count| *count > 0),
        spill_bytes: record.spill_bytes,
        local_bytes: resources.map(|r| r.local_bytes),
        shared_bytes: resources.map_or(record.static_shared_bytes + record.dynamic_shared_bytes, |r| r.shared_bytes),
        resident_groups: resources.filter(|r| r.unit_threads > 0).map(|r| r.resident_groups),
        occupancy: resources.filter(|r| r.unit_threads > 0).map(|r| resident(r) / f64::from(r.unit_threads)),
        note: record.note.clone(),
    }
}

pub fn print_text(report: &KernelsReport) {
    let peaks =
        report.product.map_or("no peaks known".into(), |product| format!("peaks of {product} from its data sheet"));
    let between = match report.gap_us {
        gap if gap < 0.0 => "launches overlap".to_string(),
        gap => format!("{gap:.2} us between"),
    };
    say!(
        "kernels of a call: {:.1} of {:.1} us in {} launch{}, {between}; copy {:.3} TB/s, {peaks}",
        report.launched_us,
        report.call_us,
        report.launches,
        if report.launches == 1 { "" } else { "es" },
        report.copy_tb_s
    );
    say!(
        "  {:<NAME_CHARS$} {:>8} {:>9} {:>6} {:>7} {:>8} {:>8}  {:<10} {:>4} {:>5} {:>7} {:>9}",
        "kernel",
        "launches",
        "us each",
        "share",
        "TB/s",
        "TFLOP/s",
        "possible",
        "bound by",
        "regs",
        "local",
        "shared",
        "occupancy"
    );
    for k in &report.kernels {
        let name: String = k.name.chars().take(NAME_CHARS).collect();
        let flops = if k.flops > 0 { format!("{:.2}", k.tflop_s) } else { "-".into() };
        let local = k.local_bytes.map_or(k.spill_bytes.to_string(), |bytes| bytes.to_string());
        let registers = k.registers.map_or("-".into(), |count| count.to_string());
        let occupancy = k.occupancy.map_or("-".into(), |part| format!("{:.0}%", part * 100.0));
        say!(
            "  {name:<NAME_CHARS$} {:>8} {:>9.2} {:>5.1}% {:>7.3} {flops:>8} {:>7.1}%  {:<10} {registers:>4} \
             {local:>5} {:>7} {occupancy:>9}",
            k.launches,
            k.launch_us,
            k.share * 100.0,
            k.tb_s,
            k.possible * 100.0,
            k.bound,
            k.shared_bytes
        );
        if !k.note.is_empty() {
            say!("    {}", k.note);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn occupancy_of_amd_is_that_of_its_chip() {
        let record = Kernel { registers: 128, block: [256, 1, 1], ..Kernel::default() };
        // 128 of 512 registers: 4 of 8 waves a SIMD, four waves a workgroup over four SIMDs.
        assert_eq!(amd_occupancy("rocm", "gfx90a:sramecc+:xnack-", &record), Some((4, 0.5)));
        assert_eq!(amd_occupancy("rocm", "gfx942", &record), Some((4, 0.5)));
        let large = amd_occupancy("rocm", "gfx1250", &record).unwrap();
        assert!(large.0 > 0 && large.1 > 0.0 && large.1 <= 1.0, "{large:?}");
        assert_eq!(amd_occupancy("cuda", "gfx942", &record), None);
        assert_eq!(amd_occupancy("rocm", "gfx942", &Kernel::default()), None);
    }
}

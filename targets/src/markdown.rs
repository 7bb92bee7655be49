//! The generated page `docs/use/targets.md`, written from the tables; a test keeps the file equal to them.

use std::fmt::Write;

use crate::amd::{AMD_ARCHES, AMD_CODE_NAMES, AMD_LIKE, AMD_SOURCE};
use crate::amd_products::AMD_PRODUCTS;
use crate::cpu::{CPU_ALIASES, CPU_ARCHES, CPU_DEFAULTS};
use crate::features::FeatureSet;
use crate::features::nvidia_features;
use crate::nvidia::{
    NVIDIA_ARCHES, NVIDIA_CODE_NAMES, NVIDIA_COMPILED_AS, NVIDIA_LLVM_CPUS, NVIDIA_SERIES, NVIDIA_SOURCE,
};
use crate::nvidia_products::NVIDIA_PRODUCTS;
use crate::opencl::{OPENCL_ALIASES, OPENCL_ARCHES, OPENCL_SETTINGS, OPENCL_SOURCE};
use crate::product::Product;

/// The whole page.
pub fn targets_markdown() -> String {
    let mut page = String::from(
        "<!-- Generated from the tables of targets/ by its tests (FORNAX_BLESS=1 rewrites it). Do not edit. -->\n\
         # Targets\n\n\
         Names are accepted in any case, with or without dashes and spaces, with vendor words or without. A mistyped \
         name is answered\n\
         with the nearest known ones.\n\n",
    );
    // Writing to a String cannot fail.
    let _ = write_nvidia(&mut page);
    let _ = write_amd(&mut page);
    let _ = write_opencl(&mut page);
    let _ = write_cpu(&mut page);
    page
}

fn write_nvidia(page: &mut String) -> std::fmt::Result {
    writeln!(
        page,
        "## CUDA\n\n\
         32 lanes a subgroup, 1024 threads a block, 48 KiB of static shared memory, 255 registers a thread on every \
         architecture. Code for a plain name uses no more shared memory than every later device has; code for an `a` \
         name all of its own chip's."
    )?;
    writeln!(page, "Limits: {}; PTX minimum and ptxas: measured.\n", NVIDIA_SOURCE.name())?;
    writeln!(
        page,
        "| architecture | code name | PTX asked (minimum) | shared KiB a block | shared KiB a unit | threads a unit | \
         blocks a unit | L2 KiB | ptxas | features | note |"
    )?;
    writeln!(page, "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")?;
    for row in NVIDIA_ARCHES {
        writeln!(
            page,
            "| {} | {} | {}.{} ({}.{}) | {} | {} | {} | {} | {} | {} | {} | {} |",
            row.name,
            row.code_name,
            row.ptx / 10,
            row.ptx % 10,
            row.ptx_min / 10,
            row.ptx_min % 10,
            row.shared_block_kib,
            row.shared_sm_kib,
            row.threads_per_sm,
            row.blocks_per_sm,
            row.l2_kib,
            row.ptxas,
            feature_list(nvidia_features(row.number, false, row.ptx)),
            row.note
        )?;
    }
    let others: Vec<&str> = NVIDIA_LLVM_CPUS
        .iter()
        .map(|(name, _)| *name)
        .filter(|name| !NVIDIA_ARCHES.iter().any(|row| row.name == *name))
        .collect();
    writeln!(page, "\nAlso accepted, with the limits of the nearest row below: {}.\n", others.join(", "))?;
    writeln!(page, "Code names: {}.\n", pairs(NVIDIA_CODE_NAMES))?;
    for (name, best, fallback) in NVIDIA_COMPILED_AS {
        writeln!(
            page,
            "`{name}`, and every code name and product that means it, is compiled twice: as `{best}` with all \
             instructions of the chip, and as `{fallback}` PTX, which later devices run too. `{best}` alone compiles \
             only itself; with added features (`{name}+ptx84`) the name means exactly what it says. In \
             graphs kernels of `sm_90a` start before those that they depend on are over; `sm_90a,-early-start` turns \
             that off, `+early-start` turns it on for `sm_90` and later.\n"
        )?;
    }
    writeln!(page, "Series, for products without a row: {}.\n", pairs(NVIDIA_SERIES))?;
    write_products(page, NVIDIA_PRODUCTS)
}

fn write_amd(page: &mut String) -> std::fmt::Result {
    writeln!(page, "## ROCm\n\n1024 threads a workgroup on every architecture. Source: {}.\n", AMD_SOURCE.name())?;
    writeln!(page, "| architecture | family | LDS KiB | subgroup | vector registers | ELF flags | features |")?;
    writeln!(page, "| --- | --- | --- | --- | --- | --- | --- |")?;
    for row in AMD_ARCHES {
        let sizes: Vec<String> = row.subgroup_sizes.iter().map(u32::to_string).collect();
        writeln!(
            page,
            "| {} | {} | {} | {} | {} | {:#x} | {} |",
            row.name,
            row.family,
            row.lds_kib,
            sizes.join(", "),
            row.vector_registers,
            row.elf_flags,
            feature_list(row.features)
        )?;
    }
    writeln!(page, "\nAlso accepted, with the limits of another row: {}.\n", pairs(AMD_LIKE))?;
    writeln!(page, "Code names: {}.\n", pairs(AMD_CODE_NAMES))?;
    write_products(page, AMD_PRODUCTS)
}

fn write_opencl(page: &mut String) -> std::fmt::Result {
    writeln!(
        page,
        "## OpenCL\n\n\
         SPIR-V for LLVM's `spirv64`, compiled by the device's driver. Where no size of subgroups is given the device \
         chooses, and lanes do not exchange registers. Source: the specification of OpenCL for `spirv64`, {} for the \
         rest.\n",
        OPENCL_SOURCE.name()
    )?;
    writeln!(page, "| target | devices | subgroup | threads a workgroup | local memory KiB | features |")?;
    writeln!(page, "| --- | --- | --- | --- | --- | --- |")?;
    for row in OPENCL_ARCHES {
        let subgroup = row.subgroup.map_or("not fixed".to_string(), |size| size.to_string());
        writeln!(
            page,
            "| {} | {} | {subgroup} | {} | {} | {} |",
            row.name,
            row.summary,
            row.threads,
            row.local_kib,
            feature_list(row.features)
        )?;
    }
    let settings: Vec<String> =
        OPENCL_SETTINGS.iter().map(|(name, what, _)| format!("`+{name}`, `-{name}`: {what}")).collect();
    writeln!(
        page,
        "\n\
         Other spellings: {}.\n\n\
         Settings: {}; `+subgroupN`: subgroups of N = 4, 8, 16, 32 or 64 lanes, which exchange registers.\n",
        pairs(OPENCL_ALIASES),
        settings.join("; ")
    )
}

fn write_cpu(page: &mut String) -> std::fmt::Result {
    writeln!(
        page,
        "## CPU\n\n| target | instruction set | LLVM CPU | vector bytes | vector registers | the processor must have |"
    )?;
    writeln!(page, "| --- | --- | --- | --- | --- | --- |")?;
    for row in CPU_ARCHES {
        let detect: Vec<&str> = row.detect.iter().flat_map(|group| group.iter().copied()).collect();
        writeln!(
            page,
            "| {} | {} | {} | {} | {} | {} |",
            row.name,
            row.isa.name(),
            row.llvm_cpu,
            row.vector_bytes,
            row.vector_registers,
            detect.join(", ")
        )?;
    }
    writeln!(
        page,
        "\nWhere none is named, a module has an image for each of {}, and a machine takes the widest that it runs.",
        CPU_DEFAULTS.join(" and ")
    )?;
    writeln!(page, "\nOther spellings: {}. `native` is the machine at hand.", pairs(CPU_ALIASES))
}

fn write_products(page: &mut String, rows: &[Product]) -> std::fmt::Result {
    writeln!(
        page,
        "| product | architecture | compute units | GB/s | f16 TFLOP/s, dense | f32 TFLOP/s | other spellings | source \
         |"
    )?;
    writeln!(page, "| --- | --- | --- | --- | --- | --- | --- | --- |")?;
    let figure = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
    for row in rows {
        writeln!(
            page,
            "| {} | {} | {} | {} | {} | {} | {} | {} |",
            row.name,
            row.arch,
            row.compute_units,
            figure(row.bandwidth_gb_s),
            figure(row.f16_dense_tflops),
            figure(row.f32_tflops),
            row.aliases.join(", "),
            row.source.name()
        )?;
    }
    writeln!(page)
}

fn feature_list(features: FeatureSet) -> String {
    features.iter().map(|feature| feature.name()).collect::<Vec<_>>().join(", ")
}

fn pairs(rows: &[(&str, &str)]) -> String {
    rows.iter().map(|(name, arch)| format!("{name} → {arch}")).collect::<Vec<_>>().join(", ")
}

//! Whether an image runs on a device.
//!
//! | image | runs on |
//! | --- | --- |
//! | PTX `sm_XY` | every device of that capability or a later one |
//! | PTX or cubin `sm_XYa` | exactly that capability |
//! | PTX or cubin `sm_XYf` | the capability and later ones of the same family |
//! | cubin `sm_XY` | the same major capability, the same minor or a later one; embedded parts only exactly |
//! | hsaco `gfxN` | exactly that chip; a generic family: its members |
//! | SPIR-V | every OpenCL device that offers what the row and its settings demand (`subgroup16`) |
//! | CPU ELF | the same instruction set with every feature of the image's row |

use crate::amd::AMD_GENERIC_MEMBERS;
use crate::backend::ImageKind;
use crate::cpu::{CPU_ARCHES, CPU_NATIVE_EXTRAS, CpuArch, cpu_missing, cpu_row};
use crate::errors::Misfit;
use crate::nvidia::{NVIDIA_ARCHES, parse_sm};
use crate::opencl::{opencl_demands, opencl_row};
use crate::target::llvm_cpu_feature;

/// Checks an image against a device.
///
/// `device_arch` is what a driver reports (`sm_90`, `gfx90a:sramecc+:xnack-`) or a CPU target's specification;
/// `image_arch` is the image's ([`crate::Target::arch_spec`]). A device newer than every row is fine.
///
/// # Errors
/// [`Misfit`] (`FX0507`) says which rule is broken.
pub fn fits(device_arch: &str, image_arch: &str, kind: ImageKind) -> Result<(), Misfit> {
    let verdict = match kind {
        ImageKind::Ptx | ImageKind::Cubin => nvidia_fits(device_arch, name_of(image_arch), kind),
        ImageKind::Hsaco => amd_fits(device_arch, image_arch),
        ImageKind::SpirV => opencl_fits(&device_arch.split(',').collect::<Vec<_>>(), image_arch),
        ImageKind::CpuElf => cpu_fits(device_arch, image_arch),
    };
    verdict.map_err(|why| Misfit { kind, image: image_arch.to_string(), device: device_arch.to_string(), why })
}

/// Checks a CPU image against a processor that reports these features (`is_x86_feature_detected!` names); `isa` is
/// `std::env::consts::ARCH`.
///
/// # Errors
/// [`Misfit`] (`FX0507`) names the missing features.
pub fn fits_cpu_features(isa: &str, detected: &[&str], image_arch: &str) -> Result<(), Misfit> {
    let misfit =
        |why: String| Misfit { kind: ImageKind::CpuElf, image: image_arch.to_string(), device: isa.to_string(), why };
    let row = cpu_row(name_of(image_arch)).ok_or_else(|| misfit("no such CPU target".to_string()))?;
    if row.isa.name() != isa {
        return Err(misfit(format!("it holds {} code", row.isa.name())));
    }
    let mut missing: Vec<&str> = cpu_missing(row, detected).collect();
    missing.extend(extras(image_arch).filter(|extra| !detected.contains(extra)));
    if missing.is_empty() { Ok(()) } else { Err(misfit(format!("the processor lacks {}", missing.join(", ")))) }
}

/// Checks a SPIR-V image against an OpenCL device that offers these (`subgroup16`, `fp64`).
///
/// # Errors
/// [`Misfit`] (`FX0507`) names what the device lacks.
pub fn fits_opencl_features(device: &str, offered: &[&str], image_arch: &str) -> Result<(), Misfit> {
    opencl_fits(offered, image_arch).map_err(|why| Misfit {
        kind: ImageKind::SpirV,
        image: image_arch.to_string(),
        device: device.to_string(),
        why,
    })
}

fn opencl_fits(offered: &[&str], image: &str) -> Result<(), String> {
    if opencl_row(name_of(image)).is_none() {
        return Err("no such OpenCL target".to_string());
    }
    let missing: Vec<String> =
        opencl_demands(image).into_iter().filter(|demand| !offered.contains(&demand.as_str())).collect();
    if missing.is_empty() { Ok(()) } else { Err(format!("the device does not offer {}", missing.join(", "))) }
}

fn name_of(arch_spec: &str) -> &str {
    arch_spec.split(',').next().unwrap_or(arch_spec)
}

/// Detection names of the added features of a CPU specification that the emitters know.
fn extras(arch_spec: &str) -> impl Iterator<Item = &'static str> + '_ {
    arch_spec.split(',').skip(1).filter_map(|feature| {
        let llvm = feature.strip_prefix('+')?;
        CPU_NATIVE_EXTRAS.iter().find(|(detect, _)| llvm_cpu_feature(detect) == llvm).map(|(detect, _)| *detect)
    })
}

fn nvidia_fits(device: &str, image: &str, kind: ImageKind) -> Result<(), String> {
    let (device_number, _) = parse_sm(device).ok_or("the device does not report an sm_ architecture")?;
    let (image_number, variant) = parse_sm(image).ok_or("the image does not name an sm_ architecture")?;
    let same_family = device_number / 10 == image_number / 10 && device_number >= image_number;
    match (variant, kind) {
        (Some('a'), _) if device_number != image_number => {
            Err(format!("an `a` image runs only on sm_{image_number} itself"))
        }
        (Some('f'), _) if !(same_family && compatible_parts(device_number, image_number)) => {
            Err(format!("an `f` image runs only on sm_{image_number} and later devices of its family"))
        }
        (Some(_), _) => Ok(()),
        (None, ImageKind::Ptx) if device_number < image_number => {
            Err(format!("PTX for sm_{image_number} needs that device or a later one"))
        }
        (None, ImageKind::Ptx) => Ok(()),
        (None, _) if same_family && compatible_parts(device_number, image_number) => Ok(()),
        (None, _) => Err("machine code runs only on the same major capability, from its minor on".to_string()),
    }
}

/// Machine code is not exchanged between desktop and embedded parts, nor between different embedded ones.
fn compatible_parts(device: u32, image: u32) -> bool {
    let embedded = |number: u32| {
        matches!(number, 53 | 101) || NVIDIA_ARCHES.iter().any(|row| row.number == number && row.embedded)
    };
    device == image || !(embedded(device) || embedded(image))
}

fn amd_fits(device: &str, image: &str) -> Result<(), String> {
    let mut device_parts = device.split(':');
    let chip = device_parts.next().unwrap_or(device);
    let settings: Vec<&str> = device_parts.collect();
    let name = name_of(image);
    let members = AMD_GENERIC_MEMBERS.iter().find(|(family, _)| *family == name).map(|(_, members)| *members);
    match members {
        Some(members) if !members.contains(&chip) => return Err(format!("{name} covers {}", members.join(", "))),
        None if chip != name => return Err("a code object runs on exactly its chip".to_string()),
        _ => {}
    }
    for feature in image.split(',').skip(1) {
        for setting in ["xnack", "sramecc"] {
            let demanded =
                feature.strip_prefix('+').map(|name| (name, '+')).or(feature.strip_prefix('-').map(|name| (name, '-')));
            let Some((name, sign)) = demanded else { continue };
            let opposite = format!("{setting}{}", if sign == '+' { '-' } else { '+' });
            if name == setting && settings.contains(&opposite.as_str()) {
                return Err(format!("it was compiled with {sign}{setting}, the device runs with {opposite}"));
            }
        }
    }
    Ok(())
}

fn cpu_fits(device: &str, image: &str) -> Result<(), String> {
    let find = |spec: &str| -> Result<&'static CpuArch, String> {
        CPU_ARCHES
            .iter()
            .find(|row| row.name == name_of(spec))
            .ok_or_else(|| format!("`{}` is no CPU target", name_of(spec)))
    };
    let (device_row, image_row) = (find(device)?, find(image)?);
    if device_row.isa != image_row.isa {
        return Err(format!("it holds {} code", image_row.isa.name()));
    }
    let detected: Vec<&str> =
        device_row.detect.iter().flat_map(|group| group.iter().copied()).chain(extras(device)).collect();
    let mut missing: Vec<&str> = cpu_missing(image_row, &detected).collect();
    missing.extend(extras(image).filter(|extra| !detected.contains(extra)));
    if missing.is_empty() { Ok(()) } else { Err(format!("the processor lacks {}", missing.join(", "))) }
}

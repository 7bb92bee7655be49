//! All names that target flags take, by generation and architecture: what `fornax list-targets` prints.
//!
//! Worked example: of CUDA's generation `hopper` the architectures are `sm_90` (main, products `h100`, `h200`, …) and
//! its variant `sm_90a`.

use crate::amd::amd_row;
use crate::backend::Backend;
use crate::cpu::cpu_row;
use crate::nvidia::{nvidia_row, parse_sm};
use crate::resolve::{Meaning, known_names};

/// Architectures of one design.
#[derive(Clone, Debug)]
pub struct Generation {
    /// `hopper`, `cdna3`, `x86-64`; of OpenCL the kind of device.
    pub name: &'static str,
    /// Oldest first.
    pub architectures: Vec<Architecture>,
}

/// One architecture and every name that means it.
#[derive(Clone, Debug)]
pub struct Architecture {
    /// Canonical name: `sm_90`.
    pub name: &'static str,
    /// It has a row of its own, and is no variant of another and no generic family.
    pub main: bool,
    /// Names of the generation that mean this architecture.
    pub code_names: Vec<&'static str>,
    /// Products by their canonical spelling.
    pub products: Vec<&'static str>,
    /// Other spellings of products and of the architecture.
    pub aliases: Vec<&'static str>,
}

/// The generations of a backend, oldest first.
pub fn catalogue(backend: Backend) -> Vec<Generation> {
    let mut generations: Vec<Generation> = Vec::new();
    for (name, meaning) in known_names(backend) {
        let arch = match meaning {
            Meaning::Canonical(arch) | Meaning::CodeName(arch) => arch,
            Meaning::Product(product) => product.arch,
        };
        let row = architecture(&mut generations, backend, arch);
        match meaning {
            Meaning::Canonical(_) if name == arch => {}
            Meaning::Canonical(_) if backend == Backend::OpenCl => row.products.push(name),
            Meaning::Canonical(_) => row.aliases.push(name),
            Meaning::CodeName(_) => row.code_names.push(name),
            Meaning::Product(product) if product.name == name => row.products.push(name),
            Meaning::Product(_) => row.aliases.push(name),
        }
    }
    generations
}

fn architecture<'a>(
    generations: &'a mut Vec<Generation>,
    backend: Backend,
    arch: &'static str,
) -> &'a mut Architecture {
    let name = generation(backend, arch);
    let at = generations.iter().position(|known| known.name == name).unwrap_or_else(|| {
        generations.push(Generation { name, architectures: Vec::new() });
        generations.len() - 1
    });
    let rows = &mut generations[at].architectures;
    let at = rows.iter().position(|known| known.name == arch).unwrap_or_else(|| {
        rows.push(Architecture {
            name: arch,
            main: is_main(backend, arch),
            code_names: Vec::new(),
            products: Vec::new(),
            aliases: Vec::new(),
        });
        rows.len() - 1
    });
    &mut rows[at]
}

/// Lowest number of the architectures that the table of NVIDIA's generations has; `sm_20` and `sm_21` come before.
const FIRST_KEPLER: u32 = 30;

fn generation(backend: Backend, arch: &'static str) -> &'static str {
    match backend {
        Backend::Cuda => match parse_sm(arch) {
            Some((number, _)) if number < FIRST_KEPLER => "fermi",
            Some((number, _)) => nvidia_row(number).0.code_name,
            None => arch,
        },
        Backend::Rocm => amd_row(arch).map_or(arch, |(row, _)| row.family),
        Backend::OpenCl => arch,
        Backend::Cpu => cpu_row(arch).map_or(arch, |row| row.isa.name()),
    }
}

fn is_main(backend: Backend, arch: &str) -> bool {
    match backend {
        Backend::Cuda => parse_sm(arch).is_some_and(|(number, variant)| variant.is_none() && nvidia_row(number).1),
        Backend::Rocm => amd_row(arch).is_some_and(|(_, own)| own) && !arch.ends_with("-generic"),
        Backend::OpenCl | Backend::Cpu => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target_names;

    #[test]
    fn every_name_stands_in_one_place() {
        for &backend in &[Backend::Cuda, Backend::Rocm, Backend::OpenCl, Backend::Cpu] {
            let mut listed: Vec<&str> = Vec::new();
            for row in catalogue(backend).iter().flat_map(|generation| &generation.architectures) {
                listed.push(row.name);
                listed.extend(row.code_names.iter().chain(&row.products).chain(&row.aliases));
            }
            let mut known: Vec<&str> = target_names(backend).iter().map(|(name, _)| *name).collect();
            listed.sort_unstable();
            known.sort_unstable();
            assert_eq!(listed, known, "{backend}");
        }
    }

    #[test]
    fn generations_of_nvidia() {
        let cuda = catalogue(Backend::Cuda);
        let names: Vec<&str> = cuda.iter().map(|generation| generation.name).collect();
        assert_eq!(names[..4], ["fermi", "kepler", "maxwell", "pascal"]);
        let hopper = cuda.iter().find(|generation| generation.name == "hopper").unwrap();
        let archs: Vec<(&str, bool)> = hopper.architectures.iter().map(|row| (row.name, row.main)).collect();
        assert_eq!(archs, [("sm_90", true), ("sm_90a", false)]);
        assert!(hopper.architectures[0].products.contains(&"h200"));
        assert!(hopper.architectures[0].aliases.contains(&"h100-sxm5"));
    }
}

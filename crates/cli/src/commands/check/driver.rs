//! Which driver version an image needs, against the one that is here.
//!
//! CUDA: PTX needs a driver that knows its version, a cubin one that knows its architecture
//! (`fornax_targets::ptx_drivers`). Other images need no version: OpenCL's are among the features, HIP's loader says
//! what it takes.

use fornax_module::manifest::ImageKind;
use fornax_targets::ptx_drivers::{cuda_of_arch, cuda_of_ptx};

/// The first driver that takes an image, in the driver's own words (`CUDA 11.8`), and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Need {
    pub release: (u32, u32),
    pub why: String,
}

impl Need {
    /// `CUDA 11.8`.
    pub fn title(&self) -> String {
        format!("CUDA {}.{}", self.release.0, self.release.1)
    }
}

/// What an image needs of its driver; `None` where nothing is known.
pub fn need(kind: ImageKind, arch: &str, bytes: &[u8]) -> Option<Need> {
    match kind {
        ImageKind::Ptx => {
            let version = ptx_version(bytes)?;
            let why = format!("PTX {}.{}", version / 10, version % 10);
            Some(Need { release: cuda_of_ptx(version)?, why })
        }
        ImageKind::Cubin => {
            let name = arch.split(',').next().unwrap_or(arch);
            Some(Need { release: cuda_of_arch(name)?, why: format!("machine code for {name}") })
        }
        ImageKind::Hsaco | ImageKind::SpirV | ImageKind::CpuElf => None,
    }
}

/// Ten times the version behind `.version`.
fn ptx_version(image: &[u8]) -> Option<u32> {
    let text = image.split(|byte| *byte == b'\n').find_map(|line| line.trim_ascii().strip_prefix(b".version"))?;
    let (major, minor) = std::str::from_utf8(text.trim_ascii()).ok()?.split_once('.')?;
    let (major, minor): (u32, u32) = (major.parse().ok()?, minor.parse().ok()?);
    (minor < 10).then(|| major.checked_mul(10)?.checked_add(minor)).flatten()
}

/// `CUDA 12.4` as `(12, 4)`; `None` for drivers that count otherwise.
pub fn release(driver_version: &str) -> Option<(u32, u32)> {
    let (major, minor) = driver_version.strip_prefix("CUDA ")?.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ptx_needs_what_its_header_says() {
        let need = |text: &str| need(ImageKind::Ptx, "sm_90", text.as_bytes());
        let found = need("//\n.version 7.8\n.target sm_90\n").unwrap();
        assert_eq!((found.title(), found.why.as_str()), ("CUDA 11.8".to_string(), "PTX 7.8"));
        assert_eq!(need(".target sm_90\n"), None);
        assert_eq!(need(".version 99.0\n"), None);
        assert_eq!(need(".version 4294967295.9\n"), None);
    }

    #[test]
    fn machine_code_needs_a_driver_that_knows_the_chip() {
        let of = |kind, arch: &str| need(kind, arch, &[]).map(|need| need.release);
        assert_eq!(of(ImageKind::Cubin, "sm_90a"), Some((11, 8)));
        assert_eq!(of(ImageKind::CpuElf, "x86-64-v3"), None);
        assert_eq!((release("CUDA 12.4"), release("HIP 6.1")), (Some((12, 4)), None));
    }
}

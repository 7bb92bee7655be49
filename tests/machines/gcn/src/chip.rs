//! What differs between chips where the text of an instruction does not say it.
//!
//! Input: a processor's name. Output: a row. Names, shapes and encodings differ as well, but the disassembler's text
//! settles those.
//!
//! Worked example: on gfx90a the three workitem numbers stand in ten bits each of v0; on gfx908 in v0, v1, v2.

use crate::waits::Counter;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// gfx900 … gfx908.
    Gfx9,
    /// gfx90a, gfx942, gfx950: one file of vector registers and accumulators.
    Gfx90a,
    Gfx10,
    Gfx11,
    Gfx12,
}

#[derive(Clone, Debug)]
pub struct Chip {
    pub name: String,
    pub family: Family,
    /// Workitem numbers share v0.
    pub packed_workitem: bool,
    /// Scratch needs no set-up by the kernel.
    pub architected_scratch: bool,
    /// Workgroup numbers stand in ttmp registers.
    pub ttmp_workgroup: bool,
    /// fp8 without infinities and negative zero (gfx942).
    pub fnuz: bool,
    pub lds_bytes: u32,
}

impl Chip {
    /// None for a chip that is not modelled.
    pub fn of(name: &str) -> Option<Chip> {
        let version = name.strip_prefix("gfx")?;
        let family = match version {
            "900" | "902" | "904" | "906" | "908" | "909" | "90c" => Family::Gfx9,
            "90a" | "942" | "950" => Family::Gfx90a,
            _ if version.len() != 4 || version == "1250" => return None,
            _ if version.starts_with("10") => Family::Gfx10,
            _ if version.starts_with("11") => Family::Gfx11,
            _ if version.starts_with("12") => Family::Gfx12,
            _ => return None,
        };
        let late = matches!(family, Family::Gfx11 | Family::Gfx12);
        Some(Chip {
            name: name.to_string(),
            family,
            packed_workitem: late || family == Family::Gfx90a,
            architected_scratch: late || matches!(version, "942" | "950"),
            ttmp_workgroup: family == Family::Gfx12,
            fnuz: version == "942",
            lds_bytes: if version == "950" { 160 << 10 } else { 64 << 10 },
        })
    }

    /// gfx10 and later: stores have a counter of their own, 16-bit results keep the other half.
    pub fn rdna(&self) -> bool {
        matches!(self.family, Family::Gfx10 | Family::Gfx11 | Family::Gfx12)
    }

    /// The counter of stores.
    pub fn stores(&self) -> Counter {
        if self.rdna() { Counter::Store } else { Counter::Load }
    }

    /// The counter of scalar loads.
    pub fn scalars(&self) -> Counter {
        if self.family == Family::Gfx12 { Counter::Scalar } else { Counter::Lds }
    }

    /// Instructions that the disassembler reads by wave size.
    pub fn features(&self, wave: u32) -> &'static str {
        match (self.rdna(), wave) {
            (true, 64) => "+wavefrontsize64",
            (true, _) => "+wavefrontsize32",
            _ => "",
        }
    }
}

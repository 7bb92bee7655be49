//! What a load, store or atomic does, read from its mnemonic; the two generations of names are one.
//!
//! Input: `global_load_ushort`, `ds_load_u16_d16_hi`, `buffer_atomic_smax_x2`, `ds_add_rtn_u32`. Output: space, bytes,
//! what happens to the rest of the register, the operation of an atomic.
//!
//! Worked example: `ds_read2st64_b32` reads two words, at its offsets times 64 words.

use crate::waits::Counter;

/// Where an access goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    Global,
    Flat,
    Scratch,
    Buffer,
    Lds,
}

/// What an atomic makes of the old value and its operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    Swap,
    CompareSwap,
    Add,
    Sub,
    ReverseSub,
    MinSigned,
    MaxSigned,
    Min,
    Max,
    And,
    Or,
    Xor,
    Inc,
    Dec,
    AddFloat,
    MinFloat,
    MaxFloat,
    AddHalves,
    AddBrains,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Load,
    Store,
    Atomic(Change),
    /// From memory into LDS.
    ToLds,
}

/// Where a value of 16 bits or less stands in its register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Whole,
    /// The low half; a load keeps the high one.
    Low,
    High,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    pub space: Space,
    pub kind: Kind,
    /// Bytes of one element of a lane.
    pub bytes: u8,
    pub signed: bool,
    pub place: Place,
    /// An atomic that gives the old value back.
    pub returns: bool,
    /// Elements of a lane: 2 for `read2`.
    pub count: u8,
    /// What an offset of a pair counts in.
    pub stride: u16,
    /// The compared value stands before the new one (`ds_cmpst`).
    pub compare_first: bool,
}

const SPACES: &[(&str, Space)] = &[
    ("global_", Space::Global),
    ("flat_", Space::Flat),
    ("scratch_", Space::Scratch),
    ("buffer_", Space::Buffer),
    ("ds_", Space::Lds),
];

/// Element names: bytes, signed.
const ELEMENTS: &[(&str, u8, bool)] = &[
    ("ubyte", 1, false),
    ("sbyte", 1, true),
    ("byte", 1, false),
    ("ushort", 2, false),
    ("sshort", 2, true),
    ("short", 2, false),
    ("dword", 4, false),
    ("dwordx2", 8, false),
    ("dwordx3", 12, false),
    ("dwordx4", 16, false),
    ("u8", 1, false),
    ("i8", 1, true),
    ("b8", 1, false),
    ("u16", 2, false),
    ("i16", 2, true),
    ("b16", 2, false),
    ("b32", 4, false),
    ("b64", 8, false),
    ("b96", 12, false),
    ("b128", 16, false),
];

/// Atomics with and without a type in their name.
const CHANGES: &[(&str, Change)] = &[
    ("swap", Change::Swap),
    ("wrxchg", Change::Swap),
    ("storexchg", Change::Swap),
    ("cmpswap", Change::CompareSwap),
    ("cmpst", Change::CompareSwap),
    ("cmpstore", Change::CompareSwap),
    ("add", Change::Add),
    ("sub", Change::Sub),
    ("rsub", Change::ReverseSub),
    ("smin", Change::MinSigned),
    ("smax", Change::MaxSigned),
    ("umin", Change::Min),
    ("umax", Change::Max),
    ("and", Change::And),
    ("or", Change::Or),
    ("xor", Change::Xor),
    ("inc", Change::Inc),
    ("dec", Change::Dec),
    ("min_i", Change::MinSigned),
    ("max_i", Change::MaxSigned),
    ("min_u", Change::Min),
    ("max_u", Change::Max),
    ("add_f", Change::AddFloat),
    ("min_f", Change::MinFloat),
    ("max_f", Change::MaxFloat),
    ("fmin", Change::MinFloat),
    ("fmax", Change::MaxFloat),
    ("min_num_f", Change::MinFloat),
    ("max_num_f", Change::MaxFloat),
    ("pk_add_f", Change::AddHalves),
    ("pk_add_bf", Change::AddBrains),
];

impl Access {
    /// None for a mnemonic that is no access, or one that is not modelled.
    pub fn read(name: &str) -> Option<Access> {
        let (rest, space) = SPACES.iter().find_map(|&(prefix, space)| Some((name.strip_prefix(prefix)?, space)))?;
        let access = Access {
            space,
            kind: Kind::Load,
            bytes: 4,
            signed: false,
            place: Place::Whole,
            returns: false,
            count: 1,
            stride: 1,
            compare_first: false,
        };
        if let Some(rest) = rest.strip_prefix("load_lds_") {
            return access.element(rest).map(|access| Access { kind: Kind::ToLds, ..access });
        }
        if let Some(rest) = rest.strip_prefix("load_").or_else(|| rest.strip_prefix("read_")) {
            return access.multiple(rest);
        }
        if let Some(rest) = rest.strip_prefix("store_").or_else(|| rest.strip_prefix("write_")) {
            return Some(Access { kind: Kind::Store, ..access.multiple(rest)? });
        }
        if let Some(rest) = rest.strip_prefix("read2") {
            return access.pair(rest.trim_start_matches('_'));
        }
        if let Some(rest) = rest.strip_prefix("write2") {
            return Some(Access { kind: Kind::Store, ..access.pair(rest.trim_start_matches('_'))? });
        }
        if space == Space::Lds {
            return access.atomic(rest);
        }
        access.atomic(rest.strip_prefix("atomic_")?)
    }

    fn multiple(self, rest: &str) -> Option<Access> {
        match rest.strip_prefix("2addr_") {
            Some(rest) => self.pair(rest),
            None => self.element(rest),
        }
    }

    fn pair(self, rest: &str) -> Option<Access> {
        let (rest, stride) = match rest.strip_prefix("st64_").or_else(|| rest.strip_prefix("stride64_")) {
            Some(rest) => (rest, 64),
            None => (rest, 1),
        };
        let access = self.element(rest)?;
        (access.bytes >= 4).then_some(Access { count: 2, stride: stride * u16::from(access.bytes), ..access })
    }

    fn element(self, rest: &str) -> Option<Access> {
        let (rest, place) = if let Some(rest) = rest.strip_suffix("_d16_hi") {
            (rest, Place::High)
        } else if let Some(rest) = rest.strip_suffix("_d16") {
            (rest, Place::Low)
        } else if let Some(rest) = rest.strip_prefix("d16_hi_") {
            (rest, Place::High)
        } else if let Some(rest) = rest.strip_prefix("d16_") {
            (rest, Place::Low)
        } else {
            (rest, Place::Whole)
        };
        let &(_, bytes, signed) = ELEMENTS.iter().find(|row| row.0 == rest)?;
        Some(Access { bytes, signed, place, ..self })
    }

    /// `add_x2`, `add_u32`, `add_rtn_u32`, `cmpst_rtn_b64`.
    fn atomic(self, rest: &str) -> Option<Access> {
        let (name, returns) = match rest.split_once("_rtn") {
            Some((head, tail)) => (format!("{head}{tail}"), true),
            None => (rest.to_string(), false),
        };
        let (stem, bytes) = if let Some(stem) = name.strip_suffix("_x2") {
            (stem, 8)
        } else if let Some(stem) = name.strip_suffix("64") {
            (stem, 8)
        } else if let Some(stem) = name.strip_suffix("32") {
            (stem, 4)
        } else if let Some(stem) = name.strip_suffix("16").filter(|stem| stem.starts_with("pk_")) {
            (stem, 4)
        } else {
            (name.as_str(), 4)
        };
        let untyped = stem.strip_suffix("_b").or_else(|| stem.strip_suffix("_u")).or_else(|| stem.strip_suffix("_i"));
        let exact = |stem: &str| CHANGES.iter().find(|row| row.0 == stem).map(|row| row.1);
        let change = exact(stem).or_else(|| exact(untyped?))?;
        let compare_first = rest.starts_with("cmpst_");
        Some(Access { kind: Kind::Atomic(change), bytes, returns, compare_first, ..self })
    }

    /// The counter that tells of a load's arrival; flat loads have two.
    pub fn counter(self) -> Option<Counter> {
        match self.space {
            Space::Flat => None,
            Space::Lds => Some(Counter::Lds),
            Space::Global | Space::Scratch | Space::Buffer => Some(Counter::Load),
        }
    }

    /// Registers of the data operand or result.
    pub fn words(self) -> u8 {
        self.bytes.div_ceil(4) * self.count
    }
}

impl Change {
    /// The new value. Floats of 64 bits are doubles.
    pub fn apply(self, bytes: u8, old: u64, value: u64, compare: u64) -> u64 {
        let wide = bytes == 8;
        let signed = |bits: u64| if wide { bits as i64 } else { i64::from(bits as i32) };
        let new = match self {
            Change::Swap => value,
            Change::CompareSwap => return if old == compare { value } else { old },
            Change::Add => old.wrapping_add(value),
            Change::Sub => old.wrapping_sub(value),
            Change::ReverseSub => value.wrapping_sub(old),
            Change::MinSigned => signed(old).min(signed(value)) as u64,
            Change::MaxSigned => signed(old).max(signed(value)) as u64,
            Change::Min => old.min(value),
            Change::Max => old.max(value),
            Change::And => old & value,
            Change::Or => old | value,
            Change::Xor => old ^ value,
            Change::Inc => {
                if old >= value {
                    0
                } else {
                    old + 1
                }
            }
            Change::Dec => {
                if old == 0 || old > value {
                    value
                } else {
                    old - 1
                }
            }
            Change::AddFloat | Change::MinFloat | Change::MaxFloat if wide => {
                self.double(f64::from_bits(old), f64::from_bits(value)).to_bits()
            }
            Change::AddFloat | Change::MinFloat | Change::MaxFloat => {
                let (old, value) = (f32::from_bits(old as u32), f32::from_bits(value as u32));
                u64::from(
                    (if self == Change::AddFloat { old + value } else { self.double(old.into(), value.into()) as f32 })
                        .to_bits(),
                )
            }
            Change::AddHalves => halves(old, value, |a, b| {
                half::f16::from_f32(half::f16::from_bits(a).to_f32() + half::f16::from_bits(b).to_f32()).to_bits()
            }),
            Change::AddBrains => halves(old, value, |a, b| {
                half::bf16::from_f32(half::bf16::from_bits(a).to_f32() + half::bf16::from_bits(b).to_f32()).to_bits()
            }),
        };
        if wide { new } else { new & 0xffff_ffff }
    }

    fn double(self, old: f64, value: f64) -> f64 {
        match self {
            Change::AddFloat => old + value,
            Change::MinFloat => crate::value::min64(old, value),
            _ => crate::value::max64(old, value),
        }
    }
}

fn halves(old: u64, value: u64, add: impl Fn(u16, u16) -> u16) -> u64 {
    u64::from(add(old as u16, value as u16)) | u64::from(add((old >> 16) as u16, (value >> 16) as u16)) << 16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_generations_are_one() {
        for (old, new) in [
            ("global_load_ushort", "global_load_u16"),
            ("ds_read2st64_b32", "ds_load_2addr_stride64_b32"),
            ("ds_write2_b64", "ds_store_2addr_b64"),
            ("global_load_short_d16_hi", "global_load_d16_hi_b16"),
            ("buffer_atomic_smax_x2", "buffer_atomic_max_i64"),
            ("global_atomic_cmpswap", "global_atomic_cmpswap_b32"),
            ("ds_wrxchg_rtn_b32", "ds_storexchg_rtn_b32"),
            ("ds_read_u8_d16", "ds_load_u8_d16"),
        ] {
            assert_eq!(Access::read(old).unwrap(), Access::read(new).unwrap(), "{old}");
        }
        let pair = Access::read("ds_read2st64_b32").unwrap();
        assert_eq!((pair.count, pair.stride, pair.words()), (2, 256, 2));
        assert!(Access::read("ds_add_rtn_u64").unwrap().returns);
        assert_eq!(Access::read("global_atomic_pk_add_bf16").unwrap().kind, Kind::Atomic(Change::AddBrains));
        assert_eq!(
            Access::read("global_atomic_add_f64").map(|a| (a.kind, a.bytes)),
            Some((Kind::Atomic(Change::AddFloat), 8))
        );
        assert_eq!(Access::read("ds_bpermute_b32"), None);
        assert_eq!(Access::read("global_atomic_frobnicate"), None);
    }

    #[test]
    fn changes() {
        assert_eq!(Change::MinSigned.apply(4, 0xffff_ffff, 1, 0), 0xffff_ffff);
        assert_eq!(Change::Add.apply(4, 0xffff_ffff, 1, 0), 0);
        assert_eq!(Change::Inc.apply(4, 7, 7, 0), 0);
        assert_eq!(Change::Dec.apply(4, 0, 7, 0), 7);
        assert_eq!(Change::CompareSwap.apply(8, 5, 6, 5), 6);
        assert_eq!(
            Change::AddFloat.apply(4, 1f32.to_bits().into(), 2f32.to_bits().into(), 0),
            u64::from(3f32.to_bits())
        );
    }
}

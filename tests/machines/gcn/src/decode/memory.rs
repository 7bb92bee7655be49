//! Loads, stores, atomics, LDS instructions; cache control.
//!
//! Worked example: `global_store_dword v0, v1, s[0:1] offset:8` has a 32-bit address register and a scalar base; with
//! `off` in its place the address is a pair.

use super::Decoder;
use super::operands::slot;
use crate::access::{Access, Kind, Space};
use crate::inst::{Alu, Part, Run, Slot, Src};
use crate::run::{buffer, control, global, lanes, local};
use crate::text::{Place, number};
use crate::value::Type;

const NOTHING: &[&str] = &[
    "buffer_gl0_inv",
    "buffer_gl1_inv",
    "buffer_wbinvl1",
    "buffer_wbinvl1_vol",
    "buffer_wbl2",
    "buffer_inv",
    "buffer_invl2",
    "global_inv",
    "global_wb",
    "global_wbinv",
    "ds_nop",
];

/// An operand that is not there.
fn absent() -> Src {
    Src { slot: Slot::Nothing, plain: true, ..crate::wave::constant(0, Type::B32) }
}

impl Decoder<'_> {
    pub fn memory(&mut self) -> Option<()> {
        if NOTHING.contains(&self.name) {
            self.inst.run = control::nothing;
            return Some(());
        }
        if self.text.has("gds") || self.text.has("tfe") {
            return None;
        }
        self.inst.imm[0] = self.text.number("offset").unwrap_or(0);
        match self.name {
            "ds_bpermute_b32" => return self.permutation(lanes::bpermute),
            "ds_permute_b32" => return self.permutation(lanes::permute),
            "ds_swizzle_b32" => return self.swizzle(),
            _ => {}
        }
        let mut access = Access::read(self.name)?;
        match access.space {
            Space::Buffer => {
                if self.text.has("lds") {
                    access.kind = Kind::ToLds;
                }
                self.buffer(access)?;
            }
            Space::Lds => self.local(access)?,
            _ => self.by_address(access)?,
        }
        self.inst.alu = Alu::Access(access);
        Some(())
    }

    fn permutation(&mut self, run: Run) -> Option<()> {
        self.inst.run = run;
        self.inst.dst = Some(self.destination(0, Type::B32)?);
        for at in 1..3 {
            let src = self.source(at, Type::B32)?;
            self.inst.src.push(src);
        }
        Some(())
    }

    fn swizzle(&mut self) -> Option<()> {
        self.inst.run = lanes::swizzle;
        self.inst.dst = Some(self.destination(0, Type::B32)?);
        let src = self.source(1, Type::B32)?;
        self.inst.src.push(src);
        self.inst.imm[0] = match self.text.modifier("offset") {
            Some(pattern) if pattern.starts_with("swizzle(") => swizzle(pattern)?,
            Some(pattern) => number(pattern)?,
            None => 0,
        };
        Some(())
    }

    /// The destination or the data operand must have the words of the access.
    fn words_fit(&self, words: u8, access: Access) -> Option<()> {
        let compared =
            matches!(access.kind, Kind::Atomic(crate::access::Change::CompareSwap)) && access.space != Space::Lds;
        let wanted = access.bytes.div_ceil(4) * if compared { 2 } else { 1 };
        (words == wanted).then_some(())
    }

    fn load_destination(&mut self, at: usize, access: Access) -> Option<()> {
        let dst = self.wide_destination(at)?;
        let words = if access.space == Space::Lds { access.words() } else { access.bytes.div_ceil(4) };
        (dst.words == words && matches!(dst.slot, Slot::Vector(_))).then_some(())?;
        self.inst.dst = Some(dst);
        Some(())
    }

    fn data(&self, at: usize, access: Access) -> Option<Src> {
        let src = self.registers(at)?;
        self.words_fit(src.words, access)?;
        matches!(src.slot, Slot::Vector(_)).then_some(src)
    }

    /// Global, flat, scratch.
    fn by_address(&mut self, access: Access) -> Option<()> {
        self.inst.run = global::access;
        let with_base = access.space != Space::Flat || self.text.operands.last() == Some(&"off");
        let operands = self.text.operands.len() - usize::from(with_base);
        let base = if with_base { self.base(operands)? } else { absent() };
        let returns = matches!(access.kind, Kind::Atomic(_)) && operands == 3;
        let (address, data) = match access.kind {
            Kind::Load => {
                self.load_destination(0, access)?;
                (1, None)
            }
            Kind::ToLds => (0, None),
            Kind::Atomic(_) if returns => (1, Some(2)),
            _ => (0, Some(1)),
        };
        if returns {
            self.inst.dst = Some(self.wide_destination(0)?);
        }
        let address = self.address(address, access.space, base.slot)?;
        let data = data.map_or(Some(absent()), |at| self.data(at, access))?;
        self.inst.src = vec![address, data, base];
        Some(())
    }

    fn base(&self, at: usize) -> Option<Src> {
        let operand = self.operand(at)?;
        match operand.place {
            Place::Nothing => Some(absent()),
            Place::Scalar(_, words) => self.source_of(operand, if words == 2 { Type::B64 } else { Type::B32 }, words),
            _ => None,
        }
    }

    fn address(&self, at: usize, space: Space, base: Slot) -> Option<Src> {
        let operand = self.operand(at)?;
        let words = match (operand.place, space, base) {
            (Place::Nothing, ..) => return Some(absent()),
            (_, Space::Scratch, _) => 1,
            (_, _, Slot::Nothing) => 2,
            _ => 1,
        };
        self.source_of(operand, if words == 2 { Type::B64 } else { Type::B32 }, words)
    }

    fn buffer(&mut self, access: Access) -> Option<()> {
        self.inst.run = buffer::access;
        let to_lds = access.kind == Kind::ToLds;
        let first = usize::from(!to_lds || self.text.operands.len() == 4);
        let address = match self.operand(first)?.place {
            Place::Nothing => absent(),
            Place::Vector(_, words) => {
                self.source_of(self.operand(first)?, if words == 2 { Type::B64 } else { Type::B32 }, words)?
            }
            _ => return None,
        };
        let resource = self.operand(first + 1)?;
        let Place::Scalar(_, 4) = resource.place else { return None };
        let resource = Src { words: 4, slot: slot(resource.place), ..absent() };
        let offset = match self.operand(first + 2)?.place {
            Place::Nothing => absent(),
            _ => self.source(first + 2, Type::B32)?,
        };
        let is_atomic = matches!(access.kind, Kind::Atomic(_));
        let data = match access.kind {
            Kind::Load => {
                self.load_destination(0, access)?;
                absent()
            }
            Kind::ToLds => absent(),
            _ => self.data(0, access)?,
        };
        if is_atomic
            && (self.text.has("glc") || self.text.has("sc0") || self.text.modifier("th") == Some("TH_ATOMIC_RETURN"))
        {
            self.inst.dst = Some(self.wide_destination(0)?);
        }
        self.inst.flags =
            (u32::from(self.text.has("offen")) * buffer::OFFEN) | (u32::from(self.text.has("idxen")) * buffer::IDXEN);
        self.inst.src = vec![address, data, resource, offset];
        Some(())
    }

    fn local(&mut self, access: Access) -> Option<()> {
        self.inst.run = local::access;
        let has_dst = access.kind == Kind::Load || access.returns;
        if access.kind == Kind::Load {
            self.load_destination(0, access)?;
        } else if access.returns {
            self.inst.dst = Some(self.wide_destination(0)?);
        }
        if access.count == 2 {
            let of = |key: &str| self.text.number(key).unwrap_or(0) * i64::from(access.stride);
            self.inst.imm = [of("offset0"), of("offset1"), 0, 0];
        }
        let first = usize::from(has_dst);
        let address = self.source(first, Type::B32)?;
        self.inst.src.push(address);
        for at in first + 1..self.text.operands.len() {
            let src = self.data(at, access)?;
            self.inst.src.push(src);
        }
        let data = self.inst.src.len() - 1;
        let compared = matches!(access.kind, Kind::Atomic(crate::access::Change::CompareSwap));
        let wanted = match access.kind {
            Kind::Load => 0,
            Kind::Store => usize::from(access.count),
            _ => 1 + usize::from(compared),
        };
        (data == wanted && self.inst.dst.is_none_or(|dst| dst.part != Part::Byte(0))).then_some(())
    }
}

/// The hardware's pattern of a swizzle that is printed by name.
fn swizzle(pattern: &str) -> Option<i64> {
    let inner = pattern.strip_prefix("swizzle(")?.strip_suffix(')')?;
    let mut parts = inner.split(',').map(str::trim);
    let kind = parts.next()?;
    let rest: Vec<&str> = parts.collect();
    let numbers: Option<Vec<i64>> = rest.iter().map(|part| number(part)).collect();
    let masks = |and: i64, or: i64, xor: i64| Some(and | or << 5 | xor << 10);
    match (kind, numbers.as_deref()) {
        ("QUAD_PERM", Some(&[a, b, c, d])) => Some(0x8000 | a | b << 2 | c << 4 | d << 6),
        ("SWAP", Some(&[size])) => masks(31, 0, size),
        ("REVERSE", Some(&[size])) => masks(31, 0, size - 1),
        ("BROADCAST", Some(&[size, lane])) => masks(32 - size, lane, 0),
        ("BITMASK_PERM", _) => {
            let letters = rest.first()?.trim_matches('"');
            let of = |set: &str| letters.chars().fold(0, |bits, c| bits << 1 | i64::from(set.contains(c)));
            (letters.len() == 5 && letters.chars().all(|c| "01pi".contains(c))).then_some(())?;
            masks(of("pi"), of("1"), of("i"))
        }
        ("ROTATE", Some(&[direction, by])) => Some(0xc000 | direction << 10 | by << 5),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::swizzle;

    #[test]
    fn named_swizzles() {
        assert_eq!(swizzle("swizzle(SWAP,1)"), Some(0x041f));
        assert_eq!(swizzle("swizzle(BITMASK_PERM,\"pppp0\")"), Some(0x1e));
        assert_eq!(swizzle("swizzle(QUAD_PERM,0,1,2,3)"), Some(0x80e4));
        assert_eq!(swizzle("swizzle(BROADCAST,32,5)"), Some(5 << 5));
        assert_eq!(swizzle("swizzle(REVERSE,4)"), Some(0x0c1f));
        assert_eq!(swizzle("swizzle(WHAT,4)"), None);
    }
}

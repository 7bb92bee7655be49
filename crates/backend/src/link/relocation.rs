//! Relocations as tables: what a kind computes and in which bits of the field it goes.
//!
//! S is the symbol's address, A the addend, P the field's own address, G the address of the symbol's slot in the table
//! of pointers; all relative to the address that the image is loaded at. Sources: System V ABI for x86-64 §4.4, ELF for
//! the Arm 64-bit architecture §5.7, LLVM's user guide for AMDGPU ("Relocation Records").
//!
//! Example: `R_X86_64_PC32` at P = 0x1010 for S = 0x400, A = −4: 0x400 − 4 − 0x1010 = −0xc14, four bytes `ec f3 ff ff`.

use object::elf::{self, Machine};

/// What a relocation computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// S + A, which the loader completes: only in sections that it writes.
    Address,
    /// S + A, of which only bits below the page size are taken.
    PageOffset,
    /// S + A − P.
    Relative,
    /// Page of S + A less page of P, 4 KiB each.
    PageRelative,
    /// G + A − P.
    SlotRelative,
    /// Page of G + A less page of P.
    SlotPageRelative,
    /// G + A, of which only bits below the page size are taken.
    SlotPageOffset,
}

impl Value {
    /// Asks for a slot in the table of pointers.
    pub fn takes_slot(self) -> bool {
        matches!(self, Value::SlotRelative | Value::SlotPageRelative | Value::SlotPageOffset)
    }
}

/// The bits that are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// Eight bytes.
    Word64,
    /// Four bytes that hold a signed number.
    Signed32,
    /// The lower four bytes of the value.
    Low32,
    /// The upper four bytes of the value.
    High32,
    /// `adr`: 21 signed bits in two parts of an AArch64 instruction, the value shifted right by `shift` (12 for
    /// `adrp`).
    Adr { shift: u32 },
    /// `bits` signed bits at `at` of an AArch64 instruction, in units of four bytes.
    Branch { bits: u32, at: u32 },
    /// The value's lower 12 bits, in units of 2^`scale` bytes, at bit 10 of an AArch64 instruction.
    Offset12 { scale: u32 },
}

/// One kind.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    pub number: u32,
    pub name: &'static str,
    pub value: Value,
    pub field: Field,
}

const fn kind(number: u32, name: &'static str, value: Value, field: Field) -> Kind {
    Kind { number, name, value, field }
}

/// What differs between machines.
#[derive(Debug)]
pub struct MachineRules {
    pub machine: Machine,
    /// The largest page that systems with this machine use, bytes.
    pub page: u64,
    /// The dynamic relocation "load address plus addend".
    pub relative: u32,
    pub kinds: &'static [Kind],
}

pub const MACHINES: &[MachineRules] = &[
    MachineRules {
        machine: elf::EM_AMDGPU,
        page: 0x1000,
        relative: 13,
        kinds: &[
            kind(3, "R_AMDGPU_ABS64", Value::Address, Field::Word64),
            kind(4, "R_AMDGPU_REL32", Value::Relative, Field::Signed32),
            kind(5, "R_AMDGPU_REL64", Value::Relative, Field::Word64),
            kind(7, "R_AMDGPU_GOTPCREL", Value::SlotRelative, Field::Signed32),
            kind(8, "R_AMDGPU_GOTPCREL32_LO", Value::SlotRelative, Field::Low32),
            kind(9, "R_AMDGPU_GOTPCREL32_HI", Value::SlotRelative, Field::High32),
            kind(10, "R_AMDGPU_REL32_LO", Value::Relative, Field::Low32),
            kind(11, "R_AMDGPU_REL32_HI", Value::Relative, Field::High32),
        ],
    },
    MachineRules {
        machine: elf::EM_X86_64,
        page: 0x1000,
        relative: 8,
        kinds: &[
            kind(1, "R_X86_64_64", Value::Address, Field::Word64),
            kind(2, "R_X86_64_PC32", Value::Relative, Field::Signed32),
            kind(4, "R_X86_64_PLT32", Value::Relative, Field::Signed32),
            kind(9, "R_X86_64_GOTPCREL", Value::SlotRelative, Field::Signed32),
            kind(24, "R_X86_64_PC64", Value::Relative, Field::Word64),
            kind(41, "R_X86_64_GOTPCRELX", Value::SlotRelative, Field::Signed32),
            kind(42, "R_X86_64_REX_GOTPCRELX", Value::SlotRelative, Field::Signed32),
        ],
    },
    MachineRules {
        machine: elf::EM_AARCH64,
        page: 0x10000,
        relative: 1027,
        kinds: &[
            kind(257, "R_AARCH64_ABS64", Value::Address, Field::Word64),
            kind(260, "R_AARCH64_PREL64", Value::Relative, Field::Word64),
            kind(261, "R_AARCH64_PREL32", Value::Relative, Field::Signed32),
            kind(274, "R_AARCH64_ADR_PREL_LO21", Value::Relative, Field::Adr { shift: 0 }),
            kind(275, "R_AARCH64_ADR_PREL_PG_HI21", Value::PageRelative, Field::Adr { shift: 12 }),
            kind(277, "R_AARCH64_ADD_ABS_LO12_NC", Value::PageOffset, Field::Offset12 { scale: 0 }),
            kind(278, "R_AARCH64_LDST8_ABS_LO12_NC", Value::PageOffset, Field::Offset12 { scale: 0 }),
            kind(279, "R_AARCH64_TSTBR14", Value::Relative, Field::Branch { bits: 14, at: 5 }),
            kind(280, "R_AARCH64_CONDBR19", Value::Relative, Field::Branch { bits: 19, at: 5 }),
            kind(282, "R_AARCH64_JUMP26", Value::Relative, Field::Branch { bits: 26, at: 0 }),
            kind(283, "R_AARCH64_CALL26", Value::Relative, Field::Branch { bits: 26, at: 0 }),
            kind(284, "R_AARCH64_LDST16_ABS_LO12_NC", Value::PageOffset, Field::Offset12 { scale: 1 }),
            kind(285, "R_AARCH64_LDST32_ABS_LO12_NC", Value::PageOffset, Field::Offset12 { scale: 2 }),
            kind(286, "R_AARCH64_LDST64_ABS_LO12_NC", Value::PageOffset, Field::Offset12 { scale: 3 }),
            kind(299, "R_AARCH64_LDST128_ABS_LO12_NC", Value::PageOffset, Field::Offset12 { scale: 4 }),
            kind(311, "R_AARCH64_ADR_GOT_PAGE", Value::SlotPageRelative, Field::Adr { shift: 12 }),
            kind(312, "R_AARCH64_LD64_GOT_LO12_NC", Value::SlotPageOffset, Field::Offset12 { scale: 3 }),
        ],
    },
];

/// Addresses that a relocation is computed from.
#[derive(Clone, Copy, Debug)]
pub struct Addresses {
    /// S + A, or G + A for kinds that take a slot.
    pub target: u64,
    /// P.
    pub place: u64,
}

/// The number that goes into the field.
pub fn evaluate(value: Value, at: Addresses) -> i64 {
    let page = |address: u64| address & !0xFFF;
    let number = match value {
        Value::Address | Value::PageOffset | Value::SlotPageOffset => at.target,
        Value::Relative | Value::SlotRelative => at.target.wrapping_sub(at.place),
        Value::PageRelative | Value::SlotPageRelative => page(at.target).wrapping_sub(page(at.place)),
    };
    number.cast_signed()
}

/// Writes `value` at the start of `bytes`. None when the field is cut off, the value does not fit, or its unit does not
/// divide it.
pub fn store(field: Field, value: i64, bytes: &mut [u8]) -> Option<()> {
    let instruction = |bytes: &mut [u8], mask: u32, bits: u32| {
        let word = bytes.first_chunk_mut::<4>()?;
        *word = (u32::from_le_bytes(*word) & !mask | bits & mask).to_le_bytes();
        Some(())
    };
    match field {
        Field::Word64 => bytes.first_chunk_mut::<8>().map(|word| *word = value.to_le_bytes()),
        Field::Signed32 => {
            let value = i32::try_from(value).ok()?;
            bytes.first_chunk_mut::<4>().map(|word| *word = value.to_le_bytes())
        }
        Field::Low32 => bytes.first_chunk_mut::<4>().map(|word| *word = (value as u32).to_le_bytes()),
        Field::High32 => bytes.first_chunk_mut::<4>().map(|word| *word = ((value >> 32) as u32).to_le_bytes()),
        Field::Adr { shift } => {
            let value = signed(exact(value, shift)?, 21)?;
            instruction(bytes, 0x60FF_FFE0, (value & 3) << 29 | (value >> 2) << 5)
        }
        Field::Branch { bits, at } => {
            let value = signed(exact(value, 2)?, bits)?;
            instruction(bytes, ((1 << bits) - 1) << at, value << at)
        }
        Field::Offset12 { scale } => {
            let value = exact(value & 0xFFF, scale)?;
            instruction(bytes, 0xFFF << 10, (value as u32) << 10)
        }
    }
}

/// `value` / 2^`shift` where that is whole.
fn exact(value: i64, shift: u32) -> Option<i64> {
    (value & ((1 << shift) - 1) == 0).then_some(value >> shift)
}

/// The lower `bits` bits of a number that they can hold with its sign.
fn signed(value: i64, bits: u32) -> Option<u32> {
    let limit = 1_i64 << (bits - 1);
    (-limit..limit).contains(&value).then_some(value as u32 & ((1 << bits) - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stored<const N: usize>(field: Field, value: i64, before: [u8; N]) -> Option<[u8; N]> {
        let mut bytes = before;
        store(field, value, &mut bytes).map(|()| bytes)
    }

    #[test]
    fn kinds_are_listed_once_a_machine() {
        for machine in MACHINES {
            assert!(machine.kinds.is_sorted_by(|a, b| a.number < b.number), "{machine:?}");
        }
    }

    #[test]
    fn words_and_halves() {
        let at = Addresses { target: 0x400 - 4, place: 0x1010 };
        assert_eq!(evaluate(Value::Relative, at), -0xC14);
        assert_eq!(stored(Field::Signed32, -0xC14, [0; 4]), Some([0xEC, 0xF3, 0xFF, 0xFF]));
        assert_eq!(stored(Field::Word64, -1, [0; 8]), Some([0xFF; 8]));
        assert_eq!(stored(Field::Low32, -0xC14, [0; 4]), Some([0xEC, 0xF3, 0xFF, 0xFF]));
        assert_eq!(stored(Field::High32, 0x7_0000_0001, [0; 4]), Some([7, 0, 0, 0]));
        assert_eq!(stored(Field::High32, -1, [0; 4]), Some([0xFF; 4]));
        assert_eq!(stored(Field::Signed32, 1 << 31, [0; 4]), None);
        assert_eq!(stored(Field::Word64, 1, [0; 7]), None);
    }

    #[test]
    fn aarch64_instructions() {
        // adrp x0, #0x5000 = b0000020; the page of 0x15004 less that of 0x10ffc.
        let at = Addresses { target: 0x15004, place: 0x10FFC };
        let value = evaluate(Value::PageRelative, at);
        let adrp = |bytes: [u8; 4]| u32::from_le_bytes(bytes);
        assert_eq!(value, 0x5000);
        let before = 0x9000_0000_u32.to_le_bytes();
        assert_eq!(stored(Field::Adr { shift: 12 }, value, before).map(adrp), Some(0xB000_0020));
        // add x0, x0, #0x4 = 91001000.
        let before = 0x9100_0000_u32.to_le_bytes();
        let low = evaluate(Value::PageOffset, at);
        assert_eq!(stored(Field::Offset12 { scale: 0 }, low, before).map(adrp), Some(0x9100_1000));
        // ldr q0, [x0, #0x10] = 3dc00400; 8 is not a multiple of 16.
        let before = 0x3DC0_0000_u32.to_le_bytes();
        assert_eq!(stored(Field::Offset12 { scale: 4 }, 0x7010, before).map(adrp), Some(0x3DC0_0400));
        assert_eq!(stored(Field::Offset12 { scale: 4 }, 8, before), None);
        // bl #-4 = 97ffffff; b.eq #8 = 54000040; 2^27 is too far for bl.
        let before = 0x9400_0000_u32.to_le_bytes();
        assert_eq!(stored(Field::Branch { bits: 26, at: 0 }, -4, before).map(adrp), Some(0x97FF_FFFF));
        assert_eq!(stored(Field::Branch { bits: 26, at: 0 }, 1 << 27, before), None);
        let before = 0x5400_0000_u32.to_le_bytes();
        assert_eq!(stored(Field::Branch { bits: 19, at: 5 }, 8, before).map(adrp), Some(0x5400_0040));
    }
}

//! Checks of a CPU image before the dynamic loader sees it: the right machine, every header inside of the file, and
//! nothing that would run code or load files at load time.

use crate::hal::{HalError, HalErrorKind, HalResult};

const PT_LOAD: u64 = 1;
const PT_DYNAMIC: u64 = 2;
const PT_INTERP: u64 = 3;
const PT_GNU_STACK: u64 = 0x6474_e551;

/// Dynamic tags that are refused, and why.
const REFUSED_TAGS: &[(u64, &str)] = &[
    (1, "needs another library"),
    (12, "has an initialiser"),
    (13, "has a finaliser"),
    (15, "has a library search path"),
    (22, "has relocations in its code"),
    (25, "has initialisers"),
    (26, "has finalisers"),
    (29, "has a library search path"),
    (32, "has initialisers"),
];

#[cfg(target_arch = "x86_64")]
const MACHINE: u64 = 62;
#[cfg(target_arch = "aarch64")]
const MACHINE: u64 = 183;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const MACHINE: u64 = 0;

fn bad(what: impl Into<String>) -> HalError {
    HalError::new(HalErrorKind::BadImage, format!("the CPU image {}", what.into()))
}

fn field(bytes: &[u8], at: u64, width: usize) -> HalResult<u64> {
    let start = usize::try_from(at).ok();
    let field = start.and_then(|start| bytes.get(start..start.checked_add(width)?));
    let field = field.ok_or_else(|| bad("is cut off"))?;
    Ok(field.iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte)))
}

/// Checks an image for this machine.
pub(super) fn check(bytes: &[u8]) -> HalResult<()> {
    if !bytes.starts_with(b"\x7fELF") {
        return Err(bad("is not an ELF file"));
    }
    // 64 bits, little endian, shared object.
    if field(bytes, 4, 2)? != 0x0102 || field(bytes, 16, 2)? != 3 {
        return Err(bad("is not a 64-bit little-endian shared object"));
    }
    let machine = field(bytes, 18, 2)?;
    if machine != MACHINE {
        let what = format!("is for ELF machine {machine}, this processor is {} ({MACHINE})", std::env::consts::ARCH);
        return Err(bad(what));
    }
    let (table, entry_bytes, count) = (field(bytes, 32, 8)?, field(bytes, 54, 2)?, field(bytes, 56, 2)?);
    if entry_bytes != 56 || count > 64 {
        return Err(bad("has an unusual program header table"));
    }
    for index in 0..count {
        let at = table.checked_add(index * entry_bytes).ok_or_else(|| bad("is cut off"))?;
        segment(bytes, at)?;
    }
    Ok(())
}

fn segment(bytes: &[u8], at: u64) -> HalResult<()> {
    let (kind, flags) = (field(bytes, at, 4)?, field(bytes, at.saturating_add(4), 4)?);
    let (offset, len) = (field(bytes, at.saturating_add(8), 8)?, field(bytes, at.saturating_add(32), 8)?);
    if offset.checked_add(len).is_none_or(|end| end > bytes.len() as u64) {
        return Err(bad("has a segment outside of the file"));
    }
    // Bit 0 executes, bit 1 writes.
    match kind {
        PT_LOAD | PT_GNU_STACK if flags & 3 == 3 && kind == PT_LOAD => {
            Err(bad("has memory that is written and executed"))
        }
        PT_GNU_STACK if flags & 1 == 1 => Err(bad("wants an executable stack")),
        PT_INTERP => Err(bad("is a program, not a library")),
        PT_DYNAMIC => {
            for entry in 0..len / 16 {
                let tag = field(bytes, offset + entry * 16, 8)?;
                if tag == 0 {
                    break;
                }
                if let Some(row) = REFUSED_TAGS.iter().find(|row| row.0 == tag) {
                    return Err(bad(row.1));
                }
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

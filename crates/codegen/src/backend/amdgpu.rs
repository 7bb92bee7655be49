//! ROCm images: the objects of all kernels linked into one hsaco, with one metadata note.
//!
//! Each object carries a note (owner `AMDGPU`, type 32, MessagePack) that describes its kernel; the linker puts them one after
//! the other, but the runtime reads only one. So the notes are merged: the kernels of all of them in the first, and section
//! and segment headers are shortened to it. The merged note is never longer than the notes it replaces. Resource numbers come from
//! the same note.

use fornax_targets::{ImageKind, Target};

use super::elf::{Elf, PT_NOTE, SHT_NOTE};
use super::errors::BackendError;
use super::msgpack::Value;
use super::tools::{ToolRun, Tools};
use super::{Image, KernelBinary, KernelResources, Linked};

/// Owner and type of the metadata note.
const NOTE_OWNER: &[u8] = b"AMDGPU\0";
const NOTE_TYPE: u32 = 32;
const KERNELS: &str = "amdhsa.kernels";

pub fn link(target: &Target, kernels: &[KernelBinary], tools: &Tools) -> Result<Linked, BackendError> {
    let linker = tools.ld_lld.as_deref().ok_or_else(|| BackendError::NoLinker { target: target.spec() })?;
    let run = ToolRun::new(linker)?;
    let mut arguments: Vec<String> =
        ["-shared", "--no-undefined", "--build-id=none", "-o", "kernels.hsaco"].map(String::from).to_vec();
    for (index, kernel) in kernels.iter().enumerate() {
        let file = format!("{index}.o");
        run.write(&file, &kernel.bytes)?;
        arguments.push(file);
    }
    let output = run.run(&arguments)?;
    if !output.succeeded {
        return Err(run.failure(target.spec(), &output));
    }
    let mut bytes = run.read("kernels.hsaco")?;
    let metadata = merge_notes(&mut bytes)?;
    let resources = kernels.iter().map(|kernel| (kernel.name.clone(), resources_of(&metadata, &kernel.name))).collect();
    Ok(Linked {
        images: vec![Image { kind: ImageKind::Hsaco, target: target.arch_spec(), bytes, resources }],
        notes: Vec::new(),
    })
}

/// Joins the metadata notes of a linked file in place; returns the joined metadata.
fn merge_notes(bytes: &mut [u8]) -> Result<Value, BackendError> {
    let original = bytes.to_vec();
    let elf = Elf::parse("hsaco", &original)?;
    let mut merged: Option<Value> = None;
    for section in elf.sections.iter().filter(|section| section.kind == SHT_NOTE) {
        let notes =
            metadata_notes(elf.section_bytes(section)?).ok_or_else(|| elf.malformed("its notes cannot be read"))?;
        if notes.is_empty() {
            continue;
        }
        if merged.is_some() {
            return Err(elf.malformed("it has two sections of metadata notes"));
        }
        let joined = join(notes).ok_or_else(|| elf.malformed("its metadata notes do not join"))?;
        let note = note_bytes(&joined);
        let room = bytes.get_mut(section.offset..section.offset + section.size).filter(|room| room.len() >= note.len());
        let room = room.ok_or_else(|| elf.malformed("the joined metadata does not fit"))?;
        room.fill(0);
        if let Some(start) = room.get_mut(..note.len()) {
            start.copy_from_slice(&note);
        }
        let size = (note.len() as u64).to_le_bytes();
        let mut set = |at: usize| bytes.get_mut(at..at + 8).map(|field| field.copy_from_slice(&size));
        let mut done = set(section.header + 32);
        for segment in elf.segments.iter().filter(|segment| segment.kind == PT_NOTE && segment.offset == section.offset)
        {
            done = done.and(set(segment.header + 32)).and(set(segment.header + 40));
        }
        done.ok_or_else(|| elf.malformed("a header lies outside the file"))?;
        merged = Some(joined);
    }
    merged.ok_or_else(|| elf.malformed("it has no metadata note"))
}

/// The metadata of every note of a section; None when the section is malformed.
fn metadata_notes(mut section: &[u8]) -> Option<Vec<Value>> {
    let mut found = Vec::new();
    while !section.is_empty() {
        let word = |at: usize| section.get(at..at + 4).and_then(|word| word.try_into().ok()).map(u32::from_le_bytes);
        let (owner_bytes, value_bytes, kind) = (word(0)? as usize, word(4)? as usize, word(8)?);
        let value_at = 12 + owner_bytes.next_multiple_of(4);
        let owner = section.get(12..12 + owner_bytes)?;
        let value = section.get(value_at..value_at.checked_add(value_bytes)?)?;
        if owner == NOTE_OWNER && kind == NOTE_TYPE {
            found.push(Value::read(value)?);
        }
        section = section.get(value_at + value_bytes.next_multiple_of(4)..).unwrap_or(&[]);
    }
    Some(found)
}

/// The first metadata with the kernels of all; None when they are of another target or version.
fn join(notes: Vec<Value>) -> Option<Value> {
    let mut notes = notes.into_iter();
    let Value::Map(mut first) = notes.next()? else { return None };
    for note in notes {
        let Value::Map(entries) = note else { return None };
        for (key, value) in entries {
            let slot = first.iter_mut().find(|(name, _)| *name == key).map(|(_, slot)| slot)?;
            match (key.text(), slot, value) {
                (Some(KERNELS), Value::Array(all), Value::Array(more)) => all.extend(more),
                (_, slot, value) if *slot == value => {}
                _ => return None,
            }
        }
    }
    Some(Value::Map(first))
}

/// A note section that holds this metadata.
fn note_bytes(metadata: &Value) -> Vec<u8> {
    let mut value = Vec::new();
    metadata.write(&mut value);
    let mut note = Vec::new();
    note.extend((NOTE_OWNER.len() as u32).to_le_bytes());
    note.extend((value.len() as u32).to_le_bytes());
    note.extend(NOTE_TYPE.to_le_bytes());
    note.extend(NOTE_OWNER);
    note.resize(note.len().next_multiple_of(4), 0);
    note.extend(value);
    note.resize(note.len().next_multiple_of(4), 0);
    note
}

fn resources_of(metadata: &Value, kernel: &str) -> KernelResources {
    let Some(Value::Array(entries)) = metadata.get(KERNELS) else { return KernelResources::default() };
    let Some(entry) = entries.iter().find(|entry| entry.get(".name").and_then(Value::text) == Some(kernel)) else {
        return KernelResources::default();
    };
    let number = |key: &str| entry.get(key).and_then(Value::number);
    KernelResources {
        // From gfx90a on .vgpr_count counts the whole unified file; before, accumulation registers are a file of their own.
        registers: number(".vgpr_count").map(|count| count.max(number(".agpr_count").unwrap_or(0))),
        scalar_registers: number(".sgpr_count"),
        spill_bytes: number(".vgpr_spill_count").map(|count| count.saturating_mul(4)),
        static_shared_bytes: number(".group_segment_fixed_size"),
        scratch_bytes: number(".private_segment_fixed_size"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Value {
        Value::Text(text.into())
    }

    fn metadata(kernel: &str, target: &str) -> Value {
        let entry = Value::Map(vec![
            (text(".name"), text(kernel)),
            (text(".vgpr_count"), Value::Unsigned(8)),
            (text(".vgpr_spill_count"), Value::Unsigned(2)),
        ]);
        Value::Map(vec![(text(KERNELS), Value::Array(vec![entry])), (text("amdhsa.target"), text(target))])
    }

    #[test]
    fn notes_of_two_objects_become_one_with_both_kernels() {
        let section = [note_bytes(&metadata("a", "gfx908")), note_bytes(&metadata("b", "gfx908"))].concat();
        let notes = metadata_notes(&section).expect("well-formed");
        let joined = join(notes).expect("same target");
        assert!(note_bytes(&joined).len() <= section.len());
        for kernel in ["a", "b"] {
            let resources = resources_of(&joined, kernel);
            assert_eq!((resources.registers, resources.spill_bytes), (Some(8), Some(8)));
        }
        assert_eq!(resources_of(&joined, "c"), KernelResources::default());
    }

    #[test]
    fn notes_of_two_targets_or_cut_ones_are_refused() {
        assert_eq!(join(vec![metadata("a", "gfx908"), metadata("b", "gfx90a")]), None);
        let section = note_bytes(&metadata("a", "gfx908"));
        assert_eq!(metadata_notes(&section[..section.len() - 8]), None);
        assert!(merge_notes(&mut []).is_err());
    }
}

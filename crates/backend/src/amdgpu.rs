//! ROCm images: the objects of all kernels linked into one hsaco, with one metadata note.
//!
//! Each object carries a note (owner `AMDGPU`, type 32, MessagePack) that describes its kernel; the loader reads only
//! one note of an image. So they are joined: the kernels of all of them in the first. Resource numbers come from the
//! same note.

use fornax_mlir::{Compiled, MachineSpec};
use fornax_module::hsaco::{self, KERNELS, NOTE_OWNER, NOTE_TYPE};
use fornax_module::msgpack::Value;
use fornax_targets::{ImageKind, Target};

use super::errors::BackendError;
use super::link::{self, Object, Request};
use super::{Image, KernelBinary, KernelResources, Linked};

/// Orders of instructions that are tried, one after the other, where LLVM's own choice spills vector registers.
const SCHEDULERS: [&str; 2] = ["iterative-maxocc", "iterative-ilp"];

/// Compiles a kernel; where vector registers were spilled, again by [`SCHEDULERS`] until none are. What spills least is
/// taken, the first of equals: spills pass through memory, which costs a matrix loop more than any order of its
/// instructions saves.
///
/// # Errors
/// Those of `compile`, and `FX0430` where its object cannot be read.
pub fn with_fewest_spills(
    name: &str,
    own: MachineSpec,
    compile: impl Fn(&MachineSpec) -> Result<Compiled, BackendError>,
) -> Result<Compiled, BackendError> {
    let mut best = compile(&own)?;
    let mut least = spills(name, &best.bytes)?;
    for scheduler in SCHEDULERS {
        if least == 0 {
            break;
        }
        let other = compile(&MachineSpec { amdgpu_scheduler: Some(scheduler), ..own.clone() })?;
        let found = spills(name, &other.bytes)?;
        if found < least {
            (best, least) = (other, found);
        }
    }
    Ok(best)
}

/// Vector registers that the kernel of an object spills.
fn spills(name: &str, object: &[u8]) -> Result<u32, BackendError> {
    let metadata = joined_metadata(&[Object::read(name, object)?])?;
    Ok(hsaco::of_metadata(&metadata).iter().map(|kernel| kernel.vector_spills).sum())
}

pub fn link(target: &Target, kernels: &[KernelBinary]) -> Result<Linked, BackendError> {
    let objects: Vec<Object<'_>> =
        kernels.iter().map(|kernel| Object::read(&kernel.name, &kernel.bytes)).collect::<Result<_, _>>()?;
    let metadata = joined_metadata(&objects)?;
    let exports = kernels.iter().flat_map(|kernel| [kernel.name.clone(), format!("{}.kd", kernel.name)]).collect();
    let note = Some(note_bytes(&metadata));
    let bytes = link::link(&Request { objects: &objects, target: target.spec(), exports, note, symbol_table: true })?;
    let resources = kernels.iter().map(|kernel| (kernel.name.clone(), resources_of(&metadata, &kernel.name))).collect();
    Ok(Linked {
        images: vec![Image { kind: ImageKind::Hsaco, target: target.arch_spec(), bytes, resources }],
        notes: Vec::new(),
    })
}

/// The metadata notes of all objects as one.
fn joined_metadata(objects: &[Object<'_>]) -> Result<Value, BackendError> {
    let mut all = Vec::new();
    for object in objects {
        let malformed = |reason: &str| BackendError::Malformed { what: object.name.to_string(), reason: reason.into() };
        let before = all.len();
        for section in &object.notes {
            all.extend(hsaco::metadata(section).ok_or_else(|| malformed("its notes cannot be read"))?);
        }
        if all.len() == before {
            return Err(malformed("it has no metadata note"));
        }
    }
    let what = "the kernels' metadata".to_string();
    join(all).ok_or_else(|| BackendError::Malformed { what, reason: "they are of different targets".into() })
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
    let Some(taken) = hsaco::of_metadata(metadata).into_iter().find(|entry| entry.name == kernel) else {
        return KernelResources::default();
    };
    KernelResources {
        // From gfx90a on the count is of the whole unified file; before, accumulation registers are a file of their
        // own.
        registers: Some(taken.vector_registers.max(taken.accumulation_registers)),
        scalar_registers: Some(taken.scalar_registers),
        spill_bytes: Some(taken.vector_spills.saturating_mul(4)),
        static_shared_bytes: Some(taken.shared_bytes),
        scratch_bytes: Some(taken.scratch_bytes),
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
        let notes = hsaco::metadata(&section).expect("well-formed");
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
        assert_eq!(hsaco::metadata(&section[..section.len() - 8]), None);
        assert!(joined_metadata(&[]).is_err());
    }
}

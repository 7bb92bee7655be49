//! Damaged modules: an error or equal contents, never a panic. With and without corrected hashes.

mod sample;

use fornax_module::format::{ENTRY_BYTES, HEADER_BYTES, SectionKind, hash};
use fornax_module::image::check_image;
use fornax_module::manifest::ImageKind;
use fornax_module::{ParsedModule, Verify, records};
use proptest::collection::vec;
use proptest::prelude::*;
use sample::elf::{Object, object};
use sample::sample;

/// Reads a module and everything in it.
fn read_all(bytes: &[u8]) -> Option<ParsedModule<&[u8]>> {
    let module = ParsedModule::parse(bytes).ok()?;
    module.verify_constants().ok()?;
    for target in &module.manifest().targets {
        let program = module.program_of(target).unwrap();
        program.evaluate_known(&[Some(3)]);
        target.images.iter().for_each(|image| drop(module.copy_image(image).unwrap()));
    }
    Some(module)
}

/// Writes every section's hash and the table's hash anew; sections that lie outside the file keep theirs.
fn fix_hashes(bytes: &mut [u8]) {
    let count = u32::from_le_bytes(bytes[24..28].try_into().unwrap()) as usize;
    let table_end = HEADER_BYTES.saturating_add(ENTRY_BYTES.saturating_mul(count)).min(bytes.len());
    let mut at = HEADER_BYTES;
    while at + ENTRY_BYTES <= table_end {
        let word = |o: usize| u64::from_le_bytes(bytes[at + o..at + o + 8].try_into().unwrap()) as usize;
        let (start, len) = (word(8), word(16));
        if let Some(section) = start.checked_add(len).and_then(|end| bytes.get(start..end)) {
            let fixed = hash(section);
            bytes[at + 64..at + 96].copy_from_slice(&fixed);
        }
        at += ENTRY_BYTES;
    }
    let fixed = hash(&bytes[HEADER_BYTES..table_end]);
    bytes[32..64].copy_from_slice(&fixed);
}

#[test]
fn every_bit_flip_is_found() {
    let parts = sample();
    let good = parts.bytes();
    let whole = read_all(&good).unwrap();
    for bit in 0..good.len() * 8 {
        let mut bytes = good.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        if let Some(module) = read_all(&bytes) {
            assert_eq!(module.manifest(), whole.manifest(), "bit {bit}");
            assert_eq!(module.programs(), whole.programs(), "bit {bit}");
            assert_eq!(module.constants(), whole.constants(), "bit {bit}");
        }
    }
}

#[test]
fn every_truncation_and_extension_is_an_error() {
    let good = sample().bytes();
    for len in 0..good.len() {
        ParsedModule::parse(&good[..len]).unwrap_err();
    }
    let longer = [good.as_slice(), &[0]].concat();
    assert_eq!(ParsedModule::parse(longer).unwrap_err().code(), "FX0603");
}

#[test]
fn every_changed_byte_with_corrected_hashes_is_survived() {
    let good = sample().bytes();
    let constants_at = ParsedModule::parse(good.as_slice()).unwrap().constants_range().start as usize;
    for at in 0..constants_at {
        for value in [good[at] ^ 1, good[at] ^ 0x80, 0, 0xff] {
            let mut bytes = good.clone();
            bytes[at] = value;
            if !(24..28).contains(&at) {
                fix_hashes(&mut bytes);
            }
            read_all(&bytes);
        }
    }
}

/// A program that was edited is refused though its section's hash was made anew, unless nothing is to be checked.
#[test]
fn parts_of_another_module_are_refused() {
    let good = sample().bytes();
    let module = ParsedModule::parse(good.as_slice()).unwrap();
    let program = module.sections().iter().find(|s| s.kind == SectionKind::Program).unwrap();
    let range = program.offset as usize..(program.offset + program.len) as usize;
    let mut refused = 0;
    for at in range {
        let mut bytes = good.clone();
        bytes[at] ^= 1;
        fix_hashes(&mut bytes);
        let unchecked = ParsedModule::parse_with(bytes.as_slice(), Verify::Off);
        let checked = ParsedModule::parse(bytes.as_slice());
        assert!(checked.is_err());
        if unchecked.is_ok() {
            refused += 1;
            assert_eq!(checked.unwrap_err().code(), "FX0606");
            assert_eq!(ParsedModule::parse_with(bytes, Verify::Lazy).unwrap_err().code(), "FX0606");
        }
    }
    assert!(refused > 0, "no edit leaves a program well formed");
}

#[test]
fn codes_of_damage() {
    let good = sample().bytes();
    let code = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = good.clone();
        change(&mut bytes);
        ParsedModule::parse(bytes).unwrap_err().code()
    };
    assert_eq!(ParsedModule::parse(&b""[..]).unwrap_err().code(), "FX0601");
    assert_eq!(
        ParsedModule::parse(&b"module {}"[..]).unwrap_err().to_string(),
        "not a fornax module: it looks like MLIR text: compile it first (fornax compile FILE -o model.fnx)"
    );
    assert_eq!(code(&|b| b[8] = 1), "FX0602");
    assert_eq!(code(&|b| b.truncate(4000)), "FX0603");
    assert_eq!(code(&|b| b[28] = 1), "FX0605");
    assert_eq!(code(&|b| b[HEADER_BYTES] = 9), "FX0606");
    // an unknown section is skipped when optional and refused by number when not
    let unknown = |flags: u8| {
        let mut bytes = good.clone();
        let module = ParsedModule::parse(good.as_slice()).unwrap();
        let debug = module.sections().iter().position(|s| s.name.is_some()).unwrap();
        let entry = HEADER_BYTES + ENTRY_BYTES * debug;
        bytes[entry] = 77;
        bytes[entry + 4] = flags;
        fix_hashes(&mut bytes);
        ParsedModule::parse(bytes).map(drop)
    };
    unknown(0).unwrap();
    assert_eq!(
        unknown(1).unwrap_err().to_string(),
        "module needs sections of kind 77, which this reader does not know"
    );
}

#[test]
fn cpu_images_that_need_the_loader_are_refused() {
    let check = |object: Object| check_image(ImageKind::CpuElf, &object.build()).map(|names| names.len());
    let good = object(&["a", "b"]);
    assert_eq!(check(good.clone()), Ok(2));
    assert_eq!(check(Object { gnu_hash: true, machine: 183, ..good.clone() }), Ok(2));
    assert!(check(Object { flags: 7, ..good.clone() }).unwrap_err().contains("writable and executable"));
    assert!(check(Object { machine: 3, ..good.clone() }).unwrap_err().contains("machine 3"));
    for (tag, name) in [(1, "DT_NEEDED"), (25, "DT_INIT_ARRAY"), (12, "DT_INIT"), (26, "DT_FINI_ARRAY")] {
        let error = check(Object { extra: vec![(tag, 0)], ..good.clone() }).unwrap_err();
        assert!(error.contains(name), "{error}");
    }
    let mut undefined = good;
    undefined.symbols.push(("memcpy".into(), false));
    assert!(check(undefined).unwrap_err().contains("\"memcpy\" is not defined"));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes(bytes in vec(any::<u8>(), 0..400)) {
        let _ = ParsedModule::parse(bytes.as_slice());
        let _ = records::decode(&bytes);
        let _ = check_image(ImageKind::Ptx, &bytes);
    }

    #[test]
    fn random_bytes_behind_a_good_header(bytes in vec(any::<u8>(), 64..600), count in 1u32..4) {
        let mut file = sample().bytes();
        file.truncate(HEADER_BYTES);
        file.extend(bytes);
        let len = file.len() as u64;
        file[16..24].copy_from_slice(&len.to_le_bytes());
        file[24..28].copy_from_slice(&count.to_le_bytes());
        fix_hashes(&mut file);
        read_all(&file);
    }

    #[test]
    fn several_changes_with_corrected_hashes(changes in vec((any::<u32>(), any::<u8>()), 1..6)) {
        let mut bytes = sample().bytes();
        for (at, value) in changes {
            let at = HEADER_BYTES + at as usize % (bytes.len() - HEADER_BYTES);
            bytes[at] = value;
        }
        fix_hashes(&mut bytes);
        read_all(&bytes);
    }

    #[test]
    fn changed_elf_images(changes in vec((any::<u32>(), any::<u8>()), 1..5), gnu_hash in any::<bool>()) {
        let mut bytes = Object { gnu_hash, ..object(&["add", "pack"]) }.build();
        for (at, value) in changes {
            let at = at as usize % bytes.len();
            bytes[at] = value;
        }
        for kind in [ImageKind::CpuElf, ImageKind::Hsaco, ImageKind::Cubin] {
            let _ = check_image(kind, &bytes);
        }
    }

    #[test]
    fn changed_records(changes in vec((any::<u32>(), any::<u8>()), 1..5)) {
        let mut bytes = records::encode(&sample().program).unwrap();
        for (at, value) in changes {
            let at = at as usize % bytes.len();
            bytes[at] = value;
        }
        if let Ok(program) = records::decode(&bytes) {
            let mut manifest = sample().manifest;
            manifest.constants_bytes = 266;
            let _ = fornax_module::check::check_program(&program, &manifest, "cuda");
            prop_assert_eq!(records::decode(&records::encode(&program).unwrap()).unwrap(), program);
        }
    }
}

//! Files made by hand: good ones, and every way to break one.

use proptest::prelude::*;

use super::*;

fn text(out: &mut Vec<u8>, text: &str) {
    out.extend((text.len() as u64).to_le_bytes());
    out.extend(text.as_bytes());
}

fn head(tensors: u64, keys: u64) -> Vec<u8> {
    let mut out = b"GGUF\x03\0\0\0".to_vec();
    out.extend(tensors.to_le_bytes());
    out.extend(keys.to_le_bytes());
    out
}

fn key(out: &mut Vec<u8>, name: &str, ty: u32, value: &[u8]) {
    text(out, name);
    out.extend(ty.to_le_bytes());
    out.extend(value);
}

fn tensor(out: &mut Vec<u8>, name: &str, sizes: &[u64], (kind, offset): (u32, u64)) {
    text(out, name);
    out.extend((sizes.len() as u32).to_le_bytes());
    sizes.iter().for_each(|size| out.extend(size.to_le_bytes()));
    out.extend(kind.to_le_bytes());
    out.extend(offset.to_le_bytes());
}

fn read(bytes: &[u8]) -> Result<Gguf, FileError> {
    Gguf::read(&mut &bytes[..], bytes.len() as u64)
}

/// Two keys and two tensors: `a`, 3 rows of one Q4_1 block, at 0; `b`, 5 floats, at 64.
fn good() -> Vec<u8> {
    let mut out = head(2, 3);
    let mut words = Vec::new();
    text(&mut words, "llama");
    key(&mut out, "general.architecture", types::STRING, &words);
    key(&mut out, "n", types::U32, &7u32.to_le_bytes());
    let mut list = types::STRING.to_le_bytes().to_vec();
    list.extend(2u64.to_le_bytes());
    text(&mut list, "x");
    text(&mut list, "é");
    key(&mut out, "words", types::ARRAY, &list);
    tensor(&mut out, "a", &[32, 3], (3, 0));
    tensor(&mut out, "b", &[5], (0, 64));
    out.resize(out.len().next_multiple_of(32) + 64 + 20, 0);
    out
}

#[test]
fn a_good_file_reads() {
    let bytes = good();
    let file = read(&bytes).unwrap();
    assert_eq!(file.string("general.architecture"), Some("llama"));
    assert_eq!((file.count("n"), file.number("n"), file.count("words")), (Some(7), Some(7.0), None));
    assert_eq!(file.strings("words").unwrap(), ["x", "é"]);
    let (a, b) = (&file.entries[0], &file.entries[1]);
    assert_eq!((a.kind.name, a.shape.as_slice(), a.range.end - a.range.start), ("Q4_1", &[3, 32][..], 60));
    assert_eq!((b.kind.name, b.range.end), ("F32", bytes.len() as u64));
    assert_eq!((a.range.start % 32, b.range.start - a.range.start), (0, 64));
}

#[test]
fn every_truncation_is_refused() {
    let bytes = good();
    for end in 0..bytes.len() {
        let error = read(&bytes[..end]).unwrap_err();
        assert!(error.code == "FX1001", "{end}: {error}");
    }
}

#[test]
fn absurd_counts_and_places_are_refused() {
    let mut all: Vec<(Vec<u8>, &str)> = vec![
        (b"GGML".repeat(9), "does not begin"),
        (head(u64::MAX, 0), "left"),
        (head(0, u64::MAX), "left"),
        (head(1 << 40, 0), "left"),
    ];
    let tensors: [(&[u64], (u32, u64), &str); 8] = [
        (&[32, 3], (3, 1), "does not lie"),
        (&[32, 3], (3, 1 << 62), "does not lie"),
        (&[32, 3], (3, u64::MAX - 31), "does not lie"),
        (&[u64::MAX, u64::MAX], (0, 0), "does not lie"),
        (&[1 << 40], (0, 0), "does not lie"),
        (&[33, 3], (3, 0), "no blocks of 32"),
        (&[1, 1, 1, 1, 1], (0, 0), "at most 4"),
        (&[4], (77, 0), "kind 77"),
    ];
    for (sizes, place, why) in tensors {
        let mut out = head(1, 0);
        tensor(&mut out, "a", sizes, place);
        out.resize(out.len() + 256, 0);
        all.push((out, why));
    }
    let mut twice = head(2, 0);
    tensor(&mut twice, "a", &[1], (0, 0));
    tensor(&mut twice, "a", &[1], (0, 0));
    twice.resize(256, 0);
    all.push((twice, "two tensors named a"));
    let mut list = types::U64.to_le_bytes().to_vec();
    list.extend((1u64 << 61).to_le_bytes());
    let nested = [types::ARRAY.to_le_bytes().to_vec(), 1u64.to_le_bytes().to_vec()].concat();
    let alignment = 3u32.to_le_bytes().to_vec();
    for (name, ty, value, why) in [
        ("k", types::ARRAY, list, "left"),
        ("k", types::ARRAY, nested, "an array of type 9"),
        ("k", 13, vec![0; 8], "a value of type 13"),
        ("k", types::STRING, vec![255; 8], "left"),
        (ALIGNMENT_KEY, types::U32, alignment, "power of two"),
    ] {
        let mut out = head(0, 1);
        key(&mut out, name, ty, &value);
        out.resize(out.len() + 64, 0);
        all.push((out, why));
    }
    for (bytes, why) in all {
        let error = read(&bytes).unwrap_err();
        assert!(error.message.contains(why), "{why}: {error}");
    }
}

#[test]
fn other_versions_are_named() {
    for (version, why) in [(1u32, "version 1"), (4, "version 4"), (3u32.swap_bytes(), "big endian")] {
        let mut bytes = good();
        bytes[4..8].copy_from_slice(&version.to_le_bytes());
        let error = read(&bytes).unwrap_err();
        assert!(error.code == "FX1002" && error.message.contains(why), "{error}");
    }
}

proptest! {
    /// Any byte may be any other: what is read still lies in the file.
    #[test]
    fn changed_bytes_do_no_harm(places in prop::collection::vec((0usize..10_000, any::<u8>()), 1..6)) {
        let mut bytes = good();
        for (at, byte) in places {
            let at = at % bytes.len();
            bytes[at] = byte;
        }
        if let Ok(file) = read(&bytes) {
            for entry in &file.entries {
                prop_assert!(entry.range.start <= entry.range.end && entry.range.end <= bytes.len() as u64);
            }
        }
    }
}

//! Conversions of files with known numbers, and of what cannot be converted.

use super::*;
use crate::quantize::Coder;

/// A source of the numbers 0 to `rows * width`, in a file of its own.
fn source(folder: &std::path::Path, element: ElementType, shape: &[u64], change: Change) -> Source {
    let count = shape.iter().product::<u64>();
    let numbers: Vec<f32> = (0..count).map(|n| n as f32).collect();
    let mut bytes = vec![0; 5];
    put_plain(&numbers, element, &mut bytes);
    let path = folder.join("numbers");
    std::fs::write(&path, &bytes).unwrap();
    let pieces = vec![(path, 5..bytes.len() as u64)];
    Source { name: "x".into(), pieces, element, shape: shape.to_vec(), change }
}

fn rows(source: &Source) -> Vec<f32> {
    source.check().unwrap();
    source.open().unwrap().rows(0..source.rows().0).unwrap()
}

#[test]
fn changes_move_rows() {
    let folder = tempfile::tempdir().unwrap();
    let of = |shape: &[u64], change| rows(&source(folder.path(), ElementType::Bf16, shape, change));
    assert_eq!(of(&[2, 3], Change::None), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
    assert_eq!(of(&[3], Change::Plus(1.0)), [1.0, 2.0, 3.0]);
    assert_eq!(of(&[2, 3], Change::Transposed), [0.0, 3.0, 1.0, 4.0, 2.0, 5.0]);
    // Two heads of four rows: 0 1 2 3 becomes 0 2 1 3.
    assert_eq!(of(&[8, 1], Change::Neighbours(2)), [0.0, 2.0, 1.0, 3.0, 4.0, 6.0, 5.0, 7.0]);
    assert_eq!(of(&[4], Change::Neighbours(1)), [0.0, 2.0, 1.0, 3.0]);
}

/// Two pieces in the other order, read as a whole and from one into the other.
#[test]
fn pieces_are_read_behind_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let mut source = source(folder.path(), ElementType::F32, &[2, 4, 3], Change::None);
    let (path, range) = source.pieces[0].clone();
    let middle = range.start + 48;
    source.pieces = vec![(path.clone(), middle..range.end), (path, range.start..middle)];
    let wanted: Vec<f32> = (12..24).chain(0..12).map(|n| n as f32).collect();
    assert_eq!((rows(&source), source.bytes()), (wanted.clone(), 96));
    assert_eq!(source.open().unwrap().rows(3..5).unwrap(), wanted[9..15]);
}

#[test]
fn parts_are_written_in_order() {
    let folder = tempfile::tempdir().unwrap();
    for element in [ElementType::F32, ElementType::F64] {
        let source = source(folder.path(), element, &[40, 32], Change::None);
        let mut out = Vec::new();
        let loss = write(&source, Aim::Plain(ElementType::F32), &mut out).unwrap();
        assert_eq!((loss.relative(), loss.most), (0.0, 0.0));
        let mut back = Vec::new();
        floats::decode(&out, ElementType::F32, &mut back);
        assert_eq!(back, (0..1280).map(|n| n as f32).collect::<Vec<_>>());
    }
    let source = source(folder.path(), ElementType::F32, &[40, 32], Change::None);
    let mut out = Vec::new();
    let loss = write(&source, Aim::Blocks(Coder::named("q8_0").unwrap()), &mut out).unwrap();
    assert_eq!(out.len(), 40 * 34);
    assert!(loss.relative() > 0.0 && loss.relative() < 0.005 && loss.most < 5.0, "{loss:?}");
    let mut out = Vec::new();
    let (scales, loss) = fp8::write(&source, &mut out).unwrap();
    assert_eq!((out.len(), scales.len()), (1280, 40));
    assert_eq!((scales[1], out[63]), (63.0 / 448.0, 0x7E));
    assert!(loss.relative() > 0.0 && loss.relative() < 0.04, "{loss:?}");
}

#[test]
fn what_is_no_number_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut source = source(folder.path(), ElementType::F32, &[1, 32], Change::None);
    let mut bytes = std::fs::read(&source.pieces[0].0).unwrap();
    bytes[5..9].copy_from_slice(&f32::NAN.to_le_bytes());
    std::fs::write(&source.pieces[0].0, bytes).unwrap();
    let refused = |source: &Source| match write(source, Aim::Plain(ElementType::F16), &mut Vec::new()) {
        Err(ConvertError::Read(error)) => error.code,
        other => panic!("{other:?}"),
    };
    assert_eq!(refused(&source), "FX1004");
    source.pieces[0].1 = 100..228;
    assert_eq!(refused(&source), "FX1004");
    source.element = ElementType::I32;
    assert_eq!(source.check().unwrap_err().code, "FX1004");
    source.element = ElementType::F32;
    source.change = Change::Neighbours(3);
    assert_eq!(source.check().unwrap_err().code, "FX1004");
}

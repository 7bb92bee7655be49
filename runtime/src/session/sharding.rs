//! Whole tensors and the parts that devices have of them, as a module's signature says.
//!
//! Worked example: 4x6 on six devices, rows cut by an axis of 2 (stride 3), columns by one of 3 (stride 1): device 4
//! has rows 2 and 3, columns 2 and 3. An input without a sharding goes to every device whole.

use std::ops::Range;

use fornax_module::manifest::{DimSig, FunctionSignature, Parameter, TensorSignature};

use crate::errors::{Result, RuntimeError};
use crate::tensor::{Tensor, TensorType, zeroed};

/// Whether a function's inputs or outputs are parts.
pub fn is_sharded(signature: &FunctionSignature) -> bool {
    signature.inputs.iter().chain(&signature.outputs).any(|tensor| !tensor.sharding.is_empty())
}

/// The function as a caller sees it who gives and gets whole tensors.
pub fn whole_signature(signature: &FunctionSignature) -> FunctionSignature {
    FunctionSignature {
        inputs: signature.inputs.iter().map(whole).collect(),
        outputs: signature.outputs.iter().map(whole).collect(),
        ..signature.clone()
    }
}

/// The tensor that devices have parts of.
fn whole(tensor: &TensorSignature) -> TensorSignature {
    let pieces = |d| tensor.pieces(d);
    let dim = |(d, dim): (usize, &DimSig)| match dim {
        DimSig::Static(n) => DimSig::Static(n.saturating_mul(pieces(d))),
        other => other.clone(),
    };
    let all = (0..tensor.shape.len()).map(pieces).fold(1u64, u64::saturating_mul);
    let shape = tensor.shape.iter().enumerate().map(dim).collect();
    TensorSignature { shape, bytes: tensor.bytes.saturating_mul(all), sharding: Vec::new(), ..tensor.clone() }
}

/// The parameter that devices have parts of, as files hold it.
pub(super) fn whole_parameter(part: &Parameter) -> Parameter {
    let pieces: Vec<u64> = (0..part.shape.len()).map(|d| part.signature().pieces(d)).collect();
    let shape = part.shape.iter().zip(&pieces).map(|(n, pieces)| n.saturating_mul(*pieces)).collect();
    let bytes = pieces.iter().fold(part.bytes, |bytes, pieces| bytes.saturating_mul(*pieces));
    Parameter { shape, bytes, sharding: Vec::new(), ..part.clone() }
}

/// Where a device's part lies in the bytes of a whole parameter; `None` where it lies in several pieces.
pub(super) fn span(part: &Parameter, device: u32) -> Option<Range<usize>> {
    let signature = part.signature();
    if (1..part.shape.len()).any(|d| signature.pieces(d) > 1) {
        return None;
    }
    let bytes = usize::try_from(part.bytes).ok()?;
    let start = usize::try_from(signature.piece(0, device)).ok()?.checked_mul(bytes)?;
    Some(start..start.checked_add(bytes)?)
}

/// A device's part of the bytes of a whole tensor, of the type of the part.
///
/// # Errors
/// FX0831 where it is too large.
pub(super) fn part_bytes(
    whole: &[u8],
    ty: &TensorType,
    (signature, device): (&TensorSignature, u32),
) -> Result<Vec<u8>> {
    let mut bytes = zeroed(byte_count(ty)?)?;
    each_row(ty, signature, device, &mut |row, place| {
        if let (Some(to), Some(from)) = (bytes.get_mut(row), whole.get(place)) {
            to.copy_from_slice(from);
        }
    });
    Ok(bytes)
}

/// A device's part of a whole tensor.
///
/// # Errors
/// FX0713 for a tensor that does not split so.
pub fn part(whole: &Tensor, signature: &TensorSignature, device: u32) -> Result<Tensor> {
    if signature.sharding.is_empty() {
        return Ok(whole.clone());
    }
    refuse_sums(signature)?;
    let ty = part_type(whole.ty(), signature)?;
    let bytes = part_bytes(whole.bytes(), &ty, (signature, device))?;
    Tensor::new(ty, bytes)
}

/// The whole of all devices' parts.
///
/// # Errors
/// FX0713 for parts that are not those of the signature.
pub fn join(parts: &[&Tensor], signature: &TensorSignature) -> Result<Tensor> {
    let wrong = || RuntimeError::input("FX0713", "no parts to join");
    let first = parts.first().ok_or_else(wrong)?;
    if signature.sharding.is_empty() {
        return Ok((*first).clone());
    }
    refuse_sums(signature)?;
    let local = first.ty();
    let shape = local.shape.iter().enumerate().map(|(d, n)| n.saturating_mul(signature.pieces(d)));
    let ty = TensorType::new(local.element_type, shape.collect::<Vec<u64>>());
    let mut bytes = vec![0; byte_count(&ty)?];
    for (device, part) in (0u32..).zip(parts) {
        each_row(part.ty(), signature, device, &mut |row, place| {
            if let (Some(to), Some(from)) = (bytes.get_mut(place), part.bytes().get(row)) {
                to.copy_from_slice(from);
            }
        });
    }
    Tensor::new(ty, bytes)
}

/// Parts that are added up are made and read by programs alone.
fn refuse_sums(signature: &TensorSignature) -> Result<()> {
    match signature.added_up() {
        [] => Ok(()),
        _ => Err(RuntimeError::input("FX0713", "the devices' parts of a tensor are added up (`unreduced`)")),
    }
}

fn byte_count(ty: &TensorType) -> Result<usize> {
    let elements = ty.shape.iter().try_fold(1u64, |n, dim| n.checked_mul(*dim));
    let bytes = elements.and_then(|n| n.checked_mul(ty.element_type.storage_bytes() as u64));
    let bytes = bytes.and_then(|n| usize::try_from(n).ok());
    bytes.ok_or_else(|| RuntimeError::input("FX0831", format!("{ty} is too large")))
}

fn part_type(whole: &TensorType, signature: &TensorSignature) -> Result<TensorType> {
    let mut shape = Vec::with_capacity(whole.shape.len());
    for (d, &n) in whole.shape.iter().enumerate() {
        let pieces = signature.pieces(d);
        if !n.is_multiple_of(pieces.max(1)) {
            let message = format!("dimension {d} of {whole} does not split into {pieces} equal parts");
            return Err(RuntimeError::input("FX0713", message));
        }
        shape.push(n / pieces.max(1));
    }
    Ok(TensorType::new(whole.element_type, shape))
}

/// Calls `visit` with the bytes of each row of a part, in the part and in the whole.
fn each_row(
    part: &TensorType,
    signature: &TensorSignature,
    device: u32,
    visit: &mut dyn FnMut(Range<usize>, Range<usize>),
) {
    let width = part.element_type.storage_bytes();
    let Some((&row, outer)) = part.shape.split_last() else { return };
    let row = row as usize;
    let rows: u64 = outer.iter().product();
    for number in 0..rows {
        // The row's index in the whole, from the last outer dimension to the first.
        let (mut left, mut place, mut step) = (number, 0u64, 1u64);
        for (d, &n) in outer.iter().enumerate().rev() {
            place += (left % n + signature.piece(d, device) * n) * step;
            step *= n * signature.pieces(d);
            left /= n;
        }
        let last = outer.len();
        let pieces = signature.pieces(last);
        let column = signature.piece(last, device) as usize * row;
        let at = place as usize * row * pieces as usize + column;
        let from = number as usize * row;
        visit(from * width..(from + row) * width, at * width..(at + row) * width);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fornax_module::manifest::ShardAxis;

    #[test]
    fn parts_of_a_matrix_on_six_devices_join_again() {
        let axis = |stride, size| vec![ShardAxis { stride, size }];
        let shape = [2u64, 2].map(DimSig::Static).to_vec();
        let signature = TensorSignature { shape, sharding: vec![axis(3, 2), axis(1, 3)], ..Default::default() };
        let whole = Tensor::new(TensorType::parse("4x6xi8").unwrap(), (0..24).collect()).unwrap();
        let parts: Vec<Tensor> = (0..6).map(|device| part(&whole, &signature, device).unwrap()).collect();
        assert_eq!(parts[4].bytes(), [14, 15, 20, 21]);
        assert_eq!(join(&parts.iter().collect::<Vec<_>>(), &signature).unwrap(), whole);
        let odd = Tensor::new(TensorType::parse("3x6xi8").unwrap(), vec![0; 18]).unwrap();
        assert_eq!(part(&odd, &signature, 0).unwrap_err().code(), "FX0713");
    }

    #[test]
    fn rows_of_a_parameter_lie_in_one_piece_of_the_file() {
        let axis = vec![ShardAxis { stride: 1, size: 2 }];
        let parameter = |sharding| {
            let (name, element_type) = ("w".to_string(), "f32".to_string());
            Parameter { scope: String::new(), name, element_type, shape: vec![2, 3], bytes: 24, sharding }
        };
        let rows = parameter(vec![axis.clone(), vec![]]);
        assert_eq!((whole_parameter(&rows).shape, whole_parameter(&rows).bytes), (vec![4, 3], 48));
        assert_eq!([0, 1].map(|device| span(&rows, device)), [Some(0..24), Some(24..48)]);
        let columns = parameter(vec![vec![], axis]);
        assert_eq!((whole_parameter(&columns).shape, span(&columns, 1)), (vec![2, 6], None));
        assert_eq!(span(&parameter(Vec::new()), 1), Some(0..24));
        let whole: Vec<u8> = (0..48).collect();
        let ty = TensorType::parse("2x3xf32").unwrap();
        let found = part_bytes(&whole, &ty, (&columns.signature(), 1)).unwrap();
        assert_eq!(found, [&whole[12..24], &whole[36..48]].concat());
    }

    #[test]
    fn two_axes_of_one_dimension_count_the_first_coarsest() {
        let axes = vec![ShardAxis { stride: 1, size: 2 }, ShardAxis { stride: 2, size: 2 }];
        let signature = TensorSignature { shape: vec![DimSig::Static(1)], sharding: vec![axes], ..Default::default() };
        let whole = Tensor::new(TensorType::parse("4xi8").unwrap(), vec![10, 11, 12, 13]).unwrap();
        let of = |device| part(&whole, &signature, device).unwrap().bytes()[0];
        assert_eq!([0, 1, 2, 3].map(of), [10, 12, 11, 13]);
    }
}

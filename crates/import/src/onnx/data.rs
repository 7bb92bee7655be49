//! Tensors of a file as constants: element types, lists of numbers, packed elements, other files.

use std::io::{Read, Seek, SeekFrom};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use fornax_graph::constant::Bytes;
use fornax_graph::{Constant, ElementType, Storage, TensorType};
use fornax_types::Scalar;

use super::proto::{SparseTensorProto, TensorProto};

/// Elements of a tensor at most, where it has no bytes of its own (sparse ones).
const SPARSE_ELEMENTS_MAX: i64 = 1 << 28;

/// Codes of `TensorProto.DataType`.
const TYPES: &[(i32, ElementType)] = &[
    (1, ElementType::F32),
    (2, ElementType::Ui8),
    (3, ElementType::I8),
    (4, ElementType::Ui16),
    (5, ElementType::I16),
    (6, ElementType::I32),
    (7, ElementType::I64),
    (9, ElementType::I1),
    (10, ElementType::F16),
    (11, ElementType::F64),
    (12, ElementType::Ui32),
    (13, ElementType::Ui64),
    (14, ElementType::ComplexF32),
    (15, ElementType::ComplexF64),
    (16, ElementType::Bf16),
    (17, ElementType::F8E4M3FN),
    (18, ElementType::F8E4M3FNUZ),
    (19, ElementType::F8E5M2),
    (20, ElementType::F8E5M2FNUZ),
    (21, ElementType::Ui4),
    (22, ElementType::I4),
    (23, ElementType::F4E2M1FN),
    (24, ElementType::F8E8M0FNU),
    (25, ElementType::Ui2),
    (26, ElementType::I2),
];

/// The code of strings.
const STRING: i64 = 8;

/// What is wrong with a tensor: a code and a sentence.
pub type Fault = (&'static str, String);

/// The element type of a code of `TensorProto.DataType`.
pub fn element_of(code: i64) -> Result<ElementType, Fault> {
    match TYPES.iter().find(|(known, _)| i64::from(*known) == code) {
        Some((_, element)) => Ok(*element),
        None if code == STRING => Err(("FX1023", "tensors of strings are not supported".into())),
        None => Err(("FX1024", format!("there is no element type {code}"))),
    }
}

/// Bytes of a file that was read, lent to a constant.
#[derive(Debug)]
struct Raw(prost::bytes::Bytes);

impl Bytes for Raw {
    fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// Sizes of a tensor in a file: not negative, and its elements can be counted.
fn shape_of(dims: &[i64]) -> Result<(Vec<i64>, usize), Fault> {
    let wrong = || ("FX1024", format!("a tensor of sizes {dims:?} cannot be"));
    if dims.iter().any(|&n| n < 0) {
        return Err(wrong());
    }
    let elements = dims.iter().try_fold(1i64, |n, &d| n.checked_mul(d)).ok_or_else(wrong)?;
    Ok((dims.to_vec(), usize::try_from(elements).map_err(|_| wrong())?))
}

/// A tensor of a model as a constant; `folder` is that of the model's file.
pub fn constant(tensor: &TensorProto, folder: Option<&Path>) -> Result<Constant, Fault> {
    let element = element_of(tensor.data_type.into())?;
    let (shape, elements) = shape_of(&tensor.dims)?;
    let ty = TensorType::new(&shape, element);
    let packed_bytes = elements
        .checked_mul(element.bits().max(if element == ElementType::I1 { 8 } else { 1 }) as usize)
        .map(|bits| bits.div_ceil(8))
        .ok_or_else(|| ("FX1024", format!("a tensor of sizes {:?} cannot be", tensor.dims)))?;
    let bytes: prost::bytes::Bytes = if tensor.data_location == 1 {
        external(tensor, folder, packed_bytes)?.into()
    } else if let Some(raw) = tensor.raw_data.as_ref().filter(|raw| !raw.is_empty() || elements == 0) {
        raw.clone()
    } else {
        return Ok(Constant::dense(ty, listed(tensor, element, elements)?));
    };
    if bytes.len() != packed_bytes {
        let what = format!("{} bytes where {packed_bytes} were expected for {:?}", bytes.len(), tensor.dims);
        return Err(("FX1024", what));
    }
    if element.is_sub_byte() {
        return Ok(Constant::dense(ty, unpacked(&bytes, element, elements)));
    }
    if element == ElementType::I1 {
        return Ok(Constant::dense(ty, bytes.iter().map(|&b| u8::from(b != 0)).collect()));
    }
    Ok(Constant { ty, storage: Storage::Dense(Arc::new(Raw(bytes))) })
}

/// Elements of less than a byte, the first in the lowest bits, as a byte each.
fn unpacked(bytes: &[u8], element: ElementType, elements: usize) -> Vec<u8> {
    let bits = element.bits();
    let each = (8 / bits) as usize;
    let mask = ((1u16 << bits) - 1) as u8;
    let mut out = Vec::with_capacity(elements);
    for at in 0..elements {
        let byte = bytes.get(at / each).copied().unwrap_or(0);
        let part = byte >> (bits * (at % each) as u32) & mask;
        // Elements are stored as `ElementType::encode` would: signed ones with their sign.
        out.push(match element.decode(&[part]) {
            Scalar::Int(number) => number as u8,
            _ => part,
        });
    }
    out
}

/// Elements that stand in a list of numbers.
fn listed(tensor: &TensorProto, element: ElementType, elements: usize) -> Result<Vec<u8>, Fault> {
    use ElementType as E;
    let mut out = Vec::new();
    let int = |number: i128| Scalar::Int(number);
    match element {
        E::F32 => tensor.float_data.iter().for_each(|x| out.extend(x.to_le_bytes())),
        E::F64 => tensor.double_data.iter().for_each(|x| out.extend(x.to_le_bytes())),
        E::ComplexF32 => tensor.float_data.iter().for_each(|x| out.extend(x.to_le_bytes())),
        E::ComplexF64 => tensor.double_data.iter().for_each(|x| out.extend(x.to_le_bytes())),
        E::I64 => tensor.int64_data.iter().for_each(|x| out.extend(x.to_le_bytes())),
        E::Ui32 | E::Ui64 => tensor.uint64_data.iter().for_each(|&x| element.encode(int(x.into()), &mut out)),
        // Bits of floats, and packed elements, stand in 32 bits each.
        _ if element.is_sub_byte() => {
            let bytes: Vec<u8> = tensor.int32_data.iter().map(|&x| x as u8).collect();
            let each = (8 / element.bits()) as usize;
            if bytes.len() == elements.div_ceil(each) {
                out = unpacked(&bytes, element, elements);
            }
        }
        _ if element.is_float() => {
            let width = element.storage_bytes();
            tensor.int32_data.iter().for_each(|x| out.extend(&x.to_le_bytes()[..width]));
        }
        _ => tensor.int32_data.iter().for_each(|&x| element.encode(int(x.into()), &mut out)),
    }
    let wanted = elements.checked_mul(element.storage_bytes());
    if wanted != Some(out.len()) {
        let found = out.len() / element.storage_bytes();
        return Err(("FX1024", format!("{found} elements where {elements} were expected for {:?}", tensor.dims)));
    }
    Ok(out)
}

/// The part of another file, next to the model, that holds a tensor.
fn external(tensor: &TensorProto, folder: Option<&Path>, wanted: usize) -> Result<Vec<u8>, Fault> {
    let entry = |key: &str| tensor.external_data.iter().find(|e| e.key == key).map(|e| e.value.as_str());
    let fault = |what: String| ("FX1026", what);
    let location = entry("location").ok_or_else(|| fault("the name of the file with its data is missing".into()))?;
    let number = |key: &str| match entry(key) {
        None => Ok(None),
        Some(text) => text.parse::<u64>().map(Some).map_err(|_| fault(format!("`{key}` is `{text}`, no number"))),
    };
    let (offset, length) = (number("offset")?.unwrap_or(0), number("length")?);
    let folder = folder.ok_or_else(|| fault("a model that has no folder cannot have data in other files".into()))?;
    let path = Path::new(location);
    let is_inside = path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    if !is_inside || location.is_empty() {
        return Err(fault(format!("`{location}` is not inside the model's folder")));
    }
    let path: PathBuf = folder.join(path);
    let (real, inside) = (path.canonicalize(), folder.canonicalize());
    let (Ok(real), Ok(inside)) = (real, inside) else { return Err(fault(format!("`{location}` cannot be opened"))) };
    if !real.starts_with(&inside) {
        return Err(fault(format!("`{location}` is not inside the model's folder")));
    }
    let failed = |error: std::io::Error| fault(format!("`{location}`: {error}"));
    let mut file = std::fs::File::open(&real).map_err(failed)?;
    let all = file.metadata().map_err(failed)?.len();
    let length = length.unwrap_or(wanted as u64);
    if offset.checked_add(length).is_none_or(|end| end > all) {
        return Err(fault(format!("`{location}` has {all} bytes, and the tensor {length} from {offset} on")));
    }
    if length != wanted as u64 {
        return Err(fault(format!("{length} bytes where {wanted} were expected for {:?}", tensor.dims)));
    }
    file.seek(SeekFrom::Start(offset)).map_err(failed)?;
    let mut bytes = vec![0; wanted];
    file.read_exact(&mut bytes).map_err(failed)?;
    Ok(bytes)
}

/// A sparse tensor with all of its elements.
pub fn dense(tensor: &SparseTensorProto, folder: Option<&Path>) -> Result<Constant, Fault> {
    let wrong = |what: &str| ("FX1024", format!("a sparse tensor {what}"));
    let (Some(values), Some(indices)) = (&tensor.values, &tensor.indices) else {
        return Err(wrong("lacks values or places"));
    };
    let (values, indices) = (constant(values, folder)?, constant(indices, folder)?);
    let (shape, elements) = shape_of(&tensor.dims)?;
    if elements as i64 > SPARSE_ELEMENTS_MAX || indices.ty.element != ElementType::I64 {
        return Err(wrong("is too large, or its places are no i64"));
    }
    let ty = TensorType::new(&shape, values.ty.element);
    let width = values.ty.element.storage_bytes();
    let (from, places) = (values.to_bytes(), indices.to_bytes());
    let places: Vec<i64> = places.chunks_exact(8).map(|b| fornax_types::scalar::little_endian(b) as i64).collect();
    let count = from.len() / width;
    let is_flat = indices.ty.rank() == 1;
    let each = if is_flat { 1 } else { shape.len() };
    if places.len() != count * each {
        return Err(wrong("has another number of values than of places"));
    }
    let mut out = vec![0; elements * width];
    for (number, value) in from.chunks_exact(width).enumerate() {
        let place = &places[number * each..(number + 1) * each];
        let at = match is_flat {
            true => place.first().copied(),
            false => place.iter().zip(&shape).try_fold(0i64, |at, (&p, &n)| {
                ((0..n).contains(&p)).then(|| at.checked_mul(n).and_then(|at| at.checked_add(p))).flatten()
            }),
        };
        let at = at.filter(|at| (0..elements as i64).contains(at)).ok_or_else(|| wrong("has a place outside"))?;
        out[at as usize * width..(at as usize + 1) * width].copy_from_slice(value);
    }
    Ok(Constant::dense(ty, out))
}

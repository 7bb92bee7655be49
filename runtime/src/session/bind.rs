//! Tensors against signatures: checks of inputs, and the form in which elements lie in device buffers.
//!
//! Types of less than a byte take one byte an element on the host; where the signature's buffer is smaller they are
//! packed there, the first element in the lowest bits.

use std::borrow::Cow;

use fornax_module::manifest::{DimSig, FunctionSignature, TensorSignature};

use super::{DeviceTensor, program_error};
use crate::errors::{ErrorKind, Result, RuntimeError};
use crate::hal::Device;
use crate::tensor::{ElementType, Tensor, TensorType, zeroed};

/// Values of the signature's symbolic dimensions, in the order of their size slots.
pub(super) type Symbols<'a> = Vec<(&'a str, u64)>;

/// `1x?x8xf32`: a signature's type for people.
pub fn type_text(signature: &TensorSignature) -> String {
    let mut text = String::new();
    for dim in &signature.shape {
        match dim {
            DimSig::Static(size) => text.push_str(&size.to_string()),
            DimSig::Symbolic { name, .. } => text.push_str(name),
            DimSig::Computed { formula, .. } => text.push_str(&format!("({formula})")),
        }
        text.push('x');
    }
    text + &signature.element_type
}

/// The element type of a signature.
pub(super) fn element_type(signature: &TensorSignature) -> Result<ElementType> {
    let unknown = || program_error(format!("element type `{}` is not known", signature.element_type));
    ElementType::parse(&signature.element_type).ok_or_else(unknown)
}

/// Checks number, element types and shapes of inputs; gives the sizes of symbolic dimensions.
pub(super) fn check_inputs<'a>(function: &'a FunctionSignature, inputs: &[&TensorType]) -> Result<Symbols<'a>> {
    let name = &function.name;
    if inputs.len() != function.inputs.len() {
        let wanted: Vec<String> = function.inputs.iter().map(type_text).collect();
        let message = format!(
            "@{name} takes {} inputs, {} were given; it takes ({})",
            wanted.len(),
            inputs.len(),
            wanted.join(", ")
        );
        return Err(RuntimeError::new("FX0711", ErrorKind::Input, message));
    }
    let mut symbols = Symbols::new();
    for (at, (given, wanted)) in inputs.iter().zip(&function.inputs).enumerate() {
        // Nearly always spelled as its row; others (`si32`) are parsed.
        if given.element_type.spelling() != wanted.element_type && given.element_type != element_type(wanted)? {
            let message = format!("input {at} of @{name} is {}, given was {given}", type_text(wanted));
            return Err(RuntimeError::new("FX0712", ErrorKind::Input, message));
        }
        check_shape(given, wanted, &mut symbols).map_err(|why| {
            let message = format!("input {at} of @{name} is {}, given was {given}{why}", type_text(wanted));
            RuntimeError::new("FX0713", ErrorKind::Input, message)
        })?;
    }
    Ok(symbols)
}

fn check_shape<'a>(given: &TensorType, wanted: &'a TensorSignature, symbols: &mut Symbols<'a>) -> Result<(), String> {
    if given.shape.len() != wanted.shape.len() {
        return Err(String::new());
    }
    for (size, dim) in given.shape.iter().zip(&wanted.shape) {
        match dim {
            DimSig::Static(wanted) if wanted == size => {}
            DimSig::Static(_) => return Err(String::new()),
            // Compared with its formula once the symbols are known.
            DimSig::Computed { formula, min, max } => {
                if size < min || size > max {
                    return Err(format!(": {formula} must lie in {min}..={max}"));
                }
            }
            DimSig::Symbolic { name, min, max } => {
                if size < min || size > max {
                    return Err(format!(": {name} must lie in {min}..={max}"));
                }
                match symbols.iter().find(|symbol| symbol.0 == name) {
                    Some((_, known)) if known != size => {
                        return Err(format!(": {name} is {known} in an earlier dimension"));
                    }
                    Some(_) => {}
                    None => symbols.push((name, *size)),
                }
            }
        }
    }
    Ok(())
}

/// Names of the symbolic dimensions in the order of their slots: of the inputs, then new ones of the outputs.
pub(super) fn slot_names(function: &FunctionSignature) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for tensor in function.inputs.iter().chain(&function.outputs) {
        for dim in &tensor.shape {
            if let DimSig::Symbolic { name, .. } = dim
                && !names.contains(&name.as_str())
            {
                names.push(name);
            }
        }
    }
    names
}

/// The type of an output once the size slots are known: from the program's expressions, else by the names of its
/// symbols.
pub(super) fn output_type(
    function: &FunctionSignature,
    output: &TensorSignature,
    slots: &[Option<i64>],
    computed: Option<Vec<u64>>,
) -> Result<TensorType> {
    if let Some(shape) = computed {
        return Ok(TensorType { element_type: element_type(output)?, shape });
    }
    let names = slot_names(function);
    let size = |dim: &DimSig| match dim {
        DimSig::Static(size) => Ok(*size),
        DimSig::Symbolic { name, .. } => {
            let slot = names.iter().position(|known| known == name);
            let value = slot.and_then(|slot| slots.get(slot).copied().flatten());
            let value = value.and_then(|value| u64::try_from(value).ok());
            value.ok_or_else(|| program_error(format!("the size {name} of an output was not computed")))
        }
        DimSig::Computed { formula, .. } => {
            Err(program_error(format!("the size {formula} of an output has no expression")))
        }
    };
    let shape = output.shape.iter().map(size).collect::<Result<Vec<u64>>>()?;
    Ok(TensorType { element_type: element_type(output)?, shape })
}

/// Bytes of a packed tensor.
pub(super) fn packed_bytes(ty: &TensorType) -> Result<u64> {
    Ok((ty.elements()? as u64 * u64::from(ty.element_type.bits())).div_ceil(8))
}

/// Host bytes in the form of a device buffer of `wanted` bytes.
pub(super) fn to_device_form<'a>(ty: &TensorType, bytes: &'a [u8], wanted: u64) -> Result<Cow<'a, [u8]>> {
    if bytes.len() as u64 == wanted {
        return Ok(Cow::Borrowed(bytes));
    }
    if !ty.element_type.is_sub_byte() || packed_bytes(ty)? != wanted {
        return Err(program_error(format!("a buffer of {wanted} bytes for a tensor {ty}")));
    }
    let bits = ty.element_type.bits() as usize;
    let mut packed = zeroed(wanted as usize)?;
    for (index, byte) in bytes.iter().enumerate() {
        let value = u16::from(byte & ((1 << bits) - 1)) << (index * bits % 8);
        for (at, part) in [value as u8, (value >> 8) as u8].into_iter().enumerate() {
            if let Some(target) = packed.get_mut(index * bits / 8 + at) {
                *target |= part;
            }
        }
    }
    Ok(Cow::Owned(packed))
}

/// A device buffer's bytes as a tensor.
pub(super) fn from_device_form(ty: &TensorType, bytes: Vec<u8>) -> Result<Tensor> {
    if bytes.len() == ty.bytes()? {
        return Tensor::new(ty.clone(), bytes);
    }
    let bits = ty.element_type.bits() as usize;
    let mut unpacked = zeroed(ty.bytes()?)?;
    for (index, target) in unpacked.iter_mut().enumerate() {
        let at = |offset: usize| u16::from(bytes.get(index * bits / 8 + offset).copied().unwrap_or(0));
        *target = ((at(0) | at(1) << 8) >> (index * bits % 8)) as u8;
    }
    Tensor::new(ty.clone(), unpacked)
}

/// Uploads an input in the form of its signature.
pub(super) fn upload(device: &Device, tensor: &Tensor, signature: &TensorSignature) -> Result<DeviceTensor> {
    let symbolic = signature.shape.iter().any(|dim| !matches!(dim, DimSig::Static(_)));
    // Compiled programs give every element its bytes, those of less than a byte too.
    let wanted = if symbolic { tensor.bytes().len() as u64 } else { signature.bytes };
    let bytes = to_device_form(tensor.ty(), tensor.bytes(), wanted)?;
    Ok(DeviceTensor { ty: tensor.ty().clone(), buffer: device.upload_new(&bytes)? })
}

/// Downloads a tensor, whatever its form.
pub(super) fn download(device: &Device, tensor: &DeviceTensor) -> Result<Tensor> {
    let mut bytes = zeroed(tensor.buffer.bytes() as usize)?;
    device.download(&tensor.buffer.all(), &mut bytes)?;
    from_device_form(&tensor.ty, bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sub_byte_elements_pack_and_unpack() {
        for (text, packed) in [("5xi4", 3), ("5xui2", 2), ("3xf6E2M3FN", 3), ("4xf6E2M3FN", 3)] {
            let ty = TensorType::parse(text).unwrap();
            let bytes: Vec<u8> = (0..ty.elements().unwrap()).map(|at| (at * 37 + 5) as u8).collect();
            let tensor = Tensor::new(ty.clone(), bytes).unwrap();
            assert_eq!(packed_bytes(&ty).unwrap(), packed, "{text}");
            let device = to_device_form(&ty, tensor.bytes(), packed).unwrap();
            assert_eq!(device.len() as u64, packed);
            assert_eq!(from_device_form(&ty, device.into_owned()).unwrap(), tensor, "{text}");
            assert_eq!(to_device_form(&ty, tensor.bytes(), 77).unwrap_err().code(), "FX0715");
        }
        let nibbles = Tensor::new(TensorType::parse("2xui4").unwrap(), vec![1, 2]).unwrap();
        assert_eq!(*to_device_form(nibbles.ty(), nibbles.bytes(), 1).unwrap(), [0x21]);
    }
}

//! Vectors of texts: what computes them, and a module with functions `encode…` on a device.
//!
//! ```text
//! encode_N(tokens [N] i32, count i32) -> embedding [width] f32
//! ```
//! Each function takes texts of at most N tokens; the shortest that a text fits in is called. Any module with such
//! functions will do, whoever exported it.

use fornax_module::manifest::{DimSig, FunctionSignature, Manifest, TensorSignature};
use fornax_runtime::{ElementType, Result, RuntimeError, Session, Tensor, TensorType};

use crate::errors::failed;

/// How names of functions begin.
const ENCODE: &str = "encode";

/// What makes a vector of a text. The module of a checkpoint does it on a device; tests have a stand-in.
pub trait Encode {
    /// Tokens of a text at most.
    fn context(&self) -> usize;

    /// Elements of a vector.
    fn width(&self) -> usize;

    /// The vector of a text of at least one token.
    ///
    /// # Errors
    /// FX1105 where it has none or too many, FX1110 where the vector has elements that are no numbers, what the device
    /// says of the call.
    fn encode(&mut self, tokens: &[u32]) -> Result<Vec<f32>>;
}

/// An encoder on a device.
pub struct Encoder {
    session: Session,
    /// Tokens that a function takes, and its name; shortest first.
    functions: Vec<(usize, String)>,
    width: usize,
}

fn not_an_encoder(why: impl Into<String>) -> RuntimeError {
    failed("FX1109", format!("the module is no encoder: {}", why.into()))
}

/// Whether a tensor has this type, and its sizes.
fn sizes(tensor: &TensorSignature, element: ElementType) -> Option<Vec<usize>> {
    let size = |dim: &DimSig| match dim {
        DimSig::Static(size) => usize::try_from(*size).ok(),
        DimSig::Symbolic { .. } | DimSig::Computed { .. } => None,
    };
    let is_same = ElementType::parse(&tensor.element_type) == Some(element);
    tensor.shape.iter().map(size).collect::<Option<Vec<usize>>>().filter(|_| is_same)
}

/// Tokens and elements of a function's type.
fn checked(function: &FunctionSignature) -> Result<(usize, usize)> {
    let inputs: Vec<_> = function.inputs.iter().map(|input| sizes(input, ElementType::I32)).collect();
    let outputs: Vec<_> = function.outputs.iter().map(|output| sizes(output, ElementType::F32)).collect();
    let found = match (inputs.as_slice(), outputs.as_slice()) {
        ([Some(tokens), Some(count)], [Some(vector)]) => match (tokens.as_slice(), count.as_slice(), vector.as_slice())
        {
            ([tokens], [], [width]) if *tokens > 0 => Some((*tokens, *width)),
            _ => None,
        },
        _ => None,
    };
    let name = &function.name;
    found.ok_or_else(|| not_an_encoder(format!("@{name} is not (tokens [N] i32, count i32) -> [width] f32")))
}

/// Whether a module has functions of an encoder.
pub fn is_encoder(manifest: &Manifest) -> bool {
    manifest.functions.iter().any(|function| function.name.starts_with(ENCODE))
}

/// Tokens and names of an encoder's functions, shortest first, and the elements of its vectors.
fn functions(manifest: &Manifest) -> Result<(Vec<(usize, String)>, usize)> {
    let (mut functions, mut widths) = (Vec::new(), Vec::new());
    for function in manifest.functions.iter().filter(|function| function.name.starts_with(ENCODE)) {
        let (tokens, width) = checked(function)?;
        functions.push((tokens, function.name.clone()));
        widths.push(width);
    }
    functions.sort();
    let first = widths.first().copied();
    let width = first.ok_or_else(|| not_an_encoder(format!("it has no function @{ENCODE}…")))?;
    if widths.iter().any(|other| *other != width) {
        return Err(not_an_encoder("its functions give vectors of different widths"));
    }
    Ok((functions, width))
}

impl Encoder {
    /// The encoder of a loaded module.
    ///
    /// # Errors
    /// FX1109 for modules with other functions.
    pub fn new(session: Session) -> Result<Encoder> {
        let (functions, width) = functions(session.manifest())?;
        Ok(Encoder { session, functions, width })
    }

    /// That a module is an encoder's, before it is loaded.
    ///
    /// # Errors
    /// FX1109 for modules with other functions.
    pub fn check(manifest: &Manifest) -> Result<()> {
        functions(manifest).map(|_| ())
    }

    /// Bytes on the device: weights, constants, buffers of a call.
    pub fn bytes(&self) -> u64 {
        self.session.planned_bytes()
    }
}

impl Encode for Encoder {
    fn context(&self) -> usize {
        self.functions.last().map_or(0, |(tokens, _)| *tokens)
    }

    fn width(&self) -> usize {
        self.width
    }

    fn encode(&mut self, tokens: &[u32]) -> Result<Vec<f32>> {
        let count = tokens.len();
        let Some((room, name)) = self.functions.iter().find(|(room, _)| count <= *room).filter(|_| count > 0) else {
            return Err(failed("FX1105", format!("{count} tokens, where a text has 1 to {}", self.context())));
        };
        let mut ids: Vec<i32> = tokens.iter().map(|&token| token as i32).collect();
        ids.resize(*room, 0);
        let inputs = [integers(&ids, &[*room as u64])?, integers(&[count as i32], &[])?];
        let outputs = self.session.invoke(name, &inputs)?;
        let vector = outputs.first().map_or(&[][..], |vector| vector.bytes());
        let number = |bytes: &[u8]| f32::from_le_bytes(bytes.first_chunk().copied().unwrap_or_default());
        let vector: Vec<f32> = vector.chunks_exact(size_of::<f32>()).map(number).collect();
        if vector.iter().any(|number| !number.is_finite()) {
            return Err(failed(
                "FX1110",
                format!("a text of {count} tokens has a vector with elements that are no numbers"),
            ));
        }
        Ok(vector)
    }
}

fn integers(numbers: &[i32], shape: &[u64]) -> Result<Tensor> {
    let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    Tensor::new(TensorType::new(ElementType::I32, shape.to_vec()), bytes)
}

/// Brings a vector to length 1; one without a length stays.
pub fn normalize(vector: &mut [f32]) {
    let length = vector.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>().sqrt();
    if length > 0.0 {
        vector.iter_mut().for_each(|x| *x = (f64::from(*x) / length) as f32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tensor(element: &str, shape: &[u64]) -> TensorSignature {
        let shape = shape.iter().map(|&size| DimSig::Static(size)).collect();
        TensorSignature { element_type: element.to_string(), shape, ..TensorSignature::default() }
    }

    #[test]
    fn types_of_functions_are_checked() {
        let of = |inputs: &[TensorSignature], outputs: &[TensorSignature]| {
            let (inputs, outputs) = (inputs.to_vec(), outputs.to_vec());
            checked(&FunctionSignature { name: "encode".into(), inputs, outputs, ..FunctionSignature::default() })
        };
        let (tokens, count, vector) = (tensor("i32", &[8]), tensor("i32", &[]), tensor("f32", &[3]));
        assert_eq!(of(&[tokens.clone(), count.clone()], std::slice::from_ref(&vector)).unwrap(), (8, 3));
        for (inputs, outputs) in [
            (vec![tokens.clone()], vec![vector.clone()]),
            (vec![tokens.clone(), tokens.clone()], vec![vector.clone()]),
            (vec![tensor("i32", &[0]), count.clone()], vec![vector.clone()]),
            (vec![tensor("i64", &[8]), count.clone()], vec![vector.clone()]),
            (vec![tokens.clone(), count.clone()], vec![tensor("bf16", &[3])]),
            (vec![tokens.clone(), count.clone()], vec![vector.clone(), vector]),
        ] {
            assert_eq!(of(&inputs, &outputs).unwrap_err().code(), "FX1109");
        }
    }

    #[test]
    fn lengths_become_1() {
        let mut vector = [3.0, 0.0, -4.0];
        normalize(&mut vector);
        assert_eq!(vector, [0.6, 0.0, -0.8]);
        let mut nothing = [0.0; 2];
        normalize(&mut nothing);
        assert_eq!(nothing, [0.0; 2]);
        let mut large = [f32::MAX, f32::MAX];
        normalize(&mut large);
        assert!((large[0] - 0.5f32.sqrt()).abs() < 1e-6);
    }
}

//! Scales of activations that a folder holds: one number beside a matrix, or beside each of a layer's experts.
//!
//! | tensor | |
//! | --- | --- |
//! | `X.input_scale`, or `X.activation_scale` as `transformers` writes it | one float above 0, of any shape |
//!
//! Their numbers are looked at: one that nothing can be divided by is an error, and of equal ones one is enough.
//!
//! Worked example: `experts.*.w1.input_scale` of 8 experts, each `[1]` of BF16: one parameter `[8, 1]`, `[8]` of f32.

use std::io::Read;

use fornax_checkpoint::stacks;
use fornax_types::ElementType;
use fornax_types::float::decode_float;
use fornax_types::scalar::little_endian;

use super::super::function::Function;
use super::super::names::Role;
use super::super::source::{Checkpoint, Stored};
use super::super::text::Value;
use crate::Diagnostic;

/// What the tensor is called: by vLLM and compressed-tensors, and by `FP8Linear` of `transformers`.
const ENDS: [&str; 2] = [".input_scale", ".activation_scale"];

/// The scales of what a matrix multiplies, or what each of a layer's experts does.
#[derive(Clone)]
pub struct StoredScales {
    name: String,
    stored: Stored,
    /// Of a stack.
    experts: Option<u64>,
    numbers: Vec<f32>,
}

impl StoredScales {
    /// Those of a matrix of a layer, or of so many experts.
    ///
    /// # Errors
    /// FX1013 where one is missing, FX1014 where one is no number, or none that can be divided by.
    pub fn of(
        f: &mut Function,
        (role, layer): (Role, u64),
        experts: Option<u64>,
    ) -> Result<StoredScales, Box<Diagnostic>> {
        let checkpoint = f.checkpoint();
        let mut found = None;
        for end in ENDS {
            found = match found {
                None => part(checkpoint, (role, layer, end), experts)?,
                found => found,
            };
        }
        let Some((name, stored)) = found else {
            let weight = tensor(checkpoint, (role, layer, ".weight"), experts.map(|_| 1))?;
            let weight = weight.map_or(String::new(), |(name, _)| stacks::part(&name, 0));
            let what =
                format!("tensor `{weight}` has activations with a scale, but there is no `input_scale` beside it");
            return Err(checkpoint.failed("FX1013", what));
        };
        let element = stored.kind.element.unwrap_or(ElementType::F32);
        let names = (0..experts.unwrap_or(1)).map(|number| stacks::part(&name, number));
        let numbers = names.map(|name| f.number(&name, |checkpoint| number(checkpoint, &name, element)));
        let numbers = numbers.collect::<Result<Vec<_>, Box<Diagnostic>>>()?;
        Ok(StoredScales { name, stored, experts, numbers })
    }

    /// Of f32: `[experts]`, or one without dimensions.
    pub fn value(&self, f: &mut Function) -> Value {
        let scales = f.parameter(&self.name, &self.stored, None);
        let scales = f.text.convert(&scales, ElementType::F32);
        let shape: Vec<u64> = self.experts.into_iter().collect();
        f.text.reshape(&scales, &shape)
    }

    /// Whether others have the same numbers.
    pub fn equals(&self, other: &StoredScales) -> bool {
        self.numbers == other.numbers
    }

    /// Whether experts all have the same number.
    pub fn is_one(&self) -> bool {
        self.numbers.windows(2).all(|two| two[0] == two[1])
    }
}

/// A tensor beside a matrix, or the stack of those beside experts.
fn tensor(
    checkpoint: &Checkpoint,
    place: (Role, u64, &str),
    experts: Option<u64>,
) -> Result<Option<(String, Stored)>, Box<Diagnostic>> {
    match experts {
        Some(count) => checkpoint.stacked_part(place, count),
        None => Ok(checkpoint.part(place.0, place.1, place.2)),
    }
}

/// The same of one float each.
///
/// # Errors
/// FX1013 where another expert than the first has none, FX1014 where it is not of one float.
fn part(
    checkpoint: &Checkpoint,
    place: (Role, u64, &str),
    experts: Option<u64>,
) -> Result<Option<(String, Stored)>, Box<Diagnostic>> {
    // Of the first alone, as the others are compared with it.
    let Some((name, first)) = tensor(checkpoint, place, experts.map(|_| 1))? else { return Ok(None) };
    let shape = first.shape.get(usize::from(experts.is_some())..).unwrap_or_default().to_vec();
    let (first, first_name) = (Stored { shape, ..first }, stacks::part(&name, 0));
    checkpoint.check_floats(&first_name, &first)?;
    if first.shape.iter().product::<u64>() != 1 {
        checkpoint.check_shape(&first_name, &first, &[1])?;
    }
    tensor(checkpoint, place, experts)
}

/// The number that a tensor of one float has.
///
/// # Errors
/// FX1011 for what cannot be read, FX1014 for a number that f32 has not, or not its inverse: none, 0, below 0.
fn number(checkpoint: &Checkpoint, name: &str, element: ElementType) -> Result<f32, Box<Diagnostic>> {
    let mut bytes = Vec::new();
    checkpoint
        .data(name)?
        .take(element.storage_bytes() as u64)
        .read_to_end(&mut bytes)
        .map_err(|error| checkpoint.failed("FX1011", format!("tensor `{name}`: {error}")))?;
    let number = decode_float(element, little_endian(&bytes)) as f32;
    if bytes.len() == element.storage_bytes() && number > 0.0 && number.is_finite() && number.recip().is_finite() {
        return Ok(number);
    }
    let what = format!("tensor `{name}` is {number:?}, by which activations are divided; a number above 0 is wanted");
    Err(checkpoint.failed("FX1014", what))
}

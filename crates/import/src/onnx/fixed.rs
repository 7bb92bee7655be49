//! What is said of a model's inputs when it is compiled: values, which make them
//! constants, sizes that have names, lengths of sequences.

use fornax_graph::{Constant, ElementType, TensorType};
use fornax_types::Scalar;

use super::data::{self, Fault};
use super::proto::ValueInfoProto;

/// An input and its elements, as a user writes them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FixedInput {
    pub name: String,
    /// Numbers between commas, row-major.
    pub values: String,
}

/// How many elements an input has that is a sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SequenceLength {
    pub name: String,
    pub length: usize,
}

/// Elements of a sequence at most.
const LENGTH_MAX: usize = 1 << 12;

impl SequenceLength {
    /// `NAME=LENGTH`.
    pub fn parse(text: &str) -> Option<SequenceLength> {
        let (name, length) = text.rsplit_once('=')?;
        let length = length.parse().ok().filter(|&n| n <= LENGTH_MAX)?;
        Some(SequenceLength { name: name.to_string(), length })
    }
}

/// A size of the model's inputs that has a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FixedSize {
    pub name: String,
    pub size: i64,
}

impl FixedSize {
    /// `NAME=SIZE`.
    pub fn parse(text: &str) -> Option<FixedSize> {
        let (name, size) = text.rsplit_once('=')?;
        let size = size.parse().ok().filter(|&n| n >= 0)?;
        Some(FixedSize { name: name.to_string(), size })
    }
}

/// How ONNX models are read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OnnxOptions {
    pub fixed_inputs: Vec<FixedInput>,
    pub fixed_sizes: Vec<FixedSize>,
    pub sequence_lengths: Vec<SequenceLength>,
}

impl FixedInput {
    /// `NAME=VALUES`; names may have a `=`, values have none.
    pub fn parse(text: &str) -> Option<FixedInput> {
        let (name, values) = text.rsplit_once('=')?;
        Some(FixedInput { name: name.to_string(), values: values.to_string() })
    }

    /// The input's constant; of a size that the model leaves open there is one, which the number of values says.
    pub fn constant(&self, input: &ValueInfoProto) -> Result<Constant, Fault> {
        let wrong = |what: String| ("FX1027", format!("input \"{}\": {what}", self.name));
        let tensor = input.r#type.as_ref().and_then(|t| t.tensor_type.as_ref());
        let tensor = tensor.ok_or_else(|| wrong("only a tensor can be given".into()))?;
        let element = data::element_of(tensor.elem_type.into())?;
        let words: Vec<&str> = self.values.split(',').map(str::trim).filter(|word| !word.is_empty()).collect();
        let mut bytes = Vec::new();
        for word in &words {
            let number = number(word, element).ok_or_else(|| wrong(format!("`{word}` is no {element}")))?;
            element.encode(number, &mut bytes);
        }
        let sizes = tensor.shape.as_ref().map(|s| s.dim.iter().map(|d| d.dim_value).collect::<Vec<_>>());
        let sizes = sizes.unwrap_or_else(|| vec![None]);
        let known = sizes.iter().flatten().try_fold(1i64, |n, &size| n.checked_mul(size));
        let known = known.ok_or_else(|| wrong("it is too large to be given".into()))?;
        let open = sizes.iter().filter(|size| size.is_none()).count();
        let count = words.len() as i64;
        let rest = match open {
            0 => 1,
            1 if known > 0 => count / known,
            _ => return Err(wrong("more than one of its sizes is open".into())),
        };
        let shape: Vec<i64> = sizes.iter().map(|size| size.unwrap_or(rest)).collect();
        if known.checked_mul(rest) != Some(count) {
            return Err(wrong(format!("{count} values for the shape {shape:?}")));
        }
        Ok(Constant::dense(TensorType::new(&shape, element), bytes))
    }
}

fn number(word: &str, element: ElementType) -> Option<Scalar> {
    if element == ElementType::I1 {
        return match word {
            "true" | "1" => Some(Scalar::Int(1)),
            "false" | "0" => Some(Scalar::Int(0)),
            _ => None,
        };
    }
    if element.is_float() {
        return word.parse().ok().map(Scalar::Float);
    }
    let number: i128 = word.parse().ok()?;
    let (low, high) = element.integer_range()?;
    // Literals of signed types may be unsigned elsewhere, not here.
    let high = if low < 0 { -1 - low } else { high };
    (low..=high).contains(&number).then_some(Scalar::Int(number))
}

#[cfg(test)]
mod tests {
    use super::super::proto::{DimensionProto, TensorShapeProto, TensorTypeProto, TypeProto};
    use super::*;

    fn input(elem_type: i32, sizes: &[Option<i64>]) -> ValueInfoProto {
        let dim = sizes.iter().map(|&dim_value| DimensionProto { dim_value, dim_param: None }).collect();
        let tensor = TensorTypeProto { elem_type, shape: Some(TensorShapeProto { dim }) };
        let ty = TypeProto { tensor_type: Some(tensor), ..TypeProto::default() };
        ValueInfoProto { name: "x".into(), r#type: Some(ty) }
    }

    #[test]
    fn values_take_the_shape_of_the_input() {
        let given = |text: &str| FixedInput::parse(text).unwrap();
        let made = given("a=b=1,-2,3").constant(&input(7, &[None])).unwrap();
        assert_eq!(made.ty, TensorType::new(&[3], ElementType::I64));
        assert_eq!(made.to_bytes()[8..16], (-2i64).to_le_bytes());
        assert_eq!(given("x=1.5").constant(&input(1, &[])).unwrap().to_bytes(), 1.5f32.to_le_bytes());
        assert_eq!(given("x=true,0").constant(&input(9, &[Some(1), None])).unwrap().to_bytes(), [1, 0]);
        for (text, sizes) in [("x=1,2", vec![]), ("x=1", vec![None, None]), ("x=300", vec![]), ("x=a", vec![])] {
            assert_eq!(given(text).constant(&input(2, &sizes)).unwrap_err().0, "FX1027", "{text}");
        }
        assert_eq!(FixedInput::parse("x"), None);
        assert_eq!(SequenceLength::parse("s=2"), Some(SequenceLength { name: "s".into(), length: 2 }));
        assert_eq!(SequenceLength::parse("s=5000"), None);
    }
}

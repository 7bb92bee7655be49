//! What `fornax verify` compares a run with: the inputs, and for each dispatch its operands and results, kept in a
//! module's debug sections.
//!
//! | step | where | reads | writes |
//! | --- | --- | --- | --- |
//! | `verify prepare` | compiler | a model, inputs | a module with a [`Record`] |
//! | `verify measure` | device | that module | what differs first |
//!
//! The record is JSON in the section [`RECORD`]; tensors lie one behind the other in the section [`VALUES`], equal ones
//! once, each row-major as at the host's edge. A dispatch is named by its place in the program: block and command. Its
//! executions are in the order in which a call reaches them.

use serde::{Deserialize, Serialize};

/// Names of the debug sections.
pub const RECORD: &str = "verify record";
pub const VALUES: &str = "verify values";

/// Everything about one call of one function.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Record {
    pub function: String,
    pub inputs: Vec<u32>,
    /// What the reference says of the compiled program.
    pub outputs: Vec<u32>,
    /// How the reference's outputs of the model itself relate to those.
    pub passes: Passes,
    pub dispatches: Vec<Dispatch>,
    pub values: Vec<Value>,
    /// Executions beyond the room that `prepare` was given; nothing behind the first of them is compared.
    pub left_out: u64,
}

/// Whether the compiled program computes what the model says, by the reference evaluator alone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Passes {
    #[default]
    Agree,
    Differ(String),
    /// The evaluator cannot run the model itself.
    NotCompared(String),
}

/// A tensor of the section [`VALUES`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Value {
    /// Spelled as in MLIR.
    pub element_type: String,
    pub shape: Vec<u64>,
    pub offset: u64,
    pub bytes: u64,
}

/// One dispatch that stores results of the program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dispatch {
    pub block: u32,
    pub command: u32,
    /// Its ops and where they came from: `stablehlo.add at model.mlir:3:10`.
    pub ops: Vec<String>,
    /// The ops alone, as MLIR text, and what its arguments are: operands by number, or sizes.
    pub model: String,
    pub arguments: Vec<Argument>,
    /// By binding of the kernel: the operand or the result that it is.
    pub bindings: Vec<Bound>,
    /// Elements are compared as those of sums and products are.
    pub accumulates: bool,
    pub executions: Vec<Execution>,
}

/// An argument of [`Dispatch::model`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Argument {
    Operand(u32),
    /// An empty tensor of f32 with the n-th of the execution's sizes as its first dimension, 0 as its second.
    Size(u32),
}

/// What a kernel's buffer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Bound {
    Operand(u32),
    Result(u32),
    /// Made by a kernel before it, not compared.
    Prepared,
}

/// One time that a dispatch ran: values by number.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Execution {
    pub operands: Vec<u32>,
    pub results: Vec<u32>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sizes: Vec<u64>,
}

impl Record {
    /// Reads the record's text.
    ///
    /// # Errors
    /// What the text lacks.
    pub fn parse(text: &[u8]) -> Result<Record, String> {
        serde_json::from_slice(text).map_err(|e| e.to_string())
    }

    pub fn text(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// A value and its bytes in the section [`VALUES`].
    pub fn value<'a>(&'a self, values: &'a [u8], at: u32) -> Option<(&'a Value, &'a [u8])> {
        let value = self.values.get(at as usize)?;
        let start = usize::try_from(value.offset).ok()?;
        let end = start.checked_add(usize::try_from(value.bytes).ok()?)?;
        Some((value, values.get(start..end)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_read_back_and_values_stay_inside() {
        let value = |offset| Value { element_type: "f32".into(), shape: vec![2], offset, bytes: 8 };
        let dispatch = Dispatch {
            bindings: vec![Bound::Operand(0), Bound::Prepared, Bound::Result(0)],
            executions: vec![Execution { operands: vec![0], results: vec![1], sizes: vec![7] }],
            ..Dispatch::default()
        };
        let values = vec![value(0), value(8), value(u64::MAX)];
        let record = Record { dispatches: vec![dispatch], values, ..Record::default() };
        assert_eq!(Record::parse(&record.text()), Ok(record.clone()));
        let bytes: Vec<u8> = (0..16).collect();
        assert_eq!(record.value(&bytes, 1).unwrap().1, &bytes[8..]);
        assert!(record.value(&bytes, 2).is_none() && record.value(&bytes, 3).is_none());
        assert!(record.value(&bytes[..12], 1).is_none());
        assert!(Record::parse(b"{}").is_err());
    }
}

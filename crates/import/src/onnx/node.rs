//! A node as its rule sees it: inputs that are looked up, attributes by name, the version of its operator.

use fornax_graph::ValueId;

use super::converter::Result;
use super::proto::{AttributeProto, GraphProto, NodeProto, TensorProto};
use crate::Diagnostic;

/// What a name of the model stands for.
#[derive(Clone, Debug)]
pub enum Item {
    /// An input or output that is left out, and an optional value without contents.
    Nothing,
    Tensor(ValueId),
    /// A list whose length is known.
    Sequence(Vec<Item>),
}

impl From<ValueId> for Item {
    fn from(value: ValueId) -> Item {
        Item::Tensor(value)
    }
}

pub struct Node<'n> {
    pub proto: &'n NodeProto,
    pub inputs: Vec<Item>,
    /// Of the operator set that the node's domain has in the model.
    pub version: i64,
    /// `node "a/b" (Conv)`.
    pub title: String,
    pub file: &'n str,
}

impl Node<'_> {
    pub fn error(&self, code: &'static str, what: impl AsRef<str>) -> Box<Diagnostic> {
        super::failed(code, self.file, format!("{}: {}", self.title, what.as_ref()))
    }

    /// The operator is known, but not like this.
    pub fn unsupported(&self, what: impl AsRef<str>) -> Box<Diagnostic> {
        self.error("FX1023", what)
    }

    /// The node is not what its operator says.
    pub fn broken(&self, what: impl AsRef<str>) -> Box<Diagnostic> {
        self.error("FX1024", what)
    }

    pub fn item(&self, at: usize) -> &Item {
        self.inputs.get(at).unwrap_or(&Item::Nothing)
    }

    /// An input that must be there.
    pub fn input(&self, at: usize) -> Result<ValueId> {
        match self.item(at) {
            Item::Tensor(value) => Ok(*value),
            Item::Nothing => Err(self.broken(format!("input {at} is missing"))),
            Item::Sequence(_) => Err(self.broken(format!("input {at} is a sequence, and a tensor is expected"))),
        }
    }

    /// An input that may be left out.
    pub fn optional(&self, at: usize) -> Option<ValueId> {
        match self.item(at) {
            Item::Tensor(value) => Some(*value),
            _ => None,
        }
    }

    /// All inputs, none of which may be left out.
    pub fn tensors(&self) -> Result<Vec<ValueId>> {
        (0..self.inputs.len()).map(|at| self.input(at)).collect()
    }

    /// All inputs from one on.
    pub fn tensors_from(&self, first: usize) -> Result<Vec<ValueId>> {
        (first..self.inputs.len()).map(|at| self.input(at)).collect()
    }

    /// Outputs that the node has.
    pub fn outputs(&self) -> usize {
        self.proto.output.len()
    }

    /// Whether somebody asks for an output.
    pub fn wants(&self, at: usize) -> bool {
        self.proto.output.get(at).is_some_and(|name| !name.is_empty())
    }

    pub fn attribute(&self, name: &str) -> Option<&AttributeProto> {
        self.proto.attribute.iter().find(|a| a.name == name)
    }

    pub fn int(&self, name: &str) -> Option<i64> {
        self.attribute(name).map(|a| a.i)
    }

    pub fn int_or(&self, name: &str, default: i64) -> i64 {
        self.int(name).unwrap_or(default)
    }

    pub fn is_set(&self, name: &str) -> bool {
        self.int_or(name, 0) != 0
    }

    pub fn float(&self, name: &str) -> Option<f64> {
        self.attribute(name).map(|a| f64::from(a.f))
    }

    pub fn float_or(&self, name: &str, default: f64) -> f64 {
        self.float(name).unwrap_or(default)
    }

    pub fn ints(&self, name: &str) -> Option<&[i64]> {
        self.attribute(name).map(|a| a.ints.as_slice())
    }

    /// A list of `n` numbers, `default` each where the attribute is left out.
    pub fn ints_of(&self, name: &str, n: usize, default: i64) -> Result<Vec<i64>> {
        match self.ints(name) {
            Some(list) if list.len() == n => Ok(list.to_vec()),
            Some(list) if !list.is_empty() => {
                Err(self.broken(format!("`{name}` has {} numbers, and {n} are expected", list.len())))
            }
            _ => Ok(vec![default; n]),
        }
    }

    pub fn floats(&self, name: &str) -> Option<Vec<f64>> {
        self.attribute(name).map(|a| a.floats.iter().map(|&x| f64::from(x)).collect())
    }

    pub fn text(&self, name: &str) -> Option<&str> {
        self.attribute(name).and_then(|a| std::str::from_utf8(&a.s).ok())
    }

    pub fn text_or<'a>(&'a self, name: &str, default: &'a str) -> &'a str {
        self.text(name).unwrap_or(default)
    }

    pub fn texts(&self, name: &str) -> Option<Vec<&str>> {
        self.attribute(name)?.strings.iter().map(|s| std::str::from_utf8(s).ok()).collect()
    }

    pub fn tensor(&self, name: &str) -> Option<&TensorProto> {
        self.attribute(name).and_then(|a| a.t.as_ref())
    }

    pub fn graph(&self, name: &str) -> Result<&GraphProto> {
        self.attribute(name)
            .and_then(|a| a.g.as_ref())
            .ok_or_else(|| self.broken(format!("attribute `{name}` is no graph")))
    }

    /// A dimension of a tensor of `rank`, which may be counted from the end.
    pub fn axis_of(&self, axis: i64, rank: usize) -> Result<usize> {
        let at = if axis < 0 { axis.checked_add(rank as i64).unwrap_or(-1) } else { axis };
        usize::try_from(at)
            .ok()
            .filter(|&at| at < rank)
            .ok_or_else(|| self.broken(format!("there is no axis {axis} in {rank} dimensions")))
    }

    pub fn axes_of(&self, axes: &[i64], rank: usize) -> Result<Vec<usize>> {
        let mut list = axes.iter().map(|&a| self.axis_of(a, rank)).collect::<Result<Vec<_>>>()?;
        list.sort_unstable();
        match list.windows(2).any(|w| w[0] == w[1]) {
            true => Err(self.broken("an axis stands twice in a list")),
            false => Ok(list),
        }
    }
}

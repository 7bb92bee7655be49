//! The tensors of a quantised matrix, or of those of a layer's experts, which are read as stacks.
//!
//! Worked example: `X.qweight` of `model.layers.0.block_sparse_moe.experts.*.w1` and 8 experts: `[8, in / 8, out]`, one
//! parameter.

use fornax_types::ElementType;

use super::super::names::Role;
use super::super::source::{Checkpoint, Stored};
use crate::Diagnostic;

/// A matrix `[out, in]` of a layer, or as many of them as there are experts.
#[derive(Clone, Copy, Debug)]
pub struct Matrices {
    pub role: Role,
    pub layer: u64,
    /// `None`: one matrix.
    pub experts: Option<u64>,
    pub out: u64,
    pub inputs: u64,
}

impl Matrices {
    /// Dimensions before those of a matrix.
    pub fn outer(&self) -> usize {
        usize::from(self.experts.is_some())
    }

    /// The shape of what each matrix has.
    pub fn shape(&self, each: &[u64]) -> Vec<u64> {
        self.experts.iter().chain(each).copied().collect()
    }

    /// Dimensions of each matrix in another order.
    pub fn order(&self, each: &[usize]) -> Vec<usize> {
        (0..self.outer()).chain(each.iter().map(|dim| dim + self.outer())).collect()
    }

    /// A part, if it is there: `end` stands in the place of `.weight`.
    ///
    /// # Errors
    /// FX1013 and FX1014 where experts differ.
    pub fn part(&self, checkpoint: &Checkpoint, end: &str) -> Result<Option<(String, Stored)>, Box<Diagnostic>> {
        match self.experts {
            Some(count) => checkpoint.stacked_part((self.role, self.layer, end), count),
            None => Ok(checkpoint.part(self.role, self.layer, end)),
        }
    }

    /// A part that must be there, of these elements (`None`: floats), `each` of a matrix.
    ///
    /// # Errors
    /// FX1013, FX1014.
    pub fn required(
        &self,
        checkpoint: &Checkpoint,
        (end, element): (&str, Option<ElementType>),
        each: &[u64],
    ) -> Result<(String, Stored), Box<Diagnostic>> {
        let place = (self.role, self.layer, end);
        let shape = self.shape(each);
        let Some((name, stored)) = self.part(checkpoint, end)?.filter(|_| self.experts.is_some()) else {
            return match element {
                Some(element) => checkpoint.required_part(place, element, &shape),
                None => checkpoint.required_floats(place, &shape),
            };
        };
        match element {
            Some(element) if stored.kind.element != Some(element) => {
                let what = format!("tensor `{name}` has elements {}; known: {element}", stored.kind.name);
                return Err(checkpoint.failed("FX1014", what));
            }
            Some(_) => {}
            None => checkpoint.check_floats(&name, &stored)?,
        }
        checkpoint.check_shape(&name, &stored, &shape)?;
        Ok((name, stored))
    }

    /// The name of a part, for people.
    pub fn name(&self, checkpoint: &Checkpoint, end: &str) -> String {
        self.part(checkpoint, end).ok().flatten().map_or_else(String::new, |found| found.0)
    }
}

//! Numbers for the sizes that a graph knows by symbols: read from the inputs, and from scalars as they are computed.
//!
//! Input `[3, 4]` for `tensor<?x4xf32, #fornax.dims<b>>` binds b = 3; an attribute `#fornax.dims<0, b-1>` then reads
//! `[0, 2]`, a result type `#fornax.dims<2*b>` 6. The checks of the graph (`Graph::dim_checks`) must hold as soon as
//! their sizes are known.

use std::collections::HashMap;

use fornax_graph::{Attr, BlockId, Dim, DimDef, ElementType, Graph, Op, ValueId};

use crate::errors::EvalError;
use crate::tensor::Tensor;

/// The numbers bound so far.
#[derive(Default)]
pub(crate) struct Sizes {
    numbers: Vec<Option<i64>>,
    /// Symbols that are read from values: several from one where ops that gave one each became one op.
    values: HashMap<ValueId, Vec<u32>>,
}

impl Sizes {
    pub fn new(graph: &Graph) -> Sizes {
        let mut values: HashMap<ValueId, Vec<u32>> = HashMap::new();
        for (at, dim) in (0..).zip(graph.dims.iter()) {
            if let DimDef::Value { value } = dim.def {
                values.entry(value).or_default().push(at);
            }
        }
        Sizes { numbers: vec![None; graph.dims.len()], values }
    }

    /// The number of a size; `None` where a symbol is not bound.
    pub fn number(&self, graph: &Graph, dim: Dim) -> Option<i64> {
        graph.dim_value(dim, &|at| self.numbers.get(at as usize).copied().flatten())
    }

    fn set(&mut self, at: u32, number: i64) {
        if let Some(slot) = self.numbers.get_mut(at as usize).filter(|slot| slot.is_none() && at > 0) {
            *slot = Some(number);
        }
    }

    /// Symbols from the inputs of a function.
    ///
    /// # Errors
    /// `FX0384` where an input has another size than its type says, `FX0388` for a check of the graph.
    pub fn bind_inputs(&mut self, graph: &Graph, entry: BlockId, inputs: &[Tensor]) -> Result<(), EvalError> {
        let arguments = &graph.block(entry).arguments;
        let shapes: Vec<Vec<i64>> = inputs.iter().map(|t| t.ty.static_shape().unwrap_or_default()).collect();
        for (at, dim) in (0..).zip(graph.dims.iter()) {
            if let DimDef::Argument { argument, axis } = dim.def
                && let Some(&size) = shapes.get(argument as usize).and_then(|s| s.get(axis as usize))
            {
                self.set(at, size);
            }
        }
        for (&argument, input) in arguments.iter().zip(inputs) {
            self.bind(argument, input);
        }
        for (index, (&argument, shape)) in arguments.iter().zip(&shapes).enumerate() {
            let declared = graph.ty(argument).as_tensor().map(|t| t.shape.as_slice()).unwrap_or_default();
            for (axis, (&dim, &size)) in declared.iter().zip(shape).enumerate() {
                if let Some(wanted) = self.number(graph, dim).filter(|&n| n != size) {
                    let text = graph.dim_text(dim);
                    let why = format!("dimension {axis} has size {size}, but `{text}` is {wanted}");
                    return Err(EvalError::Input { index, why });
                }
            }
        }
        self.check(graph)
    }

    /// Reads a scalar that is a size; whether it is one.
    pub fn bind(&mut self, value: ValueId, tensor: &Tensor) -> bool {
        let Some(read) = self.values.get(&value) else { return false };
        if let [number] = tensor.ints()[..] {
            read.iter().for_each(|&at| self.numbers[at as usize] = Some(number));
        }
        true
    }

    /// Forgets what was read from the values of a block, which is run again.
    pub fn forget(&mut self, graph: &Graph, block: BlockId) {
        if self.values.is_empty() {
            return;
        }
        let mut made = graph.block(block).arguments.clone();
        graph.walk(block, &mut |id| {
            let op = graph.op(id);
            made.extend(&op.results);
            let inner = op.regions.iter().flat_map(|&region| &graph.region(region).blocks);
            made.extend(inner.flat_map(|&block| &graph.block(block).arguments));
        });
        for at in made.iter().filter_map(|value| self.values.get(value)).flatten() {
            self.numbers[*at as usize] = None;
        }
    }

    /// Every check whose sizes are known holds.
    pub fn check(&self, graph: &Graph) -> Result<(), EvalError> {
        for check in &graph.dim_checks {
            if let (Some(a), Some(b)) = (self.number(graph, check.a), self.number(graph, check.b))
                && !check.condition.holds(a, b)
            {
                let (x, y) = (graph.dim_text(check.a), graph.dim_text(check.b));
                let why = format!("{} ({x} is {a}, {y} is {b})", check.message);
                return Err(EvalError::Sizes { at: crate::errors::place(graph, check.location), why });
            }
        }
        Ok(())
    }

    /// The op with numbers in place of the sizes in its attributes, if it has any.
    pub fn resolved(&self, graph: &Graph, op: &Op) -> Option<Op> {
        let mut resolved = None;
        for (name, attr) in &op.attrs.0 {
            if let Attr::Dims(dims) = attr {
                let numbers: Option<Vec<i64>> = dims.iter().map(|&dim| self.number(graph, dim)).collect();
                let op = resolved.get_or_insert_with(|| op.clone());
                op.attrs.set(name, Attr::DenseArray(ElementType::I64, numbers?));
            }
        }
        resolved
    }
}

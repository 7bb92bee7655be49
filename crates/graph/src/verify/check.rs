//! What rules ask of an op, and how they report.

use fornax_types::ElementType;

use crate::attr::Attr;
use crate::graph::{Graph, Op, RegionId, ValueId};
use crate::op::OpKind;
use crate::types::{Dim, TensorType, Type};

/// A violation: code and message without the op's name.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    pub code: &'static str,
    pub message: String,
}

pub type Verdict = Result<(), Fault>;

/// A size that may be unknown.
pub type Size = Option<i64>;

pub fn fault<T>(code: &'static str, message: impl Into<String>) -> Result<T, Fault> {
    Err(Fault { code, message: message.into() })
}

/// Fails with the message unless the condition holds.
pub(crate) fn ensure(condition: bool, code: &'static str, message: impl FnOnce() -> String) -> Verdict {
    if condition { Ok(()) } else { fault(code, message()) }
}

pub(crate) const RESULT: &str = "FX0203";
pub const MISSING: &str = "FX0204";
pub const VALUE: &str = "FX0205";
pub const SHAPES: &str = "FX0206";
pub(crate) const REGION: &str = "FX0207";
pub(crate) const OPERAND: &str = "FX0202";

/// An op under verification.
pub struct Check<'g> {
    pub graph: &'g Graph,
    pub op: &'g Op,
}

/// Whether two sizes can be equal at run time.
pub fn fits(a: Size, b: Size) -> bool {
    a.is_none() || b.is_none() || a == b
}

/// Sizes of a shape, unknown ones as `None`.
pub fn sizes(ty: &TensorType) -> Vec<Size> {
    ty.shape.iter().map(|d| d.as_static()).collect()
}

pub(crate) fn shape_text(shape: &[Size]) -> String {
    let items: Vec<String> = shape.iter().map(|d| d.map_or("?".into(), |n| n.to_string())).collect();
    format!("[{}]", items.join(", "))
}

impl<'g> Check<'g> {
    pub fn text(&self, ty: &Type) -> String {
        self.graph.type_text(ty)
    }

    pub fn tensor_text(&self, ty: &TensorType) -> String {
        self.graph.type_text(&Type::Tensor(ty.clone()))
    }

    pub(crate) fn operand_type(&self, i: usize) -> Result<&'g Type, Fault> {
        match self.op.operands.get(i) {
            Some(&v) => Ok(self.graph.ty(v)),
            None => fault("FX0201", format!("operand {i} is missing")),
        }
    }

    /// Operand `i`, which must be a ranked tensor.
    pub fn operand(&self, i: usize) -> Result<&'g TensorType, Fault> {
        self.tensor(self.operand_type(i)?, &format!("operand {i}"))
    }

    /// Result `i`, which must be a ranked tensor.
    pub fn result(&self, i: usize) -> Result<&'g TensorType, Fault> {
        match self.op.results.get(i) {
            Some(&v) => self.tensor(self.graph.ty(v), &format!("result {i}")),
            None => fault("FX0201", format!("result {i} is missing")),
        }
    }

    fn tensor(&self, ty: &'g Type, what: &str) -> Result<&'g TensorType, Fault> {
        match ty {
            Type::Tensor(t) => Ok(t),
            other => fault(OPERAND, format!("{what} has type {}, a ranked tensor is needed", self.text(other))),
        }
    }

    pub fn operands(&self) -> Result<Vec<&'g TensorType>, Fault> {
        (0..self.op.operands.len()).map(|i| self.operand(i)).collect()
    }

    pub fn results(&self) -> Result<Vec<&'g TensorType>, Fault> {
        (0..self.op.results.len()).map(|i| self.result(i)).collect()
    }

    pub fn types(&self, values: &[ValueId]) -> Vec<&'g Type> {
        values.iter().map(|&v| self.graph.ty(v)).collect()
    }

    // Attributes.

    pub fn int(&self, name: &str) -> Result<i64, Fault> {
        self.op.attrs.int(name).map_or_else(|| fault(MISSING, format!("attribute `{name}` is missing")), Ok)
    }

    pub fn ints(&self, name: &str) -> Result<Vec<i64>, Fault> {
        self.op.attrs.ints(name).map_or_else(|| fault(MISSING, format!("attribute `{name}` is missing")), Ok)
    }

    /// A list with one entry a dimension.
    pub(crate) fn ints_of_rank(&self, name: &str, rank: usize) -> Result<Vec<i64>, Fault> {
        let values = self.ints(name)?;
        ensure(values.len() == rank, VALUE, || {
            format!("`{name}` has {} entries, but there are {rank} dimensions", values.len())
        })?;
        Ok(values)
    }

    /// A list with one entry a dimension, of which some may be known only at run time.
    pub(crate) fn amounts_of_rank(&self, name: &str, rank: usize) -> Result<Vec<Size>, Fault> {
        let Some(values) = self.op.attrs.dims(name) else {
            return fault(MISSING, format!("attribute `{name}` is missing"));
        };
        ensure(values.len() == rank, VALUE, || {
            format!("`{name}` has {} entries, but there are {rank} dimensions", values.len())
        })?;
        Ok(values.iter().map(|d| d.as_static()).collect())
    }

    /// An optional list with one entry a dimension, `default` where it is absent or empty.
    pub fn ints_or(&self, name: &str, rank: usize, default: i64) -> Result<Vec<i64>, Fault> {
        if self.is_empty_list(name) { Ok(vec![default; rank]) } else { self.ints_of_rank(name, rank) }
    }

    fn is_empty_list(&self, name: &str) -> bool {
        self.op.attrs.get(name).is_none_or(|a| a.as_ints().is_some_and(|v| v.is_empty()))
    }

    /// An optional `[rank, 2]` table, zeros where it is absent or empty.
    pub(crate) fn pairs_or_zero(&self, name: &str, rank: usize) -> Result<Vec<(i64, i64)>, Fault> {
        if self.is_empty_list(name) {
            return Ok(vec![(0, 0); rank]);
        }
        let values = self.ints(name)?;
        ensure(values.len() == 2 * rank, VALUE, || {
            format!("`{name}` has {} entries, but {rank} dimensions need {}", values.len(), 2 * rank)
        })?;
        Ok(values.chunks_exact(2).map(|p| (p[0], p[1])).collect())
    }

    /// A dimension number below `rank`.
    pub fn dimension(&self, name: &str, rank: usize) -> Result<usize, Fault> {
        let value = self.int(name)?;
        in_rank(name, value, rank)
    }

    /// Distinct dimension numbers below `rank`.
    pub fn dimensions(&self, name: &str, rank: usize) -> Result<Vec<usize>, Fault> {
        distinct_dimensions(name, &self.ints(name)?, rank)
    }

    /// Fields of a struct attribute.
    pub fn fields(&self, name: &str) -> Result<&'g crate::attr::AttrMap, Fault> {
        match self.op.attrs.get(name) {
            Some(Attr::Struct(_, fields)) => Ok(fields),
            _ => fault(MISSING, format!("attribute `{name}` is missing")),
        }
    }

    // Types.

    /// Whether two element types agree; quantised types agree with each other whatever their scales.
    pub(crate) fn same_element(&self, a: ElementType, b: ElementType) -> bool {
        match (self.quantized(a), self.quantized(b)) {
            (Some(x), Some(y)) => x.storage == y.storage && x.expressed == y.expressed,
            (None, None) => a == b,
            _ => false,
        }
    }

    pub fn quantized(&self, element: ElementType) -> Option<&'g crate::types::QuantizedType> {
        match element {
            ElementType::Quantized(i) => self.graph.quantized.get(i as usize),
            _ => None,
        }
    }

    pub(crate) fn has_quantized(&self) -> bool {
        let mut values = self.op.operands.iter().chain(&self.op.results);
        values.any(|&v| self.graph.ty(v).as_tensor().is_some_and(|t| t.element.is_quantized()))
    }

    pub(crate) fn ensure_same_element(&self, a: ElementType, b: ElementType, what: &str) -> Verdict {
        ensure(self.same_element(a, b), OPERAND, || {
            let text = |e| self.tensor_text(&TensorType { shape: Vec::new(), element: e, encoding: None });
            format!("{what} must have the same element type, not {} and {}", text(a), text(b))
        })
    }

    /// Shapes that can be equal at run time.
    pub(crate) fn ensure_same_shape(&self, a: &TensorType, b: &TensorType, what: &str) -> Verdict {
        let same = a.rank() == b.rank() && sizes(a).iter().zip(sizes(b)).all(|(x, y)| fits(*x, y));
        ensure(same, SHAPES, || {
            format!("{what} must have the same shape, not {} and {}", self.tensor_text(a), self.tensor_text(b))
        })
    }

    pub(crate) fn ensure_rank(&self, ty: &TensorType, rank: usize, what: &str) -> Verdict {
        ensure(ty.rank() == rank, SHAPES, || format!("{what} must have rank {rank}, not {}", self.tensor_text(ty)))
    }

    pub(crate) fn ensure_scalar(&self, ty: &TensorType, what: &str) -> Verdict {
        self.ensure_rank(ty, 0, what)
    }

    /// An integer or index vector of a known or unknown length.
    pub(crate) fn ensure_shape_operand(&self, i: usize, length: usize, what: &str) -> Verdict {
        let ty = self.operand(i)?;
        let integer = ty.element.is_integer();
        let fitting = ty.rank() == 1 && fits(ty.shape[0].as_static(), i64::try_from(length).ok());
        ensure(integer && fitting, OPERAND, || {
            format!("{what} must be a vector of {length} integers, not {}", self.tensor_text(ty))
        })
    }

    /// Result `i` must have this shape, where known, and this element type.
    pub(crate) fn ensure_result(&self, i: usize, shape: &[Size], element: Option<ElementType>) -> Verdict {
        let ty = self.result(i)?;
        let same_shape = ty.rank() == shape.len() && sizes(ty).iter().zip(shape).all(|(a, b)| fits(*a, *b));
        let same_element = element.is_none_or(|e| self.same_element(ty.element, e));
        ensure(same_shape && same_element, RESULT, || {
            let dims = shape.iter().map(|s| s.map_or(Dim::Symbolic(0), Dim::Static)).collect();
            let wanted = TensorType { shape: dims, element: element.unwrap_or(ty.element), encoding: None };
            format!("the result has type {}, but the operands give {}", self.tensor_text(ty), self.tensor_text(&wanted))
        })
    }

    /// A reduction may compute in a wider type of the same kind, not in a narrower one.
    pub(crate) fn ensure_promotable(&self, from: ElementType, to: ElementType) -> Verdict {
        let wider = match (self.quantized(from), self.quantized(to)) {
            (Some(a), Some(b)) => a.expressed == b.expressed && a.storage.bits() <= b.storage.bits(),
            (None, None) => from.class() == to.class() && from.bits() <= to.bits(),
            _ => false,
        };
        ensure(wider, REGION, || {
            let text = |e| self.tensor_text(&TensorType { shape: Vec::new(), element: e, encoding: None });
            format!("the region computes in {}, which does not hold every {}", text(to), text(from))
        })
    }

    // Regions.

    /// Arguments of the block of region `i`.
    pub(crate) fn region_arguments(&self, i: usize) -> Result<Vec<&'g Type>, Fault> {
        let block = self.region_block(i)?;
        Ok(self.types(&self.graph.block(block).arguments))
    }

    /// Types that region `i` returns.
    pub(crate) fn region_returns(&self, i: usize) -> Result<Vec<&'g Type>, Fault> {
        let block = self.region_block(i)?;
        let last = self.graph.block(block).ops.last().map(|&o| self.graph.op(o));
        match last {
            Some(op) if matches!(op.kind, OpKind::Return | OpKind::FusionYield) => Ok(self.types(&op.operands)),
            _ => fault(REGION, format!("region {i} does not end with a return")),
        }
    }

    fn region_block(&self, i: usize) -> Result<crate::graph::BlockId, Fault> {
        let region: Option<&RegionId> = self.op.regions.get(i);
        match region.map(|&r| self.graph.region(r).blocks.as_slice()) {
            Some([block]) => Ok(*block),
            Some(blocks) => fault(REGION, format!("region {i} has {} blocks, one is needed", blocks.len())),
            None => fault("FX0201", format!("region {i} is missing")),
        }
    }

    /// Region `i` must take and return these types.
    pub(crate) fn ensure_region(&self, i: usize, arguments: &[Type], returns: &[Type]) -> Verdict {
        let list = |types: &[&Type]| types.iter().map(|t| self.text(t)).collect::<Vec<_>>().join(", ");
        let same = |found: &[&Type], wanted: &[Type]| {
            found.len() == wanted.len() && found.iter().zip(wanted).all(|(f, w)| self.compatible_types(f, w))
        };
        for (found, wanted, verb) in
            [(self.region_arguments(i)?, arguments, "takes"), (self.region_returns(i)?, returns, "returns")]
        {
            ensure(same(&found, wanted), REGION, || {
                format!(
                    "region {i} {verb} ({}), ({}) is needed",
                    list(&found),
                    list(&wanted.iter().collect::<Vec<_>>())
                )
            })?;
        }
        Ok(())
    }

    /// Types that can be equal at run time: unknown sizes fit every size.
    pub(crate) fn compatible_types(&self, a: &Type, b: &Type) -> bool {
        match (a, b) {
            (Type::Tensor(x), Type::Tensor(y)) => {
                self.same_element(x.element, y.element)
                    && x.rank() == y.rank()
                    && sizes(x).iter().zip(sizes(y)).all(|(p, q)| fits(*p, q))
            }
            (Type::Tuple(x), Type::Tuple(y)) => {
                x.len() == y.len() && x.iter().zip(y).all(|(p, q)| self.compatible_types(p, q))
            }
            _ => a == b,
        }
    }

    /// A reducer over `inputs` element types: 2n scalars in, n scalars out; returns the scalars' element types.
    pub fn reducer(&self, i: usize, n: usize) -> Result<Vec<ElementType>, Fault> {
        let returns = self.region_returns(i)?;
        let mut elements = Vec::new();
        for ty in &returns {
            match ty {
                Type::Tensor(t) if t.rank() == 0 => elements.push(t.element),
                other => return fault(REGION, format!("region {i} returns {}, a scalar is needed", self.text(other))),
            }
        }
        ensure(elements.len() == n, REGION, || {
            format!("region {i} returns {} values, {n} are needed", elements.len())
        })?;
        let scalars: Vec<Type> = elements.iter().map(|&e| Type::tensor(&[], e)).collect();
        let twice: Vec<Type> = scalars.iter().chain(&scalars).cloned().collect();
        self.ensure_region(i, &twice, &scalars)?;
        Ok(elements)
    }
}

pub(crate) fn in_rank(name: &str, value: i64, rank: usize) -> Result<usize, Fault> {
    match usize::try_from(value) {
        Ok(d) if d < rank => Ok(d),
        _ => fault(VALUE, format!("`{name}` = {value} is not a dimension of a tensor of rank {rank}")),
    }
}

/// Dimension numbers, each below `rank` and given once.
pub(crate) fn distinct_dimensions(name: &str, values: &[i64], rank: usize) -> Result<Vec<usize>, Fault> {
    let mut seen = vec![false; rank];
    let mut dims = Vec::with_capacity(values.len());
    for &value in values {
        let d = in_rank(name, value, rank)?;
        ensure(!std::mem::replace(&mut seen[d], true), VALUE, || format!("`{name}` names dimension {d} twice"))?;
        dims.push(d);
    }
    Ok(dims)
}

//! Types of values: ranked tensors with static or symbolic sizes, tokens, tuples.

use fornax_types::ElementType;

/// One size of a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dim {
    Static(i64),
    /// A size known at run time: index into [`crate::Graph::dims`]; entry 0 is the anonymous `?`.
    Symbolic(u32),
}

impl From<i64> for Dim {
    fn from(size: i64) -> Dim {
        Dim::Static(size)
    }
}

impl Dim {
    pub fn as_static(self) -> Option<i64> {
        match self {
            Dim::Static(n) => Some(n),
            Dim::Symbolic(_) => None,
        }
    }
}

/// A ranked tensor. Layout is not part of it: it belongs to buffers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TensorType {
    pub shape: Vec<Dim>,
    pub element: ElementType,
    /// Encoding attribute as text (`#stablehlo.bounds<?, 5>`), kept for printing.
    pub encoding: Option<String>,
}

impl TensorType {
    pub fn new(shape: &[i64], element: ElementType) -> TensorType {
        TensorType { shape: shape.iter().map(|&n| Dim::Static(n)).collect(), element, encoding: None }
    }

    pub fn rank(&self) -> usize {
        self.shape.len()
    }

    /// The shape when every size is static.
    pub fn static_shape(&self) -> Option<Vec<i64>> {
        self.shape.iter().map(|d| d.as_static()).collect()
    }

    /// Whether every size is static or a symbol; `?` is neither.
    pub fn is_sized(&self) -> bool {
        !self.shape.contains(&Dim::Symbolic(0))
    }

    /// Number of elements when every size is static; `None` also when it overflows i64.
    pub fn elements(&self) -> Option<i64> {
        self.shape.iter().try_fold(1i64, |n, d| n.checked_mul(d.as_static()?))
    }

    /// Bytes at the host edge when static.
    pub fn bytes(&self) -> Option<u64> {
        u64::try_from(self.elements()?).ok()?.checked_mul(self.element.storage_bytes() as u64)
    }

    /// The same shape with another element type.
    pub fn with_element(&self, element: ElementType) -> TensorType {
        TensorType { shape: self.shape.clone(), element, encoding: self.encoding.clone() }
    }
}

/// Type of a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    Tensor(TensorType),
    /// `tensor<*xf32>`: parsed, refused by most verifiers.
    Unranked(ElementType),
    /// A bare scalar (`i64`), as in attributes.
    Scalar(ElementType),
    Token,
    Tuple(Vec<Type>),
    Function {
        inputs: Vec<Type>,
        results: Vec<Type>,
    },
    None,
    /// Any other type, kept as text.
    Opaque(String),
}

impl Type {
    pub fn tensor(shape: &[i64], element: ElementType) -> Type {
        Type::Tensor(TensorType::new(shape, element))
    }

    pub fn as_tensor(&self) -> Option<&TensorType> {
        match self {
            Type::Tensor(t) => Some(t),
            _ => None,
        }
    }
}

/// `!quant.uniform<storage:expressed[:axis], {scale:zero_point, …}>`.
#[derive(Clone, Debug, PartialEq)]
pub struct QuantizedType {
    pub storage: ElementType,
    pub storage_min: i64,
    pub storage_max: i64,
    pub expressed: ElementType,
    /// Axis for per-axis quantisation.
    pub axis: Option<i64>,
    /// Blocks of sub-channel quantisation; with neither an axis nor blocks one scale serves the tensor.
    pub blocks: Option<QuantizedBlocks>,
    /// (scale, zero point): one, one a slice of the axis, or one a block, row-major.
    pub parameters: Vec<(f64, i64)>,
    /// The type as written, for printing.
    pub text: String,
}

/// `{axis:size, …}` and the table of parameters: elements whose numbers divided by the sizes are equal share one.
#[derive(Clone, Debug, PartialEq)]
pub struct QuantizedBlocks {
    /// (axis, elements of a block along it); a block has all of the other axes.
    pub axes: Vec<(i64, i64)>,
    /// Shape of the table, of the tensor's rank.
    pub shape: Vec<i64>,
}

impl QuantizedBlocks {
    /// Elements of a block along each axis of a tensor of this shape; `None` if the table does not fit it.
    pub fn block_sizes(&self, shape: &[i64]) -> Option<Vec<i64>> {
        let mut sizes = shape.to_vec();
        for &(axis, size) in &self.axes {
            *sizes.get_mut(usize::try_from(axis).ok()?)? = size;
        }
        let fits = |((&n, &size), &count): ((&i64, &i64), &i64)| {
            size.checked_mul(count) == Some(n) && (size > 0 || n == 0) && count >= 0
        };
        let all = self.shape.len() == shape.len() && shape.iter().zip(&sizes).zip(&self.shape).all(fits);
        all.then_some(sizes)
    }
}

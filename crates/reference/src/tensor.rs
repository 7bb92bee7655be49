//! A tensor value in host-edge storage, and the affine copy that all data movement reduces to.

use fornax_graph::{Dim, ElementType, TensorType};

use crate::errors::EvalError;
use crate::scalar::Scalar;

/// A tensor with a static shape, row-major. `i1` is one byte (0 or 1), sub-byte elements one byte each, complex
/// interleaved, everything little endian.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    pub ty: TensorType,
    pub bytes: Vec<u8>,
}

impl Tensor {
    /// Checks that the shape is static and that `bytes` has its size.
    pub fn new(ty: TensorType, bytes: Vec<u8>) -> Result<Tensor, EvalError> {
        match ty.bytes() {
            Some(n) if n == bytes.len() as u64 => Ok(Tensor { ty, bytes }),
            Some(n) => {
                Err(EvalError::Input { index: 0, why: format!("{} bytes where the type holds {n}", bytes.len()) })
            }
            None => Err(EvalError::Input { index: 0, why: "the shape is not static".into() }),
        }
    }

    /// A tensor from its elements, each converted to `element`; missing elements are zero.
    pub fn from_scalars(shape: &[usize], element: ElementType, values: impl IntoIterator<Item = Scalar>) -> Tensor {
        let mut out = Tensor::zeros(shape, element);
        let width = element.storage_bytes();
        for (chunk, value) in out.bytes.chunks_exact_mut(width).zip(values) {
            value.write(element, chunk);
        }
        out
    }

    /// A rank-0 tensor.
    pub fn scalar(element: ElementType, value: Scalar) -> Tensor {
        Tensor::from_scalars(&[], element, [value])
    }

    /// All bytes zero (for `f8E8M0FNU` that is the smallest value, not zero).
    pub fn zeros(shape: &[usize], element: ElementType) -> Tensor {
        let ty = tensor_type(shape, element);
        let bytes = vec![0; shape.iter().product::<usize>() * element.storage_bytes()];
        Tensor { ty, bytes }
    }

    pub fn element(&self) -> ElementType {
        self.ty.element
    }

    /// Sizes, row-major order.
    pub fn shape(&self) -> Vec<usize> {
        self.ty.shape.iter().map(|d| d.as_static().and_then(|n| usize::try_from(n).ok()).unwrap_or(0)).collect()
    }

    pub fn rank(&self) -> usize {
        self.ty.rank()
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.bytes.len() / self.element().storage_bytes()
    }

    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Element at a row-major position; zero outside.
    pub fn get(&self, at: usize) -> Scalar {
        let width = self.element().storage_bytes();
        Scalar::read(self.element(), self.bytes.get(at * width..).unwrap_or(&[]))
    }

    /// Sets the element at a row-major position; nothing happens outside.
    pub fn set(&mut self, at: usize, value: Scalar) {
        let element = self.element();
        let width = element.storage_bytes();
        if let Some(out) = self.bytes.get_mut(at * width..(at + 1) * width) {
            value.write(element, out);
        }
    }

    pub fn scalars(&self) -> Vec<Scalar> {
        let element = self.element();
        self.bytes.chunks_exact(element.storage_bytes()).map(|b| Scalar::read(element, b)).collect()
    }

    /// All elements as integers.
    pub fn ints(&self) -> Vec<i64> {
        self.scalars().into_iter().map(|s| s.as_int().clamp(i64::MIN.into(), i64::MAX.into()) as i64).collect()
    }

    /// The same elements under another shape of the same size.
    pub fn reshaped(&self, shape: &[usize]) -> Tensor {
        Tensor { ty: tensor_type(shape, self.element()), bytes: self.bytes.clone() }
    }
}

/// A static tensor type.
pub fn tensor_type(shape: &[usize], element: ElementType) -> TensorType {
    TensorType { shape: shape.iter().map(|&n| Dim::Static(n as i64)).collect(), element, encoding: None }
}

/// Row-major strides in elements.
pub fn strides(shape: &[usize]) -> Vec<isize> {
    let mut out = vec![1isize; shape.len()];
    for d in (1..shape.len()).rev() {
        out[d - 1] = out[d] * shape[d] as isize;
    }
    out
}

/// Row-major walk over a shape: `next` gives each multi-index once.
pub struct Indices {
    shape: Vec<usize>,
    index: Vec<usize>,
    started: bool,
}

impl Indices {
    pub fn new(shape: &[usize]) -> Indices {
        Indices { shape: shape.to_vec(), index: vec![0; shape.len()], started: false }
    }

    /// The next index, or `None` at the end. A rank-0 shape has one, the empty index.
    pub fn advance(&mut self) -> Option<&[usize]> {
        if !self.started {
            self.started = true;
            return if self.shape.contains(&0) { None } else { Some(&self.index) };
        }
        for d in (0..self.shape.len()).rev() {
            self.index[d] += 1;
            if self.index[d] < self.shape[d] {
                return Some(&self.index);
            }
            self.index[d] = 0;
        }
        None
    }
}

/// Offset of an index under strides.
pub fn offset(index: &[usize], strides: &[isize]) -> isize {
    index.iter().zip(strides).map(|(&i, &s)| i as isize * s).sum()
}

/// `out[i] = source[base + Σ i·stride]` for every index `i` of `shape` (offsets in elements).
/// `None` when an offset would leave the source.
pub fn affine_copy(source: &Tensor, shape: &[usize], base: isize, strides: &[isize]) -> Option<Tensor> {
    let element = source.element();
    let mut out = Tensor::zeros(shape, element);
    if out.is_empty() {
        return Some(out);
    }
    let reach = |keep: fn(isize) -> bool| -> isize {
        let far = shape.iter().zip(strides).filter(|(_, s)| keep(**s));
        base + far.map(|(&n, &s)| (n as isize - 1) * s).sum::<isize>()
    };
    if reach(|s| s < 0) < 0 || reach(|s| s > 0) >= source.len() as isize {
        return None;
    }
    let width = element.storage_bytes();
    let (outer, row, step) = match shape.split_last() {
        Some((&row, outer)) => (outer, row, strides[outer.len()]),
        None => (&[][..], 1, 1),
    };
    let mut rows = Indices::new(outer);
    let mut outputs = out.bytes.chunks_exact_mut(row * width);
    while let (Some(index), Some(to)) = (rows.advance(), outputs.next()) {
        let mut at = base + offset(index, strides);
        if step == 1 {
            let from = at as usize * width;
            to.copy_from_slice(&source.bytes[from..from + row * width]);
            continue;
        }
        for cell in to.chunks_exact_mut(width) {
            let from = at as usize * width;
            cell.copy_from_slice(&source.bytes[from..from + width]);
            at += step;
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn affine_copy_transposes_and_refuses_to_leave_the_source() {
        let t = Tensor::from_scalars(&[2, 3], ElementType::I32, (0..6).map(Scalar::Int));
        let u = affine_copy(&t, &[3, 2], 0, &[1, 3]).unwrap();
        assert_eq!(u.ints(), [0, 3, 1, 4, 2, 5]);
        let reversed = affine_copy(&t, &[6], 5, &[-1]).unwrap();
        assert_eq!(reversed.ints(), [5, 4, 3, 2, 1, 0]);
        assert!(affine_copy(&t, &[7], 0, &[1]).is_none());
        assert!(affine_copy(&t, &[2], 0, &[-1]).is_none());
    }

    #[test]
    fn indices_count_in_row_major_order() {
        let mut walk = Indices::new(&[2, 2]);
        let mut seen = Vec::new();
        while let Some(index) = walk.advance() {
            seen.push(index.to_vec());
        }
        assert_eq!(seen, [[0, 0], [0, 1], [1, 0], [1, 1]]);
        assert_eq!(Indices::new(&[]).advance(), Some(&[][..]));
        assert_eq!(Indices::new(&[0, 2]).advance(), None);
    }
}

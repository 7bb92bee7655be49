//! Results as a `Vec<f32>` with a shape, as `ndarray` and other crates take them.
//!
//! ```console
//! $ fornax compile --target=cpu tests/model/softmax.mlir -o softmax.fnx
//! $ cargo run -p fornax-runtime --example into_vectors -- softmax.fnx
//! row 0: sum 1.000, largest at 999
//! row 1: sum 1.000, largest at 999
//! row 2: sum 1.000, largest at 999
//! row 3: sum 1.000, largest at 999
//! ```

use std::error::Error;

use fornax_runtime::tensor::generate::iota;
use fornax_runtime::{BackendPreference, ElementType, Module, Scalar, Session, SessionOptions, Tensor, init_backend};

/// A dense array, the last dimension contiguous.
struct Array {
    shape: Vec<usize>,
    values: Vec<f32>,
}

impl Array {
    /// Any real tensor. With the crate `ndarray` this is `ArrayD::from_shape_vec(shape, values)`.
    fn from_tensor(tensor: &Tensor) -> Result<Array, Box<dyn Error>> {
        let values = match tensor.element_type() {
            ElementType::F32 => tensor.values()?.into_owned(),
            // Slower, and right for every type: bf16, f16, 8-bit floats, integers of four bits.
            _ => tensor.iter().map(to_f32).collect::<Result<Vec<f32>, _>>()?,
        };
        let shape = tensor.shape().iter().map(|size| usize::try_from(*size)).collect::<Result<_, _>>()?;
        Ok(Array { shape, values })
    }

    /// The slices of the last dimension.
    fn rows(&self) -> impl Iterator<Item = &[f32]> {
        // A scalar is a row of one element.
        let columns = self.shape.last().copied().unwrap_or(1);
        self.values.chunks_exact(columns.max(1))
    }
}

fn to_f32(element: Scalar) -> Result<f32, &'static str> {
    match element {
        Scalar::Float(value) => Ok(value as f32),
        Scalar::Int(value) => Ok(value as f32),
        Scalar::Complex(..) => Err("the output is complex"),
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: into_vectors MODULE")?;
    let module = Module::open(path.as_ref())?;
    let backend = init_backend(BackendPreference::Cpu)?;
    let mut session = Session::load(&module, backend.device(), &SessionOptions::default())?;
    let function = session.function(None)?.name.clone();

    let types = session.input_types(&function, &[])?;
    let inputs = types.into_iter().map(iota).collect::<Result<Vec<_>, _>>()?;
    for output in session.invoke(&function, &inputs)? {
        for (at, row) in Array::from_tensor(&output)?.rows().enumerate() {
            let largest = row.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)).map_or(0, |found| found.0);
            println!("row {at}: sum {:.3}, largest at {largest}", row.iter().sum::<f32>());
        }
    }
    Ok(())
}

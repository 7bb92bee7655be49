//! NumPy's array interface, version 3: a dictionary with address, shape, type string and strides.

use fornax_runtime::TensorType;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::{Said, found};
use crate::element;

/// The elements of an object that has the interface.
pub fn elements(object: &Bound<'_, PyAny>) -> PyResult<Option<Said>> {
    let py = object.py();
    let Some(interface) = object.getattr_opt(intern!(py, "__array_interface__"))? else { return Ok(None) };
    let Ok(interface) = interface.cast_into::<PyDict>() else { return Ok(Some(Said::Other)) };
    let entry = |name| interface.get_item(name);
    let (Some(data), Some(shape), Some(text)) =
        (entry(intern!(py, "data"))?, entry(intern!(py, "shape"))?, entry(intern!(py, "typestr"))?)
    else {
        return Ok(Some(Said::Other));
    };
    // Without an address the elements are behind the buffer protocol.
    let Ok((address, _)) = data.extract::<(usize, bool)>() else { return Ok(Some(Said::Other)) };
    let text: String = text.extract()?;
    let element_type = match element::from_type_string(&text) {
        Some(element_type) => Some(element_type),
        // `<V2` is bfloat16, or two bytes of anything: the name tells.
        None => named(object)?,
    };
    let Some(element_type) = element_type else { return Ok(Some(Said::Other)) };
    let ty = TensorType::new(element_type, shape.extract::<Vec<u64>>()?);
    let strides = match entry(intern!(py, "strides"))? {
        Some(strides) => strides.extract::<Option<Vec<i64>>>()?,
        None => None,
    };
    // The interface of NumPy's scalars keeps what the address is of.
    let keeper = (object, &interface).into_pyobject(py)?.into_any().unbind();
    Ok(Some(found(ty, address as *const u8, strides.as_deref(), keeper).map_or(Said::Other, Said::Array)))
}

fn named(object: &Bound<'_, PyAny>) -> PyResult<Option<fornax_types::ElementType>> {
    let py = object.py();
    let Some(dtype) = object.getattr_opt(intern!(py, "dtype"))? else { return Ok(None) };
    // Ours are names themselves.
    let name = dtype.getattr_opt(intern!(py, "name"))?.unwrap_or(dtype);
    let plain = object.getattr_opt(intern!(py, "dtype"))?.and_then(|dtype| dtype.getattr("byteorder").ok());
    if plain.is_some_and(|order| order.extract::<String>().is_ok_and(|order| order == ">")) {
        return Ok(None);
    }
    Ok(name.extract::<String>().ok().and_then(|name| element::from_name(&name)))
}

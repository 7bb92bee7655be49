//! Modules: open files, and what their functions take and give.

use std::ffi::{CString, c_char};
use std::path::Path;
use std::ptr;

use ::fornax_module::manifest::{DimSig, FunctionSignature, TensorSignature};
use fornax_runtime::{ElementType, Module, Result};

use crate::arguments::{array, c_string, free, give, handle, misuse, place, text};
use crate::dtype::{code_of, fornax_dtype};
use crate::error::{fornax_error, guarded};

/// A size of a shape that is known only when a function is called.
pub const FORNAX_RUN_TIME_SIZE: i64 = -1;

/// An open module, checked. Any number of sessions and threads may use it.
pub struct fornax_module {
    pub(crate) module: Module,
    functions: Vec<Function>,
}

struct Function {
    name: CString,
    inputs: Vec<Type>,
    outputs: Vec<Type>,
}

struct Type {
    dtype: fornax_dtype,
    shape: Vec<i64>,
    name: Option<CString>,
}

/// The type of an input or output. The pointers belong to the module.
#[repr(C)]
pub struct fornax_tensor_type {
    pub dtype: fornax_dtype,
    pub rank: u32,
    /// As many sizes as the rank; FORNAX_RUN_TIME_SIZE where one is known only at a call.
    pub shape: *const i64,
    /// Its name in the model, or NULL.
    pub name: *const c_char,
}

impl Type {
    fn of(signature: &TensorSignature) -> Type {
        let size = |dim: &DimSig| match dim {
            DimSig::Static(size) => i64::try_from(*size).unwrap_or(i64::MAX),
            DimSig::Symbolic { .. } | DimSig::Computed { .. } => FORNAX_RUN_TIME_SIZE,
        };
        Type {
            dtype: ElementType::from_spelling(&signature.element_type).map_or(0, code_of),
            shape: signature.shape.iter().map(size).collect(),
            name: signature.name.as_deref().map(c_string),
        }
    }

    fn shown(&self) -> fornax_tensor_type {
        fornax_tensor_type {
            dtype: self.dtype,
            rank: self.shape.len() as u32,
            shape: self.shape.as_ptr(),
            name: self.name.as_ref().map_or(ptr::null(), |name| name.as_ptr()),
        }
    }
}

impl fornax_module {
    fn of(module: Module) -> fornax_module {
        let function = |signature: &FunctionSignature| Function {
            name: c_string(&signature.name),
            inputs: signature.inputs.iter().map(Type::of).collect(),
            outputs: signature.outputs.iter().map(Type::of).collect(),
        };
        let functions = module.manifest().functions.iter().map(function).collect();
        fornax_module { module, functions }
    }

    /// A function by its name; without one the only function, or `main`.
    fn function(&self, name: Option<&str>) -> Result<&Function> {
        let signature = self.module.function(name)?;
        let found = self.functions.iter().find(|function| function.name.as_bytes() == signature.name.as_bytes());
        found.ok_or_else(|| misuse(format!("`{}` has no name in C", signature.name)))
    }
}

/// The name of a function, or none for NULL.
///
/// # Safety
/// As the crate says.
pub(crate) unsafe fn function_name<'a>(name: *const c_char) -> Result<Option<&'a str>> {
    // SAFETY: as above.
    if name.is_null() { Ok(None) } else { unsafe { text(name, "function") }.map(Some) }
}

/// Opens and checks a module file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fornax_module_open(path: *const c_char, module: *mut *mut fornax_module) -> *mut fornax_error {
    // SAFETY: as the crate says.
    guarded(|| unsafe {
        let module = place(module, "module")?;
        give(module, fornax_module::of(Module::open(Path::new(text(path, "path")?))?));
        Ok(())
    })
}

/// Checks a module that is in memory, such as the one in an object of `fornax compile --emit=c`. The bytes are copied.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fornax_module_from_bytes(
    bytes: *const u8,
    count: usize,
    module: *mut *mut fornax_module,
) -> *mut fornax_error {
    // SAFETY: as the crate says.
    guarded(|| unsafe {
        let module = place(module, "module")?;
        give(module, fornax_module::of(Module::from_bytes(array(bytes, count, "bytes")?.to_vec())?));
        Ok(())
    })
}

/// Number of functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fornax_module_function_count(module: *const fornax_module) -> usize {
    // SAFETY: as the crate says.
    unsafe { module.as_ref() }.map_or(0, |module| module.functions.len())
}

/// The name of a function. NULL behind the last one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fornax_module_function_name(module: *const fornax_module, at: usize) -> *const c_char {
    // SAFETY: as the crate says.
    let function = unsafe { module.as_ref() }.and_then(|module| module.functions.get(at));
    function.map_or(ptr::null(), |function| function.name.as_ptr())
}

/// Number of inputs and outputs of a function; either place may be NULL. A function of NULL is the only one, or "main"
/// of several, here and everywhere.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fornax_module_count(
    module: *const fornax_module,
    function: *const c_char,
    inputs: *mut usize,
    outputs: *mut usize,
) -> *mut fornax_error {
    // SAFETY: as the crate says.
    guarded(|| unsafe {
        let function = handle(module, "module")?.function(function_name(function)?)?;
        for (place, count) in [(inputs, function.inputs.len()), (outputs, function.outputs.len())] {
            if let Some(place) = place.as_mut() {
                *place = count;
            }
        }
        Ok(())
    })
}

/// The type of an input of a function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fornax_module_input_type(
    module: *const fornax_module,
    function: *const c_char,
    at: usize,
    ty: *mut fornax_tensor_type,
) -> *mut fornax_error {
    // SAFETY: as the crate says.
    guarded(|| unsafe { show(&handle(module, "module")?.function(function_name(function)?)?.inputs, at, ty) })
}

/// The type of an output of a function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fornax_module_output_type(
    module: *const fornax_module,
    function: *const c_char,
    at: usize,
    ty: *mut fornax_tensor_type,
) -> *mut fornax_error {
    // SAFETY: as the crate says.
    guarded(|| unsafe { show(&handle(module, "module")?.function(function_name(function)?)?.outputs, at, ty) })
}

/// # Safety
/// As the crate says.
unsafe fn show(types: &[Type], at: usize, place: *mut fornax_tensor_type) -> Result<()> {
    let ty = types.get(at).ok_or_else(|| misuse(format!("there are {} of them, and none at {at}", types.len())))?;
    // SAFETY: as above.
    *unsafe { place.as_mut() }.ok_or_else(|| misuse("`ty` is NULL"))? = ty.shown();
    Ok(())
}

/// Ends a handle of a module. Sessions of it stay valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fornax_module_free(module: *mut fornax_module) {
    // SAFETY: as the crate says.
    unsafe { free(module) };
}

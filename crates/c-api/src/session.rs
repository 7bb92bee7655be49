//! Sessions: a module loaded on a device, and calls of its functions.

use std::ffi::c_char;
use std::mem::size_of;
use std::sync::{Mutex, MutexGuard, PoisonError};

use fornax_runtime::{DeviceTensor, Module, ParameterFile, ParameterTensor, Result, Session, SessionOptions, Tensor};

use crate::arguments::{array, free, give, handle, misuse, place, text};
use crate::device::fornax_device;
use crate::error::{fornax_error, guarded};
use crate::module::{fornax_module, function_name};
use crate::tensor::{Held, fornax_tensor};

/// A module loaded on a device. Calls of one session run one after another, from whichever threads they come.
pub struct fornax_session {
    module: Module,
    session: Mutex<Session>,
}

impl fornax_session {
    /// A panic of an earlier call left the session usable: every call starts from its inputs.
    fn lock(&self) -> MutexGuard<'_, Session> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A named parameter that is in memory.
#[repr(C)]
pub struct fornax_parameter {
    /// `[scope::]name`, as the module has it.
    pub name: *const c_char,
    pub tensor: *const fornax_tensor,
}

/// How to load a module. Set struct_size to sizeof(fornax_session_options) and all else to zero before anything: a
/// library that knows more options than the program takes the others as zero.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct fornax_session_options {
    pub struct_size: usize,
    /// Files that hold the named parameters, each `[scope=]PATH`: safetensors, npz or GGUF.
    pub parameter_files: *const *const c_char,
    pub parameter_file_count: usize,
    /// Named parameters in memory; they are looked for before those of files.
    pub parameters: *const fornax_parameter,
    pub parameter_count: usize,
    /// Bytes of device memory that loading and calls may plan; 0: as many as the device has.
    pub max_device_memory: u64,
}

/// The options of a caller, those that it does not know as zero.
///
/// # Safety
/// As the crate says.
unsafe fn options_of(pointer: *const fornax_session_options) -> Result<SessionOptions> {
    if pointer.is_null() {
        return Ok(SessionOptions::default());
    }
    // SAFETY: the size is the first member of every version.
    let size = unsafe { pointer.cast::<usize>().read() };
    if size < size_of::<usize>() || size > size_of::<fornax_session_options>() {
        let ours = size_of::<fornax_session_options>();
        return Err(misuse(format!("struct_size is {size}; the library's options take {ours} bytes")));
    }
    let mut given = std::mem::MaybeUninit::<fornax_session_options>::zeroed();
    // SAFETY: the caller's struct has so many bytes, ours at least as many; zero is a value of every member.
    let given = unsafe {
        std::ptr::copy_nonoverlapping(pointer.cast::<u8>(), given.as_mut_ptr().cast::<u8>(), size);
        given.assume_init()
    };
    let mut options = SessionOptions::default();
    // SAFETY: as the crate says.
    unsafe {
        for file in array(given.parameter_files, given.parameter_file_count, "parameter_files")? {
            options.parameters.push(ParameterFile::parse(text(*file, "parameter_files")?));
        }
        for parameter in array(given.parameters, given.parameter_count, "parameters")? {
            let name = text(parameter.name, "name")?.to_string();
            let tensor = handle(parameter.tensor, "tensor")?.host()?;
            options.tensors.push(ParameterTensor { name, tensor });
        }
    }
    options.max_device_memory = Some(given.max_device_memory).filter(|bytes| *bytes > 0);
    Ok(options)
}

/// Loads a module on a device: its code, constants and parameters. Options of NULL are all zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fornax_session_load(
    module: *const fornax_module,
    device: *const fornax_device,
    options: *const fornax_session_options,
    session: *mut *mut fornax_session,
) -> *mut fornax_error {
    // SAFETY: as the crate says.
    guarded(|| unsafe {
        let (module, device) = (handle(module, "module")?.module.clone(), &handle(device, "device")?.device);
        let place = place(session, "session")?;
        let session = Mutex::new(Session::load(&module, device, &options_of(options)?)?);
        give(place, fornax_session { module, session });
        Ok(())
    })
}

/// Bytes of device memory that the session plans: constants, parameters, states and the arena of its largest function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fornax_session_planned_bytes(session: *const fornax_session) -> u64 {
    // SAFETY: as the crate says.
    unsafe { session.as_ref() }.map_or(0, |session| session.lock().planned_bytes())
}

/// Calls a function: copies the inputs, which are on the host, to the device, runs it, and waits for its outputs, which
/// are on the host. `outputs` has room for `output_count` tensors, as many as the function has.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fornax_session_invoke(
    session: *const fornax_session,
    function: *const c_char,
    inputs: *const *const fornax_tensor,
    input_count: usize,
    outputs: *mut *mut fornax_tensor,
    output_count: usize,
) -> *mut fornax_error {
    // SAFETY: as the crate says.
    guarded(|| unsafe {
        let called = Called::of(session, function, (inputs, input_count), (outputs, output_count))?;
        let mut session = called.session.lock();
        let inputs = session.upload_each(called.function, &host_tensors(called.inputs)?)?;
        let found = session.invoke_on_device(called.function, &inputs)?;
        let found = found.iter().map(|output| session.download(output)).collect::<Result<Vec<_>>>()?;
        called.give(found.into_iter().map(fornax_tensor::on_host));
        Ok(())
    })
}

/// Copies the inputs of a function, which are on the host, to the session's device. `copies` has room for as many
/// tensors.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fornax_session_upload(
    session: *const fornax_session,
    function: *const c_char,
    inputs: *const *const fornax_tensor,
    input_count: usize,
    copies: *mut *mut fornax_tensor,
) -> *mut fornax_error {
    // SAFETY: as the crate says.
    guarded(|| unsafe {
        let session = handle(session, "session")?;
        let function = session.module.function(function_name(function)?)?;
        let inputs = host_tensors(array(inputs, input_count, "inputs")?)?;
        if copies.is_null() && input_count > 0 {
            return Err(misuse("`copies` is NULL"));
        }
        let found = session.lock().upload_each(&function.name, &inputs)?;
        for (at, tensor) in found.into_iter().enumerate() {
            give(&mut *copies.add(at), fornax_tensor(Held::Device(tensor)));
        }
        Ok(())
    })
}

/// Calls a function on tensors of the session's device. Its outputs stay there; the call may return before they are
/// computed. Inputs that the model donates are overwritten: the output is the same memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fornax_session_invoke_on_device(
    session: *const fornax_session,
    function: *const c_char,
    inputs: *const *const fornax_tensor,
    input_count: usize,
    outputs: *mut *mut fornax_tensor,
    output_count: usize,
) -> *mut fornax_error {
    // SAFETY: as the crate says.
    guarded(|| unsafe {
        let called = Called::of(session, function, (inputs, input_count), (outputs, output_count))?;
        let inputs = called.device_inputs()?;
        let found = called.session.lock().invoke_on_device(called.function, &inputs)?;
        called.give(found.into_iter().map(|tensor| fornax_tensor(Held::Device(tensor))));
        Ok(())
    })
}

/// Ends a session. Tensors that it made stay valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fornax_session_free(session: *mut fornax_session) {
    // SAFETY: as the crate says.
    unsafe { free(session) };
}

/// The arguments of a call, checked.
struct Called<'a> {
    session: &'a fornax_session,
    function: &'a str,
    inputs: &'a [*const fornax_tensor],
    outputs: *mut *mut fornax_tensor,
}

impl<'a> Called<'a> {
    /// # Safety
    /// As the crate says.
    unsafe fn of(
        session: *const fornax_session,
        function: *const c_char,
        inputs: (*const *const fornax_tensor, usize),
        (outputs, room): (*mut *mut fornax_tensor, usize),
    ) -> Result<Called<'a>> {
        // SAFETY: as above.
        let session = unsafe { handle(session, "session")? };
        // SAFETY: as above.
        let function = session.module.function(unsafe { function_name(function)? })?;
        let count = function.outputs.len();
        if room != count {
            return Err(misuse(format!("`{}` has {count} outputs; there is room for {room}", function.name)));
        }
        if outputs.is_null() && count > 0 {
            return Err(misuse("`outputs` is NULL"));
        }
        // SAFETY: as above.
        let inputs = unsafe { array(inputs.0, inputs.1, "inputs")? };
        Ok(Called { session, function: &function.name, inputs, outputs })
    }

    /// # Safety
    /// As the crate says.
    unsafe fn device_inputs(&self) -> Result<Vec<DeviceTensor>> {
        let on_device = |(at, tensor): (usize, &*const fornax_tensor)| {
            // SAFETY: as above.
            match &unsafe { handle(*tensor, "inputs")? }.0 {
                Held::Device(tensor) => Ok(tensor.clone()),
                Held::Host(_) => Err(misuse(format!("input {at} is on the host: fornax_session_upload copies it"))),
            }
        };
        self.inputs.iter().enumerate().map(on_device).collect()
    }

    /// # Safety
    /// As the crate says.
    unsafe fn give(&self, found: impl Iterator<Item = fornax_tensor>) {
        for (at, tensor) in found.enumerate() {
            // SAFETY: there is room for as many as the function has.
            give(unsafe { &mut *self.outputs.add(at) }, tensor);
        }
    }
}

/// Tensors of the host, as calls take them.
///
/// # Safety
/// As the crate says.
unsafe fn host_tensors<'a>(inputs: &[*const fornax_tensor]) -> Result<Vec<&'a Tensor>> {
    let on_host = |(at, tensor): (usize, &*const fornax_tensor)| {
        // SAFETY: as above.
        match &unsafe { handle(*tensor, "inputs")? }.0 {
            Held::Host(tensor) => Ok(&**tensor),
            Held::Device(_) => {
                Err(misuse(format!("input {at} is on a device: fornax_session_invoke_on_device takes it there")))
            }
        }
    };
    inputs.iter().enumerate().map(on_host).collect()
}

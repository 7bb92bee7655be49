//! LLVM's disassembler, taken from the shared library at run time: `libLLVM` need not be linked, and one that is linked
//! is not disturbed.
//!
//! Input: a processor (`gfx90a`), features (`+wavefrontsize64`), code bytes. Output: one instruction's length and text.
//! Limits: version 22 is asked for first, then 21 … 19, then whatever `libLLVM.so` is; older ones do not know gfx950.
//!
//! Worked example: `00 00 81 bf` on gfx90a is 4 bytes, `s_endpgm`.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr;
use std::sync::OnceLock;

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

use crate::errors::{GcnError, Result};

type Create = unsafe extern "C" fn(
    *const c_char,
    *const c_char,
    *const c_char,
    *mut c_void,
    c_int,
    *const c_void,
    *const c_void,
) -> *mut c_void;
type Disassemble = unsafe extern "C" fn(*mut c_void, *mut u8, u64, u64, *mut c_char, usize) -> usize;

struct Llvm {
    create: Create,
    instruction: Disassemble,
    dispose: unsafe extern "C" fn(*mut c_void),
    /// Keeps the code mapped.
    _library: Library,
}

/// Where distributions put it; the bare names are searched by the loader.
const NAMES: &[&str] = &[
    "libLLVM.so.22.1",
    "/usr/lib/llvm-22/lib/libLLVM.so",
    "libLLVM-22.so",
    "libLLVM.so.21.1",
    "libLLVM.so.20.1",
    "libLLVM.so.19.1",
    "libLLVM.so",
];
/// Symbols of the library are looked up in the library first, not in a program that has LLVM linked in.
const RTLD_DEEPBIND: c_int = 8;

fn open() -> std::result::Result<Llvm, String> {
    let mut tried = String::new();
    for &name in NAMES {
        // SAFETY: libLLVM's initialisers only set up its own tables.
        match unsafe { Library::open(Some(name), RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND) } {
            // SAFETY: the names have had these signatures since LLVM 3.3.
            Ok(library) => match unsafe { symbols(library) } {
                Ok(llvm) => return Ok(llvm),
                Err(error) => tried = format!("{name}: {error}"),
            },
            Err(error) if tried.is_empty() => tried = format!("{error}"),
            Err(_) => {}
        }
    }
    Err(format!("libLLVM with the AMDGPU target is not installed (Debian: libllvm22); {tried}"))
}

/// # Safety
/// `library` is LLVM's shared library.
unsafe fn symbols(library: Library) -> std::result::Result<Llvm, libloading::Error> {
    // SAFETY: as the caller says; each is of the type that llvm-c/Disassembler.h and llvm-c/Target.h give.
    unsafe {
        for name in
            ["LLVMInitializeAMDGPUTargetInfo", "LLVMInitializeAMDGPUTargetMC", "LLVMInitializeAMDGPUDisassembler"]
        {
            let initialise = library.get::<unsafe extern "C" fn()>(name.as_bytes())?;
            initialise();
        }
        Ok(Llvm {
            create: *library.get(b"LLVMCreateDisasmCPUFeatures")?,
            instruction: *library.get(b"LLVMDisasmInstruction")?,
            dispose: *library.get(b"LLVMDisasmDispose")?,
            _library: library,
        })
    }
}

fn llvm() -> Result<&'static Llvm> {
    static LLVM: OnceLock<std::result::Result<Llvm, String>> = OnceLock::new();
    LLVM.get_or_init(open).as_ref().map_err(|error| GcnError::NoDisassembler(error.clone()))
}

/// A disassembler for one processor.
pub struct Disassembler {
    llvm: &'static Llvm,
    context: *mut c_void,
}

// SAFETY: a context is used by one thread at a time (calls need `&mut`), and LLVM keeps no state of the thread that
// made it.
unsafe impl Send for Disassembler {}

impl Disassembler {
    /// # Errors
    /// No library, or a processor that it does not know.
    pub fn new(processor: &str, features: &str) -> Result<Disassembler> {
        let llvm = llvm()?;
        let text =
            |text: &str| CString::new(text).map_err(|_| GcnError::NoDisassembler(format!("no processor: {text:?}")));
        let (triple, cpu, features) = (text("amdgcn-amd-amdhsa")?, text(processor)?, text(features)?);
        // SAFETY: three C strings that live over the call; no callbacks.
        let context = unsafe {
            (llvm.create)(
                triple.as_ptr(),
                cpu.as_ptr(),
                features.as_ptr(),
                ptr::null_mut(),
                0,
                ptr::null(),
                ptr::null(),
            )
        };
        if context.is_null() {
            return Err(GcnError::NoDisassembler(format!("LLVM makes none for {processor}")));
        }
        Ok(Disassembler { llvm, context })
    }

    /// Length and text of the instruction at the start of `code`; None where there is none.
    pub fn instruction(&mut self, code: &[u8], address: u64) -> Option<(usize, String)> {
        let mut text = [0 as c_char; 512];
        // SAFETY: LLVM reads at most `code.len()` bytes and writes at most `text.len()` with the closing zero.
        let length = unsafe {
            let bytes = code.as_ptr().cast_mut();
            (self.llvm.instruction)(self.context, bytes, code.len() as u64, address, text.as_mut_ptr(), text.len())
        };
        if length == 0 {
            return None;
        }
        // SAFETY: LLVM closed the text with a zero inside of the array.
        let text = unsafe { CStr::from_ptr(text.as_ptr()) };
        Some((length, text.to_string_lossy().trim().to_string()))
    }
}

impl Drop for Disassembler {
    fn drop(&mut self) {
        // SAFETY: made by `create`, given back once.
        unsafe { (self.llvm.dispose)(self.context) }
    }
}

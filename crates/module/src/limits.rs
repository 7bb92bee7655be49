//! Limits on every count and size of a module file, in one place. They are far above what models need and low
//! enough that reading a hostile file neither hangs nor exhausts memory.

use crate::errors::ModuleError;

/// Limits of the reader and of the writer.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Sections of a file.
    pub sections: u64,
    /// Bytes of the JSON manifest.
    pub manifest_bytes: u64,
    /// JSON values (numbers, strings, arrays, objects …) of the manifest.
    pub manifest_values: u64,
    /// Keys of one JSON object.
    pub manifest_keys: u64,
    /// Bytes of any name.
    pub name_bytes: u64,
    /// Bytes of a kernel's symbol.
    pub symbol_bytes: u64,
    /// Dimensions of a tensor.
    pub rank: u64,
    /// Extent of one dimension.
    pub dimension: u64,
    /// Bytes of a tensor, an arena, a span.
    pub bytes: u64,
    /// Functions (exports) of a module or a program.
    pub functions: u64,
    /// Targets of a module.
    pub targets: u64,
    /// Images of one target.
    pub target_images: u64,
    /// Size expressions of a program.
    pub expressions: u64,
    /// Kernels of a program.
    pub kernels: u64,
    /// Blocks of a program.
    pub blocks: u64,
    /// Commands of a program, all blocks together.
    pub commands: u64,
    /// Bindings and constants of one dispatch, arguments of one call, inputs and outputs of one function.
    pub operands: u64,
    /// Run-time size slots of a function.
    pub size_slots: u64,
    /// Nesting of blocks, and of calls.
    pub nesting: u64,
    /// Buffers listed in a memory plan.
    pub plan_buffers: u64,
}

/// The limits in force. JSON depth is limited to 128 by the JSON reader itself.
pub const LIMITS: Limits = Limits {
    sections: 1024,
    manifest_bytes: 16 << 20,
    manifest_values: 1 << 19,
    manifest_keys: 1 << 16,
    name_bytes: 1024,
    symbol_bytes: 200,
    rank: 32,
    dimension: 1 << 40,
    bytes: 1 << 48,
    functions: 1 << 16,
    targets: 1024,
    target_images: 16,
    expressions: 1 << 20,
    kernels: 1 << 16,
    blocks: 1 << 16,
    commands: 1 << 20,
    operands: 1 << 14,
    size_slots: 1 << 12,
    nesting: 32,
    plan_buffers: 1 << 10,
};

/// Error unless `value <= limit`.
pub(crate) fn within(what: &str, value: u64, limit: u64) -> Result<(), ModuleError> {
    if value > limit { Err(ModuleError::Limit { what: what.into(), value, limit }) } else { Ok(()) }
}

/// Error unless `name` is 1 to 1024 bytes without control characters (a NUL would end it early in C).
pub(crate) fn check_name(what: &str, name: &str) -> Result<(), ModuleError> {
    within(&format!("length of the {what} in bytes"), name.len() as u64, LIMITS.name_bytes)?;
    if name.is_empty() || name.chars().any(char::is_control) {
        return Err(ModuleError::manifest(format!("{what} {name:?} is empty or has a control character")));
    }
    Ok(())
}

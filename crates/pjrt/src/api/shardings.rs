//! Arguments of the extension for shardings.

use std::ffi::c_int;

use super::{Entry, Extension, Handle, args};
use crate::executable::Executable;

/// The number of the extension.
pub const KIND: c_int = 19;
/// How many functions it has.
pub const COUNT: usize = 2;

/// The extension: a link of the list, then its functions.
#[repr(C)]
pub struct ShardingsExtension {
    pub link: Extension,
    pub entries: [Entry; COUNT],
}

args! {
    /// Serialized `xla.OpSharding`s, and how long each is; null where the program has none.
    ShardingsArgs {
        executable: Handle<Executable>,
        count: usize,
        shardings: *const Handle<u8>,
        sizes: *const usize,
    }
}

//! The PJRT plugin: JAX runs on Fornax's devices. `libfornax_pjrt.so` has a function `GetPjrtApi`, which gives the
//! table of the API's entries (`api::entries`); each entry is a function of the module of its object.
//!
//! - `client`, `device`, `memory`, `topology`: what there is.
//! - `executable`, `loaded`, `sessions`, `execute`: programs. `compiler` calls the program `fornax`, which compiles;
//!   `compile_options` and `options` are what callers ask for.
//! - `shardings`: how the inputs and outputs of a program for several devices are cut.
//! - `buffer`: arrays; `layout`: how they lie. `queue`: the jobs of a device. `event`: what callers wait for.
//! - `host_functions`: functions of the process that programs call; `fornax_pjrt_host_functions` is told how.
//! - `error`: errors as the API has them, with our codes.
//!
//! A panic never crosses into C (`error::guarded`). `unsafe` rests on the API's promises, written down in `api`.

pub mod api;
pub mod buffer;
pub mod client;
pub mod compile_options;
mod compiler;
pub mod device;
pub mod error;
pub mod event;
pub mod executable;
pub mod execute;
pub mod host_functions;
pub mod layout;
pub mod loaded;
pub mod memory;
mod options;
mod plugin;
mod queue;
mod sessions;
pub mod shardings;
pub mod topology;

use std::ptr;

use api::{API_MAJOR, API_MINOR, Api, ApiVersion, entries};

static API: Api = Api {
    size: size_of::<Api>(),
    extensions: &layout::EXTENSION.link,
    version: ApiVersion { size: size_of::<ApiVersion>(), extensions: ptr::null(), major: API_MAJOR, minor: API_MINOR },
    entries: entries::ENTRIES,
};

/// The table of entries; what a caller of PJRT looks for in a plugin.
#[allow(non_snake_case)]
#[unsafe(no_mangle)]
pub extern "C" fn GetPjrtApi() -> *const Api {
    &API
}

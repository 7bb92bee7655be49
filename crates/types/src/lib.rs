//! The ground floor: what graph, module, runtime and all above them must agree on. Depends on nothing.
//!
//! * [`bytes`]: amounts of memory for people.
//! * [`element`]: the element types, one row each, with every name and code that a file or a tool has for them.
//! * [`float`]: float formats and their rounding.
//! * [`mod@errors`]: error codes, and the macro that makes a crate's table of them.
//! * [`scalar`]: one element as a number, to and from its bytes on the host.
#![forbid(unsafe_code)]

pub mod bytes;
pub mod element;
pub mod errors;
pub mod float;
pub mod reasons;
pub mod scalar;

pub use bytes::bytes_text;
pub use element::{Class, ElementType};
pub use errors::ErrorCode;
pub use float::{FloatFormat, Specials, decode_float, encode_float};
pub use scalar::Scalar;

//! Matrix instructions: `mma.sync` of NVIDIA, MFMA, WMMA and dot products of AMD.

mod atoms;
pub mod mfma;
pub mod quad_pairs;

use crate::text::{Scalar, Ty};

pub use atoms::{Multiplier, Parts};
pub use mfma::result_rows;

/// A register of operands.
pub const I32: Ty = Ty::scalar(Scalar::I32);
/// 16 bytes of the steps of one output, in registers.
pub const CHUNK: Ty = Ty { scalar: Scalar::I32, lanes: 4 };

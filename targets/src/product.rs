//! The row type of the product tables.

use crate::backend::Backend;

/// Where the figures of a row come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Data sheets and programming guides, as remembered: check on hardware before relying on a figure.
    VendorDocuments,
    /// IREE 3.13's target table.
    IreeTargetTable,
    /// Measured with LLVM 22.1.8 (`llc`, `llvm-mc`).
    Llvm22,
}

impl Source {
    /// One or two words for generated pages.
    pub fn name(self) -> &'static str {
        match self {
            Source::VendorDocuments => "vendor documents",
            Source::IreeTargetTable => "IREE 3.13",
            Source::Llvm22 => "LLVM 22.1.8",
        }
    }
}

/// A product: a name people know for an architecture, with figures for tuning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Product {
    /// Canonical spelling: lower case, words joined by `-`.
    pub name: &'static str,
    /// Other spellings that mean exactly this product.
    pub aliases: &'static [&'static str],
    /// The backend it belongs to.
    pub backend: Backend,
    /// Canonical architecture name: `sm_80`, `gfx942`.
    pub arch: &'static str,
    /// Streaming multiprocessors or compute units.
    pub compute_units: u32,
    /// Memory bandwidth in GB/s (10⁹ bytes).
    pub bandwidth_gb_s: Option<f64>,
    /// Dense f16 matrix throughput in TFLOP/s.
    pub f16_dense_tflops: Option<f64>,
    /// f32 vector throughput in TFLOP/s.
    pub f32_tflops: Option<f64>,
    /// Where the figures come from.
    pub source: Source,
}

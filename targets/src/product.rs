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

/// `(arithmetic, of which figure, factor, architectures from, to)`: dense matrix rates as multiples of the figures that data
/// sheets lead with.
pub const ARITHMETIC: &[(&str, Figure, f64, u32, u32)] = &[
    ("f32", Figure::F32, 1.0, 0, u32::MAX),
    ("f16", Figure::F16, 1.0, 70, u32::MAX),
    ("tf32", Figure::F16, 0.5, 80, u32::MAX),
    ("i8", Figure::F16, 2.0, 75, u32::MAX),
    ("f8", Figure::F16, 2.0, 89, u32::MAX),
    ("f64", Figure::F32, 1.0, 80, 80),
    ("f64", Figure::F32, 1.0, 90, 90),
];

/// A figure of a product's row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Figure {
    F16,
    F32,
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

impl Product {
    /// The vendor's peak of an arithmetic in TFLOP/s (multiply-add counted as two), where the row tells it.
    pub fn peak_tflops(&self, arithmetic: &str) -> Option<f64> {
        let (number, _) = crate::nvidia::parse_sm(self.arch)?;
        let (_, figure, factor, ..) =
            ARITHMETIC.iter().find(|(name, _, _, from, to)| *name == arithmetic && (*from..=*to).contains(&number))?;
        let base = match figure {
            Figure::F16 => self.f16_dense_tflops,
            Figure::F32 => self.f32_tflops,
        };
        base.map(|rate| rate * factor)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Backend, resolve};

    #[test]
    fn peaks_are_multiples_of_the_figures() {
        let peak = |product, arithmetic| {
            let resolved = resolve(Backend::Cuda, product).ok()?;
            resolved.product?.peak_tflops(arithmetic)
        };
        assert_eq!(peak("NVIDIA H200", "f16"), Some(989.0));
        assert_eq!(peak("NVIDIA H200", "tf32"), Some(494.5));
        assert_eq!(peak("NVIDIA H200", "f64"), Some(67.0));
        assert_eq!(peak("a100", "f8"), None);
        assert_eq!(peak("h200", ""), None);
    }
}

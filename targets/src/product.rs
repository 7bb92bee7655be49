//! The row type of the product tables.

use crate::amd::amd_row;
use crate::backend::Backend;
use crate::rates::AMD_RATES;

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

/// `(arithmetic, of which figure, factor, architectures from, to)`: dense matrix rates as multiples of the figures that
/// data sheets lead with.
pub const ARITHMETIC: &[(&str, Figure, f64, u32, u32)] = &[
    ("f32", Figure::F32, 1.0, 0, u32::MAX),
    ("f16", Figure::F16, 1.0, 70, u32::MAX),
    ("tf32", Figure::F16, 0.5, 80, u32::MAX),
    ("i8", Figure::F16, 2.0, 75, u32::MAX),
    ("f8", Figure::F16, 2.0, 89, u32::MAX),
    ("f64", Figure::F32, 1.0, 80, 80),
    ("f64", Figure::F32, 1.0, 90, 90),
];

/// Families of AMD chips whose matrix instructions take 8-bit floats; their rate is that of 8-bit integers (CDNA 3 and
/// 4 white papers; RDNA 4 ISA).
const AMD_F8_FAMILIES: &[&str] = &["cdna3", "cdna4", "rdna4"];

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
    /// f32 vector throughput in TFLOP/s; of AMD chips with an f16 figure it follows from that one.
    pub f32_tflops: Option<f64>,
    /// Where the figures come from.
    pub source: Source,
}

/// Rows of a product table: the fields of [`Product`], the other spellings last, `_` where a figure is not known.
macro_rules! products {
    ($backend:path: $(
        $name:literal $arch:literal $compute_units:literal $bandwidth:tt $f16:tt $f32:tt $source:ident
        [$($alias:literal),*];
    )*) => {
        &[$($crate::product::Product {
            name: $name,
            aliases: &[$($alias),*],
            backend: $backend,
            arch: $arch,
            compute_units: $compute_units,
            bandwidth_gb_s: $crate::product::products!(@figure $bandwidth),
            f16_dense_tflops: $crate::product::products!(@figure $f16),
            f32_tflops: $crate::product::products!(@figure $f32),
            source: $crate::product::Source::$source,
        }),*]
    };
    (@figure _) => { None };
    (@figure $figure:literal) => { Some($figure) };
}
pub(crate) use products;

impl Product {
    /// The vendor's peak of an arithmetic in TFLOP/s (multiply-add counted as two), where the row tells it.
    pub fn peak_tflops(&self, arithmetic: &str) -> Option<f64> {
        if self.backend == Backend::Rocm {
            return self.amd_peak_tflops(arithmetic);
        }
        let (number, _) = crate::nvidia::parse_sm(self.arch)?;
        let (_, figure, factor, ..) =
            ARITHMETIC.iter().find(|(name, _, _, from, to)| *name == arithmetic && (*from..=*to).contains(&number))?;
        let base = match figure {
            Figure::F16 => self.f16_dense_tflops,
            Figure::F32 => self.f32_tflops,
        };
        base.map(|rate| rate * factor)
    }

    /// All rates of an AMD chip have one clock: the f16 figure times what a compute unit does in a cycle relative to
    /// f16.
    ///
    /// Worked example, MI300X: 1307.4 TFLOP/s in f16 are 2048 operations a cycle; f32 has 256, an eighth: 163.4
    /// TFLOP/s.
    fn amd_peak_tflops(&self, arithmetic: &str) -> Option<f64> {
        let family = amd_row(self.arch)?.0.family;
        let rates = AMD_RATES.iter().find(|(name, _)| *name == family).map(|(_, rates)| *rates);
        let Some((f16, rates)) = self.f16_dense_tflops.zip(rates).filter(|(_, rates)| rates.matrix_half > 0) else {
            return self.f32_tflops.filter(|_| arithmetic == "f32");
        };
        let operations = match arithmetic {
            "f16" => rates.matrix_half,
            "tf32" => rates.matrix_tf32,
            "f32" => rates.matrix_f32.max(rates.scalar_f32),
            "f64" => rates.matrix_f64,
            "i8" => rates.matrix_byte,
            "f8" if AMD_F8_FAMILIES.contains(&family) => rates.matrix_byte,
            _ => 0,
        };
        (operations > 0).then(|| f16 * f64::from(operations) / f64::from(rates.matrix_half))
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

    /// Peaks of AMD's data sheets, TFLOP/s. Clocks of data sheets are rounded: within half a percent.
    #[test]
    fn peaks_of_amd_are_those_of_its_data_sheets() {
        let known = [
            // "AMD Instinct MI100" data sheet: matrix f32 46.1, f16 184.6, i8 184.6.
            ("mi100", "f32", Some(46.1)),
            ("mi100", "i8", Some(184.6)),
            ("mi100", "f64", None),
            // "AMD Instinct MI200 series" data sheet, MI250X: matrix f64 and f32 95.7, f16 383, i8 383.
            ("mi250x", "f64", Some(95.7)),
            ("mi250x", "f32", Some(95.7)),
            ("mi250x", "i8", Some(383.0)),
            ("mi250x", "f8", None),
            ("mi250x", "tf32", None),
            // The same, MI210: matrix f64 45.3, f16 181.
            ("mi210", "f64", Some(45.3)),
            // "AMD Instinct MI300X" data sheet: matrix f64 and f32 163.4, tf32 653.7, f16 1307.4, f8 and i8 2614.9.
            ("mi300x", "f64", Some(163.4)),
            ("mi300x", "f32", Some(163.4)),
            ("mi300x", "tf32", Some(653.7)),
            ("mi300x", "f16", Some(1307.4)),
            ("mi300x", "f8", Some(2614.9)),
            ("mi300x", "i8", Some(2614.9)),
            // "AMD Instinct MI300A" data sheet: matrix f64 122.6, f8 1961.2.
            ("mi300a", "f64", Some(122.6)),
            ("mi300a", "f8", Some(1961.2)),
            // Radeon RX 7900 XTX, product page: f32 61.4 (vector, two a cycle), f16 122.8.
            ("rx7900xtx", "f32", Some(61.4)),
            ("rx7900xtx", "f8", None),
            // Radeon VII, product page: f32 13.4; it has no matrix instructions.
            ("radeon-vii", "f32", Some(13.4)),
            ("radeon-vii", "f16", None),
        ];
        for (product, arithmetic, sheet) in known {
            let product = resolve(Backend::Rocm, product).expect("a name").product.expect("a product");
            match (product.peak_tflops(arithmetic), sheet) {
                (Some(peak), Some(sheet)) => {
                    assert!((peak / sheet - 1.0).abs() < 0.005, "{} {arithmetic}: {peak}, {sheet}", product.name);
                }
                (found, wanted) => assert_eq!(found, wanted, "{} {arithmetic}", product.name),
            }
        }
    }

    #[test]
    fn every_amd_product_with_a_bandwidth_has_a_peak() {
        for product in crate::amd_products::AMD_PRODUCTS {
            assert!(product.bandwidth_gb_s.is_some(), "{}", product.name);
            assert!(product.peak_tflops("f32").is_some(), "{}", product.name);
        }
    }
}

//! AMD products: name, architecture and the numbers that tuning looks at.
//!
//! Compute units are counted as HIP counts them (a work-group processor of RDNA is two). Figures come from IREE 3.13's
//! target table, the others from vendor documents; no limit may depend on them. Peaks of other arithmetic follow from
//! the family's rates (`Product::peak_tflops`).
//!
//! Vendor documents: AMD's product pages give f32 of the MI25, MI50, MI60, Radeon VII and of the RX 5000 and 6000
//! series (peak single precision), 6 TB/s of the MI325X, 448 GB/s of the V710. APUs: the widest memory that their
//! product pages allow (128 bits of LPDDR5X-7500, Strix Halo 256 bits of LPDDR5X-8000), and f16 as 512 operations a
//! compute unit and cycle at the boost clock (RDNA 3 white paper): 2.7 GHz for Phoenix, 2.9 GHz for Strix. No data
//! sheet has figures of a gfx1250 product.

use crate::backend::Backend;
use crate::product::{Product, Source};

/// Amd products: one row a product, sorted as the vendor names generations.
#[rustfmt::skip]
pub const AMD_PRODUCTS: &[Product] = &[
    Product { name: "mi25", aliases: &[], backend: Backend::Rocm, arch: "gfx900", compute_units: 64, bandwidth_gb_s: Some(484.0), f16_dense_tflops: None, f32_tflops: Some(12.3), source: Source::VendorDocuments },
    Product { name: "mi50", aliases: &[], backend: Backend::Rocm, arch: "gfx906", compute_units: 60, bandwidth_gb_s: Some(1024.0), f16_dense_tflops: None, f32_tflops: Some(13.3), source: Source::VendorDocuments },
    Product { name: "mi60", aliases: &[], backend: Backend::Rocm, arch: "gfx906", compute_units: 64, bandwidth_gb_s: Some(1024.0), f16_dense_tflops: None, f32_tflops: Some(14.7), source: Source::VendorDocuments },
    Product { name: "radeon-vii", aliases: &["radeonvii"], backend: Backend::Rocm, arch: "gfx906", compute_units: 60, bandwidth_gb_s: Some(1024.0), f16_dense_tflops: None, f32_tflops: Some(13.4), source: Source::VendorDocuments },
    Product { name: "rx5700xt", aliases: &[], backend: Backend::Rocm, arch: "gfx1010", compute_units: 40, bandwidth_gb_s: Some(448.0), f16_dense_tflops: None, f32_tflops: Some(9.75), source: Source::VendorDocuments },
    Product { name: "rx6700xt", aliases: &[], backend: Backend::Rocm, arch: "gfx1031", compute_units: 40, bandwidth_gb_s: Some(384.0), f16_dense_tflops: None, f32_tflops: Some(13.2), source: Source::VendorDocuments },
    Product { name: "rx6800", aliases: &[], backend: Backend::Rocm, arch: "gfx1030", compute_units: 60, bandwidth_gb_s: Some(512.0), f16_dense_tflops: None, f32_tflops: Some(16.2), source: Source::VendorDocuments },
    Product { name: "rx6800xt", aliases: &[], backend: Backend::Rocm, arch: "gfx1030", compute_units: 72, bandwidth_gb_s: Some(512.0), f16_dense_tflops: None, f32_tflops: Some(20.7), source: Source::VendorDocuments },
    Product { name: "rx6900xt", aliases: &[], backend: Backend::Rocm, arch: "gfx1030", compute_units: 80, bandwidth_gb_s: Some(512.0), f16_dense_tflops: None, f32_tflops: Some(23.0), source: Source::VendorDocuments },
    Product { name: "w6800", aliases: &["pro-w6800"], backend: Backend::Rocm, arch: "gfx1030", compute_units: 60, bandwidth_gb_s: Some(512.0), f16_dense_tflops: None, f32_tflops: Some(17.8), source: Source::VendorDocuments },
    Product { name: "mi100", aliases: &[], backend: Backend::Rocm, arch: "gfx908", compute_units: 120, bandwidth_gb_s: Some(1230.0), f16_dense_tflops: Some(184.6), f32_tflops: None, source: Source::IreeTargetTable },
    Product { name: "mi210", aliases: &[], backend: Backend::Rocm, arch: "gfx90a", compute_units: 104, bandwidth_gb_s: Some(1600.0), f16_dense_tflops: Some(181.0), f32_tflops: None, source: Source::IreeTargetTable },
    Product { name: "mi250", aliases: &[], backend: Backend::Rocm, arch: "gfx90a", compute_units: 208, bandwidth_gb_s: Some(3200.0), f16_dense_tflops: Some(362.1), f32_tflops: None, source: Source::IreeTargetTable },
    Product { name: "mi250x", aliases: &["mi250x-oam"], backend: Backend::Rocm, arch: "gfx90a", compute_units: 220, bandwidth_gb_s: Some(3200.0), f16_dense_tflops: Some(383.0), f32_tflops: None, source: Source::IreeTargetTable },
    Product { name: "mi300a", aliases: &[], backend: Backend::Rocm, arch: "gfx942", compute_units: 228, bandwidth_gb_s: Some(5300.0), f16_dense_tflops: Some(980.6), f32_tflops: None, source: Source::IreeTargetTable },
    Product { name: "mi300x", aliases: &["mi300x-oam"], backend: Backend::Rocm, arch: "gfx942", compute_units: 304, bandwidth_gb_s: Some(5300.0), f16_dense_tflops: Some(1307.4), f32_tflops: None, source: Source::IreeTargetTable },
    Product { name: "mi308x", aliases: &[], backend: Backend::Rocm, arch: "gfx942", compute_units: 80, bandwidth_gb_s: Some(5300.0), f16_dense_tflops: Some(188.4), f32_tflops: None, source: Source::IreeTargetTable },
    Product { name: "mi325x", aliases: &[], backend: Backend::Rocm, arch: "gfx942", compute_units: 304, bandwidth_gb_s: Some(6000.0), f16_dense_tflops: Some(1307.4), f32_tflops: None, source: Source::VendorDocuments },
    Product { name: "mi350x", aliases: &[], backend: Backend::Rocm, arch: "gfx950", compute_units: 256, bandwidth_gb_s: Some(8000.0), f16_dense_tflops: Some(2300.0), f32_tflops: None, source: Source::IreeTargetTable },
    Product { name: "mi355x", aliases: &[], backend: Backend::Rocm, arch: "gfx950", compute_units: 256, bandwidth_gb_s: Some(8000.0), f16_dense_tflops: Some(2500.0), f32_tflops: None, source: Source::IreeTargetTable },
    Product { name: "rx9070xt", aliases: &[], backend: Backend::Rocm, arch: "gfx1201", compute_units: 64, bandwidth_gb_s: Some(640.0), f16_dense_tflops: Some(195.0), f32_tflops: None, source: Source::IreeTargetTable },
    Product { name: "rx9070", aliases: &[], backend: Backend::Rocm, arch: "gfx1201", compute_units: 56, bandwidth_gb_s: Some(640.0), f16_dense_tflops: Some(145.0), f32_tflops: None, source: Source::IreeTargetTable },
    Product { name: "r9700", aliases: &["ai-pro-r9700"], backend: Backend::Rocm, arch: "gfx1201", compute_units: 64, bandwidth_gb_s: Some(640.0), f16_dense_tflops: Some(191.0), f32_tflops: None, source: Source::IreeTargetTable },
    Product { name: "rx9060xt", aliases: &[], backend: Backend::Rocm, arch: "gfx1200", compute_units: 32, bandwidth_gb_s: Some(320.0), f16_dense_tflops: Some(103.0), f32_tflops: None, source: Source::IreeTargetTable },
    Product { name: "rx7900xtx", aliases: &[], backend: Backend::Rocm, arch: "gfx1100", compute_units: 96, bandwidth_gb_s: Some(960.0), f16_dense_tflops: Some(123.0), f32_tflops: None, source: Source::IreeTargetTable },
    Product { name: "rx7900xt", aliases: &[], backend: Backend::Rocm, arch: "gfx1100", compute_units: 84, bandwidth_gb_s: Some(800.0), f16_dense_tflops: Some(103.0), f32_tflops: None, source: Source::IreeTargetTable },
    Product { name: "rx7800xt", aliases: &[], backend: Backend::Rocm, arch: "gfx1101", compute_units: 60, bandwidth_gb_s: Some(620.0), f16_dense_tflops: Some(74.6), f32_tflops: None, source: Source::IreeTargetTable },
    Product { name: "rx7700xt", aliases: &[], backend: Backend::Rocm, arch: "gfx1101", compute_units: 54, bandwidth_gb_s: Some(430.0), f16_dense_tflops: Some(70.3), f32_tflops: None, source: Source::IreeTargetTable },
    Product { name: "v710", aliases: &["pro-v710"], backend: Backend::Rocm, arch: "gfx1101", compute_units: 54, bandwidth_gb_s: Some(448.0), f16_dense_tflops: Some(55.3), f32_tflops: None, source: Source::VendorDocuments },
    Product { name: "w7900", aliases: &["pro-w7900"], backend: Backend::Rocm, arch: "gfx1100", compute_units: 96, bandwidth_gb_s: Some(860.0), f16_dense_tflops: Some(123.0), f32_tflops: None, source: Source::IreeTargetTable },
    Product { name: "w7800", aliases: &["pro-w7800"], backend: Backend::Rocm, arch: "gfx1100", compute_units: 70, bandwidth_gb_s: Some(580.0), f16_dense_tflops: Some(90.4), f32_tflops: None, source: Source::IreeTargetTable },
    Product { name: "w7700", aliases: &["pro-w7700"], backend: Backend::Rocm, arch: "gfx1101", compute_units: 48, bandwidth_gb_s: Some(580.0), f16_dense_tflops: Some(56.6), f32_tflops: None, source: Source::IreeTargetTable },
    Product { name: "phoenix", aliases: &["780m"], backend: Backend::Rocm, arch: "gfx1103", compute_units: 12, bandwidth_gb_s: Some(120.0), f16_dense_tflops: Some(16.6), f32_tflops: None, source: Source::VendorDocuments },
    Product { name: "strix-point", aliases: &["890m"], backend: Backend::Rocm, arch: "gfx1150", compute_units: 16, bandwidth_gb_s: Some(120.0), f16_dense_tflops: Some(23.8), f32_tflops: None, source: Source::VendorDocuments },
    Product { name: "strix-halo", aliases: &["8060s"], backend: Backend::Rocm, arch: "gfx1151", compute_units: 40, bandwidth_gb_s: Some(256.0), f16_dense_tflops: Some(59.4), f32_tflops: None, source: Source::VendorDocuments },
];

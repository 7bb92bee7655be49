//! NVIDIA products: name, architecture and the numbers that tuning looks at.
//!
//! Input to name resolution (`resolve`) and to the roofline lines of `bench`; a product never changes what is legal,
//! that is the architecture row's business. The K80 row counts one of its two chips. Figures are the vendor's as
//! remembered from data sheets, not measured: no limit may depend on them.

use crate::backend::Backend;
use crate::product::{Product, Source};

/// Nvidia products: one row a product, sorted as the vendor names generations.
#[rustfmt::skip]
pub const NVIDIA_PRODUCTS: &[Product] = &[
    Product { name: "k80", aliases: &["tesla-k80"], backend: Backend::Cuda, arch: "sm_35", compute_units: 13, bandwidth_gb_s: Some(240.0), f16_dense_tflops: None, f32_tflops: Some(4.4), source: Source::VendorDocuments },
    Product { name: "p100", aliases: &["p100-pcie-16gb", "p100-sxm2-16gb"], backend: Backend::Cuda, arch: "sm_60", compute_units: 56, bandwidth_gb_s: Some(732.0), f16_dense_tflops: None, f32_tflops: Some(10.6), source: Source::VendorDocuments },
    Product { name: "p40", aliases: &[], backend: Backend::Cuda, arch: "sm_61", compute_units: 30, bandwidth_gb_s: Some(346.0), f16_dense_tflops: None, f32_tflops: Some(12.0), source: Source::VendorDocuments },
    Product { name: "v100", aliases: &["v100-sxm2-16gb", "v100-sxm2-32gb", "v100-sxm3-32gb", "v100-pcie-16gb", "v100-pcie-32gb", "v100-sxm2", "v100-pcie"], backend: Backend::Cuda, arch: "sm_70", compute_units: 80, bandwidth_gb_s: Some(900.0), f16_dense_tflops: Some(125.0), f32_tflops: Some(15.7), source: Source::VendorDocuments },
    Product { name: "t4", aliases: &[], backend: Backend::Cuda, arch: "sm_75", compute_units: 40, bandwidth_gb_s: Some(320.0), f16_dense_tflops: Some(65.0), f32_tflops: Some(8.1), source: Source::VendorDocuments },
    Product { name: "a100", aliases: &["a100-40gb", "a100-sxm4-40gb", "a100-pcie-40gb", "a100-sxm", "a100-pcie"], backend: Backend::Cuda, arch: "sm_80", compute_units: 108, bandwidth_gb_s: Some(1555.0), f16_dense_tflops: Some(312.0), f32_tflops: Some(19.5), source: Source::VendorDocuments },
    Product { name: "a100-80gb", aliases: &["a100-sxm4-80gb", "a100-80gb-pcie", "a100-pcie-80gb"], backend: Backend::Cuda, arch: "sm_80", compute_units: 108, bandwidth_gb_s: Some(2039.0), f16_dense_tflops: Some(312.0), f32_tflops: Some(19.5), source: Source::VendorDocuments },
    Product { name: "a30", aliases: &[], backend: Backend::Cuda, arch: "sm_80", compute_units: 56, bandwidth_gb_s: Some(933.0), f16_dense_tflops: Some(165.0), f32_tflops: Some(10.3), source: Source::VendorDocuments },
    Product { name: "a10", aliases: &[], backend: Backend::Cuda, arch: "sm_86", compute_units: 72, bandwidth_gb_s: Some(600.0), f16_dense_tflops: Some(125.0), f32_tflops: Some(31.2), source: Source::VendorDocuments },
    Product { name: "a40", aliases: &[], backend: Backend::Cuda, arch: "sm_86", compute_units: 84, bandwidth_gb_s: Some(696.0), f16_dense_tflops: Some(150.0), f32_tflops: Some(37.4), source: Source::VendorDocuments },
    Product { name: "l4", aliases: &[], backend: Backend::Cuda, arch: "sm_89", compute_units: 58, bandwidth_gb_s: Some(300.0), f16_dense_tflops: Some(121.0), f32_tflops: Some(30.3), source: Source::VendorDocuments },
    Product { name: "l40", aliases: &[], backend: Backend::Cuda, arch: "sm_89", compute_units: 142, bandwidth_gb_s: Some(864.0), f16_dense_tflops: Some(181.0), f32_tflops: Some(90.5), source: Source::VendorDocuments },
    Product { name: "l40s", aliases: &[], backend: Backend::Cuda, arch: "sm_89", compute_units: 142, bandwidth_gb_s: Some(864.0), f16_dense_tflops: Some(362.0), f32_tflops: Some(91.6), source: Source::VendorDocuments },
    Product { name: "h100", aliases: &["h100-sxm", "h100-sxm5", "h100-80gb-hbm3", "h100-80gb"], backend: Backend::Cuda, arch: "sm_90", compute_units: 132, bandwidth_gb_s: Some(3350.0), f16_dense_tflops: Some(989.0), f32_tflops: Some(67.0), source: Source::VendorDocuments },
    Product { name: "h100-pcie", aliases: &[], backend: Backend::Cuda, arch: "sm_90", compute_units: 114, bandwidth_gb_s: Some(2000.0), f16_dense_tflops: Some(756.0), f32_tflops: Some(51.0), source: Source::VendorDocuments },
    Product { name: "h200", aliases: &["h200-sxm"], backend: Backend::Cuda, arch: "sm_90", compute_units: 132, bandwidth_gb_s: Some(4800.0), f16_dense_tflops: Some(989.0), f32_tflops: Some(67.0), source: Source::VendorDocuments },
    Product { name: "gh200", aliases: &["gh200-480gb"], backend: Backend::Cuda, arch: "sm_90", compute_units: 132, bandwidth_gb_s: Some(4900.0), f16_dense_tflops: Some(989.0), f32_tflops: Some(67.0), source: Source::VendorDocuments },
    Product { name: "b200", aliases: &[], backend: Backend::Cuda, arch: "sm_100", compute_units: 148, bandwidth_gb_s: Some(8000.0), f16_dense_tflops: Some(2250.0), f32_tflops: Some(75.0), source: Source::VendorDocuments },
    Product { name: "gb200", aliases: &[], backend: Backend::Cuda, arch: "sm_100", compute_units: 148, bandwidth_gb_s: Some(8000.0), f16_dense_tflops: Some(2500.0), f32_tflops: Some(80.0), source: Source::VendorDocuments },
    Product { name: "b300", aliases: &[], backend: Backend::Cuda, arch: "sm_103", compute_units: 148, bandwidth_gb_s: Some(8000.0), f16_dense_tflops: Some(2250.0), f32_tflops: Some(75.0), source: Source::VendorDocuments },
    Product { name: "rtx2060", aliases: &[], backend: Backend::Cuda, arch: "sm_75", compute_units: 30, bandwidth_gb_s: Some(336.0), f16_dense_tflops: None, f32_tflops: None, source: Source::VendorDocuments },
    Product { name: "rtx2070", aliases: &[], backend: Backend::Cuda, arch: "sm_75", compute_units: 36, bandwidth_gb_s: Some(448.0), f16_dense_tflops: None, f32_tflops: None, source: Source::VendorDocuments },
    Product { name: "rtx2080", aliases: &[], backend: Backend::Cuda, arch: "sm_75", compute_units: 46, bandwidth_gb_s: Some(448.0), f16_dense_tflops: None, f32_tflops: None, source: Source::VendorDocuments },
    Product { name: "rtx2080ti", aliases: &[], backend: Backend::Cuda, arch: "sm_75", compute_units: 68, bandwidth_gb_s: Some(616.0), f16_dense_tflops: None, f32_tflops: Some(13.4), source: Source::VendorDocuments },
    Product { name: "rtx3060", aliases: &[], backend: Backend::Cuda, arch: "sm_86", compute_units: 28, bandwidth_gb_s: Some(360.0), f16_dense_tflops: None, f32_tflops: Some(12.7), source: Source::VendorDocuments },
    Product { name: "rtx3070", aliases: &[], backend: Backend::Cuda, arch: "sm_86", compute_units: 46, bandwidth_gb_s: Some(448.0), f16_dense_tflops: None, f32_tflops: Some(20.3), source: Source::VendorDocuments },
    Product { name: "rtx3070ti", aliases: &[], backend: Backend::Cuda, arch: "sm_86", compute_units: 48, bandwidth_gb_s: Some(608.0), f16_dense_tflops: None, f32_tflops: Some(21.7), source: Source::VendorDocuments },
    Product { name: "rtx3080", aliases: &[], backend: Backend::Cuda, arch: "sm_86", compute_units: 68, bandwidth_gb_s: Some(760.0), f16_dense_tflops: None, f32_tflops: Some(29.8), source: Source::VendorDocuments },
    Product { name: "rtx3080ti", aliases: &[], backend: Backend::Cuda, arch: "sm_86", compute_units: 80, bandwidth_gb_s: Some(912.0), f16_dense_tflops: None, f32_tflops: Some(34.1), source: Source::VendorDocuments },
    Product { name: "rtx3090", aliases: &[], backend: Backend::Cuda, arch: "sm_86", compute_units: 82, bandwidth_gb_s: Some(936.0), f16_dense_tflops: Some(71.0), f32_tflops: Some(35.6), source: Source::VendorDocuments },
    Product { name: "rtx3090ti", aliases: &[], backend: Backend::Cuda, arch: "sm_86", compute_units: 84, bandwidth_gb_s: Some(1008.0), f16_dense_tflops: Some(80.0), f32_tflops: Some(40.0), source: Source::VendorDocuments },
    Product { name: "rtx4060", aliases: &[], backend: Backend::Cuda, arch: "sm_89", compute_units: 24, bandwidth_gb_s: Some(272.0), f16_dense_tflops: None, f32_tflops: Some(15.1), source: Source::VendorDocuments },
    Product { name: "rtx4070", aliases: &[], backend: Backend::Cuda, arch: "sm_89", compute_units: 46, bandwidth_gb_s: Some(504.0), f16_dense_tflops: None, f32_tflops: Some(29.1), source: Source::VendorDocuments },
    Product { name: "rtx4080", aliases: &[], backend: Backend::Cuda, arch: "sm_89", compute_units: 76, bandwidth_gb_s: Some(717.0), f16_dense_tflops: None, f32_tflops: Some(48.7), source: Source::VendorDocuments },
    Product { name: "rtx4090", aliases: &[], backend: Backend::Cuda, arch: "sm_89", compute_units: 128, bandwidth_gb_s: Some(1008.0), f16_dense_tflops: Some(165.0), f32_tflops: Some(82.6), source: Source::VendorDocuments },
    Product { name: "rtx5070", aliases: &[], backend: Backend::Cuda, arch: "sm_120", compute_units: 48, bandwidth_gb_s: Some(672.0), f16_dense_tflops: None, f32_tflops: Some(30.9), source: Source::VendorDocuments },
    Product { name: "rtx5080", aliases: &[], backend: Backend::Cuda, arch: "sm_120", compute_units: 84, bandwidth_gb_s: Some(960.0), f16_dense_tflops: None, f32_tflops: Some(56.3), source: Source::VendorDocuments },
    Product { name: "rtx5090", aliases: &[], backend: Backend::Cuda, arch: "sm_120", compute_units: 170, bandwidth_gb_s: Some(1792.0), f16_dense_tflops: Some(209.0), f32_tflops: Some(104.8), source: Source::VendorDocuments },
    Product { name: "gb10", aliases: &["dgx-spark"], backend: Backend::Cuda, arch: "sm_121", compute_units: 48, bandwidth_gb_s: Some(273.0), f16_dense_tflops: None, f32_tflops: None, source: Source::VendorDocuments },
    Product { name: "orin", aliases: &["jetson-orin", "agx-orin"], backend: Backend::Cuda, arch: "sm_87", compute_units: 16, bandwidth_gb_s: Some(205.0), f16_dense_tflops: None, f32_tflops: Some(5.3), source: Source::VendorDocuments },
    Product { name: "thor", aliases: &["jetson-thor", "agx-thor"], backend: Backend::Cuda, arch: "sm_110", compute_units: 20, bandwidth_gb_s: Some(273.0), f16_dense_tflops: None, f32_tflops: None, source: Source::VendorDocuments },
];

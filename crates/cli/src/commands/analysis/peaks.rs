//! What a device of a target could reach: memory bandwidth and peaks of arithmetic, from the product table.
//!
//! Worked example, h200: 4800 GB/s and 989 TFLOP/s in f16. A kernel that moves 48 MB and does 1 GFLOP in f16 takes 10
//! µs at least (bytes 10 µs, operations 1 µs). It is a bound, no measurement: caches may make a kernel faster,
//! latencies make small ones slower.

use std::collections::BTreeMap;

use fornax_module::manifest::TargetEntry;
use fornax_targets::amd_products::AMD_PRODUCTS;
use fornax_targets::nvidia_products::NVIDIA_PRODUCTS;
use fornax_targets::product::ARITHMETIC;
use fornax_targets::{Backend, Product};
use serde::Serialize;

/// A product that runs a target's code at full speed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DeviceRow {
    pub name: &'static str,
    /// GB/s (10⁹ bytes).
    pub bandwidth: Option<f64>,
    /// TFLOP/s by arithmetic.
    pub peaks: BTreeMap<&'static str, f64>,
}

/// The products of a target's architecture with figures, the one that the user named first.
pub fn rows(target: &TargetEntry) -> Vec<DeviceRow> {
    let products: &[Product] = match Backend::parse(&target.backend) {
        Ok(Backend::Cuda) => NVIDIA_PRODUCTS,
        Ok(Backend::Rocm) => AMD_PRODUCTS,
        _ => &[],
    };
    // `sm_90a` is code for the products of sm_90.
    let arch = target.arch.split(',').next().unwrap_or_default();
    let arch = if target.backend == "cuda" { arch.trim_end_matches(['a', 'f']) } else { arch };
    let known = |product: &&Product| product.arch == arch && product.bandwidth_gb_s.is_some();
    let mut found: Vec<&Product> = products.iter().filter(known).collect();
    found.sort_by_key(|product| target.product.as_deref() != Some(product.name));
    found.into_iter().map(row).collect()
}

fn row(product: &Product) -> DeviceRow {
    let mut names: Vec<&'static str> = ARITHMETIC.iter().map(|row| row.0).collect();
    names.dedup();
    let peaks = names.into_iter().filter_map(|name| Some((name, product.peak_tflops(name)?))).collect();
    DeviceRow { name: product.name, bandwidth: product.bandwidth_gb_s, peaks }
}

impl DeviceRow {
    /// The least time of a launch, microseconds; `None` where neither bandwidth nor peak is known for it.
    pub fn least_us(&self, bytes: u64, flops: u64, arithmetic: &str) -> Option<f64> {
        let memory = self.bandwidth.map(|rate| bytes as f64 / rate * 1e-3);
        let operations = self.peaks.get(arithmetic).filter(|_| flops > 0).map(|peak| flops as f64 / peak * 1e-6);
        match (memory, operations) {
            (Some(a), Some(b)) => Some(a.max(b)),
            (a, b) => a.or(b),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(backend: &str, arch: &str, product: Option<&str>) -> TargetEntry {
        let product = product.map(str::to_string);
        TargetEntry { backend: backend.into(), arch: arch.into(), product, ..TargetEntry::default() }
    }

    #[test]
    fn the_named_product_comes_first() {
        let found = rows(&target("cuda", "sm_90a", Some("h200")));
        assert_eq!(found[0].name, "h200");
        assert!(found.len() > 1 && found[1..].iter().any(|row| row.name == "h100"));
        let us = found[0].least_us(48_000_000, 1_000_000_000, "f16").unwrap();
        assert!((us - 10.0).abs() < 1e-9, "{us}");
        let us = found[0].least_us(0, 989_000_000_000, "f16").unwrap();
        assert!((us - 1000.0).abs() < 1e-9, "{us}");
    }

    #[test]
    fn processors_have_no_rows_and_amd_has_figures() {
        assert!(rows(&target("cpu", "x86-64-v3", None)).is_empty());
        let found = rows(&target("rocm", "gfx942", None));
        let mi300x = found.iter().find(|row| row.name == "mi300x").unwrap();
        assert!(
            ["f16", "tf32", "f32", "f64", "i8", "f8"].iter().all(|name| mi300x.peaks.contains_key(name)),
            "{found:?}"
        );
    }
}

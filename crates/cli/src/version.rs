//! What `fornax --version` prints: the version, and the parts that this build has.

use std::sync::OnceLock;

use fornax_runtime::registry::DRIVERS;

/// `0.1.0`, and on the next line `features: compiler, cuda, rocm, opencl, cpu`.
pub fn text() -> &'static str {
    static TEXT: OnceLock<String> = OnceLock::new();
    TEXT.get_or_init(|| format!("{}\nfeatures: {}", env!("CARGO_PKG_VERSION"), features().join(", ")))
}

/// The parts of this build, by the names that `cargo build --features` takes.
fn features() -> Vec<&'static str> {
    let compiler = cfg!(feature = "compiler").then_some("compiler");
    let drivers = DRIVERS.iter().filter(|row| row.enabled && row.listed).map(|row| row.name);
    // Accepted; the docs say what they do.
    let others = [
        ("simd", cfg!(feature = "simd")),
        ("parallel", cfg!(feature = "parallel")),
        ("metal-gpu", cfg!(feature = "metal-gpu")),
    ];
    let others = others.into_iter().filter(|row| row.1).map(|row| row.0);
    compiler.into_iter().chain(drivers).chain(others).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_feature_is_listed_if_it_is_built() {
        let text = text();
        let listed = text.split_once("features: ").unwrap().1;
        let has = |name: &str| listed.split(", ").any(|feature| feature == name);
        assert_eq!(has("cuda"), cfg!(feature = "cuda"), "{text}");
        assert_eq!(has("compiler"), cfg!(feature = "compiler"), "{text}");
        assert_eq!(has("metal-gpu"), cfg!(feature = "metal-gpu"), "{text}");
    }
}

//! What this processor can do, in the names of Rust's feature detection, which targets use for what an image needs.

/// Rows of (name, detected here).
macro_rules! detected {
    ($detect:ident: $($name:tt),* $(,)?) => {
        [$(($name, std::arch::$detect!($name))),*]
    };
}

/// The features found, sorted by name.
#[cfg(target_arch = "x86_64")]
pub fn host_features() -> Vec<&'static str> {
    let rows = detected!(is_x86_feature_detected:
        "adx", "aes", "avx", "avx2", "avx512bf16",
        "avx512bitalg", "avx512bw", "avx512cd", "avx512dq",
        "avx512f", "avx512fp16", "avx512ifma", "avx512vbmi",
        "avx512vbmi2", "avx512vl", "avx512vnni",
        "avx512vpopcntdq", "avxvnni", "bmi1", "bmi2",
        "cmpxchg16b", "f16c", "fma", "fxsr", "gfni", "lzcnt",
        "movbe", "pclmulqdq", "popcnt", "sha", "sse", "sse2",
        "sse3", "sse4.1", "sse4.2", "ssse3", "vaes",
        "vpclmulqdq", "xsave",
    );
    present(&rows)
}

/// The features found, sorted by name.
#[cfg(target_arch = "aarch64")]
pub fn host_features() -> Vec<&'static str> {
    let rows = detected!(is_aarch64_feature_detected:
        "aes", "bf16", "fcma", "crc", "dotprod",
        "fhm", "fp16", "i8mm", "jsconv", "lse", "neon",
        "rcpc", "rdm", "sha2", "sve", "sve2",
    );
    present(&rows)
}

/// The features found, sorted by name.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub fn host_features() -> Vec<&'static str> {
    Vec::new()
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn present(rows: &[(&'static str, bool)]) -> Vec<&'static str> {
    rows.iter().filter(|row| row.1).map(|row| row.0).collect()
}

/// The processor's name as the system tells it.
pub(super) fn processor_name() -> String {
    let table = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = table.lines().find_map(|line| line.strip_prefix("model name"));
    let name = line.map(|line| line.trim_start_matches([' ', '\t', ':']).trim().to_string());
    name.filter(|name| !name.is_empty()).unwrap_or_else(|| std::env::consts::ARCH.to_string())
}

/// The processor's highest clock as the system tells it, else its clock now, MHz.
pub(super) fn clock_mhz() -> Option<u32> {
    let highest = std::fs::read_to_string("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq").ok();
    let highest = highest.and_then(|text| text.trim().parse::<u32>().ok()).map(|khz| khz / 1000);
    let now = || {
        let table = std::fs::read_to_string("/proc/cpuinfo").ok()?;
        let line = table.lines().find_map(|line| line.strip_prefix("cpu MHz"))?;
        line.trim_start_matches([' ', '\t', ':']).trim().parse::<f64>().ok().map(|mhz| mhz as u32)
    };
    highest.or_else(now).filter(|mhz| *mhz > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_sorted() {
        let features = host_features();
        assert!(features.is_sorted(), "{features:?}");
        #[cfg(target_arch = "x86_64")]
        assert!(features.contains(&"sse2"));
        assert!(!processor_name().is_empty());
    }
}

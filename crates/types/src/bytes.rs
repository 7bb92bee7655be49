//! Amounts of memory for people.

/// `1.5 MiB`, and bytes below a KiB.
pub fn bytes_text(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    let power = (bytes.max(1).ilog2() / 10).min(UNITS.len() as u32);
    match UNITS.get((power as usize).wrapping_sub(1)) {
        Some(unit) => format!("{:.1} {unit}", bytes as f64 / (1u64 << (10 * power)) as f64),
        None => format!("{bytes} bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_for_people() {
        for (bytes, text) in [(0, "0 bytes"), (1023, "1023 bytes"), (1536, "1.5 KiB"), (u64::MAX, "16777216.0 TiB")] {
            assert_eq!(bytes_text(bytes), text);
        }
    }
}

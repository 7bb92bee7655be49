//! Amounts of memory on the command line: `4096`, `64MiB`, `2G`, `1.5GB`.
//!
//! `K`, `M`, `G` and `T`, alone or with `iB`, are powers of 1024; with `B` they are powers of 1000. Case does not
//! matter.

/// The bytes that a text says; what is less than a byte goes.
///
/// # Errors
/// A text that is no number with one of these units, or more than 2⁶⁴ − 1 bytes.
pub fn parse(text: &str) -> Result<u64, String> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let unit = unit.trim_start().to_ascii_lowercase();
    let (letter, base) = match unit.strip_suffix("ib") {
        Some(letter) => (letter, 1024u128),
        None => match unit.strip_suffix('b') {
            Some(letter) => (letter, 1000),
            None => (unit.as_str(), 1024),
        },
    };
    let wrong =
        || format!("`{text}` is no amount of memory: a number, then nothing, K, M, G or T, or these with B or iB");
    let power = ["", "k", "m", "g", "t"].iter().position(|&known| known == letter).ok_or_else(wrong)?;
    if power == 0 && unit == "ib" {
        return Err(wrong());
    }
    let (whole, part) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() || number.ends_with('.') || part.contains('.') || part.len() > 18 {
        return Err(wrong());
    }
    let scale = base.pow(power as u32);
    let digits = |text: &str| if text.is_empty() { Some(0) } else { text.parse::<u64>().ok().map(u128::from) };
    let too_large = || format!("`{text}` is more than {} bytes", u64::MAX);
    let (whole, fraction) = (digits(whole).ok_or_else(too_large)?, digits(part).ok_or_else(wrong)?);
    let bytes = whole * scale + fraction * scale / 10u128.pow(part.len() as u32);
    u64::try_from(bytes).map_err(|_| too_large())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_with_and_without_units() {
        let known = [
            ("0", 0),
            ("4096", 4096),
            ("7B", 7),
            ("1k", 1024),
            ("1K", 1024),
            ("2KiB", 2048),
            ("2kB", 2000),
            ("1.5G", 3 << 29),
            ("64 MiB", 64 << 20),
            ("0.5b", 0),
            ("1T", 1 << 40),
            ("18446744073709551615", u64::MAX),
            ("16777215.999999T", 18446744073708452104),
        ];
        for (text, bytes) in known {
            assert_eq!(parse(text), Ok(bytes), "{text}");
        }
        let wrong = [
            "",
            "K",
            "-1",
            "1e3",
            "0x10",
            ".5K",
            "1.",
            "1.2.3",
            "1P",
            "1KK",
            "1iB",
            "16777216T",
            "18446744073709551616",
            "١",
        ];
        for text in wrong {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}

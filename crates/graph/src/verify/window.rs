//! How often a window fits along a dimension.
//!
//! Input: a size, dilations, padding and stride as an op gives them. Output: the number of positions, or the fault that
//! a number is beyond what indices are computed with. Of 10 elements padded by (1, 1), a window of 3 dilated by 2 spans
//! 5 and has, by 2, (12 - 5) / 2 + 1 = 4.

use super::check::{Fault, Size, VALUE, Verdict, ensure};

/// Positions of a padded input, of a window, and steps between them are fewer: an index times a stride of a tensor
/// still fits 64 bits.
const MOST: i128 = 1 << 46;

/// Sizes of windows, strides and dilations: 1 to 2^46.
pub fn ensure_factors(name: &str, values: &[i64]) -> Verdict {
    ensure(values.iter().all(|&v| v > 0), VALUE, || format!("`{name}` must be positive"))?;
    ensure(values.iter().all(|&v| i128::from(v) <= MOST), VALUE, || format!("`{name}` must be at most 2^46"))
}

/// Number of window positions along a dimension: dilated and padded input, dilated window, stride. Unknown where the
/// input is.
pub fn window_positions(
    input: Size,
    base_dilation: i64,
    padding: (i64, i64),
    window: i64,
    window_dilation: i64,
    stride: i64,
) -> Result<Size, Fault> {
    let dilated = |n: i64, by: i64| if n == 0 { 0 } else { (i128::from(n) - 1) * i128::from(by) + 1 };
    let (low, high) = (i128::from(padding.0), i128::from(padding.1));
    let span = dilated(window, window_dilation);
    let padded = dilated(input.unwrap_or(0), base_dilation) + low + high;
    ensure([span, low.abs(), high.abs(), padded].iter().all(|&n| n <= MOST), VALUE, || {
        format!(
            "a window over {span} positions of {padded}, {low} and {high} of them padding, is beyond 2^46 positions"
        )
    })?;
    let count = if padded < span || padded <= 0 { 0 } else { (padded - span) / i128::from(stride) + 1 };
    // At most `MOST` and one.
    Ok(input.map(|_| count as i64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_counted() {
        assert_eq!(window_positions(Some(10), 1, (1, 1), 3, 2, 2), Ok(Some(4)));
        assert_eq!(window_positions(Some(3), 2, (0, -1), 2, 1, 1), Ok(Some(3)));
        assert_eq!(window_positions(Some(2), 1, (0, 0), 3, 1, 1), Ok(Some(0)));
        assert_eq!(window_positions(Some(0), 1, (0, 0), 0, 1, 1), Ok(Some(0)));
        assert_eq!(window_positions(None, 1, (0, 0), 3, 1, 1), Ok(None));
    }

    #[test]
    fn numbers_beyond_indices_are_refused() {
        let refused = |input, base, padding, window, dilation| {
            assert_eq!(window_positions(input, base, padding, window, dilation, 1).unwrap_err().code, VALUE);
        };
        refused(Some(10), 1, (0, 1), 3, i64::MAX);
        refused(Some(10), i64::MAX, (0, 0), 3, 1);
        refused(Some(10), 1, (i64::MAX, i64::MIN), 3, 1);
        refused(None, 1, (0, i64::MIN), 3, 1);
        assert!(ensure_factors("window_strides", &[1, 1 << 46]).is_ok());
        assert!(ensure_factors("window_strides", &[1, 0]).is_err());
        assert!(ensure_factors("window_strides", &[i64::MAX]).is_err());
    }
}

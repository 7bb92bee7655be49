//! Names that schedules had before the field's words were taken. Tuning locks of users, `--schedule=` and `--only=` may
//! still hold them.

use std::borrow::Cow;

/// First word of a way once, and today.
const FORMER: &[(&str, &str)] =
    &[("exchange", "transpose"), ("matrix", "mma"), ("skinny", "gemv"), ("warpgroup", "wgmma")];

/// A way, or the beginning of one, with today's first word.
pub fn current(way: &str) -> Cow<'_, str> {
    let (first, others) = way.split_at(way.find(' ').unwrap_or(way.len()));
    match FORMER.iter().find(|(former, _)| *former == first) {
        Some((_, name)) => format!("{name}{others}").into(),
        None => way.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::{FORMER, current};
    use crate::FAMILIES;

    #[test]
    fn former_names_are_those_of_families() {
        assert_eq!(current("skinny matrix lanes 8"), "gemv matrix lanes 8");
        assert_eq!(current("warpgroup"), "wgmma");
        assert_eq!(current("row vector 4"), "row vector 4");
        for (former, name) in FORMER {
            let known = |word: &str| FAMILIES.iter().any(|family| family.name == word);
            assert!(known(name) && !known(former), "{former}: {name}");
        }
    }
}

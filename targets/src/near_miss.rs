//! "Did you mean": the nearest known names to a mistyped one.

/// The up to three `candidates` nearest to `wanted`, best first; none when nothing is near enough (more than a third of
/// the letters wrong).
pub fn nearest<'a>(wanted: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let wanted: Vec<char> = wanted.chars().take(64).collect();
    let limit = (wanted.len() / 3).max(1);
    let mut scored: Vec<(usize, &str)> = candidates
        .into_iter()
        .map(|name| (edit_distance(&wanted, &name.chars().collect::<Vec<_>>()), name))
        .filter(|(distance, _)| *distance <= limit)
        .collect();
    scored.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.cmp(b.1)));
    scored.dedup_by(|a, b| a.1 == b.1);
    scored.into_iter().take(3).map(|(_, name)| name.to_string()).collect()
}

/// Edits (insert, delete, replace, swap of neighbours) that turn `a` into `b`.
fn edit_distance(a: &[char], b: &[char]) -> usize {
    let width = b.len() + 1;
    let mut table = vec![0usize; (a.len() + 1) * width];
    for (column, cell) in table.iter_mut().take(width).enumerate() {
        *cell = column;
    }
    for i in 1..=a.len() {
        table[i * width] = i;
        for j in 1..=b.len() {
            let replace = table[(i - 1) * width + j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replace.min(table[(i - 1) * width + j] + 1).min(table[i * width + j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(table[(i - 2) * width + j - 2] + 1);
            }
            table[i * width + j] = best;
        }
    }
    table[a.len() * width + b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_swapped_or_missing_letter_is_found_and_nonsense_is_not() {
        assert_eq!(nearest("sm_08", ["sm_80", "sm_90", "gfx908"]), ["sm_80"]);
        assert_eq!(nearest("hoper", ["hopper", "volta"]), ["hopper"]);
        assert!(nearest("teapot", ["sm_80", "gfx908"]).is_empty());
        assert!(nearest("", ["sm_80"]).is_empty());
    }
}

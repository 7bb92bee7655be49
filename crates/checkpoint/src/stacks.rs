//! Stacks: a name with a `*` stands for the tensors that have 0, 1, … in its place, one behind the other.
//!
//! Worked example: `experts.*.w1.weight` of `[8, 14336, 4096]` is `experts.0.w1.weight` to `experts.7.w1.weight`, each
//! of `[14336, 4096]`.

/// What stands for numbers.
const PLACE: char = '*';

/// Whether a name stands for several tensors.
pub fn is_stack(name: &str) -> bool {
    name.contains(PLACE)
}

/// The name of tensor `number` of a stack.
pub fn part(name: &str, number: u64) -> String {
    name.replacen(PLACE, &number.to_string(), 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_have_numbers() {
        assert_eq!(part("a.3.b.*.c", 12), "a.3.b.12.c");
        assert!(is_stack("a.*.c") && !is_stack("a.0.c"));
    }
}

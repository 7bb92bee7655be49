//! The collectives of a program for `inspect`: what each does, among how many devices, its bytes, and how often it
//! stands in the program.
//!
//! ```text
//! all_reduce add f32, 1 group(s) of 8: 512 bytes a device -> 512, 24 times, 1.8 us each
//! ```
//!
//! Times are predicted for the GPUs that `fornax_targets::fitted::collectives` was measured on.

use fornax_module::program::{Command, ExprId, Program};
use fornax_targets::fitted::collectives::microseconds;

/// One line for equal collectives, in the order in which each first stands in the blocks.
pub fn texts(program: &Program, targets: &[String]) -> Vec<String> {
    let values = program.evaluate_known(&[]);
    let known = |expr: ExprId| values.get(expr as usize).and_then(|value| value.known());
    let bytes = |expr: ExprId| known(expr).map_or("?".into(), |n| n.to_string());
    let is_measured = targets.iter().any(|target| target.starts_with("cuda:sm_90"));
    let text = |command: &Command| match command {
        Command::Collective { collective, source, target } => {
            let (kind, size) = (collective.kind.name(), collective.group_size());
            let reducer = collective.reducer.map_or(String::new(), |reducer| format!(" {}", reducer.name()));
            let text = format!(
                "{kind}{reducer} {}, {} group(s) of {size}: {} bytes a device -> {}",
                collective.element.spelling(),
                collective.groups.len(),
                bytes(source.length),
                bytes(target.length)
            );
            let length = known(source.length).filter(|_| is_measured);
            let time = length.and_then(|n| microseconds(kind, n, u32::try_from(size).unwrap_or(u32::MAX)));
            Some((text, time.map_or(String::new(), |us| format!(", {us:.1} us each"))))
        }
        _ => None,
    };
    counted(program.blocks.iter().flat_map(|block| &block.commands).filter_map(text))
}

/// Equal texts once, with their number; what stands behind it.
fn counted(texts: impl Iterator<Item = (String, String)>) -> Vec<String> {
    let mut found: Vec<((String, String), usize)> = Vec::new();
    for text in texts {
        match found.iter_mut().find(|(known, _)| *known == text) {
            Some((_, times)) => *times += 1,
            None => found.push((text, 1)),
        }
    }
    let times = |times| if times > 1 { format!(", {times} times") } else { String::new() };
    found.into_iter().map(|((text, behind), n)| format!("{text}{}{behind}", times(n))).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn equal_ones_are_one_line() {
        let texts = ["sum", "gather", "sum", "sum"].map(|text| (text.to_string(), "; 2 us".to_string()));
        assert_eq!(super::counted(texts.into_iter()), ["sum, 3 times; 2 us", "gather; 2 us"]);
    }
}

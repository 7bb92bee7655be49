//! The collectives of a program for `inspect`: what each does, among how many devices, and its bytes.
//!
//! ```text
//! all_reduce add f32, 1 group(s) of 8: 512 bytes a device -> 512
//! ```

use fornax_module::program::{Command, ExprId, Program};

/// One line a collective, in the order of the blocks.
pub fn texts(program: &Program) -> Vec<String> {
    let values = program.evaluate_known(&[]);
    let bytes = |expr: ExprId| values.get(expr as usize).and_then(|value| value.known()).map(|n| n.to_string());
    let bytes = |expr: ExprId| bytes(expr).unwrap_or_else(|| "?".into());
    let text = |command: &Command| match command {
        Command::Collective { collective, source, target } => {
            let reducer = collective.reducer.map_or(String::new(), |reducer| format!(" {}", reducer.name()));
            Some(format!(
                "{}{reducer} {}, {} group(s) of {}: {} bytes a device -> {}",
                collective.kind.name(),
                collective.element.spelling(),
                collective.groups.len(),
                collective.group_size(),
                bytes(source.length),
                bytes(target.length)
            ))
        }
        _ => None,
    };
    program.blocks.iter().flat_map(|block| &block.commands).filter_map(text).collect()
}

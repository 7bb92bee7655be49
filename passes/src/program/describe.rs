//! A planned program as text: kernels with their loops, commands with their spans, memory.
//!
//! ```text
//! @main: 1 input, 1 output, arena 0 bytes (0 without sharing)
//!   dispatch loop_0_multiply_add_sine grid 7813 [input 0 +0 64B, output 0 +0 64B]
//! ```
//!
//! What loops and branches run stands between `{` and `}`.

use std::fmt::Write;

use fornax_module::program::{Access, Command, ExprId, SizeExpr, Space, Span};

use super::Planned;

pub fn text(planned: &Planned) -> String {
    let mut out = String::new();
    let program = &planned.program;
    for (kernel, plan) in program.kernels.iter().zip(&planned.kernels) {
        let (grid, threads) = plan.launch();
        let _ = writeln!(out, "{}: grid {} threads {threads}", kernel.name, grid[0]);
        out.push_str(&plan.print());
        out.push('\n');
    }
    for (function, memory) in program.functions.iter().zip(&planned.memory) {
        let _ = writeln!(
            out,
            "@{}: {} inputs, {} outputs, arena {} bytes ({} without sharing)",
            function.name,
            function.input_bytes.len(),
            function.output_bytes.len(),
            memory.arena_bytes,
            memory.unshared_bytes
        );
        block(planned, function.body, 1, &mut out);
    }
    if let Some(load) = program.load {
        let _ = writeln!(out, "load: {} bytes persistent", program.persistent_bytes);
        block(planned, load, 1, &mut out);
    }
    let _ = writeln!(out, "constants: {} bytes in {} places", planned.constants_bytes, planned.constants.len());
    out
}

/// The commands of a block, those of loops and branches inside them.
fn block(planned: &Planned, number: u32, depth: usize, out: &mut String) {
    let indent = "  ".repeat(depth);
    let commands = planned.program.blocks.get(number as usize).map_or(&[][..], |block| &block.commands);
    for command in commands {
        let _ = writeln!(out, "{indent}{}", describe(planned, command));
        let (first, between, second) = match *command {
            Command::If { then_block, else_block, .. } => (Some(then_block), "} else {", else_block),
            Command::While { condition, body, .. } => (Some(condition), "} do {", body),
            Command::Repeat { body, .. } => (None, "", body),
            _ => continue,
        };
        if let Some(first) = first {
            block(planned, first, depth + 1, out);
            let _ = writeln!(out, "{indent}{between}");
        }
        block(planned, second, depth + 1, out);
        let _ = writeln!(out, "{indent}}}");
    }
}

fn describe(planned: &Planned, command: &Command) -> String {
    match command {
        Command::Dispatch { kernel, grid, bindings, .. } => {
            let name = planned.program.kernels.get(*kernel as usize).map_or("?", |k| k.name.as_str());
            let plan = planned.kernels.get(*kernel as usize);
            let is_early = |at: usize| plan.is_some_and(|plan| plan.early.contains(&(at as u32)));
            let spans: Vec<String> = bindings
                .iter()
                .enumerate()
                .map(|(at, b)| {
                    let arrow = if b.access == Access::Read { "" } else { "-> " };
                    let early = if is_early(at) { "early " } else { "" };
                    format!("{early}{arrow}{}", span(planned, &b.span))
                })
                .collect();
            format!("dispatch {name} grid {} [{}]", value(planned, grid[0]), spans.join(", "))
        }
        Command::Copy { source, target } => format!("copy {} -> {}", span(planned, source), span(planned, target)),
        Command::Fill { target, pattern, pattern_bytes } => {
            format!("fill {} with {pattern:#x} ({pattern_bytes}B)", span(planned, target))
        }
        Command::Collective { collective, source, target } => {
            let reducer = collective.reducer.map_or(String::new(), |reducer| format!(" {}", reducer.name()));
            format!(
                "{}{reducer} {} {:?} {} -> {}",
                collective.kind.name(),
                collective.element,
                collective.groups,
                span(planned, source),
                span(planned, target)
            )
        }
        Command::HostCall { number, operands, results } => {
            let texts = |spans: &[Span]| spans.iter().map(|s| span(planned, s)).collect::<Vec<_>>().join(", ");
            format!("host call {number} [{}] -> [{}]", texts(operands), texts(results))
        }
        Command::DeviceId { target, divisor, modulus } => {
            format!("device id / {divisor} % {modulus} -> {}", span(planned, target))
        }
        Command::If { predicate, .. } => format!("if {} {{", span(planned, predicate)),
        Command::While { predicate, guarded, .. } => {
            format!("while {}{} {{", span(planned, predicate), if *guarded { " ahead" } else { "" })
        }
        Command::Repeat { count, .. } => format!("repeat {count} times {{"),
        other => format!("{other:?}"),
    }
}

fn value(planned: &Planned, id: ExprId) -> u64 {
    match planned.program.exprs.get(id as usize) {
        Some(SizeExpr::Const(n)) => *n,
        _ => 0,
    }
}

fn span(planned: &Planned, span: &Span) -> String {
    let space = match span.space {
        Space::Arena => "arena".to_string(),
        Space::Persistent => "persistent".to_string(),
        Space::Constant => "constant".to_string(),
        Space::Input(n) => format!("input {n}"),
        Space::Output(n) => format!("output {n}"),
        Space::Parameter(n) => match planned.parameters.get(n as usize) {
            Some(parameter) => format!("parameter {:?}", parameter.name),
            None => format!("parameter {n}"),
        },
        Space::Frame(n) => format!("frame {n}"),
    };
    format!("{space} +{} {}B", value(planned, span.offset), value(planned, span.length))
}

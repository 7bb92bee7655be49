//! The collectives of a program for `inspect`: what each does, among how many devices, its bytes, and how often it
//! stands in the program.
//!
//! ```text
//! all_reduce add f32, 1 group(s) of 8: 512 bytes a device -> 512, 24 times, 1.8 us each
//! ```
//!
//! Times are predicted for the GPUs that `fornax_targets::fitted::collectives` was measured on. For NVIDIA GPUs it is
//! told what long ones send ahead, or why they do not, as `fornax_runtime::hal::ahead` decides for the buffers of this
//! program.

use fornax_module::program::{Access, Block, Command, ExprId, Program, Space, Span};
use fornax_runtime::hal::MemorySpan;
use fornax_runtime::hal::ahead::{Ahead, Exchanged, Reason, Step, decide};
use fornax_targets::fitted::collectives::microseconds;

/// Bytes from one space to the next, where each space is given addresses of its own.
const SPACE_BYTES: u64 = 1 << 48;

/// One line for equal collectives, in the order in which each first stands in the blocks.
pub fn texts(program: &Program, targets: &[String]) -> Vec<String> {
    let values = program.evaluate_known(&[]);
    let known = |expr: ExprId| values.get(expr as usize).and_then(|value| value.known());
    let bytes = |expr: ExprId| known(expr).map_or("?".into(), |n| n.to_string());
    let is_measured = targets.iter().any(|target| target.starts_with("cuda:sm_90"));
    let is_sent = targets.iter().any(|target| target.starts_with("cuda"));
    let text = |block: &Block, at: usize, steps: &[Step]| match block.commands.get(at) {
        Some(Command::Collective { collective, source, target }) => {
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
            let time = time.map_or(String::new(), |us| format!(", {us:.1} us each"));
            let sent = if is_sent { sent(steps, at) } else { String::new() };
            Some((text, format!("{time}{sent}")))
        }
        _ => None,
    };
    let of = |block: &Block| -> Vec<(String, String)> {
        let span = |span: &Span, writes| {
            let (offset, bytes) = (known(span.offset)?, known(span.length)?);
            Some(MemorySpan { address: first(span.space).checked_add(offset)?, bytes, writes })
        };
        let steps: Vec<Step> =
            block.commands.iter().map(|command| step(command, &span).unwrap_or(Step::Control)).collect();
        (0..block.commands.len()).filter_map(|at| text(block, at, &steps)).collect()
    };
    counted(program.blocks.iter().flat_map(of))
}

/// What a collective sends before it begins, in words. Of short ones nothing is said.
fn sent(steps: &[Step], at: usize) -> String {
    match decide(steps, at) {
        Ok(Ahead::Whole { .. }) => ", sent ahead".into(),
        Ok(Ahead::Pieces { writers, last: true }) => format!(", {} pieces sent ahead", writers.len()),
        Ok(Ahead::Pieces { writers, .. }) => format!(", {} of {} pieces sent ahead", writers.len() - 1, writers.len()),
        Err(Reason::Short) => String::new(),
        Err(reason) => format!(", sent at once ({reason})"),
    }
}

/// The first address of a space.
fn first(space: Space) -> u64 {
    let (kind, number) = match space {
        Space::Arena => (1, 0),
        Space::Persistent => (2, 0),
        Space::Constant => (3, 0),
        Space::Input(n) => (4, n),
        Space::Output(n) => (5, n),
        Space::Parameter(n) => (6, n),
        Space::Frame(n) => (7, n),
    };
    (u64::from(number) * 8 + kind).wrapping_mul(SPACE_BYTES)
}

/// A command as far as sending ahead goes; `None` where its buffers are not known.
fn step(command: &Command, span: &dyn Fn(&Span, bool) -> Option<MemorySpan>) -> Option<Step> {
    match command {
        Command::Dispatch { bindings, .. } => {
            let spans = bindings.iter().map(|binding| span(&binding.span, binding.access != Access::Read));
            Some(Step::Kernel(spans.collect::<Option<_>>()?))
        }
        Command::Copy { target, .. } | Command::Fill { target, .. } | Command::DeviceId { target, .. } => {
            Some(Step::Write(span(target, true)?))
        }
        Command::Collective { collective, source, target } => Some(Step::Collective(Exchanged {
            kind: collective.kind,
            devices: collective.group_size() as usize,
            source: span(source, false)?,
            target: span(target, true)?,
        })),
        _ => None,
    }
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
    use fornax_module::collective::CollectiveKind;
    use fornax_module::program::Space;
    use fornax_runtime::hal::MemorySpan;
    use fornax_runtime::hal::ahead::{Exchanged, Step};

    #[test]
    fn what_is_sent_ahead_is_told() {
        let span = |space, writes| MemorySpan { address: super::first(space), bytes: 1 << 24, writes };
        let source = span(Space::Input(0), false);
        let exchange =
            |kind| Step::Collective(Exchanged { kind, devices: 2, source, target: span(Space::Arena, true) });
        let kernel = Step::Kernel(vec![span(Space::Output(0), true)]);
        let told = |before: &[Step], kind| super::sent(&[before, &[exchange(kind)]].concat(), before.len());
        assert_eq!(told(&[kernel], CollectiveKind::Permute), ", sent ahead");
        let why = ", sent at once (little runs between its source and it)";
        assert_eq!(told(&[], CollectiveKind::Permute), why);
        let halves = [0, 1 << 23]
            .map(|at| Step::Kernel(vec![MemorySpan { address: source.address + at, bytes: 1 << 23, writes: true }]));
        assert_eq!(told(&halves, CollectiveKind::AllReduce), ", 1 of 2 pieces sent ahead");
    }

    #[test]
    fn equal_ones_are_one_line() {
        let texts = ["sum", "gather", "sum", "sum"].map(|text| (text.to_string(), "; 2 us".to_string()));
        assert_eq!(super::counted(texts.into_iter()), ["sum, 3 times; 2 us", "gather; 2 us"]);
    }
}

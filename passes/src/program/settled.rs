//! What earlier launches write that is there when a launch starts: it may be read before the launch waits.
//!
//! Input: the commands of a block, the number of a launch, one of its bindings. Output: whether the launch that wrote
//! it last is over by then.
//!
//! A kernel waits for those that it depends on before it lets others start. So where C reads what B writes, and B what
//! A writes, A is over when C starts, though B is not.
//!
//! The first-level caches have nothing old of it either: they are emptied when a kernel starts and when it waits.
//! (PTX says so of the wait alone. Logits of Llama's shapes have the same bits as where the wait comes first.)
//!
//! Worked example: A stores `v = u + x·W` and `y = v ∘ g`, B computes `r = 1 / rms(v)`, C is `(y·U) r`. C starts once B
//! has waited for A: it multiplies y at once, and waits for r behind its first block.
//!
//! Limits: the last writer wrote just these bytes, at most [`WINDOW`] commands before; launches, copies and fills alone
//! between.

use std::borrow::Cow;

use fornax_module::program::{Access, Binding, Command, Program, SizeExpr, Space, Span};

/// Commands that are looked back at.
const WINDOW: usize = 16;

/// Whether what a binding of the launch at `at` reads is written before that launch starts, by one before it.
pub(super) fn is_settled(program: &Program, (commands, at): (&[Command], usize), binding: &Binding) -> bool {
    let own = commands.get(at).and_then(touched).filter(|_| binding.span.space == Space::Arena);
    let Some(own) = own else { return false };
    let writes = |b: &&Binding| b.access != Access::Read;
    let mut between: Vec<Touched<'_>> = Vec::new();
    for command in commands[at.saturating_sub(WINDOW)..at].iter().rev() {
        let Some(all) = touched(command) else { return false };
        if all.iter().filter(writes).any(|b| meet(program, b.span, binding.span)) {
            let wrote = |b: &Binding| b.access == Access::Write && b.span == binding.span;
            let reads_it = |reader: &Touched<'_>| depends(program, reader, &all);
            return matches!(command, Command::Dispatch { .. })
                && all.iter().any(wrote)
                && between.iter().any(reads_it);
        }
        if matches!(command, Command::Dispatch { .. }) && depends(program, &own, &all) {
            between.push(all);
        }
    }
    false
}

/// What a command reads and writes.
type Touched<'c> = Cow<'c, [Binding]>;

/// What a launch, a copy or a fill touches; `None` for others.
fn touched(command: &Command) -> Option<Touched<'_>> {
    let binding = |&span: &Span, access| Binding { span, access };
    Some(match command {
        Command::Dispatch { bindings, .. } => Cow::Borrowed(&bindings[..]),
        Command::Copy { source, target } => {
            Cow::Owned(vec![binding(source, Access::Read), binding(target, Access::Write)])
        }
        Command::Fill { target, .. } => Cow::Owned(vec![binding(target, Access::Write)]),
        _ => return None,
    })
}

/// Whether one command reads what another writes.
fn depends(program: &Program, reader: &[Binding], writer: &[Binding]) -> bool {
    let made = writer.iter().filter(|b| b.access != Access::Read);
    made.into_iter().any(|b| reader.iter().any(|r| reads(r) && meet(program, b.span, r.span)))
}

fn reads(binding: &Binding) -> bool {
    binding.access != Access::Write
}

/// Whether two spans may share a byte.
fn meet(program: &Program, a: Span, b: Span) -> bool {
    let known = |expr: u32| match program.exprs.get(expr as usize) {
        Some(SizeExpr::Const(value)) => Some(*value),
        _ => None,
    };
    let range = |span: Span| Some((known(span.offset)?, known(span.offset)?.checked_add(known(span.length)?)?));
    let apart = match (range(a), range(b)) {
        (Some((from, to)), Some((first, end))) => to <= first || end <= from,
        _ => false,
    };
    a.space == b.space && !apart
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A launch that reads and writes pieces of 64 bytes of the arena.
    fn launch(program: &mut Program, reads: &[u64], writes: &[u64]) -> Command {
        let length = program.constant(64);
        let mut binding = |&at: &u64, access| {
            let offset = program.constant(64 * at);
            Binding { span: Span { space: Space::Arena, offset, length }, access }
        };
        let mut bindings: Vec<Binding> = reads.iter().map(|at| binding(at, Access::Read)).collect();
        bindings.extend(writes.iter().map(|at| binding(at, Access::Write)));
        let one = program.constant(1);
        Command::Dispatch { kernel: 0, grid: [one; 3], bindings, constants: Vec::new() }
    }

    /// Which reads of the last of some launches are settled, by pieces read and written.
    fn settled(launches: &[(&[u64], &[u64])]) -> Vec<bool> {
        let mut program = Program::default();
        let commands: Vec<Command> = launches.iter().map(|(r, w)| launch(&mut program, r, w)).collect();
        let at = commands.len() - 1;
        let reads =
            touched(&commands[at]).unwrap_or_default().into_owned().into_iter().filter(|b| b.access == Access::Read);
        reads.map(|binding| is_settled(&program, (&commands, at), &binding)).collect()
    }

    #[test]
    fn what_two_launches_ago_wrote_is_there() {
        assert_eq!(settled(&[(&[], &[1, 2]), (&[1], &[3]), (&[2, 3], &[4])]), [true, false]);
    }

    #[test]
    fn a_launch_between_must_be_waited_for_and_must_wait() {
        assert_eq!(settled(&[(&[], &[1, 2]), (&[5], &[3]), (&[2, 3], &[4])]), [false, false], "it waits for nobody");
        assert_eq!(settled(&[(&[], &[1, 2]), (&[1], &[3]), (&[2], &[4])]), [false], "nobody waits for it");
    }

    #[test]
    fn the_last_writer_counts() {
        let [first, second]: [(&[u64], &[u64]); 2] = [(&[], &[1, 2]), (&[1], &[2, 3])];
        assert_eq!(settled(&[first, second, (&[2, 3], &[4])]), [false, false]);
        assert_eq!(settled(&[(&[2, 3], &[4])]), [false, false], "a call before");
    }

    #[test]
    fn other_commands_are_a_wall() {
        let mut program = Program::default();
        let launches: [(&[u64], &[u64]); 3] = [(&[], &[1, 2]), (&[1], &[3]), (&[2, 3], &[4])];
        let mut commands: Vec<Command> = launches.iter().map(|(r, w)| launch(&mut program, r, w)).collect();
        let binding = touched(&commands[2]).and_then(|all| all.first().cloned()).expect("a binding");
        assert!(is_settled(&program, (&commands, 2), &binding));
        commands.insert(2, Command::Repeat { count: 2, body: 0 });
        assert!(!is_settled(&program, (&commands, 3), &binding));
    }
}

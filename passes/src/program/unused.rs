//! Kernels that no command launches any more, because a kernel that does several took their place: they are not compiled.
//!
//! Input and output: a planned program. The others are numbered anew, in their order.

use fornax_module::program::Command;

use super::Planned;

/// Takes out what is not launched; gives the number of each kernel that stays.
pub fn drop(planned: &mut Planned) -> impl Fn(u32) -> Option<u32> + use<> {
    let mut used = vec![false; planned.kernels.len()];
    let blocks = &mut planned.program.blocks;
    for command in blocks.iter().flat_map(|block| &block.commands) {
        if let Command::Dispatch { kernel, .. } = command
            && let Some(used) = used.get_mut(*kernel as usize)
        {
            *used = true;
        }
    }
    let numbers: Vec<u32> = used
        .iter()
        .scan(0, |next, &used| {
            let number = *next;
            *next += u32::from(used);
            Some(number)
        })
        .collect();
    for command in blocks.iter_mut().flat_map(|block| &mut block.commands) {
        if let Command::Dispatch { kernel, .. } = command {
            *kernel = numbers.get(*kernel as usize).copied().unwrap_or(*kernel);
        }
    }
    keep(&mut planned.kernels, &used);
    keep(&mut planned.fingerprints, &used);
    keep(&mut planned.program.kernels, &used);
    move |kernel| numbers.get(kernel as usize).copied().filter(|_| used.get(kernel as usize) == Some(&true))
}

fn keep<T>(list: &mut Vec<T>, used: &[bool]) {
    let mut used = used.iter();
    list.retain(|_| used.next().copied().unwrap_or(true));
}

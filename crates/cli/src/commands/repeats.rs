//! `fornax run-module --repeats=N`: the same call again must give the same bits.
//!
//! Where it does not, more calls run launch by launch, as many as were asked for at most. All begin with equal arenas,
//! so the first launch that leaves other bytes in what it writes is the one to blame: all before it left the same.

use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;
use fornax_runtime::Tensor;
use fornax_runtime::session::{DispatchAt, Moment, Observer};

use crate::commands::loading::Loaded;
use crate::failure::{Failure, exit};
use crate::messages;

/// Calls the function `times` more and compares with `outputs`.
pub fn check(loaded: &mut Loaded, times: u32, outputs: &[Tensor]) -> Result<()> {
    for call in 1..=times {
        let again = loaded.session.invoke(&loaded.function, &loaded.inputs).map_err(Failure::from)?;
        let different = differences(outputs, &again);
        if !different.is_empty() {
            return Err(failure(loaded, call, times, &different)?.into());
        }
    }
    if times > 0 {
        messages::aside(format!("the same bits in {times} more calls"));
    }
    Ok(())
}

/// An output that differs, and where first.
struct Difference {
    output: usize,
    elements: usize,
    of: usize,
    first: usize,
}

fn differences(outputs: &[Tensor], again: &[Tensor]) -> Vec<Difference> {
    let differ = |(output, (a, b)): (usize, (&Tensor, &Tensor))| {
        let width = a.bytes().len() / a.elements().max(1);
        let chunks = a.bytes().chunks(width.max(1)).zip(b.bytes().chunks(width.max(1)));
        let mut places = chunks.enumerate().filter(|(_, (a, b))| a != b).map(|(at, _)| at);
        let first = places.next()?;
        Some(Difference { output, elements: 1 + places.count(), of: a.elements(), first })
    };
    outputs.iter().zip(again).enumerate().filter_map(differ).collect()
}

fn failure(loaded: &mut Loaded, call: u32, times: u32, different: &[Difference]) -> Result<Failure> {
    let first = different.first().map(|one| {
        format!("result[{}]: {} of {} elements differ, first element {}", one.output, one.elements, one.of, one.first)
    });
    let culprit = match culprit(loaded, times)? {
        Some((at, kernel, launch)) => {
            let kernels = loaded.session.program_kernels();
            let name = kernels.get(kernel).map_or("", |kernel| kernel.name.as_str());
            format!("launch {launch}, kernel `{name}` (block {}, command {}) leaves other bytes", at.block, at.command)
        }
        None => format!("launch by launch {} calls leave the same bytes", u64::from(times) + 1),
    };
    let text = format!(
        "call {} differs from the first in {} of its outputs\n  {}\n  {culprit}",
        call + 1,
        different.len(),
        first.unwrap_or_default()
    );
    let help = "a rare difference may not show launch by launch: run it again; --command-buffer=direct lets no \
                launches overlap; report it with the module";
    Ok(Failure::new(exit::DIFFERENT, "FX0817", text, help))
}

/// The first launch after which one of `times` calls differs from a first one: its place, its kernel, its number.
fn culprit(loaded: &mut Loaded, times: u32) -> Result<Option<(DispatchAt, usize, usize)>> {
    let first = trail(loaded)?;
    for _ in 0..times {
        let again = trail(loaded)?;
        if let Some(launch) = first_unlike(&first, &again) {
            return Ok(first.get(launch).map(|left| (left.at, left.kernel, launch)));
        }
    }
    Ok(None)
}

fn first_unlike(first: &[Left], second: &[Left]) -> Option<usize> {
    first.iter().zip(second).position(|(a, b)| a != b)
}

/// What a launch left in the ranges that it writes.
#[derive(PartialEq)]
struct Left {
    at: DispatchAt,
    kernel: usize,
    hash: blake3::Hash,
}

#[derive(Default)]
struct Trail(Vec<Left>);

impl Observer for Trail {
    fn see(&mut self, at: DispatchAt, moment: Moment<'_>) -> fornax_runtime::Result<()> {
        let Moment::After(launched) = moment else { return Ok(()) };
        let mut hasher = blake3::Hasher::new();
        for binding in (0..launched.bindings()).filter(|binding| launched.writes(*binding)) {
            hasher.update(&launched.read(binding)?);
        }
        self.0.push(Left { at, kernel: launched.kernel, hash: hasher.finalize() });
        Ok(())
    }
}

fn trail(loaded: &mut Loaded) -> Result<Vec<Left>> {
    let seen = Arc::new(Mutex::new(Trail::default()));
    loaded.session.observe(&loaded.function, &loaded.inputs, seen.clone()).map_err(Failure::from)?;
    Ok(std::mem::take(&mut seen.lock().unwrap_or_else(PoisonError::into_inner).0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_that_differ_are_counted() {
        let tensor = |values: &[f32]| Tensor::from_slice(values, [values.len() as u64]).unwrap();
        let a = [tensor(&[1.0, 2.0, 3.0]), tensor(&[0.0])];
        assert!(differences(&a, &a).is_empty());
        let found = differences(&a, &[tensor(&[1.0, 2.5, 3.5]), tensor(&[0.0])]);
        let found: Vec<_> = found.iter().map(|one| (one.output, one.elements, one.of, one.first)).collect();
        assert_eq!(found, [(0, 2, 3, 1)]);
        // Bits are compared, not values: zeros of both signs differ.
        assert_eq!(differences(&a, &[tensor(&[1.0, 2.0, 3.0]), tensor(&[-0.0])]).len(), 1);
    }

    #[test]
    fn the_first_launch_that_leaves_other_bytes() {
        let left = |command, text: &str| {
            let at = DispatchAt { block: 0, command };
            Left { at, kernel: 7, hash: blake3::hash(text.as_bytes()) }
        };
        let first = [left(0, "a"), left(3, "b"), left(4, "c")];
        assert_eq!(first_unlike(&first, &[left(0, "a"), left(3, "b"), left(4, "c")]), None);
        assert_eq!(first_unlike(&first, &[left(0, "a"), left(3, "x"), left(4, "y")]), Some(1));
    }
}

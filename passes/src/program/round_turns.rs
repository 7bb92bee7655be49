//! What a round of a repeated loop makes for the next one is read where it is: two buffers take turns, no copy.
//!
//! A model:
//! ```mlir
//! func.func @main(%arg0: tensor<1x2048xf32>, %arg1: tensor<2048x2048xf32>) -> tensor<1x2048xf32> {
//!   %0 = stablehlo.constant dense<0> : tensor<i32>
//!   %1 = stablehlo.constant dense<4> : tensor<i32>
//!   %2:2 = stablehlo.while(%i = %0, %x = %arg0) : tensor<i32>, tensor<1x2048xf32>
//!   cond {
//!     %3 = stablehlo.compare LT, %i, %1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
//!     stablehlo.return %3 : tensor<i1>
//!   } do {
//!     %3 = stablehlo.dot_general %x, %arg1, contracting_dims = [1] x [0] :
//!       (tensor<1x2048xf32>, tensor<2048x2048xf32>) -> tensor<1x2048xf32>
//!     %4 = stablehlo.constant dense<1> : tensor<i32>
//!     %5 = stablehlo.add %i, %4 : tensor<i32>
//!     stablehlo.return %5, %3 : tensor<i32>, tensor<1x2048xf32>
//!   }
//!   return %2#1 : tensor<1x2048xf32>
//! }
//! ```
//! Before:
//! ```text
//! kernel contraction_0_dot_general
//! @main: 2 inputs, 1 outputs, arena 8448 bytes (8196 without sharing)
//!   copy input 0 +0 8192B -> output 0 +0 8192B
//!   repeat 4 times {
//!     dispatch contraction_0_dot_general grid 256 [input 1 +0 16777216B, output 0 +0 8192B, -> arena +0 8192B]
//!     copy arena +0 8192B -> output 0 +0 8192B
//!   }
//! ```
//! After:
//! ```text
//! kernel contraction_0_dot_general
//! @main: 2 inputs, 1 outputs, arena 8448 bytes (8196 without sharing)
//!   copy input 0 +0 8192B -> output 0 +0 8192B
//!   dispatch contraction_0_dot_general grid 256 [input 1 +0 16777216B, output 0 +0 8192B, -> arena +0 8192B]
//!   dispatch contraction_0_dot_general grid 256 [input 1 +0 16777216B, arena +0 8192B, -> output 0 +0 8192B]
//!   dispatch contraction_0_dot_general grid 256 [input 1 +0 16777216B, output 0 +0 8192B, -> arena +0 8192B]
//!   dispatch contraction_0_dot_general grid 256 [input 1 +0 16777216B, arena +0 8192B, -> output 0 +0 8192B]
//! ```
//!
//! Input: the steps of a function. A copy at the end of a round goes if its source is made by one kernel of the round
//! and read by nothing outside of it, nothing but this copy writes its target in the loop, and what two rounds make one
//! after the other is apart. Output: the same steps with another place each round for both: the target is where the
//! round before made the source, in the first round where it was. A copy behind the loop stays where its last round
//! makes the value in another place than is read there.
//!
//! Worked example: x in X, made in Y; four rounds read X, Y, X, Y and make Y, X, Y, X: the result is where it was. With
//! three rounds it is copied from Y to X at the end. Where the source is a row of a result ([`super::round_rows`]), the
//! rounds read X, row 0, row 1, row 2.

use super::commands::Builder;
use super::rounds::{Loop, Uses, are_apart, each_loop, in_steps, is_made_first, is_written};
use super::launch::{Copies, Step};
use super::storage::Place;
use super::fuse_loop::key;
use crate::errors::PassError;

/// Lets two buffers take turns where a value is copied at the end of a round.
pub fn form(b: &mut Builder<'_, '_>, steps: Vec<Step>) -> Result<Vec<Step>, PassError> {
    if !b.planner.has("round_turns") {
        return Ok(steps);
    }
    let uses = in_steps(b, &steps);
    each_loop(b, steps, &mut |b, round| {
        let mut behind = Vec::new();
        let mut at = round.body.len();
        while at > 0 {
            at -= 1;
            if !matches!(round.body[at], Step::Copy(_)) {
                break;
            }
            if let Some(copy) = turn(b, round, at, &uses)? {
                behind.extend(copy);
                round.body.remove(at);
            }
        }
        Ok(behind)
    })
}

/// Makes a copy at the end of a round needless: the step that follows the loop, if one must. `None`: the copy stays.
fn turn(
    b: &mut Builder<'_, '_>,
    round: &mut Loop<'_>,
    at: usize,
    uses: &Uses,
) -> Result<Option<Option<Step>>, PassError> {
    let Some(&Step::Copy(copies @ Copies { from, to, .. })) = round.body.get(at) else { return Ok(None) };
    let (Some(made), Some(carried)) = (b.storage.place(from), b.storage.place(to)) else { return Ok(None) };
    let own = matches!(carried, Place::Arena(_) | Place::Output(_)) && made != carried;
    if !own || b.storage.bytes(b.planner, from)? != b.storage.bytes(b.planner, to)? {
        return Ok(None);
    }
    let last = round.count as usize;
    let makes: Vec<(Place, u64)> = match made {
        Place::Arena(_) => (0..last).map(|n| (if n % 2 == 0 { made } else { carried }, 0)).collect(),
        // Rows of this loop; a loop within it has rounds of its own.
        Place::ByRound(n) => match b.storage.by_round.get(n) {
            Some(known) if round.is_number(known.rounds_of) => known.places.iter().copied().take(last).collect(),
            _ => return Ok(None),
        },
        _ => return Ok(None),
    };
    let Some(&end) = makes.last() else { return Ok(None) };
    let bytes = b.storage.bytes(b.planner, from)?;
    if matches!(made, Place::ByRound(_)) && !are_apart(b, &makes, bytes) {
        return Ok(None);
    }
    // The source is this round's own, the target is written by this copy alone.
    let (named, wanted, here) = (key(b, from), key(b, to), in_steps(b, round.body));
    let own = uses.get(&named) == here.get(&named) && is_made_first(b, &round.body[..at], named);
    if !own || is_written(b, &round.body[..at], carried) || is_written(b, &round.body[at + 1..], carried) {
        return Ok(None);
    }
    let reads = |uses: &Uses| uses.get(&wanted).map_or(0, |named| named.reads);
    let must_end = matches!(carried, Place::Output(_)) || reads(uses) > reads(&here);
    let first = (carried, 0);
    let reads = [first].into_iter().chain(makes.iter().copied().take(last - 1)).chain([first]).collect();
    if let Place::Arena(number) = made {
        let interval = &mut b.storage.intervals[number];
        interval.first = interval.first.min(round.rounds.from);
        interval.last = interval.last.max(round.rounds.to);
        round.place_by_round(b, made, makes.into_iter().chain([end]).collect());
    }
    round.place_by_round(b, carried, reads);
    Ok(Some((must_end && end != first).then_some(Step::Copy(copies))))
}

#[cfg(test)]
mod tests {
    use fornax_targets::Backend;

    use crate::program::Options;

    /// Ten rounds that each run an inner loop of three: what that carries has fewer places than the outer loop rounds.
    #[test]
    fn a_loop_within_a_loop_has_rounds_of_its_own() {
        let text = "func.func @main(%x: tensor<1x64xf32>, %w: tensor<64x64xf32>) -> tensor<1x64xf32> {
          %z = stablehlo.constant dense<0> : tensor<i32>
          %0:2 = stablehlo.while(%i = %z, %h = %x) : tensor<i32>, tensor<1x64xf32>
          cond {
            %l = stablehlo.constant dense<10> : tensor<i32>
            %1 = stablehlo.compare LT, %i, %l, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
            stablehlo.return %1 : tensor<i1>
          } do {
            %c = stablehlo.constant dense<1> : tensor<i32>
            %2:2 = stablehlo.while(%j = %z, %g = %h) : tensor<i32>, tensor<1x64xf32>
            cond {
              %m = stablehlo.constant dense<3> : tensor<i32>
              %3 = stablehlo.compare LT, %j, %m, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
              stablehlo.return %3 : tensor<i1>
            } do {
              %d = stablehlo.dot_general %g, %w, contracting_dims = [1] x [0] :
                (tensor<1x64xf32>, tensor<64x64xf32>) -> tensor<1x64xf32>
              %k = stablehlo.add %j, %c : tensor<i32>
              stablehlo.return %k, %d : tensor<i32>, tensor<1x64xf32>
            }
            %n = stablehlo.add %i, %c : tensor<i32>
            stablehlo.return %n, %2#1 : tensor<i32>, tensor<1x64xf32>
          }
          return %0#1 : tensor<1x64xf32>
        }";
        let graph = fornax_import::import_text(text, "t.mlir", &Default::default()).unwrap();
        let target = fornax_targets::resolve(Backend::Cuda, "sm_80").unwrap().target;
        let mut options = Options::default();
        options.schedule.plain_loops = true;
        let planned = crate::plan(&crate::fuse::fuse(&graph).unwrap(), &target, &options).unwrap();
        assert_eq!(planned.kernels.len(), 1);
    }
}

//! Kernels that no command launches any more, because a kernel that does several took their place: they are not
//! compiled.
//!
//! A model:
//! ```mlir
//! func.func @main(%arg0: tensor<5xf32>) -> tensor<5xf32> {
//!   %0 = stablehlo.constant dense<0> : tensor<i32>
//!   %1 = stablehlo.constant dense<7> : tensor<i32>
//!   %2:2 = stablehlo.while(%i = %0, %x = %arg0) : tensor<i32>, tensor<5xf32>
//!   cond {
//!     %3 = stablehlo.compare LT, %i, %1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
//!     stablehlo.return %3 : tensor<i1>
//!   } do {
//!     %3 = stablehlo.constant dense<1> : tensor<i32>
//!     %4 = stablehlo.add %i, %3 : tensor<i32>
//!     %5 = stablehlo.sine %x : tensor<5xf32>
//!     stablehlo.return %4, %5 : tensor<i32>, tensor<5xf32>
//!   }
//!   return %2#1 : tensor<5xf32>
//! }
//! ```
//! Before:
//! ```text
//! kernel loop_0_sine
//! kernel loop_1_sine
//! @main: 1 inputs, 1 outputs, arena 256 bytes (4 without sharing)
//!   copy input 0 +0 20B -> output 0 +0 20B
//!   repeat 7 times {
//!     dispatch loop_1_sine grid 1 [output 0 +0 20B, -> output 0 +0 20B]
//!   }
//! ```
//! After:
//! ```text
//! kernel loop_1_sine
//! @main: 1 inputs, 1 outputs, arena 256 bytes (4 without sharing)
//!   copy input 0 +0 20B -> output 0 +0 20B
//!   repeat 7 times {
//!     dispatch loop_1_sine grid 1 [output 0 +0 20B, -> output 0 +0 20B]
//!   }
//! ```
//!
//! Input and output: a planned program. The others are numbered anew, in their order.

use fornax_module::program::Command;

use super::Planned;

/// Takes out what is not launched; gives the number of each kernel that stays.
pub fn drop(planned: &mut Planned, keep_all: bool) -> impl Fn(u32) -> Option<u32> + use<> {
    let mut used = vec![keep_all; planned.kernels.len()];
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

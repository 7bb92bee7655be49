//! Calls of functions of the process that runs the program.
//!
//! A model:
//! ```mlir
//! func.func @main(%arg0: tensor<5xf32>) -> tensor<5xf32> {
//!   %0 = stablehlo.sine %arg0 : tensor<5xf32>
//!   %1 = "fornax.host_call"(%0) {number = 3 : i64} : (tensor<5xf32>) -> tensor<5xf32>
//!   %2 = stablehlo.negate %1 : tensor<5xf32>
//!   return %2 : tensor<5xf32>
//! }
//! ```
//! Its program: one kernel, the call on whole buffers, another kernel. A call is never moved into a loop of kernels nor
//! left out where nothing reads its results (`facts::control::calls_host`).

use fornax_graph::{OpId, ValueId};

use super::commands::Builder;
use super::launch::Step;
use super::storage::Source;
use crate::errors::PassError;

impl Builder<'_, '_> {
    /// A `fornax.host_call`: from the buffers of its operands into those of its results.
    pub(super) fn host_call(&mut self, op: OpId, steps: &mut Vec<Step>) -> Result<(), PassError> {
        let graph = self.planner.graph;
        let data = graph.op(op);
        let number = data.attrs.int("number").and_then(|number| u64::try_from(number).ok());
        let number = number.ok_or_else(|| PassError::malformed(graph, op, "a call of no function"))?;
        let sources = |values: &[ValueId]| -> Vec<Source> {
            values.iter().map(|&value| Source::Value(self.storage.resolve(value))).collect()
        };
        let (from, to) = (sources(&data.operands), sources(&data.results));
        for &source in from.iter().chain(&to) {
            self.storage.touch(self.planner, source)?;
        }
        self.storage.clock += 1;
        steps.push(Step::HostCall { number, from, to });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use fornax_module::program::Command;
    use fornax_targets::Target;

    use crate::example::import;
    use crate::program::Options;

    /// The numbers that are called, each block of the program in turn.
    fn called(text: &str, target: &str) -> (Vec<Vec<u64>>, String) {
        let mut graph = import(text);
        crate::simplify::simplify(&mut graph, &Default::default()).unwrap();
        let graph = crate::fuse(&graph).unwrap();
        let planned = crate::plan(&graph, &Target::from_spec(target).unwrap(), &Options::default()).unwrap();
        let numbers = |commands: &[Command]| -> Vec<u64> {
            let number = |command: &Command| match command {
                Command::HostCall { number, .. } => Some(*number),
                _ => None,
            };
            commands.iter().filter_map(number).collect()
        };
        let blocks = planned.program.blocks.iter().map(|block| numbers(&block.commands));
        (blocks.filter(|found| !found.is_empty()).collect(), planned.describe())
    }

    #[test]
    fn calls_keep_the_order_of_the_program() {
        let text = "func.func @main(%x: tensor<5xf32>) -> tensor<5xf32> {
            %0 = stablehlo.sine %x : tensor<5xf32>
            %1 = \"fornax.host_call\"(%0) {number = 2 : i64} : (tensor<5xf32>) -> tensor<5xf32>
            \"fornax.host_call\"(%x) {number = 1 : i64} : (tensor<5xf32>) -> ()
            %2 = stablehlo.negate %1 : tensor<5xf32>
            \"fornax.host_call\"() {number = 7 : i64} : () -> ()
            return %2 : tensor<5xf32>
          }";
        for target in ["cpu:x86-64-v3", "cuda:sm_90a"] {
            let (numbers, text) = called(text, target);
            assert_eq!(numbers, [[2, 1, 7]], "{text}");
        }
    }

    /// A loop of known length whose results nothing reads, and one that calls in its condition.
    #[test]
    fn loops_call_as_often_as_they_run() {
        let text = |condition: &str, body: &str| {
            format!(
                "func.func @main(%x: tensor<5xf32>) -> tensor<5xf32> {{
                   %0 = stablehlo.constant dense<0> : tensor<i32>
                   %1 = stablehlo.constant dense<7> : tensor<i32>
                   %2:2 = stablehlo.while(%i = %0, %y = %x) : tensor<i32>, tensor<5xf32>
                   cond {{
                     {condition}
                     %3 = stablehlo.compare LT, %i, %1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
                     stablehlo.return %3 : tensor<i1>
                   }} do {{
                     {body}
                     %3 = stablehlo.constant dense<1> : tensor<i32>
                     %4 = stablehlo.add %i, %3 : tensor<i32>
                     %5 = stablehlo.sine %y : tensor<5xf32>
                     stablehlo.return %4, %5 : tensor<i32>, tensor<5xf32>
                   }}
                   return %x : tensor<5xf32>
                 }}"
            )
        };
        let call = "\"fornax.host_call\"(%y) {number = 4 : i64} : (tensor<5xf32>) -> ()";
        for target in ["cpu:x86-64-v3", "cuda:sm_90a"] {
            let (numbers, described) = called(&text("", call), target);
            assert!(numbers == [[4]] && described.contains("repeat 7 times"), "{described}");
            let (numbers, described) = called(&text(call, ""), target);
            assert!(numbers == [[4]] && described.contains("while") && !described.contains("ahead"), "{described}");
        }
    }
}

//! The ops that read each value of a function, kept while a rewrite changes the function.
//!
//! Input: a function body. Output: for each value its readers, each once, in the order of the function; those that the
//! rewrite adds come last.
//!
//! Built by one walk: to ask for the readers of every row by walks takes the square of a model's length.

use std::collections::{HashMap, HashSet};

use fornax_graph::{BlockId, Graph, OpId, ValueId};

/// Who reads what. An op that reads a value no longer may still be listed, and is left out when asked.
#[derive(Debug, Default)]
pub struct Readers {
    of: HashMap<ValueId, Vec<OpId>>,
    erased: HashSet<OpId>,
}

impl Readers {
    /// Those of a function body, with its nested regions.
    pub fn new(graph: &Graph, entry: BlockId) -> Readers {
        let mut readers = Readers::default();
        graph.walk(entry, &mut |op| readers.add(graph, op));
        readers
    }

    /// The ops that read a value.
    pub fn of(&self, graph: &Graph, value: ValueId) -> Vec<OpId> {
        let listed = self.of.get(&value).into_iter().flatten().copied();
        let mut seen = HashSet::new();
        let reads = |op: &OpId| !self.erased.contains(op) && graph.op(*op).operands.contains(&value);
        listed.filter(reads).filter(|op| seen.insert(*op)).collect()
    }

    /// Notes what an op reads that is new, or reads something else.
    pub fn add(&mut self, graph: &Graph, op: OpId) {
        for &value in &graph.op(op).operands {
            let listed = self.of.entry(value).or_default();
            if listed.last() != Some(&op) {
                listed.push(op);
            }
        }
    }

    /// Notes what the ops read that make values.
    pub fn add_made(&mut self, graph: &Graph, values: &[ValueId]) {
        values.iter().filter_map(|&value| graph.producer(value)).for_each(|op| self.add(graph, op));
    }

    /// Lets all readers of an op's result read another value; the op goes.
    pub fn replace(&mut self, graph: &mut Graph, op: OpId, (old, new): (ValueId, ValueId)) {
        for reader in self.of(graph, old) {
            graph.op_mut(reader).operands.iter_mut().filter(|slot| **slot == old).for_each(|slot| *slot = new);
            self.add(graph, reader);
        }
        self.erase(graph, op);
    }

    /// An op goes.
    pub fn erase(&mut self, graph: &mut Graph, op: OpId) {
        graph.erase_op(op);
        self.erased.insert(op);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::import;

    #[test]
    fn readers_are_known_through_changes() {
        let mut graph = import(
            "func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
               %0 = stablehlo.add %a, %a : tensor<4xf32>
               %1 = stablehlo.multiply %a, %0 : tensor<4xf32>
               %2 = stablehlo.subtract %1, %0 : tensor<4xf32>
               return %2 : tensor<4xf32>
             }",
        );
        let entry = graph.entry(graph.function("main").unwrap()).unwrap();
        let block = graph.block(entry).clone();
        let (&[a, b], &[add, multiply, subtract, _]) = (&block.arguments[..], &block.ops[..]) else {
            panic!("{block:?}")
        };
        let sum = graph.op(add).results[0];
        let mut readers = Readers::new(&graph, entry);
        assert_eq!(readers.of(&graph, a), [add, multiply]);
        assert_eq!(readers.of(&graph, sum), [multiply, subtract]);
        readers.replace(&mut graph, add, (sum, b));
        assert_eq!(readers.of(&graph, b), [multiply, subtract]);
        assert_eq!((readers.of(&graph, sum), readers.of(&graph, a)), (vec![], vec![multiply]));
        assert!(!graph.block(entry).ops.contains(&add));
        graph.op_mut(multiply).operands = vec![b, b];
        readers.add(&graph, multiply);
        assert_eq!(readers.of(&graph, a), []);
        assert_eq!(readers.of(&graph, b).iter().filter(|op| **op == multiply).count(), 1);
    }
}

//! Steps between devices: collectives, and which device this is.

use fornax_graph::devices::DeviceGrid;
use fornax_graph::{Attr, OpId, OpKind, ValueId};
use fornax_module::collective::{Collective, CollectiveKind, Reducer};

use super::ARENA_ALIGNMENT;
use super::commands::Builder;
use super::launch::Step;
use super::sizes::Bytes;
use super::storage::{Place, Source};
use crate::errors::PassError;
use crate::facts::donated::reads;
use crate::facts::ops::tensor;
use crate::remarks::PIECE_COPIED;

impl Builder<'_, '_> {
    /// The step of an op that is for several devices; none for others.
    pub(super) fn between_devices(&mut self, op: OpId, steps: &mut Vec<Step>) -> Result<(), PassError> {
        match self.planner.graph.op(op).kind {
            OpKind::Collective => self.collective(op, steps),
            OpKind::PartitionId | OpKind::ReplicaId => self.device_id(op, steps),
            _ => Ok(()),
        }
    }

    /// A `fornax.collective`: from the buffer of its operands into that of its result.
    fn collective(&mut self, op: OpId, steps: &mut Vec<Step>) -> Result<(), PassError> {
        let graph = self.planner.graph;
        let data = graph.op(op);
        let malformed = || PassError::malformed(graph, op, "attributes of no collective");
        let kind = data.attrs.str("kind").and_then(CollectiveKind::of_name).ok_or_else(malformed)?;
        let reducer = data.attrs.str("reducer").and_then(Reducer::of_name);
        let Some(Attr::Array(rows)) = data.attrs.get("groups") else { return Err(malformed()) };
        let group = |row: &Attr| -> Option<Vec<u32>> {
            row.as_ints()?.into_iter().map(|device| u32::try_from(device).ok()).collect()
        };
        let groups = rows.iter().map(group).collect::<Option<Vec<_>>>().ok_or_else(malformed)?;
        let element = tensor(graph, data.operands[0])?.element;
        let collective = Collective { kind, reducer, element, groups };
        let devices = DeviceGrid::of(graph).map_or(1, DeviceGrid::devices);
        collective.check(devices).map_err(|why| PassError::malformed(graph, op, why))?;
        let from = self.pieces(op, steps)?;
        let to = Source::Value(self.storage.resolve(data.results[0]));
        for &source in from.iter().chain([&to]) {
            self.storage.touch(self.planner, source)?;
        }
        self.storage.clock += 1;
        steps.push(Step::Collective { collective: Box::new(collective), from, to });
        Ok(())
    }

    /// Where the operands of a collective are; several lie one behind the other. Where the kernels that make them
    /// cannot write there, they are copied.
    fn pieces(&mut self, op: OpId, steps: &mut Vec<Step>) -> Result<Vec<Source>, PassError> {
        let graph = self.planner.graph;
        let operands = &graph.op(op).operands;
        let mut from: Vec<Source> = operands.iter().map(|&v| Source::Value(self.storage.resolve(v))).collect();
        if from.len() == 1 {
            return Ok(from);
        }
        let mut row = Vec::with_capacity(from.len());
        for (source, &operand) in from.iter_mut().zip(operands) {
            let own = self.own_place(op, operand, *source)?.filter(|number| !row.contains(number));
            row.push(match own {
                Some(number) => number,
                None => {
                    let copy = self.storage.temporary_like(self.planner, *source)?;
                    self.copy(*source, copy, steps, PIECE_COPIED)?;
                    self.storage.touch(self.planner, copy)?;
                    *source = copy;
                    match (self.storage.place(copy), self.storage.bytes(self.planner, copy)?) {
                        (Some(Place::Arena(number)), Bytes::Fixed(_)) => number,
                        _ => return Err(PassError::malformed(graph, op, "pieces of unknown sizes")),
                    }
                }
            });
        }
        self.storage.rows.push(row);
        Ok(from)
    }

    /// The number of the intermediate that an operand is, if it may lie anywhere: a kernel of the block makes it for
    /// this collective alone.
    fn own_place(&mut self, op: OpId, operand: ValueId, source: Source) -> Result<Option<usize>, PassError> {
        let graph = self.planner.graph;
        let block = graph.op(op).block;
        let mut value = operand;
        loop {
            let made = graph.producer(value).map(|op| graph.op(op)).filter(|made| made.block == block);
            let Some(made) = made.filter(|_| reads(graph, block, value) == 1) else { return Ok(None) };
            match made.kind {
                OpKind::Reshape => value = made.operands[0],
                OpKind::Fusion => break,
                _ => return Ok(None),
            }
        }
        let Some(Place::Arena(number)) = self.storage.place(source) else { return Ok(None) };
        let bytes = self.storage.bytes(self.planner, source)?.fixed();
        // Kernels write at addresses that are multiples of this.
        let fits = bytes.is_some_and(|bytes| bytes > 0 && bytes.is_multiple_of(ARENA_ALIGNMENT));
        let is_free = fits && self.storage.intervals[number].bytes.fixed() == bytes;
        Ok((is_free && !self.storage.rows.iter().flatten().any(|&other| other == number)).then_some(number))
    }

    /// `partition_id` and `replica_id`.
    fn device_id(&mut self, op: OpId, steps: &mut Vec<Step>) -> Result<(), PassError> {
        let graph = self.planner.graph;
        let grid = DeviceGrid::of(graph).ok_or_else(|| PassError::malformed(graph, op, "a module for no device"))?;
        let (divisor, modulus) = match graph.op(op).kind {
            OpKind::ReplicaId => (grid.partitions, grid.replicas),
            _ => (1, grid.partitions),
        };
        let to = Source::Value(self.storage.resolve(graph.op(op).results[0]));
        self.storage.touch(self.planner, to)?;
        self.storage.clock += 1;
        steps.push(Step::DeviceId { to, divisor, modulus });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use fornax_module::program::{Access, Command};
    use fornax_targets::Target;

    use crate::example::import;
    use crate::program::Options;

    /// On a GPU a long sum of a product is one of halves, which two kernels write to where they are sent from.
    #[test]
    fn a_long_sum_of_a_product_is_made_in_pieces() {
        let graph = import(
            "module attributes {mhlo.num_partitions = 2 : i32} {
             func.func @main(%a: tensor<2048x1024xbf16>, %b: tensor<1024x4096xbf16>) -> tensor<2048x4096xbf16> {
               %0 = stablehlo.sine %a : tensor<2048x1024xbf16>
               %1 = stablehlo.dot_general %0, %b, contracting_dims = [1] x [0]
                 : (tensor<2048x1024xbf16>, tensor<1024x4096xbf16>) -> tensor<2048x4096xbf16>
               %2 = \"fornax.collective\"(%1) {groups = [array<i64: 0, 1>], kind = \"all_reduce\", reducer = \"add\"}
                 : (tensor<2048x4096xbf16>) -> tensor<2048x4096xbf16>
               %3 = stablehlo.sine %2 : tensor<2048x4096xbf16>
               return %3 : tensor<2048x4096xbf16>
             } }",
        );
        let graph = crate::fuse(&graph).unwrap();
        let planned = crate::plan(&graph, &Target::from_spec("cuda:sm_90a").unwrap(), &Options::default()).unwrap();
        let program = &planned.program;
        let known = |expr: u32| program.evaluate_known(&[])[expr as usize].known().unwrap();
        let mut written = Vec::new();
        let mut sent = Vec::new();
        for command in &program.blocks[program.functions[0].body as usize].commands {
            match command {
                Command::Dispatch { bindings, .. } => {
                    let outputs = bindings.iter().filter(|b| b.access != Access::Read);
                    written.extend(outputs.map(|b| (known(b.span.offset), known(b.span.length))));
                }
                Command::Collective { source, .. } => sent.push((known(source.offset), known(source.length))),
                other => panic!("{other:?}"),
            }
        }
        let half = 8 << 20;
        let first = sent[0].0;
        assert_eq!(sent, [(first, 2 * half)], "{}", planned.describe());
        assert_eq!(written.len(), 4, "{}", planned.describe());
        assert_eq!(written[1..3], [(first, half), (first + half, half)], "{}", planned.describe());
    }
}

//! Steps between devices: collectives, and which device this is.

use fornax_graph::devices::DeviceGrid;
use fornax_graph::{Attr, OpId, OpKind};
use fornax_module::collective::{Collective, CollectiveKind, Reducer};

use super::commands::Builder;
use super::launch::Step;
use super::storage::Source;
use crate::errors::PassError;
use crate::facts::ops::tensor;

impl Builder<'_, '_> {
    /// The step of an op that is for several devices; none for others.
    pub(super) fn between_devices(&mut self, op: OpId, steps: &mut Vec<Step>) -> Result<(), PassError> {
        match self.planner.graph.op(op).kind {
            OpKind::Collective => self.collective(op, steps),
            OpKind::PartitionId | OpKind::ReplicaId => self.device_id(op, steps),
            _ => Ok(()),
        }
    }

    /// A `fornax.collective`: from its operand's buffer into its result's.
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
        let from = Source::Value(self.storage.resolve(data.operands[0]));
        let to = Source::Value(self.storage.resolve(data.results[0]));
        for source in [from, to] {
            self.storage.touch(self.planner, source)?;
        }
        self.storage.clock += 1;
        steps.push(Step::Collective { collective: Box::new(collective), from, to });
        Ok(())
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

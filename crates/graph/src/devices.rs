//! Which devices take part in a collective: StableHLO's grid of processes and its groups.
//!
//! A module runs on `replicas × partitions` devices. Device `d` is partition `d % partitions` of replica
//! `d / partitions`. Here every group is a list of devices, whatever way the op names them:
//!
//! | mode | ops | the op names |
//! | --- | --- | --- |
//! | cross replica | no channel | replicas, for each partition |
//! | cross partition | moves with a channel | partitions, for each replica |
//! | cross replica and partition | reductions and gathers with a channel | replicas, with all their partitions |
//! | flattened ids | `use_global_device_ids` | devices |
//!
//! Worked example: 2 replicas of 2 partitions, `replica_groups = [[0, 1]]`: `[[0, 2], [1, 3]]`, `[[0, 1], [2, 3]]`,
//! `[[0, 2, 1, 3]]`, and an error (not all devices are named) in the order of the table.

use crate::attr::{Attr, AttrMap};
use crate::graph::{Graph, Op};
use crate::op::OpKind;

/// How a function's argument or result lies on the devices: by dimension the axes that cut it, each as how far apart
/// its devices are and how many there are.
pub const SHARDING: &str = "fornax.sharding";

/// What decided how an argument lies that says nothing itself, for people.
pub const SHARDING_BY: &str = "fornax.sharding_by";

/// Devices of one module, at most.
pub const DEVICES_MAX: u32 = 1 << 16;

/// What devices' elements are combined by: the `reducer` of a `fornax.collective`, and the op of two elements.
pub const REDUCERS: [(&str, OpKind); 6] = [
    ("add", OpKind::Add),
    ("multiply", OpKind::Multiply),
    ("minimum", OpKind::Minimum),
    ("maximum", OpKind::Maximum),
    ("and", OpKind::And),
    ("or", OpKind::Or),
];

/// The op of a reducer's name.
pub fn reducer(name: &str) -> Option<OpKind> {
    REDUCERS.iter().find(|(known, _)| *known == name).map(|(_, op)| *op)
}

/// The devices that a module is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceGrid {
    pub replicas: u32,
    pub partitions: u32,
}

impl DeviceGrid {
    /// What the module says; one device where it says nothing. `None` for more than [`DEVICES_MAX`], or none.
    pub fn of(graph: &Graph) -> Option<DeviceGrid> {
        let count = |name: &str| u32::try_from(graph.attrs.int(name).unwrap_or(1)).ok().filter(|&n| n > 0);
        let grid = DeviceGrid { replicas: count("mhlo.num_replicas")?, partitions: count("mhlo.num_partitions")? };
        let devices = grid.replicas.checked_mul(grid.partitions)?;
        (devices <= DEVICES_MAX).then_some(grid)
    }

    pub fn devices(self) -> u32 {
        self.replicas.saturating_mul(self.partitions)
    }
}

/// Whether the module needs its devices together: it combines their data, asks which device runs it, or is one part of
/// a program for all.
pub fn needs_all(graph: &Graph) -> bool {
    let mut found = false;
    for block in graph.functions.iter().filter_map(|function| graph.entry(function)) {
        graph.walk(block, &mut |op| {
            let kind = graph.op(op).kind;
            found |= matches!(kind, OpKind::Collective | OpKind::PartitionId | OpKind::ReplicaId);
        });
    }
    let edges = graph.functions.iter().flat_map(|f| f.argument_attrs.iter().chain(&f.result_attrs));
    found || edges.into_iter().any(|attrs| attrs.get(SHARDING).is_some())
}

/// Id of the channel: what a channel handle says, 0 where there is none.
pub fn channel(attrs: &AttrMap) -> i64 {
    match attrs.get("channel_handle") {
        Some(Attr::Struct(_, fields)) => fields.int("handle").unwrap_or(0),
        _ => attrs.int("channel_id").unwrap_or(0),
    }
}

/// How an op names devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    CrossReplica,
    CrossPartition,
    CrossReplicaAndPartition,
    FlattenedIds,
}

fn mode(op: &Op) -> Result<Mode, String> {
    let reduces =
        matches!(op.kind, OpKind::AllReduce | OpKind::AllGather | OpKind::ReduceScatter | OpKind::CollectiveReduce);
    let global = op.attrs.bool("use_global_device_ids").unwrap_or(false);
    match (channel(&op.attrs) > 0, reduces, global) {
        (true, true, true) => Ok(Mode::FlattenedIds),
        (false, true, true) => Err("`use_global_device_ids` needs a channel".into()),
        (true, true, false) => Ok(Mode::CrossReplicaAndPartition),
        (true, false, _) => Ok(Mode::CrossPartition),
        (false, ..) => Ok(Mode::CrossReplica),
    }
}

/// Groups of devices of an op with `replica_groups`, in the order in which each group counts.
///
/// # Errors
/// Why the op's groups are none, for people.
pub fn groups(graph: &Graph, op: &Op) -> Result<Vec<Vec<u32>>, String> {
    let grid = DeviceGrid::of(graph).ok_or("the module's numbers of replicas and partitions are out of range")?;
    let named = named_groups(graph, op)?;
    let (replicas, partitions) = (grid.replicas, grid.partitions);
    let mode = mode(op)?;
    let ids = match mode {
        Mode::CrossReplica | Mode::CrossReplicaAndPartition => replicas,
        Mode::CrossPartition => partitions,
        Mode::FlattenedIds => grid.devices(),
    };
    let named = if named.is_empty() { vec![(0..ids).collect()] } else { named };
    if let Some(id) = named.iter().flatten().find(|&&id| id >= ids) {
        return Err(format!(
            "`replica_groups` names {id}, and the module says {replicas} replica(s) of {partitions} partition(s) \
             (`mhlo.num_replicas`, `mhlo.num_partitions`)"
        ));
    }
    let groups: Vec<Vec<u32>> = match mode {
        Mode::FlattenedIds => named,
        Mode::CrossReplica => {
            let of = |group: &Vec<u32>, p| group.iter().map(|r| r * partitions + p).collect();
            named.iter().flat_map(|group| (0..partitions).map(move |p| of(group, p))).collect()
        }
        Mode::CrossPartition => {
            let of = |group: &Vec<u32>, r| group.iter().map(|p| r * partitions + p).collect();
            named.iter().flat_map(|group| (0..replicas).map(move |r| of(group, r))).collect()
        }
        Mode::CrossReplicaAndPartition => {
            let of = |group: &Vec<u32>| {
                (0..partitions).flat_map(|p| group.iter().map(move |r| r * partitions + p)).collect()
            };
            named.iter().map(of).collect()
        }
    };
    let mut seen = vec![false; grid.devices() as usize];
    for &device in groups.iter().flatten() {
        if std::mem::replace(&mut seen[device as usize], true) {
            return Err(format!("`replica_groups` names device {device} twice"));
        }
    }
    // A broadcast leaves the others with zeros; everything else needs data of each device.
    if op.kind != OpKind::CollectiveBroadcast && seen.contains(&false) {
        return Err(format!("`replica_groups` does not name all of {} devices", grid.devices()));
    }
    Ok(groups)
}

/// The rows of `replica_groups`, without -1, which fills the shorter ones.
fn named_groups(graph: &Graph, op: &Op) -> Result<Vec<Vec<u32>>, String> {
    let Some(Attr::Dense(id)) = op.attrs.get("replica_groups") else {
        return Err("`replica_groups` is no table of numbers".into());
    };
    let constant = graph.constant(*id);
    let shape = constant.ty.static_shape().filter(|shape| shape.len() == 2);
    let shape = shape.ok_or("`replica_groups` is no table of numbers")?;
    if constant.ty.element != fornax_types::ElementType::I64 || constant.ty.elements().is_none_or(|n| n > 1 << 20) {
        return Err("`replica_groups` is no table of 64-bit integers, or too large".into());
    }
    let bytes = constant.to_bytes();
    let ids: Vec<i64> = bytes.chunks_exact(8).map(|b| i64::from_le_bytes(b.try_into().unwrap_or_default())).collect();
    let columns = usize::try_from(shape[1]).unwrap_or(0).max(1);
    let rows = ids.chunks(columns).map(|row| row.iter().filter(|&&id| id != -1).map(|&id| u32::try_from(id)).collect());
    let rows: Result<Vec<Vec<u32>>, _> = rows.collect();
    let rows = rows.map_err(|_| "`replica_groups` names a device below 0")?;
    Ok(rows.into_iter().filter(|row| !row.is_empty()).collect())
}

/// What the pairs of a `collective_permute`, a `send` or a `recv` name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PairIds {
    /// Ids are partitions, for each replica; else replicas, for each partition.
    pub across_partitions: bool,
    /// One more than the largest id.
    pub count: u32,
    /// For how many others each pair holds.
    others: u32,
}

impl PairIds {
    /// What an op's ids are on a grid.
    ///
    /// # Errors
    /// Why its channel has none, for people.
    pub fn of(grid: DeviceGrid, op: &Op) -> Result<PairIds, String> {
        let (replicas, partitions) = (grid.replicas, grid.partitions);
        Ok(match mode(op)? {
            Mode::CrossPartition => PairIds { across_partitions: true, count: partitions, others: replicas },
            _ => PairIds { across_partitions: false, count: replicas, others: partitions },
        })
    }

    /// The devices that an id stands for.
    pub fn devices(self, id: u32) -> impl Iterator<Item = u32> {
        let PairIds { across_partitions, count, others } = self;
        (0..others).map(move |other| if across_partitions { other * count + id } else { id * others + other })
    }

    /// The id of a device.
    pub fn id(self, device: u32) -> u32 {
        if self.across_partitions { device % self.count } else { device / self.others }
    }
}

/// Pairs of ids (from, to) as an op names them.
///
/// # Errors
/// Why the op's pairs are none, for people.
pub fn named_pairs(graph: &Graph, op: &Op) -> Result<(PairIds, Vec<[u32; 2]>), String> {
    let grid = DeviceGrid::of(graph).ok_or("the module's numbers of replicas and partitions are out of range")?;
    let ids = PairIds::of(grid, op)?;
    let named = op.attrs.ints("source_target_pairs").ok_or("`source_target_pairs` is no table of numbers")?;
    if let Some(id) = named.iter().find(|&&id| !(0..i64::from(ids.count)).contains(&id)) {
        return Err(format!(
            "`source_target_pairs` names {id}, and the module says {} replica(s) of {} partition(s); with a channel \
             above 0 they name partitions, else replicas",
            grid.replicas, grid.partitions
        ));
    }
    Ok((ids, named.chunks_exact(2).map(|pair| [pair[0] as u32, pair[1] as u32]).collect()))
}

/// Pairs of devices (from, to) of a `collective_permute`, a `send` or a `recv`.
///
/// # Errors
/// Why the op's pairs are none, for people.
pub fn pairs(graph: &Graph, op: &Op) -> Result<Vec<Vec<u32>>, String> {
    let (ids, named) = named_pairs(graph, op)?;
    let of = |pair: &[u32; 2]| ids.devices(pair[0]).zip(ids.devices(pair[1])).map(|(from, to)| vec![from, to]);
    Ok(named.iter().flat_map(|pair| of(pair).collect::<Vec<_>>()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constant::Constant;
    use crate::graph::NewOp;
    use crate::types::{TensorType, Type};
    use crate::{ElementType, LocId};

    fn op(kind: OpKind, groups: &[&[i64]], channel: i64, global: bool, counts: (i64, i64)) -> (Graph, Op) {
        let mut graph = Graph::default();
        let int = |n: i64| Attr::Int(n.into(), Type::tensor(&[], ElementType::I32));
        graph.attrs.set("mhlo.num_replicas", int(counts.0));
        graph.attrs.set("mhlo.num_partitions", int(counts.1));
        let columns = groups.first().map_or(0, |g| g.len());
        let ty = Type::tensor(&[groups.len() as i64, columns as i64], ElementType::I64);
        let Type::Tensor(ty) = ty else { panic!() };
        let ty: TensorType = ty;
        let bytes = groups.concat().iter().flat_map(|id| id.to_le_bytes()).collect();
        let id = graph.add_constant(Constant::dense(ty, bytes));
        let region = graph.add_region();
        let block = graph.add_block(region, &[]);
        let mut fields = AttrMap::default();
        fields.set("handle", int(channel));
        let mut new = NewOp::new(kind, vec![], vec![], LocId(0)).attr("replica_groups", Attr::Dense(id));
        new = new.attr("channel_handle", Attr::Struct("stablehlo.channel_handle".into(), fields));
        if global {
            new = new.attr("use_global_device_ids", Attr::Unit);
        }
        if kind == OpKind::CollectivePermute {
            new = new.attr("source_target_pairs", Attr::DenseArray(ElementType::I64, groups.concat()));
        }
        let id = graph.push_op(block, new);
        let op = graph.op(id).clone();
        (graph, op)
    }

    fn of(kind: OpKind, groups: &[&[i64]], channel: i64, global: bool) -> Result<Vec<Vec<u32>>, String> {
        let (graph, op) = op(kind, groups, channel, global, (2, 2));
        super::groups(&graph, &op)
    }

    #[test]
    fn every_mode_names_devices() {
        use OpKind::{AllReduce, AllToAll};
        assert_eq!(of(AllReduce, &[&[0, 1]], 0, false).unwrap(), [[0, 2], [1, 3]]);
        assert_eq!(of(AllToAll, &[&[0, 1]], 1, false).unwrap(), [[0, 1], [2, 3]]);
        assert_eq!(of(AllReduce, &[&[0, 1]], 1, false).unwrap(), [[0, 2, 1, 3]]);
        assert_eq!(of(AllReduce, &[&[0], &[1]], 1, false).unwrap(), [[0, 1], [2, 3]]);
        assert_eq!(of(AllReduce, &[&[3, 0], &[1, 2]], 1, true).unwrap(), [[3, 0], [1, 2]]);
        // An empty table is one group of all, and -1 fills short groups.
        assert_eq!(of(AllReduce, &[], 1, true).unwrap(), [[0, 1, 2, 3]]);
        assert_eq!(of(AllReduce, &[&[0, 1, 2], &[3, -1, -1]], 1, true).unwrap(), [vec![0, 1, 2], vec![3]]);
    }

    #[test]
    fn what_names_no_groups_says_why() {
        use OpKind::{AllReduce, CollectiveBroadcast};
        let why = |kind, groups: &[&[i64]], channel, global| of(kind, groups, channel, global).unwrap_err();
        assert!(why(AllReduce, &[&[0, 1]], 1, true).contains("not name all"));
        assert!(why(AllReduce, &[&[0, 2]], 0, false).contains("names 2"));
        assert!(why(AllReduce, &[&[0, 0]], 0, false).contains("twice"));
        assert!(why(AllReduce, &[&[0, 1]], 0, true).contains("channel"));
        assert_eq!(of(CollectiveBroadcast, &[&[1]], 0, false).unwrap(), [[2], [3]]);
    }

    #[test]
    fn pairs_go_across_replicas_or_partitions() {
        let of = |channel| {
            let (graph, op) = op(OpKind::CollectivePermute, &[&[0, 1]], channel, false, (2, 2));
            pairs(&graph, &op).unwrap()
        };
        assert_eq!(of(0), [[0, 2], [1, 3]]);
        assert_eq!(of(1), [[0, 1], [2, 3]]);
    }

    #[test]
    fn ids_of_pairs_stand_for_devices_and_back() {
        for (channel, devices) in [(0, [2, 3]), (1, [1, 3])] {
            let (graph, op) = op(OpKind::CollectivePermute, &[&[0, 1]], channel, false, (2, 2));
            let (ids, named) = named_pairs(&graph, &op).unwrap();
            assert_eq!((ids.count, named), (2, vec![[0, 1]]));
            assert_eq!(ids.devices(1).collect::<Vec<_>>(), devices);
            assert!((0..2).all(|id| ids.devices(id).all(|device| ids.id(device) == id)));
        }
        let (graph, op) = op(OpKind::CollectivePermute, &[&[0, 2]], 1, false, (2, 2));
        assert!(named_pairs(&graph, &op).unwrap_err().contains("names 2"));
    }
}

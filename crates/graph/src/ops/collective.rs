//! Collectives between replicas and partitions, and communication with the host.

use super::syntax::NULLARY;
use super::{Arity, AttrKind, AttrSpec, Family, OpRow, Trait, TypeSet, op, optional, required};
use crate::op::OpKind::{self, *};
use crate::verify::collective as rules;

const GROUPS: AttrSpec = required("replica_groups", AttrKind::Any);
const CHANNEL: AttrSpec = optional("channel_handle", AttrKind::Struct("stablehlo.channel_handle"));
const GLOBAL_IDS: AttrSpec = optional("use_global_device_ids", AttrKind::Unit);

const fn collective(kind: OpKind) -> OpRow {
    op(kind, Family::Collective).traits(&[Trait::SideEffect])
}

/// Ops that talk to the host or to another device and thread a token through.
const fn transfer(kind: OpKind) -> OpRow {
    collective(kind).operands(Arity::SOME).results(Arity::SOME).elements(TypeSet::ANY).rule(rules::transfer)
}

const TRANSFER: &[AttrSpec] = &[
    required("channel_handle", AttrKind::Struct("stablehlo.channel_handle")),
    optional("is_host_transfer", AttrKind::Bool),
    optional("source_target_pairs", AttrKind::Pairs),
];

pub const ROWS: &[OpRow] = &[
    op(ReplicaId, Family::Collective).operands(Arity::exactly(0)).syntax(NULLARY).rule(rules::device_id),
    op(PartitionId, Family::Collective).operands(Arity::exactly(0)).syntax(NULLARY).rule(rules::device_id),
    collective(AllGather)
        .operands(Arity::SOME)
        .results(Arity::SOME)
        .attrs(&[required("all_gather_dim", AttrKind::I64), GROUPS, CHANNEL, GLOBAL_IDS])
        .rule(rules::all_gather),
    collective(AllReduce)
        .operands(Arity::SOME)
        .results(Arity::SOME)
        .regions(1)
        .attrs(&[GROUPS, CHANNEL, GLOBAL_IDS])
        .rule(rules::all_reduce),
    collective(ReduceScatter)
        .regions(1)
        .attrs(&[required("scatter_dimension", AttrKind::I64), GROUPS, CHANNEL, GLOBAL_IDS])
        .rule(rules::reduce_scatter),
    collective(AllToAll)
        .operands(Arity::SOME)
        .results(Arity::SOME)
        .attrs(&[
            required("split_dimension", AttrKind::I64),
            required("concat_dimension", AttrKind::I64),
            required("split_count", AttrKind::I64),
            GROUPS,
            CHANNEL,
        ])
        .rule(rules::all_to_all),
    collective(CollectiveBroadcast)
        .operands(Arity::SOME)
        .results(Arity::SOME)
        .attrs(&[GROUPS, CHANNEL, GLOBAL_IDS, optional("has_dynamic_root", AttrKind::Unit)])
        .rule(rules::collective_broadcast),
    collective(CollectivePermute)
        .attrs(&[required("source_target_pairs", AttrKind::Pairs), CHANNEL])
        .rule(rules::collective_permute),
    collective(CollectiveReduce)
        .operands(Arity::SOME)
        .results(Arity::SOME)
        .regions(1)
        .attrs(&[GROUPS, CHANNEL, GLOBAL_IDS, optional("has_dynamic_root", AttrKind::Unit)])
        .rule(rules::collective_reduce),
    transfer(Infeed).attrs(&[optional("infeed_config", AttrKind::Str), optional("layout", AttrKind::Any)]),
    transfer(Outfeed).attrs(&[optional("outfeed_config", AttrKind::Str)]),
    transfer(Send).attrs(TRANSFER).rule(rules::send),
    transfer(Recv).attrs(TRANSFER).rule(rules::recv),
];

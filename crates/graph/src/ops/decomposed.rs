//! What long sorts and scatters become before fusion: parts that are a kernel each. And what StableHLO's collectives
//! become: one op on one buffer, between kernels.
//!
//! Worked example: a sort of 5000 f32 is `sort_runs {runs = 2048}`, `merge_runs {sorted_runs = 2048, runs = 4096}` and
//! `merge_runs {sorted_runs = 4096, runs = 8192}`.

use super::indexing::SCATTER;
use super::{Arity, AttrKind, AttrSpec, Family, OpRow, Trait, op, optional, required};
use crate::op::OpKind::{self, *};
use crate::verify::decomposed as rules;

const fn part(kind: OpKind, attrs: &'static [AttrSpec]) -> OpRow {
    op(kind, Family::Decomposed).operands(Arity::SOME).results(Arity::SOME).regions(1).attrs(attrs)
}

/// Of a pass of a radix sort: the dimension, the lowest bit of its digit, elements of a tile.
const RADIX: &[AttrSpec] = &[
    optional("dimension", AttrKind::I64),
    optional("is_stable", AttrKind::Bool),
    required("digit_shift", AttrKind::I64),
    required("tile", AttrKind::I64),
];

pub const ROWS: &[OpRow] = &[
    part(
        SortRuns,
        &[
            optional("dimension", AttrKind::I64),
            optional("is_stable", AttrKind::Bool),
            required("runs", AttrKind::I64),
            optional("keep", AttrKind::I64),
        ],
    )
    .rule(rules::sort_runs),
    part(
        MergeRuns,
        &[
            optional("dimension", AttrKind::I64),
            optional("is_stable", AttrKind::Bool),
            required("sorted_runs", AttrKind::I64),
            optional("runs", AttrKind::I64),
        ],
    )
    .rule(rules::merge_runs),
    part(RadixCount, RADIX).results(Arity::exactly(1)).rule(rules::radix_count),
    part(RadixDistribute, RADIX).operands(Arity::at_least(2)).rule(rules::radix_distribute),
    part(SortedScatter, SCATTER).operands(Arity::at_least(4)).rule(rules::sorted_scatter),
    op(Collective, Family::Decomposed)
        .operands(Arity::SOME)
        .traits(&[Trait::SideEffect])
        .attrs(&[
            required("kind", AttrKind::Str),
            required("groups", AttrKind::Any),
            optional("reducer", AttrKind::Str),
        ])
        .rule(crate::verify::collective::canonical),
    part(UpdateInPlace, SCATTER).operands(Arity::at_least(3)).rule(crate::verify::indexing::scatter),
];

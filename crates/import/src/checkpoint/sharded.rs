//! A model of several devices (tensor parallelism): which dimension of each tensor and cache they cut.
//!
//! | tensors | cut by |
//! | --- | --- |
//! | queries, keys, values, gates, ups, with their biases; embeddings, logits | outputs |
//! | attention's output, downs | inputs: what devices have of the product is added up |
//! | caches | heads of keys and values |
//! | norms, positions, routers, biases of what is cut by inputs | not at all |
//!
//! The importer writes no more than these shardings (`sdy.sharding`); the compiler's partitioner makes the program of
//! one device of them. So whatever is written here gives the same results, and only decides what is read and sent:
//! where inputs do not divide, as blocks of quantised elements may not, outputs are cut, and a tensor of which no side
//! divides is whole on every device.
//!
//! Worked example: `o_proj` of `[4096, 4096]` in blocks of 256 is `[4096, 16, 144]` bytes. Two devices have 8 blocks of
//! each row; of 32 devices, which do not divide 16, each has 128 rows.

use super::decoder::{Decoder, Experts};
use super::names::Role;

/// Name of the mesh, and of its one axis.
const MESH: &str = "mesh";
const AXIS: &str = "model";
/// Devices of a model at most.
pub const DEVICES_MAX: u64 = 256;

/// A side of a matrix `[out, in]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Outputs,
    Inputs,
}

fn side(role: Role) -> Option<Side> {
    use Role::{
        AttentionOutput, Down, ExpertDownStack, ExpertDowns, ExpertGateUpStack, ExpertGates, ExpertUps, Gate, GateBias,
        GateUp, Key, KeyBias, Output, Qkv, QkvBias, Query, QueryBias, SharedDown, SharedGate, SharedUp, TokenEmbedding,
        Up, UpBias, Value, ValueBias,
    };
    match role {
        TokenEmbedding | Output | Qkv | QkvBias | Query | QueryBias | Key | KeyBias | Value | ValueBias | GateUp
        | Gate | GateBias | Up | UpBias | ExpertGates | ExpertUps | ExpertGateUpStack | SharedGate | SharedUp => {
            Some(Side::Outputs)
        }
        AttentionOutput | Down | ExpertDowns | ExpertDownStack | SharedDown => Some(Side::Inputs),
        _ => None,
    }
}

/// Whether what devices have of a matrix's product is added up.
pub fn is_summed(role: Role) -> bool {
    side(role) == Some(Side::Inputs)
}

/// The dimension of a tensor that so many devices cut. `rank` is that of its elements, `sizes` are those of the
/// argument, in blocks where the tensor has them; `inputs_first` of a matrix `[in, out]`.
pub fn cut(role: Role, rank: usize, (sizes, devices): (&[u64], u64), inputs_first: bool) -> Option<usize> {
    if devices == 1 {
        return None;
    }
    let divides = |dim: &usize| sizes.get(*dim).is_some_and(|size| size.is_multiple_of(devices));
    let side = side(role)?;
    if rank < 2 {
        return Some(0).filter(|dim| side == Side::Outputs && divides(dim));
    }
    let (outputs, inputs) = if inputs_first { (rank - 1, rank - 2) } else { (rank - 2, rank - 1) };
    let wanted = match side {
        Side::Outputs => outputs,
        Side::Inputs => inputs,
    };
    [wanted, outputs].into_iter().find(divides)
}

/// The dimension of a part of a quantised matrix that has its outputs: these are cut whatever the matrix is for.
pub fn outputs(role: Role, dim: usize, sizes: &[u64], devices: u64) -> Option<usize> {
    let divides = sizes.get(dim).is_some_and(|size| size.is_multiple_of(devices));
    (devices > 1 && divides && side(role).is_some()).then_some(dim)
}

/// The attribute that says which dimension of so many is cut; of none, that all are whole.
pub fn attribute(rank: usize, cut: Option<usize>) -> String {
    let dim = |at| if Some(at) == cut { format!("{{\"{AXIS}\"}}") } else { "{}".to_string() };
    let dims: Vec<String> = (0..rank).map(dim).collect();
    format!(", sdy.sharding = #sdy.sharding<@{MESH}, [{}]>", dims.join(", "))
}

/// What a module says of its devices: attributes, and its mesh.
pub fn module(devices: u64) -> (String, String) {
    if devices == 1 {
        return (String::new(), String::new());
    }
    let attributes = format!("attributes {{mhlo.num_partitions = {devices} : i32, mhlo.num_replicas = 1 : i32}} ");
    (attributes, format!("  sdy.mesh @{MESH} = <[\"{AXIS}\"={devices}]>\n"))
}

/// Why a decoder cannot be cut for so many devices; `None` where it can.
pub fn refusal(decoder: &Decoder, devices: u64) -> Option<String> {
    let sizes = sizes(decoder);
    let common = sizes.iter().fold(0, |known, (_, size)| divisor(known, *size)).min(DEVICES_MAX);
    let unfit = sizes.iter().find(|(_, size)| devices == 0 || !size.is_multiple_of(devices));
    let why = match unfit {
        None if devices <= DEVICES_MAX => return None,
        None => String::new(),
        Some((what, size)) => format!(" ({what}: {size})"),
    };
    let fit: Vec<String> = (1..=common).filter(|n| common.is_multiple_of(*n)).map(|n| n.to_string()).collect();
    Some(format!("cannot be cut for {devices} devices{why}; --tensor-parallel={} would do", fit.join(", ")))
}

/// What must divide, with its name.
fn sizes(decoder: &Decoder) -> Vec<(&'static str, u64)> {
    let mut sizes = vec![("heads of keys and values", decoder.kv_heads), ("heads", decoder.heads)];
    if decoder.layers.iter().any(|layer| layer.experts.is_none()) {
        sizes.push(("width of the feed-forward part", decoder.feed_forward));
    }
    for Experts { width, shared, .. } in decoder.layers.iter().filter_map(|layer| layer.experts) {
        let own = ("width of experts", width);
        let shared = shared.map(|width| ("width of the shared expert", width));
        for size in std::iter::once(own).chain(shared).filter(|size| !sizes.contains(size)).collect::<Vec<_>>() {
            sizes.push(size);
        }
    }
    sizes
}

fn divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_that_do_not_divide_are_cut_by_outputs() {
        let of = |devices| cut(Role::AttentionOutput, 2, (&[4096, 16, 144], devices), false);
        assert_eq!([1, 2, 32, 3].map(of), [None, Some(1), Some(0), None]);
        let of = |role| cut(role, 2, (&[4096, 4096], 2), true);
        assert_eq!([Role::Query, Role::Down, Role::Router].map(of), [Some(1), Some(0), None]);
        let of = |role| cut(role, 1, (&[8], 2), true);
        assert_eq!([Role::QueryBias, Role::DownBias].map(of), [Some(0), None]);
        let of = |role| cut(role, 3, (&[8, 6, 4], 2), false);
        assert_eq!([Role::ExpertUps, Role::ExpertDowns].map(of), [Some(1), Some(2)]);
    }

    #[test]
    fn devices_are_one_axis() {
        assert_eq!(attribute(3, Some(1)), ", sdy.sharding = #sdy.sharding<@mesh, [{}, {\"model\"}, {}]>");
        assert!(module(1).0.is_empty() && module(4).1.contains("\"model\"=4"));
        assert_eq!([divisor(0, 12), divisor(12, 18), divisor(8, 5)], [12, 6, 1]);
    }
}

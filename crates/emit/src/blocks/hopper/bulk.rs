//! Tensor copies between global and shared memory by the copy engine: one thread starts them, nobody computes an
//! address.
//!
//! A copy moves a box of a tensor map (see `fornax_plan::TensorMap`): coordinates name the box's first element,
//! innermost dimension first. What lies outside the tensor is read as zero and not written, which does all tails. In
//! shared memory the box lies densely, rows of 128 bytes with their 16-byte chunks permuted: chunk c of row r at c xor
//! (r mod 8) (128-byte swizzle).
//!
//! Worked example: box {64, 128} of bf16 at (k = 128, row = 256) brings 128 rows of 128 bytes: 16,384 bytes on the
//! barrier.

use crate::emitter::Emitter;
use crate::errors::EmitError;
use crate::text::{Code, Scalar, Ty, Value, list};

/// Bytes of a row of a swizzled box.
pub const ROW_BYTES: i64 = 128;
/// Alignment of a swizzled box, bytes: the permutation depends on address bits 7 to 9.
pub const BOX_ALIGNMENT: i64 = 1024;

/// Starts a copy of the box at `coordinates` to shared memory; `barrier` counts its bytes. With `multicast` (an i16
/// mask of ranks) the bytes go to the same place of every named workgroup of the cluster, and count on their barriers.
pub fn load(
    code: &mut Code,
    map: Value,
    coordinates: &[Value],
    destination: Value,
    barrier: Value,
    multicast: Option<Value>,
) {
    let there = code
        .pure(Ty::scalar(Scalar::Ptr(7)), format!("llvm.addrspacecast {destination} : !llvm.ptr<3> to !llvm.ptr<7>"));
    let at = list(coordinates);
    let mask = multicast.map_or(String::new(), |m| format!(" multicast_mask = {m}"));
    code.line(&format!(
        "nvvm.cp.async.bulk.tensor.shared.cluster.global {there}, {map}, {barrier}, box[{at}]{mask} \
         : !llvm.ptr<7>, !llvm.ptr"
    ));
}

/// Starts to fetch a tensor map, so that the first copy need not wait for it.
pub fn prefetch_map(code: &mut Code, map: Value) {
    code.line(&format!("nvvm.prefetch tensormap, {map} : !llvm.ptr"));
}

/// Starts a copy of a box from shared memory; what threads wrote there must have been fenced ([`fence_shared`]) and
/// met.
pub fn store(code: &mut Code, map: Value, coordinates: &[Value], source: Value) {
    let at = list(coordinates);
    code.line(&format!(
        "nvvm.cp.async.bulk.tensor.global.shared.cta {map}, {source}, box[{at}] : !llvm.ptr, !llvm.ptr<3>"
    ));
}

/// Closes the group of stores that this thread has started.
pub fn commit_stores(code: &mut Code) {
    code.line("nvvm.cp.async.bulk.commit.group");
}

/// Waits until all but the last `pending` groups of this thread have *read* their shared memory, which may then be
/// written again.
pub fn wait_stores_read(code: &mut Code, pending: u32) {
    code.line(&format!("nvvm.cp.async.bulk.wait_group {pending} {{read}}"));
}

/// Waits until all but the last `pending` groups of this thread are written.
pub fn wait_stores(code: &mut Code, pending: u32) {
    code.line(&format!("nvvm.cp.async.bulk.wait_group {pending}"));
}

/// Between this thread's accesses to shared memory and those of the copy engine and the tensor cores: its writes are
/// visible to them, and its reads are over before copies that it allows after.
pub fn fence_shared(code: &mut Code) {
    code.line("nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}");
}

/// Writes four 8×8 matrices of 16-bit pairs (the accumulator's lane order, packed in i32) to shared memory: lane l
/// gives the address of the 16-byte row l mod 8 of matrix l / 8.
pub fn store_matrices(code: &mut Code, pointer: Value, words: [Value; 4]) {
    let words = list(&words);
    code.line(&format!(
        "nvvm.stmatrix {pointer}, {words} {{layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, \
         n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>}} : !llvm.ptr<3>, i32, i32, i32, i32"
    ));
}

/// Reads four 8×8 matrices of 16-bit pairs as [`store_matrices`] writes them.
pub fn load_matrices(code: &mut Code, pointer: Value) -> [Value; 4] {
    let i32 = Ty::scalar(Scalar::I32);
    let four = code.effect(
        i32,
        &format!(
            "nvvm.ldmatrix {pointer} {{num = 4 : i32, layout = #nvvm.mma_layout<row>, shape = \
             #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>}} : ({}) -> \
             !llvm.struct<(i32, i32, i32, i32)>",
            pointer.ty
        ),
    );
    [0, 1, 2, 3].map(|n| code.pure(i32, format!("llvm.extractvalue {four}[{n}] : !llvm.struct<(i32, i32, i32, i32)>")))
}

/// Coordinates of a box under the present bindings, i32.
pub fn coordinates(e: &mut Emitter<'_>, of: &[fornax_plan::IndexId]) -> Result<Vec<Value>, EmitError> {
    of.iter()
        .map(|&id| {
            let value = e.index(id)?;
            let value = e.index_scalar(value);
            Ok(e.code.resize_u(value, Scalar::I32))
        })
        .collect()
}

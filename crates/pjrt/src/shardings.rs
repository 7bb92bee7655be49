//! How the inputs and outputs of a program for several devices are cut, as `xla.OpSharding`: by dimension the number of
//! pieces, then the devices, piece by piece. Devices that have the same piece stand along one more dimension, and those
//! that have parts of a sum along another one.
//!
//! Worked example: an `8x4` cut by rows on 2 x 2 devices, whose second axis copies: pieces `[2, 1]`, 2 copies,
//! devices `[0, 1, 2, 3]`.

use std::ptr;

use fornax_module::manifest::{ShardAxis, TensorSignature};
use prost::Message;

use crate::api::shardings::*;
use crate::api::{Extension, Handle, entries::entry};
use crate::error::Result;

/// Kinds of a sharding: whole on every device, and cut.
const REPLICATED: i32 = 0;
const OTHER: i32 = 3;
/// Of devices with parts of a sum.
const UNREDUCED: i32 = 6;

/// `xla.OpSharding`.
#[derive(Clone, PartialEq, Message)]
struct OpSharding {
    #[prost(int32, tag = "1")]
    kind: i32,
    #[prost(int64, repeated, tag = "3")]
    pieces: Vec<i64>,
    #[prost(int64, repeated, tag = "4")]
    devices: Vec<i64>,
    #[prost(bool, tag = "6")]
    copies_last: bool,
    /// What the dimensions behind those of the tensor are.
    #[prost(int32, repeated, tag = "8")]
    others: Vec<i32>,
}

/// How a tensor is cut on so many devices.
fn of(tensor: &TensorSignature, devices: u32) -> OpSharding {
    let rank = tensor.shape.len();
    let mut pieces: Vec<i64> = (0..rank).map(|dim| tensor.pieces(dim) as i64).collect();
    let sums: i64 = tensor.added_up().iter().map(|axis| i64::from(axis.size)).product();
    let parts = pieces.iter().product::<i64>() * sums;
    if parts <= 1 {
        return OpSharding { kind: REPLICATED, ..OpSharding::default() };
    }
    let copies = i64::from(devices) / parts;
    // Where a device is along the axes that are added up, in numbers of devices.
    let along = |device: u32| {
        let place = |axis: &ShardAxis| device / axis.stride.max(1) % axis.size.max(1) * axis.stride;
        tensor.added_up().iter().map(place).sum::<u32>()
    };
    let mut order: Vec<u32> = (0..devices).collect();
    order.sort_by_key(|&device| {
        let piece: Vec<u64> = (0..rank).map(|dim| tensor.piece(dim, device)).collect();
        (piece, device - along(device), device)
    });
    let mut others = Vec::new();
    if copies > 1 {
        pieces.push(copies);
        others.push(REPLICATED);
    }
    if sums > 1 {
        pieces.push(sums);
        others.push(UNREDUCED);
    }
    let devices = order.into_iter().map(i64::from).collect();
    // Copies alone have a flag of their own.
    let copies_last = copies > 1 && sums <= 1;
    OpSharding { kind: OTHER, pieces, devices, copies_last, others: if sums > 1 { others } else { Vec::new() } }
}

/// The shardings of a program's inputs or outputs, in bytes.
pub struct Shardings {
    _bytes: Vec<Vec<u8>>,
    handles: Vec<Handle<u8>>,
    sizes: Vec<usize>,
    /// A program of one device has none, nor has one without results.
    are_none: bool,
}

impl Shardings {
    pub fn new(tensors: &[TensorSignature], devices: u32) -> Shardings {
        let bytes: Vec<Vec<u8>> = tensors.iter().map(|tensor| of(tensor, devices).encode_to_vec()).collect();
        let handles = bytes.iter().map(|bytes| Handle::at(bytes.as_ptr())).collect();
        let are_none = devices <= 1 || tensors.is_empty();
        Shardings { handles, sizes: bytes.iter().map(Vec::len).collect(), _bytes: bytes, are_none }
    }

    fn tell(&self, args: &mut ShardingsArgs) {
        args.count = self.handles.len();
        (args.shardings, args.sizes) = match self.are_none {
            true => (ptr::null(), ptr::null()),
            false => (self.handles.as_ptr(), self.sizes.as_ptr()),
        };
    }
}

/// The extension, a link of the table's list.
pub static EXTENSION: ShardingsExtension = ShardingsExtension {
    link: Extension { size: size_of::<ShardingsExtension>(), kind: KIND, next: ptr::null() },
    entries: [
        entry!(Shardings_PJRT_Executable_ParameterShardings(of_parameters)),
        entry!(Shardings_PJRT_Executable_OutputShardings(of_outputs)),
    ],
};

fn of_parameters(args: &mut ShardingsArgs) -> Result<()> {
    args.executable.get()?.0.input_shardings.tell(args);
    Ok(())
}

fn of_outputs(args: &mut ShardingsArgs) -> Result<()> {
    args.executable.get()?.0.output_shardings.tell(args);
    Ok(())
}

#[cfg(test)]
mod tests {
    use fornax_module::manifest::DimSig;

    use super::*;

    #[test]
    fn pieces_and_copies_name_their_devices() {
        let axis = |stride, size| vec![ShardAxis { stride, size }];
        let tensor = |sharding: Vec<Vec<ShardAxis>>| {
            let shape = sharding.iter().map(|_| DimSig::Static(4)).collect();
            TensorSignature { shape, sharding, ..Default::default() }
        };
        let rows = of(&tensor(vec![axis(2, 2), vec![]]), 4);
        assert_eq!((rows.kind, rows.pieces, rows.devices), (OTHER, vec![2, 1, 2], vec![0, 1, 2, 3]));
        assert!(rows.copies_last);
        let turned = of(&tensor(vec![axis(1, 2), axis(2, 2)]), 4);
        assert_eq!((turned.pieces, turned.devices), (vec![2, 2], vec![0, 2, 1, 3]));
        assert!(!turned.copies_last);
        assert_eq!(of(&tensor(vec![vec![], vec![]]), 4), OpSharding::default());
        let mut sums = tensor(vec![axis(1, 2)]);
        sums.sharding.push(axis(4, 2));
        let sums = of(&sums, 8);
        assert_eq!((sums.pieces, sums.others), (vec![2, 2, 2], vec![REPLICATED, UNREDUCED]));
        assert_eq!((sums.devices, sums.copies_last), (vec![0, 4, 2, 6, 1, 5, 3, 7], false));
        assert!(OpSharding::default().encode_to_vec().is_empty());
    }
}

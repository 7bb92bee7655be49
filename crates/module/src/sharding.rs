//! How several devices share a module: how many there are, and which part of a tensor each has.

use serde::{Deserialize, Serialize};

use crate::collective::DEVICES_MAX;
use crate::errors::ModuleError;
use crate::manifest::{DimSig, TensorSignature};

/// Replicas of a module, each cut into partitions: device `d` is partition `d % partitions` of replica
/// `d / partitions`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceGrid {
    pub replicas: u32,
    pub partitions: u32,
}

/// One axis of devices that cuts a dimension; the first of a dimension is the coarsest. Device `d` has piece
/// `d / stride % size`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShardAxis {
    pub stride: u32,
    pub size: u32,
}

impl TensorSignature {
    /// Pieces that the whole has along a dimension.
    pub fn pieces(&self, dimension: usize) -> u64 {
        let axes = self.sharding.get(dimension).map(Vec::as_slice).unwrap_or_default();
        axes.iter().fold(1u64, |n, axis| n.saturating_mul(axis.size.into()))
    }

    /// Which of them a device has.
    pub fn piece(&self, dimension: usize, device: u32) -> u64 {
        let axes = self.sharding.get(dimension).map(Vec::as_slice).unwrap_or_default();
        axes.iter().fold(0, |at, axis| {
            let own = device.checked_div(axis.stride).and_then(|n| n.checked_rem(axis.size)).unwrap_or(0);
            at * u64::from(axis.size) + u64::from(own)
        })
    }

    /// The axes along which the devices' parts are added up to be the tensor: the list behind those of the dimensions.
    pub fn added_up(&self) -> &[ShardAxis] {
        self.sharding.get(self.shape.len()).map(Vec::as_slice).unwrap_or_default()
    }

    /// The axes of a sharding must be those of the dimensions, with devices on them.
    pub(crate) fn check_sharding(&self, place: &str) -> Result<(), ModuleError> {
        let axes = self.sharding.iter().flatten();
        let sound = axes.clone().all(|axis| axis.stride > 0 && axis.size > 0);
        let most = axes.fold(1u64, |n, axis| n.saturating_mul(axis.size.into()));
        let fits = self.sharding.is_empty() || (0..2).any(|more| self.sharding.len() == self.shape.len() + more);
        let is_static = self.shape.iter().all(|dim| matches!(dim, DimSig::Static(_)));
        if sound && fits && most <= DEVICES_MAX.into() && (is_static || self.sharding.is_empty()) {
            return Ok(());
        }
        Err(ModuleError::manifest(format!("{place} has a sharding that does not fit its shape")))
    }
}

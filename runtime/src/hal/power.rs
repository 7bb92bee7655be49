//! What a device draws and how fast its clock runs, where the driver tells.

use super::Device;

/// Clock and power of a device at one moment; what nobody tells is `None`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PowerState {
    /// Of the compute units, MHz.
    pub clock_mhz: Option<u32>,
    /// Watts that it draws, and that it may draw.
    pub power_w: Option<f64>,
    pub power_cap_w: Option<f64>,
    /// What keeps the clock below its highest.
    pub held_by: Vec<&'static str>,
}

impl Device {
    /// Clock and power at this moment.
    pub fn power(&self) -> Option<PowerState> {
        self.raw.power()
    }
}

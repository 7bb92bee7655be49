//! What the invented platform and devices say of themselves.
//!
//! The architecture in the settings is the kind of device: `gpu` has everything, `no-il` takes no SPIR-V, `no-svm` has
//! no shared memory, so that its kernels are given buffers and offsets. `properties=old` makes all of it OpenCL 2.0,
//! where SPIR-V is an extension.

use std::ffi::c_uint;

use fornax_fake_driver::{Config, World};

const PLATFORM: u64 = 0x800_0000;
const DEVICES: u64 = 0x880_0000;
/// Threads of a workgroup, and its local memory.
pub const THREADS: u64 = 1024;
pub const LOCAL_BYTES: u64 = 65_536;
/// Largest alignment of memory that a caller may ask for.
pub const ALIGNMENT: c_uint = 128;
/// The kind without shared memory.
const NO_SVM: &str = "no-svm";
const INVALID_OPERATION: i32 = -59;

/// The handle of the one platform.
pub fn platform() -> u64 {
    PLATFORM
}

/// The handle of a device.
pub fn handle(device: usize) -> u64 {
    DEVICES + device as u64 * 16
}

/// The device with a handle.
pub fn by_handle(handle: u64, devices: usize) -> Option<usize> {
    (0..devices).find(|device| self::handle(*device) == handle)
}

/// An error where the current device has no shared memory.
pub fn check_svm(world: &mut World) -> Result<(), i32> {
    let device = world.device()?;
    let has_none = world.config.arches.get(device).is_some_and(|kind| kind == NO_SVM);
    if has_none { Err(INVALID_OPERATION) } else { Ok(()) }
}

fn version(config: &Config) -> &'static str {
    if config.old_properties { "OpenCL 2.0 invented" } else { "OpenCL 3.0 invented" }
}

fn text(text: &str) -> Vec<u8> {
    [text.as_bytes(), b"\0"].concat()
}

/// A property of the platform.
pub fn platform_info(config: &Config, what: c_uint) -> Option<Vec<u8>> {
    Some(match what {
        0x0901 => text(version(config)),
        0x0902 | 0x0903 => text("Invented"),
        _ => return None,
    })
}

/// A property of a device; `None` for those that it does not know.
pub fn info(config: &Config, device: usize, what: c_uint) -> Option<Vec<u8>> {
    let kind = config.arches.get(device)?;
    let word = |value: u64| value.to_ne_bytes().to_vec();
    let int = |value: c_uint| value.to_ne_bytes().to_vec();
    let takes_il = kind != "no-il";
    let extensions = ["cl_khr_fp64", "cl_khr_device_uuid", if takes_il { "cl_khr_il_program" } else { "" }];
    let versions = if takes_il { "SPIR-V_1.0 SPIR-V_1.2 SPIR-V_1.4" } else { "" };
    Some(match what {
        0x1000 => word(1 << 2),
        0x1002 => int(40),
        // MHz.
        0x100c => int(1500),
        0x1004 => word(THREADS),
        0x1005 => [THREADS; 3].into_iter().flat_map(u64::to_ne_bytes).collect(),
        0x100d => int(64),
        0x1010 => word(config.memory),
        0x101b => word(0xbf),
        0x101f => word(config.memory),
        0x1023 => word(LOCAL_BYTES),
        0x1026..=0x1028 => int(1),
        0x102b => text(&format!("Invented {kind}")),
        0x102c => text("Invented"),
        0x102d => text("1.0"),
        0x102f => text(version(config)),
        0x1030 => text(&extensions.join(" ")),
        0x1053 => word(u64::from(kind != NO_SVM)),
        0x105b if takes_il => text(versions),
        // OpenCL 2.1 and later know it without the extension.
        0x105b if !config.old_properties => text(""),
        0x106a => vec![0x5e; 15].into_iter().chain([device as u8]).collect(),
        _ => return None,
    })
}

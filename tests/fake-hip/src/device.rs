//! What the invented devices say of themselves.

use std::ffi::{c_int, c_void};

use fornax_fake_driver::code;

/// HIP 6.3.
pub const VERSION: c_int = 60_342_131;
/// `hipMemcpyDefault`.
pub const COPY_BY_ADDRESS: c_int = 4;
/// `hipMemPoolAttrReleaseThreshold`.
pub const POOL_RELEASE_THRESHOLD: c_int = 4;

const POOLS: u64 = 0x900_0000;

/// The handle of a device's default pool.
pub fn pool(device: usize) -> u64 {
    POOLS + device as u64 * 16
}

/// Whether a handle is the pool of one of the devices.
pub fn is_pool(handle: u64, devices: usize) -> bool {
    (0..devices).any(|device| pool(device) == handle)
}

/// Chip, family, compute units, LDS bytes, lanes of a wave; unknown chips are like the last row.
const CHIPS: &[(&str, c_int, c_int, c_int)] = &[
    ("gfx900", 64, 65_536, 64),
    ("gfx906", 60, 65_536, 64),
    ("gfx908", 120, 65_536, 64),
    ("gfx90a", 104, 65_536, 64),
    ("gfx942", 304, 65_536, 64),
    ("gfx950", 256, 163_840, 64),
    ("gfx", 40, 65_536, 32),
];

fn chip(arch: &str) -> (c_int, c_int, c_int) {
    let name = arch.split(':').next().unwrap_or(arch);
    let row = CHIPS.iter().find(|row| row.0 == name).or(CHIPS.last());
    row.map_or((1, 65_536, 64), |row| (row.1, row.2, row.3))
}

/// The product's name.
pub fn name(arch: &str) -> String {
    format!("Invented {}", arch.split(':').next().unwrap_or(arch))
}

/// HIP's ids are sixteen hexadecimal digits as text.
pub fn uuid(device: usize) -> [u8; 16] {
    let mut uuid = *b"00f0a0ce5ee00000";
    if let (Some(last), Some(digit)) = (uuid.last_mut(), char::from_digit(device as u32 % 16, 16)) {
        *last = digit as u8;
    }
    uuid
}

/// The attributes that the driver asks for.
pub fn attribute(arch: &str, attribute: c_int, pools: bool) -> Option<c_int> {
    let (units, lds, wave) = chip(arch);
    Some(match attribute {
        // kHz.
        5 => 2_100_000,
        26..=28 | 56 => 1024,
        29 => c_int::MAX,
        30 | 31 => 65_535,
        63 => units,
        74 => lds,
        87 => wave,
        88 => c_int::from(pools),
        _ => return None,
    })
}

/// Where fields of the properties lie: whole, memory, LDS, wave, threads of a workgroup, compute units, architecture.
pub struct Layout {
    bytes: usize,
    memory: usize,
    lds: usize,
    wave: usize,
    threads: usize,
    units: usize,
    arch: usize,
}

/// ROCm 6 and later.
pub const NEW_LAYOUT: Layout =
    Layout { bytes: 1472, memory: 288, lds: 296, wave: 308, threads: 320, units: 388, arch: 1160 };
/// Before ROCm 6.
pub const OLD_LAYOUT: Layout =
    Layout { bytes: 792, memory: 256, lds: 264, wave: 276, threads: 280, units: 336, arch: 396 };

/// Fills the structure of device properties.
///
/// # Safety
/// `target` has room for the layout's bytes.
pub unsafe fn write_properties(target: *mut c_void, layout: &Layout, arch: &str, memory: u64) -> Result<(), i32> {
    if target.is_null() {
        return Err(code::INVALID_VALUE);
    }
    let (units, lds, wave) = chip(arch);
    let mut bytes = vec![0u8; layout.bytes];
    let mut set = |at: usize, field: &[u8]| {
        if let Some(room) = bytes.get_mut(at..at + field.len()) {
            room.copy_from_slice(field);
        }
    };
    set(0, name(arch).as_bytes());
    set(layout.memory, &memory.to_le_bytes());
    set(layout.lds, &(lds as u64).to_le_bytes());
    set(layout.wave, &wave.to_le_bytes());
    set(layout.threads, &1024i32.to_le_bytes());
    set(layout.units, &units.to_le_bytes());
    set(layout.arch, arch.as_bytes());
    // SAFETY: the caller's word.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), target.cast(), bytes.len()) };
    Ok(())
}

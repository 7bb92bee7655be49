//! What the invented devices say of themselves.

use std::ffi::{CStr, c_int};

/// CUDA 13.0.
pub const VERSION: c_int = 13_000;

/// Of the first device, where nobody sets it.
const UUID: [u8; 16] = [0x5e, 0x5e, 0x5e, 0x5e, 0x5e, 0x5e, 0x5e, 0x5e, 0x5e, 0x5e, 0x5e, 0x5e, 0x5e, 0x5e, 0x5e, 0];

/// Sixteen bytes that only differ in the last.
pub fn uuid(first: Option<[u8; 16]>, device: usize) -> [u8; 16] {
    let mut uuid = first.unwrap_or(UUID);
    uuid[15] = uuid[15].wrapping_add(device as u8);
    uuid
}

/// The attributes that the driver asks for.
pub fn attribute(arch: &str, attribute: c_int) -> Option<c_int> {
    let digits = arch.trim_start_matches("sm_").trim_end_matches(|c: char| !c.is_ascii_digit());
    let capability: c_int = digits.parse().ok()?;
    Some(match attribute {
        1..=3 => 1024,
        4 => 64,
        5 => c_int::MAX,
        6 | 7 => 65_535,
        // kHz.
        13 => 1_980_000,
        16 => 132,
        39 => 2048,
        75 => capability / 10,
        76 => capability % 10,
        97 => 232_448,
        _ => return None,
    })
}

/// The names of codes that tests let calls fail with.
const NAMES: &[(c_int, &CStr)] = &[
    (1, c"CUDA_ERROR_INVALID_VALUE"),
    (2, c"CUDA_ERROR_OUT_OF_MEMORY"),
    (100, c"CUDA_ERROR_NO_DEVICE"),
    (101, c"CUDA_ERROR_INVALID_DEVICE"),
    (200, c"CUDA_ERROR_INVALID_IMAGE"),
    (201, c"CUDA_ERROR_INVALID_CONTEXT"),
    (209, c"CUDA_ERROR_NO_BINARY_FOR_GPU"),
    (400, c"CUDA_ERROR_INVALID_HANDLE"),
    (500, c"CUDA_ERROR_NOT_FOUND"),
    (700, c"CUDA_ERROR_ILLEGAL_ADDRESS"),
    (719, c"CUDA_ERROR_LAUNCH_FAILED"),
    (801, c"CUDA_ERROR_NOT_SUPPORTED"),
    (900, c"CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"),
];

/// The name of a code.
pub fn error_name(code: c_int) -> Option<&'static CStr> {
    NAMES.iter().find(|row| row.0 == code).map(|row| row.1)
}

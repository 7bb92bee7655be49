//! Attention by MFMA and WMMA.
//!
//! Source: AMD's instruction set architectures of CDNA and RDNA: LDS of 32 banks of 4 bytes. Not measured.

/// Bytes that a unit's shared memory gives in a cycle; half of them are to do.
pub const SHARED_BYTES: u32 = 128;

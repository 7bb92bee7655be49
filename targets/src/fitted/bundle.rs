//! When small kernels that do not depend on one another are worth one launch.
//!
//! Source: what a launch costs is measured on one H100 (graphs, programmatic dependent launches); the bounds are
//! derived from it.

/// Cycles of the device from which on a kernel is launched alone: some 10 us, of which a launch (0.4 to 1 us) is
/// little.
pub const LARGE_CYCLES: f64 = 18_000.0;
/// The same for the bytes of a product by warpgroups, some 40 us: launched with others it takes multiprocessors that
/// their last round leaves. Chosen, not measured.
pub const LARGE_PRODUCT_CYCLES: f64 = 72_000.0;
/// Registers that a thread of a kernel is taken to have, before it is compiled.
pub const THREAD_REGISTERS: u32 = 64;
/// Times the cycles of the cheapest schedule that one which leaves room for others may take. Chosen: queries of 128
/// texts of Llama 3.1 8B take 2.6 % more in 64 tiles than in 128.
pub const FOR_ROOM: f64 = 1.1;

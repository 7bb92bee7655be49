//! Reader of MLIR bytecode: StableHLO, and the portable artifacts (VHLO) that `jax.export` serialises. Bytes in,
//! StableHLO text in generic form out, which the text importer reads: one importer decides what an op means, whatever
//! form it came in.
//!
//! Limits: bytecode versions 0 to 6; VHLO of every version since 1.0; ops of other dialects that encode attributes in
//! ways of their own are refused by name. Broken bytes are an error with their position, never a panic; the text is at
//! most `GROWTH` times the file and `ALWAYS` more, whatever the attributes name.
//!
//! Worked example: `vhlo.abs_v1` of value 0, `tensor<2xf32>`, becomes `%1 = "stablehlo.abs"(%0) : (tensor<2xf32>) ->
//! (tensor<2xf32>)`.

mod builtin;
mod cursor;
mod file;
mod hlo;
mod ops;
mod properties;
mod quant;
mod shardy;
mod tables;
mod value;
mod versioned;
mod vhlo;

use cursor::Result;

/// First bytes of every bytecode file.
pub const MAGIC: &[u8] = b"ML\xefR";

/// Characters of text a byte of the file may become, beyond what is always allowed.
const GROWTH: usize = 64;
const ALWAYS: usize = 64 << 20;

/// The module as StableHLO text.
///
/// # Errors
/// FX0121 the bytes are not what the format says, FX0122 they use what this reader does not know.
pub fn to_text(bytes: &[u8], file_name: &str) -> Result<String> {
    let limit = bytes.len().saturating_mul(GROWTH).saturating_add(ALWAYS);
    let file = file::File::read(bytes, file_name)?;
    let tables = tables::Tables::new(&file, limit);
    ops::write(&tables, limit)
}

//! What a model becomes, as hashes: equal fingerprints, equal kernels and equal host programs.
//!
//! Moves of code must not change what is compiled. A test holds the fingerprints of many models, so a change that only
//! moves code is proven by them, and a change that means to alter kernels shows which ones it altered.

use fornax_kernels::emit;
use fornax_module::records;
use fornax_passes::program;

use crate::dump::Dump;
use crate::errors::CompileError;
use crate::options::CompileOptions;
use crate::phase::Phase;
use crate::session::{Front, front, machines};
use crate::watch::Watch;

/// One model on one target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fingerprint {
    /// Hash of the program's records as they stand in a module.
    pub program: String,
    pub kernels: Vec<KernelFingerprint>,
}

/// One kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelFingerprint {
    pub name: String,
    /// Its schedule in a few words.
    pub schedule: String,
    /// Hash of the MLIR that is emitted for it.
    pub mlir: String,
}

/// Hexadecimal digits of a hash that are kept: 2⁴⁰ values, where some 20,000 kernels are compared each with its own.
const DIGITS: usize = 10;

fn hash(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().chars().take(DIGITS).collect()
}

/// The fingerprints of a model: one a target of `options`, in their order; a refusal's code where a target refuses it.
///
/// Nothing is compiled below MLIR, so no worker is started for StableHLO models.
///
/// # Errors
/// As [`compile`](crate::compile), for what is wrong with the model whatever the target.
pub fn fingerprint(
    source: &[u8],
    file_name: &str,
    options: &CompileOptions,
) -> Result<Vec<Result<Fingerprint, CompileError>>, CompileError> {
    let options = &CompileOptions { compile_to: Phase::Pack, ..options.clone() };
    let dump = Dump::default();
    let mut watch = Watch::new(options, &|_| {}, &dump);
    let Front::Fused(fused) = front(source, file_name, (options, machines(options)), &mut watch)? else {
        return Err(CompileError::user("FX0908", "the model was not compiled up to its kernels"));
    };
    let plan_options = program::Options { schedule: options.schedule.clone(), ..Default::default() };
    let one = |target: &fornax_targets::Target| {
        let planned = fornax_passes::plan(&fused.graph, target, &plan_options).map_err(CompileError::pass)?;
        let records = records::encode(&planned.program)
            .map_err(|error| CompileError::user("FX0908", format!("the program cannot be written: {error}")))?;
        let pairs = planned.kernels.iter().zip(&planned.program.kernels);
        let kernels = pairs.map(|(plan, record)| {
            let source = emit(plan, &record.name, target).map_err(CompileError::emit)?;
            let mlir = hash(source.mlir.as_bytes());
            Ok(KernelFingerprint { name: record.name.clone(), schedule: plan.way(), mlir })
        });
        Ok(Fingerprint { program: hash(&records), kernels: kernels.collect::<Result<_, CompileError>>()? })
    };
    Ok(options.targets.iter().map(|resolved| one(&resolved.target)).collect())
}

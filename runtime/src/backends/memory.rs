//! How much memory a decoder-only language model takes at inference, and opening a device that has it.

use super::{Backend, BackendPreference, free_bytes, nothing_usable, open_each, wanted};
use crate::errors::{ErrorKind, Result, RuntimeError};
use crate::hal::Device;

/// Bytes of a gibibyte, which the texts here call GB.
const GIB: f64 = (1u64 << 30) as f64;
/// Where a driver does not tell its free memory, this share of all of it is taken to be free, percent.
const FREE_PERCENT: u64 = 80;

/// What a model takes, bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryEstimate {
    /// Weights.
    pub model_bytes: u64,
    /// Keys and values of one sequence of the largest length.
    pub kv_cache_bytes: u64,
    /// Intermediate results of one token.
    pub activation_bytes: u64,
    /// The sum of the three.
    pub total_bytes: u64,
}

impl MemoryEstimate {
    /// The total in units of 2^30 bytes.
    pub fn total_gb(&self) -> f64 {
        gb(self.total_bytes)
    }
}

/// Estimates what a decoder with gated feed-forward layers (Llama, Mistral) takes at inference.
///
/// * `hidden_size`: width of the model, elements.
/// * `intermediate_size`: width of the feed-forward layers, elements.
/// * `num_layers`: decoder layers.
/// * `vocab_size`: tokens; embedding and output matrix are counted apart.
/// * `num_heads`, `num_kv_heads`: heads of queries, and of keys and values.
/// * `max_seq_len`: tokens in the cache.
/// * `dtype_bytes`: bytes of an element.
///
/// Sizes that no machine has saturate at the largest number.
///
/// ```
/// let estimate = fornax_runtime::estimate_inference_memory(4096, 14336, 32, 32000, 32, 8, 4096, 4);
/// assert_eq!(format!("Model requires: {:.2} GB", estimate.total_gb()), "Model requires: 27.98 GB");
/// ```
#[allow(clippy::too_many_arguments)]
pub fn estimate_inference_memory(
    hidden_size: u64,
    intermediate_size: u64,
    num_layers: u64,
    vocab_size: u64,
    num_heads: u64,
    num_kv_heads: u64,
    max_seq_len: u64,
    dtype_bytes: u64,
) -> MemoryEstimate {
    let product = |factors: &[u64]| factors.iter().fold(1u64, |all, factor| all.saturating_mul(*factor));
    let sum = |terms: &[u64]| terms.iter().fold(0u64, |all, term| all.saturating_add(*term));
    let head_size = hidden_size.checked_div(num_heads).unwrap_or(0);
    let kv_size = product(&[num_kv_heads, head_size]);
    let layer = sum(&[
        // Queries and the output of attention; keys and values.
        product(&[2, hidden_size, hidden_size]),
        product(&[2, hidden_size, kv_size]),
        // Gate, up and down.
        product(&[3, hidden_size, intermediate_size]),
        // Two norms.
        product(&[2, hidden_size]),
    ]);
    let parameters = sum(&[
        // Embedding and output matrix, the last norm.
        product(&[2, vocab_size, hidden_size]),
        product(&[num_layers, layer]),
        hidden_size,
    ]);
    let model_bytes = product(&[parameters, dtype_bytes]);
    let kv_cache_bytes = product(&[2, num_layers, max_seq_len, kv_size, dtype_bytes]);
    // Results of one layer and of the one before it.
    let activation = sum(&[hidden_size, product(&[2, intermediate_size])]);
    let activation_bytes = product(&[activation, dtype_bytes, 2]);
    let total_bytes = sum(&[model_bytes, kv_cache_bytes, activation_bytes]);
    MemoryEstimate { model_bytes, kv_cache_bytes, activation_bytes, total_bytes }
}

/// Opens the first device that has `required_bytes` free: of any backend, in their order, with
/// [`BackendPreference::Auto`], else of the backend asked for. Free is what the driver says; where it does not say, 80
/// % of the device's memory.
///
/// ```
/// use fornax_runtime::{BackendPreference, estimate_inference_memory, init_backend_with_memory_check};
/// let estimate = estimate_inference_memory(64, 128, 2, 256, 4, 2, 64, 4);
/// match init_backend_with_memory_check(BackendPreference::Auto, estimate.total_bytes) {
///     Ok(backend) => println!("Initialized {} backend", backend.name()),
///     Err(e) => eprintln!("Failed: {}", e),
/// }
/// ```
///
/// # Errors
/// FX0706 where no device has the memory; as [`init_backend`](super::init_backend) where there is no device.
pub fn init_backend_with_memory_check(preference: BackendPreference, required_bytes: u64) -> Result<Backend> {
    let is_auto = preference == BackendPreference::Auto;
    let mut passed_over = Vec::new();
    let mut is_any_open = false;
    for row in wanted(preference) {
        let mut best: Option<(usize, u64)> = None;
        let mut take = |device: Device| {
            let available = available_bytes(&device);
            if available >= required_bytes {
                return Some(device);
            }
            if best.is_none_or(|(_, most)| available > most) {
                best = Some((device.info().ordinal, available));
            }
            None
        };
        match open_each(&row, &mut take) {
            Ok(Some(device)) => return Ok(Backend { kind: row.backend, device, passed_over }),
            Err(error) if !is_auto => return Err(error),
            Err(error) => passed_over.push(format!("{}: {}", row.name, error.message())),
            Ok(None) => {
                is_any_open = true;
                let (ordinal, available) = best.unwrap_or_default();
                let message = format!(
                    "{} device {ordinal} has insufficient memory: {:.2} GB available, {:.2} GB required",
                    row.name,
                    gb(available),
                    gb(required_bytes)
                );
                if !is_auto {
                    return Err(insufficient(message));
                }
                passed_over.push(message);
            }
        }
    }
    if !is_any_open {
        return Err(nothing_usable(&passed_over));
    }
    let message = format!("No backend has enough memory for model ({:.2} GB required)", gb(required_bytes));
    Err(insufficient(message).with_help(passed_over.join("; ")))
}

fn insufficient(message: String) -> RuntimeError {
    RuntimeError::new("FX0706", ErrorKind::OutOfMemory, message)
}

fn available_bytes(device: &Device) -> u64 {
    let share = |bytes: u64| (u128::from(bytes) * u128::from(FREE_PERCENT) / 100) as u64;
    free_bytes(device).unwrap_or_else(|| share(device.info().memory_bytes))
}

fn gb(bytes: u64) -> f64 {
    bytes as f64 / GIB
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mistral_7b_in_f32() {
        let estimate = estimate_inference_memory(4096, 14336, 32, 32000, 32, 8, 4096, 4);
        let wanted = MemoryEstimate {
            model_bytes: 28_966_928_384,
            kv_cache_bytes: 1_073_741_824,
            activation_bytes: 262_144,
            total_bytes: 30_040_932_352,
        };
        assert_eq!(estimate, wanted);
        assert_eq!(format!("{:.2}", estimate.total_gb()), "27.98");
    }

    #[test]
    fn absurd_sizes_saturate() {
        let most = u64::MAX;
        assert_eq!(estimate_inference_memory(most, most, most, most, 1, most, most, most).total_bytes, most);
        assert_eq!(estimate_inference_memory(0, 0, 0, 0, 0, 0, 0, 0).total_bytes, 0);
        assert_eq!(estimate_inference_memory(8, 8, 1, 8, 0, 1, 8, 4).kv_cache_bytes, 0);
    }

    #[cfg(feature = "cpu")]
    #[test]
    fn what_does_not_fit_is_refused_in_the_known_words() {
        let backend = init_backend_with_memory_check(BackendPreference::Cpu, 1 << 20).unwrap();
        assert_eq!(backend.name(), "CPU");
        let need = 1 << 60;
        let error = init_backend_with_memory_check(BackendPreference::Auto, need).err().unwrap();
        let wanted = "No backend has enough memory for model (1073741824.00 GB required)";
        assert_eq!((error.to_string().as_str(), error.code(), error.exit_code()), (wanted, "FX0706", 4));
        let error = init_backend_with_memory_check(BackendPreference::Cpu, need).err().unwrap().to_string();
        assert!(error.starts_with("CPU device 0 has insufficient memory: "), "{error}");
        assert!(error.ends_with(" GB available, 1073741824.00 GB required"), "{error}");
    }
}

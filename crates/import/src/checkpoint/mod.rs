//! Checkpoints of language models as StableHLO: a GGUF file, or a folder of Hugging Face's, in place of a model.
//!
//! What is written is an ordinary model: `prefill` and `decode` (`graph`), whose weights are arguments that name
//! their tensor (`fornax.parameter`), and what chooses tokens of their logits (`sampling`). No data of the checkpoint
//! is read, only headers and settings.
//!
//! How to add an architecture: a row in `architectures/mod.rs`, and a file that reads its settings; how to add a kind
//! of quantised blocks: a row in `dequantize.rs`; a format of quantised folders: `quantized/mod.rs`.

mod architectures;
mod attention;
mod caches;
mod conversion;
mod decoder;
mod dequantize;
mod encoder;
mod expert_matrices;
mod experts;
mod feed_forward;
mod function;
mod graph;
mod index;
mod names;
mod norm;
mod pages;
mod positions;
mod quantized;
mod sampling;
mod sharded;
mod sizes;
mod source;
mod text;

use std::path::Path;

use fornax_types::ElementType;

pub use self::conversion::conversion;
pub(crate) use self::function::quoted;
use self::graph::{Call, Kind};
pub use self::pages::PAGE;
pub use self::quantized::{ACTIVATION_TYPES, ActivationType};
pub use self::sizes::{CheckpointSizes, sizes};
pub use self::source::is_checkpoint;
use self::source::{Checkpoint, Stored};
use crate::{Diagnostic, ERROR_CODES};

/// How a checkpoint becomes functions.
#[derive(Clone, Copy, Debug)]
pub struct CheckpointOptions {
    /// Rows of the caches; `None` for the model's own context, at most [`CONTEXT_DEFAULT`].
    pub context: Option<u64>,
    /// Tokens that `prefill` takes at a time.
    pub chunk: u64,
    /// Tokens that `prefill_long` takes at a time, a multiple of `chunk`; 0 for a model without it. There is none where
    /// the caches hold fewer.
    pub long_chunk: u64,
    /// Texts that `decode` adds a token to at a time.
    pub batch: u64,
    /// Pages of [`PAGE`] tokens that the caches of all texts together have; `None` for caches of each text.
    pub pages: Option<u64>,
    /// Tokens that are guessed ahead of each text at most: where above 0, there is `verify`, which takes one more.
    pub speculate: u64,
    /// Devices that compute the model together, each with its part of the weights and caches.
    pub devices: u64,
    /// Type of products' operands: f32, bf16 or f16.
    pub element: ElementType,
    /// One of [`CACHE_TYPES`]; `None` for that of products' operands.
    pub cache: Option<ElementType>,
    /// What products of E4M3 matrices multiply.
    pub activations: ActivationType,
}

/// Types of caches, with their names. Those of 8 bits have a scale for each head and position.
pub const CACHE_TYPES: [(&str, ElementType); 5] = [
    ("f32", ElementType::F32),
    ("bf16", ElementType::Bf16),
    ("f16", ElementType::F16),
    ("f8", ElementType::F8E4M3FN),
    ("int8", ElementType::I8),
];

/// Rows of the caches at most, where nobody asks for more.
pub const CONTEXT_DEFAULT: u64 = 2048;
/// Tokens of a chunk on a processor: enough that weights are read seldom, few enough that a short prompt does not wait.
/// Chosen, not measured.
const CHUNK_ON_CPU: u64 = 32;
/// Tokens of a long one. Prompts of Llama 3.2 1B's shape in Q4_0, tokens a second by chunks of 32, 64, 128, 256, 512 on
/// two cores of a Xeon: 62, 75, 81, 82, 92 (docs/measured/language.md).
const LONG_CHUNK_ON_CPU: u64 = 256;
/// Tokens of a chunk on a GPU, which reads weights as long as it computes so many tokens, and of a long one. Measured
/// on one H200 (docs/measured/language.md).
const CHUNK_ON_GPU: u64 = 128;
const LONG_CHUNK_ON_GPU: u64 = 512;
/// Tokens that are guessed ahead at most: with more than 16 rows, products read weights as `prefill` does.
const SPECULATE_MAX: u64 = 64;
/// Texts of a call at most.
const BATCH_MAX: u64 = 1024;
/// Rows of caches and tokens of a chunk at most.
const ROWS_MAX: u64 = 1 << 24;

impl Default for CheckpointOptions {
    fn default() -> Self {
        let element = ElementType::F32;
        let (chunk, long_chunk, batch, speculate, devices) = (chunk_default(false), 0, 1, 0, 1);
        let activations = ActivationType::AsStored;
        CheckpointOptions {
            context: None,
            chunk,
            long_chunk,
            batch,
            pages: None,
            speculate,
            devices,
            element,
            cache: None,
            activations,
        }
    }
}

/// Tokens of a chunk where nobody says how many.
pub fn chunk_default(on_gpu: bool) -> u64 {
    if on_gpu { CHUNK_ON_GPU } else { CHUNK_ON_CPU }
}

/// Tokens of a long chunk where nobody says how many, 0 for none: as many whole chunks as there are in what the device
/// takes.
pub fn long_chunk_default(on_gpu: bool, chunk: u64) -> u64 {
    let long = if on_gpu { LONG_CHUNK_ON_GPU } else { LONG_CHUNK_ON_CPU };
    let whole = long.checked_div(chunk).unwrap_or(0) * chunk;
    if whole > chunk { whole } else { 0 }
}

/// A checkpoint as a module of StableHLO text.
///
/// # Errors
/// FX1001 to FX1003 for broken files, FX1011 to FX1017 for checkpoints that are no model Fornax knows, FX1019 for
/// models that cannot be cut for so many devices.
pub fn to_text(path: &Path, options: &CheckpointOptions) -> Result<String, Box<Diagnostic>> {
    Ok(written(path, options)?.text)
}

/// A checkpoint as text, with what is known of its model.
struct Written {
    text: String,
    /// Tensors that it reads.
    tensors: Vec<Stored>,
    /// Of a language model.
    caches: Option<CacheSizes>,
}

/// Caches of a language model.
struct CacheSizes {
    /// Of a call, on one device.
    shape: Vec<u64>,
    /// Keys and values of each layer.
    count: u64,
    context: u64,
}

fn written(path: &Path, options: &CheckpointOptions) -> Result<Written, Box<Diagnostic>> {
    let checkpoint = Checkpoint::open(path)?;
    if let Some(kind) = encoder::find(&checkpoint) {
        return encoder::written(checkpoint, kind, path, options);
    }
    let architecture = architectures::find(&checkpoint, encoder::known(checkpoint.naming()))?;
    let checkpoint = checkpoint.rename(architecture.renamed).with_format(options.activations)?;
    let decoder = architectures::describe(&checkpoint, architecture)?;
    let asked = options.context.unwrap_or(decoder.context.min(CONTEXT_DEFAULT));
    let refuse = |what: String| Err(checkpoint.failed("FX1017", what));
    if asked == 0 || asked > decoder.context {
        return refuse(format!("a context of {asked}; the model was made for 1 to {}", decoder.context));
    }
    if options.chunk == 0 || options.chunk > ROWS_MAX {
        return refuse(format!("chunks of {} tokens; 1 to {ROWS_MAX} can be", options.chunk));
    }
    let long = options.long_chunk;
    if long > 0 && (long <= options.chunk || !long.is_multiple_of(options.chunk)) {
        return refuse(format!("long chunks of {long} tokens; a multiple of --chunk, {}, can be", options.chunk));
    }
    let slots = options.batch;
    if slots == 0 || slots > BATCH_MAX {
        return refuse(format!("{slots} texts a call; 1 to {BATCH_MAX} can be"));
    }
    let ahead = options.speculate;
    if ahead > SPECULATE_MAX || ahead >= asked {
        return refuse(format!("{ahead} tokens ahead; 0 to {} can be", SPECULATE_MAX.min(asked - 1)));
    }
    let devices = options.devices;
    if let Some(why) = sharded::refusal(&decoder, devices) {
        return Err(checkpoint.failed("FX1019", format!("{} {why}", checkpoint.architecture())));
    }
    // A chunk never reaches past the caches where they are as long as whole chunks.
    let chunk = options.chunk.min(asked);
    let context = match options.pages {
        Some(_) => asked.next_multiple_of(chunk).next_multiple_of(PAGE),
        None => asked.next_multiple_of(chunk),
    };
    let pages = match options.pages {
        Some(_) if slots == 1 => {
            return refuse("pages for one text a call, which has its caches alone; give --batch more".to_string());
        }
        Some(pages) if pages < context / PAGE || pages > ROWS_MAX / PAGE => {
            let (least, most) = (context / PAGE, ROWS_MAX / PAGE);
            return refuse(format!("{pages} pages of {PAGE} tokens; {least}, those of one text, to {most} can be"));
        }
        // With that of no text.
        pages => pages.map(|pages| pages + 1),
    };
    let (element, cache) = (options.element, options.cache.unwrap_or(options.element));
    let call = |tokens, kind| Call { tokens, asked, context, element, cache, slots, pages, devices, kind };
    let mut prefill = graph::function(&checkpoint, &decoder, call(chunk, Kind::Prefill))?;
    if long > 0 && long <= asked {
        prefill.push_str(&graph::function(&checkpoint, &decoder, call(long, Kind::PrefillLong))?);
    }
    let step = call(slots, Kind::Decode);
    let decode = graph::function(&checkpoint, &decoder, step)?;
    let verify = match ahead {
        0 => String::new(),
        _ => graph::function(&checkpoint, &decoder, call(slots * (ahead + 1), Kind::Verify))?,
    };
    checkpoint.check_all_used(&[])?;
    let sampling = sampling::functions(&checkpoint, (slots, decoder.vocabulary));
    let (attributes, mesh) = sharded::module(devices);
    let name = checkpoint.architecture();
    let text = format!("module @{name} {attributes}{{\n{mesh}{prefill}{decode}{verify}{sampling}}}\n");
    let shape = step.cache_shape(decoder.kv_heads / devices, decoder.head_width);
    let caches = CacheSizes { shape, count: 2 * decoder.layers.len() as u64, context };
    Ok(Written { text, tensors: checkpoint.used(), caches: Some(caches) })
}

/// An error about a checkpoint, with the table's advice.
fn failed(code: &'static str, file: &str, message: impl Into<String>) -> Box<Diagnostic> {
    Box::new(Diagnostic::of_file(code, file, message).hint(fornax_types::errors::help(ERROR_CODES, code)))
}

//! Text with language models: from words to token ids and back, and the loop that makes them.
//!
//! * [`vocabulary`]: the tokenizer of a checkpoint, its special tokens and its chat template.
//! * [`decoder`]: a module with the functions `prefill` and `decode`, and its caches.
//! * [`sampler`]: the next token of logits.
//! * [`stop`]: words that end a text, also where they come in pieces.
//! * [`generate()`]: the loop.
#![forbid(unsafe_code)]

pub mod decoder;
mod errors;
pub mod generate;
mod gguf_tokenizer;
pub mod sampler;
pub mod stop;
mod template;
pub mod vocabulary;

pub use decoder::Decoder;
pub use errors::ERROR_CODES;
pub use generate::{End, Generated, Limits, generate};
pub use sampler::{Sampler, Sampling};
pub use template::Message;
pub use vocabulary::Vocabulary;

//! Text with language models: from words to token ids and back, and the loop that makes them.
//!
//! * [`vocabulary`]: the tokenizer of a checkpoint, its special tokens and its chat template.
//! * [`model`]: what computes logits; [`device_model`]: a module with the functions `prefill` and `decode`.
//! * [`pages`]: pages of caches that texts share.
//! * [`chunks`]: how prompts are cut; [`sequence`]: the tokens of a text and their caches; [`decoder`]: a model with
//!   one sequence.
//! * [`encoder`]: what makes a vector of a text; a module with functions `encode…`.
//! * [`logprobs`]: how likely the tokens of a text were.
//! * [`memory`]: what a model takes of a device's memory, before anything is loaded.
//! * [`sampler`]: the next token of logits; `device_sampler`: the same by functions of the module.
//! * [`constraint`]: texts that are JSON of a schema.
//! * [`stop`]: words that end a text, also where they come in pieces.
//! * [`writer`]: the text of one sequence, token by token; [`generate()`]: the loop; [`together`]: that of several.
//! * [`ahead`]: tokens that are guessed, and verified by one call; [`draft`]: a smaller model that guesses; [`step`]: a
//!   token of each of several texts, and those that were guessed.
//! * [`chat`]: a conversation.
#![forbid(unsafe_code)]

pub mod ahead;
pub mod chat;
pub mod chunks;
pub mod constraint;
pub mod decoder;
pub mod device_model;
mod device_sampler;
pub mod draft;
pub mod encoder;
mod errors;
pub mod generate;
mod gguf_keys;
mod gguf_tokenizer;
pub mod logprobs;
pub mod memory;
pub mod model;
pub mod pages;
pub mod sampler;
pub mod sequence;
mod signature;
pub mod step;
pub mod stop;
mod template;
pub mod together;
mod token_bytes;
pub mod vocabulary;
pub mod writer;

pub use ahead::{Ahead, Guess, Guesser, Guesses, Lookup, Start};
pub use chat::{Answer, Chat};
pub use chunks::Chunks;
pub use constraint::{Constraint, Constraints};
pub use decoder::Decoder;
pub use device_model::DeviceModel;
pub use draft::Draft;
pub use encoder::{Encode, Encoder};
pub use errors::ERROR_CODES;
pub use generate::{Generated, generate};
pub use gguf_keys::gguf_keys;
pub use logprobs::Chosen;
pub use memory::{Demand, InferenceMemory, estimate_inference_memory, slots};
pub use model::{Found, Later, Model, Next, Several, Wanted};
pub use pages::PageCount;
pub use sampler::{Choice, Sampler, Sampling};
pub use sequence::{Reading, Sequence};
pub use signature::Paging;
pub use step::{Plan, Turn};
pub use template::Message;
pub use together::generate_all;
pub use vocabulary::Vocabulary;
pub use writer::{End, Limits, Then, Writer};

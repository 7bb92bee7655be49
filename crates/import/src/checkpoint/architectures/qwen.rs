//! Qwen 2 and 2.5 (biases of queries, keys and values), Qwen 3 (norms of queries and keys), both with experts too.

use super::super::decoder::{Decoder, Pairs, QkNorm};
use super::super::source::{Checkpoint, Key};
use super::experts::{self, Usual};
use super::shared;
use crate::Diagnostic;

/// Some layers then see a window only.
const USES_WINDOW: Key = Key("use_sliding_window", "use_sliding_window");

pub fn describe(checkpoint: &Checkpoint) -> Result<Decoder, Box<Diagnostic>> {
    if checkpoint.bool(USES_WINDOW)? == Some(true) {
        return checkpoint.unsupported(USES_WINDOW, "true", "false");
    }
    shared(checkpoint, Pairs::Halves, None)
}

pub fn describe_3(checkpoint: &Checkpoint) -> Result<Decoder, Box<Diagnostic>> {
    Ok(Decoder { qk_norm: QkNorm::Head, ..describe(checkpoint)? })
}

pub fn describe_2_experts(checkpoint: &Checkpoint) -> Result<Decoder, Box<Diagnostic>> {
    experts::describe(checkpoint, describe(checkpoint)?, &Usual { normed: [false, false], shared: true })
}

pub fn describe_3_experts(checkpoint: &Checkpoint) -> Result<Decoder, Box<Diagnostic>> {
    experts::describe(checkpoint, describe_3(checkpoint)?, &Usual { normed: [false, true], shared: false })
}

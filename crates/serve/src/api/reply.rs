//! Replies as JSON: whole ones, and the pieces of a stream.

use std::sync::Arc;

use fornax_text::{Chosen, End, Vocabulary};
use serde_json::{Map, Value, json};

use crate::engine::Usage;

/// Which request is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Chat,
    Completion,
}

/// What all parts of a reply say.
#[derive(Clone)]
pub struct Head {
    pub kind: Kind,
    pub id: String,
    /// Seconds since 1970.
    pub created: u64,
    pub model: String,
    /// Where it says how likely tokens were: their words.
    pub words: Option<Arc<Vocabulary>>,
}

/// One text of a reply.
#[derive(Debug, Default)]
pub struct Choice {
    pub text: String,
    pub end: Option<End>,
    /// How likely its tokens were, where that is asked for.
    pub chosen: Vec<Chosen>,
}

/// What stands for the logarithm of a probability of 0, as in OpenAI's API.
const IMPOSSIBLE: f32 = -9999.0;

fn counts(usage: Usage) -> Value {
    json!({
        "prompt_tokens": usage.prompt, "completion_tokens": usage.made, "total_tokens": usage.prompt + usage.made,
        "prompt_tokens_details": { "cached_tokens": usage.kept },
    })
}

impl Head {
    fn object(&self, is_piece: bool, choices: Value) -> Value {
        let object = match (self.kind, is_piece) {
            (Kind::Chat, false) => "chat.completion",
            (Kind::Chat, true) => "chat.completion.chunk",
            (Kind::Completion, _) => "text_completion",
        };
        let Head { id, created, model, .. } = self;
        json!({ "id": id, "object": object, "created": created, "model": model, "choices": choices })
    }

    /// How likely tokens were; `offset`, in characters, is where the first of them stands in its text.
    fn logprobs(&self, chosen: &[Chosen], offset: &mut usize) -> Value {
        let Some(words) = self.words.as_ref().filter(|_| !chosen.is_empty()) else { return Value::Null };
        let finite = |logprob: f32| if logprob.is_finite() { logprob } else { IMPOSSIBLE };
        if self.kind == Kind::Chat {
            let one = |(token, logprob): (u32, f32)| {
                let text = words.piece(token);
                // Pieces of characters have no text of their own.
                let bytes = if text.contains('\u{fffd}') { Value::Null } else { json!(text.as_bytes()) };
                json!({ "token": text, "logprob": finite(logprob), "bytes": bytes })
            };
            let row = |chosen: &Chosen| {
                let mut row = one((chosen.token, chosen.logprob));
                row["top_logprobs"] = chosen.top.iter().map(|&top| one(top)).collect();
                row
            };
            let content: Vec<Value> = chosen.iter().map(row).collect();
            return json!({ "content": content, "refusal": null });
        }
        let (mut tokens, mut offsets) = (Vec::new(), Vec::new());
        for one in chosen {
            let text = words.piece(one.token);
            offsets.push(*offset);
            *offset += text.chars().count();
            tokens.push(text);
        }
        let logprobs: Vec<f32> = chosen.iter().map(|one| finite(one.logprob)).collect();
        let likely = |one: &Chosen| -> Map<String, Value> {
            one.top.iter().map(|&(token, logprob)| (words.piece(token), finite(logprob).into())).collect()
        };
        let top: Vec<Map<String, Value>> = chosen.iter().map(likely).collect();
        json!({ "tokens": tokens, "token_logprobs": logprobs, "top_logprobs": top, "text_offset": offsets })
    }

    /// The whole reply.
    pub fn whole(&self, choices: &[Choice], usage: Usage) -> Value {
        let one = |(index, choice): (usize, &Choice)| {
            let (text, finish) = (&choice.text, choice.end.map(End::name));
            let logprobs = self.logprobs(&choice.chosen, &mut 0);
            match self.kind {
                Kind::Chat => json!({
                    "index": index, "message": { "role": "assistant", "content": text, "refusal": null },
                    "logprobs": logprobs, "finish_reason": finish,
                }),
                Kind::Completion => {
                    json!({ "index": index, "text": text, "logprobs": logprobs, "finish_reason": finish })
                }
            }
        };
        let choices: Vec<Value> = choices.iter().enumerate().map(one).collect();
        let mut reply = self.object(false, json!(choices));
        if let Some(reply) = reply.as_object_mut() {
            reply.insert("usage".to_string(), counts(usage));
        }
        reply
    }

    /// What the stream of a text begins with; completions begin with their text.
    pub fn first(&self, index: usize) -> Option<Value> {
        let delta = json!({ "role": "assistant", "content": "" });
        (self.kind == Kind::Chat).then(|| self.piece((index, delta), Value::Null, None))
    }

    fn piece(&self, (index, what): (usize, Value), logprobs: Value, end: Option<End>) -> Value {
        let finish = end.map(End::name);
        let name = if self.kind == Kind::Chat { "delta" } else { "text" };
        self.object(true, json!([{ "index": index, name: what, "logprobs": logprobs, "finish_reason": finish }]))
    }

    /// A piece of a text, or its end; `offset` is where it stands in the text, characters.
    pub fn part(&self, index: usize, part: &Choice, offset: &mut usize) -> Value {
        let what = match (self.kind, part.end) {
            (Kind::Chat, Some(_)) => json!({}),
            (Kind::Chat, None) => json!({ "content": part.text }),
            (Kind::Completion, _) => json!(part.text),
        };
        let logprobs = self.logprobs(&part.chosen, offset);
        self.piece((index, what), logprobs, part.end)
    }

    /// The counts of tokens, behind the last piece.
    pub fn usage(&self, usage: Usage) -> Value {
        let mut reply = self.object(true, json!([]));
        if let Some(reply) = reply.as_object_mut() {
            reply.insert("usage".to_string(), counts(usage));
        }
        reply
    }
}

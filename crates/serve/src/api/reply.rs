//! Replies as JSON: whole ones, and the pieces of a stream.

use fornax_text::End;
use serde_json::{Value, json};

use crate::engine::Usage;

/// Which request is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Chat,
    Completion,
}

/// What all parts of a reply say.
#[derive(Clone, Debug)]
pub struct Head {
    pub kind: Kind,
    pub id: String,
    /// Seconds since 1970.
    pub created: u64,
    pub model: String,
}

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

    /// The whole reply.
    pub fn whole(&self, text: &str, end: End, usage: Usage) -> Value {
        let finish = end.name();
        let choice = match self.kind {
            Kind::Chat => json!({
                "index": 0, "message": { "role": "assistant", "content": text, "refusal": null },
                "logprobs": null, "finish_reason": finish,
            }),
            Kind::Completion => json!({ "index": 0, "text": text, "logprobs": null, "finish_reason": finish }),
        };
        let mut reply = self.object(false, json!([choice]));
        if let Some(reply) = reply.as_object_mut() {
            reply.insert("usage".to_string(), counts(usage));
        }
        reply
    }

    /// What a stream begins with; completions begin with their text.
    pub fn first(&self) -> Option<Value> {
        let delta = json!({ "role": "assistant", "content": "" });
        (self.kind == Kind::Chat).then(|| self.piece(delta, None))
    }

    fn piece(&self, what: Value, end: Option<End>) -> Value {
        let finish = end.map(End::name);
        let name = if self.kind == Kind::Chat { "delta" } else { "text" };
        self.object(true, json!([{ "index": 0, name: what, "logprobs": null, "finish_reason": finish }]))
    }

    /// A piece of text.
    pub fn text(&self, text: &str) -> Value {
        match self.kind {
            Kind::Chat => self.piece(json!({ "content": text }), None),
            Kind::Completion => self.piece(json!(text), None),
        }
    }

    /// The last piece.
    pub fn end(&self, end: End) -> Value {
        match self.kind {
            Kind::Chat => self.piece(json!({}), Some(end)),
            Kind::Completion => self.piece(json!(""), Some(end)),
        }
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

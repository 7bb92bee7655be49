//! What a request asks for. Everything is checked; nothing that is asked for is left out silently.

use fornax_text::{Message, Sampling};
use serde_json::{Value, json};

use super::ApiError;
use super::fields::{Fields, wrong_type, wrong_value};

/// Tokens that `/v1/completions` makes where the request does not say.
const COMPLETION_TOKENS: usize = 16;
/// Stop words of a request, and bytes of one.
const STOPS_MAX: usize = 16;
const STOP_BYTES_MAX: usize = 1024;
/// Texts behind one prompt, and likeliest tokens that are said of each token, at most, as in OpenAI's API.
const TEXTS_MAX: usize = 128;
const TOP_MAX: usize = 20;
/// Highest temperature, as in OpenAI's API.
const TEMPERATURE_MAX: f32 = 2.0;
/// Penalties beyond this leave no order among the logits.
const PENALTY_MIN: f32 = 0.01;
const PENALTY_MAX: f32 = 100.0;
/// More tokens than a vocabulary has are all of them.
const TOP_K_MIN: u64 = 0;

/// What a text begins with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Prompt {
    Chat(Vec<Message>),
    Text(String),
    Ids(Vec<u32>),
}

/// A text that is asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Ask {
    pub model: String,
    pub prompt: Prompt,
    pub sampling: Sampling,
    /// At most; `None` for as many as the context holds.
    pub tokens: Option<usize>,
    pub stop: Vec<String>,
    /// Texts behind the prompt, each with a seed of its own.
    pub texts: usize,
    /// Where set: how likely each token was, with so many of the likeliest.
    pub logprobs: Option<usize>,
    /// Where set: the text is JSON of this schema.
    pub schema: Option<Value>,
    /// Piece by piece.
    pub stream: bool,
    /// With the counts of tokens behind the last piece.
    pub include_usage: bool,
}

impl Ask {
    /// The body of `/v1/chat/completions`. `seed` is taken where the request has none.
    ///
    /// # Errors
    /// Where a field is wrong, missing, unknown, or asks for what is not served.
    pub fn chat(body: &[u8], seed: u64) -> Result<Ask, ApiError> {
        let mut fields = Fields::of(body)?;
        let prompt = Prompt::Chat(messages(fields.needed("messages")?)?);
        let (old, new) = (fields.count("max_tokens", 1)?, fields.count("max_completion_tokens", 1)?);
        if old.is_some() && new.is_some() && old != new {
            return Err(wrong_value("max_completion_tokens", "that of `max_tokens` where both are given"));
        }
        let (flag, top) = (fields.flag("logprobs")?, fields.whole("top_logprobs", 0, TOP_MAX)?);
        if top.is_some_and(|top| top > 0) && !flag {
            return Err(wrong_value("top_logprobs", "left out where `logprobs` is not true"));
        }
        let logprobs = flag.then(|| top.unwrap_or(0));
        Ask::rest(fields, (prompt, logprobs), old.or(new), seed)
    }

    /// The body of `/v1/completions`.
    ///
    /// # Errors
    /// As [`Ask::chat`].
    pub fn completion(body: &[u8], seed: u64) -> Result<Ask, ApiError> {
        let mut fields = Fields::of(body)?;
        let prompt = prompt(fields.needed("prompt")?)?;
        let tokens = fields.count("max_tokens", 1)?.or(Some(COMPLETION_TOKENS));
        let logprobs = match fields.take("logprobs") {
            // As it is in the other request.
            Some(Value::Bool(false)) | None => None,
            Some(count) => Fields::within("logprobs", json!({ "logprobs": count }))?.whole("logprobs", 0, TOP_MAX)?,
        };
        Ask::rest(fields, (prompt, logprobs), tokens, seed)
    }

    fn rest(
        mut fields: Fields,
        (prompt, logprobs): (Prompt, Option<usize>),
        tokens: Option<usize>,
        seed: u64,
    ) -> Result<Ask, ApiError> {
        let model = fields.string("model")?;
        let sampling = Sampling {
            temperature: fields.number("temperature", 0.0, TEMPERATURE_MAX)?.unwrap_or(1.0),
            top_k: fields.count("top_k", TOP_K_MIN)?.unwrap_or(0),
            top_p: fields.number("top_p", 0.0, 1.0)?.unwrap_or(1.0),
            min_p: fields.number("min_p", 0.0, 1.0)?.unwrap_or(0.0),
            repetition_penalty: fields.number("repetition_penalty", PENALTY_MIN, PENALTY_MAX)?.unwrap_or(1.0),
            seed: fields.seed("seed")?.unwrap_or(seed),
        };
        let texts = fields.whole("n", 1, TEXTS_MAX)?.unwrap_or(1);
        let stop = fields.take("stop").map_or(Ok(Vec::new()), stop)?;
        let schema = fields.take("response_format").map_or(Ok(None), schema)?;
        let stream = fields.flag("stream")?;
        let include_usage = match fields.take("stream_options") {
            None => false,
            Some(_) if !stream => return Err(wrong_value("stream_options", "left out where `stream` is not true")),
            Some(options) => {
                let mut options = Fields::within("stream_options", options)?;
                let include_usage = options.flag("include_usage")?;
                // Noise against eavesdroppers is not sent: nothing here leaves the connection.
                options.flag("include_obfuscation")?;
                options.finish()?;
                include_usage
            }
        };
        fields.finish()?;
        Ok(Ask { model, prompt, sampling, tokens, stop, texts, logprobs, schema, stream, include_usage })
    }
}

/// The schema of an answer's JSON; `None` for any text.
fn schema(value: Value) -> Result<Option<Value>, ApiError> {
    const NAME: &str = "response_format";
    let inner = |error: ApiError| {
        let param = error.param.as_ref().map_or(NAME.to_string(), |param| format!("{NAME}.{param}"));
        error.of(&param)
    };
    let mut fields = Fields::within(NAME, value)?;
    let any_object = || json!({ "type": "object" });
    let schema = match fields.string("type").map_err(inner)?.as_str() {
        "text" => None,
        "json_object" => Some(any_object()),
        "json_schema" => {
            let mut named =
                Fields::within("json_schema", fields.needed("json_schema").map_err(inner)?).map_err(inner)?;
            // Said to the model by others; here the schema is held in any case.
            for said in ["name", "description", "strict"] {
                named.take(said);
            }
            let schema = named.take("schema").unwrap_or_else(any_object);
            named.finish().map_err(inner)?;
            Some(schema)
        }
        _ => return Err(inner(wrong_value("type", "text, json_object or json_schema"))),
    };
    fields.finish().map_err(inner)?;
    Ok(schema)
}

fn messages(value: Value) -> Result<Vec<Message>, ApiError> {
    let list = match value {
        Value::Array(list) if !list.is_empty() => list,
        Value::Array(_) => return Err(wrong_value("messages", "a list of at least one message")),
        other => return Err(wrong_type("messages", "an array", &other)),
    };
    list.into_iter().enumerate().map(|(at, value)| message(&format!("messages[{at}]"), value)).collect()
}

fn message(name: &str, value: Value) -> Result<Message, ApiError> {
    let inner = |error: ApiError| {
        let param = error.param.as_ref().map_or(name.to_string(), |param| format!("{name}.{param}"));
        ApiError { message: format!("{name}: {}", error.message), ..error }.of(&param)
    };
    let mut fields = Fields::within(name, value)?;
    let role = fields.string("role").map_err(inner)?;
    let role = match role.as_str() {
        // The newer word for the same.
        "system" | "developer" => "system",
        "user" => "user",
        "assistant" => "assistant",
        _ => return Err(inner(wrong_value("role", "system, developer, user or assistant"))),
    };
    let content = text(fields.needed("content").map_err(inner)?).map_err(inner)?;
    // Templates have no place for a name.
    fields.take("name");
    fields.take("refusal");
    fields.finish().map_err(inner)?;
    Ok(Message::new(role, &content))
}

/// A string, or a list of parts that are texts.
fn text(value: Value) -> Result<String, ApiError> {
    let parts = match value {
        Value::String(text) => return Ok(text),
        Value::Array(parts) => parts,
        other => return Err(wrong_type("content", "a string or an array of parts", &other)),
    };
    let mut whole = String::new();
    for part in parts {
        let mut fields = Fields::within("content", part)?;
        if fields.string("type")? != "text" {
            let message = "parts of a content can only be texts: the model reads no images, sounds or files";
            return Err(ApiError::bad("unsupported_content", message).of("content"));
        }
        whole.push_str(&fields.string("text")?);
        fields.finish()?;
    }
    Ok(whole)
}

/// A text, a list of one text, or a list of tokens.
fn prompt(value: Value) -> Result<Prompt, ApiError> {
    let list = match value {
        Value::String(text) => return Ok(Prompt::Text(text)),
        Value::Array(list) => list,
        other => return Err(wrong_type("prompt", "a string or an array of tokens", &other)),
    };
    match list.as_slice() {
        [] => Err(wrong_value("prompt", "not empty")),
        [Value::String(text)] => Ok(Prompt::Text(text.clone())),
        [Value::Array(ids)] => ids.iter().map(token).collect::<Result<_, _>>().map(Prompt::Ids),
        [Value::String(_) | Value::Array(_), ..] => {
            Err(ApiError::bad("unsupported_parameter", "one prompt a request: send several requests").of("prompt"))
        }
        ids => ids.iter().map(token).collect::<Result<_, _>>().map(Prompt::Ids),
    }
}

fn token(value: &Value) -> Result<u32, ApiError> {
    let id = value.as_u64().and_then(|id| u32::try_from(id).ok());
    id.ok_or_else(|| wrong_value("prompt", "a string, or an array of tokens (whole numbers)"))
}

fn stop(value: Value) -> Result<Vec<String>, ApiError> {
    let list = match value {
        Value::String(text) => vec![Value::String(text)],
        Value::Array(list) => list,
        other => return Err(wrong_type("stop", "a string or an array of strings", &other)),
    };
    if list.len() > STOPS_MAX {
        return Err(wrong_value("stop", &format!("at most {STOPS_MAX} strings")));
    }
    let word = |value: Value| match value {
        Value::String(text) if (1..=STOP_BYTES_MAX).contains(&text.len()) => Ok(text),
        Value::String(_) => Err(wrong_value("stop", &format!("of strings of 1 to {STOP_BYTES_MAX} bytes"))),
        other => Err(wrong_type("stop", "a string or an array of strings", &other)),
    };
    list.into_iter().map(word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chat(more: Value) -> Result<Ask, ApiError> {
        let mut body = json!({ "model": "m", "messages": [{ "role": "user", "content": "Hi" }] });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        Ask::chat(body.to_string().as_bytes(), 7)
    }

    #[test]
    fn defaults_are_those_of_the_api() {
        let ask = chat(json!({})).unwrap();
        let sampling = Sampling { temperature: 1.0, seed: 7, ..Sampling::default() };
        assert_eq!((ask.sampling, ask.tokens, ask.stream, ask.stop.len()), (sampling, None, false, 0));
        assert_eq!(ask.prompt, Prompt::Chat(vec![Message::new("user", "Hi")]));
        let completion = Ask::completion(br#"{"model": "m", "prompt": ["Hi"]}"#, 0).unwrap();
        assert_eq!((completion.prompt, completion.tokens), (Prompt::Text("Hi".into()), Some(16)));
    }

    #[test]
    fn every_field_is_read() {
        let ask = chat(json!({
            "max_completion_tokens": 5, "temperature": 0.5, "top_p": 0.9, "top_k": 3, "min_p": 0.1,
            "repetition_penalty": 1.2, "seed": -1, "stop": ["a", "b"], "stream": true,
            "stream_options": { "include_usage": true }, "user": "u", "n": 1, "frequency_penalty": 0.0,
            "logprobs": false, "tools": [], "logit_bias": null, "response_format": { "type": "text" },
        }));
        let ask = ask.unwrap();
        let sampling =
            Sampling { temperature: 0.5, top_k: 3, top_p: 0.9, min_p: 0.1, repetition_penalty: 1.2, seed: u64::MAX };
        assert_eq!((ask.sampling, ask.tokens, ask.stream, ask.include_usage), (sampling, Some(5), true, true));
        assert_eq!((ask.stop, ask.texts, ask.logprobs), (vec!["a".to_string(), "b".to_string()], 1, None));
        assert_eq!(ask.schema, None);
        let format = |format: Value| chat(json!({ "response_format": format })).unwrap().schema;
        assert_eq!(format(json!({ "type": "json_object" })), Some(json!({ "type": "object" })));
        let named = json!({ "name": "n", "description": "d", "strict": true, "schema": { "type": "null" } });
        assert_eq!(format(json!({ "type": "json_schema", "json_schema": named })), Some(json!({ "type": "null" })));
        let more = chat(json!({ "n": 3, "logprobs": true, "top_logprobs": 2 })).unwrap();
        assert_eq!((more.texts, more.logprobs), (3, Some(2)));
        assert_eq!(chat(json!({ "logprobs": true })).unwrap().logprobs, Some(0));
        let completion = |logprobs: Value| {
            let body = json!({ "model": "m", "prompt": "Hi", "logprobs": logprobs });
            Ask::completion(body.to_string().as_bytes(), 0).map(|ask| ask.logprobs)
        };
        assert_eq!((completion(json!(3)).unwrap(), completion(json!(false)).unwrap()), (Some(3), None));
        assert!(completion(json!(21)).is_err() && completion(json!("3")).is_err());
        assert_eq!(chat(json!({ "max_tokens": u64::MAX })).unwrap().tokens, Some(usize::MAX));
        let parts = json!({ "messages": [
            { "role": "developer", "content": [{ "type": "text", "text": "a" }, { "type": "text", "text": "b" }] },
            { "role": "assistant", "content": "c", "name": "n" },
        ] });
        let wanted = vec![Message::new("system", "ab"), Message::new("assistant", "c")];
        assert_eq!(chat(parts).unwrap().prompt, Prompt::Chat(wanted));
        let ids = Ask::completion(br#"{"model": "m", "prompt": [1, 2]}"#, 0).unwrap();
        assert_eq!(ids.prompt, Prompt::Ids(vec![1, 2]));
    }

    #[test]
    fn what_is_wrong_is_named() {
        let message = |content: Value| json!({ "messages": [{ "role": "user", "content": content }] });
        for (more, param, code) in [
            (json!({ "n": 0 }), "n", "invalid_value"),
            (json!({ "n": 129 }), "n", "invalid_value"),
            (json!({ "n": 1.5 }), "n", "invalid_type"),
            (json!({ "logprobs": 1 }), "logprobs", "invalid_type"),
            (json!({ "top_logprobs": 2 }), "top_logprobs", "invalid_value"),
            (json!({ "logprobs": true, "top_logprobs": 21 }), "top_logprobs", "invalid_value"),
            (json!({ "tools": [{}] }), "tools", "unsupported_parameter"),
            (json!({ "response_format": { "type": "xml" } }), "response_format.type", "invalid_value"),
            (json!({ "response_format": {} }), "response_format.type", "missing_required_parameter"),
            (json!({ "response_format": "json" }), "response_format", "invalid_type"),
            (
                json!({ "response_format": { "type": "json_schema" } }),
                "response_format.json_schema",
                "missing_required_parameter",
            ),
            (json!({ "response_format": { "type": "text", "x": 1 } }), "response_format.x", "unknown_parameter"),
            (json!({ "frequency_penalty": 0.5 }), "frequency_penalty", "unsupported_parameter"),
            (json!({ "temprature": 1 }), "temprature", "unknown_parameter"),
            (json!({ "temperature": 2.1 }), "temperature", "invalid_value"),
            (json!({ "temperature": "1" }), "temperature", "invalid_type"),
            (json!({ "top_p": -0.1 }), "top_p", "invalid_value"),
            (json!({ "repetition_penalty": 0 }), "repetition_penalty", "invalid_value"),
            (json!({ "max_tokens": 0 }), "max_tokens", "invalid_value"),
            (json!({ "max_tokens": -1 }), "max_tokens", "invalid_value"),
            (json!({ "max_tokens": 1.5 }), "max_tokens", "invalid_type"),
            (json!({ "max_tokens": 1e300 }), "max_tokens", "invalid_type"),
            (json!({ "max_tokens": 1, "max_completion_tokens": 2 }), "max_completion_tokens", "invalid_value"),
            (json!({ "seed": 0.5 }), "seed", "invalid_type"),
            (json!({ "stop": [""] }), "stop", "invalid_value"),
            (json!({ "stop": [1] }), "stop", "invalid_type"),
            (json!({ "stop": vec!["a"; 17] }), "stop", "invalid_value"),
            (json!({ "stream": 1 }), "stream", "invalid_type"),
            (json!({ "stream_options": {} }), "stream_options", "invalid_value"),
            (json!({ "stream": true, "stream_options": { "x": 1 } }), "x", "unknown_parameter"),
            (json!({ "messages": [] }), "messages", "invalid_value"),
            (json!({ "messages": "Hi" }), "messages", "invalid_type"),
            (json!({ "messages": ["Hi"] }), "messages[0]", "invalid_type"),
            (json!({ "messages": [{ "content": "" }] }), "messages[0].role", "missing_required_parameter"),
            (json!({ "messages": [{ "role": "tool", "content": "" }] }), "messages[0].role", "invalid_value"),
            (message(Value::Null), "messages[0].content", "missing_required_parameter"),
            (message(json!(1)), "messages[0].content", "invalid_type"),
            (message(json!([{ "type": "image_url", "image_url": {} }])), "messages[0].content", "unsupported_content"),
            (json!({ "model": null }), "model", "missing_required_parameter"),
            (json!({ "model": 1 }), "model", "invalid_type"),
        ] {
            let error = chat(more.clone()).unwrap_err();
            let found = (error.status, error.param.as_deref(), error.code.as_deref());
            assert_eq!(found, (400, Some(param), Some(code)), "{more}: {}", error.message);
        }
        for body in ["", "{", "[]", "{} x", "\u{1}", &"[".repeat(100_000)] {
            assert_eq!(Ask::chat(body.as_bytes(), 0).unwrap_err().code.unwrap(), "invalid_json");
        }
        for prompt in [json!(1), json!([]), json!(["a", "b"]), json!([1, "a"]), json!([-1]), json!([[1], [2]])] {
            let body = json!({ "model": "m", "prompt": prompt });
            let error = Ask::completion(body.to_string().as_bytes(), 0).unwrap_err();
            assert_eq!((error.status, error.param.as_deref()), (400, Some("prompt")), "{body}");
        }
    }
}

//! What a request asks for. Everything is checked; nothing that is asked for is left out silently.

use serde_json::Value;

use crate::api::ApiError;
use crate::api::fields::{Fields, wrong_type, wrong_value};

/// Texts of a request at most, as in OpenAI's API.
const TEXTS_MAX: usize = 2048;

/// A text, or its tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    Text(String),
    Ids(Vec<u32>),
}

/// Vectors that are asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ask {
    pub model: String,
    pub inputs: Vec<Input>,
    /// Bytes of little-endian f32 as base64, instead of numbers.
    pub is_base64: bool,
}

impl Ask {
    /// The body of `/v1/embeddings`; vectors have `width` elements.
    ///
    /// # Errors
    /// Where a field is wrong, missing, unknown, or asks for what is not served.
    pub fn of(body: &[u8], width: usize) -> Result<Ask, ApiError> {
        let mut fields = Fields::of(body)?;
        let model = fields.string("model")?;
        let inputs = inputs(fields.needed("input")?)?;
        let is_base64 = match fields.take("encoding_format") {
            None => false,
            Some(Value::String(form)) if form == "float" => false,
            Some(Value::String(form)) if form == "base64" => true,
            Some(Value::String(_)) => return Err(wrong_value("encoding_format", "float or base64")),
            Some(other) => return Err(wrong_type("encoding_format", "a string", &other)),
        };
        if fields.count("dimensions", 1)?.is_some_and(|wanted| wanted != width) {
            let message = format!("`dimensions` can only be {width}: vectors of this model cannot be cut");
            return Err(ApiError::bad("unsupported_parameter", message).of("dimensions"));
        }
        fields.finish()?;
        Ok(Ask { model, inputs, is_base64 })
    }
}

/// A text, a list of texts, a list of tokens, or a list of such lists.
fn inputs(value: Value) -> Result<Vec<Input>, ApiError> {
    const KINDS: &str = "a string, an array of strings, an array of tokens, or an array of such arrays";
    let list = match value {
        Value::Array(list) => list,
        text @ Value::String(_) => vec![text],
        other => return Err(wrong_type("input", KINDS, &other)),
    };
    if list.iter().any(Value::is_number) {
        return Ok(vec![Input::Ids(ids(&list)?)]);
    }
    if list.is_empty() || list.len() > TEXTS_MAX {
        return Err(wrong_value("input", &format!("a list of 1 to {TEXTS_MAX} texts")));
    }
    let texts = list.iter().all(Value::is_string);
    let input = |value: Value| match value {
        Value::String(text) if texts && text.is_empty() => Err(wrong_value("input", "of texts that are not empty")),
        Value::String(text) if texts => Ok(Input::Text(text)),
        Value::Array(list) => Ok(Input::Ids(ids(&list)?)),
        other => Err(wrong_type("input", KINDS, &other)),
    };
    list.into_iter().map(input).collect()
}

fn ids(list: &[Value]) -> Result<Vec<u32>, ApiError> {
    let token = |value: &Value| value.as_u64().and_then(|id| u32::try_from(id).ok());
    let ids: Option<Vec<u32>> = list.iter().map(token).collect();
    let wrong = || wrong_value("input", "texts, or arrays of tokens (whole numbers), at least one each");
    ids.filter(|ids| !ids.is_empty()).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn ask(more: Value) -> Result<Ask, ApiError> {
        let mut body = json!({ "model": "m", "input": "Hi" });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        Ask::of(body.to_string().as_bytes(), 3)
    }

    #[test]
    fn every_form_of_input_is_read() {
        let text = |text: &str| Input::Text(text.to_string());
        for (input, wanted) in [
            (json!("Hi"), vec![text("Hi")]),
            (json!(["a", "b"]), vec![text("a"), text("b")]),
            (json!([1, 2]), vec![Input::Ids(vec![1, 2])]),
            (json!([[1], [2, 3]]), vec![Input::Ids(vec![1]), Input::Ids(vec![2, 3])]),
        ] {
            assert_eq!(ask(json!({ "input": input })).unwrap().inputs, wanted);
        }
        let all = ask(json!({ "encoding_format": "base64", "dimensions": 3, "user": "u" })).unwrap();
        assert!(all.is_base64 && !ask(json!({ "encoding_format": "float" })).unwrap().is_base64);
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (more, param, code) in [
            (json!({ "input": null }), "input", "missing_required_parameter"),
            (json!({ "input": 1 }), "input", "invalid_type"),
            (json!({ "input": "" }), "input", "invalid_value"),
            (json!({ "input": ["a", ""] }), "input", "invalid_value"),
            (json!({ "input": [] }), "input", "invalid_value"),
            (json!({ "input": [[]] }), "input", "invalid_value"),
            (json!({ "input": ["a", 1] }), "input", "invalid_value"),
            (json!({ "input": ["a", [1]] }), "input", "invalid_type"),
            (json!({ "input": [[1], "a"] }), "input", "invalid_type"),
            (json!({ "input": [-1] }), "input", "invalid_value"),
            (json!({ "input": [1.5] }), "input", "invalid_value"),
            (json!({ "input": [u64::MAX] }), "input", "invalid_value"),
            (json!({ "input": [true] }), "input", "invalid_type"),
            (json!({ "input": vec!["a"; 2049] }), "input", "invalid_value"),
            (json!({ "dimensions": 2 }), "dimensions", "unsupported_parameter"),
            (json!({ "dimensions": "3" }), "dimensions", "invalid_type"),
            (json!({ "encoding_format": "int8" }), "encoding_format", "invalid_value"),
            (json!({ "encoding_format": 1 }), "encoding_format", "invalid_type"),
            (json!({ "inputs": "a" }), "inputs", "unknown_parameter"),
            (json!({ "model": null }), "model", "missing_required_parameter"),
        ] {
            let error = ask(more.clone()).unwrap_err();
            let found = (error.status, error.param.as_deref(), error.code.as_deref());
            assert_eq!(found, (400, Some(param), Some(code)), "{more}: {}", error.message);
        }
    }
}

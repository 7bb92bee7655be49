//! The fields of a request, each read once with its type and range. What is left at the end was not understood.

use serde_json::{Map, Value};

use super::ApiError;

/// Fields that say nothing to a model on one machine: accepted, whatever they say.
const IGNORED: &[&str] =
    &["user", "metadata", "store", "service_tier", "safety_identifier", "prompt_cache_key", "parallel_tool_calls"];

/// Fields of the API that are not served, each with the values, as JSON, by which it asks for nothing.
#[rustfmt::skip]
const NEUTRAL: &[(&str, &[&str])] = &[
    ("best_of", &["1"]),
    ("echo", &["false"]),
    ("suffix", &["\"\""]),
    ("frequency_penalty", &["0"]),
    ("presence_penalty", &["0"]),
    ("logit_bias", &["{}"]),
    ("tools", &["[]"]),
    ("tool_choice", &["\"none\"", "\"auto\""]),
    ("functions", &["[]"]),
    ("function_call", &["\"none\"", "\"auto\""]),
    ("modalities", &["[\"text\"]"]),
    ("audio", &[]),
    ("prediction", &[]),
    ("reasoning_effort", &[]),
    ("verbosity", &[]),
    ("web_search_options", &[]),
];

/// Equal, where 1 and 1.0 are.
fn is_same(value: &Value, text: &str) -> bool {
    let wanted: Value = serde_json::from_str(text).unwrap_or_default();
    match (value.as_f64(), wanted.as_f64()) {
        (Some(a), Some(b)) => a == b,
        _ => *value == wanted,
    }
}

/// What a value is, for messages.
fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// A field of another type than it should have.
pub fn wrong_type(name: &str, wanted: &str, value: &Value) -> ApiError {
    ApiError::bad("invalid_type", format!("`{name}` must be {wanted}, not {}", kind(value))).of(name)
}

/// A field whose value is out of range.
pub fn wrong_value(name: &str, wanted: &str) -> ApiError {
    ApiError::bad("invalid_value", format!("`{name}` must be {wanted}")).of(name)
}

/// The fields that were not read yet.
pub struct Fields(Map<String, Value>);

impl Fields {
    /// The object of a body.
    pub fn of(body: &[u8]) -> Result<Fields, ApiError> {
        let broken = |error: serde_json::Error| ApiError::bad("invalid_json", format!("the body is no JSON: {error}"));
        match serde_json::from_slice(body).map_err(broken)? {
            Value::Object(fields) => Ok(Fields(fields)),
            other => Err(ApiError::bad("invalid_json", format!("the body must be an object, not {}", kind(&other)))),
        }
    }

    /// The fields of an object in a request.
    pub fn within(name: &str, value: Value) -> Result<Fields, ApiError> {
        match value {
            Value::Object(fields) => Ok(Fields(fields)),
            other => Err(wrong_type(name, "an object", &other)),
        }
    }

    /// A field; `null` is as none.
    pub fn take(&mut self, name: &str) -> Option<Value> {
        self.0.remove(name).filter(|value| !value.is_null())
    }

    pub fn needed(&mut self, name: &str) -> Result<Value, ApiError> {
        let missing = || ApiError::bad("missing_required_parameter", format!("`{name}` is missing")).of(name);
        self.take(name).ok_or_else(missing)
    }

    pub fn string(&mut self, name: &str) -> Result<String, ApiError> {
        match self.needed(name)? {
            Value::String(text) => Ok(text),
            other => Err(wrong_type(name, "a string", &other)),
        }
    }

    pub fn flag(&mut self, name: &str) -> Result<bool, ApiError> {
        match self.take(name) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(flag),
            Some(other) => Err(wrong_type(name, "a boolean", &other)),
        }
    }

    /// A number from `least` to `most`.
    pub fn number(&mut self, name: &str, least: f32, most: f32) -> Result<Option<f32>, ApiError> {
        let Some(value) = self.take(name) else { return Ok(None) };
        let number = value.as_f64().ok_or_else(|| wrong_type(name, "a number", &value))?;
        let is_in = (f64::from(least)..=f64::from(most)).contains(&number);
        let number = Some(number as f32).filter(|_| is_in);
        number.map(Some).ok_or_else(|| wrong_value(name, &format!("from {least} to {most}")))
    }

    /// A whole number of at least `least`.
    pub fn count(&mut self, name: &str, least: u64) -> Result<Option<usize>, ApiError> {
        let Some(value) = self.take(name) else { return Ok(None) };
        let count = match (value.as_u64(), value.as_i64()) {
            (Some(count), _) => Some(count).filter(|&count| count >= least),
            (None, Some(_)) => None,
            (None, None) => return Err(wrong_type(name, "an integer", &value)),
        };
        let count = count.ok_or_else(|| wrong_value(name, &format!("at least {least}")))?;
        Ok(Some(usize::try_from(count).unwrap_or(usize::MAX)))
    }

    /// A whole number in a range.
    pub fn whole(&mut self, name: &str, least: usize, most: usize) -> Result<Option<usize>, ApiError> {
        let found = self.count(name, 0)?;
        match found.filter(|found| !(least..=most).contains(found)) {
            Some(_) => Err(wrong_value(name, &format!("from {least} to {most}"))),
            None => Ok(found),
        }
    }

    /// Any whole number of 64 bits.
    pub fn seed(&mut self, name: &str) -> Result<Option<u64>, ApiError> {
        let Some(value) = self.take(name) else { return Ok(None) };
        let seed = value.as_u64().or_else(|| value.as_i64().map(|seed| seed as u64));
        seed.map(Some).ok_or_else(|| wrong_type(name, "an integer of 64 bits", &value))
    }

    /// The end of a request: what is left must ask for nothing.
    pub fn finish(self) -> Result<(), ApiError> {
        for (name, value) in self.0.iter().filter(|(_, value)| !value.is_null()) {
            if IGNORED.contains(&name.as_str()) {
                continue;
            }
            let Some((_, neutral)) = NEUTRAL.iter().find(|row| row.0 == name) else {
                let known = format!("`{name}` is no parameter of this request");
                return Err(ApiError::bad("unknown_parameter", known).of(name));
            };
            if !neutral.iter().any(|text| is_same(value, text)) {
                let only = match neutral {
                    [] => "leave it out".to_string(),
                    values => format!("it can only be {}", values.join(" or ")),
                };
                let message = format!("`{name}` is not supported here: {only}");
                return Err(ApiError::bad("unsupported_parameter", message).of(name));
            }
        }
        Ok(())
    }
}

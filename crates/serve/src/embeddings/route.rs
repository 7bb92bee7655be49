//! The path `/v1/embeddings`.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::reply;
use super::request::{Ask, Input};
use crate::api::ApiError;
use crate::engine::Refused;
use crate::routes::{Service, check_model, read_body};

/// Answers a request for vectors.
pub async fn answer(State(service): State<Arc<Service>>, request: Request) -> Result<Response, ApiError> {
    let Some(embeddings) = &service.embeddings else {
        let message = "the module has no embeddings: it is a language model";
        return Err(ApiError::bad("unsupported_endpoint", message));
    };
    if service.queue.is_closed() {
        return Err(Refused::Closed.into());
    }
    // Before anything is read. A client that goes away gives its place back.
    let _place = embeddings.place()?;
    let body = read_body(&service, request).await?;
    let ask = Ask::of(&body, embeddings.width)?;
    check_model(&service, &ask.model)?;
    let encoding = service.clone();
    // Long texts take long: others are served meanwhile.
    let texts = tokio::task::spawn_blocking(move || {
        ask.inputs.into_iter().enumerate().map(|(at, input)| tokens(&encoding, at, input)).collect()
    });
    let texts: Result<Vec<Vec<u32>>, ApiError> =
        texts.await.map_err(|_| ApiError::new(500, "FX1102", "the tokenizer failed"))?;
    let texts = texts?;
    let count = texts.iter().map(Vec::len).sum();
    let vectors = embeddings.vectors(texts).await.ok_or(Refused::Closed)?;
    let vectors = vectors.map_err(|error| ApiError::from(&error))?;
    let text = reply::json(&vectors, &service.model_name, count, ask.is_base64);
    Ok((StatusCode::OK, [(header::CONTENT_TYPE, "application/json")], text).into_response())
}

/// The tokens of a text, no more than the model takes.
fn tokens(service: &Service, at: usize, input: Input) -> Result<Vec<u32>, ApiError> {
    let ids = match input {
        Input::Text(text) => service.vocabulary.encode_whole(&text, None).map_err(|error| ApiError::from(&error))?,
        Input::Ids(ids) => ids,
    };
    let (count, most) = (ids.len(), service.context);
    if count == 0 {
        return Err(ApiError::bad("invalid_value", format!("text {at} has no token")).of("input"));
    }
    if count > most {
        let message = format!("text {at} has {count} tokens, where a text has at most {most}");
        return Err(ApiError::bad("context_length_exceeded", message).of("input"));
    }
    if let Some(token) = ids.iter().find(|&&token| token as usize >= service.words) {
        let message = format!("token {token}; the model knows 0 to {}", service.words.saturating_sub(1));
        return Err(ApiError::bad("FX1107", message).of("input"));
    }
    Ok(ids)
}

//! Paths of the server: who may ask, how much, and what answers.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use axum::body::{Body, Bytes};
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get, post};
use axum::{Router, body};
use fornax_runtime::RuntimeError;
use fornax_text::{Constraint, Constraints, Limits, Sampling, Vocabulary};
use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedReceiver;

use crate::api::ApiError;
use crate::api::fields::wrong_value;
use crate::api::reply::{Choice, Head, Kind};
use crate::api::request::{Ask, Prompt};
use crate::embeddings::{self, Embeddings};
use crate::engine::{self, Event, Job, Queue, Refused, Usage};
use crate::metrics::Metrics;
use crate::stream::Events;

/// A body must be here by then.
const BODY_TIME: Duration = Duration::from_secs(30);
/// Who finds the queue full may ask again after so many seconds.
const RETRY_SECONDS: &str = "1";
/// Paths that are counted by name.
const PATHS: &[&str] =
    &["/v1/chat/completions", "/v1/completions", "/v1/models", "/v1/embeddings", "/health", "/metrics"];

/// What every request may need.
pub struct Service {
    pub vocabulary: Arc<Vocabulary>,
    /// Made when a request first has a schema.
    pub constraints: OnceLock<Result<Constraints, RuntimeError>>,
    pub queue: Arc<Queue>,
    pub metrics: Arc<Metrics>,
    /// Tokens that a sequence can hold.
    pub context: usize,
    /// Tokens that the model knows.
    pub words: usize,
    /// The encoder, where the module is one: then no text is made.
    pub embeddings: Option<Embeddings>,
    pub model_name: String,
    pub api_key: Option<String>,
    /// Longest body, bytes.
    pub body_max: usize,
    /// Seconds since 1970.
    pub started: u64,
    pub requests: AtomicU64,
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = json_reply(status, &self.json());
        let headers = response.headers_mut();
        match self.status {
            401 => headers.insert(header::WWW_AUTHENTICATE, header::HeaderValue::from_static("Bearer")),
            429 => headers.insert(header::RETRY_AFTER, header::HeaderValue::from_static(RETRY_SECONDS)),
            // What is left of the body is not read.
            408 | 413 => headers.insert(header::CONNECTION, header::HeaderValue::from_static("close")),
            _ => None,
        };
        response
    }
}

fn json_reply(status: StatusCode, value: &Value) -> Response {
    (status, [(header::CONTENT_TYPE, "application/json")], value.to_string()).into_response()
}

/// Seconds since 1970.
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}

/// All paths.
pub fn router(service: Arc<Service>) -> Router {
    Router::new()
        .route("/v1/chat/completions", post(chat))
        .route("/v1/completions", post(completion))
        .route("/v1/embeddings", post(embeddings::answer))
        .route("/v1/models", get(models))
        .route("/v1/models/{*name}", get(model))
        .route("/health", get(health))
        .route("/metrics", get(metrics))
        .fallback(any(unknown_path))
        .method_not_allowed_fallback(wrong_method)
        .layer(middleware::from_fn_with_state(service.clone(), around))
        .with_state(service)
}

/// Keys before, counts and log lines behind every request.
async fn around(State(service): State<Arc<Service>>, request: Request, next: Next) -> Response {
    let began = Instant::now();
    let (method, path) = (request.method().clone(), request.uri().path().to_string());
    let response = match allowed(&service, &path, request.headers()) {
        Ok(()) => next.run(request).await,
        Err(error) => error.into_response(),
    };
    let name = PATHS.iter().find(|name| **name == path).copied().unwrap_or("other");
    let status = response.status().as_u16();
    service.metrics.answered(name, status);
    tracing::info!("{method} {path:?}: {status}, {:.1} ms", began.elapsed().as_secs_f64() * 1e3);
    response
}

/// Everything below `/v1` asks for the key, if there is one.
fn allowed(service: &Service, path: &str, headers: &HeaderMap) -> Result<(), ApiError> {
    let Some(key) = service.api_key.as_ref().filter(|_| path.starts_with("/v1")) else { return Ok(()) };
    let refused = |what: &str| Err(ApiError::new(401, "invalid_api_key", what));
    let Some(given) = headers.get(header::AUTHORIZATION) else {
        return refused("no key was given: send `Authorization: Bearer KEY`");
    };
    let is_bearer = |scheme: &[u8]| scheme.eq_ignore_ascii_case(b"bearer ");
    match given.as_bytes().split_at_checked(b"bearer ".len()) {
        Some((scheme, given)) if is_bearer(scheme) && is_equal(given.trim_ascii(), key.as_bytes()) => Ok(()),
        _ => refused("the key is wrong"),
    }
}

/// Whether two keys are equal. How long that takes says nothing of where they differ: hashes are compared, with a salt
/// that is drawn each time.
fn is_equal(a: &[u8], b: &[u8]) -> bool {
    let state = RandomState::new();
    state.hash_one(a) == state.hash_one(b)
}

async fn unknown_path(request: Request) -> ApiError {
    ApiError::new(404, "unknown_url", format!("there is no {}", request.uri().path()))
}

async fn wrong_method(method: Method, request: Request) -> ApiError {
    ApiError::new(405, "method_not_allowed", format!("{} takes no {method}", request.uri().path()))
}

async fn health(State(service): State<Arc<Service>>) -> Response {
    match service.queue.is_closed() {
        false => json_reply(StatusCode::OK, &json!({ "status": "ok" })),
        true => ApiError::from(Refused::Closed).into_response(),
    }
}

async fn metrics(State(service): State<Arc<Service>>) -> Response {
    let waiting = service.embeddings.as_ref().map_or_else(|| service.queue.waiting(), Embeddings::waiting);
    let text = service.metrics.text(waiting);
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text).into_response()
}

fn described(service: &Service) -> Value {
    json!({
        "id": service.model_name, "object": "model", "created": service.started, "owned_by": "fornax",
        "max_model_len": service.context,
    })
}

async fn models(State(service): State<Arc<Service>>) -> Response {
    json_reply(StatusCode::OK, &json!({ "object": "list", "data": [described(&service)] }))
}

async fn model(State(service): State<Arc<Service>>, Path(name): Path<String>) -> Result<Response, ApiError> {
    check_model(&service, &name)?;
    Ok(json_reply(StatusCode::OK, &described(&service)))
}

/// # Errors
/// 404 for another model.
pub(crate) fn check_model(service: &Service, name: &str) -> Result<(), ApiError> {
    if name == service.model_name {
        return Ok(());
    }
    let message = format!("there is no model `{name}`; this server has `{}`", service.model_name);
    Err(ApiError::new(404, "model_not_found", message).of("model"))
}

async fn chat(State(service): State<Arc<Service>>, request: Request) -> Result<Response, ApiError> {
    answer(service, request, Kind::Chat).await
}

async fn completion(State(service): State<Arc<Service>>, request: Request) -> Result<Response, ApiError> {
    answer(service, request, Kind::Completion).await
}

/// The body of a request. It must be JSON by its header: a page in a browser can then not send it unasked.
pub(crate) async fn read_body(service: &Service, request: Request) -> Result<Bytes, ApiError> {
    let kind = request.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    if !kind.eq_ignore_ascii_case("application/json") {
        return Err(ApiError::new(415, "unsupported_media_type", "send `Content-Type: application/json`"));
    }
    let limit = service.body_max;
    let too_long = || ApiError::new(413, "request_too_large", format!("a body has at most {limit} bytes"));
    let length = request.headers().get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    if length.is_some_and(|length: usize| length > limit) {
        return Err(too_long());
    }
    match tokio::time::timeout(BODY_TIME, body::to_bytes(request.into_body(), limit)).await {
        Ok(Ok(bytes)) => Ok(bytes),
        // The limit, or a client that is gone.
        Ok(Err(_)) => Err(too_long()),
        Err(_) => Err(ApiError::new(408, "request_timeout", "the body did not come in time")),
    }
}

/// The tokens of a prompt, no more than the context holds.
fn tokens(service: &Service, prompt: Prompt) -> Result<Vec<u32>, ApiError> {
    let vocabulary = &service.vocabulary;
    let ids = match prompt {
        Prompt::Chat(_) if !vocabulary.has_template() => {
            let message = "the checkpoint has no chat template: use /v1/completions";
            return Err(ApiError::bad("FX1108", message).of("messages"));
        }
        Prompt::Chat(messages) => vocabulary.encode_chat(&messages),
        Prompt::Text(text) => vocabulary.encode(&text),
        Prompt::Ids(ids) => Ok(ids),
    };
    let ids = ids.map_err(|error| ApiError::from(&error))?;
    if ids.is_empty() {
        return Err(ApiError::bad("invalid_value", "the prompt has no token").of("prompt"));
    }
    if ids.len() > service.context {
        let (count, context) = (ids.len(), service.context);
        let message = format!("the prompt has {count} tokens, where the context holds {context}");
        return Err(ApiError::bad("context_length_exceeded", message));
    }
    if let Some(token) = ids.iter().find(|&&token| token as usize >= service.words) {
        let message = format!("token {token}; the model knows 0 to {}", service.words.saturating_sub(1));
        return Err(ApiError::bad("FX1107", message).of("prompt"));
    }
    Ok(ids)
}

/// What a text of this schema may be. The first one waits until the words are in order.
async fn constraint(service: &Arc<Service>, schema: Option<Value>) -> Result<Option<Constraint>, ApiError> {
    let Some(schema) = schema else { return Ok(None) };
    let service = service.clone();
    let made = tokio::task::spawn_blocking(move || {
        let constraints = service.constraints.get_or_init(|| Constraints::new(&service.vocabulary));
        constraints.as_ref().map_err(Clone::clone)?.json(&schema)
    });
    match made.await {
        Ok(made) => made.map(Some).map_err(|error| ApiError::from(&error)),
        Err(_) => Err(ApiError::new(500, "FX1113", "the schema could not be read").of("response_format")),
    }
}

async fn answer(service: Arc<Service>, request: Request, kind: Kind) -> Result<Response, ApiError> {
    if service.embeddings.is_some() {
        return Err(ApiError::bad("unsupported_endpoint", "the module makes no text: it is an encoder"));
    }
    // Before anything is read.
    service.queue.check()?;
    let body = read_body(&service, request).await?;
    // Who names no seed gets another one each time.
    let seed = RandomState::new().build_hasher().finish();
    let ask = match kind {
        Kind::Chat => Ask::chat(&body, seed)?,
        Kind::Completion => Ask::completion(&body, seed)?,
    };
    check_model(&service, &ask.model)?;
    let encoding = service.clone();
    // Long texts take long: others are served meanwhile.
    let encoded = tokio::task::spawn_blocking(move || tokens(&encoding, ask.prompt)).await;
    let prompt = encoded.map_err(|_| ApiError::new(500, "FX1102", "the tokenizer failed"))??;
    let constraint = constraint(&service, ask.schema).await?;
    // The last token needs no row.
    let room = service.context - prompt.len() + 1;
    let limits = Limits { tokens: ask.tokens.unwrap_or(room).min(room), stop: ask.stop };
    let most = service.queue.most();
    if ask.texts > most {
        return Err(wrong_value("n", &format!("at most {most}: so many texts run and wait here")));
    }
    let (mut jobs, mut events) = (Vec::new(), Vec::new());
    for at in 0..ask.texts {
        // The first text is that of the seed.
        let sampling = Sampling { seed: ask.sampling.seed.wrapping_add(at as u64), ..ask.sampling.clone() };
        let (job, told) = engine::job(prompt.clone(), sampling, limits.clone());
        jobs.push(Job { logprobs: ask.logprobs, constraint: constraint.clone(), ..job });
        events.push(told);
    }
    service.queue.push_all(jobs)?;
    let number = service.requests.fetch_add(1, Ordering::Relaxed);
    let prefix = if kind == Kind::Chat { "chatcmpl" } else { "cmpl" };
    let id = format!("{prefix}-{:x}-{number:x}", service.started);
    let words = ask.logprobs.map(|_| service.vocabulary.clone());
    let head = Head { kind, id, created: now(), model: service.model_name.clone(), words };
    if !ask.stream {
        return whole(&head, events).await;
    }
    let first = match events.first_mut() {
        Some(events) => events.recv().await,
        None => None,
    };
    // Until something came an error still has a status of its own.
    match first {
        Some(Event::Failed(error)) => Err(ApiError::from(&error)),
        None => Err(ApiError::from(Refused::Closed)),
        Some(first) => {
            let body = Body::from_stream(Events::new(head, events, ask.include_usage, Some(first)));
            let headers = [(header::CONTENT_TYPE, "text/event-stream"), (header::CACHE_CONTROL, "no-cache")];
            Ok((headers, body).into_response())
        }
    }
}

async fn whole(head: &Head, all: Vec<UnboundedReceiver<Event>>) -> Result<Response, ApiError> {
    let (mut choices, mut counts) = (Vec::new(), Usage::default());
    for mut events in all {
        let mut choice = Choice::default();
        while choice.end.is_none() {
            match events.recv().await {
                Some(Event::Chosen(chosen)) => choice.chosen.extend(chosen),
                Some(Event::Text(piece)) => choice.text.push_str(&piece),
                Some(Event::End { end, usage }) => {
                    choice.end = Some(end);
                    counts = counts.with(usage);
                }
                Some(Event::Failed(error)) => return Err(ApiError::from(&error)),
                None => return Err(ApiError::from(Refused::Closed)),
            }
        }
        choices.push(choice);
    }
    Ok(json_reply(StatusCode::OK, &head.whole(&choices, counts)))
}

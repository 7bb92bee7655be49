//! Listening, signals, the end.
//!
//! The engine runs on the thread that calls [`serve`]; HTTP has one of its own.

use std::net::{SocketAddr, TcpListener};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use fornax_runtime::{ErrorKind, Result, RuntimeError};
use fornax_text::{Guesser, Model, Vocabulary};
use tokio::signal::unix::{SignalKind, signal};

use crate::connections;
use crate::engine::{Engine, Queue};
use crate::errors::failed;
use crate::metrics::Metrics;
use crate::routes::{Service, now, router};

/// Threads that encode prompts.
const ENCODING_THREADS: usize = 2;
/// Who is told that its text was cut short gets so long to hear it.
const FAREWELL: Duration = Duration::from_secs(1);
/// Exit code where a second signal ends the program: 128 and SIGINT's number.
const INTERRUPTED: i32 = 130;

/// How a model is served.
#[derive(Clone, Debug)]
pub struct Options {
    /// By which requests name it.
    pub model_name: String,
    /// Where set, requests below `/v1` must have it.
    pub api_key: Option<String>,
    /// Sequences that run at a time.
    pub sequences: usize,
    /// Requests that wait beside them.
    pub queue: usize,
    /// Texts get a token after so long, though prompts wait.
    pub interval: Duration,
    /// Connections at a time; others wait until one closes.
    pub connections: usize,
    /// How long the head of a request may take, or a connection wait for the next one.
    pub header_time: Duration,
    /// Longest body of a request, bytes.
    pub body_max: usize,
    /// How long texts may go on once the server is to stop.
    pub grace: Duration,
}

/// Listens at an address; port 0 takes a free one.
///
/// # Errors
/// FX1201 where that cannot be.
pub fn bind(host: &str, port: u16) -> Result<(TcpListener, SocketAddr)> {
    let refused = |error: std::io::Error| {
        failed("FX1201", ErrorKind::Input, format!("cannot listen at {host}, port {port}: {error}"))
    };
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let listener = TcpListener::bind((host, port)).map_err(refused)?;
    listener.set_nonblocking(true).map_err(refused)?;
    let address = listener.local_addr().map_err(refused)?;
    Ok((listener, address))
}

/// Waits for SIGINT or SIGTERM. From then on a second one ends the program at once.
pub async fn signals() {
    let (Ok(mut interrupt), Ok(mut terminate)) = (signal(SignalKind::interrupt()), signal(SignalKind::terminate()))
    else {
        // Without handlers the signals end the program, as they do by themselves.
        return std::future::pending().await;
    };
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
    tokio::spawn(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        std::process::exit(INTERRUPTED);
    });
}

/// Serves a model, and who guesses ahead of it, until `stop` is over. Then nobody is let in, and texts that run may
/// end. Calls `ready` once requests can come.
///
/// # Errors
/// FX1202 where the caches do not fit, FX1201 where HTTP cannot be served, what the device says where it is lost.
pub fn serve<M: Model>(
    listener: TcpListener,
    served: (M, Guesser),
    vocabulary: Vocabulary,
    options: &Options,
    ready: impl FnOnce(),
    stop: impl Future<Output = ()> + Send + 'static,
) -> Result<()> {
    let (model, guesser) = served;
    let vocabulary = Arc::new(vocabulary);
    let queue = Arc::new(Queue::new(options.sequences, options.queue));
    let metrics = Arc::new(Metrics::default());
    let service = Arc::new(Service {
        vocabulary: vocabulary.clone(),
        constraints: OnceLock::new(),
        queue: queue.clone(),
        metrics: metrics.clone(),
        context: model.context(),
        words: model.vocabulary(),
        embeddings: None,
        model_name: options.model_name.clone(),
        api_key: options.api_key.clone(),
        body_max: options.body_max,
        started: now(),
        requests: AtomicU64::new(0),
    });
    let engine = Engine::new(model, &vocabulary, queue.clone(), metrics)?.guess(guesser).interval(options.interval);
    let limits = options.clone();
    let http = std::thread::Builder::new().name("http".into()).spawn(move || {
        let served = listen(listener, service, stop, &limits);
        // Where HTTP cannot be served the engine has nothing to do.
        queue.abort();
        served
    });
    let http = http.map_err(unserved)?;
    ready();
    let ran = engine.run();
    let served = http.join().unwrap_or_else(|_| Err(unserved(std::io::Error::other("its thread panicked"))));
    ran.and(served)
}

pub(crate) fn unserved(error: std::io::Error) -> RuntimeError {
    failed("FX1201", ErrorKind::Input, format!("cannot serve HTTP: {error}"))
}

/// HTTP, until `stop` or the engine is over and the last reply was sent.
pub(crate) fn listen(
    listener: TcpListener,
    service: Arc<Service>,
    stop: impl Future<Output = ()> + Send + 'static,
    options: &Options,
) -> Result<()> {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = builder.enable_all().max_blocking_threads(ENCODING_THREADS).build().map_err(unserved)?;
    let (queue, routes) = (service.queue.clone(), router(service));
    let served = runtime.block_on(async move {
        let listener = tokio::net::TcpListener::from_std(listener).map_err(unserved)?;
        let stopped = Arc::new(tokio::sync::Notify::new());
        let (closing, closed) = (queue.clone(), stopped.clone());
        let end = async move {
            tokio::select! {
                () = stop => {}
                () = closing.ended() => {}
            }
            closing.close();
            closed.notify_one();
        };
        let serving = connections::serve(listener, &routes, options, end);
        let late = async {
            stopped.notified().await;
            tokio::time::sleep(options.grace).await;
            queue.abort();
            tokio::time::sleep(FAREWELL).await;
        };
        tokio::select! {
            () = serving => Ok(()),
            () = late => Ok(()),
        }
    });
    runtime.shutdown_background();
    served
}

//! `/v1/embeddings`: an encoder over HTTP.
//!
//! The encoder runs on the thread that calls [`serve`]. Requests that wait get the vector of one text in turn, so that
//! a short one is not held up by a long list.

mod reply;
mod request;
mod route;

use std::collections::VecDeque;
use std::net::TcpListener;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, OnceLock};

use fornax_runtime::{ErrorKind, Result, RuntimeError};
use fornax_text::{Encode, Vocabulary, encoder};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

pub use route::answer;

use crate::engine::{Queue, Refused};
use crate::metrics::Metrics;
use crate::routes::{Service, now};
use crate::server::{Options, listen, unserved};

/// The way to an encoder.
pub struct Embeddings {
    jobs: UnboundedSender<Job>,
    /// Requests that may be under way.
    room: Arc<Semaphore>,
    room_max: usize,
    /// Elements of a vector.
    pub width: usize,
}

/// Texts whose vectors are asked for.
struct Job {
    /// Not computed yet, at least one; each of 1 to `context` tokens.
    texts: VecDeque<Vec<u32>>,
    vectors: Vec<Vec<f32>>,
    /// Nobody waits any more where it is closed.
    reply: oneshot::Sender<Result<Vec<Vec<f32>>>>,
}

/// What the encoder's thread sees of the server. Not the service, which holds the way to the encoder open.
struct Sight {
    queue: Arc<Queue>,
    metrics: Arc<Metrics>,
}

impl Embeddings {
    fn new(room_max: usize, width: usize) -> (Embeddings, UnboundedReceiver<Job>) {
        // What it holds is bounded by the semaphore.
        let (jobs, asked) = unbounded_channel();
        let room_max = room_max.min(Semaphore::MAX_PERMITS);
        (Embeddings { jobs, room: Arc::new(Semaphore::new(room_max)), room_max, width }, asked)
    }

    /// A place for a request, for as long as it is kept.
    fn place(&self) -> Result<OwnedSemaphorePermit, Refused> {
        self.room.clone().try_acquire_owned().map_err(|_| Refused::Full)
    }

    /// Requests behind the one that is being computed.
    pub fn waiting(&self) -> usize {
        (self.room_max - self.room.available_permits()).saturating_sub(1)
    }

    /// Vectors of texts, in their order.
    async fn vectors(&self, texts: Vec<Vec<u32>>) -> Option<Result<Vec<Vec<f32>>>> {
        let (reply, replied) = oneshot::channel();
        let vectors = Vec::with_capacity(texts.len());
        self.jobs.send(Job { texts: texts.into(), vectors, reply }).ok()?;
        replied.await.ok()
    }
}

/// Serves an encoder until `stop` is over, and requests that are under way with it. Calls `ready` once requests can
/// come.
///
/// # Errors
/// FX1201 where HTTP cannot be served, what the device says where it is lost.
pub fn serve<E: Encode>(
    listener: TcpListener,
    mut encoder: E,
    vocabulary: Vocabulary,
    options: &Options,
    ready: impl FnOnce(),
    stop: impl Future<Output = ()> + Send + 'static,
) -> Result<()> {
    let (embeddings, asked) = Embeddings::new(options.queue.saturating_add(1), encoder.width());
    let metrics = Arc::new(Metrics::default());
    // No text is made here. It says whether the server is open.
    let queue = Arc::new(Queue::new(1, 0));
    let words = vocabulary.len();
    let service = Arc::new(Service {
        vocabulary: Arc::new(vocabulary),
        constraints: OnceLock::new(),
        queue: queue.clone(),
        metrics: metrics.clone(),
        context: encoder.context(),
        words,
        embeddings: Some(embeddings),
        model_name: options.model_name.clone(),
        api_key: options.api_key.clone(),
        body_max: options.body_max,
        started: now(),
        requests: AtomicU64::new(0),
    });
    // Dropped with the encoder, also where that panics: then the server ends too.
    let (running, gone) = oneshot::channel::<()>();
    let stop = async move {
        tokio::select! {
            () = stop => {}
            _ = gone => {}
        }
    };
    let limits = options.clone();
    let http = std::thread::Builder::new().name("http".into());
    let http = http.spawn(move || listen(listener, service, stop, &limits)).map_err(unserved)?;
    ready();
    let ran = run(&mut encoder, asked, &Sight { queue, metrics });
    drop(running);
    let served = http.join().unwrap_or_else(|_| Err(unserved(std::io::Error::other("its thread panicked"))));
    ran.and(served)
}

/// Computes until nobody can ask any more.
fn run(encoder: &mut impl Encode, mut asked: UnboundedReceiver<Job>, server: &Sight) -> Result<()> {
    let (mut waiting, mut last) = (VecDeque::new(), None);
    loop {
        while let Ok(job) = asked.try_recv() {
            waiting.push_back(job);
        }
        // Who came meanwhile is served before its next text.
        waiting.extend(last.take());
        server.metrics.running(waiting.len());
        if server.queue.is_aborted() {
            return Ok(());
        }
        let Some(mut job) = waiting.pop_front().or_else(|| asked.blocking_recv()) else { return Ok(()) };
        if job.reply.is_closed() {
            server.metrics.cancelled();
            continue;
        }
        let Some(text) = job.texts.pop_front() else { continue };
        match encoder.encode(&text) {
            Ok(mut vector) => {
                server.metrics.read(text.len());
                // As the API has them.
                encoder::normalize(&mut vector);
                job.vectors.push(vector);
                match job.texts.is_empty() {
                    true => drop(job.reply.send(Ok(job.vectors))),
                    false => last = Some(job),
                }
            }
            Err(error) => {
                let _ = job.reply.send(Err(error.clone()));
                if error.kind() == ErrorKind::DeviceLost {
                    return Err(lost(waiting, error));
                }
            }
        }
    }
}

/// Tells those that wait.
fn lost(waiting: VecDeque<Job>, error: RuntimeError) -> RuntimeError {
    for job in waiting {
        let _ = job.reply.send(Err(error.clone()));
    }
    error
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Notes how many tokens each text has.
    #[derive(Default)]
    struct Noting(Vec<usize>);

    impl Encode for Noting {
        fn context(&self) -> usize {
            8
        }

        fn width(&self) -> usize {
            1
        }

        fn encode(&mut self, tokens: &[u32]) -> Result<Vec<f32>> {
            self.0.push(tokens.len());
            Ok(vec![tokens.len() as f32])
        }
    }

    #[test]
    fn requests_get_a_text_in_turn() {
        let (embeddings, asked) = Embeddings::new(3, 1);
        let send = |texts: Vec<Vec<u32>>| {
            let (reply, replied) = oneshot::channel();
            embeddings.jobs.send(Job { texts: texts.into(), vectors: Vec::new(), reply }).ok().unwrap();
            replied
        };
        let mut long = send(vec![vec![1], vec![1], vec![1]]);
        let mut short = send(vec![vec![1, 2]]);
        drop(send(vec![vec![1, 2, 3]]));
        drop(embeddings);
        let mut encoder = Noting::default();
        run(&mut encoder, asked, &Sight { queue: Arc::new(Queue::new(1, 0)), metrics: Arc::default() }).unwrap();
        // Who went away gets nothing.
        assert_eq!(encoder.0, [1, 2, 1, 1]);
        let of = |replied: &mut oneshot::Receiver<Result<Vec<Vec<f32>>>>| replied.try_recv().unwrap().unwrap();
        assert_eq!((of(&mut long), of(&mut short)), (vec![vec![1.0]; 3], vec![vec![1.0]]));
    }
}

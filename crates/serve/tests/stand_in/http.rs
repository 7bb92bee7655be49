//! A client of HTTP, as small as one can be, and a server over the stand-in.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::pin::Pin;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use fornax_runtime::Result;
use fornax_serve::{Options, bind, serve, serve_encoder};
use serde_json::{Value, json};

use super::{Control, Rows, TEMPLATE, Vectors, vocabulary};

pub struct Server {
    pub address: SocketAddr,
    pub control: Arc<Control>,
    stop: Option<tokio::sync::oneshot::Sender<()>>,
    thread: JoinHandle<Result<()>>,
}

pub fn options() -> Options {
    Options {
        connections: 100,
        header_time: Duration::from_secs(20),
        model_name: "m".to_string(),
        api_key: None,
        sequences: 2,
        queue: 1,
        interval: Duration::from_millis(100),
        body_max: 10_000,
        grace: Duration::from_secs(20),
    }
}

pub fn start(options: Options, template: Option<&'static str>) -> Server {
    let rows = Rows::new();
    started(rows.control.clone(), move |listener, stopped| {
        serve(listener, (rows, fornax_text::Guesser::none()), vocabulary(template), &options, || {}, stopped)
    })
}

pub fn start_encoder(options: Options) -> Server {
    let vectors = Vectors::default();
    started(vectors.control.clone(), move |listener, stopped| {
        serve_encoder(listener, vectors, vocabulary(None), &options, || {}, stopped)
    })
}

type Stopped = Pin<Box<dyn Future<Output = ()> + Send>>;

fn started(control: Arc<Control>, serve: impl FnOnce(TcpListener, Stopped) -> Result<()> + Send + 'static) -> Server {
    let (listener, address) = bind("127.0.0.1", 0).unwrap();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let stopped = Box::pin(async move {
        let _ = stopped.await;
    });
    let thread = std::thread::spawn(move || serve(listener, stopped));
    Server { address, control, stop: Some(stop), thread }
}

pub fn usual() -> Server {
    start(options(), Some(TEMPLATE))
}

pub struct Reply {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Reply {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    /// The events of a stream, `[DONE]` left out.
    pub fn events(&self) -> Vec<Value> {
        assert!(self.head.contains("content-type: text/event-stream"), "{}", self.head);
        let all: Vec<&str> = self.body.split("\n\n").filter(|event| !event.is_empty()).collect();
        let (last, events) = all.split_last().unwrap();
        assert_eq!(*last, "data: [DONE]");
        events.iter().map(|event| serde_json::from_str(event.strip_prefix("data: ").unwrap()).unwrap()).collect()
    }
}

/// Bodies in chunks: a length in hexadecimal digits, a line end, that many bytes, a line end.
fn whole(mut body: &[u8]) -> Vec<u8> {
    let mut all = Vec::new();
    while let Some(at) = body.windows(2).position(|pair| pair == b"\r\n") {
        let length = usize::from_str_radix(std::str::from_utf8(&body[..at]).unwrap(), 16).unwrap();
        all.extend(&body[at + 2..][..length]);
        body = &body[at + 2 + length + 2..];
    }
    all
}

impl Server {
    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream
    }

    /// Sends a request, and does not wait.
    pub fn send(&self, line: &str, headers: &str, body: &str) -> TcpStream {
        let mut stream = self.connect();
        let length = body.len();
        let text = format!(
            "{line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n{body}"
        );
        stream.write_all(text.as_bytes()).unwrap();
        stream
    }

    pub fn ask(&self, line: &str, headers: &str, body: &str) -> Reply {
        read(self.send(line, headers, body))
    }

    pub fn get(&self, path: &str) -> Reply {
        self.ask(&format!("GET {path}"), "", "")
    }

    pub fn post(&self, path: &str, body: &Value) -> Reply {
        self.ask(&format!("POST {path}"), JSON, &body.to_string())
    }

    pub fn start_post(&self, path: &str, body: &Value) -> TcpStream {
        self.send(&format!("POST {path}"), JSON, &body.to_string())
    }

    pub fn chat(&self, more: Value) -> Reply {
        self.post("/v1/chat/completions", &chat(more))
    }

    /// Waits until the model was called so often.
    #[track_caller]
    pub fn wait_for_calls(&self, count: usize) {
        until(|| self.control.count() >= count);
    }

    /// A value of /metrics.
    pub fn metric(&self, name: &str) -> f64 {
        let text = self.get("/metrics").body;
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.unwrap_or_else(|| panic!("no {name}: {text}")).parse().unwrap()
    }

    /// Waits until a value of /metrics is so much.
    #[track_caller]
    pub fn wait_for(&self, name: &str, value: f64) {
        until(|| self.metric(name) == value);
    }

    pub fn begin_stop(&mut self) {
        let _ = self.stop.take().unwrap().send(());
    }

    pub fn join(self) -> Result<()> {
        self.thread.join().unwrap()
    }

    pub fn end(mut self) {
        self.begin_stop();
        self.join().unwrap();
    }
}

/// Waits for something; a minute at most.
#[track_caller]
pub fn until(mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < Duration::from_secs(60), "waited for a minute");
        std::thread::sleep(Duration::from_millis(2));
    }
}

pub const JSON: &str = "Content-Type: application/json\r\n";

pub fn chat(more: Value) -> Value {
    let mut body = json!({ "model": "m", "messages": [{ "role": "user", "content": "w5 w6" }], "seed": 1 });
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    body
}

pub fn read(mut stream: TcpStream) -> Reply {
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    let at = bytes.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
    let head = String::from_utf8(bytes[..at].to_vec()).unwrap().to_lowercase();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let body = &bytes[at + 4..];
    let body = if head.contains("transfer-encoding: chunked") { whole(body) } else { body.to_vec() };
    Reply { status, head, body: String::from_utf8(body).unwrap() }
}

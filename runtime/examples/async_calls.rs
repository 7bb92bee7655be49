//! Calls from async code: a thread owns the session and serves requests from a channel, so that no task of the executor
//! waits for a device.
//!
//! ```console
//! $ fornax compile --target=cpu runtime/examples/sines.mlir -o sines.fnx
//! $ cargo run -p fornax-runtime --example async_calls -- sines.fnx
//! 0: 0.8415
//! 1: 0.1411
//! 2: -0.9589
//! ```

use std::error::Error;
use std::thread;

use fornax_runtime::{BackendPreference, Module, Result, Session, SessionOptions, Tensor, init_backend};
use tokio::sync::{mpsc, oneshot};

/// Requests that may wait before `call` waits for room.
const QUEUE: usize = 16;

/// Inputs of one call, and where its outputs go.
struct Request {
    inputs: Vec<Tensor>,
    answer: oneshot::Sender<Result<Vec<Tensor>>>,
}

/// A session behind a channel. Clones share it.
#[derive(Clone)]
struct Model(mpsc::Sender<Request>);

impl Model {
    fn start(mut session: Session, function: &'static str) -> Model {
        let (sender, mut requests) = mpsc::channel::<Request>(QUEUE);
        thread::spawn(move || {
            while let Some(Request { inputs, answer }) = requests.blocking_recv() {
                // Whoever asked may have gone.
                let _ = answer.send(session.invoke(function, &inputs));
            }
        });
        Model(sender)
    }

    async fn call(&self, inputs: Vec<Tensor>) -> Result<Vec<Tensor>, Box<dyn Error>> {
        let (answer, answered) = oneshot::channel();
        self.0.send(Request { inputs, answer }).await.map_err(|_| "the model's thread has ended")?;
        Ok(answered.await??)
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: async_calls MODULE")?;
    let module = Module::open(path.as_ref())?;
    let backend = init_backend(BackendPreference::Cpu)?;
    let model = Model::start(Session::load(&module, backend.device(), &SessionOptions::default())?, "main");

    let calls = [0.0f32, 1.0, 2.0].map(|x| {
        let model = model.clone();
        async move { Ok::<_, Box<dyn Error>>((x, model.call(vec![Tensor::from_slice(&[x; 4], [4])?]).await?)) }
    });
    let [a, b, c] = calls;
    // All three are under way at once.
    let (a, b, c) = tokio::try_join!(a, b, c)?;
    for (x, outputs) in [a, b, c] {
        println!("{x}: {:.4}", outputs[0].values::<f32>()?[0]);
    }
    Ok(())
}

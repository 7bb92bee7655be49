//! Loads a module once and calls it a hundred times. The tensors stay on the device: the output of a call is the input
//! of the next. Softmax again and again makes every row even.
//!
//! ```console
//! $ fornax compile --target=cpu tests/model/softmax.mlir -o softmax.fnx
//! $ cargo run -p fornax-runtime --example many_calls -- softmax.fnx
//! 100 calls of @predict on cpu://
//! microseconds a call: …
//! smallest 0.001, largest 0.001
//! ```

use std::error::Error;
use std::time::Instant;

use fornax_runtime::tensor::generate::iota;
use fornax_runtime::{BackendPreference, Module, Scalar, Session, SessionOptions, init_backend};

/// Calls that are measured.
const CALLS: u32 = 100;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: many_calls MODULE")?;
    let module = Module::open(path.as_ref())?;
    let backend = init_backend(BackendPreference::Cpu)?;
    // Constants and weights go to the device here, once. A session serves one caller at a time; a module serves many
    // sessions.
    let mut session = Session::load(&module, backend.device(), &SessionOptions::default())?;
    let function = session.function(None)?.name.clone();

    let types = session.input_types(&function, &[])?;
    let host = types.into_iter().map(iota).collect::<Result<Vec<_>, _>>()?;
    let mut tensors = session.upload_inputs(&function, &host)?;

    // The first call takes memory and, on a GPU, records the commands that later calls replay.
    tensors = session.invoke_on_device(&function, &tensors)?;
    session.synchronize()?;

    let start = Instant::now();
    for _ in 0..CALLS {
        // Queues the call and returns. Nothing is copied.
        tensors = session.invoke_on_device(&function, &tensors)?;
    }
    // A clock that stops before this wait measures the queue.
    session.synchronize()?;
    let each = start.elapsed() / CALLS;
    println!("{CALLS} calls of @{function} on {}", session.device().info().uri());
    println!("microseconds a call: {:.1}", each.as_secs_f64() * 1e6);

    let (mut smallest, mut largest) = (f64::INFINITY, f64::NEG_INFINITY);
    for tensor in &tensors {
        for element in session.download(tensor)?.iter() {
            if let Scalar::Float(value) = element {
                (smallest, largest) = (smallest.min(value), largest.max(value));
            }
        }
    }
    println!("smallest {smallest:.3}, largest {largest:.3}");
    Ok(())
}

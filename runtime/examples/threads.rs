//! One module, several threads: a session each. Constants and weights are loaded once a session; the module is shared.
//!
//! ```console
//! $ fornax compile --target=cpu runtime/examples/sines.mlir -o sines.fnx
//! $ cargo run -p fornax-runtime --example threads -- sines.fnx
//! thread 0: 0.8415
//! thread 1: 0.1411
//! thread 2: -0.9589
//! thread 3: 0.6570
//! ```

use std::error::Error;
use std::thread;

use fornax_runtime::hal::Device;
use fornax_runtime::{BackendPreference, Module, Result, Session, SessionOptions, Tensor, init_backend};

/// Threads that call the model.
const THREADS: usize = 4;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: threads MODULE")?;
    let module = Module::open(path.as_ref())?;
    let backend = init_backend(BackendPreference::Cpu)?;
    let found: Vec<Result<f32>> = thread::scope(|scope| {
        let (module, device) = (&module, backend.device());
        let calls: Vec<_> = (0..THREADS).map(|at| scope.spawn(move || call(module, device, at as f32))).collect();
        calls.into_iter().map(|call| call.join().expect("no thread panics")).collect()
    });
    for (at, value) in found.into_iter().enumerate() {
        println!("thread {at}: {:.4}", value?);
    }
    Ok(())
}

fn call(module: &Module, device: &Device, x: f32) -> Result<f32> {
    let mut session = Session::load(module, device, &SessionOptions::default())?;
    let outputs = session.invoke("main", &[Tensor::from_slice(&[x; 4], [4])?])?;
    Ok(outputs[0].values::<f32>()?[0])
}

//! Loads a module and calls its function once, on the processor.
//!
//! ```console
//! $ fornax compile --target=cpu runtime/examples/sines.mlir -o sines.fnx
//! $ cargo run -p fornax-runtime --example first_call -- sines.fnx
//! 4xf32=0.841471 0.14112 -0.958924 0.656987
//! ```

use std::error::Error;

use fornax_runtime::tensor::print::{PrintOptions, print};
use fornax_runtime::{BackendPreference, Module, Session, SessionOptions, Tensor, init_backend};

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: first_call MODULE")?;

    // Opening a module checks it. Loading runs its code: open only what you trust.
    let module = Module::open(path.as_ref())?;
    let backend = init_backend(BackendPreference::Cpu)?;
    let mut session = Session::load(&module, backend.device(), &SessionOptions::default())?;

    // `half::f16`, integers and `bool` work as f32 does; `Tensor::new` takes the bytes of any element type.
    let x = Tensor::from_slice(&[0.0f32, 1.0, 2.0, 3.0], [4])?;

    for output in session.invoke("main", &[x])? {
        println!("{}", print(&output, &PrintOptions::default()));
    }
    Ok(())
}

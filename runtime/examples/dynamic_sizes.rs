//! One module at many sizes: asks the function which sizes its inputs leave open, and calls it with several.
//!
//! ```console
//! $ fornax compile --target=cpu tests/sizes/mlp/model.mlir -o mlp.fnx
//! $ cargo run -p fornax-runtime --example dynamic_sizes -- mlp.fnx
//! sizes of @main: b
//! 1x12xf32 12x20xf32 20x5xf32 -> 1x5xf32
//! 3x12xf32 12x20xf32 20x5xf32 -> 3x5xf32
//! 64x12xf32 12x20xf32 20x5xf32 -> 64x5xf32
//! ```

use std::error::Error;

use fornax_runtime::session::open_sizes;
use fornax_runtime::tensor::generate::{Random, random};
use fornax_runtime::{BackendPreference, Module, Session, SessionOptions, TensorType, init_backend};

/// What every open size is set to, in turn.
const SIZES: [u64; 3] = [1, 3, 64];

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: dynamic_sizes MODULE")?;
    let module = Module::open(path.as_ref())?;
    let backend = init_backend(BackendPreference::Cpu)?;
    // Memory is taken for the sizes of a call. A call that would need more than this is an error, and nothing runs.
    let options = SessionOptions { max_device_memory: Some(1 << 30), ..SessionOptions::default() };
    let mut session = Session::load(&module, backend.device(), &options)?;

    let signature = session.function(None)?;
    let function = signature.name.clone();
    let names: Vec<String> = open_sizes(signature).into_iter().map(str::to_string).collect();
    println!("sizes of @{function}: {}", names.join(", "));

    for size in SIZES {
        // `batch = 3` makes `batchx12xf32` 3x12xf32, and follows formulas such as `(2 * batch)xf32`.
        let sizes: Vec<(String, u64)> = names.iter().map(|name| (name.clone(), size)).collect();
        let types = session.input_types(&function, &sizes)?;
        let fill = |ty: &TensorType| random(ty.clone(), &Random { seed: 0, range: Some((-1.0, 1.0)) });
        let inputs = types.iter().map(fill).collect::<Result<Vec<_>, _>>()?;
        let outputs = session.invoke(&function, &inputs)?;
        let given: Vec<String> = types.iter().map(TensorType::to_string).collect();
        let found: Vec<String> = outputs.iter().map(|output| output.ty().to_string()).collect();
        println!("{} -> {}", given.join(" "), found.join(" "));
    }
    Ok(())
}

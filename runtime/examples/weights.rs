//! Weights that lie next to the module, in a safetensors or npz file; inputs from npy files. The model is the trained
//! classifier of tests/model/digits.
//!
//! ```console
//! $ fornax compile --target=cpu --parameters-from=tests/model/digits/args.json \
//!       tests/model/digits/model.mlir -o digits.fnx
//! $ cargo run -p fornax-runtime --example weights -- digits.fnx tests/model/digits/weights.safetensors \
//!       tests/model/digits/digit_3.npy tests/model/digits/digit_8.npy
//! 8 parameters
//! tests/model/digits/digit_3.npy: 3, with …
//! tests/model/digits/digit_8.npy: 8, with …
//! ```

use std::error::Error;

use fornax_runtime::tensor::npy;
use fornax_runtime::{BackendPreference, Module, ParameterFile, Scalar, Session, SessionOptions, init_backend};

fn main() -> Result<(), Box<dyn Error>> {
    let usage = "usage: weights MODULE [SCOPE=]WEIGHTS IMAGE.npy…";
    let mut arguments = std::env::args().skip(1);
    let (path, weights) = arguments.next().zip(arguments.next()).ok_or(usage)?;

    let module = Module::open(path.as_ref())?;
    println!("{} parameters", module.manifest().parameters.len());
    let backend = init_backend(BackendPreference::Cpu)?;
    // Every parameter of the module must be in the files, with its type and shape; one error names all that are not.
    // The file is mapped, so a processor uses it in place.
    let options = SessionOptions { parameters: vec![ParameterFile::parse(&weights)], ..SessionOptions::default() };
    let mut session = Session::load(&module, backend.device(), &options)?;

    for image in arguments {
        let (tensor, _) = npy::read(&std::fs::read(&image)?)?;
        let outputs = session.invoke("predict", &[tensor])?;
        let scores = outputs.first().ok_or("@predict has no output")?.iter().map(|score| match score {
            Scalar::Float(score) => score,
            _ => f64::NAN,
        });
        let (digit, score) = scores.enumerate().max_by(|a, b| a.1.total_cmp(&b.1)).ok_or("no scores")?;
        println!("{image}: {digit}, with {:.1} %", score * 100.0);
    }
    Ok(())
}

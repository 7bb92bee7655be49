//! Chooses the device: the one that is asked for or, without a name, the first that the module has an image for. Prints
//! what was passed over and why, and ends with Fornax's exit codes.
//!
//! ```console
//! $ fornax compile --target=cpu runtime/examples/sines.mlir -o sines.fnx
//! $ cargo run -p fornax-runtime --example choose_device -- sines.fnx cpu
//! @main runs on cpu://
//! image: cpu-elf …
//! $ cargo run -p fornax-runtime --example choose_device -- sines.fnx
//! CUDA: the module holds no image for it
//! ROCm: the module holds no image for it
//! OpenCL: the module holds no image for it
//! @main runs on cpu://
//! $ cargo run -p fornax-runtime --example choose_device -- sines.fnx vulkan
//! error[FX0717]: no backend is called `vulkan`
//!   help: use auto, cuda, rocm, metal, opencl or cpu
//! ```

use std::process::ExitCode;

use fornax_runtime::backends::{choose_device, explain_missing_device};
use fornax_runtime::hal::Device;
use fornax_runtime::registry::open_device;
use fornax_runtime::{BackendPreference, Module, Result, Session, SessionOptions, init_backend};

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let Some(path) = arguments.next() else {
        eprintln!("usage: choose_device MODULE [BACKEND]");
        return ExitCode::FAILURE;
    };
    match run(&path, arguments.next().as_deref()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // The code is stable: `fornax explain FX0701` says more.
            eprintln!("error[{}]: {error}", error.code());
            if let Some(help) = error.help() {
                eprintln!("  help: {help}");
            }
            ExitCode::from(error.exit_code())
        }
    }
}

fn run(path: &str, backend: Option<&str>) -> Result<()> {
    let preference: BackendPreference = backend.unwrap_or("auto").parse()?;
    let module = Module::open(path.as_ref())?;
    // A device that is missing, or that the module has no image for: say what the module holds and what is here.
    let device = find(&module, preference).map_err(|error| explain_missing_device(&module, error))?;
    let session = Session::load(&module, &device, &SessionOptions::default())
        .map_err(|error| explain_missing_device(&module, error))?;
    println!("@{} runs on {}", session.function(None)?.name, device.info().uri());
    println!("image: {}", session.description());
    Ok(())
}

fn find(module: &Module, preference: BackendPreference) -> Result<Device> {
    if preference != BackendPreference::Auto {
        // This backend or an error: it never falls back.
        return Ok(init_backend(preference)?.device().clone());
    }
    // `init_backend(Auto)` takes the best device of the machine; this the best one that can run the module.
    let chosen = choose_device(module, open_device)?;
    for reason in &chosen.passed_over {
        println!("{reason}");
    }
    Ok(chosen.device)
}

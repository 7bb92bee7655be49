//! `fornax verify`: a device against the reference evaluator, dispatch by dispatch.
//!
//! ```text
//! fornax verify model.mlir --device=cuda                                   where compiler and device are
//!
//! fornax verify prepare model.mlir --target=cuda:h200 -o check.fnx         where the compiler is
//! fornax verify measure check.fnx --device=cuda --reproducer=DIR           where the device is
//! ```
//! The reference runs the fused program and keeps operands and results of every group. A call on the device is then
//! watched: before a launch its operands must hold, bit for bit, what was put there (else a buffer or a constant was
//! overwritten); after it its results must be the reference's within a tolerance, and are replaced by these, so that
//! errors do not add up and branches go the same way. The first that differs is named, and `--reproducer` writes it as
//! a model of its own, which `fornax verify DIR` takes.

pub mod compare;
mod measure;
#[cfg(feature = "compiler")]
mod prepare;
mod reproducer;

use anyhow::Result;
use fornax_runtime::session::Module;

use crate::args::verify::{VerifyArgs, VerifyStep};
use crate::failure::Failure;

pub fn run(args: &VerifyArgs) -> Result<()> {
    match &args.step {
        Some(VerifyStep::Measure(measured)) => {
            let opened = Module::open_with(&measured.module, measured.verify.into());
            let module = opened.map_err(Failure::from)?;
            measure::measure(&module, &measured.module.display().to_string(), &measured.run)
        }
        #[cfg(feature = "compiler")]
        Some(VerifyStep::Prepare(prepared)) => prepare::write(prepared, &args.run),
        #[cfg(not(feature = "compiler"))]
        Some(VerifyStep::Prepare(_)) => crate::commands::absent::refuse("verify prepare"),
        #[cfg(feature = "compiler")]
        None => prepare::run(&args.model, &args.run),
        #[cfg(not(feature = "compiler"))]
        None => {
            let text =
                "this binary has no compiler: `fornax verify measure FILE` runs what `fornax verify prepare` wrote";
            Err(Failure::usage(text).into())
        }
    }
}

//! The `fornax` binary: one file a subcommand, errors with stable codes, exit codes of `failure::exit`.

mod args;
mod atomic_file;
mod byte_count;
mod commands;
mod compat;
mod failure;
mod output;

use std::process::ExitCode;

use anyhow::Result;
use clap::{CommandFactory, Parser};

use crate::args::{Cli, Command};

fn main() -> ExitCode {
    let translated = match compat::translate(std::env::args().collect()) {
        Ok(translated) => translated,
        Err(error) => return report(&error),
    };
    translated.notes.iter().for_each(|note| eprintln!("{note}"));
    let cli = match Cli::try_parse_from(translated.argv) {
        Ok(cli) => cli,
        Err(error) => {
            let code = if error.use_stderr() { failure::exit::USAGE } else { 0 };
            // A closed pipe is the only way printing fails.
            let _ = error.print();
            return ExitCode::from(code);
        }
    };
    let level = ["warn", "info", "debug", "trace"][usize::from(cli.verbose.min(3))];
    let filter = tracing_subscriber::EnvFilter::try_from_env("FORNAX_LOG").unwrap_or_else(|_| level.into());
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).without_time().init();
    if let Some(rocm) = std::env::var_os("ROCM_PATH") {
        fornax_runtime::registry::look_for_rocm_in(std::path::Path::new(&rocm).join("lib"));
    }
    match run(&cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => report(&error),
    }
}

fn report(error: &anyhow::Error) -> ExitCode {
    eprintln!("{}", failure::render(error));
    ExitCode::from(failure::exit_code(error))
}

fn run(cli: &Cli) -> Result<()> {
    match &cli.command {
        #[cfg(feature = "compiler")]
        Command::Compile(args) => commands::compile::run(args),
        #[cfg(feature = "compiler")]
        Command::CodegenWorker => {
            let (mut input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
            Ok(fornax_compiler::worker::serve(&mut input, &mut output)?)
        }
        Command::RunModule(args) => commands::run_module::run(args, cli.verbose > 0),
        Command::Bench(args) => commands::bench::run(args),
        Command::Tune(command) => commands::tune::run(command),
        Command::Verify(args) => commands::verify::run(args),
        Command::ListDevices(args) => commands::list_devices::run(args, cli.verbose > 0),
        Command::Doctor => commands::doctor::run(),
        Command::ListDrivers(args) => commands::list_drivers::run(args.format),
        Command::ListTargets(args) => commands::list_targets::run(args),
        Command::Inspect(args) => commands::inspect::run(args),
        Command::Explain { code } => commands::explain::run(code.as_deref()),
        Command::Completions { shell } => {
            clap_complete::generate(*shell, &mut Cli::command(), "fornax", &mut std::io::stdout());
            Ok(())
        }
    }
}

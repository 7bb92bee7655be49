//! The `fornax` binary: one file a subcommand, errors with stable codes, exit codes of `failure::exit`.

mod args;
mod atomic_file;
mod byte_count;
mod commands;
mod compat;
#[cfg(feature = "compiler")]
mod emit;
mod failure;
mod input_file;
mod messages;
mod output;
mod usage;
mod version;

use std::ffi::OsString;
use std::process::ExitCode;

use anyhow::Result;
use clap::FromArgMatches;

use crate::args::{Cli, Command};

/// Stack of the thread that does the work, bytes: what MLIR's parser takes at the deepest nesting that is read, twice.
/// The main thread's is set by `ulimit -s`, which may be too little even for the command line.
const STACK_BYTES: usize = 16 << 20;

fn main() -> ExitCode {
    let thread = std::thread::Builder::new().name("fornax".into()).stack_size(STACK_BYTES);
    match thread.spawn(command).map(|running| running.join()) {
        Ok(Ok(code)) => code,
        Ok(Err(panic)) => std::panic::resume_unwind(panic),
        // No thread is to be had: the stack that there is may do.
        Err(_) => command(),
    }
}

/// Does what the command line says.
fn command() -> ExitCode {
    let argv = with_own_module(std::env::args_os().collect());
    messages::choose(messages::asked_for(&argv));
    let code = match parse(argv) {
        Ok(cli) => start(&cli),
        Err(code) => code,
    };
    output::finish();
    code
}

/// The command line of a program that `compile --emit=exe` made: its flags are those of `run-module` on the module
/// behind it. Any other command line as it is.
fn with_own_module(mut argv: Vec<OsString>) -> Vec<OsString> {
    let Ok(own) = std::env::current_exe() else { return argv };
    let module = std::fs::File::open(&own).and_then(|file| {
        let bytes = file.metadata()?.len();
        Ok(fornax_runtime::attached::module_of(&file, bytes))
    });
    if let Ok(Some(_)) = module {
        let mut named = OsString::from("--module=");
        named.push(own);
        argv.splice(argv.len().min(1).., [vec!["run-module".into(), named], argv[1..].to_vec()].concat());
    }
    argv
}

/// The command line in Fornax's spelling, parsed; or the exit code where it is wrong, or asks for help only.
fn parse(argv: Vec<OsString>) -> Result<Cli, ExitCode> {
    let translated = compat::translate(argv).map_err(|error| report(&error))?;
    messages::choose(messages::asked_for(&translated.argv));
    translated.notes.iter().for_each(messages::note);
    let command = args::command().color(usage::color_of_help());
    let parsed = command.try_get_matches_from(&translated.argv).and_then(|matches| Cli::from_arg_matches(&matches));
    parsed.map_err(|error| ExitCode::from(usage::report(&error, &translated.argv)))
}

fn start(cli: &Cli) -> ExitCode {
    messages::choose(cli.messages.style());
    messages::log::start(cli.messages.verbose, cli.messages.quiet);
    if let Some(rocm) = std::env::var_os("ROCM_PATH") {
        fornax_runtime::registry::look_for_rocm_in(std::path::Path::new(&rocm).join("lib"));
    }
    match run(cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => report(&error),
    }
}

fn report(error: &anyhow::Error) -> ExitCode {
    messages::error(&failure::render(error));
    ExitCode::from(failure::exit_code(error))
}

fn run(cli: &Cli) -> Result<()> {
    match &cli.command {
        #[cfg(feature = "compiler")]
        Command::Compile(args) => commands::compile::run(args),
        #[cfg(not(feature = "compiler"))]
        Command::Compile(_) => commands::absent::refuse("compile"),
        #[cfg(feature = "compiler")]
        Command::Import(args) => commands::import::run(args),
        #[cfg(feature = "compiler")]
        Command::CodegenWorker => {
            let (mut input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
            Ok(fornax_compiler::worker::serve(&mut input, &mut output)?)
        }
        #[cfg(feature = "compiler")]
        Command::ModelWorker => {
            commands::model_worker::serve(&mut std::io::stdin().lock(), &mut std::io::stdout().lock())
        }
        Command::RunModule(args) => commands::run_module::run(args),
        #[cfg(feature = "text")]
        Command::Generate(args) => commands::generate::run(args),
        #[cfg(feature = "text")]
        Command::Chat(args) => commands::chat::run(args),
        #[cfg(feature = "text")]
        Command::Embed(args) => commands::embed::run(args),
        #[cfg(feature = "serve")]
        Command::Serve(args) => commands::serve::run(args),
        Command::Quantize(args) => commands::quantize::run(args),
        #[cfg(feature = "text")]
        Command::Perplexity(args) => commands::perplexity::run(args),
        Command::Bench(args) => commands::bench::run(args),
        Command::Tune(command) => commands::tune::run(command),
        Command::Verify(args) => commands::verify::run(args),
        Command::ListDevices(args) => commands::list_devices::run(args, cli.messages.verbose > 0),
        Command::Doctor(args) => commands::doctor::run(args),
        Command::ListDrivers(args) => commands::list_drivers::run(args.format),
        Command::ListTargets(args) => commands::list_targets::run(args),
        Command::Inspect(args) => commands::inspect::run(args),
        Command::Explain(args) => commands::explain::run(args.code.as_deref(), args.format),
        Command::Man { folder } => commands::man::run(folder),
        Command::InstallLinks { folder } => commands::install_links::run(folder),
        Command::Diff(args) => commands::diff::run(args),
        Command::Check(args) => commands::check::run(args),
        Command::VerifyFile(args) => commands::verify_file::run(args),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut args::command(), "fornax", &mut script);
            output::bytes(&script);
            Ok(())
        }
    }
}

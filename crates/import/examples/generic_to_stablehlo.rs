//! Prints the graph of a model in MLIR's generic text as StableHLO: `mlir-opt --mlir-print-op-generic … | generic_to_stablehlo`.
use std::io::Read;

fn main() -> std::process::ExitCode {
    let mut text = String::new();
    if std::io::stdin().read_to_string(&mut text).is_err() {
        return std::process::ExitCode::FAILURE;
    }
    match fornax_import::import_generic(&text, b"", "-", &fornax_import::ImportOptions::default()) {
        Ok(graph) => print!("{}", fornax_graph::print(&graph)),
        Err(errors) => {
            errors.iter().for_each(|error| eprintln!("{error}"));
            return std::process::ExitCode::FAILURE;
        }
    }
    std::process::ExitCode::SUCCESS
}

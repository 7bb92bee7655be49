//! Reader of StableHLO text: one pass over the source, no token list, big literals decoded in place.

mod attributes;
mod custom;
mod dense;
mod lexer;
mod module;
mod normalize;
mod operation;
mod parser;
mod sizes;
mod syntax;
mod types;

use fornax_graph::Graph;

use crate::diagnostic::Diagnostic;
use parser::Parser;

/// Parses a module; the graph is not verified.
pub fn parse(source: &str, file_name: &str) -> Result<Graph, Box<Diagnostic>> {
    let mut parser = Parser::new(source, file_name);
    parser.parse_file()?;
    Ok(parser.graph)
}

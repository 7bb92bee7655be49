//! Reader of StableHLO text: one pass over the source, no token list, big literals decoded in place.

mod attributes;
mod custom;
mod dense;
pub(crate) mod lexer;
mod mesh_groups;
mod module;
mod normalize;
mod operation;
mod parser;
mod shardy;
mod sizes;
mod syntax;
mod types;

use fornax_graph::{AttrMap, Constant, Graph};

use crate::diagnostic::Diagnostic;
use parser::Parser;

/// Reads `{name = value, …}` apart from a module; constants by their number.
pub(crate) fn parse_attributes(text: &str, file_name: &str) -> Result<(AttrMap, Vec<Constant>), Box<Diagnostic>> {
    let mut parser = Parser::new(text, file_name);
    let attrs = parser.parse_attr_dict()?;
    Ok((attrs, parser.graph.constants))
}

/// Parses a module; the graph is not verified.
pub fn parse(source: &str, file_name: &str) -> Result<Graph, Box<Diagnostic>> {
    let mut parser = Parser::new(source, file_name);
    parser.parse_file()?;
    mesh_groups::resolve(&mut parser.graph);
    Ok(parser.graph)
}

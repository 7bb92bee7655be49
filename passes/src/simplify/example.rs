//! The examples at the head of each pass's file, as tests: the pass on the text before gives the text after.

use fornax_graph::Graph;

use super::{Options, SimplifyPass, erase_unused};

/// Reads a module; `func.func` lines alone will do.
pub fn import(text: &str) -> Graph {
    let read = fornax_import::import_text(text, "example.mlir", &Default::default());
    read.unwrap_or_else(|errors| panic!("{}\n{text}", errors[0]))
}

pub fn print(graph: &Graph) -> String {
    fornax_graph::print(graph)
}

/// The graph is valid and its text can be read back.
pub fn reimport(graph: &Graph) {
    let errors = fornax_graph::verify::verify(graph);
    assert!(errors.is_empty(), "{}\n{}", errors[0], print(graph));
    import(&print(graph));
}

/// Runs a pass over each `Before` text of its file and compares with the `After` text that follows.
pub fn check(pass: &SimplifyPass, source: &str) {
    let blocks = mlir_blocks(source);
    assert!(blocks.len() >= 2 && blocks.len().is_multiple_of(2), "{}: an example before and after", pass.name);
    for pair in blocks.chunks_exact(2) {
        let options = Options::default();
        let mut graph = import(&pair[0]);
        let mut rounds = 0;
        while pass.name != "expand_special_functions" && rounds < 4 || rounds == 0 {
            rounds += 1;
            if !(pass.run)(&mut graph, &options).unwrap_or_else(|error| panic!("{}: {error}", pass.name)) {
                break;
            }
            erase_unused::run(&mut graph, &options).expect("nothing to refuse");
        }
        reimport(&graph);
        let (found, wanted) = (print(&graph), print(&import(&pair[1])));
        assert!(found == wanted, "{}: found\n{found}\nwanted\n{wanted}", pass.name);
    }
}

/// The texts between ```` ```mlir ```` and ```` ``` ```` in the `//!` lines.
fn mlir_blocks(source: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut open = None;
    for line in source.lines().map_while(|line| line.strip_prefix("//!")) {
        match (line.trim(), &mut open) {
            ("```mlir", None) => open = Some(String::new()),
            ("```", Some(_)) => blocks.extend(open.take()),
            (_, Some(text)) => *text += &format!("{line}\n"),
            _ => {}
        }
    }
    blocks
}

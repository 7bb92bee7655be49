//! The examples at the head of each pass's file, as tests: the pass on the text before gives the text after.

use fornax_graph::Graph;

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
pub fn check(name: &str, source: &str, pass: &dyn Fn(&mut Graph)) {
    let blocks = blocks(source, "mlir");
    assert!(blocks.len() >= 2 && blocks.len().is_multiple_of(2), "{name}: an example before and after");
    for pair in blocks.chunks_exact(2) {
        assert!(pair[0] != pair[1], "{name}: the example shows no change");
        let mut graph = import(&pair[0]);
        pass(&mut graph);
        reimport(&graph);
        let (found, wanted) = (print(&graph), print(&import(&pair[1])));
        assert!(found == wanted, "{name}: found\n{found}\nwanted\n{wanted}");
    }
}

/// The texts between a fence of a language and ```` ``` ```` in the `//!` lines.
pub fn blocks(source: &str, language: &str) -> Vec<String> {
    let fence = format!("```{language}");
    let mut blocks = Vec::new();
    let mut open = None;
    for line in source.lines().map_while(|line| line.strip_prefix("//!")) {
        match (line.trim(), &mut open) {
            (line, None) if line == fence => open = Some(String::new()),
            ("```", Some(_)) => blocks.extend(open.take()),
            (_, Some(text)) => *text += &format!("{line}\n"),
            _ => {}
        }
    }
    blocks
}

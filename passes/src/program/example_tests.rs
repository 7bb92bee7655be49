//! The examples at the head of each pass's file, as tests: a model, its program without the pass, and with it.

use fornax_graph::Graph;
use fornax_targets::{Backend, Target};

use super::{Options, PASSES, SOURCES};
use crate::example::{blocks, import};

/// Names of the kernels, commands, memory, and results in the place of arguments.
fn program(graph: &Graph, target: &Target, options: &Options) -> String {
    let planned = crate::plan(graph, target, options).unwrap();
    let names = planned.program.kernels.iter().map(|kernel| format!("kernel {}\n", kernel.name));
    let described = planned.describe();
    let commands = described.split_once("\n@").map_or("", |(_, commands)| commands);
    let commands = commands.lines().filter(|line| !line.starts_with("constants:")).map(|line| format!("{line}\n"));
    let aliases = planned.aliases.values().flatten();
    let aliases = aliases.map(|(input, output)| format!("output {output} is input {input}\n"));
    names.chain(["@".to_string()]).chain(commands).chain(aliases).collect()
}

#[test]
fn every_pass_does_what_its_file_says() {
    for (pass, source) in PASSES.iter().zip(SOURCES) {
        let (models, programs) = (blocks(source, "mlir"), blocks(source, "text"));
        let ([model], [before, after]) = (models.as_slice(), programs.as_slice()) else {
            panic!("{}: a model, its program before and after", pass.name);
        };
        assert_ne!(before, after, "{}: the example shows no change", pass.name);
        let graph = crate::fuse(&import(model)).unwrap();
        // Where command lists decide loops, the host need not run ahead.
        let (backend, arch) = if pass.name == "flags" { (Backend::Rocm, "gfx90a") } else { (Backend::Cuda, "sm_80") };
        let target = fornax_targets::resolve(backend, arch).unwrap().target;
        let mut options = Options { without: vec![pass.name.to_string()], ..Options::default() };
        options.schedule.plain_loops = pass.name != "team";
        for wanted in [before, after] {
            let found = program(&graph, &target, &options);
            let lines = |text: &str| text.lines().map(|line| line.trim_end().to_string()).collect::<Vec<_>>();
            let wanted: Vec<String> = lines(wanted).iter().map(|line| line[line.len().min(1)..].to_string()).collect();
            assert!(lines(&found) == wanted, "{}: found\n{found}\nwanted\n{}", pass.name, wanted.join("\n"));
            options.without.clear();
        }
    }
}

//! The examples at the head of each pass's file, as tests: a model, its program without the pass, and with it. What an
//! observer is shown of them.

use std::time::Duration;

use fornax_graph::Graph;
use fornax_targets::{Backend, Target};

use super::loop_text::OF_ROUNDS;
use super::{Options, PASSES, PHASE, SOURCES};
use crate::example::{blocks, import};
use crate::observe::{Ir, Observer, Run};

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

/// Where command lists decide loops, the host need not run ahead; kernels start early on Hopper, which has tensor
/// copies; CPUs pack.
fn target_of(pass: &str) -> Target {
    if ["announce", "early", "row_pitch"].contains(&pass) {
        return Target::from_spec("cuda:sm_90a").unwrap();
    }
    let (backend, arch) = match pass {
        "flags" => (Backend::Rocm, "gfx90a"),
        "share_copies" => (Backend::Cpu, "x86-64-v3"),
        _ => (Backend::Cuda, "sm_80"),
    };
    fornax_targets::resolve(backend, arch).unwrap().target
}

/// The lines of an example without the space before each: one that begins with [`WRAPPED`] goes on with the one before.
fn unwrapped(lines: &[String]) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for line in lines {
        match (line.strip_prefix(WRAPPED), all.last_mut()) {
            (Some(rest), Some(last)) => *last += &format!(" {rest}"),
            _ => all.push(line[line.len().min(1)..].to_string()),
        }
    }
    all
}

/// How the rest of a line begins that is too long.
const WRAPPED: &str = "           ";

#[test]
fn every_pass_does_what_its_file_says() {
    for (pass, source) in PASSES.iter().zip(SOURCES) {
        let (models, programs) = (blocks(source, "mlir"), blocks(source, "text"));
        let ([model], [before, after]) = (models.as_slice(), programs.as_slice()) else {
            panic!("{}: a model, its program before and after", pass.name);
        };
        assert_ne!(before, after, "{}: the example shows no change", pass.name);
        let graph = crate::fuse(&import(model)).unwrap();
        let target = target_of(pass.name);
        // Loops that are written out hide what earlier passes do of them.
        let own = OF_ROUNDS.iter().position(|name| *name == pass.name);
        let others: Vec<String> = OF_ROUNDS[own.map_or(0, |own| own + 1)..].iter().map(ToString::to_string).collect();
        let mut options = Options { without: others.clone(), ..Options::default() };
        options.without.push(pass.name.to_string());
        options.schedule.plain_loops = pass.name != "fuse_loop";
        for wanted in [before, after] {
            let found = program(&graph, &target, &options);
            let lines = |text: &str| text.lines().map(|line| line.trim_end().to_string()).collect::<Vec<_>>();
            let wanted = unwrapped(&lines(wanted));
            assert!(lines(&found) == wanted, "{}: found\n{found}\nwanted\n{}", pass.name, wanted.join("\n"));
            options.without.clone_from(&others);
        }
    }
}

/// Keeps the texts of the passes of program: name, before, after.
#[derive(Default)]
struct Texts {
    only: Option<&'static str>,
    kept: Vec<(String, String, String)>,
    timed: Vec<String>,
}

impl Observer for Texts {
    fn listens(&self) -> bool {
        true
    }

    fn shows(&self, pass: &str) -> bool {
        self.only.is_none_or(|only| only == pass)
    }

    fn before(&mut self, run: &Run, ir: &dyn Ir) {
        self.kept.push((run.name.to_string(), ir.text(), String::new()));
    }

    fn after(&mut self, run: &Run, ir: &dyn Ir, changed: bool) {
        let last = self.kept.last_mut().unwrap();
        last.2 = ir.text();
        assert_eq!((run.name, changed), (last.0.as_str(), last.1 != last.2));
    }

    fn took(&mut self, run: &Run, _: Duration) {
        self.timed.push(run.name.to_string());
    }
}

#[test]
fn an_observer_sees_each_pass_change_its_example() {
    for (pass, source) in PASSES.iter().zip(SOURCES) {
        let graph = crate::fuse(&import(&blocks(source, "mlir")[0])).unwrap();
        let target = target_of(pass.name);
        let mut options = Options::default();
        options.schedule.plain_loops = pass.name != "fuse_loop";
        let mut all = Texts::default();
        let planned = crate::plan_observed(&graph, &target, &options, &mut all).unwrap();
        let plain = crate::plan(&graph, &target, &options).unwrap();
        assert_eq!((planned.text(), &planned.fingerprints), (plain.text(), &plain.fingerprints), "{}", pass.name);
        let texts = &all.kept[all.kept.len() - PASSES.len()..];
        assert_eq!(texts.last().unwrap().2, plain.text(), "{}: the last leaves what is compiled", pass.name);
        for (pair, row) in texts.windows(2).zip(PASSES) {
            assert_eq!(
                (row.name, &pair[0].2),
                (pair[0].0.as_str(), &pair[1].1),
                "{PHASE}: what one leaves, the next finds"
            );
        }
        let own = texts.iter().find(|text| text.0 == pass.name).unwrap();
        assert_ne!(own.1, own.2, "{}: nothing seen of the example", pass.name);
        let mut only = Texts { only: Some(pass.name), ..Texts::default() };
        crate::plan_observed(&graph, &target, &options, &mut only).unwrap();
        assert_eq!((&only.kept[..], &only.timed), (std::slice::from_ref(own), &all.timed));
        assert!(!["run_at_load", "flags"].iter().any(|name| all.timed.contains(&name.to_string())), "{:?}", all.timed);
    }
}

//! Random programs through simplify, fuse, schedule and program, their plans interpreted, against the reference
//! evaluator.
//!
//! `FORNAX_FUZZ_COUNT` and `FORNAX_FUZZ_SEED` say how many programs are run and which is the first; see
//! `docs/extend/random-programs.md`. With `FORNAX_FUZZ_WRITE=DIR` the programs are not run but written there, with
//! inputs and what is expected (`tests/gpu/random_programs.py`).

mod compute;
mod control;
mod export;
mod faults;

mod generate;
#[path = "../machine/mod.rs"]
mod machine;
mod movement;
mod program;
mod random;
mod run;
mod shrink;
mod sized;

use run::Outcome;

/// Programs take turns.
const TARGETS: &[&str] = &["cpu:x86-64-v3", "cuda:sm_90a", "rocm:gfx90a", "cuda:sm_80", "cpu:x86-64-v4"];

fn target(seed: u64) -> &'static str {
    TARGETS[seed as usize % TARGETS.len()]
}

fn asked(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn report(seed: u64, target: &str, outcome: &Outcome) -> String {
    let program = generate::program(seed);
    let small = shrink::shrink(&program, seed, target, outcome);
    let why = run::check(&small, seed, target);
    let text = format!("// seed {seed} on {target}\n// {}\n{}", format!("{why:?}").replace("\\n", "\n// "), small.own);
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("differential");
    let file = folder.join(format!("seed-{seed}.mlir"));
    let written = std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&file, &text));
    let place = written.map_or_else(|e| e.to_string(), |()| file.display().to_string());
    format!("{place}\n{text}")
}

#[test]
fn random_programs_agree_with_the_reference() {
    let (first, count) = (asked("FORNAX_FUZZ_SEED", 1), asked("FORNAX_FUZZ_COUNT", 300));
    let mut failures = Vec::new();
    for seed in first..first + count {
        let target = target(seed);
        let text = generate::program(seed).text();
        let outcome = match export::asked() {
            Some(folder) => export::program(&folder, &text, seed),
            None => run::check(&text, seed, target),
        };
        if outcome != Outcome::Same {
            failures.push(report(seed, target, &outcome));
            println!("{}", failures[failures.len() - 1]);
        }
    }
    assert!(failures.is_empty(), "{} of {count} programs fail\n{}", failures.len(), failures.join("\n"));
}

/// One program, several sizes.
#[test]
fn random_programs_with_sizes_of_run_time_agree_with_the_reference() {
    let (first, count) = (asked("FORNAX_FUZZ_SEED", 1), asked("FORNAX_FUZZ_COUNT", 300) / 3);
    let (mut failures, mut refused) = (Vec::new(), 0);
    for seed in first..first + count {
        let Some(program) = sized::program(seed) else { continue };
        let target = target(seed);
        let outcome = match export::asked() {
            Some(folder) => export::sized_program(&folder, &program, seed),
            None => program.check(seed, target),
        };
        match outcome {
            Outcome::Same => {}
            Outcome::Refused(why) if why.contains("FX03") => refused += 1,
            other => {
                failures.push(format!("// seed {seed} on {target}\n// {other:?}\n{}", program.symbolic));
                println!("{}", failures[failures.len() - 1]);
            }
        }
    }
    assert!(failures.is_empty(), "{} of {count} programs fail\n{}", failures.len(), failures.join("\n"));
    assert!(refused * 4 <= count, "{refused} of {count} programs are refused");
}

/// A value that is stored, and read by nothing but the elements of a reduction.
#[test]
fn a_product_stored_beside_its_own_reduction() {
    let own = "func.func @main(%x: tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>) {
  %z = stablehlo.constant dense<1.0> : tensor<f32>
  %y = stablehlo.multiply %x, %x : tensor<5xf32>
  %b = stablehlo.broadcast_in_dim %y, dims = [1] : (tensor<5xf32>) -> tensor<8x5xf32>
  %r = stablehlo.reduce(%b init: %z) applies stablehlo.multiply across dimensions = [0] \
      : (tensor<8x5xf32>, tensor<f32>) -> tensor<5xf32>
  return %r, %y : tensor<5xf32>, tensor<5xf32>
}
";
    let text = program::Text { own: own.to_string(), all: own.to_string(), errors: vec![2e-5, 0.0] };
    for target in TARGETS {
        assert_eq!(run::check(&text, 7, target), Outcome::Same, "{target}");
    }
}

/// A row of the operand for every row of the updates, each with columns of its own (what `torch.scatter` becomes).
#[test]
fn a_scatter_whose_columns_differ_from_row_to_row() {
    let own = "func.func @main(%x: tensor<4x9xf32>, %i: tensor<4x3xi64>, %u: tensor<4x3xf32>) -> (tensor<4x9xf32>) {
  %0 = stablehlo.iota dim = 0 : tensor<4x3x1xi64>
  %1 = stablehlo.reshape %i : (tensor<4x3xi64>) -> tensor<4x3x1xi64>
  %2 = stablehlo.concatenate %0, %1, dim = 2 : (tensor<4x3x1xi64>, tensor<4x3x1xi64>) -> tensor<4x3x2xi64>
  %3 = \"stablehlo.scatter\"(%x, %2, %u) \
      <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], \
      scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 2>, unique_indices = false}> ({
   ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %r = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %r : tensor<f32>
   }) : (tensor<4x9xf32>, tensor<4x3x2xi64>, tensor<4x3xf32>) -> tensor<4x9xf32>
  return %3 : tensor<4x9xf32>
}
";
    let text = program::Text { own: own.to_string(), all: own.to_string(), errors: vec![0.0] };
    for seed in 1..20 {
        for target in TARGETS {
            assert_eq!(run::check(&text, seed, target), Outcome::Same, "{target}");
        }
    }
}

/// The first of equal elements is taken, however the window's loops could best walk through memory.
#[test]
fn equal_elements_of_a_transposed_operand() {
    let own = "func.func @main(%x: tensor<5x7x7xi32>, %s: tensor<4x5x4xi32>, %z: tensor<i32>) -> (tensor<7x7x5xi32>) {
  %0 = stablehlo.transpose %x, dims = [2, 1, 0] : (tensor<5x7x7xi32>) -> tensor<7x7x5xi32>
  %1 = stablehlo.sign %0 : tensor<7x7x5xi32>
  %2 = \"stablehlo.select_and_scatter\"(%1, %s, %z) \
      <{window_dimensions = array<i64: 1, 3, 2>, window_strides = array<i64: 2, 1, 1>}> ({
   ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %p = stablehlo.compare GE, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
   }, {
   ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %r = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %r : tensor<i32>
   }) : (tensor<7x7x5xi32>, tensor<4x5x4xi32>, tensor<i32>) -> tensor<7x7x5xi32>
  return %2 : tensor<7x7x5xi32>
}
";
    let text = program::Text { own: own.to_string(), all: own.to_string(), errors: vec![0.0] };
    for target in TARGETS {
        assert_eq!(run::check(&text, 59_114, target), Outcome::Same, "{target}");
    }
}

//! Which loops become one kernel, of how many problems.

use fornax_kernels::fused_loop::schedule::FusedLoopSchedule;
use fornax_module::program::Command;
use fornax_plan::FusedLoop;
use fornax_targets::Backend;

use crate::plan;
use crate::program::loop_text::{keep_rounds, rounds};
use crate::program::{Options, Planned};
use crate::simplify::simplify;

fn planned(text: &str, plain_loops: bool) -> Planned {
    let mut graph = fornax_import::import_text(text, "t.mlir", &Default::default()).unwrap();
    simplify(&mut graph, &Default::default()).unwrap();
    let target = fornax_targets::resolve(Backend::Cuda, "sm_80").unwrap().target;
    let mut options = Options::default();
    options.schedule.plain_loops = plain_loops;
    options.without = keep_rounds();
    plan(&crate::fuse::fuse(&graph).unwrap(), &target, &options).unwrap()
}

fn fused_loops(planned: &Planned) -> Vec<(&FusedLoop, u64)> {
    planned.kernels.iter().filter_map(|plan| Some((plan.body.fused_loop()?, plan.launch().0[0]))).collect()
}

fn loops(planned: &Planned) -> usize {
    let commands = planned.program.blocks.iter().flat_map(|block| &block.commands);
    commands.filter(|command| matches!(command, Command::Repeat { .. })).count()
}

fn cholesky(problems: i64) -> String {
    let ty = format!("tensor<{problems}x8x8xf32>");
    format!(
        "func.func @main(%a: {ty}) -> {ty} {{
           %0 = \"stablehlo.cholesky\"(%a) {{lower = true}} : ({ty}) -> {ty}
           return %0 : {ty}
         }}"
    )
}

#[test]
fn a_factorisation_is_one_kernel_of_its_problems() {
    for problems in [1, 3, 64] {
        let planned = planned(&cholesky(problems), false);
        assert_eq!(loops(&planned), 0);
        let found = fused_loops(&planned);
        assert_eq!(
            found.iter().map(|(fused, groups)| (fused.problems, *groups)).collect::<Vec<_>>(),
            [(problems, problems as u64)]
        );
    }
    let plain = self::planned(&cholesky(3), true);
    assert!(loops(&plain) == 1 && fused_loops(&plain).is_empty());
}

fn eigenvalues(columns: u64) -> String {
    let (a, w) = (format!("tensor<8x{columns}x{columns}xf32>"), format!("tensor<8x{columns}xf32>"));
    format!(
        "func.func @main(%a: {a}) -> ({a}, {w}) {{
           %0:3 = stablehlo.custom_call @lapack_ssyevd_ffi(%a) \
               {{mhlo.backend_config = {{mode = 86 : ui8, uplo = 76 : ui8}}}}
             : ({a}) -> ({a}, {w}, tensor<8xi32>)
           return %0#0, %0#1 : {a}, {w}
         }}"
    )
}

#[test]
fn threads_follow_from_registers_and_large_problems_stay_launches() {
    let of = |columns: u64| {
        let planned = planned(&eigenvalues(columns), false);
        let each = |plan: &fornax_plan::KernelPlan| {
            let threads = plan.schedule_as::<FusedLoopSchedule>()?.threads;
            Some((plan.body.fused_loop()?.problems, threads))
        };
        planned.kernels.iter().filter_map(each).collect::<Vec<_>>()
    };
    assert_eq!(of(32), [(8, 256)]);
    assert_eq!(of(64), [(8, 512)]);
    assert_eq!(of(128), []);
}

#[test]
fn rows_that_read_each_other_are_one_problem() {
    let apart = "%r = stablehlo.sine %y : tensor<6x40xf32>";
    let mixed = "%s = stablehlo.reverse %y, dims = [0] : tensor<6x40xf32>
                 %r = stablehlo.add %s, %y : tensor<6x40xf32>";
    let of = |body: &str| fused_loops(&planned(&rounds("tensor<6x40xf32>", body, false), false))[0].0.problems;
    assert!(of(apart) > 1);
    assert_eq!(of(mixed), 1);
}

#[test]
fn large_kernels_stay_launches() {
    let planned = planned(
        &rounds("tensor<2048x2048xf32>", "%r = stablehlo.reverse %y, dims = [0, 1] : tensor<2048x2048xf32>", false),
        false,
    );
    assert!(fused_loops(&planned).is_empty() && loops(&planned) == 1);
}

#[test]
fn what_nothing_launches_is_not_compiled() {
    let planned = planned(&cholesky(3), false);
    let launched = |at: u32| {
        let commands = planned.program.blocks.iter().flat_map(|block| &block.commands);
        commands.into_iter().any(|c| matches!(c, Command::Dispatch { kernel, .. } if *kernel == at))
    };
    assert!((0..planned.kernels.len() as u32).all(launched));
    assert_eq!(planned.kernels.len(), planned.program.kernels.len());
}

//! Several reductions of a row in one kernel: on this CPU against the interpreter, and through the GPU compilers.

use fornax_graph::ElementType;
use fornax_kernels::row::schedule::RowSchedule;
use fornax_plan::{KernelPlan, VarId};

use super::emit_plans::{Random, softmax};
use super::emit_run::{check, compile_for, compile_for_gpus, run};

use ElementType::{Bf16, F32};

fn cpu(vector: (VarId, u32), rows: u32) -> RowSchedule {
    RowSchedule {
        vector,
        threads: 1,
        chunks: 1,
        held: false,
        rows,
        adjacent: false,
        cluster: 1,
        ahead: 0,
        packed: false,
    }
}

fn gpu(vector: (VarId, u32), (threads, chunks, rows): (u32, u32, u32), held: bool) -> RowSchedule {
    RowSchedule { vector, threads, chunks, held, rows, adjacent: true, cluster: 1, ahead: 0, packed: false }
}

fn scheduled(plan: &KernelPlan, schedule: RowSchedule) -> KernelPlan {
    plan.with_schedule(schedule)
}

#[test]
fn rows_of_odd_lengths_on_the_cpu() {
    let mut random = Random(17);
    for element in [F32, Bf16] {
        for length in [7i64, 33, 64, 129] {
            let (plan, _, row) = softmax(element, (5, &[length]), true);
            let input = [random.small(element, 5 * length as usize)];
            for lanes in [1, 4, 32].into_iter().filter(|&n| i64::from(n) <= length) {
                for rows in [1, 3] {
                    check(&scheduled(&plan, cpu((row[0], lanes), rows)), "x86-64-v3", &input, 64.0);
                }
            }
        }
    }
}

/// Rows whose maximum the quick fold must leave to the exact one, or must not: NaN of both signs, infinities, zeros of
/// both signs.
#[test]
fn rows_of_nan_infinities_and_zeros_on_the_cpu() {
    const LENGTH: usize = 70;
    let negative_nan = f32::from_bits(0xFFC0_0001);
    let cases: [(&[f32], f32); 10] = [
        (&[3.0, f32::NAN, 5.0], f32::NAN),
        (&[negative_nan, 5.0], f32::NAN),
        (&[f32::NAN, f32::INFINITY], f32::NAN),
        (&[f32::INFINITY, f32::NEG_INFINITY], f32::INFINITY),
        (&[f32::NEG_INFINITY], f32::NEG_INFINITY),
        (&[f32::NEG_INFINITY, -3.0], -3.0),
        (&[-0.0], -0.0),
        (&[-0.0, 0.0, -1.0], 0.0),
        (&[f32::MAX, f32::MAX, -1.0], f32::MAX),
        (&[-1e-45, -2.0], -1e-45),
    ];
    let (plan, _, row) = softmax(F32, (10, &[LENGTH as i64]), true);
    let mut values = Vec::new();
    for (first, (special, _)) in cases.iter().enumerate() {
        // The rest of the row has the last value; the special ones lie in a different place of each row.
        let last = special[special.len() - 1];
        let mut line = vec![last; LENGTH];
        for (at, &value) in special.iter().enumerate() {
            line[(7 * first + 23 * at) % LENGTH] = value;
        }
        values.extend(line);
    }
    let input = [values.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>()];
    for lanes in [1, 8, 32, 64] {
        let plan = scheduled(&plan, cpu((row[0], lanes), 3));
        check(&plan, "x86-64-v3", &input, 64.0);
        let maxima = &run(&plan, "x86-64-v3", &input)[1];
        for ((special, want), got) in cases.iter().zip(maxima.chunks(4)) {
            let got = f32::from_le_bytes([got[0], got[1], got[2], got[3]]);
            let same = got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan();
            assert!(same, "{lanes} lanes: the largest of {special:?} is {want}, got {got}");
        }
    }
}

#[test]
fn columns_and_rows_of_two_variables_on_the_cpu() {
    let mut random = Random(19);
    for rows in [8i64, 13] {
        let (plan, kept, _) = softmax(F32, (rows, &[6, 7]), false);
        let input = [random.small(F32, 42 * rows as usize)];
        for lanes in [1, 8] {
            check(&scheduled(&plan, cpu((kept, lanes), 1)), "x86-64-v3", &input, 64.0);
        }
        let (plan, _, row) = softmax(F32, (rows, &[6, 7]), true);
        check(&scheduled(&plan, cpu((row[1], 4), 2)), "x86-64-v3", &input, 64.0);
    }
}

#[test]
fn held_rows_read_every_element_once() {
    let (plan, _, row) = softmax(F32, (9, &[1000]), true);
    let ptx = compile_for_gpus(&scheduled(&plan, gpu((row[0], 4), (32, 8, 8), true)));
    assert_eq!(ptx.matches("ld.global.nc.v4").count(), 8, "{ptx}");
    assert_eq!(ptx.matches("st.global.v4").count(), 8, "{ptx}");
    assert!(!ptx.contains("bar.sync"), "a subgroup needs no barrier: {ptx}");
    let wide = compile_for_gpus(&scheduled(&plan, gpu((row[0], 4), (256, 1, 1), true)));
    assert_eq!(wide.matches("ld.global.nc.v4").count(), 1, "{wide}");
    assert_eq!(wide.matches("bar.sync").count(), 2, "one for each reduction: {wide}");
}

#[test]
fn streamed_rows_and_columns_compile_for_gpus() {
    let (plan, _, row) = softmax(Bf16, (9, &[5003]), true);
    compile_for_gpus(&scheduled(&plan, gpu((row[0], 1), (128, 4, 2), false)));
    let (plan, kept, _) = softmax(F32, (96, &[6, 50]), false);
    for (shape, held) in [((16, 19, 8), true), ((64, 4, 4), false)] {
        compile_for_gpus(&scheduled(&plan, gpu((kept, 4), shape, held)));
    }
    // A device without lane exchange goes through shared memory alone.
    compile_for(&scheduled(&plan, gpu((kept, 4), (32, 10, 8), true)), fornax_targets::Backend::Cuda, "sm_60");
}

#[test]
fn schedules_that_cannot_run_are_refused() {
    let (plan, kept, row) = softmax(F32, (9, &[1000]), true);
    let target = fornax_targets::Target::from_spec("cuda:sm_80").unwrap();
    let bad = [
        gpu((row[0], 3), (32, 8, 8), true),
        gpu((row[0], 4), (32, 7, 8), true),
        gpu((row[0], 4), (48, 8, 8), true),
        gpu((row[0], 4), (1024, 1, 2), true),
        cpu((kept, 1), 1),
    ];
    for schedule in bad {
        let error = fornax_kernels::emit(&scheduled(&plan, schedule), "kernel", &target);
        assert_eq!(error.err().map(|e| e.code()), Some("FX0404"), "{schedule:?}");
    }
}

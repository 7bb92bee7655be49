//! Contractions on matrix instructions: every atom's kernel compiles for the architectures that have it, with its
//! instructions.

use fornax_graph::ElementType::{self, Bf16, F8E4M3FN, F8E5M2, F16, F32, F64, I8, I32, Ui8};
use fornax_kernels::gemm_mma::schedule::MmaSchedule;
use fornax_plan::Unscheduled;
use fornax_plan::{Body, KernelPlan, MatrixAtom, Precision, Store};
use fornax_targets::Backend;

use super::emit_plans::Maker;
use super::emit_run::compile_for;

/// [b, m, k]·[b, k, n], either operand transposed.
pub(crate) fn product(element: ElementType, shape: (i64, i64, i64, i64), transposed: [bool; 2]) -> KernelPlan {
    product_of([element; 2], shape, transposed)
}

/// The same of two element types.
pub(crate) fn product_of(
    elements: [ElementType; 2],
    (b, m, n, k): (i64, i64, i64, i64),
    transposed: [bool; 2],
) -> KernelPlan {
    let mut maker = Maker::default();
    let (batch, i, j, p) = (maker.var(b), maker.var(m), maker.var(n), maker.var(k));
    let (left, right) = (maker.input(elements[0], b * m * k), maker.input(elements[1], b * k * n));
    let accumulator = match elements[0] {
        F64 => F64,
        I8 | Ui8 => I32,
        _ => F32,
    };
    let output = maker.output(accumulator, b * m * n);
    let row_terms = if transposed[0] { [(p, m), (i, 1)] } else { [(i, k), (p, 1)] };
    let column_terms = if transposed[1] { [(j, k), (p, 1)] } else { [(p, n), (j, 1)] };
    let lhs = maker.load_at(left, &[(batch, m * k), row_terms[0], row_terms[1]]);
    let rhs = maker.load_at(right, &[(batch, k * n), column_terms[0], column_terms[1]]);
    let (lhs, rhs) = (maker.exprs.convert(accumulator, lhs), maker.exprs.convert(accumulator, rhs));
    let value = maker.reduced(0, accumulator);
    let offset = maker.at(&[(batch, m * n), (i, n), (j, 1)]);
    let stores = vec![Store { buffer: output, offset, value }];
    let precision = Precision::Ieee;
    let body = Body::Contraction { reduction: vec![p], lhs, rhs, accumulator, precision, stores };
    maker.plan(vec![batch, i, j], body, Unscheduled)
}

fn with(plan: &KernelPlan, atom: MatrixAtom, (rows, columns, steps): (u32, u32, u32)) -> KernelPlan {
    let schedule = MmaSchedule { atom, rows, columns, steps, down: 2, across: 2, stages: 3, group: 4, ahead: false };
    assert!(schedule.is_consistent(), "{schedule:?}");
    plan.with_schedule(schedule)
}

fn ptx(plan: &KernelPlan, target: &str) -> String {
    String::from_utf8_lossy(&compile_for(plan, Backend::Cuda, target)).into_owned()
}

#[test]
fn atoms_on_their_architectures() {
    let shape = (2, 130, 72, 67);
    let rows: &[(ElementType, MatrixAtom, u32, &str, &str)] = &[
        (F16, MatrixAtom::F16K16, 32, "sm_80", "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"),
        (F16, MatrixAtom::F16K8, 32, "sm_75", "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32"),
        (F16, MatrixAtom::F16K4, 32, "sm_70", "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32"),
        (F8E4M3FN, MatrixAtom::F8K32, 64, "sm_89", "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32"),
        (F8E5M2, MatrixAtom::F8K32, 64, "sm_120", "mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e5m2.f32"),
        (Bf16, MatrixAtom::Bf16K16, 32, "sm_86", "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32"),
        (F32, MatrixAtom::Tf32, 16, "sm_89", "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32"),
        (F32, MatrixAtom::Tf32x3, 16, "sm_80", "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32"),
        (F64, MatrixAtom::F64, 16, "sm_80", "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64"),
        (F64, MatrixAtom::F64K16, 16, "sm_90", "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64"),
        (I8, MatrixAtom::I8K32, 64, "sm_80", "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32"),
        (I8, MatrixAtom::I8K16, 64, "sm_75", "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32"),
    ];
    for &(element, atom, steps, target, instruction) in rows {
        for transposed in [[false, false], [true, true]] {
            let plan = with(&product(element, shape, transposed), atom, (64, 64, steps));
            let text = ptx(&plan, target);
            let short = instruction.split(".row").next().unwrap_or(instruction);
            assert!(text.contains(short), "{atom:?} on {target}: no {short}");
        }
    }
}

#[test]
fn aligned_operands_are_copied_asynchronously() {
    let plan = with(&product(Bf16, (1, 128, 128, 64), [false, false]), MatrixAtom::Bf16K16, (64, 64, 32));
    let text = ptx(&plan, "sm_80");
    assert!(
        text.contains("cp.async.cg.shared.global") && text.contains("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16")
    );
    // Rows of 67 elements of 2 bytes have no 4-byte pieces.
    let plan = with(&product(Bf16, (1, 128, 67, 67), [false, true]), MatrixAtom::Bf16K16, (64, 64, 32));
    assert!(!ptx(&plan, "sm_80").contains("cp.async.c"));
}

#[test]
fn schedules_that_do_not_fit_are_refused() {
    let plan = with(&product(Bf16, (1, 128, 128, 64), [false, false]), MatrixAtom::Bf16K16, (64, 64, 32));
    let target = super::target(Backend::Cuda, "sm_75");
    let refused = fornax_kernels::emit(&plan, "kernel", &target);
    assert!(refused.is_err_and(|e| e.to_string().contains("m16n8k16.bf16")));
}

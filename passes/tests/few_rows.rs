//! Few long rows: whatever is folded, kernels that read much have work for half of the units at least, and the numbers
//! are the reference's.

#[path = "few_rows/forms.rs"]
mod forms;
mod machine;

use std::collections::BTreeSet;

use fornax_module::program::{Command, SizeExpr};
use fornax_passes::Planned;
use fornax_reference::{Limits, Tensor, evaluate};
use fornax_targets::Target;

use forms::{FORMS, Form};
use machine::compare::{check_on, close, import, inputs, planned};

const GPUS: &[&str] = &["cuda:sm_90a", "cuda:sm_80", "rocm:gfx942", "rocm:gfx1100"];
/// Bytes that a kernel may read on any number of workgroups.
const BYTES_MAX: i64 = 1 << 20;

/// Kernels that fold, read more than that, and have workgroups for less than half of the units.
fn too_few(planned: &Planned, target: &Target) -> Vec<String> {
    let mut found = BTreeSet::new();
    for command in planned.program.blocks.iter().flat_map(|block| &block.commands) {
        let Command::Dispatch { kernel, grid, .. } = command else { continue };
        let plan = &planned.kernels[*kernel as usize];
        let folded: i64 = plan.body.reduction().iter().map(|&v| plan.exprs.indices.extent(v)).product();
        let read = plan.buffers.iter().filter(|b| b.access == fornax_plan::Access::Read);
        let bytes: i64 = read.map(|b| b.elements * b.element.storage_bytes() as i64).sum();
        let groups: u64 = grid
            .iter()
            .map(|&n| match planned.program.exprs[n as usize] {
                SizeExpr::Const(n) => n,
                _ => panic!("a grid that is not known"),
            })
            .product();
        if folded > 1 && bytes > BYTES_MAX && 2 * groups < u64::from(target.compute_units) {
            found.insert(format!("{groups} workgroups read {bytes} bytes: {}", plan.print()));
        }
    }
    found.into_iter().collect()
}

/// What has too few workgroups on some device.
fn few(form: &Form, (rows, length): (i64, i64), element: &str) -> Vec<String> {
    let mut found = Vec::new();
    let graph = import(&(form.text)(rows, length, element));
    for name in GPUS {
        let target = Target::from_spec(name).unwrap();
        let (_, planned) = planned(&graph, name);
        let few = too_few(&planned, &target).into_iter();
        found.extend(few.map(|few| format!("{} of [{rows}, {length}] {element} on {name}: {few}", form.name)));
    }
    found
}

fn none(found: &[String]) {
    assert!(found.is_empty(), "{} kernels:\n{}", found.len(), found.join("\n"));
}

#[test]
fn reductions_of_much_fill_half_of_the_units() {
    let mut found = Vec::new();
    for form in FORMS {
        for rows in [1, 2, 3, 7, 16, 63] {
            found.extend(few(form, (rows, (1 << 21) / rows / 64 * 64), "f32"));
            // A length that hardly divides.
            found.extend(few(form, (rows, (600_011 / rows) | 1), "f32"));
        }
        for element in ["bf16", "f16"] {
            found.extend(few(form, (3, 1 << 19), element));
            found.extend(few(form, (63, 10_007), element));
        }
    }
    none(&found);
}

/// Rows of a length that one kernel has until there are too few of them.
#[test]
fn shorter_rows_fill_half_of_the_units() {
    let sizes = [(20, 16_384), (40, 8192), (63, 5000), (100, 3000), (130, 4096)];
    let found = FORMS.iter().flat_map(|form| sizes.map(|size| few(form, size, "f32"))).flatten();
    none(&found.collect::<Vec<String>>());
}

#[test]
fn plans_give_the_numbers_of_the_reference() {
    for form in FORMS {
        let f32 = (form.text)(3, 100_003, "f32");
        check_on(form.name, &f32, "cpu:x86-64-v3");
        check_on(form.name, &f32, "cuda:sm_80");
        check_on(form.name, &(form.text)(40, 8192, "f32"), "rocm:gfx942");
        check_on(form.name, &(form.text)(1, 50_001, "bf16"), "cuda:sm_90a");
    }
}

/// The same bits in every run.
#[test]
fn texts_give_the_numbers_of_the_reference_and_the_same_bits_again() {
    let target = Target::from_spec("cuda:sm_80").unwrap();
    let short = FORMS.iter().map(|form| (form, (1, 27_001)));
    let long =
        FORMS.iter().filter(|form| ["softmax", "layer norm"].contains(&form.name)).map(|form| (form, (33, 8009)));
    for (form, (rows, length)) in short.chain(long) {
        let graph = import(&(form.text)(rows, length, "f32"));
        let inputs = inputs(&graph);
        let want =
            evaluate(&graph, "main", &inputs, &Limits::default()).unwrap_or_else(|e| panic!("{}: {e}", form.name));
        let (fused, planned) = planned(&graph, "cuda:sm_80");
        let run = || machine::run_on(&fused, &planned, Some(&target), "main", (&inputs, &[]));
        let got = run();
        assert_eq!(got, run(), "{}", form.name);
        for (n, (bytes, want)) in got.into_iter().zip(&want).enumerate() {
            let got = Tensor::new(want.ty.clone(), bytes).unwrap();
            close(&got, want, &format!("{}, result {n}", form.name));
        }
    }
}

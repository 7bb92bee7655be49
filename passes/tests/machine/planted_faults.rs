//! Mistakes planted into emitted kernels: the emulator must notice each, by a fault or by other results.

use fornax_emit::blocks::tile_schedule::TileSchedule;
use fornax_kernels::gemm_mma::schedule::MmaSchedule;
use fornax_kernels::gemm_wgmma::schedule::WgmmaSchedule;
use fornax_kernels::gemv::schedule::GemvSchedule;
use fornax_kernels::row::schedule::RowSchedule;
use fornax_kernels::sort::schedule::SortSchedule;
use fornax_passes::program::candidates::candidates;
use fornax_plan::{Access, KernelPlan};
use fornax_targets::Target;

use super::emulated_blocks::{Kind, one};
use super::emulated_models::product;
use super::{import, machine, main_function, planned};
use machine::emulated::{run_text, text};

/// A kernel with its text and buffers.
struct Sample {
    name: &'static str,
    plan: KernelPlan,
    text: String,
    buffers: Vec<Vec<u8>>,
    results: Vec<Vec<u8>>,
}

/// Small numbers of the buffer's element type, in the same order every time.
fn filled(plan: &KernelPlan) -> Vec<Vec<u8>> {
    let mut state = 88172645463325252u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state >> 40
    };
    let fill = |b: &fornax_plan::Buffer| -> Vec<u8> {
        let size = b.element.storage_bytes();
        (0..b.elements)
            .flat_map(|_| {
                let x = (next() % 33) as f32 / 8.0 - 2.0;
                let bits = match b.element {
                    fornax_graph::ElementType::F32 => u64::from(x.to_bits()),
                    fornax_graph::ElementType::Bf16 => u64::from(x.to_bits() >> 16),
                    _ => next() % 50,
                };
                bits.to_le_bytes()[..size].to_vec()
            })
            .collect()
    };
    plan.buffers.iter().map(fill).collect()
}

fn sample(name: &'static str, plan: &KernelPlan, device: &str) -> Sample {
    let text = text(plan, &Target::from_spec(device).unwrap());
    let buffers = filled(plan);
    let mut results = buffers.clone();
    run_text(plan, &text, &mut results).unwrap_or_else(|e| panic!("{name}: {e}"));
    Sample { name, plan: plan.clone(), text, buffers, results }
}

impl Sample {
    /// Whether a changed text fails or gives other results.
    fn notices(&self, changed: &str) -> bool {
        assert_ne!(changed, self.text, "{}: nothing was changed", self.name);
        let mut bytes = self.buffers.clone();
        let outcome = run_text(&self.plan, changed, &mut bytes);
        let outputs = self.plan.buffers.iter().enumerate().filter(|(_, b)| b.access != Access::Read);
        outcome.is_err() || outputs.into_iter().any(|(at, _)| bytes[at] != self.results[at])
    }

    /// Each line that contains a text, changed on its own; the numbers of those whose change was not noticed.
    fn unnoticed(&self, needle: &str, replacement: &str) -> Vec<usize> {
        let lines: Vec<&str> = self.text.lines().collect();
        let hits: Vec<usize> = (0..lines.len()).filter(|&at| lines[at].contains(needle)).collect();
        assert!(!hits.is_empty(), "{}: no {needle}", self.name);
        let changed = |at: usize| {
            let line = lines[at].replace(needle, replacement);
            let all: Vec<&str> =
                lines.iter().enumerate().map(|(n, l)| if n == at { line.as_str() } else { l }).collect();
            all.join("\n")
        };
        hits.into_iter().filter(|&at| !self.notices(&changed(at))).map(|at| at + 1).collect()
    }
}

/// The first kernel of a model that is of a kind.
fn kernel(text: &str, device: &str, kind: fn(&KernelPlan) -> bool) -> KernelPlan {
    let (_, planned) = planned(&import(text), device);
    planned.kernels.into_iter().find(kind).expect("a kernel of the kind")
}

/// The first way of a product that is of a kind.
fn way(text: &str, device: &str, kind: fn(&KernelPlan) -> bool) -> KernelPlan {
    let (fused, _) = planned(&import(text), device);
    let target = Target::from_spec(device).unwrap();
    let (planned, _) = candidates(&fused, &target, &Default::default()).unwrap();
    planned.kernels.into_iter().find(kind).expect("a way of the kind")
}

fn row_model(rows: u64, columns: u64) -> String {
    let (t, out) = (format!("tensor<{rows}x{columns}xf32>"), format!("tensor<{rows}xf32>"));
    main_function(
        &format!("%x: {t}) -> {t}"),
        &format!(
            "%z = stablehlo.constant dense<0.0> : tensor<f32>
             %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] \
                 : ({t}, tensor<f32>) -> {out}
             %1 = stablehlo.broadcast_in_dim %0, dims = [0] : ({out}) -> {t}
             %2 = stablehlo.subtract %x, %1 : {t}
             return %2 : {t}"
        ),
    )
}

fn sort_model(columns: u64) -> String {
    let t = format!("tensor<2x{columns}xf32>");
    main_function(
        &format!("%x: {t}) -> {t}"),
        &format!(
            "%0 = \"stablehlo.sort\"(%x) <{{dimension = 1 : i64, is_stable = true}}> ({{
             ^bb0(%a: tensor<f32>, %b: tensor<f32>):
               %p = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
               stablehlo.return %p : tensor<i1>
             }}) : ({t}) -> {t}
             return %0 : {t}"
        ),
    )
}

#[test]
fn dropped_barriers_are_noticed() {
    let samples = [
        sample(
            "row",
            &kernel(&row_model(3, 5001), "cuda:sm_80", |k| k.schedule_as::<RowSchedule>().is_some()),
            "cuda:sm_80",
        ),
        sample(
            "sort",
            &kernel(&sort_model(999), "cuda:sm_80", |k| k.schedule_as::<SortSchedule>().is_some()),
            "cuda:sm_80",
        ),
        sample(
            "gemv",
            &kernel(&product("bf16", (1, 129, 2049), true, "bf16"), "cuda:sm_80", |k| {
                k.schedule_as::<GemvSchedule>().is_some()
            }),
            "cuda:sm_80",
        ),
        sample(
            "tile",
            &kernel(&product("f32", (64, 128, 48), false, "f32"), "cuda:sm_60", |k| {
                k.schedule_as::<TileSchedule>().is_some()
            }),
            "cuda:sm_60",
        ),
    ];
    for sample in &samples {
        if !sample.text.contains("nvvm.barrier0") {
            eprintln!("{}: no barrier", sample.name);
            continue;
        }
        let unnoticed = sample.unnoticed("nvvm.barrier0", "nvvm.fence.sc.cluster");
        assert_eq!(
            unnoticed,
            Vec::<usize>::new(),
            "{}: lines of barriers that nothing needs\n{}",
            sample.name,
            sample.text
        );
    }
}

/// Plants each fault everywhere it can be, one place at a time.
fn plant(sample: &Sample, faults: &[(&str, &str, &str)]) {
    for (what, needle, replacement) in faults {
        let unnoticed = sample.unnoticed(needle, replacement);
        assert!(unnoticed.is_empty(), "{}: {what} in lines {unnoticed:?}\n{}", sample.name, sample.text);
    }
}

#[test]
fn faults_in_matrix_kernels_are_noticed() {
    // More blocks than stages, so that the ring goes round; results leave through the stage that is read last in some.
    let lengths = [648, 776, 904, 1032, 1160].map(|k| {
        let text = product("bf16", (40, 72, k), false, "bf16");
        sample("matrix", &way(&text, "cuda:sm_80", |k| k.schedule_as::<MmaSchedule>().is_some()), "cuda:sm_80")
    });
    let barriers = lengths.iter().map(|s| s.unnoticed("nvvm.barrier0", "nvvm.membar.gl").len());
    assert_eq!(barriers.min(), Some(0), "no barrier");
    let [sample, ..] = lengths;
    let faults = [
        ("the other layout", "mma_layout<col>, shape = #nvvm.ld_st", "mma_layout<row>, shape = #nvvm.ld_st"),
        ("another swizzle", "arith.xori", "arith.ori"),
        ("a shorter product", "k = 16", "k = 8"),
        ("a smaller copy", ", 16, cache = cg", ", 8, cache = ca"),
    ];
    plant(&sample, &faults);
    // The wait before the results is for copies that the loop has waited for.
    assert!(sample.unnoticed("nvvm.cp.async.wait.group", "nvvm.membar.gl //").len() <= 1, "no wait");
    assert!(sample.notices(&sample.text.replace("arith.cmpi ult", "arith.cmpi ule")), "bounds one too far");
}

/// Faults of kernels with bulk copies and warpgroup multiplies.
const WARPGROUP_FAULTS: &[(&str, &str, &str)] = &[
    ("no fence of barriers", "nvvm.fence.mbarrier.init", "nvvm.membar.gl"),
    ("no fence of registers", "nvvm.wgmma.fence.aligned", "nvvm.membar.gl"),
    ("no group", "nvvm.wgmma.commit.group.sync.aligned", "nvvm.membar.gl"),
    ("a wait for less", "nvvm.wgmma.wait.group.sync.aligned 1", "nvvm.wgmma.wait.group.sync.aligned 2"),
    ("an accumulator read early", "wgmma.wait_group.sync.aligned 0;", "wgmma.wait_group.sync.aligned 1;"),
    ("another phase", "[$0], $1;", "[$0], 0;"),
    ("another phase", "[$0], $1;", "[$0], 1;"),
    ("no box", "nvvm.cp.async.bulk.tensor.shared.cluster.global", "nvvm.membar.gl //"),
];

#[test]
fn faults_in_warpgroup_kernels_are_noticed() {
    let text = product("bf16", (136, 264, 1032), false, "bf16");
    let staged = way(&text, "cuda:sm_90a", |k| {
        k.schedule_as::<WgmmaSchedule>().is_some_and(|s| s.staged.is_some() && s.split == 1)
    });
    let sample = sample("wgmma", &staged, "cuda:sm_90a");
    plant(&sample, WARPGROUP_FAULTS);
    // In one tile nothing waits to be told that the last stage or the staging is free.
    assert!(sample.unnoticed("= nvvm.mbarrier.arrive ", "= arith.constant 0 : i64 //").len() <= 1, "no arrival");
    plant(
        &sample,
        &[
            ("no proxy fence", "nvvm.fence.proxy", "nvvm.membar.gl //"),
            ("no barrier", "nvvm.barrier0", "nvvm.membar.gl"),
        ],
    );
    assert!(sample.unnoticed("nvvm.barrier id", "nvvm.membar.gl //").len() <= 1, "no named barrier");
    // A cluster of two that shares a tile, with more blocks each than stages.
    let text = product("bf16", (72, 136, 2056), false, "bf16");
    let shared = way(&text, "cuda:sm_90a", |k| k.schedule_as::<WgmmaSchedule>().is_some_and(|s| s.split == 2));
    let sample = self::sample("cluster", &shared, "cuda:sm_90a");
    plant(&sample, WARPGROUP_FAULTS);
}

#[test]
fn faults_in_weights_on_their_way_are_noticed() {
    // More blocks than stages and parts of eight, so that both rings go round.
    let text = one(Kind::Nibbles, "bf16", [40, 128, 6144]);
    let plan = way(&text, "cuda:sm_90a", |k| {
        k.schedule_as::<WgmmaSchedule>()
            .is_some_and(|s| s.expands() && 96 / s.split > s.asking.together * s.asking.parts)
    });
    let sample = sample("weights in blocks", &plan, "cuda:sm_90a");
    plant(
        &sample,
        &[
            ("no proxy fence", "nvvm.fence.proxy", "nvvm.membar.gl //"),
            ("no fence of barriers", "nvvm.fence.mbarrier.init", "nvvm.membar.gl"),
            ("another phase", "[$0], $1;", "[$0], 0;"),
            ("another phase", "[$0], $1;", "[$0], 1;"),
            ("no box", "nvvm.cp.async.bulk.tensor.shared.cluster.global", "nvvm.membar.gl //"),
        ],
    );
}

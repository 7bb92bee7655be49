//! Emitted GPU kernels run in the emulator and compared with the plan interpreter. Nothing here links LLVM.

#[path = "kernels/attention.rs"]
mod attention;
#[path = "../../../../crates/backend/tests/llvm/emit_plans.rs"]
mod emit_plans;
#[path = "kernels/fused_loops.rs"]
mod fused_loops;
#[path = "kernels/gemv.rs"]
mod gemv;
#[path = "kernels/loops.rs"]
mod loops;
#[path = "kernels/matrix.rs"]
mod matrix;
#[path = "kernels/ordered.rs"]
mod ordered;
#[path = "../../../../crates/backend/tests/llvm/ordered_plans.rs"]
mod ordered_plans;
#[path = "kernels/rounded.rs"]
mod rounded;
#[path = "kernels/rows.rs"]
mod rows;
#[path = "kernels/run.rs"]
mod run;
#[path = "kernels/samples.rs"]
mod samples;
#[path = "kernels/six_bits.rs"]
mod six_bits;
#[path = "kernels/tiles.rs"]
mod tiles;
#[path = "../../../../crates/backend/tests/llvm/update_plans.rs"]
mod update_plans;
#[path = "kernels/updates.rs"]
mod updates;
#[path = "kernels/warpgroups.rs"]
mod warpgroups;

//! Kernels that start before those that they depend on are over: the wait, and who lets others start.
//!
//! Input: a plan on a target with `griddepcontrol`. Output: the kernel's wait for the kernels before it, and behind it
//! the trigger that lets those after it start (programmatic dependent launch). The hardware starts them once every
//! workgroup has given the trigger or is over; they wait in turn.

use fornax_plan::{Body, KernelPlan};
use fornax_targets::{Feature, Target};

use crate::emitter::Emitter;
use crate::errors::EmitError;
use crate::text::{Scalar, Ty, Value};

/// Alignment of the buffers that a launch gives, bytes.
const ARGUMENT_ALIGNMENT: i64 = 16;

/// Workgroups for each multiprocessor from which on a loop lets nobody start: those that were seen to cost have 8 and
/// 16, those of 2 gain; nothing between was tried but 4.
const LONG: u64 = 4;

/// Whether kernels that depend on this one start before it is over.
///
/// Those that start are on a multiprocessor as soon as it has room, and hold it. Behind long loops this costs more than
/// the start. One H100, us of a call, one after another, all let others start, with this rule: a U-Net level in tf32,
/// which normalises by loops of 1024 and 2048 workgroups before each convolution, 258, 285, 260; EfficientNet-B0 329,
/// 290, 290; MobileNetV2 152, 130, 130. Where no long kernel but products by warps let others start, MobileNetV2 took
/// 136; where no loop did, EfficientNet-B0 294; where none did at all ConvNeXt-T 421 for 401.
pub(crate) fn lets_start(plan: &KernelPlan, target: &Target) -> bool {
    let groups = plan.launch().0.iter().fold(1, |all: u64, &n| all.saturating_mul(n));
    !matches!(plan.body, Body::Loop { .. }) || groups < LONG * u64::from(target.compute_units)
}

impl Emitter<'_> {
    /// What is read from here to the wait ([`Emitter::await_earlier`]) stays before it. Loads of what nobody writes
    /// (`ld.global.nc`) do not: to ptxas they may be done at any time, and it moves the wait up to the first
    /// instruction (12.9, and the driver's 13.0). So these are plain loads, by pointers of which nothing is known.
    ///
    /// Source: one H200, a step of Llama 3.2 1B 0.760 ms -> 0.734, 8 of 3.1 8B's layers in bf16 1.148 -> 1.123, E4M3
    /// 0.831 -> 0.814, Q4_0 0.573 -> 0.554, Q4_K 0.637 -> 0.611.
    pub fn begin_early(&mut self) {
        if self.target.has(Feature::DependentLaunch) {
            self.is_waiting = true;
            self.know_buffers_here();
        }
    }

    fn know_buffers_here(&mut self) {
        let given = self.given.clone();
        self.buffers = given.into_iter().map(|pointer| self.known_here(pointer)).collect();
    }

    /// Waits until the kernels that this one depends on are over, and lets those that depend on it start, if it lets
    /// any. Nothing that another kernel writes is read before, and nothing is written.
    ///
    /// A kernel that is led then does its lead.
    ///
    /// # Errors
    /// Those of the lead.
    pub fn await_earlier(&mut self) -> Result<(), EmitError> {
        if !self.target.has(Feature::DependentLaunch) {
            return Ok(());
        }
        // The order matters: the other way round kernels pile up on multiprocessors that this one needs.
        let trigger = if self.lets_start { "\\0Agriddepcontrol.launch_dependents;" } else { "" };
        self.code.line(&format!(
            "llvm.inline_asm has_side_effects asm_dialect = att \
             \"griddepcontrol.wait;{trigger}\", \"~{{memory}}\" : () -> ()",
        ));
        self.is_waiting = false;
        self.know_buffers_here();
        self.write_lead(Self::known_here)
    }

    /// A pointer of the launch that is known behind the wait only: loads that promise not to be aliased do not move
    /// before it. (A zero added to it instead gave loops other addresses: GPT-2 in tf32 707 us -> 796.)
    fn known_here(&mut self, pointer: Value) -> Value {
        let ty = pointer.ty;
        if ty.is_shared() {
            return pointer;
        }
        let always = self.code.bits(Ty::scalar(Scalar::I1), 1);
        let bytes = self.code.int(Ty::scalar(Scalar::I64), ARGUMENT_ALIGNMENT);
        let text =
            format!("llvm.inline_asm has_side_effects asm_dialect = att \"\", \"=l,0\" {pointer} : ({ty}) -> {ty}");
        let pointer = self.code.effect(ty, &text);
        self.code.line(&format!("llvm.intr.assume {always} [\"align\"({pointer}, {bytes} : {ty}, i64)] : i1"));
        pointer
    }
}

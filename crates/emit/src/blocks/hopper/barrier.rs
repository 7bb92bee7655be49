//! Barriers in shared memory (`mbarrier`) that asynchronous copies complete on, the ring of stages they guard, and the
//! named barriers of a warpgroup.
//!
//! A ring has two barriers a stage. `full`: one arrival, the producer's, which also announces how many bytes the copies
//! will bring; it turns when they are there. `empty`: one arrival a consumer warp; it turns when all have read the
//! stage. Either side waits for the *parity* of the turn it needs; a producer's first round waits for the parity before
//! the first turn, which a fresh barrier reports as done.
//!
//! Worked example, 4 stages: the producer's steps 0…3 wait on `empty` with parity 1 (done at once), steps 4…7 with
//! parity 0; the consumers' steps 0…3 wait on `full` with parity 0, steps 4…7 with parity 1.

use crate::text::{Code, Scalar, Ty, Value};

const I32: Ty = Ty::scalar(Scalar::I32);
/// Bytes of one barrier.
pub const BARRIER_BYTES: i64 = 8;

/// The assembly that waits until the barrier whose address is operand `address` has turned past the parity in operand
/// `parity`; what the turn's copies and arrivals wrote is visible after.
pub fn wait_text(address: usize, parity: usize) -> String {
    format!(
        "{{\\0A.reg .pred P1;\\0ALAB_WAIT:\\0A\
         mbarrier.try_wait.parity.shared::cta.b64 P1, [${address}], ${parity};\\0A\
         @P1 bra DONE;\\0Abra LAB_WAIT;\\0ADONE:\\0A}}"
    )
}

/// Makes a barrier that turns after `arrivals` arrivals.
pub fn initialise(code: &mut Code, barrier: Value, arrivals: u32) {
    let arrivals = code.int(I32, i64::from(arrivals));
    code.line(&format!("nvvm.mbarrier.init {barrier}, {arrivals} : !llvm.ptr<3>, i32"));
}

/// Makes initialised barriers visible to the copy engine and to the other workgroups of a cluster.
pub fn fence_initialised(code: &mut Code) {
    code.line("nvvm.fence.mbarrier.init");
}

/// One arrival.
pub fn arrive(code: &mut Code, barrier: Value) {
    let token = code.fresh(Ty::scalar(Scalar::I64));
    code.line(&format!("{token} = nvvm.mbarrier.arrive {barrier} : !llvm.ptr<3> -> i64"));
}

/// One arrival of each thread, once all copies (`cp.async`) that it started have come.
pub fn arrive_copied(code: &mut Code, barrier: Value) {
    code.line(&format!("nvvm.cp.async.mbarrier.arrive {barrier} {{noinc = true}} : !llvm.ptr<3>"));
}

/// One arrival, announcing the bytes that copies will bring before the barrier turns.
pub fn arrive_expecting(code: &mut Code, barrier: Value, bytes: i64) {
    let bytes = code.int(I32, bytes);
    code.line(&format!("nvvm.mbarrier.arrive.expect_tx {barrier}, {bytes} : !llvm.ptr<3>, i32"));
}

/// One arrival at the barrier at the same place of another workgroup of the cluster. (Without a scope of cluster, which
/// would put a device-wide fence into every step.)
pub fn arrive_remote(code: &mut Code, barrier: Value, rank: Value) {
    let there =
        code.pure(Ty::scalar(Scalar::Ptr(7)), format!("nvvm.mapa {barrier}, {rank} : !llvm.ptr<3> -> !llvm.ptr<7>"));
    code.line(&format!("nvvm.mbarrier.arrive {there} : !llvm.ptr<7>"));
}

/// Waits for the turn of `parity` (i32, 0 or 1).
pub fn wait(code: &mut Code, barrier: Value, parity: Value) {
    let address = shared_address(code, barrier);
    code.line(&format!(
        "llvm.inline_asm has_side_effects asm_dialect = att \"{}\", \"r,r,~{{memory}}\" {address}, {parity} \
         : (i32, i32) -> ()",
        wait_text(0, 1)
    ));
}

/// A pointer into shared memory as the 32-bit address that instructions take.
pub fn shared_address(code: &mut Code, pointer: Value) -> Value {
    let wide = code.pure(Ty::scalar(Scalar::I64), format!("llvm.ptrtoint {pointer} : !llvm.ptr<3> to i64"));
    code.resize_u(wide, Scalar::I32)
}

/// `threads` threads meet at named barrier `id` (0 is the whole workgroup's); shared memory written before is visible
/// after.
pub fn meet(code: &mut Code, id: Value, threads: u32) {
    let threads = code.int(I32, i64::from(threads));
    code.line(&format!("nvvm.barrier id = {id} number_of_threads = {threads}"));
}

/// The lanes of a warp meet: what each read before is free after.
pub fn meet_warp(code: &mut Code) {
    let all = code.int(I32, -1);
    code.line(&format!("nvvm.bar.warp.sync {all} : i32"));
}

/// Comes to a meeting of `threads` threads at named barrier `id` without waiting for the others.
pub fn come(code: &mut Code, id: Value, threads: u32) {
    code.line(&format!(
        "llvm.inline_asm has_side_effects asm_dialect = att \"bar.arrive $0, {threads};\", \"r,~{{memory}}\" {id} \
         : (i32) -> ()"
    ));
}

/// All workgroups of the cluster meet; what they wrote to shared memory before is visible to the others after.
pub fn meet_cluster(code: &mut Code) {
    code.line("nvvm.cluster.arrive {aligned}");
    code.line("nvvm.cluster.wait {aligned}");
}

/// The last meeting of a cluster: nobody's shared memory goes before all have read what they want of it. What was read
/// must have been used by then, in a store say; nothing written is waited for.
pub fn part_cluster(code: &mut Code) {
    code.line("nvvm.cluster.arrive.relaxed {aligned}");
    code.line("nvvm.cluster.wait {aligned}");
}

/// Two barriers a stage at fixed places in shared memory: all `full` ones, then all `empty` ones.
#[derive(Clone, Copy, Debug)]
pub struct Ring {
    /// Start of the workgroup's shared memory.
    pub shared: Value,
    /// Bytes from there to the first barrier.
    pub at: i64,
    pub stages: u32,
}

/// A stage and the parity of its present round, both i32.
#[derive(Clone, Copy, Debug)]
pub struct Cursor {
    pub stage: Value,
    pub parity: Value,
}

impl Cursor {
    pub fn first(code: &mut Code) -> Cursor {
        let zero = code.int(I32, 0);
        Cursor { stage: zero, parity: zero }
    }

    pub fn values(self) -> [Value; 2] {
        [self.stage, self.parity]
    }

    /// From two loop-carried values.
    pub fn of(values: &[Value]) -> Option<Cursor> {
        match values {
            [stage, parity, ..] => Some(Cursor { stage: *stage, parity: *parity }),
            _ => None,
        }
    }
}

impl Ring {
    /// Bytes of the barriers of a ring.
    pub fn bytes(stages: u32) -> i64 {
        2 * i64::from(stages) * BARRIER_BYTES
    }

    /// Initialises all barriers; one thread does it, and all meet before they use them.
    pub fn initialise(&self, code: &mut Code, full_arrivals: u32, empty_arrivals: u32) {
        for stage in 0..self.stages {
            let stage = code.int(I32, i64::from(stage));
            let (full, empty) = (self.full(code, stage), self.empty(code, stage));
            initialise(code, full, full_arrivals);
            initialise(code, empty, empty_arrivals);
        }
    }

    pub fn full(&self, code: &mut Code, stage: Value) -> Value {
        self.barrier(code, stage, self.at)
    }

    pub fn empty(&self, code: &mut Code, stage: Value) -> Value {
        self.barrier(code, stage, self.at + i64::from(self.stages) * BARRIER_BYTES)
    }

    fn barrier(&self, code: &mut Code, stage: Value, at: i64) -> Value {
        let bytes = code.int_k("arith.muli", stage, BARRIER_BYTES);
        let bytes = code.add_ik(bytes, at);
        code.byte_offset(self.shared, bytes)
    }

    /// The next stage; the parity turns when the ring starts again.
    pub fn advance(&self, code: &mut Code, cursor: Cursor) -> Cursor {
        let next = code.add_ik(cursor.stage, 1);
        let around = code.cmp_ik("eq", next, i64::from(self.stages));
        let zero = code.int(I32, 0);
        let stage = code.select(around, zero, next);
        let turn = code.resize_u(around, Scalar::I32);
        Cursor { stage, parity: code.xor(cursor.parity, turn) }
    }

    /// The stage behind so many rounds of stages, and its parity.
    ///
    /// Worked example, 8 stages: behind 29 it is stage 5, for the fourth time: parity 1.
    pub fn at(&self, code: &mut Code, count: Value) -> Cursor {
        let stages = i64::from(self.stages);
        let turns = code.int_k("arith.divui", count, stages);
        Cursor { stage: code.int_k("arith.remui", count, stages), parity: code.and_k(turns, 1) }
    }

    /// Producer: waits until the stage may be overwritten.
    pub fn wait_empty(&self, code: &mut Code, cursor: Cursor) {
        let barrier = self.empty(code, cursor.stage);
        let parity = code.int_k("arith.xori", cursor.parity, 1);
        wait(code, barrier, parity);
    }

    /// Consumer: waits until the stage's bytes are there.
    pub fn wait_full(&self, code: &mut Code, cursor: Cursor) {
        let barrier = self.full(code, cursor.stage);
        wait(code, barrier, cursor.parity);
    }

    /// Consumer: this thread has done with a stage (one arrival; usually one lane a warp does it).
    pub fn release(&self, code: &mut Code, stage: Value) {
        let barrier = self.empty(code, stage);
        arrive(code, barrier);
    }
}

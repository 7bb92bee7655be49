//! The end of a GEMV: partial sums meet in shared memory, every output is added up in a fixed order and
//! stored.
//!
//! Input: the partial sums that threads hold, and their places. In a workgroup: written to shared memory
//! `[parts][sums][short outputs][long outputs]`, added up part by part by one thread an output; several sums by one
//! thread each, and what is made of them by one thread an output. Workgroups of a cluster that share outputs send that
//! sum to the shared memory of the output's owner (an even share of the outputs each), which adds the workgroups' sums
//! in the order of their ranks: one meeting of the cluster, and no second kernel. Another meeting, that all have
//! started, is arrived at first thing and waited for only here.
//!
//! Worked example: [1, 4096]·[4096, 6144] by clusters of 4, 64 columns a workgroup: each workgroup adds up 64 partial
//! results, sends 16 to each of the four, and stores the 16 that it owns.

use fornax_plan::Binary;

use super::emit::{Bound, Gemv};
use fornax_emit::emitter::Emitter;
use fornax_emit::errors::EmitError;
use fornax_emit::text::{Scalar, Ty, Value};

/// Output rounds of a thread that are written one after another; more become a loop.
const ROUNDS_UNROLLED: u64 = 4;
const I32: Ty = Ty::scalar(Scalar::I32);

/// A partial sum and its place in shared memory: a value and a constant.
pub(super) struct Entry {
    pub base: Value,
    pub offset: i64,
    pub value: Value,
}

/// Partial sums in shared memory.
pub(super) struct Kept {
    /// Partial sums of an output.
    pub parts: i64,
    /// Elements from one sum of an output to the next.
    pub stride: i64,
    /// `[parts][sums][stride]`, once there is one.
    pub array: Option<Value>,
    /// The thread's output, where its epilogue's loads are under way.
    pub ahead: Option<Bound>,
}

/// What is done with each of a number of outputs.
type Each<'f> = &'f dyn Fn(&mut Emitter<'_>, Value) -> Result<(), EmitError>;

/// Takes the rank in a cluster from a workgroup's number, and says that this workgroup has started.
pub(super) fn join_cluster(e: &mut Emitter<'_>, cluster: u32, group: &mut Value) -> Value {
    e.abi.attribute(&format!("nvvm.cluster_dim = array<i32: {cluster}, 1, 1>"));
    e.code.line("nvvm.cluster.arrive {aligned}");
    let rank = e.next_digit(group, i64::from(cluster));
    e.code.resize_u(rank, Scalar::I32)
}

impl Gemv<'_> {
    /// Outputs of a workgroup, and those that each workgroup of a cluster stores (0 without).
    fn shares(&self) -> (i64, i64) {
        let outputs = self.rows * self.schedule.width() as i64;
        let cluster = i64::from(self.schedule.cluster);
        (outputs, if cluster > 1 { (outputs as u64).div_ceil(cluster as u64) as i64 } else { 0 })
    }

    /// Elements from one partial sum of all outputs to the next.
    fn whole(&self, kept: &Kept) -> i64 {
        self.stages.places.len() as i64 * kept.stride
    }

    /// Has shared memory for partial sums.
    pub(super) fn reserve(&self, e: &mut Emitter<'_>, kept: &mut Kept) -> Result<Value, EmitError> {
        let scalar = e.register_scalar(self.element)?;
        let elements = kept.parts * self.whole(kept);
        let bytes = (elements + i64::from(self.schedule.cluster) * self.shares().1) * i64::from(scalar.bits() / 8);
        if bytes > i64::from(e.target.static_shared_bytes_max) {
            return Err(e.unfit(format!("{bytes} bytes of shared memory")));
        }
        let array = match kept.array {
            Some(array) => array,
            None => e.abi.shared_array(&mut e.code, scalar, elements as u64),
        };
        kept.array = Some(array);
        Ok(array)
    }

    /// Writes partial sums to shared memory, by all threads or those that `writes` says.
    pub(super) fn keep(
        &self,
        e: &mut Emitter<'_>,
        kept: &mut Kept,
        (entries, writes): (&[Entry], Option<Value>),
    ) -> Result<(), EmitError> {
        let scalar = e.register_scalar(self.element)?;
        let array = self.reserve(e, kept)?;
        if let Some(writes) = writes {
            e.code.begin_if(writes, &[]);
        }
        for entry in entries {
            let pointer = element(e, array, entry.base, entry.offset, scalar);
            write(e, entry.value, pointer);
        }
        if writes.is_some() {
            e.code.end_if(&[]);
        }
        Ok(())
    }

    /// From the partial sums in shared memory to the stores.
    pub(super) fn finish(
        &self,
        e: &mut Emitter<'_>,
        kept: &Kept,
        (thread, column_group): (Value, Value),
    ) -> Result<(), EmitError> {
        let Some(array) = kept.array else { return Err(e.malformed("an output without partial sums")) };
        let scalar = e.register_scalar(self.element)?;
        let (outputs, owned) = self.shares();
        let cluster = i64::from(self.schedule.cluster);
        e.abi.barrier(&mut e.code);
        e.lanes = 1;
        if self.stages.places.len() > 1 {
            return self.finish_several(e, (array, kept), (thread, column_group));
        }
        let Some(rank) = self.rank else {
            return self.each(e, thread, outputs, &|e, at| {
                let sum = self.added(e, array, at, (kept.parts, kept.stride))?;
                self.store(e, at, &[sum], (column_group, kept.ahead.as_ref()))
            });
        };
        let gathered = e.abi.shared_array(&mut e.code, scalar, (cluster * owned) as u64);
        e.code.line("nvvm.cluster.wait {aligned}");
        let mine = e.code.int_k("arith.muli", rank, owned);
        self.each(e, thread, outputs, &|e, at| {
            let sum = self.added(e, array, at, (kept.parts, kept.stride))?;
            let owner = e.code.int_k("arith.divui", at, owned);
            let place = e.code.int_k("arith.remui", at, owned);
            let place = e.code.add_i(place, mine);
            let there = e.code.pure(
                Ty::scalar(Scalar::Ptr(7)),
                format!("nvvm.mapa {gathered}, {owner} : !llvm.ptr<3> -> !llvm.ptr<7>"),
            );
            let pointer = element(e, there, place, 0, scalar);
            write(e, sum, pointer);
            Ok(())
        })?;
        e.code.line("nvvm.cluster.arrive {aligned}");
        e.code.line("nvvm.cluster.wait {aligned}");
        self.each(e, thread, owned, &|e, place| {
            let at = e.code.add_i(place, mine);
            let exists = e.code.cmp_ik("ult", at, outputs);
            e.code.begin_if(exists, &[]);
            let sum = self.added(e, gathered, place, (cluster, owned))?;
            self.store(e, at, &[sum], (column_group, None))?;
            e.code.end_if(&[]);
            Ok(())
        })
    }

    /// Adds up the parts of several sums, then stores what is made of them: more threads add than store.
    fn finish_several(
        &self,
        e: &mut Emitter<'_>,
        (array, kept): (Value, &Kept),
        (thread, column_group): (Value, Value),
    ) -> Result<(), EmitError> {
        let scalar = e.register_scalar(self.element)?;
        let whole = self.whole(kept);
        if kept.parts > 1 {
            self.each(e, thread, whole, &|e, at| {
                let sum = self.added(e, array, at, (kept.parts, whole))?;
                let pointer = element(e, array, at, 0, scalar);
                write(e, sum, pointer);
                Ok(())
            })?;
            e.abi.barrier(&mut e.code);
        }
        self.each(e, thread, self.shares().0, &|e, at| {
            let mut sums = Vec::with_capacity(self.stages.places.len());
            for &place in &self.stages.places {
                let at = e.code.add_ik(at, place as i64 * kept.stride);
                sums.push(self.added(e, array, at, (1, 0))?);
            }
            self.store(e, at, &sums, (column_group, kept.ahead.as_ref()))
        })
    }

    /// Does something for outputs 0 … `count` - 1, spread over the threads.
    fn each(&self, e: &mut Emitter<'_>, thread: Value, count: i64, body: Each<'_>) -> Result<(), EmitError> {
        let threads = i64::from(self.schedule.threads());
        let rounds = (count as u64).div_ceil(threads as u64);
        if rounds > ROUNDS_UNROLLED {
            let (high, step) = (e.code.int(I32, count), e.code.int(I32, threads));
            let open = e.code.begin_for(thread, high, step, &[]);
            body(e, open.iv)?;
            e.code.end_for(open, &[]);
            return Ok(());
        }
        for round in 0..rounds as i64 {
            let at = e.code.add_ik(thread, round * threads);
            let exists = e.code.cmp_ik("ult", at, count);
            e.code.begin_if(exists, &[]);
            body(e, at)?;
            e.code.end_if(&[]);
        }
        Ok(())
    }

    /// Element `at` of all parts of an array, added up in order.
    fn added(
        &self,
        e: &mut Emitter<'_>,
        array: Value,
        at: Value,
        (parts, stride): (i64, i64),
    ) -> Result<Value, EmitError> {
        let scalar = e.register_scalar(self.element)?;
        let (ty, bytes) = (Ty::scalar(scalar), scalar.bits() / 8);
        let mut sum: Option<Value> = None;
        for part in 0..parts {
            let pointer = element(e, array, at, part * stride, scalar);
            let text = format!("llvm.load {pointer} {{alignment = {bytes} : i64}} : {} -> {ty}", pointer.ty);
            let value = e.code.effect(ty, &text);
            sum = Some(match sum {
                None => value,
                Some(sum) => e.combine(Binary::Add, self.element, sum, value)?,
            });
        }
        sum.ok_or_else(|| e.malformed("an output without partial sums"))
    }
}

fn write(e: &mut Emitter<'_>, value: Value, pointer: Value) {
    let bytes = value.ty.scalar.bits() / 8;
    e.code.line(&format!("llvm.store {value}, {pointer} {{alignment = {bytes} : i64}} : {}, {}", value.ty, pointer.ty));
}

/// Pointer to element `at + constant` of an array in shared memory.
fn element(e: &mut Emitter<'_>, base: Value, at: Value, constant: i64, scalar: Scalar) -> Value {
    let at = e.code.add_ik(at, constant);
    e.code.pure(
        base.ty,
        format!("llvm.getelementptr inbounds {base}[{at}] : ({}, {}) -> {}, {scalar}", base.ty, at.ty, base.ty),
    )
}

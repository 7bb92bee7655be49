//! One operation of a warp after another: arithmetic, regions, lane exchange; the rest is called from here.

use super::warp::{Frame, SlotState, Status, Warp};
use super::{Cluster, DEFAULT_STEPS, Machine, active, uniform};
use crate::errors::{Fault, Result};
use crate::inst::{Binary, Inst, Move, Op, Shuffle, Slot, Special, Vote};
use crate::lanes::{self, Lanes, signed};
use crate::shared::{Check, Raw};
use crate::types::Scalar;

/// What follows an operation.
pub(super) enum Flow {
    Next,
    /// The operation is tried again later.
    Again,
    /// The operation is done; the warp waits before the next.
    Waits,
    Jump(u32),
    End,
}

fn value_fault(what: impl Into<String>) -> Raw {
    (Fault::Value, what.into())
}

/// Copies slots for the lanes of a mask.
fn moves(warp: &mut Warp, list: &[Move], overlap: bool, mask: u32) {
    let all = mask == u32::MAX;
    let mut staged = std::mem::take(&mut warp.scratch);
    staged.clear();
    if overlap {
        for m in list {
            staged.extend_from_slice(&warp.registers[m.from as usize..(m.from + m.n) as usize]);
        }
    }
    let mut next = 0;
    for m in list {
        let (to, from, n) = (m.to as usize, m.from as usize, m.n as usize);
        if !warp.slots.is_empty() {
            warp.slots.copy_within(from..from + n, to);
        }
        match (overlap, all) {
            (false, true) => warp.registers.copy_within(from..from + n, to),
            (true, true) => warp.registers[to..to + n].copy_from_slice(&staged[next..next + n]),
            (_, false) => {
                for at in 0..n {
                    let source = if overlap { staged[next + at] } else { warp.registers[from + at] };
                    let target = &mut warp.registers[to + at];
                    active(mask).for_each(|lane| target[lane] = source[lane]);
                }
            }
        }
        next += n;
    }
    warp.scratch = staged;
}

fn condition_mask(lanes: &Lanes) -> u32 {
    let mut mask = 0;
    for (lane, &x) in lanes.iter().enumerate() {
        mask |= ((x & 1) as u32) << lane;
    }
    mask
}

/// Lanes whose loop goes on.
fn below(warp: &Warp, iv: Slot, high: Slot, bits: u8) -> u32 {
    let (iv, high) = (warp.lanes_of(iv), warp.lanes_of(high));
    let mut mask = 0;
    for lane in 0..32 {
        let on = signed(iv[lane], bits.into()) < signed(high[lane], bits.into());
        mask |= u32::from(on) << lane;
    }
    mask & warp.mask
}

impl Machine<'_, '_> {
    /// Lets a warp run for up to so many operations.
    pub(super) fn run_warp(&mut self, cluster: &mut Cluster, at: usize, turn: u32) -> Result<()> {
        let mut warp = std::mem::take(&mut cluster.warps[at]);
        let outcome = self.operations(cluster, &mut warp, turn);
        let outcome = outcome.map_err(|raw| self.fault(cluster, &warp, raw));
        cluster.warps[at] = warp;
        outcome
    }

    fn operations(&mut self, cluster: &mut Cluster, warp: &mut Warp, turn: u32) -> Check<()> {
        let program = self.program;
        let limit = if self.launch.max_steps > 0 { self.launch.max_steps } else { DEFAULT_STEPS };
        for _ in 0..turn {
            let Some(inst) = program.insts.get(warp.pc) else { return Err(value_fault("the end of the text")) };
            warp.step += 1;
            if program.has_wgmma {
                watch(warp, inst)?;
            }
            let flow = self.operation(cluster, warp, inst)?;
            if !matches!(flow, Flow::Again) {
                self.counts[warp.pc] += 1;
                self.steps += 1;
                cluster.steps += 1;
            }
            match flow {
                Flow::Next => warp.pc += 1,
                Flow::Jump(to) => warp.pc = to as usize,
                Flow::Again => return Ok(()),
                Flow::Waits => {
                    warp.pc += 1;
                    return Ok(());
                }
                Flow::End => {
                    warp.status = Status::Done;
                    return Ok(());
                }
            }
            if self.steps > limit {
                return Err((Fault::Endless, format!("more than {limit} operations")));
            }
        }
        Ok(())
    }

    fn operation(&mut self, cluster: &mut Cluster, warp: &mut Warp, inst: &Inst) -> Check<Flow> {
        match &inst.op {
            Op::Const { .. } | Op::Binary { .. } | Op::Unary { .. } | Op::Fma { .. } | Op::Compare { .. } => {
                numbers(warp, &inst.op)?;
            }
            Op::Select { .. } | Op::Spread { .. } | Op::Recast { .. } | Op::Fold { .. } => rearrange(warp, &inst.op),
            Op::Pick { .. } | Op::Place { .. } | Op::Permute { .. } => by_index(warp, &inst.op)?,
            Op::Move { moves: list, overlap } => moves(warp, list, *overlap, warp.mask),
            Op::Special { to, which } => self.special(cluster, warp, *to, *which),
            Op::Shuffle { .. } | Op::Vote { .. } | Op::Match { .. } | Op::Reduce { .. } | Op::Elect { .. } => {
                exchange(warp, &inst.op)?;
            }
            Op::If { .. } | Op::Else { .. } | Op::EndIf | Op::For { .. } | Op::ForNext { .. } => {
                return Ok(structured(warp, &inst.op));
            }
            Op::While { .. } | Op::Condition { .. } | Op::WhileNext { .. } => return Ok(structured(warp, &inst.op)),
            Op::Return => return self.leave(cluster, warp),
            Op::Trap => return Err(value_fault("a trap")),
            Op::Nothing => {}
            op => return self.effect(cluster, warp, op),
        }
        Ok(Flow::Next)
    }

    /// Operations on memory and order.
    fn effect(&mut self, cluster: &mut Cluster, warp: &mut Warp, op: &Op) -> Check<Flow> {
        match op {
            Op::Barrier { id, threads, wait, .. } => {
                let waits = self.barrier(cluster, warp, (*id, *threads, *wait))?;
                return Ok(if waits { Flow::Waits } else { Flow::Next });
            }
            Op::WarpSync { members } => {
                let members =
                    members.and_then(|m| uniform(warp.lanes_of(m), warp.mask)).unwrap_or(u64::from(warp.mask));
                if members as u32 & warp.lanes != warp.mask {
                    return Err((Fault::Barrier, "a warp's barrier for other lanes than those that reach it".into()));
                }
                warp.tick();
                warp.lane_sync = warp.clock;
            }
            Op::Fence => {}
            Op::FenceProxyAsync => {
                warp.proxied.clone_from(&warp.seen);
                self.fence_mbarriers(cluster, warp);
                warp.tick();
            }
            Op::FenceInit => self.fence_mbarriers(cluster, warp),
            Op::ClusterArrive => self.cluster_arrive(cluster, warp)?,
            Op::ClusterWait => {
                let waits = self.cluster_wait(cluster, warp)?;
                return Ok(if waits { Flow::Waits } else { Flow::Next });
            }
            Op::BarrierInit { at, count } => self.mbarrier_init(cluster, warp, *at, *count)?,
            Op::BarrierInvalidate { at } => self.mbarrier_invalidate(cluster, warp, *at)?,
            Op::BarrierArrive { at, space, count, expect, drop, .. } => {
                if *drop {
                    return Err((Fault::Barrier, "arrive.drop is not modelled".into()));
                }
                self.mbarrier_arrive(cluster, warp, (*at, *space), (*count, *expect))?;
            }
            Op::BarrierExpect { at, space, bytes } => self.mbarrier_expect(cluster, warp, (*at, *space), *bytes)?,
            Op::BarrierWait { at, parity, to } => {
                let waits = self.mbarrier_wait(cluster, warp, (*at, *parity), *to)?;
                return Ok(if waits { Flow::Again } else { Flow::Next });
            }
            Op::SetRegisters => {
                if warp.mask != warp.lanes {
                    return Err((Fault::Barrier, "setmaxnreg where not all lanes are".into()));
                }
            }
            Op::Mma(_) | Op::Wgmma(_) | Op::WgmmaFence | Op::WgmmaCommit | Op::WgmmaWait { .. } => {
                self.tensor(cluster, warp, op)?;
            }
            Op::LoadMatrix { .. } | Op::StoreMatrix { .. } | Op::MoveMatrix { .. } => {
                self.matrices(cluster, warp, op)?
            }
            Op::CopyAsync { .. } | Op::CopyAsyncCommit | Op::CopyAsyncWait { .. } | Op::CopyAsyncArrive { .. } => {
                self.copies(cluster, warp, op)?;
            }
            Op::BulkTensorLoad(_)
            | Op::BulkTensorStore(_)
            | Op::Bulk(_)
            | Op::BulkCommit
            | Op::BulkWait { .. }
            | Op::StoreAsync { .. } => {
                self.bulk(cluster, warp, op)?;
            }
            _ => self.addressed(cluster, warp, op)?,
        }
        Ok(Flow::Next)
    }

    fn special(&self, cluster: &Cluster, warp: &mut Warp, to: Slot, which: Special) {
        let grid = self.launch.grid;
        let number = cluster.first + warp.rank as u64;
        let place =
            [number % grid[0].max(1), number / grid[0].max(1) % grid[1].max(1), number / (grid[0] * grid[1]).max(1)];
        let cluster_size = self.size.cluster as u64;
        let mut out = [0u64; 32];
        for (lane, out) in out.iter_mut().enumerate() {
            let bit = 1u64 << lane;
            *out = match which {
                Special::Thread(0) => 32 * warp.at as u64 + lane as u64,
                Special::Thread(_) => 0,
                Special::Threads(0) => self.size.threads.into(),
                Special::Threads(_) => 1,
                Special::Workgroup(axis) => place[usize::from(axis)],
                Special::Workgroups(axis) => grid[usize::from(axis)],
                Special::Lane => lane as u64,
                Special::Warp => warp.at as u64,
                Special::ClusterRank => warp.rank as u64,
                Special::ClusterSize => cluster_size,
                Special::ClusterId => number / cluster_size,
                Special::Clusters => self.size.workgroups / cluster_size,
                Special::LaneMask(0) => bit,
                Special::LaneMask(1) => bit - 1,
                Special::LaneMask(2) => 2 * bit - 1,
                Special::LaneMask(3) => !(2 * bit - 1) & 0xFFFF_FFFF,
                Special::LaneMask(_) => !(bit - 1) & 0xFFFF_FFFF,
                Special::Clock => warp.step,
            };
        }
        warp.registers[to as usize] = out;
    }

    fn leave(&mut self, cluster: &mut Cluster, warp: &mut Warp) -> Check<Flow> {
        let open = |what: &str| Err((Fault::Pending, format!("the kernel ends while {what}")));
        if !warp.bulk_reads.is_empty() || warp.bulk_groups.iter().any(|g| !g.is_empty()) {
            return open("bulk copies still read its shared memory");
        }
        if warp.copy_groups.iter().any(|g| !g.copies.is_empty()) || !warp.copies.copies.is_empty() {
            return open("asynchronous copies are under way");
        }
        if !warp.multiply_groups.is_empty() || !warp.open_reads.is_empty() {
            return open("wgmma multiplies run");
        }
        cluster.workgroups[warp.rank].running -= 1;
        Ok(Flow::End)
    }
}

/// Checks reads of registers that running multiplies write, and notes what is defined.
fn watch(warp: &mut Warp, inst: &Inst) -> Check<()> {
    for &(slot, n) in &inst.reads {
        let states = &warp.slots[slot as usize..(slot + n) as usize];
        if states.iter().any(|s| s.group > warp.finished_group) {
            return Err((Fault::Pending, "a read of accumulators whose multiplies were not waited for".into()));
        }
    }
    let defined = warp.step;
    for &(slot, n) in &inst.writes {
        warp.slots[slot as usize..(slot + n) as usize].fill(SlotState { group: 0, defined });
    }
    Ok(())
}

fn numbers(warp: &mut Warp, op: &Op) -> Check<()> {
    match *op {
        Op::Const { to, bits } => warp.registers[to as usize] = [bits; 32],
        Op::Binary { op, ty, to, a, b, n } => {
            for k in 0..n as usize {
                let (x, y) = (warp.registers[a as usize + k], warp.registers[b as usize + k]);
                if matches!(op, Binary::DivU | Binary::DivS | Binary::RemU | Binary::RemS)
                    && active(warp.mask).any(|lane| y[lane] == 0)
                {
                    return Err(value_fault("an integer division by zero"));
                }
                warp.registers[to as usize + k] = lanes::binary(op, ty, &x, &y);
            }
        }
        Op::Unary { op, from, into, to, a, n } => {
            for k in 0..n as usize {
                let x = warp.registers[a as usize + k];
                warp.registers[to as usize + k] = lanes::unary(op, from, into, &x);
            }
        }
        Op::Fma { ty, to, a, b, c, n } => {
            for k in 0..n as usize {
                let x = warp.registers[a as usize + k];
                let (y, z) = (warp.registers[b as usize + k], warp.registers[c as usize + k]);
                warp.registers[to as usize + k] = lanes::fma(ty, &x, &y, &z);
            }
        }
        Op::Compare { predicate, ty, to, a, b, n } => {
            for k in 0..n as usize {
                let (x, y) = (warp.registers[a as usize + k], warp.registers[b as usize + k]);
                warp.registers[to as usize + k] = lanes::compare(predicate, ty, &x, &y);
            }
        }
        _ => {}
    }
    Ok(())
}

fn rearrange(warp: &mut Warp, op: &Op) {
    match *op {
        Op::Select { to, condition, a, b, n, each } => {
            for k in 0..n as usize {
                let c = warp.registers[condition as usize + if each { k } else { 0 }];
                let (x, y) = (warp.registers[a as usize + k], warp.registers[b as usize + k]);
                let out = &mut warp.registers[to as usize + k];
                for lane in 0..32 {
                    out[lane] = if c[lane] & 1 == 1 { x[lane] } else { y[lane] };
                }
            }
        }
        Op::Spread { to, a, n } => {
            let x = warp.registers[a as usize];
            warp.registers[to as usize..(to + n) as usize].fill(x);
        }
        Op::Recast { to, to_bits, to_n, a, from_bits, from_n } => {
            let sources: Vec<Lanes> = warp.registers[a as usize..(a + from_n) as usize].to_vec();
            let mask = if to_bits == 64 { u64::MAX } else { (1 << to_bits) - 1 };
            for k in 0..to_n {
                let mut out = [0u64; 32];
                for (lane, out) in out.iter_mut().enumerate() {
                    let mut filled = 0;
                    let mut bit = k * to_bits;
                    while filled < to_bits {
                        let word = sources[(bit / from_bits) as usize][lane] >> (bit % from_bits);
                        let take = (from_bits - bit % from_bits).min(to_bits - filled);
                        let word = if take == 64 { word } else { word & ((1 << take) - 1) };
                        *out |= word << filled;
                        filled += take;
                        bit += take;
                    }
                    *out &= mask;
                }
                warp.registers[(to + k) as usize] = out;
            }
        }
        Op::Fold { op, ty, to, a, n } => {
            let mut sum = warp.registers[a as usize];
            for k in 1..n {
                sum = lanes::binary(op, ty, &sum, &warp.registers[(a + k) as usize]);
            }
            warp.registers[to as usize] = sum;
        }
        _ => {}
    }
}

fn by_index(warp: &mut Warp, op: &Op) -> Check<()> {
    match *op {
        Op::Pick { to, a, n, index } => {
            let at = *warp.lanes_of(index);
            let mut out = [0; 32];
            for lane in active(warp.mask) {
                if at[lane] >= u64::from(n) {
                    return Err(value_fault("an index beyond the vector"));
                }
                out[lane] = warp.registers[a as usize + at[lane] as usize][lane];
            }
            warp.registers[to as usize] = out;
        }
        Op::Place { to, a, n, index, value } => {
            let (at, value) = (*warp.lanes_of(index), *warp.lanes_of(value));
            warp.registers.copy_within(a as usize..(a + n) as usize, to as usize);
            for lane in active(warp.mask) {
                if at[lane] >= u64::from(n) {
                    return Err(value_fault("an index beyond the vector"));
                }
                warp.registers[to as usize + at[lane] as usize][lane] = value[lane];
            }
        }
        Op::Permute { to, a, b, selector } => {
            let (a, b, s) = (*warp.lanes_of(a), *warp.lanes_of(b), *warp.lanes_of(selector));
            let mut out = [0u64; 32];
            for lane in 0..32 {
                let both = (a[lane] & 0xFFFF_FFFF) | (b[lane] << 32);
                for byte in 0..4 {
                    let pick = (s[lane] >> (4 * byte)) & 15;
                    let mut value = (both >> (8 * (pick & 7))) & 0xFF;
                    if pick & 8 != 0 {
                        value = if value & 0x80 != 0 { 0xFF } else { 0 };
                    }
                    out[lane] |= value << (8 * byte);
                }
            }
            warp.registers[to as usize] = out;
        }
        _ => {}
    }
    Ok(())
}

/// Members of a warp-wide operation: those that reach it, all of them named.
fn members(warp: &Warp, slot: Slot) -> Check<()> {
    for lane in active(warp.mask) {
        let named = warp.lanes_of(slot)[lane] as u32;
        if named & (1 << lane) == 0 || named & warp.lanes & !warp.mask != 0 {
            let what = format!("lanes {named:#x} are named, lanes {:#x} reach the exchange", warp.mask);
            return Err(value_fault(what));
        }
    }
    Ok(())
}

fn shuffle_source(mode: Shuffle, lane: usize, by: u64, clamp: u64) -> (usize, bool) {
    let (by, clamp) = (by as usize & 31, clamp as usize);
    let (segment, limit) = ((clamp >> 8) & 31, clamp & 31);
    let high = (lane & segment) | (limit & !segment);
    let low = lane & segment;
    let (source, valid) = match mode {
        Shuffle::Idx => {
            let s = low | (by & !segment & 31);
            (s, s <= high)
        }
        Shuffle::Bfly => (lane ^ by, (lane ^ by) <= high),
        Shuffle::Down => (lane + by, lane + by <= high),
        Shuffle::Up => (lane.wrapping_sub(by), lane >= by && lane - by >= high),
    };
    if valid { (source, true) } else { (lane, false) }
}

fn exchange(warp: &mut Warp, op: &Op) -> Check<()> {
    match *op {
        Op::Shuffle { mode, to, a, lane: by, clamp, members: named, valid } => {
            members(warp, named)?;
            let (x, by, clamp) = (*warp.lanes_of(a), *warp.lanes_of(by), *warp.lanes_of(clamp));
            let (mut out, mut good) = ([0; 32], [0; 32]);
            for lane in active(warp.mask) {
                let (source, fine) = shuffle_source(mode, lane, by[lane], clamp[lane]);
                if warp.mask >> source & 1 == 0 {
                    return Err(value_fault(format!("lane {lane} asks lane {source}, which does not take part")));
                }
                out[lane] = x[source];
                good[lane] = fine.into();
            }
            warp.registers[to as usize] = out;
            if let Some(valid) = valid {
                warp.registers[valid as usize] = good;
            }
        }
        Op::Vote { vote, to, a, members: named } => {
            members(warp, named)?;
            let yes = condition_mask(warp.lanes_of(a)) & warp.mask;
            let result = match vote {
                Vote::Ballot => u64::from(yes),
                Vote::Any => (yes != 0).into(),
                Vote::All => (yes == warp.mask).into(),
                Vote::Uniform => (yes == warp.mask || yes == 0).into(),
            };
            warp.registers[to as usize] = [result; 32];
        }
        Op::Match { to, a, members: named } => {
            members(warp, named)?;
            let x = *warp.lanes_of(a);
            let mut out = [0u64; 32];
            for lane in active(warp.mask) {
                out[lane] = active(warp.mask).filter(|&o| x[o] == x[lane]).map(|o| 1u64 << o).sum();
            }
            warp.registers[to as usize] = out;
        }
        Op::Reduce { op, ty, to, a, members: named } => {
            members(warp, named)?;
            let x = *warp.lanes_of(a);
            let all: Vec<u64> = active(warp.mask).map(|lane| x[lane]).collect();
            let first = all.first().copied().unwrap_or(0);
            let sum = all.iter().skip(1).fold([first; 32], |sum, &v| lanes::binary(op, ty, &sum, &[v; 32]));
            warp.registers[to as usize] = sum;
        }
        Op::Elect { to } => {
            let mut out = [0; 32];
            out[warp.mask.trailing_zeros().min(31) as usize] = 1;
            warp.registers[to as usize] = out;
        }
        _ => {}
    }
    Ok(())
}

/// Sets the induction variable of the active lanes.
fn set_active(warp: &mut Warp, slot: Slot, f: impl Fn(usize, u64) -> u64) {
    let mask = warp.mask;
    let lanes = &mut warp.registers[slot as usize];
    active(mask).for_each(|lane| lanes[lane] = f(lane, lanes[lane]));
}

fn structured(warp: &mut Warp, op: &Op) -> Flow {
    match op {
        Op::If { condition, otherwise, end } => {
            let yes = condition_mask(warp.lanes_of(*condition)) & warp.mask;
            let no = warp.mask & !yes;
            warp.frames.push(Frame { saved: warp.mask, other: if otherwise == end { 0 } else { no } });
            if yes != 0 {
                warp.mask = yes;
                return Flow::Next;
            }
            if otherwise == end {
                return Flow::Jump(*end);
            }
            if let Some(frame) = warp.frames.last_mut() {
                frame.other = 0;
            }
            return Flow::Jump(*otherwise);
        }
        Op::Else { end } => match warp.frames.last_mut() {
            Some(frame) if frame.other != 0 => {
                warp.mask = frame.other;
                frame.other = 0;
            }
            _ => return Flow::Jump(*end),
        },
        Op::EndIf => {
            if let Some(frame) = warp.frames.pop() {
                warp.mask = frame.saved;
            }
        }
        Op::For { iv, low, high, bits, end, moves: inits } => {
            moves(warp, inits, false, warp.mask);
            let low = *warp.lanes_of(*low);
            set_active(warp, *iv, |lane, _| low[lane]);
            let on = below(warp, *iv, *high, *bits);
            if on == 0 {
                return Flow::Jump(*end);
            }
            warp.frames.push(Frame { saved: warp.mask, other: 0 });
            warp.mask = on;
        }
        Op::ForNext { iv, step, high, bits, body, moves: next, overlap } => {
            moves(warp, next, *overlap, warp.mask);
            let step = *warp.lanes_of(*step);
            let mask = Scalar::Int(*bits).mask();
            set_active(warp, *iv, |lane, x| x.wrapping_add(step[lane]) & mask);
            let on = below(warp, *iv, *high, *bits);
            if on != 0 {
                warp.mask = on;
                return Flow::Jump(*body);
            }
            if let Some(frame) = warp.frames.pop() {
                warp.mask = frame.saved;
            }
        }
        Op::While { moves: inits } => {
            moves(warp, inits, false, warp.mask);
            warp.frames.push(Frame { saved: warp.mask, other: 0 });
        }
        Op::Condition { condition, leave, stay, end } => {
            let yes = condition_mask(warp.lanes_of(*condition)) & warp.mask;
            let no = warp.mask & !yes;
            if no != 0 {
                moves(warp, leave, false, no);
            }
            if yes == 0 {
                if let Some(frame) = warp.frames.pop() {
                    warp.mask = frame.saved;
                }
                return Flow::Jump(*end);
            }
            warp.mask = yes;
            moves(warp, stay, false, yes);
        }
        Op::WhileNext { head, moves: next, overlap } => {
            moves(warp, next, *overlap, warp.mask);
            return Flow::Jump(*head);
        }
        _ => {}
    }
    Flow::Next
}

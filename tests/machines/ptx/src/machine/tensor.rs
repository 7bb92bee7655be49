//! Warpgroup multiplies: descriptors, operands from shared memory, groups. Each warp computes its 16 of the 64 rows.
//!
//! The multiply is computed when it is issued; what makes it asynchronous is checked instead: until its group was
//! waited for its accumulators must not be read, and nothing may write what it reads.
//!
//! Worked example, descriptor 0x4000_0040_0001_0040 (K-major, 128-byte swizzle): address 0x40 · 16 = 1024, 8 rows to
//! the next are 0x40 · 16 = 1024 bytes on; row 3, bytes 16–31 are at 1024 + 3·128 + 16 = 1424, swizzled 1424 ^ (3 << 4)
//! = 1440.

use super::warp::{MultiplyGroup, Pieces, SlotState, Warp};
use super::{Cluster, Machine, SHARED_BASE, uniform, who};
use crate::errors::Fault;
use crate::fragments::{self, decode};
use crate::inst::{Element, Op, Slot, Wgmma, WgmmaA};
use crate::launch::Swizzle;
use crate::shared::{ALL_LANES, Check, Raw, Shared, word};

fn fault(kind: Fault, what: impl Into<String>) -> Raw {
    (kind, what.into())
}

/// A matrix descriptor's fields.
#[derive(Clone, Copy, Debug)]
struct Descriptor {
    start: u32,
    leading: u32,
    stride: u32,
    swizzle: Swizzle,
}

fn descriptor(bits: u64) -> Check<Descriptor> {
    let unused = bits & (0b11 << 14 | 0b11 << 30 | 0b111 << 46 | 0x3FF << 52);
    if unused != 0 || bits >> 49 & 7 != 0 {
        return Err(fault(
            Fault::Descriptor,
            format!("descriptor {bits:#x} has bits where no field is, or a base offset"),
        ));
    }
    let field = |low: u32| ((bits >> low & 0x3FFF) << 4) as u32;
    let swizzle = match bits >> 62 {
        0 => Swizzle::None,
        1 => Swizzle::B128,
        2 => Swizzle::B64,
        _ => Swizzle::B32,
    };
    Ok(Descriptor { start: field(0), leading: field(16), stride: field(32), swizzle })
}

impl Descriptor {
    /// Address of the 16 bytes that hold element `outer` of the rows (columns) from byte `inner` on.
    ///
    /// K-major: `outer` a row, `inner` bytes along the contraction. Otherwise: `outer` a step, `inner` bytes along the
    /// rows.
    fn unit(&self, k_major: bool, outer: u32, inner: u32) -> u32 {
        let Some(span) = self.swizzle.span() else {
            // Core matrices of 8 rows of 16 bytes.
            let (rows, units) = if k_major { (self.stride, self.leading) } else { (self.leading, self.stride) };
            return self.start + outer / 8 * rows + outer % 8 * 16 + inner / 16 * units;
        };
        let within = outer / 8 * self.stride + outer % 8 * span;
        let across = if k_major { inner } else { inner / span * self.leading + inner % span };
        self.swizzle.apply(self.start + within + across)
    }
}

/// An operand read from shared memory; all types of operands are exact in f32.
struct Operand {
    /// A: `values[row · k + step]`. B: `values[step · n + column]`, so that a row of sums stays in vector registers.
    values: Vec<f32>,
    pieces: Pieces,
}

/// Which part of an operand a warp reads, and how it lies in shared memory.
struct Part {
    first: u32,
    rows: u32,
    k: u32,
    element: Element,
    k_major: bool,
    /// Distances in [`Operand::values`] from a row (column) to the next, and from a step to the next.
    strides: [u32; 2],
}

/// A part of an operand, with what was read.
fn fetch(memory: &mut Shared, warp: &Warp, bits: u64, part: &Part) -> Check<Operand> {
    let Part { first, rows, k, element, k_major, strides: [by_row, by_step] } = *part;
    let d = descriptor(bits)?;
    let each = element.bits() / 8;
    let mut operand = Operand { values: vec![0f32; (rows * k) as usize], pieces: Vec::new() };
    let (outer, inner) =
        if k_major { (first..first + rows, 0..k * each) } else { (0..k, first * each..(first + rows) * each) };
    if k_major && d.swizzle.span().is_some_and(|span| d.start % span + k * each > span) {
        return Err(fault(
            Fault::Descriptor,
            format!("descriptor {bits:#x}: the steps cross the end of a swizzled row"),
        ));
    }
    for line in outer {
        for unit in inner.clone().step_by(16) {
            let address = d.unit(k_major, line, unit);
            let at = address.checked_sub(SHARED_BASE).ok_or_else(|| {
                fault(Fault::Descriptor, format!("descriptor {bits:#x} reads before the start of shared memory"))
            })?;
            memory.begin_read(at, 16, &who(warp, ALL_LANES))?;
            operand.pieces.push((at, 16));
            let bytes = &memory.bytes[at as usize..at as usize + 16];
            for (place, bytes) in (unit / each..).zip(bytes.chunks_exact(each as usize)) {
                let (row, step) = if k_major { (line - first, place) } else { (place - first, line) };
                operand.values[(row * by_row + step * by_step) as usize] = decode(element, word(bytes)) as f32;
            }
        }
    }
    Ok(operand)
}

impl Machine<'_, '_> {
    pub(super) fn tensor(&mut self, cluster: &mut Cluster, warp: &mut Warp, op: &Op) -> Check<()> {
        if warp.mask != u32::MAX {
            return Err(fault(Fault::Barrier, "not all lanes reach a matrix operation"));
        }
        match op {
            Op::Mma(mma) => fragments::multiply(mma, &mut warp.registers),
            Op::Wgmma(multiply) => self.wgmma(cluster, warp, multiply)?,
            Op::WgmmaFence => warp.fenced_at = warp.step,
            Op::WgmmaCommit => {
                let reads = std::mem::take(&mut warp.open_reads);
                warp.multiply_groups.push_back(MultiplyGroup { reads, loads: std::mem::take(&mut warp.open_loads) });
                warp.group += 1;
            }
            Op::WgmmaWait { pending } => {
                while warp.multiply_groups.len() > *pending as usize {
                    let group = warp.multiply_groups.pop_front().unwrap_or_default();
                    let own = &mut warp.proxied[warp.number];
                    *own = group.loads.max(*own);
                    let memory = &mut cluster.workgroups[warp.rank].shared;
                    for (at, bytes) in group.reads {
                        memory.end_read(at, bytes, warp.number, warp.clock)?;
                    }
                }
                warp.finished_group = warp.group - 1 - warp.multiply_groups.len() as u32;
            }
            _ => {}
        }
        Ok(())
    }

    /// Registers that a multiply takes must come from multiplies, or from before the last fence.
    fn fenced(warp: &Warp, slots: impl Iterator<Item = Slot>, what: &str) -> Check<()> {
        for slot in slots {
            let state = warp.slots[slot as usize];
            if state.group == 0 && state.defined > warp.fenced_at {
                return Err(fault(Fault::MissingFence, format!("{what} changed since the last wgmma.fence")));
            }
        }
        Ok(())
    }

    fn wgmma(&mut self, cluster: &mut Cluster, warp: &mut Warp, multiply: &Wgmma) -> Check<()> {
        if warp.fenced_at == 0 {
            return Err(fault(Fault::MissingFence, "a multiply before any wgmma.fence"));
        }
        let (n, k) = (multiply.n, multiply.k);
        let count = crate::lower::registers_of(multiply);
        Self::fenced(warp, multiply.sum..multiply.sum + count, "accumulators")?;
        let rank = warp.rank;
        let rows = 16 * (warp.at as u32 % 4);
        let one = |warp: &Warp, slot: Slot| {
            uniform(warp.lanes_of(slot), warp.mask)
                .ok_or_else(|| fault(Fault::Descriptor, "a descriptor that differs between lanes"))
        };
        let a = match &multiply.a {
            WgmmaA::Descriptor(slot) => {
                let bits = one(warp, *slot)?;
                let memory = &mut cluster.workgroups[rank].shared;
                let (element, k_major) = (multiply.a_type, multiply.a_k_major);
                fetch(memory, warp, bits, &Part { first: rows, rows: 16, k, element, k_major, strides: [k, 1] })?
            }
            WgmmaA::Registers(slots) => {
                Self::fenced(warp, slots.iter().copied(), "fragments of A")?;
                if slots.iter().any(|&s| warp.slots[s as usize].group > warp.finished_group) {
                    return Err(fault(Fault::Pending, "fragments of A that running multiplies write"));
                }
                // What the fragments were loaded from has been read when the multiply is over.
                warp.open_loads = warp.clock;
                warp.tick();
                Operand { values: registers_of_a(warp, slots, multiply.a_type, k), pieces: Vec::new() }
            }
        };
        let bits = one(warp, multiply.b)?;
        let memory = &mut cluster.workgroups[rank].shared;
        let (element, k_major) = (multiply.b_type, multiply.b_k_major);
        let b = fetch(memory, warp, bits, &Part { first: 0, rows: n, k, element, k_major, strides: [1, n] })?;
        warp.open_reads.extend(a.pieces);
        warp.open_reads.extend(b.pieces);
        accumulate(warp, multiply, &a.values, &b.values)?;
        let state = SlotState { group: warp.group, defined: warp.step };
        warp.slots[multiply.sum as usize..(multiply.sum + count) as usize].fill(state);
        Ok(())
    }
}

/// Rows of A from the registers of a warp: as in mma.sync.
fn registers_of_a(warp: &Warp, slots: &[Slot], element: Element, k: u32) -> Vec<f32> {
    let each = 32 / element.bits();
    let mut values = vec![0f32; (16 * k) as usize];
    for lane in 0..32u32 {
        for at in 0..4 * each {
            let (register, sub) = (at / each, at % each);
            let row = lane / 4 + 8 * (register & 1);
            let step = lane % 4 * each + sub + 4 * each * (register >> 1);
            let word = warp.lanes_of(slots[register as usize])[lane as usize] >> (element.bits() * sub);
            let bits = word & (u64::MAX >> (64 - element.bits()));
            values[(row * k + step) as usize] = decode(element, bits) as f32;
        }
    }
    values
}

fn accumulate(warp: &mut Warp, multiply: &Wgmma, a: &[f32], b: &[f32]) -> Check<()> {
    let (n, k) = (multiply.n as usize, multiply.k as usize);
    let sign = if multiply.negate_a != multiply.negate_b { -1.0f32 } else { 1.0 };
    let keep = match multiply.scale_d {
        Ok(keep) => keep,
        Err(slot) => uniform(warp.lanes_of(slot), warp.mask)
            .map(|x| x & 1 == 1)
            .ok_or_else(|| fault(Fault::Value, "scale-d differs between lanes"))?,
    };
    let integer = multiply.d_type == Element::S32;
    let half = multiply.d_type == Element::F16;
    let (mut sums, mut whole) = (vec![0f32; n], vec![0i64; n]);
    for row in 0..16usize {
        sums.fill(0.0);
        whole.fill(0);
        for (step, line) in b.chunks_exact(n).enumerate() {
            let x = a[row * k + step] * sign;
            match integer {
                // Products of bytes and sums of 32 of them are exact in f32.
                true => whole.iter_mut().zip(line).for_each(|(sum, y)| *sum += (x * y) as i64),
                false => sums.iter_mut().zip(line).for_each(|(sum, y)| *sum += x * y),
            }
        }
        for column in 0..n {
            let lane = row % 8 * 4 + column % 8 / 2;
            let register = 4 * (column / 8) + 2 * (row / 8) + column % 2;
            let (slot, shift) = if half { (register / 2, 16 * (register % 2)) } else { (register, 0) };
            let cell = &mut warp.registers[multiply.sum as usize + slot][lane];
            let old = *cell >> shift & if half { 0xFFFF } else { 0xFFFF_FFFF };
            let new = if integer {
                let before = if keep { i64::from(old as u32 as i32) } else { 0 };
                let sum = before + whole[column];
                let limited = sum.clamp(i64::from(i32::MIN), i64::from(i32::MAX));
                u64::from(if multiply.saturate { limited as u32 } else { sum as u32 })
            } else if half {
                let before = if keep { decode(Element::F16, old) as f32 } else { 0.0 };
                u64::from(half::f16::from_f32(before + sums[column]).to_bits())
            } else {
                let before = if keep { f32::from_bits(old as u32) } else { 0.0 };
                u64::from((before + sums[column]).to_bits())
            };
            *cell = if half { *cell & !(0xFFFF << shift) | new << shift } else { new };
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptors() {
        let d = descriptor(0x4000_0040_0001_0040).unwrap();
        assert_eq!((d.start, d.stride, d.swizzle), (1024, 1024, Swizzle::B128));
        assert_eq!(d.unit(true, 3, 16), 1440);
        assert_eq!(d.unit(true, 8, 0), 2048);
        assert!(descriptor(1 << 14).is_err());
    }
}

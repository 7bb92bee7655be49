//! nvvm: asynchronous copies, barriers in shared memory, fences, clusters.

use super::{Builder, Value};
use crate::errors::Result;
use crate::inst::{Bulk, BulkTensor, Op, Slot, Space};
use crate::text::{Line, numbers, values};
use crate::types::{Scalar, Type};

const I64: Type = Type::Scalar(Scalar::Int(64));

/// Operations without an effect on values: prefetches and hints.
const NOTHING: &[&str] = &[
    "nvvm.prefetch",
    "nvvm.prefetch.tensormap",
    "nvvm.cp.async.bulk.tensor.prefetch",
    "nvvm.cp.async.bulk.prefetch",
    "nvvm.griddepcontrol.wait",
    "nvvm.griddepcontrol.launch.dependents",
    "nvvm.griddepcontrol",
    "nvvm.nanosleep",
];

impl Builder {
    /// Lowers an operation of these; false if it is none.
    pub(super) fn nvvm_copies(&mut self, line: &Line) -> Result<bool> {
        if NOTHING.contains(&line.name.as_str()) {
            self.push(Op::Nothing, &[], &[]);
            return Ok(true);
        }
        match line.name.as_str() {
            "nvvm.cp.async.shared.global" => self.copy_async(line)?,
            "nvvm.cp.async.commit.group" => self.push(Op::CopyAsyncCommit, &[], &[]),
            "nvvm.cp.async.wait.group" => {
                let pending = line.number_of("n").or_else(|| numbers(&line.body).first().copied());
                let pending = pending.ok_or_else(|| line.error("no group count"))? as u32;
                self.push(Op::CopyAsyncWait { pending }, &[], &[]);
            }
            "nvvm.cp.async.wait.all" => self.push(Op::CopyAsyncWait { pending: 0 }, &[], &[]),
            "nvvm.cp.async.mbarrier.arrive" | "nvvm.cp.async.mbarrier.arrive.shared" => {
                let [at] = self.operands_n(line)?;
                let noinc = line.attribute("noinc").is_some_and(|n| n.starts_with("true") || n.starts_with('1'));
                self.push_simple(Op::CopyAsyncArrive { at: at.slot, noinc }, &[at.slot], &[]);
            }
            "nvvm.fence.mbarrier.init" => self.push(Op::FenceInit, &[], &[]),
            "nvvm.fence.proxy" => {
                let kind = line.attribute("kind").unwrap_or("").to_string();
                let op = if kind.contains("async") { Op::FenceProxyAsync } else { Op::Fence };
                self.push(op, &[], &[]);
            }
            "nvvm.mapa" | "nvvm.mapa.shared.cluster" => {
                let [a, rank] = self.operands_n(line)?;
                let to = self.result(line, Type::Scalar(Scalar::Ptr(7)))?;
                self.push_simple(Op::MapAddress { to, a: a.slot, rank: rank.slot }, &[a.slot, rank.slot], &[to]);
            }
            name if name.starts_with("nvvm.mbarrier.") => return self.mbarrier(line),
            name if name.starts_with("nvvm.cp.async.bulk.") => return self.bulk(line),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn copy_async(&mut self, line: &Line) -> Result<()> {
        let operands = self.operands(line)?;
        let [shared, global, rest @ ..] = operands.as_slice() else { return Err(line.error("two addresses expected")) };
        let size = line.number_of("size").or_else(|| numbers(&line.body).first().copied());
        let size = size.ok_or_else(|| line.error("no size"))? as u32;
        let bytes = rest.first().map(|v| v.slot);
        self.note_shared(size);
        let reads: Vec<Slot> = operands.iter().map(|v| v.slot).collect();
        self.push_simple(Op::CopyAsync { shared: shared.slot, global: global.slot, size, bytes }, &reads, &[]);
        Ok(())
    }

    /// The state that an arrival gives, which only waits by token would look at.
    fn token(&mut self, line: &Line) -> Result<()> {
        if !line.results.is_empty() {
            let to = self.result(line, I64)?;
            self.push_simple(Op::Const { to, bits: 0 }, &[], &[to]);
        }
        Ok(())
    }

    fn mbarrier(&mut self, line: &Line) -> Result<bool> {
        let operands = self.operands(line)?;
        let Some(first) = operands.first() else { return Err(line.error("no barrier")) };
        let (at, space) = (first.slot, self.space_of(line, first)?);
        let second = operands.get(1).map(|v| v.slot);
        let reads: Vec<Slot> = operands.iter().map(|v| v.slot).collect();
        let need = || line.error("an operand is missing");
        let name = line.name.trim_start_matches("nvvm.mbarrier.").trim_end_matches(".shared").to_string();
        let op = match name.as_str() {
            "init" => Op::BarrierInit { at, count: second.ok_or_else(need)? },
            "inval" => Op::BarrierInvalidate { at },
            "arrive" | "arrive.drop" => {
                self.token(line)?;
                Op::BarrierArrive { at, space, count: second, expect: None, drop: name == "arrive.drop" }
            }
            "arrive.expect_tx" => {
                self.token(line)?;
                let expect = Some(second.ok_or_else(need)?);
                Op::BarrierArrive { at, space, count: None, expect, drop: false }
            }
            "expect_tx" => Op::BarrierExpect { at, space, bytes: second.ok_or_else(need)? },
            "try_wait.parity" => Op::BarrierWait { at, parity: second.ok_or_else(need)?, to: None },
            _ => return Ok(false),
        };
        self.push_simple(op, &reads, &[]);
        Ok(true)
    }

    /// Operands of a bulk copy by name: those in front, coordinates, the rest by keyword.
    fn bulk(&mut self, line: &Line) -> Result<bool> {
        match line.name.trim_start_matches("nvvm.cp.async.bulk.") {
            "commit.group" => self.push(Op::BulkCommit, &[], &[]),
            "wait_group" => {
                let pending = line.number_of("group").or_else(|| numbers(&line.body).first().copied());
                let pending = pending.ok_or_else(|| line.error("no group count"))? as u32;
                self.push(Op::BulkWait { pending, read: line.has_word("read") }, &[], &[]);
            }
            "tensor.shared.cluster.global" => self.tensor_load(line)?,
            "tensor.global.shared.cta" => self.tensor_store(line, false)?,
            "tensor.reduce" => {
                if !line.body.contains("add") {
                    return Err(line.error("only additions are modelled"));
                }
                self.tensor_store(line, true)?;
            }
            "shared.cluster.global" => {
                let operands = self.operands(line)?;
                let [to, from, barrier, bytes, rest @ ..] = operands.as_slice() else {
                    return Err(line.error("four operands expected"));
                };
                let multicast = if line.body.contains("multicast") { rest.first().map(|v| v.slot) } else { None };
                let space = self.space_of(line, to)?;
                let (to, from, bytes) = (to.slot, from.slot, bytes.slot);
                let bulk = Bulk { to, from, bytes, load: true, barrier: Some(barrier.slot), multicast, space };
                self.push_simple(Op::Bulk(Box::new(bulk)), &operands.iter().map(|v| v.slot).collect::<Vec<_>>(), &[]);
            }
            "global.shared.cta" => {
                let operands = self.operands(line)?;
                let [to, from, bytes, ..] = operands.as_slice() else {
                    return Err(line.error("three operands expected"));
                };
                let (to, from, bytes) = (to.slot, from.slot, bytes.slot);
                let bulk = Bulk { to, from, bytes, load: false, barrier: None, multicast: None, space: Space::Shared };
                self.push_simple(Op::Bulk(Box::new(bulk)), &[to, from, bytes], &[]);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Values in the brackets behind a word.
    fn bracketed(&self, line: &Line, word: &str) -> Result<Vec<Slot>> {
        let Some(text) = line.body.split(&format!("{word}[")).nth(1) else { return Ok(Vec::new()) };
        let list = text.split(']').next().unwrap_or("");
        values(list).into_iter().map(|name| Ok(self.value(line, name)?.slot)).collect()
    }

    /// The value behind `word =`.
    fn keyed(&self, line: &Line, word: &str) -> Result<Option<Slot>> {
        match line.attribute(word).map(values).as_deref() {
            Some([name, ..]) => Ok(Some(self.value(line, name)?.slot)),
            _ => Ok(None),
        }
    }

    fn segments(&self, line: &Line) -> Option<Vec<usize>> {
        let sizes = line.attribute("operandSegmentSizes")?;
        Some(numbers(sizes.split_once(':').map_or(sizes, |s| s.1)).iter().map(|&n| n as usize).collect())
    }

    /// Operands cut up by the generic form's segment sizes.
    fn cut(&self, line: &Line, operands: &[Value], sizes: &[usize]) -> Result<Vec<Vec<Slot>>> {
        if sizes.iter().sum::<usize>() != operands.len() {
            return Err(line.error("segment sizes that do not fit the operands"));
        }
        let mut rest = operands;
        let mut parts = Vec::new();
        for &size in sizes {
            let (part, after) = rest.split_at(size);
            parts.push(part.iter().map(|v| v.slot).collect());
            rest = after;
        }
        Ok(parts)
    }

    fn tensor_load(&mut self, line: &Line) -> Result<()> {
        let operands = self.operands(line)?;
        let Some(first) = operands.first() else { return Err(line.error("no operands")) };
        let space = self.space_of(line, first)?;
        let im2col = line.attribute("mode").is_some_and(|m| m.contains("im2col"));
        let mut copy = match self.segments(line) {
            Some(sizes) => {
                let parts = self.cut(line, &operands, &sizes)?;
                let [to, map, coordinates, barrier, offsets, multicast, _hint, predicate] = parts.as_slice() else {
                    return Err(line.error("eight segments expected"));
                };
                if !predicate.is_empty() {
                    return Err(line.error("a predicate, which is not modelled"));
                }
                BulkTensor {
                    map: map[0],
                    shared: to[0],
                    space,
                    coordinates: coordinates.clone(),
                    barrier: barrier.first().copied(),
                    multicast: multicast.first().copied(),
                    offsets: offsets.clone(),
                    im2col,
                    add: false,
                }
            }
            None => BulkTensor {
                map: operands.get(1).ok_or_else(|| line.error("no map"))?.slot,
                shared: first.slot,
                space,
                coordinates: self.bracketed(line, "box")?,
                barrier: operands.get(2).map(|v| v.slot),
                multicast: self.keyed(line, "multicast_mask")?,
                offsets: self.bracketed(line, "im2col")?,
                im2col: false,
                add: false,
            },
        };
        copy.im2col |= !copy.offsets.is_empty();
        let reads: Vec<Slot> = operands.iter().map(|v| v.slot).collect();
        self.push_simple(Op::BulkTensorLoad(Box::new(copy)), &reads, &[]);
        Ok(())
    }

    fn tensor_store(&mut self, line: &Line, add: bool) -> Result<()> {
        let operands = self.operands(line)?;
        let [map, shared, ..] = operands.as_slice() else { return Err(line.error("a map and an address expected")) };
        let coordinates = match self.segments(line) {
            Some(sizes) => self.cut(line, &operands, &sizes)?.get(2).cloned().unwrap_or_default(),
            None => self.bracketed(line, "box")?,
        };
        let copy = BulkTensor {
            map: map.slot,
            shared: shared.slot,
            space: Space::Shared,
            coordinates,
            barrier: None,
            multicast: None,
            offsets: Vec::new(),
            im2col: false,
            add,
        };
        let reads: Vec<Slot> = operands.iter().map(|v| v.slot).collect();
        self.push_simple(Op::BulkTensorStore(Box::new(copy)), &reads, &[]);
        Ok(())
    }
}

//! nvvm: ids, lane exchange, barriers, matrix instructions.

use super::{Builder, Value};
use crate::errors::Result;
use crate::inst::{Binary, Count, Element, Mma, Op, Shuffle, Slot, Space, Special, Vote, Wgmma, WgmmaA};
use crate::lower::arith::look;
use crate::text::{Line, inside, numbers, split_list};
use crate::types::{Scalar, Type, parse};

const I1: Type = Type::Scalar(Scalar::Int(1));
const I32: Type = Type::Scalar(Scalar::Int(32));

const SPECIALS: &[(&str, Special)] = &[
    ("tid.x", Special::Thread(0)),
    ("tid.y", Special::Thread(1)),
    ("tid.z", Special::Thread(2)),
    ("ntid.x", Special::Threads(0)),
    ("ntid.y", Special::Threads(1)),
    ("ntid.z", Special::Threads(2)),
    ("ctaid.x", Special::Workgroup(0)),
    ("ctaid.y", Special::Workgroup(1)),
    ("ctaid.z", Special::Workgroup(2)),
    ("nctaid.x", Special::Workgroups(0)),
    ("nctaid.y", Special::Workgroups(1)),
    ("nctaid.z", Special::Workgroups(2)),
    ("laneid", Special::Lane),
    ("warpid", Special::Warp),
    ("cluster.ctarank", Special::ClusterRank),
    ("cluster.nctarank", Special::ClusterSize),
    ("cluster.ctaid.x", Special::ClusterRank),
    ("cluster.nctaid.x", Special::ClusterSize),
    ("clusterid.x", Special::ClusterId),
    ("nclusterid.x", Special::Clusters),
    ("lanemask.eq", Special::LaneMask(0)),
    ("lanemask.lt", Special::LaneMask(1)),
    ("lanemask.le", Special::LaneMask(2)),
    ("lanemask.gt", Special::LaneMask(3)),
    ("lanemask.ge", Special::LaneMask(4)),
    ("clock", Special::Clock),
    ("clock64", Special::Clock),
    ("globaltimer", Special::Clock),
];

/// The special register that PTX writes as `%tid.x`, ….
pub(super) fn special(text: &str) -> Option<Special> {
    look(SPECIALS, text.strip_prefix('%')?)
}

pub const ELEMENTS: &[(&str, Element)] = &[
    ("f16", Element::F16),
    ("bf16", Element::Bf16),
    ("tf32", Element::Tf32),
    ("f32", Element::F32),
    ("f64", Element::F64),
    ("e4m3", Element::E4m3),
    ("e5m2", Element::E5m2),
    ("s8", Element::S8),
    ("u8", Element::U8),
    ("s4", Element::S4),
    ("u4", Element::U4),
    ("s32", Element::S32),
];

const REDUCTIONS: &[(&str, Binary)] = &[
    ("add", Binary::Add),
    ("and", Binary::And),
    ("or", Binary::Or),
    ("xor", Binary::Xor),
    ("min", Binary::MinS),
    ("max", Binary::MaxS),
    ("umin", Binary::MinU),
    ("umax", Binary::MaxU),
    ("fmin", Binary::MinNum),
    ("fmax", Binary::MaxNum),
];

impl Builder {
    /// Lowers an operation of nvvm that is no asynchronous copy; false if it is none.
    pub(super) fn nvvm(&mut self, line: &Line) -> Result<bool> {
        if let Some(name) = line.name.strip_prefix("nvvm.read.ptx.sreg.") {
            let which = look(SPECIALS, name).ok_or_else(|| line.error("a special register that is not modelled"))?;
            let ty = self.result_type(line)?;
            let to = self.result(line, ty)?;
            self.push_simple(Op::Special { to, which }, &[], &[to]);
            return Ok(true);
        }
        match line.name.as_str() {
            "nvvm.shfl.sync" => self.shuffle(line)?,
            "nvvm.vote.sync" | "nvvm.vote.ballot.sync" => self.vote(line)?,
            "nvvm.match.sync" => {
                let [members, a] = self.operands_n(line)?;
                let to = self.result(line, I32)?;
                self.push_simple(Op::Match { to, a: a.slot, members: members.slot }, &[a.slot], &[to]);
            }
            "nvvm.redux.sync" => {
                let [a, members] = self.operands_n(line)?;
                let word = line.attribute("kind").and_then(|k| inside(k, '<')).unwrap_or_else(|| line.first_word());
                let word = word.trim_start_matches("redux_kind").trim().to_string();
                let op = look(REDUCTIONS, &word).ok_or_else(|| line.error("a reduction that is not modelled"))?;
                let ty = a.scalar(line)?;
                let to = self.result(line, a.ty.clone())?;
                self.push_simple(Op::Reduce { op, ty, to, a: a.slot, members: members.slot }, &[a.slot], &[to]);
            }
            "nvvm.elect.sync" => {
                let to = self.result(line, I1)?;
                self.push_simple(Op::Elect { to }, &[], &[to]);
            }
            "nvvm.prmt" => self.permutation(line)?,
            "nvvm.bar.warp.sync" => {
                let [members] = self.operands_n(line)?;
                self.push_simple(Op::WarpSync { members: Some(members.slot) }, &[members.slot], &[]);
            }
            "nvvm.barrier0" => {
                self.push(Op::Barrier { id: Count::Fixed(0), threads: None, wait: true }, &[], &[]);
            }
            "nvvm.barrier" | "nvvm.barrier.arrive" => self.barrier(line)?,
            "nvvm.cluster.arrive" | "nvvm.cluster.arrive.relaxed" => self.push(Op::ClusterArrive, &[], &[]),
            "nvvm.cluster.wait" => self.push(Op::ClusterWait, &[], &[]),
            "nvvm.setmaxregister" => {
                let count = line.number_of("regCount").or_else(|| numbers(&line.body).first().copied());
                if !count.is_some_and(|n| (24..=256).contains(&n) && n % 8 == 0) {
                    return Err(line.error("register counts are multiples of 8 from 24 to 256"));
                }
                self.push(Op::SetRegisters, &[], &[]);
            }
            "nvvm.ldmatrix" => {
                let [address] = self.operands_n(line)?;
                let count = line.number_of("num").ok_or_else(|| line.error("no num"))? as u32;
                self.check_8x8(line)?;
                let ty = self.result_type(line)?;
                let to = self.result(line, ty)?;
                let transposed = line.attribute("layout").is_some_and(|l| l.contains("col"));
                self.push(
                    Op::LoadMatrix { to, address: address.slot, count, transposed },
                    &[(address.slot, 1)],
                    &[(to, count)],
                );
            }
            "nvvm.stmatrix" => {
                let operands = self.operands(line)?;
                self.check_8x8(line)?;
                let slots: Vec<Slot> = operands.iter().map(|v| v.slot).collect();
                let transposed = line.attribute("layout").is_some_and(|l| l.contains("col"));
                let (address, values) = (slots[0], slots[1..].into());
                self.push_simple(Op::StoreMatrix { address, values, transposed }, &slots, &[]);
            }
            "nvvm.mma.sync" => self.mma_sync(line)?,
            "nvvm.wgmma.mma_async" => self.wgmma(line)?,
            "nvvm.wgmma.fence.aligned" => self.push(Op::WgmmaFence, &[], &[]),
            "nvvm.wgmma.commit.group.sync.aligned" => self.push(Op::WgmmaCommit, &[], &[]),
            "nvvm.wgmma.wait.group.sync.aligned" => {
                let pending = line.number_of("group").or_else(|| numbers(&line.body).first().copied());
                let pending = pending.ok_or_else(|| line.error("no group count"))? as u32;
                self.push(Op::WgmmaWait { pending }, &[], &[]);
            }
            name if name.starts_with("nvvm.convert.") => return self.convert(line),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn check_8x8(&self, line: &Line) -> Result<()> {
        let shape = line.attribute("shape").map(numbers).unwrap_or_else(|| vec![8, 8]);
        let plain = line.attribute("eltType").is_none_or(|t| t.contains("b16"));
        if shape == [8, 8] && plain { Ok(()) } else { Err(line.error("only 8×8 matrices of 16 bits are modelled")) }
    }

    fn shuffle(&mut self, line: &Line) -> Result<()> {
        let [members, a, lane, clamp] = self.operands_n(line)?;
        let text = line.attribute("kind").unwrap_or(&line.body);
        let modes = [("bfly", Shuffle::Bfly), ("idx", Shuffle::Idx), ("up", Shuffle::Up), ("down", Shuffle::Down)];
        let mode = modes.iter().find(|(word, _)| text.split(|c: char| !c.is_alphanumeric()).any(|w| w == *word));
        let mode = mode.ok_or_else(|| line.error("an unknown mode"))?.1;
        let ty = self.result_type(line)?;
        let to = self.result(line, ty.clone())?;
        let valid = matches!(ty, Type::Struct(_)).then_some(to + 1);
        let op = Op::Shuffle { mode, to, a: a.slot, lane: lane.slot, clamp: clamp.slot, members: members.slot, valid };
        self.push(op, &[(a.slot, 1), (lane.slot, 1), (clamp.slot, 1), (members.slot, 1)], &[(to, ty.slots())]);
        Ok(())
    }

    fn vote(&mut self, line: &Line) -> Result<()> {
        let [members, a] = self.operands_n(line)?;
        let text = line.attribute("kind").unwrap_or(&line.body);
        let vote = match () {
            _ if line.name.contains("ballot") || text.contains("ballot") => Vote::Ballot,
            _ if text.contains("any") => Vote::Any,
            _ if text.contains("all") => Vote::All,
            _ if text.contains("uni") => Vote::Uniform,
            _ => return Err(line.error("an unknown vote")),
        };
        let to = self.result(line, if vote == Vote::Ballot { I32 } else { I1 })?;
        self.push_simple(Op::Vote { vote, to, a: a.slot, members: members.slot }, &[a.slot, members.slot], &[to]);
        Ok(())
    }

    /// `nvvm.barrier id = %i number_of_threads = %n`, or the generic form with segment sizes.
    fn barrier(&mut self, line: &Line) -> Result<()> {
        let operands = self.operands(line)?;
        let wait = line.name == "nvvm.barrier";
        let has_id = match line.attribute("operandSegmentSizes") {
            Some(sizes) => numbers(sizes.split_once(':').map_or(sizes, |s| s.1)).first() == Some(&1),
            None => line.body.contains("id =") || (!wait && operands.len() == 2),
        };
        let mut slots = operands.iter().map(|v| v.slot);
        let id = if has_id { slots.next().map_or(Count::Fixed(0), Count::In) } else { Count::Fixed(0) };
        let threads = slots.next().map(Count::In);
        self.push(Op::Barrier { id, threads, wait }, &[], &[]);
        Ok(())
    }

    fn convert(&mut self, line: &Line) -> Result<bool> {
        let [high, low] = self.operands_n(line)?;
        let name = line.name.trim_start_matches("nvvm.convert.");
        let (element, relu) = match name {
            "f32x2.to.bf16x2" => (Scalar::Bf16, line.attribute("relu").is_some_and(|r| r.starts_with("true"))),
            "f32x2.to.f16x2" => (Scalar::F16, line.attribute("relu").is_some_and(|r| r.starts_with("true"))),
            _ => return Ok(false),
        };
        if relu || line.attribute("rnd").is_some_and(|r| !r.contains("<rn>")) {
            return Err(line.error("only rounding to nearest without relu is modelled"));
        }
        let ty = self.result_type(line)?;
        let pair = self.scratch(2);
        for (at, value) in [low, high].iter().enumerate() {
            let op = crate::inst::Unary::FloatToFloat;
            self.push_unary(op, (Scalar::F32, element), pair + at as u32, value.slot, 1);
        }
        let n = ty.slots();
        let to = self.result(line, ty)?;
        let op = Op::Recast { to, to_bits: 32 / n, to_n: n, a: pair, from_bits: 16, from_n: 2 };
        self.push(op, &[(pair, 2)], &[(to, n)]);
        self.release(pair, 2);
        Ok(true)
    }

    /// Operands in the brackets behind a letter, or by segment sizes.
    fn mma_groups(&self, line: &Line) -> Result<[Vec<Value>; 3]> {
        let operands = self.operands(line)?;
        let sizes: Vec<usize> = match line.attribute("operandSegmentSizes") {
            Some(sizes) => numbers(sizes.split_once(':').map_or(sizes, |s| s.1)).iter().map(|&n| n as usize).collect(),
            None => line.body.split('[').skip(1).map(|g| split_list(g.split(']').next().unwrap_or("")).len()).collect(),
        };
        if sizes.len() < 3 || sizes.iter().take(3).sum::<usize>() != operands.len() {
            return Err(line.error("operands of A, B and C expected"));
        }
        let (a, rest) = operands.split_at(sizes[0]);
        let (b, c) = rest.split_at(sizes[1]);
        Ok([a.to_vec(), b.to_vec(), c.to_vec()])
    }

    fn mma_sync(&mut self, line: &Line) -> Result<()> {
        let [a, b, c] = self.mma_groups(line)?;
        let ints = line.attribute("shape").map(numbers).unwrap_or_default();
        let &[m, n, k] = ints.as_slice() else { return Err(line.error("no shape")) };
        let ty = self.result_type(line)?;
        let named = |attribute: &str| {
            let text = line.attribute(attribute)?;
            look(ELEMENTS, inside(text, '<')?)
        };
        let guess = |group: &[Value]| match group.first().and_then(|v| v.ty.element()) {
            Some(Scalar::F16) => Some(Element::F16),
            Some(Scalar::F64) => Some(Element::F64),
            _ => None,
        };
        let d_type = match ty.scalars().first() {
            Some(Scalar::F32) => Element::F32,
            Some(Scalar::F64) => Element::F64,
            Some(Scalar::Int(_)) => Element::S32,
            Some(Scalar::F16) => Element::F16,
            _ => return Err(line.error("a result that is not modelled")),
        };
        let a_type = named("multiplicandAPtxType").or_else(|| guess(&a)).ok_or_else(|| line.error("no type of A"))?;
        let b_type = named("multiplicandBPtxType").or_else(|| guess(&b)).ok_or_else(|| line.error("no type of B"))?;
        let slots = |group: &[Value]| group.iter().flat_map(|v| v.slot..v.slot + v.n()).collect::<Vec<Slot>>();
        let split = |group: &[Value]| group.first().is_some_and(|v| v.n() > 1);
        let mma = Mma {
            shape: (m as u32, n as u32, k as u32),
            a_type,
            b_type,
            d_type,
            a_row: line.attribute("layoutA").is_none_or(|l| l.contains("row")),
            b_col: line.attribute("layoutB").is_none_or(|l| l.contains("col")),
            saturate: line.attribute("intOverflowBehavior").is_some_and(|o| o.contains("satfinite")),
            a: slots(&a),
            b: slots(&b),
            c: slots(&c),
            to: 0,
            a_split: split(&a),
            c_split: split(&c),
        };
        let n = ty.slots();
        let to = self.result(line, ty)?;
        self.push_mma(line, Mma { to, ..mma }, n)
    }

    /// Appends a matrix multiply after checking that its registers fit its shape.
    pub(super) fn push_mma(&mut self, line: &Line, mma: Mma, results: u32) -> Result<()> {
        crate::fragments::check(&mma).map_err(|why| line.error(why))?;
        let reads: Vec<(Slot, u32)> = mma.a.iter().chain(&mma.b).chain(&mma.c).map(|&s| (s, 1)).collect();
        let to = mma.to;
        self.push(Op::Mma(Box::new(mma)), &reads, &[(to, results)]);
        Ok(())
    }

    /// The accumulator of a multiply in its own slots: those of the operand where nothing else looks at it any more.
    pub(super) fn accumulator(&mut self, line: &Line, name: &str) -> Result<Slot> {
        let value = self.value(line, name)?;
        let n = value.n();
        let result = crate::lower::liveness::result_names(line);
        let [to_name] = result.as_slice() else { return Err(line.error("one result expected")) };
        let dies = self.liveness.last(name) == Some(self.serial) && self.values.contains_key(name);
        if dies && !self.liveness.is_part(name) {
            if let Some(old) = self.values.get_mut(name) {
                old.owned = false;
            }
            self.values.insert(to_name.clone(), value.clone());
            return Ok(value.slot);
        }
        let to = self.result(line, value.ty)?;
        self.push_moves(&[(to, value.slot, n)]);
        Ok(to)
    }

    fn wgmma(&mut self, line: &Line) -> Result<()> {
        let names = line.operands();
        let generic = line.text.contains("\"nvvm.wgmma.mma_async\"");
        let &[x, y, z] = names.as_slice() else { return Err(line.error("three operands expected")) };
        let (sum_name, a, b) = if generic { (x, y, z) } else { (z, x, y) };
        let (a, b) = (self.value(line, a)?.slot, self.value(line, b)?.slot);
        let shape = line
            .body
            .split("nvvm.shape")
            .nth(1)
            .map(|s| numbers(s.split('>').next().unwrap_or("")))
            .unwrap_or_default();
        let &[64, n, k] = shape.as_slice() else { return Err(line.error("the shape is not m = 64")) };
        let ty = parse(crate::types::arrow(&line.signature).1.unwrap_or(&line.signature))?;
        let part = |letter: &str, keys: [&str; 3]| -> Vec<String> {
            if generic {
                return keys.iter().map(|key| angle(line.attribute(key).unwrap_or(""))).collect();
            }
            let text = line.body.split(&format!("{letter} [")).nth(1).and_then(|t| t.split(']').next()).unwrap_or("");
            split_list(text).into_iter().map(angle).collect()
        };
        let (d, pa, pb) = (
            part("D", ["typeD", "scaleD", "satfinite"]),
            part("A", ["typeA", "scaleA", "layoutA"]),
            part("B", ["typeB", "scaleB", "layoutB"]),
        );
        let element = |p: &[String]| p.first().and_then(|t| look(ELEMENTS, t)).ok_or_else(|| line.error("no type"));
        let word = |p: &[String], at: usize| p.get(at).cloned().unwrap_or_default();
        if word(&d, 1) != "one" && word(&d, 1) != "zero" {
            return Err(line.error("no scale of D"));
        }
        let multiply = Wgmma {
            n: n as u32,
            k: k as u32,
            a_type: element(&pa)?,
            b_type: element(&pb)?,
            d_type: element(&d)?,
            a: WgmmaA::Descriptor(a),
            b,
            a_k_major: word(&pa, 2) == "row",
            b_k_major: word(&pb, 2) == "col",
            negate_a: word(&pa, 1) == "neg",
            negate_b: word(&pb, 1) == "neg",
            scale_d: Ok(word(&d, 1) == "one"),
            saturate: word(&d, 2) == "satfinite",
            sum: 0,
        };
        if ty.slots() != registers_of(&multiply) {
            return Err(line.error("the accumulator has another number of registers than the shape"));
        }
        let sum = self.accumulator(line, sum_name)?;
        self.push_wgmma(line, Wgmma { sum, ..multiply })
    }

    pub(super) fn push_wgmma(&mut self, line: &Line, multiply: Wgmma) -> Result<()> {
        let bits = multiply.a_type.bits();
        let transposed = !multiply.a_k_major || !multiply.b_k_major;
        if multiply.k * bits != 256 || (transposed && bits != 16) || !multiply.n.is_multiple_of(8) || multiply.n > 256 {
            return Err(line.error("a shape, type and layout that the instruction does not have"));
        }
        self.push(Op::Wgmma(Box::new(multiply)), &[], &[]);
        Ok(())
    }

    /// The space of a pointer operand.
    pub(super) fn space_of(&self, line: &Line, value: &Value) -> Result<Space> {
        super::memory::space(line, &value.ty)
    }
}

/// Registers of the accumulator of a thread.
pub fn registers_of(multiply: &Wgmma) -> u32 {
    multiply.n / if multiply.d_type == Element::F16 { 4 } else { 2 }
}

/// What stands in the innermost brackets.
fn angle(text: &str) -> String {
    let text = text.trim();
    text.rsplit('<').next().unwrap_or(text).trim_end_matches('>').to_string()
}

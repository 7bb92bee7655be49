//! GEMV of 16-bit floats by matrix instructions: 16 long × 8 short outputs × 16 steps.
//!
//! The long operand is the instruction's first multiplicand, straight from memory: steps and outputs may be numbered as
//! one likes, as long as both multiplicands agree. Lane l is g = l / 4, t = l mod 4.
//!
//! * Lanes of a load along the steps: a block is 32 steps; lane (g, t) loads steps 8·t … 8·t + 7 of outputs g and g +
//!   8, and the same steps of short output g: two instructions, the first with the first four of these steps.
//! * Lanes along the outputs: a block is 16 steps of 64 outputs; lane (g, t) loads outputs 8·g … 8·g + 7 at steps 4·t …
//!   4·t + 3, and pairs neighbouring steps: four instructions, the i-th with outputs 8·g + 2·i and 8·g + 2·i + 1 as its
//!   rows g and g + 8.
//!
//! Worked example: [8, 8192]·[8192, 28672] bf16: 448 groups of 64 columns, 8 subgroups each, which take blocks s, s +
//! 8, …

use std::ops::Range;

use crate::gemv::schedule::{GemvSchedule, MATRIX_THREADS};
use fornax_graph::ElementType;
use fornax_plan::{ContractionForm, DirectLoad, KernelPlan, NodeId, Operand, VarId};
use fornax_targets::{Feature, Target};

use super::emit::{Bound, Gemv, Start, bind_joint, bindings, rebind};
use super::finish::{Entry, Kept};
use super::products::Space;
use super::steps::{Loaded, Steps};
use fornax_emit::emitter::Emitter;
use fornax_emit::errors::EmitError;
use fornax_emit::text::{Scalar, Ty, Value, list};

/// Steps of a lane in a block where its loads lie along the steps, and where they lie along the outputs.
const STEPS_INSIDE: i64 = 8;
const STEPS_ACROSS: i64 = 4;
/// Short outputs of an instruction.
const SHORT: i64 = 8;
const F32: Ty = Ty::scalar(Scalar::F32);

/// The loads of a space's operands, as they are numbered.
struct Loads {
    long: Vec<DirectLoad>,
    short: Vec<DirectLoad>,
}

/// What a lane reads: the bindings of the operands' outputs.
struct Reads<'s> {
    schedule: &'s GemvSchedule,
    element: ElementType,
    long_points: Vec<Bound>,
    short_point: Bound,
    /// t.
    quad: Value,
}

/// Emits the kernel after its workgroup is bound.
pub(super) fn emit(
    e: &mut Emitter<'_>,
    gemv: &Gemv<'_>,
    (thread, column_group): (Value, Value),
) -> Result<(), EmitError> {
    let s = gemv.schedule;
    let threads = i64::from(MATRIX_THREADS);
    let subgroup = e.code.int_k("arith.divui", thread, threads);
    let lane = e.code.int_k("arith.remui", thread, threads);
    let (row, quad) = e.code.div_rem(lane, 4);
    let mut down = subgroup;
    let across = e.next_digit(&mut down, i64::from(s.across));
    let (loads, element) = operands(e, gemv)?;
    let row_index = e.code.resize_u(row, e.index);
    let first = e.code.int_k("arith.muli", column_group, i64::from(s.across));
    let wide = e.code.resize_u(across, e.index);
    let tile = e.code.add_i(first, wide);
    let long_points = long_points(e, gemv, tile, row_index);
    let last = e.code.int(row_index.ty, gemv.rows - 1);
    let short_row = e.code.binary("arith.minsi", row_index, last);
    bind_joint(e, &s.short, short_row);
    let short_point = bindings(e, &s.short);
    let quad_index = e.code.resize_u(quad, e.index);
    let reads = Reads { schedule: s, element, long_points, short_point, quad: quad_index };
    let zero = e.code.bits(F32, 0);
    let all = gemv.stages.spaces().zip(&loads).map(|(space, loads)| ByWarps { reads: &reads, space, loads });
    let all: Vec<_> = all.collect();
    let mut begun = None;
    if gemv.is_early(e)? {
        if let Some(first) = all.first() {
            begun = gemv.begin_first(e, down, first)?;
        }
        gemv.await_earlier(e)?;
    }
    let ahead = gemv.ahead(e, (thread, column_group), None)?;
    let mut kept = Kept { parts: i64::from(s.down), stride: SHORT * s.width() as i64, array: None, ahead };
    let mut spaces = all.iter();
    for stage in &gemv.stages.stages {
        let mut sums = vec![zero; stage.sums.len() * 4 * instructions(s)];
        for steps in spaces.by_ref().take(stage.spaces.len()) {
            sums = gemv.fold(e, (down, sums), steps, begun.take())?;
        }
        let entries = entries(e, gemv, (&sums, stage.sums.start), [row, quad, across, down]);
        gemv.keep(e, &mut kept, (&entries, None))?;
    }
    gemv.finish(e, &kept, (thread, column_group))
}

/// Instructions of a block, for one product.
fn instructions(s: &GemvSchedule) -> usize {
    if s.inside { s.tile as usize } else { s.lanes as usize / 2 }
}

/// The loads of the operands of each space, and their element type.
fn operands(e: &Emitter<'_>, gemv: &Gemv<'_>) -> Result<(Vec<Loads>, ElementType), EmitError> {
    let s = gemv.schedule;
    let of = |node: &NodeId| Operand::of(e.exprs, *node);
    let all = gemv.stages.spaces().flat_map(|space| space.long.iter().chain(&space.short)).map(of);
    let elements: Vec<ElementType> = all.map(|operand| operand.element).collect();
    let element = elements.first().copied().filter(|&first| elements.iter().all(|&other| other == first));
    let element = element.filter(|element| matches!(element, ElementType::F16 | ElementType::Bf16));
    let plain = |nodes: &[NodeId]| -> Option<Vec<DirectLoad>> {
        nodes.iter().map(|node| of(node).load.filter(|load| load.mask.is_none())).collect()
    };
    let each = |space: &Space| Some(Loads { long: plain(&space.long)?, short: plain(&space.short)? });
    let loads: Option<Vec<Loads>> = gemv.stages.spaces().map(each).collect();
    let wide = s.lanes == 8 || !s.inside && s.lanes == 4;
    let fits = loads.zip(element).filter(|_| wide && gemv.rows <= SHORT);
    fits.ok_or_else(|| e.unfit("matrix instructions for operands that are no plain loads of 16-bit floats"))
}

/// Bindings of the long outputs that a lane loads, tile by tile.
fn long_points(e: &mut Emitter<'_>, gemv: &Gemv<'_>, tile: Value, row: Value) -> Vec<Bound> {
    let s = gemv.schedule;
    if s.inside {
        let first = e.code.int_k("arith.muli", tile, 16 * i64::from(s.tile));
        let first = e.code.add_i(first, row);
        return (0..2 * i64::from(s.tile))
            .map(|half| {
                let number = e.code.add_ik(first, 8 * half);
                let last = e.code.int(number.ty, gemv.columns - 1);
                let number = e.code.binary("arith.minsi", number, last);
                bind_joint(e, &s.long, number);
                bindings(e, &s.long)
            })
            .collect();
    }
    let lanes = i64::from(s.lanes);
    let first = e.code.int_k("arith.muli", tile, 8);
    let chunk = e.code.add_i(first, row);
    let last = e.code.int(chunk.ty, gemv.columns / lanes - 1);
    let mut chunk = e.code.binary("arith.minsi", chunk, last);
    if let Some((&last, outer)) = s.long.split_last() {
        let extent = e.exprs.indices.extent(last) / lanes;
        let digit = if outer.is_empty() { chunk } else { e.next_digit(&mut chunk, extent) };
        bind_joint(e, outer, chunk);
        e.lanes = s.lanes;
        let base = e.code.int_k("arith.muli", digit, lanes);
        e.bind_lanes(last, Some(base), lanes, 0);
    }
    vec![bindings(e, &s.long)]
}

/// Products by matrix instructions.
struct ByWarps<'p> {
    reads: &'p Reads<'p>,
    space: &'p Space,
    loads: &'p Loads,
}

impl ByWarps<'_> {
    /// Binds the outer reduction variables of a block; gives the lane's first step in it.
    fn step(&self, e: &mut Emitter<'_>, Start { outer, base, .. }: &Start) -> Value {
        rebind(e, outer);
        let own = e.code.int_k("arith.muli", self.reads.quad, self.each());
        e.code.add_i(*base, own)
    }

    /// Steps of a lane in a block.
    fn each(&self) -> i64 {
        if self.reads.schedule.inside { STEPS_INSIDE } else { STEPS_ACROSS }
    }
}

impl Steps for ByWarps<'_> {
    /// Words.
    type Load = Vec<Value>;

    fn space(&self) -> &Space {
        self.space
    }

    fn fetch(&self, e: &mut Emitter<'_>, starts: &[Start], loads: Range<usize>) -> Result<Loaded<Self>, EmitError> {
        let mut fetched = Vec::new();
        for start in starts {
            let step = (self.space.inner, self.step(e, start));
            let each = self.loads.long.iter().map(|load| fetch_long(e, self.reads, load, (step, loads.clone())));
            fetched.push(each.collect::<Result<Vec<_>, _>>()?);
        }
        Ok(fetched)
    }

    fn multiply(
        &self,
        e: &mut Emitter<'_>,
        (starts, long): (&[Start], Loaded<Self>),
        mut sums: Vec<Value>,
        _: bool,
    ) -> Result<Vec<Value>, EmitError> {
        let (reads, each) = (self.reads, self.each());
        let mut fetched = Vec::new();
        for start in starts {
            let step = self.step(e, start);
            rebind(e, &reads.short_point);
            e.lanes = each as u32;
            e.bind_lanes(self.space.inner, Some(step), each, 0);
            let short = self.loads.short.iter().map(|load| e.load_words(load.buffer, load.offset));
            fetched.push(short.collect::<Result<Vec<_>, _>>()?);
        }
        let own = 4 * instructions(reads.schedule);
        for (long, short) in long.iter().zip(fetched) {
            for term in &self.space.terms {
                let sums = &mut sums[own * term.sum..][..own];
                add(e, (reads.schedule, reads.element), (&long[term.long], &short[term.short]), sums);
            }
        }
        Ok(sums)
    }
}

/// Can matrix instructions multiply the operands? Both are plain loads of one 16-bit type, contiguous where they are
/// read.
pub(super) fn multiplies(plan: &KernelPlan, target: &Target, form: &ContractionForm, long: &Operand) -> bool {
    let short = if long.node == form.row_operand.node { &form.column_operand } else { &form.row_operand };
    let element = long.element;
    let feature = match element {
        ElementType::Bf16 => target.has(Feature::MmaBf16),
        ElementType::F16 => target.has(Feature::MmaF16),
        _ => false,
    };
    let along =
        |load: &DirectLoad| form.steps.last().and_then(|&v| plan.exprs.indices.stride(load.offset, v)) == Some(1);
    feature
        && long.load.is_some()
        && form.accumulator == ElementType::F32
        && short.element == element
        && short.load.is_some_and(|load| load.mask.is_none() && along(&load))
}

/// A lane's words of one long operand: one list a load.
fn fetch_long(
    e: &mut Emitter<'_>,
    reads: &Reads<'_>,
    load: &DirectLoad,
    ((inner, step), loads): ((VarId, Value), Range<usize>),
) -> Result<Vec<Vec<Value>>, EmitError> {
    let s = reads.schedule;
    e.lanes = s.lanes;
    let mut long = Vec::new();
    if s.inside {
        for point in &reads.long_points[loads] {
            rebind(e, point);
            e.bind_lanes(inner, Some(step), STEPS_INSIDE, 0);
            long.push(e.load_words(load.buffer, load.offset)?);
        }
        return Ok(long);
    }
    for point in &reads.long_points {
        rebind(e, point);
        for at in loads.clone() {
            e.bind(inner, Some(step), STEPS_ACROSS, at as i64);
            long.push(e.load_words(load.buffer, load.offset)?);
        }
    }
    Ok(long)
}

/// Adds the products of a block to one sum of each output.
fn add(
    e: &mut Emitter<'_>,
    (s, element): (&GemvSchedule, ElementType),
    (long, short): (&[Vec<Value>], &[Value]),
    sums: &mut [Value],
) {
    if s.inside {
        for (tile, rows) in long.chunks(2).enumerate() {
            for half in [0, 2] {
                let a = [rows[0][half], rows[1][half], rows[0][half + 1], rows[1][half + 1]];
                let b = [short[half], short[half + 1]];
                multiply(e, element, &a, &b, &mut sums[4 * tile..4 * tile + 4]);
            }
        }
        return;
    }
    for word in 0..s.lanes as usize / 2 {
        let first = e.code.paired_halves(long[0][word], long[1][word]);
        let second = e.code.paired_halves(long[2][word], long[3][word]);
        let a = [first[0], first[1], second[0], second[1]];
        multiply(e, element, &a, &short[..2], &mut sums[4 * word..4 * word + 4]);
    }
}

/// `sums += a·b` by one instruction.
pub(super) fn multiply(e: &mut Emitter<'_>, element: ElementType, a: &[Value], b: &[Value], sums: &mut [Value]) {
    let pair = Ty::vector(Scalar::F16, 2);
    let mut cast = |registers: &[Value]| -> Vec<Value> {
        if element == ElementType::Bf16 {
            return registers.to_vec();
        }
        registers.iter().map(|r| e.code.pure(pair, format!("llvm.bitcast {r} : i32 to {pair}"))).collect()
    };
    let (a, b) = (cast(a), cast(b));
    let (operand, types) = match element {
        ElementType::Bf16 => {
            ("i32", "multiplicandAPtxType = #nvvm.mma_type<bf16>, multiplicandBPtxType = #nvvm.mma_type<bf16>, ")
        }
        _ => ("vector<2xf16>", ""),
    };
    let result = "!llvm.struct<(f32, f32, f32, f32)>";
    let all = e.code.effect(
        F32,
        &format!(
            "nvvm.mma.sync A[{}] B[{}] C[{}] {{layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, \
             {types}shape = #nvvm.shape<m = 16, n = 8, k = 16>}} : ({operand}, {operand}, f32) -> {result}",
            list(&a),
            list(&b),
            list(sums)
        ),
    );
    for (at, sum) in sums.iter_mut().enumerate() {
        *sum = e.code.pure(F32, format!("llvm.extractvalue {all}[{at}] : {result}"));
    }
}

/// Where a lane's sums go: element j of an instruction is of its row g (+ 8 for j ≥ 2) and short output 2·t (+ 1 for
/// odd j).
fn entries(
    e: &mut Emitter<'_>,
    gemv: &Gemv<'_>,
    (sums, first_sum): (&[Value], usize),
    [row, quad, across, down]: [Value; 4],
) -> Vec<Entry> {
    let s = gemv.schedule;
    let width = s.width() as i64;
    let part = e.code.int_k("arith.muli", down, gemv.stages.places.len() as i64 * SHORT * width);
    let short = e.code.int_k("arith.muli", quad, 2 * width);
    let column = e.code.int_k("arith.muli", across, width / i64::from(s.across));
    let own = if s.inside { row } else { e.code.int_k("arith.muli", row, i64::from(s.lanes)) };
    let base = e.code.add_i(part, short);
    let base = e.code.add_i(base, column);
    let base = e.code.add_i(base, own);
    (0i64..)
        .zip(sums)
        .map(|(at, &value)| {
            let own = 4 * instructions(s) as i64;
            let (sum, instruction, j) = (first_sum as i64 + at / own, at % own / 4, at % 4);
            let long = if s.inside { 16 * instruction + 8 * (j / 2) } else { 2 * instruction + j / 2 };
            Entry { base, offset: (sum * SHORT + j % 2) * width + long, value }
        })
        .collect()
}

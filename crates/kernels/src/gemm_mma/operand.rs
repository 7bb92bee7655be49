//! One operand of a product: which outputs it moves with, how it lies in shared memory and how it gets there.
//!
//! A plain load that is contiguous along the steps or along its outputs is copied asynchronously in pieces of 16, 8 or
//! 4 bytes; padding and tails are pieces of which nothing is read, so that zeros arrive. Anything else – a conversion,
//! a gather, an elementwise producer, a load of odd alignment – is evaluated in registers and written from there.
//!
//! Worked example: rows of a 3×3 convolution over 64 channels, NHWC bf16: steps (ky, kx, c); the load has stride 1
//! along c and all its other strides are multiples of 8, so pieces are 8 elements, each with the mask of its window
//! place.

use crate::gemm_mma::schedule::MmaSchedule;
use fornax_graph::ElementType;
use fornax_plan::matrix::Lanes;
use fornax_plan::walk::Reached;
use fornax_plan::{DirectLoad, IndexId, MatrixAtom, Node, NodeId, Operand};
use fornax_targets::Feature;

use super::axes::Axes;
use super::direct;
use super::layout::{CHUNK_BYTES, Layout, Major, Reading};
use fornax_emit::emitter::Emitter;
use fornax_emit::errors::EmitError;
use fornax_emit::index::IndexValue;

/// How pieces come into shared memory.
#[derive(Clone, Copy, Debug)]
pub enum Copy {
    /// `cp.async` of a load.
    Async(DirectLoad),
    /// Straight to shared memory, a chunk a lane (`direct`).
    Direct(DirectLoad),
    /// Evaluated in registers.
    Registers,
}

/// One operand.
#[derive(Clone, Debug)]
pub struct Side {
    /// The operand in the element type that is staged.
    pub node: NodeId,
    pub outputs: Axes,
    pub layout: Layout,
    pub copy: Copy,
    /// Elements of a piece, and whether they are steps or outputs: what the layout's rows run along, but for
    /// [`Side::transposed`].
    pub width: i64,
    pub along: Major,
    /// Pieces run across the layout's rows: `transposed_steps` of them are transposed into as many parts of chunks as
    /// they have outputs.
    pub transposed: bool,
    pub transposed_steps: i64,
    /// Neighbouring threads take neighbouring rows of the layout (else neighbours along a row).
    pub rows_first: bool,
    /// Warps that share the tile along this operand's outputs.
    pub warps: i64,
    /// Type that evaluated elements have in shared memory.
    pub element: ElementType,
}

/// What a side is made for.
pub struct Frame<'a> {
    pub schedule: &'a MmaSchedule,
    pub steps: &'a Axes,
    /// Outputs of the tile, warps along them, bytes from the start of a stage.
    pub extent: i64,
    pub warps: i64,
    pub start: i64,
}

impl Side {
    pub fn new(e: &mut Emitter<'_>, frame: &Frame<'_>, operand: &Operand, outputs: Axes) -> Result<Side, EmitError> {
        let atom = frame.schedule.atom;
        let staged = atom.row().element;
        // Bytes are staged as they are, signed or not, of either kind of f8.
        let exact = atom.row().stages(operand.element);
        let (node, load) = if exact { (operand.narrow, operand.load) } else { (operand.node, None) };
        // Small floats are f16 values in f32 registers.
        let element = if staged.bits() == 16 { staged } else { e.exprs.element(node) };
        let (major, copy, width) = choose(e, atom, node, load, &outputs, frame.steps)?;
        let ldmatrix = e.target.has(Feature::LdMatrix);
        let size = (frame.extent, i64::from(frame.schedule.steps));
        let mut layout = Layout::new(atom, ldmatrix, major, size, frame.start);
        let (mut copy, chunked) = (copy, layout.reading == Reading::Chunks);
        if let Some(load) = load.filter(|_| chunked && matches!(copy, Copy::Registers))
            && direct::fits(e, frame.schedule, node, load, frame.steps, width)
            && runs(e, load.offset, None, Pieces { outputs: &outputs, steps: frame.steps, major: Major::Steps, width })?
        {
            copy = Copy::Direct(load);
            layout = layout.in_rows();
        }
        let across = matches!(copy, Copy::Registers)
            && (width == 1 || layout.reading == Reading::Chunks)
            && across(e, node, major, &outputs, frame.steps)?;
        let mut side = Side {
            node,
            element,
            outputs,
            layout,
            copy,
            width,
            along: major,
            transposed: false,
            transposed_steps: 1,
            rows_first: across,
            warps: frame.warps,
        };
        if across && layout.reading == Reading::Chunks {
            let threads = i64::from(frame.schedule.threads());
            side.along = Major::Outputs;
            side.transposed = true;
            (side.width, side.transposed_steps) = turned_size(e, &side, frame.steps, threads)?;
        }
        Ok(side)
    }

    /// Outputs of a warp.
    pub fn warp_outputs(&self) -> i64 {
        self.layout.outputs / self.warps
    }
}

/// The way in which most elements move at once.
fn choose(
    e: &mut Emitter<'_>,
    atom: MatrixAtom,
    node: NodeId,
    load: Option<DirectLoad>,
    outputs: &Axes,
    steps: &Axes,
) -> Result<(Major, Copy, i64), EmitError> {
    let bytes = i64::from(atom.bytes());
    let most = CHUNK_BYTES / bytes;
    // Fragments of bytes cannot be transposed on the way to registers; chunks are steps of one output.
    let chunked = atom.row().lanes != Lanes::Quads;
    let majors: &[Major] = if bytes == 1 || chunked { &[Major::Steps] } else { &[Major::Steps, Major::Outputs] };
    let mut best: Option<(Major, Copy, i64)> = None;
    if let Some(load) = load.filter(|_| e.target.has(Feature::CpAsync)) {
        for &major in majors {
            let mut width = most;
            while width * bytes >= 4 && best.is_none_or(|b| width > b.2) {
                if runs(e, load.offset, load.mask, Pieces { outputs, steps, major, width })? {
                    best = Some((major, Copy::Async(load), width));
                }
                width /= 2;
            }
        }
    }
    if let Some(best) = best {
        return Ok(best);
    }
    let mut best = (Major::Steps, Copy::Registers, 0, 1);
    let loads = offsets(e, node);
    for &major in majors {
        let inner = if major == Major::Steps { steps } else { outputs }.inner_extent();
        let mut width = most;
        while width > 1 && inner % width != 0 {
            width /= 2;
        }
        let mut contiguous = 0;
        for &offset in &loads {
            contiguous += i64::from(width > 1 && is_affine(e, offset, outputs, steps, major, width)?);
        }
        if contiguous * width > best.2 || best.2 == 0 && width > best.3 {
            best = (major, Copy::Registers, contiguous * width, width);
        }
    }
    Ok((best.0, best.1, best.3))
}

/// Offsets of the loads that a node is made of.
fn offsets(e: &Emitter<'_>, node: NodeId) -> Vec<IndexId> {
    let reached = Reached::from(e.exprs, [node], &[]);
    let offset = |&n: &NodeId| match *e.exprs.node(n) {
        Node::Load { offset, .. } => Some(offset),
        _ => None,
    };
    reached.nodes.iter().filter_map(offset).collect()
}

/// Outputs of a piece that is transposed, as many as are neighbours in memory, and pieces of a unit: as many as a chunk
/// has steps, or fewer, so that every thread has units.
fn turned_size(e: &mut Emitter<'_>, side: &Side, steps: &Axes, threads: i64) -> Result<(i64, i64), EmitError> {
    let layout = side.layout;
    let loads = offsets(e, side.node);
    // Parts of chunks are words or more.
    let word = (4 / layout.bytes).max(1);
    let (mut width, all) = (layout.chunk_elements(), layout.outputs * layout.row_elements());
    while width > 1 {
        let divides =
            !side.outputs.is_sized() && side.outputs.inner_extent() % width == 0 && layout.outputs % width == 0;
        let mut rows = layout.chunk_elements();
        while rows > word && all / width % (rows * threads) != 0 {
            rows /= 2;
        }
        if divides && all / width % (rows * threads) == 0 {
            let mut neighbours = true;
            for &offset in &loads {
                neighbours &= is_affine(e, offset, &side.outputs, steps, Major::Outputs, width)?;
            }
            if neighbours {
                return Ok((width, rows));
            }
        }
        width /= 2;
    }
    Ok((1, layout.chunk_elements()))
}

/// Whether loads are neighbours from row to row of the layout.
fn across(e: &mut Emitter<'_>, node: NodeId, major: Major, outputs: &Axes, steps: &Axes) -> Result<bool, EmitError> {
    let other = if major == Major::Steps { Major::Outputs } else { Major::Steps };
    for offset in offsets(e, node) {
        if is_affine(e, offset, outputs, steps, other, 2)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Binds outputs and steps somewhere, `width` lanes along the layout's rows.
fn bind_anywhere(e: &mut Emitter<'_>, outputs: &Axes, steps: &Axes, major: Major, width: i64) {
    e.lanes = width as u32;
    let ty = e.index_ty();
    let zero = e.code.int(ty, 0);
    for (axes, along) in [(outputs, Major::Outputs), (steps, Major::Steps)] {
        let inner = axes.vars.last().map(|v| v.0);
        for &(var, _) in &axes.vars {
            if major == along && Some(var) == inner {
                e.bind_lanes(var, Some(zero), width, 0);
            } else {
                e.bind(var, Some(zero), 1, 0);
            }
        }
    }
}

/// Whether lanes of an offset are neighbours.
fn is_affine(
    e: &mut Emitter<'_>,
    offset: IndexId,
    outputs: &Axes,
    steps: &Axes,
    major: Major,
    width: i64,
) -> Result<bool, EmitError> {
    bind_anywhere(e, outputs, steps, major, width);
    let index = e.index(offset)?;
    e.lanes = 1;
    Ok(matches!(index, IndexValue::Affine { stride: 1, .. }))
}

/// Neighbouring elements along a layout's rows.
struct Pieces<'a> {
    outputs: &'a Axes,
    steps: &'a Axes,
    /// What the rows run along.
    major: Major,
    /// Elements of a piece.
    width: i64,
}

/// Whether pieces are contiguous, aligned and masked as a whole.
fn runs(e: &mut Emitter<'_>, offset: IndexId, mask: Option<NodeId>, pieces: Pieces<'_>) -> Result<bool, EmitError> {
    let Pieces { outputs, steps, major, width } = pieces;
    let axes = if major == Major::Steps { steps } else { outputs };
    if axes.inner_extent() % width != 0 {
        return Ok(false);
    }
    if width == 1 {
        return Ok(true);
    }
    if !is_affine(e, offset, outputs, steps, major, width)? {
        return Ok(false);
    }
    let (modulus, residue) = e.congruence(offset);
    if modulus % width != 0 || residue % width != 0 {
        return Ok(false);
    }
    let Some(mask) = mask else { return Ok(true) };
    e.lanes = width as u32;
    let mask = e.eval(mask)?;
    e.lanes = 1;
    Ok(!mask.ty.is_vector())
}

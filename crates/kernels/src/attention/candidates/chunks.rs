//! Attention by MFMA and WMMA: which instruction, how many rows a warp holds, how wide the tiles of columns are.
//!
//! A warp with two fragments of rows reads keys and values half as often from shared memory, which matters where matrix
//! instructions are fast (CDNA 3 and 4); one with one fragment has more registers, and there are twice as many
//! workgroups. Of the ways that fit registers and shared memory the first one is taken; several waves and two
//! workgroups a unit come before wide tiles.
//!
//! Worked example: 128 features of bf16 on gfx942, 4096 rows of 16 heads: 4 warps of 32 rows, 32 columns; 16,384 bytes,
//! about 176 registers.

use crate::attention::chunk_schedule::AttentionChunks;
use crate::attention::schedule::AttentionSchedule;
use fornax_graph::ElementType;
use fornax_plan::matrix::{Mfma, Wmma};
use fornax_plan::{Attention, KernelPlan, MatrixAtom, Precision};
use fornax_targets::fitted::attention::SHARED_BYTES;
use fornax_targets::{Target, unit_rates};

/// Elements of a vector, at most.
const ELEMENTS_MAX: i64 = 256;
/// Registers that a lane may have, about, and workgroups that are to share a unit's memory: for four waves that share a
/// unit's registers, for three, for two.
const FOUR_WAVES: (u32, u32) = (112, 3);
const BUDGETS: &[(u32, u32)] = &[(172, 2), (240, 2), (240, 1)];
/// Fragments of rows of a warp, and columns of a tile, the best first.
const WAYS: &[(u32, u32)] = &[(2, 64), (2, 32), (1, 64), (1, 32), (1, 16)];

/// The instruction for vectors of an element, if the target has one.
fn atom(element: ElementType, precision: Precision, target: &Target) -> Option<MatrixAtom> {
    use MatrixAtom::{Mfma16, Wmma3, Wmma4};
    let atoms = match element {
        ElementType::F16 => {
            vec![Mfma16(Mfma::F16Wide), Mfma16(Mfma::F16), Wmma3(Wmma::F16), Wmma4(Wmma::F16)]
        }
        ElementType::Bf16 => {
            vec![Mfma16(Mfma::Bf16Wide), Mfma16(Mfma::Bf16K1), Mfma16(Mfma::Bf16), Wmma3(Wmma::Bf16), Wmma4(Wmma::Bf16)]
        }
        ElementType::F32 if precision == Precision::Tf32 => vec![Mfma16(Mfma::Xf32), Mfma16(Mfma::F32)],
        ElementType::F32 => vec![Mfma16(Mfma::F32)],
        _ => Vec::new(),
    };
    atoms.into_iter().find(|a| target.has(a.row().feature))
}

/// Whether shared memory feeds the matrix instructions where every operand read is multiplied by one fragment: 16 bytes
/// a lane are 32 operations an element.
fn one_fragment_does(atom: MatrixAtom, target: &Target) -> bool {
    const OPERATIONS: u32 = 32;
    let rate = unit_rates(target).map_or(0, |r| match atom.row().element {
        ElementType::F32 => r.matrix_f32,
        _ => r.matrix_half,
    });
    2 * rate * atom.bytes() / OPERATIONS <= SHARED_BYTES
}

/// The schedule, if the target multiplies by chunks and vectors are not too long.
pub fn choose(plan: &KernelPlan, a: &Attention, target: &Target) -> Option<AttentionSchedule> {
    let extent = |var| plan.exprs.indices.extent(var);
    let (depth, features) = (extent(a.depth()), extent(a.feature));
    if depth.max(features) > ELEMENTS_MAX || depth.min(features) < 1 {
        return None;
    }
    let atom = atom(plan.exprs.element(a.query), a.precision, target)?;
    let chunks = AttentionChunks::new(atom, depth as u32, features as u32);
    let rows = a.row_count(&plan.exprs);
    let one_does = one_fragment_does(atom, target);
    let warps = rows.div_ceil(16).clamp(1, 4).next_power_of_two() as u32;
    let fits = |&(row_tiles, columns): &(u32, u32), (registers, groups): (u32, u32)| {
        let s = AttentionSchedule {
            warps,
            row_tiles,
            columns,
            bulk: None,
            stream: None,
            tiles: None,
            chunks: Some(chunks),
        };
        // Twice the rows a workgroup only where there are enough workgroups.
        let fills = row_tiles == 1 || s.blocks(a, &plan.exprs, &plan.domain) >= u64::from(target.compute_units.max(1));
        let narrow = i64::from(columns) >= 2 * extent(a.column()).max(1) && columns > chunks.step();
        let whole = columns.is_multiple_of(chunks.step()) && !narrow && !(one_does && row_tiles > 1);
        let held = chunks.registers(row_tiles, columns, warps) <= registers;
        (fills && whole && held && groups * s.shared_bytes() <= target.shared_bytes_max).then_some(s)
    };
    let budgets = one_does.then_some(&FOUR_WAVES).into_iter().chain(BUDGETS);
    budgets.copied().find_map(|budget| WAYS.iter().find_map(|way| fits(way, budget)))
}

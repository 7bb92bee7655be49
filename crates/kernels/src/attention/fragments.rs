//! Fragments of `mma.sync` m16n8k16 (f32: m16n8k8, split products): queries and weights as row operands, keys and
//! values from shared memory as column operands.
//!
//! Lane l of an accumulator of 16 × 8 holds columns 2·(l mod 4) and the next of row l/4, then of row l/4 + 8. Two
//! neighbouring accumulators packed to 16 bits are a row operand of 16 × 16: (row, first 8), (row + 8, first 8), (row,
//! last 8), (row + 8, last 8). An accumulator of f32 is a row operand of 16 × 8 as it is, where step t stands for
//! column 2t and step t + 4 for column 2t + 1: values are read so too.
//!
//! Worked example: scores of 16 rows × 64 columns are 8 accumulators of 4 registers; as weights they are 4 row operands
//! of 4 registers, multiplied by 64 × 128 values in 4 · 16 instructions.

use super::tiles::{Tile, at_byte};
use super::{F32, Kernel};
use fornax_emit::emitter::Emitter;
use fornax_emit::text::{Scalar, Ty, Value, list};

/// Row operands: by fragment of 16 rows, by steps of 32 bytes, four registers.
pub struct Fragments {
    pub(super) parts: Vec<Vec<[Value; 4]>>,
}

/// Queries: fragments in registers, or a tile that stays in shared memory.
pub enum Query {
    Held(Fragments),
    Shared(Tile),
}

impl Query {
    /// The fragment of a warp's rows at a step.
    fn at(&self, e: &mut Emitter<'_>, k: &Kernel<'_>, fragment: usize, step: i64) -> [Value; 4] {
        match self {
            Query::Held(held) => held.parts[fragment][step as usize],
            Query::Shared(tile) => Fragments::read(e, k, tile, fragment as i64, step),
        }
    }

    /// Products with the rows of a tile: by fragment, accumulators of 8 columns after each other.
    pub fn products(&self, e: &mut Emitter<'_>, k: &Kernel<'_>, tile: &Tile) -> Vec<Vec<Value>> {
        if let (Query::Shared(query), true) = (self, k.exact) {
            return k.exact_products(e, query, tile);
        }
        let zero = e.code.float(F32, 0.0);
        let row = e.code.and_k(k.lane, 7);
        let far = e.code.shr_uk(k.lane, 4);
        let far = e.code.shl_k(far, 3);
        let row = e.code.add_i(row, far);
        let chunk = e.code.shr_uk(k.lane, 3);
        let chunk = e.code.and_k(chunk, 1);
        let base = lane_byte(e, tile, row, chunk);
        let columns = i64::from(k.s.columns);
        let fragments = k.s.row_tiles as usize;
        let mut sums = vec![vec![zero; columns as usize / 2]; fragments];
        for step in 0..tile.padded() / tile.step() {
            let rows: Vec<Multiplicand> = (0..fragments)
                .map(|fragment| {
                    let registers = self.at(e, k, fragment, step);
                    Multiplicand::new(e, k, &registers)
                })
                .collect();
            for block in 0..columns / 16 {
                let at = e.code.add_ik(base, block * 16 * tile.pitch() + 32 * step);
                let at = at_byte(e, k.shared, at);
                let loaded = Tile::load_matrices(e, at, false);
                for half in 0..2 {
                    let b = Multiplicand::new(e, k, &loaded[2 * half..][..2]);
                    for (rows, sums) in rows.iter().zip(&mut sums) {
                        let place = (2 * block as usize + half) * 4;
                        rows.multiply(e, k, &b, &mut sums[place..place + 4]);
                    }
                }
            }
        }
        sums
    }
}

impl Fragments {
    /// The rows of this warp from a tile.
    pub fn read_rows(e: &mut Emitter<'_>, k: &Kernel<'_>, tile: &Tile) -> Fragments {
        let steps = tile.padded() / tile.step();
        let fragment = |e: &mut Emitter<'_>, at| (0..steps).map(|step| Fragments::read(e, k, tile, at, step)).collect();
        Fragments { parts: (0..i64::from(k.s.row_tiles)).map(|at| fragment(e, at)).collect() }
    }

    fn read(e: &mut Emitter<'_>, k: &Kernel<'_>, tile: &Tile, fragment: i64, step: i64) -> [Value; 4] {
        let row = e.code.and_k(k.lane, 15);
        let warp = e.code.int_k("arith.muli", k.warp, 16 * i64::from(k.s.row_tiles));
        let row = e.code.add_i(warp, row);
        let chunk = e.code.shr_uk(k.lane, 4);
        let base = lane_byte(e, tile, row, chunk);
        let at = e.code.add_ik(base, fragment * 16 * tile.pitch() + 32 * step);
        let at = at_byte(e, k.shared, at);
        four(&Tile::load_matrices(e, at, false))
    }

    /// Accumulators of weights, packed; of f32 in the order of their steps.
    pub fn pack(e: &mut Emitter<'_>, k: &Kernel<'_>, weights: &[Vec<Value>]) -> Fragments {
        let mut parts = Vec::new();
        for fragment in weights {
            if k.splits {
                parts.push(fragment.chunks(4).map(|w| [w[0], w[2], w[1], w[3]]).collect());
                continue;
            }
            let words: Vec<Value> = fragment.chunks(2).map(|p| pack_pair(e, k.bf16, p[0], p[1])).collect();
            parts.push(words.chunks(4).map(four).collect());
        }
        Fragments { parts }
    }

    /// Adds products with the columns of a tile, whose rows are the steps, to `out`.
    pub fn multiply(&self, e: &mut Emitter<'_>, k: &Kernel<'_>, tile: &Tile, mut out: Vec<Value>) -> Vec<Value> {
        if k.exact {
            return k.exact_results(e, self, tile, &out);
        }
        if k.splits {
            return self.multiply_f32(e, k, tile, out);
        }
        let row = e.code.and_k(k.lane, 15);
        let chunk = e.code.shr_uk(k.lane, 4);
        let base = lane_byte(e, tile, row, chunk);
        let each = out.len() / self.parts.len();
        for step in 0..i64::from(k.s.columns) / 16 {
            for block in 0..tile.padded() / 16 {
                let at = e.code.add_ik(base, step * 16 * tile.pitch() + 32 * block);
                let at = at_byte(e, k.shared, at);
                let loaded = Tile::load_matrices(e, at, true);
                for (rows, out) in self.parts.iter().zip(out.chunks_mut(each)) {
                    for half in 0..2 {
                        let place = (2 * block as usize + half) * 4;
                        let b = &loaded[2 * half..][..2];
                        multiply(e, k.bf16, &rows[step as usize], b, &mut out[place..place + 4]);
                    }
                }
            }
        }
        out
    }

    /// The same of f32: a lane reads two rows of a column of values, which no `ldmatrix` turns.
    fn multiply_f32(&self, e: &mut Emitter<'_>, k: &Kernel<'_>, tile: &Tile, mut out: Vec<Value>) -> Vec<Value> {
        let row = e.code.int_k("arith.muli", k.lane, 2);
        let row = e.code.and_k(row, 7);
        let row = e.code.int_k("arith.muli", row, tile.pitch());
        let feature = e.code.shr_uk(k.lane, 2);
        let feature = e.code.shl_k(feature, 2);
        let base = e.code.add_i(row, feature);
        let base = e.code.add_ik(base, tile.offset);
        let each = out.len() / self.parts.len();
        for step in 0..i64::from(k.s.columns) / 8 {
            let rows: Vec<Multiplicand> = self
                .parts
                .iter()
                .map(|parts| {
                    let bits = parts[step as usize].map(|w| e.code.to_bits(w));
                    Multiplicand::new(e, k, &bits)
                })
                .collect();
            for block in 0..tile.padded() / 8 {
                let pair = [0, 1].map(|next| {
                    let at = e.code.add_ik(base, (step * 8 + next) * tile.pitch() + 32 * block);
                    let at = at_byte(e, k.shared, at);
                    let i32 = Ty::scalar(Scalar::I32);
                    e.code.effect(i32, &format!("llvm.load {at} {{alignment = 4 : i64}} : {} -> i32", at.ty))
                });
                let b = Multiplicand::new(e, k, &pair);
                for (rows, out) in rows.iter().zip(out.chunks_mut(each)) {
                    let place = 4 * block as usize;
                    rows.multiply(e, k, &b, &mut out[place..place + 4]);
                }
            }
        }
        out
    }
}

/// Registers of an operand as instructions take them: as they are, or split.
struct Multiplicand {
    parts: Vec<Vec<Value>>,
}

impl Multiplicand {
    fn new(e: &mut Emitter<'_>, k: &Kernel<'_>, registers: &[Value]) -> Multiplicand {
        let parts = if k.splits { k.multiplier().prepare(e, registers) } else { vec![registers.to_vec()] };
        Multiplicand { parts }
    }

    /// `sums += self · b`; split products are added in f32 arithmetic, which rounds, where the instruction truncates.
    fn multiply(&self, e: &mut Emitter<'_>, k: &Kernel<'_>, b: &Multiplicand, sums: &mut [Value]) {
        if !k.splits {
            return multiply(e, k.bf16, &self.parts[0], &b.parts[0], sums);
        }
        let multiplier = k.multiplier();
        if !multiplier.adds_apart() {
            let all = multiplier.multiply(e, &self.parts, &b.parts, sums.to_vec());
            sums.copy_from_slice(&all);
            return;
        }
        let zero = e.code.float(F32, 0.0);
        let products = multiplier.multiply(e, &self.parts, &b.parts, vec![zero; sums.len()]);
        for (sum, product) in sums.iter_mut().zip(products) {
            *sum = e.code.add_f(*sum, product);
        }
    }
}

fn four(values: &[Value]) -> [Value; 4] {
    [values[0], values[1], values[2], values[3]]
}

/// Byte of shared memory of a lane's row and chunk.
fn lane_byte(e: &mut Emitter<'_>, tile: &Tile, row: Value, chunk: Value) -> Value {
    let row = e.code.int_k("arith.muli", row, tile.pitch());
    let chunk = e.code.shl_k(chunk, 4);
    let at = e.code.add_i(row, chunk);
    e.code.add_ik(at, tile.offset)
}

/// Two f32 as one register of 16-bit values, the first in the lower half.
pub fn pack_pair(e: &mut Emitter<'_>, bf16: bool, low: Value, high: Value) -> Value {
    let scalar = if bf16 { Scalar::Bf16 } else { Scalar::F16 };
    let ty = Ty::vector(scalar, 2);
    let text = format!("nvvm.convert.f32x2.to.{scalar}x2 {high}, {low} {{rnd = #nvvm.fp_rnd_mode<rn>}} : {ty}");
    let pair = e.code.pure(ty, text);
    e.code.pure(Ty::scalar(Scalar::I32), format!("llvm.bitcast {pair} : {ty} to i32"))
}

/// `sums += a · b`.
pub fn multiply(e: &mut Emitter<'_>, bf16: bool, a: &[Value], b: &[Value], sums: &mut [Value]) {
    const STRUCT: &str = "!llvm.struct<(f32, f32, f32, f32)>";
    let operand = |e: &mut Emitter<'_>, values: &[Value]| -> Vec<Value> {
        if bf16 {
            return values.to_vec();
        }
        let pair = Ty::vector(Scalar::F16, 2);
        values.iter().map(|v| e.code.pure(pair, format!("llvm.bitcast {v} : i32 to {pair}"))).collect()
    };
    let (a, b) = (operand(e, a), operand(e, b));
    let (ty, kinds) = if bf16 {
        ("i32", "multiplicandAPtxType = #nvvm.mma_type<bf16>, multiplicandBPtxType = #nvvm.mma_type<bf16>, ")
    } else {
        ("vector<2xf16>", "")
    };
    let text = format!(
        "nvvm.mma.sync A[{}] B[{}] C[{}] {{layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, \
         {kinds}shape = #nvvm.shape<m = 16, n = 8, k = 16>}} : ({ty}, {ty}, f32) -> {STRUCT}",
        list(&a),
        list(&b),
        list(sums)
    );
    let all = e.code.effect(F32, &text);
    for (at, sum) in sums.iter_mut().enumerate() {
        *sum = e.code.pure(F32, format!("llvm.extractvalue {all}[{at}] : {STRUCT}"));
    }
}

//! A small builder of kernel plans for the emission tests.

use fornax_emit::blocks::tile_schedule::TileSchedule;
use fornax_graph::ElementType;
use fornax_kernels::row::schedule::RowSchedule;
use fornax_plan::{
    Access, Binary, Body, Buffer, Combiner, Exprs, IndexId, KernelPlan, Node, NodeId, RowFold, Schedule, Store, Unary,
    VarId,
};

/// A plan in the making: buffers in the order of the calls.
#[derive(Default)]
pub struct Maker {
    pub exprs: Exprs,
    pub buffers: Vec<Buffer>,
}

impl Maker {
    pub fn var(&mut self, extent: i64) -> VarId {
        self.exprs.indices.add_var(extent)
    }

    pub fn input(&mut self, element: ElementType, elements: i64) -> u32 {
        self.buffers.push(Buffer { element, elements, access: Access::Read });
        self.buffers.len() as u32 - 1
    }

    pub fn output(&mut self, element: ElementType, elements: i64) -> u32 {
        self.buffers.push(Buffer { element, elements, access: Access::Write });
        self.buffers.len() as u32 - 1
    }

    /// Σ coefficient · variable.
    pub fn at(&mut self, terms: &[(VarId, i64)]) -> IndexId {
        let indices = &mut self.exprs.indices;
        let mut sum = indices.constant(0);
        for &(var, c) in terms {
            let var = indices.var(var);
            let scaled = indices.scale(var, c);
            sum = indices.add(sum, scaled);
        }
        sum
    }

    pub fn load(&mut self, buffer: u32, offset: IndexId) -> NodeId {
        let element = self.buffers[buffer as usize].element;
        self.exprs.add(Node::Load { buffer, element, offset, mask: None })
    }

    pub fn load_at(&mut self, buffer: u32, terms: &[(VarId, i64)]) -> NodeId {
        let offset = self.at(terms);
        self.load(buffer, offset)
    }

    pub fn f32(&mut self, value: f32) -> NodeId {
        self.exprs.add(Node::Constant { element: ElementType::F32, bits: u64::from(value.to_bits()) })
    }

    pub fn constant(&mut self, element: ElementType, bits: u64) -> NodeId {
        self.exprs.add(Node::Constant { element, bits })
    }

    pub fn reduced(&mut self, index: u32, element: ElementType) -> NodeId {
        self.exprs.add(Node::Reduced { index, element })
    }

    pub fn plan(self, domain: Vec<VarId>, body: Body, schedule: impl Schedule) -> KernelPlan {
        KernelPlan::new(self.exprs, self.buffers, domain, body, schedule, "test".into())
    }
}

/// A CPU tile schedule.
pub fn tile(vector: Option<(VarId, u32)>, unroll: &[(VarId, u32)], tiles_per_workgroup: u32) -> TileSchedule {
    TileSchedule { vector, unroll: unroll.to_vec(), reduce_threads: 1, tile_threads: 1, tiles_per_workgroup }
}

fn fold(op: Binary, input: NodeId, init: NodeId) -> RowFold {
    RowFold { inputs: vec![input], inits: vec![init], combiner: Combiner::Simple(op) }
}

/// Softmax of x[kept, row] with the maximum stored too: `x` is [rows, length] along the row, else [length, rows].
pub fn softmax(element: ElementType, (rows, lengths): (i64, &[i64]), along: bool) -> (KernelPlan, VarId, Vec<VarId>) {
    let mut m = Maker::default();
    let kept = m.var(rows);
    let row: Vec<VarId> = lengths.iter().map(|&n| m.var(n)).collect();
    let length: i64 = lengths.iter().product();
    let f32 = ElementType::F32;
    let (x, y, maxima) = (m.input(element, rows * length), m.output(element, rows * length), m.output(f32, rows));
    let step = if along { 1 } else { rows };
    let mut terms = vec![(kept, if along { length } else { 1 })];
    let mut stride = step * length;
    for (&var, &n) in row.iter().zip(lengths) {
        stride /= n;
        terms.push((var, stride));
    }
    let value = m.load_at(x, &terms);
    let value = m.exprs.convert(f32, value);
    let (lowest, zero) = (m.f32(f32::NEG_INFINITY), m.f32(0.0));
    let (maximum, sum) = (m.reduced(0, f32), m.reduced(1, f32));
    let shifted = m.exprs.binary(Binary::Subtract, value, maximum);
    let power = m.exprs.unary(Unary::Exponential, shifted);
    let share = m.exprs.binary(Binary::Divide, power, sum);
    let share = m.exprs.convert(element, share);
    let (offset, whole) = (m.at(&terms), m.at(&[(kept, 1)]));
    let stores =
        vec![Store { buffer: y, offset, value: share }, Store { buffer: maxima, offset: whole, value: maximum }];
    let folds = vec![fold(Binary::Maximum, value, lowest), fold(Binary::Add, power, zero)];
    let schedule = RowSchedule {
        vector: (kept, 1),
        threads: 1,
        chunks: 1,
        held: false,
        rows: 1,
        adjacent: false,
        cluster: 1,
        ahead: 0,
        packed: false,
    };
    let body = Body::Row { row: row.clone(), folds, stores };
    (m.plan(vec![kept], body, schedule), kept, row)
}

/// Numbers from a fixed sequence: the same in every run.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// Uniform in −1 … 1.
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    /// Bytes of `n` small numbers of an element type.
    pub fn small(&mut self, element: ElementType, n: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        for _ in 0..n {
            let x = self.unit() * 3.0;
            match element {
                ElementType::F64 => bytes.extend(x.to_le_bytes()),
                ElementType::F32 => bytes.extend((x as f32).to_le_bytes()),
                ElementType::Bf16 => bytes.extend(half::bf16::from_f64(x).to_le_bytes()),
                ElementType::F16 => bytes.extend(half::f16::from_f64(x).to_le_bytes()),
                ElementType::I1 => bytes.push(u8::from(x > 0.0)),
                // Below 2, as the others: no NaN.
                ElementType::F8E4M3FN | ElementType::F8E5M2 => bytes.push(self.next() as u8 & 0xBF),
                other => bytes.extend(&self.next().to_le_bytes()[..other.storage_bytes()]),
            }
        }
        bytes
    }
}

//! Loops as one kernel: steps with barriers between, folds shared by lanes, problems next to each other, the last
//! workgroup half empty.

use fornax_graph::ElementType::{self, F32, I32};
use fornax_kernels::fused_loop::schedule::FusedLoopSchedule;
use fornax_plan::Unscheduled;
use fornax_plan::{
    Access, Binary, Body, Buffer, Combiner, Compare, Exprs, FusedLoop, KernelPlan, LoopPart, LoopStep, Node, NodeId,
    Store, VarId,
};

use super::emit_plans::Random;
use super::run::{check, run_text, text};

/// Buffers: A [P, N, N], x and y [P, N], s [P], where [P] i32.
fn buffers(problems: i64, n: i64) -> Vec<Buffer> {
    let buffer = |element, elements, access| Buffer { element, elements, access };
    vec![
        buffer(F32, problems * n * n, Access::Read),
        buffer(F32, problems * n, Access::Update),
        buffer(F32, problems * n, Access::Update),
        buffer(F32, problems, Access::Update),
        buffer(I32, problems, Access::Update),
    ]
}

struct Maker {
    exprs: Exprs,
    problem: VarId,
    row: VarId,
    column: VarId,
    n: i64,
}

impl Maker {
    fn new(problems: i64, n: i64) -> Maker {
        let mut exprs = Exprs::default();
        let [problem, row, column] = [problems, n, n].map(|extent| exprs.indices.add_var(extent));
        Maker { exprs, problem, row, column, n }
    }

    fn load(&mut self, buffer: u32, element: ElementType, vars: &[VarId]) -> NodeId {
        let index: Vec<_> = vars.iter().map(|&v| self.exprs.indices.var(v)).collect();
        let sizes: Vec<i64> = vars.iter().map(|&v| self.exprs.indices.extent(v)).collect();
        let offset = self.exprs.indices.linearize(&index, &sizes);
        self.exprs.add(Node::Load { buffer, element, offset, mask: None })
    }

    fn store(&mut self, buffer: u32, vars: &[VarId], value: NodeId) -> Store {
        let index: Vec<_> = vars.iter().map(|&v| self.exprs.indices.var(v)).collect();
        let sizes: Vec<i64> = vars.iter().map(|&v| self.exprs.indices.extent(v)).collect();
        let offset = self.exprs.indices.linearize(&index, &sizes);
        Store { buffer, offset, value }
    }

    fn constant(&mut self, element: ElementType, bits: u64) -> NodeId {
        self.exprs.add(Node::Constant { element, bits })
    }

    fn part(self, buffers: &[Buffer], inner: &[VarId], body: Body) -> LoopPart {
        let none = Unscheduled;
        let domain = [&[self.problem], inner].concat();
        LoopPart { plan: KernelPlan::new(self.exprs, buffers.to_vec(), domain, body, none, String::new()), lanes: 1 }
    }
}

/// x := A[·, 0]; three times: s := Σ x², y := A·x, x := y / (1 + s); where := the first of the largest of x.
fn power(problems: i64, n: i64, schedule: FusedLoopSchedule) -> KernelPlan {
    let buffers = buffers(problems, n);
    let first = {
        let mut m = Maker::new(problems, n);
        let (p, i) = (m.exprs.indices.var(m.problem), m.exprs.indices.var(m.row));
        let zero = m.exprs.indices.constant(0);
        let offset = m.exprs.indices.linearize(&[p, i, zero], &[problems, n, n]);
        let value = m.exprs.add(Node::Load { buffer: 0, element: F32, offset, mask: None });
        let stores = vec![m.store(1, &[m.problem, m.row], value)];
        let row = m.row;
        m.part(&buffers, &[row], Body::Loop { stores })
    };
    let squares = {
        let mut m = Maker::new(problems, n);
        let x = m.load(1, F32, &[m.problem, m.row]);
        let square = m.exprs.binary(Binary::Multiply, x, x);
        let zero = m.constant(F32, 0);
        let sum = m.exprs.add(Node::Reduced { index: 0, element: F32 });
        let stores = vec![m.store(3, &[m.problem], sum)];
        let combiner = Combiner::Simple(Binary::Add);
        let reduction = vec![m.row];
        m.part(&buffers, &[], Body::Reduce { reduction, inputs: vec![square], inits: vec![zero], combiner, stores })
    };
    let product = {
        let mut m = Maker::new(problems, n);
        let lhs = m.load(0, F32, &[m.problem, m.row, m.column]);
        let rhs = m.load(1, F32, &[m.problem, m.column]);
        let sum = m.exprs.add(Node::Reduced { index: 0, element: F32 });
        let stores = vec![m.store(2, &[m.problem, m.row], sum)];
        let (row, reduction) = (m.row, vec![m.column]);
        let precision = fornax_plan::Precision::default();
        m.part(&buffers, &[row], Body::Contraction { reduction, lhs, rhs, accumulator: F32, precision, stores })
    };
    let scaled = {
        let mut m = Maker::new(problems, n);
        let (y, s) = (m.load(2, F32, &[m.problem, m.row]), m.load(3, F32, &[m.problem]));
        let one = m.constant(F32, u64::from(1f32.to_bits()));
        let divisor = m.exprs.binary(Binary::Add, one, s);
        let value = m.exprs.binary(Binary::Divide, y, divisor);
        let stores = vec![m.store(1, &[m.problem, m.row], value)];
        let row = m.row;
        m.part(&buffers, &[row], Body::Loop { stores })
    };
    let largest = {
        let mut m = Maker::new(problems, n);
        let x = m.load(1, F32, &[m.problem, m.row]);
        let index = m.exprs.indices.var(m.row);
        let at = m.exprs.add(Node::FromIndex { element: I32, index });
        let least = m.constant(F32, u64::from(f32::NEG_INFINITY.to_bits()));
        let none = m.constant(I32, m.n as u64);
        let running = [F32, I32].into_iter().enumerate();
        let running: Vec<NodeId> =
            running.map(|(i, element)| m.exprs.add(Node::Running { index: i as u32, element })).collect();
        let incoming = [F32, I32].into_iter().enumerate();
        let incoming: Vec<NodeId> =
            incoming.map(|(i, element)| m.exprs.add(Node::Incoming { index: i as u32, element })).collect();
        let condition = m.exprs.add(Node::Compare { op: Compare::Gt, a: incoming[0], b: running[0] });
        let select = |m: &mut Maker, i: usize| m.exprs.add(Node::Select { condition, a: incoming[i], b: running[i] });
        let combiner = Combiner::General(vec![select(&mut m, 0), select(&mut m, 1)]);
        let found = m.exprs.add(Node::Reduced { index: 1, element: I32 });
        let stores = vec![m.store(4, &[m.problem], found)];
        let (reduction, inputs, inits) = (vec![m.row], vec![x, at], vec![least, none]);
        m.part(&buffers, &[], Body::Reduce { reduction, inputs, inits, combiner, stores })
    };
    let round = [1, 2, 3].map(LoopStep::Part).to_vec();
    let steps = vec![LoopStep::Part(0), LoopStep::Repeat { count: 3, steps: round }, LoopStep::Part(4)];
    let fused = FusedLoop { parts: vec![first, squares, product, scaled, largest], steps, problems };
    let body = Body::FusedLoop(Box::new(fused));
    KernelPlan::new(Exprs::default(), buffers, Vec::new(), body, schedule, "power".into())
}

fn given(problems: i64, n: i64, seed: u64) -> Vec<Vec<u8>> {
    let mut random = Random(seed);
    let count = |elements: i64| elements as usize;
    let floats = [problems * n * n, problems * n, problems * n, problems];
    let mut given: Vec<Vec<u8>> = floats.iter().map(|&elements| random.small(F32, count(elements))).collect();
    given.push(random.small(I32, count(problems)));
    given
}

#[test]
fn rounds_of_all_sizes_are_those_of_the_parts() {
    for (problems, n, threads, together) in
        [(1, 1, 32, 1), (1, 7, 32, 1), (3, 33, 64, 1), (5, 4, 64, 2), (7, 3, 128, 4), (2, 40, 256, 1), (1, 129, 64, 1)]
    {
        let plan = power(problems, n, FusedLoopSchedule { threads, together });
        for (seed, device) in ["sm_75", "sm_80", "sm_90a"].into_iter().enumerate() {
            // Lanes add n terms in another order, round after round.
            let ulps = 64.0_f64.max(2.0 * n as f64);
            check(&plan, device, &given(problems, n, seed as u64 + 1), ulps, seed as u64);
        }
    }
}

#[test]
fn a_missing_barrier_is_a_race() {
    let plan = power(2, 40, FusedLoopSchedule { threads: 64, together: 1 });
    let mlir = text(&plan, "sm_80");
    let barriers = mlir.matches("nvvm.barrier0").count();
    assert_eq!(barriers, 5);
    let inputs = given(2, 40, 9);
    assert!(run_text(&plan, &mlir, &inputs, 1).is_ok());
    // LLVM moves loads over barriers where an argument promises that nothing else points to its memory.
    assert_eq!(mlir.matches("llvm.noalias").count(), 1, "A alone");
    let broken = mlir.replacen("nvvm.barrier0\n", "\n", 1);
    assert!(run_text(&plan, &broken, &inputs, 1).is_err());
}

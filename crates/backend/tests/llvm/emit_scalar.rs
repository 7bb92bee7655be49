//! Every scalar operation on every element type, against the plan interpreter, with corner values.

use fornax_graph::ElementType;
use fornax_kernels::loop_schedule::LoopSchedule;
use fornax_plan::{Binary, Body, Compare, KernelPlan, Node, Store, Unary};
use fornax_targets::Backend;

use super::emit_plans::{Maker, Random};
use super::emit_run::{check, compile_for};

use ElementType::{Bf16, F16, F32, F64, I1, I8, I16, I32, I64, Ui8, Ui16, Ui32, Ui64};

const ALL: &[ElementType] = &[I1, I8, I16, I32, I64, Ui8, Ui16, Ui32, Ui64, Bf16, F16, F32, F64];
const N: i64 = 203;

/// Corner values first, then small and arbitrary ones.
fn values(element: ElementType, random: &mut Random) -> Vec<u8> {
    let size = element.storage_bytes();
    let mut bytes = Vec::new();
    let corners: Vec<u64> = match element {
        I1 => vec![0, 1],
        F64 => [
            0.0,
            -0.0,
            1.0,
            -1.0,
            0.5,
            -0.5,
            1.5,
            2.5,
            -2.5,
            f64::INFINITY,
            -f64::INFINITY,
            f64::NAN,
            5e-324,
            1e300,
            0.49999999999999994,
            4503599627370497.5,
            -1e-310,
        ]
        .map(f64::to_bits)
        .to_vec(),
        F32 => [
            0.0,
            -0.0,
            1.0,
            -1.0,
            0.5,
            -0.5,
            1.5,
            2.5,
            -2.5,
            f32::INFINITY,
            -f32::INFINITY,
            f32::NAN,
            1e-45,
            3e38,
            0.49999997,
            8388609.0,
            65519.9,
            65520.0,
            -6e-8,
        ]
        .map(|x| u64::from(x.to_bits()))
        .to_vec(),
        F16 => vec![
            0, 0x8000, 0x3C00, 0xBC00, 0x3800, 0x7C00, 0xFC00, 0x7E00, 1, 0x8001, 0x7BFF, 0x0400, 0x03FF, 0x3E00,
            0x4100,
        ],
        Bf16 => {
            vec![0, 0x8000, 0x3F80, 0xBF80, 0x3F00, 0x7F80, 0xFF80, 0x7FC0, 1, 0x8001, 0x7F7F, 0x0080, 0x3FC0, 0x4020]
        }
        _ => vec![0, 1, 2, 3, 7, u64::MAX, u64::MAX - 1, 1 << (8 * size - 1), (1 << (8 * size - 1)) - 1, 31, 32, 8],
    };
    // The corners in two orders, so that pairs of them meet.
    for at in 0..N as usize {
        let c = corners.len();
        let word = match at {
            _ if at < c * c && at < 120 => corners[if random.0.is_multiple_of(2) { at % c } else { at / c }],
            _ if element == I1 => random.next() & 1,
            _ if element.is_float() => {
                let small = random.small(element, 1);
                let mut word = [0u8; 8];
                word[..size].copy_from_slice(&small);
                u64::from_le_bytes(word)
            }
            _ if at % 2 == 0 => random.next() % 16,
            _ => random.next(),
        };
        bytes.extend(&word.to_le_bytes()[..size]);
    }
    bytes
}

/// One output a node.
fn plan(
    element: ElementType,
    (lanes, items): (u32, u32),
    nodes: impl Fn(&mut Maker, fornax_plan::NodeId, fornax_plan::NodeId) -> Vec<fornax_plan::NodeId>,
) -> KernelPlan {
    let mut m = Maker::default();
    let i = m.var(N);
    let (a, b) = (m.input(element, N), m.input(element, N));
    let offset = m.at(&[(i, 1)]);
    let (a, b) = (m.load(a, offset), m.load(b, offset));
    let made = nodes(&mut m, a, b);
    let stores = made
        .into_iter()
        .map(|value| {
            let buffer = m.output(m.exprs.element(value), N);
            Store { buffer, offset, value }
        })
        .collect();
    m.plan(vec![i], Body::Loop { stores }, LoopSchedule { vector: lanes, threads: 1, items_per_thread: items })
}

fn unary_ops(element: ElementType) -> Vec<Unary> {
    if element == I1 {
        vec![Unary::Not]
    } else if element.is_float() {
        use Unary::*;
        vec![Negate, Abs, Sign, Floor, Ceil, RoundNearestEven, RoundNearestAwayFromZero, Sqrt, IsFinite]
    } else {
        use Unary::*;
        vec![Negate, Abs, Sign, Not, PopulationCount, CountLeadingZeros]
    }
}

fn binary_ops(element: ElementType) -> Vec<Binary> {
    use Binary::*;
    if element == I1 {
        vec![Add, Multiply, Maximum, Minimum, And, Or, Xor]
    } else if element.is_float() {
        vec![Add, Subtract, Multiply, Divide, Remainder, Maximum, Minimum]
    } else {
        Binary::ALL.iter().copied().filter(|&op| op != Atan2).collect()
    }
}

/// With so many lanes and items of a thread.
fn everything(element: ElementType, schedule: (u32, u32)) -> KernelPlan {
    plan(element, schedule, |m, a, b| {
        let mut made = Vec::new();
        for op in unary_ops(element) {
            made.push(m.exprs.unary(op, a));
        }
        for op in binary_ops(element) {
            made.push(m.exprs.binary(op, a, b));
        }
        for &op in Compare::ALL {
            if element.is_float() || !op.name().starts_with("total") {
                made.push(m.exprs.compare(op, a, b));
            }
        }
        let condition = m.exprs.compare(Compare::Lt, a, b);
        made.push(m.exprs.select(condition, a, b));
        for &to in ALL {
            // The interpreter rounds 64-bit integers through f64.
            let twice = matches!(element, I64 | Ui64) && matches!(to, F16 | Bf16);
            if to != element && !twice {
                made.push(m.exprs.convert(to, a));
            }
            if to != element && to != I1 && element != I1 && to.bits() == element.bits() {
                made.push(m.exprs.add(Node::Bitcast { element: to, a }));
            }
        }
        if element.is_float() {
            for (exponent, mantissa) in [(5, 10), (8, 7), (4, 3), (3, 0), (5, 23)] {
                // The interpreter rounds subnormal numbers to significant bits, not in their encoding.
                if matches!(element, F16 | F32) && (exponent, mantissa) == (8, 7) {
                    continue;
                }
                made.push(m.exprs.add(Node::ReducePrecision { exponent, mantissa, a }));
            }
        }
        made
    })
}

#[test]
fn every_operation_on_every_type() {
    for &element in ALL {
        let inputs = [values(element, &mut Random(2)), values(element, &mut Random(3))];
        for cpu in ["x86-64", "x86-64-v3"] {
            for lanes in [1, 4] {
                check(&everything(element, (lanes, 16)), cpu, &inputs, 0.0);
            }
        }
    }
}

#[test]
fn every_operation_compiles_for_gpus() {
    // A thread of a GPU writes its items out one by one: of more, each op is compiled as often.
    for &element in ALL {
        compile_for(&everything(element, (1, 1)), Backend::Cuda, "sm_60");
        compile_for(&everything(element, (2, 1)), Backend::Rocm, "gfx908");
    }
}

#[test]
fn large_integers_round_once_to_half_floats() {
    // 2^52 + 2^44 + 1: above the tie between two bf16, which a first rounding to f32 would make a tie.
    let cases: [i64; 8] = [
        (1 << 52) + (1 << 44) + 1,
        -((1 << 52) + (1 << 44) + 1),
        (1 << 60) + (1 << 52) + 1,
        (1 << 25) + (1 << 17) + 1,
        i64::MAX,
        i64::MIN,
        65519,
        65520,
    ];
    let mut m = Maker::default();
    let n = cases.len() as i64;
    let i = m.var(n);
    let input = m.input(I64, n);
    let a = m.load_at(input, &[(i, 1)]);
    let offset = m.at(&[(i, 1)]);
    let stores =
        [Bf16, F16].map(|to| Store { value: m.exprs.convert(to, a), buffer: m.output(to, n), offset }).to_vec();
    let plan = m.plan(vec![i], Body::Loop { stores }, LoopSchedule { vector: 4, threads: 1, items_per_thread: 1 });
    let bytes: Vec<u8> = cases.iter().flat_map(|x| x.to_le_bytes()).collect();
    let outputs = super::emit_run::run(&plan, "x86-64-v3", &[bytes]);
    let half = |bytes: &[u8], at: usize| u16::from_le_bytes([bytes[2 * at], bytes[2 * at + 1]]);
    assert_eq!(half(&outputs[0], 0), 0x5981);
    assert_eq!(half(&outputs[0], 1), 0xD981);
    assert_eq!(half(&outputs[0], 2), 0x5D81);
    assert_eq!(half(&outputs[0], 3), 0x4C01);
    assert_eq!(half(&outputs[0], 4), 0x5F00);
    assert_eq!(half(&outputs[0], 5), 0xDF00);
    assert_eq!((half(&outputs[1], 6), half(&outputs[1], 7)), (0x7BFF, 0x7C00));
}

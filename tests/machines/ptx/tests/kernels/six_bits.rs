//! GEMV of weights of six bits, four in one byte and two in another: `(low | high << 4) - 32` times a scale.

use fornax_graph::ElementType::{self, Bf16, F16, F32, I8, Ui8};
use fornax_kernels::gemv::candidates::candidates;
use fornax_kernels::gemv::schedule::GemvSchedule;
use fornax_plan::{
    Access, Binary, Body, Buffer, Exprs, KernelPlan, Node, Precision, Product, Products, Store, Unscheduled,
};
use fornax_targets::{Backend, resolve};

use super::emit_plans::Random;
use super::run::check;

/// Parts of a block, of two bits of a byte each.
const PARTS: i64 = 4;

/// x·Wᵀ of rows in 16-bit floats, outputs in f32. A block is four times `lanes` elements: two times `lanes` bytes of
/// low bits, half of whose parts are the lower ones of each, and `lanes` of high bits. Each part of a block has a
/// scale of 8 bits times one of f16 that the block has.
fn six_bits(element: ElementType, (rows, outputs, blocks, lanes): (i64, i64, i64, i64)) -> KernelPlan {
    let mut x = Exprs::default();
    let [i, j, b, l] = [rows, outputs, blocks, lanes].map(|extent| x.indices.add_var(extent));
    let [vi, vj, vb, vl] = [i, j, b, l].map(|v| x.indices.var(v));
    let own = x.indices.linearize(&[vi, vb, vl], &[rows, blocks, PARTS * lanes]);
    let low = x.indices.linearize(&[vj, vb, vl], &[outputs, blocks, 2 * lanes]);
    let high = x.indices.linearize(&[vj, vb, vl], &[outputs, blocks, lanes]);
    let of_block = x.indices.linearize(&[vj, vb], &[outputs, blocks]);
    let of_parts = x.indices.scale(of_block, PARTS);
    let ui8 = |x: &mut Exprs, bits| x.add(Node::Constant { element: Ui8, bits });
    let load = |x: &mut Exprs, buffer, element, offset| x.add(Node::Load { buffer, element, offset, mask: None });
    let minus = x.add(Node::Constant { element: F32, bits: 32f32.to_bits().into() });
    let mut products = Vec::new();
    for part in 0..PARTS {
        let at = x.indices.offset(low, part % 2 * lanes);
        let (low, high) = (load(&mut x, 1, Ui8, at), load(&mut x, 2, Ui8, high));
        let [mask, three, four] = [15, 3, 4].map(|bits| ui8(&mut x, bits));
        let low = match part / 2 {
            0 => x.binary(Binary::And, low, mask),
            _ => x.binary(Binary::ShiftRightLogical, low, four),
        };
        let by = ui8(&mut x, 2 * part as u64);
        let high = if part == 0 { high } else { x.binary(Binary::ShiftRightLogical, high, by) };
        let high = if part == PARTS - 1 { high } else { x.binary(Binary::And, high, three) };
        let high = x.binary(Binary::ShiftLeft, high, four);
        let number = x.binary(Binary::Or, low, high);
        let number = x.convert(F32, number);
        let number = x.binary(Binary::Subtract, number, minus);
        let at = x.indices.offset(of_parts, part);
        let (scale, whole) = (load(&mut x, 3, I8, at), load(&mut x, 4, F16, of_block));
        let [scale, whole] = [scale, whole].map(|node| x.convert(F32, node));
        let scale = x.binary(Binary::Multiply, scale, whole);
        let at = x.indices.offset(own, part * lanes);
        let short = load(&mut x, 0, element, at);
        let (lhs, rhs) = (x.convert(F32, short), x.binary(Binary::Multiply, number, scale));
        products.push(Product { reduction: vec![b, l], lhs, rhs });
    }
    let value = x.add(Node::Reduced { index: 0, element: F32 });
    let offset = x.indices.linearize(&[vi, vj], &[rows, outputs]);
    let (precision, stores) = (Precision::Ieee, vec![Store { buffer: 5, offset, value }]);
    let (reduction, sums) = (vec![b, l], vec![products]);
    let body = Products { reduction, sums, accumulator: F32, precision, streamed: false, stores };
    let read = |element, elements| Buffer { element, elements, access: Access::Read };
    let buffers = vec![
        read(element, rows * blocks * PARTS * lanes),
        read(Ui8, outputs * blocks * 2 * lanes),
        read(Ui8, outputs * blocks * lanes),
        read(I8, outputs * blocks * PARTS),
        read(F16, outputs * blocks),
        Buffer { element: F32, elements: rows * outputs, access: Access::Write },
    ];
    let domain = [(i, rows), (j, outputs)].into_iter().filter(|d| d.1 > 1).map(|d| d.0).collect();
    KernelPlan::new(x, buffers, domain, Body::Products(Box::new(body)), Unscheduled, "six bits".into())
}

/// Each byte is read once for the elements that have bits in it, by matrix instructions and without.
#[test]
fn elements_of_two_bytes_are_joined_in_registers() {
    let mut random = Random(61);
    let target = resolve(Backend::Cuda, "sm_90").unwrap().target;
    for (at, (element, shape)) in
        [(Bf16, (1, 50, 8, 16)), (F16, (2, 33, 12, 8)), (Bf16, (3, 24, 16, 16)), (F32, (1, 17, 8, 16))]
            .into_iter()
            .enumerate()
    {
        let plan = six_bits(element, shape);
        let given = plan.buffers[..5].iter().map(|b| random.small(b.element, b.elements as usize));
        let inputs: Vec<Vec<u8>> = given.collect();
        let (mut ways, mut quads) = (0, 0);
        for candidate in candidates(&plan, &target) {
            let Some(s) = candidate.schedule_as::<GemvSchedule>().filter(|s| s.threads() <= 256) else { continue };
            quads += u32::from(s.quads);
            ways += 1;
            // Hundreds of products by scales of up to 127 that cancel; one that is missing is some 10^6 units.
            check(&candidate, "sm_90", &inputs, 40_000.0, at as u64);
        }
        assert!(ways >= 1 && (element == F32 || quads >= 1), "{element:?} {shape:?}: {ways} ways, {quads} by quads");
    }
}

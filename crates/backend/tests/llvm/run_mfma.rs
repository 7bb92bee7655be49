//! MFMA and WMMA kernels executed by the code-object emulator: exact products of small whole numbers, odd extents,
//! every order of operands.

use fornax_backend::{LinkOptions, link};
use fornax_gcn::{CodeObject, GcnError, HostMemory, Launch};
use fornax_graph::ElementType::{self, Bf16, F16, F32, F64, Ui8};
use fornax_kernels::gemm_mma::schedule::MmaSchedule;
use fornax_plan::{KernelPlan, MatrixAtom};
use fornax_targets::Backend;
use fornax_types::encode_float;

use super::emit_mfma::{all_atoms, steps, with};
use super::emit_mma::product_of;
use super::emit_run::emitted;
use super::{compile, target, tools};

/// Whole numbers from -4 to 4, without a pattern that a wrong lane would keep.
fn numbers(count: i64, seed: i64) -> Vec<i64> {
    (0..count).map(|at| ((at * 7919 + seed) * 104_729 / 13).rem_euclid(9) - 4).collect()
}

fn encoded(element: ElementType, numbers: &[i64]) -> Vec<u8> {
    let each = |n: &i64| match element {
        F16 => half::f16::from_f64(*n as f64).to_le_bytes().to_vec(),
        Bf16 => half::bf16::from_f64(*n as f64).to_le_bytes().to_vec(),
        F32 => (*n as f32).to_le_bytes().to_vec(),
        F64 => (*n as f64).to_le_bytes().to_vec(),
        small if small.is_small_float() => vec![encode_float(small, *n as f64) as u8],
        _ => vec![*n as u8],
    };
    numbers.iter().flat_map(each).collect()
}

fn decoded(element: ElementType, bytes: &[u8]) -> Vec<f64> {
    match element {
        F64 => bytes.as_chunks().0.iter().map(|b| f64::from_le_bytes(*b)).collect(),
        F32 => bytes.as_chunks().0.iter().map(|b| f64::from(f32::from_le_bytes(*b))).collect(),
        _ => bytes.as_chunks().0.iter().map(|b| f64::from(i32::from_le_bytes(*b))).collect(),
    }
}

/// The result of a plan with two inputs on a chip; None where there is no disassembler.
fn run(plan: &KernelPlan, chip: &str, inputs: [&[u8]; 2]) -> Option<Vec<u8>> {
    let target = target(Backend::Rocm, chip);
    let binary = compile(&target, "kernel", emitted(plan, "kernel", &target).mlir);
    let linked = link(&target, &[binary], &tools(), &LinkOptions::default()).expect("links");
    let object = CodeObject::load(&linked.images[0].bytes, chip).unwrap_or_else(|error| panic!("{chip}: {error}"));
    let mut memory = HostMemory::new();
    let result = &plan.buffers[2];
    let bytes = result.elements as usize * result.element.storage_bytes();
    let addresses = [memory.alloc_from(inputs[0]), memory.alloc_from(inputs[1]), memory.alloc(bytes as u64)];
    let arguments: Vec<u8> = addresses.iter().flat_map(|address| address.to_le_bytes()).collect();
    let Some(schedule) = plan.schedule_as::<MmaSchedule>() else { panic!("another schedule") };
    let ([x, y, z], threads) = plan.launch();
    let accumulator = result.element;
    let launch = Launch {
        grid: [x as u32, y as u32, z as u32],
        block: [threads, 1, 1],
        dynamic_lds: schedule.shared_bytes(accumulator),
        seed: 7,
        ..Launch::default()
    };
    match object.launch("kernel", &launch, &arguments, &memory) {
        Ok(_) => memory.read(addresses[2], bytes),
        Err(GcnError::NoDisassembler(reason)) => {
            eprintln!("skipped: {reason}");
            None
        }
        Err(error) => panic!("{chip}: {error}"),
    }
}

/// A product of whole numbers.
struct Product {
    /// The element types of its operands.
    elements: [ElementType; 2],
    /// Batches, rows, columns and steps.
    shape: (i64, i64, i64, i64),
    /// Which operands are transposed.
    transposed: [bool; 2],
}

/// Runs a product of whole numbers on an atom and compares every element; false where there is no disassembler.
fn check(product: Product, atom: MatrixAtom, chip: &str) -> bool {
    let Product { elements, shape: (b, m, n, k), transposed } = product;
    let plan = with(&product_of(elements, (b, m, n, k), transposed), atom);
    // Bytes without a sign wrap: 252 to 255 stand for the negative ones.
    let wrapped = |all: Vec<i64>, element: ElementType| -> Vec<i64> {
        all.into_iter().map(|n| if element == Ui8 { n.rem_euclid(256) } else { n }).collect()
    };
    let left = wrapped(numbers(b * m * k, 1), elements[0]);
    let right = wrapped(numbers(b * k * n, 2), elements[1]);
    let Some(bytes) = run(&plan, chip, [&encoded(elements[0], &left), &encoded(elements[1], &right)]) else {
        return false;
    };
    let found = decoded(plan.buffers[2].element, &bytes);
    for (at, &value) in found.iter().enumerate() {
        let at = at as i64;
        let (batch, i, j) = (at / (m * n), at / n % m, at % n);
        let row = |p: i64| batch * m * k + if transposed[0] { p * m + i } else { i * k + p };
        let column = |p: i64| batch * k * n + if transposed[1] { j * k + p } else { p * n + j };
        let sum: i64 = (0..k).map(|p| left[row(p) as usize] * right[column(p) as usize]).sum();
        assert_eq!(value, sum as f64, "{atom:?} on {chip}, transposed {transposed:?}, {k} steps, [{batch}, {i}, {j}]");
    }
    true
}

#[test]
fn products_are_exact_on_every_atom() {
    for (at, (elements, atom, chip, _)) in all_atoms().enumerate() {
        // Steps that end inside of a block, and four whole blocks, which are read by resource: an order has the one on
        // an atom, and the other on the next.
        for (order, transposed) in [[false, false], [true, true], [false, true]].into_iter().enumerate() {
            let k = if (at + order).is_multiple_of(2) { 37 } else { 4 * steps(atom) };
            if !check(Product { elements, shape: (2, 70, 50, k), transposed }, atom, chip) {
                return;
            }
        }
    }
}

/// Operands whose steps are contiguous come straight to shared memory where the chip can do that, the other one through
/// registers.
#[test]
fn blocks_come_straight_to_shared_memory() {
    for (elements, atom, chip, _) in all_atoms().filter(|(_, _, chip, _)| *chip == "gfx950") {
        for (transposed, blocks) in [([false, true], 4), ([false, false], 3), ([true, true], 5)] {
            let shape = (2, 70, 64, blocks * steps(atom));
            let plan = with(&product_of(elements, shape, transposed), atom);
            let mlir = emitted(&plan, "kernel", &target(Backend::Rocm, chip)).mlir;
            assert!(mlir.contains("global_load_lds_dwordx4"), "{atom:?} {transposed:?}");
            if !check(Product { elements, shape, transposed }, atom, chip) {
                return;
            }
        }
    }
}

//! Warpgroup matrix multiply: descriptors of operands in shared memory, the instruction, its accumulator's layout.
//!
//! `D[64, n] += A[64, k]·B[k, n]`, k = 32 bytes of an operand's elements, by the 128 threads of a warpgroup,
//! asynchronously. Operands lie in shared memory in boxes with 128-byte swizzled rows (see `bulk`), in one of two ways:
//!
//! | [`Major`] | rows of 128 bytes hold | next k of the instruction | next 64 outputs | in the descriptor |
//! | --- | --- | --- | --- | --- |
//! | `Steps` | 128 bytes of k of one output | +32 bytes | +8192 bytes | 1024 between 8 outputs |
//! | `Outputs` | 64 outputs (16-bit only) of one k | +2048 bytes | + a box | 1024 between 8 k, a box between 64 |
//!
//! Outputs of 32 bits along the rows go through registers (see `fragments`).
//!
//! Accumulator: thread t of the warpgroup, warp w = t / 32, lane l: register 4j + 2h + q is row 16w + l/4 + 8h, column
//! 8j + 2(l mod 4) + q.
//!
//! Worked example: A, B bf16 `[128, 64]`, `[256, 64]`, both `Steps`: 4 instructions m64n256k16 a warpgroup, descriptors
//! 0, 32, 64, 96 bytes on (0, 2, 4, 6 in units of 16).

use fornax_graph::ElementType;

use super::barrier::shared_address;
use super::bulk::{BOX_ALIGNMENT, ROW_BYTES};
use crate::text::{Code, Scalar, Ty, Value, list, types};

/// What lies along the 128-byte rows of an operand in shared memory (and contiguously in global memory).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Major {
    /// Contraction steps: A `[M, K]`, B `[N, K]`.
    Steps,
    /// Outputs: A `[K, M]`, B `[K, N]`. Types of 16 bits; the row operand also of 32 bits, which then goes through
    /// registers, since the matrix unit reads such columns from shared memory only along the steps.
    Outputs,
}

/// Rows of one instruction.
pub const ROWS: i64 = 64;
/// Bytes along the contraction of one instruction.
pub const STEP_BYTES: i64 = 32;
/// Address bits that a descriptor holds: what is above is the rank in a cluster, and would run into the next field.
const ADDRESS_MASK: i64 = 0x3_FFFF;

/// Name of an operand type of the instruction.
pub fn type_name(element: ElementType) -> Option<&'static str> {
    Some(match element {
        ElementType::Bf16 => "bf16",
        ElementType::F16 => "f16",
        ElementType::F32 => "tf32",
        ElementType::F8E4M3FN => "e4m3",
        ElementType::F8E5M2 => "e5m2",
        ElementType::I8 => "s8",
        ElementType::Ui8 => "u8",
        _ => return None,
    })
}

/// One operand as the instruction sees it. f32 elements are multiplied as tf32.
#[derive(Clone, Copy, Debug)]
pub struct Matrix {
    pub element: ElementType,
    pub major: Major,
    /// Bytes of a box of 64 outputs (`Outputs` only).
    pub box_bytes: i64,
}

impl Matrix {
    /// From one instruction's k to the next, bytes.
    pub fn step_bytes(&self) -> i64 {
        match self.major {
            Major::Steps => STEP_BYTES,
            Major::Outputs => STEP_BYTES / self.element.storage_bytes().max(1) as i64 * ROW_BYTES,
        }
    }

    /// From 64 outputs to the next 64, bytes.
    pub fn rows_bytes(&self) -> i64 {
        match self.major {
            Major::Steps => ROWS * ROW_BYTES,
            Major::Outputs => self.box_bytes,
        }
    }

    /// The descriptor of the matrix that starts at a pointer into shared memory.
    pub fn descriptor(&self, code: &mut Code, pointer: Value) -> Value {
        let address = shared_address(code, pointer);
        let address = code.and_k(address, ADDRESS_MASK);
        let address = code.shr_uk(address, 4);
        let address = code.resize_u(address, Scalar::I64);
        let leading = match self.major {
            Major::Steps => 1,
            Major::Outputs => self.box_bytes >> 4,
        };
        code.or_k(address, (1 << 62) | ((BOX_ALIGNMENT >> 4) << 32) | (leading << 16))
    }
}

/// A descriptor of the same matrix `bytes` on.
pub fn descriptor_at(code: &mut Code, descriptor: Value, bytes: i64) -> Value {
    if bytes == 0 { descriptor } else { code.add_ik(descriptor, bytes >> 4) }
}

/// A descriptor moved by a run-time number of bytes (i32, a multiple of 16).
pub fn descriptor_moved(code: &mut Code, descriptor: Value, bytes: Value) -> Value {
    let units = code.shr_uk(bytes, 4);
    let units = code.resize_u(units, Scalar::I64);
    code.add_i(descriptor, units)
}

/// The accumulator of 64 × `columns`: a struct of columns / 2 registers.
pub fn accumulator(element: ElementType, columns: u32) -> Ty {
    let registers = (columns / 2) as u16;
    Ty::scalar(if element == ElementType::I32 { Scalar::I32s(registers) } else { Scalar::F32s(registers) })
}

/// Orders register and shared-memory accesses before the instructions that follow.
pub fn fence(code: &mut Code) {
    code.line("nvvm.wgmma.fence.aligned");
}

/// Closes the group of instructions issued so far.
pub fn commit(code: &mut Code) {
    code.line("nvvm.wgmma.commit.group.sync.aligned");
}

/// Waits until at most `pending` groups run. Accumulators that are read after must go through [`wait_for`].
pub fn wait(code: &mut Code, pending: u32) {
    code.line(&format!("nvvm.wgmma.wait.group.sync.aligned {pending}"));
}

/// Issues one instruction; both descriptors name its 32 bytes along the contraction. A `fresh` sum starts from zero,
/// whatever it held.
pub fn multiply(code: &mut Code, sum: Value, a: (Matrix, Value), b: (Matrix, Value), fresh: bool) -> Option<Value> {
    let (a_type, b_type) = (type_name(a.0.element)?, type_name(b.0.element)?);
    let (integer, registers) = match sum.ty.scalar {
        Scalar::F32s(n) => (false, n),
        Scalar::I32s(n) => (true, n),
        _ => return None,
    };
    let k = STEP_BYTES / a.0.element.storage_bytes().max(1) as i64;
    let a_layout = if a.0.major == Major::Steps { "row" } else { "col" };
    let b_layout = if b.0.major == Major::Steps { "col" } else { "row" };
    let start = if fresh { "zero" } else { "one" };
    let result = if integer { format!("D [<s32>, <{start}>, <wrapped>]") } else { format!("D [<f32>, <{start}>]") };
    let (ty, columns) = (sum.ty, 2 * registers);
    let text = format!(
        "nvvm.wgmma.mma_async {}, {}, {sum}, #nvvm.shape<m = 64, n = {columns}, k = {k}>, {result}, \
         A [<{a_type}>, <one>, <{a_layout}>], B [<{b_type}>, <one>, <{b_layout}>] : {ty} -> {ty}",
        a.1, b.1
    );
    Some(code.effect(ty, &text))
}

/// Issues one instruction whose row operand is in registers, four a thread: rows lane / 4 and 8 below, then the same of
/// the second half of the steps. `b` must be along the steps where its elements are not of 16 bits.
pub fn multiply_registers(code: &mut Code, sum: Value, a: &[Value], b: (Matrix, Value)) -> Option<Value> {
    let name = type_name(b.0.element)?;
    let Scalar::F32s(registers) = sum.ty.scalar else { return None };
    let n = usize::from(registers);
    let k = STEP_BYTES / b.0.element.storage_bytes().max(1) as i64;
    let named = |range: std::ops::Range<usize>| range.map(|at| format!("${at}")).collect::<Vec<_>>().join(", ");
    let text = format!(
        "wgmma.mma_async.sync.aligned.m64n{}k{k}.f32.{name}.{name} {{{}}}, {{{}}}, ${}, 1, 1, 1;",
        2 * n,
        named(0..n),
        named(n..n + a.len()),
        n + a.len()
    );
    let tied: Vec<String> = (0..n).map(|at| at.to_string()).collect();
    let constraints = format!("{},{},l,{}", vec!["=f"; n].join(","), vec!["r"; a.len()].join(","), tied.join(","));
    let members: Vec<Value> = (0..n as u32).map(|at| code.member(sum, at)).collect();
    let operands = [a, &[b.1], &members].concat();
    let text = format!(
        "llvm.inline_asm has_side_effects asm_dialect = att \"{text}\", \"{constraints}\" {} : ({}) -> {}",
        list(&operands),
        types(&operands),
        sum.ty
    );
    Some(code.effect(sum.ty, &text))
}

/// Waits until no group runs, and gives an accumulator's registers: the wait is tied to them, so that no use moves
/// above it.
pub fn wait_for(code: &mut Code, sum: Value) -> Vec<Value> {
    let done = settled(code, sum);
    let (Scalar::I32s(registers) | Scalar::F32s(registers)) = done.ty.scalar else { return Vec::new() };
    (0..u32::from(registers)).map(|at| code.member(done, at)).collect()
}

/// The accumulator behind a tied wait: its registers are written before what follows, a [`fence`] for instance.
pub fn settled(code: &mut Code, sum: Value) -> Value {
    let (registers, letter) = match sum.ty.scalar {
        Scalar::I32s(n) => (n, "r"),
        Scalar::F32s(n) => (n, "f"),
        _ => return sum,
    };
    let members: Vec<Value> = (0..u32::from(registers)).map(|at| code.member(sum, at)).collect();
    let mut constraints = vec![format!("={letter}"); members.len()].join(",");
    for at in 0..members.len() {
        constraints.push_str(&format!(",{at}"));
    }
    let text = format!(
        "llvm.inline_asm has_side_effects asm_dialect = att \"wgmma.wait_group.sync.aligned 0;\", \
         \"{constraints},~{{memory}}\" {} : ({}) -> {}",
        list(&members),
        types(&members),
        sum.ty
    );
    code.effect(sum.ty, &text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_through_an_operand_follow_its_layout() {
        let bf16 = |major| Matrix { element: ElementType::Bf16, major, box_bytes: 8192 };
        assert_eq!((bf16(Major::Steps).step_bytes(), bf16(Major::Steps).rows_bytes()), (32, 8192));
        assert_eq!((bf16(Major::Outputs).step_bytes(), bf16(Major::Outputs).rows_bytes()), (2048, 8192));
        let tf32 = Matrix { element: ElementType::F32, major: Major::Steps, box_bytes: 0 };
        assert_eq!(tf32.step_bytes(), 32);
    }

    #[test]
    fn an_instruction_names_shape_types_and_layouts() {
        let mut code = Code::new(true, true, true);
        let sum = code.fresh(accumulator(ElementType::F32, 8));
        let descriptor = code.fresh(Ty::scalar(Scalar::I64));
        let a = Matrix { element: ElementType::F16, major: Major::Outputs, box_bytes: 8192 };
        let b = Matrix { element: ElementType::F16, major: Major::Steps, box_bytes: 0 };
        multiply(&mut code, sum, (a, descriptor), (b, descriptor), false).expect("f16 has an instruction");
        let text = code.finish();
        assert!(text.contains("#nvvm.shape<m = 64, n = 8, k = 16>"), "{text}");
        assert!(text.contains("A [<f16>, <one>, <col>], B [<f16>, <one>, <col>]"), "{text}");
        assert!(
            multiply(
                &mut Code::new(true, true, true),
                sum,
                (Matrix { element: ElementType::F64, ..a }, descriptor),
                (b, descriptor),
                false
            )
            .is_none()
        );
    }
}

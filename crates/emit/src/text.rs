//! The text builder: typed SSA values, one line an operation, regions, constants, value numbering.
//!
//! Output is the body of one `llvm.func`. Values get the names `%0, %1, …`. A pure operation that was already written
//! in a region still open gives the earlier value again, so the emitters may ask for the same thing twice. Constants go
//! to the head of the function, once each. Scalars and vectors mix freely: a scalar operand of a vector operation is
//! broadcast.
//!
//! Worked example: `code.add_f(x, y)` with x = `%3 : f32` and y = `%5 : vector<4xf32>` writes
//!
//! ```text
//! %6 = vector.broadcast %3 : f32 to vector<4xf32>
//! %7 = arith.addf %6, %5 : vector<4xf32>
//! ```

use std::collections::HashMap;
use std::fmt::{self, Write};

use fornax_graph::ElementType;
use fornax_types::encode_float;

/// A register type of one lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scalar {
    I1,
    I8,
    I16,
    I32,
    I64,
    F16,
    /// Only as the result of a conversion in hardware.
    Bf16,
    F32,
    F64,
    /// Pointer into an address space (0 generic, 1 global, 3 shared, 7 shared memory of a cluster).
    Ptr(u8),
    /// A struct of this many f32: what matrix instructions give.
    F32s(u16),
    /// A struct of this many i32.
    I32s(u16),
}

impl Scalar {
    /// Bits of the type; 64 for pointers.
    pub fn bits(self) -> u32 {
        match self {
            Scalar::I1 => 1,
            Scalar::I8 => 8,
            Scalar::I16 | Scalar::F16 | Scalar::Bf16 => 16,
            Scalar::I32 | Scalar::F32 => 32,
            Scalar::I64 | Scalar::F64 | Scalar::Ptr(_) => 64,
            Scalar::F32s(n) | Scalar::I32s(n) => 32 * u32::from(n),
        }
    }

    pub fn is_float(self) -> bool {
        matches!(self, Scalar::F16 | Scalar::Bf16 | Scalar::F32 | Scalar::F64)
    }

    /// The integer of the same width.
    pub fn as_integer(self) -> Scalar {
        Scalar::integer(self.bits())
    }

    /// The narrowest integer type of at least `bits` bits.
    pub fn integer(bits: u32) -> Scalar {
        match bits {
            0..=1 => Scalar::I1,
            2..=8 => Scalar::I8,
            9..=16 => Scalar::I16,
            17..=32 => Scalar::I32,
            _ => Scalar::I64,
        }
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scalar::I1 => f.write_str("i1"),
            Scalar::I8 => f.write_str("i8"),
            Scalar::I16 => f.write_str("i16"),
            Scalar::I32 => f.write_str("i32"),
            Scalar::I64 => f.write_str("i64"),
            Scalar::F16 => f.write_str("f16"),
            Scalar::Bf16 => f.write_str("bf16"),
            Scalar::F32 => f.write_str("f32"),
            Scalar::F64 => f.write_str("f64"),
            Scalar::Ptr(0) => f.write_str("!llvm.ptr"),
            Scalar::Ptr(space) => write!(f, "!llvm.ptr<{space}>"),
            Scalar::F32s(n) => write!(f, "!llvm.struct<({})>", join((0..*n).map(|_| "f32"))),
            Scalar::I32s(n) => write!(f, "!llvm.struct<({})>", join((0..*n).map(|_| "i32"))),
        }
    }
}

/// A register type: a scalar, or a vector of `lanes ≥ 2`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ty {
    pub scalar: Scalar,
    pub lanes: u32,
}

impl Ty {
    pub const fn scalar(scalar: Scalar) -> Ty {
        Ty { scalar, lanes: 1 }
    }

    pub fn vector(scalar: Scalar, lanes: u32) -> Ty {
        Ty { scalar, lanes: lanes.max(1) }
    }

    /// The same lanes of another scalar type.
    pub fn with(self, scalar: Scalar) -> Ty {
        Ty { scalar, ..self }
    }

    pub fn is_vector(self) -> bool {
        self.lanes > 1
    }

    /// A pointer into shared memory.
    pub fn is_shared(self) -> bool {
        self == Ty::scalar(Scalar::Ptr(3))
    }
}

impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.lanes > 1 { write!(f, "vector<{}x{}>", self.lanes, self.scalar) } else { write!(f, "{}", self.scalar) }
    }
}

/// An SSA value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Value {
    pub id: u32,
    pub ty: Ty,
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "%{}", self.id)
    }
}

/// Values as an operand list: `%1, %2`.
pub fn list(values: &[Value]) -> String {
    join(values.iter())
}

/// Types of values as a list: `f32, i32`.
pub fn types(values: &[Value]) -> String {
    join(values.iter().map(|v| v.ty))
}

fn join<T: fmt::Display>(items: impl Iterator<Item = T>) -> String {
    let mut text = String::new();
    for (at, item) in items.enumerate() {
        let _ = write!(text, "{}{item}", if at == 0 { "" } else { ", " });
    }
    text
}

/// The function being written.
#[derive(Debug)]
pub struct Code {
    /// What the machine has; see [`Code::fma`] in `ops`.
    pub has_fma: bool,
    /// The machine rounds to integers by one instruction (`floor`, `roundeven` do not become library calls).
    pub has_rounding: bool,
    /// Maximum as `maxnum` and a select (GPUs) instead of the `maximum` intrinsic.
    pub max_by_select: bool,
    /// The machine multiplies by powers of two in one instruction; see [`Code::scale_by_power`] in `ops`.
    pub has_scale: bool,
    /// … except of f32, where the machine has an instruction that propagates NaN.
    pub nan_extrema: bool,
    /// Maximum by comparisons, since OpenCL promises neither NaN nor the order of zeros; truth values joined lane by
    /// lane, since of a reduction LLVM makes integers of as many bits as there are lanes.
    pub spelled_out: bool,
    /// The machine computes in f64.
    pub has_double: bool,
    /// The machine has 2ˣ of f32 to about a unit.
    pub exp2_approx: bool,
    /// The machine has tanh of f32 to 2⁻¹¹ of it.
    pub tanh_approx: bool,
    /// Mathematical functions are calls of AMD's device library.
    pub device_library: bool,
    constants: String,
    body: String,
    next: u32,
    indent: usize,
    constant_ids: HashMap<(Ty, u64), Value>,
    constant_values: HashMap<u32, u64>,
    numbered: HashMap<String, (Value, u32)>,
    /// Serial numbers of the open regions, outermost first.
    open: Vec<u32>,
    next_region: u32,
}

/// A `scf.for` or `scf.while` being written.
#[derive(Debug)]
pub struct Loop {
    /// Induction variable.
    pub iv: Value,
    /// Loop-carried values, readable inside.
    pub carried: Vec<Value>,
    /// Results, readable after the end.
    pub results: Vec<Value>,
}

impl Code {
    pub fn new(has_fma: bool, has_rounding: bool, max_by_select: bool) -> Code {
        Code {
            has_fma,
            has_rounding,
            max_by_select,
            has_scale: false,
            device_library: false,
            nan_extrema: false,
            spelled_out: false,
            has_double: true,
            exp2_approx: false,
            tanh_approx: false,
            constants: String::new(),
            body: String::new(),
            next: 0,
            indent: 2,
            constant_ids: HashMap::new(),
            constant_values: HashMap::new(),
            numbered: HashMap::new(),
            open: vec![0],
            next_region: 1,
        }
    }

    /// The finished text: constants, then everything else.
    pub fn finish(self) -> String {
        self.constants + &self.body
    }

    /// A name for a value that the caller defines itself.
    pub fn fresh(&mut self, ty: Ty) -> Value {
        self.next += 1;
        Value { id: self.next - 1, ty }
    }

    /// Writes a line as it is.
    pub fn line(&mut self, text: &str) {
        for _ in 0..self.indent {
            self.body.push_str("  ");
        }
        self.body.push_str(text);
        self.body.push('\n');
    }

    /// The serial number of the innermost open region.
    pub fn region(&self) -> u32 {
        *self.open.last().unwrap_or(&0)
    }

    /// Whether values of this region are still visible.
    pub fn is_open(&self, region: u32) -> bool {
        self.open.contains(&region)
    }

    /// A pure operation: the earlier value where the same line was already written.
    pub fn pure(&mut self, ty: Ty, operation: String) -> Value {
        if let Some(&(value, region)) = self.numbered.get(&operation)
            && self.is_open(region)
        {
            return value;
        }
        let value = self.effect(ty, &operation);
        self.numbered.insert(operation, (value, self.region()));
        value
    }

    /// An operation with a result that must not be merged with an equal one.
    pub fn effect(&mut self, ty: Ty, operation: &str) -> Value {
        let value = self.fresh(ty);
        let text = format!("{value} = {operation}");
        self.line(&text);
        value
    }

    /// Member `at` of a struct.
    pub fn member(&mut self, from: Value, at: u32) -> Value {
        let ty = Ty::scalar(if matches!(from.ty.scalar, Scalar::F32s(_)) { Scalar::F32 } else { Scalar::I32 });
        self.pure(ty, format!("llvm.extractvalue {from}[{at}] : {}", from.ty))
    }

    /// A struct of zeros.
    pub fn zeros(&mut self, ty: Ty) -> Value {
        self.pure(ty, format!("llvm.mlir.zero : {ty}"))
    }

    /// A struct that holds anything.
    pub fn undefined(&mut self, ty: Ty) -> Value {
        self.pure(ty, format!("llvm.mlir.undef : {ty}"))
    }

    /// The address `bytes` behind a pointer.
    pub fn byte_offset(&mut self, pointer: Value, bytes: Value) -> Value {
        let ty = pointer.ty;
        self.pure(ty, format!("llvm.getelementptr {pointer}[{bytes}] : ({ty}, {}) -> {ty}, i8", bytes.ty))
    }

    /// The constant with these bits in every lane.
    pub fn bits(&mut self, ty: Ty, bits: u64) -> Value {
        let width = ty.scalar.bits();
        let bits = if width == 64 { bits } else { bits & ((1 << width) - 1) };
        if let Some(&value) = self.constant_ids.get(&(ty, bits)) {
            return value;
        }
        let value = self.fresh(ty);
        let literal = match ty.scalar {
            Scalar::I1 => (if bits == 1 { "true" } else { "false" }).to_string(),
            scalar if scalar.is_float() => format!("0x{bits:0width$X}", width = width as usize / 4),
            _ => (((bits << (64 - width)) as i64) >> (64 - width)).to_string(),
        };
        let literal = if ty.is_vector() { format!("dense<{literal}>") } else { literal };
        let typed = if ty == Ty::scalar(Scalar::I1) { literal } else { format!("{literal} : {ty}") };
        let _ = writeln!(self.constants, "    {value} = arith.constant {typed}");
        self.constant_ids.insert((ty, bits), value);
        self.constant_values.insert(value.id, bits);
        value
    }

    /// Bits of a constant, if the value is one.
    pub fn constant_bits(&self, value: Value) -> Option<u64> {
        self.constant_values.get(&value.id).copied()
    }

    /// An integer constant in every lane.
    pub fn int(&mut self, ty: Ty, value: i64) -> Value {
        self.bits(ty, value as u64)
    }

    /// A float constant in every lane, rounded to f16 or f32 where the type is that.
    pub fn float(&mut self, ty: Ty, value: f64) -> Value {
        match ty.scalar {
            Scalar::F64 => self.bits(ty, value.to_bits()),
            Scalar::F16 => self.bits(ty, encode_float(ElementType::F16, value)),
            _ => self.bits(ty, u64::from((value as f32).to_bits())),
        }
    }

    /// The vector 0, 1, 2, … of an integer type.
    pub fn iota(&mut self, scalar: Scalar, lanes: u32) -> Value {
        let ty = Ty::vector(scalar, lanes);
        let items = join(0..lanes);
        self.pure(ty, format!("arith.constant dense<[{items}]> : {ty}"))
    }

    fn enter(&mut self) {
        self.open.push(self.next_region);
        self.next_region += 1;
        self.indent += 1;
    }

    fn leave(&mut self) {
        self.open.pop();
        self.indent -= 1;
    }

    /// Opens `scf.for` from `low` (inclusive) to `high` (exclusive); close it with [`Code::end_for`].
    pub fn begin_for(&mut self, low: Value, high: Value, step: Value, inits: &[Value]) -> Loop {
        let iv = self.fresh(low.ty);
        let carried: Vec<Value> = inits.iter().map(|v| self.fresh(v.ty)).collect();
        let results: Vec<Value> = inits.iter().map(|v| self.fresh(v.ty)).collect();
        let head = if inits.is_empty() {
            format!("scf.for {iv} = {low} to {high} step {step} : {} {{", low.ty)
        } else {
            let pairs = join(carried.iter().zip(inits).map(|(c, i)| format!("{c} = {i}")));
            format!(
                "{} = scf.for {iv} = {low} to {high} step {step} iter_args({pairs}) -> ({}) : {} {{",
                list(&results),
                types(inits),
                low.ty
            )
        };
        self.line(&head);
        self.enter();
        Loop { iv, carried, results }
    }

    /// Closes a loop with the values that the next iteration starts from.
    pub fn end_for(&mut self, open: Loop, next: &[Value]) -> Vec<Value> {
        self.close_for(open, next, "}")
    }

    /// [`Code::end_for`] of a loop that LLVM is not to unroll, however few its iterations.
    pub fn end_rolled_for(&mut self, open: Loop, next: &[Value]) -> Vec<Value> {
        self.close_for(open, next, "} {llvm.loop_annotation = #llvm.loop_annotation<unroll = <disable = true>>}")
    }

    fn close_for(&mut self, open: Loop, next: &[Value], end: &str) -> Vec<Value> {
        if !next.is_empty() {
            self.line(&format!("scf.yield {} : {}", list(next), types(next)));
        }
        self.leave();
        self.line(end);
        open.results
    }

    /// Opens `scf.while` over carried values; write the condition, then call [`Code::do_while`].
    pub fn begin_while(&mut self, inits: &[Value]) -> Loop {
        let carried: Vec<Value> = inits.iter().map(|v| self.fresh(v.ty)).collect();
        let results: Vec<Value> = inits.iter().map(|v| self.fresh(v.ty)).collect();
        let pairs = join(carried.iter().zip(inits).map(|(c, i)| format!("{c} = {i}")));
        self.line(&format!("{} = scf.while ({pairs}) : ({}) -> ({}) {{", list(&results), types(inits), types(inits)));
        self.enter();
        let iv = carried[0];
        Loop { iv, carried, results }
    }

    /// From the condition of a while loop to its body; the carried values of the result are those of the body.
    pub fn do_while(&mut self, open: Loop, condition: Value) -> Loop {
        self.line(&format!("scf.condition({condition}) {} : {}", list(&open.carried), types(&open.carried)));
        self.leave();
        self.line("} do {");
        self.enter();
        let carried: Vec<Value> = open.carried.iter().map(|v| self.fresh(v.ty)).collect();
        let arguments = join(carried.iter().map(|v| format!("{v}: {}", v.ty)));
        self.line(&format!("^bb0({arguments}):"));
        Loop { iv: carried[0], carried, results: open.results }
    }

    /// Opens the first arm of `scf.if`; the results are given to [`Code::end_if`] again.
    pub fn begin_if(&mut self, condition: Value, results: &[Ty]) -> Vec<Value> {
        let values: Vec<Value> = results.iter().map(|&ty| self.fresh(ty)).collect();
        let head = if values.is_empty() {
            format!("scf.if {condition} {{")
        } else {
            format!("{} = scf.if {condition} -> ({}) {{", list(&values), types(&values))
        };
        self.line(&head);
        self.enter();
        values
    }

    /// Closes the first arm, yielding its values, and opens the other.
    pub fn begin_else(&mut self, yields: &[Value]) {
        self.yield_values(yields);
        self.leave();
        self.line("} else {");
        self.enter();
    }

    /// Closes the last arm.
    pub fn end_if(&mut self, yields: &[Value]) {
        self.yield_values(yields);
        self.leave();
        self.line("}");
    }

    fn yield_values(&mut self, values: &[Value]) {
        if !values.is_empty() {
            self.line(&format!("scf.yield {} : {}", list(values), types(values)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code() -> Code {
        Code::new(true, true, false)
    }

    #[test]
    fn constants_are_written_once_with_exact_bits() {
        let mut c = code();
        let f = Ty::scalar(Scalar::F32);
        let a = c.float(f, 0.1);
        assert_eq!(a, c.float(f, 0.1));
        let v = c.int(Ty::vector(Scalar::I32, 4), -1);
        assert_ne!(a, v);
        let text = c.finish();
        assert_eq!(
            text,
            "    %0 = arith.constant 0x3DCCCCCD : f32\n    %1 = arith.constant dense<-1> : vector<4xi32>\n"
        );
    }

    #[test]
    fn equal_operations_are_merged_only_where_visible() {
        let mut c = code();
        let ty = Ty::scalar(Scalar::I32);
        let (zero, one) = (c.int(ty, 0), c.int(ty, 1));
        let open = c.begin_for(zero, one, one, &[]);
        let inside = c.pure(ty, "arith.addi %0, %1 : i32".into());
        assert_eq!(inside, c.pure(ty, "arith.addi %0, %1 : i32".into()));
        c.end_for(open, &[]);
        let outside = c.pure(ty, "arith.addi %0, %1 : i32".into());
        assert_ne!(inside, outside);
    }
}

//! The host side of a compiled model for one target: a list of records with nested blocks.
//!
//! A `Program` is data: it names kernels by index, buffers by `Span` and sizes by index into an expression
//! table, so that a static size is simply a constant expression. One program serves one target entry of a
//! module (schedules differ between targets); targets whose programs are equal share one.
//!
//! Worked example, softmax of a [4, 1000] f32 tensor on CUDA: three kernels, one block
//!
//! ```text
//! arena 16 KiB   dispatch row_max  grid (4,1,1)  [input 0] -> [arena 0..16]
//!                dispatch row_sum  grid (4,1,1)  [input 0, arena 0..16] -> [arena 256..272]
//!                dispatch divide   grid (16,1,1) [input 0, arena 0..16, arena 256..272] -> [output 0]
//! ```

use crate::collective::Collective;
use crate::tensor_map::TensorMap;

/// Index into [`Program::exprs`]; every size, grid extent and offset is one.
pub type ExprId = u32;
/// Index into [`Program::blocks`].
pub type BlockId = u32;

/// One entry of the size-expression table. Operands refer to *earlier* entries only, so evaluation in order
/// needs no recursion. All arithmetic is checked i64, divisions round down; division by zero is an error.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SizeExpr {
    Const(u64),
    /// A size known only at run time: slot `n` of the function's size slots.
    Slot(u32),
    Add(ExprId, ExprId),
    Sub(ExprId, ExprId),
    Mul(ExprId, ExprId),
    FloorDiv(ExprId, ExprId),
    CeilDiv(ExprId, ExprId),
    Mod(ExprId, ExprId),
    Min(ExprId, ExprId),
    Max(ExprId, ExprId),
}

/// Where a span lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    /// Intermediates of one call of the function, one allocation per session, base aligned to 256 bytes.
    Arena,
    /// Buffers filled once by the `load` block (uploaded, packed weights).
    Persistent,
    /// Argument `n` of the function.
    Input(u32),
    /// Result `n` of the function.
    Output(u32),
    /// The module's constant data (weights section), uploaded once on devices.
    Constant,
    /// Named parameter `n` of the module (manifest order), bound from a file.
    Parameter(u32),
    /// Argument / result `n` of a `Call`ed function's frame.
    Frame(u32),
}

/// A byte range in a space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Span {
    pub space: Space,
    /// Bytes from the start of the space; a multiple of 16 wherever a kernel binds it.
    pub offset: ExprId,
    /// Bytes.
    pub length: ExprId,
}

/// How a kernel uses a binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    Read,
    Write,
    ReadWrite,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    pub span: Span,
    pub access: Access,
}

/// One host command. Commands of a block run in order; a dispatch sees the writes of all commands before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Launch `kernel` on `grid` workgroups. `constants` are passed after the bindings as i64 values.
    Dispatch { kernel: u32, grid: [ExprId; 3], bindings: Vec<Binding>, constants: Vec<ExprId> },
    /// Copy bytes between spans of equal length.
    Copy { source: Span, target: Span },
    /// Fill with a repeated pattern of 1, 2, 4 or 8 bytes (`pattern_bytes`), little endian.
    Fill { target: Span, pattern: u64, pattern_bytes: u8 },
    /// Run another function of the program: its inputs, then its outputs, as spans of the caller.
    Call { function: u32, arguments: Vec<Span> },
    /// Read one i1 byte; run one of two blocks.
    If { predicate: Span, then_block: BlockId, else_block: BlockId },
    /// Run `condition`; while the i1 byte at `predicate` is nonzero run `body` and `condition` again. Where `guarded`,
    /// they change nothing once it is 0, so they may be run more often.
    While { condition: BlockId, predicate: Span, body: BlockId, guarded: bool },
    /// Run `body` so many times; nothing is read on the way.
    Repeat { count: u64, body: BlockId },
    /// Read an integer of `bytes` (1, 2, 4, 8; `signed`) from a buffer into size slot `slot`; must lie in `min..=max`.
    HostShape { slot: u32, source: Span, bytes: u8, signed: bool, min: i64, max: i64 },
    /// Devices work on each other's buffers; all of the groups meet here.
    Collective { collective: Collective, source: Span, target: Span },
    /// Call function `number` of the process that runs this: it reads the operands and writes the results, in order.
    HostCall { number: u64, operands: Vec<Span>, results: Vec<Span> },
    /// Write the 32-bit number `device / divisor % modulus` of the device that runs this.
    DeviceId { target: Span, divisor: u32, modulus: u32 },
    /// Sizes must be in this relation, else the call ends with `message` before anything after runs.
    Require { relation: Relation, a: ExprId, b: ExprId, message: String },
}

/// What two sizes must satisfy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Relation {
    Equal,
    NotEqual,
    /// `a ≤ b`
    LessEqual,
    /// `a` divides `b`.
    Divides,
}

impl Relation {
    pub const ALL: [Relation; 4] = [Relation::Equal, Relation::NotEqual, Relation::LessEqual, Relation::Divides];

    pub fn holds(self, a: i64, b: i64) -> bool {
        match self {
            Relation::Equal => a == b,
            Relation::NotEqual => a != b,
            Relation::LessEqual => a <= b,
            Relation::Divides => a != 0 && b.wrapping_rem(a) == 0,
        }
    }

    /// Between two numbers, in messages.
    pub fn symbol(self) -> &'static str {
        match self {
            Relation::Equal => "==",
            Relation::NotEqual => "!=",
            Relation::LessEqual => "<=",
            Relation::Divides => "divides",
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Block {
    pub commands: Vec<Command>,
}

/// What a target's image needs to launch one compiled kernel, and what `inspect` shows of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// Symbol in the image: `[A-Za-z_][A-Za-z0-9_]*`, at most 200 bytes.
    pub name: String,
    /// Threads of a workgroup; `[1,1,1]` on CPU.
    pub block: [u32; 3],
    /// Workgroups that run together and see each other's shared memory; the image asks for it too. `[1,1,1]` = none.
    pub cluster: [u32; 3],
    /// It waits by itself for the kernels that it depends on, so a launch may start it before they are over (CUDA).
    pub awaits: bool,
    /// Dynamic shared memory (GPU), bytes; static shared memory is in the image.
    pub dynamic_shared_bytes: u32,
    /// Static shared memory recorded by the compiler, bytes.
    pub static_shared_bytes: u32,
    /// Scratch a CPU thread must pass, bytes.
    pub scratch_bytes: u32,
    /// Number of buffer bindings, in order.
    pub bindings: u32,
    /// Passed after the bindings and before the constants, 128 bytes each.
    pub tensor_maps: Vec<TensorMap>,
    /// Registers a thread and spilled bytes, where the assembler told them (0 = not known).
    pub registers: u32,
    pub spill_bytes: u32,
    /// Emitter that made it (`loop`, `reduction`, `contraction`, …) and the ops in it, for people.
    pub hero: String,
    pub summary: String,
    /// Floating-point (or integer) operations of one launch, a multiply-add counted as two; 0 = not known.
    pub flops: u64,
    /// What they are done in, by the name of a row of `fornax_targets::product::ARITHMETIC` (`f16`, `tf32`, `i8`); may
    /// be empty.
    pub arithmetic: String,
    /// Bytes of global memory that one launch must move at least; 0 = what its bindings hold.
    pub bytes: u64,
    /// Why it was made as it is (`no tensor core: rows are not 16-byte aligned`), for people; may be empty.
    pub note: String,
}

impl Default for Kernel {
    fn default() -> Kernel {
        Kernel {
            name: String::new(),
            block: [0; 3],
            cluster: [1; 3],
            awaits: false,
            dynamic_shared_bytes: 0,
            static_shared_bytes: 0,
            scratch_bytes: 0,
            bindings: 0,
            tensor_maps: Vec::new(),
            registers: 0,
            spill_bytes: 0,
            hero: String::new(),
            summary: String::new(),
            flops: 0,
            arithmetic: String::new(),
            bytes: 0,
            note: String::new(),
        }
    }
}

/// One callable function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Function {
    pub name: String,
    pub body: BlockId,
    /// Bytes of `Space::Arena` a call needs (expression).
    pub arena_bytes: ExprId,
    /// Number of run-time size slots.
    pub size_slots: u32,
    /// Byte lengths of inputs and outputs, each an expression.
    pub input_bytes: Vec<ExprId>,
    pub output_bytes: Vec<ExprId>,
    /// Of a function with sizes known only at run time; empty else.
    pub shapes: FunctionShapes,
}

/// What a function with size slots says of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FunctionShapes {
    /// Names of the slots, for messages.
    pub slot_names: Vec<String>,
    /// Dimensions of every input and output.
    pub inputs: Vec<Vec<ExprId>>,
    pub outputs: Vec<Vec<ExprId>>,
    /// Bytes of the arena that are enough while only the first sizes are known, ascending; [`Function::arena_bytes`] at
    /// last.
    pub arena_stages: Vec<ExprId>,
}

impl FunctionShapes {
    pub fn is_empty(&self) -> bool {
        *self == FunctionShapes::default()
    }
}

/// Everything the host runs for one target.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    pub exprs: Vec<SizeExpr>,
    pub kernels: Vec<Kernel>,
    pub blocks: Vec<Block>,
    pub functions: Vec<Function>,
    /// Block that runs once after loading (fills `Space::Persistent`), if any.
    pub load: Option<BlockId>,
    /// Bytes of `Space::Persistent`.
    pub persistent_bytes: u64,
}

impl Program {
    /// Interns a constant and returns its expression.
    pub fn constant(&mut self, value: u64) -> ExprId {
        self.expr(SizeExpr::Const(value))
    }

    /// Interns an expression.
    pub fn expr(&mut self, expr: SizeExpr) -> ExprId {
        if let Some(at) = self.exprs.iter().position(|e| *e == expr) {
            return at as ExprId;
        }
        self.exprs.push(expr);
        (self.exprs.len() - 1) as ExprId
    }
}

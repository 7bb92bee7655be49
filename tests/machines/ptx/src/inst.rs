//! What a kernel's text becomes: a flat list of operations on register slots, for one warp at a time.
//!
//! A slot holds 32 lanes of 64 bits; a vector or struct takes consecutive slots. Regions are flattened: their ends are
//! operations that switch the mask of active lanes or jump back, so that a warp may stop anywhere and go on later.
//!
//! Worked example: `scf.if %c { A } else { B }` with %c in slot 4:
//!
//! ```text
//! 10  If { condition: 4, otherwise: 13, end: 14 }
//! 11  A
//! 12  Else { end: 14 }
//! 13  B
//! 14  EndIf
//! ```

pub use crate::tensor_ops::{Bulk, BulkTensor, Element, Mma, Wgmma, WgmmaA};
use crate::types::Scalar;

/// A register of a warp.
pub type Slot = u32;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    Add,
    Sub,
    Mul,
    DivU,
    DivS,
    RemU,
    RemS,
    And,
    Or,
    Xor,
    Shl,
    ShrU,
    ShrS,
    MinU,
    MinS,
    MaxU,
    MaxS,
    MulHighU,
    MulHighS,
    AddF,
    SubF,
    MulF,
    DivF,
    RemF,
    /// The number where one operand is NaN.
    MinNum,
    MaxNum,
    /// NaN where one operand is NaN.
    Minimum,
    Maximum,
    CopySign,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    NegF,
    AbsF,
    Sqrt,
    Floor,
    Ceil,
    Trunc,
    RoundEven,
    Round,
    CountLeadingZeros,
    CountTrailingZeros,
    CountOnes,
    ReverseBits,
    ReverseBytes,
    /// The machine's approximations, flushing denormals where `.ftz` says so.
    Exp2,
    Log2,
    Reciprocal,
    RsqrtApprox,
    Tanh,
    Sin,
    Cos,
    /// f32 to tf32, nearest, ties away.
    ToTf32,
    Extend,
    ExtendSigned,
    Truncate,
    FloatToFloat,
    FloatToSigned,
    FloatToUnsigned,
    /// Out of range goes to the nearest, NaN to 0.
    FloatToSignedSaturating,
    FloatToUnsignedSaturating,
    SignedToFloat,
    UnsignedToFloat,
    /// Bytes to f16; NaN becomes 0x7FFF.
    E4m3ToF16,
    E5m2ToF16,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Predicate {
    Eq,
    Ne,
    Slt,
    Sle,
    Sgt,
    Sge,
    Ult,
    Ule,
    Ugt,
    Uge,
    /// Floats: which of (less, equal, greater, unordered) are true.
    Float([bool; 4]),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shuffle {
    Idx,
    Bfly,
    Up,
    Down,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vote {
    Ballot,
    Any,
    All,
    Uniform,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Special {
    Thread(u8),
    Threads(u8),
    Workgroup(u8),
    Workgroups(u8),
    Lane,
    Warp,
    ClusterRank,
    ClusterSize,
    ClusterId,
    Clusters,
    /// Lane masks: eq, lt, le, gt, ge.
    LaneMask(u8),
    Clock,
}

/// Which memory an access means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    Generic,
    Global,
    /// This workgroup's shared memory.
    Shared,
    /// Shared memory of a workgroup of the cluster.
    Cluster,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    pub space: Space,
    pub scalar: Scalar,
    /// First slot of the value.
    pub value: Slot,
    pub n: u32,
    pub address: Slot,
    /// Bytes that the text says divide the address.
    pub alignment: u32,
    /// Acquire, release or volatile: orders workgroups among each other.
    pub ordered: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtomicOp {
    Add,
    AddF,
    And,
    Or,
    Xor,
    MinS,
    MaxS,
    MinU,
    MaxU,
    Exchange,
    CompareExchange,
}

#[derive(Clone, Debug)]
pub struct Atomic {
    pub op: AtomicOp,
    pub scalar: Scalar,
    pub space: Space,
    pub address: Slot,
    pub value: Slot,
    /// What must be there (compare-exchange).
    pub compare: Option<Slot>,
    pub to: Option<Slot>,
    /// Lanes of the result's second member: whether the exchange happened.
    pub success: Option<Slot>,
}

/// Copies between slots, for active lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    pub to: Slot,
    pub from: Slot,
    pub n: u32,
}

/// A number known from the text or found in a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    Fixed(u32),
    In(Slot),
}

#[derive(Clone, Debug)]
pub enum Op {
    Const {
        to: Slot,
        bits: u64,
    },
    Binary {
        op: Binary,
        ty: Scalar,
        to: Slot,
        a: Slot,
        b: Slot,
        n: u32,
    },
    Unary {
        op: Unary,
        from: Scalar,
        into: Scalar,
        to: Slot,
        a: Slot,
        n: u32,
    },
    Fma {
        ty: Scalar,
        to: Slot,
        a: Slot,
        b: Slot,
        c: Slot,
        n: u32,
    },
    Compare {
        predicate: Predicate,
        ty: Scalar,
        to: Slot,
        a: Slot,
        b: Slot,
        n: u32,
    },
    Select {
        to: Slot,
        condition: Slot,
        a: Slot,
        b: Slot,
        n: u32,
        each: bool,
    },
    Spread {
        to: Slot,
        a: Slot,
        n: u32,
    },
    Move {
        moves: Box<[Move]>,
        overlap: bool,
    },
    /// The same bits in slots of another width.
    Recast {
        to: Slot,
        to_bits: u32,
        to_n: u32,
        a: Slot,
        from_bits: u32,
        from_n: u32,
    },
    Fold {
        op: Binary,
        ty: Scalar,
        to: Slot,
        a: Slot,
        n: u32,
    },
    /// One lane of a vector by a run-time index.
    Pick {
        to: Slot,
        a: Slot,
        n: u32,
        index: Slot,
    },
    Place {
        to: Slot,
        a: Slot,
        n: u32,
        index: Slot,
        value: Slot,
    },
    Special {
        to: Slot,
        which: Special,
    },
    SharedAddress {
        to: Slot,
        offset: u32,
    },
    Address {
        to: Slot,
        base: Slot,
        offset: i64,
        terms: Box<[(Slot, u8, i64)]>,
    },
    SpaceCast {
        to: Slot,
        a: Slot,
        from: u8,
        into: u8,
    },
    MapAddress {
        to: Slot,
        a: Slot,
        rank: Slot,
    },
    Load(Access),
    Store(Access),
    /// st.async: a store to shared memory of the cluster whose bytes an mbarrier there counts.
    StoreAsync {
        access: Access,
        barrier: Slot,
    },
    Atomic(Box<Atomic>),
    Shuffle {
        mode: Shuffle,
        to: Slot,
        a: Slot,
        lane: Slot,
        clamp: Slot,
        members: Slot,
        valid: Option<Slot>,
    },
    Vote {
        vote: Vote,
        to: Slot,
        a: Slot,
        members: Slot,
    },
    Match {
        to: Slot,
        a: Slot,
        members: Slot,
    },
    Reduce {
        op: Binary,
        ty: Scalar,
        to: Slot,
        a: Slot,
        members: Slot,
    },
    Elect {
        to: Slot,
    },
    Permute {
        to: Slot,
        a: Slot,
        b: Slot,
        selector: Slot,
    },
    If {
        condition: Slot,
        otherwise: u32,
        end: u32,
    },
    Else {
        end: u32,
    },
    EndIf,
    For {
        iv: Slot,
        low: Slot,
        high: Slot,
        bits: u8,
        end: u32,
        moves: Box<[Move]>,
    },
    ForNext {
        iv: Slot,
        step: Slot,
        high: Slot,
        bits: u8,
        body: u32,
        moves: Box<[Move]>,
        overlap: bool,
    },
    While {
        moves: Box<[Move]>,
    },
    /// The end of a while loop's condition: who goes on, who leaves with which results.
    Condition {
        condition: Slot,
        leave: Box<[Move]>,
        stay: Box<[Move]>,
        end: u32,
    },
    WhileNext {
        head: u32,
        moves: Box<[Move]>,
        overlap: bool,
    },
    Barrier {
        id: Count,
        threads: Option<Count>,
        wait: bool,
    },
    WarpSync {
        members: Option<Slot>,
    },
    Fence,
    FenceProxyAsync,
    FenceInit,
    ClusterArrive,
    ClusterWait,
    BarrierInit {
        at: Slot,
        count: Slot,
    },
    BarrierInvalidate {
        at: Slot,
    },
    BarrierArrive {
        at: Slot,
        space: Space,
        count: Option<Slot>,
        expect: Option<Slot>,
        drop: bool,
    },
    BarrierExpect {
        at: Slot,
        space: Space,
        bytes: Slot,
    },
    /// Blocks, or gives whether the phase is done.
    BarrierWait {
        at: Slot,
        parity: Slot,
        to: Option<Slot>,
    },
    CopyAsync {
        shared: Slot,
        global: Slot,
        size: u32,
        bytes: Option<Slot>,
    },
    CopyAsyncCommit,
    CopyAsyncWait {
        pending: u32,
    },
    CopyAsyncArrive {
        at: Slot,
        noinc: bool,
    },
    LoadMatrix {
        to: Slot,
        address: Slot,
        count: u32,
        transposed: bool,
    },
    StoreMatrix {
        address: Slot,
        values: Box<[Slot]>,
        transposed: bool,
    },
    MoveMatrix {
        to: Slot,
        a: Slot,
    },
    Mma(Box<Mma>),
    Wgmma(Box<Wgmma>),
    WgmmaFence,
    WgmmaCommit,
    WgmmaWait {
        pending: u32,
    },
    BulkTensorLoad(Box<BulkTensor>),
    BulkTensorStore(Box<BulkTensor>),
    Bulk(Box<Bulk>),
    BulkCommit,
    BulkWait {
        pending: u32,
        read: bool,
    },
    /// setmaxnreg: all lanes must reach it.
    SetRegisters,
    Nothing,
    Trap,
    Return,
}

/// An operation with what reports say of it.
#[derive(Clone, Debug)]
pub struct Inst {
    pub op: Op,
    /// Line of the text.
    pub line: u32,
    /// Position in the kernel's list of operation names.
    pub kind: u32,
    /// Slots read and written, `(first, n)`; only where the kernel has warpgroup multiplies.
    pub reads: Box<[(Slot, u32)]>,
    pub writes: Box<[(Slot, u32)]>,
}

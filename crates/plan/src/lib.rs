//! What passes write and emitters read: index expressions, the scalar expression DAG, the kernel plan. No LLVM.
//!
//! A kernel plan says *what* to compute, element by element, as pure expressions over loop variables, plus a
//! schedule that says how the loop variables map to workgroups, threads and vector lanes. Broadcast, transpose,
//! reshape, slice, pad, concatenate, reverse and iota exist only as index expressions and selects.
#![forbid(unsafe_code)]

pub mod attention;
mod attention_chunks;
pub mod attention_lanes;
mod cost;
pub mod exchange;
pub mod expr;
pub mod form;
pub mod identity;
pub mod index;
pub mod interpret;
pub mod kernel;
pub mod matrix;
pub mod ordered;
pub mod panel;
pub mod precision;
pub mod print;
pub mod radix;
pub mod row;
pub mod row_keep;
pub mod segment;
mod sized;
pub mod sizes;
pub mod skinny;
pub mod substitute;
pub mod team;
pub mod tensor_map;
pub mod walk;
pub mod warpgroup;
mod way;
pub mod window;

pub use attention::{
    Attention, AttentionBoxes, AttentionBulk, AttentionLayout, AttentionSchedule, AttentionStream, AttentionTiles, Band,
};
pub use attention_chunks::AttentionChunks;
pub use attention_lanes::AttentionLanes;
pub use exchange::ExchangeSchedule;
pub use expr::{Binary, Compare, Exprs, Node, NodeId, Unary};
pub use form::{ContractionForm, DirectLoad, Operand};
pub use index::{Atom, AtomId, IndexId, Linear, SizeId, SizeParameter, VarId};
pub use kernel::{Access, Body, Buffer, Combiner, KernelPlan, LoopSchedule, Schedule, Store, TileSchedule};
pub use matrix::{Atom as MatrixAtom, MatrixSchedule};
pub use ordered::{ScanSchedule, ScanWay, SortSchedule};
pub use panel::PanelSchedule;
pub use precision::Precision;
pub use radix::RadixSchedule;
pub use row::{RowFold, RowSchedule};
pub use segment::SegmentSchedule;
pub use sized::{LIKELY_SIZE, LaunchFactor, LaunchFormula, Serves, SizedSchedule};
pub use skinny::SkinnySchedule;
pub use team::{Team, TeamPart, TeamSchedule, TeamStep};
pub use tensor_map::{MapPart, MapSize, Swizzle, TensorMap};
pub use warpgroup::{Cover, Major, ProductGroup, SharedLayout, StagedStore, TiledOperand, WarpgroupSchedule};
pub use window::{Sliding, WindowPair, WindowSchedule};

//! The typed tensor graph with StableHLO semantics that every phase up to scheduling works on. No LLVM.
#![forbid(unsafe_code)]

pub mod attr;
pub mod constant;
pub mod devices;
pub mod dims;
pub mod errors;
pub mod graph;
pub mod hlo_sharding;
pub mod location;
pub mod op;
pub mod ops;
pub mod print;
mod reader;
pub mod same;
pub mod sharding;
pub mod types;
pub mod verify;
pub mod views;

pub use attr::{Attr, AttrMap};
pub use constant::{Constant, Storage};
pub use dims::{DimCheck, DimDef, DimExpr, DimRelation, DimTable, Equalities, SymbolicDim};
pub use errors::ERROR_CODES;
pub use fornax_types::{Class, ElementType};
pub use graph::{
    Block, BlockId, ConstId, Definition, Function, Graph, NewOp, Op, OpId, Region, RegionId, Value, ValueId,
};
pub use location::{LocId, Location};
pub use op::{ALL_OPS, OpKind};
pub use print::{PrintOptions, print, print_with};
pub use same::same_graph;
pub use types::{Dim, QuantizedBlocks, QuantizedType, TensorType, Type};
pub use verify::{VerifyError, verify, verify_up_to};

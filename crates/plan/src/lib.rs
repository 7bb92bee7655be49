//! What passes write and emitters read: index expressions, the scalar expression DAG, the kernel plan. No LLVM, no
//! family.
//!
//! A kernel plan says *what* to compute, element by element, as pure expressions over loop variables, plus a
//! schedule that says how the loop variables map to workgroups, threads and vector lanes. Broadcast, transpose,
//! reshape, slice, pad, concatenate, reverse and iota exist only as index expressions and selects.
#![forbid(unsafe_code)]

pub mod attention;
pub mod bundle;
mod cost;
mod crossing;
pub mod expr;
pub mod form;
pub mod fused_loop;
pub mod identity;
pub mod index;
pub mod interpret;
pub mod kernel;
pub mod led;
pub mod matrix;
pub mod ordered;
pub mod precision;
pub mod print;
pub mod products;
pub mod radix;
pub mod row;
pub mod schedule;
pub mod segment;
mod sized;
pub mod sizes;
pub mod substitute;
pub mod tensor_map;
pub mod walk;
pub mod window;

pub use attention::{Attention, Band};
pub use bundle::{Bundle, BundlePart};
pub use expr::{Binary, Compare, Exprs, Node, NodeId, Unary};
pub use form::{ContractionForm, DirectLoad, Operand};
pub use fused_loop::{FusedLoop, LoopPart, LoopStep};
pub use index::{Atom, AtomId, IndexId, Linear, SizeId, SizeParameter, VarId};
pub use kernel::{Access, Body, Buffer, Combiner, KernelPlan, Store, UNANNOUNCED};
pub use led::{Led, LedPart, LedPlace};
pub use matrix::Atom as MatrixAtom;
pub use precision::Precision;
pub use products::{Product, Products};
pub use row::RowFold;
pub use schedule::{Launch, Names, Schedule, Unscheduled};
pub use sized::{LIKELY_SIZE, LaunchFactor, LaunchFormula, Serves};
pub use tensor_map::{MapPart, MapSize, Swizzle, TensorMap};
pub use window::{Sliding, WindowPair};

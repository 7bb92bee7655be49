//! The scalar expression DAG of a kernel: hash-consed nodes, each one scalar of a known element type.
//!
//! Semantics are StableHLO's, per element: wrap-around integers, IEEE floats rounded to the node's own type after
//! every op (`f16`, `bf16` too), `maximum`/`minimum` propagate NaN, float → integer conversion saturates with
//! NaN → 0, shifts by the width or more give 0 (or the sign), integer division by zero gives −1 and remainder
//! by zero the dividend.

use std::collections::HashMap;

use fornax_graph::ElementType;

use crate::index::{IndexId, Indices};

/// An interned node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

macro_rules! named {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name { $($variant,)* }
        impl $name {
            pub const ALL: &[$name] = &[$($name::$variant,)*];
            /// Name in dumps.
            pub fn name(self) -> &'static str {
                match self { $($name::$variant => $text,)* }
            }
        }
    };
}

named! {
    /// One operand, same element type out (but `IsFinite`: i1).
    Unary {
        Negate = "negate",
        Abs = "abs",
        Sign = "sign",
        Not = "not",
        PopulationCount = "popcnt",
        CountLeadingZeros = "count_leading_zeros",
        Floor = "floor",
        Ceil = "ceil",
        RoundNearestEven = "round_nearest_even",
        RoundNearestAwayFromZero = "round_nearest_afz",
        Sqrt = "sqrt",
        Rsqrt = "rsqrt",
        Cbrt = "cbrt",
        Exponential = "exponential",
        ExponentialMinusOne = "exponential_minus_one",
        Log = "log",
        LogPlusOne = "log_plus_one",
        Logistic = "logistic",
        Sine = "sine",
        Cosine = "cosine",
        Tan = "tan",
        Tanh = "tanh",
        Erf = "erf",
        Erfc = "erfc",
        ErfInv = "erf_inv",
        Asin = "asin",
        Acos = "acos",
        Atan = "atan",
        Sinh = "sinh",
        Cosh = "cosh",
        Asinh = "asinh",
        Acosh = "acosh",
        Atanh = "atanh",
        IsFinite = "is_finite",
    }
}

named! {
    /// Two operands of one element type, same type out.
    Binary {
        Add = "add",
        Subtract = "subtract",
        Multiply = "multiply",
        Divide = "divide",
        Remainder = "remainder",
        Maximum = "maximum",
        Minimum = "minimum",
        Power = "power",
        Atan2 = "atan2",
        And = "and",
        Or = "or",
        Xor = "xor",
        ShiftLeft = "shift_left",
        ShiftRightArithmetic = "shift_right_arithmetic",
        ShiftRightLogical = "shift_right_logical",
    }
}

named! {
    /// Ordered comparisons (`Ne` is true on NaN); `Total*` use the IEEE total order of floats.
    Compare {
        Eq = "eq",
        Ne = "ne",
        Lt = "lt",
        Le = "le",
        Gt = "gt",
        Ge = "ge",
        TotalEq = "total_eq",
        TotalNe = "total_ne",
        TotalLt = "total_lt",
        TotalLe = "total_le",
        TotalGt = "total_gt",
        TotalGe = "total_ge",
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// Bits of the constant in the element type's own encoding, zero-extended (`i1`: 0 or 1).
    Constant {
        element: ElementType,
        bits: u64,
    },
    /// Element `offset` of buffer `buffer` (the element type is the buffer's). With `mask` (an i1 node), lanes
    /// where it is false read nothing and have an unspecified value; the offset may be out of range there.
    Load {
        buffer: u32,
        element: ElementType,
        offset: IndexId,
        mask: Option<NodeId>,
    },
    /// An index as a value (iota), wrapped to the type.
    FromIndex {
        element: ElementType,
        index: IndexId,
    },
    /// i1: `low ≤ index < high`.
    InRange {
        index: IndexId,
        low: i64,
        high: i64,
    },
    Unary {
        op: Unary,
        a: NodeId,
    },
    Binary {
        op: Binary,
        a: NodeId,
        b: NodeId,
    },
    Compare {
        op: Compare,
        a: NodeId,
        b: NodeId,
    },
    /// `condition ? a : b`; both are evaluated (loads carry their own masks).
    Select {
        condition: NodeId,
        a: NodeId,
        b: NodeId,
    },
    /// StableHLO `convert`.
    Convert {
        element: ElementType,
        a: NodeId,
    },
    /// Same width reinterpretation.
    Bitcast {
        element: ElementType,
        a: NodeId,
    },
    /// Rounds a float to `exponent`/`mantissa` bits, type unchanged.
    ReducePrecision {
        exponent: u32,
        mantissa: u32,
        a: NodeId,
    },
    /// Result `index` of the body's reduction, readable in the stores of a reducing body.
    Reduced {
        index: u32,
        element: ElementType,
    },
    /// In a `Combiner::General`: the running value and the new value of operand `index`.
    Running {
        index: u32,
        element: ElementType,
    },
    Incoming {
        index: u32,
        element: ElementType,
    },
}

/// Index tables and nodes of one kernel.
#[derive(Clone, Debug, Default)]
pub struct Exprs {
    pub indices: Indices,
    nodes: Vec<Node>,
    types: Vec<ElementType>,
    ids: HashMap<Node, NodeId>,
}

impl Exprs {
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// Number of nodes; operands always have smaller ids than their users.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Element type of a node.
    pub fn element(&self, id: NodeId) -> ElementType {
        self.types[id.0 as usize]
    }

    /// Interns a node. Only what needs no arithmetic is folded here: selects and masks on constant conditions,
    /// conversions to the same type, ranges that the index bounds decide.
    pub fn add(&mut self, node: Node) -> NodeId {
        match &node {
            Node::Convert { element, a } | Node::Bitcast { element, a } if self.element(*a) == *element => return *a,
            Node::Select { condition, a, b } => match self.as_bool(*condition) {
                Some(true) => return *a,
                Some(false) => return *b,
                None if a == b => return *a,
                None => {}
            },
            Node::InRange { index, low, high } => {
                let (min, max) = self.indices.range(*index);
                // The largest number as a bound is none.
                if min >= *low && (max < *high || *high == i64::MAX) {
                    return self.boolean(true);
                }
                if low >= high || max < *low || min >= *high {
                    return self.boolean(false);
                }
            }
            Node::Binary { op: Binary::And, a, b } => match (self.as_bool(*a), self.as_bool(*b)) {
                (Some(true), _) => return *b,
                (_, Some(true)) => return *a,
                (Some(false), _) | (_, Some(false)) => return self.boolean(false),
                _ if a == b => return *a,
                _ => {}
            },
            Node::Load { buffer, element, offset, mask: Some(mask) } if self.as_bool(*mask) == Some(true) => {
                return self.add(Node::Load { buffer: *buffer, element: *element, offset: *offset, mask: None });
            }
            _ => {}
        }
        if let Some(&id) = self.ids.get(&node) {
            return id;
        }
        let id = NodeId(self.nodes.len() as u32);
        self.types.push(self.type_of(&node));
        self.nodes.push(node.clone());
        self.ids.insert(node, id);
        id
    }

    fn type_of(&self, node: &Node) -> ElementType {
        match node {
            Node::Constant { element, .. }
            | Node::Load { element, .. }
            | Node::FromIndex { element, .. }
            | Node::Convert { element, .. }
            | Node::Bitcast { element, .. }
            | Node::Reduced { element, .. }
            | Node::Running { element, .. }
            | Node::Incoming { element, .. } => *element,
            Node::InRange { .. } | Node::Compare { .. } | Node::Unary { op: Unary::IsFinite, .. } => ElementType::I1,
            Node::Unary { a, .. } | Node::Binary { a, .. } | Node::ReducePrecision { a, .. } => self.element(*a),
            Node::Select { a, .. } => self.element(*a),
        }
    }

    /// Value of an i1 constant.
    fn as_bool(&self, id: NodeId) -> Option<bool> {
        match self.node(id) {
            Node::Constant { element: ElementType::I1, bits } => Some(*bits != 0),
            _ => None,
        }
    }

    pub fn boolean(&mut self, value: bool) -> NodeId {
        self.add(Node::Constant { element: ElementType::I1, bits: value as u64 })
    }

    pub fn unary(&mut self, op: Unary, a: NodeId) -> NodeId {
        self.add(Node::Unary { op, a })
    }

    pub fn binary(&mut self, op: Binary, a: NodeId, b: NodeId) -> NodeId {
        self.add(Node::Binary { op, a, b })
    }

    pub fn compare(&mut self, op: Compare, a: NodeId, b: NodeId) -> NodeId {
        self.add(Node::Compare { op, a, b })
    }

    pub fn select(&mut self, condition: NodeId, a: NodeId, b: NodeId) -> NodeId {
        self.add(Node::Select { condition, a, b })
    }

    pub fn convert(&mut self, element: ElementType, a: NodeId) -> NodeId {
        self.add(Node::Convert { element, a })
    }

    /// Node operands of a node (not those behind index atoms).
    pub fn operands(&self, id: NodeId) -> Vec<NodeId> {
        match self.node(id) {
            Node::Load { mask, .. } => mask.iter().copied().collect(),
            Node::Unary { a, .. }
            | Node::Convert { a, .. }
            | Node::Bitcast { a, .. }
            | Node::ReducePrecision { a, .. } => vec![*a],
            Node::Binary { a, b, .. } | Node::Compare { a, b, .. } => vec![*a, *b],
            Node::Select { condition, a, b } => vec![*condition, *a, *b],
            _ => Vec::new(),
        }
    }

    /// The index a node uses directly, if any.
    pub fn index_of(&self, id: NodeId) -> Option<IndexId> {
        match self.node(id) {
            Node::Load { offset, .. } => Some(*offset),
            Node::FromIndex { index, .. } | Node::InRange { index, .. } => Some(*index),
            _ => None,
        }
    }
}

//! Formulas of real numbers as they are written on paper; [`Formula::emit`] makes ops of what the results need.
//!
//! A [`Real`] or [`Mask`] is a node of a growing table, so that `(x * (x + 2.0) + y * y).ln_1p() / 2.0` builds five
//! ops. Equal nodes are one. All numbers of a formula have one element type, whatever their operands and results have.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

use fornax_graph::{ElementType, OpKind, ValueId};

use crate::rewrite::Rewriter;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Node {
    Input(ValueId),
    /// Bits of an `f64`.
    Constant(u64),
    Unary(OpKind, u32),
    Binary(OpKind, u32, u32),
    Compare(&'static str, u32, u32),
    Select(u32, u32, u32),
    /// The magnitude of the first with the sign of the second.
    CopySign(u32, u32),
    IsNegative(u32),
}

impl Node {
    fn operands(self) -> Vec<u32> {
        match self {
            Node::Input(_) | Node::Constant(_) => vec![],
            Node::Unary(_, a) | Node::IsNegative(a) => vec![a],
            Node::Binary(_, a, b) | Node::Compare(_, a, b) | Node::CopySign(a, b) => vec![a, b],
            Node::Select(c, a, b) => vec![c, a, b],
        }
    }
}

/// The table of a formula under construction.
pub struct Formula {
    /// Type that the numbers are computed in.
    element: ElementType,
    /// The inputs come from a narrower type, so that squares neither overflow nor vanish.
    widened: bool,
    nodes: RefCell<Vec<Node>>,
    known: RefCell<HashMap<Node, u32>>,
}

/// A real number of a formula.
#[derive(Clone, Copy)]
pub struct Real<'f> {
    formula: &'f Formula,
    node: u32,
}

/// A truth value of a formula.
#[derive(Clone, Copy)]
pub struct Mask<'f> {
    formula: &'f Formula,
    node: u32,
}

impl Formula {
    pub fn new(element: ElementType, widened: bool) -> Formula {
        Formula { element, widened, nodes: RefCell::default(), known: RefCell::default() }
    }

    fn node(&self, node: Node) -> u32 {
        *self.known.borrow_mut().entry(node).or_insert_with(|| {
            let mut nodes = self.nodes.borrow_mut();
            nodes.push(node);
            nodes.len() as u32 - 1
        })
    }

    pub fn input(&self, value: ValueId) -> Real<'_> {
        Real { formula: self, node: self.node(Node::Input(value)) }
    }

    pub fn constant(&self, value: f64) -> Real<'_> {
        Real { formula: self, node: self.node(Node::Constant(value.to_bits())) }
    }

    /// Makes the ops that `results` need, which have the shape of `like`; results get the element type `element`.
    pub fn emit<const N: usize>(
        &self,
        rw: &mut Rewriter,
        results: [Real; N],
        like: ValueId,
        element: ElementType,
    ) -> [ValueId; N] {
        let nodes = self.nodes.borrow();
        let mut needed = vec![false; nodes.len()];
        results.iter().for_each(|result| needed[result.node as usize] = true);
        for (at, node) in nodes.iter().enumerate().rev() {
            if needed[at] {
                node.operands().into_iter().for_each(|operand| needed[operand as usize] = true);
            }
        }
        let mut values = vec![like; nodes.len()];
        for (at, &node) in nodes.iter().enumerate().filter(|(at, _)| needed[*at]) {
            values[at] = self.emit_node(rw, node, &values, like);
        }
        results.map(|result| rw.convert(values[result.node as usize], element))
    }

    fn emit_node(&self, rw: &mut Rewriter, node: Node, values: &[ValueId], like: ValueId) -> ValueId {
        let value = |at: u32| values[at as usize];
        match node {
            Node::Input(input) => rw.convert(input, self.element),
            Node::Constant(bits) => {
                let shape = rw.tensor(like).map(|ty| ty.with_element(self.element));
                let ty = shape.unwrap_or_else(|| fornax_graph::TensorType::new(&[], self.element));
                rw.splat(&ty, fornax_reference::Scalar::Float(f64::from_bits(bits)))
            }
            Node::Unary(kind, a) => rw.unary(kind, value(a)),
            Node::Binary(kind, a, b) => rw.binary(kind, value(a), value(b)),
            Node::Compare(direction, a, b) => rw.compare(direction, value(a), value(b)),
            Node::Select(condition, a, b) => rw.select(value(condition), value(a), value(b)),
            Node::CopySign(a, b) => self.copy_sign(rw, value(a), value(b)),
            Node::IsNegative(a) => {
                let bits = rw.bitcast(value(a), self.pick_bits(ElementType::I32, ElementType::I64));
                let zero = rw.int_like(bits, 0);
                rw.compare("LT", bits, zero)
            }
        }
    }

    fn copy_sign(&self, rw: &mut Rewriter, magnitude: ValueId, sign: ValueId) -> ValueId {
        let element = self.pick_bits(ElementType::Ui32, ElementType::Ui64);
        let sign_bit = 1i128 << (element.bits() - 1);
        let (magnitude, sign) = (rw.bitcast(magnitude, element), rw.bitcast(sign, element));
        let below = rw.int_like(magnitude, sign_bit - 1);
        let top = rw.int_like(sign, sign_bit);
        let (magnitude, sign) = (rw.binary(OpKind::And, magnitude, below), rw.binary(OpKind::And, sign, top));
        let bits = rw.binary(OpKind::Or, magnitude, sign);
        rw.bitcast(bits, self.element)
    }

    fn pick_bits(&self, narrow: ElementType, wide: ElementType) -> ElementType {
        if self.element == ElementType::F64 { wide } else { narrow }
    }
}

/// What can stand where a formula has a real number.
pub trait Term<'f> {
    fn term(self, formula: &'f Formula) -> Real<'f>;
}

impl<'f> Term<'f> for Real<'f> {
    fn term(self, _: &'f Formula) -> Real<'f> {
        self
    }
}

impl<'f> Term<'f> for f64 {
    fn term(self, formula: &'f Formula) -> Real<'f> {
        formula.constant(self)
    }
}

macro_rules! operators {
    ($($trait:ident $method:ident $kind:ident;)*) => {$(
        impl<'f, T: Term<'f>> $trait<T> for Real<'f> {
            type Output = Real<'f>;
            fn $method(self, other: T) -> Real<'f> {
                self.binary(OpKind::$kind, other)
            }
        }

        impl<'f> $trait<Real<'f>> for f64 {
            type Output = Real<'f>;
            fn $method(self, other: Real<'f>) -> Real<'f> {
                other.formula.constant(self).binary(OpKind::$kind, other)
            }
        }
    )*};
}

operators! {
    Add add Add;
    Sub sub Subtract;
    Mul mul Multiply;
    Div div Divide;
}

impl<'f> Neg for Real<'f> {
    type Output = Real<'f>;
    fn neg(self) -> Real<'f> {
        self.unary(OpKind::Negate)
    }
}

macro_rules! functions {
    ($($name:ident $kind:ident;)*) => {
        impl<'f> Real<'f> {
            $(pub fn $name(self) -> Real<'f> {
                self.unary(OpKind::$kind)
            })*
        }
    };
}

functions! {
    abs Abs;
    sqrt Sqrt;
    exp Exponential;
    exp_m1 ExponentialMinusOne;
    ln Log;
    ln_1p LogPlusOne;
    sin Sine;
    cos Cosine;
    tan Tan;
    tanh Tanh;
    sinh ChloSinh;
    cosh ChloCosh;
}

macro_rules! comparisons {
    ($($name:ident $direction:literal;)*) => {
        impl<'f> Real<'f> {
            $(pub fn $name(self, other: impl Term<'f>) -> Mask<'f> {
                self.compare($direction, other)
            })*
        }
    };
}

comparisons! {
    equals "EQ";
    differs "NE";
    less "LT";
    at_most "LE";
    greater "GT";
    at_least "GE";
}

impl<'f> Real<'f> {
    fn unary(self, kind: OpKind) -> Real<'f> {
        Real { node: self.formula.node(Node::Unary(kind, self.node)), ..self }
    }

    fn binary(self, kind: OpKind, other: impl Term<'f>) -> Real<'f> {
        let other = other.term(self.formula).node;
        Real { node: self.formula.node(Node::Binary(kind, self.node, other)), ..self }
    }

    fn compare(self, direction: &'static str, other: impl Term<'f>) -> Mask<'f> {
        let other = other.term(self.formula).node;
        Mask { formula: self.formula, node: self.formula.node(Node::Compare(direction, self.node, other)) }
    }

    /// Without its fraction.
    pub fn trunc(self) -> Real<'f> {
        let whole = self.unary(OpKind::Floor);
        self.less(0.0).pick(self.unary(OpKind::Ceil), whole)
    }

    /// What is left of a division with a quotient rounded towards zero, exactly; the sign is that of `self`.
    pub fn remainder(self, by: Real<'f>) -> Real<'f> {
        self.binary(OpKind::Remainder, by)
    }

    pub fn formula(self) -> &'f Formula {
        self.formula
    }

    /// A constant of the same formula.
    pub fn constant(self, value: f64) -> Real<'f> {
        self.formula.constant(value)
    }

    /// Whether this is an `f64` that was one from the start, so that squares may overflow or vanish.
    pub(crate) fn is_native_f64(self) -> bool {
        self.formula.element == ElementType::F64 && !self.formula.widened
    }

    pub(crate) fn is_widened(self) -> bool {
        self.formula.widened
    }

    /// The larger one; NaN if either is.
    pub fn max(self, other: impl Term<'f>) -> Real<'f> {
        self.binary(OpKind::Maximum, other)
    }

    /// The smaller one; NaN if either is.
    pub fn min(self, other: impl Term<'f>) -> Real<'f> {
        self.binary(OpKind::Minimum, other)
    }

    /// The angle of the point (x, self).
    pub fn atan2(self, x: impl Term<'f>) -> Real<'f> {
        self.binary(OpKind::Atan2, x)
    }

    pub fn copysign(self, sign: Real<'f>) -> Real<'f> {
        Real { node: self.formula.node(Node::CopySign(self.node, sign.node)), ..self }
    }

    /// By the sign bit, which -0 and NaN have too.
    pub(crate) fn is_negative(self) -> Mask<'f> {
        Mask { formula: self.formula, node: self.formula.node(Node::IsNegative(self.node)) }
    }

    pub fn is_infinite(self) -> Mask<'f> {
        self.abs().equals(f64::INFINITY)
    }

    pub fn is_finite(self) -> Mask<'f> {
        self.abs().less(f64::INFINITY)
    }

    pub fn is_nan(self) -> Mask<'f> {
        self.differs(self)
    }
}

impl<'f> Mask<'f> {
    /// `yes` where true, else `no`.
    pub fn pick(self, yes: impl Term<'f>, no: impl Term<'f>) -> Real<'f> {
        let (yes, no) = (yes.term(self.formula).node, no.term(self.formula).node);
        Real { formula: self.formula, node: self.formula.node(Node::Select(self.node, yes, no)) }
    }
}

impl<'f> BitAnd for Mask<'f> {
    type Output = Mask<'f>;
    fn bitand(self, other: Mask<'f>) -> Mask<'f> {
        Mask { node: self.formula.node(Node::Binary(OpKind::And, self.node, other.node)), ..self }
    }
}

impl<'f> BitOr for Mask<'f> {
    type Output = Mask<'f>;
    fn bitor(self, other: Mask<'f>) -> Mask<'f> {
        Mask { node: self.formula.node(Node::Binary(OpKind::Or, self.node, other.node)), ..self }
    }
}

impl<'f> Not for Mask<'f> {
    type Output = Mask<'f>;
    fn not(self) -> Mask<'f> {
        Mask { node: self.formula.node(Node::Unary(OpKind::Not, self.node)), ..self }
    }
}

//! Sizes while a foreign dialect is read: what integer scalars are known to be, which sizes are equal, what the host
//! checks.
//!
//! Worked example: `tensor.dim %x, 0` of an argument `tensor<?x4xf32>` is `get_dimension_size`, and known to be arg0_0;
//! times 2, it is known to be `2*arg0_0`; `tensor.empty` of it has that size in its type. Two loops of one op over
//! arg0_0 and arg1_0 make the two one, and the host compares them.

use std::collections::HashMap;

use fornax_graph::{Attr, Dim, DimCheck, DimDef, DimExpr, DimRelation, ElementType, Op, OpKind, Type, ValueId};

use super::build::{Builder, Number, int};
use super::converter::{Converter, Result, name_of};

impl Builder {
    pub fn size_arithmetic(&mut self, kind: OpKind, element: ElementType, x: Dim, y: Dim) -> Option<Dim> {
        let logical = matches!(kind, OpKind::And | OpKind::Or | OpKind::Xor);
        if logical != (element == ElementType::I1)
            || matches!((kind, x, y), (OpKind::Divide | OpKind::Remainder, Dim::Static(i64::MIN), _))
        {
            return None;
        }
        self.graph.dim_binary(kind, x, y)
    }

    /// A scalar that is known to be a size: a constant, or what `make` computes.
    pub fn sized(
        &mut self,
        size: Option<Dim>,
        element: ElementType,
        make: impl FnOnce(&mut Builder) -> ValueId,
    ) -> ValueId {
        match size {
            Some(Dim::Static(number)) => self.splat(&[], element, Number::Int(number.into())),
            size => {
                let value = make(self);
                if let Some(size) = size {
                    self.sizes.insert(value, size);
                }
                value
            }
        }
    }

    /// What an integer of rank 0 is, if it is a number or a size.
    pub fn known_size(&self, value: ValueId) -> Option<Dim> {
        if let Some(&size) = self.sizes.get(&value) {
            return Some(size);
        }
        let ty = self.graph.ty(value).as_tensor()?;
        if ty.rank() != 0 || !(ty.element.is_integer() || ty.element == ElementType::I1) || ty.element.bits() > 64 {
            return None;
        }
        let (element, bytes) = (ty.element, self.splat_bytes(value)?);
        let number = integer(&bytes, element);
        (number >= 0 || !element.is_unsigned()).then_some(Dim::Static(number))
    }

    /// The number of an i64 of rank 0, if it is known.
    pub fn known_index(&self, value: ValueId) -> Option<i64> {
        self.known_size(value)?.as_static()
    }

    /// The scalar of a size, as i64.
    pub fn index_of(&mut self, size: Dim) -> ValueId {
        let mut made = HashMap::new();
        for at in self.graph.dim_parts(size) {
            let value = self.index_of_part(at, &made);
            made.insert(at, value);
        }
        self.operand_of(size, &made)
    }

    fn operand_of(&mut self, size: Dim, made: &HashMap<u32, ValueId>) -> ValueId {
        let known = if let Dim::Symbolic(at) = size { made.get(&at).copied() } else { None };
        known.unwrap_or_else(|| self.splat(&[], ElementType::I64, Number::Int(size.as_static().unwrap_or(0).into())))
    }

    /// The scalar of an entry whose operands have theirs.
    fn index_of_part(&mut self, at: u32, made: &HashMap<u32, ValueId>) -> ValueId {
        let size = Dim::Symbolic(at);
        let value = match self.graph.dims.get(at as usize).map(|d| d.def) {
            Some(DimDef::Argument { argument, axis }) => {
                let arguments = self.entry.map(|entry| self.graph.block(entry).arguments.clone()).unwrap_or_default();
                match arguments.get(argument as usize) {
                    Some(&argument) => return self.dimension_size(argument, axis as usize, size),
                    None => None,
                }
            }
            Some(DimDef::Value { value }) => Some(self.convert(value, ElementType::I64)),
            Some(DimDef::Expr(expr)) => {
                let (a, b) = expr.operands();
                let (x, y) = (self.operand_of(a, made), self.operand_of(b, made));
                Some(self.size_op(expr, x, y))
            }
            _ => None,
        };
        let value = value.unwrap_or_else(|| self.splat(&[], ElementType::I64, Number::Int(0)));
        self.sizes.insert(value, size);
        value
    }

    /// The size of a dimension, as i64.
    pub fn dimension_size(&mut self, a: ValueId, axis: usize, size: Dim) -> ValueId {
        let narrow =
            self.emit(OpKind::GetDimensionSize, &[a], (&[], ElementType::I32), &[("dimension", int(axis as i64))]);
        let value = self.emit(OpKind::Convert, &[narrow], (&[], ElementType::I64), &[]);
        self.sizes.insert(value, size);
        value
    }

    /// An expression of sizes on scalars; quotients are of numbers that are not negative, or corrected.
    fn size_op(&mut self, expr: DimExpr, x: ValueId, y: ValueId) -> ValueId {
        let mut op = |kind, a, b| self.emit(kind, &[a, b], (&[], ElementType::I64), &[]);
        match expr {
            DimExpr::Add(..) => op(OpKind::Add, x, y),
            DimExpr::Sub(..) => op(OpKind::Subtract, x, y),
            DimExpr::Mul(..) => op(OpKind::Multiply, x, y),
            DimExpr::Min(..) => op(OpKind::Minimum, x, y),
            DimExpr::Max(..) => op(OpKind::Maximum, x, y),
            DimExpr::Mod(..) => {
                let rest = op(OpKind::Remainder, x, y);
                let moved = op(OpKind::Add, rest, y);
                op(OpKind::Remainder, moved, y)
            }
            DimExpr::FloorDiv(..) => {
                let rest = op(OpKind::Remainder, x, y);
                let moved = op(OpKind::Add, rest, y);
                let rest = op(OpKind::Remainder, moved, y);
                let whole = op(OpKind::Subtract, x, rest);
                op(OpKind::Divide, whole, y)
            }
            DimExpr::CeilDiv(..) => {
                let rest = op(OpKind::Remainder, x, y);
                let less = op(OpKind::Subtract, rest, y);
                let rest = op(OpKind::Remainder, less, y);
                let whole = op(OpKind::Subtract, x, rest);
                op(OpKind::Divide, whole, y)
            }
        }
    }

    /// Makes two sizes one, with a check unless that is known; `None` when they can never be equal.
    pub fn unify(&mut self, a: Dim, b: Dim, what: &str) -> Option<Dim> {
        let (x, y) = (self.equal.canonical(&mut self.graph, a), self.equal.canonical(&mut self.graph, b));
        if x == y {
            return Some(x);
        }
        let difference = self.graph.dim_sub(x, y);
        let (min, max) = self.graph.dim_bounds(difference);
        if min > 0 || max < 0 {
            return None;
        }
        let message = format!(
            "{what} needs two equal sizes, which are {} and {}",
            self.graph.dim_text(x),
            self.graph.dim_text(y)
        );
        let condition = DimRelation::Equal;
        self.graph.add_dim_check(DimCheck { condition, a: x, b: y, message, location: self.location });
        let stays = self.equal.merge(&mut self.graph, x, y);
        self.rewrite_sizes();
        Some(stays)
    }

    /// Shapes of one rank made one.
    pub fn unify_shapes(&mut self, a: &[Dim], b: &[Dim], what: &str) -> Option<Vec<Dim>> {
        if a.len() != b.len() {
            return None;
        }
        a.iter().zip(b).map(|(&x, &y)| self.unify(x, y, what)).collect()
    }

    /// `a <= b`: known, or a check of the host; false where it never is.
    pub fn at_most(&mut self, a: Dim, b: Dim, what: &str) -> bool {
        if self.graph.dim_at_most(a, b) {
            return true;
        }
        let room = self.graph.dim_sub(b, a);
        if self.graph.dim_bounds(room).1 < 0 {
            return false;
        }
        let message = format!("{what} reads up to {} of {}", self.graph.dim_text(a), self.graph.dim_text(b));
        let condition = DimRelation::LessEqual;
        self.graph.add_dim_check(DimCheck { condition, a, b, message, location: self.location });
        true
    }

    /// A size is not negative: a check of the host where that is not known.
    pub fn not_negative(&mut self, size: Dim, what: &str) -> bool {
        let (min, max) = self.graph.dim_bounds(size);
        if max < 0 {
            return false;
        }
        if min < 0 {
            let message =
                format!("{what} makes a tensor of size {}, which must not be negative", self.graph.dim_text(size));
            let condition = DimRelation::LessEqual;
            let check = DimCheck { condition, a: Dim::Static(0), b: size, message, location: self.location };
            self.graph.add_dim_check(check);
            self.graph.narrow_dim(size, 0, i64::MAX);
        }
        true
    }

    /// Puts what stands for equal sizes into all that was made so far.
    fn rewrite_sizes(&mut self) {
        let (graph, equal) = (&mut self.graph, &mut self.equal);
        for at in 0..graph.values.len() {
            let Type::Tensor(tensor) = &graph.values[at].ty else { continue };
            if tensor.static_shape().is_some() {
                continue;
            }
            let shape: Vec<Dim> = tensor.shape.clone().into_iter().map(|d| equal.canonical(graph, d)).collect();
            if let Type::Tensor(tensor) = &mut graph.values[at].ty {
                tensor.shape = shape;
            }
        }
        for at in 0..graph.ops.len() {
            for slot in 0..graph.ops[at].attrs.0.len() {
                if let Attr::Dims(list) = &graph.ops[at].attrs.0[slot].1 {
                    let list: Vec<Dim> = list.clone().into_iter().map(|d| equal.canonical(graph, d)).collect();
                    graph.ops[at].attrs.0[slot].1 = Attr::of_dims(&list);
                }
            }
        }
        for size in self.sizes.values_mut() {
            *size = equal.canonical(graph, *size);
        }
    }

    // Arithmetic on sizes.

    pub fn plus(&mut self, a: Dim, b: Dim) -> Dim {
        self.graph.dim_add(a, b)
    }

    pub fn minus(&mut self, a: Dim, b: Dim) -> Dim {
        self.graph.dim_sub(a, b)
    }

    /// `a * factor + offset`
    pub fn scaled(&mut self, a: Dim, factor: i64, offset: i64) -> Dim {
        let product = self.graph.dim_mul(a, Dim::Static(factor));
        self.graph.dim_add(product, Dim::Static(offset))
    }

    /// Elements from the first to the last of `n` with a step; 0 of none.
    pub fn reach(&mut self, n: Dim, step: i64) -> Dim {
        if n == Dim::Static(0) || step == 1 {
            return n;
        }
        let less = self.graph.dim_sub(n, Dim::Static(1));
        let reach = self.scaled(less, step, 1);
        self.graph.dim_max(reach, Dim::Static(0))
    }
}

impl Converter<'_> {
    /// The shape of a result whose type may leave sizes open: each is the next of `given`.
    pub fn sized_shape(&mut self, op: &Op, index: usize, given: &[ValueId]) -> Result<Vec<Dim>> {
        let mut shape = self.result_shape(op, index)?;
        let mut given = given.iter();
        for dim in &mut shape {
            if *dim == Dim::Symbolic(0) {
                let Some(&raw) = given.next() else {
                    return Err(self.malformed(op, "a size of its result is missing".into()));
                };
                *dim = self.size(op, raw)?;
            }
        }
        Ok(shape)
    }

    /// An operand that is a size of a tensor, not negative.
    pub fn size(&mut self, op: &Op, raw: ValueId) -> Result<Dim> {
        let size = self.amount(op, raw)?;
        if self.b.not_negative(size, &format!("`{}`", name_of(op))) {
            Ok(size)
        } else {
            Err(self.malformed(op, "a size is negative".into()))
        }
    }

    /// An operand that is an amount of elements, of any sign; one that is the same in every round of the loops around
    /// is a number, a scalar outside of loops of which nothing is known is read by the host.
    pub fn amount(&mut self, op: &Op, raw: ValueId) -> Result<Dim> {
        if let Some(size) = self.known_size(raw) {
            return Ok(size);
        }
        let value = self.value(op, raw)?;
        let is_integer = self.b.rank(value) == 0 && self.b.element(value).is_integer();
        if is_integer && let Some(number) = self.in_every_round(value) {
            self.b.sizes.insert(value, Dim::Static(number));
            return Ok(Dim::Static(number));
        }
        if !is_integer || self.b.home(value) != self.b.entry {
            self.size_differs = is_integer;
            let hint = "export it with static sizes, or with a loop of known bounds around it";
            let error = self.unsupported(op, "a size that is computed inside a region".into()).hint(hint);
            return Err(Box::new(error));
        }
        let size = self.b.graph.value_dim(value, &format!("n{}", value.0), (i64::MIN, i64::MAX));
        self.b.sizes.insert(value, size);
        Ok(size)
    }

    /// Sizes that an attribute gives, those that it leaves open from operands in order.
    pub fn amounts(&mut self, op: &Op, name: &str, n: usize, given: &[ValueId]) -> Result<Vec<Dim>> {
        let mut given = given.iter();
        let mut sizes = Vec::with_capacity(n);
        for number in self.ints_of(op, name, n)? {
            sizes.push(match (number, given.len()) {
                (i64::MIN, 0) => return Err(self.malformed(op, format!("an operand of `{name}` is missing"))),
                (i64::MIN, _) => match given.next() {
                    Some(&raw) => self.amount(op, raw)?,
                    None => Dim::Symbolic(0),
                },
                _ => Dim::Static(number),
            });
        }
        Ok(sizes)
    }

    /// A number or a size that the file says or that is known by what was read before.
    pub fn known_size(&self, raw: ValueId) -> Option<Dim> {
        if let Some(&[number]) = self.known_ints(raw).as_deref() {
            return Some(Dim::Static(number));
        }
        self.b.known_size(*self.values.get(&raw)?)
    }

    pub fn known_number(&self, raw: ValueId) -> Option<i64> {
        self.known_size(raw)?.as_static()
    }

    /// A value in a shape whose one open size is what the others leave.
    pub fn reshaped(&mut self, op: &Op, a: ValueId, mut shape: Vec<Dim>) -> Result<ValueId> {
        let from = self.b.shape(a);
        let open: Vec<usize> =
            (0..shape.len()).filter(|&d| matches!(shape[d], Dim::Symbolic(0) | Dim::Static(-1))).collect();
        // Sizes that both have in the same places from the front and the back are the same ones.
        for &d in &open {
            let front = d < from.len() && from[..d] == shape[..d];
            let back = shape.len() - d <= from.len() && from[from.len() - (shape.len() - d) + 1..] == shape[d + 1..];
            if open.len() > 1 && front {
                shape[d] = from[d];
            } else if open.len() > 1 && back {
                shape[d] = from[from.len() - (shape.len() - d)];
            }
        }
        let open: Vec<usize> =
            (0..shape.len()).filter(|&d| matches!(shape[d], Dim::Symbolic(0) | Dim::Static(-1))).collect();
        let total = self.b.graph.dim_product(&from);
        match open[..] {
            [] => {}
            [d] => {
                let others: Vec<Dim> = (0..shape.len()).filter(|&e| e != d).map(|e| shape[e]).collect();
                let rest = self.b.graph.dim_product(&others);
                shape[d] = self.b.graph.dim_floor_div(total, rest);
            }
            _ => return Err(self.unsupported(op, "more than one size of its result is open".into())),
        }
        let made = self.b.graph.dim_product(&shape);
        if self.b.unify(total, made, &format!("`{}`", name_of(op))).is_none() {
            return Err(self.malformed(op, "the result has another number of elements".into()));
        }
        Ok(self.b.reshape(a, &shape))
    }

    /// The scalars of a list that the file puts together with `tensor.from_elements`, through casts.
    pub fn elements(&self, raw: ValueId) -> Option<Vec<ValueId>> {
        let op = self.raw.op(self.raw.producer(raw)?);
        let one_list = self.raw.ty(raw).as_tensor().is_some_and(|t| t.rank() == 1);
        match op.name.as_str() {
            "tensor.from_elements" if one_list => Some(op.operands.clone()),
            "tensor.cast" => self.elements(*op.operands.first()?),
            _ => None,
        }
    }

    /// Parts joined along a dimension, whose other sizes agree.
    pub fn joined(&mut self, op: &Op, parts: &[ValueId], dimension: usize) -> Result<Vec<ValueId>> {
        let mut shape = parts.first().map(|&p| self.b.shape(p)).unwrap_or_default();
        for &part in parts.iter().skip(1) {
            for (d, size) in self.b.shape(part).into_iter().enumerate() {
                let Some(&known) = shape.get(d).filter(|_| d != dimension) else { continue };
                match self.b.unify(known, size, &format!("`{}`", name_of(op))) {
                    Some(one) => shape[d] = one,
                    None => return Err(self.malformed(op, format!("its operands differ in dimension {d}"))),
                }
            }
        }
        Ok(vec![self.b.concatenate(parts, dimension)])
    }
}

/// A stored integer.
pub fn integer(bytes: &[u8], element: ElementType) -> i64 {
    let mut wide = [0u8; 8];
    let n = bytes.len().min(8);
    wide[..n].copy_from_slice(&bytes[..n]);
    let value = u64::from_le_bytes(wide);
    let shift = 64 - 8 * n as u32;
    if element.is_unsigned() || element == ElementType::I1 || shift >= 64 {
        return value as i64;
    }
    ((value << shift) as i64) >> shift
}

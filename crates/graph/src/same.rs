//! Structural equality of graphs: same functions, ops, attributes, constants and types; locations, ids and the order of
//! attributes do not count. The message says where the first difference is.

use std::collections::HashMap;

use fornax_types::ElementType;

use crate::attr::{Attr, AttrMap};
use crate::graph::{BlockId, Function, Graph, OpId, RegionId, ValueId};
use crate::types::{Dim, TensorType, Type};

/// `Ok` if both graphs compute the same in the same way.
pub fn same_graph(a: &Graph, b: &Graph) -> Result<(), String> {
    Comparison { a, b, values: HashMap::new() }.graphs()
}

struct Comparison<'g> {
    a: &'g Graph,
    b: &'g Graph,
    /// Values of `a` to values of `b`.
    values: HashMap<ValueId, ValueId>,
}

fn check(same: bool, message: impl FnOnce() -> String) -> Result<(), String> {
    if same { Ok(()) } else { Err(message()) }
}

impl Comparison<'_> {
    fn graphs(&mut self) -> Result<(), String> {
        let (a, b) = (self.a, self.b);
        check(a.name == b.name, || format!("module names {:?} and {:?}", a.name, b.name))?;
        self.attr_maps(&a.attrs, &b.attrs).map_err(|e| format!("module: {e}"))?;
        check(a.module_ops == b.module_ops, || format!("module ops {:?} and {:?}", a.module_ops, b.module_ops))?;
        check(a.functions.len() == b.functions.len(), || {
            format!("{} and {} functions", a.functions.len(), b.functions.len())
        })?;
        for (fa, fb) in a.functions.iter().zip(&b.functions) {
            self.functions(fa, fb).map_err(|e| format!("function @{}: {e}", fa.name))?;
        }
        Ok(())
    }

    fn functions(&mut self, a: &Function, b: &Function) -> Result<(), String> {
        check(a.name == b.name, || format!("the other is named @{}", b.name))?;
        check(a.private == b.private, || "visibilities differ".into())?;
        self.types(&a.result_types, &b.result_types)?;
        self.attr_maps(&a.attrs, &b.attrs)?;
        for (what, ma, mb) in
            [("argument", &a.argument_attrs, &b.argument_attrs), ("result", &a.result_attrs, &b.result_attrs)]
        {
            check(ma.len() == mb.len(), || format!("{} and {} {what} attributes", ma.len(), mb.len()))?;
            for (i, (x, y)) in ma.iter().zip(mb).enumerate() {
                self.attr_maps(x, y).map_err(|e| format!("{what} {i}: {e}"))?;
            }
        }
        match (a.body, b.body) {
            (Some(x), Some(y)) => self.regions(x, y),
            (None, None) => Ok(()),
            _ => Err("one is a declaration".into()),
        }
    }

    fn regions(&mut self, a: RegionId, b: RegionId) -> Result<(), String> {
        let (blocks_a, blocks_b) = (&self.a.region(a).blocks, &self.b.region(b).blocks);
        check(blocks_a.len() == blocks_b.len(), || format!("{} and {} blocks", blocks_a.len(), blocks_b.len()))?;
        blocks_a.iter().zip(blocks_b).try_for_each(|(&x, &y)| self.blocks(x, y))
    }

    fn blocks(&mut self, a: BlockId, b: BlockId) -> Result<(), String> {
        let (a, b) = (self.a.block(a), self.b.block(b));
        self.define(&a.arguments, &b.arguments)?;
        check(a.ops.len() == b.ops.len(), || format!("{} and {} ops in a block", a.ops.len(), b.ops.len()))?;
        for (i, (&x, &y)) in a.ops.iter().zip(&b.ops).enumerate() {
            self.ops(x, y).map_err(|e| format!("op {i} ({}): {e}", self.a.op(x).kind.name()))?;
        }
        Ok(())
    }

    fn ops(&mut self, a: OpId, b: OpId) -> Result<(), String> {
        let (a, b) = (self.a.op(a), self.b.op(b));
        check(a.kind == b.kind && a.name == b.name, || format!("the other is {} {}", b.kind.name(), b.name))?;
        check(a.operands.len() == b.operands.len(), || "numbers of operands differ".into())?;
        for (i, (x, y)) in a.operands.iter().zip(&b.operands).enumerate() {
            check(self.values.get(x) == Some(y), || format!("operand {i} is another value"))?;
        }
        self.attr_maps(&a.attrs, &b.attrs)?;
        check(a.regions.len() == b.regions.len(), || "numbers of regions differ".into())?;
        for (&x, &y) in a.regions.iter().zip(&b.regions) {
            self.regions(x, y)?;
        }
        self.define(&a.results, &b.results)
    }

    fn define(&mut self, a: &[ValueId], b: &[ValueId]) -> Result<(), String> {
        check(a.len() == b.len(), || format!("{} and {} values", a.len(), b.len()))?;
        for (&x, &y) in a.iter().zip(b) {
            self.types(std::slice::from_ref(self.a.ty(x)), std::slice::from_ref(self.b.ty(y)))?;
            self.values.insert(x, y);
        }
        Ok(())
    }

    /// Types with symbolic sizes, which are numbered per graph.
    fn same_type(&self, a: &Type, b: &Type) -> bool {
        let without = |g: &Graph, ty: &Type| match ty {
            Type::Tensor(t) => g.type_text(&Type::Tensor(TensorType { shape: Vec::new(), ..t.clone() })),
            other => g.type_text(other),
        };
        let shape = |ty: &Type| ty.as_tensor().map(|t| t.shape.clone()).unwrap_or_default();
        without(self.a, a) == without(self.b, b) && self.same_dims(&shape(a), &shape(b))
    }

    /// Sizes that are the same expression of symbols of the same names, in whatever order their terms are.
    fn same_dims(&self, a: &[Dim], b: &[Dim]) -> bool {
        let same = |(&x, &y): (&Dim, &Dim)| {
            let text = self.b.dim_text(y);
            let mut table = Graph { dims: self.a.dims.clone(), ..Graph::default() };
            self.a.dim_text(x) == text || table.parse_dim(&text) == Some(x)
        };
        a.len() == b.len() && a.iter().zip(b).all(same)
    }

    /// Types by their text, since quantised types are numbered per graph.
    fn types(&self, a: &[Type], b: &[Type]) -> Result<(), String> {
        let texts = |g: &Graph, types: &[Type]| types.iter().map(|t| g.type_text(t)).collect::<Vec<_>>();
        let numbered = |g: &Graph| !g.quantized.is_empty();
        let same = if (self.a.dims.len(), self.b.dims.len()) > (1, 1) {
            a.len() == b.len() && a.iter().zip(b).all(|(x, y)| self.same_type(x, y))
        } else if numbered(self.a) || numbered(self.b) {
            texts(self.a, a) == texts(self.b, b)
        } else {
            a == b
        };
        check(same, || format!("types {:?} and {:?}", texts(self.a, a), texts(self.b, b)))
    }

    fn attr_maps(&self, a: &AttrMap, b: &AttrMap) -> Result<(), String> {
        for (name, value) in &a.0 {
            match b.get(name) {
                Some(other) => self.attrs(value, other).map_err(|e| format!("attribute `{name}`: {e}"))?,
                None => return Err(format!("attribute `{name}` is missing in the other")),
            }
        }
        match b.0.iter().find(|(name, _)| a.get(name).is_none()) {
            Some((name, _)) => Err(format!("attribute `{name}` is only in the other")),
            None => Ok(()),
        }
    }

    fn attrs(&self, a: &Attr, b: &Attr) -> Result<(), String> {
        match (a, b) {
            (Attr::Dense(x), Attr::Dense(y)) => {
                let (x, y) = (self.a.constant(*x), self.b.constant(*y));
                self.types(&[Type::Tensor(x.ty.clone())], &[Type::Tensor(y.ty.clone())])?;
                let same = match (x.splat_bytes(), y.splat_bytes()) {
                    (Some(x), Some(y)) => x == y,
                    _ => x.to_bytes() == y.to_bytes(),
                };
                check(same, || "constants differ".into())
            }
            (Attr::Array(x), Attr::Array(y)) if x.len() == y.len() => {
                x.iter().zip(y).try_for_each(|(x, y)| self.attrs(x, y))
            }
            (Attr::Dict(x), Attr::Dict(y)) => self.attr_maps(x, y),
            (Attr::Struct(m, x), Attr::Struct(n, y)) if m == n => self.attr_maps(x, y),
            (Attr::Type(x), Attr::Type(y)) => self.types(std::slice::from_ref(x), std::slice::from_ref(y)),
            (Attr::Float(x, t), Attr::Float(y, u)) => {
                let narrow = *t == Type::Scalar(ElementType::F32);
                let same =
                    if narrow { (*x as f32).to_bits() == (*y as f32).to_bits() } else { x.to_bits() == y.to_bits() };
                check(t == u && same, || format!("{x} and {y}"))
            }
            (Attr::Dims(x), Attr::Dims(y)) => {
                let texts = |g: &Graph, dims: &[Dim]| dims.iter().map(|&d| g.dim_text(d)).collect::<Vec<_>>();
                check(self.same_dims(x, y), || format!("{:?} and {:?}", texts(self.a, x), texts(self.b, y)))
            }
            _ => check(a == b, || format!("{a:?} and {b:?}")),
        }
    }
}

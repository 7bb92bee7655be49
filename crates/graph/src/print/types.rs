//! Types as MLIR text.

use fornax_types::ElementType;

use crate::graph::Graph;
use crate::types::{Dim, TensorType, Type};

impl Graph {
    /// `tensor<4x?xf32>`; sizes that are symbols are named after it: `tensor<?x?xf32, #fornax.dims<b, 2*b+1>>`.
    pub fn type_text(&self, ty: &Type) -> String {
        let mut out = String::new();
        self.write_type(&mut out, ty);
        out
    }

    pub(crate) fn write_type(&self, out: &mut String, ty: &Type) {
        match ty {
            Type::Tensor(t) => self.write_tensor(out, t),
            Type::Unranked(element) => {
                out.push_str("tensor<*x");
                self.write_element(out, *element);
                out.push('>');
            }
            Type::Scalar(element) => self.write_element(out, *element),
            Type::Token => out.push_str("!stablehlo.token"),
            Type::Tuple(types) => {
                out.push_str("tuple<");
                self.write_types(out, types);
                out.push('>');
            }
            Type::Function { inputs, results } => {
                out.push('(');
                self.write_types(out, inputs);
                out.push_str(") -> ");
                self.write_results(out, results);
            }
            Type::None => out.push_str("none"),
            Type::Opaque(text) => out.push_str(text),
        }
    }

    fn write_tensor(&self, out: &mut String, ty: &TensorType) {
        out.push_str("tensor<");
        for dim in &ty.shape {
            match dim {
                Dim::Static(n) => out.push_str(&n.to_string()),
                Dim::Symbolic(_) => out.push('?'),
            }
            out.push('x');
        }
        self.write_element(out, ty.element);
        if ty.shape.iter().any(|dim| matches!(dim, Dim::Symbolic(at) if *at != 0)) {
            let symbols = ty.shape.iter().filter(|dim| matches!(dim, Dim::Symbolic(_)));
            let names: Vec<String> = symbols.map(|&dim| self.dim_text(dim)).collect();
            out.push_str(&format!(", #fornax.dims<{}>", names.join(", ")));
        } else if let Some(encoding) = &ty.encoding {
            out.push_str(", ");
            out.push_str(encoding);
        }
        out.push('>');
    }

    fn write_element(&self, out: &mut String, element: ElementType) {
        match element {
            ElementType::Quantized(index) => match self.quantized.get(index as usize) {
                Some(q) => out.push_str(&q.text),
                None => out.push_str("!quant.uniform"),
            },
            other => out.push_str(other.spelling()),
        }
    }

    pub(crate) fn write_types(&self, out: &mut String, types: &[Type]) {
        for (i, ty) in types.iter().enumerate() {
            if i > 0 {
                out.push_str(", ");
            }
            self.write_type(out, ty);
        }
    }

    /// One type bare, several in parentheses.
    pub(crate) fn write_results(&self, out: &mut String, types: &[Type]) {
        match types {
            [one] if !matches!(one, Type::Function { .. }) => self.write_type(out, one),
            _ => {
                out.push('(');
                self.write_types(out, types);
                out.push(')');
            }
        }
    }
}

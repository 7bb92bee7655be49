//! What a kernel costs at least: operations and bytes of one launch. For reports, not for choices.
//!
//! Input: a plan. Output: multiply-adds of products counted as two operations and combinations of reductions as one
//! (the scalar work around them is not counted); bytes of global memory with every element read and written once at
//! most.
//!
//! Worked example: [1000, 1088]·[1088, 1032] in bf16: 2 · 1000 · 1032 · 1088 = 2,245,632,000 operations,
//! 2 · (1000·1088 + 1088·1032 + 1000·1032) = 6,485,632 bytes. A gather of 8 rows of 64 from a table of 1,000,000 rows
//! moves the 8 rows, not the table.

use fornax_graph::ElementType;

use crate::expr::Node;
use crate::form::ContractionForm;
use crate::index::{IndexId, VarId};
use crate::kernel::{Body, Buffer, KernelPlan};

/// Element types and the arithmetic of their products.
const ARITHMETIC: &[(ElementType, &str)] = &[
    (ElementType::F16, "f16"),
    (ElementType::Bf16, "f16"),
    (ElementType::F32, "f32"),
    (ElementType::F64, "f64"),
    (ElementType::I8, "i8"),
    (ElementType::Ui8, "i8"),
    (ElementType::F8E4M3FN, "f8"),
    (ElementType::F8E5M2, "f8"),
];

impl KernelPlan {
    /// Operations of one launch; 0 for loops, and where sizes are known only at run time.
    pub fn flops(&self) -> u64 {
        if !self.has_static_loops() {
            return 0;
        }
        let steps = self.points(self.domain.iter().chain(self.body.reduction()));
        match &self.body {
            Body::FusedLoop(fused) => fused.total(&|part| part.plan.flops()),
            Body::Bundle(bundle) => bundle.total(&KernelPlan::flops),
            Body::Led(led) => led.parts().iter().map(|part| part.plan.flops()).fold(0, u64::saturating_add),
            Body::Loop { .. } | Body::Sort { .. } | Body::Count { .. } | Body::Distribute { .. } => 0,
            Body::Update { combine, .. } => steps.saturating_mul(u64::from(combine.is_some())),
            Body::Scan { .. } | Body::Segment { .. } => steps,
            Body::Reduce { inputs, .. } => steps.saturating_mul(inputs.len() as u64),
            Body::Contraction { .. } => steps.saturating_mul(2),
            Body::Products(p) => {
                let each = p.all().map(|product| self.points(self.domain.iter().chain(&product.reduction)));
                each.fold(0, u64::saturating_add).saturating_mul(2)
            }
            Body::Row { folds, .. } => steps.saturating_mul(folds.iter().map(|f| f.inputs.len() as u64).sum()),
            // Both products.
            Body::Attention(a) => {
                let outer = self.domain.iter().filter(|v| **v != a.feature).chain([&a.reduction[0]]);
                let width =
                    self.points([&a.feature].into_iter()).saturating_add(self.points([&a.reduction[1]].into_iter()));
                self.points(outer).saturating_mul(2).saturating_mul(width)
            }
        }
    }

    /// What products are computed in: the narrowest type that holds the operands, relaxed as the precision allows.
    /// Empty for other bodies and for types that no unit multiplies.
    pub fn arithmetic(&self) -> &'static str {
        let Some(form) = ContractionForm::of(self) else { return "" };
        let wider = |a: ElementType, b: ElementType| if a.bits() < b.bits() { b } else { a };
        let element = wider(form.row_operand.element, form.column_operand.element);
        if element == ElementType::F32 && form.precision.is_short() {
            return "tf32";
        }
        ARITHMETIC.iter().find(|row| row.0 == element).map_or("", |row| row.1)
    }

    /// Bytes that one launch must read and write; 0 where sizes are known only at run time.
    pub fn bytes_moved(&self) -> u64 {
        if !self.has_static_loops() {
            return 0;
        }
        if let Body::Bundle(bundle) = &self.body {
            return bundle.total(&KernelPlan::bytes_moved);
        }
        if let Body::Led(led) = &self.body {
            return led.bytes_moved();
        }
        if let Body::FusedLoop(_) = self.body {
            let bytes = |b: &Buffer| (b.elements.max(0) as u64).saturating_mul(b.element.storage_bytes() as u64);
            return self.buffers.iter().map(bytes).fold(0, u64::saturating_add);
        }
        let mut accesses = vec![0u64; self.buffers.len()];
        let mut count = |buffer: u32, offset: IndexId| {
            if let Some(sum) = accesses.get_mut(buffer as usize) {
                *sum = sum.saturating_add(self.distinct(offset));
            }
        };
        for node in self.reached().nodes {
            if let Node::Load { buffer, offset, .. } = self.exprs.node(node) {
                count(*buffer, *offset);
            }
        }
        for store in self.body.stores() {
            count(store.buffer, store.offset);
        }
        let sizes = self.buffers.iter().zip(accesses).map(|(buffer, accesses)| {
            let elements = accesses.min(buffer.elements.max(0) as u64);
            elements.saturating_mul(buffer.element.storage_bytes() as u64)
        });
        sizes.fold(0, u64::saturating_add)
    }

    /// Most different values an index takes: the points of the variables that it depends on.
    fn distinct(&self, index: IndexId) -> u64 {
        let vars = self.domain.iter().chain(self.body.reduction());
        self.points(vars.filter(|var| self.exprs.index_varies(index, **var)))
    }

    fn points<'v>(&self, vars: impl Iterator<Item = &'v VarId>) -> u64 {
        vars.map(|var| self.exprs.indices.extent(*var).max(0) as u64).fold(1, u64::saturating_mul)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::Exprs;
    use crate::kernel::{Access, Store};
    use crate::schedule::Unscheduled;
    use fornax_graph::ElementType::{F32, I32};

    /// `out[i, j] = table[row[i], j]`, 8 rows of 64 from a table of 1000.
    #[test]
    fn a_gather_moves_its_rows_not_the_table() {
        let mut x = Exprs::default();
        let [i, j] = [8, 64].map(|extent| x.indices.add_var(extent));
        let [vi, vj] = [i, j].map(|v| x.indices.var(v));
        let row = x.add(Node::Load { buffer: 0, element: I32, offset: vi, mask: None });
        let row = x.indices.value(row, 0, 999);
        let from = x.indices.linearize(&[row, vj], &[1000, 64]);
        let value = x.add(Node::Load { buffer: 1, element: F32, offset: from, mask: None });
        let offset = x.indices.linearize(&[vi, vj], &[8, 64]);
        let buffer = |element, elements, access| Buffer { element, elements, access };
        let buffers =
            vec![buffer(I32, 8, Access::Read), buffer(F32, 64_000, Access::Read), buffer(F32, 512, Access::Write)];
        let body = Body::Loop { stores: vec![Store { buffer: 2, offset, value }] };
        let schedule = Unscheduled;
        let plan = KernelPlan::new(x, buffers, vec![i, j], body, schedule, "gather".into());
        assert_eq!((plan.flops(), plan.bytes_moved()), (0, 32 + 2048 + 2048));
    }
}

//! The warpgroup's products: queries by a tile of keys, weights by a tile of values, and the wait for either.
//!
//! Both are issued as groups that run while the warpgroup does something else; what reads an accumulator goes through
//! [`Group::wait`], which ties the registers to the wait. Weights are the row operand, in the registers in which the
//! scores were.
//!
//! Worked example: 64 rows, 128 columns, 64 features: 4 multiplies of 64×128×16 for the scores, 8 of 64×64×16 for the
//! result.

use super::{Group, STEP};
use crate::attention::fragments::pack_pair;
use fornax_emit::blocks::hopper::barrier;
use fornax_emit::blocks::hopper::bulk::ROW_BYTES;
use fornax_emit::blocks::hopper::wgmma;
use fornax_emit::emitter::Emitter;
use fornax_emit::text::{Scalar, Ty, Value, list, types};
use fornax_graph::ElementType;

impl Group<'_> {
    pub(super) fn pack(&self, e: &mut Emitter<'_>, weights: &[Value]) -> Vec<Value> {
        weights.chunks(2).map(|p| pack_pair(e, self.k.bf16, p[0], p[1])).collect()
    }

    /// Starts the product of this warpgroup's queries with a tile of keys, as one group; the accumulator's registers.
    pub(super) fn products(&self, e: &mut Emitter<'_>, stage: Value) -> Vec<Value> {
        let name = wgmma::type_name(self.element).unwrap_or("bf16");
        let columns = self.k.s.columns;
        let ty = wgmma::accumulator(ElementType::F32, columns);
        let mut sum = e.code.zeros(ty);
        wgmma::fence(&mut e.code);
        let bytes = e.code.int_k("arith.muli", stage, i64::from(self.layout.key_bytes));
        let key = wgmma::descriptor_moved(&mut e.code, self.descriptors[1], bytes);
        for step in 0..i64::from(self.bulk.depth) / STEP {
            let at = |rows: i64| step / 4 * rows * ROW_BYTES + step % 4 * wgmma::STEP_BYTES;
            let a = wgmma::descriptor_at(&mut e.code, self.descriptors[0], at(i64::from(self.k.s.rows())));
            let b = wgmma::descriptor_at(&mut e.code, key, at(i64::from(columns)));
            let add = if step == 0 { "zero" } else { "one" };
            let text = format!(
                "nvvm.wgmma.mma_async {a}, {b}, {sum}, #nvvm.shape<m = 64, n = {columns}, k = 16>, D [<f32>, <{add}>], \
                 A [<{name}>, <one>, <row>], B [<{name}>, <one>, <col>] : {ty} -> {ty}"
            );
            sum = e.code.effect(ty, &text);
        }
        wgmma::commit(&mut e.code);
        (0..columns / 2).map(|at| e.code.member(sum, at)).collect()
    }

    /// Starts `out += weights · values`, as one group.
    pub(super) fn accumulate(&self, e: &mut Emitter<'_>, out: &[Value], weights: &[Value], stage: Value) -> Vec<Value> {
        let name = wgmma::type_name(self.element).unwrap_or("bf16");
        let (features, n) = (self.bulk.features, out.len());
        let ty = wgmma::accumulator(ElementType::F32, features);
        wgmma::fence(&mut e.code);
        let bytes = e.code.int_k("arith.muli", stage, i64::from(self.layout.value_bytes));
        let values = wgmma::descriptor_moved(&mut e.code, self.descriptors[2], bytes);
        let named = |range: std::ops::Range<usize>| range.map(|at| format!("${at}")).collect::<Vec<_>>().join(", ");
        let text = format!(
            "wgmma.mma_async.sync.aligned.m64n{features}k16.f32.{name}.{name} {{{}}}, {{{}}}, ${}, 1, 1, 1, 1;",
            named(0..n),
            named(n..n + 4),
            n + 4
        );
        let tied: Vec<String> = (0..n).map(|at| at.to_string()).collect();
        let constraints = format!("{},r,r,r,r,l,{}", vec!["=f"; n].join(","), tied.join(","));
        let mut out = out.to_vec();
        for (step, fragment) in weights.chunks(4).enumerate() {
            let step = step as i64 * self.value_matrix().step_bytes();
            let values = wgmma::descriptor_at(&mut e.code, values, step);
            let operands = [fragment, &[values], &out].concat();
            let all = e.code.effect(
                ty,
                &format!(
                    "llvm.inline_asm has_side_effects asm_dialect = att \"{text}\", \"{constraints}\" {} \
                     : ({}) -> {ty}",
                    list(&operands),
                    types(&operands)
                ),
            );
            out = (0..n as u32).map(|at| e.code.member(all, at)).collect();
        }
        wgmma::commit(&mut e.code);
        out
    }

    /// Waits until at most `pending` groups run; `first` and `second` can only be used after. With `turned`, a barrier
    /// that has turned past the parity is waited for too: a block boundary that keeps what computes `second` before.
    pub(super) fn wait(
        &self,
        e: &mut Emitter<'_>,
        pending: u32,
        first: Vec<Value>,
        second: Vec<Value>,
        turned: Option<(Value, Value)>,
    ) -> (Vec<Value>, Vec<Value>) {
        let values = [first.as_slice(), &second].concat();
        let n = values.len();
        let ty = Ty::scalar(Scalar::F32s(n as u16));
        let mut constraints = vec!["=f".to_string(); n];
        let mut operands = Vec::new();
        let mut text = String::new();
        if let Some((barrier, parity)) = turned {
            operands.extend([barrier::shared_address(&mut e.code, barrier), parity]);
            constraints.extend(["r".to_string(), "r".to_string()]);
            text = format!("{}\\0A", barrier::wait_text(n, n + 1));
        }
        constraints.extend((0..n).map(|at| at.to_string()));
        operands.extend(&values);
        let all = e.code.effect(
            ty,
            &format!(
                "llvm.inline_asm has_side_effects asm_dialect = att \
                 \"{text}wgmma.wait_group.sync.aligned {pending};\", \"{},~{{memory}}\" {} : ({}) -> {ty}",
                constraints.join(","),
                list(&operands),
                types(&operands)
            ),
        );
        let mut members: Vec<Value> = (0..n as u32).map(|at| e.code.member(all, at)).collect();
        let second = members.split_off(first.len());
        (members, second)
    }
}

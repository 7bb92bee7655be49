//! `einsum` and `unary_einsum`: sums of products over index letters, `"ab,bc->ac"`.

use std::collections::BTreeMap;

use crate::complex::Complex;
use crate::dot::{Accumulator, Number, from_numbers};
use crate::errors::EvalError;
use crate::interpreter::Call;
use crate::tensor::{Indices, Tensor, offset, strides};

/// Kernel of both: every operand has one letter a dimension, letters absent from the result are summed over.
pub(crate) fn einsum(call: &mut Call) -> Result<Vec<Tensor>, EvalError> {
    let config = call.op.attrs.str("einsum_config").unwrap_or_default();
    let Some((inputs, result)) = config.split_once("->") else { return Err(call.malformed("no einsum_config")) };
    let letters: Vec<Vec<char>> = inputs.split(',').map(|part| part.trim().chars().collect()).collect();
    let kept: Vec<char> = result.trim().chars().collect();
    call.check(letters.len() == call.operands.len(), "one index list an operand")?;
    if letters.iter().chain([&kept]).flatten().any(|c| *c == '.') {
        return Err(call.unsupported("an ellipsis in its index lists"));
    }
    let mut sizes: BTreeMap<char, usize> = BTreeMap::new();
    for (operand, letters) in call.operands.iter().zip(&letters) {
        call.check(operand.rank() == letters.len(), "one letter a dimension")?;
        for (&letter, n) in letters.iter().zip(operand.shape()) {
            call.check(*sizes.entry(letter).or_insert(n) == n, "one size a letter")?;
        }
    }
    call.check(kept.iter().all(|c| sizes.contains_key(c)), "a result letter without an operand")?;
    let summed = sizes.keys().copied().filter(|c| !kept.contains(c));
    let order: Vec<char> = kept.iter().copied().chain(summed).collect();
    let space: Vec<usize> = order.iter().map(|c| sizes[c]).collect();
    call.check_size(&space[..kept.len()])?;
    call.charge_work(space.iter().fold(1u64, |w, &n| w.saturating_mul(n as u64)))?;
    let views: Vec<Vec<isize>> =
        call.operands.iter().zip(&letters).map(|(t, l)| steps(&order, l, &t.shape())).collect();
    let element = call.result_element(0)?;
    let (first, last) = (call.operands[0].element(), call.operands[call.operands.len() - 1].element());
    let shape = &space[..kept.len()];
    Ok(vec![match Accumulator::of(first, last) {
        Accumulator::Float => from_numbers(shape, element, &sum::<f64>(call, &space, kept.len(), &views)),
        Accumulator::Integer => from_numbers(shape, element, &sum::<i64>(call, &space, kept.len(), &views)),
        Accumulator::Complex => from_numbers(shape, element, &sum::<Complex>(call, &space, kept.len(), &views)),
    }])
}

/// Stride of an operand for each letter of the index space; a repeated letter walks the diagonal.
fn steps(order: &[char], letters: &[char], shape: &[usize]) -> Vec<isize> {
    let natural = strides(shape);
    let stride = |c: &char| letters.iter().zip(&natural).filter(|(l, _)| *l == c).map(|(_, s)| s).sum();
    order.iter().map(stride).collect()
}

fn sum<T: Number>(call: &Call, space: &[usize], kept: usize, views: &[Vec<isize>]) -> Vec<T> {
    let one = T::from_scalar(crate::Scalar::Float(1.0));
    let data: Vec<Vec<T>> = call.operands.iter().map(|t| T::elements(t)).collect();
    let mut out = vec![T::ZERO; space[..kept].iter().product()];
    let natural = strides(&space[..kept]);
    let mut walk = Indices::new(space);
    while let Some(index) = walk.advance() {
        let at = |k: usize| data[k][offset(index, &views[k]) as usize];
        let place = offset(&index[..kept], &natural) as usize;
        let second = if data.len() > 1 { at(1) } else { one };
        out[place] = out[place].add_product(at(0), second);
    }
    out
}

#[cfg(test)]
mod tests {
    use crate::testing::*;
    use fornax_graph::{Attr, OpKind};

    #[test]
    fn products_and_diagonals() {
        let (a, b) = (f32s(&[2, 2], &[1.0, 2.0, 3.0, 4.0]), f32s(&[2, 2], &[5.0, 6.0, 7.0, 8.0]));
        let config = |text: &str| [("einsum_config", Attr::String(text.into()))];
        let out = op(OpKind::Einsum, &config("ab,bc->ac"), &[a.clone(), b], &[ty(&[2, 2], F32)]);
        assert_eq!(values(&out[0]), [19.0, 22.0, 43.0, 50.0]);
        let out = op(OpKind::UnaryEinsum, &config("aa->"), &[a], &[ty(&[], F32)]);
        assert_eq!(values(&out[0]), [5.0]);
    }
}

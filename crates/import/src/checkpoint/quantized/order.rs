//! The order of inputs whose groups are listed (`g_idx` of GPTQ with `desc_act`).
//!
//! Weights are put in the order of their groups once, at load, so that groups follow each other as in any matrix; what
//! they multiply is put in it in every call. Each of a layer's experts has an order of its own.
//!
//! Worked example: groups of two inputs, `g_idx = [1, 0, 0, 1]`: the order is `[1, 2, 0, 3]`.

use std::io::Read;

use fornax_checkpoint::stacks;
use fornax_types::ElementType;

use super::super::function::Function;
use super::super::source::Checkpoint;
use super::super::text::{Text, Value};
use super::matrices::Matrices;
use super::settings::Gptq;
use crate::Diagnostic;

/// The inputs in the order of their groups, `[inputs]` of i32, `[experts, inputs]` of experts; `None` where they are in
/// it, or one group has all.
///
/// # Errors
/// FX1013 where groups are not listed and should be, FX1014 where a list is none of groups.
pub fn order(f: &mut Function, settings: Gptq, of: Matrices) -> Result<Option<Value>, Box<Diagnostic>> {
    let checkpoint = f.checkpoint();
    let group = settings.group.size(of.inputs);
    if of.part(checkpoint, ".g_idx")?.is_none() && !settings.listed {
        return Ok(None);
    }
    let (name, stored) = of.required(checkpoint, (".g_idx", Some(ElementType::I32)), &[of.inputs])?;
    let lists: Vec<String> = match of.experts {
        Some(count) => (0..count).map(|expert| stacks::part(&name, expert)).collect(),
        None => vec![name.clone()],
    };
    let mut in_order = true;
    for list in lists {
        let numbers = group_numbers(checkpoint, &list, of.inputs)?;
        check_groups(checkpoint, &list, &numbers, group)?;
        in_order &= is_in_order(&numbers, group);
    }
    if group >= of.inputs || !settings.listed && in_order {
        return Ok(None);
    }
    let numbers = f.parameter(&name, &stored, None);
    Ok(Some(f.text.order(&numbers)))
}

/// Elements `[in, out]` of matrices as `[out, in]`, with the inputs of each in its order.
pub fn ordered(text: &mut Text, of: Matrices, elements: &Value, order: &Value) -> Value {
    let Matrices { out, inputs, .. } = of;
    let rows: u64 = of.shape(&[inputs]).iter().product();
    let table = text.reshape(elements, &[rows, out]);
    let numbers = flat(text, order);
    let table = text.rows(&table, &numbers);
    let elements = text.reshape(&table, &of.shape(&[inputs, out]));
    text.transpose(&elements, &of.order(&[1, 0]))
}

/// What each expert multiplies `[experts, …, in]`, in its order `[experts, in]`.
pub fn of_each(text: &mut Text, x: &Value, order: &Value) -> Value {
    let all: u64 = x.shape.iter().product();
    let orders = text.broadcast(order, &x.shape, &[0, x.shape.len() - 1]);
    let orders = text.reshape(&orders, &[all / x.last(), x.last()]);
    let numbers = flat(text, &orders);
    let elements = text.reshape(x, &[all]);
    let elements = text.rows(&elements, &numbers);
    text.reshape(&elements, &x.shape)
}

/// What all experts multiply, `[tokens, in]`, in the order of each: `[experts, tokens, in]`.
pub fn for_each(text: &mut Text, x: &Value, order: &Value) -> Value {
    let (tokens, inputs) = (x.shape.first().copied().unwrap_or(1), x.last());
    let experts = order.shape.first().copied().unwrap_or(1);
    let numbers = text.reshape(order, &[experts * inputs]);
    let columns = text.columns(x, &numbers);
    let columns = text.reshape(&columns, &[tokens, experts, inputs]);
    text.transpose(&columns, &[1, 0, 2])
}

/// Numbers of the elements of lists that lie behind each other, `[lists · in]`, by their numbers in each.
fn flat(text: &mut Text, lists: &Value) -> Value {
    let all: u64 = lists.shape.iter().product();
    let numbers = match lists.shape.as_slice() {
        [_] => lists.clone(),
        shape => {
            let list = text.iota(shape, 0);
            let first = text.binary_with("multiply", &list, &lists.last().to_string());
            text.binary("add", &first, lists)
        }
    };
    text.reshape(&numbers, &[all])
}

/// Whether the inputs of each group follow those of the one before.
fn is_in_order(listed: &[u32], group: u64) -> bool {
    listed.iter().zip(0..).all(|(&number, at): (_, u64)| u64::from(number) == at / group)
}

/// The numbers of a list of groups. Negative ones come out of range.
fn group_numbers(checkpoint: &Checkpoint, name: &str, inputs: u64) -> Result<Vec<u32>, Box<Diagnostic>> {
    let mut bytes = Vec::new();
    checkpoint
        .data(name)?
        .take(inputs * 4)
        .read_to_end(&mut bytes)
        .map_err(|error| checkpoint.failed("FX1014", format!("tensor `{name}`: {error}")))?;
    let number = |bytes: &[u8]| u32::from_le_bytes(bytes.first_chunk().copied().unwrap_or([u8::MAX; 4]));
    Ok(bytes.chunks(4).map(number).collect())
}

/// # Errors
/// FX1014 where a group is not there, or has not as many inputs as it must.
fn check_groups(checkpoint: &Checkpoint, name: &str, listed: &[u32], group: u64) -> Result<(), Box<Diagnostic>> {
    let refuse = |what: String| Err(checkpoint.failed("FX1014", format!("tensor `{name}`: {what}")));
    let inputs = listed.len() as u64;
    let groups = inputs.div_ceil(group);
    let mut counts = vec![0u64; groups as usize];
    for (at, &number) in listed.iter().enumerate() {
        match counts.get_mut(number as usize) {
            Some(count) => *count += 1,
            None => return refuse(format!("input {at} is of group {}; there are {groups}", number.cast_signed())),
        }
    }
    for (number, count) in (0..).zip(counts) {
        let wanted = group.min(inputs - number * group);
        if count != wanted {
            return refuse(format!("group {number} has {count} inputs; {wanted} are wanted"));
        }
    }
    Ok(())
}

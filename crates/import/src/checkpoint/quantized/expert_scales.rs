//! Experts whose activations have 8 bits too: products of E4M3 as they lie, with scales behind their sums.
//!
//! ```text
//! q[e] = f8E4M3FN(clamp(x / s[e]))      y[e] = (q[e] · w[e]ᵀ) · s[e] · scale of the matrix, or of the output
//! ```
//!
//! `s[e]` is the expert's own scale where the folder holds them ([`StoredScales`]), else one of each row. Gates and ups
//! multiply the same `x`, each by scales of its own; those that are equal are read once, so that `q` is computed once.
//! Where all experts have the same scale, or rows have theirs, `q` is made before rows go to experts.
//!
//! Worked example: Mixtral's gates, a token by experts 2 and 5: `x` `[2, 4096]`, its row twice, is divided by
//! `[s[2], s[5]]`; sums `[2, 14336]` are multiplied by these and by the matrices' scales.

use super::super::function::Function;
use super::super::names::Role;
use super::super::text::{Text, Value};
use super::activations::{Quantized, by_row, by_scale};
use super::fp8;
use super::settings::{ActivationScales, Activations, Fp8};
use super::stored_scales::StoredScales;
use crate::Diagnostic;

/// Roles of matrices that multiply the same.
const GATES_AND_UPS: [Role; 2] = [Role::ExpertGates, Role::ExpertUps];

/// Rows that experts multiply.
#[derive(Clone)]
pub struct Rows {
    /// `[…, in]` of f32.
    pub x: Value,
    /// As E4M3 with a scale of each, where it is the same whichever expert multiplies it.
    pub narrow: Option<Quantized>,
}

impl Rows {
    /// Rows that have nothing but floats yet.
    pub fn of(x: Value) -> Rows {
        Rows { x, narrow: None }
    }

    /// The rows `[rows, in]` as `place` puts them: `[…, in]`.
    pub fn placed(&self, t: &mut Text, place: impl Fn(&mut Text, &Value) -> Value) -> Rows {
        let narrow = self.narrow.as_ref().map(|Quantized { elements, scale }| {
            let column: Vec<u64> = scale.shape.iter().copied().chain([1]).collect();
            let column = t.reshape(scale, &column);
            let column = place(t, &column);
            Quantized { elements: place(t, elements), scale: t.reshape(&column, column.outer()) }
        });
        Rows { x: place(t, &self.x), narrow }
    }
}

/// Scales of matrices of E4M3 `[matrices, out, in]` that multiply E4M3.
pub struct Scales {
    /// Of what each multiplies, `[matrices]`, where the folder holds them.
    inputs: Option<Value>,
    /// Of their elements: `[matrices]` or `[matrices, out]`.
    outputs: Value,
    /// Magnitudes that have no part in scales of rows.
    most: Option<f64>,
}

impl Scales {
    /// Rows `[matrices, …, in]` as the matrix of their place multiplies them.
    pub fn narrow(&self, t: &mut Text, rows: &Rows) -> Quantized {
        match (&rows.narrow, &self.inputs) {
            (Some(narrow), _) => narrow.clone(),
            (None, Some(own)) => by_scale(t, &rows.x, own.clone()),
            (None, None) => by_row(t, &rows.x, self.most),
        }
    }

    /// Sums of products, whose dimension `at` is the matrices' and whose last is the outputs', multiplied by scales: of
    /// the first dimensions, and of the matrices.
    pub fn applied(&self, t: &mut Text, sums: &Value, (of_rows, at): (&Value, usize)) -> Value {
        let of_rows = t.spread(of_rows, &sums.shape);
        let product = t.binary("multiply", sums, &of_rows);
        let dims = [at, sums.shape.len() - 1];
        let outputs = t.broadcast(&self.outputs, &sums.shape, &dims[..self.outputs.shape.len()]);
        t.binary("multiply", &product, &outputs)
    }
}

/// What products of matrices and activations of E4M3 do with scales; `None` where these change along the inputs, or
/// activations are floats.
pub fn narrow_activations(settings: Fp8) -> Option<Activations> {
    let is_by_row = |activations: &Activations| !matches!(activations.scales, ActivationScales::Inputs(_));
    settings.activations.filter(is_by_row).filter(|_| settings.block.is_none())
}

/// The matrices `[count, out, in]` of a layer's experts as they lie, or those with the numbers `picked`, and their
/// scales; `None` where products are not of E4M3.
///
/// # Errors
/// FX1013, FX1014.
pub fn matrices(
    f: &mut Function,
    settings: Fp8,
    place: (Role, u64),
    (shape, picked): ([u64; 3], Option<&Value>),
) -> Result<Option<(Value, Scales)>, Box<Diagnostic>> {
    let Some(activations) = narrow_activations(settings) else { return Ok(None) };
    let Some(matrices) = fp8::stored_experts(f, settings, place, (shape, picked))? else { return Ok(None) };
    let outer = matrices.elements.outer();
    let outputs = f.text.reshape(&matrices.scale, if matrices.of_outputs { outer } else { &outer[..1] });
    let mut inputs = None;
    if activations.scales == ActivationScales::Stored {
        let all = own_scales(f, place, shape[0])?.value(f);
        inputs = Some(picked.map_or_else(|| all.clone(), |numbers| f.text.rows(&all, numbers)));
    }
    Ok(Some((matrices.elements, Scales { inputs, outputs, most: activations.most })))
}

/// `x` `[tokens, in]`, which gates and ups of so many experts multiply, as E4M3; `None` where experts have it in
/// different ones, or as floats.
///
/// # Errors
/// FX1013, FX1014.
pub fn shared(
    f: &mut Function,
    settings: Fp8,
    (layer, count): (u64, u64),
    x: &Value,
) -> Result<Option<Quantized>, Box<Diagnostic>> {
    let Some(activations) = narrow_activations(settings) else { return Ok(None) };
    let roles = narrow_roles(f, (layer, count))?;
    let Some((&first, others)) = roles.split_first() else { return Ok(None) };
    if activations.scales != ActivationScales::Stored {
        return Ok(Some(by_row(&mut f.text, x, activations.most)));
    }
    let scales = StoredScales::of(f, (first, layer), Some(count))?;
    let mut is_one = scales.is_one();
    for &role in others {
        is_one &= StoredScales::of(f, (role, layer), Some(count))?.equals(&scales);
    }
    if !is_one {
        return Ok(None);
    }
    let all = scales.value(f);
    let first = f.text.slice_last(&all, 0, 1);
    let one = f.text.reshape(&first, &[]);
    let rows = f.text.broadcast(&one, x.outer(), &[]);
    Ok(Some(by_scale(&mut f.text, x, rows)))
}

/// Which of a layer's gates and ups are of E4M3.
fn narrow_roles(f: &Function, (layer, count): (u64, u64)) -> Result<Vec<Role>, Box<Diagnostic>> {
    let mut roles = Vec::new();
    for role in GATES_AND_UPS {
        if fp8::stack(f.checkpoint(), (role, layer), count)?.is_some() {
            roles.push(role);
        }
    }
    Ok(roles)
}

/// The folder's scales of what experts multiply: those of gates, where ups have the same numbers.
fn own_scales(f: &mut Function, (role, layer): (Role, u64), count: u64) -> Result<StoredScales, Box<Diagnostic>> {
    let own = StoredScales::of(f, (role, layer), Some(count))?;
    let narrow = if GATES_AND_UPS.contains(&role) { narrow_roles(f, (layer, count))? } else { Vec::new() };
    let Some(&first) = narrow.first().filter(|&&first| first != role) else { return Ok(own) };
    let first = StoredScales::of(f, (first, layer), Some(count))?;
    Ok(if first.equals(&own) { first } else { own })
}

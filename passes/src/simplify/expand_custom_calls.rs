//! Custom calls that frameworks print for something with a StableHLO meaning become that; annotations of placement go.
//!
//! Before:
//! ```mlir
//! func.func @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {
//!   %0 = stablehlo.custom_call @Sharding(%arg0) {mhlo.sharding = "{replicated}"} : (tensor<2xf32>) -> tensor<2xf32>
//!   %1 = stablehlo.custom_call @mhlo.erf(%0) : (tensor<2xf32>) -> tensor<2xf32>
//!   return %1 : tensor<2xf32>
//! }
//! ```
//! After:
//! ```mlir
//! func.func @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {
//!   %0 = chlo.erf %arg0 : tensor<2xf32> -> tensor<2xf32>
//!   return %0 : tensor<2xf32>
//! }
//! ```
//!
//! [`ANNOTATIONS`] give back their operands, [`ALIASES`] are ops under another name, and the rows of [`linear_algebra`]
//! and [`selection`] are expanded, and those of [`attention`]: calls of LAPACK, cuSOLVER, cuDNN, hipSOLVER and XLA's
//! own targets, as exports of JAX for CPU, GPU and TPU contain them, with the same conventions of results. Limits:
//! static shapes, but for a batch (`expand_dynamic_batches`) and for the sides of matrices that [`sized`] takes. A call
//! of [`HOST_CALL`] is one of a function that runs beside the program. A call of any other target ends compilation with
//! the list of these.

mod attention;
mod linear_algebra;
mod selection;
mod sized;

use fornax_graph::{Attr, AttrMap, ElementType, Graph, OpId, OpKind, TensorType, Type, ValueId};

use super::ops::Ops;
use super::read_hlo_shardings::MANUAL;
use crate::rewrite::{Outcome, Rewrite, Rewriter, sweep};
use super::{Options, each_op, symbol};
use crate::errors::PassError;

/// Targets that give back their operands: notes to a partitioner or a memory planner. `dce_sink` has no result: JAX's
/// word that its operand is used.
const ANNOTATIONS: &[&str] = &[
    "Sharding",
    "SPMDFullToShardShape",
    "SPMDShardToFullShape",
    "LayoutConstraint",
    "MoveToDevice",
    "MoveToHost",
    "annotate_device_placement",
    "dce_sink",
    "xla.sdy.FuncResultSharding",
    "xla.sdy.PropagationBarrier",
];

/// Targets that are another name of an op.
const ALIASES: &[(&str, OpKind)] = &[
    ("mhlo.acos", OpKind::ChloAcos),
    ("mhlo.acosh", OpKind::ChloAcosh),
    ("mhlo.asin", OpKind::ChloAsin),
    ("mhlo.asinh", OpKind::ChloAsinh),
    ("mhlo.atanh", OpKind::ChloAtanh),
    ("mhlo.cosh", OpKind::ChloCosh),
    ("mhlo.erf", OpKind::ChloErf),
    ("mhlo.sinh", OpKind::ChloSinh),
    ("mhlo.tan", OpKind::Tan),
];

/// Calls whose meaning other passes give them.
const LEFT_ALONE: &[&str] = &["shape_assertion"];

/// A call of a function of the process that runs the program, whose number is the configuration.
const HOST_CALL: &str = "fornax.host_call";

/// A call with everything static.
struct Call {
    operands: Vec<ValueId>,
    results: Vec<TensorType>,
    /// `mhlo.backend_config`, `mhlo.attributes`, or the op's own attributes.
    config: AttrMap,
    /// `backend_config` as text.
    text: String,
    /// Functions that it names.
    called: Vec<String>,
}

impl Call {
    fn operand(&self, at: usize) -> Option<ValueId> {
        self.operands.get(at).copied()
    }

    fn shape(&self, result: usize) -> Option<Vec<i64>> {
        self.results.get(result)?.static_shape()
    }

    /// A character that LAPACK takes, such as `b'L'`.
    fn letter(&self, name: &str) -> Option<u8> {
        self.config.int(name).and_then(|v| u8::try_from(v).ok())
    }
}

/// What a target becomes: its results, or `None` where the call is not as expected.
type Rule = fn(&Ops, &Call) -> Option<Vec<ValueId>>;

/// A target and its expansion.
struct Row {
    target: &'static str,
    rule: Rule,
}

const fn row(target: &'static str, rule: Rule) -> Row {
    Row { target, rule }
}

fn rows() -> impl Iterator<Item = &'static Row> {
    linear_algebra::ROWS.iter().chain(selection::ROWS).chain(attention::ROWS)
}

pub fn run(graph: &mut Graph, _: &Options) -> Result<bool, PassError> {
    sweep(graph, &mut |rw, id| match rw.kind(id) {
        OpKind::CustomCall => expand(rw, id),
        _ => Ok(Rewrite::Keep),
    })
}

fn expand(rw: &mut Rewriter, id: OpId) -> Outcome {
    let target = symbol(rw.graph, id, "call_target_name").unwrap_or_default();
    let op = rw.graph.op(id);
    if ANNOTATIONS.contains(&target) && op.attrs.get(MANUAL).is_none() {
        return Ok(Rewrite::Replace(op.operands.iter().take(op.results.len()).copied().collect()));
    }
    if let Some(&(_, kind)) = ALIASES.iter().find(|(name, _)| *name == target) {
        let op = rw.graph.op_mut(id);
        op.attrs = AttrMap::default();
        op.kind = kind;
        return Ok(Rewrite::Edited);
    }
    if target == HOST_CALL {
        return Ok(host_call(rw, id).unwrap_or(Rewrite::Keep));
    }
    let Some(row) = rows().find(|row| row.target == target) else { return Ok(Rewrite::Keep) };
    let Some(call) = read(rw.graph, id) else {
        return Ok(sized::expand(rw, id, row.target).map_or(Rewrite::Keep, Rewrite::Replace));
    };
    Ok((row.rule)(&Ops::new(rw), &call).map_or(Rewrite::Keep, Rewrite::Replace))
}

/// `fornax.host_call`, where the configuration is a number and all sizes are known.
fn host_call(rw: &mut Rewriter, id: OpId) -> Option<Rewrite> {
    let op = rw.graph.op(id);
    let number: i64 = op.attrs.str("backend_config")?.parse().ok()?;
    let fits = |value: &ValueId| match rw.graph.ty(*value) {
        Type::Tensor(ty) => ty.static_shape().is_some(),
        other => *other == Type::Token,
    };
    if number < 0 || !op.operands.iter().chain(&op.results).all(fits) {
        return None;
    }
    let op = rw.graph.op_mut(id);
    op.attrs = AttrMap::default();
    op.attrs.set("number", Attr::Int(number.into(), Type::Scalar(ElementType::I64)));
    op.kind = OpKind::HostCall;
    Some(Rewrite::Edited)
}

/// Whether an op is a call that has an expansion, for static shapes.
pub fn is_expanded(graph: &Graph, id: OpId) -> bool {
    let target = symbol(graph, id, "call_target_name").unwrap_or_default();
    rows().any(|row| row.target == target)
}

/// The call, if all its tensors have static shapes.
fn read(graph: &Graph, id: OpId) -> Option<Call> {
    read_if(graph, id, |ty| ty.static_shape().is_some())
}

/// The call, if all its tensors are as `fits` says.
fn read_if(graph: &Graph, id: OpId, fits: impl Fn(&TensorType) -> bool) -> Option<Call> {
    let op = graph.op(id);
    let tensor = |value: &ValueId| graph.ty(*value).as_tensor().filter(|ty| fits(ty)).cloned();
    op.operands.iter().map(tensor).collect::<Option<Vec<_>>>()?;
    let dictionary = ["mhlo.backend_config", "mhlo.attributes"].iter().find_map(|name| match op.attrs.get(name) {
        Some(Attr::Dict(fields)) => Some(fields.clone()),
        _ => None,
    });
    let own = match op.attrs.get("backend_config") {
        Some(Attr::Dict(fields)) => Some(fields.clone()),
        _ => None,
    };
    let called = match op.attrs.get("called_computations") {
        Some(Attr::Array(items)) => items.iter().filter_map(called_name).collect(),
        _ => Vec::new(),
    };
    Some(Call {
        operands: op.operands.clone(),
        results: op.results.iter().map(tensor).collect::<Option<Vec<_>>>()?,
        config: dictionary.or(own).unwrap_or_default(),
        text: op.attrs.str("backend_config").unwrap_or_default().to_string(),
        called,
    })
}

fn called_name(attr: &Attr) -> Option<String> {
    match attr {
        Attr::Symbol(path) => path.last().cloned(),
        _ => None,
    }
}

/// An error for a call that is left, with the list of what is known.
pub fn refuse(graph: &Graph) -> Result<(), PassError> {
    let mut left = None;
    each_op(graph, &mut |id| {
        if graph.op(id).kind != OpKind::CustomCall || left.is_some() {
            return;
        }
        let target = symbol(graph, id, "call_target_name").unwrap_or_default();
        if !LEFT_ALONE.contains(&target) {
            left = Some((id, target.to_string()));
        }
    });
    let Some((id, target)) = left else { return Ok(()) };
    let is_dynamic = |value: &ValueId| !matches!(graph.ty(*value), Type::Tensor(ty) if ty.static_shape().is_some());
    let op = graph.op(id);
    if target == HOST_CALL || rows().any(|row| row.target == target) {
        let why = if op.operands.iter().chain(&op.results).any(is_dynamic) {
            "needs tensors of static shape"
        } else {
            "has operands, results or a configuration that its expansion does not know"
        };
        return Err(PassError::custom_call(graph, id, &target, why.into()));
    }
    let mut known: Vec<&str> = rows().map(|row| row.target).collect();
    known.extend(ANNOTATIONS);
    known.extend(ALIASES.iter().map(|row| row.0));
    known.extend(LEFT_ALONE);
    known.push(HOST_CALL);
    known.sort_unstable();
    known.dedup();
    let near = fornax_targets::nearest(&target, known.iter().copied());
    let near = near.first().map_or(String::new(), |name| format!(" (did you mean @{name}?)"));
    let count = known.len();
    Err(PassError::custom_call(graph, id, &target, format!("is not one of the {count} that are known{near}")))
}

#[cfg(test)]
mod tests {
    use crate::example::{import, print};
    use super::super::simplify;
    use super::*;

    #[test]
    fn targets_are_unique() {
        let mut names: Vec<&str> = rows().map(|row| row.target).collect();
        names.extend(ANNOTATIONS);
        names.extend(ALIASES.iter().map(|row| row.0));
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
    }

    #[test]
    fn an_unknown_target_is_refused_with_the_nearest() {
        let refused = |target: &str| {
            let text = format!(
                "func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {{
               %0 = stablehlo.custom_call @{target}(%a) : (tensor<2xf32>) -> tensor<2xf32>
               return %0 : tensor<2xf32>
             }}"
            );
            let error = simplify(&mut import(&text), &Options::default()).unwrap_err();
            assert_eq!(error.code(), "FX0307");
            error.to_string()
        };
        let message = refused("my_kernel");
        assert!(message.contains("@my_kernel") && message.contains("example.mlir:2:"), "{message}");
        assert!(message.contains("is not one of the ") && message.len() < 300, "{message}");
        let near = refused("lapack_sgetrf");
        assert!(near.contains("did you mean @lapack_sgetrf_ffi?"), "{near}");
    }

    #[test]
    fn a_sink_without_results_goes() {
        let text = "func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
               stablehlo.custom_call @dce_sink(%a) {has_side_effect = true} : (tensor<2xf32>) -> ()
               return %a : tensor<2xf32>
             }";
        let mut graph = import(text);
        simplify(&mut graph, &Options::default()).unwrap();
        assert!(!print(&graph).contains("custom_call"), "{}", print(&graph));
    }

    /// `eig` of matrices without elements, and of no matrices.
    #[test]
    fn empty_eigenproblems_expand() {
        for (batch, n) in [(1, 0), (2, 0), (0, 3)] {
            let (matrix, values) = (format!("tensor<{batch}x{n}x{n}xf64>"), format!("tensor<{batch}x{n}xf64>"));
            let vectors = format!("tensor<{batch}x{n}x{n}xcomplex<f64>>");
            let config = r#"{mhlo.backend_config = {compute_left = 86 : ui8, compute_right = 86 : ui8}}"#;
            let results = format!("({values}, {values}, {vectors}, {vectors}, tensor<{batch}xi32>)");
            let text = format!(
                "func.func @main(%a: {matrix}) -> {vectors} {{
                   %0:5 = stablehlo.custom_call @lapack_dgeev_ffi(%a) {config} : ({matrix}) -> {results}
                   return %0#3 : {vectors}
                 }}"
            );
            simplify(&mut import(&text), &Options::default()).unwrap_or_else(|error| panic!("{error}\n{text}"));
        }
    }

    #[test]
    fn a_known_target_says_what_it_lacks() {
        let text = "func.func @main(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
               %0 = stablehlo.custom_call @Qr(%a) : (tensor<4x4xf32>) -> tensor<4x4xf32>
               return %0 : tensor<4x4xf32>
             }";
        let error = simplify(&mut import(text), &Options::default()).unwrap_err();
        assert!(error.code() == "FX0307" && error.to_string().contains("does not know"), "{error}");
    }
}

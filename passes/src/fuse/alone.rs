//! One fusion group as a model of its own: what a kernel computes, without the model around it.
//!
//! Input: a fused graph and one of its fusion ops. Output: a graph whose one function `main` has the group's ops, ready
//! to be printed, compiled and evaluated, and which operands of the group became its arguments. Constants of a few
//! kilobytes stay constants. Sizes known only at run time stay such: a symbol that no argument shows as a dimension of
//! its own gets one from an empty argument `tensor<?x0xf32>`.
//!
//! Worked example: a group of `multiply` and `add` on operands `x: tensor<?x4xf32, #fornax.dims<2*b>>` and a constant
//! of 4 floats becomes `main(%x: tensor<?x4xf32, #fornax.dims<2*b>>, %b: tensor<?x0xf32, #fornax.dims<b>>)`.

use fornax_graph::{
    AttrMap, Dim, DimDef, ElementType, Function, Graph, NewOp, OpId, OpKind, RegionId, TensorType, Type, ValueId,
};

use super::build::{self, Copy};
use super::decide::Forms;
use crate::errors::PassError;
use crate::facts::ops::constant_of;

/// What an argument of the model of a group is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Given {
    /// An operand of the group.
    Operand(usize),
    /// An empty tensor whose first dimension is the size with this number in `Graph::dims`.
    Size(u32),
}

/// A group's ops as `main`, and what its arguments are. Constants of at most `kept` bytes are in it.
///
/// # Errors
/// FX0901 for an op that is no fusion group.
pub fn model_of(graph: &Graph, fusion: OpId, kept: u64) -> Result<(Graph, Vec<Given>), PassError> {
    let mut given = Vec::new();
    let is_constant = |operand: ValueId| {
        let small = graph.ty(operand).as_tensor().and_then(|t| t.bytes()).is_some_and(|bytes| bytes <= kept);
        small && constant_of(graph, operand).is_some()
    };
    let mut mini = function_of(graph, fusion, "main", &is_constant, &mut given)?;
    mini.dim_checks.clear();
    bind_sizes(&mut mini, &mut given);
    Ok((mini, given))
}

/// A graph whose one function computes what the group computes, of all its operands. Sizes are numbered as in `graph`;
/// those that the host reads from its values are read there, and not in the group.
pub fn alone(graph: &Graph, fusion: OpId) -> Result<Graph, PassError> {
    let mut mini = function_of(graph, fusion, "group", &|_| false, &mut Vec::new())?;
    for dim in mini.dims.iter_mut().filter(|dim| matches!(dim.def, DimDef::Value { .. })) {
        dim.def = DimDef::Unknown;
    }
    Ok(mini)
}

fn function_of(
    graph: &Graph,
    fusion: OpId,
    name: &str,
    is_constant: &dyn Fn(ValueId) -> bool,
    given: &mut Vec<Given>,
) -> Result<Graph, PassError> {
    let data = graph.op(fusion);
    let inner = data.regions.first().and_then(|&r| graph.region(r).blocks.first().copied());
    let inner = inner.ok_or_else(|| PassError::internal(graph, fusion, "has no region"))?;
    let mut mini = build::shell(graph);
    let region = mini.add_region();
    let body = mini.add_block(region, &[]);
    let mut copy = Copy { from: graph, to: &mut mini, values: Default::default(), forms: Forms::APART, pairs: None };
    for (at, (&argument, &operand)) in graph.block(inner).arguments.iter().zip(&data.operands).enumerate() {
        let producer = graph.producer(operand).filter(|_| is_constant(operand));
        let value = match producer {
            Some(constant) => {
                copy.op(constant, body)?;
                copy.value(operand)?
            }
            None => {
                given.push(Given::Operand(at));
                copy.to.add_argument(body, graph.ty(argument).clone())
            }
        };
        copy.values.insert(argument, value);
    }
    for &op in &graph.block(inner).ops {
        if graph.op(op).kind == OpKind::FusionYield {
            let results = graph.op(op).operands.iter().map(|&v| copy.value(v)).collect::<Result<Vec<_>, _>>()?;
            copy.to.push_op(body, NewOp::new(OpKind::FuncReturn, results, Vec::new(), data.location));
        } else {
            copy.op(op, body)?;
        }
    }
    let result_types: Vec<Type> = data.results.iter().map(|&r| graph.ty(r).clone()).collect();
    push_function(&mut mini, name, region, result_types, data.location);
    Ok(mini)
}

fn push_function(
    mini: &mut Graph,
    name: &str,
    region: RegionId,
    result_types: Vec<Type>,
    location: fornax_graph::LocId,
) {
    mini.functions.push(Function {
        name: name.into(),
        private: false,
        argument_attrs: Vec::new(),
        result_types,
        result_attrs: Vec::new(),
        attrs: AttrMap::default(),
        body: Some(region),
        location,
    });
}

/// Symbols are sizes of the arguments of `main`; those that nothing uses go.
fn bind_sizes(mini: &mut Graph, given: &mut Vec<Given>) {
    let Some(body) = mini.functions.first().and_then(|f| mini.entry(f)) else { return };
    let used = mini.used_dims();
    for at in 1..mini.dims.len() as u32 {
        let is_used = used.get(at as usize).copied().unwrap_or(false);
        let Some(def) = mini.dims.get(at as usize).map(|d| d.def) else { continue };
        let new = match def {
            _ if !is_used => DimDef::Unknown,
            DimDef::Unknown | DimDef::Expr(_) => continue,
            DimDef::Argument { .. } | DimDef::Value { .. } => match shown(mini, body, at) {
                Some((argument, axis)) => DimDef::Argument { argument, axis },
                None => {
                    let shape = vec![Dim::Symbolic(at), Dim::Static(0)];
                    mini.add_argument(
                        body,
                        Type::Tensor(TensorType { shape, element: ElementType::F32, encoding: None }),
                    );
                    given.push(Given::Size(at));
                    DimDef::Argument { argument: mini.block(body).arguments.len() as u32 - 1, axis: 0 }
                }
            },
        };
        if let Some(dim) = mini.dims.get_mut(at as usize) {
            dim.def = new;
        }
    }
}

/// Argument and axis whose size the symbol is.
fn shown(mini: &Graph, body: fornax_graph::BlockId, at: u32) -> Option<(u32, u32)> {
    let arguments = (0..).zip(&mini.block(body).arguments);
    arguments.into_iter().find_map(|(argument, &value)| {
        let axis = mini.ty(value).as_tensor()?.shape.iter().position(|&dim| dim == Dim::Symbolic(at))?;
        Some((argument, axis as u32))
    })
}

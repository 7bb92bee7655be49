//! Walks a model's nodes and makes the graph: names, scopes, functions; one rule an operator (`ops`).

use std::collections::HashMap;
use std::path::PathBuf;

use fornax_graph::{
    BlockId, Dim, DimDef, ElementType, Graph, Location, NewOp, OpKind, RegionId, TensorType, Type, ValueId,
};
use fornax_types::Scalar;

use super::data;
use super::fixed::OnnxOptions;
use super::known::Known;
use super::node::{Item, Node};
use super::ops::{self, Rule};
use super::order::ordered;
use super::proto::{FunctionProto, GraphProto, ModelProto, NodeProto, OperatorSetIdProto, TensorProto, ValueInfoProto};
use crate::Diagnostic;
use crate::dialects::build::Builder;

pub type Result<T> = std::result::Result<T, Box<Diagnostic>>;

/// Functions within functions at most, and graphs within graphs.
const DEPTH_MAX: usize = 64;
/// Nodes at most, those of functions and of loops that are written out each time.
const NODES_MAX: usize = 1 << 20;
/// The newest version of the default operator set that is read.
pub const OPSET_MAX: i64 = 28;

pub struct Converter<'m> {
    pub b: Builder,
    /// What is known of values' elements.
    pub memory: HashMap<ValueId, Option<Known>>,
    /// What names stand for, outermost first.
    pub scopes: Vec<HashMap<String, Item>>,
    functions: HashMap<(&'m str, &'m str, &'m str), &'m FunctionProto>,
    /// Versions of operator sets where the node that is read stands.
    opsets: HashMap<String, i64>,
    /// Sizes that the model says its values have.
    declared: HashMap<&'m str, Vec<Option<i64>>>,
    folder: Option<PathBuf>,
    pub file: &'m str,
    depth: usize,
    nodes: usize,
}

fn versions(sets: &[OperatorSetIdProto]) -> HashMap<String, i64> {
    sets.iter().map(|set| (domain_of(&set.domain).to_string(), set.version)).collect()
}

/// The default domain has two names.
fn domain_of(name: &str) -> &str {
    if name == "ai.onnx" { "" } else { name }
}

/// A model as a graph with one function.
pub fn convert(model: &ModelProto, file: &str, (folder, how): (Option<PathBuf>, &OnnxOptions)) -> Result<Graph> {
    let broken = |what: String| super::failed("FX1024", file, what);
    let main = model.graph.as_ref().ok_or_else(|| broken("the model has no graph".into()))?;
    let mut opsets = versions(&model.opset_import);
    let version = *opsets.entry(String::new()).or_insert(1);
    if !(1..=OPSET_MAX).contains(&version) {
        let what = format!("operator set {version}; 1 to {OPSET_MAX} are known");
        return Err(super::failed("FX1022", file, what));
    }
    let key = |f: &'_ FunctionProto| (domain_of(&f.domain).to_string(), f.name.clone(), f.overload.clone());
    let mut functions = HashMap::new();
    for function in &model.functions {
        let name = (domain_of(&function.domain), function.name.as_str(), function.overload.as_str());
        if functions.insert(name, function).is_some() {
            return Err(broken(format!("function {:?} is there twice", key(function))));
        }
    }
    let mut graph = Graph::default();
    graph.locations.file = file.to_string();
    let mut declared = HashMap::new();
    for info in main.value_info.iter().chain(&main.output) {
        declared.extend(sizes_of(info).map(|sizes| (info.name.as_str(), sizes)));
    }
    let mut c = Converter {
        b: Builder::new(graph),
        memory: HashMap::new(),
        scopes: Vec::new(),
        functions,
        opsets,
        declared,
        folder,
        file,
        depth: 0,
        nodes: 0,
    };
    c.main(main, how)?;
    let Builder { mut graph, mut equal, .. } = c.b;
    equal.keep_checks(&mut graph);
    Ok(graph)
}

/// The sizes that a declaration has; `None` where it says none.
fn sizes_of(info: &ValueInfoProto) -> Option<Vec<Option<i64>>> {
    let shape = info.r#type.as_ref()?.tensor_type.as_ref()?.shape.as_ref()?;
    Some(shape.dim.iter().map(|d| d.dim_value).collect())
}

impl<'m> Converter<'m> {
    pub fn broken(&self, what: impl Into<String>) -> Box<Diagnostic> {
        super::failed("FX1024", self.file, what)
    }

    /// A constant of the graph that is a tensor of the model.
    pub fn constant(&mut self, tensor: &TensorProto, title: &str) -> Result<ValueId> {
        let constant = data::constant(tensor, self.folder.as_deref());
        let constant = constant
            .map_err(|(code, what)| super::failed(code, self.file, format!("{title} \"{}\": {what}", tensor.name)))?;
        Ok(self.b.constant(constant))
    }

    pub fn sparse(&mut self, tensor: &super::proto::SparseTensorProto) -> Result<ValueId> {
        let constant = data::dense(tensor, self.folder.as_deref());
        let constant = constant.map_err(|(code, what)| super::failed(code, self.file, what))?;
        Ok(self.b.constant(constant))
    }

    /// The nodes of a graph in the innermost scope; what its outputs are.
    pub fn graph(&mut self, graph: &GraphProto) -> Result<Vec<Item>> {
        for tensor in &graph.initializer {
            let value = self.constant(tensor, "initializer")?;
            self.define(&tensor.name, value.into());
        }
        for tensor in &graph.sparse_initializer {
            let name = tensor.values.as_ref().map(|v| v.name.clone()).unwrap_or_default();
            let value = self.sparse(tensor)?;
            self.define(&name, value.into());
        }
        for node in ordered(graph) {
            self.node(node)?;
        }
        graph.output.iter().map(|output| self.find(&output.name, "output")).collect()
    }

    pub fn define(&mut self, name: &str, item: Item) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name.to_string(), item);
        }
    }

    fn find(&self, name: &str, title: &str) -> Result<Item> {
        let found = self.scopes.iter().rev().find_map(|scope| scope.get(name));
        found
            .cloned()
            .ok_or_else(|| self.broken(format!("{title}: no input, initializer or node before it makes \"{name}\"")))
    }

    /// Runs `inner` with names of its own.
    pub fn scoped<T>(&mut self, names: HashMap<String, Item>, inner: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(self.broken(format!("functions or graphs are nested deeper than {DEPTH_MAX}")));
        }
        self.scopes.push(names);
        let result = inner(self);
        self.scopes.pop();
        self.depth -= 1;
        result
    }

    /// A region of one block; what `fill` gives is what the region gives back.
    pub fn region(
        &mut self,
        arguments: &[Type],
        fill: impl FnOnce(&mut Self, &[ValueId]) -> Result<Vec<ValueId>>,
    ) -> Result<RegionId> {
        let region = self.b.graph.add_region();
        let block = self.b.graph.add_block(region, arguments);
        let outer = self.enter(block);
        let arguments = self.b.graph.block(block).arguments.clone();
        let results = fill(self, &arguments);
        if let Ok(results) = &results {
            self.b.push(NewOp::new(OpKind::Return, results.clone(), Vec::new(), self.b.location));
        }
        self.b.block = outer;
        results.map(|_| region)
    }

    fn enter(&mut self, block: BlockId) -> BlockId {
        std::mem::replace(&mut self.b.block, block)
    }

    fn node(&mut self, proto: &NodeProto) -> Result<()> {
        self.nodes += 1;
        if self.nodes > NODES_MAX {
            return Err(self.broken(format!("the model has more than {NODES_MAX} nodes with those of its functions")));
        }
        let title = format!("node \"{}\" ({})", super::shown(&proto.name), super::shown(&proto.op_type));
        let name = Some(super::quoted(&proto.name));
        self.b.location = self.b.graph.locations.add(Location { line: 0, column: 0, name });
        let mut inputs = Vec::new();
        for name in &proto.input {
            inputs.push(if name.is_empty() { Item::Nothing } else { self.find(name, &title)? });
        }
        let domain = domain_of(&proto.domain);
        let version = self.opsets.get(domain).copied();
        let function = self.functions.get(&(domain, proto.op_type.as_str(), proto.overload.as_str())).copied();
        let row = ops::find(domain, &proto.op_type);
        let results = match (function, row) {
            (Some(function), _) => self.call(function, proto, inputs)?,
            (None, Some(row)) => {
                let default = if domain.is_empty() { OPSET_MAX } else { 1 };
                let file = self.file;
                let node = Node { proto, inputs, version: version.unwrap_or(default), title, file };
                match row.rule {
                    Rule::One(rule) => vec![rule(self, &node)?.into()],
                    Rule::Many(rule) => rule(self, &node)?,
                }
            }
            (None, None) => return Err(self.unknown(domain, proto, &title)),
        };
        for (at, name) in proto.output.iter().enumerate() {
            if name.is_empty() {
                continue;
            }
            let Some(item) = results.get(at) else {
                return Err(self.broken(format!("node \"{}\" ({}) has no output {at}", proto.name, proto.op_type)));
            };
            if let Item::Tensor(value) = *item {
                self.fit_declared(name, value)?;
                let element = self.b.element(value);
                if element.is_integer() || element == ElementType::I1 {
                    self.known(value);
                }
            }
            self.define(name, item.clone());
        }
        Ok(())
    }

    /// Sizes that the host would read from data, and that the model says, are those, with a check.
    fn fit_declared(&mut self, name: &str, value: ValueId) -> Result<()> {
        let Some(declared) = self.declared.get(name).cloned().filter(|_| self.depth == 0) else { return Ok(()) };
        let shape = self.b.shape(value);
        if shape.len() != declared.len() {
            return Ok(());
        }
        for (size, declared) in shape.into_iter().zip(declared) {
            let Some(declared) = declared.filter(|_| self.is_of_data(size)) else { continue };
            if self.b.unify(size, Dim::Static(declared), &format!("\"{name}\"")).is_none() {
                return Err(self.broken(format!("\"{name}\" cannot have the size {declared} that it is said to have")));
            }
        }
        Ok(())
    }

    fn is_of_data(&self, size: Dim) -> bool {
        let is_value = |at: &u32| {
            let dim = self.b.graph.dims.get(*at as usize);
            dim.is_some_and(|d| matches!(d.def, DimDef::Value { .. }))
        };
        matches!(size, Dim::Symbolic(_)) && self.b.graph.dim_atoms(size).iter().any(is_value)
    }

    fn unknown(&self, domain: &str, proto: &NodeProto, title: &str) -> Box<Diagnostic> {
        let domain = if domain.is_empty() { "ai.onnx" } else { domain };
        let what = format!("{title}: operator `{}` of domain `{}` is not known", proto.op_type, super::shown(domain));
        let error = super::failed("FX1022", self.file, what);
        match ops::nearest(&proto.op_type) {
            Some(near) if near != proto.op_type => {
                Box::new(error.hint(format!("the nearest operator that is known is `{near}`")))
            }
            _ => error,
        }
    }

    /// A call of a function of the model: its nodes, with attributes of the call in them.
    fn call(&mut self, function: &'m FunctionProto, call: &NodeProto, inputs: Vec<Item>) -> Result<Vec<Item>> {
        let mut names = HashMap::new();
        for (at, name) in function.input.iter().enumerate() {
            names.insert(name.clone(), inputs.get(at).cloned().unwrap_or(Item::Nothing));
        }
        let given: HashMap<&str, &super::proto::AttributeProto> = function
            .attribute_proto
            .iter()
            .chain(&call.attribute)
            .map(|attribute| (attribute.name.as_str(), attribute))
            .collect();
        let nodes: Vec<NodeProto> = function.node.iter().map(|node| with_attributes(node, &given)).collect();
        // A function sees its own names and its own operator sets only.
        let outer = std::mem::take(&mut self.scopes);
        let opsets = std::mem::replace(&mut self.opsets, versions(&function.opset_import));
        let results = self.scoped(names, |c| {
            for node in &nodes {
                c.node(node)?;
            }
            function.output.iter().map(|name| c.find(name, &format!("function {}", function.name))).collect()
        });
        self.scopes = outer;
        self.opsets = opsets;
        results
    }

    /// A scalar of the type of `like`.
    pub fn scalar(&mut self, element: ElementType, number: f64) -> ValueId {
        self.b.splat(&[], element, Scalar::Float(number))
    }

    /// A vector of i64.
    pub fn vector(&mut self, numbers: &[i64]) -> ValueId {
        let ty = TensorType::new(&[numbers.len() as i64], ElementType::I64);
        let bytes = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
        self.b.constant(fornax_graph::Constant::dense(ty, bytes))
    }

    /// A vector of i64 that holds sizes.
    pub fn sizes_vector(&mut self, sizes: &[Dim]) -> ValueId {
        if let Some(numbers) = sizes.iter().map(|d| d.as_static()).collect::<Option<Vec<_>>>() {
            return self.vector(&numbers);
        }
        let mut parts = Vec::new();
        for &size in sizes {
            let scalar = self.b.index_of(size);
            parts.push(self.b.reshape(scalar, &[Dim::Static(1)]));
        }
        let value = self.b.concatenate(&parts, 0);
        self.note(value, sizes.to_vec());
        value
    }

    /// The integers of an input, which must be known now.
    pub fn numbers(&mut self, node: &Node, at: usize) -> Result<Vec<i64>> {
        let value = node.input(at)?;
        self.known_ints(value).ok_or_else(|| {
            let name = node.proto.input.get(at).map_or("", String::as_str);
            node.error("FX1025", format!("input {at} (\"{name}\") must be known when the model is compiled"))
        })
    }

    /// The same of an input that may be left out.
    pub fn numbers_if(&mut self, node: &Node, at: usize) -> Result<Option<Vec<i64>>> {
        match node.optional(at) {
            None => Ok(None),
            Some(_) => self.numbers(node, at).map(Some),
        }
    }

    /// The floats of an input, which must be known now.
    pub fn float_numbers(&mut self, node: &Node, at: usize) -> Result<Vec<f64>> {
        let value = node.input(at)?;
        self.known_floats(value).ok_or_else(|| {
            let name = node.proto.input.get(at).map_or("", String::as_str);
            node.error("FX1025", format!("input {at} (\"{name}\") must be known when the model is compiled"))
        })
    }

    /// The integers of an input as sizes; those of which nothing is known are read by the host at run time.
    pub fn amounts(&mut self, node: &Node, at: usize) -> Result<Vec<Dim>> {
        let value = node.input(at)?;
        if let Some(sizes) = self.known_sizes(value) {
            return Ok(sizes);
        }
        let shape = self.b.shape(value);
        let unknown = |what: &str| node.error("FX1025", format!("input {at} {what}"));
        let count = match shape[..] {
            [] => 1,
            [Dim::Static(n)] if n <= 64 => n,
            _ => return Err(unknown("must be known when the model is compiled")),
        };
        if self.b.home(value) != self.b.entry || self.b.block != self.b.entry.unwrap_or(self.b.block) {
            return Err(unknown("is a size that is computed inside a loop or a branch"));
        }
        let mut sizes = Vec::new();
        for k in 0..count {
            let one = match shape.is_empty() {
                true => value,
                false => {
                    let one = self.b.slice_dim(value, 0, Dim::Static(k), Dim::Static(k + 1));
                    self.b.reshape(one, &[])
                }
            };
            let one = self.b.convert(one, ElementType::I64);
            sizes.push(match self.b.known_size(one) {
                Some(size) => size,
                None => {
                    let size = self.b.graph.value_dim(one, &format!("n{}", one.0), (i64::MIN, i64::MAX));
                    self.b.sizes.insert(one, size);
                    size
                }
            });
        }
        if !shape.is_empty() {
            self.note(value, sizes.clone());
        }
        Ok(sizes)
    }

    /// Sizes of a tensor that is to be made: none is negative.
    pub fn not_negative(&mut self, node: &Node, sizes: &[Dim]) -> Result<()> {
        match sizes.iter().all(|&size| self.b.not_negative(size, &node.title)) {
            true => Ok(()),
            false => Err(node.broken("a size is negative")),
        }
    }

    /// The sizes of a value that must have so many dimensions.
    pub fn of_rank(&self, node: &Node, value: ValueId, rank: usize) -> Result<Vec<Dim>> {
        let shape = self.b.shape(value);
        match shape.len() == rank {
            true => Ok(shape),
            false => Err(node.broken(format!("{rank} dimensions are expected, and an input has {}", shape.len()))),
        }
    }

    /// Makes two sizes one.
    pub fn same(&mut self, node: &Node, a: Dim, b: Dim) -> Result<Dim> {
        self.b.unify(a, b, &node.title).ok_or_else(|| {
            let (a, b) = (self.b.graph.dim_text(a), self.b.graph.dim_text(b));
            node.broken(format!("two sizes must be equal, and are {a} and {b}"))
        })
    }
}

/// A node of a function with the attributes that a call gives.
fn with_attributes(node: &NodeProto, given: &HashMap<&str, &super::proto::AttributeProto>) -> NodeProto {
    let mut out = node.clone();
    out.attribute = node
        .attribute
        .iter()
        .filter_map(|attribute| {
            if attribute.ref_attr_name.is_empty() {
                let mut attribute = attribute.clone();
                if let Some(graph) = &mut attribute.g {
                    graph.node = graph.node.iter().map(|inner| with_attributes(inner, given)).collect();
                }
                return Some(attribute);
            }
            let value = given.get(attribute.ref_attr_name.as_str())?;
            Some(super::proto::AttributeProto { name: attribute.name.clone(), ..(*value).clone() })
        })
        .collect();
    out
}

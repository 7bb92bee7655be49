//! What goes into a model and comes out of it: arguments and results of the graph's function.
//!
//! A sequence is as many arguments or results as it has elements: `NAME.0`, `NAME.1`, ….

use std::collections::{BTreeSet, HashMap, HashSet};

use fornax_graph::{Attr, AttrMap, Dim, Function, NewOp, OpKind, TensorType, Type, ValueId};

use super::converter::{Converter, Result};
use super::data;
use super::fixed::OnnxOptions;
use super::node::Item;
use super::proto::{DimensionProto, GraphProto, TensorTypeProto, TypeProto, ValueInfoProto};
use crate::{Diagnostic, NAME};

/// What an input is made of.
struct Input<'m> {
    name: &'m str,
    tensor: &'m TensorTypeProto,
    /// Elements, where it is a sequence.
    length: Option<usize>,
}

/// Sizes that inputs have by name, so far.
type Names = Vec<(String, Dim)>;

/// The name of a size: the file's, else `INPUT.AXIS`. Some exporters call every open size `?`.
fn size_name(input: &str, axis: usize, dim: &DimensionProto) -> String {
    let is_name = |name: &&str| name.chars().any(char::is_alphanumeric);
    let own = dim.dim_param.as_deref().filter(is_name).map(str::to_string);
    own.unwrap_or_else(|| format!("{input}.{axis}"))
}

/// Names of the open sizes of an input.
fn size_names(info: &ValueInfoProto) -> Vec<String> {
    let tensor = info.r#type.as_ref().and_then(|t| t.tensor_type.as_ref());
    let Some(shape) = tensor.and_then(|t| t.shape.as_ref()) else { return Vec::new() };
    let open = shape.dim.iter().enumerate().filter(|(_, dim)| dim.dim_value.is_none_or(|size| size < 0));
    open.map(|(axis, dim)| size_name(&info.name, axis, dim)).collect()
}

impl<'m> Converter<'m> {
    pub fn main(&mut self, graph: &'m GraphProto, how: &OnnxOptions) -> Result<()> {
        let initial: HashSet<&str> = graph.initializer.iter().map(|t| t.name.as_str()).collect();
        let given: HashSet<&str> = how.fixed_inputs.iter().map(|f| f.name.as_str()).collect();
        let mut inputs = Vec::new();
        for info in &graph.input {
            if !initial.contains(info.name.as_str()) && !given.contains(info.name.as_str()) {
                inputs.push(self.input(info, how)?);
            }
        }
        let (mut types, mut names) = (Vec::new(), Vec::new());
        let fixed = how.fixed_sizes.iter().map(|fixed| (fixed.name.clone(), Dim::Static(fixed.size)));
        let mut same: Names = fixed.collect();
        for input in &inputs {
            for k in 0..input.length.unwrap_or(1) {
                types.push(Type::Tensor(self.input_type(types.len(), input, &mut same)?));
                names.push(input.length.map_or(input.name.to_string(), |_| format!("{}.{k}", input.name)));
            }
        }
        let region = self.b.graph.add_region();
        self.b.block = self.b.graph.add_block(region, &types);
        self.b.entry = Some(self.b.block);
        let mut arguments = self.b.graph.block(self.b.block).arguments.clone().into_iter();
        let mut scope: HashMap<String, Item> = HashMap::new();
        for input in &inputs {
            let item = match input.length {
                Some(n) => Item::Sequence(arguments.by_ref().take(n).map(Item::from).collect()),
                None => arguments.next().map_or(Item::Nothing, Item::from),
            };
            if scope.insert(input.name.to_string(), item).is_some() {
                return Err(self.broken("two inputs have one name"));
            }
        }
        self.scopes.push(scope);
        self.fix(graph, how)?;
        let results = self.graph(graph)?;
        let (mut values, mut result_names) = (Vec::new(), Vec::new());
        for (output, item) in graph.output.iter().zip(results) {
            self.output(&output.name, &item, (&mut values, &mut result_names))?;
        }
        let result_types = values.iter().map(|&v| self.b.graph.ty(v).clone()).collect();
        self.b.push(NewOp::new(OpKind::FuncReturn, values, Vec::new(), self.b.location));
        let named = |name: String| AttrMap(vec![(NAME.to_string(), Attr::String(name))]);
        self.b.graph.functions.push(Function {
            name: "main".into(),
            private: false,
            argument_attrs: names.into_iter().map(named).collect(),
            result_types,
            result_attrs: result_names.into_iter().map(named).collect(),
            attrs: AttrMap::default(),
            body: Some(region),
            location: self.b.location,
        });
        Ok(())
    }

    fn refused(&self, name: &str, code: &'static str, what: impl AsRef<str>) -> Box<Diagnostic> {
        super::failed(code, self.file, format!("input \"{}\": {}", super::shown(name), what.as_ref()))
    }

    /// An optional input counts as given.
    fn input(&self, info: &'m ValueInfoProto, how: &OnnxOptions) -> Result<Input<'m>> {
        let mut ty: Option<&TypeProto> = info.r#type.as_ref();
        if let Some(inner) = ty.and_then(|t| t.optional_type.as_ref()) {
            ty = inner.elem_type.as_deref();
        }
        let mut length = None;
        if let Some(inner) = ty.and_then(|t| t.sequence_type.as_ref()) {
            ty = inner.elem_type.as_deref();
            let said = how.sequence_lengths.iter().find(|s| s.name == info.name);
            length = Some(said.map(|s| s.length).ok_or_else(|| {
                let what = format!("the length of the sequence must be given: --sequence-length={}=N", info.name);
                self.refused(&info.name, "FX1025", what)
            })?);
        }
        match ty.and_then(|t| t.tensor_type.as_ref()) {
            Some(tensor) => Ok(Input { name: &info.name, tensor, length }),
            None => Err(self.refused(&info.name, "FX1023", "only tensors and sequences of them can be inputs")),
        }
    }

    /// Inputs whose values are given are constants.
    fn fix(&mut self, graph: &GraphProto, how: &OnnxOptions) -> Result<()> {
        let failed = |(code, what): data::Fault| super::failed(code, self.file, what);
        let names = how.fixed_inputs.iter().map(|f| &f.name).chain(how.sequence_lengths.iter().map(|s| &s.name));
        for name in names {
            if !graph.input.iter().any(|input| input.name == *name) {
                let known: Vec<String> = graph.input.iter().map(|i| format!("\"{}\"", super::shown(&i.name))).collect();
                let what = format!("there is no input \"{}\"; known: {}", super::shown(name), known.join(", "));
                return Err(failed(("FX1027", what)));
            }
        }
        let sizes: BTreeSet<String> = graph.input.iter().flat_map(size_names).collect();
        if let Some(fixed) = how.fixed_sizes.iter().find(|fixed| !sizes.contains(&fixed.name)) {
            let known: Vec<String> = sizes.iter().map(|name| super::shown(name)).collect();
            let what = format!("no size is called \"{}\"; known: {}", super::shown(&fixed.name), known.join(", "));
            return Err(failed(("FX1027", what)));
        }
        for given in &how.fixed_inputs {
            let Some(input) = graph.input.iter().find(|input| input.name == given.name) else { continue };
            let constant = given.constant(input).map_err(failed)?;
            let value = self.b.constant(constant);
            self.define(&given.name, value.into());
        }
        Ok(())
    }

    fn output(&self, name: &str, item: &Item, (values, names): (&mut Vec<ValueId>, &mut Vec<String>)) -> Result<()> {
        match item {
            Item::Tensor(value) => {
                values.push(*value);
                names.push(name.to_string());
                Ok(())
            }
            Item::Sequence(items) => items
                .iter()
                .enumerate()
                .try_for_each(|(k, item)| self.output(&format!("{name}.{k}"), item, (values, names))),
            Item::Nothing => {
                let what = format!("output \"{}\" is an optional value without contents", super::shown(name));
                Err(super::failed("FX1023", self.file, what))
            }
        }
    }

    /// The type of an argument; sizes of one name are one, but for those of elements of sequences.
    fn input_type(&mut self, at: usize, input: &Input, same: &mut Names) -> Result<TensorType> {
        let element = data::element_of(input.tensor.elem_type.into());
        let element = element.map_err(|(code, what)| self.refused(input.name, code, what))?;
        let Some(sizes) = &input.tensor.shape else {
            return Err(self.refused(input.name, "FX1025", "its number of dimensions is not known"));
        };
        let mut shape = Vec::new();
        for (axis, dim) in sizes.dim.iter().enumerate() {
            let name = size_name(input.name, axis, dim);
            let known = same.iter().find(|(known, _)| *known == name).map(|&(_, size)| size);
            shape.push(match (dim.dim_value, known) {
                (Some(size), _) if size >= 0 => Dim::Static(size),
                (_, Some(Dim::Static(size))) => Dim::Static(size),
                // A negative size is one that is not known.
                (_, known) => {
                    let symbol = format!("arg{at}_{axis}");
                    let size = self.b.graph.argument_dim(at as u32, axis as u32, &symbol, (0, i64::MAX));
                    let title = format!("input \"{}\"", super::shown(input.name));
                    let known = known.filter(|_| input.length.is_none());
                    let size = known.and_then(|known| self.b.unify(known, size, &title)).unwrap_or(size);
                    if input.length.is_none() {
                        same.push((name, size));
                    }
                    size
                }
            });
        }
        Ok(TensorType { shape, element, encoding: None })
    }
}

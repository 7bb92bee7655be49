//! Graphs as StableHLO text: pretty forms by the op table, generic forms for the rest, so that what is printed can be
//! imported again.
//!
//! Values are numbered per function (`%arg0`, `%0`, `%1:2`); regions are indented. Text that another tool shall read
//! needs the default options: `elide_above` leaves out data.

mod attributes;
mod constants;
mod custom;
mod pretty;
mod types;

pub use attributes::float_text;

use crate::attr::{Attr, AttrMap};
use crate::graph::{Block, BlockId, Function, Graph, Op, OpId, RegionId, ValueId};
use crate::location::LocId;
use crate::op::OpKind;
use crate::ops::row;
use crate::types::Type;

/// How to print.
#[derive(Clone, Debug)]
pub struct PrintOptions {
    /// Write `loc(…)` after ops that have a named location.
    pub locations: bool,
    /// Constants with more elements are written as a hex string.
    pub hex_above: usize,
    /// Constants with more elements are left out (`dense_resource<__elided__>`); such text cannot be imported again.
    pub elide_above: Option<usize>,
}

impl Default for PrintOptions {
    fn default() -> Self {
        PrintOptions { locations: false, hex_above: 100, elide_above: None }
    }
}

/// The graph as text that `import_text` reads back to an equal graph.
pub fn print(graph: &Graph) -> String {
    print_with(graph, &PrintOptions::default())
}

/// The graph as text.
pub fn print_with(graph: &Graph, options: &PrintOptions) -> String {
    let mut printer = Printer::new(graph, options);
    printer.module();
    printer.out
}

/// Name of a value once its definition is printed.
#[derive(Clone, Copy, Default)]
enum Name {
    #[default]
    None,
    Argument(u32),
    /// `%n`, or `%n#i` of an op with several results.
    Result(u32, Option<u32>),
}

pub(crate) struct Printer<'g> {
    graph: &'g Graph,
    options: &'g PrintOptions,
    out: String,
    indent: usize,
    names: Vec<Name>,
    next_argument: u32,
    next_result: u32,
}

impl<'g> Printer<'g> {
    fn new(graph: &'g Graph, options: &'g PrintOptions) -> Printer<'g> {
        Printer {
            graph,
            options,
            out: String::new(),
            indent: 0,
            names: vec![Name::None; graph.values.len()],
            next_argument: 0,
            next_result: 0,
        }
    }

    fn push(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn newline(&mut self) {
        self.out.push('\n');
        for _ in 0..self.indent {
            self.out.push_str("  ");
        }
    }

    fn ty(&mut self, ty: &Type) {
        self.graph.write_type(&mut self.out, ty);
    }

    fn module(&mut self) {
        let graph = self.graph;
        self.push("module");
        if let Some(name) = &graph.name {
            self.push(" ");
            self.symbol(name);
        }
        let attrs = self.module_attrs();
        if !attrs.is_empty() {
            self.push(" attributes ");
            self.attr_dict(&attrs);
        }
        self.push(" {");
        self.indent += 1;
        for op in &graph.module_ops {
            self.newline();
            self.push(op);
        }
        for function in &graph.functions {
            self.newline();
            self.function(function);
        }
        self.indent -= 1;
        self.push("\n}\n");
    }

    /// The module's attributes, with the table of sizes known at run time.
    fn module_attrs(&self) -> AttrMap {
        let mut attrs = self.graph.attrs.clone();
        let texts = |items: Vec<String>| Attr::Array(items.into_iter().map(Attr::String).collect());
        let declarations = self.graph.dim_declarations();
        if !declarations.is_empty() {
            attrs.set("fornax.dims", texts(declarations));
        }
        let checks = self.graph.dim_checks.iter().map(|check| texts(self.graph.dim_check_parts(check).to_vec()));
        if !self.graph.dim_checks.is_empty() {
            attrs.set("fornax.dim_checks", Attr::Array(checks.collect()));
        }
        attrs
    }

    fn function(&mut self, function: &Function) {
        self.next_argument = 0;
        self.next_result = 0;
        self.push("func.func ");
        self.push(if function.private { "private " } else { "public " });
        self.symbol(&function.name);
        self.push("(");
        let entry = self.graph.entry(function);
        match entry {
            Some(block) => {
                for (i, &argument) in self.graph.block(block).arguments.iter().enumerate() {
                    self.comma(i);
                    self.name_argument(argument);
                    self.typed_value(argument);
                    let mut attrs = function.argument_attrs.get(i).cloned().unwrap_or_default();
                    if let Some(names) = self.read_sizes(argument) {
                        attrs.set("fornax.dim", names);
                    }
                    self.trailing_dict(Some(&attrs));
                }
            }
            None => {
                if let Some(Attr::Type(Type::Function { inputs, .. })) = function.attrs.get("function_type") {
                    for (i, ty) in inputs.iter().enumerate() {
                        self.comma(i);
                        self.ty(ty);
                        self.trailing_dict(function.argument_attrs.get(i));
                    }
                }
            }
        }
        self.push(")");
        self.function_results(function);
        let attrs = self.function_attrs(function);
        if !attrs.is_empty() {
            self.push(" attributes ");
            self.attr_dict(&attrs);
        }
        if let Some(body) = function.body {
            self.push(" {");
            self.region_body(body, false);
            self.push("}");
        }
        self.location(function.location);
    }

    /// What the host reads from a value: the name of a size, or the list of several.
    fn read_sizes(&self, value: ValueId) -> Option<Attr> {
        let mut names: Vec<Attr> = self.graph.dims_of_value(value).map(|name| Attr::String(name.into())).collect();
        let last = names.pop()?;
        if names.is_empty() {
            return Some(last);
        }
        names.push(last);
        Some(Attr::Array(names))
    }

    fn function_attrs(&self, function: &Function) -> AttrMap {
        let mut attrs = function.attrs.clone();
        if function.body.is_none() {
            attrs.remove("function_type");
        }
        attrs
    }

    fn function_results(&mut self, function: &Function) {
        if function.result_types.is_empty() {
            return;
        }
        self.push(" -> ");
        let bare = function.result_attrs.iter().all(AttrMap::is_empty);
        if bare && function.result_types.len() == 1 {
            return self.graph.write_results(&mut self.out, &function.result_types);
        }
        self.push("(");
        for (i, ty) in function.result_types.iter().enumerate() {
            self.comma(i);
            self.ty(ty);
            self.trailing_dict(function.result_attrs.get(i));
        }
        self.push(")");
    }

    fn trailing_dict(&mut self, attrs: Option<&AttrMap>) {
        if let Some(attrs) = attrs.filter(|a| !a.is_empty()) {
            self.push(" ");
            self.attr_dict(attrs);
        }
    }

    fn comma(&mut self, i: usize) {
        if i > 0 {
            self.push(", ");
        }
    }

    // Values.

    fn name_argument(&mut self, value: ValueId) {
        let name = Name::Argument(self.next_argument);
        self.next_argument += 1;
        self.set_name(value, name);
    }

    fn set_name(&mut self, value: ValueId, name: Name) {
        if let Some(slot) = self.names.get_mut(value.index()) {
            *slot = name;
        }
    }

    fn value(&mut self, value: ValueId) {
        let text = match self.names.get(value.index()).copied().unwrap_or_default() {
            Name::None => format!("%v{}", value.0),
            Name::Argument(n) => format!("%arg{n}"),
            Name::Result(n, None) => format!("%{n}"),
            Name::Result(n, Some(i)) => format!("%{n}#{i}"),
        };
        self.push(&text);
    }

    fn typed_value(&mut self, value: ValueId) {
        self.value(value);
        self.push(": ");
        self.ty(self.graph.ty(value));
    }

    fn values(&mut self, values: &[ValueId]) {
        for (i, &value) in values.iter().enumerate() {
            self.comma(i);
            self.value(value);
        }
    }

    fn value_types(&mut self, values: &[ValueId]) {
        for (i, &value) in values.iter().enumerate() {
            self.comma(i);
            self.ty(self.graph.ty(value));
        }
    }

    fn value_results(&mut self, values: &[ValueId]) {
        let types: Vec<Type> = values.iter().map(|&v| self.graph.ty(v).clone()).collect();
        self.graph.write_results(&mut self.out, &types);
    }

    // Regions and ops.

    /// `{ … }`; the header of the first block is left out when `arguments` names them outside.
    fn region(&mut self, region: RegionId, header: bool) {
        self.push("{");
        self.region_body(region, header);
        self.push("}");
    }

    fn region_body(&mut self, region: RegionId, header: bool) {
        let blocks = &self.graph.region(region).blocks;
        for (i, &id) in blocks.iter().enumerate() {
            let block = self.graph.block(id);
            let needed = i > 0 || (header && (!block.arguments.is_empty() || block.ops.is_empty()));
            if needed {
                self.block_header(i, block);
            }
            self.block_ops(id);
        }
        self.newline();
    }

    fn block_header(&mut self, i: usize, block: &Block) {
        self.newline();
        self.push(&format!("^bb{i}"));
        if !block.arguments.is_empty() {
            self.push("(");
            for (i, &argument) in block.arguments.iter().enumerate() {
                self.comma(i);
                self.name_argument(argument);
                self.typed_value(argument);
            }
            self.push(")");
        }
        self.push(":");
    }

    fn block_ops(&mut self, block: BlockId) {
        self.indent += 1;
        for &op in &self.graph.block(block).ops {
            self.newline();
            self.op(op);
        }
        self.indent -= 1;
    }

    fn op(&mut self, id: OpId) {
        let op = self.graph.op(id);
        // A scalar that the host reads as a size says which.
        let read = match op.results[..] {
            [result] if op.kind != OpKind::While => self.read_sizes(result).map(|names| ("fornax.dim", names)),
            _ => Some(self.graph.op_sizes(id))
                .filter(|lines| !lines.is_empty())
                .map(|lines| ("fornax.sizes", Attr::Array(lines.into_iter().map(Attr::String).collect()))),
        };
        let named = read.map(|(key, names)| {
            let mut op = op.clone();
            op.attrs.set(key, names);
            op
        });
        let op = named.as_ref().unwrap_or(op);
        // Results are numbered before the regions of the op, as they are read.
        if !op.results.is_empty() {
            let n = self.next_result;
            self.next_result += 1;
            let several = op.results.len() > 1;
            for (i, &result) in (0..).zip(&op.results) {
                self.set_name(result, Name::Result(n, several.then_some(i)));
            }
            match several {
                true => self.push(&format!("%{n}:{} = ", op.results.len())),
                false => self.push(&format!("%{n} = ")),
            }
        }
        if self.is_pretty(op) {
            self.pretty_op(op);
        } else {
            self.generic_op(op);
        }
        self.location(op.location);
    }

    /// `"name"(%a) <{properties}> ({regions}) {attributes} : (types) -> types`
    fn generic_op(&mut self, op: &Op) {
        self.push("\"");
        self.push(if op.kind == OpKind::Unregistered { &op.name } else { op.kind.name() });
        self.push("\"(");
        self.values(&op.operands);
        self.push(")");
        let row = row(op.kind);
        let (properties, others): (Vec<_>, Vec<_>) = op.attrs.0.iter().partition(|(name, _)| row.attr(name).is_some());
        if !properties.is_empty() {
            self.push(" <{");
            self.op_attrs(op, &properties);
            self.push("}>");
        }
        if !op.regions.is_empty() {
            self.push(" (");
            for (i, &region) in op.regions.iter().enumerate() {
                self.comma(i);
                self.region(region, true);
            }
            self.push(")");
        }
        if !others.is_empty() {
            self.push(" {");
            self.op_attrs(op, &others);
            self.push("}");
        }
        self.push(" : ");
        self.functional_type(op);
    }

    fn functional_type(&mut self, op: &Op) {
        self.push("(");
        self.value_types(&op.operands);
        self.push(") -> ");
        self.value_results(&op.results);
    }

    fn location(&mut self, id: LocId) {
        if !self.options.locations {
            return;
        }
        if let Some(name) = self.graph.locations.get(id).name.clone() {
            self.push(" loc(");
            self.push(&name);
            self.push(")");
        }
    }
}

//! Walks the parsed file and makes the graph: functions, blocks, and one rule an op.
//!
//! Values of the file map to values of the graph one to one: scalars are tensors of rank 0, `index` is i64. A rule
//! gives as many values as the op has results; their types are compared with those of the file, so that a rule that
//! does not hold is an error and not wrong numbers.

use std::collections::HashMap;

use fornax_graph::{
    Attr, AttrMap, BlockId, Constant, Dim, ElementType, Function, Graph, LocId, Location, NewOp, Op, OpKind, RegionId,
    TensorType, Type, ValueId,
};

use super::build::{Builder, Number, tensor_type};
use super::rounds::Counter;
use super::sizes::integer;
use super::{TABLES, scalars};
use crate::diagnostic::Diagnostic;
use crate::stablehlo::parse_attributes;

pub type Result<T> = std::result::Result<T, Box<Diagnostic>>;

/// A rule: the op's results.
pub type Rule = fn(&mut Converter, &Op) -> Result<Vec<ValueId>>;

/// The name under which MLIR knows text that it is given in memory.
const BUFFER_NAME: &str = "\"-\":";

pub struct Converter<'r> {
    pub raw: &'r Graph,
    pub b: Builder,
    /// From values of the file to values of the graph.
    pub values: HashMap<ValueId, ValueId>,
    /// Contents of globals and variables, as they are at the op that is read.
    pub globals: HashMap<String, ValueId>,
    initial: HashMap<String, Constant>,
    /// Sizes of TOSA's shapes.
    pub shapes: HashMap<ValueId, Vec<Dim>>,
    /// Lists of sizes and the scalars that they are made of.
    pub lists: HashMap<ValueId, Vec<ValueId>>,
    /// Whether StableHLO's ops stand among the others, whose sizes are worked out later.
    mixed: bool,
    /// Regions of control flow around the op that is read.
    pub depth: usize,
    /// Counted loops around the op that is read.
    pub counters: Vec<Counter>,
    /// Whether an op was refused for a size that is not the same in every round.
    pub size_differs: bool,
    /// Rounds of loops that were written out so far.
    pub written_out: i64,
    /// Ops of the graphs that were kept to go back to so far.
    pub kept_aside: usize,
    locations: HashMap<LocId, LocId>,
    file: &'r str,
    source: &'r str,
}

pub fn convert(raw: &Graph, source: &str, file: &str) -> Result<Graph> {
    let graph = Graph { name: raw.name.clone(), ..Graph::default() };
    converted(raw, graph, (source, file), false)
}

/// A graph of StableHLO with other ops in it: attributes, constants and types of the file stay.
pub fn convert_mixed(raw: &Graph, source: &str, file: &str) -> Result<Graph> {
    let graph = Graph {
        name: raw.name.clone(),
        attrs: raw.attrs.clone(),
        module_ops: raw.module_ops.clone(),
        quantized: raw.quantized.clone(),
        constants: raw.constants.clone(),
        dims: raw.dims.clone(),
        dim_checks: raw.dim_checks.clone(),
        ..Graph::default()
    };
    converted(raw, graph, (source, file), true)
}

fn converted(raw: &Graph, mut graph: Graph, (source, file): (&str, &str), mixed: bool) -> Result<Graph> {
    graph.locations.file = file.to_string();
    let mut converter = Converter {
        raw,
        b: Builder::new(graph),
        values: HashMap::new(),
        globals: HashMap::new(),
        initial: HashMap::new(),
        shapes: HashMap::new(),
        lists: HashMap::new(),
        mixed,
        depth: 0,
        counters: Vec::new(),
        size_differs: false,
        written_out: 0,
        kept_aside: 0,
        locations: HashMap::new(),
        file,
        source,
    };
    let entry = if mixed { usize::MAX } else { entry_of(raw) };
    for text in &raw.module_ops {
        converter.declare(text)?;
    }
    for (at, function) in raw.functions.iter().enumerate() {
        converter.function(function, at == entry)?;
    }
    let Builder { mut graph, mut equal, .. } = converter.b;
    equal.keep_checks(&mut graph);
    Ok(graph)
}

/// `@main`, else the first public function, else the first: the one whose arguments may have sizes of run time.
fn entry_of(raw: &Graph) -> usize {
    let at = |found: &dyn Fn(&Function) -> bool| raw.functions.iter().position(|f| f.body.is_some() && found(f));
    at(&|f| f.name == "main").or_else(|| at(&|f| !f.private)).or_else(|| at(&|_| true)).unwrap_or(0)
}

impl<'r> Converter<'r> {
    /// `"ml_program.global"() <{…}> …` and `"tosa.variable"() <{…}> …`; other ops of modules mean nothing here.
    fn declare(&mut self, text: &str) -> Result<()> {
        let known = ["\"ml_program.global\"()", "\"tosa.variable\"()"];
        let Some(rest) = known.iter().find_map(|name| text.strip_prefix(name)) else { return Ok(()) };
        let rest = rest.trim_start().strip_prefix('<').unwrap_or("");
        let (attrs, constants) = parse_attributes(rest, self.file)?;
        let value = attrs.get("value").or_else(|| attrs.get("initial_value"));
        if let (Some(name), Some(Attr::Dense(id))) = (attrs.str("sym_name"), value)
            && let Some(constant) = constants.get(id.index())
        {
            self.initial.insert(name.to_string(), constant.clone());
        }
        Ok(())
    }

    fn function(&mut self, function: &Function, is_entry: bool) -> Result<()> {
        self.b.location = self.locate(function.location);
        let result_types: Vec<Type>;
        let mut attrs = function.attrs.clone();
        attrs.0.retain(|(name, _)| name != "llvm.emit_c_interface");
        let body = match function.body.and_then(|body| self.raw.region(body).blocks.first().copied()) {
            Some(block) => {
                let arguments: Vec<Type> =
                    self.raw.block(block).arguments.iter().map(|&a| self.raw.ty(a).clone()).collect();
                let arguments = if is_entry { self.with_symbols(arguments) } else { arguments };
                let arguments = self.types(&arguments, function.location)?;
                let region = self.b.graph.add_region();
                self.b.block = self.b.graph.add_block(region, &arguments);
                self.b.entry = Some(self.b.block);
                let arguments = self.b.graph.block(self.b.block).arguments.clone();
                self.globals.clear();
                let results = self.block(block, &arguments)?;
                result_types = results.iter().map(|&v| self.b.graph.ty(v).clone()).collect();
                self.b.push(NewOp::new(OpKind::FuncReturn, results, Vec::new(), self.b.location));
                self.fit_results(function, &result_types)?;
                Some(region)
            }
            None => {
                result_types = self.types(&function.result_types, function.location)?;
                if let Some(Attr::Type(Type::Function { inputs, .. })) = function.attrs.get("function_type") {
                    let inputs = self.types(inputs, function.location)?;
                    let ty = Type::Function { inputs, results: result_types.clone() };
                    attrs.set("function_type", Attr::Type(ty));
                }
                None
            }
        };
        let location = self.locate(function.location);
        self.b.graph.functions.push(Function {
            name: function.name.clone(),
            private: function.private,
            argument_attrs: function.argument_attrs.clone(),
            result_types,
            result_attrs: function.result_attrs.clone(),
            attrs,
            body,
            location,
        });
        Ok(())
    }

    /// The arguments' types with a symbol for each size that is open.
    fn with_symbols(&mut self, mut types: Vec<Type>) -> Vec<Type> {
        for (at, ty) in (0u32..).zip(&mut types) {
            let Type::Tensor(tensor) = ty else { continue };
            for (axis, dim) in (0u32..).zip(&mut tensor.shape) {
                if *dim == Dim::Symbolic(0) {
                    *dim = self.b.graph.argument_dim(at, axis, &format!("arg{at}_{axis}"), (0, i64::MAX));
                }
            }
        }
        types
    }

    /// What a function returns has the types that it says, whose open sizes are any.
    fn fit_results(&self, function: &Function, made: &[Type]) -> Result<()> {
        let fitting = |(ty, made): (&Type, &Type)| made.as_tensor().is_none_or(|made| fits(ty, made));
        if function.result_types.len() == made.len() && function.result_types.iter().zip(made).all(fitting) {
            return Ok(());
        }
        let message = format!("`@{}` does not return what its type says", function.name);
        Err(self.error_at("FX0134", function.location, message))
    }

    pub fn types(&mut self, types: &[Type], location: LocId) -> Result<Vec<Type>> {
        let sized = |t: &TensorType| t.static_shape().is_none() && (self.mixed || t.is_sized());
        let convert = |ty: &Type| match tensor_type(ty) {
            Some(t) => Ok(Type::Tensor(t)),
            None if ty.as_tensor().is_some_and(sized) => {
                let (shape, encoding) =
                    ty.as_tensor().map(|t| (t.shape.clone(), t.encoding.clone())).unwrap_or_default();
                match element_of(ty) {
                    Some(element) => Ok(Type::Tensor(TensorType { shape, element, encoding })),
                    None => Err(self.unsupported_type(ty, location)),
                }
            }
            None if self.mixed && matches!(ty, Type::Tuple(_) | Type::Token) => Ok(ty.clone()),
            None => Err(self.unsupported_type(ty, location)),
        };
        types.iter().map(convert).collect()
    }

    fn unsupported_type(&self, ty: &Type, location: LocId) -> Box<Diagnostic> {
        let text = self.raw.type_text(ty);
        let (why, hint) = if text.contains('?') || text.contains('*') {
            (
                "a size is known neither as a number nor as one of the entry function's arguments",
                "export with static shapes, or export StableHLO",
            )
        } else {
            ("only tensors and numbers are supported", "")
        };
        let error = self.error_at("FX0133", location, format!("type `{text}` cannot be imported: {why}"));
        if hint.is_empty() { error } else { Box::new(error.hint(hint)) }
    }

    /// The ops of a block, its arguments given; what its last op hands back.
    pub fn block(&mut self, block: BlockId, arguments: &[ValueId]) -> Result<Vec<ValueId>> {
        let raw = self.raw;
        for (&inner, &value) in raw.block(block).arguments.iter().zip(arguments) {
            self.values.insert(inner, value);
        }
        for &id in &raw.block(block).ops {
            let op = raw.op(id);
            if is_terminator(op) {
                self.b.location = self.locate(op.location);
                return self.operands(op);
            }
            self.op(op)?;
        }
        Ok(Vec::new())
    }

    /// The only block of an op's region.
    pub fn region_block(&self, op: &Op, index: usize) -> Result<BlockId> {
        let blocks = op.regions.get(index).map(|&r| self.raw.region(r).blocks.as_slice());
        match blocks {
            Some([block]) => Ok(*block),
            _ => Err(self.malformed(op, format!("region {index} must have one block"))),
        }
    }

    pub fn op(&mut self, op: &Op) -> Result<()> {
        self.b.location = self.locate(op.location);
        let results = self.results(op)?;
        if results.len() != op.results.len() {
            return Err(
                self.malformed(op, format!("{} results were expected, not {}", results.len(), op.results.len()))
            );
        }
        for (&raw, &value) in op.results.iter().zip(&results) {
            let ty = self.raw.ty(raw);
            // Shapes and tokens of TOSA have no tensor.
            if let Type::Tensor(made) = self.b.graph.ty(value)
                && !fits(ty, made)
            {
                let made = self.b.graph.type_text(&Type::Tensor(made.clone()));
                let message = format!("the result would have type `{made}`, not `{}`", self.raw.type_text(ty));
                return Err(self.malformed(op, message));
            }
            self.values.insert(raw, value);
        }
        Ok(())
    }

    fn results(&mut self, op: &Op) -> Result<Vec<ValueId>> {
        match op.kind {
            OpKind::Constant => self.constant(op).map(|v| vec![v]),
            OpKind::FuncCall => {
                let operands = self.operands(op)?;
                let types: Vec<Type> = op.results.iter().map(|&r| self.raw.ty(r).clone()).collect();
                let types = self.types(&types, op.location)?;
                let mut call = NewOp::new(OpKind::FuncCall, operands, types, self.b.location);
                call.attrs = op.attrs.clone();
                Ok(self.b.push(call))
            }
            OpKind::Unregistered => self.foreign(op),
            _ if self.mixed => self.copied(op),
            kind => Err(self.unsupported(op, format!("`{}` among ops of other dialects", kind.name()))),
        }
    }

    fn foreign(&mut self, op: &Op) -> Result<Vec<ValueId>> {
        for table in TABLES {
            if let Some((_, rule)) = table.iter().find(|(name, _)| *name == op.name) {
                return rule(self, op);
            }
        }
        let rounding = self.keyword(&op.attrs, "roundingmode");
        if !matches!(rounding, "" | "to_nearest_even") {
            return Err(
                self.unsupported(op, format!("it rounds `{rounding}`, and only `to_nearest_even` is supported"))
            );
        }
        let operands = self.operands(op)?;
        let element = op.results.first().and_then(|&r| element_of(self.raw.ty(r)));
        if let Some(value) = element.and_then(|to| scalars::emit(&mut self.b, op, &operands, to)) {
            return Ok(vec![value]);
        }
        if op.name == "tosa.custom" {
            let said = |name: &str| op.attrs.str(name).unwrap_or_default().to_string();
            let why = format!(
                "operator `{}` of domain `{}` has a meaning of its own, and none is known",
                said("operator_name"),
                said("domain_name")
            );
            let hint = "export the model with this operator decomposed into ops of TOSA, or as StableHLO";
            return Err(Box::new(self.unsupported(op, why).hint(hint)));
        }
        let known = TABLES.iter().flat_map(|t| t.iter().map(|(name, _)| *name)).chain(scalars::names());
        let error = self.unsupported(op, "there is no rule for it".into());
        Err(match fornax_graph::ops::nearest(&op.name, known) {
            Some(near) if near != op.name => {
                Box::new(error.hint(format!("the nearest op that is supported is `{near}`")))
            }
            _ => error,
        })
    }

    pub fn constant(&mut self, op: &Op) -> Result<ValueId> {
        let ty = op.results.first().and_then(|&r| tensor_type(self.raw.ty(r)));
        let Some(ty) = ty else { return Err(self.unsupported(op, "a constant of this type".into())) };
        match op.attrs.get("value") {
            Some(Attr::Dense(id)) => Ok(self.dense(*id, ty)),
            Some(value) => match scalars::number_of(value) {
                Some(number) => Ok(self.b.splat(&[], ty.element, number)),
                None => Err(self.malformed(op, "`value` is not a number".into())),
            },
            None => Err(self.malformed(op, "`value` is missing".into())),
        }
    }

    /// A constant of the file, whose bytes are shared.
    pub fn dense(&mut self, id: fornax_graph::ConstId, ty: TensorType) -> ValueId {
        let storage = self.raw.constant(id).storage.clone();
        self.b.constant(Constant { ty, storage })
    }

    /// The contents of a global.
    pub fn global(&mut self, op: &Op, name: &str) -> Result<ValueId> {
        if let Some(&value) = self.globals.get(name) {
            return Ok(value);
        }
        let Some(constant) = self.initial.get(name).cloned() else {
            return Err(self.unsupported(op, format!("`@{name}` has no initial value")));
        };
        Ok(self.b.constant(constant))
    }

    /// A region of StableHLO's control flow, which sees all values outside.
    pub fn region(
        &mut self,
        arguments: &[Type],
        fill: impl FnOnce(&mut Self, &[ValueId]) -> Result<Vec<ValueId>>,
    ) -> Result<RegionId> {
        let region = self.b.graph.add_region();
        let block = self.b.graph.add_block(region, arguments);
        let outer = (std::mem::replace(&mut self.b.block, block), self.b.location);
        self.depth += 1;
        let arguments = self.b.graph.block(block).arguments.clone();
        let results = fill(self, &arguments)?;
        self.b.location = outer.1;
        self.b.push(NewOp::new(OpKind::Return, results, Vec::new(), outer.1));
        self.b.block = outer.0;
        self.depth -= 1;
        Ok(region)
    }

    // Operands and attributes.

    pub fn value(&self, op: &Op, raw: ValueId) -> Result<ValueId> {
        match self.values.get(&raw) {
            Some(&value) => Ok(value),
            None => Err(self.unsupported(op, "an operand of this kind".into())),
        }
    }

    pub fn operand(&self, op: &Op, index: usize) -> Result<ValueId> {
        match op.operands.get(index) {
            Some(&raw) => self.value(op, raw),
            None => Err(self.malformed(op, format!("operand {index} is missing"))),
        }
    }

    pub fn operands(&self, op: &Op) -> Result<Vec<ValueId>> {
        op.operands.iter().map(|&raw| self.value(op, raw)).collect()
    }

    /// The operands in the segments of `operandSegmentSizes`.
    pub fn segments<'o>(&self, op: &'o Op, n: usize) -> Result<Vec<&'o [ValueId]>> {
        let sizes = op.attrs.ints("operandSegmentSizes").unwrap_or_default();
        let (mut rest, mut parts) = (op.operands.as_slice(), Vec::new());
        for size in sizes.iter().map(|&s| usize::try_from(s).unwrap_or(usize::MAX)) {
            if size > rest.len() {
                return Err(self.malformed(op, "`operandSegmentSizes` does not fit the operands".into()));
            }
            let (part, behind) = rest.split_at(size);
            parts.push(part);
            rest = behind;
        }
        if parts.len() != n || !rest.is_empty() {
            return Err(self.malformed(op, "`operandSegmentSizes` does not fit the operands".into()));
        }
        Ok(parts)
    }

    pub fn result_type(&self, op: &Op, index: usize) -> Result<TensorType> {
        let ty = op.results.get(index).and_then(|&r| tensor_type(self.raw.ty(r)));
        ty.ok_or_else(|| match op.results.get(index) {
            Some(&result) => self.unsupported_type(self.raw.ty(result), op.location),
            None => self.malformed(op, format!("result {index} is missing")),
        })
    }

    /// The shape that a result's type says, open sizes as `?`.
    pub fn result_shape(&self, op: &Op, index: usize) -> Result<Vec<Dim>> {
        let Some(&result) = op.results.get(index) else {
            return Err(self.malformed(op, format!("result {index} is missing")));
        };
        match self.raw.ty(result) {
            Type::Tensor(tensor) => Ok(tensor.shape.clone()),
            Type::Scalar(_) => Ok(Vec::new()),
            other => Err(self.unsupported_type(other, op.location)),
        }
    }

    /// The element type of a result.
    pub fn result_element(&self, op: &Op, index: usize) -> Result<ElementType> {
        match op.results.get(index) {
            Some(&result) => {
                element_of(self.raw.ty(result)).ok_or_else(|| self.unsupported_type(self.raw.ty(result), op.location))
            }
            None => Err(self.malformed(op, format!("result {index} is missing"))),
        }
    }

    pub fn ints(&self, op: &Op, name: &str) -> Result<Vec<i64>> {
        op.attrs.ints(name).ok_or_else(|| self.malformed(op, format!("`{name}` must be a list of integers")))
    }

    /// A list of `n` integers.
    pub fn ints_of(&self, op: &Op, name: &str, n: usize) -> Result<Vec<i64>> {
        let list = self.ints(op, name)?;
        if list.len() == n { Ok(list) } else { Err(self.malformed(op, format!("`{name}` must have {n} entries"))) }
    }

    pub fn int(&self, op: &Op, name: &str) -> Result<i64> {
        op.attrs.int(name).ok_or_else(|| self.malformed(op, format!("`{name}` must be an integer")))
    }

    /// A dimension of an operand or result of the given rank.
    pub fn dimension(&self, op: &Op, name: &str, rank: usize) -> Result<usize> {
        let value = self.int(op, name)?;
        match usize::try_from(value) {
            Ok(d) if d < rank => Ok(d),
            _ => Err(self.malformed(op, format!("`{name}` = {value} is not a dimension of rank {rank}"))),
        }
    }

    /// `#dialect.mnemonic<KEYWORD>` → `KEYWORD`; "" when it is absent.
    pub fn keyword<'o>(&self, attrs: &'o AttrMap, name: &str) -> &'o str {
        match attrs.get(name) {
            Some(Attr::Opaque(text)) => text.split_once('<').map_or("", |(_, t)| t.trim_end_matches('>').trim()),
            Some(Attr::Enum(_, keyword)) => keyword,
            _ => "",
        }
    }

    /// The numbers of a constant of the file, as integers.
    pub fn known_ints(&self, raw: ValueId) -> Option<Vec<i64>> {
        const MAX_ELEMENTS: i64 = 1 << 16;
        let op = self.raw.op(self.raw.producer(raw)?);
        match op.attrs.get("value").or_else(|| op.attrs.get("values"))? {
            Attr::Dense(id) => {
                let constant = self.raw.constant(*id);
                let element = constant.ty.element;
                let fits = element.is_integer() || element == ElementType::I1;
                if !fits || constant.ty.elements()? > MAX_ELEMENTS {
                    return None;
                }
                Some(constant.to_bytes().chunks_exact(element.storage_bytes()).map(|c| integer(c, element)).collect())
            }
            other => Some(vec![other.as_int()?]),
        }
    }

    pub fn zeros(&mut self, shape: &[Dim], element: ElementType) -> ValueId {
        self.b.splat(shape, element, Number::Int(0))
    }

    // Places and errors.

    /// The place of an op in the graph: the line of the file where MLIR knows it, else the name it has there.
    fn locate(&mut self, raw: LocId) -> LocId {
        if let Some(&known) = self.locations.get(&raw) {
            return known;
        }
        let location = self.place(raw);
        let id = self.b.graph.locations.add(location);
        self.locations.insert(raw, id);
        id
    }

    fn place(&self, raw: LocId) -> Location {
        if self.mixed {
            return self.raw.locations.get(raw).clone();
        }
        let given = self.raw.locations.get(raw).name.clone().unwrap_or_default();
        let numbers = given.strip_prefix(BUFFER_NAME).and_then(|rest| {
            let (line, rest) = rest.split_once(':')?;
            let column = rest.split(|c: char| !c.is_ascii_digit()).next()?;
            Some((line.parse().ok()?, column.parse().ok()?))
        });
        match numbers {
            Some((line, column)) => Location { line, column, name: None },
            None => Location { line: 0, column: 0, name: Some(given).filter(|g| !g.is_empty()) },
        }
    }

    fn error_at(&self, code: &'static str, location: LocId, message: String) -> Box<Diagnostic> {
        let place = self.place(location);
        let mut error = Diagnostic::at_line(code, self.file, self.source, (place.line, place.column), message);
        error.note = place.name;
        Box::new(error)
    }

    /// The op is fine, but there is no way to compile it.
    pub fn unsupported(&self, op: &Op, what: String) -> Box<Diagnostic> {
        self.error_at("FX0132", op.location, format!("`{}` cannot be imported: {what}", name_of(op)))
    }

    /// The op is not what its dialect says.
    pub fn malformed(&self, op: &Op, what: String) -> Box<Diagnostic> {
        self.error_at("FX0134", op.location, format!("`{}`: {what}", name_of(op)))
    }
}

/// Whether a tensor has the type of the file, whose open sizes are any.
fn fits(ty: &Type, made: &TensorType) -> bool {
    match ty {
        Type::Tensor(t) => {
            let same = |(a, b): (&Dim, &Dim)| matches!(a, Dim::Symbolic(_)) || a == b;
            element_of(ty) == Some(made.element) && t.rank() == made.rank() && t.shape.iter().zip(&made.shape).all(same)
        }
        Type::Unranked(_) => false,
        other => tensor_type(other).is_none_or(|t| t == *made),
    }
}

/// The element type that a value has in the graph.
pub fn element_of(ty: &Type) -> Option<ElementType> {
    match ty {
        Type::Tensor(t) => tensor_type(&Type::Scalar(t.element)).map(|t| t.element),
        other => tensor_type(other).map(|t| t.element),
    }
}

pub fn name_of(op: &Op) -> &str {
    if op.kind == OpKind::Unregistered { &op.name } else { op.kind.name() }
}

pub fn is_terminator(op: &Op) -> bool {
    let others = ["scf.yield", "scf.condition", "tosa.yield", "ml_program.return", "shape.assuming_yield"];
    matches!(op.kind, OpKind::FuncReturn | OpKind::Return) || others.contains(&op.name.as_str())
}

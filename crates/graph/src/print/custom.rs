//! Pretty forms with code of their own: the counterpart of the importer's `custom`.

use fornax_types::ElementType;

use super::Printer;
use super::pretty::field_ints;
use crate::attr::Attr;
use crate::graph::{Op, RegionId, ValueId};
use crate::op::OpKind;
use crate::ops::{Arity, Custom, Trait, row};
use crate::types::Type;

/// (keyword, attribute) of `window = {…}`.
const WINDOW: &[(&str, &str)] = &[
    ("stride", "window_strides"),
    ("pad", "padding"),
    ("lhs_dilate", "lhs_dilation"),
    ("rhs_dilate", "rhs_dilation"),
    ("reverse", "window_reversal"),
];

impl Printer<'_> {
    pub(super) fn custom_fits(&self, op: &Op, custom: Custom) -> bool {
        let list = |name: &str| matches!(op.attrs.get(name), Some(Attr::DenseArray(ElementType::I64, _)));
        match custom {
            Custom::Constant => match (op.attrs.get("value"), op.results.as_slice()) {
                (Some(Attr::Dense(id)), [result]) => {
                    *self.graph.ty(*result) == Type::Tensor(self.graph.constant(*id).ty.clone())
                }
                _ => false,
            },
            Custom::Reduce => self.reduce_fits(op) && list("dimensions"),
            Custom::While => self.while_fits(op),
            Custom::Scan => self.scan_fits(op),
            Custom::Composite => matches!(op.attrs.get("name"), Some(Attr::String(_))),
            Custom::Callee => matches!(op.attrs.get("callee"), Some(Attr::Symbol(_))),
            Custom::CallTarget => matches!(op.attrs.get("call_target_name"), Some(Attr::String(_))),
            Custom::SliceRanges => {
                let n = |name: &str| op.attrs.ints(name).map(|v| v.len());
                let names = custom.attributes();
                names.iter().all(|a| list(a)) && n(names[0]) == n(names[1]) && n(names[1]) == n(names[2])
            }
            Custom::ConvDimensions => match op.attrs.get("dimension_numbers") {
                Some(Attr::Struct(name, fields)) if name == "stablehlo.conv" => {
                    Printer::new(self.graph, self.options).conv_dimensions(fields).is_some()
                }
                _ => false,
            },
            Custom::Window => WINDOW.iter().all(|(word, name)| match op.attrs.get(name) {
                None => true,
                Some(Attr::DenseArray(ElementType::I1, _)) => *word == "reverse",
                Some(Attr::DenseArray(ElementType::I64, v)) => {
                    *word != "reverse" && (*word != "pad" || v.len() % 2 == 0)
                }
                Some(_) => false,
            }),
            Custom::DotDimensions => {
                matches!(op.attrs.get("dot_dimension_numbers"), Some(Attr::Struct(n, _)) if n == "stablehlo.dot")
            }
            Custom::Precision => match op.attrs.get("precision_config") {
                None => true,
                Some(Attr::Array(items)) => items.iter().all(|i| matches!(i, Attr::Enum(m, _) if m == "precision")),
                Some(_) => false,
            },
            Custom::Algorithm => match op.attrs.get("algorithm") {
                None => true,
                Some(Attr::Struct(name, _)) => name == "stablehlo.dot_algorithm",
                Some(_) => false,
            },
            Custom::ExponentMantissa => custom.attributes().iter().all(
                |name| matches!(op.attrs.get(name), Some(Attr::Int(v, Type::Scalar(ElementType::I32))) if *v >= 0),
            ),
        }
    }

    pub(super) fn custom(&mut self, op: &Op, custom: Custom) {
        match custom {
            Custom::Constant => {
                self.other_attrs(op, row(op.kind), " ");
                self.push(" ");
                if let Some(Attr::Dense(id)) = op.attrs.get("value") {
                    self.constant(*id);
                }
            }
            Custom::Reduce => self.reduce(op),
            Custom::While => self.while_op(op),
            Custom::Scan => self.scan(op),
            Custom::Composite => self.composite(op),
            Custom::Callee => {
                if let Some(callee) = op.attrs.get("callee") {
                    self.attr(callee);
                }
            }
            Custom::CallTarget => self.symbol(op.attrs.str("call_target_name").unwrap_or("")),
            Custom::SliceRanges => self.slice_ranges(op),
            Custom::ConvDimensions => {
                if let Some(Attr::Struct(_, fields)) = op.attrs.get("dimension_numbers") {
                    self.conv_dimensions(fields);
                }
            }
            Custom::Window => self.window(op),
            Custom::DotDimensions => self.dot_dimensions(op),
            Custom::Precision => self.precision(op),
            Custom::Algorithm => {
                if let Some(Attr::Struct(_, fields)) = op.attrs.get("algorithm") {
                    self.push(", algorithm = <");
                    self.struct_fields(fields, false);
                    self.push(">");
                }
            }
            Custom::ExponentMantissa => {
                let bits = |name| op.attrs.int(name).unwrap_or(0);
                self.push(&format!("e{}m{}", bits("exponent_bits"), bits("mantissa_bits")));
            }
        }
    }

    /// Arguments of the only block of a region.
    fn only_block(&self, region: RegionId) -> Option<&[ValueId]> {
        match self.graph.region(region).blocks.as_slice() {
            [block] => Some(&self.graph.block(*block).arguments),
            _ => None,
        }
    }

    fn reduce_fits(&self, op: &Op) -> bool {
        let [region] = op.regions.as_slice() else { return false };
        let n = op.operands.len();
        n >= 2 && n.is_multiple_of(2) && self.only_block(*region).is_some_and(|arguments| arguments.len() == n)
    }

    fn reduce(&mut self, op: &Op) {
        let n = op.operands.len() / 2;
        let (inputs, inits) = op.operands.split_at(n);
        for (i, (&input, &init)) in inputs.iter().zip(inits).enumerate() {
            self.push(if i == 0 { "(" } else { ", (" });
            self.value(input);
            self.push(" init: ");
            self.value(init);
            self.push(")");
        }
        let applied = self.applied_op(op);
        if let Some(kind) = applied {
            self.push(" applies ");
            self.push(kind.name());
        }
        self.push(" across dimensions = ");
        self.int_list(&field_ints(&op.attrs, "dimensions"));
        self.other_attrs(op, row(op.kind), " ");
        self.push(" : ");
        self.functional_type(op);
        if applied.is_some() {
            return;
        }
        let Some(&region) = op.regions.first() else { return };
        let arguments: Vec<ValueId> = self.only_block(region).unwrap_or_default().to_vec();
        for &argument in &arguments {
            self.name_argument(argument);
        }
        self.newline();
        self.push(" reducer");
        for i in 0..n {
            self.push("(");
            self.typed_value(arguments[i]);
            self.push(", ");
            self.typed_value(arguments[i + n]);
            self.push(") ");
        }
        self.region(region, false);
    }

    /// The op of a reducer that is one commutative op over the two arguments in order.
    fn applied_op(&self, op: &Op) -> Option<OpKind> {
        let &[region] = op.regions.as_slice() else { return None };
        let &[block] = self.graph.region(region).blocks.as_slice() else { return None };
        let block = self.graph.block(block);
        let &[inner, end] = block.ops.as_slice() else { return None };
        let (inner, end) = (self.graph.op(inner), self.graph.op(end));
        let facts = row(inner.kind);
        let binary = facts.operands == Arity::exactly(2) && facts.has(Trait::Commutative) && inner.attrs.is_empty();
        let dialect = inner.kind.name().starts_with("stablehlo.");
        let forwards = inner.operands == block.arguments && end.operands == inner.results && end.attrs.is_empty();
        let Type::Tensor(input) = self.graph.ty(*op.operands.first()?) else { return None };
        let scalar = Type::tensor(&[], input.element);
        let mut values = inner.operands.iter().chain(&inner.results);
        let scalars = values.all(|&v| *self.graph.ty(v) == scalar);
        (binary && dialect && forwards && scalars && end.kind == OpKind::Return).then_some(inner.kind)
    }

    fn while_fits(&self, op: &Op) -> bool {
        let types = |values: &[ValueId]| values.iter().map(|&v| self.graph.ty(v).clone()).collect::<Vec<Type>>();
        let wanted = types(&op.operands);
        let region_fits = |r: &RegionId| self.only_block(*r).is_some_and(|a| types(a) == wanted);
        op.regions.len() == 2 && types(&op.results) == wanted && op.regions.iter().all(region_fits)
    }

    fn while_op(&mut self, op: &Op) {
        let first = self.next_argument;
        let &[condition, body] = op.regions.as_slice() else { return };
        for region in [condition, body] {
            self.next_argument = first;
            for argument in self.only_block(region).unwrap_or_default().to_vec() {
                self.name_argument(argument);
            }
        }
        self.push("(");
        let arguments = self.only_block(body).unwrap_or_default().to_vec();
        for (i, (&argument, &operand)) in arguments.iter().zip(&op.operands).enumerate() {
            self.comma(i);
            self.value(argument);
            self.push(" = ");
            self.value(operand);
        }
        self.push(")");
        if !op.operands.is_empty() {
            self.push(" : ");
            self.value_types(&op.operands);
        }
        self.other_attrs(op, row(op.kind), " attributes ");
        self.newline();
        self.push("cond ");
        self.region(condition, op.operands.is_empty());
        self.push(" do ");
        self.region(body, op.operands.is_empty());
    }

    fn scan_fits(&self, op: &Op) -> bool {
        let sizes = |name: &str, n: usize| match op.attrs.get(name) {
            Some(Attr::DenseArray(ElementType::I32, v)) => {
                v.len() == 2 && v.iter().all(|&s| s >= 0) && v[0].checked_add(v[1]) == i64::try_from(n).ok()
            }
            _ => false,
        };
        let dimension =
            matches!(op.attrs.get("dimension"), Some(Attr::Int(_, ty)) if *ty == Type::Scalar(ElementType::I64));
        let carries = |name: &str| op.attrs.ints(name).and_then(|v| v.get(1).copied());
        op.regions.len() == 1
            && dimension
            && sizes("operandSegmentSizes", op.operands.len())
            && sizes("resultSegmentSizes", op.results.len())
            && carries("operandSegmentSizes") == carries("resultSegmentSizes")
    }

    fn scan(&mut self, op: &Op) {
        let sizes = field_ints(&op.attrs, "operandSegmentSizes");
        let inputs = sizes.first().and_then(|&n| usize::try_from(n).ok()).unwrap_or(0).min(op.operands.len());
        let (inputs, inits) = op.operands.split_at(inputs);
        self.push("(");
        self.values(inputs);
        self.push(") inits (");
        self.values(inits);
        self.push(&format!(") dimension={}", op.attrs.int("dimension").unwrap_or(0)));
        self.other_attrs(op, row(op.kind), " attributes ");
        self.push(" ");
        if let Some(&region) = op.regions.first() {
            self.region(region, true);
        }
        self.push(" : ");
        self.functional_type(op);
    }

    fn composite(&mut self, op: &Op) {
        self.push(" ");
        self.string(op.attrs.str("name").unwrap_or(""));
        if !op.operands.is_empty() {
            self.push(" ");
            self.values(&op.operands);
        }
        if !op.regions.is_empty() {
            self.push(" (");
            for (i, &region) in op.regions.iter().enumerate() {
                self.comma(i);
                self.region(region, true);
            }
            self.push(")");
        }
        self.other_attrs(op, row(op.kind), " ");
        self.push(" : ");
        self.functional_type(op);
    }

    fn slice_ranges(&mut self, op: &Op) {
        let (starts, limits) = (field_ints(&op.attrs, "start_indices"), field_ints(&op.attrs, "limit_indices"));
        let ranges = starts.iter().zip(&limits).zip(field_ints(&op.attrs, "strides"));
        let texts: Vec<String> = ranges
            .map(|((start, limit), stride)| match stride {
                1 => format!("{start}:{limit}"),
                _ => format!("{start}:{limit}:{stride}"),
            })
            .collect();
        self.push(&format!("[{}]", texts.join(", ")));
    }

    fn window(&mut self, op: &Op) {
        let mut first = true;
        for (word, name) in WINDOW {
            let Some(Attr::DenseArray(_, values)) = op.attrs.get(name) else { continue };
            self.push(if first { "" } else { ", " });
            first = false;
            self.push(word);
            self.push(" = ");
            match *word {
                "pad" => self.pair_list(values),
                "reverse" => {
                    let words: Vec<&str> = values.iter().map(|v| if *v != 0 { "true" } else { "false" }).collect();
                    self.push(&format!("[{}]", words.join(", ")));
                }
                _ => self.int_list(values),
            }
        }
    }

    fn dot_dimensions(&mut self, op: &Op) {
        let Some(Attr::Struct(_, fields)) = op.attrs.get("dot_dimension_numbers") else { return };
        let fields = fields.clone();
        let list = |name: &str| field_ints(&fields, name);
        let batch = (list("lhs_batching_dimensions"), list("rhs_batching_dimensions"));
        if !(batch.0.is_empty() && batch.1.is_empty()) {
            self.push("batching_dims = ");
            self.int_list(&batch.0);
            self.push(" x ");
            self.int_list(&batch.1);
            self.push(", ");
        }
        self.push("contracting_dims = ");
        self.int_list(&list("lhs_contracting_dimensions"));
        self.push(" x ");
        self.int_list(&list("rhs_contracting_dimensions"));
    }

    fn precision(&mut self, op: &Op) {
        let Some(Attr::Array(items)) = op.attrs.get("precision_config") else { return };
        let words: Vec<&str> =
            items.iter().filter_map(|i| if let Attr::Enum(_, v) = i { Some(v.as_str()) } else { None }).collect();
        self.push(&format!(", precision = [{}]", words.join(", ")));
    }
}

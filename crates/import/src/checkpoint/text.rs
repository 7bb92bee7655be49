//! StableHLO text, op by op: values know their type, so that callers write what is computed and no types.
//!
//! Ops are written in MLIR's generic form, which the importer reads as any model's.

use std::fmt::Write;

use fornax_types::ElementType;

/// A value of the function that is being written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    name: String,
    pub element: ElementType,
    /// Outermost first; none for a scalar.
    pub shape: Vec<u64>,
}

impl Value {
    /// An argument, by the name that the function's header gives it.
    pub fn argument(name: &str, element: ElementType, shape: &[u64]) -> Value {
        Value { name: format!("%{name}"), element, shape: shape.to_vec() }
    }

    /// `%name`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// `tensor<3x4xf32>`.
    pub fn ty(&self) -> String {
        tensor(self.element, &self.shape)
    }

    /// Size of the last dimension; 1 for a scalar.
    pub fn last(&self) -> u64 {
        self.shape.last().copied().unwrap_or(1)
    }

    /// The sizes before the last one.
    pub fn outer(&self) -> &[u64] {
        self.shape.split_last().map_or(&[], |(_, outer)| outer)
    }
}

/// `tensor<3x4xf32>`.
pub fn tensor(element: ElementType, shape: &[u64]) -> String {
    let sizes: String = shape.iter().map(|size| format!("{size}x")).collect();
    format!("tensor<{sizes}{}>", element.spelling())
}

/// Dimensions of the operands of a product: batching ones, then the one that is summed over.
pub struct Pairing {
    pub batching: &'static [usize],
    pub left: usize,
    pub right: usize,
}

/// An operand of a product, and the dimensions that are summed over.
type Summed<'a> = (&'a Value, &'a [usize]);

/// The ops of a function.
#[derive(Default)]
pub struct Text {
    body: String,
    values: usize,
}

fn list(numbers: impl IntoIterator<Item = impl std::fmt::Display>) -> String {
    let numbers: Vec<String> = numbers.into_iter().map(|n| n.to_string()).collect();
    numbers.join(", ")
}

fn array(numbers: impl IntoIterator<Item = impl std::fmt::Display>) -> String {
    let numbers = list(numbers);
    if numbers.is_empty() { "array<i64>".to_string() } else { format!("array<i64: {numbers}>") }
}

impl Text {
    /// The ops written so far.
    pub fn body(&self) -> &str {
        &self.body
    }

    fn fresh(&mut self, element: ElementType, shape: &[u64]) -> Value {
        self.values += 1;
        Value { name: format!("%v{}", self.values), element, shape: shape.to_vec() }
    }

    fn op(&mut self, op: &str, operands: &[&Value], attrs: &str, (element, shape): (ElementType, &[u64])) -> Value {
        let result = self.fresh(element, shape);
        let names = list(operands.iter().map(|value| value.name()));
        let types = list(operands.iter().map(|value| value.ty()));
        let attrs = if attrs.is_empty() { String::new() } else { format!(" <{{{attrs}}}>") };
        let (name, ty) = (result.name(), result.ty());
        let _ = writeln!(self.body, "    {name} = \"stablehlo.{op}\"({names}){attrs} : ({types}) -> {ty}");
        result
    }

    /// A constant that every element of `shape` has; `number` in MLIR's spelling.
    pub fn splat(&mut self, number: &str, element: ElementType, shape: &[u64]) -> Value {
        let ty = tensor(element, shape);
        self.op("constant", &[], &format!("value = dense<{number}> : {ty}"), (element, shape))
    }

    /// A float constant of `shape`.
    pub fn float(&mut self, number: f64, shape: &[u64]) -> Value {
        self.splat(&float_text(number), ElementType::F32, shape)
    }

    /// A vector of f32.
    pub fn floats(&mut self, numbers: &[f64]) -> Value {
        let shape = [numbers.len() as u64];
        let texts = list(numbers.iter().map(|&number| float_text(number)));
        let value = format!("value = dense<[{texts}]> : {}", tensor(ElementType::F32, &shape));
        self.op("constant", &[], &value, (ElementType::F32, &shape))
    }

    /// A vector of i32.
    pub fn integers(&mut self, numbers: &[u64]) -> Value {
        let shape = [numbers.len() as u64];
        let value = format!("value = dense<[{}]> : {}", list(numbers), tensor(ElementType::I32, &shape));
        self.op("constant", &[], &value, (ElementType::I32, &shape))
    }

    /// A vector of small integers.
    pub fn bytes(&mut self, numbers: &[i8]) -> Value {
        let shape = [numbers.len() as u64];
        let value = format!("value = dense<[{}]> : {}", list(numbers), tensor(ElementType::I8, &shape));
        self.op("constant", &[], &value, (ElementType::I8, &shape))
    }

    /// An integer scalar.
    pub fn index(&mut self, number: u64) -> Value {
        self.splat(&number.to_string(), ElementType::I32, &[])
    }

    /// Elementwise ops of two values of one type: add, subtract, multiply, divide, maximum, and, or, …
    pub fn binary(&mut self, op: &str, left: &Value, right: &Value) -> Value {
        self.op(op, &[left, right], "", (left.element, &left.shape))
    }

    /// Elementwise ops of one value: rsqrt, logistic, exponential, cosine, …
    pub fn unary(&mut self, op: &str, value: &Value) -> Value {
        self.op(op, &[value], "", (value.element, &value.shape))
    }

    /// The error function, of CHLO.
    pub fn erf(&mut self, value: &Value) -> Value {
        let result = self.fresh(value.element, &value.shape);
        let (name, ty) = (result.name(), result.ty());
        let _ = writeln!(self.body, "    {name} = \"chlo.erf\"({}) : ({ty}) -> {ty}", value.name());
        result
    }

    /// A value with the same number in every element, of the type of `like`.
    pub fn binary_with(&mut self, op: &str, left: &Value, number: &str) -> Value {
        let right = self.splat(number, left.element, &left.shape.clone());
        self.binary(op, left, &right)
    }

    /// `cap · tanh(x / cap)`; the same value without a cap.
    pub fn soft_capped(&mut self, value: &Value, cap: Option<f64>) -> Value {
        let Some(cap) = cap else { return value.clone() };
        let cap = self.float(cap, &value.shape);
        let part = self.binary("divide", value, &cap);
        let tanh = self.unary("tanh", &part);
        self.binary("multiply", &cap, &tanh)
    }

    /// Values in another element type; the same value where it has it already.
    pub fn convert(&mut self, value: &Value, element: ElementType) -> Value {
        if value.element == element {
            return value.clone();
        }
        self.op("convert", &[value], "", (element, &value.shape))
    }

    /// The same bits in another element type; bytes of the last dimension become one element.
    pub fn bitcast(&mut self, value: &Value, element: ElementType) -> Value {
        let same = element.storage_bytes() == value.element.storage_bytes();
        let shape = if same { value.shape.clone() } else { value.outer().to_vec() };
        self.op("bitcast_convert", &[value], "", (element, &shape))
    }

    /// The bytes of elements of several, the lowest first, along a further dimension.
    pub fn bytes_of(&mut self, value: &Value) -> Value {
        let each = value.element.storage_bytes() as u64;
        let shape: Vec<u64> = value.shape.iter().copied().chain([each]).collect();
        self.op("bitcast_convert", &[value], "", (ElementType::Ui8, &shape))
    }

    /// Low and high four bits of bytes.
    pub fn nibbles(&mut self, bytes: &Value) -> (Value, Value) {
        (self.binary_with("and", bytes, "15"), self.binary_with("shift_right_logical", bytes, "4"))
    }

    /// Each element of the last dimension so many times, of which the first `count` are kept.
    pub fn repeat_last(&mut self, value: &Value, times: u64, count: u64) -> Value {
        let many: Vec<u64> = value.shape.iter().copied().chain([times]).collect();
        let many = if times == 1 { value.clone() } else { self.spread(value, &many) };
        let all: Vec<u64> = value.outer().iter().copied().chain([value.last() * times]).collect();
        let all = self.reshape(&many, &all);
        self.slice_last(&all, 0, count)
    }

    pub fn reshape(&mut self, value: &Value, shape: &[u64]) -> Value {
        if value.shape == shape {
            return value.clone();
        }
        self.op("reshape", &[value], "", (value.element, shape))
    }

    pub fn transpose(&mut self, value: &Value, dims: &[usize]) -> Value {
        let shape: Vec<u64> = dims.iter().filter_map(|&dim| value.shape.get(dim).copied()).collect();
        let attrs = format!("permutation = {}", array(dims));
        self.op("transpose", &[value], &attrs, (value.element, &shape))
    }

    /// `dims[n]` is where dimension `n` of the value goes in `shape`.
    pub fn broadcast(&mut self, value: &Value, shape: &[u64], dims: &[usize]) -> Value {
        let attrs = format!("broadcast_dimensions = {}", array(dims));
        self.op("broadcast_in_dim", &[value], &attrs, (value.element, shape))
    }

    /// A value once more for each element of further dimensions behind its own.
    pub fn spread(&mut self, value: &Value, shape: &[u64]) -> Value {
        let dims: Vec<usize> = (0..value.shape.len()).collect();
        self.broadcast(value, shape, &dims)
    }

    /// Elements `from..to` of the last dimension.
    pub fn slice_last(&mut self, value: &Value, from: u64, to: u64) -> Value {
        self.slice(value, value.shape.len().saturating_sub(1), (from, to))
    }

    /// Elements `from..to` of the first dimension.
    pub fn slice_rows(&mut self, value: &Value, from: u64, to: u64) -> Value {
        self.slice(value, 0, (from, to))
    }

    fn slice(&mut self, value: &Value, dim: usize, (from, to): (u64, u64)) -> Value {
        if value.shape.get(dim).is_none_or(|&size| (from, to) == (0, size)) {
            return value.clone();
        }
        let (mut starts, mut ends) = (vec![0; value.shape.len()], value.shape.clone());
        if let (Some(start), Some(end)) = (starts.get_mut(dim), ends.get_mut(dim)) {
            (*start, *end) = (from, to);
        }
        let shape: Vec<u64> = ends.iter().zip(&starts).map(|(end, start)| end - start).collect();
        let strides = array(shape.iter().map(|_| 1));
        let attrs =
            format!("start_indices = {}, limit_indices = {}, strides = {strides}", array(&starts), array(&ends));
        self.op("slice", &[value], &attrs, (value.element, &shape))
    }

    /// Joins values along the last dimension.
    pub fn concatenate_last(&mut self, values: &[&Value]) -> Value {
        let rank = values.first().map_or(0, |value| value.shape.len());
        self.concatenate(values, rank.saturating_sub(1))
    }

    /// Joins values along a dimension.
    pub fn concatenate(&mut self, values: &[&Value], at: usize) -> Value {
        let Some(first) = values.first() else { return self.splat("0", ElementType::I32, &[]) };
        if values.len() == 1 {
            return Value::clone(first);
        }
        let mut shape = first.shape.clone();
        if let Some(size) = shape.get_mut(at) {
            *size = values.iter().filter_map(|value| value.shape.get(at)).sum();
        }
        self.op("concatenate", values, &format!("dimension = {at} : i64"), (first.element, &shape))
    }

    /// 0, 1, … along a dimension.
    pub fn iota(&mut self, shape: &[u64], dim: usize) -> Value {
        self.op("iota", &[], &format!("iota_dimension = {dim} : i64"), (ElementType::I32, shape))
    }

    pub fn compare(&mut self, direction: &str, left: &Value, right: &Value) -> Value {
        let attrs = format!("comparison_direction = #stablehlo<comparison_direction {direction}>");
        self.op("compare", &[left, right], &attrs, (ElementType::I1, &left.shape))
    }

    pub fn select(&mut self, which: &Value, yes: &Value, no: &Value) -> Value {
        self.op("select", &[which, yes, no], "", (yes.element, &yes.shape))
    }

    /// Sum, maximum or minimum over the last dimension.
    pub fn reduce_last(&mut self, op: &str, value: &Value) -> Value {
        self.reduce(op, value, value.shape.len().saturating_sub(1))
    }

    /// The same over another one.
    pub fn reduce(&mut self, op: &str, value: &Value, at: usize) -> Value {
        let start = match op {
            "maximum" if value.element.is_integer() => "-2147483648",
            "maximum" => "0xFF800000",
            "minimum" if value.element.is_integer() => "2147483647",
            _ if value.element.is_integer() => "0",
            _ => "0.0",
        };
        let start = self.splat(start, value.element, &[]);
        let mut shape = value.shape.clone();
        if at < shape.len() {
            shape.remove(at);
        }
        let result = self.fresh(value.element, &shape);
        let (name, ty) = (result.name(), result.ty());
        let (operands, types) =
            (format!("{} init: {}", value.name(), start.name()), format!("{}, {}", value.ty(), start.ty()));
        let across = format!("applies stablehlo.{op} across dimensions = [{at}]");
        let _ = writeln!(self.body, "    {name} = stablehlo.reduce({operands}) {across} : ({types}) -> {ty}");
        result
    }

    /// Zeros behind the last dimension's elements, up to `size` of them.
    pub fn padded_last(&mut self, value: &Value, size: u64) -> Value {
        if value.last() == size {
            return value.clone();
        }
        let zero = self.splat("0.0", value.element, &[]);
        let none = array(value.shape.iter().map(|_| 0));
        let high = array(value.outer().iter().map(|_| 0).chain([size - value.last()]));
        let attrs = format!("edge_padding_low = {none}, edge_padding_high = {high}, interior_padding = {none}");
        let shape: Vec<u64> = value.outer().iter().copied().chain([size]).collect();
        self.op("pad", &[value, &zero], &attrs, (value.element, &shape))
    }

    /// The sum of each element of the last dimension of a matrix and all before it.
    pub fn prefix_sums(&mut self, value: &Value) -> Value {
        let zero = self.splat("0.0", value.element, &[]);
        let result = self.fresh(value.element, &value.shape);
        let (name, ty, number) = (result.name(), result.ty(), self.values);
        let (scalar, last) = (zero.ty(), value.last());
        let _ = writeln!(
            self.body,
            "    {name} = \"stablehlo.reduce_window\"({}, {}) <{{window_dimensions = array<i64: 1, {last}>, \
             padding = dense<[[0, 0], [{}, 0]]> : tensor<2x2xi64>}}> ({{\n    \
             ^bb0(%a{number}: {scalar}, %b{number}: {scalar}):\n      \
             %s{number} = \"stablehlo.add\"(%a{number}, %b{number}) : ({scalar}, {scalar}) -> {scalar}\n      \
             \"stablehlo.return\"(%s{number}) : ({scalar}) -> ()\n    }}) : ({ty}, {scalar}) -> {ty}",
            value.name(),
            zero.name(),
            last - 1,
        );
        result
    }

    /// Values that `body` makes of those before, so many times.
    pub fn repeat(
        &mut self,
        times: u64,
        start: &[Value],
        body: impl FnOnce(&mut Text, &[Value]) -> Vec<Value>,
    ) -> Vec<Value> {
        let zero = self.index(0);
        let first: Vec<Value> = std::iter::once(zero).chain(start.iter().cloned()).collect();
        let types = list(first.iter().map(Value::ty));
        let base = self.fresh(ElementType::I32, &[]);
        let block = |t: &mut Text| {
            let arguments: Vec<Value> = first.iter().map(|value| t.fresh(value.element, &value.shape)).collect();
            let typed = arguments.iter().map(|value| format!("{}: {}", value.name(), value.ty()));
            let _ = writeln!(t.body, "    ^bb0({}):", list(typed));
            arguments
        };
        let leave = |t: &mut Text, values: &[Value]| {
            let (names, types) = (list(values.iter().map(Value::name)), list(values.iter().map(Value::ty)));
            let _ = writeln!(t.body, "    \"stablehlo.return\"({names}) : ({types}) -> ()");
        };
        let (name, count, names) = (base.name(), first.len(), list(first.iter().map(Value::name)));
        let _ = writeln!(self.body, "    {name}:{count} = \"stablehlo.while\"({names}) ({{");
        if let [round, ..] = block(self).as_slice() {
            let end = self.index(times);
            let goes_on = self.compare("LT", round, &end);
            leave(self, &[goes_on]);
        }
        let _ = writeln!(self.body, "    }}, {{");
        if let [round, carried @ ..] = block(self).as_slice() {
            let mut next = vec![self.binary_with("add", round, "1")];
            next.extend(body(self, carried));
            leave(self, &next);
        }
        let _ = writeln!(self.body, "    }}) : ({types}) -> ({types})");
        let result = |(at, value): (usize, &Value)| Value { name: format!("{name}#{}", at + 1), ..value.clone() };
        start.iter().enumerate().map(result).collect()
    }

    /// A product, summed in f32.
    pub fn product(&mut self, left: &Value, right: &Value, pairing: &Pairing) -> Value {
        self.product_as(left, right, pairing, ElementType::F32)
    }

    /// The same with its sums in another type.
    pub fn product_as(&mut self, left: &Value, right: &Value, pairing: &Pairing, element: ElementType) -> Value {
        let (left, right) = ((left, &[pairing.left][..]), (right, &[pairing.right][..]));
        self.summed([left, right], pairing.batching, "", element)
    }

    /// A product of E4M3, summed in f32 as exactly as the device's matrix unit does it.
    pub fn narrow_product(&mut self, left: &Value, right: &Value, pairing: &Pairing) -> Value {
        let kind = ElementType::F8E4M3FN.spelling();
        let algorithm = format!(
            ", algorithm = #stablehlo.dot_algorithm<lhs_precision_type = {kind}, rhs_precision_type = {kind}, \
             accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, \
             allow_imprecise_accumulation = true>"
        );
        let (left, right) = ((left, &[pairing.left][..]), (right, &[pairing.right][..]));
        self.summed([left, right], pairing.batching, &algorithm, ElementType::F32)
    }

    /// A product over several dimensions, summed in f32.
    pub fn product_over(&mut self, left: (&Value, &[usize]), right: (&Value, &[usize]), batching: &[usize]) -> Value {
        self.summed([left, right], batching, "", ElementType::F32)
    }

    fn summed(
        &mut self,
        operands: [Summed<'_>; 2],
        batching: &[usize],
        algorithm: &str,
        element: ElementType,
    ) -> Value {
        let [(left, l), (right, r)] = operands;
        let kept = |value: &Value, summed: &[usize]| {
            let sizes = value.shape.iter().enumerate();
            let kept = sizes.filter(|(at, _)| !summed.contains(at) && !batching.contains(at)).map(|(_, &size)| size);
            kept.collect::<Vec<u64>>()
        };
        let mut shape: Vec<u64> = batching.iter().filter_map(|&dim| left.shape.get(dim).copied()).collect();
        shape.extend(kept(left, l));
        shape.extend(kept(right, r));
        let (batch, l, r) = (list(batching), list(l), list(r));
        let attrs = format!(
            "dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [{batch}], \
             rhs_batching_dimensions = [{batch}], lhs_contracting_dimensions = [{l}], \
             rhs_contracting_dimensions = [{r}]>{algorithm}"
        );
        self.op("dot_general", &[left, right], &attrs, (element, &shape))
    }

    /// Where the numbers of the last dimension, of i32, stand in their order; those of equal ones in theirs.
    pub fn order(&mut self, numbers: &Value) -> Value {
        let at = numbers.shape.len().saturating_sub(1);
        let places = self.iota(&numbers.shape, at);
        self.values += 1;
        let name = format!("%v{}", self.values);
        let (numbers, ty) = (numbers.name(), places.ty());
        let _ = writeln!(
            self.body,
            "    {name}:2 = \"stablehlo.sort\"({numbers}, {}) <{{dimension = {at} : i64, is_stable = true}}> ({{\n    \
             ^bb0(%a: tensor<i32>, %b: tensor<i32>, %at_a: tensor<i32>, %at_b: tensor<i32>):\n      \
             %less = \"stablehlo.compare\"(%a, %b) <{{comparison_direction = #stablehlo<comparison_direction LT>}}> : \
             (tensor<i32>, tensor<i32>) -> tensor<i1>\n      \
             \"stablehlo.return\"(%less) : (tensor<i1>) -> ()\n    \
             }}) : ({ty}, {ty}) -> ({ty}, {ty})",
            places.name(),
        );
        Value { name: format!("{name}#1"), ..places }
    }

    /// Columns of a table `[rows, columns]` by their numbers `[count]`.
    pub fn columns(&mut self, table: &Value, numbers: &Value) -> Value {
        let rows = table.shape.first().copied().unwrap_or(1);
        let count = numbers.last();
        let numbers = self.reshape(numbers, &[count, 1]);
        let attrs = format!(
            "dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1], \
             start_index_map = [1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = {}",
            array([rows, 1])
        );
        self.op("gather", &[table, &numbers], &attrs, (table.element, &[rows, count]))
    }

    /// `e^x / Σ e^x` over the last dimension.
    pub fn softmax_last(&mut self, value: &Value) -> Value {
        let most = self.reduce_last("maximum", value);
        let most = self.spread(&most, &value.shape);
        let shifted = self.binary("subtract", value, &most);
        let powers = self.unary("exponential", &shifted);
        self.divided_by_sum(&powers)
    }

    /// `x / Σ x` over the last dimension.
    pub fn divided_by_sum(&mut self, value: &Value) -> Value {
        let sum = self.reduce_last("add", value);
        let sum = self.spread(&sum, &value.shape);
        self.binary("divide", value, &sum)
    }

    /// The largest numbers of the last dimension, from the largest on, and where they are.
    pub fn top_k(&mut self, value: &Value, count: u64) -> (Value, Value) {
        let shape: Vec<u64> = value.outer().iter().copied().chain([count]).collect();
        let both = self.fresh(value.element, &shape);
        let result = |at: u64, element| Value { name: format!("{}#{at}", both.name()), element, shape: shape.clone() };
        let (top, places) = (result(0, value.element), result(1, ElementType::I32));
        let types = format!("({}) -> ({}, {})", value.ty(), top.ty(), places.ty());
        let (name, operand) = (both.name(), value.name());
        let _ = writeln!(self.body, "    {name}:2 = \"chlo.top_k\"({operand}) <{{k = {count} : i64}}> : {types}");
        (top, places)
    }

    /// Rows of a table `[rows, …]` by their numbers `[count]`.
    pub fn rows(&mut self, table: &Value, numbers: &Value) -> Value {
        let count = numbers.shape.first().copied().unwrap_or(1);
        let row = table.shape.get(1..).unwrap_or_default();
        let shape: Vec<u64> = std::iter::once(count).chain(row.iter().copied()).collect();
        let sizes: Vec<u64> = std::iter::once(1).chain(row.iter().copied()).collect();
        let numbers = self.reshape(numbers, &[count, 1]);
        let attrs = format!(
            "dimension_numbers = #stablehlo.gather<offset_dims = [{}], collapsed_slice_dims = [0], \
             start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = {}",
            list(1..shape.len()),
            array(&sizes)
        );
        self.op("gather", &[table, &numbers], &attrs, (table.element, &shape))
    }

    /// A vector with elements at `places`, all different, replaced.
    pub fn replace(&mut self, value: &Value, places: &Value, elements: &Value) -> Value {
        let column = self.reshape(places, &[places.last(), 1]);
        let numbers = "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1";
        self.replaced([value, &column, elements], numbers)
    }

    /// A value with a block of it replaced, from `starts` on.
    pub fn update(&mut self, value: &Value, block: &Value, starts: &[&Value]) -> Value {
        let operands: Vec<&Value> = [value, block].into_iter().chain(starts.iter().copied()).collect();
        self.op("dynamic_update_slice", &operands, "", (value.element, &value.shape))
    }

    /// A value `[n, a, context, b]` with rows `[n, a, 1, b]` in it, those of each `n` at its own place of the context,
    /// by `places` `[n]`. One outside goes nowhere.
    pub fn update_each(&mut self, value: &Value, rows: &Value, places: &Value) -> Value {
        let places = self.reshape(places, &[places.last(), 1]);
        let numbers = "update_window_dims = [1, 2, 3], input_batching_dims = [0], \
                       scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [2], index_vector_dim = 1";
        self.replaced([value, &places, rows], numbers)
    }

    /// A value `[n, a, m, b]` with rows `[count, a, b]` in it, each at its own place of `[count, 2]`, which says where
    /// along n and m. One outside goes nowhere.
    pub fn scatter_rows(&mut self, value: &Value, rows: &Value, places: &Value) -> Value {
        let numbers = "update_window_dims = [1, 2], inserted_window_dims = [0, 2], \
                       scatter_dims_to_operand_dims = [0, 2], index_vector_dim = 1";
        self.replaced([value, places, rows], numbers)
    }

    /// A value with updates at places that differ.
    fn replaced(&mut self, [value, places, updates]: [&Value; 3], numbers: &str) -> Value {
        let result = self.fresh(value.element, &value.shape);
        let (name, scalar) = (result.name(), tensor(value.element, &[]));
        let operands = list([value, places, updates].map(Value::name));
        let types = list([value, places, updates].map(Value::ty));
        let number = self.values;
        let _ = writeln!(
            self.body,
            "    {name} = \"stablehlo.scatter\"({operands}) <{{scatter_dimension_numbers = \
             #stablehlo.scatter<{numbers}>, indices_are_sorted = false, unique_indices = true}}> ({{\n    \
             ^bb0(%old{number}: {scalar}, %new{number}: {scalar}):\n      \
             \"stablehlo.return\"(%new{number}) : ({scalar}) -> ()\n    \
             }}) : ({types}) -> {}",
            value.ty()
        );
        result
    }

    /// A block of `shape`, from `starts` on.
    pub fn block(&mut self, value: &Value, starts: &[&Value], shape: &[u64]) -> Value {
        let operands: Vec<&Value> = std::iter::once(value).chain(starts.iter().copied()).collect();
        self.op("dynamic_slice", &operands, &format!("slice_sizes = {}", array(shape)), (value.element, shape))
    }
}

/// A float as MLIR reads it back without loss: the bits of an f32 where decimals would not do.
fn float_text(number: f64) -> String {
    let single = number as f32;
    if single.is_finite() {
        format!("{single:e}").replacen('e', ".0e", usize::from(!format!("{single:e}").contains('.')))
    } else {
        format!("0x{:08X}", single.to_bits())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_what_mlir_reads() {
        for (number, text) in
            [(1.0, "1.0e0"), (0.15625, "1.5625e-1"), (-2e-5, "-2.0e-5"), (f64::INFINITY, "0x7F800000")]
        {
            assert_eq!(float_text(number), text);
        }
    }
}

//! A function that reads weights: its arguments, and its ops as far as they are written.

use std::collections::BTreeMap;
use std::fmt::Write;

use fornax_types::ElementType;

use super::dequantize::{dequantize, expanded};
use super::names::{Naming, Role};
use super::quantized::{self, Operands, Wanted};
use super::sharded;
use super::source::{Checkpoint, Stored};
use super::text::{Pairing, Text, Value, tensor};
use crate::{Diagnostic, PARAMETER};

/// Rows of a product up to which it is bound by the bytes of its weights.
const FEW_ROWS: u64 = 8;
/// Rows up to which a product with quantised weights is several of few rows, which read them as they are, each once
/// more. With more, they are dequantised to memory, in every call.
const SPLIT_ROWS_MAX: u64 = 16;

/// A function on its way to text.
pub struct Function<'a> {
    pub text: Text,
    checkpoint: &'a Checkpoint,
    /// The type of products' operands.
    element: ElementType,
    /// Matrices of layers are `[in, out]`.
    inputs_first: bool,
    /// Arguments, each as the header has it.
    arguments: Vec<String>,
    /// Weights that are arguments already, by name.
    weights: BTreeMap<String, Value>,
    /// Numbers of tensors that were looked at, by name.
    numbers: BTreeMap<String, f32>,
    /// Devices that compute it together.
    devices: u64,
    /// The shardings of caches, by name.
    shardings: BTreeMap<String, String>,
}

impl<'a> Function<'a> {
    pub fn new(checkpoint: &'a Checkpoint, element: ElementType, inputs_first: bool) -> Function<'a> {
        let (text, arguments) = (Text::default(), Vec::new());
        let (weights, numbers, shardings) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        Function { text, checkpoint, element, inputs_first, arguments, weights, numbers, devices: 1, shardings }
    }

    /// Computed by so many devices together.
    pub fn on(self, devices: u64) -> Function<'a> {
        Function { devices, ..self }
    }

    /// An argument of every call. `output` is the result whose memory it is.
    pub fn input(&mut self, name: &str, (element, shape): (ElementType, &[u64]), output: Option<usize>) -> Value {
        let value = Value::argument(&format!("arg{}", self.arguments.len()), element, shape);
        let alias = output.map_or(String::new(), |output| format!(", tf.aliasing_output = {output} : i32"));
        let sharding = self.shardings.get(name).map_or("", String::as_str);
        self.arguments.push(format!("{}: {} {{fornax.name = \"{name}\"{alias}{sharding}}}", value.name(), value.ty()));
        value
    }

    /// A cache `[…, heads, context, width]`, which output `output` takes the place of.
    pub fn cache(&mut self, name: &str, (element, shape): (ElementType, &[u64]), output: usize) -> Value {
        if self.devices > 1 {
            let heads = shape.len().checked_sub(3);
            self.shardings.insert(name.to_string(), sharded::attribute(shape.len(), heads));
        }
        self.input(name, (element, shape), Some(output))
    }

    pub fn checkpoint(&self) -> &'a Checkpoint {
        self.checkpoint
    }

    /// Whether the checkpoint has a tensor.
    pub fn holds(&self, role: Role, layer: u64) -> bool {
        self.checkpoint.holds(role, layer)
    }

    /// A tensor as it lies in the file: plain elements, or blocks of bytes.
    fn stored(&mut self, role: Role, layer: u64, shape: &[u64]) -> Result<(Value, Stored), Box<Diagnostic>> {
        let (name, stored) = self.checkpoint.tensor(role, layer, shape)?;
        let sizes = stored.kind.stored(&stored.shape).1;
        let inputs_first = self.inputs_first && role.is_of_layer();
        let cut = sharded::cut(role, stored.shape.len(), (&sizes, self.devices), inputs_first);
        Ok((self.parameter(&name, &stored, cut), stored))
    }

    /// A part of a quantised matrix whose outputs are dimension `outputs`.
    pub fn part(&mut self, role: Role, (name, stored): &(String, Stored), outputs: usize) -> Value {
        let cut = sharded::outputs(role, outputs, &stored.kind.stored(&stored.shape).1, self.devices);
        self.parameter(name, stored, cut)
    }

    /// The argument that is a tensor, of which devices cut a dimension.
    pub fn parameter(&mut self, name: &str, stored: &Stored, cut: Option<usize>) -> Value {
        if let Some(known) = self.weights.get(name) {
            return known.clone();
        }
        self.checkpoint.note_used(name, stored, cut.map(|dim| (dim, self.devices)));
        let (element, sizes) = stored.kind.stored(&stored.shape);
        let value = Value::argument(&format!("arg{}", self.arguments.len()), element, &sizes);
        let sharding = cut.map_or(String::new(), |cut| sharded::attribute(sizes.len(), Some(cut)));
        self.arguments.push(format!("{}: {} {{{PARAMETER} = {}{sharding}}}", value.name(), value.ty(), quoted(name)));
        self.weights.insert(name.to_string(), value.clone());
        value
    }

    /// The number that a tensor has, which is read once.
    ///
    /// # Errors
    /// Those of `read`.
    pub fn number(
        &mut self,
        name: &str,
        read: impl FnOnce(&Checkpoint) -> Result<f32, Box<Diagnostic>>,
    ) -> Result<f32, Box<Diagnostic>> {
        if let Some(&known) = self.numbers.get(name) {
            return Ok(known);
        }
        let number = read(self.checkpoint)?;
        self.numbers.insert(name.to_string(), number);
        Ok(number)
    }

    /// Elements of a stored tensor or of rows of it, as f32 or in their own float type.
    fn elements(&mut self, value: &Value, stored: &Stored) -> Value {
        match stored.kind.element {
            Some(_) => value.clone(),
            None => dequantize(&mut self.text, value, stored.kind).unwrap_or_else(|| value.clone()),
        }
    }

    /// A vector of f32, such as a norm's.
    pub fn vector(&mut self, role: Role, layer: u64, size: u64) -> Result<Value, Box<Diagnostic>> {
        let (value, stored) = self.stored(role, layer, &[size])?;
        let value = match stored.kind.element {
            Some(_) => value,
            None => {
                // Blocks have rows: one.
                let row: Vec<u64> = std::iter::once(1).chain(value.shape.iter().copied()).collect();
                let blocks = self.text.reshape(&value, &row);
                let elements = self.elements(&blocks, &stored);
                self.text.reshape(&elements, &[size])
            }
        };
        Ok(self.text.convert(&value, ElementType::F32))
    }

    /// The same where folders hold it as a matrix of one row.
    pub fn one_row(&mut self, role: Role, layer: u64, size: u64) -> Result<Value, Box<Diagnostic>> {
        if self.checkpoint.naming() == Naming::Gguf {
            return self.vector(role, layer, size);
        }
        let (value, _) = self.stored(role, layer, &[1, size])?;
        let value = self.text.reshape(&value, &[size]);
        Ok(self.text.convert(&value, ElementType::F32))
    }

    /// Rows of a matrix `[rows, width]` by their numbers, `[count, width]` of f32.
    pub fn rows(&mut self, role: Role, (rows, width): (u64, u64), numbers: &Value) -> Result<Value, Box<Diagnostic>> {
        let (table, stored) = self.stored(role, 0, &[rows, width])?;
        let found = self.text.rows(&table, numbers);
        let elements = self.elements(&found, &stored);
        Ok(self.text.convert(&elements, ElementType::F32))
    }

    /// `x · wᵀ`: `x` `[rows, in]`, `w` `[out, in]` of no layer; `[rows, out]` of f32.
    pub fn product(&mut self, x: &Value, role: Role, out: u64) -> Result<Value, Box<Diagnostic>> {
        self.multiplied(x, (role, 0), out, false)
    }

    /// `x · wᵀ` in f32 whatever products' operands are, `w` `[out, in]` of a layer.
    pub fn exact(&mut self, x: &Value, (role, layer): (Role, u64), out: u64) -> Result<Value, Box<Diagnostic>> {
        let (value, stored) = self.stored(role, layer, &[out, x.last()])?;
        let weights = self.elements(&value, &stored);
        let weights = self.text.convert(&weights, ElementType::F32);
        Ok(self.text.product(x, &weights, &Pairing { batching: &[], left: 1, right: 1 }))
    }

    /// The matrices `shape`, `[matrices, out, in]`, of a layer that are multiplied by `rows` rows each, as products
    /// take them: all of them, or those with the numbers `picked`.
    pub fn matrices(
        &mut self,
        (role, layer): (Role, u64),
        shape: [u64; 3],
        (picked, rows): (Option<&Value>, u64),
    ) -> Result<Value, Box<Diagnostic>> {
        if let Some(all) = quantized::experts(self, (role, layer), (shape, picked))? {
            let element = if rows <= FEW_ROWS { ElementType::F32 } else { self.element };
            return Ok(self.text.convert(&all, element));
        }
        let (value, stored) = self.stored(role, layer, &shape)?;
        let [count, out, width] = shape;
        let t = &mut self.text;
        let is_plain = stored.kind.element.is_some();
        let element = if rows <= FEW_ROWS && !is_plain { ElementType::F32 } else { self.element };
        let mut all = value;
        if !is_plain {
            all = expanded(t, &all, stored.kind).unwrap_or(all);
            all = t.convert(&all, element);
        }
        // Which of them is said behind the blocks' elements, as rows of a table of what is computed: what is the same
        // in every call can be made once for all of them.
        let (count, all) = match picked {
            Some(numbers) => (numbers.last(), t.rows(&all, numbers)),
            None => (count, all),
        };
        let matrices = t.reshape(&all, &[count, out, width]);
        Ok(t.convert(&matrices, element))
    }

    /// `x · wᵀ`, `w` `[out, in]` (`[in, out]` where `inputs_first`) of a layer.
    pub fn multiplied(
        &mut self,
        x: &Value,
        (role, layer): (Role, u64),
        out: u64,
        inputs_first: bool,
    ) -> Result<Value, Box<Diagnostic>> {
        let wanted = Wanted { role, layer, out, inputs: x.last(), inputs_first };
        let (x, weights, is_plain, right) = match quantized::operands(self, x, wanted)? {
            Some(Operands::Floats { x, weights }) => (x, weights, false, 1),
            Some(Operands::Scaled { x, weights, scales }) => return Ok(self.scaled(&x, &weights, &scales)),
            None => {
                let shape = if inputs_first { [x.last(), out] } else { [out, x.last()] };
                let (value, stored) = self.stored(role, layer, &shape)?;
                let is_plain = stored.kind.element.is_some();
                (x.clone(), self.elements(&value, &stored), is_plain, usize::from(!inputs_first))
            }
        };
        let pairing = Pairing { batching: &[], left: 1, right };
        let rows = x.shape.first().copied().unwrap_or(1);
        if is_plain || rows > SPLIT_ROWS_MAX {
            let weights = self.text.convert(&weights, self.element);
            let x = self.text.convert(&x, self.element);
            // What devices send each other of a prompt is rounded as operands are: half the bytes.
            let is_sent = self.devices > 1 && rows > FEW_ROWS && sharded::is_summed(role);
            let sum = if is_sent { self.element } else { ElementType::F32 };
            let product = self.text.product_as(&x, &weights, &pairing, sum);
            return Ok(self.text.convert(&product, ElementType::F32));
        }
        // With few rows a product reads the blocks themselves, and computes with what they hold.
        let weights = self.text.convert(&weights, ElementType::F32);
        let x = self.as_operand(&x);
        let step = rows.div_ceil(rows.div_ceil(FEW_ROWS)).max(1);
        let mut parts = Vec::new();
        for from in (0..rows).step_by(step as usize) {
            let part = self.text.slice_rows(&x, from, rows.min(from + step));
            parts.push(self.text.product(&part, &weights, &pairing));
        }
        Ok(self.text.concatenate(&parts.iter().collect::<Vec<_>>(), 0))
    }

    /// Activations as products' operands hold them, in f32.
    pub fn as_operand(&mut self, x: &Value) -> Value {
        let x = self.text.convert(x, self.element);
        self.text.convert(&x, ElementType::F32)
    }

    /// `x · wᵀ`, multiplied by scales of rows and of outputs, or of all.
    fn scaled(&mut self, x: &Value, weights: &Value, [of_rows, of_outputs]: &[Value; 2]) -> Value {
        let t = &mut self.text;
        let product = t.narrow_product(x, weights, &Pairing { batching: &[], left: 1, right: 1 });
        let of_rows = t.spread(of_rows, &product.shape);
        let product = t.binary("multiply", &product, &of_rows);
        let last: &[usize] = if of_outputs.shape.is_empty() { &[] } else { &[1] };
        let of_outputs = t.broadcast(of_outputs, &product.shape, last);
        t.binary("multiply", &product, &of_outputs)
    }

    /// `x · wᵀ` with a layer's matrix, plus a bias where the checkpoint has one.
    pub fn linear(
        &mut self,
        x: &Value,
        (role, bias): (Role, Role),
        layer: u64,
        out: u64,
    ) -> Result<Value, Box<Diagnostic>> {
        let product = self.multiplied(x, (role, layer), out, self.inputs_first)?;
        if !self.holds(bias, layer) {
            return Ok(product);
        }
        let bias = self.vector(bias, layer, out)?;
        let bias = self.text.broadcast(&bias, &product.shape, &[1]);
        Ok(self.text.binary("add", &product, &bias))
    }

    /// The function's text; each result with its name.
    pub fn finish(self, name: &str, results: &[(String, Value)]) -> String {
        let sharding = |name: &String, value: &Value| match self.shardings.get(name) {
            Some(own) => own.clone(),
            None if self.devices > 1 => sharded::attribute(value.shape.len(), None),
            None => String::new(),
        };
        let ty = |(name, value): &(String, Value)| {
            format!("{} {{fornax.name = \"{name}\"{}}}", value.ty(), sharding(name, value))
        };
        let types: Vec<String> = results.iter().map(ty).collect();
        let names: Vec<&str> = results.iter().map(|(_, value)| value.name()).collect();
        let plain: Vec<String> = results.iter().map(|(_, value)| tensor(value.element, &value.shape)).collect();
        let mut out = String::new();
        let (arguments, types) = (self.arguments.join(", "), types.join(", "));
        let _ = writeln!(out, "  func.func public @{name}({arguments}) -> ({types}) {{");
        out.push_str(self.text.body());
        let _ = writeln!(out, "    return {} : {}\n  }}", names.join(", "), plain.join(", "));
        out
    }
}

/// A name as an attribute of MLIR.
pub fn quoted(name: &str) -> String {
    let escaped = name.chars().map(|c| match c {
        '"' | '\\' => format!("\\{c}"),
        c if c.is_ascii_graphic() || c == ' ' => c.to_string(),
        c => c.to_string().bytes().map(|byte| format!("\\{byte:02X}")).collect(),
    });
    format!("\"{}\"", escaped.collect::<String>())
}

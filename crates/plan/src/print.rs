//! A kernel plan as text: for `--dump-ir-to`, and as the canonical form that says whether two kernels are the same.
//!
//! Variables and nodes are numbered by first use, so the text does not depend on dead table entries or ids.
//!
//! ```text
//! kernel loop "add"
//!   buffer 0: 12 x f32 read
//!   buffer 1: 12 x f32 write
//!   domain i0 < 12
//!   %0 = load 0[i0] : f32
//!   %1 = add %0, %0 : f32
//!   store 1[i0] = %1
//!   schedule loop vector 4 threads 256 items 1
//! ```

use std::collections::HashMap;
use std::fmt::Write;

use crate::attention::{Attention, Side};
use crate::expr::{Node, NodeId};
use crate::index::{Atom, AtomId, IndexId, VarId};
use crate::kernel::{Access, Body, Combiner, KernelPlan};
use crate::schedule::Names;
use crate::tensor_map::{MapPart, TensorMap};

struct Printer<'a> {
    plan: &'a KernelPlan,
    vars: HashMap<VarId, usize>,
    nodes: HashMap<NodeId, usize>,
}

impl KernelPlan {
    /// The whole plan as text, summary included.
    pub fn print(&self) -> String {
        format!("kernel {} {:?}\n{}", self.body.hero(), self.summary, self.canonical())
    }

    /// The plan as text without its summary: two plans with equal text are the same kernel.
    pub fn canonical(&self) -> String {
        let mut printer = Printer { plan: self, vars: HashMap::new(), nodes: HashMap::new() };
        printer.text()
    }
}

impl Printer<'_> {
    fn text(&mut self) -> String {
        let plan = self.plan;
        let mut out = String::new();
        for (at, b) in plan.buffers.iter().enumerate() {
            let access = match b.access {
                Access::Read => "read",
                Access::Overwritten => "overwritten",
                Access::Update => "updated",
                Access::Announced => "announced",
                Access::Write => "write",
                Access::Guard => "guard",
            };
            let early = if plan.early.contains(&(at as u32)) { " early" } else { "" };
            let _ = writeln!(out, "  buffer {at}: {} x {} {access}{early}", b.elements, b.element.spelling());
        }
        for (at, size) in plan.exprs.indices.sizes.iter().enumerate() {
            let _ = writeln!(out, "  size s{at}: {}..={}", size.min, size.max);
        }
        for &var in plan.domain.iter().chain(plan.body.reduction()).chain(plan.body.source()) {
            let n = self.vars.len();
            self.vars.insert(var, n);
        }
        for var in plan.schedule.own_vars() {
            let n = self.vars.len();
            self.vars.insert(var, n);
        }
        for (at, map) in plan.tensor_maps.iter().enumerate() {
            let _ = writeln!(out, "  tensor_map {at}: {}", self.tensor_map(map));
        }
        let _ = writeln!(out, "  domain {}", self.variables(&plan.domain));
        let reached = plan.reached();
        for &node in &reached.nodes {
            let n = self.nodes.len();
            self.nodes.insert(node, n);
        }
        for &node in &reached.nodes {
            let text = self.node(node);
            let element = plan.exprs.element(node).spelling();
            let _ = writeln!(out, "  {} = {text} : {element}", self.name(node));
        }
        self.body(&mut out);
        for s in plan.body.stores() {
            let _ = writeln!(out, "  store {}[{}] = {}", s.buffer, self.index(s.offset), self.name(s.value));
        }
        let _ = writeln!(out, "  schedule {}", plan.schedule.text(self));
        out
    }

    fn body(&self, out: &mut String) {
        let list = |nodes: &[NodeId]| nodes.iter().map(|&n| self.name(n)).collect::<Vec<_>>().join(", ");
        match &self.plan.body {
            Body::Loop { .. } => {}
            Body::Sort { along, source, operands, before, from, to, keep, .. } => {
                let (along, line) = (self.var(*along), self.variables(&[*source]));
                let (operands, before) = (list(operands), self.name(*before));
                let _ = writeln!(
                    out,
                    "  sort {operands} of {line} by {before} from {from} to {to} keep {keep} along {along}"
                );
            }
            Body::Segment { along, key, row, inputs, inits, combiner, .. } => {
                let combiner = match combiner {
                    Combiner::Simple(op) => op.name().to_string(),
                    Combiner::General(nodes) => format!("({})", list(nodes)),
                };
                let (over, key, row) = (self.variables(&[*along]), self.name(*key), self.name(*row));
                let (inputs, inits) = (list(inputs), list(inits));
                let _ = writeln!(out, "  segment {combiner} over {over} where {key} is {row} of {inputs} from {inits}");
            }
            Body::Update { condition, combine, .. } => {
                let how = combine.map_or("set".to_string(), |op| op.name().to_string());
                let _ = writeln!(out, "  update {how} where {}", self.name(*condition));
            }
            Body::Count { digits, .. } => {
                let (line, digit) = (self.variables(&[digits.source]), self.name(digits.digit));
                let (by, tile) = (self.var(digits.digit_var), self.var(digits.tile_var));
                let _ = writeln!(out, "  count {digit} of {line} in tiles {tile} of {} by {by}", digits.tile);
            }
            Body::Distribute { digits, along, operands, start, .. } => {
                let (line, digit) = (self.variables(&[digits.source]), self.name(digits.digit));
                let (operands, start, along) = (list(operands), self.name(*start), self.var(*along));
                let _ = writeln!(
                    out,
                    "  distribute {operands} of {line} in tiles of {} by {digit} from {start} along {along}",
                    digits.tile
                );
            }
            Body::Scan { along, reverse, input, combiner, .. } => {
                let from = if *reverse { "the end" } else { "the start" };
                let (input, along) = (self.name(*input), self.var(*along));
                let _ = writeln!(out, "  scan {} of {input} along {along} from {from}", combiner.name());
            }
            Body::Attention(a) => self.attention(a, out),
            Body::FusedLoop(fused) => {
                let _ = writeln!(out, "  fused_loop {} problems: {}", fused.problems, fused.order());
                for (at, part) in fused.parts.iter().enumerate() {
                    let ordered = if part.plan.ordered { " in order" } else { "" };
                    let lanes = if part.lanes > 1 { format!(" lanes {}", part.lanes) } else { String::new() };
                    let _ = writeln!(out, "  part {at}{ordered}{lanes}");
                    // The buffers are those of the whole.
                    let text = part.plan.canonical();
                    for line in text.lines().filter(|line| !line.starts_with("  buffer ")) {
                        let _ = writeln!(out, "  {line}");
                    }
                }
            }
            Body::Bundle(bundle) => {
                let _ = writeln!(out, "  bundle {} launches", bundle.launches());
                for (at, part) in bundle.parts.iter().enumerate() {
                    let ordered = if part.plan.ordered { " in order" } else { "" };
                    let _ = writeln!(out, "  part {at}{ordered} on {:?}", part.launches);
                    part.plan.canonical().lines().for_each(|line| {
                        let _ = writeln!(out, "  {line}");
                    });
                }
            }
            Body::Led(led) => {
                let _ = writeln!(out, "  led, handed {:?}", led.handed);
                for (name, part) in ["lead", "then"].iter().zip(led.parts()) {
                    let ordered = if part.plan.ordered { " in order" } else { "" };
                    let _ = writeln!(out, "  {name}{ordered} on {:?}", part.places);
                    part.plan.canonical().lines().for_each(|line| {
                        let _ = writeln!(out, "  {line}");
                    });
                }
            }
            Body::Reduce { reduction, inputs, inits, combiner, .. } => {
                let combiner = match combiner {
                    Combiner::Simple(op) => op.name().to_string(),
                    Combiner::General(nodes) => format!("({})", list(nodes)),
                };
                let over = self.variables(reduction);
                let _ = writeln!(out, "  reduce {combiner} over {over} of {} from {}", list(inputs), list(inits));
            }
            Body::Contraction { reduction, lhs, rhs, accumulator, precision, .. } => {
                let over = self.variables(reduction);
                let (a, b) = (self.name(*lhs), self.name(*rhs));
                let _ = writeln!(
                    out,
                    "  contract {a} * {b} over {over} in {} {}",
                    accumulator.spelling(),
                    precision.name()
                );
            }
            Body::Products(p) => {
                let how = (p.accumulator.spelling(), p.precision.name());
                for (at, sum) in p.sums.iter().enumerate() {
                    for product in sum {
                        let (a, b) = (self.name(product.lhs), self.name(product.rhs));
                        let over = self.variables(&product.reduction);
                        let _ = writeln!(out, "  contract {at} {a} * {b} over {over} in {} {}", how.0, how.1);
                    }
                }
                if p.streamed {
                    let _ = writeln!(out, "  operands from memory");
                }
            }
            Body::Row { row, folds, .. } => {
                let _ = writeln!(out, "  row {}", self.variables(row));
                for fold in folds {
                    let combiner = match &fold.combiner {
                        Combiner::Simple(op) => op.name().to_string(),
                        Combiner::General(nodes) => format!("({})", list(nodes)),
                    };
                    let _ = writeln!(out, "  fold {combiner} of {} from {}", list(&fold.inputs), list(&fold.inits));
                }
            }
        }
    }

    fn attention(&self, a: &Attention, out: &mut String) {
        let (rows, feature) = (self.variables(&a.rows), self.var(a.feature));
        let (column, depth) = (self.variables(&a.reduction[..1]), self.variables(&a.reduction[1..]));
        let _ = writeln!(out, "  attention rows {rows}; feature {feature}; column {column}; depth {depth}");
        let (q, k, v) = (self.name(a.query), self.name(a.key), self.name(a.value));
        let (score, inside) = (self.name(a.score), self.name(a.inside));
        let (scale, masked, weight) = (a.scale(), a.masked(), a.weight.spelling());
        let _ = writeln!(
            out,
            "  query {q} key {k} value {v} score {score} inside {inside} scale {scale:?} weight {weight}"
        );
        if a.weight == fornax_graph::ElementType::F32 {
            let _ = writeln!(out, "  products {}", a.precision.name());
        }
        if a.empty_is_zero {
            let _ = writeln!(out, "  rows that see nothing are 0");
        }
        if let Some(part) = a.part {
            let _ = writeln!(out, "  part of {} columns from {}", part.columns, self.index(part.start));
        }
        for band in &a.bands {
            let side = if band.side == Side::Low { ">=" } else { "<" };
            let _ = writeln!(out, "  band column {side} {} else {masked:?}", self.name(band.bound));
        }
    }

    /// Extents, strides in bytes and the box; what a call gives is an expression.
    fn tensor_map(&self, map: &TensorMap) -> String {
        let mut dims: Vec<String> = map.dims.iter().map(i64::to_string).collect();
        let mut strides: Vec<String> = map.strides.iter().map(i64::to_string).collect();
        for size in &map.sizes {
            match size.part {
                MapPart::Extent(at) => dims[at] = self.index(size.value),
                MapPart::Stride(at) => strides[at] = self.index(size.value),
            }
        }
        format!(
            "buffer {} + {} bytes {} [{}] strides [{}] box {:?} steps {:?} swizzle {:?}",
            map.buffer,
            map.offset_bytes,
            if map.tf32 { "tf32" } else { map.element.spelling() },
            dims.join(", "),
            strides.join(", "),
            map.box_dims,
            map.element_strides,
            map.swizzle
        )
    }

    fn name(&self, node: NodeId) -> String {
        self.nodes.get(&node).map_or("%?".to_string(), |n| format!("%{n}"))
    }

    fn var(&self, var: VarId) -> String {
        self.vars.get(&var).map_or("i?".to_string(), |n| format!("i{n}"))
    }

    fn variables(&self, vars: &[VarId]) -> String {
        let indices = &self.plan.exprs.indices;
        let extent = |v| indices.run_extent(v).map_or_else(|| indices.extent(v).to_string(), |e| self.index(e));
        vars.iter().map(|&v| format!("{} < {}", self.var(v), extent(v))).collect::<Vec<_>>().join(", ")
    }

    fn node(&self, id: NodeId) -> String {
        let name = |n: &NodeId| self.name(*n);
        match self.plan.exprs.node(id) {
            Node::Constant { bits, .. } => format!("constant {bits:#x}"),
            Node::Load { buffer, offset, mask, .. } => {
                let mask = mask.map_or(String::new(), |m| format!(" if {}", self.name(m)));
                format!("load {buffer}[{}]{mask}", self.index(*offset))
            }
            Node::FromIndex { index, .. } => format!("from_index {}", self.index(*index)),
            Node::InRange { index, low, high } => format!("in_range {low} <= {} < {high}", self.index(*index)),
            Node::Unary { op, a } => format!("{} {}", op.name(), name(a)),
            Node::Binary { op, a, b } => format!("{} {}, {}", op.name(), name(a), name(b)),
            Node::Compare { op, a, b } => format!("compare {} {}, {}", op.name(), name(a), name(b)),
            Node::Select { condition, a, b } => format!("select {}, {}, {}", name(condition), name(a), name(b)),
            Node::Convert { a, .. } => format!("convert {}", name(a)),
            Node::Bitcast { a, .. } => format!("bitcast {}", name(a)),
            Node::ReducePrecision { exponent, mantissa, a } => {
                format!("reduce_precision e{exponent}m{mantissa} {}", name(a))
            }
            Node::Reduced { index, .. } => format!("reduced {index}"),
            Node::Running { index, .. } => format!("running {index}"),
            Node::Incoming { index, .. } => format!("incoming {index}"),
        }
    }

    fn atom(&self, atom: AtomId) -> String {
        match self.plan.exprs.indices.atom(atom) {
            Atom::Var(v) => self.var(v),
            Atom::FloorDiv(x, m) => format!("({}) / {m}", self.index(x)),
            Atom::Value { node, low, high } => format!("{{{} in {low}..={high}}}", self.name(node)),
            Atom::Size(size) => format!("s{}", size.0),
            Atom::Product(a, b) => format!("{}*{}", self.atom(a), self.atom(b)),
            Atom::Quotient(x, d) => format!("({}) / ({})", self.index(x), self.index(d)),
        }
    }

    fn index(&self, id: IndexId) -> String {
        let linear = self.plan.exprs.indices.linear(id);
        let mut parts: Vec<String> = Vec::new();
        for &(atom, c) in &linear.terms {
            let atom = self.atom(atom);
            parts.push(if c == 1 { atom } else { format!("{c}*{atom}") });
        }
        if linear.constant != 0 || parts.is_empty() {
            parts.push(linear.constant.to_string());
        }
        parts.join(" + ")
    }
}

impl Names for Printer<'_> {
    fn var(&self, var: VarId) -> String {
        Printer::var(self, var)
    }

    fn index(&self, index: IndexId) -> String {
        Printer::index(self, index)
    }
}

//! Ops and regions: results, the generic form, blocks, and the way into the pretty forms.

use fornax_graph::ops::{OpRow, nearest_op, row};
use fornax_graph::{AttrMap, BlockId, NewOp, OpKind, RegionId, Type, ValueId};

use super::parser::{Parser, Result, Use};

/// An op while it is parsed.
pub struct OpState {
    pub row: &'static OpRow,
    /// As written, for ops outside the table.
    pub name: String,
    /// Offset of the op's name.
    pub pos: usize,
    pub operands: Vec<Use>,
    pub results: Vec<Type>,
    pub attrs: AttrMap,
    pub regions: Vec<RegionId>,
}

/// Names of results: `%a`, `%b:2`.
struct ResultNames<'a>(Vec<(&'a str, usize, u32)>);

impl<'a> Parser<'a> {
    /// `{ ops }` or `{ ^bb0(%a: t): ops }`; `arguments` are those that the form gives outside the braces.
    pub fn parse_region(&mut self, arguments: &[(&'a str, usize, Type)]) -> Result<RegionId> {
        self.expect("{")?;
        self.enter()?;
        let scope = self.open_scope();
        let region = self.graph.add_region();
        if !arguments.is_empty() || !matches!(self.lex.peek(), b'^' | b'}') {
            let block = self.graph.add_block(region, &[]);
            self.define_arguments(block, arguments)?;
            self.parse_block_body(block)?;
        }
        while self.lex.peek() == b'^' {
            self.parse_labelled_block(region)?;
        }
        self.expect("}")?;
        self.close_scope(scope);
        self.leave();
        Ok(region)
    }

    pub fn define_arguments(&mut self, block: BlockId, arguments: &[(&'a str, usize, Type)]) -> Result<()> {
        for (name, pos, ty) in arguments {
            let value = self.graph.add_argument(block, ty.clone());
            self.define(name, *pos, value, 1)?;
        }
        Ok(())
    }

    /// `^bb0(%a: t loc(…), %b: t): ops`
    fn parse_labelled_block(&mut self, region: RegionId) -> Result<()> {
        self.expect("^")?;
        self.lex.suffix();
        let block = self.graph.add_block(region, &[]);
        if self.lex.eat("(") && !self.lex.eat(")") {
            loop {
                let argument = self.parse_typed_argument()?;
                self.define_arguments(block, &[argument])?;
                if !self.lex.eat(",") {
                    self.expect(")")?;
                    break;
                }
            }
        }
        self.expect(":")?;
        self.parse_block_body(block)
    }

    /// `%a: t loc(…)`
    pub fn parse_typed_argument(&mut self) -> Result<(&'a str, usize, Type)> {
        let (name, pos) = self.value_name()?;
        self.expect(":")?;
        let ty = self.parse_type()?;
        self.trailing_location(None)?;
        Ok((name, pos, ty))
    }

    fn parse_block_body(&mut self, block: BlockId) -> Result<()> {
        loop {
            match self.lex.peek() {
                b'}' | b'^' => return Ok(()),
                0 if self.lex.at_end() => return Err(self.expected("an op or `}`")),
                _ => self.parse_op(block)?,
            }
        }
    }

    /// One op with its results and location, appended to a block.
    pub fn parse_op(&mut self, block: BlockId) -> Result<()> {
        let names = self.parse_result_names()?;
        let quoted = self.lex.peek() == b'"';
        let pos = self.lex.pos;
        let name = match quoted {
            true => self.string()?,
            false => match self.lex.ident() {
                Some(name) => name.to_string(),
                None => return Err(self.expected("an op")),
            },
        };
        let mut state = self.begin_op(name, pos, quoted)?;
        let location = self.locate(pos);
        if quoted {
            self.parse_generic_op(&mut state)?;
        } else if state.row.kind == OpKind::ManualComputation {
            self.parse_manual_computation(&mut state)?;
        } else if state.row.kind == OpKind::ShardingConstraint {
            self.parse_sharding_constraint(&mut state)?;
        } else {
            self.parse_pretty_op(&mut state)?;
        }
        self.normalize(&mut state)?;
        self.trailing_location(Some(location))?;
        let size = state.attrs.remove("fornax.dim");
        let carried = state.attrs.remove("fornax.sizes");
        let op = self.graph.push_op(
            block,
            NewOp {
                kind: state.row.kind,
                name: state.name,
                operands: state.operands.iter().map(|u| u.value).collect(),
                result_types: state.results,
                attrs: state.attrs,
                regions: state.regions,
                location,
            },
        );
        let results = self.graph.op(op).results.clone();
        self.bind_size(size, results.first().copied(), pos)?;
        self.bind_op_sizes(carried, op, pos)?;
        self.define_results(names, &results, pos)
    }

    fn begin_op(&mut self, name: String, pos: usize, quoted: bool) -> Result<OpState> {
        let full = match name.as_str() {
            "return" => "func.return",
            "call" => "func.call",
            "sdy.return" => "stablehlo.return",
            "sdy.reshard" => "sdy.sharding_constraint",
            // torch-mlir leaves constants of tensors in this dialect among StableHLO ops.
            "arith.constant" => "stablehlo.constant",
            other => other,
        };
        let kind = OpKind::from_name(full).unwrap_or(OpKind::Unregistered);
        let known_dialect = full.starts_with("stablehlo.") || full.starts_with("chlo.");
        if kind == OpKind::Unregistered && (known_dialect || !quoted) {
            let error = self.error_at("FX0102", pos, format!("unknown op `{full}`"));
            let mut hint = nearest_op(full).map(|n| format!("did you mean `{n}`?"));
            if hint.is_none() && !known_dialect {
                hint =
                    Some("ops of other dialects are read in generic form only: `\"dialect.op\"(…) : (…) -> …`".into());
            }
            return Err(self.with_hint(error, hint));
        }
        let name = if kind == OpKind::Unregistered { name } else { String::new() };
        Ok(OpState {
            row: row(kind),
            name,
            pos,
            operands: Vec::new(),
            results: Vec::new(),
            attrs: AttrMap::default(),
            regions: Vec::new(),
        })
    }

    /// `%a, %b:2 =`, or nothing.
    fn parse_result_names(&mut self) -> Result<ResultNames<'a>> {
        let mut names = Vec::new();
        if self.lex.peek() != b'%' {
            return Ok(ResultNames(names));
        }
        loop {
            let (name, pos) = self.value_name()?;
            let mut count = 1;
            if self.lex.eat(":") {
                let n = self.parse_i64()?;
                count = u32::try_from(n)
                    .ok()
                    .filter(|&n| n > 0 && n < 1 << 20)
                    .ok_or_else(|| self.error_at("FX0114", pos, format!("`%{name}` cannot stand for {n} results")))?;
            }
            names.push((name, pos, count));
            if !self.lex.eat(",") {
                self.expect("=")?;
                return Ok(ResultNames(names));
            }
        }
    }

    fn define_results(&mut self, names: ResultNames<'a>, results: &[ValueId], pos: usize) -> Result<()> {
        let named: usize = names.0.iter().map(|(_, _, n)| *n as usize).sum();
        if named != results.len() && named != 0 {
            let at = names.0.first().map_or(pos, |(_, p, _)| *p);
            let message = format!("{named} names for {} results", results.len());
            return Err(self.error_at("FX0114", at, message));
        }
        let mut at = 0;
        for (name, pos, count) in names.0 {
            if let Some(&first) = results.get(at) {
                self.define(name, pos, first, count)?;
            }
            at += count as usize;
        }
        Ok(())
    }

    /// `(%a, %b) <{properties}> ({regions}) {attributes} : (types) -> types`
    fn parse_generic_op(&mut self, state: &mut OpState) -> Result<()> {
        self.expect("(")?;
        state.operands = self.operands()?;
        self.expect(")")?;
        if self.lex.peek() == b'[' {
            let message = "ops with successor blocks are not supported";
            return Err(self.error_at("FX0113", self.lex.pos, message));
        }
        if self.lex.eat("<") {
            state.attrs = self.parse_attr_dict()?;
            self.expect(">")?;
        }
        if self.lex.eat("(") {
            self.parse_generic_regions(state)?;
        }
        self.parse_optional_attr_dict(&mut state.attrs)?;
        self.parse_functional_type(state)
    }

    fn parse_generic_regions(&mut self, state: &mut OpState) -> Result<()> {
        loop {
            let region = self.parse_region(&[])?;
            state.regions.push(region);
            if !self.lex.eat(",") {
                return self.expect(")");
            }
        }
    }

    /// `: (a, b) -> c`, checked against the operands.
    pub fn parse_functional_type(&mut self, state: &mut OpState) -> Result<()> {
        self.expect(":")?;
        self.lex.skip_trivia();
        let pos = self.lex.pos;
        match self.parse_type()? {
            Type::Function { inputs, results } => {
                self.check_types(&state.operands, &inputs, pos)?;
                state.results = results;
                Ok(())
            }
            _ => Err(self.error_at("FX0101", pos, "expected a function type such as `(tensor<f32>) -> tensor<f32>`")),
        }
    }
}

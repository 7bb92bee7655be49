//! Pretty forms that the pieces of the table do not describe: constants, reduce, while, scan, windows, dot dimensions.

use fornax_graph::ops::dot::PRECISIONS;
use fornax_graph::ops::{Arity, Custom, Trait, row};
use fornax_graph::{Attr, AttrMap, ElementType, NewOp, OpKind, TensorType, Type};

use super::attributes::ints;
use super::operation::OpState;
use super::parser::{Parser, Result, Use};

impl<'a> Parser<'a> {
    pub fn parse_custom(&mut self, state: &mut OpState, custom: Custom) -> Result<()> {
        match custom {
            Custom::Constant => self.parse_constant(state),
            Custom::Reduce => self.parse_reduce(state),
            Custom::While => self.parse_while(state),
            Custom::Scan => self.parse_scan(state),
            Custom::Composite => self.parse_composite(state),
            Custom::Callee => {
                let callee = self.parse_symbol_ref()?;
                state.attrs.set("callee", callee);
                Ok(())
            }
            Custom::CallTarget => {
                let target = self.symbol()?;
                state.attrs.set("call_target_name", Attr::String(target));
                Ok(())
            }
            Custom::SliceRanges => self.parse_slice_ranges(state),
            Custom::ConvDimensions => {
                let dimensions = self.parse_conv_dimensions()?;
                state.attrs.set("dimension_numbers", dimensions);
                Ok(())
            }
            Custom::Window => self.parse_window(state),
            Custom::DotDimensions => self.parse_dot_dimensions(state),
            Custom::Precision => self.parse_precision(state),
            Custom::Algorithm => self.parse_algorithm(state),
            Custom::ExponentMantissa => self.parse_exponent_mantissa(state),
        }
    }

    /// `dense<…> : t`, `{a = 1} dense<…> : t`, or `() {value = dense<…>} : () -> t`
    fn parse_constant(&mut self, state: &mut OpState) -> Result<()> {
        if self.lex.eat("(") {
            self.expect(")")?;
            if self.lex.eat("<") {
                state.attrs = self.parse_attr_dict()?;
                self.expect(">")?;
            }
            self.parse_optional_attr_dict(&mut state.attrs)?;
            return self.parse_functional_type(state);
        }
        self.parse_optional_attr_dict(&mut state.attrs)?;
        self.lex.skip_trivia();
        let pos = self.lex.pos;
        let Attr::Dense(id) = self.parse_attribute()? else {
            return Err(self.error_at("FX0115", pos, "expected `dense<…> : tensor<…>`"));
        };
        state.results = vec![Type::Tensor(self.graph.constant(id).ty.clone())];
        state.attrs.0.insert(0, ("value".into(), Attr::Dense(id)));
        Ok(())
    }

    /// `(%a init: %b), … [applies op] across dimensions = [0] : type [reducer(…) (…) {…}]`
    fn parse_reduce(&mut self, state: &mut OpState) -> Result<()> {
        let mut inits: Vec<Use> = Vec::new();
        loop {
            self.expect("(")?;
            state.operands.push(self.operand()?);
            self.expect_literal("init:")?;
            inits.push(self.operand()?);
            self.expect(")")?;
            if !self.lex.eat(",") {
                break;
            }
        }
        state.operands.append(&mut inits);
        let applied = if self.lex.eat_keyword("applies") { Some(self.parse_applied_op()?) } else { None };
        self.expect_literal("across dimensions =")?;
        state.attrs.set("dimensions", ints(self.parse_int_list()?));
        self.parse_optional_attr_dict(&mut state.attrs)?;
        self.parse_functional_type(state)?;
        match applied {
            Some(kind) => self.apply_in_region(state, kind),
            None => {
                // The location stands between the type and the reducer.
                self.trailing_location(None)?;
                self.parse_reducer(state)
            }
        }
    }

    fn parse_applied_op(&mut self) -> Result<OpKind> {
        self.lex.skip_trivia();
        let pos = self.lex.pos;
        let name = self.lex.ident().unwrap_or("");
        match OpKind::from_name(name) {
            Some(kind) if row(kind).operands == Arity::exactly(2) && row(kind).has(Trait::Commutative) => Ok(kind),
            _ => {
                let error = self.error_at("FX0102", pos, format!("`{name}` cannot be applied in a reduction"));
                let near = fornax_graph::ops::nearest_op(name).filter(|n| *n != name);
                let hint = near.map_or("use a commutative binary op, or write the reducer".into(), |n| {
                    format!("did you mean `{n}`?")
                });
                Err(self.with_hint(error, Some(hint)))
            }
        }
    }

    /// The region of the short form: one op over two scalars.
    fn apply_in_region(&mut self, state: &mut OpState, kind: OpKind) -> Result<()> {
        let Some(Type::Tensor(input)) = state.operands.first().map(|u| self.graph.ty(u.value)) else {
            return Err(self.error_at("FX0109", state.pos, "a reduction reduces tensors"));
        };
        let scalar = Type::Tensor(TensorType::new(&[], input.element));
        let region = self.graph.add_region();
        let block = self.graph.add_block(region, &[scalar.clone(), scalar.clone()]);
        let location = self.locate(state.pos);
        let arguments = self.graph.block(block).arguments.clone();
        let inner = self.graph.push_op(block, NewOp::new(kind, arguments, vec![scalar], location));
        let results = self.graph.op(inner).results.clone();
        self.graph.push_op(block, NewOp::new(OpKind::Return, results, Vec::new(), location));
        state.regions.push(region);
        Ok(())
    }

    /// `reducer(%a: t, %b: t) (%c: u, %d: u) {…}`: the block has all firsts, then all seconds.
    fn parse_reducer(&mut self, state: &mut OpState) -> Result<()> {
        self.expect_keyword("reducer")?;
        let mut arguments = Vec::new();
        let mut seconds = Vec::new();
        while self.lex.eat("(") {
            arguments.push(self.parse_typed_argument()?);
            self.expect(",")?;
            seconds.push(self.parse_typed_argument()?);
            self.expect(")")?;
        }
        arguments.append(&mut seconds);
        let region = self.parse_region(&arguments)?;
        state.regions.push(region);
        Ok(())
    }

    /// `(%i = %a, …) : types attributes {…} cond {…} do {…}`
    fn parse_while(&mut self, state: &mut OpState) -> Result<()> {
        self.expect("(")?;
        let mut names = Vec::new();
        while self.lex.peek() == b'%' {
            names.push(self.value_name()?);
            self.expect("=")?;
            state.operands.push(self.operand()?);
            if !self.lex.eat(",") {
                break;
            }
        }
        self.expect(")")?;
        if !names.is_empty() {
            self.expect(":")?;
            let pos = self.lex.pos;
            state.results = self.parse_type_list()?;
            self.check_types(&state.operands, &state.results, pos)?;
        }
        if self.lex.eat_keyword("attributes") {
            self.parse_optional_attr_dict(&mut state.attrs)?;
        }
        let arguments: Vec<_> = names.into_iter().zip(&state.results).map(|((n, p), t)| (n, p, t.clone())).collect();
        for keyword in ["cond", "do"] {
            self.expect_keyword(keyword)?;
            let region = self.parse_region(&arguments)?;
            state.regions.push(region);
        }
        Ok(())
    }

    /// `(%inputs) inits (%inits) dimension=0 attributes {…} {region} : type`
    fn parse_scan(&mut self, state: &mut OpState) -> Result<()> {
        self.expect("(")?;
        state.operands = self.operands()?;
        let inputs = state.operands.len() as i64;
        self.expect_literal(") inits (")?;
        let mut inits = self.operands()?;
        let carries = inits.len() as i64;
        state.operands.append(&mut inits);
        self.expect_literal(") dimension =")?;
        let dimension = self.parse_i64()?;
        state.attrs.set("dimension", super::attributes::int(dimension));
        if self.lex.eat_keyword("attributes") {
            self.parse_optional_attr_dict(&mut state.attrs)?;
        }
        let region = self.parse_region(&[])?;
        state.regions.push(region);
        self.parse_functional_type(state)?;
        let outputs = state.results.len() as i64 - carries;
        if outputs < 0 {
            let message = format!("{} results, but {carries} carries", state.results.len());
            return Err(self.error_at("FX0114", state.pos, message));
        }
        state.attrs.set("operandSegmentSizes", Attr::DenseArray(ElementType::I32, vec![inputs, carries]));
        state.attrs.set("resultSegmentSizes", Attr::DenseArray(ElementType::I32, vec![outputs, carries]));
        Ok(())
    }

    /// `"name" %a, %b ({region}) {attributes} : type`
    fn parse_composite(&mut self, state: &mut OpState) -> Result<()> {
        let name = self.string()?;
        state.attrs.set("name", Attr::String(name));
        state.operands = self.operands()?;
        if self.lex.eat("(") {
            loop {
                let region = self.parse_region(&[])?;
                state.regions.push(region);
                if !self.lex.eat(",") {
                    self.expect(")")?;
                    break;
                }
            }
        }
        self.parse_optional_attr_dict(&mut state.attrs)?;
        self.parse_functional_type(state)
    }

    /// `[0:4:2, 1:3]`
    fn parse_slice_ranges(&mut self, state: &mut OpState) -> Result<()> {
        self.expect("[")?;
        let (mut starts, mut limits, mut strides) = (Vec::new(), Vec::new(), Vec::new());
        while self.lex.peek() != b']' {
            starts.push(self.parse_i64()?);
            self.expect(":")?;
            limits.push(self.parse_i64()?);
            strides.push(if self.lex.eat(":") { self.parse_i64()? } else { 1 });
            if !self.lex.eat(",") {
                break;
            }
        }
        self.expect("]")?;
        state.attrs.set("start_indices", ints(starts));
        state.attrs.set("limit_indices", ints(limits));
        state.attrs.set("strides", ints(strides));
        Ok(())
    }

    /// `stride = [2, 2], pad = [[0, 1], [0, 1]], lhs_dilate = […], rhs_dilate = […], reverse = [true, false]`
    fn parse_window(&mut self, state: &mut OpState) -> Result<()> {
        const NAMES: &[(&str, &str)] = &[
            ("stride", "window_strides"),
            ("pad", "padding"),
            ("lhs_dilate", "lhs_dilation"),
            ("rhs_dilate", "rhs_dilation"),
            ("reverse", "window_reversal"),
        ];
        while self.lex.peek() != b'}' {
            let pos = self.lex.pos;
            let word = self.lex.ident().unwrap_or("");
            let Some((_, name)) = NAMES.iter().find(|(w, _)| *w == word) else {
                let words: Vec<&str> = NAMES.iter().map(|(w, _)| *w).collect();
                return Err(self.error_at("FX0115", pos, format!("expected one of {}", words.join(", "))));
            };
            if state.attrs.get(name).is_some() {
                return Err(self.error_at("FX0110", pos, format!("`{word}` is given twice")));
            }
            self.expect("=")?;
            let value = match word {
                "pad" => ints(self.parse_pair_list()?),
                "reverse" => Attr::DenseArray(ElementType::I1, self.parse_bool_list()?),
                _ => ints(self.parse_int_list()?),
            };
            state.attrs.set(name, value);
            if !self.lex.eat(",") {
                break;
            }
        }
        Ok(())
    }

    /// `[[0, 1], [2, 3]]`, flattened.
    fn parse_pair_list(&mut self) -> Result<Vec<i64>> {
        self.expect("[")?;
        let mut values = Vec::new();
        while self.lex.peek() == b'[' {
            let pos = self.lex.pos;
            let pair = self.parse_int_list()?;
            if pair.len() != 2 {
                return Err(self.error_at("FX0115", pos, "padding is a pair `[low, high]`"));
            }
            values.extend(pair);
            if !self.lex.eat(",") {
                break;
            }
        }
        self.expect("]")?;
        Ok(values)
    }

    /// `[true, false]` or `[1, 0]`
    fn parse_bool_list(&mut self) -> Result<Vec<i64>> {
        self.expect("[")?;
        let mut values = Vec::new();
        while self.lex.peek() != b']' {
            values.push(match (self.lex.eat_keyword("true"), self.lex.eat_keyword("false")) {
                (true, _) => 1,
                (_, true) => 0,
                _ => i64::from(self.parse_i64()? != 0),
            });
            if !self.lex.eat(",") {
                break;
            }
        }
        self.expect("]")?;
        Ok(values)
    }

    /// `batching_dims = [0] x [0], contracting_dims = [2] x [1]`
    fn parse_dot_dimensions(&mut self, state: &mut OpState) -> Result<()> {
        let (mut lhs_batch, mut rhs_batch) = (Vec::new(), Vec::new());
        if self.lex.eat_keyword("batching_dims") || self.lex.eat_keyword("batch_dims") {
            (lhs_batch, rhs_batch) = self.parse_dimension_pair()?;
            self.expect(",")?;
        }
        self.expect_keyword("contracting_dims")?;
        let (lhs_contract, rhs_contract) = self.parse_dimension_pair()?;
        let fields = [
            ("lhs_batching_dimensions", lhs_batch),
            ("rhs_batching_dimensions", rhs_batch),
            ("lhs_contracting_dimensions", lhs_contract),
            ("rhs_contracting_dimensions", rhs_contract),
        ];
        let fields = AttrMap(fields.into_iter().map(|(n, v)| (n.to_string(), ints(v))).collect());
        state.attrs.set("dot_dimension_numbers", Attr::Struct("stablehlo.dot".into(), fields));
        Ok(())
    }

    /// `= [0] x [1]`
    fn parse_dimension_pair(&mut self) -> Result<(Vec<i64>, Vec<i64>)> {
        self.expect("=")?;
        let lhs = self.parse_int_list()?;
        self.expect_keyword("x")?;
        Ok((lhs, self.parse_int_list()?))
    }

    /// `, precision = [DEFAULT, HIGH]`
    fn parse_precision(&mut self, state: &mut OpState) -> Result<()> {
        let mut probe = self.lex;
        if !(probe.eat(",") && probe.eat_keyword("precision")) {
            return Ok(());
        }
        self.lex = probe;
        self.expect_literal("= [")?;
        let mut values = Vec::new();
        while self.lex.peek() != b']' {
            let keyword = self.parse_enum_keyword(PRECISIONS, self.lex.pos)?;
            values.push(Attr::Enum("precision".into(), keyword));
            if !self.lex.eat(",") {
                break;
            }
        }
        self.expect("]")?;
        state.attrs.set("precision_config", Attr::Array(values));
        Ok(())
    }

    /// `, algorithm = <lhs_precision_type = tf32, …>`
    fn parse_algorithm(&mut self, state: &mut OpState) -> Result<()> {
        let mut probe = self.lex;
        if !(probe.eat(",") && probe.eat_keyword("algorithm")) {
            return Ok(());
        }
        self.lex = probe;
        self.expect("=")?;
        let algorithm = if self.lex.eat("<") {
            self.parse_struct_fields("stablehlo.dot_algorithm")?
        } else {
            self.parse_attribute()?
        };
        state.attrs.set("algorithm", algorithm);
        Ok(())
    }

    /// `e8m7`
    fn parse_exponent_mantissa(&mut self, state: &mut OpState) -> Result<()> {
        self.lex.skip_trivia();
        let pos = self.lex.pos;
        let word = self.lex.ident().unwrap_or("");
        let parts = word.strip_prefix('e').and_then(|w| w.split_once('m'));
        let numbers = parts.and_then(|(e, m)| Some((e.parse::<i32>().ok()?, m.parse::<i32>().ok()?)));
        let Some((exponent, mantissa)) = numbers else {
            return Err(self.error_at("FX0115", pos, "expected a format such as `e8m7`"));
        };
        let i32_attr = |v: i32| Attr::Int(i128::from(v), Type::Scalar(ElementType::I32));
        state.attrs.set("exponent_bits", i32_attr(exponent));
        state.attrs.set("mantissa_bits", i32_attr(mantissa));
        Ok(())
    }
}

//! Modules and functions: the top level of a file, aliases, `func.func` in both forms.

use fornax_graph::{Attr, AttrMap, Function, RegionId, Type};

use super::parser::{Parser, Result};

/// Arguments of a function; those of a declaration have no names.
#[derive(Default)]
struct Arguments<'a> {
    named: Vec<(&'a str, usize, Type)>,
    types: Vec<Type>,
    attrs: Vec<AttrMap>,
}

impl<'a> Parser<'a> {
    /// The whole file.
    pub fn parse_file(&mut self) -> Result<()> {
        loop {
            match self.lex.peek() {
                0 if self.lex.at_end() => break,
                b'{' if self.lex.eat("{-#") => self.parse_resources()?,
                b'#' | b'!' => self.parse_alias()?,
                _ => self.parse_top_level()?,
            }
        }
        if !self.in_module && self.graph.functions.is_empty() {
            return Err(self.error_at("FX0103", 0, "the file holds neither a module nor a function"));
        }
        self.check_resources()?;
        self.resolve_locations();
        Ok(())
    }

    /// `#name = attribute` or `!name = type`
    fn parse_alias(&mut self) -> Result<()> {
        let is_type = self.lex.byte(0) == b'!';
        let pos = self.lex.pos;
        self.lex.pos += 1;
        let name = self.lex.suffix();
        if name.is_empty() {
            return Err(self.expected("a name"));
        }
        self.expect("=")?;
        self.lex.skip_trivia();
        let start = self.lex.pos;
        if is_type {
            let ty = self.parse_type()?;
            self.type_aliases.insert(name, ty);
            return Ok(());
        }
        if self.lex.eat_keyword("loc") {
            self.expect("(")?;
            let text = self.balanced()?;
            self.expect(")")?;
            self.loc_aliases.insert(name, text);
            return Ok(());
        }
        if self.attr_aliases.contains_key(name) {
            return Err(self.error_at("FX0110", pos, format!("alias `#{name}` is already defined")));
        }
        let attr = self.parse_attribute()?;
        self.attr_alias_text.insert(name, self.lex.slice(start, self.lex.pos));
        self.attr_aliases.insert(name, attr);
        Ok(())
    }

    fn parse_top_level(&mut self) -> Result<()> {
        let mut probe = self.lex;
        if probe.byte(0) == b'"' {
            return match probe.raw_string() {
                Some("builtin.module") => self.parse_generic_module(),
                _ => self.parse_module_op(),
            };
        }
        match probe.ident() {
            Some("module" | "builtin.module") => {
                self.lex = probe;
                self.parse_module()
            }
            _ => self.parse_module_op(),
        }
    }

    /// `@name attributes {…} {ops} loc(…)`, the keyword taken.
    fn parse_module(&mut self) -> Result<()> {
        self.begin_module()?;
        if self.lex.peek() == b'@' {
            let name = self.symbol()?;
            self.graph.name = Some(name);
        }
        if self.lex.eat_keyword("attributes") {
            let mut attrs = std::mem::take(&mut self.graph.attrs);
            self.parse_optional_attr_dict(&mut attrs)?;
            self.graph.attrs = attrs;
            self.declare_sizes()?;
        }
        self.parse_module_body()?;
        self.check_bound_sizes()?;
        self.trailing_location(None)
    }

    /// One module a file.
    fn begin_module(&mut self) -> Result<()> {
        if self.in_module {
            let message = "a file holds one module; modules within or after it are not supported";
            return Err(self.error_at("FX0113", self.lex.pos, message));
        }
        self.in_module = true;
        Ok(())
    }

    fn parse_module_body(&mut self) -> Result<()> {
        self.expect("{")?;
        self.enter()?;
        loop {
            match self.lex.peek() {
                b'}' => break,
                0 if self.lex.at_end() => return Err(self.expected("a function or `}`")),
                b'#' | b'!' => self.parse_alias()?,
                _ => self.parse_top_level()?,
            }
        }
        self.leave();
        self.expect("}")
    }

    /// `"builtin.module"() <{sym_name = …}> ({ … }) {…} : () -> ()`
    fn parse_generic_module(&mut self) -> Result<()> {
        self.begin_module()?;
        self.lex.raw_string();
        self.expect_literal("()")?;
        let mut attrs = AttrMap::default();
        if self.lex.eat("<") {
            attrs = self.parse_attr_dict()?;
            self.expect(">")?;
        }
        self.expect("(")?;
        let saved = self.lex;
        self.expect("{")?;
        if self.lex.peek() == b'^' {
            // `^bb0:` of a module block.
            self.lex.pos += 1;
            self.lex.suffix();
            self.expect(":")?;
            self.enter()?;
            while self.lex.peek() != b'}' {
                if self.lex.at_end() {
                    return Err(self.expected("`}`"));
                }
                self.parse_top_level()?;
            }
            self.leave();
            self.expect("}")?;
        } else {
            self.lex = saved;
            self.parse_module_body()?;
        }
        self.expect(")")?;
        self.parse_optional_attr_dict(&mut attrs)?;
        self.expect_literal(": () -> ()")?;
        self.trailing_location(None)?;
        if let Some(Attr::String(name)) = attrs.remove("sym_name") {
            self.graph.name = Some(name);
        }
        self.graph.attrs = attrs;
        Ok(())
    }

    /// A function, or an op of another dialect that is kept as text.
    fn parse_module_op(&mut self) -> Result<()> {
        self.lex.skip_trivia();
        let start = self.lex.pos;
        let mut probe = self.lex;
        let quoted = probe.byte(0) == b'"';
        let name = if quoted { probe.raw_string() } else { probe.ident() };
        match name {
            Some("func.func" | "func") => {
                self.lex = probe;
                if quoted { self.parse_generic_function(start) } else { self.parse_function(start) }
            }
            Some(name) if name.contains('.') && !name.starts_with("stablehlo.") && !name.starts_with("chlo.") => {
                self.skip_module_op(start)
            }
            Some(name) => {
                let error = self.error_at("FX0101", start, format!("expected a module or a function, found `{name}`"));
                let near = fornax_graph::ops::nearest(name, ["module", "func.func"].into_iter());
                Err(self.with_hint(error, near.map(|n| format!("did you mean `{n}`?"))))
            }
            None => Err(self.expected("a module or a function")),
        }
    }

    /// Passes over an op up to the end of the line on which its last bracket closes.
    fn skip_module_op(&mut self, start: usize) -> Result<()> {
        loop {
            let pos = self.lex.pos;
            self.lex.skip_trivia();
            let crossed = self.lex.slice(pos, self.lex.pos).contains('\n');
            let b = self.lex.byte(0);
            if self.lex.at_end() || b == b'}' || (crossed && b != b'{' && b != b':') {
                let text = self.lex.slice(start, pos).trim().to_string();
                self.graph.module_ops.push(text);
                return Ok(());
            }
            let close = match b {
                b'(' => ")",
                b'[' => "]",
                b'{' => "}",
                b'<' => ">",
                b'"' => {
                    self.string()?;
                    continue;
                }
                b')' | b']' => return Err(self.expected("an op")),
                b'-' if self.lex.byte(1) == b'>' => {
                    self.lex.pos += 2;
                    continue;
                }
                _ => {
                    self.advance_char();
                    continue;
                }
            };
            self.lex.pos += 1;
            self.balanced()?;
            self.expect(close)?;
        }
    }

    fn advance_char(&mut self) {
        self.lex.pos += 1;
        while !self.lex.text.is_char_boundary(self.lex.pos) {
            self.lex.pos += 1;
        }
    }

    /// `[public|private] @name(args) -> results attributes {…} {body}`, the keyword taken.
    fn parse_function(&mut self, start: usize) -> Result<()> {
        let private = self.lex.eat_keyword("private");
        if !private && !self.lex.eat_keyword("public") {
            self.lex.eat_keyword("nested");
        }
        self.lex.skip_trivia();
        let name_pos = self.lex.pos;
        let name = self.symbol()?;
        let mut arguments = self.parse_function_arguments()?;
        let (result_types, result_attrs) = self.parse_function_results()?;
        let mut attrs = AttrMap::default();
        if self.lex.eat_keyword("attributes") {
            self.parse_optional_attr_dict(&mut attrs)?;
        }
        let location = self.locate(start);
        let body = if self.lex.peek() == b'{' {
            if arguments.named.len() != arguments.types.len() {
                return Err(self.error_at("FX0101", name_pos, "the arguments of a function with a body need names"));
            }
            let body = self.parse_function_body(&arguments.named)?;
            self.bind_arguments(body, &mut arguments.attrs)?;
            Some(body)
        } else {
            None
        };
        self.trailing_location(Some(location))?;
        let function = Function {
            name,
            private,
            argument_attrs: arguments.attrs,
            result_types,
            result_attrs,
            attrs,
            body,
            location,
        };
        self.add_function(function, &arguments.types, name_pos)
    }

    fn parse_function_body(&mut self, arguments: &[(&'a str, usize, Type)]) -> Result<RegionId> {
        let outer = self.isolate();
        let body = self.parse_region(arguments)?;
        self.end_isolation(outer);
        if self.graph.region(body).blocks.is_empty() {
            self.graph.add_block(body, &[]);
        }
        Ok(body)
    }

    fn add_function(&mut self, mut function: Function, argument_types: &[Type], pos: usize) -> Result<()> {
        if !self.functions.insert(function.name.clone()) {
            return Err(self.error_at("FX0110", pos, format!("function `@{}` is already defined", function.name)));
        }
        // A declaration has no block that holds the types of its arguments.
        if function.body.is_none() {
            let ty = Type::Function { inputs: argument_types.to_vec(), results: function.result_types.clone() };
            function.attrs.set("function_type", Attr::Type(ty));
        }
        self.graph.functions.push(function);
        Ok(())
    }

    /// `(%a: t {…} loc(…), …)` or, in declarations, `(t, u)`.
    fn parse_function_arguments(&mut self) -> Result<Arguments<'a>> {
        let mut arguments = Arguments::default();
        self.expect("(")?;
        while self.lex.peek() != b')' {
            let name = if self.lex.peek() == b'%' {
                let name = self.value_name()?;
                self.expect(":")?;
                Some(name)
            } else {
                None
            };
            let ty = self.parse_type()?;
            let mut map = AttrMap::default();
            self.parse_optional_attr_dict(&mut map)?;
            self.trailing_location(None)?;
            if let Some((name, pos)) = name {
                arguments.named.push((name, pos, ty.clone()));
            }
            arguments.types.push(ty);
            arguments.attrs.push(map);
            if !self.lex.eat(",") {
                break;
            }
        }
        self.expect(")")?;
        Ok(arguments)
    }

    /// `-> t`, `-> (t {…}, u)`, or nothing.
    fn parse_function_results(&mut self) -> Result<(Vec<Type>, Vec<AttrMap>)> {
        let (mut types, mut attrs) = (Vec::new(), Vec::new());
        if !self.lex.eat("->") {
            return Ok((types, attrs));
        }
        if !self.lex.eat("(") {
            return Ok((vec![self.parse_type()?], vec![AttrMap::default()]));
        }
        while self.lex.peek() != b')' {
            types.push(self.parse_type()?);
            let mut map = AttrMap::default();
            self.parse_optional_attr_dict(&mut map)?;
            attrs.push(map);
            if !self.lex.eat(",") {
                break;
            }
        }
        self.expect(")")?;
        Ok((types, attrs))
    }

    /// `"func.func"() <{function_type = …, sym_name = …}> ({…}) : () -> ()`, the name taken.
    fn parse_generic_function(&mut self, start: usize) -> Result<()> {
        self.expect_literal("()")?;
        let mut attrs = AttrMap::default();
        if self.lex.eat("<") {
            attrs = self.parse_attr_dict()?;
            self.expect(">")?;
        }
        let location = self.locate(start);
        self.expect("(")?;
        let outer = self.isolate();
        let body = self.parse_region(&[])?;
        self.end_isolation(outer);
        self.expect(")")?;
        self.parse_optional_attr_dict(&mut attrs)?;
        self.expect_literal(": () -> ()")?;
        self.trailing_location(Some(location))?;
        let Some(Attr::String(name)) = attrs.remove("sym_name") else {
            return Err(self.error_at("FX0115", start, "a function needs `sym_name`"));
        };
        let Some(Attr::Type(Type::Function { inputs, results })) = attrs.remove("function_type") else {
            return Err(self.error_at("FX0115", start, "a function needs `function_type`"));
        };
        let private = attrs.remove("sym_visibility") == Some(Attr::String("private".into()));
        let argument_attrs = dictionaries(attrs.remove("arg_attrs"), inputs.len());
        let result_attrs = dictionaries(attrs.remove("res_attrs"), results.len());
        let declared = self.graph.region(body).blocks.is_empty();
        if let Some(&entry) = self.graph.region(body).blocks.first() {
            let arguments = &self.graph.block(entry).arguments;
            if !arguments.iter().map(|&a| self.graph.ty(a)).eq(inputs.iter()) {
                let message = "the arguments of the first block are not those of `function_type`";
                return Err(self.error_at("FX0114", start, message));
            }
        }
        let body = if declared { None } else { Some(body) };
        let function =
            Function { name, private, argument_attrs, result_types: results, result_attrs, attrs, body, location };
        self.add_function(function, &inputs, start)
    }
}

/// `arg_attrs = [{…}, {…}]` of the generic form.
fn dictionaries(attr: Option<Attr>, n: usize) -> Vec<AttrMap> {
    let mut maps = vec![AttrMap::default(); n];
    if let Some(Attr::Array(items)) = attr {
        for (map, item) in maps.iter_mut().zip(items) {
            if let Attr::Dict(given) = item {
                *map = given;
            }
        }
    }
    maps
}

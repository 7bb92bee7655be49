//! Ops of linalg among StableHLO: only MLIR reads their text, and it does not read StableHLO. Each such op is cut out
//! into a function of its own, MLIR prints these in generic form, and they are put back where they were; generic text
//! of any dialect is read.
//!
//! ```text
//! %1 = linalg.generic {…} ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) {…} -> tensor<4xf32>
//!
//! func.func @island0(%a: tensor<4xf32>, %e: tensor<4xf32>) -> (tensor<4xf32>) {
//!   %1 = linalg.generic …
//!   return %1 : tensor<4xf32>
//! }
//!
//! %1 = "linalg.generic"(%a, %e) <{…}> ({…}) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
//! ```
//!
//! Scalars that an op's region uses from outside are arguments too; their types are those of the lines that define
//! them. Lines stay where they are. An op whose text is of another form is left for the reader to refuse.

use super::Refusal;
use super::among::split_location;
use super::pretty::balanced;

const DIALECT: &str = "linalg.";
/// What a line of an op that goes on begins with.
const CLAUSES: [&str; 6] = ["ins(", "outs(", "->", "permutation", "dimensions", "attrs"];

/// The ops of a text, as a module for MLIR.
#[derive(Clone, Debug)]
pub struct Islands {
    /// Text with a function for each op.
    pub module: String,
    /// Line of the source that each line of `module` comes from; 0 for none.
    lines: Vec<u32>,
    places: Vec<Place>,
}

#[derive(Clone, Debug)]
struct Place {
    /// Lines of the source, from 0.
    first: usize,
    count: usize,
    indent: usize,
    arguments: Vec<String>,
    /// Name of the results, without `:2`.
    result: String,
}

impl Islands {
    /// The ops of a StableHLO text that MLIR must read; `None` where there are none.
    pub fn of(bytes: &[u8]) -> Option<Islands> {
        let text = std::str::from_utf8(bytes).ok()?;
        if !text.contains("stablehlo.") || !text.contains(DIALECT) {
            return None;
        }
        let lines: Vec<&str> = text.split('\n').collect();
        let mut islands = Islands { module: String::new(), lines: Vec::new(), places: Vec::new() };
        for (at, line) in lines.iter().enumerate().filter(|(_, line)| line.starts_with(['#', '!'])) {
            islands.push(line, at + 1);
        }
        let mut at = 0;
        while at < lines.len() {
            let end = if begins(lines[at]) { end_of(&lines, at) } else { None };
            match end {
                Some(end) => {
                    islands.add(&lines, at, end)?;
                    at = end + 1;
                }
                None => at += 1,
            }
        }
        (!islands.places.is_empty()).then_some(islands)
    }

    fn push(&mut self, line: &str, source: usize) {
        self.module.push_str(line);
        self.module.push('\n');
        self.lines.push(source as u32);
    }

    fn add(&mut self, lines: &[&str], first: usize, last: usize) -> Option<()> {
        let op: Vec<&str> = lines[first..=last].iter().map(|line| split_location(line).0).collect();
        let text = op.join("\n");
        let (result, _) = text.split_once('=')?;
        let result = result.trim().split(':').next()?.to_string();
        let mut arguments: Vec<(String, String)> = Vec::new();
        // On tensors, results have the types of `outs`.
        let mut results = "";
        for clause in [" ins(", " outs("] {
            let Some(at) = text.find(clause) else { continue };
            let inner = balanced(&text[at + clause.len() - 1..])?;
            let (names, types) = inner.split_once(':')?;
            results = types.trim();
            let pairs = split(names).into_iter().zip(split(types));
            arguments.extend(pairs.map(|(name, ty)| (name.to_string(), ty.to_string())));
        }
        arguments.extend(captured(&text, &arguments, lines.get(..first)?)?);
        arguments.sort();
        arguments.dedup_by(|a, b| a.0 == b.0);
        let returned = match split(results).len() {
            1 => result.clone(),
            count => (0..count).map(|n| format!("{result}#{n}")).collect::<Vec<_>>().join(", "),
        };
        let parameters: Vec<String> = arguments.iter().map(|(name, ty)| format!("{name}: {ty}")).collect();
        let number = self.places.len();
        self.push(&format!("func.func @island{number}({}) -> ({results}) {{", parameters.join(", ")), first + 1);
        for (at, line) in op.iter().enumerate() {
            self.push(line, first + at + 1);
        }
        self.push(&format!("return {returned} : {results} }}"), first + 1);
        let indent = lines[first].len() - lines[first].trim_start().len();
        let arguments = arguments.into_iter().map(|argument| argument.0).collect();
        self.places.push(Place { first, count: last - first + 1, indent, arguments, result });
        Some(())
    }

    /// The source with each op as MLIR printed it; `None` where it printed something else than was asked for.
    pub fn inserted(&self, source: &[u8], generic: &str) -> Option<String> {
        let source = std::str::from_utf8(source).ok()?;
        let mut aliases: Vec<(String, String)> = Vec::new();
        let mut bodies: Vec<Vec<&str>> = Vec::new();
        let mut is_inside = false;
        for line in generic.lines() {
            let code = line.trim_start();
            if line.starts_with(['#', '!']) {
                let (name, value) = line.split_once('=')?;
                let value = replaced(value.trim(), &|token| alias(&aliases, token));
                aliases.push((name.trim().to_string(), value));
            } else if code.starts_with("\"func.func\"(") {
                bodies.push(Vec::new());
                is_inside = true;
            } else if code.starts_with("\"func.return\"(") {
                is_inside = false;
            } else if is_inside {
                bodies.last_mut()?.push(line);
            }
        }
        if bodies.len() != self.places.len() {
            return None;
        }
        let mut out: Vec<String> = source.split('\n').map(String::from).collect();
        for (number, (place, body)) in self.places.iter().zip(&bodies).enumerate() {
            let (header, ops) = match body.split_first() {
                Some((first, rest)) if first.trim_start().starts_with("^bb0(") => (*first, rest),
                _ => ("", body.as_slice()),
            };
            let own: Vec<&str> = tokens(header).filter(|token| token.starts_with('%')).collect();
            let result = ops.first()?.split('=').next()?.trim().split(':').next()?;
            let rename = |token: &str| {
                let (name, part) = token.split_once('#').map_or((token, ""), |(name, _)| (name, &token[name.len()..]));
                if let Some(found) = alias(&aliases, token) {
                    return Some(found);
                }
                if !token.starts_with('%') {
                    return None;
                }
                let argument = own.iter().position(|own| *own == name).and_then(|at| place.arguments.get(at));
                let new = match argument {
                    Some(argument) => argument.clone(),
                    None if name == result => place.result.clone(),
                    None => format!("{name}_island{number}"),
                };
                Some(new + part)
            };
            let text: Vec<String> = ops.iter().map(|line| replaced(line.trim(), &rename)).collect();
            let lines = out.get_mut(place.first..place.first + place.count)?;
            lines.iter_mut().for_each(String::clear);
            *lines.first_mut()? = format!("{}{}", " ".repeat(place.indent), text.join(" "));
        }
        Some(out.join("\n"))
    }

    /// What MLIR said of the module, with the source's lines.
    pub fn refusals(&self, said: &[Refusal]) -> Vec<Refusal> {
        let of = |line: u32| self.lines.get((line as usize).wrapping_sub(1)).copied().unwrap_or(0);
        said.iter().map(|refusal| Refusal { line: of(refusal.line), ..refusal.clone() }).collect()
    }
}

/// Whether an op of linalg in its pretty form begins on a line.
fn begins(line: &str) -> bool {
    let code = line.trim_start();
    code.starts_with('%') && code.split_once('=').is_some_and(|(_, op)| op.trim_start().starts_with(DIALECT))
}

/// The line on which the op ends that begins on this one.
fn end_of(lines: &[&str], first: usize) -> Option<usize> {
    let mut open = 0i64;
    for (at, line) in lines.iter().enumerate().skip(first) {
        open += line.chars().map(|c| i64::from("({[".contains(c)) - i64::from(")}]".contains(c))).sum::<i64>();
        let goes_on = || lines.get(at + 1).is_some_and(|next| CLAUSES.iter().any(|c| next.trim_start().starts_with(c)));
        if open <= 0 && !goes_on() {
            return Some(at);
        }
    }
    None
}

/// Parts between commas that stand in no brackets.
fn split(text: &str) -> Vec<&str> {
    let (mut parts, mut from, mut open) = (Vec::new(), 0, 0i64);
    for (at, c) in text.char_indices() {
        open += i64::from("({[<".contains(c)) - i64::from(")}]>".contains(c));
        if c == ',' && open == 0 {
            parts.push(text[from..at].trim());
            from = at + 1;
        }
    }
    parts.push(text[from..].trim());
    parts
}

/// Scalars that the op uses and that neither its clauses name nor its region defines, with their types.
fn captured(op: &str, known: &[(String, String)], before: &[&str]) -> Option<Vec<(String, String)>> {
    let mut own: Vec<&str> = Vec::new();
    for line in op.lines().map(str::trim_start) {
        if line.starts_with('%') {
            own.extend(tokens(line).next());
        }
        if line.starts_with('^') {
            own.extend(tokens(line).filter(|token| token.starts_with('%')));
        }
    }
    let mut found = Vec::new();
    for token in tokens(op).filter(|token| token.starts_with('%')) {
        let name = token.split('#').next()?;
        if own.contains(&name)
            || known.iter().any(|row| row.0 == name)
            || found.iter().any(|row: &(String, _)| row.0 == name)
        {
            continue;
        }
        let is_definition = |line: &&&str| {
            let code = line.trim_start();
            code.strip_prefix(name).is_some_and(|rest| rest.trim_start().starts_with(['=', ':']))
        };
        let line = split_location(before.iter().rev().find(is_definition)?).0;
        let ty = line.rsplit_once("-> ").or_else(|| line.rsplit_once(": "))?.1.trim();
        found.push((name.to_string(), ty.to_string()));
    }
    Some(found)
}

/// Names of values (with `#1`) and of aliases, in order.
fn tokens(text: &str) -> impl Iterator<Item = &str> {
    pieces(text).filter(|piece| piece.len() > 1 && piece.starts_with(['%', '#', '!']))
}

/// The text cut into names and what stands between them.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let is_name = |c: char| c.is_ascii_alphanumeric() || "_$.-".contains(c);
        let first = rest.chars().next()?;
        let behind = rest.get(first.len_utf8()..)?;
        let length = match first {
            '%' => {
                let name = behind.find(|c| !is_name(c)).unwrap_or(behind.len());
                let part = behind.get(name..).and_then(|part| part.strip_prefix('#')).unwrap_or("");
                let digits = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
                1 + name + if digits > 0 { 1 + digits } else { 0 }
            }
            '#' | '!' => 1 + behind.find(|c| !is_name(c)).unwrap_or(behind.len()),
            _ => rest.find(['%', '#', '!']).unwrap_or(rest.len()),
        };
        let (piece, after) = rest.split_at_checked(length)?;
        rest = after;
        Some(piece)
    })
}

fn replaced(text: &str, with: &dyn Fn(&str) -> Option<String>) -> String {
    pieces(text).map(|piece| with(piece).unwrap_or_else(|| piece.to_string())).collect()
}

fn alias(aliases: &[(String, String)], token: &str) -> Option<String> {
    aliases.iter().find(|row| row.0 == token).map(|row| row.1.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "#map = affine_map<(d0) -> (d0)>
module {
  func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %cst = arith.constant 2.0 : f32
    %0 = tensor.empty() : tensor<4xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map], \
        iterator_types = [\"parallel\"]} ins(%arg0 : tensor<4xf32>) outs(%0 : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %3 = arith.mulf %in, %cst : f32
      linalg.yield %3 : f32
    } -> tensor<4xf32> loc(#loc1)
    %2 = stablehlo.add %arg0, %1 : tensor<4xf32>
    return %2 : tensor<4xf32>
  }
}";

    #[test]
    fn an_op_becomes_a_function_and_comes_back() {
        let islands = Islands::of(TEXT.as_bytes()).unwrap();
        let head = "func.func @island0(%0: tensor<4xf32>, %arg0: tensor<4xf32>, %cst: f32) -> (tensor<4xf32>) {";
        assert!(islands.module.contains(head), "{}", islands.module);
        assert!(islands.module.ends_with("} -> tensor<4xf32>\nreturn %1 : tensor<4xf32> }\n"), "{}", islands.module);
        let printed = "#map = affine_map<(d0) -> (d0)>
\"builtin.module\"() ({
  \"func.func\"() <{sym_name = \"island0\"}> ({
  ^bb0(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>, %arg2: f32):
    %0 = \"linalg.generic\"(%arg1, %arg0) <{indexing_maps = [#map, #map]}> ({
    ^bb0(%arg3: f32, %arg4: f32):
      %1 = \"arith.mulf\"(%arg3, %arg2) : (f32, f32) -> f32
      \"linalg.yield\"(%1) : (f32) -> ()
    }) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    \"func.return\"(%0) : (tensor<4xf32>) -> ()
  }) : () -> ()
}) : () -> ()";
        let text = islands.inserted(TEXT.as_bytes(), printed).unwrap();
        let line = text.lines().nth(5).unwrap();
        assert!(
            line.starts_with("    %1 = \"linalg.generic\"(%arg0, %0) <{indexing_maps = [affine_map<(d0) -> (d0)>, "),
            "{line}"
        );
        assert!(line.contains("%1_island0 = \"arith.mulf\"(%arg3_island0, %cst)"), "{line}");
        assert_eq!(text.lines().count(), TEXT.lines().count());
        assert_eq!(text.lines().nth(10), TEXT.lines().nth(10));
        let said = [Refusal { line: 5, column: 3, message: "no".into() }];
        assert_eq!(islands.refusals(&said)[0].line, 8);
    }

    #[test]
    fn texts_without_such_ops_have_none() {
        for text in ["stablehlo.add", "%0 = \"linalg.generic\"(%a) stablehlo.", "// linalg. stablehlo.", ""] {
            assert!(Islands::of(text.as_bytes()).is_none(), "{text}");
        }
        assert!(Islands::of(&TEXT.as_bytes()[..300]).is_none());
        for end in 0..TEXT.len() {
            Islands::of(&TEXT.as_bytes()[..end]);
        }
    }
}

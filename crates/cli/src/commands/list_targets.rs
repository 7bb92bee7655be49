//! `fornax list-targets [WORD]`: the names that target flags take. Short by default, a line a generation; with a word
//! all names of what it matches; with `--all` all names.

use anyhow::Result;
use fornax_targets::{Architecture, BACKENDS, Backend, Generation, catalogue, nearest, resolve_all};
use serde::Serialize;

use crate::args::{Format, ListTargetsArgs};
use crate::failure::{Failure, exit};
use crate::output::say;

/// Columns of a line, at most.
const WIDTH: usize = 100;
/// Columns of the generation's name and of the architectures.
const NAME: usize = 12;
const ARCHITECTURES: usize = 26;

#[derive(Serialize)]
struct BackendRows {
    backend: &'static str,
    summary: &'static str,
    generations: Vec<GenerationRow>,
}

#[derive(Serialize)]
struct GenerationRow {
    name: &'static str,
    architectures: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    name: &'static str,
    /// What is compiled for the name, where that is not the name alone.
    compiled_as: Vec<String>,
    code_names: Vec<&'static str>,
    products: Vec<&'static str>,
    aliases: Vec<&'static str>,
    #[serde(skip)]
    main: bool,
}

pub fn run(args: &ListTargetsArgs) -> Result<()> {
    let word = args.word.as_deref().map(key);
    let backend = args.word.as_deref().and_then(|word| Backend::parse(word).ok());
    let mut found = Vec::new();
    for row in BACKENDS.iter().filter(|row| backend.is_none_or(|only| only == row.backend)) {
        let word = word.as_deref().filter(|_| backend.is_none());
        let generations = catalogue(row.backend).into_iter().filter_map(|generation| matching(generation, word));
        let generations = generations.map(|generation| rows(row.backend, generation)).collect::<Result<Vec<_>>>()?;
        if !generations.is_empty() {
            found.push(BackendRows { backend: row.name, summary: row.summary, generations });
        }
    }
    if found.is_empty() {
        return Err(no_match(args.word.as_deref().unwrap_or_default()).into());
    }
    match (args.format, args.all || word.is_some() && backend.is_none()) {
        (Format::Json, _) => say!("{}", serde_json::to_string_pretty(&found)?),
        (Format::Text, true) => found.iter().for_each(print_long),
        (Format::Text, false) => {
            found.iter().for_each(print_short);
            say!(
                "`fornax list-targets WORD` prints every name of a generation, architecture or product; --all of all."
            );
        }
    }
    Ok(())
}

/// Names are compared without case, dashes and spaces.
fn key(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '-' | '_' | ' ')).collect::<String>().to_lowercase()
}

/// What of a generation has a word in its names: all of it, where that is the generation's own.
fn matching(mut generation: Generation, word: Option<&str>) -> Option<Generation> {
    let Some(word) = word else { return Some(generation) };
    let starts = |name: &&str| key(name).starts_with(word);
    let of_generation = |row: &Architecture| row.code_names.iter().any(|name| key(name) == word);
    if !starts(&generation.name) && !generation.architectures.iter().any(of_generation) {
        generation.architectures.retain(|row| {
            let mut names = row.code_names.iter().chain(&row.products).chain(&row.aliases);
            starts(&row.name) || names.any(|name| key(name).contains(word))
        });
    }
    (!generation.architectures.is_empty()).then_some(generation)
}

fn rows(backend: Backend, generation: Generation) -> Result<GenerationRow> {
    let row = |row: Architecture| {
        let targets = resolve_all(backend, row.name).map_err(Failure::from)?;
        let compiled_as: Vec<String> = targets.into_iter().map(|resolved| resolved.target.name).collect();
        let compiled_as = if compiled_as == [row.name] { Vec::new() } else { compiled_as };
        let Architecture { name, main, code_names, products, aliases } = row;
        Ok(Row { name, compiled_as, code_names, products, aliases, main })
    };
    let architectures = generation.architectures.into_iter().map(row).collect::<Result<Vec<Row>>>()?;
    Ok(GenerationRow { name: generation.name, architectures })
}

fn no_match(word: &str) -> Failure {
    let mut names: Vec<&str> = BACKENDS.iter().map(|row| row.name).collect();
    for generation in BACKENDS.iter().flat_map(|row| catalogue(row.backend)) {
        names.push(generation.name);
        for row in generation.architectures {
            names.push(row.name);
            names.extend(row.code_names.into_iter().chain(row.products).chain(row.aliases));
        }
    }
    let near = nearest(&word.to_lowercase(), names);
    let help = match near.is_empty() {
        true => "`fornax list-targets` prints the generations of all backends".to_string(),
        false => format!("did you mean {}?", near.join(", ")),
    };
    let text = format!("no backend, generation, architecture or product is called `{word}`");
    Failure::new(exit::USAGE, "FX0501", text, &help)
}

/// A line a generation that is compiled for today: name, main architectures, products.
fn print_short(backend: &BackendRows) {
    say!("{} - {}", backend.backend, backend.summary);
    for generation in
        backend.generations.iter().filter(|generation| generation.architectures.iter().any(|row| row.main))
    {
        let main: Vec<&str> = generation.architectures.iter().filter(|row| row.main).map(|row| row.name).collect();
        let products: Vec<&str> =
            generation.architectures.iter().flat_map(|row| row.products.iter().copied()).collect();
        let left = wrapped(&main, if products.is_empty() { WIDTH - NAME - 3 } else { ARCHITECTURES });
        let right = wrapped(&products, WIDTH - NAME - ARCHITECTURES - 4);
        for at in 0..left.len().max(right.len()) {
            let name = if at == 0 { generation.name } else { "" };
            let cell = |lines: &[String]| lines.get(at).cloned().unwrap_or_default();
            let line = format!("  {name:<NAME$} {:<ARCHITECTURES$} {}", cell(&left), cell(&right));
            say!("{}", line.trim_end());
        }
    }
    say!("");
}

/// Every architecture with every name.
fn print_long(backend: &BackendRows) {
    for generation in &backend.generations {
        say!("{}: {}", backend.backend, generation.name);
        for row in &generation.architectures {
            match row.compiled_as.is_empty() {
                true => say!("  {}", row.name),
                false => say!("  {}, compiled as {}", row.name, row.compiled_as.join(" + ")),
            }
            for (what, names) in [("code names", &row.code_names), ("products", &row.products), ("also", &row.aliases)]
            {
                let indent = 6 + what.len();
                for (at, line) in wrapped(names, WIDTH - indent).iter().enumerate() {
                    match at {
                        0 => say!("    {what}: {line}"),
                        _ => say!("{:indent$}{line}", ""),
                    }
                }
            }
        }
    }
}

/// Words in lines of at most so many columns.
fn wrapped(words: &[&str], width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in words {
        match lines.last_mut() {
            Some(line) if line.len() + 1 + word.len() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_string()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_finds_generations_whole_and_products_by_their_architecture() {
        let found = |word: &str| {
            let all = catalogue(Backend::Cuda).into_iter().filter_map(|generation| matching(generation, Some(word)));
            all.flat_map(|generation| generation.architectures).map(|row| row.name).collect::<Vec<_>>()
        };
        assert_eq!(found("hopper"), ["sm_90", "sm_90a"]);
        assert_eq!(found("a100"), ["sm_80"]);
        assert_eq!(found("rtx30"), ["sm_86"]);
        assert_eq!(found("sm12"), ["sm_120", "sm_120a", "sm_120f", "sm_121", "sm_121a", "sm_121f"]);
        assert!(found("teapot").is_empty());
    }

    #[test]
    fn lines_are_no_longer_than_asked() {
        assert_eq!(wrapped(&["ab", "cd", "ef"], 5), ["ab cd", "ef"]);
        assert!(wrapped(&[], 5).is_empty());
    }
}

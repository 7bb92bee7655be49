//! docs/understand/glossary.md has every word that names are made of: source files of passes, plans, emitters and
//! kernel families, passes, commands and flags. Its list of plain words has none that no name uses, its table of
//! families has the schedules that there are.

use std::collections::{BTreeMap, BTreeSet};

use crate::sources::{report, tracked};

/// Folders whose files' names are made of the glossary's words.
const FOLDERS: &[&str] = &["passes/src/", "crates/plan/src/", "crates/emit/src/", "crates/kernels/src/"];

/// Names that every crate has.
const EVERYWHERE: &[&str] = &["", "mod", "lib", "src", "tests"];

fn page(name: &str) -> String {
    std::fs::read_to_string(fornax_tests::root().join("docs").join(name)).unwrap()
}

/// The words of a name.
fn words(name: &str) -> impl Iterator<Item = String> + '_ {
    name.split(|c: char| !c.is_alphanumeric())
        .map(str::to_lowercase)
        .filter(|word| !EVERYWHERE.contains(&word.as_str()))
}

/// First cells of the tables between a heading and the next one; of the whole page without a heading.
fn first_cells<'a>(page: &'a str, heading: &str) -> Vec<&'a str> {
    let from = page.find(heading).unwrap_or_else(|| panic!("no `{heading}`"));
    let after = page[from..].split_once('\n').map_or("", |(_, after)| after);
    let part = if heading.is_empty() { page } else { after.split("\n## ").next().unwrap_or(after) };
    let rows = part.lines().filter_map(|line| line.strip_prefix("| ")).filter(|line| !line.starts_with("---"));
    rows.filter_map(|row| row.split(" |").next()).collect()
}

/// Words of names, each with a name that has it.
fn in_names() -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut add = |name: &str, place: String| {
        for word in words(name) {
            found.entry(word).or_insert_with(|| place.clone());
        }
    };
    for (file, _) in tracked(&[".rs"]) {
        if let Some(name) = FOLDERS.iter().find_map(|folder| file.strip_prefix(folder)) {
            add(name.trim_end_matches(".rs"), format!("file {file}"));
        }
    }
    for pass in first_cells(&page("extend/passes.md"), "## Every pass, in order").iter().skip(1) {
        add(pass, format!("pass {pass}"));
    }
    for line in page("use/command-line.md").lines() {
        if let Some(path) = line.strip_prefix('#').and_then(|line| line.split_once("# fornax ")) {
            add(path.1, format!("command `fornax {}`", path.1));
        }
        let long = line.strip_prefix("| `").and_then(|row| row.split_once("--"));
        if let Some((short, rest)) = long.filter(|(short, _)| short.len() <= 4) {
            let flag = rest.split(|c: char| !c.is_alphanumeric() && c != '-').next().unwrap_or(rest);
            add(flag, format!("flag {short}--{flag}"));
        }
    }
    assert!(found.len() > 200, "found only {} words", found.len());
    found
}

#[test]
fn every_name_is_made_of_known_words() {
    let page = page("understand/glossary.md");
    let defined: BTreeSet<String> = first_cells(&page, "").into_iter().flat_map(words).collect();
    let list = page.split("```text\n").nth(1).and_then(|rest| rest.split("```").next()).expect("the plain words");
    let plain: BTreeSet<&str> = list.split_whitespace().collect();
    let names = in_names();
    let mut wrong = Vec::new();
    for (word, place) in &names {
        let one = word.strip_suffix('s').unwrap_or(word);
        let row = [word, one, word.strip_suffix("es").unwrap_or(word)].iter().any(|word| defined.contains(*word));
        match (row, plain.contains(word.as_str())) {
            (false, false) => {
                wrong.push(format!(
                    "{place}: `{word}` stands neither in a table nor among the plain words of the glossary"
                ));
            }
            (true, true) => wrong.push(format!("`{word}` has a row in the glossary and stands among its plain words")),
            _ => {}
        }
    }
    wrong.extend(
        plain
            .iter()
            .filter(|word| !names.contains_key(**word))
            .map(|word| format!("plain word `{word}`: no name has it")),
    );
    report(wrong);
}

#[test]
fn families_are_the_schedules_that_there_are() {
    let families = ["crates/kernels/src/", "crates/emit/src/"];
    let files =
        tracked(&[".rs"]).into_iter().filter(|(name, _)| families.iter().any(|folder| name.starts_with(folder)));
    let of_file = |text: String| {
        let types = text.lines().filter_map(|line| line.strip_prefix("impl Schedule for ")?.split(' ').next());
        types.map(|name| spaced(name.trim_end_matches("Schedule"))).collect::<Vec<_>>()
    };
    let names: BTreeSet<String> = files.flat_map(|(_, text)| of_file(text)).collect();
    let page = page("understand/glossary.md");
    let listed = first_cells(&page, "## Kernel families").into_iter().skip(1).map(str::to_string).collect();
    assert!(names.len() > 10, "{names:?}");
    assert_eq!(names, listed, "schedules of the code, and those of the glossary");
}

/// `AttentionLanes` as `attention lanes`.
fn spaced(name: &str) -> String {
    let spaced = name.chars().flat_map(|c| c.is_uppercase().then_some(' ').into_iter().chain(c.to_lowercase()));
    spaced.collect::<String>().trim().to_string()
}

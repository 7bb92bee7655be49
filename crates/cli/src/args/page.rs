//! docs/use/command-line.md, written from clap's table: a section a command, a row a flag. `FORNAX_BLESS=1` writes it
//! anew.

use std::fmt::Write;

use clap::builder::StyledStr;
use clap::{Arg, ArgAction, Command};

use super::command;
use crate::commands::explain::markdown;

const HEAD: &str = "# Command line

Made from the table of flags that `fornax COMMAND --help` prints (`crates/cli/src/args/`), by
`FORNAX_BLESS=1 cargo test -p fornax-cli page`. Flags may be written with `_` for `-` too. `fornax man DIR` writes the
same as manual pages, `fornax completions SHELL` a shell's completions.
";

/// The whole page.
fn page() -> String {
    let mut command = command().disable_help_subcommand(true);
    command.build();
    let mut page = String::from(HEAD);
    let shown = shown(&command);
    page.push_str("\n| command | does |\n| --- | --- |\n");
    for sub in &shown {
        let about = sub.get_about().map(ToString::to_string).unwrap_or_default();
        let name = sub.get_name();
        let _ = writeln!(page, "| [`{name}`](#fornax-{name}) | {} |", cell(&about));
    }
    page.push_str("\n## Flags of every command\n\n");
    flags(&mut page, command.get_arguments().filter(|arg| arg.is_global_set()));
    for sub in shown {
        section(&mut page, sub, "fornax", 2);
    }
    page
}

/// What `--help` lists of a command's subcommands, in its order.
fn shown(command: &Command) -> Vec<&Command> {
    let mut shown: Vec<&Command> = command.get_subcommands().filter(|sub| !sub.is_hide_set()).collect();
    shown.retain(|sub| sub.get_name() != "help");
    shown.sort_by_key(|sub| sub.get_display_order());
    shown
}

/// One command: what it does, its flags, what stands behind them in its help, then its subcommands.
fn section(page: &mut String, command: &Command, above: &str, depth: usize) {
    let path = format!("{above} {}", command.get_name());
    let _ = writeln!(page, "\n{} {path}\n", "#".repeat(depth));
    let about = command.get_long_about().or(command.get_about()).map(ToString::to_string).unwrap_or_default();
    let usage = command.clone().render_usage().to_string();
    let _ = writeln!(page, "{}.\n\n```text\n{usage}\n```", cell(about.trim_end_matches('.')));
    let own = |arg: &&Arg| !arg.is_global_set() && !["help", "version"].contains(&arg.get_id().as_str());
    if command.get_arguments().any(|arg| own(&arg)) {
        page.push('\n');
        flags(page, command.get_arguments().filter(own));
    }
    if let Some(after) = command.get_after_long_help().or(command.get_after_help()) {
        let _ = writeln!(page, "\n```text\n{}\n```", after.to_string().trim());
    }
    for sub in shown(command) {
        section(page, sub, &path, depth + 1);
    }
}

/// A table with a row a flag or argument.
fn flags<'a>(page: &mut String, arguments: impl Iterator<Item = &'a Arg>) {
    page.push_str("| flag | what it does |\n| --- | --- |\n");
    for arg in arguments.filter(|arg| !arg.is_hide_set()) {
        let help = arg.get_long_help().or(arg.get_help()).map(StyledStr::to_string).unwrap_or_default();
        let _ = writeln!(page, "| `{}` | {}{} |", spelling(arg), cell(&help), values(arg));
    }
}

/// `--name <VALUE>`, with its short form; `[VALUE]` of an argument without a name.
fn spelling(arg: &Arg) -> String {
    let takes = matches!(arg.get_action(), ArgAction::Set | ArgAction::Append);
    let names: Vec<String> = arg.get_value_names().unwrap_or_default().iter().map(ToString::to_string).collect();
    let Some(long) = arg.get_long() else { return format!("[{}]", names.join("> <")) };
    let short = arg.get_short().map(|short| format!("-{short}, ")).unwrap_or_default();
    let optional = arg.get_num_args().is_some_and(|count| count.min_values() == 0);
    match (takes, optional) {
        (false, _) => format!("{short}--{long}"),
        (true, true) => format!("{short}--{long}[=<{}>]", names.join("> <")),
        (true, false) => format!("{short}--{long} <{}>", names.join("> <")),
    }
}

/// The default and the values that a flag takes, where it has them.
fn values(arg: &Arg) -> String {
    let mut text = String::new();
    let takes = matches!(arg.get_action(), ArgAction::Set | ArgAction::Append);
    let default: Vec<_> = arg.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
    if takes && !default.is_empty() && !arg.is_hide_default_value_set() {
        let _ = write!(text, ". Default: `{}`", default.join(" "));
    }
    let possible: Vec<String> =
        arg.get_possible_values().iter().map(|value| format!("`{}`", value.get_name())).collect();
    if takes && !possible.is_empty() && !arg.is_hide_possible_values_set() {
        let _ = write!(text, ". One of {}", possible.join(", "));
    }
    text
}

/// Text for a cell of a table: one line, nothing that Markdown would take for its own.
fn cell(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    markdown(&words.join(" ").replace('|', "\\|"))
}

#[test]
fn the_page_is_what_the_command_line_says() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/use/command-line.md");
    let wanted = page();
    if std::env::var_os("FORNAX_BLESS").is_some() {
        std::fs::write(path, &wanted).expect("docs/use/command-line.md can be written");
    }
    let found = std::fs::read_to_string(path).unwrap_or_default();
    assert!(found == wanted, "docs/use/command-line.md is stale: run FORNAX_BLESS=1 cargo test -p fornax-cli page");
}

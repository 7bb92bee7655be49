//! The whole command line for clap: what the derives say, and behind each command's flags its examples and other tools'
//! names.

use clap::{Command, CommandFactory};

use super::Cli;
use super::examples::{EXAMPLES, Example};
use crate::compat;

/// The command line, complete.
pub fn command() -> Command {
    let mut command = Cli::command();
    for (path, examples) in EXAMPLES {
        let words: Vec<&str> = path.split(' ').filter(|word| !word.is_empty()).collect();
        command = with_text(command, &words, &listed(examples));
    }
    for (name, compiler) in [("compile", true), ("run-module", false)] {
        let text = format!("FLAGS OF IREE\n{}", compat::aliases(compiler));
        command = with_long_text(command, name, text.trim_end());
    }
    command
}

/// Puts examples behind the help of the command at a path; nothing where this build lacks the command.
fn with_text(command: Command, path: &[&str], text: &str) -> Command {
    match path {
        [] => {
            let long = command.get_after_long_help().map(|old| format!("{text}\n\n{old}"));
            let command = command.after_help(text.to_string());
            match long {
                Some(long) => command.after_long_help(long),
                None => command,
            }
        }
        [first, ..] if command.find_subcommand(first).is_none() => command,
        [first, rest @ ..] => command.mut_subcommand(first, |sub| with_text(sub, rest, text)),
    }
}

/// Adds to the end of what `--help` (not `-h`) prints of a command.
fn with_long_text(command: Command, name: &str, text: &str) -> Command {
    if command.find_subcommand(name).is_none() {
        return command;
    }
    command.mut_subcommand(name, |sub| {
        let old = sub.get_after_long_help().or(sub.get_after_help()).map(ToString::to_string).unwrap_or_default();
        sub.after_long_help(format!("{old}\n\n{text}"))
    })
}

fn listed(examples: &[Example]) -> String {
    let mut text = String::from("EXAMPLES");
    for (line, what) in examples {
        text.push_str(&format!("\n  {line}\n      {what}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every command that is shown, by its path.
    fn paths(command: &Command, above: &str, found: &mut Vec<String>) {
        for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set() && sub.get_name() != "help") {
            let path = format!("{above} {}", sub.get_name()).trim().to_string();
            paths(sub, &path, found);
            found.push(path);
        }
    }

    #[test]
    fn every_command_shows_examples() {
        let command = command();
        let mut found = Vec::new();
        paths(&command, "", &mut found);
        for path in found {
            let mut sub = &command;
            for word in path.split(' ') {
                sub = sub.find_subcommand(word).unwrap();
            }
            let help = sub.clone().render_long_help().to_string();
            assert!(help.contains(&format!("EXAMPLES\n  fornax {path}")), "`fornax {path}` has no examples: {help}");
        }
    }

    #[test]
    fn every_example_is_a_command_line() {
        for (line, _) in EXAMPLES.iter().flat_map(|(_, examples)| examples.iter()) {
            let words = words(line);
            let translated = compat::translate(words).unwrap_or_else(|e| panic!("{line}: {e}"));
            // Words of other builds are no commands here.
            let known =
                |word: &std::ffi::OsString| command().find_subcommand(word.to_str().unwrap_or_default()).is_some();
            if translated.argv.get(1).is_some_and(known) {
                command().try_get_matches_from(translated.argv).unwrap_or_else(|e| panic!("{line}: {e}"));
            }
        }
    }

    /// The words of a line as a shell reads them: quotes of both kinds hold words together; a pipe or `>` ends the
    /// command.
    fn words(line: &str) -> Vec<std::ffi::OsString> {
        let (mut words, mut word, mut quote) = (Vec::new(), String::new(), None);
        for letter in line.chars() {
            match (letter, quote) {
                ('|' | '>', None) => break,
                (' ', None) => words.push(std::mem::take(&mut word)),
                ('"' | '\'', None) => quote = Some(letter),
                (letter, Some(open)) if letter == open => quote = None,
                _ => word.push(letter),
            }
        }
        words.push(word);
        words.into_iter().filter(|word| !word.is_empty()).map(Into::into).collect()
    }
}

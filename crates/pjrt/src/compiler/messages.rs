//! What the compiler says, JSON lines, as the text of one error: code, message, place with its line of source, help.

use serde_json::Value;

use crate::error::{Failure, Status};

/// The error of a compiler that ended without a module; `how` it ended counts where it said nothing.
pub fn failure(said: &str, how: &str) -> Failure {
    let lines = said.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let errors: Vec<Value> = lines.filter(|entry| text(entry, "level") == Some("error")).collect();
    let Some(first) = errors.first() else {
        let said = if said.trim().is_empty() { "nothing" } else { said.trim() };
        let message = format!("the compiler ended with {how}; it said: {said}");
        return Failure::with_help(Status::Internal, "FX0911", message, Some("it may have been out of memory"));
    };
    let status = match text(first, "code").and_then(|code| code.get(2..4)) {
        // The program itself, the command line.
        Some("01" | "02" | "08") => Status::InvalidArgument,
        Some("09") => Status::Internal,
        _ => Status::Unimplemented,
    };
    Failure { status: status as i32, message: errors.iter().map(shown).collect::<Vec<_>>().join("\n") }
}

fn text<'a>(entry: &'a Value, key: &str) -> Option<&'a str> {
    entry.get(key)?.as_str()
}

/// One error as people read it.
fn shown(entry: &Value) -> String {
    let number = |key: &str| entry.get(key).and_then(Value::as_u64);
    let place = match (text(entry, "file"), number("line"), number("column")) {
        (Some(file), Some(line), Some(column)) => format!("{file}:{line}:{column}: "),
        _ => String::new(),
    };
    let (code, message) = (text(entry, "code").unwrap_or("FX0911"), text(entry, "message").unwrap_or_default());
    let mut all = vec![format!("{place}[{code}] {message}")];
    all.extend(text(entry, "source_line").map(|line| format!("  {line}")));
    all.extend(text(entry, "help").map(|help| format!("  help: {help}")));
    let causes = entry.get("cause").and_then(Value::as_array).into_iter().flatten();
    all.extend(causes.filter_map(Value::as_str).map(|cause| format!("  cause: {cause}")));
    all.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_has_code_place_source_and_help() {
        let said = concat!(
            r#"{"level":"warning","message":"slow"}"#,
            "\n",
            r#"{"level":"error","code":"FX0104","message":"no %c","help":"say %a","#,
            r#""file":"<stdin>","line":1,"column":2,"source_line":"add %a, %c"}"#
        );
        let failure = failure(said, "exit status: 1");
        assert_eq!(failure.message, "<stdin>:1:2: [FX0104] no %c\n  add %a, %c\n  help: say %a");
        assert_eq!(failure.status, Status::InvalidArgument as i32);
    }

    #[test]
    fn a_compiler_without_words_is_an_error_too() {
        let failure = failure("oh", "signal: 9");
        assert!(failure.message.starts_with("[FX0911] the compiler ended with signal: 9; it said: oh"), "{failure:?}");
    }
}

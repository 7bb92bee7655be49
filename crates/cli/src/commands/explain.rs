//! `fornax explain [CODE]`: what an error code means and what to do; without a code, the whole table as Markdown.

use anyhow::Result;
use fornax_types::ErrorCode;

use crate::args::Format;
use crate::failure::Failure;
use crate::output::say;

// Codes of the command line itself; the other crates have their own tables.
fornax_types::errors! {
    FX0801 "wrong command line or input value": "`fornax COMMAND --help` shows flags and the input format";
    FX0802 "output cannot be written": "check the folder, its permissions and its free space";
    FX0803 "input cannot be read": "check the path";
    FX0804 "device library cannot be read":
        "name its folder with --rocm-bc-dir, or leave --rocm-link-bc out: Fornax has its own functions";
    FX0810 "outputs differ from the expected ones": "compare the values named; set a tolerance that fits the model";
    FX0805 "this build has no compiler":
        "compile with a build that has the feature `compiler`, then run the module here";
    FX0815 "a module will not run on this machine":
        "`fornax check` names each device and why; compile for one that is here, or run the module where its device is";
    FX0816 "two modules differ in signature or outputs":
        "`fornax diff` prints what differs; --tolerance says how far outputs may be apart, --no-run compares without \
         running";
    FX0817 "a call repeated gave other bits":
        "the message names the first launch whose result differs; without one all calls were equal launch by launch: \
         run it again, or launches that overlap differ; report it with the module";
    FX0812 "runs of a batch failed": "the lines on stdout say which; the exit code is the highest of theirs";
    FX0811 "a dispatch differs from the reference evaluator":
        "the message names kernel, ops and element; `fornax verify --reproducer=DIR` makes a model of the dispatch \
         alone";
}

/// Every code of this build, sorted; a code that two tables hold is listed once.
fn rows() -> Vec<ErrorCode> {
    let mut rows: Vec<ErrorCode> = ERROR_CODES.to_vec();
    rows.extend(fornax_targets::ERROR_CODES);
    rows.extend(fornax_checkpoint::ERROR_CODES);
    #[cfg(feature = "text")]
    rows.extend(fornax_text::ERROR_CODES);
    #[cfg(feature = "serve")]
    rows.extend(fornax_serve::ERROR_CODES);
    rows.extend(fornax_module::ERROR_CODES);
    rows.extend(fornax_runtime::ERROR_CODES);
    #[cfg(feature = "compiler")]
    rows.extend(fornax_compiler::error_codes());
    rows.sort_unstable();
    rows.dedup_by_key(|row| row.code);
    rows
}

/// Text for Markdown, which takes `<f32>` for a tag unless it stands in code type.
pub fn markdown(text: &str) -> String {
    let parts = text.split('`').enumerate();
    let parts = parts.map(|(at, part)| if at % 2 == 0 { part.replace('<', "&lt;") } else { part.to_string() });
    parts.collect::<Vec<_>>().join("`")
}

/// The JSON form of a row.
fn object(row: ErrorCode) -> serde_json::Value {
    serde_json::json!({ "code": row.code, "title": row.title, "help": row.help })
}

pub fn run(code: Option<&str>, format: Format) -> Result<()> {
    let Some(code) = code else {
        if format == Format::Json {
            say!("{}", serde_json::to_string_pretty(&rows().into_iter().map(object).collect::<Vec<_>>())?);
            return Ok(());
        }
        say!(
            "# Error codes\n\nMade by `fornax explain`. Every error names its code; `fornax explain CODE` prints the \
             row.\n"
        );
        say!("| code | what it means | what to do |\n| --- | --- | --- |");
        for row in rows() {
            say!("| {} | {} | {} |", row.code, markdown(row.title), markdown(row.help));
        }
        return Ok(());
    };
    // `501` is FX0501.
    let number = code.parse::<u16>().map(|number| format!("FX{number:04}"));
    let code = number.as_deref().unwrap_or(code);
    let row = rows().into_iter().find(|row| row.code.eq_ignore_ascii_case(code));
    let row = row.ok_or_else(|| Failure::usage(format!("no error code `{code}` in this build")))?;
    match format {
        Format::Json => say!("{}", object(row)),
        Format::Text => say!("{}: {}\n  what to do: {}", row.code, row.title, row.help),
    }
    Ok(())
}

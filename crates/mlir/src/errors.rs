//! Errors of the MLIR and LLVM stages: codes FX0440–FX0449.

use std::fmt;

fornax_types::errors! {
    FX0440 "kernel module does not parse":
        "this is a fault of the compiler: report it with the kernel's MLIR (--dump-ir-to)";
    FX0441 "kernel module does not lower":
        "this is a fault of the compiler: report it with the kernel's MLIR (--dump-ir-to)";
    FX0442 "an operation was left without a lowering":
        "this is a fault of the compiler: report it with the kernel's MLIR (--dump-ir-to)";
    FX0443 "translation to LLVM IR failed":
        "this is a fault of the compiler: report it with the kernel's MLIR (--dump-ir-to)";
    FX0444 "LLVM does not know the target": "use a target of `fornax list-targets`";
    FX0445 "LLVM optimisation failed":
        "this is a fault of the compiler: report it with the kernel's MLIR (--dump-ir-to)";
    FX0446 "LLVM code generation failed":
        "the kernel asks for something the target lacks: try another target, and report it with the kernel's MLIR";
    FX0447 "AMD's device library does not link":
        "--rocm-bc-dir names a library that fits LLVM 22; without --rocm-link-bc none is needed";
}

/// Where compilation of a kernel stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Reading the text.
    Parse,
    /// The MLIR pass pipeline.
    Lower,
    /// The check that only operations with a translation remain.
    Check,
    /// MLIR to LLVM IR.
    Translate,
    /// Finding the LLVM target.
    Machine,
    /// LLVM's optimisation passes.
    Optimise,
    /// Linking AMD's device library.
    Library,
    /// Assembly or object output.
    Emit,
}

impl Stage {
    /// Name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Parse => "parse",
            Stage::Lower => "lower",
            Stage::Check => "check",
            Stage::Translate => "translate",
            Stage::Machine => "target",
            Stage::Optimise => "optimise",
            Stage::Library => "device library",
            Stage::Emit => "emit",
        }
    }

    /// Stable code of an error in this stage.
    pub fn code(self) -> &'static str {
        match self {
            Stage::Parse => "FX0440",
            Stage::Lower => "FX0441",
            Stage::Check => "FX0442",
            Stage::Translate => "FX0443",
            Stage::Machine => "FX0444",
            Stage::Optimise => "FX0445",
            Stage::Library => "FX0447",
            Stage::Emit => "FX0446",
        }
    }
}

/// One diagnostic of MLIR or LLVM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// 1-based line in the kernel text; 0 where there is none.
    pub line: u32,
    /// 1-based column; 0 where there is none.
    pub column: u32,
    /// True for errors, false for warnings and remarks.
    pub is_error: bool,
    /// The text, notes appended.
    pub message: String,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = if self.is_error { "error" } else { "warning" };
        if self.line > 0 {
            write!(f, "{}:{}: {severity}: {}", self.line, self.column, self.message)
        } else {
            write!(f, "{severity}: {}", self.message)
        }
    }
}

/// Why a kernel module was not compiled.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("[{}] kernel {} stage: {summary}{}", stage.code(), stage.name(), listing(diagnostics, source_lines))]
pub struct MlirError {
    /// Where it stopped.
    pub stage: Stage,
    /// One line.
    pub summary: String,
    /// What MLIR and LLVM said, in order.
    pub diagnostics: Vec<Diagnostic>,
    /// The line of the kernel text each diagnostic points at; empty where it points nowhere.
    pub source_lines: Vec<String>,
}

impl MlirError {
    pub(crate) fn new(stage: Stage, summary: impl Into<String>, diagnostics: Vec<Diagnostic>, text: &str) -> MlirError {
        let line_of = |diagnostic: &Diagnostic| {
            let index = (diagnostic.line as usize).checked_sub(1)?;
            Some(text.lines().nth(index)?.trim().chars().take(240).collect())
        };
        let source_lines = diagnostics.iter().map(|diagnostic| line_of(diagnostic).unwrap_or_default()).collect();
        MlirError { stage, summary: summary.into(), diagnostics, source_lines }
    }

    /// The stable code.
    pub fn code(&self) -> &'static str {
        self.stage.code()
    }
}

fn listing(diagnostics: &[Diagnostic], source_lines: &[String]) -> String {
    const SHOWN: usize = 6;
    let mut text = String::new();
    for (diagnostic, source) in diagnostics.iter().zip(source_lines).take(SHOWN) {
        text.push_str(&format!("\n  {diagnostic}"));
        if !source.is_empty() {
            text.push_str(&format!("\n    | {source}"));
        }
    }
    if diagnostics.len() > SHOWN {
        text.push_str(&format!("\n  and {} more", diagnostics.len() - SHOWN));
    }
    text
}

//! The phases of a compilation, in order: names, what each makes, what its dump file is called.

/// One phase; `--compile-to=NAME` stops after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Phase {
    Import,
    Simplify,
    Fuse,
    Schedule,
    Emit,
    Codegen,
    Pack,
}

/// A row of the phase table.
pub struct PhaseRow {
    pub phase: Phase,
    /// Name in `--compile-to` and in dump file names.
    pub name: &'static str,
    /// From what to what.
    pub makes: &'static str,
}

#[rustfmt::skip]
pub const PHASES: &[PhaseRow] = &[
    PhaseRow { phase: Phase::Import, name: "import", makes: "StableHLO text -> verified graph" },
    PhaseRow { phase: Phase::Simplify, name: "simplify", makes: "graph -> graph of canonical ops, constants folded" },
    PhaseRow { phase: Phase::Fuse, name: "fuse", makes: "graph -> graph of fusion groups" },
    PhaseRow { phase: Phase::Schedule, name: "schedule",
               makes: "groups -> kernel plans and a host program, for each target" },
    PhaseRow { phase: Phase::Emit, name: "emit", makes: "kernel plan -> one MLIR module a kernel" },
    PhaseRow { phase: Phase::Codegen, name: "codegen", makes: "MLIR -> PTX, hsaco, SPIR-V or CPU ELF" },
    PhaseRow { phase: Phase::Pack, name: "pack", makes: "everything -> one module file" },
];

impl Phase {
    pub fn name(self) -> &'static str {
        PHASES.iter().find(|row| row.phase == self).map_or("", |row| row.name)
    }

    pub fn parse(name: &str) -> Option<Phase> {
        PHASES.iter().find(|row| row.name == name).map(|row| row.phase)
    }
}

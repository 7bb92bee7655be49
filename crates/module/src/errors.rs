//! What can be wrong with a module file, with the stable codes FX0601 to FX0615.
//!
//! Every error says what is wrong and where; [`ModuleError::code`] and [`ModuleError::help`] give the stable
//! code and what to do. None of them is ever a panic: a module is read from bytes that nobody vouches for.

/// `(code, short title, what to do)`, one row an error.
pub const ERROR_CODES: &[(&str, &str, &str)] = &[
    ("FX0601", "not a module file", "give a file written by `fornax compile`; a file copied in text mode is damaged"),
    ("FX0602", "module format version not supported", "compile the model again with this version of fornax"),
    ("FX0603", "module file truncated or extended", "copy or download the file again"),
    ("FX0604", "section table damaged", "copy or download the file again, or compile the model again"),
    (
        "FX0605",
        "module needs something this reader does not know",
        "use a newer fornax, or compile without the named feature",
    ),
    ("FX0606", "section does not match its hash", "the file is damaged: copy or download it again"),
    ("FX0607", "manifest not valid", "compile the model again; if fornax wrote this file unaltered, report it"),
    ("FX0608", "program records damaged", "compile the model again; if fornax wrote this file unaltered, report it"),
    ("FX0609", "program not valid", "compile the model again; if fornax wrote this file unaltered, report it"),
    ("FX0610", "executable image not valid", "compile the model again; if fornax wrote this file unaltered, report it"),
    (
        "FX0611",
        "no image for this device",
        "compile again with the device's target, e.g. --cuda-target=, --rocm-target=, --opencl-target= or --cpu-target=",
    ),
    ("FX0612", "limit exceeded", "split the model, or make the named thing smaller"),
    ("FX0613", "size expression cannot be evaluated", "give inputs whose sizes lie in the ranges of the signature"),
    ("FX0614", "module cannot be written", "this is an error of the program that builds the module: report it"),
    ("FX0615", "reading or writing failed", "look at the system's message: space, permissions, path"),
];

/// An error of the module file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModuleError {
    #[error("not a fornax module: {why}")]
    NotAModule { why: String },
    #[error("module format {major}.{minor} is not supported; this reader knows {known_major}.{known_minor}")]
    Version { major: u16, minor: u16, known_major: u16, known_minor: u16 },
    #[error("module file is {actual} bytes long, its header says {expected}")]
    Length { expected: u64, actual: u64 },
    #[error("section table: {what}")]
    Table { what: String },
    #[error("module needs {what}, which this reader does not know")]
    UnknownRequired { what: String },
    #[error("{section} does not match its BLAKE3 hash")]
    Hash { section: String },
    #[error("manifest: {what}")]
    Manifest { what: String },
    #[error("program records at byte {offset}: {what}")]
    Records { offset: u64, what: String },
    #[error("program: {place}: {what}")]
    Program { place: String, what: String },
    #[error("image {image}: {what}")]
    Image { image: String, what: String },
    #[error("the module holds no image for {device}; it holds {}", list_or_nothing(.holds))]
    NoImage { holds: Vec<String>, device: String },
    #[error("{what} is {value}, more than the limit {limit}")]
    Limit { what: String, value: u64, limit: u64 },
    #[error("size expression {expr}: {what}")]
    Size { expr: u32, what: String },
    #[error("module cannot be written: {what}")]
    Write { what: String },
    #[error("{what}: {message}")]
    Io { what: String, kind: std::io::ErrorKind, message: String },
}

fn list_or_nothing(holds: &[String]) -> String {
    if holds.is_empty() { "no image at all".into() } else { holds.join(", ") }
}

impl ModuleError {
    /// The stable code, `FX0601` and on.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotAModule { .. } => "FX0601",
            Self::Version { .. } => "FX0602",
            Self::Length { .. } => "FX0603",
            Self::Table { .. } => "FX0604",
            Self::UnknownRequired { .. } => "FX0605",
            Self::Hash { .. } => "FX0606",
            Self::Manifest { .. } => "FX0607",
            Self::Records { .. } => "FX0608",
            Self::Program { .. } => "FX0609",
            Self::Image { .. } => "FX0610",
            Self::NoImage { .. } => "FX0611",
            Self::Limit { .. } => "FX0612",
            Self::Size { .. } => "FX0613",
            Self::Write { .. } => "FX0614",
            Self::Io { .. } => "FX0615",
        }
    }

    /// What the user can do about it, from [`ERROR_CODES`].
    pub fn help(&self) -> &'static str {
        let code = self.code();
        ERROR_CODES.iter().find(|row| row.0 == code).map_or("", |row| row.2)
    }

    pub(crate) fn table(what: impl Into<String>) -> Self {
        Self::Table { what: what.into() }
    }

    pub(crate) fn manifest(what: impl Into<String>) -> Self {
        Self::Manifest { what: what.into() }
    }

    pub(crate) fn image(image: impl Into<String>, what: impl Into<String>) -> Self {
        Self::Image { image: image.into(), what: what.into() }
    }

    pub(crate) fn program(place: impl Into<String>, what: impl Into<String>) -> Self {
        Self::Program { place: place.into(), what: what.into() }
    }

    pub(crate) fn io(what: impl Into<String>, error: &std::io::Error) -> Self {
        Self::Io { what: what.into(), kind: error.kind(), message: error.to_string() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_every_error_has_a_row() {
        for (i, row) in ERROR_CODES.iter().enumerate() {
            assert_eq!(row.0, format!("FX06{:02}", i + 1));
        }
        let error = ModuleError::NoImage { holds: vec![], device: "sm_90".into() };
        assert!(error.to_string().contains("no image at all"));
        assert!(error.help().contains("--cuda-target"));
    }
}

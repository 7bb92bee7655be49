//! What can be wrong with a module file, with the stable codes FX0601 to FX0615.
//!
//! Every error says what is wrong and where; [`ModuleError::code`] and [`ModuleError::help`] give the stable
//! code and what to do. None of them is ever a panic: a module is read from bytes that nobody vouches for.

fornax_types::errors! {
    /// An error of the module file.
    #[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
    pub enum ModuleError {
        #[error("not a fornax module: {why}")]
        NotAModule { why: String } = FX0601 "not a module file":
            "give a file written by `fornax compile`; a file copied in text mode is damaged";
        #[error("module format {major}.{minor} is not supported; this reader knows {known_major}.{known_minor}")]
        Version { major: u16, minor: u16, known_major: u16, known_minor: u16 } =
            FX0602 "module format version not supported":
            "compile the model again with this version of fornax";
        #[error("module file is {actual} bytes long, its header says {expected}")]
        Length { expected: u64, actual: u64 } = FX0603 "module file truncated or extended":
            "copy or download the file again";
        #[error("section table: {what}")]
        Table { what: String } = FX0604 "section table damaged":
            "copy or download the file again, or compile the model again";
        #[error("module needs {what}, which this reader does not know")]
        UnknownRequired { what: String } = FX0605 "module needs something this reader does not know":
            "use a newer fornax, or compile without the named feature";
        #[error("{section} does not match its BLAKE3 hash")]
        Hash { section: String } = FX0606 "section does not match its hash":
            "the file is damaged: copy or download it again";
        #[error("manifest: {what}")]
        Manifest { what: String } = FX0607 "manifest not valid":
            "compile the model again; if fornax wrote this file unaltered, report it";
        #[error("program records at byte {offset}: {what}")]
        Records { offset: u64, what: String } = FX0608 "program records damaged":
            "compile the model again; if fornax wrote this file unaltered, report it";
        #[error("program: {place}: {what}")]
        Program { place: String, what: String } = FX0609 "program not valid":
            "compile the model again; if fornax wrote this file unaltered, report it";
        #[error("image {image}: {what}")]
        Image { image: String, what: String } = FX0610 "executable image not valid":
            "compile the model again; if fornax wrote this file unaltered, report it";
        #[error("the module holds no image for {device}; it holds {}", list_or_nothing(.holds))]
        NoImage { holds: Vec<String>, device: String } = FX0611 "no image for this device":
            "compile again with the device's target, e.g. --cuda-target=, --rocm-target=, --opencl-target= or \
             --cpu-target=";
        #[error("{what} is {value}, more than the limit {limit}")]
        Limit { what: String, value: u64, limit: u64 } = FX0612 "limit exceeded":
            "split the model, or make the named thing smaller";
        #[error("size expression {expr}: {what}")]
        Size { expr: u32, what: String } = FX0613 "size expression cannot be evaluated":
            "give inputs whose sizes lie in the ranges of the signature";
        #[error("module cannot be written: {what}")]
        Write { what: String } = FX0614 "module cannot be written":
            "this is an error of the program that builds the module: report it";
        #[error("{what}: {message}")]
        Io { what: String, kind: std::io::ErrorKind, message: String } = FX0615 "reading or writing failed":
            "look at the system's message: space, permissions, path";
    }
}

fn list_or_nothing(holds: &[String]) -> String {
    if holds.is_empty() { "no image at all".into() } else { holds.join(", ") }
}

impl ModuleError {
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
    fn messages_and_help_are_whole() {
        let error = ModuleError::NoImage { holds: vec![], device: "sm_90".into() };
        assert!(error.to_string().contains("no image at all"));
        assert!(error.help().contains("--cuda-target"));
    }
}

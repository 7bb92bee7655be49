//! An open module file.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use fornax_module::format::MAGIC;
use fornax_module::manifest::{FunctionSignature, Manifest};
use fornax_module::program::Command;
use fornax_module::{ModuleError, ParsedModule, TrustedModule, Verify};

use super::constants_check::ConstantsCheck;
use crate::errors::{ErrorKind, Result, RuntimeError};
use crate::mapping::{HostBytes, Mapping};

/// The file's bytes, as the reader takes them.
#[derive(Clone)]
pub(super) struct Source(pub(super) Arc<Mapping>);

impl AsRef<[u8]> for Source {
    fn as_ref(&self) -> &[u8] {
        self.0.bytes()
    }
}

/// A module file, checked. Clones are the same.
#[derive(Clone)]
pub struct Module(Arc<Shared>);

struct Shared {
    trusted: Arc<TrustedModule<Source>>,
    constants: ConstantsCheck,
    /// For messages; `None` for a module that was in memory.
    path: Option<PathBuf>,
}

impl From<ModuleError> for RuntimeError {
    fn from(error: ModuleError) -> Self {
        let kind = match error {
            ModuleError::NoImage { .. } => ErrorKind::Device,
            // The system refused something; the file is not to blame.
            ModuleError::Io { .. } => ErrorKind::Input,
            _ => ErrorKind::Module,
        };
        RuntimeError::new(error.code(), kind, error.to_string()).with_help(error.help())
    }
}

impl Module {
    /// Reads and checks a module file; all its hashes are checked before a function first runs.
    ///
    /// # Errors
    /// FX0718 if the file cannot be read, FX06xx for the first thing wrong in it.
    pub fn open(path: &Path) -> Result<Module> {
        Module::open_with(path, Verify::default())
    }

    /// Reads and checks a module file; `verify` says when its hashes are checked. With [`Verify::Full`] the constants
    /// are hashed by other threads from here on, whatever the caller does; [`Session::load`] waits for them.
    ///
    /// # Errors
    /// As [`Module::open`].
    ///
    /// [`Session::load`]: super::Session::load
    pub fn open_with(path: &Path, verify: Verify) -> Result<Module> {
        let unreadable = |error: RuntimeError| {
            let again = RuntimeError::new("FX0718", ErrorKind::Input, error.message());
            match error.own_help() {
                Some(help) => again.with_help(help),
                None => again,
            }
        };
        let mapping = Mapping::copy(path, &MAGIC).map_err(unreadable)?;
        let opened = Module::from_mapping(mapping, verify, Some(path));
        opened.map_err(|error| error.context(path.display()))
    }

    /// A module that is in memory already.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Module> {
        Module::from_bytes_with(bytes, Verify::default())
    }

    /// A module that is in memory already; `verify` as for [`Module::open_with`].
    pub fn from_bytes_with(bytes: Vec<u8>, verify: Verify) -> Result<Module> {
        Module::from_mapping(Mapping::from_bytes(bytes), verify, None)
    }

    fn from_mapping(mapping: Mapping, verify: Verify, path: Option<&Path>) -> Result<Module> {
        let parsed = ParsedModule::parse_with(Source(Arc::new(mapping)), verify)?;
        let trusted = Arc::new(parsed.assume_trusted());
        let constants = ConstantsCheck::start(&trusted);
        Ok(Module(Arc::new(Shared { trusted, constants, path: path.map(Path::to_path_buf) })))
    }

    /// When the module's hashes are checked.
    pub fn verify(&self) -> Verify {
        self.parsed().verify()
    }

    /// Waits until the constants have been compared with their hash, or compares them now; the first call only, the
    /// others give what it found. Nothing with [`Verify::Off`].
    ///
    /// # Errors
    /// FX0606 where they differ.
    pub fn check_constants(&self) -> Result<()> {
        self.0.constants.wait(&self.0.trusted).map_err(|error| self.context(error.into()))
    }

    /// The file must still be the one that was opened, where it was too large to be copied.
    ///
    /// # Errors
    /// FX0722 where it was shortened or written to.
    pub(super) fn check_unchanged(&self) -> Result<()> {
        if !self.parsed().source().0.changed() {
            return Ok(());
        }
        let message = "the module file was changed while it is in use";
        Err(self.context(RuntimeError::new("FX0722", ErrorKind::Module, message)))
    }

    fn context(&self, error: RuntimeError) -> RuntimeError {
        match &self.0.path {
            Some(path) => error.context(path.display()),
            None => error,
        }
    }

    pub fn manifest(&self) -> &Manifest {
        self.0.trusted.manifest()
    }

    /// The module file's bytes, for writing it again.
    pub fn bytes(&self) -> &[u8] {
        self.parsed().source().as_ref()
    }

    /// Whether its functions call functions of the process that made it, which no other process has.
    pub fn calls_host(&self) -> bool {
        let blocks = self.parsed().programs().iter().flat_map(|program| &program.blocks);
        blocks.flat_map(|block| &block.commands).any(|command| matches!(command, Command::HostCall { .. }))
    }

    /// The debug section of a name, if the module has it.
    ///
    /// # Errors
    /// FX06xx for a section outside of the file.
    pub fn debug(&self, name: &str) -> Result<Option<&[u8]>> {
        Ok(self.parsed().debug(name)?)
    }

    pub(super) fn parsed(&self) -> &ParsedModule<Source> {
        self.0.trusted.module()
    }

    /// The constants section, in place.
    pub(super) fn constants(&self) -> Option<HostBytes> {
        let range = self.parsed().constants_range();
        HostBytes::new(self.parsed().source().0.clone(), range.start as usize..range.end as usize)
    }

    /// The signature of a function; without a name, of the only one (or `main` of several).
    ///
    /// # Errors
    /// FX0710 with the names of all exports.
    pub fn function(&self, name: Option<&str>) -> Result<&FunctionSignature> {
        let functions = &self.manifest().functions;
        let found = match (name, functions.as_slice()) {
            (Some(name), all) => all.iter().find(|function| function.name == name),
            (None, [only]) => Some(only),
            (None, all) => all.iter().find(|function| function.name == "main"),
        };
        found.ok_or_else(|| {
            let names: Vec<&str> = functions.iter().map(|function| function.name.as_str()).collect();
            let message = match name {
                Some(name) => format!("the module has no function `{name}`"),
                None => "the module has several functions: choose one with --function".to_string(),
            };
            RuntimeError::new("FX0710", ErrorKind::Input, message)
                .with_help(format!("it exports: {}", names.join(", ")))
        })
    }
}

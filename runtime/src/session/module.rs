//! An open module file.

use std::path::Path;
use std::sync::Arc;

use fornax_module::manifest::{FunctionSignature, Manifest};
use fornax_module::{ModuleError, ParsedModule, TrustedModule};

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
pub struct Module(Arc<TrustedModule<Source>>);

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
    /// Maps and checks a module file. Its weights stay in the mapping.
    ///
    /// # Errors
    /// FX0718 if the file cannot be read, FX06xx for the first thing wrong in it.
    pub fn open(path: &Path) -> Result<Module> {
        let unreadable = |error: RuntimeError| RuntimeError::new("FX0718", ErrorKind::Input, error.message());
        let mapping = Mapping::open(path).map_err(unreadable)?;
        Module::from_mapping(mapping).map_err(|error| error.context(path.display()))
    }

    /// A module that is in memory already.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Module> {
        Module::from_mapping(Mapping::from_bytes(bytes))
    }

    fn from_mapping(mapping: Mapping) -> Result<Module> {
        let parsed = ParsedModule::parse(Source(Arc::new(mapping)))?;
        Ok(Module(Arc::new(parsed.assume_trusted())))
    }

    pub fn manifest(&self) -> &Manifest {
        self.0.manifest()
    }

    /// The debug section of a name, if the module has it.
    ///
    /// # Errors
    /// FX06xx for a section outside of the file.
    pub fn debug(&self, name: &str) -> Result<Option<&[u8]>> {
        Ok(self.parsed().debug(name)?)
    }

    pub(super) fn parsed(&self) -> &ParsedModule<Source> {
        self.0.module()
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

//! From a program to a module: the `fornax` program compiles, as a process of its own, so that no model can end the
//! caller's. Modules are kept on disk by a hash of all that they were made of.

mod cache;
mod input;
mod messages;
mod process;
mod resident;

use std::path::{Path, PathBuf};

use fornax_runtime::Module;
use fornax_runtime::drivers::library_file;

use crate::error::{Failure, Result, Status};
use crate::options::Options;
use cache::Cache;
use resident::Pool;

/// The compiler of a client.
pub struct Compiler {
    program: Option<PathBuf>,
    /// The flag for the client's devices.
    target: String,
    cache: Option<Cache>,
    workers: Pool,
}

impl Compiler {
    /// The compiler for devices of a driver.
    pub fn new(options: &Options, driver: &str) -> Compiler {
        Compiler {
            program: program(options, own_folder().as_deref()),
            target: format!("--target={driver}:native"),
            cache: options.cache.as_deref().map(|folder| Cache::new(folder, options.cache_bytes)),
            workers: Pool::new(),
        }
    }

    /// The module of a program. `flags` are of `fornax compile`.
    ///
    /// # Errors
    /// What the compiler says, in its words; FX0733 where there is none.
    pub fn compile(&self, model: &[u8], flags: &[String]) -> Result<Module> {
        let missing = || Failure::coded(Status::NotFound, "FX0733", "the program `fornax` is not installed");
        let program = self.program.as_deref().ok_or_else(missing)?;
        let target = std::iter::once(self.target.as_str());
        let arguments: Vec<&str> = target.chain(flags.iter().map(String::as_str)).collect();
        let make = || {
            let answer = self.workers.compile(program, &arguments, model);
            answer.unwrap_or_else(|| process::compile(program, &arguments, model))
        };
        let Some(cache) = &self.cache else { return Ok(Module::from_bytes(make()?)?) };
        let key = cache::key(&identity(program)?, &arguments, model);
        // A file that was damaged is made again.
        if let Some(found) = cache.get(&key).and_then(|bytes| Module::from_bytes(bytes).ok()) {
            return Ok(found);
        }
        let made = make()?;
        cache.keep(&key, &made);
        Ok(Module::from_bytes(made)?)
    }
}

/// What a module depends on beside its model: the program's file.
fn identity(program: &Path) -> Result<String> {
    let unreadable = |error| Failure::coded(Status::NotFound, "FX0733", format!("{}: {error}", program.display()));
    let data = std::fs::metadata(program).map_err(unreadable)?;
    let modified = data.modified().ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
    Ok(format!("{} {} {}", program.display(), data.len(), modified.map_or(0, |time| time.as_nanos())))
}

/// The option's program, else the one beside this library (as the Python package has it), else one on the PATH.
fn program(options: &Options, own: Option<&Path>) -> Option<PathBuf> {
    if let Some(named) = &options.compiler {
        return Some(named.clone());
    }
    let beside = own.into_iter().flat_map(|folder| [folder.join("bin").join("fornax"), folder.join("fornax")]);
    let on_path = options.path.iter().map(|folder| folder.join("fornax"));
    let found = beside.chain(on_path).find(|path| path.is_file())?;
    Some(found.canonicalize().unwrap_or(found))
}

/// The folder of this library.
fn own_folder() -> Option<PathBuf> {
    let own = own_folder as fn() -> Option<PathBuf>;
    let file = library_file::file_of(own as usize)?;
    Some(Path::new(&file).canonicalize().ok()?.parent()?.to_path_buf())
}

//! `--trace=FILE`: a trace of what host and devices did, written whole or not at all.

use std::fs::{File, OpenOptions};
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result};
use fornax_runtime::trace::{Trace, TracePhase};
use tempfile::NamedTempFile;

use crate::failure::Failure;
use crate::messages;

/// A trace that is being written, if one is asked for.
#[derive(Default)]
pub struct TraceFile {
    trace: Option<Arc<Trace>>,
    /// Where it goes; what is not a regular file (a pipe) is written in place.
    path: PathBuf,
    temporary: Option<NamedTempFile>,
}

impl TraceFile {
    /// Begins a trace into `path`; nothing without one. `reads` are files that it must not replace.
    ///
    /// # Errors
    /// FX0801 if it is one of `reads`, FX0802 if it cannot be written.
    pub fn begin(path: Option<&Path>, reads: Option<&Path>) -> Result<TraceFile> {
        let Some(path) = path else { return Ok(TraceFile::default()) };
        let same =
            |read: &Path| path.canonicalize().is_ok_and(|path| read.canonicalize().is_ok_and(|read| read == path));
        if reads.is_some_and(same) {
            return Err(Failure::usage(format!("--trace={} is the module: name another file", path.display())).into());
        }
        let refuse = || format!("error[FX0802]: cannot write {}", path.display());
        let (file, temporary): (File, Option<NamedTempFile>) = if path.exists() && !path.is_file() {
            (OpenOptions::new().write(true).open(path).with_context(refuse)?, None)
        } else {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
            let temporary = tempfile::Builder::new().prefix(".fornax-").tempfile_in(folder).with_context(refuse)?;
            (temporary.reopen().with_context(refuse)?, Some(temporary))
        };
        let trace = Trace::new(Box::new(BufWriter::new(file)));
        Ok(TraceFile { trace: Some(trace), path: path.to_path_buf(), temporary })
    }

    /// For devices to tell.
    pub fn trace(&self) -> Option<Arc<Trace>> {
        self.trace.clone()
    }

    /// A phase of the host, until the result is dropped.
    pub fn phase(&self, what: &str) -> Option<TracePhase<'_>> {
        self.trace.as_ref().map(|trace| trace.phase(what))
    }

    /// Ends the trace and puts it in its place. No device may be observed any more.
    ///
    /// # Errors
    /// FX0802 or FX0832 if it cannot be written.
    pub fn end(self) -> Result<()> {
        let Some(trace) = self.trace else { return Ok(()) };
        let summary = trace.finish().map_err(Failure::from)?;
        if let Some(temporary) = self.temporary {
            let refuse = || format!("error[FX0802]: cannot write {}", self.path.display());
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt;
                let mode = std::fs::Permissions::from_mode(0o644);
                temporary.as_file().set_permissions(mode).with_context(refuse)?;
            }
            temporary.persist(&self.path).map_err(|error| error.error).with_context(refuse)?;
        }
        if summary.dropped > 0 {
            messages::warning(format!(
                "the trace holds the first {} spans, {} later ones are left out",
                summary.events, summary.dropped
            ));
        }
        messages::note(format!(
            "trace of {} spans in {}: open it at ui.perfetto.dev",
            summary.events,
            self.path.display()
        ));
        Ok(())
    }
}

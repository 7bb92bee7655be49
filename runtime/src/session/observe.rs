//! A call seen launch by launch: before and after every dispatch an observer reads, and may write, the buffers that it
//! binds.
//!
//! Input: a loaded module, a function, its inputs, an observer. Output: the call's outputs. The commands run one by
//! one, so that what an observer reads after a launch is what the launch left; what it writes is what later commands
//! see. Launches of the load block are seen when [`Session::observe_load`] runs that again.
//!
//! Arenas hold [`UNWRITTEN`] when an observed call begins. So two observed calls begin alike, and a kernel that reads
//! what nothing wrote makes NaN of it.

use std::sync::{Arc, Mutex};

use super::{Session, execute, program_error};
use crate::errors::Result;
use crate::hal::{self, Binding, Buffer, BufferSlice, Device};
use crate::tensor::{Tensor, zeroed};

/// The byte that arenas are filled with: a NaN in every float type, -1 in every integer type.
const UNWRITTEN: u8 = 0xff;

/// A dispatch: its place in the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DispatchAt {
    pub block: u32,
    pub command: u32,
}

/// What an observer sees.
pub enum Moment<'a> {
    Before(&'a Launched),
    After(&'a Launched),
    /// A size is 0: there is nothing to launch.
    Skipped,
}

/// A launch and what it binds.
pub struct Launched {
    /// Index into the program's kernels.
    pub kernel: usize,
    /// Workgroups.
    pub grid: [u64; 3],
    device: Device,
    bindings: Vec<Binding>,
}

impl Launched {
    /// How many ranges it binds.
    pub fn bindings(&self) -> usize {
        self.bindings.len()
    }

    /// Bytes of a binding.
    pub fn bytes(&self, binding: usize) -> Option<u64> {
        self.bindings.get(binding).map(|bound| bound.slice.bytes)
    }

    /// The kernel writes to a binding.
    pub fn writes(&self, binding: usize) -> bool {
        self.bindings.get(binding).is_some_and(|bound| bound.writes)
    }

    /// What a binding holds now.
    pub fn read(&self, binding: usize) -> Result<Vec<u8>> {
        let slice = self.slice(binding)?;
        let mut bytes = zeroed(slice.bytes as usize)?;
        self.device.download(slice, &mut bytes)?;
        Ok(bytes)
    }

    /// Puts other contents into a binding.
    pub fn write(&self, binding: usize, bytes: &[u8]) -> Result<()> {
        self.device.upload(self.slice(binding)?, bytes)?;
        Ok(self.device.synchronize()?)
    }

    fn slice(&self, binding: usize) -> Result<&BufferSlice> {
        self.bindings.get(binding).map(|bound| &bound.slice).ok_or_else(|| program_error("no such binding"))
    }
}

/// Sees dispatches; an error ends the call.
pub trait Observer: Send {
    fn see(&mut self, at: DispatchAt, moment: Moment<'_>) -> Result<()>;
}

/// Sees nothing.
struct Blind;

impl Observer for Blind {
    fn see(&mut self, _: DispatchAt, _: Moment<'_>) -> Result<()> {
        Ok(())
    }
}

/// An observer that a session holds while a call runs.
pub(super) type Watching = Arc<Mutex<dyn Observer>>;

impl Session {
    /// Runs the block that fills persistent buffers again, observed, of a session that
    /// [`keeps_parameters`](super::SessionOptions::keeps_parameters).
    pub fn observe_load(&mut self, observer: Arc<Mutex<dyn Observer>>) -> Result<()> {
        let Some(block) = self.program.load else { return Ok(()) };
        self.watching = Some(observer);
        let done = execute::run_load(self, block, None);
        self.watching = None;
        done
    }

    /// Calls a function, observed; as [`Session::invoke`].
    pub fn observe(
        &mut self,
        function: &str,
        inputs: &[Tensor],
        observer: Arc<Mutex<dyn Observer>>,
    ) -> Result<Vec<Tensor>> {
        let resident = self.upload_inputs(function, inputs)?;
        self.clear_arenas()?;
        self.watching = Some(observer);
        let called = self.invoke_on_device(function, &resident);
        self.watching = None;
        let outputs = called?;
        outputs.iter().map(|output| self.download(output)).collect()
    }

    /// Calls a function command by command, as an observed call runs, and changes nothing.
    pub fn invoke_in_pieces(&mut self, function: &str, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
        self.observe(function, inputs, Arc::new(Mutex::new(Blind)))
    }

    fn clear_arenas(&mut self) -> Result<()> {
        let clear = |arena: &Buffer| {
            let pattern = u64::from(UNWRITTEN);
            hal::Command::Fill { target: arena.all(), pattern, pattern_bytes: 1 }
        };
        let mut pending = self.arenas.iter().flatten().map(clear).collect();
        self.flush(&mut pending)?;
        Ok(self.device.synchronize()?)
    }

    /// Tells the observer of a dispatch that has nothing to do.
    pub(super) fn tell_skipped(&self, at: DispatchAt) -> Result<()> {
        match &self.watching {
            Some(observer) => tell(observer, at, Moment::Skipped),
            None => Ok(()),
        }
    }

    /// Runs what is pending and, if the call is observed, the dispatch behind it between two looks of the observer.
    pub(super) fn observe_dispatch(&mut self, at: DispatchAt, pending: &mut Vec<hal::Command>) -> Result<()> {
        let Some(observer) = self.watching.clone() else { return Ok(()) };
        let Some(hal::Command::Dispatch { kernel, grid, bindings, .. }) = pending.last() else { return Ok(()) };
        let (kernel, grid, bindings) = (*kernel, *grid, bindings.clone());
        let launched = Launched { kernel, grid, device: self.device.clone(), bindings };
        let dispatch = pending.split_off(pending.len().saturating_sub(1));
        self.flush(pending)?;
        self.device.synchronize()?;
        tell(&observer, at, Moment::Before(&launched))?;
        *pending = dispatch;
        self.flush(pending)?;
        self.device.synchronize()?;
        tell(&observer, at, Moment::After(&launched))
    }
}

fn tell(observer: &Watching, at: DispatchAt, moment: Moment<'_>) -> Result<()> {
    let mut observer = observer.lock().map_err(|_| program_error("the observer of a call failed"))?;
    observer.see(at, moment)
}

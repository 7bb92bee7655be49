//! From "well formed" to "may be run". A module is a program: its kernels can do on a CPU all that the user can, and on
//! a GPU can read and write all device memory of the process. No structural check changes that, so running takes a
//! decision by whoever knows where the file came from, and the types make that decision visible.

use crate::read::ParsedModule;

/// A module that someone has decided to run.
#[derive(Clone, Debug)]
pub struct TrustedModule<B> {
    module: ParsedModule<B>,
}

impl<B: AsRef<[u8]>> ParsedModule<B> {
    /// States that running this module's code is acceptable: it comes from this process's own compiler, from the
    /// user who runs it, or from a source verified by other means.
    ///
    /// Not an `unsafe fn`, although it lets foreign code run, because this crate forbids `unsafe` altogether and
    /// calling it breaks no rule of Rust by itself; treat a call of it in review as if it were one.
    pub fn assume_trusted(self) -> TrustedModule<B> {
        TrustedModule { module: self }
    }
}

impl<B> TrustedModule<B> {
    /// The module.
    pub fn module(&self) -> &ParsedModule<B> {
        &self.module
    }
}

impl<B> std::ops::Deref for TrustedModule<B> {
    type Target = ParsedModule<B>;

    fn deref(&self) -> &ParsedModule<B> {
        &self.module
    }
}

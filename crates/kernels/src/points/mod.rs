//! Any body with sizes known only at run time: a thread does all that a point needs. The family that always fits.

pub mod candidates;
pub mod emit;

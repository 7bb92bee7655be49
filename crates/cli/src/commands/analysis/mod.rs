//! What `inspect --report`, `diff` and `check` find out about a module's program without running it.

pub mod peaks;
pub mod random_inputs;
pub mod sizes;
mod spans;
pub mod walk;

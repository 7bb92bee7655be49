//! Rules of the house: which crate may use which, where `unsafe` may stand, how long files are, what words no file holds.

mod crate_graph;
mod sources;

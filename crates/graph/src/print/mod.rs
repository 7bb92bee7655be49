//! Graphs as StableHLO text.

mod types;

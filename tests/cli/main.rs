//! End to end through the `fornax` binary.

mod amd_report;
mod bench;
mod broken_input;
mod check;
mod commands;
mod compatible;
mod compile;
mod devices;
mod dialects;
mod donation;
mod generated_docs;
mod install;
mod measuring;
mod messages;
mod models;
mod numeric;
mod passes;
mod readme;
mod sizes;
mod speed_picture;
mod streams;
mod trace;
mod tune;
mod types;
mod verify;
mod warpgroups;

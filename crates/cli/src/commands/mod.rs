//! One file a subcommand.

#[cfg(not(feature = "compiler"))]
pub mod absent;
mod analysis;
mod arguments;
pub mod bench;
#[cfg(feature = "text")]
pub mod chat;
pub mod check;
#[cfg(feature = "compiler")]
pub mod compile;
pub mod diff;
pub mod doctor;
#[cfg(feature = "text")]
pub mod embed;
pub mod explain;
#[cfg(feature = "text")]
pub mod generate;
#[cfg(feature = "compiler")]
pub mod import;
pub mod inspect;
pub mod install_links;
#[cfg(feature = "compiler")]
mod kernel_store;
#[cfg(feature = "text")]
mod language_model;
pub mod list_devices;
pub mod list_drivers;
pub mod list_targets;
mod loading;
pub mod man;
#[cfg(feature = "compiler")]
pub mod model_worker;
#[cfg(feature = "text")]
pub mod perplexity;
mod placing;
#[cfg(feature = "compiler")]
mod print_target;
pub mod quantize;
mod repeats;
mod results;
pub mod run_module;
mod run_process;
mod run_team;
#[cfg(feature = "serve")]
pub mod serve;
mod trace_file;
pub mod tune;
pub mod verify;
pub mod verify_file;

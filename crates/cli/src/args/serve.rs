//! Arguments of `fornax serve`.

use clap::Args;

use super::{DraftArgs, LanguageModelArgs};

/// Sequences have caches of their own: more than this are a slip of the keyboard.
const SEQUENCES_MAX: u64 = 4096;
/// Most connections.
const CONNECTIONS_MAX: u64 = 1 << 20;
/// Longest time that texts stand still for prompts, milliseconds.
const INTERVAL_MAX: u64 = 60_000;
/// Longest queue.
const QUEUE_MAX: u64 = 1 << 20;

/// A whole number in a range.
fn count(least: u64, most: u64) -> clap::builder::RangedU64ValueParser {
    clap::builder::RangedU64ValueParser::new().range(least..=most)
}

#[derive(Args, Debug)]
pub struct ServeArgs {
    #[command(flatten)]
    pub model: LanguageModelArgs,
    #[command(flatten)]
    pub draft: DraftArgs,
    /// Where to listen; 0.0.0.0 and :: are every address of this machine
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub host: String,
    /// The port; 0 takes a free one, which is printed
    #[arg(long, value_name = "N", default_value_t = 8000)]
    pub port: u16,
    /// What clients must send as `Authorization: Bearer KEY`; others on this machine can read command lines, but not a
    /// --flagfile
    #[arg(long, value_name = "KEY", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub api_key: Option<String>,
    /// By which requests name the model [default: the module's file name, without its ending]
    #[arg(long, value_name = "NAME")]
    pub model_name: Option<String>,
    /// Texts that are made at a time; each has caches of its own [default: as many as decode takes, or 4 where it
    /// takes one]
    #[arg(long, value_name = "N", value_parser = count(1, SEQUENCES_MAX))]
    pub max_sequences: Option<u64>,
    /// Requests that may wait, besides those that run; more are refused (429)
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = count(0, QUEUE_MAX))]
    pub queue: u64,
    /// Milliseconds after which texts get a token though prompts wait: 0 is a token after each chunk of a prompt, more
    /// lets first tokens come sooner where many ask at once
    #[arg(long, value_name = "MS", default_value_t = 100, value_parser = count(0, INTERVAL_MAX))]
    pub token_interval: u64,
    /// Connections at a time; others wait until one closes
    #[arg(long, value_name = "N", default_value_t = 1024, value_parser = count(1, CONNECTIONS_MAX))]
    pub max_connections: u64,
    /// Seconds that the head of a request may take, or a connection wait for its next request
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=86400))]
    pub header_timeout: u32,
    /// Longest body of a request: bytes, or with a unit (`1MiB`)
    #[arg(long, value_name = "BYTES", default_value = "4MiB", value_parser = crate::byte_count::parse)]
    pub max_body: u64,
    /// Seconds that texts may go on after SIGINT or SIGTERM
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    pub shutdown_limit: u32,
}

//! What `-v`, `-vv` and `FORNAX_LOG` print: `info: simplify: 2.1 ms`, or JSON objects, from the events of all crates.

use std::fmt::{self, Write};

use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

use super::{Level, json};

/// Levels by how often `-v` stands: warnings, phases, kernels and passes, all.
const BY_VERBOSITY: [&str; 4] = ["warn", "info", "debug", "trace"];

/// Starts logging; `FORNAX_LOG` (`debug`, `fornax_runtime=trace`) goes before `-v`.
pub fn start(verbosity: u8, quiet: bool) {
    let level = if quiet { "error" } else { BY_VERBOSITY[usize::from(verbosity).min(BY_VERBOSITY.len() - 1)] };
    let filter = EnvFilter::try_from_env("FORNAX_LOG").unwrap_or_else(|_| level.into());
    let lines = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).event_format(Lines);
    // Only a second start fails.
    let _ = lines.try_init();
}

/// One line an event.
struct Lines;

impl<S, N> FormatEvent<S, N> for Lines
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(&self, _: &FmtContext<'_, S, N>, mut out: Writer<'_>, event: &Event<'_>) -> fmt::Result {
        let level = match *event.metadata().level() {
            tracing::Level::ERROR => Level::Error,
            tracing::Level::WARN => Level::Warning,
            tracing::Level::INFO => Level::Info,
            tracing::Level::DEBUG => Level::Debug,
            tracing::Level::TRACE => Level::Trace,
        };
        let mut fields = Fields::default();
        event.record(&mut fields);
        if !json() {
            return writeln!(out, "{} {}{}", level.paint(&format!("{}:", level.name())), fields.message, fields.text);
        }
        let mut object = serde_json::Map::new();
        object.insert("level".into(), level.name().into());
        object.insert("message".into(), fields.message.into());
        object.insert("target".into(), event.metadata().target().into());
        object.extend(fields.values);
        writeln!(out, "{}", serde_json::Value::Object(object))
    }
}

/// The fields of an event: the message, the others as ` name=value` and as JSON.
#[derive(Default)]
struct Fields {
    message: String,
    text: String,
    values: serde_json::Map<String, serde_json::Value>,
}

impl Fields {
    fn add(&mut self, field: &Field, value: serde_json::Value) {
        let _ = write!(self.text, " {}={value}", field.name());
        self.values.insert(field.name().into(), value);
    }
}

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        match field.name() {
            "message" => self.message = format!("{value:?}"),
            _ => self.add(field, format!("{value:?}").into()),
        }
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "message" => self.message = value.to_string(),
            _ => self.add(field, value.into()),
        }
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.add(field, value.into());
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.add(field, value.into());
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.add(field, value.into());
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.add(field, value.into());
    }
}

//! `fornax list-drivers`: the drivers in the layout of `iree-run-module --list_drivers`, and why one is unavailable.

use anyhow::Result;
use fornax_runtime::registry::driver_statuses;

use crate::args::Format;
use crate::output::say;

const FRAME: &str = "# ============================================================================";

pub fn run(format: Format) -> Result<()> {
    let statuses = driver_statuses();
    if format == Format::Json {
        let rows: Vec<_> = statuses
            .iter()
            .map(|s| {
                let aliases: Vec<&str> = s.row.aliases.iter().map(|a| a.name).collect();
                let devices: Vec<String> = s.usable().map(|d| d.uri()).collect();
                serde_json::json!({
                    "name": s.row.name, "aliases": aliases, "description": s.row.description,
                    "built_in": s.row.enabled, "devices": devices, "unavailable": s.why_unavailable(),
                    "library": s.library.file, "tried": s.library.tried,
                })
            })
            .collect();
        say!("{}", serde_json::to_string_pretty(&rows)?);
        return Ok(());
    }
    say!("{FRAME}\n# Available HAL drivers\n{FRAME}");
    say!("# Use --list_devices={{driver name}} to enumerate available devices.\n");
    for status in &statuses {
        let tried = match (&status.library.file, status.library.tried.is_empty()) {
            (None, false) => format!("; tried {}", status.library.tried.join(", ")),
            _ => String::new(),
        };
        let why = status.why_unavailable().map_or(String::new(), |why| format!(" [unavailable: {why}{tried}]"));
        say!("{:>16}: {}{why}", status.row.name, status.row.description);
        for alias in status.row.aliases {
            say!("{:>16}: alias of {}", alias.name, status.row.name);
        }
    }
    Ok(())
}

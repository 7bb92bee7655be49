//! `fornax compile --print-target` and `--list-target-backends`: what target names mean, and which backends there are.

use anyhow::Result;
use fornax_targets::Resolved;

use crate::args::Format;
use crate::output::say;

pub fn backends(format: Format) -> Result<()> {
    let rows = fornax_targets::BACKENDS;
    match format {
        Format::Text => rows.iter().for_each(|row| say!("{}", row.name)),
        Format::Json => {
            let object = |row: &fornax_targets::backend::BackendRow| {
                let (name, aliases, summary) = (row.name, row.aliases, row.summary);
                serde_json::json!({ "name": name, "aliases": aliases, "summary": summary })
            };
            say!("{}", serde_json::to_string_pretty(&rows.iter().map(object).collect::<Vec<_>>())?);
        }
    }
    Ok(())
}

/// A target in the JSON form of `--print-target`.
fn target_object(t: &Resolved) -> serde_json::Value {
    serde_json::json!({
        "target": t.target.spec(), "backend": t.target.backend.name(), "arch": t.target.name,
        "product": t.product.map(|product| product.name), "fallback": t.fallback,
        "llvm_triple": t.target.triple, "llvm_cpu": t.target.llvm_cpu, "llvm_features": t.target.llvm_features,
        "threads_per_workgroup_max": t.target.max_threads_per_block, "subgroup_size": t.target.subgroup_size,
        "static_shared_bytes_max": t.target.static_shared_bytes_max, "shared_bytes_max": t.target.shared_bytes_max,
        "features": t.target.features.iter().map(|feature| feature.name()).collect::<Vec<_>>(), "notes": t.notes,
    })
}

pub fn targets(targets: &[Resolved], format: Format) -> Result<()> {
    if format == Format::Json {
        say!("{}", serde_json::to_string_pretty(&targets.iter().map(target_object).collect::<Vec<_>>())?);
        return Ok(());
    }
    for t in targets {
        let product = t.product.map_or(String::new(), |p| format!(" (product {})", p.name));
        let fallback = if t.fallback { " (fallback, PTX only)" } else { "" };
        say!("{}{product}{fallback}", t.target.spec());
        say!("  LLVM: triple {}, cpu {}, features {}", t.target.triple, t.target.llvm_cpu, t.target.llvm_features);
        say!(
            "  limits: {} threads a workgroup, {} lanes, {} bytes static shared memory, {} with opt-in",
            t.target.max_threads_per_block,
            t.target.subgroup_size,
            t.target.static_shared_bytes_max,
            t.target.shared_bytes_max
        );
        let features: Vec<&str> = t.target.features.iter().map(|f| f.name()).collect();
        say!("  features: {}", features.join(" "));
        t.notes.iter().for_each(|note| say!("  note: {note}"));
    }
    Ok(())
}

//! `fornax list-targets [BACKEND]`: every name a target flag takes, and the architecture it means.

use anyhow::Result;
use fornax_targets::{BACKENDS, Backend, resolve_all, target_names};

use crate::args::ListTargetsArgs;
use crate::failure::Failure;
use crate::output::say;

pub fn run(args: &ListTargetsArgs) -> Result<()> {
    let only = args.backend.as_deref().map(Backend::parse).transpose().map_err(Failure::from)?;
    for row in BACKENDS.iter().filter(|row| only.is_none_or(|b| b == row.backend)) {
        say!("{} - {}", row.name, row.summary);
        for (name, arch) in target_names(row.backend) {
            let compiled = resolve_all(row.backend, arch).map_err(Failure::from)?;
            let compiled: Vec<&str> = compiled.iter().map(|resolved| resolved.target.name.as_str()).collect();
            match compiled == [name] {
                true => say!("  {name}"),
                false => say!("  {name:<24} {}", compiled.join(" + ")),
            }
        }
    }
    Ok(())
}

//! Arguments of the commands that list devices, drivers and targets.

use clap::Args;

use super::Format;

#[derive(Args, Debug)]
pub struct ListDevicesArgs {
    /// Only devices of this driver
    pub driver: Option<String>,
    /// text or json (with names, architectures, memory)
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

#[derive(Args, Debug)]
pub struct ListDriversArgs {
    /// text or json
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

#[derive(Args, Debug)]
pub struct ListTargetsArgs {
    /// Only this backend
    pub backend: Option<String>,
}

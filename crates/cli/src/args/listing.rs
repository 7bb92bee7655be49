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
    /// A backend, or a part of a generation, architecture or product: `cuda`, `hopper`, `gfx9`, `a100`
    pub word: Option<String>,
    /// Every architecture with every name
    #[arg(long)]
    pub all: bool,
    /// text or json
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

#[derive(Args, Debug)]
pub struct DoctorArgs {
    /// Only the list of backends: which can be used, their devices with total and free memory, why one cannot, and
    /// which one `auto` takes
    #[arg(long)]
    pub backends: bool,
    /// text or json
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

#[derive(Args, Debug)]
pub struct ExplainArgs {
    /// The code of an error message: FX0501
    pub code: Option<String>,
    /// text or json
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

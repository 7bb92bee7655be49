//! Arguments of `fornax compile` that show what the passes do; named as in MLIR's tools.

use clap::Args;

#[derive(Args, Debug)]
#[command(next_help_heading = "Passes")]
pub struct PassArgs {
    /// Print the passes in their order, and stop
    #[arg(long)]
    pub print_passes: bool,
    /// Print the graph, or the program for each target, to stderr before these passes (`all`: before each)
    #[arg(long, value_name = "PASSES", value_delimiter = ',')]
    pub print_ir_before: Vec<String>,
    /// Print the graph, or the program for each target, to stderr after these passes (`all`: after each)
    #[arg(long, value_name = "PASSES", value_delimiter = ',')]
    pub print_ir_after: Vec<String>,
    /// Print after a pass only if it changed something; alone: after every pass that did
    #[arg(long)]
    pub print_ir_after_change: bool,
    /// Print a table of the passes' times to stderr
    #[arg(long)]
    pub time_passes: bool,
    /// Print to stderr how often each pass ran, how often it changed something, and by how many ops or commands
    #[arg(long)]
    pub pass_statistics: bool,
    /// With --dump-ir-to: also the graph after every pass that changed it, in DIR/passes, and the program after every
    /// pass that changed it, in DIR/TARGET/passes
    #[arg(long, requires = "dump_ir_to")]
    pub dump_each_pass: bool,
    /// Keep in the module why ops are fused or not, and why kernels have their schedules, for `fornax inspect --why`
    #[arg(long)]
    pub remarks: bool,
    /// Run only these passes, in this order, on the model as it is (a dump, for example), and print or write the graph
    #[arg(long, value_name = "PASSES", value_delimiter = ',', conflicts_with = "compile_to")]
    pub run_passes: Vec<String>,
}

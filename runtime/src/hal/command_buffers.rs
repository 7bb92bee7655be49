//! The kinds of command buffers, and what a driver makes of the one that is asked for.
//!
//! Example: `stream` on a driver that has only `direct` is `direct`, with a note; `graph` there is an error that names
//! `direct`.

use super::{HalError, HalErrorKind, HalResult};

/// How commands reach a device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CommandBuffers {
    /// The driver's choice: on CUDA a list goes to the stream the first time and is a graph from the second on.
    #[default]
    Auto,
    /// One by one as they come. On CUDA with a wait after each, so that an error names the command it belongs to.
    Direct,
    /// One by one, waiting only where data is read.
    Stream,
    /// Recorded; a list that cannot be recorded is an error.
    Graph,
}

impl CommandBuffers {
    /// As the command line spells it.
    pub fn name(self) -> &'static str {
        match self {
            CommandBuffers::Auto => "auto",
            CommandBuffers::Direct => "direct",
            CommandBuffers::Stream => "stream",
            CommandBuffers::Graph => "graph",
        }
    }

    /// The kind that a driver with these kinds (besides `auto`) runs; the text is a note for the user.
    ///
    /// # Errors
    /// `Unsupported` for `graph` on a driver that records nothing.
    pub fn on(self, driver: &str, kinds: &[CommandBuffers]) -> HalResult<(CommandBuffers, Option<String>)> {
        if self == CommandBuffers::Auto || kinds.contains(&self) {
            return Ok((self, None));
        }
        let have: Vec<&str> = kinds.iter().map(|kind| kind.name()).collect();
        let have = have.join(", ");
        if self == CommandBuffers::Graph {
            let what = format!("the {driver} driver has no command buffers of the kind `graph`; it has: {have}");
            return Err(HalError::new(HalErrorKind::Unsupported, what));
        }
        let note = format!("command buffers of the kind `{}` are `{have}` on {driver}", self.name());
        Ok((CommandBuffers::Auto, Some(note)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_driver_lacks_is_mapped_or_refused() {
        let direct = &[CommandBuffers::Direct];
        assert_eq!(CommandBuffers::Direct.on("rocm", direct).unwrap(), (CommandBuffers::Direct, None));
        let (kind, note) = CommandBuffers::Stream.on("rocm", direct).unwrap();
        assert_eq!(kind, CommandBuffers::Auto);
        assert!(note.unwrap().contains("`stream` are `direct` on rocm"));
        let error = CommandBuffers::Graph.on("rocm", direct).unwrap_err();
        assert!(error.kind() == HalErrorKind::Unsupported && error.to_string().contains("it has: direct"), "{error}");
    }
}

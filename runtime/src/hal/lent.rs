//! Lists over host bytes that belong to the caller.
//!
//! A list keeps all memory that it names. Arrays of a caller are many and may be large: a list that is kept for later
//! calls must not hold on to them. Such a list may be submitted only while they are there, which the caller sees to.

use super::device::{CommandList, Memory};

impl CommandList {
    /// Lets go of host bytes used in place. Who submits the list keeps bytes at the same addresses until it is done.
    pub(crate) fn release_lent(&mut self) {
        self.used.memory.retain(|memory| matches!(memory, Memory::Block(_)));
    }
}

//! Scatters: sorted updates as a segmented reduction (`segment`), updates in place by stores or atomic instructions
//! (`update`). The same input gives the same bits.

pub mod candidates;
pub mod segment;
pub mod update;

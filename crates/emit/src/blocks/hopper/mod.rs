//! Hopper and later: barriers in shared memory, bulk tensor copies, warpgroup multiply, what each warp does.

pub mod barrier;
pub mod bulk;
pub mod roles;
pub mod wgmma;

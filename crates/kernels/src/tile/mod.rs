pub mod contraction;
pub mod reduce;
mod staged;

pub mod segment;
pub mod update;

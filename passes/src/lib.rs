//! (passes)

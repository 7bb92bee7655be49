//! The promises that the five documents Fornax grew from make to their readers: one table, its page, and the lines that
//! no other test runs.

mod lines;
mod page;
mod table;

//! Rules of the house: which crate may use which, where `unsafe` may stand, how long files are, what words no file
//! holds, which licences NOTICE names, where the links of docs/ lead, which words names are made of, how many arguments
//! functions have.

mod arguments;
mod circles;
mod crate_graph;
mod docs;
mod errors;
mod family_folders;
mod features;
mod figures;
mod glossary;
mod notice;
mod pass_folders;
mod sources;

//! A table of functions of a library that is loaded when it is asked for.
//!
//! A function returns an `int` code unless its row says otherwise. Codes are taken as such: the libraries' own enums
//! grow with each version, and a code that a Rust enum does not know would be undefined behaviour. A function that the
//! library lacks gives [`MISSING`], a null pointer or nothing, when it is called; nothing panics.

use std::ffi::{c_int, c_void};

pub(super) use super::library_file::file_of;

/// The code of a call to a function that the library does not have.
pub(super) const MISSING: c_int = c_int::MIN;

/// Why none of the names of a library could be loaded.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct NotLoaded {
    /// The loader's words: about a file that is there if one is, else about the first name.
    pub why: String,
    /// A file is there, but it, or a library that it needs, does not load.
    pub is_there: bool,
}

impl NotLoaded {
    /// Takes note of the loader's words about a name: a file that is not there is what they begin with.
    pub(super) fn note(&mut self, name: &str, words: String) {
        let is_there = !(words.starts_with(name) && words.contains("No such file"));
        if self.why.is_empty() || is_there && !self.is_there {
            *self = NotLoaded { why: words, is_there };
        }
    }
}

/// What a call of a function that the library lacks gives.
pub(super) trait Missing {
    fn missing() -> Self;
}

impl Missing for c_int {
    fn missing() -> c_int {
        MISSING
    }
}

impl Missing for *mut c_void {
    fn missing() -> *mut c_void {
        std::ptr::null_mut()
    }
}

impl Missing for () {
    fn missing() {}
}

/// The type that a row's function returns.
macro_rules! returned {
    () => {
        std::ffi::c_int
    };
    ($ty:ty) => {
        $ty
    };
}

pub(super) use returned;

/// Declares a struct with one optional function pointer a symbol, and a method of the symbol's name for each.
macro_rules! symbols {
    ($(#[$doc:meta])* $table:ident { $($name:ident($($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty)?;)* }) => {
        $(#[$doc])*
        #[allow(non_snake_case)]
        pub(super) struct $table {
            // The drivers' libraries keep threads and state: they are never unloaded.
            _library: std::mem::ManuallyDrop<libloading::Library>,
            /// Where the library was found.
            #[allow(dead_code)]
            search: $crate::hal::LibrarySearch,
            $($name: Option<unsafe extern "C" fn($($ty),*) -> $crate::drivers::symbols::returned!($($ret)?)>,)*
        }

        #[allow(non_snake_case, clippy::too_many_arguments)]
        impl $table {
            /// Loads the first of `names` that can be loaded.
            pub(super) fn load(names: &[&str]) -> Result<$table, $crate::drivers::symbols::NotLoaded> {
                let mut not_loaded = $crate::drivers::symbols::NotLoaded::default();
                for (at, name) in names.iter().enumerate() {
                    // SAFETY: the library is the GPU driver the user asked for by its device name; its
                    // initialisers are trusted as the driver itself is.
                    match unsafe { libloading::Library::new(*name) } {
                        Ok(library) => {
                            let tried = names.iter().take(at + 1).map(|name| name.to_string()).collect();
                            return Ok($table::take(library, tried));
                        }
                        Err(error) => not_loaded.note(name, $crate::drivers::loader_message(&error)),
                    }
                }
                Err(not_loaded)
            }

            /// The functions and the bytes of their arguments, for comparing declarations.
            #[cfg(test)]
            #[allow(dead_code)]
            pub(super) const PROTOTYPES: &'static [(&'static str, &'static [usize])] =
                &[$((stringify!($name), &[$(size_of::<$ty>()),*]),)*];

            /// Whether the library has a function.
            #[allow(dead_code)]
            pub(super) fn has(&self, name: &str) -> bool {
                match name {
                    $(stringify!($name) => self.$name.is_some(),)*
                    _ => false,
                }
            }

            /// Where the library was looked for and found.
            #[allow(dead_code)]
            pub(super) fn search(&self) -> $crate::hal::LibrarySearch {
                let addresses = [$(self.$name.map(|function| function as *const std::ffi::c_void)),*];
                let first = addresses.into_iter().flatten().next();
                let file = first.and_then(|at| $crate::drivers::symbols::file_of(at as usize));
                $crate::hal::LibrarySearch { file, ..self.search.clone() }
            }

            fn take(library: libloading::Library, tried: Vec<String>) -> $table {
                $table {
                    search: $crate::hal::LibrarySearch { tried, ..$crate::hal::LibrarySearch::default() },
                    $(
                        // SAFETY: the prototype is the one of the vendor's header, as declared in the table.
                        $name: unsafe { library.get(concat!(stringify!($name), "\0").as_bytes()) }
                            .ok()
                            .map(|symbol| *symbol),
                    )*
                    _library: std::mem::ManuallyDrop::new(library),
                }
            }

            $(
                /// # Safety
                /// As the function of the vendor's documentation.
                pub(super) unsafe fn $name(&self, $($arg: $ty),*) -> $crate::drivers::symbols::returned!($($ret)?) {
                    match self.$name {
                        // SAFETY: the caller keeps the function's own contract.
                        Some(function) => unsafe { function($($arg),*) },
                        None => $crate::drivers::symbols::Missing::missing(),
                    }
                }
            )*
        }
    };
}

pub(super) use symbols;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_that_is_there_is_told_from_one_that_is_not() {
        let mut none = NotLoaded::default();
        none.note("liba.so.1", "liba.so.1: cannot open shared object file: No such file or directory".to_string());
        none.note("liba.so", "liba.so: cannot open shared object file: No such file or directory".to_string());
        assert!(!none.is_there && none.why.starts_with("liba.so.1"));
        // The second name is there; what it needs is not.
        none.note("/x/liba.so", "libb.so.2: cannot open shared object file: No such file or directory".to_string());
        none.note("/y/liba.so", "/y/liba.so: file too short".to_string());
        assert!(none.is_there && none.why.starts_with("libb.so.2"));
    }
}

//! Gives the shared library the name that programs remember it by: that of the interface's version.

fn main() {
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libfornax.so.0");
    println!("cargo:rerun-if-changed=build.rs");
}

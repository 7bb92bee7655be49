//! Our declarations next to the headers of Khronos: a C++ compiler reads both.
//!
//! Every constant and code is asserted to have the header's value; every function to take as many arguments of the same
//! sizes. Skipped with a word where there are no headers (Debian's package `opencl-c-headers`) or no compiler.
//!
//! Example: `static_assert(takes<decltype(clSVMFree), 8, 8>, "clSVMFree");`

use super::api::{Api, CODES, CONSTANTS, EXTENSION_CONSTANTS};

const START: &str = "#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <utility>
template<unsigned... N> using sizes = std::integer_sequence<unsigned, N...>;
template<class F, unsigned... N> constexpr bool takes = false;
template<class R, class... A, unsigned... N> constexpr bool takes<R(A...), N...> =
    std::is_same_v<sizes<sizeof(A)...>, sizes<N...>>;
";

fn source() -> String {
    let mut text = START.to_string();
    for (name, value) in CONSTANTS.iter().chain(EXTENSION_CONSTANTS) {
        text += &format!("static_assert((unsigned long long)CL_{name} == {value}ull, \"{name}\");\n");
    }
    for (code, name, _) in CODES {
        text += &format!("static_assert({name} == {code}, \"{name}\");\n");
    }
    for (name, sizes) in Api::PROTOTYPES {
        let sizes: Vec<String> = sizes.iter().map(usize::to_string).collect();
        text += &format!("static_assert(takes<decltype({name}), {}>, \"{name}\");\n", sizes.join(", "));
    }
    text
}

/// What the compiler says of a program; `None` without one.
fn compile(text: &str) -> Option<(bool, String)> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("declarations.cpp");
    std::fs::write(&file, text).unwrap();
    let output =
        std::process::Command::new("c++").args(["-std=c++17", "-fsyntax-only", "-w"]).arg(&file).output().ok()?;
    Some((output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned()))
}

#[test]
fn declarations_are_those_of_the_headers() {
    match compile(START) {
        Some((true, _)) => {}
        Some((false, words)) => {
            let first = words.lines().next().unwrap_or_default();
            return println!("skipped: no OpenCL headers (Debian's package opencl-c-headers has them): {first}");
        }
        None => return println!("skipped: no C++ compiler"),
    }
    let (good, words) = compile(&source()).unwrap();
    assert!(good, "{words}");
    let wrong = source().replace("decltype(clFinish), 8", "decltype(clFinish), 4");
    assert!(!compile(&wrong).unwrap().0, "a wrong size is noticed");
}

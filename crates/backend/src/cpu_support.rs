//! Functions that LLVM's code generator calls by itself on CPUs, as LLVM IR texts of our own.
//!
//! An image must have no undefined symbol, and a compiler runtime of another build cannot be assumed. Which functions
//! are called depends on the CPU: `fmaf` and `floorf` only below x86-64-v3, `__truncdfhf2` almost everywhere. Each
//! function is hidden and in a section of its own, so the linker keeps only what is used.
//!
//! Results: `fma`, `fmaf`, `ldexp` and all conversions are correctly rounded to nearest even, `fmod` is exact,
//! subnormals included; signalling NaNs become quiet. Tested in `tests/llvm.rs` against the standard library.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use fornax_mlir::{EmitKind, MachineSpec, MlirError, compile_llvm_ir};

/// Objects by the name of their module and CPU.
type Objects = HashMap<(&'static str, MachineSpec), Arc<Vec<u8>>>;

/// Objects that this process made already: a process that compiles model after model needs the same few again and
/// again.
static MADE: Mutex<Option<Objects>> = Mutex::new(None);

/// One module of functions.
pub struct SupportModule {
    /// Its name in messages.
    pub name: &'static str,
    /// LLVM IR, with `{…}` placeholders for `replacements`.
    text: &'static str,
    /// What the placeholders stand for.
    replacements: &'static [(&'static str, &'static str)],
    /// Symbols it defines.
    symbols: &'static [&'static str],
}

const SUPPORT_MODULES: &[SupportModule] = &[
    SupportModule {
        name: "memory",
        text: include_str!("cpu_support/memory.ll"),
        replacements: &[],
        symbols: &["memcpy", "memmove", "memset"],
    },
    SupportModule {
        name: "half",
        text: include_str!("cpu_support/half.ll"),
        replacements: &[],
        symbols: &["__truncsfhf2", "__truncdfhf2", "__truncsfbf2", "__truncdfbf2", "__extendhfsf2", "__extendhfdf2"],
    },
    SupportModule {
        name: "rounding f32",
        text: include_str!("cpu_support/rounding.ll"),
        replacements: &[
            ("{T}", "float"),
            ("{I}", "i32"),
            ("{S}", "f"),
            ("{N}", "f32"),
            ("{MANTISSA_BITS}", "23"),
            ("{EXPONENT_MASK}", "255"),
            ("{BIAS}", "127"),
            ("{WHOLE_EXPONENT}", "150"),
            ("{SIGN_BIT}", "-2147483648"),
            ("{MANTISSA_MASK}", "8388607"),
            ("{WHOLE}", "8388608.0"),
        ],
        symbols: &["truncf", "floorf", "ceilf", "roundf", "roundevenf", "rintf", "nearbyintf"],
    },
    SupportModule {
        name: "rounding f64",
        text: include_str!("cpu_support/rounding.ll"),
        replacements: &[
            ("{T}", "double"),
            ("{I}", "i64"),
            ("{S}", ""),
            ("{N}", "f64"),
            ("{MANTISSA_BITS}", "52"),
            ("{EXPONENT_MASK}", "2047"),
            ("{BIAS}", "1023"),
            ("{WHOLE_EXPONENT}", "1075"),
            ("{SIGN_BIT}", "-9223372036854775808"),
            ("{MANTISSA_MASK}", "4503599627370495"),
            ("{WHOLE}", "4503599627370496.0"),
        ],
        symbols: &["trunc", "floor", "ceil", "round", "roundeven", "rint", "nearbyint"],
    },
    SupportModule {
        name: "extrema f32",
        text: include_str!("cpu_support/extrema.ll"),
        replacements: &[("{T}", "float"), ("{S}", "f")],
        symbols: &["fminf", "fmaxf"],
    },
    SupportModule {
        name: "extrema f64",
        text: include_str!("cpu_support/extrema.ll"),
        replacements: &[("{T}", "double"), ("{S}", "")],
        symbols: &["fmin", "fmax"],
    },
    SupportModule {
        name: "arithmetic",
        text: include_str!("cpu_support/arithmetic.ll"),
        replacements: &[],
        symbols: &["fmaf", "fma", "fmod", "fmodf", "ldexp", "ldexpf", "__udivti3", "__umodti3", "__divti3", "__modti3"],
    },
];

/// The modules that define any of these symbols, in table order.
pub fn support_for(undefined: &[&str]) -> Vec<&'static SupportModule> {
    SUPPORT_MODULES.iter().filter(|module| module.symbols.iter().any(|symbol| undefined.contains(symbol))).collect()
}

impl SupportModule {
    /// The module as an object for this CPU.
    pub fn object(&self, spec: &MachineSpec) -> Result<Arc<Vec<u8>>, MlirError> {
        let made = || MADE.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (self.name, spec.clone());
        let known = made().get_or_insert_default().get(&key).cloned();
        if let Some(object) = known {
            return Ok(object);
        }
        // Without the lock: two threads may make the same object, which is the same bytes.
        let object = Arc::new(self.compile(spec)?);
        made().get_or_insert_default().insert(key, object.clone());
        Ok(object)
    }

    fn compile(&self, spec: &MachineSpec) -> Result<Vec<u8>, MlirError> {
        let mut text = self.text.to_string();
        for (placeholder, replacement) in self.replacements {
            text = text.replace(placeholder, replacement);
        }
        Ok(compile_llvm_ir(&text, spec, EmitKind::Object)?.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_symbol_is_defined_by_its_module_and_by_no_other() {
        for module in SUPPORT_MODULES {
            for symbol in module.symbols {
                let mut name = format!("@{symbol}");
                if let Some((_, suffix)) = module.replacements.iter().find(|(placeholder, _)| *placeholder == "{S}") {
                    name = format!("@{}{{S}}", symbol.strip_suffix(suffix).unwrap_or(symbol));
                }
                assert!(
                    module.text.contains(&format!("{name}(")) || module.text.contains(&format!("{name} =")),
                    "{symbol}"
                );
                assert_eq!(support_for(&[symbol]).len(), 1, "{symbol}");
            }
        }
        assert!(support_for(&["printf"]).is_empty());
    }
}

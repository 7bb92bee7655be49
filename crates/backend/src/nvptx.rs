//! CUDA images: the PTX of all kernels joined into one text and, where wanted, a cubin made of it by ptxas.
//!
//! Input is the PTX LLVM wrote for each kernel: a header (`.version`, `.target`, `.address_size`) and a body. The
//! headers must be equal; the bodies follow each other under one header, in order. Identical `.extern` declarations
//! (dynamic shared memory, which kernels share by name) are kept once.

use std::collections::HashSet;

use fornax_targets::{ImageKind, Target};

use super::errors::BackendError;
use super::tools::{ToolOutput, ToolRun, Tools};
use super::{CubinPolicy, Image, KernelBinary, KernelResources, LinkOptions, Linked};

/// Directives of the header, in the order LLVM writes them.
const HEADER_DIRECTIVES: &[&str] = &[".version", ".target", ".address_size"];

/// What ptxas prints when the architecture or the PTX version is beyond it, rather than the text being wrong.
const PTXAS_REFUSALS: &[&str] =
    &["is not defined for option 'gpu-name'", "Unsupported .version", "not supported for target"];

pub fn link(
    target: &Target,
    kernels: &[KernelBinary],
    tools: &Tools,
    options: &LinkOptions,
) -> Result<Linked, BackendError> {
    let mut linked = Linked::default();
    let (text, shared_bytes) = merge(kernels)?;
    match (options.cubin, &tools.ptxas) {
        (CubinPolicy::Never, _) => {}
        (CubinPolicy::Required, None) => return Err(BackendError::NoPtxas { target: target.spec() }),
        (CubinPolicy::IfPossible, None) => {
            linked.notes.push(format!(
                "ptxas was not found: the image for {} is PTX only, which the driver compiles when it loads it",
                target.name
            ));
        }
        (policy, Some(ptxas)) => match assemble(target, &text, kernels, ptxas) {
            Ok(image) => linked.images.push(image),
            Err(BackendError::PtxasRefuses { reason, .. }) if policy == CubinPolicy::IfPossible => {
                linked.notes.push(format!("no cubin for {}, PTX only: {reason}", target.name));
            }
            Err(error) => return Err(error),
        },
    }
    let resources = kernels
        .iter()
        .zip(shared_bytes)
        .map(|(kernel, bytes)| {
            (kernel.name.clone(), KernelResources { static_shared_bytes: Some(bytes), ..KernelResources::default() })
        })
        .collect();
    linked.images.push(Image { kind: ImageKind::Ptx, target: target.arch_spec(), bytes: text.into_bytes(), resources });
    Ok(linked)
}

/// One PTX text of all kernels, and the shared bytes each declares.
fn merge(kernels: &[KernelBinary]) -> Result<(String, Vec<u32>), BackendError> {
    let mut header: Option<Vec<&str>> = None;
    let mut externs: HashSet<&str> = HashSet::new();
    let mut body = String::new();
    let mut shared_bytes = Vec::new();
    for kernel in kernels {
        let mismatch = |reason: String| BackendError::PtxMerge { kernel: kernel.name.clone(), reason };
        let text = std::str::from_utf8(&kernel.bytes).map_err(|_| mismatch("it is not text".to_string()))?;
        let is_header = |line: &&str| HEADER_DIRECTIVES.iter().any(|directive| line.starts_with(directive));
        let own_header: Vec<&str> = text.lines().filter(is_header).collect();
        if own_header.len() != HEADER_DIRECTIVES.len() {
            return Err(mismatch("it has no .version, .target and .address_size".to_string()));
        }
        let first = header.get_or_insert_with(|| own_header.clone());
        if *first != own_header {
            return Err(mismatch(format!(
                "it starts with `{}`, the first with `{}`",
                own_header.join(" "),
                first.join(" ")
            )));
        }
        if !text.contains(&format!(".entry {}(", kernel.name)) {
            return Err(mismatch("it defines no entry of that name".to_string()));
        }
        let start = text.find(".address_size").and_then(|at| text.get(at..)).and_then(|rest| rest.split_once('\n'));
        let own_body = start.map_or("", |(_, body)| body);
        for line in own_body.lines() {
            if line.starts_with(".extern") && line.ends_with(';') && !externs.insert(line) {
                continue;
            }
            match wrapping_abs(line).or_else(|| negation(line)) {
                Some(lines) => body.push_str(&lines),
                None => body.push_str(line.trim_end()),
            }
            body.push('\n');
        }
        shared_bytes.push(own_body.lines().map(shared_bytes_of).sum());
    }
    let header = header.unwrap_or_default().join("\n");
    Ok((format!("{header}\n{body}"), shared_bytes))
}

/// `abs.sN` as a negation and a maximum: ptxas takes the result of `abs` not to be negative, but that of the least
/// integer is itself. Example: `abs.s32 %r2, %r1;` is `neg.s32 %r2, %r1;` and `max.s32 %r2, %r2, %r1;`.
fn wrapping_abs(line: &str) -> Option<String> {
    let (ty, operands) = line.trim().strip_prefix("abs.s")?.split_once(char::is_whitespace)?;
    let (to, from) = operands.trim().strip_suffix(';')?.split_once(", ")?;
    Some(format!("\tneg.s{ty} \t{to}, {from};\n\tmax.s{ty} \t{to}, {to}, {from};"))
}

/// `neg.s16` as a complement and an increment: ptxas before 13.5, so the driver's up to R580, forgets the negation
/// where its result is a half of an operand of `max.s16x2` or `min.s16x2`.
fn negation(line: &str) -> Option<String> {
    let (to, from) = line.trim().strip_prefix("neg.s16")?.trim().strip_suffix(';')?.split_once(", ")?;
    Some(format!("\tnot.b16 \t{to}, {from};\n\tadd.s16 \t{to}, {to}, 1;"))
}

/// Bytes of a `.shared .align 16 .b8 name[N];` line; 0 for any other.
fn shared_bytes_of(line: &str) -> u32 {
    const ELEMENT_BYTES: &[(&str, u32)] = &[("8", 1), ("16", 2), ("32", 4), ("64", 8), ("128", 16)];
    let words: Vec<&str> = line.split_whitespace().collect();
    let Some(at) =
        words.iter().position(|word| *word == ".shared").filter(|_| !line.trim_start().starts_with(".extern"))
    else {
        return 0;
    };
    if words.iter().take(at).any(|word| !word.starts_with('.')) {
        return 0;
    }
    let element = words.iter().skip(at + 1).find_map(|word| {
        let digits = word.strip_prefix('.')?.trim_start_matches(|letter: char| letter.is_ascii_alphabetic());
        ELEMENT_BYTES.iter().find(|(bits, _)| *bits == digits).map(|(_, bytes)| *bytes)
    });
    let Some(element) = element else { return 0 };
    let count = line
        .split('[')
        .nth(1)
        .and_then(|rest| rest.split(']').next())
        .map_or(Some(1), |count| count.trim().parse::<u32>().ok());
    count.unwrap_or(0).saturating_mul(element)
}

/// Makes a cubin; `PtxasRefuses` when ptxas does not know the architecture or the PTX version.
fn assemble(
    target: &Target,
    text: &str,
    kernels: &[KernelBinary],
    ptxas: &std::path::Path,
) -> Result<Image, BackendError> {
    let run = ToolRun::new(ptxas)?;
    run.write("kernels.ptx", text.as_bytes())?;
    let arguments =
        [format!("-arch={}", target.name), "-v".into(), "kernels.ptx".into(), "-o".into(), "kernels.cubin".into()];
    let output = run.run(&arguments)?;
    if !output.succeeded {
        let refusal = output.text.lines().find(|line| PTXAS_REFUSALS.iter().any(|words| line.contains(words)));
        return Err(match refusal {
            Some(line) => BackendError::PtxasRefuses { target: target.spec(), reason: line.trim().to_string() },
            None => run.failure(target.spec(), &output),
        });
    }
    let bytes = run.read("kernels.cubin")?;
    let found = ptxas_resources(&output);
    let of = |name: &str| {
        found.iter().find(|(entry, _)| entry == name).map_or(KernelResources::default(), |(_, resources)| *resources)
    };
    let resources = kernels.iter().map(|kernel| (kernel.name.clone(), of(&kernel.name))).collect();
    Ok(Image { kind: ImageKind::Cubin, target: target.arch_spec(), bytes, resources })
}

/// Reads what `ptxas -v` prints: an entry's name, then its stack frame and spills, then its registers and shared
/// memory.
fn ptxas_resources(output: &ToolOutput) -> Vec<(String, KernelResources)> {
    let mut entries: Vec<(String, KernelResources)> = Vec::new();
    for line in output.text.lines() {
        if let Some((_, rest)) = line.split_once("Compiling entry function '") {
            let name = rest.split('\'').next().unwrap_or(rest);
            let resources = KernelResources { static_shared_bytes: Some(0), ..KernelResources::default() };
            entries.push((name.to_string(), resources));
        }
        let Some((_, resources)) = entries.last_mut() else { continue };
        let before = |what: &str| {
            line.split_once(what).and_then(|(head, _)| head.split_whitespace().last()?.parse::<u32>().ok())
        };
        if line.contains("bytes stack frame") {
            resources.scratch_bytes = before("bytes stack frame");
            resources.spill_bytes = before("bytes spill stores");
        }
        if line.contains(" registers") {
            resources.registers = before("registers");
            resources.static_shared_bytes = before("bytes smem").or(Some(0));
        }
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BinaryFormat;

    const HEADER: &str = "//\n// Generated\n//\n\n.version 6.3\n.target sm_60\n.address_size 64\n\n";

    fn kernel(name: &str, header: &str, extra: &str) -> KernelBinary {
        let text = format!(
            "{header}{extra}\n.visible .entry {name}(\n)\n{{\n\t.shared .align 16 .b8 {name}_sm[1024];\n\tret;\n}}\n"
        );
        KernelBinary { name: name.into(), format: BinaryFormat::Ptx, bytes: text.into_bytes(), intermediates: None }
    }

    #[test]
    fn bodies_follow_one_header_and_shared_externs_come_once() {
        let dynamic = ".extern .shared .align 16 .b8 dynamic[];";
        let (text, shared) = merge(&[kernel("a", HEADER, dynamic), kernel("b", HEADER, dynamic)]).expect("they join");
        assert!(text.starts_with(".version 6.3\n.target sm_60\n.address_size 64\n"));
        assert_eq!(
            (text.matches(".version").count(), text.matches(dynamic).count(), text.matches(".entry").count()),
            (1, 1, 2)
        );
        assert_eq!(shared, [1024, 1024]);
    }

    #[test]
    fn another_header_or_a_missing_entry_is_refused() {
        let other = HEADER.replace("6.3", "7.0");
        let error = merge(&[kernel("a", HEADER, ""), kernel("b", &other, "")]).expect_err("versions differ");
        assert_eq!(error.code(), "FX0427");
        let mut wrong = kernel("a", HEADER, "");
        wrong.name = "c".into();
        assert!(merge(&[wrong]).is_err());
        assert!(merge(&[kernel("a", "", "")]).is_err());
    }

    #[test]
    fn ptxas_output_is_read_by_entry() {
        let text = "ptxas info    : 0 bytes gmem\n\
                    ptxas info    : Compiling entry function 'a' for 'sm_90'\n\
                    ptxas info    : Function properties for a\n    \
                    8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads\n\
                    ptxas info    : Used 24 registers, used 1 barriers, 1024 bytes smem, 380 bytes cmem[0]\n\
                    ptxas info    : Compiling entry function 'b' for 'sm_90'\n    \
                    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n\
                    ptxas info    : Used 8 registers\n";
        let output = ToolOutput { succeeded: true, status: String::new(), text: text.into() };
        let found = ptxas_resources(&output);
        let a = KernelResources {
            registers: Some(24),
            scalar_registers: None,
            spill_bytes: Some(4),
            static_shared_bytes: Some(1024),
            scratch_bytes: Some(8),
        };
        let b = KernelResources {
            registers: Some(8),
            scalar_registers: None,
            spill_bytes: Some(0),
            static_shared_bytes: Some(0),
            scratch_bytes: Some(0),
        };
        assert_eq!(found, [("a".to_string(), a), ("b".to_string(), b)]);
    }

    #[test]
    fn shared_lines_count_their_bytes() {
        assert_eq!(shared_bytes_of("\t.shared .align 16 .b8 sm[1024];"), 1024);
        assert_eq!(shared_bytes_of(".shared .align 4 .f32 x;"), 4);
        assert_eq!(shared_bytes_of(".extern .shared .align 16 .b8 dynamic[];"), 0);
        assert_eq!(shared_bytes_of("\tld.shared.v4.b32 \t{%r1, %r2}, [sm];"), 0);
    }
    #[test]
    fn the_least_integer_stays_negative() {
        assert_eq!(
            wrapping_abs("\tabs.s32 \t%r40, %r36;").as_deref(),
            Some("\tneg.s32 \t%r40, %r36;\n\tmax.s32 \t%r40, %r40, %r36;")
        );
        assert_eq!(wrapping_abs("\tabs.f32 \t%r2, %r1;"), None);
    }

    #[test]
    fn halves_are_negated_by_their_complements() {
        let lines = "\tnot.b16 \t%rs3, %rs2;\n\tadd.s16 \t%rs3, %rs3, 1;";
        assert_eq!(negation("\tneg.s16 \t%rs3, %rs2;").as_deref(), Some(lines));
        assert_eq!(negation("\tneg.s32 \t%r3, %r2;"), None);
    }
}

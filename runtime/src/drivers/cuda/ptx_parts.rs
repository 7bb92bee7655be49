//! A PTX text of many kernels, cut into texts that compile alone.
//!
//! Input is a header (up to `.address_size`) and items: declarations and `.entry` functions, each with its braces, as
//! the compiler joins them. An item goes into one part with the declarations right before it; `.extern` declarations
//! go into all. Parts have about equal bytes, which is about equal time of the driver's compiler.
//!
//! Cutting is never wrong in silence: what a kernel uses of another item is there or the part does not compile, and
//! then the whole text is taken. What two parts could each have a copy of, they do not: only `.extern` is repeated.
//!
//! Example: three kernels of 10, 6 and 5 KiB in two parts: the first one, and the other two.

/// Least bytes of a part. The driver of an H200 compiles 0.55 MB a second (driver 580.159): 60 ms.
const LEAST_BYTES: usize = 32 << 10;

/// A text that compiles alone.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// Ends with a NUL, as the driver wants it.
    pub text: Vec<u8>,
    /// Names of its kernels.
    pub kernels: Vec<String>,
}

/// At most `most` parts of a text that ends with a NUL; none where it is not worth cutting, or not of the form above.
pub(super) fn parts(image: &[u8], most: usize) -> Vec<Part> {
    cut(image, most, LEAST_BYTES).unwrap_or_default()
}

fn cut(image: &[u8], most: usize, least: usize) -> Option<Vec<Part>> {
    let text = std::str::from_utf8(image.strip_suffix(&[0])?).ok()?;
    let body = text.find(".address_size").and_then(|at| Some(at + text.get(at..)?.find('\n')? + 1))?;
    let (header, body) = text.split_at_checked(body)?;
    let (externs, mut kernels) = items(body)?;
    let count = most.min(kernels.len()).min(body.len() / least.max(1));
    if count < 2 {
        return None;
    }
    // The largest first, each into the part that has least so far.
    kernels.sort_by_key(|kernel| std::cmp::Reverse(kernel.text.len()));
    let head = format!("{header}{externs}");
    let mut parts: Vec<Part> = (0..count).map(|_| Part { text: head.clone().into(), kernels: Vec::new() }).collect();
    for kernel in kernels {
        let part = parts.iter_mut().min_by_key(|part| part.text.len())?;
        part.text.extend_from_slice(kernel.text.as_bytes());
        part.kernels.push(kernel.name);
    }
    parts.iter_mut().for_each(|part| part.text.push(0));
    Some(parts)
}

/// An entry with the declarations before it.
struct Kernel {
    name: String,
    text: String,
}

/// The `.extern` lines, and the kernels in their order.
fn items(body: &str) -> Option<(String, Vec<Kernel>)> {
    let (mut externs, mut kernels) = (String::new(), Vec::new());
    let (mut item, mut name, mut depth) = (String::new(), None, 0usize);
    for line in body.lines() {
        let code = line.split("//").next().unwrap_or_default();
        if depth == 0 && code.starts_with(".extern") {
            externs.push_str(line);
            externs.push('\n');
            continue;
        }
        item.push_str(line);
        item.push('\n');
        if depth == 0
            && let Some((_, rest)) = code.split_once(".entry")
        {
            // Two entries without a body between them are no text that this understands.
            let old = name.replace(rest.split('(').next()?.trim().to_string());
            if old.is_some() {
                return None;
            }
        }
        let opened = depth + code.matches('{').count();
        let closed = code.matches('}').count();
        depth = opened.checked_sub(closed)?;
        if depth == 0
            && closed > 0
            && let Some(name) = name.take()
        {
            kernels.push(Kernel { name, text: std::mem::take(&mut item) });
        }
    }
    let is_whole = depth == 0 && name.is_none() && item.trim().is_empty();
    is_whole.then_some((externs, kernels))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = ".version 8.0\n.target sm_90a\n.address_size 64\n";
    const EXTERN: &str = ".extern .shared .align 128 .b8 dynamic[];\n";

    fn kernel(name: &str, lines: usize) -> String {
        let body = "\tadd.s32 %r1, %r1, 1; // one {\n".repeat(lines);
        let before = format!("\t// .globl {name}\n.shared .align 4 .b8 s_{name}[64];\n");
        format!("{before}.visible .entry {name}(\n\t.param .u64 a\n)\n{{\n{body}\t{{ .reg .b32 t; }}\n\tret;\n}}\n")
    }

    fn texts(parts: &[Part]) -> Vec<&str> {
        parts.iter().map(|part| std::str::from_utf8(&part.text).unwrap().strip_suffix('\0').unwrap()).collect()
    }

    #[test]
    fn every_kernel_is_in_one_part() {
        let [a, b, c] = [kernel("a", 20), kernel("b", 9), kernel("c", 8)];
        let image = format!("{HEADER}{a}{EXTERN}{b}{c}\0");
        let parts = cut(image.as_bytes(), 2, 1).unwrap();
        assert_eq!(parts[0].kernels, ["a"]);
        assert_eq!(parts[1].kernels, ["b", "c"]);
        assert_eq!(texts(&parts), [format!("{HEADER}{EXTERN}{a}"), format!("{HEADER}{EXTERN}{b}{c}")]);
        // As many parts as kernels at most, and none under the least bytes.
        assert_eq!(cut(image.as_bytes(), 9, 1).unwrap().len(), 3);
        assert_eq!(cut(image.as_bytes(), 9, image.len() / 2 - 40).unwrap().len(), 2);
        assert_eq!(cut(image.as_bytes(), 9, image.len()), None);
        assert_eq!(cut(image.as_bytes(), 1, 1), None);
    }

    #[test]
    fn what_is_of_another_form_stays_whole() {
        let [a, b] = [kernel("a", 3), kernel("b", 3)];
        let good = format!("{HEADER}{a}{b}\0");
        assert!(cut(good.as_bytes(), 2, 1).is_some());
        let bad = [
            good.trim_end_matches('\0').to_string(),
            format!("{a}{b}\0"),
            format!("{HEADER}{a}{b}.func f()\0"),
            format!("{HEADER}{a}}}\n{b}\0"),
            format!("{HEADER}{a}{{\n{b}\0"),
            format!("{HEADER}.entry c()\n{a}{b}\0"),
            "\0".to_string(),
            String::new(),
        ];
        for text in bad {
            assert_eq!(cut(text.as_bytes(), 2, 1), None, "{text}");
        }
        assert_eq!(cut(b".address_size 64\n\xff\0", 2, 1), None);
    }
}

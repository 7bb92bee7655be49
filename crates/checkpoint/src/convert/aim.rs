//! Which kind each tensor of a GGUF file gets: as llama.cpp's `quantize` chooses where nothing else is asked for.
//!
//! | tensor | kind |
//! | --- | --- |
//! | vectors, positions, routers of experts | F32 |
//! | the last matrix (the embedding, where it is that too) | Q6_K, or what was asked for where that is no less |
//! | other matrices | what was asked for |
//! | rows that are no blocks of 256 | Q5_0 for Q4_K, Q5_1 for Q5_K, Q8_0 for Q6_K |
//! | rows that are no blocks of 32 | F16 |

use fornax_types::ElementType;

use crate::blocks::Kind;
use crate::quantize::Coder;

/// A kind that can be written.
#[derive(Clone, Copy, Debug)]
pub enum Aim {
    Plain(ElementType),
    Blocks(Coder),
}

/// Plain types, as a command line has them, with `general.file_type` of llama.cpp (`llama_ftype`).
const PLAIN: &[(&str, ElementType, u64)] =
    &[("f32", ElementType::F32, 0), ("f16", ElementType::F16, 1), ("bf16", ElementType::Bf16, 32)];
/// The same of blocks: those of the small mixtures (`_S`).
const FILE_TYPES: &[(&str, u64)] =
    &[("Q4_0", 2), ("Q4_1", 3), ("Q8_0", 7), ("Q5_0", 8), ("Q5_1", 9), ("Q4_K", 14), ("Q5_K", 16), ("Q6_K", 18)];
/// What takes the place of blocks of 256 elements.
const SHORT: &[(&str, &str)] = &[("Q4_K", "Q5_0"), ("Q5_K", "Q5_1"), ("Q6_K", "Q8_0")];
/// Parts of names of matrices that are read as they are.
const KEPT: &[&str] = &["position_embd", "ffn_gate_inp", "rope_"];
const OUTPUT: &str = "output.weight";
const EMBEDDING: &str = "token_embd.weight";
/// The least that the last matrix gets.
const OUTPUT_KIND: &str = "q6_k";

impl Aim {
    /// The kind of a name of [`Aim::names`].
    pub fn named(name: &str) -> Option<Aim> {
        let plain = PLAIN.iter().find(|row| row.0 == name).map(|row| Aim::Plain(row.1));
        plain.or_else(|| Coder::named(name).map(Aim::Blocks))
    }

    pub fn names() -> Vec<String> {
        let plain = PLAIN.iter().map(|row| row.0.to_string());
        Coder::names().into_iter().chain(plain).collect()
    }

    /// As it stands in a file.
    pub fn kind(self) -> Option<&'static Kind> {
        match self {
            Aim::Plain(element) => Kind::of_element(element),
            Aim::Blocks(coder) => Some(coder.kind),
        }
    }

    /// `general.file_type` of a file that is mostly of this kind.
    pub fn file_type(self) -> u64 {
        let number = match self {
            Aim::Plain(element) => PLAIN.iter().find(|row| row.1 == element).map(|row| row.2),
            Aim::Blocks(coder) => FILE_TYPES.iter().find(|row| row.0 == coder.kind.name).map(|row| row.1),
        };
        number.unwrap_or(0)
    }

    /// The kind of one tensor; `tied` where the embedding is the last matrix too.
    pub fn of_tensor(self, name: &str, shape: &[u64], tied: bool) -> Aim {
        if shape.len() < 2 || KEPT.iter().any(|part| name.contains(part)) {
            return Aim::Plain(ElementType::F32);
        }
        let Aim::Blocks(asked) = self else { return self };
        let is_last = name == OUTPUT || (tied && name == EMBEDDING);
        let more = Coder::named(OUTPUT_KIND).filter(|more| is_last && rate(more.kind) > rate(asked.kind));
        let width = shape.last().copied().unwrap_or(1);
        fitting(more.unwrap_or(asked), width)
    }
}

/// Bits of an element.
fn rate(kind: &Kind) -> f64 {
    8.0 * kind.bytes as f64 / kind.elements as f64
}

/// The kind, or what takes its place where rows are no blocks of it.
fn fitting(coder: Coder, width: u64) -> Aim {
    if width.is_multiple_of(coder.kind.elements) {
        return Aim::Blocks(coder);
    }
    match SHORT.iter().find(|row| row.0 == coder.kind.name).and_then(|row| Coder::named(row.1)) {
        Some(short) => fitting(short, width),
        None => Aim::Plain(ElementType::F16),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_those_of_llama_cpp() {
        let kind = |asked: &str, name: &str, shape: &[u64], tied| {
            Aim::named(asked).unwrap().of_tensor(name, shape, tied).kind().unwrap().name
        };
        assert_eq!(kind("q4_0", "blk.0.attn_q.weight", &[64, 512], false), "Q4_0");
        assert_eq!(kind("q4_0", "blk.0.attn_q.bias", &[64], false), "F32");
        assert_eq!(kind("q4_0", "output.weight", &[64, 512], false), "Q6_K");
        assert_eq!(kind("q8_0", "output.weight", &[64, 512], false), "Q8_0");
        assert_eq!(kind("q4_k", "token_embd.weight", &[64, 512], false), "Q4_K");
        assert_eq!(kind("q4_k", "token_embd.weight", &[64, 576], true), "Q8_0");
        assert_eq!(kind("q4_k", "blk.0.ffn_up.weight", &[64, 576], true), "Q5_0");
        assert_eq!(kind("q4_k", "blk.0.ffn_up.weight", &[64, 20], true), "F16");
        assert_eq!(kind("bf16", "blk.0.ffn_up.weight", &[64, 20], true), "BF16");
        assert_eq!(kind("q4_0", "blk.0.ffn_gate_inp.weight", &[8, 512], true), "F32");
        assert!(Aim::named("q9").is_none());
        assert!(Aim::names().iter().all(|name| Aim::named(name).is_some()));
    }
}

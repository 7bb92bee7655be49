//! Element kinds of GGUF: plain elements, and blocks of quantised ones. One row each.
//!
//! Sizes are those of the `gguf` package of llama.cpp (0.19.0), `gguf.constants.GGML_QUANT_SIZES`.

use fornax_types::ElementType;

/// How elements lie in a file.
#[derive(Debug, PartialEq, Eq)]
pub struct Kind {
    /// The number that stands in the file.
    pub code: u32,
    /// As llama.cpp calls it.
    pub name: &'static str,
    /// Elements of a block; 1 where each element stands for itself.
    pub elements: u64,
    /// Bytes of a block.
    pub bytes: u64,
    /// The type of plain elements; `None` for blocks.
    pub element: Option<ElementType>,
}

macro_rules! kinds {
    (plain: $($code:literal $name:literal $bytes:literal $element:ident;)*
     blocks: $($block_code:literal $block:literal $elements:literal $block_bytes:literal;)*) => {
        /// Every kind, plain ones first.
        pub const KINDS: &[Kind] = &[
            $(Kind { code: $code, name: $name, elements: 1, bytes: $bytes, element: Some(ElementType::$element) },)*
            $(Kind { code: $block_code, name: $block, elements: $elements, bytes: $block_bytes, element: None },)*
        ];
    };
}

kinds! {
    plain:
    0 "F32" 4 F32;
    1 "F16" 2 F16;
    24 "I8" 1 I8;
    25 "I16" 2 I16;
    26 "I32" 4 I32;
    27 "I64" 8 I64;
    28 "F64" 8 F64;
    30 "BF16" 2 Bf16;
    blocks:
    2 "Q4_0" 32 18;
    3 "Q4_1" 32 20;
    6 "Q5_0" 32 22;
    7 "Q5_1" 32 24;
    8 "Q8_0" 32 34;
    9 "Q8_1" 32 36;
    10 "Q2_K" 256 84;
    11 "Q3_K" 256 110;
    12 "Q4_K" 256 144;
    13 "Q5_K" 256 176;
    14 "Q6_K" 256 210;
    15 "Q8_K" 256 292;
    16 "IQ2_XXS" 256 66;
    17 "IQ2_XS" 256 74;
    18 "IQ3_XXS" 256 98;
    19 "IQ1_S" 256 50;
    20 "IQ4_NL" 32 18;
    21 "IQ3_S" 256 110;
    22 "IQ2_S" 256 82;
    23 "IQ4_XS" 256 136;
    29 "IQ1_M" 256 56;
    34 "TQ1_0" 256 54;
    35 "TQ2_0" 256 66;
    39 "MXFP4" 32 17;
    40 "NVFP4" 64 36;
}

/// Plain elements that only safetensors files have.
const OTHERS: &[Kind] =
    &[Kind { code: u32::MAX, name: "F8_E4M3", elements: 1, bytes: 1, element: Some(ElementType::F8E4M3FN) }];

impl Kind {
    /// The kind of plain elements of a type.
    pub fn of_element(element: ElementType) -> Option<&'static Kind> {
        KINDS.iter().chain(OTHERS).find(|kind| kind.element == Some(element))
    }

    /// The kind that a file's number stands for.
    pub fn of_code(code: u32) -> Option<&'static Kind> {
        KINDS.iter().find(|kind| kind.code == code)
    }

    /// Type and shape of the tensor of bytes that a parameter of this kind is: plain elements keep their type, blocks
    /// are bytes `[…, blocks of a row, bytes of a block]`. `shape` is outermost first; its last size is a multiple of
    /// [`Kind::elements`].
    pub fn stored(&self, shape: &[u64]) -> (ElementType, Vec<u64>) {
        let mut stored = shape.to_vec();
        match (self.element, stored.last_mut()) {
            (Some(element), _) => (element, stored),
            (None, Some(last)) => {
                *last /= self.elements;
                stored.push(self.bytes);
                (ElementType::Ui8, stored)
            }
            (None, None) => (ElementType::Ui8, vec![self.bytes]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_has_its_own_code_and_name() {
        for (at, kind) in KINDS.iter().enumerate() {
            let others = || KINDS.iter().skip(at + 1);
            assert!(others().all(|other| other.code != kind.code && other.name != kind.name), "{}", kind.name);
            assert_eq!(kind.element.is_some(), kind.elements == 1);
            if let Some(element) = kind.element {
                assert_eq!(element.storage_bytes() as u64, kind.bytes, "{}", kind.name);
            }
        }
    }

    #[test]
    fn blocks_are_bytes() {
        let kind = |code| Kind::of_code(code).unwrap();
        assert_eq!(kind(3).stored(&[5, 64]), (ElementType::Ui8, vec![5, 2, 20]));
        assert_eq!(kind(30).stored(&[5, 64]), (ElementType::Bf16, vec![5, 64]));
        assert_eq!(Kind::of_code(99), None);
    }
}

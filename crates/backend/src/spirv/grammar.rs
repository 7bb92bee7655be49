//! Which words of an instruction are ids: the part of SPIR-V's grammar that LLVM writes for our kernels.
//!
//! A row's shape has one letter a word: `t` type of the result, `r` result, `i` id, `l` literal; the last letter
//! followed by `*` stands for all words that are left. An opcode without a row is an error, never a guess.
//!
//! Source: the SPIR-V specification, unified 1.6, "Instructions".

/// `OpSwitch` has after its default pairs of a literal, as wide as the selector, and an id: see [`switch_words`].
///
/// `(opcode, name, shape)`.
pub type Row = (u16, &'static str, &'static str);

/// By opcode.
#[rustfmt::skip]
pub const ROWS: &[Row] = &[
    (1, "OpUndef", "tr"), (5, "OpName", "il*"), (12, "OpExtInst", "trili*"), (16, "OpExecutionMode", "il*"),
    (19, "OpTypeVoid", "r"), (20, "OpTypeBool", "r"), (21, "OpTypeInt", "rll"), (22, "OpTypeFloat", "rl*"),
    (23, "OpTypeVector", "ril"), (28, "OpTypeArray", "rii"), (30, "OpTypeStruct", "ri*"), (32, "OpTypePointer", "rli"),
    (33, "OpTypeFunction", "rii*"), (41, "OpConstantTrue", "tr"), (42, "OpConstantFalse", "tr"),
    (43, "OpConstant", "trl*"), (44, "OpConstantComposite", "tri*"), (46, "OpConstantNull", "tr"),
    (54, "OpFunction", "trli"), (55, "OpFunctionParameter", "tr"), (56, "OpFunctionEnd", ""),
    (57, "OpFunctionCall", "trii*"), (59, "OpVariable", "trli*"), (61, "OpLoad", "tril*"), (62, "OpStore", "iil*"),
    (63, "OpCopyMemory", "iil*"), (64, "OpCopyMemorySized", "iiil*"), (65, "OpAccessChain", "tri*"),
    (66, "OpInBoundsAccessChain", "tri*"), (67, "OpPtrAccessChain", "tri*"), (70, "OpInBoundsPtrAccessChain", "tri*"),
    (71, "OpDecorate", "il*"), (77, "OpVectorExtractDynamic", "trii"), (78, "OpVectorInsertDynamic", "triii"),
    (79, "OpVectorShuffle", "triil*"), (80, "OpCompositeConstruct", "tri*"), (81, "OpCompositeExtract", "tril*"),
    (82, "OpCompositeInsert", "triil*"), (83, "OpCopyObject", "tri"), (84, "OpTranspose", "tri"),
    (109, "OpConvertFToU", "tri"), (110, "OpConvertFToS", "tri"), (111, "OpConvertSToF", "tri"),
    (112, "OpConvertUToF", "tri"), (113, "OpUConvert", "tri"), (114, "OpSConvert", "tri"), (115, "OpFConvert", "tri"),
    (117, "OpConvertPtrToU", "tri"), (118, "OpSatConvertSToU", "tri"), (119, "OpSatConvertUToS", "tri"),
    (120, "OpConvertUToPtr", "tri"), (121, "OpPtrCastToGeneric", "tri"), (122, "OpGenericCastToPtr", "tri"),
    (124, "OpBitcast", "tri"), (126, "OpSNegate", "tri"), (127, "OpFNegate", "tri"), (128, "OpIAdd", "trii"),
    (129, "OpFAdd", "trii"), (130, "OpISub", "trii"), (131, "OpFSub", "trii"), (132, "OpIMul", "trii"),
    (133, "OpFMul", "trii"), (134, "OpUDiv", "trii"), (135, "OpSDiv", "trii"), (136, "OpFDiv", "trii"),
    (137, "OpUMod", "trii"), (138, "OpSRem", "trii"), (139, "OpSMod", "trii"), (140, "OpFRem", "trii"),
    (141, "OpFMod", "trii"), (149, "OpIAddCarry", "trii"), (150, "OpISubBorrow", "trii"),
    (151, "OpUMulExtended", "trii"), (152, "OpSMulExtended", "trii"), (154, "OpAny", "tri"), (155, "OpAll", "tri"),
    (156, "OpIsNan", "tri"), (157, "OpIsInf", "tri"), (158, "OpIsFinite", "tri"), (159, "OpIsNormal", "tri"),
    (160, "OpSignBitSet", "tri"), (161, "OpLessOrGreater", "trii"), (162, "OpOrdered", "trii"),
    (163, "OpUnordered", "trii"), (164, "OpLogicalEqual", "trii"), (165, "OpLogicalNotEqual", "trii"),
    (166, "OpLogicalOr", "trii"), (167, "OpLogicalAnd", "trii"), (168, "OpLogicalNot", "tri"),
    (169, "OpSelect", "triii"), (170, "OpIEqual", "trii"), (171, "OpINotEqual", "trii"),
    (172, "OpUGreaterThan", "trii"), (173, "OpSGreaterThan", "trii"), (174, "OpUGreaterThanEqual", "trii"),
    (175, "OpSGreaterThanEqual", "trii"), (176, "OpULessThan", "trii"), (177, "OpSLessThan", "trii"),
    (178, "OpULessThanEqual", "trii"), (179, "OpSLessThanEqual", "trii"), (180, "OpFOrdEqual", "trii"),
    (181, "OpFUnordEqual", "trii"), (182, "OpFOrdNotEqual", "trii"), (183, "OpFUnordNotEqual", "trii"),
    (184, "OpFOrdLessThan", "trii"), (185, "OpFUnordLessThan", "trii"), (186, "OpFOrdGreaterThan", "trii"),
    (187, "OpFUnordGreaterThan", "trii"), (188, "OpFOrdLessThanEqual", "trii"), (189, "OpFUnordLessThanEqual", "trii"),
    (190, "OpFOrdGreaterThanEqual", "trii"), (191, "OpFUnordGreaterThanEqual", "trii"),
    (194, "OpShiftRightLogical", "trii"), (195, "OpShiftRightArithmetic", "trii"), (196, "OpShiftLeftLogical", "trii"),
    (197, "OpBitwiseOr", "trii"), (198, "OpBitwiseXor", "trii"), (199, "OpBitwiseAnd", "trii"), (200, "OpNot", "tri"),
    (204, "OpBitReverse", "tri"), (205, "OpBitCount", "tri"), (224, "OpControlBarrier", "iii"),
    (225, "OpMemoryBarrier", "ii"), (227, "OpAtomicLoad", "triii"), (228, "OpAtomicStore", "iiii"),
    (229, "OpAtomicExchange", "triiii"), (230, "OpAtomicCompareExchange", "triiiiii"),
    (232, "OpAtomicIIncrement", "triii"), (233, "OpAtomicIDecrement", "triii"), (234, "OpAtomicIAdd", "triiii"),
    (235, "OpAtomicISub", "triiii"), (236, "OpAtomicSMin", "triiii"), (237, "OpAtomicUMin", "triiii"),
    (238, "OpAtomicSMax", "triiii"), (239, "OpAtomicUMax", "triiii"), (240, "OpAtomicAnd", "triiii"),
    (241, "OpAtomicOr", "triiii"), (242, "OpAtomicXor", "triiii"), (245, "OpPhi", "tri*"), (246, "OpLoopMerge", "iil*"),
    (247, "OpSelectionMerge", "il"), (248, "OpLabel", "r"), (249, "OpBranch", "i"),
    (250, "OpBranchConditional", "iiil*"), (251, "OpSwitch", "ii*"), (253, "OpReturn", ""), (254, "OpReturnValue", "i"),
    (255, "OpUnreachable", ""), (256, "OpLifetimeStart", "il"), (257, "OpLifetimeStop", "il"),
    (345, "OpGroupNonUniformShuffle", "triii"), (346, "OpGroupNonUniformShuffleXor", "triii"),
    (400, "OpCopyLogical", "tri"),
];

/// What one word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    Id,
    Result,
    Literal,
}

/// The row of an opcode.
pub fn row(opcode: u16) -> Option<Row> {
    ROWS.binary_search_by_key(&opcode, |row| row.0).ok().and_then(|at| ROWS.get(at)).copied()
}

/// What each of `count` operand words of a shape is; `None` where there are too few or too many.
pub fn words(shape: &str, count: usize) -> Option<Vec<Word>> {
    let (shape, rest) = match shape.strip_suffix('*') {
        Some(open) => (open.get(..open.len() - 1)?, open.chars().last().map(meaning)),
        None => (shape, None),
    };
    let mut all: Vec<Word> = shape.chars().map(meaning).collect();
    match rest {
        Some(word) if count >= all.len() => all.resize(count, word),
        _ if count == all.len() => {}
        _ => return None,
    }
    Some(all)
}

/// Words of an `OpSwitch` whose literals have `wide` words each.
pub fn switch_words(wide: usize, count: usize) -> Option<Vec<Word>> {
    let mut all = vec![Word::Id; 2];
    while all.len() < count {
        all.extend(std::iter::repeat_n(Word::Literal, wide));
        all.push(Word::Id);
    }
    (all.len() == count).then_some(all)
}

fn meaning(letter: char) -> Word {
    match letter {
        'r' => Word::Result,
        'l' => Word::Literal,
        _ => Word::Id,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_in_order() {
        assert!(ROWS.windows(2).all(|pair| pair[0].0 < pair[1].0));
        assert_eq!(row(128).map(|row| row.1), Some("OpIAdd"));
        assert_eq!(row(2), None);
    }

    #[test]
    fn shapes_cover_all_words() {
        use Word::{Id, Literal, Result};
        assert_eq!(words("tril*", 5), Some(vec![Id, Result, Id, Literal, Literal]));
        assert_eq!(words("trili*", 6), Some(vec![Id, Result, Id, Literal, Id, Id]));
        assert_eq!(words("tril*", 3), Some(vec![Id, Result, Id]));
        assert_eq!(switch_words(2, 5), Some(vec![Id, Id, Literal, Literal, Id]));
        assert_eq!(switch_words(1, 5), None);
        assert_eq!(words("iii", 2), None);
        assert_eq!(words("trii", 5), None);
    }
}

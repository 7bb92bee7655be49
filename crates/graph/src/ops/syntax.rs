//! Pretty forms of ops as lists of pieces. The parser and the printer walk the same list, so what one writes the other
//! reads. Only forms that no piece describes (`reduce`, `while`, constants …) are `Custom`.

/// One step of a pretty form.
#[derive(Clone, Copy, Debug)]
pub enum Piece {
    /// Punctuation and keywords, with the spaces the printer writes. The parser matches it word by word.
    Lit(&'static str),
    /// The next operand.
    Operand,
    /// All operands that are left, separated by commas.
    Operands,
    /// All operands that are left, each followed by a comma.
    OperandsComma,
    /// The value of an attribute by its kind in the schema: `[0, 1]`, `3`, `true`, `KEYWORD`, `"text"`.
    Attr(&'static str),
    /// Pieces that are there when the attribute is; the first piece is a literal.
    Optional(&'static str, &'static [Piece]),
    /// `{a = 1}` with every attribute that no other piece writes.
    AttrDict,
    /// `attributes {a = 1}`
    AttrDictKeyword,
    Types(TypeForm),
    Custom(Custom),
}

/// How the types of a pretty form are written (with the colon before them).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypeForm {
    /// `: (a, b) -> c`
    Functional,
    /// `: t` when all operands and the result have it, else functional.
    Same,
    /// `: results`
    Results,
    /// `: operands`, or nothing when there are none.
    OptionalOperands,
    /// `: a, b -> c`, results in parentheses unless there is one
    Arrow,
    /// `: a, b` for operands and results alike
    Pairwise,
    /// `: pred, t` or functional
    Select,
    /// `: tensor<complex<f32>>` or functional
    Complex,
    /// `: tuple<a, b>`
    Tuple,
}

/// Pretty forms with code of their own, in the parser and in the printer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Custom {
    /// The whole form of `constant`.
    Constant,
    /// The whole form of `reduce`.
    Reduce,
    /// The whole form of `while`.
    While,
    /// The whole form of `chlo.scan`.
    Scan,
    /// The whole form of `composite`.
    Composite,
    /// `@f`
    Callee,
    /// `[0:4:2, 1:3]`
    SliceRanges,
    /// `@target`
    CallTarget,
    /// `[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]`
    ConvDimensions,
    /// `stride = [2, 2], pad = [[0, 1], [0, 1]]`
    Window,
    /// `batching_dims = [0] x [0], contracting_dims = [2] x [1]`
    DotDimensions,
    /// `, precision = [DEFAULT, HIGH]`
    Precision,
    /// `, algorithm = <…>`
    Algorithm,
    /// `e8m7`
    ExponentMantissa,
}

impl Custom {
    /// Whether the form is a whole op with its operands.
    pub(crate) fn holds_operands(self) -> bool {
        matches!(self, Custom::Constant | Custom::Reduce | Custom::While | Custom::Scan | Custom::Composite)
    }

    /// Attributes that the form holds.
    pub fn attributes(self) -> &'static [&'static str] {
        match self {
            Custom::Constant => &["value"],
            Custom::Reduce => &["dimensions"],
            Custom::While => &[],
            Custom::Scan => &["dimension", "operandSegmentSizes", "resultSegmentSizes"],
            Custom::Composite => &["name"],
            Custom::Callee => &["callee"],
            Custom::SliceRanges => &["start_indices", "limit_indices", "strides"],
            Custom::CallTarget => &["call_target_name"],
            Custom::ConvDimensions => &["dimension_numbers"],
            Custom::Window => &["window_strides", "padding", "lhs_dilation", "rhs_dilation", "window_reversal"],
            Custom::DotDimensions => &["dot_dimension_numbers"],
            Custom::Precision => &["precision_config"],
            Custom::Algorithm => &["algorithm"],
            Custom::ExponentMantissa => &["exponent_bits", "mantissa_bits"],
        }
    }
}

/// Attributes that a pretty form writes outside its attribute dictionary.
pub fn attributes(pieces: &[Piece]) -> Vec<&'static str> {
    let mut names = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Attr(name) => names.push(*name),
            Piece::Optional(name, inner) => {
                names.push(*name);
                names.extend(attributes(inner).into_iter().filter(|n| n != name));
            }
            Piece::Custom(custom) => names.extend(custom.attributes()),
            _ => {}
        }
    }
    names
}

use Piece::{AttrDict, Lit, Operand, Operands, Types};

/// `%a : t`
pub const UNARY: &[Piece] = &[Operand, AttrDict, Types(TypeForm::Same)];
/// `%a, %b : t`
pub const BINARY: &[Piece] = &[Operand, Lit(", "), Operand, AttrDict, Types(TypeForm::Same)];
/// `%a, %b : (a, b) -> c`
pub(crate) const FUNCTIONAL: &[Piece] = &[Operands, AttrDict, Types(TypeForm::Functional)];
/// `%a : a -> b`
pub const ARROW: &[Piece] = &[Operands, AttrDict, Types(TypeForm::Arrow)];
/// `: t`
pub(crate) const NULLARY: &[Piece] = &[AttrDict, Types(TypeForm::Results)];
/// `%a, %b : a, b` or nothing
pub(crate) const RETURN: &[Piece] = &[Operands, AttrDict, Types(TypeForm::OptionalOperands)];

//! Error codes of the verifier.

fornax_types::errors! {
    FX0201 "wrong number of operands, results or regions": "see the row of the op in docs/use/ops.md";
    FX0202 "operand type not allowed": "see the row of the op in docs/use/ops.md; convert the operand first";
    FX0203 "result type does not follow from the operands": "correct the type that the message names";
    FX0204 "attribute missing or of another kind": "see the row of the op in docs/use/ops.md";
    FX0205 "attribute value out of range": "correct the value; the message says which bound it breaks";
    FX0206 "operand shapes do not fit together": "correct the shapes that the message names";
    FX0207 "region does not have the form the op needs": "correct the region's arguments or what it returns";
    FX0208 "value used where it is not defined": "define the value before its use, in the same or an outer region";
    FX0209 "op outside the table": "lower the op to StableHLO before compiling";
    FX0210 "misplaced or missing terminator": "end each block with exactly one return";
    FX0211 "call does not fit a function": "correct the name or the types of the call";
    FX0212 "function returns other types than it declares": "correct the return or the signature";
    FX0213 "recursive call": "rewrite the recursion as `stablehlo.while`";
}

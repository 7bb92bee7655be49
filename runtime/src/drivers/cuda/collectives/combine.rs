//! PTX that combines eight bytes of several devices, element by element, in their order.
//!
//! Input: two 32-bit registers a device. Output: two registers. Floats of 16 bits are combined in 32 and rounded once,
//! as on the host (`drivers/host_reduce.rs`): both give the same bits, but for the payload of a NaN.
//!
//! Worked example, bf16 and two devices: each register is two elements; `shl 16` and `and 0xffff0000` make floats of
//! them, `add.rn.f32` adds, and the sums are rounded to nearest even with integer operations (`cvt.rn.bf16` is newer
//! than sm_70).

use std::fmt::Write;

use fornax_module::collective::Reducer;
use fornax_types::ElementType;

/// A device's eight bytes.
pub(super) type Pair = [String; 2];

/// Appends the code; `None` for element types that devices do not combine.
pub(super) fn combine(
    text: &mut String,
    (element, by): (ElementType, Reducer),
    from: &[Pair],
    to: &Pair,
) -> Option<()> {
    match element.bits() {
        64 => wide(text, (element, by), from, to),
        _ => (0..2).try_for_each(|half| {
            let words: Vec<&str> = from.iter().filter_map(|pair| pair.get(half)).map(String::as_str).collect();
            word(text, (element, by), &words, to.get(half)?)
        }),
    }
}

/// The PTX type in which elements are combined.
fn working_type(element: ElementType) -> Option<&'static str> {
    Some(match element {
        ElementType::F32 | ElementType::F16 | ElementType::Bf16 => "f32",
        ElementType::F64 => "f64",
        ElementType::I8 | ElementType::I16 | ElementType::I32 => "s32",
        ElementType::I1 | ElementType::Ui8 | ElementType::Ui16 | ElementType::Ui32 => "u32",
        ElementType::I64 => "s64",
        ElementType::Ui64 => "u64",
        _ => return None,
    })
}

/// `acc = acc by x`.
fn reduce(text: &mut String, ty: &str, by: Reducer, (acc, x): (&str, &str)) {
    let (is_float, width) = (ty.starts_with('f'), &ty[1..]);
    let op = match by {
        Reducer::Add if is_float => format!("add.rn.{ty}"),
        Reducer::Add => format!("add.{ty}"),
        Reducer::Multiply if is_float => format!("mul.rn.{ty}"),
        Reducer::Multiply => format!("mul.lo.{ty}"),
        Reducer::And => format!("and.b{width}"),
        Reducer::Or => format!("or.b{width}"),
        Reducer::Minimum => format!("min.{ty}"),
        Reducer::Maximum => format!("max.{ty}"),
    };
    if is_float && matches!(by, Reducer::Minimum | Reducer::Maximum) {
        let nan = if ty == "f32" { "0f7FC00000" } else { "0d7FF8000000000000" };
        let _ = writeln!(text, "setp.nan.{ty} %q, {acc}, {x}; {op} {acc}, {acc}, {x};");
        let _ = writeln!(text, "selp.{ty} {acc}, {nan}, {acc}, %q;");
        return;
    }
    let _ = writeln!(text, "{op} {acc}, {acc}, {x};");
}

/// Elements of 64 bits.
fn wide(text: &mut String, (element, by): (ElementType, Reducer), from: &[Pair], to: &Pair) -> Option<()> {
    let ty = working_type(element)?;
    let _ = writeln!(text, "{{ .reg .pred %q; .reg .{ty} %acc, %x;");
    for (at, [low, high]) in from.iter().enumerate() {
        let into = if at == 0 { "%acc" } else { "%x" };
        let _ = writeln!(text, "mov.b64 {into}, {{{low}, {high}}};");
        if at > 0 {
            reduce(text, ty, by, ("%acc", "%x"));
        }
    }
    let [low, high] = to;
    let _ = writeln!(text, "mov.b64 {{{low}, {high}}}, %acc; }}");
    Some(())
}

/// The elements of a 32-bit word.
fn word(text: &mut String, (element, by): (ElementType, Reducer), from: &[&str], to: &str) -> Option<()> {
    let ty = working_type(element)?;
    // `i1` is a byte in memory.
    let bits = 8 * element.storage_bytes();
    let lanes = 32 / bits;
    let _ = writeln!(text, "{{ .reg .pred %q; .reg .{ty} %acc, %x; .reg .b32 %t, %u, %all; .reg .b16 %h<2>;");
    for lane in 0..lanes {
        for (at, word) in from.iter().enumerate() {
            let into = if at == 0 { "%acc" } else { "%x" };
            widen(text, element, (into, word), lane);
            if at > 0 {
                reduce(text, ty, by, ("%acc", "%x"));
            }
        }
        narrow(text, element, lane);
    }
    let _ = writeln!(text, "mov.b32 {to}, %all; }}");
    Some(())
}

/// Lane `lane` of a word as a number to work with.
fn widen(text: &mut String, element: ElementType, (into, word): (&str, &str), lane: usize) {
    let bits = 8 * element.storage_bytes();
    let at = lane * bits;
    let _ = match element {
        ElementType::F16 => writeln!(text, "mov.b32 {{%h0, %h1}}, {word}; cvt.f32.f16 {into}, %h{lane};"),
        ElementType::Bf16 if lane == 0 => writeln!(text, "shl.b32 %t, {word}, 16; mov.b32 {into}, %t;"),
        ElementType::Bf16 => writeln!(text, "and.b32 %t, {word}, 0xffff0000; mov.b32 {into}, %t;"),
        _ if bits == 32 => writeln!(text, "mov.b32 {into}, {word};"),
        _ if element.is_integer() && !element.is_unsigned() && element != ElementType::I1 => {
            writeln!(text, "bfe.s32 {into}, {word}, {at}, {bits};")
        }
        _ => writeln!(text, "bfe.u32 {into}, {word}, {at}, {bits};"),
    };
}

/// Rounds `%acc` and puts it into its place in `%all`.
fn narrow(text: &mut String, element: ElementType, lane: usize) {
    let bits = 8 * element.storage_bytes();
    let _ = match element {
        ElementType::F16 => writeln!(text, "cvt.rn.f16.f32 %h0, %acc; cvt.u32.u16 %t, %h0;"),
        ElementType::Bf16 => {
            // To nearest even; a NaN stays one.
            let _ = writeln!(text, "mov.b32 %t, %acc; shr.u32 %u, %t, 16; and.b32 %u, %u, 1;");
            let _ = writeln!(text, "add.u32 %u, %u, 0x7fff; add.u32 %u, %u, %t; shr.u32 %u, %u, 16;");
            let _ = writeln!(text, "shr.u32 %t, %t, 16; or.b32 %t, %t, 0x40; setp.nan.f32 %q, %acc, %acc;");
            writeln!(text, "selp.b32 %t, %t, %u, %q;")
        }
        _ if bits == 32 => writeln!(text, "mov.b32 %all, %acc;"),
        _ => writeln!(text, "and.b32 %t, %acc, {};", (1u32 << bits) - 1),
    };
    if bits == 32 {
        return;
    }
    let _ = match lane {
        0 => writeln!(text, "mov.b32 %all, %t;"),
        _ => writeln!(text, "shl.b32 %t, %t, {}; or.b32 %all, %all, %t;", lane * bits),
    };
}

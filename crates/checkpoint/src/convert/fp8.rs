//! Floats of 8 bits (E4M3) with a scale for each row, the largest magnitude of a row being the type's largest.

use fornax_types::ElementType;
use fornax_types::float::{decode_float, encode_float};

use super::{ConvertError, Loss, Part, Source, in_parts};

/// The largest number of the type.
const LARGEST: f32 = 448.0;

/// Writes the elements of a matrix; gives the scales of its rows.
///
/// # Errors
/// Those of [`super::write`].
pub fn write(source: &Source, out: &mut dyn std::io::Write) -> Result<(Vec<f32>, Loss), ConvertError> {
    let back: Vec<f32> = (0..=u8::MAX).map(|bits| decode_float(ElementType::F8E4M3FN, bits.into()) as f32).collect();
    let convert = |numbers: &[f32], width: usize, part: &mut Part| {
        for row in numbers.chunks(width.max(1)) {
            let most = row.iter().fold(0.0f32, |most, x| most.max(x.abs()));
            // Rows of zeros, and of numbers whose scale f32 cannot say, stay as they are.
            let scale = if most / LARGEST > f32::MIN_POSITIVE { most / LARGEST } else { 1.0 };
            for &number in row {
                let in_range = (number / scale).clamp(-LARGEST, LARGEST);
                let bits = encode_float(ElementType::F8E4M3FN, in_range.into()) as u8;
                part.bytes.push(bits);
                part.loss.note(number, back.get(usize::from(bits)).copied().unwrap_or(f32::NAN) * scale);
            }
            part.scales.push(scale);
        }
    };
    let (mut loss, mut scales) = (Loss::default(), Vec::new());
    in_parts(source, &convert, &mut |part| {
        loss.add(&part.loss);
        scales.extend(part.scales);
        out.write_all(&part.bytes)
    })?;
    Ok((scales, loss))
}

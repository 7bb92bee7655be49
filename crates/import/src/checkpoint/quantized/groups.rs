//! Whole numbers that share a scale and a zero in groups of inputs: what GPTQ and AWQ have in common.
//!
//! `w[o, i] = (q[o, i] - zero[o, i / group]) · scale[o, i / group]`.
//!
//! Elements of 4 bits are packed anew, by outputs: of a block of inputs the first half lies in the low bits, the other
//! half in the high ones, as in GGUF's Q4_0. So products with few rows read them as they read those blocks. It happens
//! once, when a module is loaded.
//!
//! Worked example: 4 inputs of one group, `q = [1, 2, 3, 4]`: the bytes `0x31, 0x42`.

use fornax_types::ElementType;

use super::super::text::{Text, Value};
use super::matrices::Matrices;

/// The parts of a matrix, or of those of experts, whose number comes before other dimensions then.
pub struct Grouped<'a> {
    pub of: Matrices,
    /// Inputs of a group.
    pub group: u64,
    /// Bits of an element: 4 or 8.
    pub bits: u64,
    /// `[out, in]` of ui8.
    pub elements: &'a Value,
    /// `[groups, out]` of floats.
    pub scales: &'a Value,
    /// `[groups, out]` of ui8.
    pub zeros: &'a Value,
}

impl Grouped<'_> {
    /// The matrix `[out, in]` of f32, or those of experts, all or those with the numbers `picked`. Blocks of inputs, of
    /// a size that divides both, have scales of their own where the last group is shorter than others.
    pub fn matrix(&self, text: &mut Text, picked: Option<&Value>) -> Value {
        let Matrices { out, inputs, .. } = self.of;
        let block = block(inputs, self.group);
        let shape = self.of.shape(&[out, inputs / block, block]);
        let elements = text.reshape(self.elements, &shape);
        let elements = if self.bits == 4 { repacked(text, &elements) } else { elements };
        let elements = text.convert(&elements, ElementType::F32);
        let zeros = self.of_blocks(text, self.zeros, block);
        let zeros = text.convert(&zeros, ElementType::F32);
        let zeros = text.spread(&zeros, &shape);
        let scales = self.of_blocks(text, self.scales, block);
        let scales = text.convert(&scales, ElementType::F32);
        let scales = text.spread(&scales, &shape);
        let centred = text.binary("subtract", &elements, &zeros);
        let mut weights = text.binary("multiply", &centred, &scales);
        // Said last: what is the same in every call is made once for all of them.
        if let Some(numbers) = picked {
            weights = text.rows(&weights, numbers);
        }
        let several = weights.shape.get(..self.of.outer()).unwrap_or_default();
        let shape: Vec<u64> = several.iter().copied().chain([out, inputs]).collect();
        text.reshape(&weights, &shape)
    }

    /// `[out, blocks]` of what groups have.
    fn of_blocks(&self, text: &mut Text, groups: &Value, block: u64) -> Value {
        let transposed = text.transpose(groups, &self.of.order(&[1, 0]));
        text.repeat_last(&transposed, self.group / block, self.of.inputs / block)
    }
}

/// Inputs of the blocks in which groups of a size are cut: as many as divide both the inputs and the groups.
pub fn block(inputs: u64, group: u64) -> u64 {
    let (mut a, mut b) = (inputs, group);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Elements of 4 bits, two in a byte and out of it again.
fn repacked(text: &mut Text, elements: &Value) -> Value {
    let half = elements.last() / 2;
    let low = text.slice_last(elements, 0, half);
    let high = text.slice_last(elements, half, 2 * half);
    let high = text.binary_with("shift_left", &high, "4");
    let packed = text.binary("or", &low, &high);
    let (low, high) = text.nibbles(&packed);
    text.concatenate_last(&[&low, &high])
}

/// Elements of words, the lowest bits first: `[…]` of i32 as `[…, elements of a word]` of ui8.
pub fn unpacked(text: &mut Text, words: &Value, bits: u64) -> Value {
    let bytes = text.bytes_of(words);
    if bits == 8 {
        return bytes;
    }
    let pairs: Vec<u64> = bytes.shape.iter().copied().chain([1]).collect();
    let pairs = text.reshape(&bytes, &pairs);
    let (low, high) = text.nibbles(&pairs);
    let both = text.concatenate_last(&[&low, &high]);
    let all: Vec<u64> = words.shape.iter().copied().chain([8]).collect();
    text.reshape(&both, &all)
}

#[cfg(test)]
mod tests {
    use super::block;

    #[test]
    fn blocks_divide_inputs_and_groups() {
        for (inputs, group, wanted) in [(512, 128, 128), (4864, 128, 128), (40, 32, 8), (96, 96, 96), (128, 32, 32)] {
            assert_eq!(block(inputs, group), wanted);
        }
    }
}

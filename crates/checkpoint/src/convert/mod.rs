//! Tensors of floats in another kind: read from one file, written behind each other, some rows at a time.
//!
//! * [`floats`]: numbers of a file as f32, their rows perhaps in another order.
//! * [`aim`]: which kind each tensor gets.
//! * [`fp8`]: floats of 8 bits with a scale for each row.
//!
//! Memory: [`CHUNK_ELEMENTS`] numbers and what they become; a whole tensor only where it is transposed.

pub mod aim;
pub mod floats;
pub mod fp8;

use std::collections::BTreeMap;
use std::num::NonZero;

use fornax_types::ElementType;
use fornax_types::float::encode_float;

pub use self::aim::Aim;
pub use self::floats::{Change, Source};
use crate::FileError;
use crate::gguf::Value;

/// Numbers of a tensor that are converted at a time.
pub const CHUNK_ELEMENTS: u64 = 1 << 22;

/// A checkpoint as GGUF has it: its keys, and its tensors by their names there.
#[derive(Clone, Debug, PartialEq)]
pub struct Conversion {
    pub values: BTreeMap<String, Value>,
    pub tensors: Vec<Source>,
    /// Vectors that no file has.
    pub made: Vec<(String, Vec<f32>)>,
}

/// What a conversion loses.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Loss {
    /// Sum of the squares of the numbers.
    squares: f64,
    /// Sum of the squares of what they are off by.
    errors: f64,
    /// The most that a number is off by.
    pub most: f64,
}

impl Loss {
    /// Root of the mean square of what numbers are off by, over that of the numbers; 0 of nothing.
    pub fn relative(&self) -> f64 {
        if self.squares == 0.0 { 0.0 } else { (self.errors / self.squares).sqrt() }
    }

    pub fn note(&mut self, number: f32, found: f32) {
        let (number, off) = (f64::from(number), f64::from(number) - f64::from(found));
        self.squares += number * number;
        self.errors += off * off;
        self.most = self.most.max(off.abs());
    }

    pub fn add(&mut self, other: &Loss) {
        self.squares += other.squares;
        self.errors += other.errors;
        self.most = self.most.max(other.most);
    }
}

/// A part of a tensor, converted.
#[derive(Default)]
struct Part {
    bytes: Vec<u8>,
    /// Of rows, where the kind has scales of its own.
    scales: Vec<f32>,
    loss: Loss,
}

/// Converts rows of `width` numbers.
type Convert<'a> = &'a (dyn Fn(&[f32], usize, &mut Part) + Sync);

/// Goes through a tensor in parts, on all cores, and gives each to `put`, in order.
fn in_parts(
    source: &Source,
    convert: Convert,
    put: &mut dyn FnMut(Part) -> std::io::Result<()>,
) -> Result<(), ConvertError> {
    let (rows, width) = source.rows();
    let each = match source.change {
        Change::Transposed => rows.max(1),
        _ => (CHUNK_ELEMENTS / width.max(1)).max(1),
    };
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
    let mut reader = source.open()?;
    for from in (0..rows).step_by(each as usize) {
        let numbers = reader.rows(from..(from + each).min(rows))?;
        let of_thread = (numbers.len() / width.max(1) as usize).div_ceil(threads).max(1) * width.max(1) as usize;
        let parts: Vec<Part> = std::thread::scope(|scope| {
            let run = |numbers| {
                scope.spawn(move || {
                    let mut part = Part::default();
                    convert(numbers, width as usize, &mut part);
                    part
                })
            };
            let running: Vec<_> = numbers.chunks(of_thread).map(run).collect();
            running.into_iter().filter_map(|thread| thread.join().ok()).collect()
        });
        for part in parts {
            put(part).map_err(ConvertError::Write)?;
        }
    }
    Ok(())
}

/// Why a conversion ended.
#[derive(Debug)]
pub enum ConvertError {
    /// The source.
    Read(FileError),
    /// The file that is written.
    Write(std::io::Error),
}

impl From<FileError> for ConvertError {
    fn from(error: FileError) -> ConvertError {
        ConvertError::Read(error)
    }
}

/// Writes a tensor's data in the kind that is aimed at.
///
/// # Errors
/// FX1004 for what is no finite number, or cannot be read; the writer's own.
pub fn write(source: &Source, aim: Aim, out: &mut dyn std::io::Write) -> Result<Loss, ConvertError> {
    let convert = |numbers: &[f32], _: usize, part: &mut Part| {
        let mut back = Vec::new();
        match aim {
            Aim::Blocks(coder) => {
                coder.write(numbers, &mut part.bytes);
                coder.read(&part.bytes, &mut back);
            }
            Aim::Plain(element) => {
                put_plain(numbers, element, &mut part.bytes);
                floats::decode(&part.bytes, element, &mut back);
            }
        }
        numbers.iter().zip(&back).for_each(|(&number, &found)| part.loss.note(number, found));
    };
    let mut loss = Loss::default();
    in_parts(source, &convert, &mut |part| {
        loss.add(&part.loss);
        out.write_all(&part.bytes)
    })?;
    Ok(loss)
}

/// Numbers in a plain float type.
fn put_plain(numbers: &[f32], element: ElementType, out: &mut Vec<u8>) {
    match element.storage_bytes() {
        4 => out.extend(numbers.iter().flat_map(|number| number.to_le_bytes())),
        bytes => {
            for &number in numbers {
                out.extend(encode_float(element, number.into()).to_le_bytes().iter().take(bytes));
            }
        }
    }
}

#[cfg(test)]
mod tests;

//! Numbers of a tensor in a file, as f32, some rows at a time.

use std::collections::BTreeMap;
use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use fornax_types::ElementType;
use fornax_types::float::decode_float;

use crate::FileError;

/// What happens to a tensor on its way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Change {
    None,
    /// A number is added to each.
    Plus(f32),
    /// Rows of each of so many heads go from halves to neighbours: row `s · half + n` becomes row `2 n + s`.
    Neighbours(u64),
    /// Rows become columns.
    Transposed,
}

/// A tensor of floats in a file, or in several.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    /// For errors.
    pub name: String,
    /// Where it lies: pieces of equal length, one behind the other.
    pub pieces: Vec<(PathBuf, Range<u64>)>,
    pub element: ElementType,
    /// Outermost first, as it lies in the file.
    pub shape: Vec<u64>,
    pub change: Change,
}

/// An open source.
pub struct Reader<'a> {
    source: &'a Source,
    files: BTreeMap<&'a Path, File>,
}

impl Source {
    /// Whether its numbers can be read.
    ///
    /// # Errors
    /// FX1004 for other elements than floats of 16 bits and more, and for shapes that the change is not for.
    pub fn check(&self) -> Result<(), FileError> {
        let name = &self.name;
        if !matches!(self.element, ElementType::F32 | ElementType::F16 | ElementType::Bf16 | ElementType::F64) {
            let what = format!("tensor {name} has elements {}; known: f32, f16, bf16, f64", self.element);
            return Err(FileError::not_convertible(what));
        }
        let outer = self.shape.first().copied().unwrap_or(1);
        let fits = match self.change {
            Change::None | Change::Plus(_) => true,
            Change::Neighbours(heads) => outer.is_multiple_of((2 * heads).max(1)) && self.shape.len() <= 2,
            Change::Transposed => self.shape.len() == 2,
        };
        if !fits {
            let what = format!("tensor {name} is {:?}, which cannot become {:?}", self.shape, self.change);
            return Err(FileError::not_convertible(what));
        }
        Ok(())
    }

    /// The shape of what is written.
    pub fn written(&self) -> Vec<u64> {
        let mut shape = self.shape.clone();
        if self.change == Change::Transposed {
            shape.reverse();
        }
        shape
    }

    /// Rows of what is written, and numbers of each.
    pub fn rows(&self) -> (u64, u64) {
        let written = self.written();
        match (written.split_last(), self.change) {
            // Of a bias each number is a row of a head.
            (Some((_, [])), Change::Neighbours(_)) => (written.iter().product(), 1),
            (Some((width, outer)), _) => (outer.iter().product(), *width),
            (None, _) => (1, 1),
        }
    }

    /// # Errors
    /// FX1004 for what cannot be opened.
    pub fn open(&self) -> Result<Reader<'_>, FileError> {
        let mut files = BTreeMap::new();
        for (path, _) in &self.pieces {
            if !files.contains_key(path.as_path()) {
                let file = File::open(path).map_err(|error| self.unreadable(path, &error))?;
                files.insert(path.as_path(), file);
            }
        }
        Ok(Reader { source: self, files })
    }

    /// Bytes of all pieces.
    pub fn bytes(&self) -> u64 {
        self.pieces.iter().map(|(_, range)| range.end - range.start).sum()
    }

    fn unreadable(&self, path: &Path, error: &std::io::Error) -> FileError {
        FileError::not_convertible(format!("{}: tensor {}: {error}", path.display(), self.name))
    }
}

impl Reader<'_> {
    /// Numbers of rows of what is written.
    ///
    /// # Errors
    /// FX1004 for what is no finite number, or cannot be read.
    pub fn rows(&mut self, rows: Range<u64>) -> Result<Vec<f32>, FileError> {
        let (all, width) = self.source.rows();
        let mut numbers = match self.source.change {
            Change::None | Change::Plus(_) => self.numbers(rows.start * width..rows.end * width)?,
            Change::Neighbours(heads) => {
                let of_head = all / heads.max(1);
                let mut numbers = Vec::new();
                for row in rows {
                    let (head, at) = (row / of_head * of_head, row % of_head);
                    let from = head + at % 2 * (of_head / 2) + at / 2;
                    numbers.extend(self.numbers(from * width..(from + 1) * width)?);
                }
                numbers
            }
            Change::Transposed => {
                let whole = self.numbers(0..all * width)?;
                let (all, width) = (all as usize, width as usize);
                let row = |row: u64| (0..width).map(move |column| (column, row as usize));
                let at = |(column, row): (usize, usize)| whole.get(column * all + row).copied().unwrap_or(0.0);
                rows.flat_map(row).map(at).collect()
            }
        };
        if let Change::Plus(more) = self.source.change {
            numbers.iter_mut().for_each(|number| *number += more);
        }
        if let Some(number) = numbers.iter().find(|number| !number.is_finite()) {
            let what = format!("tensor {} holds {number}", self.source.name);
            return Err(FileError::not_convertible(what));
        }
        Ok(numbers)
    }

    /// Numbers of the files, as they lie there.
    fn numbers(&mut self, range: Range<u64>) -> Result<Vec<f32>, FileError> {
        let each = self.source.element.storage_bytes() as u64;
        let wanted = range.start * each..range.end * each;
        let (mut numbers, mut at) = (Vec::new(), 0);
        for (path, piece) in &self.source.pieces {
            let own = at..at + (piece.end - piece.start);
            at = own.end;
            let (from, to) = (wanted.start.max(own.start), wanted.end.min(own.end));
            if let Some(file) = self.files.get(path.as_path()).filter(|_| from < to) {
                let mut bytes = vec![0; (to - from) as usize];
                let read = file.read_exact_at(&mut bytes, piece.start + (from - own.start));
                read.map_err(|error| self.source.unreadable(path, &error))?;
                decode(&bytes, self.source.element, &mut numbers);
            }
        }
        Ok(numbers)
    }
}

/// Numbers of bytes of a float type.
pub fn decode(bytes: &[u8], element: ElementType, out: &mut Vec<f32>) {
    /// Every f16.
    static HALVES: OnceLock<Vec<f32>> = OnceLock::new();
    let pairs = bytes.chunks_exact(2).map(|b| u16::from_le_bytes(b.first_chunk().copied().unwrap_or_default()));
    match element {
        ElementType::F32 => {
            out.extend(bytes.chunks_exact(4).map(|b| f32::from_le_bytes(b.first_chunk().copied().unwrap_or_default())));
        }
        ElementType::F64 => {
            let number = |b: &[u8]| f64::from_le_bytes(b.first_chunk().copied().unwrap_or_default()) as f32;
            out.extend(bytes.chunks_exact(8).map(number));
        }
        ElementType::Bf16 => out.extend(pairs.map(|bits| f32::from_bits(u32::from(bits) << 16))),
        _ => {
            let all = || (0..=u16::MAX).map(|bits| decode_float(ElementType::F16, bits.into()) as f32).collect();
            let halves = HALVES.get_or_init(all);
            out.extend(pairs.map(|bits| halves.get(usize::from(bits)).copied().unwrap_or(f32::NAN)));
        }
    }
}

//! Tensor maps: descriptors with which a kernel copies boxes of a binding between global and shared memory in bulk.
//!
//! Input: a map of a kernel record. Output: its bytes in a program section, and whether it is one that hardware takes.
//! The module holds the description; the driver encodes it when a dispatch's addresses are known. Limits are those of
//! `cuTensorMapEncodeTiled` without interleave: rank 1 to 5, strides and offset in multiples of 16 bytes, boxes of at
//! most 256 elements a dimension whose rows fill whole 16-byte units and fit into the swizzle span.
//!
//! Worked example, rows of a [1000, 1088] bf16 matrix in boxes of 128 rows by 64 columns, 128-byte swizzle:
//!
//! ```text
//! binding 0  offset 0  bf16  dims {1088, 1000}  strides {2176}  box {64, 128}  steps {1, 1}  swizzle 128
//! box row: 64 · 2 = 128 bytes = the span    extent: 999 · 2176 + 1088 · 2 = 2,176,000 bytes = the binding
//! ```
//!
//! Extents and strides may be known only at run time: they are then constants of the dispatch, after those that the
//! kernel itself takes. A matrix of b rows has dims {1088, 1} and the size `extent 1 = constant 1`; a call with b = 0
//! launches nothing.

use crate::cursor::{RecordReader, RecordWriter};
use crate::errors::ModuleError;

/// Most dimensions of a tensor map.
pub(crate) const MAP_RANK: usize = 5;
/// Most tensor maps of a kernel: 128 bytes each, in 4 KiB of parameters.
pub(crate) const MAPS: u64 = 24;
/// Alignment of a map's first element and of its strides, bytes.
pub(crate) const MAP_ALIGN: u64 = 16;
/// Most elements of a box in one dimension.
const BOX_ELEMENTS: u32 = 256;
/// Largest step between the elements that a box takes.
const BOX_STEP: u32 = 8;
const DIM_ELEMENTS: u64 = 1 << 32;
const STRIDE_BYTES: u64 = 1 << 40;

/// What the elements of a map are; decides their width and how elements outside of the tensor read (as zero).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MapElement {
    U8,
    U16,
    U32,
    S32,
    U64,
    S64,
    F16,
    F32,
    F64,
    Bf16,
    /// f32 that copies round to tf32.
    Tf32,
}

/// How rows of a box are permuted in shared memory so that columns of 16-byte units fall on different banks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Swizzle {
    #[default]
    None,
    B32,
    B64,
    B128,
}

/// `(kind, number in the file, bytes)`.
const ELEMENTS: &[(MapElement, u8, u64)] = &[
    (MapElement::U8, 0, 1),
    (MapElement::U16, 1, 2),
    (MapElement::U32, 2, 4),
    (MapElement::S32, 3, 4),
    (MapElement::U64, 4, 8),
    (MapElement::S64, 5, 8),
    (MapElement::F16, 6, 2),
    (MapElement::F32, 7, 4),
    (MapElement::F64, 8, 8),
    (MapElement::Bf16, 9, 2),
    (MapElement::Tf32, 11, 4),
];

/// `(swizzle, number in the file, most bytes of a row of a box)`.
const SWIZZLES: &[(Swizzle, u8, Option<u64>)] = &[
    (Swizzle::None, 0, None),
    (Swizzle::B32, 1, Some(32)),
    (Swizzle::B64, 2, Some(64)),
    (Swizzle::B128, 3, Some(128)),
];

impl MapElement {
    /// Bytes of an element.
    pub fn bytes(self) -> u64 {
        ELEMENTS.iter().find(|row| row.0 == self).map_or(1, |row| row.2)
    }
}

/// A number of a map that a call gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MapSize {
    pub part: MapPart,
    /// Which constant of the dispatch it is.
    pub constant: u32,
}

/// A number of a map by its place in its list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MapPart {
    Extent(u32),
    Stride(u32),
}

/// One tensor map of a kernel; dimensions are numbered from the innermost.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TensorMap {
    /// Which binding of the kernel it looks at.
    pub binding: u32,
    pub element: MapElement,
    pub swizzle: Swizzle,
    /// Bytes from the binding's start to the element at the origin.
    pub offset_bytes: u64,
    /// Elements, innermost first; 1 to 5 of them.
    pub dims: Vec<u64>,
    /// Bytes from one element to the next in dimensions 1 and on: one fewer than `dims`.
    pub strides: Vec<u64>,
    /// Elements of a box.
    pub box_dims: Vec<u32>,
    /// Steps between the elements that a box takes.
    pub element_strides: Vec<u32>,
    /// What a call gives of `dims` and `strides`, which hold any legal number there.
    pub sizes: Vec<MapSize>,
}

impl TensorMap {
    /// Whether hardware takes the map, and if not, why.
    pub fn check(&self, bindings: u32) -> Result<(), String> {
        let rank = self.dims.len();
        if !(1..=MAP_RANK).contains(&rank) {
            return Err(format!("rank {rank}, where 1 to {MAP_RANK} fit"));
        }
        if self.strides.len() != rank - 1 || self.box_dims.len() != rank || self.element_strides.len() != rank {
            return Err(format!("the lists of strides, box and steps do not fit rank {rank}"));
        }
        if self.binding >= bindings {
            return Err(format!("there is no binding {}", self.binding));
        }
        if !self.offset_bytes.is_multiple_of(MAP_ALIGN) {
            return Err(format!("its offset of {} bytes is not a multiple of {MAP_ALIGN}", self.offset_bytes));
        }
        if let Some(dim) = self.dims.iter().find(|dim| !(1..=DIM_ELEMENTS).contains(*dim)) {
            return Err(format!("a dimension of {dim} elements"));
        }
        if let Some(stride) = self.strides.iter().find(|s| **s % MAP_ALIGN != 0 || **s >= STRIDE_BYTES) {
            return Err(format!("a stride of {stride} bytes: not a multiple of {MAP_ALIGN} below 2^40"));
        }
        if let Some(size) = self.box_dims.iter().find(|size| !(1..=BOX_ELEMENTS).contains(*size)) {
            return Err(format!("a box of {size} elements in a dimension, where 1 to {BOX_ELEMENTS} fit"));
        }
        if let Some(step) = self.element_strides.iter().find(|step| !(1..=BOX_STEP).contains(*step)) {
            return Err(format!("a step of {step} elements, where 1 to {BOX_STEP} fit"));
        }
        let row = self.row_bytes();
        if !row.is_multiple_of(MAP_ALIGN) {
            return Err(format!("a row of its box has {row} bytes, not a multiple of {MAP_ALIGN}"));
        }
        let span = SWIZZLES.iter().find(|entry| entry.0 == self.swizzle).and_then(|entry| entry.2);
        if span.is_some_and(|span| row > span) {
            return Err(format!("a row of its box has {row} bytes, more than the swizzle span"));
        }
        if self.sizes.len() > 2 * MAP_RANK || self.sizes.iter().any(|size| !self.has(size.part)) {
            return Err("a size of a call has no place in it".into());
        }
        self.extent_bytes().map(drop).ok_or_else(|| "it reaches beyond 2^64 bytes".into())
    }

    fn has(&self, part: MapPart) -> bool {
        match part {
            MapPart::Extent(at) => (at as usize) < self.dims.len(),
            MapPart::Stride(at) => (at as usize) < self.strides.len(),
        }
    }

    /// The map of a call with these constants, and whether there is anything in it. An extent of 0, which no device
    /// takes, becomes 1: nothing is copied then.
    ///
    /// # Errors
    /// Why a constant does not fit.
    pub fn of_call(&self, constants: &[u64]) -> Result<(TensorMap, bool), String> {
        let (mut map, mut filled) = (TensorMap { sizes: Vec::new(), ..self.clone() }, true);
        for size in &self.sizes {
            let given = constants.get(size.constant as usize).copied();
            let value = given.ok_or_else(|| format!("the dispatch has no constant {}", size.constant))?;
            let (list, at, least) = match size.part {
                MapPart::Extent(at) => (&mut map.dims, at, 1),
                MapPart::Stride(at) => (&mut map.strides, at, MAP_ALIGN),
            };
            // Coordinates are 32-bit and signed.
            if matches!(size.part, MapPart::Extent(_)) && value > i32::MAX as u64 {
                return Err(format!("a dimension of {value} elements"));
            }
            filled &= value > 0;
            *list.get_mut(at as usize).ok_or("a size of a call has no place in it")? = value.max(least);
        }
        Ok((map, filled))
    }

    /// Bytes of the innermost dimension of a box in shared memory.
    fn row_bytes(&self) -> u64 {
        let (size, step) = (self.box_dims.first(), self.element_strides.first());
        let elements = size.zip(step).map_or(0, |(size, step)| size.div_ceil((*step).max(1)));
        u64::from(elements) * self.element.bytes()
    }

    /// Bytes from the binding's start to behind the last element; `None` where that overflows.
    pub fn extent_bytes(&self) -> Option<u64> {
        let mut end = self.offset_bytes.checked_add(self.dims.first()?.checked_mul(self.element.bytes())?)?;
        for (dim, stride) in self.dims.iter().skip(1).zip(&self.strides) {
            end = end.checked_add(dim.checked_sub(1)?.checked_mul(*stride)?)?;
        }
        Some(end)
    }

    pub(crate) fn write(&self, w: &mut RecordWriter) {
        w.u32(self.binding);
        w.u8(ELEMENTS.iter().find(|row| row.0 == self.element).map_or(0, |row| row.1));
        w.u8(SWIZZLES.iter().find(|row| row.0 == self.swizzle).map_or(0, |row| row.1));
        w.u64(self.offset_bytes);
        w.count(self.dims.len());
        self.dims.iter().chain(&self.strides).for_each(|n| w.u64(*n));
        self.box_dims.iter().chain(&self.element_strides).for_each(|n| w.u32(*n));
        w.count(self.sizes.len());
        for size in &self.sizes {
            let (kind, at) = match size.part {
                MapPart::Extent(at) => (0, at),
                MapPart::Stride(at) => (1, at),
            };
            w.u8(kind);
            w.u32(at);
            w.u32(size.constant);
        }
    }

    pub(crate) fn read(r: &mut RecordReader) -> Result<TensorMap, ModuleError> {
        let binding = r.u32()?;
        let (element, swizzle) = (r.u8()?, r.u8()?);
        let found = ELEMENTS.iter().find(|row| row.1 == element).map(|row| row.0);
        let element = found.ok_or_else(|| r.error(format!("unknown element {element} of a tensor map")))?;
        let found = SWIZZLES.iter().find(|row| row.1 == swizzle).map(|row| row.0);
        let swizzle = found.ok_or_else(|| r.error(format!("unknown swizzle {swizzle} of a tensor map")))?;
        let offset_bytes = r.u64()?;
        let rank = r.count("dimensions of a tensor map", 8, MAP_RANK as u64)?;
        Ok(TensorMap {
            binding,
            element,
            swizzle,
            offset_bytes,
            dims: (0..rank).map(|_| r.u64()).collect::<Result<_, _>>()?,
            strides: (1..rank).map(|_| r.u64()).collect::<Result<_, _>>()?,
            box_dims: (0..rank).map(|_| r.u32()).collect::<Result<_, _>>()?,
            element_strides: (0..rank).map(|_| r.u32()).collect::<Result<_, _>>()?,
            sizes: read_sizes(r)?,
        })
    }
}

fn read_sizes(r: &mut RecordReader) -> Result<Vec<MapSize>, ModuleError> {
    let count = r.count("sizes of a tensor map", 9, 2 * MAP_RANK as u64)?;
    let mut sizes = Vec::with_capacity(count);
    for _ in 0..count {
        let (kind, at) = (r.u8()?, r.u32()?);
        let part = match kind {
            0 => MapPart::Extent(at),
            1 => MapPart::Stride(at),
            _ => return Err(r.error(format!("unknown part {kind} of a tensor map"))),
        };
        sizes.push(MapSize { part, constant: r.u32()? });
    }
    Ok(sizes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> TensorMap {
        TensorMap {
            binding: 0,
            element: MapElement::Bf16,
            swizzle: Swizzle::B128,
            offset_bytes: 0,
            dims: vec![1088, 1000],
            strides: vec![2176],
            box_dims: vec![64, 128],
            element_strides: vec![1, 1],
            sizes: Vec::new(),
        }
    }

    #[test]
    fn a_call_gives_extents_and_strides() {
        let extent = MapSize { part: MapPart::Extent(1), constant: 2 };
        let stride = MapSize { part: MapPart::Stride(0), constant: 1 };
        let map = TensorMap { sizes: vec![extent, stride], ..rows() };
        map.check(1).unwrap();
        let (own, filled) = map.of_call(&[9, 4096, 77]).unwrap();
        assert!(filled && own.check(1).is_ok());
        assert_eq!((own.dims, own.strides), (vec![1088, 77], vec![4096]));
        let (none, filled) = map.of_call(&[9, 4096, 0]).unwrap();
        assert!(!filled && none.check(1).is_ok());
        assert!(map.of_call(&[9, 4096]).is_err());
        assert!(map.of_call(&[9, 4096, 1 << 31]).is_err());
        assert!(map.of_call(&[9, 4100, 5]).unwrap().0.check(1).is_err());
        let astray = MapSize { part: MapPart::Stride(1), constant: 0 };
        assert!(TensorMap { sizes: vec![astray], ..rows() }.check(1).is_err());
        let mut w = RecordWriter::default();
        map.write(&mut w);
        assert_eq!(TensorMap::read(&mut RecordReader::new(&w.bytes)).unwrap(), map);
    }

    #[test]
    fn a_matrix_in_boxes() {
        rows().check(1).unwrap();
        assert_eq!(rows().extent_bytes(), Some(2_176_000));
        let mut w = RecordWriter::default();
        rows().write(&mut w);
        assert_eq!(w.bytes.len(), 4 + 2 + 8 + 4 + 3 * 8 + 4 * 4 + 4);
        let mut r = RecordReader::new(&w.bytes);
        assert_eq!(TensorMap::read(&mut r).unwrap(), rows());
        r.finish().unwrap();
        let mut broken = w.bytes.clone();
        broken[4] = 10;
        assert!(TensorMap::read(&mut RecordReader::new(&broken)).is_err());
    }

    #[test]
    fn what_hardware_refuses() {
        type Change = fn(&mut TensorMap);
        let changes: &[(Change, &str)] = &[
            (|m| m.dims.clear(), "rank 0"),
            (|m| m.strides.clear(), "do not fit rank 2"),
            (|m| m.binding = 1, "no binding 1"),
            (|m| m.offset_bytes = 8, "offset of 8"),
            (|m| m.dims[1] = 0, "0 elements"),
            (|m| m.strides[0] = 2184, "stride of 2184"),
            (|m| m.strides[0] = 1 << 40, "stride of"),
            (|m| m.box_dims[1] = 257, "box of 257"),
            (|m| m.element_strides[0] = 9, "step of 9"),
            (|m| m.box_dims[0] = 65, "130 bytes, not a multiple"),
            (|m| m.box_dims[0] = 128, "256 bytes, more than the swizzle span"),
        ];
        for (change, words) in changes {
            let mut map = rows();
            change(&mut map);
            let why = map.check(1).unwrap_err();
            assert!(why.contains(words), "{why:?} lacks {words:?}");
        }
    }
}

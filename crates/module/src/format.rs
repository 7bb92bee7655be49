//! Header and section table of the module file: encode, decode, and every check that needs only these.
//!
//! ```text
//! header, 64 bytes          entry, 96 bytes, one a section
//!   0 magic       8           0 kind       u32     25 reserved  u8 = 0
//!   8 major       u16         4 flags      u32     26 target    u16
//!  10 minor       u16         8 offset     u64     28 name      u16
//!  12 header_len  u32 = 64   16 length     u64     30 reserved  34 zero bytes
//!  16 file_len    u64        24 align_log2 u8      64 BLAKE3    32
//!  24 sections    u32
//!  28 features    u32
//!  32 BLAKE3 of the section table, 32
//! ```
//! Little endian. docs/understand/module-format.md describes all of it.

use crate::errors::ModuleError;
use crate::limits::{LIMITS, within};

/// First bytes of every module; the line ends show damage by text-mode copies.
pub const MAGIC: [u8; 8] = [0x89, b'F', b'N', b'X', 0x0d, 0x0a, 0x1a, 0x0a];
/// Format version written. Major 0: no promise between minors, the minor must be equal.
pub(crate) const MAJOR: u16 = 0;
pub(crate) const MINOR: u16 = 7;
/// Bytes of the header.
pub const HEADER_BYTES: usize = 64;
/// Bytes of one section table entry.
pub const ENTRY_BYTES: usize = 96;
/// Must-understand feature bits this reader knows.
pub(crate) const KNOWN_FEATURES: u32 = 0;
/// Alignment (log2) of the constants section: one page, so that it can be mapped.
pub(crate) const CONSTANTS_ALIGN_LOG2: u8 = 12;
/// Alignment (log2) of images.
pub(crate) const IMAGE_ALIGN_LOG2: u8 = 7;
/// Alignment (log2) of all other sections.
pub(crate) const SECTION_ALIGN_LOG2: u8 = 3;
/// Alignments an entry may ask for.
const ALIGN_LOG2: std::ops::RangeInclusive<u8> = 3..=21;
const NONE: u16 = u16::MAX;
const MUST_UNDERSTAND: u32 = 1;

/// A BLAKE3 hash.
pub type Hash = [u8; 32];

/// BLAKE3 of some bytes.
pub fn hash(bytes: &[u8]) -> Hash {
    *blake3::hash(bytes).as_bytes()
}

/// The fixed header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    pub major: u16,
    pub minor: u16,
    /// Exact length of the file in bytes.
    pub file_len: u64,
    pub section_count: u32,
    /// Must-understand feature bits.
    pub features: u32,
    /// BLAKE3 of the section table.
    pub table_hash: Hash,
}

/// What a section holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SectionKind {
    /// JSON, exactly one.
    Manifest,
    /// Program records.
    Program,
    /// Executable image: PTX, cubin, hsaco or CPU ELF.
    Image,
    /// Constant data, at most one, page aligned.
    Constants,
    /// For people and tools; never needed to run.
    Debug,
    /// Reserved for a signature over header and table.
    Signature,
    /// A kind of a later minor version.
    Unknown(u32),
}

/// `(number in the file, kind, name in messages)`.
const SECTION_KINDS: &[(u32, SectionKind, &str)] = &[
    (1, SectionKind::Manifest, "manifest"),
    (2, SectionKind::Program, "program"),
    (3, SectionKind::Image, "image"),
    (4, SectionKind::Constants, "constants"),
    (5, SectionKind::Debug, "debug"),
    (6, SectionKind::Signature, "signature"),
];

impl SectionKind {
    /// The kind with a number, `Unknown` if there is none.
    pub(crate) fn from_number(number: u32) -> Self {
        SECTION_KINDS.iter().find(|row| row.0 == number).map_or(Self::Unknown(number), |row| row.1)
    }

    /// The number in the file.
    pub fn number(self) -> u32 {
        match self {
            Self::Unknown(number) => number,
            kind => SECTION_KINDS.iter().find(|row| row.1 == kind).map_or(0, |row| row.0),
        }
    }

    /// The name in messages.
    pub fn name(self) -> &'static str {
        SECTION_KINDS.iter().find(|row| row.1 == self).map_or("unknown", |row| row.2)
    }
}

/// One entry of the section table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    pub kind: SectionKind,
    /// A reader that does not know `kind` must refuse the file.
    pub must_understand: bool,
    /// Bytes from the start of the file.
    pub offset: u64,
    /// Bytes, at least one.
    pub len: u64,
    pub align_log2: u8,
    /// First target of the manifest that uses the section.
    pub target: Option<u16>,
    /// Index into the manifest's `section_names`.
    pub name: Option<u16>,
    /// BLAKE3 of the section's bytes.
    pub hash: Hash,
}

/// Little-endian field of `N` bytes at `at`; zeros where the buffer ends (callers check lengths first).
fn field<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    bytes.get(at..).and_then(|rest| rest.first_chunk::<N>()).copied().unwrap_or([0; N])
}

impl Header {
    /// The 64 bytes of the header.
    pub fn encode(&self) -> [u8; HEADER_BYTES] {
        let mut out = [0; HEADER_BYTES];
        out[0..8].copy_from_slice(&MAGIC);
        out[8..10].copy_from_slice(&self.major.to_le_bytes());
        out[10..12].copy_from_slice(&self.minor.to_le_bytes());
        out[12..16].copy_from_slice(&(HEADER_BYTES as u32).to_le_bytes());
        out[16..24].copy_from_slice(&self.file_len.to_le_bytes());
        out[24..28].copy_from_slice(&self.section_count.to_le_bytes());
        out[28..32].copy_from_slice(&self.features.to_le_bytes());
        out[32..64].copy_from_slice(&self.table_hash);
        out
    }

    /// Reads and checks the header of a whole file.
    pub fn decode(file: &[u8]) -> Result<Self, ModuleError> {
        if file.is_empty() {
            return Err(ModuleError::NotAModule { why: "the file is empty".into() });
        }
        if !file.starts_with(&MAGIC) {
            return Err(ModuleError::NotAModule { why: wrong_magic(file) });
        }
        if file.len() < HEADER_BYTES {
            return Err(ModuleError::Length { expected: HEADER_BYTES as u64, actual: file.len() as u64 });
        }
        let header = Self {
            major: u16::from_le_bytes(field(file, 8)),
            minor: u16::from_le_bytes(field(file, 10)),
            file_len: u64::from_le_bytes(field(file, 16)),
            section_count: u32::from_le_bytes(field(file, 24)),
            features: u32::from_le_bytes(field(file, 28)),
            table_hash: field(file, 32),
        };
        if (header.major, header.minor) != (MAJOR, MINOR) {
            let (major, minor) = (header.major, header.minor);
            return Err(ModuleError::Version { major, minor, known_major: MAJOR, known_minor: MINOR });
        }
        let header_len = u32::from_le_bytes(field(file, 12));
        if header_len as usize != HEADER_BYTES {
            return Err(ModuleError::table(format!(
                "the header says it is {header_len} bytes long, not {HEADER_BYTES}"
            )));
        }
        if header.file_len != file.len() as u64 {
            return Err(ModuleError::Length { expected: header.file_len, actual: file.len() as u64 });
        }
        let unknown = header.features & !KNOWN_FEATURES;
        if unknown != 0 {
            return Err(ModuleError::UnknownRequired { what: format!("feature bits {unknown:#x}") });
        }
        if header.section_count == 0 {
            return Err(ModuleError::table("no sections"));
        }
        within("number of sections", header.section_count.into(), LIMITS.sections)?;
        Ok(header)
    }
}

fn wrong_magic(file: &[u8]) -> String {
    if file.starts_with(b"\x89FNX") || file.starts_with(b"FNX") {
        return "its first bytes are damaged as by a copy in text mode".into();
    }
    let known: &[(&[u8], &str)] = &[
        (b"ML\xefR", "MLIR bytecode: compile it first (fornax compile FILE -o model.fnx)"),
        (b"module", "MLIR text: compile it first (fornax compile FILE -o model.fnx)"),
        (b"func.func", "MLIR text: compile it first (fornax compile FILE -o model.fnx)"),
        (b"\x89HDF", "an HDF5 file"),
        (b"\x7fELF", "an ELF file"),
        (b"PK\x03\x04", "a zip archive"),
        (b"\x93NUMPY", "a NumPy array"),
        (b"GGUF", "a GGUF file"),
        (b"\x08", "an ONNX or TensorFlow model"),
    ];
    match known.iter().find(|row| file.starts_with(row.0)) {
        Some(row) => format!("it looks like {}", row.1),
        None => "the first eight bytes are not those of a module".into(),
    }
}

impl Section {
    /// The 96 bytes of the entry.
    pub fn encode(&self) -> [u8; ENTRY_BYTES] {
        let mut out = [0; ENTRY_BYTES];
        out[0..4].copy_from_slice(&self.kind.number().to_le_bytes());
        out[4..8].copy_from_slice(&(if self.must_understand { MUST_UNDERSTAND } else { 0 }).to_le_bytes());
        out[8..16].copy_from_slice(&self.offset.to_le_bytes());
        out[16..24].copy_from_slice(&self.len.to_le_bytes());
        out[24] = self.align_log2;
        out[26..28].copy_from_slice(&self.target.unwrap_or(NONE).to_le_bytes());
        out[28..30].copy_from_slice(&self.name.unwrap_or(NONE).to_le_bytes());
        out[64..96].copy_from_slice(&self.hash);
        out
    }

    fn decode(index: usize, entry: &[u8; ENTRY_BYTES]) -> Result<Self, ModuleError> {
        let broken = |what: String| Err(ModuleError::table(format!("section {index}: {what}")));
        let flags = u32::from_le_bytes(field(entry, 4));
        if flags & !MUST_UNDERSTAND != 0 {
            return broken(format!("unknown flags {flags:#x}"));
        }
        if entry[25] != 0 || entry[30..64].iter().any(|b| *b != 0) {
            return broken("reserved bytes are not zero".into());
        }
        let optional = |value: u16| (value != NONE).then_some(value);
        let section = Self {
            kind: SectionKind::from_number(u32::from_le_bytes(field(entry, 0))),
            must_understand: flags & MUST_UNDERSTAND != 0,
            offset: u64::from_le_bytes(field(entry, 8)),
            len: u64::from_le_bytes(field(entry, 16)),
            align_log2: entry[24],
            target: optional(u16::from_le_bytes(field(entry, 26))),
            name: optional(u16::from_le_bytes(field(entry, 28))),
            hash: field(entry, 64),
        };
        if !ALIGN_LOG2.contains(&section.align_log2) {
            return broken(format!("alignment 2^{} is not one of 2^3 to 2^21", section.align_log2));
        }
        if section.len == 0 {
            return broken("it is empty".into());
        }
        if let (SectionKind::Unknown(number), true) = (section.kind, section.must_understand) {
            return Err(ModuleError::UnknownRequired { what: format!("sections of kind {number}") });
        }
        if section.kind == SectionKind::Constants && section.align_log2 < CONSTANTS_ALIGN_LOG2 {
            return broken("constants are not page aligned".into());
        }
        Ok(section)
    }

    /// Bytes of the section in `file`.
    pub fn bytes<'a>(&self, file: &'a [u8]) -> Result<&'a [u8], ModuleError> {
        let range = usize::try_from(self.offset)
            .ok()
            .zip(self.offset.checked_add(self.len).and_then(|e| usize::try_from(e).ok()));
        range
            .and_then(|(start, end)| file.get(start..end))
            .ok_or_else(|| ModuleError::table(format!("{} section lies outside the file", self.kind.name())))
    }

    /// Checks the section's bytes against its hash.
    pub fn verify(&self, index: usize, bytes: &[u8]) -> Result<(), ModuleError> {
        self.compare(index, &hash(bytes))
    }

    /// Compares a hash of the section's bytes with the table's.
    pub fn compare(&self, index: usize, found: &Hash) -> Result<(), ModuleError> {
        if *found == self.hash {
            Ok(())
        } else {
            Err(ModuleError::Hash { section: format!("section {index} ({})", self.kind.name()) })
        }
    }
}

/// Smallest multiple of `1 << align_log2` that is at least `offset`.
pub(crate) fn align_up(offset: u64, align_log2: u8) -> Option<u64> {
    let mask = 1u64.checked_shl(align_log2.into())?.checked_sub(1)?;
    Some(offset.checked_add(mask)? & !mask)
}

/// Reads and checks the section table: hash, order, alignment, zero gaps shorter than the alignment, end of file.
pub fn decode_table(file: &[u8], header: &Header) -> Result<Vec<Section>, ModuleError> {
    let table_end = HEADER_BYTES + ENTRY_BYTES * header.section_count as usize;
    let table = file
        .get(HEADER_BYTES..table_end)
        .ok_or_else(|| ModuleError::table(format!("{} entries do not fit into the file", header.section_count)))?;
    if hash(table) != header.table_hash {
        return Err(ModuleError::Hash { section: "the section table".into() });
    }
    let (entries, _) = table.as_chunks::<ENTRY_BYTES>();
    let mut sections = Vec::with_capacity(entries.len());
    let mut end = table_end as u64;
    for (index, entry) in entries.iter().enumerate() {
        let section = Section::decode(index, entry)?;
        let place = |what: &str| ModuleError::table(format!("section {index} at byte {}: {what}", section.offset));
        if align_up(end, section.align_log2) != Some(section.offset) {
            return Err(place("it does not follow the section before it at the next aligned byte"));
        }
        let gap = file.get(end as usize..section.offset as usize).ok_or_else(|| place("it lies outside the file"))?;
        if gap.iter().any(|b| *b != 0) {
            return Err(place("the bytes before it are not zero"));
        }
        end = section
            .offset
            .checked_add(section.len)
            .filter(|e| *e <= header.file_len)
            .ok_or_else(|| place("it lies outside the file"))?;
        sections.push(section);
    }
    if end != header.file_len {
        return Err(ModuleError::table(format!("the last section ends at byte {end} of {}", header.file_len)));
    }
    Ok(sections)
}

//! The instructions of a code object, decoded function by function when they are first reached.
//!
//! Input: an image, an address. Output: the function that holds it and the instruction's place in it. Worked example: a
//! kernel of 12 bytes with instructions of 4 and 8: address +4 is place 1, address +8 is none.

use std::sync::{Mutex, OnceLock, PoisonError};

use crate::chip::Chip;
use crate::decode::decode;
use crate::errors::{FaultKind, GcnError, Result};
use crate::inst::{Inst, Step, Trap};
use crate::llvm::Disassembler;
use crate::object::{IMAGE, Image};

pub struct Function {
    pub name: String,
    pub start: u64,
    pub insts: Vec<Inst>,
    pub addresses: Vec<u64>,
    /// Place of the instruction that starts at a word.
    places: Vec<u32>,
}

const NONE: u32 = u32::MAX;
/// The longest instruction.
const LONGEST: u64 = 20;

impl Function {
    /// The place of the instruction at an address.
    pub fn place(&self, address: u64) -> Option<usize> {
        let place = *self.places.get((address.checked_sub(self.start)? / 4) as usize)?;
        (place != NONE && address.is_multiple_of(4)).then_some(place as usize)
    }
}

/// A stretch of code: name, first address, length, and the decoded function by wave size.
struct Slot {
    name: String,
    start: u64,
    bytes: u64,
    decoded: [OnceLock<std::result::Result<Function, GcnError>>; 2],
}

pub struct Program {
    pub image: Image,
    pub chip: Chip,
    slots: Vec<Slot>,
    disassemblers: Mutex<[Option<Disassembler>; 2]>,
}

impl Program {
    pub fn new(image: Image, chip: Chip) -> Program {
        let mut starts: Vec<(u64, u64, String)> = image
            .symbols
            .iter()
            .filter(|symbol| symbol.is_code)
            .map(|symbol| (symbol.address, symbol.bytes, symbol.name.clone()))
            .collect();
        starts.sort();
        let end = image.code.0 + image.code.1;
        let slots = (0..starts.len()).map(|at| {
            let (start, bytes, name) = starts[at].clone();
            let limit = starts.get(at + 1).map_or(end, |next| next.0);
            let bytes = if bytes == 0 { limit.saturating_sub(start) } else { bytes };
            Slot { name, start, bytes, decoded: [OnceLock::new(), OnceLock::new()] }
        });
        Program { slots: slots.collect(), image, chip, disassemblers: Mutex::new([None, None]) }
    }

    /// The function around an address, decoded.
    pub fn function(&self, address: u64, wave: u32) -> Option<Result<&Function>> {
        let slot = self.slots.iter().find(|slot| address >= slot.start && address < slot.start + slot.bytes)?;
        let decoded = slot.decoded[usize::from(wave == 32)].get_or_init(|| self.decode(slot, wave));
        Some(decoded.as_ref().map_err(Clone::clone))
    }

    /// Where a wave goes on.
    pub fn locate(&self, address: u64, wave: u32) -> Step<(&Function, usize)> {
        match self.function(address, wave) {
            Some(Ok(function)) => match function.place(address) {
                Some(place) => Ok((function, place)),
                None => Err(Trap::at(FaultKind::Illegal, None, address, "a jump into the middle of an instruction")),
            },
            Some(Err(error)) => Err(Trap::new(FaultKind::Unknown, error.to_string())),
            None => Err(Trap::at(FaultKind::Illegal, None, address, "a jump to where no function stands")),
        }
    }

    /// Address, length and text of each instruction of a stretch; no text where the bytes are none.
    fn listing(&self, start: u64, bytes: u64, wave: u32) -> Result<Vec<(u64, u64, Option<String>)>> {
        let mut held = self.disassemblers.lock().unwrap_or_else(PoisonError::into_inner);
        let slot = &mut held[usize::from(wave == 32)];
        let disassembler = match slot {
            Some(known) => known,
            None => slot.insert(Disassembler::new(&self.chip.name, self.chip.features(wave))?),
        };
        let first = ((start - IMAGE) / 4) as usize;
        let words = self.image.words.get(first..first + (bytes / 4) as usize).unwrap_or_default();
        let code: Vec<u8> =
            words.iter().flat_map(|word| word.load(std::sync::atomic::Ordering::Relaxed).to_le_bytes()).collect();
        let mut listed = Vec::new();
        let mut at = 0;
        while at < code.len() as u64 {
            let ahead = &code[at as usize..code.len().min((at + LONGEST) as usize)];
            let (length, text) = match disassembler.instruction(ahead, start + at) {
                Some((length, text)) => (length as u64, Some(text)),
                None => (4, None),
            };
            listed.push((start + at, length, text));
            at += length;
        }
        Ok(listed)
    }

    fn decode(&self, slot: &Slot, wave: u32) -> Result<Function> {
        let listed = self.listing(slot.start, slot.bytes, wave)?;
        let mut function = Function {
            name: slot.name.clone(),
            start: slot.start,
            insts: Vec::with_capacity(listed.len()),
            addresses: Vec::with_capacity(listed.len()),
            places: vec![NONE; (slot.bytes / 4) as usize],
        };
        for (address, length, text) in listed {
            function.places[((address - slot.start) / 4) as usize] = function.insts.len() as u32;
            let text = text.as_deref().unwrap_or("bytes that are no instruction");
            function.insts.push(decode(text, address, length, &self.chip, wave));
            function.addresses.push(address);
        }
        Ok(function)
    }
}

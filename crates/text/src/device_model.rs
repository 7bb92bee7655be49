//! A module with the functions `prefill` and `decode` on a device.
//!
//! ```text
//! prefill(tokens [chunk] i32, position i32, count i32, caches…) -> logits [1, vocabulary] f32, caches…
//! decode(tokens [1] i32, position i32, caches…)                 -> logits [1, vocabulary] f32, caches…
//! ```
//! or, with caches that have a slot for each of several texts:
//! ```text
//! prefill(tokens [chunk] i32, position i32, count i32, slot i32, caches…) -> logits [1, vocabulary] f32, caches…
//! decode(tokens [slots] i32, positions [slots] i32, caches…)              -> logits [slots, vocabulary] f32, caches…
//! ```
//! A module of the first kind may also say of several tokens what follows each, for speculative decoding:
//! ```text
//! verify(tokens [ahead + 1] i32, position i32, caches…) -> logits [ahead + 1, vocabulary] f32, caches…
//! ```
//! Any module with these functions will do, whoever exported it; `docs/use/from-checkpoint.md` says what they compute.
//!
//! The caches that a call takes are a *bank*. A module of the first kind has one text a bank. More texts than slots
//! are in several banks, each decoded by a call of its own.

use std::sync::{Arc, Weak};

use fornax_runtime::{DeviceTensor, ElementType, ErrorKind, Result, RuntimeError, Session, Tensor, TensorType};

use crate::model::{Model, Next};
use crate::signature::{DECODE, PREFILL, Signature, VERIFY, not_a_model};

/// The position of a slot without a text.
const NOBODY: i32 = -1;

/// A language model on a device.
pub struct DeviceModel {
    session: Session,
    signature: Signature,
    banks: Vec<Bank>,
}

/// The caches that a call takes.
struct Bank {
    caches: Vec<DeviceTensor>,
    /// By slot: whether a sequence holds it.
    held: Vec<Weak<()>>,
}

/// The caches of one sequence: a slot, which is free again where this is dropped.
pub struct Slot {
    bank: usize,
    number: usize,
    _held: Arc<()>,
}

impl DeviceModel {
    /// The model of a loaded module.
    ///
    /// # Errors
    /// FX1104 for modules with other functions.
    pub fn new(session: Session) -> Result<DeviceModel> {
        let signature = Signature::of(session.manifest())?;
        Ok(DeviceModel { session, signature, banks: Vec::new() })
    }

    /// Sequences that a step decodes in one call.
    pub fn slots(&self) -> usize {
        self.signature.slots
    }

    /// Bytes on the device: weights, constants, buffers of a call.
    pub fn bytes(&self) -> u64 {
        self.session.planned_bytes()
    }

    /// Bytes of the caches that a call takes: those of as many sequences as there are slots.
    pub fn cache_bytes(&self) -> u64 {
        self.signature.caches.iter().filter_map(|ty| ty.bytes().ok()).map(|bytes| bytes as u64).sum()
    }

    /// A slot that no sequence holds.
    fn free(&self) -> impl Iterator<Item = (usize, usize)> {
        let slots = |(bank, of): (usize, &Bank)| {
            let free = of.held.iter().enumerate().filter(|(_, held)| held.strong_count() == 0);
            free.map(|(number, _)| (bank, number)).collect::<Vec<(usize, usize)>>()
        };
        self.banks.iter().enumerate().flat_map(slots)
    }

    /// Runs one function on a bank. The logits stay on the device.
    fn call(&mut self, function: &str, bank: usize, numbers: &[(&[i32], &[u64])]) -> Result<DeviceTensor> {
        let mut inputs = Vec::new();
        for (numbers, shape) in numbers {
            inputs.push(self.integers(numbers, shape)?);
        }
        let bank = self.banks.get_mut(bank).ok_or_else(|| not_a_model("a sequence of another model"))?;
        // Clones are the same memory. Where the call fails, the caches are still there.
        inputs.extend(bank.caches.iter().cloned());
        let mut outputs = self.session.invoke_on_device(function, &inputs)?;
        bank.caches = outputs.split_off(1);
        outputs.pop().ok_or_else(|| not_a_model("a call gave nothing"))
    }

    fn integers(&self, numbers: &[i32], shape: &[u64]) -> Result<DeviceTensor> {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        self.session.upload(&Tensor::new(TensorType::new(ElementType::I32, shape.to_vec()), bytes)?)
    }

    fn floats(&self, tensor: &DeviceTensor) -> Result<Vec<f32>> {
        let bytes = self.session.download(tensor)?;
        let floats = bytes.bytes().chunks_exact(size_of::<f32>());
        Ok(floats.map(|b| f32::from_le_bytes(b.first_chunk().copied().unwrap_or_default())).collect())
    }

    /// A step of the sequences of one bank, by slot; the logits of all slots.
    fn decode_bank(&mut self, bank: usize, tokens: &[(usize, usize, u32)]) -> Result<Vec<f32>> {
        let slots = self.slots();
        let (mut ids, mut positions) = (vec![0; slots], vec![NOBODY; slots]);
        for &(slot, position, token) in tokens {
            if let (Some(id), Some(own)) = (ids.get_mut(slot), positions.get_mut(slot)) {
                (*id, *own) = (token as i32, position as i32);
            }
        }
        let each = [slots as u64];
        let of_positions: &[u64] = if self.signature.is_batched { &each } else { &[] };
        let logits = self.call(DECODE, bank, &[(&ids, &each), (&positions, of_positions)])?;
        self.floats(&logits)
    }
}

impl Model for DeviceModel {
    type Caches = Slot;

    fn context(&self) -> usize {
        self.signature.context
    }

    fn chunk(&self) -> usize {
        self.signature.chunk
    }

    fn vocabulary(&self) -> usize {
        self.signature.vocabulary
    }

    /// Systems promise host memory that they lack: who uses it is killed then.
    fn check_caches(&self, sequences: usize) -> Result<()> {
        let slots = self.slots();
        let banks = sequences.saturating_sub(self.free().count()).div_ceil(slots);
        let (each, free) = (self.cache_bytes(), self.session.device().memory()?.free);
        let needed = each.saturating_mul(banks as u64);
        if needed <= free {
            return Ok(());
        }
        let of = if slots == 1 { "a sequence".to_string() } else { format!("for {slots} sequences") };
        let message = format!("caches take {each} bytes {of}, {needed} together, where {free} are free");
        Err(RuntimeError::new("FX0706", ErrorKind::OutOfMemory, message))
    }

    fn caches(&mut self) -> Result<Slot> {
        self.check_caches(1)?;
        let free = self.free().next();
        let (bank, number) = match free {
            Some(found) => found,
            None => {
                let device = self.session.device();
                let zeros = |ty: &TensorType| Tensor::zeros(ty.clone())?.to_device(device);
                let caches = self.signature.caches.iter().map(zeros).collect::<Result<Vec<DeviceTensor>>>()?;
                let held = (0..self.signature.slots).map(|_| Weak::new()).collect();
                self.banks.push(Bank { caches, held });
                (self.banks.len() - 1, 0)
            }
        };
        let held = Arc::new(());
        if let Some(place) = self.banks.get_mut(bank).and_then(|bank| bank.held.get_mut(number)) {
            *place = Arc::downgrade(&held);
        }
        Ok(Slot { bank, number, _held: held })
    }

    fn prefill(
        &mut self,
        caches: &mut Slot,
        position: usize,
        tokens: &[u32],
        wanted: bool,
    ) -> Result<Option<Vec<f32>>> {
        let mut ids: Vec<i32> = tokens.iter().map(|&token| token as i32).collect();
        let chunk = self.signature.chunk;
        ids.resize(chunk, 0);
        let numbers = [position as i32, tokens.len() as i32, caches.number as i32];
        let count = if self.signature.is_batched { 3 } else { 2 };
        let size = [chunk as u64];
        let mut inputs: Vec<(&[i32], &[u64])> = vec![(&ids, &size)];
        inputs.extend(numbers.iter().take(count).map(|number| (std::slice::from_ref(number), &[][..])));
        let logits = self.call(PREFILL, caches.bank, &inputs)?;
        wanted.then(|| self.floats(&logits)).transpose()
    }

    fn ahead(&self) -> usize {
        self.signature.verified.saturating_sub(1)
    }

    fn verify(&mut self, caches: &mut Slot, position: usize, tokens: &[u32]) -> Result<Vec<Vec<f32>>> {
        let size = self.signature.verified;
        if tokens.len() > size {
            return Err(not_a_model(format!("@verify takes {size} tokens, not {}", tokens.len())));
        }
        let mut ids: Vec<i32> = tokens.iter().map(|&token| token as i32).collect();
        ids.resize(size, 0);
        let position = [position as i32];
        let logits = self.call(VERIFY, caches.bank, &[(&ids, &[size as u64]), (&position, &[])])?;
        let logits = self.floats(&logits)?;
        Ok(logits.chunks_exact(self.signature.vocabulary.max(1)).take(tokens.len()).map(<[f32]>::to_vec).collect())
    }

    /// One call a bank. Where it fails it fails for all sequences of the bank.
    fn decode(&mut self, batch: &mut [Next<Slot>]) -> Vec<Result<Vec<f32>>> {
        let mut found: Vec<Result<Vec<f32>>> = batch.iter().map(|_| Err(not_a_model("a call gave nothing"))).collect();
        for bank in 0..self.banks.len() {
            let of_bank = || batch.iter().enumerate().filter(|(_, next)| next.caches.bank == bank);
            let tokens: Vec<_> = of_bank().map(|(_, next)| (next.caches.number, next.position, next.token)).collect();
            if tokens.is_empty() {
                continue;
            }
            let logits = self.decode_bank(bank, &tokens);
            for (at, next) in of_bank() {
                let row = |logits: &Vec<f32>| {
                    let rows = logits.chunks_exact(self.signature.vocabulary.max(1));
                    rows.skip(next.caches.number).map(<[f32]>::to_vec).next()
                };
                let of_row = logits.as_ref().map_err(RuntimeError::clone).map(row);
                if let Some(place) = found.get_mut(at) {
                    *place = of_row.and_then(|row| row.ok_or_else(|| not_a_model("a call gave nothing")));
                }
            }
        }
        found
    }
}

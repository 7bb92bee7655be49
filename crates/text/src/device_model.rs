//! A module with the functions `prefill` and `decode` on a device, or on several that compute together: each has its
//! part of weights and caches, and the same logits.
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
//! or, with caches in pages that all texts share, of which a block table names those of a text:
//! ```text
//! prefill(tokens [chunk] i32, position i32, count i32, table [entries] i32, caches…) -> logits [1, vocabulary] f32, …
//! decode(tokens [slots] i32, positions [slots] i32, table [slots, entries] i32, caches…) -> …
//! ```
//! A module may also say of several tokens of a text what follows each, for speculative decoding; of several texts
//! tokens lie one behind the other, and one that does not count has a negative position:
//! ```text
//! verify(tokens [ahead + 1] i32, position i32, caches…) -> logits [ahead + 1, vocabulary] f32, caches…
//! verify(tokens [slots · (ahead + 1)] i32, positions [slots · (ahead + 1)] i32, (table,) caches…) -> …
//! ```
//! A module may also have functions that choose tokens, so that logits stay where they are (`device_sampler`).
//!
//! Any module with these functions will do, whoever exported it; `docs/use/from-checkpoint.md` says what they compute.
//!
//! The caches that a call takes are a *bank*. A module of the first kind has one text a bank. More texts than slots
//! are in several banks, each decoded by a call of its own. Pages are one bank: texts are decoded as many a call as
//! there are slots.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use fornax_runtime::session::PendingTensor;
use fornax_runtime::team::Sessions;
use fornax_runtime::{DeviceTensor, ElementType, ErrorKind, Result, RuntimeError, Session, Tensor, TensorType};

use crate::chunks::Chunks;
use crate::device_sampler::{Input, steps};
use crate::errors::failed;
use crate::model::{Found, Later, Model, Next, Several, Wanted};
use crate::pages::{Held, PageCount, Pool};
use crate::sampler::Choice;
use crate::signature::{DECODE, PREFILL, PREFILL_LONG, Signature, VERIFY, not_a_model};

/// Steps that wait while one runs: a step takes longer than queueing one. Chosen, not measured.
const QUEUE: usize = 3;
/// The position of a slot without a text.
const NOBODY: i32 = -1;
/// The entry of a block table without a page.
const NO_PAGE: i32 = -1;

/// What each device has of a tensor.
type OnEach = Vec<DeviceTensor>;

/// A language model on its devices.
pub struct DeviceModel {
    sessions: Sessions,
    signature: Signature,
    banks: Vec<Bank>,
    /// Who has which pages, where caches are in pages.
    pool: Option<Arc<Mutex<Pool>>>,
    /// Tokens that queued steps choose, on their way here, and the last of them on the devices.
    queued: VecDeque<PendingTensor>,
    last: Option<OnEach>,
}

/// The caches that a call takes.
struct Bank {
    /// By device.
    caches: Vec<Vec<DeviceTensor>>,
    /// By slot: whether a sequence holds it. None of pages.
    held: Vec<Weak<()>>,
}

/// Makes of the logits of a call what is wanted of each of its texts: of their numbers, and their places in the call.
type Read<'a, T> = &'a mut dyn FnMut(&mut DeviceModel, OnEach, &[(usize, usize)]) -> Result<Vec<Result<T>>>;

/// What a call adds to one text.
struct Step<'a> {
    /// Its place among the texts of the call.
    place: usize,
    slot: &'a mut Slot,
    position: usize,
    tokens: &'a [u32],
}

/// The caches of one sequence: a slot or pages, which are free again where this is dropped.
pub struct Slot {
    bank: usize,
    number: usize,
    _held: Arc<()>,
    pages: Option<Held>,
}

impl DeviceModel {
    /// The model of a loaded module.
    ///
    /// # Errors
    /// FX1104 for modules with other functions.
    pub fn new(session: Session) -> Result<DeviceModel> {
        DeviceModel::on_devices(Sessions::one(session))
    }

    /// The model of a module that is loaded on several devices.
    ///
    /// # Errors
    /// FX1104 for modules with other functions.
    pub fn on_devices(sessions: Sessions) -> Result<DeviceModel> {
        let signature = Signature::of(sessions.first().manifest())?;
        let pool = signature.paging.map(|paging| Arc::new(Mutex::new(Pool::new(paging.pages, paging.size))));
        Ok(DeviceModel { sessions, signature, banks: Vec::new(), pool, queued: VecDeque::new(), last: None })
    }

    /// Sequences that a step decodes in one call.
    pub fn slots(&self) -> usize {
        self.signature.slots
    }

    /// Bytes on each device: weights, constants, buffers of a call.
    pub fn bytes(&self) -> u64 {
        self.sessions.first().planned_bytes()
    }

    /// Bytes of the caches that a call takes, on each device: those of as many sequences as there are slots, or all
    /// pages.
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

    /// Runs one function on a bank. The logits stay on the devices.
    fn call(&mut self, function: &str, bank: usize, numbers: &[(&[i32], &[u64])]) -> Result<OnEach> {
        let mut inputs = Vec::new();
        for (numbers, shape) in numbers {
            inputs.push(self.integers(numbers, shape)?);
        }
        self.call_with(function, bank, inputs)
    }

    /// The same with what comes before the caches on the devices.
    fn call_with(&mut self, function: &str, bank: usize, inputs: Vec<OnEach>) -> Result<OnEach> {
        let bank = self.banks.get_mut(bank).ok_or_else(|| not_a_model("a sequence of another model"))?;
        // Clones are the same memory. Where the call fails, the caches are still there.
        let mut inputs = by_device(inputs, bank.caches.len());
        for (inputs, caches) in inputs.iter_mut().zip(&bank.caches) {
            inputs.extend(caches.iter().cloned());
        }
        let mut outputs = self.sessions.invoke_on_devices(function, inputs)?;
        for (outputs, caches) in outputs.iter_mut().zip(&mut bank.caches) {
            *caches = outputs.split_off(1.min(outputs.len()));
        }
        first_of(outputs)
    }

    fn integers(&self, numbers: &[i32], shape: &[u64]) -> Result<OnEach> {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        self.sessions.upload(&Tensor::new(TensorType::new(ElementType::I32, shape.to_vec()), bytes)?)
    }

    /// What is wanted of each row of logits. They stay on the device where tokens alone are wanted.
    fn found(&mut self, logits: OnEach, wanted: &[&Wanted]) -> Result<Vec<Result<Found>>> {
        let is_nothing = |wanted: &&Wanted| matches!(wanted, Wanted::Nothing);
        if wanted.iter().all(is_nothing) {
            return Ok(wanted.iter().map(|_| Ok(Found::Nothing)).collect());
        }
        let is_logits = |wanted: &&Wanted| matches!(wanted, Wanted::Logits);
        if !self.signature.chooses || wanted.iter().any(is_logits) {
            let logits = self.floats(&logits)?;
            let rows = logits.chunks_exact(self.signature.vocabulary.max(1));
            let row = |(row, wanted): (&[f32], &&Wanted)| match wanted {
                Wanted::Nothing => Ok(Found::Nothing),
                Wanted::Logits | Wanted::Token(_) => Ok(Found::Logits(row.to_vec())),
            };
            return Ok(rows.zip(wanted).map(row).collect());
        }
        let choice =
            |wanted: &&'_ Wanted| if let Wanted::Token(choice) = *wanted { Some(choice.clone()) } else { None };
        let choices: Vec<Option<Choice>> = wanted.iter().map(choice).collect();
        let tokens = self.choose(logits, &choices.iter().map(Option::as_ref).collect::<Vec<_>>())?;
        let chosen = self.sessions.download(&tokens)?;
        let token = |(token, choice): (i32, &Option<Choice>)| match (choice, u32::try_from(token)) {
            (None, _) => Ok(Found::Nothing),
            (Some(_), Ok(token)) => Ok(Found::Token(token)),
            (Some(_), Err(_)) => Err(failed("FX1106", "no logit is a number")),
        };
        Ok(self::tokens(&chosen).zip(&choices).map(token).collect())
    }

    /// Tokens of rows of logits, on the devices: all have the same logits, so all choose the same.
    fn choose(&mut self, logits: OnEach, choices: &[Option<&Choice>]) -> Result<OnEach> {
        let mut found = logits;
        for step in steps(choices, self.signature.vocabulary) {
            let mut inputs = vec![found];
            for input in &step.inputs {
                inputs.push(match input {
                    Input::Integers(numbers, shape) => self.integers(numbers, shape)?,
                    Input::Floats(numbers, shape) => {
                        let shape = TensorType::new(ElementType::F32, shape.clone());
                        let bytes = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
                        self.sessions.upload(&Tensor::new(shape, bytes)?)?
                    }
                });
            }
            let inputs = by_device(inputs, self.sessions.devices().len());
            found = first_of(self.sessions.invoke_on_devices(step.function, inputs)?)?;
        }
        Ok(found)
    }

    fn floats(&self, tensor: &[DeviceTensor]) -> Result<Vec<f32>> {
        Ok(floats(&self.sessions.download(tensor)?))
    }

    /// What is wanted behind the last token of a call for one text, on its way. The token is chosen on the device where
    /// functions that choose have one row.
    fn later(&mut self, logits: OnEach, wanted: &Wanted) -> Result<Later> {
        match wanted {
            Wanted::Nothing => {
                let mark = self.sessions.mark(&logits)?;
                Ok(Later::new(move || mark.wait().map(|()| Found::Nothing)))
            }
            Wanted::Token(choice) if self.signature.chooses && self.slots() == 1 => {
                let chosen = self.choose(logits, &[Some(choice)])?;
                let chosen = self.sessions.fetch(&chosen)?;
                Ok(Later::new(move || first_token(&chosen.wait()?).map(Found::Token)))
            }
            Wanted::Logits | Wanted::Token(_) => {
                let logits = self.sessions.fetch(&logits)?;
                Ok(Later::new(move || Ok(Found::Logits(floats(&logits.wait()?)))))
            }
        }
    }

    /// A bank more.
    fn add_bank(&mut self, slots: usize) -> Result<()> {
        let zeros = |device| {
            let of_device = |ty: &TensorType| DeviceTensor::zeros(ty.clone(), device);
            self.signature.caches.iter().map(of_device).collect::<Result<Vec<DeviceTensor>>>()
        };
        let caches = self.sessions.devices().iter().map(zeros).collect::<Result<_>>()?;
        self.banks.push(Bank { caches, held: (0..slots).map(|_| Weak::new()).collect() });
        Ok(())
    }

    /// The block table of a text that gets rows of so many tokens from a position on; nothing without pages.
    fn table(&self, slot: &mut Slot, position: usize, tokens: usize) -> Result<Vec<i32>> {
        let (Some(paging), Some(held)) = (self.signature.paging, &mut slot.pages) else { return Ok(Vec::new()) };
        if held.pages().len() * paging.size < position + tokens {
            return Err(failed("FX1114", format!("{tokens} tokens at {position} of a text without the pages")));
        }
        if !held.own(position) {
            return Err(failed("FX1114", format!("token {position} lies in a page of other texts")));
        }
        let mut table: Vec<i32> = held.pages().iter().map(|&page| page as i32).collect();
        table.resize(paging.entries, NO_PAGE);
        Ok(table)
    }

    /// Runs a function that adds up to `each` tokens to each text of a bank: its logits, as many rows for each place
    /// of the call. A text without the pages is left out; the errors are in the order of the texts.
    fn step(
        &mut self,
        (function, each): (&str, usize),
        bank: usize,
        texts: &mut [Step],
    ) -> Result<(OnEach, Vec<Option<RuntimeError>>)> {
        let slots = self.slots();
        let entries = self.signature.paging.map_or(0, |paging| paging.entries);
        let (mut ids, mut positions) = (vec![0; slots * each], vec![NOBODY; slots * each]);
        let mut tables = vec![NO_PAGE; slots * entries];
        let mut unfit = Vec::with_capacity(texts.len());
        for Step { place, slot, position, tokens } in texts {
            let table = self.table(slot, *position, tokens.len());
            unfit.push(table.as_ref().err().cloned());
            let Ok(table) = table else { continue };
            let own = tables.iter_mut().skip(*place * entries);
            own.zip(table).for_each(|(entry, page)| *entry = page);
            let rows = ids.iter_mut().zip(&mut positions).skip(*place * each).take(each);
            for ((at, token), (id, own)) in tokens.iter().enumerate().zip(rows) {
                (*id, *own) = (*token as i32, (*position + at) as i32);
            }
        }
        let (of_tokens, of_tables) = ([ids.len() as u64], [slots as u64, entries as u64]);
        let is_batched = self.signature.is_batched;
        // Of a text that is the only one, the position of the first.
        let (numbers, of_numbers) =
            if is_batched { (&positions[..], &of_tokens[..]) } else { (&positions[..1], &[][..]) };
        let mut inputs: Vec<(&[i32], &[u64])> = vec![(&ids, &of_tokens), (numbers, of_numbers)];
        if entries > 0 {
            inputs.push((&tables, &of_tables));
        }
        Ok((self.call(function, bank, &inputs)?, unfit))
    }

    /// What a function says of each of some texts, by the calls that they take: one a bank, or as many as there are
    /// slots a call where they share pages.
    /// Where a call fails it fails for all of its texts.
    fn steps<T>(&mut self, (function, each): (&str, usize), mut texts: Vec<Step>, read: Read<T>) -> Vec<Result<T>> {
        let mut found: Vec<Result<T>> = texts.iter().map(|_| Err(not_a_model("a call gave nothing"))).collect();
        for (bank, group) in self.groups(&texts) {
            let mut of_call: Vec<Step> = Vec::with_capacity(group.len());
            let mut places = Vec::with_capacity(group.len());
            for (at, text) in texts.iter_mut().enumerate().filter(|(at, _)| group.contains(at)) {
                let place = if text.slot.pages.is_some() { of_call.len() } else { text.slot.number };
                places.push((at, place));
                of_call.push(Step { place, slot: text.slot, position: text.position, tokens: text.tokens });
            }
            let said = self.step((function, each), bank, &mut of_call).and_then(|(logits, unfit)| {
                let said = read(self, logits, &places)?;
                Ok(said.into_iter().zip(unfit).map(|(said, unfit)| unfit.map_or(said, Err)).collect::<Vec<_>>())
            });
            let said = said.unwrap_or_else(|error| places.iter().map(|_| Err(error.clone())).collect());
            for ((at, _), said) in places.iter().zip(said) {
                if let Some(place) = found.get_mut(*at) {
                    *place = said;
                }
            }
        }
        found
    }

    /// Which texts go into a call, with its bank.
    fn groups(&self, texts: &[Step]) -> Vec<(usize, Vec<usize>)> {
        let all: Vec<usize> = (0..texts.len()).collect();
        if self.pool.is_some() {
            return all.chunks(self.slots().max(1)).map(|group| (0, group.to_vec())).collect();
        }
        let of_bank =
            |bank| all.iter().copied().filter(move |at| texts.get(*at).is_some_and(|text| text.slot.bank == bank));
        let groups = (0..self.banks.len()).map(|bank| (bank, of_bank(bank).collect::<Vec<usize>>()));
        groups.filter(|(_, group)| !group.is_empty()).collect()
    }
}

/// Tensors in their order, for each device.
fn by_device(tensors: Vec<OnEach>, devices: usize) -> Vec<Vec<DeviceTensor>> {
    let mut lists: Vec<Vec<DeviceTensor>> = (0..devices).map(|_| Vec::new()).collect();
    for tensor in tensors {
        lists.iter_mut().zip(tensor).for_each(|(list, own)| list.push(own));
    }
    lists
}

/// The first output of each device.
fn first_of(outputs: Vec<Vec<DeviceTensor>>) -> Result<OnEach> {
    let first = |outputs: Vec<DeviceTensor>| outputs.into_iter().next();
    let all = outputs.into_iter().map(first).collect::<Option<OnEach>>();
    all.ok_or_else(|| not_a_model("a call gave nothing"))
}

fn floats(tensor: &Tensor) -> Vec<f32> {
    let floats = tensor.bytes().chunks_exact(size_of::<f32>());
    floats.map(|b| f32::from_le_bytes(b.first_chunk().copied().unwrap_or_default())).collect()
}

/// What was chosen of the first row.
///
/// # Errors
/// FX1106 where no logit is a number.
fn first_token(chosen: &Tensor) -> Result<u32> {
    let found = tokens(chosen).next().unwrap_or(-1);
    u32::try_from(found).map_err(|_| failed("FX1106", "no logit is a number"))
}

/// What was chosen of each row; -1 where no logit is a number.
fn tokens(chosen: &Tensor) -> impl Iterator<Item = i32> {
    let tokens = chosen.bytes().chunks_exact(size_of::<i32>());
    tokens.map(|bytes| i32::from_le_bytes(bytes.first_chunk().copied().unwrap_or_default()))
}

impl Model for DeviceModel {
    type Caches = Slot;

    fn context(&self) -> usize {
        self.signature.context
    }

    fn chunks(&self) -> Chunks {
        self.signature.chunks
    }

    fn vocabulary(&self) -> usize {
        self.signature.vocabulary
    }

    /// Systems promise host memory that they lack: who uses it is killed then.
    fn check_caches(&self, sequences: usize) -> Result<()> {
        let slots = self.slots();
        let banks = match self.pool {
            Some(_) => usize::from(self.banks.is_empty()),
            None => sequences.saturating_sub(self.free().count()).div_ceil(slots),
        };
        let each = self.cache_bytes();
        let needed = each.saturating_mul(banks as u64);
        let free = self.sessions.devices().iter().map(|device| Ok(device.memory()?.free));
        let free = free.collect::<Result<Vec<u64>>>()?.into_iter().min().unwrap_or(0);
        if needed <= free {
            return Ok(());
        }
        let of = if self.pool.is_some() {
            "in all pages".to_string()
        } else if slots == 1 {
            "a sequence".to_string()
        } else {
            format!("for {slots} sequences")
        };
        let message = format!("caches take {each} bytes {of}, {needed} together, where {free} are free");
        Err(RuntimeError::new("FX0706", ErrorKind::OutOfMemory, message))
    }

    fn caches(&mut self) -> Result<Slot> {
        self.check_caches(1)?;
        let held = Arc::new(());
        if let Some(pool) = self.pool.clone() {
            if self.banks.is_empty() {
                self.add_bank(0)?;
            }
            return Ok(Slot { bank: 0, number: 0, _held: held, pages: Some(Held::new(pool)) });
        }
        let free = self.free().next();
        let (bank, number) = match free {
            Some(found) => found,
            None => {
                self.add_bank(self.signature.slots)?;
                (self.banks.len() - 1, 0)
            }
        };
        if let Some(place) = self.banks.get_mut(bank).and_then(|bank| bank.held.get_mut(number)) {
            *place = Arc::downgrade(&held);
        }
        Ok(Slot { bank, number, _held: held, pages: None })
    }

    fn pages(&self) -> Option<PageCount> {
        self.pool.as_ref().map(|pool| pool.lock().unwrap_or_else(PoisonError::into_inner).count())
    }

    fn page(&self) -> usize {
        self.signature.paging.map_or(1, |paging| paging.size)
    }

    fn make_room(&mut self, caches: &mut Slot, tokens: usize) -> bool {
        caches.pages.as_mut().is_none_or(|held| held.make_room(tokens))
    }

    fn keep(&mut self, caches: &mut Slot, tokens: usize) {
        if let Some(held) = &mut caches.pages {
            held.keep(tokens);
        }
    }

    fn take_over(&mut self, caches: &mut Slot, tokens: &[u32], chunks: &[usize]) -> usize {
        caches.pages.as_mut().map_or(0, |held| held.take_over(tokens, chunks))
    }

    fn note(&mut self, caches: &mut Slot, tokens: &[u32], chunks: &[usize]) {
        if let Some(held) = &mut caches.pages {
            held.note(tokens, chunks);
        }
    }

    fn prefill(&mut self, caches: &mut Slot, position: usize, tokens: &[u32], wanted: &Wanted) -> Result<Found> {
        self.prefill_later(caches, position, tokens, wanted)?.wait()
    }

    fn prefill_later(&mut self, caches: &mut Slot, position: usize, tokens: &[u32], wanted: &Wanted) -> Result<Later> {
        let mut ids: Vec<i32> = tokens.iter().map(|&token| token as i32).collect();
        let Chunks { short, long } = self.signature.chunks;
        let (function, chunk) = match long {
            Some(long) if tokens.len() > short => (PREFILL_LONG, long),
            _ => (PREFILL, short),
        };
        ids.resize(chunk, 0);
        let numbers = [position as i32, tokens.len() as i32, caches.number as i32];
        let table = self.table(caches, position, tokens.len())?;
        let count = if self.signature.is_batched && table.is_empty() { 3 } else { 2 };
        let (size, entries) = ([chunk as u64], [table.len() as u64]);
        let mut inputs: Vec<(&[i32], &[u64])> = vec![(&ids, &size)];
        inputs.extend(numbers.iter().take(count).map(|number| (std::slice::from_ref(number), &[][..])));
        if !table.is_empty() {
            inputs.push((&table, &entries));
        }
        let logits = self.call(function, caches.bank, &inputs)?;
        self.later(logits, wanted)
    }

    fn ahead(&self) -> usize {
        self.signature.verified.saturating_sub(1)
    }

    /// A call for one text writes all its rows; one for several those of tokens alone.
    fn ahead_at(&self, position: usize) -> usize {
        let left = self.context().saturating_sub(position.saturating_add(1));
        let all = self.ahead();
        if self.signature.is_batched {
            all.min(left)
        } else if all <= left {
            all
        } else {
            0
        }
    }

    fn verify(&mut self, batch: &mut [Several<Slot>]) -> Vec<Result<Vec<Vec<f32>>>> {
        let each = self.signature.verified;
        if let Some(text) = batch.iter().find(|text| text.tokens.len() > each) {
            let error = not_a_model(format!("@verify takes {each} tokens, not {}", text.tokens.len()));
            return batch.iter().map(|_| Err(error.clone())).collect();
        }
        let counts: Vec<usize> = batch.iter().map(|text| text.tokens.len()).collect();
        let mut texts = Vec::with_capacity(batch.len());
        for Several { caches, position, tokens } in batch {
            texts.push(Step { place: 0, slot: caches, position: *position, tokens });
        }
        self.steps((VERIFY, each), texts, &mut |model, logits, places| {
            let (logits, words) = (model.floats(&logits)?, model.signature.vocabulary.max(1));
            let rows = |&(at, place): &(usize, usize)| {
                let rows = logits.chunks_exact(words).skip(place * each).take(counts.get(at).copied().unwrap_or(0));
                Ok(rows.map(<[f32]>::to_vec).collect())
            };
            Ok(places.iter().map(rows).collect())
        })
    }

    fn queue(&self) -> usize {
        let can = self.signature.chooses && !self.signature.is_batched;
        if can { self.sessions.first().device().fetches_max().saturating_sub(1).min(QUEUE) } else { 0 }
    }

    fn start(&mut self, caches: &mut Slot, position: usize, token: Option<u32>, choice: &Choice) -> Result<()> {
        let token = match (token, &self.last) {
            (Some(token), _) => self.integers(&[token as i32], &[1])?,
            (None, Some(last)) => last.clone(),
            (None, None) => return Err(not_a_model("no step is queued")),
        };
        let position = self.integers(&[position as i32], &[])?;
        let logits = self.call_with(DECODE, caches.bank, vec![token, position])?;
        let chosen = self.choose(logits, &[Some(choice)])?;
        self.queued.push_back(self.sessions.fetch(&chosen)?);
        self.last = Some(chosen);
        Ok(())
    }

    fn finish(&mut self) -> Result<u32> {
        let queued = self.queued.pop_front().ok_or_else(|| not_a_model("no step is queued"))?;
        first_token(&queued.wait()?)
    }

    fn forget(&mut self) {
        self.queued.clear();
        self.last = None;
    }

    fn decode(&mut self, batch: &mut [Next<Slot>]) -> Vec<Result<Found>> {
        let mut wanted = Vec::with_capacity(batch.len());
        let mut texts = Vec::with_capacity(batch.len());
        for Next { caches, position, token, wanted: what } in batch {
            wanted.push(&*what);
            texts.push(Step { place: 0, slot: caches, position: *position, tokens: std::slice::from_ref(token) });
        }
        self.steps((DECODE, 1), texts, &mut |model, logits, places| {
            let mut of_places = vec![&Wanted::Nothing; model.slots()];
            for (at, place) in places {
                if let (Some(own), Some(what)) = (of_places.get_mut(*place), wanted.get(*at)) {
                    *own = what;
                }
            }
            let mut found: Vec<Option<Result<Found>>> =
                model.found(logits, &of_places)?.into_iter().map(Some).collect();
            let mut of_text = |&(_, place): &(usize, usize)| {
                found.get_mut(place).and_then(Option::take).unwrap_or(Ok(Found::Nothing))
            };
            Ok(places.iter().map(&mut of_text).collect())
        })
    }
}

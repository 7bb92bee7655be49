//! A stand-in for a language model: its logits depend on every row that the caches hold. It notes its calls, can be
//! held up, and can fail.

#![allow(dead_code)]

use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use fornax_runtime::{ErrorKind, Result, RuntimeError};
use fornax_text::pages::{Held, Pool};
use fornax_text::{Choice, Chunks, Encode, Found, Model, Next, PageCount, Several, Vocabulary, Wanted};

pub const WORDS: usize = 42;
pub const CHUNK: usize = 4;
/// The word whose row fails a call, and the one that loses the device.
pub const FAILS: u32 = 40;
pub const LOSES: u32 = 41;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Call {
    /// Tokens of a prompt.
    Prefill(usize),
    /// Sequences of a step.
    Decode(usize),
    /// Tokens that are verified.
    Verify(usize),
}

/// What a test sees of a model, and does to it.
#[derive(Default)]
pub struct Control {
    pub calls: Mutex<Vec<Call>>,
    /// Calls that may be made; `None` for any number.
    allowed: Mutex<Option<usize>>,
    changed: Condvar,
}

impl Control {
    /// From now on so many calls go through; `None` for all.
    pub fn allow(&self, calls: Option<usize>) {
        *self.allowed.lock().unwrap() = calls;
        self.changed.notify_all();
    }

    fn call(&self, call: Call) {
        self.calls.lock().unwrap().push(call);
        let mut allowed = self.changed.wait_while(self.allowed.lock().unwrap(), |left| *left == Some(0)).unwrap();
        if let Some(left) = allowed.as_mut() {
            *left -= 1;
        }
    }

    pub fn count(&self) -> usize {
        self.calls.lock().unwrap().len()
    }
}

pub struct Rows {
    pub context: usize,
    /// Rows by `prefill` and by `decode` are equal; else they differ, as if they were rounded differently.
    pub exact: bool,
    /// Tokens of a long chunk.
    pub long: Option<usize>,
    /// Tokens that can be guessed ahead.
    pub ahead: usize,
    /// Words that are ever chosen: of few some are guessed.
    pub words: u32,
    /// Steps that wait in a queue, and what those that are queued choose.
    pub queue: usize,
    pub queued: VecDeque<u32>,
    pub last: u32,
    /// It chooses tokens itself where they are wanted.
    pub chooses: bool,
    /// Caches that fit.
    pub memory: usize,
    /// How long a chunk of a prompt takes.
    pub time: Duration,
    pub control: Arc<Control>,
    /// Rows that all texts share, where caches are in pages.
    pub shared: Option<Shared>,
}

/// Tokens of a page.
pub const PAGE: usize = 3;

/// Rows in pages.
pub struct Shared {
    pool: Arc<Mutex<Pool>>,
    rows: Vec<u64>,
    /// Pages that were held at a time.
    pub most: Arc<Mutex<usize>>,
}

/// The rows of one text, or its pages.
pub struct Cache {
    own: Vec<u64>,
    held: Option<Held>,
}

impl Rows {
    pub fn new() -> Rows {
        Rows {
            context: 64,
            exact: false,
            long: None,
            ahead: 0,
            words: FAILS,
            queue: 0,
            queued: VecDeque::new(),
            last: 0,
            chooses: false,
            memory: 100,
            time: Duration::ZERO,
            control: Arc::default(),
            shared: None,
        }
    }

    /// With so many pages for all texts.
    pub fn in_pages(pages: usize) -> Rows {
        let pool = Arc::new(Mutex::new(Pool::new(pages + 1, PAGE)));
        let rows = vec![0; (pages + 1) * PAGE];
        Rows { shared: Some(Shared { pool, rows, most: Arc::default() }), ..Rows::new() }
    }

    fn set(&mut self, cache: &mut Cache, at: usize, row: u64) {
        let (Some(held), Some(shared)) = (&mut cache.held, &mut self.shared) else {
            cache.own[at] = row;
            return;
        };
        assert!(held.own(at), "row {at} is of other texts too");
        shared.rows[held.pages()[at / PAGE] as usize * PAGE + at % PAGE] = row;
        let most = &mut *shared.most.lock().unwrap();
        *most = (*most).max(shared.pool.lock().unwrap().count().held);
    }

    fn rows(&self, cache: &Cache, count: usize) -> Vec<u64> {
        let (Some(held), Some(shared)) = (&cache.held, &self.shared) else { return cache.own[..count].to_vec() };
        (0..count).map(|at| shared.rows[held.pages()[at / PAGE] as usize * PAGE + at % PAGE]).collect()
    }
}

impl Rows {
    fn found(&self, wanted: &Wanted, mut logits: Vec<f32>) -> Result<Found> {
        Ok(match wanted {
            Wanted::Nothing => Found::Nothing,
            Wanted::Token(choice) if self.chooses => Found::Token(choice.token(&mut logits)?),
            Wanted::Logits | Wanted::Token(_) => Found::Logits(logits),
        })
    }
}

fn failed(token: u32) -> Option<RuntimeError> {
    match token {
        FAILS => Some(RuntimeError::new("FX0715", ErrorKind::Module, "a call failed")),
        LOSES => Some(RuntimeError::new("FX0707", ErrorKind::DeviceLost, "the device is lost")),
        _ => None,
    }
}

/// Of so many words.
fn logits(rows: &[u64], words: u32) -> Vec<f32> {
    let hash =
        |seed: u64| rows.iter().fold(seed, |hash, row| (hash ^ row).wrapping_mul(0x0100_0000_01b3) ^ (hash >> 29));
    let logit = |word: u64| (hash(word + 0xcbf2_9ce4) >> 11) as f32 / (1u64 << 53) as f32 * 8.0;
    (0..WORDS as u64).map(|word| if word < words.into() { logit(word) } else { f32::NEG_INFINITY }).collect()
}

impl Model for Rows {
    type Caches = Cache;

    fn context(&self) -> usize {
        self.context
    }

    fn chunks(&self) -> Chunks {
        Chunks { short: CHUNK, long: self.long }
    }

    fn vocabulary(&self) -> usize {
        WORDS
    }

    fn caches(&mut self) -> Result<Cache> {
        if self.memory == 0 {
            return Err(RuntimeError::new("FX0706", ErrorKind::OutOfMemory, "no memory"));
        }
        self.memory -= 1;
        let held = self.shared.as_ref().map(|shared| Held::new(shared.pool.clone()));
        Ok(Cache { own: vec![0; self.context], held })
    }

    fn pages(&self) -> Option<PageCount> {
        self.shared.as_ref().map(|shared| shared.pool.lock().unwrap().count())
    }

    fn page(&self) -> usize {
        PAGE
    }

    fn make_room(&mut self, cache: &mut Cache, tokens: usize) -> bool {
        cache.held.as_mut().is_none_or(|held| held.make_room(tokens))
    }

    fn keep(&mut self, cache: &mut Cache, tokens: usize) {
        cache.held.iter_mut().for_each(|held| held.keep(tokens));
    }

    fn take_over(&mut self, cache: &mut Cache, tokens: &[u32], chunks: &[usize]) -> usize {
        cache.held.as_mut().map_or(0, |held| held.take_over(tokens, chunks))
    }

    fn note(&mut self, cache: &mut Cache, tokens: &[u32], chunks: &[usize]) {
        cache.held.iter_mut().for_each(|held| held.note(tokens, chunks));
    }

    fn prefill(&mut self, caches: &mut Cache, position: usize, tokens: &[u32], wanted: &Wanted) -> Result<Found> {
        let chunk = if tokens.len() > CHUNK { self.long.unwrap_or(CHUNK) } else { CHUNK };
        assert!(tokens.len() <= chunk && position + chunk <= self.context, "a chunk that does not fit");
        assert!(chunk == CHUNK || tokens.len() == chunk, "a long chunk that is not full");
        self.control.call(Call::Prefill(tokens.len()));
        std::thread::sleep(self.time);
        if let Some(error) = tokens.iter().find_map(|&token| failed(token)) {
            return Err(error);
        }
        let other = if self.exact || chunk == CHUNK { 0 } else { 1 << 42 };
        // What follows the tokens of a chunk is overwritten too.
        if caches.held.is_none() {
            caches.own[position..position + chunk].fill(u64::MAX);
        }
        for (at, token) in tokens.iter().enumerate() {
            self.set(caches, position + at, u64::from(*token) + other);
        }
        self.found(wanted, logits(&self.rows(caches, position + tokens.len()), self.words))
    }

    fn ahead(&self) -> usize {
        self.ahead
    }

    fn ahead_at(&self, position: usize) -> usize {
        let left = self.context.saturating_sub(position + 1);
        if self.shared.is_some() || self.ahead <= left { self.ahead.min(left) } else { 0 }
    }

    /// Rows in pages are those of tokens alone, others all that a call can write. They differ from those of `prefill`
    /// and of `decode`.
    fn verify(&mut self, batch: &mut [Several<Cache>]) -> Vec<Result<Vec<Vec<f32>>>> {
        self.control.call(Call::Verify(batch.iter().map(|text| text.tokens.len()).sum()));
        let other = if self.exact { 0 } else { 1 << 41 };
        let mut all = Vec::new();
        for Several { caches, position, tokens } in batch {
            let end = *position + if self.shared.is_some() { tokens.len() - 1 } else { self.ahead };
            assert!(tokens.len() <= self.ahead + 1 && end < self.context, "guesses that do not fit");
            if let Some(error) = tokens.iter().find_map(|&token| failed(token)) {
                all.push(Err(error));
                continue;
            }
            if caches.held.is_none() {
                caches.own[*position..=end].fill(u64::MAX);
            }
            for (at, token) in tokens.iter().enumerate() {
                self.set(caches, *position + at, u64::from(*token) + other);
            }
            let rows = (1..=tokens.len()).map(|count| logits(&self.rows(caches, *position + count), self.words));
            all.push(Ok(rows.collect()));
        }
        all
    }

    fn queue(&self) -> usize {
        self.queue
    }

    fn start(&mut self, caches: &mut Cache, position: usize, token: Option<u32>, choice: &Choice) -> Result<()> {
        assert!(self.queued.len() <= self.queue && (token.is_some() == self.queued.is_empty()), "{:?}", self.queued);
        let token = token.unwrap_or(self.last);
        let wanted = Wanted::Logits;
        let found = self.decode(&mut [Next { caches, position, token, wanted }]).remove(0)?;
        self.last = choice.token(&mut found.logits()?)?;
        self.queued.push_back(self.last);
        Ok(())
    }

    fn finish(&mut self) -> Result<u32> {
        Ok(self.queued.pop_front().expect("a step"))
    }

    fn forget(&mut self) {
        self.queued.clear();
    }

    fn decode(&mut self, batch: &mut [Next<Cache>]) -> Vec<Result<Found>> {
        self.control.call(Call::Decode(batch.len()));
        let other = if self.exact { 0 } else { 1 << 40 };
        let one = |next: &mut Next<Cache>| {
            if let Some(error) = failed(next.token) {
                return Err(error);
            }
            self.set(next.caches, next.position, u64::from(next.token) + other);
            self.found(&next.wanted, logits(&self.rows(next.caches, next.position + 1), self.words))
        };
        batch.iter_mut().map(one).collect()
    }
}

pub const TEMPLATE: &str = "{% for m in messages %}{{ {'system': 'w1 ', 'user': 'w2 ', 'assistant': 'w3 '}[m.role] + \
                            m.content + ' ' }}{% endfor %}w3";

/// A tokenizer of the words `w0`, `w1`, …, and maybe a chat template; both are written into a folder first.
pub fn vocabulary_in(folder: &Path, template: Option<&str>) -> Vocabulary {
    let words: serde_json::Map<String, serde_json::Value> =
        (0..WORDS).map(|word| (format!("w{word}"), word.into())).collect();
    let tokenizer = serde_json::json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "normalizer": null,
        "pre_tokenizer": {"type": "WhitespaceSplit"}, "post_processor": null, "decoder": null,
        "model": {"type": "WordLevel", "vocab": words, "unk_token": "w0"},
    });
    std::fs::write(folder.join("tokenizer.json"), tokenizer.to_string()).unwrap();
    if let Some(template) = template {
        std::fs::write(folder.join("chat_template.jinja"), template).unwrap();
    }
    Vocabulary::open(folder).unwrap()
}

/// A stand-in for an encoder: a vector says how many tokens there were, and which stood at the ends.
#[derive(Default)]
pub struct Vectors {
    pub control: Arc<Control>,
}

/// Tokens of a text for the encoder at most.
pub const TEXT: usize = 6;

impl Encode for Vectors {
    fn context(&self) -> usize {
        TEXT
    }

    fn width(&self) -> usize {
        3
    }

    fn encode(&mut self, tokens: &[u32]) -> Result<Vec<f32>> {
        assert!((1..=TEXT).contains(&tokens.len()), "a text that does not fit");
        self.control.call(Call::Prefill(tokens.len()));
        match tokens.iter().find_map(|&token| failed(token)) {
            Some(error) => Err(error),
            None => Ok(vec![tokens.len() as f32, tokens[0] as f32, tokens[tokens.len() - 1] as f32]),
        }
    }
}

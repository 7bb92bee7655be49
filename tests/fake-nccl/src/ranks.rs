//! Ranks that meet in a folder: each leaves what it has as a file, and looks for those of the others.

use std::collections::HashMap;
use std::ffi::c_int;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{IN_PROGRESS, INVALID_ARGUMENT, SUCCESS, numbers, setting, stream};

pub enum Kind {
    /// Element type and operation.
    AllReduce(c_int, c_int),
    ReduceScatter(c_int, c_int),
    AllGather,
    Broadcast(usize),
    Send(usize),
    Receive(usize),
}

pub struct Collective {
    pub name: &'static str,
    pub kind: Kind,
    pub source: u64,
    pub target: u64,
    /// As the call counts: of the target for a reduce-scatter, else of the source.
    pub bytes: usize,
    pub stream: u64,
}

/// What a call waits for.
enum Waits {
    /// Files of all; then the collective writes its target.
    Collective(Collective, Vec<PathBuf>),
    /// Words of all who split: color and key.
    Split(usize, *mut *mut Comm),
    /// For ever.
    Hang,
}

pub struct Comm {
    folder: PathBuf,
    /// The same for all ranks, another one for each communicator.
    name: String,
    rank: usize,
    /// The rank in the world.
    world: usize,
    ranks: usize,
    /// Collectives so far; messages so far, by whether they are sent and the other rank.
    calls: usize,
    messages: HashMap<(bool, usize), usize>,
    waits: Vec<Waits>,
    failed: c_int,
}

static RUNS: AtomicUsize = AtomicUsize::new(0);

/// A new folder's name.
pub fn unique_id() -> [u8; 128] {
    let run = format!("run-{}-{}", std::process::id(), RUNS.fetch_add(1, Ordering::Relaxed));
    let mut id = [0; 128];
    id.iter_mut().zip(run.bytes()).for_each(|(at, byte)| *at = byte);
    id
}

/// Writes a file that is there at once as a whole.
fn leave(path: &Path, bytes: &[u8]) {
    let part = PathBuf::from(format!("{}.part", path.display()));
    std::fs::write(&part, bytes).and_then(|()| std::fs::rename(&part, path)).expect("a file of the folder");
}

impl Comm {
    pub fn world(id: &[u8; 128], rank: usize, ranks: usize) -> Comm {
        let folder = PathBuf::from(setting("FOLDER").expect("FORNAX_FAKE_NCCL_FOLDER is set"));
        let end = id.iter().position(|byte| *byte == 0).unwrap_or(id.len());
        let name = String::from_utf8_lossy(&id[..end]).into_owned();
        let comm = Comm {
            folder,
            name,
            rank,
            world: rank,
            ranks,
            calls: 0,
            messages: HashMap::new(),
            waits: Vec::new(),
            failed: SUCCESS,
        };
        comm.log(&format!("init {ranks}"));
        comm
    }

    pub fn log(&self, what: &str) {
        let path = self.folder.join(format!("calls.{}", self.world));
        let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
        file.and_then(|mut file| writeln!(file, "{what}")).expect("a file of the folder");
    }

    fn path(&self, what: &str) -> PathBuf {
        self.folder.join(format!("{}.{what}", self.name))
    }

    /// What this rank is made to do at its next collective.
    fn fault(&self) -> Option<String> {
        let text = setting("FAULT")?;
        let words: Vec<&str> = text.split(':').collect();
        let [rank, at, what] = words[..] else { panic!("FORNAX_FAKE_NCCL_FAULT={text}") };
        let is_this = rank.parse() == Ok(self.world) && at.parse() == Ok(self.calls);
        is_this.then(|| what.to_string())
    }

    pub fn queue(&mut self, collective: Collective) -> c_int {
        self.calls += 1;
        self.log(&format!("{} {}", collective.name, collective.bytes));
        match self.fault().as_deref() {
            Some("exit") => std::process::exit(9),
            Some("hang") => {
                self.waits.push(Waits::Hang);
                return IN_PROGRESS;
            }
            Some(code) => {
                self.failed = code.parse().expect("a code");
                return IN_PROGRESS;
            }
            None => {}
        }
        let mut count = |sends: bool, other: usize| {
            let count = self.messages.entry((sends, other)).or_default();
            *count += 1;
            *count
        };
        let files = match collective.kind {
            Kind::Send(to) => {
                let file = format!("m{}.{}.{to}", count(true, to), self.rank);
                leave(&self.path(&file), &stream::read(collective.source, collective.bytes, collective.stream));
                return IN_PROGRESS;
            }
            Kind::Receive(from) => {
                let file = format!("m{}.{from}.{}", count(false, from), self.rank);
                vec![self.path(&file)]
            }
            _ => {
                let bytes = match collective.kind {
                    Kind::ReduceScatter(..) => collective.bytes * self.ranks,
                    _ => collective.bytes,
                };
                let own = self.path(&format!("c{}.{}", self.calls, self.rank));
                leave(&own, &stream::read(collective.source, bytes, collective.stream));
                (0..self.ranks).map(|rank| self.path(&format!("c{}.{rank}", self.calls))).collect()
            }
        };
        self.waits.push(Waits::Collective(collective, files));
        IN_PROGRESS
    }

    pub fn split(&mut self, color: c_int, key: c_int, new: *mut *mut Comm) -> c_int {
        self.calls += 1;
        self.log(&format!("split {color} {key}"));
        let own = self.path(&format!("s{}.{}", self.calls, self.rank));
        leave(&own, format!("{color} {key}").as_bytes());
        self.waits.push(Waits::Split(self.calls, new));
        IN_PROGRESS
    }

    /// How the calls so far went: does what can be done now.
    pub fn state(&mut self) -> c_int {
        if self.failed != SUCCESS {
            return self.failed;
        }
        let mut rest = Vec::new();
        for waits in std::mem::take(&mut self.waits) {
            match self.proceed(&waits) {
                Ok(true) => {}
                Ok(false) => rest.push(waits),
                Err(code) => {
                    self.failed = code;
                    return code;
                }
            }
        }
        self.waits = rest;
        if self.waits.is_empty() { SUCCESS } else { IN_PROGRESS }
    }

    fn proceed(&self, waits: &Waits) -> Result<bool, c_int> {
        match waits {
            Waits::Hang => Ok(false),
            Waits::Collective(collective, files) => {
                let Some(all) = files.iter().map(|file| std::fs::read(file).ok()).collect::<Option<Vec<_>>>() else {
                    return Ok(false);
                };
                let result = self.result(collective, &all).ok_or(INVALID_ARGUMENT)?;
                stream::write(collective.target, &result, collective.stream);
                Ok(true)
            }
            Waits::Split(at, new) => {
                let word = |rank: usize| std::fs::read_to_string(self.path(&format!("s{at}.{rank}"))).ok();
                let Some(words) = (0..self.ranks).map(word).collect::<Option<Vec<_>>>() else { return Ok(false) };
                let numbers = |word: &String| {
                    let mut numbers = word.split(' ').map(|number| number.parse::<c_int>().expect("a number"));
                    (numbers.next().expect("a color"), numbers.next().expect("a key"))
                };
                let words: Vec<(c_int, c_int)> = words.iter().map(numbers).collect();
                let color = words[self.rank].0;
                let mut members: Vec<usize> = (0..self.ranks).filter(|rank| words[*rank].0 == color).collect();
                members.sort_by_key(|rank| words[*rank].1);
                let made = (color >= 0).then(|| Comm {
                    folder: self.folder.clone(),
                    name: format!("{}-{at}-{color}", self.name),
                    rank: members.iter().position(|rank| *rank == self.rank).expect("a member"),
                    world: self.world,
                    ranks: members.len(),
                    calls: 0,
                    messages: HashMap::new(),
                    waits: Vec::new(),
                    failed: SUCCESS,
                });
                let made = made.map_or(std::ptr::null_mut(), |made| Box::into_raw(Box::new(made)));
                // SAFETY: the caller keeps the place of the handle until the call is done.
                unsafe { new.write(made) };
                Ok(true)
            }
        }
    }

    fn result(&self, collective: &Collective, all: &[Vec<u8>]) -> Option<Vec<u8>> {
        let bytes = collective.bytes;
        Some(match collective.kind {
            Kind::AllReduce(element, operation) => {
                numbers::combine(element, operation, &all.iter().map(Vec::as_slice).collect::<Vec<_>>())?
            }
            Kind::ReduceScatter(element, operation) => {
                let from = self.rank * bytes;
                let parts: Option<Vec<&[u8]>> = all.iter().map(|one| one.get(from..from + bytes)).collect();
                numbers::combine(element, operation, &parts?)?
            }
            Kind::AllGather => all.concat(),
            Kind::Broadcast(root) => all.get(root)?.clone(),
            Kind::Send(_) | Kind::Receive(_) => all.first()?.clone(),
        })
    }
}

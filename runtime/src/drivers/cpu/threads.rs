//! The threads of a CPU device. A dispatch is one job. Its workgroups are cut into ranges, one for each thread as long
//! as threads are few; a thread takes chunks of its own range by an atomic counter, then of the others' until none is
//! left. So a thread has the same part of a kernel each time, and finds its weights in its own caches.
//!
//! Worked example: 22 workgroups, two threads: 0 to 10 and 11 to 21. The one that is done first helps the other.
//!
//! Between jobs the threads spin for some microseconds, since models are rows of short kernels, then sleep.

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::hal::{HalError, HalErrorKind, HalResult, ThreadSpan};

/// How long a thread waits awake for the next job.
const SPIN: Duration = Duration::from_micros(50);
/// Chunks a thread takes of one job, about.
const CHUNKS_PER_THREAD: u64 = 8;
/// Ranges of a job at most: a thread looks at all of them before it is done.
const RANGES_MAX: usize = 8;
/// How often a caller that waits for the last threads looks before it lets others have its core.
const LOOKS_PER_YIELD: u32 = 1024;
/// Spans kept before somebody takes them: those of a list with loops, whose commands nobody sees apart.
const SPANS_MAX: usize = 4096;
/// Alignment of scratch, bytes.
const SCRATCH_ALIGNMENT: usize = 64;

type KernelFunction = unsafe extern "C" fn(*const u64, i32, i32, i32, *mut u8);

/// One dispatch.
pub(super) struct Job<'a> {
    /// Address of the kernel.
    pub(super) kernel: u64,
    pub(super) words: &'a [u64],
    pub(super) grid: [u32; 3],
    /// Product of the grid, > 0.
    pub(super) workgroups: u64,
    pub(super) scratch_bytes: usize,
}

/// The job as the threads see it.
#[derive(Clone, Copy)]
struct Shared {
    kernel: u64,
    words: *const u64,
    grid: [u32; 3],
    workgroups: u64,
    chunk: u64,
    ranges: usize,
    threads: usize,
    scratch_bytes: usize,
}

impl Shared {
    /// The first workgroup of a range: ranges are of one size, or one more.
    fn start(&self, range: usize) -> u64 {
        let (range, ranges) = (range as u64, self.ranges as u64);
        self.workgroups / ranges * range + (self.workgroups % ranges).min(range)
    }

    /// The range that a thread begins with.
    fn home(&self, thread: u32) -> usize {
        thread as usize * self.ranges / self.threads
    }
}

/// The first workgroup of a range that is not taken yet, in a cache line of its own.
#[repr(align(64))]
#[derive(Default)]
struct Next(AtomicU64);

struct State {
    /// The current job; written only while the gate is 0.
    job: UnsafeCell<Option<Shared>>,
    /// Counts jobs: threads wait for it to change.
    generation: AtomicUsize,
    /// [`OPEN`] while threads may join the current job, plus the number of those that have joined and not left.
    gate: AtomicUsize,
    next: [Next; RANGES_MAX],
    stop: AtomicBool,
    /// Whether somebody wants to know when each thread worked.
    keeps_spans: AtomicBool,
    spans: Mutex<Vec<ThreadSpan>>,
    /// Threads asleep; guards the wake-up.
    asleep: Mutex<usize>,
    wake: Condvar,
}

/// The gate's flag.
const OPEN: usize = 1 << (usize::BITS - 1);

// SAFETY: `job` is written by the one caller that holds `Threads::busy`, while `gate` is 0. Threads read it only after
// they joined through the open gate (acquire), and the caller waits for the gate to be 0 again before it goes on. The
// pointers in it are only used by kernels in that time, when the caller still borrows what they point to.
unsafe impl Sync for State {}
// SAFETY: as above; nothing in it belongs to one thread.
unsafe impl Send for State {}

/// A pool of threads; dropping it ends them.
pub(super) struct Threads {
    state: Arc<State>,
    handles: Vec<JoinHandle<()>>,
    /// One job at a time; holds the caller's scratch.
    busy: Mutex<Scratch>,
}

impl Threads {
    /// `count` threads, the caller of `run` being one of them.
    pub(super) fn start(count: usize) -> HalResult<Threads> {
        let state = Arc::new(State {
            job: UnsafeCell::new(None),
            generation: AtomicUsize::new(0),
            gate: AtomicUsize::new(0),
            next: Default::default(),
            stop: AtomicBool::new(false),
            keeps_spans: AtomicBool::new(false),
            spans: Mutex::default(),
            asleep: Mutex::new(0),
            wake: Condvar::new(),
        });
        let mut threads = Threads { state, handles: Vec::new(), busy: Mutex::default() };
        for index in 1..count {
            let state = threads.state.clone();
            let builder = std::thread::Builder::new().name(format!("fornax-cpu-{index}"));
            let handle = builder
                .spawn(move || work(&state, index as u32))
                .map_err(|error| HalError::new(HalErrorKind::Host, format!("no thread for the CPU device: {error}")))?;
            threads.handles.push(handle);
        }
        Ok(threads)
    }

    /// Runs all workgroups of a job; they are done when this returns.
    pub(super) fn run(&self, job: &Job) -> HalResult<()> {
        let mut scratch = self.busy.lock().unwrap_or_else(PoisonError::into_inner);
        let threads = self.handles.len() + 1;
        let shared = Shared {
            kernel: job.kernel,
            words: job.words.as_ptr(),
            grid: job.grid,
            workgroups: job.workgroups,
            chunk: (job.workgroups / (threads as u64 * CHUNKS_PER_THREAD)).max(1),
            ranges: threads.min(RANGES_MAX).min(job.workgroups as usize).max(1),
            threads,
            scratch_bytes: job.scratch_bytes,
        };
        let state = &*self.state;
        for (range, next) in state.next.iter().enumerate().take(shared.ranges) {
            next.0.store(shared.start(range), Ordering::Relaxed);
        }
        if job.workgroups == 1 || self.handles.is_empty() {
            take_seen(state, &shared, 0, &mut scratch);
            return Ok(());
        }
        // SAFETY: `busy` is held and the gate is 0 since the last job ended, so no thread reads the cell.
        unsafe { *state.job.get() = Some(shared) };
        state.gate.store(OPEN, Ordering::Release);
        state.generation.fetch_add(1, Ordering::SeqCst);
        if *state.asleep.lock().unwrap_or_else(PoisonError::into_inner) > 0 {
            state.wake.notify_all();
        }
        take_seen(state, &shared, 0, &mut scratch);
        // Nothing is left to take: threads that come late need not come at all.
        state.gate.fetch_and(!OPEN, Ordering::AcqRel);
        let mut spins = 0u32;
        while state.gate.load(Ordering::Acquire) != 0 {
            spins += 1;
            if spins.is_multiple_of(LOOKS_PER_YIELD) { std::thread::yield_now() } else { std::hint::spin_loop() }
        }
        Ok(())
    }
}

impl Threads {
    /// Starts or ends keeping when each thread works.
    pub(super) fn keep_spans(&self, keep: bool) {
        self.state.keeps_spans.store(keep, Ordering::Relaxed);
        self.take_spans();
    }

    /// What was kept since this was last asked.
    pub(super) fn take_spans(&self) -> Vec<ThreadSpan> {
        std::mem::take(&mut self.state.spans.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        self.state.stop.store(true, Ordering::SeqCst);
        self.state.generation.fetch_add(1, Ordering::SeqCst);
        drop(self.state.asleep.lock());
        self.state.wake.notify_all();
        for handle in self.handles.drain(..) {
            // A kernel that panics cannot exist; a thread that failed has nothing to give back.
            let _ = handle.join();
        }
    }
}

/// A thread's own memory for kernels, grown when a job needs more.
#[derive(Default)]
struct Scratch(Vec<u8>);

impl Scratch {
    fn aligned(&mut self, bytes: usize) -> *mut u8 {
        let wanted = bytes + SCRATCH_ALIGNMENT;
        if self.0.len() < wanted {
            self.0 = vec![0; wanted];
        }
        let offset = self.0.as_ptr().align_offset(SCRATCH_ALIGNMENT);
        self.0.as_mut_ptr().wrapping_add(offset)
    }
}

fn work(state: &State, thread: u32) {
    let mut scratch = Scratch::default();
    let mut seen = 0;
    loop {
        seen = next_generation(state, seen);
        if state.stop.load(Ordering::SeqCst) {
            return;
        }
        if !join(state) {
            continue;
        }
        // SAFETY: this thread has joined: the job is published and stays until the thread leaves below.
        let job = unsafe { *state.job.get() };
        if let Some(job) = job {
            take_seen(state, &job, thread, &mut scratch);
        }
        state.gate.fetch_sub(1, Ordering::Release);
    }
}

/// Enters the current job, unless it is closed.
fn join(state: &State) -> bool {
    let enter = |gate: usize| (gate & OPEN != 0).then_some(gate + 1);
    state.gate.fetch_update(Ordering::AcqRel, Ordering::Acquire, enter).is_ok()
}

/// Waits until the generation is not `seen`: awake first, then asleep.
fn next_generation(state: &State, seen: usize) -> usize {
    let start = Instant::now();
    loop {
        for _ in 0..64 {
            let now = state.generation.load(Ordering::Acquire);
            if now != seen {
                return now;
            }
            std::hint::spin_loop();
        }
        if start.elapsed() > SPIN {
            break;
        }
    }
    let mut asleep = state.asleep.lock().unwrap_or_else(PoisonError::into_inner);
    *asleep += 1;
    loop {
        let now = state.generation.load(Ordering::SeqCst);
        if now != seen {
            *asleep -= 1;
            return now;
        }
        asleep = state.wake.wait(asleep).unwrap_or_else(PoisonError::into_inner);
    }
}

/// Takes chunks, and keeps when, if somebody wants to know. What is kept is there before the thread leaves the job.
fn take_seen(state: &State, job: &Shared, thread: u32, scratch: &mut Scratch) {
    if !state.keeps_spans.load(Ordering::Relaxed) {
        take_chunks(job, &state.next, thread, scratch);
        return;
    }
    let began = Instant::now();
    let workgroups = take_chunks(job, &state.next, thread, scratch);
    let ended = Instant::now();
    let mut spans = state.spans.lock().unwrap_or_else(PoisonError::into_inner);
    if workgroups > 0 && spans.len() < SPANS_MAX {
        spans.push(ThreadSpan { thread, workgroups, began, ended });
    }
}

/// Runs chunks of workgroups until none is left; how many workgroups they were.
fn take_chunks(job: &Shared, next: &[Next; RANGES_MAX], thread: u32, scratch: &mut Scratch) -> u64 {
    let scratch = scratch.aligned(job.scratch_bytes);
    let [width, height, _] = job.grid.map(u64::from);
    // SAFETY: the address is that of a kernel symbol of a loaded image, whose type is this crate's kernel interface;
    // the command list keeps the image loaded.
    let kernel = unsafe { std::mem::transmute::<*const u8, KernelFunction>(job.kernel as *const u8) };
    let mut done = 0;
    for range in (0..job.ranges).map(|turn| (job.home(thread) + turn) % job.ranges) {
        let end = job.start(range + 1);
        loop {
            let first = next[range].0.fetch_add(job.chunk, Ordering::Relaxed);
            if first >= end {
                break;
            }
            let behind = (first + job.chunk).min(end);
            done += behind - first;
            for index in first..behind {
                let (x, rest) = (index % width, index / width);
                let (y, z) = (rest % height, rest / height);
                // SAFETY: the words are addresses of live buffers, checked when the command was recorded, and as many
                // as the kernel takes; running a module's kernels needs the trust that the session asks for.
                unsafe { kernel(job.words, x as i32, y as i32, z as i32, scratch) };
            }
        }
    }
    done
}

#[cfg(test)]
mod tests {
    use super::*;

    static TAKEN: [AtomicU64; 1000] = [const { AtomicU64::new(0) }; 1000];

    unsafe extern "C" fn mark(_: *const u64, x: i32, y: i32, z: i32, _: *mut u8) {
        TAKEN[(x + 10 * (y + 5 * z)) as usize].fetch_add(1, Ordering::Relaxed);
    }

    /// Every workgroup once, whatever the threads and ranges are.
    #[test]
    fn each_workgroup_runs_once() {
        let mut due = 0;
        for count in [1, 2, 3, 8, 11] {
            let threads = Threads::start(count).unwrap();
            for z in [1u32, 2, 7, 20] {
                let before: Vec<u64> = TAKEN.iter().map(|n| n.load(Ordering::Relaxed)).collect();
                let workgroups = 50 * u64::from(z);
                let (kernel, grid) = (mark as *const () as u64, [10, 5, z]);
                threads.run(&Job { kernel, words: &[], grid, workgroups, scratch_bytes: 0 }).unwrap();
                for (at, n) in TAKEN.iter().enumerate() {
                    let more = n.load(Ordering::Relaxed) - before[at];
                    assert_eq!(more, u64::from((at as u64) < workgroups), "{at} of {workgroups}, {count} threads");
                }
                due += 1;
            }
        }
        assert_eq!(TAKEN[0].load(Ordering::Relaxed), due);
    }

    #[test]
    fn ranges_are_of_one_size_or_one_more() {
        let words = [];
        let job = |workgroups, ranges, threads| Shared {
            kernel: 0,
            words: words.as_ptr(),
            grid: [1; 3],
            workgroups,
            chunk: 1,
            ranges,
            threads,
            scratch_bytes: 0,
        };
        assert_eq!((0..=2).map(|n| job(22, 2, 2).start(n)).collect::<Vec<_>>(), [0, 11, 22]);
        assert_eq!((0..=3).map(|n| job(7, 3, 3).start(n)).collect::<Vec<_>>(), [0, 3, 5, 7]);
        assert_eq!(job(u64::MAX, 8, 8).start(8), u64::MAX);
        assert_eq!((0..16).map(|t| job(99, 8, 16).home(t)).max(), Some(7));
    }
}

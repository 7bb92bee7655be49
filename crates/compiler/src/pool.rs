//! Many kernels through a few workers, identical kernels compiled once.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use fornax_backend::{CodegenOptions, KernelBinary, KernelSource};
use fornax_targets::Target;

use crate::store::Store;
use crate::timing::milliseconds;
use crate::worker::{Connection, JobError, Worker};

/// Stack of a thread that works for the compiler, bytes: as much as the command line gives its own.
const STACK_BYTES: usize = 16 << 20;

/// One kernel to compile for one target.
#[derive(Clone, Debug)]
pub struct Job {
    pub target: Target,
    pub kernel: KernelSource,
}

/// Who compiles kernels.
#[derive(Clone, Copy)]
pub struct Pool<'a> {
    pub worker: &'a Worker,
    pub threads: usize,
    /// Asked before a worker is.
    pub store: Option<&'a Store>,
}

/// Compiles all jobs; the results are in the order of the jobs. `progress` is told the number of finished jobs. Jobs of
/// equal target and text share one compilation. A worker starts with the first kernel that the store has not.
pub fn compile_all(
    pool: Pool,
    jobs: &[Job],
    options: CodegenOptions,
    progress: &(dyn Fn(usize) + Sync),
) -> Vec<Result<KernelBinary, JobError>> {
    let mut first = HashMap::new();
    let leaders: Vec<usize> = jobs
        .iter()
        .enumerate()
        .map(|(at, job)| *first.entry((&job.target, &job.kernel.name, &job.kernel.mlir)).or_insert(at))
        .collect();
    let distinct: Vec<usize> = (0..jobs.len()).filter(|&at| leaders[at] == at).collect();
    let results: Vec<Mutex<Option<Result<KernelBinary, JobError>>>> = jobs.iter().map(|_| Mutex::new(None)).collect();
    let finished = AtomicUsize::new(0);
    share_out(distinct.len(), pool.threads, |take| {
        let mut connection = Connection::new(pool.worker);
        while let Some(&at) = take().and_then(|turn| distinct.get(turn)) {
            let job = &jobs[at];
            let began = Instant::now();
            let mut compile = || connection.compile(&job.target, &job.kernel, options);
            let result = match pool.store {
                Some(store) => store.find_or_compile(&job.target, &job.kernel, options, compile),
                None => compile(),
            };
            tracing::debug!("kernel {} for {}: {:.1} ms", job.kernel.name, job.target.spec(), milliseconds(began));
            if let Ok(mut slot) = results[at].lock() {
                *slot = Some(result);
            }
            progress(finished.fetch_add(1, Ordering::Relaxed) + 1);
        }
    });
    let lost = || JobError::Unavailable { cause: "the job was not run".into() };
    let done: Vec<_> =
        results.into_iter().map(|slot| slot.into_inner().ok().flatten().unwrap_or_else(|| Err(lost()))).collect();
    leaders.into_iter().map(|at| done[at].clone()).collect()
}

/// `work` on every item, on so many threads; the results are in the order of the items.
pub fn map_all<T: Sync, R: Send>(items: &[T], threads: usize, work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let results: Vec<Mutex<Option<R>>> = items.iter().map(|_| Mutex::new(None)).collect();
    share_out(items.len(), threads, |take| {
        while let Some(at) = take() {
            let result = work(&items[at]);
            if let Ok(mut slot) = results[at].lock() {
                *slot = Some(result);
            }
        }
    });
    results.into_iter().filter_map(|slot| slot.into_inner().ok().flatten()).collect()
}

/// Hands out 0, 1, … once each, then `None`.
type Take<'a> = &'a dyn Fn() -> Option<usize>;

/// Runs `each` on so many threads, the caller's among them, until every number below `count` was taken.
fn share_out(count: usize, threads: usize, each: impl Fn(Take) + Sync) {
    let next = AtomicUsize::new(0);
    let take = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&turn| turn < count);
    std::thread::scope(|scope| {
        for _ in 1..threads.min(count) {
            // Where no thread is to be had, those that there are do it all.
            let _ = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, || each(&take));
        }
        each(&take);
    });
}

#[cfg(test)]
mod tests {
    use fornax_backend::{BinaryFormat, CodegenOptions, KernelBinary, KernelSource};
    use fornax_targets::Target;

    use super::{Job, Pool, compile_all, map_all};
    use crate::generator::program_of_tests;
    use crate::store::{STORE_BYTES, Store, StoreOptions};
    use crate::worker::{JobError, Worker};

    /// The program that would be the worker is not there.
    #[test]
    fn no_worker_starts_where_the_store_has_every_kernel() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("program");
        std::fs::write(&program, program_of_tests(b"build")).unwrap();
        let options = StoreOptions { folder: folder.path().join("store"), bytes: STORE_BYTES, program };
        let store = Store::open(&options).unwrap();
        let target = Target::from_spec("cpu:x86-64-v3").unwrap();
        let job = |name: &str| {
            let kernel = KernelSource { name: name.into(), mlir: format!("module @{name} {{}}") };
            Job { target: target.clone(), kernel }
        };
        let made = |name: &str| {
            let bytes = name.as_bytes().to_vec();
            KernelBinary { name: name.into(), format: BinaryFormat::Object, bytes, intermediates: None }
        };
        let mut jobs: Vec<Job> = ["a", "b", "a"].map(job).into();
        let how = CodegenOptions::default();
        for Job { target, kernel } in &jobs {
            store.find_or_compile(target, kernel, how, || Ok(made(&kernel.name))).unwrap();
        }
        let worker = Worker::Process("no-such-program-here".into());
        let pool = Pool { worker: &worker, threads: 2, store: Some(&store) };
        let results = compile_all(pool, &jobs, how, &|_| {});
        assert_eq!(results, ["a", "b", "a"].map(|name| Ok(made(name))));
        jobs.push(job("c"));
        let results = compile_all(pool, &jobs, how, &|_| {});
        assert_eq!(results[..3], ["a", "b", "a"].map(|name| Ok(made(name))));
        assert!(matches!(results[3], Err(JobError::Unavailable { .. })), "{:?}", results[3]);
        assert_eq!(store.counts(), (5, 2));
    }

    #[test]
    fn results_are_in_the_order_of_the_items() {
        let items: Vec<usize> = (0..100).collect();
        let squares: Vec<usize> = items.iter().map(|n| n * n).collect();
        for threads in [0, 1, 2, 7, 200] {
            assert_eq!(map_all(&items, threads, |n| n * n), squares, "{threads} threads");
        }
        assert!(map_all(&[0; 0], 4, |n| *n).is_empty());
    }
}

//! Many kernels through a few workers, identical kernels compiled once.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use fornax_backend::{CodegenOptions, KernelBinary, KernelSource};
use fornax_targets::Target;

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

/// Compiles all jobs on `threads` workers; the results are in the order of the jobs. `progress` is told the number of
/// finished jobs. Jobs of equal target and text share one compilation.
pub fn compile_all(
    worker: &Worker,
    jobs: &[Job],
    threads: usize,
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
    share_out(distinct.len(), threads, |take| {
        let mut connection = Connection::new(worker);
        while let Some(&at) = take().and_then(|turn| distinct.get(turn)) {
            let job = &jobs[at];
            let began = Instant::now();
            let result = connection.compile(&job.target, &job.kernel, options);
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
    use super::map_all;

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

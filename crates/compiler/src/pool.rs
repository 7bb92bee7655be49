//! Many kernels through a few workers, identical kernels compiled once.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use fornax_backend::{KernelBinary, KernelSource};
use fornax_targets::Target;

use crate::timing::milliseconds;
use crate::worker::{Connection, JobError, Worker};

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
    keep_intermediates: bool,
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
    let (next, finished) = (AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..threads.clamp(1, distinct.len().max(1)) {
            scope.spawn(|| {
                let mut connection = Connection::new(worker);
                while let Some(&at) = distinct.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let job = &jobs[at];
                    let began = Instant::now();
                    let result = connection.compile(&job.target, &job.kernel, keep_intermediates);
                    tracing::debug!(
                        "kernel {} for {}: {:.1} ms",
                        job.kernel.name,
                        job.target.spec(),
                        milliseconds(began)
                    );
                    if let Ok(mut slot) = results[at].lock() {
                        *slot = Some(result);
                    }
                    progress(finished.fetch_add(1, Ordering::Relaxed) + 1);
                }
            });
        }
    });
    let lost = || JobError::Unavailable { cause: "the job was not run".into() };
    let done: Vec<_> =
        results.into_iter().map(|slot| slot.into_inner().ok().flatten().unwrap_or_else(|| Err(lost()))).collect();
    leaders.into_iter().map(|at| done[at].clone()).collect()
}

//! The same work by several threads: each takes pieces until none is left.

use std::panic::resume_unwind;
use std::thread;

/// Cores that this process may use.
pub(crate) fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Does `work` on the calling thread and on so many others that there are `threads`, and waits for all. The first error
/// of one is that of all; a panic goes on here.
pub(crate) fn by_threads<E: Send>(
    threads: usize,
    name: &str,
    work: &(dyn Fn() -> Result<(), E> + Sync),
) -> Result<(), E> {
    thread::scope(|scope| {
        // A thread that the system refuses is one less: the others take its pieces.
        let spawn = |_| thread::Builder::new().name(name.into()).spawn_scoped(scope, work).ok();
        let others: Vec<_> = (1..threads).filter_map(spawn).collect();
        let own = work();
        let join = |other: thread::ScopedJoinHandle<'_, _>| other.join().unwrap_or_else(|panic| resume_unwind(panic));
        others.into_iter().map(join).fold(own, Result::and)
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::by_threads;

    #[test]
    fn every_piece_is_done_once_and_errors_come_back() {
        for threads in [0, 1, 2, 9] {
            let (next, sum) = (AtomicUsize::new(0), AtomicUsize::new(0));
            let work = |bad: usize| {
                let (next, sum) = (&next, &sum);
                move || loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    if at >= 100 {
                        return Ok(());
                    }
                    if at == bad {
                        return Err(at);
                    }
                    sum.fetch_add(at, Ordering::Relaxed);
                }
            };
            assert_eq!(by_threads(threads, "test", &work(100)), Ok(()));
            assert_eq!(sum.swap(0, Ordering::Relaxed), 4950);
            next.store(0, Ordering::Relaxed);
            assert_eq!(by_threads(threads, "test", &work(7)), Err(7));
        }
    }
}

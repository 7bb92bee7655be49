//! Hashes of sections: which are compared with the section table and when, and a hash by several threads.
//!
//! | [`Verify`] | manifest, programs | images, debug sections | constants |
//! | --- | --- | --- | --- |
//! | `Full` | when the file is read | when the file is read | before the first run |
//! | `Lazy` | when the file is read | when first used | when first used |
//! | `Off` | never | never | never |
//!
//! The section table is always compared with the header's hash. Structure is checked in every case.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use blake3::Hasher;
use blake3::hazmat::{ChainingValue, HasherExt, Mode, left_subtree_len, merge_subtrees_non_root, merge_subtrees_root};

use crate::format::{Hash, Section, SectionKind};

/// One hash of all that is run, hexadecimal: BLAKE3 of kind (u32, little endian) and hash of every section of programs,
/// images and constants, in the order of the section table. The manifest holds it, so that a section that was exchanged
/// or edited is found even where its own hash was made anew. It is no signature: who rewrites the manifest too is not
/// found out.
pub(crate) fn contents_hash(sections: &[Section]) -> String {
    let mut hasher = Hasher::new();
    let is_run = |kind| matches!(kind, SectionKind::Program | SectionKind::Image | SectionKind::Constants);
    for section in sections.iter().filter(|section| is_run(section.kind)) {
        hasher.update(&section.kind.number().to_le_bytes()).update(&section.hash);
    }
    hasher.finalize().to_hex().to_string()
}

/// When the hashes of a module's sections are checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Verify {
    /// All before the first run.
    #[default]
    Full,
    /// Each when its section is first used.
    Lazy,
    /// None. Damage then shows as wrong results or a crash.
    Off,
}

/// Bytes that a thread hashes at a time: a whole subtree of BLAKE3, so a power of two; large enough that taking
/// the next piece costs nothing against hashing it (about 0.2 ms).
const PIECE: usize = 1 << 20;

/// Threads that [`hash_in_parallel`] is of use with: beyond, memory is the limit.
const MOST_THREADS: usize = 16;

/// Threads to hash with on this machine.
pub fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS)
}

/// BLAKE3 of some bytes, by up to `threads` threads; `None` if `stop` became true before it was done.
pub fn hash_in_parallel(bytes: &[u8], threads: usize, stop: &AtomicBool) -> Option<Hash> {
    if bytes.len() <= PIECE {
        return Some(crate::format::hash(bytes));
    }
    let pieces = bytes.len().div_ceil(PIECE);
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(piece) = bytes.chunks(PIECE).nth(at) else { return done };
            if stop.load(Ordering::Relaxed) {
                return done;
            }
            let mut hasher = Hasher::new();
            hasher.set_input_offset(at as u64 * PIECE as u64).update(piece);
            done.push((at, hasher.finalize_non_root()));
        }
    };
    let mut values: Vec<Option<ChainingValue>> = vec![None; pieces];
    let mut keep = |done: Vec<(usize, ChainingValue)>| {
        for (at, value) in done {
            if let Some(slot) = values.get_mut(at) {
                *slot = Some(value);
            }
        }
    };
    std::thread::scope(|scope| {
        let spawn = |_| std::thread::Builder::new().spawn_scoped(scope, work).ok();
        // A thread that the system refuses is one less: the caller's own takes its pieces.
        let others: Vec<_> = (1..threads.min(pieces)).filter_map(spawn).collect();
        keep(work());
        others.into_iter().filter_map(|other| other.join().ok()).for_each(keep);
    });
    let values: Vec<ChainingValue> = values.into_iter().collect::<Option<_>>()?;
    let left = (left_subtree_len(bytes.len() as u64) / PIECE as u64) as usize;
    let (first, second) = values.split_at_checked(left)?;
    let (first, second) = (subtree(first)?, subtree(second)?);
    Some(*merge_subtrees_root(&first, &second, Mode::Hash).as_bytes())
}

/// The chaining value of neighbouring pieces: the left part is the largest power of two of them that leaves some.
fn subtree(values: &[ChainingValue]) -> Option<ChainingValue> {
    if let [only] = values {
        return Some(*only);
    }
    let (first, second) = values.split_at_checked(values.len().next_power_of_two() / 2)?;
    Some(merge_subtrees_non_root(&subtree(first)?, &subtree(second)?, Mode::Hash))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_threads_hash_as_one_does() {
        let bytes: Vec<u8> = (0..9 * PIECE + 77).map(|at| (at * 7 + at / 251) as u8).collect();
        let go = AtomicBool::new(false);
        for len in [0, 1, PIECE, PIECE + 1, 2 * PIECE, 3 * PIECE, 3 * PIECE + 5, 5 * PIECE - 1, 8 * PIECE, bytes.len()]
        {
            for threads in [1, 3] {
                let hashed = hash_in_parallel(&bytes[..len], threads, &go);
                assert_eq!(hashed, Some(crate::format::hash(&bytes[..len])), "{len} bytes, {threads} threads");
            }
        }
        assert_eq!(hash_in_parallel(&bytes, 2, &AtomicBool::new(true)), None);
    }
}

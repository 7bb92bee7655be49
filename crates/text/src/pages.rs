//! Pages of caches that all texts share: which are free, who holds which, and which hold how a text begins.
//!
//! A page is taken as a text comes to it, and given back when the text is over. What whole chunks of a prompt wrote is
//! noted by its tokens and those before it: a text that begins alike takes the same pages, also while the first one
//! runs, and also when nobody holds them any more, until they are taken for something else. Those that were free the
//! longest are taken first.
//!
//! Only whole pages are shared, and a text writes behind them: nobody writes what another reads, so nothing is copied.
//!
//! Worked example, pages of 4 tokens: a prompt of 10 takes pages 1, 2, 3, of which 1 and 2 are noted. A second one with
//! the same 10 tokens takes 1 and 2 as well, and page 4. Both are over: 3 and 4 are free, and 1 and 2 too, but noted.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Pages that are there, and those that texts hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PageCount {
    pub all: usize,
    pub held: usize,
}

/// How a text begins: the note of the page before, the tokens of the page, and the sizes of the chunks that wrote them,
/// as chunks of other sizes may round differently.
type Start = (u64, Vec<u32>, Vec<usize>);

/// Sizes of those chunks of a text, one behind the other from its first token on, that wrote tokens of a page; `None`
/// where they end before it does.
fn written_by(chunks: &[usize], page: usize, size: usize) -> Option<Vec<usize>> {
    let (first, end) = (page * size, (page + 1) * size);
    let (mut found, mut start) = (Vec::new(), 0);
    for &chunk in chunks {
        if start < end && start + chunk > first {
            found.push(chunk);
        }
        start += chunk;
    }
    (start >= end).then_some(found)
}

/// The note before a text's first page.
const NOTHING: u64 = 0;

/// What is known of a page.
#[derive(Default)]
struct Page {
    holders: usize,
    /// Where it is noted.
    start: Option<Start>,
}

/// All pages of a model's caches.
pub struct Pool {
    /// Tokens of a page.
    size: usize,
    /// By number. Number 0 is of no text: what reads a page that is none reads it.
    pages: Vec<Page>,
    /// Without holders, those that were free the longest first.
    free: VecDeque<u32>,
    held: usize,
    /// Pages by how texts begin, each with the number of its note. Numbers are not used again.
    notes: HashMap<Start, (u32, u64)>,
    last_note: u64,
}

impl Pool {
    /// `pages` of `size` tokens, with the one of no text.
    pub fn new(pages: usize, size: usize) -> Pool {
        let free = (1..u32::try_from(pages).unwrap_or(u32::MAX)).collect();
        let pages = (0..pages).map(|_| Page::default()).collect();
        Pool { size: size.max(1), pages, free, held: 0, notes: HashMap::new(), last_note: NOTHING }
    }

    pub fn count(&self) -> PageCount {
        PageCount { all: self.pages.len().saturating_sub(1), held: self.held }
    }

    /// A page that nobody holds.
    fn take(&mut self) -> Option<u32> {
        let number = self.free.pop_front()?;
        self.forget(number);
        self.hold(number);
        Some(number)
    }

    fn hold(&mut self, number: u32) {
        let Some(page) = self.pages.get_mut(number as usize) else { return };
        page.holders += 1;
        self.held += usize::from(page.holders == 1);
    }

    fn give(&mut self, number: u32) {
        let Some(page) = self.pages.get_mut(number as usize) else { return };
        page.holders = page.holders.saturating_sub(1);
        if page.holders == 0 {
            self.held -= 1;
            self.free.push_back(number);
        }
    }

    /// Nobody begins with a page any more: it is written anew.
    fn forget(&mut self, number: u32) {
        let start = self.pages.get_mut(number as usize).and_then(|page| page.start.take());
        if let Some(start) = start {
            self.notes.remove(&start);
        }
    }

    fn holders(&self, number: u32) -> usize {
        self.pages.get(number as usize).map_or(0, |page| page.holders)
    }

    /// Notes what a page holds behind a note; the number of the note. Where another page holds the same, that stays.
    fn note(&mut self, start: Start, number: u32) -> u64 {
        if let Some((_, known)) = self.notes.get(&start) {
            return *known;
        }
        self.forget(number);
        self.last_note += 1;
        if let Some(page) = self.pages.get_mut(number as usize) {
            page.start = Some(start.clone());
        }
        self.notes.insert(start, (number, self.last_note));
        self.last_note
    }
}

/// The pages of one text; they are given back where this is dropped.
pub struct Held {
    pool: Arc<Mutex<Pool>>,
    /// In the order of the text.
    pages: Vec<u32>,
    /// Pages from the first on that are noted, with the number of the last note.
    noted: (usize, u64),
}

impl Drop for Held {
    fn drop(&mut self) {
        self.keep(0);
    }
}

/// A panic elsewhere leaves nothing half done here.
fn locked(pool: &Mutex<Pool>) -> MutexGuard<'_, Pool> {
    pool.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Held {
    pub fn new(pool: Arc<Mutex<Pool>>) -> Held {
        Held { pool, pages: Vec::new(), noted: (0, NOTHING) }
    }

    /// The block table of the text.
    pub fn pages(&self) -> &[u32] {
        &self.pages
    }

    /// Takes pages until there are as many as so many tokens need; `false` where too few are free. None is taken then.
    pub fn make_room(&mut self, tokens: usize) -> bool {
        let mut pool = locked(&self.pool);
        let missing = tokens.div_ceil(pool.size).saturating_sub(self.pages.len());
        if missing > pool.free.len() {
            return false;
        }
        self.pages.extend((0..missing).map_while(|_| pool.take()));
        true
    }

    /// Gives back all pages but those of the first tokens.
    pub fn keep(&mut self, tokens: usize) {
        let mut pool = locked(&self.pool);
        let kept = tokens.div_ceil(pool.size).min(self.pages.len());
        // The last ones first: what a text begins with stays known the longest.
        for number in self.pages.drain(kept..).rev() {
            pool.give(number);
        }
        if self.noted.0 > kept {
            self.noted = (0, NOTHING);
        }
    }

    /// Whether rows from a token on may be written: other texts have none of them. They are noted no more.
    pub fn own(&mut self, token: usize) -> bool {
        let mut pool = locked(&self.pool);
        let first = token / pool.size;
        let from = self.pages.get(first..).unwrap_or_default();
        if from.iter().any(|&number| pool.holders(number) > 1) {
            return false;
        }
        if first < self.noted.0 {
            from.iter().for_each(|&number| pool.forget(number));
            self.noted = (0, NOTHING);
        }
        true
    }

    /// Takes the pages that hold how some tokens begin, where the text has none yet, as far as whole pages and whole
    /// chunks of these sizes end together; the tokens.
    pub fn take_over(&mut self, tokens: &[u32], chunks: &[usize]) -> usize {
        let mut pool = locked(&self.pool);
        if !self.pages.is_empty() {
            return 0;
        }
        let size = pool.size;
        let mut found = vec![(0, NOTHING)];
        for (page, tokens) in tokens.chunks_exact(size).enumerate() {
            let before = found.last().map_or(NOTHING, |(_, note)| *note);
            let Some(by) = written_by(chunks, page, size) else { break };
            let Some(known) = pool.notes.get(&(before, tokens.to_vec(), by)) else { break };
            found.push(*known);
        }
        let (mut end, mut count) = (0, 0);
        for chunk in chunks {
            end += chunk;
            if end.is_multiple_of(size) && end / size < found.len() {
                count = end / size;
            }
        }
        found.truncate(count + 1);
        self.pages = found.iter().skip(1).map(|(number, _)| *number).collect();
        if self.pages.iter().any(|&number| pool.holders(number) == 0) {
            let taken: HashSet<u32> = self.pages.iter().copied().collect();
            pool.free.retain(|number| !taken.contains(number));
        }
        for &number in &self.pages {
            pool.hold(number);
        }
        self.noted = (count, found.last().map_or(NOTHING, |(_, note)| *note));
        count * size
    }

    /// Notes the pages that tokens of the text fill, from its first on, which chunks of these sizes wrote.
    pub fn note(&mut self, tokens: &[u32], chunks: &[usize]) {
        let mut pool = locked(&self.pool);
        let (mut count, mut note) = self.noted;
        for tokens in tokens.chunks_exact(pool.size).skip(count) {
            let Some(&number) = self.pages.get(count) else { break };
            let Some(by) = written_by(chunks, count, pool.size) else { break };
            note = pool.note((note, tokens.to_vec(), by), number);
            count += 1;
        }
        self.noted = (count, note);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: usize = 4;
    /// Chunks of a token each, as many as any text here has.
    const ONES: [usize; 24] = [1; 24];

    fn pool(pages: usize) -> Arc<Mutex<Pool>> {
        Arc::new(Mutex::new(Pool::new(pages + 1, SIZE)))
    }

    fn held(pool: &Arc<Mutex<Pool>>) -> usize {
        let pool = locked(pool);
        let held = pool.pages.iter().filter(|page| page.holders > 0).count();
        assert_eq!((pool.count().held, pool.free.len() + held), (held, pool.count().all), "a page got lost");
        held
    }

    #[test]
    fn pages_come_with_tokens_and_go_back() {
        let pool = pool(3);
        let (mut a, mut b) = (Held::new(pool.clone()), Held::new(pool.clone()));
        for (tokens, pages) in [(0, 0), (1, 1), (4, 1), (5, 2), (3, 2)] {
            assert!(a.make_room(tokens));
            assert_eq!((a.pages().len(), held(&pool)), (pages, pages), "{tokens} tokens");
        }
        assert!(!b.make_room(5), "one is free, two are wanted");
        assert!(b.pages().is_empty() && b.make_room(4) && !a.make_room(9));
        assert_eq!(b.pages(), [3]);
        a.keep(4);
        assert_eq!((a.pages(), held(&pool)), (&[1][..], 2));
        assert!(b.make_room(8));
        assert_eq!(b.pages(), [3, 2]);
        drop(b);
        a.keep(0);
        assert_eq!(held(&pool), 0);
        assert!(a.make_room(12) && !a.pages().contains(&0), "page 0 is nobody's");
    }

    fn tokens(count: u32) -> Vec<u32> {
        (0..count).collect()
    }

    #[test]
    fn texts_that_begin_alike_share_whole_pages() {
        let pool = pool(8);
        let (mut a, mut b, mut c) = (Held::new(pool.clone()), Held::new(pool.clone()), Held::new(pool.clone()));
        assert!(a.make_room(10));
        a.note(&tokens(8), &ONES);
        assert_eq!(b.take_over(&tokens(9), &ONES), 8);
        assert_eq!(b.take_over(&tokens(9), &ONES), 0, "only where there is none");
        assert!(b.make_room(9));
        assert_eq!((a.pages(), b.pages(), held(&pool)), (&[1, 2, 3][..], &[1, 2, 4][..], 4));
        // Whose tokens differ within a page gets the pages before it.
        let mut other = tokens(9);
        other[5] = 77;
        assert_eq!((c.take_over(&other, &ONES), c.pages()), (4, &[1][..]));
        assert!(!a.own(3) && !a.own(4) && a.own(8), "pages that others read are not written");
        drop(a);
        assert!(!b.own(0) && b.own(4), "page 1 is of c too");
        assert_eq!(held(&pool), 3);
        // b wrote page 2 anew.
        let mut d = Held::new(pool.clone());
        assert_eq!(d.take_over(&tokens(9), &ONES), 4);
    }

    #[test]
    fn what_nobody_holds_is_known_until_it_is_taken() {
        let pool = pool(4);
        let mut a = Held::new(pool.clone());
        assert!(a.make_room(12));
        a.note(&tokens(12), &ONES);
        drop(a);
        assert_eq!(held(&pool), 0);
        let mut b = Held::new(pool.clone());
        assert_eq!((b.take_over(&tokens(12), &ONES), held(&pool)), (12, 3));
        drop(b);
        // The page that was free the longest, then the ends of texts, go first.
        let mut c = Held::new(pool.clone());
        assert!(c.make_room(8));
        assert_eq!(c.pages(), [4, 3]);
        let mut d = Held::new(pool.clone());
        assert_eq!(d.take_over(&tokens(12), &ONES), 8);
        drop(d);
        drop(c);
        let mut e = Held::new(pool.clone());
        assert!(e.make_room(16));
        drop(e);
        assert_eq!(Held::new(pool.clone()).take_over(&tokens(12), &ONES), 0);
        assert!(locked(&pool).notes.is_empty() && held(&pool) == 0);
    }

    #[test]
    fn a_page_behind_one_that_was_taken_is_not_found() {
        let pool = pool(2);
        let mut a = Held::new(pool.clone());
        assert!(a.make_room(8));
        a.note(&tokens(8), &ONES);
        // Page 1 holds other tokens now, and is noted again; page 2 stood behind what was there before.
        locked(&pool).forget(1);
        locked(&pool).note((NOTHING, vec![9; 4], vec![1; 4]), 1);
        let mut wanted = vec![9; 4];
        wanted.extend(4..8);
        drop(a);
        assert_eq!(Held::new(pool.clone()).take_over(&wanted, &ONES), 4);
        assert_eq!(Held::new(pool.clone()).take_over(&tokens(8), &ONES), 0);
    }

    #[test]
    fn what_is_shared_is_whole_chunks() {
        // Chunks of 6 tokens and pages of 4 end together every 12.
        for (chunk, shared) in [(1, 20), (4, 20), (8, 16), (6, 12), (7, 0)] {
            let (pool, chunks) = (pool(8), vec![chunk; 24 / chunk]);
            let mut a = Held::new(pool.clone());
            assert!(a.make_room(24));
            a.note(&tokens(24), &chunks);
            let found = Held::new(pool.clone()).take_over(&tokens(23), &chunks);
            assert_eq!(found, shared, "chunks of {chunk}");
        }
    }

    #[test]
    fn what_chunks_of_other_sizes_wrote_is_not_shared() {
        let pool = pool(8);
        let mut a = Held::new(pool.clone());
        assert!(a.make_room(24));
        a.note(&tokens(24), &[8, 8, 4, 4]);
        for (chunks, shared) in [(&[8, 8, 4][..], 20), (&[8, 4, 4, 4], 8), (&[4; 5], 0), (&[8, 8], 16), (&[16], 0)] {
            assert_eq!(Held::new(pool.clone()).take_over(&tokens(23), chunks), shared, "{chunks:?}");
        }
    }

    #[test]
    fn chunks_that_wrote_a_page() {
        let by = |page| written_by(&[12, 6, 6], page, 4);
        assert_eq!([by(0), by(2), by(3)], [Some(vec![12]), Some(vec![12]), Some(vec![6])]);
        assert_eq!((by(4), by(5), by(6)), (Some(vec![6, 6]), Some(vec![6]), None));
    }
}

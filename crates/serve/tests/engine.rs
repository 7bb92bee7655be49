//! The engine over a stand-in: what runs together gives what runs alone.

mod stand_in;

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use fornax_runtime::{ErrorKind, Result};
use fornax_serve::engine::{Engine, Event, Queue, Refused, Usage, job};
use fornax_serve::metrics::Metrics;
use fornax_text::{Draft, End, Guesser, Limits, Lookup, Sampling};
use stand_in::{CHUNK, Call, Control, FAILS, LOSES, Rows, vocabulary};
use tokio::sync::mpsc::UnboundedReceiver;

struct Running {
    queue: Arc<Queue>,
    control: Arc<Control>,
    metrics: Arc<Metrics>,
    thread: JoinHandle<Result<()>>,
}

fn start(sequences: usize, waiting: usize) -> Running {
    start_with(sequences, waiting, (Rows::new(), 0))
}

/// The same with a model of which so many tokens are guessed.
fn start_with(sequences: usize, waiting: usize, (rows, ahead): (Rows, usize)) -> Running {
    start_guessing(sequences, waiting, rows, move || guesser(ahead))
}

/// A model whose texts get a token at least so often while prompts wait.
fn start_every(interval: Duration, rows: Rows) -> Running {
    started(3, 20, rows, move |engine| engine.interval(interval))
}

fn start_guessing(
    sequences: usize,
    waiting: usize,
    rows: Rows,
    guesser: impl FnOnce() -> Guesser + Send + 'static,
) -> Running {
    started(sequences, waiting, rows, move |engine| engine.guess(guesser()))
}

fn started(
    sequences: usize,
    waiting: usize,
    rows: Rows,
    with: impl for<'v> FnOnce(Engine<'v, Rows>) -> Engine<'v, Rows> + Send + 'static,
) -> Running {
    let queue = Arc::new(Queue::new(sequences, waiting));
    let metrics = Arc::new(Metrics::default());
    let control = rows.control.clone();
    let (own, counted) = (queue.clone(), metrics.clone());
    let thread = std::thread::spawn(move || {
        let vocabulary = vocabulary(None);
        with(Engine::new(rows, &vocabulary, own, counted)?).run()
    });
    Running { queue, control, metrics, thread }
}

/// Who guesses so many tokens.
fn guesser(ahead: usize) -> Guesser {
    if ahead == 0 { Guesser::none() } else { Guesser::new(Box::new(Lookup), ahead) }
}

impl Running {
    fn ask(&self, prompt: &[u32], seed: u64, tokens: usize) -> UnboundedReceiver<Event> {
        let sampling = Sampling { temperature: 1.0, seed, ..Sampling::default() };
        let (job, events) = job(prompt.to_vec(), sampling, Limits { tokens, stop: Vec::new() });
        self.queue.push(job).unwrap();
        events
    }

    fn end(self) -> Result<()> {
        self.queue.close();
        self.thread.join().unwrap()
    }
}

/// The text of a request, why it ended, and its counts.
fn text(mut events: UnboundedReceiver<Event>) -> (String, End, Usage) {
    let mut text = String::new();
    loop {
        match events.blocking_recv().expect("an end") {
            Event::Chosen(_) => {}
            Event::Text(piece) => text.push_str(&piece),
            Event::End { end, usage } => return (text, end, usage),
            Event::Failed(error) => panic!("{error}"),
        }
    }
}

fn failure(mut events: UnboundedReceiver<Event>) -> &'static str {
    loop {
        match events.blocking_recv().expect("an end") {
            Event::Chosen(_) | Event::Text(_) => {}
            Event::End { end, .. } => panic!("{end:?}"),
            Event::Failed(error) => return error.code(),
        }
    }
}

/// Prompts of several lengths that begin alike, each with a seed and a length.
fn requests() -> Vec<(Vec<u32>, u64, usize)> {
    let prompt = |at: u32| (0..3 + at * 5 % 23).map(|token| if token < 9 { token } else { token * at % 37 }).collect();
    (0..12).map(|at| (prompt(at), u64::from(at % 3), 5 + at as usize * 3 % 17)).collect()
}

#[test]
fn texts_do_not_depend_on_what_runs_beside_them() {
    let alone: Vec<(String, End)> = requests()
        .into_iter()
        .map(|(prompt, seed, tokens)| {
            let engine = start(1, 0);
            let (text, end, usage) = text(engine.ask(&prompt, seed, tokens));
            assert_eq!(usage, Usage { prompt: prompt.len(), kept: 0, made: tokens });
            engine.end().unwrap();
            (text, end)
        })
        .collect();
    for sequences in [1, 3, 12] {
        let engine = start(sequences, 20);
        // The second round finds caches of the first.
        for _ in 0..2 {
            let all: Vec<_> =
                requests().iter().map(|(prompt, seed, tokens)| engine.ask(prompt, *seed, *tokens)).collect();
            let together: Vec<(String, End)> = all.into_iter().map(text).map(|t| (t.0, t.1)).collect();
            assert_eq!(together, alone, "{sequences} at a time");
        }
        engine.end().unwrap();
    }
}

#[test]
fn texts_do_not_depend_on_pages() {
    let texts = |engine: &Running| {
        let all: Vec<_> = requests().iter().map(|(prompt, seed, tokens)| engine.ask(prompt, *seed, *tokens)).collect();
        all.into_iter().map(text).collect::<Vec<_>>()
    };
    let same = |all: &[(String, End, Usage)]| all.iter().map(|t| (t.0.clone(), t.1)).collect::<Vec<_>>();
    let plain = start(1, 20);
    let alone = texts(&plain);
    plain.end().unwrap();
    // The longest text takes 14 pages of 3 tokens.
    for (sequences, pages) in [(1, 14), (4, 14), (12, 20), (12, 30), (12, 200)] {
        let engine = start_with(sequences, 20, (Rows::in_pages(pages), 0));
        let found = texts(&engine);
        assert_eq!(same(&found), same(&alone), "{sequences} at a time, {pages} pages");
        let metrics = engine.metrics.text(0);
        assert!(metrics.contains(&format!("fornax_cache_pages {pages}")), "{metrics}");
        // Again, beside each other: who begins alike takes the same pages.
        let again = texts(&engine);
        assert_eq!(same(&again), same(&alone), "{sequences} at a time, {pages} pages, again");
        if pages == 200 {
            let kept: usize = again.iter().map(|t| t.2.kept).sum();
            assert!(kept > 0, "nothing is shared");
            assert!(metrics.contains("fornax_preempted_total 0"), "{metrics}");
        }
        if (sequences, pages) == (12, 20) {
            assert!(!metrics.contains("fornax_preempted_total 0\n"), "nobody stopped: {metrics}");
        }
        let metrics = engine.metrics.clone();
        engine.end().unwrap();
        assert!(metrics.text(0).contains("fornax_cache_pages_used 0"), "{}", metrics.text(0));
    }
}

#[test]
fn pages_of_who_went_away_are_free() {
    let engine = start_with(4, 20, (Rows::in_pages(14), 0));
    engine.control.allow(Some(0));
    let prompt: Vec<u32> = (0..12).collect();
    let gone: Vec<_> = (0..8).map(|seed| engine.ask(&prompt, seed, 20)).collect();
    drop(gone);
    engine.control.allow(None);
    let (words, ..) = text(engine.ask(&prompt, 3, 20));
    let metrics = engine.metrics.clone();
    engine.end().unwrap();
    let plain = start(1, 0);
    assert_eq!(text(plain.ask(&prompt, 3, 20)).0, words);
    plain.end().unwrap();
    assert!(metrics.text(0).contains("fornax_cache_pages_used 0"), "{}", metrics.text(0));
}

#[test]
fn texts_do_not_depend_on_guesses() {
    // Prompts that say the same again and again; a text goes on in the same way where few words are likely.
    let ask = |engine: &Running| -> Vec<_> {
        (0..12u32)
            .map(|at| {
                let prompt: Vec<u32> = (0..14).map(|token| token * at % 5).collect();
                let sampling = Sampling { temperature: 1.0, top_k: 2, seed: at.into(), ..Sampling::default() };
                let (job, events) = job(prompt, sampling, Limits { tokens: 40, stop: Vec::new() });
                engine.queue.push(job).unwrap();
                events
            })
            .collect()
    };
    let exact = |ahead| Rows { exact: true, ahead, ..Rows::new() };
    let all_of = |engine: Running| {
        let all = ask(&engine).into_iter().map(text).collect::<Vec<_>>();
        let calls = engine.control.calls.lock().unwrap().clone();
        let guessed = calls.iter().filter(|call| matches!(call, Call::Verify(_))).count();
        let metrics = engine.metrics.clone();
        engine.end().unwrap();
        (all, guessed, metrics.text(0))
    };
    let (plain, none, _) = all_of(start_with(1, 20, (exact(0), 0)));
    assert_eq!(none, 0);
    let same = |all: &[(String, End, Usage)]| all.iter().map(|t| (t.0.clone(), t.1)).collect::<Vec<_>>();
    for (sequences, ahead) in [(1, 3), (4, 3), (4, 7)] {
        let draft = move || Guesser::new(Box::new(Draft::new(exact(0), sequences).unwrap()), ahead);
        let lookup = start_with(sequences, 20, (exact(ahead), ahead));
        for engine in [lookup, start_guessing(sequences, 20, exact(ahead), draft)] {
            let (found, guessed, metrics) = all_of(engine);
            assert_eq!(same(&found), same(&plain), "{sequences} at a time, {ahead} ahead");
            assert!(guessed > 0 && !metrics.contains("fornax_guessed_tokens_total 0"), "{guessed} {metrics}");
        }
    }
    // Rows of each call differ: who stops is computed again by the calls that it had.
    let paged = |sequences, pages| start_with(sequences, 20, (Rows { ahead: 3, words: 3, ..Rows::in_pages(pages) }, 3));
    let (alone, ..) = all_of(paged(1, 200));
    for (sequences, pages) in [(4, 22), (12, 22), (12, 40), (12, 300)] {
        let (found, guessed, metrics) = all_of(paged(sequences, pages));
        assert_eq!(same(&found), same(&alone), "{sequences} at a time, {pages} pages");
        assert!(guessed > 0 && metrics.contains("fornax_cache_pages_used 0"), "{metrics}");
        assert!(pages == 300 || !metrics.contains("fornax_preempted_total 0\n"), "nobody stopped: {metrics}");
    }
}

#[test]
fn a_prompt_takes_over_what_is_cached() {
    let engine = start(2, 0);
    let long: Vec<u32> = (0..30).collect();
    assert_eq!(text(engine.ask(&long[..18], 1, 4)).2.kept, 0);
    // Another one does not take the caches that would serve better later: its own were never used.
    assert_eq!(text(engine.ask(&[30, 31, 32, 33, 34, 35], 1, 4)).2.kept, 0);
    let (again, _, usage) = text(engine.ask(&long, 1, 4));
    assert_eq!(usage.kept, 16, "whole chunks of the 18 tokens");
    assert_eq!(text(engine.ask(&[30, 31, 32, 33, 34, 36], 1, 4)).2.kept, 4);
    assert_eq!(text(engine.ask(&long, 1, 4)), (again, End::Length, Usage { prompt: 30, kept: 28, made: 4 }));
    engine.end().unwrap();
}

#[test]
fn long_prompts_and_texts_take_turns() {
    let engine = start(2, 0);
    engine.control.allow(Some(3));
    let short = engine.ask(&[1, 2], 0, 40);
    while engine.control.count() < 4 {
        std::thread::sleep(Duration::from_millis(1));
    }
    let long = engine.ask(&(0..5 * CHUNK as u32).collect::<Vec<u32>>(), 0, 2);
    engine.control.allow(None);
    text(long);
    text(short);
    let calls = engine.control.calls.lock().unwrap().clone();
    let chunk = |call: &Call| *call == Call::Prefill(CHUNK);
    let first = calls.iter().position(chunk).unwrap();
    for at in 0..4 {
        assert_eq!(calls[first + 2 * at..][..2], [Call::Prefill(CHUNK), Call::Decode(1)], "{calls:?}");
    }
    assert_eq!(calls[first + 8..][..2], [Call::Prefill(CHUNK), Call::Decode(2)], "{calls:?}");
    engine.end().unwrap();
}

/// What three texts are, of which the first runs while the others' prompts, of six chunks each, are read; and the calls
/// from the first of these on.
fn beside_prompts(engine: Running) -> (Vec<(String, End, Usage)>, Vec<Call>) {
    engine.control.allow(Some(3));
    let short = engine.ask(&[1, 2], 0, 40);
    while engine.control.count() < 4 {
        std::thread::sleep(Duration::from_millis(1));
    }
    let long = |from: u32| (from..from + 6 * CHUNK as u32).collect::<Vec<u32>>();
    let others = [engine.ask(&long(0), 0, 2), engine.ask(&long(7), 0, 2)];
    engine.control.allow(None);
    let mut texts: Vec<_> = others.into_iter().map(text).collect();
    texts.push(text(short));
    let calls = engine.control.calls.lock().unwrap().clone();
    engine.end().unwrap();
    let first = calls.iter().position(|call| *call == Call::Prefill(CHUNK)).unwrap();
    (texts, calls[first..].to_vec())
}

#[test]
fn prompts_go_first_for_an_interval() {
    let hour = Duration::from_secs(3600);
    let (alone, one_by_one) = beside_prompts(start_every(Duration::ZERO, Rows::new()));
    for turns in one_by_one[..10].chunks(2) {
        assert_eq!(turns, [Call::Prefill(CHUNK), Call::Decode(1)], "{one_by_one:?}");
    }
    let (texts, calls) = beside_prompts(start_every(hour, Rows::new()));
    assert_eq!(texts, alone);
    assert!(calls[..12].iter().all(|call| *call == Call::Prefill(CHUNK)), "{calls:?}");
    assert_eq!(calls[12], Call::Decode(3), "{calls:?}");
}

#[test]
fn no_text_stands_still_for_longer_than_the_interval_and_a_chunk() {
    let rows = Rows { time: Duration::from_millis(30), ..Rows::new() };
    let (_, calls) = beside_prompts(start_every(Duration::from_millis(80), rows));
    // Three chunks take longer than the interval, as a chunk may take longer than it sleeps.
    for turns in calls.split(|call| matches!(call, Call::Decode(_))) {
        assert!(turns.len() <= 3, "{turns:?} of {calls:?}");
    }
}

#[test]
fn who_does_not_listen_is_not_served() {
    let engine = start(1, 2);
    engine.control.allow(Some(2));
    let gone = engine.ask(&[1, 2], 0, 60);
    let waiting = engine.ask(&[3], 0, 60);
    let next = engine.ask(&[4], 0, 3);
    assert_eq!(engine.queue.check(), Err(Refused::Full));
    while engine.control.count() < 3 {
        std::thread::sleep(Duration::from_millis(1));
    }
    drop((gone, waiting));
    assert_eq!((engine.queue.check(), engine.queue.waiting()), (Ok(()), 1));
    engine.control.allow(None);
    text(next);
    assert!(engine.control.count() < 10, "{:?}", engine.control.calls.lock().unwrap());
    assert!(engine.metrics.text(0).contains("fornax_cancelled_total 1\n"), "{}", engine.metrics.text(0));
    engine.end().unwrap();
}

#[test]
fn one_that_fails_leaves_the_others() {
    let engine = start(2, 2);
    let other = engine.ask(&[1, 2, 3], 0, 20);
    assert_eq!(failure(engine.ask(&[4, FAILS, 5], 0, 20)), "FX0715");
    assert_eq!(failure(engine.ask(&[FAILS], 0, 20)), "FX0715");
    assert_eq!(text(other).2.made, 20);
    engine.end().unwrap();
}

#[test]
fn a_lost_device_is_told_to_everybody() {
    let engine = start(2, 2);
    engine.control.allow(Some(1));
    let other = engine.ask(&[1, 2, 3], 0, 60);
    let losing = engine.ask(&[LOSES], 0, 20);
    engine.control.allow(None);
    assert_eq!(failure(losing), "FX0707");
    assert_eq!(failure(other), "FX0707");
    assert_eq!(engine.thread.join().unwrap().unwrap_err().kind(), ErrorKind::DeviceLost);
    let (late, _) = job(vec![1], Sampling::default(), Limits::default());
    assert_eq!(engine.queue.push(late), Err(Refused::Closed));
}

#[test]
fn closing_lets_texts_end_and_aborting_does_not() {
    let engine = start(1, 2);
    engine.control.allow(Some(1));
    let running = engine.ask(&[1, 2], 0, 9);
    while engine.control.count() < 2 {
        std::thread::sleep(Duration::from_millis(1));
    }
    let mut waiting = engine.ask(&[3], 0, 9);
    engine.queue.close();
    assert!(waiting.blocking_recv().is_none(), "who waits is not served any more");
    engine.control.allow(None);
    assert_eq!(text(running).2.made, 9);
    engine.end().unwrap();

    let engine = start(1, 2);
    engine.control.allow(Some(1));
    let running = engine.ask(&[1, 2], 0, 9);
    while engine.control.count() < 2 {
        std::thread::sleep(Duration::from_millis(1));
    }
    engine.queue.abort();
    engine.control.allow(None);
    assert_eq!(failure(running), "FX1203");
    engine.end().unwrap();
}

#[test]
fn caches_must_fit() {
    let rows = Rows { memory: 2, ..Rows::new() };
    let vocabulary = vocabulary(None);
    let engine = Engine::new(rows, &vocabulary, Arc::new(Queue::new(3, 0)), Arc::default());
    let error = engine.err().unwrap();
    assert_eq!((error.code(), error.kind()), ("FX1202", ErrorKind::OutOfMemory));
    assert!(error.message().contains("3 sequences at a time"), "{error}");
}

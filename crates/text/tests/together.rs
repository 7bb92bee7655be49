//! Several texts over a stand-in, as many at a time as there are seats.

mod stand_in;

use fornax_text::{
    Decoder, Draft, Guesser, Guesses, Limits, Lookup, Model, Sampling, Vocabulary, Writer, generate, generate_all,
};
use stand_in::{Call, Rows, vocabulary_in};

fn writer<'v>(vocabulary: &'v Vocabulary, at: u32) -> Writer<'v> {
    let prompt: Vec<u32> = (0..2 + at * 3 % 11).map(|token| (token * at + 1) % 37).collect();
    let sampling = Sampling { temperature: 1.0, seed: at.into(), ..Sampling::default() };
    Writer::new(vocabulary, sampling, &prompt, &Limits { tokens: 3 + at as usize * 5 % 17, stop: Vec::new() })
}

#[test]
fn texts_are_those_of_one_prompt_each() {
    let vocabulary = vocabulary_in(tempfile::tempdir().unwrap().path(), None);
    let alone: Vec<Vec<u32>> = (0..9)
        .map(|at| {
            let mut decoder = Decoder::new(Rows::new()).unwrap();
            let writer = writer(&vocabulary, at);
            generate(&mut decoder, (writer, &mut Guesser::none()), 0, &mut |_| Ok(())).unwrap().ids
        })
        .collect();
    for seats in [1, 3, 20] {
        let mut model = Rows::new();
        let control = model.control.clone();
        let writers = (0..9).map(|at| writer(&vocabulary, at)).collect();
        let made = generate_all(&mut model, (writers, &mut Guesser::none()), seats).unwrap();
        assert_eq!(made.iter().map(|made| made.ids.clone()).collect::<Vec<_>>(), alone, "{seats} seats");
        let widest = |call: &Call| if let Call::Decode(texts) = call { *texts } else { 0 };
        let calls = control.calls.lock().unwrap();
        assert_eq!(calls.iter().map(widest).max(), Some(seats.min(9)), "{calls:?}");
    }
    let empty = Writer::new(&vocabulary, Sampling::default(), &[], &Limits { tokens: 3, stop: Vec::new() });
    let error =
        generate_all(&mut Rows::new(), (vec![writer(&vocabulary, 1), empty], &mut Guesser::none()), 2).err().unwrap();
    assert!(error.code() == "FX1105" && error.message().starts_with("prompt 1"), "{error}");
    assert!(generate_all(&mut Rows::new(), (Vec::new(), &mut Guesser::none()), 2).unwrap().is_empty());
}

#[test]
fn texts_are_the_same_where_pages_run_out() {
    let vocabulary = vocabulary_in(tempfile::tempdir().unwrap().path(), None);
    let made = |model: &mut Rows, seats| {
        let writers = (0..9).map(|at| writer(&vocabulary, at)).collect();
        generate_all(model, (writers, &mut Guesser::none()), seats)
            .unwrap()
            .into_iter()
            .map(|made| made.ids)
            .collect::<Vec<_>>()
    };
    let alone = made(&mut Rows::new(), 1);
    // A text takes up to 10 pages of 3 tokens.
    for pages in [10, 12, 14, 23, 100] {
        let mut model = Rows::in_pages(pages);
        let most = model.shared.as_ref().unwrap().most.clone();
        assert_eq!(made(&mut model, 9), alone, "{pages} pages");
        assert!(pages == 100 || *most.lock().unwrap() > pages - 3, "{pages} pages are used");
        assert_eq!(model.pages().unwrap().held, 0, "all are free again");
    }
}

/// Texts behind prompts that repeat themselves, with the counts of their guesses and the calls.
fn guessed(model: &mut Rows, seats: usize, guesser: &mut Guesser) -> (Vec<(Vec<u32>, Guesses)>, Vec<Call>) {
    let vocabulary = vocabulary_in(tempfile::tempdir().unwrap().path(), None);
    let writer = |at: u32| {
        let prompt: Vec<u32> = (0..9).map(|token| token * at % 5).collect();
        let sampling = Sampling { temperature: 1.0, top_k: 2, seed: at.into(), ..Sampling::default() };
        Writer::new(&vocabulary, sampling, &prompt, &Limits { tokens: 10 + at as usize * 5 % 19, stop: Vec::new() })
    };
    let control = model.control.clone();
    let made = generate_all(model, ((0..9).map(writer).collect(), guesser), seats).unwrap();
    let calls = control.calls.lock().unwrap().clone();
    (made.into_iter().map(|made| (made.ids, made.guesses)).collect(), calls)
}

#[test]
fn texts_are_the_same_where_tokens_are_guessed() {
    let ids = |all: &[(Vec<u32>, Guesses)]| all.iter().map(|(ids, _)| ids.clone()).collect::<Vec<_>>();
    let exact = |ahead| Rows { exact: true, ahead, words: 3, ..Rows::new() };
    let plain = guessed(&mut exact(0), 1, &mut Guesser::none()).0;
    for (seats, ahead) in [(1, 3), (4, 3), (9, 7)] {
        let draft = |seats| Guesser::new(Box::new(Draft::new(exact(0), seats).unwrap()), ahead);
        let guessers = [Guesser::new(Box::new(Lookup), ahead), draft(seats), draft(1)];
        for (at, mut guesser) in guessers.into_iter().enumerate() {
            let (found, calls) = guessed(&mut exact(ahead), seats, &mut guesser);
            assert_eq!(ids(&found), ids(&plain), "{seats} seats, {ahead} ahead: {calls:?}");
            let right: usize = found.iter().map(|(_, guesses)| guesses.right).sum();
            assert!(right > 3, "{right} guesses were right");
            let widest = |call: &Call| if let Call::Verify(tokens) = call { *tokens } else { 0 };
            // A draft of one seat guesses for one text at a time.
            assert!(
                seats == 1 || at == 2 || calls.iter().map(widest).max() > Some(ahead + 1),
                "one call for several: {calls:?}"
            );
        }
    }
}

/// Rows of `verify`, `decode` and `prefill` differ here: a text that stops is computed again by the same calls.
#[test]
fn guessed_texts_are_the_same_where_pages_run_out() {
    let paged = |pages| Rows { ahead: 3, words: 3, ..Rows::in_pages(pages) };
    let wanted = guessed(&mut paged(200), 1, &mut Guesser::new(Box::new(Lookup), 3)).0;
    assert!(wanted.iter().any(|(_, guesses)| guesses.right > 3));
    for pages in [13, 15, 23, 31, 100] {
        let mut model = paged(pages);
        let (found, calls) = guessed(&mut model, 9, &mut Guesser::new(Box::new(Lookup), 3));
        assert_eq!(found, wanted, "{pages} pages");
        let read = calls.iter().filter(|call| matches!(call, Call::Prefill(_))).count();
        assert!(pages > 31 || read > 27, "{pages} pages: nobody stopped");
        assert_eq!(model.pages().unwrap().held, 0, "all are free again");
    }
}

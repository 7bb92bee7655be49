//! Several texts over a stand-in, as many at a time as there are seats.

mod stand_in;

use fornax_text::{Ahead, Decoder, Limits, Model, Sampling, Vocabulary, Writer, generate, generate_all};
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
            generate(&mut decoder, (writer, &mut Ahead::none()), 0, &mut |_| Ok(())).unwrap().ids
        })
        .collect();
    for seats in [1, 3, 20] {
        let mut model = Rows::new();
        let control = model.control.clone();
        let writers = (0..9).map(|at| writer(&vocabulary, at)).collect();
        let made = generate_all(&mut model, writers, seats).unwrap();
        assert_eq!(made.iter().map(|made| made.ids.clone()).collect::<Vec<_>>(), alone, "{seats} seats");
        let widest = |call: &Call| if let Call::Decode(texts) = call { *texts } else { 0 };
        let calls = control.calls.lock().unwrap();
        assert_eq!(calls.iter().map(widest).max(), Some(seats.min(9)), "{calls:?}");
    }
    let empty = Writer::new(&vocabulary, Sampling::default(), &[], &Limits { tokens: 3, stop: Vec::new() });
    let error = generate_all(&mut Rows::new(), vec![writer(&vocabulary, 1), empty], 2).err().unwrap();
    assert!(error.code() == "FX1105" && error.message().starts_with("prompt 1"), "{error}");
    assert!(generate_all(&mut Rows::new(), Vec::new(), 2).unwrap().is_empty());
}

#[test]
fn texts_are_the_same_where_pages_run_out() {
    let vocabulary = vocabulary_in(tempfile::tempdir().unwrap().path(), None);
    let made = |model: &mut Rows, seats| {
        let writers = (0..9).map(|at| writer(&vocabulary, at)).collect();
        generate_all(model, writers, seats).unwrap().into_iter().map(|made| made.ids).collect::<Vec<_>>()
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

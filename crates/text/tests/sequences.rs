//! Sequences, writers and conversations over a stand-in whose logits depend on every row that the caches hold.

mod stand_in;

use fornax_text::{Chat, Chunks, Decoder, Guesser, Limits, Model, Sampling, Sequence, Vocabulary, Writer, generate};
use stand_in::{CHUNK, Cache, FAILS, Rows, TEMPLATE, WORDS, vocabulary_in};

/// Short chunks alone, in a context of 32.
const SHORT: (Chunks, usize) = (Chunks { short: CHUNK, long: None }, 32);

fn rows(exact: bool) -> Rows {
    Rows { context: 32, exact, ..Rows::new() }
}

/// The words of the stand-in.
fn vocabulary(template: Option<&str>) -> Vocabulary {
    vocabulary_in(tempfile::tempdir().unwrap().path(), template)
}

#[test]
fn a_sequence_goes_on_from_any_position() {
    let mut model = rows(true);
    let mut fresh = |tokens: &[u32]| {
        let mut sequence = Sequence::new(model.caches().unwrap());
        sequence.feed(&mut model, tokens).unwrap()
    };
    let tokens: Vec<u32> = (0..32).map(|token| token * 7 % 40).collect();
    let whole: Vec<Vec<f32>> = (1..=tokens.len()).map(|count| fresh(&tokens[..count])).collect();
    let mut sequence = Sequence::new(model.caches().unwrap());
    sequence.feed(&mut model, &tokens).unwrap();
    assert_eq!(sequence.feed(&mut model, &[1]).unwrap_err().code(), "FX1105");
    for position in (0..tokens.len()).rev() {
        sequence.rewind(position);
        assert_eq!(sequence.feed(&mut model, &tokens[position..]).unwrap(), whole[31], "from {position}");
        sequence.rewind(position);
        assert_eq!(sequence.feed(&mut model, &tokens[position..=position]).unwrap(), whole[position]);
        assert_eq!(sequence.ids(), &tokens[..=position]);
    }
    assert_eq!(sequence.feed(&mut model, &[WORDS as u32]).unwrap_err().code(), "FX1107");
    assert_eq!(sequence.feed(&mut model, &[]).unwrap_err().code(), "FX1105");
}

#[test]
fn rows_of_whole_chunks_can_be_taken_over() {
    let mut model = rows(false);
    let tokens: Vec<u32> = (0..11).collect();
    let mut sequence = Sequence::new(model.caches().unwrap());
    sequence.feed(&mut model, &tokens).unwrap();
    // Two chunks and three tokens of a third one.
    assert_eq!((sequence.shared(&tokens), sequence.shared_chunks(&tokens, SHORT)), (10, 8));
    sequence.feed(&mut model, &[11]).unwrap();
    let longer: Vec<u32> = (0..20).collect();
    assert_eq!((sequence.shared(&longer), sequence.shared_chunks(&longer, SHORT)), (12, 8));
    assert_eq!(sequence.shared_chunks(&tokens[..8], SHORT), 4, "the last token is fed again");
    let logits = |sequence: &mut Sequence<Cache>, model: &mut Rows| {
        let kept = sequence.shared_chunks(&longer, SHORT);
        sequence.rewind(kept);
        sequence.feed(model, &longer[kept..]).unwrap()
    };
    let fresh = Sequence::new(model.caches().unwrap()).feed(&mut model, &longer).unwrap();
    assert_eq!(logits(&mut sequence, &mut model), fresh);
    assert_eq!(sequence.shared_chunks(&longer, SHORT), 16);
    sequence.rewind(6);
    sequence.feed(&mut model, &longer[6..]).unwrap();
    assert_eq!(sequence.shared_chunks(&longer, SHORT), 4, "chunks at odd places do not count");
}

/// Whatever the caches held before, and whatever chunks of other texts wrote in pages, a prompt gets the rows that it
/// would get alone.
#[test]
fn long_chunks_leave_rows_that_a_prompt_alone_would_get() {
    let long = || Some(3 * CHUNK);
    let alone = |tokens: &[u32]| {
        let mut model = Rows { long: long(), ..rows(false) };
        let mut sequence = Sequence::new(model.caches().unwrap());
        sequence.feed(&mut model, tokens).unwrap()
    };
    let lengths = [30, 2, 13, 31, 12, 25, 24, 9, 17, 32, 28, 16];
    let prompts =
        lengths.map(|length| (0..length).map(|at| if at < 20 { at } else { (at + length) % FAILS }).collect());
    let prompts: [Vec<u32>; 12] = prompts;
    for pages in [None, Some(60)] {
        let new = pages.map_or_else(Rows::new, Rows::in_pages);
        let mut model = Rows { context: 32, long: long(), ..new };
        let mut sequences: Vec<Sequence<Cache>> = (0..2).map(|_| Sequence::new(model.caches().unwrap())).collect();
        let mut kept_in_all = 0;
        for (at, prompt) in prompts.iter().enumerate() {
            let sequence = &mut sequences[at % 2];
            let kept = sequence.begin(&mut model, prompt);
            kept_in_all += kept;
            let found = sequence.feed(&mut model, &prompt[kept..]).unwrap();
            assert_eq!(found, alone(prompt), "{} tokens, {kept} kept, pages {pages:?}", prompt.len());
        }
        assert!(kept_in_all >= 60, "{kept_in_all} tokens kept, pages {pages:?}");
    }
}

/// A model that chooses tokens itself, or queues steps, gives the text of one that gives logits: up to a limit, a stop
/// word, the end of the caches; and steps that nobody asked for leave nothing.
#[test]
fn texts_are_those_that_are_chosen_here() {
    let vocabulary = vocabulary(None);
    let greedy = Sampling::default();
    let warm = Sampling { temperature: 1.5, seed: 3, ..Sampling::default() };
    let penalized = Sampling { repetition_penalty: 1.5, ..warm.clone() };
    let texts = |model: Rows| {
        let control = model.control.clone();
        let mut decoder = Decoder::new(model).unwrap();
        let mut all = Vec::new();
        for sampling in [&greedy, &warm, &penalized] {
            for (tokens, stop) in [(1, ""), (4, ""), (9, "w"), (12, "w3"), (99, "")] {
                let stop = if stop.is_empty() { Vec::new() } else { vec![stop.to_string()] };
                let writer = Writer::new(&vocabulary, sampling.clone(), &[3, 17, 5], &Limits { tokens, stop });
                let made = generate(&mut decoder, (writer, &mut Guesser::none()), 0, &mut |_| Ok(())).unwrap();
                all.push((made.ids, made.text, made.end));
            }
        }
        (all, control.count())
    };
    let (wanted, calls) = texts(rows(true));
    assert!(wanted.iter().any(|(ids, ..)| ids.len() == 30) && wanted[0].0 != wanted[5].0);
    for (queue, chooses) in [(0, true), (1, true), (3, true), (60, true)] {
        let (found, more) = texts(Rows { queue, chooses, ..rows(true) });
        assert_eq!(found, wanted, "{queue}");
        assert!((more > calls) == (queue > 0), "{queue}: {more} calls, {calls} without a queue");
    }
}

#[test]
fn a_conversation_feeds_only_what_is_new() {
    let vocabulary = vocabulary(Some(TEMPLATE));
    let limits = Limits { tokens: 3, stop: Vec::new() };
    let decoder = Decoder::new(rows(true)).unwrap();
    let mut chat = Chat::new(decoder, &vocabulary, Sampling::default(), limits.clone(), Some("w9")).unwrap();
    let mut shown = String::new();
    let mut show = |piece: &str| {
        shown.push_str(piece);
        Ok(())
    };
    let first = chat.answer("w10 w11", &mut show).unwrap();
    assert_eq!((first.prompt, first.kept, first.made.ids.len()), (6, 0, 3));
    let second = chat.answer("w12", &mut show).unwrap();
    // The first prompt and two of the three tokens of its answer: the third was never fed.
    assert_eq!((second.prompt, second.kept), (6 + 3 + 3, 8));
    assert_eq!(shown, format!("{}{}", first.made.text, second.made.text));

    // The same conversation as one prompt gives the same.
    let text = format!("w1 w9 w2 w10 w11 w3 {} w2 w12 w3", first.made.text);
    let ids = vocabulary.encode(&text).unwrap();
    let mut fresh = Decoder::new(rows(true)).unwrap();
    let writer = Writer::new(&vocabulary, Sampling::default(), &ids, &limits);
    assert_eq!(generate(&mut fresh, (writer, &mut Guesser::none()), 0, &mut |_| Ok(())).unwrap().ids, second.made.ids);

    chat.clear();
    let again = chat.answer("w10 w11", &mut |_| Ok(())).unwrap();
    assert_eq!((again.made.ids, again.kept), (first.made.ids, 5));
}

#[test]
fn a_full_conversation_is_said_and_can_be_cleared() {
    let vocabulary = vocabulary(Some(TEMPLATE));
    let limits = Limits { tokens: 100, stop: Vec::new() };
    let decoder = Decoder::new(rows(true)).unwrap();
    let mut chat = Chat::new(decoder, &vocabulary, Sampling::default(), limits, None).unwrap();
    let first = chat.answer("w10", &mut |_| Ok(())).unwrap();
    // The prompt, and one token more than rows: the last one needs none.
    assert_eq!((first.prompt, first.made.ids.len(), first.is_full), (3, 30, true));
    for _ in 0..2 {
        assert_eq!(chat.answer("w11", &mut |_| Ok(())).err().unwrap().code(), "FX1105");
    }
    chat.clear();
    assert_eq!(chat.answer("w10", &mut |_| Ok(())).unwrap().made.ids, first.made.ids);
}

#[test]
fn a_checkpoint_without_a_template_cannot_chat() {
    let vocabulary = vocabulary(None);
    let decoder = Decoder::new(rows(true)).unwrap();
    let chat = Chat::new(decoder, &vocabulary, Sampling::default(), Limits::default(), None);
    assert_eq!(chat.err().unwrap().code(), "FX1108");
}

//! Texts some tokens of which are guessed, over a stand-in whose logits depend on every row that the caches hold.

mod stand_in;

use fornax_runtime::Result;
use fornax_text::{
    Decoder, Draft, Generated, Guess, Guesser, Limits, Lookup, Sampling, Start, Vocabulary, Writer, generate,
};
use stand_in::{Call, Rows, vocabulary_in};

/// Guesses what is known to come, but for some tokens.
struct Known {
    text: Vec<u32>,
    /// Every so manieth guess is wrong; 0 for none.
    wrong: usize,
    /// More tokens than were asked for.
    is_eager: bool,
}

impl Guess for Known {
    fn guess(&mut self, texts: &[Start]) -> Result<Vec<Vec<u32>>> {
        Ok(texts.iter().map(|start| self.one(start.text, start.most)).collect())
    }
}

impl Known {
    fn one(&self, text: &[u32], most: usize) -> Vec<u32> {
        let rest = self.text.get(text.len()..).unwrap_or_default();
        let most = if self.is_eager { most.max(1) } else { most };
        let wrong = |at: usize| self.wrong > 0 && (text.len() + at).is_multiple_of(self.wrong);
        let guess = |(at, &token): (usize, &u32)| if wrong(at) { (token + 1) % 40 } else { token };
        rest.iter().take(most).enumerate().map(guess).collect()
    }
}

const PROMPT: [u32; 6] = [3, 17, 5, 22, 9, 1];

fn made(
    vocabulary: &Vocabulary,
    (sampling, tokens): (&Sampling, usize),
    ahead: usize,
    guess: Option<Box<dyn Guess>>,
) -> (Generated, Vec<Call>) {
    let model = Rows { exact: true, context: 48, ahead, ..Rows::new() };
    let control = model.control.clone();
    let mut decoder = Decoder::new(model).unwrap();
    let writer = Writer::new(vocabulary, sampling.clone(), &PROMPT, &Limits { tokens, stop: Vec::new() });
    let mut guesser = guess.map_or_else(Guesser::none, |guess| Guesser::new(guess, ahead));
    let made = generate(&mut decoder, (writer, &mut guesser), 0, &mut |_| Ok(())).unwrap();
    let calls = control.calls.lock().unwrap().clone();
    (made, calls)
}

/// Whatever is guessed, the tokens are those without guesses, greedy ones and drawn ones, up to the end of the caches.
#[test]
fn the_text_is_that_of_the_model() {
    let vocabulary = vocabulary_in(tempfile::tempdir().unwrap().path(), None);
    for sampling in [
        Sampling::default(),
        Sampling { temperature: 1.0, seed: 7, ..Sampling::default() },
        Sampling { temperature: 2.0, top_k: 9, seed: 8, repetition_penalty: 1.3, ..Sampling::default() },
    ] {
        for tokens in [1, 2, 20, 100] {
            let (plain, calls) = made(&vocabulary, (&sampling, tokens), 0, None);
            assert_eq!(plain.ids.len(), tokens.min(43));
            assert_eq!((plain.guesses.made, calls.len()), (0, 1 + plain.ids.len()));
            let text = [&PROMPT[..], &plain.ids].concat();
            for ahead in [1, 3, 7] {
                let known = |wrong: usize, is_eager: bool| Known { text: text.clone(), wrong, is_eager };
                let guesses: Vec<Box<dyn Guess>> = vec![
                    Box::new(known(0, false)),
                    Box::new(known(1, false)),
                    Box::new(known(3, true)),
                    Box::new(known(5, false)),
                    Box::new(Lookup),
                    Box::new(Draft::new(Rows { exact: true, ..Rows::new() }, 1).unwrap()),
                    Box::new(Draft::new(Rows { exact: true, context: 20, ..Rows::new() }, 1).unwrap()),
                ];
                for (at, guess) in guesses.into_iter().enumerate() {
                    let (found, calls) = made(&vocabulary, (&sampling, tokens), ahead, Some(guess));
                    let what = format!("guess {at}, {ahead} ahead, {tokens} tokens, {sampling:?}: {calls:?}");
                    assert_eq!((&found.ids, &found.text, found.end), (&plain.ids, &plain.text, plain.end), "{what}");
                    let count = found.guesses;
                    assert!(count.right <= count.made && count.calls + count.right >= found.ids.len() - 1, "{what}");
                    match at {
                        // All right, but for the end of the caches.
                        0 => assert_eq!(count.made, count.right, "{what}"),
                        1 => assert_eq!(count.right, 0, "{what}"),
                        _ => {}
                    }
                }
            }
        }
    }
}

#[test]
fn right_guesses_save_calls() {
    let vocabulary = vocabulary_in(tempfile::tempdir().unwrap().path(), None);
    let greedy = Sampling::default();
    let (plain, _) = made(&vocabulary, (&greedy, 25), 0, None);
    let known = Known { text: [&PROMPT[..], &plain.ids].concat(), wrong: 0, is_eager: false };
    let (found, calls) = made(&vocabulary, (&greedy, 25), 3, Some(Box::new(known)));
    // Six tokens of the prompt are two calls and the first token; six calls make four each.
    assert_eq!(
        calls[2..],
        [Call::Verify(4), Call::Verify(4), Call::Verify(4), Call::Verify(4), Call::Verify(4), Call::Verify(4)]
    );
    assert_eq!((found.guesses.calls, found.guesses.made, found.guesses.right), (6, 18, 18));
    // The same model guesses as well; one that fails ends the text.
    let draft = Draft::new(Rows { exact: true, ..Rows::new() }, 1).unwrap();
    assert_eq!(made(&vocabulary, (&greedy, 25), 3, Some(Box::new(draft))).0.guesses.right, 18);
}

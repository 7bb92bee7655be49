//! Words that end a text. Text comes in pieces: what may be the beginning of such a word is held back.

/// Looks for stop words in a stream.
pub struct Stop {
    words: Vec<String>,
    held: String,
}

impl Stop {
    /// Empty words stop nothing.
    pub fn new(words: &[String]) -> Stop {
        Stop { words: words.iter().filter(|word| !word.is_empty()).cloned().collect(), held: String::new() }
    }

    /// What can be shown of the text so far, and whether a stop word was found, which is not shown.
    pub fn push(&mut self, piece: &str) -> (String, bool) {
        self.held.push_str(piece);
        let found = self.words.iter().filter_map(|word| self.held.find(word.as_str())).min();
        if let Some(at) = found {
            self.held.truncate(at);
            return (std::mem::take(&mut self.held), true);
        }
        let is_begun = |at: &usize| {
            let rest = self.held.get(*at..).unwrap_or_default();
            self.words.iter().any(|word| word.starts_with(rest))
        };
        let begun = self.held.char_indices().map(|(at, _)| at).find(is_begun).unwrap_or(self.held.len());
        let rest = self.held.split_off(begun);
        (std::mem::replace(&mut self.held, rest), false)
    }

    /// What was held back, at the end of the text.
    pub fn rest(&mut self) -> String {
        std::mem::take(&mut self.held)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stop_also_in_pieces() {
        let mut stop = Stop::new(&["END".into(), "né\n".into(), String::new()]);
        let shown: Vec<(String, bool)> = ["aE", "Nb", "n", "é", "x EN", "D y"].iter().map(|p| stop.push(p)).collect();
        let texts: Vec<&str> = shown.iter().map(|(text, _)| text.as_str()).collect();
        assert_eq!(texts, ["a", "ENb", "", "", "néx ", ""]);
        assert!(shown[5].1 && !shown[4].1);
        let mut open = Stop::new(&["END".into()]);
        assert_eq!((open.push("xE").0, open.rest()), ("x".to_string(), "E".to_string()));
    }
}

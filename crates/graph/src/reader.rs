//! A reader of the few tokens that texts of shardings have, Shardy's and HLO's.

/// What is left of a text.
pub(crate) struct Reader<'t> {
    pub(crate) left: &'t str,
}

impl<'t> Reader<'t> {
    /// Takes a token, behind spaces; whether it was there.
    pub(crate) fn eat(&mut self, token: &str) -> bool {
        self.left = self.left.trim_start();
        match self.left.strip_prefix(token) {
            Some(left) => {
                self.left = left;
                true
            }
            None => false,
        }
    }

    pub(crate) fn expect(&mut self, token: &str) -> Result<(), String> {
        let at: String = self.left.chars().take(12).collect();
        if self.eat(token) { Ok(()) } else { Err(format!("`{token}` is missing before `{at}`")) }
    }

    /// What comes next, as long as each character `is_part` of it.
    fn run(&mut self, is_part: impl Fn(char) -> bool) -> &'t str {
        self.left = self.left.trim_start();
        let end = self.left.find(|c: char| !is_part(c)).unwrap_or(self.left.len());
        let (run, left) = self.left.split_at(end);
        self.left = left;
        run
    }

    /// A name; empty where there is none.
    pub(crate) fn word(&mut self) -> &'t str {
        self.run(|c| c.is_ascii_alphanumeric() || "_.$".contains(c))
    }

    pub(crate) fn number(&mut self) -> Result<i64, String> {
        self.run(|c| c.is_ascii_digit()).parse().map_err(|_| "a number is missing".to_string())
    }
}

//! How prompts are cut into the calls that read them.
//!
//! A module has a function for chunks of some tokens, and may have a second one for long ones: weights are read once a
//! call, but a call costs all its tokens. Of what is left of a prompt as many long chunks are read as there are, then
//! short ones, of which the last may be partly empty.
//!
//! Worked example, chunks of 128 and 512: a prompt of 1,200 tokens is 512, 512, 128, and 48 tokens of a call for 128.

/// Tokens of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunks {
    pub short: usize,
    /// Of a long one: a multiple of a short one, and more.
    pub long: Option<usize>,
}

impl Chunks {
    pub fn of(short: usize) -> Chunks {
        Chunks { short, long: None }
    }

    /// The chunk that takes the first of so many tokens behind those that are `held`, of a call that may write all its
    /// rows; `None` where they go one by one.
    pub fn next(&self, left: usize, held: usize, context: usize) -> Option<usize> {
        let fits = |size: usize| held.saturating_add(size) <= context;
        let long = self.long.filter(|&long| left >= long && fits(long));
        long.or((left > 1 && fits(self.short)).then_some(self.short))
    }

    /// The whole chunks of a prompt that is read from its first token on, in their order.
    pub fn whole(&self, tokens: usize, context: usize) -> Vec<usize> {
        let (mut sizes, mut held) = (Vec::new(), 0);
        while let Some(size) = self.next(tokens - held, held, context).filter(|&size| held + size <= tokens) {
            sizes.push(size);
            held += size;
        }
        sizes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_chunks_come_first() {
        let both = Chunks { short: 4, long: Some(12) };
        for (tokens, context, wanted) in [
            (0, 64, &[][..]),
            (1, 64, &[]),
            (3, 64, &[]),
            (4, 64, &[4]),
            (11, 64, &[4, 4]),
            (12, 64, &[12]),
            (33, 64, &[12, 12, 4, 4]),
            // Behind the last chunk that fits, tokens go one by one.
            (14, 14, &[12]),
            (13, 11, &[4, 4]),
        ] {
            assert_eq!(both.whole(tokens, context), wanted, "{tokens} of {context}");
        }
        assert_eq!(Chunks::of(4).whole(33, 64), [4; 8]);
        assert_eq!((both.next(3, 0, 64), both.next(1, 0, 64), both.next(40, 60, 64)), (Some(4), None, Some(4)));
    }
}

//! The next token of logits: the likeliest one, or one drawn.
//!
//! Order, as in Hugging Face's `generate`: repetition penalty, temperature, top-k, top-p, min-p. The same logits, seed
//! and settings give the same tokens.

use fornax_runtime::Result;

use crate::errors::failed;

/// How tokens are chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct Sampling {
    /// Logits are divided by it; 0 takes the likeliest token.
    pub temperature: f32,
    /// Only so many of the likeliest; 0 for all.
    pub top_k: usize,
    /// Only the likeliest that together have this probability.
    pub top_p: f32,
    /// Only those with this part of the likeliest one's probability.
    pub min_p: f32,
    /// Logits of tokens that stand in the text are divided by it where above 0, multiplied below; 1 changes nothing.
    pub repetition_penalty: f32,
    pub seed: u64,
}

impl Default for Sampling {
    fn default() -> Self {
        Sampling { temperature: 0.0, top_k: 0, top_p: 1.0, min_p: 0.0, repetition_penalty: 1.0, seed: 0 }
    }
}

/// Chooses token after token.
pub struct Sampler {
    sampling: Sampling,
    random: u64,
}

impl Sampler {
    pub fn new(sampling: Sampling) -> Sampler {
        let random = sampling.seed;
        Sampler { sampling, random }
    }

    /// The next token. `logits`, one a token of the vocabulary, are changed; `seen` are the tokens of the text so far.
    ///
    /// # Errors
    /// FX1106 where no logit is a number.
    pub fn next(&mut self, logits: &mut [f32], seen: &[u32]) -> Result<u32> {
        self.penalize(logits, seen);
        if self.sampling.temperature <= 0.0 {
            return likeliest(logits);
        }
        let kept = self.kept(logits)?;
        let sum: f64 = kept.iter().map(|(_, p)| p).sum();
        let mut left = self.uniform() * sum;
        for &(token, probability) in &kept {
            left -= probability;
            if left < 0.0 {
                return Ok(token);
            }
        }
        kept.last().map(|&(token, _)| token).ok_or_else(no_token)
    }

    fn penalize(&self, logits: &mut [f32], seen: &[u32]) {
        let penalty = self.sampling.repetition_penalty;
        if penalty == 1.0 {
            return;
        }
        let mut seen = seen.to_vec();
        seen.sort_unstable();
        seen.dedup();
        for token in seen {
            if let Some(logit) = logits.get_mut(token as usize) {
                *logit = if *logit > 0.0 { *logit / penalty } else { *logit * penalty };
            }
        }
    }

    /// Tokens that may be drawn with their probabilities; they need not add up to one.
    fn kept(&self, logits: &[f32]) -> Result<Vec<(u32, f64)>> {
        let Sampling { temperature, top_k, top_p, min_p, .. } = self.sampling;
        let most = logits[likeliest(logits)? as usize];
        let power = |logit: f32| f64::from((logit - most) / temperature).exp();
        let mut all: Vec<(u32, f64)> =
            (0..).zip(logits).filter(|(_, logit)| !logit.is_nan()).map(|(n, &logit)| (n, power(logit))).collect();
        if top_k > 0 {
            order(&mut all, top_k);
            all.truncate(top_k);
        }
        if top_p < 1.0 {
            let wanted = all.iter().map(|(_, p)| p).sum::<f64>() * f64::from(top_p);
            let count = NUCLEI.iter().find_map(|&most| {
                order(&mut all, most);
                nucleus(all.get(..most)?, wanted)
            });
            let count = count.unwrap_or_else(|| {
                let whole = all.len();
                order(&mut all, whole);
                nucleus(&all, wanted).unwrap_or(whole)
            });
            all.truncate(count.max(1));
        }
        // The likeliest one's power is 1.
        all.retain(|&(_, power)| power >= f64::from(min_p));
        Ok(all)
    }

    /// From 0 up to 1, by SplitMix64.
    fn uniform(&mut self) -> f64 {
        /// Bits of an f64's mantissa.
        const BITS: u32 = 53;
        self.random = self.random.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^= z >> 31;
        (z >> (u64::BITS - BITS)) as f64 / (1u64 << BITS) as f64
    }
}

/// Top-p sorts so many of the likeliest tokens, then more, before it sorts all of them: they suffice as a rule.
const NUCLEI: &[usize] = &[64, 1024];

/// Brings the likeliest tokens to the front, in their order; of equal ones the first.
fn order(all: &mut [(u32, f64)], count: usize) {
    let before = |a: &(u32, f64), b: &(u32, f64)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
    if count < all.len() {
        all.select_nth_unstable_by(count, before);
    }
    let count = count.min(all.len());
    if let Some(front) = all.get_mut(..count) {
        front.sort_unstable_by(before);
    }
}

/// How many tokens, likeliest first, have this probability together; `None` where all of them have less.
fn nucleus(sorted: &[(u32, f64)], wanted: f64) -> Option<usize> {
    let mut so_far = 0.0;
    let enough = sorted.iter().position(|(_, p)| {
        so_far += p;
        so_far >= wanted
    });
    enough.map(|at| at + 1)
}

fn no_token() -> fornax_runtime::RuntimeError {
    failed("FX1106", "no logit is a number")
}

/// The token with the largest logit, the first of equal ones.
fn likeliest(logits: &[f32]) -> Result<u32> {
    let mut best: Option<(u32, f32)> = None;
    for (token, &logit) in (0..).zip(logits) {
        let is_better = best.is_none_or(|(_, most)| logit > most);
        if !logit.is_nan() && is_better {
            best = Some((token, logit));
        }
    }
    best.filter(|(_, most)| most.is_finite()).map(|(token, _)| token).ok_or_else(no_token)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draws(sampling: &Sampling, count: usize) -> Vec<u32> {
        let mut sampler = Sampler::new(sampling.clone());
        (0..count).map(|_| sampler.next(&mut [1.0, 3.0, 2.0, -1.0, 3.0], &[]).unwrap()).collect()
    }

    #[test]
    fn greedy_takes_the_first_of_the_likeliest() {
        assert_eq!(draws(&Sampling::default(), 2), [1, 1]);
        let error = Sampler::new(Sampling::default()).next(&mut [f32::NAN, f32::NAN], &[]).unwrap_err();
        assert_eq!(error.code(), "FX1106");
        assert_eq!(Sampler::new(Sampling::default()).next(&mut [f32::NAN, -9.0], &[]).unwrap(), 1);
    }

    #[test]
    fn the_same_seed_gives_the_same_tokens() {
        let warm = Sampling { temperature: 1.0, seed: 7, ..Sampling::default() };
        assert_eq!(draws(&warm, 50), draws(&warm, 50));
        assert_ne!(draws(&warm, 50), draws(&Sampling { seed: 8, ..warm }, 50));
    }

    #[test]
    fn frequencies_are_the_probabilities() {
        let warm = Sampling { temperature: 1.0, seed: 1, ..Sampling::default() };
        let drawn = draws(&warm, 20_000);
        let powers = [1f64, 3.0, 2.0, -1.0, 3.0].map(f64::exp);
        let sum: f64 = powers.iter().sum();
        for (token, power) in (0u32..).zip(powers) {
            let part = drawn.iter().filter(|&&t| t == token).count() as f64 / drawn.len() as f64;
            assert!((part - power / sum).abs() < 0.012, "{token}: {part} for {}", power / sum);
        }
    }

    #[test]
    fn filters_keep_the_likeliest() {
        let warm = Sampling { temperature: 1.0, ..Sampling::default() };
        let kept = |sampling: Sampling| {
            let mut tokens = draws(&sampling, 500);
            tokens.sort_unstable();
            tokens.dedup();
            tokens
        };
        assert_eq!(kept(Sampling { top_k: 3, ..warm.clone() }), [1, 2, 4]);
        assert_eq!(kept(Sampling { top_p: 0.5, ..warm.clone() }), [1, 4]);
        assert_eq!(kept(Sampling { min_p: 0.5, ..warm.clone() }), [1, 4]);
        assert_eq!(kept(Sampling { top_p: 0.0, ..warm.clone() }), [1]);
    }

    #[test]
    fn a_nucleus_is_found_among_many() {
        // Equal ones: the first half of them, whichever part of the tokens is sorted.
        for count in [10u32, 100, 3000] {
            let sampler = Sampler::new(Sampling { temperature: 1.0, top_p: 0.5, ..Sampling::default() });
            let kept = sampler.kept(&vec![1.0; count as usize]).unwrap();
            assert_eq!(
                kept.iter().map(|(token, _)| *token).collect::<Vec<u32>>(),
                (0..count / 2).collect::<Vec<u32>>()
            );
        }
        let falling: Vec<f32> = (0..5000).map(|n| (n * 7 % 5000) as f32 / -400.0).collect();
        let sampler = Sampler::new(Sampling { temperature: 1.0, top_p: 0.95, top_k: 3000, ..Sampling::default() });
        let kept = sampler.kept(&falling).unwrap();
        let mut all: Vec<f64> = falling.iter().map(|&logit| f64::from(logit).exp()).collect();
        all.sort_by(|a, b| b.total_cmp(a));
        let sum: f64 = all[..3000].iter().sum();
        let sums = all.iter().scan(0.0, |so_far, p| Some(std::mem::replace(so_far, *so_far + p)));
        assert_eq!(kept.len(), sums.take_while(|so_far| *so_far < 0.95f32 as f64 * sum).count());
    }

    #[test]
    fn tokens_of_the_text_are_penalized() {
        let sampling = Sampling { repetition_penalty: 2.0, ..Sampling::default() };
        let next = |seen: &[u32]| Sampler::new(sampling.clone()).next(&mut [1.0, 3.0, 2.5, -1.0], seen).unwrap();
        assert_eq!((next(&[]), next(&[1, 1]), next(&[1, 2])), (1, 2, 1));
    }
}

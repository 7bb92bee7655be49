//! The next token of logits: the likeliest one, or one drawn.
//!
//! Order, as in Hugging Face's `generate`: repetition penalty, temperature, top-k, top-p, min-p. The same logits, seed
//! and settings give the same tokens. A module's own functions choose the same, but for the rounding of sums.

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

/// How one token is chosen: here, or by a module's functions on its device.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    pub sampling: Sampling,
    /// From 0 up to 1, in steps that an f32 has; 0 for the likeliest token.
    pub uniform: f32,
    /// The tokens of the text so far, where they are penalized.
    pub seen: Vec<u32>,
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

    /// Choices depend on the tokens before.
    pub fn looks_back(&self) -> bool {
        self.sampling.repetition_penalty != 1.0
    }

    /// How the next token is chosen behind the tokens of a text.
    pub fn choice(&mut self, text: &[u32]) -> Choice {
        let uniform = if self.sampling.temperature > 0.0 { self.uniform() } else { 0.0 };
        let seen = if self.looks_back() { text.to_vec() } else { Vec::new() };
        Choice { sampling: self.sampling.clone(), uniform, seen }
    }

    /// From 0 up to 1, by SplitMix64.
    fn uniform(&mut self) -> f32 {
        /// Bits of an f32's mantissa.
        const BITS: u32 = 24;
        self.random = self.random.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^= z >> 31;
        (z >> (u64::BITS - BITS)) as f32 / (1u32 << BITS) as f32
    }
}

/// A token that may be drawn.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    token: u32,
    logit: f32,
    /// Its probability as a part of the likeliest one's.
    power: f32,
}

impl Choice {
    /// The likeliest token.
    pub fn likeliest() -> Choice {
        Choice { sampling: Sampling::default(), uniform: 0.0, seen: Vec::new() }
    }

    /// The token of logits, one a token of the vocabulary, which are changed.
    ///
    /// # Errors
    /// FX1106 where no logit is a number.
    pub fn token(&self, logits: &mut [f32]) -> Result<u32> {
        self.penalize(logits);
        if self.sampling.temperature <= 0.0 {
            return likeliest(logits);
        }
        let kept = self.kept(logits)?;
        let number = kept.iter().map(|one| f64::from(one.power)).sum::<f64>() * f64::from(self.uniform);
        let mut sum = 0.0;
        let past = kept.iter().find(|one| {
            sum += f64::from(one.power);
            sum > number
        });
        past.or(kept.last()).map(|one| one.token).ok_or_else(no_token)
    }

    fn penalize(&self, logits: &mut [f32]) {
        let penalty = self.sampling.repetition_penalty;
        let mut seen = self.seen.clone();
        seen.sort_unstable();
        seen.dedup();
        for token in seen {
            if let Some(logit) = logits.get_mut(token as usize) {
                *logit = if *logit > 0.0 { *logit / penalty } else { *logit * penalty };
            }
        }
    }

    /// Tokens that may be drawn, in their order. One that is as likely as the last that a filter keeps is kept too.
    fn kept(&self, logits: &[f32]) -> Result<Vec<Candidate>> {
        let Sampling { temperature, top_k, top_p, min_p, .. } = self.sampling;
        let most = logits[likeliest(logits)? as usize];
        let candidate =
            |(token, &logit): (u32, &f32)| Candidate { token, logit, power: ((logit - most) / temperature).exp() };
        let mut all: Vec<Candidate> = (0..).zip(logits).filter(|(_, l)| !l.is_nan()).map(candidate).collect();
        if top_k > 0 && top_k < all.len() {
            let mut sorted: Vec<f32> = all.iter().map(|one| one.logit).collect();
            let (_, &mut least, _) = sorted.select_nth_unstable_by(top_k - 1, |a, b| b.total_cmp(a));
            all.retain(|one| one.logit.total_cmp(&least).is_ge());
        }
        if top_p < 1.0 {
            let wanted = all.iter().map(|one| f64::from(one.power)).sum::<f64>() * f64::from(top_p);
            let mut sorted = all.clone();
            let least = NUCLEI.iter().find_map(|&most| {
                order(&mut sorted, most);
                nucleus(sorted.get(..most)?, wanted)
            });
            let least = least.or_else(|| {
                let whole = sorted.len();
                order(&mut sorted, whole);
                nucleus(&sorted, wanted)
            });
            all.retain(|one| least.is_none_or(|least| one.logit.total_cmp(&least).is_ge()));
        }
        // The likeliest one's power is 1.
        all.retain(|one| one.power >= min_p && one.power > 0.0);
        Ok(all)
    }
}

/// Top-p sorts so many of the likeliest tokens, then more, before it sorts all of them: they suffice as a rule.
const NUCLEI: &[usize] = &[64, 1024];

/// Brings the likeliest tokens to the front, in their order.
fn order(all: &mut [Candidate], count: usize) {
    let before = |a: &Candidate, b: &Candidate| b.logit.total_cmp(&a.logit);
    if count < all.len() {
        all.select_nth_unstable_by(count, before);
    }
    let count = count.min(all.len());
    if let Some(front) = all.get_mut(..count) {
        front.sort_unstable_by(before);
    }
}

/// The logit of the last of those tokens that have this probability together, likeliest first; `None` where all of them
/// have less.
fn nucleus(sorted: &[Candidate], wanted: f64) -> Option<f32> {
    let mut so_far = 0.0;
    let enough = sorted.iter().find(|one| {
        so_far += f64::from(one.power);
        so_far >= wanted
    });
    enough.map(|one| one.logit)
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
        (0..count).map(|_| sampler.choice(&[]).token(&mut [1.0, 3.0, 2.0, -1.0, 3.0]).unwrap()).collect()
    }

    #[test]
    fn greedy_takes_the_first_of_the_likeliest() {
        assert_eq!(draws(&Sampling::default(), 2), [1, 1]);
        let error = Choice::likeliest().token(&mut [f32::NAN, f32::NAN]).unwrap_err();
        assert_eq!(error.code(), "FX1106");
        assert_eq!(Choice::likeliest().token(&mut [f32::NAN, -9.0]).unwrap(), 1);
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
        // As likely as the last one.
        assert_eq!(kept(Sampling { top_k: 1, ..warm.clone() }), [1, 4]);
        assert_eq!(kept(Sampling { top_p: 0.5, ..warm.clone() }), [1, 4]);
        assert_eq!(kept(Sampling { min_p: 0.5, ..warm.clone() }), [1, 4]);
        assert_eq!(kept(Sampling { top_p: 0.0, ..warm.clone() }), [1, 4]);
    }

    #[test]
    fn a_nucleus_is_found_among_many() {
        let kept = |logits: &[f32], top_k: usize, top_p: f32| {
            let sampling = Sampling { temperature: 1.0, top_p, top_k, ..Sampling::default() };
            Choice { sampling, ..Choice::likeliest() }.kept(logits).unwrap().len()
        };
        for count in [10, 100, 3000] {
            assert_eq!(kept(&vec![1.0; count], 0, 0.5), count, "equal ones");
        }
        let falling: Vec<f32> = (0..5000).map(|n| (n * 7 % 5000) as f32 / -400.0).collect();
        let mut all: Vec<f64> = falling.iter().map(|&logit| f64::from(logit).exp()).collect();
        all.sort_by(|a, b| b.total_cmp(a));
        for top_p in [0.01f32, 0.5, 0.95] {
            let sum: f64 = all[..3000].iter().sum();
            let sums = all.iter().scan(0.0, |so_far, p| Some(std::mem::replace(so_far, *so_far + p)));
            let count = sums.take_while(|so_far| *so_far < f64::from(top_p) * sum).count();
            assert_eq!(kept(&falling, 3000, top_p), count, "{top_p}");
        }
    }

    #[test]
    fn tokens_of_the_text_are_penalized() {
        let sampling = Sampling { repetition_penalty: 2.0, ..Sampling::default() };
        let next =
            |seen: &[u32]| Sampler::new(sampling.clone()).choice(seen).token(&mut [1.0, 3.0, 2.5, -1.0]).unwrap();
        assert_eq!((next(&[]), next(&[1, 1]), next(&[1, 2])), (1, 2, 1));
    }
}

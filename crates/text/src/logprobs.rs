//! How likely tokens were to the model: logarithms of the probabilities that its logits give, before temperature,
//! penalties and filters.

/// A token that was chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct Chosen {
    pub token: u32,
    /// Natural logarithm of its probability.
    pub logprob: f32,
    /// The likeliest tokens, likeliest first, with theirs.
    pub top: Vec<(u32, f32)>,
}

/// What the logits of one step say of all tokens.
pub struct Logprobs {
    logits: Vec<f32>,
    /// Logarithm of the sum of the exponentials.
    sum: f64,
}

impl Logprobs {
    pub fn new(logits: &[f32]) -> Logprobs {
        let most = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let powers = logits.iter().filter(|logit| !logit.is_nan()).map(|logit| f64::from(logit - most).exp());
        Logprobs { logits: logits.to_vec(), sum: f64::from(most) + powers.sum::<f64>().ln() }
    }

    fn of(&self, token: u32) -> f32 {
        self.logits.get(token as usize).map_or(f32::NEG_INFINITY, |logit| (f64::from(*logit) - self.sum) as f32)
    }

    /// A token with the `count` likeliest; of equal ones the first.
    pub fn chosen(&self, token: u32, count: usize) -> Chosen {
        let mut all: Vec<u32> = (0..).zip(&self.logits).filter(|(_, l)| !l.is_nan()).map(|(at, _)| at).collect();
        let before = |a: &u32, b: &u32| self.of(*b).total_cmp(&self.of(*a)).then(a.cmp(b));
        let count = count.min(all.len());
        if count > 0 && count < all.len() {
            all.select_nth_unstable_by(count, before);
        }
        all.truncate(count);
        all.sort_unstable_by(before);
        Chosen { token, logprob: self.of(token), top: all.into_iter().map(|token| (token, self.of(token))).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_add_up_to_one() {
        let found = Logprobs::new(&[1.0, 3.0, f32::NAN, 3.0, f32::NEG_INFINITY, -200.0]).chosen(0, 9);
        let sum: f32 = found.top.iter().map(|(_, logprob)| logprob.exp()).sum();
        assert!((sum - 1.0).abs() < 1e-6, "{found:?}");
        assert_eq!(found.top.iter().map(|(token, _)| *token).collect::<Vec<u32>>(), [1, 3, 0, 5, 4]);
        assert!((found.logprob - (found.top[0].1 - 2.0)).abs() < 1e-6);
        let two = Logprobs::new(&[1.0, 3.0, 2.0]).chosen(2, 2);
        assert_eq!((two.token, two.top.len(), two.top[1].0, two.top[1].1), (2, 2, 2, two.logprob));
        assert!(Logprobs::new(&[0.0; 4]).chosen(3, 0).top.is_empty());
        assert!((Logprobs::new(&[7.0; 4]).chosen(3, 0).logprob + 4f32.ln()).abs() < 1e-6);
    }
}

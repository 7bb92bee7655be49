//! What a decoder-only transformer is, apart from its weights: sizes, and which of the known variations it has.

use super::names::Role;

/// A decoder.
#[derive(Clone, Debug, PartialEq)]
pub struct Decoder {
    pub layers: Vec<Layer>,
    /// Elements of a token's vector.
    pub width: u64,
    pub heads: u64,
    /// Heads of keys and values, each shared by `heads / kv_heads` query heads.
    pub kv_heads: u64,
    /// Elements of a head.
    pub head_width: u64,
    /// Elements between the two products of the feed-forward part.
    pub feed_forward: u64,
    pub vocabulary: u64,
    /// Tokens that the model was trained on at a time.
    pub context: u64,
    /// What a token's vector is multiplied by before the first layer.
    pub embedding_scale: Option<f64>,
    pub norm: Norm,
    pub norm_places: NormPlaces,
    pub qk_norm: QkNorm,
    /// A vector of each position is added to the token's.
    pub learned_positions: bool,
    /// What products of queries and keys are multiplied by.
    pub score_scale: f64,
    /// Scores `s` become `cap · tanh(s / cap)`.
    pub score_softcap: Option<f64>,
    /// The same for logits.
    pub logit_softcap: Option<f64>,
    pub activation: Activation,
    /// The feed-forward part multiplies the activation by a second product.
    pub has_gate: bool,
    pub layout: Layout,
}

/// How one layer differs from others.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layer {
    /// Tokens that a token sees, itself included; `None` for all before it.
    pub window: Option<u64>,
    /// Rotary embedding of queries and keys.
    pub rotation: Option<Rotation>,
    /// The feed-forward part is a mixture of experts.
    pub experts: Option<Experts>,
}

/// A mixture of experts: each token goes through those that its router scores highest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Experts {
    pub count: u64,
    /// Experts of a token.
    pub used: u64,
    /// Elements between the two products of an expert.
    pub width: u64,
    /// The weights of a token's experts are divided by their sum.
    pub normed: bool,
    /// The same elements of an expert that all tokens go through.
    pub shared: Option<u64>,
}

/// A norm of a vector `x`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Norm {
    pub kind: NormKind,
    /// Added to the mean square.
    pub epsilon: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NormKind {
    /// `x / √(mean x² + ε) · w`.
    Rms,
    /// The same with `1 + w` (Gemma).
    RmsFromOne,
    /// `(x − mean) / √(variance + ε) · w + b`.
    Mean,
}

/// Where a layer's two parts have norms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NormPlaces {
    Before,
    After,
    Both,
}

impl NormPlaces {
    pub fn before(self) -> bool {
        self != NormPlaces::After
    }

    pub fn after(self) -> bool {
        self != NormPlaces::Before
    }
}

/// Norms of queries and keys (QK-norm), before the rotary embedding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QkNorm {
    None,
    /// Of each head.
    Head,
    /// Of all heads as one vector.
    Whole,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activation {
    /// `x / (1 + e^−x)`.
    Silu,
    /// `x/2 · (1 + tanh(√(2/π) · (x + 0.044715 x³)))`.
    GeluTanh,
    /// `x/2 · (1 + erf(x/√2))`.
    Gelu,
    /// `max(x, 0)`.
    Relu,
}

/// How matrices lie in the checkpoint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// Queries, keys and values are one matrix.
    pub fused_qkv: bool,
    /// The gate and what it is multiplied by are one matrix.
    pub fused_gate_up: bool,
    /// Matrices of layers are `[in, out]` instead of `[out, in]`.
    pub inputs_first: bool,
}

/// Rotary embedding: pair `n` of a head rotates by `position * base^(-2n / width) / factors[n]`, and is multiplied by
/// `magnitude` (`attention_factor` of LongRoPE and YaRN).
#[derive(Clone, Debug, PartialEq)]
pub struct Rotation {
    pub base: f64,
    pub magnitude: f64,
    /// Elements of a head that rotate, the first ones.
    pub width: u64,
    pub pairs: Pairs,
    pub scaling: Scaling,
}

/// Which elements of a head rotate together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pairs {
    /// 0 and 1, 2 and 3, …
    Neighbours,
    /// 0 and width / 2, 1 and width / 2 + 1, …
    Halves,
}

/// How frequencies differ from those of the base.
#[derive(Clone, Debug, PartialEq)]
pub enum Scaling {
    None,
    /// All are divided.
    Linear(f64),
    /// Those of long waves are divided by `factor`, those of short ones stay, with a ramp between (Llama 3).
    Llama3 {
        factor: f64,
        /// Waves of fewer than this part of `trained` are long: `trained / low`.
        low: f64,
        /// `trained / high`: waves below are short.
        high: f64,
        /// Tokens that the model was first trained on.
        trained: f64,
    },
    /// YaRN: pairs up to `low` stay, those from `high` on are divided by `factor`, with a ramp between. Source: Peng et
    /// al., arXiv 2309.00071.
    Yarn {
        factor: f64,
        low: f64,
        high: f64,
    },
    /// Divided by factors of each pair.
    Factors(Factors),
    /// LongRoPE: by one list of factors where texts have no more than `trained` tokens, else by the other. Source: Ding
    /// et al., arXiv 2402.13753.
    Long {
        short: Factors,
        long: Factors,
        trained: u64,
    },
}

/// Factors of each pair.
#[derive(Clone, Debug, PartialEq)]
pub enum Factors {
    Numbers(Vec<f64>),
    Tensor(Role),
}

impl Rotation {
    /// Angle by which each pair rotates from one position to the next, radians; without [`Rotation::factors`].
    pub fn frequencies(&self) -> Vec<f64> {
        let pair = |n: u64| self.base.powf(-((2 * n) as f64) / self.width as f64);
        (0..self.width / 2).map(|n| self.scaling.scaled(n, pair(n))).collect()
    }

    /// What frequencies are divided by for texts of at most `context` tokens.
    pub fn factors(&self, context: u64) -> Option<&Factors> {
        match &self.scaling {
            Scaling::Factors(factors) => Some(factors),
            Scaling::Long { short, trained, .. } if context <= *trained => Some(short),
            Scaling::Long { long, .. } => Some(long),
            Scaling::None | Scaling::Linear(_) | Scaling::Llama3 { .. } | Scaling::Yarn { .. } => None,
        }
    }
}

impl Scaling {
    /// The frequency of a pair.
    fn scaled(&self, pair: u64, frequency: f64) -> f64 {
        match *self {
            Scaling::None | Scaling::Factors(_) | Scaling::Long { .. } => frequency,
            Scaling::Linear(factor) => frequency / factor,
            Scaling::Llama3 { factor, low, high, trained } => {
                let wave = 2.0 * std::f64::consts::PI / frequency;
                if wave < trained / high {
                    frequency
                } else if wave > trained / low {
                    frequency / factor
                } else {
                    let smooth = (trained / wave - low) / (high - low);
                    (1.0 - smooth) * frequency / factor + smooth * frequency
                }
            }
            Scaling::Yarn { factor, low, high } => {
                let ramp = ((pair as f64 - low) / (high - low)).clamp(0.0, 1.0);
                ramp * frequency / factor + (1.0 - ramp) * frequency
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn llama_3_divides_long_waves_only() {
        let scaling = Scaling::Llama3 { factor: 8.0, low: 1.0, high: 4.0, trained: 8192.0 };
        let rotation = Rotation { base: 500_000.0, magnitude: 1.0, width: 128, pairs: Pairs::Halves, scaling };
        let plain = Rotation { scaling: Scaling::None, ..rotation.clone() };
        let (scaled, plain) = (rotation.frequencies(), plain.frequencies());
        assert_eq!((scaled.len(), scaled[0]), (64, 1.0));
        assert!((plain[63] / scaled[63] - 8.0).abs() < 1e-12);
        assert!(scaled.iter().zip(&plain).all(|(s, p)| s <= p && *s >= p / 8.0));
    }

    #[test]
    fn yarn_divides_behind_its_ramp() {
        let scaling = Scaling::Yarn { factor: 4.0, low: 2.0, high: 4.0 };
        let rotation = Rotation { base: 500.0, magnitude: 1.0, width: 12, pairs: Pairs::Halves, scaling };
        let plain = Rotation { scaling: Scaling::None, ..rotation.clone() }.frequencies();
        let parts = rotation.frequencies().into_iter().zip(plain).map(|(scaled, plain)| scaled / plain);
        // Pair 3 is half divided: (1 + 1 / 4) / 2.
        let wanted = [1.0, 1.0, 1.0, 0.625, 0.25, 0.25];
        assert!(parts.zip(wanted).all(|(found, wanted)| (found - wanted).abs() < 1e-12));
    }
}

//! A folder as a GGUF file has it: keys, names of tensors, and what llama.cpp's converter changes in some of them.
//!
//! | tensors | change |
//! | --- | --- |
//! | queries and keys of Llama | rows of each head from halves to neighbours, as it rotates them |
//! | norms of Gemma | plus one |
//! | matrices of GPT-2's layers | transposed |
//! | experts | one tensor for all of a layer |
//! | factors of the rotary embedding | tensors of their own |
//!
//! What GGUF has no key for would be lost: the keys are read back, and must say the same model.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

use fornax_checkpoint::blocks::Kind;
use fornax_checkpoint::convert::{Change, Conversion, Source};
use fornax_checkpoint::gguf::{Entry, Gguf, Value};
use fornax_checkpoint::stacks;
use fornax_types::ElementType;

use super::architectures::{self, Architecture};
use super::decoder::{Decoder, Experts, Factors, NormKind, Scaling};
use super::names::{Naming, Role};
use super::quantized::ActivationType;
use super::source::Checkpoint;
use crate::Diagnostic;

/// Architectures, as GGUF calls them, whose heads rotate neighbours there.
const NEIGHBOURS: &[&str] = &["llama"];
/// Architectures with other keys.
const LEARNED_POSITIONS: &str = "gpt2";

/// A folder of floats as GGUF has it, without words.
///
/// # Errors
/// FX1001 to FX1003 for broken files, FX1011 to FX1018 for what is no model of floats that GGUF can say.
pub fn conversion(path: &Path) -> Result<Conversion, Box<Diagnostic>> {
    let checkpoint = Checkpoint::open(path)?;
    let architecture = architectures::find(&checkpoint, std::iter::empty())?;
    let checkpoint = checkpoint.rename(architecture.renamed).with_format(ActivationType::AsStored)?;
    if checkpoint.quantized().is_some() {
        return Err(checkpoint.failed("FX1018", "the checkpoint is quantised already"));
    }
    let decoder = (architecture.describe)(&checkpoint)?;
    let name = architecture.gguf_name();
    let (mut tensors, mut taken) = (Vec::new(), BTreeSet::new());
    // A name that the architecture gives to a role is that of no other.
    let is_renamed = |role: &&Role| architecture.renamed.iter().any(|row| row.0 == **role);
    let (first, others): (Vec<&Role>, Vec<&Role>) = Role::all().iter().partition(is_renamed);
    for &role in first.into_iter().chain(others) {
        let own = role.name(Naming::Gguf, architecture.renamed, 0);
        let layers = if own.contains("blk.") { decoder.layers.len() as u64 } else { 1 };
        for layer in 0..layers {
            let Some((found, stored)) = checkpoint.found(role, layer).filter(|_| !own.is_empty()) else { continue };
            if !taken.insert(found.clone()) {
                continue;
            }
            let place = checkpoint.place(&found).zip(stored.kind.element);
            let Some((place, element)) = place else { continue };
            checkpoint.note_used(&found, &stored, None);
            let change = change(&decoder, name, role, stored.shape.len());
            // GGUF has a vector of what is a matrix of one row.
            let shape = match stored.shape.as_slice() {
                &[1, width] if role == Role::SharedScale => vec![width],
                _ => stored.shape,
            };
            let name = role.name(Naming::Gguf, architecture.renamed, layer);
            tensors.push(Source { name, pieces: vec![place.clone()], element, change, shape });
        }
    }
    for (at, layer) in (0..).zip(&decoder.layers) {
        if let Some(of_layer) = &layer.experts {
            tensors.extend(experts(&checkpoint, (decoder.width, of_layer), at)?);
        }
    }
    checkpoint.check_all_used(&[])?;
    let made = factors(&decoder);
    let mut converted = Conversion { values: keys(&decoder, name), tensors, made };
    let same = check_same(&checkpoint, architecture, (&decoder, &converted));
    let Some(experts) = decoder.layers.iter().find_map(|layer| layer.experts).filter(|_| same.is_err()) else {
        return same.map(|()| converted);
    };
    // Said where it is not what the architecture says.
    converted.values.insert(format!("{name}.expert_weights_norm"), Value::Bool(experts.normed));
    check_same(&checkpoint, architecture, (&decoder, &converted))?;
    Ok(converted)
}

/// The matrices of a layer's experts, each of all of them. A folder has a tensor for each expert, or, of later writers,
/// one for all, with gates and what they are multiplied by one behind the other.
fn experts(
    checkpoint: &Checkpoint,
    (hidden, experts): (u64, &Experts),
    layer: u64,
) -> Result<Vec<Source>, Box<Diagnostic>> {
    let Experts { count, width, .. } = *experts;
    let mut tensors = Vec::new();
    let mut put = |role: Role, (found, shape): (Role, [u64; 3]), half: Option<u64>| -> Result<(), Box<Diagnostic>> {
        let (name, stored) = checkpoint.tensor(found, layer, &shape)?;
        let parts: Vec<String> = match stacks::is_stack(&name) {
            true => (0..count).map(|number| stacks::part(&name, number)).collect(),
            false => vec![name],
        };
        let mut pieces: Vec<(PathBuf, Range<u64>)> =
            parts.iter().filter_map(|name| checkpoint.place(name)).cloned().collect();
        if let Some(half) = half {
            pieces = pieces.iter().flat_map(|piece| halves(piece, count, half)).collect();
        }
        let shape = vec![count, if half.is_some() { width } else { shape[1] }, shape[2]];
        if let Some(element) = stored.kind.element {
            let name = role.name(Naming::Gguf, &[], layer);
            tensors.push(Source { name, pieces, element, shape, change: Change::None });
        }
        Ok(())
    };
    let (into, back) = ([count, width, hidden], [count, hidden, width]);
    if checkpoint.holds(Role::ExpertGateUpStack, layer) {
        let both = (Role::ExpertGateUpStack, [count, 2 * width, hidden]);
        put(Role::ExpertGates, both, Some(0))?;
        put(Role::ExpertUps, both, Some(1))?;
        put(Role::ExpertDowns, (Role::ExpertDownStack, back), None)?;
    } else {
        put(Role::ExpertGates, (Role::ExpertGates, into), None)?;
        put(Role::ExpertUps, (Role::ExpertUps, into), None)?;
        put(Role::ExpertDowns, (Role::ExpertDowns, back), None)?;
    }
    Ok(tensors)
}

/// The first or second half of each of `count` matrices that lie behind each other.
fn halves((path, range): &(PathBuf, Range<u64>), count: u64, half: u64) -> impl Iterator<Item = (PathBuf, Range<u64>)> {
    let (path, start) = (path.clone(), range.start);
    let bytes = (range.end - range.start) / (2 * count).max(1);
    (0..count).map(move |number| {
        let from = start + (2 * number + half) * bytes;
        (path.clone(), from..from + bytes)
    })
}

fn change(decoder: &Decoder, architecture: &str, role: Role, rank: usize) -> Change {
    let turns = NEIGHBOURS.contains(&architecture);
    match role {
        Role::Query | Role::QueryBias if turns => Change::Neighbours(decoder.heads),
        Role::Key | Role::KeyBias if turns => Change::Neighbours(decoder.kv_heads),
        role if role.is_norm() && decoder.norm.kind == NormKind::RmsFromOne => Change::Plus(1.0),
        role if decoder.layout.inputs_first && rank == 2 && role.is_of_layer() => Change::Transposed,
        _ => Change::None,
    }
}

/// Tensors that only GGUF has.
fn factors(decoder: &Decoder) -> Vec<(String, Vec<f32>)> {
    let rotation = decoder.layers.first().and_then(|layer| layer.rotation.as_ref());
    let name = |role: Role| role.name(Naming::Gguf, &[], 0);
    let numbers = |factors: &Factors| match factors {
        Factors::Numbers(numbers) => numbers.iter().map(|&number| number as f32).collect(),
        Factors::Tensor(_) => Vec::new(),
    };
    let Some(rotation) = rotation else { return Vec::new() };
    let all = match &rotation.scaling {
        Scaling::Llama3 { .. } | Scaling::Yarn { .. } => {
            let plain = |n: u64| rotation.base.powf(-((2 * n) as f64) / rotation.width as f64);
            let scaled = rotation.frequencies().into_iter().zip(0..);
            let factors = scaled.map(|(frequency, n)| (plain(n) / frequency) as f32).collect();
            vec![(name(Role::RotationFactors), factors)]
        }
        Scaling::Factors(factors) => vec![(name(Role::RotationFactors), numbers(factors))],
        Scaling::Long { short, long, .. } => {
            vec![(name(Role::LongFactors), numbers(long)), (name(Role::ShortFactors), numbers(short))]
        }
        Scaling::None | Scaling::Linear(_) => Vec::new(),
    };
    // Those of a tensor are among the tensors.
    all.into_iter().filter(|(_, numbers)| !numbers.is_empty()).collect()
}

fn keys(decoder: &Decoder, architecture: &str) -> BTreeMap<String, Value> {
    let mut values = BTreeMap::from([("general.architecture".into(), Value::String(architecture.into()))]);
    let mut put = |key: &str, value: Value| {
        values.insert(format!("{architecture}.{key}"), value);
    };
    let float = |number: f64| Value::Float(f64::from(number as f32));
    put("block_count", Value::Unsigned(decoder.layers.len() as u64));
    for (key, number) in [
        ("context_length", decoder.context),
        ("embedding_length", decoder.width),
        ("feed_forward_length", decoder.feed_forward),
        ("attention.head_count", decoder.heads),
        ("vocab_size", decoder.vocabulary),
    ] {
        put(key, Value::Unsigned(number));
    }
    if architecture == LEARNED_POSITIONS {
        put("attention.layer_norm_epsilon", float(decoder.norm.epsilon));
        return values;
    }
    put("attention.layer_norm_rms_epsilon", float(decoder.norm.epsilon));
    if let Some(experts) = decoder.layers.iter().find_map(|layer| layer.experts) {
        put("expert_count", Value::Unsigned(experts.count));
        put("expert_used_count", Value::Unsigned(experts.used));
        if experts.width != decoder.feed_forward {
            put("expert_feed_forward_length", Value::Unsigned(experts.width));
        }
        if let Some(width) = experts.shared {
            put("expert_shared_feed_forward_length", Value::Unsigned(width));
        }
    }
    put("attention.head_count_kv", Value::Unsigned(decoder.kv_heads));
    put("attention.key_length", Value::Unsigned(decoder.head_width));
    put("attention.value_length", Value::Unsigned(decoder.head_width));
    for (key, cap) in
        [("attn_logit_softcapping", decoder.score_softcap), ("final_logit_softcapping", decoder.logit_softcap)]
    {
        if let Some(cap) = cap {
            put(key, float(cap));
        }
    }
    if let Some(window) = decoder.layers.iter().find_map(|layer| layer.window) {
        put("attention.sliding_window", Value::Unsigned(window));
    }
    // Layers without a window have the model's own rotation.
    let wide = decoder.layers.iter().find(|layer| layer.window.is_none()).or(decoder.layers.first());
    if let Some(rotation) = wide.and_then(|layer| layer.rotation.as_ref()) {
        put("rope.freq_base", float(rotation.base));
        put("rope.dimension_count", Value::Unsigned(rotation.width));
        match rotation.scaling {
            Scaling::Linear(factor) => {
                put("rope.scaling.type", Value::String("linear".into()));
                put("rope.scaling.factor", float(factor));
            }
            Scaling::Long { trained, .. } => {
                put("rope.scaling.original_context_length", Value::Unsigned(trained));
                put("rope.scaling.attn_factor", float(rotation.magnitude));
            }
            Scaling::None | Scaling::Llama3 { .. } | Scaling::Yarn { .. } | Scaling::Factors(_) => {}
        }
    }
    values
}

/// # Errors
/// FX1018 where a reader of the keys would see another model.
fn check_same(
    checkpoint: &Checkpoint,
    architecture: &Architecture,
    (decoder, converted): (&Decoder, &Conversion),
) -> Result<(), Box<Diagnostic>> {
    let of_file = converted.tensors.iter().filter_map(|tensor| {
        let kind = Kind::of_element(tensor.element)?;
        Some(Entry { name: tensor.name.clone(), kind, shape: tensor.written(), range: 0..0 })
    });
    let made = converted.made.iter().filter_map(|(name, numbers)| {
        let kind = Kind::of_element(ElementType::F32)?;
        Some(Entry { name: name.clone(), kind, shape: vec![numbers.len() as u64], range: 0..0 })
    });
    let file = Gguf { values: converted.values.clone(), entries: of_file.chain(made).collect() };
    let back = Checkpoint::of_gguf("the keys of GGUF".into(), file).rename(architecture.renamed);
    let found = (architecture.describe)(&back)?;
    let (wanted, found) = (comparable(decoder), comparable(&found));
    if wanted == found {
        return Ok(());
    }
    let (wanted, found) = (format!("{wanted:?}"), format!("{found:?}"));
    let at = wanted.chars().zip(found.chars()).take_while(|(a, b)| a == b).count();
    let near: String = wanted.chars().skip(at.saturating_sub(40)).take(80).collect();
    let what = format!("GGUF has no keys for a setting of this {}: …{near}…", architecture.gguf_name());
    Err(checkpoint.failed("FX1018", what))
}

/// A decoder without what differs between folders and files by right, numbers as f32.
fn comparable(decoder: &Decoder) -> Decoder {
    let mut same = decoder.clone();
    let round = |number: &mut f64| *number = f64::from(*number as f32);
    same.norm.kind = if same.norm.kind == NormKind::RmsFromOne { NormKind::Rms } else { same.norm.kind };
    same.layout.inputs_first = false;
    for number in [&mut same.norm.epsilon, &mut same.score_scale] {
        round(number);
    }
    for number in [&mut same.embedding_scale, &mut same.score_softcap, &mut same.logit_softcap] {
        number.iter_mut().for_each(round);
    }
    for rotation in same.layers.iter_mut().filter_map(|layer| layer.rotation.as_mut()) {
        rotation.pairs = super::decoder::Pairs::Halves;
        round(&mut rotation.base);
        round(&mut rotation.magnitude);
        match &mut rotation.scaling {
            Scaling::Linear(factor) => round(factor),
            Scaling::Long { short, long, .. } => {
                *short = Factors::Tensor(Role::ShortFactors);
                *long = Factors::Tensor(Role::LongFactors);
            }
            scaling @ (Scaling::Llama3 { .. } | Scaling::Yarn { .. } | Scaling::Factors(_)) => {
                *scaling = Scaling::Factors(Factors::Tensor(Role::RotationFactors));
            }
            Scaling::None => {}
        }
    }
    same
}

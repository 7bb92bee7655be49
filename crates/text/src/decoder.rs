//! A module with the functions `prefill` and `decode`, and its caches on the device.
//!
//! ```text
//! prefill(tokens [chunk] i32, position i32, count i32, caches…) -> logits [1, vocabulary] f32, caches…
//! decode(tokens [1] i32, position i32, caches…)                 -> logits [1, vocabulary] f32, caches…
//! ```
//! Any module with these functions will do, whoever exported it; `docs/use/from-checkpoint.md` says what they compute.

use fornax_module::manifest::{DimSig, FunctionSignature, TensorSignature};
use fornax_runtime::{DeviceTensor, ElementType, Result, RuntimeError, Session, Tensor, TensorType};

use crate::errors::failed;

const PREFILL: &str = "prefill";
const DECODE: &str = "decode";
/// Inputs before the caches: tokens, position, and for `prefill` how many tokens count.
const PREFILL_INPUTS: usize = 3;
const DECODE_INPUTS: usize = 2;

/// A language model on a device, somewhere in a text.
pub struct Decoder {
    session: Session,
    caches: Vec<DeviceTensor>,
    cache_types: Vec<TensorType>,
    /// Tokens in the caches.
    position: usize,
    chunk: usize,
    context: usize,
    vocabulary: usize,
}

fn not_a_model(why: impl Into<String>) -> RuntimeError {
    failed("FX1104", format!("the module is no language model: {}", why.into()))
}

/// Sizes and element type, where all are known.
fn ty(tensor: &TensorSignature) -> Option<TensorType> {
    let size = |dim: &DimSig| match dim {
        DimSig::Static(size) => Some(*size),
        DimSig::Symbolic { .. } | DimSig::Computed { .. } => None,
    };
    let shape: Option<Vec<u64>> = tensor.shape.iter().map(size).collect();
    Some(TensorType::new(ElementType::parse(&tensor.element_type)?, shape?))
}

fn types(tensors: &[TensorSignature], function: &str) -> Result<Vec<TensorType>> {
    let all: Option<Vec<TensorType>> = tensors.iter().map(ty).collect();
    all.ok_or_else(|| not_a_model(format!("@{function} has sizes that only a run knows")))
}

/// What a function's types say: tokens of a call, vocabulary, types of the caches.
fn checked(function: &FunctionSignature, before: usize) -> Result<(usize, usize, Vec<TensorType>)> {
    let name = &function.name;
    let (inputs, outputs) = (types(&function.inputs, name)?, types(&function.outputs, name)?);
    let is = |ty: &TensorType, element: ElementType, rank: usize| ty.element_type == element && ty.shape.len() == rank;
    let tokens = inputs.first().filter(|ty| is(ty, ElementType::I32, 1));
    let tokens = tokens.ok_or_else(|| not_a_model(format!("@{name} takes no tokens (i32, one size) first")))?;
    let scalars = inputs.get(1..before).unwrap_or_default();
    if scalars.len() + 1 != before || !scalars.iter().all(|ty| is(ty, ElementType::I32, 0)) {
        return Err(not_a_model(format!("@{name} does not take {} scalar(s) i32 behind its tokens", before - 1)));
    }
    let logits = outputs.first().filter(|ty| is(ty, ElementType::F32, 2) && ty.shape.first() == Some(&1));
    let logits = logits.ok_or_else(|| not_a_model(format!("@{name} gives no logits 1xNxf32 first")))?;
    let caches = inputs.get(before..).unwrap_or_default();
    if outputs.get(1..) != Some(caches) {
        return Err(not_a_model(format!("@{name} does not give the caches that it takes, in their order")));
    }
    let size = |size: Option<&u64>| size.and_then(|&size| usize::try_from(size).ok()).unwrap_or(0);
    Ok((size(tokens.shape.first()), size(logits.shape.last()), caches.to_vec()))
}

impl Decoder {
    /// A model with empty caches.
    ///
    /// # Errors
    /// FX1104 for modules with other functions, FX0706 where the caches do not fit.
    pub fn new(session: Session) -> Result<Decoder> {
        let find =
            |name: &str| session.function(Some(name)).map_err(|_| not_a_model(format!("it has no function @{name}")));
        let (chunk, vocabulary, cache_types) = checked(find(PREFILL)?, PREFILL_INPUTS)?;
        let (one, same_vocabulary, same_caches) = checked(find(DECODE)?, DECODE_INPUTS)?;
        if one != 1 || same_vocabulary != vocabulary || same_caches != cache_types {
            return Err(not_a_model("@decode must take one token, and the caches of @prefill"));
        }
        let rows = |ty: &TensorType| ty.shape.iter().rev().nth(1).copied();
        let context = cache_types.first().and_then(rows).and_then(|rows| usize::try_from(rows).ok());
        let context = context.ok_or_else(|| not_a_model("it has no caches [heads, context, width]"))?;
        if chunk == 0 || chunk > context {
            return Err(not_a_model(format!("chunks of {chunk} tokens, caches of {context} rows")));
        }
        let mut decoder = Decoder { session, caches: Vec::new(), cache_types, position: 0, chunk, context, vocabulary };
        decoder.clear()?;
        Ok(decoder)
    }

    /// Forgets the text.
    pub fn clear(&mut self) -> Result<()> {
        self.position = 0;
        self.caches.clear();
        for ty in &self.cache_types {
            self.caches.push(Tensor::zeros(ty.clone())?.to_device(self.session.device())?);
        }
        Ok(())
    }

    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Tokens in the caches.
    pub fn position(&self) -> usize {
        self.position
    }

    /// Tokens that the caches can hold.
    pub fn context(&self) -> usize {
        self.context
    }

    pub fn vocabulary(&self) -> usize {
        self.vocabulary
    }

    /// Bytes on the device: weights, constants, buffers of a call, and caches.
    pub fn bytes(&self) -> u64 {
        let caches: u64 = self.cache_types.iter().filter_map(|ty| ty.bytes().ok()).map(|bytes| bytes as u64).sum();
        self.session.planned_bytes() + caches
    }

    /// Adds tokens to the text; the logits of what follows the last one.
    ///
    /// # Errors
    /// FX1105 where the caches cannot hold them, FX1107 for numbers outside of the vocabulary.
    pub fn feed(&mut self, tokens: &[u32]) -> Result<Vec<f32>> {
        if tokens.is_empty() || tokens.len() > self.context - self.position {
            let (count, held, context) = (tokens.len(), self.position, self.context);
            return Err(failed("FX1105", format!("{count} tokens behind {held}, where {context} can be held")));
        }
        if let Some(token) = tokens.iter().find(|&&token| token as usize >= self.vocabulary) {
            let what = format!("token {token}; the model knows 0 to {}", self.vocabulary.saturating_sub(1));
            return Err(failed("FX1107", what));
        }
        let mut rest = tokens;
        let mut logits = None;
        while !rest.is_empty() {
            // Behind the last whole chunk that fits, tokens go one by one.
            let fits = self.position + self.chunk <= self.context;
            let count = if rest.len() > 1 && fits { rest.len().min(self.chunk) } else { 1 };
            let (now, later) = rest.split_at(count);
            logits = Some(self.call(now, rest.len() > 1 && fits)?);
            self.position += count;
            rest = later;
        }
        let logits = logits.ok_or_else(|| failed("FX1105", "no tokens"))?;
        let bytes = self.session.download(&logits)?;
        let floats = bytes.bytes().chunks_exact(size_of::<f32>());
        Ok(floats.map(|b| f32::from_le_bytes(b.first_chunk().copied().unwrap_or_default())).collect())
    }

    /// Runs one function; the logits stay on the device.
    fn call(&mut self, tokens: &[u32], is_chunk: bool) -> Result<DeviceTensor> {
        let slots = if is_chunk { self.chunk } else { 1 };
        let mut ids: Vec<i32> = tokens.iter().map(|&token| token as i32).collect();
        ids.resize(slots, 0);
        let mut inputs = vec![self.integers(&ids, &[slots as u64])?, self.integers(&[self.position as i32], &[])?];
        if is_chunk {
            inputs.push(self.integers(&[tokens.len() as i32], &[])?);
        }
        inputs.append(&mut self.caches);
        let name = if is_chunk { PREFILL } else { DECODE };
        let mut outputs = self.session.invoke_on_device(name, &inputs)?;
        self.caches = outputs.split_off(1);
        outputs.pop().ok_or_else(|| not_a_model("a call gave nothing"))
    }

    fn integers(&self, numbers: &[i32], shape: &[u64]) -> Result<DeviceTensor> {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        self.session.upload(&Tensor::new(TensorType::new(ElementType::I32, shape.to_vec()), bytes)?)
    }
}

//! A module with the functions `prefill` and `decode` on a device.
//!
//! ```text
//! prefill(tokens [chunk] i32, position i32, count i32, caches…) -> logits [1, vocabulary] f32, caches…
//! decode(tokens [1] i32, position i32, caches…)                 -> logits [1, vocabulary] f32, caches…
//! ```
//! Any module with these functions will do, whoever exported it; `docs/use/from-checkpoint.md` says what they compute.

use fornax_module::manifest::{DimSig, FunctionSignature, TensorSignature};
use fornax_runtime::{DeviceTensor, ElementType, ErrorKind, Result, RuntimeError, Session, Tensor, TensorType};

use crate::errors::failed;
use crate::model::{Model, Next};

const PREFILL: &str = "prefill";
const DECODE: &str = "decode";
/// Inputs before the caches: tokens, position, and for `prefill` how many tokens count.
const PREFILL_INPUTS: usize = 3;
const DECODE_INPUTS: usize = 2;

/// A language model on a device.
pub struct DeviceModel {
    session: Session,
    cache_types: Vec<TensorType>,
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

impl DeviceModel {
    /// The model of a loaded module.
    ///
    /// # Errors
    /// FX1104 for modules with other functions.
    pub fn new(session: Session) -> Result<DeviceModel> {
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
        Ok(DeviceModel { session, cache_types, chunk, context, vocabulary })
    }

    /// Bytes on the device: weights, constants, buffers of a call.
    pub fn bytes(&self) -> u64 {
        self.session.planned_bytes()
    }

    /// Bytes of the caches of one sequence.
    pub fn cache_bytes(&self) -> u64 {
        self.cache_types.iter().filter_map(|ty| ty.bytes().ok()).map(|bytes| bytes as u64).sum()
    }

    /// Runs one function: `scalars` follow the tokens. The logits stay on the device.
    fn call(
        &mut self,
        function: &str,
        caches: &mut Vec<DeviceTensor>,
        tokens: &[i32],
        scalars: &[usize],
    ) -> Result<DeviceTensor> {
        let mut inputs = vec![self.integers(tokens, &[tokens.len() as u64])?];
        for &scalar in scalars {
            inputs.push(self.integers(&[scalar as i32], &[])?);
        }
        // Clones are the same memory. Where the call fails, the caches are still there.
        inputs.extend(caches.iter().cloned());
        let mut outputs = self.session.invoke_on_device(function, &inputs)?;
        *caches = outputs.split_off(1);
        outputs.pop().ok_or_else(|| not_a_model("a call gave nothing"))
    }

    fn integers(&self, numbers: &[i32], shape: &[u64]) -> Result<DeviceTensor> {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        self.session.upload(&Tensor::new(TensorType::new(ElementType::I32, shape.to_vec()), bytes)?)
    }

    fn floats(&self, tensor: &DeviceTensor) -> Result<Vec<f32>> {
        let bytes = self.session.download(tensor)?;
        let floats = bytes.bytes().chunks_exact(size_of::<f32>());
        Ok(floats.map(|b| f32::from_le_bytes(b.first_chunk().copied().unwrap_or_default())).collect())
    }
}

impl Model for DeviceModel {
    type Caches = Vec<DeviceTensor>;

    fn context(&self) -> usize {
        self.context
    }

    fn chunk(&self) -> usize {
        self.chunk
    }

    fn vocabulary(&self) -> usize {
        self.vocabulary
    }

    /// Systems promise host memory that they lack: who uses it is killed then.
    fn check_caches(&self, sequences: usize) -> Result<()> {
        let (each, free) = (self.cache_bytes(), self.session.device().memory()?.free);
        let needed = each.saturating_mul(sequences as u64);
        if needed <= free {
            return Ok(());
        }
        let message = format!("caches take {each} bytes a sequence, {needed} together, where {free} are free");
        Err(RuntimeError::new("FX0706", ErrorKind::OutOfMemory, message))
    }

    fn caches(&mut self) -> Result<Vec<DeviceTensor>> {
        self.check_caches(1)?;
        self.cache_types.iter().map(|ty| Tensor::zeros(ty.clone())?.to_device(self.session.device())).collect()
    }

    fn prefill(
        &mut self,
        caches: &mut Vec<DeviceTensor>,
        position: usize,
        tokens: &[u32],
        wanted: bool,
    ) -> Result<Option<Vec<f32>>> {
        let mut ids: Vec<i32> = tokens.iter().map(|&token| token as i32).collect();
        ids.resize(self.chunk, 0);
        let logits = self.call(PREFILL, caches, &ids, &[position, tokens.len()])?;
        wanted.then(|| self.floats(&logits)).transpose()
    }

    /// One call a sequence: modules have no `decode` of several yet.
    fn decode(&mut self, batch: &mut [Next<Vec<DeviceTensor>>]) -> Vec<Result<Vec<f32>>> {
        let mut one = |next: &mut Next<Vec<DeviceTensor>>| {
            let logits = self.call(DECODE, next.caches, &[next.token as i32], &[next.position])?;
            self.floats(&logits)
        };
        batch.iter_mut().map(&mut one).collect()
    }
}

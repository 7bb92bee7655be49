//! How much memory a module of a language model or an encoder takes, before anything is loaded; and where that is more
//! than there is, what would fit.
//!
//! Worked example: weights of 16 GB on a device, 0.1 GB of arena, and caches of 4 GB for a text of 32,768 tokens, where
//! 18 GB are free. The caches have 1.9 GB: 15,564 tokens, in whole chunks 15,552. Caches of half the bytes fit as they
//! are, where they are f32.

use fornax_checkpoint::blocks::Kind;
use fornax_checkpoint::convert::Aim;
use fornax_module::manifest::{Manifest, Parameter};
use fornax_runtime::hal::Device;
use fornax_runtime::session::MemoryPlan;
use fornax_runtime::{ElementType, ErrorKind, Module, Result, Session, SessionOptions, TensorType};
use fornax_types::bytes_text;

use crate::device_sampler::{DRAW, PENALIZE, TOP_K, TOP_P};
use crate::encoder::is_encoder;
use crate::errors::failed_as;
use crate::signature::{DECODE, PREFILL, PREFILL_LONG, Paging, Signature, VERIFY};

/// What is asked of a model.
#[derive(Clone, Copy, Debug, Default)]
pub struct Demand {
    /// Texts that are made at a time; as many as `decode` takes where nobody says.
    pub texts: Option<usize>,
    /// Tokens of a text, where that is not what the module was compiled for.
    pub context: Option<usize>,
    /// Tokens are guessed, and verified by the function for that.
    pub ahead: bool,
}

/// What a model takes of its device's memory, bytes.
#[derive(Clone, Debug)]
pub struct InferenceMemory {
    /// Weights in the device's memory.
    pub weights: u64,
    /// Weights that are used where they lie in their files.
    pub in_place: u64,
    /// Weights that load alone reads: what of them is on the device at a time, before there are caches.
    pub at_load: u64,
    /// What is computed of weights when the module is loaded.
    pub prepared: u64,
    /// Caches of all texts.
    pub cache: u64,
    /// What lives within a call. Of the module as it is compiled, whatever context is asked for.
    pub arena: u64,
    /// Tokens, positions and logits of a call.
    pub buffers: u64,
    /// Texts that the caches are for: those that were asked for, in whole calls.
    pub texts: usize,
    /// Tokens of a text.
    pub context: usize,
    shape: Shape,
}

/// What decides how sizes change.
#[derive(Clone, Debug, Default)]
struct Shape {
    /// Texts of a call, each with caches of its own.
    slots: usize,
    /// Tokens that contexts are multiples of.
    chunk: usize,
    context: usize,
    /// Bytes of each cache of a call, as compiled, and of types that take less.
    caches: Vec<u64>,
    narrower: Vec<Narrower>,
    /// Pages of the caches, whose bytes do not depend on texts and contexts.
    paging: Option<Paging>,
    /// What weights take as they are, and about what in blocks of 4 bits.
    weights: (u64, u64),
    /// What is prepared of weights for long chunks of prompts alone.
    long: u64,
}

/// Caches of a type that takes less.
#[derive(Clone, Debug, Default)]
struct Narrower {
    bits: u32,
    /// The flag of `compile` that asks for them.
    flag: &'static str,
    caches: Vec<u64>,
}

/// Caches of a call, of these bytes with these elements and widths, in types that take less.
fn narrower(caches: &[(u64, ElementType, u64)]) -> Vec<Narrower> {
    /// Types by their bits.
    const FLAGS: [(u32, &str); 2] = [(16, "--cache-type=bf16"), (8, "--cache-type=int8")];
    let bits = |element: ElementType| 8 * element.storage_bytes() as u32;
    let least = caches.iter().map(|(_, element, _)| bits(*element)).min().unwrap_or(0);
    let of = |to: u32| {
        caches.iter().flat_map(move |&(bytes, element, width)| {
            let elements = bytes / u64::from(bits(element) / 8).max(1);
            // Those of 8 bits have a scale of f32 for each row.
            let scales = (to == 8).then(|| elements / width.max(1) * 4);
            std::iter::once(elements * u64::from(to) / 8).chain(scales)
        })
    };
    let smaller = FLAGS.iter().filter(|(bits, _)| *bits < least);
    smaller.map(|&(bits, flag)| Narrower { bits, flag, caches: of(bits).collect() }).collect()
}

impl Shape {
    /// Bytes of a call's caches for a context, where these are theirs for the module's.
    fn bank(&self, caches: &[u64], context: usize) -> u64 {
        let scaled = |bytes: &u64| {
            if self.paging.is_some() {
                return block_bytes(*bytes);
            }
            let all = u128::from(*bytes) * context as u128 / self.context.max(1) as u128;
            block_bytes(u64::try_from(all).unwrap_or(u64::MAX))
        };
        caches.iter().map(scaled).fold(0, u64::saturating_add)
    }

    /// Texts in whole calls, and the banks of caches that they need: pages are one bank for any number.
    fn banks(&self, texts: usize) -> (usize, usize) {
        let slots = self.slots.max(1);
        let banks = texts.max(1).div_ceil(slots);
        if self.paging.is_some() { (texts.max(1), 1) } else { (banks.saturating_mul(slots), banks) }
    }
}

/// Devices give memory in blocks of so many bytes.
const BLOCK_BYTES: u64 = 256;

fn block_bytes(bytes: u64) -> u64 {
    bytes.div_ceil(BLOCK_BYTES).saturating_mul(BLOCK_BYTES)
}

/// Estimates what a language model or an encoder takes of a device's memory, from its module and from what files of
/// parameters say of their tensors. Nothing is loaded. All figures but that of the arena for another context are what
/// [`Device::held_bytes`] tells once each function has run.
///
/// # Errors
/// FX1104 for modules of something else, FX0611 and FX0714 as for [`Session::load`].
pub fn estimate_inference_memory(
    module: &Module,
    device: &Device,
    options: &SessionOptions,
    demand: &Demand,
) -> Result<InferenceMemory> {
    let plan = Session::plan(module, device, options)?;
    let manifest = module.manifest();
    let (names, shape): (Vec<&str>, Shape) = if is_encoder(manifest) {
        (manifest.functions.iter().map(|function| function.name.as_str()).collect(), Shape::default())
    } else {
        (called(manifest, demand.ahead)?, shape(manifest, &plan)?)
    };
    let context = demand.context.unwrap_or(shape.context);
    let context = context.checked_next_multiple_of(shape.chunk.max(1)).unwrap_or(context);
    let (texts, banks) = shape.banks(demand.texts.unwrap_or(shape.slots));
    Ok(InferenceMemory {
        weights: plan.weights,
        in_place: plan.in_place,
        at_load: plan.at_load,
        prepared: plan.prepared,
        cache: shape.bank(&shape.caches, context).saturating_mul(banks as u64),
        arena: plan.arena(&names),
        buffers: plan.buffers(&names, shape.caches.len()),
        texts,
        context,
        shape,
    })
}

/// Functions of a language model that are called.
fn called(manifest: &Manifest, ahead: bool) -> Result<Vec<&'static str>> {
    let mut all = vec![PREFILL, DECODE];
    if ahead {
        all.push(VERIFY);
    }
    let signature = Signature::of(manifest)?;
    if signature.chunks.long.is_some() {
        all.push(PREFILL_LONG);
    }
    if signature.chooses {
        all.extend([PENALIZE, TOP_K, TOP_P, DRAW]);
    }
    Ok(all)
}

/// What is known of a model before it is compiled.
#[derive(Clone, Debug)]
pub struct BeforeCompiling<'a> {
    /// Each weight: the type of plain elements, the shape, the bytes in the file.
    pub weights: Vec<(Option<ElementType>, &'a [u64], u64)>,
    /// Bytes of each cache of a call.
    pub caches: Vec<u64>,
    /// Tokens of the caches, and those that contexts are multiples of.
    pub context: usize,
    pub chunk: usize,
    /// Type of the caches, and elements of their rows.
    pub element: ElementType,
    pub width: u64,
    /// Texts of a call.
    pub texts: usize,
    /// Pages of the caches, where they are in pages.
    pub paging: Option<Paging>,
}

impl BeforeCompiling<'_> {
    /// The least that it takes: weights and caches. Weights that are packed anew, the arena and buffers come with
    /// compiling. `stays` where the device uses weights where they lie.
    pub fn estimate(&self, stays: bool) -> InferenceMemory {
        let weights = self.weights.iter().map(|(.., bytes)| *bytes).fold(0, u64::saturating_add);
        let narrow = self.weights.iter().map(|&(element, shape, bytes)| in_4_bits("", (element, shape, bytes)));
        let in_blocks = narrow.fold(0, u64::saturating_add);
        let (held, in_place) = if stays { (0, weights) } else { (weights, 0) };
        let slots = self.texts.max(1);
        let caches = self.caches.clone();
        let narrower = narrower(&caches.iter().map(|&bytes| (bytes, self.element, self.width)).collect::<Vec<_>>());
        let (chunk, context) = (self.chunk, self.context);
        let paging = self.paging;
        let shape = Shape { slots, chunk, context, caches, narrower, paging, weights: (held, in_blocks), long: 0 };
        InferenceMemory {
            weights: held,
            in_place,
            at_load: 0,
            prepared: 0,
            cache: shape.bank(&shape.caches, context),
            arena: 0,
            buffers: 0,
            texts: slots,
            context,
            shape,
        }
    }
}

/// Texts that a step of a module's `decode` takes.
///
/// # Errors
/// FX1104 for modules of something else.
pub fn slots(manifest: &Manifest) -> Result<usize> {
    Ok(Signature::of(manifest)?.slots)
}

fn shape(manifest: &Manifest, plan: &MemoryPlan) -> Result<Shape> {
    let signature = Signature::of(manifest)?;
    let bytes = |ty: &TensorType| ty.bytes().map(|bytes| bytes as u64);
    let caches = signature.caches.iter().map(bytes).collect::<Result<Vec<u64>>>()?;
    let now = plan.weights.saturating_add(plan.prepared);
    let in_blocks = |p: &Parameter| in_4_bits(&p.name, (ElementType::parse(&p.element_type), &p.shape, p.bytes));
    let in_blocks = manifest.parameters.iter().map(in_blocks).fold(0, u64::saturating_add);
    let width = |ty: &TensorType| ty.shape.last().copied().unwrap_or(1);
    let known: Vec<_> =
        signature.caches.iter().zip(&caches).map(|(ty, bytes)| (*bytes, ty.element_type, width(ty))).collect();
    Ok(Shape {
        slots: signature.slots,
        chunk: signature.chunks.short,
        context: signature.context,
        caches,
        narrower: narrower(&known),
        paging: signature.paging,
        weights: (now, in_blocks),
        long: plan.prepared_for(PREFILL_LONG),
    })
}

/// What the blocks of 4 bits are called in which `fornax quantize` writes.
const BLOCKS: &str = "q4_k";
/// What a module takes for weights in such blocks with what is prepared of them, tenths of the blocks' bytes. Found:
/// 20 on processors, where the blocks stay in the file, 23 on GPUs (SmolLM2-135M in Q4_1).
const BLOCKS_TENTHS: u64 = 23;

/// What a weight takes as such blocks, where it is made of floats; else as it is.
fn in_4_bits(name: &str, (element, shape, bytes): (Option<ElementType>, &[u64], u64)) -> u64 {
    if !element.is_some_and(|element| element.is_float() && element.storage_bytes() > 1) {
        return bytes;
    }
    let kind = Aim::named(BLOCKS).and_then(|aim| aim.of_tensor(name, shape, false).kind());
    let elements = shape.iter().fold(1u64, |all, size| all.saturating_mul(*size));
    let in_blocks = |kind: &Kind| elements.div_ceil(kind.elements.max(1)).saturating_mul(kind.bytes);
    kind.map_or(bytes, |kind| (in_blocks(kind).saturating_mul(BLOCKS_TENTHS) / 10).min(bytes))
}

impl InferenceMemory {
    /// All that the device must have free: while it loads, or afterwards.
    pub fn total(&self) -> u64 {
        let at_load = self.weights.saturating_add(self.prepared).saturating_add(self.at_load);
        self.without_cache().saturating_add(self.cache).max(at_load)
    }

    /// Banks of caches.
    fn banks(&self) -> u64 {
        self.shape.banks(self.texts).1 as u64
    }

    /// Pages of the caches, where they are in pages.
    pub fn paging(&self) -> Option<Paging> {
        self.shape.paging
    }

    fn without_cache(&self) -> u64 {
        [self.prepared, self.arena, self.buffers].iter().fold(self.weights, |sum, bytes| sum.saturating_add(*bytes))
    }

    /// Tokens that the module was compiled for.
    pub fn compiled_context(&self) -> usize {
        self.shape.context
    }

    /// What to change so that it fits in so many bytes, each with the figure that does; nothing where it fits.
    pub fn what_fits(&self, free: u64) -> Vec<String> {
        let mut found = Vec::new();
        if self.total() <= free {
            return found;
        }
        let Shape { slots, weights: (wide, narrow), .. } = self.shape;
        let (slots, own) = (slots.max(1), &self.shape.caches);
        let banks = self.banks();
        let room = free.saturating_sub(self.without_cache());
        if let Some(context) = self.longest(room, own) {
            found.push(format!("a context of {context} tokens (compile with --context={context})"));
        }
        let bank = self.shape.bank(own, self.context).max(1);
        if let Some(Paging { pages, size, entries }) = self.shape.paging {
            // One page is of no text.
            let fit = (room / (bank / pages.max(1) as u64).max(1)).saturating_sub(1);
            if fit >= entries as u64 {
                found.push(format!("{fit} pages of {size} tokens (compile with --cache-pages={fit})"));
            }
        } else if banks > 1 && room >= bank {
            let texts = room / bank * slots as u64;
            found.push(format!("{texts} texts at a time (--max-sequences={texts})"));
        } else if slots > 1 && room / (bank / slots as u64).max(1) > 0 {
            let texts = room / (bank / slots as u64).max(1);
            found.push(format!("{} a call (compile with --batch={texts})", counted(texts as usize, "text")));
        }
        for Narrower { bits, flag, caches } in &self.shape.narrower {
            let all = self.shape.bank(caches, self.context).saturating_mul(banks);
            match self.longest(room, caches) {
                _ if all <= room => {
                    found.push(format!("caches of {bits} bits, {} (compile with {flag})", bytes_text(all)));
                    break;
                }
                Some(context) => {
                    found.push(format!(
                        "{context} tokens in caches of {bits} bits (compile with {flag} --context={context})"
                    ));
                }
                None => {}
            }
        }
        if self.shape.long > 0 {
            let without = self.without_cache().saturating_sub(self.shape.long);
            let (less, flag) = (bytes_text(self.shape.long), "--long-chunk=0");
            match self.longest(free.saturating_sub(without), own) {
                _ if without.saturating_add(self.cache) <= free => {
                    found.push(format!("prompts in short chunks alone, {less} less (compile with {flag})"));
                }
                Some(context) => found.push(format!(
                    "prompts in short chunks alone, {less} less, and {context} tokens \
                     (compile with {flag} --context={context})"
                )),
                None => {}
            }
        }
        if narrow < wide {
            let without = self.without_cache().saturating_sub(wide - narrow);
            let (room, about) = (free.saturating_sub(without), bytes_text(narrow));
            let flags = format!("fornax quantize --type={BLOCKS}");
            match self.longest(room, own) {
                _ if without.saturating_add(self.cache) <= free => {
                    found.push(format!("weights in 4 bits, about {about} ({flags})"));
                }
                Some(context) => {
                    let more = format!("compile with --context={context}");
                    found.push(format!("weights in 4 bits, about {about}, and {context} tokens ({flags}; {more})"));
                }
                None => {}
            }
        }
        found.push(format!("a device with {} free", bytes_text(self.total())));
        found
    }

    /// The longest context below the one asked for whose caches fit: whole chunks, or less than one, which then is the
    /// chunk.
    fn longest(&self, room: u64, caches: &[u64]) -> Option<usize> {
        let chunk = self.shape.chunk.max(1);
        if self.shape.paging.is_some() {
            return None;
        }
        let banks = self.banks();
        let fits = |context: usize| self.shape.bank(caches, context).saturating_mul(banks) <= room;
        let longest = |step: usize, below: usize| {
            let (mut least, mut most) = (0, below.saturating_sub(1) / step);
            while least < most {
                let middle = most - (most - least) / 2;
                if fits(middle * step) { least = middle } else { most = middle - 1 }
            }
            (least > 0).then_some(least * step)
        };
        let found = longest(chunk, self.context).or_else(|| longest(1, chunk.min(self.context)));
        found.filter(|_| !self.shape.caches.is_empty())
    }

    /// That it fits in what a device has free.
    ///
    /// # Errors
    /// FX1111 where it does not, with what would.
    pub fn check(&self, device: &Device) -> Result<()> {
        self.check_shared(device, 1)
    }

    /// The same where so many devices of a model share the memory: parts of a processor.
    ///
    /// # Errors
    /// As [`InferenceMemory::check`].
    pub fn check_shared(&self, device: &Device, devices: usize) -> Result<()> {
        let free = device.memory()?.free / devices.max(1) as u64;
        if self.total() <= free {
            return Ok(());
        }
        let all = [
            ("weights", self.weights),
            ("prepared weights", self.prepared),
            ("caches", self.cache),
            ("arena", self.arena),
            ("buffers", self.buffers),
        ];
        let parts: Vec<String> = all.iter().map(|(name, bytes)| format!("{name} {}", bytes_text(*bytes))).collect();
        let (total, free_text) = (bytes_text(self.total()), bytes_text(free));
        let uri = device.info().uri();
        let of = match self.shape.caches.is_empty() {
            true => String::new(),
            false => format!(" for {} of {} tokens", counted(self.texts, "text"), self.context),
        };
        let each = if devices > 1 { format!(" for each of {devices} devices") } else { String::new() };
        let message =
            format!("{total}{of} do not fit in the {free_text} that {uri} has free{each}: {}", parts.join(", "));
        let help = format!("what would fit: {}", self.what_fits(free).join("; "));
        Err(failed_as("FX1111", ErrorKind::OutOfMemory, message).with_help(help))
    }
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1000 bytes of weights, 100 of arena, two texts a call, of 64 tokens in two caches of 256 bytes a token.
    fn model(texts: usize) -> InferenceMemory {
        let caches = vec![64 * 256 * 2; 2];
        let narrower = narrower(&caches.iter().map(|&bytes| (bytes, ElementType::F32, 64)).collect::<Vec<_>>());
        let shape =
            Shape { slots: 2, chunk: 8, context: 64, caches, narrower, paging: None, weights: (1000, 400), long: 0 };
        let cache = shape.bank(&shape.caches, 64) * texts as u64 / 2;
        InferenceMemory {
            weights: 1000,
            in_place: 0,
            at_load: 0,
            prepared: 0,
            cache,
            arena: 100,
            buffers: 0,
            texts,
            context: 64,
            shape,
        }
    }

    #[test]
    fn what_would_fit_is_computed() {
        let one = model(2);
        assert_eq!((one.total(), one.what_fits(one.total())), (1100 + (1 << 16), Vec::new()));
        // Two caches of two texts take 1024 bytes a token: 24 tokens, or 56 in caches of 16 bits.
        // One text alone does not fit either.
        let said = one.what_fits(1100 + 31 * 1024).join("; ");
        for part in [
            "--context=24)",
            "56 tokens in caches of 16 bits",
            "caches of 8 bits, 17.0 KiB",
            "and 24 tokens (fornax quantize",
        ] {
            assert!(said.contains(part), "no {part} in {said}");
        }
        assert!(!said.contains("--batch") && said.ends_with("65.1 KiB free"), "{said}");
        let said = one.what_fits(1100 + 33 * 1024).join("; ");
        for part in ["--context=32)", "1 text a call (compile with --batch=1)", "caches of 16 bits, 32.0 KiB (compile"]
        {
            assert!(said.contains(part), "no {part} in {said}");
        }
        // Weights alone are too large, but not in 4 bits.
        let said = one.what_fits(900 + 16 * 1024).join("; ");
        assert!(said.contains("weights in 4 bits, about 400 bytes, and 16 tokens"), "{said}");
        // Three calls' caches where there is room for two.
        let said = model(6).what_fits(1100 + 130 * 1024).join("; ");
        assert!(said.contains("4 texts at a time (--max-sequences=4)") && said.contains("--context=40)"), "{said}");
        assert_eq!(one.what_fits(10), ["a device with 65.1 KiB free"]);
    }

    #[test]
    fn what_is_prepared_for_long_chunks_can_be_left_out() {
        let mut one = model(2);
        (one.prepared, one.shape.long) = (40 << 10, 30 << 10);
        let said = one.what_fits(one.total() - (20 << 10)).join("; ");
        assert!(said.contains("short chunks alone, 30.0 KiB less (compile with --long-chunk=0)"), "{said}");
        // 1100 bytes and 10 KiB besides, 1 KiB a token.
        let said = one.what_fits(1100 + (40 << 10)).join("; ");
        assert!(said.contains("30.0 KiB less, and 24 tokens (compile with --long-chunk=0 --context=24)"), "{said}");
        assert!(!one.what_fits(1100).join("; ").contains("--long-chunk"));
    }

    #[test]
    fn pages_do_not_depend_on_texts() {
        let paged = |texts: usize| {
            let mut found = model(texts);
            // 128 tokens: a page of no text, and seven.
            found.shape.paging = Some(Paging { pages: 8, size: 16, entries: 4 });
            (found.texts, found.cache) = (found.shape.banks(texts).0, found.shape.bank(&found.shape.caches, 64));
            found
        };
        assert_eq!((paged(7).texts, paged(7).cache, paged(1).cache), (7, 1 << 16, 1 << 16));
        // 8192 bytes a page: seven fit, one of which is of no text. A context does not help.
        let said = paged(7).what_fits(1100 + 7 * 8192).join("; ");
        assert!(said.contains("6 pages of 16 tokens (compile with --cache-pages=6)"), "{said}");
        assert!(!said.contains("--context") && !said.contains("--batch"), "{said}");
        let said = paged(7).what_fits(1100 + 4 * 8192).join("; ");
        assert!(!said.contains("--cache-pages"), "fewer than a text has: {said}");
    }

    #[test]
    fn weights_in_4_bits() {
        let of = |element, shape: &[u64], bytes| in_4_bits("w", (element, shape, bytes));
        let (wide, half) = (Some(ElementType::F32), Some(ElementType::Bf16));
        assert_eq!(of(wide, &[10, 512], 20480), 10 * 2 * 144 * 23 / 10);
        assert_eq!((of(half, &[512], 1024), of(None, &[2, 144], 288)), (1024, 288));
        assert_eq!(of(Some(ElementType::F8E4M3FN), &[10, 512], 5120), 5120);
    }
}

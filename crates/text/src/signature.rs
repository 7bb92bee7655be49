//! What the functions of a module take and give, where it is a language model.

use fornax_module::manifest::{DimSig, FunctionSignature, Manifest, TensorSignature};
use fornax_runtime::{ElementType, Result, RuntimeError, TensorType};

use crate::chunks::Chunks;
use crate::device_sampler;
use crate::errors::failed;

/// Names of the functions.
pub const PREFILL: &str = "prefill";
pub const PREFILL_LONG: &str = "prefill_long";
pub const DECODE: &str = "decode";
pub const VERIFY: &str = "verify";

/// A language model's sizes, as its two functions have them.
pub struct Signature {
    /// Tokens that `prefill` takes, and `prefill_long`.
    pub chunks: Chunks,
    pub context: usize,
    pub vocabulary: usize,
    /// Texts that the caches are for, and tokens that `decode` takes: one each.
    pub slots: usize,
    /// Positions are one a slot, and `prefill` is told the slot.
    pub is_batched: bool,
    /// Tokens of each text that `verify` takes; 0 without it.
    pub verified: usize,
    pub caches: Vec<TensorType>,
    /// Caches are in pages, which all texts share.
    pub paging: Option<Paging>,
    /// The module has functions that choose tokens of as many rows of logits as there are slots.
    pub chooses: bool,
}

/// How caches are in pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Paging {
    /// Pages of each cache, with number 0, which is of no text.
    pub pages: usize,
    /// Tokens of a page.
    pub size: usize,
    /// Pages of a text, at most: entries of its block table.
    pub entries: usize,
}

pub fn not_a_model(why: impl Into<String>) -> RuntimeError {
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

pub fn types(tensors: &[TensorSignature], function: &str) -> Result<Vec<TensorType>> {
    let all: Option<Vec<TensorType>> = tensors.iter().map(ty).collect();
    all.ok_or_else(|| not_a_model(format!("@{function} has sizes that only a run knows")))
}

fn is(ty: &TensorType, element: ElementType, rank: usize) -> bool {
    ty.element_type == element && ty.shape.len() == rank
}

fn size(size: Option<&u64>) -> usize {
    size.and_then(|&size| usize::try_from(size).ok()).unwrap_or(0)
}

/// What one function's types say.
struct Checked {
    tokens: usize,
    /// Numbers behind the tokens, of this rank each.
    numbers: (usize, usize),
    /// Sizes of the block tables behind them, of a rank more.
    table: Option<Vec<u64>>,
    rows: usize,
    vocabulary: usize,
    caches: Vec<TensorType>,
}

fn checked(function: &FunctionSignature) -> Result<Checked> {
    let name = &function.name;
    let (inputs, outputs) = (types(&function.inputs, name)?, types(&function.outputs, name)?);
    let tokens = inputs.first().filter(|ty| is(ty, ElementType::I32, 1));
    let tokens = tokens.ok_or_else(|| not_a_model(format!("@{name} takes no tokens (i32, one size) first")))?;
    let rank = inputs.get(1).map_or(0, |ty| ty.shape.len());
    let is_number = |ty: &&TensorType| rank < 2 && is(ty, ElementType::I32, rank);
    let count = inputs.iter().skip(1).take_while(is_number).count();
    let logits = outputs.first().filter(|ty| is(ty, ElementType::F32, 2));
    let logits = logits.ok_or_else(|| not_a_model(format!("@{name} gives no logits NxMxf32 first")))?;
    let behind = inputs.get(1 + count..).unwrap_or_default();
    let table = behind.first().filter(|ty| is(ty, ElementType::I32, rank + 1)).map(|ty| ty.shape.clone());
    let caches = behind.get(usize::from(table.is_some())..).unwrap_or_default();
    if outputs.get(1..) != Some(caches) {
        return Err(not_a_model(format!("@{name} does not give the caches that it takes, in their order")));
    }
    Ok(Checked {
        tokens: size(tokens.shape.first()),
        numbers: (count, rank),
        table,
        rows: size(logits.shape.first()),
        vocabulary: size(logits.shape.last()),
        caches: caches.to_vec(),
    })
}

impl Signature {
    /// Of a module.
    ///
    /// # Errors
    /// FX1104 for modules of something else.
    pub fn of(manifest: &Manifest) -> Result<Signature> {
        let find = |name: &str| {
            let found = manifest.functions.iter().find(|function| function.name == name);
            found.ok_or_else(|| not_a_model(format!("it has no function @{name}")))
        };
        let mut signature = Signature::new(find(PREFILL)?, find(DECODE)?)?;
        signature.chooses = device_sampler::is_in(manifest, (signature.slots, signature.vocabulary));
        if let Some(long) = manifest.functions.iter().find(|function| function.name == PREFILL_LONG) {
            signature.chunks.long = Some(signature.long_chunk(find(PREFILL)?, long)?);
        }
        match manifest.functions.iter().find(|function| function.name == VERIFY) {
            Some(verify) => signature.with(verify),
            None => Ok(signature),
        }
    }

    /// Tokens that a function takes which is as `prefill`, but for longer chunks.
    fn long_chunk(&self, prefill: &FunctionSignature, long: &FunctionSignature) -> Result<usize> {
        let (short, long) = (checked(prefill)?, checked(long)?);
        let alike = (short.numbers, &short.table, short.rows, short.vocabulary, &short.caches)
            == (long.numbers, &long.table, long.rows, long.vocabulary, &long.caches);
        if !alike {
            return Err(not_a_model("@prefill_long takes and gives something else than @prefill"));
        }
        let (chunk, tokens) = (self.chunks.short, long.tokens);
        if tokens <= chunk || !tokens.is_multiple_of(chunk) || tokens > self.context {
            let what = format!("@prefill_long takes {tokens} tokens, @prefill {chunk}, the caches {}", self.context);
            return Err(not_a_model(what));
        }
        Ok(tokens)
    }

    /// With a function that says of several tokens what follows each.
    fn with(self, verify: &FunctionSignature) -> Result<Signature> {
        let found = checked(verify)?;
        let tables = self.paging.map(|paging| vec![self.slots as u64, paging.entries as u64]);
        if found.numbers != (1, usize::from(self.is_batched)) || found.table != tables {
            let wanted = match (self.is_batched, &tables) {
                (false, _) => "the position of the first".to_string(),
                (true, None) => "the position of each".to_string(),
                (true, Some(tables)) => format!("the position of each and block tables {tables:?}"),
            };
            return Err(not_a_model(format!("@verify must take {wanted} behind its tokens, i32 each")));
        }
        if !found.tokens.is_multiple_of(self.slots) {
            let what = format!("@verify takes {} tokens, where as many of each of {} texts", found.tokens, self.slots);
            return Err(not_a_model(what));
        }
        let each = found.tokens / self.slots;
        if found.rows != found.tokens || found.vocabulary != self.vocabulary || found.caches != self.caches {
            return Err(not_a_model("@verify gives a row of logits a token, and takes the caches of @decode"));
        }
        if each == 0 || each > self.context {
            return Err(not_a_model(format!("@verify takes {each} tokens of a text")));
        }
        Ok(Signature { verified: each, ..self })
    }

    /// Of the functions `prefill` and `decode`.
    ///
    /// # Errors
    /// FX1104 for functions of something else.
    fn new(prefill: &FunctionSignature, decode: &FunctionSignature) -> Result<Signature> {
        let (reads, writes) = (checked(prefill)?, checked(decode)?);
        let slots = writes.tokens;
        let is_batched = match writes.numbers {
            (1, 0) if slots == 1 => false,
            (1, 1) => true,
            _ => return Err(not_a_model("@decode must take tokens, and the position of each, or one token's")),
        };
        let is_paged = writes.table.is_some();
        let is_told_slot = is_batched && !is_paged;
        if reads.numbers != (if is_told_slot { 3 } else { 2 }, 0) || reads.table.is_some() != is_paged {
            let wanted = match (is_paged, is_batched) {
                (true, _) => "position, count and a block table",
                (false, true) => "position, count and slot",
                (false, false) => "position and count",
            };
            return Err(not_a_model(format!("@prefill must take {wanted} behind its tokens, i32 each")));
        }
        if reads.rows != 1 || writes.rows != slots {
            return Err(not_a_model("@prefill gives one row of logits, @decode one a token"));
        }
        if reads.vocabulary != writes.vocabulary || reads.caches != writes.caches {
            return Err(not_a_model("@decode must take the caches of @prefill, and give as many logits"));
        }
        let paging = paging(&reads, &writes)?;
        let is_of_slots = |ty: &TensorType| ty.shape.len() > 2 && size(ty.shape.first()) == slots;
        if is_told_slot && !reads.caches.iter().all(is_of_slots) {
            return Err(not_a_model(format!("caches must be [{slots}, …, context, width], a slot a token of @decode")));
        }
        let rows = |ty: &TensorType| ty.shape.iter().rev().nth(1).copied();
        let context = reads.caches.first().and_then(rows).and_then(|rows| usize::try_from(rows).ok());
        let context = context.ok_or_else(|| not_a_model("it has no caches [heads, context, width]"))?;
        let context = paging.map_or(context, |paging| paging.entries.saturating_mul(paging.size));
        let chunk = reads.tokens;
        if chunk == 0 || chunk > context || slots == 0 {
            return Err(not_a_model(format!("chunks of {chunk} tokens, caches of {slots} x {context} rows")));
        }
        Ok(Signature {
            chunks: Chunks::of(chunk),
            context,
            vocabulary: reads.vocabulary,
            slots,
            is_batched,
            verified: 0,
            caches: reads.caches,
            paging,
            chooses: false,
        })
    }
}

/// The pages of caches, where functions take block tables.
fn paging(reads: &Checked, writes: &Checked) -> Result<Option<Paging>> {
    let (Some(one), Some(all)) = (&reads.table, &writes.table) else { return Ok(None) };
    let entries = one.first().copied().unwrap_or(0);
    if all[..] != [writes.tokens as u64, entries] || entries == 0 {
        let what = format!("@decode must take block tables [{}, {entries}], a row a token", writes.tokens);
        return Err(not_a_model(what));
    }
    let of = |ty: &TensorType| if let [pages, _, rows, _] = ty.shape[..] { Some((pages, rows)) } else { None };
    let first = reads.caches.first().and_then(of);
    let same = first.filter(|first| reads.caches.iter().all(|ty| of(ty) == Some(*first)));
    let Some((pages, rows)) = same.filter(|(pages, rows)| *rows > 0 && *pages > entries) else {
        let what = format!("caches must be [pages, …, tokens, width], with more than {entries} pages");
        return Err(not_a_model(what));
    };
    let size = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    Ok(Some(Paging { pages: size(pages), size: size(rows), entries: size(entries) }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `"3xi32"`, as the manifest has it.
    fn tensor(text: &str) -> TensorSignature {
        let mut parts: Vec<&str> = text.split('x').collect();
        let element_type = parts.pop().unwrap().to_string();
        let shape = parts.iter().map(|size| DimSig::Static(size.parse().unwrap())).collect();
        TensorSignature { element_type, shape, ..TensorSignature::default() }
    }

    fn function(name: &str, inputs: &str, outputs: &str) -> FunctionSignature {
        let all = |list: &str| list.split(' ').map(tensor).collect();
        let (inputs, outputs) = (all(inputs), all(outputs));
        FunctionSignature { name: name.to_string(), inputs, outputs, ..FunctionSignature::default() }
    }

    fn of(prefill: [&str; 2], decode: [&str; 2]) -> Result<Signature> {
        let [prefill, decode] =
            [("prefill", prefill), ("decode", decode)].map(|(name, [inputs, outputs])| function(name, inputs, outputs));
        Signature::new(&prefill, &decode)
    }

    const ONE: [&str; 2] = ["4xi32 i32 i32 2x8x6xbf16", "1x9xf32 2x8x6xbf16"];
    const ONE_STEP: [&str; 2] = ["1xi32 i32 2x8x6xbf16", "1x9xf32 2x8x6xbf16"];
    const SLOTS: [&str; 2] = ["4xi32 i32 i32 i32 3x2x8x6xf32", "1x9xf32 3x2x8x6xf32"];
    const SLOTS_STEP: [&str; 2] = ["3xi32 3xi32 3x2x8x6xf32", "3x9xf32 3x2x8x6xf32"];

    #[test]
    fn one_text_or_several_are_told_apart() {
        let sizes = |s: Signature| (s.chunks.short, s.context, s.vocabulary, s.slots, s.is_batched, s.caches.len());
        assert_eq!(sizes(of(ONE, ONE_STEP).unwrap()), (4, 8, 9, 1, false, 1));
        assert_eq!(sizes(of(SLOTS, SLOTS_STEP).unwrap()), (4, 8, 9, 3, true, 1));
        // One slot, as another compiler may have it.
        let one = |text: &'static str| text.replace("3x", "1x").replace("3xi32", "1xi32");
        let (step, read) = (SLOTS_STEP.map(one), SLOTS.map(one));
        let found = of([&read[0], &read[1]], [&step[0], &step[1]]).unwrap();
        assert_eq!((found.slots, found.is_batched), (1, true));
    }

    const PAGES: [&str; 2] = ["4xi32 i32 i32 5xi32 6x2x4x3xf32", "1x9xf32 6x2x4x3xf32"];
    const PAGES_STEP: [&str; 2] = ["3xi32 3xi32 3x5xi32 6x2x4x3xf32", "3x9xf32 6x2x4x3xf32"];

    #[test]
    fn pages_are_told_from_slots() {
        let found = of(PAGES, PAGES_STEP).unwrap();
        assert_eq!((found.context, found.slots, found.is_batched, found.chunks), (20, 3, true, Chunks::of(4)));
        assert_eq!(found.paging, Some(Paging { pages: 6, size: 4, entries: 5 }));
        assert_eq!(of(SLOTS, SLOTS_STEP).unwrap().paging, None);
        let step = |table: &str| PAGES_STEP[0].replace("3x5xi32", table);
        for (prefill, decode, why) in [
            (PAGES[0].to_string(), step("3x6xi32"), "block tables [3, 5]"),
            (PAGES[0].to_string(), step("2x5xi32"), "block tables [3, 5]"),
            (PAGES[0].replace(" 5xi32", ""), PAGES_STEP[0].to_string(), "position, count and a block table"),
            (PAGES[0].replace("5xi32", "i32"), PAGES_STEP[0].to_string(), "position, count and a block table"),
            (PAGES[0].to_string(), PAGES_STEP[0].replace(" 3x5xi32", ""), "position, count and slot"),
        ] {
            let error = of([&prefill, PAGES[1]], [&decode, PAGES_STEP[1]]).err().expect(why);
            assert!(error.code() == "FX1104" && error.message().contains(why), "{why}: {error}");
        }
        let few = |text: &str| text.replace("6x2x4x3", "5x2x4x3");
        let [read, step] = [PAGES, PAGES_STEP].map(|texts| texts.map(few));
        let error = of([&read[0], &read[1]], [&step[0], &step[1]]).err().unwrap();
        assert!(error.message().contains("more than 5 pages"), "{error}");
    }

    #[test]
    fn long_chunks_are_as_short_ones() {
        let short = function("prefill", ONE[0], ONE[1]);
        let of_long = |inputs: &str, outputs: &str| {
            of(ONE, ONE_STEP).unwrap().long_chunk(&short, &function("prefill_long", inputs, outputs))
        };
        assert_eq!(of_long(&ONE[0].replace("4xi32", "8xi32"), ONE[1]).unwrap(), 8);
        for (tokens, outputs, why) in [
            ("4xi32", ONE[1], "takes 4 tokens"),
            ("6xi32", ONE[1], "takes 6 tokens"),
            ("12xi32", ONE[1], "takes 12 tokens"),
            ("8xi32 i32", ONE[1], "something else"),
            ("8xi32", "1x7xf32 2x8x6xbf16", "something else"),
        ] {
            let error = of_long(&ONE[0].replace("4xi32", tokens), outputs).expect_err(why);
            assert!(error.code() == "FX1104" && error.message().contains(why), "{why}: {error}");
        }
    }

    #[test]
    fn several_tokens_can_be_verified() {
        let with = |text: [&str; 2], one: Result<Signature>| one.unwrap().with(&function("verify", text[0], text[1]));
        let verify = ["5xi32 i32 2x8x6xbf16", "5x9xf32 2x8x6xbf16"];
        assert_eq!(with(verify, of(ONE, ONE_STEP)).unwrap().verified, 5);
        for (wrong, why) in [
            (["5xi32 i32 i32 2x8x6xbf16", verify[1]], "the position of the first"),
            ([verify[0], "1x9xf32 2x8x6xbf16"], "a row of logits a token"),
            (["5xi32 i32 2x8x6xf32", "5x9xf32 2x8x6xf32"], "takes the caches of @decode"),
            (["9xi32 i32 2x8x6xbf16", "9x9xf32 2x8x6xbf16"], "takes 9 tokens"),
        ] {
            let error = with(wrong, of(ONE, ONE_STEP)).err().expect(why);
            assert!(error.code() == "FX1104" && error.message().contains(why), "{why}: {error}");
        }
        // Of several texts: as many of each.
        let slots = ["6xi32 6xi32 3x2x8x6xf32", "6x9xf32 3x2x8x6xf32"];
        let pages = ["12xi32 12xi32 3x5xi32 6x2x4x3xf32", "12x9xf32 6x2x4x3xf32"];
        assert_eq!(with(slots, of(SLOTS, SLOTS_STEP)).unwrap().verified, 2);
        assert_eq!(with(pages, of(PAGES, PAGES_STEP)).unwrap().verified, 4);
        for (wrong, one, why) in [
            (verify, of(SLOTS, SLOTS_STEP), "the position of each behind"),
            (slots, of(PAGES, PAGES_STEP), "block tables [3, 5]"),
            ([&pages[0].replace("3x5", "3x4"), pages[1]], of(PAGES, PAGES_STEP), "block tables [3, 5]"),
            (
                slots.map(|text| text.replace("6x", "7x")).each_ref().map(String::as_str),
                of(SLOTS, SLOTS_STEP),
                "7 tokens",
            ),
        ] {
            let error = with(wrong, one).err().expect(why);
            assert!(error.code() == "FX1104" && error.message().contains(why), "{why}: {error}");
        }
    }

    #[test]
    fn what_does_not_fit_is_said() {
        for (prefill, decode, why) in [
            (ONE, SLOTS_STEP, "@prefill must take position, count and slot"),
            (SLOTS, ONE_STEP, "@prefill must take position and count"),
            (SLOTS, ["3xi32 i32 3x2x8x6xf32", "3x9xf32 3x2x8x6xf32"], "@decode must take tokens, and the position of"),
            (SLOTS, ["3xi32 3xi32 3x2x8x6xf32", "1x9xf32 3x2x8x6xf32"], "@prefill gives one row of logits"),
            (SLOTS, ["3xi32 3xi32 3x2x8x6xf32", "3x8xf32 3x2x8x6xf32"], "@decode must take the caches of @prefill"),
            (SLOTS, ["2xi32 2xi32 3x2x8x6xf32", "2x9xf32 3x2x8x6xf32"], "caches must be [2, "),
            (ONE, ["1xi32 i32 2x8x6xbf16", "1x9xf32 2x8x6xf32"], "@decode does not give the caches"),
            (ONE, ["1xf32 i32 2x8x6xbf16", "1x9xf32 2x8x6xbf16"], "@decode takes no tokens"),
            (["9xi32 i32 i32 2x8x6xbf16", ONE[1]], ONE_STEP, "chunks of 9 tokens"),
        ] {
            let error = of(prefill, decode).err().expect(why);
            assert!(error.code() == "FX1104" && error.message().contains(why), "{why}: {error}");
        }
    }
}

//! What a language model or an encoder takes of a device's memory, in one table, and what would fit.
//!
//! ```text
//!   memory of 4 texts of 8192 tokens
//!     weights            0 bytes  and 88.0 MiB where they lie
//!     prepared         180.6 MiB
//!     caches             1.4 GiB  360.0 MiB a text
//!     arena              4.0 MiB
//!     buffers          192.8 KiB
//!     total              1.6 GiB  of 22.7 GiB free
//! ```

use fornax_module::manifest::Manifest;
use fornax_runtime::hal::Device;
#[cfg(feature = "text")]
use fornax_runtime::session::{ParameterFile, SessionOptions};
#[cfg(feature = "text")]
use fornax_text::encoder::is_encoder;
#[cfg(feature = "text")]
use fornax_text::{Demand, InferenceMemory, estimate_inference_memory, slots};
use fornax_types::bytes_text;
use serde::Serialize;

use crate::args::CheckArgs;
#[cfg(feature = "text")]
use crate::failure::Failure;
use crate::output::say;

/// The table.
#[derive(Serialize)]
pub struct Inference {
    /// Devices that compute together; figures are those of each.
    pub devices: u32,
    pub texts: usize,
    /// Tokens of a text; 0 of an encoder, which has no caches.
    pub context: usize,
    pub weights: u64,
    /// Weights that are used where they lie in their files.
    pub in_place: u64,
    pub prepared: Option<u64>,
    pub caches: u64,
    /// Pages that texts have of the caches, and tokens of a page, where all share them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pages: Option<[usize; 2]>,
    /// `None` before compiling.
    pub arena: Option<u64>,
    pub buffers: Option<u64>,
    pub total: u64,
    /// Where it does not fit: what would.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub what_fits: Vec<String>,
    /// Tokens that the arena is for, where it is for others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arena_of: Option<usize>,
    #[cfg(feature = "text")]
    #[serde(skip)]
    estimate: InferenceMemory,
}

impl Inference {
    pub fn title(&self) -> String {
        let texts = if self.texts == 1 { "a text".to_string() } else { format!("{} texts", self.texts) };
        if self.context == 0 { texts } else { format!("{texts} of {} tokens", self.context) }
    }

    /// Says what would fit in so much memory.
    pub fn set_free(&mut self, free: u64) {
        #[cfg(feature = "text")]
        {
            self.what_fits = self.estimate.what_fits(free);
        }
        #[cfg(not(feature = "text"))]
        let _ = free;
    }

    pub fn print(&self, free: Option<u64>) {
        let row = |name: &str, bytes: Option<u64>, more: String| {
            let bytes = bytes.map_or("after compiling".to_string(), bytes_text);
            say!("{}", format!("    {name:9} {bytes:>15}  {more}").trim_end());
        };
        let placed = |bytes: u64| format!("and {} where they lie", bytes_text(bytes));
        let of_caches = match self.pages {
            Some([pages, tokens]) => format!("{pages} pages of {tokens} tokens"),
            None if self.texts > 1 && self.caches > 0 => {
                format!("{} a text", bytes_text(self.caches / self.texts as u64))
            }
            None => String::new(),
        };
        let each = if self.devices > 1 { format!(", on each of {} devices", self.devices) } else { String::new() };
        say!("  memory of {}{each}", self.title());
        row("weights", Some(self.weights), if self.in_place > 0 { placed(self.in_place) } else { String::new() });
        row("prepared", self.prepared, String::new());
        row("caches", Some(self.caches), of_caches);
        row("arena", self.arena, self.arena_of.map_or(String::new(), |tokens| format!("of {tokens} tokens")));
        row("buffers", self.buffers, String::new());
        row("total", Some(self.total), free.map_or(String::new(), |free| format!("of {} free", bytes_text(free))));
        self.what_fits.iter().for_each(|what| say!("  fits     {what}"));
    }
}

/// A language model or an encoder, and what is asked of it.
pub struct Asked {
    #[cfg(feature = "text")]
    model: Option<(fornax_runtime::Module, SessionOptions, Demand)>,
}

#[cfg(not(feature = "text"))]
impl Asked {
    pub fn new(_: &CheckArgs, _: &Manifest, _: &[u8]) -> anyhow::Result<Asked> {
        Ok(Asked {})
    }

    pub fn of_device(&self, _: &Device) -> fornax_runtime::Result<Option<Inference>> {
        Ok(None)
    }
}

#[cfg(feature = "text")]
impl Asked {
    /// What is asked of a module that is in memory.
    ///
    /// # Errors
    /// FX1104 where something is asked of a module that is no model of texts.
    pub fn new(args: &CheckArgs, manifest: &Manifest, bytes: &[u8]) -> anyhow::Result<Asked> {
        let given = &args.inference;
        let is_asked = given.context.is_some() || given.batch.is_some() || !given.parameters.is_empty();
        match slots(manifest) {
            Err(error) if is_asked && !is_encoder(manifest) => return Err(Failure::from(error).into()),
            Err(_) if !is_encoder(manifest) => return Ok(Asked { model: None }),
            _ => {}
        }
        let module = fornax_runtime::Module::from_bytes(bytes.to_vec()).map_err(Failure::from)?;
        let parameters = given.parameters.iter().map(|text| ParameterFile::parse(text)).collect();
        let options = SessionOptions { parameters, ..SessionOptions::default() };
        let size = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        let demand = Demand { texts: given.batch.map(size), context: given.context.map(size), ahead: false };
        Ok(Asked { model: Some((module, options, demand)) })
    }

    /// # Errors
    /// FX0714 for parameters that do not match.
    pub fn of_device(&self, device: &Device) -> fornax_runtime::Result<Option<Inference>> {
        let Some((module, options, demand)) = &self.model else { return Ok(None) };
        let found = estimate_inference_memory(module, device, options, demand)?;
        let compiled = found.compiled_context();
        let arena_of = (compiled != found.context).then_some(compiled);
        let mut table = Inference::of(found);
        table.arena_of = arena_of;
        table.devices = module.manifest().devices();
        Ok(Some(table))
    }
}

#[cfg(feature = "text")]
impl Inference {
    pub fn of(found: InferenceMemory) -> Inference {
        Inference {
            devices: 1,
            texts: found.texts,
            context: found.context,
            weights: found.weights,
            in_place: found.in_place,
            prepared: Some(found.prepared),
            caches: found.cache,
            pages: found.paging().map(|paging| [paging.pages.saturating_sub(1), paging.size]),
            arena: Some(found.arena),
            buffers: Some(found.buffers),
            total: found.total(),
            what_fits: Vec::new(),
            arena_of: None,
            estimate: found,
        }
    }
}

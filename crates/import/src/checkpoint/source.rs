//! A checkpoint on disk: its settings by key, its tensors by name. A GGUF file, or a folder of Hugging Face's:
//! `config.json` and `*.safetensors`.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};

use fornax_checkpoint::blocks::Kind;
use fornax_checkpoint::gguf::{self, Gguf};
use fornax_checkpoint::{FileError, safetensors, stacks};
use fornax_types::ElementType;

use super::index::{check_index, shards};
use super::names::{Naming, Renamed, Role};
use super::{dequantize, failed, quantized};
use crate::Diagnostic;

/// Settings of a folder.
const CONFIG: &str = "config.json";
/// Longest config.json that is read, bytes.
const CONFIG_BYTES_MAX: u64 = 16 << 20;
/// Names shown of a list in an error.
const SHOWN: usize = 8;
/// Tensors that say nothing that the settings do not say.
const IGNORED: &[&str] =
    &[".rotary_emb.inv_freq", ".attention.bias", ".attn_rot_embd", ".attn.bias", ".attn.masked_bias", "rope_factors_"];
/// What quantised checkpoints say of activations and caches, which stay floats here; and groups that are in order.
const IGNORED_ENDS: &[&str] =
    &[".input_scale", ".activation_scale", ".input_scale_ub", ".k_scale", ".v_scale", ".g_idx"];
/// Numbers 0, 1, … that old checkpoints of encoders hold, as integers.
const POSITION_NUMBERS: &str = "embeddings.position_ids";
/// What stands before names of tensors, unless a model was saved without its head.
const PREFIXES: &[&str] = &["model.", "transformer."];
/// What stands before names of an encoder that was saved with a head.
const ENCODER_PREFIXES: &[&str] = &["bert.", "roberta.", "distilbert.", "mpnet."];
/// How older checkpoints call a norm's weights.
const OLDER: &[(&str, &str)] = &[("LayerNorm.weight", "LayerNorm.gamma"), ("LayerNorm.bias", "LayerNorm.beta")];

/// A tensor of the checkpoint.
#[derive(Clone, Debug)]
pub struct Stored {
    pub kind: &'static Kind,
    /// In elements, outermost first.
    pub shape: Vec<u64>,
}

impl Stored {
    /// Bytes in the file.
    pub fn bytes(&self) -> u64 {
        let (element, shape) = self.kind.stored(&self.shape);
        shape.iter().fold(element.storage_bytes() as u64, |all, size| all.saturating_mul(*size))
    }
}

enum Settings {
    Gguf { architecture: String, file: Box<Gguf> },
    HuggingFace(serde_json::Value),
}

/// A setting: its key in GGUF behind `{architecture}.`, and in config.json.
#[derive(Clone, Copy, Debug)]
pub struct Key(pub &'static str, pub &'static str);

/// An open checkpoint.
pub struct Checkpoint {
    file: String,
    settings: Settings,
    tensors: BTreeMap<String, Stored>,
    /// Where tensors of a folder lie.
    places: BTreeMap<String, (PathBuf, Range<u64>)>,
    renamed: &'static [Renamed],
    quantized: Option<quantized::Format>,
    /// Tensors that the graph reads, with the dimension that devices cut, and how many these are.
    used: RefCell<BTreeMap<String, Option<(usize, u64)>>>,
}

/// Whether a path is a checkpoint: a folder, or a file that begins as GGUF does.
pub fn is_checkpoint(path: &Path) -> bool {
    if path.is_dir() {
        return true;
    }
    let mut start = [0; 4];
    path.is_file() && File::open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok() && start == gguf::MAGIC
}

impl Checkpoint {
    /// # Errors
    /// FX1001 to FX1003 for broken files, FX1011 for a folder without settings or tensors.
    pub fn open(path: &Path) -> Result<Checkpoint, Box<Diagnostic>> {
        if path.is_dir() { open_folder(path) } else { open_gguf(path) }
    }

    /// That of a header of GGUF; `file` for errors.
    pub fn of_gguf(file: String, header: Gguf) -> Checkpoint {
        let stored =
            |entry: &gguf::Entry| (entry.name.clone(), Stored { kind: entry.kind, shape: entry.shape.clone() });
        let tensors = header.entries.iter().map(stored).collect();
        let architecture = header.string("general.architecture").unwrap_or_default().to_string();
        let settings = Settings::Gguf { architecture, file: Box::new(header) };
        let (places, used) = (BTreeMap::new(), RefCell::default());
        Checkpoint { file, settings, tensors, places, renamed: &[], quantized: None, used }
    }

    /// With what the settings say of quantised matrices.
    ///
    /// # Errors
    /// FX1015.
    pub fn with_format(self, activations: quantized::ActivationType) -> Result<Checkpoint, Box<Diagnostic>> {
        let Some(quantized) = quantized::asked(quantized::describe(&self)?, activations) else {
            let what = "activations of 8 bits are for folders with matrices of E4M3, which this is not";
            return Err(self.failed("FX1017", what));
        };
        Ok(Checkpoint { quantized, ..self })
    }

    /// How matrices of a folder are quantised, those that are.
    pub fn quantized(&self) -> Option<quantized::Format> {
        self.quantized
    }

    /// Names that the architecture has instead of the usual ones.
    pub fn rename(self, renamed: &'static [Renamed]) -> Checkpoint {
        Checkpoint { renamed, ..self }
    }

    /// For errors.
    pub fn failed(&self, code: &'static str, message: impl Into<String>) -> Box<Diagnostic> {
        failed(code, &self.file, message)
    }

    pub fn naming(&self) -> Naming {
        match self.settings {
            Settings::Gguf { .. } => Naming::Gguf,
            Settings::HuggingFace(_) => Naming::HuggingFace,
        }
    }

    /// What the checkpoint says that it is: `llama`.
    pub fn architecture(&self) -> &str {
        match &self.settings {
            Settings::Gguf { architecture, .. } => architecture,
            Settings::HuggingFace(config) => config.get("model_type").and_then(|ty| ty.as_str()).unwrap_or_default(),
        }
    }

    /// As this checkpoint has it, for errors.
    fn spelled(&self, key: Key) -> String {
        match &self.settings {
            Settings::Gguf { architecture, .. } => format!("{architecture}.{}", key.0),
            Settings::HuggingFace(_) => key.1.to_string(),
        }
    }

    /// A number, if the checkpoint has it.
    pub fn number(&self, key: Key) -> Option<f64> {
        match &self.settings {
            Settings::Gguf { architecture, file } => file.number(&format!("{architecture}.{}", key.0)),
            Settings::HuggingFace(config) => looked_up(config, key.1)?.as_f64(),
        }
    }

    /// A text, if the checkpoint has it.
    ///
    /// # Errors
    /// FX1015 for anything else.
    pub fn text(&self, key: Key) -> Result<Option<&str>, Box<Diagnostic>> {
        let text = match &self.settings {
            Settings::Gguf { architecture, file } => file.string(&format!("{architecture}.{}", key.0)),
            Settings::HuggingFace(config) => looked_up(config, key.1).and_then(|value| value.as_str()),
        };
        if text.is_none() && self.has(key) { self.unsupported(key, "no text", "texts") } else { Ok(text) }
    }

    /// Yes or no, if the checkpoint says it.
    ///
    /// # Errors
    /// FX1015 for anything else.
    pub fn bool(&self, key: Key) -> Result<Option<bool>, Box<Diagnostic>> {
        let value = match &self.settings {
            Settings::Gguf { architecture, file } => file.bool(&format!("{architecture}.{}", key.0)),
            Settings::HuggingFace(config) => looked_up(config, key.1).and_then(|value| value.as_bool()),
        };
        if value.is_none() && self.has(key) { self.unsupported(key, "neither", "true, false") } else { Ok(value) }
    }

    /// Whether the checkpoint has a setting that is not null.
    pub fn has(&self, key: Key) -> bool {
        match &self.settings {
            Settings::Gguf { architecture, file } => file.values.contains_key(&format!("{architecture}.{}", key.0)),
            Settings::HuggingFace(config) => looked_up(config, key.1).is_some_and(|value| !value.is_null()),
        }
    }

    /// A number that must be there.
    ///
    /// # Errors
    /// FX1015; for infinities and NaN too.
    pub fn required(&self, key: Key) -> Result<f64, Box<Diagnostic>> {
        let number = self.number(key).filter(|number| number.is_finite());
        number.ok_or_else(|| self.failed("FX1015", format!("no number `{}`", self.spelled(key))))
    }

    /// A number above 0: that of the first of several keys that the checkpoint has.
    ///
    /// # Errors
    /// FX1015 for any other number, and for what f32 has as 0 or infinity.
    pub fn positive(&self, keys: &[Key]) -> Result<Option<f64>, Box<Diagnostic>> {
        let Some(&key) = keys.iter().find(|&&key| self.has(key)) else { return Ok(None) };
        match self.number(key) {
            Some(number) if (number as f32).is_finite() && number as f32 > 0.0 => Ok(Some(number)),
            other => {
                let other = other.map_or_else(|| "no number".to_string(), |number| number.to_string());
                self.unsupported(key, &other, "numbers above 0")
            }
        }
    }

    /// As [`Checkpoint::positive`], where it must be there.
    ///
    /// # Errors
    /// FX1015.
    pub fn required_positive(&self, keys: &[Key]) -> Result<f64, Box<Diagnostic>> {
        let first = keys.first().map_or_else(String::new, |&key| self.spelled(key));
        self.positive(keys)?.ok_or_else(|| self.failed("FX1015", format!("no number `{first}`")))
    }

    /// A count of something: from 1 to `most`.
    ///
    /// # Errors
    /// FX1015 where it is missing or out of range.
    pub fn count(&self, key: Key, most: u64) -> Result<u64, Box<Diagnostic>> {
        let number = self.required(key)?;
        if number.fract() != 0.0 || number < 1.0 || number > most as f64 {
            let what = format!("`{}` is {number}: it must be a whole number from 1 to {most}", self.spelled(key));
            return Err(self.failed("FX1015", what));
        }
        Ok(number as u64)
    }

    /// As [`Checkpoint::count`], where the checkpoint may leave it out.
    pub fn optional_count(&self, key: Key, most: u64) -> Result<Option<u64>, Box<Diagnostic>> {
        if self.has(key) { self.count(key, most).map(Some) } else { Ok(None) }
    }

    /// # Errors
    /// FX1015: the setting has a value that is not supported.
    pub fn unsupported<T>(&self, key: Key, value: &str, known: &str) -> Result<T, Box<Diagnostic>> {
        Err(self.failed("FX1015", format!("`{}` is {value}; known: {known}", self.spelled(key))))
    }

    /// Texts of a list, if the checkpoint has it.
    pub fn texts(&self, key: Key) -> Option<Vec<&str>> {
        match &self.settings {
            Settings::Gguf { architecture, file } => {
                let texts = file.strings(&format!("{architecture}.{}", key.0))?;
                Some(texts.iter().map(String::as_str).collect())
            }
            Settings::HuggingFace(config) => looked_up(config, key.1)?.as_array()?.iter().map(|v| v.as_str()).collect(),
        }
    }

    /// Numbers of a list in config.json.
    pub fn numbers(&self, key: Key) -> Option<Vec<f64>> {
        match &self.settings {
            Settings::Gguf { .. } => None,
            Settings::HuggingFace(config) => looked_up(config, key.1)?.as_array()?.iter().map(|v| v.as_f64()).collect(),
        }
    }

    /// A setting of config.json.
    pub fn setting(&self, key: Key) -> Option<&serde_json::Value> {
        match &self.settings {
            Settings::Gguf { .. } => None,
            Settings::HuggingFace(config) => looked_up(config, key.1),
        }
    }

    /// What an object in config.json has; nothing where there is none.
    pub fn entries(&self, key: Key) -> Vec<(&str, &serde_json::Value)> {
        let object = self.setting(key).and_then(|value| value.as_object());
        object.into_iter().flatten().map(|(name, value)| (name.as_str(), value)).collect()
    }

    /// The name that a tensor has here: the usual one, or that of a model that was saved with or without its head.
    fn name(&self, role: Role, layer: u64) -> String {
        let name = role.name(self.naming(), self.renamed, layer);
        if self.has_elements(&name) {
            return name;
        }
        let older = OLDER.iter().find_map(|(new, old)| Some(format!("{}{old}", name.strip_suffix(new)?)));
        let spellings = || std::iter::once(&name).chain(&older);
        let bare = PREFIXES.iter().filter_map(|prefix| name.strip_prefix(prefix)).map(str::to_string);
        let with_head =
            ENCODER_PREFIXES.iter().flat_map(|prefix| spellings().map(move |name| format!("{prefix}{name}")));
        let mut others = bare.chain(older.clone()).chain(with_head);
        others.find(|other| self.has_elements(other)).unwrap_or(name.clone())
    }

    /// Whether there is a tensor, or a quantised one in its place.
    fn has_elements(&self, name: &str) -> bool {
        let part = |end: &&str| self.tensors.contains_key(&stacks::part(&with_end(name, end), 0));
        self.tensors.contains_key(&stacks::part(name, 0))
            || (self.quantized.is_some() && quantized::ELEMENTS.iter().any(part))
    }

    /// Whether the checkpoint has a tensor.
    pub fn holds(&self, role: Role, layer: u64) -> bool {
        self.has_elements(&self.name(role, layer))
    }

    /// A tensor with its name here, if it is there.
    pub fn found(&self, role: Role, layer: u64) -> Option<(String, Stored)> {
        let name = self.name(role, layer);
        let stored = self.tensors.get(&name)?.clone();
        Some((name, stored))
    }

    /// A part of a quantised matrix, if it is there: `end` stands in the place of `.weight`.
    pub fn part(&self, role: Role, layer: u64, end: &str) -> Option<(String, Stored)> {
        let name = with_end(&self.name(role, layer), end);
        let stored = self.tensors.get(&name)?.clone();
        Some((name, stored))
    }

    /// A part of the quantised matrices of so many experts, as a stack, if the first of them has it.
    ///
    /// # Errors
    /// FX1013 where another has not, FX1014 where theirs differ.
    pub fn stacked_part(
        &self,
        (role, layer, end): (Role, u64, &str),
        count: u64,
    ) -> Result<Option<(String, Stored)>, Box<Diagnostic>> {
        let name = with_end(&self.name(role, layer), end);
        let Some(first) = self.tensors.get(&stacks::part(&name, 0)) else { return Ok(None) };
        for part in (1..count).map(|number| stacks::part(&name, number)) {
            let other = self.tensors.get(&part).ok_or_else(|| self.missing(&part))?;
            self.check_shape(&part, other, &first.shape)?;
            if other.kind != first.kind {
                return Err(self.failed("FX1014", format!("tensors `{name}` have different elements")));
            }
        }
        let shape = std::iter::once(count).chain(first.shape.iter().copied()).collect();
        Ok(Some((name, Stored { kind: first.kind, shape })))
    }

    /// A part that must be there, of these elements and this shape.
    ///
    /// # Errors
    /// FX1013, FX1014.
    pub fn required_part(
        &self,
        (role, layer, end): (Role, u64, &str),
        element: ElementType,
        shape: &[u64],
    ) -> Result<(String, Stored), Box<Diagnostic>> {
        let (name, stored) = self.existing_part(role, layer, end)?;
        if stored.kind.element != Some(element) {
            let what = format!("tensor `{name}` has elements {}; known: {element}", stored.kind.name);
            return Err(self.failed("FX1014", what));
        }
        self.check_shape(&name, &stored, shape)?;
        Ok((name, stored))
    }

    /// A part of floats that must be there, of this shape.
    ///
    /// # Errors
    /// FX1013, FX1014.
    pub fn required_floats(
        &self,
        (role, layer, end): (Role, u64, &str),
        shape: &[u64],
    ) -> Result<(String, Stored), Box<Diagnostic>> {
        let (name, stored) = self.existing_part(role, layer, end)?;
        self.check_floats(&name, &stored)?;
        self.check_shape(&name, &stored, shape)?;
        Ok((name, stored))
    }

    fn existing_part(&self, role: Role, layer: u64, end: &str) -> Result<(String, Stored), Box<Diagnostic>> {
        self.part(role, layer, end).ok_or_else(|| self.missing(&with_end(&self.name(role, layer), end)))
    }

    /// # Errors
    /// FX1014.
    pub fn check_floats(&self, name: &str, stored: &Stored) -> Result<(), Box<Diagnostic>> {
        if stored.kind.element.is_some_and(ElementType::is_float) {
            return Ok(());
        }
        let what = format!("tensor `{name}` has elements {}; known: F32, F16, BF16", stored.kind.name);
        Err(self.failed("FX1014", what))
    }

    /// # Errors
    /// FX1014.
    pub fn check_shape(&self, name: &str, stored: &Stored, shape: &[u64]) -> Result<(), Box<Diagnostic>> {
        if stored.shape == shape {
            return Ok(());
        }
        Err(self.failed("FX1014", format!("tensor `{name}` is {:?}; {shape:?} is wanted", stored.shape)))
    }

    fn missing(&self, name: &str) -> Box<Diagnostic> {
        let known: Vec<&str> = self.tensors.keys().map(String::as_str).collect();
        self.failed("FX1013", format!("no tensor `{name}`; the checkpoint holds {}", some(&known)))
    }

    /// Where a folder's tensor lies.
    pub fn place(&self, name: &str) -> Option<&(PathBuf, Range<u64>)> {
        self.places.get(name)
    }

    /// The bytes of a folder's tensor and what follows them.
    ///
    /// # Errors
    /// FX1011 for what cannot be read.
    pub fn data(&self, name: &str) -> Result<impl Read, Box<Diagnostic>> {
        let (path, range) = self.places.get(name).ok_or_else(|| self.missing(name))?;
        let unreadable = |error: std::io::Error| failed("FX1011", &path.display().to_string(), error.to_string());
        let mut file = File::open(path).map_err(unreadable)?;
        file.seek(SeekFrom::Start(range.start)).map_err(unreadable)?;
        Ok(file)
    }

    /// What a device reads of each tensor that the graph reads.
    pub fn used(&self) -> Vec<Stored> {
        let part = |(name, cut): (&String, &Option<(usize, u64)>)| {
            let mut stored = self.tensors.get(name)?.clone();
            if let Some((size, devices)) = cut.and_then(|(dim, devices)| Some((stored.shape.get_mut(dim)?, devices))) {
                *size /= devices;
            }
            Some(stored)
        };
        self.used.borrow().iter().filter_map(part).collect()
    }

    /// The graph reads a tensor, or all of a stack.
    pub fn note_used(&self, name: &str, stored: &Stored, cut: Option<(usize, u64)>) {
        let mut used = self.used.borrow_mut();
        if !stacks::is_stack(name) {
            used.insert(name.to_string(), cut);
            return;
        }
        let cut = cut.and_then(|(dim, devices)| Some((dim.checked_sub(1)?, devices)));
        let count = stored.shape.first().copied().unwrap_or(0);
        used.extend((0..count).map(|number| (stacks::part(name, number), cut)));
    }

    /// Rows of a matrix that must be there.
    ///
    /// # Errors
    /// FX1013, FX1014.
    pub fn rows_of(&self, role: Role) -> Result<u64, Box<Diagnostic>> {
        let name = self.name(role, 0);
        let shape = self.tensors.get(&name).map(|stored| stored.shape.clone()).unwrap_or_default();
        let wanted = [shape.first().copied().unwrap_or(1), shape.get(1).copied().unwrap_or(1)];
        self.tensor(role, 0, &wanted).map(|_| wanted[0])
    }

    /// A tensor that must be there, of this shape; of a stack, outermost, as many tensors as that says.
    ///
    /// # Errors
    /// FX1013 where it is missing, FX1014 where its shape or its elements are others.
    pub fn tensor(&self, role: Role, layer: u64, shape: &[u64]) -> Result<(String, Stored), Box<Diagnostic>> {
        let name = self.name(role, layer);
        let (Some((&count, part)), true) = (shape.split_first(), stacks::is_stack(&name)) else {
            return Ok((name.clone(), self.named(name, shape)?));
        };
        let parts = (0..count).map(|number| self.named(stacks::part(&name, number), part));
        let kinds = parts.map(|part| Ok(part?.kind)).collect::<Result<Vec<_>, Box<Diagnostic>>>()?;
        match kinds.first() {
            Some(&kind) if kinds.iter().all(|&other| other == kind) => {
                Ok((name, Stored { kind, shape: shape.to_vec() }))
            }
            _ => Err(self.failed("FX1014", format!("tensors `{name}` have different elements; the same are wanted"))),
        }
    }

    /// A tensor by its name.
    fn named(&self, name: String, shape: &[u64]) -> Result<Stored, Box<Diagnostic>> {
        let Some(stored) = self.tensors.get(&name) else { return Err(self.missing(&name)) };
        self.check_shape(&name, stored, shape)?;
        let kind = stored.kind;
        // Floats of a byte mean nothing without their scales.
        let is_float = kind.element.is_some_and(|element| element.is_float() && kind.bytes > 1);
        if !is_float && !dequantize::known().contains(&kind.name) {
            let known = format!("F32, F16, BF16, {}", dequantize::known().join(", "));
            return Err(self.failed("FX1014", format!("tensor `{name}` has elements {}; known: {known}", kind.name)));
        }
        self.used.borrow_mut().entry(name).or_default();
        Ok(stored.clone())
    }

    /// Parts of names in `heads` stand for tensors that the graph may leave out.
    ///
    /// # Errors
    /// FX1016 where the checkpoint has tensors that the graph does not read: it is another model than its settings say.
    pub fn check_all_used(&self, heads: &[&str]) -> Result<(), Box<Diagnostic>> {
        let used = self.used.borrow();
        let is_ignored = |name: &str| {
            let said = self.quantized.is_some() && IGNORED_ENDS.iter().any(|end| name.ends_with(end));
            said || IGNORED.iter().chain(heads).any(|part| name.contains(part))
        };
        let is_extra = |name: &&str| !used.contains_key(*name) && !is_ignored(name);
        let extra: Vec<&str> = self.tensors.keys().map(String::as_str).filter(is_extra).collect();
        if extra.is_empty() {
            return Ok(());
        }
        let what = format!("{} has no place for {}", self.architecture(), some(&extra));
        Err(self.failed("FX1016", what))
    }
}

/// A tensor's name with another end than `.weight`.
fn with_end(name: &str, end: &str) -> String {
    format!("{}{end}", name.strip_suffix(".weight").unwrap_or(name))
}

/// The first of a list of names, and how many more.
fn some(names: &[&str]) -> String {
    let shown = names.iter().take(SHOWN).copied().collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(SHOWN) {
        0 if names.is_empty() => "none".to_string(),
        0 => shown,
        more => format!("{shown}, and {more} more"),
    }
}

/// `rope_scaling.factor` of a JSON object.
fn looked_up<'a>(config: &'a serde_json::Value, path: &str) -> Option<&'a serde_json::Value> {
    path.split('.').try_fold(config, |at, key| at.get(key))
}

fn of_file(path: &Path) -> impl Fn(FileError) -> Box<Diagnostic> {
    let file = path.display().to_string();
    move |error| Box::new(failed(error.code, &file, error.message.clone()).hint(error.help()))
}

fn open_gguf(path: &Path) -> Result<Checkpoint, Box<Diagnostic>> {
    let name = path.display().to_string();
    let unreadable = |error: std::io::Error| failed("FX1011", &name, error.to_string());
    let file = File::open(path).map_err(unreadable)?;
    let bytes = file.metadata().map_err(unreadable)?.len();
    let file = Gguf::read(&mut BufReader::new(file), bytes).map_err(of_file(path))?;
    Ok(Checkpoint::of_gguf(name, file))
}

fn open_folder(folder: &Path) -> Result<Checkpoint, Box<Diagnostic>> {
    let name = folder.display().to_string();
    let config = folder.join(CONFIG);
    let unreadable = |path: &Path| {
        let path = path.display().to_string();
        move |error: std::io::Error| failed("FX1011", &path, error.to_string())
    };
    if !config.exists() {
        return Err(failed("FX1011", &name, format!("the folder holds no {CONFIG}")));
    }
    let file = File::open(&config).map_err(unreadable(&config))?;
    let mut text = String::new();
    file.take(CONFIG_BYTES_MAX).read_to_string(&mut text).map_err(unreadable(&config))?;
    let settings: serde_json::Value =
        serde_json::from_str(&text).map_err(|e| failed("FX1011", &config.display().to_string(), e.to_string()))?;
    let (mut tensors, mut places) = (BTreeMap::new(), BTreeMap::new());
    for path in shards(folder).map_err(unreadable(folder))? {
        let file = File::open(&path).map_err(unreadable(&path))?;
        let bytes = file.metadata().map_err(unreadable(&path))?.len();
        for entry in safetensors::read(&mut BufReader::new(file), bytes).map_err(of_file(&path))? {
            if entry.name.ends_with(POSITION_NUMBERS) {
                continue;
            }
            let kind = entry.element.and_then(Kind::of_element);
            let Some(kind) = kind else {
                let what =
                    format!("tensor `{}` has elements {}; known: F32, F16, BF16, F8_E4M3", entry.name, entry.dtype);
                return Err(failed("FX1014", &path.display().to_string(), what));
            };
            places.insert(entry.name.clone(), (path.clone(), entry.range));
            if tensors.insert(entry.name.clone(), Stored { kind, shape: entry.shape }).is_some() {
                return Err(failed("FX1003", &name, format!("tensor `{}` is in two files", entry.name)));
            }
        }
    }
    check_index(folder, |name| tensors.contains_key(name))?;
    if tensors.is_empty() {
        return Err(failed("FX1011", &name, "the folder holds no .safetensors file"));
    }
    Ok(Checkpoint {
        file: name,
        settings: Settings::HuggingFace(settings),
        tensors,
        places,
        renamed: &[],
        quantized: None,
        used: RefCell::default(),
    })
}

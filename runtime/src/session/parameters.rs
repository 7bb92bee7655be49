//! Named parameters from safetensors, GGUF and npz files, or from memory. A folder stands for the safetensors files
//! in it. Tensors of a GGUF file that are in blocks of quantised elements are parameters of bytes, as they lie there.
//!
//! A file given with a scope holds the parameters of that scope; one without holds those without a scope, and those
//! of scopes for which no file was given. A tensor that is in memory goes before one of a file. Every parameter of the
//! module must be found once, with its dtype, shape and size; what is missing, wrong or left over is reported in one
//! error. Names left over alone are no error.
//!
//! A parameter whose name has a `*` may also be the stack of the tensors with 0, 1, … in its place
//! (`fornax_checkpoint::stacks`): each is copied to its place in the one buffer.
//!
//! Of a parameter with a sharding files hold the whole; each device takes its part. A part that lies in one piece is
//! used or copied from there, other bytes are not read.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fornax_checkpoint::gguf::Gguf;
use fornax_checkpoint::{FileError, stacks};
use fornax_module::manifest::{Manifest, Parameter};

use super::bind::to_device_form;
use super::{ParameterTensor, SessionOptions, program_error, sharding};
use crate::errors::{ErrorKind, Result, RuntimeError};
use crate::hal::{Buffer, Collective, Device, Place, block_bytes};
use crate::mapping::{HostBytes, Mapping};
use crate::tensor::npz::Npz;
use crate::tensor::safetensors::SafeTensors;
use crate::tensor::{ElementType, Tensor, TensorType};

/// Names shown of each kind in an error.
const SHOWN: usize = 10;

/// A file of parameters, `[scope=]FILE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParameterFile {
    /// Empty = none.
    pub scope: String,
    pub path: PathBuf,
}

impl ParameterFile {
    /// Parses `[scope=]FILE`.
    pub fn parse(text: &str) -> ParameterFile {
        match text.split_once('=') {
            Some((scope, path)) if !scope.contains('/') => {
                ParameterFile { scope: scope.to_string(), path: PathBuf::from(path) }
            }
            _ => ParameterFile { scope: String::new(), path: PathBuf::from(text) },
        }
    }
}

/// A tensor of a file, in place where the file allows it.
enum Data {
    Mapped(Arc<Mapping>, std::ops::Range<usize>),
    Read(Tensor),
    Given(Arc<Tensor>),
}

struct Entry {
    scope: String,
    name: String,
    /// `None` for a dtype that is not ours, spelled in `dtype`.
    ty: Option<TensorType>,
    dtype: String,
    data: Data,
    used: bool,
}

impl Entry {
    fn given(given: &ParameterTensor) -> Entry {
        Entry {
            scope: String::new(),
            name: given.name.clone(),
            ty: Some(given.tensor.ty().clone()),
            dtype: String::new(),
            data: Data::Given(given.tensor.clone()),
            used: false,
        }
    }

    fn is_given(&self) -> bool {
        matches!(self.data, Data::Given(_))
    }
}

/// What a parameter takes, bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ParameterBytes {
    /// Of the device's memory.
    pub held: u64,
    /// Where it lies in its file.
    pub in_place: u64,
}

/// Where the parameters of a module are.
pub(super) struct Found<'m> {
    manifest: &'m Manifest,
    entries: Vec<Entry>,
    /// The entries that each parameter is made of.
    parts: Vec<Vec<usize>>,
    /// The number of the device whose parts are wanted.
    number: u32,
}

impl Found<'_> {
    /// Uploads the parameters for which `wanted` holds, by their numbers; the others are `None`. Long ones go together.
    pub(super) fn bind(&self, device: &Device, wanted: &dyn Fn(usize) -> bool) -> Result<Vec<Option<Buffer>>> {
        let (mut bound, mut pending) = (Vec::new(), Vec::new());
        for number in 0..self.manifest.parameters.len() {
            let placed = if wanted(number) { Some(self.place(device, number)?) } else { None };
            bound.push(placed.map(|Placed { buffer, open }| {
                pending.extend(open.map(|host| (buffer.all(), host)));
                buffer
            }));
        }
        let pieces: Vec<_> = pending.iter().map(|(slice, host)| (slice.clone(), host.bytes())).collect();
        device.upload_all(&pieces)?;
        Ok(bound)
    }

    /// Uploads one parameter.
    pub(super) fn upload(&self, device: &Device, number: usize) -> Result<Buffer> {
        let Placed { buffer, open } = self.place(device, number)?;
        if let Some(host) = open {
            device.upload(&buffer.all(), host.bytes())?;
        }
        Ok(buffer)
    }

    fn place(&self, device: &Device, number: usize) -> Result<Placed> {
        let missing = || program_error(format!("no parameter {number}"));
        let (parameter, parts) = self.all().nth(number).ok_or_else(missing)?;
        match parts[..] {
            [entry] if !is_stacked(parameter, entry) => place((device, self.number), entry, parameter),
            _ => upload_stack((device, self.number), &parts, parameter).map(Placed::from),
        }
    }

    /// Each parameter with what it is made of.
    fn all(&self) -> impl Iterator<Item = (&Parameter, Vec<&Entry>)> {
        let entries = |parts: &Vec<usize>| parts.iter().filter_map(|&at| self.entries.get(at)).collect();
        self.manifest.parameters.iter().zip(self.parts.iter().map(entries))
    }

    /// The bytes of a device's memory that each parameter takes, or those that are used where they lie.
    pub(super) fn bytes(&self, device: &Device) -> Vec<ParameterBytes> {
        let mut found = Vec::new();
        for (parameter, parts) in self.all() {
            let is_imported = match parts[..] {
                [entry] if !is_stacked(parameter, entry) && !is_rewritten(parameter) => match &entry.data {
                    Data::Mapped(mapping, range) => in_one_piece((mapping, range), parameter, self.number)
                        .is_some_and(|host| device.import(&host).is_some()),
                    Data::Read(_) | Data::Given(_) => false,
                },
                _ => false,
            };
            found.push(if is_imported {
                ParameterBytes { held: 0, in_place: parameter.bytes }
            } else {
                ParameterBytes { held: block_bytes(parameter.bytes), in_place: 0 }
            });
        }
        found
    }
}

/// Finds all parameters of a module in what is given.
///
/// # Errors
/// FX0714 where one is missing or does not fit.
pub(super) fn find<'m>(manifest: &'m Manifest, options: &SessionOptions) -> Result<Found<'m>> {
    let files = &options.parameters;
    let mut entries = Vec::new();
    if !manifest.parameters.is_empty() {
        entries.extend(options.tensors.iter().map(Entry::given));
        for file in files {
            open(file, &mut entries).map_err(|e| e.context(format_args!("parameters {}", file.path.display())))?;
        }
    }
    let scopes: Vec<&str> = files.iter().map(|file| file.scope.as_str()).collect();
    let (mut missing, mut wrong, mut found) = (Vec::new(), Vec::new(), Vec::<Vec<usize>>::new());
    let places = Places::of(&entries);
    for parameter in &manifest.parameters {
        let parameter = &sharding::whole_parameter(parameter);
        let name = parameter.full_name();
        let own_file = scopes.contains(&parameter.scope.as_str());
        let scope = if own_file { parameter.scope.as_str() } else { "" };
        let all = || entries.iter().enumerate();
        let mut given = all().filter(|(_, e)| e.is_given() && e.name == name).map(|(at, _)| at).peekable();
        let matching: Vec<usize> = match given.peek() {
            Some(_) => given.collect(),
            None => all()
                .filter(|(_, e)| !e.is_given() && e.scope == scope && e.name == parameter.name)
                .map(|(at, _)| at)
                .collect(),
        };
        match matching.as_slice() {
            [] if stacks::is_stack(&parameter.name) => {
                let parts = places.stack(parameter, scope).and_then(|parts| stacked(parameter, &mut entries, parts));
                match parts {
                    Ok(parts) => found.push(parts),
                    Err(why) => wrong.push(format!("{name}: {why}")),
                }
            }
            [] => missing.push(format!("{name} ({})", type_text(parameter))),
            &[at] => {
                let Some(entry) = entries.get_mut(at) else { continue };
                entry.used = true;
                match misfit(parameter, entry) {
                    Some(why) => wrong.push(format!("{name}: {why}")),
                    None => found.push(vec![at]),
                }
            }
            [at, ..] if entries.get(*at).is_some_and(Entry::is_given) => wrong.push(format!("{name}: given twice")),
            _ => wrong.push(format!("{name}: in two files")),
        }
    }
    if !missing.is_empty() || !wrong.is_empty() {
        let extra: Vec<String> = entries.iter().filter(|e| !e.used).map(|e| e.name.clone()).collect();
        let error = mismatch(&missing, &wrong, &extra);
        let has_places = manifest.functions.iter().any(|function| !function.parameters.is_empty());
        let or = if has_places { ", or every argument of the model with --input" } else { "" };
        return Err(
            error.with_help(format!("give files with --parameters=[scope=]FILE (safetensors, gguf or npz){or}"))
        );
    }
    let number = options.collective.as_ref().map_or(0, Collective::device);
    Ok(Found { manifest, entries, parts: found, number })
}

/// A device's part of a tensor in a file, where it lies in one piece.
fn in_one_piece(
    (mapping, range): (&Arc<Mapping>, &std::ops::Range<usize>),
    parameter: &Parameter,
    number: u32,
) -> Option<HostBytes> {
    let own = sharding::span(parameter, number)?;
    let (start, end) = (range.start.checked_add(own.start)?, range.start.checked_add(own.end)?);
    if end > range.end { None } else { HostBytes::new(mapping.clone(), start..end) }
}

/// A device's part of the elements of a tensor.
fn own_part<'b>(bytes: &'b [u8], parameter: &Parameter, number: u32) -> Result<Cow<'b, [u8]>> {
    if parameter.sharding.is_empty() {
        return Ok(Cow::Borrowed(bytes));
    }
    let ty = TensorType::new(element_type(parameter)?, parameter.shape.clone());
    Ok(Cow::Owned(sharding::part_bytes(bytes, &ty, (&parameter.signature(), number))?))
}

fn element_type(parameter: &Parameter) -> Result<ElementType> {
    let unknown = || program_error(format!("element type `{}` is not known", parameter.element_type));
    ElementType::parse(&parameter.element_type).ok_or_else(unknown)
}

/// Whether files may hold a parameter's elements in another form than devices.
fn is_rewritten(parameter: &Parameter) -> bool {
    ElementType::parse(&parameter.element_type).is_none_or(|ty| ty == ElementType::I1 || ty.is_sub_byte())
}

/// Where tensors of files are, by scope and name; how many have that name.
struct Places(HashMap<(String, String), (usize, usize)>);

impl Places {
    fn of(entries: &[Entry]) -> Places {
        let mut places = HashMap::new();
        for (at, entry) in entries.iter().enumerate().filter(|(_, entry)| !entry.is_given()) {
            places.entry((entry.scope.clone(), entry.name.clone())).or_insert((at, 0)).1 += 1;
        }
        Places(places)
    }

    /// The parts of a stack, or why there is none.
    fn stack(&self, parameter: &Parameter, scope: &str) -> std::result::Result<Vec<usize>, String> {
        let count = parameter.shape.first().copied().unwrap_or(0);
        let part = |number| {
            let name = stacks::part(&parameter.name, number);
            match self.0.get(&(scope.to_string(), name.clone())) {
                None => Err(format!("no tensor {name}")),
                Some(&(at, 1)) => Ok(at),
                Some(_) => Err(format!("{name} is in two files")),
            }
        };
        (0..count).map(part).collect()
    }
}

/// The part of a stack that a parameter is, as a parameter.
fn part_of(parameter: &Parameter) -> Parameter {
    let mut part = parameter.clone();
    let count = part.shape.first().copied().unwrap_or(1).max(1);
    part.shape.drain(..1.min(part.shape.len()));
    part.sharding.drain(..1.min(part.sharding.len()));
    part.bytes /= count;
    part
}

/// Marks the parts of a stack, or says why one does not fit.
fn stacked(parameter: &Parameter, entries: &mut [Entry], parts: Vec<usize>) -> std::result::Result<Vec<usize>, String> {
    let part = part_of(parameter);
    if is_rewritten(&part) {
        return Err(format!("a stack of {} cannot be made", part.element_type));
    }
    for &at in &parts {
        let Some(entry) = entries.get_mut(at) else { continue };
        entry.used = true;
        if let Some(why) = misfit(&part, entry) {
            return Err(format!("{}: {why}", entry.name));
        }
    }
    Ok(parts)
}

/// Whether an entry is a part of a parameter, and not all of it.
fn is_stacked(parameter: &Parameter, entry: &Entry) -> bool {
    entry.ty.as_ref().is_some_and(|ty| ty.shape != sharding::whole_parameter(parameter).shape)
}

fn mismatch(missing: &[String], wrong: &[String], extra: &[String]) -> RuntimeError {
    let mut lines = Vec::new();
    for (kind, names) in [("missing", missing), ("not as the module wants", wrong), ("not used", extra)] {
        if names.is_empty() {
            continue;
        }
        let shown: Vec<&str> = names.iter().take(SHOWN).map(String::as_str).collect();
        let more = names.len().saturating_sub(SHOWN);
        let more = if more > 0 { format!(", and {more} more") } else { String::new() };
        lines.push(format!("{} {kind}: {}{more}", names.len(), shown.join(", ")));
    }
    let message = format!("the module's parameters do not match the files given: {}", lines.join("; "));
    RuntimeError::new("FX0714", ErrorKind::Input, message)
}

fn type_text(parameter: &Parameter) -> String {
    let dims: String = parameter.shape.iter().map(|dim| format!("{dim}x")).collect();
    dims + &parameter.element_type
}

/// Why an entry is not the parameter.
fn misfit(parameter: &Parameter, entry: &Entry) -> Option<String> {
    let wanted = ElementType::parse(&parameter.element_type);
    let fits = entry.ty.as_ref().zip(wanted).is_some_and(|(ty, wanted)| {
        let device_bytes = if wanted.is_sub_byte() { None } else { ty.bytes().ok() };
        ty.shape == parameter.shape
            && ty.element_type.stands_for(wanted)
            && device_bytes.is_none_or(|bytes| bytes as u64 == parameter.bytes)
    });
    let given = entry.ty.as_ref().map_or_else(|| entry.dtype.clone(), TensorType::to_string);
    let held = if entry.is_given() { "given was" } else { "the file has" };
    (!fits).then(|| format!("the module wants {}, {held} {given}", type_text(parameter)))
}

fn open(file: &ParameterFile, entries: &mut Vec<Entry>) -> Result<()> {
    let extension = file.path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let scope = &file.scope;
    match extension {
        "safetensors" => {
            let open = SafeTensors::open(&file.path)?;
            entries.extend(open.entries().iter().map(|entry| Entry {
                scope: scope.clone(),
                name: entry.name.clone(),
                ty: entry.ty.clone(),
                dtype: entry.dtype.clone(),
                data: Data::Mapped(open.mapping().clone(), entry.range.clone()),
                used: false,
            }));
        }
        "npz" => {
            let open = Npz::open(&file.path)?;
            for name in open.names() {
                let tensor = open.read(name)?;
                entries.push(Entry {
                    scope: scope.clone(),
                    name: name.to_string(),
                    ty: Some(tensor.ty().clone()),
                    dtype: String::new(),
                    data: Data::Read(tensor),
                    used: false,
                });
            }
        }
        "gguf" => {
            let mapping = Arc::new(Mapping::open(&file.path)?);
            let bytes = mapping.bytes();
            let broken = |e: FileError| RuntimeError::input(e.code, e.message.as_str()).with_help(e.help());
            let header = Gguf::read(&mut &bytes[..], bytes.len() as u64).map_err(broken)?;
            for entry in header.entries {
                let (element, shape) = entry.kind.stored(&entry.shape);
                let range = usize::try_from(entry.range.start).ok().zip(usize::try_from(entry.range.end).ok());
                let (start, end) = range.ok_or_else(|| program_error("parameters"))?;
                entries.push(Entry {
                    scope: scope.clone(),
                    name: entry.name,
                    ty: Some(TensorType::new(element, shape)),
                    dtype: entry.kind.name.to_string(),
                    data: Data::Mapped(mapping.clone(), start..end),
                    used: false,
                });
            }
        }
        _ if file.path.is_dir() => {
            for path in shards(&file.path)? {
                open(&ParameterFile { scope: scope.clone(), path }, entries)?;
            }
        }
        _ => {
            let message = "a file of parameters ends in .safetensors, .gguf or .npz";
            return Err(RuntimeError::new("FX0714", ErrorKind::Input, message));
        }
    }
    Ok(())
}

/// The safetensors files of a folder, by name.
fn shards(folder: &Path) -> Result<Vec<PathBuf>> {
    let unreadable = |error: std::io::Error| RuntimeError::input("FX0714", error.to_string());
    let mut found = Vec::new();
    for file in std::fs::read_dir(folder).map_err(unreadable)? {
        let path = file.map_err(unreadable)?.path();
        if path.extension().is_some_and(|extension| extension == "safetensors") {
            found.push(path);
        }
    }
    if found.is_empty() {
        return Err(RuntimeError::input("FX0714", "the folder holds no .safetensors file"));
    }
    found.sort();
    Ok(found)
}

fn upload_stack((device, number): (&Device, u32), parts: &[&Entry], parameter: &Parameter) -> Result<Buffer> {
    let buffer = device.allocate(parameter.bytes, Place::Device)?;
    let part = part_of(parameter);
    for (at, entry) in (0u64..).zip(parts) {
        let slice = buffer.slice(at * part.bytes, part.bytes);
        let upload = |bytes: &[u8]| -> Result<()> { Ok(device.upload(&slice, &own_part(bytes, &part, number)?)?) };
        match &entry.data {
            Data::Read(tensor) => upload(tensor.bytes())?,
            Data::Given(tensor) => upload(tensor.bytes())?,
            Data::Mapped(mapping, range) => {
                let host = HostBytes::new(mapping.clone(), range.clone()).ok_or_else(|| program_error("parameters"))?;
                upload(host.bytes())?;
            }
        }
    }
    Ok(buffer)
}

/// A parameter in memory of a device.
struct Placed {
    buffer: Buffer,
    /// What is still to be copied there.
    open: Option<HostBytes>,
}

impl From<Buffer> for Placed {
    fn from(buffer: Buffer) -> Placed {
        Placed { buffer, open: None }
    }
}

/// A tensor in memory of a device. What lies in a file as the device wants it is not copied yet.
fn place((device, number): (&Device, u32), entry: &Entry, parameter: &Parameter) -> Result<Placed> {
    let ty = TensorType::new(element_type(parameter)?, parameter.shape.clone());
    let whole = |tensor: &Tensor| -> Result<Placed> {
        let own = own_part(tensor.bytes(), parameter, number)?;
        Ok(device.upload_new(&to_device_form(&ty, &own, parameter.bytes)?)?.into())
    };
    let (mapping, range) = match &entry.data {
        Data::Read(tensor) => return whole(tensor),
        Data::Given(tensor) => return whole(tensor),
        Data::Mapped(mapping, range) => (mapping, range),
    };
    let host = HostBytes::new(mapping.clone(), range.clone()).ok_or_else(|| program_error("parameters"))?;
    if is_rewritten(parameter) {
        // Files may hold other bits than 0 and 1 in a byte.
        let all = TensorType::new(ty.element_type, sharding::whole_parameter(parameter).shape);
        return whole(&Tensor::new(all, host.bytes().to_vec())?);
    }
    let Some(own) = in_one_piece((mapping, range), parameter, number) else {
        return Ok(device.upload_new(&own_part(host.bytes(), parameter, number)?)?.into());
    };
    if let Some(buffer) = device.import(&own) {
        return Ok(buffer.into());
    }
    Ok(Placed { buffer: device.allocate(own.bytes().len() as u64, Place::Device)?, open: Some(own) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_parse() {
        assert_eq!(ParameterFile::parse("a.npz"), ParameterFile { scope: String::new(), path: "a.npz".into() });
        assert_eq!(ParameterFile::parse("m=a.npz"), ParameterFile { scope: "m".into(), path: "a.npz".into() });
        assert_eq!(ParameterFile::parse("./x=y.npz").path, PathBuf::from("./x=y.npz"));
    }
}

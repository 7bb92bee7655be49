//! The linker of SPIR-V: modules of one kernel each become one module with all kernels.
//!
//! A module is sections in a fixed order, and names are numbers (ids). Each section of the result is that of all
//! modules, one after another, with new ids. Types, constants and variables of built-ins are there once, since the
//! specification forbids a type twice: they are found again by their words and decorations. Names for debuggers and the
//! source language are left out, so that only what is executed decides the bytes. Variables in local memory get names,
//! `KERNEL.local0`: PoCL tells by them whose they are, and without names takes a kernel's for those of another. LLVM
//! marks variables of built-ins as imports, from a time when they were functions; here they are what they are, and the
//! module needs nothing from outside.
//!
//! Example: two kernels over `float` pointers: `OpTypeFloat 32`, `OpTypePointer CrossWorkgroup %float` and the
//! constants both use are written once; their functions follow each other, the second's ids behind the first's.

mod grammar;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt::Write;

use fornax_module::spirv::{HEADER_WORDS, Instruction, MAGIC, Spirv, op, string_words};
use grammar::Word;

/// What the generator field says: no registered tool.
const GENERATOR: u32 = 0;
/// Sections of names and sources, which nothing executes.
const DEBUG: &[u16] = &[3, 4, 5, 6, 7, 8, 317, 330];
/// Definitions outside of functions that are one where they are equal: types, constants, `OpUndef`.
const SHARED: &[u16] = &[1, 19, 20, 21, 22, 23, 28, 30, 32, 33, 41, 42, 43, 44, 46];
const OP_NAME: u16 = 5;
const OP_VARIABLE: u16 = 59;
const OP_SWITCH: u16 = 251;
const OP_CONSTANT: u16 = 43;
const OP_TYPE_INT: u16 = 21;
const OP_TYPE_FLOAT: u16 = 22;
const OP_TYPE_VECTOR: u16 = 23;
const OP_TYPE_ARRAY: u16 = 28;
const OP_TYPE_POINTER: u16 = 32;
const STORAGE_INPUT: u32 = 1;
const STORAGE_WORKGROUP: u32 = 4;
const CAPABILITY_LINKAGE: u32 = 5;
const DECORATION_LINKAGE: u32 = 41;

/// The module being made.
#[derive(Default)]
pub struct Joined {
    version: u32,
    bound: u32,
    capabilities: BTreeSet<u32>,
    extensions: BTreeSet<Vec<u32>>,
    imports: HashMap<Vec<u32>, u32>,
    memory_model: Option<Vec<u32>>,
    /// Sections as words, in the order of the file.
    import_words: Vec<u32>,
    entries: Vec<u32>,
    modes: Vec<u32>,
    names: Vec<u32>,
    decorations: Vec<u32>,
    globals: Vec<u32>,
    functions: Vec<u32>,
    shared: HashMap<Shared, u32>,
}

/// What makes a definition the same as another: opcode, operands without the result, decorations.
#[derive(PartialEq, Eq, Hash)]
struct Shared {
    opcode: u16,
    operands: Vec<u32>,
    decorations: Vec<Vec<u32>>,
}

/// One module on its way in.
struct Incoming<'j> {
    all: &'j mut Joined,
    kernel: &'j str,
    /// Variables in local memory so far.
    locals: usize,
    ids: HashMap<u32, u32>,
    /// Ids whose definition was there already: their decorations are too.
    known: HashSet<u32>,
    /// Words of a literal of this type, where it is an integer; the type of each result.
    literal_words: HashMap<u32, usize>,
    types: HashMap<u32, u32>,
    /// Decorations by target, without the target.
    decorations: HashMap<u32, Vec<Vec<u32>>>,
}

/// Adds the module of one kernel; gives the bytes of local memory that it declares.
///
/// # Errors
/// What the linker does not understand, in words.
pub fn add(all: &mut Joined, kernel: &str, bytes: &[u8]) -> Result<u32, String> {
    let module = Spirv::parse(bytes)?;
    if module.kernels()? != [kernel] {
        return Err("its entry points are not the kernel alone".into());
    }
    let (major, minor) = module.version();
    all.version = all.version.max(major << 16 | minor << 8);
    all.bound = all.bound.max(1);
    let mut incoming = Incoming {
        all,
        kernel,
        locals: 0,
        ids: HashMap::new(),
        known: HashSet::new(),
        literal_words: HashMap::new(),
        types: HashMap::new(),
        decorations: HashMap::new(),
    };
    incoming.read_decorations(&module)?;
    incoming.read_types(&module);
    let functions_from = module.instructions().position(|i| i.opcode == op::FUNCTION).ok_or("it has no function")?;
    for instruction in module.instructions().take(functions_from) {
        incoming.global(&instruction)?;
    }
    for instruction in module.instructions().take(functions_from) {
        incoming.about(&instruction)?;
    }
    for instruction in module.instructions().skip(functions_from).filter(|i| !DEBUG.contains(&i.opcode)) {
        let words = incoming.renumbered(&instruction)?;
        push(&mut incoming.all.functions, instruction.opcode, &words);
    }
    incoming.write_decorations();
    local_bytes(&module)
}

impl Incoming<'_> {
    fn read_decorations(&mut self, module: &Spirv<'_>) -> Result<(), String> {
        for decoration in module.instructions().filter(|i| i.opcode == op::DECORATE) {
            let [target, what @ ..] = decoration.operands else { return Err("a decoration of nothing".into()) };
            if what.first() != Some(&DECORATION_LINKAGE) {
                self.decorations.entry(*target).or_default().push(what.to_vec());
            }
        }
        for of_target in self.decorations.values_mut() {
            of_target.sort_unstable();
            of_target.dedup();
        }
        Ok(())
    }

    fn read_types(&mut self, module: &Spirv<'_>) {
        for instruction in module.instructions() {
            if let (OP_TYPE_INT, [id, bits, _]) = (instruction.opcode, instruction.operands) {
                self.literal_words.insert(*id, if *bits > 32 { 2 } else { 1 });
            }
            let typed = grammar::row(instruction.opcode).is_some_and(|(_, _, shape)| shape.starts_with("tr"));
            if let (true, [ty, result, ..]) = (typed, instruction.operands) {
                self.types.insert(*result, *ty);
            }
        }
    }

    /// What each operand word is.
    fn kinds(&self, instruction: &Instruction<'_>) -> Result<Vec<Word>, String> {
        let (opcode, count) = (instruction.opcode, instruction.operands.len());
        let (_, name, shape) =
            grammar::row(opcode).ok_or_else(|| format!("the linker does not know opcode {opcode}"))?;
        let words = if opcode == OP_SWITCH {
            let selector = instruction.operands.first().and_then(|selector| self.types.get(selector));
            let wide = selector.and_then(|ty| self.literal_words.get(ty)).ok_or("an OpSwitch on no integer")?;
            grammar::switch_words(*wide, count)
        } else {
            grammar::words(shape, count)
        };
        words.ok_or_else(|| format!("{name} with {count} words"))
    }

    /// Capabilities, imports, types, constants and variables.
    fn global(&mut self, instruction: &Instruction<'_>) -> Result<(), String> {
        let operands = instruction.operands;
        match (instruction.opcode, operands) {
            (op::CAPABILITY, &[capability]) => {
                if capability != CAPABILITY_LINKAGE {
                    self.all.capabilities.insert(capability);
                }
            }
            (op::EXTENSION, name) => {
                self.all.extensions.insert(name.to_vec());
            }
            (op::EXT_INST_IMPORT, [result, name @ ..]) => {
                let id = match self.all.imports.get(name) {
                    Some(&id) => id,
                    None => {
                        let id = self.all.fresh();
                        self.all.imports.insert(name.to_vec(), id);
                        let words: Vec<u32> = std::iter::once(id).chain(name.iter().copied()).collect();
                        push(&mut self.all.import_words, op::EXT_INST_IMPORT, &words);
                        id
                    }
                };
                self.ids.insert(*result, id);
            }
            (op::MEMORY_MODEL, model) => match &self.all.memory_model {
                Some(other) if other != model => return Err("its memory model is not that of the others".into()),
                Some(_) => {}
                None => self.all.memory_model = Some(model.to_vec()),
            },
            (op::ENTRY_POINT | op::EXECUTION_MODE | op::DECORATE, _) => {}
            (opcode, _) if DEBUG.contains(&opcode) => {}
            _ => self.definition(instruction)?,
        }
        Ok(())
    }

    /// A type, a constant or a variable: written, unless it is there.
    fn definition(&mut self, instruction: &Instruction<'_>) -> Result<(), String> {
        let opcode = instruction.opcode;
        let kinds = self.kinds(instruction)?;
        let at = kinds.iter().position(|word| *word == Word::Result).ok_or("a definition without a result")?;
        let result = instruction.operands.get(at).copied().unwrap_or(0);
        let words = self.renumbered(instruction)?;
        let is_input = opcode == OP_VARIABLE && instruction.operands.get(2) == Some(&STORAGE_INPUT);
        if SHARED.contains(&opcode) || is_input {
            let mut operands = words.clone();
            let id = operands.remove(at);
            let decorations = self.decorations.get(&result).cloned().unwrap_or_default();
            let key = Shared { opcode, operands, decorations };
            if let Some(&there) = self.all.shared.get(&key) {
                self.ids.insert(result, there);
                self.known.insert(result);
                return Ok(());
            }
            self.all.shared.insert(key, id);
        }
        if opcode == OP_VARIABLE && instruction.operands.get(2) == Some(&STORAGE_WORKGROUP) {
            let name = literal(&format!("{}.local{}", self.kernel, self.locals));
            let words: Vec<u32> = words.get(at).copied().into_iter().chain(name).collect();
            push(&mut self.all.names, OP_NAME, &words);
            self.locals += 1;
        }
        push(&mut self.all.globals, opcode, &words);
        Ok(())
    }

    /// Entry points and execution modes.
    fn about(&mut self, instruction: &Instruction<'_>) -> Result<(), String> {
        match (instruction.opcode, instruction.operands) {
            (op::ENTRY_POINT, [model, function, rest @ ..]) => {
                let text = string_words(rest).ok_or("an entry point whose name does not end")?;
                let (name, interface) = rest.split_at_checked(text).unwrap_or((rest, &[]));
                let mut words = vec![*model, self.id(*function)];
                words.extend(name);
                words.extend(interface.iter().map(|id| self.id(*id)));
                push(&mut self.all.entries, op::ENTRY_POINT, &words);
            }
            (op::EXECUTION_MODE, _) => {
                let words = self.renumbered(instruction)?;
                push(&mut self.all.modes, op::EXECUTION_MODE, &words);
            }
            _ => {}
        }
        Ok(())
    }

    fn write_decorations(&mut self) {
        let mut all: Vec<(u32, Vec<Vec<u32>>)> = std::mem::take(&mut self.decorations).into_iter().collect();
        all.retain(|(target, _)| !self.known.contains(target));
        all.sort_unstable_by_key(|(target, _)| *target);
        for (target, decorations) in all {
            let target = self.id(target);
            for decoration in decorations {
                let words: Vec<u32> = std::iter::once(target).chain(decoration).collect();
                push(&mut self.all.decorations, op::DECORATE, &words);
            }
        }
    }

    /// The operands with new ids.
    fn renumbered(&mut self, instruction: &Instruction<'_>) -> Result<Vec<u32>, String> {
        let kinds = self.kinds(instruction)?;
        let words = instruction.operands.iter().zip(kinds);
        Ok(words.map(|(&word, kind)| if kind == Word::Literal { word } else { self.id(word) }).collect())
    }

    fn id(&mut self, old: u32) -> u32 {
        let all = &mut *self.all;
        *self.ids.entry(old).or_insert_with(|| all.fresh())
    }
}

impl Joined {
    fn fresh(&mut self) -> u32 {
        self.bound += 1;
        self.bound - 1
    }

    /// The file.
    pub fn finish(self) -> Vec<u8> {
        let mut words = Vec::with_capacity(HEADER_WORDS + self.functions.len() + self.globals.len());
        words.extend([MAGIC, self.version, GENERATOR, self.bound, 0]);
        for capability in &self.capabilities {
            push(&mut words, op::CAPABILITY, &[*capability]);
        }
        for extension in &self.extensions {
            push(&mut words, op::EXTENSION, extension);
        }
        words.extend(&self.import_words);
        if let Some(model) = &self.memory_model {
            push(&mut words, op::MEMORY_MODEL, model);
        }
        for section in [&self.entries, &self.modes, &self.names, &self.decorations, &self.globals, &self.functions] {
            words.extend(section);
        }
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }
}

/// A module as text, an instruction a line: `%9 = OpIAdd %4 %7 %8`, the result's type first among the operands.
pub fn listing(bytes: &[u8]) -> String {
    let module = match Spirv::parse(bytes) {
        Ok(module) => module,
        Err(why) => return format!("; no SPIR-V module: {why}\n"),
    };
    let (major, minor) = module.version();
    let mut text = format!("; SPIR-V {major}.{minor}, ids below {}\n", module.bound());
    for instruction in module.instructions() {
        let (name, shape) = match grammar::row(instruction.opcode) {
            Some((_, name, shape)) => (name.to_string(), shape),
            None => (format!("Op#{}", instruction.opcode), "l*"),
        };
        let count = instruction.operands.len();
        let kinds = grammar::words(shape, count).unwrap_or_else(|| vec![Word::Literal; count]);
        let words = || instruction.operands.iter().zip(&kinds);
        if let Some((result, _)) = words().find(|(_, kind)| **kind == Word::Result) {
            // Writing to a String cannot fail.
            let _ = write!(text, "%{result} = ");
        }
        text.push_str(&name);
        for (word, kind) in words().filter(|(_, kind)| **kind != Word::Result) {
            let _ = if *kind == Word::Id { write!(text, " %{word}") } else { write!(text, " {word}") };
        }
        text.push('\n');
    }
    text
}

/// Bytes of the module's variables in local memory.
fn local_bytes(module: &Spirv<'_>) -> Result<u32, String> {
    let mut sizes: HashMap<u32, u64> = HashMap::new();
    let mut constants: HashMap<u32, u64> = HashMap::new();
    let mut pointees: HashMap<u32, u32> = HashMap::new();
    let mut total = 0u64;
    for instruction in module.instructions().take_while(|i| i.opcode != op::FUNCTION) {
        let size = |id: &u32| sizes.get(id).copied().unwrap_or(0);
        match (instruction.opcode, instruction.operands) {
            (OP_TYPE_INT | OP_TYPE_FLOAT, [id, bits, ..]) => {
                sizes.insert(*id, u64::from(*bits).div_ceil(8));
            }
            (OP_TYPE_VECTOR, [id, of, lanes]) => {
                let lanes = if *lanes == 3 { 4 } else { *lanes };
                sizes.insert(*id, size(of).saturating_mul(u64::from(lanes)));
            }
            (OP_CONSTANT, [_, id, low, ..]) => {
                constants.insert(*id, u64::from(*low));
            }
            (OP_TYPE_ARRAY, [id, of, count]) => {
                let count = constants.get(count).copied().unwrap_or(0);
                sizes.insert(*id, size(of).saturating_mul(count));
            }
            (OP_TYPE_POINTER, [id, _, of]) => {
                pointees.insert(*id, *of);
            }
            (OP_VARIABLE, [ty, _, STORAGE_WORKGROUP, ..]) => {
                total = total.saturating_add(pointees.get(ty).map_or(0, size));
            }
            _ => {}
        }
    }
    u32::try_from(total).map_err(|_| "its local memory has more than 4 GiB".to_string())
}

/// A text as words of a literal string, with its NUL.
fn literal(text: &str) -> Vec<u32> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize((bytes.len() / 4 + 1) * 4, 0);
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
}

fn push(section: &mut Vec<u32>, opcode: u16, operands: &[u32]) {
    section.push((operands.len() as u32 + 1) << 16 | u32::from(opcode));
    section.extend(operands);
}

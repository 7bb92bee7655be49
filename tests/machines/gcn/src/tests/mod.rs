//! Tests of single instructions: assembled by llvm-mc, disassembled and decoded as in a kernel, run on one wave,
//! compared with values written by hand from the vendor's instruction set documents.
//!
//! A row is `instruction ; registers before -> registers after`, all lanes alike unless a lane is named (`v0@5`).
//! Numbers: `1.5` is f32, `1.5h` f16, `1.5d` f64, `3` and `0x10` bits, `lane` the lane's number, `mem` the address of
//! 256 bytes of memory whose word i holds `0x1000 + i`. `lds+8`, `mem+8`, `scr+8` are words of LDS, memory, scratch.
//!
//! Worked example: `v_add_f32 v0, v1, v2 ; v1=1.5 v2=2.0 -> v0=3.5`.

mod kernels;
mod layouts;
mod rows_float;
mod rows_integer;
mod rows_lanes;
mod rows_later;
mod rows_memory;
mod rows_scalar;
mod used;

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::chip::Chip;
use crate::decode::decode;
use crate::environment::Environment;
use crate::inst::Inst;
use crate::lds::Lds;
use crate::llvm::Disassembler;
use crate::memory::HostMemory;
use crate::object::Image;
use crate::program::Program;
use crate::run::control;
use crate::text::{EXEC, Place, operand};
use crate::wave::Wave;

/// A tool of LLVM 22; None, with a word, where it is not installed.
pub fn tool(name: &str) -> Option<PathBuf> {
    let path = PathBuf::from("/usr/lib/llvm-22/bin").join(name);
    if path.exists() {
        return Some(path);
    }
    eprintln!("skipped: no {} (package llvm-22)", path.display());
    None
}

/// Machine code of assembly text.
pub fn assemble(text: &str, chip: &str, features: &str) -> Option<Vec<u8>> {
    let mut command = Command::new(tool("llvm-mc")?);
    command.args([
        "-triple=amdgcn-amd-amdhsa",
        &format!("-mcpu={chip}"),
        &format!("-mattr={features}"),
        "-filetype=obj",
    ]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "llvm-mc on {chip}");
    use object::{Object, ObjectSection};
    let object = object::File::parse(&output.stdout[..]).unwrap();
    Some(object.section_by_name(".text").unwrap().data().unwrap().to_vec())
}

/// The text that the disassembler gives for each instruction.
fn texts(code: &[u8], chip: &Chip, wave: u32) -> Vec<(u64, String)> {
    let mut disassembler = Disassembler::new(&chip.name, chip.features(wave)).unwrap();
    let mut listed = Vec::new();
    let mut at = 0;
    while at < code.len() {
        let (length, text) = disassembler.instruction(&code[at..], at as u64).unwrap();
        listed.push((length as u64, text));
        at += length;
    }
    listed
}

/// Pairs of doublewords lie 512 bytes apart in `ds_read2st64_b64`.
const LDS_BYTES: usize = 2048;
const MEMORY: u64 = 0x7f00_0000_0000;

/// A number of a row: its words.
fn number(text: &str, lane: usize) -> Vec<u32> {
    let pair = |bits: u64| vec![bits as u32, (bits >> 32) as u32];
    if text == "lane" {
        return vec![lane as u32];
    }
    if let Some(offset) = text.strip_prefix("mem") {
        return pair(MEMORY + offset.trim_start_matches('+').parse::<u64>().unwrap_or(0));
    }
    if let Some(hex) = text.strip_prefix("0x") {
        let bits = u64::from_str_radix(hex, 16).unwrap();
        return if hex.len() > 8 { pair(bits) } else { vec![bits as u32] };
    }
    if let Some(half) = text.strip_suffix('h') {
        return vec![u32::from(half::f16::from_f64(half.parse().unwrap()).to_bits())];
    }
    if let Some(double) = text.strip_suffix('d') {
        return pair(double.parse::<f64>().unwrap().to_bits());
    }
    if text.contains(['.', 'N', 'i', 'e']) {
        return vec![text.parse::<f32>().unwrap().to_bits()];
    }
    vec![text.parse::<i64>().unwrap() as u32]
}

struct Bench<'a> {
    wave: Wave,
    environment: Environment<'a>,
}

impl Bench<'_> {
    fn put(&mut self, name: &str, value: &str) {
        if let Some(at) = name.strip_prefix("lds+") {
            let who = crate::lds::Who { wave: 0, lane: 0 };
            let word = number(value, 0)[0].to_le_bytes();
            self.environment.lds.write(who, at.parse().unwrap(), &word, true, false).unwrap();
            return;
        }
        if let Some(at) = name.strip_prefix("scr+") {
            let at: usize = at.parse().unwrap();
            (self.wave.scratch, self.wave.scratch_def) = (vec![vec![0; 64]; 64], vec![vec![true; 64]; 64]);
            self.wave
                .scratch
                .iter_mut()
                .for_each(|lane| lane[at..at + 4].copy_from_slice(&number(value, 0)[0].to_le_bytes()));
            return;
        }
        match name {
            "scc" => (self.wave.scc, self.wave.scc_def) = (value == "1", true),
            "signalled" => self.wave.signalled = value == "1",
            "exec" => {
                let words = number(value, 0);
                self.wave.set_exec(u64::from(words[0]) | u64::from(words.get(1).copied().unwrap_or(0)) << 32);
            }
            _ => self.register(name, value),
        }
    }

    fn register(&mut self, name: &str, value: &str) {
        let (name, only) =
            name.split_once('@').map_or((name, None), |(name, lane)| (name, Some(lane.parse::<usize>().unwrap())));
        match operand(name).unwrap().place {
            Place::Vector(first, count) => {
                for lane in (0..64).filter(|lane| only.is_none_or(|only| only == *lane)) {
                    let words = number(value, lane);
                    for word in 0..usize::from(count) {
                        let at = first as usize + word;
                        self.wave.v[at][lane] = words.get(word).copied().unwrap_or(0);
                        self.wave.vdef[at] |= 1 << lane;
                    }
                }
            }
            Place::Scalar(first, count) => {
                let words = number(value, 0);
                for word in 0..usize::from(count) {
                    self.wave.s[first as usize + word] = words.get(word).copied().unwrap_or(0);
                    self.wave.sdef[first as usize + word] = u32::MAX;
                }
            }
            _ => panic!("no register: {name}"),
        }
    }

    /// What differs from the expected value.
    fn differs(&mut self, name: &str, value: &str) -> Option<String> {
        let words = |wanted: Vec<u32>, got: Vec<u32>, place: String| {
            let wanted: Vec<u32> = wanted.into_iter().chain(std::iter::repeat(0)).take(got.len()).collect();
            (wanted != got).then(|| format!("{place}: expected {wanted:x?}, got {got:x?}"))
        };
        if let Some(at) = name.strip_prefix("lds+") {
            let mut out = [0; 4];
            self.environment
                .lds
                .read(crate::lds::Who { wave: 0, lane: 0 }, at.parse().unwrap(), &mut out, false)
                .unwrap();
            return words(number(value, 0), vec![u32::from_le_bytes(out)], name.into());
        }
        if let Some(at) = name.strip_prefix("mem+") {
            let at: u64 = at.parse().unwrap();
            let region = self.environment.memory.region(MEMORY).unwrap();
            return words(number(value, 0), vec![crate::environment::load_word(region.words, at)], name.into());
        }
        match name {
            "scc" => {
                return (self.wave.scc != (value == "1") || !self.wave.scc_def)
                    .then(|| format!("scc is {}", self.wave.scc));
            }
            "signalled" => {
                return (self.wave.signalled != (value == "1")).then(|| format!("signalled: {}", self.wave.signalled));
            }
            "exec" => {
                return words(
                    number(value, 0),
                    vec![self.wave.exec as u32, (self.wave.exec >> 32) as u32],
                    name.into(),
                );
            }
            "jump" => {
                return (self.wave.jump.is_some() != (value == "1")).then(|| format!("jump to {:?}", self.wave.jump));
            }
            _ => {}
        }
        let (name, only) =
            name.split_once('@').map_or((name, None), |(name, lane)| (name, Some(lane.parse::<usize>().unwrap())));
        match operand(name).unwrap().place {
            Place::Vector(first, count) => {
                let range = first as usize..first as usize + usize::from(count);
                let lanes = (0..self.wave.lanes as usize).filter(|lane| only.is_none_or(|only| only == *lane));
                lanes.into_iter().find_map(|lane| {
                    if range.clone().any(|at| self.wave.vdef[at] >> lane & 1 == 0) {
                        return Some(format!("{name} is not defined in lane {lane}"));
                    }
                    let got = range.clone().map(|at| self.wave.v[at][lane]).collect();
                    words(number(value, lane), got, format!("{name} lane {lane}"))
                })
            }
            Place::Scalar(first, count) => {
                let range = first as usize..first as usize + usize::from(count);
                if range.clone().any(|at| self.wave.sdef[at] != u32::MAX) {
                    return Some(format!("{name} is not defined"));
                }
                words(number(value, 0), range.map(|at| self.wave.s[at]).collect(), name.into())
            }
            _ => panic!("no register: {name}"),
        }
    }
}

fn pairs(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split_whitespace().map(|pair| pair.split_once('=').unwrap())
}

fn blank_program(chip: &Chip) -> Program {
    let image = Image {
        target: String::new(),
        bytes: 0,
        words: Vec::new(),
        code: (0, 0),
        kernels: Vec::new(),
        symbols: Vec::new(),
    };
    Program::new(image, chip.clone())
}

fn run_row(row: &str, inst: &Inst, program: &Program, lanes: u32) -> Option<String> {
    let mut memory = HostMemory::new();
    let contents: Vec<u8> = (0..64u32).flat_map(|word| (0x1000 + word).to_le_bytes()).collect();
    assert_eq!(memory.alloc_from(&contents), MEMORY);
    let none = crate::memory::Region { base: 1, bytes: 0, words: &[], writable: false };
    let environment = Environment {
        chip: &program.chip,
        program,
        memory: &memory,
        fixed: [none; 3],
        last: None,
        lds: Lds::new(LDS_BYTES),
        scratch_bytes: 64,
    };
    let mut bench = Bench { wave: Wave::new(), environment };
    bench.environment.lds.reset(false);
    bench.wave.reset(0, lanes);
    bench.wave.mode = 0xf0;
    bench.wave.set_exec(u64::MAX);
    let (_, state) = row.split_once(';').unwrap_or((row, "->"));
    let (before, after) = state.split_once("->").unwrap();
    pairs(before).for_each(|(name, value)| bench.put(name, value));
    if std::ptr::fn_addr_eq(inst.run, control::unknown as crate::inst::Run) {
        return Some("not modelled".into());
    }
    if let Err(trap) = (inst.run)(&mut bench.wave, &mut bench.environment, inst) {
        return Some(format!("{:?} {}", trap.kind, trap.what));
    }
    bench.wave.s[EXEC as usize] = bench.wave.exec as u32;
    pairs(after).find_map(|(name, value)| bench.differs(name, value))
}

/// Runs rows on a chip.
fn check(chip: &str, wave: u32, rows: &str) {
    let rows: Vec<&str> = rows.lines().map(str::trim).filter(|row| !row.is_empty() && !row.starts_with('#')).collect();
    let source: String = rows.iter().map(|row| format!("{}\n", row.split(';').next().unwrap())).collect();
    let chip = Chip::of(chip).unwrap();
    let Some(code) = assemble(&source, &chip.name, chip.features(wave)) else { return };
    let texts = texts(&code, &chip, wave);
    assert_eq!(texts.len(), rows.len(), "{}: an instruction a row", chip.name);
    let program = blank_program(&chip);
    let mut wrong = Vec::new();
    for (row, (length, text)) in rows.iter().zip(&texts) {
        let inst = decode(text, 0x1000, *length, &chip, wave);
        if let Some(what) = run_row(row, &inst, &program, wave) {
            wrong.push(format!("{} `{row}` (as `{text}`): {what}", chip.name));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}

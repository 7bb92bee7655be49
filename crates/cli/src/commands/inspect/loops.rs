//! The main loops of the kernels of an hsaco, and how long one takes by LLVM's scheduling model.
//!
//! Input: an image. Output: for each kernel that has a loop the innermost one with the most matrix instructions (or,
//! without any, the most loads from memory): its instructions counted and, where LLVM's tools are installed, the cycles
//! of one iteration of one wave. Compiling needs none of these tools; a report without them says so.
//!
//! `llvm-mca` runs the loop many times: one wave, in order, every load a hit, waits as `s_waitcnt` says; barriers are
//! left out, since how long they take is up to other waves. Its cycle is an issue of an instruction (four clocks on
//! CDNA). An instruction with a second result (a carry) is timed as one like it without: llvm-mca 22 never comes to an
//! end where such a one is issued just before a matrix instruction whose operand arrives from LDS in that cycle.
//! Several waves of a SIMD share the matrix unit: two waves of 40 % keep it busy for 80 % of the time at best. LLVM's
//! models of gfx11 and gfx12 give a WMMA one cycle, though it holds the vector unit for its operations over the unit's
//! rate (`fornax_targets::rates`): these cycles are added.
//!
//! Worked example: 32 times `v_mfma_f32_16x16x16_f16` among 124 instructions on gfx942: 32 · 4 = 128 of 221 cycles, a
//! share of 58 %.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use fornax_targets::{Target, unit_rates};
use serde::Serialize;

/// Iterations that are simulated.
const ITERATIONS: u32 = 32;
/// A tool that takes longer is given up.
const TOOL_LIMIT: Duration = Duration::from_secs(30);
/// SIMDs of a compute unit with WMMA; rates are of a unit.
const WMMA_SIMDS: u32 = 2;
/// How the tools may be called, newest version first.
const SUFFIXES: &[&str] = &["-22", "", "-21", "-20"];

/// A loop and what its iteration takes.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct MainLoop {
    pub instructions: usize,
    pub matrix_instructions: usize,
    pub memory_loads: usize,
    pub lds_instructions: usize,
    /// Of one wave, by LLVM's model; absent where llvm-mca is.
    pub cycles: Option<f64>,
    pub matrix_cycles: Option<f64>,
    /// `matrix_cycles / cycles`.
    pub matrix_share: Option<f64>,
}

impl MainLoop {
    pub fn line(&self) -> String {
        let MainLoop { instructions, matrix_instructions, memory_loads, lds_instructions, .. } = self;
        let mut text = format!(
            "main loop: {instructions} instructions, {matrix_instructions} matrix, {memory_loads} loads, \
             {lds_instructions} LDS"
        );
        if let Some(cycles) = self.cycles {
            text += &format!("; {cycles:.0} cycles by LLVM's model");
        }
        if let Some(share) = self.matrix_share.filter(|_| *matrix_instructions > 0) {
            text += &format!(", {:.0} % of them in the matrix unit", 100.0 * share);
        }
        text
    }
}

/// LLVM's tools, as far as they are installed.
pub struct Loops {
    objdump: Option<PathBuf>,
    mca: Option<PathBuf>,
}

impl Loops {
    /// Looks for them in these folders.
    pub fn find(folders: &[PathBuf]) -> Loops {
        let tool = |name: &str| {
            let names = SUFFIXES.iter().map(|suffix| format!("{name}{suffix}"));
            names.flat_map(|name| folders.iter().map(move |folder| folder.join(&name))).find(|path| path.is_file())
        };
        Loops { objdump: tool("llvm-objdump"), mca: tool("llvm-mca") }
    }

    /// What is missing, if anything.
    pub fn missing(&self) -> Option<&'static str> {
        match (&self.objdump, &self.mca) {
            (None, _) => Some("main loops: llvm-objdump is not installed (Debian: llvm-22)"),
            (_, None) => Some("main loops: llvm-mca is not installed (Debian: llvm-22), so without cycles"),
            _ => None,
        }
    }

    /// The main loop of each kernel that has one.
    ///
    /// # Errors
    /// What llvm-objdump said against the image, one sentence. A loop that llvm-mca cannot time has no cycles; `notes`
    /// says why.
    pub fn of_image(
        &self,
        hsaco: &[u8],
        (arch, wave): (&str, u32),
        notes: &mut Vec<String>,
    ) -> Result<HashMap<String, MainLoop>, String> {
        let Some(objdump) = &self.objdump else { return Ok(HashMap::new()) };
        let folder = tempfile::Builder::new().prefix("fornax-").tempdir().map_err(|error| error.to_string())?;
        let file = folder.path().join("image.hsaco");
        std::fs::write(&file, hsaco).map_err(|error| error.to_string())?;
        let waves = wave_attribute(arch, wave);
        let text = output(
            Command::new(objdump).arg("-d").arg(format!("--mcpu={arch}")).arg(format!("--mattr={waves}")).arg(&file),
        )?;
        let mut found = HashMap::new();
        for (name, code) in functions(&text) {
            let Some(body) = main_loop(&code) else { continue };
            let mut counted = counted(body);
            if let Some(mca) = &self.mca {
                let source = folder.path().join("loop.s");
                let timed_part = body.iter().filter(|instruction| !instruction.is_barrier());
                let lines: Vec<Cow<'_, str>> = timed_part.map(|instruction| single_result(instruction.text)).collect();
                std::fs::write(&source, lines.join("\n") + "\n").map_err(|error| error.to_string())?;
                match timed(&mut counted, mca, &source, arch, waves) {
                    Ok(()) => add_wmma(&mut counted, body, arch),
                    Err(why) => notes.push(format!("{why} (the loop of {name} on {arch})")),
                }
            }
            found.insert(name.to_string(), counted);
        }
        Ok(found)
    }
}

/// Only gfx10 and later have waves of two sizes.
fn wave_attribute(arch: &str, wave: u32) -> &'static str {
    match (arch.starts_with("gfx1"), wave) {
        (true, 32) => "+wavefrontsize32",
        (true, 64) => "+wavefrontsize64",
        _ => "",
    }
}

/// Starts of the names of vector instructions with a second result; one that takes as long without it, how many of the
/// sources that has, and whether its result is as wide.
const TWO_RESULTS: &[(&str, &str, usize, bool)] = &[
    ("v_add_co_", "v_xor_b32", 2, true),
    ("v_addc_co_", "v_xor_b32", 2, true),
    ("v_sub_co_", "v_xor_b32", 2, true),
    ("v_subb_co_", "v_xor_b32", 2, true),
    ("v_subrev_co_", "v_xor_b32", 2, true),
    ("v_subbrev_co_", "v_xor_b32", 2, true),
    ("v_mad_u64_u32", "v_mul_lo_u32", 2, false),
    ("v_mad_i64_i32", "v_mul_lo_u32", 2, false),
    ("v_div_scale_f32", "v_fma_f32", 3, true),
    ("v_div_scale_f64", "v_fma_f64", 3, true),
];

/// `v_add_co_u32_e32 v1, vcc, s2, v3` as `v_xor_b32 v1, s2, v3`: see the head of this module.
fn single_result(text: &str) -> Cow<'_, str> {
    let row = TWO_RESULTS.iter().find(|row| text.starts_with(row.0));
    let (Some(&(_, plain, sources, whole)), Some((_, operands))) = (row, text.split_once(' ')) else {
        return Cow::Borrowed(text);
    };
    let mut operands = operands.split(", ");
    let (Some(result), Some(_)) = (operands.next(), operands.next()) else { return Cow::Borrowed(text) };
    let first = result.strip_prefix("v[").and_then(|pair| pair.split_once(':'));
    let result = match first {
        Some((first, _)) if !whole => format!("v{first}"),
        _ => result.to_string(),
    };
    Cow::Owned(operands.take(sources).fold(format!("{plain} {result}"), |text, operand| text + ", " + operand))
}

/// What a tool writes, if it ends well and in time.
fn output(command: &mut Command) -> Result<String, String> {
    let name = Path::new(command.get_program()).file_name().unwrap_or_default().to_string_lossy().into_owned();
    let failed = |why: &dyn std::fmt::Display| format!("main loops: {name}: {why}");
    let (mut written, mut said) =
        (tempfile::tempfile().map_err(|e| failed(&e))?, tempfile::tempfile().map_err(|e| failed(&e))?);
    let copies = (written.try_clone().map_err(|e| failed(&e))?, said.try_clone().map_err(|e| failed(&e))?);
    let mut child = command.stdin(Stdio::null()).stdout(copies.0).stderr(copies.1).spawn().map_err(|e| failed(&e))?;
    let started = Instant::now();
    let status = loop {
        match child.try_wait().map_err(|e| failed(&e))? {
            Some(status) => break status,
            None if started.elapsed() > TOOL_LIMIT => {
                // It may have ended just now.
                let _ = child.kill();
                child.wait().map_err(|e| failed(&e))?;
                return Err(failed(&format!("no result after {} s", TOOL_LIMIT.as_secs())));
            }
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    let text = |file: &mut std::fs::File| -> std::io::Result<String> {
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(0))?;
        file.read_to_end(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    if !status.success() {
        let said = text(&mut said).map_err(|e| failed(&e))?;
        let line = said.lines().find(|line| line.contains("error")).or(said.lines().next()).unwrap_or_default();
        return Err(failed(&line.chars().take(200).collect::<String>()));
    }
    text(&mut written).map_err(|e| failed(&e))
}

/// An instruction and its address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Instruction<'a> {
    address: u64,
    text: &'a str,
}

impl Instruction<'_> {
    fn name(&self) -> &str {
        self.text.split_whitespace().next().unwrap_or_default()
    }

    fn is_matrix(&self) -> bool {
        ["v_mfma", "v_wmma", "v_smfmac", "v_swmmac"].iter().any(|start| self.name().starts_with(start))
    }

    fn is_load(&self) -> bool {
        let name = self.name();
        ["global_load", "buffer_load", "flat_load"].iter().any(|start| name.starts_with(start))
    }

    fn is_lds(&self) -> bool {
        self.name().starts_with("ds_")
    }

    fn is_barrier(&self) -> bool {
        self.name().starts_with("s_barrier")
    }

    /// Where a branch goes: the instruction behind it and a signed count of words.
    fn branch_target(&self) -> Option<u64> {
        let mut words = self.text.split_whitespace();
        let name = words.next()?;
        if !(name.starts_with("s_cbranch") || name == "s_branch") {
            return None;
        }
        let words = i64::from(words.next()?.parse::<u16>().ok()? as i16);
        self.address.checked_add(4)?.checked_add_signed(4 * words)
    }
}

/// The functions of a disassembly.
fn functions(text: &str) -> Vec<(&str, Vec<Instruction<'_>>)> {
    let mut found: Vec<(&str, Vec<Instruction<'_>>)> = Vec::new();
    for line in text.lines() {
        if let Some(name) = line.strip_suffix(">:").and_then(|line| line.split_once('<')) {
            found.push((name.1, Vec::new()));
            continue;
        }
        // `\tv_add_u32 …   // 000000001714: BF82003A`
        let Some((code, comment)) = line.split_once("//") else { continue };
        let address = comment.trim_start().split(':').next().and_then(|hex| u64::from_str_radix(hex, 16).ok());
        if let (Some(address), Some((_, code_of))) = (address, found.last_mut()) {
            code_of.push(Instruction { address, text: code.trim() });
        }
    }
    found
}

/// The innermost loop with the most matrix instructions, then loads; of equal ones the first.
fn main_loop<'c, 'a>(code: &'c [Instruction<'a>]) -> Option<&'c [Instruction<'a>]> {
    let starts: HashMap<u64, usize> = code.iter().enumerate().map(|(at, i)| (i.address, at)).collect();
    let back = |(end, instruction): (usize, &Instruction<'_>)| {
        let start = *starts.get(&instruction.branch_target()?)?;
        (start <= end).then_some((start, end))
    };
    let loops: Vec<(usize, usize)> = code.iter().enumerate().filter_map(back).collect();
    let contains =
        |outer: &(usize, usize), inner: &(usize, usize)| outer != inner && outer.0 <= inner.0 && inner.1 <= outer.1;
    let innermost = loops.iter().filter(|one| !loops.iter().any(|other| contains(one, other)));
    let bodies = innermost.filter_map(|&(start, end)| code.get(start..=end));
    let weight = |body: &[Instruction<'_>]| {
        let counted = counted(body);
        (counted.matrix_instructions, counted.memory_loads)
    };
    bodies.reduce(|best, body| if weight(body) > weight(best) { body } else { best })
}

fn counted(body: &[Instruction<'_>]) -> MainLoop {
    MainLoop {
        instructions: body.len(),
        matrix_instructions: body.iter().filter(|i| i.is_matrix()).count(),
        memory_loads: body.iter().filter(|i| i.is_load()).count(),
        lds_instructions: body.iter().filter(|i| i.is_lds()).count(),
        ..MainLoop::default()
    }
}

/// Cycles of an iteration by llvm-mca.
fn timed(counted: &mut MainLoop, mca: &Path, source: &Path, arch: &str, waves: &str) -> Result<(), String> {
    let text = output(
        Command::new(mca)
            .args(["-mtriple=amdgcn-amd-amdhsa", "--json"])
            .arg(format!("-mcpu={arch}"))
            .arg(format!("-mattr={waves}"))
            .arg(format!("-iterations={ITERATIONS}"))
            .arg(source),
    )?;
    let unreadable = || "main loops: llvm-mca's answer cannot be read".to_string();
    let answer: serde_json::Value = serde_json::from_str(&text).map_err(|_| unreadable())?;
    let region = &answer["CodeRegions"][0];
    let cycles = region["SummaryView"]["TotalCycles"].as_f64().ok_or_else(unreadable)?;
    let instructions = region["Instructions"].as_array().ok_or_else(unreadable)?;
    let mut busiest = vec![0.0_f64; instructions.len()];
    for entry in region["ResourcePressureView"]["ResourcePressureInfo"].as_array().ok_or_else(unreadable)? {
        let at = entry["InstructionIndex"].as_u64().and_then(|at| usize::try_from(at).ok());
        // The last row is the sum of all.
        if let (Some(slot), Some(usage)) = (at.and_then(|at| busiest.get_mut(at)), entry["ResourceUsage"].as_f64()) {
            *slot = slot.max(usage);
        }
    }
    let is_matrix = |text: &serde_json::Value| {
        text.as_str().is_some_and(|text| Instruction { address: 0, text: text.trim() }.is_matrix())
    };
    let matrix = instructions.iter().zip(&busiest).filter(|(text, _)| is_matrix(text)).map(|(_, cycles)| cycles).sum();
    counted.cycles = Some(cycles / f64::from(ITERATIONS));
    counted.matrix_cycles = Some(matrix);
    set_share(counted);
    Ok(())
}

fn set_share(counted: &mut MainLoop) {
    counted.matrix_share = counted.matrix_cycles.zip(counted.cycles).map(|(matrix, all)| matrix / all);
}

/// The cycles of WMMA beyond the one that LLVM gives each.
fn add_wmma(counted: &mut MainLoop, body: &[Instruction<'_>], arch: &str) {
    let more: f64 = body.iter().filter_map(|i| wmma_cycles(i.name(), arch)).map(|cycles| cycles - 1.0).sum();
    counted.cycles = counted.cycles.map(|cycles| cycles + more);
    counted.matrix_cycles = counted.matrix_cycles.map(|cycles| cycles + more);
    set_share(counted);
}

/// How long `v_wmma_f32_16x16x16_f16` holds the vector unit.
fn wmma_cycles(name: &str, arch: &str) -> Option<f64> {
    let rest = name.strip_prefix("v_wmma_")?;
    let mut parts = rest.split('_').skip(1);
    let sizes: Vec<u32> = parts.next()?.split('x').map(|size| size.parse().ok()).collect::<Option<_>>()?;
    let rates = unit_rates(&Target::from_spec(&format!("rocm:{arch}")).ok()?)?;
    let rate = match parts.next()? {
        "f16" | "bf16" => rates.matrix_half,
        _ => rates.matrix_byte,
    };
    let operations = 2 * sizes.iter().product::<u32>();
    (rate > 0).then(|| f64::from(operations) / f64::from(rate / WMMA_SIMDS))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\nimage.hsaco:\tfile format elf64-amdgpu\n\n0000000000001600 <first>:\n\
        \ts_mov_b32 s0, 0    // 000000001600: BE800080\n\
        \tglobal_load_dword v1, v0, s[0:1]   // 000000001604: DC508000 01000000\n\
        \tv_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[6:7], v[0:3]   // 00000000160C: D3CD0000 04020D04\n\
        \ts_cbranch_scc1 65531   // 000000001614: BF85FFFB\n\
        \tds_read_b128 v[0:3], v1   // 000000001618: D9FE0000 00000001\n\
        \ts_cbranch_scc1 65527   // 000000001620: BF85FFF7\n\
        \ts_endpgm   // 000000001624: BF810000\n\
        0000000000001700 <second>:\n\ts_branch 1   // 000000001700: BF820001\n\ts_nop 0   // 000000001704: BF800000\n\
        \ts_endpgm   // 000000001708: BF810000\n";

    #[test]
    fn the_innermost_loop_is_found() {
        let found = functions(TEXT);
        assert_eq!(
            found.iter().map(|(name, code)| (*name, code.len())).collect::<Vec<_>>(),
            [("first", 7), ("second", 3)]
        );
        let body = main_loop(&found[0].1).expect("a loop");
        assert_eq!((body.len(), body[0].address, body[2].address), (3, 0x1604, 0x1614));
        assert_eq!(main_loop(&found[1].1), None);
        let counted = counted(body);
        assert_eq!((counted.instructions, counted.matrix_instructions, counted.memory_loads), (3, 1, 1));
    }

    #[test]
    fn wmma_takes_its_operations_over_the_rate() {
        assert_eq!(wmma_cycles("v_wmma_f32_16x16x16_f16", "gfx1100"), Some(32.0));
        assert_eq!(wmma_cycles("v_wmma_i32_16x16x16_iu8", "gfx1200"), Some(8.0));
        assert_eq!(wmma_cycles("v_mfma_f32_16x16x16_f16", "gfx942"), None);
    }

    #[test]
    fn second_results_are_left_out() {
        for (text, timed) in [
            ("v_add_co_u32_e32 v1, vcc, 0x100, v3", "v_xor_b32 v1, 0x100, v3"),
            ("v_addc_co_u32_e32 v94, vcc, 0, v67, vcc", "v_xor_b32 v94, 0, v67"),
            ("v_add_co_ci_u32_e64 v94, null, 0, s7, vcc_lo", "v_xor_b32 v94, 0, s7"),
            ("v_mad_u64_u32 v[4:5], s[0:1], v1, s2, v[6:7]", "v_mul_lo_u32 v4, v1, s2"),
            ("v_div_scale_f64 v[4:5], vcc, v[0:1], v[2:3], v[0:1]", "v_fma_f64 v[4:5], v[0:1], v[2:3], v[0:1]"),
            ("v_add_u32_e32 v1, v2, v3", "v_add_u32_e32 v1, v2, v3"),
        ] {
            assert_eq!(single_result(text), timed);
        }
    }

    /// The loop on which llvm-mca 22 never came to an end.
    #[test]
    fn a_carry_before_a_matrix_instruction_is_timed() {
        let folders = ["/usr/lib/llvm-22/bin", "/usr/bin"].map(PathBuf::from);
        let Some(mca) = Loops::find(&folders).mca else { return println!("skipped: llvm-mca is not installed") };
        let text = [
            "ds_read_b128 v[192:195], v190 offset:27840",
            "ds_read_b128 v[196:199], v190 offset:30160",
            "v_mov_b32 v250, 0",
            "v_mov_b32 v250, 0",
            "v_add_co_u32_e32 v250, vcc, s10, v180",
            "v_mfma_f32_32x32x16_f16 v[66:81], v[192:195], v[216:219], v[66:81]",
        ];
        let folder = tempfile::tempdir().expect("a folder");
        let source = folder.path().join("loop.s");
        std::fs::write(&source, text.map(single_result).join("\n") + "\n").expect("written");
        let mut counted = MainLoop { matrix_instructions: 1, ..MainLoop::default() };
        assert_eq!(timed(&mut counted, &mca, &source, "gfx950", ""), Ok(()));
        assert!(counted.matrix_share.is_some_and(|share| share > 0.3 && share <= 1.0), "{counted:?}");
    }

    #[test]
    fn missing_tools_are_named() {
        let none = Loops::find(&[]);
        assert!(none.missing().is_some_and(|text| text.contains("llvm-objdump")));
        assert_eq!(none.of_image(b"", ("gfx942", 64), &mut Vec::new()), Ok(HashMap::new()));
    }
}

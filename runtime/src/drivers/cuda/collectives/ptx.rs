//! Text of the kernels by which GPUs of one process exchange buffers.
//!
//! Input: what a kernel does, on which device of a group. Output: PTX for sm_70 and later, one kernel `exchange`. The
//! text is made for one device of a group of a certain size: all loops over devices are laid out.
//!
//! The ways:
//!
//! - *push*, for few bytes: every thread stores its eight bytes into the pads of the others, each four with the number
//!   of the exchange beside it, and looks at its own pad until all numbers are there. No fence, no barrier between
//!   devices: one trip over the link. A pad has two halves, used in turn: a half is written again two exchanges later,
//!   when its reader has sent that it began the exchange between.
//! - *pull*, for the rest: block `b` tells block `b` of the others that its buffers are there, waits for them, reads
//!   theirs in place, and tells that it is through. No kernel ends before all others have read. A broadcast is the
//!   other way round, *spread*: its root alone moves bytes, into the buffers of the others, while these wait in a pull
//!   of none.
//!
//! Numbers of exchanges are counted in the pad, by block, so a recorded graph can be replayed. A thread that waits
//! longer than the timeout, or finds that the host gave up, says so in two words (of the device and of the host); later
//! kernels look at the first one and do nothing.
//!
//! | bytes of a pad | what |
//! | --- | --- |
//! | [`PUSHES`] | number of pushes, by block |
//! | [`PULLS`] | number of signals of pulls, by block |
//! | [`SIGNALS`] | signals of the other devices, by block and device |
//! | [`CELLS`] | pushed bytes, by half, device, block and thread |

use std::fmt::Write;

use fornax_module::collective::Reducer;
use fornax_types::ElementType;

use super::combine::{Pair, combine};

/// Threads of a block.
pub(super) const THREADS: u64 = 512;
/// Bytes that a block pushes to a device, at most: eight a thread.
pub(super) const BLOCK_BYTES: u64 = 8 * THREADS;
/// Blocks of a push, at most.
pub(super) const PUSH_BLOCKS: u64 = 256;
/// Blocks of a pull, at most.
pub(super) const PULL_BLOCKS: u64 = 128;
/// Devices of a group, at most.
pub(super) const RANKS_MAX: usize = 16;

const PUSHES: u64 = 0;
const PULLS: u64 = PUSHES + 4 * PUSH_BLOCKS;
const SIGNALS: u64 = 2048;
const CELLS: u64 = 16384;
/// A thread's cell: twice four bytes and the number of the exchange.
const CELL: u64 = 16;
/// Cells of one device in one half.
const SLOT: u64 = PUSH_BLOCKS * THREADS * CELL;

/// Bytes of a device's pad in a group of so many.
pub(super) const fn pad_bytes(ranks: usize) -> u64 {
    CELLS + 2 * ranks as u64 * SLOT
}

/// Looks at the other devices between two looks at the clock and at the host's word.
const LOOKS: u32 = 255;

/// What a kernel does with the bytes of several devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Work {
    /// Makes one segment of them.
    Combine(ElementType, Reducer),
    /// Puts them one behind the other, in units of so many bytes.
    Gather(u64),
}

/// How bytes come from one device to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Way {
    /// Each device sends: to every one the same bytes, or to each its part.
    Push { parts: bool },
    /// Each device reads so many buffers; where it combines, in as many equal groups as `pieces`, whose results lie one
    /// behind the other.
    Pull { sources: usize, pieces: usize },
    /// This device writes its buffer to its own target and to so many others.
    Spread { others: usize },
}

/// A kernel for device number `rank` of a group.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Kernel {
    pub(super) work: Work,
    /// Device numbers of the group.
    pub(super) group: Box<[u32]>,
    pub(super) rank: usize,
    pub(super) way: Way,
    /// It waits by itself for the kernels before it, and lets those behind it start (programmatic dependent launch,
    /// sm_90): they read their weights while it waits for the other devices. Not where these share the GPU: what
    /// started would take their place.
    pub(super) early: bool,
}

impl Kernel {
    /// The kernel's text, NUL-terminated; `None` where it combines what devices do not combine.
    pub(super) fn text(&self) -> Option<String> {
        let (version, target) = if self.early { ("7.8", "sm_90") } else { ("6.3", "sm_70") };
        let mut text = format!(".version {version}\n.target {target}\n.address_size 64\n\n.visible .entry exchange(");
        let (names, sources): (&[&str], usize) = match self.way {
            Way::Push { .. } => (&["target", "source", "bytes"], 0),
            Way::Pull { sources, .. } => (&["target", "bytes", "vectors"], sources),
            Way::Spread { others } => (&["target", "bytes", "vectors"], 1 + others),
        };
        let ranks = self.group.len();
        let pads = (0..ranks).map(|rank| format!("pad{rank}"));
        let sources = (0..sources).map(|at| format!("source{at}"));
        let all: Vec<String> = names.iter().chain(&["timeout", "state", "host"]).map(|name| name.to_string()).collect();
        let all: Vec<String> = all.into_iter().chain(pads).chain(sources).collect();
        let parameters: Vec<String> = all.iter().map(|name| format!(".param .u64 p_{name}")).collect();
        let _ = writeln!(text, "{})\n.maxntid {THREADS}, 1, 1\n{{", parameters.join(", "));
        text.push_str(
            ".reg .pred %p, %q, %here;\n.reg .b32 %thread, %block, %number, %failed, %spins, %code, %t;\n\
             .reg .b64 %counter, %start, %now, %a, %w;\n",
        );
        for name in &all {
            let _ = writeln!(text, ".reg .b64 %{name}; ld.param.u64 %{name}, [p_{name}];");
        }
        text.push_str("mov.u32 %thread, %tid.x; mov.u32 %block, %ctaid.x; mov.u32 %spins, 0; mov.u64 %start, 0;\n");
        text.push_str("mul.wide.u32 %w, %block, 4;\n");
        if self.early {
            // The order matters: those behind must not start while those before still do.
            text.push_str("griddepcontrol.wait; griddepcontrol.launch_dependents;\n");
        }
        match self.way {
            Way::Push { parts } => self.push(&mut text, parts)?,
            Way::Pull { sources, pieces } => {
                self.pull(&mut text, Loops { sources, pieces, others: 0, work: self.work })?;
            }
            Way::Spread { others } => {
                self.pull(&mut text, Loops { sources: 1, pieces: 1, others, work: self.work })?;
            }
        }
        text.push_str("}\n\0");
        Some(text)
    }

    fn others(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.group.len()).filter(|&rank| rank != self.rank)
    }

    /// Reads the block's counter at `at` of the pad, and whether to do nothing.
    fn begin(&self, text: &mut String, at: u64) {
        let rank = self.rank;
        let _ = writeln!(text, "add.u64 %counter, %pad{rank}, %w; add.u64 %counter, %counter, {at};");
        text.push_str("ld.volatile.global.u32 %number, [%counter]; ld.volatile.global.u32 %failed, [%state];\n");
    }

    /// After [`LOOKS`] looks in vain: back to `again`, or to `end` with both words set. `missing` puts the number of
    /// the device that is waited for into `%code`.
    fn patience(text: &mut String, name: &str, (again, end): (&str, &str), missing: &str) {
        let _ = writeln!(
            text,
            "add.u32 %spins, %spins, 1; and.b32 %t, %spins, {LOOKS}; setp.ne.u32 %p, %t, 0; @%p bra {again};\n\
             mov.u64 %now, %globaltimer; setp.eq.u64 %p, %start, 0; @%p mov.u64 %start, %now;\n\
             ld.volatile.global.u32 %t, [%host]; setp.ne.u32 %p, %t, 0; @%p bra {name};\n\
             sub.u64 %now, %now, %start; setp.lt.u64 %p, %now, %timeout; @%p bra {again};\n\
             {missing}\
             st.volatile.global.u32 [%host], %code;\n\
             {name}: mov.u32 %failed, 1; st.volatile.global.u32 [%state], %failed; bra {end};"
        );
    }

    fn push(&self, text: &mut String, parts: bool) -> Option<()> {
        let ranks = self.group.len();
        self.begin(text, PUSHES);
        text.push_str(".reg .b64 %at, %cell;\n");
        let _ = writeln!(text, "mul.wide.u32 %at, %block, {BLOCK_BYTES}; mul.wide.u32 %a, %thread, 8;");
        text.push_str("add.u64 %at, %at, %a;\n");
        // 0 is what a pad holds that nobody wrote; the halves stay in turn.
        text.push_str("add.u32 %number, %number, 1; setp.eq.u32 %p, %number, 0; selp.b32 %number, 2, %number, %p;\n");
        text.push_str("setp.ge.u64 %p, %at, %bytes; @%p bra END;\n");
        let pair = |name: &str, rank: usize| [0, 1].map(|half| format!("%{name}{rank}_{half}"));
        let of = |rank: usize| pair("own", if parts { rank } else { 0 });
        let (own, got): (Vec<Pair>, Vec<Pair>) = (0..ranks).map(|rank| (of(rank), pair("got", rank))).unzip();
        text.push_str("add.u64 %a, %source, %at;\n");
        for [low, high] in own.iter().take(if parts { ranks } else { 1 }) {
            let _ = writeln!(text, ".reg .b32 {low}, {high}; ld.global.v2.u32 {{{low}, {high}}}, [%a];");
            // Parts lie one behind the other.
            text.push_str("add.u64 %a, %a, %bytes;\n");
        }
        text.push_str("setp.ne.u32 %p, %failed, 0; @%p bra END;\n");
        let _ = writeln!(
            text,
            "and.b32 %t, %number, 1; mul.wide.u32 %cell, %t, {half}; mad.wide.u32 %cell, %block, {block}, %cell;\n\
             mad.wide.u32 %cell, %thread, {CELL}, %cell; add.u64 %cell, %cell, {CELLS};",
            half = ranks as u64 * SLOT,
            block = THREADS * CELL,
        );
        for rank in self.others() {
            let ([low, high], to) = (own.get(rank)?, self.rank as u64 * SLOT);
            let _ = writeln!(text, "add.u64 %a, %pad{rank}, %cell;");
            let _ = writeln!(text, "st.volatile.global.v4.u32 [%a+{to}], {{{low}, %number, {high}, %number}};");
        }
        let _ = writeln!(text, "add.u64 %cell, %cell, %pad{};", self.rank);
        for rank in self.others() {
            let [low, high] = got.get(rank)?;
            let _ = writeln!(text, ".reg .b32 {low}, {high}, %f{rank}_0, %f{rank}_1; .reg .pred %here{rank};");
        }
        text.push_str("LOOK:\n");
        for rank in self.others() {
            let ([low, high], from) = (got.get(rank)?, rank as u64 * SLOT);
            let cell = format!("[%cell+{from}]");
            let _ = writeln!(text, "ld.volatile.global.v4.u32 {{{low}, %f{rank}_0, {high}, %f{rank}_1}}, {cell};");
        }
        text.push_str("setp.eq.u32 %here, %number, %number;\n");
        let mut missing = String::new();
        for rank in self.others() {
            let _ = writeln!(text, "setp.eq.u32 %here{rank}, %f{rank}_0, %number;");
            let _ = writeln!(text, "setp.eq.and.u32 %here{rank}, %f{rank}_1, %number, %here{rank};");
            let _ = writeln!(text, "and.pred %here, %here, %here{rank};");
            let _ = writeln!(missing, "@!%here{rank} mov.u32 %code, {};", code_of(*self.group.get(rank)?));
        }
        text.push_str("@%here bra DONE;\n");
        Kernel::patience(text, "STOP", ("LOOK", "END"), &missing);
        text.push_str("DONE:\nadd.u64 %a, %target, %at;\n");
        // Of the own bytes those that a part is made of, or that go into it.
        let all: Vec<Pair> = own
            .iter()
            .zip(&got)
            .enumerate()
            .map(|(at, (own, got))| if at == self.rank { own.clone() } else { got.clone() })
            .collect();
        match self.work {
            Work::Combine(element, by) => {
                text.push_str(".reg .b32 %sum0, %sum1; .reg .b64 %left;\n");
                combine(text, (element, by), &all, &["%sum0".into(), "%sum1".into()])?;
                text.push_str("sub.u64 %left, %bytes, %at; setp.lt.u64 %p, %left, 8; @%p bra TAIL;\n");
                text.push_str("st.global.v2.u32 [%a], {%sum0, %sum1}; bra END;\nTAIL:\n");
                tail(text, element.storage_bytes() as u64);
            }
            Work::Gather(_) => {
                for [low, high] in &all {
                    let _ = writeln!(text, "st.global.v2.u32 [%a], {{{low}, {high}}}; add.u64 %a, %a, %bytes;");
                }
            }
        }
        text.push_str(
            "END:\nbar.sync 0;\nsetp.eq.u32 %p, %thread, 0; @%p st.volatile.global.u32 [%counter], %number;\nret;\n",
        );
        Some(())
    }

    fn pull(&self, text: &mut String, loops: Loops) -> Option<()> {
        let sources = loops.sources;
        self.begin(text, PULLS);
        text.push_str("setp.ne.u32 %p, %failed, 0; bar.red.or.pred %q, 0, %p; @%q ret;\n");
        text.push_str(".reg .b64 %i, %step, %first, %limit, %last, %o; .reg .b32 %blocks;\n");
        let _ = writeln!(text, "mov.u32 %blocks, %nctaid.x; mul.wide.u32 %step, %blocks, {THREADS};");
        let _ = writeln!(
            text,
            "mul.wide.u32 %first, %block, {THREADS}; cvt.u64.u32 %a, %thread; add.u64 %first, %first, %a;"
        );
        self.barrier(text, "BEGIN")?;
        match self.work {
            Work::Combine(element, _) => {
                text.push_str("mov.u64 %i, %first; mov.u64 %limit, %vectors;\n");
                // So many loads are under way as hide the time over the link.
                loops.run(text, "WIDE", (8 / sources.max(1)).max(1), 16)?;
                loops.run(text, "LAST", 1, 16)?;
                let width = element.storage_bytes() as u64;
                let shift = width.trailing_zeros();
                let _ = writeln!(text, "shr.u64 %limit, %bytes, {shift}; shl.b64 %i, %vectors, {};", 4 - shift);
                text.push_str("add.u64 %i, %i, %first;\n");
                loops.run(text, "ELEMENTS", 1, width)?;
            }
            Work::Gather(width) => {
                let _ = writeln!(text, "mov.u64 %i, %first; shr.u64 %limit, %bytes, {};", width.trailing_zeros());
                loops.run(text, "WIDE", (8 / sources.max(1)).max(1), width)?;
                loops.run(text, "LAST", 1, width)?;
            }
        }
        text.push_str("bar.sync 0;\n");
        self.barrier(text, "FINISH")?;
        text.push_str("setp.eq.u32 %p, %thread, 0; @%p st.volatile.global.u32 [%counter], %number;\nret;\n");
        Some(())
    }

    /// Block `b` of all devices comes this far. One thread a device tells it and waits for it.
    fn barrier(&self, text: &mut String, name: &str) -> Option<()> {
        let (ranks, rank) = (self.group.len(), self.rank);
        let row = 4 * RANKS_MAX;
        text.push_str("add.u32 %number, %number, 1;\n");
        let _ = writeln!(text, "setp.ge.u32 %q, %thread, {ranks}; @%q bra {name}_ALL;");
        let _ = writeln!(text, "setp.eq.u32 %q, %thread, {rank}; @%q bra {name}_ALL;");
        let mut missing = String::new();
        for other in self.others() {
            let _ = writeln!(text, "setp.eq.u32 %q, %thread, {other}; @%q mov.u64 %a, %pad{other};");
            let code = code_of(*self.group.get(other)?);
            let _ = writeln!(missing, "setp.eq.u32 %q, %thread, {other}; @%q mov.u32 %code, {code};");
        }
        let _ = writeln!(text, "mad.wide.u32 %a, %block, {row}, %a;\nfence.acq_rel.sys;");
        let _ = writeln!(text, "st.relaxed.sys.global.u32 [%a+{}], %number;", SIGNALS + 4 * rank as u64);
        let _ = writeln!(text, "mad.wide.u32 %a, %block, {row}, %pad{rank}; mad.wide.u32 %a, %thread, 4, %a;");
        let _ = writeln!(text, "{name}_LOOK: ld.acquire.sys.global.u32 %t, [%a+{SIGNALS}];");
        let _ = writeln!(text, "sub.u32 %t, %t, %number; setp.ge.s32 %q, %t, 0; @%q bra {name}_ALL;");
        let (again, end) = (format!("{name}_LOOK"), format!("{name}_ALL"));
        Kernel::patience(text, &format!("{name}_STOP"), (&again, &end), &missing);
        let _ = writeln!(text, "{name}_ALL: setp.ne.u32 %p, %failed, 0; bar.red.or.pred %q, 0, %p; @%q ret;");
        Some(())
    }
}

/// The host's word for a device that did not come.
pub(super) fn code_of(device: u32) -> u32 {
    device + 1
}

/// Stores the first `%left` bytes of a sum, whole elements.
fn tail(text: &mut String, width: u64) {
    for at in (0..8).step_by(width as usize) {
        let (word, bit) = (at / 4, 8 * (at % 4));
        let _ = writeln!(text, "setp.lt.u64 %p, %left, {}; @%p bra END;", at + width);
        let _ = match width {
            8 => writeln!(text, "st.global.v2.u32 [%a], {{%sum0, %sum1}};"),
            _ => writeln!(text, "shr.u32 %t, %sum{word}, {bit}; st.global.u{} [%a+{at}], %t;", 8 * width),
        };
    }
}

/// The loops of a pull or a spread.
struct Loops {
    sources: usize,
    /// Groups that the sources are of, each of which is combined by itself.
    pieces: usize,
    /// Targets behind the sources, besides the own one.
    others: usize,
    work: Work,
}

impl Loops {
    /// Units of `width` bytes from `%i` to `%limit`, `%step` apart, `unroll` at a time. Leaves `%i` where it ends.
    fn run(&self, text: &mut String, name: &str, unroll: usize, width: u64) -> Option<()> {
        let Loops { sources, pieces, others, work } = *self;
        let _ = writeln!(text, "{name}: mad.lo.u64 %last, %step, {}, %i;", unroll - 1);
        let _ = writeln!(text, "setp.ge.u64 %p, %last, %limit; @%p bra {name}_END;\n{{");
        let words = (width / 4).max(1);
        let values = |at: usize, source: usize| -> Vec<String> {
            (0..words).map(|word| format!("%x{at}_{source}_{word}")).collect()
        };
        for at in 0..unroll {
            let _ = writeln!(text, ".reg .b64 %o{at}; mad.lo.u64 %o{at}, %step, {at}, %i;");
            let _ = writeln!(text, "mul.lo.u64 %o{at}, %o{at}, {width};");
            for source in 0..sources {
                let values = values(at, source).join(", ");
                let _ = writeln!(text, ".reg .b32 {values}; add.u64 %a, %source{source}, %o{at};");
                let _ = writeln!(text, "{}", access("ld", &values, width));
            }
        }
        for at in 0..unroll {
            let _ = writeln!(text, "add.u64 %a, %target, %o{at};");
            match work {
                Work::Combine(element, by) => {
                    let all: Vec<Vec<String>> = (0..sources).map(|source| values(at, source)).collect();
                    for piece in all.chunks((sources / pieces.max(1)).max(1)) {
                        sum(text, (element, by), piece, width)?;
                        text.push_str("add.u64 %a, %a, %bytes;\n");
                    }
                }
                Work::Gather(_) => {
                    for source in 0..sources {
                        let _ = writeln!(text, "{}", access("st", &values(at, source).join(", "), width));
                        text.push_str("add.u64 %a, %a, %bytes;\n");
                    }
                    for other in sources..sources + others {
                        let _ = writeln!(text, "add.u64 %a, %source{other}, %o{at};");
                        let _ = writeln!(text, "{}", access("st", &values(at, 0).join(", "), width));
                    }
                }
            }
        }
        let _ = writeln!(text, "mad.lo.u64 %i, %step, {unroll}, %i; bra {name};\n}}\n{name}_END:");
        Some(())
    }
}

/// A load into, or a store of, registers with `width` bytes at `%a`.
fn access(what: &str, values: &str, width: u64) -> String {
    let (open, close) = if what == "ld" { ("", ", [%a];") } else { ("[%a], ", ";") };
    match width {
        1 | 2 | 4 => format!("{what}.global.u{} {open}{values}{close}", 8 * width),
        _ => format!("{what}.global.v{}.u32 {open}{{{values}}}{close}", width / 4),
    }
}

/// Combines `width` bytes of several buffers and stores them at `%a`.
fn sum(text: &mut String, how: (ElementType, Reducer), from: &[Vec<String>], width: u64) -> Option<()> {
    text.push_str("{\n");
    let words = from.first()?.len();
    let mut sums = Vec::new();
    for first in (0..words).step_by(2) {
        let to: Pair = [first, first + 1].map(|word| format!("%s{word}"));
        let _ = writeln!(text, ".reg .b32 {}, {};", to[0], to[1]);
        // Of an element below eight bytes the rest is not stored.
        let pair = |values: &Vec<String>| -> Option<Pair> {
            let low = values.get(first)?.clone();
            Some([low.clone(), values.get(first + 1).cloned().unwrap_or(low)])
        };
        let pairs: Vec<Pair> = from.iter().map(pair).collect::<Option<_>>()?;
        combine(text, how, &pairs, &to)?;
        sums.extend(to);
    }
    sums.truncate(words);
    let _ = writeln!(text, "{}\n}}", access("st", &sums.join(", "), width));
    Some(())
}

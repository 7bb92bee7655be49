//! Runs a launch: workgroups on host threads, the waves of each in an order that a seed decides.
//!
//! Input: a kernel, grid and block, arguments. Output: counts, or the first fault. A wave runs until a barrier, its
//! end, or for a random stretch; then any other may go on. Workgroups go forwards or backwards by the seed.
//!
//! Worked example: 130 threads on a chip of 64 lanes are three waves, the last with two active lanes.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use crate::environment::{Environment, KERNARG, PACKET};
use crate::errors::{Fault, FaultKind, GcnError, Result};
use crate::inst::Trap;
use crate::lds::Lds;
use crate::memory::{Memory, Region};
use crate::object::{IMAGE, KernelInfo};
use crate::program::Program;
use crate::setup::{Setup, kernarg_segment, packet};
use crate::wave::{State, Wave};
use crate::{Launch, Stats};

/// The longest stretch that a wave runs while others could.
const STRETCH: u64 = 400;

/// A generator of numbers that need not be good.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 >> 11
    }

    fn below(&mut self, count: u64) -> u64 {
        self.next() % count.max(1)
    }
}

/// What all workgroups share.
struct Shared<'a> {
    program: &'a Program,
    kernel: &'a KernelInfo,
    launch: &'a Launch,
    memory: &'a dyn Memory,
    kernarg: &'a [AtomicU32],
    packet: &'a [AtomicU32],
    next: AtomicU64,
    stop: AtomicBool,
    instructions: AtomicU64,
    fault: Mutex<Option<(u64, GcnError)>>,
}

pub fn words(bytes: &[u8]) -> Vec<AtomicU32> {
    let word = |four: &[u8]| AtomicU32::new(four.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte)));
    bytes.chunks(4).map(word).collect()
}

fn check(kernel: &KernelInfo, launch: &Launch, lds_limit: u32) -> Result<()> {
    let bad = |what: String| Err(GcnError::Launch(what));
    let threads: u64 = launch.block.iter().map(|&size| u64::from(size)).product();
    if threads == 0 || threads > 1024 {
        return bad(format!("a workgroup of {:?} threads", launch.block));
    }
    if kernel.max_flat_workgroup_size > 0 && threads > u64::from(kernel.max_flat_workgroup_size) {
        return bad(format!("{threads} threads, {} takes at most {}", kernel.name, kernel.max_flat_workgroup_size));
    }
    if let Some(required) = kernel.required_workgroup_size.filter(|size| *size != launch.block) {
        return bad(format!("{} is for workgroups of {required:?} threads, not {:?}", kernel.name, launch.block));
    }
    let lds = u64::from(kernel.lds_bytes) + u64::from(launch.dynamic_lds);
    if lds > u64::from(lds_limit) {
        return bad(format!("{lds} bytes of LDS, the chip has {lds_limit}"));
    }
    Ok(())
}

/// Runs a kernel over its grid.
pub fn run(
    program: &Program,
    kernel: &KernelInfo,
    launch: &Launch,
    kernarg: &[u8],
    memory: &dyn Memory,
) -> Result<Stats> {
    check(kernel, launch, program.chip.lds_bytes)?;
    let groups = launch.grid.iter().try_fold(1u64, |product, &size| product.checked_mul(u64::from(size)));
    let groups = groups.ok_or_else(|| GcnError::Launch("more workgroups than can be counted".into()))?;
    match program.function(kernel.entry, kernel.wave_size) {
        Some(Ok(_)) => {}
        Some(Err(error)) => return Err(error),
        None => return Err(GcnError::Object(format!("{} has no code", kernel.name))),
    }
    let (kernarg, packet) = (words(&kernarg_segment(kernel, launch, kernarg)?), words(&packet(kernel, launch)));
    let shared = Shared {
        program,
        kernel,
        launch,
        memory,
        kernarg: &kernarg,
        packet: &packet,
        next: AtomicU64::new(0),
        stop: AtomicBool::new(false),
        instructions: AtomicU64::new(0),
        fault: Mutex::new(None),
    };
    let available = std::thread::available_parallelism().map_or(1, std::num::NonZero::get) as u64;
    let wanted = if launch.threads == 0 { available } else { launch.threads as u64 };
    // A thread costs about as much as a small workgroup.
    let threads = wanted.min(groups.div_ceil(2)).max(1);
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(|| work(&shared, groups));
        }
        work(&shared, groups);
    });
    if let Some((_, fault)) = shared.fault.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner) {
        return Err(fault);
    }
    let size: u64 = launch.block.iter().map(|&size| u64::from(size)).product();
    let waves = groups * size.div_ceil(u64::from(kernel.wave_size));
    Ok(Stats { instructions: shared.instructions.into_inner(), waves, workgroups: groups })
}

/// Takes workgroups until none is left.
fn work(shared: &Shared<'_>, groups: u64) {
    let (program, kernel, launch) = (shared.program, shared.kernel, shared.launch);
    let region = |base, words, bytes, writable| Region { base, bytes, words, writable };
    let image = &program.image;
    let mut environment = Environment {
        chip: &program.chip,
        program,
        memory: shared.memory,
        fixed: [
            region(KERNARG, shared.kernarg, 4 * shared.kernarg.len() as u64, false),
            region(IMAGE, &image.words[..], image.bytes, true),
            region(PACKET, shared.packet, 4 * shared.packet.len() as u64, false),
        ],
        last: None,
        lds: Lds::new((kernel.lds_bytes + launch.dynamic_lds) as usize),
        scratch_bytes: scratch_bytes(kernel),
    };
    let setup = Setup::of(kernel, launch, &program.chip);
    let mut waves: Vec<Wave> = (0..setup.waves).map(|_| Wave::new()).collect();
    while !shared.stop.load(Ordering::Relaxed) {
        let number = shared.next.fetch_add(1, Ordering::Relaxed);
        if number >= groups {
            break;
        }
        let turned = if launch.seed % 2 == 1 { groups - 1 - number } else { number };
        let group = coordinates(turned, launch.grid);
        if let Err(error) = run_group(shared, &mut environment, &setup, &mut waves, group, turned) {
            shared.stop.store(true, Ordering::Relaxed);
            let mut held = shared.fault.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            if held.as_ref().is_none_or(|(other, _)| turned < *other) {
                *held = Some((turned, error));
            }
        }
        let steps = waves.iter().map(|wave| wave.steps).sum();
        shared.instructions.fetch_add(steps, Ordering::Relaxed);
    }
}

/// Scratch of a lane; functions that are called may need more than the kernel's note says.
fn scratch_bytes(kernel: &KernelInfo) -> u32 {
    const DYNAMIC_STACK: u16 = 1 << 11;
    if kernel.properties & DYNAMIC_STACK != 0 { kernel.scratch_bytes + (16 << 10) } else { kernel.scratch_bytes }
}

fn coordinates(number: u64, grid: [u32; 3]) -> [u32; 3] {
    let (x, y) = (u64::from(grid[0]), u64::from(grid[1]));
    [(number % x) as u32, (number / x % y) as u32, (number / x / y) as u32]
}

fn run_group(
    shared: &Shared<'_>,
    environment: &mut Environment<'_>,
    setup: &Setup,
    waves: &mut [Wave],
    group: [u32; 3],
    number: u64,
) -> Result<()> {
    environment.lds.reset(waves.len() > 1);
    for (at, wave) in waves.iter_mut().enumerate() {
        setup.wave(wave, at as u32, group, shared.kernarg);
    }
    let mut random = Random(
        shared.launch.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (number + 1).wrapping_mul(0xd134_2543_de82_ef95) | 1,
    );
    loop {
        let running = waves.iter().filter(|wave| wave.state == State::Running).count() as u64;
        if running == 0 {
            if waves.iter().all(|wave| wave.state == State::Ended) {
                return Ok(());
            }
            // All that are left stand at the barrier.
            waves.iter_mut().filter(|wave| wave.state == State::Barrier).for_each(|wave| wave.state = State::Running);
            environment.lds.epoch += 1;
            continue;
        }
        let picked = random.below(running) as usize;
        let Some(wave) = waves.iter_mut().filter(|wave| wave.state == State::Running).nth(picked) else {
            return Ok(());
        };
        let stretch = if running == 1 { u64::MAX } else { 1 + random.below(STRETCH) };
        stretch_of(shared, environment, wave, stretch, group)?;
    }
}

/// Runs a wave for so many instructions at most.
fn stretch_of(
    shared: &Shared<'_>,
    environment: &mut Environment<'_>,
    wave: &mut Wave,
    stretch: u64,
    group: [u32; 3],
) -> Result<()> {
    let (lanes, number) = (wave.lanes, wave.number);
    let program = environment.program;
    let fault = |trap: Box<Trap>, address: u64, text: &str, name: &str| {
        let entry =
            program.function(address, lanes).and_then(|found| found.ok()).map_or(address, |function| function.start);
        GcnError::Fault(Box::new(Fault {
            kind: trap.kind,
            kernel: name.to_string(),
            pc: address.wrapping_sub(entry),
            instruction: text.to_string(),
            workgroup: group,
            wave: number,
            lane: trap.lane,
            address: trap.address,
            what: trap.what,
        }))
    };
    let kernel = &shared.kernel.name;
    let (mut function, mut at) = match program.locate(wave.pc, lanes) {
        Ok(found) => found,
        Err(trap) => return Err(fault(trap, wave.pc, "", kernel)),
    };
    let mut left = stretch.min(shared.launch.max_steps.saturating_sub(wave.steps));
    let first = left;
    let outcome = loop {
        let Some(inst) = function.insts.get(at) else {
            break Err((
                Trap::new(FaultKind::Illegal, "the end of a function without a branch"),
                String::new(),
                function.start,
            ));
        };
        if left == 0 {
            break Ok(());
        }
        left -= 1;
        let checked = if wave.waits.idle() { Ok(()) } else { wave.check_waits(inst) };
        if let Err(trap) = checked.and_then(|()| (inst.run)(wave, environment, inst)) {
            break Err((trap, inst.text.clone(), function.addresses[at]));
        }
        at += 1;
        if let Some(target) = wave.jump.take() {
            match function.place(target) {
                Some(place) => at = place,
                None => match program.locate(target, lanes) {
                    Ok(found) => (function, at) = found,
                    Err(trap) => break Err((trap, inst.text.clone(), function.addresses[at - 1])),
                },
            }
        }
        if wave.state != State::Running {
            break Ok(());
        }
    };
    wave.steps += first - left;
    wave.pc = function.addresses.get(at).copied().unwrap_or(0);
    match outcome {
        Err((trap, text, address)) => Err(fault(trap, address, &text, &function.name)),
        Ok(()) if wave.state == State::Running && wave.steps >= shared.launch.max_steps => {
            let trap = Trap::new(FaultKind::Endless, format!("{} instructions and no end", wave.steps));
            Err(fault(trap, wave.pc, "", kernel))
        }
        Ok(()) => Ok(()),
    }
}

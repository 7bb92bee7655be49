//! How long a call takes on several devices, and what of it its collectives are.
//!
//! Every device has a thread and its own arguments, which stay there. Before each call all devices meet, so they begin
//! together; a call is over when the slowest device is through. Number 0 says when it is enough. Then each different
//! collective of the function is queued many times in one list, with buffers of its own, as kernels are timed: what the
//! device takes for it where all devices come at the same time.
//!
//! Limits: collectives in branches count as if both ran, those in loops of unknown length once.

use std::sync::Arc;
use std::time::{Duration, Instant};

use fornax_module::collective::Collective as Operation;
use fornax_module::program::{BlockId, Command as Record, Program};

use super::{Team, collected};
use crate::errors::{ErrorKind, Result, RuntimeError};
use crate::hal::{Collective, Command, Device, Place};
use crate::session::{
    BenchOptions, DeviceTensor, Latencies, Module, Session, SessionOptions, Spread, median, program_for,
};
use crate::tensor::Tensor;

/// Calls that are not timed: lists are recorded in them.
const WARM_CALLS: u32 = 4;
/// Queues that are timed, at most: as many as begin within the time of the measurement, and one.
const QUEUES: u32 = 8;
/// Collectives of a list, and bytes that all of them move at most.
const IN_A_LIST: u64 = 64;
const BYTES_OF_A_LIST: u64 = 2 << 30;
/// Submissions of such a list; the first ones record it and warm up.
const ROUNDS: usize = 9;
const WARM_ROUNDS: usize = 3;

/// A collective of the function.
#[derive(Clone, Debug)]
pub struct CollectiveTime {
    pub operation: Operation,
    /// Of a device's source.
    pub bytes: u64,
    /// In one call.
    pub times: u64,
    /// Median of one, of the slowest device, microseconds.
    pub us: f64,
}

/// What was measured.
#[derive(Clone, Debug)]
pub struct TeamBench {
    /// One call and a wait, of the slowest device each.
    pub slowest: Spread,
    /// The same of each device.
    pub devices: Vec<Spread>,
    /// The very first call, milliseconds, of the slowest device.
    pub first_ms: f64,
    /// Mean of a call in a queue with one wait at the end, milliseconds, of the slowest device.
    pub queued_ms: f64,
    pub collectives: Vec<CollectiveTime>,
    /// Of the first call, by device.
    pub outputs: Vec<Vec<Tensor>>,
}

/// What one device measured.
struct Measured {
    slowest: Latencies,
    own: Latencies,
    first: Duration,
    queued: Duration,
    collectives: Vec<f64>,
    outputs: Vec<Tensor>,
}

impl Team {
    /// Measures calls of a function: one list of inputs a device.
    ///
    /// # Errors
    /// As [`Team::invoke`].
    pub fn bench(
        &self,
        module: &Module,
        function: &str,
        inputs: &[Vec<Tensor>],
        options: &BenchOptions,
    ) -> Result<TeamBench> {
        let (wanted, given) = (module.manifest().devices(), self.devices.len());
        if (wanted != 1 && wanted as usize != given) || given < 2 {
            let message = format!("the module is made for {wanted} device(s): {given} given");
            return Err(RuntimeError::new("FX0729", ErrorKind::Module, message));
        }
        let places = Collective::join(&self.devices, self.timeout)?;
        let results = std::thread::scope(|scope| {
            let parts = places.into_iter().zip(&self.devices).zip(inputs);
            let threads: Vec<_> = parts
                .map(|((place, device), inputs)| {
                    let session = SessionOptions { collective: Some(place.clone()), ..self.options.clone() };
                    std::thread::Builder::new().spawn_scoped(scope, move || {
                        let one = One { place: place.clone(), options };
                        let measured = one.measure((module, device, session), function, inputs);
                        measured.inspect_err(|error| place.fail(error.message()))
                    })
                })
                .collect();
            let joined = threads.into_iter().map(|thread| match thread.map(|thread| thread.join()) {
                Ok(Ok(result)) => result.map(|measured| vec![measured]),
                Ok(Err(_)) => Err(RuntimeError::new("FX0709", ErrorKind::Device, "its thread ended")),
                Err(error) => Err(RuntimeError::new("FX0721", ErrorKind::Device, format!("no thread: {error}"))),
            });
            joined.collect::<Vec<_>>()
        });
        let all: Vec<Measured> = collected(results)?.into_iter().flatten().collect();
        let worst = |of: &dyn Fn(&Measured) -> f64| all.iter().map(of).fold(0.0, f64::max);
        let found = collectives(module, &self.devices, function)?;
        let collectives = found.into_iter().enumerate().map(|(at, (operation, bytes, times))| CollectiveTime {
            operation,
            bytes,
            times,
            us: worst(&|one| one.collectives.get(at).copied().unwrap_or(0.0)),
        });
        Ok(TeamBench {
            slowest: all.first().map(|one| one.slowest.spread()).unwrap_or_default(),
            devices: all.iter().map(|one| one.own.spread()).collect(),
            first_ms: worst(&|one| one.first.as_secs_f64() * 1e3),
            queued_ms: worst(&|one| one.queued.as_secs_f64() * 1e3),
            collectives: collectives.collect(),
            outputs: all.into_iter().map(|one| one.outputs).collect(),
        })
    }
}

/// The different collectives of a function, with the bytes of a source, and how often each stands in a call.
fn collectives(module: &Module, devices: &[Device], function: &str) -> Result<Vec<(Operation, u64, u64)>> {
    let Some(device) = devices.first() else { return Ok(Vec::new()) };
    let program = program_for(module, device.info())?;
    let values = program.evaluate_known(&[]);
    let mut found: Vec<(Operation, u64, u64)> = Vec::new();
    let mut add = |operation: &Operation, bytes: u64, times: u64| match found
        .iter_mut()
        .find(|(known, size, _)| (known, *size) == (operation, bytes))
    {
        Some((_, _, count)) => *count += times,
        None => found.push((operation.clone(), bytes, times)),
    };
    let entry = program.functions.iter().find(|one| one.name == function).map(|one| one.body);
    walk(program, entry, 1, &mut |command, times| {
        if let Record::Collective { collective, source, .. } = command {
            let bytes = values.get(source.length as usize).and_then(|value| value.known());
            add(collective, bytes.unwrap_or(0), times);
        }
    });
    Ok(found)
}

/// All commands that a block comes to, with how often.
fn walk(program: &Program, block: Option<BlockId>, times: u64, see: &mut dyn FnMut(&Record, u64)) {
    let Some(block) = block.and_then(|block| program.blocks.get(block as usize)) else { return };
    for command in &block.commands {
        see(command, times);
        match command {
            Record::Call { function, .. } => {
                walk(program, program.functions.get(*function as usize).map(|one| one.body), times, see);
            }
            Record::If { then_block, else_block, .. } => {
                [then_block, else_block].into_iter().for_each(|block| walk(program, Some(*block), times, see));
            }
            Record::While { condition, body, .. } => {
                [condition, body].into_iter().for_each(|block| walk(program, Some(*block), times, see));
            }
            Record::Repeat { count, body } => walk(program, Some(*body), times.saturating_mul(*count), see),
            _ => {}
        }
    }
}

/// One device's part.
struct One<'a> {
    place: Collective,
    options: &'a BenchOptions,
}

impl One<'_> {
    fn measure(
        &self,
        (module, device, options): (&Module, &Device, SessionOptions),
        function: &str,
        inputs: &[Tensor],
    ) -> Result<Measured> {
        let mut session = Session::load(module, device, &options)?;
        let resident = session.upload_inputs(function, inputs)?;
        session.synchronize()?;
        let mut call = Call { session: &mut session, function, inputs: &resident };
        self.meet(false, Duration::ZERO)?;
        let (first, results) = call.one()?;
        let outputs = results.iter().map(|output| call.session.download(output)).collect::<Result<Vec<_>>>()?;
        let warm = self.options.warmup_calls.unwrap_or(WARM_CALLS);
        for _ in 0..warm {
            self.meet(false, Duration::ZERO)?;
            call.one()?;
        }
        let (mut slowest, mut own) = (Latencies::new()?, Latencies::new()?);
        let (begin, mut last) = (Instant::now(), Duration::ZERO);
        loop {
            let calls = own.calls();
            let is_enough = calls >= self.options.min_calls.max(1).into() && begin.elapsed() >= self.options.time;
            let (is_over, longest) = self.meet(is_enough || (calls > 0 && self.options.is_stopped()), last)?;
            if calls > 0 {
                slowest.record(longest);
            }
            if is_over {
                break;
            }
            last = call.one()?.0;
            own.record(last);
        }
        let longest = self.meet(false, last)?.1;
        let (calls, begin) = (calls_of_queue(self.options, longest), Instant::now());
        let mut queues = 0;
        loop {
            (0..calls).try_for_each(|_| call.queue().map(drop))?;
            call.session.synchronize()?;
            queues += 1;
            let is_enough = queues == QUEUES || begin.elapsed() >= self.options.time;
            if self.meet(is_enough, Duration::ZERO)?.0 {
                break;
            }
        }
        let queued = begin.elapsed() / (queues * calls);
        let found = collectives(module, std::slice::from_ref(device), function)?;
        let collectives = found.iter().map(|(operation, bytes, _)| self.collective(device, operation, *bytes));
        let collectives = collectives.collect::<Result<_>>()?;
        Ok(Measured { slowest, own, first, queued, collectives, outputs })
    }

    /// Meets the others; whether number 0 has enough, and the longest time of all.
    fn meet(&self, is_enough: bool, last: Duration) -> Result<(bool, Duration)> {
        let mut word = [0; 32];
        let (flag, time) = word.split_at_mut(1);
        flag.fill(u8::from(is_enough));
        let nanoseconds = u64::try_from(last.as_nanos()).unwrap_or(u64::MAX).to_le_bytes();
        time.iter_mut().zip(nanoseconds).for_each(|(to, byte)| *to = byte);
        let words = self.place.tell(word)?;
        let time = |word: &[u8; 32]| word.get(1..9).and_then(|b| b.try_into().ok()).map_or(0, u64::from_le_bytes);
        let longest = words.iter().map(time).max().unwrap_or(0);
        let is_over = words.first().is_some_and(|word| word.first() == Some(&1));
        Ok((is_over, Duration::from_nanos(longest)))
    }

    /// Microseconds of a collective in a list of many.
    fn collective(&self, device: &Device, operation: &Operation, bytes: u64) -> Result<f64> {
        let target_bytes = operation.target_bytes(bytes).unwrap_or(0);
        if bytes == 0 || target_bytes == 0 {
            return Ok(0.0);
        }
        let (source, target) = (device.allocate(bytes, Place::Device)?, device.allocate(target_bytes, Place::Device)?);
        let zeros = Command::Fill { target: source.all(), pattern: 0, pattern_bytes: 1 };
        device.submit(&device.record(&[zeros])?)?;
        let command = Command::Collective {
            with: self.place.clone(),
            operation: Arc::new(operation.clone()),
            source: source.all(),
            target: target.all(),
        };
        let count = (BYTES_OF_A_LIST / bytes.max(target_bytes)).clamp(4, IN_A_LIST);
        let list = device.record(&vec![command; count as usize])?;
        let mut times = Vec::with_capacity(ROUNDS);
        for _ in 0..ROUNDS {
            let begin = device.event()?;
            device.submit(&list)?;
            let end = device.event()?;
            times.push(1e3 * device.elapsed_ms(&begin, &end)? / count as f64);
        }
        Ok(median(times.split_off(WARM_ROUNDS)))
    }
}

/// Calls of one queue: as many as the time of the measurement has room for, where a call takes `longest`.
fn calls_of_queue(options: &BenchOptions, longest: Duration) -> u32 {
    let room = options.time.as_nanos() / longest.as_nanos().max(1);
    u32::try_from(room).unwrap_or(u32::MAX).clamp(1, options.queue_calls.max(1))
}

/// A function on arguments that are on the device.
struct Call<'a> {
    session: &'a mut Session,
    function: &'a str,
    inputs: &'a [DeviceTensor],
}

impl Call<'_> {
    fn queue(&mut self) -> Result<Vec<DeviceTensor>> {
        self.session.invoke_on_device(self.function, self.inputs)
    }

    /// One call and the wait for it.
    fn one(&mut self) -> Result<(Duration, Vec<DeviceTensor>)> {
        let begin = Instant::now();
        let results = self.queue()?;
        self.session.synchronize()?;
        Ok((begin.elapsed(), results))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_queue_of_long_calls_is_short() {
        let options = BenchOptions { time: Duration::from_millis(500), queue_calls: 16, ..BenchOptions::default() };
        let calls = [1, 40, 400, 600].map(|ms| calls_of_queue(&options, Duration::from_millis(ms)));
        assert_eq!(calls, [16, 12, 1, 1]);
        assert_eq!(calls_of_queue(&options, Duration::ZERO), 16);
    }
}

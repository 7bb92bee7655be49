//! Calls: inputs are checked and outputs made at once, the work is a job of the device's queue. A small call on the
//! processor whose inputs are there runs on the caller's thread: handing it over would take longer.

use std::sync::Arc;

use fornax_runtime::{DeviceTensor, Session, TensorType};

use crate::api::executables::*;
use crate::api::{Handle, List};
use crate::buffer::Buffer;
use crate::buffer::contents::Contents;
use crate::device::Device;
use crate::error::{Failure, Result, Status, caught};
use crate::event::{Event, Signal};
use crate::host_functions;
use crate::loaded::Loaded;
use crate::sessions::{Place, Sessions};

/// Operations and bytes that should take about as long as handing a job to another thread: some ten microseconds. Not
/// measured against other values.
const SMALL_WORK: u64 = 256 << 10;

/// A context of calls: nothing is kept in it.
pub struct Context;

pub fn create_context(args: &mut ContextArgs) -> Result<()> {
    args.context = Handle::give(Context);
    Ok(())
}

pub fn destroy_context(args: &mut ContextArgs) -> Result<()> {
    drop(args.context.take());
    Ok(())
}

/// An input of a call.
struct Input {
    contents: Arc<Contents>,
    use_of: Use,
}

/// What a call does with an input.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Reads,
    /// Writes an output over it: the array is the call's.
    Takes,
    /// The program writes over it, but the array stays the caller's: over a copy.
    Copies,
}

/// One device's part of a call.
struct Call {
    device: Arc<Device>,
    place: Place,
    sessions: Arc<Sessions>,
    function: String,
    inputs: Vec<Input>,
    outputs: Vec<Arc<Contents>>,
}

impl Call {
    /// Gives an error where it did not work, which the outputs have, too.
    fn run(self) -> Result<()> {
        let Call { device, place, sessions, function, inputs, outputs } = self;
        let done = caught(|| -> Result<Vec<DeviceTensor>> {
            let tensor = |input: &Input| match input.use_of {
                Use::Reads => input.contents.tensor(),
                Use::Takes => {
                    let taken = input.contents.take()?;
                    if taken.is_lent() { Ok(taken.duplicate()?) } else { Ok(taken) }
                }
                Use::Copies => Ok(input.contents.tensor()?.duplicate()?),
            };
            let tensors = inputs.iter().map(tensor).collect::<Result<Vec<_>>>()?;
            let invoke = |session: &mut Session| Ok(session.invoke_on_device(&function, &tensors)?);
            let made = sessions.call(&device, &place, invoke)?;
            keep_lent(&device, tensors);
            match made.len() == outputs.len() {
                true => Ok(made),
                false => Err(Failure::argument("the program has another number of outputs")),
            }
        });
        match done {
            Ok(made) => outputs.iter().zip(made).for_each(|(output, tensor)| output.fill(Ok(tensor))),
            Err(failure) => {
                place.fail(&failure);
                sessions.forget(&place);
                outputs.iter().for_each(|output| output.fill(Err(failure.clone())));
                return Err(failure);
            }
        }
        Ok(())
    }
}

/// Keeps what belongs to others until a device that is still at work has read it.
fn keep_lent(device: &Device, tensors: Vec<DeviceTensor>) {
    let lent: Vec<DeviceTensor> = tensors.into_iter().filter(DeviceTensor::is_lent).collect();
    if !lent.is_empty() && !device.is_on_host() {
        let done = Signal::new();
        done.then(move |_| drop(lent));
        device.queue.complete(&done);
    }
}

/// The devices that a call runs on.
fn devices(loaded: &Loaded, args: &ExecuteArgs) -> Result<Vec<Arc<Device>>> {
    let devices = match args.device.optional() {
        Some(device) => vec![loaded.client.of_id(device.id)?],
        None => loaded.devices.clone(),
    };
    match devices.len() == args.num_devices {
        true => Ok(devices),
        false => {
            let message = format!("a call on {} devices, the program is for {}", args.num_devices, devices.len());
            Err(Failure::argument(message))
        }
    }
}

fn check_input(at: usize, buffer: &Buffer, device: &Device, wanted: &TensorType) -> Result<()> {
    if buffer.device.id != device.id {
        let message = format!("argument {at} is on device {}, the call on device {}", buffer.device.id, device.id);
        return Err(Failure::argument(message));
    }
    if buffer.ty != *wanted {
        let message = format!("argument {at} is {wanted}, given was {}", buffer.ty);
        return Err(Failure::with_help(Status::InvalidArgument, "FX0713", message, None));
    }
    Ok(())
}

/// The inputs on one device, and the arrays that the call takes.
fn inputs<'a>(
    loaded: &Loaded,
    device: &Device,
    given: &'a [Handle<Buffer>],
    kept: &[i64],
) -> Result<(Vec<Input>, Vec<&'a Buffer>)> {
    let compiled = &loaded.compiled;
    if given.len() != compiled.inputs.len() {
        let message = format!("{} arguments, the program takes {}", given.len(), compiled.inputs.len());
        return Err(Failure::with_help(Status::InvalidArgument, "FX0711", message, None));
    }
    let buffers = given.iter().map(|buffer| buffer.get()).collect::<Result<Vec<&Buffer>>>()?;
    let aliases = compiled.aliases();
    let mut inputs = Vec::with_capacity(buffers.len());
    let mut taken = Vec::new();
    for (at, (buffer, wanted)) in buffers.iter().zip(&compiled.inputs).enumerate() {
        check_input(at, buffer, device, wanted)?;
        let overwritten = aliases.iter().any(|(input, _)| *input == at);
        let use_of = match overwritten {
            false => Use::Reads,
            // Calls that wait may read what a function of the host donates, which overtakes them.
            true if kept.contains(&(at as i64)) || buffer.is_held() || host_functions::is_inside() => Use::Copies,
            true => Use::Takes,
        };
        if use_of == Use::Takes {
            if buffers.iter().filter(|other| std::ptr::eq(**other, *buffer)).count() > 1 {
                let message = format!("argument {at} is donated and given twice");
                return Err(Failure::with_help(Status::InvalidArgument, "FX0720", message, None));
            }
            taken.push(*buffer);
        }
        inputs.push(Input { contents: buffer.contents()?, use_of });
    }
    Ok((inputs, taken))
}

/// Whether a call may run on the caller's thread.
fn is_small(loaded: &Loaded, device: &Device, call: &Call) -> bool {
    let small = loaded.work.is_some_and(|(flops, bytes)| flops.saturating_add(bytes) <= SMALL_WORK);
    small && device.is_on_host() && device.queue.is_idle() && call.inputs.iter().all(|input| input.contents.is_placed())
}

pub fn execute(args: &mut ExecuteArgs) -> Result<()> {
    let loaded = args.executable.get()?;
    loaded.check()?;
    if loaded.sessions.are_together() && host_functions::is_inside() {
        let message = "a callback runs a program of several devices, one of which waits for the callback";
        return Err(Failure::coded(Status::FailedPrecondition, "FX0745", message));
    }
    let options = args.options.get()?;
    if options.num_sends > 0 || options.num_receives > 0 {
        return Err(Failure::coded(Status::Unimplemented, "FX0732", "calls to the host from within a program"));
    }
    let devices = devices(loaded, args)?;
    let compiled = &loaded.compiled;
    let places = loaded.sessions.on(&devices)?;
    // All parts are made before one runs: a wrong argument leaves nothing half done.
    let (mut calls, mut donated) = (Vec::with_capacity(devices.len()), Vec::new());
    for ((part, device), place) in devices.iter().enumerate().zip(places) {
        let given = match args.num_arguments {
            0 => &[][..],
            // SAFETY: the caller gives a list of arguments for each device.
            count => List::of(unsafe { *args.arguments.add(part) }, count).get(),
        };
        let (inputs, taken) = inputs(loaded, device, given, options.kept_inputs.get())?;
        donated.extend(taken);
        let pending = |ty: &TensorType| Ok(Contents::pending(device, ty.bytes()?));
        let outputs = compiled.outputs.iter().map(pending).collect::<Result<Vec<_>>>()?;
        let (sessions, function) = (loaded.sessions.clone(), compiled.function.clone());
        calls.push(Call { device: device.clone(), place, sessions, function, inputs, outputs });
    }
    // Nothing can fail any more: the donated arrays are gone from here on.
    donated.iter().for_each(|buffer| drop(buffer.take()));
    // Devices that wait for each other must have the same calls in the same order.
    let _together = (devices.len() > 1).then(|| loaded.client.launches.lock());
    for (part, (device, call)) in devices.iter().zip(calls).enumerate() {
        for (at, (ty, contents)) in compiled.outputs.iter().zip(&call.outputs).enumerate() {
            let buffer = Buffer::give(device.clone(), ty.clone(), contents.clone())?;
            // SAFETY: the caller has room for the outputs of each device.
            unsafe { (*args.outputs.add(part)).add(at).write(buffer) };
        }
        let done = match call.outputs.first() {
            Some(first) => first.ready.clone(),
            None => Signal::new(),
        };
        if !args.done.is_null() {
            // SAFETY: the caller has room for an event a device.
            unsafe { args.done.add(part).write(Event::give(done.clone())) };
        }
        let (nothing, queue) = (call.outputs.is_empty(), device.clone());
        let small = devices.len() == 1 && is_small(loaded, device, &call);
        let job = move || match call.run() {
            Err(failure) if nothing => done.set(Err(failure)),
            _ if nothing => queue.queue.complete(&done),
            _ => {}
        };
        if small { job() } else { device.queue.run(job) }
    }
    Ok(())
}

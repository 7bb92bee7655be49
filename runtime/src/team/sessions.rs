//! Sessions of one module on several devices, which stay: the first is the caller's, each other has a thread.
//!
//! A call is made on all devices at the same time, and returns when all have queued it. What a device makes stays
//! there; lists are by device. Of one device there is no thread, and a call is the session's own.
//!
//! Where a call fails on one device, the others end with an error that names it, and so does every later call.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvError, Sender, TryRecvError, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::collected;
use crate::errors::{ErrorKind, Result, RuntimeError};
use crate::hal::{Collective, Device};
use crate::registry;
use crate::session::{DeviceTensor, Mark, Module, PendingTensor, Session, SessionOptions};
use crate::tensor::Tensor;

/// So long the thread of a GPU looks for the next call before it sleeps: a token of a language model takes less, and
/// waking up takes as long as twenty of its collectives.
const AWAKE: Duration = Duration::from_millis(4);

/// What comes next: looked for all the time at first.
fn next<T>(from: &Receiver<T>, awake: Duration) -> std::result::Result<T, RecvError> {
    let began = Instant::now();
    while began.elapsed() < awake {
        match from.try_recv() {
            Ok(found) => return Ok(found),
            Err(TryRecvError::Disconnected) => return Err(RecvError),
            Err(TryRecvError::Empty) => std::thread::yield_now(),
        }
    }
    from.recv()
}

/// A module on each of several devices. See the module's documentation.
pub struct Sessions {
    first: Session,
    place: Option<Collective>,
    others: Vec<Worker>,
    devices: Vec<Device>,
}

/// A call on one device.
struct Call {
    function: Arc<str>,
    inputs: Vec<DeviceTensor>,
}

/// A device's thread. It ends when nobody sends calls any more.
struct Worker {
    calls: Option<Sender<Call>>,
    answers: Receiver<Result<Vec<DeviceTensor>>>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.calls = None;
        // A thread that panicked has told nothing, and its caller an error.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// What a device says that did not answer.
fn gone() -> RuntimeError {
    RuntimeError::new("FX0709", ErrorKind::Device, "its thread ended")
}

impl Worker {
    /// Loads the module; the first answer says whether that worked.
    fn start(module: &Module, device: &Device, options: SessionOptions) -> Result<Worker> {
        let (calls, received) = channel::<Call>();
        let (answer, answers) = channel();
        let (module, device) = (module.clone(), device.clone());
        let run = move || {
            let place = options.collective.clone();
            let mut session = match told(place.as_ref(), Session::load(&module, &device, &options)) {
                Ok(session) => session,
                Err(error) => return drop(answer.send(Err(error))),
            };
            drop(options);
            let mut last = Ok(Vec::new());
            let awake = if registry::is_host(device.info().driver) { Duration::ZERO } else { AWAKE };
            while answer.send(last).is_ok() {
                let Ok(Call { function, inputs }) = next(&received, awake) else { return };
                last = told(place.as_ref(), session.invoke_on_device(&function, &inputs));
            }
        };
        let thread = std::thread::Builder::new().spawn(run);
        let thread =
            thread.map_err(|error| RuntimeError::new("FX0721", ErrorKind::Device, format!("no thread: {error}")))?;
        Ok(Worker { calls: Some(calls), answers, thread: Some(thread) })
    }

    fn answer(&self, awake: Duration) -> Result<Vec<DeviceTensor>> {
        next(&self.answers, awake).unwrap_or_else(|_| Err(gone()))
    }
}

/// What went wrong on a device, once the others know of it.
fn told<T>(place: Option<&Collective>, result: Result<T>) -> Result<T> {
    if let (Some(place), Err(error)) = (place, &result) {
        place.fail(error.message());
    }
    result
}

impl Sessions {
    /// The session of one device.
    pub fn one(session: Session) -> Sessions {
        let devices = vec![session.device().clone()];
        Sessions { first: session, place: None, others: Vec::new(), devices }
    }

    /// Loads a module on the devices that it is made for. `timeout` is how long one waits for another.
    ///
    /// # Errors
    /// FX0729 for another number of devices; FX0704 where they cannot work together; what [`Session::load`] says.
    pub fn load(
        module: &Module,
        devices: Vec<Device>,
        timeout: Duration,
        options: &SessionOptions,
    ) -> Result<Sessions> {
        let wanted = module.manifest().devices();
        let first = devices.first().filter(|_| devices.len() == wanted as usize).ok_or_else(|| {
            let message = format!("the module is made for {wanted} device(s), and {} were given", devices.len());
            RuntimeError::new("FX0729", ErrorKind::Module, message)
        })?;
        if wanted == 1 {
            return Ok(Sessions::one(Session::load(module, first, options)?));
        }
        let mut places = Collective::join(&devices, timeout)?.into_iter();
        let of = |place| SessionOptions { collective: place, ..options.clone() };
        let place = places.next();
        let others = places.zip(devices.iter().skip(1));
        let others: Vec<Worker> =
            others.map(|(place, device)| Worker::start(module, device, of(Some(place)))).collect::<Result<_>>()?;
        let session = told(place.as_ref(), Session::load(module, first, &of(place.clone())));
        let mut loaded = vec![session.as_ref().map(|_| Vec::new()).map_err(Clone::clone)];
        loaded.extend(others.iter().map(|other| other.answer(Duration::ZERO)));
        collected(loaded)?;
        Ok(Sessions { first: session?, place, others, devices })
    }

    /// The session of the first device.
    pub fn first(&self) -> &Session {
        &self.first
    }

    pub fn devices(&self) -> &[Device] {
        &self.devices
    }

    /// Calls a function on tensors of each device, and gives what each has of its outputs, without waiting for them.
    ///
    /// # Errors
    /// FX0711 where there are not inputs for each device; what the first device that fails says.
    pub fn invoke_on_devices(
        &mut self,
        function: &str,
        inputs: Vec<Vec<DeviceTensor>>,
    ) -> Result<Vec<Vec<DeviceTensor>>> {
        let (given, devices) = (inputs.len(), self.devices.len());
        if given != devices {
            let message = format!("@{function}: inputs for {given} devices, of {devices}");
            return Err(RuntimeError::input("FX0711", message));
        }
        let mut inputs = inputs.into_iter();
        let own = inputs.next().unwrap_or_default();
        if self.others.is_empty() {
            return Ok(vec![self.first.invoke_on_device(function, &own)?]);
        }
        let name: Arc<str> = function.into();
        for (worker, inputs) in self.others.iter().zip(inputs) {
            let call = Call { function: name.clone(), inputs };
            // One whose thread ended says so where it is asked for its answer.
            let _ = worker.calls.as_ref().map(|calls| calls.send(call));
        }
        let mut made = vec![told(self.place.as_ref(), self.first.invoke_on_device(function, &own))];
        let awake =
            if self.devices.iter().any(|one| registry::is_host(one.info().driver)) { Duration::ZERO } else { AWAKE };
        made.extend(self.others.iter().map(|other| other.answer(awake)));
        collected(made)
    }

    /// Copies a tensor to each device.
    pub fn upload(&self, tensor: &Tensor) -> Result<Vec<DeviceTensor>> {
        self.devices.iter().map(|device| tensor.to_device(device)).collect()
    }

    /// What the first device has of a tensor that is the same on all.
    ///
    /// # Errors
    /// FX0711 for a list without tensors; what the driver says of the copy.
    pub fn download(&self, tensors: &[DeviceTensor]) -> Result<Tensor> {
        self.first.download(self.of_first(tensors)?)
    }

    /// As [`Sessions::download`], behind what is queued: [`Session::fetch`].
    ///
    /// # Errors
    /// As [`Sessions::download`].
    pub fn fetch(&self, tensors: &[DeviceTensor]) -> Result<PendingTensor> {
        self.first.fetch(self.of_first(tensors)?)
    }

    /// What is over once the first device has written its tensor: [`Session::mark`].
    ///
    /// # Errors
    /// As [`Sessions::download`].
    pub fn mark(&self, tensors: &[DeviceTensor]) -> Result<Mark> {
        self.first.mark(self.of_first(tensors)?)
    }

    fn of_first<'t>(&self, tensors: &'t [DeviceTensor]) -> Result<&'t DeviceTensor> {
        tensors.first().ok_or_else(|| RuntimeError::input("FX0711", "a tensor of no device"))
    }
}

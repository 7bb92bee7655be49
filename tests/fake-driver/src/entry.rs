//! The way into a double: the lock, the count of calls, the failures on demand, the report at the end.

use std::cell::Cell;
use std::ffi::{CStr, c_char, c_int};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::config::Config;
use crate::world::{Executor, World};

/// What a cdylib of a double is made of.
pub struct Setup {
    /// For messages: `fake-hip`.
    pub name: &'static str,
    /// Architecture of the one device, unless something else is asked for.
    pub arch: &'static str,
    pub executor: fn() -> Box<dyn Executor>,
}

static WORLD: Mutex<Option<World>> = Mutex::new(None);

thread_local! {
    /// The device that this thread made current.
    static CURRENT: Cell<Option<usize>> = const { Cell::new(None) };
}

/// The thread's current device.
pub fn current() -> Option<usize> {
    CURRENT.get()
}

/// Makes a device current on this thread.
pub fn set_current(device: Option<usize>) {
    CURRENT.set(device);
}

fn lock() -> MutexGuard<'static, Option<World>> {
    WORLD.lock().unwrap_or_else(PoisonError::into_inner)
}

unsafe extern "C" {
    fn atexit(function: extern "C" fn()) -> c_int;
}

extern "C" fn write_report() {
    if let Some(world) = lock().as_ref()
        && let Some(path) = &world.config.report
        && let Err(error) = std::fs::write(path, world.report().to_string())
    {
        eprintln!("{path}: {error}");
    }
}

fn from_environment(setup: &Setup) -> World {
    let config = Config::from_environment(setup.name, setup.arch).unwrap_or_else(|error| {
        eprintln!("{}: {error}: no devices", setup.name);
        Config { arches: Vec::new(), ..Config::new(setup.arch) }
    });
    if config.report.is_some() {
        // SAFETY: the function lives as long as the process: drivers' libraries are never unloaded.
        unsafe { atexit(write_report) };
    }
    World::new(setup.name, config, (setup.executor)())
}

/// A call of entry point `name`: counted, made to fail where that was asked for, else done.
pub fn call(setup: &Setup, name: &'static str, body: impl FnOnce(&mut World) -> Result<(), i32>) -> c_int {
    call_on(setup, name, |_| None, body).err().unwrap_or(0)
}

/// As [`call`] for a function whose handle says which device it is for, which is made current, and which may give
/// something.
pub fn call_on<T>(
    setup: &Setup,
    name: &'static str,
    device: impl FnOnce(&World) -> Option<usize>,
    body: impl FnOnce(&mut World) -> Result<T, i32>,
) -> Result<T, i32> {
    let mut world = lock();
    let world = world.get_or_insert_with(|| from_environment(setup));
    if let Some(device) = device(world) {
        set_current(Some(device));
    }
    match world.count(name) {
        Some(code) => Err(code),
        None => body(world),
    }
}

/// As [`call`] for the function that makes a device current: a loss that it tells of is that device's.
pub fn switch(setup: &Setup, name: &'static str, body: impl FnOnce(&mut World) -> Result<Option<usize>, i32>) -> c_int {
    let mut world = lock();
    let world = world.get_or_insert_with(|| from_environment(setup));
    let target = body(world);
    let before = current();
    if let Ok(target) = target {
        set_current(target);
    }
    match world.count(name) {
        Some(code) => {
            set_current(before);
            code
        }
        None => target.err().unwrap_or(0),
    }
}

/// As [`call`] for functions that give something back: one that is made to fail gives it back all the same, as real
/// drivers do, whose code then tells of earlier work.
pub fn release(setup: &Setup, name: &'static str, body: impl FnOnce(&mut World) -> Result<(), i32>) -> c_int {
    release_on(setup, name, |_| None, body).err().unwrap_or(0)
}

/// As [`release`] for a function whose handle says which device it is for.
pub fn release_on(
    setup: &Setup,
    name: &'static str,
    device: impl FnOnce(&World) -> Option<usize>,
    body: impl FnOnce(&mut World) -> Result<(), i32>,
) -> Result<(), i32> {
    let mut world = lock();
    let world = world.get_or_insert_with(|| from_environment(setup));
    if let Some(device) = device(world) {
        set_current(Some(device));
    }
    let fault = world.count(name);
    if let Some(code) = fault.filter(|code| crate::code::is_sticky(*code)) {
        return Err(code);
    }
    world.failing = fault.is_some();
    let result = body(world);
    world.failing = false;
    fault.map_or(result, Err)
}

/// The control function: a request in, a JSON text out. `reset SETTINGS` makes everything new, `fail FAULTS` sets the
/// calls that fail and starts counting anew, `report` only reports. Returns the length of the reply, which may be more
/// than `room`.
///
/// # Safety
/// `request` is a text with a NUL; `reply` has room for `room` bytes.
pub unsafe fn control(setup: &Setup, request: *const c_char, reply: *mut u8, room: usize) -> usize {
    // SAFETY: the caller's word.
    let request = unsafe { CStr::from_ptr(request) }.to_string_lossy();
    let (verb, rest) = request.split_once(' ').unwrap_or((&request, ""));
    let mut world = lock();
    let outcome = match verb {
        "reset" => {
            let mut config = Config::new(setup.arch);
            config.set_words(rest).map(|()| *world = Some(World::new(setup.name, config, (setup.executor)())))
        }
        "report" => Ok(()),
        _ => Err(format!("`{verb}` is no request")),
    };
    let world = world.get_or_insert_with(|| from_environment(setup));
    let text = match outcome {
        Ok(()) => world.report().to_string(),
        Err(error) => serde_json::json!({ "error": error }).to_string(),
    };
    // SAFETY: as many bytes as there is room for.
    unsafe { std::ptr::copy_nonoverlapping(text.as_ptr(), reply, text.len().min(room)) };
    text.len()
}

/// Defines the entry points of a double: `NAME(ARGUMENTS) |world| BODY`, where the body gives `Result<(), code>`; those
/// after `release` take effect even when they are made to fail, those after `switch` give the device to make current.
#[macro_export]
macro_rules! entry_points {
    ($setup:ident; $(
        $(#[$doc:meta])* $how:ident $name:ident($($arg:ident: $ty:ty),* $(,)?) |$world:pat_param| $body:expr;
    )*) => {
        $(
            $(#[$doc])*
            ///
            /// # Safety
            /// As the function of the driver.
            #[unsafe(no_mangle)]
            #[allow(clippy::too_many_arguments)]
            pub unsafe extern "C" fn $name($($arg: $ty),*) -> std::ffi::c_int {
                $crate::entry::$how(&$setup, stringify!($name), |$world: &mut $crate::World| $body)
            }
        )*

        $crate::control_function!($setup);
    };
}

/// Defines the control function of a double.
#[macro_export]
macro_rules! control_function {
    ($setup:ident) => {
        /// The control function; see the shared crate.
        ///
        /// # Safety
        /// `request` is a text with a NUL; `reply` has room for `room` bytes.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn fornax_fake_control(
            request: *const std::ffi::c_char,
            reply: *mut u8,
            room: usize,
        ) -> usize {
            // SAFETY: the caller's word.
            unsafe { $crate::entry::control(&$setup, request, reply, room) }
        }
    };
}

/// Writes a result through a caller's pointer; a null pointer is refused.
///
/// # Safety
/// `target` is null or good for a write.
pub unsafe fn put<T>(target: *mut T, value: T) -> Result<(), i32> {
    if target.is_null() {
        return Err(crate::code::INVALID_VALUE);
    }
    // SAFETY: the caller's word.
    unsafe { target.write(value) };
    Ok(())
}

/// Writes a text with its NUL into a caller's buffer, cut to its length.
///
/// # Safety
/// `target` has room for `room` bytes.
pub unsafe fn put_text(target: *mut c_char, room: c_int, text: &str) -> Result<(), i32> {
    let room = usize::try_from(room).unwrap_or(0);
    if target.is_null() || room == 0 {
        return Err(crate::code::INVALID_VALUE);
    }
    let len = text.len().min(room - 1);
    // SAFETY: `len` and the NUL fit.
    unsafe {
        std::ptr::copy_nonoverlapping(text.as_ptr().cast(), target, len);
        target.add(len).write(0);
    }
    Ok(())
}

//! Processor time that this process has used: all threads, by the system's own precise clock.

use std::time::Duration;

/// `None` where the system has no such clock.
#[cfg(target_os = "linux")]
pub fn processor_time() -> Option<Duration> {
    use std::ffi::{c_int, c_long};

    /// `struct timespec` of 64-bit Linux.
    #[repr(C)]
    struct Timespec {
        seconds: i64,
        nanoseconds: c_long,
    }
    /// `CLOCK_PROCESS_CPUTIME_ID`
    const PROCESS_CLOCK: c_int = 2;
    // SAFETY: the prototype is the one of clock_gettime(2), which the C library that std links exports.
    unsafe extern "C" {
        fn clock_gettime(clock: c_int, time: *mut Timespec) -> c_int;
    }
    if size_of::<usize>() != 8 {
        return None;
    }
    let mut time = Timespec { seconds: 0, nanoseconds: 0 };
    // SAFETY: `time` is a timespec that lives through the call.
    let failed = unsafe { clock_gettime(PROCESS_CLOCK, &mut time) } != 0;
    let (seconds, nanoseconds) = (u64::try_from(time.seconds).ok()?, u32::try_from(time.nanoseconds).ok()?);
    (!failed).then(|| Duration::new(seconds, nanoseconds))
}

#[cfg(not(target_os = "linux"))]
pub fn processor_time() -> Option<Duration> {
    None
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn work_takes_processor_time() {
        let before = processor_time().unwrap();
        let mut sum = 0u64;
        while processor_time().unwrap() - before < Duration::from_millis(1) {
            sum = std::hint::black_box(sum + 1);
        }
        assert!(sum > 0);
    }
}

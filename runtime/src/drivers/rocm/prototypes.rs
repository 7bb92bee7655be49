//! Our declarations next to those of hip-sys: the same functions take as many arguments of the same sizes.
//!
//! hip-sys has the bindings of ROCm 5.4. Nothing of it is called or linked: its functions are only looked at when
//! constants are evaluated. Example: `hipMalloc` takes a pointer (8 bytes) and a size (8 bytes) on both sides.

use hip_sys::hiprt as hip;

use super::api::Api;

/// The bytes of each argument of a function pointer.
trait Sizes: Copy {
    const SIZES: &'static [usize];
}

macro_rules! arities {
    ($(($($arg:ident)*))*) => {
        $(impl<$($arg,)* R> Sizes for unsafe extern "C" fn($($arg),*) -> R {
            const SIZES: &'static [usize] = &[$(size_of::<$arg>()),*];
        })*
    };
}

arities! { (A) (A B) (A B C) (A B C D) (A B C D E) (A B C D E F G H I J K) }

const fn sizes<F: Sizes>(_: F) -> &'static [usize] {
    F::SIZES
}

macro_rules! theirs {
    ($($name:ident($($hole:tt)*);)*) => {
        &[$((stringify!($name), const { sizes(hip::$name as unsafe extern "C" fn($($hole)*) -> _) }),)*]
    };
}

#[rustfmt::skip]
const THEIRS: &[(&str, &[usize])] = theirs! {
    hipInit(_);
    hipDriverGetVersion(_);
    hipGetDeviceCount(_);
    hipSetDevice(_);
    hipDeviceGet(_, _);
    hipDeviceGetName(_, _, _);
    hipDeviceGetUuid(_, _);
    hipDeviceTotalMem(_, _);
    hipDeviceGetAttribute(_, _, _);
    hipGetDeviceProperties(_, _);
    hipMemGetInfo(_, _);
    hipMalloc(_, _);
    hipFree(_);
    hipMallocAsync(_, _, _);
    hipFreeAsync(_, _);
    hipDeviceGetDefaultMemPool(_, _);
    hipMemPoolSetAttribute(_, _, _);
    hipMemPoolTrimTo(_, _);
    hipHostMalloc(_, _, _);
    hipHostFree(_);
    hipMemcpyAsync(_, _, _, _, _);
    hipMemsetD8Async(_, _, _, _);
    hipMemsetD16Async(_, _, _, _);
    hipMemsetD32Async(_, _, _, _);
    hipModuleLoadData(_, _);
    hipModuleUnload(_);
    hipModuleGetFunction(_, _, _);
    hipModuleLaunchKernel(_, _, _, _, _, _, _, _, _, _, _);
    hipStreamCreateWithFlags(_, _);
    hipStreamDestroy(_);
    hipStreamSynchronize(_);
    hipEventCreateWithFlags(_, _);
    hipEventRecord(_, _);
    hipEventQuery(_);
    hipEventSynchronize(_);
    hipEventElapsedTime(_, _, _);
    hipEventDestroy(_);
};

/// Newer than the bindings; its prototype is that of the function before it.
const NEWER: &[(&str, &str)] = &[("hipGetDevicePropertiesR0600", "hipGetDeviceProperties")];

#[test]
fn arguments_are_those_of_the_bindings() {
    for (name, ours) in Api::PROTOTYPES {
        let known = NEWER.iter().find(|row| row.0 == *name).map_or(*name, |row| row.1);
        let theirs = THEIRS.iter().find(|row| row.0 == known).unwrap_or_else(|| panic!("{name} is not compared"));
        assert_eq!(*ours, theirs.1, "{name}");
    }
    assert_eq!(Api::PROTOTYPES.len(), THEIRS.len() + NEWER.len());
}

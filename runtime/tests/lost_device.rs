//! A kernel that writes to address zero loses the CUDA device: the first error stays, nothing hangs, nothing crashes,
//! drops are silent. Alone in its binary, since the device is lost for the whole process.

use fornax_runtime::hal::{Binding, Command, HalErrorKind, ImageKind, KernelSpec, Place};
use fornax_runtime::registry::open_device;

const PTX: &[u8] = b".version 6.3
.target sm_50
.address_size 64
.visible .entry trap(.param .u64 unused)
{
    .reg .b64 %d;
    mov.u64 %d, 0;
    st.global.u64 [%d], %d;
    ret;
}
\0";

#[test]
fn the_first_error_stays() {
    let device = match open_device("cuda") {
        Ok(device) => device,
        Err(error) => return println!("skipped: {error}"),
    };
    let kernel = KernelSpec { name: "trap".into(), block: [1, 1, 1], bindings: 1, ..KernelSpec::default() };
    let executable = device.load(ImageKind::Ptx, PTX, &[kernel]).unwrap();
    let buffer = device.allocate(16, Place::Device).unwrap();
    let bindings = vec![Binding { slice: buffer.all(), writes: true }];
    let command = Command::Dispatch { executable, kernel: 0, grid: [1; 3], bindings, constants: vec![] };
    let list = device.record(&[command]).unwrap();
    let error = device.submit(&list).and_then(|()| device.synchronize()).unwrap_err();
    assert_eq!(error.kind(), HalErrorKind::DeviceLost, "{error}");
    println!("{error}");
    let again = [
        device.synchronize().unwrap_err(),
        device.allocate(16, Place::Device).err().unwrap(),
        device.upload(&buffer.all(), &[0; 16]).unwrap_err(),
        device.health().unwrap_err(),
        device.event().err().unwrap(),
    ];
    assert!(again.iter().all(|later| later.to_string() == error.to_string()));
    assert_eq!(fornax_runtime::RuntimeError::from(error).exit_code(), 5);
}

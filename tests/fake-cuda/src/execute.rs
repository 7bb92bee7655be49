//! Images and launches: PTX is read for its kernels' parameters, a launch only checks its addresses.
//!
//! Example: `.visible .entry k(.param .u64 .ptr .global .align 16 k_param_0, .param .u64 k_param_1)` takes two
//! arguments of eight bytes, the first an address.

use std::ffi::c_void;

use fornax_fake_driver::{Executor, Image, KernelInfo, Launch, code};

/// Kernels are not executed.
pub struct Recorder;

impl Executor for Recorder {
    fn load(&self, image: &[u8], _arch: &str) -> Result<Image, i32> {
        let text = std::str::from_utf8(image).map_err(|_| code::INVALID_IMAGE)?;
        if !text.contains(".version") {
            return Err(code::INVALID_IMAGE);
        }
        let kernels: Option<Vec<KernelInfo>> = text.split(".entry").skip(1).map(entry).collect();
        Ok(Image { kernels: kernels.ok_or(code::INVALID_IMAGE)?, payload: Box::new(()) })
    }

    fn check(&self, _image: &Image, _kernel: usize, _launch: &Launch) -> Result<(), i32> {
        Ok(())
    }
}

/// A kernel's name and parameters, behind `.entry`.
fn entry(text: &str) -> Option<KernelInfo> {
    let (name, rest) = text.split_once('(')?;
    let (list, _) = rest.split_once(')')?;
    let mut kernel = KernelInfo { name: name.trim().to_string(), ..KernelInfo::default() };
    for parameter in list.split(',').map(str::trim).filter(|parameter| !parameter.is_empty()) {
        let bytes = bytes_of(parameter)?;
        // The first word of a tensor map is its address here.
        if parameter.contains(".ptr") || bytes == 128 {
            kernel.addresses.push(kernel.arguments.len());
        }
        kernel.arguments.push(bytes);
    }
    Some(kernel)
}

fn bytes_of(parameter: &str) -> Option<usize> {
    if let Some((_, count)) = parameter.split_once('[') {
        return count.trim_end_matches(']').trim().parse().ok();
    }
    let width =
        |ty: &str| parameter.split_whitespace().any(|word| word.strip_prefix(['.']).is_some_and(|w| w.ends_with(ty)));
    [("64", 8), ("32", 4), ("16", 2), ("8", 1)].iter().find(|row| width(row.0)).map(|row| row.1)
}

/// The arguments one behind the other.
///
/// # Safety
/// `parameters` has a pointer for each size, good for as many bytes.
pub unsafe fn gather(parameters: *mut *mut c_void, sizes: &[usize]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (at, size) in sizes.iter().enumerate() {
        // SAFETY: the caller's word.
        let argument = unsafe { std::slice::from_raw_parts(parameters.add(at).read().cast::<u8>(), *size) };
        bytes.extend_from_slice(argument);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_read_from_the_text() {
        let text = ".version 8.0\n.visible .entry k(\n\t.param .u64 .ptr .global .align 16 k_param_0,\n\
                    \t.param .align 64 .b8 k_param_1[128],\n\t.param .u64 k_param_2\n)\n{ }\n.visible .entry l()\n";
        let image = Recorder.load(text.as_bytes(), "sm_90").unwrap();
        let first = &image.kernels[0];
        assert_eq!((first.arguments.as_slice(), first.addresses.as_slice()), (&[8, 128, 8][..], &[0, 1][..]));
        assert_eq!((image.kernels[1].name.as_str(), image.kernels[1].arguments.len()), ("l", 0));
        assert_eq!(Recorder.load(b"\x7fELF", "sm_90").err(), Some(code::INVALID_IMAGE));
    }
}

//! Images: SPIR-V is read for its entry points, their workgroups and the kinds of their parameters. Kernels are not
//! executed: a launch only checks its addresses. A binary is a mark and the image.
//!
//! Example: `OpEntryPoint Kernel %9 "k"`, `OpExecutionMode %9 LocalSize 64 1 1` and a function %9 of two parameters,
//! the first of a type `OpTypePointer CrossWorkgroup`: a kernel `k` of workgroups of 64 whose first argument is an
//! address.

use std::collections::HashMap;

use fornax_fake_driver::{Executor, Image, KernelInfo, Launch, code};

const MAGIC: u32 = 0x0723_0203;
const ENTRY_POINT: u32 = 15;
const EXECUTION_MODE: u32 = 16;
const TYPE_POINTER: u32 = 32;
const FUNCTION: u32 = 54;
const PARAMETER: u32 = 55;
const LOCAL_SIZE: u32 = 17;
const CROSS_WORKGROUP: u32 = 5;

/// First bytes of a binary.
const BINARY: &[u8] = b"invented binary\n";

/// Kernels are not executed.
pub struct Recorder;

/// What is kept of an image.
struct Loaded {
    bytes: Vec<u8>,
    /// The workgroup that each kernel asks for, in the order of the kernels.
    workgroups: Vec<[u32; 3]>,
}

/// What the invented compiler made of an image.
pub fn binary(image: &Image) -> Option<Vec<u8>> {
    image.payload.downcast_ref::<Loaded>().map(|loaded| [BINARY, &loaded.bytes].concat())
}

/// The image of a binary.
pub fn image_of(binary: &[u8]) -> Option<&[u8]> {
    binary.strip_prefix(BINARY)
}

impl Executor for Recorder {
    fn load(&self, image: &[u8], _arch: &str) -> Result<Image, i32> {
        let (kernels, workgroups) = read(image).ok_or(code::INVALID_VALUE)?;
        let loaded = Loaded { bytes: image.to_vec(), workgroups };
        Ok(Image { kernels, payload: Box::new(loaded) })
    }

    fn check(&self, image: &Image, kernel: usize, launch: &Launch) -> Result<(), i32> {
        let loaded = image.payload.downcast_ref::<Loaded>().ok_or(code::INVALID_IMAGE)?;
        if loaded.workgroups.get(kernel) == Some(&launch.block) { Ok(()) } else { Err(code::INVALID_VALUE) }
    }
}

/// The kernels of a module and their workgroups; `None` for what is no SPIR-V.
fn read(image: &[u8]) -> Option<(Vec<KernelInfo>, Vec<[u32; 3]>)> {
    let words: Vec<u32> =
        image.chunks_exact(4).map(|w| w.try_into().map(u32::from_le_bytes)).collect::<Result<_, _>>().ok()?;
    if words.first() != Some(&MAGIC) || !image.len().is_multiple_of(4) {
        return None;
    }
    let mut names: Vec<(u32, String)> = Vec::new();
    let mut sizes: HashMap<u32, [u32; 3]> = HashMap::new();
    let mut pointers: Vec<u32> = Vec::new();
    let mut parameters: HashMap<u32, Vec<bool>> = HashMap::new();
    let mut function = 0;
    let mut at = 5;
    while at < words.len() {
        let (count, op) = ((words.get(at)? >> 16) as usize, words.get(at)? & 0xffff);
        let operands = words.get(at + 1..at + count)?;
        match (op, operands) {
            (ENTRY_POINT, [_, id, name @ ..]) => names.push((*id, text(name))),
            (EXECUTION_MODE, [id, LOCAL_SIZE, x, y, z]) => drop(sizes.insert(*id, [*x, *y, *z])),
            (TYPE_POINTER, [id, CROSS_WORKGROUP, ..]) => pointers.push(*id),
            (FUNCTION, [_, id, ..]) => function = *id,
            (PARAMETER, [ty, ..]) => parameters.entry(function).or_default().push(pointers.contains(ty)),
            _ => {}
        }
        at += count.max(1);
    }
    let kernel = |(id, name): &(u32, String)| {
        let kinds = parameters.get(id).map(Vec::as_slice).unwrap_or_default();
        let addresses = (0..kinds.len()).filter(|at| kinds.get(*at) == Some(&true)).collect();
        KernelInfo { name: name.clone(), arguments: vec![8; kinds.len()], addresses }
    };
    let workgroups = names.iter().map(|(id, _)| sizes.get(id).copied().unwrap_or_default()).collect();
    Some((names.iter().map(kernel).collect(), workgroups))
}

/// A text in words, up to its NUL.
fn text(words: &[u32]) -> String {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).take_while(|byte| *byte != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_are_read_from_spirv() {
        let image = include_bytes!("../../../runtime/src/hal/conformance/opencl_kernels.spv");
        let (kernels, workgroups) = read(image).unwrap();
        let names: Vec<&str> = kernels.iter().map(|kernel| kernel.name.as_str()).collect();
        assert_eq!(names, ["add_one", "below", "turn"]);
        assert_eq!(workgroups, [[64, 1, 1], [1, 1, 1], [64, 1, 1]]);
        assert_eq!((kernels[2].arguments.len(), kernels[2].addresses.as_slice()), (4, &[0, 1][..]));
        let image = Recorder.load(image, "gpu").unwrap();
        assert!(image_of(&binary(&image).unwrap()).is_some() && image_of(b"anything").is_none());
        let image = include_bytes!("../../../runtime/src/hal/conformance/opencl_kernels.spv");
        assert!(read(b"no SPIR-V at all").is_none() && read(&image[..image.len() - 1]).is_none());
    }
}

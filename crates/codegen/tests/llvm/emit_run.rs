//! Runs kernel plans on this machine's CPU, every workgroup of the launch, and compiles them for the GPUs.

use std::ffi::c_void;

use fornax_codegen::backend::{KernelSource, LinkOptions, link};
use fornax_codegen::emit;
use fornax_plan::{Access, KernelPlan};
use fornax_targets::{Backend, Target};

use super::cpu::load;
use super::{compile, linker, target, tools};

/// Bytes aligned like a binding.
#[derive(Clone)]
pub struct Bytes {
    words: Vec<u128>,
    len: usize,
}

impl Bytes {
    pub fn filled(len: usize, byte: u8) -> Bytes {
        Bytes { words: vec![u128::from_ne_bytes([byte; 16]); len.div_ceil(16) + 4], len }
    }

    pub fn of(bytes: &[u8]) -> Bytes {
        let mut made = Bytes::filled(bytes.len(), 0);
        for (at, &byte) in bytes.iter().enumerate() {
            made.words[at / 16] |= u128::from(byte) << (8 * (at % 16));
        }
        made
    }

    pub fn to_vec(&self) -> Vec<u8> {
        self.words.iter().flat_map(|w| w.to_le_bytes()).take(self.len).collect()
    }

    fn pointer(&mut self) -> *mut c_void {
        self.words.as_mut_ptr().cast()
    }
}

pub fn emitted(plan: &KernelPlan, name: &str, target: &Target) -> KernelSource {
    emit(plan, name, target).unwrap_or_else(|error| panic!("{error}"))
}

/// The written buffers after a launch; `inputs` are the read ones, in binding order.
pub fn run(plan: &KernelPlan, cpu: &str, inputs: &[Vec<u8>]) -> Option<Vec<Vec<u8>>> {
    let target = target(Backend::Cpu, cpu);
    let source = emitted(plan, "kernel", &target);
    let loaded = load(&target, &[compile(&target, "kernel", source.mlir)])?;
    let mut given = inputs.iter();
    let mut buffers: Vec<Bytes> = plan
        .buffers
        .iter()
        .map(|buffer| match buffer.access {
            Access::Read => Bytes::of(given.next().expect("an input for every read buffer")),
            Access::Write => Bytes::filled(buffer.elements as usize * buffer.element.storage_bytes(), 0xAB),
        })
        .collect();
    let pointers: Vec<*mut c_void> = buffers.iter_mut().map(Bytes::pointer).collect();
    let (grid, _) = plan.launch();
    for x in 0..grid[0] {
        loaded.run("kernel", x as i32, &pointers);
    }
    let written = plan.buffers.iter().zip(&buffers).filter(|(b, _)| b.access == Access::Write);
    Some(written.map(|(_, bytes)| bytes.to_vec()).collect())
}

/// Compiles a plan for NVIDIA and AMD devices; PTX goes through ptxas where it is at hand. The PTX of sm_80.
pub fn compile_for_gpus(plan: &KernelPlan) -> String {
    let tools = tools();
    let mut sm_80 = String::new();
    for name in ["sm_60", "sm_80", "sm_90"] {
        let target = target(Backend::Cuda, name);
        let binary = compile(&target, "kernel", emitted(plan, "kernel", &target).mlir);
        if name == "sm_80" {
            sm_80 = String::from_utf8_lossy(&binary.bytes).into_owned();
        }
        let cubin = fornax_codegen::backend::CubinPolicy::IfPossible;
        link(&target, &[binary], &tools, &LinkOptions { cubin }).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    for name in ["gfx908", "gfx1100"] {
        let target = target(Backend::Rocm, name);
        let binary = compile(&target, "kernel", emitted(plan, "kernel", &target).mlir);
        if let Some(tools) = linker() {
            link(&target, &[binary], &tools, &LinkOptions::default()).unwrap_or_else(|error| panic!("{name}: {error}"));
        }
    }
    sm_80
}

//! What differs between the machines: the function's header, ids, barrier, lane exchange, shared memory.
//!
//! | | CUDA | ROCm, OpenCL | CPU |
//! | --- | --- | --- | --- |
//! | bindings | one `!llvm.ptr<1>` argument each | the same | an array of pointers, first argument |
//! | tensor maps | one 128-byte parameter each, read in place | none | none |
//! | sizes | one i64 parameter each, last | the same | words after the pointers |
//! | workgroup id | `ctaid.x/y/z` | `workgroup.id.x/y/z`; OpenCL: a call (`opencl`) | arguments x, y, z |
//! | thread id | `tid.x` | `workitem.id.x`; OpenCL: a call | 0 |
//! | shared memory | `addr_space = 3` globals | the same | scratch, 64-byte aligned, last argument |
//! | shared memory of the launch | one `addr_space = 3` global without a size, 1024-byte aligned | none | none |
//! | barrier | `nvvm.barrier0` | `rocdl.barrier`; OpenCL: a call | none |
//! | lane exchange | `shfl.sync bfly` | DPP, `ds_swizzle`, … (`lane_exchange`); OpenCL: see below | none |
//!
//! Lane exchange under OpenCL is a call where the target fixes the size of subgroups, else it goes through shared
//! memory.
//!
//! Worked example, CUDA with two buffers and 256 threads:
//!
//! ```text
//! llvm.func @k(%0: !llvm.ptr<1> {llvm.noalias, llvm.align = 16 : i64}, %1: …)
//!     attributes {nvvm.kernel, nvvm.reqntid = array<i32: 256, 1, 1>}
//! ```

use std::fmt::Write;

use fornax_plan::{Access, Buffer};
use fornax_targets::{Backend, Feature, FeatureSet, Target};

use crate::text::{Code, Scalar, Ty, Value};
use crate::{lane_exchange, math, opencl};

const I32: Ty = Ty::scalar(Scalar::I32);

/// Which workgroups a part of a bundle has.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// Workgroups of the parts before it.
    pub first: u64,
    /// Of one of its launches.
    pub workgroups: u64,
    pub launches: u64,
}

/// What a kernel has while another is written inside it.
#[derive(Debug)]
pub struct Around {
    part: Option<Part>,
    next_shared: usize,
    attributes: Vec<(String, u32)>,
}

/// The machine side of one kernel.
#[derive(Debug)]
pub struct Abi {
    pub backend: Backend,
    pub subgroup: u32,
    /// Lanes can exchange registers.
    pub shuffles: bool,
    features: FeatureSet,
    pub threads: u32,
    grid: [u64; 3],
    kernel: String,
    /// Arrays and other memory of the module.
    globals: Vec<String>,
    /// Arrays of shared memory: their places in `globals`, and their bytes.
    shared: Vec<(usize, u64)>,
    /// The next array that is asked for: parts of a bundle take the same ones.
    next_shared: usize,
    /// Words through which threads exchange where lanes cannot: the name of the array, a word a thread.
    exchanged: Option<String>,
    /// Arguments after the bindings: pointers to tensor maps.
    maps: Vec<Value>,
    /// Arguments after those: sizes known only at run time.
    sizes: Vec<Value>,
    /// More attributes of the function, and how many parts asked for each.
    attributes: Vec<(String, u32)>,
    /// The part of a bundle that is written.
    part: Option<Part>,
    parts: u32,
    /// Threads read what others wrote into the buffers: an argument that promises not to be aliased would let LLVM move
    /// loads over barriers.
    exchanges_in_buffers: bool,
}

impl Abi {
    pub fn new(target: &Target, kernel: &str, grid: [u64; 3], threads: u32) -> Abi {
        Abi {
            backend: target.backend,
            subgroup: target.subgroup_size,
            shuffles: target.is_gpu() && target.has(Feature::ShuffleSync),
            features: target.features,
            threads,
            grid,
            kernel: kernel.to_string(),
            globals: Vec::new(),
            shared: Vec::new(),
            next_shared: 0,
            exchanged: None,
            maps: Vec::new(),
            sizes: Vec::new(),
            attributes: Vec::new(),
            part: None,
            parts: 1,
            exchanges_in_buffers: false,
        }
    }

    /// Whether [`Abi::shuffle_xor`] works: by registers, or through shared memory where all threads of the workgroup
    /// are known to take part.
    pub fn exchanges(&self) -> bool {
        self.shuffles || self.backend == Backend::OpenCl
    }

    pub fn is_gpu(&self) -> bool {
        self.backend != Backend::Cpu
    }

    /// Address space of bindings.
    fn global_space(&self) -> u8 {
        if self.is_gpu() { 1 } else { 0 }
    }

    /// Declares the bindings: one pointer a buffer, in order.
    pub fn bind(&self, code: &mut Code, buffers: &[Buffer]) -> Vec<Value> {
        let ty = Ty::scalar(Scalar::Ptr(self.global_space()));
        if self.is_gpu() {
            return buffers.iter().map(|_| code.fresh(ty)).collect();
        }
        (0..buffers.len())
            .map(|at| {
                let slot = code.pure(
                    ty,
                    format!("llvm.getelementptr inbounds %bindings[{at}] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr"),
                );
                code.pure(ty, format!("llvm.load {slot} invariant {{alignment = 8 : i64}} : !llvm.ptr -> !llvm.ptr"))
            })
            .collect()
    }

    /// Declares `count` tensor maps (CUDA): pointers to descriptors that the launch passes after the bindings.
    pub fn bind_tensor_maps(&mut self, code: &mut Code, count: usize) -> Vec<Value> {
        self.maps = (0..count).map(|_| code.fresh(Ty::scalar(Scalar::Ptr(0)))).collect();
        self.maps.clone()
    }

    /// Declares `count` sizes, i64, after `buffers` bindings.
    pub fn bind_sizes(&mut self, code: &mut Code, buffers: usize, count: usize) -> Vec<Value> {
        let ty = Ty::scalar(Scalar::I64);
        if self.is_gpu() {
            self.sizes = (0..count).map(|_| code.fresh(ty)).collect();
            return self.sizes.clone();
        }
        let pointer = Ty::scalar(Scalar::Ptr(0));
        (buffers..buffers + count)
            .map(|at| {
                let slot = code.pure(
                    pointer,
                    format!("llvm.getelementptr inbounds %bindings[{at}] : (!llvm.ptr) -> !llvm.ptr, i64"),
                );
                code.pure(ty, format!("llvm.load {slot} invariant {{alignment = 8 : i64}} : !llvm.ptr -> i64"))
            })
            .collect()
    }

    /// Shared memory whose size the launch gives (CUDA): 1024-byte aligned where the kernel declares no other.
    pub fn dynamic_shared(&mut self, code: &mut Code) -> Value {
        let name = format!("{}_dynamic", self.kernel);
        let global = format!(
            "  llvm.mlir.global external @{name}() {{addr_space = 3 : i32, alignment = 1024 : i64}} \
             : !llvm.array<0 x i8>\n"
        );
        // Parts of a bundle have the same.
        if !self.globals.contains(&global) {
            self.globals.push(global);
        }
        code.pure(Ty::scalar(Scalar::Ptr(3)), format!("llvm.mlir.addressof @{name} : !llvm.ptr<3>"))
    }

    /// Threads of a workgroup read from the bindings what others wrote there, with barriers between.
    pub fn exchange_in_buffers(&mut self) {
        self.exchanges_in_buffers = true;
    }

    /// One more attribute of the function, such as `nvvm.minctasm = 1 : i32`. A bundle has those that all of its parts
    /// ask for.
    pub fn attribute(&mut self, text: &str) {
        match self.attributes.iter_mut().find(|(known, _)| known == text) {
            Some((_, parts)) => *parts += 1,
            None => self.attributes.push((text.to_string(), 1)),
        }
    }

    /// Goes on with a part of a bundle, the `number`-th from 0: workgroups are its own, arrays of shared memory are
    /// those that the parts before had.
    pub fn begin_part(&mut self, part: Part, number: u32) {
        self.part = Some(part);
        self.parts = number + 1;
        self.next_shared = 0;
        self.exchanged = None;
    }

    /// Goes on with a kernel inside the one that is written: to it workgroups are numbered as `part`, its arrays of
    /// shared memory come next. Gives what [`Abi::end_lead`] puts back.
    pub fn begin_lead(&mut self, part: Part) -> Around {
        let attributes = std::mem::take(&mut self.attributes);
        Around { part: self.part.replace(part), next_shared: self.next_shared, attributes }
    }

    /// Goes back to the kernel around.
    pub fn end_lead(&mut self, around: Around) {
        (self.part, self.next_shared, self.attributes) = (around.part, around.next_shared, around.attributes);
    }

    /// The workgroup's number among all of the launch, i32.
    pub fn workgroup_of_all(&mut self, code: &mut Code) -> Value {
        let part = self.part.take();
        let number = self.workgroup_id(code, Scalar::I32);
        self.part = part;
        number
    }

    /// The whole module around the body.
    pub fn module(&self, bindings: &[Value], buffers: &[Buffer], body: &str) -> String {
        let mut text = String::with_capacity(body.len() + 1024);
        text.push_str("module {\n");
        self.globals.iter().for_each(|global| text.push_str(global));
        if self.backend == Backend::OpenCl {
            opencl::declarations(&mut text);
        }
        if self.backend == Backend::Rocm {
            text.push_str(&math::device_library::declarations(body));
        }
        let convention = if self.backend == Backend::OpenCl { "spir_kernelcc " } else { "" };
        let _ = write!(text, "  llvm.func {convention}@{}(", self.kernel);
        if self.is_gpu() {
            // Where one result lies in an operand, no promise is made of any result.
            let in_place = self.exchanges_in_buffers || buffers.iter().any(|b| b.access == Access::Overwritten);
            for (at, (value, buffer)) in bindings.iter().zip(buffers).enumerate() {
                let separator = if at == 0 { "" } else { ", " };
                let promise = match buffer.access {
                    Access::Read | Access::Guard => "llvm.noalias, llvm.align = 16 : i64, llvm.readonly",
                    Access::Overwritten => "llvm.align = 16 : i64, llvm.readonly",
                    Access::Announced => "llvm.align = 16 : i64",
                    Access::Write | Access::Update if in_place => "llvm.align = 16 : i64",
                    Access::Write | Access::Update => "llvm.noalias, llvm.align = 16 : i64",
                };
                let _ = write!(text, "{separator}{value}: {} {{{promise}}}", value.ty);
            }
            for map in &self.maps {
                let separator = if text.ends_with('(') { "" } else { ", " };
                let _ = write!(
                    text,
                    "{separator}{map}: !llvm.ptr {{llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, \
                     nvvm.grid_constant}}"
                );
            }
            for size in &self.sizes {
                let separator = if text.ends_with('(') { "" } else { ", " };
                let _ = write!(text, "{separator}{size}: i64");
            }
        } else {
            text.push_str(
                "%bindings: !llvm.ptr {llvm.noalias, llvm.readonly}, %x: i32, %y: i32, %z: i32, \
                 %scratch: !llvm.ptr {llvm.noalias, llvm.align = 64 : i64}",
            );
        }
        let threads = self.threads;
        let attributes = match self.backend {
            Backend::Cuda => format!("nvvm.kernel, nvvm.reqntid = array<i32: {threads}, 1, 1>"),
            Backend::Rocm => format!(
                "rocdl.kernel, rocdl.flat_work_group_size = \"{threads},{threads}\", \
                 rocdl.reqd_work_group_size = array<i32: {threads}, 1, 1>"
            ),
            Backend::OpenCl => opencl::attributes(threads, self.shuffles.then_some(self.subgroup)),
            Backend::Cpu => "passthrough = [\"no-builtins\", \"nounwind\"]".to_string(),
        };
        let asked = self.attributes.iter().filter(|(_, parts)| *parts == self.parts);
        let more: String = asked.map(|(attribute, _)| format!(", {attribute}")).collect();
        let _ = writeln!(text, ") attributes {{{attributes}{more}}} {{");
        text.push_str(body);
        text.push_str("    llvm.return\n  }\n}\n");
        text
    }

    /// The workgroup's number in the grid, row-major with x fastest; of a part of a bundle, among the part's.
    pub fn workgroup_id(&self, code: &mut Code, index: Scalar) -> Value {
        self.workgroup_number(code, index, &|code, axis| self.workgroup_axis(code, axis))
    }

    fn workgroup_number(&self, code: &mut Code, index: Scalar, axis_id: &dyn Fn(&mut Code, usize) -> Value) -> Value {
        if let Some(part) = self.part {
            let number = axis_id(code, 0);
            let own = if part.first == 0 { number } else { code.add_ik(number, -(part.first as i64)) };
            let own = if part.launches == 1 { own } else { code.int_k("arith.remui", own, part.workgroups as i64) };
            return code.resize_u(own, index);
        }
        let axes: &[usize] = if self.grid[2] > 1 {
            &[2, 1, 0]
        } else if self.grid[1] > 1 {
            &[1, 0]
        } else {
            &[0]
        };
        let mut id: Option<Value> = None;
        for &axis in axes {
            let part = axis_id(code, axis);
            let part = code.resize_u(part, index);
            id = Some(match id {
                None => part,
                Some(outer) => {
                    let scaled = code.int_k("arith.muli", outer, self.grid[axis] as i64);
                    code.add_i(scaled, part)
                }
            });
        }
        id.unwrap_or_else(|| code.int(Ty::scalar(index), 0))
    }

    fn workgroup_axis(&self, code: &mut Code, axis: usize) -> Value {
        let name = ["x", "y", "z"][axis];
        match self.backend {
            Backend::Cuda => code.pure(I32, format!("nvvm.read.ptx.sreg.ctaid.{name} : i32")),
            Backend::Rocm => code.pure(I32, format!("rocdl.workgroup.id.{name} : i32")),
            Backend::OpenCl => opencl::workgroup_axis(code, axis),
            Backend::Cpu => {
                let zero = code.int(I32, 0);
                code.pure(I32, format!("arith.addi %{name}, {zero} : i32"))
            }
        }
    }

    /// The thread's number in its workgroup, i32.
    pub fn thread_id(&self, code: &mut Code) -> Value {
        match self.backend {
            Backend::Cuda => code.pure(I32, "nvvm.read.ptx.sreg.tid.x : i32".into()),
            Backend::Rocm => code.pure(I32, "rocdl.workitem.id.x : i32".into()),
            Backend::OpenCl => opencl::thread_id(code),
            Backend::Cpu => code.int(I32, 0),
        }
    }

    /// The thread's number, read anew where it is asked for: what is derived from it is worked out again behind a long
    /// loop, so that it needs no registers inside.
    pub fn thread_id_again(&self, code: &mut Code) -> Value {
        match self.backend {
            Backend::Cuda => read_again(code, "tid.x"),
            Backend::Rocm => {
                let thread = self.thread_id(code);
                taken_again(code, thread)
            }
            Backend::OpenCl | Backend::Cpu => self.thread_id(code),
        }
    }

    /// The workgroup's number, read anew as [`Abi::thread_id_again`].
    pub fn workgroup_id_again(&self, code: &mut Code, index: Scalar) -> Value {
        match self.backend {
            Backend::Cuda => self
                .workgroup_number(code, index, &|code, axis| read_again(code, ["ctaid.x", "ctaid.y", "ctaid.z"][axis])),
            Backend::Rocm | Backend::OpenCl | Backend::Cpu => self.workgroup_id(code, index),
        }
    }

    /// All threads of the workgroup meet; shared memory written before is visible after.
    pub fn barrier(&self, code: &mut Code) {
        match self.backend {
            Backend::Cuda => code.line("nvvm.barrier0"),
            Backend::Rocm => code.line("rocdl.barrier"),
            Backend::OpenCl => opencl::barrier(code),
            Backend::Cpu => {}
        }
    }

    /// All threads of the workgroup meet; shared and global memory that they wrote before is visible to them after.
    pub fn barrier_of_all(&self, code: &mut Code) {
        match self.backend {
            Backend::OpenCl => opencl::barrier_of_all(code),
            // These order all memory within the workgroup.
            Backend::Cuda | Backend::Rocm | Backend::Cpu => self.barrier(code),
        }
    }

    /// The scalar held by the lane whose number differs in the bits of `mask`. All threads of the workgroup take part.
    pub fn shuffle_xor(&mut self, code: &mut Code, value: Value, mask: u32) -> Value {
        match value.ty.scalar {
            Scalar::I64 | Scalar::F64 => {
                let bits = code.to_bits(value);
                let low = code.resize_u(bits, Scalar::I32);
                let high = code.shr_uk(bits, 32);
                let high = code.resize_u(high, Scalar::I32);
                let (low, high) = (self.shuffle_word(code, low, mask), self.shuffle_word(code, high, mask));
                let (low, high) = (code.resize_u(low, Scalar::I64), code.resize_u(high, Scalar::I64));
                let high = code.shl_k(high, 32);
                let both = code.or(high, low);
                code.bitcast(both, value.ty.scalar)
            }
            Scalar::F32 => {
                let bits = code.to_bits(value);
                let moved = self.shuffle_word(code, bits, mask);
                code.bitcast(moved, Scalar::F32)
            }
            narrow => {
                let word = code.resize_u(value, Scalar::I32);
                let moved = self.shuffle_word(code, word, mask);
                code.resize_u(moved, narrow)
            }
        }
    }

    /// The word of the lane of a number, on NVIDIA GPUs. All threads of whole subgroups take part.
    pub fn shuffle_from(&mut self, code: &mut Code, word: Value, lane: Value) -> Value {
        let (members, clamp) = (code.int(I32, -1), code.int(I32, 31));
        code.effect(I32, &format!("nvvm.shfl.sync idx {members}, {word}, {lane}, {clamp} : i32 -> i32"))
    }

    fn shuffle_word(&mut self, code: &mut Code, word: Value, mask: u32) -> Value {
        if self.backend == Backend::Rocm {
            return lane_exchange::exchange(code, word, mask, self.features, |code| self.thread_id(code));
        }
        if self.backend == Backend::OpenCl && !self.shuffles {
            return self.exchange_in_shared(code, word, mask);
        }
        if self.backend == Backend::OpenCl {
            return opencl::exchange(code, word, mask);
        }
        let members = if self.threads >= 32 { -1 } else { (1i64 << self.threads) - 1 };
        let (members, mask, clamp) = (code.int(I32, members), code.int(I32, i64::from(mask)), code.int(I32, 31));
        code.effect(I32, &format!("nvvm.shfl.sync bfly {members}, {word}, {mask}, {clamp} : i32 -> i32"))
    }

    /// A word of another thread, through shared memory: written, read, and not written again before all have read.
    fn exchange_in_shared(&mut self, code: &mut Code, word: Value, mask: u32) -> Value {
        let ty = Ty::scalar(Scalar::Ptr(3));
        let name = match self.exchanged.clone() {
            Some(name) => name,
            None => {
                let name = format!("{}_shared{}", self.kernel, self.next_shared);
                self.shared_array(code, Scalar::I32, u64::from(self.threads));
                self.exchanged.insert(name).clone()
            }
        };
        let words = code.pure(ty, format!("llvm.mlir.addressof @{name} : {ty}"));
        let slot = |code: &mut Code, thread: Value| {
            code.pure(ty, format!("llvm.getelementptr inbounds {words}[{thread}] : ({ty}, i32) -> {ty}, i32"))
        };
        let thread = self.thread_id(code);
        let own = slot(code, thread);
        code.line(&format!("llvm.store {word}, {own} {{alignment = 4 : i64}} : i32, {ty}"));
        self.barrier(code);
        let other = code.int_k("arith.xori", thread, i64::from(mask));
        let other = slot(code, other);
        let moved = code.effect(I32, &format!("llvm.load {other} {{alignment = 4 : i64}} : {ty} -> i32"));
        self.barrier(code);
        moved
    }

    /// Shared memory for `elements` scalars; the pointer to its start.
    pub fn shared_array(&mut self, code: &mut Code, scalar: Scalar, elements: u64) -> Value {
        let name = format!("{}_shared{}", self.kernel, self.next_shared);
        let global = format!(
            "  llvm.mlir.global internal @{name}() {{addr_space = 3 : i32, alignment = 16 : i64}} \
             : !llvm.array<{elements} x {scalar}>\n"
        );
        let bytes = elements * u64::from(scalar.bits() / 8);
        match self.shared.get_mut(self.next_shared) {
            None => {
                self.shared.push((self.globals.len(), bytes));
                self.globals.push(global);
            }
            Some((at, longest)) if *longest < bytes => {
                self.globals[*at] = global;
                *longest = bytes;
            }
            Some(_) => {}
        }
        self.next_shared += 1;
        code.pure(Ty::scalar(Scalar::Ptr(3)), format!("llvm.mlir.addressof @{name} : !llvm.ptr<3>"))
    }

    /// An array of shared memory, the `number`-th of those that nothing else of the kernel shares.
    pub fn handed_array(&mut self, code: &mut Code, number: usize, (scalar, elements): (Scalar, u64)) -> Value {
        let name = format!("{}_handed{number}", self.kernel);
        self.globals.push(format!(
            "  llvm.mlir.global internal @{name}() {{addr_space = 3 : i32, alignment = 16 : i64}} \
             : !llvm.array<{elements} x {scalar}>\n"
        ));
        code.pure(Ty::scalar(Scalar::Ptr(3)), format!("llvm.mlir.addressof @{name} : !llvm.ptr<3>"))
    }
}

/// A special register of PTX, by a statement that neither moves nor merges.
fn read_again(code: &mut Code, register: &str) -> Value {
    let text =
        format!("llvm.inline_asm has_side_effects asm_dialect = att \"mov.u32 $0, %{register};\", \"=r\" : () -> i32");
    code.effect(I32, &text)
}

/// A register of AMD's lanes as LLVM does not know it: what is derived from it cannot be derived before.
fn taken_again(code: &mut Code, value: Value) -> Value {
    let ty = value.ty;
    let text = format!("llvm.inline_asm has_side_effects asm_dialect = att \"\", \"=v,0\" {value} : ({ty}) -> {ty}");
    code.effect(ty, &text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tensor_maps_follow_the_bindings() {
        let target = Target::from_spec("cuda:sm_90a").expect("a known target");
        let buffers = [Buffer { element: fornax_graph::ElementType::F32, elements: 4, access: Access::Read }];
        let (mut abi, mut code) = (Abi::new(&target, "k", [1; 3], 384), Code::new(true, true, false));
        let bindings = abi.bind(&mut code, &buffers);
        let maps = abi.bind_tensor_maps(&mut code, 2);
        let shared = abi.dynamic_shared(&mut code);
        abi.attribute("nvvm.minctasm = 1 : i32");
        assert_eq!((maps.len(), shared.ty), (2, Ty::scalar(Scalar::Ptr(3))));
        let text = abi.module(&bindings, &buffers, "");
        let map = "!llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant}";
        assert_eq!(text.matches(map).count(), 2, "{text}");
        assert!(text.find("llvm.ptr<1>") < text.find("llvm.byval"), "{text}");
        assert!(text.contains("@k_dynamic() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>"));
        assert!(text.contains("nvvm.reqntid = array<i32: 384, 1, 1>, nvvm.minctasm = 1 : i32}"), "{text}");
    }
}

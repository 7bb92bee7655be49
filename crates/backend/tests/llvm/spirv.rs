//! SPIR-V of several kernels joined into one module.

use fornax_backend::{
    BinaryFormat, CodegenOptions, Image, KernelBinary, KernelSource, LinkOptions, Tools, compile_one, link,
};
use fornax_module::spirv::Spirv;
use fornax_targets::{ImageKind, Target};

/// A kernel that stores its workgroup's number: types, a constant, a built-in as an import, a workgroup array.
fn kernel(name: &str, constant: u32) -> Vec<u8> {
    let text = |text: &str| -> Vec<u32> {
        let mut bytes = text.as_bytes().to_vec();
        bytes.resize((bytes.len() / 4 + 1) * 4, 0);
        bytes.chunks(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]])).collect()
    };
    let mut words = vec![0x0723_0203, 0x0001_0200, 43 << 16, 30, 0];
    let mut put = |opcode: u32, operands: &[u32]| {
        words.push((operands.len() as u32 + 1) << 16 | opcode);
        words.extend(operands);
    };
    put(17, &[6]);
    put(17, &[5]);
    put(14, &[2, 2]);
    put(15, &[&[6, 20][..], &text(name), &[13]].concat());
    put(16, &[20, 17, 64, 1, 1]);
    put(5, &[&[20][..], &text("a name for debuggers")].concat());
    put(71, &[&[13, 41][..], &text("__spirv_BuiltInWorkgroupId"), &[1]].concat());
    put(71, &[13, 11, 26]);
    put(21, &[2, 32, 0]);
    put(21, &[3, 64, 0]);
    put(23, &[4, 3, 3]);
    put(32, &[5, 1, 4]);
    put(32, &[6, 5, 3]);
    put(19, &[7]);
    put(33, &[8, 7, 6]);
    put(43, &[2, 9, constant]);
    put(43, &[2, 10, 16]);
    put(28, &[11, 2, 10]);
    put(32, &[12, 4, 11]);
    put(59, &[5, 13, 1]);
    put(59, &[12, 14, 4]);
    put(54, &[7, 20, 0, 8]);
    put(55, &[6, 21]);
    put(248, &[22]);
    put(61, &[4, 23, 13, 2, 1]);
    put(81, &[3, 24, 23, 0]);
    // A switch on a number of 64 bits: two words a case.
    put(251, &[24, 25, 7, 0, 26]);
    put(248, &[25]);
    put(62, &[21, 24, 2, 8]);
    put(249, &[26]);
    put(248, &[26]);
    put(253, &[]);
    put(56, &[]);
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn joined(kernels: &[(&str, Vec<u8>)]) -> Result<Image, String> {
    let target = Target::from_spec("opencl:spirv64").expect("a target");
    let format = BinaryFormat::SpirV;
    let kernels: Vec<KernelBinary> = kernels
        .iter()
        .map(|(name, bytes)| KernelBinary { name: (*name).into(), format, bytes: bytes.clone(), intermediates: None })
        .collect();
    let linked = link(&target, &kernels, &Tools::default(), &LinkOptions::default());
    linked.map(|mut linked| linked.images.remove(0)).map_err(|error| error.to_string())
}

#[test]
fn what_kernels_share_is_there_once() {
    let image = joined(&[("first", kernel("first", 3)), ("second", kernel("second", 4))]).expect("they join");
    assert_eq!((image.kind, image.target.as_str()), (ImageKind::SpirV, "spirv64"));
    let module = Spirv::parse(&image.bytes).expect("a module");
    module.check_opencl().expect("nothing is imported");
    assert_eq!((module.kernels().expect("entry points"), module.capabilities()), (vec!["first", "second"], vec![6]));
    let count = |opcode: u16| module.instructions().filter(|i| i.opcode == opcode).count();
    // Integers, the vector, pointers, the function's type, constants 3, 4 and 16; the built-in is one, local arrays and
    // their names are each kernel's.
    assert_eq!([21, 23, 32, 33, 43, 59, 54, 5].map(count), [2, 1, 3, 1, 3, 3, 2, 2]);
    let ids: Vec<u32> = module.instructions().filter(|i| i.opcode == 248).map(|i| i.operands[0]).collect();
    let different: std::collections::BTreeSet<u32> = ids.iter().copied().collect();
    assert!(different.len() == 6 && ids.iter().all(|id| *id < module.bound()), "{ids:?}");
    // The literal of the case stays, its label is the kernel's own.
    let cases: Vec<&[u32]> = module.instructions().filter(|i| i.opcode == 251).map(|i| i.operands).collect();
    assert!(cases.iter().all(|case| case[2..4] == [7, 0]) && cases[0][4] != cases[1][4], "{cases:?}");
    assert_eq!(image.resources[1].1.static_shared_bytes, Some(64));
}

#[test]
fn what_is_not_understood_is_refused() {
    let refused = |bytes: Vec<u8>| joined(&[("k", bytes)]).expect_err("refused");
    let good = kernel("k", 1);
    assert!(refused(good[..30].to_vec()).contains("FX0430"));
    assert!(refused(kernel("other", 1)).contains("entry points"));
    // OpNop's neighbour 2 has no row.
    let mut unknown = good.clone();
    unknown.extend((1u32 << 16 | 2).to_le_bytes());
    assert!(refused(unknown).contains("does not know opcode 2"));
    let vulkan: Vec<u8> = {
        let mut words: Vec<u32> = good.chunks(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]])).collect();
        let at = words.iter().position(|word| *word == 3 << 16 | 14).expect("a memory model");
        words[at + 2] = 1;
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    };
    assert!(joined(&[("a", kernel("a", 1)), ("k", vulkan)]).expect_err("refused").contains("memory model"));
}

/// The one SPIR-V module that this process may write: a second is refused.
#[test]
fn one_module_a_process() {
    let target = Target::from_spec("opencl:spirv64").expect("a target");
    let mlir = "module {\n  \
                llvm.func spir_kernelcc @k(%0: !llvm.ptr<1>) attributes \
                {reqd_work_group_size = array<i32: 64, 1, 1>} {\n    \
                %1 = arith.constant 1 : i32\n    \
                llvm.store %1, %0 {alignment = 4 : i64} : i32, !llvm.ptr<1>\n    \
                llvm.return\n  \
                }\n\
                }\n";
    let source = KernelSource { name: "k".into(), mlir: mlir.into() };
    let binary = compile_one(&target, &source, CodegenOptions::KEEP).expect("it compiles");
    let listing = binary.intermediates.as_ref().map_or("", |i| i.assembly.as_str());
    assert!(listing.starts_with("; SPIR-V 1.2") && listing.contains("OpStore"), "{listing}");
    let image = joined(&[("k", binary.bytes)]).expect("it joins");
    assert_eq!(fornax_module::image::check_image(ImageKind::SpirV, &image.bytes).expect("an image").len(), 1);
    assert_eq!(compile_one(&target, &source, CodegenOptions::default()).expect_err("a second").code(), "FX0446");
}

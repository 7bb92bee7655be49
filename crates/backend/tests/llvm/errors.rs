//! What a broken kernel is answered with.

use fornax_backend::{
    BackendError, BinaryFormat, CodegenOptions, KernelBinary, KernelSource, LinkOptions, Tools, compile_one, link,
};
use fornax_targets::Backend;

use super::kernels::{cpu_kernel, cpu_sine, gpu_sine};
use super::{compile, target};

fn refusal(name: &str, mlir: &str) -> BackendError {
    compile_one(
        &target(Backend::Cpu, "x86-64-v3"),
        &KernelSource { name: name.into(), mlir: mlir.into() },
        CodegenOptions::default(),
    )
    .expect_err("must be refused")
}

#[test]
fn text_that_does_not_parse_is_shown_with_its_line() {
    let error = refusal(
        "k",
        "module {\n  llvm.func @k() {\n    %x = arith.addf %nowhere, %nowhere : f32\n    llvm.return\n  }\n}\n",
    );
    assert_eq!(error.code(), "FX0440");
    let text = error.to_string();
    assert!(text.contains("3:") && text.contains("%nowhere"), "{text}");
}

#[test]
fn an_operation_without_lowering_is_named_with_its_line() {
    let body = "%x = llvm.load %a : !llvm.ptr -> f32\n\
                %y = arith.truncf %x : f32 to f8E4M3FN\n\
                %z = arith.bitcast %y : f8E4M3FN to i8\n\
                llvm.store %z, %a : i8, !llvm.ptr";
    let error = refusal("k", &cpu_kernel("k", 1, 1, body, &[("a", "f32")]));
    assert_eq!(error.code(), "FX0442", "{error}");
    assert!(error.to_string().contains("arith.truncf"), "{error}");
}

#[test]
fn too_much_shared_memory_is_an_error_not_an_abort() {
    let text = gpu_sine("k", false).replace("array<256 x f32>", "array<65536 x f32>");
    let gfx908 = target(Backend::Rocm, "gfx908");
    let error = compile_one(&gfx908, &KernelSource { name: "k".into(), mlir: text }, CodegenOptions::default())
        .expect_err("more than 64 KiB");
    assert_eq!(error.code(), "FX0446");
    assert!(error.to_string().contains("local memory"), "{error}");
}

#[test]
fn names_and_formats_are_checked() {
    assert_eq!(refusal("k; ret", "module {}").code(), "FX0421");
    let cpu = target(Backend::Cpu, "x86-64-v3");
    let kernel = compile(&cpu, "k", cpu_sine("k", 8));
    let twice = link(&cpu, &[kernel.clone(), kernel.clone()], &Tools::default(), &LinkOptions::default());
    assert_eq!(twice.expect_err("one name twice").code(), "FX0420");
    let wrong = link(
        &target(Backend::Cuda, "sm_80"),
        std::slice::from_ref(&kernel),
        &Tools::default(),
        &LinkOptions::default(),
    );
    assert_eq!(wrong.expect_err("an object is not PTX").code(), "FX0422");
}

#[test]
fn an_undefined_function_fails_the_link_by_name() {
    let tools = Tools::default();
    let cpu = target(Backend::Cpu, "x86-64-v3");
    let body = "%x = llvm.load %a : !llvm.ptr -> f32\n%y = math.sin %x : f32\nllvm.store %y, %a : f32, !llvm.ptr";
    let kernel = compile(&cpu, "k", cpu_kernel("k", 1, 1, body, &[("a", "f32")]));
    let error = link(&cpu, &[kernel], &tools, &LinkOptions::default()).expect_err("sinf is nowhere");
    assert_eq!(error.code(), "FX0430");
    assert!(error.to_string().contains("`sinf` is not defined"), "{error}");
}

#[test]
fn a_file_that_is_no_object_is_refused() {
    let tools = Tools::default();
    for bytes in
        [vec![], vec![0u8; 100], b"\x7fELF\x02\x01".to_vec(), [b"\x7fELF\x02\x01".as_slice(), &[0xff; 200]].concat()]
    {
        let kernel = KernelBinary { name: "k".into(), format: BinaryFormat::Object, bytes, intermediates: None };
        let error =
            link(&target(Backend::Cpu, "x86-64"), std::slice::from_ref(&kernel), &tools, &LinkOptions::default())
                .expect_err("no object");
        assert_eq!(error.code(), "FX0428");
        assert!(link(&target(Backend::Rocm, "gfx908"), &[kernel], &tools, &LinkOptions::default()).is_err());
    }
}

#[test]
fn intermediates_come_when_asked_for_and_travel_as_json() {
    for (target, text) in
        [(target(Backend::Cuda, "sm_80"), gpu_sine("k", true)), (target(Backend::Cpu, "x86-64-v3"), cpu_sine("k", 8))]
    {
        let kernel = compile_one(&target, &KernelSource { name: "k".into(), mlir: text }, CodegenOptions::KEEP)
            .expect("compiles");
        let kept = kernel.intermediates.clone().expect("asked for");
        assert!(
            kept.lowered_mlir.contains("llvm.func @k") && kept.llvm_ir.contains("@k(") && kept.assembly.contains('k')
        );
        let json = serde_json::to_string(&kernel).expect("serialises");
        assert_eq!(serde_json::from_str::<KernelBinary>(&json).expect("deserialises"), kernel);
    }
}

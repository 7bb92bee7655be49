//! What is written is read back equal, and the same input gives the same bytes.

mod sample;

use fornax_module::collective::{Collective, CollectiveKind, Reducer};
use fornax_module::program::{
    Access, Binding, Block, Command, Function, FunctionShapes, Kernel, Program, Relation, SizeExpr, Space, Span,
};
use fornax_module::{MapElement, ModuleBuilder, ModuleError, ParsedModule, Swizzle, TensorMap, records};
use fornax_types::ElementType;
use proptest::collection::vec;
use proptest::prelude::*;
use sample::{Parts, random, sample};

fn assert_round_trip(parts: &Parts) {
    let bytes = parts.bytes();
    assert_eq!(bytes, parts.clone().bytes(), "same input, same bytes");
    let module = ParsedModule::parse(bytes.as_slice()).unwrap();
    assert_eq!(module.programs(), std::slice::from_ref(&parts.program));
    assert_eq!(module.manifest().functions, parts.manifest.functions);
    assert_eq!(module.manifest().targets, parts.manifest.targets);
    assert_eq!(module.manifest().provenance, parts.manifest.provenance);
    for (index, image) in (0..).zip(&parts.images) {
        assert_eq!(module.image(index).unwrap(), image.as_slice());
    }
    let constants = module.constants().unwrap();
    let mut at = 0usize;
    for constant in &parts.constants {
        at = at.next_multiple_of(256);
        assert_eq!(&constants[at..at + constant.len()], constant.as_slice());
        at += constant.len();
    }
    assert_eq!(constants.len(), at);
    module.verify_constants().unwrap();
}

#[test]
fn sample_module() {
    let parts = sample();
    assert_round_trip(&parts);
    let bytes = parts.bytes();
    let module = ParsedModule::parse(bytes.clone()).unwrap().assume_trusted();
    assert_eq!(module.debug("notes").unwrap(), Some(&b"for people"[..]));
    assert_eq!(module.debug("other").unwrap(), None);
    let range = module.constants_range();
    assert_eq!(range.start % 4096, 0);
    assert_eq!(&bytes[range.start as usize..range.end as usize], module.constants().unwrap());
    let target = &module.manifest().targets[1];
    assert_eq!(module.program_of(target), Some(&parts.program));
    assert_eq!(module.copy_image(&target.images[0]).unwrap(), parts.images[1]);
}

#[test]
fn constants_from_a_source_equal_borrowed_ones() {
    let parts = sample();
    let mut builder = ModuleBuilder::new(parts.manifest.clone());
    builder.add_program(parts.program.clone());
    for image in &parts.images {
        builder.add_image(image.as_slice());
    }
    assert_eq!(builder.add_constant_from(64, |out| out.write_all(&[1; 64])), 0);
    assert_eq!(builder.add_constant_from(10, |out| (0..10).try_for_each(|_| out.write_all(&[2]))), 256);
    builder.add_debug("notes", &b"for people"[..]);
    assert_eq!(builder.to_bytes().unwrap(), parts.bytes());
    builder.add_constant_from(3, |out| out.write_all(&[1, 2]));
    assert_eq!(builder.to_bytes().unwrap_err().code(), "FX0615");
}

#[test]
fn a_module_that_would_not_read_is_not_written() {
    let mut parts = sample();
    parts.program.kernels[0].name = "missing".into();
    let error = parts.builder().to_bytes().unwrap_err();
    assert_eq!(error.to_string(), "image ptx sm_60 of cuda sm_60: it does not export kernel missing");
    assert!(matches!(error, ModuleError::Image { .. }));
}

fn any_space() -> impl Strategy<Value = Space> {
    prop_oneof![
        Just(Space::Arena),
        Just(Space::Persistent),
        Just(Space::Constant),
        any::<u32>().prop_map(Space::Input),
        any::<u32>().prop_map(Space::Output),
        any::<u32>().prop_map(Space::Parameter),
        any::<u32>().prop_map(Space::Frame),
    ]
}

fn any_span() -> impl Strategy<Value = Span> {
    (any_space(), any::<u32>(), any::<u32>()).prop_map(|(space, offset, length)| Span { space, offset, length })
}

fn any_binding() -> impl Strategy<Value = Binding> {
    let access = prop_oneof![Just(Access::Read), Just(Access::Write), Just(Access::ReadWrite)];
    (any_span(), access).prop_map(|(span, access)| Binding { span, access })
}

fn any_command() -> impl Strategy<Value = Command> {
    prop_oneof![
        (any::<u32>(), any::<[u32; 3]>(), vec(any_binding(), 0..5), vec(any::<u32>(), 0..4))
            .prop_map(|(kernel, grid, bindings, constants)| Command::Dispatch { kernel, grid, bindings, constants }),
        (any_span(), any_span()).prop_map(|(source, target)| Command::Copy { source, target }),
        (any_span(), any::<u64>(), any::<u8>()).prop_map(|(target, pattern, pattern_bytes)| Command::Fill {
            target,
            pattern,
            pattern_bytes
        }),
        (any::<u32>(), vec(any_span(), 0..5)).prop_map(|(function, arguments)| Command::Call { function, arguments }),
        (any::<u64>(), vec(any_span(), 0..5), vec(any_span(), 0..5))
            .prop_map(|(number, operands, results)| Command::HostCall { number, operands, results }),
        (any::<u64>(), any::<u32>()).prop_map(|(count, body)| Command::Repeat { count, body }),
        (any_span(), any::<u32>(), any::<u32>()).prop_map(|(target, divisor, modulus)| Command::DeviceId {
            target,
            divisor,
            modulus
        }),
        (0..CollectiveKind::ALL.len(), vec(vec(any::<u32>(), 0..4), 0..4), any_span(), any_span()).prop_map(
            |(at, groups, source, target)| {
                let kind = CollectiveKind::ALL[at];
                let reducer = kind.reduces().then_some(Reducer::ALL[at]);
                let collective = Collective { kind, reducer, element: ElementType::Bf16, groups };
                Command::Collective { collective, source, target }
            }
        ),
        (any_span(), any::<u32>(), any::<u32>()).prop_map(|(predicate, then_block, else_block)| Command::If {
            predicate,
            then_block,
            else_block
        }),
        (any::<u32>(), any_span(), any::<u32>(), any::<bool>())
            .prop_map(|(condition, predicate, body, guarded)| Command::While { condition, predicate, body, guarded }),
        (0..4usize, any::<u32>(), any::<u32>(), ".{0,9}").prop_map(|(at, a, b, message)| Command::Require {
            relation: Relation::ALL[at],
            a,
            b,
            message
        }),
        (any::<u32>(), any_span(), any::<u8>(), any::<bool>(), any::<i64>(), any::<i64>()).prop_map(
            |(slot, source, bytes, signed, min, max)| Command::HostShape { slot, source, bytes, signed, min, max }
        ),
    ]
}

fn any_expression() -> impl Strategy<Value = SizeExpr> {
    let make = [
        SizeExpr::Add,
        SizeExpr::Sub,
        SizeExpr::Mul,
        SizeExpr::FloorDiv,
        SizeExpr::CeilDiv,
        SizeExpr::Mod,
        SizeExpr::Min,
        SizeExpr::Max,
    ];
    prop_oneof![
        any::<u64>().prop_map(SizeExpr::Const),
        any::<u32>().prop_map(SizeExpr::Slot),
        (0..make.len(), any::<u32>(), any::<u32>()).prop_map(move |(n, a, b)| make[n](a, b)),
    ]
}

fn any_kernel() -> impl Strategy<Value = Kernel> {
    let text = || (".{0,9}", ".{0,9}", ".{0,9}");
    let numbers = (any::<[u32; 3]>(), any::<[u32; 3]>(), any::<[u32; 6]>(), any::<[u64; 2]>());
    ("[a-z_]{0,9}", numbers, text(), vec(any_map(), 0..3)).prop_map(
        |(name, (block, cluster, n, costs), (hero, summary, note), tensor_maps)| Kernel {
            name,
            block,
            cluster,
            awaits: n[0] % 2 == 1,
            dynamic_shared_bytes: n[0],
            static_shared_bytes: n[1],
            scratch_bytes: n[2],
            bindings: n[3],
            registers: n[4],
            spill_bytes: n[5],
            hero,
            flops: costs[0],
            arithmetic: summary.clone(),
            bytes: costs[1],
            summary,
            note,
            tensor_maps,
        },
    )
}

fn any_map() -> impl Strategy<Value = TensorMap> {
    let elements = [MapElement::U8, MapElement::S32, MapElement::F16, MapElement::F64, MapElement::Tf32];
    let swizzles = [Swizzle::None, Swizzle::B32, Swizzle::B64, Swizzle::B128];
    let numbers = (any::<u32>(), any::<u64>(), 0..elements.len(), 0..swizzles.len());
    (numbers, vec(any::<[u64; 2]>(), 1..6), vec(any::<[u32; 2]>(), 5)).prop_map(
        move |((binding, offset_bytes, element, swizzle), wide, narrow)| TensorMap {
            binding,
            element: elements[element],
            swizzle: swizzles[swizzle],
            offset_bytes,
            dims: wide.iter().map(|n| n[0]).collect(),
            strides: wide.iter().skip(1).map(|n| n[1]).collect(),
            box_dims: wide.iter().zip(&narrow).map(|(_, n)| n[0]).collect(),
            element_strides: wide.iter().zip(&narrow).map(|(_, n)| n[1]).collect(),
            sizes: Vec::new(),
        },
    )
}

fn any_function() -> impl Strategy<Value = Function> {
    let numbers = || vec(any::<u32>(), 0..4);
    let lists = || vec(vec(any::<u32>(), 0..4), 0..3);
    let shapes = (vec(".{0,9}", 0..3), lists(), lists(), numbers());
    ("[a-zäöü ]{1,9}", any::<u32>(), any::<u32>(), 0u32..4096, numbers(), numbers(), shapes).prop_map(
        |(name, body, arena_bytes, size_slots, input_bytes, output_bytes, shapes)| Function {
            name,
            body,
            arena_bytes,
            size_slots,
            input_bytes,
            output_bytes,
            shapes: FunctionShapes {
                slot_names: shapes.0,
                inputs: shapes.1,
                outputs: shapes.2,
                arena_stages: shapes.3,
            },
        },
    )
}

prop_compose! {
    fn any_program()(
        exprs in vec(any_expression(), 0..9),
        kernels in vec(any_kernel(), 0..4),
        blocks in vec(vec(any_command(), 0..6).prop_map(|commands| Block { commands }), 0..5),
        functions in vec(any_function(), 0..4),
        load in prop_oneof![Just(None), (0..u32::MAX).prop_map(Some)],
        persistent_bytes in any::<u64>(),
    ) -> Program {
        Program { exprs, kernels, blocks, functions, load, persistent_bytes }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_program_survives_its_records(program in any_program()) {
        let bytes = records::encode(&program).unwrap();
        prop_assert_eq!(records::decode(&bytes).unwrap(), program);
    }

    #[test]
    fn random_modules(seed in any::<u64>()) {
        assert_round_trip(&random(seed));
    }
}

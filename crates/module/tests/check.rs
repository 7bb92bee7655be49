//! Programs that must be refused, each a single change of a valid one, with the words of the refusal.

mod sample;

use fornax_module::check::check_program;
use fornax_module::manifest::Manifest;
use fornax_module::program::{Access, Block, Command, Function, Program, SizeExpr, Space, Span};
use fornax_module::{MapElement, Swizzle, TensorMap};
use sample::{binding, sample, span};

fn checked(program: &Program, backend: &str) -> Result<(), String> {
    let manifest = Manifest { constants_bytes: 266, ..sample().manifest };
    check_program(program, &manifest, backend).map_err(|e| e.to_string())
}

fn refused(words: &str, change: impl FnOnce(&mut Program)) {
    let mut program = sample().program;
    checked(&program, "cuda").unwrap();
    checked(&program, "cpu").unwrap();
    change(&mut program);
    let error = checked(&program, "cuda").unwrap_err();
    assert!(error.contains(words), "{words:?} not in {error:?}");
}

/// Replaces one command of `main`'s body.
fn with_command(words: &str, command: impl FnOnce(&mut Program) -> Command) {
    refused(words, |p| {
        let command = command(p);
        p.blocks[1].commands[0] = command;
    });
}

#[test]
fn expressions() {
    refused("not an earlier one", |p| p.exprs.push(SizeExpr::Add(0, 10_000)));
    refused("overflows or divides by zero", |p| {
        let (one, zero) = (p.constant(1), p.constant(0));
        p.expr(SizeExpr::Mod(one, zero));
    });
    refused("needs size slot 1", |p| {
        let slot = p.expr(SizeExpr::Slot(1));
        p.functions[0].arena_bytes = slot;
    });
}

#[test]
fn kernels() {
    refused("not a symbol", |p| p.kernels[0].name = "a b".into());
    refused("not a symbol", |p| p.kernels[0].name = "a\0".into());
    refused("same name", |p| p.kernels[0].name = "pack".into());
    refused("0x1x1 threads", |p| p.kernels[0].block = [0, 1, 1]);
    refused("2048x1x1 threads", |p| p.kernels[0].block = [2048, 1, 1]);
    refused("1x1x128 threads", |p| p.kernels[0].block = [1, 1, 128]);
    refused("shared bytes", |p| p.kernels[0].dynamic_shared_bytes = u32::MAX);
    refused("3 bindings, kernel add takes 2", |p| p.kernels[0].bindings = 2);
    let mut wide = sample().program;
    wide.kernels[0].block = [256, 1, 1];
    checked(&wide, "cuda").unwrap();
    assert!(checked(&wide, "cpu").unwrap_err().contains("256x1x1"));
}

/// The four rows of 4 bytes that the first binding of `add` has, as one map of 16 bytes.
fn row_map() -> TensorMap {
    TensorMap {
        binding: 0,
        element: MapElement::F32,
        swizzle: Swizzle::B32,
        offset_bytes: 0,
        dims: vec![4],
        strides: vec![],
        box_dims: vec![4],
        element_strides: vec![1],
        sizes: vec![],
    }
}

#[test]
fn clusters_and_tensor_maps() {
    let mut good = sample().program;
    good.kernels[0].tensor_maps = vec![row_map(); 2];
    checked(&good, "cuda").unwrap();
    assert!(checked(&good, "cpu").unwrap_err().contains("tensor maps or kernels that wait on cpu"));
    assert!(checked(&good, "rocm").unwrap_err().contains("tensor maps or kernels that wait on rocm"));
    let mut waits = sample().program;
    waits.kernels[0].awaits = true;
    checked(&waits, "cuda").unwrap();
    assert!(checked(&waits, "opencl").unwrap_err().contains("kernels that wait on opencl"));
    refused("tensor map 0: there is no binding 3", |p| {
        p.kernels[0].tensor_maps = vec![TensorMap { binding: 3, ..row_map() }];
    });
    refused("binding 1 of kernel add: a tensor map reaches beyond its 16 bytes", |p| {
        p.kernels[0].tensor_maps = vec![row_map(), TensorMap { binding: 1, dims: vec![8], ..row_map() }];
    });
    refused("reaches beyond", |p| {
        p.kernels[0].tensor_maps = vec![TensorMap { offset_bytes: 16, ..row_map() }];
    });
    refused("tensor maps of kernel add is 25", |p| p.kernels[0].tensor_maps = vec![row_map(); 25]);
    refused("clusters of [4, 4, 1]", |p| p.kernels[0].cluster = [4, 4, 1]);
    refused("clusters of [0, 1, 1]", |p| p.kernels[0].cluster = [0, 1, 1]);
    refused("is 1: no clusters of 2", |p| p.kernels[0].cluster = [2, 1, 1]);
}

#[test]
fn functions() {
    refused("no such function", |p| p.functions[0].name = "other".into());
    refused("two functions", |p| p.functions[1].name = "main".into());
    refused("0 inputs, the manifest has 1", |p| p.functions[0].input_bytes.clear());
    refused("has 20 bytes, the manifest says 16", |p| {
        let twenty = p.constant(20);
        p.functions[0].output_bytes[0] = twenty;
    });
    refused("no such block", |p| p.functions[0].body = 99);
    refused("two places", |p| p.functions[1].body = 1);
    refused("nothing uses it", |p| p.blocks.push(Block::default()));
    refused("it calls itself", |p| {
        let call = p.blocks[1].commands[5].clone();
        p.blocks[6].commands.push(call);
    });
}

#[test]
fn blocks_nest_finitely() {
    refused("two places, or inside itself", |p| {
        let again = p.blocks[1].commands[3].clone();
        p.blocks[2].commands.push(again);
    });
    refused("nesting of blocks", |p| {
        let flag = span(p, Space::Arena, 32, 1);
        for _ in 0..40 {
            let next = p.blocks.len() as u32;
            p.blocks.push(Block::default());
            p.blocks.push(Block::default());
            let command = Command::If { predicate: flag, then_block: next, else_block: next + 1 };
            let at = if next == 7 { 3 } else { next as usize - 2 };
            p.blocks[at].commands.push(command);
        }
    });
    refused("nesting of calls", |p| {
        for n in 2..40 {
            let body = p.blocks.len() as u32;
            p.blocks.push(Block::default());
            let function = Function { name: format!("f{n}"), body, arena_bytes: 0, ..Function::default() };
            p.functions.push(function);
            let caller = p.functions[n - 1].body as usize;
            p.blocks[caller].commands.push(Command::Call { function: n as u32, arguments: vec![] });
        }
    });
}

#[test]
fn spans() {
    let fill = |target| Command::Fill { target, pattern: 0, pattern_bytes: 1 };
    let beyond = [
        (Space::Arena, 60, 8),
        (Space::Output(0), 16, 1),
        (Space::Arena, i64::MAX as u64, 2),
        (Space::Output(1), 0, 1),
    ];
    for (space, offset, length) in beyond {
        let words = if space == Space::Output(1) { "there is no Output(1)" } else { "lie outside" };
        with_command(words, |p| fill(span(p, space, offset, length)));
    }
    for space in [Space::Constant, Space::Parameter(0), Space::Persistent, Space::Frame(0)] {
        with_command("cannot be written", |p| fill(span(p, space, 0, 16)));
    }
    // the manifest gives main's input away; callee's is not to be written
    let mut donated = sample().program;
    donated.blocks[1].commands[0] = fill(span(&mut donated, Space::Input(0), 0, 16));
    checked(&donated, "cuda").unwrap();
    with_command("no size expression 9999", |_| fill(Span { space: Space::Arena, offset: 9999, length: 0 }));
    refused("there is no Arena here", |p| {
        let source = span(p, Space::Arena, 0, 16);
        let target = span(p, Space::Persistent, 0, 16);
        p.blocks[0].commands.push(Command::Copy { source, target });
    });
}

#[test]
fn commands() {
    with_command("copies 16 bytes into 8", |p| Command::Copy {
        source: span(p, Space::Input(0), 0, 16),
        target: span(p, Space::Output(0), 0, 8),
    });
    with_command("uses them otherwise too", |p| Command::Copy {
        source: span(p, Space::Arena, 0, 16),
        target: span(p, Space::Arena, 8, 16),
    });
    let fill = |p: &mut Program, length, pattern, pattern_bytes| Command::Fill {
        target: span(p, Space::Arena, 0, length),
        pattern,
        pattern_bytes,
    };
    with_command("pattern of 3 bytes", |p| fill(p, 6, 0, 3));
    with_command("wider than 1 bytes", |p| fill(p, 6, 256, 1));
    with_command("not multiples of 4", |p| fill(p, 6, 0, 4));
    let flag = |p: &mut Program, length| span(p, Space::Arena, 0, length);
    with_command("a value of 1 bytes", |p| Command::If { predicate: flag(p, 4), then_block: 2, else_block: 3 });
    let shape = |p: &mut Program, slot, bytes: u8, min| Command::HostShape {
        slot,
        source: span(p, Space::Arena, 0, bytes.into()),
        bytes,
        signed: false,
        min,
        max: 9,
    };
    with_command("no size slot 1", |p| shape(p, 1, 4, 0));
    with_command("integer of 3 bytes", |p| shape(p, 0, 3, 0));
    with_command("larger than maximum", |p| shape(p, 0, 4, 10));
    with_command("no function 7", |_| Command::Call { function: 7, arguments: vec![] });
    with_command("0 arguments do not fit", |_| Command::Call { function: 1, arguments: vec![] });
    with_command("its length is not that", |p| {
        let (input, output) = (span(p, Space::Input(0), 0, 8), span(p, Space::Output(0), 0, 16));
        Command::Call { function: 1, arguments: vec![input, output] }
    });
    refused("cannot call", |p| p.blocks[0].commands.push(Command::Call { function: 1, arguments: vec![] }));
}

#[test]
fn launches() {
    let launch = |p: &mut Program, grid: [u64; 3], offset: u64| Command::Dispatch {
        kernel: 1,
        grid: grid.map(|n| p.constant(n)),
        bindings: vec![
            binding(p, Space::Arena, offset, 16, Access::Read),
            binding(p, Space::Arena, 32, 16, Access::Write),
        ],
        constants: vec![],
    };
    with_command("there is no kernel 5", |_| Command::Dispatch {
        kernel: 5,
        grid: [0; 3],
        bindings: vec![],
        constants: vec![],
    });
    with_command("grid dimension of kernel pack is 0", |p| launch(p, [0, 1, 1], 0));
    with_command("65536, not 1 to 65535", |p| launch(p, [1, 65_536, 1], 0));
    with_command("2147483648, not 1", |p| launch(p, [1 << 31, 1, 1], 0));
    with_command("not a multiple of 16", |p| launch(p, [1, 1, 1], 8));
    // partly overlapping what is written is refused, the very same range is not
    with_command("uses them otherwise too", |p| {
        let Command::Dispatch { kernel, grid, mut bindings, constants } = launch(p, [1, 1, 1], 0) else {
            unreachable!()
        };
        bindings[0] = binding(p, Space::Arena, 16, 32, Access::Read);
        Command::Dispatch { kernel, grid, bindings, constants }
    });
    let mut in_place = sample().program;
    in_place.blocks[1].commands[0] = launch(&mut in_place, [1, 1, 1], 32);
    checked(&in_place, "cuda").unwrap();
}

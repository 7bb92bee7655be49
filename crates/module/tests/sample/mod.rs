//! Small valid modules for the tests: one written out, and random ones from a seed.
#![allow(dead_code)] // each test file uses its part

use fornax_module::manifest::{
    Alias, BufferPlan, DimSig, FunctionSignature, ImageEntry, ImageKind, Manifest, MemoryPlan, Parameter,
    ParameterArgument, Producer, TargetEntry, TensorSignature,
};
use fornax_module::program::{
    Access, Binding, Block, Command, Function, Kernel, Program, Relation, SizeExpr, Space, Span,
};
use fornax_module::{ModuleBuilder, ptx_image};

/// A tensor of `count` f32.
pub fn f32s(count: u64) -> TensorSignature {
    let shape = vec![DimSig::Static(count)];
    TensorSignature { element_type: "f32".into(), shape, bytes: 4 * count, ..TensorSignature::default() }
}

pub fn span(program: &mut Program, space: Space, offset: u64, length: u64) -> Span {
    Span { space, offset: program.constant(offset), length: program.constant(length) }
}

pub fn binding(program: &mut Program, space: Space, offset: u64, length: u64, access: Access) -> Binding {
    Binding { span: span(program, space, offset, length), access }
}

pub fn kernel(name: &str, bindings: u32) -> Kernel {
    Kernel { name: name.into(), block: [1, 1, 1], bindings, hero: "loop".into(), ..Kernel::default() }
}

/// PTX-shaped text that exports the kernels of a program.
pub fn ptx(program: &Program) -> Vec<u8> {
    let entries: String =
        program.kernels.iter().map(|k| format!(".visible .entry {}() {{ ret; }}\n", k.name)).collect();
    ptx_image(format!(".version 6.3\n.target sm_60\n.address_size 64\n{entries}").into_bytes())
}

/// Parts of a module before they are written.
#[derive(Clone, Debug, PartialEq)]
pub struct Parts {
    pub manifest: Manifest,
    pub program: Program,
    pub images: Vec<Vec<u8>>,
    pub constants: Vec<Vec<u8>>,
}

impl Parts {
    pub fn builder(&self) -> ModuleBuilder<'_> {
        let mut builder = ModuleBuilder::new(self.manifest.clone());
        builder.add_program(self.program.clone());
        for image in &self.images {
            builder.add_image(image.as_slice());
        }
        for constant in &self.constants {
            builder.add_constant(constant.as_slice());
        }
        builder.add_debug("notes", &b"for people"[..]);
        builder
    }

    pub fn bytes(&self) -> Vec<u8> {
        self.builder().to_bytes().unwrap()
    }
}

/// A module with every kind of command, two targets (PTX, CPU), constants, a parameter and control flow.
pub fn sample() -> Parts {
    let mut p = Program { persistent_bytes: 64, ..Program::default() };
    p.kernels = vec![kernel("add", 3), kernel("pack", 2)];
    let one = p.constant(1);
    let (c0, p0) = (span(&mut p, Space::Constant, 0, 64), span(&mut p, Space::Persistent, 0, 64));
    let load = vec![
        Command::Copy { source: c0, target: p0 },
        Command::Dispatch {
            kernel: 1,
            grid: [one; 3],
            bindings: vec![
                binding(&mut p, Space::Parameter(0), 0, 16, Access::Read),
                binding(&mut p, Space::Persistent, 16, 32, Access::Write),
            ],
            constants: vec![one],
        },
    ];
    let (i0, o0) = (span(&mut p, Space::Input(0), 0, 16), span(&mut p, Space::Output(0), 0, 16));
    let (a0, flag) = (span(&mut p, Space::Arena, 0, 16), span(&mut p, Space::Arena, 32, 1));
    let size = span(&mut p, Space::Arena, 40, 4);
    let dispatch = Command::Dispatch {
        kernel: 0,
        grid: [one; 3],
        bindings: vec![
            Binding { span: i0, access: Access::Read },
            binding(&mut p, Space::Persistent, 0, 16, Access::Read),
            Binding { span: a0, access: Access::ReadWrite },
        ],
        constants: vec![],
    };
    let slot = p.expr(SizeExpr::Slot(0));
    let dynamic = Span { length: slot, ..a0 };
    let body = vec![
        Command::Fill { target: flag, pattern: 1, pattern_bytes: 1 },
        Command::HostShape { slot: 0, source: size, bytes: 4, signed: true, min: 0, max: 16 },
        Command::Fill { target: dynamic, pattern: 0, pattern_bytes: 4 },
        Command::If { predicate: flag, then_block: 2, else_block: 3 },
        Command::While { condition: 4, predicate: flag, body: 5, guarded: false },
        Command::Call { function: 1, arguments: vec![i0, o0] },
        Command::Require { relation: Relation::LessEqual, a: slot, b: slot, message: "n is too large".into() },
    ];
    let frame = span(&mut p, Space::Frame(1), 0, 16);
    let callee = vec![Command::Copy { source: i0, target: frame }];
    let blocks = [load, body, vec![dispatch.clone()], vec![], vec![], vec![dispatch], callee];
    p.blocks = blocks.into_iter().map(|commands| Block { commands }).collect();
    p.load = Some(0);
    let (sixteen, arena) = (p.constant(16), p.constant(64));
    let function = |name: &str, body| Function {
        name: name.into(),
        body,
        arena_bytes: arena,
        size_slots: 1,
        input_bytes: vec![sixteen],
        output_bytes: vec![sixteen],
        ..Function::default()
    };
    p.functions = vec![function("main", 1), function("callee", 6)];
    Parts {
        images: vec![ptx(&p), elf::cpu(&["add", "pack"])],
        manifest: sample_manifest(),
        program: p,
        constants: vec![vec![1; 64], vec![2; 10]],
    }
}

fn sample_manifest() -> Manifest {
    let image = |kind, arch: &str, section| vec![ImageEntry { kind, arch: arch.into(), section }];
    let plan = MemoryPlan {
        function: "main".into(),
        arena_bytes: 64,
        arena_formula: None,
        peak_bytes: 48,
        buffers: vec![BufferPlan { name: "sum".into(), offset: 0, bytes: 16, live: (3, 5) }],
        omitted: 0,
    };
    let target = |backend: &str, arch: &str, images| TargetEntry {
        backend: backend.into(),
        arch: arch.into(),
        images,
        memory: vec![plan.clone()],
        ..TargetEntry::default()
    };
    Manifest {
        producer: Producer { name: "fornax".into(), version: "0.1.0".into() },
        module_name: "sample".into(),
        functions: vec![FunctionSignature {
            name: "main".into(),
            inputs: vec![f32s(4)],
            outputs: vec![f32s(4)],
            aliases: vec![Alias { input: 0, output: 0 }],
            parameters: vec![ParameterArgument { argument: 1, parameter: 0 }],
        }],
        parameters: vec![Parameter {
            scope: "model".into(),
            name: "bias".into(),
            element_type: "f32".into(),
            shape: vec![4],
            bytes: 16,
            sharding: Vec::new(),
        }],
        targets: vec![
            target("cuda", "sm_60", image(ImageKind::Ptx, "sm_60", 0)),
            target("cpu", "x86-64-v3", image(ImageKind::CpuElf, "x86-64-v3", 1)),
        ],
        provenance: [("optimise".to_string(), "2".to_string())].into(),
        ..Manifest::default()
    }
}

/// A small generator of numbers, the same for the same seed.
pub struct Seeded(pub u64);

impl Seeded {
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % limit.max(1)
    }
}

/// A random valid module: functions with static buffers, dispatches, copies, fills and nested control flow.
pub fn random(seed: u64) -> Parts {
    let mut rng = Seeded(seed);
    let mut p = Program { persistent_bytes: 256, ..Program::default() };
    for k in 0..=rng.below(4) {
        p.kernels.push(kernel(&format!("k{k}"), rng.below(4) as u32));
    }
    let mut functions = Vec::new();
    for f in 0..=rng.below(3) {
        let signature = FunctionSignature {
            name: format!("f{f}"),
            inputs: (0..rng.below(3)).map(|_| f32s(64)).collect(),
            outputs: (0..=rng.below(2)).map(|_| f32s(64)).collect(),
            ..FunctionSignature::default()
        };
        let spaces = Spaces { inputs: signature.inputs.len() as u64, outputs: signature.outputs.len() as u64 };
        let body = random_block(&mut p, &mut rng, &spaces, 0);
        let bytes = p.constant(256);
        p.functions.push(Function {
            name: signature.name.clone(),
            body,
            arena_bytes: bytes,
            size_slots: 0,
            input_bytes: vec![bytes; signature.inputs.len()],
            output_bytes: vec![bytes; signature.outputs.len()],
            ..Function::default()
        });
        functions.push(signature);
    }
    let constants: Vec<Vec<u8>> = (0..rng.below(3)).map(|n| vec![n as u8; 1 + rng.below(600) as usize]).collect();
    let image = ImageEntry { kind: ImageKind::Ptx, arch: "sm_60".into(), section: 0 };
    let target =
        TargetEntry { backend: "cuda".into(), arch: "sm_60".into(), images: vec![image], ..TargetEntry::default() };
    let manifest = Manifest { module_name: "random".into(), functions, targets: vec![target], ..Manifest::default() };
    Parts { manifest, images: vec![ptx(&p)], program: p, constants }
}

struct Spaces {
    inputs: u64,
    outputs: u64,
}

impl Spaces {
    fn readable(&self, rng: &mut Seeded) -> Space {
        match rng.below(3) {
            0 if self.inputs > 0 => Space::Input(rng.below(self.inputs) as u32),
            1 => Space::Persistent,
            _ => Space::Output(rng.below(self.outputs) as u32),
        }
    }
}

fn random_block(p: &mut Program, rng: &mut Seeded, spaces: &Spaces, depth: u32) -> u32 {
    let id = p.blocks.len();
    p.blocks.push(Block::default());
    let mut commands = Vec::new();
    for _ in 0..rng.below(5) {
        let source = spaces.readable(rng);
        let (source, target) = (span(p, source, 64, 16), span(p, Space::Arena, 16 * rng.below(8), 16));
        let flag = span(p, Space::Arena, rng.below(256), 1);
        commands.push(match rng.below(if depth < 3 { 6 } else { 3 }) {
            0 => Command::Copy { source, target },
            1 => Command::Fill { target, pattern: rng.below(256), pattern_bytes: 1 },
            2 => {
                let kernel = rng.below(p.kernels.len() as u64) as u32;
                let count = p.kernels[kernel as usize].bindings;
                let bind = |p: &mut Program, n: u64| binding(p, Space::Arena, 16 * n, 16, Access::ReadWrite);
                let bindings = (0..count).map(|n| bind(p, n.into())).collect();
                let grid = [p.constant(1 + rng.below(1 << 31) / 2), p.constant(1), p.constant(1 + rng.below(65_535))];
                Command::Dispatch { kernel, grid, bindings, constants: vec![grid[0]; rng.below(3) as usize] }
            }
            3 => {
                let then_block = random_block(p, rng, spaces, depth + 1);
                Command::If { predicate: flag, then_block, else_block: random_block(p, rng, spaces, depth + 1) }
            }
            4 => Command::Repeat { count: rng.below(9), body: random_block(p, rng, spaces, depth + 1) },
            _ => {
                let condition = random_block(p, rng, spaces, depth + 1);
                Command::While {
                    condition,
                    predicate: flag,
                    body: random_block(p, rng, spaces, depth + 1),
                    guarded: depth == 0,
                }
            }
        });
    }
    p.blocks[id].commands = commands;
    id as u32
}

/// Shared objects made by hand.
pub mod elf {
    /// What to put into a shared object.
    #[derive(Clone, Default)]
    pub struct Object {
        pub machine: u16,
        /// Name, and whether it is defined.
        pub symbols: Vec<(String, bool)>,
        /// Dynamic entries before the usual ones.
        pub extra: Vec<(u64, u64)>,
        /// Flags of the PT_LOAD segment.
        pub flags: u32,
        pub gnu_hash: bool,
    }

    /// An x86-64 library that defines some symbols.
    pub fn cpu(names: &[&str]) -> Vec<u8> {
        object(names).build()
    }

    pub fn object(names: &[&str]) -> Object {
        let symbols = names.iter().map(|n| (n.to_string(), true)).collect();
        Object { machine: 62, symbols, extra: vec![], flags: 5, gnu_hash: false }
    }

    impl Object {
        /// Header, three program headers, then strings, symbols, hash table, dynamic section; addresses = offsets.
        pub fn build(&self) -> Vec<u8> {
            let (mut strings, mut symbols) = (vec![0], vec![0; 24]);
            for (name, defined) in &self.symbols {
                symbols.extend_from_slice(&(strings.len() as u32).to_le_bytes());
                symbols.extend_from_slice(&[0x12, 0]);
                symbols.extend_from_slice(&u16::from(*defined).to_le_bytes());
                symbols.extend_from_slice(&[0; 16]);
                strings.extend_from_slice(name.as_bytes());
                strings.push(0);
            }
            let count = self.symbols.len() as u32 + 1;
            let mut words = vec![1, count, 1];
            words.extend(vec![0; count as usize]);
            if self.gnu_hash {
                // one bucket, first hashed symbol 1, one bloom word of 64 bits, shift 0
                words = vec![1, 1, 1, 0, !0, !0, 1];
                words.extend((1..count).map(|n| u32::from(n + 1 == count)));
            }
            let table: Vec<u8> = words.iter().flat_map(|w: &u32| w.to_le_bytes()).collect();
            let strings_at = 64 + 3 * 56;
            let symbols_at = (strings_at + strings.len()).next_multiple_of(8);
            let table_at = symbols_at + symbols.len();
            let dynamic_at = (table_at + table.len()).next_multiple_of(8);
            let mut entries = self.extra.clone();
            entries.extend([(5, strings_at as u64), (10, strings.len() as u64), (6, symbols_at as u64)]);
            entries.extend([(if self.gnu_hash { 0x6fff_fef5 } else { 4 }, table_at as u64), (0, 0)]);
            let file_len = dynamic_at + 16 * entries.len();
            let mut out = b"\x7fELF\x02\x01\x01".to_vec();
            out.resize(16, 0);
            out.extend_from_slice(&3u16.to_le_bytes());
            out.extend_from_slice(&self.machine.to_le_bytes());
            out.resize(32, 0);
            out.extend_from_slice(&64u64.to_le_bytes());
            out.resize(52, 0);
            for half in [64u16, 56, 3, 64, 0, 0] {
                out.extend_from_slice(&half.to_le_bytes());
            }
            let dynamic = (2, 4, dynamic_at, 16 * entries.len(), 8);
            let stack = (0x6474_e551, 6, 0, 0, 0);
            for (kind, flags, at, len, align) in [(1, self.flags, 0, file_len, 4096), dynamic, stack] {
                out.extend_from_slice(&u32::to_le_bytes(kind));
                out.extend_from_slice(&u32::to_le_bytes(flags));
                for word in [at, at, at, len, len, align] {
                    out.extend_from_slice(&(word as u64).to_le_bytes());
                }
            }
            out.extend(strings);
            out.resize(symbols_at, 0);
            out.extend(symbols);
            out.extend(table);
            out.resize(dynamic_at, 0);
            for (tag, value) in entries {
                out.extend_from_slice(&tag.to_le_bytes());
                out.extend_from_slice(&value.to_le_bytes());
            }
            out
        }
    }
}

//! Binary form of a [`Program`]: length-prefixed records, little endian, unaligned.
//!
//! ```text
//! record  = kind u16 | flags u16 (bit 0 must-understand) | length u32 | payload
//! section = Program record, Expressions record, Kernel records, Block records, Function records
//! ```
//! A Block's payload is a count and one record a command. Unknown records are skipped unless marked
//! must-understand; unknown commands are always refused. docs/understand/module-format.md has every payload.
//! Decoding checks form and limits only: what the numbers mean is checked in `check.rs`.

use crate::collective::{Collective, DEVICES_MAX};
use crate::cursor::{RecordReader, RecordWriter};
use crate::errors::ModuleError;
use crate::limits::{LIMITS, check_name, within};
use crate::program::{
    Access, Binding, Block, Command, Function, FunctionShapes, Kernel, Program, Relation, SizeExpr, Space, Span,
};
use crate::tensor_map::{MAP_RANK, MAPS, TensorMap};

const PROGRAM: u16 = 1;
const EXPRESSIONS: u16 = 2;
const KERNEL: u16 = 3;
const BLOCK: u16 = 4;
const FUNCTION: u16 = 5;

const DISPATCH: u16 = 1;
const COPY: u16 = 2;
const FILL: u16 = 3;
const CALL: u16 = 4;
const IF: u16 = 5;
const WHILE: u16 = 6;
const HOST_SHAPE: u16 = 7;
const REQUIRE: u16 = 8;
const REPEAT: u16 = 9;
const GUARDED_WHILE: u16 = 10;
const COLLECTIVE: u16 = 11;
const DEVICE_ID: u16 = 12;
const HOST_CALL: u16 = 13;

/// No block, in the Program record.
const NONE: u32 = u32::MAX;
const SPAN_BYTES: usize = 13;
const RECORD_BYTES: usize = 8;
/// The shortest tensor map.
const TENSOR_MAP_BYTES: usize = 18;

/// Encodes a program; the same program gives the same bytes.
pub fn encode(program: &Program) -> Result<Vec<u8>, ModuleError> {
    check_limits(program)?;
    let mut out = RecordWriter::default();
    out.record(PROGRAM, true, |w| {
        w.u32(program.load.unwrap_or(NONE));
        w.u64(program.persistent_bytes);
    });
    out.record(EXPRESSIONS, true, |w| {
        w.count(program.exprs.len());
        program.exprs.iter().for_each(|e| write_expression(w, e));
    });
    for kernel in &program.kernels {
        out.record(KERNEL, true, |w| write_kernel(w, kernel));
    }
    for block in &program.blocks {
        out.record(BLOCK, true, |w| {
            w.count(block.commands.len());
            block.commands.iter().for_each(|c| write_command(w, c));
        });
    }
    for function in &program.functions {
        out.record(FUNCTION, true, |w| write_function(w, function));
    }
    within("size of the program records in bytes", out.bytes.len() as u64, u32::MAX.into())?;
    Ok(out.bytes)
}

/// Decodes a program section.
pub fn decode(bytes: &[u8]) -> Result<Program, ModuleError> {
    let mut reader = RecordReader::new(bytes);
    let (kind, _, mut header) = reader.record()?;
    if kind != PROGRAM {
        return Err(reader.error("the first record is not a Program record"));
    }
    let load = header.u32()?;
    let mut program =
        Program { load: (load != NONE).then_some(load), persistent_bytes: header.u64()?, ..Program::default() };
    header.finish()?;
    let (mut commands, mut expressions) = (0, false);
    while !reader.is_empty() {
        let (kind, must_understand, mut payload) = reader.record()?;
        match kind {
            EXPRESSIONS if !expressions => {
                expressions = true;
                let count = payload.count("size expressions", 5, LIMITS.expressions)?;
                program.exprs = (0..count).map(|_| read_expression(&mut payload)).collect::<Result<_, _>>()?;
            }
            KERNEL => program.kernels.push(read_kernel(&mut payload)?),
            BLOCK => program.blocks.push(read_block(&mut payload, &mut commands)?),
            FUNCTION => program.functions.push(read_function(&mut payload)?),
            PROGRAM | EXPRESSIONS => return Err(payload.error("a second Program or Expressions record")),
            _ if must_understand => {
                return Err(ModuleError::UnknownRequired { what: format!("program records of kind {kind}") });
            }
            _ => continue,
        }
        payload.finish()?;
    }
    check_limits(&program)?;
    Ok(program)
}

/// Counts, names and strings within the limits.
fn check_limits(program: &Program) -> Result<(), ModuleError> {
    within("number of size expressions", program.exprs.len() as u64, LIMITS.expressions)?;
    within("number of kernels", program.kernels.len() as u64, LIMITS.kernels)?;
    within("number of blocks", program.blocks.len() as u64, LIMITS.blocks)?;
    within("number of functions", program.functions.len() as u64, LIMITS.functions)?;
    let commands = program.blocks.iter().map(|b| b.commands.len() as u64).sum();
    within("number of commands", commands, LIMITS.commands)?;
    for command in program.blocks.iter().flat_map(|b| &b.commands) {
        let operands = match command {
            Command::Dispatch { bindings, constants, .. } => bindings.len().max(constants.len()),
            Command::Call { arguments, .. } => arguments.len(),
            Command::HostCall { operands, results, .. } => operands.len().max(results.len()),
            Command::Collective { collective, .. } => {
                let devices = collective.groups.iter().map(|group| group.len() as u64).sum();
                within("number of devices of a collective", devices, DEVICES_MAX.into())?;
                0
            }
            Command::Require { message, .. } => {
                within("length of a message in bytes", message.len() as u64, LIMITS.name_bytes)?;
                0
            }
            _ => 0,
        };
        within("number of bindings or arguments of a command", operands as u64, LIMITS.operands)?;
    }
    for kernel in &program.kernels {
        within("length of a kernel's name in bytes", kernel.name.len() as u64, LIMITS.symbol_bytes)?;
        within("length of a kernel's hero in bytes", kernel.hero.len() as u64, LIMITS.name_bytes)?;
        within("length of a kernel's summary in bytes", kernel.summary.len() as u64, LIMITS.name_bytes)?;
        within("length of a kernel's arithmetic in bytes", kernel.arithmetic.len() as u64, LIMITS.name_bytes)?;
        within("length of a kernel's note in bytes", kernel.note.len() as u64, LIMITS.name_bytes)?;
        within("number of tensor maps of a kernel", kernel.tensor_maps.len() as u64, MAPS)?;
        let rank = kernel.tensor_maps.iter().map(|map| map.dims.len()).max().unwrap_or(0);
        within("rank of a tensor map", rank as u64, MAP_RANK as u64)?;
    }
    for function in &program.functions {
        check_name("function name", &function.name)?;
        let operands = function.input_bytes.len().max(function.output_bytes.len());
        within("number of inputs or outputs", operands as u64, LIMITS.operands)?;
        within("number of size slots", function.size_slots.into(), LIMITS.size_slots)?;
        let shapes = &function.shapes;
        within("number of size names", shapes.slot_names.len() as u64, LIMITS.size_slots)?;
        within("number of arena stages", shapes.arena_stages.len() as u64, LIMITS.size_slots + 1)?;
        for name in &shapes.slot_names {
            within("length of a size name in bytes", name.len() as u64, LIMITS.name_bytes)?;
        }
        for list in [&shapes.inputs, &shapes.outputs] {
            within("number of shapes", list.len() as u64, LIMITS.operands)?;
            let rank = list.iter().map(Vec::len).max().unwrap_or(0);
            within("rank of a shape", rank as u64, LIMITS.rank)?;
        }
    }
    Ok(())
}

/// Number of a binary expression in the file and its operands.
fn binary(expr: &SizeExpr) -> Option<(u8, u32, u32)> {
    Some(match *expr {
        SizeExpr::Const(_) | SizeExpr::Slot(_) => return None,
        SizeExpr::Add(a, b) => (2, a, b),
        SizeExpr::Sub(a, b) => (3, a, b),
        SizeExpr::Mul(a, b) => (4, a, b),
        SizeExpr::FloorDiv(a, b) => (5, a, b),
        SizeExpr::CeilDiv(a, b) => (6, a, b),
        SizeExpr::Mod(a, b) => (7, a, b),
        SizeExpr::Min(a, b) => (8, a, b),
        SizeExpr::Max(a, b) => (9, a, b),
    })
}

fn write_expression(w: &mut RecordWriter, expr: &SizeExpr) {
    match *expr {
        SizeExpr::Const(value) => {
            w.u8(0);
            w.u64(value);
        }
        SizeExpr::Slot(slot) => {
            w.u8(1);
            w.u32(slot);
        }
        _ => {
            if let Some((tag, a, b)) = binary(expr) {
                w.u8(tag);
                w.u32(a);
                w.u32(b);
            }
        }
    }
}

fn read_expression(r: &mut RecordReader) -> Result<SizeExpr, ModuleError> {
    let make: fn(u32, u32) -> SizeExpr = match r.u8()? {
        0 => return Ok(SizeExpr::Const(r.u64()?)),
        1 => return Ok(SizeExpr::Slot(r.u32()?)),
        2 => SizeExpr::Add,
        3 => SizeExpr::Sub,
        4 => SizeExpr::Mul,
        5 => SizeExpr::FloorDiv,
        6 => SizeExpr::CeilDiv,
        7 => SizeExpr::Mod,
        8 => SizeExpr::Min,
        9 => SizeExpr::Max,
        tag => return Err(r.error(format!("unknown size expression {tag}"))),
    };
    Ok(make(r.u32()?, r.u32()?))
}

fn write_span(w: &mut RecordWriter, span: &Span) {
    let (tag, index) = match span.space {
        Space::Arena => (0, 0),
        Space::Persistent => (1, 0),
        Space::Input(n) => (2, n),
        Space::Output(n) => (3, n),
        Space::Constant => (4, 0),
        Space::Parameter(n) => (5, n),
        Space::Frame(n) => (6, n),
    };
    w.u8(tag);
    w.u32(index);
    w.u32(span.offset);
    w.u32(span.length);
}

fn read_span(r: &mut RecordReader) -> Result<Span, ModuleError> {
    let space = match (r.u8()?, r.u32()?) {
        (0, 0) => Space::Arena,
        (1, 0) => Space::Persistent,
        (2, n) => Space::Input(n),
        (3, n) => Space::Output(n),
        (4, 0) => Space::Constant,
        (5, n) => Space::Parameter(n),
        (6, n) => Space::Frame(n),
        (tag, n) => return Err(r.error(format!("unknown space {tag} {n}"))),
    };
    Ok(Span { space, offset: r.u32()?, length: r.u32()? })
}

fn write_binding(w: &mut RecordWriter, binding: &Binding) {
    write_span(w, &binding.span);
    w.u8(match binding.access {
        Access::Read => 0,
        Access::Write => 1,
        Access::ReadWrite => 2,
    });
}

fn read_binding(r: &mut RecordReader) -> Result<Binding, ModuleError> {
    let span = read_span(r)?;
    let access = match r.u8()? {
        0 => Access::Read,
        1 => Access::Write,
        2 => Access::ReadWrite,
        tag => return Err(r.error(format!("unknown access {tag}"))),
    };
    Ok(Binding { span, access })
}

fn write_command(w: &mut RecordWriter, command: &Command) {
    match command {
        Command::Dispatch { kernel, grid, bindings, constants } => w.record(DISPATCH, true, |w| {
            w.u32(*kernel);
            grid.iter().for_each(|g| w.u32(*g));
            w.count(bindings.len());
            bindings.iter().for_each(|b| write_binding(w, b));
            w.u32s(constants);
        }),
        Command::Copy { source, target } => w.record(COPY, true, |w| {
            write_span(w, source);
            write_span(w, target);
        }),
        Command::Fill { target, pattern, pattern_bytes } => w.record(FILL, true, |w| {
            write_span(w, target);
            w.u64(*pattern);
            w.u8(*pattern_bytes);
        }),
        Command::Call { function, arguments } => w.record(CALL, true, |w| {
            w.u32(*function);
            w.count(arguments.len());
            arguments.iter().for_each(|a| write_span(w, a));
        }),
        Command::If { predicate, then_block, else_block } => w.record(IF, true, |w| {
            write_span(w, predicate);
            w.u32(*then_block);
            w.u32(*else_block);
        }),
        Command::While { condition, predicate, body, guarded } => {
            w.record(if *guarded { GUARDED_WHILE } else { WHILE }, true, |w| {
                w.u32(*condition);
                write_span(w, predicate);
                w.u32(*body);
            })
        }
        Command::Repeat { count, body } => w.record(REPEAT, true, |w| {
            w.u64(*count);
            w.u32(*body);
        }),
        Command::HostShape { slot, source, bytes, signed, min, max } => w.record(HOST_SHAPE, true, |w| {
            w.u32(*slot);
            write_span(w, source);
            w.u8(*bytes);
            w.u8(u8::from(*signed));
            w.u64(*min as u64);
            w.u64(*max as u64);
        }),
        Command::Collective { collective, source, target } => w.record(COLLECTIVE, true, |w| {
            collective.write(w);
            write_span(w, source);
            write_span(w, target);
        }),
        Command::HostCall { number, operands, results } => w.record(HOST_CALL, true, |w| {
            w.u64(*number);
            for spans in [operands, results] {
                w.count(spans.len());
                spans.iter().for_each(|span| write_span(w, span));
            }
        }),
        Command::DeviceId { target, divisor, modulus } => w.record(DEVICE_ID, true, |w| {
            write_span(w, target);
            w.u32(*divisor);
            w.u32(*modulus);
        }),
        Command::Require { relation, a, b, message } => w.record(REQUIRE, true, |w| {
            w.u8(Relation::ALL.iter().position(|r| r == relation).unwrap_or(0) as u8);
            w.u32(*a);
            w.u32(*b);
            w.string(message);
        }),
    }
}

fn read_command(block: &mut RecordReader) -> Result<Command, ModuleError> {
    let (kind, _, mut payload) = block.record()?;
    let r = &mut payload;
    let command = match kind {
        DISPATCH => {
            let kernel = r.u32()?;
            let grid = [r.u32()?, r.u32()?, r.u32()?];
            let count = r.count("bindings", SPAN_BYTES + 1, LIMITS.operands)?;
            let bindings = (0..count).map(|_| read_binding(r)).collect::<Result<_, _>>()?;
            Command::Dispatch { kernel, grid, bindings, constants: r.u32s("constants", LIMITS.operands)? }
        }
        COPY => Command::Copy { source: read_span(r)?, target: read_span(r)? },
        FILL => Command::Fill { target: read_span(r)?, pattern: r.u64()?, pattern_bytes: r.u8()? },
        CALL => {
            let function = r.u32()?;
            let count = r.count("arguments", SPAN_BYTES, LIMITS.operands)?;
            Command::Call { function, arguments: (0..count).map(|_| read_span(r)).collect::<Result<_, _>>()? }
        }
        IF => Command::If { predicate: read_span(r)?, then_block: r.u32()?, else_block: r.u32()? },
        WHILE | GUARDED_WHILE => {
            let (condition, predicate, body) = (r.u32()?, read_span(r)?, r.u32()?);
            Command::While { condition, predicate, body, guarded: kind == GUARDED_WHILE }
        }
        REPEAT => Command::Repeat { count: r.u64()?, body: r.u32()? },
        HOST_SHAPE => Command::HostShape {
            slot: r.u32()?,
            source: read_span(r)?,
            bytes: r.u8()?,
            signed: r.flag()?,
            min: r.u64()? as i64,
            max: r.u64()? as i64,
        },
        COLLECTIVE => {
            Command::Collective { collective: Collective::read(r)?, source: read_span(r)?, target: read_span(r)? }
        }
        DEVICE_ID => Command::DeviceId { target: read_span(r)?, divisor: r.u32()?, modulus: r.u32()? },
        HOST_CALL => {
            let number = r.u64()?;
            let mut spans = |what: &str| -> Result<Vec<Span>, ModuleError> {
                let count = r.count(what, SPAN_BYTES, LIMITS.operands)?;
                (0..count).map(|_| read_span(r)).collect()
            };
            Command::HostCall { number, operands: spans("operands")?, results: spans("results")? }
        }
        REQUIRE => {
            let tag = r.u8()?;
            let relation = Relation::ALL.get(usize::from(tag)).copied();
            let relation = relation.ok_or_else(|| r.error(format!("unknown relation {tag}")))?;
            Command::Require { relation, a: r.u32()?, b: r.u32()?, message: r.string("message")? }
        }
        _ => return Err(ModuleError::UnknownRequired { what: format!("commands of kind {kind}") }),
    };
    payload.finish()?;
    Ok(command)
}

fn read_block(r: &mut RecordReader, commands: &mut u64) -> Result<Block, ModuleError> {
    let count = r.count("commands", RECORD_BYTES, LIMITS.commands)?;
    *commands += count as u64;
    within("number of commands", *commands, LIMITS.commands)?;
    Ok(Block { commands: (0..count).map(|_| read_command(r)).collect::<Result<_, _>>()? })
}

fn write_kernel(w: &mut RecordWriter, kernel: &Kernel) {
    w.string(&kernel.name);
    kernel.block.iter().chain(&kernel.cluster).for_each(|n| w.u32(*n));
    w.u8(kernel.awaits.into());
    for field in [
        kernel.dynamic_shared_bytes,
        kernel.static_shared_bytes,
        kernel.scratch_bytes,
        kernel.bindings,
        kernel.registers,
        kernel.spill_bytes,
    ] {
        w.u32(field);
    }
    w.string(&kernel.hero);
    w.string(&kernel.summary);
    w.u64(kernel.flops);
    w.string(&kernel.arithmetic);
    w.u64(kernel.bytes);
    w.string(&kernel.note);
    w.count(kernel.tensor_maps.len());
    kernel.tensor_maps.iter().for_each(|map| map.write(w));
}

fn read_kernel(r: &mut RecordReader) -> Result<Kernel, ModuleError> {
    let mut kernel = Kernel {
        name: r.string("kernel name")?,
        block: [r.u32()?, r.u32()?, r.u32()?],
        cluster: [r.u32()?, r.u32()?, r.u32()?],
        awaits: r.flag()?,
        dynamic_shared_bytes: r.u32()?,
        static_shared_bytes: r.u32()?,
        scratch_bytes: r.u32()?,
        bindings: r.u32()?,
        registers: r.u32()?,
        spill_bytes: r.u32()?,
        hero: r.string("hero")?,
        summary: r.string("summary")?,
        flops: r.u64()?,
        arithmetic: r.string("arithmetic")?,
        bytes: r.u64()?,
        note: r.string("note")?,
        tensor_maps: Vec::new(),
    };
    let maps = r.count("tensor maps", TENSOR_MAP_BYTES, MAPS)?;
    kernel.tensor_maps = (0..maps).map(|_| TensorMap::read(r)).collect::<Result<_, _>>()?;
    Ok(kernel)
}

fn write_function(w: &mut RecordWriter, function: &Function) {
    w.string(&function.name);
    w.u32(function.body);
    w.u32(function.arena_bytes);
    w.u32(function.size_slots);
    w.u32s(&function.input_bytes);
    w.u32s(&function.output_bytes);
    let shapes = &function.shapes;
    w.count(shapes.slot_names.len());
    shapes.slot_names.iter().for_each(|name| w.string(name));
    for list in [&shapes.inputs, &shapes.outputs] {
        w.count(list.len());
        list.iter().for_each(|dims| w.u32s(dims));
    }
    w.u32s(&shapes.arena_stages);
}

fn read_shapes(r: &mut RecordReader) -> Result<FunctionShapes, ModuleError> {
    let names = r.count("size names", 4, LIMITS.size_slots)?;
    let slot_names = (0..names).map(|_| r.string("size name")).collect::<Result<_, _>>()?;
    let lists = |r: &mut RecordReader| -> Result<Vec<Vec<u32>>, ModuleError> {
        let count = r.count("shapes", 4, LIMITS.operands)?;
        (0..count).map(|_| r.u32s("dimensions", LIMITS.rank)).collect()
    };
    let (inputs, outputs) = (lists(r)?, lists(r)?);
    Ok(FunctionShapes { slot_names, inputs, outputs, arena_stages: r.u32s("arena stages", LIMITS.size_slots + 1)? })
}

fn read_function(r: &mut RecordReader) -> Result<Function, ModuleError> {
    Ok(Function {
        name: r.string("function name")?,
        body: r.u32()?,
        arena_bytes: r.u32()?,
        size_slots: r.u32()?,
        input_bytes: r.u32s("inputs", LIMITS.operands)?,
        output_bytes: r.u32s("outputs", LIMITS.operands)?,
        shapes: read_shapes(r)?,
    })
}

//! Images for devices without shared virtual memory: each binding of a kernel is a buffer and a distance from its
//! start, in bytes.
//!
//! Input: an image whose kernels take pointers to global memory, then integers. Output: one whose kernels take besides,
//! behind all others, a 64-bit integer for each pointer, which is added to it first. Whatever the kernel does with a
//! pointer stays as it is: its id becomes that of the sum. Names and decorations stay with the parameter.
//!
//! ```text
//! %f = OpFunction %void None %old              %f = OpFunction %void None %new
//! %p = OpFunctionParameter %ptr_float          %q = OpFunctionParameter %ptr_float
//!                                              %n = OpFunctionParameter %long
//! %l = OpLabel                                 %l = OpLabel
//!                                              %a = OpBitcast %ptr_char %q
//!                                              %b = OpInBoundsPtrAccessChain %ptr_char %a %n
//!                                              %p = OpBitcast %ptr_float %b
//! ```
//!
//! Limits: kernels are not called by other functions, which is so in what the compiler links.

use std::collections::{BTreeMap, HashMap};

use fornax_module::spirv::{HEADER_WORDS, Instruction, Spirv, op};

const LINE: u16 = 8;
const NO_LINE: u16 = 317;
const NAME: u16 = 5;
const TYPE_INT: u16 = 21;
const TYPE_POINTER: u16 = 32;
const TYPE_FUNCTION: u16 = 33;
const PARAMETER: u16 = 55;
const FUNCTION_CALL: u16 = 57;
const VARIABLE: u16 = 59;
const IN_BOUNDS_PTR_ACCESS_CHAIN: u16 = 70;
const DECORATE_ID: u16 = 332;
const BITCAST: u16 = 124;
const LABEL: u16 = 248;
const CROSS_WORKGROUP: u32 = 5;
/// Capabilities of the types that are added.
const INT64: u32 = 11;
const INT8: u32 = 39;

/// Rewrites an image.
///
/// # Errors
/// What the image is that a compiler of ours does not make, in words.
pub(super) fn add_offsets(image: &[u8]) -> Result<Vec<u8>, String> {
    let module = Spirv::parse(image)?;
    let mut types = Types::read(&module)?;
    let kernels = kernels(&module, &mut types)?;
    let pointers: HashMap<u32, u32> = kernels.values().flat_map(|kernel| kernel.pointers.iter().copied()).collect();
    let words: Vec<u32> = image.chunks_exact(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]])).collect();
    let mut out = words.get(..HEADER_WORDS).unwrap_or_default().to_vec();
    for capability in [INT64, INT8].into_iter().filter(|number| !module.capabilities().contains(number)) {
        push(&mut out, op::CAPABILITY, &[capability]);
    }
    let mut instructions = module.instructions().peekable();
    let mut types_are_written = false;
    while let Some(Instruction { opcode, operands, .. }) = instructions.next() {
        match (opcode, operands) {
            (NAME | op::DECORATE | DECORATE_ID, [target, rest @ ..]) => {
                let target = pointers.get(target).unwrap_or(target);
                push(&mut out, opcode, &[&[*target], rest].concat());
            }
            (FUNCTION_CALL, [_, _, callee, ..]) if kernels.contains_key(callee) => {
                return Err("a kernel is called by a function".into());
            }
            (op::FUNCTION, [result, id, control, _]) => {
                if !std::mem::replace(&mut types_are_written, true) {
                    out.extend(&types.added);
                }
                let Some(kernel) = kernels.get(id) else {
                    push(&mut out, opcode, operands);
                    continue;
                };
                push(&mut out, opcode, &[*result, *id, *control, kernel.ty]);
                let is_head = |i: &Instruction<'_>| matches!(i.opcode, PARAMETER | LABEL | LINE | NO_LINE);
                let mut is_open = false;
                // Variables come first in a function's first block.
                while let Some(next) = instructions
                    .next_if(|i| if is_open { matches!(i.opcode, VARIABLE | LINE | NO_LINE) } else { is_head(i) })
                {
                    if next.opcode == LABEL {
                        kernel.offsets.iter().for_each(|offset| push(&mut out, PARAMETER, &[types.long, *offset]));
                        is_open = true;
                    }
                    match (next.opcode, next.operands) {
                        (PARAMETER, [ty, id]) => push(&mut out, PARAMETER, &[*ty, *pointers.get(id).unwrap_or(id)]),
                        (opcode, operands) => push(&mut out, opcode, operands),
                    }
                }
                if !is_open {
                    return Err("a kernel without a body".into());
                }
                kernel.write_sums(&types, &mut out);
            }
            _ => push(&mut out, opcode, operands),
        }
    }
    if let Some(bound) = out.get_mut(3) {
        *bound = types.bound;
    }
    Ok(out.iter().flat_map(|word| word.to_le_bytes()).collect())
}

fn push(out: &mut Vec<u32>, opcode: u16, operands: &[u32]) {
    out.push((operands.len() as u32 + 1) << 16 | u32::from(opcode));
    out.extend(operands);
}

/// A kernel and the ids that it gets.
struct Kernel {
    /// Its new type.
    ty: u32,
    /// Each pointer and its id as a parameter, in order; and their types.
    pointers: Vec<(u32, u32)>,
    pointer_types: Vec<u32>,
    offsets: Vec<u32>,
    /// Two ids a pointer.
    steps: Vec<[u32; 2]>,
}

impl Kernel {
    fn write_sums(&self, types: &Types, out: &mut Vec<u32>) {
        let rows = self.pointers.iter().zip(&self.pointer_types).zip(&self.offsets).zip(&self.steps);
        for ((((sum, parameter), ty), offset), [bytes, moved]) in rows {
            if *ty == types.bytes {
                push(out, IN_BOUNDS_PTR_ACCESS_CHAIN, &[types.bytes, *sum, *parameter, *offset]);
            } else {
                push(out, BITCAST, &[types.bytes, *bytes, *parameter]);
                push(out, IN_BOUNDS_PTR_ACCESS_CHAIN, &[types.bytes, *moved, *bytes, *offset]);
                push(out, BITCAST, &[*ty, *sum, *moved]);
            }
        }
    }
}

/// The types of a module that matter here, and those that are added.
struct Types {
    bound: u32,
    /// Types of pointers to global memory.
    global: Vec<u32>,
    /// Result and parameters of types of functions, by their ids.
    functions: HashMap<u32, Vec<u32>>,
    /// 64-bit integers; pointers to bytes of global memory.
    long: u32,
    bytes: u32,
    /// Instructions that are added.
    added: Vec<u32>,
}

impl Types {
    fn read(module: &Spirv<'_>) -> Result<Types, String> {
        let (mut integers, mut pointers, mut functions) = (HashMap::new(), HashMap::new(), HashMap::new());
        for Instruction { opcode, operands, .. } in module.instructions() {
            match (opcode, operands) {
                (TYPE_INT, [id, width, _]) => drop(integers.insert(*width, *id)),
                (TYPE_POINTER, [id, CROSS_WORKGROUP, of]) => drop(pointers.insert(*of, *id)),
                (TYPE_FUNCTION, [id, signature @ ..]) => drop(functions.insert(*id, signature.to_vec())),
                _ => {}
            }
        }
        let global = pointers.values().copied().collect();
        let mut types = Types { bound: module.bound(), global, functions, long: 0, bytes: 0, added: Vec::new() };
        let mut char = 0;
        for (width, id) in [(64, &mut types.long), (8, &mut char)] {
            *id = *integers.entry(width).or_insert_with(|| {
                types.bound += 1;
                push(&mut types.added, TYPE_INT, &[types.bound - 1, width, 0]);
                types.bound - 1
            });
        }
        types.bytes = match pointers.get(&char) {
            Some(id) => *id,
            None => {
                let id = types.fresh();
                push(&mut types.added, TYPE_POINTER, &[id, CROSS_WORKGROUP, char]);
                id
            }
        };
        Ok(types)
    }

    fn fresh(&mut self) -> u32 {
        self.bound += 1;
        self.bound - 1
    }

    /// The type of functions with this result and these parameters; each once.
    fn function(&mut self, signature: Vec<u32>) -> u32 {
        if let Some((id, _)) = self.functions.iter().find(|row| *row.1 == signature) {
            return *id;
        }
        let id = self.fresh();
        push(&mut self.added, TYPE_FUNCTION, &[&[id], signature.as_slice()].concat());
        self.functions.insert(id, signature);
        id
    }
}

/// The kernels by their ids.
fn kernels(module: &Spirv<'_>, types: &mut Types) -> Result<BTreeMap<u32, Kernel>, String> {
    let entries = module.instructions().filter(|i| i.opcode == op::ENTRY_POINT);
    let entries: Vec<u32> = entries.filter_map(|i| i.operands.get(1).copied()).collect();
    let mut kernels: BTreeMap<u32, Kernel> = BTreeMap::new();
    let mut inside = None;
    for Instruction { opcode, operands, .. } in module.instructions() {
        match (opcode, operands) {
            (op::FUNCTION, [_, id, _, ty]) => {
                inside = entries.contains(id).then_some(*id);
                if let Some(id) = inside {
                    let (pointers, pointer_types, offsets, steps) = Default::default();
                    kernels.insert(id, Kernel { ty: *ty, pointers, pointer_types, offsets, steps });
                }
            }
            (PARAMETER, [ty, id]) if types.global.contains(ty) => {
                let Some(kernel) = inside.as_ref().and_then(|id| kernels.get_mut(id)) else { continue };
                kernel.pointers.push((*id, types.fresh()));
                kernel.pointer_types.push(*ty);
                kernel.offsets.push(types.fresh());
                kernel.steps.push([types.fresh(), types.fresh()]);
            }
            _ => {}
        }
    }
    for kernel in kernels.values_mut() {
        let mut signature = types.functions.get(&kernel.ty).cloned().ok_or("a kernel whose type is none")?;
        signature.extend(kernel.offsets.iter().map(|_| types.long));
        kernel.ty = types.function(signature);
    }
    Ok(kernels)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opcodes(image: &[u8]) -> Vec<(u16, Vec<u32>)> {
        let module = Spirv::parse(image).unwrap();
        module.instructions().map(|i| (i.opcode, i.operands.to_vec())).collect()
    }

    #[test]
    fn each_pointer_gets_an_offset() {
        let image = include_bytes!("../../hal/conformance/opencl_kernels.spv");
        let rewritten = add_offsets(image).unwrap();
        let (before, after) = (opcodes(image), opcodes(&rewritten));
        let count = |rows: &[(u16, Vec<u32>)], opcode| rows.iter().filter(|row| row.0 == opcode).count();
        let pointers = count(&after, IN_BOUNDS_PTR_ACCESS_CHAIN) - count(&before, IN_BOUNDS_PTR_ACCESS_CHAIN);
        assert!(pointers >= 3, "{pointers}");
        assert_eq!(count(&after, PARAMETER), count(&before, PARAMETER) + pointers);
        assert_eq!(Spirv::parse(&rewritten).unwrap().kernels(), Spirv::parse(image).unwrap().kernels());
        // Every id is defined once, and below the bound.
        let module = Spirv::parse(&rewritten).unwrap();
        let defined = |opcode| after.iter().filter(move |row| row.0 == opcode).map(|row| row.1[1]);
        let mut ids: Vec<u32> =
            [PARAMETER, BITCAST, IN_BOUNDS_PTR_ACCESS_CHAIN, op::FUNCTION].into_iter().flat_map(defined).collect();
        assert!(ids.iter().all(|id| *id < module.bound()));
        ids.sort_unstable();
        assert!(ids.windows(2).all(|pair| pair[0] != pair[1]));
        // Types are not declared twice.
        let mut types: Vec<(u16, Vec<u32>)> = after
            .iter()
            .filter(|row| matches!(row.0, TYPE_INT | TYPE_POINTER | TYPE_FUNCTION))
            .map(|row| (row.0, row.1[1..].to_vec()))
            .collect();
        let all = types.len();
        types.sort();
        types.dedup();
        assert_eq!(types.len(), all);
        // The sums are the first thing of a kernel's body that is no variable.
        let label = after.iter().position(|row| row.0 == LABEL).unwrap();
        let first = after[label + 1..].iter().find(|row| row.0 != VARIABLE).unwrap();
        assert!([BITCAST, IN_BOUNDS_PTR_ACCESS_CHAIN].contains(&first.0), "{first:?}");
    }

    #[test]
    fn what_is_no_module_is_told() {
        assert!(add_offsets(b"nothing").is_err());
        assert!(add_offsets(&[]).is_err());
    }
}

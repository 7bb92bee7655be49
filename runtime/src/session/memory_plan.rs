//! What a module takes of a device's memory, before anything is loaded.
//!
//! Every figure is that of the blocks that the device's pool would hold ([`Device::held_bytes`]). Worked example: on a
//! processor, a module with 4 MB of parameters in an aligned file, 1 MB of which are packed anew, and a function with
//! 300 bytes of arena: 0 bytes of weights, 3 MB where they lie, 1 MB prepared, 512 bytes of arena. On a GPU 3 MB of
//! weights, and 1 MB more at load.

use std::collections::BTreeMap;

use fornax_module::Program;
use fornax_module::manifest::FunctionSignature;
use fornax_module::program::{BlockId, Command, ExprId, Space};
use fornax_module::sizes::SizeValue;

use super::parameters::ParameterBytes;
use super::{Module, SessionOptions, load, parameters, program_error};
use crate::errors::Result;
use crate::hal::{Device, block_bytes};

/// What a session takes of its device's memory, bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryPlan {
    /// Constants and parameters that are copied to the device and stay there.
    pub weights: u64,
    /// Those that are used where they lie in their files.
    pub in_place: u64,
    /// Parameters that load alone reads: what of them is on the device at a time, until load is over.
    pub at_load: u64,
    /// What load computes of them once, such as packed weights.
    pub prepared: u64,
    /// Exported functions.
    pub functions: Vec<FunctionPlan>,
}

/// What a call of one function takes, bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FunctionPlan {
    pub name: String,
    pub inputs: Vec<u64>,
    /// Outputs that do not lie in inputs that were given away.
    pub outputs: Vec<u64>,
    /// Arenas of the function and of those that it calls, by their number in the program: they stay.
    arenas: BTreeMap<u32, u64>,
    /// What they read of what load computes: bytes by their place there.
    prepared: BTreeMap<u64, u64>,
    /// Sizes of buffers or arenas depend on those of inputs or on data; they count as nothing.
    pub is_open: bool,
}

impl MemoryPlan {
    /// The functions with these names.
    pub fn of<'p>(&'p self, names: &'p [&str]) -> impl Iterator<Item = &'p FunctionPlan> {
        self.functions.iter().filter(|function| names.contains(&function.name.as_str()))
    }

    /// Arenas of functions of which each is called.
    pub fn arena(&self, names: &[&str]) -> u64 {
        let arenas: BTreeMap<u32, u64> = self.of(names).flat_map(|function| function.arenas.clone()).collect();
        arenas.values().fold(0, |sum, bytes| sum.saturating_add(*bytes))
    }

    /// Bytes of what load computes that one function reads and no other.
    pub fn prepared_for(&self, name: &str) -> u64 {
        let (own, others): (Vec<&FunctionPlan>, Vec<&FunctionPlan>) =
            self.functions.iter().partition(|function| function.name == name);
        let is_shared = |place: &u64| others.iter().any(|other| other.prepared.contains_key(place));
        let own = own.iter().flat_map(|function| &function.prepared).filter(|(place, _)| !is_shared(place));
        own.fold(0, |sum, (_, bytes)| sum.saturating_add(*bytes))
    }

    /// Buffers of calls of these functions in turn, but for the `kept` last inputs of each: those are the caller's.
    /// Buffers of one call are used again by the next where they have the same size, and stay else.
    pub fn buffers(&self, names: &[&str], kept: usize) -> u64 {
        let mut most: BTreeMap<u64, u64> = BTreeMap::new();
        for function in self.of(names) {
            let mut own: BTreeMap<u64, u64> = BTreeMap::new();
            let inputs = function.inputs.iter().take(function.inputs.len().saturating_sub(kept));
            inputs.chain(&function.outputs).for_each(|bytes| *own.entry(*bytes).or_default() += 1);
            for (bytes, count) in own {
                let all = most.entry(bytes).or_default();
                *all = count.max(*all);
            }
        }
        most.iter().fold(0, |sum, (bytes, count)| sum.saturating_add(bytes.saturating_mul(*count)))
    }
}

pub(super) fn plan(module: &Module, device: &Device, options: &SessionOptions) -> Result<MemoryPlan> {
    let manifest = module.manifest();
    let program = load::program_for(module, device.info())?;
    let is_given = !options.parameters.is_empty() || !options.tensors.is_empty();
    let stays = device.info().driver == "cpu";
    let without_file = |bytes: u64| match (bytes, stays) {
        (0, _) => ParameterBytes::default(),
        (in_place, true) => ParameterBytes { held: 0, in_place },
        (bytes, false) => ParameterBytes { held: block_bytes(bytes), in_place: 0 },
    };
    let parameters = if is_given {
        parameters::find(manifest, options)?.bytes(device)
    } else {
        manifest.parameters.iter().map(|parameter| without_file(parameter.bytes)).collect()
    };
    let reads = program.parameter_reads(parameters.len());
    let kept = || parameters.iter().enumerate().filter(|(number, _)| reads.in_calls(*number)).map(|(_, bytes)| bytes);
    let mut weights = kept().map(|bytes| bytes.held).fold(0, u64::saturating_add);
    let mut in_place = kept().map(|bytes| bytes.in_place).fold(0, u64::saturating_add);
    let at_load = reads.bytes_at_load(&|number| parameters.get(number).map_or(0, |bytes| bytes.held));
    if let Some(host) = module.constants().filter(|host| !host.bytes().is_empty()) {
        match device.import(&host) {
            Some(_) => in_place = in_place.saturating_add(manifest.constants_bytes),
            None => weights = weights.saturating_add(block_bytes(manifest.constants_bytes)),
        }
    }
    let prepared = if program.persistent_bytes > 0 { block_bytes(program.persistent_bytes) } else { 0 };
    let values = program.evaluate_known(&[]);
    let planned = |signature| function(program, signature, &values);
    let functions = manifest.functions.iter().map(planned).collect::<Result<Vec<FunctionPlan>>>()?;
    Ok(MemoryPlan { weights, in_place, at_load, prepared, functions })
}

fn function(program: &Program, signature: &FunctionSignature, values: &[SizeValue]) -> Result<FunctionPlan> {
    let at = program.functions.iter().position(|function| function.name == signature.name);
    let missing = || program_error(format!("no function @{} for this target", signature.name));
    let (at, own) = at.and_then(|at| Some((at as u32, program.functions.get(at)?))).ok_or_else(missing)?;
    let mut plan = FunctionPlan { name: signature.name.clone(), ..FunctionPlan::default() };
    let mut known = |expr: &ExprId| {
        let bytes = values.get(*expr as usize).and_then(|value| value.known());
        plan.is_open |= bytes.is_none();
        bytes
    };
    plan.inputs.extend(own.input_bytes.iter().map(|bytes| known(bytes).map_or(0, block_bytes)));
    for (output, bytes) in own.output_bytes.iter().enumerate() {
        let is_new = !signature.aliases.iter().any(|alias| alias.output as usize == output);
        plan.outputs.extend(known(bytes).filter(|_| is_new).map(block_bytes));
    }
    let mut called = vec![at];
    while let Some(at) = called.pop() {
        let Some(function) = program.functions.get(at as usize) else { continue };
        let bytes = known(&function.arena_bytes).unwrap_or(0);
        if plan.arenas.insert(at, if bytes > 0 { block_bytes(bytes) } else { 0 }).is_some() {
            continue;
        }
        each_command(program, function.body, &mut |command| {
            if let Command::Call { function, .. } = command {
                called.push(*function);
            }
            for span in command.spans().into_iter().filter(|span| span.space == Space::Persistent) {
                let [place, bytes] = [span.offset, span.length].map(|expr| values.get(expr as usize)?.known());
                plan.prepared.extend(place.zip(bytes));
            }
        });
    }
    Ok(plan)
}

/// Every command of a block, and of the blocks within. The module's checks exclude recursion.
fn each_command(program: &Program, block: BlockId, visit: &mut dyn FnMut(&Command)) {
    let commands = program.blocks.get(block as usize).map_or(&[][..], |block| &block.commands);
    for command in commands {
        visit(command);
        match command {
            Command::If { then_block: a, else_block: b, .. } | Command::While { condition: a, body: b, .. } => {
                each_command(program, *a, visit);
                each_command(program, *b, visit);
            }
            Command::Repeat { body, .. } => each_command(program, *body, visit),
            Command::Call { .. }
            | Command::Dispatch { .. }
            | Command::Copy { .. }
            | Command::Fill { .. }
            | Command::Collective { .. }
            | Command::HostCall { .. }
            | Command::DeviceId { .. }
            | Command::HostShape { .. }
            | Command::Require { .. } => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_share_what_has_the_same_size() {
        let function = |name: &str, inputs: &[u64], outputs: &[u64], arenas: &[(u32, u64)]| FunctionPlan {
            name: name.into(),
            inputs: inputs.to_vec(),
            outputs: outputs.to_vec(),
            arenas: arenas.iter().copied().collect(),
            ..FunctionPlan::default()
        };
        let functions = vec![
            function("a", &[256, 256, 8192], &[512], &[(0, 1024), (2, 256)]),
            function("b", &[256, 8192], &[1024], &[(1, 512), (2, 256)]),
        ];
        let plan = MemoryPlan { functions, ..MemoryPlan::default() };
        assert_eq!((plan.buffers(&["a"], 1), plan.buffers(&["a", "b"], 1)), (1024, 2048));
        assert_eq!(plan.buffers(&["a", "b"], 0), 2048 + 8192);
        assert_eq!((plan.arena(&["b"]), plan.arena(&["a", "b"]), plan.arena(&["c"])), (768, 1792, 0));
    }

    #[test]
    fn what_is_prepared_for_one_function_alone() {
        let function = |name: &str, prepared: &[(u64, u64)]| FunctionPlan {
            name: name.into(),
            prepared: prepared.iter().copied().collect(),
            ..FunctionPlan::default()
        };
        let functions = vec![function("a", &[(0, 100), (256, 50)]), function("b", &[(256, 50), (512, 7)])];
        let plan = MemoryPlan { functions, ..MemoryPlan::default() };
        assert_eq!(["a", "b", "c"].map(|name| plan.prepared_for(name)), [100, 7, 0]);
    }
}

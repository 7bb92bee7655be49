//! A program of candidates: every way of every distinct kernel of a model as a function of its own.
//!
//! Input: a fused graph and a target. Output: a program whose functions take a group's operands and give its results,
//! and what each function is. `tune measure` runs them on random data. Functions of one kernel have equal inputs and
//! outputs.
//!
//! Worked example: a model with 40 kernels of 6 distinct keys and 9 ways each gives 54 functions `t0_0` … `t5_8`.

use std::collections::BTreeSet;

use fornax_graph::{Graph, OpId, OpKind, TensorType};
use fornax_module::program::{Binding, Block, Command, Function, Space, Span};
use fornax_module::tuning::Candidate;
use fornax_plan::KernelPlan;
use fornax_targets::Target;

use super::{ARENA_ALIGNMENT, Planned, Planner};
use crate::errors::PassError;
use crate::facts::ops::tensor;
use crate::schedule;
use fornax_kernels::scheduled::{Bound, Scheduled};
use fornax_kernels::tuning::Ways;

/// A candidate with the types of its function.
#[derive(Clone, Debug)]
pub struct CandidateFunction {
    pub candidate: Candidate,
    pub inputs: Vec<TensorType>,
    pub outputs: Vec<TensorType>,
}

/// Plans the candidates of a fused graph.
///
/// # Errors
/// As [`crate::plan()`].
pub fn candidates(
    graph: &Graph,
    target: &Target,
    options: &schedule::Options,
) -> Result<(Planned, Vec<CandidateFunction>), PassError> {
    let mut planner = Planner::new(graph, target, options.clone());
    let mut known = BTreeSet::new();
    let mut functions = Vec::new();
    for fusion in fusions(graph) {
        let Some(ways) = schedule::ways(graph, fusion, target, options)? else { continue };
        if ways.ways.len() > 1 && known.insert(ways.key.clone()) {
            planner.candidates_of(fusion, ways, known.len() - 1, &mut functions)?;
        }
    }
    Ok((planner.planned, functions))
}

/// Every fusion op, those inside of loops and branches too.
fn fusions(graph: &Graph) -> Vec<OpId> {
    let mut found = Vec::new();
    for entry in graph.functions.iter().filter_map(|function| graph.entry(function)) {
        graph.walk(entry, &mut |op| {
            if graph.op(op).kind == OpKind::Fusion {
                found.push(op);
            }
        });
    }
    found
}

impl Planner<'_> {
    fn candidates_of(
        &mut self,
        fusion: OpId,
        ways: Ways,
        number: usize,
        functions: &mut Vec<CandidateFunction>,
    ) -> Result<(), PassError> {
        let data = self.graph.op(fusion);
        let used: BTreeSet<usize> = ways.ways.iter().flat_map(|(_, scheduled)| operands(scheduled)).collect();
        let operand = |n: &usize| data.operands.get(*n).copied();
        let inputs = used.iter().filter_map(operand).map(|v| tensor(self.graph, v).cloned());
        let inputs = inputs.collect::<Result<Vec<_>, _>>()?;
        let outputs = data.results.iter().map(|&v| tensor(self.graph, v).cloned()).collect::<Result<Vec<_>, _>>()?;
        for (at, (way, scheduled)) in ways.ways.into_iter().enumerate() {
            let name = format!("t{number}_{at}");
            self.candidate(&name, scheduled, &used, (&inputs, &outputs))?;
            let candidate = Candidate { function: name, key: ways.key.clone(), way };
            functions.push(CandidateFunction { candidate, inputs: inputs.clone(), outputs: outputs.clone() });
        }
        Ok(())
    }

    fn candidate(
        &mut self,
        name: &str,
        scheduled: Scheduled,
        used: &BTreeSet<usize>,
        (inputs, outputs): (&[TensorType], &[TensorType]),
    ) -> Result<(), PassError> {
        let mut arena_bytes = 0u64;
        let mut prepared = Vec::new();
        for before in &scheduled.prepare {
            prepared.push(arena_bytes);
            arena_bytes = (arena_bytes + before.bytes()).next_multiple_of(ARENA_ALIGNMENT);
        }
        let mut commands = Vec::new();
        for before in scheduled.prepare {
            commands.push(self.launch_candidate(before.plan, &before.bound, used, &prepared)?);
        }
        commands.push(self.launch_candidate(scheduled.plan, &scheduled.bound, used, &prepared)?);
        let program = &mut self.planned.program;
        program.blocks.push(Block { commands });
        let body = program.blocks.len() as u32 - 1;
        let no_size = || PassError::broken("a candidate's tensor has no static size");
        let mut sizes = |types: &[TensorType]| -> Result<Vec<u32>, PassError> {
            types.iter().map(|t| Ok(self.size(t.bytes().ok_or_else(no_size)?))).collect()
        };
        let (input_bytes, output_bytes) = (sizes(inputs)?, sizes(outputs)?);
        let arena_bytes = self.size(arena_bytes);
        let name = name.to_string();
        let function =
            Function { name, body, arena_bytes, size_slots: 0, input_bytes, output_bytes, ..Function::default() };
        self.planned.program.functions.push(function);
        Ok(())
    }

    fn launch_candidate(
        &mut self,
        plan: KernelPlan,
        bound: &[Bound],
        used: &BTreeSet<usize>,
        prepared: &[u64],
    ) -> Result<Command, PassError> {
        let broken = || PassError::broken("a candidate's buffer is of no operand");
        let mut bindings = Vec::with_capacity(bound.len());
        for (buffer, bound) in plan.buffers.iter().zip(bound) {
            let (space, offset) = match *bound {
                Bound::Operand(n) => {
                    (Space::Input(used.iter().position(|used| *used == n).ok_or_else(broken)? as u32), 0)
                }
                Bound::Result(n) => (Space::Output(n as u32), 0),
                Bound::Prepared(n) => (Space::Arena, *prepared.get(n).ok_or_else(broken)?),
            };
            let bytes = buffer.elements.max(0) as u64 * buffer.element.storage_bytes() as u64;
            let span = Span { space, offset: self.size(offset), length: self.size(bytes) };
            let access = super::binding_access(buffer.access);
            bindings.push(Binding { span, access });
        }
        let (grid, _) = plan.launch();
        let grid = grid.map(|n| self.size(n));
        let kernel = self.kernel(plan)?;
        Ok(Command::Dispatch { kernel, grid, bindings, constants: Vec::new() })
    }
}

/// Operands that any kernel of a way reads.
fn operands(scheduled: &Scheduled) -> impl Iterator<Item = usize> + '_ {
    let all = scheduled.prepare.iter().flat_map(|before| &before.bound).chain(&scheduled.bound);
    all.filter_map(|bound| if let Bound::Operand(n) = bound { Some(*n) } else { None })
}

//! The step with the device: a watched call against the record that `prepare` put into the module.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use anyhow::Result;
use fornax_module::verify::{Bound, Dispatch, Execution, Passes, RECORD, Record, VALUES};
use fornax_runtime::registry::open_device;
use fornax_runtime::session::{DispatchAt, Launched, Module, Moment, Observer, Session, SessionOptions};
use fornax_runtime::{ElementType, ErrorKind, RuntimeError, Tensor, TensorType};

use super::compare::{Errors, Tolerances, compare, place, ulp_text};
use super::reproducer;
use crate::args::Format;
use crate::args::verify::RunArgs;
use crate::failure::{Failure, exit};
use crate::messages;
use crate::output::say;

/// The code of a difference.
const CODE: &str = "FX0811";

/// What is wrong with a dispatch.
pub struct Finding {
    /// Which dispatch of the record, and which of its executions.
    pub dispatch: usize,
    pub execution: usize,
    pub kernel: usize,
    pub what: String,
    /// The result that differs, as found; none where an operand is wrong.
    pub found: Option<(u32, Tensor)>,
}

/// The observer of the call.
struct Lockstep {
    record: Arc<Record>,
    module: Module,
    tolerances: Tolerances,
    /// Place in the program → dispatches of the record: several, where one launch does several kernels.
    places: HashMap<DispatchAt, Vec<usize>>,
    /// Executions seen, by dispatch.
    counts: Vec<usize>,
    compared: usize,
    /// Behind what the record has: nothing is compared any more.
    blind: bool,
    worst: Option<(Errors, usize)>,
    finding: Option<Finding>,
}

pub fn measure(module: &Module, name: &str, args: &RunArgs) -> Result<()> {
    let tolerances = Tolerances::parse(&args.tolerance)?;
    let missing =
        || Failure::usage(format!("{name} holds nothing to compare with: make it with `fornax verify prepare`"));
    let text = module.debug(RECORD).map_err(Failure::from)?.ok_or_else(missing)?;
    let wrong = |why| Failure::new(exit::BAD_MODULE, CODE, format!("the record of {name} cannot be read: {why}"), "");
    let record = Arc::new(Record::parse(text).map_err(wrong)?);
    let device = open_device(args.device.as_deref().unwrap_or("cpu")).map_err(Failure::from)?;
    let options = SessionOptions { keeps_parameters: true, ..SessionOptions::default() };
    let mut session = Session::load(module, &device, &options).map_err(Failure::from)?;
    let signature = module.function(Some(&record.function)).map_err(Failure::from)?.clone();
    let inputs = declared(module, &record, &record.inputs, &signature.inputs)?;
    let observer = Arc::new(Mutex::new(Lockstep::new(&record, module, tolerances)));
    let outputs = session.observe_load(observer.clone());
    let outputs = outputs.and_then(|()| session.observe(&record.function, &inputs, observer.clone()));
    let state = observer.lock().map_err(|_| Failure::usage("the comparison of a call failed"))?;
    if let Some(finding) = &state.finding {
        return Err(failure(module, &record, finding, &session, args)?.into());
    }
    let outputs = outputs.map_err(Failure::from)?;
    if !state.blind {
        let wanted = declared(module, &record, &record.outputs, &signature.outputs)?;
        outputs_hold(&outputs, &wanted)?;
    }
    ordinary_call(&mut session, &record.function, &inputs)?;
    passes(&record.passes)?;
    let kernels = session.program_kernels();
    if args.format == Format::Json {
        let worst = state.worst.as_ref().map(|(errors, kernel)| {
            let kernel = kernels.get(*kernel).map(|k| k.name.as_str());
            serde_json::json!({ "kernel": kernel, "relative": errors.relative, "ulp": errors.ulp })
        });
        let report = serde_json::json!({
            "function": record.function, "device": device.info().uri(), "agrees": true, "executions": state.compared,
            "dispatches": record.dispatches.len(), "left_out": record.left_out, "largest_error": worst,
        });
        say!("{report}");
        return Ok(());
    }
    let named = |(errors, kernel): &(Errors, usize)| {
        let kernel = kernels.get(*kernel).map_or("", |k| k.name.as_str());
        format!("; largest error {} (relative {:.1e}) in `{kernel}`", ulp_text(errors.ulp), errors.relative)
    };
    let behind =
        if record.left_out > 0 { format!("; {} not compared (--room)", record.left_out) } else { String::new() };
    say!(
        "@{} on {}: {} executions of {} dispatches agree with the reference{}{behind}",
        record.function,
        device.info().uri(),
        state.compared,
        record.dispatches.len(),
        state.worst.as_ref().map(named).unwrap_or_default()
    );
    Ok(())
}

/// Outputs are copies of what the dispatches left, which is the reference's.
fn outputs_hold(outputs: &[Tensor], wanted: &[Tensor]) -> Result<(), Failure> {
    for (at, (output, wanted)) in outputs.iter().zip(wanted).enumerate() {
        if output.bytes() != wanted.bytes() {
            let what = format!("output {at} is not what the dispatches left: {}", first_byte(output, wanted));
            return Err(Failure::new(
                exit::DIFFERENT,
                CODE,
                what,
                "a copy of the program, or where its buffers lie, is wrong",
            ));
        }
    }
    Ok(())
}

/// A call as everyone makes it gives the bits of one whose commands run one by one.
fn ordinary_call(session: &mut Session, function: &str, inputs: &[Tensor]) -> Result<(), Failure> {
    let in_pieces = session.invoke_in_pieces(function, inputs).map_err(Failure::from)?;
    let at_once = session.invoke(function, inputs).map_err(Failure::from)?;
    for (at, (one, other)) in at_once.iter().zip(&in_pieces).enumerate() {
        if one.bytes() != other.bytes() {
            let what = format!(
                "output {at} of an ordinary call differs from that of a call whose commands run one by one: {}",
                first_byte(one, other)
            );
            let help =
                "every dispatch agrees with the reference: order, branches or loops of the recorded call are wrong";
            return Err(Failure::new(exit::DIFFERENT, CODE, what, help));
        }
    }
    Ok(())
}

fn passes(passes: &Passes) -> Result<(), Failure> {
    match passes {
        Passes::Agree => Ok(()),
        Passes::NotCompared(why) => {
            messages::note(format!("the passes are not checked: {why}"));
            Ok(())
        }
        Passes::Differ(what) => {
            let what = format!("the compiled program is not the model, by the reference evaluator alone: {what}");
            Err(Failure::new(exit::DIFFERENT, CODE, what, "a pass between import and fusion is wrong"))
        }
    }
}

/// Where two tensors first differ.
fn first_byte(found: &Tensor, expected: &Tensor) -> String {
    let at = found.bytes().iter().zip(expected.bytes()).position(|(a, b)| a != b).unwrap_or(0);
    let element = at / expected.element_type().storage_bytes().max(1);
    format!("first at [{}]", place(element, expected.shape()))
}

/// Values of the record as tensors of a signature: the same bytes, where complex numbers were pairs.
fn declared(
    module: &Module,
    record: &Record,
    values: &[u32],
    signature: &[fornax_module::manifest::TensorSignature],
) -> Result<Vec<Tensor>, Failure> {
    let one = |(&value, wanted): (&u32, &fornax_module::manifest::TensorSignature)| {
        let own = tensor(module, record, value)?;
        let ty = ElementType::parse(&wanted.element_type).filter(|ty| *ty != own.element_type());
        let Some(ty) = ty else { return Some(own) };
        let shape = own.shape().get(..wanted.shape.len())?.to_vec();
        Tensor::new(TensorType::new(ty, shape), own.into_bytes()).ok()
    };
    let all: Option<Vec<Tensor>> = values.iter().zip(signature).map(one).collect();
    all.ok_or_else(|| Failure::new(exit::BAD_MODULE, CODE, "the record lacks values of the function", ""))
}

/// A value of the record.
pub fn tensor(module: &Module, record: &Record, at: u32) -> Option<Tensor> {
    let values = module.debug(VALUES).ok()?.unwrap_or_default();
    let (value, bytes) = record.value(values, at)?;
    let ty = TensorType::new(ElementType::parse(&value.element_type)?, value.shape.clone());
    Tensor::new(ty, bytes.to_vec()).ok()
}

impl Lockstep {
    fn new(record: &Arc<Record>, module: &Module, tolerances: Tolerances) -> Lockstep {
        let mut places: HashMap<DispatchAt, Vec<usize>> = HashMap::new();
        for (at, d) in record.dispatches.iter().enumerate() {
            places.entry(DispatchAt { block: d.block, command: d.command }).or_default().push(at);
        }
        Lockstep {
            record: record.clone(),
            module: module.clone(),
            tolerances,
            places,
            counts: vec![0; record.dispatches.len()],
            compared: 0,
            blind: false,
            worst: None,
            finding: None,
        }
    }

    /// The operands of a launch must be what the reference has: they were put there.
    fn operands(
        &self,
        dispatch: &Dispatch,
        execution: &Execution,
        launched: &Launched,
    ) -> Result<Option<String>, RuntimeError> {
        for (binding, bound) in dispatch.bindings.iter().enumerate() {
            let Bound::Operand(n) = bound else { continue };
            let wanted = execution.operands.get(*n as usize).and_then(|&v| tensor(&self.module, &self.record, v));
            let Some(wanted) = wanted.filter(|w| launched.bytes(binding) == Some(w.bytes().len() as u64)) else {
                continue;
            };
            let bytes = launched.read(binding)?;
            if bytes != wanted.bytes() {
                let held = Tensor::new(wanted.ty().clone(), bytes)?;
                let what = format!(
                    "operand {n}, {}, does not hold what was put there, {}: its buffer was overwritten, or a constant \
                     is damaged",
                    wanted.ty(),
                    first_byte(&held, &wanted)
                );
                return Ok(Some(what));
            }
        }
        Ok(None)
    }

    /// The results of a launch: compared, then replaced by the reference's.
    fn results(
        &mut self,
        dispatch: &Dispatch,
        execution: &Execution,
        launched: &Launched,
    ) -> Result<Option<(String, u32, Tensor)>, RuntimeError> {
        for (binding, bound) in dispatch.bindings.iter().enumerate() {
            let Bound::Result(n) = bound else { continue };
            let wanted = execution.results.get(*n as usize).and_then(|&v| tensor(&self.module, &self.record, v));
            let Some(wanted) = wanted else { continue };
            let found = Tensor::new(wanted.ty().clone(), launched.read(binding)?)?;
            match compare(&found, &wanted, &self.tolerances, dispatch.accumulates) {
                Ok(errors) => {
                    if self.worst.as_ref().is_none_or(|(known, _)| errors.ulp > known.ulp) {
                        self.worst = Some((errors, launched.kernel));
                    }
                }
                Err(difference) => {
                    return Ok(Some((format!("result {n}, {}: {}", wanted.ty(), difference.text), *n, found)));
                }
            }
            launched.write(binding, wanted.bytes())?;
        }
        Ok(None)
    }

    fn stop(&mut self, finding: Finding) -> RuntimeError {
        self.finding = Some(finding);
        RuntimeError::new(CODE, ErrorKind::Input, "a dispatch differs")
    }
}

impl Observer for Lockstep {
    fn see(&mut self, at: DispatchAt, moment: Moment<'_>) -> Result<(), RuntimeError> {
        let numbers = self.places.get(&at).cloned().unwrap_or_default();
        numbers.into_iter().try_for_each(|number| if self.blind { Ok(()) } else { self.see_one(number, &moment) })
    }
}

impl Lockstep {
    /// What is seen of one dispatch of the record.
    fn see_one(&mut self, number: usize, moment: &Moment<'_>) -> Result<(), RuntimeError> {
        let record = self.record.clone();
        let Some(dispatch) = record.dispatches.get(number) else { return Ok(()) };
        let seen = self.counts.get(number).copied().unwrap_or(0);
        let Some(execution) = dispatch.executions.get(seen) else {
            self.blind = true;
            return Ok(());
        };
        match *moment {
            Moment::Before(launched) => {
                if let Some(what) = self.operands(dispatch, execution, launched)? {
                    let (kernel, found) = (launched.kernel, None);
                    return Err(self.stop(Finding { dispatch: number, execution: seen, kernel, what, found }));
                }
                return Ok(());
            }
            Moment::After(launched) => {
                if let Some((what, result, found)) = self.results(dispatch, execution, launched)? {
                    let (kernel, found) = (launched.kernel, Some((result, found)));
                    return Err(self.stop(Finding { dispatch: number, execution: seen, kernel, what, found }));
                }
            }
            Moment::Skipped => {}
        }
        self.compared += 1;
        if let Some(count) = self.counts.get_mut(number) {
            *count += 1;
        }
        Ok(())
    }
}

/// The error that names a finding; writes its reproducer.
fn failure(module: &Module, record: &Record, finding: &Finding, session: &Session, args: &RunArgs) -> Result<Failure> {
    let kernel = session.program_kernels().get(finding.kernel).map_or("", |k| k.name.as_str());
    let device = session.device().info();
    let missing = || Failure::new(exit::BAD_MODULE, CODE, "the record lacks a dispatch", "");
    let dispatch = record.dispatches.get(finding.dispatch).ok_or_else(missing)?;
    let mut what = format!(
        "dispatch {} of {}, kernel `{kernel}`, differs from the reference on {} ({})\n  ops: {}\n  {}",
        finding.dispatch + 1,
        record.dispatches.len(),
        device.uri(),
        device.name,
        dispatch.ops.join(", "),
        finding.what
    );
    if dispatch.executions.len() > 1 {
        what.push_str(&format!("\n  in execution {} of {}", finding.execution + 1, dispatch.executions.len()));
    }
    if let Some(folder) = &args.reproducer {
        reproducer::write(folder, module, record, dispatch, finding, &what)?;
        what.push_str(&format!("\n  reproducer: fornax verify {}", folder.display()));
    }
    let help = if args.reproducer.is_some() { "" } else { "--reproducer=DIR writes a model of this dispatch alone" };
    Ok(Failure::new(exit::DIFFERENT, CODE, what, help))
}

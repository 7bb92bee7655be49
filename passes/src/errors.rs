//! What a pass can refuse, each with a stable code.

use fornax_graph::{Graph, LocId, OpId, OpKind};

fornax_types::errors! {
    /// Why a pass stopped. `at` is `file:line:column: `, empty where nothing is known.
    #[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
    pub enum PassError {
        #[error("FX0301: {at}`{op}` is not supported: {why}")]
        Unsupported { op: String, at: String, why: String } = FX0301 "op not supported":
            "rewrite the model without this op, or export it in another form";
        #[error("FX0302: {at}function `@{function}` calls itself; StableHLO has no recursion, use `stablehlo.while`")]
        Recursion { function: String, at: String } = FX0302 "recursive call":
            "StableHLO has no recursion: use `stablehlo.while`";
        #[error("FX0303: {at}the model has more than {limit} ops after inlining")]
        TooManyOps { at: String, limit: usize } = FX0303 "model too large after inlining":
            "raise the limit, or split the model";
        #[error("FX0304: {at}`@{function}` is called but has no body in this module")]
        NoBody { function: String, at: String } = FX0304 "call of a function without a body":
            "put the function's definition in the same module";
        #[error("FX0305: {at}{why}")]
        Sizes { at: String, why: String } = FX0305 "sizes that never fit":
            "correct the model: two sizes that must be equal differ whatever the inputs are, or a value that a loop \
             carries grows without a bound";
        #[error("FX0306: {at}`{op}`: {what} cannot be worked out from the sizes of the arguments")]
        UnknownSize { op: String, at: String, what: String } = FX0306 "size that cannot be worked out":
            "compute shapes with integer arithmetic; what a loop computes from its state needs a bound, \
             `#stablehlo.bounds<N>`";
        #[error("FX0307: {at}custom call `@{target}` {why}; {}", help("FX0307"))]
        CustomCall { target: String, at: String, why: String } = FX0307 "custom call not known":
            "export the model for another platform (CPU, GPU and TPU exports differ), or replace the call by ops";
        #[error("FX0308: {at}`{op}` on channel {channel} {why}; {}", help("FX0308"))]
        Channel { op: String, at: String, channel: i64, why: String } = FX0308 "half of a channel that does not fit":
            "a channel has one `send` and one `recv`, in one block, of the same types and with the same \
             `source_target_pairs`";
        #[error("FX0309: {at}devices that wait for each other for ever: {why}; {}", help("FX0309"))]
        Deadlock { at: String, why: String } = FX0309 "devices wait for each other for ever":
            "leave out one of the pairs that close the cycle, or send what does not depend on what is received, \
             with a token from before the `recv`";
        /// `--schedule` demands what the kernel cannot have.
        #[error(
            "FX0320: {at}NoScheduleFound: the kernel of this op has no schedule `{demand}` on {target}\n  \
             tried: {tried}\n  limits of {target}: {limits}\n  help: {}",
            help("FX0320")
        )]
        NoSchedule { at: String, demand: String, target: String, tried: String, limits: String } =
            FX0320 "no schedule of the demanded name (NoScheduleFound)":
            "demand one that the message lists, leave --schedule out, or compile for the processor with --target=cpu";
        /// A broken invariant: ours.
        #[error("FX0901: {at}internal: {why}; this is a bug in Fornax, please report it with the model")]
        Internal { at: String, why: String } = FX0901 "internal error":
            "a bug in Fornax: please report it with the model";
        #[error("FX0981: {at}malformed `{op}`: {why}")]
        Malformed { op: String, at: String, why: String } = FX0981 "malformed op":
            "a bug in Fornax: the verifier let an op through that a pass cannot read; please report it";
        | /// Fusion, scheduling: no kernel can be made of the op (FX0311–FX0315).
        #[error("{code}: {at}`{op}` {why}; {help}")]
        NoKernel { code: &'static str, op: String, at: String, why: String, help: &'static str } = code => code;
        | /// The caller asked for something that the model does not have (FX0316 to FX0318).
        #[error("{code}: {why}; {help}")]
        Request { code: &'static str, why: String, help: &'static str } = code => code;
    }
    FX0311 "op has no kernel": "rewrite the model without the op, or wait for its emitter";
    FX0312 "element type has no kernels": "convert the tensors to a float or integer type";
    FX0313 "size known only at run time": "export the model with static shapes";
    FX0314 "tensor too large": "keep every tensor under 2^46 bytes and every launch inside the target's grid";
    FX0315 "form of the op has no kernel": "rewrite the op as the message says";
    FX0316 "no such function": "name one of the functions that the message lists";
    FX0317 "argument cannot be a parameter": "give argument numbers that the function has, each once";
    FX0318 "no such pass": "`fornax compile --print-passes` lists them";
}

impl PassError {
    pub fn unsupported(graph: &Graph, op: OpId, why: impl Into<String>) -> PassError {
        PassError::Unsupported { op: op_name(graph, op), at: place(graph, graph.op(op).location), why: why.into() }
    }

    /// A `send` or a `recv` that does not fit the other one.
    pub fn channel(graph: &Graph, op: OpId, channel: i64, why: impl Into<String>) -> PassError {
        let at = place(graph, graph.op(op).location);
        PassError::Channel { op: op_name(graph, op), at, channel, why: why.into() }
    }

    /// A custom call that has no expansion.
    pub fn custom_call(graph: &Graph, op: OpId, target: &str, why: String) -> PassError {
        PassError::CustomCall { target: target.to_string(), at: place(graph, graph.op(op).location), why }
    }

    /// An op that no kernel can be made of; `code` is a row of [`ERROR_CODES`], whose advice becomes the help.
    pub fn no_kernel(graph: &Graph, op: OpId, code: &'static str, why: impl Into<String>) -> PassError {
        let at = place(graph, graph.op(op).location);
        PassError::NoKernel { code, op: op_name(graph, op), at, why: why.into(), help: help(code) }
    }

    pub fn request(code: &'static str, why: impl Into<String>) -> PassError {
        PassError::Request { code, why: why.into(), help: help(code) }
    }

    pub fn internal(graph: &Graph, op: OpId, why: impl Into<String>) -> PassError {
        PassError::Internal { at: place(graph, graph.op(op).location), why: why.into() }
    }

    /// An internal error that is about no op.
    pub fn broken(why: impl Into<String>) -> PassError {
        PassError::Internal { at: String::new(), why: why.into() }
    }

    pub fn malformed(graph: &Graph, op: OpId, why: impl Into<String>) -> PassError {
        PassError::Malformed { op: op_name(graph, op), at: place(graph, graph.op(op).location), why: why.into() }
    }
}

fn help(code: &str) -> &'static str {
    fornax_types::errors::help(ERROR_CODES, code)
}

fn op_name(graph: &Graph, op: OpId) -> String {
    let op = graph.op(op);
    if op.kind == OpKind::Unregistered { op.name.clone() } else { op.kind.name().into() }
}

/// `file:line:column: `, or nothing when the place is unknown.
pub fn place(graph: &Graph, location: LocId) -> String {
    let at = graph.locations.get(location);
    match at.line {
        0 => String::new(),
        line => format!("{}:{}:{}: ", graph.locations.file, line, at.column),
    }
}

/// Refuses a graph that a pass left in a form that the verifier does not allow.
///
/// # Errors
/// FX0981
pub fn verify_after(graph: &Graph, pass: &str) -> Result<(), PassError> {
    match fornax_graph::verify::verify_up_to(graph, 1).first() {
        Some(error) => Err(PassError::Malformed {
            op: format!("pass {pass}"),
            at: error.op.map(|op| place(graph, graph.op(op).location)).unwrap_or_default(),
            why: error.to_string(),
        }),
        None => Ok(()),
    }
}

//! Models made of messages, evaluated by the reference, and broken ones.

mod classical;
mod fused;

use fornax_reference::{Limits, Scalar, Tensor, evaluate};
use prost::Message;
use prost::bytes::Bytes;

use super::proto::*;
use super::{FixedInput, FixedSize, OnnxOptions, SequenceLength, to_graph};

const F32: i32 = 1;
const I64: i32 = 7;
const I1: i32 = 9;

/// A size that has a name, or a number.
fn dim(text: &str) -> DimensionProto {
    match text.parse() {
        Ok(size) => DimensionProto { dim_value: Some(size), dim_param: None },
        Err(_) => DimensionProto { dim_value: None, dim_param: Some(text.into()) },
    }
}

fn tensor_type(elem_type: i32, sizes: &[&str]) -> TypeProto {
    let shape = TensorShapeProto { dim: sizes.iter().map(|s| dim(s)).collect() };
    TypeProto { tensor_type: Some(TensorTypeProto { elem_type, shape: Some(shape) }), ..TypeProto::default() }
}

fn info(name: &str, elem_type: i32, sizes: &[&str]) -> ValueInfoProto {
    ValueInfoProto { name: name.into(), r#type: Some(tensor_type(elem_type, sizes)) }
}

fn output(name: &str) -> ValueInfoProto {
    ValueInfoProto { name: name.into(), r#type: None }
}

fn node(op: &str, input: &[&str], output: &[&str]) -> NodeProto {
    let names = |list: &[&str]| list.iter().map(|s| (*s).to_string()).collect();
    NodeProto {
        op_type: op.into(),
        name: format!("{op}_1"),
        input: names(input),
        output: names(output),
        ..Default::default()
    }
}

fn with(mut node: NodeProto, name: &str, fill: impl FnOnce(&mut AttributeProto)) -> NodeProto {
    let mut attribute = AttributeProto { name: name.into(), ..Default::default() };
    fill(&mut attribute);
    node.attribute.push(attribute);
    node
}

fn int(node: NodeProto, name: &str, value: i64) -> NodeProto {
    with(node, name, |a| a.i = value)
}

fn i64s(name: &str, dims: &[i64], numbers: &[i64]) -> TensorProto {
    TensorProto {
        name: name.into(),
        dims: dims.into(),
        data_type: I64,
        int64_data: numbers.into(),
        ..Default::default()
    }
}

fn f32s(name: &str, dims: &[i64], numbers: &[f32]) -> TensorProto {
    let raw: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
    TensorProto {
        name: name.into(),
        dims: dims.into(),
        data_type: F32,
        raw_data: Some(Bytes::from(raw)),
        ..Default::default()
    }
}

/// A model of opset 17.
fn model(graph: GraphProto) -> ModelProto {
    let set = |domain: &str, version| OperatorSetIdProto { domain: domain.into(), version };
    ModelProto {
        ir_version: 8,
        opset_import: vec![set("", 17), set("com.microsoft", 1), set("local", 1)],
        graph: Some(graph),
        ..Default::default()
    }
}

fn graph(nodes: &[NodeProto], inputs: &[ValueInfoProto], outputs: &[&str]) -> GraphProto {
    GraphProto {
        node: nodes.to_vec(),
        input: inputs.to_vec(),
        output: outputs.iter().map(|name| output(name)).collect(),
        ..Default::default()
    }
}

fn run_with(model: &ModelProto, inputs: &[Tensor], how: &OnnxOptions) -> Result<Vec<Tensor>, String> {
    let graph = to_graph(&model.encode_to_vec(), "m.onnx", how).map_err(|d| format!("{} {}", d.code, d.message))?;
    let errors = fornax_graph::verify(&graph);
    assert!(errors.is_empty(), "{errors:?}");
    evaluate(&graph, "main", inputs, &Limits::default()).map_err(|e| e.to_string())
}

fn run(model: &ModelProto, inputs: &[Tensor]) -> Result<Vec<Tensor>, String> {
    run_with(model, inputs, &OnnxOptions::default())
}

fn floats(shape: &[usize], numbers: &[f64]) -> Tensor {
    Tensor::from_scalars(shape, fornax_graph::ElementType::F32, numbers.iter().map(|&x| Scalar::Float(x)))
}

fn ints(shape: &[usize], numbers: &[i64]) -> Tensor {
    Tensor::from_scalars(shape, fornax_graph::ElementType::I64, numbers.iter().map(|&x| Scalar::Int(x.into())))
}

fn numbers(tensor: &Tensor) -> Vec<f64> {
    tensor.scalars().into_iter().map(Scalar::as_f64).collect()
}

#[test]
fn a_product_with_weights_and_a_size_of_run_time() {
    let mut g = graph(
        &[node("Gemm", &["x", "w", "b"], &["h"]), node("Relu", &["h"], &["y"])],
        &[info("x", F32, &["batch", "2"])],
        &["y"],
    );
    g.initializer = vec![f32s("w", &[2, 3], &[1.0, 0.0, 2.0, 0.0, 1.0, -1.0]), f32s("b", &[3], &[0.5, 0.0, 0.0])];
    let y = run(&model(g), &[floats(&[2, 2], &[1.0, 2.0, 3.0, -4.0])]).unwrap();
    assert_eq!(y[0].shape(), [2, 3]);
    assert_eq!(numbers(&y[0]), [1.5, 2.0, 0.0, 3.5, 0.0, 10.0]);
}

#[test]
fn shapes_that_are_computed_are_known() {
    // Reshape(x, Concat(Gather(Shape(x), 0), [-1])) keeps the first size and joins the others.
    let mut g = graph(
        &[
            node("Shape", &["x"], &["s"]),
            node("Gather", &["s", "zero"], &["n"]),
            node("Unsqueeze", &["n", "axes"], &["n1"]),
            int(node("Concat", &["n1", "rest"], &["shape"]), "axis", 0),
            node("Reshape", &["x", "shape"], &["y"]),
        ],
        &[info("x", F32, &["batch", "2", "3"])],
        &["y"],
    );
    g.initializer = vec![i64s("zero", &[], &[0]), i64s("axes", &[1], &[0]), i64s("rest", &[1], &[-1])];
    let x = floats(&[2, 2, 3], &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0]);
    let y = run(&model(g), &[x]).unwrap();
    assert_eq!(y[0].shape(), [2, 6]);
}

/// `1 - max(0, 1 - n)` is 1 for every n but 0.
#[test]
fn a_size_of_run_time_that_is_at_most_one_is_stretched() {
    let mut inner = graph(
        &[
            node("Shape", &["x"], &["n"]),
            node("Sub", &["one", "n"], &["less"]),
            node("Max", &["less", "zero"], &["start"]),
            node("Slice", &["a", "start", "end"], &["part"]),
            node("Add", &["x", "part"], &["y"]),
            node("Mul", &["part", "x"], &["z"]),
        ],
        &[info("x", F32, &["n"])],
        &["y", "z"],
    );
    inner.initializer =
        vec![i64s("one", &[1], &[1]), i64s("zero", &[1], &[0]), i64s("end", &[1], &[9]), f32s("a", &[1], &[10.0])];
    let model = model(inner);
    let found = run(&model, &[floats(&[3], &[1.0, 2.0, 3.0])]).unwrap();
    assert_eq!(numbers(&found[0]), [11.0, 12.0, 13.0]);
    assert_eq!(numbers(&found[1]), [10.0, 20.0, 30.0]);
    assert_eq!(numbers(&run(&model, &[floats(&[1], &[1.0])]).unwrap()[0]), [11.0]);
}

#[test]
fn functions_of_the_model_take_attributes_of_the_call() {
    let scaled = with(node("LeakyRelu", &["a"], &["r"]), "alpha", |a| a.ref_attr_name = "slope".into());
    let function = FunctionProto {
        name: "Slope".into(),
        domain: "local".into(),
        input: vec!["a".into()],
        output: vec!["r".into()],
        node: vec![scaled],
        opset_import: vec![OperatorSetIdProto { domain: String::new(), version: 17 }],
        ..Default::default()
    };
    let mut call = with(node("Slope", &["x"], &["y"]), "slope", |a| a.f = 0.25);
    call.domain = "local".into();
    let mut m = model(graph(&[call], &[info("x", F32, &["2"])], &["y"]));
    m.functions = vec![function];
    assert_eq!(numbers(&run(&m, &[floats(&[2], &[-4.0, 4.0])]).unwrap()[0]), [-1.0, 4.0]);
    // One that calls itself ends.
    m.functions[0].node = vec![NodeProto { domain: "local".into(), ..node("Slope", &["a"], &["r"]) }];
    assert!(run(&m, &[]).unwrap_err().starts_with("FX1024"));
}

#[test]
fn branches_and_loops() {
    let then = graph(&[node("Neg", &["x"], &["t"])], &[], &["t"]);
    let other = graph(&[node("Identity", &["x"], &["e"])], &[], &["e"]);
    let choice = with(node("If", &["which"], &["c"]), "then_branch", |a| a.g = Some(then));
    let choice = with(choice, "else_branch", |a| a.g = Some(other));
    // The sum of x and the round's number, ten times; every sum is collected.
    let body = graph(
        &[
            with(node("Cast", &["i"], &["f"]), "to", |a| a.i = F32.into()),
            node("Add", &["state", "f"], &["next"]),
            node("Identity", &["on"], &["on2"]),
            node("Identity", &["next"], &["row"]),
        ],
        &[info("i", I64, &[]), info("on", I1, &[]), info("state", F32, &["2"])],
        &["on2", "next", "row"],
    );
    let rounds = with(node("Loop", &["n", "", "c"], &["y", "rows"]), "body", |a| a.g = Some(body));
    let mut g = graph(&[choice, rounds], &[info("which", I1, &[]), info("x", F32, &["2"])], &["y", "rows"]);
    g.initializer = vec![i64s("n", &[], &[10])];
    let which = |on: bool| Tensor::from_scalars(&[], fornax_graph::ElementType::I1, [Scalar::Int(on.into())]);
    let y = run(&model(g.clone()), &[which(true), floats(&[2], &[1.0, 2.0])]).unwrap();
    assert_eq!(numbers(&y[0]), [44.0, 43.0]);
    assert_eq!(y[1].shape(), [10, 2]);
    assert_eq!(numbers(&y[1])[18..], [44.0, 43.0]);
    let y = run(&model(g), &[which(false), floats(&[2], &[1.0, 2.0])]).unwrap();
    assert_eq!(numbers(&y[0]), [46.0, 47.0]);
}

#[test]
fn what_is_said_of_inputs() {
    let g = graph(
        &[node("ReduceSum", &["x", "axes"], &["y"])],
        &[info("x", F32, &["n", "2"]), info("axes", I64, &["k"])],
        &["y"],
    );
    let x = floats(&[3, 2], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let said = run(&model(g.clone()), &[x.clone(), ints(&[1], &[0])]).unwrap_err();
    assert!(said.starts_with("FX1025") && said.contains("\"axes\""), "{said}");
    let mut how = OnnxOptions { fixed_inputs: vec![FixedInput::parse("axes=0").unwrap()], ..Default::default() };
    assert_eq!(numbers(&run_with(&model(g.clone()), std::slice::from_ref(&x), &how).unwrap()[0]), [9.0, 12.0]);
    how.fixed_sizes = vec![FixedSize::parse("n=3").unwrap()];
    assert_eq!(numbers(&run_with(&model(g.clone()), &[x], &how).unwrap()[0]), [9.0, 12.0]);
    how.fixed_sizes = vec![FixedSize::parse("m=3").unwrap()];
    assert!(run_with(&model(g), &[], &how).unwrap_err().starts_with("FX1027"));
    // A sequence of two.
    let element = ElementTypeProto { elem_type: Some(Box::new(tensor_type(F32, &["2"]))) };
    let ty = TypeProto { sequence_type: Some(Box::new(element)), ..Default::default() };
    let list = ValueInfoProto { name: "list".into(), r#type: Some(ty) };
    let g = graph(&[int(node("ConcatFromSequence", &["list"], &["y"]), "axis", 0)], &[list], &["y"]);
    let how = OnnxOptions { sequence_lengths: vec![SequenceLength::parse("list=2").unwrap()], ..Default::default() };
    let y = run_with(&model(g), &[floats(&[2], &[1.0, 2.0]), floats(&[2], &[3.0, 4.0])], &how).unwrap();
    assert_eq!(numbers(&y[0]), [1.0, 2.0, 3.0, 4.0]);
}

#[test]
fn an_open_size_is_split_by_a_list() {
    let inputs = [info("x", F32, &["n"]), info("parts", I64, &["3"])];
    let g = graph(&[node("SplitToSequence", &["x", "parts"], &["y"])], &inputs, &["y"]);
    let x = floats(&[4], &[1.0, 2.0, 3.0, 4.0]);
    let parts =
        |how: &str| OnnxOptions { fixed_inputs: FixedInput::parse(how).into_iter().collect(), ..Default::default() };
    let y = run_with(&model(g), std::slice::from_ref(&x), &parts("parts=1,0,3")).unwrap();
    assert_eq!(y.iter().map(numbers).collect::<Vec<_>>(), [vec![1.0], vec![], vec![2.0, 3.0, 4.0]]);
    // The number of parts hangs on the size.
    let g = graph(&[node("SplitToSequence", &["x"], &["y"])], &inputs[..1], &["y"]);
    assert!(run(&model(g), &[x]).unwrap_err().starts_with("FX1025"));
}

#[test]
fn data_in_another_file_lies_in_the_model_s_folder() {
    let folder = tempfile::tempdir().unwrap();
    let data: Vec<u8> = [9.0f32, 1.0, 2.0].iter().flat_map(|x| x.to_le_bytes()).collect();
    std::fs::write(folder.path().join("w.bin"), data).unwrap();
    std::fs::create_dir(folder.path().join("inner")).unwrap();
    let path = folder.path().join("inner/m.onnx");
    std::os::unix::fs::symlink(folder.path().join("w.bin"), folder.path().join("inner/link.bin")).unwrap();
    std::fs::copy(folder.path().join("w.bin"), folder.path().join("inner/w.bin")).unwrap();
    let read = |location: &str, offset: &str, length: &str| {
        let entry = |key: &str, value: &str| StringStringEntryProto { key: key.into(), value: value.into() };
        let mut weight = f32s("w", &[2], &[]);
        weight.raw_data = None;
        weight.data_location = 1;
        weight.external_data = vec![entry("location", location), entry("offset", offset), entry("length", length)];
        let mut g = graph(&[node("Add", &["x", "w"], &["y"])], &[info("x", F32, &["2"])], &["y"]);
        g.initializer = vec![weight];
        let bytes = model(g).encode_to_vec();
        std::fs::write(&path, &bytes).unwrap();
        let graph =
            to_graph(&bytes, path.to_str().unwrap(), &OnnxOptions::default()).map_err(|d| d.code.to_string())?;
        let y = evaluate(&graph, "main", &[floats(&[2], &[1.0, 1.0])], &Limits::default()).unwrap();
        Ok(numbers(&y[0]))
    };
    assert_eq!(read("w.bin", "4", "8"), Ok(vec![2.0, 3.0]));
    for (location, offset, length) in [
        ("../w.bin", "4", "8"),
        ("link.bin", "4", "8"),
        ("/etc/passwd", "0", "8"),
        ("w.bin", "8", "8"),
        ("w.bin", "18446744073709551615", "8"),
        ("w.bin", "x", "8"),
        ("w.bin", "0", "12"),
        ("none.bin", "0", "8"),
        ("", "0", "8"),
    ] {
        assert_eq!(read(location, offset, length), Err("FX1026".to_string()), "{location} {offset} {length}");
    }
}

#[test]
fn broken_models_are_errors_with_codes() {
    let x = || vec![info("x", F32, &["2"])];
    let plain = graph(&[node("Neg", &["x"], &["y"])], &x(), &["y"]);
    let code = |m: &ModelProto| run(m, &[]).unwrap_err()[..6].to_string();
    let of = |g: GraphProto| code(&model(g));
    assert_eq!(of(graph(&[node("Neg", &["z"], &["y"])], &x(), &["y"])), "FX1024");
    assert_eq!(of(graph(&[node("Add", &["x", "b"], &["a"]), node("Neg", &["a"], &["b"])], &x(), &["b"])), "FX1024");
    assert_eq!(of(graph(&[node("Negg", &["x"], &["y"])], &x(), &["y"])), "FX1022");
    assert_eq!(of(graph(&[node("Neg", &[], &["y"])], &x(), &["y"])), "FX1024");
    assert_eq!(of(graph(&[node("Neg", &["x"], &["y"])], &[info("x", 8, &["2"])], &["y"])), "FX1023");
    assert_eq!(of(graph(&[node("Neg", &["x"], &["y"])], &[info("x", 99, &["2"])], &["y"])), "FX1024");
    assert_eq!(of(graph(&[int(node("Softmax", &["x"], &["y"]), "axis", 7)], &x(), &["y"])), "FX1024");
    for (dims, data) in [(vec![3i64], 2usize), (vec![-1], 1), (vec![i64::MAX, 8], 1), (vec![1 << 40], 1)] {
        let mut g = graph(&[node("Neg", &["w"], &["y"])], &x(), &["y"]);
        g.initializer = vec![f32s("w", &dims, &vec![0.0; data])];
        assert_eq!(of(g), "FX1024", "{dims:?}");
    }
    let mut m = model(plain.clone());
    m.opset_import[0].version = 99;
    assert_eq!(code(&m), "FX1022");
    m.graph = None;
    m.opset_import[0].version = 17;
    assert_eq!(code(&m), "FX1024");
    // Cut off anywhere, or with a byte changed, a file is an error or another model.
    let bytes = model(plain).encode_to_vec();
    for end in 0..bytes.len() {
        let _ = to_graph(&bytes[..end], "m.onnx", &OnnxOptions::default());
        for flip in [0x01, 0x80, 0xff] {
            let mut broken = bytes.clone();
            broken[end] ^= flip;
            let _ = to_graph(&broken, "m.onnx", &OnnxOptions::default());
        }
    }
    let cut = to_graph(&bytes[..bytes.len() - 3], "m.onnx", &OnnxOptions::default());
    assert_eq!(cut.unwrap_err().code, "FX1021");
}

#[test]
fn nodes_that_stand_before_what_they_read() {
    let branch = |name: &str| graph(&[node("Neg", &[name], &["n"])], &[], &["n"]);
    let choice = with(node("If", &["which"], &["z"]), "then_branch", |a| a.g = Some(branch("y")));
    let choice = with(choice, "else_branch", |a| a.g = Some(branch("x")));
    let nodes = [choice, node("Abs", &["y"], &["w"]), node("Neg", &["x"], &["y"])];
    let made = model(graph(&nodes, &[info("x", F32, &["2"]), info("which", I1, &[])], &["z", "w"]));
    let yes = Tensor::from_scalars(&[], fornax_graph::ElementType::I1, [Scalar::Int(1)]);
    let found = run(&made, &[floats(&[2], &[1.0, 2.0]), yes]).unwrap();
    assert_eq!((numbers(&found[0]), numbers(&found[1])), (vec![1.0, 2.0], vec![1.0, 2.0]));
    let circle = [node("Abs", &["y"], &["x"]), node("Neg", &["x"], &["y"])];
    assert!(run(&model(graph(&circle, &[], &["y"])), &[]).unwrap_err().starts_with("FX1024"));
}

#[test]
fn graphs_within_graphs_end() {
    let mut inner = graph(&[node("Identity", &["x"], &["y"])], &[], &["y"]);
    for _ in 0..40 {
        let choice = with(node("If", &["which"], &["y"]), "then_branch", |a| a.g = Some(inner.clone()));
        inner = graph(
            &[with(choice, "else_branch", |a| a.g = Some(graph(&[node("Neg", &["x"], &["y"])], &[], &["y"])))],
            &[],
            &["y"],
        );
    }
    inner.input = vec![info("which", I1, &[]), info("x", F32, &["2"])];
    let said = to_graph(&model(inner).encode_to_vec(), "m.onnx", &OnnxOptions::default());
    assert!(said.is_err_and(|d| d.code == "FX1021" || d.code == "FX1024"));
}

/// A node of `com.microsoft`.
fn contrib(op: &str, input: &[&str], output: &[&str]) -> NodeProto {
    NodeProto { domain: "com.microsoft".into(), ..node(op, input, output) }
}

/// Numbers that differ from each other.
fn spread(shape: &[usize], seed: u64) -> Tensor {
    let count = shape.iter().product::<usize>() as u64;
    let numbers: Vec<f64> = (0..count).map(|at| ((at * 37 + seed * 11) % 23) as f64 / 10.0 - 1.0).collect();
    floats(shape, &numbers)
}

fn near(found: &[f64], wanted: &[f64]) {
    assert_eq!(found.len(), wanted.len());
    let far = found.iter().zip(wanted).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(far < 1e-5, "{far}");
}

/// A region that is data cuts out what the same numbers in the file do; beyond the image is the value for it.
#[test]
fn a_region_of_run_time_is_cut_out() {
    let image = || f32s("x", &[1, 1, 3, 4], &(0..12).map(|at| (at * at) as f32).collect::<Vec<_>>());
    let region = [0.0, 0.0, 0.25, -0.1, 1.0, 1.0, 0.75, 0.9_f32];
    for (mode, high) in [("linear", 4), ("nearest", 2), ("linear", 1)] {
        let resize = || {
            let node = node("Resize", &["x", "roi", "", "sizes"], &["y"]);
            let node = with(node, "mode", |a| a.s = Bytes::from(mode));
            let node = with(node, "coordinate_transformation_mode", |a| a.s = Bytes::from("tf_crop_and_resize"));
            with(node, "extrapolation_value", |a| a.f = -7.0)
        };
        let sizes = || i64s("sizes", &[4], &[1, 1, high, 5]);
        let mut known = graph(&[resize()], &[], &["y"]);
        known.initializer = vec![image(), sizes(), f32s("roi", &[8], &region)];
        let wanted = numbers(&run(&model(known), &[]).unwrap()[0]);
        assert!(wanted.contains(&-7.0), "{wanted:?}");
        let mut open = graph(&[resize()], &[info("roi", F32, &["8"])], &["y"]);
        open.initializer = vec![image(), sizes()];
        let found = numbers(&run(&model(open), &[floats(&[8], &region.map(f64::from))]).unwrap()[0]);
        let far = found.iter().zip(&wanted).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(found.len() == wanted.len() && far < 1e-4, "{found:?} {wanted:?}");
    }
}

/// Two tokens, then one with what the first call left, are as three at once.
#[test]
fn attention_goes_on_from_its_past() {
    let attention =
        |input: &[&str]| int(int(contrib("Attention", input, &["y", "now"]), "num_heads", 2), "unidirectional", 1);
    let (w, b) = (spread(&[4, 12], 1), spread(&[12], 2));
    let x = spread(&[1, 3, 4], 3);
    let weights = [info("w", F32, &["4", "12"]), info("b", F32, &["12"])];
    let first = |tokens: &str| {
        let inputs = [&[info("x", F32, &["1", tokens, "4"])], &weights[..]].concat();
        model(graph(&[attention(&["x", "w", "b"])], &inputs, &["y", "now"]))
    };
    let all = run(&first("3"), &[x.clone(), w.clone(), b.clone()]).unwrap();
    let values = numbers(&x);
    let two = run(&first("2"), &[floats(&[1, 2, 4], &values[..8]), w.clone(), b.clone()]).unwrap();
    assert_eq!(two[1].shape(), [2, 1, 2, 2, 2]);
    let inputs =
        [&[info("x", F32, &["1", "1", "4"])], &weights[..], &[info("past", F32, &["2", "1", "2", "before", "2"])]]
            .concat();
    let next = model(graph(&[attention(&["x", "w", "b", "", "past"])], &inputs, &["y", "now"]));
    let last = run(&next, &[floats(&[1, 1, 4], &values[8..]), w, b, two[1].clone()]).unwrap();
    assert_eq!(last[1].shape(), [2, 1, 2, 3, 2]);
    near(&numbers(&last[0]), &numbers(&all[0])[8..]);
    near(&numbers(&last[1]), &numbers(&all[1]));
}

/// Keys and values beside each other are as apart; earlier heads need no bias.
#[test]
fn packed_keys_and_values() {
    let attention = |input: &[&str]| int(contrib("MultiHeadAttention", input, &["y"]), "num_heads", 1);
    let (q, k, v) = (spread(&[1, 2, 2], 1), spread(&[1, 3, 2], 2), spread(&[1, 3, 2], 3));
    let rows = |name, length| info(name, F32, &["1", length, "2"]);
    let apart = graph(&[attention(&["q", "k", "v"])], &[rows("q", "2"), rows("k", "3"), rows("v", "3")], &["y"]);
    let wanted = run(&model(apart), &[q.clone(), k.clone(), v.clone()]).unwrap();
    let (k, v) = (numbers(&k), numbers(&v));
    let beside: Vec<f64> = (0..3).flat_map(|at| [&k[2 * at..2 * at + 2], &v[2 * at..2 * at + 2]].concat()).collect();
    let packed = [rows("q", "2"), info("kv", F32, &["1", "3", "1", "2", "2"])];
    let found = run(
        &model(graph(&[attention(&["q", "kv"])], &packed, &["y"])),
        &[q.clone(), floats(&[1, 3, 1, 2, 2], &beside)],
    );
    near(&numbers(&found.unwrap()[0]), &numbers(&wanted[0]));
    let before = [rows("q", "2"), info("k", F32, &["1", "1", "3", "2"]), info("v", F32, &["1", "1", "3", "2"])];
    let found = run(
        &model(graph(&[attention(&["q", "k", "v"])], &before, &["y"])),
        &[q, floats(&[1, 1, 3, 2], &k), floats(&[1, 1, 3, 2], &v)],
    );
    near(&numbers(&found.unwrap()[0]), &numbers(&wanted[0]));
}

/// A sink takes weight and gives nothing: of equal scores of 0, a sink of 0 takes one part of three.
#[test]
fn sinks_take_a_part_of_the_weights() {
    let zeros = floats(&[1, 2, 2], &[0.0; 4]);
    let ones = floats(&[1, 2, 2], &[1.0; 4]);
    let rows = |name| info(name, F32, &["1", "2", "2"]);
    let inputs = [rows("q"), rows("k"), rows("v"), info("lengths", I64, &["1"]), info("total", I64, &["1"])];
    let counts = [ints(&[1], &[1]), ints(&[1], &[2])];
    let call = |order: &[&str], more: &[ValueInfoProto], last: Option<Tensor>, smooth| {
        let op = contrib("GroupQueryAttention", order, &["y", "k2", "v2"]);
        let op = int(int(int(op, "num_heads", 1), "kv_num_heads", 1), "smooth_softmax", smooth);
        let given = [zeros.clone(), zeros.clone(), ones.clone()].into_iter().chain(counts.clone()).chain(last);
        let made = model(graph(&[op], &[&inputs[..], more].concat(), &["y"]));
        numbers(&run(&made, &given.collect::<Vec<_>>()).unwrap()[0])
    };
    let order = ["q", "k", "v", "", "", "lengths", "total"];
    near(&call(&order, &[], None, 0), &[1.0; 4]);
    let parts = [0.5, 0.5, 2.0 / 3.0, 2.0 / 3.0];
    near(&call(&order, &[], None, 1), &parts);
    let with = [&order[..], &["", "", "", "", "sink"]].concat();
    near(&call(&with, &[info("sink", F32, &["1"])], Some(floats(&[1], &[0.0])), 0), &parts);
}

//! The expanded graph computes what the reference evaluator computes on the complex one.

use fornax_graph::{ElementType, Graph, TensorType};
use fornax_reference::{Complex, Scalar, Tensor, evaluate};

use crate::example::{import, print, reimport};
use super::edges::interleaved_type;
use super::{is_complex_op, run};
use crate::simplify::{Options, each_op, simplify};

const NAN: f64 = f64::NAN;
const INF: f64 = f64::INFINITY;

/// Parts whose pairs meet every special case; the large ones square to something that f32 cannot hold.
const SPECIAL: &[f64] =
    &[0.0, -0.0, 1.0, -1.0, 0.5, -2.0, 1e-3, -0.7075, 0.706, 3.25, -40.0, 1e-30, -1e25, INF, -INF, NAN];

/// Pseudo-random numbers of magnitudes around 1, both signs.
fn noise(count: usize, seed: u64) -> Vec<f64> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    (0..count).map(|_| (next() - 0.5) * (next() * 6.0).exp2()).collect()
}

fn complex(shape: &[usize], element: ElementType, parts: &[(f64, f64)]) -> Tensor {
    Tensor::from_scalars(shape, element, parts.iter().map(|&(re, im)| Scalar::Complex(Complex::new(re, im))))
}

fn noisy(shape: &[usize], element: ElementType, seed: u64) -> Tensor {
    let count = shape.iter().product();
    let parts: Vec<_> = noise(count, seed).into_iter().zip(noise(count, seed + 100)).collect();
    complex(shape, element, &parts)
}

/// The same bytes under the type that the argument has after the pass.
fn as_argument(tensor: &Tensor) -> Tensor {
    let ty = if tensor.ty.element.is_complex() { interleaved_type(&tensor.ty) } else { tensor.ty.clone() };
    Tensor { ty, bytes: tensor.bytes.clone() }
}

fn has_complex_ops(graph: &Graph) -> bool {
    let mut found = false;
    each_op(graph, &mut |id| found |= is_complex_op(graph, id));
    found
}

/// Expands the model, evaluates it before and after, and hands corresponding results to `compare`.
fn compare(text: &str, inputs: &[Tensor], compare: &dyn Fn(usize, Scalar, Scalar)) {
    let mut graph = import(text);
    let wanted = evaluate(&graph, "main", inputs, &Default::default()).unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert!(run(&mut graph, &Options::default()).unwrap_or_else(|e| panic!("{e}\n{text}")), "{text}");
    assert!(!has_complex_ops(&graph), "{}", print(&graph));
    reimport(&graph);
    assert!(!run(&mut graph, &Options::default()).unwrap());
    let arguments: Vec<Tensor> = inputs.iter().map(as_argument).collect();
    let found = evaluate(&graph, "main", &arguments, &Default::default());
    let found = found.unwrap_or_else(|e| panic!("{e}\n{}", print(&graph)));
    assert_eq!(wanted.len(), found.len());
    for (wanted, found) in wanted.iter().zip(found) {
        let found = Tensor { ty: wanted.ty.clone(), bytes: found.bytes };
        assert_eq!(found.ty.bytes(), Some(found.bytes.len() as u64), "{text}");
        wanted.scalars().into_iter().zip(found.scalars()).enumerate().for_each(|(at, (w, f))| compare(at, w, f));
    }
}

fn same_bits(text: &str, inputs: &[Tensor]) {
    compare(text, inputs, &|at, wanted, found| {
        let key = |s: Scalar| (s.as_complex().re.to_bits(), s.as_complex().im.to_bits());
        assert_eq!(key(wanted), key(found), "element {at} of\n{text}");
    });
}

/// Parts may differ by `tolerance` of the number's magnitude; NaN, infinities and signs of zeros must agree.
fn close(text: &str, inputs: &[Tensor], tolerance: f64) {
    compare(text, inputs, &|at, wanted, found| {
        let (w, f) = (wanted.as_complex(), found.as_complex());
        let size = [w.re, w.im].iter().filter(|x| x.is_finite()).fold(0.0, |a: f64, x| a.max(x.abs()));
        for (w, f) in [(w.re, f.re), (w.im, f.im)] {
            let zeros = w == 0.0 && f == 0.0 && w.is_sign_negative() == f.is_sign_negative();
            let same = w.is_nan() && f.is_nan() || w == f && w != 0.0 || zeros;
            let near = (w - f).abs() <= size * tolerance && w != f;
            let operand = inputs.iter().map(|t| t.get(at)).collect::<Vec<_>>();
            assert!(same || near, "element {at}: wanted {wanted:?}, found {found:?} of {operand:?} in\n{text}");
        }
    });
}

const BOTH: [(ElementType, f64); 2] = [(ElementType::ComplexF32, 6e-7), (ElementType::ComplexF64, 4e-15)];

#[test]
fn functions_of_one_number_are_those_of_the_reference() {
    const FUNCTIONS: &[&str] = &[
        "stablehlo.abs", "stablehlo.sign", "stablehlo.exponential", "stablehlo.exponential_minus_one",
        "stablehlo.log", "stablehlo.log_plus_one", "stablehlo.sqrt", "stablehlo.rsqrt", "stablehlo.cbrt",
        "stablehlo.logistic", "stablehlo.sine", "stablehlo.cosine", "stablehlo.tan", "stablehlo.tanh",
        "stablehlo.negate", "stablehlo.real", "stablehlo.imag", "chlo.sinh", "chlo.cosh", "chlo.asin", "chlo.acos",
        "chlo.atan", "chlo.asinh", "chlo.acosh", "chlo.atanh", "chlo.tan",
    ];
    let pairs: Vec<(f64, f64)> = SPECIAL.iter().flat_map(|&re| SPECIAL.iter().map(move |&im| (re, im))).collect();
    let noise: Vec<(f64, f64)> = noise(200, 1).into_iter().zip(noise(200, 2)).collect();
    for (element, tolerance) in BOTH {
        for name in FUNCTIONS {
            for values in [&pairs, &noise] {
                let input = complex(&[values.len()], element, values);
                let from = format!("tensor<{}x{}>", values.len(), element.spelling());
                let real = ["abs", "real", "imag"].iter().any(|end| name.ends_with(&format!(".{end}")));
                let part = element.complex_part().spelling();
                let to = if real { format!("tensor<{}x{part}>", values.len()) } else { from.clone() };
                let arrow =
                    if name.starts_with("chlo") { format!("{from} -> {to}") } else { format!("({from}) -> {to}") };
                let text =
                    format!("func.func @main(%x: {from}) -> {to} {{ %0 = {name} %x : {arrow} return %0 : {to} }}");
                close(&text, &[input], tolerance);
            }
        }
    }
}

#[test]
fn the_largest_and_smallest_numbers_neither_overflow_nor_vanish() {
    for (element, extremes, tolerance) in [
        (ElementType::ComplexF32, [3.4e38, 1.2e30, 1e-3, 1.3e-20, 1.2e-38, 3e-44], 4e-7),
        (ElementType::ComplexF64, [1.7e308, 1.2e200, 1e-3, 1.3e-150, 2.3e-308, 5e-323], 2e-15),
    ] {
        let pairs: Vec<(f64, f64)> =
            extremes.iter().flat_map(|&re| extremes.iter().map(move |&im| (-re, im))).collect();
        let from = format!("tensor<{}x{}>", pairs.len(), element.spelling());
        let part = format!("tensor<{}x{}>", pairs.len(), element.complex_part().spelling());
        for (name, to) in [("abs", &part), ("sqrt", &from), ("log", &from), ("sign", &from), ("rsqrt", &from)] {
            let text = format!(
                "func.func @main(%x: {from}) -> {to} {{
                   %0 = stablehlo.{name} %x : ({from}) -> {to}
                   return %0 : {to}
                 }}"
            );
            let smallest = if element == ElementType::ComplexF32 { 1e-44 } else { 1e-322 };
            compare(&text, &[complex(&[pairs.len()], element, &pairs)], &|at, wanted, found| {
                let (w, f) = (wanted.as_complex(), found.as_complex());
                for (w, f) in [(w.re, f.re), (w.im, f.im)] {
                    let near = (w - f).abs() <= w.abs() * tolerance + smallest || w == f;
                    assert!(near, "{name} of {:?}: wanted {wanted:?}, found {found:?}", pairs[at]);
                }
            });
        }
    }
}

#[test]
fn functions_of_two_numbers_are_those_of_the_reference() {
    // In f32 products of the reference have the range of f64, so only moderate numbers compare.
    const FUNCTIONS: &[(&str, bool)] = &[
        ("add", true), ("subtract", true), ("multiply", false), ("divide", false), ("power", true), ("atan2", true),
        ("maximum", true), ("minimum", true), ("remainder", true),
    ];
    let few = [0.0, -0.0, 1.0, -2.5, 1e-30, -1e25, INF, -INF, NAN];
    let pairs: Vec<(f64, f64)> = few.iter().flat_map(|&re| few.iter().map(move |&im| (re, im))).collect();
    let left: Vec<_> = pairs.iter().flat_map(|&a| pairs.iter().map(move |_| a)).collect();
    let right: Vec<_> = pairs.iter().flat_map(|_| pairs.iter().copied()).collect();
    for (element, tolerance) in BOTH {
        for &(name, everywhere) in FUNCTIONS {
            let inputs = [noisy(&[300], element, 3), noisy(&[300], element, 4)];
            let special = [complex(&[left.len()], element, &left), complex(&[right.len()], element, &right)];
            for inputs in [inputs, special] {
                let count = inputs[0].len();
                if count > 300 && element == ElementType::ComplexF32 && !everywhere {
                    continue;
                }
                let ty = format!("tensor<{count}x{}>", element.spelling());
                let text = format!(
                    "func.func @main(%x: {ty}, %y: {ty}) \
                     -> {ty} {{ %0 = stablehlo.{name} %x, %y : {ty} return %0 : {ty} }}"
                );
                // A power loses what its exponent amplifies.
                close(&text, &inputs, if name == "power" { 100.0 * tolerance } else { tolerance });
            }
        }
    }
}

#[test]
fn comparisons_order_by_real_then_imaginary_part() {
    let few = [0.0, -0.0, 1.0, -2.5, INF, NAN];
    let pairs: Vec<(f64, f64)> = few.iter().flat_map(|&re| few.iter().map(move |&im| (re, im))).collect();
    let left: Vec<_> = pairs.iter().flat_map(|&a| pairs.iter().map(move |_| a)).collect();
    let right: Vec<_> = pairs.iter().flat_map(|_| pairs.iter().copied()).collect();
    let n = left.len();
    for direction in ["EQ", "NE", "LT", "LE", "GT", "GE"] {
        let element = ElementType::ComplexF32;
        let text = format!(
            "func.func @main(%x: tensor<{n}xcomplex<f32>>, %y: tensor<{n}xcomplex<f32>>) -> tensor<{n}xi1> {{
               %0 = stablehlo.compare {direction}, %x, %y, FLOAT \
                   : (tensor<{n}xcomplex<f32>>, tensor<{n}xcomplex<f32>>) -> tensor<{n}xi1>
               return %0 : tensor<{n}xi1>
             }}"
        );
        same_bits(&text, &[complex(&[n], element, &left), complex(&[n], element, &right)]);
    }
}

#[test]
fn data_moves_with_both_parts() {
    let text = "func.func @main(%x: tensor<2x3xcomplex<f32>>, %i: tensor<i32>, %p: tensor<3x2xi1>) \
                    -> (tensor<4x2xcomplex<f32>>, tensor<3xf64>) {
      %zero = stablehlo.constant dense<(0.5, -1.0)> : tensor<complex<f32>>
      %c = stablehlo.constant dense<[[(1.0, 2.0), (3.0, 4.0)], [(5.0, 6.0), (7.0, 8.0)], [(9.0, -1.0), (0.0, 1.0)]]> \
          : tensor<3x2xcomplex<f32>>
      %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xcomplex<f32>>) -> tensor<3x2xcomplex<f32>>
      %1 = stablehlo.select %p, %0, %c : tensor<3x2xi1>, tensor<3x2xcomplex<f32>>
      %2 = stablehlo.reverse %1, dims = [0] : tensor<3x2xcomplex<f32>>
      %3 = stablehlo.pad %2, %zero, low = [1, 0], high = [0, 0], interior = [0, 0] \
          : (tensor<3x2xcomplex<f32>>, tensor<complex<f32>>) -> tensor<4x2xcomplex<f32>>
      %4 = stablehlo.iota dim = 1 : tensor<4x2xcomplex<f32>>
      %5 = stablehlo.add %3, %4 : tensor<4x2xcomplex<f32>>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %6 = stablehlo.dynamic_slice %5, %i, %one, sizes = [2, 1] \
          : (tensor<4x2xcomplex<f32>>, tensor<i32>, tensor<i32>) -> tensor<2x1xcomplex<f32>>
      %7 = stablehlo.dynamic_update_slice %5, %6, %one, %i \
          : (tensor<4x2xcomplex<f32>>, tensor<2x1xcomplex<f32>>, tensor<i32>, tensor<i32>) -> tensor<4x2xcomplex<f32>>
      %8 = stablehlo.slice %5 [0:3, 1:2] : (tensor<4x2xcomplex<f32>>) -> tensor<3x1xcomplex<f32>>
      %9 = stablehlo.reshape %8 : (tensor<3x1xcomplex<f32>>) -> tensor<3xcomplex<f32>>
      %10 = stablehlo.convert %9 : (tensor<3xcomplex<f32>>) -> tensor<3xcomplex<f64>>
      %11 = stablehlo.convert %10 : (tensor<3xcomplex<f64>>) -> tensor<3xf64>
      return %7, %11 : tensor<4x2xcomplex<f32>>, tensor<3xf64>
    }";
    let index = Tensor::scalar(ElementType::I32, Scalar::Int(1));
    let mask = Tensor::from_scalars(&[3, 2], ElementType::I1, [1, 0, 0, 1, 1, 0].map(|b| Scalar::Bool(b == 1)));
    same_bits(text, &[noisy(&[2, 3], ElementType::ComplexF32, 5), index, mask]);
}

#[test]
fn gathers_scatters_and_bitcasts() {
    let text = "func.func @main(%x: tensor<4x2xcomplex<f64>>, %i: tensor<3x1xi32>, %u: tensor<3x2xcomplex<f64>>) \
                    -> (tensor<4x2xcomplex<f64>>, tensor<3x2x2xcomplex<f32>>, tensor<3x2xcomplex<f64>>) {
      %0 = \"stablehlo.gather\"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], \
          collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}> \
          : (tensor<4x2xcomplex<f64>>, tensor<3x1xi32>) -> tensor<3x2xcomplex<f64>>
      %1 = \"stablehlo.scatter\"(%x, %i, %u) \
          <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], \
          scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
      ^bb0(%a: tensor<complex<f64>>, %b: tensor<complex<f64>>):
        %s = stablehlo.multiply %a, %b : tensor<complex<f64>>
        stablehlo.return %s : tensor<complex<f64>>
      }) : (tensor<4x2xcomplex<f64>>, tensor<3x1xi32>, tensor<3x2xcomplex<f64>>) -> tensor<4x2xcomplex<f64>>
      %2 = stablehlo.bitcast_convert %0 : (tensor<3x2xcomplex<f64>>) -> tensor<3x2x2xcomplex<f32>>
      %3 = stablehlo.bitcast_convert %2 : (tensor<3x2x2xcomplex<f32>>) -> tensor<3x2xcomplex<f64>>
      return %1, %2, %3 : tensor<4x2xcomplex<f64>>, tensor<3x2x2xcomplex<f32>>, tensor<3x2xcomplex<f64>>
    }";
    let indices = Tensor::from_scalars(&[3, 1], ElementType::I32, [2, 0, 2].map(Scalar::Int));
    let element = ElementType::ComplexF64;
    same_bits(text, &[noisy(&[4, 2], element, 6), indices, noisy(&[3, 2], element, 7)]);
}

#[test]
fn reductions_sorts_and_control_flow() {
    let text = "func.func @main(%x: tensor<5x4xcomplex<f64>>, %k: tensor<5x4xi32>, %p: tensor<i1>) \
                    -> (tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>, tensor<5x4xi32>, tensor<5x4xcomplex<f64>>, \
                    tensor<complex<f64>>) {
      %zero = stablehlo.constant dense<(0.0, 0.0)> : tensor<complex<f64>>
      %one = stablehlo.constant dense<(1.0, 0.0)> : tensor<complex<f64>>
      %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] \
          : (tensor<5x4xcomplex<f64>>, tensor<complex<f64>>) -> tensor<4xcomplex<f64>>
      %1 = stablehlo.reduce(%x init: %one) applies stablehlo.multiply across dimensions = [0] \
          : (tensor<5x4xcomplex<f64>>, tensor<complex<f64>>) -> tensor<4xcomplex<f64>>
      %2:2 = \"stablehlo.sort\"(%k, %x) <{dimension = 0 : i64, is_stable = true}> ({
      ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<complex<f64>>, %d: tensor<complex<f64>>):
        %lt = stablehlo.compare LT, %c, %d, FLOAT : (tensor<complex<f64>>, tensor<complex<f64>>) -> tensor<i1>
        stablehlo.return %lt : tensor<i1>
      }) : (tensor<5x4xi32>, tensor<5x4xcomplex<f64>>) -> (tensor<5x4xi32>, tensor<5x4xcomplex<f64>>)
      %n = stablehlo.constant dense<0> : tensor<i32>
      %3:2 = stablehlo.while(%i = %n, %z = %one) : tensor<i32>, tensor<complex<f64>>
      cond {
        %five = stablehlo.constant dense<5> : tensor<i32>
        %c = stablehlo.compare LT, %i, %five, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      } do {
        %s = stablehlo.constant dense<(0.25, 1.5)> : tensor<complex<f64>>
        %m = stablehlo.multiply %z, %s : tensor<complex<f64>>
        %u = stablehlo.constant dense<1> : tensor<i32>
        %j = stablehlo.add %i, %u : tensor<i32>
        stablehlo.return %j, %m : tensor<i32>, tensor<complex<f64>>
      }
      %4 = \"stablehlo.if\"(%p) ({
        stablehlo.return %3#1 : tensor<complex<f64>>
      }, {
        %m = stablehlo.negate %3#1 : tensor<complex<f64>>
        stablehlo.return %m : tensor<complex<f64>>
      }) : (tensor<i1>) -> tensor<complex<f64>>
      return %0, %1, %2#0, %2#1, %4 : tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>, tensor<5x4xi32>, \
          tensor<5x4xcomplex<f64>>, tensor<complex<f64>>
    }";
    let keys = Tensor::from_scalars(&[5, 4], ElementType::I32, (0..20).map(Scalar::Int));
    for taken in [true, false] {
        let p = Tensor::scalar(ElementType::I1, Scalar::Bool(taken));
        same_bits(text, &[noisy(&[5, 4], ElementType::ComplexF64, 8), keys.clone(), p]);
    }
    let mut graph = import(text);
    run(&mut graph, &Options::default()).unwrap();
    let text = print(&graph);
    assert_eq!(text.matches("applies stablehlo.add").count(), 2, "{text}");
}

#[test]
fn products_may_have_a_wider_type() {
    let text = "func.func @main(%x: tensor<2x3xcomplex<f32>>, %y: tensor<3x2xcomplex<f32>>) \
                    -> tensor<2x2xcomplex<f64>> {
      %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] \
          : (tensor<2x3xcomplex<f32>>, tensor<3x2xcomplex<f32>>) -> tensor<2x2xcomplex<f64>>
      return %0 : tensor<2x2xcomplex<f64>>
    }";
    let inputs = [noisy(&[2, 3], ElementType::ComplexF32, 1), noisy(&[3, 2], ElementType::ComplexF32, 2)];
    close(text, &inputs, 1e-14);
}

#[test]
fn windows_products_and_convolutions() {
    let text = "func.func @main(%x: tensor<4x4xcomplex<f64>>, \
                    %y: tensor<4x2xcomplex<f64>>, %k: tensor<2x1x3xcomplex<f64>>) \
                    -> (tensor<4x4xcomplex<f64>>, tensor<4x2xcomplex<f64>>, tensor<4x3x3xcomplex<f64>>) {
      %zero = stablehlo.constant dense<(0.0, 0.0)> : tensor<complex<f64>>
      %0 = \"stablehlo.reduce_window\"(%x, %zero) \
          <{padding = dense<[[3, 0], [0, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 4, 1>}> ({
      ^bb0(%a: tensor<complex<f64>>, %b: tensor<complex<f64>>):
        %s = stablehlo.add %a, %b : tensor<complex<f64>>
        stablehlo.return %s : tensor<complex<f64>>
      }) : (tensor<4x4xcomplex<f64>>, tensor<complex<f64>>) -> tensor<4x4xcomplex<f64>>
      %1 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] \
          : (tensor<4x4xcomplex<f64>>, tensor<4x2xcomplex<f64>>) -> tensor<4x2xcomplex<f64>>
      %2 = stablehlo.reshape %x : (tensor<4x4xcomplex<f64>>) -> tensor<4x4x1xcomplex<f64>>
      %3 = stablehlo.convolution(%2, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], \
          window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} \
          : (tensor<4x4x1xcomplex<f64>>, tensor<2x1x3xcomplex<f64>>) -> tensor<4x3x3xcomplex<f64>>
      return %0, %1, %3 : tensor<4x4xcomplex<f64>>, tensor<4x2xcomplex<f64>>, tensor<4x3x3xcomplex<f64>>
    }";
    let element = ElementType::ComplexF64;
    close(text, &[noisy(&[4, 4], element, 9), noisy(&[4, 2], element, 10), noisy(&[2, 1, 3], element, 11)], 1e-14);
}

#[test]
fn function_edges_keep_the_declared_type() {
    let mut graph = import(
        "func.func @main(%x: tensor<complex<f32>>, %unused: tensor<2xcomplex<f64>>) -> tensor<complex<f32>> {
           return %x : tensor<complex<f32>>
         }",
    );
    let report = simplify(&mut graph, &Options::default()).unwrap();
    assert!(report.fixed_point);
    let text = print(&graph);
    assert!(text.contains("%arg0: tensor<2xf32> {fornax.type = tensor<complex<f32>>}"), "{text}");
    assert!(text.contains("%arg1: tensor<2x2xf64> {fornax.type = tensor<2xcomplex<f64>>}"), "{text}");
    assert!(text.contains("-> (tensor<2xf32> {fornax.type = tensor<complex<f32>>})"), "{text}");
    reimport(&graph);
    assert_eq!(
        interleaved_type(&TensorType::new(&[3], ElementType::ComplexF64)),
        TensorType::new(&[3, 2], ElementType::F64)
    );
}

#[test]
fn calls_are_inlined_first_and_what_has_no_parts_is_refused() {
    let mut graph = import(
        "func.func @main(%x: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
           %0 = call @twice(%x) : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
           return %0 : tensor<2xcomplex<f32>>
         }
         func.func private @twice(%x: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
           %0 = stablehlo.add %x, %x : tensor<2xcomplex<f32>>
           return %0 : tensor<2xcomplex<f32>>
         }",
    );
    assert!(!run(&mut graph, &Options::default()).unwrap());
    simplify(&mut graph, &Options::default()).unwrap();
    assert!(!has_complex_ops(&graph));
    let dynamic = "func.func @main(%a: tensor<?xcomplex<f32>>) -> tensor<?xcomplex<f32>> {
           %0 = stablehlo.sine %a : tensor<?xcomplex<f32>>
           return %0 : tensor<?xcomplex<f32>>
         }";
    let mut graph = import(dynamic);
    simplify(&mut graph, &Options::default()).unwrap();
    assert!(!has_complex_ops(&graph));
    let refused = [
        "func.func @main(%a: tensor<2xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
           %0 = \"stablehlo.all_gather\"(%a) <{all_gather_dim = 0 : i64, \
               replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2xcomplex<f32>>) -> tensor<4xcomplex<f32>>
           return %0 : tensor<4xcomplex<f32>>
         }",
    ];
    for text in refused {
        let error = simplify(&mut import(text), &Options::default()).unwrap_err();
        assert_eq!(error.code(), "FX0301");
        assert!(error.to_string().contains("example.mlir:2:"), "{error}");
    }
}

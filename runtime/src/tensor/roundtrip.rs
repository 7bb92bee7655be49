//! Property: what [`print`] writes exactly, [`parse_input`] reads back to the same bits.

use proptest::prelude::*;

use super::parse::{Parsed, parse_input};
use super::print::{Digits, PrintOptions, print};
use super::{ElementType, Scalar, Tensor, TensorType, npy};

fn any_tensor() -> impl Strategy<Value = Tensor> {
    let elements: Vec<ElementType> = ElementType::all().collect();
    (prop::sample::select(elements), prop::collection::vec(0u64..4, 0..4)).prop_flat_map(|(element, shape)| {
        let ty = TensorType::new(element, shape);
        let len = ty.bytes().unwrap();
        prop::collection::vec(any::<u8>(), len).prop_map(move |bytes| Tensor::new(ty.clone(), bytes).unwrap())
    })
}

/// NaNs are equal whatever their payload.
fn same(a: &Tensor, b: &Tensor) -> bool {
    let key = |v: f64| if v.is_nan() { u64::MAX } else { v.to_bits() };
    let equal = |pair: (Scalar, Scalar)| match pair {
        (Scalar::Float(x), Scalar::Float(y)) => key(x) == key(y),
        (Scalar::Complex(x, y), Scalar::Complex(v, w)) => key(x) == key(v) && key(y) == key(w),
        (x, y) => x == y,
    };
    a.ty() == b.ty() && a.iter().zip(b.iter()).all(equal)
}

proptest! {
    #[test]
    fn print_then_parse_is_the_identity(tensor in any_tensor()) {
        let text = print(&tensor, &PrintOptions { max_elements: usize::MAX, digits: Digits::Exact });
        match parse_input(&text, None) {
            Ok(Parsed::Tensors(back)) => prop_assert!(same(&tensor, &back[0]), "{text}"),
            Ok(Parsed::Ignored) => prop_assert!(false),
            Err(error) => prop_assert!(false, "{text}: {error}"),
        }
    }

    #[test]
    fn npy_write_then_read_is_the_identity(tensor in any_tensor()) {
        let mut file = Vec::new();
        npy::write(&tensor, &mut file);
        let back = npy::read_all(&file).unwrap().remove(0);
        let back = back.reinterpret(tensor.element_type()).unwrap();
        prop_assert_eq!(&back, &tensor);
    }

    #[test]
    fn no_text_panics(text in "[0-9x=\\[\\] ,.+\\-()@a-fA-FiI?~<>]{0,40}") {
        let _ = parse_input(&text, None);
    }

    #[test]
    fn no_npy_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), flip in any::<(usize, u8)>()) {
        let _ = npy::read_all(&bytes);
        let mut file = Vec::new();
        npy::write(&Tensor::zeros(TensorType::parse("2x3xf32").unwrap()).unwrap(), &mut file);
        let at = flip.0 % file.len();
        file[at] = flip.1;
        let _ = npy::read_all(&file);
    }
}

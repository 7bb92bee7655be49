//! `stablehlo.convolution` of `[N, C, spatial…]` with `[O, C / groups, spatial…]`, whatever dialect it is read from.

use fornax_graph::{Attr, AttrMap, Dim, ElementType, OpKind, ValueId};

use super::build::{Builder, dims, int, ints, ones};

/// How a kernel moves over its operand, one entry a spatial dimension.
pub struct Convolution {
    pub strides: Vec<i64>,
    pub padding: Vec<(Dim, Dim)>,
    pub base_dilations: Vec<i64>,
    pub dilations: Vec<i64>,
    pub reversed: bool,
    pub groups: i64,
}

impl Convolution {
    pub fn plain(n: usize) -> Convolution {
        Convolution {
            strides: ones(n),
            padding: vec![(Dim::Static(0), Dim::Static(0)); n],
            base_dilations: ones(n),
            dilations: ones(n),
            reversed: false,
            groups: 1,
        }
    }
}

impl Builder {
    /// The result is `[N, O, spatial…]` of the given shape.
    pub fn convolve(
        &mut self,
        input: ValueId,
        kernel: ValueId,
        conv: &Convolution,
        result: (&[Dim], ElementType),
    ) -> ValueId {
        let n = conv.strides.len();
        let spatial: Vec<usize> = (2..n + 2).collect();
        let mut fields = AttrMap::default();
        for (operand, [first, second], [at_first, at_second]) in [
            ("input", ["batch", "feature"], [0, 1]),
            ("kernel", ["input_feature", "output_feature"], [1, 0]),
            ("output", ["batch", "feature"], [0, 1]),
        ] {
            fields.set(&format!("{operand}_{first}_dimension"), int(at_first));
            fields.set(&format!("{operand}_{second}_dimension"), int(at_second));
            fields.set(&format!("{operand}_spatial_dimensions"), dims(&spatial));
        }
        let padding: Vec<Dim> = conv.padding.iter().flat_map(|&(low, high)| [low, high]).collect();
        let reversal = vec![i64::from(conv.reversed); n];
        let attrs = [
            ("window_strides", ints(&conv.strides)),
            ("padding", Attr::of_dims(&padding)),
            ("lhs_dilation", ints(&conv.base_dilations)),
            ("rhs_dilation", ints(&conv.dilations)),
            ("window_reversal", Attr::DenseArray(ElementType::I1, reversal)),
            ("dimension_numbers", Attr::Struct("stablehlo.conv".into(), fields)),
            ("feature_group_count", int(conv.groups)),
            ("batch_group_count", int(1)),
        ];
        self.emit(OpKind::Convolution, &[input, kernel], result, &attrs)
    }
}

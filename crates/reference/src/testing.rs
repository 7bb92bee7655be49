//! Builds one-op graphs for the tests of the op families and evaluates them.

use fornax_graph::{
    Attr, AttrMap, BlockId, Constant, ElementType, Function, Graph, LocId, NewOp, OpKind, Type, ValueId,
};

use crate::{EvalError, Limits, Scalar, Tensor, evaluate};

pub use ElementType::{Bf16, F32, F64, I1, I4, I8, I32, I64, Ui8, Ui32, Ui64};

pub fn floats(shape: &[usize], element: ElementType, values: &[f64]) -> Tensor {
    assert_eq!(shape.iter().product::<usize>(), values.len());
    Tensor::from_scalars(shape, element, values.iter().map(|&v| Scalar::Float(v)))
}

pub fn f32s(shape: &[usize], values: &[f64]) -> Tensor {
    floats(shape, F32, values)
}

pub fn ints(shape: &[usize], element: ElementType, values: &[i64]) -> Tensor {
    assert_eq!(shape.iter().product::<usize>(), values.len());
    Tensor::from_scalars(shape, element, values.iter().map(|&v| Scalar::Int(v.into())))
}

pub fn ty(shape: &[usize], element: ElementType) -> Type {
    Type::Tensor(crate::tensor::tensor_type(shape, element))
}

pub fn dims(values: &[i64]) -> Attr {
    Attr::DenseArray(I64, values.to_vec())
}

pub fn int(value: i64) -> Attr {
    Attr::Int(value.into(), Type::Scalar(I64))
}

pub fn keyword(value: &str) -> Attr {
    Attr::Enum("test".into(), value.into())
}

pub fn fields(items: &[(&str, Attr)]) -> Attr {
    Attr::Struct("test".into(), AttrMap(items.iter().map(|(n, a)| (n.to_string(), a.clone())).collect()))
}

pub fn values(tensor: &Tensor) -> Vec<f64> {
    tensor.scalars().into_iter().map(Scalar::as_f64).collect()
}

/// A function `main` under construction.
pub struct Net {
    pub graph: Graph,
    pub block: BlockId,
    inputs: Vec<Tensor>,
}

impl Net {
    /// A function whose arguments have the types of the inputs.
    pub fn new(inputs: &[Tensor]) -> Net {
        let mut graph = Graph::default();
        let region = graph.add_region();
        let types: Vec<Type> = inputs.iter().map(|t| Type::Tensor(t.ty.clone())).collect();
        let block = graph.add_block(region, &types);
        graph.functions.push(Function {
            name: "main".into(),
            private: false,
            argument_attrs: Vec::new(),
            result_types: Vec::new(),
            result_attrs: Vec::new(),
            attrs: AttrMap::default(),
            body: Some(region),
            location: LocId(0),
        });
        Net { graph, block, inputs: inputs.to_vec() }
    }

    pub fn args(&self) -> Vec<ValueId> {
        self.graph.block(self.block).arguments.clone()
    }

    pub fn constant(&mut self, block: BlockId, value: &Tensor) -> ValueId {
        let id = self.graph.add_constant(Constant::dense(value.ty.clone(), value.bytes.clone()));
        let op = NewOp::new(OpKind::Constant, vec![], vec![Type::Tensor(value.ty.clone())], LocId(0));
        let op = self.graph.push_op(block, op.attr("value", Attr::Dense(id)));
        self.graph.op(op).results[0]
    }

    pub fn op(&mut self, block: BlockId, kind: OpKind, operands: &[ValueId], result: Type) -> ValueId {
        let op = self.graph.push_op(block, NewOp::new(kind, operands.to_vec(), vec![result], LocId(0)));
        self.graph.op(op).results[0]
    }

    pub fn finish(&mut self, block: BlockId, values: &[ValueId]) {
        self.graph.push_op(block, NewOp::new(OpKind::Return, values.to_vec(), vec![], LocId(0)));
    }

    /// Returns the values from `main` and evaluates it.
    pub fn run(&mut self, values: &[ValueId]) -> Result<Vec<Tensor>, EvalError> {
        self.run_within(values, &Limits::default())
    }

    pub fn run_within(&mut self, values: &[ValueId], limits: &Limits) -> Result<Vec<Tensor>, EvalError> {
        self.finish(self.block, values);
        evaluate(&self.graph, "main", &self.inputs, limits)
    }
}

/// Evaluates one op on the operands.
pub fn try_op(
    kind: OpKind,
    attrs: &[(&str, Attr)],
    operands: &[Tensor],
    results: &[Type],
    regions: &[Body],
) -> Result<Vec<Tensor>, EvalError> {
    let mut net = Net::new(operands);
    let mut op = NewOp::new(kind, net.args(), results.to_vec(), LocId(0));
    for (name, value) in attrs {
        op.attrs.set(name, value.clone());
    }
    for body in regions {
        let region = net.graph.add_region();
        let types: Vec<Type> = body.arguments.iter().map(|&e| ty(&[], e)).collect();
        let block = net.graph.add_block(region, &types);
        let arguments = net.graph.block(block).arguments.clone();
        let values = (body.build)(&mut net, block, &arguments);
        net.finish(block, &values);
        op.regions.push(region);
    }
    let block = net.block;
    let op = net.graph.push_op(block, op);
    let values = net.graph.op(op).results.clone();
    net.run(&values)
}

pub fn op(kind: OpKind, attrs: &[(&str, Attr)], operands: &[Tensor], results: &[Type]) -> Vec<Tensor> {
    try_op(kind, attrs, operands, results, &[]).unwrap()
}

/// Appends a body's ops to a block with the given arguments and gives what it returns.
pub type BuildBody = dyn Fn(&mut Net, BlockId, &[ValueId]) -> Vec<ValueId>;

/// A region of rank-0 arguments.
pub struct Body {
    pub arguments: Vec<ElementType>,
    pub build: Box<BuildBody>,
}

impl Body {
    /// `kind(a, b)` on two arguments of one type.
    pub fn binary(kind: OpKind, element: ElementType) -> Body {
        let build = move |net: &mut Net, block, args: &[ValueId]| vec![net.op(block, kind, args, ty(&[], element))];
        Body { arguments: vec![element; 2], build: Box::new(build) }
    }

    /// Compares the first two of the arguments.
    pub fn compare(direction: &'static str, arguments: &[ElementType]) -> Body {
        let build = move |net: &mut Net, block, args: &[ValueId]| {
            let op = NewOp::new(OpKind::Compare, args[..2].to_vec(), vec![ty(&[], I1)], LocId(0));
            let op = net.graph.push_op(block, op.attr("comparison_direction", keyword(direction)));
            net.graph.op(op).results.clone()
        };
        Body { arguments: arguments.to_vec(), build: Box::new(build) }
    }
}

//! The graph: functions, regions, blocks, ops and SSA values in arenas with u32 ids.
//!
//! Ids stay valid for the life of a graph; erasing an op takes it out of its block and leaves its slot unused.

use crate::attr::AttrMap;
use crate::constant::Constant;
use crate::dims::{DimCheck, DimTable};
use crate::location::{LocId, LocationTable};
use crate::op::OpKind;
use crate::types::{QuantizedType, Type};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);
        impl $name {
            pub fn index(self) -> usize { self.0 as usize }
        }
    )*};
}

ids! {
    /// An SSA value.
    ValueId;
    /// An operation.
    OpId;
    /// A block of ops.
    BlockId;
    /// A list of blocks owned by an op or a function.
    RegionId;
    /// An entry of the constant pool.
    ConstId;
}

/// Who defines a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Definition {
    Result { op: OpId, index: u32 },
    Argument { block: BlockId, index: u32 },
}

#[derive(Clone, Debug)]
pub struct Value {
    pub ty: Type,
    pub definition: Definition,
}

#[derive(Clone, Debug)]
pub struct Op {
    pub kind: OpKind,
    /// The name as written, for ops outside the table (`OpKind::Unregistered`); else empty.
    pub name: String,
    pub operands: Vec<ValueId>,
    pub results: Vec<ValueId>,
    pub attrs: AttrMap,
    pub regions: Vec<RegionId>,
    pub location: LocId,
    pub block: BlockId,
}

#[derive(Clone, Debug, Default)]
pub struct Block {
    pub arguments: Vec<ValueId>,
    pub ops: Vec<OpId>,
}

#[derive(Clone, Debug, Default)]
pub struct Region {
    pub blocks: Vec<BlockId>,
}

#[derive(Clone, Debug)]
pub struct Function {
    pub name: String,
    pub private: bool,
    pub argument_attrs: Vec<AttrMap>,
    pub result_types: Vec<Type>,
    pub result_attrs: Vec<AttrMap>,
    pub attrs: AttrMap,
    /// `None` for a declaration. The arguments are those of its first block.
    pub body: Option<RegionId>,
    pub location: LocId,
}

/// One model.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    pub name: Option<String>,
    pub attrs: AttrMap,
    pub functions: Vec<Function>,
    /// Ops at module level other than functions (`sdy.mesh @m = <…>`), kept as text.
    pub module_ops: Vec<String>,
    pub locations: LocationTable,
    pub quantized: Vec<QuantizedType>,
    pub dims: DimTable,
    /// What must hold of the sizes before a run.
    pub dim_checks: Vec<DimCheck>,
    pub constants: Vec<Constant>,
    pub values: Vec<Value>,
    pub ops: Vec<Op>,
    pub blocks: Vec<Block>,
    pub regions: Vec<Region>,
}

impl Graph {
    pub fn value(&self, id: ValueId) -> &Value {
        &self.values[id.index()]
    }

    pub fn op(&self, id: OpId) -> &Op {
        &self.ops[id.index()]
    }

    pub fn op_mut(&mut self, id: OpId) -> &mut Op {
        &mut self.ops[id.index()]
    }

    pub fn block(&self, id: BlockId) -> &Block {
        &self.blocks[id.index()]
    }

    pub fn region(&self, id: RegionId) -> &Region {
        &self.regions[id.index()]
    }

    pub fn constant(&self, id: ConstId) -> &Constant {
        &self.constants[id.index()]
    }

    pub fn ty(&self, id: ValueId) -> &Type {
        &self.value(id).ty
    }

    /// The op that defines a value, if it is not a block argument.
    pub fn producer(&self, id: ValueId) -> Option<OpId> {
        match self.value(id).definition {
            Definition::Result { op, .. } => Some(op),
            Definition::Argument { .. } => None,
        }
    }

    pub fn function(&self, name: &str) -> Option<&Function> {
        self.functions.iter().find(|f| f.name == name)
    }

    /// Entry block of a function with a body.
    pub fn entry(&self, function: &Function) -> Option<BlockId> {
        self.region(function.body?).blocks.first().copied()
    }

    pub fn add_constant(&mut self, constant: Constant) -> ConstId {
        self.constants.push(constant);
        ConstId(self.constants.len() as u32 - 1)
    }

    pub fn add_region(&mut self) -> RegionId {
        self.regions.push(Region::default());
        RegionId(self.regions.len() as u32 - 1)
    }

    /// Appends an empty block to a region, with arguments of the given types.
    pub fn add_block(&mut self, region: RegionId, arguments: &[Type]) -> BlockId {
        let block = BlockId(self.blocks.len() as u32);
        self.blocks.push(Block::default());
        self.regions[region.index()].blocks.push(block);
        for ty in arguments {
            self.add_argument(block, ty.clone());
        }
        block
    }

    pub fn add_argument(&mut self, block: BlockId, ty: Type) -> ValueId {
        let index = self.blocks[block.index()].arguments.len() as u32;
        let id = ValueId(self.values.len() as u32);
        self.values.push(Value { ty, definition: Definition::Argument { block, index } });
        self.blocks[block.index()].arguments.push(id);
        id
    }

    /// Appends an op to a block.
    pub fn push_op(&mut self, block: BlockId, op: NewOp) -> OpId {
        let at = self.blocks[block.index()].ops.len();
        self.insert_op(block, at, op)
    }

    /// Inserts an op at a position of a block.
    pub fn insert_op(&mut self, block: BlockId, at: usize, new: NewOp) -> OpId {
        let id = OpId(self.ops.len() as u32);
        let results = (0..).zip(new.result_types).map(|(index, ty)| {
            self.values.push(Value { ty, definition: Definition::Result { op: id, index } });
            ValueId(self.values.len() as u32 - 1)
        });
        let results = results.collect();
        self.ops.push(Op {
            kind: new.kind,
            name: new.name,
            operands: new.operands,
            results,
            attrs: new.attrs,
            regions: new.regions,
            location: new.location,
            block,
        });
        self.blocks[block.index()].ops.insert(at, id);
        id
    }

    /// Takes an op out of its block; its results must be unused.
    pub fn erase_op(&mut self, id: OpId) {
        let block = self.op(id).block;
        self.blocks[block.index()].ops.retain(|&o| o != id);
    }

    /// Every op in the block and in nested regions, outer before inner.
    pub fn walk(&self, block: BlockId, visit: &mut dyn FnMut(OpId)) {
        let mut stack: Vec<(BlockId, usize)> = vec![(block, 0)];
        while let Some((block, at)) = stack.pop() {
            let Some(&op) = self.block(block).ops.get(at) else { continue };
            stack.push((block, at + 1));
            visit(op);
            for &region in self.op(op).regions.iter().rev() {
                for &inner in self.region(region).blocks.iter().rev() {
                    stack.push((inner, 0));
                }
            }
        }
    }
}

/// What `insert_op` needs to know of a new op.
#[derive(Clone, Debug)]
pub struct NewOp {
    pub kind: OpKind,
    pub name: String,
    pub operands: Vec<ValueId>,
    pub result_types: Vec<Type>,
    pub attrs: AttrMap,
    pub regions: Vec<RegionId>,
    pub location: LocId,
}

impl NewOp {
    pub fn new(kind: OpKind, operands: Vec<ValueId>, result_types: Vec<Type>, location: LocId) -> NewOp {
        NewOp {
            kind,
            name: String::new(),
            operands,
            result_types,
            attrs: AttrMap::default(),
            regions: Vec::new(),
            location,
        }
    }

    pub fn attr(mut self, name: &str, value: crate::attr::Attr) -> NewOp {
        self.attrs.set(name, value);
        self
    }
}

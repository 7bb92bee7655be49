//! How blocks are fetched and multiplied: by each thread for itself, here; by matrix instructions (`matrix`); unpacked
//! (`unpacked`).

use std::ops::Range;

use fornax_emit::emitter::Emitter;
use fornax_emit::errors::EmitError;
use fornax_emit::text::Value;
use fornax_plan::NodeId;

use super::emit::{Bound, Gemv, LongRead, Start};
use super::products::Space;

/// How the products of a space's blocks are computed.
pub(super) trait Steps {
    /// What a load gives.
    type Load;

    fn space(&self) -> &Space;

    /// Whether a thread begins all loads of its first block before it waits.
    fn begins_all(&self) -> bool {
        false
    }

    /// Fetches some of the loads of the long operands of the blocks that start at `starts`.
    fn fetch(&self, e: &mut Emitter<'_>, starts: &[Start], loads: Range<usize>) -> Result<Loaded<Self>, EmitError>;

    /// Fetches the short ones, and adds the products to sums. `whole` says that all threads of a subgroup have such
    /// blocks.
    fn multiply(
        &self,
        e: &mut Emitter<'_>,
        blocks: (&[Start], Loaded<Self>),
        sums: Vec<Value>,
        whole: bool,
    ) -> Result<Vec<Value>, EmitError>;
}

/// What loads of long operands gave: by block, operand, load.
pub(super) type Loaded<S> = Vec<Vec<Vec<<S as Steps>::Load>>>;

/// Products by each thread for itself.
pub(super) struct ByThreads<'a, 'p> {
    pub gemv: &'p Gemv<'a>,
    pub space: &'p Space,
    pub points: &'p [Bound],
}

impl Steps for ByThreads<'_, '_> {
    type Load = Value;

    fn space(&self) -> &Space {
        self.space
    }

    fn fetch(&self, e: &mut Emitter<'_>, starts: &[Start], loads: Range<usize>) -> Result<Loaded<Self>, EmitError> {
        let &ByThreads { gemv, space, points } = self;
        let mut fetched = Vec::new();
        for start in starts {
            let fetch = |&long: &NodeId| {
                gemv.fetch_long(e, start, LongRead { points, inner: space.inner, long, loads: loads.clone() })
            };
            fetched.push(space.long.iter().map(fetch).collect::<Result<Vec<_>, _>>()?);
        }
        Ok(fetched)
    }

    fn multiply(
        &self,
        e: &mut Emitter<'_>,
        (starts, long): (&[Start], Loaded<Self>),
        mut sums: Vec<Value>,
        _: bool,
    ) -> Result<Vec<Value>, EmitError> {
        let &ByThreads { gemv, space, .. } = self;
        for (start, long) in starts.iter().zip(long) {
            let block = gemv.block(e, space, start, long)?;
            for &term in &space.terms {
                gemv.multiply(e, &block, term, &mut sums)?;
            }
        }
        Ok(sums)
    }
}

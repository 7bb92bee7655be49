//! Values of nodes at one point of the domain: each is computed once.

use crate::expr::NodeId;

/// A value counts where its point is the present one, so that all are forgotten by one step of a counter.
#[derive(Debug)]
pub(super) struct Memo {
    /// By node: the point it was computed at, and its value.
    values: Vec<(u64, u64)>,
    point: u64,
}

impl Memo {
    pub fn new(nodes: usize) -> Memo {
        Memo { values: vec![(0, 0); nodes], point: 1 }
    }

    pub fn clear(&mut self) {
        self.point += 1;
    }

    pub fn get(&self, node: NodeId) -> Option<u64> {
        let (point, value) = self.values[node.0 as usize];
        (point == self.point).then_some(value)
    }

    pub fn insert(&mut self, node: NodeId, value: u64) {
        self.values[node.0 as usize] = (self.point, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_forgotten_at_the_next_point() {
        let mut memo = Memo::new(2);
        assert_eq!(memo.get(NodeId(1)), None);
        memo.insert(NodeId(1), 0);
        assert_eq!((memo.get(NodeId(0)), memo.get(NodeId(1))), (None, Some(0)));
        memo.clear();
        assert_eq!(memo.get(NodeId(1)), None);
    }
}

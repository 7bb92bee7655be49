//! Which loads are under way, by the counters of the hardware, and which registers wait for them.
//!
//! Input: loads and stores as they are issued, `s_waitcnt` and its kin. Output: whether a register may be used. A
//! load's data is in its register at once; what is modelled is that the kernel may not look at it before it has waited.
//!
//! Loads that vmcnt counts and LDS operations come back in order, so a wait for "at most N under way" frees all but the
//! last N; scalar loads come back in any order, so only a wait for none under way frees them.
//!
//! Worked example: two loads, then `vmcnt(1)`: the first one's register may be read, the second one's may not.

/// What a counter counts. Chips before gfx10 count stores with loads, before gfx12 LDS with scalar loads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counter {
    Load = 0,
    Store = 1,
    Lds = 2,
    Scalar = 3,
}

pub const COUNTERS: usize = 4;
const CLASS: u32 = 28;
const NUMBER: u32 = (1 << CLASS) - 1;
/// The class of marks that wait for two counters.
const FLAT: u32 = 7;

#[derive(Clone, Debug, Default)]
pub struct Waits {
    issued: [u32; COUNTERS],
    done: [u32; COUNTERS],
    /// The last operation of a counter that comes back in any order.
    unordered: [u32; COUNTERS],
    flat: Vec<(u32, u32)>,
}

impl Counter {
    /// Whether the mark is of this counter, whose operations come back in order.
    pub fn counts(self, mark: Mark) -> bool {
        mark >> CLASS == self as u32
    }
}

/// A register's mark: the counter and the operation that it waits for; 0 waits for nothing.
pub type Mark = u32;

impl Waits {
    /// Whether anything is under way.
    #[inline(always)]
    pub fn idle(&self) -> bool {
        self.issued == self.done
    }

    /// Counts an operation; the mark goes to the registers that it writes.
    pub fn issue(&mut self, counter: Counter, unordered: bool) -> Mark {
        let at = counter as usize;
        self.issued[at] += 1;
        if unordered {
            self.unordered[at] = self.issued[at];
        }
        (at as u32) << CLASS | self.issued[at]
    }

    /// An operation by flat address: either memory or LDS answers, both counters count.
    pub fn issue_flat(&mut self, lds: Counter) -> Mark {
        let load = self.issue(Counter::Load, false);
        let other = self.issue(lds, true);
        self.flat.push((load, other));
        FLAT << CLASS | (self.flat.len() as u32 - 1)
    }

    /// At most `left` operations of the counter may be under way.
    pub fn wait(&mut self, counter: Counter, left: u32) {
        let at = counter as usize;
        let sure = self.issued[at].saturating_sub(left);
        if left == 0 || self.unordered[at] <= self.done[at] {
            self.done[at] = self.done[at].max(sure);
        }
        if self.idle() {
            self.flat.clear();
        }
    }

    /// Whether the operation of a mark has come back.
    #[inline(always)]
    pub fn arrived(&self, mark: Mark) -> bool {
        if mark == 0 {
            return true;
        }
        match mark >> CLASS {
            FLAT => match self.flat.get((mark & NUMBER) as usize) {
                Some(&(load, other)) => self.arrived(load) && self.arrived(other),
                None => true,
            },
            class => mark & NUMBER <= self.done[class as usize & (COUNTERS - 1)],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loads_come_back_in_order() {
        let mut waits = Waits::default();
        let first = waits.issue(Counter::Load, false);
        let second = waits.issue(Counter::Load, false);
        waits.wait(Counter::Load, 1);
        assert!(waits.arrived(first) && !waits.arrived(second));
        waits.wait(Counter::Load, 0);
        assert!(waits.arrived(second) && waits.idle());
    }

    #[test]
    fn scalar_loads_come_back_in_any_order() {
        let mut waits = Waits::default();
        let first = waits.issue(Counter::Lds, true);
        let second = waits.issue(Counter::Lds, false);
        waits.wait(Counter::Lds, 1);
        assert!(!waits.arrived(first));
        waits.wait(Counter::Lds, 0);
        assert!(waits.arrived(first) && waits.arrived(second));
    }

    #[test]
    fn flat_loads_wait_for_both() {
        let mut waits = Waits::default();
        let mark = waits.issue_flat(Counter::Lds);
        waits.wait(Counter::Load, 0);
        assert!(!waits.arrived(mark));
        waits.wait(Counter::Lds, 0);
        assert!(waits.arrived(mark));
    }
}

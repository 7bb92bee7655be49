//! A warp: registers, mask, open regions, clocks, its asynchronous groups.

use std::collections::VecDeque;

use crate::inst::Slot;
use crate::lanes::Lanes;
use crate::lower::Program;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Status {
    Ready,
    /// At a barrier of the workgroup, waiting for a generation to end.
    AtBarrier {
        id: u32,
        generation: u64,
    },
    AtCluster {
        generation: u64,
    },
    /// At an mbarrier; the operation is tried again.
    AtMbarrier {
        at: u32,
        parity: u32,
    },
    /// Also what stands in a warp's place while it runs.
    #[default]
    Done,
}

/// An open region: what to restore.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    pub saved: u32,
    /// Lanes for the other branch.
    pub other: u32,
}

/// What is known of a slot where warpgroup multiplies write registers behind the program's back.
#[derive(Clone, Copy, Debug, Default)]
pub struct SlotState {
    /// Number of the multiply's group, 0 for ordinary values.
    pub group: u32,
    /// Step at which it was defined.
    pub defined: u64,
}

/// Copies of one commit group: shared address, bytes.
#[derive(Debug, Default)]
pub struct CopyGroup {
    /// Shared byte, size, bytes to take, address in global memory, lane.
    pub copies: Vec<(u32, u32, u32, u64, u8)>,
}

/// Pieces of shared memory that an asynchronous instruction reads.
pub type Pieces = Vec<(u32, u32)>;

/// Multiplies that are waited for together.
#[derive(Debug, Default)]
pub struct MultiplyGroup {
    /// What they read of shared memory.
    pub reads: Pieces,
    /// Loads up to this clock gave their fragments.
    pub loads: u32,
}

#[derive(Debug, Default)]
pub struct Warp {
    pub rank: usize,
    /// Number in its workgroup, and in its cluster.
    pub at: usize,
    pub number: usize,
    pub registers: Vec<Lanes>,
    pub slots: Vec<SlotState>,
    pub mask: u32,
    /// Lanes that exist.
    pub lanes: u32,
    pub pc: usize,
    pub frames: Vec<Frame>,
    pub status: Status,
    pub clock: u32,
    pub lane_sync: u32,
    pub seen: Vec<u32>,
    pub proxied: Vec<u32>,
    pub step: u64,
    pub copies: CopyGroup,
    pub copy_groups: VecDeque<CopyGroup>,
    /// Multiplies: reads of the open group, the clock of the loads of its fragments, committed groups, numbers.
    pub open_reads: Pieces,
    pub open_loads: u32,
    pub multiply_groups: VecDeque<MultiplyGroup>,
    pub group: u32,
    pub finished_group: u32,
    pub fenced_at: u64,
    /// Bulk stores: reads of the open group; committed groups still reading, still writing.
    pub bulk_reads: Pieces,
    pub bulk_groups: VecDeque<Pieces>,
    /// Generation of the cluster barrier that the warp arrived at and did not wait for yet.
    pub cluster_generation: Option<u64>,
    pub scratch: Vec<Lanes>,
}

impl Warp {
    pub fn new(program: &Program, rank: usize, at: usize, number: usize, lanes: u32, agents: usize) -> Warp {
        let mut seen = vec![0; agents];
        seen[number] = 1;
        Warp {
            rank,
            at,
            number,
            registers: vec![[0; 32]; program.slots as usize],
            slots: if program.has_wgmma { vec![SlotState::default(); program.slots as usize] } else { Vec::new() },
            mask: lanes,
            lanes,
            status: Status::Ready,
            clock: 1,
            lane_sync: 1,
            seen,
            proxied: vec![0; agents],
            group: 1,
            ..Warp::default()
        }
    }

    /// Accesses from now on are not ordered by what synchronised until now.
    pub fn tick(&mut self) {
        self.clock += 1;
        self.seen[self.number] = self.clock;
    }

    pub fn lanes_of(&self, slot: Slot) -> &Lanes {
        &self.registers[slot as usize]
    }
}

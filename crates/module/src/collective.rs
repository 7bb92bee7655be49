//! What devices do with each other's buffers: the payload of `Command::Collective`.
//!
//! Every device of the module runs the same program and meets the same collectives in the same order. A buffer is cut
//! into as many equal parts as a group has devices:
//!
//! | kind | device `i` of a group of `n` gets |
//! | --- | --- |
//! | all-reduce | the elements of all, combined in the order of the group |
//! | all-gather | the buffers of all, one behind the other |
//! | reduce-scatter | part `i` of all, combined |
//! | all-to-all | part `i` of each, one behind the other |
//! | broadcast | the buffer of the first; devices in no group get zeros |
//! | permute | groups are pairs (from, to): the buffer of who sends to it, else zeros |

use fornax_types::ElementType;

use crate::cursor::{RecordReader, RecordWriter};
use crate::errors::ModuleError;

/// Devices of one module, at most.
pub const DEVICES_MAX: u32 = 1 << 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CollectiveKind {
    AllReduce,
    AllGather,
    ReduceScatter,
    AllToAll,
    Broadcast,
    Permute,
}

/// How two elements become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reducer {
    Add,
    Multiply,
    Minimum,
    Maximum,
    And,
    Or,
}

/// A collective without its buffers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collective {
    pub kind: CollectiveKind,
    /// Of the kinds that combine.
    pub reducer: Option<Reducer>,
    pub element: ElementType,
    pub groups: Vec<Vec<u32>>,
}

macro_rules! names {
    ($of:ident: $($variant:ident = $name:literal),* $(,)?) => {
        impl $of {
            pub const ALL: &[$of] = &[$($of::$variant),*];

            /// As in the graph's `fornax.collective` and in `inspect`.
            pub fn name(self) -> &'static str {
                match self {
                    $($of::$variant => $name),*
                }
            }

            pub fn of_name(name: &str) -> Option<$of> {
                $of::ALL.iter().copied().find(|one| one.name() == name)
            }
        }
    };
}

names! { CollectiveKind: AllReduce = "all_reduce", AllGather = "all_gather", ReduceScatter = "reduce_scatter",
AllToAll = "all_to_all", Broadcast = "broadcast", Permute = "permute" }
names! { Reducer: Add = "add", Multiply = "multiply", Minimum = "minimum", Maximum = "maximum", And = "and", Or = "or" }

impl CollectiveKind {
    pub fn reduces(self) -> bool {
        matches!(self, CollectiveKind::AllReduce | CollectiveKind::ReduceScatter)
    }
}

/// No reducer, in the file.
const NONE: u8 = u8::MAX;

impl Collective {
    pub(crate) fn write(&self, w: &mut RecordWriter) {
        let at = |found: Option<usize>| found.map_or(NONE, |at| at as u8);
        w.u8(at(CollectiveKind::ALL.iter().position(|kind| *kind == self.kind)));
        w.u8(at(Reducer::ALL.iter().position(|reducer| Some(*reducer) == self.reducer)));
        w.string(self.element.spelling());
        w.count(self.groups.len());
        self.groups.iter().for_each(|group| w.u32s(group));
    }

    pub(crate) fn read(r: &mut RecordReader) -> Result<Collective, ModuleError> {
        let tag = r.u8()?;
        let kind = CollectiveKind::ALL.get(usize::from(tag)).copied();
        let kind = kind.ok_or_else(|| r.error(format!("unknown collective {tag}")))?;
        let reducer = match r.u8()? {
            NONE => None,
            tag => {
                let found = Reducer::ALL.get(usize::from(tag)).copied();
                Some(found.ok_or_else(|| r.error(format!("unknown reducer {tag}")))?)
            }
        };
        let name = r.string("element type")?;
        let element = ElementType::from_spelling(&name);
        let element = element.ok_or_else(|| r.error("an element type that this version does not know"))?;
        let count = r.count("groups", 4, DEVICES_MAX.into())?;
        let groups = (0..count).map(|_| r.u32s("devices of a group", DEVICES_MAX.into())).collect::<Result<_, _>>()?;
        Ok(Collective { kind, reducer, element, groups })
    }

    /// Devices of a group; of groups of unlike sizes the first.
    pub fn group_size(&self) -> u64 {
        self.groups.first().map_or(1, |group| group.len() as u64)
    }

    /// Bytes of the result for a source of so many; `None` where that cannot be.
    pub fn target_bytes(&self, source: u64) -> Option<u64> {
        let n = self.group_size();
        match self.kind {
            CollectiveKind::AllReduce | CollectiveKind::Broadcast | CollectiveKind::Permute => Some(source),
            CollectiveKind::AllToAll => source.is_multiple_of(n).then_some(source),
            CollectiveKind::AllGather => source.checked_mul(n),
            CollectiveKind::ReduceScatter => source.is_multiple_of(n).then_some(source / n),
        }
    }

    /// What is wrong with it on so many devices.
    pub fn check(&self, devices: u32) -> Result<(), String> {
        if self.kind.reduces() != self.reducer.is_some() {
            return Err(format!("{} with a wrong reducer", self.kind.name()));
        }
        if self.kind.reduces() && !combines(self.element) {
            return Err(format!("devices do not combine {}", self.element.spelling()));
        }
        if self.groups.iter().any(Vec::is_empty) {
            return Err("an empty group".into());
        }
        if let Some(device) = self.groups.iter().flatten().find(|&&device| device >= devices) {
            return Err(format!("device {device} of a module for {devices}"));
        }
        let is_cut = !matches!(self.kind, CollectiveKind::AllReduce | CollectiveKind::Broadcast);
        if is_cut && self.groups.iter().any(|group| group.len() as u64 != self.group_size()) {
            return Err("groups of unlike sizes".into());
        }
        let mut seen = std::collections::HashSet::new();
        let twice = match self.kind {
            CollectiveKind::Permute if self.groups.iter().any(|pair| pair.len() != 2) => {
                return Err("a pair of other than two devices".into());
            }
            CollectiveKind::Permute => {
                let sides = [0, 1].map(|side| {
                    let mut ids = std::collections::HashSet::new();
                    self.groups.iter().all(|pair| pair.get(side).is_some_and(|&device| ids.insert(device)))
                });
                sides.contains(&false)
            }
            _ => self.groups.iter().flatten().any(|&device| !seen.insert(device)),
        };
        if twice {
            return Err("a device is named twice".into());
        }
        let needs_all = !matches!(self.kind, CollectiveKind::Permute | CollectiveKind::Broadcast);
        if needs_all && seen.len() as u64 != u64::from(devices) {
            return Err(format!("its groups do not name all of {devices} devices"));
        }
        Ok(())
    }
}

/// Whether devices combine elements of this type; the compiler writes other reductions as moves and kernels.
pub fn combines(element: ElementType) -> bool {
    let wide = matches!(element.bits(), 8 | 16 | 32 | 64);
    let float = element.is_float() && !element.is_small_float();
    let whole = element.is_integer() && element != ElementType::Index;
    element == ElementType::I1 || wide && (whole || float)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(kind: CollectiveKind, groups: &[&[u32]]) -> Collective {
        let reducer = kind.reduces().then_some(Reducer::Add);
        let groups = groups.iter().map(|group| group.to_vec()).collect();
        Collective { kind, reducer, element: ElementType::F32, groups }
    }

    #[test]
    fn groups_must_be_those_of_the_kind() {
        use CollectiveKind::{AllGather, AllReduce, Broadcast, Permute};
        let why = |collective: Collective, devices| collective.check(devices).unwrap_err();
        assert!(of(AllReduce, &[&[0, 2, 1], &[3]]).check(4).is_ok());
        assert!(why(of(AllGather, &[&[0, 2, 1], &[3]]), 4).contains("unlike"));
        assert!(why(of(AllReduce, &[&[0, 1]]), 3).contains("all of 3"));
        assert!(why(of(AllReduce, &[&[0, 1, 0]]), 2).contains("twice"));
        assert!(why(of(AllReduce, &[&[0, 2]]), 2).contains("device 2"));
        assert!(why(of(AllReduce, &[&[0, 1], &[]]), 2).contains("empty"));
        assert!(of(Broadcast, &[&[2]]).check(3).is_ok());
        assert!(of(Permute, &[&[0, 1], &[1, 0]]).check(2).is_ok());
        assert!(why(of(Permute, &[&[0, 1], &[1, 1]]), 2).contains("twice"));
        assert!(why(of(Permute, &[&[0, 1, 2]]), 3).contains("two devices"));
        let no_reducer = Collective { reducer: None, ..of(AllReduce, &[&[0]]) };
        assert!(why(no_reducer, 1).contains("reducer"));
        let small = Collective { element: ElementType::F8E4M3FN, ..of(AllReduce, &[&[0]]) };
        assert!(why(small, 1).contains("f8E4M3FN"));
        // No buffer has it.
        assert!(!combines(ElementType::Index) && combines(ElementType::I64));
    }

    #[test]
    fn bytes_follow_from_the_group() {
        let two: &[&[u32]] = &[&[0, 1]];
        let bytes = |kind| of(kind, two).target_bytes(8);
        assert_eq!(bytes(CollectiveKind::AllGather), Some(16));
        assert_eq!(bytes(CollectiveKind::ReduceScatter), Some(4));
        assert_eq!(bytes(CollectiveKind::AllToAll), Some(8));
        assert_eq!(of(CollectiveKind::AllToAll, two).target_bytes(7), None);
    }
}

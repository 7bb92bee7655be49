//! XLA's options of a compilation, of which these fields count: how many devices, which, and flags for the compiler.

use std::collections::BTreeMap;

use prost::{Message, Oneof};

use crate::error::{Failure, Result, Status};

/// `xla.CompileOptionsProto`.
#[derive(Clone, PartialEq, Message)]
struct CompileOptionsProto {
    #[prost(message, optional, tag = "3")]
    build: Option<BuildProto>,
    #[prost(bool, tag = "4")]
    portable: bool,
    #[prost(btree_map = "string, message", tag = "7")]
    overrides: BTreeMap<String, OverrideProto>,
}

/// `xla.ExecutableBuildOptionsProto`.
#[derive(Clone, PartialEq, Message)]
struct BuildProto {
    #[prost(int64, tag = "4")]
    num_replicas: i64,
    #[prost(int64, tag = "5")]
    num_partitions: i64,
    #[prost(message, optional, tag = "9")]
    assignment: Option<AssignmentProto>,
}

/// `xla.DeviceAssignmentProto`.
#[derive(Clone, PartialEq, Message)]
struct AssignmentProto {
    #[prost(int32, tag = "1")]
    replicas: i32,
    #[prost(int32, tag = "2")]
    partitions: i32,
    #[prost(message, repeated, tag = "3")]
    columns: Vec<ColumnProto>,
}

/// The devices of one partition, by replica.
#[derive(Clone, PartialEq, Message)]
struct ColumnProto {
    #[prost(int64, repeated, tag = "1")]
    devices: Vec<i64>,
}

/// `xla.OptionOverrideProto`.
#[derive(Clone, PartialEq, Message)]
struct OverrideProto {
    #[prost(oneof = "OverrideValue", tags = "1, 2, 3, 4")]
    value: Option<OverrideValue>,
}

#[derive(Clone, PartialEq, Oneof)]
enum OverrideValue {
    #[prost(string, tag = "1")]
    Text(String),
    #[prost(bool, tag = "2")]
    Truth(bool),
    #[prost(int64, tag = "3")]
    Int(i64),
    #[prost(double, tag = "4")]
    Float(f64),
}

/// What of the options counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CompileOptions {
    pub replicas: usize,
    pub partitions: usize,
    /// Numbers of devices: those of replica 0 by partition, then replica 1. Empty for a portable program, which runs
    /// where it is asked to.
    pub devices: Vec<i32>,
    /// Of `fornax compile`.
    pub flags: Vec<String>,
}

impl CompileOptions {
    /// Reads the serialized options.
    ///
    /// # Errors
    /// FX0731 for bytes that are none.
    pub fn read(bytes: &[u8]) -> Result<CompileOptions> {
        let wrong =
            |what: &str| Failure::coded(Status::InvalidArgument, "FX0731", format!("the compile options: {what}"));
        let read = CompileOptionsProto::decode(bytes).map_err(|error| wrong(&error.to_string()))?;
        let build = read.build.unwrap_or_default();
        let count = |count: i64| usize::try_from(count.max(1)).unwrap_or(1);
        let (replicas, partitions) = (count(build.num_replicas), count(build.num_partitions));
        let flags = read.overrides.into_iter().map(|(name, value)| flag(&name, value.value)).collect();
        let devices = match build.assignment {
            _ if read.portable => Vec::new(),
            Some(table) => {
                let row = |replica: usize| table.columns.iter().map(move |column| column.devices.get(replica));
                let ids = (0..replicas).flat_map(row).map(|id| id.and_then(|id| i32::try_from(*id).ok()));
                let ids: Option<Vec<i32>> = ids.collect();
                let ids = ids.filter(|ids| ids.len() == replicas.saturating_mul(partitions));
                ids.ok_or_else(|| wrong("the assignment of devices is no table of replicas and partitions"))?
            }
            None => {
                let last = i32::try_from(replicas.saturating_mul(partitions)).map_err(|_| wrong("too many devices"))?;
                (0..last).collect()
            }
        };
        Ok(CompileOptions { replicas, partitions, devices, flags })
    }

    /// The assignment of devices as `xla.DeviceAssignmentProto`.
    pub fn assignment(&self) -> Vec<u8> {
        let at = |partition: usize, replica: usize| self.devices.get(replica * self.partitions + partition);
        let column = |partition: usize| ColumnProto {
            devices: (0..self.replicas).map(|replica| at(partition, replica).map_or(0, |id| i64::from(*id))).collect(),
        };
        let table = AssignmentProto {
            replicas: self.replicas as i32,
            partitions: self.partitions as i32,
            columns: (0..self.partitions).map(column).collect(),
        };
        table.encode_to_vec()
    }
}

/// `name=value` as a flag of the command line.
fn flag(name: &str, value: Option<OverrideValue>) -> String {
    let name = name.trim_start_matches('-').replace('_', "-");
    match value {
        None | Some(OverrideValue::Truth(true)) => format!("--{name}"),
        Some(OverrideValue::Truth(false)) => format!("--{name}=false"),
        Some(OverrideValue::Text(text)) => format!("--{name}={text}"),
        Some(OverrideValue::Int(int)) => format!("--{name}={int}"),
        Some(OverrideValue::Float(float)) => format!("--{name}={float}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_options_name_one_device() {
        let options = CompileOptions::read(&[0x1a, 4, 0x20, 1, 0x28, 1]).unwrap();
        assert_eq!((options.replicas, options.partitions, options.devices.as_slice()), (1, 1, &[0][..]));
        assert_eq!(options.assignment(), [8, 1, 16, 1, 26, 3, 10, 1, 0]);
        assert!(CompileOptions::read(&[0xff]).unwrap_err().message.starts_with("[FX0731]"));
    }

    #[test]
    fn overrides_are_flags_and_assignments_are_tables() {
        let value = |value| OverrideProto { value: Some(value) };
        let proto = CompileOptionsProto {
            build: Some(BuildProto {
                num_replicas: 2,
                num_partitions: 2,
                assignment: Some(AssignmentProto {
                    replicas: 2,
                    partitions: 2,
                    columns: vec![ColumnProto { devices: vec![0, 2] }, ColumnProto { devices: vec![1, 3] }],
                }),
            }),
            portable: false,
            overrides: BTreeMap::from([
                ("f32_matmul".to_string(), value(OverrideValue::Text("tf32".into()))),
                ("in-process".to_string(), value(OverrideValue::Truth(true))),
            ]),
        };
        let options = CompileOptions::read(&proto.encode_to_vec()).unwrap();
        assert_eq!(options.flags, ["--f32-matmul=tf32", "--in-process"]);
        assert_eq!(options.devices, [0, 1, 2, 3]);
        let portable = CompileOptionsProto { portable: true, ..proto };
        assert!(CompileOptions::read(&portable.encode_to_vec()).unwrap().devices.is_empty());
    }
}

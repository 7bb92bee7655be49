//! Which device of a run this process is, as its launcher says.
//!
//! Input: variables of the environment. Output: a [`Place`]. The first row of which the number and the count are set is
//! taken:
//!
//! | launcher | number | count | number on this machine |
//! | --- | --- | --- | --- |
//! | torchrun | `RANK` | `WORLD_SIZE` | `LOCAL_RANK` |
//! | Open MPI | `OMPI_COMM_WORLD_RANK` | `OMPI_COMM_WORLD_SIZE` | `OMPI_COMM_WORLD_LOCAL_RANK` |
//! | PMI (MPICH, Intel MPI) | `PMI_RANK` | `PMI_SIZE` | `MPI_LOCALRANKID` |
//! | PMIx | `PMIX_RANK` | `PMIX_SIZE` | `PMIX_LOCAL_RANK` |
//! | Slurm | `SLURM_PROCID` | `SLURM_NTASKS` | `SLURM_LOCALID` |
//!
//! All meet at `MASTER_ADDR:MASTER_PORT`, where number 0 listens: torchrun sets both; the others need the port, and the
//! address where it is not this machine's own. Where torchrun listens at that port itself
//! (`TORCHELASTIC_USE_AGENT_STORE`), it is the next one.
//!
//! Example: `RANK=1 WORLD_SIZE=4 MASTER_PORT=29500` is the second of four processes on one machine.

use std::time::Duration;

use crate::errors::{ErrorKind, Result, RuntimeError};
use crate::hal::{Collective, Device};
use crate::session::{Module, SessionOptions};
use crate::team;
use crate::tensor::Tensor;

/// Names of number, count and number on this machine.
const LAUNCHERS: &[[&str; 3]] = &[
    ["RANK", "WORLD_SIZE", "LOCAL_RANK"],
    ["OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"],
    ["PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID"],
    ["PMIX_RANK", "PMIX_SIZE", "PMIX_LOCAL_RANK"],
    ["SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID"],
];
/// Processes of a run, at most: each is connected with each.
const PROCESSES_MAX: u32 = 512;

/// One process of several that run a module together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Its number, which is its device's.
    pub number: u32,
    pub count: u32,
    /// Its number among those of this machine.
    pub local: u32,
    /// Where number 0 listens: `host:port`.
    pub meeting_point: String,
}

impl Place {
    /// The place that variables say, as `of` finds them: those of the environment.
    ///
    /// # Errors
    /// FX0740 where a variable is missing or is no number.
    pub fn from_variables(of: &dyn Fn(&str) -> Option<String>) -> Result<Place> {
        let wrong = |message: String| RuntimeError::new("FX0740", ErrorKind::Input, message);
        let number = |name: &str| -> Result<Option<u32>> {
            let Some(text) = of(name) else { return Ok(None) };
            match text.trim().parse() {
                Ok(number) => Ok(Some(number)),
                Err(_) => Err(wrong(format!("{name}={text:?} is no number"))),
            }
        };
        let row = LAUNCHERS.iter().find(|[rank, count, _]| of(rank).is_some() && of(count).is_some());
        let Some([rank_name, count_name, local_name]) = row else {
            let names: Vec<String> = LAUNCHERS.iter().map(|[rank, count, _]| format!("{rank} and {count}")).collect();
            return Err(wrong(format!("no launcher's variables are set: {}", names.join(", or "))));
        };
        let (own, count) = (number(rank_name)?.unwrap_or(0), number(count_name)?.unwrap_or(0));
        if own >= count || count > PROCESSES_MAX {
            let message = format!("{rank_name}={own} and {count_name}={count}: at most {PROCESSES_MAX} processes");
            return Err(wrong(message));
        }
        let port = match number("MASTER_PORT")? {
            Some(port) if (1..=65535).contains(&port) => port,
            Some(port) => return Err(wrong(format!("MASTER_PORT={port} is no port"))),
            None if count == 1 => 0,
            None => return Err(wrong("MASTER_PORT is not set: the port where number 0 listens".to_string())),
        };
        // There torchrun itself listens.
        let is_taken = of("TORCHELASTIC_USE_AGENT_STORE").is_some_and(|value| value.eq_ignore_ascii_case("true"));
        let port = if is_taken && port > 0 { port % 65535 + 1 } else { port };
        let host = of("MASTER_ADDR").unwrap_or_else(|| "127.0.0.1".to_string());
        let local = number(local_name)?.unwrap_or(own);
        Ok(Place { number: own, count, local, meeting_point: format!("{host}:{port}") })
    }

    /// Meets the other processes; `None` for a process alone. `device` is this one's.
    ///
    /// # Errors
    /// FX0741 where they do not come within the timeout; FX0704 where the device has no collectives between processes.
    pub fn connect(&self, device: &Device, timeout: Duration) -> Result<Option<Collective>> {
        if self.count == 1 {
            return Ok(None);
        }
        let place = (self.number, self.count);
        match Collective::connect(device, place, &self.meeting_point, timeout) {
            Ok(place) => Ok(Some(place)),
            Err(error) if error.kind() == crate::hal::HalErrorKind::Host => {
                Err(RuntimeError::new("FX0741", ErrorKind::Device, error.to_string()))
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// Loads a module on this process's device and calls a function; what goes wrong the others learn.
///
/// # Errors
/// FX0727 where another device failed, FX0728 where it has another module; else what goes wrong here.
pub fn invoke(
    module: &Module,
    device: &Device,
    options: SessionOptions,
    (function, inputs): (&str, &[Tensor]),
) -> Result<Vec<Tensor>> {
    team::one(module, device, options, (function, inputs))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(variables: &[(&str, &str)]) -> Result<Place> {
        let found = |name: &str| variables.iter().find(|(n, _)| *n == name).map(|(_, value)| value.to_string());
        Place::from_variables(&found)
    }

    #[test]
    fn each_launcher_has_its_names() {
        for [rank, count, local] in LAUNCHERS {
            let place = of(&[(rank, "3"), (count, "4"), (local, "1"), ("MASTER_PORT", "29500")]).unwrap();
            let meeting_point = "127.0.0.1:29500".to_string();
            assert_eq!(place, Place { number: 3, count: 4, local: 1, meeting_point });
        }
        // A launcher inside of another one's job: torchrun's come first.
        let both = [("SLURM_PROCID", "0"), ("SLURM_NTASKS", "1"), ("RANK", "1"), ("WORLD_SIZE", "2")];
        let place = of(&[&both[..], &[("MASTER_ADDR", "node7"), ("MASTER_PORT", "1")]].concat()).unwrap();
        assert_eq!((place.number, place.local, place.meeting_point.as_str()), (1, 1, "node7:1"));
        assert_eq!(of(&[("RANK", "0"), ("WORLD_SIZE", "1")]).unwrap().count, 1);
        let torchrun =
            [("RANK", "0"), ("WORLD_SIZE", "2"), ("MASTER_PORT", "9"), ("TORCHELASTIC_USE_AGENT_STORE", "True")];
        assert_eq!(of(&torchrun).unwrap().meeting_point, "127.0.0.1:10");
    }

    #[test]
    fn wrong_variables_are_named() {
        let why = |variables: &[(&str, &str)]| {
            let error = of(variables).unwrap_err();
            assert_eq!(error.code(), "FX0740");
            error.to_string()
        };
        assert!(why(&[]).contains("OMPI_COMM_WORLD_RANK"));
        assert!(why(&[("RANK", "0")]).contains("WORLD_SIZE"));
        assert!(why(&[("RANK", "x"), ("WORLD_SIZE", "2")]).contains("RANK=\"x\""));
        assert!(why(&[("RANK", "2"), ("WORLD_SIZE", "2")]).contains("RANK=2"));
        assert!(why(&[("RANK", "0"), ("WORLD_SIZE", "2")]).contains("MASTER_PORT"));
        assert!(why(&[("RANK", "0"), ("WORLD_SIZE", "2"), ("MASTER_PORT", "70000")]).contains("70000"));
        assert!(why(&[("RANK", "0"), ("WORLD_SIZE", "100000"), ("MASTER_PORT", "1")]).contains("512"));
    }
}

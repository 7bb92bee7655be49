//! The settings of a double, from variables or from a control request.

use crate::faults::Faults;

/// What a double pretends. Each setting is a variable `FORNAX_FAKE_<NAME>`, for one double alone
/// `FORNAX_FAKE_CUDA_<NAME>` (`HIP`, `OPENCL`), and a word `name=value` of a reset request.
#[derive(Clone, Debug)]
pub struct Config {
    /// `arch`: the architecture of each device, comma-separated.
    pub arches: Vec<String>,
    /// `memory`: bytes of each device.
    pub memory: u64,
    /// `poison`: the byte that fresh memory holds, hexadecimal. The default makes every float a NaN.
    pub poison: u8,
    /// `fail`: calls that fail.
    pub faults: Faults,
    /// `pools`: 0 for devices without stream-ordered allocation.
    pub pools: bool,
    /// `properties`: `old` for a library without the newer structure of device properties.
    pub old_properties: bool,
    /// `execute`: 0 for kernels that are only recorded, their addresses checked.
    pub execute: bool,
    /// `threads`: host threads of a kernel; 0 for all.
    pub threads: usize,
    /// `seed`: decides the order in which waves run.
    pub seed: u64,
    /// `uuid`: identity of the first device, as its URI shows it; others differ from it in their last byte.
    pub uuid: Option<[u8; 16]>,
    /// `report`: the file that gets the report when the process ends.
    pub report: Option<String>,
}

const NAMES: &[&str] =
    &["arch", "memory", "poison", "fail", "pools", "properties", "execute", "threads", "seed", "uuid", "report"];

impl Config {
    /// The settings of a double whose devices are `arch` unless something else is said.
    pub fn new(arch: &str) -> Config {
        Config {
            arches: vec![arch.to_string()],
            memory: 16 << 30,
            poison: 0xff,
            faults: Faults::default(),
            pools: true,
            old_properties: false,
            execute: true,
            threads: 1,
            seed: 0,
            uuid: None,
            report: None,
        }
    }

    /// As [`Config::new`], changed by the variables of the process: those of all doubles, then those of `double`
    /// (`fake-cuda`).
    pub fn from_environment(double: &str, arch: &str) -> Result<Config, String> {
        let mut config = Config::new(arch);
        let own = format!("FORNAX_{}", double.replace('-', "_").to_uppercase());
        for prefix in ["FORNAX_FAKE", &own] {
            for name in NAMES {
                if let Ok(value) = std::env::var(format!("{prefix}_{}", name.to_uppercase())) {
                    config.set(name, &value)?;
                }
            }
        }
        Ok(config)
    }

    /// Takes words `name=value`.
    pub fn set_words(&mut self, words: &str) -> Result<(), String> {
        for word in words.split_whitespace() {
            let (name, value) = word.split_once('=').ok_or_else(|| format!("`{word}` is not name=value"))?;
            self.set(name, value)?;
        }
        Ok(())
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        let wrong = || format!("`{value}` is no value of `{name}`");
        match name {
            "arch" => self.arches = value.split(',').filter(|arch| !arch.is_empty()).map(String::from).collect(),
            "memory" => self.memory = value.parse().map_err(|_| wrong())?,
            "poison" => self.poison = u8::from_str_radix(value, 16).map_err(|_| wrong())?,
            "fail" => self.faults = Faults::parse(value)?,
            "pools" => self.pools = value != "0",
            "properties" => self.old_properties = value == "old",
            "execute" => self.execute = value != "0",
            "threads" => self.threads = value.parse().map_err(|_| wrong())?,
            "seed" => self.seed = value.parse().map_err(|_| wrong())?,
            "uuid" => self.uuid = Some(uuid(value).ok_or_else(wrong)?),
            "report" => self.report = Some(value.to_string()),
            _ => return Err(format!("there is no setting `{name}`; there are {}", NAMES.join(", "))),
        }
        Ok(())
    }
}

/// 32 hexadecimal digits, dashes anywhere.
fn uuid(text: &str) -> Option<[u8; 16]> {
    let digits = text.replace('-', "");
    let number = u128::from_str_radix(&digits, 16).ok().filter(|_| digits.len() == 32)?;
    Some(number.to_be_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_change_settings_and_unknown_ones_are_errors() {
        let mut config = Config::new("gfx908");
        config.set_words("arch=gfx942,gfx90a:xnack- poison=00 fail=hipMalloc#2=2").unwrap();
        assert_eq!(config.arches, ["gfx942", "gfx90a:xnack-"]);
        assert_eq!((config.poison, config.pools), (0, true));
        assert!(config.set_words("colour=red").unwrap_err().contains("no setting `colour`"));
        assert!(config.set_words("memory=lots").is_err());
    }
}

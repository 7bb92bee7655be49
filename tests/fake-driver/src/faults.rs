//! Which calls fail, and with what.

/// `NAME#K=CODE` lets the K-th call of a function fail (from 1 on), `#K=CODE` the K-th call of any; several are joined
/// by commas.
#[derive(Clone, Debug, Default)]
pub struct Faults(Vec<Fault>);

#[derive(Clone, Debug)]
struct Fault {
    /// Empty for any function.
    name: String,
    at: u64,
    code: i32,
}

impl Faults {
    /// Reads the text form.
    pub fn parse(text: &str) -> Result<Faults, String> {
        let wrong = |part: &str| format!("`{part}` is not NAME#K=CODE");
        let parts = text.split(',').filter(|part| !part.is_empty());
        let fault = |part: &str| {
            let (call, code) = part.split_once('=').ok_or_else(|| wrong(part))?;
            let (name, at) = call.split_once('#').ok_or_else(|| wrong(part))?;
            let at = at.parse().map_err(|_| wrong(part))?;
            Ok(Fault { name: name.to_string(), at, code: code.parse().map_err(|_| wrong(part))? })
        };
        parts.map(fault).collect::<Result<Vec<Fault>, String>>().map(Faults)
    }

    /// The code with which a call fails: the `of_name`-th of this function and the `of_all`-th of all.
    pub fn code(&self, name: &str, of_name: u64, of_all: u64) -> Option<i32> {
        let hit = |fault: &&Fault| match fault.name.as_str() {
            "" => fault.at == of_all,
            wanted => wanted == name && fault.at == of_name,
        };
        self.0.iter().find(hit).map(|fault| fault.code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_hit_by_name_or_by_count() {
        let faults = Faults::parse("hipMalloc#2=2,#7=719").unwrap();
        assert_eq!(faults.code("hipMalloc", 1, 3), None);
        assert_eq!(faults.code("hipMalloc", 2, 5), Some(2));
        assert_eq!(faults.code("hipFree", 2, 6), None);
        assert_eq!(faults.code("hipFree", 1, 7), Some(719));
        assert!(Faults::parse("hipMalloc=2").is_err());
    }
}

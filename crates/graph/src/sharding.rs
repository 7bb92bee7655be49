//! How Shardy's text says that tensors lie on devices: meshes, and the axes that cut each dimension.
//!
//! Worked example: `sdy.mesh @mesh = <["x"=4, "y"=2]>` has 8 devices; device 5 is at x = 2, y = 1. A tensor of 8x16
//! with `<@mesh, [{"x"}, {}]>` is cut into 4 pieces of 2x16, each on two devices. An open dimension (`{"x", ?}`) may be
//! cut further. Priorities change nothing here.

/// A named grid of devices; the last axis counts fastest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mesh {
    pub name: String,
    pub axes: Vec<(String, i64)>,
}

/// The axes that cut a dimension, the first one coarsest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DimAxes {
    pub names: Vec<String>,
    /// Whether more axes may cut it.
    pub open: bool,
}

/// How a tensor is cut: a mesh by name, and the axes of each dimension.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sharding {
    pub mesh: String,
    pub dims: Vec<DimAxes>,
}

/// A reader of the few tokens that these texts have.
struct Reader<'t> {
    left: &'t str,
}

impl<'t> Reader<'t> {
    fn eat(&mut self, token: &str) -> bool {
        self.left = self.left.trim_start();
        match self.left.strip_prefix(token) {
            Some(left) => {
                self.left = left;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, token: &str) -> Result<(), String> {
        let at: String = self.left.chars().take(12).collect();
        if self.eat(token) { Ok(()) } else { Err(format!("`{token}` is missing before `{at}`")) }
    }

    fn string(&mut self) -> Result<String, String> {
        self.expect("\"")?;
        let (text, left) = self.left.split_once('"').ok_or("a string does not end")?;
        self.left = left;
        Ok(text.to_string())
    }

    fn word(&mut self) -> &'t str {
        self.left = self.left.trim_start();
        let end = self.left.find(|c: char| !c.is_ascii_alphanumeric() && !"_.$".contains(c)).unwrap_or(self.left.len());
        let (word, left) = self.left.split_at(end);
        self.left = left;
        word
    }

    fn number(&mut self) -> Result<i64, String> {
        self.word().parse().map_err(|_| "a number is missing".to_string())
    }

    /// `{"x", "y", ?}`, perhaps with a priority behind it.
    fn axes(&mut self) -> Result<DimAxes, String> {
        self.expect("{")?;
        let mut axes = DimAxes::default();
        while !self.eat("}") {
            if self.eat("?") {
                axes.open = true;
            } else {
                axes.names.push(self.string()?);
                if self.eat(":") {
                    return Err(format!("axis \"{}\" is split into parts", axes.names.concat()));
                }
            }
            self.eat(",");
            if self.left.is_empty() {
                return Err("`}` is missing".into());
            }
        }
        if self.left.starts_with('p') {
            self.word();
        }
        Ok(axes)
    }

    /// `<@mesh, [{…}, …]>`, with what is replicated or not reduced behind it.
    fn sharding(&mut self) -> Result<Sharding, String> {
        self.expect("<")?;
        self.expect("@").map_err(|_| "a mesh without a name".to_string())?;
        let mesh = self.word().to_string();
        self.expect(",")?;
        self.expect("[")?;
        let mut dims = Vec::new();
        while !self.eat("]") {
            dims.push(self.axes()?);
            self.eat(",");
            if self.left.is_empty() {
                return Err("`]` is missing".into());
            }
        }
        while self.eat(",") {
            let word = self.word();
            self.expect("=")?;
            let axes = self.axes()?;
            if word != "replicated" && !axes.names.is_empty() {
                return Err(format!("`{word}` axes"));
            }
        }
        self.expect(">")?;
        Ok(Sharding { mesh, dims })
    }
}

impl Mesh {
    /// The mesh of a module op's text; `None` for other ops.
    ///
    /// # Errors
    /// What of it cannot be read.
    pub fn parse(text: &str) -> Option<Result<Mesh, String>> {
        let mut reader = Reader { left: text };
        if !reader.eat("sdy.mesh") {
            return None;
        }
        Some(Mesh::read(&mut reader))
    }

    fn read(reader: &mut Reader) -> Result<Mesh, String> {
        reader.expect("@")?;
        let name = reader.word().to_string();
        reader.expect("=")?;
        reader.expect("<")?;
        let mut axes = Vec::new();
        reader.expect("[")?;
        while !reader.eat("]") {
            let axis = reader.string()?;
            reader.expect("=")?;
            let size = reader.number()?;
            if size < 1 {
                return Err(format!("axis \"{axis}\" has no devices"));
            }
            axes.push((axis, size));
            reader.eat(",");
            if reader.left.is_empty() {
                return Err("`]` is missing".into());
            }
        }
        if reader.eat(",") {
            return Err("its devices are in an order of their own (`device_ids`)".into());
        }
        reader.expect(">")?;
        Ok(Mesh { name, axes })
    }

    pub fn devices(&self) -> Option<i64> {
        self.axes.iter().try_fold(1i64, |n, axis| n.checked_mul(axis.1))
    }

    /// How far apart neighbours along an axis are, in numbers of devices.
    pub fn stride(&self, axis: usize) -> i64 {
        self.axes.iter().skip(axis + 1).map(|axis| axis.1).product()
    }
}

/// Mesh and axes of `#sdy.sharding<@mesh, […]>`.
///
/// # Errors
/// What of it cannot be read.
pub fn parse_sharding(text: &str) -> Result<Sharding, String> {
    let mut reader = Reader { left: text };
    let _ = reader.eat("#sdy.sharding");
    reader.sharding()
}

/// The shardings of `#sdy.sharding_per_value<[<@mesh, […]>, …]>`.
///
/// # Errors
/// What of it cannot be read.
pub fn parse_shardings(text: &str) -> Result<Vec<Sharding>, String> {
    let mut reader = Reader { left: text };
    if reader.eat("#sdy.sharding_per_value") {
        reader.expect("<")?;
    }
    reader.expect("[")?;
    let mut all = Vec::new();
    while !reader.eat("]") {
        all.push(reader.sharding()?);
        reader.eat(",");
        if reader.left.is_empty() {
            return Err("`]` is missing".into());
        }
    }
    Ok(all)
}

/// The axes of `#sdy<manual_axes{"x", "y"}>` or `{"x", "y"}`.
///
/// # Errors
/// What of it cannot be read.
pub fn parse_axes(text: &str) -> Result<Vec<String>, String> {
    let mut reader = Reader { left: text };
    let _ = reader.eat("#sdy<manual_axes") || reader.eat("#sdy.manual_axes<");
    Ok(reader.axes()?.names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_jax_are_read() {
        let mesh = "sdy.mesh @mesh = <[\"x\"=4, \"y\"=2]> {stablehlo.mesh = {axes = []}}";
        let mesh = Mesh::parse(mesh).unwrap().unwrap();
        assert_eq!((mesh.devices(), mesh.stride(0), mesh.stride(1)), (Some(8), 2, 1));
        let read = parse_sharding("#sdy.sharding<@mesh, [{\"x\", ?}p1, {}, {?}], replicated={\"y\"}>").unwrap();
        let dim = |names: &[&str], open| DimAxes { names: names.iter().map(|n| n.to_string()).collect(), open };
        assert_eq!((read.mesh.as_str(), read.dims), ("mesh", vec![dim(&["x"], true), dim(&[], false), dim(&[], true)]));
        let all = parse_shardings("#sdy.sharding_per_value<[<@mesh, [{\"x\"}, {\"y\"}]>, <@mesh, []>]>").unwrap();
        assert_eq!((all.len(), all[1].dims.len()), (2, 0));
        assert_eq!(parse_axes("#sdy<manual_axes{\"x\", \"y\"}>").unwrap(), ["x", "y"]);
    }

    #[test]
    fn what_is_not_read_says_so() {
        assert!(Mesh::parse("func.func @x").is_none());
        let why = |text| Mesh::parse(text).unwrap().unwrap_err();
        assert!(why("sdy.mesh @m = <[\"x\"=2], device_ids=[1, 0]>").contains("order"));
        assert!(why("sdy.mesh @m = <[\"x\"=2").contains("missing"));
        assert!(parse_sharding("#sdy.sharding<@m, [{\"x\":(1)2}]>").unwrap_err().contains("parts"));
        assert!(parse_sharding("#sdy.sharding<mesh<[\"x\"=2]>, [{\"x\"}]>").unwrap_err().contains("name"));
        assert!(parse_sharding("#sdy.sharding<@m, [{\"x\"").is_err());
        assert!(parse_shardings("[<@m, [{}]>").is_err());
    }
}

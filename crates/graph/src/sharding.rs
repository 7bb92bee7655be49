//! How Shardy's text says that tensors lie on devices: meshes, and the axes that cut each dimension.
//!
//! Worked example: `sdy.mesh @mesh = <["x"=4, "y"=2]>` has 8 devices; device 5 is at x = 2, y = 1. A tensor of 8x16
//! with `<@mesh, [{"x"}, {}]>` is cut into 4 pieces of 2x16, each on two devices. An open dimension (`{"x", ?}`) may be
//! cut further. `"x":(1)2` is a part of an axis: the coarser half of the four. Priorities change nothing here.
//!
//! A mesh may list its devices in an order of its own: `<["x"=2, "y"=2], device_ids=[0, 2, 1, 3]>` is the transpose of
//! the plain one.

use crate::devices::DEVICES_MAX;
use crate::reader::Reader;

/// A named grid of devices; the last axis counts fastest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mesh {
    pub name: String,
    pub axes: Vec<(String, i64)>,
    /// The devices in their order; `None` where they count up.
    pub device_ids: Option<Vec<i64>>,
}

/// An axis of a mesh, or a part of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AxisRef {
    pub name: String,
    /// Of a part: how many pieces the coarser parts make, and how many this one.
    pub part: Option<(i64, i64)>,
}

/// Devices along a part of an axis: how far apart neighbours are, in numbers of devices, and how many there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Steps {
    pub stride: i64,
    pub size: i64,
}

/// The axes that cut a dimension, the first one coarsest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DimAxes {
    pub axes: Vec<AxisRef>,
    /// Whether more axes may cut it.
    pub open: bool,
}

/// How a tensor is cut: a mesh by name, and the axes of each dimension.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sharding {
    pub mesh: String,
    pub dims: Vec<DimAxes>,
    /// Along these the devices have parts of a sum.
    pub unreduced: Vec<AxisRef>,
}

impl std::fmt::Display for AxisRef {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "\"{}\"", self.name)?;
        self.part.map_or(Ok(()), |(before, own)| write!(f, ":({before}){own}"))
    }
}

/// `a, b`
fn listed<T: std::fmt::Display>(items: impl IntoIterator<Item = T>) -> String {
    items.into_iter().map(|item| item.to_string()).collect::<Vec<_>>().join(", ")
}

impl std::fmt::Display for Sharding {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let open = |dim: &DimAxes| dim.open.then(|| "?".to_string());
        let dim = |dim: &DimAxes| format!("{{{}}}", listed(dim.axes.iter().map(AxisRef::to_string).chain(open(dim))));
        write!(f, "<@{}, [{}]", self.mesh, listed(self.dims.iter().map(dim)))?;
        if !self.unreduced.is_empty() {
            write!(f, ", unreduced={{{}}}", listed(&self.unreduced))?;
        }
        write!(f, ">")
    }
}

impl std::fmt::Display for Mesh {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let axes = self.axes.iter().map(|(name, size)| format!("\"{name}\"={size}"));
        write!(f, "sdy.mesh @{} = <[{}]", self.name, listed(axes))?;
        if let Some(ids) = &self.device_ids {
            write!(f, ", device_ids=[{}]", listed(ids))?;
        }
        write!(f, ">")
    }
}

impl Reader<'_> {
    fn string(&mut self) -> Result<String, String> {
        self.expect("\"")?;
        let (text, left) = self.left.split_once('"').ok_or("a string does not end")?;
        self.left = left;
        Ok(text.to_string())
    }

    /// `"x"`, or `"x":(1)2`.
    fn axis(&mut self) -> Result<AxisRef, String> {
        let name = self.string()?;
        let mut part = None;
        if self.eat(":") {
            self.expect("(")?;
            let before = self.number()?;
            self.expect(")")?;
            part = Some((before, self.number()?));
        }
        Ok(AxisRef { name, part })
    }

    /// `{"x", "y", ?}`, perhaps with a priority behind it.
    fn axes(&mut self) -> Result<DimAxes, String> {
        self.expect("{")?;
        let mut axes = DimAxes::default();
        while !self.eat("}") {
            if self.eat("?") {
                axes.open = true;
            } else {
                axes.axes.push(self.axis()?);
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
        let mut unreduced = Vec::new();
        while self.eat(",") {
            let word = self.word();
            self.expect("=")?;
            let axes = self.axes()?;
            match word {
                "replicated" => {}
                "unreduced" => unreduced = axes.axes,
                _ => return Err(format!("`{word}` axes")),
            }
        }
        self.expect(">")?;
        Ok(Sharding { mesh, dims, unreduced })
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
        let mut device_ids = None;
        if reader.eat(",") {
            reader.expect("device_ids")?;
            reader.expect("=")?;
            reader.expect("[")?;
            let mut ids = Vec::new();
            while !reader.eat("]") {
                ids.push(reader.number()?);
                reader.eat(",");
                if reader.left.is_empty() {
                    return Err("`]` is missing".into());
                }
            }
            device_ids = Some(ids);
        }
        reader.expect(">")?;
        let mesh = Mesh { name, axes, device_ids };
        match mesh.devices() {
            Some(_) => Ok(mesh),
            None => Err("it has too many devices".into()),
        }
    }

    pub fn devices(&self) -> Option<i64> {
        self.axes.iter().try_fold(1i64, |n, axis| n.checked_mul(axis.1))
    }

    /// How far apart neighbours along an axis are, in places of the mesh.
    fn stride(&self, axis: usize) -> i64 {
        self.axes.iter().skip(axis + 1).map(|axis| axis.1).product()
    }

    /// An axis or a part of one as steps, the coarsest first.
    ///
    /// # Errors
    /// Why it has none: no such axis, a part that does not divide it, devices in an order without steps.
    pub fn steps(&self, axis: &AxisRef) -> Result<Vec<Steps>, String> {
        let name = &axis.name;
        let at = self.axes.iter().position(|(own, _)| own == name);
        let at = at.ok_or_else(|| format!("mesh @{} has no axis \"{name}\"", self.name))?;
        let (size, stride) = (self.axes.get(at).map_or(1, |axis| axis.1), self.stride(at));
        let (before, own) = axis.part.unwrap_or((1, size));
        let within = before.checked_mul(own).filter(|&all| before > 0 && own > 0 && all <= size && size % all == 0);
        let all = within.ok_or_else(|| format!("axis \"{name}\" of {size} has no part ({before}){own}"))?;
        let stride = stride * (size / all);
        let Some(ids) = &self.device_ids else { return Ok(vec![Steps { stride, size: own }]) };
        self.listed(ids, stride, own)
            .ok_or_else(|| format!("mesh @{} lists its devices in no regular order", self.name))
    }

    /// Groups of devices that differ along these axes alone, in the order of the axes.
    ///
    /// # Errors
    /// As [`Mesh::steps`]; more devices than a module has.
    pub fn groups(&self, axes: &[AxisRef]) -> Result<Vec<Vec<i64>>, String> {
        let devices = self.devices().filter(|&n| n <= DEVICES_MAX.into());
        let devices = devices.ok_or_else(|| format!("mesh @{} has too many devices", self.name))?;
        let (mut all, mut offsets) = (Vec::new(), vec![0]);
        for axis in axes {
            for steps in self.steps(axis)? {
                let along = |&at: &i64| (0..steps.size).map(move |n| at + n * steps.stride);
                offsets = offsets.iter().flat_map(along).collect();
                all.push(steps);
                if offsets.len() as i64 > devices {
                    return Err(format!("an axis of mesh @{} is named twice", self.name));
                }
            }
        }
        let is_first = |device: &i64| all.iter().all(|steps| device / steps.stride % steps.size == 0);
        Ok((0..devices).filter(is_first).map(|first| offsets.iter().map(|at| first + at).collect()).collect())
    }

    /// The steps of devices that are listed, along `size` places that are `stride` apart. The first device is 0, and
    /// wherever one stands along the other axes, the steps are the same.
    fn listed(&self, ids: &[i64], stride: i64, size: i64) -> Option<Vec<Steps>> {
        let (stride, size) = (usize::try_from(stride).ok()?, usize::try_from(size).ok()?);
        let mut sorted = ids.to_vec();
        sorted.sort_unstable();
        if ids.first() != Some(&0) || !sorted.into_iter().eq(0..self.devices()?) {
            return None;
        }
        let offsets: Vec<i64> = (0..size).map(|n| ids.get(n * stride).copied()).collect::<Option<_>>()?;
        for (place, id) in ids.iter().enumerate() {
            let along = place / stride % size;
            if ids.get(place - along * stride)? + offsets.get(along)? != *id {
                return None;
            }
        }
        let (mut steps, mut done) = (Vec::new(), 1);
        while done < size {
            let stride = *offsets.get(done)?;
            let is_regular = |n: usize| offsets.get(done * n) == Some(&(stride * n as i64));
            // As long as the steps are equal, if the rest divides so.
            let mut count = (1..=size / done).take_while(|&n| is_regular(n - 1)).count();
            while (size / done) % count != 0 {
                count -= 1;
            }
            let repeats = (0..size).all(|n| {
                let (inner, outer) = (n % (done * count), n - n % (done * count));
                offsets.get(inner).zip(offsets.get(outer)).is_some_and(|(a, b)| offsets[n] == a + b)
            });
            if count < 2 || stride < 1 || !repeats {
                return None;
            }
            steps.insert(0, Steps { stride, size: count as i64 });
            done *= count;
        }
        Some(steps)
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
    Ok(reader.axes()?.axes.into_iter().map(|axis| axis.name).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_jax_are_read() {
        let mesh = "sdy.mesh @mesh = <[\"x\"=4, \"y\"=2]> {stablehlo.mesh = {axes = []}}";
        let mesh = Mesh::parse(mesh).unwrap().unwrap();
        assert_eq!(mesh.devices(), Some(8));
        let read = parse_sharding("#sdy.sharding<@mesh, [{\"x\", ?}p1, {}, {?}], replicated={\"y\"}>").unwrap();
        let whole = |name: &&str| AxisRef { name: name.to_string(), part: None };
        let dim = |names: &[&str], open| DimAxes { axes: names.iter().map(whole).collect(), open };
        assert_eq!((read.mesh.as_str(), read.dims), ("mesh", vec![dim(&["x"], true), dim(&[], false), dim(&[], true)]));
        let all = parse_shardings("#sdy.sharding_per_value<[<@mesh, [{\"x\"}, {\"y\"}]>, <@mesh, []>]>").unwrap();
        assert_eq!((all.len(), all[1].dims.len()), (2, 0));
        let sums = parse_sharding("<@mesh, [{}], unreduced={\"y\"}>").unwrap();
        assert_eq!(sums.unreduced, [AxisRef { name: "y".into(), part: None }]);
        assert_eq!(parse_axes("#sdy<manual_axes{\"x\", \"y\"}>").unwrap(), ["x", "y"]);
    }

    #[test]
    fn axes_and_their_parts_are_steps() {
        let mesh = |text: &str| Mesh::parse(&format!("sdy.mesh @m = <{text}>")).unwrap().unwrap();
        let of = |mesh: &Mesh, text: &str| {
            let read = parse_sharding(&format!("<@m, [{{{text}}}]>"))?;
            let steps = mesh.steps(&read.dims[0].axes[0])?;
            Ok::<_, String>(steps.into_iter().map(|steps| (steps.stride, steps.size)).collect::<Vec<_>>())
        };
        let plain = mesh(r#"["x"=4, "y"=2]"#);
        assert_eq!(of(&plain, r#""x""#).unwrap(), [(2, 4)]);
        assert_eq!(of(&plain, r#""x":(1)2"#).unwrap(), [(4, 2)]);
        assert_eq!(of(&plain, r#""x":(2)2"#).unwrap(), [(2, 2)]);
        assert!(of(&plain, r#""x":(2)4"#).unwrap_err().contains("no part"));
        assert!(of(&plain, r#""z""#).unwrap_err().contains("no axis"));
        let turned = mesh(r#"["x"=2, "y"=4], device_ids=[0, 2, 4, 6, 1, 3, 5, 7]"#);
        assert_eq!((of(&turned, r#""x""#).unwrap(), of(&turned, r#""y""#).unwrap()), (vec![(1, 2)], vec![(2, 4)]));
        let woven = mesh(r#"["x"=8], device_ids=[0, 4, 1, 5, 2, 6, 3, 7]"#);
        assert_eq!(of(&woven, r#""x""#).unwrap(), [(1, 4), (4, 2)]);
        assert_eq!(of(&woven, r#""x":(1)4"#).unwrap(), [(1, 4)]);
        let wild = mesh(r#"["x"=4], device_ids=[0, 1, 3, 2]"#);
        assert!(of(&wild, r#""x""#).unwrap_err().contains("order"));
    }

    #[test]
    fn what_is_not_read_says_so() {
        assert!(Mesh::parse("func.func @x").is_none());
        let why = |text| Mesh::parse(text).unwrap().unwrap_err();
        assert!(why("sdy.mesh @m = <[\"x\"=2], devices=[1, 0]>").contains("device_ids"));
        assert!(why("sdy.mesh @m = <[\"x\"=2").contains("missing"));
        assert!(why("sdy.mesh @m = <[\"x\"=4294967296, \"y\"=4294967296]>").contains("too many"));
        assert!(parse_sharding("#sdy.sharding<mesh<[\"x\"=2]>, [{\"x\"}]>").unwrap_err().contains("name"));
        assert!(parse_sharding("#sdy.sharding<@m, [{\"x\"").is_err());
        assert!(parse_sharding("<@m, [{}], unreduced={\"x\"}, reduction=2>").is_err());
        assert!(parse_shardings("[<@m, [{}]>").is_err());
    }
}

//! Which axes of the devices cut each dimension of a tensor.
//!
//! The axes of a program's meshes, and parts of them that it names, are all made of the same axes: the coarsest ones
//! that are enough. Worked example: `@a = <["x"=4, "y"=2]>` and `@b = <["u"=2, "v"=4]>` on 8 devices have the axes 0, 1
//! and 2 of two devices each; x is 0 and 1, y is 2, u is 0, v is 1 and 2.

use fornax_graph::sharding::{AxisRef, Mesh, Sharding, Steps};
use fornax_graph::{Attr, Dim, TensorType};

use crate::rewrite::build::ints;

/// By dimension the numbers of the axes that cut it, the first one coarsest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Layout(pub Vec<Vec<usize>>);

impl Layout {
    pub fn is_whole(&self) -> bool {
        self.0.iter().all(Vec::is_empty)
    }

    /// Axes of one kind, and of the other, by dimension; `None` where one of the first stands behind one of the others.
    pub fn split(&self, first: &dyn Fn(usize) -> bool) -> Option<(Layout, Layout)> {
        let mut both = (Layout(Vec::new()), Layout(Vec::new()));
        for axes in &self.0 {
            let (own, others) = axes.split_at(axes.iter().take_while(|axis| first(**axis)).count());
            if others.iter().any(|axis| first(*axis)) {
                return None;
            }
            both.0.0.push(own.to_vec());
            both.1.0.push(others.to_vec());
        }
        Some(both)
    }

    /// The axes of one layout, then those of another, by dimension.
    pub fn joined(&self, other: &Layout) -> Layout {
        Layout(self.0.iter().zip(&other.0).map(|(a, b)| [a.as_slice(), b].concat()).collect())
    }

    pub fn uses(&self, axis: usize) -> bool {
        self.0.iter().flatten().any(|&a| a == axis)
    }
}

/// The devices, as meshes of the same axes.
pub(super) struct Machine {
    devices: i64,
    meshes: Vec<Mesh>,
    /// From the coarsest to the finest.
    axes: Vec<Steps>,
    /// By place of the meshes the device; `None` where that is the same number.
    order: Option<Vec<i64>>,
}

impl Machine {
    /// Meshes of all devices, and of one; `named` are the axes and parts of axes that the program names. Where a mesh
    /// lists its devices in no regular order, the others may list them so, too: then devices are counted in that order.
    ///
    /// # Errors
    /// Where no common axes make them all up.
    pub fn new(devices: i64, meshes: Vec<Mesh>, named: &[(String, AxisRef)]) -> Result<Machine, String> {
        let plain = Machine::counted(devices, meshes.clone(), named);
        if plain.is_ok() {
            return plain;
        }
        let mut orders = meshes.iter().filter_map(|mesh| mesh.device_ids.as_ref());
        let in_order = |order: &Vec<i64>| {
            let places = places(order, devices)?;
            let meshes = meshes.iter().map(|mesh| in_places(mesh, &places)).collect::<Option<Vec<Mesh>>>()?;
            let machine = Machine::counted(devices, meshes, named).ok()?;
            Some(Machine { order: Some(order.clone()), ..machine })
        };
        orders.find_map(in_order).map_or(plain, Ok)
    }

    /// The machine whose devices count up.
    fn counted(devices: i64, meshes: Vec<Mesh>, named: &[(String, AxisRef)]) -> Result<Machine, String> {
        // Where one axis ends and another one begins.
        let mut bounds = vec![1, devices];
        let mut bind = |steps: Vec<Steps>| bounds.extend(steps.iter().flat_map(|s| [s.stride, s.stride * s.size]));
        for mesh in &meshes {
            let whole = |(name, _): &(String, i64)| mesh.steps(&AxisRef { name: name.clone(), part: None });
            // An axis that no sharding names may be in any order.
            mesh.axes.iter().filter_map(|axis| whole(axis).ok()).for_each(&mut bind);
            for (_, axis) in named.iter().filter(|(name, _)| *name == mesh.name) {
                bind(mesh.steps(axis)?);
            }
        }
        bounds.sort_unstable();
        bounds.dedup();
        let mut axes = Vec::with_capacity(bounds.len());
        for pair in bounds.windows(2) {
            let &[stride, next] = pair else { continue };
            if next % stride != 0 {
                return Err(format!("axes of {stride} and of {next} devices cut each other"));
            }
            axes.insert(0, Steps { stride, size: next / stride });
        }
        Ok(Machine { devices, meshes, axes, order: None })
    }

    /// By device its place; `None` where that is the same number.
    pub fn places(&self) -> Option<Vec<i64>> {
        places(self.order.as_ref()?, self.devices)
    }

    pub fn size(&self, axis: usize) -> i64 {
        self.axes.get(axis).map_or(1, |axis| axis.size)
    }

    pub fn stride(&self, axis: usize) -> i64 {
        self.axes.get(axis).map_or(1, |axis| axis.stride)
    }

    pub fn devices(&self) -> i64 {
        self.devices
    }

    /// Every axis.
    pub fn all(&self) -> std::ops::Range<usize> {
        0..self.axes.len()
    }

    /// The axes that an axis of a mesh is made of, the coarsest first; none where it has one device.
    ///
    /// # Errors
    /// Where there is no such mesh or axis.
    pub fn axes_of(&self, mesh: &str, axis: &AxisRef) -> Result<Vec<usize>, String> {
        let found = self.meshes.iter().find(|own| own.name == mesh);
        let steps = found.ok_or_else(|| format!("there is no mesh @{mesh} of all devices"))?.steps(axis)?;
        let within = |steps: &Steps, own: &Steps| (steps.stride..steps.stride * steps.size).contains(&own.stride);
        let of = |steps: &Steps| self.all().filter(|&at| within(steps, &self.axes[at])).collect::<Vec<_>>();
        Ok(steps.iter().flat_map(of).collect())
    }

    /// The axes that a sharding names, whatever they cut.
    ///
    /// # Errors
    /// As [`Machine::axes_of`].
    pub fn axes_of_all(&self, sharding: &Sharding) -> Result<Vec<usize>, String> {
        let named = sharding.dims.iter().flat_map(|dim| &dim.axes);
        let each: Vec<Vec<usize>> = named.map(|axis| self.axes_of(&sharding.mesh, axis)).collect::<Result<_, _>>()?;
        Ok(each.concat())
    }

    /// The axes of names, of the mesh that has them.
    ///
    /// # Errors
    /// As [`Machine::axes_of`].
    pub fn axes_of_names(&self, names: &[String], mesh: Option<&str>) -> Result<Vec<usize>, String> {
        let has = |own: &&Mesh| names.iter().all(|name| own.axes.iter().any(|axis| axis.0 == *name));
        let mesh = mesh.or_else(|| self.meshes.iter().find(has).map(|mesh| mesh.name.as_str())).unwrap_or_default();
        let mut all = Vec::new();
        for name in names {
            all.extend(self.axes_of(mesh, &AxisRef { name: name.clone(), part: None })?);
        }
        Ok(all)
    }

    /// Pieces that axes cut a dimension into.
    pub fn pieces(&self, axes: &[usize]) -> i64 {
        axes.iter().map(|&axis| self.size(axis)).product()
    }

    /// How long the parts of a dimension are.
    pub fn share(&self, size: i64, axes: &[usize]) -> i64 {
        let pieces = self.pieces(axes);
        size / pieces + i64::from(size % pieces != 0)
    }

    pub fn replicated(&self, ty: &TensorType) -> Layout {
        Layout(vec![Vec::new(); ty.rank()])
    }

    /// The layout of a tensor by names of axes; a dimension of fewer elements than pieces stays whole.
    pub fn layout(&self, sharding: &Sharding, whole: &TensorType) -> Result<Layout, String> {
        let mut layout = self.replicated(whole);
        for (at, dim) in sharding.dims.iter().enumerate() {
            for named in &dim.axes {
                for axis in self.axes_of(&sharding.mesh, named)? {
                    if layout.uses(axis) {
                        return Err(format!("axis \"{}\" cuts twice", named.name));
                    }
                    layout.0.get_mut(at).iter_mut().for_each(|axes| axes.push(axis));
                }
            }
            if let (Some(axes), Some(size)) = (layout.0.get_mut(at), whole.shape.get(at))
                && !self.divides(*size, axes)
                && !self.can_fill(*size, axes, whole)
            {
                axes.clear();
            }
        }
        Ok(layout)
    }

    /// Whether axes cut a dimension into equal parts.
    pub fn divides(&self, size: Dim, axes: &[usize]) -> bool {
        axes.is_empty() || size.as_static().is_some_and(|n| n % self.pieces(axes) == 0)
    }

    /// Whether a dimension of `whole` may be uneven parts, the last ones short or empty. What fills them up is cut off
    /// by slices, which want to know all sizes.
    pub fn can_fill(&self, size: Dim, axes: &[usize], whole: &TensorType) -> bool {
        whole.static_shape().is_some() && size.as_static().is_some_and(|n| n > self.pieces(axes))
    }

    /// What of a layout is at the edges of functions, where the runtime cuts and joins: uneven parts are whole, and all
    /// is where devices are in an order of their own.
    pub fn at_edges(&self, layout: &Layout, whole: &TensorType) -> Layout {
        if self.order.is_some() { self.replicated(whole) } else { self.even(layout, whole) }
    }

    /// A layout without its uneven parts: such dimensions are whole.
    pub fn even(&self, layout: &Layout, whole: &TensorType) -> Layout {
        let even = |(axes, size): (&Vec<usize>, &Dim)| match self.divides(*size, axes) {
            true => axes.clone(),
            false => Vec::new(),
        };
        Layout(layout.0.iter().zip(&whole.shape).map(even).collect())
    }

    /// The same, where open dimensions keep what cuts them now.
    pub fn completed(&self, sharding: &Sharding, whole: &TensorType, now: &Layout) -> Result<Layout, String> {
        let mut layout = self.layout(sharding, whole)?;
        for (at, dim) in sharding.dims.iter().enumerate().filter(|(_, dim)| dim.open) {
            let (Some(own), Some(axes)) = (now.0.get(at), layout.0.get(at)) else { continue };
            let fits = own.starts_with(axes) && own[axes.len()..].iter().all(|&axis| !layout.uses(axis));
            // A dimension that what is listed does not divide stays whole.
            let listed = dim.axes.iter().map(|axis| self.axes_of(&sharding.mesh, axis).map_or(0, |axes| axes.len()));
            if fits && axes.len() == listed.sum::<usize>() {
                layout.0[at] = own.clone();
            }
        }
        Ok(layout)
    }

    /// The type of a part; of an uneven one with what fills it up.
    pub fn local(&self, whole: &TensorType, layout: &Layout) -> TensorType {
        let cut = |(dim, axes): (&Dim, &Vec<usize>)| match dim {
            Dim::Static(n) => Dim::Static(self.share(*n, axes)),
            other => *other,
        };
        TensorType { shape: whole.shape.iter().zip(&layout.0).map(cut).collect(), ..whole.clone() }
    }

    /// For the runtime: by dimension, how far apart the devices of each axis are, and how many; behind the dimensions
    /// the axes along which the parts are added up.
    pub fn attr(&self, layout: &Layout, parts: Option<&Vec<usize>>) -> Attr {
        let axis = |&axis: &usize| ints([self.stride(axis), self.size(axis)]);
        let axes = layout.0.iter().chain(parts);
        Attr::Array(axes.map(|axes| Attr::Array(axes.iter().map(axis).collect())).collect())
    }

    /// Groups of devices that differ along these axes alone, in the order of the axes.
    pub fn groups(&self, axes: &[usize]) -> Vec<Vec<i64>> {
        let mut offsets = vec![0];
        for &axis in axes {
            let steps = |&at: &i64| (0..self.size(axis)).map(move |n| at + n * self.stride(axis));
            offsets = offsets.iter().flat_map(steps).collect();
        }
        let is_first = |&device: &i64| axes.iter().all(|&a| device / self.stride(a) % self.size(a) == 0);
        let device = |place: i64| self.order.as_ref().and_then(|order| order.get(place as usize)).map_or(place, |d| *d);
        let group = |first: i64| offsets.iter().map(|at| device(first + at)).collect();
        (0..self.devices()).filter(is_first).map(group).collect()
    }
}

/// By device its place in an order that names each once.
fn places(order: &[i64], devices: i64) -> Option<Vec<i64>> {
    let mut places = vec![-1; usize::try_from(devices).ok()?];
    for (place, &device) in (0..devices).zip(order) {
        *places.get_mut(usize::try_from(device).ok()?)? = place;
    }
    (order.len() == places.len() && !places.contains(&-1)).then_some(places)
}

/// A mesh of places instead of devices.
fn in_places(mesh: &Mesh, places: &[i64]) -> Option<Mesh> {
    if mesh.devices() == Some(1) {
        return Some(mesh.clone());
    }
    let listed: Vec<i64> = mesh.device_ids.clone().unwrap_or_else(|| (0..mesh.devices().unwrap_or(0)).collect());
    let ids = listed.iter().map(|&id| places.get(usize::try_from(id).ok()?).copied()).collect::<Option<Vec<i64>>>()?;
    let counts_up = ids.iter().copied().eq(0..ids.len() as i64);
    Some(Mesh { device_ids: (!counts_up).then_some(ids), ..mesh.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use fornax_graph::sharding::parse_sharding;

    fn machine(meshes: &[&str], named: &[&str]) -> Result<Machine, String> {
        let meshes = meshes.iter().map(|text| Mesh::parse(&format!("sdy.mesh {text}")).unwrap().unwrap());
        let named = named.iter().map(|text| parse_sharding(text).unwrap());
        let axes = named.flat_map(|s| s.dims.into_iter().map(move |dim| (s.mesh.clone(), dim.axes[0].clone())));
        Machine::new(8, meshes.collect(), &axes.collect::<Vec<_>>())
    }

    #[test]
    fn an_irregular_order_counts_the_devices_anew() {
        let mesh = r#"@m = <["x"=4, "y"=2], device_ids=[0, 1, 3, 2, 6, 7, 5, 4]>"#;
        let both = machine(&[mesh, r#"@all = <["d"=8]>"#], &[r#"<@m, [{"x"}, {"y"}]>"#]).unwrap();
        assert_eq!(both.groups(&both.axes_of("m", &axis("y")).unwrap()), [[0, 1], [3, 2], [6, 7], [5, 4]]);
        assert_eq!(both.places().unwrap(), [0, 1, 3, 2, 7, 6, 4, 5]);
        // Two orders that have nothing in common, and a device that is listed twice.
        let named = [r#"<@m, [{"y"}]>"#, r#"<@n, [{"y"}]>"#];
        assert!(machine(&[mesh, r#"@n = <["x"=4, "y"=2]>"#], &named).is_err());
        assert!(machine(&[r#"@m = <["x"=4, "y"=2], device_ids=[0, 1, 3, 2, 6, 7, 5, 5]>"#], &named[..1]).is_err());
        assert!(machine(&[r#"@m = <["x"=8], device_ids=[0, 1, 3, 2, 6, 7, 5, 99]>"#], &[r#"<@m, [{"x"}]>"#]).is_err());
    }

    fn axis(name: &str) -> AxisRef {
        AxisRef { name: name.into(), part: None }
    }

    #[test]
    fn uneven_parts_are_as_long_as_the_first() {
        let machine = machine(&[r#"@m = <["x"=4, "y"=2]>"#], &[]).unwrap();
        let whole = TensorType::new(&[10, 3], fornax_graph::ElementType::F32);
        let layout = |text: &str| machine.layout(&parse_sharding(text).unwrap(), &whole).unwrap();
        let cut = layout(r#"<@m, [{"x"}, {"y"}]>"#);
        assert_eq!(machine.local(&whole, &cut).static_shape().unwrap(), [3, 2]);
        assert!(machine.even(&cut, &whole).is_whole());
        // Fewer elements than devices.
        assert!(layout(r#"<@m, [{}, {"x"}]>"#).is_whole());
        // What fills up is cut off where all sizes are known.
        let open = TensorType { shape: vec![Dim::Symbolic(0), Dim::Static(10)], ..whole.clone() };
        let open = |text: &str| machine.layout(&parse_sharding(text).unwrap(), &open).unwrap();
        assert!(open(r#"<@m, [{}, {"x"}]>"#).is_whole() && !open(r#"<@m, [{}, {"y"}]>"#).is_whole());
    }
}

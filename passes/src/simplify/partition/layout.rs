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
}

impl Machine {
    /// Meshes of all devices, and of one; `named` are the axes and parts of axes that the program names.
    ///
    /// # Errors
    /// Where no common axes make them all up.
    pub fn new(devices: i64, meshes: Vec<Mesh>, named: &[(String, AxisRef)]) -> Result<Machine, String> {
        // Where one axis ends and another one begins.
        let mut bounds = vec![1, devices];
        let mut bind = |steps: Vec<Steps>| bounds.extend(steps.iter().flat_map(|s| [s.stride, s.stride * s.size]));
        for mesh in &meshes {
            let whole = |(name, _): &(String, i64)| mesh.steps(&AxisRef { name: name.clone(), part: None });
            for steps in mesh.axes.iter().map(whole) {
                bind(steps?);
            }
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
        Ok(Machine { devices, meshes, axes })
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

    pub fn replicated(&self, ty: &TensorType) -> Layout {
        Layout(vec![Vec::new(); ty.rank()])
    }

    /// The layout of a tensor by names of axes; a dimension that does not divide stays whole.
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
            let divides = whole.shape.get(at).and_then(|dim| dim.as_static());
            let pieces = layout.0.get(at).map_or(1, |axes| self.pieces(axes));
            if divides.is_none_or(|n| n % pieces != 0)
                && let Some(axes) = layout.0.get_mut(at)
            {
                axes.clear();
            }
        }
        Ok(layout)
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

    /// The type of a part.
    pub fn local(&self, whole: &TensorType, layout: &Layout) -> TensorType {
        let cut = |(dim, axes): (&Dim, &Vec<usize>)| match dim {
            Dim::Static(n) => Dim::Static(n / self.pieces(axes)),
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
        (0..self.devices()).filter(is_first).map(|first| offsets.iter().map(|at| first + at).collect()).collect()
    }
}

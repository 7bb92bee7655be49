//! Which axes of the mesh cut each dimension of a tensor.

use fornax_graph::sharding::{Mesh, Sharding};
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

/// The devices, as a mesh.
pub(super) struct Machine {
    mesh: Mesh,
}

impl Machine {
    pub fn new(mesh: Mesh) -> Machine {
        Machine { mesh }
    }

    pub fn size(&self, axis: usize) -> i64 {
        self.mesh.axes.get(axis).map_or(1, |axis| axis.1)
    }

    pub fn stride(&self, axis: usize) -> i64 {
        self.mesh.stride(axis)
    }

    pub fn devices(&self) -> i64 {
        self.mesh.devices().unwrap_or(1)
    }

    /// The axes that have several devices.
    pub fn cutting_axes(&self) -> Vec<usize> {
        (0..self.mesh.axes.len()).filter(|&axis| self.size(axis) > 1).collect()
    }

    pub fn axis(&self, name: &str) -> Result<usize, String> {
        let found = self.mesh.axes.iter().position(|axis| axis.0 == name);
        found.ok_or_else(|| format!("mesh @{} has no axis \"{name}\"", self.mesh.name))
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
        let mesh = &sharding.mesh;
        if *mesh != self.mesh.name && !sharding.dims.iter().all(|dim| dim.names.is_empty()) {
            return Err(format!("mesh @{mesh} beside @{}: one mesh a module", self.mesh.name));
        }
        let mut layout = self.replicated(whole);
        for (at, dim) in sharding.dims.iter().enumerate() {
            for name in &dim.names {
                let axis = self.axis(name)?;
                if layout.uses(axis) {
                    return Err(format!("axis \"{name}\" cuts twice"));
                }
                if let Some(axes) = layout.0.get_mut(at).filter(|_| self.size(axis) > 1) {
                    axes.push(axis);
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
            let cuts = |name: &&String| self.axis(name).is_ok_and(|axis| self.size(axis) > 1);
            if fits && axes.len() == dim.names.iter().filter(cuts).count() {
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

    /// For the runtime: by dimension, how far apart the devices of each axis are, and how many.
    pub fn attr(&self, layout: &Layout) -> Attr {
        let axis = |&axis: &usize| ints([self.stride(axis), self.size(axis)]);
        Attr::Array(layout.0.iter().map(|axes| Attr::Array(axes.iter().map(axis).collect())).collect())
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

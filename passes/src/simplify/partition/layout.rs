//! Which axes of the mesh cut each dimension of a tensor.

use fornax_graph::sharding::{AxisNames, Mesh};
use fornax_graph::{Attr, Dim, TensorType};

use crate::rewrite::build::ints;

/// By dimension the numbers of the axes that cut it, the first one coarsest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Layout(pub Vec<Vec<usize>>);

impl Layout {
    pub fn is_whole(&self) -> bool {
        self.0.iter().all(Vec::is_empty)
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

    /// Names of the axes that have several devices.
    pub fn cutting_axes(&self) -> impl Iterator<Item = &str> {
        self.mesh.axes.iter().filter(|axis| axis.1 > 1).map(|axis| axis.0.as_str())
    }

    /// Pieces that axes cut a dimension into.
    pub fn pieces(&self, axes: &[usize]) -> i64 {
        axes.iter().map(|&axis| self.size(axis)).product()
    }

    pub fn replicated(&self, ty: &TensorType) -> Layout {
        Layout(vec![Vec::new(); ty.rank()])
    }

    /// The layout of a tensor by names of axes; a dimension that does not divide stays whole.
    pub fn layout(&self, mesh: &str, dims: &AxisNames, whole: &TensorType) -> Result<Layout, String> {
        if mesh != self.mesh.name && !dims.iter().all(Vec::is_empty) {
            return Err(format!("mesh @{mesh} beside @{}: one mesh a module", self.mesh.name));
        }
        let mut layout = self.replicated(whole);
        for (at, names) in dims.iter().enumerate() {
            for name in names {
                let found = self.mesh.axes.iter().position(|axis| axis.0 == *name);
                let axis = found.ok_or_else(|| format!("mesh @{mesh} has no axis \"{name}\""))?;
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

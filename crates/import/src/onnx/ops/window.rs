//! Geometry of windows: how far they reach, what is padded, how many places they have.

use fornax_graph::{Dim, ValueId};

use crate::dialects::build::Window;
use crate::onnx::converter::{Converter, Result};
use crate::onnx::node::Node;

/// Windows over the spatial dimensions, one entry each.
#[derive(Clone, Debug)]
pub struct Windows {
    pub kernel: Vec<Dim>,
    pub strides: Vec<i64>,
    pub dilations: Vec<i64>,
    /// As the node says it.
    pub pads: Vec<(Dim, Dim)>,
    /// With what the last window needs where the number of places is rounded up.
    pub reached: Vec<(Dim, Dim)>,
    pub places: Vec<Dim>,
}

impl Converter<'_> {
    /// The windows of a node over `a`, `[N, C, spatial…]`.
    pub fn windows(&mut self, node: &Node, a: ValueId, kernel: &[Dim]) -> Result<Windows> {
        let shape = self.b.shape(a);
        let n = shape.len().checked_sub(2).ok_or_else(|| node.broken("batch and channels are expected"))?;
        if kernel.len() != n {
            return Err(node.broken(format!("a window of {} dimensions over {n}", kernel.len())));
        }
        let (strides, dilations) = (node.ints_of("strides", n, 1)?, node.ints_of("dilations", n, 1)?);
        let pads = node.ints_of("pads", 2 * n, 0)?;
        if strides.iter().chain(&dilations).any(|&x| !(1..=i64::from(i32::MAX)).contains(&x))
            || pads.iter().any(|x| !(0..=i64::from(i32::MAX)).contains(x))
        {
            return Err(node.broken("a stride, dilation or padding is out of range"));
        }
        let auto = node.text_or("auto_pad", "NOTSET").to_string();
        let mut windows = Windows {
            kernel: kernel.to_vec(),
            strides,
            dilations,
            pads: Vec::new(),
            reached: Vec::new(),
            places: Vec::new(),
        };
        for d in 0..n {
            let (size, stride) = (shape[d + 2], windows.strides[d]);
            let reach = self.b.reach(kernel[d], windows.dilations[d]);
            let (low, high) = match auto.as_str() {
                "SAME_UPPER" | "SAME_LOWER" => {
                    let places = self.b.graph.dim_ceil_div(size, Dim::Static(stride));
                    let less = self.b.minus(places, Dim::Static(1));
                    let far = self.b.graph.dim_mul(less, Dim::Static(stride));
                    let far = self.b.plus(far, reach);
                    let more = self.b.minus(far, size);
                    let total = self.b.graph.dim_max(more, Dim::Static(0));
                    let half = self.b.graph.dim_floor_div(total, Dim::Static(2));
                    let rest = self.b.minus(total, half);
                    if auto == "SAME_UPPER" { (half, rest) } else { (rest, half) }
                }
                "VALID" => (Dim::Static(0), Dim::Static(0)),
                "NOTSET" | "" => (Dim::Static(pads[d]), Dim::Static(pads[d + n])),
                other => return Err(node.broken(format!("auto_pad `{other}`"))),
            };
            windows.pads.push((low, high));
            let begun = self.b.plus(size, low);
            let padded = self.b.plus(begun, high);
            let room = self.b.minus(padded, reach);
            self.not_negative(node, &[room])?;
            let by = Dim::Static(stride);
            if !node.is_set("ceil_mode") {
                let steps = self.b.graph.dim_floor_div(room, by);
                windows.places.push(self.b.plus(steps, Dim::Static(1)));
                windows.reached.push((low, high));
                continue;
            }
            // The last window begins within the data or the padding before it.
            let steps = self.b.graph.dim_ceil_div(room, by);
            let places = self.b.plus(steps, Dim::Static(1));
            let within = self.b.graph.dim_ceil_div(begun, by);
            let places = self.b.graph.dim_min(places, within);
            let less = self.b.minus(places, Dim::Static(1));
            let far = self.b.graph.dim_mul(less, by);
            let far = self.b.plus(far, reach);
            let needed = self.b.minus(far, begun);
            windows.reached.push((low, self.b.graph.dim_max(high, needed)));
            windows.places.push(places);
        }
        Ok(windows)
    }
}

impl Windows {
    /// For `reduce_window` over `[N, C, spatial…]`; `inside` is padding that the operand has already.
    pub fn over_all(&self, c: &mut Converter, inside: bool) -> (Window, Vec<Dim>) {
        let n = self.kernel.len();
        let mut window = Window::unit(n + 2);
        for d in 0..n {
            let (mut low, mut high) = self.reached[d];
            if inside {
                low = c.b.minus(low, self.pads[d].0);
                high = c.b.minus(high, self.pads[d].1);
            }
            window.size[d + 2] = self.kernel[d];
            window.strides[d + 2] = self.strides[d];
            window.dilations[d + 2] = self.dilations[d];
            window.padding[d + 2] = (low, high);
        }
        (window, self.places.clone())
    }

    /// The product of the window's sizes.
    pub fn elements(&self, c: &mut Converter) -> Dim {
        c.b.graph.dim_product(&self.kernel)
    }

    pub fn is_padded(&self) -> bool {
        self.reached.iter().any(|&(low, high)| (low, high) != (Dim::Static(0), Dim::Static(0)))
    }
}

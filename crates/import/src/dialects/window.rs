//! `yield acc ∘ e` where `e`'s operand is read in windows → `reduce_window`.
//!
//! Worked example: `pooling_nchw_max` has the input map `(n, c, y * 2 + ky, x * 2 + kx)` and an operand that only gives
//! the window's size: a window `[1, 1, ky, kx]` of strides `[1, 1, 2, 2]`. Other summed dimensions are reduced before.

use fornax_graph::ValueId;

use super::body::Lane;
use super::build::Window;
use super::contraction::{Side, WindowLoops};
use super::converter::{Converter, Result};
use super::reduction::Accumulation;
use super::structured::Structured;

impl Converter<'_> {
    /// `None` when no dimension is read in windows, or the loops do not fit.
    pub fn window(&mut self, parts: &Structured, k: usize, how: &Accumulation, first: ValueId) -> Result<Option<Lane>> {
        let side = self.side(parts, how.term)?;
        let mut windows = Vec::new();
        let (mut seen, mut reduced, mut loops) = (Vec::new(), Vec::new(), Vec::new());
        for (position, form) in side.forms.iter().enumerate() {
            if let Some(d) = form.plain() {
                seen.push(d);
                if parts.summed.contains(&d) {
                    reduced.push(position)
                } else {
                    loops.push(d)
                }
                continue;
            }
            let Some(w) = WindowLoops::of(position, form, &parts.summed) else { return Ok(None) };
            seen.extend([w.along, w.within]);
            loops.push(w.along);
            windows.push(w);
        }
        let once = seen.iter().all(|d| seen.iter().filter(|e| *e == d).count() == 1);
        if windows.is_empty() || !once || !parts.summed.iter().all(|d| seen.contains(d)) {
            return Ok(None);
        }
        let Some(sliced) = self.windowed(&side, &windows, &parts.sizes) else { return Ok(None) };
        let element = self.scalar_element(parts.yields[k]);
        let mut side = Side { value: sliced, forms: side.forms };
        if !reduced.is_empty() {
            let region = self.combining_region(how.combine, element);
            side.value = self.b.reduce_with(side.value, first, &reduced, region);
            for w in &mut windows {
                w.position -= reduced.iter().filter(|&&r| r < w.position).count();
            }
        }
        let mut window = Window::unit(self.b.rank(side.value));
        for w in &windows {
            window.size[w.position] = parts.sizes[w.within];
            window.strides[w.position] = w.stride;
            window.dilations[w.position] = w.dilation;
        }
        let region = self.combining_region(how.combine, element);
        let mut shape = self.b.shape(side.value);
        for w in &windows {
            shape[w.position] = parts.sizes[w.along];
        }
        let value = self.b.reduce_window_to(side.value, first, region, &window, &shape);
        Ok(Some(self.ascending(value, &loops)))
    }
}

//! The body of a `sdy.manual_computation`: a program of one device along its manual axes. Along the other axes of the
//! mesh it is a program for all, and is cut as the rest of the function is.
//!
//! Worked example: on x = 4, y = 2 an `8x16` comes in as `[{"x", ?}, {?}]`, cut as `[{x}, {y}]`; x is manual. In the
//! body it is a `2x16`, cut along its second dimension by y.

use std::collections::HashMap;

use fornax_graph::sharding::{parse_axes, parse_sharding};
use fornax_graph::{OpId, OpKind, TensorType, Type, ValueId};

use super::layout::Layout;
use super::{MANUAL, Part, Pass, text};
use crate::errors::PassError;
use crate::rewrite::Rewriter;

const NO_PART: &str = "of its region has not the shape of a part";
const ORDER: &str = "an axis that is not manual cuts a dimension before a manual one";

impl Pass {
    pub(super) fn manual(&mut self, rw: &mut Rewriter, id: OpId) -> Result<Vec<ValueId>, PassError> {
        let axes = rw.graph.op(id).attrs.get("manual_axes").map(text).unwrap_or_default();
        let mut shardings = self.shardings(rw.graph, id, "in_shardings")?;
        shardings.append(&mut self.shardings(rw.graph, id, "out_shardings")?);
        let mesh = shardings.first().map(|sharding| sharding.mesh.as_str());
        let axes = parse_axes(&axes).and_then(|names| self.machine.axes_of_names(&names, mesh));
        let mut axes: Vec<usize> =
            axes.map_err(|why: String| PassError::unsupported(rw.graph, id, format!("`manual_axes`: {why}")))?;
        let outer = self.manual.clone();
        self.manual.append(&mut axes);
        let made = self.body(rw, id);
        self.manual = outer;
        made
    }

    fn body(&mut self, rw: &mut Rewriter, id: OpId) -> Result<Vec<ValueId>, PassError> {
        let data = rw.graph.op(id).clone();
        let refuse = |rw: &Rewriter, why: String| PassError::unsupported(rw.graph, id, why);
        let manual = self.manual.clone();
        let is_manual = |axis: usize| manual.contains(&axis);
        let all_manual = self.machine.all().all(is_manual);
        let ins = self.shardings(rw.graph, id, "in_shardings")?;
        let outs = self.shardings(rw.graph, id, "out_shardings")?;
        let block = data.regions.first().and_then(|&r| rw.graph.region(r).blocks.first().copied());
        let block = block.filter(|_| ins.len() == data.operands.len() && outs.len() == data.results.len());
        let block = block.ok_or_else(|| refuse(rw, "has not one sharding for each operand and result".into()))?;
        let mut map = HashMap::new();
        for ((&operand, sharding), at) in data.operands.iter().zip(&ins).zip(0..) {
            let Some(part) = self.part(rw, operand) else { continue };
            let layout = self.machine.completed(sharding, &part.whole, &self.free(&part.layout));
            let layout = layout.map_err(|why| refuse(rw, why))?;
            let layout = self.machine.even(&layout, &part.whole);
            let (own, rest) = layout.split(&is_manual).ok_or_else(|| refuse(rw, ORDER.into()))?;
            let parts = self.unreduced_axes(sharding).map_err(|why| refuse(rw, why))?;
            let value = self.brought(rw, operand, &layout, &parts);
            let Some(&argument) = rw.graph.block(block).arguments.get(at) else { continue };
            let whole = self.machine.local(&part.whole, &own);
            if rw.tensor(argument) != Some(&whole) {
                return Err(refuse(rw, format!("argument {at} {NO_PART}")));
            }
            map.insert(argument, match all_manual {
                true => value,
                false => {
                    let name = self.as_part(rw, value, rest, whole);
                    self.is_parts(name, parts.into_iter().filter(|axis| !is_manual(*axis)).collect());
                    name
                }
            });
        }
        // Values that stand for something already.
        let mut handed_on: Vec<ValueId> = map.values().copied().collect();
        let made = if all_manual { rw.copy_body(block, &mut map) } else { self.walk(rw, block, &mut map)? };
        let mut results = Vec::with_capacity(made.len());
        for ((&old, sharding), new) in data.results.iter().zip(&outs).zip(made) {
            let (Some(whole), Some(ty)) = (rw.tensor(old).cloned(), rw.tensor(new).cloned()) else {
                results.push(new);
                continue;
            };
            // Where all axes are manual the body is a program of one device: it may hand on a part as it came in.
            let part = match all_manual {
                true => Part { layout: self.machine.replicated(&ty), whole: ty },
                false => self.part(rw, new).unwrap_or_else(|| Part { layout: self.machine.replicated(&ty), whole: ty }),
            };
            let layout = self.machine.layout(sharding, &whole).map_err(|why| refuse(rw, why))?;
            let layout = self.machine.even(&layout, &whole);
            let parts = self.unreduced_axes(sharding).map_err(|why| refuse(rw, why))?;
            let (own, _) = layout.split(&is_manual).ok_or_else(|| refuse(rw, ORDER.into()))?;
            if self.machine.local(&whole, &own) != part.whole {
                return Err(refuse(rw, format!("a result {NO_PART}")));
            }
            if all_manual && handed_on.contains(&new) {
                let name = self.as_part(rw, new, layout, whole);
                self.is_parts(name, parts);
                results.push(name);
                continue;
            }
            if all_manual {
                handed_on.push(new);
                self.values.insert(new, Part { layout, whole });
                self.is_parts(new, parts);
                results.push(new);
                continue;
            }
            let wanted = self.machine.completed(sharding, &whole, &own.joined(&part.layout));
            let wanted = self.machine.even(&wanted.map_err(|why| refuse(rw, why))?, &whole);
            let (_, rest) = wanted.split(&is_manual).ok_or_else(|| refuse(rw, ORDER.into()))?;
            let free: Vec<usize> = parts.iter().copied().filter(|axis| !is_manual(*axis)).collect();
            let new = self.brought(rw, new, &rest, &free);
            let name = self.as_part(rw, new, own.joined(&rest), whole);
            self.is_parts(name, parts);
            results.push(name);
        }
        Ok(results)
    }

    /// The edge of a manual computation in the form of HLO: into it a value is what the sharding before it made of it,
    /// and out of it one says itself what the parts are of. The axes stay manual until another edge says other ones.
    pub(super) fn edge(&mut self, rw: &mut Rewriter, id: OpId) -> Result<ValueId, PassError> {
        let op = rw.graph.op(id).clone();
        let refuse = |rw: &Rewriter, why: String| PassError::unsupported(rw.graph, id, why);
        let read = |name: &str| op.attrs.get(name).map(|attr| parse_sharding(&text(attr))).transpose();
        let (axes, out) = (read(MANUAL), read("sharding"));
        let axes = axes.and_then(|axes| self.machine.axes_of_all(&axes.unwrap_or_default()));
        self.manual = axes.map_err(|why| refuse(rw, why))?;
        let manual = self.manual.clone();
        let is_manual = |axis: usize| manual.contains(&axis);
        let (&[operand], &[result]) = (op.operands.as_slice(), op.results.as_slice()) else {
            return Err(refuse(rw, "has not one operand and one result".into()));
        };
        let types = self.part(rw, operand).zip(rw.tensor(result).cloned());
        let (part, ty) = types.ok_or_else(|| refuse(rw, "is not of tensors".into()))?;
        let order = |rw: &Rewriter, layout: &Layout| layout.split(&is_manual).ok_or_else(|| refuse(rw, ORDER.into()));
        let Some(sharding) = out.map_err(|why| refuse(rw, why))? else {
            let layout = self.machine.even(&part.layout, &part.whole);
            let (own, rest) = order(rw, &layout)?;
            let value = self.brought(rw, operand, &layout, &[]);
            let whole = self.machine.local(&part.whole, &own);
            return match whole == ty {
                true => Ok(self.as_part(rw, value, rest, whole)),
                false => Err(refuse(rw, "its result has not the shape of a part".into())),
            };
        };
        let said = self.machine.layout(&sharding, &ty).map_err(|why| refuse(rw, why))?;
        let (own, _) = order(rw, &self.machine.even(&said, &ty))?;
        if self.machine.local(&ty, &own) != part.whole {
            return Err(refuse(rw, "its operand has not the shape of a part".into()));
        }
        let (own, rest) = order(rw, &self.machine.even(&own.joined(&part.layout), &ty))?;
        let value = self.brought(rw, operand, &rest, &[]);
        Ok(self.as_part(rw, value, own.joined(&rest), ty))
    }

    /// A layout without the axes that are manual.
    fn free(&self, layout: &Layout) -> Layout {
        let free = |axes: &Vec<usize>| axes.iter().copied().filter(|axis| !self.manual.contains(axis)).collect();
        Layout(layout.0.iter().map(free).collect())
    }

    /// Another name of a value, which stands for something else.
    fn as_part(&mut self, rw: &mut Rewriter, value: ValueId, layout: Layout, whole: TensorType) -> ValueId {
        let ty: Type = rw.graph.ty(value).clone();
        let name = rw.emit(OpKind::Reshape, &[value], ty, &[]);
        if !layout.is_whole() {
            self.values.insert(name, Part { layout, whole });
        }
        name
    }
}
